// This file executes atom.exch and atom.cas of 128 bits (PTX ISA, "atom").

package sim

import (
	"math/bits"

	"github.com/warplint/warplint/dynamic/event"
	"github.com/warplint/warplint/dynamic/ptx"
)

// wideAtomic decodes "atom.exch.b128 d, [a], b" and "atom.cas.b128 d, [a], b, c". Listeners hear of two elements of 64 bits.
func (t *translator) wideAtomic(in *ptx.Instr, name string) {
	exchange := name == "exch"
	if in.Op != ptx.Atom || !exchange && name != "cas" {
		t.unsupported()
	}
	list := in.Operands
	t.operands(in, 3, 5)
	op := t.memory(in, &list[1])
	op.kind, op.atomic, op.size, op.count, op.bytes = event.Atomic, event.AtomicExchange, 8, 2, 16
	if one(in, orderWords, "") == "" {
		op.order, op.scope = event.Relaxed, scopesByWord[one(in, scopeWords, "gpu")]
	}
	for i := range list[2:] {
		if list[2+i].Kind != ptx.RegisterOperand {
			t.fail("%s needs registers", mnemonic(in))
		}
	}
	op.operand = t.source(&list[2], ptx.B128)
	if !exchange {
		if len(list) < 4 {
			t.fail("%s without an operand", mnemonic(in))
		}
		op.atomic, op.compare, op.operand = event.AtomicCompareExchange, op.operand, t.source(&list[3], ptx.B128)
	}
	if list[0].Kind != ptx.SinkOperand {
		op.target = t.target(&list[0], ptx.B128)
	}
	t.emit(instr{run: runWideAtomic, mem: op})
}

func runWideAtomic(w *warp, in *instr, m uint32) {
	before := w.core.updates
	w.access(in.mem, m, (*warp).wideAtomicAccess)
	if w.core.updates == before {
		w.poll()
	}
}

func (w *warp) wideAtomicAccess(op *memop, win *window, m uint32) {
	c := w.core
	keep := func(_, x, _ uint64) uint64 { return x }
	for rest := m; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros32(rest) & 31
		at := c.access.Addr[i] - win.base
		var old, now [2]uint64
		equal := true
		for k := range old {
			read := func(old, _, _ uint64) uint64 { return old }
			old[k], now[k] = w.exchange(win, at+8*uint64(k), 8, i, 0, 0, read), w.lane(op.operand+ref(k), true, i)
			equal = equal && (op.compare == noRef || old[k] == w.lane(op.compare+ref(k), true, i))
		}
		c.old[i], c.new[i], c.compare[i] = old[0], now[0], old[0]
		if !equal {
			c.compare[i] = ^old[0] // half of it may be equal
		}
		for k := range old {
			if equal {
				w.exchange(win, at+8*uint64(k), 8, i, now[k], 0, keep)
			}
			if op.target != noRef {
				w.setLane(op.target+ref(k), true, i, old[k])
			}
		}
	}
	if c.listener != nil && !win.local {
		c.access.Value, c.values = [8]event.Lanes{{W64: &c.old}}, 1
		c.access.Operand, c.access.Compare = event.Lanes{W64: &c.new}, event.Lanes{}
		if op.compare != noRef {
			c.access.Compare = event.Lanes{W64: &c.compare}
		}
	}
}
