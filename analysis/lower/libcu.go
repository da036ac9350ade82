package lower

// This file lowers libcu++: atomics, barriers and pipelines, and the classes of the standard
// library and of CUDA that lowering knows by name.

import (
	"cmp"
	"strings"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/syntax"
)

// The lib field of a record that lowering knows by name.
const (
	libAtomic        = "atomic"
	libAtomicRef     = "atomic_ref"
	libBarrier       = "barrier"
	libPipeline      = "pipeline"
	libPipelineState = "pipeline state"
	libTexture       = "texture"
	libLimits        = "numeric_limits"
	libTag           = "tag"   // an empty class whose type says all
	libPlain         = "plain" // plain data
)

// libType is a type that lowering knows without a declaration, nil if it knows none.
func (l *lowerer) libType(canon []string, args *syntax.Node, s *scope) *ctype {
	for _, full := range canon {
		name := strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(full, "::"), "cuda::std::"), "std::")
		if args == nil {
			if t := vectorTypes[name]; t != nil {
				return t
			}
			if t := scalarNames[name]; t != nil {
				if name == "void" {
					return tVoid
				}
				return t
			}
		}
		if strings.HasPrefix(full, cg) {
			if t := l.groupTypeNamed(strings.TrimPrefix(full, cg), args, s); t != nil {
				return t
			}
			if isFunctor(full) {
				return l.libRecord(full, full, nil)
			}
		}
		if t := l.libClass(full, name, args, s); t != nil {
			return t
		}
	}
	return nil
}

func (l *lowerer) libClass(full, name string, args *syntax.Node, s *scope) *ctype {
	switch full {
	case "cuda::atomic", "cuda::std::atomic", "std::atomic":
		return l.atomicType(libAtomic, full, args, s)
	case "cuda::atomic_ref", "cuda::std::atomic_ref", "std::atomic_ref":
		return l.atomicType(libAtomicRef, full, args, s)
	case "cuda::atomic_flag", "cuda::std::atomic_flag":
		t := l.libRecord("cuda::atomic_flag", libAtomic, []field{{name: "value", t: tInt}})
		t.rec.args = []targ{{t: tInt}}
		return t
	case "cuda::barrier", "cuda::std::barrier":
		return l.barrierType(l.argText(args, s))
	case "cuda::pipeline_shared_state":
		return l.pipelineStateType(l.writtenArgs(args, s))
	case "cuda::pipeline_role":
		return tRole
	case "cuda::pipeline":
		return l.libRecord(full, libPipeline, []field{{name: "state", t: tULong}})
	case "texture", "surface":
		r := l.libRecord(full+"<"+l.argText(args, s)+">", libTexture, []field{{name: "handle", t: tULong}})
		r.rec.args = l.writtenArgs(args, s)
		return r
	case "curandState", "curandState_t", "curandStateXORWOW", "curandStateXORWOW_t":
		return l.wordsRecord("curandState", 12)
	case "curandStatePhilox4_32_10_t", "curandStatePhilox4_32_10":
		return l.wordsRecord("curandStatePhilox4_32_10", 16)
	case "curandStateMRG32k3a", "curandStateMRG32k3a_t":
		return l.wordsRecord("curandStateMRG32k3a", 18)
	case "curandStateSobol32_t", "curandStateSobol32":
		return l.wordsRecord("curandStateSobol32", 35)
	case "curandStateScrambledSobol32_t", "curandStateScrambledSobol32":
		return l.wordsRecord("curandStateScrambledSobol32", 36)
	case "curandStateSobol64_t", "curandStateSobol64":
		return l.wordsRecord("curandStateSobol64", 132)
	case "curandStateScrambledSobol64_t", "curandStateScrambledSobol64":
		return l.wordsRecord("curandStateScrambledSobol64", 134)
	case "curandDirectionVectors32_t":
		return arrayOf(tUInt, 32)
	case "curandDirectionVectors64_t":
		return arrayOf(tULLong, 64)
	case "curandStateMtgp32", "curandStateMtgp32_t":
		return l.wordsRecord("curandStateMtgp32", 1030)
	case "cuda::aligned_size_t":
		return tULong
	case "CUtensorMap", "CUtensorMap_st":
		return l.wordsRecord("CUtensorMap", 32)
	case "cudaExtent":
		return l.libRecord(full, "", []field{{name: "width", t: tULong}, {name: "height", t: tULong}, {name: "depth", t: tULong}})
	case "cudaPitchedPtr":
		return l.libRecord(full, "", []field{{name: "ptr", t: voidPtr}, {name: "pitch", t: tULong}, {name: "xsize", t: tULong}, {name: "ysize", t: tULong}})
	case "cudaPos":
		return l.libRecord(full, "", []field{{name: "x", t: tULong}, {name: "y", t: tULong}, {name: "z", t: tULong}})
	case "cudaLaunchConfig_t":
		return l.configRecord()
	case "cudaLaunchAttribute":
		return l.attributeRecord()
	case "cudaKernelNodeParams":
		return l.nodeRecord()
	case "nvcuda::wmma::fragment":
		return l.fragmentType(args, s)
	}
	return l.traitType(name, args, s)
}

