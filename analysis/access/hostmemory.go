package access

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/term"
)

// This file follows what the host keeps in memory: pointers and numbers in global variables, in members of
// objects and in arrays.
//
// DESIGN. Pointers that the host has read from memory are taken not to overlap, unless it shows that they do. So what it puts
// somewhere has to be found there again. A place is known by its object and its offset; of two offsets that may be equal
// a load chooses by whether they are. What nobody has put there is what memory held at first, the same on all paths. Code
// that is not understood may have changed it: a pointer is then what it was or another, and a number any. Pointers of
// different origin are taken to lead to different objects of the host.

// hostCell is a place of the host's memory, and what it holds.
type hostCell struct {
	base  *Base
	at    *term.Poly
	typ   ir.Type
	value Value
	read  bool // the host has only read what the place held
	isPut bool // and something that was put somewhere may have gone there
	// lost numbers the code that is not understood which may have changed the place since, 0 if there is none.
	lost int
	// inRounds is set if some rounds of a loop have each set one place: at and value are those of any such round, by the numbers
	// that change in the loop.
	inRounds []*term.Atom
}

// maxHostCells bounds the places that a path knows.
const maxHostCells = 128

// isKept reports whether values of a type are followed: launches seldom hang on others.
func isKept(typ ir.Type) bool { return typ == ir.Ptr || typ.IsInt() }

// place is where a value lies.
type place struct {
	Value
	typ  ir.Type
	name string
	ref  any
}

// place is where a cell lies.
func (c *hostCell) place() place { return place{Value{P: c.at, Base: c.base}, c.typ, c.base.Name, nil} }

func (p *place) is(c *hostCell) bool {
	return c.inRounds == nil && c.base == p.Base && c.typ == p.typ && c.at.Equal(p.P)
}

// recall is what the host reads at a place.
func (x *executor) recall(st *state, s *ir.Load, v Value) Value {
	if len(v.Base.Either) > 0 {
		out, _ := x.overAlternatives(v, s.T, func(v Value) (Value, bool) { return x.recall(st, s, v), true })
		return out
	}
	p := place{v, s.T, x.valueName(s.Site), s}
	if !isKept(s.T) {
		return x.anyAt(p)
	}
	old := st.cell(p)
	if old != nil && old.lost == 0 {
		return old.value
	}
	out := x.holds(st, p)
	x.keep(st, hostCell{base: v.Base, at: v.P, typ: s.T, value: out, read: old == nil || old.read, isPut: x.isPut(st, p)})
	return out
}

// isPut reports whether something that was put somewhere may have gone to a place.
func (x *executor) isPut(st *state, p place) bool {
	return slices.ContainsFunc(st.memory, func(c hostCell) bool { return !c.read && c.base == p.Base && !x.apart(&c, p.P, p.typ) })
}

// holds is what a place holds. What nobody has put somewhere is taken to be something else than at other places.
func (x *executor) holds(st *state, p place) Value {
	if c := st.cell(p); c != nil {
		return x.held(c, p.name, p.ref)
	}
	told := x.isTold(p.Value, p.typ) && (p.Base.Space == ir.Constant || st.contents == 0 && !x.mayBeSet(st, p.Base))
	out := x.again(fmt.Sprintf("%t %d %s %s %s", told, st.contents, x.baseName(p.Base), p.P.Key(), p.typ), p.Value, func() Value {
		if told {
			return x.startsWith(p.Value, p.typ)
		}
		return x.atFirst(p)
	})
	if one := x.allSet(st, p); one != nil {
		out = one.value
	}
	for _, rounds := range []bool{true, false} { // what was set since is known to the places themselves
		for i := range st.memory {
			c := &st.memory[i]
			switch {
			case c.read || (c.inRounds != nil) != rounds || c.base != p.Base || x.apart(c, p.P, p.typ):
			case c.typ != p.typ && isKept(c.typ) && isKept(p.typ) && c.typ.Size() == p.typ.Size() && c.at.Equal(p.P): // another member of a union
				out = x.convert(st, x.held(c, p.name, p.ref), c.typ, p.typ)
			case c.typ != p.typ:
				out = x.anyAt(p)
			case rounds:
				out = x.inSomeRound(st, c, p, out)
			default:
				out = x.oneOfTwo(x.t.Eq(p.P, c.at), x.held(c, p.name, p.ref), out, p.typ)
			}
		}
	}
	return out
}

