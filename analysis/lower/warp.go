package lower

// This file lowers the exchanges between the lanes of a warp. They order no memory.

import (
	"github.com/warplint/warplint/analysis/ir"
)

func warpTable() map[string]intrinsic {
	m := map[string]intrinsic{
		"__all_sync": vote("all", tInt), "__any_sync": vote("any", tInt), "__ballot_sync": vote("ballot", tUInt),
		"__uni_sync":       vote("uni", tInt),
		"__match_any_sync": match("match_any"), "__match_all_sync": match("match_all"),
		"__activemask": activeMask,
		"__all":        oldVote("all", tInt), "__any": oldVote("any", tInt), "__ballot": oldVote("ballot", tUInt),
		"__lane_id": laneID,
	}
	for name, op := range map[string]string{"": "shfl", "_up": "shfl_up", "_down": "shfl_down", "_xor": "shfl_xor"} {
		m["__shfl"+name+"_sync"] = shuffle(op, true)
		m["__shfl"+name] = shuffle(op, false)
	}
	for _, op := range []string{"add", "min", "max", "and", "or", "xor"} {
		m["__reduce_"+op+"_sync"] = reduceSync(op)
	}
	return m
}

func laneID(l *lowerer, c *callSite) value { return rval(tUInt, &ir.Builtin{Var: ir.LaneID}) }

// warpOp emits one exchange and returns its result.
func (l *lowerer) warpOp(c *callSite, op string, t *ctype, mask ir.Expr, args ...ir.Expr) value {
	dst := l.newReg(t.ir(), "")
	l.emit(&ir.WarpOp{Op: op, Dst: dst, Mask: mask, Args: args, Site: l.namedSite(c.n, c.nameNode, "")})
	return rval(t, &ir.RegRef{R: dst})
}

func activeMask(l *lowerer, c *callSite) value { return l.warpOp(c, "activemask", tUInt, nil) }

func vote(op string, t *ctype) intrinsic {
	return func(l *lowerer, c *callSite) value {
		if len(c.args) != 2 {
			return l.rejectArity(c)
		}
		return l.warpOp(c, op, t, c.arg(l, 0, tUInt), c.arg(l, 1, tBool))
	}
}

// oldVote is a vote from before Volta: all active lanes take part.
func oldVote(op string, t *ctype) intrinsic {
	return func(l *lowerer, c *callSite) value {
		if len(c.args) != 1 {
			return l.rejectArity(c)
		}
		p := c.arg(l, 0, tBool)
		return l.warpOp(c, op, t, activeMask(l, c).x, p)
	}
}

// match lowers __match_*_sync on a 32- or 64-bit value.
func match(op string) intrinsic {
	return func(l *lowerer, c *callSite) value {
		if len(c.args) < 2 || len(c.args) > 3 {
			return l.rejectArity(c)
		}
		mask := c.arg(l, 0, tUInt)
		v := l.decay(c.value(l, 1), c.n)
		x := l.bits(v)
		if x == nil {
			return l.opaqueCall(c.n, reasonOf(v), c.args)
		}
		r := l.warpOp(c, op, tUInt, mask, x)
		if len(c.args) == 3 { // __match_all_sync(mask, value, &pred)
			place := l.deref(c.value(l, 2), c.args[2].n)
			if place.isNothing() {
				return l.opaqueCall(c.n, reasonOf(place), c.args)
			}
			l.assign(place, l.convertTo(rval(tBool, binary(ir.Ne, r.x, constInt(ir.U32, 0))), place.t, c.n), c.args[2].n)
		}
		return r
	}
}

// shuffle lowers __shfl_*_sync(mask, value, lane, width = 32); the form from before Volta has
// no mask.
func shuffle(op string, hasMask bool) intrinsic {
	return func(l *lowerer, c *callSite) value {
		args := c.args
		var mask ir.Expr
		if hasMask && len(args) > 0 {
			mask = c.arg(l, 0, tUInt)
			args = args[1:]
		}
		if len(args) < 2 || len(args) > 3 {
			return l.rejectArity(c)
		}
		if mask == nil {
			mask = activeMask(l, c).x
		}
		lane := l.toScalar(args[1].v, tInt, args[1].n)
		var width ir.Expr = constInt(ir.I32, 32)
		if len(args) == 3 {
			width = l.toScalar(args[2].v, tInt, args[2].n)
		}
		return l.shuffleValue(c, op, l.load(args[0].v, args[0].n), mask, lane, width)
	}
}

