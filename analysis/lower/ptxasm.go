package lower

// This file lowers inline PTX (PTX ISA, instruction set): fences, barriers, loads, stores and
// atomics with their semantics and scopes, asynchronous copies, and whatever only computes.

import (
	"regexp"
	"slices"
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
	names    map[string]int
	written  map[int]bool // the outputs that an instruction has set
	locals   map[string]*asmLocal
	clobbers bool // "memory"
}

// asmLocal is a register that the block declares.
type asmLocal struct {
	r *ir.Reg
	t *ctype
}

var (
	asmComment = regexp.MustCompile(`//[^\n]*|/\*.*?\*/`)
	asmSpecial = regexp.MustCompile(`%[a-z]`) // a special register, as the operands have numbers
	asmOperand = regexp.MustCompile(`^%(?:(\d+)|\[(\w+)\])$`)
	asmAddress = regexp.MustCompile(`^\[\s*([%\w\[\]$]+?)\s*(?:([+-])\s*(\d+))?\s*\]$`)
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
	list := asmStatements(text)
	var texts []string
	for _, s := range list {
		texts = append(texts, s.text)
	}
	switch {
	case len(list) == 0: // a compiler barrier
		return value{t: tVoid}
	case !b.clobbers && allPure(texts) && !slices.ContainsFunc(list, b.follows):
		l.asmPure(b, texts)
		return value{t: tVoid}
	}
	done := false
	stmts := l.collectStmts(func() { done = l.asmRun(b, list) })
	if !done {
		return l.unknown(n, "inline PTX `"+telling(list)+"`", true, b.regs()...)
	}
	for _, s := range stmts {
		l.emit(s)
	}
	return value{t: tVoid}
}

// telling is the name of the instruction that says most of what a list does: one that touches memory or
// other threads.
func telling(list []asmStatement) string {
	for _, s := range list {
		if w := firstWord(s.text); w != "" && !strings.HasPrefix(w, ".") && !allPure([]string{w}) {
			return w
		}
	}
	return firstWord(list[0].text)
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
	b := &asmBlock{n: n, names: map[string]int{}, written: map[int]bool{}, locals: map[string]*asmLocal{}}
	ok := true
	for _, o := range namedChildren(n.Child("output_operands")) {
		vn := o.Child("value")
		if vn == nil {
			ok = false
			continue
		}
		l.asmName(b, o)
		v := l.expr(vn)
		b.outs, b.outNodes = append(b.outs, v), append(b.outNodes, vn)
		var in ir.Expr
		if c := o.Child("constraint"); c != nil && strings.Contains(l.text(c), "+") {
			in = l.bits(l.load(v, vn))
		}
		b.ins = append(b.ins, in)
		ok = ok && v.isPlace() && v.t.isScalar()
	}
	for _, o := range namedChildren(n.Child("input_operands")) {
		vn := o.Child("value")
		if vn == nil {
			ok = false
			continue
		}
		l.asmName(b, o)
		v := l.decay(l.unwrap(l.rval(vn), vn), vn)
		x := l.bits(v)
		ok = ok && x != nil
		b.ins = append(b.ins, x)
	}
	for _, k := range namedChildren(n.Child("clobbers")) {
		b.clobbers = b.clobbers || strings.Contains(l.text(k), "memory")
	}
	return b, ok
}

// asmName notes the symbolic name of the next operand.
func (l *lowerer) asmName(b *asmBlock, o *syntax.Node) {
	if s := o.Child("symbol"); s != nil {
		b.names[strings.Trim(l.text(s), "[] ")] = len(b.ins)
	}
}

