package lower

// This file knows numeric_limits ([numeric.limits.members]).

import (
	"math"

	"github.com/warplint/warplint/analysis/ir"
)

// limit is a function or a constant of numeric_limits<t>.
func (l *lowerer) limit(t *ctype, name string) value {
	t = t.unqualified()
	it := t.ir()
	bits := 8 * t.size()
	switch {
	case it.IsInt():
		all := uint64(math.MaxUint64) >> (64 - bits)
		switch {
		case name == "max" && it.IsSigned():
			return rval(t, &ir.Const{T: it, Bits: all >> 1})
		case name == "max":
			return rval(t, &ir.Const{T: it, Bits: all})
		case (name == "min" || name == "lowest") && it.IsSigned():
			return rval(t, &ir.Const{T: it, Bits: all>>1 + 1})
		}
		return rval(t, zero(it))
	case it == ir.F32:
		if v, ok := floatLimits[name]; ok {
			return rval(t, &ir.Const{T: it, Bits: uint64(v)})
		}
	case it == ir.F64:
		if v, ok := doubleLimits[name]; ok {
			return rval(t, &ir.Const{T: it, Bits: v})
		}
	}
	return rval(t, &ir.Call{Name: "numeric_limits " + name, T: it})
}

var floatLimits = map[string]uint32{
	"max": 0x7f7fffff, "lowest": 0xff7fffff, "min": 0x00800000, "infinity": 0x7f800000, "epsilon": 0x34000000, "quiet_NaN": 0x7fc00000, "denorm_min": 1,
}

var doubleLimits = map[string]uint64{
	"max": 0x7fefffffffffffff, "lowest": 0xffefffffffffffff, "min": 0x0010000000000000, "infinity": 0x7ff0000000000000, "epsilon": 0x3cb0000000000000, "quiet_NaN": 0x7ff8000000000000, "denorm_min": 1,
}
