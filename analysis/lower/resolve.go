package lower

// This file finds what a name or a piece of type syntax means in a scope.

import (
	"math"
	"strconv"
	"strings"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/syntax"
)

func itoa(n int) string { return strconv.Itoa(n) }

// nameRef is a name with what it may refer to.
type nameRef struct {
	name  string
	syms  []*symbol
	args  *syntax.Node // template argument list, or nil
	rec   *record      // the class that a qualified name looks into
	canon []string     // names under which lowering may know it without a declaration
	qual  bool
}

// resolve looks up an identifier, a template-id or a qualified name.
func (l *lowerer) resolve(n *syntax.Node, s *scope) nameRef {
	switch n.Kind {
	case "qualified_identifier":
		return l.resolveQualified(n, s)
	case "template_function", "template_type", "template_method":
		r := l.resolve(n.Child("name"), s)
		r.args = n.Child("arguments")
		return r
	case "dependent_name", "dependent_type":
		for _, k := range n.Children {
			if k.Named {
				return l.resolve(k, s)
			}
		}
	}
	name := l.declName(n)
	return nameRef{name: name, syms: s.lookup(name), canon: l.canonical(name, s)}
}

// canonical lists the qualified names that an unqualified one may stand for.
func (l *lowerer) canonical(name string, s *scope) []string {
	out := []string{name}
	for ; s != nil; s = s.parent {
		for _, u := range s.using {
			if u.path != "" && u.path != "std" {
				out = append(out, u.path+"::"+name)
			}
		}
		for _, sym := range s.syms[name] {
			if sym.kind == symNamespace && sym.name == "" {
				out = append(out, sym.inner.path+"::"+name)
			}
		}
	}
	return out
}

func (l *lowerer) resolveQualified(n *syntax.Node, s *scope) nameRef {
	path, last := splitQualified(n)
	if last == nil {
		return nameRef{}
	}
	in := s
	first := true
	if n.Child("scope") == nil { // ::name
		in, first = s.root(), false
	}
	var rec *record
	known := ""
	for i, part := range path {
		next, r, text := l.step(part, in, s, first)
		if next == nil {
			whole := joinPath(known, text)
			canon := []string{whole + "::" + l.templateName(last)}
			for _, p := range path[i+1:] {
				whole = joinPath(whole, l.templateName(p))
			}
			if i+1 < len(path) {
				canon = append([]string{whole + "::" + l.templateName(last)}, canon...)
			}
			return nameRef{name: l.declName(last), canon: canon, args: last.Child("arguments"), qual: true}
		}
		first, rec, in, known = false, r, next, next.path
		if r != nil {
			known = r.name
		}
	}
	name := l.templateName(last)
	ref := nameRef{name: name, args: last.Child("arguments"), rec: rec, qual: true}
	if last.Kind == "dependent_name" {
		sub := l.resolve(last, in)
		ref.name, ref.args = sub.name, sub.args
		name = sub.name
	}
	ref.syms = in.own(name)
	if in.parent == nil && len(in.syms[name]) == 0 && intrinsics[name] != nil {
		ref.syms = nil // what is declared there hides what using directives bring ([namespace.qual])
	}
	if len(ref.syms) == 0 && rec == nil && in.parent == nil {
		ref.canon = []string{name}
		return ref
	}
	ref.canon = []string{joinPath(known, name)}
	if len(ref.syms) == 1 && ref.syms[0].kind == symNamespace && ref.syms[0].name == "" {
		ref.canon = append(ref.canon, ref.syms[0].inner.path+"::"+name)
	}
	return ref
}

func joinPath(path, name string) string {
	if path == "" {
		return name
	}
	return path + "::" + name
}

// templateName is a name without its template arguments.
func (l *lowerer) templateName(n *syntax.Node) string {
	switch n.Kind {
	case "template_function", "template_type", "template_method":
		return l.declName(n.Child("name"))
	}
	return l.declName(n)
}

