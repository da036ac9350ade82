package lower

// This file binds template parameters to arguments: explicit ones, deduced ones and defaults,
// and chooses among specializations.

import (
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/syntax"
)

// targ is a template argument: a type, a constant or function, a template, or a pack.
type targ struct {
	t    *ctype
	v    *value
	tmpl *symbol
	pack []targ
	list bool // pack holds the arguments of a parameter pack
}

func (a targ) String() string {
	switch {
	case a.list:
		return argsKey(a.pack)
	case a.t != nil:
		return a.t.String()
	case a.tmpl != nil:
		return joinPath(a.tmpl.scope.path, a.tmpl.name)
	case a.v != nil:
		return a.v.key()
	}
	return "?"
}

func argsKey(args []targ) string {
	parts := make([]string, len(args))
	for i, a := range args {
		parts[i] = a.String()
	}
	return strings.Join(parts, ",")
}

// tparam is one template parameter.
type tparam struct {
	name string
	node *syntax.Node
	kind byte // 't' type, 'v' value, 'm' template
	pack bool
	def  *syntax.Node

	concept *syntax.Node // that a type has to satisfy
}

func (l *lowerer) tparams(list *syntax.Node) []tparam {
	var out []tparam
	for _, n := range namedChildren(list) {
		p := tparam{node: n, kind: 't'}
		switch n.Kind {
		case "type_parameter_declaration", "variadic_type_parameter_declaration", "optional_type_parameter_declaration":
			for _, k := range n.Children {
				if k.Kind == "type_identifier" && p.name == "" && k.Field != "default_type" {
					p.name = l.text(k)
				}
			}
			p.def = n.Child("default_type")
			p.pack = strings.HasPrefix(n.Kind, "variadic")
		case "parameter_declaration", "optional_parameter_declaration", "variadic_parameter_declaration":
			p.kind = 'v'
			if name := nameOf(n.Child("declarator")); name != nil {
				p.name = l.text(name)
			}
			p.def = n.Child("default_value")
			if p.pack = strings.HasPrefix(n.Kind, "variadic"); p.pack {
				p.name = strings.TrimLeft(p.name, ". ")
			}
			if l.conceptName(n) != "" {
				p.kind, p.concept = 't', n.Child("type")
			}
		case "template_template_parameter_declaration":
			p.kind = 'm'
			for _, k := range n.Children {
				if strings.HasSuffix(k.Kind, "type_parameter_declaration") {
					if nn := namedChildren(k); len(nn) > 0 {
						p.name = l.text(nn[0])
					}
				}
			}
		default:
			continue
		}
		out = append(out, p)
	}
	return out
}

// templateArgs evaluates a written argument list in s and completes it with the defaults of a template.
func (l *lowerer) templateArgs(of *symbol, args *syntax.Node, s *scope) []targ {
	out, _ := l.completeArgs(of.tparams, l.writtenArgs(args, s), of.scope)
	return out
}

// writtenArgs evaluates the arguments as written.
func (l *lowerer) writtenArgs(args *syntax.Node, s *scope) []targ {
	var out []targ
	for _, n := range namedChildren(args) {
		if n.Kind == "parameter_pack_expansion" {
			out = append(out, l.expandArgs(n, s)...)
			continue
		}
		if n.Kind == "type_descriptor" && len(n.Children) == 1 {
			if name := n.Children[0]; name.Kind == "type_identifier" {
				if syms := s.lookup(l.text(name)); len(syms) > 0 && syms[0].kind == symPack && l.packIndex < 0 {
					out = append(out, syms[0].pack...)
					continue
				}
			}
		}
		out = append(out, l.templateArg(n, s))
	}
	return out
}

// expandArgs evaluates `pattern...` once for each element of the packs in it.
func (l *lowerer) expandArgs(n *syntax.Node, s *scope) []targ {
	var out []targ
	l.eachPack(n, s, func() { out = append(out, l.templateArg(n.Child("pattern"), s)) })
	return out
}

// eachPack calls f with packIndex running over the packs named in n.
func (l *lowerer) eachPack(n *syntax.Node, s *scope, f func()) {
	size := -1
	walk(n, func(k *syntax.Node) bool {
		switch k.Kind {
		case "identifier", "type_identifier", "namespace_identifier":
			if syms := s.lookup(l.text(k)); len(syms) > 0 && syms[0].kind == symPack {
				size = max(size, len(syms[0].pack))
			}
		}
		return true
	})
	old := l.packIndex
	defer func() { l.packIndex = old }()
	for i := range max(size, 0) {
		l.packIndex = i
		f()
	}
}