// isTold reports whether the source tells what a place of the host holds: where main begins, or always. Of a table it is one of a few.
func (x *executor) isTold(v Value, typ ir.Type) bool {
	if !x.host || v.Base == nil || v.Base.Object == nil || !typ.IsInt() || typ == ir.Bool || v.Base.Space != ir.Constant && !x.isToldAtFirst(v.Base.Object) {
		return false
	}
	return len(within(v.P, typ, int64(len(v.Base.Object.Init)))) > 0
}

// isToldAtFirst reports whether the source tells what a variable holds where the function begins.
func (x *executor) isToldAtFirst(o *ir.Object) bool {
	return o.Space == ir.Global && len(o.Init) > 0 && x.f.Name == "main"
}

// untell says that the numbers in an object may be others than the source tells.
func (x *executor) untell(st *state, o *ir.Object) {
	if !x.isToldAtFirst(o) {
		return
	}
	b := x.objectBase(o)
	somewhere := x.again("somewhere in "+x.baseName(b), Value{}, func() Value { return x.opaque("offset", term.Grid, ir.I64, nil) })
	at := place{Value{P: somewhere.P, Base: b}, ir.U8, o.Name, nil}
	x.rewrites++
	x.keep(st, hostCell{base: b, at: at.P, typ: at.typ, value: x.anyAt(at), lost: x.rewrites})
}

// untellAll says so of all objects.
func (x *executor) untellAll(st *state) {
	for _, o := range x.f.Objects {
		x.untell(st, o)
	}
}

// within lists the offsets in an object of some bytes that an offset may be, if they are few: an index is within its array.
func within(at *term.Poly, typ ir.Type, bytes int64) (list []int64) {
	from, step := at.Constant(), at.Gcd()
	if step == 0 {
		if from < 0 || from+typ.Size() > bytes {
			return nil
		}
		return []int64{from}
	}
	from = (from%step + step) % step
	if (bytes-typ.Size()-from)/step >= maxListed {
		return nil
	}
	for ; from+typ.Size() <= bytes; from += step {
		list = append(list, from)
	}
	return list
}

// startsWith is what such a place holds.
func (x *executor) startsWith(v Value, typ ir.Type) (out Value) {
	init := v.Base.Object.Init
	for i, at := range within(v.P, typ, int64(len(init))) {
		var bits [8]byte
		copy(bits[:], init[at:at+typ.Size()])
		number := x.constant(&ir.Const{T: typ, Bits: binary.LittleEndian.Uint64(bits[:])})
		if i == 0 {
			out = number
		} else {
			out = x.oneOfTwo(x.t.Eq(v.P, x.t.Const(at)), number, out, typ)
		}
	}
	return out
}

// atFirst is what a place holds that no path at hand has put anything into: in what the rounds of a loop have allocated, what
// these have put there, or something else.
func (x *executor) atFirst(p place) Value {
	out := x.anyAt(p)
	if p.typ != ir.Ptr {
		return out
	}
	for i := range x.putInRounds {
		if c := &x.putInRounds[i]; c.base.mayBeMadeLike(p.Base) && !x.apart(c, p.P, p.typ) {
			out = x.oneOfTwo(x.maybe(), c.value, out, ir.Ptr)
		}
	}
	return out
}

