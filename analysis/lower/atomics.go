package lower

// This file lowers CUDA's atomic functions. Those with their classic names are relaxed, at
// device scope unless a suffix says another (CUDA C++ programming guide, Atomic Functions).

import (
	"strings"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/syntax"
)

var classicAtomics = map[string]ir.AtomicOp{
	"atomicAdd": ir.AtomicAdd, "atomicSub": ir.AtomicSub, "atomicExch": ir.AtomicExch, "atomicMin": ir.AtomicMin, "atomicMax": ir.AtomicMax,
	"atomicInc": ir.AtomicInc, "atomicDec": ir.AtomicDec, "atomicCAS": ir.AtomicCAS, "atomicAnd": ir.AtomicAnd, "atomicOr": ir.AtomicOr, "atomicXor": ir.AtomicXor,
}

var atomicSuffixes = map[string]race.Scope{"": race.ScopeDevice, "_block": race.ScopeBlock, "_system": race.ScopeSystem}

func atomicTable() map[string]intrinsic {
	m := map[string]intrinsic{}
	for name, op := range classicAtomics {
		for suffix, scope := range atomicSuffixes {
			m[name+suffix] = classicAtomic(op, scope)
		}
	}
	nv := map[string]ir.AtomicOp{
		"fetch_add": ir.AtomicAdd, "fetch_sub": ir.AtomicSub, "fetch_min": ir.AtomicMin, "fetch_max": ir.AtomicMax,
		"fetch_and": ir.AtomicAnd, "fetch_or": ir.AtomicOr, "fetch_xor": ir.AtomicXor, "exchange_n": ir.AtomicExch,
		"add": ir.AtomicAdd, "sub": ir.AtomicSub, "min": ir.AtomicMin, "max": ir.AtomicMax, "and": ir.AtomicAnd, "or": ir.AtomicOr, "xor": ir.AtomicXor,
	}
	for name, op := range nv {
		m["__nv_atomic_"+name] = nvAtomic(op)
	}
	m["__nv_atomic_load_n"] = nvLoad
	m["__nv_atomic_store_n"] = nvStore
	m["__nv_atomic_compare_exchange_n"] = nvCompareExchange
	return m
}

// pointee is the place that the first argument of an atomic points to.
func (l *lowerer) pointee(c *callSite) (value, bool) {
	p := l.decay(c.value(l, 0), c.args[0].n)
	if p.cat != vRval || p.t.kind != kPtr {
		return p, false
	}
	place := l.deref(p, c.args[0].n)
	if place.cat == vReg || place.cat == vAgg {
		l.demote(place) // an atomic on a local variable
		return place, false
	}
	return place, place.cat == vMem
}

func classicAtomic(op ir.AtomicOp, scope race.Scope) intrinsic {
	return func(l *lowerer, c *callSite) value {
		want := 2
		if op == ir.AtomicCAS {
			want = 3
		}
		if len(c.args) != want {
			return l.rejectArity(c)
		}
		place, ok := l.pointee(c)
		if !ok {
			return l.opaqueCall(c.n, c.name+" on "+reasonOf(place), c.args)
		}
		strength := ir.Strength{Order: ir.Relaxed, Scope: scope}
		if place.t.kind == kRecord && op == ir.AtomicAdd && place.t.rec.vector {
			return l.vectorAtomic(c, place, strength)
		}
		if !place.t.isScalar() {
			return l.opaqueCall(c.n, c.name+" on "+place.t.String(), c.args)
		}
		t := place.t.unqualified()
		var x, cmp ir.Expr
		if op == ir.AtomicCAS {
			cmp, x = c.arg(l, 1, t), c.arg(l, 2, t)
		} else {
			x = c.arg(l, 1, t)
		}
		return l.atomic(c, op, place, x, cmp, strength)
	}
}

