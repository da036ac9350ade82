// Package lockmismatch is the rule lock-mismatch: two accesses are guarded by different locks, or one by none.
package lockmismatch

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
	Name:     race.LockMismatch,
	Title:    "Two accesses are guarded by different locks, or one by none",
	Severity: race.Warning,
	Page:     page,
	Applies:  applies,
	Explain:  explain,
	Fixes:    fixes,
}

func applies(c *rule.Case) bool {
	return c.Miss.What == order.LockMismatch
}

func explain(c *rule.Case) rule.Text {
	return rule.Text{
		Message: fmt.Sprintf("`%s` is accessed by two threads that hold no lock in common", c.Variable()),
		Why:     "A lock excludes only threads that take the same one. One of the two takes another one, or none, so both can happen at the same time.",
		Mend:    "Make both accesses under the same lock.",
	}
}

func fixes(c *rule.Case) []race.Fix {
	return nil
}