// templateArg evaluates one argument, a type if it can be one.
func (l *lowerer) templateArg(n *syntax.Node, s *scope) targ {
	if t := l.tryType(n, s); t != nil {
		if sym := l.templateItself(n, t, s); sym != nil {
			return targ{tmpl: sym}
		}
		return targ{t: t}
	}
	e := n
	if n.Kind == "type_descriptor" && n.Child("declarator") == nil && n.Child("type") != nil {
		e = n.Child("type")
	}
	switch e.Kind {
	case "identifier", "type_identifier", "qualified_identifier", "template_function", "template_type":
		r := l.resolve(e, s)
		if len(r.syms) > 0 {
			switch sym := r.syms[0]; {
			case sym.kind == symFunc:
				return targ{v: &value{cat: vFns, fns: &fnset{name: r.name, syms: r.syms, args: r.args, scope: s}}}
			case sym.kind == symClass && sym.tparams != nil && r.args == nil:
				return targ{tmpl: sym}
			}
		}
	}
	if v, ok := l.constValue(e, s); ok {
		return targ{v: &v}
	}
	return targ{t: opaque(l.text(n))}
}

// templateItself is the class template that an argument names without arguments of its own, although all of them have
// defaults; nil for a type, as the name of a class is within it.
func (l *lowerer) templateItself(n *syntax.Node, t *ctype, s *scope) *symbol {
	if n.Kind == "type_descriptor" && len(n.Children) == 1 {
		n = n.Children[0]
	}
	if t.kind != kRecord || t.rec.sym == nil || n.Kind != "type_identifier" && n.Kind != "identifier" && n.Kind != "qualified_identifier" {
		return nil
	}
	r := l.resolve(n, s)
	if len(r.syms) == 0 || r.args != nil || r.syms[0] != t.rec.sym || r.syms[0].kind != symClass || len(namedChildren(r.syms[0].tparams)) == 0 {
		return nil
	}
	for in := s; in != nil; in = in.parent {
		if in.rec != nil && in.rec.sym == t.rec.sym {
			return nil
		}
	}
	return r.syms[0]
}

// completeArgs matches arguments with parameters: packs take the rest, defaults fill in. It
// reports whether every parameter has an argument.
func (l *lowerer) completeArgs(params *syntax.Node, args []targ, s *scope) ([]targ, bool) {
	in := newScope(s, scopeTemplate)
	var out []targ
	ok := true
	for _, p := range l.tparams(params) {
		var a targ
		switch {
		case p.pack && len(args) == 1 && args[0].list:
			a, args = args[0], nil
		case p.pack:
			a, args = targ{pack: args, list: true}, nil
		case len(args) > 0:
			a, args = args[0], args[1:]
		case p.def != nil && p.kind == 'v':
			if v, is := l.constValue(p.def, in); is {
				a.v = &v
			} else {
				ok = false
			}
		case p.def != nil:
			a.t = l.typeNode(p.def, in)
		default:
			ok = false
		}
		a = l.fitArg(p, a, in)
		out = append(out, a)
		bindParam(in, p, a)
	}
	return out, ok && len(args) == 0
}

// fitArg converts a constant argument to its parameter's type.
func (l *lowerer) fitArg(p tparam, a targ, in *scope) targ {
	if p.kind != 'v' || a.list || a.v == nil || a.v.x == nil {
		return a
	}
	t := l.typeNode(p.node, in)
	if t.isArithmetic() {
		a.v = &value{t: t, cat: vRval, x: convert(a.v.x, t.scalar)}
	}
	return a
}

func bindParam(s *scope, p tparam, a targ) {
	if p.name == "" {
		return
	}
	sym := &symbol{name: p.name}
	switch {
	case a.list:
		sym.kind, sym.pack = symPack, a.pack
	case a.tmpl != nil:
		s.share(p.name, a.tmpl)
		return
	case a.v != nil:
		sym.kind, sym.v = symVar, a.v
	case a.t != nil:
		sym.kind, sym.t = symAlias, a.t
	default:
		return
	}
	s.add(sym)
}

// bindTemplate makes a scope in which the parameters mean the arguments.
func (l *lowerer) bindTemplate(params *syntax.Node, args []targ, parent *scope) *scope {
	s := newScope(parent, scopeTemplate)
	for i, p := range l.tparams(params) {
		if i < len(args) {
			bindParam(s, p, args[i])
		}
	}
	return s
}

// deduction collects the arguments of a template's parameters.
type deduction struct {
	params []tparam
	found  map[string]targ
	open   map[string]bool // packs that are not found, and may be longer than none
	fixed  map[string]bool // given explicitly: arguments are converted to them
	scope  *scope          // where the patterns are declared

	rest      []undeduced // of a specialization
	structure int         // how much its other arguments say
}

