// Package lockmismatch is the rule lock-mismatch: two accesses are guarded by different locks, or one by none.
package lockmismatch

import (
	_ "embed"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/rules/rule"
)

//go:embed rule.md
var page string

// Rule is the rule's entry in the registry.
var Rule = rule.Rule{
	Name:     race.LockMismatch,
	Title:    "Two accesses are guarded by different locks, or one by none",
	Severity: race.Warning,
	Page:     page,
}
