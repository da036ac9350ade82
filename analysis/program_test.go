package analysis_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/warplint/warplint/analysis"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
	"github.com/warplint/warplint/analysis/syntax"
	"github.com/warplint/warplint/analysis/workspace"
)

// Each archive in testdata/program holds the files of one program, with comments as in TestRules:
// findings and verdicts are those of the file that the comment stands in, checked with the index
// of all files. A comment `// alone KERNEL VERDICT` gives the verdict without the index. Files of
// the archive whose name ends in .txt hold flags: a macro NAME=VALUE to define in FILE.txt's file.
func TestPrograms(t *testing.T) {
	paths, err := filepath.Glob("testdata/program/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no test data", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			files, index := source.Map{}, workspace.New()
			for _, f := range archive.Files {
				files[f.Name] = source.New(f.Name, string(f.Data))
				index.Set(files[f.Name], nil)
			}
			config := func(path string) (c syntax.Config) {
				if flags, ok := files[path+".txt"]; ok {
					c.Defines = strings.Fields(flags.Text)
				}
				return c
			}
			for _, f := range archive.Files {
				req := analysis.Request{Files: files, Path: f.Name, Config: analysis.Config{Config: config(f.Name)}}
				engine := analysis.NewEngine()
				sameVerdicts(t, "alone", stated("alone", files[f.Name]), engine.Check(context.Background(), req))
				req.Units = analysis.UnitsOf(index.Units(f.Name), config)
				res := engine.Check(context.Background(), req)
				if diff := cmp.Diff(wanted(files[f.Name]), found(files[f.Name], res)); diff != "" {
					t.Errorf("findings of %s (-want +got):\n%s%s", f.Name, diff, explain(files[f.Name], res))
				}
				sameVerdicts(t, "with the index", verdicts(files[f.Name]), res)
			}
		})
	}
}

func sameVerdicts(t *testing.T, how string, want map[string]string, res *analysis.Result) {
	t.Helper()
	got := map[string]race.Kernel{}
	for _, k := range res.Kernels {
		got[k.Name] = k
	}
	for name, verdict := range want {
		if k := got[name]; string(k.Verdict) != verdict {
			t.Errorf("%s, %s in %s is %q, want %s: %q", how, name, res.Path, k.Verdict, verdict, k.Reasons)
		}
	}
}
