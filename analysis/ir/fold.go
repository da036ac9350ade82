package ir

import (
	"math"
	"strings"
)

// This file computes what operations give for constants: integers wrap at their width, as they do on the machine. What has no defined
// value, such as a division by zero, and what is of half precision, gives nil.

// IntegerConst gives the constant of an integer type, cut to it.
func IntegerConst(t Type, v int64) *Const {
	if n := t.Bits(); t.IsInt() && n < 64 {
		return &Const{T: t, Bits: uint64(v) & (1<<n - 1)}
	}
	return &Const{T: t, Bits: uint64(v)}
}

// BoolConst gives the constant of a truth value.
func BoolConst(b bool) *Const { return IntegerConst(Bool, truth(b)) }

// FloatConst gives the constant of a floating type of single or double precision.
func FloatConst(t Type, v float64) *Const {
	if t == F32 {
		return &Const{T: t, Bits: uint64(math.Float32bits(float32(v)))}
	}
	return &Const{T: t, Bits: math.Float64bits(v)}
}

// Float is the number of a constant of a floating type of single or double precision.
func (c *Const) Float() float64 {
	if c.T == F32 {
		return float64(math.Float32frombits(uint32(c.Bits)))
	}
	return math.Float64frombits(c.Bits)
}

// FoldUnary computes an operator of one operand.
func FoldUnary(op Op, x *Const) *Const {
	switch {
	case x.T == F16:
		return nil
	case op == LogNot:
		return BoolConst(x.Bits == 0)
	case op == BitNot:
		return IntegerConst(x.T, ^int64(x.Bits))
	case op == Neg && x.T.IsInt():
		return IntegerConst(x.T, -x.Int())
	case op == Neg && x.T.IsFloat():
		return FloatConst(x.T, -x.Float())
	}
	return nil
}

// FoldBinary computes an operator of two operands, which gives a type.
func FoldBinary(op Op, t Type, x, y *Const) *Const {
	if x.T == F16 {
		return nil
	}
	if !x.T.IsFloat() {
		if v, ok := Compute(op, x.T, x.Int(), y.Int()); ok {
			return IntegerConst(t, v)
		}
		return nil
	}
	switch a, b := x.Float(), y.Float(); op {
	case Add:
		return FloatConst(t, a+b)
	case Sub:
		return FloatConst(t, a-b)
	case Mul:
		return FloatConst(t, a*b)
	case Div:
		return FloatConst(t, a/b)
	case Eq:
		return BoolConst(a == b)
	case Ne:
		return BoolConst(a != b)
	case Lt:
		return BoolConst(a < b)
	case Le:
		return BoolConst(a <= b)
	case Gt:
		return BoolConst(a > b)
	case Ge:
		return BoolConst(a >= b)
	}
	return nil
}

// FoldConvert changes a constant's type, by value.
func FoldConvert(x *Const, t Type) *Const {
	switch {
	case x.T == F16 || t == F16:
		return nil
	case t == Bool && x.T.IsFloat():
		return BoolConst(x.Float() != 0)
	case t == Bool:
		return BoolConst(x.Bits != 0)
	case x.T.IsFloat() && t.IsFloat():
		return FloatConst(t, x.Float())
	case x.T.IsFloat():
		v := math.Trunc(x.Float())
		if t == U64 && v >= 0 && v < 1<<64 {
			return &Const{T: t, Bits: uint64(v)}
		}
		if math.IsNaN(v) || v < -(1<<63) || v >= 1<<63 || t.IsInt() && (t == U64 && v < 0 || t != U64 && t.Cut(int64(v)) != int64(v)) {
			return nil
		}
		return IntegerConst(t, int64(v))
	case t == F32 && (x.T == U64 || x.T == Ptr): // rounded once
		return &Const{T: t, Bits: uint64(math.Float32bits(float32(x.Bits)))}
	case t == F32:
		return &Const{T: t, Bits: uint64(math.Float32bits(float32(x.Int())))}
	case t.IsFloat() && (x.T == U64 || x.T == Ptr):
		return FloatConst(t, float64(x.Bits))
	case t.IsFloat():
		return FloatConst(t, float64(x.Int()))
	}
	return IntegerConst(t, x.Int())
}

var roundings = map[string]func(float64) float64{"ceil": math.Ceil, "floor": math.Floor, "trunc": math.Trunc, "rint": math.RoundToEven}

// bitsAs are the functions whose result has the bits of its argument.
var bitsAs = map[string]bool{
	"__float_as_int": true, "__float_as_uint": true, "__int_as_float": true, "__uint_as_float": true, "__double_as_longlong": true, "__longlong_as_double": true,
}

// FoldCall computes what a function that rounds, or that keeps the bits, gives.
func FoldCall(name string, t Type, x *Const) *Const {
	if bitsAs[name] && x.T.Bits() == t.Bits() {
		return &Const{T: t, Bits: x.Bits}
	}
	if round := roundings[strings.TrimSuffix(name, "f")]; round != nil && x.T == t && (t == F32 || t == F64) {
		return FloatConst(t, round(x.Float()))
	}
	return nil
}
