package term

import (
	"fmt"
	"strings"
)

// This file writes terms for people. Terms share what they are made of, so that a small one may be
// without end when it is written out: the text is cut.

// maxText is the length of a text, in bytes, at which it is cut.
const maxText = 8 << 10

func (p *Poly) String() string { return written(func(w *writer) { w.poly(p) }) }
func (a *Atom) String() string { return written(func(w *writer) { w.atom(a) }) }
func (m *Mono) String() string { return written(func(w *writer) { w.mono(m) }) }
func (c *Cond) String() string { return written(func(w *writer) { w.cond(c) }) }

func written(write func(*writer)) string {
	w := &writer{}
	write(w)
	return w.String()
}

type writer struct {
	strings.Builder
	cut bool
}

// full reports whether the text has come to its end, and says so in the text.
func (w *writer) full() bool {
	if !w.cut && w.Len() > maxText {
		w.cut = true
		w.WriteString("…")
	}
	return w.cut
}

// list writes n things with a separator between them.
func (w *writer) list(n int, separator string, write func(i int)) {
	for i := range n {
		if w.full() {
			return
		}
		if i > 0 {
			w.WriteString(separator)
		}
		write(i)
	}
}

func (w *writer) poly(p *Poly) {
	if len(p.terms) == 0 {
		w.WriteString("0")
	}
	for i, t := range p.terms {
		if w.full() {
			return
		}
		c := t.Coef
		switch {
		case i > 0 && c < 0:
			w.WriteString(" - ")
			c = -c
		case i > 0:
			w.WriteString(" + ")
		case c < 0:
			w.WriteString("-")
			c = -c
		}
		switch {
		case len(t.Mono.Atoms) == 0:
			fmt.Fprint(w, c)
		case c == 1:
			w.mono(t.Mono)
		default:
			fmt.Fprintf(w, "%d*", c)
			w.mono(t.Mono)
		}
	}
}

func (w *writer) mono(m *Mono) {
	if len(m.Atoms) == 0 {
		w.WriteString("1")
	}
	w.list(len(m.Atoms), "*", func(i int) { w.atom(m.Atoms[i]) })
}

func (w *writer) atom(a *Atom) {
	switch a.Kind {
	case Div, Rem, Min, Max, Func, Wrap:
		w.WriteString(a.Name + "(")
		w.list(len(a.Args), ", ", func(i int) { w.poly(a.Args[i]) })
		w.WriteString(")")
	case Select:
		w.WriteString("(")
		w.cond(a.If)
		w.WriteString(" ? ")
		w.poly(a.Args[0])
		w.WriteString(" : ")
		w.poly(a.Args[1])
		w.WriteString(")")
	default:
		w.WriteString(a.Name)
	}
	if a.Side != 0 && len(a.Args) == 0 {
		fmt.Fprintf(w, "@%d", a.Side)
	}
}

func (w *writer) cond(c *Cond) {
	switch c.Op {
	case True:
		w.WriteString("true")
	case False:
		w.WriteString("false")
	case LeZero:
		w.poly(c.P)
		w.WriteString(" <= 0")
	case EqZero:
		w.poly(c.P)
		w.WriteString(" == 0")
	case NeZero:
		w.poly(c.P)
		w.WriteString(" != 0")
	default:
		separator := " && "
		if c.Op == Or {
			separator = " || "
		}
		w.WriteString("(")
		w.list(len(c.Args), separator, func(i int) { w.cond(c.Args[i]) })
		w.WriteString(")")
	}
}
