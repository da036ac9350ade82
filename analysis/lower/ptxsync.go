package lower

// This file lowers inline PTX by which threads meet or exchange: mbarriers, asynchronous copies, and what a warp does
// together.

import (
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/ir"
)

// asmNamed emits a named operation.
func (l *lowerer) asmNamed(b *asmBlock, op string, dst *ir.Reg, args ...ir.Expr) {
	l.emit(&ir.Named{Op: op, Dst: dst, Args: args, Site: l.namedSite(b.n, nil, "")})
}

// asmMemoryBarrier is an operation on an mbarrier (PTX ISA, "mbarrier").
func (l *lowerer) asmMemoryBarrier(b *asmBlock, mods, ops []string) bool {
	shared := []string{"shared"}
	if len(mods) < 2 || len(ops) < 1 || slices.Contains(mods, "relaxed") {
		return false
	}
	switch mods[1] {
	case "init", "inval", "expect_tx":
		p := l.asmPointer(b, shared, ops[0])
		if p == nil {
			return false
		}
		if mods[1] == "inval" {
			return true
		}
		if len(ops) != 2 {
			return false
		}
		n := l.asmOperand(b, ops[1])
		if n == nil {
			return false
		}
		op := map[string]string{"init": "mbarrier.init", "expect_tx": "mbarrier.expect"}[mods[1]]
		l.asmNamed(b, op, nil, p, convert(n, ir.U32))
		return true
	case "arrive", "arrive_drop":
		dst := "_"
		if !strings.HasPrefix(ops[0], "[") {
			dst, ops = ops[0], ops[1:]
		}
		if len(ops) < 1 {
			return false
		}
		p := l.asmPointer(b, shared, ops[0])
		if p == nil {
			return false
		}
		args := []ir.Expr{p}
		if len(ops) > 1 {
			n := l.asmOperand(b, ops[1])
			if n == nil {
				return false
			}
			if len(mods) > 2 && mods[2] == "expect_tx" {
				l.asmNamed(b, "mbarrier.expect", nil, p, convert(n, ir.U32))
			} else {
				args = append(args, convert(n, ir.I64))
			}
		}
		token := l.newReg(ir.U64, "")
		l.asmNamed(b, "mbarrier."+mods[1], token, args...)
		return l.asmSet(b, dst, rval(tULong, &ir.RegRef{R: token}))
	case "test_wait", "try_wait":
		return l.asmMemoryWait(b, mods, ops, false)
	}
	return false
}

// asmMemoryWait asks whether the phase of an mbarrier is over, or waits until it is.
func (l *lowerer) asmMemoryWait(b *asmBlock, mods, ops []string, until bool) bool {
	if len(ops) < 3 {
		return false
	}
	p, phase := l.asmPointer(b, []string{"shared"}, ops[1]), l.asmOperand(b, ops[2])
	if p == nil || phase == nil {
		return false
	}
	over := l.memoryWait(&callSite{n: b.n}, p, phase, slices.Contains(mods, "parity"), until)
	return l.asmSet(b, ops[0], over)
}

// memoryWait waits for a phase of an mbarrier, which is named by a token or by its parity, or asks whether it is over.
func (l *lowerer) memoryWait(c *callSite, p, phase ir.Expr, parity, until bool) value {
	t := ir.U64 // of a token; fewer bits are a parity
	if parity {
		t = ir.U32
	}
	n := &ir.Named{Op: "mbarrier.wait", Args: []ir.Expr{p, convert(phase, t)}, Site: l.namedSite(c.n, c.nameNode, "")}
	if until {
		l.emit(n)
		return rval(tBool, constBool(true))
	}
	n.Op, n.Dst = "mbarrier.test", l.newReg(ir.Bool, "")
	l.emit(n)
	return rval(tBool, &ir.RegRef{R: n.Dst})
}

