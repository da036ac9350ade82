package lower

// This file instantiates classes: collects the members of one and lays it out.

import (
	"cmp"
	"strings"

	"github.com/warplint/warplint/analysis/syntax"
)

// deducedFrom is the instance of a class template whose arguments follow from those of its
// constructor, or from the values of its members ([over.match.class.deduct]), or nil.
func (l *lowerer) deducedFrom(sym *symbol, init *syntax.Node) *ctype {
	body := sym.node.Child("body")
	if sym.kind != symClass || sym.tparams == nil || body == nil {
		return nil
	}
	var args []argument
	l.inScratch(func() {
		if init.Kind == "argument_list" || init.Kind == "initializer_list" {
			args = l.arguments(init)
		} else {
			args = []argument{{l.expr(init), init}}
		}
	})
	if len(args) == 1 && args[0].v.t.kind == kRecord && args[0].v.t.rec.sym == sym {
		return args[0].v.t.unqualified()
	}
	var members []*syntax.Node
	for _, k := range body.Children {
		if f := functionDeclarator(k.Child("declarator")); f != nil {
			if l.declName(f.Child("declarator")) == sym.name {
				if t := l.deducedBy(sym, l.un.parameters(f), args); t != nil {
					return t
				}
			}
		} else if k.Kind == "field_declaration" {
			members = append(members, k)
		}
	}
	return l.deducedBy(sym, members, args)
}

// deducedBy matches declarations with arguments.
func (l *lowerer) deducedBy(sym *symbol, params []*syntax.Node, args []argument) *ctype {
	if len(args) == 0 || len(args) > len(params) {
		return nil
	}
	d := &deduction{params: l.tparams(sym.tparams), found: map[string]targ{}, scope: sym.scope}
	for i, a := range args {
		if a.v.init != nil || a.v.cat == vPoison || !l.deduceOne(d, params[i], a.v) {
			return nil
		}
	}
	var found []targ
	for _, p := range d.params {
		a, ok := d.found[p.name]
		if !ok {
			break
		}
		found = append(found, a)
	}
	if complete, ok := l.completeArgs(sym.tparams, found, sym.scope); ok {
		return recordType(l.instance(sym, complete))
	}
	return nil
}

// instance is the class that a symbol and template arguments name, made once.
func (l *lowerer) instance(sym *symbol, args []targ) *record {
	key := argsKey(args)
	if r := sym.instances[key]; r != nil {
		l.doubt(r)
		return r
	}
	if sym.instances == nil {
		sym.instances = map[string]*record{}
	}
	r := &record{name: sym.name, sym: sym, args: args}
	if len(args) > 0 {
		r.name += "<" + key + ">"
	}
	switch s := sym.scope; {
	case s == nil:
	case s.kind == scopeClass && s.rec != nil:
		r.name = s.rec.name + "::" + r.name
	case isLocal(s):
		r.name += "#" + itoa(numberIn(l.un.localIDs, sym.node, around(s)))
		if old := l.un.locals[r.name]; old != nil {
			old.moveTo(sym)
			sym.instances[key] = old
			return old
		}
		l.un.locals[r.name] = r
	case s.path != "":
		r.name = s.path + "::" + r.name
	}
	sym.instances[key] = r
	if l.un.instances++; l.un.instances > maxInstances || len(key) > maxArgsKey {
		r.reason, r.done = "too many class template instances", true
		return r
	}
	node, parent := sym.node, sym.scope
	if len(args) > 0 {
		spec, in, doubtful := l.specialization(sym, args)
		if doubtful {
			r.doubt = "choice of a specialization of " + sym.name
		}
		if spec != nil {
			node, parent = spec.node, in
		} else {
			parent = l.bindTemplate(sym.tparams, args, sym.scope)
		}
	}
	r.scope = newScope(parent, scopeClass)
	r.scope.rec = r
	r.union = node.Kind == "union_specifier"
	l.fillClass(r, node)
	l.doubt(r)
	return r
}

