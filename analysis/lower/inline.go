package lower

// This file lowers the body of a called function in the caller's place: how deep, where its results go, what a return does.

import (
	"slices"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/source"
	"github.com/warplint/warplint/analysis/syntax"
)

// inline lowers the body of a function in place of a call.
func (l *lowerer) inline(n *syntax.Node, c *candidate, this *value, args []argument) value {
	body := c.sym.node.Child("body")
	if body == nil {
		return l.opaqueCall(n, "no definition of "+c.sym.name, withObject(args, this, c.sym, n))
	}
	if l.unevaluated > 0 {
		if v, ok := l.resultLike(l.returnType(c)); ok {
			return v
		}
	}
	if reason := l.tooDeep(body, c.key, this == nil && constantArgs(args)); reason != "" {
		l.launchesAgain = l.launchesAgain || l.host && reason == "recursion" && l.un.launching[c.sym.node]
		return l.giveUpCall(n, c, reason, this, args)
	}
	if l.host && !l.worthInlining(c.sym) {
		return l.giveUpCall(n, c, "call of "+c.sym.name, this, args)
	}
	in := newScope(c.scope, scopeFunction)
	in.this = this
	if this == nil && c.sym.scope != nil && c.sym.scope.kind != scopeClass {
		in.this = nil
	}
	base := len(l.cleanups)
	l.bindParams(in, c, args)
	l.brokenHeader(c.sym.node)
	v := l.enterBody(n, in, body, l.returnType(c), c.key, func() {})
	if len(l.cleanups) > base { // parameters end with the call
		v = l.frozen(v, n)
		l.endScope(base)
	}
	return v
}

// brokenHeader makes unknown what was not understood of a definition but for its body, such as the initializers of members
// behind a macro that the grammar took for a type.
func (l *lowerer) brokenHeader(n *syntax.Node) {
	for _, k := range n.Children {
		if k.HasError && k.Field != "body" {
			l.unknown(k, "syntax error", true)
			return
		}
	}
}

// resultLike is any value of a function's declared result.
func (l *lowerer) resultLike(ret *ctype) (value, bool) {
	switch {
	case ret == nil || ret.kind == kOpaque || ret.noRef().kind == kAuto:
		return value{}, false
	case ret.kind == kVoid:
		return value{t: tVoid}, true
	case ret.kind == kRef:
		return value{t: ret.elem, cat: vMem, x: zero(ir.Ptr)}, true
	case ret.isScalar():
		return rval(ret.unqualified(), zero(ret.ir())), true
	}
	return value{t: ret.unqualified(), cat: vMem, x: zero(ir.Ptr)}, true
}

// giveUpCall is an opaque call whose result type is known.
func (l *lowerer) giveUpCall(n *syntax.Node, c *candidate, reason string, this *value, args []argument) value {
	args = withObject(shared(c, args), this, c.sym, n)
	ret := l.returnType(c)
	if ret != nil && ret.kind != kRef && ret.isScalar() {
		l.clobberArgs(n, reason, args)
		return l.load(l.unknownOf(n, ret, reason, true), n)
	}
	v := l.opaqueCall(n, reason, args)
	if ret != nil && ret.kind == kVoid {
		return value{t: tVoid}
	}
	return v
}

// withObject adds the object of a member function that may change it.
func withObject(args []argument, this *value, sym *symbol, n *syntax.Node) []argument {
	if this == nil || sym.decl == nil || isConstMember(sym.decl) {
		return args
	}
	return append(slices.Clone(args), argument{*this, n})
}

// shared leaves out the arguments of which a callee gets a copy that points nowhere: it can't change them.
func shared(c *candidate, args []argument) []argument {
	var out []argument
	for i, a := range args {
		if i >= len(c.types) || !isPlain(c.types[i]) {
			out = append(out, a)
		}
	}
	return out
}

// isPlain reports whether a parameter of a type is a copy without pointers.
func isPlain(t *ctype) bool {
	if t.kind != kRecord {
		return t.isArithmetic()
	}
	if len(t.rec.ctors) > 0 || t.rec.lib != "" || t.rec.reason != "" {
		return false
	}
	for _, f := range t.rec.fields {
		if !isPlain(f.t) {
			return false
		}
	}
	return true
}