func (d *deduction) param(name string) *tparam {
	for i := range d.params {
		if d.params[i].name == name {
			return &d.params[i]
		}
	}
	return nil
}

// bind records an argument; a second one for the same parameter must agree.
func (d *deduction) bind(name string, a targ) bool {
	if old, ok := d.found[name]; ok {
		if d.fixed[name] {
			return true
		}
		return old.String() == a.String()
	}
	d.found[name] = a
	return true
}

// undeduced is an argument of a specialization from which nothing is deduced, and that of an instance.
type undeduced struct {
	written *syntax.Node
	given   targ
}

// declOp is one step of a declarator, from the declared type outwards.
type declOp struct {
	kind kind
	node *syntax.Node
}

func declOps(d *syntax.Node) []declOp {
	var ops []declOp
	for d != nil {
		switch d.Kind {
		case "pointer_declarator", "abstract_pointer_declarator":
			ops = append(ops, declOp{kPtr, d})
		case "reference_declarator", "abstract_reference_declarator":
			ops = append(ops, declOp{kRef, d})
		case "array_declarator", "abstract_array_declarator":
			ops = append(ops, declOp{kArray, d})
		case "function_declarator", "abstract_function_declarator":
			ops = append(ops, declOp{kFunc, d})
		}
		d = innerDeclarator(d)
	}
	return ops
}

// deduce matches a parameter's syntax with an argument's type and binds template parameters.
// It reports whether the argument may be passed; what cannot be deduced matches.
func (l *lowerer) deduce(d *deduction, pattern *syntax.Node, arg *ctype) bool {
	arg = arg.noRef()
	ops := declOps(pattern.Child("declarator"))
	isRef := len(ops) > 0 && ops[len(ops)-1].kind == kRef
	if !isRef {
		arg = arg.decay()
	}
	for i := len(ops) - 1; i >= 0; i-- {
		switch ops[i].kind {
		case kRef:
			continue
		case kPtr:
			if arg.kind == kArray {
				arg = pointerTo(arg.elem)
			}
			if arg.kind == kNull {
				return true
			}
			if arg.kind != kPtr {
				return arg.kind == kOpaque
			}
			arg = arg.elem
		case kArray:
			if arg.kind != kArray {
				if arg.kind == kPtr && i == len(ops)-1 {
					arg = arg.elem
					continue
				}
				return arg.kind == kOpaque
			}
			if size := ops[i].node.Child("size"); size != nil && d.param(l.text(size)) != nil {
				if !d.bind(l.text(size), targ{v: &value{t: tULong, cat: vRval, x: constInt(ir.U64, arg.len)}}) {
					return false
				}
			}
			arg = arg.elem
		case kFunc:
			return true
		}
	}
	for _, k := range pattern.Children {
		if k.Kind == "type_qualifier" {
			switch l.text(k) {
			case "const":
				c := *arg
				c.isConst = false
				arg = &c
			case "volatile":
				c := *arg
				c.volatile = false
				arg = &c
			}
		}
	}
	return l.deduceBase(d, pattern.Child("type"), arg, isRef || len(ops) > 0)
}

// deduceBase matches a type's name with a type.
func (l *lowerer) deduceBase(d *deduction, n *syntax.Node, arg *ctype, keepCV bool) bool {
	if n == nil {
		return true
	}
	switch n.Kind {
	case "type_identifier", "identifier":
		if p := d.param(l.text(n)); p != nil {
			if !keepCV {
				arg = arg.unqualified()
			}
			if arg.kind == kNull || arg.kind == kVoid && !keepCV {
				return true
			}
			return d.bind(p.name, targ{t: arg})
		}
	case "template_type", "qualified_identifier":
		return l.deduceTemplate(d, n, arg)
	}
	return true
}

