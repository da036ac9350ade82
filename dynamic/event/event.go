// Package event defines what the simulator tells a detector: memory operations, fences,
// barriers, divergence, allocations and the beginnings and ends of launches, blocks and
// threads. A leaf: it knows neither the simulator nor any detector.
//
// Memory and synchronization come as whole warp operations: one call for all lanes that
// executed an instruction together, never one call per thread. A listener is called after the
// operation took effect, but for a store, which is about to, and before any other operation does,
// always from one goroutine. The pointers that it gets are valid until it returns: the simulator uses
// the structures again.
//
// Local memory, kernel parameters and constant memory can't be shared between threads in a
// conflicting way, so their accesses are not reported.
package event

import "github.com/warplint/warplint/analysis/race"

// WarpSize is the number of lanes of a warp.
const WarpSize = 32

// Listener receives the events of a device. Embed Nothing to handle only some of them.
type Listener interface {
	Allocate(*Allocation)
	Free(*Allocation)
	LaunchBegin(*Launch)
	LaunchEnd(*Launch)
	BlockBegin(l *Launch, block int)
	BlockEnd(l *Launch, block int)
	Access(*Access)
	Fence(*Fence)
	ProxyFence(*Step)
	Barrier(*Barrier)
	Mbarrier(*Mbarrier)
	Copy(*Copy)
	CopyGroup(*CopyGroup)
	Split(*Split)
	Join(*Join)
	Exit(*Step)
	Spawn(*Spawn)
}

// Nothing is a Listener that ignores every event.
type Nothing struct{}

func (Nothing) Allocate(*Allocation)    {}
func (Nothing) Free(*Allocation)        {}
func (Nothing) LaunchBegin(*Launch)     {}
func (Nothing) LaunchEnd(*Launch)       {}
func (Nothing) BlockBegin(*Launch, int) {}
func (Nothing) BlockEnd(*Launch, int)   {}
func (Nothing) Access(*Access)          {}
func (Nothing) Fence(*Fence)            {}
func (Nothing) ProxyFence(*Step)        {}
func (Nothing) Barrier(*Barrier)        {}
func (Nothing) Mbarrier(*Mbarrier)      {}
func (Nothing) Copy(*Copy)              {}
func (Nothing) CopyGroup(*CopyGroup)    {}
func (Nothing) Split(*Split)            {}
func (Nothing) Join(*Join)              {}
func (Nothing) Exit(*Step)              {}
func (Nothing) Spawn(*Spawn)            {}

// Step is one instruction executed by some lanes of one warp. It is part of every event that
// stems from an instruction.
type Step struct {
	Launch *Launch
	Block  int    // linear index in the grid: x + y*Grid[0] + z*Grid[0]*Grid[1]
	Warp   int    // index in its block; its lane l is the block's thread 32*Warp + l
	Mask   uint32 // the lanes that executed it: bit l for lane l, never zero
	PC     uint32 // the instruction, unique in Launch.Program
	// Active holds the lanes that had converged here, those whose guard predicate was false
	// included.
	Active uint32
}

// GlobalWarp numbers the warp within its launch.
func (s *Step) GlobalWarp() int { return s.Block*s.Launch.Warps() + s.Warp }

// Space is the memory that an address lies in.
type Space uint8

const (
	Global Space = iota
	Shared
)

func (s Space) String() string { return [...]string{"global", "shared"}[s] }

// Kind says what an access does.
type Kind uint8

const (
	Read Kind = iota
	Write
	Atomic // atom and red: reads and writes
)

func (k Kind) String() string { return [...]string{"read", "write", "atomic"}[k] }

// Order is the ordering semantics of an access or a fence (PTX ISA, "Memory Consistency
// Model"). Volatile accesses have order Relaxed, scope System and their flag set.
type Order uint8

const (
	Weak Order = iota
	Relaxed
	Acquire
	Release
	AcquireRelease
	SequentiallyConsistent
)

func (o Order) String() string {
	return [...]string{"weak", "relaxed", "acquire", "release", "acq_rel", "sc"}[o]
}

// AtomicOp is the function of an atomic access.
type AtomicOp uint8

const (
	NoAtomic AtomicOp = iota
	AtomicAdd
	AtomicAnd
	AtomicOr
	AtomicXor
	AtomicMin
	AtomicMax
	AtomicInc
	AtomicDec
	AtomicExchange
	AtomicCompareExchange
)

func (op AtomicOp) String() string {
	return [...]string{"", "add", "and", "or", "xor", "min", "max", "inc", "dec", "exch", "cas"}[op]
}

// Lanes are 32 values, one per lane; those of lanes outside the mask mean nothing.
type Lanes struct {
	W32 *[WarpSize]uint32
	W64 *[WarpSize]uint64
}

// Known reports whether there are values at all.
func (l Lanes) Known() bool { return l.W32 != nil || l.W64 != nil }

// At returns a lane's value as raw bits, zero-extended.
func (l Lanes) At(lane int) uint64 {
	if l.W64 != nil {
		return l.W64[lane]
	}
	return uint64(l.W32[lane])
}

// Access is a load, store, atomic or reduction of one warp, in one space. An instruction whose
// lanes touch several spaces, or the shared memories of several blocks, gives one Access each.
type Access struct {
	Step
	Space    Space
	Kind     Kind
	Op       AtomicOp
	Order    Order
	Scope    race.Scope // ScopeNone for weak accesses
	Volatile bool
	// Owner is the block whose shared memory it is: another than Step.Block for distributed
	// shared memory. Without meaning for global memory.
	Owner int
	// Size is the number of bytes that each lane touches, all elements together, Elements how
	// many values these are: 16 and 4 for ld.v4.u32.
	Size     int
	Elements int
	// Together is set if all 32 lanes take part and each address lies Size behind the one of the lane
	// before. It need not be set then.
	Together bool
	// Uniform is set if all lanes of the mask have the same address. It need not be set then.
	Uniform bool
	// Addr holds each lane's first byte: a generic address for global memory, an offset from
	// the beginning of the owner's shared memory for shared memory.
	Addr [WarpSize]uint64
	// Value holds what was read or written, element by element (up to eight for .v8); for an
	// atomic, the values before it.
	Value [8]Lanes
	// Operand and Compare are the arguments of an atomic: the new value of an exchange or of a
	// compare-and-exchange, or the other operand; Compare is known for the latter only.
	Operand, Compare Lanes
}

