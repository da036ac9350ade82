// This file defines `warplint check`: find the files, check them in parallel, and write what
// was found in the order of the files.

package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/warplint/warplint/analysis"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
	"github.com/warplint/warplint/analysis/syntax"
	"github.com/warplint/warplint/analysis/workspace"
	"github.com/warplint/warplint/internal/disk"
	"github.com/warplint/warplint/internal/report"
)

func newCheck() *cobra.Command {
	var output outputFlags
	var sources sourceFlags
	var look lookFlags
	var confirming, fixing bool
	cmd := &cobra.Command{
		Use:   "check [flags] PATH...",
		Short: "Check files and folders without running them",
		Long: "Check files and folders without running them. Of a folder, all .cu and .cuh files below it\n" +
			"are checked, but for those in hidden folders and in node_modules.\n\n" +
			"Exit status: 0 nothing at or above --fail-on, 1 something, 2 bad usage or nothing could be read.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("check takes at least one file or folder; see warplint check --help")
			}
			return nil
		},
	}
	output.register(cmd)
	sources.register(cmd, "assume this grid where no launch in the files read gives one",
		"assume this block where no launch in the files read gives one")
	cmd.Flags().StringVar(&sources.z3, "z3", "", "the Z3 to ask for what stays undecided, a `PROGRAM`; none for none (default: z3, if it is installed)")
	look.register(cmd)
	cmd.Flags().BoolVar(&confirming, "confirm", false, "run the two threads of each finding on the simulator; needs clang")
	cmd.Flags().BoolVar(&fixing, "fix", false, "change the files until no finding is left that a verified change mends, then check them")
	cmd.RunE = func(cmd *cobra.Command, paths []string) error {
		if err := look.apply(cmd, &output, &sources); err != nil {
			return err
		}
		if look.dump != "" {
			return dump(cmd.Context(), paths, look.dump, &sources, cmd.OutOrStdout(), cmd.ErrOrStderr())
		}
		collectSeldom()
		return check(cmd.Context(), paths, &output, &sources, confirming, fixing, cmd.OutOrStdout(), cmd.ErrOrStderr())
	}
	return cmd
}

// collectSeldom lets the heap grow to five times what is in use before garbage is collected, as long as
// that stays far below the memory that a check may take: short-lived terms are most of the heap.
func collectSeldom() {
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(420 << 20)
}

func check(ctx context.Context, paths []string, output *outputFlags, sources *sourceFlags, confirming, fixing bool, stdout, stderr io.Writer) error {
	fails, err := output.fails()
	if err != nil {
		return err
	}
	checker, err := newChecker(sources)
	if err != nil {
		return err
	}
	checker.confirming = confirming
	found, problems := checker.open(ctx, paths)
	name := disk.Names(found)
	if fixing {
		checker.fix(ctx, found, name, stderr)
	}
	writer, err := output.writer(stdout, checker.files, name)
	if err != nil {
		return err
	}
	sum := newSummary(writer, stderr, name, fails)
	if err := sum.add(outcome{Part: report.Part{Problems: problems}}); err != nil {
		return err
	}
	compiled, included := checker.split(found)
	for result := range inOrder(compiled, func(path string) outcome { return checker.check(ctx, path, nil) }) {
		if err := sum.add(result); err != nil {
			return err
		}
	}
	judged := sum.judged()
	for result := range inOrder(included, func(path string) outcome { return checker.check(ctx, path, judged) }) {
		if err := sum.add(result); err != nil {
			return err
		}
	}
	if err := sum.close(); err != nil {
		return err
	}
	return sum.status(ctx, sources.kernel)
}

// outcome is what came of one file.
type outcome struct {
	report.Part
	path    string
	checked bool // false if the file could not be read, or the check was cut short
	left    bool // the run was interrupted before the file's turn came
}

// checker checks one file after another, several at a time.
type checker struct {
	engine *analysis.Engine
	index  *workspace.Index
	files  *disk.Files
	config func(path string) (analysis.Config, []race.Problem)
	named  []string // all that the paths of the command name, what is only looked at included

	confirming bool // findings are to be run on the simulator
}

// open finds the files to check, and learns what is known of all that the paths name.
func (c *checker) open(ctx context.Context, paths []string) (found []string, problems []race.Problem) {
	found, problems = disk.Find(ctx, paths)
	c.named = append(disk.Sources(ctx, paths, workspace.MaxFiles), found...)
	c.learn(ctx, c.named)
	return found, problems
}

// learn puts files into the index, so that one is checked with what launches its kernels.
func (c *checker) learn(ctx context.Context, paths []string) {
	if len(paths) < 2 {
		return
	}
	set := func(path string, dirs []string) bool {
		file, err := c.files.Read(path)
		return err == nil && ctx.Err() == nil && c.index.Set(file, dirs)
	}
	for range inOrder(paths, func(path string) bool { return set(path, c.flags(path).Folders()) }) {
	}
	// What their headers use counts as well, wherever these are.
	headers := 0
	for _, path := range paths {
		dirs := c.flags(path).Folders()
		for list := []string{path}; len(list) > 0 && headers < maxHeaders; list = list[1:] {
			for _, places := range c.index.Unknown(list[0]) {
				if i := slices.IndexFunc(places, func(p string) bool { return set(p, dirs) }); i >= 0 {
					list = append(list, places[i])
					headers++
				}
			}
		}
	}
}

