package prove

import (
	"encoding/binary"

	"github.com/warplint/warplint/analysis/term"
)

// This file keeps answers by the shape of their questions.
//
// DESIGN. A kernel asks the same thing many times in other names: of each of its launches, of each pair of
// statements that touch the same places, of each datum that a branch looks at. What is shown of numbers holds of
// any others that are bounded and related alike. So a question is written down with its numbers counted
// as they come, each with all that the solver looks at, its axioms included, and asked once.

// Answers are the answers to questions that were asked, by their shape. It is for one goroutine.
type Answers struct{ of map[string]answer }

type answer struct{ unsat, assumable bool }

// NewAnswers returns a memory without any.
func NewAnswers() *Answers { return &Answers{map[string]answer{}} }

// The ways of asking, besides the algebra's, which are its budgets.
const (
	byBits     = -1
	byBitsSoon = -2
	bySecond   = -3
)

// once answers a question, which is asked only if none of its shape was. how tells the ways of asking apart.
func (s *Solver) once(how int, conds []*term.Cond, ask func() bool) bool {
	if s.Answers == nil {
		return ask()
	}
	key := s.shape(how, conds)
	known, ok := s.Answers.of[key]
	if !ok {
		before := s.Assumable
		s.Assumable = false
		known.unsat = ask()
		known.assumable = s.Assumable
		s.Assumable = before
		if s.ctx.Err() == nil {
			s.Answers.of[key] = known
		}
	}
	s.Assumable = s.Assumable || known.assumable
	return known.unsat
}

// shape writes a question so that two that differ in names only are written alike.
func (s *Solver) shape(how int, conds []*term.Cond) string {
	w := &shapeWriter{algebra: how >= 0, out: make([]byte, 0, 1024), numbers: map[*term.Atom]int64{}, origins: map[*term.Atom]int64{}}
	w.int(int64(how))
	w.int(int64(s.Rows))
	for _, c := range conds {
		w.cond(c)
	}
	for i := 0; i < len(w.atoms); i++ {
		a := w.atoms[i]
		if s.Rows != NoRows {
			w.bool(s.Extents[a])
		}
		if s.Axioms != nil {
			for _, c := range s.Axioms(a) {
				w.cond(c)
			}
		}
		w.out = append(w.out, '\n')
	}
	return string(w.out)
}

type shapeWriter struct {
	algebra bool // to which an unknown function is a number like any other
	out     []byte
	numbers map[*term.Atom]int64
	origins map[*term.Atom]int64 // of which numbers are copies
	atoms   []*term.Atom         // by their numbers
}

func (w *shapeWriter) int(x int64) { w.out = binary.AppendVarint(w.out, x) }

func (w *shapeWriter) bool(b bool) {
	if b {
		w.int(1)
	} else {
		w.int(0)
	}
}

func (w *shapeWriter) cond(c *term.Cond) {
	if c == nil {
		w.int(-1)
		return
	}
	w.int(int64(c.Op))
	w.poly(c.P)
	w.int(int64(len(c.Args)))
	for _, arg := range c.Args {
		w.cond(arg)
	}
}

func (w *shapeWriter) poly(p *term.Poly) {
	if p == nil {
		w.int(-1)
		return
	}
	w.int(int64(len(p.Terms())))
	for _, x := range p.Terms() {
		w.int(x.Coef)
		w.int(int64(len(x.Mono.Atoms)))
		for _, a := range x.Mono.Atoms {
			w.atom(a)
		}
	}
}

// atom writes a number's number, and what there is to know of it where it comes first.
func (w *shapeWriter) atom(a *term.Atom) {
	n, known := w.numbers[a]
	if known {
		w.int(n)
		return
	}
	n = int64(len(w.atoms))
	w.int(n)
	w.numbers[a] = n
	w.atoms = append(w.atoms, a)
	origin, known := w.origins[a.Origin()]
	if !known {
		origin = int64(len(w.origins))
		w.origins[a.Origin()] = origin
	}
	for _, x := range []int64{origin, int64(a.Kind), a.Lo, a.Hi, int64(a.Variance), int64(a.Side)} {
		w.int(x)
	}
	w.bool(a.Loops != 0)
	w.bool(a.Power)
	w.bool(a.Ref != nil)
	if w.algebra && a.Kind == term.Func {
		return
	}
	w.int(int64(len(a.Args)))
	if len(a.Args) > 0 {
		w.out = append(append(w.out, a.Name...), 0)
	}
	for _, p := range a.Args {
		w.poly(p)
	}
	w.cond(a.If)
	w.poly(a.Halved)
}
