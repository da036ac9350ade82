package lower

// This file lowers inline PTX (PTX ISA, instruction set): fences, barriers, loads, stores and
// atomics with their semantics and scopes, asynchronous copies, and whatever only computes.

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/syntax"
)

// asmBlock is one asm statement.
type asmBlock struct {
	n        *syntax.Node
	outs     []value // places
	outNodes []*syntax.Node
	ins      []ir.Expr // all operands in the order of their numbers; outputs read if "+"
	clobbers bool      // "memory"
}

var (
	asmComment = regexp.MustCompile(`//[^\n]*|/\*.*?\*/`)
	asmSpecial = regexp.MustCompile(`%[a-z]`) // a special register, as the operands have numbers
	asmOperand = regexp.MustCompile(`^%(\d+)$`)
	asmAddress = regexp.MustCompile(`^\[\s*%(\d+)\s*(?:([+-])\s*(\d+))?\s*\]$`)
)

func (l *lowerer) asm(n *syntax.Node) value {
	code := n.Child("assembly_code")
	if code == nil {
		return l.unknown(n, "syntax error", true)
	}
	text := strings.ReplaceAll(asmComment.ReplaceAllString(l.stringText(code), " "), "%%", "%")
	b, ok := l.asmOperands(n)
	if !ok {
		return l.unknown(n, "inline PTX `"+firstWord(text)+"`", true, b.regs()...)
	}
	var list []string
	for _, s := range strings.Split(strings.Trim(strings.TrimSpace(text), "{}"), ";") {
		if s = strings.Join(strings.Fields(s), " "); s != "" && !strings.HasPrefix(s, ".reg") {
			list = append(list, s)
		}
	}
	switch {
	case len(list) == 0: // a compiler barrier
		return value{t: tVoid}
	case len(list) == 1 && l.asmInstruction(b, list[0]):
		return value{t: tVoid}
	case !b.clobbers && allPure(list):
		l.asmPure(b, list)
		return value{t: tVoid}
	}
	return l.unknown(n, "inline PTX `"+telling(list)+"`", true, b.regs()...)
}

// telling is the name of the instruction that says most of what a list does: one that touches memory or
// other threads.
func telling(list []string) string {
	for _, s := range list {
		if w := instruction(s); w != "" && !allPure([]string{w}) {
			return w
		}
	}
	return firstWord(list[0])
}

// instruction is the name of an instruction without its label and predicate.
func instruction(s string) string {
	if _, behind, labelled := strings.Cut(s, ": "); labelled {
		s = behind
	}
	if strings.HasPrefix(s, "@") {
		_, s, _ = strings.Cut(s, " ")
	}
	return firstWord(s)
}

func firstWord(s string) string {
	if f := strings.Fields(s); len(f) > 0 {
		return strings.TrimRight(f[0], ";")
	}
	return ""
}

func (b *asmBlock) regs() []*ir.Reg {
	var out []*ir.Reg
	for _, o := range b.outs {
		out = append(out, o.regs()...)
	}
	return out
}

func (l *lowerer) asmOperands(n *syntax.Node) (*asmBlock, bool) {
	b := &asmBlock{n: n}
	ok := true
	for _, o := range namedChildren(n.Child("output_operands")) {
		vn := o.Child("value")
		if vn == nil {
			ok = false
			continue
		}
		v := l.expr(vn)
		b.outs, b.outNodes = append(b.outs, v), append(b.outNodes, vn)
		var in ir.Expr
		if c := o.Child("constraint"); c != nil && strings.Contains(l.text(c), "+") {
			in = l.bits(l.load(v, vn), vn)
		}
		b.ins = append(b.ins, in)
		ok = ok && v.isPlace() && v.t.isScalar() && o.Child("symbol") == nil
	}
	for _, o := range namedChildren(n.Child("input_operands")) {
		vn := o.Child("value")
		if vn == nil {
			ok = false
			continue
		}
		v := l.decay(l.unwrap(l.rval(vn), vn), vn)
		x := l.bits(v, vn)
		ok = ok && x != nil && o.Child("symbol") == nil
		b.ins = append(b.ins, x)
	}
	for _, k := range namedChildren(n.Child("clobbers")) {
		b.clobbers = b.clobbers || strings.Contains(l.text(k), "memory")
	}
	return b, ok
}

