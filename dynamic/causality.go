// This file makes findings of what the detector causality has seen.

package dynamic

import (
	"fmt"
	"regexp"
	"strconv"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/detect/causality"
	"github.com/warplint/warplint/dynamic/toolchain"
)

// causalityDetector fits causality into a run.
type causalityDetector struct {
	*causality.Detector
	sources *Sources
}

func newCausality(s *Sources) Detector { return &causalityDetector{causality.New(), s} }

// Name implements Detector.
func (d *causalityDetector) Name() string { return "causality" }

// Findings implements Detector.
func (d *causalityDetector) Findings() []Finding {
	var out []Finding
	for _, r := range d.Races() {
		out = append(out, Finding{Finding: dressed(r.Finding(d.sources.Span)), Detector: d.Name(), Count: r.Count})
	}
	return out
}

// localName is the end of a mangled name of a variable in a function (Itanium C++ ABI, 5.1.6).
var localName = regexp.MustCompile(`^_ZZ.*E(\d+)(\w+?)(?:_\d+)?$`)

// variableName is a variable as its source has it.
func variableName(symbol string) string {
	if m := localName.FindStringSubmatch(symbol); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil && n <= len(m[2]) {
			return m[2][:n]
		}
	}
	return toolchain.PlainName(symbol)
}

// message says in one line what happens to which threads.
func message(f *race.Finding) string {
	who := map[race.Kind]string{race.IntraWarp: "two threads of one warp", race.IntraBlock: "two warps of one block",
		race.InterBlock: "two blocks"}[f.Kind]
	does := map[race.Access]string{race.Read: "reads", race.Write: "writes", race.Atomic: "updates"}
	what := "`" + f.Variable + "`"
	if f.Variable == "" {
		what = f.Space + " memory"
	}
	return fmt.Sprintf("%s: one %s %s, the other %s it, and nothing orders them", who, does[f.First.Access], what, does[f.Second.Access])
}
