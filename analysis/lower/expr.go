package lower

// This file lowers expressions.

import (
	"strings"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/syntax"
)

// expr evaluates an expression; a place is not read.
func (l *lowerer) expr(n *syntax.Node) value {
	if n == nil {
		return value{t: tVoid}
	}
	if l.nesting++; l.nesting > maxNesting || l.full {
		l.nesting--
		return l.unknown(n, "too deeply nested", true)
	}
	v := l.exprKind(n)
	l.nesting--
	if v.t == nil {
		v.t = tVoid
	}
	if l.host && v.cat == vPoison && (v.said == "" || n.Kind != "identifier") {
		v.said = l.sayingAgain(n)
	}
	return v
}

func (l *lowerer) exprKind(n *syntax.Node) value {
	switch n.Kind {
	case "number_literal":
		return l.number(n)
	case "char_literal":
		return l.char(n)
	case "string_literal", "concatenated_string", "raw_string_literal":
		return l.stringLiteral(n)
	case "true":
		return rval(tBool, constBool(true))
	case "false":
		return rval(tBool, constBool(false))
	case "null":
		return rval(tNull, zero(ir.Ptr))
	case "identifier", "type_identifier", "qualified_identifier", "template_function", "field_identifier", "namespace_identifier", "operator_name", "template_type", "dependent_name":
		return l.name(n)
	case "this":
		if this := l.thisValue(); this != nil {
			return l.addressOf(*this, n)
		}
		return l.unknown(n, "this outside of a class", false)
	case "parameter_declaration":
		if d := n.Child("declarator"); d != nil && n.Child("type") != nil {
			return l.expr(declaredExpr(n.Child("type"), d))
		}
		return l.inner(n)
	case "parenthesized_expression", "type_descriptor", "condition_clause", "extension_expression":
		return l.inner(n)
	case "comma_expression":
		l.discard(n.Child("left"))
		return l.expr(n.Child("right"))
	case "binary_expression":
		if r := l.regrouped(n); r != nil {
			return l.expr(r)
		}
		return l.binaryExpr(n)
	case "unary_expression":
		if r := l.regrouped(n); r != nil {
			return l.expr(r)
		}
		return l.unaryExpr(n)
	case "pointer_expression":
		if r := l.regrouped(n); r != nil {
			return l.expr(r)
		}
		return l.pointerExpr(n)
	case "update_expression":
		return l.update(n, true)
	case "assignment_expression":
		return l.assignment(n)
	case "subscript_expression":
		return l.subscript(n)
	case "field_expression":
		return l.fieldExpr(n)
	case "call_expression":
		return l.callExpr(n)
	case "cast_expression":
		if r := l.regrouped(n); r != nil {
			return l.expr(r)
		}
		return l.cast(n.Child("value"), l.typeNode(n.Child("type"), l.scope))
	case "conditional_expression":
		return l.conditional(n)
	case "sizeof_expression", "alignof_expression":
		return l.sizeOf(n)
	case "lambda_expression":
		return l.lambda(n)
	case "compound_literal_expression":
		return l.construct(l.typeNode(n.Child("type"), l.scope), nil, n.Child("value"), n)
	case "initializer_list":
		return value{t: tAuto, cat: vAgg, init: n}
	case "gnu_asm_expression":
		return l.asm(n)
	case "compound_statement":
		return l.statementExpr(n)
	case "offsetof_expression":
		return l.offsetOf(n)
	case "fold_expression":
		return l.fold(n)
	case "parameter_pack_expansion":
		return l.unknown(n, "pack expansion", false)
	case "primitive_type":
		return l.unknown(n, "type in an expression", false)
	case "new_expression":
		return l.newExpr(n)
	case "delete_expression":
		return l.deleteExpr(n)
	case "user_defined_literal":
		return l.unknown(n, "user-defined literal", false)
	}
	return l.unknown(n, "expression "+strings.ReplaceAll(n.Kind, "_", " "), true)
}

// statementExpr evaluates a block in parentheses, which compilers know as an extension: its value is that of its last
// statement.
func (l *lowerer) statementExpr(n *syntax.Node) value {
	defer l.pushScope()()
	base, last := len(l.cleanups), lastNamed(n.Children)
	if last < 0 || n.Children[last].Kind != "expression_statement" {
		l.list(n.Children, false)
		l.endScope(base)
		return value{t: tVoid}
	}
	l.list(n.Children[:last], false)
	v := l.inner(n.Children[last])
	if v.t != nil && v.t.isScalar() {
		v = l.load(v, n)
	}
	l.endScope(base)
	return v
}

