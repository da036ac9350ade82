package prove

import (
	"slices"

	"github.com/warplint/warplint/analysis/term"
)

// This file assumes of a row of unknown length that it holds its columns.
//
// DESIGN. A kernel that writes out[y*pitch + x] is free of races exactly if x stays below pitch.
// Where the program relates the two, or where the launch says how many columns there are, that decides.
// Where nothing is known of either, no caller means anything else by the pitch; the answer then rests
// on the assumption, and names it. So it does where the kernel itself compares x with a width that
// nothing relates to the pitch; but then a caller may pass too short a pitch by mistake, and the answer
// is told from the others.

// Rows says which rows are assumed to hold their columns.
type Rows uint8

const (
	NoRows      Rows = iota
	FreeRows         // those of whose length and columns nothing is known
	GuardedRows      // those of whose length nothing is known, and whose columns the kernel bounds
	rowKinds
)

// Assumable tells by Rows whether there was a row of which they assume something.
type Assumable [rowKinds]bool

// or adds what another question met.
func (a *Assumable) or(b Assumable) {
	for i := range a {
		a[i] = a[i] || b[i]
	}
}

// assumedRow reports whether lower, the difference of two columns, may be assumed to stay between
// -R and R.
func (s *Solver) assumedRow(st *state, e, lower *term.Poly, r radix) bool {
	if len(r.atoms) == 0 || s.saysHowShort(st, e, lower, r) {
		return false
	}
	if s.Rows == NoRows {
		s.noteAssumable(st, e, lower, r)
		return false
	}
	if !s.isColumn(lower) {
		return false
	}
	if _, upper := s.divide(e, r); s.shortens(st, lower, upper, r) || s.shortened(st, lower, upper, r) {
		return false
	}
	relations := relations(st, e)
	if s.Rows == GuardedRows {
		return s.guarded(lower, relations, r, r.ofBoth(e) && !slices.ContainsFunc(relations, r.isIndex)) && (len(lower.Terms()) == 0 || !bounds(r.atoms, relations)) // rows of one column are not empty
	}
	return s.isFree(e, lower, relations, r)
}

// saysHowShort reports whether the program itself gives a length that is no greater than the distance of two columns: as one of
// the numbers that it chooses from, as what a loop of the host makes it, as the greatest that it may be, or as the least, which is
// too small by less than a half.
func (s *Solver) saysHowShort(st *state, e, lower *term.Poly, r radix) bool {
	lo, hi := lower.Range()
	if len(r.atoms) != 1 || r.c <= 0 || lo == term.NoLo || hi == term.NoHi {
		return false
	}
	farthest := max(hi, -lo) / r.c
	length := r.atoms[0]
	if carried(s.T.Poly(length)) && farthest > 0 || slices.ContainsFunc(length.Choices(), func(n int64) bool { return n <= farthest }) {
		return true
	}
	least, most := length.Lo, length.Hi
	bound := func(le *term.Poly) {
		times := le.Times(s.T.Poly(length))
		rest, alone := s.T.Sub(le, s.T.Scale(times, s.T.Poly(length))).IsConst()
		switch {
		case alone && times < 0:
			least = max(least, (rest-times-1)/-times)
		case alone && times > 0:
			most = min(most, max(-rest, 0)/times)
		}
	}
	for _, le := range st.les {
		bound(le)
	}
	for _, eq := range st.eqs {
		bound(eq)
		bound(s.T.Scale(-1, eq))
	}
	return most <= farthest && s.isWhole(lower, slices.DeleteFunc(relations(st, e), r.isIndex)) || least <= farthest && farthest < 2*least
}

// isWhole reports whether columns go as far as their coordinates may: nothing else bounds them, such as the size of the data, or of a
// block that is not known.
func (s *Solver) isWhole(lower *term.Poly, relations []*term.Poly) bool {
	for a := range atomsOf(closure([]*term.Poly{lower}, relations)) {
		if variation(a) == 0 {
			return false
		}
	}
	return true
}

