// This file assigns the virtual registers of PTX to the registers of a frame. PTX has one for
// each value, often thousands; those that are never live together share one, so that a warp's
// registers stay in the processor's cache.
//
// Liveness is per thread: each lane has its own column of a register, so divergence makes no
// difference. The allocation is linear scan over intervals (Poletto and Sarkar).

package sim

import (
	"math/bits"
	"sort"

	"github.com/warplint/warplint/dynamic/ptx"
)

// withoutTarget are the opcodes whose first operand is no result.
var withoutTarget = map[ptx.Opcode]bool{
	ptx.St: true, ptx.Red: true, ptx.Bra: true, ptx.Brx: true, ptx.Call: true, ptx.Cp: true,
	ptx.Fence: true, ptx.Membar: true, ptx.Prefetch: true, ptx.Prefetchu: true, ptx.Ret: true,
	ptx.Exit: true, ptx.Trap: true, ptx.Brkpt: true, ptx.Nanosleep: true, ptx.Discard: true,
	ptx.Applypriority: true, ptx.Griddepcontrol: true, ptx.Setmaxnreg: true, ptx.Pmevent: true,
	ptx.Sust: true, ptx.Sured: true, ptx.Stackrestore: true, ptx.Stmatrix: true,
}

// maxLiveness bounds the work on one function, in bits of live sets; beyond it, each register
// gets a place of its own.
const maxLiveness = 1 << 30

// liveness finds where registers are live.
type liveness struct {
	f      *ptx.Function
	blocks []ptx.Block
	words  int // of a set
	in     [][]uint64
	first  []int // interval of each register, by instruction; last is -1 if it is never used
	last   []int
}

// registers calls visit for each register that an operand names.
func registers(o *ptx.Operand, visit func(r int32)) {
	if o.Kind == ptx.RegisterOperand || o.Kind == ptx.AddressOperand && o.Reg >= 0 {
		visit(o.Reg)
	}
	for i := range o.Elems {
		registers(&o.Elems[i], visit)
	}
}

// visit calls use and define for the registers of an instruction. A result counts as overwritten
// only if each thread writes it.
func visit(in *ptx.Instr, use func(r int32), define func(r int32, whole bool)) {
	if in.Guard >= 0 {
		use(in.Guard)
	}
	for i := range in.Operands {
		o := &in.Operands[i]
		if i > 0 || withoutTarget[in.Op] || o.Kind == ptx.AddressOperand || !definite(in) {
			registers(o, use)
		}
		if i == 0 && !withoutTarget[in.Op] {
			registers(o, func(r int32) { define(r, in.Guard < 0) })
		}
	}
}

// definite reports whether the first operand is surely a result.
func definite(in *ptx.Instr) bool {
	switch in.Op {
	case ptx.Bar, ptx.Barrier:
		return in.Has("red")
	case ptx.Mbarrier:
		return in.Has("arrive") || in.Has("arrive_drop") || in.Has("test_wait") || in.Has("try_wait") || in.Has("pending_count")
	}
	return true
}

// solve computes the registers that are live at the beginning of each block, backwards until
// nothing changes.
func (l *liveness) solve() {
	l.words = (len(l.f.Registers) + 63) / 64
	l.in = make([][]uint64, len(l.blocks)+1)
	for b := range l.in {
		l.in[b] = make([]uint64, l.words)
	}
	live := make([]uint64, l.words)
	for changed := true; changed; {
		changed = false
		for b := len(l.blocks) - 1; b >= 0; b-- {
			l.liveOut(b, live)
			for i := l.blocks[b].End - 1; i >= l.blocks[b].First; i-- {
				step(&l.f.Body[i], live)
			}
			for k, word := range live {
				if l.in[b][k] != word {
					l.in[b][k], changed = word, true
				}
			}
		}
	}
}

func (l *liveness) liveOut(b int, live []uint64) {
	clear(live)
	for _, next := range l.blocks[b].Next {
		for k, word := range l.in[next] {
			live[k] |= word
		}
	}
}

// step goes backwards over one instruction.
func step(in *ptx.Instr, live []uint64) {
	visit(in, func(int32) {}, func(r int32, whole bool) {
		if whole {
			live[r/64] &^= 1 << (r % 64)
		}
	})
	visit(in, func(r int32) { live[r/64] |= 1 << (r % 64) }, func(int32, bool) {})
}

// intervals finds the first and the last instruction at which each register matters.
func (l *liveness) intervals() {
	n := len(l.f.Registers)
	l.first, l.last = make([]int, n), make([]int, n)
	for r := range n {
		l.first[r], l.last[r] = len(l.f.Body), -1
	}
	cover := func(r, i int) {
		l.first[r], l.last[r] = min(l.first[r], i), max(l.last[r], i)
	}
	for i := range l.f.Body {
		visit(&l.f.Body[i], func(r int32) { cover(int(r), i) }, func(r int32, _ bool) { cover(int(r), i) })
	}
	live := make([]uint64, l.words)
	for b := range l.blocks {
		each(l.in[b], func(r int) { cover(r, l.blocks[b].First) })
		l.liveOut(b, live)
		each(live, func(r int) { cover(r, l.blocks[b].End-1) })
	}
}

func each(set []uint64, f func(r int)) {
	for k, word := range set {
		for ; word != 0; word &= word - 1 {
			f(64*k + bits.TrailingZeros64(word))
		}
	}
}

// allocateRegisters gives each PTX register its place in the frame.
func (t *translator) allocateRegisters(f *ptx.Function) {
	t.slots = make([]slotOf, len(f.Registers))
	l := &liveness{f: f, blocks: f.Blocks()}
	if len(f.Body) == 0 || (len(l.blocks)+2)*len(f.Registers) > maxLiveness {
		for r := range t.slots {
			t.slots[r] = t.temporary(classOf(f.Registers[r].Type))
		}
		return
	}
	l.solve()
	l.intervals()
	t.scan(f, l)
}

// scan goes over the intervals by their beginnings and hands out places; one is free again
// behind the instruction that ends the interval of its register.
func (t *translator) scan(f *ptx.Function, l *liveness) {
	order := make([]int, len(f.Registers))
	for r := range order {
		order[r] = r
	}
	sort.SliceStable(order, func(i, j int) bool { return l.first[order[i]] < l.first[order[j]] })
	var free, active [double + 1][]int // active: registers, by the end of their intervals
	for _, r := range order {
		c := classOf(f.Registers[r].Type)
		if l.last[r] < 0 {
			t.slots[r] = slotOf{c, 0} // never used
			continue
		}
		for len(active[c]) > 0 && l.last[active[c][0]] < l.first[r] {
			free[c] = append(free[c], int(t.slots[active[c][0]].index))
			active[c] = active[c][1:]
		}
		if n := len(free[c]); n > 0 && c != double {
			t.slots[r] = slotOf{c, ref(free[c][n-1])}
			free[c] = free[c][:n-1]
		} else {
			t.slots[r] = t.temporary(c)
		}
		at := sort.Search(len(active[c]), func(i int) bool { return l.last[active[c][i]] > l.last[r] })
		active[c] = append(active[c], 0)
		copy(active[c][at+1:], active[c][at:])
		active[c][at] = r
	}
}
