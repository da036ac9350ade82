package lower

// This file lowers virtual functions. An object of a class that has some begins with a word that
// tells its class (the place of the pointer to the virtual table in the Itanium C++ ABI);
// constructors write it, and a call of a virtual function reads it.

import (
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/syntax"
)

// classWord is the name of that member.
const classWord = "__vptr"

func classField() field { return field{name: classWord, t: tULong} }

func classIdentity(rec *record) value {
	return rval(tULong, &ir.Const{T: ir.U64, Bits: identity(rec.name)})
}

// stampClass writes the class of an object under construction.
func (l *lowerer) stampClass(obj value, rec *record, n *syntax.Node) {
	if path := rec.findField(classWord); rec.virtual && path != nil {
		l.assign(l.memberPath(obj, path), classIdentity(rec), n)
	}
}

// stamped is a class value that is a complete object of its type.
func stamped(v value) value {
	if v.cat != vAgg || v.t.kind != kRecord || !v.t.rec.virtual {
		return v
	}
	return withMember(v, v.t.rec.findField(classWord), classIdentity(v.t.rec))
}

func withMember(v value, path []int, x value) value {
	if len(path) == 0 {
		return x
	}
	if path[0] >= len(v.elems) {
		return v
	}
	v.elems = slices.Clone(v.elems)
	v.elems[path[0]] = withMember(v.elems[path[0]], path[1:], x)
	return v
}

// virtualCall calls the function that the class of the object has for the one named. static is
// the object as the call sees it.
func (l *lowerer) virtualCall(n *syntax.Node, fs *fnset, static value, args []argument) value {
	const reason = "virtual call"
	opaque := func() value { return l.opaqueCall(n, reason, append(args, argument{static, n})) }
	args = l.withDefaults(fs, args)
	targets := l.overriders(static.t, fs, args)
	if len(targets) == 0 || len(targets) > maxBranches {
		return opaque()
	}
	if static.cat != vMem {
		if l.demote(static) {
			return opaque() // the function is lowered again
		}
		return opaque()
	}
	path := static.t.rec.findField(classWord)
	if path == nil {
		return opaque()
	}
	at := l.memberPath(static, path)
	at.name = static.name
	word := l.load(at, n).x
	var branches []branch
	for _, t := range targets {
		var when ir.Expr = constBool(false)
		for _, rec := range t.classes {
			when = binary(ir.LogOr, when, binary(ir.Eq, word, classIdentity(rec).x))
		}
		branches = append(branches, branch{when, func() value { return l.callOverrider(n, t, static, args) }})
	}
	l.wholeUnit = true
	if len(branches) == 1 {
		return branches[0].run()
	}
	return l.dispatch(n, l.returnType(targets[0].call), branches, true, reason)
}

// withDefaults adds the default arguments of a virtual function: those of the class that the object is seen as count, and overriders
// mostly have none.
func (l *lowerer) withDefaults(fs *fnset, args []argument) []argument {
	for _, sym := range fs.syms {
		if sym.kind != symFunc || sym.decl == nil || sym.tparams != nil {
			continue
		}
		c := &candidate{sym: sym, scope: sym.scope, params: l.un.parameters(sym.decl)}
		all := slices.Clip(args)
		for i := len(args); i < len(c.params) && len(all) == i; i++ {
			if d := l.defaultArg(c, sym, i); d != nil {
				old := l.scope
				l.scope = c.scope
				all = append(all, argument{l.expr(d), d})
				l.scope = old
			}
		}
		if len(all) == len(c.params) {
			return all
		}
	}
	return args
}

// overrider is a function with the classes whose objects it is called for.
type overrider struct {
	call    *candidate
	classes []*record
}

// callOverrider calls an overrider on an object, seen as its class.
func (l *lowerer) callOverrider(n *syntax.Node, t *overrider, static value, args []argument) value {
	this := static
	switch in := t.call.in; {
	case static.t.rec == in:
	case static.t.rec.basePath(in) != nil:
		this = l.memberPath(static, static.t.rec.basePath(in))
	default:
		p := value{t: pointerTo(static.t), cat: vRval, x: static.x, name: static.name}
		this = l.deref(l.pointerCast(p, pointerTo(recordType(in)), n), n)
	}
	return l.inline(n, t.call, &this, args)
}

// overriders lists what a virtual call on an object seen as of type t may call.
func (l *lowerer) overriders(t *ctype, fs *fnset, args []argument) []*overrider {
	var out []*overrider
	for _, rec := range append([]*record{t.rec}, l.derivedFrom(t.rec)...) {
		if rec.scope == nil {
			continue
		}
		obj := value{t: recordType(rec).qualified(t.isConst, t.volatile), cat: vMem, x: zero(ir.Ptr)}
		c := l.choose(&fnset{name: fs.name, syms: rec.scope.own(fs.name), scope: fs.scope, this: &obj}, args)
		if c == nil || c.sym.node.Child("body") == nil {
			continue // an abstract class
		}
		i := slices.IndexFunc(out, func(o *overrider) bool { return o.call.sym.node == c.sym.node && o.call.in == c.in })
		if i < 0 {
			i = len(out)
			out = append(out, &overrider{call: c})
		}
		out[i].classes = append(out[i].classes, rec)
	}
	return out
}

// derivedFrom lists the classes of the unit that derive from a class.
func (l *lowerer) derivedFrom(base *record) []*record {
	var out []*record
	add := func(rec *record) {
		if rec != base && rec.basePath(base) != nil && !slices.Contains(out, rec) {
			out = append(out, rec)
		}
	}
	var classes []*symbol
	for _, p := range l.un.parts {
		l.un.eachSymbol(p.global, func(sym *symbol) {
			if sym.kind == symClass && sym.node.Child("body") != nil && sym.node.ChildByKind("base_class_clause") != nil {
				classes = append(classes, sym)
			}
		})
	}
	sortSymbols(classes)
	for _, sym := range classes {
		if sym.tparams == nil {
			add(l.instance(sym, nil))
		} else if rec := l.deriveAs(sym, base); rec != nil {
			add(rec)
		}
	}
	for _, rec := range l.un.virtual { // local classes and other instances
		add(rec)
	}
	return out
}

// deriveAs is the instance of a class template whose base is an instance of a template, nil if
// there is none.
func (l *lowerer) deriveAs(sym *symbol, base *record) *record {
	for _, b := range sym.node.ChildByKind("base_class_clause").Children {
		if b.Kind != "template_type" || base.sym == nil || l.templateName(b) != base.sym.name {
			continue
		}
		d := &deduction{params: l.tparams(sym.tparams), found: map[string]targ{}, scope: sym.scope}
		if !l.deduceArgs(d, b.Child("arguments"), base.args) {
			continue
		}
		var args []targ
		for _, p := range d.params {
			if a, ok := d.found[p.name]; ok {
				args = append(args, a)
			}
		}
		if len(args) == len(d.params) {
			return l.instance(sym, args)
		}
	}
	return nil
}

// isVirtual reports whether a class or one of its bases declares a virtual function of the name.
func (l *lowerer) isVirtual(rec *record, name string) bool {
	if rec.scope != nil {
		for _, sym := range rec.scope.syms[name] {
			if sym.kind == symFunc && (hasWord(l.un.u, sym.node, "virtual") || strings.Contains(l.text(sym.decl), "override")) {
				return true
			}
		}
	}
	for _, f := range rec.fields {
		if f.base && f.t.kind == kRecord && l.isVirtual(f.t.rec, name) {
			return true
		}
	}
	return false
}
