package access

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/term"
)

// This file gives expressions their symbolic values.

// NoOverflow is the assumption behind taking index arithmetic as that of whole numbers.
const NoOverflow = "index arithmetic does not overflow"

func typeRange(t ir.Type) (lo, hi int64) {
	if !t.IsInt() {
		return term.NoLo, term.NoHi
	}
	n := t.Bits()
	switch {
	case t.IsSigned() && n < 64:
		return -1 << (n - 1), 1<<(n-1) - 1
	case t.IsSigned():
		return term.NoLo, term.NoHi
	case n < 64:
		return 0, 1<<n - 1
	}
	return 0, term.NoHi
}

func (x *executor) eval(st *state, e ir.Expr) Value {
	t := x.t
	switch e := e.(type) {
	case *ir.Const:
		return x.constant(e)
	case *ir.RegRef:
		return x.reg(st, e.R)
	case *ir.ParamRef:
		return x.param(e.P)
	case *ir.Builtin:
		return Value{P: x.builtin(e)}
	case *ir.ObjAddr:
		return Value{P: t.Const(0), Base: x.objectBase(e.Obj)}
	case *ir.PtrAdd:
		v := x.eval(st, e.Base)
		offset := x.unwrap(x.number(x.eval(st, e.Offset)), ir.I64) // addresses are modulo 2^64 themselves
		return Value{P: t.Add(v.P, offset), Base: v.Base}
	case *ir.Unary:
		return x.unary(st, e)
	case *ir.Binary:
		return x.binary(st, e)
	case *ir.Convert:
		v := x.eval(st, e.X)
		if e.T.IsInt() && !e.T.IsSigned() && e.X.Type().IsSigned() {
			x.assumeSizes(st, e.X)
		}
		if e.T == ir.Ptr && v.Base == nil && !x.host {
			if _, known := x.number(v).IsConst(); !known && len(x.flow.rootsOf(e.X)) > 0 { // it was made of the addresses of known memory
				return x.oneOf(fromInteger, x.flow.rootsOf(e.X), x.number(v).Variance(), nil)
			}
		}
		return x.convert(st, v, e.X.Type(), e.T)
	case *ir.Select:
		c := x.truth(st, e.Cond)
		x.guarded++
		p, q := x.eval(st, e.X), x.eval(st, e.Y)
		x.guarded--
		if around := x.onCircle(st, c, p, q); around != nil {
			return Value{P: around}
		}
		return x.choose(c, p, q, e.Type())
	case *ir.Call:
		switch e.Name {
		case "__cvta_generic_to_shared", "__cvta_shared_to_generic": // two names of one place
			return x.convert(st, x.eval(st, e.Args[0]), e.Args[0].Type(), e.T)
		case "mapa":
			return x.remote(x.eval(st, e.Args[0]), x.number(x.eval(st, e.Args[1])))
		}
		args := make([]*term.Poly, len(e.Args))
		for i, a := range e.Args {
			v := x.eval(st, a)
			if c := constantOf(v, a.Type()); c != nil && len(args) == 1 {
				if c = ir.FoldCall(e.Name, e.T, c); c != nil {
					return x.constant(c)
				}
			}
			args[i] = x.number(v)
		}
		if count, ok := bitCounts[e.Name]; ok && len(args) == 1 {
			if c, known := args[0].IsConst(); known {
				return Value{P: x.t.Const(int64(count.of(uint64(c))))}
			}
			return Value{P: x.t.Poly(x.t.Apply(term.Func, e.Name, 0, count.most, nil, args...))}
		}
		if isFetch(e.Name) {
			x.assume(texturesReadOnly)
		}
		if e.Name == ir.ElectLane || e.Name == ir.ElectRank {
			return Value{P: x.elected(e.Name, args)}
		}
		return x.apply(e.Name, e.T, args...)
	}
	return x.opaque("value", term.Thread, ir.I64, nil)
}

const texturesReadOnly = "textures show no memory that the kernel writes"

// isFetch reports whether a function reads a texture: memory that no kernel may write at the same time (CUDA C++ Programming Guide,
// "Texture and Surface Memory").
func isFetch(name string) bool {
	return slices.ContainsFunc([]string{"tex1D", "tex2D", "tex3D", "texCubemap"}, func(of string) bool { return strings.HasPrefix(name, of) })
}

// elected is the lane or the rank that is chosen.
func (x *executor) elected(name string, args []*term.Poly) *term.Poly {
	first, last := int64(0), int64(31)
	if known, ok := args[0].IsConst(); !ok && name == ir.ElectRank {
		last = maxThreads - 1
	} else if ok && name == ir.ElectRank {
		last = known - 1
	} else if mask := uint32(known); ok && mask != 0 {
		first, last = int64(bits.TrailingZeros32(mask)), int64(bits.Len32(mask)-1)
	}
	return x.t.Poly(x.t.Apply(term.Func, name, first, last, nil, args...))
}

// bitCounts are the functions that count bits, with what they give at most.
var bitCounts = map[string]struct {
	most int64
	of   func(uint64) int
}{
	"__popc":   {32, func(v uint64) int { return bits.OnesCount32(uint32(v)) }},
	"__clz":    {32, func(v uint64) int { return bits.LeadingZeros32(uint32(v)) }},
	"__ffs":    {32, func(v uint64) int { return (bits.TrailingZeros32(uint32(v)) + 1) % 33 }}, // 0 for none
	"__popcll": {64, bits.OnesCount64},
	"__clzll":  {64, bits.LeadingZeros64},
	"__ffsll":  {64, func(v uint64) int { return (bits.TrailingZeros64(v) + 1) % 65 }},
}