// carried reports whether loops of the host carry a number on, or count it: then it takes each of its values.
func carried(p *term.Poly) (yes bool) {
	p.AllLeaves(func(a *term.Atom) { yes = yes || a.Carried || a.Kind == term.Iter })
	return yes
}

// noteAssumable notes of which rows something could be assumed here: until then a search with the assumption goes
// the same way as one without.
func (s *Solver) noteAssumable(st *state, e, lower *term.Poly, r radix) {
	if !s.Assumable[FreeRows] && s.isColumn(lower) {
		s.Assumable[FreeRows] = s.isFree(e, lower, relations(st, e), r)
	}
	if !s.Assumable[GuardedRows] {
		s.Rows = GuardedRows
		s.Assumable[GuardedRows] = s.isColumn(lower)
		s.Rows = NoRows
	}
}

// isFree reports whether nothing is known of the length of a row, nor of the columns in it.
func (s *Solver) isFree(e, lower *term.Poly, relations []*term.Poly, r radix) bool {
	relations = slices.DeleteFunc(relations, s.countsRows(e, lower, r))
	var lengths []*term.Poly
	for _, a := range r.atoms {
		leavesOf(a, func(l *term.Atom) { lengths = append(lengths, s.T.Poly(l)) }) // half as much as there are threads is known, too
	}
	for a := range atomsOf(closure(lengths, relations)) {
		if variation(a) > 0 {
			return false // the length bounds something
		}
	}
	relations = slices.DeleteFunc(relations, r.isIndex)
	free := false
	for a := range atomsOf(closure([]*term.Poly{lower}, relations)) {
		if variation(a) == 0 && !s.Extents[a] {
			return false // something else bounds the columns
		}
		free = free || s.Extents[a]
	}
	return free
}

// countsRows tells which relations are about the rows that a loop goes through, where each thread of a block has a column: of a square
// matrix there are as many as one is long. With threads of several blocks, some may be beyond the last column.
func (s *Solver) countsRows(e, lower *term.Poly, r radix) func(*term.Poly) bool {
	_, upper := s.divide(e, r)
	ofBlock := !slices.ContainsFunc(lower.Terms(), func(x term.Term) bool {
		return slices.ContainsFunc(x.Mono.Atoms, func(a *term.Atom) bool { return a.Variance == term.Block || len(x.Mono.Atoms) > 1 })
	})
	return func(p *term.Poly) bool {
		rows := ofBlock
		for a := range atomsOf([]*term.Poly{p}) {
			rows = rows && (variation(a) == 0 || a.Kind == term.Iter && upper.Mentions(a) && !lower.Mentions(a))
		}
		return rows
	}
}

// shortens reports whether a length is rather what a step lacks, as in `(256 - 2*halo) * blockIdx.x + threadIdx.x`: some
// coordinate goes down in rows while it goes up in columns, by more. A diagonal of tiles goes as far in both.
func (s *Solver) shortens(st *state, lower, upper *term.Poly, r radix) bool {
	for _, x := range upper.Terms() {
		if len(x.Mono.Atoms) != 1 || variation(x.Mono.Atoms[0]) == 0 {
			continue
		}
		rows := x.Coef * r.c
		for _, y := range lower.Terms() {
			if len(y.Mono.Atoms) == 0 {
				continue // goes nowhere
			}
			if columns := y.Coef * st.stepOf(y.Mono, x.Mono); rows > 0 && columns < -rows || rows < 0 && columns > -rows {
				return true
			}
		}
	}
	return false
}

// stepOf is how much further a number begins with each step of another: 256 of an index in the grid with each
// block, 1 of the other itself.
func (st *state) stepOf(number, with *term.Mono) int64 {
	if number == with {
		return 1
	}
	for _, le := range st.les {
		if terms := le.Terms(); len(terms) <= 3 && len(terms) > 1 {
			var step, one int64
			for _, x := range terms {
				switch x.Mono {
				case with:
					step = x.Coef
				case number:
					one = x.Coef
				}
			}
			if one == -1 && step > 0 {
				return step
			}
		}
	}
	return 0
}

