package ir

// This file defines the sanity checker: what every stage may count on in a function.

import (
	"fmt"
	"slices"
	"strings"
)

// MaxObjectSize is the largest size of an object in bytes.
const MaxObjectSize = 1 << 38

// Check returns the first violation of the invariants below, or nil.
//
//   - Reg.ID, Param.Index and Object.ID are the indexes in the function's lists, and every
//     register, parameter and object that is used belongs to the function.
//   - Operands agree in type with each other and with what they go to: both sides of Assign,
//     addresses Ptr, offsets I64, conditions and Pred Bool, Mask U32, ID and Count integers.
//   - Neg, arithmetic, Min and Max take numbers; BitNot, bit operators, Rem and shifts
//     integers; LogNot, LogAnd and LogOr Bool; comparisons anything but Void.
//   - Constants are cut to their width.
//   - A label belongs to one Block or Loop; a Break is inside it, a Continue inside the Body
//     of its Loop or in its Head.
//   - Sites are indexes of Func.Sites.
//   - A Launch has one argument of the right type for each of the kernel's parameters.
func Check(f *Func) (err error) {
	c := &checker{f: f, seen: map[*Label]bool{}}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case violation:
			err = fmt.Errorf("%s: %s", f.Name, e.message)
			if c.current != nil {
				err = fmt.Errorf("%w, in %q", err, c.describe())
			}
		default:
			panic(e)
		}
	}()
	c.declarations()
	c.stmts(f.Body)
	return nil
}

type violation struct{ message string }

type checker struct {
	f       *Func
	seen    map[*Label]bool
	open    []*Label // the blocks and loops around the statement
	loops   []*Label // those of them that Continue may name
	current Stmt
}

func (c *checker) describe() string {
	switch s := c.current.(type) {
	case *If:
		return "if"
	case *Loop:
		return "loop"
	case *Block:
		return "block"
	case *Launch:
		return "launch"
	default:
		p := newPrinter(c.f, false)
		p.simple(s)
		return string(p.out.Bytes()[:min(p.out.Len(), 200)])
	}
}

func (c *checker) require(ok bool, format string, args ...any) {
	if !ok {
		panic(violation{fmt.Sprintf(format, args...)})
	}
}

func (c *checker) declarations() {
	f := c.f
	c.require(f.MaxThreads >= 0, "negative launch bounds")
	for i, r := range f.Regs {
		c.require(r != nil && r.ID == i, "register %d has another ID", i)
		c.require(r.Type != Void && r.Type <= Ptr, "register %q has no type", r.Name)
	}
	for i, a := range f.Params {
		c.require(a != nil && a.Index == i, "parameter %d has another index", i)
		c.require(a.Type != Void && a.Type <= Ptr, "parameter %q has no type", a.Name)
		c.require(a.ElemSize >= 0, "parameter %q has a negative element size", a.Name)
	}
	for i, o := range f.Objects {
		c.require(o != nil && o.ID == i, "object %d has another ID", i)
		c.require(o.Size >= 0 && o.Size <= MaxObjectSize, "object %q has size %d", o.Name, o.Size)
		c.require(o.Align >= 0 && o.Align&(o.Align-1) == 0, "object %q has alignment %d", o.Name, o.Align)
		c.require(int64(len(o.Init)) <= o.Size, "object %q is smaller than its initial contents", o.Name)
		c.require(o.Space <= Constant, "object %q lies in no space", o.Name)
	}
}

func (c *checker) stmts(list []Stmt) {
	for _, s := range list {
		c.current = s
		c.require(s != nil, "nil statement")
		for _, r := range Defs(s) {
			c.ownReg(r)
		}
		for _, e := range Operands(s) {
			c.expr(e)
		}
		if site, ok := SiteOf(s); ok {
			c.require(site >= 0 && site < len(c.f.Sites), "site %d of %d", site, len(c.f.Sites))
		}
		c.stmt(s)
	}
}

