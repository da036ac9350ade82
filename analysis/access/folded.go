package access

import (
	"strconv"
	"strings"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/term"
)

// This file computes what is known in full, such as the numbers of a launch, as the machine does.

// mayBeKnown reports whether a value may be a constant, at little cost.
func (v Value) mayBeKnown() bool {
	switch {
	case v.Base != nil:
		return false
	case v.Truth != nil:
		return v.Truth.Op == term.True || v.Truth.Op == term.False
	case v.P == nil:
		return false
	}
	if _, isConst := v.P.IsConst(); isConst {
		return true
	}
	a := v.P.IsAtom()
	return a != nil && len(a.Args) == 0
}

// constantOf is a value of a type that is a constant, nil if it is none: the reverse of constant.
func constantOf(v Value, typ ir.Type) *ir.Const {
	switch {
	case !v.mayBeKnown() || typ == ir.Ptr || typ == ir.Void:
		return nil
	case v.Truth != nil && v.Truth.Op == term.True:
		return ir.FoldConvert(&ir.Const{T: ir.Bool, Bits: 1}, typ)
	case v.Truth != nil:
		return ir.FoldConvert(&ir.Const{T: ir.Bool}, typ)
	case typ.IsFloat():
		if a := v.P.IsAtom(); a != nil {
			return floatConstant(a, typ)
		}
		return nil
	}
	if n, ok := v.P.IsConst(); ok {
		return ir.FoldConvert(&ir.Const{T: ir.I64, Bits: uint64(n)}, typ)
	}
	if a := v.P.IsAtom(); a != nil && typ == ir.U64 {
		if n, ok := beyond63(a); ok {
			return &ir.Const{T: typ, Bits: n}
		}
	}
	return nil
}

// floatConstant is the number of a floating type that an atom stands for, nil if it does for none, see constant.
func floatConstant(a *term.Atom, typ ir.Type) *ir.Const {
	of, bits, ok := strings.Cut(a.Name, ":")
	n, err := strconv.ParseUint(bits, 16, 64)
	if !ok || err != nil || of != typ.String() || a.Kind != term.Symbol {
		return nil
	}
	return &ir.Const{T: typ, Bits: n}
}

// beyond63 is the number of more than 63 bits that an atom stands for, see constant.
func beyond63(a *term.Atom) (n uint64, ok bool) {
	if a.Kind != term.Func || len(a.Args) > 0 {
		return 0, false
	}
	n, err := strconv.ParseUint(a.Name, 10, 64)
	return n, err == nil
}