// shortened reports whether a length is such a step as a whole: there are as many columns as what the halo is
// taken from, so tiles overlap.
func (s *Solver) shortened(st *state, lower, upper *term.Poly, r radix) bool {
	if len(r.atoms) != 1 {
		return false
	}
	column := s.T.Const(0)
	for _, x := range lower.Terms() {
		if slices.ContainsFunc(x.Mono.Atoms, func(a *term.Atom) bool { return a.Side == 1 }) {
			column = s.T.Add(column, s.T.Monomial(x.Coef, x.Mono.Atoms))
		}
	}
	return slices.ContainsFunc(s.lessThan[r.atoms[0]], func(most *term.Poly) bool {
		return s.proves(st, s.T.Offset(s.T.Sub(column, s.T.Scale(r.c*upper.Gcd(), most)), 1))
	})
}

// relations lists what a state knows but for one equation.
func relations(st *state, but *term.Poly) []*term.Poly {
	return slices.DeleteFunc(slices.Concat(st.les, st.equations()), func(p *term.Poly) bool { return p == but })
}

// bounds reports whether anything that varies from thread to thread is related to some numbers, directly
// or through others. Areas don't count: an allocation of pitch*height bytes says nothing of columns.
func bounds(lengths []*term.Atom, relations []*term.Poly) bool {
	in := map[*term.Atom]bool{}
	for _, a := range lengths {
		leavesOf(a, func(l *term.Atom) { in[l] = true })
	}
	taken := make([]bool, len(relations))
	for changed := true; changed; {
		changed = false
		for i, p := range relations {
			if taken[i] || !mentions(p, in) {
				continue
			}
			taken[i], changed = true, true
			for a := range atomsOf([]*term.Poly{p}) {
				if variation(a) > 0 {
					return true
				}
				leavesOf(a, func(l *term.Atom) { in[l] = true })
			}
		}
	}
	return false
}

// mentions reports whether one of some numbers, or what is made of it, is a term.
func mentions(p *term.Poly, numbers map[*term.Atom]bool) bool {
	found := false
	for _, x := range p.Terms() {
		if len(x.Mono.Atoms) == 1 {
			leavesOf(x.Mono.Atoms[0], func(l *term.Atom) { found = found || numbers[l] })
		}
	}
	return found
}

// leavesOf calls f for an atom and for all that it is made of. A quotient of an area is none of its lengths.
func leavesOf(a *term.Atom, f func(*term.Atom)) {
	f(a)
	of := func(p *term.Poly) {
		for _, x := range p.Terms() {
			if len(x.Mono.Atoms) == 1 {
				leavesOf(x.Mono.Atoms[0], f)
			}
		}
	}
	for _, p := range a.Args {
		of(p)
	}
	if a.If != nil {
		a.If.Walk(func(c *term.Cond) {
			if c.P != nil {
				of(c.P)
			}
		})
	}
}

// mostColumns is more than a launch of known dimensions has in a row.
const mostColumns = 1 << 20

