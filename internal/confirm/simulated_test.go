package confirm

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/warplint/warplint/analysis/rules"
	"github.com/warplint/warplint/dynamic"
)

// The code that the page of a rule shows, which only runs find, has a finding of it in a run, or none.
func TestPagesOfSimulatedRules(t *testing.T) {
	detectors, err := dynamic.SelectDetectors(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rules.All() {
		if !r.Simulated {
			continue
		}
		for section, wrong := range map[string]bool{"Wrong": true, "Right": false} {
			_, text, _ := strings.Cut(r.Page, "## "+section+"\n")
			_, text, _ = strings.Cut(text, "```cuda\n")
			text, _, _ = strings.Cut(text, "```")
			file := filepath.Join(t.TempDir(), "page.cu")
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := dynamic.Simulate(t.Context(), &dynamic.Options{Files: []string{file}, Detectors: detectors})
			if err != nil {
				t.Fatal(err)
			}
			found := slices.ContainsFunc(got.Findings, func(f dynamic.Finding) bool { return f.Rule == r.Name })
			if found != wrong || !wrong && len(got.Findings) > 0 || len(got.Problems) > 0 {
				t.Errorf("%s, %s: findings %+v, problems %+v", r.Name, section, got.Findings, got.Problems)
			}
		}
	}
}
