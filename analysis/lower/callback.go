package lower

// This file lowers lambdas that are handed to host functions, or macros, that are not known here. What they launch counts:
// frameworks choose a kernel's types by `DISPATCH(tensor.type(), "name", [&] { kernel<scalar_t><<<…>>>(…); })`, and the
// header with the macro is rarely at hand.

import (
	"regexp"
	"slices"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/syntax"
)

// callbacks lowers what may be called of the arguments of a host function and launches a kernel.
func (l *lowerer) callbacks(n *syntax.Node, callee string, args []argument) {
	if !l.host {
		return
	}
	for _, a := range args {
		if a.v.t == nil || a.v.t.kind != kClosure || !l.reachesLaunch(a.v.t.closure.node.Child("body")) {
			continue
		}
		c := a.v.t.closure
		switches := l.dispatchedConstants(c, args)
		l.bindDispatched(c, callee, switches)
		again := callsAgain(callee)
		l.maybe(n, callee, func() {
			if again {
				l.repeating++
				defer func() { l.repeating-- }()
			}
			l.withSwitches(n, callee, c, switches, func() {
				var list []argument
				if d := c.node.Child("declarator"); d != nil {
					for _, p := range l.un.parameters(d) {
						list = append(list, argument{value{t: opaque("unknown"), cat: vPoison, reason: "argument of a callback"}, p})
					}
				}
				l.callClosure(n, c, list)
			})
		}, func() {})
	}
}

// maybe emits a branch of which nobody knows whether it is taken.
func (l *lowerer) maybe(n *syntax.Node, callee string, then, otherwise func()) {
	s := &ir.If{Cond: l.unknownScalar(n, ir.Bool, "what "+callee+" does"), Site: l.site(n, "")}
	s.Then = l.collectStmts(then)
	s.Else = l.collectStmts(otherwise)
	l.emit(s)
}

// withSwitches calls f with each constant true, and false.
func (l *lowerer) withSwitches(n *syntax.Node, callee string, c *closure, names []string, f func()) {
	if len(names) == 0 {
		f()
		return
	}
	with := func(on bool) func() {
		return func() {
			v := rval(tBool, constBool(on))
			c.scope.add(&symbol{kind: symVar, name: names[0], v: &v})
			l.withSwitches(n, callee, c, names[1:], f)
			delete(c.scope.syms, names[0])
		}
	}
	l.maybe(n, callee, with(true), with(false))
}

// dispatchedConstants lists the names that nothing declares among the other arguments, as in
// `BOOL_SWITCH(causal, IsCausal, [&] { kernel<IsCausal>… })`: the macro declares them, as constants.
func (l *lowerer) dispatchedConstants(c *closure, args []argument) (out []string) {
	for _, a := range args {
		if a.n.Kind != "identifier" || a.v.cat != vPoison || len(out) == maxSwitches {
			continue
		}
		if name := l.text(a.n); len(c.scope.lookup(name)) == 0 {
			out = append(out, name)
		}
	}
	return out
}

// reachesLaunch reports whether a body launches a kernel, or calls by name what does.
func (l *lowerer) reachesLaunch(body *syntax.Node) bool {
	names, launches := l.un.callsOf(body)
	if launches {
		return true
	}
	for _, p := range l.un.parts {
		for _, sym := range l.un.functions(p.global) {
			if names[sym.name] && l.un.launching[sym.node] {
				return true
			}
		}
	}
	return false
}

// integral is in the names of macros that dispatch on types of whole numbers.
var integral = regexp.MustCompile(`(?i)(^|_)(int|integral|index)(_|$)`)

// bindDispatched binds the types that a lambda names and nothing declares, but for constants: the function that calls it, a macro, declares
// them. As for templates that nothing launches, such a type is float.
func (l *lowerer) bindDispatched(c *closure, callee string, constants []string) {
	t := tFloat
	if integral.MatchString(callee) {
		t = tInt
	}
	walk(c.node.Child("body"), func(k *syntax.Node) bool { // those of another macro in it
		if k.Kind == "identifier" {
			constants = append(constants, l.text(k))
		}
		return true
	})
	walk(c.node.Child("body"), func(k *syntax.Node) bool {
		if k.Kind == "qualified_identifier" {
			return k.Child("name") != nil && k.Child("name").Kind != "type_identifier"
		}
		if k.Kind != "type_descriptor" || k.Child("type") == nil || k.Child("type").Kind != "type_identifier" {
			return true
		}
		if name := l.text(k.Child("type")); !slices.Contains(constants, name) && len(c.scope.lookup(name)) == 0 && l.libType([]string{name}, nil, c.scope) == nil {
			c.scope.add(&symbol{kind: symAlias, name: name, t: t})
		}
		return true
	})
}
