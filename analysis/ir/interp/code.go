package interp

// This file defines the code that a function is flattened into.

import (
	"github.com/warplint/warplint/analysis/ir"
)

type opcode uint16

const (
	opMove opcode = iota
	opAdd
	opAddS32
	opAddU32
	opSub
	opSubS32
	opSubU32
	opMul
	opMulS32
	opMulU32
	opAddIndex // of signed 32-bit parts of addresses, see overflow.go
	opSubIndex
	opMulIndex
	opDivS // registers hold widened values, so one division serves all widths
	opDivU
	opRemS
	opRemU
	opAnd
	opOr
	opXor
	opNot
	opShl
	opShrS
	opShrU
	opMinS
	opMinU
	opMaxS
	opMaxU
	opEq
	opNe
	opLtS
	opLtU
	opLeS
	opLeU
	opAddF32
	opSubF32
	opMulF32
	opDivF32
	opEqF32
	opNeF32
	opLtF32
	opLeF32
	opAddF64
	opSubF64
	opMulF64
	opDivF64
	opEqF64
	opNeF64
	opLtF64
	opLeF64
	opFloat // other float operations: c is the ir.Op, t the type
	opNormalize
	opConvert // from type c to type t
	opSelect  // c ? a : b
	opAddress // a + b*c, where c is a constant
	opCall    // calls[c]
	opMapa    // the address a in the shared memory of the block of rank b in the cluster
	opLoadS32
	opLoadU32
	opLoad64
	opLoad
	opStore32
	opStore64
	opStore
	opAtomic
	opJump // to c
	opJumpIf
	opJumpUnless
	opJumpEq
	opJumpNe
	opJumpLtS
	opJumpLtU
	opJumpGeS
	opJumpGeU
	opFence
	opBarrier
	opWarp
	opNamed
	opUnknown
	opAssume
	opTrap
	opReturn
)

// instr is one instruction. a and b are operand slots and dst is the result's; c is what the
// opcode says, and for operations on memory the index of an entry of Program.accesses or of
// Program.stmts.
type instr struct {
	op        opcode
	t         ir.Type
	dst, a, b int32
	c         int32
}

// Program is a function made ready to run. It is immutable and may be used by many goroutines.
type Program struct {
	Func *ir.Func

	code     []instr
	at       []ir.Stmt // the statement of each instruction, nil for an inserted one
	stmts    []operation
	accesses []Instruction // of each Load, Store and Atomic
	calls    []call
	slots    int
	initial  []uint64 // what all threads' slots begin with: constants, zeros
	inputs   []input  // slots that differ between threads or launches
	own      []input  // those that differ between the threads of a block
	locals   int      // how many objects a thread has
	gridSync bool     // has a barrier of the grid: all blocks must be resident
	// looksAround is set if threads ask which lanes are active: that hangs on how many steps the others have taken.
	looksAround bool
	read        []bool // by register
}

// operation is a statement that is carried out of line, with the slots of its operands in the
// order of its fields; -1 for one that is absent.
type operation struct {
	stmt     ir.Stmt
	site     int
	operands []int32
}

type call struct {
	clock bool
	what  string   // to be told if it is unknown
	hash  uint64   // of the name
	fn    pureFunc // nil if unknown
	t     ir.Type
	args  []int32
}

// input is a slot that is set when a thread starts.
type input struct {
	slot    int32
	param   *ir.Param
	builtin *ir.Builtin
	object  *ir.Object
	local   int // which of the thread's objects it is
}

// isOwn reports whether an input differs between the threads of a block.
func (in *input) isOwn() bool {
	if b := in.builtin; b != nil {
		return b.Var == ir.ThreadIdx || b.Var == ir.LaneID || b.Var == ir.WarpID
	}
	return in.object != nil && in.object.Space == ir.Local
}

// Compile flattens a function that ir.Check accepts.
func Compile(f *ir.Func) *Program {
	c := &compiler{
		p:      &Program{Func: f},
		consts: map[uint64]int32{}, inputs: map[inputKey]int32{},
		breaks: map[*ir.Label][]int{}, continues: map[*ir.Label][]int{},
		indexed: indexed(f),
	}
	c.p.initial = make([]uint64, len(f.Regs))
	c.p.read = make([]bool, len(f.Regs))
	ir.WalkStmts(f.Body, func(s ir.Stmt) bool {
		for _, e := range ir.Operands(s) {
			for _, r := range ir.Registers(e) {
				c.p.read[r.ID] = true
			}
		}
		return true
	})
	c.stmts(f.Body)
	c.current = nil
	c.emit(instr{op: opReturn})
	c.p.slots = len(c.p.initial)
	return c.p
}

