package prove

import (
	"math/bits"
	"slices"
	"sync"

	"github.com/warplint/warplint/analysis/term"
)

// This file decides systems of linear inequalities over monomials, each taken as a variable
// of its own, by Fourier–Motzkin elimination with the integer tightening of the Omega test
// (Pugh 1991). It answers "no solution" only when there is none; it may miss that there is none.

// maxRows bounds the inequalities of a system; a larger one is given up.
const maxRows = 120

// fewRows is how many inequalities are eliminated faster than a point is looked for.
const fewRows = 12

// manyRows is how many inequalities cost too much to eliminate in the hope for tightening.
const manyRows = 24

// coefficientsPerWork is how many coefficients of a row take as long as a term does, which has to be looked up.
const coefficientsPerWork = 25

// row is Σ coef·variable + c ≤ 0.
type row struct {
	coef []int64
	c    int64
}

// infeasible reports whether no integers satisfy all p ≤ 0. The bounds of the atoms count. A point that
// satisfies them is kept.
func (s *Solver) infeasible(les []*term.Poly) bool {
	key := keyOf(les)
	is, known := s.settled[key]
	if !known {
		is = s.settle(les)
		if s.settled == nil {
			s.settled = map[systemKey]settled{}
		}
		s.settled[key] = is
	}
	s.T.Work += is.work
	if is.point != nil && s.points.near().holds {
		s.points.keep()
	}
	for i, v := range is.point {
		s.points.near().put(is.monomials[i], v)
	}
	return is.contradict
}

// systemKey tells systems apart, whatever the order of their inequalities. (Of some 10⁵ systems, two different ones have
// the same key with a probability of 10⁻²⁸.)
type systemKey [2]uint64

func keyOf(les []*term.Poly) (key systemKey) {
	const a, b = 0x9e3779b97f4a7c15, 0xd6e8feb86659fd93
	for _, p := range les {
		x, y := uint64(a), uint64(b)
		for _, t := range p.Terms() {
			id, coef := uint64(t.Mono.ID), uint64(t.Coef)
			x = bits.RotateLeft64((x^id)*a, 29) ^ coef
			y = bits.RotateLeft64((y^coef)*b, 31) ^ id
			x, y = x*b, y*a
		}
		key[0] += x ^ x>>32
		key[1] += y ^ y>>32
	}
	return key
}

// settled is what is known of a system that has been decided: a branch of a case split asks much that was asked before it.
type settled struct {
	contradict bool
	monomials  []*term.Mono // of the point, if there is one
	point      []int64
	work       int64 // that it took, and counts for as often as it is asked
}

func (s *Solver) settle(les []*term.Poly) (is settled) {
	sys := newSystem(les)
	defer func() {
		is.work = sys.work / coefficientsPerWork
		sys.release()
	}()
	for _, p := range les {
		if !sys.add(sys.rowOf(p)) {
			return settled{contradict: true}
		}
	}
	for i, m := range sys.monomials {
		lo, hi := m.Range()
		if hi != term.NoHi && !sys.add(sys.unitRow(i, 1, -hi)) {
			return settled{contradict: true}
		}
		if lo != term.NoLo && !sys.add(sys.unitRow(i, -1, lo)) {
			return settled{contradict: true}
		}
	}
	start := sys.coefs.take(sys.n)
	for i, m := range sys.monomials {
		start[i], _ = s.points.near().value(m)
	}
	hopeless, point := sys.hopeless(start)
	if point != nil {
		return settled{monomials: slices.Clone(sys.monomials), point: slices.Clone(point)}
	}
	return settled{contradict: !hopeless && sys.eliminateAll()}
}

func (s *system) rowOf(p *term.Poly) row {
	r := row{coef: s.coefs.take(s.n)}
	for _, x := range p.Terms() {
		if len(x.Mono.Atoms) == 0 {
			r.c = x.Coef
		} else {
			r.coef[s.column[x.Mono.ID]-1] = x.Coef
		}
	}
	return r
}

func (s *system) unitRow(i int, coef, c int64) row {
	r := row{coef: s.coefs.take(s.n), c: c}
	r.coef[i] = coef
	return r
}

type system struct {
	n         int
	monomials []*term.Mono
	column    []int32 // one more than a monomial's place among them, by its number
	rows      []row
	// seen finds a row by its coefficients, since of two that differ in nothing else the stronger
	// wins: one more than its number, at the place that their hash names or behind it.
	seen [2 * (maxRows + 8)]uint8
	over bool  // too many rows: nothing more is learned
	work int64 // coefficients touched

	// Memory that the next system uses again.
	spare  []row
	coefs  slab[int64]
	floats slab[float64]
}

var systems = sync.Pool{New: func() any { return new(system) }}

// newSystem returns a system without rows over the monomials of some polynomials, good until it is
// released.
func newSystem(over []*term.Poly) *system {
	s := systems.Get().(*system)
	s.over, s.work, s.rows = false, 0, s.rows[:0]
	s.seen = [len(s.seen)]uint8{}
	for _, p := range over {
		for _, x := range p.Terms() {
			if len(x.Mono.Atoms) == 0 {
				continue
			}
			for x.Mono.ID >= len(s.column) {
				s.column = append(s.column, 0)
			}
			if s.column[x.Mono.ID] == 0 {
				s.monomials = append(s.monomials, x.Mono)
				s.column[x.Mono.ID] = int32(len(s.monomials))
			}
		}
	}
	s.n = len(s.monomials)
	return s
}