// guarded reports whether the kernel bounds the columns of both threads: for each coordinate of theirs
// that lower is the difference of, a condition says that it is below a number that all threads see alike.
// A row of one column, as in out[x*stride], needs no bound, nor do columns of which a launch has a known number,
// if it is a tile of a matrix. A row may have parts of as many columns each.
func (s *Solver) guarded(lower *term.Poly, relations []*term.Poly, row radix, tile bool) bool {
	type column struct {
		side int8
		unit string // what the coordinate is multiplied by
	}
	columns := map[column]*term.Poly{}
	var parts []*term.Poly // how many columns the kernel takes into one
	shift := s.T.Const(0)  // from part to part of a row, as from a[i] to a[half + i]
	for _, x := range lower.Terms() {
		side, digit, unit := s.split(x)
		if side == 0 {
			if len(digit) == 0 && slices.ContainsFunc(unit, func(a *term.Atom) bool { return !s.isCoordinate(a) }) {
				shift = s.T.Add(shift, s.T.Monomial(x.Coef, unit))
			}
			continue
		}
		at := column{side, s.T.Monomial(1, unit).Key()}
		if columns[at] == nil {
			columns[at] = s.T.Const(0)
		}
		columns[at] = s.T.Add(columns[at], s.T.Monomial(x.Coef, digit))
	}
	for at, p := range columns {
		if at.side == 2 {
			p = s.T.Scale(-1, p) // lower is the first's column less the second's
		}
		if slices.ContainsFunc(relations, func(r *term.Poly) bool { return s.isGuard(r, p, at.side) && (row.isPartOf(r) || s.isMadeAlike(row, r)) }) {
			return false
		}
		taken, ok := s.taken(p, at.side, relations, tile)
		for ; !ok; taken, ok = s.taken(p, at.side, relations, tile) {
			steps := s.withoutDigits(p, relations)
			if steps == p {
				return false
			}
			p = steps
		}
		parts = append(parts, taken...)
	}
	return (len(columns) > 0 || len(lower.Terms()) == 0) && s.isMultiple(shift, parts)
}

// taken reports whether the kernel, or the launch, bounds a column of a thread, and how many columns there are then.
func (s *Solver) taken(p *term.Poly, side int8, relations []*term.Poly, tile bool) (parts []*term.Poly, guarded bool) {
	step := p.Gcd()
	p = s.T.DivExact(p, step)
	a := p.IsAtom()
	if a != nil && a.Kind == term.Rem { // what it is divided by bounds it
		return []*term.Poly{s.T.Scale(step, a.Args[1])}, true
	}
	lo, hi := p.Range()
	guarded = lo == 0 && hi < mostColumns && tile && !s.ofExtent(p, relations) // the launch's dimensions bound it
	if a != nil && a.Kind == term.Div {                                        // what bounds the number that is divided does
		guarded = guarded || slices.ContainsFunc(relations, func(r *term.Poly) bool { return s.isGuard(r, a.Args[0], side) })
	}
	for _, r := range relations {
		if s.isGuard(r, p, side) {
			guarded = true
			if each := max(r.Times(p), 1); step%each == 0 {
				parts = append(parts, s.T.Scale(step/each, s.T.Offset(s.T.Sub(s.T.Scale(each, p), r), 1)))
			}
		}
	}
	return parts, guarded
}

// ofExtent reports whether a number of blocks or threads that is not known bounds a coordinate: its greatest value is that of the hardware.
func (s *Solver) ofExtent(p *term.Poly, relations []*term.Poly) bool {
	return slices.ContainsFunc(relations, func(r *term.Poly) bool {
		return r.Times(p) > 0 && slices.ContainsFunc(r.Terms(), func(x term.Term) bool {
			return x.Coef < 0 && slices.ContainsFunc(x.Mono.Atoms, func(a *term.Atom) bool { return s.Extents[a] })
		})
	})
}

// isMultiple reports whether a number is nothing, or some times as much as one of others.
func (s *Solver) isMultiple(p *term.Poly, of []*term.Poly) bool {
	return len(p.Terms()) == 0 || slices.ContainsFunc(of, func(one *term.Poly) bool {
		a, b := one.Gcd(), p.Gcd()
		return a > 0 && b%a == 0 && (s.T.Scale(a, p).Equal(s.T.Scale(b, one)) || s.T.Scale(-a, p).Equal(s.T.Scale(b, one)))
	})
}