// step enters one part of a qualified name: a namespace, a class or an enumeration.
func (l *lowerer) step(part *syntax.Node, in, args *scope, first bool) (*scope, *record, string) {
	name := l.templateName(part)
	syms := in.own(name)
	if first {
		syms = in.lookup(name)
	}
	for _, sym := range syms {
		if sym.kind == symNamespace && sym.name != "" {
			return sym.inner, nil, name
		}
	}
	var t *ctype
	if part.Kind == "decltype" {
		t = l.typeNode(part, args)
	} else if len(syms) > 0 {
		t = l.symType(syms[0], part.Child("arguments"), args)
	} else if first {
		t = l.libType(l.canonical(name, in), part.Child("arguments"), args)
	} else {
		t = l.libType([]string{joinPath(in.path, name)}, part.Child("arguments"), args)
	}
	if t == nil {
		return nil, nil, name
	}
	t = t.noRef()
	switch t.kind {
	case kRecord:
		l.doubt(t.rec)
		if t.rec.scope != nil {
			return t.rec.scope, t.rec, name
		}
	case kEnum:
		for _, sym := range syms {
			if sym.kind == symAlias && sym.inner != nil {
				return sym.inner, nil, name
			}
		}
		if sym := l.un.enums[t.name]; sym != nil && sym.inner != nil {
			return sym.inner, nil, name
		}
	}
	return nil, nil, t.String()
}

func (l *lowerer) declName(n *syntax.Node) string { return (&collector{u: l.un.u}).declName(n) }

// typeNode is the type that a piece of type syntax means; an unknown one becomes opaque.
func (l *lowerer) typeNode(n *syntax.Node, s *scope) *ctype {
	if n == nil {
		return tInt
	}
	if t := l.tryType(n, s); t != nil {
		return t
	}
	if base := n.Child("type"); base != nil { // a declarator around an unknown type
		t, _ := l.declarator(opaque(l.words(base)), n.Child("declarator"), s)
		return t
	}
	return opaque(l.words(n))
}

// tryType is typeNode that returns nil for what is not known to be a type.
func (l *lowerer) tryType(n *syntax.Node, s *scope) *ctype {
	switch n.Kind {
	case "primitive_type":
		if t := scalarNames[l.text(n)]; t != nil {
			return l.voidOr(t, n)
		}
		return nil
	case "sized_type_specifier":
		return l.sizedType(n)
	case "type_descriptor", "parameter_declaration", "optional_parameter_declaration", "variadic_parameter_declaration":
		t := l.specType(n, s)
		if t == nil {
			return nil
		}
		t, _ = l.declarator(t, n.Child("declarator"), s)
		return t
	case "placeholder_type_specifier":
		for _, k := range n.Children {
			if k.Kind == "decltype" {
				return l.tryType(k, s)
			}
		}
		return tAuto
	case "auto":
		return tAuto
	case "decltype":
		return l.declType(n, s)
	case "struct_specifier", "class_specifier", "union_specifier", "enum_specifier":
		return l.classType(n, s)
	case "identifier", "type_identifier", "namespace_identifier", "template_type", "template_function", "template_method", "qualified_identifier", "dependent_type", "dependent_name", "field_identifier":
		return l.namedType(n, s)
	}
	return nil
}

func (l *lowerer) voidOr(t *ctype, n *syntax.Node) *ctype {
	if l.text(n) == "void" {
		return tVoid
	}
	return t
}

func (l *lowerer) namedType(n *syntax.Node, s *scope) *ctype {
	if (n.Kind == "dependent_type" || n.Kind == "dependent_name") && len(n.Children) > 0 {
		return l.tryType(n.Children[len(n.Children)-1], s)
	}
	r := l.resolve(n, s)
	for _, sym := range r.syms {
		if t := l.symType(sym, r.args, s); t != nil {
			return t
		}
	}
	if len(r.syms) > 0 && r.syms[0].kind != symNamespace {
		return nil
	}
	return l.libType(r.canon, r.args, s)
}

// symType is the type that a symbol names, with template arguments as written in s.
func (l *lowerer) symType(sym *symbol, args *syntax.Node, s *scope) *ctype {
	switch sym.kind {
	case symClass:
		if sym.tparams == nil || len(namedChildren(sym.tparams)) == 0 {
			return recordType(l.instance(sym, nil))
		}
		if args == nil {
			for in := s; in != nil; in = in.parent { // the injected class name
				if in.rec != nil && in.rec.sym == sym {
					return recordType(in.rec)
				}
			}
			return l.deducedClass(sym)
		}
		return recordType(l.instance(sym, l.templateArgs(sym, args, s)))
	case symAlias:
		return l.aliasType(sym, args, s)
	case symPack:
		if l.packIndex >= 0 && l.packIndex < len(sym.pack) {
			return sym.pack[l.packIndex].t
		}
	}
	return nil
}

