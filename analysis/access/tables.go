package access

import (
	"encoding/binary"
	"strings"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/term"
)

// This file names the pointers that a kernel reads from its caller's tables and structs, as in `rows[r][c]` and
// `sim->grid[i]`, by where they stand.
//
// DESIGN. Such a pointer is a function of its place, as long as the kernel puts no pointers there: two reads of
// `sim->grid` lead to the same memory. That two places lead to different memory is the assumption made of
// parameters: pointers do not overlap. It is not made of links, as those of lists and trees: a node may have several
// predecessors, and be one of those that the kernel comes to in other ways.

// pointersIn begins the names of these functions.
const pointersIn = "pointers in "

// allocatedBy begins the name of the address of memory that the host has allocated in a round of its loops, known by the round.
const allocatedBy = "memory that the host allocates at "

// IsPlaced reports whether a value is a pointer that is known by its place in memory: its arguments.
func IsPlaced(a *term.Atom) bool {
	return a.Kind == term.Func && (strings.HasPrefix(a.Name, pointersIn) || isAllocatedInRound(a) || IsFresh(a))
}

func isAllocatedInRound(a *term.Atom) bool {
	return a.Kind == term.Func && strings.HasPrefix(a.Name, allocatedBy)
}

// pointerIn is what a load of a pointer finds, if it is known by its place.
func (x *executor) pointerIn(s *ir.Load, v Value) (Value, bool) {
	switch {
	case s.T != ir.Ptr || s.Link || x.host || v.Base == nil || s.Volatile || s.Order != ir.Weak || v.Base.Remote != nil || !x.flow.keepsPointers(s.Ptr):
		return Value{}, false
	case len(v.Base.Either) > 0:
		return x.overAlternatives(v, s.T, func(v Value) (Value, bool) { return x.pointerIn(s, v) })
	case v.Base.Pointer != nil:
		return x.heldAt(v, x.apply(pointersIn+"what a pointer leads to", s.T, v.Base.Pointer, v.P)), true
	}
	return x.heldAt(v, x.apply(pointersIn+x.baseName(v.Base), s.T, v.P)), true
}

// tablesKeep is the assumption that the host does not replace the numbers which the source gives a table.
const tablesKeep = "tables in constant memory hold what the source gives them"

// maxTable bounds the numbers of a table that are looked at.
const maxTable = 4096

// inTable bounds the numbers that a read of a table finds, whose index may be any of those that its form allows.
func (x *executor) inTable(table []byte, typ ir.Type, off *term.Poly) (lo, hi int64) {
	lo, hi = typeRange(typ)
	size, step := typ.Size(), off.Gcd()
	at := off.Constant()
	if step <= 0 || size > 8 || int64(len(table))/step > maxTable {
		return lo, hi
	}
	if at %= step; at < 0 {
		at += step
	}
	least, most := hi, lo
	for ; at+size <= int64(len(table)); at += step {
		var buf [8]byte
		copy(buf[:], table[at:at+size])
		n := int64(binary.LittleEndian.Uint64(buf[:]))
		if shift := 64 - 8*size; typ.IsSigned() {
			n = n << shift >> shift
		} else if n < 0 {
			return lo, hi
		}
		least, most = min(least, n), max(most, n)
	}
	if least > most {
		return lo, hi
	}
	x.assume(tablesKeep)
	return least, most
}