// libRecord makes a class of the library once for each name.
func (l *lowerer) libRecord(name, lib string, fields []field) *ctype {
	if r := l.un.libs[name]; r != nil {
		return recordType(r)
	}
	r := &record{name: name, lib: lib, fields: fields, done: true}
	r.layout(0)
	l.un.libs[name] = r
	return recordType(r)
}

// wordsRecord is a class of the library that is plain words, such as a generator's state.
func (l *lowerer) wordsRecord(name string, words int) *ctype {
	return l.libRecord(name, libPlain, []field{{name: "state", t: arrayOf(tUInt, int64(words))}})
}

func (l *lowerer) argText(args *syntax.Node, s *scope) string {
	if args == nil {
		return ""
	}
	return argsKey(l.writtenArgs(args, s))
}

// atomicType is cuda::atomic<T, scope> or atomic_ref; std::atomic has system scope.
func (l *lowerer) atomicType(lib, full string, args *syntax.Node, s *scope) *ctype {
	list := l.writtenArgs(args, s)
	if len(list) == 0 || list[0].t == nil {
		return nil
	}
	held := list[0].t
	if lib == libAtomicRef {
		held = refTo(held)
	}
	t := l.libRecord(strings.TrimPrefix(full, "std::")+"<"+argsKey(list)+">", lib, []field{{name: "value", t: held}})
	t.rec.args = list
	return t
}

// traitType knows the templates of <type_traits> and <limits> that kernels use.
func (l *lowerer) traitType(name string, args *syntax.Node, s *scope) *ctype {
	if args == nil {
		switch name {
		case "true_type":
			return l.traitValue(tBool, rval(tBool, constBool(true)))
		case "false_type":
			return l.traitValue(tBool, rval(tBool, constBool(false)))
		}
		return nil
	}
	if name == "void" {
		return nil
	}
	base, suffix := name, ""
	if strings.HasSuffix(name, "_t") {
		base, suffix = strings.TrimSuffix(name, "_t"), "_t"
	}
	list := func() []targ { return l.writtenArgs(args, s) }
	t, ok := l.typeTrait(base, list)
	if ok {
		if suffix != "" {
			return t
		}
		return l.traitMember(name, list(), t)
	}
	if v, ok := l.boolTrait(name, list); ok {
		return l.traitValue(tBool, v)
	}
	switch name {
	case "integral_constant":
		if a := list(); len(a) == 2 && a[0].t != nil && a[1].v != nil {
			return l.traitValue(a[0].t, l.convertTo(*a[1].v, a[0].t, args))
		}
	case "bool_constant":
		if a := list(); len(a) == 1 && a[0].v != nil {
			return l.traitValue(tBool, l.convertTo(*a[0].v, tBool, args))
		}
	case "numeric_limits":
		if a := list(); len(a) == 1 && a[0].t != nil && a[0].t.isArithmetic() {
			r := l.libRecord(name+"<"+argsKey(a)+">", libLimits, nil)
			r.rec.args = a
			if r.rec.scope == nil {
				r.rec.scope = newScope(l.un.global, scopeClass)
				r.rec.scope.rec = r.rec
			}
			return r
		}
	case "plus", "minus", "multiplies", "less", "greater", "identity":
		return l.libRecord(cg+name, cg+name, nil)
	}
	return nil
}

// typeTrait evaluates the traits that give a type.
func (l *lowerer) typeTrait(name string, list func() []targ) (*ctype, bool) {
	switch name {
	case "conditional", "enable_if", "remove_reference", "remove_cv", "remove_const", "remove_volatile", "remove_cvref", "decay", "remove_pointer", "add_const", "add_pointer",
		"void", "make_unsigned", "make_signed", "remove_extent", "underlying_type", "type_identity", "common_type", "aligned_storage":
	default:
		return nil, false
	}
	a := list()
	if len(a) == 0 {
		return nil, false
	}
	t := a[0].t
	switch name {
	case "conditional":
		if len(a) == 3 && a[0].v != nil {
			if v, ok := ir.IntConst(a[0].v.x); ok {
				if v != 0 {
					return a[1].t, a[1].t != nil
				}
				return a[2].t, a[2].t != nil
			}
		}
		return nil, false
	case "void": // void_t: all its arguments have to be types
		for _, o := range a {
			if o.t == nil || o.t.kind == kOpaque {
				return nil, true
			}
		}
		return tVoid, true
	case "enable_if":
		if a[0].v != nil && isTrue(a[0].v.x) {
			if len(a) > 1 {
				return a[1].t, a[1].t != nil
			}
			return tVoid, true
		}
		return nil, true
	case "aligned_storage":
		return l.storageType(a)
	}
	if t == nil {
		return nil, false
	}
	switch name {
	case "remove_reference":
		t = t.noRef()
	case "remove_cv", "remove_const", "remove_volatile":
		t = t.unqualified()
	case "remove_cvref":
		t = t.noRef().unqualified()
	case "decay":
		t = t.noRef().decay()
	case "remove_pointer":
		if t.kind == kPtr {
			t = t.elem
		}
	case "add_const":
		t = t.qualified(true, false)
	case "add_pointer":
		t = pointerTo(t)
	case "make_unsigned":
		t = unsignedOf(t.unqualified())
	case "make_signed":
		t = signedOf(t.unqualified())
	case "remove_extent":
		if t.kind == kArray {
			t = t.elem
		}
	case "common_type":
		for _, o := range a[1:] {
			if o.t != nil {
				t = l.commonType(t, o.t)
			}
		}
	}
	return t, true
}

