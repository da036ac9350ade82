// Package mixedatomic is the rule mixed-atomic: a location is updated atomically here and plainly there.
package mixedatomic

import (
	_ "embed"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/rules/rule"
)

//go:embed rule.md
var page string

// Rule is the rule's entry in the registry.
var Rule = rule.Rule{
	Name:     race.MixedAtomic,
	Title:    "A location is updated atomically here and plainly there",
	Severity: race.Warning,
	Page:     page,
}
