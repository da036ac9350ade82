package lower

// This file lowers what classes do: construction, conversion and operator functions, lambdas.

import (
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/syntax"
)

// construct makes a value of a type from `T(args)` or `T{list}`; neither means T().
func (l *lowerer) construct(t *ctype, args, list *syntax.Node, n *syntax.Node) value {
	if args != nil {
		return l.constructArgs(t, l.arguments(args), n)
	}
	if list != nil {
		return l.constructList(t, list, n)
	}
	return l.constructArgs(t, nil, n)
}

func (l *lowerer) constructArgs(t *ctype, args []argument, n *syntax.Node) value {
	switch {
	case t.kind == kVoid:
		return value{t: tVoid}
	case t.kind == kRecord:
		return l.constructRecord(t, args, n)
	case t.kind == kGroup && len(args) == 1:
		return l.load(args[0].v, n)
	case t.isScalar() && len(args) == 0:
		return rval(t.unqualified(), zero(t.ir()))
	case t.isScalar() && len(args) == 1:
		return l.convertTo(args[0].v, t, args[0].n)
	case t.kind == kArray && len(args) == 0:
		return l.zeroValue(t, n)
	}
	return l.opaqueConstruct(t, args, n)
}

// opaqueConstruct is a value of a class that is not known. Its constructor is taken to change
// nothing but what it is given by reference.
func (l *lowerer) opaqueConstruct(t *ctype, args []argument, n *syntax.Node) value {
	l.callbacks(n, t.String(), args) // as a thread does
	for i := range args {
		args[i].v = l.load(args[i].v, args[i].n)
	}
	v := l.unknown(n, "object of type "+t.String(), !l.host, l.reachable(values(args))...)
	v.t = t
	return v
}

// constructRecord chooses a constructor, or copies, or initializes the members in order.
func (l *lowerer) constructRecord(t *ctype, args []argument, n *syntax.Node) value {
	rec := t.rec
	if rec.lib != "" {
		return l.libConstruct(t, args, n)
	}
	if len(args) == 1 && args[0].v.t.kind == kRecord && args[0].v.t.rec == rec && !(args[0].v.isPlace() && l.copies(rec, args[0].v.moved)) {
		return l.load(args[0].v, args[0].n)
	}
	if l.unlaid(rec) != "" {
		return l.opaqueConstruct(t, args, n)
	}
	if len(rec.ctors) > 0 {
		return l.callConstructor(t, args, n)
	}
	if rec.name == "dim3" {
		return l.dim3(t, args)
	}
	if len(args) == 0 {
		return l.defaultValue(t, true, n)
	}
	if len(args) == 1 {
		if r, ok := l.conversionOperator(args[0].v, t, n); ok {
			return l.load(r, n)
		}
		if r, ok := l.libConversion(args[0].v, n); ok {
			args[0].v = r
		}
	}
	return l.aggregate(t, args, n)
}

// constructFrom is an implicit conversion to a class.
func (l *lowerer) constructFrom(t *ctype, v value, n *syntax.Node) value {
	if v.cat == vPoison {
		return l.load(l.unknownOf(n, t.unqualified(), v.reason, false), n)
	}
	if len(t.rec.ctors) == 0 && t.rec.lib == "" && t.rec.name != "dim3" {
		return l.load(l.unknownOf(n, t.unqualified(), "conversion of "+v.t.String()+" to "+t.String(), false), n)
	}
	if l.converting >= maxConversions {
		return l.load(l.unknownOf(n, t.unqualified(), "conversion of "+v.t.String()+" to "+t.String(), false), n)
	}
	l.converting++
	defer func() { l.converting-- }()
	return l.constructRecord(t, []argument{{v, n}}, n)
}

// maxConversions bounds conversions by constructors inside each other, of which C++ allows one.
const maxConversions = 4

