// This file decodes branches, calls, barriers and what warps do together.

package sim

import (
	"github.com/warplint/warplint/dynamic/ptx"
)

func decodeBranch(t *translator, in *ptx.Instr) {
	t.operands(in, 1, 1)
	o := &in.Operands[0]
	if o.Kind != ptx.LabelOperand {
		t.fail("label %s is not defined", o.Name)
	}
	t.fixups = append(t.fixups, fixup{code: len(t.program.code), target: o.Target})
	t.emit(instr{run: runBranch})
}

func decodeBranchIndexed(t *translator, in *ptx.Instr) {
	t.operands(in, 2, 2)
	if in.Operands[1].Kind != ptx.TableOperand || in.Operands[1].Target < 0 {
		t.unsupported()
	}
	table := append([]int32(nil), t.fn.source.Tables[in.Operands[1].Target]...)
	t.fixups = append(t.fixups, fixup{table: table})
	t.emit(instr{run: runBranchIndexed, a: t.source(&in.Operands[0], ptx.U32), x: table})
}

// decodeCall decodes "call (results), function, (arguments), prototype"; all but the function may
// be missing.
func decodeCall(t *translator, in *ptx.Instr) {
	site := &callSite{}
	list := in.Operands
	if len(list) > 0 && list[0].Kind == ptx.ListOperand {
		site.results = t.callSlots(&list[0])
		list = list[1:]
	}
	if len(list) == 0 {
		t.fail("call of nothing")
	}
	callee := &list[0]
	if len(list) > 1 && list[1].Kind == ptx.ListOperand {
		site.arguments = t.callSlots(&list[1])
	}
	params := 0
	if callee.Kind == ptx.RegisterOperand {
		if len(list) == 0 || list[len(list)-1].Kind != ptx.PrototypeOperand {
			t.unsupported()
		}
		site.target = t.source(callee, ptx.U64)
		site.functions = t.pointers()
		params = len(t.fn.source.Prototypes[list[len(list)-1].Target].Params)
	} else {
		if site.callee = t.program.functions[callee.Name]; site.callee == nil {
			t.fail("function %s is not defined", callee.Name)
		}
		params = len(site.callee.source.Params)
	}
	if len(site.arguments) != params {
		t.fail("call with %d arguments, the function takes %d", len(site.arguments), params)
	}
	t.emit(instr{run: runCall, x: site})
}

// callSlots finds the .param variables that a call passes.
func (t *translator) callSlots(o *ptx.Operand) []slot {
	var list []slot
	for i := range o.Elems {
		v := t.frameVariable(o.Elems[i].Name)
		if v == nil {
			t.fail("%s is no parameter of a call", o.Elems[i].Name)
		}
		list = append(list, slot{t.fn.offsets[v.Name], v.Size})
	}
	return list
}

// pointers are the functions that a pointer may name, by number.
func (t *translator) pointers() []*function {
	list := make([]*function, len(t.module.source.Functions))
	for name, f := range t.program.functions {
		list[t.module.numbers[name]] = f
	}
	return list
}

func decodeReturn(t *translator, in *ptx.Instr) { t.emit(instr{run: runReturn}) }
func decodeExit(t *translator, in *ptx.Instr)   { t.emit(instr{run: runExit}) }
func decodeTrap(t *translator, in *ptx.Instr)   { t.emit(instr{run: runTrap, x: in}) }
func decodeSleep(t *translator, in *ptx.Instr)  { t.emit(instr{run: runYield}) }

// decodeBarrier decodes bar and barrier: .sync, .arrive, .red, .warp.sync and .cluster.
func decodeBarrier(t *translator, in *ptx.Instr) {
	switch {
	case in.Has("cluster"):
		t.emit(instr{run: runClusterBarrier, x: &clusterSite{
			arrive: in.Has("arrive"), wait: in.Has("wait"), relaxed: in.Has("relaxed"),
		}})
	case in.Has("warp"):
		t.operands(in, 1, 1)
		t.emit(instr{run: runWarpBarrier, a: t.source(&in.Operands[0], ptx.B32)})
	case in.Has("red"):
		t.barrierReduction(in)
	default:
		t.operands(in, 1, 2)
		site := &barrierSite{arriveOnly: in.Has("arrive"), hasCount: len(in.Operands) == 2, aligned: aligned(in)}
		code := instr{run: runBarrier, x: site, a: t.source(&in.Operands[0], ptx.U32)}
		if site.hasCount {
			code.b = t.source(&in.Operands[1], ptx.U32)
		}
		t.emit(code)
	}
}

// aligned reports whether all threads of a warp have to execute a barrier instruction together: bar means barrier.aligned.
func aligned(in *ptx.Instr) bool { return in.Op == ptx.Bar || in.Has("aligned") }

