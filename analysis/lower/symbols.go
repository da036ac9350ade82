package lower

// This file defines scopes and symbols, and fills them from the declarations of a unit. Only
// names are collected; types and values are found when they are needed.

import (
	"strings"

	"github.com/warplint/warplint/analysis/syntax"
)

type scopeKind uint8

const (
	scopeNamespace scopeKind = iota
	scopeClass
	scopeTemplate // template parameters bound to arguments
	scopeFunction // parameters, or a block of a body
)

// scope maps names to symbols. A lookup goes on in the parent.
type scope struct {
	parent *scope
	kind   scopeKind
	path   string // scopeNamespace: qualified name, "" for the global one
	syms   map[string][]*symbol
	using  []*scope
	rec    *record // scopeClass
	this   *value  // scopeFunction: the object of a method, or the captured one of a lambda

	concepts map[string]bool               // of the global scope: the names of all concepts
	requires map[*syntax.Node]*syntax.Node // of the global scope: by what a template declares, its requires-clause
}

type symKind uint8

const (
	symFunc symKind = iota
	symVar
	symClass
	symAlias // typedef, using, template type parameter
	symEnumConst
	symNamespace
	symPack
)

// symbol is a declared name.
type symbol struct {
	kind    symKind
	name    string
	node    *syntax.Node // function_definition, declaration, class or enum specifier, alias
	decl    *syntax.Node // symVar, symAlias: the declarator
	value   *syntax.Node // symVar: initializer; symEnumConst: value expression
	prev    *symbol      // symEnumConst: the constant before it
	scope   *scope       // where it is declared
	tparams *syntax.Node // template parameter list of a template
	specs   []*symbol    // explicit and partial specializations
	outside []*symbol    // symClass: members defined outside the class
	inner   *scope       // symNamespace
	static  bool         // a static member, or a variable with static storage
	t       *ctype       // resolved type, if it does not depend on an instance
	params  []*ctype     // symFunc: the types of its parameters, once known
	v       *value       // symVar, symEnumConst: the value, once known
	pack    []targ       // symPack
	busy    bool         // being resolved

	instances map[string]*record // symClass
}

func newScope(parent *scope, k scopeKind) *scope {
	s := &scope{parent: parent, kind: k}
	if parent != nil && k != scopeNamespace {
		s.path = parent.path
	}
	return s
}

func (s *scope) add(sym *symbol) *symbol {
	sym.scope = s
	s.share(sym.name, sym)
	return sym
}

// share makes symbols of another scope visible under a name.
func (s *scope) share(name string, syms ...*symbol) {
	if s.syms == nil {
		s.syms = map[string][]*symbol{}
	}
	s.syms[name] = append(s.syms[name], syms...)
}

// namespace returns the nested namespace of the name, made if it isn't there.
func (s *scope) namespace(name string) *scope {
	for _, sym := range s.syms[name] {
		if sym.kind == symNamespace {
			return sym.inner
		}
	}
	in := newScope(s, scopeNamespace)
	in.path = name
	if s.path != "" {
		in.path = s.path + "::" + name
	}
	s.add(&symbol{kind: symNamespace, name: name, inner: in})
	return in
}

// own looks a name up in one scope, its inline and used namespaces and its bases.
func (s *scope) own(name string) []*symbol {
	if syms := s.syms[name]; len(syms) > 0 {
		return syms
	}
	if s.rec != nil {
		for i := range s.rec.fields {
			f := &s.rec.fields[i]
			if f.base && f.t.kind == kRecord && f.t.rec.scope != nil {
				if syms := f.t.rec.scope.own(name); len(syms) > 0 {
					return syms
				}
			}
		}
	}
	return s.used(name, 0)
}

// maxUsing bounds the namespaces that use each other.
const maxUsing = 8

// used looks a name up in the namespaces that a scope uses, and in those that these use.
func (s *scope) used(name string, depth int) []*symbol {
	for _, u := range s.using {
		if syms := u.syms[name]; len(syms) > 0 {
			return syms
		}
	}
	if depth == maxUsing {
		return nil
	}
	for _, u := range s.using {
		if syms := u.used(name, depth+1); len(syms) > 0 {
			return syms
		}
	}
	return nil
}

// lookup finds a name from the scope outwards.
func (s *scope) lookup(name string) []*symbol {
	for ; s != nil; s = s.parent {
		if syms := s.own(name); len(syms) > 0 {
			return syms
		}
	}
	return nil
}