// allPure reports whether no instruction touches memory or other threads.
func allPure(list []string) bool {
	for _, s := range list {
		op := strings.SplitN(strings.TrimPrefix(firstWord(s), "@"), ".", 2)[0]
		switch op {
		case "ld", "st", "atom", "red", "bar", "barrier", "membar", "fence", "cp", "mbarrier", "vote", "shfl", "match", "activemask", "redux", "elect", "ldmatrix", "stmatrix",
			"mma", "wmma", "wgmma", "tcgen05", "bra", "call", "ret", "exit", "trap", "suld", "sust", "sured", "prefetch", "griddepcontrol", "setmaxnreg", "discard", "applypriority", "createpolicy":
			return false
		}
		if strings.Contains(s, "[") || strings.HasPrefix(s, "@") || strings.Contains(s, ":") {
			return false
		}
	}
	return true
}

// asmPure gives each output a pure value of the inputs.
func (l *lowerer) asmPure(b *asmBlock, list []string) {
	var args []ir.Expr
	for _, x := range b.ins {
		if x != nil {
			args = append(args, x)
		}
	}
	name := strings.Join(list, "; ")
	_, known := specialRegister(list)
	if !known && asmSpecial.MatchString(name) {
		for i, o := range b.outs {
			l.assign(o, l.special(&callSite{n: b.n}, o.t.unqualified()), b.outNodes[i])
		}
		return
	}
	for i, o := range b.outs {
		if lane, ok := specialRegister(list); ok && len(b.outs) == 1 {
			l.assign(o, rval(o.t, convert(lane, o.t.ir())), b.outNodes[i])
			return
		}
		var x ir.Expr = &ir.Call{Name: "asm." + strconv.Itoa(i) + " " + name, T: o.t.ir(), Args: args}
		l.assign(o, rval(o.t, x), b.outNodes[i])
	}
}

// specialRegister reads a move from a special register whose value has a meaning here.
func specialRegister(list []string) (ir.Expr, bool) {
	if len(list) != 1 || !strings.HasPrefix(list[0], "mov.") {
		return nil, false
	}
	f := strings.Fields(list[0])
	lane := builtin(ir.LaneID, 0)
	one := constInt(ir.U32, 1)
	switch strings.TrimLeft(f[len(f)-1], "%") {
	case "laneid":
		return lane, true
	case "lanemask_lt":
		return binary(ir.Sub, binary(ir.Shl, one, lane), one), true
	case "lanemask_eq":
		return binary(ir.Shl, one, lane), true
	case "lanemask_le":
		return binary(ir.Sub, binary(ir.Shl, constInt(ir.U32, 2), lane), one), true
	case "lanemask_ge":
		return unary(ir.BitNot, binary(ir.Sub, binary(ir.Shl, one, lane), one)), true
	case "lanemask_gt":
		return unary(ir.BitNot, binary(ir.Sub, binary(ir.Shl, constInt(ir.U32, 2), lane), one)), true
	case "tid.x", "tid.y", "tid.z":
		return builtin(ir.ThreadIdx, axisOf(f)), true
	case "ctaid.x", "ctaid.y", "ctaid.z":
		return builtin(ir.BlockIdx, axisOf(f)), true
	case "ntid.x", "ntid.y", "ntid.z":
		return builtin(ir.BlockDim, axisOf(f)), true
	case "nctaid.x", "nctaid.y", "nctaid.z":
		return builtin(ir.GridDim, axisOf(f)), true
	}
	return nil, false
}

func axisOf(f []string) int {
	s := f[len(f)-1]
	return int(s[len(s)-1] - 'x')
}

// asmInstruction lowers one instruction with a meaning for memory or synchronization.
func (l *lowerer) asmInstruction(b *asmBlock, s string) bool {
	name, rest, _ := strings.Cut(s, " ")
	mods := strings.Split(name, ".")
	ops := splitOperands(rest)
	switch mods[0] {
	case "membar", "fence":
		return l.asmFence(b, mods)
	case "bar", "barrier":
		return l.asmBarrier(b, mods, ops)
	case "ld", "ldu":
		return l.asmLoad(b, mods, ops)
	case "st":
		return l.asmStore(b, mods, ops)
	case "atom", "red":
		return l.asmAtomic(b, mods, ops)
	case "cp":
		return l.asmCopy(b, mods, ops)
	case "trap":
		l.emit(&ir.Trap{})
		return true
	case "prefetch", "prefetchu", "griddepcontrol", "nanosleep", "setmaxnreg":
		return len(b.outs) == 0 && mods[0] != "griddepcontrol"
	case "mov":
		if b.clobbers && allPure([]string{s}) || b.clobbers == false && allPure([]string{s}) {
			l.asmPure(b, []string{s})
			return true
		}
	case "activemask":
		return l.asmResult(b, l.warpOp(&callSite{n: b.n}, "activemask", tUInt, nil))
	}
	return false
}

