package witness

import (
	"slices"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/meet"
	"github.com/warplint/warplint/analysis/term"
)

// This file knows modes: what is the same for the whole launch, and a kernel does no more with than to ask for it in
// conditions that are the same for all threads, such as a direction or the number of a method. A size may have to be larger
// than a race needs it; of a mode each value that the kernel asks for is meant. So the candidates of a mode have launches
// with it, and launches in which the mode leaves a barrier out or takes the other of two numbers.

// Limits of the search: for so many values of modes, besides those that natural numbers give, and so many for the other
// ways that they lead.
const (
	maxModes = 4
	maxOther = 2
)

// modes are the modes of a kernel.
type modes map[*term.Atom]bool

// share is a part of the candidates or of the barriers, with the summary whose launches have the modes of these.
type share struct {
	s          *access.Summary
	candidates []meet.Candidate
	suspects   []*access.Event
	values     *assignment
}

// byMode shares candidates out by the modes that their conditions ask for. The first share is that of natural numbers.
func byMode(s *access.Summary, candidates []meet.Candidate) []*share {
	if len(candidates) == 0 {
		return nil
	}
	p := newShares(s)
	for _, c := range candidates {
		sh := p.of(c.A.When, c.B.When)
		sh.candidates = append(sh.candidates, c)
	}
	if p.modes == nil {
		return p.all
	}
	return append(p.all, p.otherWays(candidates)...)
}

// shares has a share for each of the modes that were asked for.
type shares struct {
	modes modes // nil if the launches of a kernel have none
	l     *planner
	all   []*share
}

func newShares(s *access.Summary) *shares {
	p := &shares{modes: modesOf(s), all: []*share{{s: s}}}
	if len(p.modes) > 0 {
		p.l = newPlanner(s, s.Func)
		p.all[0] = newShare(p.l)
		if p.all[0].values.repair() {
			return p
		}
	}
	p.modes = nil
	return p
}

// of is the share with the modes that conditions ask for, or the first where there is none.
func (p *shares) of(conds ...[]*term.Cond) *share {
	first := p.all[0]
	asked := p.modes.in(conds...)
	i := slices.IndexFunc(p.all, func(sh *share) bool { return sh.has(asked) && (sh != first || !slices.ContainsFunc(asked, equation)) })
	if i >= 0 {
		return p.all[i]
	}
	if len(p.all) <= maxModes {
		if sh := newShare(p.l); sh.give(p.modes, asked) {
			p.all = append(p.all, sh)
			return sh
		}
	}
	return first
}

// otherWays are shares of all candidates, in modes that leave out barriers which natural numbers pass, or that lead to
// other addresses than these do.
func (p *shares) otherWays(candidates []meet.Candidate) (out []*share) {
	m, first := p.modes, p.all[0]
	for _, c := range m.in(m.ways(first.s, candidates)) {
		if len(out) == maxOther {
			break
		}
		other := []*term.Cond{c}
		if first.has(other) {
			other = []*term.Cond{first.s.T.Not(c)}
		}
		sh := newShare(p.l)
		if slices.ContainsFunc(out, func(sh *share) bool { return sh.has(other) }) || !sh.give(m, other) {
			continue
		}
		for _, c := range candidates {
			if sh.has(m.in(c.A.When, c.B.When)) {
				sh.candidates = append(sh.candidates, c)
			}
		}
		out = append(out, sh)
	}
	return out
}

// ways are the conditions of barriers, and those that choose between two numbers of an address. Without a known launch it
// may be the block's size that says whether a barrier is needed.
func (m modes) ways(s *access.Summary, candidates []meet.Candidate) (out []*term.Cond) {
	for _, e := range s.Events {
		if _, ok := e.Stmt.(*ir.Barrier); ok && s.Launch != nil {
			out = append(out, e.When...)
		}
	}
	for _, c := range candidates {
		for _, a := range []*access.Access{c.A, c.B} {
			eachAtom(a.Off, map[*term.Atom]bool{}, func(a *term.Atom) {
				if a.If != nil {
					out = append(out, a.If)
				}
			})
		}
	}
	return out
}

// eachAtom calls f once for each atom of a number, but not for those of the conditions in it. Numbers share their parts.
func eachAtom(p *term.Poly, seen map[*term.Atom]bool, f func(*term.Atom)) {
	for _, t := range p.Terms() {
		for _, a := range t.Mono.Atoms {
			if seen[a] {
				continue
			}
			seen[a] = true
			f(a)
			for _, q := range a.Args {
				eachAtom(q, seen, f)
			}
		}
	}
}

func newShare(l *planner) *share {
	return &share{s: l.s, values: l.assign(numbers{size: natural})}
}

// give looks for values of modes with which conditions hold; it reports whether there are any.
func (sh *share) give(m modes, conds []*term.Cond) bool {
	if !sh.values.repair() {
		return false
	}
	s := *sh.s
	for _, c := range conds {
		switch holds := sh.has([]*term.Cond{c}); {
		case holds && equation(c): // of these numbers, and not of others
			s.Given = append(slices.Clip(s.Given), c)
		case !holds:
			a := sh.solve(m, c)
			if a == nil {
				return false
			}
			s.Given = append(slices.Clip(s.Given), s.T.Eq(s.T.Poly(a), s.T.Const(sh.values.values[a])))
		}
	}
	sh.s = &s
	return sh.has(conds)
}

// equation reports whether a condition says that two numbers are the same, of which none is a constant.
func equation(c *term.Cond) bool {
	if c.Op != term.EqZero {
		return false
	}
	leaves := 0
	c.P.AllLeaves(func(a *term.Atom) {
		if !isFixed(a) {
			leaves++
		}
	})
	return leaves > 1
}