// knownNamespaces hold the names that lowering knows without a header.
var knownNamespaces = []string{
	"std", "cuda", "cuda::std", "cuda::device", "cuda::ptx", "cooperative_groups", "nvcuda", "nvcuda::wmma", "thrust", "cub",
}

// collect fills the global scope of a tree and lists its explicit instantiations.
func collect(u *syntax.Unit, root *syntax.Node) (*scope, []instantiation) {
	g := newScope(nil, scopeNamespace)
	for _, path := range knownNamespaces {
		s := g
		for _, part := range strings.Split(path, "::") {
			s = s.namespace(part)
		}
	}
	c := &collector{u: u, global: g}
	c.items(root.Children, g)
	return g, c.explicit
}

type collector struct {
	u        *syntax.Unit
	global   *scope
	explicit []instantiation
}

// instantiation is `template T f<args>(…);` in its scope.
type instantiation struct {
	node *syntax.Node
	in   *scope
}

func (c *collector) text(n *syntax.Node) string { return c.u.Slice(n) }

func (c *collector) items(nodes []*syntax.Node, s *scope) {
	for _, n := range nodes {
		c.item(n, s, nil)
	}
}

// item records one declaration. tparams is the parameter list of the template around it.
func (c *collector) item(n *syntax.Node, s *scope, tparams *syntax.Node) {
	switch n.Kind {
	case "namespace_definition":
		in := s
		if name := n.Child("name"); name != nil {
			for _, part := range strings.Split(c.text(name), "::") {
				in = in.namespace(strings.TrimPrefix(strings.TrimSpace(part), "inline "))
			}
			if n.Children[0].Kind == "inline" {
				s.using = append(s.using, in)
			}
		}
		if body := n.Child("body"); body != nil {
			c.items(body.Children, in)
		}
	case "linkage_specification":
		if body := n.Child("body"); body != nil && body.Kind == "declaration_list" {
			c.items(body.Children, s)
		} else if body != nil {
			c.item(body, s, nil)
		}
	case "namespace_alias_definition":
		c.namespaceAlias(n, s)
	case "using_declaration":
		c.using(n, s)
	case "template_declaration":
		params := n.Child("parameters")
		c.require(n, s)
		for _, k := range n.Children {
			if k != params {
				c.item(k, s, params)
			}
		}
	case "concept_definition":
		c.concept(n, s, tparams)
	case "template_instantiation":
		c.explicit = append(c.explicit, instantiation{n, s})
	case "function_definition":
		c.function(n, s, tparams)
	case "declaration", "field_declaration":
		c.declaration(n, s, tparams)
	case "type_definition":
		c.typeSpecifier(n.Child("type"), s, nil)
		for _, d := range n.Children {
			if d.Field == "declarator" {
				c.alias(n, d, s, nil)
			}
		}
	case "alias_declaration":
		s.add(&symbol{kind: symAlias, name: c.text(n.Child("name")), node: n, tparams: tparams})
	case "struct_specifier", "class_specifier", "union_specifier", "enum_specifier":
		c.typeSpecifier(n, s, tparams)
	case "friend_declaration":
		// A friend belongs to the namespace, but its names are looked up in the class.
		in, ns := newScope(s, scopeTemplate), enclosingNamespace(s)
		for _, k := range n.Children {
			if k.Kind == "function_definition" || k.Kind == "declaration" {
				c.item(k, in, tparams)
			}
		}
		for name, syms := range in.syms {
			ns.share(name, syms...)
		}
	case "declaration_list", "field_declaration_list", "ERROR", "preproc_if", "preproc_ifdef", "preproc_else":
		c.items(n.Children, s)
	}
}

func enclosingNamespace(s *scope) *scope {
	for s.kind != scopeNamespace && s.parent != nil {
		s = s.parent
	}
	return s
}

func (c *collector) namespaceAlias(n *syntax.Node, s *scope) {
	var target *syntax.Node
	for _, k := range n.Children {
		if k.Named && k.Field != "name" {
			target = k
		}
	}
	if target == nil || n.Child("name") == nil {
		return
	}
	if in := c.findNamespace(s, c.text(target)); in != nil {
		s.add(&symbol{kind: symNamespace, name: c.text(n.Child("name")), inner: in})
	}
}

func (c *collector) findNamespace(s *scope, path string) *scope {
	in := s
	for i, part := range strings.Split(path, "::") {
		part = strings.TrimSpace(part)
		if part == "" {
			in = c.global
			continue
		}
		var found *scope
		syms := in.own(part)
		if i == 0 {
			syms = in.lookup(part)
		}
		for _, sym := range syms {
			if sym.kind == symNamespace {
				found = sym.inner
			}
		}
		if found == nil {
			return nil
		}
		in = found
	}
	return in
}

