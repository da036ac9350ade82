// Package lockfence is the rule lock-fence: a lock is taken or released without its fence.
package lockfence

import (
	_ "embed"

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
}
