package access

import (
	"maps"
	"math/bits"
	"slices"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/term"
)

// This file runs loops. A trial run finds how each register changes in one iteration; those
// that move by the same step get a closed form over the iteration's number, the others a
// symbol. A second run, with these values, records the accesses.

// loop runs a loop and leaves the state behind it in st.
func (x *executor) loop(st *state, s *ir.Loop) {
	if x.known(st, s) {
		return
	}
	l := x.enter(s)
	if l == nil {
		x.unknown("more than 64 loops", s.Site)
		st.dead = true
		return
	}
	n := len(st.facts)
	l.onward, l.grown, l.scaled, l.raised = nil, nil, nil, nil
	atoms := x.t.Atoms()
	if x.host {
		x.aroundLoop(st, l)
	}
	values := x.closedForms(st, s, l)
	l.raised = x.raisedIn(st, s, values)
	x.loops = append(x.loops, l)
	body := st.fork()
	for r, v := range values {
		body.regs.set(r, v)
	}
	for _, c := range l.grown {
		body.assume(c) // which tells no paths apart
		x.byAll[c.Key()] = true
	}
	end := x.iteration(body, s, true)
	l.ended = x.knownAtEnd(l, end, n)
	x.goOn(l, end, x.taken)
	x.loops = x.loops[:len(x.loops)-1]
	x.dealt(st, l)
	exits := x.exits[s.Label]
	delete(x.exits, s.Label)
	if len(exits) == 0 {
		st.dead, st.left = true, true
		return
	}
	if len(exits) > 1 || !exits[0].atHead {
		l.turns = nil
	}
	if len(exits) == 1 && exits[0].atHead && l.while != nil {
		x.byAll[x.t.Not(l.while).Key()] = true
		// What threads differ in may cancel out, as in `for (i = first + t; i < last + t; i += step)`.
		l.Varies = min(l.Varies, l.while.Variance())
	}
	some := false
	ir.WalkStmts([]ir.Stmt{s}, func(s ir.Stmt) bool {
		_, returns := s.(*ir.Return)
		some = some || returns
		return !some
	})
	for i, e := range exits {
		if e.atHead && len(exits) > 1 && x.neverRound(e, l, n) {
			for r, v := range values {
				if e.regs.of(r) == v {
					e.regs.put(r.ID, st.regs.of(r))
				}
			}
		}
		for j := n; j < len(e.facts); j++ {
			x.markPolled(e.facts[j].c)
			if e.facts[j].why == taken {
				e.facts[j].why, e.facts[j].some = passed, some
			}
		}
		exits[i] = x.afterLoop(e, l, n)
		x.leaveMemory(exits[i], l, atoms)
	}
	*st = *x.join(n, exits)
}

// enter gives a loop its number and its iteration symbol, once for both runs.
func (x *executor) enter(s *ir.Loop) *Loop {
	if l := x.sum.Loops[s]; l != nil {
		return l
	}
	if len(x.sum.Loops) >= 64 {
		return nil
	}
	l := &Loop{Bit: 1 << len(x.sum.Loops), Stmt: s, Varies: x.flow.loops[s]}
	if x.host {
		l.Bit = 0 // a kernel sees one iteration of the host's loops
	}
	l.Iter = x.t.Fresh(term.Iter, "iteration", 0, term.NoHi, term.Grid, l.Bit, s)
	x.sum.Loops[s] = l
	return l
}

// iteration runs one iteration and returns the state at its end; the ways out of the loop
// are in x.exits. It is nil if no path comes to the end.
func (x *executor) iteration(st *state, s *ir.Loop, record bool) *state {
	n := len(st.facts)
	old := x.record
	x.record = old && record
	defer func() { x.record = old }()
	x.forget(x.sum.Loops[s])
	x.exec(st, s.Head)
	if st.dead {
		return nil
	}
	c := x.truth(st, s.Cond)
	if c.Op != term.True {
		done := st.fork()
		rounds, sure := x.rounds(done, c, x.sum.Loops[s])
		if l := x.sum.Loops[s]; l != nil { // nil where it runs on constants
			l.turns = rounds
		}
		if sure {
			done.rounds = rounds
		}
		if x.record {
			x.sum.Loops[s].goesRound(rounds)
			x.sum.Loops[s].while = c
		}
		if l := x.sum.Loops[s]; l != nil {
			x.leaveOnward(done, l)
		}
		done.know(x.t.Not(c))
		x.knowLast(done, c, x.sum.Loops[s])
		done.atHead = true
		x.exits[s.Label] = append(x.exits[s.Label], done)
	}
	if c.Op == term.False {
		return nil
	}
	st.know(c)
	x.exec(st, s.Body)
	ends := x.repeats[s.Label]
	delete(x.repeats, s.Label)
	if !st.dead {
		ends = append(ends, st)
	}
	if len(ends) == 0 {
		return nil
	}
	end := x.join(n, ends)
	x.exec(end, s.Post)
	if end.dead {
		return nil
	}
	return end
}

