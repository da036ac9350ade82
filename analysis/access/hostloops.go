package access

import (
	"slices"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/term"
)

// This file says what the host's memory holds at the start of any round of a loop.
//
// DESIGN. As with registers, a trial round shows which places a round changes. Pointers that change places, as by a swap at
// the end of each round, take turns. Others are one of those that may have come there in some round before, nobody knows
// which. Places that differ from round to round, such as elements of an array, are kept as those of any round.

// changesMemory reports whether a loop may change what the host keeps: pointers, or numbers alone.
func (x *executor) changesMemory(st *state, s *ir.Loop) (puts, counts, loses bool) {
	ir.WalkStmts([]ir.Stmt{s}, func(s ir.Stmt) bool {
		switch s := s.(type) {
		case *ir.Store:
			puts, counts = puts || s.T == ir.Ptr, counts || isKept(s.T)
		case *ir.HostCopy, *ir.Atomic:
			puts = true
		case *ir.Launch:
			puts = puts || x.host && x.mayLeave(st, s.Kernel)
		case *ir.Unknown:
			loses = loses || s.Memory
		case *ir.Named:
			loses = true
		}
		return true
	})
	return puts, counts, loses
}

// rounds are those of a loop, as a trial of one shows them.
type rounds struct {
	x      *executor
	l      *Loop
	first  int            // so many atoms were there before
	allocs map[*Base]bool // that were made before
	// symbols are the places that a round changes; in the trial they hold values that stand for what they hold.
	symbols []hostCell
	found   map[*Base]Value // see foundAs
}

// aroundLoop has memory hold what it does at the start of any round of a loop.
func (x *executor) aroundLoop(st *state, l *Loop) {
	puts, counts, loses := x.changesMemory(st, l.Stmt)
	if x.host && (puts || counts) {
		x.forgetTold(st, l.Stmt)
	}
	if !puts { // rounds are tried for the sake of pointers only
		if counts {
			x.blurNumbers(st)
		}
		if loses {
			x.lose(st)
		}
		return
	}
	if x.roughly {
		x.forgetMemory(st)
		return
	}
	r := &rounds{x: x, l: l, first: x.t.Atoms(), allocs: map[*Base]bool{}}
	for _, b := range x.allocs {
		r.allocs[b] = true
	}
	before := st.fork()
	end, known := r.trials(st)
	*st = *before
	switch {
	case !known:
		x.forgetMemory(st)
		return
	case end == nil:
		return
	}
	r.start(st, end)
	for _, c := range r.symbols {
		x.keep(st, c)
	}
	for _, c := range end.memory {
		if r.isPutAnew(&c) {
			x.putInRounds = append(x.putInRounds, c)
		}
		if c, ok := r.inAnyRound(c, st); ok {
			x.keep(st, c)
		}
	}
	if end.contents != before.contents {
		x.lose(st)
	}
}

// forgetTold says that nothing is known of what the source tells of the numbers in objects that a loop may store to.
func (x *executor) forgetTold(st *state, s *ir.Loop) {
	for store := range ir.All[*ir.Store]([]ir.Stmt{s}) {
		if store.T == ir.Ptr || !isKept(store.T) {
			continue
		}
		for _, root := range x.flow.rootsOf(store.Ptr) {
			if o, ok := root.(*ir.Object); ok {
				x.untell(st, o)
			} else if root == unknownRoot {
				x.untellAll(st)
			}
		}
	}
}

// trials runs rounds until all places that they change are symbols; end is nil if no path comes round. A loop within another
// one is tried in each round of that one: what it changed before is a symbol at once.
func (r *rounds) trials(st *state) (end *state, known bool) {
	const tries = 4
	x, lost := r.x, r.x.rewrites
	for _, at := range x.changed[r.l] {
		if st.cell(at) != nil {
			sym := hostCell{base: at.Base, at: at.P, typ: at.typ, value: x.anyAt(at)}
			r.symbols = append(r.symbols, sym)
			x.keep(st, sym)
		}
	}
	defer func() {
		x.changed[r.l] = nil
		for i := range r.symbols {
			x.changed[r.l] = append(x.changed[r.l], r.symbols[i].place())
		}
	}()
	for range tries {
		_, end = x.trial(st, r.l, map[*ir.Reg]Value{})
		if end == nil {
			return nil, true
		}
		more := false
		for i := range end.memory {
			c := &end.memory[i]
			if r.isOwn(c.base) || c.inRounds != nil || len(r.changing(c.at)) > 0 || r.symbol(c) >= 0 {
				continue
			}
			old := st.cell(c.place())
			if old == nil && !c.read || old != nil && (old.value != c.value || old.lost != c.lost && c.lost > lost) {
				sym := hostCell{base: c.base, at: c.at, typ: c.typ, value: x.anyAt(c.place())}
				r.symbols, more = append(r.symbols, sym), true
			}
		}
		if !more {
			return end, true
		}
		for _, c := range r.symbols {
			x.keep(st, c)
		}
	}
	return nil, false
}

