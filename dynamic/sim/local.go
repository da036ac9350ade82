// This file executes accesses to local memory and to the parameters of functions. Local memory
// is interleaved, word by word, as on the hardware: word k of all 32 lanes stands together.

package sim

import (
	"math/bits"
	"unsafe"

	"github.com/warplint/warplint/dynamic/ptx"
)

func (w *warp) loadLocal(op *memop, win *window, m uint32) {
	addr := w.core.access.Addr
	for rest := m; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros32(rest) & 31
		for e, r := range op.regs {
			if r != noRef {
				at := addr[i] - win.base + uint64(e*op.size)
				w.setLane(r, op.wide[e], i, op.extended(w.readLocal(at, op.size, i)))
			}
		}
	}
}

func (w *warp) storeLocal(op *memop, win *window, m uint32) {
	addr := &w.core.access.Addr
	for rest := m; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros32(rest) & 31
		for e, r := range op.regs {
			w.writeLocal(addr[i]-win.base+uint64(e*op.size), op.size, i, w.lane(r, op.wide[e], i))
		}
	}
}

// readLocal reads an aligned value of at most eight bytes.
func (w *warp) readLocal(at uint64, size, lane int) uint64 {
	if size == 8 {
		return uint64(w.local[at/4][lane]) | uint64(w.local[at/4+1][lane])<<32
	}
	v := w.local[at/4][lane] >> (8 * (at & 3))
	return uint64(v) & (1<<(8*size) - 1)
}

func (w *warp) writeLocal(at uint64, size, lane int, v uint64) {
	if size == 8 {
		w.local[at/4][lane], w.local[at/4+1][lane] = uint32(v), uint32(v>>32)
		return
	}
	word, shift := &w.local[at/4][lane], 8*(at&3)
	mask := uint32(1<<(8*size)-1) << shift
	*word = *word&^mask | uint32(v)<<shift&mask
}

// runFrameLoad and runFrameStore access a .param variable of the running function, or one that
// it passes to a call; offset counts from the frame's beginning.
func runFrameLoad(w *warp, in *instr, m uint32) {
	op := in.mem
	at := uint64(w.frame.local) + op.offset
	for e, r := range op.regs {
		if r == noRef {
			continue
		}
		if op.size == 4 && !op.wide[e] && op.extend == nil {
			row, d := &w.local[at/4+uint64(e)], w.target32(r)
			forLanes(m, func(i int) { d[i] = row[i] })
			continue
		}
		forLanes(m, func(i int) {
			w.setLane(r, op.wide[e], i, op.extended(w.readLocal(at+uint64(e*op.size), op.size, i)))
		})
	}
}

func runFrameStore(w *warp, in *instr, m uint32) {
	op := in.mem
	at := uint64(w.frame.local) + op.offset
	for e, r := range op.regs {
		forLanes(m, func(i int) {
			w.writeLocal(at+uint64(e*op.size), op.size, i, w.lane(r, op.wide[e], i))
		})
	}
}

// runParamLoad reads a kernel parameter at a fixed place: the same for all lanes.
func runParamLoad(w *warp, in *instr, m uint32) {
	op := in.mem
	for e, r := range op.regs {
		if r == noRef {
			continue
		}
		p := unsafe.Pointer(&w.block.launch.params[int(op.offset)+e*op.size])
		v := op.extended(readBytes(p, op.size))
		if op.wide[e] {
			fill(w.target64(r), m, v)
		} else {
			fill(w.target32(r), m, uint32(v))
		}
	}
}

// fill gives all lanes of a mask the same value.
func fill[T uint32 | uint64](d *[32]T, m uint32, v T) {
	if m == fullMask {
		for i := range d {
			d[i] = v
		}
		return
	}
	for rest := m; rest != 0; rest &= rest - 1 {
		d[bits.TrailingZeros32(rest)&31] = v
	}
}

// runFrameAddress32 and runFrameAddress64 are mov of a local variable's address: imm bytes into
// the frame.
func runFrameAddress32(w *warp, in *instr, m uint32) {
	d := w.target32(in.d)
	forLanes(m, func(i int) { d[i] = uint32(w.frame.local) + uint32(in.imm) })
}

func runFrameAddress64(w *warp, in *instr, m uint32) {
	d := w.target64(in.d)
	forLanes(m, func(i int) { d[i] = uint64(w.frame.local) + uint64(in.imm) })
}

// decodeAlloca decodes "alloca.u64 address, bytes{, alignment}".
func decodeAlloca(t *translator, in *ptx.Instr) {
	t.operands(in, 2, 3)
	ty, align := in.Type(0), 8
	if len(in.Operands) == 3 {
		if align = int(in.Operands[2].Bits); in.Operands[2].Kind != ptx.IntegerOperand || align < 0 || align > 1<<10 || align&(align-1) != 0 {
			t.fail("%s with alignment %d", mnemonic(in), align)
		}
	}
	t.emit(instr{run: runAlloca, d: t.target(&in.Operands[0], ty), a: t.source(&in.Operands[1], ty), imm: int64(max(align, 8)), x: classOf(ty) == long})
}

// runAlloca puts memory behind the frame, for all lanes as much as for the one that wants most.
func runAlloca(w *warp, in *instr, m uint32) {
	f, wide := w.frame, in.x.(bool)
	at := alignUp(f.local+f.fn.local+f.more, int(in.imm))
	most, lane := uint64(0), 0
	for rest := m; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros32(rest) & 31
		if n := w.lane(in.a, wide, i); n > most {
			most, lane = n, i
		}
	}
	if most > maxLocal || at+int(most) > maxLocal {
		w.fault(StackOverflow, lane, "alloca of %d bytes", most)
	}
	top := alignUp(at+int(most), 4)
	f.more = top - f.local - f.fn.local
	w.growLocal(top)
	for rest := m; rest != 0; rest &= rest - 1 {
		w.setLane(in.d, wide, bits.TrailingZeros32(rest)&31, uint64(at))
	}
}
