// Package barrierdivergence is the rule barrier-divergence: not all threads of the group reach a barrier.
package barrierdivergence

import (
	_ "embed"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/rules/rule"
)

//go:embed rule.md
var page string

// Rule is the rule's entry in the registry.
var Rule = rule.Rule{
	Name:     race.BarrierDivergence,
	Title:    "Not all threads of the group reach a barrier",
	Severity: race.Warning,
	Page:     page,
}
