package lower

// This file lowers statements.

import (
	"strings"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/syntax"
)

// pushScope opens a block's scope and returns the function that closes it.
func (l *lowerer) pushScope() func() {
	old := l.scope
	l.scope = newScope(old, scopeFunction)
	return func() { l.scope = old }
}

// compound lowers the statements of a block. tail says that nothing follows it in the function.
func (l *lowerer) compound(n *syntax.Node, tail bool) {
	defer l.pushScope()()
	base := len(l.cleanups)
	l.list(n.Children, tail)
	l.endScope(base)
}

// list lowers statements, each of which is one that a fix may insert before. What stands behind a
// jump is left out: nothing comes there, and where template arguments or constants chose the
// jump, it may not even make sense.
func (l *lowerer) list(nodes []*syntax.Node, tail bool) {
	oldStmt, oldSpan := l.stmt, l.stmtSpan
	if l.jumpTargets(nodes, tail) {
		l.stmt, l.stmtSpan = oldStmt, oldSpan
		return
	}
	last, start := lastNamed(nodes), len(*l.out)
	for i, n := range nodes {
		if !n.Named || l.full {
			continue
		}
		if len(*l.out) > start && l.leaves() {
			break
		}
		l.setStmt(n)
		l.statement(n, tail && i == last)
	}
	l.stmt, l.stmtSpan = oldStmt, oldSpan
}

func (l *lowerer) setStmt(n *syntax.Node) {
	if l.library != nil {
		return
	}
	l.stmt = n
	l.stmtSpan.File = ""
}

func lastNamed(nodes []*syntax.Node) int {
	for i := len(nodes) - 1; i >= 0; i-- {
		if nodes[i].Named && nodes[i].Kind != "preproc_call" {
			return i
		}
	}
	return -1
}

func (l *lowerer) statement(n *syntax.Node, tail bool) {
	if l.nesting++; l.nesting > maxNesting {
		l.unknown(n, "too deeply nested", true)
		l.nesting--
		return
	}
	defer func() { l.nesting-- }()
	if n.Kind == "ERROR" || n.Missing || n.HasError && hasOwnError(n) {
		l.syntaxError(n)
		return
	}
	l.statementKind(n, tail)
}

// undeclared lowers a statement that is one name which nobody has declared: a macro of a missing header may
// be any statement.
func (l *lowerer) undeclared(n *syntax.Node) bool {
	if n.Kind != "identifier" {
		return false
	}
	v := l.expr(n)
	if v.cat != vPoison || v.reason == "" {
		return false
	}
	l.unknown(n, v.reason, true)
	return true
}

func (l *lowerer) statementKind(n *syntax.Node, tail bool) {
	switch n.Kind {
	case "compound_statement":
		l.compound(n, tail)
	case "expression_statement":
		for _, k := range namedChildren(n) {
			switch {
			case l.undeclared(k):
			case !l.parenthesizedDeclaration(n, k):
				l.discard(k)
			}
		}
	case "declaration":
		l.localDeclaration(n)
	case "if_statement":
		l.ifStatement(n, tail)
	case "for_statement":
		l.forStatement(n)
	case "while_statement":
		l.whileStatement(n)
	case "do_statement":
		l.doStatement(n)
	case "for_range_loop":
		l.rangeLoop(n)
	case "switch_statement":
		l.switchStatement(n)
	case "return_statement":
		l.returnStmt(n, tail)
	case "break_statement":
		l.leave(n, l.frame.breakTo, l.frame.breakBase, func(t *ir.Label) ir.Stmt { return &ir.Break{Target: t} })
	case "continue_statement":
		l.leave(n, l.frame.continueTo, l.frame.continueBase, func(t *ir.Label) ir.Stmt { return &ir.Continue{Target: t} })
	case "labeled_statement":
		l.labeled(n, tail)
	case "goto_statement":
		l.gotoStatement(n)
	case "attributed_statement":
		for _, k := range namedChildren(n) {
			if k.Kind != "attribute_declaration" {
				l.statement(k, tail)
			}
		}
	case "function_definition":
		if a := l.assignmentOfZero(n); a != nil {
			l.discard(a)
			return
		}
		if n.Child("body") == nil || n.Child("type") == nil {
			l.unknown(n, nestedFunction(l, n), true)
			return
		}
		(&collector{u: l.un.u, global: l.scope.root()}).item(n, l.scope, nil)
	case "type_definition", "alias_declaration", "using_declaration", "namespace_alias_definition", "struct_specifier", "class_specifier", "union_specifier", "enum_specifier", "template_declaration":
		(&collector{u: l.un.u, global: l.scope.root()}).item(n, l.scope, nil)
	case "try_statement":
		l.tryStatement(n, tail)
	case "throw_statement":
		l.throw()
	case "case_statement":
		l.unsupportedControl(n, "case label inside a statement")
	case "static_assert_declaration", "preproc_call", "comment", "preproc_def", "preproc_function_def", "preproc_include", "friend_declaration", "empty_statement":
	default:
		if strings.HasSuffix(n.Kind, "_expression") || n.Kind == "identifier" {
			l.discard(n)
			return
		}
		l.unknown(n, "statement "+strings.ReplaceAll(n.Kind, "_", " "), true)
	}
}

