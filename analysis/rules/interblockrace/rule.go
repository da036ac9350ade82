// Package interblockrace is the rule inter-block-race: threads of different blocks touch a location, and nothing orders them.
package interblockrace

import (
	_ "embed"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/rules/rule"
)

//go:embed rule.md
var page string

// Rule is the rule's entry in the registry.
var Rule = rule.Rule{
	Name:     race.InterBlockRace,
	Title:    "Threads of different blocks touch a location, and nothing orders them",
	Severity: race.Warning,
	Page:     page,
}
