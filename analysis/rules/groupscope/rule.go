// Package groupscope is the rule group-scope: a cooperative group's sync covers fewer threads than communicate.
package groupscope

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/order"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/rules/rule"
)

//go:embed rule.md
var page string

// Rule is the rule's entry in the registry.
var Rule = rule.Rule{
	Name:     race.GroupScope,
	Title:    "A cooperative group's sync covers fewer threads than communicate",
	Severity: race.Warning,
	Page:     page,
	Applies:  applies,
	Explain:  explain,
	Fixes:    fixes,
}

func applies(c *rule.Case) bool { return len(narrow(c)) > 0 }

// narrow lists the syncs of groups between the two places that leave out one of the two threads,
// the last first.
func narrow(c *rule.Case) []*ir.Barrier {
	return c.Between(func(b *ir.Barrier) bool {
		if name := c.Called(b.Site); name != "sync" && !strings.HasSuffix(name, "::sync") {
			return false
		}
		switch c.Kind {
		case race.IntraWarp:
			return b.Level == ir.WarpLevel && c.Miss.What == order.Group
		case race.IntraBlock:
			return b.Level == ir.WarpLevel
		}
		// Data that goes from one block to another; what two blocks write is no communication.
		return b.Level < ir.GridLevel && c.A.Kind != race.Read && c.B.Kind == race.Read
	})
}

// group describes the threads that a sync holds together.
func group(b *ir.Barrier) string {
	switch b.Level {
	case ir.BlockLevel:
		return "one block"
	case ir.ClusterLevel:
		return "one cluster"
	}
	return "one tile, part of a warp at most"
}

func explain(c *rule.Case) rule.Text {
	b := narrow(c)[0]
	text := rule.Text{
		Message: fmt.Sprintf("%s, and `%s` does not hold both", c.Meet(), c.At(b.Site)),
		Why:     fmt.Sprintf("A group's sync makes its own members wait for each other, here the threads of %s, and promises nothing about others.", group(b)),
		Mend:    "Sync a group that holds all threads that communicate, such as the whole block.",
	}
	if c.Kind == race.InterBlock {
		text.Mend = "Sync the grid (`cg::this_grid().sync()`, with a cooperative launch), or end the kernel and launch another."
	}
	return text
}

func fixes(c *rule.Case) []race.Fix {
	var out []race.Fix
	for _, b := range narrow(c) {
		if c.Kind == race.IntraWarp {
			out = append(out, rule.Replaced(c, b.Site, "__syncwarp()", "Sync the whole warp")...)
		}
		if c.Kind != race.InterBlock {
			out = append(out, rule.Replaced(c, b.Site, "__syncthreads()", "Sync the whole block")...)
		}
	}
	return out
}
