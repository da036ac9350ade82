package prove

import (
	"context"
	"testing"

	"github.com/warplint/warplint/analysis/term"
)

// A byte cut out of data is any byte to a question, once for all shifts; a number that the question speaks
// of in two places stays what it is.
func TestLoosened(t *testing.T) {
	tab := term.NewTable()
	s := NewSolver(context.Background(), tab, nil, 0)
	s.Answers = NewAnswers()
	fresh := func(name string, hi int64) *term.Poly {
		return tab.Poly(tab.Fresh(term.Symbol, name, 0, hi, term.Thread, 0, nil))
	}
	byteOf := func(data *term.Poly, shift int64) *term.Poly {
		return tab.Poly(tab.Apply(term.Func, "and", 0, 63, nil, tab.Quotient(data, tab.Const(shift)), tab.Const(63)))
	}
	mixed := func(thread *term.Poly) *term.Poly { // of 64 threads
		return tab.Poly(tab.Apply(term.Func, "xor", 0, 63, nil, thread, tab.Const(5)))
	}
	one, two := fresh("thread 1", 63), fresh("thread 2", 63)
	differ := tab.Ne(one, two)
	ask := func(x, y *term.Poly) bool {
		index := func(bin, thread *term.Poly) *term.Poly { return tab.Add(tab.Scale(64, bin), mixed(thread)) }
		return s.UnsatByBits(tab.Eq(index(x, one), index(y, two)), differ)
	}
	first, second := fresh("data 1", 1<<32-1), fresh("data 2", 1<<32-1)
	if !ask(byteOf(first, 1), byteOf(second, 256)) {
		t.Error("bins of two threads are not told apart")
	}
	before := tab.Work
	if !ask(byteOf(first, 4), byteOf(second, 65536)) || tab.Work-before > 1000 {
		t.Errorf("another byte took %d units of work", tab.Work-before)
	}
	// Whether two parts of one number are the same is not for any two numbers to say.
	if !s.UnsatByBits(tab.Eq(byteOf(first, 1), tab.Offset(byteOf(tab.Offset(first, 64), 1), 1))) {
		t.Error("the parts of one number are taken for any numbers")
	}
	if s.UnsatByBits(tab.Eq(byteOf(first, 1), tab.Offset(byteOf(second, 1), 1))) {
		t.Error("two bytes are said to differ always")
	}
}
