// Package lockfence is the rule lock-fence: a lock is taken or released without its fence.
package lockfence

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
	Name:     race.LockFence,
	Title:    "A lock is taken or released without its fence",
	Severity: race.Warning,
	Page:     page,
	Applies:  applies,
	Explain:  explain,
	Fixes:    fixes,
}

func applies(c *rule.Case) bool {
	return c.Miss.Lock && c.Miss.What == order.Fence
}

func explain(c *rule.Case) rule.Text {
	return rule.Text{
		Message: fmt.Sprintf("the lock around `%s` is taken or released without a fence", c.Variable()),
		Why:     "The lock's atomics order only the lock. Without a fence behind taking it and before releasing it, the accesses inside can become visible outside.",
		Mend:    fmt.Sprintf("Insert %s behind taking the lock and before releasing it.", rule.FenceFor(c.Kind)),
	}
}

func fixes(c *rule.Case) []race.Fix {
	return rule.FenceBefore(c, c.Miss.At)
}
