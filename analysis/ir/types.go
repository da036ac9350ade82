package ir

// Type is the type of a register, an expression or one memory access. Structs, arrays and
// vectors do not occur: lowering takes them apart into scalars and memory objects.
type Type uint8

const (
	Void Type = iota
	Bool
	I8
	U8
	I16
	U16
	I32
	U32
	I64
	U64
	F16
	F32
	F64
	Ptr // a generic address
)

var typeNames = [...]string{"void", "bool", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f16", "f32", "f64", "ptr"}
var typeSizes = [...]int64{0, 1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8, 8}

func (t Type) String() string { return typeNames[t] }

// Size is the number of bytes that a value of the type takes in memory.
func (t Type) Size() int64 { return typeSizes[t] }

// Bits is the number of bits of an integer type that carry its value.
func (t Type) Bits() int {
	if t == Bool {
		return 1
	}
	return int(typeSizes[t]) * 8
}

// Cut keeps a number's low bits and extends them by the type's sign.
func (t Type) Cut(c int64) int64 {
	n := 64 - t.Bits()
	if t == Ptr || n <= 0 {
		return c
	}
	if t.IsSigned() {
		return c << n >> n
	}
	return int64(uint64(c) << n >> n)
}

// IsInt reports whether the type is an integer; Bool counts, Ptr does not.
func (t Type) IsInt() bool { return t >= Bool && t <= U64 }

// IsSigned reports whether the type is a signed integer.
func (t Type) IsSigned() bool { return t == I8 || t == I16 || t == I32 || t == I64 }

// IsFloat reports whether the type is a floating-point number.
func (t Type) IsFloat() bool { return t >= F16 && t <= F64 }

// Space is where a memory object lies.
type Space uint8

const (
	Global Space = iota
	Shared
	Local    // private to a thread: arrays and variables whose address is taken
	Constant // read only for the whole grid
)

func (s Space) String() string { return [...]string{"global", "shared", "local", "constant"}[s] }

// Order is the memory order of an access or a fence (PTX ISA, memory consistency model).
type Order uint8

const (
	Weak Order = iota // a plain access
	Relaxed
	Acquire
	Release
	AcqRel
	SeqCst
)

func (o Order) String() string {
	return [...]string{"weak", "relaxed", "acquire", "release", "acq_rel", "seq_cst"}[o]
}

// Acquires reports whether the order has acquire semantics.
func (o Order) Acquires() bool { return o == Acquire || o == AcqRel || o == SeqCst }

// Releases reports whether the order has release semantics.
func (o Order) Releases() bool { return o == Release || o == AcqRel || o == SeqCst }