// shuffleValue exchanges a scalar, or each scalar of a class value.
func (l *lowerer) shuffleValue(c *callSite, op string, v value, mask, lane, width ir.Expr) value {
	switch {
	case v.cat == vAgg:
		out := value{t: v.t.unqualified(), cat: vAgg}
		for _, e := range v.elems {
			out.elems = append(out.elems, l.shuffleValue(c, op, l.load(e, c.n), mask, lane, width))
		}
		return out
	case v.cat == vRval && v.target == nil:
		return l.warpOp(c, op, v.t.unqualified(), mask, v.x, lane, width)
	}
	return l.opaqueCall(c.n, reasonOf(v), c.args)
}

// reduceSync is __reduce_add_sync(mask, value) and its kin.
func reduceSync(op string) intrinsic {
	return func(l *lowerer, c *callSite) value {
		if len(c.args) != 2 {
			return l.rejectArity(c)
		}
		v := l.convertTo(c.value(l, 1), promote(c.args[1].v.t), c.n)
		if v.cat != vRval {
			return l.opaqueCall(c.n, reasonOf(v), c.args)
		}
		return l.warpOp(c, "reduce_"+op, v.t.unqualified(), c.arg(l, 0, tUInt), v.x)
	}
}

// laneRange says which lanes' values a lane combines.
type laneRange uint8

const (
	allLanes laneRange = iota
	lanesUpToOwn
	lanesBeforeOwn
)

// laneLoop combines the values of the lanes of a mask, in their order, by shuffles: a
// reduction, or a scan.
func (l *lowerer) laneLoop(c *callSite, v value, mask ir.Expr, lanes laneRange, combine func(a, b value) value) value {
	own := l.newVariable("", nil, v.t)
	acc := l.newVariable("", nil, v.t)
	l.assign(own, v, c.n)
	if lanes == lanesBeforeOwn {
		l.assign(acc, l.zeroValue(v.t, c.n), c.n)
	}
	mask = l.temp(mask)
	i, first := l.newReg(ir.I32, ""), l.newReg(ir.Bool, "")
	l.emit(&ir.Assign{Dst: i, X: constInt(ir.I32, 0)})
	l.emit(&ir.Assign{Dst: first, X: constBool(true)})
	lane := &ir.RegRef{R: i}
	loop := &ir.Loop{Label: l.newLabel(), Cond: binary(ir.Lt, lane, constInt(ir.I32, 32)), Site: l.site(c.n, "")}
	step := l.collectStmts(func() {
		other := l.shuffleValue(c, "shfl", l.load(own, c.n), mask, lane, constInt(ir.I32, 32))
		takes := l.collectStmts(func() { l.combineLane(c, acc, other, first, combine) })
		me := convert(builtin(ir.LaneID, 0), ir.I32)
		switch lanes {
		case lanesUpToOwn:
			takes = []ir.Stmt{&ir.If{Cond: binary(ir.Le, lane, me), Then: takes, Site: l.site(c.n, "")}}
		case lanesBeforeOwn:
			takes = []ir.Stmt{&ir.If{Cond: binary(ir.Lt, lane, me), Then: takes, Site: l.site(c.n, "")}}
		}
		*l.out = append(*l.out, takes...)
	})
	bit := binary(ir.And, binary(ir.Shr, mask, lane), constInt(ir.U32, 1))
	loop.Body = []ir.Stmt{&ir.If{Cond: truth(bit), Then: step, Site: l.site(c.n, "")}}
	loop.Post = []ir.Stmt{&ir.Assign{Dst: i, X: binary(ir.Add, lane, constInt(ir.I32, 1))}}
	l.emit(loop)
	return l.load(acc, c.n)
}

func (l *lowerer) combineLane(c *callSite, acc, other value, first *ir.Reg, combine func(a, b value) value) {
	s := &ir.If{Cond: &ir.RegRef{R: first}, Site: l.site(c.n, "")}
	s.Then = l.collectStmts(func() {
		l.assign(acc, other, c.n)
		l.emit(&ir.Assign{Dst: first, X: constBool(false)})
	})
	s.Else = l.collectStmts(func() { l.assign(acc, l.convertTo(combine(l.load(acc, c.n), other), acc.t, c.n), c.n) })
	l.emit(s)
}
