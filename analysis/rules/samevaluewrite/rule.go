// Package samevaluewrite is the rule same-value-write: several threads write the same value.
package samevaluewrite

import (
	_ "embed"
	"fmt"

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
	Applies:  applies,
	Explain:  explain,
	Fixes:    fixes,
}

func applies(c *rule.Case) bool {
	return c.Same
}

func explain(c *rule.Case) rule.Text {
	return rule.Text{
		Message: fmt.Sprintf("%s write the same value to `%s`", rule.Who(c.Kind), c.Variable()),
		Why:     "Nothing orders the two writes. Since they store the same value, the result is the same whichever comes last on the devices of today.",
		Mend:    "Let one thread write, if the program must be free of races by the letter.",
	}
}

func fixes(c *rule.Case) []race.Fix {
	return nil
}