// symbol is the number of the symbol for a place, -1 for none.
func (r *rounds) symbol(c *hostCell) int {
	return slices.IndexFunc(r.symbols, func(o hostCell) bool { return o.base == c.base && o.typ == c.typ && o.at.Equal(c.at) })
}

// from is the number of the symbol that a value is, but for an offset; -1 if it is none.
func (r *rounds) from(v Value) int {
	return slices.IndexFunc(r.symbols, func(c hostCell) bool {
		if c.typ == ir.Ptr {
			return v.Base != nil && v.Base == c.value.Base
		}
		return v.P != nil && c.value.P != nil && v.P.Equal(c.value.P)
	})
}

// changing lists the numbers in a sum that change from round to round.
func (r *rounds) changing(p *term.Poly) []*term.Atom { return r.x.changing(p, r.l, r.first) }

// moves reports whether each round makes an object of its own, or has another pointer to it.
func (r *rounds) moves(b *Base) bool {
	return b.Alloc != nil && !r.allocs[b] || b.Pointer != nil && len(r.changing(b.Pointer)) > 0
}

// isOwn reports whether each round has an object of its own: a new one, or one to which a pointer leads that memory holds at another
// place for each round.
func (r *rounds) isOwn(b *Base) bool {
	own := r.moves(b)
	if !own && b.Pointer != nil {
		b.Pointer.AllLeaves(func(a *term.Atom) {
			at := r.x.lasting[a]
			own = own || at.P != nil && len(r.changing(at.P)) > 0 || at.Base != nil && r.isOwn(at.Base)
		})
	}
	return own
}

// isPutAnew reports whether each round puts the same pointer into an object of its own.
func (r *rounds) isPutAnew(c *hostCell) bool {
	same := r.isOwn(c.base) && c.typ == ir.Ptr && !c.read && c.inRounds == nil && c.lost == 0 && r.from(c.value) < 0
	if !same || c.value.Base == nil || slices.ContainsFunc(c.value.Base.all(), r.moves) {
		return false
	}
	c.value.terms(func(p *term.Poly) { same = same && len(r.changing(p)) == 0 }, map[*Base]bool{})
	return same
}

// inAnyRound is a place that the trial has set as that of any round; ok is false for other places.
func (r *rounds) inAnyRound(c hostCell, st *state) (out hostCell, ok bool) {
	switch {
	case r.isOwn(c.base) || r.symbol(&c) >= 0 || c.read:
		return c, false
	case c.inRounds != nil:
		c.inRounds = r.roundsOf(c)
		return c, !slices.ContainsFunc(st.memory, func(o hostCell) bool { return o.inRounds != nil && o.base == c.base && o.at == c.at })
	}
	by := r.changing(c.at)
	if len(by) == 0 {
		return c, false
	}
	c.value, c.lost = r.x.held(&c, c.base.Name, nil), 0
	c.inRounds = r.roundsOf(c)
	return c, true
}

// roundsOf lists the numbers of rounds that a place and what it holds are made of.
func (r *rounds) roundsOf(c hostCell) []*term.Atom {
	by := append(slices.Clone(c.inRounds), r.changing(c.at)...)
	c.value.terms(func(p *term.Poly) { by = append(by, r.changing(p)...) }, map[*Base]bool{})
	by = slices.DeleteFunc(by, func(a *term.Atom) bool { return len(a.Args) > 0 }) // made of others in the list
	slices.SortFunc(by, func(a, b *term.Atom) int { return a.ID - b.ID })
	return slices.Compact(by)
}

// start gives the symbols the values that places have at the start of any round.
func (r *rounds) start(st, end *state) {
	x := r.x
	first, next, out := make([]Value, len(r.symbols)), make([]Value, len(r.symbols)), make([]Value, len(r.symbols))
	for i := range r.symbols {
		c := &r.symbols[i]
		if next[i] = x.holds(end, c.place()); c.typ == ir.Ptr || r.from(next[i]) >= 0 {
			first[i] = x.holds(st, c.place())
		}
	}
	for i, c := range r.symbols {
		out[i] = c.value
		turns := r.inTurn(i, first, next)
		switch {
		case turns != nil:
			out[i] = x.inTurn(turns, r.l, c.typ)
		case r.isStepped(i, first[i], next[i]):
			out[i] = Value{P: x.t.Add(first[i].P, x.t.Mul(next[i].P, x.t.Poly(r.l.Iter))), Base: first[i].Base}
		case c.typ == ir.Ptr:
			out[i] = r.oneOfSources(i, first, next)
		}
	}
	for i := range r.symbols {
		c := &r.symbols[i]
		if c.typ != ir.Ptr && out[i] == c.value {
			x.blur(c)
		}
		c.value = out[i]
	}
}

