package lower

// This file lowers loops.

import (
	"fmt"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/syntax"
)

// inLoop makes the label the target of break and continue while f runs.
func (l *lowerer) inLoop(label *ir.Label, f func()) {
	old := l.frame.jumps
	base := len(l.cleanups)
	l.frame.jumps = jumps{label, label, base, base}
	l.looping++
	f()
	l.looping--
	l.frame.jumps = old
}

// loopBody lowers the body with the loop's label as the target of break and continue.
func (l *lowerer) loopBody(label *ir.Label, body *syntax.Node) []ir.Stmt {
	var list []ir.Stmt
	l.inLoop(label, func() { list = l.collectStmts(func() { l.branch(body, false) }) })
	return list
}

func (l *lowerer) forStatement(n *syntax.Node) {
	defer l.pushScope()()
	if init := n.Child("initializer"); init != nil {
		if init.Kind == "declaration" {
			l.localDeclaration(init)
		} else {
			l.discard(init)
		}
	}
	loop := &ir.Loop{Label: l.newLabel(), Cond: constBool(true), Site: l.site(n, "")}
	if c := n.Child("condition"); c != nil {
		loop.Head = l.collectStmts(func() { loop.Cond = l.cond(c) })
	}
	if isFalse(loop.Cond) {
		*l.out = append(*l.out, loop.Head...)
		return
	}
	loop.Body = l.loopBody(loop.Label, n.Child("body"))
	if u := n.Child("update"); u != nil {
		loop.Post = l.collectStmts(func() { l.discard(u) })
	}
	l.emit(loop)
}

func (l *lowerer) whileStatement(n *syntax.Node) {
	loop := &ir.Loop{Label: l.newLabel(), Site: l.site(n, "")}
	defer l.pushScope()()
	loop.Head = l.collectStmts(func() { loop.Cond = l.conditionClause(n.Child("condition")) })
	if isFalse(loop.Cond) {
		*l.out = append(*l.out, loop.Head...)
		return
	}
	loop.Body = l.loopBody(loop.Label, n.Child("body"))
	l.emit(loop)
}

// doStatement lowers do-while. `do … while (0)`, the idiom of macros, is no loop.
func (l *lowerer) doStatement(n *syntax.Node) {
	label := l.newLabel()
	var c ir.Expr
	body := l.loopBody(label, n.Child("body"))
	post := l.collectStmts(func() { c = l.cond(n.Child("condition")) })
	if isFalse(c) && !jumpsTo(body, label) {
		*l.out = append(*l.out, append(body, post...)...)
		return
	}
	if isFalse(c) && !continues(body, label) {
		l.emit(&ir.Block{Label: label, Body: append(body, post...)})
		return
	}
	if !isTrue(c) {
		post = append(post, &ir.If{Cond: unary(ir.LogNot, c), Then: []ir.Stmt{&ir.Break{Target: label}}, Site: l.site(n.Child("condition"), "")})
	}
	l.emit(&ir.Loop{Label: label, Cond: constBool(true), Body: body, Post: post, Site: l.site(n, "")})
}

// jumpsTo reports whether a list breaks or continues to the label.
func jumpsTo(list []ir.Stmt, label *ir.Label) bool {
	return anyStmt(list, func(s ir.Stmt) bool {
		switch s := s.(type) {
		case *ir.Break:
			return s.Target == label
		case *ir.Continue:
			return s.Target == label
		}
		return false
	})
}

func continues(list []ir.Stmt, label *ir.Label) bool {
	return anyStmt(list, func(s ir.Stmt) bool {
		c, ok := s.(*ir.Continue)
		return ok && c.Target == label
	})
}