// inner evaluates the one expression inside parentheses.
func (l *lowerer) inner(n *syntax.Node) value {
	kids := namedChildren(n)
	if len(kids) == 0 {
		return l.unknown(n, "syntax error", false)
	}
	return l.expr(kids[len(kids)-1])
}

func stripParens(n *syntax.Node) *syntax.Node {
	for n != nil && n.Kind == "parenthesized_expression" {
		kids := namedChildren(n)
		if len(kids) != 1 {
			return n
		}
		n = kids[0]
	}
	return n
}

// rval evaluates an expression and reads the place that it names.
func (l *lowerer) rval(n *syntax.Node) value { return l.load(l.expr(n), n) }

// discard evaluates an expression for its effects.
func (l *lowerer) discard(n *syntax.Node) {
	switch n = stripParens(n); {
	case n == nil:
	case n.Kind == "update_expression":
		l.update(n, false)
	case n.Kind == "comma_expression":
		l.discard(n.Child("left"))
		l.discard(n.Child("right"))
	default:
		l.valueUnused(n)
		v := l.expr(n)
		switch {
		case readsDiscarded(n) && v.cat == vMem && v.t.volatile:
			l.load(v, n)
		case v.isTemporary() && l.needsCleanup(v.t) && (!l.host || l.changesMore(v.t)):
			l.destroy(l.materialized(v, n), n)
		}
	}
}

// readsDiscarded reports whether a volatile place is read though its value is not used
// ([expr.context]).
func readsDiscarded(n *syntax.Node) bool {
	switch n.Kind {
	case "identifier", "subscript_expression", "pointer_expression", "field_expression":
		return true
	}
	return false
}

// scalar evaluates an expression to a value of a scalar type.
func (l *lowerer) scalar(n *syntax.Node, t *ctype) ir.Expr {
	return l.toScalar(l.expr(n), t, n)
}

func (l *lowerer) toScalar(v value, t *ctype, n *syntax.Node) ir.Expr {
	v = l.convertTo(v, t, n)
	if x := l.bits(v); x != nil && x.Type() == t.ir() {
		return x
	}
	r := l.newReg(t.ir(), "")
	l.emit(&ir.Unknown{Reason: "value of type " + v.t.String(), Dst: []*ir.Reg{r}, Site: l.site(n, "")})
	return &ir.RegRef{R: r}
}

// bits is the expression that a scalar rvalue holds. A pointer to a variable in registers
// makes the variable move to memory.
func (l *lowerer) bits(v value) ir.Expr {
	if v.cat == vFns {
		return l.functionAddress(v.fns)
	}
	if v.cat != vRval {
		return nil
	}
	if v.target != nil {
		l.demote(*v.target)
		if v.target.decl == nil {
			return nil
		}
		return zero(ir.Ptr)
	}
	return v.x
}

// address is bits for an operand that has to be a pointer, nil for what is none.
func (l *lowerer) address(v value, n *syntax.Node) ir.Expr {
	if v = l.decay(v, n); v.t.kind != kPtr && v.t.kind != kNull && !v.t.isInt() {
		return nil
	}
	if x := l.bits(v); x != nil {
		return convert(x, ir.Ptr)
	}
	return nil
}

// cond evaluates a condition.
func (l *lowerer) cond(n *syntax.Node) ir.Expr { return l.scalar(n, tBool) }

// name evaluates an identifier.
func (l *lowerer) name(n *syntax.Node) value {
	r := l.resolve(n, l.scope)
	if len(r.syms) == 0 || l.hiddenByMember(r) {
		return l.builtinName(n, r)
	}
	sym := r.syms[0]
	switch sym.kind {
	case symVar:
		return l.variable(n, sym, r)
	case symEnumConst:
		return l.enumConst(sym)
	case symFunc:
		t := &ctype{kind: kFunc, elem: tVoid}
		if len(r.syms) == 1 && sym.tparams == nil && r.rec == nil {
			t = l.functionType(sym)
		}
		return value{t: t, cat: vFns, fns: &fnset{name: r.name, syms: r.syms, args: r.args, scope: l.scope, canon: r.canon, rec: r.rec, exact: r.qual}}
	case symPack:
		if l.packIndex >= 0 && l.packIndex < len(sym.pack) && sym.pack[l.packIndex].v != nil {
			return *sym.pack[l.packIndex].v
		}
		return l.unknown(n, "pack outside of an expansion", false)
	case symNamespace:
		return l.builtinName(n, r)
	}
	return l.unknown(n, "type in an expression", false)
}

