package lower

// This file reads again what the grammar can't read without knowing which names are types.

import (
	"strings"

	"github.com/warplint/warplint/analysis/syntax"
)

// declaredExpr is the expression `a[1]` or `f(x)` that the grammar takes for a parameter of type a
// or f, as in `T v(a[1], f(x));`.
func declaredExpr(base, d *syntax.Node) *syntax.Node {
	if inner := d.Child("declarator"); inner != nil {
		base = declaredExpr(base, inner)
	}
	b := *base
	out := &syntax.Node{Named: true, Start: base.Start, End: d.End}
	switch {
	case d.Kind == "abstract_array_declarator" && d.Child("size") != nil:
		size := *d.Child("size")
		size.Field = ""
		b.Field = "argument"
		indices := &syntax.Node{Kind: "subscript_argument_list", Field: "indices", Named: true, Start: d.Start, End: d.End, Children: []*syntax.Node{&size}}
		out.Kind, out.Children = "subscript_expression", []*syntax.Node{&b, indices}
	case d.Kind == "abstract_function_declarator" && d.Child("parameters") != nil:
		args := *d.Child("parameters")
		args.Kind, args.Field = "argument_list", "arguments"
		b.Field = "function"
		switch b.Kind {
		case "type_identifier":
			b.Kind = "identifier"
		case "template_type":
			b.Kind = "template_function"
		}
		out.Kind, out.Children = "call_expression", []*syntax.Node{&b, &args}
	default:
		out.Kind, out.HasError = "ERROR", true
	}
	return out
}

// assignmentOfZero is `f(x) = 0;`, which the grammar takes for a pure virtual function.
func (l *lowerer) assignmentOfZero(n *syntax.Node) *syntax.Node {
	d := n.Child("declarator")
	zero := n.Children[len(n.Children)-1]
	if zero.Kind != "pure_virtual_clause" || d == nil || d.Kind != "function_declarator" || d.Child("declarator") == nil || n.Child("type") != nil {
		return nil
	}
	at := strings.IndexByte(l.text(zero), '0')
	if at < 0 {
		return nil
	}
	fn, args := *d.Child("declarator"), *d.Child("parameters")
	fn.Field, args.Field, args.Kind = "function", "arguments", "argument_list"
	call := &syntax.Node{Kind: "call_expression", Field: "left", Named: true, Start: d.Start, End: d.End, Children: []*syntax.Node{&fn, &args}}
	op := *zero.Children[0]
	op.Field = "operator"
	right := &syntax.Node{Kind: "number_literal", Field: "right", Named: true, Start: zero.Start + at, End: zero.Start + at + 1}
	return &syntax.Node{Kind: "assignment_expression", Named: true, Start: n.Start, End: right.End, Children: []*syntax.Node{call, &op, right}}
}

// regrouped handles `2 * (a::b) - 1`, in which the grammar takes (a::b) for a cast of -1, where the
// name in parentheses is a value. It returns the expression grouped as C++ has it, nil if there is
// no such cast among its operands.
func (l *lowerer) regrouped(n *syntax.Node) *syntax.Node {
	if !l.hasFalseCast(n) {
		return nil
	}
	var g grouping
	if !l.spread(n, &g) {
		return nil
	}
	return g.climb(0)
}

// hasFalseCast reports whether an operand of a chain of binary operators is a cast to a value.
func (l *lowerer) hasFalseCast(n *syntax.Node) bool {
	for n != nil && n.Kind == "binary_expression" {
		if r := n.Child("right"); r != nil && r.Kind != "identifier" && l.hasFalseCast(r) {
			return true
		}
		n = n.Child("left")
	}
	for n != nil && isPrefix(n) {
		n = n.Child("argument")
	}
	return n != nil && n.Kind == "cast_expression" && l.castOfValue(n) != nil
}

func isPrefix(n *syntax.Node) bool {
	return n.Kind == "unary_expression" || n.Kind == "pointer_expression"
}

