// This file decodes loads, stores, atomics, fences and conversions of addresses.

package sim

import (
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/event"
	"github.com/warplint/warplint/dynamic/ptx"
)

const (
	spaceWords = "global shared local const param shared::cta shared::cluster param::entry param::func"
	orderWords = "weak relaxed acquire release acq_rel sc volatile mmio"
	scopeWords = "cta cluster gpu sys"
)

var scopesByWord = map[string]race.Scope{
	"cta": race.ScopeBlock, "cluster": race.ScopeCluster, "gpu": race.ScopeDevice, "sys": race.ScopeSystem,
}

// addressingOf says where a state space's addresses are looked up.
func (t *translator) addressingOf(in *ptx.Instr) addressing {
	switch one(in, spaceWords, "") {
	case "global", "const":
		return inGlobal
	case "shared", "shared::cta", "shared::cluster":
		return inShared
	case "local":
		return inLocal
	case "param", "param::entry", "param::func":
		if t.fn.source.Entry {
			return inParam
		}
		return inLocal
	}
	return inGeneric
}

// semantics reads the order and the scope of an access. Volatile accesses count as relaxed at
// system scope (PTX ISA, "Operation types").
func (t *translator) semantics(in *ptx.Instr, op *memop) {
	op.scope = scopesByWord[one(in, scopeWords, "")]
	switch one(in, orderWords, "weak") {
	case "weak":
		op.order, op.scope = event.Weak, race.ScopeNone
	case "volatile":
		op.order, op.scope, op.volatile = event.Relaxed, race.ScopeSystem, true
	case "mmio":
		op.order, op.scope = event.Relaxed, race.ScopeSystem
	case "relaxed":
		op.order = event.Relaxed
	case "acquire":
		op.order = event.Acquire
	case "release":
		op.order = event.Release
	case "acq_rel":
		op.order = event.AcquireRelease
	default:
		t.unsupported()
	}
	if op.order != event.Weak && op.scope == race.ScopeNone {
		op.scope = race.ScopeDevice
	}
}

// memory decodes what loads, stores and atomics have in common: the address.
func (t *translator) memory(in *ptx.Instr, address *ptx.Operand) *memop {
	op := &memop{space: t.addressingOf(in), slot: t.program.memops, target: noRef, compare: noRef}
	t.program.memops++
	op.quiet = in.Has("const")
	t.semantics(in, op)
	if address.Kind != ptx.AddressOperand || len(address.Elems) > 0 {
		t.fail("unexpected address of %s", mnemonic(in))
	}
	op.offset = uint64(address.Offset)
	switch {
	case address.Reg >= 0:
		s := t.slots[address.Reg]
		if s.class != word && s.class != long {
			t.fail("unexpected address of %s", mnemonic(in))
		}
		op.hasBase, op.base, op.baseWide = true, s.index, s.class == long
	case address.Name != "":
		t.namedAddress(op, address)
	}
	return op
}

func (t *translator) namedAddress(op *memop, address *ptx.Operand) {
	if v := t.frameVariable(address.Name); v != nil && (v.Space == ptx.LocalSpace || v.Space == ptx.ParamSpace) {
		at := int64(t.fn.offsets[address.Name]) + address.Offset
		op.space, op.offset = inFrame, uint64(at)
		return
	}
	base, space := t.symbol(address.Name)
	op.offset += base
	switch {
	case op.space != inGeneric:
	case space == ptx.SharedSpace:
		op.space = inShared
	case space == ptx.ParamSpace:
		op.space = inParam
	}
}

// checkFixed makes sure that an access at a fixed place of a frame, or of the parameters, lies in it.
func (t *translator) checkFixed(op *memop, size int) {
	if int64(op.offset) < 0 || op.offset+op.bytes > uint64(alignUp(size, 4)) || op.offset%uint64(min(op.size, 4)) != 0 {
		t.fail("%s lies outside of its variables", mnemonic(t.in))
	}
}

