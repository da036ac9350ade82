package rule

import (
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
	t        ir.Type
	writes   bool
	volatile bool
	cut      bool // the number that it writes is cut to an integer, as by `x += 0.5f`
}

func partsOf(accesses ...*access.Access) (out []part) {
	for _, a := range accesses {
		out = append(out, part{a.Site, a.Type(), a.Writes(), a.Volatile, cuts(a.Stmt)})
	}
	return out
}

// cuts reports whether a statement stores a number with a fraction as an integer.
func cuts(s ir.Stmt) bool {
	store, ok := s.(*ir.Store)
	if !ok {
		return false
	}
	c, ok := store.X.(*ir.Convert)
	return ok && store.T.IsInt() && c.X.Type().IsFloat()
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
			out = append(out, part{site: site, t: s.T, volatile: s.Volatile})
		case *ir.Store:
			out = append(out, part{site, s.T, true, s.Volatile, cuts(s)})
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
		edit, ok := atomicUpdateAt(placeIn(texts[f.Path], f, site.Span), p.t, p.volatile)
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

// atomicUpdateAt is the edit for the update of which a place is part.
func atomicUpdateAt(s place, t ir.Type, volatile bool) (race.Edit, bool) {
	whole, op, value := s.update()
	if whole == nil {
		return race.Edit{}, false
	}
	call := atomicCall(op, address(s.f.Slice(s.at), t, volatile), value, t)
	if whole.Kind == "if_statement" {
		call += ";"
	}
	return race.Edit{Span: source.Span{File: s.f.Path, Start: whole.Start, End: whole.End}, Text: call}, strings.HasPrefix(call, "atomic")
}

// atomicCall is the call that changes what is at an address by an operation, empty if CUDA has none for its type.
func atomicCall(op, at, value string, t ir.Type) string {
	whole, half := t == ir.I32 || t == ir.U32, t == ir.U64 // what CUDA has functions for
	has, name := false, ""
	switch op {
	case "+":
		has, name = hasAtomicAdd(t), "atomicAdd"
	case "-":
		has, name = hasAtomicAdd(t), "atomicSub"
		if !whole {
			name, value = "atomicAdd", negated(value)
		}
	case "&", "|", "^":
		has, name = whole || half, map[string]string{"&": "atomicAnd", "|": "atomicOr", "^": "atomicXor"}[op]
	case "min", "max":
		has, name = whole || half || t == ir.I64, map[string]string{"min": "atomicMin", "max": "atomicMax"}[op]
	}
	if !has {
		return ""
	}
	return name + "(" + at + ", " + value + ")"
}

// negated is the negative of what an expression gives.
func negated(value string) string {
	if strings.ContainsAny(value, "+-<>=&|^?") {
		value = "(" + value + ")"
	}
	return "-" + value
}

// update reads what stands around a place as a change of it by a simple operation, and returns the node of
// the whole, without a semicolon but for an if statement; nil if it is none. What an expression gives besides
// must be what the atomic function gives, the value before, or not be used.
func (s place) update() (whole *syntax.Node, op, value string) {
	switch n := s.parent(0); kind(n) {
	case "update_expression":
		postfix := n.Children[0].Start == n.Start && n.Children[0].Named
		if op = s.text(n.Child("operator"))[:1]; postfix || s.discarded(0) {
			return n, op, "1"
		}
	case "assignment_expression":
		right := n.Child("right")
		if !s.same(n.Child("left")) || !s.discarded(0) {
			return nil, "", ""
		}
		if op = strings.TrimSuffix(s.text(n.Child("operator")), "="); op != "" {
			return n, op, s.text(right)
		}
		if op, value = s.operation(right); op != "" {
			return n, op, value
		}
		return s.guarded(right)
	}
	return nil, "", ""
}

// operation reads `x + v`, `v + x`, `max(x, v)` and `v > x ? v : x`, of a place x.
func (s place) operation(n *syntax.Node) (op, value string) {
	switch n = unwrapped(n); kind(n) {
	case "binary_expression":
		op = s.text(n.Child("operator"))
		switch left, right := n.Child("left"), n.Child("right"); {
		case !strings.Contains("-+&|^", op):
		case s.same(left):
			return op, s.text(right)
		case s.same(right) && op != "-":
			return op, s.text(left)
		}
	case "call_expression":
		args := expressions(n.Child("arguments"))
		switch op = strings.TrimPrefix(s.text(n.Child("function")), "std::"); {
		case op != "min" && op != "max" || len(args) != 2:
		case s.same(args[0]):
			return op, s.text(args[1])
		case s.same(args[1]):
			return op, s.text(args[0])
		}
	case "conditional_expression":
		chosen, other := n.Child("consequence"), n.Child("alternative")
		op, value = s.extreme(n.Child("condition"), chosen)
		if op != "" && s.same(other) {
			return op, value
		}
		if op, value = s.extreme(n.Child("condition"), other); op != "" && s.same(chosen) {
			return map[string]string{"min": "max", "max": "min"}[op], value
		}
	}
	return "", ""
}

// guarded reads `if (v < x) x = v;`, of which the place is the second x and the value is given.
func (s place) guarded(value *syntax.Node) (whole *syntax.Node, op, least string) {
	depth := 2 // of the statement around the assignment's
	if n := s.parent(depth); kind(n) == "compound_statement" && len(expressions(n)) == 1 {
		depth++
	}
	n := s.parent(depth)
	if kind(n) != "if_statement" || n.Child("alternative") != nil || n.Child("consequence") != s.parent(depth-1) {
		return nil, "", ""
	}
	if op, least = s.extreme(n.Child("condition"), value); op == "" {
		return nil, "", ""
	}
	return n, op, least
}

// extreme reads a condition under which a place gets a value as one that makes it the less or the greater of the two.
func (s place) extreme(condition, value *syntax.Node) (op, v string) {
	n := unwrapped(condition)
	if kind(n) != "binary_expression" {
		return "", ""
	}
	left, right, less := n.Child("left"), n.Child("right"), false
	switch s.text(n.Child("operator")) {
	case "<", "<=":
		less = true
	case ">", ">=":
	default:
		return "", ""
	}
	switch v = s.text(value); {
	case s.same(right) && squeezed(s.text(left)) == squeezed(v):
	case s.same(left) && squeezed(s.text(right)) == squeezed(v):
		less = !less
	default:
		return "", ""
	}
	if less {
		return "min", v
	}
	return "max", v
}
