// This file defines `warplint simulate`: compile a program or a kernel, run it under the
// simulator, and write what the run has shown.

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
	"github.com/warplint/warplint/analysis/suppress"
	"github.com/warplint/warplint/dynamic"
	"github.com/warplint/warplint/dynamic/toolchain"
	"github.com/warplint/warplint/internal/confirm"
	"github.com/warplint/warplint/internal/disk"
	"github.com/warplint/warplint/internal/garbage"
	"github.com/warplint/warplint/internal/report"
)

// simulateFlags are those of simulate alone.
type simulateFlags struct {
	arguments    []string
	shared       int
	standard     string
	detectors    []string
	seed         uint64
	schedules    int
	timeout      time.Duration
	instructions uint64
	memory       uint64
	cores        int
	progress     string
}

// simulationRoom is by how many bytes the heap may grow before garbage is collected, unless more is in use.
const simulationRoom = 256 << 20

func newSimulateCommand() *cobra.Command {
	var output outputFlags
	var sources sourceFlags
	var flags simulateFlags
	cmd := &cobra.Command{
		Use:   "simulate [flags] FILE... [-- ARGS]",
		Short: "Run a program or a kernel under the simulator",
		Long: "Run a program or a kernel under the simulator, on a machine without a GPU.\n\n" +
			"Without --kernel the files are one program: it is compiled, and its host code runs with every\n" +
			"launch simulated; what follows -- are its arguments. A single file may be a program that nvcc\n" +
			"built with -cudart shared and that has PTX in it. With --kernel that kernel alone is run, on\n" +
			"--grid, --block and --arg; the files may be PTX, too.\n\n" +
			"Exit status: 0 nothing at or above --fail-on, 1 something, 2 bad usage, or the run did not\n" +
			"come to its end.",
		Args: func(cmd *cobra.Command, args []string) error {
			if n := cmd.ArgsLenAtDash(); len(args) == 0 || n == 0 {
				return fmt.Errorf("simulate takes at least one file; see warplint simulate --help")
			}
			return nil
		},
	}
	output.register(cmd)
	sources.register(cmd, "the grid to launch --kernel on", "the block to launch --kernel on")
	flags.register(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		files, programArgs := args, []string(nil)
		if n := cmd.ArgsLenAtDash(); n >= 0 {
			files, programArgs = args[:n], args[n:]
		}
		options, err := flags.options(&sources, files, programArgs)
		if err != nil {
			return err
		}
		options.Stdin = cmd.InOrStdin()
		garbage.Seldom(simulationRoom)
		return simulate(cmd.Context(), options, &output, &flags, cmd.OutOrStdout(), cmd.ErrOrStderr())
	}
	return cmd
}

func (f *simulateFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringArrayVar(&f.arguments, "arg", nil,
		"a parameter of --kernel, as `NAME=VALUE`; a value is a number, buf:BYTES, zero:BYTES, file:PATH or at:NAME+BYTES")
	flags.IntVar(&f.shared, "shared", 0, "`BYTES` of dynamic shared memory for --kernel")
	flags.StringVar(&f.standard, "std", "", "C++ `STANDARD`, such as c++17")
	flags.StringSliceVar(&f.detectors, "detector", nil,
		"`DETECTORS` that watch the run, separated by commas: "+strings.Join(dynamic.DetectorNames(), ", ")+" (default causality,streams)")
	flags.Uint64Var(&f.seed, "seed", 0, "`NUMBER` that decides the order in which threads run")
	flags.IntVar(&f.schedules, "schedules", 1, "run `N` times, with as many seeds")
	flags.DurationVar(&f.timeout, "timeout", 0, "end each run after this `DURATION`, such as 30s; 0 for never")
	flags.Uint64Var(&f.instructions, "instructions", 0, "end each run after `N` warp instructions; 0 for never")
	flags.Uint64Var(&f.memory, "memory", 0, "`BYTES` of device memory; 0 for 16 GiB")
	flags.IntVar(&f.cores, "cores", 1, "run blocks on `N` cores at once; more than one goes with --detector none")
	flags.StringVar(&f.progress, "progress", "auto", "`HOW` to show progress on standard error: auto, none, json")
}

