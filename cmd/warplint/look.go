// This file defines the flags of `warplint check` for those who look inside: --dump and --stats.

package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/warplint/warplint/analysis"
)

// lookFlags ask for something else than findings.
type lookFlags struct {
	dump  string
	stats bool
}

func (l *lookFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&l.dump, "dump", "", "print what a `STAGE` makes of the kernel that --kernel names, instead of findings: "+strings.Join(analysis.Stages, ", "))
	cmd.Flags().BoolVar(&l.stats, "stats", false, "print how many kernels were understood and judged, and the reasons of the rest, instead of findings")
}

// apply checks that the flags fit together.
func (l *lookFlags) apply(cmd *cobra.Command, output *outputFlags, sources *sourceFlags) error {
	switch {
	case l.dump != "" && l.stats:
		return fmt.Errorf("--dump and --stats don't go together")
	case l.dump != "" && !slices.Contains(analysis.Stages, l.dump):
		return fmt.Errorf("unknown stage %q for --dump (there are: %s)", l.dump, strings.Join(analysis.Stages, ", "))
	case l.dump != "" && sources.kernel == "":
		return fmt.Errorf("--dump needs --kernel NAME")
	case (l.dump != "" || l.stats) && cmd.Flags().Changed("format"):
		return fmt.Errorf("--dump and --stats have no --format")
	case l.stats:
		output.format = "stats"
	}
	return nil
}

// dump prints a stage of one kernel.
func dump(ctx context.Context, paths []string, stage string, sources *sourceFlags, stdout, stderr io.Writer) error {
	checker, err := newChecker(sources)
	if err != nil {
		return err
	}
	found, problems := checker.open(ctx, paths)
	for _, p := range problems {
		fmt.Fprintf(stderr, "warplint: %s: %s\n", p.File, p.Message)
	}
	kernels := 0
	compiled, included := checker.split(found)
	for _, path := range append(compiled, included...) {
		file, err := checker.files.Read(path)
		switch {
		case ctx.Err() != nil:
			return fmt.Errorf("interrupted")
		case err != nil:
			fmt.Fprintf(stderr, "warplint: %s: %v\n", path, err)
		case !file.IsBinary() && !(checker.isIncluded(path) && kernels > 0):
			config, _ := checker.config(path)
			kernels += checker.engine.Dump(ctx, stdout, checker.request(path, config), stage)
		}
	}
	if kernels == 0 {
		return fmt.Errorf("no kernel %q in the files that were read", sources.kernel)
	}
	return nil
}
