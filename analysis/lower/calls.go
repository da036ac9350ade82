package lower

import (
	"strings"

	"github.com/warplint/warplint/analysis/syntax"
)

// This file lists by names what a function may call: also the operators of classes, and what makes and ends their objects. Too
// much is listed rather than too little: what two functions have in common is a name.

// callsOf lists the names that a body calls and whether it launches a kernel.
func (un *unitState) callsOf(body *syntax.Node) (map[string]bool, bool) {
	names := map[string]bool{}
	return names, un.addCalls(body, names)
}

// addCalls adds the names that a part of the text calls, and reports whether it launches a kernel.
func (un *unitState) addCalls(part *syntax.Node, names map[string]bool) (launches bool) {
	walk(part, func(n *syntax.Node) bool {
		switch n.Kind {
		case "kernel_call_syntax":
			launches = true
		case "call_expression":
			name := un.nameCalled(n)
			names[name] = true
			names["operator()"] = names["operator()"] || !un.declares(name)
			launches = launches || (strings.HasPrefix(name, "cudaLaunch") || strings.HasPrefix(name, "cudaGraph")) && strings.Contains(name, "Kernel")
		case "binary_expression", "assignment_expression", "unary_expression", "update_expression", "pointer_expression", "not_expression":
			if op := n.Child("operator"); op != nil && !isNumber(n.Child("right")) {
				names["operator"+un.u.Slice(op)] = true
			}
		case "comma_expression":
			names["operator,"] = true
		case "subscript_expression":
			names["operator[]"] = true
		case "field_expression":
			if op := n.Child("operator"); op != nil && un.u.Slice(op) == "->" {
				names["operator->"] = true
			}
		case "for_range_loop":
			names["begin"], names["end"], names["operator++"], names["operator*"], names["operator!="] = true, true, true, true, true
		case "user_defined_literal":
			for k := range n.NamedChildren() {
				names["operator\"\""+un.u.Slice(k)] = true
			}
		case "type_identifier":
			un.mention(un.u.Slice(n), names)
		}
		un.addTaken(n, names)
		return true
	})
	return launches
}

// addTaken adds the names of functions that stand in a node where a value does: what gets their addresses may call them.
func (un *unitState) addTaken(n *syntax.Node, names map[string]bool) {
	for k := range n.NamedChildren() {
		switch k.Kind {
		case "identifier", "template_function", "qualified_identifier":
			if fn := nameOfCalled(k); fn != nil && standsForValue(k, n) && un.declares(un.u.Slice(fn)) {
				names[un.u.Slice(fn)] = true
			}
		}
	}
}

func isNumber(n *syntax.Node) bool {
	return n != nil && (n.Kind == "number_literal" || n.Kind == "string_literal" || n.Kind == "char_literal")
}

// nameCalled is the last name of what a call calls, empty if it has none.
func (un *unitState) nameCalled(call *syntax.Node) string {
	if fn := nameOfCalled(stripParens(call.Child("function"))); fn != nil {
		return un.u.Slice(fn)
	}
	return ""
}

// nameOfCalled is the last name of what is called, without template arguments, nil if it has none.
func nameOfCalled(fn *syntax.Node) *syntax.Node {
	for fn != nil {
		switch fn.Kind {
		case "template_function", "template_method", "qualified_identifier":
			fn = fn.Child("name")
		case "field_expression":
			fn = fn.Child("field")
		case "dependent_name": // behind the word template
			var name *syntax.Node
			for k := range fn.NamedChildren() {
				name = k
			}
			fn = name
		default:
			return fn
		}
	}
	return nil
}

// mention adds what may be called where a type is named: its constructors, its destructor and its conversions, and those of
// its bases and members.
func (un *unitState) mention(name string, names map[string]bool) {
	if names["~"+name] {
		return
	}
	names[name], names["~"+name], names[conversionName] = true, true, true
	for _, part := range un.partsOfTypes()[name] {
		un.addCalls(part, names)
	}
}

// madeBy adds what the members and bases of a class call when a constructor or the destructor runs.
func (un *unitState) madeBy(fn *syntax.Node, class *symbol, names map[string]bool) {
	un.mention(class.name, names)
	un.addCalls(fn.ChildByKind("field_initializer_list"), names)
}

// partsOfTypes lists by name the bases and members of each class, and what a type is another name of.
func (un *unitState) partsOfTypes() map[string][]*syntax.Node {
	if un.typeParts != nil {
		return un.typeParts
	}
	un.typeParts = map[string][]*syntax.Node{}
	add := func(name, part *syntax.Node) {
		if name != nil && part != nil {
			un.typeParts[un.u.Slice(name)] = append(un.typeParts[un.u.Slice(name)], part)
		}
	}
	for _, p := range un.parts {
		walk(p.root, func(n *syntax.Node) bool {
			switch n.Kind {
			case "class_specifier", "struct_specifier":
				add(n.Child("name"), n.ChildByKind("base_class_clause"))
				if body := n.Child("body"); body != nil {
					for _, k := range body.Children {
						if k.Kind == "field_declaration" && functionDeclarator(k.Child("declarator")) == nil {
							add(n.Child("name"), k)
						}
					}
				}
			case "alias_declaration":
				add(n.Child("name"), n.Child("type"))
			case "type_definition":
				add(n.Child("declarator"), n.Child("type"))
			}
			return true
		})
	}
	return un.typeParts
}

// declares reports whether a function of a name is declared here.
func (un *unitState) declares(name string) bool {
	for _, p := range un.parts {
		if p.defines[name] {
			return true
		}
	}
	return false
}
