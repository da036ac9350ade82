package lower

// This file lowers real files and counts.

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/source"
	"github.com/warplint/warplint/analysis/syntax"
	"github.com/warplint/warplint/analysis/workspace"
)

// diskFiles reads files from disk and keeps them.
type diskFiles map[string]*source.File

func (d diskFiles) File(path string) (*source.File, bool) {
	if f, ok := d[path]; ok {
		return f, f != nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		d[path] = nil
		return nil, false
	}
	f := source.New(path, string(data))
	d[path] = f
	return f, true
}

// TestCorpus parses and lowers the .cu and .cuh files under the folder that WARPLINT_CORPUS names,
// each in the units that the index of the workspace says, and prints how many kernels were
// lowered whole, why the rest were not, and how long a file took. Folders of headers are given in
// WARPLINT_INCLUDE, as in PATH, macros in WARPLINT_DEFINES as NAME=VALUE, with spaces between.
// With -v it names the kernels and the slowest files.
func TestCorpus(t *testing.T) {
	root := os.Getenv("WARPLINT_CORPUS")
	if root == "" {
		root = "testdata"
	}
	s := &corpusStats{
		cfg:   syntax.Config{IncludeDirs: filepath.SplitList(os.Getenv("WARPLINT_INCLUDE")), Defines: strings.Fields(os.Getenv("WARPLINT_DEFINES"))},
		files: diskFiles{}, index: workspace.New(), whole: map[source.Span]bool{}, reasons: map[string]int{},
	}
	var paths []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		cuda := slices.Contains([]string{".cu", ".cuh"}, filepath.Ext(path))
		if err != nil || d.IsDir() || !cuda && !workspace.IsHeader(path) && !slices.Contains([]string{".cpp", ".cc", ".cxx"}, filepath.Ext(path)) {
			return err
		}
		if f, ok := s.files.File(path); ok {
			s.index.Set(f, s.cfg.IncludeDirs)
		}
		if cuda {
			paths = append(paths, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		s.file(t, path)
	}
	s.print(t)
}

type corpusStats struct {
	cfg   syntax.Config
	files diskFiles
	index *workspace.Index

	instances, hosts, launches int
	whole                      map[source.Span]bool // by a kernel's place: all its instances were lowered whole
	reasons                    map[string]int
	times                      []corpusTime
}

type corpusTime struct {
	path         string
	parse, lower time.Duration
}

// file lowers a file as the engine does when it sees it for the first time.
func (s *corpusStats) file(t *testing.T, path string) {
	time := corpusTime{path: path}
	for _, unit := range s.index.Units(path) {
		var units []*syntax.Unit
		time.parse += took(func() {
			for _, file := range append([]string{unit.Path}, unit.With...) {
				units = append(units, syntax.Parse(context.Background(), s.files, file, s.cfg, nil))
			}
		})
		linked := syntax.Link(units[0], units[1:]...)
		var m *ir.Module
		lowering := func() { m = ModuleFor(context.Background(), linked, path, nil) }
		time.lower += min(took(lowering), took(lowering), took(lowering)) // what else runs here does not count
		s.module(t, path, m)
	}
	s.times = append(s.times, time)
}

func took(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

func (s *corpusStats) module(t *testing.T, path string, m *ir.Module) {
	s.hosts += len(m.Hosts)
	for _, k := range m.Kernels {
		if err := ir.Check(k); err != nil {
			t.Errorf("%s: %s: %v", path, k.Name, err)
		}
		s.instances++
		reasons := reasonsOf(k)
		whole, met := s.whole[k.Span]
		s.whole[k.Span] = (whole || !met) && len(reasons) == 0
		for r := range reasons {
			s.reasons[r]++
			if testing.Verbose() {
				t.Logf("%s: %s<%s>: %s", path, k.Name, k.Instance, r)
			}
		}
	}
	for _, h := range m.Hosts {
		for r := range reasonsOf(h) {
			if strings.HasPrefix(r, "launch") {
				s.reasons["(host) "+r]++
			}
		}
		if err := ir.Check(h); err != nil {
			t.Errorf("%s: %s: %v", path, h.Name, err)
		}
		ir.WalkStmts(h.Body, func(st ir.Stmt) bool {
			if _, ok := st.(*ir.Launch); ok {
				s.launches++
			}
			return true
		})
	}
}

// reasonsOf lists why a function was not lowered whole.
func reasonsOf(f *ir.Func) map[string]bool {
	out := map[string]bool{}
	for _, r := range f.Unknowns {
		out[r] = true
	}
	ir.WalkStmts(f.Body, func(s ir.Stmt) bool {
		if u, ok := s.(*ir.Unknown); ok {
			out[u.Reason] = true
		}
		return true
	})
	return out
}

func (s *corpusStats) print(t *testing.T) {
	var b strings.Builder
	whole := 0
	for _, ok := range s.whole {
		if ok {
			whole++
		}
	}
	fmt.Fprintf(&b, "%d files, %d kernels, %d whole (%.1f%%); %d instances, %d hosts, %d launches\n", len(s.times), len(s.whole), whole,
		100*float64(whole)/float64(max(len(s.whole), 1)), s.instances, s.hosts, s.launches)
	s.spread(&b, "to parse", func(c corpusTime) time.Duration { return c.parse })
	s.spread(&b, "to lower", func(c corpusTime) time.Duration { return c.lower })
	s.spread(&b, "both", func(c corpusTime) time.Duration { return c.parse + c.lower })
	if testing.Verbose() {
		for _, c := range s.times[max(len(s.times)-8, 0):] {
			fmt.Fprintf(&b, "%8.2f ms to parse, %8.2f ms to lower: %s\n", milliseconds(c.parse), milliseconds(c.lower), c.path)
		}
	}
	names := make([]string, 0, len(s.reasons))
	for r := range s.reasons {
		names = append(names, r)
	}
	slices.SortFunc(names, func(a, b string) int {
		if s.reasons[a] != s.reasons[b] {
			return s.reasons[b] - s.reasons[a]
		}
		return strings.Compare(a, b)
	})
	for _, r := range names {
		fmt.Fprintf(&b, "%5d %s\n", s.reasons[r], r)
	}
	t.Log("\n" + b.String())
}

// spread sorts the files by a time and writes how it is spread.
func (s *corpusStats) spread(b *strings.Builder, what string, of func(corpusTime) time.Duration) {
	if len(s.times) == 0 {
		return
	}
	slices.SortFunc(s.times, func(a, b corpusTime) int { return int(of(a) - of(b)) })
	at := func(percent int) float64 { return milliseconds(of(s.times[(len(s.times)-1)*percent/100])) }
	fmt.Fprintf(b, "%-9s a file: median %.2f ms, 90th percentile %.2f ms, 99th %.2f ms, most %.2f ms (%s)\n", what, at(50), at(90), at(99), at(100), s.times[len(s.times)-1].path)
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
