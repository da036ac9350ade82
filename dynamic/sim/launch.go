// This file defines launches as the outside sees them: their configuration, their progress and
// their statistics.

package sim

import (
	"context"
	"errors"
	"time"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/ptx"
)

// Module is a PTX module with its variables placed in a device's memory.
type Module struct {
	device *Device
	source *ptx.Module
}

// Load places a module's variables in device memory, initialised, and translates its functions.
// It fails, naming the line, for anything that the simulator can't execute.
func (d *Device) Load(m *ptx.Module) (*Module, error) {
	return nil, errors.New("no engine yet")
}

// Kernel is an entry point of a loaded module.
type Kernel struct {
	Name       string
	Parameters []Parameter
	Attributes Attributes
	module     *Module
}

// Parameter is one kernel parameter: its place in the argument bytes of a launch.
type Parameter struct {
	Name                string
	Offset, Size, Align int // bytes
}

// Attributes is what a runtime can ask about a kernel. Units: bytes and threads.
type Attributes struct {
	SharedSize, LocalSize, ConstSize, ParameterSize int
	Registers                                       int // 32-bit registers per thread, virtual ones, at most 255
	MaxThreads                                      int // per block
	RequiredCluster                                 race.Dim3
}

// Kernel returns a kernel by its (mangled) name.
func (m *Module) Kernel(name string) (*Kernel, bool) { return nil, false }

// Kernels returns all kernels in the order of the text.
func (m *Module) Kernels() []*Kernel { return nil }

// Variable returns the address and size in bytes of a __device__ or __constant__ variable.
func (m *Module) Variable(name string) (addr, size uint64, ok bool) { return 0, 0, false }

// Launch says how to run a kernel.
type Launch struct {
	Grid, Block race.Dim3 // a zero component counts as 1
	Cluster     race.Dim3 // zero: as the kernel demands, otherwise no clusters
	Shared      int       // bytes of dynamic shared memory
	Args        []byte    // Attributes.ParameterSize bytes; each parameter at its offset
	Cooperative bool      // all blocks must be resident at the same time
	Stream      uint64    // for listeners only
	Seed        uint64    // of the scheduler
	// MaxInstructions ends the launch with a Limit fault after so many warp instructions; 0
	// means no limit.
	MaxInstructions uint64
	// Progress, if set, is called about ten times a second, from the launch's goroutine.
	Progress func(Progress)
}

// Progress is how far a launch is.
type Progress struct {
	BlocksDone, Blocks int
	Instructions       uint64 // warp instructions
	LaneOps            uint64 // instructions times active lanes
	Elapsed            time.Duration
}

// Stats is what a launch did.
type Stats struct {
	Progress
	Accesses uint64 // warp instructions that touched global or shared memory
}

// Launch runs a kernel to its end. An error is a *Fault, unless the configuration itself is
// impossible. The statistics are there in either case. A context that is done ends the launch
// within 100 ms.
func (d *Device) Launch(ctx context.Context, k *Kernel, l Launch) (*Stats, error) {
	return nil, errors.New("no engine yet")
}
