package lower

// This file defines C++ types as the lowering sees them, and the conversions between the
// arithmetic ones ([conv] and [expr.arith.conv] of the C++ standard, LP64 data model).

import (
	"fmt"
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/ir"
)

type kind uint8

const (
	kVoid kind = iota
	kScalar
	kEnum
	kPtr
	kRef
	kArray
	kRecord
	kFunc
	kNull
	kAuto    // to be deduced from the initializer
	kOpaque  // a type that the unit does not define
	kGroup   // a cooperative group; name tells which, len the size of a tile
	kClosure // a lambda
)

// ctype is a C++ type. Values of it are not changed once they are built.
type ctype struct {
	kind     kind
	scalar   ir.Type // kScalar, kEnum: how a value is held
	name     string  // kScalar, kEnum, kOpaque, kGroup
	elem     *ctype  // kPtr, kRef, kArray; the result of kFunc
	len      int64   // kArray: number of elements, -1 if not known; kGroup: threads of a tile
	rvalue   bool    // kRef: &&
	rec      *record
	params   []*ctype // kFunc
	closure  *closure
	aligned  int64 // what a typedef says, 0 if nothing
	isConst  bool
	volatile bool
}

func scalarType(name string, t ir.Type) *ctype {
	return &ctype{kind: kScalar, name: name, scalar: t}
}

var (
	tVoid   = &ctype{kind: kVoid}
	tBool   = scalarType("bool", ir.Bool)
	tChar   = scalarType("char", ir.I8)
	tSChar  = scalarType("signed char", ir.I8)
	tUChar  = scalarType("unsigned char", ir.U8)
	tShort  = scalarType("short", ir.I16)
	tUShort = scalarType("unsigned short", ir.U16)
	tInt    = scalarType("int", ir.I32)
	tUInt   = scalarType("unsigned int", ir.U32)
	tLong   = scalarType("long", ir.I64)
	tULong  = scalarType("unsigned long", ir.U64)
	tLLong  = scalarType("long long", ir.I64)
	tULLong = scalarType("unsigned long long", ir.U64)
	tHalf   = scalarType("__half", ir.F16)
	tBFloat = scalarType("__nv_bfloat16", ir.F16)
	tFloat  = scalarType("float", ir.F32)
	tDouble = scalarType("double", ir.F64)
	tNull   = &ctype{kind: kNull}
	tAuto   = &ctype{kind: kAuto}
	voidPtr = pointerTo(tVoid)
)

// scalarNames are the names of arithmetic types that are one word.
var scalarNames = map[string]*ctype{
	"bool": tBool, "char": tChar, "int": tInt, "float": tFloat, "double": tDouble, "short": tShort, "long": tLong,
	"unsigned": tUInt, "signed": tInt, "void": tVoid, "wchar_t": tInt, "char8_t": tUChar, "char16_t": tUShort, "char32_t": tUInt,
	"size_t": tULong, "ssize_t": tLong, "ptrdiff_t": tLong, "intptr_t": tLong, "uintptr_t": tULong, "max_align_t": tLong,
	"int8_t": tSChar, "int16_t": tShort, "int32_t": tInt, "int64_t": tLong,
	"uint8_t": tUChar, "uint16_t": tUShort, "uint32_t": tUInt, "uint64_t": tULong,
	"int_fast8_t": tSChar, "int_fast32_t": tLong, "uint_fast32_t": tULong, "intmax_t": tLong, "uintmax_t": tULong,
	"uint": tUInt, "ushort": tUShort, "uchar": tUChar, "ulong": tULong, "u_int": tUInt, "u_char": tUChar,
	"__int64": tLLong, "__int32": tInt, "clock_t": tLong, "time_t": tLong, "nullptr_t": tNull,
	"half": tHalf, "__half": tHalf, "__nv_bfloat16": tBFloat, "nv_bfloat16": tBFloat, "_Float16": tHalf,
	"cudaTextureObject_t": tULLong, "cudaSurfaceObject_t": tULLong, "CUtexObject": tULLong, "CUsurfObject": tULLong, "cudaGraphConditionalHandle": tULLong,
	"cudaError_t": tInt, "cudaError": tInt, "CUdeviceptr": tULLong,
	"cudaStream_t": voidPtr, "cudaEvent_t": voidPtr, "cudaArray_t": voidPtr, "cudaGraph_t": voidPtr, "cudaGraphExec_t": voidPtr, "cudaMemPool_t": voidPtr, "CUstream": voidPtr, "CUevent": voidPtr,
}

