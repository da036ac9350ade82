package access

import (
	"math"
	"math/bits"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

// This file finds the tiles of a warp that masks name.

// tileOf is the size of the tile whose lanes a mask names: n ones, moved to the first of the n lanes
// that the thread's lane is one of. It is 0 for other masks.
func (x *executor) tileOf(mask ir.Expr, value *term.Poly) int64 {
	if n := TileOfLane(mask); n > 0 {
		return n
	}
	return x.tileOfThread(value)
}

// TileOfLane is tileOf for masks as the tiles of cooperative groups have them.
func TileOfLane(mask ir.Expr) int64 {
	shift, ok := mask.(*ir.Binary)
	if !ok || shift.Op != ir.Shl {
		return 0
	}
	ones, ok := shift.X.(*ir.Const)
	first, ok2 := shift.Y.(*ir.Binary)
	if !ok || !ok2 || first.Op != ir.And {
		return 0
	}
	lane, ok := first.X.(*ir.Builtin)
	low, ok2 := first.Y.(*ir.Const)
	n := int64(bits.OnesCount32(uint32(ones.Bits)))
	if !ok || !ok2 || lane.Var != ir.LaneID || uint32(ones.Bits) != 1<<n-1 || n&(n-1) != 0 || ^uint32(low.Bits) != uint32(n-1) {
		return 0
	}
	return n
}

// mostThreads is how many threads a block may have.
const mostThreads = 1024

// tileOfThread computes a mask for each thread that a block may have along one axis.
func (x *executor) tileOfThread(mask *term.Poly) (size int64) {
	thread := x.sum.LinearThread().IsAtom()
	if thread == nil || mask == nil || !mask.MadeOf(thread) {
		return 0
	}
	for t := range int64(mostThreads) {
		value, ok := mask.Value(func(a *term.Atom) (int64, bool) { return ofThread(a, thread, t) })
		lanes, lane := uint32(value), t%race.WarpSize
		n := int64(bits.OnesCount32(lanes))
		if !ok || n == 0 || size != 0 && n != size || n&(n-1) != 0 || lanes != uint32(1<<n-1)<<(lane&^(n-1)) {
			return 0
		}
		size = n
	}
	return size
}

// ofThread computes what a thread's number makes. What int cannot hold of a shift to the left wraps around.
func ofThread(a, thread *term.Atom, t int64) (int64, bool) {
	if a == thread {
		return t, true
	}
	leaf := func(a *term.Atom) (int64, bool) { return ofThread(a, thread, t) }
	if v, ok := a.Operation(leaf); ok || a.Kind != term.Func || a.Name != "shl" || a.Hi != math.MaxInt32 {
		return v, ok
	}
	v, ok1 := a.Args[0].Value(leaf)
	by, ok2 := a.Args[1].Value(leaf)
	return int64(int32(v << (by & 31))), ok1 && ok2 && by >= 0 && by < 32
}