// storageType is room for an object: bytes, in words that no alignment forbids.
func (l *lowerer) storageType(args []targ) (*ctype, bool) {
	var numbers [2]int64
	for i, a := range args {
		if a.v == nil || i >= len(numbers) {
			return nil, false
		}
		numbers[i], _ = ir.IntConst(a.v.x)
	}
	size, align := numbers[0], cmp.Or(numbers[1], 16)
	if size <= 0 {
		return nil, false
	}
	word := tUChar
	for _, t := range []*ctype{tUShort, tUInt, tULong} {
		if size%t.size() == 0 && align%t.size() == 0 {
			word = t
		}
	}
	return l.libRecord("std::aligned_storage<"+argsKey(args)+">::type", libPlain, []field{{name: "state", t: arrayOf(word, size/word.size())}}), true
}

// traitVariable is std::is_same_v<A, B> and its kin.
func (l *lowerer) traitVariable(r nameRef) (value, bool) {
	for _, name := range r.canon {
		name = strings.TrimPrefix(strings.TrimPrefix(name, "cuda::"), "std::")
		if base, ok := strings.CutSuffix(name, "_v"); ok && r.args != nil {
			return l.boolTrait(base, func() []targ { return l.writtenArgs(r.args, l.scope) })
		}
	}
	return value{}, false
}

// boolTrait evaluates the traits that give a truth value.
func (l *lowerer) boolTrait(name string, list func() []targ) (value, bool) {
	var f func(a []targ) bool
	switch name {
	case "is_same":
		f = func(a []targ) bool { return len(a) == 2 && a[0].String() == a[1].String() }
	case "is_integral":
		f = func(a []targ) bool { return a[0].t.kind == kScalar && a[0].t.isInt() }
	case "is_floating_point":
		f = func(a []targ) bool { return a[0].t.isFloat() && a[0].t.scalar != ir.F16 }
	case "is_arithmetic": // half is a class
		f = func(a []targ) bool { return a[0].t.kind == kScalar && a[0].t.scalar != ir.F16 }
	case "is_pointer":
		f = func(a []targ) bool { return a[0].t.kind == kPtr }
	case "is_signed":
		f = func(a []targ) bool {
			return a[0].t.kind == kScalar && a[0].t.scalar != ir.F16 && (a[0].t.isFloat() || a[0].t.scalar.IsSigned())
		}
	case "is_unsigned":
		f = func(a []targ) bool { return a[0].t.kind == kScalar && a[0].t.isInt() && !a[0].t.scalar.IsSigned() }
	case "is_enum":
		f = func(a []targ) bool { return a[0].t.kind == kEnum }
	case "is_array":
		f = func(a []targ) bool { return a[0].t.kind == kArray }
	case "is_reference":
		f = func(a []targ) bool { return a[0].t.kind == kRef }
	case "is_lvalue_reference":
		f = func(a []targ) bool { return a[0].t.kind == kRef && !a[0].t.rvalue }
	case "is_const":
		f = func(a []targ) bool { return a[0].t.isConst }
	case "is_void":
		f = func(a []targ) bool { return a[0].t.kind == kVoid }
	default:
		return value{}, false
	}
	a := list()
	if len(a) == 0 || a[0].t == nil {
		return value{}, false
	}
	return rval(tBool, constBool(f(a))), true
}

// barrierType is cuda::barrier<scope>, 8 bytes, with its type of tokens.
func (l *lowerer) barrierType(args string) *ctype {
	t := l.libRecord("cuda::barrier<"+args+">", libBarrier, []field{{name: "state", t: tULong}})
	if t.rec.scope == nil {
		t.rec.scope = newScope(l.un.global, scopeClass)
		t.rec.scope.rec = t.rec
		t.rec.scope.add(&symbol{kind: symAlias, name: "arrival_token", t: tULong})
	}
	return t
}

