package access

import (
	"fmt"
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

// This file gives named operations their accesses.

func (x *executor) named(st *state, s *ir.Named) {
	args := x.evaluated(st, s)
	if strings.HasPrefix(s.Op, "mbarrier.") || s.Op == "group.copy" {
		for i, v := range args {
			if v.P != nil {
				args[i].P = x.decided(st, v.P)
			}
		}
	}
	if slices.ContainsFunc(args, func(v Value) bool { return x.ofNumbers[v.Base] }) {
		x.unknown(fromInteger, s.Site)
	}
	x.event(st, &Event{Stmt: s, Site: s.Site, Args: args})
	if s.Dst != nil {
		x.set(st, s.Dst, x.opaque(s.Op, term.Thread, s.Dst.Type, s))
	}
	switch s.Op {
	case "special", "matrix.mma": // registers only
	case "matrix.load":
		x.matrix(st, s, race.Read)
	case "matrix.store":
		x.matrix(st, s, race.Write)
	case "surface.read":
		x.surface(st, s, race.Read)
	case "surface.write":
		x.surface(st, s, race.Write)
	case "cp.async", "bulk.copy", "group.copy":
		x.copy(st, s, args)
	case "mbarrier.init", "mbarrier.arrive", "mbarrier.arrive_drop", "mbarrier.expect", "mbarrier.wait", "mbarrier.test":
		x.barrier(st, s, args)
	case "cp.async.commit", "cp.async.wait", "group.wait", "pipeline.acquire", "pipeline.commit", "pipeline.wait", "pipeline.release", "bulk.commit", "bulk.wait", "bulk.wait.read", "proxy.fence":
	case "heap.new":
		x.set(st, s.Dst, x.takeFromHeap(s))
	case "heap.delete":
		x.giveBack(st, s)
	case "grid.launch":
		x.unknown("a launch by the kernel itself", s.Site)
	default:
		x.unknown(fmt.Sprintf("operation `%s`", s.Op), s.Site)
	}
}

// matrix is a tile that a warp reads or writes together. Which lane has which element is not
// specified (PTX ISA, "Matrix Fragments for wmma"), so each lane may have any.
func (x *executor) matrix(st *state, s *ir.Named, kind race.Access) {
	p := x.eval(st, s.Args[0])
	var args [4]*term.Poly // leading dimension, rows, columns, element's size
	for i := range args {
		args[i] = x.number(x.eval(st, s.Args[i+1]))
	}
	rows, ok1 := args[1].IsConst()
	columns, ok2 := args[2].IsConst()
	size, ok3 := args[3].IsConst()
	if !ok1 || !ok2 || !ok3 || p.P == nil {
		x.unknown("a tile of unknown size", s.Site)
		return
	}
	t := x.t
	row := t.Poly(t.Fresh(term.Symbol, "row of the tile", 0, rows-1, term.Thread, x.loopBits(), s))
	column := t.Poly(t.Fresh(term.Symbol, "column of the tile", 0, columns-1, term.Thread, x.loopBits(), s))
	a := &Access{Stmt: s, Site: s.Site, Kind: kind, Size: size}
	if c := x.withinRow(p.P, size, column, columns, args[0]); kind == race.Write && c != nil {
		a.When = []*term.Cond{c}
		x.assume(tilesWithinRows)
	}
	p.P = t.Add(p.P, t.Scale(size, t.Add(t.Mul(row, args[0]), column)))
	x.at(st, a, p)
}

// tilesWithinRows is the assumption that a tile whose rows are a leading dimension apart ends before that: store_matrix_sync
// writes whole tiles, so that a matrix with rows that are no multiple of them is written where other tiles are.
const tilesWithinRows = "tiles end within their rows"

// withinRow says that a column of a tile lies below the leading dimension, if that is no known number and what stands in
// the tile's address beside multiples of it is a column: coordinates with known factors.
func (x *executor) withinRow(at *term.Poly, size int64, column *term.Poly, columns int64, lead *term.Poly) *term.Cond {
	t := x.t
	of := lead.IsAtom()
	if of == nil || of.Variance != term.Grid || of.Loops != 0 {
		return nil
	}
	first := t.Const(0)
	for _, m := range at.Terms() {
		atoms := m.Mono.Atoms
		switch {
		case slices.Contains(atoms, of) || len(atoms) == 0:
		case x.isCoordinate(atoms) && m.Coef%(size*columns) == 0:
			first = t.Add(first, t.Monomial(m.Coef/size, atoms))
		default:
			return nil
		}
	}
	return t.Lt(t.Add(first, column), lead)
}

// isCoordinate reports whether a product is the number of a thread, a block or an iteration, or of as many blocks' threads.
func (x *executor) isCoordinate(product []*term.Atom) bool {
	varies := 0
	for _, a := range product {
		if a.Variance > term.Grid || a.Loops != 0 {
			varies++
		} else if !slices.ContainsFunc(x.sum.Block[:], func(length *term.Poly) bool { return length.IsAtom() == a }) {
			return false
		}
	}
	return varies == 1
}

// surface is an element of a surface. Coordinates outside of it trap or touch nothing (CUDA C++
// Programming Guide, "Surface Functions"), so each lies within its dimension.
func (x *executor) surface(st *state, s *ir.Named, kind race.Access) {
	t, n := x.t, len(s.Args)-1
	size, ok := x.number(x.eval(st, s.Args[n])).IsConst()
	if !ok {
		x.unknown("a surface of unknown elements", s.Site)
		return
	}
	of := x.number(x.eval(st, s.Args[0]))
	at := &Access{Stmt: s, Site: s.Site, Kind: kind, Size: size}
	off, stride := t.Const(0), t.Const(1)
	for i, arg := range s.Args[1:n] {
		extent := t.Poly(t.Named(term.Symbol, fmt.Sprintf("extent %d of surface %s", i, of.Key()), 1, 1<<20, term.Grid))
		c, last := x.number(x.eval(st, arg)), int64(1)
		if i == 0 {
			last = size // in bytes
		}
		at.When = append(at.When, t.Le(t.Const(0), c), t.Le(t.Offset(c, last), extent))
		off = t.Add(off, t.Mul(stride, c))
		stride = t.Mul(stride, extent)
	}
	x.at(st, at, Value{P: off, Base: x.surfaceBase(of)})
}

// surfaceBase is the memory of a surface object.
func (x *executor) surfaceBase(of *term.Poly) *Base {
	key := "surface " + of.Key()
	if x.memory[key] == nil {
		x.memory[key] = &Base{Name: "surface", Space: ir.Global, Pointer: of}
	}
	return x.memory[key]
}
