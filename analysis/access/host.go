package access

import (
	"context"
	"slices"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/term"
)

// This file runs host functions, each once for all the kernels that it launches.

// Host is what a host function launches, on terms of a table of its own. It is immutable.
type Host struct {
	f        *ir.Func
	launches []*Launch
	// atoms are the numbers that the launches of a kernel speak of.
	atoms map[*ir.Func]map[*term.Atom]bool
}

// RunHost runs a host function on an empty table.
func RunHost(ctx context.Context, t *term.Table, f *ir.Func) *Host {
	x := newExecutor(ctx, t, f, true, nil)
	x.record = true
	x.run(f.Body)
	x.tellEarlier()
	h := &Host{f: f, atoms: map[*ir.Func]map[*term.Atom]bool{}}
	for _, l := range x.launches {
		h.launches = append(h.launches, x.cases(l)...)
	}
	for _, l := range h.launches {
		x.keepRelevant(l)
		if h.atoms[l.Stmt.Kernel] == nil {
			h.atoms[l.Stmt.Kernel] = map[*term.Atom]bool{}
		}
		l.terms(func(p *term.Poly) { term.Collect(p, h.atoms[l.Stmt.Kernel]) })
	}
	return h
}

// Of returns the same run as one of a function that prints alike, and launches kernels with the same effects.
func (h *Host) Of(f *ir.Func) *Host {
	out := &Host{f: f, atoms: map[*ir.Func]map[*term.Atom]bool{}}
	now, all := map[*ir.Launch]*ir.Launch{}, slices.Collect(ir.All[*ir.Launch](f.Body))
	for l := range ir.All[*ir.Launch](h.f.Body) {
		now[l] = all[len(now)]
		out.atoms[now[l].Kernel] = h.atoms[l.Kernel]
	}
	for _, l := range h.launches {
		again := *l
		again.Stmt = now[l.Stmt]
		out.launches = append(out.launches, &again)
	}
	return out
}

// Launches returns the launches of a kernel in the order of the text, on terms of the kernel's table.
func (h *Host) Launches(t *term.Table, kernel *ir.Func) []*Launch {
	m := mover{terms: term.NewTransfer(t), bases: map[*Base]*Base{}}
	m.terms.Atoms(h.atoms[kernel])
	var out []*Launch
	for _, l := range h.launches {
		if l.Stmt.Kernel == kernel {
			out = append(out, m.launch(l))
		}
	}
	return out
}

// numbers calls f for each polynomial of a launch's dimensions and arguments, but not for those that tell
// where its pointers lead.
func (l *Launch) numbers(f func(*term.Poly)) {
	for i := range 3 {
		f(l.Grid[i])
		f(l.Block[i])
	}
	for _, v := range l.Args {
		v.numbers(f)
	}
	for _, h := range l.constants {
		h.To.numbers(f)
	}
}

// terms calls f for each polynomial of a launch.
func (l *Launch) terms(f func(*term.Poly)) {
	l.numbers(f)
	seen := map[*Base]bool{}
	for _, v := range l.Args {
		v.Base.terms(f, seen)
	}
	for _, h := range slices.Concat(l.held, l.constants) {
		h.In.terms(f, seen)
		h.To.terms(f, seen)
	}
	for _, c := range l.When {
		c.Walk(func(c *term.Cond) { f(c.P) })
	}
}

func (v Value) numbers(f func(*term.Poly)) {
	if v.P != nil {
		f(v.P)
	}
	if v.Truth != nil {
		v.Truth.Walk(func(c *term.Cond) { f(c.P) })
	}
}

func (v Value) terms(f func(*term.Poly), seen map[*Base]bool) {
	v.numbers(f)
	v.Base.terms(f, seen)
}

// terms calls f for each polynomial that tells what memory it is.
func (b *Base) terms(f func(*term.Poly), seen map[*Base]bool) {
	if b == nil || seen[b] {
		return
	}
	seen[b] = true
	for _, p := range []*term.Poly{b.Pointer, b.Remote} {
		if p != nil {
			f(p)
		}
	}
	for _, alt := range b.Either {
		alt.When.Walk(func(c *term.Cond) { f(c.P) })
		alt.To.terms(f, seen)
	}
}

// mover copies launches into another table.
type mover struct {
	terms *term.Transfer
	bases map[*Base]*Base
}

func (m *mover) launch(l *Launch) *Launch {
	out := &Launch{Stmt: l.Stmt, cluster: l.cluster, Sizes: l.Sizes, earlier: l.earlier}
	for i := range 3 {
		out.Grid[i], out.Block[i] = m.terms.Poly(l.Grid[i]), m.terms.Poly(l.Block[i])
	}
	for _, v := range l.Args {
		out.Args = append(out.Args, m.value(v))
	}
	for _, h := range l.held {
		out.held = append(out.held, Held{m.value(h.In), m.value(h.To), h.Type, m.rounds(h.Rounds)})
	}
	for _, h := range l.constants {
		out.constants = append(out.constants, Held{In: m.value(h.In), To: m.value(h.To), Type: h.Type})
	}
	for _, c := range l.When {
		out.When = append(out.When, m.terms.Cond(c))
	}
	return out
}

func (m *mover) rounds(list []*term.Atom) (out []*term.Atom) {
	for _, a := range list {
		out = append(out, m.terms.Atom(a))
	}
	return out
}

func (m *mover) value(v Value) Value {
	if v.P != nil {
		v.P = m.terms.Poly(v.P)
	}
	if v.Truth != nil {
		v.Truth = m.terms.Cond(v.Truth)
	}
	v.Base = m.base(v.Base)
	return v
}

// base copies what has terms in it; memory that has none is the same in all tables.
func (m *mover) base(b *Base) *Base {
	if b == nil || b.Pointer == nil && b.Remote == nil && b.Either == nil {
		return b
	}
	if c, ok := m.bases[b]; ok {
		return c
	}
	c := *b
	m.bases[b] = &c
	if b.Pointer != nil {
		c.Pointer = m.terms.Poly(b.Pointer)
	}
	if b.Remote != nil {
		c.Remote = m.terms.Poly(b.Remote)
	}
	c.Either = slices.Clone(b.Either)
	for i, alt := range c.Either {
		c.Either[i] = Alternative{m.terms.Cond(alt.When), m.value(alt.To)}
	}
	return &c
}
