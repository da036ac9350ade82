package prove

import (
	"context"
	"testing"

	"github.com/warplint/warplint/analysis/term"
)

// A question in other names is answered without work; one that differs in anything that counts is asked.
func TestAnswersAreKeptByShape(t *testing.T) {
	tab := term.NewTable()
	axioms := map[*term.Atom][]*term.Cond{}
	s := NewSolver(context.Background(), tab, func(a *term.Atom) []*term.Cond { return axioms[a] }, 0)
	s.Answers = NewAnswers()
	type numbers struct {
		hi      int64 // bound of the second thread's digit
		axiom   bool  // the first thread's digit is below 16 by an axiom
		shared  bool  // both threads have one row
		rounded bool  // the first row is a quotient
	}
	// Do 16·row + digit of two threads differ, if their digits do?
	question := func(n numbers) []*term.Cond {
		fresh := func(hi int64) *term.Poly {
			return tab.Poly(tab.Fresh(term.Symbol, "x", 0, hi, term.Thread, 0, nil))
		}
		row, digit := fresh(1000), fresh(1000)
		if n.rounded {
			row = tab.Quotient(row, tab.Const(7))
		}
		if n.axiom {
			axioms[digit.IsAtom()] = []*term.Cond{tab.Lt(digit, tab.Const(16))}
		}
		other := row
		if !n.shared {
			other = fresh(1000)
		}
		second := fresh(n.hi)
		index := func(r, d *term.Poly) *term.Poly { return tab.Add(tab.Scale(16, r), d) }
		return []*term.Cond{tab.Eq(index(row, digit), index(other, second)), tab.Ne(digit, second)}
	}
	first := numbers{hi: 15, axiom: true, shared: true}
	for i, test := range []struct {
		numbers
		unsat, asked bool
	}{
		{first, true, true},
		{first, true, false},
		{numbers{hi: 31, axiom: true}, false, true},
		{numbers{hi: 15, axiom: true}, true, true},
		{numbers{hi: 15}, false, true},
		{numbers{hi: 15, axiom: true, rounded: true}, true, true},
		{first, true, false},
		{numbers{hi: 31, axiom: true}, false, false},
	} {
		conds := question(test.numbers)
		s.Budget = 20
		unsat := s.Unsat(conds...)
		if unsat != test.unsat || (s.Budget < 20) != test.asked {
			t.Errorf("question %d %+v: unsat %v, asked %v", i, test.numbers, unsat, s.Budget < 20)
		}
	}
}

// What a function is of counts, and its name does not.
func TestAnswersOfFunctions(t *testing.T) {
	tab := term.NewTable()
	s := NewSolver(context.Background(), tab, nil, 0)
	s.Answers = NewAnswers()
	fresh := func() *term.Poly { return tab.Poly(tab.Fresh(term.Symbol, "x", 0, 1000, term.Thread, 0, nil)) }
	f := func(name string, p *term.Poly) *term.Poly {
		return tab.Poly(tab.Apply(term.Func, name, 0, 1000, nil, p))
	}
	for _, test := range []struct {
		name         string
		question     func(i, j *term.Poly) []*term.Cond
		unsat, asked bool
	}{
		{"of equal numbers", func(i, j *term.Poly) []*term.Cond { return []*term.Cond{tab.Eq(i, j), tab.Ne(f("f", i), f("f", j))} }, true, true},
		{"another function", func(i, j *term.Poly) []*term.Cond { return []*term.Cond{tab.Eq(i, j), tab.Ne(f("g", i), f("g", j))} }, true, false},
		{"of other numbers", func(i, j *term.Poly) []*term.Cond {
			return []*term.Cond{tab.Eq(i, j), tab.Ne(f("f", fresh()), f("f", fresh()))}
		}, false, true},
		{"two functions", func(i, j *term.Poly) []*term.Cond { return []*term.Cond{tab.Eq(i, j), tab.Ne(f("f", i), f("g", j))} }, false, true},
		{"an operation on bits", func(i, j *term.Poly) []*term.Cond {
			k := fresh()
			xor := func(i *term.Poly) *term.Poly { return tab.Poly(tab.Apply(term.Func, "xor", 0, 1023, nil, i, k)) }
			return []*term.Cond{tab.Ne(i, j), tab.Eq(xor(i), xor(j))}
		}, true, true},
		{"a function of two numbers", func(i, j *term.Poly) []*term.Cond {
			k := fresh()
			g := func(i *term.Poly) *term.Poly { return tab.Poly(tab.Apply(term.Func, "g", 0, 1023, nil, i, k)) }
			return []*term.Cond{tab.Ne(i, j), tab.Eq(g(i), g(j))}
		}, false, true},
	} {
		known := len(s.Answers.of)
		s.Budget = 20
		unsat := s.Unsat(test.question(fresh(), fresh())...)
		if asked := len(s.Answers.of) > known; unsat != test.unsat || asked != test.asked {
			t.Errorf("%s: unsat %v, asked %v", test.name, unsat, asked)
		}
	}
}
