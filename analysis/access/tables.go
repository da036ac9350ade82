package access

import (
	"strings"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/term"
)

// This file names the pointers that a kernel reads from its caller's tables and structs, as in `rows[r][c]` and
// `sim->grid[i]`, by where they stand.
//
// DESIGN. Such a pointer is a function of its place, as long as the kernel puts no pointers there: two reads of
// `sim->grid` lead to the same memory. That two places lead to different memory is the assumption made of
// parameters: pointers do not overlap.

// pointersIn begins the names of these functions.
const pointersIn = "pointers in "

// IsPlaced reports whether a value is a pointer that is known by its place in memory: its arguments.
func IsPlaced(a *term.Atom) bool {
	return a.Kind == term.Func && strings.HasPrefix(a.Name, pointersIn)
}

// pointerIn is what a load of a pointer finds, if it is known by its place.
func (x *executor) pointerIn(s *ir.Load, v Value) (Value, bool) {
	switch {
	case s.T != ir.Ptr || x.host || v.Base == nil || s.Volatile || s.Order != ir.Weak || v.Base.Remote != nil || !x.flow.keepsPointers(s.Ptr):
		return Value{}, false
	case len(v.Base.Either) > 0:
		return x.overAlternatives(v, s.T, func(v Value) (Value, bool) { return x.pointerIn(s, v) })
	case v.Base.Pointer != nil:
		return x.apply(pointersIn+"what a pointer leads to", s.T, v.Base.Pointer, v.P), true
	}
	return x.apply(pointersIn+x.baseName(v.Base), s.T, v.P), true
}
