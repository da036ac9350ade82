// This file defines `warplint explain`.

package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/rules"
	"github.com/warplint/warplint/internal/report"
)

func newExplain() *cobra.Command {
	var names []string
	for _, r := range rules.All() {
		names = append(names, string(r.Name))
	}
	return &cobra.Command{
		Use:       "explain RULE",
		Short:     "Say what a rule means, with an example and its fix",
		Long:      "Say what a rule means, with an example and its fix.\n\n" + ruleList(),
		ValidArgs: names,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("explain takes the name of one rule\n\n%s", ruleList())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			r, ok := rules.Get(race.Rule(args[0]))
			if !ok {
				return fmt.Errorf("there is no rule %q\n\n%s", args[0], ruleList())
			}
			out := cmd.OutOrStdout()
			_, err := fmt.Fprint(out, report.Markdown(r.Markdown(), wantsColor(out)))
			return err
		},
	}
}

// ruleList is a table of all rules.
func ruleList() string {
	var b strings.Builder
	b.WriteString("Rules:\n")
	for _, r := range rules.All() {
		fmt.Fprintf(&b, "  %-20s %s\n", r.Name, r.Title)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
