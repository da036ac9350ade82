// This file defines the fundamental types of PTX (PTX ISA, "Types") and their sizes.

package ptx

// Type is the type of a register, of a variable or of an instruction.
type Type uint8

const (
	NoType Type = iota
	Pred
	B8
	B16
	B32
	B64
	B128
	U8
	U16
	U32
	U64
	S8
	S16
	S32
	S64
	F16
	F16x2
	BF16
	BF16x2
	TF32
	F32
	F32x2
	F64
	U16x2
	S16x2
	E4M3
	E5M2
	E4M3x2
	E5M2x2
	S4
	U4
	B1
	TexRef
	SamplerRef
	SurfRef
)

var typeNames = [...]string{
	NoType: "", Pred: "pred", B8: "b8", B16: "b16", B32: "b32", B64: "b64", B128: "b128",
	U8: "u8", U16: "u16", U32: "u32", U64: "u64", S8: "s8", S16: "s16", S32: "s32", S64: "s64",
	F16: "f16", F16x2: "f16x2", BF16: "bf16", BF16x2: "bf16x2", TF32: "tf32", F32: "f32",
	F32x2: "f32x2", F64: "f64", U16x2: "u16x2", S16x2: "s16x2", E4M3: "e4m3", E5M2: "e5m2",
	E4M3x2: "e4m3x2", E5M2x2: "e5m2x2", S4: "s4", U4: "u4", B1: "b1", TexRef: "texref", SamplerRef: "samplerref", SurfRef: "surfref",
}

var typesByName = func() map[string]Type {
	m := map[string]Type{}
	for t, name := range typeNames {
		if name != "" {
			m[name] = Type(t)
		}
	}
	return m
}()

func (t Type) String() string { return typeNames[t] }

// Size is the number of bytes of a value in memory; 0 for predicates, and for parts of bytes.
func (t Type) Size() int {
	switch t {
	case B8, U8, S8, E4M3, E5M2:
		return 1
	case B16, U16, S16, F16, BF16, E4M3x2, E5M2x2:
		return 2
	case B32, U32, S32, F32, F16x2, BF16x2, TF32, U16x2, S16x2:
		return 4
	case B64, U64, S64, F64, F32x2, TexRef, SamplerRef, SurfRef:
		return 8
	case B128:
		return 16
	}
	return 0
}

// Signed reports whether it is a signed integer type.
func (t Type) Signed() bool { return t >= S8 && t <= S64 }

// Float reports whether it is a floating-point type, packed ones included.
func (t Type) Float() bool {
	switch t {
	case F16, F16x2, BF16, BF16x2, TF32, F32, F32x2, F64:
		return true
	}
	return false
}
