package lower

// This file lowers lambdas that are handed to host functions, or macros, that are not known here. What they launch counts:
// frameworks choose a kernel's types by `DISPATCH(tensor.type(), "name", [&] { kernel<scalar_t><<<…>>>(…); })`, and the
// header with the macro is rarely at hand.

import (
	"regexp"
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/syntax"
)

// callbacks lowers what may be called of the arguments of a host function and launches a kernel. It is called with what
// stands behind it among the arguments, as a thread does, if these are as many as it takes.
func (l *lowerer) callbacks(n *syntax.Node, callee string, args []argument) {
	if !l.host {
		return
	}
	for i, a := range args {
		if fs := kernelSet(a.v); fs != nil && !ofRuntime(callee) {
			l.mayLaunch(n, fs)
		}
		for _, c := range l.callables(n, a) {
			list := args[i+1:]
			if len(list) != len(c.params) || len(list) == 0 {
				if list = c.params; c.sym != nil && !l.un.called[c.sym.node] {
					continue // it is looked at by itself
				}
			}
			l.mayCall(n, callee, c, list, args)
		}
	}
}

// mayCall emits a call of what is among the arguments of a function that is not known.
func (l *lowerer) mayCall(n *syntax.Node, callee string, c *callable, list, args []argument) {
	again := callsAgain(callee)
	call := func() { c.call(list) }
	if c.closure != nil {
		switches := l.dispatchedConstants(c.closure, args)
		l.bindDispatched(c.closure, callee, switches)
		call = func() { l.withSwitches(n, callee, c.closure, switches, func() { c.call(list) }) }
	}
	regs, objects := l.maybeOften(n, callee, func() {
		if again {
			l.repeating++
			defer func() { l.repeating-- }()
		}
		call()
	})
	if again && c.closure != nil {
		l.keepsChanging(c.closure, regs, objects)
	}
}

// callable is something that can be called and launches a kernel.
type callable struct {
	params  []argument // values of its parameters that nothing is known of
	call    func(args []argument)
	closure *closure // nil for functions
	sym     *symbol  // nil for lambdas
}

// callables lists what an argument calls and launches: a lambda, a function, or the functions of an object's operator().
func (l *lowerer) callables(n *syntax.Node, a argument) []*callable {
	switch {
	case a.v.t == nil:
		return nil
	case a.v.t.kind == kClosure:
		c := a.v.t.closure
		captures := l.text(c.node.Child("captures"))
		if !l.reachesLaunch(c.node.Child("body")) && !strings.Contains(captures, "&") && !strings.Contains(captures, "this") && !l.assignsStatic(c.node.Child("body")) {
			return nil // it changes nothing of the host's
		}
		out := &callable{closure: c, call: func(args []argument) { l.callClosure(n, c, args) }}
		if d := c.node.Child("declarator"); d != nil {
			for _, p := range l.un.parameters(d) {
				out.params = append(out.params, argumentOf(opaque("unknown"), p))
			}
		}
		return []*callable{out}
	case a.v.t.kind == kRecord && a.v.t.rec.scope != nil:
		this := a.v
		return l.callablesOf(n, &fnset{name: "operator()", syms: a.v.t.rec.scope.own("operator()"), scope: l.scope, this: &this})
	}
	if fs := kernelSet(a.v); fs != nil {
		return l.callablesOf(n, fs)
	}
	return nil
}

// assignsStatic reports whether a lambda's body may set a variable that it need not capture.
func (l *lowerer) assignsStatic(body *syntax.Node) (yes bool) {
	walk(body, func(k *syntax.Node) bool {
		if k.Kind == "assignment_expression" || k.Kind == "update_expression" || k.Kind == "pointer_expression" {
			walk(k, func(k *syntax.Node) bool {
				if k.Kind == "identifier" {
					syms := l.scope.lookup(l.text(k))
					yes = yes || len(syms) > 0 && syms[0].kind == symVar && (syms[0].static || syms[0].scope != nil && syms[0].scope.kind == scopeNamespace)
				}
				return !yes
			})
		}
		return !yes
	})
	return yes
}

// callablesOf lists the functions of a set that launch.
func (l *lowerer) callablesOf(n *syntax.Node, fs *fnset) (out []*callable) {
	for _, sym := range fs.syms {
		if !l.un.launching[sym.node] || hasWord(l.un.u, sym.node, "__global__") {
			continue
		}
		one := *fs
		one.syms = []*symbol{sym}
		l.wholeUnit = true
		c := &callable{sym: sym, call: func(args []argument) {
			l.unknown(n, "when "+sym.name+" is called", true)
			switch c := l.choose(&one, args); {
			case c == nil:
				l.un.loses(n)
			case fs.this != nil:
				l.inlineMember(n, c, &one, args)
			default:
				l.inline(n, c, nil, args)
			}
		}}
		for _, p := range l.un.parameters(sym.decl) {
			t := l.tryType(p, sym.scope)
			if t == nil || sym.tparams != nil {
				t = opaque("unknown")
			}
			c.params = append(c.params, argumentOf(t, p))
		}
		out = append(out, c)
	}
	return out
}

