package lower

// This file lowers calls: it finds the function that a call means and inlines it.

import (
	"maps"
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/source"
	"github.com/warplint/warplint/analysis/syntax"
)

// argument is an evaluated argument with its syntax.
type argument struct {
	v value
	n *syntax.Node
}

// arguments evaluates an argument list; pack expansions give one argument an element.
func (l *lowerer) arguments(list *syntax.Node) []argument {
	var out []argument
	var ends []int // where what each emitted ends
	add := func(n *syntax.Node) {
		out = append(out, argument{l.expr(n), n})
		ends = append(ends, len(*l.out))
	}
	for _, n := range namedChildren(list) {
		if n.Kind == "parameter_pack_expansion" {
			l.expandPack(n, add)
		} else {
			add(n)
		}
	}
	for i := len(out) - 2; i >= 0; i-- {
		if v := out[i].v; v.cat == vRval || v.cat == vMem {
			out[i].v = l.asBefore(v, out[i].n, ends[i])
		}
	}
	return out
}

// expandPack calls f for the pattern of an expansion, once for each element.
func (l *lowerer) expandPack(n *syntax.Node, f func(p *syntax.Node)) {
	pattern := n.Child("pattern")
	l.eachPack(n, l.scope, func() { f(pattern) })
}

func values(args []argument) []value {
	out := make([]value, len(args))
	for i, a := range args {
		out[i] = a.v
	}
	return out
}

// callExpr lowers a call, a functional cast or a kernel launch.
func (l *lowerer) callExpr(n *syntax.Node) value {
	fn, args := n.Child("function"), n.Child("arguments")
	if fn == nil || args == nil {
		return l.unknown(n, "syntax error", true)
	}
	for _, k := range n.Children {
		if k.Kind == "kernel_call_syntax" {
			return l.launch(n, fn, k, args)
		}
	}
	switch fn.Kind {
	case "parenthesized_expression":
		if t := l.parenthesizedType(fn); t != nil {
			kids := namedChildren(args)
			if len(kids) == 1 {
				return l.cast(kids[0], t, n)
			}
			return l.construct(t, args, nil, n)
		}
	case "primitive_type", "sized_type_specifier":
		return l.construct(l.typeNode(fn, l.scope), args, nil, n)
	case "field_expression":
		return l.methodCall(n, fn, args)
	case "identifier", "qualified_identifier", "template_function", "dependent_type", "template_type":
		return l.namedCall(n, fn, args)
	}
	return l.callValue(n, l.expr(fn), args)
}

// namedCall lowers f(…), T(…), object(…) and the intrinsics.
func (l *lowerer) namedCall(n, fn, args *syntax.Node) value {
	r := l.resolve(fn, l.scope)
	if len(r.syms) == 0 || r.syms[0].kind == symNamespace {
		if m, ok := l.memberByName(fn, r.name, r.rec); ok && fn.Kind == "identifier" { // a function object
			return l.callValue(n, m, args)
		}
		if fn.Kind == "template_function" && len(r.canon) > 0 {
			if kind := castNames[r.canon[0]]; kind {
				return l.namedCast(n, r, args)
			}
		}
		if t := l.libType(r.canon, r.args, l.scope); t != nil {
			return l.construct(t, args, nil, n)
		}
		return l.builtinCall(n, fn, r, args)
	}
	if l.hiddenByMember(r) {
		return l.callValue(n, l.name(fn), args)
	}
	switch r.syms[0].kind {
	case symFunc:
		fs := &fnset{name: r.name, syms: r.syms, args: r.args, scope: l.scope, canon: r.canon, rec: r.rec, exact: r.qual}
		return l.callSet(n, fn, fs, args)
	case symClass, symAlias:
		if t := l.symType(r.syms[0], r.args, l.scope); t != nil {
			return l.construct(t, args, nil, n)
		}
		if t := l.deducedFrom(r.syms[0], args); t != nil {
			return l.construct(t, args, nil, n)
		}
		return l.unknown(n, "unknown type "+r.name, true)
	}
	if fn.Kind == "template_function" && r.syms[0].kind == symVar && r.syms[0].tparams == nil {
		return l.comparisonChain(n, fn, args)
	}
	return l.callValue(n, l.name(fn), args)
}

var castNames = map[string]bool{"static_cast": true, "reinterpret_cast": true, "const_cast": true, "dynamic_cast": true}

func (l *lowerer) namedCast(n *syntax.Node, r nameRef, args *syntax.Node) value {
	targs, kids := namedChildren(r.args), namedChildren(args)
	if len(targs) != 1 || len(kids) != 1 {
		return l.unknown(n, "syntax error", true)
	}
	return l.cast(kids[0], l.typeNode(targs[0], l.scope), n)
}

// comparisonChain handles `i < n && j > (m)`, which the grammar takes for the call of a
// template.
func (l *lowerer) comparisonChain(n, fn, args *syntax.Node) value {
	inner, outer := namedChildren(fn.Child("arguments")), namedChildren(args)
	if len(inner) != 1 || len(outer) != 1 || inner[0].Kind != "binary_expression" {
		return l.unknown(n, "ambiguous <", true)
	}
	mid := inner[0]
	op := l.text(mid.Child("operator"))
	if op != "&&" && op != "||" {
		return l.unknown(n, "ambiguous <", true)
	}
	left := fakeBinary(fn.Child("name"), mid.Child("left"), fn.Child("arguments").Children[0])
	kids := fn.Child("arguments").Children
	right := fakeBinary(mid.Child("right"), args, kids[len(kids)-1])
	right.Children[2].Kind = "parenthesized_expression"
	return l.logical(n, op, left, right)
}

func fakeBinary(x, y, op *syntax.Node) *syntax.Node {
	a, b, o := *x, *y, *op
	a.Field, b.Field, o.Field = "left", "right", "operator"
	return &syntax.Node{Kind: "binary_expression", Named: true, Start: a.Start, End: b.End, Children: []*syntax.Node{&a, &o, &b}}
}

// methodCall lowers object.f(…).
func (l *lowerer) methodCall(n, fn, args *syntax.Node) value {
	obj := l.object(fn)
	field := fn.Child("field")
	if obj.cat == vPoison {
		reason := "call of a member of an unknown object"
		if field != nil {
			reason = "call of member " + l.text(field) + " of an unknown object"
		}
		return l.opaqueCall(n, reason, l.arguments(args))
	}
	if obj.t.kind != kRecord || obj.t.rec.scope == nil || obj.t.rec.lib != "" {
		return l.builtinMethod(n, fn, obj, args)
	}
	if field != nil && field.Kind == "destructor_name" {
		return value{t: tVoid}
	}
	m := l.memberOf(fn, obj, field)
	if m.cat == vFns {
		return l.callSet(n, field, m.fns, args)
	}
	return l.callValue(n, m, args)
}