// nestedFunction says why what looks like the definition of a function in a function is not understood. Without a type
// it is a macro of a missing header and a block, such as a loop, of which nobody knows what it does with the block.
func nestedFunction(l *lowerer, n *syntax.Node) string {
	if d := functionDeclarator(n.Child("declarator")); d != nil && n.Child("type") == nil {
		return "undeclared macro " + l.text(d.Child("declarator")) + " before a block"
	}
	return "function definition in a function"
}

// unsupportedControl is a jump that the IR does not have: what runs next is not known, so
// the whole function is not.
func (l *lowerer) unsupportedControl(n *syntax.Node, reason string) {
	l.unknown(n, reason, true)
	for _, u := range l.fn.Unknowns {
		if u == reason {
			return
		}
	}
	l.fn.Unknowns = append(l.fn.Unknowns, reason)
}

func (l *lowerer) labeled(n *syntax.Node, tail bool) {
	for _, k := range namedChildren(n) {
		if k.Field != "label" {
			l.statement(k, tail)
		}
	}
}

func (l *lowerer) leave(n *syntax.Node, target *ir.Label, base int, jump func(*ir.Label) ir.Stmt) {
	if target == nil {
		l.unsupportedControl(n, "jump out of nothing")
		return
	}
	l.runCleanups(base)
	l.emit(jump(target))
}

// hasOwnError reports whether an error lies in the statement itself, not in a block inside it.
func hasOwnError(n *syntax.Node) bool {
	for _, k := range n.Children {
		if !k.HasError && k.Kind != "ERROR" && !k.Missing {
			continue
		}
		if k.Kind == "ERROR" && n.Kind == "compound_statement" {
			continue // a statement of its own
		}
		if k.Kind == "ERROR" || k.Missing && k.Kind != ";" {
			return true
		}
		switch k.Kind {
		case "compound_statement", "if_statement", "for_statement", "while_statement", "do_statement", "switch_statement", "for_range_loop",
			"expression_statement", "declaration", "return_statement", "case_statement", "labeled_statement":
			continue
		case "else_clause":
			if hasOwnError(k) {
				return true
			}
			continue
		}
		if k.Missing {
			continue
		}
		if deepError(k) {
			return true
		}
	}
	return false
}

func deepError(n *syntax.Node) bool {
	if n.Kind == "ERROR" || n.Missing {
		return true
	}
	for _, k := range n.Children {
		if k.HasError && deepError(k) {
			return true
		}
	}
	return false
}

// syntaxError stands for a statement that could not be parsed: it may have changed any
// variable that it names, and memory.
func (l *lowerer) syntaxError(n *syntax.Node) {
	seen := map[*ir.Reg]bool{}
	var regs []*ir.Reg
	walk(n, func(k *syntax.Node) bool {
		if k.Kind != "identifier" && k.Kind != "type_identifier" {
			return true
		}
		for _, sym := range l.scope.lookup(l.text(k)) {
			if sym.kind != symVar || sym.v == nil {
				continue
			}
			if sym.v.isBound() {
				l.needPlace(*sym.v)
			}
			for _, r := range sym.v.regs() {
				if !seen[r] {
					seen[r] = true
					regs = append(regs, r)
				}
			}
		}
		return true
	})
	l.unknown(n, "syntax error", true, regs...)
}

// ifStatement lowers an if; a constant condition leaves one branch.
func (l *lowerer) ifStatement(n *syntax.Node, tail bool) {
	defer l.pushScope()()
	c := l.conditionClause(n.Child("condition"))
	then, other := n.Child("consequence"), n.Child("alternative")
	switch {
	case isTrue(c):
		l.branch(then, tail)
		return
	case isFalse(c):
		if other != nil {
			l.branch(other, tail)
		}
		return
	}
	s := &ir.If{Cond: c, Site: l.site(n.Child("condition"), "")}
	s.Then = l.collectStmts(func() { l.branch(then, tail) })
	if other != nil {
		s.Else = l.collectStmts(func() { l.branch(other, tail) })
	}
	l.emit(s)
}

// branch lowers a statement that is the branch of an if or the body of a loop.
func (l *lowerer) branch(n *syntax.Node, tail bool) {
	if n == nil {
		return
	}
	defer l.pushScope()()
	if n.Kind == "else_clause" {
		for _, k := range namedChildren(n) {
			l.statement(k, tail)
		}
		return
	}
	l.statement(n, tail)
}

// conditionClause evaluates `(init; cond)` or `(T x = …)`.
func (l *lowerer) conditionClause(n *syntax.Node) ir.Expr {
	if n == nil {
		return constBool(true)
	}
	if init := n.Child("initializer"); init != nil {
		for _, k := range namedChildren(init) {
			l.statement(k, false)
		}
	}
	v := n.Child("value")
	if v == nil {
		kids := namedChildren(n)
		if len(kids) == 0 {
			return constBool(true)
		}
		v = kids[len(kids)-1]
	}
	if v.Kind == "declaration" {
		return l.conditionDeclaration(v)
	}
	return l.cond(v)
}

func (l *lowerer) conditionDeclaration(n *syntax.Node) ir.Expr {
	l.localDeclaration(n)
	name := nameOf(n.Child("declarator"))
	if name == nil {
		return l.toScalar(l.unknown(n, "syntax error", true), tBool, n)
	}
	return l.cond(name)
}
