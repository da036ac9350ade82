// Package atomicscope is the rule atomic-scope: a block-scoped atomic on a location that other blocks use.
package atomicscope

import (
	_ "embed"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/rules/rule"
)

//go:embed rule.md
var page string

// Rule is the rule's entry in the registry.
var Rule = rule.Rule{
	Name:     race.AtomicScope,
	Title:    "A block-scoped atomic on a location that other blocks use",
	Severity: race.Warning,
	Page:     page,
}
