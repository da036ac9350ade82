package lower

// This file reads and writes places, converts values, and lowers the expressions that name
// places: subscripts, members and casts.

import (
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/syntax"
)

// load reads a place. What is no place stays as it is; arrays in memory stay places.
func (l *lowerer) load(v value, n *syntax.Node) value {
	if v.fixed != nil {
		out := rval(v.t.unqualified(), v.fixed)
		out.name = v.name
		return out
	}
	switch v.cat {
	case vReg:
		out := rval(v.t.unqualified(), &ir.RegRef{R: v.reg})
		out.name, out.field = v.name, v.field
		return out
	case vMem:
		return l.loadMemory(v, stripParens(n))
	case vFragment:
		return l.loadFragment(v, stripParens(n))
	case vAgg:
		if !v.lvalue {
			return v
		}
		elems := make([]value, len(v.elems))
		for i, e := range v.elems {
			if isStaticMember(v.t, i) {
				elems[i] = e
				continue
			}
			elems[i] = l.load(e, n)
		}
		v.elems, v.lvalue = elems, false
		if v.t.kind == kRecord { // a copy, which belongs to no variable
			v.decl = nil
		}
		return stamped(v)
	}
	return v
}

func (l *lowerer) loadMemory(v value, n *syntax.Node) value {
	t := v.t
	switch {
	case t.kind == kArray || t.kind == kFunc || t.kind == kVoid:
		return v
	case v.field != nil:
		return l.loadBits(v, n)
	case v.stored != nil && l.isLast(v.stored):
		return rval(t.unqualified(), v.stored.X)
	case t.isScalar():
		r := l.newReg(t.ir(), "")
		l.emit(&ir.Load{Dst: r, T: t.ir(), Ptr: v.x, Part: v.partOf(), Strength: strengthOf(t), Link: v.link && r.Type == ir.Ptr, Site: l.placeSite(n, v)})
		out := rval(t.unqualified(), &ir.RegRef{R: r})
		out.name = v.name
		return out
	case t.kind == kRecord && t.rec.lib != "" && t.rec.lib != libPlain && t.rec.lib != libFragment:
		return v
	case t.kind == kRecord && t.flat():
		agg := value{t: t.unqualified(), cat: vAgg, name: v.name}
		defer l.asParts(len(l.fn.Sites))
		for i := range t.rec.fields {
			if t.rec.fields[i].name == classWord {
				agg.elems = append(agg.elems, classIdentity(t.rec))
				continue
			}
			agg.elems = append(agg.elems, l.loadWhole(l.member(v, i), n))
		}
		return stamped(agg)
	case t.kind == kRecord:
		return v // copied from memory to memory where it goes
	case t.kind == kGroup || t.kind == kClosure:
		return value{t: t, cat: vStatic}
	}
	return l.unknown(n, "value of type "+t.String(), false)
}

// loadWhole is load that takes arrays apart, too.
func (l *lowerer) loadWhole(v value, n *syntax.Node) value {
	if v.cat != vMem || v.t.kind != kArray {
		return l.load(v, n)
	}
	agg := value{t: v.t, cat: vAgg}
	for i := range max(v.t.len, 0) {
		agg.elems = append(agg.elems, l.loadWhole(l.element(v, i), n))
	}
	return agg
}

// element is the place of an array's element with a constant index.
func (l *lowerer) element(v value, i int64) value {
	switch v.cat {
	case vAgg:
		if i >= 0 && i < int64(len(v.elems)) {
			return v.elems[i]
		}
	case vMem:
		at := i * v.t.elem.size()
		return value{t: v.t.elem, cat: vMem, x: ptrAdd(v.x, constInt(ir.I64, at)), name: v.name, decl: v.decl, vector: behind(v.vector, at)}
	}
	return value{t: v.t.elem, cat: vPoison, reason: "array element out of range"}
}

func strengthOf(t *ctype) ir.Strength {
	if t.volatile {
		return ir.Strength{Volatile: true, Scope: race.ScopeNone}
	}
	return ir.Strength{}
}

