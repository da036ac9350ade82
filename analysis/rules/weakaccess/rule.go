// Package weakaccess is the rule weak-access: a flag or published data is read or written with plain accesses.
package weakaccess

import (
	_ "embed"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/rules/rule"
)

//go:embed rule.md
var page string

// Rule is the rule's entry in the registry.
var Rule = rule.Rule{
	Name:     race.WeakAccess,
	Title:    "A flag or published data is read or written with plain accesses",
	Severity: race.Warning,
	Page:     page,
}
