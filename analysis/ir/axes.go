package ir

// This file says along which axes the threads or the blocks of a kernel lie, by what it reads.
//
// DESIGN. The number of a thread among all of its block, x + y·nx + z·nx·ny, and how many there are, nx·ny·nz, have a
// meaning whatever the axes: cooperative groups compute with them in kernels of blocks in a row. So they tell nothing of
// an axis where the kernel names x besides. The same holds of blocks in the grid.

// axisUse is what a kernel reads of the coordinates and dimensions of its threads, or of its blocks.
type axisUse struct {
	at, size BuiltinVar
	named    [3]bool // by itself
	ranked   bool    // in the number of one among all, or in how many there are
}

// UsesAxis reports whether a kernel reads a coordinate or a dimension along an axis, of its blocks in the grid or of its
// threads in the block.
func UsesAxis(f *Func, ofBlocks bool, axis int) bool {
	u := axisUse{at: ThreadIdx, size: BlockDim}
	if ofBlocks {
		u.at, u.size = BlockIdx, GridDim
	}
	WalkStmts(f.Body, func(s Stmt) bool {
		for _, e := range Operands(s) {
			u.read(e)
		}
		return true
	})
	return u.named[axis] || u.ranked && (axis == 0 || !u.named[0])
}

func (u *axisUse) read(e Expr) {
	switch e := e.(type) {
	case *Builtin:
		u.named[e.Axis] = u.named[e.Axis] || e.Var == u.at || e.Var == u.size
	case *PtrAdd:
		u.read(e.Base)
		u.read(e.Offset)
	case *Unary:
		u.read(e.X)
	case *Binary:
		for _, part := range u.unranked(flatten(e, e.Op)) {
			u.read(part)
		}
	case *Convert:
		u.read(e.X)
	case *Select:
		u.read(e.Cond)
		u.read(e.X)
		u.read(e.Y)
	case *Call:
		for _, a := range e.Args {
			u.read(a)
		}
	}
}

// unranked are the parts of a sum or of a product without those of a number among all, or of how many there are.
func (u *axisUse) unranked(op Op, parts []Expr) []Expr {
	if op == Add {
		parts = distributed(parts)
	}
	var ranks [3]int // the place of x, of y·nx and of z·nx·ny in a sum, of each dimension in a product; from 1
	for i, part := range parts {
		for axis := range ranks {
			if op == Add && u.isDigit(part, axis) || op == Mul && u.is(part, u.size, axis) {
				ranks[axis] = i + 1
			}
		}
	}
	if op != Add && op != Mul || ranks[0]*ranks[1]*ranks[2] == 0 {
		return parts
	}
	u.ranked = true
	var out []Expr
	for i, part := range parts {
		if i+1 != ranks[0] && i+1 != ranks[1] && i+1 != ranks[2] {
			out = append(out, part)
		}
	}
	return out
}

// distributed are the parts of a sum without sums in products, as (z·ny + y)·nx has one.
func distributed(parts []Expr) (out []Expr) {
	for _, part := range parts {
		b, ok := Unconverted(part).(*Binary)
		if !ok || b.Op != Mul {
			out = append(out, part)
			continue
		}
		sum, by := b.X, b.Y
		_, terms := flatten(sum, Add)
		if len(terms) == 1 {
			sum, by = by, sum
			_, terms = flatten(sum, Add)
		}
		if len(terms) == 1 {
			out = append(out, part)
			continue
		}
		for _, term := range terms {
			out = append(out, distributed([]Expr{&Binary{Op: Mul, X: term, Y: by, T: b.T}})...)
		}
	}
	return out
}

// isDigit reports whether a part of a sum is a coordinate times the dimensions of the axes before.
func (u *axisUse) isDigit(e Expr, axis int) bool {
	_, factors := flatten(e, Mul)
	seen := [4]bool{}
	for _, f := range factors {
		switch {
		case u.is(f, u.at, axis):
			seen[3] = true
		case axis > 0 && u.is(f, u.size, 0):
			seen[0] = true
		case axis > 1 && u.is(f, u.size, 1):
			seen[1] = true
		case u.at == BlockIdx && isBlockDim(f): // of a thread's number in the grid
		default:
			return false
		}
	}
	return seen[3] && seen[0] == (axis > 0) && seen[1] == (axis > 1)
}

func (u *axisUse) is(e Expr, v BuiltinVar, axis int) bool {
	b, ok := Unconverted(e).(*Builtin)
	return ok && b.Var == v && b.Axis == axis
}

func isBlockDim(e Expr) bool {
	b, ok := Unconverted(e).(*Builtin)
	return ok && b.Var == BlockDim
}

// flatten lists the parts of a sum or a product, whose own operator is given back.
func flatten(e Expr, op Op) (Op, []Expr) {
	b, ok := Unconverted(e).(*Binary)
	if !ok || b.Op != op {
		return op, []Expr{e}
	}
	if op != Add && op != Mul {
		return op, []Expr{b.X, b.Y}
	}
	_, x := flatten(b.X, op)
	_, y := flatten(b.Y, op)
	return op, append(x, y...)
}

// Unconverted returns what an expression converts.
func Unconverted(e Expr) Expr {
	for {
		c, ok := e.(*Convert)
		if !ok {
			return e
		}
		e = c.X
	}
}
