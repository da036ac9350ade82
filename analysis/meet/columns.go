package meet

import (
	"slices"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/phase"
	"github.com/warplint/warplint/analysis/prove"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

// This file tells accesses to rows apart by columns that the caller names, or that memory holds.
//
// DESIGN. A step of an elimination gets the number of its column from the host: `a[i*n + j] -= a[i*n + k] * a[k*n + j]`.
// The kernel compares its own columns with n, but not k, which every caller lets run below n. So the verdict may
// rest on WithinRows for k as well; what threads would race with another k stays a finding, of severity information.
// A column may also be looked up, as the row of a pivot or how much of a sequence is there: `cache[(s*most + length[s])*n + i]`.
// Nobody keeps a number there that leads into the next row; but where the kernel asks whether it does, it may.
// So may a column be counted while a thread goes by what it reads, as the top of its own stack in `stack[i*depth + top]`.

// apartByColumns shows that threads keep apart if numbers of the launch, or of memory, that stand as columns are within their rows.
func (c *checker) apartByColumns(a, b *access.Access, kind race.Kind, m phase.Mode) bool {
	if c.spent >= kernelBudget {
		return false
	}
	ofA, ofB := c.columns(a), c.columns(b)
	if len(ofA)+len(ofB) == 0 {
		return false
	}
	key := c.key(a, b, kind, m)
	key.at = a.Off.Constant()
	length := c.warpsNumbered(a, b)
	var whole [2][]*term.Cond
	ask := func(how string) bool {
		return c.presuming(WithinRows, key.by(how), pairBudget, func() []*term.Cond {
			conds := c.question(a, b, kind, m)
			one, two := c.threads(a, b, kind, m)
			for _, within := range slices.Concat(ofA, whole[0]) {
				conds = append(conds, one.Cond(within))
			}
			for _, within := range slices.Concat(ofB, whole[1]) {
				conds = append(conds, two.Cond(within))
			}
			if length != nil { // a row for each warp
				conds = c.wholeWarps(length, conds)
			}
			return conds
		})
	}
	yes := ask("by columns")
	if !yes && (c.hasRows(a) || c.hasRows(b)) && !c.asksForColumn(a) && !c.asksForColumn(b) { // rows of rows
		c.solver.Rows = prove.FreeRows
		yes = ask("by columns in free rows")
		c.solver.Rows = prove.NoRows
		if whole = [2][]*term.Cond{c.wholeColumn(a), c.wholeColumn(b)}; !yes && len(whole[0])+len(whole[1]) > 0 {
			yes = ask("by whole columns")
		}
	}
	if yes && length != nil {
		c.out.Assumes[WholeWarps] = true
	}
	return yes
}

// columns says of each number of the launch, or of memory, that stands as a column in an address, and that has no known bounds,
// that it is within the row. Columns may be counted from another number than 0.
func (c *checker) columns(a *access.Access) []*term.Cond {
	var out []*term.Cond
	for _, column := range a.Off.Terms() {
		var known *term.Poly // the shortest of the rows that are made of rows
		var looked *term.Atom
		for _, row := range a.Off.Terms() {
			if k, length := c.columnOf(row, column); k != nil {
				out = append(out, c.within(a, k, length, a.Off.Constant(), column.Coef)...)
			}
			if k, length, each := c.tileOf(row, column); k != nil {
				out = append(out, c.t.Le(c.t.Const(0), c.t.Poly(k)), c.t.Le(c.t.Scale(each, c.t.Offset(c.t.Poly(k), 1)), length))
			}
			if k, length := c.columnOfKnown(row, column); k != nil && (known == nil || length.Constant() < known.Constant()) {
				looked, known = k, length
			}
		}
		if known != nil {
			out = append(out, c.within(a, looked, known, a.Off.Constant(), column.Coef)...)
		}
	}
	return append(append(out, c.rowsInRow(a)...), c.tilesOfBlocks(a)...)
}

// tilesOfBlocks says of the columns that each block has of all rows, as in `a[y*n + blockIdx.x*tile + x]` with `x < tile`, that those of
// the last block are within the row, if the numbers are the caller's. Columns may be rows of so many elements each, as channels are.
func (c *checker) tilesOfBlocks(a *access.Access) (out []*term.Cond) {
	t := c.t
	for _, tile := range a.Off.Terms() {
		i := slices.IndexFunc(tile.Mono.Atoms, func(x *term.Atom) bool {
			return slices.ContainsFunc(c.s.BlockIdx[:], func(p *term.Poly) bool { return p.IsAtom() == x })
		})
		if i < 0 || len(tile.Mono.Atoms) < 2 || tile.Coef%a.Size != 0 {
			continue
		}
		block, width := tile.Mono.Atoms[i], slices.Delete(slices.Clone(tile.Mono.Atoms), i, i+1)
		if slices.ContainsFunc(width, func(x *term.Atom) bool { return !c.ofLaunch(x) }) || !c.countsBelow(a, width, tile.Coef) {
			continue
		}
		for _, row := range a.Off.Terms() {
			length := slices.DeleteFunc(slices.Clone(row.Mono.Atoms), func(x *term.Atom) bool { return !c.ofLaunch(x) })
			if len(length) == 0 || len(length) != len(row.Mono.Atoms)-1 || row.Coef != tile.Coef || slices.Contains(row.Mono.Atoms, block) {
				continue
			}
			if divides(length, width) || divides(width, length) {
				continue // so many tiles, or parts of one
			}
			made := func(x *term.Atom) bool { return len(x.Args) > 0 }
			asked := func(when *term.Cond) (yes bool) {
				when.Walk(func(w *term.Cond) { yes = yes || w.P.MadeOf(block) })
				return yes
			}
			if slices.ContainsFunc(slices.Concat(width, length), made) && slices.ContainsFunc(a.When, asked) {
				continue // the kernel says itself how many blocks have a tile, and how long one is
			}
			for _, unit := range [...]*term.Poly{t.Const(1), t.Monomial(1, common(width, length))} {
				width, length := t.Exactly(t.Monomial(1, width), unit), t.Exactly(t.Monomial(1, length), unit)
				first := t.Mul(t.Poly(block), width)
				out = append(out, t.Le(t.Const(0), first), t.Le(t.Add(first, width), length))
			}
		}
	}
	return out
}

// divides reports whether all factors of a product are factors of another one.
func divides(part, whole []*term.Atom) bool { return len(common(part, whole)) == len(part) }

// common are the factors that two products share.
func common(p, q []*term.Atom) (out []*term.Atom) {
	left := slices.Clone(q)
	for _, x := range p {
		if i := slices.Index(left, x); i >= 0 {
			left = slices.Delete(left, i, i+1)
			out = append(out, x)
		}
	}
	return out
}

// countsBelow reports whether an address counts elements of a size below a number: as far as a condition says, or what a remainder leaves. Likewise
// rows of so many elements below a number of rows.
func (c *checker) countsBelow(a *access.Access, number []*term.Atom, size int64) bool {
	t := c.t
	return slices.ContainsFunc(term.Conjuncts(a.When), func(when *term.Cond) bool {
		return when.Op == term.LeZero && slices.ContainsFunc(when.P.Terms(), func(x term.Term) bool {
			if x.Coef >= 0 || len(x.Mono.Atoms) == 0 || !divides(x.Mono.Atoms, number) {
				return false
			}
			limit := t.Monomial(1, x.Mono.Atoms)
			counted := t.Offset(t.Sub(when.P, t.Scale(x.Coef, limit)), -1)
			_, known := counted.IsConst()
			return !known && -x.Coef*a.Off.Times(t.Mul(counted, t.Exactly(t.Monomial(1, number), limit))) == size
		})
	}) || slices.ContainsFunc(a.Off.Terms(), func(x term.Term) bool {
		return x.Coef == size && len(x.Mono.Atoms) == 1 && x.Mono.Atoms[0].Kind == term.Rem && x.Mono.Atoms[0].Args[1].Equal(t.Monomial(1, number))
	})
}

// rowsInRow says of rows that a loop goes through, in a row of each block or thread as in `a[blockIdx.x*n + i*width + x]`, that they are
// within it, unless the kernel compares what they are numbered by with its length.
func (c *checker) rowsInRow(a *access.Access) []*term.Cond {
	var length *term.Atom
	var widths []*term.Atom
	var alike []term.Term // for all threads
	column := c.t.Const(0)
	add := func(x term.Term) { column = c.t.Add(column, c.t.Monomial(x.Coef, x.Mono.Atoms)) }
	for _, x := range a.Off.Terms() {
		var of []*term.Atom
		coordinate, round := false, false
		for _, at := range x.Mono.Atoms {
			if c.ofLaunch(at) {
				of = append(of, at)
			}
			coordinate, round = coordinate || at.Variance > term.Grid, round || at.Loops != 0
		}
		switch {
		case !coordinate && !round:
			alike = append(alike, x)
		case !coordinate:
			widths = append(widths, of...)
			add(x)
		case len(of) == 0:
			add(x)
		case len(of) > 1 || round || x.Coef != a.Size || length != nil && length != of[0]:
			return nil
		default:
			length = of[0]
		}
	}
	for _, x := range alike { // as where the loop begins
		if slices.ContainsFunc(x.Mono.Atoms, func(at *term.Atom) bool { return slices.Contains(widths, at) }) {
			add(x)
		}
	}
	if length == nil || len(widths) == 0 || column.MadeOf(length) || c.saysHowLong(a, length, column) {
		return nil
	}
	return c.inRow(a, length, column)
}

// saysHowLong reports whether an access is made only if something that a column is made of compares with the length of its row.
func (c *checker) saysHowLong(a *access.Access, length *term.Atom, column *term.Poly) bool {
	return slices.ContainsFunc(a.When, func(when *term.Cond) (yes bool) {
		when.Walk(func(when *term.Cond) {
			if when.P != nil && when.P.MadeOf(length) {
				when.P.AllLeaves(func(x *term.Atom) { yes = yes || x != length && column.MadeOf(x) })
			}
		})
		return yes
	})
}

// within says that a column of a size, in an address with a constant part, is within a row, unless the kernel asks elsewhere
// whether it is.
func (c *checker) within(a *access.Access, k *term.Atom, length *term.Poly, constant, size int64) []*term.Cond {
	if c.asksAbout(a, k, length) {
		return nil
	}
	from := constant / size
	if constant%size < 0 {
		from--
	}
	if n, known := length.IsConst(); known { // whole rows are none of its business
		if from %= n; from > n/2 {
			from -= n
		} else if from < -n/2 {
			from += n
		}
	}
	column := c.t.Offset(c.t.Poly(k), from)
	is := c.t.Le(c.t.Const(0), column)
	if !c.saysHowFar(a, k, length) {
		is = term.Conj(is, c.t.Lt(column, length))
	}
	if l := c.carrier(k); l != nil && !c.isCount(k) {
		if first := l.Before[k].IsAtom(); first == nil || !c.isRead(first) {
			is = term.Disj(is, c.t.Eq(c.t.Poly(k), l.Before[k]))
		}
	}
	return []*term.Cond{is}
}

// saysHowFar reports whether an access is made only if its column, or what that is a scale of, is below some number, or below the length
// of its row or more: then there is nothing to assume.
func (c *checker) saysHowFar(a *access.Access, k *term.Atom, length *term.Poly) bool {
	from := c.foundAs(k)
	return slices.ContainsFunc(term.Conjuncts(a.When), func(when *term.Cond) bool {
		return when.Op == term.LeZero && slices.ContainsFunc(from, func(k *term.Atom) bool {
			each := when.P.Times(c.t.Poly(k))
			if each <= 0 {
				return false
			}
			_, number := c.t.Sub(when.P, c.t.Scale(each, c.t.Poly(k))).IsConst()
			of := length.IsAtom()
			return number && of == nil || of != nil && when.P.Mentions(of)
		})
	})
}

// foundAs lists a column and the numbers in memory that it is made of.
func (c *checker) foundAs(k *term.Atom) []*term.Atom {
	out := []*term.Atom{k}
	c.t.Poly(k).AllLeaves(func(x *term.Atom) {
		if x != k && c.isRead(x) {
			out = append(out, x)
		}
	})
	return out
}

// columnOf reads two terms of an address as `row * length` and `column`, both of which may be multiplied by numbers of the launch. It
// returns the column and the length, nil if they are none.
func (c *checker) columnOf(row, column term.Term) (k *term.Atom, length *term.Poly) {
	if len(row.Mono.Atoms) != len(column.Mono.Atoms)+1 || column.Coef != row.Coef {
		return nil, nil
	}
	rest := slices.Clone(row.Mono.Atoms)
	for _, x := range column.Mono.Atoms {
		switch i := slices.Index(rest, x); {
		case i >= 0 && c.ofLaunch(x):
			rest = slices.Delete(rest, i, i+1)
		case k == nil:
			k = x
		default:
			return nil, nil
		}
	}
	i := slices.IndexFunc(rest, c.ofLaunch)
	if len(rest) != 2 || i < 0 || c.ofLaunch(rest[1-i]) || k == nil || k == rest[i] {
		return nil, nil
	}
	if !(c.ofLaunch(k) && k.Kind == term.Symbol) && !c.isFound(k, c.t.Poly(rest[i])) && !c.isCount(k) {
		return nil, nil
	}
	return k, c.t.Poly(rest[i])
}

// tileOf does so where the launch names a tile of several columns, as in `a[y*n + tile*16 + x]`, and the kernel compares it with no
// length, as if the last one may not be whole. It returns how many columns a tile has.
func (c *checker) tileOf(row, column term.Term) (k *term.Atom, length *term.Poly, each int64) {
	if row.Coef <= 0 || column.Coef <= row.Coef || column.Coef%row.Coef != 0 {
		return nil, nil, 0
	}
	each, column.Coef = column.Coef/row.Coef, row.Coef
	k, length = c.columnOf(row, column)
	if k == nil || !c.ofLaunch(k) || slices.ContainsFunc(c.s.Accesses, func(a *access.Access) bool { return c.saysHowFar(a, k, length) }) {
		return nil, nil, 0
	}
	return k, length, each
}

// wholeColumn says of an address that is made of rows of one length that the rest of it is within one, if the kernel leaves that to its
// caller: its tiles are whole, and it compares no coordinate that a column is made of with any number.
func (c *checker) wholeColumn(a *access.Access) []*term.Cond {
	lengths, column := c.lengths(a), c.columnIn(a)
	if len(lengths) != 1 {
		return nil
	}
	return c.inRow(a, lengths[0], column)
}

// inRow says that a column is within a row of a length, if it differs between threads and the kernel compares no coordinate that it is made of with
// a number of the launch.
func (c *checker) inRow(a *access.Access, length *term.Atom, column *term.Poly) []*term.Cond {
	if column.Variance() <= term.Grid || slices.ContainsFunc(term.Conjuncts(a.When), func(when *term.Cond) bool {
		return when.Op == term.LeZero && when.Variance() > term.Grid && slices.ContainsFunc(when.P.Terms(), func(x term.Term) bool { return slices.ContainsFunc(x.Mono.Atoms, c.ofLaunch) }) && related(when.P, column)
	}) {
		return nil
	}
	end := c.t.Sub(c.t.Offset(column, a.Size), c.t.Scale(a.Size, c.t.Poly(length)))
	return []*term.Cond{c.t.Le(c.t.Const(0), column), c.t.Le(end, c.t.Const(0))}
}

// related reports whether a number that differs between threads is in both.
func related(p, q *term.Poly) (yes bool) {
	p.AllLeaves(func(x *term.Atom) { yes = yes || x.Variance > term.Grid && q.MadeOf(x) })
	return yes
}

// columnOfKnown does so where the length is a known number, and the column is looked up, as that of a class in
// `probability[row*1000 + label[row]]`.
func (c *checker) columnOfKnown(row, column term.Term) (k *term.Atom, length *term.Poly) {
	rows := max(row.Coef, -row.Coef)
	if len(row.Mono.Atoms) == 0 || len(column.Mono.Atoms) != 1 || column.Coef <= 0 || rows <= column.Coef || rows%column.Coef != 0 {
		return nil, nil
	}
	k = column.Mono.Atoms[0]
	length = c.t.Const(rows / column.Coef)
	if !c.isFound(k, length) && !c.countsInto(k, rows/column.Coef) || slices.ContainsFunc(row.Mono.Atoms, c.isRead) || !slices.ContainsFunc(row.Mono.Atoms, func(x *term.Atom) bool { return x.Variance > term.Grid || x.Loops != 0 }) {
		return nil, nil
	}
	return k, length
}

// isFound reports whether a number is what a thread finds in global memory, or what it makes of that: the word of a bit, the bin of a
// measure. One that it keeps below the length of the row, or within a known one, is not: that is how far the kernel itself lets it go.
func (c *checker) isFound(x *term.Atom, length *term.Poly) bool {
	if c.isRead(x) {
		return true
	}
	args := x.Args
	switch {
	case access.IsContents(x):
		return false
	case access.IsSignedQuotient(x):
		args = args[:1]
	case x.Kind == term.Rem || x.Kind == term.Min || x.Kind == term.Func && slices.Contains(limits, x.Name):
		if of := length.IsAtom(); of == nil || c.t.Poly(x).MadeOf(of) {
			return false
		}
	case x.Kind != term.Div && x.Kind != term.Max && x.Kind != term.Func:
		return false
	}
	found, other := false, false
	for _, p := range args {
		for _, t := range p.Terms() {
			for _, y := range t.Mono.Atoms {
				is := c.isFound(y, length)
				found, other = found || is, other || !is && !c.ofLaunch(y)
			}
		}
	}
	return found && !other
}

// limits are functions by which a number is kept below another.
var limits = []string{ir.Min.String(), ir.And.String(), ir.Rem.String(), "srem"}

// isRead reports whether a number is what a thread finds in global memory, and no number that its block has worked out. One
// that a loop carries on is if each round finds it there, as on the way back through a table of predecessors.
func (c *checker) isRead(x *term.Atom) bool {
	if l := c.carrier(x); l != nil {
		return c.holdsRead([]ir.Stmt{l.Stmt}, x.Ref.(*ir.Reg))
	}
	return slices.ContainsFunc(c.s.Accesses, func(a *access.Access) bool {
		return a.Kind == race.Read && a.Result == x && a.Base.Space == ir.Global
	})
}

// countsInto reports whether a number counts into a row of a known length. It does not if a loop is known to go round more often
// than the row is long: then it is the kernel that may count too far.
func (c *checker) countsInto(x *term.Atom, length int64) bool {
	step := c.countsBy(x)
	if step == 0 || step >= length {
		return false
	}
	rounds := c.carrier(x).Rounds
	if rounds == nil {
		return true
	}
	n, known := rounds.IsConst()
	return !known || n <= length
}

// isCount reports whether a loop carries on a number that begins as a known one, and that some rounds raise or lower by known ones.
func (c *checker) isCount(x *term.Atom) bool { return c.countsBy(x) > 0 }

// countsBy is the largest of these numbers, 0 if it is no such count.
func (c *checker) countsBy(x *term.Atom) int64 {
	l := c.carrier(x)
	if l == nil {
		return 0
	}
	if _, known := l.Before[x].IsConst(); !known {
		return 0
	}
	r, most, other := x.Ref.(*ir.Reg), int64(0), false
	body := []ir.Stmt{l.Stmt}
	ir.WalkStmts(body, func(st ir.Stmt) bool {
		if slices.Contains(ir.Defs(st), r) {
			step, ok := int64(0), false
			if set, assigns := st.(*ir.Assign); assigns {
				step, ok = stepOf(set.X, r, body)
			}
			most, other = max(most, step, -step), other || !ok
		}
		return !other
	})
	if other || c.asksHowMany(r) {
		return 0
	}
	return most
}

// asksHowMany reports whether the kernel compares a count with more than whether there is one at all: then it is the kernel that
// says how far one may count, rightly or not.
func (c *checker) asksHowMany(r *ir.Reg) bool {
	body, asks := c.s.Func.Body, false
	ir.WalkStmts(body, func(st ir.Stmt) bool {
		ir.WalkExprs(st, func(e ir.Expr) {
			is, ok := e.(*ir.Binary)
			if !ok || !is.Op.IsCompare() {
				return
			}
			for _, side := range [][2]ir.Expr{{is.X, is.Y}, {is.Y, is.X}} {
				if _, counts := stepOf(side[0], r, body); counts {
					n, known := side[1].(*ir.Const)
					asks = asks || !known || stepOfConst(n) < -1 || stepOfConst(n) > 1
				}
			}
		})
		return !asks
	})
	return asks
}

// stepOfConst is how far a sum with a constant is away: one with 0xffffffffu is one less.
func stepOfConst(c *ir.Const) int64 {
	unused := 64 - c.T.Bits()
	return int64(c.Bits<<unused) >> unused
}

// stepOf is what an expression adds to a register, or to a copy of it.
func stepOf(e ir.Expr, r *ir.Reg, body []ir.Stmt) (step int64, ok bool) {
	switch e := e.(type) {
	case *ir.RegRef:
		return 0, e.R == r || isCopy(e.R, r, body)
	case *ir.Convert:
		return stepOf(e.X, r, body)
	case *ir.Binary:
		by, known := e.Y.(*ir.Const)
		step, ok = stepOf(e.X, r, body)
		if !known || !ok {
			return 0, false
		}
		switch e.Op {
		case ir.Add:
			return step + stepOfConst(by), true
		case ir.Sub:
			return step - stepOfConst(by), true
		}
	}
	return 0, false
}

// isCopy reports whether statements put nothing but another register into one.
func isCopy(q, r *ir.Reg, body []ir.Stmt) bool {
	copied, other := false, false
	ir.WalkStmts(body, func(st ir.Stmt) bool {
		if slices.Contains(ir.Defs(st), q) {
			set, ok := st.(*ir.Assign)
			if ok {
				var from *ir.RegRef
				from, ok = set.X.(*ir.RegRef)
				ok = ok && from.R == r
			}
			copied, other = true, other || !ok
		}
		return !other
	})
	return copied && !other
}

// carrier is the loop that carries a number on, nil if none does.
func (c *checker) carrier(x *term.Atom) *access.Loop {
	if _, ok := x.Ref.(*ir.Reg); !ok || !x.Carried {
		return nil
	}
	for _, l := range c.s.Loops {
		if l.Before[x] != nil {
			return l
		}
	}
	return nil
}

// holdsRead reports whether all that statements put into a register is read from global memory. Registers that get
// their numbers from each other, as by an exchange, hold none that is.
func (c *checker) holdsRead(body []ir.Stmt, r *ir.Reg, via ...*ir.Reg) bool {
	read, other := false, false
	via = append(via, r)
	ir.WalkStmts(body, func(st ir.Stmt) bool {
		if !slices.Contains(ir.Defs(st), r) {
			return true
		}
		from := false
		switch st := st.(type) {
		case *ir.Load:
			from = slices.ContainsFunc(c.s.Accesses, func(a *access.Access) bool { return a.Stmt == ir.Stmt(st) && a.Base.Space == ir.Global })
		case *ir.Assign:
			x := st.X
			for converted, ok := x.(*ir.Convert); ok; converted, ok = x.(*ir.Convert) {
				x = converted.X
			}
			of, ok := x.(*ir.RegRef)
			from = ok && !slices.Contains(via, of.R) && c.holdsRead(body, of.R, via...)
		}
		read, other = read || from, other || !from
		return true
	})
	return read && !other
}

// asksAbout reports whether the kernel compares a column that it reads with the length of its row elsewhere, and not on the way to an access.
func (c *checker) asksAbout(a *access.Access, k *term.Atom, length *term.Poly) bool {
	if !c.isFound(k, length) && !c.isCount(k) {
		return false
	}
	number, of := length.Constant(), length.IsAtom()
	on := func(d *access.Access) bool {
		return slices.ContainsFunc(d.When, func(when *term.Cond) bool {
			found := false
			when.Walk(func(when *term.Cond) {
				if when.P != nil && when.P.Mentions(k) {
					most := when.P.Constant()
					found = found || of != nil && when.P.Mentions(of) || of == nil && (most >= number-1 || most <= 1-number)
				}
			})
			return found
		})
	}
	return !on(a) && slices.ContainsFunc(c.s.Accesses, on)
}

// ofLaunch reports whether a number is one that the launch gives, other than how many blocks and threads there are.
func (c *checker) ofLaunch(x *term.Atom) bool {
	return x.Variance == term.Grid && x.Loops == 0 && !c.extents[x]
}

// asksForColumn reports whether the kernel asks whether a column is within its row, but not so that other threads do not make the
// access, as `x < width ? in[y*width + x] : 0` before `out[y*width + x] = …`, or `if (x < width || y < height)`: then there are
// threads whose column is not.
func (c *checker) asksForColumn(a *access.Access) bool {
	asks, known := c.asks[a]
	if !known {
		column := c.columnIn(a)
		asks = column.Variance() > term.Block && slices.ContainsFunc(c.lengths(a), func(length *term.Atom) bool {
			within := c.t.Offset(c.t.Sub(column, c.t.Scale(a.Size, c.t.Poly(length))), a.Size)
			beyond := c.t.Sub(c.t.Const(a.Size), within)
			is := func(when *term.Cond, p *term.Poly, times int64) bool {
				return when.Op == term.LeZero && len(when.P.Terms()) == len(p.Terms()) && when.P.Times(c.t.Poly(length)) == times && c.t.Scale(a.Size, when.P).Equal(p)
			}
			guards := func(when *term.Cond) bool { return is(when, within, -1) }
			asksIn := func(when *term.Cond) (asked bool) {
				if within.Loops() == 0 { // else it may be how a loop ends
					when.Walk(func(when *term.Cond) { asked = asked || guards(when) || is(when, beyond, 1) })
				}
				return asked || guards(when)
			}
			return !slices.ContainsFunc(term.Conjuncts(a.When), guards) && slices.ContainsFunc(c.s.Accesses, func(d *access.Access) bool {
				return slices.ContainsFunc(term.Conjuncts(d.When), asksIn)
			})
		})
		c.asks[a] = asks
	}
	return asks
}

// lengths are the numbers of the launch by which an address is made of rows.
func (c *checker) lengths(a *access.Access) (out []*term.Atom) {
	for _, x := range a.Off.Terms() {
		if len(x.Mono.Atoms) < 2 {
			continue
		}
		for _, l := range x.Mono.Atoms {
			if c.ofLaunch(l) && !slices.Contains(out, l) {
				out = append(out, l)
			}
		}
	}
	return out
}

// columnIn is the part of an address that is no rows.
func (c *checker) columnIn(a *access.Access) *term.Poly {
	column := c.t.Const(0)
	for _, x := range a.Off.Terms() {
		if len(x.Mono.Atoms) < 2 || !slices.ContainsFunc(x.Mono.Atoms, c.ofLaunch) {
			column = c.t.Add(column, c.t.Monomial(x.Coef, x.Mono.Atoms))
		}
	}
	return column
}
