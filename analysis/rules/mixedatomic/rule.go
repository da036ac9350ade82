// Package mixedatomic is the rule mixed-atomic: a location is updated atomically here and plainly there.
package mixedatomic

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
	Name:     race.MixedAtomic,
	Title:    "A location is updated atomically here and plainly there",
	Severity: race.Warning,
	Page:     page,
	Applies:  applies,
	Explain:  explain,
	Fixes:    fixes,
}

func applies(c *rule.Case) bool {
	if _, barrier := c.A.Stmt.(*ir.Named); barrier {
		return false // its initialization, which is no update
	}
	if rule.Strong(c.A) == rule.Strong(c.B) {
		return false
	}
	// What threads of a block set before they count, or read behind it, wants a barrier.
	return c.Kind == race.InterBlock || !c.InTurn() || c.Rechecked(c.A) || c.Rechecked(c.B)
}

func explain(c *rule.Case) rule.Text {
	if c.Rechecked(c.A) || c.Rechecked(c.B) {
		return rule.Text{
			Message: fmt.Sprintf("%s: a plain read of `%s` beside an atomic; the compare-and-swap checks its value again", rule.Who(c.Kind), c.Variable()),
			Why:     "A plain read that runs at the same time as an atomic is a race in the memory model. Here a stale value costs another round of the loop and nothing else.",
			Mend:    "Nothing has to be done. An atomic read takes the race away: `atomicCAS(p, 0, 0)`, or a relaxed load of `cuda::atomic_ref`.",
		}
	}
	strong, plain := c.A, c.B
	if !rule.Strong(strong) {
		strong, plain = plain, strong
	}
	done := map[race.Access]string{race.Read: "read", race.Write: "written", race.Atomic: "updated"}
	why := "A plain write by another thread can fall between its read and its write, so that one of the two is lost."
	if plain.Kind == race.Read {
		why = "Nothing says which of its values a plain read by another thread sees, and the compiler may read once and use that value again later."
	}
	mend := "Make the plain access atomic, or put a barrier between it and the atomic ones."
	if c.Kind == race.InterBlock {
		mend = "Make the plain access atomic, or make it in another kernel: no barrier of a block orders blocks."
	}
	if plain.Kind == race.Write && rule.Counts(strong) && c.Kind == race.InterBlock {
		mend = "Write it before the launch, or in another kernel: written here, it wipes out what other blocks have counted before, whether the write is atomic or not."
	}
	return rule.Text{
		Message: fmt.Sprintf("%s: `%s` is %s atomically by one and %s plainly by the other", rule.Who(c.Kind), c.Variable(), done[strong.Kind], done[plain.Kind]),
		Why:     "An atomic is atomic only against other atomics. " + why,
		Mend:    mend,
	}
}

func fixes(c *rule.Case) []race.Fix {
	return append(rule.MadeAtomic(c), rule.SyncedGrid(c)...)
}