// using handles `using namespace a::b;` and `using a::b;`.
func (c *collector) using(n *syntax.Node, s *scope) {
	var target *syntax.Node
	whole := false
	for _, k := range n.Children {
		if k.Kind == "namespace" {
			whole = true
		} else if k.Named {
			target = k
		}
	}
	if target == nil {
		return
	}
	path := c.text(target)
	if hasWord(c.u, n, "enum") {
		c.usingEnum(s, path)
		return
	}
	if whole {
		if in := c.findNamespace(s, path); in != nil {
			s.using = append(s.using, in)
		}
		return
	}
	i := strings.LastIndex(path, "::")
	if i < 0 {
		return
	}
	name := strings.TrimSpace(path[i+2:])
	in := c.findNamespace(s, path[:i])
	if in == nil {
		return
	}
	if syms := in.own(name); len(syms) > 0 {
		s.share(name, syms...)
	} else if sub := c.findNamespace(s, path); sub == nil {
		s.share(name, &symbol{kind: symNamespace, name: "", inner: in, scope: in})
	}
}

// usingEnum makes the enumerators of an enumeration names of a scope.
func (c *collector) usingEnum(s *scope, path string) {
	from, name := s, path
	if i := strings.LastIndex(path, "::"); i >= 0 {
		from, name = c.findNamespace(s, path[:i]), strings.TrimSpace(path[i+2:])
	}
	for ; from != nil; from = from.parent {
		for _, sym := range from.own(name) {
			if sym.inner == nil {
				continue
			}
			for _, list := range sym.inner.syms {
				for _, e := range list {
					if e.kind == symEnumConst {
						s.share(e.name, e)
					}
				}
			}
			return
		}
	}
}

// function records a function definition, also one of a class's member outside the class.
func (c *collector) function(n *syntax.Node, s *scope, tparams *syntax.Node) {
	d := functionDeclarator(n.Child("declarator"))
	if d == nil {
		if oc := n.Child("declarator"); oc != nil && oc.Kind == "operator_cast" {
			s.add(&symbol{kind: symFunc, name: conversionName, node: n, decl: oc, tparams: tparams})
		}
		return
	}
	name := d.Child("declarator")
	if name != nil && name.Kind == "qualified_identifier" {
		c.outside(n, d, name, s, tparams)
		return
	}
	sym := &symbol{kind: symFunc, name: c.declName(name), node: n, decl: d, tparams: tparams, static: c.hasWord(n, "static")}
	if name != nil && (name.Kind == "template_function" || name.Kind == "template_method") {
		for _, primary := range s.own(sym.name) {
			if primary.kind == symFunc && primary.tparams != nil {
				sym.scope = s
				primary.specs = append(primary.specs, sym)
				return
			}
		}
	}
	if tparams != nil && len(namedChildren(tparams)) == 0 {
		c.specializeByType(sym, s)
		return
	}
	s.add(sym)
}

// specializeByType files `template<> void f(int)` with the templates of its name.
func (c *collector) specializeByType(sym *symbol, s *scope) {
	sym.tparams = nil
	s.add(sym)
}

// outside files `T C<T>::f(…) {…}` with its class, or with its namespace.
func (c *collector) outside(n, d, name *syntax.Node, s *scope, tparams *syntax.Node) {
	path, last := splitQualified(name)
	in := s
	for _, part := range path {
		text := c.text(part)
		if part.Kind == "template_type" {
			text = c.text(part.Child("name"))
		}
		var next *scope
		for _, sym := range in.lookup(text) {
			switch sym.kind {
			case symNamespace:
				next = sym.inner
			case symClass:
				sym.outside = append(sym.outside, &symbol{kind: symFunc, name: c.declName(last), node: n, decl: d, tparams: tparams, scope: in})
				return
			}
		}
		if next == nil {
			return
		}
		in = next
	}
	in.add(&symbol{kind: symFunc, name: c.declName(last), node: n, decl: d, tparams: tparams})
}

// splitQualified separates the scopes of a qualified name from its last part.
func splitQualified(n *syntax.Node) (path []*syntax.Node, last *syntax.Node) {
	for n != nil && n.Kind == "qualified_identifier" {
		if s := n.Child("scope"); s != nil {
			path = append(path, s)
		}
		n = n.Child("name")
	}
	return path, n
}

