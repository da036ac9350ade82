package access

import (
	"fmt"
	"maps"
	"slices"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/term"
)

// This file says what memory holds when a kernel starts, as far as flags and counters need it: whether it is
// as the host has made it, or as an earlier launch of the kernel has left it.

// earlier is what happened before a launch.
type earlier struct {
	again   bool            // the kernel has been launched before
	left    []bool          // for each argument: its memory may be as an earlier launch has left it
	counted []bool          // likewise: another kernel has counted in it
	filled  [][]extent      // likewise: the parts of it that the host has set to another number than 0
	anew    []extent        // and how much of it has been set since
	written map[string]bool // device variables that somebody else may have set since
	used    map[string]bool // those that hold something else: what the host has set, or what another kernel has counted
}

// extent is a part of memory in bytes. The zero extent is all of it, or as much as needs to be.
type extent struct{ from, to int64 }

// covers reports whether what may be accessed from an offset on may lie in a part.
func (e extent) covers(off *term.Poly) bool {
	if e == (extent{}) {
		return true
	}
	lo, hi := off.Range()
	return hi >= e.from && lo < e.to
}

// meets reports whether two parts may have something in common.
func (e extent) meets(f extent) bool {
	return e == (extent{}) || f == (extent{}) || e.from < f.to && f.from < e.to
}

// and is what is in both.
func (e extent) and(f extent) extent {
	switch {
	case e == (extent{}):
		return f
	case f == (extent{}):
		return e
	}
	return extent{max(e.from, f.from), min(e.to, f.to)}
}

// or is no less than what is in one of two.
func (e extent) or(f extent) extent {
	if e == (extent{}) || f == (extent{}) {
		return extent{}
	}
	return extent{min(e.from, f.from), max(e.to, f.to)}
}

// String tells launches apart for which memory differs.
func (e *earlier) String() string {
	if e == nil {
		return ""
	}
	return fmt.Sprint(e.again, e.left, e.counted, e.filled, e.anew, len(e.written), len(e.used))
}

// StartsFresh reports whether nothing speaks against memory being zero, or as its declaration says, when
// the kernel starts, at an offset. setBack is set if each launch of the kernel leaves it so.
func (l *Launch) StartsFresh(b *Base, off *term.Poly, setBack bool) bool {
	if l == nil || l.earlier == nil {
		return true
	}
	e := l.earlier
	for i, v := range l.Args {
		if v.Base != nil && slices.Contains(v.Base.all(), b) && (e.counted[i] || !setBack && (e.left[i] || !e.anew[i].covers(off)) ||
			slices.ContainsFunc(e.filled[i], func(part extent) bool { return part.covers(off) })) {
			return false
		}
	}
	return b.Object == nil || !e.used[b.Object.Name] && (setBack || !e.again || e.written[b.Object.Name])
}

// Either makes a launch stand for an alike one as well: memory is fresh only where it is for both.
func (l *Launch) Either(alike *Launch) {
	a, b := l.earlier, alike.earlier
	if a == nil || b == nil {
		return
	}
	e := &earlier{again: a.again || b.again, written: map[string]bool{}, used: map[string]bool{}}
	for i := range a.left {
		e.left = append(e.left, a.left[i] || b.left[i])
		e.counted = append(e.counted, a.counted[i] || b.counted[i])
		e.filled = append(e.filled, slices.Concat(a.filled[i], b.filled[i]))
		e.anew = append(e.anew, a.anew[i].and(b.anew[i]))
	}
	maps.Copy(e.used, a.used)
	maps.Copy(e.used, b.used)
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
	part   extent
	when   []*term.Cond // the branches in which it does so
}

// isMade reports whether memory is filled whenever a launch is made.
func (s *hostSet) isMade(l *Launch) bool {
	return !slices.ContainsFunc(s.when, func(c *term.Cond) bool { return !term.Implies(l.When, c) })
}

// stores notes what the host stores in memory that kernels get: managed or mapped memory, and managed variables.
func (x *executor) stores(st *state, s *ir.Store, to, value Value) {
	if !x.record || to.Base == nil || to.P == nil {
		return
	}
	given := slices.DeleteFunc(to.Base.all(), func(b *Base) bool { return b.Space != ir.Global })
	c, known := x.number(value).IsConst()
	x.setsIn(st, given, to, x.t.Const(s.T.Size()), !known || c == 0, false)
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
	if s.Src != nil {
		zero = !x.copiesOne(st, x.eval(st, s.Src))
	}
	x.setsIn(st, v.Base.all(), v, x.number(x.eval(st, s.Bytes)), zero, s.Again)
}