func (l *lowerer) fillClass(r *record, node *syntax.Node) {
	body := node.Child("body")
	if body == nil {
		r.reason, r.done = "incomplete class "+r.name, true
		return
	}
	c := &collector{u: l.un.u, global: r.scope.root()}
	c.items(body.Children, r.scope)
	for _, name := range []string{r.sym.name} {
		for _, f := range r.scope.syms[name] {
			if f.kind == symFunc {
				r.ctors = append(r.ctors, f)
			}
		}
		delete(r.scope.syms, name)
	}
	l.bases(r, node)
	for _, n := range body.Children {
		switch n.Kind {
		case "using_declaration":
			l.usingBase(r, n)
		case "field_declaration", "declaration":
			l.fieldsOf(r, n)
		case "function_definition":
			r.virtual = r.virtual || c.hasWord(n, "virtual")
		case "ERROR":
			r.reason = cmp.Or(r.reason, "syntax error in class "+r.name)
		}
	}
	if r.virtual {
		l.un.virtual = append(l.un.virtual, r)
		if r.findField(classWord) == nil {
			r.fields = append([]field{classField()}, r.fields...)
		}
	}
	var most int64
	for _, k := range node.Children {
		if isAttribute(k) {
			r.align = max(r.align, l.alignment(k, r.scope))
			r.packed = r.packed || l.isPacking(k)
			most = max(most, l.pragmaPack(k))
		}
	}
	r.tail = l.hasTail(r, body, node.Kind == "class_specifier")
	for _, f := range r.fields {
		if f.t.kind == kRecord && r.doubt == "" {
			r.doubt = f.t.rec.doubt
		}
		if f.t.kind == kRecord {
			r.reason, r.hollow = cmp.Or(r.reason, f.t.rec.reason), cmp.Or(r.hollow, f.t.rec.hollow)
		}
		switch {
		case f.t.kind == kOpaque && f.base:
			r.reason = cmp.Or(r.reason, "unknown type "+f.t.name)
		case f.t.kind == kOpaque:
			r.hollow = cmp.Or(r.hollow, "unknown type "+f.t.name)
		}
		if f.t.kind == kArray && f.t.len < 0 && r.reason == "" {
			r.reason = "array member of unknown length"
		}
	}
	r.layout(most)
	r.done = true
}

// usingBase puts the functions that `using Base::f` names beside those of the class, which would hide them.
func (l *lowerer) usingBase(r *record, n *syntax.Node) {
	text := l.text(n)
	name := strings.Trim(text[strings.LastIndex(text, ":")+1:], " ;.")
	if name == "" || len(r.scope.syms[name]) == 0 {
		return
	}
	for _, f := range r.fields {
		if !f.base || f.t.kind != kRecord || f.t.rec.scope == nil {
			continue
		}
		for _, sym := range f.t.rec.scope.own(name) {
			if sym.kind == symFunc {
				r.scope.share(name, sym)
			}
		}
	}
}

// isAttribute reports whether a node may say how something lies in memory.
func isAttribute(n *syntax.Node) bool {
	return n.Kind == "alignas_qualifier" || n.Kind == "attribute_specifier" || n.Kind == "attribute_declaration" ||
		n.Kind == "type_qualifier" && len(n.Children) == 1 && n.Children[0].Kind == "alignas_qualifier"
}

// isPacking reports whether an attribute is packed.
func (l *lowerer) isPacking(n *syntax.Node) (yes bool) {
	walk(n, func(k *syntax.Node) bool {
		yes = yes || k.Kind == "identifier" && strings.Trim(l.text(k), "_") == "packed"
		return !yes
	})
	return yes
}

// pragmaPack reads what the preprocessor has made of #pragma pack in front of a class, 0 if it is another attribute.
func (l *lowerer) pragmaPack(n *syntax.Node) (most int64) {
	walk(n, func(k *syntax.Node) bool {
		if k.Kind == "call_expression" && l.text(k.Child("function")) == syntax.PragmaPack {
			if args := namedChildren(k.Child("arguments")); len(args) > 0 {
				most, _ = l.constInt(args[0], l.scope)
			}
		}
		return most == 0
	})
	return most
}

// alignment reads alignas(n), __align__(n) and __attribute__((aligned(n))).
func (l *lowerer) alignment(n *syntax.Node, s *scope) int64 {
	var out int64
	text := l.text(n)
	if !strings.Contains(text, "align") {
		return 0
	}
	walk(n, func(k *syntax.Node) bool {
		if k.Kind == "type_descriptor" {
			out = max(out, l.typeNode(k, s).align())
			return false
		}
		if k.Named && k.Kind != "identifier" && !strings.Contains(k.Kind, "attribute") && k.Kind != "argument_list" && k.Kind != "alignas_qualifier" && k.Kind != "type_qualifier" && k.Kind != "call_expression" {
			if v, ok := l.constInt(k, s); ok {
				out = max(out, v)
			}
			return false
		}
		return true
	})
	return out
}

