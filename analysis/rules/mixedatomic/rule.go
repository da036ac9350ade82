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
	return rule.Strong(c.A) != rule.Strong(c.B)
}

func explain(c *rule.Case) rule.Text {
	if c.Rechecked(c.A) || c.Rechecked(c.B) {
		return rule.Text{
			Message: fmt.Sprintf("%s: a plain read of `%s` beside an atomic; the compare-and-swap checks its value again", rule.Who(c.Kind), c.Variable()),
			Why:     "A plain read that runs at the same time as an atomic is a race in the memory model. Here a stale value costs another round of the loop and nothing else.",
			Mend:    "Nothing has to be done. An atomic read takes the race away: `atomicCAS(p, 0, 0)`, or a relaxed load of `cuda::atomic_ref`.",
		}
	}
	return rule.Text{
		Message: fmt.Sprintf("%s: `%s` is updated atomically by one and plainly by the other", rule.Who(c.Kind), c.Variable()),
		Why:     "An atomic is atomic only against other atomics. A plain access by another thread can fall between its read and its write, or see neither the old value nor the new one in order.",
		Mend:    "Make the plain access atomic, or order it behind the atomic ones by a barrier.",
	}
}

func fixes(c *rule.Case) []race.Fix {
	return rule.MadeAtomic(c)
}
