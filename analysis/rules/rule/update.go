package rule

import (
	"regexp"
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
	"github.com/warplint/warplint/analysis/syntax"
)

// This file reads statements and expressions as updates for which CUDA has an atomic function.

// part is an access that an update may consist of.
type part struct {
	site     int
	writes   bool
	volatile bool
	cut      bool // the number that it writes is cut to an integer, as by `x += 0.5f`
	compared bool // what it writes may be chosen by comparing numbers of another type, as by `x = max(x, 1u)`
	unsigned bool // it subtracts a number that has no negative in its own type
}

func (c *Case) partsOf(accesses ...*access.Access) (out []part) {
	for _, a := range accesses {
		out = append(out, c.partOf(a.Stmt, a.Site, a.Writes(), a.Volatile))
	}
	return out
}

func (c *Case) partOf(s ir.Stmt, site int, writes, volatile bool) part {
	p := part{site: site, writes: writes, volatile: volatile}
	store, ok := s.(*ir.Store)
	if !ok {
		return p
	}
	for _, x := range c.values(store.X) {
		p.cut = p.cut || cuts(store.T, x)
		p.compared = p.compared || comparesOther(store.T, x)
		p.unsigned = p.unsigned || subtractsUnsigned(x)
	}
	return p
}

// values are what an expression may stand for: itself, or what a variable is set to.
func (c *Case) values(x ir.Expr) []ir.Expr {
	out := []ir.Expr{x}
	if variable, ok := x.(*ir.RegRef); ok {
		for set := range ir.All[*ir.Assign](c.Func.Body) {
			if set.Dst == variable.R {
				out = append(out, set.X)
			}
		}
	}
	return out
}

// cuts reports whether a number with a fraction becomes an integer.
func cuts(t ir.Type, x ir.Expr) bool {
	c, ok := x.(*ir.Convert)
	return ok && t.IsInt() && c.X.Type().IsFloat()
}

// comparesOther reports whether a number of a type becomes one of another type, and of two the greater may be the other one there.
func comparesOther(t ir.Type, x ir.Expr) bool {
	c, ok := x.(*ir.Convert)
	if !ok || !t.IsInt() || !c.X.Type().IsInt() {
		return false
	}
	from := c.X.Type()
	return from.Size() > t.Size() || from.Size() == t.Size() && !from.IsSigned() && t.IsSigned()
}

// plainParts are all plain accesses of a kernel to a variable.
func (c *Case) plainParts(variable string) (out []part) {
	ir.WalkStmts(c.Func.Body, func(s ir.Stmt) bool {
		site, ok := ir.SiteOf(s)
		if !ok || !weak(s) || c.Func.Sites[site].Variable != variable {
			return true
		}
		switch s := s.(type) {
		case *ir.Load:
			out = append(out, c.partOf(s, site, false, s.Volatile))
		case *ir.Store:
			out = append(out, c.partOf(s, site, true, s.Volatile))
		}
		return true
	})
	return out
}

// atomicUpdates are the edits that make the updates atomic which accesses are part of, none if one of them is part of nothing else.
func (c *Case) atomicUpdates(parts []part) []race.Edit {
	var edits []race.Edit
	texts := map[string]*syntax.Written{}
	for _, p := range parts {
		site := c.Func.Sites[p.site]
		f, ok := c.Files.File(site.Span.File)
		if !ok || !site.Macro.IsZero() || p.cut {
			return nil
		}
		if !p.writes && len(parts) > 1 {
			continue
		}
		if texts[f.Path] == nil {
			texts[f.Path] = syntax.WrittenIn(f)
		}
		at, ok := c.cellAt(p.site, p.volatile)
		if !ok {
			return nil
		}
		s := placeIn(texts[f.Path], f, site.Span)
		u, ok := s.update()
		if !ok || p.compared && (u.op == "min" || u.op == "max") {
			return nil
		}
		edit, ok := s.atomically(u, at, p.unsigned)
		if !ok {
			return nil
		}
		if !slices.Contains(edits, edit) {
			edits = append(edits, edit)
		}
	}
	for _, p := range parts {
		at := c.Func.Sites[p.site].Span
		if !slices.ContainsFunc(edits, func(e race.Edit) bool {
			return e.Span.File == at.File && e.Span.Start <= at.Start && at.End <= e.Span.End
		}) {
			return nil
		}
	}
	return edits
}

// atomically is the edit for the update of which a place is part.
func (s place) atomically(u update, at cell, unsigned bool) (race.Edit, bool) {
	text := at.atomicCall(u.op, s.f.Slice(s.at), u.value, u.gives != nothing, unsigned)
	if text == "" {
		return race.Edit{}, false
	}
	if u.gives == after {
		text = s.afterwards(u, text)
	}
	return race.Edit{Span: u.span, Text: s.lost(u) + u.head + text + u.tail}, true
}