func (x *executor) constant(c *ir.Const) Value {
	t := x.t
	switch {
	case c.T == ir.Bool:
		if c.Bits != 0 {
			return Value{Truth: term.Always()}
		}
		return Value{Truth: term.Never()}
	case c.T.IsFloat():
		return Value{P: t.Poly(t.Named(term.Symbol, fmt.Sprintf("%s:%x", c.T, c.Bits), term.NoLo, term.NoHi, term.Grid))}
	case c.T.IsSigned():
		return Value{P: t.Const(c.Int())}
	case c.T == ir.Ptr:
		return Value{P: t.Const(int64(c.Bits)), Base: x.nullBase()}
	}
	if c.T == ir.U64 && c.Bits > 1<<63-1 {
		return x.apply(fmt.Sprintf("%d", c.Bits), ir.U64)
	}
	return Value{P: t.Const(int64(c.Bits))}
}

// number is a value as a polynomial; a truth value is 0 or 1, a pointer keeps its base's name.
func (x *executor) number(v Value) *term.Poly {
	t := x.t
	switch {
	case v.Truth != nil:
		switch v.Truth.Op {
		case term.True:
			return t.Const(1)
		case term.False:
			return t.Const(0)
		}
		return t.Poly(t.Apply(term.Select, "select", 0, 1, v.Truth, t.Const(1), t.Const(0)))
	case v.Base != nil && len(v.Base.Either) > 0:
		n, _ := x.overAlternatives(v, ir.I64, func(v Value) (Value, bool) { return Value{P: x.number(v)}, true })
		return n.P
	case v.Base != nil && v.Base.Pointer != nil:
		return t.Add(v.Base.Pointer, v.P)
	case v.Base != nil && v.Base.Remote != nil:
		return t.Poly(t.Apply(term.Func, "address in another block of "+x.baseName(v.Base), term.NoLo, term.NoHi, nil, v.P, v.Base.Remote))
	case v.Base != nil:
		at := t.Apply(term.Func, "address of "+x.baseName(v.Base), term.NoLo, term.NoHi, nil, t.Const(0))
		at.Ref = v.Base
		return t.Add(t.Poly(at), v.P)
	}
	return v.P
}

// truth is an expression of type Bool as a condition.
func (x *executor) truth(st *state, e ir.Expr) *term.Cond {
	v := x.eval(st, e)
	if v.Truth != nil {
		return v.Truth
	}
	return x.t.Ne(x.number(v), x.t.Const(0))
}

func (x *executor) apply(name string, typ ir.Type, args ...*term.Poly) Value {
	lo, hi := typeRange(typ)
	p := x.t.Poly(x.t.Apply(term.Func, name, lo, hi, nil, args...))
	if typ == ir.Bool {
		return Value{Truth: x.t.Ne(p, x.t.Const(0))}
	}
	if typ == ir.Ptr {
		return Value{P: x.t.Const(0), Base: x.pointerBase(p)}
	}
	return Value{P: p}
}

func (x *executor) unary(st *state, e *ir.Unary) Value {
	t := x.t
	if e.Op == ir.LogNot {
		return Value{Truth: t.Not(x.truth(st, e.X))}
	}
	v := x.eval(st, e.X)
	if c := constantOf(v, e.X.Type()); c != nil {
		if c = ir.FoldUnary(e.Op, c); c != nil {
			return x.constant(c)
		}
	}
	p := x.number(v)
	if e.X.Type().IsFloat() {
		return x.apply(e.Op.String(), e.Type(), p)
	}
	if e.Op == ir.BitNot { // two's complement: ~p = -p - 1
		return Value{P: x.fit(st, t.Sub(t.Const(-1), p), e.Type(), false)}
	}
	return Value{P: x.fit(st, t.Scale(-1, p), e.Type(), false)}
}

