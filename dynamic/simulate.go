// Package dynamic runs CUDA programs and single kernels on the simulator while detectors
// watch, and returns what they found.
package dynamic

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/cudart"
	"github.com/warplint/warplint/dynamic/event"
	"github.com/warplint/warplint/dynamic/sim"
	"github.com/warplint/warplint/dynamic/toolchain"
)

// Options say what to run and how.
type Options struct {
	Files     []string // .cu, .cpp, .c; or .ptx with Kernel; or one compiled program
	Args      []string // of the program
	Dir       string   // the program's working folder; empty for ours
	Compile   toolchain.Options
	Detectors []Detector

	// Kernel names a kernel to run alone, without the host program. Empty for a whole program.
	Kernel KernelRun

	Seed         uint64 // of the scheduler
	Instructions uint64 // warp instructions in all; 0 for no limit
	Memory       uint64 // bytes of device memory; 0 for the simulator's default

	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Progress is called about ten times a second while kernels run.
	Progress func(kernel string, launch int, p sim.Progress)
}

// Detector watches the events of a run and tells what it found.
type Detector interface {
	event.Listener
	Name() string
	// Findings returns the races found so far, each pair of places once.
	Findings() []race.Finding
}

// Result is what a run gave, complete or not.
type Result struct {
	Findings []race.Finding
	Launches []cudart.Launched
	Problems []race.Problem // what went wrong: faults of kernels, misuse of the runtime, the program's own end
	Seconds  float64        // of the run, without compilation
}

// Instructions returns how many warp instructions all launches executed.
func (r *Result) Instructions() uint64 {
	var n uint64
	for _, l := range r.Launches {
		n += l.Stats.Instructions
	}
	return n
}

// Run compiles and executes. The error says that nothing could be run; everything that happens
// afterwards, a timeout included, is in the result's problems, and the findings so far are kept.
func Run(ctx context.Context, o *Options) (*Result, error) {
	if len(o.Files) == 0 {
		return nil, errors.New("no file to simulate")
	}
	dir, err := os.MkdirTemp("", "warplint-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if o.Kernel.Name != "" {
		return runKernel(ctx, o, dir)
	}
	return runProgram(ctx, o, dir)
}

// run is one execution: a device, its detectors and what they yield.
type run struct {
	options *Options
	device  *sim.Device
	result  Result
	started time.Time
}

func newRun(o *Options, output io.Writer) *run {
	listeners := make([]event.Listener, len(o.Detectors))
	for i, d := range o.Detectors {
		listeners[i] = d
	}
	return &run{
		options: o,
		device:  sim.NewDevice(sim.Config{MemoryLimit: o.Memory, Output: output, Listener: event.Tee(listeners...)}),
		started: time.Now(),
	}
}

func (r *run) problem(file, format string, args ...any) {
	r.result.Problems = append(r.result.Problems, race.Problem{File: file, Message: fmt.Sprintf(format, args...)})
}

// finish collects what the detectors found.
func (r *run) finish() *Result {
	r.result.Seconds = time.Since(r.started).Seconds()
	for _, d := range r.options.Detectors {
		r.result.Findings = append(r.result.Findings, d.Findings()...)
	}
	return &r.result
}

// outcome turns the error that ended a run into a problem.
func (r *run) outcome(ctx context.Context, file string, err error) {
	var ended *cudart.Ended
	switch {
	case err == nil:
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		r.problem(file, "the time limit ended the run")
	case ctx.Err() != nil:
		r.problem(file, "the run was cancelled")
	case errors.As(err, &ended):
		r.problem(file, "%v", ended)
	default:
		r.problem(file, "%v", err)
	}
}