// copies reports whether a class has a copy constructor of its own, or one that moves, if asked for that.
func (l *lowerer) copies(rec *record, moved bool) bool {
	for _, c := range rec.ctors {
		ps := l.un.parameters(c.decl)
		if len(ps) == 0 || isDefaulted(c.node) || c.tparams != nil {
			continue
		}
		if len(ps) > 1 && ps[1].Kind != "optional_parameter_declaration" {
			continue
		}
		if t := l.tryType(ps[0], c.scope); t != nil && t.kind == kRef && (moved || !t.rvalue) && t.elem.kind == kRecord && t.elem.rec == rec {
			return true
		}
	}
	return false
}

func (l *lowerer) dim3(t *ctype, args []argument) value {
	v := value{t: t.unqualified(), cat: vAgg}
	if len(args) == 1 && args[0].v.t.kind == kRecord && args[0].v.t.rec.vector { // dim3(uint3)
		src := l.load(args[0].v, args[0].n)
		for i := range t.rec.fields {
			if i < len(src.elems) {
				v.elems = append(v.elems, l.convertTo(src.elems[i], tUInt, args[0].n))
			}
		}
		return v
	}
	for i := range t.rec.fields {
		if i < len(args) {
			v.elems = append(v.elems, rval(tUInt, l.toScalar(args[i].v, tUInt, args[i].n)))
		} else {
			v.elems = append(v.elems, rval(tUInt, constInt(ir.U32, 1)))
		}
	}
	return v
}

// aggregate initializes members in order from arguments, the rest with their defaults.
func (l *lowerer) aggregate(t *ctype, args []argument, n *syntax.Node) value {
	if t.rec.union && l.unlaid(t.rec) == "" && len(args) == 1 && len(t.rec.fields) > 0 {
		return l.unionValue(t, 0, args[0], n)
	}
	if t.rec.union {
		return l.opaqueConstruct(t, args, n)
	}
	v, rest := l.members(t, args, n)
	if len(rest) > 0 {
		return l.opaqueConstruct(t, args, n)
	}
	return v
}

// members gives the members of an aggregate their values in order, and returns the arguments that are left.
func (l *lowerer) members(t *ctype, args []argument, n *syntax.Node) (v value, rest []argument) {
	v = value{t: t.unqualified(), cat: vAgg}
	for i := range t.rec.fields {
		f := &t.rec.fields[i]
		var e value
		switch {
		case len(args) == 0, f.name == "" && !f.base: // a bit-field without a name is no member
			e = l.fieldDefault(t.rec, f, n)
		case f.t.kind == kRef:
			e, args = args[0].v, args[1:]
		default:
			e, args = l.firstElement(f.t, args, n)
		}
		v.elems = append(v.elems, l.keptBy(f, e))
	}
	return v, args
}

// keptBy is what a member keeps of a value: a bit-field the last bits.
func (l *lowerer) keptBy(f *field, v value) value {
	if f.bitWidth == 0 {
		return v
	}
	x := l.bits(v)
	if x == nil {
		return v
	}
	return rval(f.t, lastBits(convert(x, f.t.ir()), f.bitWidth))
}

// isAggregate reports whether a class is initialized member by member.
func (t *ctype) isAggregate() bool {
	return t.kind == kRecord && len(t.rec.ctors) == 0 && t.rec.lib == "" && t.rec.reason == "" && t.rec.name != "dim3"
}

// firstElement makes a member or an element from the first of some arguments, and returns the others. An aggregate
// whose braces are left out takes as many as it has members itself ([dcl.init.aggr], brace elision).
func (l *lowerer) firstElement(t *ctype, args []argument, n *syntax.Node) (v value, rest []argument) {
	switch first := args[0].v; {
	case first.init != nil || first.cat == vPoison:
	case t.kind == kArray && first.t.kind != kArray && t.len >= 0 && t.len <= maxListed:
		return l.elements(t, args, n)
	case t.isAggregate() && !t.rec.union && first.t.isScalar():
		return l.members(t, args, n)
	}
	return l.convertTo(args[0].v, t.unqualified(), args[0].n), args[1:]
}

// unionValue is a union one of whose members has a value.
func (l *lowerer) unionValue(t *ctype, i int, x argument, n *syntax.Node) value {
	u := l.inMemory("", t)
	m := l.member(u, i)
	l.assign(m, l.convertTo(x.v, m.t.unqualified(), x.n), n)
	return u
}

