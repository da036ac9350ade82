// This file defines what events refer to: launches and their programs, source locations, and
// allocations.

package event

import "github.com/warplint/warplint/analysis/race"

// Launch is one execution of a kernel.
type Launch struct {
	ID      int // counts from 1 on each device
	Kernel  string
	Program Program
	Grid    race.Dim3 // blocks
	Block   race.Dim3 // threads
	Cluster race.Dim3 // blocks; all ones without clusters
	// SharedSize is the shared memory of each block in bytes, static and dynamic.
	SharedSize int
	Shared     []Variable // the kernel's static shared variables, by offset
	Pointers   []Pointer  // the parameters that point into an allocation, in order
	// Written are the allocations that the kernel writes, by its instructions, and Updated those that it accesses in no other way
	// than by relaxed atomics of four bytes, of device scope at least. An access beyond what its pointer leads to may still
	// come to another one. Bounded is set if they are known.
	Written []*Allocation
	Updated []*Allocation
	Bounded bool
	// Narrow are the allocations of which the kernel accesses pieces of one or two bytes, and all of which it accesses weakly, as
	// far as Bounded says what it accesses.
	Narrow []Narrow
	// NarrowShared is the number of bytes, one or two, of the smallest pieces of shared memory that the kernel may access, if it accesses
	// all of it weakly and copies none; otherwise 0.
	NarrowShared int
	Cooperative  bool
	From         string  // what the runtime says of the call that launched it; may be empty
	Launches     bool    // the kernel may launch others
	Origin       *Origin // nil if the host has launched it
	More         bool    // set at the end of a launch, if kernels have launched others that now follow
	// Memory is there as long as the launch runs; nil if it can't be looked at.
	Memory Memory
	// Trials is there during LaunchBegin only, and nil if no block can run alone: then blocks run
	// together by cooperation or in clusters, or the kernel allocates memory or launches others, or nothing is executed.
	Trials Trials
	// Err is set at the end of a launch that failed.
	Err error
}

// Narrow is an allocation that is accessed in pieces.
type Narrow struct {
	*Allocation
	Bytes int // of the smallest one
}

// Memory shows what memory holds at the time of an event: of a store, what it will overwrite.
type Memory interface {
	// Word returns the four bytes at an address, which is a multiple of four: an offset in the owner's for shared
	// memory, whose owner is a block. It reports false if there is no such memory.
	Word(space Space, owner int, address uint64) (uint32, bool)
}

// Origin is the launch of a grid by a thread of another one.
type Origin struct {
	Parent *Launch
	// Stream is 0 for the one of the block, 3 for the tail stream, 4 for the one that has no order, else one that some
	// thread of the parent has made.
	Stream uint64
	// After are the grids of the same parent that this one follows in its stream, or by an event.
	After []*Origin
}

// Tail reports whether the grid begins when its parent has ended, with all the others that this launched.
func (o *Origin) Tail() bool { return o.Stream == 3 }

// Threads returns the number of threads of a block.
func (l *Launch) Threads() int { return l.Block.Count() }

// Warps returns the number of warps of a block.
func (l *Launch) Warps() int { return (l.Threads() + WarpSize - 1) / WarpSize }

// Thread returns the coordinates of a lane.
func (l *Launch) Thread(block, warp, lane int) race.Thread {
	return race.Thread{Block: unflatten(block, l.Grid), Thread: unflatten(warp*WarpSize+lane, l.Block)}
}

// ClusterOf numbers the cluster that a block belongs to; without clusters, each block is one.
func (l *Launch) ClusterOf(block int) int {
	at := unflatten(block, l.Grid)
	nx, ny := l.Grid[0]/l.Cluster[0], l.Grid[1]/l.Cluster[1]
	return at[0]/l.Cluster[0] + nx*(at[1]/l.Cluster[1]+ny*(at[2]/l.Cluster[2]))
}

func unflatten(i int, size race.Dim3) race.Dim3 {
	return race.Dim3{i % size[0], i / size[0] % size[1], i / (size[0] * size[1])}
}

// Variable is a named piece of shared memory.
type Variable struct {
	Name         string
	Offset, Size int // bytes
}

// Pointer is a parameter whose value is an address in an allocation that has no name of its own in
// the source: one of cudaMalloc, say, but not a variable.
type Pointer struct {
	Parameter  int // from 0
	Address    uint64
	Base, Size uint64 // of the allocation
}

// Program is what instructions belong to.
type Program interface {
	// Instructions is one more than the largest PC.
	Instructions() int
	// Location says where an instruction comes from.
	Location(pc uint32) Location
	// Polls reports whether an instruction reads in a loop that goes round until another thread
	// changes what it reads.
	Polls(pc uint32) bool
	// Guesses reports whether an instruction reads what a compare-and-swap of the same place then checks.
	Guesses(pc uint32) bool
	// Unread reports whether an instruction is an atomic whose result nothing reads: no thread is told of another by it.
	Unread(pc uint32) bool
	// InTurn reports whether a thread may come from one of two instructions to the other without going round a loop that holds both.
	InTurn(a, b uint32) bool
	// Leads reports whether a thread may come from one instruction to another one behind it, if need be round a loop.
	Leads(from, to uint32) bool
}

// Place is a line and column of a source file, both counted from 1; zero if unknown.
type Place struct {
	File         string
	Line, Column int
}

// Location is the origin of an instruction.
type Location struct {
	Function string // the PTX function that holds it
	Place           // the innermost source place, as .loc gives it
	// Inlined holds the calls through which the place got into the function, the outermost
	// first; empty if it stands in the function itself.
	Inlined []Place
	PTXLine int    // line of the PTX text, from 1
	Text    string // the PTX instruction
}

// AllocationKind says where memory comes from.
type AllocationKind uint8

const (
	DeviceMemory AllocationKind = iota // cudaMalloc and its kin
	HostMemory                         // managed, pinned or registered memory of the host process
	ModuleMemory                       // a __device__, __managed__ or __constant__ variable
	KernelHeap                         // malloc in a kernel
)

// Allocation is a piece of global memory.
type Allocation struct {
	ID         int // never used again on the same device
	Base, Size uint64
	Kind       AllocationKind
	// Name is the variable's name for ModuleMemory, otherwise what the runtime says of it (the
	// host's source line, say); may be empty.
	Name  string
	Freed bool
}
