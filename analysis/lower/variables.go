package lower

// This file says what a variable's name means: a local, a member, a constant, or an object in
// global, shared or constant memory.

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/syntax"
)

// variable is the value that a variable's name stands for.
func (l *lowerer) variable(n *syntax.Node, sym *symbol, r nameRef) value {
	if sym.v != nil {
		if l.guarded && l.isForeign(*sym.v) {
			return l.unknown(n, "variable of another function", false)
		}
		return *sym.v
	}
	if sym.tparams != nil {
		return l.variableTemplate(n, sym, r)
	}
	if sym.busy {
		return l.unknown(n, "variable defined by itself", false)
	}
	key := itoa(sym.decl.Start) + l.instanceKey(sym.scope)
	if v, ok := l.globals[key]; ok {
		return v
	}
	sym.busy = true
	v := l.namespaceVariable(sym, key)
	sym.busy = false
	l.globals[key] = v
	return v
}

// isForeign reports whether a value belongs to another function: a kernel's lambda sees the
// scopes of the host function that made it.
func (l *lowerer) isForeign(v value) bool {
	for _, r := range v.regs() {
		if r.ID >= len(l.fn.Regs) || l.fn.Regs[r.ID] != r {
			return true
		}
	}
	foreign := false
	if v.x != nil {
		ir.WalkExpr(v.x, func(e ir.Expr) {
			switch e := e.(type) {
			case *ir.RegRef:
				foreign = foreign || e.R.ID >= len(l.fn.Regs) || l.fn.Regs[e.R.ID] != e.R
			case *ir.ParamRef:
				foreign = foreign || e.P.Index >= len(l.fn.Params) || l.fn.Params[e.P.Index] != e.P
			case *ir.ObjAddr:
				foreign = foreign || e.Obj.ID >= len(l.fn.Objects) || l.fn.Objects[e.Obj.ID] != e.Obj
			}
		})
	}
	for _, e := range v.elems {
		foreign = foreign || l.isForeign(e)
	}
	return foreign
}

// variableTemplate is an instance of `template <…> constexpr T name = …`.
func (l *lowerer) variableTemplate(n *syntax.Node, sym *symbol, r nameRef) value {
	if r.args == nil || sym.value == nil {
		return l.unknown(n, "variable template", false)
	}
	args := l.templateArgs(sym, r.args, l.scope)
	in := l.bindTemplate(sym.tparams, args, sym.scope)
	spec, within, doubtful := l.specialization(sym, args)
	if doubtful {
		return l.unknown(n, "choice of a specialization of "+sym.name, false)
	}
	if spec != nil {
		sym, in = spec, within
	}
	t := l.specType(sym.node, in)
	if sym.node.Kind == "concept_definition" {
		t = tBool
	}
	v, ok := l.constValue(sym.value, in)
	if t == nil || !ok {
		return l.unknown(n, "variable template", false)
	}
	return l.convertTo(v, t, sym.value)
}

// instanceKey tells the variables of different instances of a template apart.
func (l *lowerer) instanceKey(s *scope) string {
	var b strings.Builder
	for ; s != nil; s = s.parent {
		if s.rec != nil {
			b.WriteString("/" + s.rec.name)
		}
		if s.kind == scopeTemplate {
			for _, name := range slices.Sorted(maps.Keys(s.syms)) { // one instance has one key
				if sym := s.syms[name][0]; sym.v != nil {
					b.WriteString("/" + sym.name + "=" + targ{v: sym.v}.String())
				} else if sym.t != nil {
					b.WriteString("/" + sym.name + "=" + sym.t.String())
				}
			}
		}
	}
	return b.String()
}

// namespaceVariable makes the value of a variable at namespace level or a static member.
func (l *lowerer) namespaceVariable(sym *symbol, key string) value {
	t := l.specType(sym.node, sym.scope)
	if t == nil {
		t = opaque(l.text(sym.node.Child("type")))
	}
	t, _ = l.declarator(t, sym.decl, sym.scope)
	space := l.spaceOf(sym.node, ir.Global)
	isConst := (t.isConst || hasWord(l.un.u, sym.node, "constexpr")) && space == ir.Global
	if isConst && sym.value != nil && !t.volatile && (t.isScalar() || t.kind == kAuto) {
		if v, ok := l.cached(key, func() (value, bool) { return l.constValue(sym.value, sym.scope) }); ok {
			if t.kind == kAuto {
				return v
			}
			v = l.convertTo(v, t.unqualified(), sym.value)
			v.name = ""
			return v
		}
	}
	if isConst && sym.value != nil && t.kind == kRecord && t.flat() {
		if v, ok := l.cached(key, func() (value, bool) { return l.constAggregate(t, sym) }); ok {
			return v
		}
	}
	switch t.kind {
	case kRef:
		if sym.value != nil {
			old := l.scope
			l.scope = sym.scope
			v := l.expr(sym.value)
			l.scope = old
			return v
		}
	case kOpaque, kAuto, kVoid, kGroup:
		return value{t: t, cat: vPoison, reason: "variable of type " + t.String(), name: sym.name}
	}
	if t.kind == kRecord && t.rec.lib != "" && strings.HasPrefix(t.rec.lib, "texture") {
		return value{t: t, cat: vStatic, name: sym.name}
	}
	if t.kind == kRecord && l.unlaid(t.rec) != "" {
		return value{t: t, cat: vPoison, reason: l.unlaid(t.rec), name: sym.name}
	}
	v := l.objectVariable(sym.name, sym.node, t, space, sym.value, sym.scope, key)
	if at, ok := v.x.(*ir.ObjAddr); ok && l.neverWritten(sym, t) && at.Obj.Given() {
		at.Obj.Space = ir.Constant // zeros there would be what the host fills
	}
	return v
}

