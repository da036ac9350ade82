package lower

// This file makes registers of small private arrays of whole numbers and pointers that short counted loops
// go through: sizes and strides that a constructor copies, the digits of an index, the steps to
// neighbours. Such a loop is written out round by round, so that each subscript is a constant.

import (
	"maps"
	"slices"

	"github.com/warplint/warplint/analysis/ir"
)

// Limits of what is written out: rounds of a loop, bytes of an array, statements of the copies in all, and
// the accesses among them to memory that threads share: each of these is a pair with every other.
const (
	maxRounds       = 8
	maxSpreadBytes  = 256
	maxSpreadStmts  = 400
	maxSharedCopies = 16
)

// spread writes out the loops of a function that have some private array be spread over registers.
func spread(f *ir.Func, escaped map[*ir.Object]bool) {
	s := &spreader{f: f, labels: mostLabel(f.Body)}
	arrays := s.arrays()
	maps.DeleteFunc(arrays, func(o *ir.Object, _ []use) bool { return escaped[o] })
	if len(arrays) == 0 {
		return
	}
	loops := map[*ir.Loop]bool{}
	for _, uses := range arrays {
		for _, u := range uses {
			for _, l := range u.over {
				loops[l.loop] = true
			}
		}
	}
	s.counted = map[*ir.Loop]*counted{}
	var copies, shared int
	s.visit(f.Body, nil, func(st ir.Stmt, around []*counted) {
		times := 1
		for _, c := range around {
			if loops[c.loop] {
				times *= len(c.values)
				s.counted[c.loop] = c
			}
		}
		if times > 1 {
			copies += times
			if sharesMemory(st) {
				shared += times
			}
		}
	})
	if copies > maxSpreadStmts || shared > maxSharedCopies {
		return
	}
	f.Body = s.list(f.Body)
	s.keepInRegisters(f.Body, arrays)
	f.Objects = slices.DeleteFunc(f.Objects, func(o *ir.Object) bool { return arrays[o] != nil })
	for i, o := range f.Objects {
		o.ID = i
	}
}

// counted is a loop whose rounds are known, with the values that its counter has in them.
type counted struct {
	loop    *ir.Loop
	counter *ir.Reg
	values  []int64
	after   int64
}

// use is a load or a store of a scalar in a private array, in a place that hangs on nothing but the
// counters of loops around it.
type use struct {
	stmt ir.Stmt
	off  ir.Expr // nil for 0
	over []*counted
}

type spreader struct {
	f       *ir.Func
	labels  int
	counted map[*ir.Loop]*counted // those to write out
}

// arrays lists the private arrays that could be spread, with their uses: those of which nothing but scalars
// are loaded and stored in known places, and one in a place that changes with a counter.
func (s *spreader) arrays() map[*ir.Object][]use {
	all, bad := map[*ir.Object][]use{}, map[*ir.Object]bool{}
	s.visit(s.f.Body, nil, func(st ir.Stmt, around []*counted) {
		ptr, t, volatile := privateAccess(st)
		o, off := fromObject(ptr)
		for _, e := range ir.Operands(st) {
			ir.WalkExpr(e, func(x ir.Expr) {
				if a, ok := x.(*ir.ObjAddr); ok && (a.Obj != o || e != ptr) {
					bad[a.Obj] = true
				}
			})
		}
		if o == nil || o.Space != ir.Local {
			return
		}
		u := use{stmt: st, off: off}
		known := off == nil || !slices.ContainsFunc(ir.Registers(off), func(r *ir.Reg) bool {
			i := slices.IndexFunc(around, func(c *counted) bool { return c.counter == r })
			if i >= 0 && !slices.Contains(u.over, around[i]) {
				u.over = append(u.over, around[i])
			}
			return i < 0
		})
		bad[o] = bad[o] || volatile || !known || o.Size > maxSpreadBytes || !t.IsInt() && t != ir.Ptr && len(u.over) > 0
		all[o] = append(all[o], u)
	})
	for o, uses := range all {
		if bad[o] || !fitCells(o, uses) || !slices.ContainsFunc(uses, leads) {
			delete(all, o)
		}
	}
	return all
}