func (x *executor) binary(st *state, e *ir.Binary) Value {
	t := x.t
	switch e.Op {
	case ir.LogAnd, ir.LogOr:
		p := x.truth(st, e.X)
		x.guarded++
		q := x.truth(st, e.Y)
		x.guarded--
		if e.Op == ir.LogAnd {
			return Value{Truth: term.Conj(p, q)}
		}
		return Value{Truth: term.Disj(p, q)}
	}
	if v, ok := x.multiple(st, e); ok {
		return v
	}
	a, b := x.eval(st, e.X), x.eval(st, e.Y)
	if a.mayBeKnown() && b.mayBeKnown() {
		if p, q := constantOf(a, e.X.Type()), constantOf(b, e.Y.Type()); p != nil && q != nil {
			if c := ir.FoldBinary(e.Op, e.T, p, q); c != nil {
				return x.constant(c)
			}
		}
	}
	if e.Op.IsCompare() {
		v := x.compare(e, a, b)
		x.noteCompared(v.Truth)
		return v
	}
	if a.Truth != nil && b.Truth != nil {
		switch e.Op {
		case ir.And:
			return Value{Truth: term.Conj(a.Truth, b.Truth)}
		case ir.Or:
			return Value{Truth: term.Disj(a.Truth, b.Truth)}
		case ir.Xor:
			return Value{Truth: term.Disj(term.Conj(a.Truth, t.Not(b.Truth)), term.Conj(t.Not(a.Truth), b.Truth))}
		}
	}
	switch { // a pointer as a number that still knows its object
	case e.Op == ir.Add && a.Base != nil && b.Base == nil && b.P != nil, e.Op == ir.Sub && a.Base != nil && b.Base == nil && b.P != nil:
		return Value{P: x.arith(st, e.Op, e.T, a.P, b.P), Base: a.Base}
	case e.Op == ir.Add && a.Base == nil && b.Base != nil && a.P != nil:
		return Value{P: t.Add(a.P, b.P), Base: b.Base}
	case e.Op == ir.And && a.Base != nil && b.Base == nil && b.P != nil:
		if k, ok := highMask(b.P, e.T); ok {
			return Value{P: x.alignDown(st, a, k), Base: a.Base}
		}
	}
	p, q := x.number(a), x.number(b)
	if e.T.IsFloat() {
		return x.apply(e.Op.String(), e.T, p, q)
	}
	if c, isConst := q.IsConst(); isConst && c > 0 && x.multipliesNonNegative(st, e.X) {
		switch {
		case e.Op == ir.Div:
			return Value{P: t.Quotient(p, q)}
		case e.Op == ir.Shr && c < 31:
			return Value{P: t.Quotient(p, t.Const(1<<c))}
		}
	}
	positive := false
	switch e.Op {
	case ir.Add, ir.Mul, ir.And, ir.Or, ir.Xor, ir.Shr:
		positive = !e.T.IsSigned() // as both operands are
	}
	return Value{P: x.fit(st, x.arith(st, e.Op, e.T, p, q), e.T, positive)}
}

func (x *executor) compare(e *ir.Binary, a, b Value) Value {
	t := x.t
	if a.Truth != nil || b.Truth != nil {
		a, b = Value{P: x.number(a)}, Value{P: x.number(b)}
	}
	p, q := a.P, b.P
	if a.Base != b.Base {
		p, q = x.number(a), x.number(b)
	}
	if e.X.Type().IsFloat() && e.Op != ir.Eq && e.Op != ir.Ne {
		return x.apply(e.Op.String(), ir.Bool, p, q)
	}
	switch e.Op {
	case ir.Eq:
		p, q = x.unsigned(p, q)
		return Value{Truth: t.Eq(p, q)}
	case ir.Ne:
		p, q = x.unsigned(p, q)
		return Value{Truth: t.Ne(p, q)}
	case ir.Lt:
		return Value{Truth: t.Lt(p, q)}
	case ir.Le:
		return Value{Truth: t.Le(p, q)}
	case ir.Gt:
		return Value{Truth: t.Lt(q, p)}
	}
	return Value{Truth: t.Le(q, p)}
}

// mostCompared bounds the comparisons that are noted.
const mostCompared = 200

// noteCompared notes a comparison of what memory holds.
func (x *executor) noteCompared(c *term.Cond) {
	if x.host || c == nil || c.P == nil || len(x.sum.Compared) == mostCompared || slices.Contains(x.sum.Compared, c) {
		return
	}
	found := false
	c.P.AllLeaves(func(a *term.Atom) {
		_, loaded := a.Ref.(*ir.Load)
		found = found || loaded || IsContents(a)
	})
	if found {
		x.sum.Compared = append(x.sum.Compared, c)
	}
}

// unsigned takes off the wrap of a signed number that is made unsigned to be compared with one that is small: it
// is that number, or it is not, whether it is negative or large.
func (x *executor) unsigned(p, q *term.Poly) (a, b *term.Poly) {
	const most = 1<<31 - 1
	bare := func(p, q *term.Poly) *term.Poly {
		wrap := p.IsAtom()
		if lo, hi := q.Range(); wrap == nil || wrap.Kind != term.Wrap || wrap.Lo != 0 || wrap.Hi != 1<<32-1 || lo < 0 || hi > most {
			return p
		}
		if lo, hi := wrap.Args[0].Range(); lo >= -most-1 && hi <= most {
			return wrap.Args[0]
		}
		return p
	}
	return bare(p, q), bare(q, p)
}

