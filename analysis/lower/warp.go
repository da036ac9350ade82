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
		m["__reduce_"+op+"_sync"] = match("reduce_" + op)
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

// match lowers __match_*_sync and __reduce_*_sync on a 32- or 64-bit value.
func match(op string) intrinsic {
	return func(l *lowerer, c *callSite) value {
		if len(c.args) < 2 || len(c.args) > 3 {
			return l.rejectArity(c)
		}
		mask := c.arg(l, 0, tUInt)
		v := l.decay(c.value(l, 1), c.n)
		x := l.bits(v, c.args[1].n)
		if x == nil {
			return l.opaqueCall(c.n, reasonOf(v), c.args)
		}
		t := tUInt
		if len(op) > 7 && op[:7] == "reduce_" {
			t = promote(v.t)
		}
		r := l.warpOp(c, op, t, mask, x)
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
