// This file defines `warplint import`: read the reports of compute-sanitizer's racecheck, and
// write what they found as check writes its findings.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/racecheck"
	"github.com/warplint/warplint/internal/disk"
	"github.com/warplint/warplint/internal/report"
)

// errIncomplete: races may be missing, so that a run without findings is no clean one.
var errIncomplete = errors.New("a report is incomplete, so races may be missing")

func newImport() *cobra.Command {
	var output outputFlags
	var block dimFlag
	cmd := &cobra.Command{
		Use:   "import [flags] REPORT...",
		Short: "Read the findings of compute-sanitizer's racecheck",
		Long: "Read the findings of compute-sanitizer's racecheck, from its text (--log-file) or its XML\n" +
			"(--xml --save). Several reports of one run are taken together.\n\n" +
			"Exit status: 0 nothing at or above --fail-on, 1 something, 2 bad usage, nothing could be read,\n" +
			"or a report is incomplete.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("import takes at least one report; see warplint import --help")
			}
			return nil
		},
	}
	output.register(cmd)
	block.limitBlock()
	cmd.Flags().Var(&block, "block", "the size of the blocks that ran, which tells the threads of one warp")
	cmd.RunE = func(cmd *cobra.Command, paths []string) error {
		return importReports(cmd.Context(), paths, &output, block.value, cmd.OutOrStdout(), cmd.ErrOrStderr())
	}
	return cmd
}

func importReports(ctx context.Context, paths []string, output *outputFlags, block race.Dim3, stdout, stderr io.Writer) error {
	fails, err := output.fails()
	if err != nil {
		return err
	}
	files := disk.NewFiles()
	reports, problems := readReports(files, paths)
	result := racecheck.Findings(reports, files, block)
	name := disk.Names(paths)
	writer, err := report.New(output.format, stdout, report.Options{
		Files: result.Files, Name: name, Version: version, Color: wantsColor(stdout), NoVerdicts: true})
	if err != nil {
		return err
	}
	part := report.Part{Problems: append(problems, result.Problems...)}
	for _, f := range result.Findings {
		part.Findings = append(part.Findings, report.Finding{Finding: f.Finding, Detector: "racecheck", Count: f.Count})
	}
	failing := ignore(&part, result.Files, fails)
	for _, p := range part.Problems {
		fmt.Fprintf(stderr, "warplint: %s: %s\n", name(p.File), p.Message)
	}
	if err := errors.Join(writer.Add(part), writer.Close()); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return fmt.Errorf("interrupted")
	}
	return importStatus(reports, failing, fails)
}

// readReports reads what can be read; the rest is a problem.
func readReports(files *disk.Files, paths []string) (reports []*racecheck.Report, problems []race.Problem) {
	problem := func(path, message string) {
		problems = append(problems, race.Problem{File: path, Message: message})
	}
	for _, path := range paths {
		file, err := files.Read(path)
		if err != nil {
			problem(path, err.Error())
			continue
		}
		if file = racecheck.Decoded(file); file.IsBinary() {
			problem(path, "binary data, not a report as text or XML")
			continue
		}
		r := racecheck.Parse(file)
		for _, message := range append(r.Gaps, r.Notes...) {
			problem(path, message)
		}
		reports = append(reports, r)
	}
	return reports, problems
}

// importStatus is the error that gives the exit status. Races that only a summary counts are
// as bad as those that are shown.
func importStatus(reports []*racecheck.Report, failing bool, fails func(race.Severity) bool) error {
	incomplete := false
	for _, r := range reports {
		failing = failing || fails(r.Hidden)
		incomplete = incomplete || len(r.Gaps) > 0
	}
	switch {
	case len(reports) == 0:
		return fmt.Errorf("no report could be read")
	case failing:
		return errFindings
	case incomplete:
		return errIncomplete
	}
	return nil
}