// hiddenByMember reports whether a name that was found outside of the class whose method is being
// lowered, in a namespace or in the function that the class is local to, means a data member there, which no scope lists.
func (l *lowerer) hiddenByMember(r nameRef) bool {
	if r.qual || r.args != nil {
		return false
	}
	for s := l.scope; s != nil; s = s.parent {
		if len(s.own(r.name)) > 0 {
			return false
		}
		if s.kind == scopeClass && s.rec != nil && s.rec.findField(r.name) != nil {
			return true
		}
	}
	return false
}

// field returns the member of a class that an unqualified or qualified name means in a method.
func (l *lowerer) memberByName(n *syntax.Node, name string, rec *record) (value, bool) {
	this := l.thisValue()
	if this == nil || this.t.kind != kRecord {
		return value{}, false
	}
	obj := *this
	if rec != nil {
		path := obj.t.rec.basePath(rec)
		if path == nil {
			return value{}, false
		}
		obj = l.memberPath(obj, path)
	}
	path := obj.t.rec.findField(name)
	if path == nil {
		return value{}, false
	}
	m := l.throughRef(l.memberPath(obj, path), n)
	switch {
	case obj.name == "": // a field of a temporary says nothing to anyone: what it points to has a name of its own
		m.name = ""
	case m.isPlace():
		m.name = join(obj.name, name)
	}
	return m, true
}

func (l *lowerer) thisValue() *value {
	for s := l.scope; s != nil; s = s.parent {
		if s.this != nil {
			return s.this
		}
	}
	return nil
}

func (l *lowerer) enumConst(sym *symbol) value {
	t := tInt
	for _, s := range sym.scope.lookup(l.enumName(sym.node)) {
		if s.node == sym.node && s.kind == symAlias {
			if et := l.symType(s, nil, sym.scope); et != nil {
				t = et
			}
		}
	}
	if sym.v == nil {
		if sym.busy {
			return intValue(0)
		}
		sym.busy = true
		v := value{}
		switch {
		case sym.value != nil:
			if c, ok := l.constValue(sym.value, sym.scope); ok {
				v = c
			}
		case sym.prev != nil:
			if p := l.enumConst(sym.prev); p.x != nil {
				v = rval(t, binary(ir.Add, convert(p.x, ir.I64), constInt(ir.I64, 1)))
			}
		default:
			v = intValue(0)
		}
		sym.busy = false
		sym.v = &v
	}
	if sym.v.x == nil {
		return value{t: opaque("unknown"), cat: vPoison, reason: "enumeration constant " + sym.name}
	}
	return rval(t, convert(sym.v.x, t.scalar))
}

func (l *lowerer) enumName(n *syntax.Node) string {
	if nn := n.Child("name"); nn != nil {
		return l.text(nn)
	}
	return anonymous(n)
}

// unaryExpr lowers ! ~ - +.
func (l *lowerer) unaryExpr(n *syntax.Node) value {
	op, arg := l.text(n.Child("operator")), n.Child("argument")
	if op == "!" || op == "not" {
		if v := l.expr(arg); v.t.kind != kRecord {
			return rval(tBool, unary(ir.LogNot, l.toScalar(v, tBool, arg)))
		} else if r, ok := l.operator(n, "operator!", []value{v}, []*syntax.Node{arg}); ok {
			return r
		} else {
			return rval(tBool, unary(ir.LogNot, l.toScalar(v, tBool, arg)))
		}
	}
	v := l.expr(arg)
	if v.t.kind == kRecord || v.t.kind == kEnum {
		if r, ok := l.operator(n, "operator"+op, []value{v}, []*syntax.Node{arg}); ok {
			return r
		}
	}
	v = l.unwrap(l.load(l.operand(v, arg), arg), arg).widened()
	if v.cat == vPoison {
		return v
	}
	if op == "+" && (v.t.kind == kPtr || v.t.kind == kArray) {
		return l.decay(v, arg)
	}
	if !v.t.isArithmetic() || v.cat != vRval {
		return l.unknown(n, "operator "+op+" on "+v.t.String(), false)
	}
	t := v.t.unqualified()
	if t.isInt() {
		t = promote(t)
	}
	x := convert(v.x, t.scalar)
	switch op {
	case "-":
		return rval(t, unary(ir.Neg, x))
	case "~", "compl":
		if !t.isInt() {
			return l.unknown(n, "operator ~ on "+t.String(), false)
		}
		return rval(t, unary(ir.BitNot, x))
	}
	return rval(t, x)
}

