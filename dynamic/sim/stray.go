// This file explains what an instruction did wrong.

package sim

import (
	"fmt"
	"math/bits"
	"strings"
)

// fault stops the launch: something is wrong with what a lane does in the present instruction.
func (w *warp) fault(kind FaultKind, lane int, format string, args ...any) {
	panic(w.newFault(kind, lane, fmt.Sprintf(format, args...)))
}

func (w *warp) newFault(kind FaultKind, lane int, message string) *Fault {
	l := w.block.launch
	return &Fault{
		Kind: kind, Message: message, Kernel: l.kernel.Name,
		Thread:   l.event.Thread(w.block.index, w.index, lane),
		Location: l.shown(w.pc - 1),
	}
}

// stray stops the launch for an address that an access can't have.
func (w *warp) stray(op *memop, a uint64, lane int) {
	m := w.block.launch.device.memory
	f := w.newFault(OutOfBounds, lane, "")
	what := fmt.Sprintf("%s of %d bytes at %#x", op.kind, op.bytes, a)
	var win window
	switch {
	case w.find(op, &win, a) && a&(op.bytes-1) != 0:
		f.Kind = Misaligned
		f.Message = fmt.Sprintf("%s, which is no multiple of %d", what, op.bytes)
	case op.space == inShared || a>>32 == sharedWindow>>32:
		f.Message = fmt.Sprintf("%s: the block has %d bytes of shared memory", what, len(w.block.shared))
	case op.space == inLocal || a>>32 == localWindow>>32:
		f.Message = fmt.Sprintf("%s: the thread has %d bytes of local memory", what, w.top)
	default:
		explainStray(m, f, what, a)
	}
	panic(f)
}

func explainStray(m *memory, f *Fault, what string, a uint64) {
	if s := m.find(a); s != nil {
		if s.data == nil {
			f.Kind = UseAfterFree
			f.Message = fmt.Sprintf("%s, in %s, which was freed", what, s.describe())
			return
		}
		f.Message = fmt.Sprintf("%s goes beyond the end of %s", what, s.describe())
		return
	}
	s := m.nearest(a)
	switch {
	case s == nil || a < 1<<16 || distant(s, a):
		f.Message = what + ", in no allocation"
		switch {
		case a < 1<<16:
			f.Message += " (null pointer?)"
		case a < deviceBase:
			f.Message += " (pointer to memory of the host that is neither managed, pinned nor registered?)"
		}
	case a < s.base:
		f.Message = fmt.Sprintf("%s, %d bytes before %s", what, s.base-a, s.describe())
	default:
		behind := "right"
		if n := a - s.base - s.size; n > 0 {
			behind = fmt.Sprintf("%d bytes", n)
		}
		f.Message = fmt.Sprintf("%s, %s behind the end of %s", what, behind, s.describe())
	}
}

// distant reports whether an address is too far from an allocation to be meant for it.
func distant(s *segment, a uint64) bool {
	const far = 1 << 36
	return a < s.base && s.base-a > far || a > s.base && a-s.base > s.size+far
}

func (s *segment) describe() string {
	name := s.alloc.Name
	switch {
	case name == "":
		name = "the allocation"
	case !strings.Contains(name, " "): // else it says where the memory comes from
		name = "`" + name + "`"
	}
	return fmt.Sprintf("%s of %d bytes at %#x", name, s.size, s.base)
}

// laneOf is the first lane of a mask.
func laneOf(m uint32) int { return bits.TrailingZeros32(m) & 31 }
