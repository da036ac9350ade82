// This file decodes what tensor cores do: products of matrices, and their way between memory and registers. All lanes
// of a warp execute these together.

package sim

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/warplint/warplint/dynamic/event"
	"github.com/warplint/warplint/dynamic/ptx"
)

// together emits what lets all lanes of the warp come to the instruction.
func (t *translator) together(in *ptx.Instr) {
	if !in.Has("sync") {
		t.unsupported()
	}
	c := t.collective(in, func(*deposit, uint32) {})
	c.name = fmt.Sprintf("%s at %d", c.name, in.Line)
	c.members = t.constant32(fullMask)
	t.emit(instr{run: runCollective, x: c})
	t.emit(instr{run: runWholeWarp, x: mnemonic(in)})
}

func runWholeWarp(w *warp, in *instr, m uint32) {
	if m != fullMask {
		w.fault(Invalid, bits.TrailingZeros32(m), "%s needs all 32 threads of the warp", in.x)
	}
}

// tileShape is the m, n and k of "m16n8k16".
type tileShape struct{ m, n, k int }

func (t *translator) tileShape(in *ptx.Instr) tileShape {
	var s tileShape
	for _, word := range in.Modifiers {
		if n, _ := fmt.Sscanf(word, "m%dn%dk%d", &s.m, &s.n, &s.k); n == 3 {
			return s
		}
	}
	t.unsupported()
	return s
}

// registersOf reads the registers of a fragment that has so many elements.
func (t *translator) registersOf(o *ptx.Operand, ty ptx.Type, elements int, target bool) []ref {
	list := []ptx.Operand{*o}
	if o.Kind == ptx.VectorOperand {
		list = o.Elems
	}
	if len(list)*perRegister(ty)*32 < elements || len(list) > 16 {
		t.fail("%d registers in %s", len(list), mnemonic(t.in))
	}
	held := ptx.B32
	if ty == ptx.F64 {
		held = ptx.B64
	}
	var regs []ref
	for i := range list {
		if target {
			regs = append(regs, t.target(&list[i], held))
		} else {
			regs = append(regs, t.source(&list[i], held))
		}
	}
	return regs
}

// tileTypes are the types of elements of factors, and of sums.
var tileTypes = map[ptx.Type]ptx.Type{
	ptx.F16: ptx.F32, ptx.BF16: ptx.F32, ptx.TF32: ptx.F32, ptx.F64: ptx.F64, ptx.S8: ptx.S32, ptx.U8: ptx.S32,
	ptx.E4M3: ptx.F32, ptx.E5M2: ptx.F32, ptx.S4: ptx.S32, ptx.U4: ptx.S32, ptx.B1: ptx.S32,
}

// factor checks the type of a or b, and sum that of c or d, which goes with it.
func (t *translator) factor(ty ptx.Type) ptx.Type {
	if tileTypes[ty] == ptx.NoType {
		t.unsupported()
	}
	return ty
}

func (t *translator) sum(ty, factor ptx.Type) ptx.Type {
	if ty != tileTypes[factor] && !(ty == ptx.F16 && factor == ptx.F16) {
		t.unsupported()
	}
	return ty
}

// decodeMma decodes "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 d, a, b, c".
func decodeMma(t *translator, in *ptx.Instr) {
	t.operands(in, 4, 4)
	s := t.tileShape(in)
	a, b := t.factor(in.Type(1)), t.factor(in.Type(2))
	if len(in.Types) != 4 || tileTypes[a] != tileTypes[b] || one(in, "row col", "") != "row" || !in.Has("col") ||
		s.k%(4*perRegister(a)) != 0 { // quarters of a warp multiply m8n8k4 of half precision, in a way of their own
		t.unsupported()
	}
	p := &product{saturate: in.Has("satfinite")}
	p.a = newFragment(a, s.m, s.k, t.registersOf(&in.Operands[1], a, s.m*s.k, false), leftTile(a, s.m))
	p.b = newFragment(b, s.k, s.n, t.registersOf(&in.Operands[2], b, s.k*s.n, false), rightTile(b))
	c, d := t.sum(in.Type(3), a), t.sum(in.Type(0), a)
	p.c = newFragment(c, s.m, s.n, t.registersOf(&in.Operands[3], c, s.m*s.n, false), sumTile(s.m))
	p.d = newFragment(d, s.m, s.n, t.registersOf(&in.Operands[0], d, s.m*s.n, true), sumTile(s.m))
	t.product(in, p)
}

