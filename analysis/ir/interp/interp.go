// Package interp runs the IR of one kernel on concrete values. It replays the witness of a
// race, searches for one by running small launches, and is the oracle of tests: integer and
// floating-point results are exact to the bit, but for transcendental functions.
//
// Compile flattens a function into code for a register machine once; Program.Run executes it
// for one launch. Each thread has its own program counter and runs until it waits or its
// quantum ends (independent thread scheduling); memory is sequentially consistent. A run is
// deterministic: the same launch and options give the same outcome. A Listener sees every
// access, fence and barrier; package hb is the one that finds races.
//
// Limits: what lowering did not understand (ir.Unknown), pure functions that are not known
// here and named operations that are not known here give deterministic arbitrary values, and
// the Outcome says so. Host statements do nothing.
package interp

import (
	"fmt"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
)

// Launch is one launch of a kernel.
type Launch struct {
	Grid, Block race.Dim3
	// Cluster is the cluster's dimensions in blocks. Zero means the kernel's own, or one block.
	Cluster race.Dim3
	// Args holds one value for each parameter.
	Args []Arg
	// Buffers is the memory that pointers in Args point to.
	Buffers []Buffer
	// SharedBytes is the size of `extern __shared__` arrays; 0 means that it is unknown.
	SharedBytes int64
	// Variables gives __device__ and __constant__ variables, by ir.Object.ID, contents other
	// than their Init; Size and Name are not used.
	Variables map[int]Buffer
	// Blocks restricts the run to these blocks of the grid, by linear number (x fastest); nil
	// runs all. Barriers of the grid and of clusters then wait for these blocks only.
	Blocks []int
	// Threads restricts the run to these threads of each block, by linear number (x fastest); nil runs all. The others
	// have ended before it begins, so barriers don't wait for them.
	Threads []int
	// Before are blocks that have run to their end before those of the run begin. The listener sees
	// nothing of them, only memory shows what they did.
	Before []int
}

// NewLaunch returns a launch in which every pointer parameter has a buffer of its own, of
// unknown size and full of zeros, and every scalar is 0.
func NewLaunch(f *ir.Func, grid, block race.Dim3) Launch {
	l := Launch{Grid: grid, Block: block}
	for _, p := range f.Params {
		arg := Arg{}
		if p.Type == ir.Ptr {
			arg = PointerTo(len(l.Buffers), 0)
			l.Buffers = append(l.Buffers, Buffer{Name: p.Name})
		}
		l.Args = append(l.Args, arg)
	}
	return l
}

// Arg is the value of a parameter: bits, or the address of a byte in a buffer or a variable.
type Arg struct {
	Bits     uint64 // a scalar, cut to its width; 0 is the null pointer
	Pointer  bool
	Buffer   int        // index in Launch.Buffers
	Variable *ir.Object // a __device__ variable of the kernel, instead of a buffer
	Offset   int64      // bytes
}

// Int is an Arg of any integer type; it is cut to the parameter's width.
func Int(v int64) Arg { return Arg{Bits: uint64(v)} }

// PointerTo is an Arg that points to a buffer, offset bytes from its start.
func PointerTo(buffer int, offset int64) Arg {
	return Arg{Pointer: true, Buffer: buffer, Offset: offset}
}

// PointerToVariable is an Arg that points into a __device__ variable of the kernel, as
// cudaGetSymbolAddress gives it.
func PointerToVariable(o *ir.Object, offset int64) Arg {
	return Arg{Pointer: true, Variable: o, Offset: offset}
}

// PointerBits is how memory holds a pointer to a byte of a buffer, for pointers in Data.
func PointerBits(buffer int, offset int64) uint64 { return address(buffer, offset) }

// Buffer is memory that a launch gets. With Size 0 its size is unknown: it grows where it is
// touched, negative offsets too, and no access is out of bounds.
type Buffer struct {
	Name string
	Size int64
	Data []byte // initial contents of the first bytes; copied
	Fill Filler // initial contents of the rest; nil means zeros
}

// A Filler gives memory its initial contents. It fills data, whose first byte has the given
// offset, a multiple of 8. The contents must depend on offsets only.
type Filler func(offset int64, data []byte)

// Repeat fills memory with copies of a pattern.
func Repeat(pattern []byte) Filler {
	n := int64(len(pattern))
	if n == 0 {
		return nil
	}
	return func(offset int64, data []byte) {
		for i := range data {
			data[i] = pattern[((offset+int64(i))%n+n)%n]
		}
	}
}

// mix scrambles 64 bits (the finalizer of SplitMix64).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Order is which of the threads that can run goes on.
type Order uint8

const (
	Ascending  Order = iota // in turn, from the first thread of the first block
	Descending              // in turn, from the last thread of the last block
	Shuffled                // any, by the seed, each for a random part of the quantum
	Foremost                // as Ascending, but those that a barrier lets go come before those that wait for their turn
)

// Options choose one of the interleavings of a launch and bound the run.
type Options struct {
	Seed  uint64 // of the order Shuffled and of arbitrary values
	Order Order
	// Quantum is the largest number of steps that a thread runs while others wait for their
	// turn; 0 means 256.
	Quantum int
	// MaxSteps bounds the steps of all threads together; 0 means 20 million.
	MaxSteps int64
	// MaxMemory bounds the touched memory in bytes; 0 means 256 MiB.
	MaxMemory int64
}

// Thread is the identity of a thread in a run.
type Thread struct {
	ID      int // from 0, dense over the threads of the run, in order of blocks and threads
	Block   int // linear number in the grid, x fastest
	Index   int // linear number in the block, x fastest
	Warp    int // in the block
	Lane    int
	Cluster int // the linear number of its cluster
	Coords  race.Thread
	// Returned is set when the thread has ended by a return statement, not by the kernel's end.
	Returned bool
}