// traitMember is a class whose member `type` is a type.
func (l *lowerer) traitMember(name string, args []targ, t *ctype) *ctype {
	r := l.libRecord(name+"<"+argsKey(args)+">", libTag, nil)
	if r.rec.scope == nil {
		r.rec.scope = newScope(l.un.global, scopeClass)
		r.rec.scope.rec = r.rec
		if t != nil {
			r.rec.scope.add(&symbol{kind: symAlias, name: "type", t: t})
		}
	}
	return r
}

// traitValue is integral_constant<T, v>, which true_type and the traits with a truth value are, too.
func (l *lowerer) traitValue(t *ctype, v value) *ctype {
	args := []targ{{t: t}, {v: &v}}
	r := l.libRecord("integral_constant<"+argsKey(args)+">", libTag, nil)
	if r.rec.scope == nil {
		r.rec.scope = newScope(l.un.global, scopeClass)
		r.rec.scope.rec = r.rec
		r.rec.scope.add(&symbol{kind: symVar, name: "value", v: &v})
		r.rec.scope.add(&symbol{kind: symAlias, name: "value_type", t: t})
		r.rec.scope.add(&symbol{kind: symAlias, name: "type", t: r})
	}
	return r
}

// libVariable makes a variable of a library class without initializer.
func (l *lowerer) libVariable(t *ctype, text string, name *syntax.Node) value {
	switch t.rec.lib {
	case libPlain, libFragment:
		return l.newVariable(text, name, t)
	case libAtomic, libBarrier, libPipeline:
		return l.inMemory(text, t)
	}
	return value{t: t, cat: vStatic, name: text}
}

// inMemory is a local object with an address.
func (l *lowerer) inMemory(name string, t *ctype) value {
	o := l.newObject(name, ir.Local, t)
	return value{t: t, cat: vMem, x: &ir.ObjAddr{Obj: o}, name: name}
}

// libConstruct makes a value of a library class.
func (l *lowerer) libConstruct(t *ctype, args []argument, n *syntax.Node) value {
	switch t.rec.lib {
	case libAtomicRef:
		if len(args) == 1 && args[0].v.cat == vMem {
			return value{t: t, cat: vAgg, elems: []value{args[0].v}}
		}
		if len(args) == 1 && args[0].v.t.kind == kRecord && args[0].v.t.rec == t.rec {
			return args[0].v
		}
		if len(args) == 1 && args[0].v.isPlace() && l.demote(args[0].v) {
			return value{t: t, cat: vPoison, reason: "atomic_ref to a local variable"}
		}
	case libAtomic:
		if len(args) == 1 {
			return value{t: t, cat: vAgg, elems: []value{l.convertTo(args[0].v, t.rec.fields[0].t, args[0].n)}}
		}
		return value{t: t, cat: vAgg, elems: []value{l.zeroValue(t.rec.fields[0].t, n)}}
	case libPlain, libFragment:
		if len(args) == 1 {
			return l.load(args[0].v, n)
		}
		return l.zeroAgg(t, n)
	case libTag:
		return value{t: t, cat: vStatic}
	}
	if strings.HasPrefix(t.rec.lib, cg) {
		return value{t: t, cat: vStatic}
	}
	return l.opaqueConstruct(t, args, n)
}

func (l *lowerer) zeroAgg(t *ctype, n *syntax.Node) value {
	v := value{t: t, cat: vAgg}
	for _, f := range t.rec.fields {
		v.elems = append(v.elems, l.zeroValue(f.t, n))
	}
	return v
}

// libConversion is the value that an atomic converts to: a load, sequentially consistent.
func (l *lowerer) libConversion(v value, n *syntax.Node) (value, bool) {
	if v.t.kind != kRecord {
		return v, false
	}
	switch v.t.rec.lib {
	case libAtomic, libAtomicRef:
		place, scope, ok := atomicPlace(v)
		if !ok {
			return v, false
		}
		return l.strongLoad(&callSite{n: n}, place, ir.Strength{Order: ir.SeqCst, Scope: scope}), true
	case libTag:
		if v.t.rec.scope != nil {
			if syms := v.t.rec.scope.own("value"); len(syms) > 0 && syms[0].v != nil {
				return *syms[0].v, true
			}
		}
	}
	return v, false
}

// atomicPlace is the memory that an atomic object stands for, and its scope.
func atomicPlace(v value) (value, race.Scope, bool) {
	scope := race.ScopeSystem
	rec := v.t.rec
	if len(rec.args) > 1 && rec.args[1].v != nil {
		if s, ok := ir.IntConst(rec.args[1].v.x); ok {
			scope = race.Scope(s)
		}
	} else if len(rec.args) > 1 {
		return v, scope, false
	}
	if rec.lib == libAtomicRef {
		if v.cat == vAgg && len(v.elems) == 1 && v.elems[0].cat == vMem {
			return v.elems[0], scope, v.elems[0].t.isScalar()
		}
		return v, scope, false
	}
	if v.cat != vMem {
		return v, scope, false
	}
	t := rec.fields[0].t
	return value{t: t, cat: vMem, x: v.x, name: v.name}, scope, t.isScalar()
}

