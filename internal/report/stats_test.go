package report

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/warplint/warplint/analysis/race"
)

func TestStats(t *testing.T) {
	var s Stats
	s.Add(Part{
		Files: []Timing{{Path: "a.cu", FrontEnd: time.Millisecond}, {Path: "b.cu", FrontEnd: 3 * time.Millisecond}},
		Kernels: []race.Kernel{
			{Name: "a", Verdict: race.RaceFree, Milliseconds: 1},
			{Name: "b", Verdict: race.Unknown, Milliseconds: 2, Unshown: 2,
				Reasons: []string{"line 3: not decided whether threads race on `x` here", "line 4: not decided whether threads race on `y` here"}},
			{Name: "c", Verdict: race.Unknown, Milliseconds: 3, Outside: []string{"a goto", "inline | PTX"}, CutShort: true,
				Reasons: []string{"k.cuh:7: a goto", "not decided whether threads race on `z` here"}},
			{Name: "d", Verdict: race.Racy, Outside: []string{"a goto"}, Reasons: []string{"line 9: a goto"}},
		},
		Findings: []Finding{{Finding: race.Finding{Rule: race.LockFence, Severity: race.Warning}}},
		Problems: []race.Problem{{File: "c.cu", Message: "binary data"}},
	})
	text := s.String()
	for _, line := range []string{
		"| files | 2 |",
		"| lowered whole | 2 (50.0 %) |",
		"| verdicts | unknown × 2, race-free, racy |",
		"| findings | warning lock-fence |",
		"| pairs that may race, but that no run showed | 2, in 1 kernels |",
		"| kernels that hit a time limit | 1 |",
		"| to parse and lower a file | median 1.00 ms, 99th percentile 1.00 ms, most 3.00 ms (b.cu) |",
		"Cut short: c",
		"No answer, or a problem: c.cu: binary data",
		"| a goto | 2 |",                                // not lowered, of c and d
		"| inline \\| PTX | 1 |",                        // a bar must not end the cell
		"| not decided whether threads race here | 2 |", // of b, once, and of c
		"| a goto | 1 |",                                // unknown because of it: d is racy
	} {
		if !slices.Contains(strings.Split(text, "\n"), line) {
			t.Errorf("there is no line %q in\n%s", line, text)
		}
	}
}
