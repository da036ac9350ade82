package lower

// This file gives parameters and variables what they begin with: a value, a place, or a register of their own.

import (
	"maps"
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/syntax"
)

// bindParams gives the parameters of a function their arguments.
func (l *lowerer) bindParams(in *scope, c *candidate, args []argument) {
	assigned := c.withReferences(l.assignedNames(c.sym.node.Child("body")), args)
	pointers := map[string]value{}
	for i, p := range c.params {
		if p.Kind == "variadic_parameter_declaration" {
			l.bindPack(in, p, c, args[min(i, len(args)):], assigned)
			return
		}
		var arg argument
		t := c.types[i]
		if i < len(args) {
			arg = l.alike(pointers, args[i], t, false)
		} else if d := l.defaultArg(c, c.sym, i); d != nil {
			old := l.scope
			l.scope = c.scope
			arg = argument{l.expr(d), d}
			l.scope = old
		} else {
			continue
		}
		name := nameOf(p.Child("declarator"))
		if name == nil {
			l.bindUnnamed(p, t, arg, assigned)
			continue
		}
		l.bindOne(in, l.text(name), name, t, arg, assigned)
	}
}

// withReferences adds to the variables that a function assigns those that are passed to it by reference: they have
// other names there.
func (c *candidate) withReferences(assigned map[string]bool, args []argument) map[string]bool {
	var passed []string
	for i, t := range c.types {
		if i < len(args) && t.kind == kRef && args[i].v.cat == vReg && args[i].v.reg.Name != "" {
			passed = append(passed, args[i].v.reg.Name)
		}
	}
	if len(passed) == 0 {
		return assigned
	}
	all := maps.Clone(assigned)
	for _, name := range passed {
		all[name] = true
	}
	return all
}

// bindUnnamed makes a parameter that nobody asks for: its constructor and its destructor run all the same.
func (l *lowerer) bindUnnamed(decl *syntax.Node, t *ctype, arg argument, assigned map[string]bool) {
	of := t.noRef()
	if of.kind != kRecord || of.rec.lib != "" || l.unlaid(of.rec) != "" || len(of.rec.ctors) == 0 && !l.needsCleanup(of) {
		l.load(arg.v, arg.n)
		return
	}
	v := l.bindVariable("", decl, t, arg, assigned)
	if t.kind == kRecord {
		l.destroyLater(v, arg.n)
	}
}

func (l *lowerer) bindOne(in *scope, name string, decl *syntax.Node, t *ctype, arg argument, assigned map[string]bool) {
	v := l.bindVariable(name, decl, t, arg, assigned)
	if t.kind == kRecord {
		l.destroyLater(v, arg.n)
	}
	in.add(&symbol{kind: symVar, name: name, v: &v})
}

func (l *lowerer) bindPack(in *scope, p *syntax.Node, c *candidate, args []argument, assigned map[string]bool) {
	name := nameOf(p.Child("declarator"))
	if name == nil {
		return
	}
	text := strings.TrimLeft(l.text(name), ". ")
	sym := &symbol{kind: symPack, name: text}
	old := l.packIndex
	for i, a := range args {
		l.packIndex = i
		t := l.tryType(p, c.scope)
		if t == nil {
			t = a.v.t.decay()
		}
		v := l.bindVariable(text, name, t, a, assigned)
		sym.pack = append(sym.pack, targ{v: &v})
	}
	l.packIndex = old
	in.add(sym)
}