// arith applies an integer operator to whole numbers; what has no polynomial becomes an atom.
func (x *executor) arith(st *state, op ir.Op, typ ir.Type, p, q *term.Poly) *term.Poly {
	t := x.t
	c, isConst := q.IsConst()
	switch op {
	case ir.Add:
		return t.Add(p, q)
	case ir.Sub:
		return t.Sub(p, q)
	case ir.Mul:
		return t.Mul(p, q)
	case ir.Div:
		return x.divide(st, p, q, typ, true)
	case ir.Rem:
		return x.divide(st, p, q, typ, false)
	case ir.Shl:
		switch {
		case isConst && c >= 0 && c < 62:
			return t.Scale(1<<c, p)
		case isConst && p.Variance() > term.Grid: // what is shifted out is lost
			lo, hi := typeRange(typ)
			return t.Poly(t.Apply(term.Func, "shl of the last bits", lo, hi, nil, p, q))
		}
		if by := x.powerOfSize(q, typ); by != nil {
			return t.Mul(p, by)
		}
	case ir.Shr:
		if isConst && c >= 0 && c < 62 && (x.nonNegative(st, p) || c > 0 && x.assumeSize(st, p)) { // as divide does
			return x.t.Quotient(p, t.Const(1<<c))
		}
		if by := x.powerOfSize(q, typ); by != nil && x.nonNegative(st, p) {
			return x.t.Quotient(p, by)
		}
	case ir.And:
		if r := x.mask(st, p, q); r != nil {
			return r
		}
		if r := x.mask(st, q, p); r != nil {
			return r
		}
		for _, pair := range [...][2]*term.Poly{{p, q}, {q, p}} {
			if k, ok := highMask(pair[1], typ); ok && (x.nonNegative(st, pair[0]) || x.assumeSize(st, pair[0])) {
				return t.Scale(1<<k, t.Quotient(pair[0], t.Const(1<<k)))
			}
			if size := t.Scale(-1, pair[1]); isPower(size) && x.nonNegative(st, pair[0]) && x.atLeastOne(st, size) {
				return t.Mul(size, t.Quotient(pair[0], size))
			}
		}
	case ir.Or, ir.Xor:
		if r := x.disjointBits(p, q); r != nil {
			return r
		}
		if r := x.disjointDigits(p, q); r != nil {
			return r
		}
		if r := x.withoutRemainder(p, q); op == ir.Xor && r != nil {
			return r
		}
		if isConst && op == ir.Xor && x.nonNegative(st, p) {
			if r := x.flip(p, c); r != nil {
				return r
			}
		}
	case ir.Min:
		return x.extreme(term.Min, p, q)
	case ir.Max:
		return x.extreme(term.Max, p, q)
	}
	lo, hi := typeRange(typ)
	plo, phi := p.Range()
	qlo, qhi := q.Range()
	if (op == ir.And || op == ir.Or || op == ir.Xor) && plo >= 0 && qlo >= 0 {
		lo = 0
		if op == ir.And {
			hi = min(phi, qhi)
		} else if m := max(phi, qhi); m < 1<<62 {
			hi = min(hi, 1<<bits.Len64(uint64(m))-1)
		}
	}
	if op == ir.And && qlo >= 0 && isConst {
		lo, hi = 0, min(hi, c)
	}
	if (op == ir.Shl || op == ir.Shr) && plo >= 0 {
		lo = 0 // a number that is not negative and does not overflow stays so
		if op == ir.Shr {
			hi = min(hi, phi)
		}
	}
	if _, both := p.IsConst(); both && isConst {
		of := term.Atom{Kind: term.Func, Name: op.String(), Lo: lo, Hi: hi, Args: []*term.Poly{p, q}}
		if v, ok := of.Operation(nil); ok {
			return t.Const(v)
		}
	}
	if p.Key() > q.Key() && (op == ir.And || op == ir.Or || op == ir.Xor) {
		p, q = q, p
	}
	return t.Poly(t.Apply(term.Func, op.String(), lo, hi, nil, p, q))
}

// positiveSizes is the assumption behind dividing by a number that the launch fixes: it is the
// length of a row or of a tile, and C++ gives no meaning to a division by zero.
const positiveSizes = "sizes are positive"

// divide gives p/q or p%q where q is positive. C++ truncates: for a negative p it is -(-p/q).
func (x *executor) divide(st *state, p, q *term.Poly, typ ir.Type, quotient bool) *term.Poly {
	t := x.t
	if !x.positive(st, q) {
		name := map[bool]string{true: "sdiv", false: "srem"}[quotient]
		lo, hi := typeRange(typ)
		return t.Poly(t.Apply(term.Func, name, lo, hi, nil, p, q))
	}
	divided := t.Remainder
	if quotient {
		divided = t.Quotient
	}
	if x.nonNegative(st, p) || x.assumeSize(st, p) {
		return divided(p, q)
	}
	// What is known of a quotient holds whether it is chosen or not, so both have arguments
	// that are never negative.
	zero := t.Const(0)
	above := divided(x.extreme(term.Max, p, zero), q)
	below := t.Scale(-1, divided(x.extreme(term.Max, t.Scale(-1, p), zero), q))
	return x.choose(t.Le(zero, p), Value{P: above}, Value{P: below}, typ).P
}

// powerOfSize is 2 to a number that the launch fixes, as of a transform's step, nil for other numbers: shifts by it are
// products and quotients then, which have digits.
func (x *executor) powerOfSize(q *term.Poly, typ ir.Type) *term.Poly {
	t := x.t
	if _, isConst := q.IsConst(); isConst || q.Variance() > term.Grid || q.Loops() != 0 || q.Constant() < 0 || q.Constant() > 31 {
		return nil
	}
	_, hi := typeRange(typ)
	whole := q.Constant()
	if slices.ContainsFunc(q.Terms(), func(m term.Term) bool { return len(m.Mono.Atoms) > 0 && m.Coef < 0 }) {
		whole = 0 // of 1 << (10 - k), ten shifts do not come first
	}
	power := t.Apply(term.Func, ir.Shl.String(), 1, hi, nil, t.Const(1), t.Offset(q, -whole))
	return t.Scale(1<<whole, t.Poly(power))
}

// atLeastOne reports whether a number is positive.
func (x *executor) atLeastOne(st *state, q *term.Poly) bool {
	lo, _ := q.Range()
	return lo >= 1 || x.proves(st, x.t.Le(x.t.Const(1), q))
}