// setsIn notes that the host sets so many bytes of memory, from where a pointer leads.
func (x *executor) setsIn(st *state, memory []*Base, to Value, bytes *term.Poly, zero, again bool) {
	var part extent
	if size, known := bytes.IsConst(); known && len(to.Base.Either) == 0 && to.P != nil {
		if at, known := to.P.IsConst(); known {
			part = extent{at, at + size}
		}
	}
	for _, b := range memory {
		x.sets = append(x.sets, hostSet{b, zero, len(x.launches), len(x.loops) > 0 || again, part, x.branches(st)})
	}
}

// branches lists the conditions of the branches in which a path is, without those by which loops go round.
func (x *executor) branches(st *state) (out []*term.Cond) {
	var rounds []*term.Cond
	for _, l := range x.loops {
		if l.while != nil {
			rounds = append(rounds, term.Conjuncts([]*term.Cond{l.while})...)
		}
	}
	for _, f := range st.facts {
		if f.why == taken && !term.Implies(rounds, f.c) {
			out = append(out, f.c)
		}
	}
	return out
}

// copiesOne reports whether what the host copies begins with a number that is known, and not 0.
func (x *executor) copiesOne(st *state, from Value) bool {
	return from.P != nil && slices.ContainsFunc(st.memory, func(c hostCell) bool {
		if c.base != from.Base || c.lost != 0 || c.inRounds != nil || !c.typ.IsInt() || c.value.P == nil || !c.at.Equal(from.P) {
			return false
		}
		n, known := c.value.P.IsConst()
		return known && n != 0
	})
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
		e := &earlier{again: x.inLoop[l] || before >= 0, written: map[string]bool{}, used: map[string]bool{}}
		for _, v := range l.Args {
			left, counted, filled, anew := false, false, []extent(nil), extent{}
			if v.Base != nil {
				for _, b := range v.Base.all() {
					part, set := x.setAnew(l, b, passes[b], since)
					left, counted, anew = left || e.again && !set, counted || x.usedBefore(i, b, passes[b]), anew.and(part)
					filled = append(filled, x.filledLast(i, b)...)
				}
			}
			if !e.again {
				anew = extent{}
			}
			e.left, e.counted, e.filled, e.anew = append(e.left, left), append(e.counted, counted), append(e.filled, filled), append(e.anew, anew)
		}
		for _, s := range x.sets {
			if s.base.Object == nil {
				continue
			}
			if since(s.at, s.inLoop) && s.isMade(l) {
				e.written[s.base.Object.Name] = true
			}
			if len(x.filledLast(i, s.base)) > 0 {
				e.used[s.base.Object.Name] = true
			}
		}
		for b, passing := range passes {
			if b.Object != nil && x.usedBefore(i, b, passing) {
				e.used[b.Object.Name] = true
			}
		}
		for j, other := range x.launches {
			if l.sameKernel(other) {
				continue
			}
			for _, o := range variables(other.Stmt.Kernel) {
				if x.counts(other.Stmt.Kernel, o) && !e.used[o.Name] && x.comesBefore(j, i) && !x.variableSet(o.Name, j, i) {
					e.used[o.Name] = true
				}
			}
			if since(j, x.inLoop[other]) {
				for _, o := range variables(other.Stmt.Kernel) {
					if x.writes(other.Stmt.Kernel, o) {
						e.written[o.Name] = true
					}
				}
			}
		}
		l.earlier = e
	}
}

func (l *Launch) sameKernel(other *Launch) bool { return l.Stmt.Kernel.Name == other.Stmt.Kernel.Name }

// setAnew reports whether something else than the kernel of a launch may have set memory since, and which part: the host,
// another kernel, of which those launches are that pass the memory, or an allocation in the loop of the launch.
func (x *executor) setAnew(l *Launch, b *Base, passing []int, since func(at int, inLoop bool) bool) (part extent, is bool) {
	if b.Alloc != nil && x.madeInLoop[b.Alloc] {
		return extent{}, true
	}
	for _, s := range x.sets {
		if s.base != b || !since(s.at, s.inLoop) || !s.isMade(l) {
			continue
		}
		if is {
			part = part.or(s.part)
		} else {
			part, is = s.part, true
		}
	}
	if slices.ContainsFunc(passing, func(j int) bool {
		other := x.launches[j]
		return !l.sameKernel(other) && since(j, x.inLoop[other]) && x.writesArgument(other, b)
	}) {
		return extent{}, true
	}
	return part, is
}