func (t *translator) product(in *ptx.Instr, p *product) {
	if p.a.ty == ptx.B1 {
		p.differ = one(in, "and xor", "") == "xor"
	}
	for _, f := range []*fragment{p.a, p.b, p.c, p.d} {
		for _, places := range f.place {
			if len(places) == 0 || int(slices.Max(places)) >= f.rows*f.columns {
				t.fail("%d registers in %s", len(f.regs), mnemonic(in))
			}
		}
	}
	t.together(in)
	t.emit(instr{run: runProduct, x: p})
}

// decodeWmma decodes wmma.load, wmma.mma and wmma.store.
func decodeWmma(t *translator, in *ptx.Instr) {
	s := t.tileShape(in)
	switch {
	case in.Has("load"):
		t.operands(in, 2, 3)
		f, byColumns := t.wmmaFragment(in, one(in, "a b c", ""), s, &in.Operands[0], true)
		t.wmmaMemory(in, f, byColumns, &in.Operands[1], event.Read)
	case in.Has("store"):
		t.operands(in, 2, 3)
		f, byColumns := t.wmmaFragment(in, "d", s, &in.Operands[1], false)
		t.wmmaMemory(in, f, byColumns, &in.Operands[0], event.Write)
	default:
		t.wmmaProduct(in, s)
	}
}

// wmmaFragment is what wmma.load makes and wmma.store takes.
func (t *translator) wmmaFragment(in *ptx.Instr, role string, s tileShape, o *ptx.Operand, target bool) (f *fragment, byColumns bool) {
	ty := in.Type(0)
	byColumns = one(in, "row col", "") == "col"
	switch role {
	case "a":
		return t.wmmaFactor(t.factor(ty), s.m, s.k, byColumns, o, target), byColumns
	case "b":
		return t.wmmaFactor(t.factor(ty), s.k, s.n, byColumns, o, target), byColumns
	}
	if ty != ptx.F16 && ty != ptx.F32 && ty != ptx.S32 && ty != ptx.F64 {
		t.unsupported()
	}
	return t.wmmaSum(ty, s, o, target), byColumns
}

func (t *translator) wmmaFactor(ty ptx.Type, rows, columns int, byColumns bool, o *ptx.Operand, target bool) *fragment {
	return newFragment(ty, rows, columns, t.registersOf(o, ty, rows*columns, target), inOrder(rows, columns, byColumns))
}

func (t *translator) wmmaSum(ty ptx.Type, s tileShape, o *ptx.Operand, target bool) *fragment {
	return newFragment(ty, s.m, s.n, t.registersOf(o, ty, s.m*s.n, target), sumTile(s.m))
}

// wmmaProduct decodes "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 d, a, b, c", whose factors are of half precision,
// or the same with the types of all four.
func (t *translator) wmmaProduct(in *ptx.Instr, s tileShape) {
	t.operands(in, 4, 4)
	types := in.Types
	if len(types) == 2 {
		types = []ptx.Type{types[0], ptx.F16, ptx.F16, types[1]}
	}
	var layouts []string
	for _, m := range in.Modifiers {
		if m == "row" || m == "col" {
			layouts = append(layouts, m)
		}
	}
	if len(types) != 4 || len(layouts) != 2 || tileTypes[types[1]] != tileTypes[types[2]] {
		t.unsupported()
	}
	a, b := t.factor(types[1]), t.factor(types[2])
	t.product(in, &product{
		saturate: in.Has("satfinite"),
		a:        t.wmmaFactor(a, s.m, s.k, layouts[0] == "col", &in.Operands[1], false),
		b:        t.wmmaFactor(b, s.k, s.n, layouts[1] == "col", &in.Operands[2], false),
		c:        t.wmmaSum(t.sum(types[3], a), s, &in.Operands[3], false),
		d:        t.wmmaSum(t.sum(types[0], a), s, &in.Operands[0], true),
	})
}

// element is where an element lies in memory: in which line of the matrix, row or column as it is stored, and where there.
func (f *fragment) element(lane, n int, byColumns bool) (line, at int) {
	row, column := int(f.place[lane][n])/f.columns, int(f.place[lane][n])%f.columns
	if byColumns {
		return column, row
	}
	return row, column
}

// run is how many elements, a power of two and at most 16 bytes, each lane has side by side in memory.
func (f *fragment) run(byColumns bool) int {
	own := min(len(f.place[0]), f.rows*f.columns/32)
	for length := 128 / elementBits(f.ty); length > 1; length /= 2 {
		if own%length == 0 && f.sideBySide(length, byColumns) {
			return length
		}
	}
	return 1
}

