package access

import (
	"slices"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/term"
)

// This file knows pointers that a loop exchanges now and then, as those to the two buffers of an iterative
// solver within another loop: nobody knows how often, but while one of them points to the first buffer
// the other points to the second.

// exchange fixes pairs of pointers that each iteration leaves as they are or exchanges. It reports whether
// there was one.
func (x *executor) exchange(st *state, l *Loop, symbols map[*ir.Reg]Value, end *state, fixed map[*ir.Reg]Value) bool {
	defer x.within(l)()
	var moved []*ir.Reg
	for _, r := range x.flow.assigned[l.Stmt] {
		if sym, ok := symbols[r]; ok && r.Type == ir.Ptr && end.regs.of(r) != sym {
			moved = append(moved, r)
		}
	}
	found := false
	for i, r := range moved {
		for _, s := range moved[i+1:] {
			if !areExchanged(end.regs.of(r), end.regs.of(s), symbols[r], symbols[s]) {
				continue
			}
			t, first, second := x.t, st.regs.of(r), st.regs.of(s)
			which := t.Fresh(term.Opaque, "which of two "+r.Name+" is", 0, 1, max(x.flow.variance.Of(r), x.flow.variance.Of(s)), x.loopBits(), r)
			stays := t.Eq(t.Poly(which), t.Const(0))
			fixed[r], fixed[s] = x.choose(stays, first, second, ir.Ptr), x.choose(stays, second, first, ir.Ptr)
			found = true
		}
	}
	return found
}

// areExchanged reports whether two values are in any case what two others were, or those the other way round.
func areExchanged(a, b, first, second Value) bool {
	as, bs := alternatives(a, first, second), alternatives(b, first, second)
	if len(as) == 0 || len(as) != len(bs) {
		return false
	}
	for _, p := range as {
		same := slices.ContainsFunc(bs, func(q Alternative) bool {
			return p.When.Same(q.When) && (p.To == first && q.To == second || p.To == second && q.To == first)
		})
		if !same {
			return false
		}
	}
	return true
}

// alternatives lists the places that a pointer may point to; what is one of two values is that value.
func alternatives(v, first, second Value) []Alternative {
	is := func(p *term.Poly, b *Base) (Value, bool) {
		for _, w := range []Value{first, second} {
			if w.Base == b && w.P.Equal(p) {
				return w, true
			}
		}
		return Value{}, false
	}
	if w, ok := is(v.P, v.Base); ok {
		return []Alternative{{When: term.Always(), To: w}}
	}
	var out []Alternative
	if zero, ok := v.P.IsConst(); v.Base == nil || !ok || zero != 0 {
		return out
	}
	for _, alt := range v.Base.Either {
		w, ok := is(alt.To.P, alt.To.Base)
		if !ok {
			return nil
		}
		out = append(out, Alternative{alt.When, w})
	}
	return out
}