// rounds is how often a loop goes round that ends when its condition does not hold, if that condition
// compares its iteration with a number that it does not change; nil if it is not known. It is sure that this is so if
// the number is not negative, else if the loop goes round at all.
func (x *executor) rounds(st *state, c *term.Cond, l *Loop) (rounds *term.Poly, sure bool) {
	if c.Op != term.LeZero || l.Bit == 0 {
		return nil, false
	}
	t := x.t
	rest := t.Sub(c.P, t.Poly(l.Iter)) // iteration + rest ≤ 0
	if x.dependsOnLoop(rest, l) {
		return nil, false
	}
	rounds = t.Sub(t.Const(1), rest)
	sure = x.nonNegative(st, rounds)
	if !sure {
		x.doubts++
	}
	return rounds, sure
}

// goesRound notes how often a loop goes round, if that is the same whenever it is looked at.
func (l *Loop) goesRound(rounds *term.Poly) {
	if l.looked && (rounds == nil || l.Rounds == nil || !rounds.Equal(l.Rounds)) {
		rounds = nil
	}
	l.Rounds, l.looked = rounds, true
}

// knownAtEnd lists what holds at the end of a round, so far as it is about the round's number and what no round changes.
func (x *executor) knownAtEnd(l *Loop, end *state, n int) (out []*term.Cond) {
	if end == nil || l.Bit == 0 {
		return nil
	}
	for _, f := range end.facts[n:] {
		changes := false
		f.c.Walk(func(c *term.Cond) {
			if c.P != nil {
				c.P.AllLeaves(func(a *term.Atom) { changes = changes || a != l.Iter && a.Loops&l.Bit != 0 })
			}
		})
		if !changes {
			out = append(out, f.c)
		}
	}
	return out
}

// roundCases is the budget of the solver for such a question.
const roundCases = 8

// neverRound reports whether a loop that ends at its head has not gone round once, as the last round of
// `for (i = 0; i < n; i++) { …; if (i == n - 1) break; … }` ends by the break.
func (x *executor) neverRound(e *state, l *Loop, n int) bool {
	if len(l.ended) == 0 || l.Bit == 0 {
		return false
	}
	t := x.t
	conds := []*term.Cond{t.Le(t.Const(1), t.Poly(l.Iter))}
	for _, f := range e.facts[n:] {
		conds = append(conds, f.c)
	}
	for _, c := range l.ended {
		conds = append(conds, t.SubstituteCond(c, l.Iter, t.Offset(t.Poly(l.Iter), -1)))
	}
	x.solver.Budget = roundCases
	if !x.solver.Unsat(conds...) {
		return false
	}
	e.know(t.Eq(t.Poly(l.Iter), t.Const(0)))
	e.rounds = t.Const(0)
	return true
}

// scaled is a register that each round of a loop multiplies by a constant, with what it was before the loop.
type scaled struct {
	now    *term.Atom
	before *term.Poly
	by     int64
}

// knowLast adds what holds behind a loop because its condition held before the last round, if there was
// one: of `while (j >= low && a[j] > x) j--` that j is not below low - 1.
func (x *executor) knowLast(st *state, c *term.Cond, l *Loop) {
	if x.host && l != nil { // without one it runs on constants, see known
		x.knowScaled(st, c, l)
	}
	if c.Op != term.And || l.Bit == 0 {
		return
	}
	t := x.t
	for _, part := range c.Args {
		if part.Op != term.LeZero || !part.P.Mentions(l.Iter) {
			continue
		}
		before := t.Substitute(part.P, l.Iter, t.Offset(t.Poly(l.Iter), -1))
		step, constant := t.Sub(part.P, before).IsConst()
		if constant && step > 0 && !x.dependsOnLoop(t.Sub(part.P, t.Scale(step, t.Poly(l.Iter))), l) {
			st.know(term.Disj(t.Eq(t.Poly(l.Iter), t.Const(0)), t.Le(before, t.Const(0))))
		}
	}
}

// knowScaled does so of a register that the host scales: of `while (n < size) n *= 2` that n is less than twice the size.
func (x *executor) knowScaled(st *state, c *term.Cond, l *Loop) {
	t := x.t
	for _, r := range l.scaled {
		for _, part := range term.Conjuncts([]*term.Cond{c}) {
			if part.Op != term.LeZero {
				continue
			}
			times := part.P.Times(t.Poly(r.now))
			rest := t.Sub(part.P, t.Monomial(times, []*term.Atom{r.now}))
			if times != 0 && !x.dependsOnLoop(rest, l) {
				st.know(term.Disj(t.Le(t.Poly(r.now), r.before), t.Le(t.Add(part.P, t.Scale(r.by-1, rest)), t.Const(0))))
			}
		}
	}
}

