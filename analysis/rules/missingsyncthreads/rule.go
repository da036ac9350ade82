// Package missingsyncthreads is the rule missing-syncthreads: threads of a block touch a location with no block barrier between.
package missingsyncthreads

import (
	_ "embed"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/rules/rule"
)

//go:embed rule.md
var page string

// Rule is the rule's entry in the registry.
var Rule = rule.Rule{
	Name:     race.MissingSyncthreads,
	Title:    "Threads of a block touch a location with no block barrier between",
	Severity: race.Warning,
	Page:     page,
}