// Fence is fence, membar or an equivalent, executed by the lanes of a warp.
type Fence struct {
	Step
	Scope race.Scope
	Order Order // Acquire, Release, AcquireRelease or SequentiallyConsistent
}

// Group is some lanes of one warp.
type Group struct {
	Block, Warp int
	Mask        uint32
	Waits       bool // false if they only arrived (bar.arrive, barrier.cluster.arrive)
}

// BarrierKind says which threads a barrier spans.
type BarrierKind uint8

const (
	WarpBarrier    BarrierKind = iota // bar.warp.sync
	BlockBarrier                      // bar, barrier: ID is its number, 0 to 15
	ClusterBarrier                    // barrier.cluster
	GridBarrier                       // the grid-wide barrier of cooperative launches
)

func (k BarrierKind) String() string { return [...]string{"warp", "block", "cluster", "grid"}[k] }

// BarrierPhase says which half of a barrier an event is about.
type BarrierPhase uint8

const (
	// Arrived: the step's lanes reached the barrier. Arrivals order nothing by themselves.
	Arrived BarrierPhase = iota
	// Completed: the last participant arrived; what each one of Participants did before its
	// arrival happens before what those that wait do after. The step is the last arrival, or
	// the exit of a thread for which nobody has to wait any more.
	Completed
)

// Barrier is an arrival at a barrier, or its completion.
type Barrier struct {
	Step
	Kind  BarrierKind
	Phase BarrierPhase
	ID    int
	// Relaxed is set if the arrival orders no memory (barrier.cluster.arrive.relaxed).
	Relaxed bool
	// Participants are complete only in phase Completed.
	Participants []Group
}

// MbarrierOp is what an instruction does to an mbarrier object.
type MbarrierOp uint8

const (
	MbarrierInit MbarrierOp = iota
	MbarrierInvalidate
	MbarrierArrive   // includes arrive.drop and arrive.expect_tx
	MbarrierExpect   // expect_tx and complete_tx alone
	MbarrierTestWait // test_wait and try_wait; Done says which lanes saw the phase complete
)

func (op MbarrierOp) String() string {
	return [...]string{"init", "inval", "arrive", "expect", "wait"}[op]
}

// Mbarrier is one operation on mbarrier objects in shared memory.
type Mbarrier struct {
	Step
	Op    MbarrierOp
	Owner int
	Addr  [WarpSize]uint64 // offsets in the owner's shared memory
	Order Order
	Scope race.Scope
	// Phase counts each object's phases from its init: the phase that an arrival belongs to, or
	// the one that a wait asks for.
	Phase [WarpSize]uint64
	// Done has the lanes whose wait saw its phase complete: what the arrivals of that phase did
	// before happens before what these lanes do next.
	Done uint32
}

// Copy is the issue of an asynchronous copy (cp.async, cp.async.bulk), or of one contiguous piece of one (cp.async.bulk.tensor), or an
// asynchronous store of registers (st.async), which has no source. Its reads and writes are ordered before nothing until a wait
// covers it.
type Copy struct {
	Step
	From, To           Space
	FromOwner, ToOwner int // blocks, for shared memory
	Source, Target     [WarpSize]uint64
	// SourceSize bytes are read and TargetSize bytes written, by each lane; the difference is
	// filled with zeros. Units: bytes.
	SourceSize, TargetSize [WarpSize]uint32
	// Bulk copies complete on the mbarrier at Mbarrier (an offset in MbarrierOwner's shared
	// memory) if HasMbarrier, otherwise as part of a bulk group; the others as part of a group.
	Bulk, HasMbarrier bool
	// Update is the size of the elements if what is there is updated by atomics, relaxed ones for the whole device: red.async and
	// cp.reduce.async.bulk. It is 0 for writes.
	Update        int
	Mbarrier      [WarpSize]uint64
	MbarrierOwner int
}

// CopyGroupOp is an instruction that closes or awaits groups of asynchronous copies.
type CopyGroupOp uint8

const (
	CopyCommit   CopyGroupOp = iota // the lanes' copies since the last commit become a group
	CopyWait                        // at most Pending groups of each lane are still unfinished
	CopyWaitAll                     // all copies of each lane are finished, committed or not
	CopyMbarrier                    // the mbarrier at Addr is arrived at when all copies so far are finished
)

// CopyGroup is one of these instructions.
type CopyGroup struct {
	Step
	Op      CopyGroupOp
	Bulk    bool
	Read    bool // only the sources are free again (cp.async.bulk.wait_group.read)
	Pending int
	Owner   int // CopyMbarrier alone
	Addr    [WarpSize]uint64
}

// Split tells that a branch sent the lanes of Step.Mask to different places. Each of Parts
// goes on alone; together they are the mask.
type Split struct {
	Step
	Parts []uint32
}

// Join tells that lanes which had been apart run together again: Step.Mask is all of them,
// Step.PC the instruction that they execute next.
type Join struct {
	Step
	Parts []uint32
}

// Spawn tells that a lane launched a grid, which begins some time after its own has ended. The grid's Launch has the same Origin.
type Spawn struct {
	Step
	Origin *Origin
}
