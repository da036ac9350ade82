package access

import (
	"slices"

	"github.com/warplint/warplint/analysis/term"
)

// This file finds subscripts that the code itself leads beyond their dimension. That they stay within is then not assumed.
//
// DESIGN. Coordinates of threads and blocks and the numbers of rounds are counted through, as far as they are known, and the
// subscript is computed from them wherever the conditions around it hold. Of conditions on data and on sizes that only the
// caller knows, those hold that leave out no thread of a full block, but for such as may end a loop of known rounds earlier.

// mostTried is how many combinations are looked at. Where there are more, only the first and the last numbers of each are.
const mostTried = 1 << 10

// leaves reports whether a subscript is beyond its dimension in some thread of each block that is full, of the first ones if
// it is for these only. The host has no threads.
func (x *executor) leaves(s subscript) bool {
	if x.host {
		return false
	}
	if least, most := s.p.Range(); least > s.most || most < 0 {
		return true
	} else if least >= 0 && most <= s.most {
		return false
	}
	n := counting{executor: x}
	return n.about(s) && n.some(func() bool {
		at, ok := s.p.Value(n.value)
		return ok && (at < 0 || at > s.most) && !slices.ContainsFunc(n.when, func(c *term.Cond) bool {
			holds, ok := c.Holds(n.value)
			return !holds && (ok || n.decided(c))
		})
	})
}

// counting goes through the numbers that a subscript and the conditions around it are made of.
type counting struct {
	*executor
	when  []*term.Cond // those that speak of one of the atoms
	atoms []*term.Atom
	may   [][]int64 // what each of them may be
	now   []int64   // what the first of them are
}

// about notes what a subscript and the conditions around it are made of; false if these are other numbers than coordinates and
// rounds, or if nobody knows which of them come to it.
func (n *counting) about(s subscript) bool {
	if !n.countable(s.p) {
		return false
	}
	n.add(s.p)
	left := term.Conjuncts(s.when)
	for spoken := -1; spoken < len(n.when); {
		spoken = len(n.when)
		left = slices.DeleteFunc(left, func(c *term.Cond) bool {
			speaks := n.speaks(c, n.atoms)
			if speaks {
				n.when = append(n.when, c)
				compared(c, n.add)
			}
			return speaks
		})
	}
	var rounds []*term.Atom // of a number that is known
	for _, a := range n.atoms {
		if a.Kind == term.Iter && n.bound(a) >= 0 {
			rounds = append(rounds, a)
		}
	}
	if slices.ContainsFunc(n.when, func(c *term.Cond) bool { return !n.decided(c) && (!n.everyThread(c) || n.speaks(c, rounds)) }) {
		return false
	}
	return n.choose(s.p)
}

// compared calls f for the numbers that a condition compares.
func compared(c *term.Cond, f func(*term.Poly)) {
	c.Walk(func(c *term.Cond) {
		if c.P != nil {
			f(c.P)
		}
	})
}

// speaks reports whether a condition is made of one of the atoms.
func (n *counting) speaks(c *term.Cond, of []*term.Atom) (yes bool) {
	compared(c, func(p *term.Poly) { yes = yes || slices.ContainsFunc(of, p.MadeOf) })
	return yes
}

// add notes the coordinates and rounds in a number.
func (n *counting) add(p *term.Poly) {
	p.AllLeaves(func(a *term.Atom) {
		if n.counted(a) && !slices.Contains(n.atoms, a) {
			n.atoms = append(n.atoms, a)
		}
	})
}

// counted reports whether an atom is a coordinate or the number of a round.
func (n *counting) counted(a *term.Atom) bool {
	return a.Kind == term.Iter || n.sum.dimensionOf(a) != nil
}

// countable reports whether a number is computed from coordinates and rounds alone.
func (n *counting) countable(p *term.Poly) bool {
	alone := true
	p.AllLeaves(func(a *term.Atom) { alone = alone && (a.Kind == term.Func && len(a.Args) == 2 || n.counted(a)) })
	return alone
}

// decided reports whether coordinates and rounds alone decide a condition.
func (n *counting) decided(c *term.Cond) bool {
	alone := true
	compared(c, func(p *term.Poly) { alone = alone && n.countable(p) })
	return alone
}

// bound is the greatest number of an atom by the conditions, -1 if they do not say.
func (n *counting) bound(a *term.Atom) int64 {
	most := int64(-1)
	for _, c := range n.when {
		times := int64(0)
		if c.Op == term.LeZero && n.decided(c) {
			times = c.P.Times(n.t.Poly(a))
		}
		if times <= 0 {
			continue
		}
		rest, _ := n.t.Sub(c.P, n.t.Scale(times, n.t.Poly(a))).Range()
		if last := -(rest / times); rest != term.NoLo && rest <= 0 && (most < 0 || last < most) {
			most = last
		}
	}
	return most
}

// choose says which numbers are tried: those of a known launch, those that the conditions ask for, and else the first. A loop of which
// nobody knows how often it goes round has as many rounds as a remainder of their numbers has values. It is false if that makes too many.
func (n *counting) choose(p *term.Poly) bool {
	last := make([]int64, len(n.atoms))
	for i, a := range n.atoms {
		last[i] = n.bound(a)
		if size, known := int64(0), false; n.sum.dimensionOf(a) != nil {
			if size, known = n.sum.dimensionOf(a).IsConst(); known && (last[i] < 0 || size <= last[i]) {
				last[i] = size - 1
			}
		}
		for _, m := range p.Terms() {
			if last[i] < 0 && len(m.Mono.Atoms) == 1 && m.Mono.Atoms[0].Kind == term.Rem && m.Mono.Atoms[0].Args[0].IsAtom() == a {
				modulus, _ := m.Mono.Atoms[0].Args[1].IsConst()
				last[i] = modulus - 1
			}
		}
		last[i] = max(last[i], 0)
	}
	most := int64(mostTried)
	for most > 2 && combinations(last, most) > mostTried {
		most /= 2
	}
	for _, l := range last {
		var may []int64
		for v := int64(0); v <= l; v++ {
			if l >= most && v == most/2 {
				v = l + 1 - most/2
			}
			may = append(may, v)
		}
		n.may = append(n.may, may)
	}
	return combinations(last, most) <= mostTried
}

// combinations is how many there are of numbers up to the last of each, but no more than so many of each; no more than are tried are counted.
func combinations(last []int64, most int64) int64 {
	all := int64(1)
	for _, l := range last {
		all = min(all*min(l+1, most), mostTried+1)
	}
	return all
}

// some reports whether something holds for one of the combinations.
func (n *counting) some(holds func() bool) bool {
	at := len(n.now)
	if at == len(n.atoms) {
		return holds()
	}
	for _, v := range n.may[at] {
		n.now = append(n.now, v)
		if n.some(holds) {
			return true
		}
		n.now = n.now[:at]
	}
	return false
}

// value is what an atom has now.
func (n *counting) value(a *term.Atom) (int64, bool) {
	if i := slices.Index(n.atoms, a); i >= 0 {
		return n.now[i], true
	}
	return a.Operation(n.value)
}