// deducedClass stands for `Template x(…)` whose arguments would have to be deduced.
func (l *lowerer) deducedClass(sym *symbol) *ctype {
	var args []targ
	args, ok := l.completeArgs(sym.tparams, nil, sym.scope)
	if !ok {
		return nil
	}
	return recordType(l.instance(sym, args))
}

func (l *lowerer) aliasType(sym *symbol, args *syntax.Node, s *scope) *ctype {
	if sym.t != nil {
		return sym.t
	}
	if sym.busy {
		return nil
	}
	sym.busy = true
	defer func() { sym.busy = false }()
	if sym.node == nil {
		return nil
	}
	if sym.node.Kind == "enum_specifier" {
		sym.t = l.enumType(sym)
		return sym.t
	}
	if sym.node.Kind == "alias_declaration" {
		in := sym.scope
		if sym.tparams != nil {
			if args == nil {
				return nil
			}
			in = l.bindTemplate(sym.tparams, l.templateArgs(sym, args, s), sym.scope)
		}
		t := l.tryType(sym.node.Child("type"), in)
		if sym.tparams == nil {
			sym.t = t
		}
		return t
	}
	t := l.specType(sym.node, sym.scope)
	if t == nil {
		t = opaque(l.text(sym.node.Child("type")))
	}
	sym.t, _ = l.declarator(t, sym.decl, sym.scope)
	for _, k := range sym.node.Children {
		if isAttribute(k) {
			if a := l.alignment(k, sym.scope); a > 0 {
				aligned := *sym.t
				aligned.aligned = a
				sym.t = &aligned
			}
		}
	}
	if sym.t.kind == kRecord && strings.HasPrefix(sym.t.rec.name, "(anonymous") {
		sym.t.rec.name = sym.name
	}
	return sym.t
}

func (l *lowerer) enumType(sym *symbol) *ctype {
	t := &ctype{kind: kEnum, name: sym.name, scalar: ir.I32}
	if base := sym.node.Child("base"); base != nil {
		if b := l.tryType(base, sym.scope); b != nil && b.isInt() {
			t.scalar = b.scalar
		}
	} else if !isScoped(sym.node) && l.needsUnsigned(sym) {
		t.scalar = ir.U32
	}
	l.un.enums[t.name] = sym
	return t
}

// needsUnsigned reports whether an enumerator's value is no int. Only values that name nothing are
// looked at: others are made of these, as masks are.
func (l *lowerer) needsUnsigned(sym *symbol) bool {
	for _, list := range sym.inner.syms {
		for _, e := range list {
			if e.kind != symEnumConst || e.node != sym.node || e.value == nil {
				continue
			}
			named := false
			walk(e.value, func(k *syntax.Node) bool {
				named = named || strings.HasSuffix(k.Kind, "identifier")
				return !named
			})
			if named {
				continue
			}
			if v, ok := l.constInt(e.value, sym.scope); ok && v > math.MaxInt32 {
				return true
			}
		}
	}
	return false
}

// sizedType reads `unsigned long long int` in any order of its words.
func (l *lowerer) sizedType(n *syntax.Node) *ctype {
	var unsigned, isSigned bool
	long, base := 0, "int"
	var named *syntax.Node
	for _, k := range n.Children {
		switch w := l.text(k); w {
		case "unsigned":
			unsigned = true
		case "signed":
			isSigned = true
		case "long":
			long++
		case "short", "char", "double", "int":
			if base == "int" {
				base = w
			}
		default:
			named = k
		}
	}
	var signedT, unsignedT *ctype
	switch {
	case base == "double" && long > 0:
		return opaque("long double")
	case base == "double":
		return tDouble
	case base == "char" && isSigned:
		return tSChar
	case base == "char":
		signedT, unsignedT = tChar, tUChar
	case base == "short":
		signedT, unsignedT = tShort, tUShort
	case long == 1:
		signedT, unsignedT = tLong, tULong
	case long >= 2:
		signedT, unsignedT = tLLong, tULLong
	default:
		signedT, unsignedT = tInt, tUInt
	}
	if named != nil && named.Kind == "primitive_type" {
		if t := scalarNames[l.text(named)]; t != nil && t.isInt() && long == 0 {
			signedT, unsignedT = t, unsignedOf(t)
		}
	}
	if unsigned {
		return unsignedT
	}
	return signedT
}

