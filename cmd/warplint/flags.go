// This file defines the flags that several commands share.

package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/warplint/warplint/analysis"
	"github.com/warplint/warplint/analysis/buildflags"
	"github.com/warplint/warplint/analysis/prove/z3"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
	"github.com/warplint/warplint/internal/disk"
	"github.com/warplint/warplint/internal/report"
)

// outputFlags say how findings are written and what makes the exit status 1.
type outputFlags struct {
	format string
	failOn string
}

func (o *outputFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.format, "format", report.Formats[0], "output `FORMAT`: "+strings.Join(report.Formats, ", "))
	cmd.Flags().StringVar(&o.failOn, "fail-on", "warning",
		"least `SEVERITY` that makes the exit status 1: error, warning, information, never")
}

// writer returns the writer that the flags ask for; name says what it calls files.
func (o *outputFlags) writer(w io.Writer, files source.Provider, name func(string) string) (report.Writer, error) {
	return report.New(o.format, w, report.Options{Files: files, Name: name, Version: version, Color: wantsColor(w)})
}

// fails returns the test that a finding's severity is at or above --fail-on.
func (o *outputFlags) fails() (func(race.Severity) bool, error) {
	if o.failOn == "never" {
		return func(race.Severity) bool { return false }, nil
	}
	for _, least := range []race.Severity{race.Error, race.Warning, race.Information} {
		if o.failOn == least.String() {
			return func(s race.Severity) bool { return s >= least }, nil
		}
	}
	return nil, fmt.Errorf("unknown severity %q for --fail-on (there are: error, warning, information, never)", o.failOn)
}

// sourceFlags say how the files are compiled and launched.
type sourceFlags struct {
	defines  []string
	includes []string
	database string
	grid     dimFlag
	block    dimFlag
	kernel   string
	z3       string
}

// register takes what --grid and --block mean to the command.
func (s *sourceFlags) register(cmd *cobra.Command, grid, block string) {
	flags := cmd.Flags()
	flags.StringArrayVarP(&s.defines, "define", "D", nil, "define the macro `NAME[=VALUE]`")
	flags.StringArrayVarP(&s.includes, "include-dir", "I", nil, "search `DIR` for included files")
	flags.StringVarP(&s.database, "build-dir", "p", "", "read compile_commands.json in `DIR`")
	flags.Var(&s.grid, "grid", grid)
	flags.Var(&s.block, "block", block)
	flags.StringVar(&s.kernel, "kernel", "", "only the kernel of this `NAME`, written without template arguments")
	s.grid.limits = race.Dim3{1<<31 - 1, 65535, 65535}
	s.block.limitBlock()
}

// config returns what is known of how each file is compiled: what compile_commands.json and
// its like say, and on top of that the flags.
func (s *sourceFlags) config(files source.Provider) (func(path string) (analysis.Config, []race.Problem), error) {
	for _, d := range s.defines {
		if name, _, _ := strings.Cut(d, "="); !isMacroName(name) {
			return nil, fmt.Errorf("-D takes NAME or NAME=VALUE, not %q", d)
		}
	}
	if slices.Contains(s.includes, "") {
		return nil, fmt.Errorf("-I takes the name of a folder")
	}
	if s.z3 != "" && s.z3 != z3.None {
		if _, err := z3.Find(s.z3); err != nil {
			return nil, fmt.Errorf("--z3: %w", err)
		}
	}
	finder := buildflags.NewFinder(files)
	finder.Folders = disk.Folders
	if s.database != "" {
		var err error
		if finder.Dir, err = databaseDir(files, s.database); err != nil {
			return nil, fmt.Errorf("-p: %w", err)
		}
	}
	return remembered(func(path string) (analysis.Config, []race.Problem) {
		config := analysis.Config{Grid: s.grid.value, Block: s.block.value, Kernel: s.kernel, Z3: s.z3}
		var problems []race.Problem
		if abs, err := filepath.Abs(path); err == nil {
			found := finder.For(abs)
			config.Config = found.Config
			for _, p := range found.Problems {
				problems = append(problems, race.Problem{File: p.Span.File, Message: p.Message})
			}
		}
		config.Config = buildflags.With(config.Config, s.defines, s.includes)
		return config, problems
	}), nil
}

// remembered asks for each path once.
func remembered(ask func(path string) (analysis.Config, []race.Problem)) func(path string) (analysis.Config, []race.Problem) {
	type answer struct {
		config   analysis.Config
		problems []race.Problem
	}
	var known sync.Map
	return func(path string) (analysis.Config, []race.Problem) {
		if a, ok := known.Load(path); ok {
			return a.(answer).config, a.(answer).problems
		}
		config, problems := ask(path)
		known.Store(path, answer{config, problems})
		return config, problems
	}
}

// databaseDir returns the absolute path of a folder that holds a compilation database, or
// says how to get one.
func databaseDir(files source.Provider, dir string) (string, error) {
	const name = "compile_commands.json"
	dir = strings.TrimSuffix(dir, name)
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	file, ok := files.File(filepath.Join(abs, name))
	if !ok {
		return "", fmt.Errorf("there is no %s (CMake writes it with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON)", filepath.Join(dir, name))
	}
	if err := buildflags.Database(file.Text); err != nil {
		return "", fmt.Errorf("%s is no compilation database: %w", filepath.Join(dir, name), err)
	}
	return abs, nil
}

// isMacroName accepts identifiers, and those with a parameter list behind.
func isMacroName(name string) bool {
	name, _, _ = strings.Cut(name, "(")
	for i, r := range name {
		letter := r == '_' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return name != ""
}

// dimFlag is a dimension of a launch, "X[,Y[,Z]]". It implements pflag.Value.
type dimFlag struct {
	value   race.Dim3 // zero if not given
	limits  race.Dim3
	product int // the greatest number of threads, 0 for none
}

// limitBlock sets the limits of a block (CUDA C++ Programming Guide, "Compute Capabilities").
func (d *dimFlag) limitBlock() {
	d.limits = race.Dim3{1024, 1024, 64}
	d.product = 1024
}

func (d *dimFlag) Type() string { return "X[,Y[,Z]]" }

func (d *dimFlag) String() string {
	if d.value.Count() == 0 {
		return ""
	}
	return fmt.Sprintf("%d,%d,%d", d.value[0], d.value[1], d.value[2])
}

func (d *dimFlag) Set(text string) error {
	parts := strings.Split(text, ",")
	if len(parts) > 3 {
		return fmt.Errorf("it has more than three numbers")
	}
	value := race.Dim3{1, 1, 1}
	for i, part := range parts {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < 1 || n > d.limits[i] {
			return fmt.Errorf("%q is not a number from 1 to %d", part, d.limits[i])
		}
		value[i] = n
	}
	if d.product > 0 && value.Count() > d.product {
		return fmt.Errorf("it has %d threads, more than the %d that a block can have", value.Count(), d.product)
	}
	d.value = value
	return nil
}