// update is a change of a place by a simple operation.
type update struct {
	span       source.Span // what the call takes the place of
	op         string
	value      string
	operand    *syntax.Node // whose text the value is, nil if it is 1
	gives      given
	head, tail string // text of the span that goes on, before the call and behind it
}

// given is what of an update somebody uses.
type given uint8

const (
	nothing given = iota
	before        // the value that was there, as an atomic function gives it
	after         // the new value
)

// afterwards is the value behind a change, of the call that gives the one before.
func (s place) afterwards(u update, call string) string {
	if u.op == "min" || u.op == "max" {
		return u.op + "(" + call + ", " + u.value + ")"
	}
	text := call + " " + u.op + " " + u.value
	if from, to := u.span.Start-1, u.span.End; from >= 0 && to < len(s.f.Text) && slices.Contains([]string{"()", "[]"}, s.f.Text[from:from+1]+s.f.Text[to:to+1]) {
		return text
	}
	switch kind(s.parent(1)) {
	case "init_declarator", "assignment_expression", "return_statement", "compound_statement", "expression_statement":
		return text
	}
	return "(" + text + ")"
}

// lost are the comments of an update's text that nothing else keeps, for the place in front of it.
func (s place) lost(u update) string {
	var out strings.Builder
	for _, at := range comment.FindAllStringIndex(s.f.Slice(u.span), -1) {
		start, end := u.span.Start+at[0], u.span.Start+at[1]
		text := s.f.Text[start:end]
		switch {
		case s.at.Start <= start && end <= s.at.End, u.operand != nil && u.operand.Start <= start && end <= u.operand.End:
		case strings.Contains(u.head, text) || strings.Contains(u.tail, text):
		case strings.HasPrefix(text, "//"):
			line, _ := s.f.LineBounds(s.f.Position(u.span.Start).Line)
			out.WriteString(text + lineEnd(s.f) + blank(s.f.Text[line:u.span.Start]))
		default:
			out.WriteString(text + " ")
		}
	}
	return out.String()
}

var comment = regexp.MustCompile(`//[^\r\n]*|(?s)/\*.*?\*/`)

// update reads what stands around a place as a change of it.
func (s place) update() (u update, ok bool) {
	n := s.parent(0)
	if n == nil {
		return u, false
	}
	u.span = s.spanOf(n, n)
	switch kind(n) {
	case "update_expression":
		u.op, u.value = s.text(n.Child("operator"))[:1], "1"
		postfix := n.Children[0].Start == n.Start && n.Children[0].Named
		switch {
		case s.discarded(0):
		case postfix:
			u.gives = before
		default:
			u.gives = after
		}
		return u, true
	case "assignment_expression":
		right := n.Child("right")
		if !s.same(n.Child("left")) {
			return u, false
		}
		if u.op = strings.TrimSuffix(s.text(n.Child("operator")), "="); u.op != "" {
			u.operand = right
		} else if u.op, u.operand = operation(s, right); u.op == "" {
			if u, ok = s.guarded(right); !ok {
				u, ok = s.stepwise(right)
			}
			return u, ok
		}
		u.value = s.text(u.operand)
		if !s.discarded(0) {
			u.gives = after
		}
		return u, u.gives == nothing || simple(u.operand)
	}
	return u, false
}

// spanOf is from where a node begins to where another one ends.
func (s place) spanOf(from, to *syntax.Node) source.Span {
	return source.Span{File: s.f.Path, Start: from.Start, End: to.End}
}

// simple reports whether an expression may be written twice.
func simple(n *syntax.Node) bool { return kind(n) == "identifier" || kind(n) == "number_literal" }

// operation reads `x + v`, `v + x`, `max(x, v)` and `v > x ? v : x`, of a place x.
func operation(s expression, n *syntax.Node) (op string, value *syntax.Node) {
	switch n = unwrapped(n); kind(n) {
	case "binary_expression":
		op = s.text(n.Child("operator"))
		switch left, right := n.Child("left"), n.Child("right"); {
		case !strings.Contains("-+&|^", op):
		case s.same(left):
			return op, right
		case s.same(right) && op != "-":
			return op, left
		}
	case "call_expression":
		args := expressions(n.Child("arguments"))
		switch op = strings.TrimPrefix(s.text(n.Child("function")), "std::"); {
		case op != "min" && op != "max" || len(args) != 2:
		case s.same(args[0]):
			return op, args[1]
		case s.same(args[1]):
			return op, args[0]
		}
	case "conditional_expression":
		chosen, other := n.Child("consequence"), n.Child("alternative")
		if op = extreme(s, n.Child("condition"), chosen); op != "" && s.same(other) {
			return op, chosen
		}
		if op = extreme(s, n.Child("condition"), other); op != "" && s.same(chosen) {
			return map[string]string{"min": "max", "max": "min"}[op], other
		}
	}
	return "", nil
}

