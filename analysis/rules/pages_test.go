package rules_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/warplint/warplint/analysis"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/rules"
	"github.com/warplint/warplint/analysis/source"
)

// TestPagesTellTheTruth checks the code that the pages show: the wrong code has a finding of
// the rule, the right code none at all.
func TestPagesTellTheTruth(t *testing.T) {
	for _, r := range rules.All() {
		if r.Simulated { // TestPagesOfSimulatedRules in internal/confirm
			continue
		}
		t.Run(string(r.Name), func(t *testing.T) {
			wrong := check(t, code(t, r.Page, "Wrong"))
			has := slices.ContainsFunc(wrong.Findings, func(f race.Finding) bool { return f.Rule == r.Name })
			if !has {
				t.Errorf("the wrong code has no finding of the rule; it has %s", describe(wrong))
			}
			right := check(t, code(t, r.Page, "Right"))
			if len(right.Findings) > 0 {
				t.Errorf("the right code has %s", describe(right))
			}
		})
	}
}

func check(t *testing.T, text string) *analysis.Result {
	t.Helper()
	file := source.New("page.cu", text)
	return analysis.NewEngine().Check(t.Context(), analysis.Request{Files: source.Map{"page.cu": file}, Path: "page.cu"})
}

// code returns the code block of a section.
func code(t *testing.T, page, section string) string {
	t.Helper()
	_, body, _ := strings.Cut(page, "## "+section+"\n")
	_, body, _ = strings.Cut(body, "```cuda\n")
	body, _, ok := strings.Cut(body, "```")
	if !ok {
		t.Fatalf("the section %q has no code", section)
	}
	return body
}

func describe(r *analysis.Result) string {
	var b strings.Builder
	for _, f := range r.Findings {
		b.WriteString("\n  " + string(f.Rule) + ": " + f.Message)
	}
	for _, k := range r.Kernels {
		b.WriteString("\n  kernel " + k.Name + " is " + string(k.Verdict) + " " + strings.Join(k.Reasons, "; "))
	}
	return b.String()
}