// closedForms gives each register that the loop changes its value at the start of iteration
// number l.Iter.
func (x *executor) closedForms(st *state, s *ir.Loop, l *Loop) map[*ir.Reg]Value {
	fixed := map[*ir.Reg]Value{} // what needs no symbol
	l.first = x.t.Atoms()
	defer x.lookRoughly()()
	doubts, atoms := x.doubts, x.t.Atoms()
	symbols, end := x.trial(st, l, fixed)
	if end != nil && x.takeTurns(st, l, symbols, end, fixed, atoms) {
		symbols, end = x.trial(st, l, fixed)
	}
	if end != nil && x.exchange(st, l, symbols, end, fixed) {
		symbols, end = x.trial(st, l, fixed)
	}
	var wandering []*ir.Reg
	for end != nil && x.wander(st, l, symbols, end, fixed, &wandering) {
		symbols, end = x.trial(st, l, fixed)
	}
	if end != nil && x.doubts > doubts {
		// What is known of some registers now, such as that a counter does not fall below 0, may tell how often
		// the loops within go round, and so how others change.
		for r, v := range x.starts(st, l, symbols, end, false) {
			if v.P != symbols[r].P || v.Truth != symbols[r].Truth {
				fixed[r] = v
			}
		}
		symbols, end = x.trial(st, l, fixed)
	}
	values := fixed
	maps.Copy(values, x.starts(st, l, symbols, end, true))
	if x.host && len(wandering) > 0 {
		x.leftBefore(st, l, values, wandering)
	}
	l.grown = append(l.grown, x.limits(st, l, symbols, values, end)...)
	if x.host && end != nil {
		known := end.facts[len(st.facts):]
		for _, r := range x.flow.assigned[s] {
			if sym, ok := symbols[r]; ok && values[r] == sym && sym.P != nil {
				x.halved(st, st.regs.of(r).P, sym.P.IsAtom(), end.regs.of(r).P, known)
			}
		}
	}
	return values
}

// trial runs an iteration that nobody sees, with a symbol for each register that the loop changes and
// that has no fixed value. It returns the symbols, and the state at the end, nil if no path comes there.
func (x *executor) trial(st *state, l *Loop, fixed map[*ir.Reg]Value) (symbols map[*ir.Reg]Value, end *state) {
	defer x.within(l)()
	symbols = map[*ir.Reg]Value{}
	in, variance := st.fork(), x.variesIn(st, l.Stmt)
	for _, r := range x.flow.assigned[l.Stmt] {
		before := st.regs.of(r)
		if before.P == nil && before.Truth == nil {
			continue // set anew in each iteration
		}
		v, ok := fixed[r]
		if !ok {
			varies := variance.Of(r)
			v = x.opaque(r.Name, varies, r.Type, r)
			if r.Type == ir.Ptr {
				v.Base = before.Base
				if v.Base != nil && len(v.Base.Either) > 0 {
					v.Base = &Base{Name: v.Base.Name, Space: v.Base.Space} // one that is not taken apart
				}
				v.P = x.t.Poly(x.t.Fresh(term.Opaque, r.Name, term.NoLo, term.NoHi, varies, x.loopBits(), r))
			}
			if v.P != nil {
				v.P.IsAtom().Carried = true
				if l.Before == nil {
					l.Before = map[*term.Atom]*term.Poly{}
				}
				l.Before[v.P.IsAtom()] = before.P
				if x.host && before.Base == nil {
					v.P.IsAtom().First = before.P
				}
			}
			symbols[r] = v
		}
		in.regs.set(r, v)
	}
	end = x.iteration(in, l.Stmt, false)
	delete(x.exits, l.Stmt.Label)
	if end != nil {
		x.settle(l, symbols, end)
	}
	return symbols, end
}

// within says that what follows happens in a loop, until the function that it returns is called.
func (x *executor) within(l *Loop) func() {
	x.loops = append(x.loops, l)
	return func() { x.loops = x.loops[:len(x.loops)-1] }
}

// variesIn says how registers that a loop changes may differ, at the start of the same iteration, between
// threads that have entered the loop together: which threads these are does not matter.
func (x *executor) variesIn(st *state, s *ir.Loop) Variances {
	if x.host || !slices.ContainsFunc(x.flow.assigned[s], func(r *ir.Reg) bool { return x.flow.variance.Of(r) == term.Thread }) {
		return x.flow.variance
	}
	return x.flow.within(s, func(r *ir.Reg) term.Variance {
		switch v := st.regs.of(r); {
		case v.Truth != nil:
			return v.Truth.Variance()
		case v.P != nil && v.Base == nil:
			return v.P.Variance()
		}
		return x.flow.variance.Of(r)
	})
}