// anyStmt reports whether f holds for a statement of a list or of the lists inside it.
func anyStmt(list []ir.Stmt, f func(ir.Stmt) bool) bool {
	for _, s := range list {
		if f(s) {
			return true
		}
		switch s := s.(type) {
		case *ir.If:
			if anyStmt(s.Then, f) || anyStmt(s.Else, f) {
				return true
			}
		case *ir.Loop:
			if anyStmt(s.Head, f) || anyStmt(s.Body, f) || anyStmt(s.Post, f) {
				return true
			}
		case *ir.Block:
			if anyStmt(s.Body, f) {
				return true
			}
		}
	}
	return false
}

// rangeLoop lowers `for (T x : array)`.
func (l *lowerer) rangeLoop(n *syntax.Node) {
	defer l.pushScope()()
	if init := n.Child("initializer"); init != nil {
		for _, k := range namedChildren(init) {
			l.statement(k, false)
		}
	}
	right := n.Child("right")
	v := l.expr(right)
	if v.init != nil {
		v = l.listedRange(v, right)
	}
	if v.t.kind == kRecord && l.rangeOver(n, right) {
		return
	}
	if v.t.kind != kArray || v.t.len < 0 {
		l.rangeUnknown(n, v)
		return
	}
	if v.cat == vAgg {
		if !l.demote(v) {
			l.rangeUnknown(n, v)
		}
		return
	}
	i := l.newReg(ir.I64, "")
	l.emit(&ir.Assign{Dst: i, X: constInt(ir.I64, 0)})
	loop := &ir.Loop{Label: l.newLabel(), Cond: binary(ir.Lt, &ir.RegRef{R: i}, constInt(ir.I64, v.t.len)), Site: l.site(n, "")}
	l.inLoop(loop.Label, func() {
		loop.Body = l.collectStmts(func() {
			p := l.pointerAdd(value{t: pointerTo(v.t.elem), cat: vRval, x: v.x, name: v.name}, &ir.RegRef{R: i}, right)
			l.rangeVariable(n, l.deref(p, right), right)
			l.branch(n.Child("body"), false)
		})
	})
	loop.Post = []ir.Stmt{&ir.Assign{Dst: i, X: binary(ir.Add, &ir.RegRef{R: i}, constInt(ir.I64, 1))}}
	l.emit(loop)
}

// listedRange is the array that a range-for over `{a, b}` runs through.
func (l *lowerer) listedRange(v value, right *syntax.Node) value {
	items := l.arguments(v.init)
	if len(items) == 0 {
		return v
	}
	t := arrayOf(l.decay(l.load(items[0].v, right), right).t.unqualified(), int64(len(items)))
	list := l.arrayList(t, items, right)
	if list.cat != vAgg {
		return v
	}
	array := l.inMemory("", t)
	l.assign(array, list, right)
	return array
}

// rangeOver lowers a range-for over an object by its begin and end ([stmt.ranged]), as the loop
// `for (auto p = r.begin(); p != r.end(); ++p) { T x = *p; … }`. It reports whether they are
// members that give pointers, or objects with the operators that this takes.
func (l *lowerer) rangeOver(n, right *syntax.Node) bool {
	r := l.placeExpr(right)
	if r.isBound() && !r.t.isConst {
		l.needPlace(r) // the loop may change it
		return true
	}
	if !r.isPlace() {
		r = l.materialized(r, right)
	}
	var first, last value
	emitted := l.collectStmts(func() {
		first = l.callMember(n, r, "begin")
		last = l.callMember(n, r, "end")
	})
	if first.t == nil || last.t == nil || first.t.kind != kPtr && first.t.kind != kRecord || last.t.kind != first.t.kind {
		return false
	}
	p, end := l.newVariable("", right, first.t.unqualified()), l.newVariable("", n, last.t.unqualified())
	emitted = append(emitted, l.collectStmts(func() {
		l.assign(p, first, right)
		l.assign(end, last, right)
	})...)
	loop := &ir.Loop{Label: l.newLabel(), Site: l.site(n, "")}
	understood := true
	apply := func(op string, operands ...value) value {
		v, ok := l.iteratorOperator(n, right, op, operands)
		if !ok {
			understood, v = false, value{t: opaque("unknown"), cat: vPoison, reason: "iterator without operator " + op}
		}
		return v
	}
	loop.Head = l.collectStmts(func() { loop.Cond = l.toScalar(apply("!=", p, end), tBool, right) })
	l.inLoop(loop.Label, func() {
		loop.Body = l.collectStmts(func() {
			l.rangeVariable(n, apply("*", p), right)
			if understood {
				l.branch(n.Child("body"), false)
			}
		})
	})
	loop.Post = l.collectStmts(func() { apply("++", p) })
	if understood {
		*l.out = append(*l.out, emitted...)
		l.emit(loop)
	}
	return understood
}