// pointerExpr lowers *p and &x.
func (l *lowerer) pointerExpr(n *syntax.Node) value {
	arg := n.Child("argument")
	var v value
	if l.text(n.Child("operator")) == "&" {
		v = l.placeExpr(arg)
	} else {
		v = l.expr(arg)
	}
	if l.text(n.Child("operator")) == "&" {
		if v.t.kind == kRecord {
			if r, ok := l.operator(n, "operator&", []value{v}, []*syntax.Node{arg}); ok {
				return r
			}
		}
		return l.addressOf(v, n)
	}
	if v.t.kind == kRecord {
		if r, ok := l.operator(n, "operator*", []value{v}, []*syntax.Node{arg}); ok {
			return r
		}
	}
	return l.deref(v, arg)
}

func (l *lowerer) addressOf(v value, n *syntax.Node) value {
	switch v.cat {
	case vMem:
		if v.field != nil {
			return l.unknown(n, "address of a bit-field", false)
		}
		return value{t: pointerTo(v.t), cat: vRval, x: v.x, name: v.name}
	case vReg, vAgg, vStatic:
		target := v
		return value{t: pointerTo(v.t), cat: vRval, target: &target, name: v.name}
	case vRval:
		if v.decl != nil {
			target := v
			return value{t: pointerTo(v.t), cat: vRval, target: &target, name: v.name}
		}
	case vFns, vPoison:
		return v
	}
	return l.unknown(n, "address of a temporary", false)
}

// deref is the place that a pointer points to.
func (l *lowerer) deref(v value, n *syntax.Node) value {
	v = l.decay(l.load(l.operand(v, n), n), n)
	switch {
	case v.cat == vFns || v.cat == vPoison:
		return v
	case v.t.kind == kRecord || v.t.kind == kClosure:
		return l.unknown(n, "dereference of "+v.t.String(), false)
	case v.t.kind != kPtr:
		return l.unknown(n, "dereference of "+v.t.String(), false)
	case v.target != nil:
		return *v.target
	case v.t.elem.kind == kFunc:
		return v // a function is a pointer to it wherever it stands ([conv.func])
	}
	return value{t: v.t.elem, cat: vMem, x: v.x, name: v.name}
}

// decay turns an array into a pointer to its first element.
func (l *lowerer) decay(v value, n *syntax.Node) value {
	if v.t.kind != kArray {
		return v
	}
	p := pointerTo(v.t.elem)
	switch v.cat {
	case vMem:
		return value{t: p, cat: vRval, x: v.x, name: v.name}
	case vAgg:
		if len(v.elems) > 0 && v.decl == nil {
			return l.unknown(n, "address of a temporary array", false)
		}
		l.demote(v)
		return value{t: p, cat: vRval, x: zero(ir.Ptr), name: v.name}
	}
	return v
}

