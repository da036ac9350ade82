package access

import (
	"fmt"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

// This file gives named operations their accesses.

func (x *executor) named(st *state, s *ir.Named) {
	args := x.evaluated(st, s)
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
	case "cp.async.commit", "cp.async.wait", "group.wait", "pipeline.acquire", "pipeline.commit", "pipeline.wait", "pipeline.release", "bulk.commit", "bulk.wait", "bulk.wait.read":
	case "heap.new":
		x.unknown("memory that the kernel allocates", s.Site)
	case "heap.delete":
		x.unknown("memory that the kernel frees", s.Site)
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
	row := t.Poly(t.Fresh(term.Opaque, "row of the tile", 0, rows-1, term.Thread, x.loopBits(), s))
	column := t.Poly(t.Fresh(term.Opaque, "column of the tile", 0, columns-1, term.Thread, x.loopBits(), s))
	p.P = t.Add(p.P, t.Scale(size, t.Add(t.Mul(row, args[0]), column)))
	x.at(st, &Access{Stmt: s, Site: s.Site, Kind: kind, Size: size}, p)
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
