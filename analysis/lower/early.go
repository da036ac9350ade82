package lower

import (
	"maps"
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/syntax"
)

// This file finds the variables that may be set before main begins: by constructors and initializers of static objects, by what these
// call, and by functions that are marked as constructors. What their declarations say is not what main finds in them.

// setEarly lists their names, and others that stand in the same code; anyVariable is among them if it may be any.
func (un *unitState) setEarly() map[string]bool {
	if un.early != nil {
		return un.early
	}
	e := &earlyCode{un: un, names: map[string]bool{}, calls: map[string]bool{}, defines: map[string]bool{}}
	for _, p := range un.parts {
		e.find(p.root)
	}
	if e.follow(); e.runs {
		for _, n := range e.statics { // those that only hold an address may be written through
			e.mentionOf(n)
		}
	}
	un.early = e.names
	return un.early
}

const anyVariable = "*"

func (un *unitState) mayBeSetEarly(name string) bool {
	return un.setEarly()[name] || un.setEarly()[anyVariable]
}

// earlyText is what setEarly says, for the key of a cache.
func (un *unitState) earlyText() string {
	return strings.Join(slices.Sorted(maps.Keys(un.setEarly())), " ")
}

// earlyCode is what runs before main.
type earlyCode struct {
	un      *unitState
	runs    bool
	statics []*syntax.Node  // declarations of variables that are not local
	defines map[string]bool // the functions that are declared, and whether one of the name has a body
	calls   map[string]bool // what it calls
	names   map[string]bool // what it speaks of
}

// find adds what a part of the text declares outside of functions.
func (e *earlyCode) find(n *syntax.Node) {
	switch n.Kind {
	case "function_definition":
		e.marked(n)
		return
	case "declaration", "field_declaration":
		if d := functionDeclarator(n.Child("declarator")); d != nil && !mayConstruct(d) {
			e.marked(n)
			return
		}
		if n.Kind == "declaration" || hasWord(e.un.u, n, "static") {
			e.statics = append(e.statics, n)
			e.un.addCalls(n, e.calls)
			e.addOperators(n)
			if acts(n) {
				e.run(n)
			}
		}
	}
	for _, k := range n.Children {
		e.find(k)
	}
}

// addOperators adds the operators that take an object and a number, as in "M n = m + 1".
func (e *earlyCode) addOperators(n *syntax.Node) {
	walk(n, func(k *syntax.Node) bool {
		if op := k.Child("operator"); k.Kind == "binary_expression" && op != nil && !isNumber(k.Child("left")) {
			e.calls["operator"+e.un.u.Slice(op)] = true
		}
		return true
	})
}

// mayConstruct reports whether what looks like a function of unnamed parameters may be an object that is made of variables.
func mayConstruct(d *syntax.Node) bool {
	params := namedChildren(d.Child("parameters"))
	return len(params) > 0 && !slices.ContainsFunc(params, func(p *syntax.Node) bool {
		t := p.Child("type")
		return t == nil || t.Kind != "type_identifier" && t.Kind != "qualified_identifier" || p.Child("declarator") != nil
	})
}

// marked adds a function that is marked to run before main.
func (e *earlyCode) marked(n *syntax.Node) {
	d, body := functionDeclarator(n.Child("declarator")), n.Child("body")
	if d == nil || nameOfCalled(d.Child("declarator")) == nil {
		return
	}
	name := e.un.u.Slice(nameOfCalled(d.Child("declarator")))
	e.defines[name] = e.defines[name] || n.Kind == "function_definition"
	walk(n, func(k *syntax.Node) bool {
		if (k.Kind == "attribute_specifier" || k.Kind == "attribute_declaration") && strings.Contains(e.un.u.Slice(k), "constructor") {
			e.calls[name] = true
		}
		return k != body
	})
}

// acts reports whether an initializer does more than to compute a value.
func acts(n *syntax.Node) (yes bool) {
	walk(n, func(k *syntax.Node) bool {
		switch k.Kind {
		case "call_expression", "assignment_expression", "update_expression", "new_expression":
			yes = true
		}
		return !yes
	})
	return yes
}

// run adds the names in code that runs.
func (e *earlyCode) run(n *syntax.Node) {
	e.runs = true
	e.mention(n)
	e.un.addCalls(n, e.calls)
}

func (e *earlyCode) mention(n *syntax.Node) {
	walk(n, func(k *syntax.Node) bool {
		switch k.Kind {
		case "identifier", "field_identifier", "type_identifier":
			e.names[e.un.u.Slice(k)] = true
		}
		return true
	})
}

// mentionOf adds the names in the initializers of variables, and those of objects, which may have handed on their own addresses.
func (e *earlyCode) mentionOf(n *syntax.Node) {
	if t := n.Child("type"); t != nil && t.Kind != "primitive_type" && t.Kind != "sized_type_specifier" {
		e.mention(n)
		return
	}
	for k := range n.NamedChildren() {
		if v := k.Child("value"); v != nil {
			e.mention(v)
		}
	}
}

// follow goes through the functions that are called.
func (e *earlyCode) follow() {
	list, done := e.un.hostFunctions(), map[*symbol]bool{}
	for again := true; again; {
		again = false
		for _, sym := range list {
			if e.calls[sym.name] && !done[sym] {
				done[sym], again = true, true
				e.run(sym.node)
			}
		}
	}
	for name, here := range e.defines {
		if e.calls[name] && !here {
			e.names[anyVariable] = true
		}
	}
}
