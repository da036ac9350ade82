// Package barrierdivergence is the rule barrier-divergence: not all threads of the group reach a barrier.
package barrierdivergence

import (
	_ "embed"
	"fmt"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/rules/rule"
)

//go:embed rule.md
var page string

// Rule is the rule's entry in the registry.
var Rule = rule.Rule{
	Name:     race.BarrierDivergence,
	Title:    "Not all threads of the group reach a barrier",
	Severity: race.Warning,
	Page:     page,
}

// Text says what is wrong with a barrier, or an exchange of a warp, that was shown to be divergent. Such a finding has no pair
// of accesses; the engine writes it down itself.
func Text(s ir.Stmt, leftOut bool) rule.Text {
	if _, ok := s.(*ir.Named); ok {
		return rule.Text{
			Message: "threads wait for ever at this barrier: not all that it counts arrive",
			Why:     "The barrier was initialized with a number of arrivals. Fewer come: some of the threads that these stand for go another way, have returned, or would arrive only behind the wait, or there are not as many.",
			Mend:    "Let each thread that is counted arrive (one that leaves early by arrive_and_drop), or initialize the barrier with the number of threads that do.",
		}
	}
	b, ok := s.(*ir.Barrier)
	switch {
	case !ok && leftOut:
		return rule.Text{
			Message: "a lane comes to an exchange of its warp whose mask leaves it out",
			Why:     "Each lane that takes part must have its own bit in the mask; what happens otherwise is undefined.",
			Mend:    "Name all lanes that come here in the mask, or keep the others away.",
		}
	case !ok:
		return rule.Text{
			Message: "not all lanes that the mask names come to this exchange of the warp",
			Why:     "The lanes that come wait for the others that the mask names. These wait elsewhere, at a barrier or in another exchange, and none goes on.",
			Mend:    "Let all lanes that the mask names come here, each with a value that does no harm; or name only those that come.",
		}
	case leftOut:
		return rule.Text{
			Message: "a lane comes to a warp's barrier whose mask leaves it out",
			Why:     "Each lane that calls __syncwarp() must have its own bit in the mask; what happens otherwise is undefined.",
			Mend:    "Name all lanes that come here in the mask, or keep the others away.",
		}
	}
	return rule.Text{
		Message: fmt.Sprintf("not all threads of the %s reach this barrier", b.Level),
		Why:     "The way to it depends on the thread: some threads come to the barrier, or come again, and others pass it by. CUDA leaves open what happens then: the barrier may hang, or be matched with another one further on.",
		Mend:    "Move the barrier to where all threads pass, and guard only the accesses.",
	}
}
