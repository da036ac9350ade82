package sweep

import (
	"math/bits"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
)

// This file defines the values of a block whose threads run side by side: sums of unknown numbers.
//
// DESIGN. A scan adds up hundreds of numbers in each of hundreds of threads, and all that is asked of its results is how far they are
// apart. So a form is not written down: each unknown number has 64 bits that are made by a hash of what it is computed from, and a sum
// has the sum of these. Two forms with the same bits are the same sum.

// form is a number c and a sum of unknown ones, none of them if f is 0; or, with a base, so many bytes into an object. Arithmetic
// is that of mathematical integers, as index arithmetic is assumed not to overflow.
type form struct {
	c    int64
	f    uint64
	base int32
	sign sign
	bit  bool // 0 or 1
}

// sign is what is known of a form's sign, the less the lower.
type sign uint8

const (
	anySign  sign = iota
	presumed      // not negative, as what threads count is not
	natural
)

func known(c int64) form {
	v := form{c: c, bit: c == 0 || c == 1}
	if c >= 0 {
		v.sign = natural
	}
	return v
}

func (v form) known() bool         { return v.f == 0 && v.base == 0 }
func (v form) is(w form) bool      { return v.c == w.c && v.f == w.f && v.base == w.base }
func (v form) number(c int64) bool { return v.known() && v.c == c }

// plus is a sum.
func (v form) plus(w form) form {
	switch {
	case w.number(0):
		return v
	case v.number(0):
		return w
	}
	return form{c: v.c + w.c, f: v.f + w.f, base: v.base + w.base, sign: min(v.sign, w.sign)}
}

// times is a multiple.
func (v form) times(k int64) form {
	out := form{c: v.c * k, f: v.f * uint64(k)}
	if k == 1 {
		return v
	}
	if k >= 0 {
		out.sign = v.sign
	}
	return out
}

// minus is a difference; 1 less a bit is one.
func (v form) minus(w form) form {
	out := v.plus(w.times(-1))
	out.base = v.base
	if out.known() {
		return known(out.c)
	}
	if out.bit = w.bit && v.number(1); out.bit {
		out.sign = natural
	}
	return out
}

// not is 1 less a bit.
func (v form) not() form { return known(1).minus(v) }

// made is what an unknown number is made of, as far as anybody asks.
type made struct {
	op   ir.Op  // Select, of bits LogAnd, or a comparison
	args []form // of a choice the condition first
	bits []form // of a ballot: what the lanes of its warp have voted
}

const choice ir.Op = 255

// forms makes unknown numbers.
type forms struct {
	of    map[uint64]made
	signs map[uint64]sign // of unknown numbers by themselves
	fresh uint64
}

func mix(h, x uint64) uint64 {
	hi, lo := bits.Mul64(h^x^0x9e3779b97f4a7c15, 0xd6e8feb86659fd93)
	h = hi ^ lo ^ bits.RotateLeft64(x, 29)*0xbf58476d1ce4e5b9
	return (h ^ h>>31) * 0x94d049bb133111eb
}

// symbol is the number that something makes of forms.
func (s *forms) symbol(what uint64, args ...form) form {
	h := mix(1, what)
	for _, a := range args {
		h = mix(mix(mix(h, uint64(a.c)), a.f), uint64(a.base))
	}
	return form{f: h | 1}
}

// unknown is a number of which nothing is known but its type.
func (s *forms) unknown(t ir.Type) form {
	s.fresh++
	return s.typed(t, s.symbol(s.fresh<<16|0xffff))
}

// typed says of a number what its type does.
func (s *forms) typed(t ir.Type, v form) form {
	v.bit = t == ir.Bool
	if v.bit || t.IsInt() && !t.IsSigned() {
		v.sign = natural
	}
	return s.signed(v)
}

// signed notes the sign of an unknown number.
func (s *forms) signed(v form) form {
	if v.sign != anySign {
		s.signs[v.f] = v.sign
	}
	return v
}

// signOf is the sign of a form, be it that of the unknown number that is left of others.
func (s *forms) signOf(v form) sign {
	if v.c >= 0 && v.f != 0 {
		return max(v.sign, s.signs[v.f])
	}
	return v.sign
}

func kind(op ir.Op, t ir.Type) uint64 { return uint64(op)<<8 | uint64(t) }

func (s *forms) unary(op ir.Op, t ir.Type, x form) form {
	switch {
	case op == ir.Neg && t.IsInt():
		return known(0).minus(x)
	case op == ir.LogNot && x.bit:
		return x.not()
	case op == ir.BitNot && x.known():
		return known(t.Cut(^x.c))
	}
	if op == ir.LogNot {
		return s.typed(ir.Bool, s.symbol(kind(op, t), x))
	}
	return s.typed(t, s.symbol(kind(op, t), x))
}

