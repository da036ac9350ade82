// Package interblockrace is the rule inter-block-race: threads of different blocks touch a location, and nothing orders them.
package interblockrace

import (
	_ "embed"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/rules/rule"
)

//go:embed rule.md
var page string

// Rule is the rule's entry in the registry.
var Rule = rule.Rule{
	Name:     race.InterBlockRace,
	Title:    "Threads of different blocks touch a location, and nothing orders them",
	Severity: race.Warning,
	Page:     page,
	Applies:  applies,
	Explain:  explain,
	Fixes:    fixes,
}

func applies(c *rule.Case) bool {
	return c.Kind == race.InterBlock
}

func explain(c *rule.Case) rule.Text {
	mend := "Give each block its own part of the memory, update it with an atomic, or split the work into two kernels."
	if c.SyncsGrid() && c.InTurn() {
		mend = c.Mend("a barrier of the grid (`"+c.Sync(ir.GridLevel)+"`)", ", where all threads of the grid pass")
	}
	return rule.Text{
		Message: c.Meet() + ", and nothing orders blocks",
		Why:     "The blocks of a grid run in any order and at the same time. __syncthreads() orders the threads of one block only, so nothing makes the one block wait for the other.",
		Mend:    mend,
	}
}

func fixes(c *rule.Case) []race.Fix {
	return append(rule.AtomicUpdate(c), rule.SyncedGrid(c)...)
}