// wander fixes pointers that do not stay in the memory that they point to before the loop, as that of a
// list's node: they may be anywhere that the prepass has found. It adds them to a list, and reports whether there was one.
func (x *executor) wander(st *state, l *Loop, symbols map[*ir.Reg]Value, end *state, fixed map[*ir.Reg]Value, wandering *[]*ir.Reg) bool {
	defer x.within(l)()
	found := false
	for _, r := range x.flow.assigned[l.Stmt] {
		sym, ok := symbols[r]
		if ok && r.Type == ir.Ptr && end.regs.of(r).Base != sym.Base {
			fixed[r] = x.oneOf(r.Name, x.flow.roots[r.ID], x.flow.variance.Of(r), r)
			if x.host {
				for _, b := range x.cameAround(st, l, symbols, end, r) {
					if slices.Contains(fixed[r].Base.all(), b) {
						continue
					}
					anywhere := x.t.Poly(x.t.Fresh(term.Opaque, r.Name, term.NoLo, term.NoHi, term.Grid, x.loopBits(), r))
					fixed[r] = x.oneOfTwo(x.maybe(), Value{P: anywhere, Base: b}, fixed[r], ir.Ptr)
				}
			}
			*wandering, found = append(*wandering, r), true
		}
	}
	return found
}

// cameAround lists the memory from before the loop that rounds may have had a register of the host point to.
func (x *executor) cameAround(st *state, l *Loop, symbols map[*ir.Reg]Value, end *state, r *ir.Reg) []*Base {
	var out []*Base
	seen, list := map[*ir.Reg]bool{r: true}, []*ir.Reg{r}
	for n := 0; n < len(list); n++ {
		for _, v := range [...]Value{st.regs.of(list[n]), end.regs.of(list[n])} {
			if v.Base == nil {
				continue
			}
			for _, b := range v.Base.all() {
				before := b.Param != nil || b.Alloc != nil && !x.madeInLoop[b.Alloc] || b.Pointer != nil && len(x.changing(b.Pointer, l, l.first)) == 0
				if before && !slices.Contains(out, b) {
					out = append(out, b)
				}
			}
			for _, from := range x.flow.assigned[l.Stmt] {
				if sym, ok := symbols[from]; ok && sym.Base == v.Base && !seen[from] {
					seen[from], list = true, append(list, from)
				}
			}
		}
	}
	return out
}

// maxTurns bounds the values that a register takes in turn, and maxCounted those of registers that count stages
// and their rounds.
const (
	maxTurns   = 4
	maxCounted = 16
)

// takeTurns fixes registers that take a few values in turn, as those that name the two buffers which a
// loop reads and writes: `p = 1 - p`, `swap(p, q)`, `stage = (stage + 1) % 3`. It runs iterations with
// their values instead of symbols until each is what it was before the loop. Before the symbols were made,
// there were so many atoms.
func (x *executor) takeTurns(st *state, l *Loop, symbols map[*ir.Reg]Value, end *state, fixed map[*ir.Reg]Value, atoms int) bool {
	old := map[*term.Atom]bool{}
	for _, sym := range symbols {
		if sym.P != nil {
			sym.P.Leaves(func(a *term.Atom) { old[a] = true })
		} else {
			sym.Truth.Walk(func(c *term.Cond) { c.P.Leaves(func(a *term.Atom) { old[a] = true }) })
		}
	}
	made := func(v Value) bool {
		anew := false
		v.terms(func(p *term.Poly) {
			p.AllLeaves(func(a *term.Atom) { anew = anew || a.ID >= atoms && len(a.Args) == 0 && !old[a] })
		}, map[*Base]bool{})
		return anew || v.Base != nil && v.Base.Alloc != nil && !st.regs.hold(v.Base)
	}
	var turning []*ir.Reg
	for _, r := range x.flow.assigned[l.Stmt] {
		sym, ok := symbols[r]
		if ok && x.mayTurn(st.regs.of(r), sym, end.regs.of(r), l, made) {
			turning = append(turning, r)
		}
	}
	for len(turning) > 0 {
		turns := x.turns(st, l, turning)
		stay := slices.DeleteFunc(slices.Clone(turning), func(r *ir.Reg) bool { return turns[r] == nil })
		if len(stay) < len(turning) {
			turning = stay // the others were run with values that they do not always have
			continue
		}
		for _, r := range turning {
			fixed[r] = x.inTurn(turns[r], l, r.Type)
		}
		return true
	}
	return false
}

// mayTurn reports whether a register may take values in turn: the next value is a function of those of
// this iteration that is no sum and does not only grow or shrink, or another place. What the iteration
// has made, such as a number that it has read or memory that it has allocated, is no turn.
func (x *executor) mayTurn(before, symbol, next Value, l *Loop, made func(Value) bool) bool {
	if next == symbol || symbol.Truth != nil || next.P == nil || before.P == nil || made(next) {
		return false
	}
	if next.Base == symbol.Base && x.stays(before.P, symbol.P, next.P) {
		return false // closedForm knows it
	}
	if next.Base != symbol.Base {
		return next.Base != nil && before.Base != nil
	}
	if next.P.Equal(before.P) && !x.dependsOnLoop(next.P, l) || !x.dependsOnLoop(x.t.Sub(next.P, symbol.P), l) {
		return false // closedForm knows it
	}
	first, isConst := before.P.IsConst()
	return isConst && (first == 0 || !scales(next.P, symbol.P.IsAtom())) || symbol.Base != nil
}