// barrierReduction decodes "bar.red.popc.u32 d, a{, b}, p" and its kin.
func (t *translator) barrierReduction(in *ptx.Instr) {
	t.operands(in, 3, 4)
	site := &barrierSite{hasCount: len(in.Operands) == 4, aligned: aligned(in)}
	code := instr{run: runBarrier, x: site, a: t.source(&in.Operands[1], ptx.U32)}
	p, not := t.predicate(&in.Operands[len(in.Operands)-1])
	code.c, site.not = p, not != 0
	if site.hasCount {
		code.b = t.source(&in.Operands[2], ptx.U32)
	}
	switch one(in, "popc and or", "") {
	case "popc":
		site.reduce, code.d = reducePopc, t.target(&in.Operands[0], ptx.U32)
	case "and":
		site.reduce, code.d = reduceAnd, t.target(&in.Operands[0], ptx.Pred)
	case "or":
		site.reduce, code.d = reduceOr, t.target(&in.Operands[0], ptx.Pred)
	default:
		t.unsupported()
	}
	t.emit(code)
}

// collective makes one without operands; those before sm_70, without .sync, have no member mask.
func (t *translator) collective(in *ptx.Instr, compute func(d *deposit, members uint32)) *collective {
	return &collective{
		name: mnemonic(in), compute: compute, noMask: !in.Has("sync"),
		inputs: [3]ref{noRef, noRef, noRef}, p: noRef, target: noRef, targetP: noRef,
	}
}

// members reads the mask operand, which comes last.
func (t *translator) members(in *ptx.Instr, c *collective) {
	if !c.noMask {
		c.members = t.source(&in.Operands[len(in.Operands)-1], ptx.B32)
	}
}

func decodeVote(t *translator, in *ptx.Instr) {
	t.operands(in, 2, 3)
	computations := map[string]func(d *deposit, members uint32){
		"all": computeVoteAll, "any": computeVoteAny, "uni": computeVoteUniform, "ballot": computeBallot,
	}
	mode := one(in, "all any uni ballot", "")
	if computations[mode] == nil {
		t.unsupported()
	}
	c := t.collective(in, computations[mode])
	p, not := t.predicate(&in.Operands[1])
	c.p, c.not = p, not != 0
	if mode == "ballot" {
		c.target = t.target(&in.Operands[0], ptx.B32)
	} else {
		c.targetP = t.target(&in.Operands[0], ptx.Pred)
	}
	t.members(in, c)
	t.emit(instr{run: runCollective, x: c})
}

// targets reads "d|p".
func (t *translator) targets(o *ptx.Operand, c *collective) {
	if o.Kind == ptx.PairOperand {
		c.targetP = t.target(&o.Elems[1], ptx.Pred)
		o = &o.Elems[0]
	}
	if o.Kind != ptx.SinkOperand {
		c.target = t.target(o, ptx.B32)
	}
}

func decodeShuffle(t *translator, in *ptx.Instr) {
	t.operands(in, 4, 5)
	c := t.collective(in, computeShuffle(one(in, "up down bfly idx", "")))
	t.targets(&in.Operands[0], c)
	for i := range c.inputs {
		c.inputs[i] = t.source(&in.Operands[i+1], ptx.B32)
	}
	t.members(in, c)
	t.emit(instr{run: runCollective, x: c})
}

func decodeMatch(t *translator, in *ptx.Instr) {
	t.operands(in, 3, 3)
	compute := computeMatchAny
	if in.Has("all") {
		compute = computeMatchAll
	}
	c := t.collective(in, compute)
	t.targets(&in.Operands[0], c)
	ty := in.Type(0)
	c.wide = classOf(ty) == long
	c.inputs[0] = t.source(&in.Operands[1], ty)
	if !c.wide {
		c.inputs[1] = t.constant32(0)
	}
	t.members(in, c)
	t.emit(instr{run: runCollective, x: c})
}

func decodeRedux(t *translator, in *ptx.Instr) {
	t.operands(in, 3, 3)
	t.allow(in, "sync add min max and or xor")
	key := one(in, "add min max and or xor", "") + "." + in.Type(0).String()
	f := reductions[key]
	if f == nil {
		t.unsupported()
	}
	c := t.collective(in, computeReduction(f))
	c.target = t.target(&in.Operands[0], ptx.B32)
	c.inputs[0] = t.source(&in.Operands[1], ptx.B32)
	t.members(in, c)
	t.emit(instr{run: runCollective, x: c})
}

var reductions = map[string]func(x, y uint32) uint32{
	"add.u32": func(x, y uint32) uint32 { return x + y },
	"add.s32": func(x, y uint32) uint32 { return x + y },
	"min.u32": func(x, y uint32) uint32 { return min(x, y) },
	"max.u32": func(x, y uint32) uint32 { return max(x, y) },
	"min.s32": func(x, y uint32) uint32 { return uint32(min(int32(x), int32(y))) },
	"max.s32": func(x, y uint32) uint32 { return uint32(max(int32(x), int32(y))) },
	"and.b32": func(x, y uint32) uint32 { return x & y },
	"or.b32":  func(x, y uint32) uint32 { return x | y },
	"xor.b32": func(x, y uint32) uint32 { return x ^ y },
}

func decodeActiveMask(t *translator, in *ptx.Instr) {
	t.operands(in, 1, 1)
	t.emit(instr{run: runActiveMask, d: t.target(&in.Operands[0], ptx.B32)})
}

func decodeElect(t *translator, in *ptx.Instr) {
	t.operands(in, 2, 2)
	c := t.collective(in, computeElect)
	t.targets(&in.Operands[0], c)
	t.members(in, c)
	t.emit(instr{run: runCollective, x: c})
}