// mayBeMadeLike reports whether an object may be one of those to which rounds of a loop come, each to its own: one that the same
// statement has allocated, or one to which a pointer leads of which nothing is known.
func (b *Base) mayBeMadeLike(o *Base) bool {
	found := func(b *Base) bool { return b.Pointer != nil && b.allocation() == "" }
	return b.allocation() != "" && b.allocation() == o.allocation() || found(b) && !o.isKnown() || found(o) && !b.isKnown()
}

// isKnown reports whether an object is one that the host names or has allocated outside of loops.
func (b *Base) isKnown() bool { return b.Object != nil || b.Alloc != nil }

// allocation names the statement that has allocated an object, whatever the round of its loops; it is empty for other objects.
func (b *Base) allocation() string {
	switch {
	case b.Alloc != nil:
		return fmt.Sprint(allocatedBy, b.Alloc.Site, " ", b.Name)
	case b.Pointer != nil && b.Pointer.IsAtom() != nil && isAllocatedInRound(b.Pointer.IsAtom()):
		return b.Pointer.IsAtom().Name
	}
	return ""
}

// maxPointers bounds the pointers that a place may hold one of.
const maxPointers = 6

// allSet is one of the numbers that an element of an array may be, if each of them is known, or nil.
func (x *executor) allSet(st *state, p place) (one *hostCell) {
	if p.Base.Object == nil || isConst(p.P) || !p.typ.IsInt() {
		return nil
	}
	for _, at := range within(p.P, p.typ, p.Base.Object.Size) {
		one = st.cell(place{Value: Value{P: x.t.Const(at), Base: p.Base}, typ: p.typ})
		if one == nil || one.lost != 0 || one.value.P == nil || !isConst(one.value.P) {
			return nil
		}
	}
	return one
}

// isListed reports whether the first of two numbers is known, and the other one as well, or one of a few.
func isListed(v, w Value) bool {
	if v.P == nil || w.P == nil || v.Base != nil || w.Base != nil || !isConst(v.P) {
		return false
	}
	choices := 0
	var listed func(p *term.Poly) bool
	listed = func(p *term.Poly) bool {
		a := p.IsAtom()
		choices++
		return isConst(p) || a != nil && a.Kind == term.Select && choices < maxListed && listed(a.Args[0]) && listed(a.Args[1])
	}
	return listed(w.P)
}

// maxListed bounds the numbers that a place may hold one of.
const maxListed = 8

// oneOfTwo is a pointer that is one of two, and a number of which nothing is known unless they are the same, or known ones.
func (x *executor) oneOfTwo(c *term.Cond, v, w Value, typ ir.Type) Value {
	switch {
	case c.Op == term.True || v == w || v.Base == w.Base && v.P != nil && w.P != nil && v.P.Equal(w.P):
		return v
	case c.Op == term.False:
		return w
	case typ != ir.Ptr && isListed(v, w):
		return x.choose(c, v, w, typ)
	case typ != ir.Ptr || v.Base == nil || w.Base == nil:
		return x.opaque("memory", term.Grid, typ, nil)
	case len(v.Base.all())+len(w.Base.all()) > maxPointers:
		return x.oneOfMany(append(pointedTo(x.t, v), pointedTo(x.t, w)...))
	}
	return x.choose(c, v, w, typ)
}

// oneOfMany is one of more pointers than their conditions are kept for: nobody knows which, but each memory counts once.
func (x *executor) oneOfMany(list []Value) Value {
	var out []Value
	for _, v := range list {
		i := slices.IndexFunc(out, func(o Value) bool { return o.Base == v.Base })
		switch {
		case v.Base == nil || v.Base.IsNull():
		case i < 0:
			out = append(out, v)
		case !out[i].P.Equal(v.P):
			out[i].P = x.t.Poly(x.t.Fresh(term.Opaque, "offset", term.NoLo, term.NoHi, term.Grid, 0, nil))
		}
	}
	if len(out) == 0 || len(out) > maxPointers {
		return x.opaque("memory", term.Grid, ir.Ptr, nil)
	}
	one := out[0]
	for _, v := range out[1:] {
		one = x.choose(x.maybe(), v, one, ir.Ptr)
	}
	return one
}

