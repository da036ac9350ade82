package witness

import (
	"slices"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

// This file says when an update of what a list names is one of each item by itself, and no sum that threads make together.

// ofListed reports whether an access is part of such an update. `x[i] += v[i] * dt` with `i = active[t]` moves each item of a list
// by what is known of the item: who lists one twice has made a mistake in the list. So has who lists one twice whose new value is no
// sum with the old one, as `u[i] = 0.5f * u[i]`, or who exchanges two elements. But `sum[label[t]] += v[t]` brings something of each thread's own, and
// `count[label[t]]++` that there is one: labels repeat.
func ofListed(s *access.Summary, a *access.Access, kind race.Kind) bool {
	name := nameOf(s, a.Off, kind)
	if name == nil || a.Base.Space == ir.Shared {
		return false
	}
	u := updated{s: s, name: name, defs: map[*ir.Reg][]ir.Stmt{}}
	ir.WalkStmts(s.Func.Body, func(st ir.Stmt) bool {
		for _, r := range ir.Defs(st) {
			u.defs[r] = append(u.defs[r], st)
		}
		return true
	})
	if u.itself(a) {
		return true
	}
	return slices.ContainsFunc(s.Accesses, func(w *access.Access) bool { // then each item is there once, whatever else is done to it
		st, ok := w.Stmt.(*ir.Store)
		if !ok || w.Base.Space == ir.Shared || nameOf(s, w.Off, kind) != name {
			return false
		}
		of := u
		of.at = w
		m := of.madeOf(st.X)
		return !m.unknown && m.old && !m.summed && !m.scaled
	})
}

// itself reports whether all that is stored in a place of an item is given to it by itself, but for what is the same for all.
func (u updated) itself(a *access.Access) (found bool) {
	u.at = a
	for _, w := range u.s.Accesses {
		if !w.Writes() || w.Base != a.Base || !w.Off.Equal(a.Off) {
			continue
		}
		st, ok := w.Stmt.(*ir.Store)
		switch {
		case ok && u.byItself(st, w):
			found = true
		case ok && w.Value != nil && w.Value.Variance() == term.Grid && w.Value.Loops() == 0:
		default:
			return false
		}
	}
	return found
}

// nameOf is the number in memory that says of which item a place is, if a thread, or a block where blocks race, reads it at a place of its own.
func nameOf(s *access.Summary, off *term.Poly, kind race.Kind) (name *term.Atom) {
	ok := true
	off.AllLeaves(func(x *term.Atom) {
		switch {
		case !access.IsContents(x):
			ok = ok && x.Kind != term.Result && x.Kind != term.Opaque
		case name != nil && name != x:
			ok = false
		default:
			name = x
		}
	})
	least := term.Thread
	if kind == race.InterBlock {
		least = term.Block
	}
	if !ok || name == nil || name.Args[0].Variance() < least || !dealtOut(s, name.Args[0]) {
		return nil
	}
	return name
}

// dealtOut reports whether rounds of a loop take all threads of the grid on by as many elements as there are threads, if a place hangs on any.
func dealtOut(s *access.Summary, place *term.Poly) bool {
	t, ok := s.T, true
	place.AllLeaves(func(x *term.Atom) {
		if x.Kind != term.Iter {
			return
		}
		step := t.Sub(place, t.Substitute(place, x, t.Offset(t.Poly(x), -1)))
		blocks := t.Exactly(step, s.Grid[0])
		ok = ok && blocks != nil && (t.Exactly(blocks, s.Block[0]) != nil || s.BlockIdx[0].IsAtom() != nil && !place.MadeOf(s.ThreadIdx[0].IsAtom()))
	})
	return ok
}

// leavesBut calls f for each leaf of a number, but for those of one function in it.
func leavesBut(p *term.Poly, but *term.Atom, f func(*term.Atom)) {
	for _, m := range p.Terms() {
		for _, x := range m.Mono.Atoms {
			if x == but {
				continue
			}
			if len(x.Args) == 0 || x.Kind == term.Func {
				f(x)
			}
			for _, arg := range x.Args {
				leavesBut(arg, but, f)
			}
		}
	}
}

// updated is a place that a name in memory leads to.
type updated struct {
	s    *access.Summary
	at   *access.Access
	name *term.Atom
	deep int
	defs map[*ir.Reg][]ir.Stmt
}

// byItself reports whether a store gives an item a value that other threads have no share in.
func (u *updated) byItself(st *ir.Store, w *access.Access) bool {
	m := u.madeOf(st.X)
	if m.unknown {
		return false
	}
	switch {
	case m.summed:
		return m.foreign == 0 && m.items > 0
	case m.scaled:
		return m.foreign == 0
	case m.old:
		return true
	}
	return u.exchanged(st, w)
}

// role says how a part of a value makes the whole.
type role int

const (
	entire role = iota
	addend
	factor
	other
)

// making is what goes into a value.
type making struct {
	old     bool // what has been in the place goes into it
	summed  bool // and the value is a sum with that, or the greater of both
	scaled  bool // and it is a product with that
	items   int  // how much is known of the item
	foreign int  // how much is not, but of the thread
	unknown bool
}

func (u *updated) madeOf(x ir.Expr) (m making) {
	type visit struct {
		r  *ir.Reg
		as role
	}
	seen := map[visit]bool{}
	var walk func(x ir.Expr, as role)
	walk = func(x ir.Expr, as role) {
		switch x := x.(type) {
		case *ir.RegRef:
			if seen[visit{x.R, as}] {
				return
			}
			seen[visit{x.R, as}] = true
			for _, d := range u.defs[x.R] {
				switch d := d.(type) {
				case *ir.Assign:
					walk(d.X, as)
				case *ir.Load:
					u.loaded(d, as, &m)
				default:
					m.foreign++
				}
			}
		case *ir.Builtin:
			if x.Var == ir.ThreadIdx || x.Var == ir.BlockIdx || x.Var == ir.LaneID || x.Var == ir.WarpID {
				m.foreign++
			}
		case *ir.Convert:
			walk(x.X, as)
		case *ir.Unary:
			walk(x.X, other)
		case *ir.Binary:
			part := other
			switch x.Op {
			case ir.Mul, ir.Div:
				if as == entire || as == factor {
					part = factor
				}
			case ir.Add, ir.Sub, ir.Min, ir.Max, ir.And, ir.Or, ir.Xor:
				if as == entire || as == addend {
					part = addend
				}
			}
			walk(x.X, part)
			walk(x.Y, part)
		case *ir.Select:
			walk(x.Cond, other)
			walk(x.X, as)
			walk(x.Y, as)
		case *ir.Call:
			part := other
			if as == entire || as == addend {
				part = addend // fmin, fma
			}
			for _, arg := range x.Args {
				walk(arg, part)
			}
		}
	}
	walk(x, entire)
	return m
}

// loaded counts what a load brings.
func (u *updated) loaded(l *ir.Load, as role, m *making) {
	if u.isOld(l) {
		m.old = true
		m.summed = m.summed || as == addend
		m.scaled = m.scaled || as == factor
		return
	}
	found := false
	for _, a := range u.s.Accesses {
		if a.Stmt != l {
			continue
		}
		found = true
		switch {
		case a.Result == u.name:
		case u.foreign(a.Off):
			m.foreign++
		case a.Off.MadeOf(u.name), u.ofWhatItHolds(a.Off):
			m.items++
		}
	}
	m.unknown = m.unknown || !found
}

// isOld reports whether a load reads what has been in the place.
func (u *updated) isOld(l *ir.Load) bool {
	return slices.ContainsFunc(u.s.Accesses, func(a *access.Access) bool { return a.Stmt == l && a.Base == u.at.Base && a.Off.Equal(u.at.Off) })
}

// foreign reports whether a place hangs on which thread, or which block, it is that has taken the item, or on another name in memory
// than what is known of the item.
func (u *updated) foreign(off *term.Poly) bool {
	of := u.name.Args[0].Variance()
	found := false
	leavesBut(off, u.name, func(x *term.Atom) {
		switch {
		case x.Variance == term.Grid:
		case access.IsContents(x):
			found = found || u.deep > mostDeep || u.deeper(x.Args[0])
		case x.Kind == term.Result, x.Kind == term.Opaque:
			l, ok := x.Ref.(*ir.Load)
			found = found || !ok || u.deep > mostDeep || slices.ContainsFunc(u.s.Accesses, func(a *access.Access) bool { return a.Stmt == l && u.deeper(a.Off) })
		case of == term.Block:
			found = found || x.Variance == term.Block
		default:
			found = true
		}
	})
	return found
}

// ofWhatItHolds reports whether a place is one of which the item tells, as the cell where it is.
func (u *updated) ofWhatItHolds(off *term.Poly) (yes bool) {
	leavesBut(off, u.name, func(x *term.Atom) {
		yes = yes || x.Variance > term.Grid && (x.Kind == term.Result || x.Kind == term.Opaque || access.IsContents(x))
	})
	return yes
}

// mostDeep bounds how often a place of which memory tells is followed.
const mostDeep = 3

func (u *updated) deeper(off *term.Poly) bool {
	u.deep++
	defer func() { u.deep-- }()
	return u.foreign(off)
}

// exchanged reports whether two elements that memory names are exchanged: each gets what was in the other.
func (u *updated) exchanged(st *ir.Store, w *access.Access) bool {
	from := u.copied(st)
	return from != nil && slices.ContainsFunc(u.s.Accesses, func(other *access.Access) bool {
		back, ok := other.Stmt.(*ir.Store)
		if !ok || other == w || other.Base != w.Base || !other.Off.Equal(from.Off) || !slices.EqualFunc(other.When, w.When, func(c, d *term.Cond) bool { return c == d }) {
			return false
		}
		to := u.copied(back)
		return to != nil && to.Off.Equal(w.Off)
	})
}

// copied is the read of the same memory whose value a store writes, nil if there is none.
func (u *updated) copied(st *ir.Store) *access.Access {
	of, ok := st.X.(*ir.RegRef)
	for ok {
		defs := u.defs[of.R]
		if len(defs) != 1 {
			return nil
		}
		switch d := defs[0].(type) {
		case *ir.Assign:
			of, ok = d.X.(*ir.RegRef)
		case *ir.Load:
			i := slices.IndexFunc(u.s.Accesses, func(a *access.Access) bool { return a.Stmt == d && a.Base == u.at.Base })
			if i < 0 {
				return nil
			}
			return u.s.Accesses[i]
		default:
			return nil
		}
	}
	return nil
}