// leads reports whether a use is of a whole number or a pointer, by which threads find their places.
func leads(u use) bool {
	_, t, _ := privateAccess(u.stmt)
	return t.IsInt() || t == ir.Ptr
}

// fitCells reports whether all places that are used of an object lie in it, and two of them are the same
// or apart.
func fitCells(o *ir.Object, uses []use) bool {
	types := map[int64]ir.Type{}
	for _, u := range uses {
		_, t, _ := privateAccess(u.stmt)
		for _, at := range u.places() {
			if old, ok := types[at]; at < 0 || at+t.Size() > o.Size || ok && old != t {
				return false
			}
			types[at] = t
		}
	}
	for at, t := range types {
		for other := range types {
			if at < other && other < at+t.Size() {
				return false
			}
		}
	}
	return true
}

// places lists where in its object a use is in the rounds of the loops around it; a place that is no
// constant then is -1.
func (u use) places() []int64 {
	offs := []ir.Expr{u.off}
	if u.off == nil {
		return []int64{0}
	}
	for _, c := range u.over {
		var next []ir.Expr
		for _, e := range offs {
			for _, v := range c.values {
				next = append(next, replaced(e, c.counter, constInt(c.counter.Type, v)))
			}
		}
		if offs = next; len(offs) > maxSpreadStmts {
			return []int64{-1}
		}
	}
	out := make([]int64, len(offs))
	for i, e := range offs {
		at, ok := ir.IntConst(e)
		if !ok {
			at = -1
		}
		out[i] = at
	}
	return out
}

// privateAccess is the address of a load or a store.
func privateAccess(st ir.Stmt) (ptr ir.Expr, t ir.Type, volatile bool) {
	switch st := st.(type) {
	case *ir.Load:
		return st.Ptr, st.T, st.Volatile
	case *ir.Store:
		return st.Ptr, st.T, st.Volatile
	}
	return nil, ir.Void, false
}

// fromObject takes an address apart that starts at an object.
func fromObject(e ir.Expr) (o *ir.Object, off ir.Expr) {
	switch e := e.(type) {
	case *ir.ObjAddr:
		return e.Obj, nil
	case *ir.PtrAdd:
		if o, inner := fromObject(e.Base); o != nil {
			if inner == nil {
				return o, e.Offset
			}
			return o, binary(ir.Add, inner, e.Offset)
		}
	}
	return nil, nil
}

// sharesMemory reports whether a statement is an access to memory that is not private, or makes threads
// meet.
func sharesMemory(st ir.Stmt) bool {
	switch st.(type) {
	case *ir.Load, *ir.Store:
		ptr, _, _ := privateAccess(st)
		o, _ := fromObject(ptr)
		return o == nil || o.Space != ir.Local && o.Space != ir.Constant
	case *ir.Assign, *ir.If, *ir.Loop, *ir.Block, *ir.Break, *ir.Continue, *ir.Return:
		return false
	}
	return true
}

// visit calls f for each statement, with the counted loops around it.
func (s *spreader) visit(list []ir.Stmt, around []*counted, f func(ir.Stmt, []*counted)) {
	for i, st := range list {
		f(st, around)
		within := around
		if l, ok := st.(*ir.Loop); ok {
			if c := countedLoop(list[:i], l); c != nil {
				within = append(slices.Clip(around), c)
			}
			s.visit(l.Head, around, f)
			s.visit(l.Body, within, f)
			s.visit(l.Post, around, f)
			continue
		}
		for _, nested := range ir.Nested(st) {
			s.visit(nested, within, f)
		}
	}
}

