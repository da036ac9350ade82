// Package fencescope is the rule fence-scope: a block-scoped fence publishes data to other blocks.
package fencescope

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
	Name:     race.FenceScope,
	Title:    "A block-scoped fence publishes data to other blocks",
	Severity: race.Warning,
	Page:     page,
	Applies:  applies,
	Explain:  explain,
	Fixes:    fixes,
}

func applies(c *rule.Case) bool {
	return c.LacksFence(order.FenceScope)
}

func explain(c *rule.Case) rule.Text {
	return rule.Text{
		Message: fmt.Sprintf("`%s` is handed to another block, but the fence covers only the threads of one block", c.Variable()),
		Why:     "__threadfence_block() orders the accesses before and after it for the threads of its own block. A thread of another block can see the flag and still read old data.",
		Mend:    "Use __threadfence(), which has device scope.",
	}
}

func fixes(c *rule.Case) []race.Fix {
	return rule.Widened(c, c.Miss.At, "Widen the fence to device scope")
}