// neverWritten reports whether a variable is a table of constants: neither kernels nor the host may write it.
func (l *lowerer) neverWritten(sym *symbol, t *ctype) bool {
	if t.kind != kArray || sym.value == nil || !l.host && !hasWord(l.un.u, sym.node, "__device__") {
		return false
	}
	elem, _ := t.innermost()
	return (elem.isConst || hasWord(l.un.u, sym.node, "constexpr")) && elem.isScalar() && elem.kind != kPtr
}

// constant is what is known of a variable's initializer, for all functions of the unit.
type constant struct {
	v     value
	ok    bool
	bytes []byte

	doubts []string
}

// cached evaluates an initializer once. Without it, variables that are defined by each other
// would be evaluated again for each use of each.
func (l *lowerer) cached(key string, f func() (value, bool)) (value, bool) {
	c, done := l.un.constants[key]
	if !done {
		before := l.doubts
		l.doubts = nil
		c.v, c.ok = f()
		c.doubts, l.doubts = l.doubts, before
		l.un.constants[key] = c
	}
	l.addDoubts(c.doubts...)
	return c.v, c.ok
}

func (l *lowerer) constAggregate(t *ctype, sym *symbol) (value, bool) {
	old := l.scope
	l.scope = sym.scope
	defer func() { l.scope = old }()
	var v value
	list := l.scratchStmts(func() {
		if sym.value.Kind == "argument_list" {
			v = l.construct(t, sym.value, nil, sym.value)
		} else {
			v = l.convertTo(l.expr(sym.value), t.unqualified(), sym.value)
		}
	})
	v, ok := settled(list, v)
	return v, ok && v.cat == vAgg && allConst(v)
}

func allConst(v value) bool {
	return v.eachPart(func(v value) bool {
		_, ok := v.x.(*ir.Const)
		return v.cat == vRval && ok
	})
}

// spaceOf reads the memory space from a declaration's words.
func (l *lowerer) spaceOf(n *syntax.Node, other ir.Space) ir.Space {
	switch {
	case hasWord(l.un.u, n, "__shared__"):
		return ir.Shared
	case hasWord(l.un.u, n, "__constant__"):
		return ir.Constant
	case hasWord(l.un.u, n, "__device__"), hasWord(l.un.u, n, "__managed__"):
		return ir.Global
	}
	return other
}

// objectVariable makes a memory object for a variable with static storage. All `extern
// __shared__` arrays start at one address, so they are one object.
func (l *lowerer) objectVariable(name string, n *syntax.Node, t *ctype, space ir.Space, init *syntax.Node, s *scope, key string) value {
	if t.kind == kArray && t.len < 0 && init != nil {
		t = l.sizedByInit(t, init)
	}
	if space == ir.Shared && t.kind == kArray && t.len < 0 {
		return l.dynamicShared(name, t)
	}
	if t.kind == kArray && t.len < 0 && !hasWord(l.un.u, n, "extern") {
		return value{t: t, cat: vPoison, reason: "array of unknown length " + name, name: name}
	}
	if t.size() >= maxSize {
		return value{t: t, cat: vPoison, reason: "object of enormous size", name: name}
	}
	o := l.newObject(name, space, t)
	if elem, _ := t.innermost(); space != ir.Shared && (init != nil || elem.kind == kRecord && elem.rec.lib == "") {
		c, done := l.un.constants["="+key]
		if !done {
			if init == nil {
				init = n
			}
			c.bytes = l.initialBytes(t, init, s)
			l.un.constants["="+key] = c
		}
		if o.Init = c.bytes; l.host && l.fn.Name == "main" && !elem.isConst && l.un.mayBeSetEarly(name) {
			o.Init = nil
		}
		if space == ir.Constant && o.Init != nil {
			if l.wholeUnit = true; l.un.isReplaced(name) {
				o.Init = nil
			}
		}
	}
	return value{t: t, cat: vMem, x: &ir.ObjAddr{Obj: o}, name: name}
}