// callValue calls a function, a lambda or an object with operator().
func (l *lowerer) callValue(n *syntax.Node, f value, args *syntax.Node) value {
	object := f
	f = l.load(f, n)
	switch {
	case f.cat == vFns:
		return l.callSet(n, n.Child("function"), f.fns, args)
	case f.t.kind == kClosure:
		return l.callClosure(n, f.t.closure, l.arguments(args))
	case f.t.kind == kRecord:
		list := l.arguments(args)
		all, nodes := []value{f}, []*syntax.Node{n.Child("function")}
		for _, a := range list {
			all, nodes = append(all, a.v), append(nodes, a.n)
		}
		if object.isPlace() {
			all[0] = object
		}
		if r, ok := l.operator(n, "operator()", all, nodes); ok {
			return r
		}
		return l.opaqueCall(n, "call of "+f.t.String(), list)
	case f.t.kind == kPtr || f.t.kind == kFunc:
		list := l.arguments(args)
		t := f.t
		if t.kind == kPtr {
			t = t.elem
		}
		return l.callPointer(n, f, t, list)
	}
	return l.opaqueCall(n, "call of "+f.t.String(), l.arguments(args))
}

// opaqueCall stands for a call whose function is not known: it may change all memory and
// every variable whose address it is given.
func (l *lowerer) opaqueCall(n *syntax.Node, reason string, args []argument) value {
	var regs []value
	for _, a := range args {
		regs = append(regs, a.v)
	}
	return l.unknown(n, reason, true, l.reachable(regs)...)
}

func (l *lowerer) clobberArgs(n *syntax.Node, reason string, args []argument) {
	if regs := l.reachable(values(args)); len(regs) > 0 {
		l.unknown(n, reason, false, regs...)
	}
}

// reachable lists the registers that a callee could change: places passed by reference, and
// what pointers point to.
func (l *lowerer) reachable(vs []value) []*ir.Reg {
	var out []*ir.Reg
	for _, v := range vs {
		switch {
		case v.isPlace():
			out = append(out, v.regs()...)
		case v.cat == vRval && v.target != nil:
			if v.target.isBound() {
				l.needPlace(*v.target)
			}
			out = append(out, v.target.regs()...)
		case v.isBound():
			l.needPlace(v)
		}
	}
	return out
}

// candidate is a function that a call may mean.
type candidate struct {
	sym    *symbol
	scope  *scope // in which its parameters' types are resolved
	params []*syntax.Node
	types  []*ctype
	rank   int
	key    string // its template arguments
	templ  bool
	in     *record

	constrained bool // it has constraints, which hold
	doubtful    bool // or may hold
}

// callSet chooses among overloads and inlines the choice.
func (l *lowerer) callSet(n, nameNode *syntax.Node, fs *fnset, list *syntax.Node) value {
	if l.intrinsicFirst(fs) {
		return l.builtinCall(n, nameNode, nameRef{name: fs.name, args: fs.args, canon: fs.canon}, list)
	}
	args := l.arguments(list)
	if c := l.choose(fs, args); c != nil {
		return l.inlineMember(n, c, fs, args)
	}
	if fs.this == nil && len(fs.canon) > 0 {
		if f := findBuiltin(fs.canon); f != nil {
			return f(l, &callSite{n: n, nameNode: nameNode, name: fs.name, targs: fs.args, args: args})
		}
	}
	if len(args) > 0 && fs.this == nil {
		if extra := l.adl(fs, args); extra != nil {
			if c := l.choose(extra, args); c != nil {
				return l.inlineMember(n, c, extra, args)
			}
		}
	}
	if fs.this != nil && !fs.exact && fs.this.t.kind == kRecord && fs.this.t.rec.virtual && l.isVirtual(fs.this.t.rec, fs.name) {
		return l.virtualCall(n, fs, *fs.this, args) // of a pure virtual function
	}
	return l.undefined(n, fs, args)
}

// intrinsicFirst reports whether the functions of the set are only prototypes of something
// that lowering knows.
func (l *lowerer) intrinsicFirst(fs *fnset) bool {
	if fs.this != nil || fs.rec != nil || findBuiltin(fs.canon) == nil {
		return false
	}
	for _, sym := range fs.syms {
		if sym.kind == symFunc && sym.node.Child("body") != nil {
			return false
		}
	}
	return true
}

// undefined is the result of a call to a function without a body here.
func (l *lowerer) undefined(n *syntax.Node, fs *fnset, args []argument) value {
	reason := "no matching function " + fs.name
	for _, sym := range fs.syms {
		if sym.kind == symFunc && sym.node.Child("body") == nil && sym.tparams == nil && len(fs.syms) == 1 {
			reason = "no definition of " + fs.name
			if fs.this == nil {
				c := &candidate{sym: sym, scope: sym.scope, params: l.un.parameters(sym.decl)}
				c.types = l.parameterTypes(c)
				args = shared(c, args)
			}
			if t := l.specType(sym.node, sym.scope); t != nil {
				t, _ = l.declarator(t, returnDeclarator(sym.node.Child("declarator")), sym.scope)
				if t.kind == kFunc {
					t = t.elem
				}
				if t.isScalar() && t.kind != kRef {
					l.clobberArgs(n, reason, args)
					return l.load(l.unknownOf(n, t, reason, true), n)
				}
			}
		}
	}
	return l.opaqueCall(n, reason, args)
}

// returnDeclarator is the declarator around a function's own.
func returnDeclarator(d *syntax.Node) *syntax.Node { return d }

// adl finds functions in the namespaces of the arguments' classes.
func (l *lowerer) adl(fs *fnset, args []argument) *fnset {
	out := *fs
	out.syms = nil
	for _, a := range args {
		t := a.v.t.noRef()
		for t.kind == kPtr || t.kind == kArray { // [basic.lookup.argdep]
			t = t.elem
		}
		if t.kind != kRecord || t.rec.scope == nil {
			continue
		}
		ns := enclosingNamespace(t.rec.scope)
		out.syms = append(out.syms, ns.own(fs.name)...)
	}
	if len(out.syms) == 0 {
		return nil
	}
	return &out
}

// inlineMember inlines a chosen function; a method gets its object.
func (l *lowerer) inlineMember(n *syntax.Node, c *candidate, fs *fnset, args []argument) value {
	this := fs.this
	if this == nil && c.in != nil && !c.sym.static {
		this = l.thisValue()
	}
	if this != nil {
		l.dropped(*this, n)
	}
	if this != nil && c.in != nil && this.isTemporary() && (this.t.hasArrays() || !isConstMember(c.sym.decl)) {
		object := l.materialized(*this, n)
		this = &object
	}
	if static := this; static != nil && c.in != nil && this.t.kind == kRecord {
		if path := this.t.rec.basePath(c.in); len(path) > 0 {
			base := l.memberPath(*this, path)
			this = &base
		}
		if c.in.virtual && !fs.exact && !static.whole && (this.cat == vMem || static.part) && l.isVirtual(c.in, c.sym.name) {
			return l.virtualCall(n, fs, *static, args)
		}
	}
	return l.inline(n, c, this, args)
}

