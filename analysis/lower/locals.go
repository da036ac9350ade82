package lower

// This file lowers declarations of variables inside of functions.

import (
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/syntax"
)

// localDeclaration lowers the declaration of local variables.
func (l *lowerer) localDeclaration(n *syntax.Node) {
	c := &collector{u: l.un.u, global: l.scope.root()}
	if tn := n.Child("type"); tn != nil {
		c.typeSpecifier(tn, l.scope, nil)
	}
	t := l.specType(n, l.scope)
	if t == nil && l.looksLikeProduct(n) {
		return
	}
	if t == nil {
		if n.Child("type") == nil {
			return
		}
		t = opaque(l.words(n.Child("type")))
	}
	if hasWord(l.un.u, n, "constexpr") {
		t = t.qualified(true, false)
	}
	for i, d := range n.Children {
		if d.Field == "declarator" {
			l.local(n, t, d, n.Children[i+1:])
		}
	}
}

// looksLikeProduct handles `a * b;`, which the grammar takes for a declaration.
func (l *lowerer) looksLikeProduct(n *syntax.Node) bool {
	tn := n.Child("type")
	if tn == nil || tn.Kind != "type_identifier" {
		return false
	}
	syms := l.scope.lookup(l.text(tn))
	if len(syms) == 0 || syms[0].kind != symVar {
		return false
	}
	if d := n.Child("declarator"); d == nil || d.Kind != "pointer_declarator" || functionDeclarator(d) != nil {
		l.unknown(n, "syntax error", true) // the name is half typed, and the next line taken for its declaration
	}
	return true
}

// local lowers one declarator with its initializer.
func (l *lowerer) local(n *syntax.Node, t *ctype, d *syntax.Node, rest []*syntax.Node) {
	inner, init := d, defaultValue(rest)
	if d.Kind == "init_declarator" {
		inner, init = d.Child("declarator"), d.Child("value")
	} else if v := n.Child("value"); v != nil && init == nil { // the declaration of a condition
		init = v
	}
	if t.kind == kOpaque && init != nil {
		if r := l.resolve(typeName(n), l.scope); len(r.syms) > 0 && r.args == nil {
			if deduced := l.deducedFrom(r.syms[0], init); deduced != nil {
				t = deduced
			}
		}
	}
	if f := functionDeclarator(inner); f != nil {
		if !l.isConstruction(f) {
			if t.kind == kOpaque { // likewise
				l.unknown(n, "function "+l.text(f.Child("declarator"))+" of type "+t.String(), true)
				return
			}
			l.scope.add(&symbol{kind: symFunc, name: l.declName(f.Child("declarator")), node: n, decl: f})
			return
		}
		t = l.around(t, inner, f)
		inner, init = f.Child("declarator"), f.Child("parameters")
	}
	if sb := nameOf(inner); sb != nil && sb.Kind == "structured_binding_declarator" {
		l.structuredBinding(n, inner, sb, init)
		return
	}
	t, name := l.declarator(t, inner, l.scope)
	if name == nil {
		l.unknown(n, "declaration", true)
		return
	}
	text := l.text(name)
	space := l.spaceOf(n, ir.Local)
	if space != ir.Local || hasWord(l.un.u, n, "static") || hasWord(l.un.u, n, "extern") {
		l.staticLocal(n, t, text, name, space, init)
		return
	}
	if t.kind == kArray && t.len < 0 && init != nil {
		t = l.sizedByInit(t, init)
	}
	l.makeLocal(name, init, t, func() value { return l.initLocal(n, t, text, name, init) })
}

// typeName is the name of a declaration's type.
func typeName(n *syntax.Node) *syntax.Node {
	if t := n.Child("type"); t != nil {
		return t
	}
	return n
}

// parenthesizedDeclaration handles `int (*p)[4] = a;` and `T (&r)[4] = a;`, which the grammar
// takes for expressions.
func (l *lowerer) parenthesizedDeclaration(n, e *syntax.Node) bool {
	var init *syntax.Node
	if e.Kind == "assignment_expression" && l.text(e.Child("operator")) == "=" {
		e, init = e.Child("left"), e.Child("right")
	}
	var dims []*syntax.Node
	for e.Kind == "subscript_expression" {
		index := namedChildren(e.Child("indices"))
		if len(index) != 1 {
			return false
		}
		dims = append(dims, index[0])
		e = e.Child("argument")
	}
	if len(dims) == 0 || e.Kind != "call_expression" || e.Child("function") == nil {
		return false
	}
	args := namedChildren(e.Child("arguments"))
	if len(args) != 1 || args[0].Kind != "pointer_expression" || args[0].Child("argument").Kind != "identifier" {
		return false
	}
	t := l.tryType(e.Child("function"), l.scope)
	if t == nil {
		return false
	}
	for _, d := range dims {
		size, ok := l.constInt(d, l.scope)
		if !ok {
			return false
		}
		t = arrayOf(t, size)
	}
	name := args[0].Child("argument")
	if l.text(args[0].Child("operator")) == "&" {
		t = refTo(t)
	} else {
		t = pointerTo(t)
	}
	v := l.initLocal(n, t, l.text(name), name, init)
	l.scope.add(&symbol{kind: symVar, name: l.text(name), v: &v})
	return true
}

