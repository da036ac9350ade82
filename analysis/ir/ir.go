// Package ir is the one intermediate representation of warplint: small, typed, and
// structured like WebAssembly (blocks, loops, ifs and breaks to labels), so that a path
// condition is the list of conditions around a statement and a loop's induction can be read
// off its head. Device functions are inlined; a kernel is one Func.
//
// Expressions are pure trees over registers, parameters and the built-in variables. All that
// reads or changes memory, or makes threads meet, is a statement of its own and carries a
// Site, the index of its place in the source. Two functions that differ only in Sites print
// alike: results are cached by the hash of the print.
//
// Statements:
//
//	Assign, Load, Store, Atomic            values and memory
//	Fence, Barrier, WarpOp, Named          synchronization
//	If, Loop, Block, Break, Continue       control
//	Return, Trap, Assume                   ends and facts
//	Unknown                                what lowering did not understand
//	Launch, Alloc, HostCopy                host functions only
package ir

import (
	"crypto/sha256"
	"regexp"
	"slices"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
)

// Func is a kernel with everything inlined into it, or a host function that launches one.
type Func struct {
	Name     string // as written, without template arguments
	Instance string // template arguments as written or deduced, "" if none; tells instances apart
	// Trial says which numbers were chosen for parameters of a template that nothing instantiates, as in "BLOCK = 32"; "" if none were.
	Trial   string
	Span    source.Span
	Params  []*Param
	Regs    []*Reg
	Objects []*Object
	Body    []Stmt
	Sites   []Site

	// MaxThreads is the bound of __launch_bounds__, 0 if none; Cluster the cluster's
	// dimensions if the kernel fixes them, else zero.
	MaxThreads int
	Cluster    race.Dim3
	// Unknowns are the reasons for what was not lowered, apart from those of the Unknown
	// statements in Body. A kernel with any of either can't be proved race-free.
	Unknowns []string
	// Assumes are the assumptions under which it was lowered.
	Assumes []string

	// Printed is the Digest if it was made; it is the same for all copies.
	Printed [sha256.Size]byte
}

// Module is what one translation unit holds.
type Module struct {
	Kernels []*Func // one for each instance that is launched; one with unknown parameters' defaults if none is
	Hosts   []*Func // host functions that contain a launch, in order of the text
}

// Param is a scalar or a pointer that the kernel is called with. A struct passed by value is
// one Param for each scalar in it, named "s.f", in the order of its layout.
type Param struct {
	Index    int
	Name     string
	Type     Type
	Elem     Type  // what a pointer points to, Void if not a scalar
	ElemSize int64 // bytes of what a pointer points to, 0 if not a pointer
	Restrict bool
	Const    bool // the pointer's target is const
}

// Reg is a local variable or a temporary of one scalar type. It may be assigned many times.
type Reg struct {
	ID   int
	Name string // the source's name, or "" for a temporary
	Type Type
}

// Object is a piece of memory that the code names: a shared array, a __device__ variable, a
// local array. What a pointer parameter points to has no Object.
type Object struct {
	ID    int
	Name  string
	Space Space
	Size  int64 // bytes; 0 for `extern __shared__`, whose size the launch gives
	Align int64
	Elem  Type    // type of the innermost element, Void if a struct
	Dims  []int64 // array dimensions, outermost first; empty for a scalar
	Init  []byte  // initial contents where the source gives them, else nil (zeros for globals)
}

// Given reports whether the source gives an object contents other than zeros.
func (o *Object) Given() bool {
	return slices.ContainsFunc(o.Init, func(b byte) bool { return b != 0 })
}

// Site is a place in the source.
type Site struct {
	Span     source.Span   // the access or operation
	Name     source.Span   // the callee's name of an intrinsic (what a widening fix replaces), else zero
	Stmt     source.Span   // the whole statement that holds it, for fixes that insert before it
	Inlined  []source.Span // the calls through which it is reached, the kernel's first
	Macro    source.Span   // where its text is defined, if it comes from a macro
	Variable string        // the accessed variable or parameter as people call it
	Type     string        // of the accessed place where it is a scalar, in C++ without typedefs and qualifiers: some are alike in the IR and not for a fix
	Library  bool          // the access is made by a library's function, which Span calls
}

// Expr is a pure expression.
type Expr interface{ Type() Type }

// Const is a value given by its bits: two's complement cut to the width, IEEE for floats.
type Const struct {
	T    Type
	Bits uint64
}

// Int returns the number that a constant of an integer type holds, as Cut leaves it.
func (c *Const) Int() int64 { return c.T.Cut(int64(c.Bits)) }

