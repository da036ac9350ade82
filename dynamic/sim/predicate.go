// This file executes and decodes what works on predicates: comparisons, logic, testp.

package sim

import (
	"math"

	"github.com/warplint/warplint/dynamic/ptx"
)

// setPredicate writes the lanes of a mask.
func setPredicate(p *uint32, m, value uint32) { *p = *p&^m | value&m }

// number turns a condition into 0 or 1.
func number(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

func runSetPredicate(w *warp, in *instr, m uint32) {
	setPredicate(&w.xp[in.d], m, -uint32(in.imm&1))
}

// Logic on predicates; imm has bit 0 set to negate a, bit 1 for b.

func (w *warp) predicates(in *instr) (x, y uint32) {
	return w.xp[in.a] ^ -uint32(in.imm&1), w.xp[in.b] ^ -uint32(in.imm>>1&1)
}

func runAndP(w *warp, in *instr, m uint32) {
	x, y := w.predicates(in)
	setPredicate(&w.xp[in.d], m, x&y)
}

func runOrP(w *warp, in *instr, m uint32) {
	x, y := w.predicates(in)
	setPredicate(&w.xp[in.d], m, x|y)
}

func runXorP(w *warp, in *instr, m uint32) {
	x, y := w.predicates(in)
	setPredicate(&w.xp[in.d], m, x^y)
}

func runMovP(w *warp, in *instr, m uint32) {
	x, _ := w.predicates(in)
	setPredicate(&w.xp[in.d], m, x)
}

var predicateLogic = map[string]runFunc{"and": runAndP, "or": runOrP, "xor": runXorP}

func decodeLogic(t *translator, in *ptx.Instr) {
	if in.Type(0) != ptx.Pred {
		t.arithmetic(in)
		return
	}
	d := t.target(&in.Operands[0], ptx.Pred)
	a, notA := t.predicate(&in.Operands[1])
	code := instr{run: runMovP, d: d, a: a, b: a, imm: int64(notA & 1)}
	if in.Op == ptx.Not {
		t.operands(in, 2, 2)
		code.imm ^= 1
	} else {
		t.operands(in, 3, 3)
		b, notB := t.predicate(&in.Operands[2])
		code.run, code.b = predicateLogic[in.Op.String()], b
		code.imm |= int64(notB & 2)
	}
	t.emit(code)
}

const comparisons = "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan"

// decodeSetp decodes "setp.lt.and.s32 p|q, a, b, c": p gets (a < b) and c, q gets !(a < b) and c.
func decodeSetp(t *translator, in *ptx.Instr) {
	t.operands(in, 3, 4)
	t.allow(in, comparisons+" and or xor ftz")
	p, q := &in.Operands[0], (*ptx.Operand)(nil)
	if p.Kind == ptx.PairOperand {
		p, q = &in.Operands[0].Elems[0], &in.Operands[0].Elems[1]
	}
	if q == nil && len(in.Operands) == 3 {
		t.compare(in, t.target(p, ptx.Pred), in.Type(0))
		return
	}
	r := t.temporary(truth).index
	t.compare(in, r, in.Type(0))
	t.combine(in, t.target(p, ptx.Pred), r, 0)
	if q != nil {
		t.combine(in, t.target(q, ptx.Pred), r, 1)
	}
}

// combine writes the result of a comparison, negated or not, combined with the fourth operand.
func (t *translator) combine(in *ptx.Instr, d, r ref, negate int64) {
	if len(in.Operands) < 4 {
		t.emit(instr{run: runMovP, d: d, a: r, b: r, imm: negate})
		return
	}
	c, not := t.predicate(&in.Operands[3])
	run := predicateLogic[one(in, "and or xor", "")]
	if run == nil {
		t.unsupported()
	}
	t.emit(instr{run: run, d: d, a: r, b: c, imm: negate | int64(not&2)})
}

// compare emits the comparison of the second and the third operand.
func (t *translator) compare(in *ptx.Instr, d ref, ty ptx.Type) {
	cmp := one(in, comparisons, "")
	a, b := t.source(&in.Operands[1], ty), t.source(&in.Operands[2], ty)
	switch ty {
	case ptx.F16, ptx.BF16:
		a, b, ty = t.widened(a, ty), t.widened(b, ty), ptx.F32
	case ptx.F32:
		if in.Has("ftz") {
			a, b = t.flushed(a), t.flushed(b)
		}
	}
	op, ok := operations["setp."+cmp+"."+ty.String()]
	if !ok {
		t.unsupported()
	}
	t.emit(instr{run: op.run, d: d, a: a, b: b})
}

// widened converts a half or bfloat16 register to single precision in a temporary.
func (t *translator) widened(r ref, ty ptx.Type) ref {
	f := func(x, _, _ uint64) uint64 { return uint64(math.Float32bits(half(uint16(x)))) }
	if ty == ptx.BF16 {
		f = func(x, _, _ uint64) uint64 { return x << 16 & math.MaxUint32 }
	}
	return t.inTemporary(r, f)
}

func (t *translator) flushed(r ref) ref {
	return t.inTemporary(r, func(x, _, _ uint64) uint64 { return uint64(math.Float32bits(flush32(f32(uint32(x))))) })
}

func (t *translator) inTemporary(r ref, f func(x, _, _ uint64) uint64) ref {
	d := t.temporary(word).index
	t.emit(instr{run: runMapping, d: d, a: r, x: &mapping{f: f, operandCount: 1}})
	return d
}

// decodeSet decodes "set.lt.u32.s32 d, a, b": all ones or 1.0 where the comparison holds.
func decodeSet(t *translator, in *ptx.Instr) {
	t.operands(in, 3, 4)
	t.allow(in, comparisons+" and or xor ftz")
	r := t.temporary(truth).index
	from := in.Type(1)
	if from == ptx.F16x2 || from == ptx.BF16x2 {
		t.setPacked(in)
		return
	}
	t.compare(in, r, from)
	if len(in.Operands) == 4 {
		t.combine(in, r, r, 0)
	}
	yes, ty := uint32(math.MaxUint32), in.Type(0)
	switch ty {
	case ptx.F32:
		yes = math.Float32bits(1)
	case ptx.F16:
		yes = 0x3c00
	case ptx.BF16:
		yes = 0x3f80
	}
	t.emit(instr{
		run: operations["selp.b32"].run, d: t.target(&in.Operands[0], ty),
		a: t.constant32(yes & typeMask(ty)), b: t.constant32(0), c: r,
	})
}

// decodeTestp decodes testp: it asks what kind of number a floating-point value is.
func decodeTestp(t *translator, in *ptx.Instr) {
	t.operands(in, 2, 2)
	ty := in.Type(0)
	test := floatTests[one(in, "finite infinite number notanumber normal subnormal", "")]
	if test == nil || ty != ptx.F32 && ty != ptx.F64 {
		t.unsupported()
	}
	var shift, bias int
	if ty == ptx.F32 {
		shift, bias = 23, 0xff
	} else {
		shift, bias = 52, 0x7ff
	}
	t.emit(instr{
		run: runTestp, d: t.target(&in.Operands[0], ptx.Pred), a: t.source(&in.Operands[1], ty),
		x: &floatTest{wide: ty == ptx.F64, shift: shift, top: uint64(bias), test: test},
	})
}

type floatTest struct {
	wide  bool
	shift int
	top   uint64 // the largest exponent
	test  func(exponent, fraction, top uint64) bool
}

var floatTests = map[string]func(exponent, fraction, top uint64) bool{
	"finite":     func(e, _, top uint64) bool { return e != top },
	"infinite":   func(e, f, top uint64) bool { return e == top && f == 0 },
	"number":     func(e, f, top uint64) bool { return e != top || f == 0 },
	"notanumber": func(e, f, top uint64) bool { return e == top && f != 0 },
	"normal":     func(e, f, top uint64) bool { return e != top && (e != 0 || f == 0) }, // zero, too, on GPUs
	"subnormal":  func(e, f, _ uint64) bool { return e == 0 && f != 0 },
}

func runTestp(w *warp, in *instr, m uint32) {
	x := in.x.(*floatTest)
	var r uint32
	forLanes(m, func(i int) {
		v := w.lane(in.a, x.wide, i)
		if x.test(v>>x.shift&x.top, v&(1<<x.shift-1), x.top) {
			r |= 1 << i
		}
	})
	setPredicate(&w.xp[in.d], m, r)
}
