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
		l.statement(n.Child("body"), tail)
	case "throw_statement":
		l.emit(&ir.Trap{})
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

// localDeclaration lowers the declaration of local variables.
func (l *lowerer) localDeclaration(n *syntax.Node) {
	c := &collector{u: l.un.u, global: l.scope.root()}
	if tn := n.Child("type"); tn != nil {
		c.typeSpecifier(tn, l.scope, nil)
	}
	t := l.specType(n, l.scope)
	if t == nil && l.looksLikeProduct(n) {
		return
	}
	if t == nil {
		if n.Child("type") == nil {
			return
		}
		t = opaque(strings.Join(strings.Fields(l.text(n.Child("type"))), " "))
	}
	if hasWord(l.un.u, n, "constexpr") {
		t = t.qualified(true, false)
	}
	for i, d := range n.Children {
		if d.Field == "declarator" {
			l.local(n, t, d, n.Children[i+1:])
		}
	}
}

// looksLikeProduct handles `a * b;`, which the grammar takes for a declaration.
func (l *lowerer) looksLikeProduct(n *syntax.Node) bool {
	tn := n.Child("type")
	if tn == nil || tn.Kind != "type_identifier" {
		return false
	}
	syms := l.scope.lookup(l.text(tn))
	return len(syms) > 0 && syms[0].kind == symVar
}

// local lowers one declarator with its initializer.
func (l *lowerer) local(n *syntax.Node, t *ctype, d *syntax.Node, rest []*syntax.Node) {
	inner, init := d, defaultValue(rest)
	if d.Kind == "init_declarator" {
		inner, init = d.Child("declarator"), d.Child("value")
	} else if v := n.Child("value"); v != nil && init == nil { // the declaration of a condition
		init = v
	}
	if t.kind == kOpaque && init != nil {
		if r := l.resolve(typeName(n), l.scope); len(r.syms) > 0 && r.args == nil {
			if deduced := l.deducedFrom(r.syms[0], init); deduced != nil {
				t = deduced
			}
		}
	}
	if f := functionDeclarator(inner); f != nil {
		if !l.isConstruction(f) {
			l.scope.add(&symbol{kind: symFunc, name: l.declName(f.Child("declarator")), node: n, decl: f})
			return
		}
		inner, init = f.Child("declarator"), f.Child("parameters")
	}
	if sb := nameOf(inner); sb != nil && sb.Kind == "structured_binding_declarator" {
		l.structuredBinding(n, t, inner, sb, init)
		return
	}
	t, name := l.declarator(t, inner, l.scope)
	if name == nil {
		l.unknown(n, "declaration", true)
		return
	}
	text := l.text(name)
	space := l.spaceOf(n, ir.Local)
	if space != ir.Local || hasWord(l.un.u, n, "static") || hasWord(l.un.u, n, "extern") {
		l.staticLocal(n, t, text, name, space, init)
		return
	}
	if t.kind == kArray && t.len < 0 && init != nil {
		t = l.sizedByInit(t, init)
	}
	v := l.initLocal(n, t, text, name, init)
	l.scope.add(&symbol{kind: symVar, name: text, v: &v})
}

// typeName is the name of a declaration's type.
func typeName(n *syntax.Node) *syntax.Node {
	if t := n.Child("type"); t != nil {
		return t
	}
	return n
}

// parenthesizedDeclaration handles `int (*p)[4] = a;` and `T (&r)[4] = a;`, which the grammar
// takes for expressions.
func (l *lowerer) parenthesizedDeclaration(n, e *syntax.Node) bool {
	var init *syntax.Node
	if e.Kind == "assignment_expression" && l.text(e.Child("operator")) == "=" {
		e, init = e.Child("left"), e.Child("right")
	}
	var dims []*syntax.Node
	for e.Kind == "subscript_expression" {
		index := namedChildren(e.Child("indices"))
		if len(index) != 1 {
			return false
		}
		dims = append(dims, index[0])
		e = e.Child("argument")
	}
	if len(dims) == 0 || e.Kind != "call_expression" || e.Child("function") == nil {
		return false
	}
	args := namedChildren(e.Child("arguments"))
	if len(args) != 1 || args[0].Kind != "pointer_expression" || args[0].Child("argument").Kind != "identifier" {
		return false
	}
	t := l.tryType(e.Child("function"), l.scope)
	if t == nil {
		return false
	}
	for _, d := range dims {
		size, ok := l.constInt(d, l.scope)
		if !ok {
			return false
		}
		t = arrayOf(t, size)
	}
	name := args[0].Child("argument")
	if l.text(args[0].Child("operator")) == "&" {
		t = refTo(t)
	} else {
		t = pointerTo(t)
	}
	v := l.initLocal(n, t, l.text(name), name, init)
	l.scope.add(&symbol{kind: symVar, name: l.text(name), v: &v})
	return true
}