// isConstMember reports whether a member function promises not to change its object.
func isConstMember(decl *syntax.Node) bool {
	return slices.ContainsFunc(decl.Children, func(k *syntax.Node) bool { return k.Kind == "type_qualifier" })
}

// choose is overload resolution, by the ranks of the arguments' conversions.
func (l *lowerer) choose(fs *fnset, args []argument) *candidate {
	var best *candidate
	viable, doubtful := 0, false
	var explicit []targ
	if fs.args != nil {
		explicit = l.writtenArgs(fs.args, fs.scope)
	}
	for _, sym := range fs.syms {
		if l.full = l.full || l.un.ctx.Err() != nil; l.full {
			return nil
		}
		if sym.kind != symFunc {
			continue
		}
		c := l.viable(sym, fs, explicit, args)
		if c == nil {
			continue
		}
		viable++
		doubtful = doubtful || c.doubtful
		if best == nil || c.better(best) {
			best = c
		}
	}
	if doubtful && viable > 1 {
		l.unknown(best.sym.node, "overload that a constraint decides", false)
	}
	return best
}

func (c *candidate) better(o *candidate) bool {
	if c.rank != o.rank {
		return c.rank < o.rank
	}
	if c.templ != o.templ {
		return !c.templ
	}
	if c.constrained != o.constrained {
		return c.constrained
	}
	if bc, bo := c.sym.node.Child("body") != nil, o.sym.node.Child("body") != nil; bc != bo {
		return bc
	}
	return c.templ && specificity(c.params) > specificity(o.params)
}

// specificity counts the structure in parameters: the more, the more specialized a template.
func specificity(params []*syntax.Node) int {
	n := 0
	for _, p := range params {
		n += len(declOps(p.Child("declarator")))
		walk(p.Child("type"), func(k *syntax.Node) bool {
			n++
			return true
		})
	}
	return n
}

// viable matches a function with arguments.
func (l *lowerer) viable(sym *symbol, fs *fnset, explicit []targ, args []argument) *candidate {
	c := &candidate{sym: sym, scope: sym.scope, templ: sym.tparams != nil}
	if sym.scope != nil && sym.scope.kind == scopeClass {
		c.in = sym.scope.rec
	}
	body := sym
	if sym.node.Child("body") == nil {
		if body = l.definitionOf(sym, c.in); body == nil {
			return nil
		}
	}
	c.params = l.un.parameters(body.decl)
	if !l.arity(c, sym, len(args)) {
		return nil
	}
	if sym.tparams != nil {
		spec, ok := l.deduceCall(c, sym, explicit, args)
		if !ok {
			return nil
		}
		if spec != nil {
			body = spec
			c.params = l.un.parameters(body.decl)
		}
	} else if len(explicit) > 0 {
		return nil
	}
	if body != sym && body.scope != sym.scope && body.tparams != nil && c.in != nil {
		c.scope = l.outsideScope(body, c, sym)
	}
	c.sym = body
	if sym.static && !body.static {
		b := *body
		b.static = true
		c.sym = &b
	}
	return l.rankArgs(c, args)
}

// outsideScope binds the parameters of `template<class U> T C<U>::f` to the class's arguments.
func (l *lowerer) outsideScope(body *symbol, c *candidate, decl *symbol) *scope {
	s := newScope(c.scope, scopeTemplate)
	for i, p := range l.tparams(body.tparams) {
		if decl.tparams == nil && i < len(c.in.args) {
			bindParam(s, p, c.in.args[i])
		}
	}
	return s
}

// definitionOf finds the body of a function that is only declared where it was found.
func (l *lowerer) definitionOf(sym *symbol, in *record) *symbol {
	var list []*symbol
	if in != nil && in.sym != nil {
		list = in.sym.outside
	} else if sym.scope != nil {
		list = sym.scope.syms[sym.name]
	}
	want := len(l.un.parameters(sym.decl))
	var found *symbol
	for _, o := range list {
		if o.name != sym.name || o.node.Child("body") == nil || len(l.un.parameters(o.decl)) != want {
			continue
		}
		if in == nil {
			return nil // the definition is a candidate of its own
		}
		if found == nil || l.sameParams(o, sym) {
			found = o
		}
	}
	return found
}

func (l *lowerer) sameParams(a, b *symbol) bool {
	pa, pb := l.un.parameters(a.decl), l.un.parameters(b.decl)
	for i := range pa {
		if strings.Join(strings.Fields(l.text(pa[i].Child("type"))), "") != strings.Join(strings.Fields(l.text(pb[i].Child("type"))), "") {
			return false
		}
	}
	return true
}

// parameters lists the parameter declarations of a function declarator, without `void`.
func (un *unitState) parameters(d *syntax.Node) []*syntax.Node {
	var out []*syntax.Node
	list := d.Child("parameters")
	if list == nil {
		if in := d.Child("declarator"); in != nil {
			list = in.Child("parameters")
		}
	}
	for _, p := range namedChildren(list) {
		switch p.Kind {
		case "parameter_declaration":
			if t := p.Child("type"); t != nil && p.Child("declarator") == nil && len(list.Children) == 3 && un.u.Slice(t) == "void" {
				continue
			}
			out = append(out, p)
		case "optional_parameter_declaration", "variadic_parameter_declaration":
			out = append(out, p)
		}
	}
	return out
}

// arity reports whether a function takes that many arguments.
func (l *lowerer) arity(c *candidate, sym *symbol, n int) bool {
	if len(c.params) == 1 && n == 0 && c.params[0].Child("declarator") == nil && l.text(c.params[0]) == "void" {
		c.params = nil
	}
	most := len(c.params)
	for i, p := range c.params {
		switch p.Kind {
		case "parameter_declaration":
			if i >= n && l.defaultArg(c, sym, i) == nil {
				return false
			}
		case "variadic_parameter_declaration":
			most = 1 << 30
		}
	}
	if list := sym.decl.Child("parameters"); list != nil {
		for _, k := range list.Children {
			if k.Kind == "..." {
				most = 1 << 30
			}
		}
	}
	return n <= most
}

// defaultArg finds a parameter's default argument, in the definition or in a prototype.
func (l *lowerer) defaultArg(c *candidate, sym *symbol, i int) *syntax.Node {
	if i < len(c.params) {
		if d := c.params[i].Child("default_value"); d != nil {
			return d
		}
	}
	if sym.scope == nil {
		return nil
	}
	for _, o := range sym.scope.syms[sym.name] {
		if o.kind != symFunc || o.decl == nil {
			continue
		}
		if ps := l.un.parameters(o.decl); len(ps) == len(c.params) && i < len(ps) {
			if d := ps[i].Child("default_value"); d != nil && (o == sym || l.sameParams(o, sym)) {
				return d
			}
		}
	}
	return nil
}

