// This file executes atom and red (PTX ISA, "Parallel Synchronization and Communication
// Instructions"). The lanes of a warp take their turns in ascending order.

package sim

import (
	"math"
	"math/bits"
	"sync/atomic"
	"unsafe"

	"github.com/warplint/warplint/dynamic/event"
	"github.com/warplint/warplint/dynamic/ptx"
)

func runAtomic(w *warp, in *instr, m uint32) {
	before := w.core.updates
	w.access(in.mem, m, (*warp).atomicAccess)
	if w.core.updates == before {
		w.poll()
	}
}

func (w *warp) atomicAccess(op *memop, win *window, m uint32) {
	c := w.core
	wide := op.size == 8
	update := op.update
	if win.space == event.Shared {
		update = sharedUpdate(op)
	}
	listening := c.listener != nil && !win.local
	for e := range op.count {
		operand, compare := op.operand, op.compare
		if len(op.regs) > e {
			operand = op.regs[e]
		}
		for rest := m; rest != 0; rest &= rest - 1 {
			i := bits.TrailingZeros32(rest) & 31
			x, y := w.lane(operand, wide, i), uint64(0)
			if compare != noRef {
				y = w.lane(compare, wide, i)
			}
			at := c.access.Addr[i] - win.base + uint64(e*op.size)
			old := w.exchange(win, at, op.size, i, x, y, update)
			if listening && e == 0 {
				c.old[i], c.new[i], c.compare[i] = old, x, y
			}
			if op.target != noRef {
				w.setLane(op.target, wide, i, old)
			}
		}
	}
	if listening {
		c.access.Value, c.values = [8]event.Lanes{{W64: &c.old}}, 1
		c.access.Operand, c.access.Compare = event.Lanes{W64: &c.new}, event.Lanes{}
		if op.compare != noRef {
			c.access.Compare = event.Lanes{W64: &c.compare}
		}
	}
}

// exchange updates one value in memory and returns what it was.
func (w *warp) exchange(win *window, at uint64, size, lane int, x, y uint64, update func(old, x, y uint64) uint64) uint64 {
	if win.local {
		old := w.readLocal(at, size, lane)
		w.writeLocal(at, size, lane, update(old, x, y))
		return old
	}
	p := unsafe.Add(win.data, at)
	if win.space == event.Global && len(w.block.launch.cores) > 1 {
		return exchangeShared(p, size, x, y, update)
	}
	old := readBytes(p, size)
	if v := update(old, x, y); v != old {
		writeBytes(p, size, v)
		w.core.updates++
	}
	return old
}

// updates has the functions of atomics: old value, operand, and for cas the new value.
func atomicUpdate(op string, t ptx.Type) (func(old, x, y uint64) uint64, event.AtomicOp, bool) {
	switch op {
	case "exch":
		return func(_, x, _ uint64) uint64 { return x }, event.AtomicExchange, true
	case "cas":
		return compareExchange(t.Size()), event.AtomicCompareExchange, true
	case "and":
		return func(old, x, _ uint64) uint64 { return old & x }, event.AtomicAnd, true
	case "or":
		return func(old, x, _ uint64) uint64 { return old | x }, event.AtomicOr, true
	case "xor":
		return func(old, x, _ uint64) uint64 { return old ^ x }, event.AtomicXor, true
	case "add":
		f, ok := atomicAdds[t]
		return f, event.AtomicAdd, ok
	case "min", "max":
		return atomicExtreme(op == "min", t)
	case "inc":
		return func(old, x, _ uint64) uint64 {
			if uint32(old) >= uint32(x) {
				return 0
			}
			return old + 1
		}, event.AtomicInc, t == ptx.U32
	case "dec":
		return func(old, x, _ uint64) uint64 {
			if old == 0 || uint32(old) > uint32(x) {
				return x
			}
			return old - 1
		}, event.AtomicDec, t == ptx.U32
	}
	return nil, event.NoAtomic, false
}

// compareExchange: x is the new value, y what it is compared with.
func compareExchange(size int) func(old, x, y uint64) uint64 {
	mask := uint64(math.MaxUint64) >> (64 - 8*size)
	return func(old, x, y uint64) uint64 {
		if old == y&mask {
			return x
		}
		return old
	}
}