func (t *Thread) String() string {
	return fmt.Sprintf("thread %d,%d,%d of block %d,%d,%d", t.Coords.Thread[0], t.Coords.Thread[1], t.Coords.Thread[2],
		t.Coords.Block[0], t.Coords.Block[1], t.Coords.Block[2])
}

// Object is a piece of memory in a run: a buffer, a __device__ variable, or one block's
// instance of a shared variable.
type Object struct {
	ID     int // unique in the run
	Name   string
	Space  ir.Space
	Decl   *ir.Object // nil for a buffer
	Buffer int        // the buffer's index, -1 if it is none
	Block  int        // the block of a shared object
	Size   int64      // 0 if unknown
}

// Access is one access to memory. It is valid only while the Listener's method runs.
type Access struct {
	*Instruction
	Object   *Object
	Offset   int64    // in the object; may lie outside of it
	Old, New uint64   // bits before and after, cut to the type's width; of a copy's first bytes
	Wrote    bool     // false for reads and for a CAS that failed
	Async    *AsyncOp // the copy that did it, nil for the thread itself
}

// Instruction is what the accesses of a statement have in common.
type Instruction struct {
	Stmt     ir.Stmt // Load, Store or Atomic; Named for an asynchronous copy
	Site     int
	Kind     race.Access
	Size     int
	Strength ir.Strength
}

// AsyncOp is one asynchronous copy. Tag is the listener's.
type AsyncOp struct {
	Stmt *ir.Named
	Tag  any
}

// Phase is one use of a barrier. Threads arrive at it, and those that wait are released once
// enough have arrived. Tag is the listener's.
type Phase struct{ Tag any }

// Listener sees what a run does, in the order of the run. Accesses to local memory are left
// out. Pointers are valid during the run, but for Access.
type Listener interface {
	Access(t *Thread, a *Access)
	Fence(t *Thread, s *ir.Fence)
	ProxyFence(t *Thread)
	// Arrive says that a thread has come to a barrier; Release, that threads go on because
	// all have come. A thread that only arrives is never released, and a thread that waits
	// for a phase it did not arrive at is released only.
	Arrive(t *Thread, p *Phase, site int)
	Release(p *Phase, threads []*Thread)
	// AsyncIssue says that a thread has begun a copy; the copy's accesses follow later;
	// AsyncWait, that a thread has waited for copies, its own or those of an mbarrier.
	AsyncIssue(t *Thread, op *AsyncOp)
	AsyncWait(t *Thread, ops []*AsyncOp)
	Exit(t *Thread)
}

// Outcome is how a run ended.
type Outcome struct {
	Steps int64
	// Limit says which bound ended the run: "", "steps", "memory" or "cancelled"; or it is Standstill.
	Limit       string
	Trap        *Trap // what ended the run, nil if nothing did
	OutOfBounds []OutOfBounds
	// Opaque holds, sorted, what gave arbitrary values: unknown statements' reasons, names of
	// unknown functions and operations, uses without a defined result.
	Opaque []string
	// Deadlock holds the threads that wait for ever.
	Deadlock []Waiting
	// Divergent holds barriers of a block at which threads met from different sites.
	Divergent []Divergence
	Memory    *Memory
}

// Standstill is the limit of a run in which each thread that can run waits in a loop for what none of them
// does. It is noticed of those that poll by atomics, or by reads that are volatile or have an order.
const Standstill = "standstill"

// Completed reports whether every thread came to its end.
func (o *Outcome) Completed() bool { return o.Limit == "" && o.Trap == nil && len(o.Deadlock) == 0 }

// TrapKind says what ended a launch.
type TrapKind uint8

const (
	TrapStatement  TrapKind = iota // the kernel traps itself
	TrapDivision                   // integer division by zero
	TrapPointer                    // an access through what is no address
	TrapAssumption                 // an Assume does not hold: the launch is not one that can happen
	TrapMisuse                     // a barrier or warp operation with operands that have no meaning
)

// Trap is an event that ends the launch.
type Trap struct {
	Kind   TrapKind
	Thread *Thread
	Stmt   ir.Stmt
	Site   int // -1 if the statement has none
	Reason string
}

// OutOfBounds is an access outside of an object. The first of each site and object is kept.
type OutOfBounds struct {
	Thread *Thread
	Site   int
	Object *Object
	Offset int64
	Kind   race.Access
}

// Waiting is a thread that waits for ever.
type Waiting struct {
	Thread *Thread
	Site   int
	For    string // "block barrier", "warp barrier", "grid barrier", "shfl" …
}

// Divergence is a pair of sites at which threads of one block met in one barrier.
type Divergence struct {
	First, Second             int // sites
	FirstThread, SecondThread *Thread
}

// addresses: an object's number above, its bytes around the middle of the low 40 bits, so
// that an offset can go wrong by far without hitting another object.
const (
	objectShift = 40
	objectBias  = 1 << 39
	offsetMask  = 1<<objectShift - 1
)

// addresses of shared memory in 32 bits: an object's number above, and its bytes, of which a
// block has less than 2^18 (CUDA C++ Programming Guide, "Technical Specifications").
const (
	sharedShift = 19
	sharedBias  = 1 << 17
)

func sharedAddress(generic uint64) uint64 {
	offset := generic&offsetMask - objectBias
	return uint64(uint32(generic>>objectShift<<sharedShift | (offset+sharedBias)&(1<<sharedShift-1)))
}

func genericAddress(shared uint32) uint64 {
	offset := uint64(shared&(1<<sharedShift-1)) - sharedBias
	return uint64(shared>>sharedShift)<<objectShift + objectBias + offset
}

func address(object int, offset int64) uint64 {
	return uint64(object+1)<<objectShift + objectBias + uint64(offset)
}
