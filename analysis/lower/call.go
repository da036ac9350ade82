package lower

// This file lowers calls: of functions by name, of members and of values, and of what nobody knows.

import (
	"slices"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/syntax"
)

// argument is an evaluated argument with its syntax.
type argument struct {
	v value
	n *syntax.Node
}

// arguments evaluates an argument list; pack expansions give one argument an element.
func (l *lowerer) arguments(list *syntax.Node) []argument {
	var out []argument
	var ends []int // where what each emitted ends
	add := func(n *syntax.Node) {
		out = append(out, argument{l.expr(n), n})
		ends = append(ends, len(*l.out))
	}
	for _, n := range namedChildren(list) {
		if n.Kind == "parameter_pack_expansion" {
			l.expandPack(n, add)
		} else {
			add(n)
		}
	}
	for i := len(out) - 2; i >= 0; i-- {
		if v := out[i].v; v.cat == vRval || v.cat == vMem {
			out[i].v = l.asBefore(v, out[i].n, ends[i])
		}
	}
	return out
}

// expandPack calls f for the pattern of an expansion, once for each element.
func (l *lowerer) expandPack(n *syntax.Node, f func(p *syntax.Node)) {
	pattern := n.Child("pattern")
	l.eachPack(n, l.scope, func() { f(pattern) })
}

func values(args []argument) []value {
	out := make([]value, len(args))
	for i, a := range args {
		out[i] = a.v
	}
	return out
}

// callExpr lowers a call, a functional cast or a kernel launch.
func (l *lowerer) callExpr(n *syntax.Node) value {
	fn, args := n.Child("function"), n.Child("arguments")
	if fn == nil || args == nil {
		return l.unknown(n, "syntax error", true)
	}
	for _, k := range n.Children {
		if k.Kind == "kernel_call_syntax" {
			return l.launch(n, fn, k, args)
		}
	}
	switch fn.Kind {
	case "parenthesized_expression":
		if t := l.parenthesizedType(fn); t != nil {
			kids := namedChildren(args)
			if len(kids) == 1 {
				return l.cast(kids[0], t)
			}
			return l.construct(t, args, nil, n)
		}
	case "primitive_type", "sized_type_specifier":
		return l.construct(l.typeNode(fn, l.scope), args, nil, n)
	case "field_expression":
		return l.methodCall(n, fn, args)
	case "identifier", "qualified_identifier", "template_function", "dependent_type", "template_type":
		return l.namedCall(n, fn, args)
	}
	return l.callValue(n, l.expr(fn), args)
}

// namedCall lowers f(…), T(…), object(…) and the intrinsics.
func (l *lowerer) namedCall(n, fn, args *syntax.Node) value {
	r := l.resolve(fn, l.scope)
	if len(r.syms) == 0 || r.syms[0].kind == symNamespace {
		if m, ok := l.memberByName(fn, r.name, r.rec); ok && fn.Kind == "identifier" { // a function object
			return l.callValue(n, m, args)
		}
		if fn.Kind == "template_function" && len(r.canon) > 0 {
			if kind := castNames[r.canon[0]]; kind {
				return l.namedCast(n, r, args)
			}
		}
		if t := l.libType(r.canon, r.args, l.scope); t != nil {
			return l.construct(t, args, nil, n)
		}
		return l.builtinCall(n, fn, r, args)
	}
	if l.hiddenByMember(r) {
		return l.callValue(n, l.name(fn), args)
	}
	switch r.syms[0].kind {
	case symFunc:
		fs := &fnset{name: r.name, syms: r.syms, args: r.args, scope: l.scope, canon: r.canon, rec: r.rec, exact: r.qual}
		return l.callSet(n, fn, fs, args)
	case symClass, symAlias:
		if t := l.symType(r.syms[0], r.args, l.scope); t != nil {
			return l.construct(t, args, nil, n)
		}
		if t := l.deducedFrom(r.syms[0], args); t != nil {
			return l.construct(t, args, nil, n)
		}
		return l.unknown(n, "unknown type "+r.name, true)
	}
	if fn.Kind == "template_function" && r.syms[0].kind == symVar && r.syms[0].tparams == nil {
		return l.unknown(n, "ambiguous <", true) // of which disguise.go tells most
	}
	return l.callValue(n, l.name(fn), args)
}

var castNames = map[string]bool{"static_cast": true, "reinterpret_cast": true, "const_cast": true, "dynamic_cast": true}

func (l *lowerer) namedCast(n *syntax.Node, r nameRef, args *syntax.Node) value {
	targs, kids := namedChildren(r.args), namedChildren(args)
	if len(targs) != 1 || len(kids) != 1 {
		return l.unknown(n, "syntax error", true)
	}
	return l.cast(kids[0], l.typeNode(targs[0], l.scope))
}