// allPure reports whether no instruction touches memory or other threads.
func allPure(list []string) bool {
	for _, s := range list {
		op := strings.SplitN(strings.TrimPrefix(firstWord(s), "@"), ".", 2)[0]
		switch op {
		case "ld", "st", "atom", "red", "bar", "barrier", "membar", "fence", "cp", "mbarrier", "vote", "shfl", "match", "activemask", "redux", "elect", "ldmatrix", "stmatrix", "movmatrix",
			"mma", "wmma", "wgmma", "tcgen05", "bra", "call", "ret", "exit", "trap", "suld", "sust", "sured", "prefetch", "prefetchu", "griddepcontrol", "setmaxnreg", "discard", "applypriority", "createpolicy", "nanosleep":
			return false
		}
		if strings.Contains(s, "[") || strings.HasPrefix(s, "@") || strings.Contains(strings.ReplaceAll(s, "::", ""), ":") {
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
	if asmSpecial.MatchString(name) {
		for i, o := range b.outs {
			l.assign(o, l.special(&callSite{n: b.n}, o.t.unqualified()), b.outNodes[i])
		}
		return
	}
	for i, o := range b.outs {
		var x ir.Expr = &ir.Call{Name: "asm." + strconv.Itoa(i) + " " + name, T: o.t.ir(), Args: args}
		l.assign(o, rval(o.t, x), b.outNodes[i])
	}
}

// specialRegister is the value of a special register that has a meaning here, nil for others.
func (l *lowerer) specialRegister(name string) ir.Expr {
	lane := builtin(ir.LaneID, 0)
	one := constInt(ir.U32, 1)
	axis := func(v ir.BuiltinVar) ir.Expr { return builtin(v, int(name[len(name)-1]-'x')) }
	switch strings.TrimLeft(name, "%") {
	case "laneid":
		return lane
	case "lanemask_lt":
		return binary(ir.Sub, binary(ir.Shl, one, lane), one)
	case "lanemask_eq":
		return binary(ir.Shl, one, lane)
	case "lanemask_le":
		return binary(ir.Sub, binary(ir.Shl, constInt(ir.U32, 2), lane), one)
	case "lanemask_ge":
		return unary(ir.BitNot, binary(ir.Sub, binary(ir.Shl, one, lane), one))
	case "lanemask_gt":
		return unary(ir.BitNot, binary(ir.Sub, binary(ir.Shl, constInt(ir.U32, 2), lane), one))
	case "tid.x", "tid.y", "tid.z":
		return axis(ir.ThreadIdx)
	case "ctaid.x", "ctaid.y", "ctaid.z":
		return axis(ir.BlockIdx)
	case "ntid.x", "ntid.y", "ntid.z":
		return axis(ir.BlockDim)
	case "nctaid.x", "nctaid.y", "nctaid.z":
		return axis(ir.GridDim)
	case "cluster_ctaid.x", "cluster_ctaid.y", "cluster_ctaid.z":
		return axis(ir.BlockInClust)
	case "cluster_nctaid.x", "cluster_nctaid.y", "cluster_nctaid.z":
		return axis(ir.ClusterSize)
	case "cluster_ctarank":
		return clusterRank()
	case "cluster_nctarank":
		return volume(ir.ClusterSize)
	}
	return nil
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
	case "mbarrier":
		return l.asmMemoryBarrier(b, mods, ops)
	case "ld", "ldu":
		return l.asmLoad(b, mods, ops)
	case "st":
		return l.asmStore(b, mods, ops)
	case "atom", "red":
		return l.asmAtomic(b, mods, ops)
	case "cp":
		return l.asmCopy(b, mods, ops)
	case "ldmatrix", "stmatrix":
		return l.asmMatrixRows(b, mods, ops)
	case "trap":
		l.emit(&ir.Trap{})
		return true
	case "prefetch", "prefetchu", "griddepcontrol", "nanosleep", "setmaxnreg", "applypriority": // neither access nor order within a launch
		return true
	}
	if done, known := l.asmWarp(b, mods, ops); known {
		return done
	}
	return allPure([]string{s}) && l.asmValue(b, mods, ops)
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

var ptxScopes = map[string]race.Scope{"cta": race.ScopeBlock, "cluster": race.ScopeCluster, "gpu": race.ScopeDevice, "gl": race.ScopeDevice, "sys": race.ScopeSystem}

var ptxOrders = map[string]ir.Order{"relaxed": ir.Relaxed, "acquire": ir.Acquire, "release": ir.Release, "acq_rel": ir.AcqRel, "sc": ir.SeqCst}

// asmFence is membar.level or fence.sem.scope. Fences of a proxy, and that behind the initialization of an mbarrier,
// order no plain accesses of two threads.
func (l *lowerer) asmFence(b *asmBlock, mods []string) bool {
	if len(mods) > 2 && mods[1] == "proxy" && mods[2] == "async" {
		if len(mods) == 3 || mods[3] != "global" { // such copies out of global memory are not looked at
			l.asmNamed(b, "proxy.fence", nil)
		}
		return true
	}
	if len(mods) > 1 && (mods[1] == "proxy" || mods[1] == "mbarrier_init") {
		return true
	}
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

func (l *lowerer) asmBarrier(b *asmBlock, mods, ops []string) bool {
	bar := &ir.Barrier{Level: ir.BlockLevel}
	dst := ""
	full := strings.Join(mods, ".")
	full = strings.TrimSuffix(strings.Replace(full, "barrier.", "bar.", 1), ".aligned")
	full = strings.Replace(full, "bar.cta.", "bar.", 1)
	switch full {
	case "bar.sync":
	case "bar.arrive":
		bar.Mode = ir.BarrierArrive
	case "bar.red.popc.u32", "bar.red.and.pred", "bar.red.or.pred":
		if bar.Reduce = strings.Replace(mods[2], "popc", "count", 1); len(ops) < 3 {
			return false
		}
		if bar.Pred = l.asmOperand(b, ops[len(ops)-1]); bar.Pred == nil {
			return false
		}
		bar.Pred, bar.Dst = convert(bar.Pred, ir.Bool), l.newReg(ir.I32, "")
		dst, ops = ops[0], ops[1:len(ops)-1]
	case "bar.warp.sync":
		bar.Level = ir.WarpLevel
		if len(ops) != 1 {
			return false
		}
		if bar.Mask = l.asmOperand(b, ops[0]); bar.Mask == nil {
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
	if !l.asmNumbered(b, bar, ops) {
		return false
	}
	bar.Site = l.namedSite(b.n, nil, "")
	l.emit(bar)
	return bar.Dst == nil || l.asmSet(b, dst, rval(tInt, &ir.RegRef{R: bar.Dst}))
}

// asmNumbered reads the number of a barrier of the block, and how many threads meet there.
func (l *lowerer) asmNumbered(b *asmBlock, bar *ir.Barrier, ops []string) bool {
	if len(ops) > 0 {
		if bar.ID = l.asmOperand(b, ops[0]); bar.ID == nil {
			return false
		}
		if bar.ID = convert(bar.ID, ir.U32); isFalse(bar.ID) {
			bar.ID = nil
		}
	}
	if len(ops) > 1 {
		if bar.Count = l.asmOperand(b, ops[1]); bar.Count == nil {
			return false
		}
		bar.Count = convert(bar.Count, ir.U32)
	}
	return true
}

var ptxTypes = map[string]*ctype{
	"b8": tUChar, "u8": tUChar, "s8": tSChar, "b16": tUShort, "u16": tUShort, "s16": tShort, "b32": tUInt, "u32": tUInt, "s32": tInt,
	"b64": tULong, "u64": tULong, "s64": tLong, "f16": tHalf, "f32": tFloat, "f64": tDouble,
	"bf16": tUShort, "f16x2": tUInt, "bf16x2": tUInt, // their bits
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
		case strings.HasPrefix(m, "shared") || m == "noftz" && vec > 0:
		case m == "v8":
			vec = 8
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
	if !ok || len(ops) < 2 || len(ops) > 3 { // the third is a policy of the cache
		return false
	}
	p := l.asmPointer(b, mods, ops[1])
	dsts := vectorOperands(ops[0])
	if p == nil || len(dsts) != vec || s.Order != ir.Weak && s.Scope == race.ScopeNone {
		return false
	}
	for i, d := range dsts {
		r := l.newReg(t.ir(), "")
		l.emit(&ir.Load{Dst: r, T: t.ir(), Ptr: ptrAdd(p, constInt(ir.I64, int64(i)*t.size())), Part: vectorPart(t, i, vec), Strength: s, Site: l.site(b.n, "")})
		if !l.asmSet(b, d, rval(t, &ir.RegRef{R: r})) {
			return false
		}
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
	if !ok || len(ops) < 2 || len(ops) > 3 {
		return false
	}
	p := l.asmPointer(b, mods, ops[0])
	srcs := vectorOperands(ops[1])
	if p == nil || len(srcs) != vec || s.Order != ir.Weak && s.Scope == race.ScopeNone {
		return false
	}
	for i, d := range srcs {
		x := l.asmOperand(b, d)
		if x == nil {
			return false
		}
		v := asmBits(rval(typeOfBits(x), x), t)
		l.emit(&ir.Store{T: t.ir(), Ptr: ptrAdd(p, constInt(ir.I64, int64(i)*t.size())), X: v.x, Part: vectorPart(t, i, vec), Strength: s, Site: l.site(b.n, "")})
	}
	return true
}

// vectorPart is element i of a vector of so many, whose address is a multiple of its size (PTX ISA, "Vectors").
func vectorPart(t *ctype, i, elements int) ir.Part {
	if elements == 1 {
		return ir.Part{}
	}
	return ir.Part{At: int64(i) * t.size(), Of: int64(elements) * t.size()}
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
	t, s, vec, name, ok := asmAccess(mods)
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
	dst := "_"
	if mods[0] == "atom" {
		if len(ops) == 0 {
			return false
		}
		dst, ops = ops[0], ops[1:]
	}
	want := 2
	if op == ir.AtomicCAS {
		want = 3
	}
	if len(ops) < want {
		return false
	}
	p := l.asmPointer(b, mods, ops[0])
	if p == nil {
		return false
	}
	parts, dsts := vectorOperands(ops[1]), vectorOperands(dst)
	if len(parts) != vec || dst != "_" && len(dsts) != vec {
		return false
	}
	for i, part := range parts {
		x := l.asmOperand(b, part)
		if x == nil {
			return false
		}
		a := &ir.Atomic{Dst: l.newReg(t.ir(), ""), Op: op, T: t.ir(), Ptr: ptrAdd(p, constInt(ir.I64, int64(i)*t.size())), X: asmBits(rval(typeOfBits(x), x), t).x, Strength: s}
		if op == ir.AtomicCAS {
			y := l.asmOperand(b, ops[2])
			if y == nil {
				return false
			}
			a.Compare, a.X = a.X, asmBits(rval(typeOfBits(y), y), t).x
		}
		a.Site = l.namedSite(b.n, nil, "")
		l.emit(a)
		if dst != "_" && !l.asmSet(b, dsts[i], rval(t, &ir.RegRef{R: a.Dst})) {
			return false
		}
	}
	return true
}