// compiler assigns slots: registers first, then constants, inputs and temporaries as they
// come. Temporaries are used anew by each statement.
type compiler struct {
	p         *Program
	consts    map[uint64]int32
	inputs    map[inputKey]int32
	free      []int32 // temporaries of former statements
	used      []int32 // temporaries of this statement
	breaks    map[*ir.Label][]int
	continues map[*ir.Label][]int
	current   ir.Stmt
	indexed   map[*ir.Binary]bool
}

// inputKey names an input: a parameter, a built-in variable's axis, or an object.
type inputKey struct {
	of          inputKind
	index, axis int
}

type inputKind uint8

const (
	ofParam inputKind = iota
	ofBuiltin
	ofObject
)

func (c *compiler) newSlot(v uint64) int32 {
	c.p.initial = append(c.p.initial, v)
	return int32(len(c.p.initial) - 1)
}

func (c *compiler) temp() int32 {
	var s int32
	if n := len(c.free); n > 0 {
		s, c.free = c.free[n-1], c.free[:n-1]
	} else {
		s = c.newSlot(0)
	}
	c.used = append(c.used, s)
	return s
}

func (c *compiler) releaseTemps() {
	c.free = append(c.free, c.used...)
	c.used = c.used[:0]
}

func (c *compiler) constant(v uint64) int32 {
	s, ok := c.consts[v]
	if !ok {
		s = c.newSlot(v)
		c.consts[v] = s
	}
	return s
}

func (c *compiler) input(key inputKey, in input) int32 {
	s, ok := c.inputs[key]
	if !ok {
		s = c.newSlot(0)
		c.inputs[key] = s
		in.slot = s
		if in.object != nil && in.object.Space == ir.Local {
			in.local = c.p.locals
			c.p.locals++
		}
		c.p.inputs = append(c.p.inputs, in)
		if in.isOwn() {
			c.p.own = append(c.p.own, in)
		}
	}
	return s
}

func (c *compiler) emit(in instr) int {
	c.p.code = append(c.p.code, in)
	c.p.at = append(c.p.at, c.current)
	return len(c.p.code) - 1
}

// patch makes jumps go to the next instruction.
func (c *compiler) patch(jumps ...int) {
	for _, j := range jumps {
		c.p.code[j].c = int32(len(c.p.code))
	}
}

func (c *compiler) stmts(list []ir.Stmt) {
	for _, s := range list {
		c.current = s
		c.stmt(s)
		c.releaseTemps()
	}
}

func (c *compiler) stmt(s ir.Stmt) {
	switch s := s.(type) {
	case *ir.Assign:
		c.into(s.X, int32(s.Dst.ID))
	case *ir.Load:
		a := c.access(Instruction{Stmt: s, Site: s.Site, Kind: "read", Size: int(s.T.Size()), Strength: s.Strength})
		c.emit(instr{op: loadOp(s.T), t: s.T, dst: int32(s.Dst.ID), a: c.expr(s.Ptr), c: a})
	case *ir.Store:
		a := c.access(Instruction{Stmt: s, Site: s.Site, Kind: "write", Size: int(s.T.Size()), Strength: s.Strength})
		op := opStore
		switch {
		case s.T.Size() == 4:
			op = opStore32
		case s.T.Size() == 8 && s.T != ir.Ptr: // see tables.go
			op = opStore64
		}
		c.emit(instr{op: op, t: s.T, a: c.expr(s.Ptr), b: c.expr(s.X), c: a})
	case *ir.Atomic:
		c.atomic(s)
	case *ir.If:
		c.ifStmt(s)
	case *ir.Loop:
		c.loop(s)
	case *ir.Block:
		c.stmts(s.Body)
		c.patch(c.breaks[s.Label]...)
	case *ir.Break:
		c.breaks[s.Target] = append(c.breaks[s.Target], c.emit(instr{op: opJump}))
	case *ir.Continue:
		c.continues[s.Target] = append(c.continues[s.Target], c.emit(instr{op: opJump}))
	case *ir.Assume:
		c.emit(instr{op: opAssume, a: c.expr(s.Cond)})
	case *ir.Return:
		c.emit(instr{op: opReturn})
	case *ir.Trap:
		c.emit(instr{op: opTrap})
	case *ir.Fence:
		c.operation(opFence, s)
	case *ir.Barrier:
		c.p.gridSync = c.p.gridSync || s.Level == ir.GridLevel
		c.operation(opBarrier, s, s.Mask, s.ID, s.Count, s.Pred)
	case *ir.WarpOp:
		c.p.looksAround = c.p.looksAround || s.Op == "activemask"
		c.operation(opWarp, s, append([]ir.Expr{s.Mask}, s.Args...)...)
	case *ir.Named:
		c.operation(opNamed, s, s.Args...)
	default:
		c.operation(opUnknown, s)
	}
}