// atomic emits a read-modify-write and returns the old value.
func (l *lowerer) atomic(c *callSite, op ir.AtomicOp, place value, x, cmp ir.Expr, s ir.Strength) value {
	t := place.t.unqualified()
	it := t.ir()
	switch {
	case it == ir.Bool:
		it = ir.U8 // its representation
		x = convert(x, it)
		if cmp != nil {
			cmp = convert(cmp, it)
		}
	case !it.IsInt() && op >= ir.AtomicInc && op != ir.AtomicCAS:
		return l.opaqueCall(c.n, "atomic on "+t.String(), c.args)
	}
	dst := l.newReg(it, "")
	l.emit(&ir.Atomic{Dst: dst, Op: op, T: it, Ptr: place.x, X: x, Compare: cmp, Strength: s, Site: l.namedSite(c.n, c.nameNode, place.name)})
	return rval(t, convert(&ir.RegRef{R: dst}, t.ir()))
}

// vectorAtomic is atomicAdd on float2, float4, half2: one atomic for each component.
func (l *lowerer) vectorAtomic(c *callSite, place value, s ir.Strength) value {
	x := l.convertTo(c.args[1].v, place.t.unqualified(), c.args[1].n)
	out := value{t: place.t.unqualified(), cat: vAgg}
	for i := range place.t.rec.fields {
		m := l.member(place, i)
		if x.cat != vAgg {
			return l.opaqueCall(c.n, reasonOf(x), c.args)
		}
		out.elems = append(out.elems, l.atomic(c, ir.AtomicAdd, m, l.bits(l.load(x.elems[i], c.n)), nil, s))
	}
	return out
}

// orderArg reads a memory order argument, which must be a constant; seq_cst where there is none.
func (l *lowerer) orderArg(c *callSite, i int) (ir.Order, bool) {
	if i >= len(c.args) {
		return ir.SeqCst, true
	}
	v, ok := ir.IntConst(c.arg(l, i, tInt))
	return ir.Order(v), ok && v >= 0 && v <= int64(ir.SeqCst)
}

// scopeArg reads a thread scope argument, which must be a constant; the system where there is none.
func (l *lowerer) scopeArg(c *callSite, i int) (race.Scope, bool) {
	if i >= len(c.args) {
		return race.ScopeSystem, true
	}
	v, ok := ir.IntConst(c.arg(l, i, tInt))
	return race.Scope(v), ok && v >= 0 && v <= int64(race.ScopeSystem)
}

// nvPlace is what an __nv_atomic function accesses, and how: an argument is its order, another one its scope.
func (l *lowerer) nvPlace(c *callSite, order, scope int) (place value, s ir.Strength, ok bool) {
	place, ok = l.pointee(c)
	o, ok2 := l.orderArg(c, order)
	in, ok3 := l.scopeArg(c, scope)
	return place, ir.Strength{Order: o, Scope: in}, ok && ok2 && ok3 && place.t.isScalar()
}

// nvAtomic lowers __nv_atomic_fetch_add(p, x, order, scope = system) and its kin.
func nvAtomic(op ir.AtomicOp) intrinsic {
	return func(l *lowerer, c *callSite) value {
		if len(c.args) < 3 {
			return l.rejectArity(c)
		}
		place, s, ok := l.nvPlace(c, 2, 3)
		if !ok {
			return l.rejectArity(c)
		}
		return l.atomic(c, op, place, c.arg(l, 1, place.t.unqualified()), nil, s)
	}
}

func nvLoad(l *lowerer, c *callSite) value {
	if len(c.args) < 2 {
		return l.rejectArity(c)
	}
	place, s, ok := l.nvPlace(c, 1, 2)
	if !ok {
		return l.rejectArity(c)
	}
	return l.strongLoad(c, place, s)
}

func nvStore(l *lowerer, c *callSite) value {
	if len(c.args) < 3 {
		return l.rejectArity(c)
	}
	place, s, ok := l.nvPlace(c, 2, 3)
	if !ok {
		return l.rejectArity(c)
	}
	l.strongStore(c, place, c.arg(l, 1, place.t.unqualified()), s)
	return value{t: tVoid}
}

