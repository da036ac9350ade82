package term

import "encoding/binary"

// This file writes values so that those which differ in names only are written alike.

// Shape writes polynomials and conditions, with their atoms counted as they come.
type Shape struct {
	// Atoms are those that were written, by their numbers.
	Atoms []*Atom

	out     []byte
	numbers map[*Atom]int64
	about   func(*Atom)
}

// NewShape returns an empty shape. About is called where an atom stands for the first time, and writes what there is
// to know of it.
func NewShape(about func(*Atom)) *Shape {
	return &Shape{out: make([]byte, 0, 1024), numbers: map[*Atom]int64{}, about: about}
}

// String is what was written.
func (w *Shape) String() string { return string(w.out) }

// Ints writes numbers.
func (w *Shape) Ints(list ...int64) {
	for _, x := range list {
		w.out = binary.AppendVarint(w.out, x)
	}
}

// Bools writes truth values.
func (w *Shape) Bools(list ...bool) {
	for _, b := range list {
		if b {
			w.Ints(1)
		} else {
			w.Ints(0)
		}
	}
}

// Text writes a text that has no zero byte.
func (w *Shape) Text(s string) { w.out = append(append(w.out, s...), 0) }

// Cond writes a condition, which may be nil.
func (w *Shape) Cond(c *Cond) {
	if c == nil {
		w.Ints(-1)
		return
	}
	w.Ints(int64(c.Op))
	w.Poly(c.P)
	w.Ints(int64(len(c.Args)))
	for _, arg := range c.Args {
		w.Cond(arg)
	}
}

// Poly writes a polynomial, which may be nil.
func (w *Shape) Poly(p *Poly) {
	if p == nil {
		w.Ints(-1)
		return
	}
	w.Ints(int64(len(p.terms)))
	for _, x := range p.terms {
		w.Ints(x.Coef, int64(len(x.Mono.Atoms)))
		for _, a := range x.Mono.Atoms {
			w.atom(a)
		}
	}
}

func (w *Shape) atom(a *Atom) {
	n, known := w.numbers[a]
	if !known {
		n = int64(len(w.Atoms))
		w.numbers[a] = n
		w.Atoms = append(w.Atoms, a)
	}
	w.Ints(n)
	if !known {
		w.about(a)
	}
}
