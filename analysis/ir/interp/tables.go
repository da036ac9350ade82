package interp

import "github.com/warplint/warplint/analysis/ir"

// This file gives pointers to memory that a launch says nothing of. Where a kernel reads a pointer from a table or a
// struct of its caller's, as in `rows[r][c]`, each place of it leads to memory of its own. Behind that lie some
// pointers more, as in `sim->grid->data`; then lists end.

// mostBehind is how many pointers lead on, one behind another.
const mostBehind = 2

// mostTables bounds the memory that is made so in a run.
const mostTables = 1 << 12

// pointerAt makes an address of what a thread has read as one where memory of the caller's holds anything.
func (r *run) pointerAt(o *object, offset int64, v uint64) uint64 {
	ofCaller := o.behind > 0 || o.Buffer >= 0 || o.Decl != nil && (o.Space == ir.Global || o.Space == ir.Constant)
	if !ofCaller || o.holdsPointers || offset+8 <= int64(len(o.data)) {
		return v
	}
	number := v>>objectShift - 1
	if number < uint64(len(r.memory.objects)) && r.memory.objects[number].behind == o.behind+1 {
		return v // made before
	}
	if o.behind == mostBehind || r.tables == mostTables {
		return 0
	}
	r.tables++
	made := r.memory.add(&object{Object: &Object{Name: o.Name, Space: ir.Global, Buffer: -1, Block: -1}, behind: o.behind + 1})
	v = address(made, 0)
	r.memory.store(o, offset, 8, v)
	return v
}

// fromHeap is the address of memory that a thread asks for, 0 if there is none left.
func (r *run) fromHeap(bytes int64) uint64 {
	if r.tables == mostTables || bytes <= 0 {
		return 0
	}
	r.tables++
	return address(r.memory.add(&object{Object: &Object{Name: "memory of the heap", Space: ir.Global, Buffer: -1, Block: -1, Size: bytes}}), 0)
}