// nvCompareExchange is __nv_atomic_compare_exchange_n(p, &expected, desired, weak, success,
// failure, scope): it returns whether the exchange took place and writes what it saw.
func nvCompareExchange(l *lowerer, c *callSite) value {
	if len(c.args) < 6 {
		return l.rejectArity(c)
	}
	place, s, ok := l.nvPlace(c, 4, 6)
	expected := l.deref(c.value(l, 1), c.args[1].n)
	if !ok || !expected.isPlace() {
		return l.rejectArity(c)
	}
	return l.compareExchange(c, place, expected, c.arg(l, 2, place.t.unqualified()), s)
}

// compareExchange emits a CAS, gives expected the value seen, and tells whether they agreed.
func (l *lowerer) compareExchange(c *callSite, place, expected value, desired ir.Expr, s ir.Strength) value {
	t := place.t.unqualified()
	want := l.temp(l.toScalar(expected, t, c.n))
	old := l.atomic(c, ir.AtomicCAS, place, desired, want, s)
	l.assign(expected, old, c.n)
	return rval(tBool, l.temp(binary(ir.Eq, old.x, want)))
}

func (l *lowerer) strongLoad(c *callSite, place value, s ir.Strength) value {
	t := place.t.unqualified()
	s.Volatile = place.t.volatile && s.Order == ir.Weak
	dst := l.newReg(t.ir(), "")
	l.emit(&ir.Load{Dst: dst, T: t.ir(), Ptr: place.x, Strength: s, Site: l.namedSite(c.n, c.nameNode, place.name)})
	return rval(t, &ir.RegRef{R: dst})
}

func (l *lowerer) strongStore(c *callSite, place value, x ir.Expr, s ir.Strength) {
	l.emit(&ir.Store{T: place.t.ir(), Ptr: place.x, X: x, Strength: s, Site: l.namedSite(c.n, c.nameNode, place.name)})
}

// memoryTable has the loads and stores with cache hints, which do not count for ordering.
func memoryTable() map[string]intrinsic {
	m := map[string]intrinsic{}
	for _, hint := range []string{"g", "cg", "ca", "cs", "lu", "cv"} {
		m["__ld"+hint] = hintLoad
	}
	for _, hint := range []string{"wb", "cg", "cs", "wt"} {
		m["__st"+hint] = hintStore
	}
	m["memcpy"] = copyBytes
	m["__builtin_memcpy"] = copyBytes
	m["memset"] = setBytes
	m["__builtin_memset"] = setBytes
	m["memmove"] = copyBytes
	return m
}

func hintLoad(l *lowerer, c *callSite) value {
	if len(c.args) != 1 {
		return l.rejectArity(c)
	}
	place := l.deref(c.value(l, 0), c.args[0].n)
	if strings.HasSuffix(c.name, "cv") && place.t != nil {
		place.t = place.t.qualified(false, true)
	}
	return l.load(place, c.n)
}

func hintStore(l *lowerer, c *callSite) value {
	if len(c.args) != 2 {
		return l.rejectArity(c)
	}
	place := l.deref(c.value(l, 0), c.args[0].n)
	if place.isNothing() {
		return l.opaqueCall(c.n, reasonOf(place), c.args)
	}
	l.assign(place, l.convertTo(c.args[1].v, place.t, c.args[1].n), c.n)
	return value{t: tVoid}
}

// maxUnrolledBytes bounds the copies that are written out as single accesses.
const maxUnrolledBytes = 512

