package lower

// This file links units: what one unit declares and another defines is made known to the first.
// Each unit keeps its own scopes, so static functions of one name, and macros, stay apart.

import (
	"strings"

	"github.com/warplint/warplint/analysis/syntax"
)

// part is one of the units that are lowered together.
type part struct {
	root   *syntax.Node
	global *scope
	// defines holds the names of functions with bodies, kernels those of the kernels among them.
	defines, kernels map[string]bool
}

// newParts collects the declarations of a unit and of those that are linked to it.
func (un *unitState) newParts() {
	roots := append([]*syntax.Node{un.u.Root}, un.u.Linked...)
	for _, root := range roots {
		global, explicit := collect(un.u, root)
		p := &part{root: root, global: global, defines: map[string]bool{}, kernels: map[string]bool{}}
		un.parts = append(un.parts, p)
		un.explicit = append(un.explicit, explicit...)
		for _, sym := range un.functions(global) {
			p.defines[sym.name] = true
			if hasWord(un.u, sym.node, "__global__") {
				p.kernels[sym.name] = true
			}
		}
	}
	un.global = un.parts[0].global
	for i, to := range un.parts {
		for j, from := range un.parts {
			if i != j {
				un.link(to.global, from.global, j < i)
			}
		}
	}
}

// link gives a namespace what it declares and another unit's namespace of the same name
// defines. A class that stands in one header is one class; the earlier unit's is kept.
func (un *unitState) link(to, from *scope, earlier bool) {
	for name, syms := range to.syms {
		others := from.syms[name]
		if len(others) == 0 {
			continue
		}
		for i, sym := range syms {
			switch sym.kind {
			case symNamespace:
				for _, o := range others {
					if o.kind == symNamespace && o.scope == from && sym.scope == to {
						un.link(sym.inner, o.inner, earlier)
					}
				}
			case symClass:
				for _, o := range others {
					if earlier && o.kind == symClass && un.sameText(sym, o) {
						o.outside = append(o.outside, sym.outside...)
						syms[i] = o
					}
				}
			case symVar:
				if o := un.definedVariable(others); o != nil && un.isExtern(sym) {
					syms[i] = o
				}
			}
		}
		un.linkFunctions(to, name, syms, others)
	}
}

// linkFunctions adds the definitions that fit a declaration by their number of parameters;
// overload resolution chooses among them.
func (un *unitState) linkFunctions(to *scope, name string, syms, others []*symbol) {
	wanted := map[int]bool{}
	for _, sym := range syms {
		if sym.kind == symFunc && sym.scope == to && sym.tparams == nil {
			wanted[len(un.parameters(sym.decl))] = sym.node.Child("body") == nil && !sym.static
		}
	}
	for _, o := range others {
		if o.kind == symFunc && o.scope != to && o.node.Child("body") != nil && o.tparams == nil && !o.static && wanted[len(un.parameters(o.decl))] {
			to.share(name, o)
		}
	}
}

// sameText reports whether two classes are the same text of one header.
func (un *unitState) sameText(a, b *symbol) bool {
	if a.node.Child("body") == nil || un.u.Slice(a.node) != un.u.Slice(b.node) {
		return false
	}
	return un.u.Origin(a.node.Start, a.node.End).Span == un.u.Origin(b.node.Start, b.node.End).Span
}

func (un *unitState) isExtern(sym *symbol) bool {
	return sym.value == nil && hasWord(un.u, sym.node, "extern")
}

// definedVariable finds the variable of a name that is not only declared.
func (un *unitState) definedVariable(syms []*symbol) *symbol {
	for _, sym := range syms {
		if sym.kind == symVar && !un.isExtern(sym) && !hasWord(un.u, sym.node, "static") {
			return sym
		}
	}
	return nil
}

// partOf returns the unit that a node belongs to.
func (un *unitState) partOf(n *syntax.Node) *part {
	for _, p := range un.parts[1:] {
		if p.root.Start <= n.Start && n.Start < p.root.End {
			return p
		}
	}
	return un.parts[0]
}

// wanted reports whether a kernel is to be lowered: it stands in the file that is checked, or,
// unless that is a header, in what it includes.
func (un *unitState) wanted(kernel *syntax.Node) bool {
	if un.partOf(kernel) != un.parts[0] {
		return false
	}
	return un.focus == un.u.File || un.fileOf(kernel) == un.focus
}

// fileOf is the file that a node's text begins in.
func (un *unitState) fileOf(n *syntax.Node) string { return un.u.Origin(n.Start, n.End).Span.File }

// mayLaunch reports whether a function with launches in it launches kernels that are wanted,
// as far as their names tell.
func (un *unitState) mayLaunch(sym *symbol) bool {
	if un.partOf(sym.node) == un.parts[0] {
		return true
	}
	found := false
	walk(sym.node.Child("body"), func(n *syntax.Node) bool {
		found = found || strings.HasSuffix(n.Kind, "identifier") && un.parts[0].kernels[un.u.Slice(n)]
		return !found
	})
	return found
}

// means reports whether a function that calls this name means this very function. Another unit
// can't mean a template: it has explicit instantiations for that, which are lowered by themselves.
func (un *unitState) means(caller, callee *symbol) bool {
	p := un.partOf(caller.node)
	return p == un.partOf(callee.node) || !p.defines[callee.name] && callee.tparams == nil
}

// root is the global scope that a scope lies in.
func (s *scope) root() *scope {
	for s.parent != nil {
		s = s.parent
	}
	return s
}