// tooDeep bounds inlining. A function that has once exceeded the bound of recursion is not
// inlined in itself at all when the function is lowered again.
//
// With constant arguments, recursion ends by what they are, and is bounded by its work alone.
func (l *lowerer) tooDeep(body *syntax.Node, key string, constant bool) string {
	same := 0
	me := activation{body, key}
	for _, a := range l.active {
		if a == me {
			same++
		}
	}
	if constant && same >= 1 {
		if l.un.evaluated++; l.un.evaluated <= maxEvaluated && same < maxConstantDepth && !l.full {
			return ""
		}
	}
	switch {
	case same >= 1 && l.recursive[me]:
		return "recursion"
	case same >= maxRecursion:
		if l.scratch == 0 {
			l.recursive[me], l.again = true, true
		}
		return "recursion"
	case len(l.active) >= maxDepth:
		return "calls nested too deeply"
	case l.full:
		return "too many statements"
	}
	return ""
}

// constantArgs reports whether a call's arguments are all constants.
func constantArgs(args []argument) bool {
	for _, a := range args {
		if a.v.cat != vRval || !allConst(a.v) {
			return false
		}
	}
	return len(args) > 0
}

// returnType is the declared result of a function, nil for auto.
func (l *lowerer) returnType(c *candidate) *ctype {
	node, s := c.sym.node, c.scope
	if c.sym.decl != nil && c.sym.decl.Kind == "operator_cast" {
		t := l.typeNode(c.sym.decl.Child("type"), s)
		d := c.sym.decl.Child("declarator")
		for d != nil && d.Kind != "abstract_function_declarator" {
			switch d.Kind {
			case "abstract_pointer_declarator":
				t = pointerTo(t)
			case "abstract_reference_declarator":
				t = l.reference(t, d)
			}
			d = innerDeclarator(d)
		}
		return t
	}
	for _, k := range namedChildren(c.sym.decl) {
		if k.Kind == "trailing_return_type" {
			return l.typeNode(namedChildren(k)[0], s)
		}
	}
	t := l.specType(node, s)
	if t == nil {
		if node.Child("type") == nil {
			return tVoid // a constructor
		}
		return opaque(l.text(node.Child("type")))
	}
	t = l.around(t, node.Child("declarator"), c.sym.decl)
	if t.kind == kAuto || t.kind == kPtr && t.pointee().kind == kAuto {
		return nil
	}
	return t
}

// around is a type with what a declarator makes of it before it comes to an inner one, as to the function of `float *f(int)`.
func (l *lowerer) around(t *ctype, d, inner *syntax.Node) *ctype {
	for ; d != nil && d != inner; d = innerDeclarator(d) {
		switch d.Kind {
		case "pointer_declarator":
			t = pointerTo(t)
		case "reference_declarator":
			t = l.reference(t, d)
		}
	}
	return t
}

// frame is a function that is being lowered: the kernel itself or an inlined one.
type frame struct {
	outer  *frame
	ret    *ctype // nil: deduced
	label  *ir.Label
	used   bool
	top    *[]ir.Stmt
	result value
	placed bool
	direct *value
	key    string // tells static variables of template instances apart
	root   bool   // a return ends the thread
	jumps
	gotos  map[string]gotoTarget
	base   int             // cleanups there were at the start
	names  map[string]bool // assigned in the body
	body   *syntax.Node
	unused bool // nobody takes the value
}

// jumps are the targets of break and continue, and how many cleanups stay there.
type jumps struct {
	breakTo, continueTo     *ir.Label
	breakBase, continueBase int
}

// enterLibrary notes the call of a function. What a library does is shown where it is called, with all its calls
// as that one.
func (l *lowerer) enterLibrary(call, body *syntax.Node) {
	from := l.library
	if l.library = nil; l.un.u.Known(body.Start) {
		if l.library = from; from == nil {
			l.library = call
		}
		return
	}
	if from != nil {
		call = from
	}
	l.inlined = append(append([]source.Span{}, l.inlined...), l.un.u.Origin(call.Start, call.End).Span)
	l.calls = append(append([][2]int{}, l.calls...), [2]int{call.Start, call.End})
}

