// Command labelled checks programs that are known to race or not, each in a file of its own, and
// says of how many warplint's answer is right: a racy one has warnings, all of the kind and the
// rule that its label says, and one without a race is proved. It prints a table in Markdown, as in
// docs/results.md, and ends with status 1 if an answer is wrong or a file is missing.
//
//	go run ./scripts/labelled FOLDER
//
// The labels are those of ScoR's microbenchmarks (labels.go).
package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/internal/disk"
	"github.com/warplint/warplint/internal/report"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: labelled FOLDER")
		os.Exit(2)
	}
	ctx := context.Background()
	paths, problems := disk.Find(ctx, os.Args[1:])
	for _, p := range problems {
		fmt.Fprintf(os.Stderr, "%s: %s\n", p.File, p.Message)
	}
	found := map[string]string{}
	for _, path := range paths {
		found[strings.TrimSuffix(filepath.Base(path), ".cu")] = path
	}
	fmt.Print("| file | verdict | findings | right |\n| --- | --- | --- | --- |\n")
	files, right := disk.NewFiles(), 0
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		path, ok := found[name]
		if !ok {
			fmt.Printf("| %s | no such file | | no |\n", name)
			continue
		}
		res := analysis.NewEngine().Check(ctx, analysis.Request{Files: files, Path: path})
		answer := "no"
		if labels[name].agrees(res) {
			answer = "yes"
			right++
		}
		fmt.Printf("| %s | %s | %s | %s |\n", name, verdicts(res), findings(res), answer)
	}
	fmt.Printf("\n%d of %d right\n", right, len(labels))
	if right < len(labels) {
		os.Exit(1)
	}
}

// label says how a program races; the zero value says that it does not.
type label struct {
	rule race.Rule
	kind race.Kind
}

// agrees reports whether an answer is the one that a label asks for.
func (l label) agrees(res *analysis.Result) bool {
	want := race.RaceFree
	if l.rule != "" {
		want = race.Racy
	}
	for _, k := range res.Kernels {
		if k.Verdict != want {
			return false
		}
	}
	for _, f := range res.Findings {
		if f.Severity >= race.Warning && (f.Rule != l.rule || f.Kind != l.kind) {
			return false
		}
	}
	return len(res.Kernels) > 0
}

func verdicts(res *analysis.Result) string {
	count := map[string]int{}
	for _, k := range res.Kernels {
		count[string(k.Verdict)]++
	}
	return report.Counts(count)
}

func findings(res *analysis.Result) string {
	count := map[string]int{}
	for _, f := range res.Findings {
		count[fmt.Sprintf("%s %s (%s)", f.Severity, f.Rule, f.Kind)]++
	}
	return report.Counts(count)
}