const conversionName = "operator T"

// declName is the name that a declarator's innermost node gives.
func (c *collector) declName(n *syntax.Node) string {
	if n == nil {
		return ""
	}
	switch n.Kind {
	case "template_function", "template_method":
		return c.declName(n.Child("name"))
	case "operator_name":
		return "operator" + strings.TrimSpace(strings.TrimPrefix(c.text(n), "operator"))
	case "operator_cast":
		return conversionName
	}
	return c.text(n)
}

// functionDeclarator finds the function declarator under pointers and references, or nil.
func functionDeclarator(d *syntax.Node) *syntax.Node {
	for d != nil {
		switch d.Kind {
		case "function_declarator":
			if inner := d.Child("declarator"); inner != nil && inner.Kind == "parenthesized_declarator" {
				if len(inner.Children) > 1 && inner.Children[1].Kind == "function_declarator" {
					return inner.Children[1]
				}
				if len(inner.Children) > 1 && inner.Children[1].Kind == "pointer_declarator" {
					return nil
				}
			}
			return d
		case "pointer_declarator", "reference_declarator", "attributed_declarator", "init_declarator", "parenthesized_declarator":
			d = innerDeclarator(d)
		default:
			return nil
		}
	}
	return nil
}

// innerDeclarator is the declarator inside another one.
func innerDeclarator(d *syntax.Node) *syntax.Node {
	if in := d.Child("declarator"); in != nil {
		return in
	}
	for _, k := range d.Children {
		if k.Named && (strings.HasSuffix(k.Kind, "declarator") || strings.HasSuffix(k.Kind, "identifier") || k.Kind == "operator_name" || k.Kind == "template_function") {
			return k
		}
	}
	return nil
}

// nameOf finds the name that a declarator declares.
func nameOf(d *syntax.Node) *syntax.Node {
	for d != nil {
		switch d.Kind {
		case "identifier", "field_identifier", "type_identifier", "qualified_identifier", "operator_name", "template_function",
			"template_method", "destructor_name", "primitive_type", "structured_binding_declarator":
			return d
		}
		d = innerDeclarator(d)
	}
	return nil
}

// declaration records variables, fields' nested types, and function prototypes.
func (c *collector) declaration(n *syntax.Node, s *scope, tparams *syntax.Node) {
	if t := n.Child("type"); t != nil {
		c.typeSpecifier(t, s, nil)
	}
	for i, d := range n.Children {
		if d.Field != "declarator" {
			continue
		}
		if f := functionDeclarator(d); f != nil && d.Kind != "init_declarator" && !c.looksLikeObject(f, s) {
			s.add(&symbol{kind: symFunc, name: c.declName(f.Child("declarator")), node: n, decl: f, tparams: tparams, static: c.hasWord(n, "static")})
			continue
		}
		if d.Kind == "operator_cast" {
			s.add(&symbol{kind: symFunc, name: conversionName, node: n, decl: d, tparams: tparams})
			continue
		}
		name := nameOf(d)
		if name == nil {
			continue
		}
		if s.kind == scopeClass && !c.hasWord(n, "static") && !c.hasWord(n, "constexpr") {
			continue // fields are read when the class is laid out
		}
		sym := &symbol{kind: symVar, name: c.text(name), node: n, decl: d, tparams: tparams, static: true}
		if d.Kind == "init_declarator" {
			sym.value = d.Child("value")
		} else {
			sym.value = defaultValue(n.Children[i+1:])
		}
		if name.Kind == "qualified_identifier" {
			continue
		}
		if name.Kind == "template_function" { // a specialization of a variable template
			for _, primary := range s.lookup(c.text(name.Child("name"))) {
				if primary.kind == symVar && primary.tparams != nil {
					sym.scope = s
					primary.specs = append(primary.specs, sym)
					break
				}
			}
			continue
		}
		s.add(sym)
	}
}

// looksLikeObject tells `dim3 grid(x)` at namespace level from a prototype: a parameter that
// is no type but a variable.
func (c *collector) looksLikeObject(f *syntax.Node, s *scope) bool {
	params := f.Child("parameters")
	if params == nil {
		return false
	}
	for _, p := range params.Children {
		if p.Kind != "parameter_declaration" || len(p.Children) != 1 || p.Children[0].Kind != "type_identifier" {
			continue
		}
		syms := s.lookup(c.text(p.Children[0]))
		if len(syms) > 0 && (syms[0].kind == symVar || syms[0].kind == symEnumConst) {
			return true
		}
	}
	return false
}