// anyAt is a value of which nothing is known.
func (x *executor) anyAt(p place) Value { return x.opaque(p.name, term.Grid, p.typ, p.ref) }

// again is the value that was found before at a place under a key, or a new one from now on.
func (x *executor) again(key string, at Value, anew func() Value) Value {
	v, ok := x.read[key]
	if !ok {
		before := x.t.Atoms()
		v = anew()
		x.read[key] = v
		v.terms(func(p *term.Poly) {
			p.AllLeaves(func(a *term.Atom) {
				if a.ID >= before {
					x.lasting[a] = at
				}
			})
		}, map[*Base]bool{})
	}
	return v
}

// held is what a place holds now: what was put there, or another pointer if that may be lost.
func (x *executor) held(c *hostCell, name string, ref any) Value {
	if c.lost == 0 {
		return c.value
	}
	key := fmt.Sprintf("lost %d %s %s %s", c.lost, x.baseName(c.base), c.at.Key(), c.typ)
	return x.again(key, c.place().Value, func() Value {
		if c.typ != ir.Ptr {
			return x.opaque(name, term.Grid, c.typ, ref)
		}
		return x.oneOfTwo(x.maybe(), c.value, x.opaque(name, term.Grid, c.typ, nil), ir.Ptr)
	})
}

// eitherOf has a place hold one of two pointers; of two numbers nothing is known.
func (x *executor) eitherOf(c *hostCell, when *term.Cond, v, w Value) {
	if c.typ == ir.Ptr || v == w || when.Op == term.True || when.Op == term.False || v.P != nil && w.P != nil && v.P.Equal(w.P) {
		c.value, c.lost = x.oneOfTwo(when, v, w, c.typ), 0
		return
	}
	x.blur(c)
}

// blur says that nothing is known of what a place holds.
func (x *executor) blur(c *hostCell) {
	if c.typ == ir.Ptr {
		c.value, c.lost = x.opaque(c.base.Name, term.Grid, ir.Ptr, nil), 0
		return
	}
	x.rewrites++
	c.lost = x.rewrites
}

// maybe is a condition of which nothing is known.
func (x *executor) maybe() *term.Cond {
	return x.t.Ne(x.t.Poly(x.t.Fresh(term.Opaque, maybeChanged, 0, 1, term.Grid, 0, nil)), x.t.Const(0))
}

const maybeChanged = "whether memory has changed"

// onTheirOwn has a pointer that may be one of several, nobody knows which, be one of its own where no other argument of the
// launch may be the same.
func (x *executor) onTheirOwn(args []Value) {
	own := map[*Base]*Base{}
	for _, v := range args {
		if v.Base == nil || own[v.Base] != nil || !slices.ContainsFunc(v.Base.Either, func(a Alternative) bool { return guesses(a.When) }) {
			continue
		}
		shared := slices.ContainsFunc(v.Base.all(), ofDevice) || slices.ContainsFunc(args, func(w Value) bool {
			return w.Base != nil && w.Base != v.Base && slices.ContainsFunc(w.Base.all(), func(b *Base) bool {
				return slices.ContainsFunc(v.Base.all(), func(o *Base) bool { return x.mayBeOne(b, o) })
			})
		})
		if !shared {
			own[v.Base] = x.opaque(v.Base.Name, term.Grid, ir.Ptr, nil).Base
		}
	}
	for i, v := range args {
		if b := own[v.Base]; b != nil {
			args[i].Base = b
		}
	}
}