func loadOp(t ir.Type) opcode {
	switch t {
	case ir.I32:
		return opLoadS32
	case ir.U32, ir.F32:
		return opLoadU32
	case ir.I64, ir.U64, ir.F64:
		return opLoad64
	}
	return opLoad // also of pointers, see tables.go
}

func (c *compiler) access(a Instruction) int32 {
	c.p.accesses = append(c.p.accesses, a)
	return int32(len(c.p.accesses) - 1)
}

// atomic keeps the compare operand in dst's place: the result's register is in the statement.
func (c *compiler) atomic(s *ir.Atomic) {
	a := c.access(Instruction{Stmt: s, Site: s.Site, Kind: "atomic", Size: int(s.T.Size()), Strength: s.Strength})
	compare := int32(-1)
	if s.Compare != nil {
		compare = c.expr(s.Compare)
	}
	c.emit(instr{op: opAtomic, t: s.T, dst: compare, a: c.expr(s.Ptr), b: c.expr(s.X), c: a})
}

func (c *compiler) operation(op opcode, s ir.Stmt, operands ...ir.Expr) {
	o := operation{stmt: s, site: -1}
	if site, ok := ir.SiteOf(s); ok {
		o.site = site
	}
	for _, e := range operands {
		slot := int32(-1)
		if e != nil {
			slot = c.expr(e)
		}
		o.operands = append(o.operands, slot)
	}
	c.p.stmts = append(c.p.stmts, o)
	c.emit(instr{op: op, c: int32(len(c.p.stmts) - 1)})
}

func (c *compiler) ifStmt(s *ir.If) {
	toElse := c.jumpUnless(s.Cond)
	c.releaseTemps()
	c.stmts(s.Then)
	if len(s.Else) == 0 {
		c.patch(toElse)
		return
	}
	toEnd := c.emit(instr{op: opJump})
	c.patch(toElse)
	c.stmts(s.Else)
	c.patch(toEnd)
}

func (c *compiler) loop(s *ir.Loop) {
	start := int32(len(c.p.code))
	c.stmts(s.Head)
	c.current = s
	out := -1
	if k, ok := s.Cond.(*ir.Const); !ok || k.Bits == 0 {
		out = c.jumpUnless(s.Cond)
	}
	c.releaseTemps()
	c.stmts(s.Body)
	c.patch(c.continues[s.Label]...)
	c.stmts(s.Post)
	c.current = s
	c.emit(instr{op: opJump, c: start})
	if out >= 0 {
		c.patch(out)
	}
	c.patch(c.breaks[s.Label]...)
}

// jumpUnless evaluates a condition and emits a jump that is taken where it is false.
func (c *compiler) jumpUnless(cond ir.Expr) int {
	if u, ok := cond.(*ir.Unary); ok && u.Op == ir.LogNot {
		return c.emit(instr{op: opJumpIf, a: c.expr(u.X)})
	}
	if b, ok := cond.(*ir.Binary); ok && b.Op.IsCompare() && !b.X.Type().IsFloat() {
		x, y := c.expr(b.X), c.expr(b.Y)
		signed := b.X.Type().IsSigned()
		switch b.Op {
		case ir.Eq:
			return c.emit(instr{op: opJumpNe, a: x, b: y})
		case ir.Ne:
			return c.emit(instr{op: opJumpEq, a: x, b: y})
		case ir.Lt:
			return c.emit(instr{op: either(signed, opJumpGeS, opJumpGeU), a: x, b: y})
		case ir.Ge:
			return c.emit(instr{op: either(signed, opJumpLtS, opJumpLtU), a: x, b: y})
		case ir.Gt:
			return c.emit(instr{op: either(signed, opJumpGeS, opJumpGeU), a: y, b: x})
		case ir.Le:
			return c.emit(instr{op: either(signed, opJumpLtS, opJumpLtU), a: y, b: x})
		}
	}
	return c.emit(instr{op: opJumpUnless, a: c.expr(cond)})
}

func either(first bool, x, y opcode) opcode {
	if first {
		return x
	}
	return y
}