func (f *simulateFlags) options(s *sourceFlags, files, args []string) (*dynamic.Options, error) {
	config, err := s.config(disk.NewFiles())
	if err != nil {
		return nil, err
	}
	detectors, err := dynamic.SelectDetectors(f.detectors)
	if err != nil {
		return nil, err
	}
	o := &dynamic.Options{
		Files: files, Args: args, Detectors: detectors,
		Seed: f.seed, Schedules: f.schedules, Timeout: f.timeout, Instructions: f.instructions, Memory: f.memory, Cores: f.cores,
		Compile: func(file string) toolchain.Options {
			c, _ := config(file) // what it says of malformed databases, the compiler will say
			compile := confirm.CompileOptions(c.Config)
			compile.Standard = f.standard
			return compile
		},
		Kernel: dynamic.KernelRun{Name: s.kernel, Grid: s.grid.value, Block: s.block.value, Shared: f.shared},
	}
	switch {
	case f.schedules < 1:
		return nil, fmt.Errorf("--schedules takes a number from 1")
	case f.cores < 1:
		return nil, fmt.Errorf("--cores takes a number from 1")
	case f.timeout < 0:
		return nil, fmt.Errorf("--timeout takes a duration from 0")
	case f.shared < 0:
		return nil, fmt.Errorf("--shared takes a number of bytes from 0")
	case s.kernel == "" && (len(f.arguments) > 0 || f.shared != 0 || s.grid.value.Count() > 0 || s.block.value.Count() > 0):
		return nil, fmt.Errorf("--arg, --shared, --grid and --block describe the launch of a --kernel")
	case s.kernel != "" && len(args) > 0:
		return nil, fmt.Errorf("a kernel alone takes no program arguments")
	}
	o.Kernel.Args = map[string]string{}
	for _, a := range f.arguments {
		name, value, ok := strings.Cut(a, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("--arg takes NAME=VALUE, not %q", a)
		}
		o.Kernel.Args[name] = value
	}
	return o, nil
}

func simulate(ctx context.Context, o *dynamic.Options, output *outputFlags, flags *simulateFlags, stdout, stderr io.Writer) error {
	fails, err := output.fails()
	if err != nil {
		return err
	}
	files := &filesOfRun{disk: disk.NewFiles()}
	writer, err := output.writer(stdout, files, disk.Names(o.Files))
	if err != nil {
		return err
	}
	// What the program writes must not get into a document that another program reads.
	o.Stdout, o.Stderr = stdout, stderr
	if output.format != "text" {
		o.Stdout = stderr
	}
	show, err := newProgress(flags.progress, stderr)
	if err != nil {
		return err
	}
	if k := o.Kernel; k.Name != "" && max(1, k.Grid.Count())*max(1, k.Block.Count()) == 1 {
		fmt.Fprintln(stderr, "warplint: the kernel runs with one thread, which can't race; --grid and --block give it more")
	}
	o.Progress = show.show
	result, err := dynamic.Simulate(ctx, o)
	show.clear()
	if err != nil {
		if output.format != "text" { // whoever reads the document reads in it that there was no run
			err = errors.Join(err, writer.Add(report.Part{Problems: []race.Problem{notBegun(err, o.Files)}}), writer.Close())
		}
		return err
	}
	files.run = result.Sources
	for i, p := range result.Problems {
		message := asNamed(p.Message, o.Files)
		result.Problems[i].Message = message
		if !strings.HasPrefix(message, p.File+":") { // the simulator names the line by itself
			message = p.File + ": " + message
		}
		fmt.Fprintf(stderr, "warplint: %s\n", message)
	}
	part := report.Part{Kernels: result.Kernels, Problems: result.Problems, Run: result.Run}
	for _, f := range result.Findings {
		f.Why = asNamed(f.Why, o.Files) // of a barrier, it has places
		part.Findings = append(part.Findings, report.Finding{Finding: f.Finding, Detector: f.Detector, Count: f.Count})
	}
	failing := ignore(&part, files, fails)
	if err := writer.Add(part); err != nil {
		return err
	}
	if err := writer.Close(); err != nil {
		return err
	}
	switch {
	case failing:
		return errFindings
	case slices.ContainsFunc(result.Problems, func(p race.Problem) bool { return !p.Handled }):
		return fmt.Errorf("the run did not go as it should")
	}
	return nil
}