// loadBits reads a bit-field out of the unit that holds it.
func (l *lowerer) loadBits(v value, n *syntax.Node) value {
	f := v.field
	t := f.unit.ir()
	r := l.newReg(t, "")
	l.emit(&ir.Load{Dst: r, T: t, Ptr: v.x, Strength: strengthOf(v.t), Site: l.site(n, v.name)})
	x := binary(ir.Shr, &ir.RegRef{R: r}, constInt(ir.I32, int64(f.bitOff)))
	if v.t.ir() == ir.Bool {
		x = binary(ir.And, x, constInt(t, 1))
	}
	out := rval(v.t.unqualified(), lastBits(convert(x, v.t.ir()), f.bitWidth))
	out.field = f
	return out
}

// lastBits is the number that the last bits of another one make in its type. Shifts to the left are none of it, as these are
// assumed not to overflow.
func lastBits(x ir.Expr, bits int) ir.Expr {
	t := x.Type()
	if bits >= t.Bits() {
		return x
	}
	low := binary(ir.And, x, &ir.Const{T: t, Bits: 1<<bits - 1})
	if !t.IsSigned() {
		return low
	}
	sign := &ir.Const{T: t, Bits: 1 << (bits - 1)}
	return binary(ir.Sub, binary(ir.Xor, low, sign), sign)
}

// storeBits changes a bit-field: the unit is read, changed and written.
func (l *lowerer) storeBits(v value, x ir.Expr, n *syntax.Node) {
	f := v.field
	t := f.unit.ir()
	x = convert(x, t)
	r := l.newReg(t, "")
	l.emit(&ir.Load{Dst: r, T: t, Ptr: v.x, Strength: strengthOf(v.t), Site: l.site(n, v.name)})
	mask := uint64(1)<<f.bitWidth - 1
	keep := constInt(t, int64(^(mask << f.bitOff)))
	in := binary(ir.Shl, binary(ir.And, x, constInt(t, int64(mask))), constInt(ir.I32, int64(f.bitOff)))
	l.emit(&ir.Store{T: t, Ptr: v.x, X: binary(ir.Or, binary(ir.And, &ir.RegRef{R: r}, keep), in), Strength: strengthOf(v.t), Site: l.site(n, v.name)})
}

// assign writes a value of the place's type to the place.
func (l *lowerer) assign(dst, src value, n *syntax.Node) {
	n = stripParens(n)
	switch dst.cat {
	case vReg:
		l.assignReg(dst, src, n)
	case vMem:
		l.assignMemory(dst, src, n)
	case vAgg:
		if dst.isBound() {
			l.needPlace(dst)
			return
		}
		l.assignAgg(dst, src, n)
	case vFragment:
		l.storeFragment(dst, src, n)
	case vRval:
		if !l.needPlace(dst) {
			l.unknown(n, "assignment to a value", true)
		}
	case vStatic:
		if src.cat != vStatic || dst.group != nil && (src.group == nil || !sameGroup(dst, src)) {
			l.unknown(n, "assignment to "+dst.t.String(), true)
		}
	default:
		l.clobber(n, "assignment to "+l.shorten(n), dst)
	}
}

func (l *lowerer) assignReg(dst, src value, n *syntax.Node) {
	x := l.bits(l.load(src, n))
	if x == nil {
		l.emit(&ir.Unknown{Reason: reasonOf(src), Dst: dst.regs(), Site: l.site(n, "")})
		return
	}
	x = convert(x, dst.reg.Type)
	if dst.field != nil {
		x = lastBits(x, dst.field.bitWidth)
	}
	l.emit(&ir.Assign{Dst: dst.reg, X: x})
}

func reasonOf(v value) string {
	if v.reason != "" {
		return v.reason
	}
	if v.target != nil {
		return "address of a temporary"
	}
	if v.t == nil {
		return "value that is not understood"
	}
	return "value of type " + v.t.String()
}

