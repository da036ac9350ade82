// This file executes branches, calls, returns and exits.

package sim

import (
	"math/bits"

	"github.com/warplint/warplint/dynamic/ptx"
)

// runBranch jumps to imm.
func runBranch(w *warp, in *instr, m uint32) {
	if m == w.mask {
		w.pc = int32(in.imm)
		return
	}
	if w.core.listener != nil {
		w.tellTwo(m)
	}
	w.leave(m, int32(in.imm))
}

// runBranchIndexed is brx.idx: each lane goes to the entry of a list that its register names.
func runBranchIndexed(w *warp, in *instr, m uint32) {
	targets := in.x.([]int32)
	index := w.source32(in.a)
	all := w.mask
	var parts []uint32
	if rest := all &^ m; rest != 0 {
		parts = append(parts, rest)
		w.leave(rest, w.pc)
	}
	for rest := m; rest != 0; {
		i := index[bits.TrailingZeros32(rest)]
		if int(i) >= len(targets) {
			w.fault(Invalid, bits.TrailingZeros32(rest), "branch index %d of %d targets", i, len(targets))
		}
		same := sameLanes32(index, rest, i)
		rest &^= same
		parts = append(parts, same)
		if rest != 0 {
			w.leave(same, targets[i])
		} else {
			w.pc = targets[i]
		}
	}
	w.stop = true
	if len(parts) > 1 && w.core.listener != nil {
		w.tellSplit(all, parts)
	}
}

func sameLanes32(v *[32]uint32, m uint32, value uint32) uint32 {
	var same uint32
	for rest := m; rest != 0; rest &= rest - 1 {
		if i := bits.TrailingZeros32(rest) & 31; v[i] == value {
			same |= 1 << i
		}
	}
	return same
}

// callSite is what a call instruction needs: where arguments stand in the caller's frame.
type callSite struct {
	callee    *function // nil for indirect calls
	target    ref       // indirect: the register with the function's address
	functions []*function
	arguments []slot
	results   []slot
}

// slot is a .param variable of the caller: bytes in its frame.
type slot struct{ offset, size int }

// maxDepth bounds recursion, maxLocal the local memory of one thread in bytes.
const (
	maxDepth = 1 << 14
	maxLocal = 512 << 10
)

// runCall enters a function. Lanes that call different functions go one after the other.
func runCall(w *warp, in *instr, m uint32) {
	site := in.x.(*callSite)
	callee := site.callee
	if callee == nil {
		target := w.source64(site.target)
		first := bits.TrailingZeros32(m)
		address := target[first]
		number := address - codeWindow
		if number%16 != 0 || number/16 >= uint64(len(site.functions)) || site.functions[number/16] == nil {
			w.fault(Invalid, first, "call of %#x, which is no function", address)
		}
		callee = site.functions[number/16]
		var same uint32
		for rest := m; rest != 0; rest &= rest - 1 {
			if i := bits.TrailingZeros32(rest) & 31; target[i] == address {
				same |= 1 << i
			}
		}
		w.only(m, same)
		m = same
	}
	if callee.builtin != nil {
		callee.builtin(w, site, m)
		return
	}
	if rest := w.mask &^ m; rest != 0 {
		w.leave(rest, w.pc)
	}
	f := w.child(site, callee)
	f.inside |= m
	for i, p := range callee.params {
		w.copyLocal(m, f.local+callee.offsets[p.Name], w.frame.local+site.arguments[i].offset, p.Size)
	}
	w.enter(f)
	w.pc = callee.entry
	w.stop = w.stop || len(w.groups) > 1
}

// child returns the frame of a call from the running one.
func (w *warp) child(site *callSite, callee *function) *frame {
	parent := w.frame
	local := (parent.local + parent.fn.local + parent.more + 15) &^ 15
	for _, f := range parent.children {
		if f.site == site && f.fn == callee && f.ret == w.pc && f.local >= local {
			return f
		}
	}
	f := w.newFrame()
	*f = frame{
		children: f.children[:0],
		fn:       callee, parent: parent, site: site, ret: w.pc, depth: parent.depth + 1,
		base32: parent.base32 + parent.fn.count32,
		base64: parent.base64 + parent.fn.count64,
		baseP:  parent.baseP + parent.fn.countP,
		local:  local,
	}
	if f.depth > maxDepth || f.local+callee.local > maxLocal {
		w.fault(StackOverflow, bits.TrailingZeros32(w.mask), "%d calls deep", f.depth)
	}
	w.grow(f)
	parent.children = append(parent.children, f)
	return f
}

func (w *warp) newFrame() *frame {
	if n := len(w.spare); n > 0 {
		f := w.spare[n-1]
		w.spare = w.spare[:n-1]
		return f
	}
	return new(frame)
}

// forget drops a frame that all lanes have left.
func (w *warp) forget(f *frame) {
	siblings := f.parent.children
	for i, s := range siblings {
		if s == f {
			siblings[i] = siblings[len(siblings)-1]
			f.parent.children = siblings[:len(siblings)-1]
			w.spare = append(w.spare, f)
			return
		}
	}
}

// copyLocal copies bytes, a multiple of four is fine, within the local memory of lanes.
func (w *warp) copyLocal(m uint32, to, from, size int) {
	for i := range (size + 3) / 4 {
		d, s := &w.local[to/4+i], &w.local[from/4+i]
		for rest := m; rest != 0; rest &= rest - 1 {
			lane := bits.TrailingZeros32(rest) & 31
			d[lane] = s[lane]
		}
	}
}

// runReturn leaves a function, or the kernel.
func runReturn(w *warp, in *instr, m uint32) {
	f := w.frame
	if f.parent == nil {
		runExit(w, in, m)
		return
	}
	if rest := w.mask &^ m; rest != 0 {
		w.leave(rest, w.pc)
	}
	for i, r := range f.fn.returns {
		if i < len(f.site.results) {
			w.copyLocal(m, f.parent.local+f.site.results[i].offset, f.local+f.fn.offsets[r.Name], r.Size)
		}
	}
	w.enter(f.parent)
	w.pc = f.ret
	if f.inside &^= m; f.inside == 0 {
		w.forget(f)
	}
	w.stop = w.stop || len(w.groups) > 1
}

// runExit ends threads. Nobody waits for them from now on.
func runExit(w *warp, in *instr, m uint32) {
	w.mask &^= m
	w.live &^= m
	w.stop = true
	w.tellExit(m)
	w.afterExit(m)
}

// afterExit lets those go on who waited for the threads that are gone.
func (w *warp) afterExit(m uint32) {
	w.block.exited(w, m)
	w.releaseWarpBarriers()
	w.releaseCollectives()
	w.block.releaseBarriers(w)
}

func runTrap(w *warp, in *instr, m uint32) {
	w.fault(Trap, bits.TrailingZeros32(m), "the kernel ends itself by %s", in.x.(*ptx.Instr).Op)
}

// runYield is nanosleep.
func runYield(w *warp, in *instr, m uint32) {
	w.yield()
}