// withoutDigits leaves out of a column 4*x + c what counts within its steps: a vector's elements, or those of a tile or of a row
// within the row.
func (s *Solver) withoutDigits(p *term.Poly, relations []*term.Poly) *term.Poly {
	for _, x := range p.Terms() {
		steps, digits := s.T.Const(0), s.T.Const(0)
		for _, y := range p.Terms() {
			if part := s.T.Monomial(y.Coef, y.Mono.Atoms); y.Coef%x.Coef == 0 {
				steps = s.T.Add(steps, part)
			} else {
				digits = s.T.Add(digits, part)
			}
		}
		if last, ok := s.lastOf(digits, relations); ok && last < steps.Gcd() && len(digits.Terms()) > 0 {
			return steps
		}
	}
	return p
}

// lastOf is the last of the numbers from zero on that a column has, as far as constants say.
func (s *Solver) lastOf(p *term.Poly, relations []*term.Poly) (last int64, ok bool) {
	lo, hi := p.Range()
	if lo != 0 {
		return 0, false
	}
	if step := p.Gcd(); step > 1 { // relations are of single ones
		last, ok = s.lastOf(s.T.DivExact(p, step), relations)
		return step * last, ok && step*last < mostColumns
	}
	for _, r := range relations {
		if each := r.Times(p); each > 0 {
			hi = min(hi, s.mostOf(s.T.Sub(s.T.Scale(each, p), r), relations)/each)
		}
	}
	if hi >= mostColumns && len(p.Terms()) > 1 { // each by itself
		hi = 0
		for _, x := range p.Terms() {
			part, ok := s.lastOf(s.T.Monomial(x.Coef, x.Mono.Atoms), relations)
			if !ok {
				return 0, false
			}
			hi += part
		}
	}
	return hi, hi < mostColumns
}

// mostOf is the greatest value of a number, which relations may tell of the size of a block that it is made of.
func (s *Solver) mostOf(p *term.Poly, relations []*term.Poly) int64 {
	_, most := p.Range()
	for _, x := range p.Terms() {
		if len(x.Mono.Atoms) != 1 || !s.Extents[x.Mono.Atoms[0]] || x.Coef <= 0 {
			continue
		}
		size := s.T.Poly(x.Mono.Atoms[0])
		others, alone := s.T.Sub(p, s.T.Scale(x.Coef, size)).IsConst()
		for _, r := range relations {
			each := r.Times(size)
			if rest, ok := s.T.Sub(r, s.T.Scale(each, size)).IsConst(); alone && ok && each > 0 {
				most = min(most, x.Coef*(-rest/each)+others)
			}
		}
	}
	return most
}

// split tells the factors of a term that are part of a coordinate, with the dimensions that it is counted in,
// from others that all threads see alike, and says whose they are.
func (s *Solver) split(x term.Term) (side int8, digit, unit []*term.Atom) {
	for _, a := range x.Mono.Atoms {
		if variation(a) > 0 || s.Extents[a] {
			digit = append(digit, a)
			side = max(side, ownerOf(a))
		} else {
			unit = append(unit, a)
		}
	}
	return side, digit, unit
}

// ownerOf tells whose number it is: a quotient or a remainder is of the thread whose number is divided.
func ownerOf(a *term.Atom) int8 {
	if len(a.Args) == 0 {
		return a.Side
	}
	return int8(sideOf(a))
}

// isGuard reports whether a relation says of a thread's coordinate that it is below something that the
// threads of a block see alike. What holds of a coordinate in any kernel is no guard.
func (s *Solver) isGuard(r, p *term.Poly, side int8) bool {
	each := max(r.Times(p), 1) // 4 times it, where it begins a vector
	rest := s.T.Sub(r, s.T.Scale(each, p))
	bound, within := false, int64(0)
	for _, x := range rest.Terms() {
		if lo, hi := x.Mono.Range(); lo == 0 && x.Coef > 0 && hi < each { // counts within its steps, as a thread does in 256*i + x
			if within += x.Coef * hi; within < each {
				continue
			}
		}
		for _, a := range x.Mono.Atoms {
			if a.Side == side || a.Side == 0 && a.Variance == term.Thread {
				return false
			}
			bound = bound || variation(a) == 0 && x.Coef < 0
		}
	}
	if a := p.IsAtom(); a != nil && s.Axioms != nil {
		for _, c := range s.Axioms(a) {
			if c.P != nil && s.T.Tighten(c.P).Equal(r) {
				return false
			}
		}
	}
	return bound
}