func (l *lowerer) assignMemory(dst, src value, n *syntax.Node) {
	t := dst.t
	switch {
	case t.isScalar():
		x := l.bits(l.load(src, n))
		if x == nil {
			l.unknown(n, reasonOf(src), true)
			return
		}
		x = convert(x, t.ir())
		if dst.field != nil {
			l.storeBits(dst, x, n)
			return
		}
		l.emit(&ir.Store{T: t.ir(), Ptr: dst.x, X: x, Part: dst.partOf(), Strength: strengthOf(t), Site: l.placeSite(n, dst)})
	case t.kind == kRecord && src.cat != vPoison && (src.t.kind == kRecord && src.t.rec == t.rec):
		l.copyRecord(dst, src, n)
	case t.kind == kArray && src.cat == vAgg:
		for i := range src.elems {
			l.assign(l.element(dst, int64(i)), src.elems[i], n)
		}
	case t.kind == kArray && src.cat == vMem && t.size() == src.t.size() && t.leaves() <= 1024:
		for i := range t.len {
			l.assign(l.element(dst, i), l.load(l.element(src, i), n), n)
		}
	default:
		l.unknown(n, reasonOf(src), true)
	}
}

// copyRecord copies a class value to memory, a scalar at a time. A union is copied as bytes
// of its largest member's layout would be: as words.
func (l *lowerer) copyRecord(dst, src value, n *syntax.Node) {
	rec := dst.t.rec
	if rec.union || l.unlaid(rec) != "" {
		l.copyWords(dst, src, n)
		return
	}
	defer l.stampClass(dst, rec, n)
	defer l.asParts(len(l.fn.Sites))
	for i := range rec.fields {
		if rec.fields[i].name == classWord || rec.fields[i].t.kind == kOpaque {
			continue
		}
		from := l.member(src, i)
		to := l.member(dst, i)
		if from.cat == vMem && from.t.kind != kArray {
			from = l.load(from, n)
		}
		l.assign(to, from, n)
	}
}

func (l *lowerer) copyWords(dst, src value, n *syntax.Node) {
	if src.cat != vMem || l.unlaid(dst.t.rec) != "" || dst.t.size() > 1024 {
		l.unknown(n, "copy of "+dst.t.String(), true)
		return
	}
	for off, word := range dst.t.words() {
		r := l.newReg(word.ir(), "")
		at := constInt(ir.I64, off)
		l.emit(&ir.Load{Dst: r, T: r.Type, Ptr: ptrAdd(src.x, at), Strength: strengthOf(src.t), Site: l.site(n, src.name)})
		l.emit(&ir.Store{T: r.Type, Ptr: ptrAdd(dst.x, at), X: &ir.RegRef{R: r}, Strength: strengthOf(dst.t), Site: l.site(n, dst.name)})
	}
}

func (l *lowerer) assignAgg(dst, src value, n *syntax.Node) {
	src = l.loadWhole(src, n)
	if src.cat != vAgg || len(src.elems) != len(dst.elems) {
		l.emit(&ir.Unknown{Reason: reasonOf(src), Dst: dst.regs(), Site: l.site(n, "")})
		return
	}
	// All of the source is read before the first part is written: they may overlap.
	for i, e := range src.elems {
		if e.cat == vRval && e.target == nil && len(src.elems) > 1 && refersToRegs(e.x) {
			if r, ok := e.x.(*ir.RegRef); !ok || writes(dst.elems[:i], r.R) {
				src.elems[i].x = l.temp(e.x)
			}
		}
	}
	for i := range src.elems {
		if isStaticMember(dst.t, i) {
			dst.elems[i] = src.elems[i]
			continue
		}
		l.assign(dst.elems[i], src.elems[i], n)
	}
}

func writes(places []value, r *ir.Reg) bool {
	for _, p := range places {
		if p.reg == r {
			return true
		}
	}
	return false
}

// unwrap turns a class value into the scalar that its conversion operator gives, if it has
// one; anything else stays.
func (l *lowerer) unwrap(v value, n *syntax.Node) value {
	if v.t.kind != kRecord {
		return v
	}
	if r, ok := l.libConversion(v, n); ok {
		return r
	}
	return l.load(l.operand(v, n), n)
}

