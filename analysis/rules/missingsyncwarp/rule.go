// Package missingsyncwarp is the rule missing-syncwarp: threads of a warp count on lockstep execution.
package missingsyncwarp

import (
	_ "embed"
	"slices"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/order"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/rules/rule"
)

//go:embed rule.md
var page string

// Rule is the rule's entry in the registry.
var Rule = rule.Rule{
	Name:     race.MissingSyncwarp,
	Title:    "Threads of a warp count on lockstep execution",
	Severity: race.Warning,
	Page:     page,
	Applies:  applies,
	Explain:  explain,
	Fixes:    fixes,
}

func applies(c *rule.Case) bool {
	return c.Kind == race.IntraWarp
}

func explain(c *rule.Case) rule.Text {
	if c.Miss.What == order.Returned {
		return c.Returned()
	}
	return rule.Text{
		Message: c.Meet() + ", with no __syncwarp() between",
		Why:     "Since compute capability 7.0 each thread of a warp has its own program counter. Lanes that happen to run together order no memory accesses; __syncwarp() does, and none stands between these two.",
		Mend:    c.Mend("__syncwarp()", ""),
	}
}

func fixes(c *rule.Case) []race.Fix {
	return slices.Concat(rule.AtomicUpdate(c), rule.Inserted(c, "__syncwarp();", "Insert __syncwarp()"), rule.Synced(c, ir.BlockLevel))
}