// IntConst returns the number of an expression that is a constant of an integer type.
func IntConst(e Expr) (v int64, ok bool) {
	c, ok := e.(*Const)
	if !ok || !c.T.IsInt() {
		return 0, false
	}
	return c.Int(), true
}

// RegRef reads a register.
type RegRef struct{ R *Reg }

// ParamRef reads a parameter.
type ParamRef struct{ P *Param }

// BuiltinVar is a thread's own coordinate or a dimension of the launch.
type BuiltinVar uint8

const (
	ThreadIdx BuiltinVar = iota
	BlockIdx
	BlockDim
	GridDim
	ClusterIdx   // the cluster's coordinate in the grid
	ClusterDim   // the grid's dimension in clusters
	BlockInClust // the block's coordinate in its cluster
	ClusterSize  // a cluster's dimension in blocks
	LaneID
	WarpID // the warp's number in its block
	DynamicSharedSize
)

// Builtin reads a built-in variable. Its type is U32.
type Builtin struct {
	Var  BuiltinVar
	Axis int // 0, 1, 2 for x, y, z; 0 where there is no axis
}

// ObjAddr is the address of an object's first byte.
type ObjAddr struct{ Obj *Object }

// PtrAdd is a pointer moved by a number of bytes (of type I64).
type PtrAdd struct {
	Base, Offset Expr
	// Last is where the last element of the struct's member begins that is an array and that the offset is a
	// subscript of, 0 for other moves: C++ gives no meaning to a subscript beyond it.
	Last int64
}

// Op is a unary or binary operator. Operands of a binary operator have the same type, but
// for shifts, whose right operand is any integer. Comparisons and logic give Bool.
type Op uint8

const (
	Neg Op = iota
	BitNot
	LogNot
	Add
	Sub
	Mul
	Div // signed or unsigned by the type; truncates as C++ does
	Rem
	And
	Or
	Xor
	Shl
	Shr // arithmetic for signed types
	Min
	Max
	Eq
	Ne
	Lt
	Le
	Gt
	Ge
	LogAnd
	LogOr
)

var opNames = [...]string{"neg", "not", "lnot", "add", "sub", "mul", "div", "rem", "and", "or", "xor", "shl", "shr", "min", "max", "eq", "ne", "lt", "le", "gt", "ge", "land", "lor"}

func (o Op) String() string { return opNames[o] }

// IsCompare reports whether the operator compares its operands.
func (o Op) IsCompare() bool { return o >= Eq && o <= Ge }

// Unary applies Neg, BitNot or LogNot.
type Unary struct {
	Op Op
	X  Expr
}

// Binary applies an operator to two expressions. T is the type of the result.
type Binary struct {
	Op   Op
	T    Type
	X, Y Expr
}

// Convert is a conversion by value: integers wrap, floats round or truncate as C++ has it;
// between Ptr and a 64-bit integer it keeps the bits.
type Convert struct {
	T Type
	X Expr
}

// Select is the ternary operator. Both sides are pure, so both may be evaluated.
type Select struct {
	Cond, X, Y Expr
}

// Call is a pure function by its name, such as "sqrtf" or "__popc".
type Call struct {
	Name string
	T    Type
	Args []Expr
}

// Functions that choose a thread, nobody knows which: a lane of a mask, and a rank in a group of so many threads, by the number
// of the group and that of the call.
const (
	ElectLane = "elect_lane"
	ElectRank = "elect_rank"
)

func (e *Const) Type() Type    { return e.T }
func (e *RegRef) Type() Type   { return e.R.Type }
func (e *ParamRef) Type() Type { return e.P.Type }
func (e *Builtin) Type() Type  { return U32 }
func (e *ObjAddr) Type() Type  { return Ptr }
func (e *PtrAdd) Type() Type   { return Ptr }
func (e *Binary) Type() Type   { return e.T }
func (e *Convert) Type() Type  { return e.T }
func (e *Select) Type() Type   { return e.X.Type() }
func (e *Call) Type() Type     { return e.T }
func (e *Unary) Type() Type    { return e.X.Type() }

// Stmt is a statement.
type Stmt interface{ isStmt() }

// Label names a Block or a Loop for Break and Continue.
type Label struct{ ID int }

// Assign sets a register.
type Assign struct {
	Dst *Reg
	X   Expr
}

// Strength is how an access takes part in synchronization. The zero value is a plain access.
type Strength struct {
	Volatile bool
	Order    Order
	Scope    race.Scope
}

// Part says which part of a vector a scalar is: At bytes behind an address that is a multiple of Of. An access elsewhere is an
// error (CUDA C++ Programming Guide, "Device Memory Accesses"), so two vectors of one size are the same or have nothing in
// common. It is zero for what is no part of one.
type Part struct{ At, Of int64 }