// isStepped reports whether each round moves a pointer on by the same number of bytes.
func (r *rounds) isStepped(i int, first, next Value) bool {
	return r.symbols[i].typ == ir.Ptr && r.from(next) == i && first.Base != nil && len(r.changing(next.P)) == 0
}

// inTurn lists what a place holds in turn, if rounds only exchange what it and others hold.
func (r *rounds) inTurn(i int, first, next []Value) (turns []Value) {
	for at := i; ; {
		turns = append(turns, first[at])
		j := r.from(next[at])
		if j < 0 || next[at].Base != nil && !isZero(next[at].P) || first[at].P == nil || len(turns) > maxTurns {
			return nil
		}
		if at = j; at == i {
			return turns
		}
	}
}

// oneOfSources is a pointer that may have come to a place before the loop or in some round of it.
func (r *rounds) oneOfSources(i int, first, next []Value) Value {
	type visit struct {
		i     int
		moved bool // by an offset that differs from round to round
	}
	x, anew := r.x, false
	var sources []Value
	anywhere := map[*Base]bool{} // to which offset nobody knows
	add := func(v Value, moved bool) {
		if moved {
			v.P = x.t.Poly(x.t.Fresh(term.Opaque, "offset", term.NoLo, term.NoHi, term.Grid, 0, nil))
			anywhere[v.Base] = true
			sources = slices.DeleteFunc(sources, func(o Value) bool { return o.Base == v.Base })
		} else if anywhere[v.Base] || slices.ContainsFunc(sources, func(o Value) bool { return o.Base == v.Base && o.P.Equal(v.P) }) {
			return
		}
		sources = append(sources, v)
	}
	list := []visit{{i, false}}
	for n := 0; n < len(list); n++ {
		at := list[n]
		if first[at.i].Base != nil {
			add(first[at.i], at.moved)
		}
		for _, v := range pointedTo(x.t, next[at.i]) {
			switch j := r.from(v); {
			case j >= 0:
				to := visit{j, at.moved || !isZero(v.P)}
				if !slices.Contains(list, to) {
					list = append(list, to)
				}
			case v.Base == nil || r.moves(v.Base):
				anew = true
				for j, w := range next {
					if j != at.i && v.Base != nil && w.Base != nil && slices.Contains(w.Base.all(), v.Base) { // and put to another place as well
						add(r.foundAs(v.Base), at.moved || !isZero(v.P))
					}
				}
			case len(r.changing(v.P)) > 0:
				add(v, true)
			default:
				add(v, at.moved)
			}
		}
	}
	var out Value
	if anew || len(sources) == 0 || len(sources) > maxPointers {
		out = x.opaque("pointer", term.Grid, ir.Ptr, nil)
	} else {
		out, sources = sources[len(sources)-1], sources[:len(sources)-1]
	}
	for _, v := range slices.Backward(sources[:min(len(sources), maxPointers)]) {
		out = x.oneOfTwo(x.maybe(), v, out, ir.Ptr)
	}
	return out
}

// foundAs is what some round has found or made, for all places that it may have put it to.
func (r *rounds) foundAs(b *Base) Value {
	v, ok := r.found[b]
	if !ok {
		v = r.x.opaque("pointer", term.Grid, ir.Ptr, nil)
		if r.found == nil {
			r.found = map[*Base]Value{}
		}
		r.found[b] = v
	}
	return v
}

// pointedTo lists what a pointer may be.
func pointedTo(t *term.Table, v Value) []Value {
	if v.Base == nil || len(v.Base.Either) == 0 {
		return []Value{v}
	}
	var out []Value
	for _, alt := range v.Base.Either {
		out = append(out, Value{P: t.Add(v.P, alt.To.P), Base: alt.To.Base})
	}
	return out
}

// leaveMemory forgets behind a loop the places that are known by numbers which change in it: what rounds have set is kept as that of
// any round.
func (x *executor) leaveMemory(st *state, l *Loop, first int) {
	if x.host {
		st.memory = slices.DeleteFunc(slices.Clone(st.memory), func(c hostCell) bool {
			return c.inRounds == nil && len(x.changing(c.at, l, first)) > 0
		})
	}
}

// lookRoughly says that loops within are of interest for their registers, until the function that it returns is called. To follow
// memory through each of them whenever a loop around is tried would take exponentially many rounds.
func (x *executor) lookRoughly() func() {
	before := x.roughly
	x.roughly = true
	return func() { x.roughly = before }
}

// changing lists the numbers in a sum that change in a loop, before which there were so many atoms.
func (x *executor) changing(p *term.Poly, l *Loop, first int) (by []*term.Atom) {
	p.AllLeaves(func(a *term.Atom) {
		_, passed := a.Ref.(*ir.Param)
		if _, lasting := x.lasting[a]; a == l.Iter || a.ID >= first && !passed && !lasting {
			by = append(by, a)
		}
	})
	return by
}
