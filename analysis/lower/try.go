package lower

import (
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/syntax"
)

// This file lowers try. What is thrown in the block itself, or in a function that is inlined there, goes on with a handler,
// and then behind it; other exceptions are taken not to be thrown. Without a handler around it, a throw ends the program.

// tryStatement lowers a try of the host.
func (l *lowerer) tryStatement(n *syntax.Node, tail bool) {
	var handlers []*syntax.Node
	for _, k := range namedChildren(n) {
		if k.Kind == "catch_clause" && k.Child("body") != nil {
			handlers = append(handlers, k)
		}
	}
	if !l.host || len(handlers) == 0 {
		l.statement(n.Child("body"), tail)
		return
	}
	thrown, done := &ir.Block{Label: l.newLabel()}, &ir.Block{Label: l.newLabel()}
	around := l.catching
	l.catching = thrown.Label
	thrown.Body = l.collectStmts(func() {
		l.statement(n.Child("body"), false)
	})
	l.catching = around
	if !jumpsTo(thrown.Body, thrown.Label) {
		*l.out = append(*l.out, thrown.Body...)
		return
	}
	done.Body = l.collectStmts(func() {
		l.emit(thrown)
		l.handle(handlers)
	})
	thrown.Body = append(thrown.Body, &ir.Break{Target: done.Label})
	l.emit(done)
}

// handle lowers handlers, of which nobody knows which one it is.
func (l *lowerer) handle(handlers []*syntax.Node) {
	first := func() { l.handler(handlers[0]) }
	if len(handlers) == 1 {
		first()
		return
	}
	l.maybe(handlers[0], "throw", first, func() { l.handle(handlers[1:]) })
}

func (l *lowerer) handler(n *syntax.Node) {
	defer l.pushScope()()
	for _, p := range l.un.parameters(n) {
		if d := p.Child("declarator"); d != nil {
			v := value{t: opaque("exception"), cat: vPoison, reason: "exception"}
			walk(d, func(k *syntax.Node) bool {
				if k.Kind == "identifier" {
					l.scope.add(&symbol{kind: symVar, name: l.text(k), v: &v})
				}
				return true
			})
		}
	}
	l.statement(n.Child("body"), false)
}

// throw goes on with the handler around it, or ends the program.
func (l *lowerer) throw() {
	if l.catching != nil {
		l.emit(&ir.Break{Target: l.catching})
		return
	}
	l.emit(&ir.Trap{})
}
