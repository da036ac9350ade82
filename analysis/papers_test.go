package analysis_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/warplint/warplint/analysis"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
)

// The programs of these archives have exactly the
// warnings that their comments expect, as in [TestRules]. Where a comment gives no verdict, a
// program with no warning may be unknown.
//
// A line that ends with `// fact` is host code that the verdict rests on: without the line, a race is
// found, be it information.
func TestPaperPrograms(t *testing.T) {
	for _, archive := range []string{"papers", "synchronization", "tickets", "modern", "sync_warps", "sync_blocks", "sync_copies", "idioms", "libraries", "recent", "rings", "waiting", "classic", "late", "frameworks", "science", "handed", "whole", "alone", "suites", "heap", "domains", "hosts", "strangers", "lookups", "collections", "typed"} {
		files, err := txtar.ParseFile("testdata/" + archive + ".txtar")
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files.Files {
			t.Run(archive+"/"+f.Name, func(t *testing.T) {
				file := source.New(f.Name, string(f.Data))
				res := analysis.Checked(file)
				if diff := cmp.Diff(wanted(file), found(file, warnings(res))); diff != "" {
					t.Errorf("findings (-want +got):\n%s%s", diff, explain(file, res))
				}
				for _, k := range res.Kernels {
					want, ok := verdicts(file)[k.Name]
					if ok && string(k.Verdict) != want {
						t.Errorf("%s is %s, want %s\n%s", k.Name, k.Verdict, want, explain(file, res))
					}
				}
				withoutFacts(t, file)
			})
		}
	}
}

func checkFile(file *source.File) *analysis.Result {
	return analysis.NewEngine().Check(context.Background(), analysis.Request{Files: source.Map{file.Path: file}, Path: file.Path})
}

// warnings are the findings that make a kernel racy.
func warnings(res *analysis.Result) *analysis.Result {
	out := &analysis.Result{}
	for _, f := range res.Findings {
		if f.Severity >= race.Warning {
			out.Findings = append(out.Findings, f)
		}
	}
	return out
}

// withoutFacts checks the file once without each line that holds a fact.
func withoutFacts(t *testing.T, file *source.File) {
	lines := strings.Split(file.Text, "\n")
	for i, line := range lines {
		if !strings.HasSuffix(line, "// fact") {
			continue
		}
		without := append([]string(nil), lines...)
		without[i] = ""
		res := checkFile(source.New(file.Path, strings.Join(without, "\n")))
		if len(res.Findings) == 0 {
			t.Errorf("nothing is found without the fact of line %d: %s\n%s", i+1, line, explain(file, res))
		}
	}
}