// maxHeaders bounds the headers that are looked at besides the files of the run.
const maxHeaders = 500

// split takes apart the files that others include: a kernel in one is judged where it is
// launched, and only then, if nothing launches it, by itself.
func (c *checker) split(paths []string) (compiled, included []string) {
	for _, path := range paths {
		if c.isIncluded(path) {
			included = append(included, path)
		} else {
			compiled = append(compiled, path)
		}
	}
	return compiled, included
}

func (c *checker) isIncluded(path string) bool {
	return workspace.IsHeader(path) || c.index.Units(path)[0].Path != path
}

// flags are how a file is compiled.
func (c *checker) flags(path string) syntax.Config {
	config, _ := c.config(path)
	return config.Config
}

func newChecker(sources *sourceFlags) (*checker, error) {
	files := disk.NewFiles()
	config, err := sources.config(files)
	if err != nil {
		return nil, err
	}
	return &checker{engine: analysis.NewBatch(), index: workspace.New(), files: files, config: config}, nil
}

// request asks about one file.
func (c *checker) request(path string, config analysis.Config) analysis.Request {
	return analysis.Request{Files: c.files, Path: path, Config: config, Units: analysis.UnitsOf(c.index.Units(path), c.flags)}
}

// check analyses one file, but for the kernels to skip. A defect of warplint itself is a problem
// of that file alone.
func (c *checker) check(ctx context.Context, path string, skip func(string, source.Span) bool) (out outcome) {
	defer func() {
		if r := recover(); r != nil {
			out = failed(path, fmt.Sprintf("internal error: %v; please report it with this file", r))
		}
	}()
	file, err := c.files.Read(path)
	switch {
	case err != nil:
		return failed(path, err.Error())
	case file.IsUTF16():
		return failed(path, "UTF-16 text; save it as UTF-8")
	case file.IsBinary():
		return failed(path, "binary data, not CUDA source text")
	case ctx.Err() != nil:
		return outcome{path: path, left: true}
	}
	config, problems := c.config(path)
	request := c.request(path, config)
	request.Skip = skip
	start := time.Now()
	result := c.engine.Check(ctx, request)
	out.Files = []report.Timing{{Path: path, FrontEnd: result.FrontEnd, Whole: time.Since(start)}}
	fixer := c.engine.Fixer(request)
	for i, f := range result.Findings {
		if len(f.Fixes) == 0 && f.Severity >= race.Warning { // the others' are made when an editor asks
			result.Findings[i].Fixes = fixer.Fixes(ctx, f)
		}
	}
	out.path = path
	out.Kernels = result.Kernels
	out.Findings = report.Static(result.Findings)
	if c.confirming {
		c.confirm(ctx, path, &out)
	}
	for _, f := range result.Suppressed {
		out.Suppressed = append(out.Suppressed, report.Finding{Finding: f.Finding, Reason: f.Reason})
	}
	out.Problems = append(problems, result.Problems...)
	if strings.TrimSpace(file.Text) == "" {
		out.Problems = append(out.Problems, race.Problem{File: path, Message: "the file is empty"})
	}
	if request.Config.Kernel == "" && ctx.Err() == nil && !c.isIncluded(path) { // its comments may be for files that include it
		for _, u := range result.Unused {
			out.Problems = append(out.Problems, race.Problem{File: path,
				Message: fmt.Sprintf("line %d: warplint-ignore: %s", file.Position(u.Span.Start).Line, u.Message)})
		}
	}
	if ctx.Err() != nil {
		out.Problems = append(out.Problems, race.Problem{File: path, Message: "not checked to the end: interrupted"})
		return out
	}
	out.checked = true
	return out
}

func failed(path, message string) outcome {
	return outcome{path: path, Part: report.Part{Problems: []race.Problem{{File: path, Message: message}}}}
}

// inOrder applies work to all items, as many at a time as there are cores, and yields the
// results in the order of the items, each as soon as it and those before it are there.
func inOrder[A, B any](items []A, work func(A) B) func(yield func(B) bool) {
	return func(yield func(B) bool) {
		slots := make(chan struct{}, runtime.GOMAXPROCS(0))
		results := make([]chan B, len(items))
		for i := range results {
			results[i] = make(chan B, 1)
		}
		stop := make(chan struct{})
		defer close(stop)
		go func() {
			for i, item := range items {
				select {
				case slots <- struct{}{}:
				case <-stop:
					return
				}
				go func() {
					results[i] <- work(item)
					<-slots
				}()
			}
		}()
		for _, result := range results {
			if !yield(<-result) {
				return
			}
		}
	}
}
