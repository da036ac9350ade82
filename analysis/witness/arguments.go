package witness

// This file makes the arguments of a launch of the values that were chosen.

import (
	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/ir/interp"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

// argument gives a parameter its value; ok is false if the host computes it in a way that is
// not understood.
func (v *assignment) argument(p *plan, buffers map[any]int, param *ir.Param, i int) (arg interp.Arg, ok bool) {
	var bound access.Value
	if l := v.s.Launch; l != nil && i < len(l.Args) {
		bound = l.Args[i]
	}
	if param.Type == ir.Ptr {
		return v.pointer(p, buffers, param, bound), true
	}
	if param.Type == ir.F32 || param.Type == ir.F64 {
		x := v.floatArgument(param, bound)
		if x != anyFloat {
			p.floats[param.Name] = x
		}
		return interp.Arg{Bits: toBits(param.Type, x)}, true
	}
	var x int64
	switch {
	case bound.Truth != nil:
		holds, known := bound.Truth.Holds(v.leaf)
		if !known {
			return arg, false
		}
		x = 0
		if holds {
			x = 1
		}
	case bound.P != nil:
		if x, ok = bound.P.Value(v.leaf); !ok {
			return arg, false
		}
	default:
		a := v.held(param)
		if x, ok = v.values[a]; !ok {
			x = v.chooseFor(a)
		}
	}
	within := cut(x, param.Type)
	p.cut = p.cut || within != x
	x = within
	p.parameters[param.Name] = x
	return interp.Int(x), true
}

// floatArgument is what a floating-point parameter holds: the constant that is passed, what conditions ask for, or any number.
// What the host computes is not better than any: it says which numbers are likely only if all that it is made of is known.
func (v *assignment) floatArgument(param *ir.Param, bound access.Value) float64 {
	if bound.P == nil {
		bound = v.s.Params[param]
	}
	if bound.P != nil {
		if a := bound.P.IsAtom(); a != nil && (isFixed(a) || floatType(a) != ir.Void) {
			if x, ok := v.float(bound.P); ok {
				return x
			}
		}
	}
	return anyFloat
}

// isNull reports whether the numbers say that a parameter points nowhere.
func (v *assignment) isNull(param *ir.Param, bound *access.Base) bool {
	for a, x := range v.values {
		if base := access.AddressOf(a); x == 0 && base != nil && !base.IsNull() && (base == bound || bound == nil && base.Param == param) {
			return true
		}
	}
	return false
}

// held is the atom that a parameter's value is, nil if it is none.
func (v *assignment) held(param *ir.Param) *term.Atom {
	is := v.s.Params[param]
	if is.Truth != nil {
		is.P = is.Truth.P // a truth value is a number that is not zero
	}
	if is.P == nil {
		return nil
	}
	return is.P.IsAtom()
}

// cut keeps a number within a type.
func cut(x int64, t ir.Type) int64 {
	if t == ir.Bool {
		if x != 0 {
			return 1
		}
		return 0
	}
	if n := t.Bits(); n < 64 {
		if t.IsSigned() {
			n--
		}
		return min(x, 1<<n-1)
	}
	return x
}

// pointer gives a pointer parameter its buffer; parameters that the host binds to one
// allocation share it.
func (v *assignment) pointer(p *plan, buffers map[any]int, param *ir.Param, bound access.Value) interp.Arg {
	var key any = param
	var offset int64
	if bound.Base != nil {
		key = bound.Base
		if bound.P != nil {
			offset, _ = bound.P.Value(v.leaf)
		}
	}
	if v.isNull(param, bound.Base) {
		p.parameters[param.Name] = 0
		return interp.Arg{}
	}
	if bound.Base != nil {
		if o := access.Variable(v.s.Func, bound.Base.Object); o != nil {
			p.pointers[param.Name] = race.Pointer{To: o.Name, Offset: offset}
			return interp.PointerToVariable(o, offset)
		}
	}
	b, ok := buffers[key]
	if !ok {
		b = len(p.launch.Buffers)
		buffers[key] = b
		p.drawn = append(p.drawn, v.draw(param.Name, key, func(e ir.Expr) bool { return pointsInto(e, param) }))
		p.drawn[b].start = offset
		p.launch.Buffers = append(p.launch.Buffers, interp.Buffer{Name: param.Name})
		v.origins[b] = origin{param.Name, offset}
	} else {
		o := v.origins[b]
		p.pointers[param.Name] = race.Pointer{To: o.name, Offset: offset - o.offset}
	}
	return interp.PointerTo(b, offset)
}