// deduceCall binds a function template's parameters; it returns the specialization to take.
func (l *lowerer) deduceCall(c *candidate, sym *symbol, explicit []targ, args []argument) (*symbol, bool) {
	params := l.tparams(sym.tparams)
	d := &deduction{params: params, found: map[string]targ{}, fixed: map[string]bool{}, scope: sym.scope}
	for i, p := range params {
		d.fixed[p.name] = i < len(explicit)
		if p.pack && i < len(explicit) {
			d.found[p.name] = targ{pack: explicit[i:], list: true}
			break
		}
		if i < len(explicit) {
			d.found[p.name] = explicit[i]
		}
	}
	if len(explicit) > len(params) && !(len(params) > 0 && params[len(params)-1].pack) {
		return nil, false
	}
	for i, p := range c.params {
		if p.Kind == "variadic_parameter_declaration" {
			l.deducePack(d, p, args[min(i, len(args)):])
			break
		}
		if i >= len(args) {
			break
		}
		if args[i].v.init != nil || args[i].v.cat == vPoison && !args[i].v.t.isScalar() || args[i].v.cat == vFns && args[i].v.t.kind == kFunc && len(args[i].v.fns.syms) != 1 {
			continue
		}
		if !l.deduceOne(d, p, args[i].v) {
			return nil, false
		}
	}
	in := newScope(sym.scope, scopeTemplate)
	var bound []targ
	for _, p := range params {
		a, ok := d.found[p.name]
		if !ok && p.pack {
			a, ok = targ{list: true}, true
		}
		if !ok && p.def != nil {
			if p.kind == 'v' {
				if v, is := l.constValue(p.def, in); is {
					a, ok = targ{v: &v}, true
				} else if e := enableIf(l, p, in); e {
					a, ok = targ{}, true
				}
			} else if t := l.tryType(p.def, in); t != nil {
				a, ok = targ{t: t}, true
			}
		}
		if !ok && p.name == "" && p.kind == 'v' && p.def != nil {
			ok = true
		}
		if !ok {
			return nil, false
		}
		a = l.fitArg(p, a, in)
		bindParam(in, p, a)
		bound = append(bound, a)
	}
	c.scope, c.key = in, argsKey(bound)
	v := l.satisfied(sym, params, bound, in)
	if !v.holds {
		return nil, false
	}
	c.constrained, c.doubtful = v.constrained, !v.known
	if tn := sym.node.Child("type"); tn != nil && strings.Contains(l.text(tn), "enable_if") && l.tryType(tn, in) == nil {
		return nil, false // substitution failure ([temp.deduct])
	}
	return l.functionSpecialization(sym, bound, args), true
}

// enableIf reports whether an unnamed `enable_if` parameter lets the template take part.
func enableIf(l *lowerer, p tparam, in *scope) bool { return l.tryType(p.node, in) != nil }

// deduceOne deduces from one argument; a function argument gives its own type.
func (l *lowerer) deduceOne(d *deduction, p *syntax.Node, v value) bool {
	t := v.t
	if v.cat == vFns && v.fns != nil {
		t = &ctype{kind: kFunc, elem: tVoid}
		if tn := p.Child("type"); tn != nil {
			if tp := d.param(l.text(tn)); tp != nil {
				fnType := &ctype{kind: kOpaque, name: "function " + v.fns.name}
				return d.bind(tp.name, targ{t: fnType})
			}
		}
		return true
	}
	return l.deduce(d, p, t)
}

func (l *lowerer) deducePack(d *deduction, p *syntax.Node, args []argument) {
	tn := p.Child("type")
	if tn == nil {
		return
	}
	name := l.text(tn)
	tp := d.param(name)
	if tp == nil || !tp.pack {
		return
	}
	if _, ok := d.found[name]; ok {
		return
	}
	pack := targ{list: true}
	for _, a := range args {
		one := &deduction{params: d.params, found: map[string]targ{}, scope: d.scope}
		l.deduce(one, p, a.v.t)
		pack.pack = append(pack.pack, one.found[name])
	}
	d.found[name] = pack
}

// functionSpecialization finds `template<> void f<int>(…)` for the arguments.
func (l *lowerer) functionSpecialization(sym *symbol, bound []targ, args []argument) *symbol {
	for _, spec := range sym.specs {
		name := spec.decl.Child("declarator")
		d := &deduction{found: map[string]targ{}, scope: spec.scope}
		written := namedChildren(name.Child("arguments"))
		ok := len(written) <= len(bound)
		for i, w := range written {
			ok = ok && l.deduceArg(d, w, bound[i])
		}
		if ok {
			return spec
		}
	}
	return nil
}

// rankArgs resolves the parameter types and sums the ranks of the conversions.
func (l *lowerer) rankArgs(c *candidate, args []argument) *candidate {
	c.types = l.parameterTypes(c)
	for i, t := range c.types[:min(len(c.types), len(args))] {
		r := l.convRank(args[i].v, t)
		if r < 0 {
			return nil
		}
		c.rank += r
	}
	return c
}

// parameterTypes are the types of a candidate's parameters, up to a pack. Those of a function that
// is no template and no member are kept: operators have many overloads, and all of them are ranked
// at each use.
func (l *lowerer) parameterTypes(c *candidate) []*ctype {
	plain := c.sym.tparams == nil && c.sym.scope == c.scope && c.scope.kind == scopeNamespace
	if plain && c.sym.params != nil {
		if l.un.closures != nil {
			l.un.closures.touch(c.sym.node.Start)
		}
		return c.sym.params
	}
	types := make([]*ctype, 0, len(c.params))
	for _, p := range c.params {
		if p.Kind == "variadic_parameter_declaration" {
			break
		}
		t := l.tryType(p, c.scope)
		if t == nil {
			t = opaque(l.text(p.Child("type")))
			plain = false // it may become known
		}
		types = append(types, t.decayParam())
	}
	if plain {
		c.sym.params = types
	}
	return types
}

// userConversion is the rank of a conversion by a constructor or a conversion function.
const userConversion = 12