// positive reports whether a divisor is positive, or assumes it.
func (x *executor) positive(st *state, q *term.Poly) bool {
	c := x.t.Le(x.t.Const(1), q)
	if x.atLeastOne(st, q) {
		return true
	}
	if _, hi := q.Range(); hi < 1 || q.Variance() > term.Grid || x.proves(st, x.t.Lt(q, x.t.Const(1))) {
		return false
	}
	x.assume(positiveSizes)
	q.Leaves(func(a *term.Atom) { x.sizes[a] = true })
	x.presume(st, c)
	return true
}

// assumeSize assumes of what the host divides, to get the blocks of a grid as in (width + 15) / 16,
// that it is not negative: it is a size if sizes add up to it. So is what a kernel divides of parameters that
// coordinates are compared with or multiplied by, to get the part of each block.
func (x *executor) assumeSize(st *state, p *term.Poly) bool {
	if p.Constant() < -1 || !x.host && !x.madeOfSizes(p) {
		return false
	}
	for _, m := range p.Terms() {
		if m.Coef < 0 && len(m.Mono.Atoms) > 0 {
			return false
		}
	}
	if _, hi := p.Range(); hi < 0 || x.proves(st, x.t.Lt(p, x.t.Const(0))) {
		return false
	}
	if !x.host {
		x.assume(positiveSizes)
	}
	p.Leaves(func(a *term.Atom) { x.sizes[a] = true })
	x.presume(st, x.t.Le(x.t.Const(0), p))
	for _, m := range p.Terms() {
		for _, a := range m.Mono.Atoms {
			if len(m.Mono.Atoms) > 1 && a.Lo < 0 { // a coordinate's share of a size
				x.presume(st, x.t.Le(x.t.Const(0), x.t.Poly(a)))
			}
		}
	}
	return true
}

// madeOfSizes reports whether the parameters of a kernel that are sizes, and coordinates, are all that adds up to a number.
func (x *executor) madeOfSizes(p *term.Poly) bool {
	for _, m := range p.Terms() {
		for _, a := range m.Mono.Atoms {
			if a.Lo < 0 && !slices.ContainsFunc(x.f.Params, func(param *ir.Param) bool {
				return x.flow.sizes[param] && isSize(x.t.Poly(a)) && x.param(param).P != nil && x.param(param).P.IsAtom() == a
			}) {
				return false
			}
		}
	}
	return len(p.Terms()) > 0
}

// restsOnSizes reports whether a launch has terms of what assumeSize has assumed something of.
func (x *executor) restsOnSizes(l *Launch) (yes bool) {
	note := func(a *term.Atom) { yes = yes || x.sizes[a] }
	for i := range 3 {
		l.Grid[i].Leaves(note)
		l.Block[i].Leaves(note)
	}
	for _, v := range l.Args {
		if v.P != nil {
			v.P.Leaves(note)
		}
	}
	return yes
}

// mask reads p & (2^k - 1) as a remainder.
func (x *executor) mask(st *state, p, q *term.Poly) *term.Poly {
	c, ok := q.IsConst()
	if size := x.t.Offset(q, 1); !ok && isPower(size) && x.nonNegative(st, p) && x.atLeastOne(st, size) {
		return x.t.Remainder(p, size)
	}
	if !ok || c < 0 || c&(c+1) != 0 || !x.nonNegative(st, p) {
		return nil
	}
	return x.t.Remainder(p, x.t.Const(c+1))
}

// highMask is the k of ~(2^k - 1), which takes a number down to a multiple of 2^k.
func highMask(q *term.Poly, typ ir.Type) (k int, ok bool) {
	c, known := q.IsConst()
	if a := q.IsAtom(); a != nil && a.Kind == term.Func && len(a.Args) == 0 { // beyond an int64
		v, err := strconv.ParseUint(a.Name, 10, 64)
		c, known = int64(v), err == nil
	}
	if typ == ir.U32 {
		c = int64(int32(c))
	}
	if !known || typ.Bits() < 32 || c >= 0 || -c&(-c-1) != 0 {
		return 0, false
	}
	k = bits.TrailingZeros64(uint64(c))
	return k, k < 31
}

// alignDown is where in its memory an address points once it is taken down to a multiple of 2^k. How far that is depends on
// where the memory begins, unless that is known to be a multiple.
func (x *executor) alignDown(st *state, v Value, k int) *term.Poly {
	t, size := x.t, x.t.Const(1<<k)
	if o := v.Base.Object; o != nil && o.Align%(1<<k) == 0 && x.nonNegative(st, v.P) {
		return t.Scale(1<<k, t.Quotient(v.P, size))
	}
	return t.Sub(v.P, t.Poly(t.Apply(term.Func, "beyond a multiple", 0, 1<<k-1, nil, x.number(v), size)))
}

// multiple reads p / 2^k * 2^k and p >> k << k of an address as alignDown does.
func (x *executor) multiple(st *state, e *ir.Binary) (Value, bool) {
	in, ok := e.X.(*ir.Binary)
	if !ok || e.T.Bits() < 64 || in.T != e.T {
		return Value{}, false
	}
	by, is := in.Y.(*ir.Const)
	again, too := e.Y.(*ir.Const)
	if !is || !too || by.Bits != again.Bits {
		return Value{}, false
	}
	k := int(min(by.Bits, 64))
	switch {
	case e.Op == ir.Mul && in.Op == ir.Div && by.Bits&(by.Bits-1) == 0:
		k = bits.TrailingZeros64(by.Bits)
	case e.Op != ir.Shl || in.Op != ir.Shr:
		return Value{}, false
	}
	v := x.eval(st, in.X)
	if v.Base == nil || len(v.Base.Either) > 0 || k >= 31 {
		return Value{}, false
	}
	return Value{P: x.alignDown(st, v, k), Base: v.Base}, true
}

