package lower

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/source"
	"github.com/warplint/warplint/analysis/syntax"
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

// TestCorpus lowers the .cu and .cuh files under the folder that WARPLINT_CORPUS names and
// prints how many kernels were lowered whole and why the rest were not. Folders of headers
// are given in WARPLINT_INCLUDE, as in PATH.
func TestCorpus(t *testing.T) {
	root := os.Getenv("WARPLINT_CORPUS")
	if root == "" {
		root = "testdata"
	}
	cfg := syntax.Config{IncludeDirs: filepath.SplitList(os.Getenv("WARPLINT_INCLUDE"))}
	s := &corpusStats{reasons: map[string]int{}}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && (strings.HasSuffix(path, ".cu") || strings.HasSuffix(path, ".cuh")) {
			s.file(t, path, cfg)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	s.print(t)
}

type corpusStats struct {
	files, kernels, whole, hosts, launched int
	reasons                                map[string]int
	times                                  []time.Duration
	slowest                                string
	max                                    time.Duration
}

func (s *corpusStats) file(t *testing.T, path string, cfg syntax.Config) {
	u := syntax.Parse(context.Background(), diskFiles{}, path, cfg, nil)
	start := time.Now()
	m := Module(u)
	d := time.Since(start)
	s.files++
	s.times = append(s.times, d)
	if d > s.max {
		s.max, s.slowest = d, path
	}
	s.hosts += len(m.Hosts)
	for _, k := range m.Kernels {
		if err := ir.Check(k); err != nil {
			t.Errorf("%s: %s: %v", path, k.Name, err)
		}
		s.kernels++
		reasons := reasonsOf(k)
		if len(reasons) == 0 {
			s.whole++
		}
		for r := range reasons {
			s.reasons[r]++
			if testing.Verbose() {
				t.Logf("%s: %s<%s>: %s", path, k.Name, k.Instance, r)
			}
		}
	}
	for _, h := range m.Hosts {
		if err := ir.Check(h); err != nil {
			t.Errorf("%s: %s: %v", path, h.Name, err)
		}
		ir.WalkStmts(h.Body, func(st ir.Stmt) bool {
			if _, ok := st.(*ir.Launch); ok {
				s.launched++
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
	sort.Slice(s.times, func(i, j int) bool { return s.times[i] < s.times[j] })
	var b strings.Builder
	if s.files > 0 {
		fmt.Fprintf(&b, "%d files, %d kernels, %d whole (%.1f%%), %d hosts, %d launches; median %v, slowest %v (%s)\n",
			s.files, s.kernels, s.whole, 100*float64(s.whole)/float64(max(s.kernels, 1)), s.hosts, s.launched, s.times[len(s.times)/2], s.max, s.slowest)
	}
	var names []string
	for r := range s.reasons {
		names = append(names, r)
	}
	sort.Slice(names, func(i, j int) bool {
		if s.reasons[names[i]] != s.reasons[names[j]] {
			return s.reasons[names[i]] > s.reasons[names[j]]
		}
		return names[i] < names[j]
	})
	for _, r := range names {
		fmt.Fprintf(&b, "%5d %s\n", s.reasons[r], r)
	}
	t.Log("\n" + b.String())
}