// scales reports whether a number is a multiple or a part of another, as of a step that is doubled.
func scales(p *term.Poly, a *term.Atom) bool {
	if len(p.Terms()) != 1 || len(p.Terms()[0].Mono.Atoms) != 1 {
		return false
	}
	x := p.Terms()[0]
	of := x.Mono.Atoms[0]
	if of.Kind == term.Div && x.Coef == 1 {
		_, isConst := of.Args[1].IsConst()
		return isConst && of.Args[0].IsAtom() == a
	}
	return of == a && x.Coef > 1
}

// turns gives the values that registers take from before the loop on until all of them come back to the first;
// nothing for those that never do.
func (x *executor) turns(st *state, l *Loop, turning []*ir.Reg) map[*ir.Reg][]Value {
	seen, back := map[*ir.Reg][]Value{}, map[*ir.Reg][]Value{}
	now := map[*ir.Reg]Value{}
	for _, r := range turning {
		now[r] = st.regs.of(r)
	}
	for i := range maxCounted {
		if i >= maxTurns && slices.ContainsFunc(turning, func(r *ir.Reg) bool { return back[r] == nil && !isNumber(now[r]) }) {
			break
		}
		for _, r := range turning {
			seen[r] = append(seen[r], now[r])
		}
		_, end := x.trial(st, l, now)
		if end == nil {
			return nil
		}
		next, all := map[*ir.Reg]Value{}, true
		for _, r := range turning {
			v := end.regs.of(r)
			if v.P == nil || x.dependsOnLoop(v.P, l) || v.Base != nil && len(v.Base.Either) > 0 {
				delete(back, r)
				return back
			}
			next[r] = v
			if first := seen[r][0]; v.Base == first.Base && v.P.Equal(first.P) {
				back[r] = seen[r]
			} else {
				all = false
			}
		}
		if all {
			for r, values := range seen {
				seen[r] = shortest(values)
			}
			return seen
		}
		now = next
	}
	if len(back) == len(turning) {
		return nil
	}
	return back
}

// shortest is the part of a list that it repeats.
func shortest(values []Value) []Value {
	for n := 1; n < len(values); n++ {
		same := func(i int) bool { return values[i].Base == values[i%n].Base && values[i].P.Equal(values[i%n].P) }
		repeats := len(values)%n == 0
		for i := n; i < len(values) && repeats; i++ {
			repeats = same(i)
		}
		if repeats {
			return values[:n]
		}
	}
	return values
}

// inTurn is the value of a register that takes some values in turn.
func (x *executor) inTurn(values []Value, l *Loop, typ ir.Type) Value {
	t := x.t
	turn := t.Remainder(t.Poly(l.Iter), t.Const(int64(len(values))))
	if len(values) == 2 && values[0].Base == values[1].Base {
		step := t.Sub(values[1].P, values[0].P)
		return Value{P: t.Add(values[0].P, t.Mul(step, turn)), Base: values[0].Base}
	}
	if p := x.counted(values, l); p != nil {
		return Value{P: p}
	}
	if first, ok := rotated(values); ok {
		return Value{P: t.Remainder(t.Offset(t.Poly(l.Iter), first), t.Const(int64(len(values))))}
	}
	out := values[len(values)-1]
	for i := len(values) - 2; i >= 0; i-- {
		out = x.choose(t.Eq(turn, t.Const(int64(i))), values[i], out, typ)
	}
	return out
}

func isNumber(v Value) bool { return v.P != nil && v.Base == nil && isConst(v.P) }

// rotated reports whether values are 0, 1, … n - 1 in turn from another one than 0 on, as the stage that a pipeline fills next.
func rotated(values []Value) (first int64, ok bool) {
	for i, v := range values {
		if !isNumber(v) {
			return 0, false
		}
		n, _ := v.P.IsConst()
		if i == 0 {
			first = n
		}
		if n != (first+int64(i))%int64(len(values)) {
			return 0, false
		}
	}
	return first, first >= 0
}

// counted is a number that goes through 0, 1, … n - 1 in turn, some rounds each; nil for others.
func (x *executor) counted(values []Value, l *Loop) *term.Poly {
	t, each := x.t, 0
	for i, v := range values {
		if !isNumber(v) {
			return nil
		}
		n, _ := v.P.IsConst()
		if n != 0 && each == 0 {
			each = i
		}
		if each == 0 && n != 0 || each > 0 && n != int64(i/each) {
			return nil
		}
	}
	if each == 0 || len(values)%each != 0 {
		return nil
	}
	return t.Remainder(t.Quotient(t.Poly(l.Iter), t.Const(int64(each))), t.Const(int64(len(values)/each)))
}

