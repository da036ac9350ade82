// Package ptx reads PTX text, as clang and nvcc write it, into a form that is quick to
// translate: names resolved to indices, mnemonics split into an opcode, its modifiers and its
// types, source locations attached to each instruction.
//
// It reads PTX ISA 6.0 to 9.0. Debug sections are skipped. An instruction, a directive or an
// operand that it does not know is an error that names the line, never a guess.
package ptx

// Module is one PTX translation unit.
type Module struct {
	Major, Minor int    // PTX ISA version
	Target       string // "sm_80"
	Files        map[int]string
	Variables    []*Variable // of module scope: global, const and shared
	Functions    []*Function // kernels and device functions, in the order of the text
	Locations    []Location  // Instr.Location indexes them; the first means "unknown"
}

// Function returns a function or kernel by its name, nil if there is none.
func (m *Module) Function(name string) *Function {
	for _, f := range m.Functions {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// Space is a PTX state space.
type Space uint8

const (
	NoSpace Space = iota // generic, where an instruction names none
	RegSpace
	GlobalSpace
	SharedSpace
	ConstSpace
	LocalSpace
	ParamSpace
)

func (s Space) String() string {
	return [...]string{"generic", "reg", "global", "shared", "const", "local", "param"}[s]
}

// Linkage says who can see a symbol.
type Linkage uint8

const (
	Static Linkage = iota
	Extern
	Visible
	Weak
	Common
)

// Variable is a variable or a parameter outside of registers.
type Variable struct {
	Name    string
	Space   Space
	Type    Type
	Linkage Linkage
	Align   int
	Size    int    // bytes, the whole array
	Unsized bool   // "[]": dynamic shared memory, or an extern array
	Init    []byte // as long as Size, or nil if there is no initialiser
	Refs    []Ref  // addresses to write into Init when the module is placed
	Line    int
}

// Ref is a place in an initialiser that takes the address of a symbol.
type Ref struct {
	Offset  int // bytes into Init
	Size    int // bytes to write
	Shift   int // first byte of the address to write: 1 for "0xFF00(symbol)"
	Symbol  string
	Addend  int64
	Generic bool // generic(symbol): the generic address
}

// Function is a kernel (.entry) or a device function (.func).
type Function struct {
	Name    string
	Entry   bool
	Linkage Linkage
	Defined bool // false for a declaration only
	Params  []*Variable
	Returns []*Variable
	Locals  []*Variable // function-scope local, shared, const and param variables
	// Registers are all registers of the body; operands name them by index.
	Registers []Register
	Body      []Instr
	// Tables are the .branchtargets and .calltargets lists by index.
	Tables [][]int32
	// Prototypes are the .callprototype declarations of indirect calls.
	Prototypes []*Function
	// The directives that bound a block and a cluster; zero where absent.
	MaxThreads, RequiredThreads, RequiredCluster [3]int
	Line                                         int
	// Err says why the body can't be used: it holds an instruction that is not known.
	Err error
}

// Register is a virtual register. A vector register declaration (.v2, .v4) gives one each.
type Register struct {
	Name string
	Type Type
}

// Location is a source place from a .loc directive.
type Location struct {
	File, Line, Column int
	// InlinedAt is the index of the location of the call that was inlined; 0 for none.
	InlinedAt int32
}
