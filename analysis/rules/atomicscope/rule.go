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
	scope := narrowest(c)
	message := fmt.Sprintf("%s use `%s`, but an atomic here covers only the threads of one %s", rule.Who(c.Kind), c.Variable(), scope)
	if !rule.Strong(c.A) && !rule.Strong(c.B) {
		message = fmt.Sprintf("%s use `%s`, but the atomic that hands it over covers only the threads of one %s", rule.Who(c.Kind), c.Variable(), scope)
	}
	return rule.Text{
		Message: message,
		Why:     fmt.Sprintf("An atomic with %[1]s scope is atomic, and orders, only among the threads of its own %[1]s. Updates by threads of another one can be lost, or stay unseen.", scope),
		Mend:    "Give it device scope: atomicAdd in place of atomicAdd_block, thread_scope_device for atomics of libcu++.",
	}
}

// narrowest is the scope of the atomic that covers fewest threads.
func narrowest(c *rule.Case) race.Scope {
	scope := race.ScopeCluster
	for _, s := range rule.NarrowAtomics(c) {
		if by, ok := rule.Strength(s); ok {
			scope = min(scope, by.Scope)
		}
	}
	return max(scope, race.ScopeBlock)
}

func fixes(c *rule.Case) []race.Fix {
	return rule.Widened(c, rule.NarrowAtomics(c), "Widen the atomic to device scope")
}