func (c *checker) ownReg(r *Reg) {
	c.require(r != nil, "nil register")
	c.require(r.ID >= 0 && r.ID < len(c.f.Regs) && c.f.Regs[r.ID] == r, "register %q of another function", r.Name)
}

// want requires an operand of one type.
func (c *checker) want(e Expr, t Type, what string) {
	c.require(e != nil, "no %s", what)
	c.require(e.Type() == t, "%s is %s, want %s", what, e.Type(), t)
}

func (c *checker) wantReg(r *Reg, t Type) {
	c.require(r.Type == t, "%s goes to a register of type %s", t, r.Type)
}

// wantInteger requires an integer operand if there is one.
func (c *checker) wantInteger(e Expr, what string) {
	c.require(e == nil || e.Type().IsInt(), "%s is no integer", what)
}

func (c *checker) strength(s Strength) {
	c.require(s.Order <= SeqCst && int(s.Scope) < len(scopeWords), "bad order or scope")
}

func (c *checker) part(p Part) {
	c.require(p.Of == 0 && p.At == 0 || p.Of > 0 && p.Of&(p.Of-1) == 0 && p.At >= 0, "bad part of a vector")
}

func (c *checker) stmt(s Stmt) {
	switch s := s.(type) {
	case *Assign:
		c.require(s.Dst != nil, "no destination")
		c.want(s.X, s.Dst.Type, "value")
	case *Load:
		c.require(s.Dst != nil, "no destination")
		c.require(s.T != Void, "access of no type")
		c.want(s.Ptr, Ptr, "address")
		c.wantReg(s.Dst, s.T)
		c.strength(s.Strength)
		c.part(s.Part)
	case *Store:
		c.require(s.T != Void, "access of no type")
		c.want(s.Ptr, Ptr, "address")
		c.want(s.X, s.T, "value")
		c.strength(s.Strength)
		c.part(s.Part)
	case *Atomic:
		c.atomic(s)
	case *Fence:
		c.strength(Strength{Order: s.Order, Scope: s.Scope})
	case *Barrier:
		c.barrier(s)
	case *WarpOp:
		c.warpOp(s)
	case *Named:
		c.require(s.Op != "", "operation without a name")
	case *Unknown, *Return, *Trap:
	case *Assume:
		c.want(s.Cond, Bool, "condition")
	case *Launch:
		c.launch(s)
	case *Alloc:
		c.require(s.Dst != nil, "no destination")
		c.wantReg(s.Dst, Ptr)
		c.wantInteger(s.Bytes, "size")
	case *HostCopy:
		c.want(s.Dst, Ptr, "address")
		c.require(s.Src == nil || s.Src.Type() == Ptr, "source is no pointer")
		c.wantInteger(s.Bytes, "size")
		if s.Value != nil {
			c.wantInteger(s.Value, "value of a byte")
		}
	default:
		c.control(s)
	}
}

func (c *checker) control(s Stmt) {
	switch s := s.(type) {
	case *If:
		c.want(s.Cond, Bool, "condition")
		c.stmts(s.Then)
		c.stmts(s.Else)
	case *Loop:
		c.want(s.Cond, Bool, "condition")
		c.enter(s.Label)
		c.loops = append(c.loops, s.Label)
		c.stmts(s.Head)
		c.stmts(s.Body)
		c.loops = c.loops[:len(c.loops)-1]
		c.stmts(s.Post)
		c.open = c.open[:len(c.open)-1]
	case *Block:
		c.enter(s.Label)
		c.stmts(s.Body)
		c.open = c.open[:len(c.open)-1]
	case *Break:
		c.require(slices.Contains(c.open, s.Target), "break to a label that is not around it")
	case *Continue:
		c.require(slices.Contains(c.loops, s.Target), "continue to a loop whose body is not around it")
	default:
		c.require(false, "statement of unknown kind %T", s)
	}
}

