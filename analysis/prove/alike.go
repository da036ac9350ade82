package prove

import (
	"slices"

	"github.com/warplint/warplint/analysis/prove/bits"
	"github.com/warplint/warplint/analysis/term"
)

// This file keeps answers by the shape of their questions.
//
// DESIGN. A kernel asks the same thing many times in other names: of each of its launches, of each pair of
// statements that touch the same places, of each datum that a branch looks at. What is shown of numbers holds of
// any others that are bounded and related alike. So a question is written down with its numbers counted
// as they come, each with all that the solver looks at, its axioms included, and asked once.

// Answers are the answers to questions that were asked, by their shape. It is for one goroutine.
type Answers struct {
	of     map[string]answer
	byBits map[string]bits.Answer
	lost   int64 // work of the bits that came to nothing
}

type answer struct {
	unsat     bool
	assumable Assumable
}

// NewAnswers returns a memory without any.
func NewAnswers() *Answers {
	return &Answers{of: map[string]answer{}, byBits: map[string]bits.Answer{}}
}

// The ways of asking, besides the algebra's, which are its budgets.
const (
	byBits     = -1
	byBitsSoon = -2
	bySecond   = -3
)

// bytesPerWork is how much of a question's text takes as long to write as a term does to touch.
const bytesPerWork = 4

// once answers a question, which is asked only if none of its shape was. how tells the ways of asking apart.
func (s *Solver) once(how int, conds []*term.Cond, ask func() bool) bool {
	if s.Answers == nil {
		return ask()
	}
	key := s.shape(how, conds)
	s.T.Work += int64(len(key) / bytesPerWork)
	known, ok := s.Answers.of[key]
	if !ok {
		before := s.Assumable
		s.Assumable = Assumable{}
		known.unsat = ask()
		known.assumable = s.Assumable
		s.Assumable = before
		if s.ctx.Err() == nil {
			s.Answers.of[key] = known
		}
	}
	s.Assumable.or(known.assumable)
	return known.unsat
}

// onceByBits is once for questions to the bits.
func (s *Solver) onceByBits(how int, conds []*term.Cond, decide func([]*term.Cond) bits.Answer) bits.Answer {
	if s.Answers == nil {
		return decide(conds)
	}
	key := s.shape(how, conds)
	s.T.Work += int64(len(key) / bytesPerWork)
	known, ok := s.Answers.byBits[key]
	if !ok {
		if known = decide(conds); s.ctx.Err() == nil {
			s.Answers.byBits[key] = known
		}
	}
	return known
}

// shape writes a question so that two that differ in names only are written alike.
func (s *Solver) shape(how int, conds []*term.Cond) string {
	q := newQuestion()
	q.Ints(int64(how), int64(s.Rows))
	q.write(conds, s.Axioms, s.Extents)
	return q.String()
}

// Shape does so of a question to the bits, which they answer alike but for the names in the model.
func Shape(conds []*term.Cond, axioms func(*term.Atom) []*term.Cond) *term.Shape {
	q := newQuestion()
	q.write(conds, axioms, nil)
	return q.Shape
}

// question is the shape of one.
type question struct {
	*term.Shape
	origins   map[*term.Atom]int64 // of which numbers are copies
	functions map[string]int64     // of which nothing is known but that equal arguments give equal values
}

func newQuestion() *question {
	q := &question{origins: map[*term.Atom]int64{}, functions: map[string]int64{}}
	q.Shape = term.NewShape(q.atom)
	return q
}

// write writes conditions, and what else is known of their numbers.
func (q *question) write(conds []*term.Cond, axioms func(*term.Atom) []*term.Cond, extents map[*term.Atom]bool) {
	for _, c := range conds {
		q.Cond(c)
	}
	for i := 0; i < len(q.Atoms); i++ {
		a := q.Atoms[i]
		q.Bools(extents[a])
		if axioms != nil {
			for _, c := range axioms(a) {
				q.Cond(c)
			}
		}
		q.Text("")
	}
}

// atom writes what the solver looks at.
func (q *question) atom(a *term.Atom) {
	origin, known := q.origins[a.Origin()]
	if !known {
		origin = int64(len(q.origins))
		q.origins[a.Origin()] = origin
	}
	q.Ints(origin, int64(a.Kind), a.Lo, a.Hi, int64(a.Variance), int64(a.Side))
	q.Bools(a.Loops != 0, a.Power, a.Ref != nil)
	q.Ints(int64(len(a.Args)))
	switch {
	case len(a.Args) == 0:
	case a.Kind == term.Func && !slices.Contains(bits.Operations, a.Name) && bits.Reversals[a.Name] == 0:
		n, known := q.functions[a.Name]
		if !known {
			n = int64(len(q.functions))
			q.functions[a.Name] = n
		}
		q.Ints(n)
	default:
		q.Text(a.Name)
	}
	for _, p := range a.Args {
		q.Poly(p)
	}
	q.Cond(a.If)
	q.Poly(a.Halved)
}
