// Package missingsyncwarp is the rule missing-syncwarp: threads of a warp count on lockstep execution.
package missingsyncwarp

import (
	_ "embed"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/rules/rule"
)

//go:embed rule.md
var page string

// Rule is the rule's entry in the registry.
var Rule = rule.Rule{
	Name:     race.MissingSyncwarp,
	Title:    "Threads of a warp count on lockstep execution",
	Severity: race.Warning,
	Page:     page,
}