// isReplaced reports whether host code gives a variable in constant memory other contents than the source does, or may.
func (un *unitState) isReplaced(name string) bool {
	if un.replaced == nil {
		un.replaced = map[string]bool{}
		for _, p := range un.parts {
			walk(p.root, func(n *syntax.Node) bool {
				if fn := n.Child("function"); n.Kind == "call_expression" && fn != nil && symbolWriter.MatchString(un.u.Slice(fn)) {
					walk(n.Child("arguments"), func(k *syntax.Node) bool {
						if k.Kind == "identifier" {
							un.replaced[un.u.Slice(k)] = true
						}
						return true
					})
				}
				return true
			})
		}
	}
	return un.replaced[name]
}

// symbolWriter are the functions by which the host comes to a variable in constant memory.
var symbolWriter = regexp.MustCompile(`^(::)?cuda(MemcpyToSymbol|GetSymbolAddress)`)

func (l *lowerer) dynamicShared(name string, t *ctype) value {
	for _, o := range l.fn.Objects {
		if o.Space == ir.Shared && o.Size == 0 {
			o.Align = max(o.Align, t.align())
			return value{t: t, cat: vMem, x: &ir.ObjAddr{Obj: o}, name: name}
		}
	}
	o := l.newObject(name, ir.Shared, t)
	return value{t: t, cat: vMem, x: &ir.ObjAddr{Obj: o}, name: name}
}

// sizedByInit completes `T a[] = {…}`.
func (l *lowerer) sizedByInit(t *ctype, init *syntax.Node) *ctype {
	switch init.Kind {
	case "initializer_list":
		items, count := namedChildren(init), 0
		if (t.elem.kind == kRecord || t.elem.kind == kArray) && len(items) > 0 && items[0].Kind != "initializer_list" {
			var v value // whose elements may be written without braces
			l.scratchStmts(func() { v = l.constructList(t, init, init) })
			return arrayOf(t.elem, int64(len(v.elems)))
		}
		for _, k := range items {
			if k.Kind == "parameter_pack_expansion" {
				l.eachPack(k, l.scope, func() { count++ })
			} else {
				count++
			}
		}
		return arrayOf(t.elem, int64(count))
	case "string_literal", "concatenated_string", "raw_string_literal":
		return arrayOf(t.elem, int64(len(l.stringText(init))+1))
	}
	return t
}

// initialBytes is the memory image of a constant initializer, nil if it is none.
func (l *lowerer) initialBytes(t *ctype, init *syntax.Node, s *scope) []byte {
	if t.size() > 1<<16 {
		return nil
	}
	if t.kind == kArray && t.elem.isInt() && t.elem.size() == 1 && (init.Kind == "string_literal" || init.Kind == "concatenated_string" || init.Kind == "raw_string_literal") {
		out := make([]byte, t.size())
		copy(out, l.stringText(init))
		return out
	}
	old := l.scope
	l.scope = s
	defer func() { l.scope = old }()
	var v value
	list := l.scratchStmts(func() {
		switch init.Kind {
		case "argument_list":
			v = l.construct(t, init, nil, init)
		case "declaration", "field_declaration": // no initializer: the constructor without arguments
			v = l.zeroValue(t, init)
		default:
			v = l.convertTo(l.expr(init), t.unqualified(), init)
		}
	})
	v, ok := settled(list, l.withAddresses(v))
	if !ok || !allConst(v) {
		return nil
	}
	out := make([]byte, t.size())
	return fillBytes(out, v, t)
}

// withAddresses is a value with the addresses of functions in the place of their names.
func (l *lowerer) withAddresses(v value) value {
	if v.cat == vAgg {
		elems := make([]value, len(v.elems))
		for i, e := range v.elems {
			elems[i] = l.withAddresses(e)
		}
		v.elems = elems
	}
	if v.cat == vFns {
		if x := l.functionAddress(v.fns); x != nil {
			return rval(voidPtr, x)
		}
	}
	return v
}

func fillBytes(out []byte, v value, t *ctype) []byte {
	switch {
	case t.kind == kArray:
		size := t.elem.size()
		for i, e := range v.elems {
			if int64(i+1)*size <= int64(len(out)) {
				fillBytes(out[int64(i)*size:], e, t.elem)
			}
		}
	case t.kind == kRecord:
		for i, e := range v.elems {
			if f := t.rec.fields[i]; f.bitWidth == 0 {
				fillBytes(out[f.off:], e, f.t)
			}
		}
	default:
		c := v.x.(*ir.Const)
		for i := range t.size() {
			out[i] = byte(c.Bits >> (8 * i))
		}
	}
	return out
}
