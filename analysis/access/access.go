// Package access finds every access of a kernel by running its IR on symbolic values: which
// memory, which address, under which path condition, in which loops, with which strength.
// The same run over a host function gives its launches and what holds where they stand.
package access

import (
	"slices"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

// Base is the memory that an address points into. Two bases are different memory, but for
// an unknown one, which may be any.
type Base struct {
	Name   string
	Space  ir.Space
	Object *ir.Object // a shared array or a device variable
	Param  *ir.Param  // what a pointer parameter points to
	Alloc  *ir.Alloc  // device memory that the host allocated
	// Pointer is the value of a pointer that was itself read from memory.
	Pointer *term.Poly
	// Remote is the rank, in the cluster, of the block whose instance of a shared Object this is;
	// nil for the thread's own block.
	Remote *term.Poly
	// Either lists the memory that a pointer may point into, by condition.
	Either []Alternative
}

// AddressOf is the memory at whose beginning an address is, nil if an atom is none.
func AddressOf(a *term.Atom) *Base {
	if b, ok := a.Ref.(*Base); ok && a.Kind == term.Func && len(a.Args) == 1 {
		return b
	}
	return nil
}

// IsNull reports whether what a pointer points to is nothing.
func (b *Base) IsNull() bool { return b.Name == nullName }

// nullName is no name of a variable.
const nullName = "nullptr"

// Alternative is one of the values that a pointer may have.
type Alternative struct {
	When *term.Cond
	To   Value
}

// Value is the symbolic value of an expression: P is an integer, an uninterpreted number for
// a float, or a pointer's offset in bytes from Base; Truth is set instead for a Bool.
type Value struct {
	P     *term.Poly
	Base  *Base
	Truth *term.Cond
}

// Loop is a loop around an access.
type Loop struct {
	Bit    uint64 // its bit in term.Atom.Loops
	Stmt   *ir.Loop
	Iter   *term.Atom    // the number of the iteration
	Varies term.Variance // whether threads may run it for a different number of iterations
	Rounds *term.Poly    // how often it goes round if it does at all and its condition ends it, nil if that is not known
	looked bool          // Rounds is set, or not known
	// Behind are the numbers of the round in which it was left, as what stands behind it has them: one for each way out.
	Behind []*term.Atom
	// Ran are, where its condition has ended it, how often it went round, as far as that is known: one of them is right.
	Ran []*term.Poly
	// Before is what registers hold when it is entered, by the atoms for what they hold in a round.
	Before map[*term.Atom]*term.Poly
	// turns is how often it has gone round in the last run if that is not negative, else it has not; nil if there are
	// other ways out than its condition, or if it is not known.
	turns  *term.Poly
	while  *term.Cond          // its condition in any round
	first  int                 // of the atoms, the first that the loop has made
	ended  []*term.Cond        // what holds at the end of a round; see knownAtEnd
	onward []*ir.Reg           // whose values at the start of a round are known only if there is one; see settle
	grown  []*term.Cond        // how far registers have been raised that only some rounds raise
	scaled []scaled            // registers that each round multiplies by a constant
	raised map[*ir.If][]raised // counters that only one branch of each round raises
}

// Inside reports whether loops around one place are those around another, and perhaps more inside of them.
func Inside(inner, outer []*Loop) bool {
	return len(inner) >= len(outer) && slices.Equal(inner[:len(outer)], outer)
}

// Access is one static access of the kernel.
type Access struct {
	Stmt ir.Stmt // *ir.Load, *ir.Store, *ir.Atomic or *ir.Named
	Site int
	Kind race.Access
	Base *Base
	Off  *term.Poly // bytes from the base
	Size int64      // bytes
	ir.Part
	// ByData says how the address hangs on what memory holds, for threads of a grid; InBlock for those of
	// one block, who see alike what its blocks read for themselves.
	ByData, InBlock ByData
	// Common is the part of the address that all threads of a block read from memory alike.
	Common *term.Poly
	ir.Strength
	When    []*term.Cond
	Bounds  int        // how many of them, in front, say that subscripts are within their arrays
	Loops   []*Loop    // outermost first
	Compare *term.Poly // what a compare-and-swap compares with
	Value   *term.Poly // what a store writes or an atomic's operand is, nil if unknown
	Within  *Within    // the subscripts of structs' members in the address, nil if there are none
	Update  bool       // a load and a store of one place in one expression, as `x += v` makes them
	Result  *term.Atom // what a load or an atomic returns, nil if nothing is made of it
	Unset   bool       // a read of shared memory beyond what the threads of a block write
	// Copy is set for what an asynchronous copy reads or writes: it happens at some time between
	// the statement and its thread's wait for it.
	Copy *Copy
}

// Within is the part of an address that subscripts of arrays in structs make: from 0 to so many bytes.
type Within struct {
	Off, Rest *term.Poly // the part, and what remains
	Most      int64
}

// Outside is where the outermost arrays in structs begin whose elements an access may touch, and how many bytes of
// them it may reach.
func (a *Access) Outside() (from *term.Poly, size int64) {
	if a.Within == nil {
		return a.Off, a.Size
	}
	return a.Within.Rest, a.Size + a.Within.Most
}

// Type is the type of what an access reads or writes, Void if nothing says.
func (a *Access) Type() ir.Type {
	switch s := a.Stmt.(type) {
	case *ir.Load:
		return s.T
	case *ir.Store:
		return s.T
	case *ir.Atomic:
		return s.T
	}
	return ir.Void
}

// Finds is the number that a read finds which a write has put into its place, in the read's own type: -1 is the
// greatest number to who reads it without a sign. It is nil if that is not known.
func (s *Summary) Finds(read, w *Access) *term.Poly {
	to, from := read.Type(), w.Type()
	switch {
	case w.Value == nil || to == from:
		return w.Value
	case !to.IsInt() || !from.IsInt() || to.Size() != from.Size():
		return nil
	}
	min, max := typeRange(to)
	if lo, hi := w.Value.Range(); min <= lo && hi <= max {
		return w.Value
	}
	if v, ok := w.Value.IsConst(); ok && to != ir.Bool {
		return s.T.Const(to.Cut(v))
	}
	return nil
}

// Copy says which threads make an asynchronous copy, and what ends it.
type Copy struct {
	// Group is the level of the threads that share the copy, each making some part of it that
	// nothing specifies; Alone if one thread makes it.
	Group ir.Level
	Alone bool
	Tile  int64 // threads of a group within a warp, 0 if unknown
	// Barrier is the mbarrier that it ends with; without one it ends with its thread's group of
	// copies, which the statement itself closes if Closed is set.
	Barrier *Value
	Closed  bool
	Bulk    bool // a bulk copy: its group is one of these, and its bytes are counted by the barrier
}

// Writes reports whether the access may change memory.
func (a *Access) Writes() bool { return a.Kind != race.Read }

// GivesBack reports whether the access is an atomic that writes what it has found there, as `atomicAdd(p, 0)` does. Of
// floating-point numbers, -0 + 0 is another one than -0.
func (a *Access) GivesBack() bool {
	at, ok := a.Stmt.(*ir.Atomic)
	if !ok || a.Value == nil || at.T.IsFloat() {
		return false
	}
	x, constant := a.Value.IsConst()
	switch at.Op {
	case ir.AtomicCAS:
		return a.Compare != nil && a.Compare.Equal(a.Value)
	case ir.AtomicAdd, ir.AtomicSub, ir.AtomicOr, ir.AtomicXor:
		return constant && x == 0
	}
	return false
}

// Exchange is what a lane brings into a vote, into a search for lanes with the same value, or into a shuffle
// from another lane.
type Exchange struct {
	Mask         *term.Poly // of the lanes that take part
	Vote         *term.Cond // nil if it is no vote
	Brings, From *term.Poly // the value, and the lane whose value a shuffle takes
	When         []*term.Cond
}

// Event is a synchronizing operation.
type Event struct {
	Stmt  ir.Stmt // *ir.Barrier, *ir.Fence, *ir.Named or *ir.WarpOp
	Site  int
	When  []*term.Cond // the conditions around it
	Ended []*term.Cond // what holds because loops before it have ended, or by assumption
	Left  []*term.Cond // what holds because threads for which it did not have returned
	Loops []*Loop
	Mask  *term.Poly // the lanes of a warp's barrier or exchange, nil if there is none or it is unknown
	ID    *term.Poly // the number of a block's barrier, nil for 0
	Count *term.Poly // the threads that it waits for, nil for all
	// ByData is set if memory has a say in which threads meet there.
	ByData bool
	Tile   int64   // the threads of the tile that a warp barrier holds, 0 if it is no tile's
	Args   []Value // of a Named
}

// Reason is something that was not understood, and where.
type Reason struct {
	Text string
	Site int // -1 if it has none
}

// Launch is what is known where a kernel is launched. Its terms belong to the kernel's table.
type Launch struct {
	Stmt        *ir.Launch
	Grid, Block [3]*term.Poly
	Args        []Value
	When        []*term.Cond
	Sizes       bool      // the terms rest on sizes being positive
	cluster     race.Dim3 // in blocks, zero if unknown
	earlier     *earlier
	held        []Held // see tables
	constants   []Held // the numbers that the host has put into constant memory
}

// Summary is all that a kernel does to memory, seen from one launch.
type Summary struct {
	Func     *ir.Func
	T        *term.Table
	Launch   *Launch // nil if none is known
	Accesses []*Access
	Events   []*Event
	Loops    map[*ir.Loop]*Loop
	Reasons  []Reason
	// Polled are the loads and atomics whose result decides whether a loop goes on.
	Polled map[ir.Stmt]bool
	// Taken says of the branches that are reached which sides threads may take in this launch.
	Taken map[*ir.If]Sides
	// Onward says of branches in the bodies of loops from which sides the loop goes round once more.
	Onward map[*ir.If]Sides
	// Words says where values lie that the kernel reads at one place of memory which nobody writes.
	Words map[*term.Atom]Word
	// Compared are the comparisons of what memory holds, also those that decide only what a thread computes.
	Compared []*term.Cond
	// Tables are the names of what constant memory holds at places that threads choose.
	Tables map[string]bool
	// Exchanges are the votes and shuffles of warps.
	Exchanges map[*ir.WarpOp]*Exchange
	// Meetings are where lanes wait for those that the mask of an exchange names, a constant.
	Meetings []*Event
	// Variance says which registers may differ between threads; Params is what the parameters
	// that are used hold.
	Variance Variances
	Params   map[*ir.Param]Value
	// Assumes are the assumptions that values rest on, such as "index arithmetic does not overflow".
	Assumes map[string]bool

	Grid, Block, ThreadIdx, BlockIdx [3]*term.Poly
	Given                            []*term.Cond // what holds at the start: the launch's conditions
	// Expected is what the kernel asserts of the numbers of a launch, wherever in it.
	Expected []*term.Cond
	// Cluster is the dimensions of a cluster in blocks, zero if unknown.
	Cluster race.Dim3
	// Tile is the number of threads of the smallest tile that syncs, if it is part of a warp, else 0.
	Tile int64
}

// Word is a place in memory, in bytes from its beginning.
type Word struct {
	Base   *Base
	Offset int64
	Type   ir.Type
}

// Sides are the two sides of a branch.
type Sides struct{ Then, Else bool }

// Sides gives the sides of a branch that threads may take; both where nothing is known of it.
func (s *Summary) Sides(b *ir.If) (then, els bool) {
	taken, ok := s.Taken[b]
	return taken.Then || !ok, taken.Else || !ok
}

// GoesOn gives the sides of a branch in a loop's body from which another round may follow.
func (s *Summary) GoesOn(b *ir.If) (then, els bool) {
	onward, ok := s.Onward[b]
	return onward.Then || !ok, onward.Else || !ok
}

// InCluster gives the block's coordinates in its cluster, and those of the cluster in the grid, of
// clusters of known dimensions.
func (s *Summary) InCluster() (block, cluster [3]*term.Poly) {
	for i := range 3 {
		block[i] = s.T.Remainder(s.BlockIdx[i], s.T.Const(int64(s.Cluster[i])))
		cluster[i] = s.T.Quotient(s.BlockIdx[i], s.T.Const(int64(s.Cluster[i])))
	}
	return block, cluster
}

// RankInCluster is the block's number in its cluster, x running fastest.
func (s *Summary) RankInCluster() *term.Poly {
	t := s.T
	block, _ := s.InCluster()
	row := t.Add(block[1], t.Scale(int64(s.Cluster[1]), block[2]))
	return t.Add(block[0], t.Scale(int64(s.Cluster[0]), row))
}

// LinearThread is the thread's number in its block, by which warps are formed (CUDA
// Programming Guide, "Thread Hierarchy").
func (s *Summary) LinearThread() *term.Poly {
	t := s.T
	row := t.Add(s.ThreadIdx[1], t.Mul(s.Block[1], s.ThreadIdx[2]))
	return t.Add(s.ThreadIdx[0], t.Mul(s.Block[0], row))
}

// Lane is the thread's number in its warp.
func (s *Summary) Lane() *term.Poly { return s.T.Remainder(s.LinearThread(), s.T.Const(32)) }

// ThreadGroup is the number of the group that a thread belongs to, if so many threads each, one after
// the other, form groups.
func (s *Summary) ThreadGroup(size int64) *term.Poly {
	return s.T.Quotient(s.LinearThread(), s.T.Const(size))
}