// isConstruction tells `dim3 grid(x, y)` from a function prototype: a parameter names no type.
func (l *lowerer) isConstruction(f *syntax.Node) bool {
	params := namedChildren(f.Child("parameters"))
	for _, p := range params {
		if p.Kind != "parameter_declaration" {
			return false
		}
		tn := p.Child("type")
		if tn == nil || l.tryType(tn, l.scope) != nil {
			return false
		}
	}
	return len(params) > 0
}

// staticLocal is a __shared__, static or extern variable declared in a function.
func (l *lowerer) staticLocal(n *syntax.Node, t *ctype, text string, name *syntax.Node, space ir.Space, init *syntax.Node) {
	if hasWord(l.un.u, n, "extern") && space != ir.Shared {
		if syms := l.scope.root().lookup(text); len(syms) > 0 {
			l.scope.share(text, syms...)
			return
		}
	}
	key := itoa(name.Start) + "#" + l.frame.key + l.instanceKey(l.scope)
	v, ok := l.globals[key]
	if !ok {
		v = l.makeStatic(n, t, text, space, init, key)
		l.globals[key] = v
	}
	l.scope.add(&symbol{kind: symVar, name: text, v: &v})
}

func (l *lowerer) makeStatic(n *syntax.Node, t *ctype, text string, space ir.Space, init *syntax.Node, key string) value {
	if space == ir.Local { // static
		space = ir.Global
		if t.isConst && t.isScalar() && init != nil {
			if v, ok := l.constValue(init, l.scope); ok {
				return l.convertTo(v, t.unqualified(), init)
			}
		}
		if t.isConst {
			space = ir.Constant
		}
	}
	switch {
	case t.kind == kRecord && t.rec.reason != "":
		return value{t: t, cat: vPoison, reason: t.rec.reason, name: text}
	case t.kind == kOpaque || t.kind == kAuto || t.kind == kGroup:
		return value{t: t, cat: vPoison, reason: "variable of type " + t.String(), name: text}
	}
	return l.objectVariable(text, n, t, space, init, l.scope, key)
}

// initLocal makes an automatic variable with its initial value.
func (l *lowerer) initLocal(n *syntax.Node, t *ctype, text string, name, init *syntax.Node) value {
	if init == nil {
		return l.uninitialized(n, t, text, name)
	}
	if t.kind == kArray && t.leaves() > maxFlatArray && isZeroList(l, init) {
		if elem, _ := t.innermost(); elem.isScalar() {
			place := l.newVariable(text, name, t)
			l.clearLoop(place, init)
			return place
		}
	}
	listInit := init.Kind == "initializer_list"
	argInit := init.Kind == "argument_list" || init.Kind == "parameter_list"
	if t.kind == kRecord && (listInit || argInit) && len(t.rec.ctors) > 0 && t.rec.lib == "" && t.rec.reason == "" {
		return l.constructed(n, t, text, name, init)
	}
	var v value
	switch {
	case listInit && t.kind != kRef:
		v = l.construct(t, nil, init, init)
	case argInit && t.kind == kRef || argInit && t.kind == kAuto:
		kids := namedChildren(init)
		if len(kids) != 1 {
			v = l.unknown(init, "initializer of "+t.String(), true)
			break
		}
		v = l.expr(kids[0])
	case argInit:
		v = l.construct(t, init, nil, init)
	default:
		v = l.expr(init)
	}
	if t.kind == kArray {
		return l.initArray(t, text, name, v, init)
	}
	bound := l.bindVariable(text, name, t, argument{v, init}, l.assignedIn(t, name))
	if t.kind == kRecord {
		l.destroyLater(bound, n)
	}
	return bound
}

func (l *lowerer) constructed(n *syntax.Node, t *ctype, text string, name, init *syntax.Node) value {
	obj := l.newVariable(text, name, t.unqualified())
	args := l.arguments(init)
	if len(args) == 1 && args[0].v.t.kind == kRecord && args[0].v.t.rec == t.rec && !(args[0].v.isPlace() && l.copies(t.rec, args[0].v.moved)) {
		l.assign(obj, l.load(args[0].v, init), init)
	} else if !l.initialize(obj, t, args, n) {
		l.unknown(n, "constructor of "+t.String(), false, append(obj.regs(), l.reachable(values(args))...)...)
	}
	l.destroyLater(obj, n)
	obj.t = obj.t.qualified(t.isConst, t.volatile)
	return obj
}

func (l *lowerer) initArray(t *ctype, text string, name *syntax.Node, v value, init *syntax.Node) value {
	if v.t.kind == kArray && t.len < 0 {
		t = arrayOf(t.elem, v.t.len)
	}
	if v.cat == vAgg && int64(len(v.elems)) == t.len && t.flat() && !l.demoted[name] && !l.placed[name] && allFixed(v) {
		v.t, v.name = t, text
		return v.withDecl(name)
	}
	place := l.newVariable(text, name, t)
	if v.cat == vMem && v.name == "string literal" {
		v = l.loadWhole(value{t: arrayOf(v.t.elem, min(v.t.len, max(t.len, 0))), cat: vMem, x: v.x}, init)
	}
	if place.cat == vAgg && v.cat == vAgg && len(v.elems) < len(place.elems) {
		for i := len(v.elems); i < len(place.elems); i++ {
			v.elems = append(v.elems, l.zeroValue(t.elem, init))
		}
	}
	l.assign(place, v, init)
	return place
}