func (l *lowerer) bases(r *record, node *syntax.Node) {
	for _, k := range node.Children {
		if k.Kind != "base_class_clause" {
			continue
		}
		for _, b := range k.Children {
			switch b.Kind {
			case "type_identifier", "qualified_identifier", "template_type":
				t := l.typeNode(b, r.scope.parent)
				if t.kind == kRecord && !t.rec.done {
					t = opaque(t.rec.name)
				}
				r.fields = append(r.fields, field{t: t, base: true})
				r.virtual = r.virtual || t.kind == kRecord && t.rec.virtual
			case "virtual":
				r.reason = "virtual base class"
			}
		}
	}
}

// fieldsOf adds the data members of one declaration.
func (l *lowerer) fieldsOf(r *record, n *syntax.Node) {
	c := &collector{u: l.un.u}
	if c.hasWord(n, "static") || c.hasWord(n, "constexpr") || c.hasWord(n, "typedef") {
		return
	}
	if c.hasWord(n, "virtual") {
		r.virtual = true
	}
	t := l.specType(n, r.scope)
	if t == nil {
		if n.Child("type") == nil {
			return
		}
		t = opaque(l.text(n.Child("type")))
	}
	var own field // what attributes say of each member that is declared here
	for _, k := range n.Children {
		if isAttribute(k) {
			own.aligned = max(own.aligned, l.alignment(k, r.scope))
			own.packed = own.packed || l.isPacking(k)
			if strings.Contains(l.text(k), "no_unique_address") && r.reason == "" {
				r.reason = "member that may share its address"
			}
		}
	}
	named := false
	for i, d := range n.Children {
		if d.Field != "declarator" {
			continue
		}
		named = true
		if functionDeclarator(d) != nil || d.Kind == "operator_cast" {
			continue
		}
		ft, name := l.declarator(t, d, r.scope)
		if elem, _ := ft.innermost(); elem.kind == kRecord && !elem.rec.done { // a class that holds itself
			ft = opaque(elem.rec.name)
		}
		f := field{t: ft, init: defaultValue(n.Children[i+1:]), aligned: own.aligned, packed: own.packed, apart: r.apart}
		if name != nil {
			f.name = l.text(name)
		}
		if i+1 < len(n.Children) && n.Children[i+1].Kind == "bitfield_clause" && !l.fieldOfBits(r, &f, n.Children[i+1]) {
			continue
		}
		r.apart = 0
		r.fields = append(r.fields, f)
	}
	if width := n.Children[len(n.Children)-2]; !named && width.Kind == "ERROR" && len(width.Children) == 2 && width.Children[0].Kind == ":" { // "long long : 40;"
		if f := (field{t: t, aligned: own.aligned, apart: r.apart}); l.fieldOfBits(r, &f, width) {
			r.apart, r.fields = 0, append(r.fields, f)
		}
		return
	}
	for _, k := range n.Children {
		if k.Kind == "ERROR" {
			r.reason = cmp.Or(r.reason, "syntax error in class "+r.name)
		}
	}
	if k := n.Child("type"); !named && k != nil && k.Child("name") == nil && strings.HasSuffix(k.Kind, "_specifier") && t.kind == kRecord {
		l.promoteAnonymous(r, t)
	}
}

// fieldOfBits gives a member the width that a clause says. One without bits is no member, but lets the next one begin in a unit of its own.
func (l *lowerer) fieldOfBits(r *record, f *field, clause *syntax.Node) (is bool) {
	switch w, ok := l.constInt(namedChildren(clause)[0], r.scope); {
	case !ok:
		r.reason = cmp.Or(r.reason, "width of a bit-field")
	case w == 0:
		r.apart = max(r.apart, f.t.size())
		return false
	default:
		f.bitWidth = int(w)
	}
	return true
}

// promoteAnonymous makes the members of an anonymous struct or union members of its class.
func (l *lowerer) promoteAnonymous(r *record, t *ctype) {
	if !t.rec.done {
		t = opaque(t.rec.name)
	}
	r.fields = append(r.fields, field{t: t, base: true, anonymous: true, apart: r.apart})
	r.apart = 0
}

// findField returns the path of field indices that leads to a member, through bases.
func (r *record) findField(name string) []int {
	if i := r.field(name); i >= 0 {
		return []int{i}
	}
	for i := range r.fields {
		if f := &r.fields[i]; f.base && f.t.kind == kRecord {
			if path := f.t.rec.findField(name); path != nil {
				return append([]int{i}, path...)
			}
		}
	}
	return nil
}

// basePath returns the path of field indices from a class to one of its bases.
func (r *record) basePath(base *record) []int {
	if r == base {
		return []int{}
	}
	for i := range r.fields {
		if f := &r.fields[i]; f.base && f.t.kind == kRecord {
			if path := f.t.rec.basePath(base); path != nil {
				return append([]int{i}, path...)
			}
		}
	}
	return nil
}