// conditional lowers c ? x : y. It stays an expression when neither side has effects.
func (l *lowerer) conditional(n *syntax.Node) value {
	cn, xn, yn := n.Child("condition"), n.Child("consequence"), n.Child("alternative")
	if xn == nil || yn == nil {
		return l.elvis(n, cn, yn)
	}
	c := l.cond(cn)
	switch {
	case isTrue(c):
		return l.chosen(xn, yn)
	case isFalse(c):
		return l.chosen(yn, xn)
	}
	tx, ty := l.typeOfExpr(xn, l.scope), l.typeOfExpr(yn, l.scope)
	t := l.commonType(tx, ty)
	if t == nil || t.kind == kVoid || t.kind == kOpaque {
		x := l.collectStmts(func() { l.discard(xn) })
		y := l.collectStmts(func() { l.discard(yn) })
		l.emit(&ir.If{Cond: c, Then: x, Else: y, Site: l.site(n, "")})
		if t != nil && t.kind == kOpaque {
			return value{t: t, cat: vPoison, reason: "value of type " + t.String()}
		}
		return value{t: tVoid}
	}
	if t.kind == kRecord && l.inMemoryEither(n) {
		return l.eitherPlace(c, n)
	}
	var vx, vy value
	sx := l.collectStmts(func() { vx = l.convertTo(l.expr(xn), t, xn) })
	sy := l.collectStmts(func() { vy = l.convertTo(l.expr(yn), t, yn) })
	if len(sx) == 0 && len(sy) == 0 && vx.cat == vRval && vy.cat == vRval {
		px, py := l.bits(vx), l.bits(vy)
		if px != nil && py != nil {
			return value{t: t, cat: vRval, x: selectExpr(c, px, py), name: sameName(vx.name, vy.name)}
		}
	}
	if !t.isScalar() && !t.flat() || t.kind == kClosure || t.kind == kGroup {
		return l.unknown(n, "conditional of type "+t.String(), true)
	}
	c = l.temp(c)
	res := l.place(t, "")
	sx = append(sx, l.collectStmts(func() { l.assign(res, vx, xn) })...)
	sy = append(sy, l.collectStmts(func() { l.assign(res, vy, yn) })...)
	l.emit(&ir.If{Cond: c, Then: sx, Else: sy, Site: l.site(n, "")})
	v := l.load(res, n)
	v.name = sameName(vx.name, vy.name)
	return v
}

// inMemoryEither reports whether `c ? a : b` names one of two places in memory ([expr.cond]).
func (l *lowerer) inMemoryEither(n *syntax.Node) bool {
	xn, yn := n.Child("consequence"), n.Child("alternative")
	if xn == nil || yn == nil {
		return false
	}
	key := typeKey{n, l.scope, l.packIndex}
	in, known := l.memories[key]
	if !known {
		var x, y value
		l.unevaluated++
		l.inScratch(func() { x, y = l.expr(xn), l.expr(yn) })
		l.unevaluated--
		in = x.cat == vMem && y.cat == vMem && sameType(x.t, y.t) && x.field == nil && y.field == nil
		l.memories[key] = in
	}
	return in
}

// eitherPlace is that place: what leads to the one that is not chosen does not happen.
func (l *lowerer) eitherPlace(c ir.Expr, n *syntax.Node) value {
	xn, yn := n.Child("consequence"), n.Child("alternative")
	c = l.temp(c)
	var x, y value
	sx := l.collectStmts(func() { x = l.expr(xn) })
	sy := l.collectStmts(func() { y = l.expr(yn) })
	out := value{t: x.t.qualified(y.t.isConst, y.t.volatile), cat: vMem, name: sameName(x.name, y.name)}
	if x.cat != vMem || y.cat != vMem {
		return l.unknown(n, "place chosen by a condition", true)
	}
	if len(sx) == 0 && len(sy) == 0 {
		out.x = selectExpr(c, x.x, y.x)
		return out
	}
	at := l.newReg(ir.Ptr, "")
	sx = append(sx, &ir.Assign{Dst: at, X: x.x})
	sy = append(sy, &ir.Assign{Dst: at, X: y.x})
	l.emit(&ir.If{Cond: c, Then: sx, Else: sy, Site: l.site(n, "")})
	out.x = &ir.RegRef{R: at}
	return out
}

// elvis lowers GNU's c ?: y, which is c itself where c is true.
func (l *lowerer) elvis(n, cn, yn *syntax.Node) value {
	if cn == nil || yn == nil {
		return l.unknown(n, "syntax error", true)
	}
	x := l.decay(l.rval(cn), cn)
	t := l.commonType(x.t, l.typeOfExpr(yn, l.scope))
	if x.cat != vRval || !t.isScalar() {
		return l.unknown(n, "conditional of type "+t.String(), true)
	}
	res := l.place(t, "")
	l.assign(res, l.convertTo(x, t, cn), cn)
	other := l.collectStmts(func() { l.assign(res, l.convertTo(l.expr(yn), t, yn), yn) })
	l.emit(&ir.If{Cond: unary(ir.LogNot, l.toScalar(x, tBool, cn)), Then: other, Site: l.site(n, "")})
	return l.load(res, n)
}