// mayBeOne reports whether two objects may be one: they are the same, or what a statement has allocated in rounds of its loops
// that may be the same.
func (x *executor) mayBeOne(a, b *Base) bool {
	if a == b || a.Pointer == nil || b.Pointer == nil || a.allocation() == "" || a.allocation() != b.allocation() {
		return a == b
	}
	others := b.Pointer.IsAtom().Args
	for i, round := range a.Pointer.IsAtom().Args {
		if lo, hi := x.t.Sub(round, others[i]).Range(); lo > 0 || hi < 0 {
			return false
		}
	}
	return true
}

// guesses reports whether a condition is one of which nothing is known.
func guesses(c *term.Cond) (found bool) {
	c.Walk(func(c *term.Cond) {
		c.P.AllLeaves(func(a *term.Atom) { found = found || a.Name == maybeChanged })
	})
	return found
}

// inSomeRound is what a place holds if some rounds of a loop have set one each. Where the place says which round has, that is
// the same round for all places.
func (x *executor) inSomeRound(st *state, c *hostCell, p place, before Value) Value {
	t := x.t
	round := ""
	by := map[*term.Atom]*term.Poly{}
	for _, a := range c.inRounds {
		step := c.at.Times(t.Poly(a))
		rest := t.Sub(c.at, t.Monomial(step, []*term.Atom{a}))
		d := t.Sub(p.P, rest)
		if step == 0 || slices.ContainsFunc(c.inRounds, rest.MadeOf) || d.Gcd()%step != 0 || d.Constant()%step != 0 {
			continue
		}
		by[a] = t.DivExact(d, step)
		round = fmt.Sprintf("round %d %s ", a.ID, by[a].Key())
		break
	}
	for _, a := range c.inRounds {
		if by[a] != nil {
			continue
		}
		fresh := func() Value { return Value{P: t.Poly(t.Fresh(term.Opaque, a.Name, a.Lo, a.Hi, a.Variance, 0, nil))} }
		if round == "" {
			by[a] = fresh().P
		} else {
			by[a] = x.again(fmt.Sprint(round, a.ID), p.Value, fresh).P
		}
	}
	out := x.byRound(c, p, before, by)
	if !c.isPutTwice(st) {
		return out
	}
	same := map[*term.Atom]*term.Poly{}
	for _, a := range c.inRounds {
		same[a] = x.again(fmt.Sprint("a round ", a.ID), Value{}, func() Value {
			return Value{P: t.Poly(t.Fresh(term.Opaque, a.Name, a.Lo, a.Hi, a.Variance, 0, nil))}
		}).P
	}
	return x.byRound(c, p, out, same)
}

// byRound is what a place holds if a round has set it of which the numbers that change in the loop are given, or else what it held before.
func (x *executor) byRound(c *hostCell, p place, before Value, by map[*term.Atom]*term.Poly) Value {
	one := x.renaming(by)
	var rounds []*term.Poly
	for _, a := range c.inRounds {
		rounds = append(rounds, by[a])
	}
	value := x.made(c.value, one, rounds)
	return x.oneOfTwo(term.Conj(x.maybe(), x.t.Eq(p.P, one.Poly(c.at))), value, before, p.typ)
}

// isPutTwice reports whether rounds have put a pointer that each of them has found, nobody knows where, to several places: these may hold the same.
func (c *hostCell) isPutTwice(st *state) bool {
	return c.value.Base != nil && slices.ContainsFunc(c.value.Base.all(), func(b *Base) bool {
		return b.Pointer != nil && b.Pointer.IsAtom() != nil && slices.Contains(c.inRounds, b.Pointer.IsAtom()) && slices.ContainsFunc(st.memory, func(o hostCell) bool {
			return o.inRounds != nil && o.base == c.base && !o.at.Equal(c.at) && o.value.Base != nil && slices.Contains(o.value.Base.all(), b)
		})
	})
}