// emptyUnion is a union no member of which has a value of its own: all bytes are zero, or nothing
// is known of them.
func (l *lowerer) emptyUnion(t *ctype, zeroed bool, n *syntax.Node) value {
	if l.unlaid(t.rec) != "" {
		return value{t: t, cat: vPoison, reason: l.unlaid(t.rec)}
	}
	u := l.inMemory("", t)
	for i := range t.rec.fields {
		if f := t.rec.fields[i].t; zeroed && f.kind != kRef {
			l.assign(l.member(u, i), l.zeroValue(f, n), n)
		}
	}
	return u
}

// constructList initializes from braces.
func (l *lowerer) constructList(t *ctype, list, n *syntax.Node) value {
	items := namedChildren(list)
	one := len(items) == 1 && items[0].Kind != "parameter_pack_expansion"
	switch {
	case t.kind == kAuto && one:
		return l.rval(items[0])
	case t.isScalar() && one:
		return l.convertTo(l.expr(items[0]), t, items[0])
	case t.kind == kArray:
		for _, item := range items {
			if item.Kind == "initializer_pair" {
				return l.designatedArray(t, items, n)
			}
		}
		return l.arrayList(t, l.arguments(list), n)
	case t.isAggregate():
		if len(items) > 0 && items[0].Kind == "initializer_pair" {
			return l.designated(t, items, n)
		}
		if one && items[0].Kind != "initializer_list" {
			if v := l.expr(items[0]); v.t.kind == kRecord && v.t.rec == t.rec {
				return l.load(v, items[0])
			} else {
				return l.aggregate(t, []argument{{v, items[0]}}, n)
			}
		}
		return l.aggregate(t, l.arguments(list), n)
	}
	return l.constructArgs(t, l.listArguments(t, list), n)
}

// listArguments are what a constructor is given for braces: the list, if the class has one for lists whose elements these may be
// ([over.match.list]), or else each of them.
func (l *lowerer) listArguments(t *ctype, list *syntax.Node) []argument {
	args := l.arguments(list)
	if !l.host || t.kind != kRecord || len(args) == 0 {
		return args
	}
	for _, c := range t.rec.ctors {
		ps := l.un.parameters(c.decl)
		if len(ps) != 1 || c.tparams != nil {
			continue
		}
		of := l.tryType(ps[0], c.scope)
		if of == nil || of.kind != kRecord || of.rec.name != "std::initializer_list<"+argsKey(of.rec.args)+">" {
			continue
		}
		elem := of.rec.args[0].t
		if slices.ContainsFunc(args, func(a argument) bool { return l.convRank(a.v, elem) < 0 }) {
			continue
		}
		array := value{t: arrayOf(elem.unqualified(), int64(len(args))), cat: vMem}
		array.x = l.roomFor(array.t, list)
		l.assign(array, l.arrayList(array.t, args, list), list)
		size := rval(tULong, constInt(ir.U64, int64(len(args))))
		return []argument{{l.constructRecord(of, []argument{{array, list}, {size, list}}, list), list}}
	}
	return args
}

func (l *lowerer) designated(t *ctype, items []*syntax.Node, n *syntax.Node) value {
	if t.rec.union && len(items) == 1 {
		if i := t.rec.field(l.designator(items[0])); i >= 0 && l.unlaid(t.rec) == "" {
			x := items[0].Child("value")
			return l.unionValue(t, i, argument{l.expr(x), x}, n)
		}
	}
	v := l.defaultValue(t, true, n)
	if v.cat != vAgg {
		return l.opaqueConstruct(t, nil, n)
	}
	for _, item := range items {
		x := item.Child("value")
		i := t.rec.field(l.designator(item))
		if item.Kind != "initializer_pair" || x == nil || i < 0 {
			return l.opaqueConstruct(t, nil, n)
		}
		f := &t.rec.fields[i]
		v.elems[i] = l.keptBy(f, l.convertTo(l.expr(x), f.t, x))
	}
	return v
}

