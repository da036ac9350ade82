package lower

import (
	"github.com/warplint/warplint/analysis/syntax"
)

// This file finds host functions that may be called from where nobody sees: their addresses are kept in variables that
// outlive the function which puts them there, or go into what is made before main runs, as in
//
//	static Registration r("count", count);
//	std::map<std::string, void (*)(int *)> table = {{"fill", [](int *a) { fill<<<64, 256>>>(a); }}};
//
// So each is looked at by itself, as one is that nothing here calls.

// keptFunctions lists the names of functions whose addresses are kept.
func (un *unitState) keptFunctions() map[string]bool {
	names := map[string]bool{}
	for _, p := range un.parts {
		var visit func(n *syntax.Node, inside bool)
		visit = func(n *syntax.Node, inside bool) {
			switch {
			case n.Kind == "function_definition" || n.Kind == "lambda_expression":
				inside = true
			case n.Kind == "assignment_expression" && inside && un.outlives(n.Child("left")):
				un.keep(n.Child("right"), n, names)
			case n.Kind == "pointer_expression": // to a member function, which needs an object
				if member := n.Child("argument"); member != nil && member.Kind == "qualified_identifier" && nameOfCalled(member) != nil {
					names[un.u.Slice(nameOfCalled(member))] = true
				}
			}
			if !inside {
				un.addTaken(n, names)
			}
			for _, k := range n.Children {
				visit(k, inside)
			}
		}
		visit(p.root, false)
	}
	return names
}

// unnamed is the name of a lambda that no function can call by name.
const unnamed = "[]"

// lambdasOutside lists the lambdas of a part that are in no function. Functions call one by the name of the variable that holds
// nothing else.
func (un *unitState) lambdasOutside(p *part) (out []*symbol) {
	variables := map[*syntax.Node]*symbol{} // by their initializers
	un.eachSymbol(p.global, func(sym *symbol) {
		if sym.kind == symVar && sym.value != nil {
			variables[sym.value] = sym
		}
	})
	var visit func(n *syntax.Node, name string, in *scope)
	visit = func(n *syntax.Node, name string, in *scope) {
		if of := variables[n]; of != nil {
			name, in = of.name, of.scope
		}
		switch n.Kind {
		case "function_definition":
			return
		case "lambda_expression":
			if n.Child("body") != nil {
				out = append(out, &symbol{kind: symFunc, name: name, node: n, decl: n.Child("declarator"), scope: in})
			}
			return
		}
		for _, k := range n.Children {
			visit(k, unnamed, in)
		}
	}
	visit(p.root, unnamed, p.global)
	return out
}

// outlives reports whether what is assigned to is more than a local variable.
func (un *unitState) outlives(left *syntax.Node) bool {
	if left == nil || left.Kind != "identifier" {
		return true
	}
	for _, p := range un.parts {
		for _, sym := range p.global.syms[un.u.Slice(left)] {
			if sym.kind == symVar {
				return true
			}
		}
	}
	return false
}

// keep adds the functions that an expression takes the addresses of, but for those that it hands to a function which is defined here.
func (un *unitState) keep(n, parent *syntax.Node, names map[string]bool) {
	if n.Kind == "call_expression" && un.declares(un.nameCalled(n)) || n.Kind == "lambda_expression" {
		return
	}
	un.addTaken(parent, names)
	for _, k := range n.Children {
		un.keep(k, n, names)
	}
}