// deduceTemplate matches `C<T, 4>` with an instance of C, or a class derived from one.
func (l *lowerer) deduceTemplate(d *deduction, n *syntax.Node, arg *ctype) bool {
	_, last := splitQualified(n)
	if last == nil || last.Kind != "template_type" {
		return true
	}
	if arg.kind == kGroup || arg.kind == kOpaque {
		return l.deduceGroup(d, last, arg)
	}
	if p := d.param(l.templateName(last)); p != nil && p.kind == 'm' {
		if arg.kind != kRecord || arg.rec.sym == nil || len(arg.rec.args) == 0 {
			return false
		}
		return d.bind(p.name, targ{tmpl: arg.rec.sym}) && l.deduceArgs(d, last.Child("arguments"), arg.rec.args)
	}
	r := l.resolve(n, d.scope)
	if arg.kind != kRecord {
		return len(r.syms) > 0 && r.syms[0].kind == symAlias
	}
	if len(r.syms) == 0 {
		return arg.rec.lib != "" && l.deduceArgs(d, last.Child("arguments"), arg.rec.args)
	}
	if r.syms[0].kind != symClass {
		return true
	}
	for rec := arg.rec; rec != nil; {
		if rec.sym == r.syms[0] {
			return l.deduceArgs(d, last.Child("arguments"), rec.args)
		}
		var base *record
		for _, f := range rec.fields {
			if f.base && f.t.kind == kRecord {
				base = f.t.rec
				break
			}
		}
		rec = base
	}
	return false
}

func (l *lowerer) deduceGroup(d *deduction, n *syntax.Node, arg *ctype) bool {
	if arg.kind != kGroup {
		return true
	}
	for _, a := range namedChildren(n.Child("arguments")) {
		if p := d.param(strings.TrimSpace(l.text(a))); p != nil && p.kind == 'v' {
			return d.bind(p.name, targ{v: &value{t: tUInt, cat: vRval, x: constInt(ir.U32, arg.len)}})
		}
	}
	return true
}

// flat is a list of arguments in which those of a pack stand one by one.
func flat(args []targ) []targ {
	if len(args) > 0 && args[len(args)-1].list {
		return append(slices.Clone(args[:len(args)-1]), args[len(args)-1].pack...)
	}
	return args
}

// isExpansion reports whether an argument of a pattern stands for the rest of the arguments.
func (l *lowerer) isExpansion(d *deduction, n *syntax.Node) bool {
	if n.Kind == "parameter_pack_expansion" {
		return true
	}
	p := d.param(l.text(n))
	return n.Kind == "type_descriptor" && p != nil && p.pack
}

// deduceExpansion matches `T...` or `C<T>...` with the arguments that are left.
func (l *lowerer) deduceExpansion(d *deduction, n *syntax.Node, args []targ) bool {
	name := strings.TrimSuffix(strings.TrimSpace(l.text(n)), "...")
	if p := d.param(name); p != nil {
		return d.bind(name, targ{pack: args, list: true})
	}
	packs := map[string]targ{}
	for _, a := range args {
		one := &deduction{params: slices.Clone(d.params), found: map[string]targ{}, scope: d.scope}
		for i := range one.params {
			one.params[i].pack = false
		}
		if !l.deduceArg(one, n, a) {
			return false
		}
		for name, a := range one.found {
			packs[name] = targ{pack: append(packs[name].pack, a), list: true}
		}
	}
	for _, p := range d.params {
		if a, ok := packs[p.name]; ok && p.pack && !d.bind(p.name, a) {
			return false
		}
	}
	return true
}

// deduceArgs matches the written arguments of a template with those of an instance.
func (l *lowerer) deduceArgs(d *deduction, written *syntax.Node, args []targ) bool {
	args = flat(args)
	for i, n := range namedChildren(written) {
		if l.isExpansion(d, n) {
			return l.deduceExpansion(d, n, args[min(i, len(args)):])
		}
		if i >= len(args) || !l.deduceArg(d, n, args[i]) {
			return false
		}
	}
	return true
}

func (l *lowerer) deduceArg(d *deduction, n *syntax.Node, a targ) bool {
	if n.Kind == "parameter_pack_expansion" {
		n = n.Child("pattern")
	}
	name := strings.TrimSpace(l.text(n))
	if p := d.param(name); p != nil {
		if p.pack && !a.list {
			a = targ{pack: []targ{a}, list: true}
		}
		return d.bind(name, a)
	}
	if a.t != nil {
		if n.Kind == "type_descriptor" {
			if l.mentions(d, n) {
				return l.deduceExact(d, n, a.t)
			}
		}
		t := l.tryType(n, d.scope)
		return t != nil && t.String() == a.t.String()
	}
	if a.v != nil {
		v, ok := l.constValue(n, d.scope)
		return ok && targ{v: &v}.String() == a.String()
	}
	return true
}