// convRank orders implicit conversions: 0 is exact, -1 impossible.
func (l *lowerer) convRank(v value, t *ctype) int {
	to := t.noRef()
	from := v.t.noRef()
	if t.kind == kRef && !t.rvalue && !to.isConst && !v.isPlace() && v.decl == nil && (v.cat == vRval || v.cat == vAgg && v.init == nil) && to.kind != kAuto {
		return -1
	}
	switch {
	case v.cat == vPoison || v.init != nil || to.kind == kAuto || from.kind == kAuto:
		return 8
	case t.kind == kRef && t.rvalue && v.isPlace() && !v.moved && sameType(from, to):
		return 2 // possible only where T&& stands for an lvalue's type
	case t.kind == kRef && !t.rvalue && !to.isConst && v.moved:
		return -1
	case v.cat == vFns:
		if to.kind == kPtr || to.kind == kFunc || to.kind == kOpaque {
			return 0
		}
		return -1
	case from.kind == kClosure && to.kind == kPtr && to.elem.kind == kFunc:
		return 4
	case sameType(from, to):
		if t.kind == kRef && from.isConst && !to.isConst && !t.rvalue {
			return -1
		}
		if t.kind == kRef && to.isConst && !from.isConst {
			return 1
		}
		return 0
	case from.kind == kArray && to.kind == kArray && t.kind == kRef:
		return qualificationRank(from, to)
	case from.kind == kArray && to.kind == kPtr:
		return l.pointerRank(from.elem, to.elem)
	case from.kind == kPtr && to.kind == kPtr:
		return l.pointerRank(from.elem, to.elem)
	case to.kind == kPtr && (from.kind == kNull || v.cat == vRval && from.isInt() && isNullConst(v)):
		return 4
	case from.kind == kPtr && to.kind == kScalar && to.scalar == ir.Bool:
		return 10
	case from.isArithmetic() && to.isArithmetic():
		if t.kind == kRef && !to.isConst && !t.rvalue {
			return -1
		}
		return arithmeticRank(from, to)
	case from.kind == kRecord && to.kind == kRecord:
		if from.rec.basePath(to.rec) != nil {
			return 6
		}
		if len(to.rec.ctors) > 0 || to.rec.lib != "" || len(l.conversions(from.rec)) > 0 {
			return userConversion
		}
		return -1
	case from.kind == kRecord:
		if from.rec.lib != "" || len(l.conversions(from.rec)) > 0 {
			return userConversion
		}
		return -1
	case to.kind == kRecord:
		if len(to.rec.ctors) > 0 || to.rec.lib != "" || to.rec.name == "dim3" && from.isArithmetic() {
			return userConversion
		}
		return -1
	case from.kind == kGroup && to.kind == kGroup:
		if from.name == to.name && (to.len == from.len || to.len == 0) {
			return 0
		}
		if to.name == groupAny {
			return 6
		}
		return -1
	case to.kind == kOpaque || from.kind == kOpaque:
		return 9
	}
	return -1
}

// qualificationRank is that of a reference to an array of const elements, bound to one of others.
func qualificationRank(from, to *ctype) int {
	for from.kind == kArray && to.kind == kArray && from.len == to.len {
		from, to = from.elem, to.elem
	}
	if from.kind == kArray || to.kind == kArray || !sameType(from.unqualified(), to.unqualified()) || from.isConst && !to.isConst {
		return -1
	}
	return 1
}

func (l *lowerer) pointerRank(from, to *ctype) int {
	switch {
	case sameType(from, to):
		if from.isConst && !to.isConst || from.volatile && !to.volatile {
			return -1
		}
		if from.isConst != to.isConst || from.volatile != to.volatile {
			return 1
		}
		return 0
	case to.kind == kVoid:
		return 7
	case from.kind == kPtr && to.kind == kPtr && to.isConst: // T ** to const T *const * ([conv.qual])
		if r := l.pointerRank(from.elem, to.elem); r == 0 || r == 1 {
			return 1
		}
	case from.kind == kRecord && to.kind == kRecord && from.rec.basePath(to.rec) != nil:
		return 6
	case from.kind == kOpaque || to.kind == kOpaque || to.kind == kFunc || from.kind == kFunc:
		return 9
	}
	return -1
}

func arithmeticRank(from, to *ctype) int {
	switch {
	case from.kind == kEnum && to.kind == kEnum:
		return -1
	case to.kind == kEnum:
		return -1
	case sameType(promote(from), to) || from.scalar == ir.F32 && to.scalar == ir.F64:
		return 2
	case from.scalar == to.scalar:
		return 3
	case from.isFloat() == to.isFloat():
		return 4
	}
	return 5
}

// inline lowers the body of a function in place of a call.
func (l *lowerer) inline(n *syntax.Node, c *candidate, this *value, args []argument) value {
	body := c.sym.node.Child("body")
	if body == nil {
		return l.opaqueCall(n, "no definition of "+c.sym.name, args)
	}
	if l.unevaluated > 0 {
		if v, ok := l.resultLike(l.returnType(c)); ok {
			return v
		}
	}
	if reason := l.tooDeep(body, c.key, this == nil && constantArgs(args)); reason != "" {
		return l.giveUpCall(n, c, reason, args)
	}
	if l.host && !l.worthInlining(c.sym) {
		return l.giveUpCall(n, c, "call of "+c.sym.name, args)
	}
	in := newScope(c.scope, scopeFunction)
	in.this = this
	if this == nil && c.sym.scope != nil && c.sym.scope.kind != scopeClass {
		in.this = nil
	}
	base := len(l.cleanups)
	l.bindParams(n, in, c, args)
	l.brokenHeader(c.sym.node)
	v := l.enterBody(n, in, body, l.returnType(c), c.key, func() {})
	if len(l.cleanups) > base { // parameters end with the call
		v = l.frozen(v, n)
		l.endScope(base)
	}
	return v
}

// brokenHeader makes unknown what was not understood of a definition but for its body, such as the initializers of members
// behind a macro that the grammar took for a type.
func (l *lowerer) brokenHeader(n *syntax.Node) {
	for _, k := range n.Children {
		if k.HasError && k.Field != "body" {
			l.unknown(k, "syntax error", true)
			return
		}
	}
}

// resultLike is any value of a function's declared result.
func (l *lowerer) resultLike(ret *ctype) (value, bool) {
	switch {
	case ret == nil || ret.kind == kOpaque || ret.noRef().kind == kAuto:
		return value{}, false
	case ret.kind == kVoid:
		return value{t: tVoid}, true
	case ret.kind == kRef:
		return value{t: ret.elem, cat: vMem, x: zero(ir.Ptr)}, true
	case ret.isScalar():
		return rval(ret.unqualified(), zero(ret.ir())), true
	}
	return value{t: ret.unqualified(), cat: vMem, x: zero(ir.Ptr)}, true
}

// giveUpCall is an opaque call whose result type is known.
func (l *lowerer) giveUpCall(n *syntax.Node, c *candidate, reason string, args []argument) value {
	args = shared(c, args)
	ret := l.returnType(c)
	if ret != nil && ret.kind != kRef && ret.isScalar() {
		l.clobberArgs(n, reason, args)
		return l.load(l.unknownOf(n, ret, reason, true), n)
	}
	v := l.opaqueCall(n, reason, args)
	if ret != nil && ret.kind == kVoid {
		return value{t: tVoid}
	}
	return v
}