var atomicMethods = map[string]ir.AtomicOp{
	"fetch_add": ir.AtomicAdd, "fetch_sub": ir.AtomicSub, "fetch_and": ir.AtomicAnd, "fetch_or": ir.AtomicOr, "fetch_xor": ir.AtomicXor,
	"fetch_min": ir.AtomicMin, "fetch_max": ir.AtomicMax, "exchange": ir.AtomicExch,
}

// atomicMethod lowers a method of cuda::atomic or cuda::atomic_ref.
func (l *lowerer) atomicMethod(c *callSite, obj value) value {
	place, scope, ok := atomicPlace(obj)
	if !ok {
		return l.opaqueCall(c.n, "method "+c.name+" of "+obj.t.String(), c.args)
	}
	t := place.t.unqualified()
	strength := func(i int) (ir.Strength, bool) {
		o, ok := l.orderArg(c, i)
		return ir.Strength{Order: o, Scope: scope}, ok
	}
	switch c.name {
	case "load":
		if s, ok := strength(0); ok {
			return l.strongLoad(c, place, s)
		}
	case "store":
		if s, ok := strength(1); ok && len(c.args) >= 1 {
			l.strongStore(c, place, c.arg(l, 0, t), s)
			return value{t: tVoid}
		}
	case "compare_exchange_strong", "compare_exchange_weak":
		if s, ok := strength(2); ok && len(c.args) >= 2 && c.args[0].v.isPlace() {
			return l.compareExchange(c, place, c.args[0].v, c.arg(l, 1, t), s)
		}
	case "wait":
		if s, ok := strength(1); ok && len(c.args) >= 1 {
			l.atomicWait(c, place, c.arg(l, 0, t), s)
			return value{t: tVoid}
		}
	case "test_and_set":
		if s, ok := strength(0); ok {
			old := l.atomic(c, ir.AtomicExch, place, constInt(ir.I32, 1), nil, s)
			return rval(tBool, convert(old.x, ir.Bool))
		}
	case "test":
		if s, ok := strength(0); ok {
			return rval(tBool, convert(l.load(l.strongLoad(c, place, s), c.n).x, ir.Bool))
		}
	case "clear":
		if s, ok := strength(0); ok {
			l.strongStore(c, place, constInt(ir.I32, 0), s)
			return value{t: tVoid}
		}
	case "notify_one", "notify_all":
		return value{t: tVoid}
	case "is_lock_free", "is_always_lock_free":
		return rval(tBool, constBool(true))
	}
	if op, is := atomicMethods[c.name]; is && len(c.args) >= 1 {
		if s, ok := strength(1); ok {
			if t.kind == kPtr {
				off := binary(ir.Mul, c.arg(l, 0, tLong), constInt(ir.I64, max(t.elem.size(), 1)))
				if op == ir.AtomicExch {
					return l.atomic(c, op, place, c.arg(l, 0, t), nil, s)
				}
				return l.atomic(c, op, place, convert(off, ir.Ptr), nil, s)
			}
			return l.atomic(c, op, place, c.arg(l, 0, t), nil, s)
		}
	}
	return l.opaqueCall(c.n, "method "+c.name+" of "+obj.t.String(), c.args)
}

// atomicWait loads until the value is another one ([atomics.wait]).
func (l *lowerer) atomicWait(c *callSite, place value, old ir.Expr, s ir.Strength) {
	old = l.temp(old)
	loop := &ir.Loop{Label: l.newLabel(), Site: l.site(c.n, "")}
	loop.Head = l.collectStmts(func() {
		loop.Cond = binary(ir.Eq, l.strongLoad(c, place, s).x, old)
	})
	l.emit(loop)
}

