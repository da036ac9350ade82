package lower

import (
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/syntax"
)

// This file calls functions that callers of a kernel would choose, but nobody does here.
//
// DESIGN. `template <class Op> __global__ void reduce(…, Op op)` has a hole where `op(a, b)` stands. Whoever takes its value, and
// gives it numbers only, means a function as mathematics has them: that it changes nothing, and gives equal values for equal
// numbers, is assumed and named. A call whose value nobody takes is there for what it changes, as is one that is given a
// pointer or a place to write to; of these nothing is known.

const givenFunctions = "functions that callers choose only compute values from their arguments"

// givenName begins the names of such functions.
const givenName = "given "

// callGuessed calls what has a guessed type, which is a number if it is called: of those there are no functions.
func (l *lowerer) callGuessed(n *syntax.Node, f value, args []argument) (value, bool) {
	if !l.guessed || l.unused[n] || f.cat == vPoison || f.t.kind != kScalar || len(args) == 0 {
		return value{}, false
	}
	loaded := make([]value, len(args))
	for i, a := range args {
		if a.v.cat == vPoison || a.v.cat == vVoid || a.v.t.noRef().kind != kScalar {
			return value{}, false
		}
		loaded[i] = l.load(a.v, a.n)
	}
	t := loaded[0].t.unqualified()
	call := &ir.Call{Name: givenName + l.words(n.Child("function")), T: t.ir()}
	for _, v := range loaded {
		x := l.bits(v)
		if x == nil {
			return value{}, false
		}
		call.Args = append(call.Args, x)
	}
	if l.givenCalls == nil {
		l.givenCalls = map[*syntax.Node]bool{}
	}
	l.givenCalls[n] = true
	if !slices.Contains(l.fn.Assumes, givenFunctions) {
		l.fn.Assumes = append(l.fn.Assumes, givenFunctions)
	}
	return rval(t, call), true
}

// valueUnused notes the calls that an expression may have its value from, which nobody takes.
func (l *lowerer) valueUnused(n *syntax.Node) {
	if n == nil || !l.guessed || n.Kind == "assignment_expression" {
		return
	}
	if n.Kind == "call_expression" {
		if l.unused == nil {
			l.unused = map[*syntax.Node]bool{}
		}
		l.unused[n] = true
		return
	}
	for _, k := range namedChildren(n) {
		l.valueUnused(k)
	}
}

// isGiven reports whether a value is that of a function which callers choose, so that it might be a place instead.
func (l *lowerer) isGiven(v value, n *syntax.Node) bool {
	if !l.guessed || v.isPlace() {
		return false
	}
	if c, ok := v.x.(*ir.Call); ok && v.cat == vRval && strings.HasPrefix(c.Name, givenName) {
		return true
	}
	found := false
	if n = stripParens(n); n != nil && (n.Kind == "conditional_expression" || n.Kind == "comma_expression") {
		walk(n, func(k *syntax.Node) bool {
			found = found || l.givenCalls[k]
			return true
		})
	}
	return found
}