func (f *fragment) sideBySide(length int, byColumns bool) bool {
	for lane := range f.place {
		for n := range min(len(f.place[lane]), f.rows*f.columns/32) {
			line, at := f.element(lane, n, byColumns)
			if first, from := f.element(lane, n-n%length, byColumns); line != first || at != from+n%length {
				return false
			}
		}
	}
	return true
}

// wmmaMemory emits the accesses of a load or a store, a run of elements each.
func (t *translator) wmmaMemory(in *ptx.Instr, f *fragment, byColumns bool, address *ptx.Operand, kind event.Kind) {
	own := f.rows * f.columns / 32
	if len(f.place[0]) < own || kind == event.Write && len(f.place[0]) != own {
		t.fail("%d registers in %s", len(f.regs), mnemonic(in))
	}
	t.together(in)
	stride := t.constant32(uint32(f.columns))
	if byColumns {
		stride = t.constant32(uint32(f.rows))
	}
	if len(in.Operands) == 3 {
		stride = t.source(&in.Operands[2], ptx.U32)
	}
	e, length := perRegister(f.ty), f.run(byColumns)
	for n := 0; n < own; n += length {
		op := t.lineAccess(in, f, n, byColumns, address, stride)
		op.kind = kind
		if length >= e {
			t.moveElements(op, f.regs[n/e:(n+length)/e], max(f.ty.Size(), 4))
			continue
		}
		t.moveHalf(op, f.regs[n/e], n%e != 0)
	}
	for r := own / e; r < len(f.regs); r++ {
		t.emit(instr{run: operations["mov.b32"].run, d: f.regs[r], a: f.regs[r%(own/e)]})
	}
}

// lineAccess emits the addresses of each lane's n-th element, and returns the beginning of an access there.
func (t *translator) lineAccess(in *ptx.Instr, f *fragment, n int, byColumns bool, address *ptx.Operand, stride ref) *memop {
	op := t.memory(in, address)
	x := &lineAddress{base: op.base, hasBase: op.hasBase, wide: op.baseWide, stride: stride, bits: uint64(elementBits(f.ty))}
	for lane := range x.line {
		line, at := f.element(lane, n, byColumns)
		x.line[lane], x.at[lane] = uint64(line), uint64(at)
	}
	op.base, op.hasBase, op.baseWide = t.temporary(long).index, true, true
	t.emit(instr{run: runLineAddress, d: op.base, x: x})
	return op
}

// moveElements emits a load or a store of whole registers.
func (t *translator) moveElements(op *memop, regs []ref, size int) {
	op.regs, op.size, op.count, op.bytes = regs, size, len(regs), uint64(len(regs)*size)
	for range regs {
		op.wide = append(op.wide, size == 8)
	}
	run := runFunc(runLoad)
	if op.kind == event.Write {
		run = runStore
	}
	t.emit(instr{run: run, mem: op})
}

// moveHalf emits a load or a store of one half of a register.
func (t *translator) moveHalf(op *memop, reg ref, upper bool) {
	op.size, op.count, op.bytes, op.wide = 2, 1, 2, []bool{false}
	if op.kind == event.Write {
		if upper {
			reg = t.inTemporary(reg, func(x, _, _ uint64) uint64 { return x >> 16 })
		}
		op.regs = []ref{reg}
		t.emit(instr{run: runStore, mem: op})
		return
	}
	loaded := t.temporary(word).index
	op.regs = []ref{loaded}
	t.emit(instr{run: runLoad, mem: op})
	insert := func(x, y, _ uint64) uint64 { return x&^0xffff | y }
	if upper {
		insert = func(x, y, _ uint64) uint64 { return x&0xffff | y<<16 }
	}
	t.emit(instr{run: runMapping, d: reg, a: reg, b: loaded, x: &mapping{f: insert, operandCount: 2}})
}

// lineAddress says where each lane's element lies in a matrix in memory.
type lineAddress struct {
	base          ref
	hasBase, wide bool
	stride        ref
	bits          uint64 // of an element
	line, at      [32]uint64
}

func runLineAddress(w *warp, in *instr, m uint32) {
	x := in.x.(*lineAddress)
	d, stride := w.target64(in.d), w.source32(x.stride)
	forLanes(m, func(i int) {
		var base uint64
		if x.hasBase {
			base = w.lane(x.base, x.wide, i)
		}
		d[i] = base + (x.line[i]*uint64(stride[i])+x.at[i])*x.bits/8
	})
}

