package lower

// This file lowers assignments, and steps by ++ and --.

import (
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/syntax"
)

// update lowers ++ and --.
func (l *lowerer) update(n *syntax.Node, used bool) value {
	arg, op := n.Child("argument"), l.text(n.Child("operator"))
	prefix := len(n.Children) > 0 && n.Children[0].Field == "operator"
	place := l.placeExpr(arg)
	if place.t.kind == kRecord || place.t.kind == kOpaque {
		args := []value{place}
		nodes := []*syntax.Node{arg}
		if !prefix {
			args, nodes = append(args, intValue(0)), append(nodes, arg)
		}
		if r, ok := l.operator(n, "operator"+op, args, nodes); ok {
			return r
		}
		place = l.operand(place, arg)
	}
	if place.isNothing() {
		return l.clobber(n, place.reason, place)
	}
	irOp := ir.Add
	if op == "--" {
		irOp = ir.Sub
	}
	old := l.load(place, arg)
	if used && !prefix && old.x != nil && old.target == nil {
		old.x = l.temp(old.x)
	}
	var next value
	switch {
	case old.t.kind == kPtr:
		next = l.pointerAdd(old, constInt(ir.I64, map[ir.Op]int64{ir.Add: 1, ir.Sub: -1}[irOp]), n)
	case old.t.isArithmetic():
		t := promote(old.t)
		next = rval(t, binary(irOp, convert(old.x, t.scalar), convert(intValue(1).x, t.scalar)))
	default:
		return l.clobber(n, "operator "+op+" on "+old.t.String(), place)
	}
	if next.cat == vPoison {
		return next
	}
	l.assign(place, l.convertTo(next, place.t, n), arg)
	if prefix {
		return l.justStored(place)
	}
	return old
}

// justStored is a place behind an assignment to it. C++ reads it again only if it is volatile: `a = b = v`
// gives v to both, as each compiler does.
func (l *lowerer) justStored(place value) value {
	if n := len(*l.out); n > 0 && place.cat == vMem && place.field == nil && place.t.isScalar() && !place.t.volatile {
		place.stored, _ = (*l.out)[n-1].(*ir.Store)
	}
	return place
}

// isLast reports whether nothing has been emitted behind a store.
func (l *lowerer) isLast(s *ir.Store) bool {
	n := len(*l.out)
	return n > 0 && (*l.out)[n-1] == ir.Stmt(s)
}

// clobber gives up on an operation that would have changed a place.
func (l *lowerer) clobber(n *syntax.Node, reason string, place value) value {
	l.escape(place)
	regs := place.regs()
	place.eachPart(func(p value) bool {
		if p.cat == vRval && p.target != nil { // a reference, as std::tie makes them
			regs = append(regs, l.reachable([]value{p})...)
		}
		return true
	})
	if place.isNothing() {
		regs = append(regs, l.ofMembers(n.Child("left"))...)
	}
	return l.effect(n, reason, place.cat == vMem || place.isNothing(), regs...)
}

// ofMembers lists the registers of the variables whose members an expression may change by a pointer to one, as in `p.*member = n`, which is not
// understood.
func (l *lowerer) ofMembers(e *syntax.Node) (regs []*ir.Reg) {
	if e == nil || !strings.Contains(l.text(e), ".*") && !strings.Contains(l.text(e), "->*") {
		return nil
	}
	walk(e, func(k *syntax.Node) bool {
		if k.Kind == "identifier" {
			if syms := l.scope.lookup(l.text(k)); len(syms) > 0 && syms[0].kind == symVar {
				regs = append(regs, l.reachable([]value{l.expr(k)})...)
			}
		}
		return true
	})
	return regs
}

// assignment lowers = and the compound assignments.
func (l *lowerer) assignment(n *syntax.Node) value {
	left, right := n.Child("left"), n.Child("right")
	op := strings.TrimSuffix(l.text(n.Child("operator")), "=")
	if op == "" {
		return l.plainAssignment(n, left, right)
	}
	place, rhs := l.assignmentOperands(left, right)
	if place.t.kind == kRecord || rhs.t.kind == kRecord || place.t.kind == kOpaque {
		if r, ok := l.operator(n, "operator"+op+"=", []value{place, rhs}, []*syntax.Node{left, right}); ok {
			return r
		}
	}
	if place.isNothing() {
		return l.clobber(n, "assignment to "+l.shorten(left), place)
	}
	rhs = l.load(l.operand(rhs, right), right)
	v := l.arithmetic(n, op, l.load(place, left), rhs, left, right)
	if v.cat == vPoison {
		return l.clobber(n, v.reason, place)
	}
	l.assign(place, l.convertTo(v, place.t, n), left)
	return l.justStored(place)
}