// isZeroList reports whether an initializer is {} or {0}.
func isZeroList(l *lowerer, init *syntax.Node) bool {
	items := namedChildren(init)
	if init.Kind != "initializer_list" || len(items) > 1 {
		return false
	}
	return len(items) == 0 || items[0].Kind == "number_literal" && strings.Trim(l.text(items[0]), "0.fF") == ""
}

// allFixed reports whether all parts of a value are constants or addresses of variables, so
// that an array of them needs no registers until it is changed.
func allFixed(v value) bool {
	if v.cat == vAgg {
		for _, e := range v.elems {
			if !allFixed(e) {
				return false
			}
		}
		return true
	}
	_, ok := v.x.(*ir.Const)
	return v.cat == vFns || v.cat == vRval && (ok || v.target != nil)
}

// clearLoop zeroes a big array of scalars, whatever its dimensions.
func (l *lowerer) clearLoop(place value, n *syntax.Node) {
	elem, _ := place.t.innermost()
	i := l.newReg(ir.I64, "")
	l.emit(&ir.Assign{Dst: i, X: constInt(ir.I64, 0)})
	body := l.collectStmts(func() {
		p := l.pointerAdd(value{t: pointerTo(elem), cat: vRval, x: place.x, name: place.name}, &ir.RegRef{R: i}, n)
		l.assign(l.deref(p, n), rval(elem, zero(elem.ir())), n)
	})
	post := []ir.Stmt{&ir.Assign{Dst: i, X: binary(ir.Add, &ir.RegRef{R: i}, constInt(ir.I64, 1))}}
	l.emit(&ir.Loop{Label: l.newLabel(), Cond: binary(ir.Lt, &ir.RegRef{R: i}, constInt(ir.I64, place.t.leaves())), Body: body, Post: post, Site: l.site(n, "")})
}

// uninitialized declares a variable without initializer: classes run their constructor.
func (l *lowerer) uninitialized(n *syntax.Node, t *ctype, text string, name *syntax.Node) value {
	if t.kind == kRecord && t.rec.lib != "" {
		return l.libVariable(n, t, text, name)
	}
	if t.kind == kOpaque && !l.host {
		l.unknown(n, "variable of type "+t.String(), false)
	}
	v := l.newVariable(text, name, t)
	if t.kind == kRecord && v.cat != vPoison {
		switch {
		case t.rec.name == "dim3":
			l.assign(v, l.dim3(t, nil), n)
		case len(t.rec.ctors) > 0:
			l.initialize(v, t, nil, n)
		case t.rec.sym != nil && !t.rec.union:
			l.fieldInits(v, t.rec, nil, n)
		}
	} else if v.cat == vPoison && !l.host && t.kind == kRecord {
		l.unknown(n, v.reason, false)
	}
	l.destroyLater(v, n)
	return v
}

func (l *lowerer) structuredBinding(n *syntax.Node, t *ctype, d, sb, init *syntax.Node) {
	var v value
	if init != nil {
		v = l.expr(init)
	}
	if d.Kind != "reference_declarator" {
		v = l.load(v, n)
		if v.cat == vAgg && (v.t.kind == kRecord || v.t.kind == kArray) {
			place := l.place(v.t, "")
			l.assign(place, v, n)
			v = place
		}
	} else {
		v = l.pinned(v, l.assignedWith(sb))
	}
	l.bindParts(n, v, sb)
}

// bindParts gives the parts of an object the names of a structured binding.
func (l *lowerer) bindParts(n *syntax.Node, v value, sb *syntax.Node) {
	for i, name := range namedChildren(sb) {
		var e value
		switch {
		case v.t != nil && v.t.kind == kRecord && i < len(v.t.rec.fields):
			e = l.member(v, i)
		case v.t != nil && v.t.kind == kArray:
			e = l.element(v, int64(i))
		default:
			e = l.unknown(n, "structured binding", false)
		}
		e.name = l.text(name)
		l.scope.add(&symbol{kind: symVar, name: l.text(name), v: &e})
	}
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

// inLoop makes the label the target of break and continue while f runs.
func (l *lowerer) inLoop(label *ir.Label, f func()) {
	old := l.frame.jumps
	base := len(l.cleanups)
	l.frame.jumps = jumps{label, label, base, base}
	f()
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
			elem = l.load(elem, right)
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
			l.rangeVariable(n, value{t: opaque("unknown"), cat: vPoison, reason: reason}, n)
			l.branch(n.Child("body"), false)
		})
	})
	l.emit(loop)
}

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
	sel = l.unwrap(l.rval(vn), vn)
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