// convertTo converts a value to a type, as an implicit conversion or a cast does.
func (l *lowerer) convertTo(v value, t *ctype, n *syntax.Node) value {
	if v.init != nil {
		return l.construct(t, nil, v.init, n)
	}
	if t.kind == kRef {
		return v
	}
	if again, ok := l.maybeRepeated(v, t, n); ok && v.cat == vPoison {
		return again
	}
	switch {
	case v.cat == vPoison && t.kind != kOpaque && t.kind != kAuto && t.kind != kVoid:
		return l.load(l.unknownOf(n, t.unqualified(), v.reason, false), n)
	case t.kind == kAuto:
		return l.decay(l.load(v, n), n)
	case t.kind == kRecord:
		return l.toRecord(v, t, n)
	case t.isScalar():
		return l.scalarTo(v, t.unqualified(), n)
	}
	return l.load(v, n)
}

func (l *lowerer) scalarTo(v value, t *ctype, n *syntax.Node) value {
	if v.cat == vFns {
		if t.isArithmetic() {
			return rval(t, convert(constBool(true), t.scalar))
		}
		v.t = t
		return v
	}
	if r, ok := l.conversionOperator(v, t, n); ok {
		v = r
	}
	v = l.decay(l.load(v, n), n)
	if v.t.kind == kRecord {
		if r, ok := l.libConversion(v, n); ok {
			v = r
		} else {
			return l.load(l.unknownOf(n, t, "conversion of "+v.t.String()+" to "+t.String(), false), n)
		}
	}
	if v.t.kind == kGroup || v.cat != vRval {
		return l.load(l.unknownOf(n, t, reasonOf(v), false), n)
	}
	if t.kind == kPtr && v.t.kind == kPtr {
		return l.pointerCast(v, t, n)
	}
	if t.isFloat() && v.x != nil && v.x.Type() == ir.Ptr || t.ir() == ir.Ptr && v.t.isFloat() {
		return l.load(l.unknownOf(n, t, "conversion of "+v.t.String()+" to "+t.String(), false), n)
	}
	if v.target != nil {
		if t.scalar == ir.Bool {
			return rval(tBool, constBool(true))
		}
		if x := l.bits(v); x != nil {
			return rval(t, convert(x, t.ir()))
		}
		return l.load(l.unknownOf(n, t, reasonOf(v), false), n)
	}
	out := rval(t, convert(v.x, t.ir()))
	out.name = v.name
	return out
}

// pointerCast keeps the address, but for casts between a class and its base.
func (l *lowerer) pointerCast(v value, t *ctype, n *syntax.Node) value {
	from, to := v.t.elem, t.elem
	if from.kind == kRecord && to.kind == kRecord && from.rec != to.rec {
		if path := from.rec.basePath(to.rec); path != nil {
			obj := l.deref(v, n)
			p := l.addressOf(l.basePart(obj, path), n)
			p.t = t
			return p
		}
		if path := to.rec.basePath(from.rec); path != nil && v.target == nil {
			m := l.memberPath(value{t: to, cat: vMem, x: zero(ir.Ptr)}, path)
			if a, ok := m.x.(*ir.PtrAdd); ok {
				v.x = ptrAdd(v.x, unary(ir.Neg, a.Offset))
			}
			v.t = t
			return v
		}
	}
	if v.target != nil {
		from = v.target.t // the pointer may have been void* in between
	}
	if v.target != nil && from.kind == kPtr && to.kind == kPtr {
		target := *v.target
		target.t = to
		return value{t: t, cat: vRval, target: &target, name: v.name}
	}
	if v.target != nil && !sameType(from.unqualified(), to.unqualified()) && to.kind != kVoid {
		x := l.bits(v)
		if x == nil {
			return l.load(l.unknownOf(n, t, "address of a temporary", false), n)
		}
		return value{t: t, cat: vRval, x: x, name: v.name}
	}
	if v.target != nil && to.kind != kVoid {
		target := *v.target
		target.t = target.t.qualified(to.isConst, to.volatile)
		v.target = &target
	}
	v.t = t
	return v
}

