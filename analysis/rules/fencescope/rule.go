// Package fencescope is the rule fence-scope: a block-scoped fence publishes data to other blocks.
package fencescope

import (
	_ "embed"
	"fmt"

	"github.com/warplint/warplint/analysis/ir"
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
	var narrow, bare []ir.Stmt
	for _, s := range c.Miss.At {
		if _, ok := s.(*ir.Fence); ok {
			narrow = append(narrow, s)
		} else {
			bare = append(bare, s)
		}
	}
	out := rule.Widened(c, narrow, "Widen the fence to device scope")
	more := rule.FenceBefore(c, bare)
	if len(out) > 0 && len(more) > 0 {
		out[0].Title = "Widen the fence to device scope, and insert one on the other side"
		out[0].Edits = append(out[0].Edits, more[0].Edits...)
	}
	return out
}
