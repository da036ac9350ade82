package access

import (
	"fmt"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

// This file gives asynchronous copies and barriers in memory their accesses. When a copy takes
// place, and what the barriers order, is for package meet to say.

// evaluated are the values of a statement's arguments.
func (x *executor) evaluated(st *state, s *ir.Named) []Value {
	args := make([]Value, len(s.Args))
	for i, a := range s.Args {
		args[i] = x.eval(st, a)
	}
	return args
}

// copy records what an asynchronous copy reads and writes.
func (x *executor) copy(st *state, s *ir.Named, args []Value) {
	c := &Copy{Alone: s.Op != "group.copy", Bulk: s.Op == "bulk.copy", Closed: s.Op == "group.copy" && len(args) == 5}
	if last := len(args) - 1; last >= 3 && s.Args[last].Type() == ir.Ptr {
		c.Barrier = &args[last]
	}
	size := x.number(args[2])
	read := size
	if c.Alone && len(args) > 3 && c.Barrier == nil {
		read = x.extreme(term.Min, x.number(args[3]), size)
	}
	if !c.Alone {
		level, ok := x.number(args[3]).IsConst()
		tile, ok2 := x.number(args[4]).IsConst()
		if !ok || !ok2 {
			x.unknown("a copy by an unknown group", s.Site)
			return
		}
		c.Group, c.Tile = ir.Level(level), tile
	}
	x.stretch(st, s, c, race.Read, s.Args[1], args[1], read)
	if to := args[0].Base; to != nil && to.Space == ir.Constant {
		x.unknown("where a copy by a tensor map writes is for the map to say", s.Site)
		return
	}
	x.stretch(st, s, c, race.Write, s.Args[0], args[0], size)
}

// stretch records an access of so many bytes. Where their number is no constant, or a group shares
// them, the access is to any one piece.
func (x *executor) stretch(st *state, s *ir.Named, c *Copy, kind race.Access, ptr ir.Expr, at Value, size *term.Poly) {
	if at.Base == nil || x.ofNumbers[at.Base] {
		x.unknown(fromInteger, s.Site)
		return
	}
	t := x.t
	a := &Access{Stmt: s, Site: s.Site, Kind: kind, Copy: c}
	n, fixed := size.IsConst()
	if fixed && n <= 0 {
		return
	}
	if a.Size = n; fixed && c.Alone {
		x.subscripts(st, a, ptr)
	} else {
		a.Size = piece(size)
		count := size
		if a.Size > 1 {
			count = x.t.Quotient(size, t.Const(a.Size))
		}
		i := t.Poly(t.Fresh(term.Symbol, "piece of the copy", 0, term.NoHi, term.Thread, x.loopBits(), nil))
		a.When = []*term.Cond{t.Lt(i, count)}
		at.P = t.Add(at.P, t.Scale(a.Size, i))
	}
	x.at(st, a, at)
}

// piece is the greatest power of two that divides a number of bytes, 16 at most.
func piece(size *term.Poly) int64 {
	for p := int64(16); p > 1; p /= 2 {
		if size.Gcd()%p == 0 && size.Constant()%p == 0 {
			return p
		}
	}
	return 1
}

// barrier records the access that an operation on a barrier in memory makes to the barrier itself:
// it must not come before its initialization.
func (x *executor) barrier(st *state, s *ir.Named, args []Value) {
	if len(args) == 0 || s.Args[0].Type() != ir.Ptr {
		x.unknown(fmt.Sprintf("`%s` without an address", s.Op), s.Site)
		return
	}
	a := &Access{Stmt: s, Site: s.Site, Kind: race.Read, Size: 8, Strength: ir.Strength{Order: ir.Relaxed, Scope: race.ScopeBlock}}
	if s.Op == "mbarrier.init" {
		a.Kind, a.Strength = race.Write, ir.Strength{}
		if len(args) > 1 {
			a.Value = x.number(args[1])
		}
	}
	x.at(st, a, args[0])
}