// binary applies an operator to operands of one type.
func (s *forms) binary(op ir.Op, of, t ir.Type, x, y form) form {
	if op == ir.LogAnd || op == ir.LogOr {
		for _, side := range [][2]form{{x, y}, {y, x}} {
			if side[0].known() {
				if (side[0].c != 0) == (op == ir.LogOr) {
					return truthOf(op == ir.LogOr)
				}
				return side[1]
			}
		}
		return s.make(op, t, x, y)
	}
	if of.IsFloat() {
		return s.typed(t, s.symbol(kind(op, of), x, y))
	}
	if x.known() && y.known() {
		if v, ok := ir.Compute(op, of, x.c, y.c); ok {
			return known(v)
		}
		return s.unknown(t)
	}
	if op.IsCompare() {
		return s.compare(op, of, x, y)
	}
	if x.base == 0 && y.base == 0 {
		if v, ok := s.linear(op, x, y); ok {
			return v
		}
	}
	v := s.typed(t, s.symbol(kind(op, of), x, y))
	switch op {
	case ir.And:
		for _, side := range [][2]form{{x, y}, {y, x}} {
			if mask := side[0]; mask.known() && mask.c >= 0 {
				v.sign, v.bit = natural, mask.c <= 1
				if ballot := s.of[side[1].f]; side[1].c == 0 && ballot.bits != nil {
					return s.votes(ballot.bits, uint64(mask.c))
				}
			}
		}
		if x.bit && y.bit {
			v.sign, v.bit = natural, true
		}
	case ir.Or, ir.Xor, ir.Min, ir.Max, ir.Mul, ir.Div, ir.Shr:
		v.sign = max(v.sign, min(x.sign, y.sign))
		if v.bit = x.bit && y.bit; op == ir.Xor && v.bit && y.known() {
			return x.not()
		}
	case ir.Rem:
		v.sign, v.bit = max(v.sign, x.sign), y.number(2) && x.sign == natural
	}
	return s.signed(v)
}

func truthOf(b bool) form {
	if b {
		return known(1)
	}
	return known(0)
}

func (s *forms) linear(op ir.Op, x, y form) (form, bool) {
	switch op {
	case ir.Add:
		return x.plus(y), true
	case ir.Sub:
		return x.minus(y), true
	case ir.Mul:
		if x.known() {
			x, y = y, x
		}
		return x.times(y.c), y.known() && y.c > -1<<31 && y.c < 1<<31
	case ir.Shl:
		return x.times(1 << (y.c & 31)), y.known() && y.c >= 0 && y.c < 31
	}
	return form{}, false
}

// compare compares two numbers. A bit that is compared with a number is that bit, or 1 less it.
func (s *forms) compare(op ir.Op, of ir.Type, x, y form) form {
	if x.base != y.base {
		return s.typed(ir.Bool, s.symbol(kind(op, of), x, y))
	}
	if x.f == y.f {
		if v, ok := ir.Compute(op, ir.I64, x.c, y.c); ok {
			return known(v)
		}
	}
	bit, other, asks := x, y, func(b int64) (int64, bool) { return ir.Compute(op, ir.I64, b, y.c) }
	if x.known() {
		bit, other, asks = y, x, func(b int64) (int64, bool) { return ir.Compute(op, ir.I64, x.c, b) }
	}
	if bit.bit && other.known() {
		if of0, ok := asks(0); ok {
			if of1, ok := asks(1); ok {
				return s.choose(bit, known(of1), known(of0), ir.Bool)
			}
		}
	}
	return s.make(op, ir.Bool, x, y)
}

// make is a symbol that tells what it is made of.
func (s *forms) make(op ir.Op, t ir.Type, args ...form) form {
	v := s.typed(t, s.symbol(kind(op, t)|1<<32, args...))
	s.of[v.f] = made{op: op, args: args}
	return v
}

// choose is one of two numbers, by a bit.
func (s *forms) choose(cond, x, y form, t ir.Type) form {
	switch {
	case cond.known() && cond.c != 0, x.is(y):
		return x
	case cond.known():
		return y
	case x.known() && y.known() && cond.bit:
		v := y.plus(cond.times(x.c - y.c))
		v.bit = x.bit && y.bit
		if v.sign = anySign; x.c >= 0 && y.c >= 0 {
			v.sign = natural
		}
		return v
	}
	v := s.symbol(kind(choice, t)|1<<32, cond, x, y)
	v.sign, v.bit = min(s.signOf(x), s.signOf(y)), x.bit && y.bit
	s.of[v.f] = made{op: choice, args: []form{cond, x, y}}
	return s.signed(v)
}

// votes is the ballot of those lanes of a warp that are in a mask.
func (s *forms) votes(all []form, mask uint64) form {
	voted := make([]form, race.WarpSize)
	for i := range voted {
		if i < len(all) && mask>>i&1 != 0 {
			voted[i] = all[i]
		}
	}
	v := s.symbol(0xba, voted...)
	v.sign = natural
	s.of[v.f] = made{op: choice, bits: voted}
	return v
}

func (s *forms) convert(to, from ir.Type, x form) form {
	switch {
	case to == from || to == ir.Ptr || from == ir.Ptr:
		return x
	case to.IsFloat() || from.IsFloat():
		return s.typed(to, s.symbol(uint64(to)<<8|uint64(from)|1<<40, x))
	case to == ir.Bool:
		return s.binary(ir.Ne, from, ir.Bool, x, known(0))
	case x.known():
		return known(to.Cut(x.c))
	case x.bit || to.Size() >= 4:
		return x
	case from.IsInt() && from.Size() <= to.Size() && from.IsSigned() == to.IsSigned():
		return x
	}
	return s.typed(to, s.symbol(uint64(to)|1<<41, x))
}

func (s *forms) call(name string, t ir.Type, args []form) form {
	if len(args) == 1 && (name == "__popc" || name == "__popcll" || name == "__builtin_popcount") {
		if x := args[0]; x.known() {
			if name != "__popcll" {
				x.c &= 1<<32 - 1
			}
			return known(int64(bits.OnesCount64(uint64(x.c))))
		} else if b := s.of[x.f].bits; b != nil && x.c == 0 {
			sum := known(0)
			for _, vote := range b {
				sum = sum.plus(vote)
			}
			return sum
		}
	}
	h := uint64(t) | 1<<42
	for _, c := range name {
		h = mix(h, uint64(c))
	}
	v := s.typed(t, s.symbol(h, args...))
	if name == "__popc" || name == "__popcll" {
		v.sign = natural
	}
	return s.signed(v)
}