// shared leaves out the arguments of which a callee gets a copy that points nowhere: it can't change them.
func shared(c *candidate, args []argument) []argument {
	var out []argument
	for i, a := range args {
		if i >= len(c.types) || !isPlain(c.types[i]) {
			out = append(out, a)
		}
	}
	return out
}

// isPlain reports whether a parameter of a type is a copy without pointers.
func isPlain(t *ctype) bool {
	if t.kind != kRecord {
		return t.isArithmetic()
	}
	if len(t.rec.ctors) > 0 || t.rec.lib != "" || t.rec.reason != "" {
		return false
	}
	for _, f := range t.rec.fields {
		if !isPlain(f.t) {
			return false
		}
	}
	return true
}

// tooDeep bounds inlining. A function that has once exceeded the bound of recursion is not
// inlined in itself at all when the function is lowered again.
//
// With constant arguments, recursion ends by what they are, and is bounded by its work alone.
func (l *lowerer) tooDeep(body *syntax.Node, key string, constant bool) string {
	same := 0
	me := activation{body, key}
	for _, a := range l.active {
		if a == me {
			same++
		}
	}
	if constant && same >= 1 {
		if l.un.evaluated++; l.un.evaluated <= maxEvaluated && same < maxConstantDepth && !l.full {
			return ""
		}
	}
	switch {
	case same >= 1 && l.recursive[me]:
		return "recursion"
	case same >= maxRecursion:
		if l.scratch == 0 {
			l.recursive[me], l.again = true, true
		}
		return "recursion"
	case len(l.active) >= maxDepth:
		return "calls nested too deeply"
	case l.full:
		return "too many statements"
	}
	return ""
}

// constantArgs reports whether a call's arguments are all constants.
func constantArgs(args []argument) bool {
	for _, a := range args {
		if a.v.cat != vRval || !allConst(a.v) {
			return false
		}
	}
	return len(args) > 0
}

// returnType is the declared result of a function, nil for auto.
func (l *lowerer) returnType(c *candidate) *ctype {
	node, s := c.sym.node, c.scope
	if c.sym.decl != nil && c.sym.decl.Kind == "operator_cast" {
		t := l.typeNode(c.sym.decl.Child("type"), s)
		d := c.sym.decl.Child("declarator")
		for d != nil && d.Kind != "abstract_function_declarator" {
			switch d.Kind {
			case "abstract_pointer_declarator":
				t = pointerTo(t)
			case "abstract_reference_declarator":
				t = l.reference(t, d)
			}
			d = innerDeclarator(d)
		}
		return t
	}
	for _, k := range namedChildren(c.sym.decl) {
		if k.Kind == "trailing_return_type" {
			return l.typeNode(namedChildren(k)[0], s)
		}
	}
	t := l.specType(node, s)
	if t == nil {
		if node.Child("type") == nil {
			return tVoid // a constructor
		}
		return opaque(l.text(node.Child("type")))
	}
	for d := node.Child("declarator"); d != nil && d != c.sym.decl; d = innerDeclarator(d) {
		switch d.Kind {
		case "pointer_declarator":
			t = pointerTo(t)
		case "reference_declarator":
			t = l.reference(t, d)
		}
	}
	if t.kind == kAuto || t.kind == kPtr && t.pointee().kind == kAuto {
		return nil
	}
	return t
}

// bindParams gives the parameters of a function their arguments.
func (l *lowerer) bindParams(n *syntax.Node, in *scope, c *candidate, args []argument) {
	assigned := c.withReferences(l.assignedNames(c.sym.node.Child("body")), args)
	for i, p := range c.params {
		if p.Kind == "variadic_parameter_declaration" {
			l.bindPack(in, p, c, args[min(i, len(args)):], assigned)
			return
		}
		var arg argument
		t := c.types[i]
		if i < len(args) {
			arg = args[i]
		} else if d := l.defaultArg(c, c.sym, i); d != nil {
			old := l.scope
			l.scope = c.scope
			arg = argument{l.expr(d), d}
			l.scope = old
		} else {
			continue
		}
		name := nameOf(p.Child("declarator"))
		if name == nil {
			l.convertParam(arg, t)
			continue
		}
		l.bindOne(in, l.text(name), name, t, arg, assigned)
	}
}

// withReferences adds to the variables that a function assigns those that are passed to it by reference: they have
// other names there.
func (c *candidate) withReferences(assigned map[string]bool, args []argument) map[string]bool {
	var passed []string
	for i, t := range c.types {
		if i < len(args) && t.kind == kRef && args[i].v.cat == vReg && args[i].v.reg.Name != "" {
			passed = append(passed, args[i].v.reg.Name)
		}
	}
	if len(passed) == 0 {
		return assigned
	}
	all := maps.Clone(assigned)
	for _, name := range passed {
		all[name] = true
	}
	return all
}

func (l *lowerer) convertParam(arg argument, t *ctype) { l.load(arg.v, arg.n) }

func (l *lowerer) bindOne(in *scope, name string, decl *syntax.Node, t *ctype, arg argument, assigned map[string]bool) {
	v := l.bindVariable(name, decl, t, arg, assigned)
	if t.kind == kRecord {
		l.destroyLater(v, arg.n)
	}
	in.add(&symbol{kind: symVar, name: name, v: &v})
}

func (l *lowerer) bindPack(in *scope, p *syntax.Node, c *candidate, args []argument, assigned map[string]bool) {
	name := nameOf(p.Child("declarator"))
	if name == nil {
		return
	}
	text := strings.TrimLeft(l.text(name), ". ")
	sym := &symbol{kind: symPack, name: text}
	old := l.packIndex
	for i, a := range args {
		l.packIndex = i
		t := l.tryType(p, c.scope)
		if t == nil {
			t = a.v.t.decay()
		}
		v := l.bindVariable(text, name, t, a, assigned)
		sym.pack = append(sym.pack, targ{v: &v})
	}
	l.packIndex = old
	in.add(sym)
}