var atomicAdds = map[ptx.Type]func(old, x, _ uint64) uint64{
	ptx.U32: func(old, x, _ uint64) uint64 { return uint64(uint32(old + x)) },
	ptx.S32: func(old, x, _ uint64) uint64 { return uint64(uint32(old + x)) },
	ptx.U64: func(old, x, _ uint64) uint64 { return old + x },
	ptx.S64: func(old, x, _ uint64) uint64 { return old + x },
	// Global memory flushes subnormal numbers, shared memory does not: see sharedUpdate.
	ptx.F32: func(old, x, _ uint64) uint64 {
		sum := flush32(flush32(f32(uint32(old))) + flush32(f32(uint32(x))))
		return uint64(bits32(sum))
	},
	ptx.F64: propagating(func(old, x, _ uint64) uint64 { return bits64(f64(old) + f64(x)) }),
	ptx.F16: func(old, x, _ uint64) uint64 {
		return uint64(halfBits(half(uint16(old)) + half(uint16(x))))
	},
	ptx.BF16: func(old, x, _ uint64) uint64 {
		return uint64(bfloatBits(bfloat(uint16(old)) + bfloat(uint16(x))))
	},
	ptx.F16x2: func(old, x, _ uint64) uint64 {
		return packed16(old, x, func(a, b uint16) uint16 { return halfBits(half(a) + half(b)) })
	},
	ptx.BF16x2: func(old, x, _ uint64) uint64 {
		return packed16(old, x, func(a, b uint16) uint16 { return bfloatBits(bfloat(a) + bfloat(b)) })
	},
}

// sharedUpdate is the function to use in shared memory.
func sharedUpdate(op *memop) func(old, x, y uint64) uint64 {
	if op.single {
		return func(old, x, _ uint64) uint64 { return uint64(bits32(f32(uint32(old)) + f32(uint32(x)))) }
	}
	return op.update
}

func packed16(x, y uint64, f func(a, b uint16) uint16) uint64 {
	return uint64(f(uint16(x), uint16(y))) | uint64(f(uint16(x>>16), uint16(y>>16)))<<16
}

func atomicExtreme(least bool, t ptx.Type) (func(old, x, y uint64) uint64, event.AtomicOp, bool) {
	op := event.AtomicMax
	if least {
		op = event.AtomicMin
	}
	var less func(x, y uint64) bool
	switch t {
	case ptx.U32, ptx.U64:
		less = func(x, y uint64) bool { return x < y }
	case ptx.S32:
		less = func(x, y uint64) bool { return int32(x) < int32(y) }
	case ptx.S64:
		less = func(x, y uint64) bool { return int64(x) < int64(y) }
	default:
		return nil, op, false
	}
	return func(old, x, _ uint64) uint64 {
		if less(x, old) == least && x != old {
			return x
		}
		return old
	}, op, true
}

// exchangeShared updates a value that other cores may update at the same time.
func exchangeShared(p unsafe.Pointer, size int, x, y uint64, update func(old, x, y uint64) uint64) uint64 {
	switch size {
	case 8:
		for q := (*uint64)(p); ; {
			old := atomic.LoadUint64(q)
			if v := update(old, x, y); v == old || atomic.CompareAndSwapUint64(q, old, v) {
				return old
			}
		}
	case 4:
		for q := (*uint32)(p); ; {
			old := atomic.LoadUint32(q)
			if v := uint32(update(uint64(old), x, y)); v == old || atomic.CompareAndSwapUint32(q, old, v) {
				return uint64(old)
			}
		}
	}
	// One byte or two: the word that holds them.
	shift, mask := uintptr(p)&3*8, uint32(1)<<(8*size)-1
	q := (*uint32)(unsafe.Add(p, -int(shift/8)))
	for {
		word := atomic.LoadUint32(q)
		old := uint64(word >> shift & mask)
		v := word&^(mask<<shift) | uint32(update(old, x, y))&mask<<shift
		if v == word || atomic.CompareAndSwapUint32(q, word, v) {
			return old
		}
	}
}