// made is a value as another round makes it, given by its numbers: what that has allocated is the same for the same numbers.
func (x *executor) made(v Value, one *term.Renaming, rounds []*term.Poly) Value {
	if v.P != nil {
		v.P = one.Poly(v.P)
	}
	if v.Truth != nil {
		v.Truth = one.Cond(v.Truth)
	}
	if v.Base == nil {
		return v
	}
	switch b := v.Base; {
	case len(b.Either) > 0:
		c := *b
		c.Either = slices.Clone(b.Either)
		for i, alt := range c.Either {
			c.Either[i] = Alternative{one.Cond(alt.When), x.made(alt.To, one, rounds)}
		}
		v.Base = &c
	case b.Pointer != nil:
		v.Base = x.pointerBase(one.Poly(b.Pointer))
	case b.Alloc != nil && x.madeInLoop[b.Alloc]:
		v.Base = x.apply(b.allocation(), ir.Ptr, rounds...).Base
	}
	return v
}

// apart reports whether a place shares no byte with what is at an offset of its object. A pointer is no part of a number.
func (x *executor) apart(c *hostCell, at *term.Poly, typ ir.Type) bool {
	d := x.t.Sub(at, c.at)
	size, other := typ.Size(), c.typ.Size()
	if by, known := d.IsConst(); known {
		return c.inRounds == nil && (by >= other || -by >= size)
	}
	if (c.typ == ir.Ptr) != (typ == ir.Ptr) {
		return true
	}
	g := d.Gcd()
	rest := (d.Constant()%g + g) % g
	return rest >= other && g-rest >= size
}

// keep adds a place, or sets what it holds.
func (x *executor) keep(st *state, c hostCell) {
	out := make([]hostCell, 0, len(st.memory)+1)
	for i := range st.memory {
		if o := &st.memory[i]; o.inRounds != nil || c.inRounds != nil || o.base != c.base || o.typ != c.typ || !o.at.Equal(c.at) {
			out = append(out, *o)
		}
	}
	x.remember(st, out, c)
}

// remember adds a place to others, which nothing else holds.
func (x *executor) remember(st *state, others []hostCell, c hostCell) {
	if len(others) == maxHostCells {
		x.forgetMemory(st)
		return
	}
	st.memory = append(others, c)
}

// put has a place of the host's memory hold a value from now on.
func (x *executor) put(st *state, to place, v Value) {
	if to.Base == nil {
		x.lose(st)
		return
	}
	if len(to.Base.Either) == 0 {
		x.putUnder(st, nil, to, v)
		return
	}
	for _, alt := range to.Base.Either {
		one := to
		one.Value = Value{P: x.t.Add(to.P, alt.To.P), Base: alt.To.Base}
		x.putUnder(st, alt.When, one, v)
	}
}

// putUnder does so if a condition holds, nil for always.
func (x *executor) putUnder(st *state, when *term.Cond, to place, v Value) {
	if !isKept(to.typ) {
		v = x.anyAt(to)
	}
	if when != nil {
		v = x.oneOfTwo(when, v, x.holds(st, to), to.typ)
	}
	out := make([]hostCell, 0, len(st.memory)+1)
	for i := range st.memory {
		if to.is(&st.memory[i]) {
			continue
		}
		out = append(out, st.memory[i])
		switch c := &out[len(out)-1]; {
		case c.base != to.Base:
			if c.typ != ir.Ptr && c.typ == to.typ && x.mayShare(c.base, to.Base) {
				x.blur(c)
			}
		case x.apart(c, to.P, to.typ):
		case c.inRounds != nil: // chosen from at the place
		case c.read && !c.isPut && c.typ == ir.Ptr && to.typ == ir.Ptr: // taken to be another place
		case c.typ == to.typ:
			x.eitherOf(c, x.t.Eq(to.P, c.at), v, x.held(c, to.name, to.ref))
		default:
			x.blur(c)
		}
	}
	x.remember(st, out, hostCell{base: to.Base, at: to.P, typ: to.typ, value: v})
}