// toRecord converts a value to a class.
func (l *lowerer) toRecord(v value, t *ctype, n *syntax.Node) value {
	if v.t.kind == kRecord {
		if v.t.rec == t.rec {
			if v.isPlace() && l.copies(t.rec, v.moved) {
				return l.callConstructor(t, []argument{{v, n}}, n)
			}
			return l.load(v, n)
		}
		if path := v.t.rec.basePath(t.rec); path != nil {
			return l.load(l.memberPath(v, path), n)
		}
		if r, ok := l.conversionOperator(v, t, n); ok {
			return l.load(r, n)
		}
	}
	return l.constructFrom(t, v, n)
}

// subscript lowers a[i].
func (l *lowerer) subscript(n *syntax.Node) value {
	an := n.Child("argument")
	indices := namedChildren(n.Child("indices"))
	if len(indices) != 1 {
		return l.unknown(n, "subscript of several indices", true)
	}
	in := indices[0]
	a := l.expr(an)
	if classLike(a) && a.t.kind == kRecord {
		if r, ok := l.operator(n, "operator[]", []value{a, l.expr(in)}, []*syntax.Node{an, in}); ok {
			return r
		}
	}
	if a.t.kind == kArray {
		return l.indexArray(n, a, an, in)
	}
	if a.cat == vFragment && a.x == nil {
		a.x = convert(l.index(l.load(l.expr(in), in), in), ir.I32)
		return a
	}
	a = l.unwrap(l.load(l.operand(a, an), an), an)
	start := len(*l.out)
	i := l.load(l.operand(l.expr(in), in), in)
	a = l.asBefore(a, an, start)
	if a.t.isInt() && (i.t.kind == kPtr || i.t.kind == kArray) { // i[a]
		a, i = l.decay(i, in), a
	}
	if a.cat == vPoison {
		return a
	}
	if a.t.kind != kPtr {
		return l.unknown(n, "subscript of "+a.t.String(), false)
	}
	p := l.pointerAdd(a, l.index(i, in), n)
	return l.deref(p, n)
}

func (l *lowerer) index(i value, n *syntax.Node) ir.Expr {
	i = l.unwrap(i, n)
	if i.t.isInt() && i.cat == vRval {
		return i.x
	}
	if i.t.isFloat() {
		i = l.unknown(n, "index of type "+i.t.String(), false)
	}
	return l.toScalar(i, tLong, n)
}

// indexArray picks an element; an index that varies needs the array in memory.
func (l *lowerer) indexArray(n *syntax.Node, a value, an, in *syntax.Node) value {
	start := len(*l.out)
	i := l.index(l.load(l.expr(in), in), in)
	a = l.asBefore(a, an, start)
	switch a.cat {
	case vAgg:
		c, ok := ir.IntConst(i)
		if ok && c >= 0 && c < int64(len(a.elems)) {
			e := a.elems[c]
			if e.t != nil {
				e.name = a.name
			}
			return e
		}
		if !l.demote(a) {
			return l.unknown(n, "index into a temporary array", false)
		}
		if len(a.elems) > 0 {
			return a.elems[0] // the function is lowered again
		}
		return value{t: a.t.elem, cat: vPoison, reason: "index into an empty array"}
	case vMem:
		p := l.pointerAdd(value{t: pointerTo(a.t.elem), cat: vRval, x: a.x, name: a.name}, i, n)
		if a.member && a.t.len > 1 { // one of a single element may go on behind it
			p.x = within(a.x, p.x, (a.t.len-1)*a.t.elem.size())
		}
		e := l.deref(p, n)
		e.decl, e.member, e.link = a.decl, a.member, a.link
		return e
	}
	return l.unknown(n, "subscript of "+a.t.String(), false)
}

// fieldExpr lowers s.f and p->f.
func (l *lowerer) fieldExpr(n *syntax.Node) value {
	an, fn := n.Child("argument"), n.Child("field")
	if fn == nil || an == nil {
		return l.unknown(n, "syntax error", false)
	}
	if an.Kind == "identifier" {
		if v, ok := l.threadVariable(l.text(an), l.text(fn)); ok && len(l.scope.lookup(l.text(an))) == 0 {
			return v
		}
	}
	obj := l.object(n)
	return l.memberOf(n, obj, fn)
}