// usedBefore reports whether another kernel has counted in memory before the launch of a number, and nobody has set it since.
func (x *executor) usedBefore(i int, b *Base, passing []int) bool {
	return slices.ContainsFunc(passing, func(j int) bool {
		other := x.launches[j]
		if x.launches[i].sameKernel(other) || !x.comesBefore(j, i) || j > i && x.madeInLoop[b.Alloc] || !x.ofArgument(other, b, x.counts) {
			return false
		}
		return !slices.ContainsFunc(x.sets, func(s hostSet) bool {
			return s.base == b && s.isMade(x.launches[i]) && x.between(s.at-1, s.inLoop, j, i)
		}) &&
			!slices.ContainsFunc(passing, func(k int) bool {
				return k != i && x.between(k, x.inLoop[x.launches[k]], j, i) && x.writesArgument(x.launches[k], b) && !x.ofArgument(x.launches[k], b, x.counts)
			})
	})
}

// variableSet is that for a variable that a launch counts in.
func (x *executor) variableSet(name string, j, i int) bool {
	for k, l := range x.launches {
		if k != i && x.between(k, x.inLoop[l], j, i) && slices.ContainsFunc(variables(l.Stmt.Kernel), func(o *ir.Object) bool {
			return o.Name == name && x.writes(l.Stmt.Kernel, o) && !x.counts(l.Stmt.Kernel, o)
		}) {
			return true
		}
	}
	return slices.ContainsFunc(x.sets, func(s hostSet) bool {
		return s.base.Object != nil && s.base.Object.Name == name && s.isMade(x.launches[i]) && x.between(s.at-1, s.inLoop, j, i)
	})
}

// comesBefore reports whether a launch may be made before another one, both by numbers: behind it only in a loop around both. One
// of two that conditions of the host exclude is not.
func (x *executor) comesBefore(j, i int) bool {
	first, then := x.launches[j], x.launches[i]
	return (j < i || x.inLoop[first] && x.inLoop[then]) && !slices.ContainsFunc(first.When, func(c *term.Cond) bool {
		return c.Loops() == 0 && term.Implies(then.When, x.t.Not(c))
	})
}

// between reports whether what stands behind so many launches, or behind the launch of a number, comes after the launch j and before i.
func (x *executor) between(at int, inLoop bool, j, i int) bool {
	if j < i {
		return j <= at && at < i
	}
	return inLoop && (j <= at || at < i)
}

// writesArgument reports whether the kernel of a launch may write to memory that the launch passes.
func (x *executor) writesArgument(l *Launch, b *Base) bool { return x.ofArgument(l, b, x.writes) }

// ofArgument reports whether something holds of a parameter by which a launch passes memory.
func (x *executor) ofArgument(l *Launch, b *Base, holds func(*ir.Func, any) bool) bool {
	for i, p := range l.Stmt.Kernel.Params {
		if i < len(l.Args) && l.Args[i].Base != nil && slices.Contains(l.Args[i].Base.all(), b) && holds(l.Stmt.Kernel, p) {
			return true
		}
	}
	return false
}

// writes reports whether a kernel may write to a variable, or to what a parameter points to.
func (x *executor) writes(kernel *ir.Func, root any) bool {
	does := x.effectsOf(kernel)
	return does.written[root] || does.written[unknownRoot]
}

// counts reports whether a kernel only counts there.
func (x *executor) counts(kernel *ir.Func, root any) bool { return x.effectsOf(kernel).counted[root] }

func (x *executor) effectsOf(kernel *ir.Func) *effects {
	if x.kernels[kernel] == nil {
		x.kernels[kernel] = effectsOf(kernel)
	}
	return x.kernels[kernel]
}

// filledLast lists the parts of memory that the host may have set to another number than 0 last, before the launch of a number.
func (x *executor) filledLast(i int, b *Base) (parts []extent) {
	l := x.launches[i]
	before := func(s *hostSet) bool { return s.at <= i }
	for n := range x.sets {
		s := &x.sets[n]
		if s.base != b || s.zero || slices.Contains(parts, s.part) || !before(s) && !(s.inLoop && x.inLoop[l]) {
			continue
		}
		again := false
		for m := range x.sets {
			o := &x.sets[m]
			again = again || o.base == b && o.zero && o.part.and(s.part) == s.part && o.isMade(l) && before(o) && (m > n || !before(s))
		}
		if !again {
			parts = append(parts, s.part)
		}
	}
	return parts
}
