// Package streamorder is the rule stream-order: two operations of different streams touch the same memory, and nothing orders them. Only
// runs on the simulator show it.
package streamorder

import (
	_ "embed"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/rules/rule"
)

//go:embed rule.md
var page string

// Rule is the rule's entry in the registry.
var Rule = rule.Rule{
	Name:      race.StreamOrder,
	Title:     "Work of different streams touches the same memory, and nothing orders it",
	Severity:  race.Error,
	Page:      page,
	Simulated: true,
}