func unsignedOf(t *ctype) *ctype {
	switch t.name {
	case "char", "signed char":
		return tUChar
	case "short":
		return tUShort
	case "int":
		return tUInt
	case "long":
		return tULong
	case "long long":
		return tULLong
	}
	return t
}

func signedOf(t *ctype) *ctype {
	switch t.name {
	case "unsigned char", "char":
		return tSChar
	case "unsigned short":
		return tShort
	case "unsigned int":
		return tInt
	case "unsigned long":
		return tLong
	case "unsigned long long":
		return tLLong
	}
	return t
}

// classType is the type of a class or enum specifier, found by its name or its place.
func (l *lowerer) classType(n *syntax.Node, s *scope) *ctype {
	name := anonymous(n)
	if nn := n.Child("name"); nn != nil {
		if n.Child("body") == nil {
			return l.namedType(nn, s)
		}
		name = l.text(nn)
	}
	for _, sym := range s.lookup(name) {
		if sym.node == n || n.Child("name") != nil {
			if t := l.symType(sym, nil, s); t != nil {
				return t
			}
		}
	}
	return nil
}

// declType is decltype(expression).
func (l *lowerer) declType(n *syntax.Node, s *scope) *ctype {
	for _, k := range n.Children {
		if k.Named && k.Kind != "auto" {
			return l.typeOfExpr(k, s)
		}
	}
	return tAuto
}

// specType is the type that a declaration's specifiers give, without its declarator.
func (l *lowerer) specType(n *syntax.Node, s *scope) *ctype {
	tn := n.Child("type")
	if tn == nil {
		return nil
	}
	t := l.tryType(tn, s)
	if t == nil {
		return nil
	}
	isConst, volatile := false, false
	for _, k := range n.Children {
		if k.Kind == "type_qualifier" {
			switch l.text(k) {
			case "const", "constexpr":
				isConst = true
			case "volatile":
				volatile = true
			}
		}
	}
	return t.qualified(isConst, volatile)
}

// declarator applies a declarator to the type of its declaration and finds the name.
func (l *lowerer) declarator(t *ctype, d *syntax.Node, s *scope) (*ctype, *syntax.Node) {
	for d != nil {
		switch d.Kind {
		case "pointer_declarator", "abstract_pointer_declarator", "pointer_type_declarator":
			t = pointerTo(t)
			for _, k := range d.Children {
				if k.Kind == "type_qualifier" {
					t = t.qualified(l.text(k) == "const", l.text(k) == "volatile")
				}
			}
		case "reference_declarator", "abstract_reference_declarator":
			t = l.reference(t, d)
		case "array_declarator", "abstract_array_declarator":
			n := int64(-1)
			if size := d.Child("size"); size != nil {
				if v, ok := l.constInt(size, s); ok {
					n = v
				}
			}
			t = arrayOf(t, n)
		case "function_declarator", "abstract_function_declarator":
			t = l.funcType(t, d, s)
		case "identifier", "field_identifier", "type_identifier", "primitive_type", "qualified_identifier", "operator_name", "template_function", "template_method", "structured_binding_declarator":
			return t, d
		}
		d = innerDeclarator(d)
	}
	return t, nil
}

// reference applies & or &&, which collapse.
func (l *lowerer) reference(t *ctype, d *syntax.Node) *ctype {
	rvalue := len(d.Children) > 0 && d.Children[0].Kind == "&&"
	if t.kind == kRef {
		if t.rvalue && !rvalue {
			return refTo(t.elem)
		}
		return t
	}
	r := refTo(t)
	r.rvalue = rvalue
	return r
}

func (l *lowerer) funcType(result *ctype, d *syntax.Node, s *scope) *ctype {
	t := &ctype{kind: kFunc, elem: result}
	for _, p := range namedChildren(d.Child("parameters")) {
		if pt := l.tryType(p, s); pt != nil && pt.kind != kVoid {
			t.params = append(t.params, pt.decay())
		}
	}
	return t
}
