package analysis

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/lower"
	"github.com/warplint/warplint/analysis/meet"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
	"github.com/warplint/warplint/analysis/syntax"
	"github.com/warplint/warplint/analysis/term"
	"github.com/warplint/warplint/analysis/witness"
)

// Every kernel that is proved race-free is run, and must show no race. Besides our own files,
// those below the folder that WARPLINT_CORPUS names are looked at.
func TestProofsHoldWhenTheKernelRuns(t *testing.T) {
	roots := []string{"rules", "../examples"}
	if corpus := os.Getenv("WARPLINT_CORPUS"); corpus != "" {
		roots = append(roots, corpus)
	}
	var proved atomic.Int64
	replay := func(files source.Provider, path string, verdicts func() *Result) {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			proved.Add(int64(replayProved(t, files, path, verdicts())))
		})
	}
	t.Cleanup(func() {
		if proved.Load() == 0 {
			t.Error("no kernel was proved race-free, so nothing was tested")
		}
		t.Logf("%d kernels were proved and run", proved.Load())
	})
	for _, archive := range raceFreeArchives {
		programs, err := txtar.ParseFile("testdata/" + archive + ".txtar")
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range programs.Files {
			file := source.New(f.Name, string(f.Data))
			replay(source.Map{file.Path: file}, file.Path, func() *Result { return Checked(file) })
		}
	}
	for _, root := range roots {
		for _, f := range cudaFiles(t, root) {
			replay(diskFiles{}, f.Path, func() *Result { return check(diskFiles{}, f.Path) })
		}
	}
}

// cudaFiles are the .cu files below a folder.
func cudaFiles(t *testing.T, root string) []*source.File {
	t.Helper()
	var out []*source.File
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".cu" {
			if f, ok := (diskFiles{}).File(path); ok {
				out = append(out, f)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// diskFiles is a provider for tests.
type diskFiles struct{}

func (diskFiles) File(path string) (*source.File, bool) {
	text, err := os.ReadFile(path)
	return source.New(path, string(text)), err == nil
}

func replayProved(t *testing.T, files source.Provider, path string, result *Result) int {
	t.Helper()
	ctx := context.Background()
	req := Request{Files: files, Path: path}
	verdicts := map[string]race.Verdict{}
	for _, k := range result.Kernels {
		if provedForAny(k) {
			verdicts[k.Name] = k.Verdict
		}
	}
	module := lower.Module(syntax.Parse(ctx, req.Files, path, req.Config.Config, nil))
	proved := 0
	for _, f := range module.Kernels {
		if verdicts[f.Name] != race.RaceFree {
			continue
		}
		proved++
		table := term.NewTable()
		for _, l := range newHostRuns(nil).launches(ctx, table, f, launchersIn(module)[f]) {
			for _, r := range witness.Contradictions(ctx, access.Summarize(ctx, table, f, l, race.Dim3{}, race.Dim3{})) {
				t.Errorf("%s: %s was proved race-free, but %s at line %d races with %s at line %d (%s)", path, f.Name,
					r.First.Access, lineOf(req, f.Sites[r.First.Site].Span), r.Second.Access, lineOf(req, f.Sites[r.Second.Site].Span), r.Kind)
				break
			}
		}
	}
	return proved
}

func lineOf(req Request, s source.Span) int {
	f, _ := req.Files.File(s.File)
	return f.Position(s.Start).Line
}

// provedForAny reports whether a verdict rests on nothing that the numbers and the contents of a run may break.
func provedForAny(k race.Kernel) bool {
	return !slices.ContainsFunc(k.Assumes, func(a string) bool {
		return a == meet.WithinRows || a == meet.Ascending || a == meet.CountsUp || a == meet.WithRoom || a == meet.WholeWarps
	})
}
