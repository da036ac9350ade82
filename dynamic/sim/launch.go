// This file defines launches as the outside sees them: their configuration, their progress and
// their statistics.

package sim

import (
	"time"

	"github.com/warplint/warplint/analysis/race"
)

// Launch says how to run a kernel.
type Launch struct {
	Grid, Block race.Dim3 // a zero component counts as 1
	Cluster     race.Dim3 // zero: as the kernel demands, otherwise no clusters
	Shared      int       // bytes of dynamic shared memory
	Args        []byte    // Attributes.ParameterSize bytes; each parameter at its offset
	Cooperative bool      // all blocks must be resident at the same time
	Stream      uint64    // for listeners only
	From        string    // for listeners only: what the runtime says of the call
	Seed        uint64    // of the scheduler
	Only        []int     // the blocks that run, by linear number; nil for all
	// MaxInstructions ends the launch with a Limit fault after so many warp instructions; 0
	// means no limit.
	MaxInstructions uint64
	// Patience is about how many warp instructions threads may go round in loops in which only atomics change memory, before
	// the launch ends with a fault: 0 means hundreds of millions. With MaxInstructions, they may do so up to that.
	Patience uint64
	// Cores is how many processors to use at once; 0 means one. With more, the schedule depends on
	// the machine, and livelocks are not found. Launches that a listener hears, cooperative ones and
	// those that allocate memory or launch kernels in kernels use one.
	Cores int
	// Progress, if set, is called about ten times a second, from the launch's goroutine.
	Progress func(Progress)
	// Launched, if set, is called when this grid has ended, and for each that comes of it.
	Launched func(Launched)
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
	Parted   []Parted
}
