package witness

import (
	"context"
	"iter"
	"maps"
	"slices"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/meet"
	"github.com/warplint/warplint/analysis/prove/bits"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

// This file finds the numbers of a launch that say nothing but how often loops go round. A loop of a few rounds
// is as likely as one of thousands, and comes to what stands behind it.

// fewRounds is how many rounds a loop makes whose number of rounds is free, where other numbers are natural;
// mostRounds bounds the number that makes them so many.
const (
	fewRounds  = 6
	mostRounds = natural / 4
)

// rounds gives each number, the same for the whole launch, that decides only how often loops go round at most, as the length of
// a pattern that is compared with a text, or that keeps the more threads out the greater it is, a value for which they do so a few times. What else decides anything
// that differs between threads, or how many of them there are, is left out.
func rounds(s *access.Summary) map[*term.Atom]int64 {
	few, other := map[*term.Atom]int64{}, map[*term.Atom]bool{}
	excludeBut := func(p *term.Poly, but []*term.Atom) {
		alike(p, 1, func(a *term.Atom, _ int64) { other[a] = other[a] || !slices.Contains(but, a) })
	}
	exclude := func(p *term.Poly) { excludeBut(p, nil) }
	for c := range onWays(s) {
		c.Walk(func(c *term.Cond) {
			switch {
			case c.P == nil:
			case c.P.Variance() > term.Grid && !countsRounds(c.P):
				excludeBut(c.P, loosened(c))
			case goes(c.P) && !doubles(c.P):
				step := step(c.P)
				alike(c.P, 1, func(a *term.Atom, divisor int64) { few[a] = max(few[a], fewRounds*step*divisor) })
			}
		})
	}
	for i := range 3 {
		exclude(s.Grid[i])
		exclude(s.Block[i])
	}
	for a, n := range few {
		if other[a] || n > mostRounds {
			delete(few, a)
		}
	}
	return few
}

// onWays yields the conditions on the ways to accesses and to what orders them.
func onWays(s *access.Summary) iter.Seq[*term.Cond] {
	return func(yield func(*term.Cond) bool) {
		for _, a := range s.Accesses {
			for _, c := range a.When {
				if !yield(c) {
					return
				}
			}
		}
		for _, e := range s.Events {
			for _, c := range e.When {
				if !yield(c) {
					return
				}
			}
		}
	}
}

// loosened lists the numbers that let the more threads pass a condition the less they are, as m in `i <= n - m`.
func loosened(c *term.Cond) (out []*term.Atom) {
	if c.Op != term.LeZero {
		return nil
	}
	for _, t := range c.P.Terms() {
		if len(t.Mono.Atoms) == 1 && t.Coef > 0 && free(t.Mono.Atoms[0]) {
			out = append(out, t.Mono.Atoms[0])
		}
	}
	return out
}

// goes reports whether a condition is about the round of a loop, in it or behind it.
func goes(p *term.Poly) bool {
	found := p.Loops() != 0
	p.AllLeaves(func(a *term.Atom) { found = found || a.Kind == term.Iter })
	return found
}

// countsRounds reports whether nothing in a condition differs between threads but how often they have gone round, or what they have
// counted in a loop.
func countsRounds(p *term.Poly) bool { return counters{}.make(p) }

// counters are what was found out of numbers that are made of others many times over.
type counters map[*term.Atom]bool

func (k counters) make(p *term.Poly) bool {
	return !slices.ContainsFunc(p.Terms(), func(t term.Term) bool {
		return slices.ContainsFunc(t.Mono.Atoms, func(a *term.Atom) bool { return !k.has(a) && (a.Variance > term.Grid || a.Loops != 0) })
	})
}

func (k counters) has(a *term.Atom) bool {
	if a.Kind != term.Select {
		return a.Kind == term.Iter || a.Carried
	}
	is, known := k[a]
	if !known {
		is = k.make(a.Args[0]) && k.make(a.Args[1]) && a.If.P != nil && k.make(a.If.P)
		k[a] = is
	}
	return is
}

// doubles reports whether a condition is about what is doubled or halved in each round: natural numbers make few of these.
func doubles(p *term.Poly) bool {
	found := false
	p.AllLeaves(func(a *term.Atom) { found = found || (a.Power || a.Halved != nil) && a.Loops != 0 })
	return found
}

// step is by how much a condition changes with a round of a loop.
func step(p *term.Poly) int64 {
	most := int64(1)
	for _, t := range p.Terms() {
		if slices.ContainsFunc(t.Mono.Atoms, func(a *term.Atom) bool { return a.Loops != 0 }) {
			most = max(most, t.Coef, -t.Coef)
		}
	}
	return most
}

// alike calls f for each number in p that the whole launch sees alike, with what it is divided by. What a sum is made of may be in it
// many times over.
func alike(p *term.Poly, divisor int64, f func(a *term.Atom, divisor int64)) {
	type divided struct {
		a  *term.Atom
		by int64
	}
	seen := map[divided]bool{}
	var visit func(p *term.Poly, divisor int64)
	visit = func(p *term.Poly, divisor int64) {
		for _, t := range p.Terms() {
			for _, a := range t.Mono.Atoms {
				if seen[divided{a, divisor}] {
					continue
				}
				seen[divided{a, divisor}] = true
				by := divisor
				if a.Kind == term.Div {
					if n, ok := a.Args[1].IsConst(); ok && n > 0 && n < natural {
						by *= n
					}
				}
				if a.Variance == term.Grid && a.Loops == 0 && a.Kind != term.Iter {
					f(a, by)
				}
				for _, arg := range a.Args {
					visit(arg, by)
				}
			}
		}
	}
	visit(p, divisor)
}

// wide makes those numbers of rounds that addresses grow with, as the distance of two buffers does, no less than a block has threads.
func (l *planner) wide(few map[*term.Atom]int64) map[*term.Atom]int64 {
	p, ok := l.with(numbers{size: natural, few: few})
	if !ok {
		return few
	}
	out, threads := maps.Clone(few), int64(p.launch.Block.Count())
	for a, n := range few {
		inAddress := slices.ContainsFunc(l.s.Accesses, func(x *access.Access) bool { return x.Off.GrowsWith(a, n) })
		if inAddress && n < threads {
			out[a] = (threads + n - 1) / n * n
		}
	}
	return out
}

// narrow reports whether a number of rounds that is less than a block has threads makes an address of a candidate grow:
// then its race may hang on how small it is.
func (p *plan) narrow(t *term.Table, c meet.Candidate) bool {
	return p.few != nil && len(p.lengths(t, c.A, c.B)) > 0
}

// lengths gives the numbers of rounds with which addresses grow, and that are less than a block has threads, that many. Such a number
// may be the length of a row, or of a part of an array, which has an element for each thread.
func (p *plan) lengths(t *term.Table, a, b *access.Access) map[*term.Atom]int64 {
	out, threads := map[*term.Atom]int64{}, int64(p.launch.Block.Count())
	for number, n := range p.rounds {
		if n < threads && (growsWith(t, a, number, n) || growsWith(t, b, number, n)) {
			out[number] = threads
		}
	}
	return out
}

// hangsOnFewRounds reports whether two threads of a block raced in no launches but those with such lengths, and would not if there were
// as many elements as threads.
func (f *search) hangsOnFewRounds(ctx context.Context, r Race) bool {
	many := numbers{size: natural, few: map[*term.Atom]int64{}}
	for _, p := range f.plansOf(r.pair()) {
		lengths := p.lengths(f.s.T, r.A, r.B)
		if r.Kind == race.InterBlock || len(lengths) == 0 {
			return false
		}
		for a, n := range p.rounds {
			many.few[a] = max(many.few[a], n, lengths[a])
		}
	}
	p, ok := newPlanner(f.s, f.s.Func).with(many)
	return ok && len(many.few) > 0 && !slices.ContainsFunc(f.open[r.pair()], func(c meet.Candidate) bool {
		if c.Kind != r.Kind {
			return false
		}
		_, answer := f.threadsOf(ctx, &p, c, false)
		return answer != bits.Unsat
	})
}

// growsWith reports whether an address grows with a number of rounds. Of a loop that counts down from it only the rounds are
// more: its addresses are those of one that counts up.
func growsWith(t *term.Table, x *access.Access, a *term.Atom, n int64) bool {
	if !x.Off.GrowsWith(a, n) {
		return false
	}
	return !slices.ContainsFunc(x.Loops, func(l *access.Loop) bool {
		if l.Rounds == nil || !x.Off.Mentions(l.Iter) {
			return false
		}
		fromLast := t.Sub(t.Offset(l.Rounds, -1), t.Poly(l.Iter))
		return !t.Substitute(x.Off, l.Iter, fromLast).GrowsWith(a, n)
	})
}