// libOperator lowers an operator on an atomic.
func (l *lowerer) libOperator(n *syntax.Node, name string, operands []value, nodes []*syntax.Node) (value, bool) {
	obj := operands[0]
	if obj.t.kind != kRecord || obj.t.rec.lib != libAtomic && obj.t.rec.lib != libAtomicRef {
		return value{}, false
	}
	place, scope, ok := atomicPlace(obj)
	if !ok {
		return value{}, false
	}
	t := place.t.unqualified()
	s := ir.Strength{Order: ir.SeqCst, Scope: scope}
	c := &callSite{n: n}
	if name == "operator=" {
		if operands[1].t.kind == kRecord && operands[1].t.rec == obj.t.rec {
			return value{}, false
		}
		x := l.toScalar(operands[1], t, nodes[1])
		l.strongStore(c, place, x, s)
		return rval(t, x), true
	}
	ops := map[string]ir.AtomicOp{
		"operator++": ir.AtomicAdd, "operator--": ir.AtomicSub, "operator+=": ir.AtomicAdd, "operator-=": ir.AtomicSub,
		"operator&=": ir.AtomicAnd, "operator|=": ir.AtomicOr, "operator^=": ir.AtomicXor,
	}
	op, ok := ops[name]
	if !ok || !t.isArithmetic() {
		return value{}, false
	}
	if strings.HasSuffix(name, "=") {
		x := l.toScalar(operands[1], t, nodes[1])
		old := l.atomic(c, op, place, x, nil, s)
		irOp := map[ir.AtomicOp]ir.Op{ir.AtomicAdd: ir.Add, ir.AtomicSub: ir.Sub, ir.AtomicAnd: ir.And, ir.AtomicOr: ir.Or, ir.AtomicXor: ir.Xor}[op]
		return rval(t, binary(irOp, old.x, x)), true
	}
	one := convert(constInt(ir.I32, 1), t.scalar)
	old := l.atomic(c, op, place, one, nil, s)
	if len(operands) == 2 { // postfix
		return old, true
	}
	if op == ir.AtomicAdd {
		return rval(t, binary(ir.Add, old.x, one)), true
	}
	return rval(t, binary(ir.Sub, old.x, one)), true
}

// builtinMember is a member of a value whose class lowering knows by name.
func (l *lowerer) builtinMember(obj value, r nameRef) value {
	if obj.t.kind == kRecord && obj.t.rec.lib == libFragment {
		if v, ok := l.fragmentMember(obj, r.name); ok {
			return v
		}
	}
	return value{t: opaque("unknown"), cat: vPoison, reason: "member " + r.name + " of " + obj.t.String()}
}

// builtinMethod lowers a method of a class that lowering knows by name.
func (l *lowerer) builtinMethod(n, fn *syntax.Node, obj value, list *syntax.Node) value {
	field := fn.Child("field")
	r := l.resolve(field, newScope(nil, scopeNamespace))
	c := &callSite{n: n, nameNode: field, name: r.name, targs: r.args, args: l.arguments(list)}
	if obj.t.kind == kGroup {
		return l.groupMethod(c, l.load(obj, fn))
	}
	if obj.t.kind == kRecord {
		switch obj.t.rec.lib {
		case libAtomic, libAtomicRef:
			return l.atomicMethod(c, obj)
		case libBarrier, libPipeline:
			return l.syncObjectMethod(c, obj)
		}
	}
	if obj.t.kind == kClosure && r.name == "operator()" {
		return l.callClosureWith(n, obj.t.closure, l.writtenArgs(r.args, l.scope), c.args)
	}
	if l.host {
		return l.hostMethod(c, obj)
	}
	return l.opaqueCall(n, "method "+r.name+" of "+obj.t.String(), c.args)
}

// syncObjectMethod lowers methods of cuda::barrier and cuda::pipeline to named operations on
// the object's address.
func (l *lowerer) syncObjectMethod(c *callSite, obj value) value {
	var args []ir.Expr
	if obj.cat == vMem {
		args = append(args, obj.x)
	}
	op := ""
	if obj.t.rec.lib == libBarrier && obj.cat != vMem {
		return l.opaqueCall(c.n, "barrier without an address", c.args)
	}
	if obj.group != nil && obj.group.ring != nil {
		if v, ok := l.ringMethod(c, obj.group.ring); ok {
			return v
		}
		return l.opaqueCall(c.n, "method "+c.name+" of a shared pipeline", c.args)
	}
	if obj.t.rec.lib == libPipeline {
		switch c.name {
		case "producer_acquire":
			op = "pipeline.acquire"
		case "producer_commit":
			op = "pipeline.commit"
		case "consumer_wait":
			op = "pipeline.wait"
		case "consumer_release":
			op = "pipeline.release"
		case "quit":
			return rval(tBool, constBool(true))
		}
	} else {
		switch c.name {
		case "arrive":
			op = "mbarrier.arrive"
			if len(c.args) > 0 {
				args = append(args, c.arg(l, 0, tLong))
			}
		case "wait":
			op = "mbarrier.wait"
			if len(c.args) > 0 {
				args = append(args, c.arg(l, 0, tULong))
			}
		case "try_wait", "try_wait_parity", "try_wait_for", "try_wait_until", "try_wait_parity_for", "try_wait_parity_until":
			if len(c.args) > 0 { // a time may come behind the phase
				parity := strings.Contains(c.name, "parity")
				t := tULong
				if parity {
					t = tBool
				}
				return l.memoryWait(c, obj.x, c.arg(l, 0, t), parity, false)
			}
		case "wait_parity":
			op = "mbarrier.wait"
			if len(c.args) > 0 {
				args = append(args, c.arg(l, 0, tBool))
			}
		case "arrive_and_wait":
			l.emit(&ir.Named{Op: "mbarrier.arrive", Args: args, Site: l.namedSite(c.n, c.nameNode, obj.name)})
			op = "mbarrier.wait"
		case "arrive_and_drop":
			op = "mbarrier.arrive_drop"
		case "~barrier": // nobody uses it any more
			return value{t: tVoid}
		}
	}
	if op == "" {
		return l.opaqueCall(c.n, "method "+c.name+" of "+obj.t.String(), c.args)
	}
	named := &ir.Named{Op: op, Args: args, Site: l.namedSite(c.n, c.nameNode, obj.name)}
	if op == "mbarrier.arrive" {
		named.Dst = l.newReg(ir.U64, "")
	}
	l.emit(named)
	if named.Dst != nil {
		return rval(tULong, &ir.RegRef{R: named.Dst})
	}
	return value{t: tVoid}
}