// Meets reports whether two scalars of some sizes may have a byte in common.
func (p Part) Meets(q Part, size, other int64) bool {
	of := min(p.Of, q.Of)
	if of == 0 {
		return true
	}
	a, b := p.At%of, q.At%of
	return a < b+other && b < a+size || max(a+size, b+other) > of
}

// Load reads one scalar. A vector load is several Loads with one Site.
type Load struct {
	Dst *Reg
	T   Type
	Ptr Expr
	Part
	Strength
	// Link is set where a member of a struct is read that leads to more of its kind, as those of lists and trees do.
	Link bool
	Site int
}

// Store writes one scalar.
type Store struct {
	T   Type
	Ptr Expr
	X   Expr
	Part
	Strength
	Site int
}

// AtomicOp is what an atomic operation does with the old value and its operand.
type AtomicOp uint8

const (
	AtomicAdd AtomicOp = iota
	AtomicSub
	AtomicExch
	AtomicMin
	AtomicMax
	AtomicInc // CUDA's: old >= x ? 0 : old+1
	AtomicDec // CUDA's: old == 0 || old > x ? x : old-1
	AtomicCAS
	AtomicAnd
	AtomicOr
	AtomicXor
)

var atomicNames = [...]string{"add", "sub", "exch", "min", "max", "inc", "dec", "cas", "and", "or", "xor"}

func (o AtomicOp) String() string { return atomicNames[o] }

// Atomic is a read-modify-write. CUDA's atomics without suffix are Relaxed at device scope.
type Atomic struct {
	Dst     *Reg // the old value; nil if unused
	Op      AtomicOp
	T       Type
	Ptr     Expr
	X       Expr // operand; the new value of CAS
	Compare Expr // CAS only
	Strength
	Site int
}

// Fence is __threadfence and its kin: SeqCst at a scope, or weaker for libcu++'s.
type Fence struct {
	Order Order
	Scope race.Scope
	Site  int
}

// Level is the group of threads that a barrier holds.
type Level uint8

const (
	WarpLevel Level = iota
	BlockLevel
	ClusterLevel
	GridLevel
)

func (l Level) String() string { return [...]string{"warp", "block", "cluster", "grid"}[l] }

// BarrierMode tells a full barrier from its halves.
type BarrierMode uint8

const (
	BarrierSync BarrierMode = iota
	BarrierArrive
	BarrierWait
)

func (m BarrierMode) String() string { return [...]string{"sync", "arrive", "wait"}[m] }

// Barrier makes threads of a group wait for each other and orders their accesses.
type Barrier struct {
	Level Level
	Mode  BarrierMode
	Mask  Expr // WarpLevel: the lanes that take part (U32); nil elsewhere
	ID    Expr // BlockLevel: the barrier's number; nil for 0
	Count Expr // BlockLevel: threads that take part; nil for all
	// Reduce is "", or "count", "and", "or" of Pred over the threads, given to Dst.
	Reduce string
	Pred   Expr
	Dst    *Reg
	Site   int
}

// WarpOp is an exchange between lanes that orders no memory: "shfl", "shfl_up", "shfl_down",
// "shfl_xor" (args: value, lane/delta/mask, width), "all", "any", "ballot", "match_any",
// "match_all" (arg: predicate or value), "reduce_add", "reduce_min", "reduce_max",
// "reduce_and", "reduce_or", "reduce_xor" (arg: value), "activemask".
type WarpOp struct {
	Op   string
	Dst  *Reg
	Mask Expr // nil for activemask
	Args []Expr
	Site int
}

// Named is an operation that has a meaning for ordering but none of its own here. By Op and
// Args (addresses are Ptr, sizes bytes):
//
//	cp.async           destination, source, size[, size to read or mbarrier]: the thread's copy
//	cp.async.commit    close the group of copies
//	cp.async.wait      how many groups may be pending; without it, all copies are waited for
//	group.copy         destination, source, size, Level, threads of a tile (else 0)[, mbarrier, or a
//	                   number if a commit closes its group]: the threads of a group share it
//	group.wait         how many copies may be pending, Level; the group's Barrier follows
//	mbarrier.init      barrier, count
//	mbarrier.arrive    barrier[, count]; Dst is the token (U64)
//	mbarrier.arrive_drop
//	mbarrier.expect    barrier, bytes that bulk copies have to bring before the phase ends
//	mbarrier.wait      barrier[, token or parity]
//	mbarrier.test      likewise, without waiting; Dst (Bool) says whether the phase is over
//	bulk.copy          destination, source, size[, mbarrier]: the thread's copy, which ends with the phase of
//	                   the barrier or with its group
//	bulk.commit        close the group of bulk copies
//	bulk.wait, bulk.wait.read  how many of these groups may be pending; until their sources have been read
//	proxy.fence        between plain accesses and those of bulk copies, on the way from one to the other
//	pipeline.acquire, pipeline.commit, pipeline.wait [pending], pipeline.release
//	surface.read       surface, coordinates (the first in bytes), size; Dst stands for the element
//	surface.write      surface, coordinates, size
//	matrix.load        pointer, leading dimension in elements, rows, columns, element's size: by
//	                   the whole warp; Dst stands for the lane's part
//	matrix.store       likewise, then the lane's part
//	matrix.mma         the lane's parts of A, B and C; Dst the lane's part of the result
//	heap.new           bytes; Dst is the address of new memory
//	heap.delete        pointer
//	grid.launch        grid and block, three numbers each[, shared bytes]: a kernel launches another
//	special            Dst is another value for each thread and at each time: a clock, the SM's number
type Named struct {
	Op   string
	Dst  *Reg
	Args []Expr
	Site int
}