// countedLoop reads a loop that starts from a constant, moves by one and ends at another, behind the
// statements before it; nil for others.
func countedLoop(before []ir.Stmt, l *ir.Loop) *counted {
	cond, ok := l.Cond.(*ir.Binary)
	if !ok || !cond.Op.IsCompare() || len(l.Head) > 0 || len(l.Post) != 1 {
		return nil
	}
	step, ok := l.Post[0].(*ir.Assign)
	if !ok || !slices.Equal(ir.Registers(step.X), []*ir.Reg{step.Dst}) || len(ir.Registers(cond)) != 1 || ir.Registers(cond)[0] != step.Dst || assigns(l.Body, step.Dst) {
		return nil
	}
	if !copyable(l.Body) {
		return nil
	}
	c := &counted{loop: l, counter: step.Dst}
	now, ok := lastValue(before, c.counter)
	for ok {
		holds := replaced(cond, c.counter, now)
		if isFalse(holds) {
			c.after, _ = ir.IntConst(now)
			return c
		}
		v, isInt := ir.IntConst(now)
		if !isTrue(holds) || !isInt || len(c.values) == maxRounds {
			return nil
		}
		c.values = append(c.values, v)
		now, ok = replaced(step.X, c.counter, now).(*ir.Const)
	}
	return nil
}

// lastValue is the constant that a register holds behind a list of statements.
func lastValue(list []ir.Stmt, r *ir.Reg) (*ir.Const, bool) {
	for i := len(list) - 1; i >= 0; i-- {
		if a, ok := list[i].(*ir.Assign); ok && a.Dst == r {
			c, ok := a.X.(*ir.Const)
			return c, ok
		}
		if assigns(list[i:i+1], r) {
			return nil, false
		}
	}
	return nil, false
}

func assigns(list []ir.Stmt, r *ir.Reg) bool {
	found := false
	ir.WalkStmts(list, func(st ir.Stmt) bool {
		found = found || slices.Contains(ir.Defs(st), r)
		return !found
	})
	return found
}

func mostLabel(list []ir.Stmt) int {
	most := 0
	ir.WalkStmts(list, func(st ir.Stmt) bool {
		switch st := st.(type) {
		case *ir.Loop:
			most = max(most, st.Label.ID)
		case *ir.Block:
			most = max(most, st.Label.ID)
		}
		return true
	})
	return most
}

// replaced is an expression with a register's value in its place.
func replaced(e ir.Expr, r *ir.Reg, by ir.Expr) ir.Expr {
	return substitution{reg: r, by: by}.expr(e)
}

// copyable reports whether statements are of the kinds that a substitution copies.
func copyable(list []ir.Stmt) bool {
	yes := true
	ir.WalkStmts(list, func(st ir.Stmt) bool {
		switch st.(type) {
		case *ir.Assign, *ir.Load, *ir.Store, *ir.Atomic, *ir.If, *ir.Loop, *ir.Block, *ir.Break, *ir.Continue, *ir.Return:
		default:
			yes = false
		}
		return yes
	})
	return yes
}

// list writes out the loops in a list of statements.
func (s *spreader) list(list []ir.Stmt) []ir.Stmt {
	var out []ir.Stmt
	for _, st := range list {
		switch st := st.(type) {
		case *ir.If:
			st.Then, st.Else = s.list(st.Then), s.list(st.Else)
		case *ir.Block:
			st.Body = s.list(st.Body)
		case *ir.Loop:
			st.Head, st.Body, st.Post = s.list(st.Head), s.list(st.Body), s.list(st.Post)
			if c := s.counted[st]; c != nil {
				out = append(out, s.rounds(c)...)
				continue
			}
		}
		out = append(out, st)
	}
	return out
}

// rounds are the rounds of a loop, one behind the other. To go on with the next is to leave a round, and to
// leave the loop is to leave all of them.
func (s *spreader) rounds(c *counted) []ir.Stmt {
	all := &ir.Block{Label: s.newLabel()}
	for _, v := range c.values {
		value := constInt(c.counter.Type, v)
		round := &ir.Block{Label: s.newLabel()}
		copies := substitution{reg: c.counter, by: value, labels: map[*ir.Label]*ir.Label{c.loop.Label: all.Label}, next: c.loop.Label, round: round.Label, newLabel: s.newLabel}
		round.Body = copies.list(c.loop.Body)
		all.Body = append(append(all.Body, &ir.Assign{Dst: c.counter, X: value}), asNeeded(round)...)
	}
	all.Body = append(all.Body, &ir.Assign{Dst: c.counter, X: constInt(c.counter.Type, c.after)})
	return asNeeded(all)
}

// asNeeded is a block, or what is in it if nothing leaves it by its label.
func asNeeded(b *ir.Block) []ir.Stmt {
	if jumpsTo(b.Body, b.Label) {
		return []ir.Stmt{b}
	}
	return b.Body
}

