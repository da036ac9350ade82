package witness

import (
	"maps"
	"slices"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/term"
)

// This file says when a race does not hang on the numbers that were chosen for a launch: if it shows in all
// launches with numbers of one size, whichever of them is the greater. A launch in which no thread comes
// to one of the two places says nothing: nobody means it, or it was cut off before.

// asLong is how many times as many steps as another a launch may take to the same place, since its numbers are
// so many times as large.
const asLong = 3

// sure reports whether a pair raced in all launches with natural numbers of one size that went as far as the
// one which showed it, from some contents.
func (f *search) sure(pair [2]ir.Stmt) bool { return f.inAll(pair, false) || f.mixesUp(pair) }

// mixesUp reports whether rows at both places of a pair have the length that the kernel compares the row's number with,
// and it raced with natural numbers. Whoever calls it means the number of rows by that, and matrices are of any shape.
func (f *search) mixesUp(pair [2]ir.Stmt) bool {
	return f.mixable(pair) && slices.ContainsFunc(f.plansOf(pair), func(p *plan) bool { return !p.small && !p.mixed })
}

func (f *search) mixable(pair [2]ir.Stmt) bool {
	for _, st := range pair {
		if !slices.ContainsFunc(f.s.Accesses, func(a *access.Access) bool { return a.Stmt == st && strided(f.s.T, a) }) {
			return false
		}
	}
	return true
}

// plansOf lists the plans in which a pair raced.
func (f *search) plansOf(pair [2]ir.Stmt) (out []*plan) {
	for k := range f.contents {
		for i := range f.hits[hit{pair, k}] {
			out = append(out, &f.plans[i])
		}
	}
	return out
}

// strided reports whether an address is `row * rows + ...`, or `(layer * rows + row) * rows + ...`, where the row is compared
// with `rows`.
func strided(t *term.Table, a *access.Access) bool {
	found, seen := false, map[*term.Atom]bool{}
	a.Off.AllLeaves(func(x *term.Atom) {
		if seen[x] || !free(x) {
			return
		}
		seen[x] = true
		zero := t.Const(0)
		rows := t.Sub(a.Off, t.Substitute(a.Off, x, zero))
		found = found || slices.ContainsFunc(term.Conjuncts(a.When), func(c *term.Cond) bool {
			if c.Op != term.LeZero || !c.P.Mentions(x) {
				return false
			}
			before := t.Substitute(c.P, x, zero) // row + 1 - length ≤ 0
			all := t.Mul(t.Offset(before, -1), t.Sub(before, c.P))
			g := all.Gcd()
			return g > 0 && onlyLayers(t.Sub(t.Scale(g, rows), t.Scale(rows.Gcd(), all)), x)
		})
	})
	return found
}

// onlyLayers reports whether a number of rows is in each term of p more than once, as where p is made of whole layers of such rows.
func onlyLayers(p *term.Poly, rows *term.Atom) bool {
	return !slices.ContainsFunc(p.Terms(), func(x term.Term) bool {
		count := 0
		for _, a := range x.Mono.Atoms {
			if a == rows {
				count++
			}
		}
		return count < 2
	})
}

// settled reports whether that is so, and all these launches have run.
func (f *search) settled(pair [2]ir.Stmt) bool { return f.inAll(pair, true) }

func (f *search) inAll(pair [2]ir.Stmt, tried bool) bool {
	for k := range f.contents {
		for i := range f.hits[hit{pair, k}] {
			if f.plans[i].whole || f.inAllLike(i, hit{pair, k}, tried || f.plans[i].ample || f.plans[i].rounded || f.plans[i].covering) {
				return true
			}
		}
	}
	return false
}

// inAllLike reports whether a pair that raced in one launch did so in all whose numbers are of the same size.
func (f *search) inAllLike(plan int, h hit, tried bool) bool {
	least := f.soonest(plan, h)
	if least < whole/asLong {
		least *= asLong
	}
	for i := range f.plans {
		_, raced := f.hits[h][i]
		reached := f.reached[[2]int{i, h.contents}]
		if f.alike(i, plan) && !raced && (reached >= least && f.cameToBoth(i, h) || tried && reached == 0) {
			return false
		}
	}
	return true
}

func (f *search) cameToBoth(plan int, h hit) bool {
	came := f.came[[2]int{plan, h.contents}]
	return !slices.ContainsFunc(h.pair[:], func(st ir.Stmt) bool {
		site, ok := ir.SiteOf(st)
		return ok && !came[site]
	})
}

// soonest is the number of steps that the quickest of the launches like one took in which a pair raced.
func (f *search) soonest(plan int, h hit) int64 {
	reach := maps.Clone(f.hits[h])
	maps.DeleteFunc(reach, func(i int, _ int64) bool { return !f.alike(i, plan) })
	return slices.Min(slices.Collect(maps.Values(reach)))
}

// alike reports whether two launches have natural numbers of one size, and loops of as many rounds.
func (f *search) alike(i, j int) bool {
	p, q := &f.plans[i], &f.plans[j]
	return !p.small && !q.small && !p.whole && !q.whole && p.size == q.size && p.ample == q.ample && p.covering == q.covering && p.shape == q.shape && p.halved == q.halved && (p.few == nil) == (q.few == nil) && p.begin == q.begin && p.later == q.later && p.midway == q.midway && !p.aimed && !q.aimed
}

// confirms reports whether a pair raced in an ample launch from some contents, and another one has not run yet.
func (f *search) confirms(contents, plan int) bool {
	for h, reach := range f.hits {
		for i := range reach {
			if h.contents == contents && f.plans[i].ample && f.reached[[2]int{plan, contents}] == 0 {
				return true
			}
		}
	}
	return false
}

// unconfirmed reports whether a pair raced from some contents, and a launch with numbers of the same size has
// not gone as far.
func (f *search) unconfirmed(contents, plan int) bool {
	if f.plans[plan].small {
		return false
	}
	for h, reach := range f.hits {
		if h.contents != contents || f.settled(h.pair) {
			continue
		}
		for i := range reach {
			if _, hit := reach[plan]; !hit && f.alike(i, plan) && f.reached[[2]int{plan, contents}] < f.soonest(i, h) {
				return true
			}
		}
	}
	return false
}
