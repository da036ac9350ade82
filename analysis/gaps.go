package analysis

// This file tells what of a text is not understood, kernel by kernel. A comparison with an earlier text, of which somebody
// says that it is meant as it is, tells where somebody is typing.

import (
	"context"
	"maps"
	"slices"

	"github.com/warplint/warplint/analysis/access"
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

// Gaps returns what is not understood of a file. It judges nothing, and what it parses does not take the place of the text that
// people go on to edit.
func (e *Engine) Gaps(ctx context.Context, req Request) Gaps {
	_, gaps := e.aside().lower(ctx, req)
	return gaps
}

// gapsOf returns what was not understood of modules; the units are those that they were lowered from.
func gapsOf(all []loweredUnit) Gaps {
	g := Gaps{Errors: map[string]int{}, Unread: map[string][]string{}, Launched: map[string]bool{}}
	of := map[*ir.Func][]string{}
	for _, l := range all {
		g.countErrors(l.unit, l.module)
		for _, f := range l.module.Kernels {
			reasons := g.Unread[f.Name]
			for _, reason := range outside(f) {
				reasons = withOne(reasons, reason)
			}
			for _, h := range l.launchers[f] {
				g.Launched[f.Name] = true
				if _, known := of[h]; !known {
					of[h] = outside(h)
				}
				for _, reason := range of[h] {
					reasons = withOne(reasons, reason)
				}
			}
			g.Unread[f.Name] = reasons
		}
	}
	return g
}

// Narrowed returns what may be missing of a text that is meant, once a newer text has been seen: errors that are mended are new
// ones if they come back, and a kernel that was launched may still be.
func (g Gaps) Narrowed(now Gaps) Gaps {
	g.Errors = maps.Clone(g.Errors)
	for name, n := range g.Errors {
		g.Errors[name] = min(n, now.Errors[name])
	}
	g.Launched = maps.Clone(g.Launched)
	maps.Copy(g.Launched, now.Launched)
	return g
}

// HalfTyped reports whether less is understood of a kernel than of the text that is meant.
func (g Gaps) HalfTyped(name string, meant Gaps) bool {
	if g.Errors[""] > meant.Errors[""] || g.Errors[name] > meant.Errors[name] {
		return true
	}
	known, seen := meant.Unread[name]
	if _, stands := g.Unread[name]; stands && !g.Launched[name] && (meant.Launched[name] || !seen && g.lost(meant)) {
		return true
	}
	return slices.ContainsFunc(g.Unread[name], func(reason string) bool {
		if seen {
			return !slices.Contains(known, reason)
		}
		for _, known := range meant.Unread { // a new kernel may use what others do
			if slices.Contains(known, reason) {
				return false
			}
		}
		return true
	})
}

// lost reports whether a kernel that was launched does not stand there any more: another one may be the same by a new name.
func (g Gaps) lost(meant Gaps) bool {
	for name := range meant.Launched {
		if _, stands := g.Unread[name]; !stands {
			return true
		}
	}
	return false
}

// StillTyped is why a kernel is unknown whose races are not looked for, or not shown.
const StillTyped = "races are shown once the text is understood, or saved"

// postponed is the verdict on a kernel that is half typed, and that nothing is known of.
func postponed(f *ir.Func, hosts []*ir.Func) *verdict {
	v := &verdict{kernel: f, hosts: hosts, outside: outside(f), postponed: true}
	for _, text := range f.Unknowns {
		v.reasons = append(v.reasons, access.Reason{Text: text, Site: -1})
	}
	for u := range ir.All[*ir.Unknown](f.Body) {
		v.reasons = append(v.reasons, access.Reason{Text: u.Reason, Site: u.Site})
	}
	v.reasons = append(v.reasons, access.Reason{Text: StillTyped, Site: -1})
	return v
}

// countErrors adds the syntax errors of a unit.
func (g Gaps) countErrors(u *syntax.Unit, m *ir.Module) {
	g.Errors[""] += len(u.Problems)
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
			g.Errors[name]++
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
