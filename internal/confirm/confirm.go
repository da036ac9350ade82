// Package confirm runs the witness of a static finding on the simulator: the kernel alone, on the
// launch, the parameters and the aliases that the witness names, under several schedules, watched
// by the precise detector. A race that is seen there is confirmed by compiled code and a second
// implementation of CUDA's memory model. One that is not seen is not refuted, and the reason why
// says what kept it from being seen.
package confirm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
	"github.com/warplint/warplint/analysis/syntax"
	"github.com/warplint/warplint/dynamic"
	"github.com/warplint/warplint/dynamic/toolchain"
)

// Options say how to run. Only File is needed.
type Options struct {
	File    string            // the file that has the kernel, or includes the one that has it
	Texts   map[string]string // unsaved texts, by absolute path
	Compile func(file string) toolchain.Options
	Code    *dynamic.Code // keeps what was compiled for further findings of the file; nil keeps nothing
	// Schedules is how many orders of the threads are tried; 0 means 4, and more of short ones. Of four, the first and
	// the last one begin with memory full of zeros, the others with small numbers; the last one
	// alone runs all blocks of a large grid.
	Schedules int
	// Instructions is how many warp instructions a schedule may take; 0 means 20 million.
	Instructions uint64
	Progress     func(dynamic.Progress)
}

// CompileOptions are a file's flags as the compiler takes them.
func CompileOptions(c syntax.Config) toolchain.Options {
	return toolchain.Options{Includes: c.IncludeDirs, Guessed: c.Guessed, Defines: c.Defines, Undefines: c.Undefines, Forced: c.Includes}
}

// Bounds of one schedule. A witness is small; what goes on longer waits for something.
const (
	defaultSchedules = 4
	more, moreBelow  = 60, 1_000_000 // schedules, as long as all have executed fewer instructions
	instructions     = 20_000_000
	sharedBytes      = 48 << 10 // dynamic shared memory; the host's size is not in a witness
)

// Run tries a finding. The result says which races were seen besides; it is nil if nothing
// could be run. The error is the context's.
func Run(ctx context.Context, files source.Provider, f race.Finding, o Options) (race.Confirmation, *dynamic.Result, error) {
	if f.Witness == nil {
		return race.Confirmation{Reason: "the finding has no launch to run"}, nil, nil
	}
	run := Launch(f, o)
	run.Enough = func(sofar []dynamic.Finding) bool { return count(files, f, sofar) > 0 }
	result, err := dynamic.Simulate(ctx, run)
	switch {
	case ctx.Err() != nil:
		return race.Confirmation{}, result, ctx.Err()
	case err != nil:
		return race.Confirmation{Reason: notRun(err)}, nil, nil
	}
	c := race.Confirmation{Count: count(files, f, result.Findings), Schedules: result.Run.Schedules}
	c.Seen = c.Count > 0
	if !c.Seen {
		c.Reason = notSeen(f, result)
	}
	return c, result, nil
}

// Launch returns the run of a finding's witness.
func Launch(f race.Finding, o Options) *dynamic.Options {
	w := f.Witness
	detectors, _ := dynamic.SelectDetectors(nil) // the default is always there
	run := &dynamic.Options{
		Files: []string{o.File}, Texts: o.Texts, Compile: o.Compile, Code: o.Code, Detectors: detectors,
		Schedules: o.Schedules, Instructions: cmp.Or(o.Instructions, instructions), Progress: o.Progress,
		Kernel: dynamic.KernelRun{
			Name: f.Kernel, Grid: w.Grid, Block: w.Block, Cluster: w.Cluster, Shared: sharedBytes, Only: someBlocks(w),
			Ample: true, Instances: true, Args: map[string]string{}, Memory: map[string]race.Memory{},
		},
	}
	if run.Schedules == 0 {
		run.Schedules, run.More, run.MoreBelow = defaultSchedules, more, moreBelow
	}
	for name, value := range w.Values() {
		run.Kernel.Args[compiled(name)] = value
	}
	for name, p := range w.Pointers {
		run.Kernel.Args[compiled(name)] = fmt.Sprintf("at:%s%+d", compiled(p.To), p.Offset)
	}
	for name, memory := range w.Memory {
		run.Kernel.Memory[compiled(name)] = memory
	}
	return run
}

// compiled is the name of a parameter as the compiler has it: the copy of an object in a lambda is called this.
func compiled(name string) string { return strings.ReplaceAll(name, ".*this", ".this") }

// someBlocks picks the blocks of a large grid to run: those of the two threads, and their likes.
func someBlocks(w *race.Witness) []int {
	const few = 8
	count := w.Grid.Count()
	if count <= few {
		return nil
	}
	linear := func(b race.Dim3) int { return b[0] + w.Grid[0]*(b[1]+w.Grid[1]*b[2]) }
	blocks := []int{linear(w.First.Block), linear(w.Second.Block), 0, 1, count - 1}
	slices.Sort(blocks)
	return slices.Compact(blocks)
}

func count(files source.Provider, f race.Finding, seen []dynamic.Finding) (n int) {
	for _, d := range seen {
		if Same(files, f, d.Finding) {
			n += d.Count
		}
	}
	return n
}

// notRun says in one line why there was no run.
func notRun(err error) string {
	var refused *toolchain.CompileError
	switch {
	case errors.Is(err, toolchain.ErrMissing):
		return toolchain.ErrMissing.Error()
	case errors.As(err, &refused):
		return "clang does not compile it: " + firstLine(refused.Messages)
	}
	return "it could not be run: " + firstLine(err.Error())
}

// notSeen says what kept a race from being seen.
func notSeen(f race.Finding, r *dynamic.Result) string {
	schedules := fmt.Sprintf("not seen in %d schedules", r.Run.Schedules)
	if len(r.Problems) > 0 {
		return schedules + ": " + firstLine(r.Problems[0].Message)
	}
	if f.Rule == race.BarrierDivergence {
		return schedules + ": no thread waits for ever, since threads that have ended are not waited for; CUDA leaves undefined what happens"
	}
	var elsewhere []string
	for _, d := range r.Findings {
		if d.Kernel == f.Kernel && d.Variable == f.Variable && d.Severity >= race.Warning {
			elsewhere = append(elsewhere, string(d.Rule))
		}
	}
	if len(elsewhere) > 0 {
		return schedules + " at these two places, but threads do race on `" + f.Variable + "` at others"
	}
	return schedules + "; the memory that the launch began with may differ from what the race needs"
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