// splitOperands splits at commas outside of brackets and braces.
func splitOperands(s string) []string {
	var out []string
	depth, start := 0, 0
	for i, r := range s {
		switch r {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, strings.TrimSpace(s[start:i]))
				start = i + 1
			}
		}
	}
	if last := strings.TrimSpace(s[start:]); last != "" {
		out = append(out, last)
	}
	return out
}

func (l *lowerer) asmResult(b *asmBlock, v value) bool {
	if len(b.outs) != 1 {
		return false
	}
	l.assign(b.outs[0], l.convertTo(v, b.outs[0].t, b.n), b.outNodes[0])
	return true
}

var ptxScopes = map[string]race.Scope{"cta": race.ScopeBlock, "cluster": race.ScopeCluster, "gpu": race.ScopeDevice, "gl": race.ScopeDevice, "sys": race.ScopeSystem}

var ptxOrders = map[string]ir.Order{"relaxed": ir.Relaxed, "acquire": ir.Acquire, "release": ir.Release, "acq_rel": ir.AcqRel, "sc": ir.SeqCst}

// asmFence is membar.level or fence.sem.scope; fences of a proxy do not order plain accesses.
func (l *lowerer) asmFence(b *asmBlock, mods []string) bool {
	f := &ir.Fence{Order: ir.AcqRel}
	if mods[0] == "membar" {
		f.Order = ir.SeqCst
	}
	for _, m := range mods[1:] {
		if s, ok := ptxScopes[m]; ok {
			f.Scope = s
		} else if o, ok := ptxOrders[m]; ok {
			f.Order = o
		} else {
			return false
		}
	}
	if f.Scope == race.ScopeNone {
		return false
	}
	f.Site = l.namedSite(b.n, b.n, "")
	l.emit(f)
	return true
}

// operand is an input, an immediate or a special register.
func (b *asmBlock) operand(s string) ir.Expr {
	if m := asmOperand.FindStringSubmatch(s); m != nil {
		i, _ := strconv.Atoi(m[1])
		if i < len(b.ins) {
			return b.ins[i]
		}
		return nil
	}
	if v, err := strconv.ParseInt(s, 0, 64); err == nil {
		return constInt(ir.U32, v)
	}
	return nil
}

// output is the place that an operand writes.
func (b *asmBlock) output(s string) (int, bool) {
	m := asmOperand.FindStringSubmatch(s)
	if m == nil {
		return 0, false
	}
	i, _ := strconv.Atoi(m[1])
	return i, i < len(b.outs)
}

// address is the pointer in [%1+8].
func (b *asmBlock) address(s string) ir.Expr {
	m := asmAddress.FindStringSubmatch(s)
	if m == nil {
		return nil
	}
	i, _ := strconv.Atoi(m[1])
	if i >= len(b.ins) || b.ins[i] == nil || b.ins[i].Type().Size() != 8 || b.ins[i].Type().IsFloat() {
		return nil // a 32-bit shared address is not a generic one
	}
	off, _ := strconv.ParseInt(m[3], 10, 64)
	if m[2] == "-" {
		off = -off
	}
	return ptrAdd(convert(b.ins[i], ir.Ptr), constInt(ir.I64, off))
}

func (l *lowerer) asmBarrier(b *asmBlock, mods, ops []string) bool {
	bar := &ir.Barrier{Level: ir.BlockLevel}
	full := strings.Join(mods, ".")
	full = strings.TrimSuffix(strings.Replace(full, "barrier.", "bar.", 1), ".aligned")
	full = strings.Replace(full, "bar.cta.", "bar.", 1)
	switch full {
	case "bar.sync":
	case "bar.arrive":
		bar.Mode = ir.BarrierArrive
	case "bar.warp.sync":
		bar.Level = ir.WarpLevel
		if len(ops) != 1 {
			return false
		}
		if bar.Mask = b.operand(ops[0]); bar.Mask == nil {
			return false
		}
		bar.Mask = convert(bar.Mask, ir.U32)
		ops = nil
	case "bar.cluster.arrive", "bar.cluster.arrive.release", "bar.cluster.arrive.relaxed":
		bar.Level, bar.Mode = ir.ClusterLevel, ir.BarrierArrive
		if strings.HasSuffix(full, "relaxed") {
			return false
		}
	case "bar.cluster.wait", "bar.cluster.wait.acquire":
		bar.Level, bar.Mode = ir.ClusterLevel, ir.BarrierWait
	default:
		return false
	}
	if len(ops) > 0 {
		if bar.ID = b.operand(ops[0]); bar.ID == nil {
			return false
		}
		if bar.ID = convert(bar.ID, ir.U32); isFalse(bar.ID) {
			bar.ID = nil
		}
	}
	if len(ops) > 1 {
		if bar.Count = b.operand(ops[1]); bar.Count == nil {
			return false
		}
		bar.Count = convert(bar.Count, ir.U32)
	}
	bar.Site = l.namedSite(b.n, nil, "")
	l.emit(bar)
	return len(b.outs) == 0
}

