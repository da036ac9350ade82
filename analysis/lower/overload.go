package lower

// This file chooses which function of a name a call means (C++ [over.match]), and deduces its template arguments.

import (
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/syntax"
)

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

	toConst     []bool // which arguments that are not const a reference to const takes
	madeConst   int    // what of its rank is the object's
	deduced     int    // how many template parameters it has
	constrained bool   // it has constraints, which hold
	doubtful    bool   // or may hold
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

// isConstMember reports whether a member function promises not to change its object.
func isConstMember(decl *syntax.Node) bool {
	return slices.ContainsFunc(decl.Children, func(k *syntax.Node) bool { return k.Kind == "type_qualifier" })
}

// bindsObject reports whether a member function, by the & or && behind its parameters, is for the object.
func bindsObject(decl *syntax.Node, this value) (ok bool, rank int) {
	for _, k := range decl.Children {
		if k.Kind == "ref_qualifier" && len(k.Children) == 1 {
			if temporary := this.isTemporary() || this.moved; temporary == (k.Children[0].Kind == "&&") {
				return true, 0
			}
			return k.Children[0].Kind == "&" && isConstMember(decl), 1
		}
	}
	return true, 0
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
		if best != nil && c.constrained && best.constrained && c.rank == best.rank { // one may be more constrained
			doubtful = true
		}
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
	if a, b := c.addsConst(o), o.addsConst(c); a != b {
		return a < b
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
	if a, b := specificity(c.params), specificity(o.params); a != b {
		return c.templ && a > b
	}
	return c.templ && c.deduced < o.deduced
}

// addsConst counts the arguments that this candidate takes by a reference to const without need, and the other by a
// reference as well; one by reference and one by value are alike ([over.ics.rank]).
func (c *candidate) addsConst(o *candidate) int {
	n := 0
	for i, adds := range c.toConst {
		if adds && i < len(o.types) && o.types[i].kind == kRef {
			n++
		}
	}
	return n
}

// specificity counts the structure in parameters: the more, the more specialized a template.
func specificity(params []*syntax.Node) int {
	n := 0
	for _, p := range params {
		n += len(declOps(p.Child("declarator")))
		for _, k := range p.Children {
			if k.Kind == "type_qualifier" {
				n++
			}
		}
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
	if fs.this != nil {
		ok, rank := bindsObject(sym.decl, *fs.this)
		if !ok {
			return nil
		}
		c.rank += rank
		switch isConst := isConstMember(sym.decl); {
		case sym.static, sym.decl.Kind == "operator_cast":
		case isConst && !fs.this.t.isConst:
			c.rank++ // the object is made const for it ([over.match.funcs])
			c.madeConst = 1
		case !isConst && fs.this.t.isConst:
			c.rank += userConversion // which would not compile
		}
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
	d := &deduction{params: params, found: map[string]targ{}, fixed: map[string]bool{}, open: map[string]bool{}, scope: sym.scope}
	if !l.deduceFrom(d, c, explicit, args) {
		return nil, false
	}
	in := newScope(sym.scope, scopeTemplate)
	bound, outcome := l.bindDeduced(d, in)
	if outcome == meaningless {
		return nil, false
	}
	c.scope, c.key, c.deduced = in, argsKey(bound), len(params)
	v := l.satisfied(sym, params, bound, in)
	if !v.holds {
		return nil, false
	}
	c.constrained, c.doubtful = v.constrained, !v.known
	l.inScratch(func() {
		inner := l.withParameters(c, in)
		for _, part := range l.signature(c, sym) {
			_, s := l.substitute(part, inner)
			outcome = outcome.also(s)
		}
	})
	if outcome == meaningless {
		return nil, false
	}
	c.doubtful = c.doubtful || outcome == obscure
	return l.functionSpecialization(sym, bound), true
}

// deduceFrom finds template arguments from those that are written and from the arguments of a call. It reports whether
// they may fit.
func (l *lowerer) deduceFrom(d *deduction, c *candidate, explicit []targ, args []argument) bool {
	params := d.params
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
		return false
	}
	for i, p := range c.params {
		if p.Kind == "variadic_parameter_declaration" {
			l.deducePack(d, p, args[min(i, len(args)):])
			break
		}
		if i >= len(args) {
			break
		}
		if args[i].v.cat == vPoison {
			d.mayBind(l, p)
		}
		if args[i].v.init != nil || args[i].v.cat == vPoison && !args[i].v.t.isScalar() || args[i].v.cat == vFns && args[i].v.t.kind == kFunc && len(args[i].v.fns.syms) != 1 {
			continue
		}
		if args[i].v.t.noRef().kind == kRecord && !l.leavesOpen(d, p) {
			continue // its conversions count, as nothing is deduced from it ([temp.arg.explicit])
		}
		if !l.deduceOne(d, p, args[i].v) {
			return false
		}
	}
	return true
}

// mayBind notes that packs may be deduced from a parameter whose argument is not understood: nobody knows how long they are.
func (d *deduction) mayBind(l *lowerer, param *syntax.Node) {
	l.names(param, func(name string) bool {
		if p := d.param(name); p != nil && p.pack {
			d.open[name] = true
		}
		return false
	})
}

// bindDeduced binds a template's parameters in a scope to what was found, or to their defaults; it is meaningless if one
// has neither.
func (l *lowerer) bindDeduced(d *deduction, in *scope) (bound []targ, outcome meaning) {
	outcome = meaningful
	for _, p := range d.params {
		a, ok := d.found[p.name]
		if !ok && p.pack && !d.open[p.name] {
			a, ok = targ{list: true}, true
		}
		if p.kind == 'v' && !p.pack && l.mayFail(p.node.Child("type"), d.scope) {
			_, s := l.substitute(p.node, in)
			outcome = outcome.also(s)
		}
		if !ok && p.def != nil {
			if p.kind == 'v' {
				if v, is := l.constValue(p.def, in); is {
					a = targ{v: &v}
				}
			} else {
				t, s := l.substitute(p.def, in)
				if s == obscure {
					t = l.typeNode(p.def, in)
				}
				a, outcome = targ{t: t}, outcome.also(s)
			}
			ok = true
		}
		if !ok || outcome == meaningless {
			return nil, meaningless
		}
		a = l.fitArg(p, a, in)
		bindParam(in, p, a)
		bound = append(bound, a)
	}
	return bound, outcome
}

// withParameters is a scope in which the names of a function's parameters have their types, for the
// operand of a decltype.
func (l *lowerer) withParameters(c *candidate, in *scope) *scope {
	s := newScope(in, scopeTemplate)
	for _, p := range c.params {
		name := nameOf(p.Child("declarator"))
		t := l.tryType(p, in)
		if name == nil || t == nil || t.kind == kOpaque || p.Kind == "variadic_parameter_declaration" {
			continue
		}
		v := l.place(t.noRef().decayParam(), "")
		s.add(&symbol{kind: symVar, name: l.text(name), v: &v})
	}
	return s
}

// signature are the parts of a function's type that may have no meaning for some arguments.
func (l *lowerer) signature(c *candidate, sym *symbol) []*syntax.Node {
	parts := []*syntax.Node{sym.node.Child("type")}
	for _, k := range sym.decl.Children {
		if k.Kind == "trailing_return_type" {
			parts = append(parts, namedChildren(k)...)
		}
	}
	for _, p := range c.params {
		parts = append(parts, p.Child("type"))
	}
	return slices.DeleteFunc(parts, func(n *syntax.Node) bool {
		return n == nil || !l.mayFail(n, sym.scope)
	})
}

// deduceOne deduces from one argument; a function argument gives its own type.
func (l *lowerer) deduceOne(d *deduction, p *syntax.Node, v value) bool {
	t := v.t
	if v.cat == vFns && v.fns != nil {
		t = &ctype{kind: kFunc, elem: tVoid}
		if tn := p.Child("type"); tn != nil && !slices.ContainsFunc(declOps(p.Child("declarator")), func(op declOp) bool { return op.kind == kFunc }) {
			if tp := d.param(l.text(tn)); tp != nil {
				fnType := &ctype{kind: kOpaque, name: "function " + v.fns.name}
				return d.bind(tp.name, targ{t: fnType})
			}
		}
		return true
	}
	if tp := l.forwards(d, p, v); tp != nil {
		return d.bind(tp.name, targ{t: refTo(t.noRef())})
	}
	return l.deduce(d, p, t)
}

// forwards is the parameter T of a template for which `T &&` is a reference to the argument, as that is an lvalue
// ([temp.deduct.call]), or nil.
func (l *lowerer) forwards(d *deduction, p *syntax.Node, v value) *tparam {
	tn, ops := p.Child("type"), declOps(p.Child("declarator"))
	if tn == nil || len(ops) != 1 || ops[0].kind != kRef || len(ops[0].node.Children) == 0 || ops[0].node.Children[0].Kind != "&&" || v.moved || !v.isPlace() && v.decl == nil {
		return nil
	}
	if slices.ContainsFunc(p.Children, func(k *syntax.Node) bool { return k.Kind == "type_qualifier" }) {
		return nil
	}
	return d.param(l.text(tn))
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
		if l.forwards(one, p, a.v) != nil {
			one.found[name] = targ{t: refTo(a.v.t.noRef())}
		} else {
			l.deduce(one, p, a.v.t)
		}
		pack.pack = append(pack.pack, one.found[name])
	}
	d.found[name] = pack
}

// functionSpecialization finds `template<> void f<int>(…)` for the arguments.
func (l *lowerer) functionSpecialization(sym *symbol, bound []targ) *symbol {
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
	if len(args) > len(c.params) && !slices.ContainsFunc(c.params, func(p *syntax.Node) bool { return p.Kind == "variadic_parameter_declaration" }) {
		c.rank += 2 * userConversion * (len(args) - len(c.params)) // an ellipsis
	}
	c.toConst = make([]bool, min(len(c.types), len(args)))
	for i, t := range c.types[:len(c.toConst)] {
		r := l.convRank(args[i].v, t)
		if r < 0 {
			return nil
		}
		c.rank += r
		from, to := args[i].v.t.noRef(), t.noRef()
		c.toConst[i] = r == 0 && t.kind == kRef && to.isConst && !from.isConst && sameType(from, to)
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
		if path := from.rec.basePath(to.rec); path != nil {
			return baseRank(path)
		}
		if from.rec.lib == libTag && to.rec.lib == libTag {
			return -1
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

// baseRank prefers the nearest base of a class.
func baseRank(path []int) int { return 5 + min(len(path), 2) }

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
		return 8
	case from.kind == kArray && to.kind == kArray: // T (*)[n] to const T (*)[n]
		return qualificationRank(from, to)
	case from.kind == kPtr && to.kind == kPtr && to.isConst: // T ** to const T *const * ([conv.qual])
		if r := l.pointerRank(from.elem, to.elem); r == 0 || r == 1 {
			return 1
		}
	case from.kind == kRecord && to.kind == kRecord && from.rec.basePath(to.rec) != nil:
		return baseRank(from.rec.basePath(to.rec))
	case from.kind == kAuto || from.kind == kOpaque || to.kind == kOpaque || to.kind == kFunc || from.kind == kFunc:
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