// copyBytes lowers memcpy: written out if its size is a small constant, else as a loop over
// bytes.
func copyBytes(l *lowerer, c *callSite) value {
	if len(c.args) != 3 {
		return l.rejectArity(c)
	}
	dst, src := l.decay(c.value(l, 0), c.n), l.decay(c.value(l, 1), c.n)
	if l.host && (dst.target == nil && src.target == nil || dst.cat != vRval || src.cat != vRval) {
		hostCopy(l, c)
		return dst
	}
	if dst.cat != vRval || src.cat != vRval || dst.t.kind != kPtr || src.t.kind != kPtr {
		return l.opaqueCall(c.n, "memcpy with unusual arguments", c.args)
	}
	elem := copyUnit(dst, src)
	n := c.arg(l, 2, tULong)
	if dst.target != nil && src.target != nil && sameType(dst.target.t, src.target.t) {
		if size, ok := ir.IntConst(n); ok && size == dst.target.t.size() {
			l.assign(*dst.target, l.load(*src.target, c.n), c.n)
			return dst
		}
	}
	if size, ok := ir.IntConst(n); ok && dst.target != nil && src.target != nil && l.copyScalars(*dst.target, *src.target, size, c.n) {
		return dst
	}
	if dst.target != nil && src.target == nil || src.target != nil && dst.target == nil {
		if v, ok := l.bitCopy(c, dst, src, n); ok {
			return v
		}
	}
	if l.host {
		l.clobberArgs(c.n, "memcpy", c.args[:1])
		return dst
	}
	px, py := l.bits(dst), l.bits(src)
	if px == nil || py == nil {
		return l.opaqueCall(c.n, "memcpy of temporaries", c.args)
	}
	size := max(elem.size(), 1)
	count := binary(ir.Div, n, constInt(ir.U64, size))
	if v, ok := ir.IntConst(n); ok && v%size != 0 {
		elem, count = tUChar, n
	} else if !ok && size > 1 && !multipleOf(n, size) {
		elem, count = tUChar, n
	}
	l.emitCopy(c, elem, px, py, count, dst.name, src.name)
	return dst
}

// bitCopy copies between a variable in registers and memory of the variable's own type.
func (l *lowerer) bitCopy(c *callSite, dst, src value, n ir.Expr) (value, bool) {
	size, ok := ir.IntConst(n)
	t := dst.t.elem
	if dst.target != nil {
		t = dst.target.t
	} else {
		t = src.target.t
	}
	if !ok || size != t.size() {
		return value{}, false
	}
	if dst.target != nil {
		from := value{t: t.unqualified(), cat: vMem, x: src.x, name: src.name}
		l.assign(*dst.target, l.load(from, c.n), c.n)
	} else {
		to := value{t: t.unqualified(), cat: vMem, x: dst.x, name: dst.name}
		l.assign(to, l.load(*src.target, c.n), c.n)
	}
	return dst, true
}

// copyScalars copies between variables of different types of which so many bytes are integers and pointers at the same places; it
// returns false if they are not.
func (l *lowerer) copyScalars(dst, src value, size int64, n *syntax.Node) bool {
	to, from := l.scalarsOf(dst, 0, size), l.scalarsOf(src, 0, size)
	if len(to) != len(from) {
		return false
	}
	for i, s := range from {
		t := to[i].t
		if s.field != nil || to[i].field != nil || to[i].at != s.at || s.at+s.t.size() > size || !t.isScalar() || !s.t.isScalar() || t.size() != s.t.size() || t.ir().IsFloat() != s.t.ir().IsFloat() {
			return false
		}
	}
	var bits []ir.Expr
	for i, s := range from {
		x := l.bits(l.load(s.value, n))
		if x == nil {
			return false
		}
		bits = append(bits, convert(x, to[i].t.ir()))
	}
	for i, x := range bits {
		l.assign(to[i].value, rval(to[i].t.unqualified(), x), n)
	}
	return true
}

// scalar is a part of a variable, so many bytes behind its beginning.
type scalar struct {
	value
	at int64
}

// scalarsOf are the parts of a variable that begin before an end.
func (l *lowerer) scalarsOf(v value, at, end int64) (out []scalar) {
	switch {
	case at >= end:
		return nil
	case v.t.kind == kRecord && v.t.flat():
		for i, f := range v.t.rec.fields {
			out = append(out, l.scalarsOf(l.member(v, i), at+f.off, end)...)
		}
		return out
	case v.t.kind == kArray && v.t.flat():
		for i := range v.t.len {
			out = append(out, l.scalarsOf(l.element(v, i), at+i*v.t.elem.size(), end)...)
		}
		return out
	}
	return []scalar{{v, at}}
}

// copyUnit is the scalar in which a copy moves: the common element type, else bytes.
func copyUnit(dst, src value) *ctype {
	d, s := dst.t.elem, src.t.elem
	switch {
	case d.isScalar() && sameType(d.unqualified(), s.unqualified()):
		return d.unqualified()
	case d.isScalar() && s.kind == kVoid:
		return d.unqualified()
	case s.isScalar() && d.kind == kVoid:
		return s.unqualified()
	}
	return tUChar
}

