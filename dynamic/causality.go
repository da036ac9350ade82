// This file makes findings of what the detector causality has seen.

package dynamic

import (
	"fmt"
	"regexp"
	"strconv"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/detect/causality"
	"github.com/warplint/warplint/dynamic/event"
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
		f := d.sources.dressed(r.Finding(d.sources.Span), r.Launch, r.Space, r.Address, r.First.PC, r.Second.PC)
		if f.Rule == race.MissingFence {
			f.Mend = "Insert " + fenceOf(&f) + " " + fencePlaces[r.Missing] + "."
		}
		if r.Parent != nil {
			f.Message = message(&f, grids(toolchain.PlainName(r.Parent.Kernel), f.Kernel))
			f.Mend = "Make the access before the launch, or in a grid that follows in the same stream."
		}
		if r.Missing == causality.ProxyFence {
			f.Message = fmt.Sprintf("a bulk copy reads %s with no proxy fence behind the write", memoryOf(&f))
			f.Mend = "Insert fence.proxy.async (`cuda::ptx::fence_proxy_async`) behind the writes, and the barrier between that and the copy."
		}
		out = append(out, Finding{Finding: f, Detector: d.Name(), Count: r.Count})
	}
	return out
}

// fencePlaces says where a fence is to stand, by what lacks one.
var fencePlaces = map[causality.Missing]string{
	causality.ReleaseFence: "between the data and the flag, in the thread that sets it",
	causality.AcquireFence: "behind reading the flag, in the thread that has read it",
	causality.Fences:       "on both sides: between the data and the flag, and behind reading the flag",
}

// grids names two grids of one family.
func grids(a, b string) string {
	if a == b {
		return "two grids of kernel `" + a + "`"
	}
	return "kernels `" + a + "` and `" + b + "`"
}

// Unwatched implements partial.
func (d *causalityDetector) Unwatched() int { return d.Detector.Unwatched }

// Strayed implements partial.
func (d *causalityDetector) Strayed() int { return d.Detector.Strayed }

// localName is the end of a mangled name of a variable in a function (Itanium C++ ABI, 5.1.6).
var localName = regexp.MustCompile(`^_ZZ.*E(\d+)(\w+?)(?:_\d+)?$`)

// variable names what a race is about as the source has it: a shared array, a variable of the
// module, or the parameter that points to the memory, closest below the address if there are several.
func (s *Sources) variable(symbol string, l *event.Launch, space event.Space, address uint64) string {
	names := s.parameters[l.Kernel]
	name, below := "", uint64(0)
	for _, p := range l.Pointers {
		if space != event.Global || address-p.Base >= p.Size || p.Parameter >= len(names) {
			continue
		}
		if name == "" || p.Address <= address && p.Address > below {
			name = names[p.Parameter]
			if p.Address <= address {
				below = p.Address
			}
		}
	}
	if name != "" {
		return name
	}
	return variableName(symbol)
}

// mangled is a variable of a module in a message.
var mangled = regexp.MustCompile("`_Z\\w+`")

// variableName is a variable as its source has it.
func variableName(symbol string) string {
	if m := localName.FindStringSubmatch(symbol); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil && n <= len(m[2]) {
			return m[2][:n]
		}
	}
	return toolchain.PlainName(symbol)
}
