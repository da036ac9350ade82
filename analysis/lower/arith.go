package lower

// This file lowers literals and operators on scalars and pointers.

import (
	"math"
	"strconv"
	"strings"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/syntax"
)

// number reads an integer or floating literal ([lex.icon], [lex.fcon]).
func (l *lowerer) number(n *syntax.Node) value {
	text := strings.ReplaceAll(l.text(n), "'", "")
	if sign := text[0]; sign == '-' || sign == '+' { // the grammar takes -1 for one literal
		v := l.literal(n, strings.TrimSpace(text[1:]))
		if sign == '-' && v.x != nil {
			v.x = unary(ir.Neg, v.x)
		}
		return v
	}
	return l.literal(n, text)
}

func (l *lowerer) literal(n *syntax.Node, text string) value {
	lower := strings.ToLower(text)
	hex := strings.HasPrefix(lower, "0x")
	if strings.ContainsAny(lower, ".p") || !hex && strings.ContainsRune(lower, 'e') || !hex && strings.HasSuffix(lower, "f") {
		return l.floating(n, lower, hex)
	}
	digits := strings.TrimRight(lower, "ulz")
	suffix := lower[len(digits):]
	base := 10
	switch {
	case hex:
		digits, base = digits[2:], 16
	case strings.HasPrefix(digits, "0b"):
		digits, base = digits[2:], 2
	case len(digits) > 1 && digits[0] == '0':
		digits, base = digits[1:], 8
	}
	v, err := strconv.ParseUint(digits, base, 64)
	if err != nil {
		return l.unknownOf(n, tInt, "number "+text, false)
	}
	t := literalType(v, suffix, base != 10)
	return rval(t, &ir.Const{T: t.scalar, Bits: v})
}

// literalType is the first type of the standard's list that holds the value.
func literalType(v uint64, suffix string, nonDecimal bool) *ctype {
	unsigned := strings.Contains(suffix, "u")
	long := strings.Count(suffix, "l")
	switch {
	case unsigned && long == 0 && v <= math.MaxUint32:
		return tUInt
	case unsigned && long == 2:
		return tULLong
	case unsigned:
		return tULong
	case long == 0 && v <= math.MaxInt32:
		return tInt
	case long == 0 && v <= math.MaxUint32 && nonDecimal:
		return tUInt
	case long == 2 && v <= math.MaxInt64:
		return tLLong
	case v <= math.MaxInt64:
		return tLong
	}
	return tULong
}

func (l *lowerer) floating(n *syntax.Node, text string, hex bool) value {
	t := tDouble
	digits := strings.TrimRight(text, "l")
	if strings.HasSuffix(text, "f") && !(hex && !strings.Contains(text, "p")) {
		t, digits = tFloat, strings.TrimSuffix(text, "f")
	}
	if t == tFloat {
		v, err := strconv.ParseFloat(digits, 32)
		if err == nil || math.IsInf(v, 0) {
			return rval(t, ir.FloatConst(ir.F32, v))
		}
	}
	v, err := strconv.ParseFloat(digits, 64)
	if err != nil && !math.IsInf(v, 0) {
		return l.unknownOf(n, t, "number "+text, false)
	}
	return rval(t, ir.FloatConst(t.scalar, v))
}

func (l *lowerer) char(n *syntax.Node) value {
	text := strings.TrimLeft(l.text(n), "uUL8")
	s, err := unquote(text)
	if err != nil || len(s) == 0 {
		return l.unknownOf(n, tChar, "character "+text, false)
	}
	if len(s) == 1 {
		return rval(tChar, constInt(ir.I8, int64(s[0])))
	}
	return rval(tInt, constInt(ir.I32, int64([]rune(s)[0])))
}

// unquote reads the escapes of a C literal.
func unquote(text string) (string, error) {
	if len(text) < 2 {
		return "", strconv.ErrSyntax
	}
	quote := text[0]
	var b strings.Builder
	body := text[1 : len(text)-1]
	for body != "" {
		if len(body) >= 2 && body[0] == '\\' && body[1] >= '0' && body[1] <= '7' {
			end := 1
			for end < len(body) && end < 4 && body[end] >= '0' && body[end] <= '7' {
				end++
			}
			v, _ := strconv.ParseUint(body[1:end], 8, 16)
			b.WriteByte(byte(v))
			body = body[end:]
			continue
		}
		if len(body) >= 2 && body[0] == '\\' && (body[1] == '\'' || body[1] == '"' || body[1] == '?' || body[1] == '\n') {
			if body[1] != '\n' {
				b.WriteByte(body[1])
			}
			body = body[2:]
			continue
		}
		r, multi, rest, err := strconv.UnquoteChar(body, quote)
		if err != nil {
			return b.String(), err
		}
		if multi {
			b.WriteRune(r)
		} else {
			b.WriteByte(byte(r))
		}
		body = rest
	}
	return b.String(), nil
}