// bindVariable makes the variable that a parameter or a local of the type is.
func (l *lowerer) bindVariable(name string, decl *syntax.Node, t *ctype, arg argument, assigned map[string]bool) value {
	v := arg.v
	if t.kind == kRef {
		return l.bindReference(name, decl, t, arg, assigned)
	}
	constant := t.isConst && !t.volatile
	if t = t.decayParam(); t.kind == kPtr && v.init == nil && t.pointee().kind == kAuto {
		v = l.decay(l.load(v, arg.n), arg.n)
		t = deduced(t, v.t)
	}
	fixed := v.t.kind == kClosure || decl == nil || !l.isPlaced(decl) && !assigned[name]
	if (v.cat == vFns || v.t.kind == kClosure) && fixed && (t.kind == kPtr || t.kind == kFunc || t.kind == kOpaque || t.kind == kAuto) {
		return v
	}
	switch {
	case t.kind != kAuto || v.init != nil:
	case v.t.kind == kRecord && v.isPlace():
		t = v.t.unqualified() // its constructor copies it
	default:
		v = l.decay(l.load(v, arg.n), arg.n)
		t = v.t.unqualified()
	}
	if t.kind == kGroup || t.kind == kClosure || t.kind == kOpaque || v.cat == vStatic && t.kind == kRecord {
		return l.bindStatic(v, t, arg.n)
	}
	v = l.convertTo(v, t, arg.n)
	known := v.cat == vRval && decl != nil && !l.isPlaced(decl) && !assigned[name]
	if known && (v.target != nil || !refersToRegs(v.x) && small(v.x)) {
		v.t = t
		if v.name == "" {
			v.name = name
		}
		return v.withDecl(decl)
	}
	if v.cat == vAgg && decl != nil && !l.isPlaced(decl) && !assigned[name] && t.kind == kRecord && allConst(v) && !l.needsCleanup(t) {
		v.t, v.lvalue, v.name = t, false, name
		return v.withDecl(decl)
	}
	place := l.newVariable(name, decl, t)
	l.assign(place, v, arg.n)
	if place.cat == vPoison && v.cat == vPoison && !assigned[name] {
		place.said = v.said
	}
	if x, ok := v.x.(*ir.Const); ok && constant && v.cat == vRval && t.isScalar() {
		place.fixed = x
	}
	if v.name != "" && t.kind == kPtr && !assigned[name] && place.cat == vReg {
		place.name = v.name
	}
	return place
}

// decayParam is the type of a parameter: arrays and functions become pointers.
func (t *ctype) decayParam() *ctype {
	if t.kind == kArray || t.kind == kFunc {
		return t.decay()
	}
	return t
}

// bindStatic binds what is known at compile time: groups and lambdas keep their own type.
func (l *lowerer) bindStatic(v value, t *ctype, n *syntax.Node) value {
	v = l.load(v, n)
	if v.cat == vStatic || v.cat == vFns || v.cat == vPoison {
		return v
	}
	return l.unknown(n, "value of type "+t.String(), false)
}

// bindReference binds a reference to its place; a temporary gets a place of its own.
func (l *lowerer) bindReference(name string, decl *syntax.Node, t *ctype, arg argument, assigned map[string]bool) value {
	v, to := arg.v, t.elem
	if !to.isConst && l.isGiven(v, arg.n) {
		return l.unknown(arg.n, "reference to what "+l.words(arg.n)+" gives", true)
	}
	if c := stripParens(arg.n); c != nil && c.Kind == "conditional_expression" && (v.cat == vRval && v.decl == nil || v.isTemporary()) {
		if l.inMemoryEither(c) || !to.isConst && !t.rvalue {
			v = l.secondLook(c)
		}
	}
	if v.init != nil {
		v = l.construct(to.unqualified(), nil, v.init, arg.n)
	}
	v.moved = false // with a name, it is an lvalue
	v = l.pinned(v, assigned)
	placed := l.isPlaced(decl)
	switch {
	case v.cat == vFns || v.cat == vStatic || v.cat == vPoison:
		return v
	case v.isPlace():
		if to.kind == kAuto || sameType(v.t, to) {
			v.t = v.t.qualified(to.isConst, to.volatile)
			return v
		}
		if v.t.kind == kRecord && to.kind == kRecord {
			if path := v.t.rec.basePath(to.rec); path != nil {
				return l.basePart(v, path)
			}
		}
		if to.kind == kOpaque || to.kind == kGroup {
			return v
		}
		if r, ok := l.conversionOperator(v, t, arg.n); ok {
			return l.pinned(r, assigned)
		}
	case v.isBound() && (placed || !to.isConst && !t.rvalue):
		l.needPlace(v)
	}
	if to.kind == kAuto {
		to = v.t.unqualified()
	}
	temp := l.convertTo(v, to.unqualified(), arg.n)
	if to.isConst && !placed && temp.cat == vRval && (temp.target != nil || !refersToRegs(temp.x)) {
		temp.decl = decl
		return temp
	}
	place := l.newVariable(name, decl, to.unqualified())
	l.assign(place, temp, arg.n)
	l.destroyLater(place, arg.n)
	place.t = place.t.qualified(to.isConst, to.volatile)
	return place
}

