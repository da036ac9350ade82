// Package missingfence is the rule missing-fence: data is published by a flag or a counter with no fence between.
package missingfence

import (
	_ "embed"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/rules/rule"
)

//go:embed rule.md
var page string

// Rule is the rule's entry in the registry.
var Rule = rule.Rule{
	Name:     race.MissingFence,
	Title:    "Data is published by a flag or a counter with no fence between",
	Severity: race.Warning,
	Page:     page,
}