// chosen is the side of a conditional that a constant chooses, in the type of both.
func (l *lowerer) chosen(n, other *syntax.Node) value {
	v := l.expr(n)
	if !v.t.isArithmetic() {
		return v
	}
	if t := l.typeOfExpr(other, l.scope).noRef(); t.isArithmetic() && !sameType(t, v.t) {
		return l.convertTo(v, common(v.promotedType(), t), n)
	}
	return v
}

func sameName(a, b string) string {
	if a == b {
		return a
	}
	return ""
}

// commonType is the type of a conditional expression.
func (l *lowerer) commonType(a, b *ctype) *ctype {
	a, b = a.noRef(), b.noRef()
	switch {
	case a.kind == kArray || a.kind == kFunc:
		a = a.decay()
	}
	if b.kind == kArray || b.kind == kFunc {
		b = b.decay()
	}
	switch {
	case a.isArithmetic() && b.isArithmetic():
		if sameType(a, b) {
			return a.unqualified()
		}
		return common(a, b)
	case a.kind == kPtr && (b.kind == kNull || b.isInt()):
		return a.unqualified()
	case b.kind == kPtr && (a.kind == kNull || a.isInt()):
		return b.unqualified()
	case a.kind == kVoid:
		return b.unqualified()
	case a.kind == kAuto:
		return b.unqualified()
	case a.kind == kRecord && b.isArithmetic() && (a.rec.lib != "" || !a.rec.vector):
		return a.unqualified()
	}
	return a.unqualified()
}

// typeOfExpr is the type of an operand that is not evaluated.
func (l *lowerer) typeOfExpr(n *syntax.Node, s *scope) *ctype {
	key := typeKey{n, s, l.packIndex}
	if t := l.types[key]; t != nil {
		return t
	}
	old := l.scope
	l.scope = s
	var v value
	l.unevaluated++
	l.inScratch(func() { v = l.expr(n) })
	l.unevaluated--
	l.scope = old
	if v.t == nil {
		v.t = tVoid
	}
	t := v.promotedType()
	if v.isPlace() && n.Kind == "parenthesized_expression" {
		t = refTo(t)
	}
	l.types[key] = t
	return t
}

// typeKey names an operand whose type is kept, so that nested conditionals cost no more than
// their size.
type typeKey struct {
	n    *syntax.Node
	s    *scope
	pack int
}

// constValue evaluates a constant expression in a scope.
func (l *lowerer) constValue(n *syntax.Node, s *scope) (value, bool) {
	oldScope, oldUnevaluated := l.scope, l.unevaluated
	l.scope, l.unevaluated = s, 0
	var v value
	list := l.scratchStmts(func() { v = l.load(l.expr(n), n) })
	l.scope, l.unevaluated = oldScope, oldUnevaluated
	v, ok := settled(list, v)
	if _, isConst := v.x.(*ir.Const); !ok || v.cat != vRval || !isConst {
		return v, false
	}
	return v, true
}

// constInt evaluates an integer constant expression.
func (l *lowerer) constInt(n *syntax.Node, s *scope) (int64, bool) {
	v, ok := l.constValue(n, s)
	if !ok || !v.t.isInt() {
		return 0, false
	}
	return ir.IntConst(v.x)
}

func (l *lowerer) sizeOf(n *syntax.Node) value {
	var t *ctype
	arg := n.Child("type")
	if arg == nil {
		arg = stripParens(n.Child("value"))
	}
	if len(n.Children) > 1 && n.Children[1].Kind == "..." { // sizeof...(pack)
		for _, k := range n.Children {
			if k.Kind == "identifier" {
				if syms := l.scope.lookup(l.text(k)); len(syms) > 0 && syms[0].kind == symPack {
					return rval(tULong, constInt(ir.U64, int64(len(syms[0].pack))))
				}
			}
		}
		return l.unknownOf(n, tULong, "sizeof", false)
	}
	if arg == nil {
		return l.unknownOf(n, tULong, "syntax error", false)
	}
	if t = l.tryType(arg, l.scope); t == nil && arg.Kind != "type_descriptor" {
		t = l.typeOfExpr(arg, l.scope)
	}
	if t == nil && len(arg.Children) == 1 {
		t = l.typeOfExpr(arg.Children[0], l.scope)
	}
	if t != nil {
		t = t.noRef()
	}
	if t == nil || t.size() == 0 || t.kind == kRecord && l.unlaid(t.rec) != "" {
		return l.unknownOf(n, tULong, "size of "+l.shorten(arg), false)
	}
	if n.Kind == "alignof_expression" {
		return rval(tULong, constInt(ir.U64, t.align()))
	}
	return rval(tULong, constInt(ir.U64, t.size()))
}