// designator is the name in `.name = value`, "" if there is none.
func (l *lowerer) designator(item *syntax.Node) string {
	d := item.Child("designator")
	if kids := namedChildren(d); len(kids) == 1 && d.Kind == "field_designator" {
		d = kids[0]
	}
	return l.text(d)
}

// designatedArray initializes from `{[2] = x, y}`: an element without an index follows the one
// before it.
func (l *lowerer) designatedArray(t *ctype, items []*syntax.Node, n *syntax.Node) value {
	at := map[int64]argument{}
	next, count := int64(0), int64(0)
	for _, item := range items {
		x := item
		if item.Kind == "initializer_pair" {
			d := namedChildren(item.Child("designator"))
			if x = item.Child("value"); len(d) != 1 || x == nil {
				return l.unknown(n, "array initializer", true)
			}
			i, ok := l.constInt(d[0], l.scope)
			if !ok || i < 0 || i >= maxListed {
				return l.unknown(n, "array initializer", true)
			}
			next = i
		}
		at[next] = argument{l.expr(x), x}
		next++
		count = max(count, next)
	}
	list := make([]argument, count)
	for i := range list {
		a, ok := at[int64(i)]
		if !ok {
			a = argument{l.zeroValue(t.elem, n), n}
		}
		list[i] = a
	}
	return l.arrayList(t, list, n)
}

// maxListed bounds the elements of an array that an initializer lists.
const maxListed = 4096

func (l *lowerer) arrayList(t *ctype, items []argument, n *syntax.Node) value {
	if t.len > maxListed || t.len < 0 && len(items) > maxListed {
		return l.unknown(n, "array initializer of more than 4,096 elements", true)
	}
	v, _ := l.elements(t, items, n)
	return v
}

// elements gives the elements of an array their values, all of them if its length is not known, and returns the
// arguments that are left.
func (l *lowerer) elements(t *ctype, args []argument, n *syntax.Node) (v value, rest []argument) {
	v = value{cat: vAgg}
	for i := int64(0); i < t.len || t.len < 0 && len(args) > 0; i++ {
		var e value
		if len(args) > 0 {
			e, args = l.firstElement(t.elem, args, n)
		} else {
			e = l.zeroValue(t.elem, n)
		}
		v.elems = append(v.elems, e)
	}
	v.t = arrayOf(t.elem, int64(len(v.elems)))
	return v, args
}

// zeroValue is a value-initialized value.
func (l *lowerer) zeroValue(t *ctype, n *syntax.Node) value {
	switch t.kind {
	case kRecord:
		return l.constructRecord(t, nil, n)
	case kArray:
		v := value{t: t, cat: vAgg}
		for i := range max(t.len, 0) {
			if i >= maxListed {
				break
			}
			v.elems = append(v.elems, l.zeroValue(t.elem, n))
		}
		return v
	}
	if t.isScalar() {
		return rval(t.unqualified(), zero(t.ir()))
	}
	return value{t: t, cat: vPoison, reason: "value of type " + t.String()}
}

// defaultValue is the value of a class without constructors; zero says whether members
// without initializer are zeroed or indeterminate.
func (l *lowerer) defaultValue(t *ctype, zeroed bool, n *syntax.Node) value {
	v := value{t: t.unqualified(), cat: vAgg}
	if t.rec.union {
		return l.emptyUnion(t, zeroed, n)
	}
	for i := range t.rec.fields {
		v.elems = append(v.elems, l.fieldDefault(t.rec, &t.rec.fields[i], n))
	}
	return stamped(v)
}

func (l *lowerer) fieldDefault(rec *record, f *field, n *syntax.Node) value {
	if f.init != nil {
		old := l.scope
		l.scope = rec.scope
		v := l.convertTo(l.expr(f.init), f.t.unqualified(), f.init)
		l.scope = old
		return v
	}
	if f.t.kind == kRecord && (len(f.t.rec.ctors) > 0 || f.t.rec.name == "dim3") {
		return l.constructRecord(f.t, nil, n)
	}
	return l.zeroValue(f.t, n)
}