// starts says what registers hold at the start of any iteration, from a trial of one: its symbols, and
// the state at its end, nil if the body never comes round.
func (x *executor) starts(st *state, l *Loop, symbols map[*ir.Reg]Value, end *state, totals bool) map[*ir.Reg]Value {
	values := map[*ir.Reg]Value{}
	for _, r := range x.flow.assigned[l.Stmt] {
		sym, ok := symbols[r]
		switch {
		case !ok:
		case end == nil:
			values[r] = st.regs.of(r)
		default:
			values[r] = x.closedForm(st.regs.of(r), sym, end.regs.of(r), l, r, totals)
			if sym.Base != nil && values[r].Base == sym.Base { // the stand-in has done its work
				v := values[r]
				v.Base = st.regs.of(r).Base
				values[r] = v
			}
		}
	}
	return values
}

// halved notes of a number that a loop of the host halves while it is even what the number was before:
// that many times a power of two. If 1 is left, as checks of an array's length demand, it was one.
func (x *executor) halved(st *state, before *term.Poly, a *term.Atom, next *term.Poly, known []fact) {
	if before == nil || a == nil || next == nil || a.Hi < 1 || a.Hi == term.NoHi {
		return
	}
	t := x.t
	half := next.IsAtom()
	if half == nil || half.Kind != term.Div || half.Args[0].IsAtom() != a || !half.Args[1].Equal(t.Const(2)) {
		return
	}
	odd := x.t.Remainder(t.Poly(a), t.Const(2))
	even := t.Eq(odd, t.Const(0))
	if !slices.ContainsFunc(known, func(f fact) bool { return term.Implies([]*term.Cond{f.c}, even) }) {
		return
	}
	times := t.Fresh(term.Opaque, "halvings of "+a.Name, 0, int64(bits.Len64(uint64(a.Hi))-1), term.Grid, 0, nil)
	power := t.Apply(term.Func, ir.Shl.String(), 0, a.Hi, nil, t.Poly(a), t.Poly(times))
	st.facts = append(st.facts, fact{c: t.Eq(before, t.Poly(power)), why: passed})
}

// closedForm says what a register holds at the start of an iteration, from what it held
// before the loop, its symbol in the trial run and what that became.
func (x *executor) closedForm(before, symbol, next Value, l *Loop, r *ir.Reg, totals bool) Value {
	t := x.t
	if next == symbol {
		return before
	}
	if symbol.Truth != nil || next.P == nil || before.P == nil {
		return symbol
	}
	if next.Base != symbol.Base {
		return x.opaque(r.Name, x.flow.variance.Of(r), r.Type, r) // a number that holds an address
	}
	if x.stays(before.P, symbol.P, next.P) && !x.dependsOnLoop(before.P, l) {
		return before // set to the same value in each round, or left alone
	}
	a := symbol.P.IsAtom()
	step := t.Sub(next.P, symbol.P)
	if !x.dependsOnLoop(step, l) {
		return Value{P: t.Add(before.P, t.Mul(t.Poly(l.Iter), step)), Base: before.Base}
	}
	if totals {
		if sum := x.accumulated(step, l); sum != nil {
			return Value{P: t.Add(before.P, sum), Base: before.Base}
		}
	}
	if a != nil {
		x.narrow(a, before.P, next.P, l)
		if most, ok := x.atMost(a, next.P); ok && totals && l.Bit != 0 && !x.dependsOnLoop(before.P, l) {
			l.grown = append(l.grown, t.Le(t.Poly(a), t.Add(before.P, t.Scale(most, t.Poly(l.Iter)))))
		}
	}
	return symbol
}

// accumulated is the sum of a step over the rounds so far, where in each round it is a multiple of how
// often loops within have gone round; nil for other steps.
func (x *executor) accumulated(step *term.Poly, l *Loop) *term.Poly {
	t := x.t
	sum := t.Const(0)
	for _, m := range step.Terms() {
		one := t.Monomial(m.Coef, m.Mono.Atoms)
		if !x.dependsOnLoop(one, l) {
			sum = t.Add(sum, t.Mul(t.Poly(l.Iter), one))
			continue
		}
		i := slices.IndexFunc(m.Mono.Atoms, func(a *term.Atom) bool { return a.Kind == term.Iter && a.Loops&l.Bit != 0 && a != l.Iter })
		if i < 0 {
			return nil
		}
		rounds := m.Mono.Atoms[i]
		each := t.Monomial(m.Coef, slices.Delete(slices.Clone(m.Mono.Atoms), i, i+1))
		if x.dependsOnLoop(each, l) {
			return nil
		}
		if turns := x.turnsOf(rounds, l); turns != nil {
			sum = t.Add(sum, t.Mul(t.Mul(t.Poly(l.Iter), each), x.extreme(term.Max, turns, t.Const(0))))
			continue
		}
		if x.totals[rounds] == nil {
			x.totals[rounds] = t.Fresh(term.Iter, "rounds", 0, term.NoHi, rounds.Variance, rounds.Loops, rounds.Ref)
		}
		sum = t.Add(sum, t.Mul(t.Poly(x.totals[rounds]), each))
	}
	return sum
}