// ignore takes the findings out of a part that comments say to ignore, and says whether one of the others fails.
func ignore(part *report.Part, files source.Provider, fails func(race.Severity) bool) (failing bool) {
	comments := suppress.Of(files)
	part.Findings = slices.DeleteFunc(part.Findings, func(f report.Finding) bool {
		reason, ok := comments.Match(f.Finding, part.Kernels)
		if ok {
			f.Reason = reason
			part.Suppressed = append(part.Suppressed, f)
		}
		failing = failing || !ok && fails(f.Severity)
		return ok
	})
	return failing
}

// notBegun is the problem of a program that could not be run at all.
func notBegun(err error, files []string) race.Problem {
	p := race.Problem{File: files[0], Message: asNamed(err.Error(), files)}
	for _, file := range files {
		if rest, ok := strings.CutPrefix(p.Message, file+" "); ok { // it does not compile
			p.File, p.Message = file, rest
		} else if rest, ok := strings.CutPrefix(p.Message, file+": "); ok {
			p.File, p.Message = file, rest
		}
	}
	return p
}

// filesOfRun has the files that a run read as well: what the program compiled itself is gone when it has ended.
type filesOfRun struct {
	disk source.Provider
	run  source.Provider // nil before the run
}

func (f *filesOfRun) File(path string) (*source.File, bool) {
	if f.run != nil {
		if file, ok := f.run.File(path); ok {
			return file, true
		}
	}
	return f.disk.File(path)
}

// asNamed calls the places in a message as the command line names the files; the compiler knows their
// whole paths.
func asNamed(message string, files []string) string {
	for _, file := range files {
		if whole, err := filepath.Abs(file); err == nil {
			message = strings.ReplaceAll(message, whole+":", file+":")
		}
	}
	return message
}

// progress shows how far the running launch is: on a terminal in one line that is overwritten,
// for an editor as one JSON object per line.
type progress struct {
	w     io.Writer
	json  bool
	shown bool
}

func newProgress(how string, w io.Writer) (*progress, error) {
	switch how {
	case "none":
		return &progress{}, nil
	case "json":
		return &progress{w: w, json: true}, nil
	case "auto":
		if isTerminal(w) {
			return &progress{w: w}, nil
		}
		return &progress{}, nil
	}
	return nil, fmt.Errorf("unknown --progress %q (there are: auto, none, json)", how)
}

// progressEvent is the JSON of one step.
type progressEvent struct {
	Kernel       string  `json:"kernel"`
	Launch       int     `json:"launch"`
	Schedule     int     `json:"schedule"`
	BlocksDone   int     `json:"blocks_done"`
	Blocks       int     `json:"blocks"`
	Instructions uint64  `json:"instructions"`
	PerSecond    float64 `json:"instructions_per_second"`
	SecondsLeft  float64 `json:"seconds_left"` // negative if unknown
}

func (p *progress) show(now dynamic.Progress) {
	if p.w == nil {
		return
	}
	seconds := now.Elapsed.Seconds()
	e := progressEvent{
		Kernel: now.Kernel, Launch: now.Launch, Schedule: now.Schedule,
		BlocksDone: now.BlocksDone, Blocks: now.Blocks, Instructions: now.Instructions, SecondsLeft: -1,
	}
	if seconds > 0 {
		e.PerSecond = float64(now.Instructions) / seconds
	}
	if now.BlocksDone > 0 {
		e.SecondsLeft = seconds / float64(now.BlocksDone) * float64(now.Blocks-now.BlocksDone)
	}
	if p.json {
		if line, err := json.Marshal(e); err == nil {
			fmt.Fprintf(p.w, "%s\n", line)
		}
		return
	}
	left := ""
	if e.SecondsLeft >= 0 {
		left = fmt.Sprintf(", %.0f s left", e.SecondsLeft)
	}
	p.shown = true
	fmt.Fprintf(p.w, "\r\x1b[Klaunch %d, %s: %d of %d blocks, %.1f million instructions/s%s",
		e.Launch, e.Kernel, e.BlocksDone, e.Blocks, e.PerSecond/1e6, left)
}

// clear removes the line from the terminal.
func (p *progress) clear() {
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