func (s *spreader) newLabel() *ir.Label {
	s.labels++
	return &ir.Label{ID: s.labels}
}

// keepInRegisters makes the loads and stores of arrays assignments, in each place of an array from and to
// one register.
func (s *spreader) keepInRegisters(list []ir.Stmt, arrays map[*ir.Object][]use) {
	type place struct {
		o  *ir.Object
		at int64
	}
	regs := map[place]*ir.Reg{}
	register := func(ptr ir.Expr, t ir.Type) *ir.Reg {
		o, off := fromObject(ptr)
		if arrays[o] == nil {
			return nil
		}
		p := place{o: o}
		if off != nil {
			p.at, _ = ir.IntConst(off)
		}
		if regs[p] == nil {
			regs[p] = &ir.Reg{ID: len(s.f.Regs), Name: o.Name, Type: t}
			s.f.Regs = append(s.f.Regs, regs[p])
		}
		return regs[p]
	}
	var each func([]ir.Stmt)
	each = func(list []ir.Stmt) {
		for i, st := range list {
			switch st := st.(type) {
			case *ir.Load:
				if r := register(st.Ptr, st.T); r != nil {
					list[i] = &ir.Assign{Dst: st.Dst, X: &ir.RegRef{R: r}}
				}
			case *ir.Store:
				if r := register(st.Ptr, st.T); r != nil {
					list[i] = &ir.Assign{Dst: r, X: st.X}
				}
			default:
				for _, nested := range ir.Nested(st) {
					each(nested)
				}
			}
		}
	}
	each(list)
}

// substitution copies statements with a value in the place of a register that they do not set, and with
// labels of their own.
type substitution struct {
	reg         *ir.Reg
	by          ir.Expr
	labels      map[*ir.Label]*ir.Label
	next, round *ir.Label // to go on with the loop of next is to leave the round
	newLabel    func() *ir.Label
}

func (s substitution) list(list []ir.Stmt) []ir.Stmt {
	out := make([]ir.Stmt, len(list))
	for i, st := range list {
		out[i] = s.stmt(st)
	}
	return out
}

func (s substitution) stmt(st ir.Stmt) ir.Stmt {
	switch st := st.(type) {
	case *ir.Assign:
		return &ir.Assign{Dst: st.Dst, X: s.expr(st.X)}
	case *ir.Load:
		c := *st
		c.Ptr = s.expr(st.Ptr)
		return &c
	case *ir.Store:
		c := *st
		c.Ptr, c.X = s.expr(st.Ptr), s.expr(st.X)
		return &c
	case *ir.Atomic:
		c := *st
		c.Ptr, c.X = s.expr(st.Ptr), s.expr(st.X)
		if st.Compare != nil {
			c.Compare = s.expr(st.Compare)
		}
		return &c
	case *ir.If:
		c := *st
		c.Cond, c.Then, c.Else = s.expr(st.Cond), s.list(st.Then), s.list(st.Else)
		return &c
	case *ir.Loop:
		c := *st
		c.Label = s.renew(st.Label)
		c.Head, c.Cond, c.Body, c.Post = s.list(st.Head), s.expr(st.Cond), s.list(st.Body), s.list(st.Post)
		return &c
	case *ir.Block:
		return &ir.Block{Label: s.renew(st.Label), Body: s.list(st.Body)}
	case *ir.Break:
		return &ir.Break{Target: s.label(st.Target)}
	case *ir.Continue:
		if st.Target == s.next {
			return &ir.Break{Target: s.round}
		}
		return &ir.Continue{Target: s.label(st.Target)}
	}
	return st
}

func (s substitution) renew(l *ir.Label) *ir.Label {
	s.labels[l] = s.newLabel()
	return s.labels[l]
}

func (s substitution) label(l *ir.Label) *ir.Label {
	if to := s.labels[l]; to != nil {
		return to
	}
	return l
}

func (s substitution) expr(e ir.Expr) ir.Expr {
	if r, ok := e.(*ir.RegRef); ok && r.R == s.reg {
		return s.by
	}
	return rebuild(e, s.expr)
}