func libTable() map[string]intrinsic {
	return map[string]intrinsic{
		"init":                                initBarrier,
		"cuda::make_pipeline":                 makePipeline,
		"cuda::memcpy_async":                  libCopy,
		"cuda::device::memcpy_async_tx":       countedCopy,
		"cuda::device::barrier_arrive_tx":     arriveCounted,
		"cuda::device::barrier_expect_tx":     expectBytes,
		"cuda::pipeline_consumer_wait_prior":  waitPrior,
		"__pipeline_memcpy_async":             pipelineCopy,
		"__pipeline_commit":                   named("cp.async.commit"),
		"__pipeline_wait_prior":               namedArg("cp.async.wait"),
		"cuda::device::barrier_native_handle": barrierHandle,
		"cuda::aligned_size_t":                firstArgument,
	}
}

// barrierHandle is where the mbarrier of a cuda::barrier is.
func barrierHandle(l *lowerer, c *callSite) value {
	if len(c.args) != 1 {
		return l.rejectArity(c)
	}
	return rval(pointerTo(tULong), l.addressOf(c.args[0].v, c.args[0].n).x)
}

// initBarrier is init(&barrier, count).
func initBarrier(l *lowerer, c *callSite) value {
	if len(c.args) < 2 {
		return l.rejectArity(c)
	}
	place := l.deref(c.value(l, 0), c.args[0].n)
	if place.t == nil || place.cat != vMem || place.t.kind != kRecord || place.t.rec.lib != libBarrier {
		if fs := l.adl(&fnset{name: c.name, scope: l.scope}, c.args); fs != nil {
			if found := l.choose(fs, c.args); found != nil {
				return l.inlineMember(c.n, found, fs, c.args)
			}
		}
		return l.opaqueCall(c.n, "undeclared function init", c.args)
	}
	l.emit(&ir.Named{Op: "mbarrier.init", Args: []ir.Expr{place.x, c.arg(l, 1, tUInt)}, Site: l.namedSite(c.n, c.nameNode, place.name)})
	return value{t: tVoid}
}

// arriveCounted is barrier_arrive_tx(barrier, arrivals, bytes): an arrival at a phase that ends when so many
// bytes have been copied, too, as by the copies that name the barrier.
func arriveCounted(l *lowerer, c *callSite) value {
	if len(c.args) != 3 {
		return l.rejectArity(c)
	}
	bar, ok := barrierIn(c.args[0].v)
	if !ok {
		return l.opaqueCall(c.n, "undeclared function barrier_arrive_tx", c.args)
	}
	l.expect(c, 2)
	named := &ir.Named{Op: "mbarrier.arrive", Args: []ir.Expr{bar, c.arg(l, 1, tLong)}, Dst: l.newReg(ir.U64, ""), Site: l.namedSite(c.n, c.nameNode, c.args[0].v.name)}
	l.emit(named)
	return rval(tULong, &ir.RegRef{R: named.Dst})
}

// expectBytes is barrier_expect_tx(barrier, bytes).
func expectBytes(l *lowerer, c *callSite) value {
	if len(c.args) != 2 {
		return l.rejectArity(c)
	}
	if _, ok := barrierIn(c.args[0].v); !ok {
		return l.opaqueCall(c.n, "undeclared function barrier_expect_tx", c.args)
	}
	l.expect(c, 1)
	return value{t: tVoid}
}

// expect makes the present phase of a call's first argument, a barrier in memory, wait for so many bytes as an argument says.
func (l *lowerer) expect(c *callSite, bytes int) {
	bar := c.args[0].v
	expect := &ir.Named{Op: "mbarrier.expect", Args: []ir.Expr{bar.x, c.arg(l, bytes, tUInt)}, Site: l.namedSite(c.n, c.nameNode, bar.name)}
	if l.expected == nil {
		l.expected = map[*ir.Named]bool{}
	}
	l.expected[expect] = true
	l.emit(expect)
}

// barrierIn is the address of a cuda::barrier in memory.
func barrierIn(v value) (ir.Expr, bool) {
	return v.x, v.cat == vMem && v.t.kind == kRecord && v.t.rec.lib == libBarrier
}

