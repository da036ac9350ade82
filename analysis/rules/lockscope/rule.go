// Package lockscope is the rule lock-scope: a lock's atomic or fence is narrower than the threads that use it.
package lockscope

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
	Name:     race.LockScope,
	Title:    "A lock's atomic or fence is narrower than the threads that use it",
	Severity: race.Warning,
	Page:     page,
	Applies:  applies,
	Explain:  explain,
	Fixes:    fixes,
}

func applies(c *rule.Case) bool {
	return c.Miss.Lock && (c.Miss.What == order.AtomicScope || c.Miss.What == order.FenceScope)
}

func explain(c *rule.Case) rule.Text {
	if rule.Strong(c.A) && rule.Strong(c.B) {
		return rule.Text{
			Message: fmt.Sprintf("the lock `%s` is narrower than the threads that use it: %s", c.Variable(), rule.Who(c.Kind)),
			Why:     "An atomic with block scope is atomic only among the threads of its own block. Two blocks can take the lock at once, or wait for it in vain.",
			Mend:    "Use device scope for the lock's atomics and fences.",
		}
	}
	return rule.Text{
		Message: fmt.Sprintf("the lock around `%s` is narrower than the threads that use it: %s", c.Variable(), rule.Who(c.Kind)),
		Why:     "The lock's atomic or fence has block scope. A thread of another block is not excluded, or enters without seeing what the last holder wrote.",
		Mend:    "Use device scope for the lock's atomics and fences.",
	}
}

func fixes(c *rule.Case) []race.Fix {
	return rule.Widened(c, rule.NarrowAtomics(c), "Widen the lock to device scope")
}