func (l *lowerer) offsetOf(n *syntax.Node) value {
	t := l.typeNode(n.Child("type"), l.scope)
	if t.kind == kRecord && n.Child("member") != nil {
		if path := t.rec.findField(l.text(n.Child("member"))); path != nil {
			m := l.memberPath(value{t: t, cat: vMem, x: zero(ir.Ptr)}, path)
			if a, ok := m.x.(*ir.PtrAdd); ok {
				return rval(tULong, convert(a.Offset, ir.U64))
			}
			return rval(tULong, constInt(ir.U64, 0))
		}
	}
	return l.unknownOf(n, tULong, "offsetof", false)
}

// fold lowers a fold expression over a parameter pack, as its expansion.
func (l *lowerer) fold(n *syntax.Node) value {
	left, right := n.Child("left"), n.Child("right")
	op := n.Child("operator")
	if left == nil || right == nil || op == nil {
		return l.unknown(n, "fold expression", true)
	}
	pattern, leftFold := right, true
	if right.Kind == "..." {
		pattern, leftFold = left, false
	}
	var first, last *syntax.Node // the other operand of a binary fold
	if left.Kind != "..." && right.Kind != "..." {
		if l.mentionsPack(left) {
			pattern, leftFold, last = left, false, right
		} else {
			pattern, leftFold, first = right, true, left
		}
	}
	name := l.text(op)
	if name == "&&" || name == "||" {
		return l.foldLogical(n, name, pattern, first, last)
	}
	var items []value
	if first != nil {
		items = append(items, l.rval(first))
	}
	l.eachPack(pattern, l.scope, func() { items = append(items, l.rval(pattern)) })
	if last != nil {
		items = append(items, l.rval(last))
	}
	switch {
	case len(items) == 0:
		return value{t: tVoid}
	case name == ",":
		return items[len(items)-1]
	}
	if !leftFold {
		acc := items[len(items)-1]
		for i := len(items) - 2; i >= 0; i-- {
			acc = l.foldStep(n, name, items[i], acc)
		}
		return acc
	}
	acc := items[0]
	for _, v := range items[1:] {
		acc = l.foldStep(n, name, acc, v)
	}
	return acc
}

func (l *lowerer) foldStep(n *syntax.Node, op string, a, b value) value {
	return l.arithmetic(n, op, a, b, n, n)
}

// mentionsPack reports whether an expression names a parameter pack.
func (l *lowerer) mentionsPack(n *syntax.Node) bool {
	found := false
	walk(n, func(k *syntax.Node) bool {
		if k.Kind == "identifier" || k.Kind == "type_identifier" {
			syms := l.scope.lookup(l.text(k))
			found = found || len(syms) > 0 && syms[0].kind == symPack
		}
		return !found
	})
	return found
}

// foldLogical lowers a fold over && or ||: an element is evaluated if those before it have not
// decided the result.
func (l *lowerer) foldLogical(n *syntax.Node, op string, pattern, first, last *syntax.Node) value {
	and := op == "&&"
	r := l.newReg(ir.Bool, "")
	l.emit(&ir.Assign{Dst: r, X: constBool(and)})
	step := func(e *syntax.Node) {
		stmts := l.collectStmts(func() { l.emit(&ir.Assign{Dst: r, X: l.cond(e)}) })
		var undecided ir.Expr = &ir.RegRef{R: r}
		if !and {
			undecided = unary(ir.LogNot, undecided)
		}
		l.emit(&ir.If{Cond: undecided, Then: stmts, Site: l.site(n, "")})
	}
	if first != nil {
		step(first)
	}
	l.eachPack(pattern, l.scope, func() { step(pattern) })
	if last != nil {
		step(last)
	}
	return rval(tBool, &ir.RegRef{R: r})
}
