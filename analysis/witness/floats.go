package witness

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/ir/interp"
	"github.com/warplint/warplint/analysis/term"
)

// This file computes what the host makes of floating-point numbers, as `(int)sqrt((double)blocks)`, for the launches
// that are tried.

// anyFloat is the number taken for a floating-point one that nothing fixes.
const anyFloat = 1.5

// function computes a function of the values of a launch: of integers, or an integer made of floating-point numbers.
func (v *assignment) function(a *term.Atom) (int64, bool) {
	if x, ok := a.Operation(v.leaf); ok {
		return x, true
	}
	switch len(a.Args) {
	case 1:
		if from, to, ok := conversion(a.Name); ok && isFloat(from) && !isFloat(to) {
			x, ok := v.float(a.Args[0])
			const most = 1 << 62
			return int64(x), ok && math.Abs(x) < most && int64(x) >= a.Lo && int64(x) <= a.Hi
		}
	case 2:
		if holds, ok := v.compare(a); ok {
			return holds, true
		}
	}
	return 0, false
}

// compare is a comparison of two floating-point numbers, which are no polynomials.
func (v *assignment) compare(a *term.Atom) (int64, bool) {
	x, ok1 := v.float(a.Args[0])
	y, ok2 := v.float(a.Args[1])
	holds := false
	switch a.Name {
	case ir.Lt.String():
		holds = x < y
	case ir.Le.String():
		holds = x <= y
	case ir.Gt.String():
		holds = x > y
	case ir.Ge.String():
		holds = x >= y
	default:
		return 0, false
	}
	if holds {
		return 1, ok1 && ok2
	}
	return 0, ok1 && ok2
}

// float is a floating-point number in a launch.
func (v *assignment) float(p *term.Poly) (float64, bool) {
	a := p.IsAtom()
	switch {
	case a == nil:
		return 0, false
	case a.Kind == term.Symbol && strings.Contains(a.Name, ":"):
		return floatConstant(a.Name)
	case a.Kind == term.Select:
		holds, ok := a.If.Holds(v.leaf)
		if !ok {
			return 0, false
		}
		if holds {
			return v.float(a.Args[0])
		}
		return v.float(a.Args[1])
	case v.begin && a.First != nil:
		return v.float(a.First)
	case a.Kind != term.Func:
		if typ := floatType(a); typ != ir.Void {
			x, ok := v.leaf(a)
			return ofBits(typ, uint64(x)), ok
		}
		return anyFloat, len(a.Args) == 0
	}
	if from, to, ok := conversion(a.Name); ok && len(a.Args) == 1 {
		if isFloat(from) {
			return v.float(a.Args[0])
		}
		x, ok := a.Args[0].Value(v.leaf)
		return float64(x), ok && isFloat(to)
	}
	args := make([]float64, len(a.Args))
	for i, arg := range a.Args {
		x, ok := v.float(arg)
		if !ok {
			return 0, false
		}
		args[i] = x
	}
	if x, ok := arithmetic(a.Name, args); ok {
		return x, true
	}
	return interp.Float(a.Name, args...)
}

func arithmetic(name string, args []float64) (float64, bool) {
	if len(args) == 1 {
		return -args[0], name == ir.Neg.String()
	}
	if len(args) != 2 {
		return 0, false
	}
	x, y := args[0], args[1]
	switch name {
	case ir.Add.String():
		return x + y, true
	case ir.Sub.String():
		return x - y, true
	case ir.Mul.String():
		return x * y, true
	case ir.Div.String():
		return x / y, y != 0
	case ir.Min.String():
		return math.Min(x, y), true
	case ir.Max.String():
		return math.Max(x, y), true
	}
	return 0, false
}

// conversion reads the name of a conversion that is no polynomial, as `i32 to f64`.
func conversion(name string) (from, to string, ok bool) {
	n, _ := fmt.Sscanf(name, "%s to %s", &from, &to)
	return from, to, n == 2
}

func isFloat(typ string) bool { return strings.HasPrefix(typ, "f") }

// floatConstant reads the name of a constant, its type and its bits.
func floatConstant(name string) (float64, bool) {
	typ, bits, ok := constantBits(name)
	return ofBits(typ, bits), ok
}

func constantBits(name string) (typ ir.Type, bits uint64, ok bool) {
	of, digits, _ := strings.Cut(name, ":")
	bits, err := strconv.ParseUint(digits, 16, 64)
	for _, t := range []ir.Type{ir.F32, ir.F64} {
		if t.String() == of {
			typ = t
		}
	}
	return typ, bits, err == nil && typ != ir.Void
}

// floatType is the type of a floating-point number that the caller passes, or ir.Void.
func floatType(a *term.Atom) ir.Type {
	typ := ir.Void
	switch of := a.Ref.(type) {
	case *ir.Param:
		typ = of.Type
	case *ir.Reg:
		typ = of.Type
	case ir.Stmt:
		if defs := ir.Defs(of); len(defs) == 1 {
			typ = defs[0].Type
		}
	}
	if typ != ir.F32 && typ != ir.F64 {
		return ir.Void
	}
	return typ
}

func ofBits(typ ir.Type, bits uint64) float64 {
	if typ == ir.F32 {
		return float64(math.Float32frombits(uint32(bits)))
	}
	return math.Float64frombits(bits)
}

func toBits(typ ir.Type, x float64) uint64 {
	if typ == ir.F32 {
		return uint64(math.Float32bits(float32(x)))
	}
	return math.Float64bits(x)
}

// word is what the caller passes but for integers, as the bits that it has: a floating-point number, or whether a pointer
// leads anywhere.
func word(a *term.Atom) (bits int64, ok bool) {
	if base := access.AddressOf(a); base != nil {
		if base.IsNull() {
			return 0, true
		}
		return 1, true
	}
	if isFloatConstant(a) {
		_, bits, ok := constantBits(a.Name)
		return int64(bits), ok
	}
	typ := floatType(a)
	return int64(toBits(typ, anyFloat)), typ != ir.Void
}

// isFixed reports whether an atom is a constant: a floating-point number, or the null pointer.
func isFixed(a *term.Atom) bool {
	base := access.AddressOf(a)
	return isFloatConstant(a) || base != nil && base.IsNull()
}

func isFloatConstant(a *term.Atom) bool {
	if a.Kind != term.Symbol || !strings.Contains(a.Name, ":") {
		return false
	}
	_, _, ok := constantBits(a.Name)
	return ok
}