// stringLiteral is a constant array of characters.
func (l *lowerer) stringLiteral(n *syntax.Node) value {
	text := l.stringText(n)
	l.strings++
	t := arrayOf(tChar.qualified(true, false), int64(len(text)+1))
	o := l.newObject("string"+itoa(l.strings), ir.Constant, t)
	o.Init = append([]byte(text), 0)
	return value{t: t, cat: vMem, x: &ir.ObjAddr{Obj: o}, name: "string literal"}
}

// stringText joins the pieces of a string.
func (l *lowerer) stringText(n *syntax.Node) string {
	if n.Kind == "concatenated_string" {
		var b strings.Builder
		for _, k := range n.Children {
			if k.Kind == "string_literal" || k.Kind == "raw_string_literal" {
				b.WriteString(l.stringText(k))
			}
		}
		return b.String()
	}
	if n.Kind == "raw_string_literal" {
		for _, k := range n.Children {
			if k.Kind == "raw_string_content" {
				return l.text(k)
			}
		}
		return ""
	}
	s, _ := unquote(strings.TrimLeft(l.text(n), "uUL8"))
	return s
}

func (l *lowerer) newObject(name string, space ir.Space, t *ctype) *ir.Object {
	elem, dims := t.innermost()
	o := &ir.Object{ID: len(l.fn.Objects), Name: name, Space: space, Size: t.size(), Align: t.align(), Elem: elem.ir(), Dims: dims}
	if len(dims) > 0 && dims[0] < 0 {
		o.Size = 0
		o.Dims = append([]int64{0}, dims[1:]...)
	}
	l.fn.Objects = append(l.fn.Objects, o)
	return o
}

var binaryOps = map[string]ir.Op{
	"+": ir.Add, "-": ir.Sub, "*": ir.Mul, "/": ir.Div, "%": ir.Rem, "&": ir.And, "|": ir.Or, "^": ir.Xor, "<<": ir.Shl, ">>": ir.Shr,
	"==": ir.Eq, "!=": ir.Ne, "<": ir.Lt, "<=": ir.Le, ">": ir.Gt, ">=": ir.Ge, "and": ir.LogAnd, "or": ir.LogOr, "&&": ir.LogAnd, "||": ir.LogOr,
	"bitand": ir.And, "bitor": ir.Or, "xor": ir.Xor, "not_eq": ir.Ne,
}

func (l *lowerer) binaryExpr(n *syntax.Node) value {
	left, right, op := n.Child("left"), n.Child("right"), l.text(n.Child("operator"))
	if left == nil || right == nil {
		return l.unknown(n, "syntax error", true)
	}
	if v, ok := l.castLikeBinary(n, left, right, op); ok {
		return v
	}
	switch op {
	case "&&", "and", "||", "or":
		return l.logical(n, op, left, right)
	}
	a := l.expr(left)
	start := len(*l.out)
	b := l.expr(right)
	a = l.asBefore(a, left, start)
	if classLike(a) || classLike(b) {
		if r, ok := l.operator(n, "operator"+op, []value{a, b}, []*syntax.Node{left, right}); ok {
			return r
		}
		if isHalfPair(a.t) && isHalfPair(b.t) {
			c := &callSite{n: n, name: op, args: []argument{{a, left}, {b, right}}}
			return l.elementwise(c, l.load(a, left), l.load(b, right), binaryOps[op])
		}
	}
	if l.host && (op == ">>" || op == "&") && (b.isPlace() || b.isBound()) && a.cat == vPoison && !a.t.isScalar() {
		return l.unknown(n, "operator "+op+" of an object that is not known", b.cat == vMem, l.reachable([]value{b})...) // as a stream reads
	}
	return l.arithmetic(n, op, l.load(l.operand(a, left), left), l.load(l.operand(b, right), right), left, right)
}

// isHalfPair reports whether CUDA's headers define operators on a vector type: only those of
// two halves have them.
func isHalfPair(t *ctype) bool {
	return t.kind == kRecord && t.rec.vector && len(t.rec.fields) == 2 && t.rec.fields[0].t.scalar == ir.F16
}

