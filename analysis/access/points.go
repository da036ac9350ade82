package access

import (
	"slices"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/term"
)

// This file gives values to pointers that may point into one of several objects: by conditions where
// it is known when into which, else into any of those that the prepass has found (prepass.go).

// eitherBase is the memory of a pointer that has one of two values.
func (x *executor) eitherBase(c *term.Cond, a, b Value) *Base {
	var all []Alternative
	add := func(when *term.Cond, v Value) {
		if len(v.Base.Either) == 0 {
			all = append(all, Alternative{when, v})
			return
		}
		for _, alt := range v.Base.Either {
			to := Value{P: x.t.Add(v.P, alt.To.P), Base: alt.To.Base}
			all = append(all, Alternative{term.Conj(when, alt.When), to})
		}
	}
	add(c, a)
	add(x.t.Not(c), b)
	return &Base{Name: a.Base.Name + " or " + b.Base.Name, Space: a.Base.Space, Either: all}
}

// overAlternatives applies a function to each of the places that a pointer may point to; ok is false if
// it has no value for one of them.
func (x *executor) overAlternatives(v Value, typ ir.Type, apply func(Value) (Value, bool)) (out Value, ok bool) {
	for i := len(v.Base.Either) - 1; i >= 0; i-- {
		alt := v.Base.Either[i]
		one, ok := apply(Value{P: x.t.Add(v.P, alt.To.P), Base: alt.To.Base})
		if !ok {
			return Value{}, false
		}
		if i == len(v.Base.Either)-1 {
			out = one
		} else {
			out = x.choose(alt.When, one, out, typ)
		}
	}
	return out, true
}

// oneOf is a pointer into one of the objects of a set, nobody knows into which and where. Of memory that
// is read for the first time only the pointer itself is known.
func (x *executor) oneOf(name string, set rootSet, v term.Variance, ref any) Value {
	bases := x.basesOf(set)
	if set.has(unknownRoot) || set.has(outsideRoot) || len(bases) == 0 {
		bases = append(bases, x.opaque(name, v, ir.Ptr, ref).Base)
	}
	if len(bases) == 1 && bases[0].Pointer != nil {
		return Value{P: x.t.Const(0), Base: bases[0]}
	}
	anywhere := func(b *Base) Value {
		return Value{P: x.t.Poly(x.t.Fresh(term.Opaque, name, term.NoLo, term.NoHi, v, x.loopBits(), ref)), Base: b}
	}
	which := x.t.Poly(x.t.Fresh(term.Opaque, "which object "+name+" points to", 0, int64(len(bases)-1), v, x.loopBits(), ref))
	out := anywhere(bases[len(bases)-1])
	for i := len(bases) - 2; i >= 0; i-- {
		out = x.choose(x.t.Eq(which, x.t.Const(int64(i))), anywhere(bases[i]), out, ir.Ptr)
	}
	return out
}

// basesOf lists the known memory of a set in the order of the program.
func (x *executor) basesOf(set rootSet) []*Base {
	var out []*Base
	add := func(b *Base) {
		for _, one := range b.all() {
			if !slices.Contains(out, one) {
				out = append(out, one)
			}
		}
	}
	for _, p := range x.f.Params {
		bound := x.flow.bound[p]
		if set.has(p) || slices.ContainsFunc(bound, func(b *Base) bool { return set.has(b) }) {
			add(x.param(p).Base)
		}
	}
	for _, o := range x.f.Objects {
		if set.has(o) {
			add(x.objectBase(o))
		}
	}
	for a := range ir.All[*ir.Alloc](x.f.Body) {
		if set.has(a) && x.allocs[a] != nil {
			add(x.allocs[a])
		}
	}
	return out
}