// iteratorOperator applies an operator to pointers, or to objects of a class that has it.
func (l *lowerer) iteratorOperator(n, right *syntax.Node, op string, operands []value) (value, bool) {
	p := operands[0]
	if p.t.kind == kRecord {
		nodes := []*syntax.Node{right, right}[:len(operands)]
		if v, ok := l.operator(n, "operator"+op, operands, nodes); ok || op != "!=" {
			return v, ok
		}
		v, ok := l.operator(n, "operator==", operands, nodes)
		if !ok {
			return v, false
		}
		return rval(tBool, unary(ir.LogNot, l.toScalar(v, tBool, right))), true
	}
	at := l.load(p, right)
	switch op {
	case "!=":
		return rval(tBool, binary(ir.Ne, at.x, l.load(operands[1], right).x)), true
	case "*":
		return l.deref(at, right), true
	}
	l.assign(p, l.pointerAdd(at, constInt(ir.I64, 1), right), right)
	return value{t: tVoid}, true
}

// materialized gives a class value that the node computes a place.
func (l *lowerer) materialized(v value, n *syntax.Node) value {
	place := l.newVariable("", n, v.t.unqualified())
	if place.cat != vPoison {
		l.assign(place, v, n)
	}
	return place
}

// callMember calls a member function without arguments, if there is one.
func (l *lowerer) callMember(n *syntax.Node, obj value, name string) value {
	if obj.t.kind != kRecord || obj.t.rec.scope == nil {
		return value{}
	}
	fs := &fnset{name: name, syms: obj.t.rec.scope.own(name), scope: l.scope, this: &obj}
	c := l.choose(fs, nil)
	if c == nil {
		return value{}
	}
	return l.load(l.inlineMember(n, c, fs, nil), n)
}

func (l *lowerer) rangeVariable(n *syntax.Node, elem value, right *syntax.Node) {
	t := l.specType(n, l.scope)
	if t == nil {
		t = tAuto
	}
	t, name := l.declarator(t, n.Child("declarator"), l.scope)
	if name == nil {
		return
	}
	if name.Kind == "structured_binding_declarator" {
		if t.kind != kRef {
			elem = l.copied(elem, right)
		}
		l.bindParts(n, elem, name)
		return
	}
	v := l.bindVariable(l.text(name), name, t, argument{elem, right}, l.assignedIn(t, name))
	l.scope.add(&symbol{kind: symVar, name: l.text(name), v: &v})
}

// rangeUnknown lowers a range-for over something that is not understood: its body runs any
// number of times with any element.
func (l *lowerer) rangeUnknown(n *syntax.Node, v value) {
	r := l.newReg(ir.Bool, "")
	loop := &ir.Loop{Label: l.newLabel(), Cond: &ir.RegRef{R: r}, Site: l.site(n, "")}
	reason := "range-for over " + v.t.String()
	loop.Head = l.collectStmts(func() { l.unknown(n, reason, false, r) })
	l.inLoop(loop.Label, func() {
		loop.Body = l.collectStmts(func() {
			each := value{t: opaque("unknown"), cat: vPoison, reason: reason}
			if l.host {
				each.said = fmt.Sprintf("each %d of %s", l.numberOf(n), l.saying(n.Child("right")))
			}
			l.rangeVariable(n, each, n)
			l.branch(n.Child("body"), false)
		})
	})
	l.emit(loop)
}