// isConstruction tells `dim3 grid(x, y)` from a function prototype: a parameter names no type.
func (l *lowerer) isConstruction(f *syntax.Node) bool {
	params := namedChildren(f.Child("parameters"))
	for _, p := range params {
		if p.Kind != "parameter_declaration" {
			return false
		}
		tn := p.Child("type")
		if tn == nil || l.tryType(tn, l.scope) != nil {
			return false
		}
	}
	return len(params) > 0
}

// staticLocal is a __shared__, static or extern variable declared in a function.
func (l *lowerer) staticLocal(n *syntax.Node, t *ctype, text string, name *syntax.Node, space ir.Space, init *syntax.Node) {
	if hasWord(l.un.u, n, "extern") && space != ir.Shared {
		if syms := l.scope.root().lookup(text); len(syms) > 0 {
			l.scope.share(text, syms...)
			return
		}
	}
	key := itoa(name.Start) + "#" + l.frame.key + l.instanceKey(l.scope)
	v, ok := l.globals[key]
	if !ok {
		v = l.makeStatic(n, t, text, space, init, key)
		l.globals[key] = v
	}
	l.scope.add(&symbol{kind: symVar, name: text, v: &v})
	if o, ok := v.x.(*ir.ObjAddr); ok && l.host && init != nil && o.Obj.Init == nil && v.cat == vMem {
		l.initOnce(v, init)
	}
}

// initOnce has a static variable of the host hold what its declaration says when that is passed for the first time. The body
// of main is entered once; of other places nobody knows whether it is the first time.
func (l *lowerer) initOnce(v value, init *syntax.Node) {
	set := func() {
		first := value{}
		switch {
		case init.Kind == "initializer_list":
			first = l.construct(v.t, nil, init, init)
		case init.Kind == "argument_list" || init.Kind == "parameter_list":
			first = l.construct(v.t, init, nil, init)
		default:
			first = l.expr(init)
		}
		if v.t.kind == kArray {
			for first.cat == vAgg && len(first.elems) < int(v.t.len) {
				first.elems = append(first.elems, l.zeroValue(v.t.elem, init))
			}
		}
		to := v
		to.t = v.t.unqualified()
		l.assign(to, first, init)
	}
	if l.fn.Name == "main" && l.frame.root && l.frame.continueTo == nil {
		set()
		return
	}
	l.maybe(init, "an earlier call", set, func() {})
}

func (l *lowerer) makeStatic(n *syntax.Node, t *ctype, text string, space ir.Space, init *syntax.Node, key string) value {
	if space == ir.Local { // static
		space = ir.Global
		if t.isConst && t.isScalar() && init != nil {
			if v, ok := l.constValue(init, l.scope); ok {
				return l.convertTo(v, t.unqualified(), init)
			}
		}
		if t.isConst {
			space = ir.Constant
		}
	}
	switch {
	case t.kind == kRecord && l.unlaid(t.rec) != "":
		return value{t: t, cat: vPoison, reason: l.unlaid(t.rec), name: text}
	case t.kind == kOpaque || t.kind == kAuto || t.kind == kGroup:
		return value{t: t, cat: vPoison, reason: "variable of type " + t.String(), name: text}
	}
	return l.objectVariable(text, n, t, space, init, l.scope, key)
}