func (l *lowerer) plainAssignment(n, left, right *syntax.Node) value {
	place, rhs := l.assignmentOperands(left, right)
	if l.host && place.cat == vPoison {
		l.saidAgain(left, rhs, right)
		l.putsAt(left, right)
		l.callbacks(n, l.shorten(left), []argument{{rhs, right}}) // whoever reads it there may call it
	}
	if place.t.kind == kRecord && !place.t.rec.vector {
		if r, ok := l.operator(n, "operator=", []value{place, rhs}, []*syntax.Node{left, right}); ok {
			return r
		}
		if place.cat == vPoison || rhs.cat == vPoison && place.t.rec.scope != nil && len(place.t.rec.scope.own("operator=")) > 0 {
			return l.clobber(n, "assignment to "+l.shorten(left), place)
		}
		l.assign(place, l.convertTo(rhs, place.t, right), left)
		return place
	}
	if place.isNothing() {
		return l.clobber(n, "assignment to "+l.shorten(left), place)
	}
	if place.t.kind == kOpaque || place.t.kind == kAuto {
		return l.clobber(n, "assignment to "+place.t.String(), place)
	}
	l.assign(place, l.convertTo(rhs, place.t, right), left)
	return l.justStored(place)
}

// assignmentOperands evaluates the right side before the left one ([expr.ass]).
func (l *lowerer) assignmentOperands(left, right *syntax.Node) (place, rhs value) {
	rhs = l.expr(right)
	if rhs.stored != nil {
		rhs = l.load(rhs, right)
	}
	stmts := l.collectStmts(func() { place = l.placeExpr(left) })
	if anyStmt(stmts, func(s ir.Stmt) bool { return len(ir.Defs(s)) > 0 && !isLoad(s) }) {
		rhs = l.frozen(rhs, right)
	}
	*l.out = append(*l.out, stmts...)
	return place, rhs
}

func isLoad(s ir.Stmt) bool {
	_, ok := s.(*ir.Load)
	return ok
}

// frozen copies what a value reads from registers, so that later assignments don't change it.
func (l *lowerer) frozen(v value, n *syntax.Node) value {
	switch v.cat {
	case vReg, vRval:
		if v = l.load(v, n); v.target == nil && v.x != nil && refersToRegs(v.x) {
			v.x = l.temp(v.x)
		}
	case vAgg:
		if v.init == nil {
			v = l.load(v, n)
			elems := make([]value, len(v.elems))
			for i, e := range v.elems {
				elems[i] = l.frozen(e, n)
			}
			v.elems = elems
		}
	}
	return v
}

// asBefore is what a value, or the address of a place in memory, was before the statements from start
// on, which the evaluation of another operand has emitted: one of them may change a register that
// it is computed from.
func (l *lowerer) asBefore(v value, n *syntax.Node, start int) value {
	if len(*l.out) <= start || v.cat != vReg && v.cat != vRval && v.cat != vMem && (v.cat != vAgg || v.lvalue) {
		return v
	}
	reads := map[*ir.Reg]bool{}
	v.noteReads(reads)
	if len(reads) == 0 || !anyStmt((*l.out)[start:], func(s ir.Stmt) bool {
		return slices.ContainsFunc(ir.Defs(s), func(r *ir.Reg) bool { return reads[r] })
	}) {
		return v
	}
	copies := l.collectStmts(func() {
		if v.cat == vMem {
			v.x = l.temp(v.x)
		} else {
			v = l.frozen(v, n)
		}
	})
	*l.out = slices.Insert(*l.out, start, copies...)
	return v
}

// noteReads notes the registers that a value is computed from.
func (v value) noteReads(regs map[*ir.Reg]bool) {
	if v.reg != nil {
		regs[v.reg] = true
	}
	if v.x != nil {
		ir.WalkExpr(v.x, func(e ir.Expr) {
			if r, ok := e.(*ir.RegRef); ok {
				regs[r.R] = true
			}
		})
	}
	for _, e := range v.elems {
		e.noteReads(regs)
	}
}

// placeExpr evaluates an expression that names a place; `c ? a : b` then names one of two,
// which need addresses.
func (l *lowerer) placeExpr(n *syntax.Node) value {
	c := stripParens(n)
	if c == nil || c.Kind != "conditional_expression" {
		return l.expr(n)
	}
	cond := l.temp(l.cond(c.Child("condition")))
	xn, yn := c.Child("consequence"), c.Child("alternative")
	switch {
	case isTrue(cond):
		return l.placeExpr(xn)
	case isFalse(cond):
		return l.placeExpr(yn)
	}
	if l.inMemoryEither(c) {
		return l.eitherPlace(cond, c)
	}
	x, y := l.placeExpr(xn), l.placeExpr(yn)
	if x.isBound() || y.isBound() {
		l.needPlace(x)
		l.needPlace(y)
		return value{t: x.t, cat: vMem, x: zero(ir.Ptr)} // the function is lowered again
	}
	if !x.isPlace() || !y.isPlace() || !sameType(x.t, y.t) || x.field != nil || y.field != nil {
		regs := append(x.regs(), y.regs()...)
		return l.unknown(n, "place chosen by a condition", true, regs...)
	}
	px, py := l.bits(l.addressOf(x, xn)), l.bits(l.addressOf(y, yn))
	if px == nil || py == nil {
		regs := append(x.regs(), y.regs()...)
		return l.unknown(n, "place chosen by a condition", true, regs...)
	}
	return value{t: x.t, cat: vMem, x: selectExpr(cond, px, py), name: sameName(x.name, y.name)}
}

// shorten is a piece of source for a reason.
func (l *lowerer) shorten(n *syntax.Node) string {
	s := l.words(n)
	if len(s) > 40 {
		s = s[:37] + "..."
	}
	return s
}