// deduceExact matches a type pattern without the conversions that calls allow.
func (l *lowerer) deduceExact(d *deduction, n *syntax.Node, t *ctype) bool {
	ops := declOps(n.Child("declarator"))
	for i := len(ops) - 1; i >= 0; i-- {
		if ops[i].kind != t.kind {
			return false
		}
		if t.kind == kArray {
			if size := ops[i].node.Child("size"); size != nil && d.param(l.text(size)) != nil {
				d.bind(l.text(size), targ{v: &value{t: tULong, cat: vRval, x: constInt(ir.U64, t.len)}})
			}
		}
		t = t.elem
	}
	for _, k := range n.Children {
		if k.Kind != "type_qualifier" {
			continue
		}
		c := *t
		switch l.text(k) {
		case "const":
			if !t.isConst {
				return false
			}
			c.isConst = false
		case "volatile":
			if !t.volatile {
				return false
			}
			c.volatile = false
		}
		t = &c
	}
	return l.deduceBase(d, n.Child("type"), t, true)
}

// mentions reports whether a pattern names a parameter of the template.
func (l *lowerer) mentions(d *deduction, n *syntax.Node) bool {
	return l.names(n, func(name string) bool { return d.param(name) != nil })
}

// leavesOpen reports whether a pattern names a parameter that no argument was given for.
func (l *lowerer) leavesOpen(d *deduction, n *syntax.Node) bool {
	return l.names(n, func(name string) bool { return d.param(name) != nil && !d.fixed[name] })
}

func (l *lowerer) names(n *syntax.Node, which func(string) bool) bool {
	found := false
	walk(n, func(k *syntax.Node) bool {
		found = found || len(k.Children) == 0 && which(l.text(k))
		return !found
	})
	return found
}

// walk visits a tree in preorder; f returns false to leave out a node's children.
func walk(n *syntax.Node, f func(*syntax.Node) bool) {
	if n == nil || !f(n) {
		return
	}
	for _, k := range n.Children {
		walk(k, f)
	}
}

// specialization chooses the specialization of a class that fits the arguments best: an
// explicit one first, then the partial one with the most deduced structure. It reports whether one
// of them may fit or not.
func (l *lowerer) specialization(sym *symbol, args []targ) (*symbol, *scope, bool) {
	var best *deduction
	var chosen *symbol
	doubtful := false
	for _, spec := range sym.specs {
		name := spec.node.Child("name")
		if spec.kind == symVar {
			name = nameOf(spec.decl)
		}
		d := &deduction{params: l.tparams(spec.tparams), found: map[string]targ{}, scope: spec.scope}
		if !l.deduceSpec(d, name.Child("arguments"), args) {
			continue
		}
		in := l.bindFound(d, spec.scope)
		outcome := l.matchesRest(d, in)
		if v := l.satisfied(spec, d.params, d.bound(), in); !v.holds {
			outcome = meaningless
		} else if !v.known {
			outcome = outcome.also(obscure)
		} else if v.constrained {
			d.structure++
		}
		if outcome == meaningless {
			continue
		}
		doubtful = doubtful || outcome == obscure || !d.complete()
		if best == nil || d.moreSpecialized(best) {
			chosen, best = spec, d
		}
	}
	if best == nil {
		return nil, nil, false
	}
	return chosen, l.bindFound(best, chosen.scope), doubtful
}

// bound lists what was found for the parameters.
func (d *deduction) bound() []targ {
	var out []targ
	for _, p := range d.params {
		out = append(out, d.found[p.name])
	}
	return out
}

// complete reports whether every parameter has an argument: else a pattern was not understood.
func (d *deduction) complete() bool {
	for _, p := range d.params {
		if _, ok := d.found[p.name]; !ok && !p.pack && p.name != "" {
			return false
		}
	}
	return true
}

// moreSpecialized compares two specializations that both fit: what names all arguments comes first,
// then what says more of their structure.
func (d *deduction) moreSpecialized(o *deduction) bool {
	if (len(d.params) == 0) != (len(o.params) == 0) {
		return len(d.params) == 0
	}
	if d.structure != o.structure {
		return d.structure > o.structure
	}
	return len(d.params) < len(o.params)
}

func (l *lowerer) deduceSpec(d *deduction, written *syntax.Node, args []targ) bool {
	args = flat(args)
	nodes := namedChildren(written)
	for i, n := range nodes {
		if l.isExpansion(d, n) {
			return l.deduceExpansion(d, n, args[min(i, len(args)):])
		}
		if i >= len(args) {
			return false
		}
		if !l.bareDeduced(d, n) {
			d.rest = append(d.rest, undeduced{n, args[i]})
			continue
		}
		if !l.deduceArg(d, n, args[i]) {
			return false
		}
		walk(n, func(*syntax.Node) bool {
			d.structure++
			return true
		})
	}
	return len(nodes) == len(args)
}

func (l *lowerer) bindFound(d *deduction, parent *scope) *scope {
	s := newScope(parent, scopeTemplate)
	for _, p := range d.params {
		bindParam(s, p, d.found[p.name])
	}
	return s
}