// asmCopy is cp.async, cp.async.bulk and their groups.
func (l *lowerer) asmCopy(b *asmBlock, mods, ops []string) bool {
	full := strings.Join(mods, ".")
	shared := []string{"shared"}
	switch {
	case full == "cp.async.commit_group":
		l.asmNamed(b, "cp.async.commit", nil)
		return true
	case full == "cp.async.wait_all":
		l.asmNamed(b, "cp.async.wait", nil) // closed or not (PTX ISA, "cp.async.wait_all")
		return true
	case full == "cp.async.wait_group" && len(ops) == 1:
		if x := l.asmOperand(b, ops[0]); x != nil {
			l.asmNamed(b, "cp.async.wait", nil, convert(x, ir.U32))
			return true
		}
	case full == "cp.async.bulk.commit_group":
		l.asmNamed(b, "bulk.commit", nil)
		return true
	case (full == "cp.async.bulk.wait_group" || full == "cp.async.bulk.wait_group.read") && len(ops) == 1:
		if x := l.asmOperand(b, ops[0]); x != nil {
			l.asmNamed(b, map[int]string{4: "bulk.wait", 5: "bulk.wait.read"}[len(mods)], nil, convert(x, ir.U32))
			return true
		}
	case (strings.HasPrefix(full, "cp.async.ca.") || strings.HasPrefix(full, "cp.async.cg.")) && len(ops) >= 3:
		dst, src, size := l.asmPointer(b, shared, ops[0]), l.asmPointer(b, nil, ops[1]), l.asmOperand(b, ops[2])
		if dst == nil || src == nil || size == nil {
			return false
		}
		args := []ir.Expr{dst, src, convert(size, ir.U64)}
		if len(ops) > 3 && !(len(ops) == 4 && strings.Contains(full, "cache_hint")) {
			read := l.asmOperand(b, ops[3])
			if read == nil {
				return false
			}
			if read.Type() == ir.Bool { // to be ignored: all zeros
				read = selectExpr(read, constInt(ir.U64, 0), args[2])
			}
			args = append(args, convert(read, ir.U64))
		}
		l.asmNamed(b, "cp.async", nil, args...)
		return true
	case strings.HasPrefix(full, "cp.async.bulk.shared::") && slices.Contains(mods, "global") && slices.Contains(mods, "mbarrier::complete_tx::bytes") && !slices.Contains(mods, "multicast::cluster") && len(ops) >= 4:
		dst, src, size, bar := l.asmPointer(b, shared, ops[0]), l.asmPointer(b, nil, ops[1]), l.asmOperand(b, ops[2]), l.asmPointer(b, shared, ops[3])
		if dst == nil || src == nil || size == nil || bar == nil {
			return false
		}
		l.asmNamed(b, "bulk.copy", nil, dst, src, convert(size, ir.U64), bar)
		return true
	case strings.HasPrefix(full, "cp.async.bulk.global.shared::cta") && slices.Contains(mods, "bulk_group") && len(ops) >= 3:
		dst, src, size := l.asmPointer(b, nil, ops[0]), l.asmPointer(b, shared, ops[1]), l.asmOperand(b, ops[2])
		if dst == nil || src == nil || size == nil {
			return false
		}
		l.asmNamed(b, "bulk.copy", nil, dst, src, convert(size, ir.U64))
		return true
	case strings.HasPrefix(full, "cp.async.bulk.tensor."):
		return l.asmTensorCopy(b, mods, ops)
	case strings.HasPrefix(full, "cp.async.bulk.prefetch"):
		return true
	}
	return false
}

