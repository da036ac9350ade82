// Package missingsyncthreads is the rule missing-syncthreads: threads of a block touch a location with no block barrier between.
package missingsyncthreads

import (
	_ "embed"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/order"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/rules/rule"
)

//go:embed rule.md
var page string

// Rule is the rule's entry in the registry.
var Rule = rule.Rule{
	Name:     race.MissingSyncthreads,
	Title:    "Threads of a block touch a location with no block barrier between",
	Severity: race.Warning,
	Page:     page,
	Applies:  applies,
	Explain:  explain,
	Fixes:    fixes,
}

func applies(c *rule.Case) bool {
	return c.Kind == race.IntraBlock
}

func explain(c *rule.Case) rule.Text {
	if c.Miss.What == order.Returned {
		return c.Returned()
	}
	return rule.Text{
		Message: c.Meet() + ", with no __syncthreads() between",
		Why:     "The warps of a block run at their own pace. Only a barrier of the block makes one warp wait for another, and no barrier stands on the way from the one access to the other.",
		Mend:    c.Mend("__syncthreads()", ", where all threads of the block pass"),
	}
}

func fixes(c *rule.Case) []race.Fix {
	return append(rule.AtomicUpdate(c), rule.Synced(c, ir.BlockLevel)...)
}
