// Package lockscope is the rule lock-scope: a lock's atomic or fence is narrower than the threads that use it.
package lockscope

import (
	_ "embed"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/rules/rule"
)

//go:embed rule.md
var page string

// Rule is the rule's entry in the registry.
var Rule = rule.Rule{
	Name:     race.LockScope,
	Title:    "A lock's atomic or fence is narrower than the threads that use it",
	Severity: race.Warning,
	Page:     page,
}