// enterBody lowers a function body as part of the current one and returns its result.
func (l *lowerer) enterBody(call *syntax.Node, in *scope, body *syntax.Node, ret *ctype, key string, first func()) value {
	f := &frame{outer: l.frame, ret: ret, label: l.newLabel(), key: key, body: body, names: l.assignedNames(body), base: len(l.cleanups), unused: l.unused[call]}
	oldScope, oldStmt, oldSpan, oldInlined, oldPack := l.scope, l.stmt, l.stmtSpan, l.inlined, l.packIndex
	oldCalls := l.calls
	l.frame, l.scope, l.packIndex = f, in, -1
	oldLibrary := l.library
	l.enterLibrary(call, body)
	l.active = append(l.active, activation{body, key})
	list := l.collectStmts(func() {
		f.top = l.out
		first()
		l.compound(body, true)
	})
	l.active = l.active[:len(l.active)-1]
	l.frame, l.scope, l.stmt, l.stmtSpan, l.inlined, l.packIndex = f.outer, oldScope, oldStmt, oldSpan, oldInlined, oldPack
	l.calls, l.library = oldCalls, oldLibrary
	if f.used {
		l.emit(&ir.Block{Label: f.label, Body: list})
	} else {
		*l.out = append(*l.out, list...)
	}
	return l.result(f, call)
}

func (l *lowerer) result(f *frame, call *syntax.Node) value {
	switch {
	case f.direct != nil:
		return *f.direct
	case f.placed:
		if f.ret != nil && f.ret.kind == kRef {
			return l.deref(f.result, call)
		}
		return l.load(f.result, call)
	case f.ret == nil || f.ret.kind == kVoid:
		return value{t: tVoid}
	}
	return l.unknownOf(call, f.ret.noRef(), "function without a return", false)
}

// returnStmt lowers a return. In tail position nothing has to be left.
func (l *lowerer) returnStmt(n *syntax.Node, tail bool) {
	f := l.frame
	kids := namedChildren(n)
	if f.root {
		if len(kids) > 0 {
			l.discard(kids[0])
		}
		l.runCleanups(f.base)
		l.emit(&ir.Return{})
		return
	}
	if len(kids) > 0 && (f.ret == nil || f.ret.kind != kVoid) {
		l.returnValue(f, kids[0], tail)
	} else if len(kids) > 0 {
		l.discard(kids[0])
	}
	if !tail {
		l.runCleanups(f.base)
		f.used = true
		l.emit(&ir.Break{Target: f.label})
	}
}

func (l *lowerer) returnValue(f *frame, e *syntax.Node, tail bool) {
	isRef := f.ret != nil && f.ret.kind == kRef
	if f.unused {
		l.valueUnused(e)
	}
	var v value
	if isRef && !f.ret.rvalue {
		v = l.placeExpr(e)
	} else {
		v = l.expr(e)
	}
	if d := v.decl; !isRef && d != nil && stripParens(e).Kind == "identifier" && f.body != nil && f.body.Start <= d.Start && d.End <= f.body.End {
		v.moved = v.isPlace() // its own variable ends here ([class.copy.elision])
	}
	if !isRef {
		if f.ret != nil {
			v = l.convertTo(v, f.ret.unqualified(), e)
		} else {
			v = l.decay(l.load(v, e), e)
		}
	}
	direct := tail && l.out == f.top && !f.placed
	if (isRef || f.ret == nil && (!direct || len(l.cleanups) > f.base)) && l.isGiven(v, e) { // which may be decltype(auto)
		v = l.unknown(e, "reference to what "+l.words(e)+" gives", true)
	}
	if direct {
		if len(l.cleanups) > f.base && !isRef {
			v = l.frozen(v, e)
		}
		f.direct = &v
		return
	}
	if v.cat == vVoid {
		return
	}
	if isRef {
		l.returnReference(f, v, e)
		return
	}
	if !f.placed {
		t := v.t
		if f.ret != nil {
			t = f.ret
		}
		if !t.isScalar() && !t.flat() || t.kind == kClosure || t.kind == kGroup || t.kind == kOpaque {
			f.result = l.newVariable("", nil, t)
		} else {
			f.result = l.place(t.unqualified(), "")
		}
		f.placed = true
	}
	if f.result.t.kind == kRecord && v.t.kind != kRecord || f.ret == nil {
		v = l.convertTo(v, f.result.t, e)
	}
	l.assign(f.result, v, e)
}

// returnReference keeps the address of the place that is returned.
func (l *lowerer) returnReference(f *frame, v value, e *syntax.Node) {
	if v.cat == vReg || v.cat == vAgg {
		if !l.demote(v) {
			l.unknown(e, "reference to one of several variables", false)
			return
		}
	}
	if !f.placed {
		f.result = l.place(pointerTo(f.ret.elem), "")
		f.placed = true
	}
	if v.cat == vMem {
		l.emit(&ir.Assign{Dst: f.result.reg, X: v.x})
	} else {
		l.emit(&ir.Unknown{Reason: reasonOf(v), Dst: f.result.regs(), Site: l.site(e, "")})
	}
}
