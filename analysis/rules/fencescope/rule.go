// Package fencescope is the rule fence-scope: a block-scoped fence publishes data to other blocks.
package fencescope

import (
	_ "embed"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/rules/rule"
)

//go:embed rule.md
var page string

// Rule is the rule's entry in the registry.
var Rule = rule.Rule{
	Name:     race.FenceScope,
	Title:    "A block-scoped fence publishes data to other blocks",
	Severity: race.Warning,
	Page:     page,
}