// defaultValue finds the initializer that follows a declarator in a list of fields.
func defaultValue(rest []*syntax.Node) *syntax.Node {
	for _, k := range rest {
		switch {
		case k.Field == "default_value":
			return k
		case k.Field == "declarator":
			return nil
		}
	}
	return nil
}

func (c *collector) alias(n, d *syntax.Node, s *scope, tparams *syntax.Node) {
	if name := nameOf(d); name != nil {
		s.add(&symbol{kind: symAlias, name: c.text(name), node: n, decl: d, tparams: tparams})
	}
}

// typeSpecifier records a class or enumeration that is defined or named here.
func (c *collector) typeSpecifier(n *syntax.Node, s *scope, tparams *syntax.Node) {
	if n == nil {
		return
	}
	switch n.Kind {
	case "struct_specifier", "class_specifier", "union_specifier":
		c.class(n, s, tparams)
	case "enum_specifier":
		c.enum(n, s)
	}
}

func (c *collector) class(n *syntax.Node, s *scope, tparams *syntax.Node) {
	body, nameNode := n.Child("body"), n.Child("name")
	name := anonymous(n)
	if nameNode != nil {
		name = c.text(nameNode)
		if nameNode.Kind == "template_type" {
			name = c.text(nameNode.Child("name"))
		}
	}
	sym := &symbol{kind: symClass, name: name, node: n, tparams: tparams, scope: s}
	for _, old := range s.syms[name] {
		if old.kind != symClass {
			continue
		}
		switch {
		case nameNode != nil && nameNode.Kind == "template_type":
			if body != nil {
				old.specs = append(old.specs, sym)
			}
		case old.node.Child("body") == nil && body != nil:
			old.node, old.tparams = n, mergeParams(old.tparams, tparams)
		}
		return
	}
	if body == nil && tparams == nil && nameNode != nil && len(s.lookup(name)) > 0 {
		return // `struct S x;` names an outer class
	}
	s.add(sym)
}

// mergeParams keeps the parameter list that has default arguments.
func mergeParams(old, now *syntax.Node) *syntax.Node {
	if old != nil {
		for _, p := range old.Children {
			if strings.HasPrefix(p.Kind, "optional") {
				return old
			}
		}
	}
	return now
}

// anonymous names a class or enumeration that has no name by its place.
func anonymous(n *syntax.Node) string { return "(anonymous " + itoa(n.Start) + ")" }

func (c *collector) enum(n *syntax.Node, s *scope) {
	name := anonymous(n)
	if nn := n.Child("name"); nn != nil {
		name = c.text(nn)
	}
	if n.Child("body") == nil && len(s.lookup(name)) > 0 {
		return
	}
	t := &symbol{kind: symAlias, name: name, node: n}
	s.add(t)
	in := s
	if isScoped(n) {
		in = newScope(s, scopeNamespace)
		in.path = s.path + "::" + name
		t.inner = in
	}
	if t.inner == nil && in != s {
		t.inner = in
	}
	body := n.Child("body")
	if body == nil {
		t.inner = in
		return
	}
	var prev *symbol
	for _, e := range body.Children {
		if e.Kind == "enumerator" {
			prev = in.add(&symbol{kind: symEnumConst, name: c.text(e.Child("name")), node: n, value: e.Child("value"), prev: prev})
		}
	}
	if t.inner == nil { // E::A works for unscoped ones, too
		t.inner = s
	}
}

func isScoped(enum *syntax.Node) bool {
	return len(enum.Children) > 1 && (enum.Children[1].Kind == "class" || enum.Children[1].Kind == "struct")
}

// hasWord reports whether a declaration holds a keyword, such as static or __device__, before
// its declarators.
func (c *collector) hasWord(n *syntax.Node, word string) bool { return hasWord(c.u, n, word) }

func hasWord(u *syntax.Unit, n *syntax.Node, word string) bool {
	for _, k := range n.Children {
		if k.Kind == word {
			return true
		}
		switch k.Kind {
		case "storage_class_specifier", "type_qualifier", "attribute_specifier", "attribute_declaration", "virtual", "virtual_specifier":
			if strings.Contains(u.Slice(k), word) {
				return true
			}
		}
	}
	return false
}

func namedChildren(n *syntax.Node) []*syntax.Node {
	if n == nil {
		return nil
	}
	var out []*syntax.Node
	for _, k := range n.Children {
		if k.Named {
			out = append(out, k)
		}
	}
	return out
}