// disjointBits reads p | q and p ^ q as a sum where no bit can be set in both: every
// coefficient of one is a multiple of a power of two above the other.
func (x *executor) disjointBits(p, q *term.Poly) *term.Poly {
	for _, pair := range [...][2]*term.Poly{{p, q}, {q, p}} {
		low, high := pair[0], pair[1]
		lo, hi := low.Range()
		hlo, _ := high.Range()
		if lo < 0 || hi >= 1<<40 || hlo < 0 {
			continue
		}
		step := int64(1) << bits.Len64(uint64(hi))
		aligned := true
		for _, m := range high.Terms() {
			aligned = aligned && m.Coef%step == 0
		}
		if aligned {
			return x.t.Add(p, q)
		}
	}
	return nil
}

// flip reads p ^ c, for c of the form 2^k - 1 or 2^k, as p with its last k bits, or bit k, taken from
// what they are at most.
func (x *executor) flip(p *term.Poly, c int64) *term.Poly {
	t := x.t
	switch {
	case c <= 0 || c >= 1<<31:
		return nil
	case c&(c+1) == 0:
		return t.Offset(t.Sub(p, t.Scale(2, x.t.Remainder(p, t.Const(c+1)))), c)
	case c&(c-1) == 0:
		bit := x.t.Remainder(x.t.Quotient(p, t.Const(c)), t.Const(2))
		return t.Offset(t.Sub(p, t.Scale(2*c, bit)), c)
	}
	return nil
}

func (x *executor) extreme(kind term.Kind, p, q *term.Poly) *term.Poly {
	plo, phi := p.Range()
	qlo, qhi := q.Range()
	if phi <= qlo || qhi <= plo {
		if (phi <= qlo) == (kind == term.Min) {
			return p
		}
		return q
	}
	if kind == term.Min {
		return x.t.Poly(x.t.Apply(kind, "min", min(plo, qlo), min(phi, qhi), nil, p, q))
	}
	return x.t.Poly(x.t.Apply(kind, "max", max(plo, qlo), max(phi, qhi), nil, p, q))
}

// fit brings a whole number into the range of a type. Signed arithmetic does not overflow in
// a valid program, and index arithmetic is assumed not to exceed its type; but unsigned
// numbers that may fall below 0 do wrap, and so does what is cut to less than 32 bits or
// multiplied as hashes are. Positive says that the number is not negative as it stands.
func (x *executor) fit(st *state, p *term.Poly, typ ir.Type, positive bool) *term.Poly {
	whole := x.unwrap(p, typ)
	positive = positive && whole.Equal(p)
	p = whole
	lo, hi := typeRange(typ)
	plo, phi := p.Range()
	if plo >= lo && phi <= hi {
		if phi == term.NoHi && typ == ir.U64 && x.exceeds(st, p, lo, hi) {
			return x.wrap(p, typ)
		}
		return p
	}
	if _, isConst := p.IsConst(); isConst && !typ.IsSigned() && typ.Bits() < 64 { // it wraps around, whatever is assumed
		return x.wrap(p, typ)
	}
	below := plo < lo && !positive
	if typ.Bits() >= 32 && (typ.IsSigned() || !below || x.nonNegative(st, p)) && !x.hashes(p, typ) && (typ.IsSigned() || !x.exceeds(st, p, lo, hi)) {
		if !typ.IsSigned() {
			x.assume(NoOverflow)
		}
		if x.host && x.guarded == 0 && isProduct(p) {
			st.know(x.t.Le(p, x.t.Const(hi))) // it bounds the number of blocks
		}
		return p
	}
	return x.wrap(p, typ)
}

// isProduct reports whether a number is a product of two that are not known.
func isProduct(p *term.Poly) bool {
	return len(p.Terms()) == 1 && len(p.Terms()[0].Mono.Atoms) == 2
}

// unwrap takes off wraps to at least as many bits as the type has: modulo its size they do
// not matter. So `i += blockDim.x` with a signed i, computed unsigned, is again i + blockDim.x. Nor does it matter to add 4294967295 or to take 1 away,
// nor to multiply by either.
func (x *executor) unwrap(p *term.Poly, typ ir.Type) *term.Poly {
	if added := p.Constant(); added > math.MaxInt32 && typ.Bits() == 32 && !isConst(p) {
		p = x.t.Offset(p, ir.I32.Cut(added)-added)
	}
	for _, m := range p.Terms() {
		for _, a := range m.Mono.Atoms {
			if a.Kind == term.Wrap && a.Ref.(ir.Type).Bits() >= typ.Bits() {
				p = x.t.Substitute(p, a, a.Args[0])
			} else if n, ok := beyond63(a); ok {
				p = x.t.Substitute(p, a, x.t.Const(int64(n)))
			}
		}
	}
	for _, m := range p.Terms() {
		if m.Coef > math.MaxInt32 && typ == ir.I32 && len(m.Mono.Atoms) > 0 {
			p = x.t.Add(p, x.t.Monomial(ir.I32.Cut(m.Coef)-m.Coef, m.Mono.Atoms))
		}
	}
	return p
}