// callConstructor inlines a constructor on a temporary object.
func (l *lowerer) callConstructor(t *ctype, args []argument, n *syntax.Node) value {
	obj := l.newVariable("", n, t.unqualified())
	if obj.cat == vPoison {
		return l.opaqueConstruct(t, args, n)
	}
	if !l.initialize(obj, t, args, n) {
		if len(args) == 0 {
			return l.load(obj, n)
		}
		return l.opaqueConstruct(t, args, n)
	}
	return l.load(obj, n)
}

// initialize runs the constructor that fits on an object in place.
func (l *lowerer) initialize(obj value, t *ctype, args []argument, n *syntax.Node) bool {
	fs := &fnset{name: t.rec.sym.name, syms: t.rec.ctors, scope: l.scope, this: &obj}
	c := l.choose(fs, args)
	if c == nil {
		if len(args) == 0 {
			l.fieldInits(obj, t.rec, nil, n)
			return true
		}
		if len(args) == 1 && args[0].v.t.kind == kRecord && args[0].v.t.rec == t.rec {
			l.assign(obj, l.load(args[0].v, args[0].n), n)
			return true
		}
		return false
	}
	body := c.sym.node.Child("body")
	if body == nil {
		if isDefaulted(c.sym.node) {
			if len(args) == 1 {
				l.assign(obj, l.load(args[0].v, args[0].n), n)
			} else {
				l.fieldInits(obj, t.rec, nil, n)
			}
			return true
		}
		return false
	}
	if l.tooDeep(body, c.key, false) != "" {
		return false
	}
	in := newScope(c.scope, scopeFunction)
	in.this = &obj
	l.bindParams(in, c, args)
	l.brokenHeader(c.sym.node)
	l.enterBody(n, in, body, tVoid, c.key, func() {
		old := l.scope
		l.fieldInits(obj, t.rec, c.sym.node, n)
		l.scope = old
	})
	return true
}

func isDefaulted(n *syntax.Node) bool {
	for _, k := range n.Children {
		if k.Kind == "default_method_clause" {
			return true
		}
	}
	return false
}

// fieldInits initializes bases and members by a constructor's initializer list.
func (l *lowerer) fieldInits(obj value, rec *record, ctor *syntax.Node, n *syntax.Node) {
	inits := map[string]*syntax.Node{}
	if ctor != nil {
		for _, k := range ctor.Children {
			if k.Kind != "field_initializer_list" {
				continue
			}
			for _, fi := range namedChildren(k) {
				if kids := namedChildren(fi); len(kids) > 0 {
					inits[l.templateName(lastPart(kids[0]))] = fi
				}
			}
		}
	}
	stamped := !rec.virtual
	for i := range rec.fields {
		f := &rec.fields[i]
		if f.name == classWord {
			continue
		}
		if !f.base && !stamped { // behind the bases, whose constructors name themselves
			l.stampClass(obj, rec, n)
			stamped = true
		}
		name := f.name
		if f.base && f.t.kind == kRecord && f.t.rec.sym != nil {
			name = f.t.rec.sym.name
		}
		if fi := inits[name]; fi != nil {
			l.fieldInit(obj, i, f, fi)
			continue
		}
		l.defaultField(obj, rec, i, f, n)
	}
	if !stamped {
		l.stampClass(obj, rec, n)
	}
	if fi := inits[rec.sym.name]; fi != nil { // a delegating constructor
		kids := namedChildren(fi)
		l.initialize(obj, obj.t, l.arguments(kids[len(kids)-1]), fi)
	}
}

func lastPart(n *syntax.Node) *syntax.Node {
	_, last := splitQualified(n)
	if last == nil {
		return n
	}
	return last
}

func (l *lowerer) defaultField(obj value, rec *record, i int, f *field, n *syntax.Node) {
	switch {
	case f.init != nil:
		old := l.scope
		l.scope = rec.scope
		v := l.convertTo(l.expr(f.init), f.t.unqualified(), f.init)
		l.scope = old
		l.assign(l.member(obj, i), v, f.init)
	case f.t.kind == kRecord && f.t.rec.sym != nil && f.t.rec.lib == "" && l.unlaid(f.t.rec) == "":
		l.initialize(l.member(obj, i), f.t, nil, n)
	case f.t.kind == kArray && f.t.hasInitializers():
		l.defaultInitialize(l.member(obj, i), n)
	}
}

