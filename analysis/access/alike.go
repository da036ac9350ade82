package access

import (
	"fmt"
	"slices"

	"github.com/warplint/warplint/analysis/term"
)

// This file finds launches that differ in the names of their numbers and buffers only, as those of one kernel
// for the planes of an image. What is shown of one holds of the others.

// Shape is a text that two launches of a kernel share only if they are alike: what is known of their
// dimensions, arguments and memory is the same, but for names, and for what happened before.
func (l *Launch) Shape() string {
	w := &launchShape{memory: map[*Base]int64{}}
	w.Shape = term.NewShape(w.atom)
	for i := range 3 {
		w.Poly(l.Grid[i])
		w.Poly(l.Block[i])
		w.Bools(wholeDim3(l.Grid, i), wholeDim3(l.Block, i))
	}
	for _, a := range l.Args {
		w.value(a)
	}
	for _, h := range slices.Concat(l.held, l.constants) {
		w.value(h.In)
		w.value(h.To)
	}
	for _, c := range l.When {
		w.Cond(c)
	}
	w.Bools(l.Sizes)
	return w.String()
}

// launchShape counts buffers as they come.
type launchShape struct {
	*term.Shape
	memory map[*Base]int64
}

func (w *launchShape) value(v Value) {
	w.Poly(v.P)
	w.Cond(v.Truth)
	w.base(v.Base)
}

// atom writes all that is known of a number.
func (w *launchShape) atom(a *term.Atom) {
	w.Ints(int64(a.Kind), a.Lo, a.Hi, int64(a.Variance), int64(a.Loops), int64(a.Side), int64(len(a.Args)))
	w.Text(fmt.Sprintf("%T", a.Ref))
	w.Bools(a.Power, a.Carried)
	if len(a.Args) > 0 || a.Kind == term.Func {
		w.Text(a.Name)
	}
	for _, p := range a.Args {
		w.Poly(p)
	}
	w.Cond(a.If)
	w.Poly(a.Halved)
	w.Poly(a.First)
}

func (w *launchShape) base(b *Base) {
	if b == nil {
		w.Ints(-1)
		return
	}
	n, known := w.memory[b]
	if !known {
		n = int64(len(w.memory))
		w.memory[b] = n
	}
	w.Ints(n)
	if known {
		return
	}
	w.Ints(int64(b.Space), int64(len(b.Either)))
	w.Text(fmt.Sprintf("%p", b.Object))
	w.Bools(b.Param != nil, b.Alloc != nil)
	w.Poly(b.Pointer)
	w.Poly(b.Remote)
	for _, alt := range b.Either {
		w.Cond(alt.When)
		w.value(alt.To)
	}
}
