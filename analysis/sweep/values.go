package sweep

import (
	"math"
	"math/bits"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/term"
)

// This file defines the values of a swept thread. A value is a number, a number plus a symbol
// that stands for one unknown value, or anything. Symbols are made from the expressions that
// they stand for, so the same symbol in two threads is the same value in both.

// value is known if sym is none: then it is c, extended to 64 bits by its type. If sym is
// anything, nothing is known. Else it is the symbol's value plus c, in mathematical integers.
// A pointer is an offset of that form into base.
type value struct {
	c    int64
	sym  symbol
	base int32
}

type symbol int32

const (
	none     symbol = 0
	anything symbol = -1
)

func number(c int64) value { return value{c: c} }

var unknown = value{sym: anything}

func (v value) known() bool { return v.sym == none && v.base == 0 }

// symbolKey is the expression of a symbol.
type symbolKey struct {
	what any // an ir.Op, a type, a builtin, a parameter: whatever tells expressions apart
	x, y value
	n    int64
}

// symbolInfo is what is known of a symbol's value.
type symbolInfo struct {
	divisor     int64 // divides the value
	nonNegative bool
}

type symbols struct {
	of   map[symbolKey]symbol
	info []symbolInfo
}

func newSymbols() *symbols {
	return &symbols{of: map[symbolKey]symbol{}, info: make([]symbolInfo, 1)}
}

// named returns the symbol of an expression.
func (s *symbols) named(k symbolKey, info symbolInfo) value {
	if info.divisor == 0 {
		info.divisor = 1
	}
	id, ok := s.of[k]
	if !ok {
		id = symbol(len(s.info))
		s.of[k] = id
		s.info = append(s.info, info)
	}
	return value{sym: id}
}

// unary applies Neg, BitNot or LogNot.
func (s *symbols) unary(op ir.Op, t ir.Type, x value) value {
	if x.sym == anything || x.base != 0 || t.IsFloat() {
		return unknown
	}
	if x.sym != none {
		return s.named(symbolKey{what: op, x: x}, symbolInfo{})
	}
	switch op {
	case ir.Neg:
		return number(t.Cut(-x.c))
	case ir.BitNot:
		return number(t.Cut(^x.c))
	}
	return truth(x.c == 0)
}

func truth(b bool) value {
	if b {
		return number(1)
	}
	return number(0)
}

// binary applies an operator to operands of the type of, for a result of type t.
func (s *symbols) binary(op ir.Op, of ir.Type, x, y value) value {
	if v, ok := s.logic(op, x, y); ok {
		return v
	}
	if x.sym == anything || y.sym == anything || of.IsFloat() {
		return unknown
	}
	if x.known() && y.known() {
		return arithmetic(op, of, x.c, y.c)
	}
	if x.base != 0 || y.base != 0 {
		return s.pointers(op, x, y)
	}
	if v, ok := s.linear(op, x, y); ok {
		return v
	}
	return s.named(symbolKey{what: op, x: x, y: y, n: int64(of)}, symbolInfo{})
}

// logic decides && and || by one operand where it suffices.
func (s *symbols) logic(op ir.Op, x, y value) (value, bool) {
	if op != ir.LogAnd && op != ir.LogOr {
		return value{}, false
	}
	decides := op == ir.LogOr
	for _, v := range []value{x, y} {
		if v.known() && (v.c != 0) == decides {
			return truth(decides), true
		}
	}
	switch {
	case x.known():
		return y, true
	case y.known():
		return x, true
	}
	return value{}, false
}

// pointers compares pointers into one object; other arithmetic on them is not followed.
func (s *symbols) pointers(op ir.Op, x, y value) value {
	if x.base == y.base && x.sym == y.sym && op.IsCompare() {
		return arithmetic(op, ir.I64, x.c, y.c)
	}
	return unknown
}

// linear keeps sums and multiples as a symbol plus a number, and takes numbers out of
// quotients, remainders and masks where the symbol's divisor allows it. Index arithmetic is
// assumed not to overflow.
func (s *symbols) linear(op ir.Op, x, y value) (value, bool) {
	switch op {
	case ir.Add:
		return s.sum(x, y), true
	case ir.Sub:
		if y.known() {
			return value{c: x.c - y.c, sym: x.sym}, true
		}
		if x.sym == y.sym {
			return number(x.c - y.c), true
		}
	case ir.Mul:
		if x.known() {
			x, y = y, x
		}
		if y.known() {
			return s.multiple(x, y.c), true
		}
	case ir.Shl:
		if y.known() && y.c >= 0 && y.c < 62 {
			return s.multiple(x, 1<<y.c), true
		}
	case ir.Div, ir.Shr, ir.Rem, ir.And:
		return s.part(op, x, y)
	case ir.Xor, ir.Or:
		return s.lowBits(op, x, y)
	}
	if op.IsCompare() && x.sym == y.sym {
		return arithmetic(op, ir.I64, x.c, y.c), true
	}
	return value{}, false
}