// data decodes the registers that are loaded or stored.
func (t *translator) data(op *memop, o *ptx.Operand, ty ptx.Type, load bool) {
	list := []ptx.Operand{*o}
	if o.Kind == ptx.VectorOperand {
		list = o.Elems
	}
	op.size = ty.Size()
	if ty == ptx.B128 {
		op.size = 8
	}
	if op.size == 0 {
		t.unsupported()
	}
	for i := range list {
		t.element(op, &list[i], ty, load)
	}
	op.count = len(op.regs)
	op.bytes = uint64(op.count * op.size)
	if op.count == 0 || op.count > 8 || op.bytes&(op.bytes-1) != 0 {
		t.fail("%d elements in %s", op.count, mnemonic(t.in))
	}
}

func (t *translator) element(op *memop, o *ptx.Operand, ty ptx.Type, load bool) {
	if o.Kind == ptx.SinkOperand && load {
		op.regs, op.wide = append(op.regs, noRef), append(op.wide, false)
		return
	}
	declared := t.registerType(o)
	if declared == ptx.NoType {
		if load {
			t.fail("unexpected target of %s", mnemonic(t.in))
		}
		declared = ty
	}
	r := t.source(o, bitsOf(declared))
	switch {
	case ty == ptx.B128:
		op.regs, op.wide = append(op.regs, r, r+1), append(op.wide, true, true)
		return
	case declared.Size() < ty.Size() || declared == ptx.Pred:
		t.fail("register of %s is too small", mnemonic(t.in))
	}
	op.regs, op.wide = append(op.regs, r), append(op.wide, classOf(declared) == long)
	if load && ty.Signed() && declared.Size() > ty.Size() {
		op.extend = signExtension(ty.Size(), declared.Size())
	}
}

// bitsOf is a type of the same class that takes any constant as it is.
func bitsOf(ty ptx.Type) ptx.Type {
	if ty.Float() || classOf(ty) == truth {
		return ty
	}
	switch ty.Size() {
	case 1:
		return ptx.B8
	case 2:
		return ptx.B16
	case 4:
		return ptx.B32
	case 16:
		return ptx.B128
	}
	return ptx.B64
}

// signExtension extends from one size to another, both in bytes, zeros above.
func signExtension(from, to int) func(uint64) uint64 {
	shift := 64 - 8*from
	mask := ^uint64(0) >> (64 - 8*to)
	return func(v uint64) uint64 { return uint64(int64(v<<shift)>>shift) & mask }
}

func decodeLoad(t *translator, in *ptx.Instr) {
	t.operands(in, 2, 4)
	op := t.memory(in, &in.Operands[1])
	op.kind = event.Read
	t.data(op, &in.Operands[0], in.Type(0), true)
	run := runFunc(runLoad)
	switch {
	case op.space == inFrame:
		t.checkFixed(op, t.fn.local)
		run = runFrameLoad
	case op.space == inParam && !op.hasBase:
		t.checkFixed(op, t.program.paramSize)
		if op.offset+op.bytes > uint64(t.program.paramSize) {
			t.fail("%s lies outside of the parameters", mnemonic(in))
		}
		run = runParamLoad
	}
	t.emit(instr{run: run, mem: op})
}

func decodeStore(t *translator, in *ptx.Instr) {
	if in.Has("async") {
		t.asyncStore(in)
		return
	}
	t.operands(in, 2, 3)
	op := t.memory(in, &in.Operands[0])
	op.kind = event.Write
	t.data(op, &in.Operands[1], in.Type(0), false)
	run := runFunc(runStore)
	if op.space == inFrame {
		t.checkFixed(op, t.fn.local)
		run = runFrameStore
	}
	t.emit(instr{run: run, mem: op})
}

const atomicWords = "and or xor cas exch add inc dec min max"