// initLocal makes an automatic variable with its initial value.
func (l *lowerer) initLocal(n *syntax.Node, t *ctype, text string, name, init *syntax.Node) value {
	if init == nil {
		return l.uninitialized(n, t, text, name)
	}
	if t.kind == kArray && t.leaves() > maxFlatArray && isZeroList(l, init) {
		if elem, _ := t.innermost(); elem.isScalar() {
			place := l.newVariable(text, name, t)
			l.clearLoop(place, init)
			return place
		}
	}
	listInit := init.Kind == "initializer_list"
	argInit := init.Kind == "argument_list" || init.Kind == "parameter_list"
	if t.kind == kRecord && (listInit || argInit) && len(t.rec.ctors) > 0 && t.rec.lib == "" && l.unlaid(t.rec) == "" {
		return l.constructed(n, t, text, name, init)
	}
	var v value
	switch {
	case listInit && t.kind != kRef:
		v = l.construct(t, nil, init, init)
	case argInit && t.kind == kRef || argInit && t.kind == kAuto:
		kids := namedChildren(init)
		if len(kids) != 1 {
			v = l.unknown(init, "initializer of "+t.String(), true)
			break
		}
		v = l.expr(kids[0])
	case argInit:
		v = l.construct(t, init, nil, init)
	default:
		known := false
		if (t.isArithmetic() || t.kind == kAuto) && hasWord(l.un.u, n, "constexpr") { // such as the logarithm that a loop finds
			v, known = l.constValue(init, l.scope)
		}
		if !known {
			v = l.expr(init)
		}
	}
	if t.kind == kArray {
		return l.initArray(t, text, name, v, init)
	}
	if t.kind == kPtr && t.elem.kind == kAuto && v.cat == vPoison {
		t = tAuto // nobody knows what it points to
	}
	if t.kind != kPtr && t.kind != kRef && t.kind != kAuto && calls(init) {
		v.said = "" // an object that a call gives is one of its own, as from a pool
	}
	if again, ok := l.maybeRepeated(v, t, init); ok {
		v = again
	}
	bound := l.bindVariable(text, name, t, argument{v, init}, l.assignedIn(t, name))
	if t.kind == kRecord || t.kind == kAuto {
		l.destroyLater(bound, n)
	}
	return bound
}

func (l *lowerer) constructed(n *syntax.Node, t *ctype, text string, name, init *syntax.Node) value {
	obj := l.newVariable(text, name, t.unqualified())
	args := l.constructorArguments(t, init)
	if len(args) == 1 && args[0].v.t.kind == kRecord && args[0].v.t.rec == t.rec && !(args[0].v.isPlace() && l.copies(t.rec, args[0].v.moved)) {
		l.assign(obj, l.load(args[0].v, init), init)
	} else if !l.initialize(obj, t, args, n) {
		l.unknown(n, "constructor of "+t.String(), false, append(obj.regs(), l.reachable(values(args))...)...)
	}
	l.destroyLater(obj, n)
	obj.t = obj.t.qualified(t.isConst, t.volatile)
	return obj
}

// constructorArguments are what a constructor is given for `(args)` or `{list}`.
func (l *lowerer) constructorArguments(t *ctype, init *syntax.Node) []argument {
	if init.Kind == "initializer_list" {
		return l.listArguments(t, init)
	}
	return l.arguments(init)
}

func (l *lowerer) initArray(t *ctype, text string, name *syntax.Node, v value, init *syntax.Node) value {
	if v.t.kind == kArray && t.len < 0 {
		t = arrayOf(t.elem, v.t.len)
	}
	if v.cat == vAgg && int64(len(v.elems)) == t.len && t.flat() && !l.isPlaced(name) && allFixed(v) && !l.needsCleanup(t) {
		v.t, v.name = t, text
		return v.withDecl(name)
	}
	place := l.newVariable(text, name, t)
	if v.cat == vMem && v.name == "string literal" {
		v = l.loadWhole(value{t: arrayOf(v.t.elem, min(v.t.len, max(t.len, 0))), cat: vMem, x: v.x}, init)
	}
	if place.cat == vAgg && v.cat == vAgg && len(v.elems) < len(place.elems) {
		for i := len(v.elems); i < len(place.elems); i++ {
			v.elems = append(v.elems, l.zeroValue(t.elem, init))
		}
	}
	l.assign(place, v, init)
	l.destroyLater(place, init)
	return place
}

// isZeroList reports whether an initializer is {} or {0}.
func isZeroList(l *lowerer, init *syntax.Node) bool {
	items := namedChildren(init)
	if init.Kind != "initializer_list" || len(items) > 1 {
		return false
	}
	return len(items) == 0 || items[0].Kind == "number_literal" && strings.Trim(l.text(items[0]), "0.fF") == ""
}

// allFixed reports whether all parts of a value are constants or addresses of variables, so
// that an array of them needs no registers until it is changed.
func allFixed(v value) bool {
	return v.eachPart(func(v value) bool {
		_, ok := v.x.(*ir.Const)
		return v.cat == vFns || v.cat == vRval && (ok || v.target != nil)
	})
}

// clearLoop zeroes a big array of scalars, whatever its dimensions.
func (l *lowerer) clearLoop(place value, n *syntax.Node) {
	elem, _ := place.t.innermost()
	l.eachElement(place, n, func(e value) { l.assign(e, rval(elem, zero(elem.ir())), n) })
}

