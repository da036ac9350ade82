package access

import (
	"fmt"
	"strings"

	"github.com/warplint/warplint/analysis/term"
)

// This file finds launches that differ in the names of their numbers and buffers only, as those of one kernel
// for the planes of an image. What is shown of one holds of the others.

// Shape is a text that two launches of a kernel share only if they are alike: what is known of their
// dimensions, arguments and memory is the same, but for names, and for what happened before.
func (l *Launch) Shape() string {
	w := &shapeWriter{numbers: map[*term.Atom]int{}, memory: map[*Base]int{}}
	for i := range 3 {
		w.poly(l.Grid[i])
		w.poly(l.Block[i])
		fmt.Fprint(&w.out, wholeDim3(l.Grid, i), wholeDim3(l.Block, i))
	}
	for _, a := range l.Args {
		w.value(a)
	}
	for _, c := range l.When {
		w.cond(c)
	}
	fmt.Fprint(&w.out, l.Sizes)
	return w.out.String()
}

// shapeWriter counts numbers and buffers as they come.
type shapeWriter struct {
	out     strings.Builder
	numbers map[*term.Atom]int
	memory  map[*Base]int
}

func (w *shapeWriter) value(v Value) {
	w.poly(v.P)
	w.cond(v.Truth)
	w.base(v.Base)
}

func (w *shapeWriter) poly(p *term.Poly) {
	if p == nil {
		w.out.WriteByte('-')
		return
	}
	for _, x := range p.Terms() {
		fmt.Fprintf(&w.out, "%+d", x.Coef)
		for _, a := range x.Mono.Atoms {
			w.atom(a)
		}
	}
	w.out.WriteByte(';')
}

func (w *shapeWriter) cond(c *term.Cond) {
	if c == nil {
		w.out.WriteByte('-')
		return
	}
	fmt.Fprintf(&w.out, "?%d(", c.Op)
	w.poly(c.P)
	for _, a := range c.Args {
		w.cond(a)
	}
	w.out.WriteByte(')')
}

func (w *shapeWriter) atom(a *term.Atom) {
	n, known := w.numbers[a]
	if !known {
		n = len(w.numbers)
		w.numbers[a] = n
	}
	fmt.Fprintf(&w.out, "*%d", n)
	if known {
		return
	}
	fmt.Fprintf(&w.out, "[%d %d %d %d %d %d %T %t %t", a.Kind, a.Lo, a.Hi, a.Variance, a.Loops, a.Side, a.Ref, a.Power, a.Carried)
	if len(a.Args) > 0 || a.Kind == term.Func {
		w.out.WriteString(a.Name)
	}
	for _, p := range a.Args {
		w.poly(p)
	}
	w.cond(a.If)
	w.poly(a.Halved)
	w.poly(a.First)
	w.out.WriteByte(']')
}

func (w *shapeWriter) base(b *Base) {
	if b == nil {
		w.out.WriteByte('-')
		return
	}
	n, known := w.memory[b]
	if !known {
		n = len(w.memory)
		w.memory[b] = n
	}
	fmt.Fprintf(&w.out, "@%d", n)
	if known {
		return
	}
	fmt.Fprintf(&w.out, "{%d %p %t %t", b.Space, b.Object, b.Param != nil, b.Alloc != nil)
	w.poly(b.Pointer)
	w.poly(b.Remote)
	for _, alt := range b.Either {
		w.cond(alt.When)
		w.value(alt.To)
	}
	w.out.WriteByte('}')
}
