// Package groupscope is the rule group-scope: a cooperative group's sync covers fewer threads than communicate.
package groupscope

import (
	_ "embed"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/rules/rule"
)

//go:embed rule.md
var page string

// Rule is the rule's entry in the registry.
var Rule = rule.Rule{
	Name:     race.GroupScope,
	Title:    "A cooperative group's sync covers fewer threads than communicate",
	Severity: race.Warning,
	Page:     page,
}