// classLike reports whether an operator on the value may be a function.
func classLike(v value) bool {
	return v.t.kind == kRecord || v.t.kind == kEnum || v.t.kind == kOpaque
}

// castLikeBinary handles `(T) - x`, `a + (T) & y`, which the grammar takes for binary
// operators because it does not know that T is a type.
func (l *lowerer) castLikeBinary(n, left, right *syntax.Node, op string) (value, bool) {
	switch op {
	case "*", "&", "+", "-":
	default:
		return value{}, false
	}
	if t := l.parenthesizedType(left); t != nil {
		return l.cast(unaryNode(n, right, op), t), true
	}
	if left.Kind == "binary_expression" {
		inner := left.Child("right")
		if t := l.parenthesizedType(inner); t != nil {
			u := unaryNode(n, right, op)
			c := &syntax.Node{Kind: "cast_expression", Named: true, Start: inner.Start, End: n.End}
			v := *inner.Children[1]
			v.Field = "type"
			u.Field = "value"
			c.Children = []*syntax.Node{&v, u}
			c.Field = "right"
			whole := *n
			whole.Children = []*syntax.Node{left.Child("left"), left.Child("operator"), c}
			return l.expr(&whole), true
		}
	}
	return value{}, false
}

// parenthesizedType is the type that `(T)` names, nil if it is an expression.
func (l *lowerer) parenthesizedType(n *syntax.Node) *ctype {
	if n == nil || n.Kind != "parenthesized_expression" || len(n.Children) != 3 {
		return nil
	}
	switch k := n.Children[1]; k.Kind {
	case "identifier", "qualified_identifier", "template_function":
		return l.tryType(k, l.scope)
	}
	return nil
}

// unaryNode makes the node of a prefix operator.
func unaryNode(n, arg *syntax.Node, op string) *syntax.Node {
	kind := "unary_expression"
	if op == "*" || op == "&" {
		kind = "pointer_expression"
	}
	a := *arg
	a.Field = "argument"
	o := *n.Child("operator")
	return &syntax.Node{Kind: kind, Named: true, Start: o.Start, End: arg.End, Children: []*syntax.Node{&o, &a}}
}

// logical lowers && and ||. The right side's statements run only where C++ evaluates it.
func (l *lowerer) logical(n *syntax.Node, op string, left, right *syntax.Node) value {
	a := l.expr(left)
	if classLike(a) && a.t.kind == kRecord {
		if r, ok := l.operator(n, "operator"+op, []value{a, l.expr(right)}, []*syntax.Node{left, right}); ok {
			return r
		}
	}
	x := l.toScalar(a, tBool, left)
	and := op == "&&" || op == "and"
	if and && isFalse(x) || !and && isTrue(x) {
		return rval(tBool, x)
	}
	var y ir.Expr
	stmts := l.collectStmts(func() { y = l.cond(right) })
	irOp := binaryOps[op]
	if len(stmts) == 0 {
		return rval(tBool, binary(irOp, x, y))
	}
	r := l.newReg(ir.Bool, "")
	l.emit(&ir.Assign{Dst: r, X: x})
	stmts = append(stmts, &ir.Assign{Dst: r, X: y})
	var c ir.Expr = &ir.RegRef{R: r}
	if !and {
		c = unary(ir.LogNot, c)
	}
	l.emit(&ir.If{Cond: c, Then: stmts, Site: l.site(left, "")})
	return rval(tBool, &ir.RegRef{R: r})
}

// arithmetic applies a binary operator to two values.
func (l *lowerer) arithmetic(n *syntax.Node, op string, a, b value, an, bn *syntax.Node) value {
	a, b = l.unwrap(l.decay(a, an), an).widened(), l.unwrap(l.decay(b, bn), bn).widened()
	if a.cat == vPoison || b.cat == vPoison {
		return l.poisoned(n, op, a, b)
	}
	irOp, ok := binaryOps[op]
	if !ok || a.cat != vRval || b.cat != vRval {
		return l.unknown(n, "operator "+op+" on "+a.t.String()+" and "+b.t.String(), false)
	}
	if a.t.kind == kPtr || b.t.kind == kPtr || a.t.kind == kNull || b.t.kind == kNull {
		return l.pointerArithmetic(n, irOp, a, b)
	}
	if !a.t.isArithmetic() || !b.t.isArithmetic() {
		return l.unknown(n, "operator "+op+" on "+a.t.String()+" and "+b.t.String(), false)
	}
	if irOp == ir.Shl || irOp == ir.Shr {
		t := promote(a.t)
		if !t.isInt() || !b.t.isInt() {
			return l.unknown(n, "operator "+op+" on "+a.t.String()+" and "+b.t.String(), false)
		}
		return rval(t, binary(irOp, convert(a.x, t.scalar), convert(b.x, promote(b.t).scalar)))
	}
	t := common(a.t, b.t)
	if t.isFloat() && (irOp == ir.Rem || irOp >= ir.And && irOp <= ir.Xor) {
		return l.unknown(n, "operator "+op+" on "+t.String(), false)
	}
	x := binary(irOp, convert(a.x, t.scalar), convert(b.x, t.scalar))
	if irOp.IsCompare() {
		return rval(tBool, x)
	}
	return rval(t, x)
}