func makePipeline(l *lowerer, c *callSite) value {
	if v, ok := l.sharedPipeline(c); ok {
		return v
	}
	for i, a := range c.args {
		v := l.load(a.v, a.n)
		if v.t.kind == kPtr && i > 0 || len(c.args) > 2 {
			return l.opaqueCall(c.n, "pipeline that a group shares", nil)
		}
	}
	return value{t: l.libRecord("cuda::pipeline", libPipeline, []field{{name: "state", t: tULong}}), cat: vStatic, name: "pipeline"}
}

// libCopy lowers cuda::memcpy_async([group,] dst, src, size, barrier or pipeline).
func libCopy(l *lowerer, c *callSite) value {
	args := c.args
	var together []ir.Expr // the level of the group that shares the copy, and its size
	if len(args) > 0 {
		if g := l.load(args[0].v, args[0].n); g.t.kind == kGroup {
			together = []ir.Expr{constInt(ir.U32, int64(groupLevel(g))), tileSize(g)}
			args = args[1:]
		}
	}
	if len(args) != 4 {
		return l.rejectArity(c)
	}
	d, s := l.decay(l.load(args[0].v, c.n), c.n), l.decay(l.load(args[1].v, c.n), c.n)
	px, py := l.address(d, c.n), l.address(s, c.n)
	if px == nil || py == nil || args[3].v.t.kind != kRecord {
		return l.opaqueCall(c.n, "memcpy_async with unusual arguments", c.args)
	}
	list := []ir.Expr{px, py, l.toScalar(args[2].v, tULong, args[2].n)}
	op := "cp.async"
	if together != nil {
		op = "group.copy"
		list = append(list, together...)
	}
	switch g := args[3].v.group; {
	case g != nil && g.ring != nil:
		list = append(list, g.ring.full())
	case args[3].v.cat == vMem:
		list = append(list, args[3].v.x)
	case together != nil:
		list = append(list, constInt(ir.U32, 0))
	}
	l.emit(&ir.Named{Op: op, Args: list, Site: l.namedSite(c.n, c.nameNode, d.name)})
	return value{t: tVoid}
}

// countedCopy is memcpy_async_tx(dst, src, size, barrier), whose bytes the barrier waits for.
func countedCopy(l *lowerer, c *callSite) value {
	if len(c.args) != 4 {
		return l.rejectArity(c)
	}
	d, s := l.decay(l.load(c.args[0].v, c.n), c.n), l.decay(l.load(c.args[1].v, c.n), c.n)
	dst, src := l.address(d, c.n), l.address(s, c.n)
	bar, ok := barrierIn(c.args[3].v)
	if dst == nil || src == nil || !ok {
		return l.opaqueCall(c.n, "memcpy_async_tx with unusual arguments", c.args)
	}
	l.emit(&ir.Named{Op: "bulk.copy", Args: []ir.Expr{dst, src, c.arg(l, 2, tULong), bar}, Site: l.namedSite(c.n, c.nameNode, d.name)})
	return value{t: tVoid}
}

func waitPrior(l *lowerer, c *callSite) value {
	n := int64(0)
	if kids := namedChildren(c.targs); len(kids) > 0 {
		n, _ = l.constInt(unwrapType(kids[0]), l.scope)
	}
	l.emit(&ir.Named{Op: "pipeline.wait", Args: []ir.Expr{constInt(ir.U32, n)}, Site: l.namedSite(c.n, c.nameNode, "")})
	return value{t: tVoid}
}

// pipelineCopy is __pipeline_memcpy_async(dst, src, bytes, zfill = 0).
func pipelineCopy(l *lowerer, c *callSite) value {
	if len(c.args) < 3 {
		return l.rejectArity(c)
	}
	d, s := l.decay(c.value(l, 0), c.n), l.decay(c.value(l, 1), c.n)
	px, py := l.address(d, c.n), l.address(s, c.n)
	if px == nil || py == nil {
		return l.opaqueCall(c.n, "copy of a temporary", c.args)
	}
	list := []ir.Expr{px, py, c.arg(l, 2, tULong)}
	if len(c.args) > 3 {
		list = append(list, binary(ir.Sub, list[2], c.arg(l, 3, tULong)))
	}
	l.emit(&ir.Named{Op: "cp.async", Args: list, Site: l.namedSite(c.n, c.nameNode, d.name)})
	return value{t: tVoid}
}

func named(op string) intrinsic {
	return func(l *lowerer, c *callSite) value {
		l.emit(&ir.Named{Op: op, Site: l.namedSite(c.n, c.nameNode, "")})
		return value{t: tVoid}
	}
}

func namedArg(op string) intrinsic {
	return func(l *lowerer, c *callSite) value {
		if len(c.args) != 1 {
			return l.rejectArity(c)
		}
		l.emit(&ir.Named{Op: op, Args: []ir.Expr{c.arg(l, 0, tUInt)}, Site: l.namedSite(c.n, c.nameNode, "")})
		return value{t: tVoid}
	}
}
