package prove

import (
	"slices"

	"github.com/warplint/warplint/analysis/term"
)

// This file leaves out of a question about two threads what only one of them knows.
//
// Conditions that share no number, directly or through others, with the other thread or with what
// both see, can contradict nothing but each other, and do so only in code that no thread reaches.
// They are worth no case: a kernel that branches on the data that it has computed has many.

// relevant lists the conditions without the alternatives that only one thread knows, and without
// what is connected with those alone.
func (s *Solver) relevant(conds []*term.Cond) []*term.Cond {
	if !s.Rounds {
		conds = withoutRounds(conds)
	}
	p := parts{part: map[*term.Atom]*part{}}
	of := make([]*part, len(conds))
	for i, c := range conds {
		of[i] = &part{alternatives: c.Op == term.Or}
		c.Walk(func(c *term.Cond) { p.join(of[i], c.P) })
	}
	var out []*term.Cond
	for i, c := range conds {
		if q := of[i].root(); q.both() || !q.alternatives {
			out = append(out, c)
		}
	}
	return out
}

// distinct lists each condition once: both threads bring what holds for the whole launch.
func distinct(conds []*term.Cond) []*term.Cond {
	seen := make(map[string]bool, len(conds))
	out := make([]*term.Cond, 0, len(conds))
	for _, c := range conds {
		if key := c.Key(); !seen[key] {
			seen[key] = true
			out = append(out, c)
		}
	}
	return out
}

// withoutRounds lists the conditions without the alternatives about how often a loop has gone round, where
// no equation speaks of that number: how a loop ended that a thread has left long since. What memory holds for a round is another
// matter.
func withoutRounds(conds []*term.Cond) []*term.Cond {
	used := map[*term.Atom]bool{}
	for _, c := range conds {
		if c.Op == term.EqZero || c.Op == term.NeZero {
			c.P.AllLeaves(func(a *term.Atom) { used[a] = true })
		}
	}
	return slices.DeleteFunc(slices.Clone(conds), func(c *term.Cond) bool {
		unused := false
		if c.Op == term.Or {
			c.Walk(func(c *term.Cond) {
				c.P.Leaves(func(a *term.Atom) { unused = unused || a.Kind == term.Iter && !used[a] })
			})
		}
		return unused
	})
}

// part is a set of conditions that are connected by the numbers in them.
type part struct {
	parent       *part
	alternatives bool // one of them is a disjunction
	sides        sides
}

// sides says whose numbers there are: what all threads see, or the copies of one of up to three threads.
type sides [4]bool

// add notes the side of a number. What it is after its loop has no side of its own.
func (s *sides) add(a *term.Atom) {
	if a.Side == term.Third {
		s[3] = true
	} else {
		s[a.Side%3] = true
	}
}

// only is the thread that alone sees some numbers, 0 if several do.
func (s *sides) only() int {
	found := 0
	for i, is := range s {
		switch {
		case is && (i == 0 || found != 0):
			return 0
		case is:
			found = i
		}
	}
	return found
}

// both reports whether a part is about what several threads see.
func (q *part) both() bool { return q.sides != sides{} && q.sides.only() == 0 }

func (q *part) root() *part {
	for q.parent != nil {
		q = q.parent
	}
	return q
}

type parts struct {
	part map[*term.Atom]*part // in which an atom is
}

// join adds the atoms of a polynomial to a part, and unites it with those in which they are.
func (p parts) join(q *part, of *term.Poly) {
	if of == nil {
		return
	}
	for _, m := range of.Terms() {
		for _, a := range m.Mono.Atoms {
			p.joinAtom(q, a)
		}
	}
}

func (p parts) joinAtom(q *part, a *term.Atom) {
	q = q.root()
	old := p.part[a]
	if old == nil {
		p.part[a] = q
		switch {
		case a.Kind == term.Func:
			q.sides[sideOf(a)] = true
		case len(a.Args) == 0:
			q.sides.add(a)
		default: // a compound atom says something of its arguments
			for _, arg := range a.Args {
				p.join(q, arg)
			}
			if a.If != nil {
				a.If.Walk(func(c *term.Cond) { p.join(q, c.P) })
			}
		}
		return
	}
	if old = old.root(); old != q {
		old.parent = q
		q.alternatives = q.alternatives || old.alternatives
		for i, s := range old.sides {
			q.sides[i] = q.sides[i] || s
		}
	}
}

// sideOf is the thread that alone knows the arguments of a function that nothing else is known of,
// or 0.
func sideOf(a *term.Atom) int {
	var seen sides
	for _, arg := range a.Args {
		arg.AllLeaves(func(l *term.Atom) {
			if l.Kind != term.Func {
				seen.add(l)
			}
		})
	}
	seen[0] = false // what all know besides
	return seen.only()
}

// withoutOneSided lists the conditions without inequalities in which a number that nothing else speaks of only has to be large enough, or small
// enough, as what a search before has left in its variables: some number is, so they say nothing. Where none is left that speaks of
// another such number, that one goes, too.
func (s *Solver) withoutOneSided(conds []*term.Cond) []*term.Cond {
	free := func(a *term.Atom) bool { return a.Kind == term.Opaque && len(a.Args) == 0 }
	alone := func(m *term.Mono) bool { return len(m.Atoms) == 1 && free(m.Atoms[0]) }
	speaks := func(c *term.Cond) bool {
		return c.Op == term.LeZero && slices.ContainsFunc(c.P.Terms(), func(x term.Term) bool { return alone(x.Mono) })
	}
	if s.Rows != NoRows || !slices.ContainsFunc(conds, speaks) { // of rows it counts what else is known of columns
		return conds
	}
	for {
		signs := map[*term.Atom]int64{} // of a number that stands in inequalities only; 0 where it stands on both sides
		bound := func(p *term.Poly) {
			p.AllLeaves(func(a *term.Atom) {
				if free(a) {
					signs[a] = 0
				}
			})
		}
		for _, c := range conds {
			if c.Op != term.LeZero {
				c.Walk(func(c *term.Cond) { bound(c.P) })
				continue
			}
			for _, x := range c.P.Terms() {
				if !alone(x.Mono) {
					bound(s.T.Monomial(1, x.Mono.Atoms))
					continue
				}
				a, sign := x.Mono.Atoms[0], int64(1)
				if x.Coef < 0 {
					sign = -1
				}
				if before, known := signs[a]; known && before != sign {
					sign = 0
				}
				signs[a] = sign
			}
		}
		out := slices.DeleteFunc(slices.Clone(conds), func(c *term.Cond) bool {
			return c.Op == term.LeZero && slices.ContainsFunc(c.P.Terms(), func(x term.Term) bool {
				if !alone(x.Mono) {
					return false
				}
				a := x.Mono.Atoms[0]
				return (signs[a] > 0 && a.Lo <= -1<<31 || signs[a] < 0 && a.Hi >= 1<<31-1) && (s.Axioms == nil || len(s.Axioms(a)) == 0)
			})
		})
		if len(out) == len(conds) {
			return conds
		}
		conds = out
	}
}