func pointerTo(t *ctype) *ctype             { return &ctype{kind: kPtr, elem: t} }
func refTo(t *ctype) *ctype                 { return &ctype{kind: kRef, elem: t} }
func arrayOf(t *ctype, n int64) *ctype      { return &ctype{kind: kArray, elem: t, len: n} }
func recordType(r *record) *ctype           { return &ctype{kind: kRecord, rec: r} }
func opaque(name string) *ctype             { return &ctype{kind: kOpaque, name: name} }
func groupType(name string, n int64) *ctype { return &ctype{kind: kGroup, name: name, len: n} }

// qualified returns the type with more qualifiers. Those of an array belong to its elements.
func (t *ctype) qualified(isConst, volatile bool) *ctype {
	if (!isConst || t.isConst) && (!volatile || t.volatile) {
		return t
	}
	c := *t
	if t.kind == kArray {
		c.elem = t.elem.qualified(isConst, volatile)
		return &c
	}
	c.isConst, c.volatile = t.isConst || isConst, t.volatile || volatile
	return &c
}

func (t *ctype) unqualified() *ctype {
	if !t.isConst && !t.volatile {
		return t
	}
	c := *t
	c.isConst, c.volatile = false, false
	return &c
}

// noRef is the type that a reference refers to.
func (t *ctype) noRef() *ctype {
	if t.kind == kRef {
		return t.elem
	}
	return t
}

// decay is the type of a parameter that is declared with the type.
func (t *ctype) decay() *ctype {
	switch t.kind {
	case kArray:
		return pointerTo(t.elem)
	case kFunc:
		return pointerTo(t)
	}
	return t.unqualified()
}

func (t *ctype) isInt() bool        { return (t.kind == kScalar || t.kind == kEnum) && t.scalar.IsInt() }
func (t *ctype) isFloat() bool      { return t.kind == kScalar && t.scalar.IsFloat() }
func (t *ctype) isArithmetic() bool { return t.kind == kScalar || t.kind == kEnum }

// isScalar reports whether one register holds a value of the type.
func (t *ctype) isScalar() bool {
	return t.isArithmetic() || t.kind == kPtr || t.kind == kNull || t.kind == kRef
}

// ir is the type of the register that holds a value, Void for what takes several or none.
func (t *ctype) ir() ir.Type {
	switch t.kind {
	case kScalar, kEnum:
		return t.scalar
	case kPtr, kNull, kRef:
		return ir.Ptr
	}
	return ir.Void
}

// size is the number of bytes of an object of the type, 0 if that is not known.
func (t *ctype) size() int64 {
	switch t.kind {
	case kScalar, kEnum:
		return t.scalar.Size()
	case kPtr, kNull, kRef:
		return 8
	case kArray:
		n, size := max(t.len, 0), t.elem.size()
		if size > 0 && n > maxSize/size {
			return maxSize
		}
		return n * size
	case kRecord:
		return t.rec.size
	case kGroup, kClosure:
		return 1
	}
	return 0
}

func (t *ctype) align() int64 {
	if t.aligned > 0 {
		return t.aligned
	}
	switch t.kind {
	case kArray:
		return t.elem.align()
	case kRecord:
		return max(t.rec.align, 1)
	}
	return max(t.size(), 1)
}

// String is the type's canonical spelling: equal for equal types.
func (t *ctype) String() string {
	s := t.bare()
	if t.isConst && t.kind != kPtr {
		s = "const " + s
	}
	if t.volatile && t.kind != kPtr {
		s = "volatile " + s
	}
	if t.kind == kPtr && t.isConst {
		s += " const"
	}
	return s
}