func (l *lowerer) fieldInit(obj value, i int, f *field, fi *syntax.Node) {
	kids := namedChildren(fi)
	arg := kids[len(kids)-1]
	place := l.member(obj, i)
	if f.t.kind == kRef {
		if args := namedChildren(arg); len(args) == 1 && obj.cat == vAgg {
			obj.elems[i] = l.expr(args[0])
		}
		return
	}
	if f.t.kind == kClosure || f.t.kind == kGroup || f.t.kind == kOpaque {
		l.memberBegins(memberOf(f.name, l.placeOf(obj)), arg)
		if args := namedChildren(arg); len(args) == 1 && obj.cat == vAgg {
			obj.elems[i] = l.rval(args[0])
		}
		return
	}
	var v value
	if arg.Kind == "initializer_list" {
		v = l.constructList(f.t, arg, fi)
	} else {
		v = l.constructArgs(f.t, l.arguments(arg), fi)
	}
	l.assign(place, v, fi)
}

// operator calls an overloaded operator, a member first. It reports whether there is one.
func (l *lowerer) operator(n *syntax.Node, name string, operands []value, nodes []*syntax.Node) (value, bool) {
	if len(operands) == 0 {
		return value{}, false
	}
	if r, ok := l.libOperator(n, name, operands, nodes); ok {
		return r, true
	}
	args := make([]argument, len(operands))
	for i := range operands {
		args[i] = argument{operands[i], nodes[i]}
	}
	var best *candidate
	this := operands[0]
	member := false
	if this.t.kind == kRecord && this.t.rec.scope != nil {
		fs := &fnset{name: name, syms: this.t.rec.scope.own(name), scope: l.scope, this: &this}
		if best = l.choose(fs, args[1:]); best != nil {
			member = true
		}
	}
	syms := l.scope.lookup(name)
	for _, o := range operands {
		if o.t.kind == kRecord && o.t.rec.scope != nil {
			syms = append(append([]*symbol{}, syms...), enclosingNamespace(o.t.rec.scope).own(name)...)
		}
	}
	if free := l.choose(&fnset{name: name, syms: freeFunctions(syms), scope: l.scope}, args); free != nil && (best == nil || free.rank < best.rank-best.madeConst) {
		best, member = free, false
	}
	if best == nil || !member && !hasRecord(operands) && best.rank >= userConversion {
		return value{}, false
	}
	if !member {
		return l.inline(n, best, nil, args), true
	}
	fs := &fnset{name: name, scope: l.scope, this: &this}
	return l.inlineMember(n, best, fs, args[1:]), true
}

// hasRecord reports whether one of the operands is of a class; operators on others have built-in
// meanings that need no conversion to a class.
func hasRecord(operands []value) bool {
	for _, o := range operands {
		if o.t.kind == kRecord {
			return true
		}
	}
	return false
}

func freeFunctions(syms []*symbol) []*symbol {
	var out []*symbol
	for _, s := range syms {
		if s.kind == symFunc && (s.scope == nil || s.scope.kind != scopeClass) {
			out = append(out, s)
		}
	}
	return out
}

// conversions lists the conversion functions of a class and its bases.
func (l *lowerer) conversions(rec *record) []*symbol {
	if rec.scope == nil {
		return nil
	}
	return rec.scope.own(conversionName)
}