// multipleOf reports whether an expression is a product with a multiple of n.
func multipleOf(e ir.Expr, n int64) bool {
	switch e := e.(type) {
	case *ir.Const:
		return e.Int()%n == 0
	case *ir.Binary:
		switch e.Op {
		case ir.Mul:
			return multipleOf(e.X, n) || multipleOf(e.Y, n)
		case ir.Add, ir.Sub:
			return multipleOf(e.X, n) && multipleOf(e.Y, n)
		}
	}
	return false
}

func (l *lowerer) emitCopy(c *callSite, elem *ctype, dst, src, count ir.Expr, dstName, srcName string) {
	t := elem.ir()
	size := elem.size()
	one := func(off ir.Expr) {
		r := l.newReg(t, "")
		l.emit(&ir.Load{Dst: r, T: t, Ptr: ptrAdd(src, off), Site: l.namedSite(c.n, c.nameNode, srcName)})
		l.emit(&ir.Store{T: t, Ptr: ptrAdd(dst, off), X: &ir.RegRef{R: r}, Site: l.namedSite(c.n, c.nameNode, dstName)})
	}
	if v, ok := ir.IntConst(count); ok && v*size <= maxUnrolledBytes {
		for i := range v {
			one(constInt(ir.I64, i*size))
		}
		return
	}
	l.countLoop(c, count, func(i ir.Expr) { one(binary(ir.Mul, i, constInt(ir.I64, size))) })
}

// countLoop emits a loop that runs body for 0 ≤ i < count.
func (l *lowerer) countLoop(c *callSite, count ir.Expr, body func(i ir.Expr)) {
	i := l.newReg(ir.I64, "")
	l.emit(&ir.Assign{Dst: i, X: constInt(ir.I64, 0)})
	bound := l.temp(convert(count, ir.I64))
	list := l.collectStmts(func() { body(&ir.RegRef{R: i}) })
	post := []ir.Stmt{&ir.Assign{Dst: i, X: binary(ir.Add, &ir.RegRef{R: i}, constInt(ir.I64, 1))}}
	l.emit(&ir.Loop{Label: l.newLabel(), Cond: binary(ir.Lt, &ir.RegRef{R: i}, bound), Body: list, Post: post, Site: l.site(c.n, "")})
}

// setBytes lowers memset.
func setBytes(l *lowerer, c *callSite) value {
	if len(c.args) != 3 {
		return l.rejectArity(c)
	}
	if l.host {
		l.clobberArgs(c.n, "memset", c.args[:1])
		return c.value(l, 0)
	}
	dst := l.decay(c.value(l, 0), c.n)
	if dst.cat != vRval || dst.t.kind != kPtr {
		return l.opaqueCall(c.n, "memset with unusual arguments", c.args)
	}
	b, n := c.arg(l, 1, tInt), c.arg(l, 2, tULong)
	if dst.target != nil && isFalse(b) {
		if size, ok := ir.IntConst(n); ok && size == dst.target.t.size() && dst.target.t.kind != kRecord {
			l.assign(*dst.target, l.zeroValue(dst.target.t, c.n), c.n)
			return dst
		}
	}
	px := l.bits(dst)
	if px == nil {
		return l.opaqueCall(c.n, "memset of a temporary", c.args)
	}
	elem := tUChar
	if e := dst.t.elem; e.isScalar() && isFalse(b) && multipleOf(n, e.size()) {
		elem = e.unqualified()
	}
	x := convert(b, elem.ir())
	l.countLoop(c, binary(ir.Div, n, constInt(ir.U64, elem.size())), func(i ir.Expr) {
		l.emit(&ir.Store{T: elem.ir(), Ptr: ptrAdd(px, binary(ir.Mul, i, constInt(ir.I64, elem.size()))), X: x, Site: l.namedSite(c.n, c.nameNode, dst.name)})
	})
	return dst
}