// mayShare reports whether two objects of the host may be one for what is said of numbers.
func (x *executor) mayShare(a, b *Base) bool {
	known := func(b *Base) bool { return b.Object != nil || b.Alloc != nil }
	local := func(b *Base) bool { return b.Object != nil && b.Object.Space == ir.Local }
	return !(known(a) && known(b)) && !local(a) && !local(b)
}

// mayBeSet reports whether a number that was put somewhere may have gone to an object.
func (x *executor) mayBeSet(st *state, b *Base) bool {
	return slices.ContainsFunc(st.memory, func(c hostCell) bool { return !c.read && c.base != b && c.typ != ir.Ptr && x.mayShare(c.base, b) })
}

// lose says that code which is not understood may have changed memory.
func (x *executor) lose(st *state) {
	x.rewrites++
	st.contents = x.rewrites
	out := slices.Clone(st.memory)
	for i := range out {
		if !ofHost(out[i].value) {
			out[i].lost = x.rewrites
		}
	}
	st.memory = out
}

// blurNumbers says that nothing is known of the numbers in memory.
func (x *executor) blurNumbers(st *state) {
	x.rewrites++
	out := slices.Clone(st.memory)
	for i := range out {
		if out[i].typ != ir.Ptr {
			out[i].lost = x.rewrites
		}
	}
	st.memory = out
}

// ofHost reports whether a value is the address of a local object: others seldom put another one there.
func ofHost(v Value) bool {
	return v.Base != nil && v.Base.Object != nil && v.Base.Object.Space == ir.Local
}

// forgetMemory says that nothing is known any more of what memory holds.
func (x *executor) forgetMemory(st *state) {
	x.rewrites++
	st.contents, st.memory = x.rewrites, nil
}

// copies has a part of the host's memory hold what another one does.
func (x *executor) copies(st *state, s *ir.HostCopy) {
	to := x.eval(st, s.Dst)
	if to.Base == nil || len(to.Base.Either) > 0 {
		x.lose(st)
		return
	}
	var from Value
	if s.Src != nil {
		from = x.eval(st, s.Src)
	}
	most := int64(1) << 40
	if n, known := x.number(x.eval(st, s.Bytes)).IsConst(); known {
		most = n
	}
	old := st.memory
	st.memory = nil
	for _, c := range old {
		at, known := x.t.Sub(c.at, to.P).IsConst()
		switch {
		case c.base == to.Base && known && (at >= most || at+c.typ.Size() <= 0):
		case c.base == to.Base && !known && c.typ == ir.Ptr:
			x.rewrites++
			c.lost = x.rewrites
		case c.base == to.Base || c.typ != ir.Ptr && x.mayShare(c.base, to.Base):
			x.blur(&c)
		}
		st.memory = append(st.memory, c)
	}
	switch {
	case to.Base.Object != nil:
		x.untell(st, to.Base.Object)
	case to.Base.Alloc == nil:
		x.untellAll(st)
	}
	if from.Base == nil {
		return
	}
	if word := (place{from, ir.Ptr, from.Base.Name, nil}); most == ir.Ptr.Size() && len(from.Base.Either) == 0 && st.cell(word) == nil {
		first := hostCell{base: from.Base, at: from.P, typ: ir.Ptr, value: x.holds(st, word), read: true} // it may be a pointer
		old = append(slices.Clone(old), first)
		x.keep(st, first)
	}
	for _, c := range old {
		d := x.t.Sub(c.at, from.P)
		if at, known := d.IsConst(); c.base == from.Base && (!known || at >= 0 && at+c.typ.Size() <= most) {
			x.keep(st, hostCell{base: to.Base, at: x.t.Add(to.P, d), typ: c.typ, value: c.value, lost: c.lost, inRounds: c.inRounds})
		}
	}
}