// conversionOperator converts a class value by one of its conversion functions: to t, or to
// any scalar if t is nil.
func (l *lowerer) conversionOperator(v value, t *ctype, n *syntax.Node) (value, bool) {
	if v.t.kind != kRecord {
		return value{}, false
	}
	var best *candidate
	for _, sym := range l.conversions(v.t.rec) {
		c := &candidate{sym: sym, scope: sym.scope, in: sym.scope.rec}
		if sym.tparams != nil || sym.node.Child("body") == nil {
			continue
		}
		ret := l.returnType(c)
		switch {
		case ret == nil:
			continue
		case t != nil && t.kind == kRef: // an lvalue is asked for
			if ret.kind != kRef || !sameType(ret.elem, t.elem) {
				continue
			}
		case t == nil && ret.noRef().isScalar():
			c.rank = 0
		case t == nil:
			continue
		case sameType(ret.noRef(), t):
			c.rank = 0
		case ret.noRef().isArithmetic() && t.isArithmetic():
			c.rank = 1
		case ret.noRef().kind == kPtr && t.kind == kPtr:
			c.rank = 1
		default:
			continue
		}
		if best == nil || c.rank < best.rank {
			best = c
		}
	}
	if best == nil {
		return value{}, false
	}
	this := v
	if this.isTemporary() && (this.t.hasArrays() || !isConstMember(best.sym.decl)) {
		this = l.materialized(this, n)
	}
	if path := this.t.rec.basePath(best.in); len(path) > 0 {
		this = l.memberPath(this, path)
	}
	r := l.inline(n, best, &this, nil)
	if t != nil && t.kind != kRef && !sameType(r.t, t) {
		r = l.convertTo(r, t, n)
	}
	return r, true
}

// operand is an operand of a built-in operator: of an object, what its conversion function gives. The
// function sees the object itself, no copy: it may read it atomically, or give where a part of it is.
func (l *lowerer) operand(v value, n *syntax.Node) value {
	if v.t.kind == kRecord && v.t.rec.lib == "" {
		if r, ok := l.conversionOperator(v, nil, n); ok {
			return r
		}
	}
	return v
}

// lambda evaluates a lambda expression. Captures by reference are the variables themselves;
// captures by value are copies made here.
func (l *lowerer) lambda(n *syntax.Node) value {
	env := newScope(l.scope, scopeFunction)
	byValue := false
	for _, k := range namedChildren(n.Child("captures")) {
		switch k.Kind {
		case "lambda_default_capture":
			byValue = l.text(k) == "="
		case "identifier":
			l.capture(env, k, l.text(k), k, capturesByReference(n, k))
		case "lambda_capture_initializer":
			l.capture(env, k, l.text(k.Child("left")), k.Child("right"), capturesByReference(n, k))
		}
	}
	if byValue {
		l.captureUsed(env, n)
	}
	l.captureThis(env, n)
	setting := around(env)
	if l.host {
		setting += l.constants(n, env)
	}
	c := &closure{node: n, scope: env, id: numberIn(l.un.lambdas, n, setting)}
	return value{t: &ctype{kind: kClosure, closure: c}, cat: vStatic}
}

// The names that stand for the object of the method around a lambda among what this captures: a copy of it, or where it is.
const (
	capturedCopy  = "*this"
	capturedThere = "this"
)

// captureThis captures the object of the method that a lambda stands in. It stays the same place where the lambda is called here; a
// kernel has it from the host, as it has all that is captured.
func (l *lowerer) captureThis(env *scope, n *syntax.Node) {
	this := l.thisValue()
	if this == nil || this.t.kind != kRecord {
		return
	}
	if strings.Contains(strings.ReplaceAll(l.text(n.Child("captures")), " ", ""), capturedCopy) {
		v := l.bindVariable(capturedCopy, nil, this.t.unqualified(), argument{*this, n}, nil)
		env.add(&symbol{kind: symVar, name: capturedCopy, v: &v})
		env.this = &v
		return
	}
	used := false
	walk(n.Child("body"), func(k *syntax.Node) bool {
		used = used || k.Kind == "this" || k.Kind == "identifier" && this.t.rec.declares(l.text(k))
		return !used
	})
	if used {
		v := l.addressOf(*this, n)
		env.add(&symbol{kind: symVar, name: capturedThere, v: &v})
	}
}

// declares reports whether a class or one of its bases has a member of a name.
func (r *record) declares(name string) bool {
	return r.findField(name) != nil || r.scope != nil && len(r.scope.own(name)) > 0 ||
		slices.ContainsFunc(r.fields, func(f field) bool { return f.base && f.t.kind == kRecord && f.t.rec.declares(name) })
}