// guarded reads `if (v < x) x = v;` and `if (c && v < x) x = v;`, of which the place is the second x and the value is given.
func (s place) guarded(value *syntax.Node) (u update, ok bool) {
	depth := 2 // of the statement around the assignment's
	if n := s.parent(depth); kind(n) == "compound_statement" && len(expressions(n)) == 1 {
		depth++
	}
	n := s.parent(depth)
	if kind(s.parent(1)) != "expression_statement" || kind(n) != "if_statement" || n.Child("alternative") != nil || n.Child("consequence") != s.parent(depth-1) {
		return u, false
	}
	condition := unwrapped(n.Child("condition"))
	u = update{value: s.text(value), operand: value}
	if u.op = extreme(s, condition, value); u.op != "" {
		u.span, u.tail = s.spanOf(n, n), ";"
		return u, true
	}
	if kind(condition) != "binary_expression" || s.text(condition.Child("operator")) != "&&" {
		return u, false
	}
	left, right := condition.Child("left"), condition.Child("right")
	u.op = extreme(s, right, value)
	u.span = source.Span{File: s.f.Path, Start: left.End, End: s.parent(0).End}
	u.head = s.f.Text[condition.End:s.parent(0).Start]
	return u, u.op != ""
}

// stepwise reads `T a = x; x = a + v;`, `T a = x; a += v; x = a;` and `T a = x; T b = a + v; x = b;`, of which the place is the second x
// and what it gets is given.
func (s place) stepwise(value *syntax.Node) (u update, ok bool) {
	steps, last := expressions(s.parent(2)), s.parent(1)
	i := slices.Index(steps, last)
	if kind(s.parent(2)) != "compound_statement" || kind(last) != "expression_statement" || i < 1 {
		return u, false
	}
	first, change := steps[i-1], value
	var changed, second *syntax.Node // the variable's assignment, or the other variable
	if i > 1 && kind(unwrapped(value)) == "identifier" {
		name := s.text(unwrapped(value))
		if second = alone(first); second != nil && s.text(second.Child("declarator")) == name && !s.same(second.Child("value")) {
			first, change = steps[i-2], second.Child("value")
		} else if changed = first.ChildByKind("assignment_expression"); kind(first) == "expression_statement" && changed != nil && squeezed(s.text(changed.Child("left"))) == name {
			first, change, second = steps[i-2], changed, nil
		} else {
			return u, false
		}
	}
	variable := alone(first)
	name, read := variable.Child("declarator"), variable.Child("value")
	if kind(name) != "identifier" || !s.same(read) || changed != nil && s.text(name) != squeezed(s.text(changed.Child("left"))) {
		return u, false
	}
	a := named{s, s.text(name)}
	if kind(change) == "assignment_expression" {
		if u.op = strings.TrimSuffix(s.text(change.Child("operator")), "="); u.op != "" {
			u.operand = change.Child("right")
		} else {
			change = change.Child("right")
		}
	}
	if u.op == "" {
		u.op, u.operand = operation(a, change)
	}
	if u.op == "" || a.in(u.operand) {
		return u, false
	}
	u.value = s.text(u.operand)
	u.tail = strings.TrimRight(s.f.Text[read.End:first.End], " ")
	old, new := slices.ContainsFunc(steps[i+1:], a.in), false // used behind it
	if second != nil {
		new = slices.ContainsFunc(steps[i+1:], named{s, s.text(unwrapped(value))}.in)
	} else if changed != nil {
		old, new = false, old
	}
	switch {
	case old && new:
		return u, false
	case old:
		u.gives, u.span = before, s.spanOf(read, last)
	case new && second != nil:
		u.gives, u.span, u.head = after, s.spanOf(first, last), s.f.Text[steps[i-1].Start:change.Start]
	case new:
		u.gives, u.span = after, s.spanOf(read, last)
	default:
		u.gives, u.span, u.tail = nothing, s.spanOf(first, last), ";"
	}
	return u, u.gives != after || simple(u.operand)
}

// alone is the variable that a declaration declares with a value, nil if it declares more.
func alone(n *syntax.Node) *syntax.Node {
	variable := n.ChildByKind("init_declarator")
	if list := expressions(n); kind(n) != "declaration" || len(list) == 0 || variable != list[len(list)-1] || variable != n.Child("declarator") {
		return nil
	}
	return variable
}

// extreme reads a condition under which a place gets a value as one that makes it the less or the greater of the two.
func extreme(s expression, condition, value *syntax.Node) (op string) {
	n := unwrapped(condition)
	if kind(n) != "binary_expression" {
		return ""
	}
	left, right, less := n.Child("left"), n.Child("right"), false
	switch s.text(n.Child("operator")) {
	case "<", "<=":
		less = true
	case ">", ">=":
	default:
		return ""
	}
	switch v := squeezed(s.text(value)); {
	case s.same(right) && squeezed(s.text(left)) == v:
	case s.same(left) && squeezed(s.text(right)) == v:
		less = !less
	default:
		return ""
	}
	if less {
		return "min"
	}
	return "max"
}