// pointee is what is behind all pointers of a type.
func (t *ctype) pointee() *ctype {
	for t.kind == kPtr {
		t = t.elem
	}
	return t
}

// deduced is a type with `auto` behind its pointers, such as that of `const auto *p`, for a value of another type.
func deduced(t, of *ctype) *ctype {
	switch {
	case t.kind == kAuto:
		return of.qualified(t.isConst || of.isConst, t.volatile || of.volatile)
	case t.kind == kPtr && of.kind == kPtr:
		return pointerTo(deduced(t.elem, of.elem)).qualified(t.isConst, t.volatile)
	}
	return t
}

func (t *ctype) bare() string {
	switch t.kind {
	case kVoid:
		return "void"
	case kScalar, kEnum, kOpaque:
		return t.name
	case kPtr:
		return t.elem.String() + "*"
	case kRef:
		if t.rvalue {
			return t.elem.String() + "&&"
		}
		return t.elem.String() + "&"
	case kArray:
		return fmt.Sprintf("%s[%d]", t.elem, t.len)
	case kRecord:
		return t.rec.name
	case kNull:
		return "nullptr_t"
	case kAuto:
		return "auto"
	case kGroup:
		if t.len > 0 {
			return fmt.Sprintf("%s<%d>", t.name, t.len)
		}
		return t.name
	case kClosure:
		return fmt.Sprintf("lambda#%d", t.closure.id)
	case kFunc:
		var b strings.Builder
		fmt.Fprintf(&b, "%s(", t.elem)
		for i, p := range t.params {
			if i > 0 {
				b.WriteString(",")
			}
			b.WriteString(p.String())
		}
		return b.String() + ")"
	}
	return "?"
}

// sameType compares types; top-level qualifiers do not count.
func sameType(a, b *ctype) bool {
	if a == b {
		return true
	}
	if a.kind != b.kind {
		return false
	}
	if a.kind == kRecord {
		return a.rec == b.rec
	}
	return a.unqualified().String() == b.unqualified().String()
}

// rank orders integer types for the usual arithmetic conversions.
func (t *ctype) rank() int {
	switch t.name {
	case "bool":
		return 0
	case "char", "signed char", "unsigned char":
		return 1
	case "short", "unsigned short":
		return 2
	case "int", "unsigned int":
		return 3
	case "long", "unsigned long":
		return 4
	}
	return 5
}

// hasArrays reports whether an object of the type holds an array.
func (t *ctype) hasArrays() bool {
	switch t.kind {
	case kArray:
		return true
	case kRecord:
		return slices.ContainsFunc(t.rec.fields, func(f field) bool { return f.t.hasArrays() })
	}
	return false
}

// promote applies the integral promotions.
func promote(t *ctype) *ctype {
	if t.kind == kEnum {
		switch t.scalar {
		case ir.U32:
			return tUInt
		case ir.I64:
			return tLong
		case ir.U64:
			return tULong
		}
		return tInt
	}
	if t.kind == kScalar && t.scalar.IsInt() && t.rank() < 3 {
		return tInt
	}
	return t.unqualified()
}

// common is the type that the usual arithmetic conversions bring two operands to.
func common(a, b *ctype) *ctype {
	if a.isFloat() || b.isFloat() {
		switch {
		case !b.isFloat():
			return a.unqualified()
		case !a.isFloat():
			return b.unqualified()
		case a.scalar >= b.scalar:
			return a.unqualified()
		}
		return b.unqualified()
	}
	a, b = promote(a), promote(b)
	if a.scalar.IsSigned() == b.scalar.IsSigned() {
		if a.rank() >= b.rank() {
			return a
		}
		return b
	}
	u, s := a, b
	if a.scalar.IsSigned() {
		u, s = b, a
	}
	switch {
	case u.rank() >= s.rank():
		return u
	case s.scalar.Size() > u.scalar.Size():
		return s
	case s.name == "long":
		return tULong
	}
	return tULLong
}