// mayMean lowers what a call in a host function may be that is not understood: of the functions that launch, one whose address
// the program takes, or a method of that name if the object is not known.
func (l *lowerer) mayMean(n *syntax.Node, method string, args []argument) {
	if !l.host {
		return
	}
	var sets []*fnset
	if method == "" {
		for _, sym := range l.launchersTaken() {
			sets = append(sets, &fnset{name: sym.name, syms: []*symbol{sym}, scope: l.scope})
		}
		sets = append(sets, l.instancesTaken()...)
	}
	for _, sym := range l.un.methodsNamed(method) {
		if class := l.un.owner[sym]; class.tparams == nil {
			this := value{t: recordType(l.instance(class, nil)), cat: vMem, x: l.unknownScalar(n, ir.Ptr, "object")}
			sets = append(sets, &fnset{name: sym.name, syms: []*symbol{sym}, scope: l.scope, this: &this, exact: true})
		}
	}
	here := l.un.partOf(n)
	for _, fs := range sets {
		if l.un.partOf(fs.syms[0].node) != here {
			continue // perhaps of another program
		}
		for _, c := range l.callablesOf(n, fs) {
			if len(c.params) == len(args) {
				l.mayCall(n, fs.name, c, args, nil)
			}
		}
	}
}

// instancesTaken lists the instances of templates whose address the program takes.
func (l *lowerer) instancesTaken() (sets []*fnset) {
	for _, of := range l.un.takenInstances {
		l.collectStmts(func() {
			if fs := kernelSet(l.expr(of)); fs != nil && len(fs.syms) == 1 {
				sets = append(sets, fs)
			}
		})
	}
	return sets
}

// launchersTaken lists the functions that launch and whose address the program takes.
func (l *lowerer) launchersTaken() []*symbol {
	un := l.un
	if un.launchers == nil {
		un.launchers = append([]*symbol{}, slices.DeleteFunc(l.taken(tVoid), func(sym *symbol) bool { return !un.launching[sym.node] })...)
	}
	return un.launchers
}

// methodsNamed lists the methods of a name that launch, in the order of the text.
func (un *unitState) methodsNamed(name string) []*symbol {
	if un.methods == nil {
		un.methods = map[string][]*symbol{}
		for sym := range un.owner {
			if sym.tparams == nil && un.launching[sym.node] {
				un.methods[sym.name] = append(un.methods[sym.name], sym)
			}
		}
		for _, list := range un.methods {
			sortSymbols(list)
		}
	}
	return un.methods[name]
}

// argumentOf is an argument of which nothing is known.
func argumentOf(t *ctype, p *syntax.Node) argument {
	return argument{value{t: t, cat: vPoison, reason: "argument of a callback"}, p}
}

// maybe emits a branch of which nobody knows whether it is taken.
func (l *lowerer) maybe(n *syntax.Node, callee string, then, otherwise func()) {
	s := &ir.If{Cond: l.unknownScalar(n, ir.Bool, "what "+callee+" does"), Site: l.site(n, "")}
	s.Then = l.collectStmts(then)
	s.Else = l.collectStmts(otherwise)
	l.emit(s)
}

// maybeOften emits statements of which nobody knows how often they run, or when: what they change is not known when they begin,
// nor behind them. It returns what they change.
func (l *lowerer) maybeOften(n *syntax.Node, callee string, f func()) (regs []*ir.Reg, objects []*ir.Object) {
	before := len(l.fn.Regs)
	s := &ir.If{Cond: l.unknownScalar(n, ir.Bool, "what "+callee+" does"), Site: l.site(n, "")}
	s.Then = l.collectStmts(f)
	copies := false
	ir.WalkStmts(s.Then, func(in ir.Stmt) bool {
		for _, r := range ir.Defs(in) {
			if slices.Contains(l.fn.Regs[:before], r) && !slices.Contains(regs, r) {
				regs = append(regs, r)
			}
		}
		switch in := in.(type) {
		case *ir.Store:
			copies = true
			if at, ok := ir.Root(in.Ptr); ok {
				objects = append(objects, at.Obj)
			}
		case *ir.HostCopy:
			copies = true
		}
		return true
	})
	if len(regs) == 0 && !copies {
		l.emit(s)
		return nil, nil
	}
	changed := &ir.Unknown{Reason: "what " + callee + " does", Dst: regs, Memory: copies, Site: s.Site}
	s.Then = append([]ir.Stmt{changed}, s.Then...)
	l.emit(s)
	l.emit(changed)
	return regs, objects
}

// keepsChanging has what a lambda changes live in memory that others may change: whoever was given it may call it later as well.
func (l *lowerer) keepsChanging(c *closure, regs []*ir.Reg, objects []*ir.Object) {
	for _, o := range objects {
		l.escaped[o] = true
	}
	for s := c.scope; len(regs) > 0 && isLocal(s); s = s.parent {
		for _, list := range s.syms {
			for _, sym := range list {
				if sym.v != nil && slices.ContainsFunc(sym.v.regs(), func(r *ir.Reg) bool { return slices.Contains(regs, r) }) {
					l.demote(*sym.v)
				}
			}
		}
	}
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

// ofRuntime reports whether a function is one of CUDA that asks or says something of a kernel, and launches none.
func ofRuntime(callee string) bool { return asksOfKernel.MatchString(callee) }

var asksOfKernel = regexp.MustCompile(`(^|\W)(cuda|cu)(Func|Occupancy)\w*$`)
