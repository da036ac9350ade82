// Package samevaluewrite is the rule same-value-write: several threads write the same value.
package samevaluewrite

import (
	_ "embed"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/rules/rule"
)

//go:embed rule.md
var page string

// Rule is the rule's entry in the registry.
var Rule = rule.Rule{
	Name:     race.SameValueWrite,
	Title:    "Several threads write the same value",
	Severity: race.Hint,
	Page:     page,
}
