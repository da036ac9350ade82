package access

import (
	"fmt"
	"slices"

	"github.com/warplint/warplint/analysis/ir"
)

// This file says what memory holds when a kernel starts, as far as flags and counters need it: whether it is
// as the host has made it, or as an earlier launch of the kernel has left it.

// earlier is what happened before a launch.
type earlier struct {
	again   bool            // the kernel has been launched before
	left    []bool          // for each argument: its memory may be as an earlier launch has left it
	filled  []bool          // likewise: the host has set its bytes to another number than 0
	written map[string]bool // device variables that somebody else may have set since
}

// String tells launches apart for which memory differs.
func (e *earlier) String() string {
	if e == nil {
		return ""
	}
	return fmt.Sprint(e.again, e.left, e.filled, len(e.written))
}

// StartsFresh reports whether nothing speaks against memory being zero, or as its declaration says, when
// the kernel starts.
func (l *Launch) StartsFresh(b *Base) bool {
	if l == nil || l.earlier == nil {
		return true
	}
	for i, v := range l.Args {
		if v.Base != nil && slices.Contains(v.Base.all(), b) && (l.earlier.left[i] || l.earlier.filled[i]) {
			return false
		}
	}
	return b.Object == nil || !l.earlier.again || l.earlier.written[b.Object.Name]
}

// Either makes a launch stand for an alike one as well: memory is fresh only where it is for both.
func (l *Launch) Either(alike *Launch) {
	a, b := l.earlier, alike.earlier
	if a == nil || b == nil {
		return
	}
	e := &earlier{again: a.again || b.again, written: map[string]bool{}}
	for i := range a.left {
		e.left = append(e.left, a.left[i] || b.left[i])
		e.filled = append(e.filled, a.filled[i] || b.filled[i])
	}
	for _, names := range []map[string]bool{a.written, b.written} {
		for name := range names {
			if (!a.again || a.written[name]) && (!b.again || b.written[name]) {
				e.written[name] = true
			}
		}
	}
	l.earlier = e
}

// all lists the memory that a pointer may point to.
func (b *Base) all() []*Base {
	if len(b.Either) == 0 {
		return []*Base{b}
	}
	var out []*Base
	for _, alt := range b.Either {
		out = append(out, alt.To.Base)
	}
	return out
}

// hostSet is memory that the host fills.
type hostSet struct {
	base   *Base
	zero   bool // with zeros, or with what nobody knows
	at     int  // so many launches stand before it
	inLoop bool
}

// fills notes what the host copies or sets.
func (x *executor) fills(st *state, s *ir.HostCopy) {
	v := x.eval(st, s.Dst)
	if !x.record || v.Base == nil {
		return
	}
	zero := true
	if s.Value != nil {
		c, known := x.number(x.eval(st, s.Value)).IsConst()
		zero = !known || c == 0
	}
	for _, b := range v.Base.all() {
		x.sets = append(x.sets, hostSet{b, zero, len(x.launches), len(x.loops) > 0})
	}
}

// tellEarlier says for each launch what happened before.
func (x *executor) tellEarlier() {
	passes := map[*Base][]int{} // the launches that pass memory, in order
	for j, l := range x.launches {
		for _, v := range l.Args {
			if v.Base == nil {
				continue
			}
			for _, b := range v.Base.all() {
				passes[b] = append(passes[b], j)
			}
		}
	}
	for i, l := range x.launches {
		before := i - 1
		for before >= 0 && !l.sameKernel(x.launches[before]) {
			before--
		}
		// since reports whether something stands between the kernel's launch before and this one.
		since := func(at int, inLoop bool) bool { return x.inLoop[l] && inLoop || before >= 0 && at > before && at <= i }
		e := &earlier{again: x.inLoop[l] || before >= 0, written: map[string]bool{}}
		for _, v := range l.Args {
			left, filled := false, false
			if v.Base != nil {
				for _, b := range v.Base.all() {
					left = left || e.again && !x.setAnew(l, b, passes[b], since)
					filled = filled || x.filledOnly(b)
				}
			}
			e.left, e.filled = append(e.left, left), append(e.filled, filled)
		}
		for _, s := range x.sets {
			if s.base.Object != nil && since(s.at, s.inLoop) {
				e.written[s.base.Object.Name] = true
			}
		}
		for j, other := range x.launches {
			if !l.sameKernel(other) && since(j, x.inLoop[other]) {
				for _, o := range other.Stmt.Kernel.Objects {
					e.written[o.Name] = true
				}
			}
		}
		l.earlier = e
	}
}

func (l *Launch) sameKernel(other *Launch) bool { return l.Stmt.Kernel.Name == other.Stmt.Kernel.Name }

// setAnew reports whether something else than the kernel of a launch may have set memory since: the host,
// another kernel, of which those launches are that pass the memory, or an allocation in the loop of the launch.
func (x *executor) setAnew(l *Launch, b *Base, passing []int, since func(at int, inLoop bool) bool) bool {
	if b.Alloc != nil && x.madeInLoop[b.Alloc] || slices.ContainsFunc(x.sets, func(s hostSet) bool { return s.base == b && since(s.at, s.inLoop) }) {
		return true
	}
	return slices.ContainsFunc(passing, func(j int) bool {
		other := x.launches[j]
		return !l.sameKernel(other) && since(j, x.inLoop[other])
	})
}

// filledOnly reports whether all that the host sets memory to is another number than 0.
func (x *executor) filledOnly(b *Base) bool {
	some, only := false, true
	for _, s := range x.sets {
		if s.base == b {
			some, only = true, only && !s.zero
		}
	}
	return some && only
}