// promotedType is the type that a bit-field has in arithmetic: int, if that holds all its values, or
// an unsigned one, if that does ([conv.prom] of the C++ standard). Of others it is their own.
func (v value) promotedType() *ctype {
	if v.field == nil || v.t.kind != kScalar || !v.t.isInt() {
		return v.t
	}
	switch w := v.field.bitWidth; {
	case w < 32 || w == 32 && v.t.scalar.IsSigned():
		return tInt
	case w == 32:
		return tUInt
	}
	return v.t
}

// widened gives what was read from a bit-field the type that it has in arithmetic.
func (v value) widened() value {
	if t := v.promotedType(); v.cat == vRval && t != v.t {
		return rval(t, convert(v.x, t.scalar))
	}
	return v
}

// poisoned is the result of an operator on what was not understood: again not understood,
// but for comparisons, whose type is known.
func (l *lowerer) poisoned(n *syntax.Node, op string, a, b value) value {
	reason := a.reason
	if a.cat != vPoison {
		reason = b.reason
	}
	if o, ok := binaryOps[op]; ok && o.IsCompare() {
		return l.load(l.unknownOf(n, tBool, reason, false), n)
	}
	return value{t: opaque("unknown"), cat: vPoison, reason: reason}
}

func (l *lowerer) pointerArithmetic(n *syntax.Node, op ir.Op, a, b value) value {
	switch {
	case op == ir.Add && a.t.kind == kPtr && b.t.isInt():
		return l.pointerAdd(a, b.x, n)
	case op == ir.Add && b.t.kind == kPtr && a.t.isInt():
		return l.pointerAdd(b, a.x, n)
	case op == ir.Sub && a.t.kind == kPtr && b.t.isInt():
		return l.pointerAdd(a, unary(ir.Neg, convert(b.x, ir.I64)), n)
	}
	if a.target != nil && b.t.kind == kNull || b.target != nil && a.t.kind == kNull || a.target != nil && isNullConst(b) || b.target != nil && isNullConst(a) {
		return rval(tBool, constBool(op == ir.Ne)) // a variable's address is not null
	}
	x, y := l.bits(a), l.bits(b)
	if x == nil || y == nil {
		return l.unknown(n, "operator on a pointer", false)
	}
	switch {
	case op == ir.Sub && a.t.kind == kPtr && b.t.kind == kPtr:
		size := a.t.elem.size()
		if size == 0 {
			return l.unknownOf(n, tLong, "difference of pointers to "+a.t.elem.String(), false)
		}
		d := binary(ir.Sub, convert(x, ir.I64), convert(y, ir.I64))
		return rval(tLong, binary(ir.Div, d, constInt(ir.I64, size)))
	case op.IsCompare() && !x.Type().IsFloat() && !y.Type().IsFloat():
		return rval(tBool, binary(op, convert(x, ir.Ptr), convert(y, ir.Ptr)))
	}
	return l.unknown(n, "operator on a pointer", false)
}

func isNullConst(v value) bool {
	c, ok := v.x.(*ir.Const)
	return ok && c.Bits == 0
}

// pointerAdd moves a pointer by a number of elements.
func (l *lowerer) pointerAdd(p value, count ir.Expr, n *syntax.Node) value {
	if v, ok := ir.IntConst(count); ok && v == 0 {
		return p
	}
	size := p.t.elem.size()
	if p.t.elem.kind == kVoid {
		size = 1
	}
	if size == 0 {
		return l.unknown(n, "arithmetic on a pointer to "+p.t.elem.String(), false)
	}
	x := l.bits(p)
	if x == nil {
		return l.unknown(n, "arithmetic on a pointer to a variable", false)
	}
	off := binary(ir.Mul, convert(count, ir.I64), constInt(ir.I64, size))
	return value{t: p.t, cat: vRval, x: ptrAdd(x, off), name: p.name}
}
