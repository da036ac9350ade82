package lower

// This file lowers switch statements.

import (
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/syntax"
)

// switchCase is a group of labels with the statements behind them.
type switchCase struct {
	values    []*syntax.Node
	isDefault bool
	body      []*syntax.Node
}

// switchStatement lowers a switch as a Block of Ifs: each group of statements runs if one of
// its labels matches or if the group before it falls through.
func (l *lowerer) switchStatement(n *syntax.Node) {
	defer l.pushScope()()
	cn := n.Child("condition")
	var sel value
	if init := cn.Child("initializer"); init != nil {
		for _, k := range namedChildren(init) {
			l.statement(k, false)
		}
	}
	vn := cn.Child("value")
	if vn != nil && vn.Kind == "declaration" {
		l.localDeclaration(vn)
		vn = nameOf(vn.Child("declarator"))
	}
	if vn == nil {
		l.unsupportedControl(n, "syntax error")
		return
	}
	sel = l.unwrap(l.load(l.operand(l.expr(vn), vn), vn), vn)
	if sel.cat != vRval || !sel.t.isInt() {
		sel = l.load(l.unknownOf(vn, tInt, reasonOf(sel), false), vn)
	}
	t := promote(sel.t)
	x := l.temp(convert(sel.x, t.scalar))
	cases, ok := l.switchCases(n.Child("body"))
	if !ok {
		l.unsupportedControl(n, "label inside a statement of a switch")
		return
	}
	l.emitCases(n, x, t, cases)
}

func (l *lowerer) switchCases(body *syntax.Node) ([]switchCase, bool) {
	var out []switchCase
	for _, k := range namedChildren(body) {
		if k.Kind != "case_statement" {
			if k.Kind == "preproc_call" {
				continue
			}
			if len(out) == 0 {
				return nil, k.Kind == "declaration"
			}
			out[len(out)-1].body = append(out[len(out)-1].body, k)
			continue
		}
		c := switchCase{isDefault: k.Children[0].Kind == "default"}
		if v := k.Child("value"); v != nil {
			c.values = append(c.values, v)
		}
		for _, s := range namedChildren(k) {
			if s.Field != "value" {
				c.body = append(c.body, s)
			}
		}
		if len(out) > 0 && len(out[len(out)-1].body) == 0 { // case 1: case 2:
			prev := &out[len(out)-1]
			prev.values, prev.isDefault, prev.body = append(prev.values, c.values...), prev.isDefault || c.isDefault, c.body
			continue
		}
		out = append(out, c)
	}
	return out, true
}

func (l *lowerer) emitCases(n *syntax.Node, x ir.Expr, t *ctype, cases []switchCase) {
	label := l.newLabel()
	f := l.frame
	oldJumps := f.jumps
	f.breakTo, f.breakBase = label, len(l.cleanups)
	var all ir.Expr = constBool(false)
	matches := make([]ir.Expr, len(cases))
	for i, c := range cases {
		matches[i] = constBool(false)
		for _, v := range c.values {
			m := binary(ir.Eq, x, convert(l.scalar(v, t), t.scalar))
			matches[i] = binary(ir.LogOr, matches[i], m)
		}
		all = binary(ir.LogOr, all, matches[i])
	}
	for i, c := range cases {
		if c.isDefault {
			matches[i] = binary(ir.LogOr, matches[i], unary(ir.LogNot, all))
		}
	}
	list := l.collectStmts(func() { l.caseChain(n, cases, matches, label) })
	f.jumps = oldJumps
	if jumpsTo(list, label) {
		l.emit(&ir.Block{Label: label, Body: list})
	} else {
		*l.out = append(*l.out, list...)
	}
}

// caseChain emits the groups: as a chain of if and else where none falls through to the
// next, else as a list of ifs that a register joins.
func (l *lowerer) caseChain(n *syntax.Node, cases []switchCase, matches []ir.Expr, label *ir.Label) {
	for i := range cases[:max(len(cases)-1, 0)] {
		if l.fallsThrough(cases[i].body) {
			l.fallingCases(n, cases, matches)
			return
		}
	}
	l.cleanCases(n, cases, matches, label)
}

func (l *lowerer) cleanCases(n *syntax.Node, cases []switchCase, matches []ir.Expr, label *ir.Label) {
	order := make([]int, 0, len(cases))
	byDefault := -1
	for i, c := range cases {
		switch {
		case c.isDefault:
			byDefault = i
		case !isFalse(matches[i]):
			order = append(order, i)
		}
	}
	if byDefault >= 0 {
		order = append(order, byDefault)
	}
	out := l.out
	for k, i := range order {
		body := l.collectStmts(func() { l.caseBody(cases[i].body) })
		body = dropLastBreak(body, label)
		if isTrue(matches[i]) || i == byDefault && k == len(order)-1 {
			*out = append(*out, body...)
			return
		}
		s := &ir.If{Cond: matches[i], Then: body, Site: l.site(n.Child("condition"), "")}
		*out = append(*out, s)
		out = &s.Else
	}
}

func (l *lowerer) caseBody(body []*syntax.Node) {
	defer l.pushScope()()
	l.list(body, false)
}

func (l *lowerer) fallingCases(n *syntax.Node, cases []switchCase, matches []ir.Expr) {
	fell := l.newReg(ir.Bool, "")
	l.emit(&ir.Assign{Dst: fell, X: constBool(false)})
	for i, c := range cases {
		s := &ir.If{Cond: binary(ir.LogOr, &ir.RegRef{R: fell}, matches[i]), Site: l.site(n.Child("condition"), "")}
		s.Then = l.collectStmts(func() {
			l.emit(&ir.Assign{Dst: fell, X: constBool(true)})
			l.caseBody(c.body)
		})
		l.emit(s)
	}
}

// dropLastBreak leaves out the break at the end of a group behind which nothing comes.
func dropLastBreak(body []ir.Stmt, label *ir.Label) []ir.Stmt {
	if len(body) > 0 {
		if b, ok := body[len(body)-1].(*ir.Break); ok && b.Target == label {
			return body[:len(body)-1]
		}
	}
	return body
}

// fallsThrough reports whether control may reach the end of a group of statements.
func (l *lowerer) fallsThrough(body []*syntax.Node) bool {
	if len(body) == 0 {
		return true
	}
	switch last := body[len(body)-1]; last.Kind {
	case "break_statement", "return_statement", "continue_statement", "throw_statement":
		return false
	case "compound_statement":
		return l.fallsThrough(namedChildren(last))
	}
	return true
}
