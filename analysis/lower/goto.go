package lower

// This file lowers the gotos that structured control has a form for: forward to a label later
// in the same or an enclosing block, which leaves a Block, and backward to a label in an
// enclosing block, which goes on with a Loop.

import (
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/syntax"
)

// gotoTarget is what a goto to a label becomes.
type gotoTarget struct {
	label    *ir.Label
	backward bool
	base     int // cleanups that stay
}

// jumpTargets lowers a list of statements that holds a label which gotos name: the last label
// that is jumped forward to, else the first that is jumped back to. It reports false, having
// done nothing, if there is none.
func (l *lowerer) jumpTargets(nodes []*syntax.Node, tail bool) bool {
	back := -1
	for i := len(nodes) - 1; i >= 0; i-- {
		n := nodes[i]
		if n.Kind != "labeled_statement" || n.Child("label") == nil {
			continue
		}
		name := l.text(n.Child("label"))
		if _, open := l.frame.gotos[name]; open {
			continue
		}
		before, behind := l.countGotos(nodes[:i], name), l.countGotos(nodes[i:], name)
		switch {
		case before > 0 && behind == 0:
			l.forward(nodes, i, name, tail)
			return true
		case before == 0 && behind > 0:
			back = i
		}
	}
	if back >= 0 {
		l.backward(nodes, back, l.text(nodes[back].Child("label")))
	}
	return back >= 0
}

func (l *lowerer) countGotos(nodes []*syntax.Node, name string) int {
	count := 0
	for _, n := range nodes {
		walk(n, func(k *syntax.Node) bool {
			if k.Kind == "goto_statement" && l.text(k.Child("label")) == name {
				count++
			}
			return k.Kind != "lambda_expression"
		})
	}
	return count
}

func (l *lowerer) withTarget(name string, t gotoTarget, f func()) {
	if l.frame.gotos == nil {
		l.frame.gotos = map[string]gotoTarget{}
	}
	l.frame.gotos[name] = t
	f()
	delete(l.frame.gotos, name)
}

// forward puts what stands before the label into a Block that the gotos leave.
func (l *lowerer) forward(nodes []*syntax.Node, i int, name string, tail bool) {
	block := &ir.Block{Label: l.newLabel()}
	l.withTarget(name, gotoTarget{label: block.Label, base: len(l.cleanups)}, func() {
		block.Body = l.collectStmts(func() { l.list(nodes[:i], false) })
	})
	block.Body = dropLastBreak(block.Body, block.Label)
	if jumpsTo(block.Body, block.Label) {
		l.emit(block)
	} else {
		*l.out = append(*l.out, block.Body...)
	}
	l.list(nodes[i:], tail)
}

// backward puts what stands behind the label into a Loop that the gotos go on with.
func (l *lowerer) backward(nodes []*syntax.Node, i int, name string) {
	l.list(nodes[:i], false)
	loop := &ir.Loop{Label: l.newLabel(), Cond: constBool(true), Site: l.site(nodes[i], "")}
	l.withTarget(name, gotoTarget{label: loop.Label, backward: true, base: len(l.cleanups)}, func() {
		loop.Body = l.collectStmts(func() {
			l.list(nodes[i:], false)
			if !l.leaves() {
				l.emit(&ir.Break{Target: loop.Label})
			}
		})
	})
	l.emit(loop)
}

func (l *lowerer) gotoStatement(n *syntax.Node) {
	t, ok := l.frame.gotos[l.text(n.Child("label"))]
	if !ok {
		l.unsupportedControl(n, "goto")
		return
	}
	l.runCleanups(t.base)
	if t.backward {
		l.emit(&ir.Continue{Target: t.label})
	} else {
		l.emit(&ir.Break{Target: t.label})
	}
}