// castOfValue returns the name in parentheses of a cast if it is that of a value.
func (l *lowerer) castOfValue(n *syntax.Node) *syntax.Node {
	tn := n.Child("type")
	if tn == nil || len(tn.Children) != 1 || tn.Child("type") == nil {
		return nil
	}
	name := *tn.Child("type")
	switch name.Kind {
	case "type_identifier":
		name.Kind = "identifier"
	case "qualified_identifier", "identifier":
	default:
		return nil
	}
	if l.tryType(&name, l.scope) != nil {
		return nil
	}
	r := l.resolve(&name, l.scope)
	if len(r.syms) == 0 || r.syms[0].kind != symVar && r.syms[0].kind != symEnumConst {
		return nil
	}
	name.Field = ""
	return &name
}

// grouping is a chain of operands with the binary operators between them.
type grouping struct {
	operands, operators []*syntax.Node
	next                int
}

// spread appends the operands and operators of an expression in the order of the text.
func (l *lowerer) spread(n *syntax.Node, g *grouping) bool {
	switch {
	case n.Kind == "binary_expression" && n.Child("left") != nil && n.Child("right") != nil:
		if !l.spread(n.Child("left"), g) {
			return false
		}
		g.operators = append(g.operators, n.Child("operator"))
		return l.spread(n.Child("right"), g)
	case isPrefix(n) && l.hasFalseCast(n):
		first := len(g.operands)
		if !l.spread(n.Child("argument"), g) {
			return false
		}
		outer, inner := *n, *g.operands[first]
		inner.Field = "argument"
		op := *n.Child("operator")
		outer.End, outer.Children = inner.End, []*syntax.Node{&op, &inner}
		g.operands[first] = &outer
		return true
	case n.Kind == "cast_expression":
		if name := l.castOfValue(n); name != nil {
			return l.spreadCast(n, name, g)
		}
	}
	g.operands = append(g.operands, n)
	return true
}

// spreadCast reads a cast's operand as a binary operator and its right side.
func (l *lowerer) spreadCast(n, name *syntax.Node, g *grouping) bool {
	g.operands = append(g.operands, name)
	vn := n.Child("value")
	switch vn.Kind {
	case "unary_expression", "pointer_expression":
		op := vn.Child("operator")
		if k := l.text(op); k != "-" && k != "+" && k != "*" && k != "&" || vn.Child("argument") == nil {
			return false
		}
		g.operators = append(g.operators, op)
		return l.spread(vn.Child("argument"), g)
	case "number_literal": // the grammar takes -1 for one literal
		text := l.text(vn)
		if text[0] != '-' && text[0] != '+' {
			return false
		}
		right := *vn
		for right.Start++; right.Start < right.End-1 && text[right.Start-vn.Start] == ' '; right.Start++ {
		}
		g.operators = append(g.operators, &syntax.Node{Kind: text[:1], Start: vn.Start, End: vn.Start + 1})
		g.operands = append(g.operands, &right)
		return true
	}
	return false
}

// precedences of the binary operators, the loosest first ([expr.compound]).
var precedences = map[string]int{
	"||": 1, "or": 1, "&&": 2, "and": 2, "|": 3, "bitor": 3, "^": 4, "xor": 4, "&": 5, "bitand": 5, "==": 6, "!=": 6, "not_eq": 6,
	"<": 7, "<=": 7, ">": 7, ">=": 7, "<=>": 8, "<<": 9, ">>": 9, "+": 10, "-": 10, "*": 11, "/": 11, "%": 11,
}

// climb groups the operands from the next one on whose operators bind at least as tightly as least.
func (g *grouping) climb(least int) *syntax.Node {
	left := g.operands[g.next]
	for g.next < len(g.operators) {
		op := g.operators[g.next]
		p := precedences[op.Kind]
		if p < least {
			break
		}
		g.next++
		right := g.climb(p + 1)
		a, o, b := *left, *op, *right
		a.Field, o.Field, b.Field = "left", "operator", "right"
		left = &syntax.Node{Kind: "binary_expression", Named: true, Start: a.Start, End: b.End, Children: []*syntax.Node{&a, &o, &b}}
	}
	return left
}