func decodeAtomic(t *translator, in *ptx.Instr) {
	if in.Has("async") {
		t.asyncStore(in)
		return
	}
	name, ty := one(in, atomicWords, ""), in.Type(0)
	if ty == ptx.B128 {
		t.wideAtomic(in, name)
		return
	}
	update, kind, ok := atomicUpdate(name, ty)
	if !ok {
		t.unsupported()
	}
	list := in.Operands
	t.operands(in, 2, 5)
	var target *ptx.Operand
	if in.Op == ptx.Atom {
		target, list = &list[0], list[1:]
	}
	op := t.memory(in, &list[0])
	op.kind, op.atomic, op.update = event.Atomic, kind, update
	op.single = name == "add" && ty == ptx.F32
	if one(in, orderWords, "") == "" {
		op.order, op.scope = event.Relaxed, scopesByWord[one(in, scopeWords, "gpu")]
	}
	op.size, op.count = ty.Size(), 1
	if len(list) < 2 {
		t.fail("%s without an operand", mnemonic(in))
	}
	if list[1].Kind == ptx.VectorOperand {
		t.vectorAtomic(op, &list[1], target, ty)
		return
	}
	op.operand = t.source(&list[1], ty)
	if name == "cas" {
		if len(list) < 3 {
			t.fail("%s without an operand", mnemonic(in))
		}
		op.compare, op.operand = op.operand, t.source(&list[2], ty)
	}
	op.bytes = uint64(op.size)
	if target != nil && target.Kind != ptx.SinkOperand {
		op.target = t.target(target, ty)
	}
	t.emit(instr{run: runAtomic, mem: op})
}

// vectorAtomic decodes red.v2 and its kin; each element is updated on its own.
func (t *translator) vectorAtomic(op *memop, o, target *ptx.Operand, ty ptx.Type) {
	if target != nil {
		t.unsupported()
	}
	for i := range o.Elems {
		op.regs = append(op.regs, t.source(&o.Elems[i], ty))
	}
	op.count = len(op.regs)
	op.bytes = uint64(op.count * op.size)
	if op.count == 0 || op.count > 8 || op.bytes&(op.bytes-1) != 0 {
		t.fail("%d elements in %s", op.count, mnemonic(t.in))
	}
	t.emit(instr{run: runAtomic, mem: op})
}

func decodeFence(t *translator, in *ptx.Instr) {
	switch {
	case in.Has("proxy") && (in.Has("async") || in.Has("async::generic")) && !in.Has("global"):
		t.emit(instr{run: runProxyFence})
		return
	case in.Has("proxy") || in.Has("mbarrier_init"):
		return
	}
	t.allow(in, "cta gl sys gpu cluster sc acq_rel acquire release sync_restrict::shared::cta sync_restrict::shared::cluster")
	e := event.Fence{Order: event.SequentiallyConsistent, Scope: race.ScopeDevice}
	switch one(in, "cta gl sys gpu cluster", "") {
	case "cta":
		e.Scope = race.ScopeBlock
	case "cluster":
		e.Scope = race.ScopeCluster
	case "sys":
		e.Scope = race.ScopeSystem
	}
	if in.Op == ptx.Fence {
		orders := map[string]event.Order{
			"sc": event.SequentiallyConsistent, "acq_rel": event.AcquireRelease,
			"acquire": event.Acquire, "release": event.Release,
		}
		e.Order = orders[one(in, "sc acq_rel acquire release", "acq_rel")]
	}
	t.emit(instr{run: runFence, x: &e})
}

func runFence(w *warp, in *instr, m uint32) {
	w.tellFence(in.x.(*event.Fence), m)
	if len(w.block.launch.cores) > 1 {
		w.core.fence.Add(1) // an atomic operation is a full fence for this processor, too
	}
}

func runProxyFence(w *warp, _ *instr, m uint32) {
	if l := w.core.listener; l != nil {
		e := &w.core.told.fence.Step
		w.stepInto(e, m)
		l.ProxyFence(e)
	}
}