// asmWarp lowers what the lanes of a warp exchange; known is false for other instructions.
func (l *lowerer) asmWarp(b *asmBlock, mods, ops []string) (done, known bool) {
	c := &callSite{n: b.n}
	full := strings.Join(mods, ".")
	operand := func(i int) ir.Expr {
		if i >= len(ops) {
			return nil
		}
		return l.asmOperand(b, ops[i])
	}
	result := func(v value) (bool, bool) { return l.asmSet(b, ops[0], v), true }
	if len(ops) == 0 {
		return false, false
	}
	switch {
	case mods[0] == "activemask":
		return result(l.warpOp(c, "activemask", tUInt, nil))
	case strings.HasPrefix(full, "shfl.sync.") && len(mods) == 4 && len(ops) == 5:
		op := map[string]string{"idx": "shfl", "up": "shfl_up", "down": "shfl_down", "bfly": "shfl_xor"}[mods[2]]
		x, lane, clamp, mask := operand(1), operand(2), operand(3), operand(4)
		if op == "" || x == nil || lane == nil || mask == nil || clamp == nil {
			return false, true
		}
		v, fixed := ir.IntConst(clamp)
		if !fixed || strings.Contains(ops[0], "|") {
			return l.asmOpaque(b, ops[0]), true
		}
		width := constInt(ir.I32, 32-v>>8&31)
		return result(l.warpOp(c, op, tUInt, convert(mask, ir.U32), asmBits(rval(typeOfBits(x), x), tUInt).x, convert(lane, ir.I32), width))
	case strings.HasPrefix(full, "vote.sync.") && len(ops) == 3:
		op := map[string]string{"all": "all", "any": "any", "ballot": "ballot"}[mods[2]]
		p, mask := operand(1), operand(2)
		if op == "" || p == nil || mask == nil {
			return false, true
		}
		return result(l.warpOp(c, op, tUInt, convert(mask, ir.U32), convert(p, ir.Bool)))
	case strings.HasPrefix(full, "match.any.sync.") && len(ops) == 3:
		x, mask := operand(1), operand(2)
		if x == nil || mask == nil {
			return false, true
		}
		return result(l.warpOp(c, "match_any", tUInt, convert(mask, ir.U32), x))
	case strings.HasPrefix(full, "redux.sync.") && len(mods) == 4 && len(ops) == 3:
		x, mask, t := operand(1), operand(2), ptxTypes[mods[3]]
		if x == nil || mask == nil || t == nil || t.isFloat() {
			return false, true
		}
		return result(l.warpOp(c, "reduce_"+mods[2], t, convert(mask, ir.U32), convert(x, t.ir())))
	case full == "elect.sync" && len(ops) == 2:
		mask := operand(1)
		if mask == nil {
			return false, true
		}
		dst, pred, both := strings.Cut(ops[0], "|")
		leader := l.electedLane(convert(mask, ir.U32))
		ok := l.asmSet(b, dst, rval(tUInt, leader))
		if both {
			ok = ok && l.asmSet(b, pred, rval(tBool, l.temp(binary(ir.Eq, builtin(ir.LaneID, 0), leader))))
		}
		return ok, true
	case mods[0] == "mma" || mods[0] == "movmatrix" || mods[0] == "createpolicy" || mods[0] == "wmma" && len(mods) > 1 && mods[1] == "mma":
		return l.asmOpaque(b, ops[0]), true // registers of the lanes
	}
	return false, false
}

// electedLane is one lane of a mask: which one is not specified, but it is the same for the same mask (PTX ISA, "elect.sync").
func (l *lowerer) electedLane(mask ir.Expr) ir.Expr {
	return l.temp(&ir.Call{Name: ir.ElectLane, T: ir.U32, Args: []ir.Expr{mask}})
}

// asmMatrixRows is ldmatrix or stmatrix: each lane names a row of 16 bytes of shared memory, the first eight of them
// those of the first matrix, and so on (PTX ISA, "ldmatrix"). The access counts as that of the lane which names it.
func (l *lowerer) asmMatrixRows(b *asmBlock, mods, ops []string) bool {
	lanes := int64(0)
	for _, m := range mods {
		switch m {
		case "x1":
			lanes = 8
		case "x2":
			lanes = 16
		case "x4":
			lanes = 32
		case "m8n8", "sync", "aligned", "trans", "shared", "shared::cta", "b16", "ldmatrix", "stmatrix":
		default:
			return false // other shapes
		}
	}
	if lanes == 0 || len(ops) != 2 {
		return false
	}
	load := mods[0] == "ldmatrix"
	at := ops[0]
	if load {
		at = ops[1]
	}
	p := l.asmPointer(b, []string{"shared"}, at)
	if p == nil {
		return false
	}
	if !load {
		for _, o := range vectorOperands(ops[1]) {
			if l.asmOperand(b, o) == nil {
				return false
			}
		}
	}
	rows := l.collectStmts(func() {
		for i := range int64(4) {
			word := ptrAdd(p, constInt(ir.I64, 4*i))
			if load {
				l.emit(&ir.Load{Dst: l.newReg(ir.U32, ""), T: ir.U32, Ptr: word, Site: l.site(b.n, "")})
				continue
			}
			l.emit(&ir.Store{T: ir.U32, Ptr: word, X: l.special(&callSite{n: b.n}, tUInt).x, Site: l.site(b.n, "")})
		}
	})
	if lanes < 32 {
		in := binary(ir.Lt, builtin(ir.LaneID, 0), constInt(ir.U32, lanes))
		rows = []ir.Stmt{&ir.If{Cond: in, Then: rows, Site: l.site(b.n, "")}}
	}
	for _, s := range rows {
		l.emit(s)
	}
	return !load || l.asmOpaque(b, ops[0])
}