// wrap cuts a number to a type.
func (x *executor) wrap(p *term.Poly, typ ir.Type) *term.Poly {
	switch c, isConst := p.IsConst(); {
	case isConst && typ.Bits() < 64:
		return x.t.Const(typ.Cut(c))
	case isConst && typ == ir.U64:
		return x.constant(ir.IntegerConst(typ, c)).P
	}
	lo, hi := typeRange(typ)
	a := x.t.Apply(term.Wrap, typ.String(), lo, hi, nil, p)
	a.Ref = typ
	return x.t.Poly(a)
}

// exceeds reports whether some thread of the launch computes a number beyond a range, whatever is assumed:
// each but the first one, or one whose coordinates the launch tells.
func (x *executor) exceeds(st *state, p *term.Poly, lo, hi int64) bool {
	if x.host {
		return false
	}
	told := true
	for _, m := range p.Terms() {
		if len(m.Mono.Atoms) == 0 {
			continue
		}
		dim := x.sum.dimensionOf(m.Mono.Atoms[0])
		if len(m.Mono.Atoms) > 1 || dim == nil {
			told = false
			continue
		}
		if m.Coef > hi-lo || -m.Coef > hi-lo {
			return true
		}
		_, known := dim.IsConst()
		told = told && known
	}
	return told && !x.proves(st, term.Conj(x.t.Le(x.t.Const(lo), p), x.t.Le(p, x.t.Const(hi))))
}

// dimensionOf is the dimension that bounds a coordinate, nil for other atoms. Host code has none.
func (s *Summary) dimensionOf(a *term.Atom) *term.Poly {
	for i := range 3 {
		if s.ThreadIdx[i] == nil || s.BlockIdx[i] == nil {
			continue
		}
		switch a {
		case s.ThreadIdx[i].IsAtom():
			return s.Block[i]
		case s.BlockIdx[i].IsAtom():
			return s.Grid[i]
		}
	}
	return nil
}

// hashes reports a product that no index has: hash functions and generators of random numbers wrap on purpose. They have
// large factors, and what they multiply is of mixed bits, or has wrapped already.
func (x *executor) hashes(p *term.Poly, typ ir.Type) bool {
	const large = 1 << 28
	for _, m := range p.Terms() {
		if len(m.Mono.Atoms) == 0 {
			continue
		}
		by := max(m.Coef, -m.Coef)
		if by >= large {
			return true
		}
		if typ.IsSigned() || by == 1 {
			continue
		}
		for _, a := range m.Mono.Atoms {
			if a.Hi > math.MaxInt32 && mixed(a) || by >= unusual && by%2 == 1 && x.sum.dimensionOf(a) == nil && a.Hi > math.MaxUint32/by {
				return true
			}
		}
	}
	return false
}

// unusual is a factor that indices have for few reasons, if any.
const unusual = 1 << 16

// mixed reports a number that has wrapped, or whose upper bits come by an exclusive or from such a one, or from far below. What is
// paired by one, as threads of a butterfly, is an index still.
func mixed(a *term.Atom) bool {
	if a.Kind == term.Wrap {
		return true
	}
	return a.Kind == term.Func && a.Name == "xor" && slices.ContainsFunc(a.Args, func(p *term.Poly) bool {
		return slices.ContainsFunc(p.Terms(), func(m term.Term) bool {
			return max(m.Coef, -m.Coef) >= unusual && len(m.Mono.Atoms) > 0 || slices.ContainsFunc(m.Mono.Atoms, mixed)
		})
	})
}

// addressIn splits a number that becomes a pointer into the address in it and what is added. Where several numbers may be the
// address, and all threads know them, their sum is.
func (x *executor) addressIn(n *term.Poly) (base, offset *term.Poly) {
	const far = 1 << 40 // no offset is so large
	base = x.t.Const(0)
	addresses, ofThreads := 0, false
	for _, m := range n.Terms() {
		if len(m.Mono.Atoms) != 1 || m.Coef != 1 || m.Mono.Atoms[0].Hi < far {
			continue
		}
		a := m.Mono.Atoms[0]
		base = x.t.Add(base, x.t.Poly(a))
		addresses, ofThreads = addresses+1, ofThreads || a.Variance != term.Grid
	}
	if addresses == 0 || addresses > 1 && ofThreads {
		base = x.t.Offset(n, -n.Constant())
	}
	return base, x.t.Sub(n, base)
}

func (x *executor) convert(st *state, v Value, from, to ir.Type) Value {
	t := x.t
	switch {
	case from == to:
		return v
	}
	if c := constantOf(v, from); c != nil && to != ir.Ptr {
		if c = ir.FoldConvert(c, to); c != nil {
			return x.constant(c)
		}
	}
	switch {
	case to == ir.Bool:
		if v.Truth != nil {
			return v
		}
		return Value{Truth: t.Ne(x.number(v), t.Const(0))}
	case to == ir.Ptr:
		if v.Base != nil {
			return v
		}
		n := x.number(v)
		base, offset := x.addressIn(n)
		to := Value{P: offset, Base: x.pointerBase(base)}
		if _, null := n.IsConst(); !null && x.flow.hidden && x.record && !x.host {
			if x.flow.followsStored() {
				x.unknown(fromInteger, -1) // which another thread may have made of one
			}
			x.ofNumbers[to.Base] = true
		}
		base.AllLeaves(func(a *term.Atom) {
			if _, made := a.Ref.(*Base); made && x.record && !x.host {
				x.unknown(fromInteger, -1) // which was made of the address of something known
			}
		})
		return to
	case from == ir.Ptr:
		return Value{P: v.P, Base: v.Base} // an integer that still knows its object
	case from.IsFloat() || to.IsFloat():
		if v.Truth != nil {
			v = Value{P: x.number(v)}
		}
		if p := x.rounded(st, v.P, to); from.IsFloat() && p != nil {
			return Value{P: p}
		}
		return x.apply(fmt.Sprintf("%s to %s", from, to), to, v.P)
	}
	if v.Base != nil {
		return v
	}
	p := x.unwrap(x.number(v), to)
	lo, hi := typeRange(to)
	plo, phi := p.Range()
	if plo >= lo && phi <= hi {
		return Value{P: p}
	}
	if to.Bits() < 32 && isCounter(p) && (plo >= lo || x.proves(st, t.Le(t.Const(lo), p))) && (phi <= hi || x.proves(st, t.Le(p, t.Const(hi)))) {
		return Value{P: p} // as the condition of a loop says of a short counter
	}
	if to.Bits() < 32 || !to.IsSigned() && !x.nonNegative(st, p) || x.exceeds(st, p, lo, hi) {
		return Value{P: x.wrap(p, to)}
	}
	x.assume(NoOverflow)
	return Value{P: p}
}