// turnsOf is how often a loop within another one goes round in each of its rounds if that is not negative, of the number of
// rounds that it has gone round; nil if that is not the same each time, or not known.
func (x *executor) turnsOf(rounds *term.Atom, around *Loop) *term.Poly {
	s, ok := rounds.Ref.(*ir.Loop)
	if !ok {
		return nil
	}
	l := x.sum.Loops[s]
	if l == nil || l.turns == nil || x.dependsOnLoop(l.turns, around) {
		return nil
	}
	return l.turns
}

// stays reports whether a number is what it was before the loop whatever a round does with it: it is set to that, or
// left alone.
func (x *executor) stays(before, symbol, next *term.Poly) bool {
	if next.Equal(before) || next.Equal(symbol) {
		return true
	}
	a := next.IsAtom()
	return a != nil && a.Kind == term.Select && x.stays(before, symbol, a.Args[0]) && x.stays(before, symbol, a.Args[1])
}

// dependsOnLoop reports whether a number may change from round to round. On the host loops have no bits; there it is
// what was not known before the loop.
func (x *executor) dependsOnLoop(p *term.Poly, l *Loop) bool {
	if l.Bit != 0 {
		return p.Loops()&l.Bit != 0
	}
	found := false
	p.AllLeaves(func(a *term.Atom) {
		_, passed := a.Ref.(*ir.Param)
		found = found || a == l.Iter || a.ID >= l.first && !passed
	})
	return found
}

// narrow bounds the symbol of a register that only shrinks towards 0, as `k >>= 1` does, or
// only grows, as `k *= 2`.
func (x *executor) narrow(a *term.Atom, before, next *term.Poly, l *Loop) {
	lo, hi := before.Range()
	if lo >= 0 {
		if q := unsigned(next.IsAtom(), a); q != nil && len(q.Args) == 2 && (q.Args[0].IsAtom() == a || isPositivePart(q.Args[0].IsAtom(), a)) {
			switch {
			case q.Kind == term.Div:
				a.Lo, a.Hi = 0, hi
				if isPower(q.Args[1]) {
					halves(a, before)
				}
				return
			case q.Kind == term.Func && q.Name == ir.Shr.String():
				a.Lo, a.Hi = 0, hi
				halves(a, before)
				return
			}
		}
	}
	if len(next.Terms()) == 1 && next.Terms()[0].Coef > 1 && next.Mentions(a) && lo >= 1 {
		a.Lo = lo // k *= c
		c := next.Terms()[0].Coef
		a.Power = isPower(before) && c&(c-1) == 0
		if !x.dependsOnLoop(before, l) {
			l.scaled = append(l.scaled, scaled{a, before, c})
		}
		return
	}
	slo, shi := x.change(a, next, maxChoices)
	if slo >= 0 && lo != term.NoLo {
		a.Lo = max(a.Lo, lo)
	}
	if shi <= 0 && hi != term.NoHi {
		a.Hi = min(a.Hi, hi)
	}
}

// unsigned is what a number becomes if it is not negative, of one that is divided towards 0: a register that was not
// before the loop never is.
func unsigned(next, a *term.Atom) *term.Atom {
	if next == nil || next.Kind != term.Select || next.If.Op != term.LeZero {
		return next
	}
	if terms := next.If.P.Terms(); len(terms) != 1 || terms[0].Coef != -1 || len(terms[0].Mono.Atoms) != 1 || terms[0].Mono.Atoms[0] != a {
		return next
	}
	return next.Args[0].IsAtom()
}

// isPositivePart reports whether a number is another one or 0, whichever is greater.
func isPositivePart(p, a *term.Atom) bool {
	return p != nil && p.Kind == term.Max && (p.Args[0].IsAtom() == a && isZero(p.Args[1]) || p.Args[1].IsAtom() == a && isZero(p.Args[0]))
}

func isZero(p *term.Poly) bool {
	c, ok := p.IsConst()
	return ok && c == 0
}

// maxChoices bounds the conditional changes of a register, one within the other, that are looked through.
const maxChoices = 6