var ptxTypes = map[string]*ctype{
	"b8": tUChar, "u8": tUChar, "s8": tSChar, "b16": tUShort, "u16": tUShort, "s16": tShort, "b32": tUInt, "u32": tUInt, "s32": tInt,
	"b64": tULong, "u64": tULong, "s64": tLong, "f16": tHalf, "f32": tFloat, "f64": tDouble,
}

// asmAccess reads the modifiers of a load, a store or an atomic.
func asmAccess(mods []string) (t *ctype, s ir.Strength, vec int, op string, ok bool) {
	vec, ok = 1, true
	for _, m := range mods[1:] {
		switch {
		case m == "volatile":
			s.Volatile = true
		case ptxOrders[m] != ir.Weak:
			s.Order = ptxOrders[m]
		case ptxScopes[m] != race.ScopeNone:
			s.Scope = ptxScopes[m]
		case ptxTypes[m] != nil:
			t = ptxTypes[m]
		case m == "v2" || m == "v4":
			vec = int(m[1] - '0')
		case m == "weak" || m == "global" || m == "nc" || m == "ca" || m == "cg" || m == "cs" || m == "lu" || m == "wb" || m == "wt" || strings.HasPrefix(m, "L1::") || strings.HasPrefix(m, "L2::"):
		case m == "cv":
			s.Volatile = true
		case m == "mmio":
			s.Order, s.Scope = ir.Relaxed, race.ScopeSystem
		case op == "" && (mods[0] == "atom" || mods[0] == "red"):
			op = m
		default:
			return nil, s, 0, "", false
		}
	}
	return t, s, vec, op, ok && t != nil
}

func vectorOperands(s string) []string {
	return splitOperands(strings.Trim(s, "{} "))
}

func (l *lowerer) asmLoad(b *asmBlock, mods, ops []string) bool {
	t, s, vec, _, ok := asmAccess(mods)
	if !ok || len(ops) != 2 {
		return false
	}
	p := b.address(ops[1])
	dsts := vectorOperands(ops[0])
	if p == nil || len(dsts) != vec || s.Order != ir.Weak && s.Scope == race.ScopeNone {
		return false
	}
	for i, d := range dsts {
		o, ok := b.output(d)
		if !ok {
			return false
		}
		r := l.newReg(t.ir(), "")
		l.emit(&ir.Load{Dst: r, T: t.ir(), Ptr: ptrAdd(p, constInt(ir.I64, int64(i)*t.size())), Strength: s, Site: l.site(b.n, "")})
		l.assign(b.outs[o], asmBits(rval(t, &ir.RegRef{R: r}), b.outs[o].t), b.outNodes[o])
	}
	return true
}

// asmBits moves bits between a PTX register and a variable: no conversion of the value.
func asmBits(v value, t *ctype) value {
	if v.t.isFloat() == t.isFloat() {
		return rval(t, convert(v.x, t.ir()))
	}
	names := map[ir.Type]string{ir.I32: "__float_as_int", ir.U32: "__float_as_uint", ir.I64: "__double_as_longlong", ir.U64: "__double_as_longlong", ir.F32: "__uint_as_float", ir.F64: "__longlong_as_double", ir.I16: "__half_as_short", ir.U16: "__half_as_ushort", ir.F16: "__ushort_as_half"}
	return rval(t, &ir.Call{Name: names[t.ir()], T: t.ir(), Args: []ir.Expr{v.x}})
}

func (l *lowerer) asmStore(b *asmBlock, mods, ops []string) bool {
	t, s, vec, _, ok := asmAccess(mods)
	if !ok || len(ops) != 2 {
		return false
	}
	p := b.address(ops[0])
	srcs := vectorOperands(ops[1])
	if p == nil || len(srcs) != vec || s.Order != ir.Weak && s.Scope == race.ScopeNone {
		return false
	}
	for i, d := range srcs {
		x := b.operand(d)
		if x == nil {
			return false
		}
		v := asmBits(rval(typeOfBits(x), x), t)
		l.emit(&ir.Store{T: t.ir(), Ptr: ptrAdd(p, constInt(ir.I64, int64(i)*t.size())), X: v.x, Strength: s, Site: l.site(b.n, "")})
	}
	return true
}