func (c *checker) enter(l *Label) {
	c.require(l != nil, "no label")
	c.require(!c.seen[l], "label of two statements")
	c.seen[l] = true
	c.open = append(c.open, l)
}

func (c *checker) atomic(s *Atomic) {
	c.require(s.Op <= AtomicXor, "bad atomic operation")
	c.require(s.T != Void && s.T != Bool, "atomic of %s", s.T)
	c.want(s.Ptr, Ptr, "address")
	c.want(s.X, s.T, "operand")
	if s.Op == AtomicCAS {
		c.want(s.Compare, s.T, "comparand")
	} else {
		c.require(s.Compare == nil, "comparand of an atomic that is no CAS")
	}
	if s.Dst != nil {
		c.wantReg(s.Dst, s.T)
	}
	switch s.Op {
	case AtomicInc, AtomicDec, AtomicAnd, AtomicOr, AtomicXor:
		c.require(s.T.IsInt(), "atomic %s of %s", s.Op, s.T)
	}
	c.strength(s.Strength)
}

func (c *checker) barrier(s *Barrier) {
	c.require(s.Level <= GridLevel && s.Mode <= BarrierWait, "bad level or mode")
	if s.Level == WarpLevel {
		c.want(s.Mask, U32, "mask")
	} else {
		c.require(s.Mask == nil, "mask of a barrier that is not a warp's")
	}
	c.require(s.Level == BlockLevel || s.ID == nil && s.Count == nil, "number or count of a barrier that is not a block's")
	c.wantInteger(s.ID, "barrier number")
	c.wantInteger(s.Count, "barrier count")
	c.require(slices.Contains([]string{"", "count", "and", "or"}, s.Reduce), "reduction %q", s.Reduce)
	if s.Reduce != "" {
		c.want(s.Pred, Bool, "predicate")
	} else {
		c.require(s.Pred == nil, "predicate without a reduction")
	}
	if s.Dst != nil && s.Reduce != "" {
		c.require(s.Dst.Type.IsInt(), "reduction goes to %s", s.Dst.Type)
	}
}

// warpOpArgs holds the number of arguments of each operation.
var warpOpArgs = map[string]int{
	"shfl": 3, "shfl_up": 3, "shfl_down": 3, "shfl_xor": 3, "all": 1, "any": 1, "ballot": 1,
	"match_any": 1, "match_all": 1, "activemask": 0, "reduce_add": 1, "reduce_min": 1, "reduce_max": 1,
	"reduce_and": 1, "reduce_or": 1, "reduce_xor": 1,
}

func (c *checker) warpOp(s *WarpOp) {
	n, ok := warpOpArgs[s.Op]
	c.require(ok, "unknown warp operation %q", s.Op)
	c.require(len(s.Args) == n, "%s has %d arguments, want %d", s.Op, len(s.Args), n)
	if s.Op == "activemask" {
		c.require(s.Mask == nil, "mask of activemask")
	} else {
		c.want(s.Mask, U32, "mask")
	}
	if n == 3 {
		c.wantInteger(s.Args[1], "lane")
		c.wantInteger(s.Args[2], "width")
	}
	switch {
	case s.Dst == nil:
	case n == 3 || strings.HasPrefix(s.Op, "reduce_"):
		c.wantReg(s.Dst, s.Args[0].Type())
	default:
		c.require(s.Dst.Type.IsInt(), "%s goes to %s", s.Op, s.Dst.Type)
	}
}

func (c *checker) launch(s *Launch) {
	c.require(s.Kernel != nil, "no kernel")
	for i := range 3 {
		c.require(s.Grid[i] != nil && s.Block[i] != nil, "dimension missing")
		c.wantInteger(s.Grid[i], "grid dimension")
		c.wantInteger(s.Block[i], "block dimension")
		c.wantInteger(s.Cluster[i], "cluster dimension")
	}
	c.wantInteger(s.SharedBytes, "shared size")
	c.require(len(s.Args) == len(s.Kernel.Params), "%d arguments for %d parameters", len(s.Args), len(s.Kernel.Params))
	for i, a := range s.Args {
		c.want(a, s.Kernel.Params[i].Type, fmt.Sprintf("argument %d", i+1))
	}
}