// pinned is a place whose address stays what it is while its variables are assigned: `int &r = a[i]; i++`.
func (l *lowerer) pinned(v value, assigned map[string]bool) value {
	switch {
	case v.cat == vMem && slices.ContainsFunc(ir.Registers(v.x), func(r *ir.Reg) bool { return assigned[r.Name] }):
		v.x = l.temp(v.x)
	case v.cat == vAgg && v.lvalue:
		v.elems = slices.Clone(v.elems)
		for i, e := range v.elems {
			v.elems[i] = l.pinned(e, assigned)
		}
	}
	return v
}

// secondLook evaluates `c ? a : b` again, now as a place.
func (l *lowerer) secondLook(c *syntax.Node) value {
	pure := true
	walk(c, func(k *syntax.Node) bool {
		switch k.Kind {
		case "call_expression", "assignment_expression", "update_expression":
			pure = false
		}
		return pure
	})
	if pure {
		return l.placeExpr(c)
	}
	var x, y value
	l.inScratch(func() { x, y = l.expr(c.Child("consequence")), l.expr(c.Child("alternative")) })
	regs := append(x.regs(), y.regs()...)
	return l.unknown(c, "place chosen by a condition", true, regs...)
}

// newVariable makes a local variable: in registers if it can be, else in local memory.
func (l *lowerer) newVariable(name string, decl *syntax.Node, t *ctype) value {
	if t.kind == kOpaque || t.kind == kGroup || t.kind == kClosure || t.kind == kVoid || t.kind == kAuto {
		return value{t: t, cat: vPoison, reason: "variable of type " + t.String(), name: name}
	}
	if (decl == nil || !l.demoted[decl]) && (t.isScalar() || t.flat()) {
		v := l.place(t.unqualified(), name)
		v.t = v.t.qualified(t.isConst, t.volatile)
		return v.withDecl(decl)
	}
	if t.kind == kRecord && l.unlaid(t.rec) != "" {
		return value{t: t, cat: vPoison, reason: l.unlaid(t.rec), name: name}
	}
	if t.size() >= maxSize {
		return value{t: t, cat: vPoison, reason: "object of enormous size", name: name}
	}
	o := l.newObject(name, ir.Local, t)
	return value{t: t.qualified(false, false), cat: vMem, x: &ir.ObjAddr{Obj: o}, name: name, whole: true}
}

// assignedNames lists the variables that a body assigns by name.
func (l *lowerer) assignedNames(body *syntax.Node) map[string]bool {
	if m, ok := l.un.assigned[body]; ok {
		return m
	}
	m := map[string]bool{}
	walk(body, func(n *syntax.Node) bool {
		var target *syntax.Node
		switch n.Kind {
		case "assignment_expression":
			target = n.Child("left")
		case "update_expression":
			target = n.Child("argument")
		case "gnu_asm_output_operand":
			target = n.Child("value")
		case "pointer_expression":
			if n.Children[0].Kind == "&" {
				target = n.Child("argument")
			}
		}
		if name := baseName(target); name != nil {
			m[l.text(name)] = true
		}
		return true
	})
	l.un.assigned[body] = m
	return m
}

// assignedIn lists the variables whose assignments matter to a variable of the type: those of the function, or of the
// block in which a reference lives.
func (l *lowerer) assignedIn(t *ctype, decl *syntax.Node) map[string]bool {
	if t.kind != kRef || decl == nil {
		return l.frame.names
	}
	return l.assignedWith(decl)
}

// assignedWith lists the variables that the block assigns in which a declaration stands.
func (l *lowerer) assignedWith(decl *syntax.Node) map[string]bool {
	block := l.frame.body
	walk(block, func(n *syntax.Node) bool {
		within := n.Start <= decl.Start && decl.End <= n.End
		if within && n.Kind == "compound_statement" {
			block = n
		}
		return within
	})
	return l.assignedNames(block)
}

// baseName is the variable whose value an assignment to the place changes, or nil.
func baseName(n *syntax.Node) *syntax.Node {
	for n != nil {
		switch n.Kind {
		case "identifier":
			return n
		case "parenthesized_expression":
			kids := namedChildren(n)
			if len(kids) == 0 {
				return nil
			}
			n = kids[0]
		case "field_expression":
			if op := n.Child("operator"); op != nil && op.End-op.Start == 2 {
				return nil
			}
			n = n.Child("argument")
		default:
			return nil
		}
	}
	return nil
}