// eachElement does something with each element of an array in memory, in a loop.
func (l *lowerer) eachElement(place value, n *syntax.Node, do func(e value)) {
	elem, dims := place.t.innermost()
	count := int64(1)
	for _, d := range dims {
		count *= d
	}
	i := l.newReg(ir.I64, "")
	body := l.collectStmts(func() {
		p := l.pointerAdd(value{t: pointerTo(elem), cat: vRval, x: place.x, name: place.name}, &ir.RegRef{R: i}, n)
		do(l.deref(p, n))
	})
	if len(body) == 0 {
		return
	}
	l.emit(&ir.Assign{Dst: i, X: constInt(ir.I64, 0)})
	post := []ir.Stmt{&ir.Assign{Dst: i, X: binary(ir.Add, &ir.RegRef{R: i}, constInt(ir.I64, 1))}}
	l.emit(&ir.Loop{Label: l.newLabel(), Cond: binary(ir.Lt, &ir.RegRef{R: i}, constInt(ir.I64, count)), Body: body, Post: post, Site: l.site(n, "")})
}

// uninitialized declares a variable without initializer: classes run their constructor.
func (l *lowerer) uninitialized(n *syntax.Node, t *ctype, text string, name *syntax.Node) value {
	if t.kind == kRecord && t.rec.lib != "" {
		return l.libVariable(t, text, name)
	}
	if t.kind == kOpaque && !l.host {
		l.unknown(n, "variable of type "+t.String(), false)
	}
	v := l.newVariable(text, name, t)
	if v.cat != vPoison {
		l.defaultInitialize(v, n)
	} else if !l.host && t.kind == kRecord {
		l.unknown(n, v.reason, false)
	}
	l.destroyLater(v, n)
	return v
}

// defaultInitialize runs the default constructors of an object ([dcl.init]).
func (l *lowerer) defaultInitialize(v value, n *syntax.Node) {
	switch t := v.t; {
	case t.kind == kArray && t.hasInitializers():
		if v.cat == vMem {
			l.eachElement(v, n, func(e value) { l.defaultInitialize(e, n) })
			return
		}
		for i := range t.len {
			l.defaultInitialize(l.element(v, i), n)
		}
	case t.kind != kRecord:
	case t.rec.name == "dim3":
		l.assign(v, l.dim3(t, nil), n)
	case len(t.rec.ctors) > 0:
		l.initialize(v, t, nil, n)
	case t.rec.sym != nil && !t.rec.union:
		l.fieldInits(v, t.rec, nil, n)
	}
}

// hasInitializers reports whether objects of a type have values from the start.
func (t *ctype) hasInitializers() bool {
	switch t.kind {
	case kArray:
		return t.elem.hasInitializers()
	case kRecord:
		return t.rec.sym != nil && t.rec.lib == "" && (len(t.rec.ctors) > 0 ||
			slices.ContainsFunc(t.rec.fields, func(f field) bool { return f.init != nil || f.t.hasInitializers() }))
	}
	return false
}

func (l *lowerer) structuredBinding(n *syntax.Node, d, sb, init *syntax.Node) {
	var v value
	if init != nil {
		v = l.parted(sb, init)
	}
	if d.Kind != "reference_declarator" {
		v = l.copied(v, n)
	} else {
		v = l.pinned(v, l.assignedWith(sb))
	}
	l.bindParts(n, v, sb)
}

// copied is a copy of an object, whose parts a structured binding names.
func (l *lowerer) copied(v value, n *syntax.Node) value {
	v = l.loadWhole(v, n)
	if v.cat != vAgg || v.t.kind != kRecord && v.t.kind != kArray {
		return v
	}
	place := l.place(v.t, "")
	l.assign(place, v, n)
	return place
}

// bindParts gives the parts of an object the names of a structured binding.
func (l *lowerer) bindParts(n *syntax.Node, v value, sb *syntax.Node) {
	names := namedChildren(sb)
	if v.t != nil && v.t.kind == kRecord && len(v.t.rec.fields) == 1 && len(names) > 1 && v.t.rec.fields[0].t.kind == kArray {
		v = l.member(v, 0) // std::array, whose parts are its elements
	}
	for i, name := range names {
		var e value
		switch {
		case v.t != nil && v.t.kind == kRecord && i < len(v.t.rec.fields):
			e = l.member(v, i)
		case v.t != nil && v.t.kind == kArray:
			e = l.element(v, int64(i))
		default:
			e = l.unknown(n, "structured binding", false)
			e.said = l.partSaid(sb, i)
		}
		e.name = l.text(name)
		l.scope.add(&symbol{kind: symVar, name: l.text(name), v: &e})
	}
}
