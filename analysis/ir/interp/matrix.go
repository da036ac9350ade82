package interp

import (
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
)

// This file defines the matrix operations of a warp. Which lane has which element is not specified (PTX ISA, "Matrix
// Fragments for wmma"); here they are dealt out in turn. What the elements hold is not computed.

// matrix reads or writes the thread's elements of a tile: pointer, leading dimension, rows, columns, element's size.
func (r *run) matrix(t *thread, s *ir.Named, args []uint64) bool {
	kind := race.Read
	if s.Op == "matrix.store" {
		kind = race.Write
	}
	lead, rows, columns, size := args[1], args[2], args[3], int(args[4])
	if rows*columns > 1<<12 || size <= 0 || size > 16 {
		r.trap(t, TrapMisuse, "a tile of unusual size")
		return false
	}
	lane := uint64(t.Index % 32)
	t.unknowns++
	value := mix(hashString(s.Op) ^ mix(uint64(t.ID)<<32|t.unknowns))
	for e := lane; e < rows*columns; e += 32 {
		at := args[0] + (e/columns*lead+e%columns)*uint64(size)
		o, offset, ok := r.locate(t, at, size, s.Site, kind)
		if !ok {
			return false
		}
		r.other = Instruction{Stmt: s, Site: s.Site, Kind: kind, Size: size}
		if kind == race.Read {
			v := r.memory.load(o, offset, size)
			value = mix(value ^ v)
			r.report(t, &r.other, o, offset, v, v, false)
			continue
		}
		r.memory.store(o, offset, size, value)
		r.report(t, &r.other, o, offset, 0, value, true)
	}
	r.setReg(t, s.Dst, value)
	return !r.memory.full || r.memoryLimit()
}
