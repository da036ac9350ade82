// Package missingfence is the rule missing-fence: data is published by a flag or a counter with no fence between.
package missingfence

import (
	_ "embed"
	"fmt"
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
	Name:     race.MissingFence,
	Title:    "Data is published by a flag or a counter with no fence between",
	Severity: race.Warning,
	Page:     page,
	Applies:  applies,
	Explain:  explain,
	Fixes:    fixes,
}

func applies(c *rule.Case) bool {
	return c.LacksFence(order.Fence)
}

func explain(c *rule.Case) rule.Text {
	if c.Tolerated {
		return rule.Text{
			Message: fmt.Sprintf("`%s` was handed over by a flag, and is used with no fence behind reading the flag", c.Variable()),
			Why:     "The writer has its fence. The reader has none between the flag and the data, so by the memory model it may read data that is older than the flag; volatile accesses and atomics come in order on today's devices, but nothing promises it.",
			Mend:    fmt.Sprintf("Insert %s behind the loop that waits for the flag.", rule.FenceFor(c.Kind)),
		}
	}
	if c.Miss.Reader {
		return rule.Text{
			Message: fmt.Sprintf("`%s` was handed over by a flag, and is used with no fence behind reading the flag", c.Variable()),
			Why:     "The writer has its fence. The reader has none between the flag and the data, so what it reads may have been fetched before it has seen the flag.",
			Mend:    fmt.Sprintf("Insert %s behind reading the flag, in the thread that has read it.", rule.FenceFor(c.Kind)),
		}
	}
	return rule.Text{
		Message: fmt.Sprintf("`%s` is handed over by a flag with no fence between the data and the flag", c.Variable()),
		Why:     "The flag's write and read order nothing but the flag. Without a fence on both sides the reader can see the flag and still read old data.",
		Mend:    fmt.Sprintf("Insert %s between the data and the flag.", rule.FenceFor(c.Kind)),
	}
}

func fixes(c *rule.Case) []race.Fix {
	if len(c.Miss.At) == 0 {
		return rule.FencesForFlag(c)
	}
	out := rule.FenceBefore(c, c.Miss.At)
	// Volatile data may lack the reader's fence as well.
	for _, reader := range []ir.Stmt{c.B.Stmt, c.A.Stmt} {
		out = append(out, rule.FenceBefore(c, append(slices.Clone(c.Miss.At), reader))...)
	}
	return out
}
