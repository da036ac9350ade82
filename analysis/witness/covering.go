package witness

import (
	"maps"
	"slices"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

// This file makes launches for a kernel that nothing launches with as many threads as the kernel has work for. A guard
// such as `if (i < n)` says that whoever launches it has a thread for each element, up to the last one, which may
// have to do with the first: `a[n - 1 - i]`. With more elements than threads that would not show.

// severalBlocks are so many along an axis that some have neighbours on both sides.
const severalBlocks = 4

// covering are such launches; the numbers that no guard compares threads with are natural ones, in any order.
func covering(s *access.Summary, beside *plan) (out []plan) {
	if s.Launch != nil || beside.small || beside.size != natural {
		return nil
	}
	l := newPlanner(s, s.Func)
	n := numbers{size: natural, blocks: moreBlocks(s, beside.launch.Grid)}
	p, ok := l.with(n)
	if !ok {
		return nil
	}
	n.exact = l.reachedBy(p)
	for _, n.spread = range [...]spread{level, rising, falling} {
		p, ok := l.with(n)
		if !ok || p.cut {
			return nil
		}
		p.size, p.early, p.covering, p.launch.Blocks = natural, n.spread == level, true, nil
		if l.isNew(p) {
			out = append(out, p)
		}
	}
	return out
}

// leavingOneOut is a launch with one thread more than there is work for. That this may be is what guards are for.
func (l *planner) leavingOneOut() (plan, bool) {
	n := numbers{size: natural}
	p, ok := l.with(n)
	if !ok || l.s.Launch != nil {
		return plan{}, false
	}
	n.exact = l.reachedBy(p)
	maps.DeleteFunc(n.exact, func(_ *term.Atom, threads int64) bool { return threads < 2 })
	for a := range n.exact {
		n.exact[a]--
	}
	p, ok = l.with(n)
	return p, ok && len(n.exact) > 0 && !p.cut
}

// moreBlocks are the blocks of such a launch along each axis, 0 for the default. Blocks whose number chooses what they do,
// and not where, may be those that there are.
func moreBlocks(s *access.Summary, grid race.Dim3) (blocks race.Dim3) {
	if grid[2] > 1 {
		return blocks
	}
	for axis, n := range grid {
		block := s.BlockIdx[axis].IsAtom()
		if n > 1 && block != nil && !slices.ContainsFunc(s.Accesses, func(a *access.Access) bool {
			return a.Writes() && a.Base.Space == ir.Global && !hasTermOf(a.Off, block)
		}) {
			blocks[axis] = severalBlocks
		}
	}
	return blocks
}

// hasTermOf reports whether a number stands in a sum as it is.
func hasTermOf(p *term.Poly, a *term.Atom) bool {
	return slices.ContainsFunc(p.Terms(), func(x term.Term) bool { return slices.Contains(x.Mono.Atoms, a) })
}

// reachedBy gives the numbers that guards compare threads with, and nothing else, as many as the threads of a launch reach.
func (l *planner) reachedBy(p plan) map[*term.Atom]int64 {
	out := map[*term.Atom]int64{}
	p.values = maps.Clone(p.values)
	for i := range 3 {
		if a := l.s.Grid[i].IsAtom(); a != nil {
			p.values[a] = int64(p.launch.Grid[i])
		}
		if a := l.s.Block[i].IsAtom(); a != nil {
			p.values[a] = int64(p.launch.Block[i])
		}
	}
	for _, a := range l.s.Accesses {
		for _, c := range term.Conjuncts(a.When) { // thread + 1 - n ≤ 0
			if c.Op != term.LeZero || c.P.Variance() == term.Grid || c.Loops() != 0 {
				continue
			}
			n, thread := l.numberIn(c.P)
			if n == nil {
				continue
			}
			if most, ok := l.most(thread, p); ok && most > 0 && most < natural {
				out[n] = max(out[n], most)
			}
		}
	}
	return out
}

// numberIn splits p into `thread - number`, of one number that nothing fixes.
func (l *planner) numberIn(p *term.Poly) (number *term.Atom, thread *term.Poly) {
	for _, x := range p.Terms() {
		if x.Coef != -1 || len(x.Mono.Atoms) != 1 || !free(x.Mono.Atoms[0]) {
			continue
		}
		if number != nil {
			return nil, nil
		}
		number = x.Mono.Atoms[0]
	}
	if number == nil {
		return nil, nil
	}
	return number, l.s.T.Add(p, l.s.T.Poly(number))
}