// decodeLdmatrix decodes "ldmatrix.sync.aligned.m8n8.x4.shared.b16 d, [p]": eight lanes each say where the rows of one
// matrix lie.
func decodeLdmatrix(t *translator, in *ptx.Instr) {
	t.operands(in, 2, 2)
	target, op, rows := t.matrices(in, &in.Operands[0], &in.Operands[1], true)
	op.kind = event.Read
	t.emit(instr{run: forFirst(8*len(target), runLoad), mem: op})
	t.emit(instr{run: runRowsToMatrices, x: &matrixMove{from: rows, to: target, transpose: in.Has("trans")}})
}

// decodeStmatrix decodes "stmatrix.sync.aligned.m8n8.x4.shared.b16 [p], d".
func decodeStmatrix(t *translator, in *ptx.Instr) {
	t.operands(in, 2, 2)
	source, op, rows := t.matrices(in, &in.Operands[1], &in.Operands[0], false)
	op.kind = event.Write
	t.emit(instr{run: runMatricesToRows, x: &matrixMove{from: source, to: rows, transpose: in.Has("trans")}})
	t.emit(instr{run: forFirst(8*len(source), runStore), mem: op})
}

// matrices reads the operands of ldmatrix and stmatrix, and takes registers for a row of each lane.
func (t *translator) matrices(in *ptx.Instr, o, address *ptx.Operand, target bool) (regs []ref, op *memop, rows []ref) {
	count := map[string]int{"x1": 1, "x2": 2, "x4": 4}[one(in, "x1 x2 x4", "")]
	if in.Type(0) != ptx.B16 || !in.Has("m8n8") {
		t.unsupported()
	}
	if regs = t.registersOf(o, ptx.B32, 0, target); len(regs) != count {
		t.fail("%d registers in %s", len(regs), mnemonic(in))
	}
	t.together(in)
	op, rows = t.memory(in, address), t.rowRegisters()
	op.regs, op.wide, op.size, op.count, op.bytes = rows, make([]bool, 4), 4, 4, 16
	return regs, op, rows
}

// rowRegisters are temporary registers for a row of 16 bytes in each lane.
func (t *translator) rowRegisters() (rows []ref) {
	for range 4 {
		rows = append(rows, t.temporary(word).index)
	}
	return rows
}

// decodeMovmatrix decodes "movmatrix.sync.aligned.m8n8.trans.b16 d, a".
func decodeMovmatrix(t *translator, in *ptx.Instr) {
	t.operands(in, 2, 2)
	if in.Type(0) != ptx.B16 || !in.Has("m8n8") || !in.Has("trans") {
		t.unsupported()
	}
	rows := t.rowRegisters()
	target, source := t.target(&in.Operands[0], ptx.B32), t.source(&in.Operands[1], ptx.B32)
	t.together(in)
	t.emit(instr{run: runMatricesToRows, x: &matrixMove{from: []ref{source}, to: rows}})
	t.emit(instr{run: runRowsToMatrices, x: &matrixMove{from: rows, to: []ref{target}, transpose: true}})
}

// matrixMove moves 8x8 matrices of 16-bit elements from registers to registers: as rows of eight elements, one each in the
// lanes of a quarter of the warp, or as ldmatrix gives them, two neighbours of a row, or of a column, to each lane.
type matrixMove struct {
	from, to  []ref
	transpose bool
}

func (x *matrixMove) element(lane, half int) (row, column int) {
	if x.transpose {
		return lane%4*2 + half, lane / 4
	}
	return lane / 4, lane%4*2 + half
}

// forFirst executes an access for so many lanes, whose addresses count.
func forFirst(lanes int, run runFunc) runFunc {
	return func(w *warp, in *instr, m uint32) { run(w, in, m&(fullMask>>(32-lanes))) }
}

func runRowsToMatrices(w *warp, in *instr, m uint32) {
	x := in.x.(*matrixMove)
	for i, r := range x.to {
		d := w.target32(r)
		for lane := range d {
			d[lane] = 0
			for half := range 2 {
				row, column := x.element(lane, half)
				d[lane] |= w.source32(x.from[column/2])[8*i+row] >> (column % 2 * 16) & 0xffff << (16 * half)
			}
		}
	}
}

func runMatricesToRows(w *warp, in *instr, m uint32) {
	x := in.x.(*matrixMove)
	for _, r := range x.to {
		clear(w.target32(r)[:])
	}
	for i, r := range x.from {
		for lane, pair := range w.source32(r) {
			for half := range 2 {
				row, column := x.element(lane, half)
				w.target32(x.to[column/2])[8*i+row] |= pair >> (16 * half) & 0xffff << (column % 2 * 16)
			}
		}
	}
}
