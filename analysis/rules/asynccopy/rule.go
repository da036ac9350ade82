// Package asynccopy is the rule async-copy: data of an asynchronous copy is used before the wait that covers it.
package asynccopy

import (
	_ "embed"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/rules/rule"
)

//go:embed rule.md
var page string

// Rule is the rule's entry in the registry.
var Rule = rule.Rule{
	Name:     race.AsyncCopy,
	Title:    "Data of an asynchronous copy is used before the wait that covers it",
	Severity: race.Warning,
	Page:     page,
}
