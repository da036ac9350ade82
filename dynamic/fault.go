// This file makes findings of launches that could not go on because threads wait for each
// other, and of barriers that threads come to on different ways, and problems of all other faults.

package dynamic

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/cudart"
	"github.com/warplint/warplint/dynamic/sim"
	"github.com/warplint/warplint/dynamic/toolchain"
)

// detectorName is what findings of the simulator itself carry.
const detectorName = "simulator"

// fault looks at how a launch ended. Where threads wait at a barrier for ever, because others wait
// elsewhere or go round in loops, it is a divergent barrier.
func (c *collector) fault(l cudart.Launched) {
	var fault *sim.Fault
	if !errors.As(l.Err, &fault) {
		return
	}
	if fault.Kind == sim.Cancelled {
		return // whoever cancelled it says so
	}
	c.problem(plainNames(fault.Error()))
	at := slices.IndexFunc(fault.Waiters, func(w sim.Waiter) bool { return strings.Contains(w.What, "barrier") })
	if fault.Kind != sim.Deadlock && fault.Kind != sim.Livelock || at < 0 {
		return
	}
	first := fault.Waiters[at]
	second := elsewhere(fault.Waiters, first)
	f := Finding{Detector: detectorName, Count: 1}
	f.Source, f.Rule, f.Severity = "dynamic", race.BarrierDivergence, race.Error
	f.Kernel, f.Space = c.kernel(l.Kernel).Name, "shared"
	f.Kind = waitersKind(first, second)
	f.Message = "not all threads reach the barrier, and the kernel hangs"
	f.Why = fmt.Sprintf("Threads wait for each other for ever. %s; %s.", sentence(first), second)
	f.Mend = "Move the barrier to where all threads pass, and guard only the accesses."
	if strings.Contains(first.What, "arrivals") {
		f.Mend = "Let as many threads arrive as the barrier was initialized with."
	}
	f.First = race.Site{Span: c.sources.Span(first.Location.Place), Access: race.Read}
	f.Second = f.First // where the others are is no access: the reason names it
	if launch := fault.Launch; launch != nil {
		f.Witness = &race.Witness{Grid: launch.Grid, Block: launch.Block, First: first.First, Second: second.First}
		if second.Location.Place == first.Location.Place {
			f.Witness.Second = first.First // nobody is elsewhere
		}
		f.Witness.Launch = c.sources.launched(launch)
	}
	if !f.First.Span.IsZero() {
		c.finding(f)
	}
}

// parted makes findings of barriers that threads of one warp have left together, though they had come to different
// ones. A device may do likewise, hang, or order nothing.
func (c *collector) parted(l cudart.Launched) {
	for _, p := range l.Stats.Parted {
		f := Finding{Detector: detectorName, Count: p.Count}
		f.Source, f.Rule, f.Severity, f.Kind = "dynamic", race.BarrierDivergence, race.Warning, race.IntraWarp
		f.Kernel, f.Space = c.kernel(l.Kernel).Name, "shared"
		f.First = race.Site{Span: c.sources.Span(p.First.Location.Place), Access: race.Read}
		f.Second = f.First // where the other is, the reason names
		if f.First.Span.IsZero() {
			continue
		}
		f.Message = "threads of one warp come to different barriers"
		f.Why = fmt.Sprintf("One thread waits here, another one of its warp at %s:%d, and the two are taken for one barrier. CUDA leaves open "+
			"what happens then: the barrier may as well hang.", p.Second.Location.File, p.Second.Location.Line)
		f.Mend = "Move the barrier to where all threads pass, and guard only the accesses."
		f.Witness = &race.Witness{Grid: p.Launch.Grid, Block: p.Launch.Block, First: p.First.Thread, Second: p.Second.Thread}
		f.Witness.Launch = c.sources.launched(p.Launch)
		c.finding(f)
	}
}

// elsewhere finds threads that do not wait where others do: best some that wait for nobody, then some at another place.
func elsewhere(all []sim.Waiter, at sim.Waiter) sim.Waiter {
	found := all[len(all)-1]
	for _, w := range all {
		switch {
		case !strings.Contains(w.What, "barrier"):
			return w
		case w.Location.Place != at.Location.Place:
			found = w
		}
	}
	return found
}

func sentence(w sim.Waiter) string {
	text := w.String()
	return strings.ToUpper(text[:1]) + text[1:]
}

func waitersKind(a, b sim.Waiter) race.Kind {
	switch {
	case a.First.Block != b.First.Block:
		return race.InterBlock
	case a.First == b.First:
		return race.IntraWarp
	}
	return race.IntraBlock
}

var mangledName = regexp.MustCompile(`\b_Z\w+`)

// plainNames calls functions in a message as people do.
func plainNames(message string) string {
	return mangledName.ReplaceAllStringFunc(message, toolchain.PlainName)
}