// joinMemory is what memory holds where paths meet.
func (x *executor) joinMemory(out *state, ways []*term.Cond, paths []*state) {
	last := paths[len(paths)-1]
	out.contents, out.memory = last.contents, last.memory
	if !x.host || !slices.ContainsFunc(paths, func(p *state) bool { return p.contents != last.contents || !sameCells(p.memory, last.memory) }) {
		return
	}
	places, cells, first := make([]place, 0, len(last.memory)), make([]hostCell, 0, len(last.memory)), paths[0].memory
	for _, p := range paths {
		for i := range p.memory {
			c := &p.memory[i]
			if c.inRounds != nil && !slices.ContainsFunc(cells, func(o hostCell) bool { return o.base == c.base && o.at == c.at && o.value == c.value }) {
				cells = append(cells, *c)
			}
		}
	}
	common := commonCells(paths)
	for i := range first[:common] {
		if first[i].inRounds == nil {
			cells = append(cells, first[i])
		}
	}
	for _, p := range paths {
		for i := common; i < len(p.memory); i++ {
			if c := &p.memory[i]; c.inRounds == nil && !isAmong(places, c) {
				places = append(places, c.place())
			}
		}
	}
	for _, at := range places {
		if c, ok := x.joinedAt(at, ways, paths); ok {
			cells = append(cells, c)
		}
	}
	if out.memory = cells; len(cells) > maxHostCells {
		x.forgetMemory(out)
	} else if slices.ContainsFunc(paths, func(p *state) bool { return p.contents != last.contents }) {
		x.rewrites++
		out.contents = x.rewrites
	}
}

// commonCells is how many cells at the beginning are the same on all paths.
func commonCells(paths []*state) int {
	first := paths[0].memory
	n := len(first)
	for _, p := range paths[1:] {
		n = min(n, len(p.memory))
		for i := range n {
			if !first[i].same(&p.memory[i]) {
				n = i
				break
			}
		}
	}
	return n
}

// same reports whether two cells are at one place and hold the same.
func (c *hostCell) same(o *hostCell) bool {
	return c.base == o.base && c.at == o.at && c.typ == o.typ && c.value == o.value && c.read == o.read && c.lost == o.lost &&
		len(c.inRounds) == len(o.inRounds) && (len(c.inRounds) == 0 || &c.inRounds[0] == &o.inRounds[0])
}

// isAmong reports whether a cell is at one of some places.
func isAmong(places []place, c *hostCell) bool {
	for i := range places {
		if places[i].is(c) {
			return true
		}
	}
	return false
}

func sameCells(a, b []hostCell) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// joinedAt is a place where paths meet, not ok if it is as it was at first.
func (x *executor) joinedAt(at place, ways []*term.Cond, paths []*state) (out hostCell, ok bool) {
	last := len(paths) - 1
	for i := last; i >= 0; i-- {
		c := paths[i].cell(at)
		switch {
		case c == nil:
			c = &hostCell{base: at.Base, at: at.P, typ: at.typ, read: true}
			if at.typ == ir.Ptr {
				c.value = x.holds(paths[i], at)
			} else {
				x.blur(c)
			}
			if slices.ContainsFunc(paths, func(p *state) bool { c := p.cell(at); return c != nil && !c.read }) {
				break
			}
			return out, false
		case i < last && c.value == out.value && c.lost == out.lost:
			out.read = out.read && c.read
			continue
		}
		if i == last {
			out = *c
			continue
		}
		out.read = out.read && c.read
		if at.typ == ir.Ptr {
			x.eitherOf(&out, ways[i], x.held(c, at.name, at.ref), x.held(&out, at.name, at.ref))
		} else if c.lost != 0 || out.lost != 0 {
			x.blur(&out)
		} else {
			x.eitherOf(&out, ways[i], c.value, out.value)
		}
	}
	return out, true
}

// cell is what is known of a place, nil for nothing.
func (st *state) cell(at place) *hostCell {
	for i := range st.memory {
		if c := &st.memory[i]; at.is(c) {
			return c
		}
	}
	return nil
}