// object is the class object that a field expression looks into.
func (l *lowerer) object(n *syntax.Node) value {
	an := n.Child("argument")
	obj := l.expr(an)
	if l.text(n.Child("operator")) != "->" {
		l.dropped(obj, an)
		if obj.isTemporary() && obj.t.hasArrays() {
			return l.materialized(obj, an)
		}
		return obj
	}
	for range 4 {
		if obj.t.kind != kRecord {
			break
		}
		r, ok := l.operator(n, "operator->", []value{obj}, []*syntax.Node{an})
		if !ok {
			break
		}
		obj = r
	}
	name := obj.name
	obj = l.deref(obj, an)
	if obj.cat == vMem && name != "" {
		obj.name = name
	}
	return obj
}

func (l *lowerer) memberOf(n *syntax.Node, obj value, fn *syntax.Node) value {
	if obj.cat == vPoison {
		return obj
	}
	ref := nameRef{name: l.declName(fn)}
	switch fn.Kind {
	case "qualified_identifier":
		ref = l.resolveQualified(fn, l.scope)
		if obj.t.kind == kRecord && ref.rec != nil {
			if path := obj.t.rec.basePath(ref.rec); path != nil {
				obj = l.memberPath(obj, path)
			}
		}
	case "template_method", "dependent_name":
		ref = l.resolve(fn, newScope(nil, scopeNamespace))
	}
	if obj.t.kind != kRecord {
		return l.builtinMember(obj, ref)
	}
	if path := obj.t.rec.findField(ref.name); path != nil {
		m := l.throughRef(l.memberPath(obj, path), n)
		if m.isPlace() || m.cat == vRval {
			sep := "."
			if l.text(n.Child("operator")) == "->" {
				sep = "->"
			}
			if obj.name != "" {
				m.name = obj.name + sep + ref.name
			} else if m.name == "" {
				m.name = ref.name
			}
		}
		return m
	}
	if obj.t.rec.scope != nil {
		if syms := obj.t.rec.scope.own(ref.name); len(syms) > 0 {
			switch syms[0].kind {
			case symFunc:
				this := obj
				return value{t: &ctype{kind: kFunc, elem: tVoid}, cat: vFns, fns: &fnset{name: ref.name, syms: syms, args: ref.args, scope: l.scope, this: &this, exact: ref.qual}}
			case symVar:
				return l.variable(fn, syms[0], ref)
			case symEnumConst:
				return l.enumConst(syms[0])
			}
		}
	}
	return l.builtinMember(obj, ref)
}

// cast lowers every kind of explicit conversion.
func (l *lowerer) cast(vn *syntax.Node, t *ctype) value {
	if t.kind == kVoid {
		l.discard(vn)
		return value{t: tVoid}
	}
	v := l.expr(vn)
	if t.kind == kRef {
		return l.castRef(v, t, vn)
	}
	if t.kind == kOpaque {
		l.load(v, vn)
		return value{t: t, cat: vPoison, reason: "cast to " + t.String()}
	}
	return l.convertTo(v, t, vn)
}

// castRef lowers a cast to a reference: the same place seen as another type.
func (l *lowerer) castRef(v value, t *ctype, n *syntax.Node) value {
	to := t.elem
	v.moved = t.rvalue
	if sameType(v.t, to) {
		if v.isPlace() {
			v.t = v.t.qualified(to.isConst, to.volatile)
		}
		return v
	}
	if v.t.kind == kRecord && to.kind == kRecord {
		if path := v.t.rec.basePath(to.rec); path != nil {
			return l.basePart(v, path)
		}
	}
	switch v.cat {
	case vMem:
		p := l.pointerCast(value{t: pointerTo(v.t), cat: vRval, x: v.x, name: v.name}, pointerTo(to), n)
		return l.deref(p, n)
	case vReg, vAgg:
		if l.demote(v) {
			return value{t: to, cat: vMem, x: zero(ir.Ptr), name: v.name} // the function is lowered again
		}
	case vRval:
		return l.convertTo(v, to, n)
	}
	return l.unknown(n, "cast to "+t.String(), false)
}