// capturesByReference reports whether a & stands before the capture.
func capturesByReference(lambda, k *syntax.Node) bool {
	list := lambda.Child("captures").Children
	for i, c := range list {
		if c == k {
			if k.Kind == "lambda_capture_initializer" && len(k.Children) > 0 && k.Children[0].Kind == "&" {
				return true
			}
			return i > 0 && list[i-1].Kind == "&"
		}
	}
	return false
}

func (l *lowerer) capture(env *scope, n *syntax.Node, name string, init *syntax.Node, byRef bool) {
	v := l.expr(init)
	switch {
	case !byRef && v.t.kind == kArray && n.Kind != "lambda_capture_initializer":
		v = l.copyOf(v, name, n)
	case !byRef:
		v = l.bindVariable(name, n, tAuto, argument{v, init}, nil)
	}
	env.add(&symbol{kind: symVar, name: name, v: &v})
}

// copyOf is a copy of an array that a lambda captures by value ([expr.prim.lambda.capture]).
func (l *lowerer) copyOf(v value, name string, n *syntax.Node) value {
	place := l.newVariable(name, n, v.t.unqualified())
	l.assign(place, v, n)
	return place
}

// captureUsed copies the local variables that the body of a [=] lambda names.
func (l *lowerer) captureUsed(env *scope, n *syntax.Node) {
	walk(n.Child("body"), func(k *syntax.Node) bool {
		if k.Kind != "identifier" || len(env.syms[l.text(k)]) > 0 {
			return true
		}
		name := l.text(k)
		for s := l.scope; s != nil && s.kind == scopeFunction; s = s.parent {
			if syms := s.syms[name]; len(syms) > 0 {
				if sym := syms[0]; sym.kind == symVar && sym.v != nil && isCopied(*sym.v) {
					v := *sym.v
					if v.t.kind == kArray {
						v = l.copyOf(v, name, k)
					} else {
						v = l.bindVariable(name, k, v.t.unqualified(), argument{v, k}, nil)
					}
					env.add(&symbol{kind: symVar, name: name, v: &v})
				}
				break
			}
		}
		return true
	})
}

// isCopied reports whether a capture by value makes a copy: of all but constants, of what is
// known at compile time other than lambdas, and of arrays that are none of the thread's own.
func isCopied(v value) bool {
	switch v.cat {
	case vReg:
		return true
	case vMem:
		at, ok := v.x.(*ir.ObjAddr)
		return v.t.kind != kArray || ok && at.Obj.Space == ir.Local
	case vRval, vAgg:
		return !allFixed(v)
	case vStatic:
		return v.t.kind == kClosure
	}
	return false
}

// callClosure inlines the body of a lambda.
func (l *lowerer) callClosure(n *syntax.Node, c *closure, args []argument) value {
	return l.callClosureWith(n, c, nil, args)
}

// callClosureWith calls a lambda with template arguments, as far as they are written.
func (l *lowerer) callClosureWith(n *syntax.Node, c *closure, explicit []targ, args []argument) value {
	body, d := c.node.Child("body"), c.node.Child("declarator")
	if reason := l.tooDeep(body, "", false); reason != "" {
		return l.opaqueCall(n, reason, args)
	}
	sym := &symbol{kind: symFunc, name: "lambda", node: c.node, decl: d, scope: c.scope, tparams: c.node.Child("template_parameters")}
	cand := &candidate{sym: sym, scope: c.scope}
	var ret *ctype
	in := newScope(c.scope, scopeFunction)
	if d != nil {
		cand.params = l.un.parameters(d)
		if sym.tparams != nil {
			if _, ok := l.deduceCall(cand, sym, explicit, args); !ok {
				return l.opaqueCall(n, "lambda whose template arguments are not known", args)
			}
			in = newScope(cand.scope, scopeFunction)
		}
		for _, p := range cand.params {
			t := l.tryType(p, cand.scope)
			if t == nil {
				t = tAuto
			}
			cand.types = append(cand.types, t)
		}
		for _, k := range namedChildren(d) {
			if k.Kind == "trailing_return_type" {
				ret = l.typeNode(namedChildren(k)[0], cand.scope)
			}
		}
		l.bindParams(in, cand, args)
	}
	return l.enterBody(n, in, body, ret, cand.key, func() {})
}
