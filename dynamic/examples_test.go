package dynamic

import (
	"context"
	"io"
	"path/filepath"
	"testing"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/toolchain"
)

// Each example races when it runs, and the mended ones do not.
func TestExamplesRaceAndMendedOnesDoNot(t *testing.T) {
	paths, err := filepath.Glob("../examples/*.cu")
	if err != nil || len(paths) == 0 {
		t.Fatal("no examples", err)
	}
	for _, path := range paths {
		if rules := rulesOf(t, path); len(rules) == 0 {
			t.Errorf("%s: no race was found", path)
		}
		if rules := rulesOf(t, filepath.Join("../examples/fixed", filepath.Base(path))); len(rules) > 0 {
			t.Errorf("the mended %s: got %v, want none", path, rules)
		}
	}
}

func rulesOf(t *testing.T, path string) []race.Rule {
	t.Helper()
	detectors, err := SelectDetectors(nil)
	if err != nil {
		t.Fatal(err)
	}
	result, err := Simulate(context.Background(), &Options{
		Files: []string{path}, Schedules: 1, Detectors: detectors, Stdout: io.Discard, Stderr: io.Discard,
		Compile: func(string) toolchain.Options { return toolchain.Options{} },
	})
	if err != nil {
		t.Fatal(err)
	}
	var rules []race.Rule
	for _, f := range result.Findings {
		if f.Witness == nil || f.Count == 0 {
			t.Errorf("%s: a finding without witness or count: %+v", path, f)
		}
		rules = append(rules, f.Rule)
	}
	return rules
}
