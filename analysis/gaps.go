package analysis

// This file tells what of a text is not understood, kernel by kernel. Whoever compares that with an earlier text
// sees where somebody is typing.

import (
	"slices"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/syntax"
)

// Gaps is what of a text is not understood. Kernels go by their names.
type Gaps struct {
	// Errors counts the syntax errors in each kernel. Under "" are those in other functions, and directives that
	// could not be followed: any kernel may depend on them.
	Errors map[string]int
	// Unread has for each kernel what of it, and of the host functions that launch it, was not understood.
	Unread map[string][]string
	// Launched has the kernels that a launch was found of.
	Launched map[string]bool
}

// Gaps returns what was not understood of the text.
func (r *Result) Gaps() Gaps {
	g := Gaps{Errors: r.errors, Unread: map[string][]string{}, Launched: map[string]bool{}}
	of := map[*ir.Func][]string{}
	for _, j := range r.judged {
		name := j.f.Name
		all := g.Unread[name]
		for _, reason := range j.v.outside {
			all = withOne(all, reason)
		}
		for _, h := range j.hosts {
			g.Launched[name] = true
			reasons, known := of[h]
			if !known {
				reasons = outside(h)
				of[h] = reasons
			}
			for _, reason := range reasons {
				all = withOne(all, reason)
			}
		}
		g.Unread[name] = all
	}
	return g
}

// countErrors adds the syntax errors of a unit.
func (r *Result) countErrors(u *syntax.Unit, m *ir.Module) {
	if r.errors == nil {
		r.errors = map[string]int{}
	}
	r.errors[""] += len(u.Problems)
	names := map[*syntax.Node]string{nil: ""}
	for _, root := range append([]*syntax.Node{u.Root}, u.Linked...) {
		countErrors(root, func(function *syntax.Node) {
			name, known := names[function]
			if !known {
				at := u.Origin(function.Start, function.End).Span
				if i := slices.IndexFunc(m.Kernels, func(k *ir.Func) bool { return k.Span.File == at.File && at.Contains(k.Span.Start) }); i >= 0 {
					name = m.Kernels[i].Name
				}
				names[function] = name
			}
			r.errors[name]++
		})
	}
}

// countErrors calls found for each syntax error with the function that it is in, or nil.
func countErrors(n *syntax.Node, found func(function *syntax.Node)) {
	var walk func(n, function *syntax.Node)
	walk = func(n, function *syntax.Node) {
		switch {
		case !n.HasError:
			return
		case n.Kind == "ERROR" || n.Missing:
			found(function)
			return
		case n.Kind == "function_definition" && function == nil:
			function = n
		}
		for _, c := range n.Children {
			walk(c, function)
		}
	}
	walk(n, nil)
}