// windowOf is where a space's addresses lie among the generic ones.
func (t *translator) windowOf(in *ptx.Instr) uint64 {
	switch t.addressingOf(in) {
	case inShared:
		return sharedWindow
	case inLocal:
		return localWindow
	case inParam:
		return paramWindow
	}
	return 0
}

func decodeCvta(t *translator, in *ptx.Instr) {
	t.operands(in, 2, 2)
	window, ty := t.windowOf(in), in.Type(0)
	if in.Has("to") {
		window = -window
	}
	if ty.Size() != 8 {
		t.unsupported()
	}
	t.emit(instr{
		run: operations["add.u64"].run, d: t.target(&in.Operands[0], ty),
		a: t.source(&in.Operands[1], ty), b: t.constant64(window),
	})
}

func decodeIsspacep(t *translator, in *ptx.Instr) {
	t.operands(in, 2, 2)
	space := one(in, spaceWords, "")
	t.emit(instr{
		run: runIsspacep, d: t.target(&in.Operands[0], ptx.Pred), a: t.source(&in.Operands[1], ptx.U64), x: space,
	})
}

func runIsspacep(w *warp, in *instr, m uint32) {
	space := in.x.(string)
	addresses := w.source64(in.a)
	var r uint32
	forLanes(m, func(i int) {
		if w.inSpace(addresses[i], space) {
			r |= 1 << i
		}
	})
	setPredicate(&w.xp[in.d], m, r)
}

func (w *warp) inSpace(a uint64, space string) bool {
	window := a >> 32
	switch space {
	case "shared", "shared::cta":
		rank := uint64(uint32(a)) >> 24
		return window == sharedWindow>>32 && (rank == 0 || rank == uint64(w.block.rank)+1)
	case "shared::cluster":
		return window == sharedWindow>>32
	case "local":
		return window == localWindow>>32
	case "param", "param::entry", "param::func":
		return window == paramWindow>>32
	case "const":
		s := w.block.launch.device.memory.find(a)
		return s != nil && w.block.launch.program.module.isConst(s)
	}
	return window != sharedWindow>>32 && window != localWindow>>32 && window != paramWindow>>32
}

func (m *Module) isConst(s *segment) bool {
	for _, v := range m.source.Variables {
		if v.Space == ptx.ConstSpace && m.variables[v.Name] == s {
			return true
		}
	}
	return false
}

// decodeMapa decodes mapa: the address of a shared variable in another block of the cluster.
func decodeMapa(t *translator, in *ptx.Instr) {
	t.operands(in, 3, 3)
	ty := in.Type(0)
	code := instr{
		run: runMapa, d: t.target(&in.Operands[0], ty),
		a: t.source(&in.Operands[1], ty), b: t.source(&in.Operands[2], ptx.U32),
	}
	code.x = ty.Size() == 8
	t.emit(code)
}

func runMapa(w *warp, in *instr, m uint32) {
	wide := in.x.(bool)
	ranks := w.source32(in.b)
	forLanes(m, func(i int) {
		a := w.lane(in.a, wide, i)
		a = a&^0xff000000 | uint64(ranks[i]+1)<<24
		w.setLane(in.d, wide, i, a)
	})
}

func decodeGetctarank(t *translator, in *ptx.Instr) {
	t.operands(in, 2, 2)
	ty := in.Type(0)
	t.emit(instr{run: runGetctarank, d: t.target(&in.Operands[0], ptx.U32), a: t.source(&in.Operands[1], ty), x: ty.Size() == 8})
}

func runGetctarank(w *warp, in *instr, m uint32) {
	wide, d := in.x.(bool), w.target32(in.d)
	forLanes(m, func(i int) {
		rank := uint32(w.lane(in.a, wide, i)) >> 24
		if rank == 0 {
			rank = uint32(w.block.rank) + 1
		}
		d[i] = rank - 1
	})
}

// decodePolicy: cache policies have no effect here; any value will do.
func decodePolicy(t *translator, in *ptx.Instr) {
	t.load(slotOf{long, t.target(&in.Operands[0], ptx.B64)}, 0)
}