// methodCall lowers object.f(…).
func (l *lowerer) methodCall(n, fn, args *syntax.Node) value {
	obj := l.object(fn)
	field := fn.Child("field")
	if obj.cat == vPoison {
		reason, list := "call of a member of an unknown object", l.arguments(args)
		if field != nil {
			l.handsTo(fn.Child("argument"), l.text(field), namedChildren(args))
			l.mayMean(n, l.text(field), list)
			reason = "call of member " + l.text(field) + " of an unknown object"
		}
		return l.opaqueCall(n, reason, list)
	}
	if obj.t.kind != kRecord || obj.t.rec.scope == nil || obj.t.rec.lib != "" {
		return l.builtinMethod(n, fn, obj, args)
	}
	if field != nil && field.Kind == "destructor_name" {
		return value{t: tVoid}
	}
	m := l.memberOf(fn, obj, field)
	if m.cat == vFns {
		return l.callSet(n, field, m.fns, args)
	}
	if l.host && m.cat == vPoison && m.t.kind == kOpaque {
		return l.opaqueCall(n, "call of a member that is not known", append(l.arguments(args), argument{obj, fn.Child("argument")}))
	}
	return l.callValue(n, m, args)
}

// callValue calls a function, a lambda or an object with operator().
func (l *lowerer) callValue(n *syntax.Node, f value, args *syntax.Node) value {
	object := f
	f = l.load(f, n)
	switch {
	case f.cat == vFns:
		return l.callSet(n, n.Child("function"), f.fns, args)
	case f.t.kind == kClosure:
		return l.callClosure(n, f.t.closure, l.arguments(args))
	case f.t.kind == kRecord:
		list := l.arguments(args)
		all, nodes := []value{f}, []*syntax.Node{n.Child("function")}
		for _, a := range list {
			all, nodes = append(all, a.v), append(nodes, a.n)
		}
		if object.isPlace() {
			all[0] = object
		}
		if r, ok := l.operator(n, "operator()", all, nodes); ok {
			return r
		}
		return l.opaqueCall(n, "call of "+f.t.String(), list)
	case f.t.kind == kPtr || f.t.kind == kFunc:
		list := l.arguments(args)
		t := f.t
		if t.kind == kPtr {
			t = t.elem
		}
		return l.callPointer(n, f, t, list)
	}
	list := l.arguments(args)
	if v, ok := l.callGuessed(n, f, list); ok {
		return v
	}
	l.mayMean(n, "", list)
	if regs := l.ofMembers(n.Child("function")); len(regs) > 0 {
		l.unknown(n, "call of "+f.t.String(), false, regs...)
	}
	return l.opaqueCall(n, "call of "+f.t.String(), list)
}

// opaqueCall stands for a call whose function is not known: it may change all memory and
// every variable whose address it is given.
func (l *lowerer) opaqueCall(n *syntax.Node, reason string, args []argument) value {
	l.callbacks(n, reason, args)
	if l.host {
		return l.mayRearrange(n, reason, args)
	}
	var regs []value
	for _, a := range args {
		regs = append(regs, a.v)
	}
	return l.effect(n, reason, true, l.reachable(regs)...)
}

func (l *lowerer) clobberArgs(n *syntax.Node, reason string, args []argument) {
	if regs := l.reachable(values(args)); len(regs) > 0 {
		l.unknown(n, reason, false, regs...)
	}
}

// reachable lists the registers that a callee could change: places passed by reference, and
// what pointers point to. Objects have escaped then.
func (l *lowerer) reachable(vs []value) []*ir.Reg {
	var out []*ir.Reg
	for _, v := range vs {
		l.escape(v)
		switch {
		case v.isPlace():
			out = append(out, v.regs()...)
		case v.cat == vRval && v.target != nil:
			if v.target.isBound() {
				l.needPlace(*v.target)
			}
			out = append(out, v.target.regs()...)
		case v.isBound():
			l.needPlace(v)
		}
	}
	return out
}

// escape notes the objects that a value is, or points to.
func (l *lowerer) escape(v value) {
	if v.x != nil {
		if at, ok := ir.Root(v.x); ok {
			l.escaped[at.Obj] = true
		}
	}
	if v.target != nil {
		l.escape(*v.target)
	}
	for _, e := range v.elems {
		l.escape(e)
	}
}