// solve changes one mode such that a condition holds, and returns it; nil if it finds no value.
func (sh *share) solve(m modes, c *term.Cond) (changed *term.Atom) {
	v := sh.values
	c.Walk(func(part *term.Cond) {
		part.P.AllLeaves(func(a *term.Atom) {
			if changed != nil || !m[a] {
				return
			}
			old, _ := v.leaf(a)
			for _, x := range sh.attempts(part.P, a) {
				v.set(a, min(max(x, a.Lo), a.Hi))
				if sh.has([]*term.Cond{c}) {
					changed = a
					return
				}
			}
			v.set(a, old)
		})
	})
	return changed
}

// attempts are values of a mode that is part of p: what makes p zero, small numbers, and those next to the constants in p.
func (sh *share) attempts(p *term.Poly, a *term.Atom) []int64 {
	v := sh.values
	var out []int64
	old, _ := v.leaf(a)
	for _, t := range p.Terms() {
		if len(t.Mono.Atoms) == 1 && unwrapped(t.Mono.Atoms[0]) == a {
			if lack, ok := p.Value(v.leaf); ok {
				out = append(out, old-lack/t.Coef)
			}
		}
	}
	var near []int64
	typ := floatType(a)
	if typ == ir.Void {
		for _, n := range constantsOf(p) {
			near = append(near, n, -n, n-1, n+1, -n-1, -n+1)
		}
	} else {
		p.AllLeaves(func(c *term.Atom) {
			if x, ok := floatConstant(c.Name); ok {
				near = append(near, int64(x)-1, int64(x)+1)
			}
		})
	}
	const small = 8
	for n := range int64(small) {
		near = append(near, n)
	}
	near = append(near, -1)
	if typ == ir.Void {
		return append(out, near...)
	}
	for _, n := range near {
		out = append(out, int64(toBits(typ, float64(n))))
	}
	return out
}

// constantsOf lists the numbers in a term.
func constantsOf(p *term.Poly) []int64 {
	out := []int64{p.Constant()}
	eachAtom(p, map[*term.Atom]bool{}, func(a *term.Atom) {
		for _, q := range a.Args {
			out = append(out, q.Constant())
		}
	})
	return out
}

// has reports whether conditions hold of the numbers of a share.
func (sh *share) has(conds []*term.Cond) bool {
	return !slices.ContainsFunc(conds, func(c *term.Cond) bool {
		holds, ok := c.Holds(sh.values.leaf)
		return !ok || !holds
	})
}

// in lists the conditions, the same for all threads, in which modes have a say.
func (m modes) in(all ...[]*term.Cond) (out []*term.Cond) {
	for _, conds := range all {
		for _, c := range term.Conjuncts(conds) {
			mode, same := false, uniform(c)
			c.Walk(func(c *term.Cond) { c.P.AllLeaves(func(a *term.Atom) { mode = mode || m[a] }) })
			if mode && same {
				out = append(out, c)
			}
		}
	}
	return out
}

// uniform reports whether a condition is the same for all threads, at each time.
func uniform(c *term.Cond) bool { return c.Variance() == term.Grid && c.Loops() == 0 }

// modesOf finds the modes of a kernel.
func modesOf(s *access.Summary) modes {
	f := &finder{s: s, found: modes{}, others: map[*term.Atom]bool{}, seen: map[*term.Atom]bool{}}
	for _, a := range s.Accesses {
		f.conditions(a.When)
		f.numbers(a.Off)
	}
	for _, e := range s.Events {
		f.conditions(e.When)
	}
	for i := range 3 {
		f.numbers(s.Grid[i])
		f.numbers(s.Block[i])
	}
	for a := range f.others {
		delete(f.found, a)
	}
	return f.found
}

// finder looks for modes, and for others that cannot be any.
type finder struct {
	s      *access.Summary
	found  modes
	others map[*term.Atom]bool
	seen   map[*term.Atom]bool // in numbers
}

func (f *finder) conditions(all []*term.Cond) {
	for _, c := range all {
		c.Walk(func(part *term.Cond) {
			if !uniform(part) {
				f.numbers(part.P)
				return
			}
			part.P.AllLeaves(func(a *term.Atom) {
				// Without a known launch it may be the block's size that is compared.
				if f.passed(a) && (part.Op != term.LeZero || f.s.Launch != nil) {
					f.found[a] = true
				} else {
					f.others[a] = true
				}
			})
		})
	}
}

// numbers notes what a number is made of, but for what only chooses between two of them.
func (f *finder) numbers(p *term.Poly) {
	eachAtom(p, f.seen, func(a *term.Atom) {
		if a.If != nil {
			f.conditions([]*term.Cond{a.If})
		}
		if len(a.Args) == 0 || a.Kind == term.Func {
			f.others[a] = true
		}
	})
}

// passed reports whether a value is one that the caller passes, or has left in memory at one place, the same for the whole
// launch.
func (f *finder) passed(a *term.Atom) bool {
	if a.Variance != term.Grid || a.Loops != 0 || isFixed(a) || f.leftByLoop(a) {
		return false
	}
	if base := access.AddressOf(a); base != nil {
		return base.Param != nil
	}
	_, word := f.s.Words[a]
	return word || len(a.Args) == 0
}

// leftByLoop reports whether a value is what a loop of the kernel has left in a register: nobody chooses that.
func (f *finder) leftByLoop(a *term.Atom) bool {
	r, ok := a.Ref.(*ir.Reg)
	return ok && slices.Contains(f.s.Func.Regs, r)
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
