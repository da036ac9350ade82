// Package atomicscope is the rule atomic-scope: a block-scoped atomic on a location that other blocks use.
package atomicscope

import (
	_ "embed"
	"fmt"

	"github.com/warplint/warplint/analysis/order"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/rules/rule"
)

//go:embed rule.md
var page string

// Rule is the rule's entry in the registry.
var Rule = rule.Rule{
	Name:     race.AtomicScope,
	Title:    "A block-scoped atomic on a location that other blocks use",
	Severity: race.Warning,
	Page:     page,
	Applies:  applies,
	Explain:  explain,
	Fixes:    fixes,
}

func applies(c *rule.Case) bool {
	return rule.Strong(c.A) && rule.Strong(c.B) || c.Miss.What == order.AtomicScope && !c.Miss.Lock
}

func explain(c *rule.Case) rule.Text {
	return rule.Text{
		Message: fmt.Sprintf("%s use `%s`, but an atomic here covers only the threads of one block", rule.Who(c.Kind), c.Variable()),
		Why:     "An atomic with block scope is atomic, and orders, only among the threads of its own block. A thread of another block may see a torn order of updates, or lose one.",
		Mend:    "Use the atomic without the suffix _block, which has device scope.",
	}
}

func fixes(c *rule.Case) []race.Fix {
	return rule.Widened(c, rule.NarrowAtomics(c), "Widen the atomic to device scope")
}