func typeOfBits(x ir.Expr) *ctype {
	switch {
	case x.Type() == ir.Ptr:
		return tULong
	case x.Type().IsFloat():
		return scalarType("float", x.Type())
	}
	return scalarType("int", x.Type())
}

var ptxAtomics = map[string]ir.AtomicOp{
	"add": ir.AtomicAdd, "exch": ir.AtomicExch, "min": ir.AtomicMin, "max": ir.AtomicMax, "inc": ir.AtomicInc, "dec": ir.AtomicDec,
	"cas": ir.AtomicCAS, "and": ir.AtomicAnd, "or": ir.AtomicOr, "xor": ir.AtomicXor,
}

// asmAtomic is atom or red; without modifiers they are relaxed at device scope.
func (l *lowerer) asmAtomic(b *asmBlock, mods, ops []string) bool {
	t, s, _, name, ok := asmAccess(mods)
	op, known := ptxAtomics[name]
	if !ok || !known {
		return false
	}
	if s.Order == ir.Weak {
		s.Order = ir.Relaxed
	}
	if s.Scope == race.ScopeNone {
		s.Scope = race.ScopeDevice
	}
	out := -1
	if mods[0] == "atom" {
		if len(ops) == 0 {
			return false
		}
		if out, ok = b.output(ops[0]); !ok {
			return false
		}
		ops = ops[1:]
	}
	want := 2
	if op == ir.AtomicCAS {
		want = 3
	}
	if len(ops) != want {
		return false
	}
	p, x := b.address(ops[0]), b.operand(ops[1])
	if p == nil || x == nil {
		return false
	}
	a := &ir.Atomic{Dst: l.newReg(t.ir(), ""), Op: op, T: t.ir(), Ptr: p, X: asmBits(rval(typeOfBits(x), x), t).x, Strength: s}
	if op == ir.AtomicCAS {
		y := b.operand(ops[2])
		if y == nil {
			return false
		}
		a.Compare, a.X = a.X, asmBits(rval(typeOfBits(y), y), t).x
	}
	a.Site = l.namedSite(b.n, nil, "")
	l.emit(a)
	if out >= 0 {
		l.assign(b.outs[out], asmBits(rval(t, &ir.RegRef{R: a.Dst}), b.outs[out].t), b.outNodes[out])
	}
	return true
}

// asmCopy is cp.async and its groups.
func (l *lowerer) asmCopy(b *asmBlock, mods, ops []string) bool {
	full := strings.Join(mods, ".")
	n := &ir.Named{}
	switch {
	case full == "cp.async.commit_group":
		n.Op = "cp.async.commit"
	case full == "cp.async.wait_all":
		n.Op = "cp.async.wait" // closed or not (PTX ISA, "cp.async.wait_all")
	case full == "cp.async.wait_group" && len(ops) == 1:
		x := b.operand(ops[0])
		if x == nil {
			return false
		}
		n.Op, n.Args = "cp.async.wait", []ir.Expr{convert(x, ir.U32)}
	case (strings.HasPrefix(full, "cp.async.ca.") || strings.HasPrefix(full, "cp.async.cg.")) && len(ops) >= 3:
		dst, src, size := b.sharedAddress(ops[0]), b.address(ops[1]), b.operand(ops[2])
		if dst == nil || src == nil || size == nil {
			return false
		}
		n.Op, n.Args = "cp.async", []ir.Expr{dst, src, convert(size, ir.U64)}
	default:
		return false
	}
	n.Site = l.namedSite(b.n, nil, "")
	l.emit(n)
	return true
}

// sharedAddress undoes __cvta_generic_to_shared, the way to name shared memory in PTX.
func (b *asmBlock) sharedAddress(s string) ir.Expr {
	m := asmAddress.FindStringSubmatch(s)
	if m == nil || m[2] != "" {
		return nil
	}
	i, _ := strconv.Atoi(m[1])
	if i >= len(b.ins) || b.ins[i] == nil {
		return nil
	}
	x := b.ins[i]
	for {
		c, ok := x.(*ir.Convert)
		if !ok {
			break
		}
		x = c.X
	}
	if c, ok := x.(*ir.Call); ok && c.Name == "__cvta_generic_to_shared" && len(c.Args) == 1 {
		return c.Args[0]
	}
	if x.Type() == ir.Ptr {
		return x
	}
	return &ir.Call{Name: "__cvta_shared_to_generic", T: ir.Ptr, Args: []ir.Expr{b.ins[i]}}
}
