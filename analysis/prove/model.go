package prove

import (
	"slices"

	"github.com/warplint/warplint/analysis/term"
)

// This file keeps points at which a state holds. Most questions to a state have the answer no, and a
// point shows it: what does not hold there does not follow. A system that has to be solved for a
// question, since no point was of help, gives another point. The last few are kept: a state is much like
// the one before, and so are the questions to it.

// points are the last few models, the one that the next is looked for from in front.
type points struct {
	list [6]*model
}

// near is the model that the next is looked for from.
func (p *points) near() *model {
	if p.list[0] == nil {
		p.list[0] = &model{}
	}
	return p.list[0]
}

// keep lets the next model be another than this one.
func (p *points) keep() {
	last := p.list[len(p.list)-1]
	if last == nil {
		last = &model{}
	}
	last.copy(p.near())
	copy(p.list[1:], p.list[:])
	p.list[0] = last
}

// front puts a model in front of the others.
func (p *points) front(i int) {
	m := p.list[i]
	copy(p.list[1:i+1], p.list[:i])
	p.list[0] = m
}

// model is a value for each monomial, taken as a variable of its own.
type model struct {
	values []int64 // by the monomial's number
	set    []bool

	// state is what was last asked of, and holds says whether it does at the point.
	les, eqs []*term.Poly
	holds    bool
}

func (m *model) copy(from *model) {
	m.values, m.set = append(m.values[:0], from.values...), append(m.set[:0], from.set...)
	m.les, m.eqs, m.holds = append(m.les[:0], from.les...), append(m.eqs[:0], from.eqs...), from.holds
}

// value returns the value of a monomial. One that has none yet gets the one next to 0; ok is false if
// its value has come to lie outside of its bounds.
func (m *model) value(x *term.Mono) (v int64, ok bool) {
	if x.ID < len(m.set) && m.set[x.ID] {
		v = m.values[x.ID]
		return v, len(x.Atoms) > 1 || v >= x.Atoms[0].Lo && v <= x.Atoms[0].Hi
	}
	lo, hi := x.Range()
	v = min(max(0, lo), hi)
	m.put(x, v)
	return v, true
}

func (m *model) put(x *term.Mono, v int64) {
	for x.ID >= len(m.set) {
		m.values, m.set = append(m.values, 0), append(m.set, false)
	}
	m.values[x.ID], m.set[x.ID] = v, true
}

// of returns the value of a polynomial; ok is false if it is not known, or too large.
func (m *model) of(p *term.Poly) (sum int64, ok bool) {
	for _, x := range p.Terms() {
		v := int64(1)
		if len(x.Mono.Atoms) > 0 {
			if v, ok = m.value(x.Mono); !ok {
				return 0, false
			}
		}
		product, ok := mulSmall(x.Coef, v)
		if !ok || tooLarge(product) || tooLarge(sum) {
			return 0, false
		}
		sum += product
	}
	return sum, true
}

// satisfies reports whether a state's inequalities and equations hold at the point.
func (m *model) satisfies(st *state) bool {
	for _, p := range st.les {
		if v, ok := m.of(p); !ok || v > 0 {
			return false
		}
	}
	for _, p := range st.equations() {
		if v, ok := m.of(p); !ok || v != 0 {
			return false
		}
	}
	return true
}

// about reports whether a state is the one that was last asked of. Polynomials are never changed in place.
func (m *model) about(st *state) bool {
	return slices.Equal(m.les, st.les) && slices.Equal(m.eqs, st.equations())
}

// holdsFor reports whether a state holds at a model.
func (s *Solver) holdsFor(m *model, st *state) bool {
	if !m.about(st) {
		m.les, m.eqs = append(m.les[:0], st.les...), append(m.eqs[:0], st.equations()...)
		m.holds = m.satisfies(st)
		s.T.Work += int64(len(st.les) + len(m.eqs))
	}
	return m.holds
}

// likelyFirst lists alternatives, the first that holds at the last point in front: if the state has a solution
// it is likely there, and the others need not be tried.
func (s *Solver) likelyFirst(alternatives []*term.Cond) []*term.Cond {
	i := slices.IndexFunc(alternatives, s.points.near().condition)
	if i <= 0 {
		return alternatives
	}
	out := slices.Clone(alternatives)
	copy(out[1:i+1], alternatives[:i])
	out[0] = alternatives[i]
	return out
}

// condition reports whether a condition holds at the point.
func (m *model) condition(c *term.Cond) bool {
	switch c.Op {
	case term.True:
		return true
	case term.And:
		return !slices.ContainsFunc(c.Args, func(a *term.Cond) bool { return !m.condition(a) })
	case term.Or:
		return slices.ContainsFunc(c.Args, m.condition)
	case term.LeZero, term.EqZero, term.NeZero:
		v, ok := m.of(c.P)
		return ok && (c.Op == term.LeZero && v <= 0 || c.Op == term.EqZero && v == 0 || c.Op == term.NeZero && v != 0)
	}
	return false
}

// holdsSomewhere reports whether a state holds at one of the points, which comes to the front.
func (s *Solver) holdsSomewhere(st *state) bool {
	s.points.near()
	for i, m := range s.points.list {
		if m != nil && s.holdsFor(m, st) {
			s.points.front(i)
			return true
		}
	}
	return false
}

// refuted reports whether p ≤ 0 does not follow from a state, as one of the points shows.
func (s *Solver) refuted(st *state, p *term.Poly) bool {
	if !s.holdsSomewhere(st) {
		return false
	}
	for _, m := range s.points.list {
		if m == nil || !s.holdsFor(m, st) {
			continue
		}
		if v, ok := m.of(p); ok && v > 0 {
			return true
		}
	}
	return false
}