// change bounds by how much a round changes a register whose next value may hang on conditions, as that of a counter
// does which counts what is found.
func (x *executor) change(a *term.Atom, next *term.Poly, choices int) (lo, hi int64) {
	step := x.t.Sub(next, x.t.Poly(a))
	if lo, hi = step.Range(); choices == 0 || lo >= 0 || hi <= 0 {
		return lo, hi
	}
	for _, m := range step.Terms() {
		if m.Coef != 1 || len(m.Mono.Atoms) != 1 || m.Mono.Atoms[0].Kind != term.Select {
			continue
		}
		choice := m.Mono.Atoms[0]
		rest := x.t.Sub(next, x.t.Poly(choice))
		lo, hi = x.change(a, x.t.Add(rest, choice.Args[0]), choices-1)
		least, most := x.change(a, x.t.Add(rest, choice.Args[1]), choices-1)
		return min(lo, least), max(hi, most)
	}
	return lo, hi
}

// atMost is the most by which a round raises a register, if that depends on conditions and nothing else.
func (x *executor) atMost(a *term.Atom, next *term.Poly) (int64, bool) {
	lo, hi := x.change(a, next, maxChoices)
	return hi, lo >= 0 && hi > 0 && hi != term.NoHi && hi < 1<<20
}

// halves notes that the symbol of a register is what it was before the loop, halved some times.
func halves(a *term.Atom, before *term.Poly) {
	if a.Power = isPower(before); !a.Power {
		a.Halved = before
	}
}

// isPower reports whether a number is known to be 0 or a power of two.
func isPower(p *term.Poly) bool {
	if c, ok := p.IsConst(); ok {
		return c >= 0 && c&(c-1) == 0
	}
	if len(p.Terms()) != 1 || len(p.Terms()[0].Mono.Atoms) != 1 {
		return false
	}
	c, a := p.Terms()[0].Coef, p.Terms()[0].Mono.Atoms[0]
	if c < 0 || c&(c-1) != 0 {
		return false
	}
	switch {
	case a.Power:
		return true
	case a.Kind == term.Div:
		return isPower(a.Args[0]) && isPower(a.Args[1])
	case a.Kind == term.Func && (a.Name == ir.Shl.String() || a.Name == ir.Shr.String()):
		return isPower(a.Args[0])
	}
	return false
}

// afterLoop turns the state at a way out into one behind the loop: the iteration is now the
// last one, which may differ from thread to thread.
func (x *executor) afterLoop(e *state, l *Loop, n int) *state {
	if l.Bit == 0 {
		return e
	}
	rounds := func(a *term.Atom) *term.Poly {
		if a == l.Iter {
			return e.rounds
		}
		return nil
	}
	ren := x.t.Rename(0, func(a *term.Atom) bool { return a.Loops&l.Bit == 0 }, rounds)
	outer := x.loopBits()
	ren.Edit = func(a *term.Atom) {
		a.Loops &^= l.Bit
		if a.Kind == term.Iter { // in each round of the loops around it this one may go round as often as it likes
			a.Loops |= outer
		}
		a.Variance = max(a.Variance, l.Varies)
	}
	switch {
	case e.rounds == nil:
		l.Behind = append(l.Behind, ren.Atom(l.Iter).IsAtom())
	case !slices.ContainsFunc(l.Ran, e.rounds.Equal):
		l.Ran = append(l.Ran, e.rounds)
	}
	e.regs.each(func(id int, v Value) {
		if w := x.rename(ren, v); w != v {
			e.regs.put(id, w)
		}
	})
	for i := n; i < len(e.facts); i++ {
		c := ren.Cond(e.facts[i].c)
		if x.byAll[e.facts[i].c.Key()] {
			x.byAll[c.Key()] = true
		}
		e.facts[i].c = c
	}
	return e
}

func (x *executor) rename(ren *term.Renaming, v Value) Value {
	if v.P != nil {
		v.P = ren.Poly(v.P)
	}
	if v.Truth != nil {
		v.Truth = ren.Cond(v.Truth)
	}
	if v.Base != nil {
		v.Base = x.renameBase(ren, v.Base)
	}
	return v
}

func (x *executor) renameBase(ren *term.Renaming, b *Base) *Base {
	if b.Pointer != nil {
		p := ren.Poly(b.Pointer)
		if p.Equal(b.Pointer) {
			return b // it may be the host's
		}
		return x.pointerBase(p)
	}
	changed := false
	either := make([]Alternative, len(b.Either))
	for i, alt := range b.Either {
		either[i] = Alternative{When: ren.Cond(alt.When), To: x.rename(ren, alt.To)}
		changed = changed || !either[i].When.Same(alt.When) || !either[i].To.P.Equal(alt.To.P) || either[i].To.Base != alt.To.Base
	}
	if !changed {
		return b
	}
	return &Base{Name: b.Name, Space: b.Space, Either: either}
}

// markPolled notes what a way out of a loop waits for.
func (x *executor) markPolled(c *term.Cond) {
	c.Walk(func(c *term.Cond) {
		c.P.Leaves(func(a *term.Atom) {
			switch s := a.Ref.(type) {
			case *ir.Load:
				x.sum.Polled[s] = true
			case *ir.Atomic:
				x.sum.Polled[s] = true
			}
		})
	})
}