func (s *symbols) sum(x, y value) value {
	if x.sym == none {
		x, y = y, x
	}
	if y.sym == none {
		return value{c: x.c + y.c, sym: x.sym}
	}
	c := x.c + y.c
	x.c, y.c = 0, 0
	if x.sym > y.sym {
		x, y = y, x
	}
	a, b := s.info[x.sym], s.info[y.sym]
	v := s.named(symbolKey{what: ir.Add, x: x, y: y}, symbolInfo{term.GCD(a.divisor, b.divisor), a.nonNegative && b.nonNegative})
	v.c = c
	return v
}

func (s *symbols) multiple(x value, k int64) value {
	switch k {
	case 0:
		return number(0)
	case 1:
		return x
	}
	hi, lo := bits.Mul64(uint64(abs(x.c)), uint64(abs(k)))
	if hi != 0 || lo > 1<<60 || abs(k) > math.MaxInt32 { // a factor as -5 is, made unsigned, overflows on purpose
		return unknown
	}
	a := s.info[x.sym]
	divisor := a.divisor
	if abs(k) < 1<<30 && divisor < 1<<30 {
		divisor *= abs(k)
	}
	v := s.named(symbolKey{what: ir.Mul, x: value{sym: x.sym}, n: k}, symbolInfo{divisor, a.nonNegative && k > 0})
	v.c = x.c * k
	return v
}

// part is a quotient, remainder or mask by a number k that divides the symbol: it applies to
// the two parts of the sum apart.
func (s *symbols) part(op ir.Op, x, y value) (value, bool) {
	if x.known() && op == ir.And {
		x, y = y, x
	}
	if !y.known() || y.c <= 0 {
		return value{}, false
	}
	k := y.c
	switch op {
	case ir.Shr:
		if k > 30 {
			return value{}, false
		}
		k = 1 << k
	case ir.And:
		if k&(k+1) != 0 {
			return value{}, false
		}
		k++
	}
	a := s.info[x.sym]
	if a.divisor%k != 0 || x.c < 0 || !a.nonNegative {
		return value{}, false
	}
	if op == ir.Rem || op == ir.And {
		return number(x.c % k), true
	}
	v := s.named(symbolKey{what: ir.Div, x: value{sym: x.sym}, n: k}, symbolInfo{a.divisor / k, true})
	v.c = x.c / k
	return v, true
}

// lowBits is an xor or an or of a number with bits below those of the symbol.
func (s *symbols) lowBits(op ir.Op, x, y value) (value, bool) {
	if x.known() {
		x, y = y, x
	}
	if !y.known() || y.c < 0 || x.c < 0 {
		return value{}, false
	}
	low := s.info[x.sym].divisor & -s.info[x.sym].divisor
	if y.c >= low || x.c >= low {
		return value{}, false
	}
	if op == ir.Xor {
		x.c ^= y.c
	} else {
		x.c |= y.c
	}
	return x, true
}

// convert is a conversion between integers. A symbol is taken to fit into types of four and
// more bytes, as index arithmetic is assumed not to overflow.
func (s *symbols) convert(to, from ir.Type, x value) value {
	switch {
	case x.sym == anything || to == ir.Ptr || from == ir.Ptr:
		return x
	case to.IsFloat() || from.IsFloat():
		return unknown
	case x.known() && to == ir.Bool:
		return truth(x.c != 0)
	case x.known():
		return number(to.Cut(x.c))
	case to.Size() >= 4 || to == from:
		return x
	}
	return s.named(symbolKey{what: to, x: x}, symbolInfo{})
}

// arithmetic is an operator on two numbers; unknown where C++ leaves it undefined.
func arithmetic(op ir.Op, of ir.Type, x, y int64) value {
	if v, ok := ir.Compute(op, of, x, y); ok {
		return number(v)
	}
	return unknown
}

func abs(v int64) int64 {
	if v < 0 {
		return -v
	}
	return v
}