func (c *checker) expr(e Expr) {
	switch e := e.(type) {
	case *Const:
		c.require(e.T != Void, "constant of no type")
		c.require(fits(e.Bits, e.T), "constant 0x%x is wider than %s", e.Bits, e.T)
	case *RegRef:
		c.ownReg(e.R)
	case *ParamRef:
		ok := e.P != nil && e.P.Index >= 0 && e.P.Index < len(c.f.Params) && c.f.Params[e.P.Index] == e.P
		c.require(ok, "parameter of another function")
	case *Builtin:
		c.require(e.Var <= DynamicSharedSize && e.Axis >= 0 && e.Axis < 3, "bad built-in variable")
		c.require(e.Axis == 0 || e.Var.HasAxis(), "%s has no axis", e.Var)
	case *ObjAddr:
		ok := e.Obj != nil && e.Obj.ID >= 0 && e.Obj.ID < len(c.f.Objects) && c.f.Objects[e.Obj.ID] == e.Obj
		c.require(ok, "object of another function")
	case *PtrAdd:
		c.operands(e.Base, e.Offset)
		c.want(e.Base, Ptr, "base")
		c.want(e.Offset, I64, "offset")
	case *Unary:
		c.operands(e.X)
		c.unary(e)
	case *Binary:
		c.operands(e.X, e.Y)
		c.binary(e)
	case *Convert:
		c.operands(e.X)
		from := e.X.Type()
		c.require(e.T != Void && from != Void, "conversion from or to void")
		c.require(!(e.T == Ptr && from.IsFloat() || from == Ptr && e.T.IsFloat()), "conversion from %s to %s", from, e.T)
	case *Select:
		c.operands(e.Cond, e.X, e.Y)
		c.want(e.Cond, Bool, "condition")
		c.want(e.Y, e.X.Type(), "second choice")
	case *Call:
		c.operands(e.Args...)
		c.require(e.Name != "" && e.T != Void, "call without name or type")
	default:
		c.require(false, "expression of unknown kind %T", e)
	}
}

func (c *checker) operands(list ...Expr) {
	for _, e := range list {
		c.require(e != nil, "nil operand")
		c.expr(e)
	}
}

func (c *checker) unary(e *Unary) {
	t := e.X.Type()
	switch e.Op {
	case Neg:
		c.require(isNumber(t), "neg of %s", t)
	case BitNot:
		c.require(t.IsInt(), "not of %s", t)
	case LogNot:
		c.require(t == Bool, "lnot of %s", t)
	default:
		c.require(false, "bad unary operator")
	}
}

func (c *checker) binary(e *Binary) {
	c.require(e.Op <= LogOr, "bad binary operator")
	x, y := e.X.Type(), e.Y.Type()
	if e.Op == Shl || e.Op == Shr {
		c.require(x.IsInt() && y.IsInt(), "%s of %s by %s", e.Op, x, y)
		c.require(e.T == x, "%s of %s gives %s", e.Op, x, e.T)
		return
	}
	c.require(x == y, "%s of %s and %s", e.Op, x, y)
	result := x
	switch {
	case e.Op.IsCompare():
		result = Bool
		c.require(x != Void, "comparison of void")
	case e.Op == LogAnd || e.Op == LogOr:
		c.require(x == Bool, "%s of %s", e.Op, x)
	case e.Op == Rem || e.Op == And || e.Op == Or || e.Op == Xor:
		c.require(x.IsInt(), "%s of %s", e.Op, x)
	default:
		c.require(isNumber(x), "%s of %s", e.Op, x)
	}
	c.require(e.T == result, "%s of %s gives %s", e.Op, x, e.T)
}

func isNumber(t Type) bool { return t.IsInt() || t.IsFloat() }