// assumeSizes assumes of the sizes in a number that the kernel makes unsigned that they are positive.
func (x *executor) assumeSizes(st *state, e ir.Expr) {
	if x.host {
		return
	}
	ir.WalkExpr(e, func(e ir.Expr) {
		if p, ok := e.(*ir.ParamRef); ok && x.flow.sizes[p.P] {
			if v := x.param(p.P); v.P != nil && isSize(v.P) {
				x.positive(st, v.P)
			}
		}
	})
}

// isCounter reports whether a number is made of coordinates and of what loops count.
func isCounter(p *term.Poly) bool {
	for _, m := range p.Terms() {
		for _, a := range m.Mono.Atoms {
			_, register := a.Ref.(*ir.Reg)
			if a.Kind != term.Symbol && a.Kind != term.Iter && !register {
				return false
			}
		}
	}
	return true
}

// choose is the value of a ternary, or of a register where two paths meet.
func (x *executor) choose(c *term.Cond, a, b Value, typ ir.Type) Value {
	t := x.t
	switch c.Op {
	case term.True:
		return a
	case term.False:
		return b
	}
	if a.Truth != nil && b.Truth != nil {
		switch opposite := t.Not(c); {
		case a.Truth == b.Truth:
			return a
		case b.Truth.Same(c): // p && q, where p decides whether q is computed
			return Value{Truth: term.Conj(c, a.Truth)}
		case b.Truth.Same(opposite):
			return Value{Truth: term.Disj(opposite, a.Truth)}
		case a.Truth.Same(c):
			return Value{Truth: term.Disj(c, b.Truth)}
		case a.Truth.Same(opposite):
			return Value{Truth: term.Conj(opposite, b.Truth)}
		}
		return Value{Truth: term.Disj(term.Conj(c, a.Truth), term.Conj(t.Not(c), b.Truth))}
	}
	if a.Base != b.Base {
		if a.Base == nil || b.Base == nil {
			return x.opaque("pointer", term.Thread, typ, nil)
		}
		return Value{P: t.Const(0), Base: x.eitherBase(c, a, b)}
	}
	p, q := a.P, b.P
	if a.Truth != nil || b.Truth != nil {
		p, q = x.number(a), x.number(b)
	}
	if p.Equal(q) {
		return Value{P: p, Base: a.Base}
	}
	if x.host && c.Op == term.LeZero { // the smaller of two numbers, or the greater one
		d := t.Sub(p, q)
		if rest, isConst := t.Sub(c.P, d).IsConst(); isConst && (rest == 0 || rest == 1) {
			return Value{P: x.extreme(term.Min, p, q), Base: a.Base}
		}
		if rest, isConst := t.Add(c.P, d).IsConst(); isConst && (rest == 0 || rest == 1) {
			return Value{P: x.extreme(term.Max, p, q), Base: a.Base}
		}
	}
	if sum := byBit(t, c, p, q); sum != nil {
		return Value{P: sum, Base: a.Base}
	}
	plo, phi := p.Range()
	qlo, qhi := q.Range()
	s := t.Apply(term.Select, "select", min(plo, qlo), max(phi, qhi), c, p, q)
	return Value{P: t.Poly(s), Base: a.Base}
}

// byBit is a choice of two numbers that a bit makes, as `buffer[i % 2]` does of two offsets, as the one and so many times
// the bit; nil if it is no such choice.
func byBit(t *term.Table, c *term.Cond, p, q *term.Poly) *term.Poly {
	apart, isConst := t.Sub(p, q).IsConst()
	if !isConst || c.P == nil {
		return nil
	}
	terms := c.P.Terms()
	bit := terms[len(terms)-1].Mono.Atoms
	if len(bit) != 1 || len(terms) > 2 || len(terms) == 2 && len(terms[0].Mono.Atoms) > 0 || bit[0].Lo != 0 || bit[0].Hi != 1 {
		return nil
	}
	holds := func(value int64) bool { return t.SubstituteCond(c, bit[0], t.Const(value)).Op == term.True }
	switch {
	case holds(1) && !holds(0):
		return t.Add(q, t.Monomial(apart, bit))
	case holds(0) && !holds(1):
		return t.Sub(p, t.Monomial(apart, bit))
	}
	return nil
}