// bindVariable makes the variable that a parameter or a local of the type is.
func (l *lowerer) bindVariable(name string, decl *syntax.Node, t *ctype, arg argument, assigned map[string]bool) value {
	v := arg.v
	if t.kind == kRef {
		return l.bindReference(name, decl, t, arg, assigned)
	}
	if t = t.decayParam(); t.kind == kPtr && v.init == nil && t.pointee().kind == kAuto {
		v = l.decay(l.load(v, arg.n), arg.n)
		t = deduced(t, v.t)
	}
	fixed := v.t.kind == kClosure || decl == nil || !l.demoted[decl] && !l.placed[decl] && !assigned[name]
	if (v.cat == vFns || v.t.kind == kClosure) && fixed && (t.kind == kPtr || t.kind == kFunc || t.kind == kOpaque || t.kind == kAuto) {
		return v
	}
	if t.kind == kAuto {
		if v.init == nil {
			v = l.decay(l.load(v, arg.n), arg.n)
			t = v.t.unqualified()
		}
	}
	if t.kind == kGroup || t.kind == kClosure || t.kind == kOpaque || v.cat == vStatic && t.kind == kRecord {
		return l.bindStatic(v, t, arg.n)
	}
	v = l.convertTo(v, t, arg.n)
	known := v.cat == vRval && decl != nil && !l.demoted[decl] && !l.placed[decl] && !assigned[name]
	if known && (v.target != nil || !refersToRegs(v.x) && small(v.x)) {
		v.t = t
		if v.name == "" {
			v.name = name
		}
		return v.withDecl(decl)
	}
	if v.cat == vAgg && decl != nil && !l.demoted[decl] && !l.placed[decl] && !assigned[name] && t.kind == kRecord && allConst(v) && !l.needsCleanup(t) {
		v.t, v.lvalue, v.name = t, false, name
		return v.withDecl(decl)
	}
	place := l.newVariable(name, decl, t)
	l.assign(place, v, arg.n)
	if v.name != "" && t.kind == kPtr && !assigned[name] && place.cat == vReg {
		place.name = v.name
	}
	return place
}

// decayParam is the type of a parameter: arrays and functions become pointers.
func (t *ctype) decayParam() *ctype {
	if t.kind == kArray || t.kind == kFunc {
		return t.decay()
	}
	return t
}

// bindStatic binds what is known at compile time: groups and lambdas keep their own type.
func (l *lowerer) bindStatic(v value, t *ctype, n *syntax.Node) value {
	v = l.load(v, n)
	if v.cat == vStatic || v.cat == vFns || v.cat == vPoison {
		return v
	}
	return l.unknown(n, "value of type "+t.String(), false)
}

// bindReference binds a reference to its place; a temporary gets a place of its own.
func (l *lowerer) bindReference(name string, decl *syntax.Node, t *ctype, arg argument, assigned map[string]bool) value {
	v, to := arg.v, t.elem
	if c := stripParens(arg.n); c != nil && c.Kind == "conditional_expression" && !to.isConst && !t.rvalue && v.cat == vRval && v.decl == nil {
		v = l.secondLook(c)
	}
	if v.init != nil {
		v = l.construct(to.unqualified(), nil, v.init, arg.n)
	}
	v.moved = false // with a name, it is an lvalue
	v = l.pinned(v, assigned)
	switch {
	case v.cat == vFns || v.cat == vStatic || v.cat == vPoison:
		return v
	case v.isPlace():
		if to.kind == kAuto || sameType(v.t, to) {
			v.t = v.t.qualified(to.isConst, to.volatile)
			return v
		}
		if v.t.kind == kRecord && to.kind == kRecord {
			if path := v.t.rec.basePath(to.rec); path != nil {
				return l.basePart(v, path)
			}
		}
		if to.kind == kOpaque || to.kind == kGroup {
			return v
		}
	case v.isBound() && !to.isConst && !t.rvalue:
		l.needPlace(v)
	}
	if to.kind == kAuto {
		to = v.t.unqualified()
	}
	temp := l.convertTo(v, to.unqualified(), arg.n)
	if to.isConst && temp.cat == vRval && (temp.target != nil || !refersToRegs(temp.x)) {
		temp.decl = decl
		return temp
	}
	place := l.newVariable(name, decl, to.unqualified())
	l.assign(place, temp, arg.n)
	l.destroyLater(place, arg.n)
	place.t = place.t.qualified(to.isConst, to.volatile)
	return place
}

// pinned is a place whose address stays what it is while its variables are assigned: `int &r = a[i]; i++`.
func (l *lowerer) pinned(v value, assigned map[string]bool) value {
	switch {
	case v.cat == vMem && slices.ContainsFunc(ir.Registers(v.x), func(r *ir.Reg) bool { return assigned[r.Name] }):
		v.x = l.temp(v.x)
	case v.cat == vAgg && v.lvalue:
		v.elems = slices.Clone(v.elems)
		for i, e := range v.elems {
			v.elems[i] = l.pinned(e, assigned)
		}
	}
	return v
}

// secondLook evaluates `c ? a : b` again, now as a place.
func (l *lowerer) secondLook(c *syntax.Node) value {
	pure := true
	walk(c, func(k *syntax.Node) bool {
		switch k.Kind {
		case "call_expression", "assignment_expression", "update_expression":
			pure = false
		}
		return pure
	})
	if pure {
		return l.placeExpr(c)
	}
	var x, y value
	l.inScratch(func() { x, y = l.expr(c.Child("consequence")), l.expr(c.Child("alternative")) })
	regs := append(x.regs(), y.regs()...)
	return l.unknown(c, "place chosen by a condition", true, regs...)
}

// newVariable makes a local variable: in registers if it can be, else in local memory.
func (l *lowerer) newVariable(name string, decl *syntax.Node, t *ctype) value {
	if t.kind == kOpaque || t.kind == kGroup || t.kind == kClosure || t.kind == kVoid || t.kind == kAuto {
		return value{t: t, cat: vPoison, reason: "variable of type " + t.String(), name: name}
	}
	if (decl == nil || !l.demoted[decl]) && (t.isScalar() || t.flat()) {
		v := l.place(t.unqualified(), name)
		v.t = v.t.qualified(t.isConst, t.volatile)
		return v.withDecl(decl)
	}
	if t.kind == kRecord && t.rec.reason != "" {
		return value{t: t, cat: vPoison, reason: t.rec.reason, name: name}
	}
	if t.size() >= maxSize {
		return value{t: t, cat: vPoison, reason: "object of enormous size", name: name}
	}
	o := l.newObject(name, ir.Local, t)
	return value{t: t.qualified(false, false), cat: vMem, x: &ir.ObjAddr{Obj: o}, name: name, whole: true}
}

// frame is a function that is being lowered: the kernel itself or an inlined one.
type frame struct {
	outer  *frame
	ret    *ctype // nil: deduced
	label  *ir.Label
	used   bool
	top    *[]ir.Stmt
	result value
	placed bool
	direct *value
	key    string // tells static variables of template instances apart
	root   bool   // a return ends the thread
	jumps
	gotos map[string]gotoTarget
	base  int             // cleanups there were at the start
	names map[string]bool // assigned in the body
	body  *syntax.Node
}

// jumps are the targets of break and continue, and how many cleanups stay there.
type jumps struct {
	breakTo, continueTo     *ir.Label
	breakBase, continueBase int
}

// enterLibrary notes the call of a function. What a library does is shown where it is called, with all its calls
// as that one.
func (l *lowerer) enterLibrary(call, body *syntax.Node) {
	from := l.library
	if l.library = nil; l.un.u.Known(body.Start) {
		if l.library = from; from == nil {
			l.library = call
		}
		return
	}
	if from != nil {
		call = from
	}
	l.inlined = append(append([]source.Span{}, l.inlined...), l.un.u.Origin(call.Start, call.End).Span)
	l.calls = append(append([][2]int{}, l.calls...), [2]int{call.Start, call.End})
}

