// This file defines instructions and their operands.

package ptx

// Instr is one instruction. Its mnemonic is split at the dots: "ld.global.v2.u32" has opcode
// ld, modifiers global and v2, type u32.
type Instr struct {
	Op        Opcode
	Guard     int32 // register of the guard predicate, -1 if there is none
	GuardNot  bool  // "@!p"
	Modifiers []string
	Types     []Type // in the order written: cvt.rn.f32.s32 has F32, S32
	Operands  []Operand
	Line      int32 // line of the PTX text, from 1
	Location  int32 // index in Module.Locations
}

// Has reports whether a modifier was written.
func (in *Instr) Has(modifier string) bool {
	for _, m := range in.Modifiers {
		if m == modifier {
			return true
		}
	}
	return false
}

// Type returns the i-th type that was written, NoType if there are fewer.
func (in *Instr) Type(i int) Type {
	if i < len(in.Types) {
		return in.Types[i]
	}
	return NoType
}

// OperandKind says what an operand is.
type OperandKind uint8

const (
	RegisterOperand  OperandKind = iota // Reg
	IntegerOperand                      // Bits, two's complement
	Float32Operand                      // Bits of a 0f constant
	Float64Operand                      // Bits of a 0d or decimal constant
	SpecialOperand                      // Name of a special register, "%tid.x"
	SymbolOperand                       // Name of a variable or function, plus Offset
	AddressOperand                      // memory at Reg or Name or neither (Reg -1, Name ""), plus Offset; Elems as in tex
	LabelOperand                        // Target, an index in Function.Body
	VectorOperand                       // Elems: "{a, b}"
	PairOperand                         // Elems: "p|q"
	ListOperand                         // Elems: "(a, b)", of a call
	TableOperand                        // Target, an index in Function.Tables
	PrototypeOperand                    // Target, an index in Function.Prototypes
	SinkOperand                         // "_"
)

// Operand is one operand of an instruction.
type Operand struct {
	Kind   OperandKind
	Not    bool // "!p"
	Reg    int32
	Target int32
	Bits   uint64
	Offset int64
	Name   string
	Elems  []Operand
}