// callSet chooses among overloads and inlines the choice.
func (l *lowerer) callSet(n, nameNode *syntax.Node, fs *fnset, list *syntax.Node) value {
	if l.intrinsicFirst(fs) {
		return l.builtinCall(n, nameNode, nameRef{name: fs.name, args: fs.args, canon: fs.canon}, list)
	}
	args := l.arguments(list)
	if fs.this == nil && fs.rec == nil && !fs.exact && len(fs.syms) > 0 && fs.syms[0].scope != nil && fs.syms[0].scope.kind == scopeNamespace {
		if extra := l.adl(fs, args); extra != nil { // both sets count ([basic.lookup.argdep])
			all := *fs
			all.syms = slices.Clone(fs.syms)
			for _, sym := range extra.syms {
				if !slices.Contains(all.syms, sym) {
					all.syms = append(all.syms, sym)
				}
			}
			fs = &all
		}
	}
	if c := l.choose(fs, args); c != nil {
		return l.inlineMember(n, c, fs, args)
	}
	if fs.this == nil && len(fs.canon) > 0 {
		if f := findBuiltin(fs.canon); f != nil {
			return f(l, &callSite{n: n, nameNode: nameNode, name: fs.name, targs: fs.args, args: args})
		}
	}
	if len(args) > 0 && fs.this == nil {
		if extra := l.adl(fs, args); extra != nil {
			if c := l.choose(extra, args); c != nil {
				return l.inlineMember(n, c, extra, args)
			}
		}
	}
	this := fs.this
	if this == nil && len(fs.syms) > 0 && fs.syms[0].scope != nil && fs.syms[0].scope.kind == scopeClass {
		this = l.thisValue()
	}
	if this != nil && !fs.exact && this.t.kind == kRecord && this.t.rec.virtual && l.isVirtual(this.t.rec, fs.name) {
		return l.virtualCall(n, fs, *this, args) // of a pure virtual function
	}
	return l.undefined(n, fs, args)
}

// undefined is the result of a call to a function without a body here.
func (l *lowerer) undefined(n *syntax.Node, fs *fnset, args []argument) value {
	reason := "no matching function " + fs.name
	for _, sym := range fs.syms {
		if sym.kind == symFunc && sym.node.Child("body") == nil && sym.tparams == nil && len(fs.syms) == 1 {
			reason = "no definition of " + fs.name
			if fs.this == nil {
				c := &candidate{sym: sym, scope: sym.scope, params: l.un.parameters(sym.decl)}
				c.types = l.parameterTypes(c)
				args = shared(c, args)
			}
			args = l.withObjectOf(fs, args, n)
			if t := l.specType(sym.node, sym.scope); t != nil {
				t, _ = l.declarator(t, sym.node.Child("declarator"), sym.scope)
				if t.kind == kFunc {
					t = t.elem
				}
				if t.isScalar() && t.kind != kRef {
					l.clobberArgs(n, reason, args)
					return l.load(l.unknownOf(n, t, reason, true), n)
				}
			}
			return l.opaqueCall(n, reason, args)
		}
	}
	for _, c := range l.callablesOf(n, fs) {
		if l.host {
			l.mayCall(n, fs.name, c, args, nil)
		}
	}
	return l.opaqueCall(n, reason, l.withObjectOf(fs, args, n))
}

// withObjectOf is withObject for the first of a set of functions that may change the object which it is called for.
func (l *lowerer) withObjectOf(fs *fnset, args []argument, n *syntax.Node) []argument {
	for _, sym := range fs.syms {
		if sym.kind != symFunc || sym.decl == nil || isConstMember(sym.decl) {
			continue
		}
		this := fs.this
		if this == nil && sym.scope.kind == scopeClass && !sym.static {
			this = l.thisValue()
		}
		return withObject(args, this, sym, n)
	}
	return args
}

// inlineMember inlines a chosen function; a method gets its object.
func (l *lowerer) inlineMember(n *syntax.Node, c *candidate, fs *fnset, args []argument) value {
	this := fs.this
	if this == nil && c.in != nil && !c.sym.static {
		this = l.thisValue()
	}
	if this != nil {
		l.dropped(*this, n)
	}
	if this != nil && c.in != nil && this.isTemporary() && (this.t.hasArrays() || !isConstMember(c.sym.decl)) {
		object := l.materialized(*this, n)
		this = &object
	}
	if static := this; static != nil && c.in != nil && this.t.kind == kRecord {
		if path := this.t.rec.basePath(c.in); len(path) > 0 {
			base := l.basePart(*this, path)
			this = &base
		}
		if c.in.virtual && !fs.exact && !static.whole && (this.cat == vMem || static.part) && l.isVirtual(c.in, c.sym.name) {
			return l.virtualCall(n, fs, *static, args)
		}
	}
	return l.inline(n, c, this, args)
}

// userConversion is the rank of a conversion by a constructor or a conversion function.
const userConversion = 12