// enterBody lowers a function body as part of the current one and returns its result.
func (l *lowerer) enterBody(call *syntax.Node, in *scope, body *syntax.Node, ret *ctype, key string, first func()) value {
	f := &frame{outer: l.frame, ret: ret, label: l.newLabel(), key: key, body: body, names: l.assignedNames(body), base: len(l.cleanups)}
	oldScope, oldStmt, oldSpan, oldInlined, oldPack := l.scope, l.stmt, l.stmtSpan, l.inlined, l.packIndex
	oldCalls := l.calls
	l.frame, l.scope, l.packIndex = f, in, -1
	oldLibrary := l.library
	l.enterLibrary(call, body)
	l.active = append(l.active, activation{body, key})
	list := l.collectStmts(func() {
		f.top = l.out
		first()
		l.compound(body, true)
	})
	l.active = l.active[:len(l.active)-1]
	l.frame, l.scope, l.stmt, l.stmtSpan, l.inlined, l.packIndex = f.outer, oldScope, oldStmt, oldSpan, oldInlined, oldPack
	l.calls, l.library = oldCalls, oldLibrary
	if f.used {
		l.emit(&ir.Block{Label: f.label, Body: list})
	} else {
		*l.out = append(*l.out, list...)
	}
	return l.result(f, call)
}

func (l *lowerer) result(f *frame, call *syntax.Node) value {
	switch {
	case f.direct != nil:
		return *f.direct
	case f.placed:
		if f.ret != nil && f.ret.kind == kRef {
			return l.deref(f.result, call)
		}
		return l.load(f.result, call)
	case f.ret == nil || f.ret.kind == kVoid:
		return value{t: tVoid}
	}
	return l.unknownOf(call, f.ret.noRef(), "function without a return", false)
}

// returnStmt lowers a return. In tail position nothing has to be left.
func (l *lowerer) returnStmt(n *syntax.Node, tail bool) {
	f := l.frame
	kids := namedChildren(n)
	if f.root {
		if len(kids) > 0 {
			l.discard(kids[0])
		}
		l.runCleanups(f.base)
		l.emit(&ir.Return{})
		return
	}
	if len(kids) > 0 && (f.ret == nil || f.ret.kind != kVoid) {
		l.returnValue(f, kids[0], tail)
	} else if len(kids) > 0 {
		l.discard(kids[0])
	}
	if !tail {
		l.runCleanups(f.base)
		f.used = true
		l.emit(&ir.Break{Target: f.label})
	}
}

func (l *lowerer) returnValue(f *frame, e *syntax.Node, tail bool) {
	isRef := f.ret != nil && f.ret.kind == kRef
	var v value
	if isRef && !f.ret.rvalue {
		v = l.placeExpr(e)
	} else {
		v = l.expr(e)
	}
	if !isRef {
		if f.ret != nil {
			v = l.convertTo(v, f.ret.unqualified(), e)
		} else {
			v = l.decay(l.load(v, e), e)
		}
	}
	if tail && l.out == f.top && !f.placed {
		if len(l.cleanups) > f.base && !isRef {
			v = l.frozen(v, e)
		}
		f.direct = &v
		return
	}
	if v.cat == vVoid {
		return
	}
	if isRef {
		l.returnReference(f, v, e)
		return
	}
	if !f.placed {
		t := v.t
		if f.ret != nil {
			t = f.ret
		}
		if !t.isScalar() && !t.flat() || t.kind == kClosure || t.kind == kGroup || t.kind == kOpaque {
			f.result = l.newVariable("", nil, t)
		} else {
			f.result = l.place(t.unqualified(), "")
		}
		f.placed = true
	}
	if f.result.t.kind == kRecord && v.t.kind != kRecord || f.ret == nil {
		v = l.convertTo(v, f.result.t, e)
	}
	l.assign(f.result, v, e)
}

// returnReference keeps the address of the place that is returned.
func (l *lowerer) returnReference(f *frame, v value, e *syntax.Node) {
	if v.cat == vReg || v.cat == vAgg {
		if !l.demote(v) {
			l.unknown(e, "reference to one of several variables", false)
			return
		}
	}
	if !f.placed {
		f.result = l.place(pointerTo(f.ret.elem), "")
		f.placed = true
	}
	if v.cat == vMem {
		l.emit(&ir.Assign{Dst: f.result.reg, X: v.x})
	} else {
		l.emit(&ir.Unknown{Reason: reasonOf(v), Dst: f.result.regs(), Site: l.site(e, "")})
	}
}

// assignedNames lists the variables that a body assigns by name.
func (l *lowerer) assignedNames(body *syntax.Node) map[string]bool {
	if m, ok := l.un.assigned[body]; ok {
		return m
	}
	m := map[string]bool{}
	walk(body, func(n *syntax.Node) bool {
		var target *syntax.Node
		switch n.Kind {
		case "assignment_expression":
			target = n.Child("left")
		case "update_expression":
			target = n.Child("argument")
		case "gnu_asm_output_operand":
			target = n.Child("value")
		case "pointer_expression":
			if n.Children[0].Kind == "&" {
				target = n.Child("argument")
			}
		}
		if name := baseName(target); name != nil {
			m[l.text(name)] = true
		}
		return true
	})
	l.un.assigned[body] = m
	return m
}

// assignedIn lists the variables whose assignments matter to a variable of the type: those of the function, or of the
// block in which a reference lives.
func (l *lowerer) assignedIn(t *ctype, decl *syntax.Node) map[string]bool {
	if t.kind != kRef || decl == nil {
		return l.frame.names
	}
	return l.assignedWith(decl)
}

// assignedWith lists the variables that the block assigns in which a declaration stands.
func (l *lowerer) assignedWith(decl *syntax.Node) map[string]bool {
	block := l.frame.body
	walk(block, func(n *syntax.Node) bool {
		within := n.Start <= decl.Start && decl.End <= n.End
		if within && n.Kind == "compound_statement" {
			block = n
		}
		return within
	})
	return l.assignedNames(block)
}

// baseName is the variable whose value an assignment to the place changes, or nil.
func baseName(n *syntax.Node) *syntax.Node {
	for n != nil {
		switch n.Kind {
		case "identifier":
			return n
		case "parenthesized_expression":
			kids := namedChildren(n)
			if len(kids) == 0 {
				return nil
			}
			n = kids[0]
		case "field_expression":
			if op := n.Child("operator"); op != nil && op.End-op.Start == 2 {
				return nil
			}
			n = n.Child("argument")
		default:
			return nil
		}
	}
	return nil
}