// isIndex reports whether a relation is one of a whole index: it has rows of this length in it,
// and says nothing of the columns by themselves.
func (r radix) isIndex(p *term.Poly) bool {
	for _, x := range p.Terms() {
		row, length := false, false
		for _, a := range x.Mono.Atoms {
			row = row || variation(a) > 0
			length = length || slices.Contains(r.atoms, a)
		}
		if row && length {
			return true
		}
	}
	return false
}

// isPartOf reports whether a relation compares something with several times the length of a row: columns below that go on in the next rows.
func (r radix) isPartOf(p *term.Poly) bool {
	return slices.ContainsFunc(p.Terms(), func(x term.Term) bool {
		return x.Coef < 0 && len(x.Mono.Atoms) > len(r.atoms) && containsAll(x.Mono.Atoms, r.atoms) && all(x.Mono.Atoms, isLength)
	})
}

// isMadeAlike reports whether a length is a sum with a number that a relation is made of, too: it is for the program to relate them.
func (s *Solver) isMadeAlike(r radix, p *term.Poly) bool {
	return slices.ContainsFunc(r.atoms, func(length *term.Atom) (yes bool) {
		if sum := s.sums[length]; sum != nil {
			sum.AllLeaves(func(a *term.Atom) { yes = yes || p.MadeOf(a) })
		}
		return yes
	})
}

// ofBoth reports whether both threads have a row, as those of a tile do. Otherwise, or if the whole index is bounded,
// the length may be the step of a loop or a stride.
func (r radix) ofBoth(e *term.Poly) bool {
	var sides [3]bool
	for _, x := range e.Terms() {
		if slices.ContainsFunc(x.Mono.Atoms, func(a *term.Atom) bool { return slices.Contains(r.atoms, a) }) {
			for _, a := range x.Mono.Atoms {
				if side := ownerOf(a); side == 1 || side == 2 {
					sides[side] = true
				}
			}
		}
	}
	return sides[1] && sides[2]
}

// isColumn reports whether a digit is made of coordinates and loop counters only, by constant
// steps or those of the launch; what a load returned may be any number. Columns of a plane are
// rows themselves: of another length.
func (s *Solver) isColumn(p *term.Poly) bool {
	for _, x := range p.Terms() {
		for _, a := range x.Mono.Atoms {
			if !s.isCoordinate(a) && !(s.Rows == GuardedRows && isLength(a)) {
				return false
			}
		}
	}
	return true
}

func (s *Solver) isCoordinate(a *term.Atom) bool {
	switch a.Kind {
	case term.Iter:
	case term.Symbol:
		return a.Ref == nil || s.Extents[a]
	case term.Opaque: // a byte of what lies there
		return a.Ref == nil && a.Lo != term.NoLo && a.Hi != term.NoHi
	case term.Div, term.Rem:
		return s.isColumn(a.Args[0]) && (s.isColumn(a.Args[1]) || s.Rows == GuardedRows && a.Args[1].Variance() == term.Grid && a.Args[1].Loops() == 0)
	default:
		return false
	}
	return true
}

// isLength reports whether a number is one that all threads see alike.
func isLength(a *term.Atom) bool { return variation(a) == 0 }

func atomsOf(ps []*term.Poly) map[*term.Atom]bool {
	out := map[*term.Atom]bool{}
	for _, p := range ps {
		for _, x := range p.Terms() {
			for _, a := range x.Mono.Atoms {
				out[a] = true
			}
		}
	}
	return out
}
