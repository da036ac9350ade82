package witness

import (
	"slices"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/meet"
	"github.com/warplint/warplint/analysis/term"
)

// This file knows modes: what is the same for the whole launch, and a kernel does no more with than to compare it with
// constants, such as a direction or the number of a method. A size may have to be larger than a race needs it; of a mode
// each value that the kernel asks for is meant. So the candidates of a mode have launches with it, and launches in which
// the mode leaves a barrier out.

// Limits of the search: for so many values of modes, besides those that natural numbers give, and so many that leave
// barriers out.
const (
	maxModes   = 4
	maxLeftOut = 2
)

// modes are the modes of a kernel.
type modes map[*term.Atom]bool

// share is a part of the candidates, with the summary whose launches have the modes of these.
type share struct {
	s          *access.Summary
	candidates []meet.Candidate
	values     *assignment
}

// byMode shares candidates out by the modes that their conditions ask for. The first share is that of natural numbers.
func byMode(s *access.Summary, candidates []meet.Candidate) []*share {
	first := &share{s: s}
	all := []*share{first}
	modes := modesOf(s)
	if len(modes) == 0 || !first.give(nil) {
		first.candidates = candidates
		return all
	}
	for _, c := range candidates {
		asked := modes.of(c.A.When, c.B.When)
		i := slices.IndexFunc(all, func(sh *share) bool { return sh.has(asked) })
		if i < 0 {
			i = 0
			if sh := (&share{s: s}); len(all) <= maxModes && sh.give(asked) {
				i, all = len(all), append(all, sh)
			}
		}
		all[i].candidates = append(all[i].candidates, c)
	}
	return append(all, modes.withoutBarriers(first, candidates)...)
}

// withoutBarriers are shares of all candidates, in modes that leave out barriers which natural numbers pass. Without a
// known launch it may be the block's size that a caller's number says.
func (m modes) withoutBarriers(first *share, candidates []meet.Candidate) (out []*share) {
	if first.s.Launch == nil {
		return nil
	}
	for _, e := range first.s.Events {
		if _, ok := e.Stmt.(*ir.Barrier); !ok {
			continue
		}
		for _, c := range m.of(e.When) {
			without := []*term.Cond{first.s.T.Not(c)}
			if !first.has([]*term.Cond{c}) || slices.ContainsFunc(out, func(sh *share) bool { return sh.has(without) }) || len(out) == maxLeftOut {
				continue
			}
			sh := &share{s: first.s}
			if !sh.give(without) {
				continue
			}
			for _, c := range candidates {
				if sh.has(m.of(c.A.When, c.B.When)) {
					sh.candidates = append(sh.candidates, c)
				}
			}
			out = append(out, sh)
		}
	}
	return out
}

// give chooses numbers for which conditions hold besides what is given; it reports whether there are any.
func (sh *share) give(conds []*term.Cond) bool {
	s := *sh.s
	s.Given = append(slices.Clip(s.Given), conds...)
	sh.s = &s
	sh.values = newAssignment(&s, nil, nil, numbers{size: natural})
	return sh.values.repair() && sh.has(conds)
}

// has reports whether conditions hold of the numbers of a share.
func (sh *share) has(conds []*term.Cond) bool {
	return !slices.ContainsFunc(conds, func(c *term.Cond) bool {
		holds, ok := c.Holds(sh.values.leaf)
		return !ok || !holds
	})
}

// of lists the conditions that are about modes only.
func (m modes) of(all ...[]*term.Cond) (out []*term.Cond) {
	for _, conds := range all {
		for _, c := range term.Conjuncts(conds) {
			only := true
			c.Walk(func(c *term.Cond) {
				if c.P != nil {
					c.P.AllLeaves(func(a *term.Atom) { only = only && (m[a] || isFixed(a)) })
				}
			})
			if only {
				out = append(out, c)
			}
		}
	}
	return out
}

// modesOf finds the modes of a kernel.
func modesOf(s *access.Summary) modes {
	found, others := modes{}, map[*term.Atom]bool{}
	other := func(p *term.Poly) { p.AllLeaves(func(a *term.Atom) { others[a] = true }) }
	conditions := func(all []*term.Cond) {
		for _, c := range all {
			c.Walk(func(c *term.Cond) {
				switch a := tested(c); {
				case a != nil && (c.Op != term.LeZero || s.Launch != nil):
					found[a] = true
				case c.P != nil:
					other(c.P)
				}
			})
		}
	}
	for _, a := range s.Accesses {
		conditions(a.When)
		other(a.Off)
	}
	for _, e := range s.Events {
		conditions(e.When)
	}
	for i := range 3 {
		other(s.Grid[i])
		other(s.Block[i])
	}
	for a := range others {
		delete(found, a)
	}
	return found
}

// tested is what the caller passes that a condition compares with a constant, or a pointer with null; nil if the condition
// does something else.
func tested(c *term.Cond) *term.Atom {
	if c.P == nil {
		return nil
	}
	var found *term.Atom
	for _, t := range c.P.Terms() {
		if len(t.Mono.Atoms) == 0 {
			continue
		}
		a := unwrapped(t.Mono.Atoms[0])
		if isFixed(a) {
			continue
		}
		base := access.AddressOf(a)
		passed := a.Kind == term.Symbol && a.Variance == term.Grid && a.Loops == 0 || base != nil && base.Param != nil
		if len(t.Mono.Atoms) > 1 || found != nil || !passed {
			return nil
		}
		found = a
	}
	return found
}

// unwrapped is the number that a conversion to a narrower type is made of.
func unwrapped(a *term.Atom) *term.Atom {
	for a.Kind == term.Wrap {
		of := a.Args[0].IsAtom()
		if of == nil {
			break
		}
		a = of
	}
	return a
}