// Copies reports whether a statement is an asynchronous copy.
func Copies(s Stmt) bool {
	n, ok := s.(*Named)
	return ok && (n.Op == "cp.async" || n.Op == "bulk.copy" || n.Op == "group.copy")
}

// If runs one of two lists.
type If struct {
	Cond       Expr
	Then, Else []Stmt
	Site       int
}

// Loop repeats: Head; leave unless Cond; Body; (Continue comes here) Post. Head holds the
// statements that the condition needs, such as loads. A `do` loop has a true Cond and leaves
// from Post.
type Loop struct {
	Label *Label
	Head  []Stmt
	Cond  Expr
	Body  []Stmt
	Post  []Stmt
	Site  int
}

// Block is a list that Break can leave: a switch, or an inlined function.
type Block struct {
	Label *Label
	Body  []Stmt
}

// Break leaves the Block or Loop of the label; Continue goes on with the Loop's Post.
type Break struct{ Target *Label }
type Continue struct{ Target *Label }

// Return ends the thread. Trap ends the launch.
type Return struct{}
type Trap struct{}

// Assume says that the condition holds from here on: after assert, __builtin_assume.
type Assume struct{ Cond Expr }

// Unknown stands for code that was not understood. It may have changed the registers in Dst
// and, if Memory is set, any memory.
type Unknown struct {
	Reason string // one phrase without the place: "virtual call", "inline PTX `foo`"
	Dst    []*Reg
	Memory bool
	Site   int
}

var synchronizing = regexp.MustCompile(`(?i)^syntax error|sync|bar\b|barrier|fence|membar|wait|arrive|acquire|release|lock\b|griddepcontrol|cp\.async|red\.|atom\.`)

// MaySynchronize reports whether the code is named as what makes threads wait for each other, or is only
// half typed.
func (s *Unknown) MaySynchronize() bool {
	return s.Memory && synchronizing.MatchString(s.Reason)
}

// Launch is a kernel launch in a host function.
type Launch struct {
	Kernel      *Func
	Grid, Block [3]Expr
	Cluster     [3]Expr // by an attribute of the launch; nil if not given
	SharedBytes Expr    // nil if not given
	Cooperative bool
	Again       bool   // it may be made again and again, though in no loop: as part of a graph, or by a function that is not known
	Anyhow      bool   // nobody knows with what, nor whether it is made: code that is not understood has the kernel's address
	Args        []Expr // one for each Param of the kernel
	Site        int
}

// Alloc gives a register the address of new device memory.
type Alloc struct {
	Dst   *Reg
	Bytes Expr
	Name  string // the host variable that receives it
	Site  int
}

// HostCopy is cudaMemcpy, cudaMemset or a symbol copy, for what it says about sizes.
type HostCopy struct {
	Dst, Src, Bytes Expr // Src nil for a set
	Value           Expr // what a set makes each byte, nil if nobody knows, and for copies
	Again           bool // as of a Launch
	Site            int
}

func (*Assign) isStmt()   {}
func (*Load) isStmt()     {}
func (*Store) isStmt()    {}
func (*Atomic) isStmt()   {}
func (*Fence) isStmt()    {}
func (*Barrier) isStmt()  {}
func (*WarpOp) isStmt()   {}
func (*Named) isStmt()    {}
func (*If) isStmt()       {}
func (*Loop) isStmt()     {}
func (*Block) isStmt()    {}
func (*Break) isStmt()    {}
func (*Continue) isStmt() {}
func (*Return) isStmt()   {}
func (*Trap) isStmt()     {}
func (*Assume) isStmt()   {}
func (*Unknown) isStmt()  {}
func (*Launch) isStmt()   {}
func (*Alloc) isStmt()    {}
func (*HostCopy) isStmt() {}