func (s *system) release() {
	for _, m := range s.monomials {
		s.column[m.ID] = 0
	}
	clear(s.monomials)
	s.monomials = s.monomials[:0]
	s.coefs.reset()
	s.floats.reset()
	systems.Put(s)
}

// slab hands out pieces of one large array.
type slab[T any] struct {
	all  []T
	used int
}

// take returns n zeros.
func (s *slab[T]) take(n int) []T {
	if s.used+n > len(s.all) {
		s.all, s.used = make([]T, max(2*len(s.all), n, 1024)), 0
	}
	piece := s.all[s.used : s.used+n : s.used+n]
	s.used += n
	clear(piece)
	return piece
}

// reset takes all pieces back.
func (s *slab[T]) reset() {
	const most = 1 << 16
	if s.used = 0; len(s.all) > most {
		s.all = nil
	}
}

// add takes a row in; it returns false if the row alone is a contradiction.
func (s *system) add(r row) bool {
	s.work += int64(len(r.coef))
	var g int64
	for _, c := range r.coef {
		g = term.GCD(g, c)
	}
	if g == 0 {
		return r.c <= 0
	}
	if g > 1 {
		for i := range r.coef {
			r.coef[i] /= g
		}
		r.c = ceilDiv(r.c, g)
	}
	at := hash(r.coef) % uint64(len(s.seen))
	for ; s.seen[at] != 0; at = (at + 1) % uint64(len(s.seen)) {
		if old := &s.rows[s.seen[at]-1]; slices.Equal(old.coef, r.coef) {
			old.c = max(old.c, r.c)
			return true
		}
	}
	if len(s.rows) >= maxRows {
		s.over = true
		return true
	}
	s.rows = append(s.rows, r)
	s.seen[at] = uint8(len(s.rows))
	return true
}

// hash is FNV-1a over whole coefficients.
func hash(coef []int64) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range coef {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}

// eliminateAll removes one variable after the other and reports a contradiction.
func (s *system) eliminateAll() bool {
	alive := make([]bool, s.n)
	for i := range alive {
		alive[i] = true
	}
	for {
		v, cost := -1, 0
		for i := range alive {
			if !alive[i] {
				continue
			}
			s.work += int64(len(s.rows))
			pos, neg := 0, 0
			for _, r := range s.rows {
				switch {
				case r.coef[i] > 0:
					pos++
				case r.coef[i] < 0:
					neg++
				}
			}
			if c := pos*neg - pos - neg; v < 0 || c < cost {
				v, cost = i, c
			}
		}
		if v < 0 {
			return false
		}
		alive[v] = false
		if !s.eliminate(v) {
			return true
		}
		if s.over {
			return false
		}
	}
}

// eliminate combines the rows that bound a variable from above with those that bound it from
// below; it returns false on a contradiction.
func (s *system) eliminate(v int) bool {
	var pos, neg []row
	old := s.rows
	s.rows, s.spare = s.spare[:0], old
	s.seen = [len(s.seen)]uint8{}
	for _, r := range old {
		switch {
		case r.coef[v] > 0:
			pos = append(pos, r)
		case r.coef[v] < 0:
			neg = append(neg, r)
		default:
			if !s.add(r) {
				return false
			}
		}
	}
	for _, p := range pos {
		for _, n := range neg {
			r, ok := s.combine(p, n, v)
			if ok && !s.add(r) {
				return false
			}
		}
	}
	return true
}

// combine adds multiples of two rows so that variable v vanishes; a row whose numbers grow
// out of hand is left out, which only makes the system weaker.
func (s *system) combine(p, n row, v int) (row, bool) {
	a, b := -n.coef[v], p.coef[v]
	g := term.GCD(a, b)
	a, b = a/g, b/g
	const big = 1 << 40
	r := row{coef: s.coefs.take(len(p.coef))}
	if a > big || b > big || tooBig(p.c) || tooBig(n.c) {
		return r, false
	}
	for i := range p.coef {
		if tooBig(p.coef[i]) || tooBig(n.coef[i]) {
			return r, false
		}
		x, ok1 := mulSmall(a, p.coef[i])
		y, ok2 := mulSmall(b, n.coef[i])
		if !ok1 || !ok2 {
			return r, false
		}
		r.coef[i] = x + y
	}
	x, ok1 := mulSmall(a, p.c)
	y, ok2 := mulSmall(b, n.c)
	r.c = x + y
	return r, ok1 && ok2
}

func tooBig(x int64) bool { return x > 1<<61 || x < -1<<61 }

func mulSmall(a, b int64) (int64, bool) {
	if a == 0 || b == 0 {
		return 0, true
	}
	p := a * b
	return p, p/a == b && !tooBig(p)
}

func ceilDiv(a, b int64) int64 {
	if a > 0 {
		return (a + b - 1) / b
	}
	return -(-a / b)
}

// closure returns the inequalities that share a variable, directly or through others, with
// the seeds; the rest can't help to contradict them.
func closure(seeds, all []*term.Poly) []*term.Poly {
	var in term.Numbers // monomials
	touch := func(p *term.Poly) {
		for _, x := range p.Terms() {
			if len(x.Mono.Atoms) > 0 {
				in.Add(x.Mono.ID)
			}
		}
	}
	for _, p := range seeds {
		touch(p)
	}
	out := slices.Clone(seeds)
	taken := make([]bool, len(all))
	for changed := true; changed; {
		changed = false
		for i, p := range all {
			if taken[i] {
				continue
			}
			for _, x := range p.Terms() {
				if in.Has(x.Mono.ID) {
					taken[i], changed = true, true
					out = append(out, p)
					touch(p)
					break
				}
			}
		}
	}
	return out
}
