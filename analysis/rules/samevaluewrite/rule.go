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
	if c.A.Kind == race.Read || c.B.Kind == race.Read {
		return rule.Text{
			Message: fmt.Sprintf("%s: a plain read of `%s` beside an atomic that writes back what it finds", rule.Who(c.Kind), c.Variable()),
			Why:     "An atomic is a write in the memory model, also where it leaves the value as it was. The plain read gets the same number before and after it on the devices of today.",
			Mend:    "Nothing has to be done. A relaxed load of `cuda::atomic_ref` in place of the atomic, which writes nothing, takes the race away.",
		}
	}
	return rule.Text{
		Message: fmt.Sprintf("%s write the same value to `%s`", rule.Who(c.Kind), c.Variable()),
		Why:     "Nothing orders the two writes. Since they store the same value, the result is the same whichever comes last on the devices of today.",
		Mend:    "Let one thread write, if the program must be free of races by the letter.",
	}
}

func fixes(c *rule.Case) []race.Fix {
	return nil
}
