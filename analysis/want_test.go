package analysis_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warplint/warplint/analysis"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
)

var update = flag.Bool("update", false, "write the .fixed files anew")

// Each rule's test data lies in its folder, rules/<rule>/testdata/*.cu. A comment
//
//	// want RULE KIND
//
// expects a finding whose later place stands on that line; a line without one expects none.
// A comment `// verdict KERNEL VERDICT` expects a verdict. Beside a file, <name>.fixed holds
// the text with the first verified fix of each finding applied, which must be clean.
func TestRules(t *testing.T) {
	paths, err := filepath.Glob("rules/*/testdata/*.cu")
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) == 0 {
		t.Fatal("no test data")
	}
	for _, path := range paths {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			file := source.New(filepath.Base(path), string(text))
			res := analysis.Checked(file)
			if diff := cmp.Diff(wanted(file), found(file, res)); diff != "" {
				t.Errorf("findings (-want +got):\n%s%s", diff, explain(file, res))
			}
			sameVerdicts(t, "alone", verdicts(file), res)
			checkFixed(t, strings.TrimSuffix(path, ".cu")+".fixed", file)
		})
	}
}

func wanted(f *source.File) []string {
	var out []string
	for line := 1; line <= f.Lines(); line++ {
		_, comment, ok := strings.Cut(f.Line(line), "// want ")
		if !ok {
			continue
		}
		for _, w := range strings.Split(comment, ", ") {
			out = append(out, fmt.Sprintf("%d: %s", line, w))
		}
	}
	slices.Sort(out)
	return out
}

func verdicts(f *source.File) map[string]string { return stated("verdict", f) }

// stated reads the comments `// KEYWORD KERNEL VERDICT`.
func stated(keyword string, f *source.File) map[string]string {
	out := map[string]string{}
	comment := regexp.MustCompile(`// ` + keyword + ` (\w+) ([a-z-]+)`)
	for _, m := range comment.FindAllStringSubmatch(f.Text, -1) {
		out[m[1]] = m[2]
	}
	return out
}

func found(f *source.File, res *analysis.Result) []string {
	var out []string
	for _, r := range res.Findings {
		if r.Second.Span.File != f.Path {
			continue // of a header
		}
		line := f.Position(r.Second.Span.Start).Line
		s := fmt.Sprintf("%d: %s %s", line, r.Rule, r.Kind)
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	slices.Sort(out)
	return out
}

func explain(f *source.File, res *analysis.Result) string {
	var b strings.Builder
	for _, r := range res.Findings {
		fmt.Fprintf(&b, "%d and %d: %s\n", f.Position(r.First.Span.Start).Line, f.Position(r.Second.Span.Start).Line, r.Message)
	}
	for _, k := range res.Kernels {
		fmt.Fprintf(&b, "%s: %s %q\n", k.Name, k.Verdict, k.Reasons)
	}
	return b.String()
}

// checkFixed applies fixes until nothing is found or nothing is offered, and compares.
func checkFixed(t *testing.T, golden string, file *source.File) {
	t.Helper()
	engine := analysis.NewEngine()
	fixed := file
	for range 20 {
		req := analysis.Request{Files: source.Map{fixed.Path: fixed}, Path: fixed.Path}
		fix, ok := firstFix(engine, req)
		if !ok {
			break
		}
		edited, ok := analysis.Apply(req.Files, fix.Edits)
		if !ok {
			t.Fatalf("the edits of %q overlap", fix.Title)
		}
		fixed = edited[fixed.Path]
	}
	if fixed == file {
		if _, err := os.Stat(golden); err == nil {
			t.Errorf("%s exists, but no fix is offered", golden)
		}
		return
	}
	if *update {
		if err := os.WriteFile(golden, []byte(fixed.Text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), fixed.Text); diff != "" {
		t.Errorf("%s (-want +got):\n%s", golden, diff)
	}
}

func firstFix(engine *analysis.Engine, req analysis.Request) (race.Fix, bool) {
	for _, f := range engine.Check(context.Background(), req).Findings {
		for _, fix := range engine.Fixes(context.Background(), req, f) {
			if fix.Verified {
				return fix, true
			}
		}
	}
	return race.Fix{}, false
}
