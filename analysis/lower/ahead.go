package lower

// This file takes apart loops in loops that run ahead of the outer one, as pipelines of several stages are filled:
//
//	for (done = 0, filled = 0; done < n; done++) {
//	    for (; filled < n && filled < done + stages; filled++) fill(filled);
//	    use(done);
//
// The inner loop fills all stages in the first round, and one in each later round, as long as there is something left. So it
// is the filling of all but one stage before the outer loop, and of the stage done + stages - 1 in each round, if that is
// below n. In this form its counter has a value in each round.

import (
	"reflect"
	"slices"

	"github.com/warplint/warplint/analysis/ir"
)

// fillBefore rewrites the loops of a list that go through loops which run ahead of them and put copies under way.
func fillBefore(list []ir.Stmt) {
	for i, s := range list {
		if loop, ok := s.(*ir.Loop); ok {
			if first := filledAhead(list[:i], loop); first != nil {
				list[i] = &ir.Block{Label: &ir.Label{ID: loop.Label.ID}, Body: append(first, loop)}
			}
		}
		for _, nested := range ir.Nested(s) {
			fillBefore(nested)
		}
	}
}

// filledAhead takes the loop apart that the rounds of a loop begin with, and returns what then stands before the outer one; nil
// if there is no such loop.
func filledAhead(before []ir.Stmt, outer *ir.Loop) []ir.Stmt {
	if len(outer.Body) == 0 {
		return nil
	}
	inner, ok := outer.Body[0].(*ir.Loop)
	if !ok || !closesGroups(inner.Body) || jumpsTo(inner.Body, inner.Label) || jumpsTo(inner.Body, outer.Label) {
		return nil
	}
	done, filled := raisedByOne(outer), raisedByOne(inner)
	if done == nil || filled == nil || done.Type != filled.Type || assigns(inner.Body, done) || assigns(outer.Body[1:], filled) {
		return nil
	}
	start, ok := lastValue(before, done)
	if first, same := lastValue(before, filled); !ok || !same || start.Bits != first.Bits {
		return nil
	}
	some, stages := aheadBy(inner.Cond, done, filled)
	if stages < 1 || stages > mostWrittenOut || !reflect.DeepEqual(some, replaced(outer.Cond, done, &ir.RegRef{R: filled})) || !bounded(outer, done) {
		return nil
	}
	site, from := inner.Site, &ir.Assign{Dst: filled, X: start}
	next := &ir.Assign{Dst: filled, X: binary(ir.Add, &ir.RegRef{R: done}, constInt(done.Type, stages-1))}
	outer.Body[0] = &ir.If{Cond: replaced(outer.Cond, done, next.X), Then: append(append([]ir.Stmt{next}, ir.Copy(inner.Body)...), ir.Copy(inner.Post)...), Site: site}
	most := binary(ir.Lt, &ir.RegRef{R: filled}, binary(ir.Add, start, constInt(done.Type, stages-1)))
	return []ir.Stmt{from, &ir.Loop{Label: inner.Label, Cond: binary(ir.LogAnd, some, most), Body: inner.Body, Post: inner.Post, Site: site}}
}

// raisedByOne is the counter that a loop raises by one behind each round and nowhere else, nil if there is none.
func raisedByOne(l *ir.Loop) *ir.Reg {
	if len(l.Head) > 0 || len(l.Post) != 1 {
		return nil
	}
	step, ok := l.Post[0].(*ir.Assign)
	if !ok {
		return nil
	}
	if by, ok := stepOf(step, step.Dst); !ok || by != 1 || !leftAlone(l, step.Dst) {
		return nil
	}
	return step.Dst
}

// aheadBy takes the condition of `filled < n && filled < done + stages` apart, in any order.
func aheadBy(cond ir.Expr, done, filled *ir.Reg) (some ir.Expr, stages int64) {
	both, ok := cond.(*ir.Binary)
	if !ok || both.Op != ir.LogAnd {
		return nil, 0
	}
	for _, of := range [][2]ir.Expr{{both.X, both.Y}, {both.Y, both.X}} {
		c, ok := of[1].(*ir.Binary)
		if !ok || c.Op != ir.Lt && c.Op != ir.Le || !isReg(c.X, filled) {
			continue
		}
		if stages, ok := above(c.Y, done); ok {
			if c.Op == ir.Le {
				stages++
			}
			return of[0], stages
		}
	}
	return nil, 0
}

// above is by how much a sum is above a register.
func above(e ir.Expr, r *ir.Reg) (int64, bool) {
	sum, ok := e.(*ir.Binary)
	if !ok || sum.Op != ir.Add && sum.Op != ir.Sub {
		return 0, isReg(e, r)
	}
	n, ok := above(sum.X, r)
	by, fixed := ir.IntConst(sum.Y)
	if sum.Op == ir.Sub {
		by = -by
	}
	return n + by, ok && fixed
}

// bounded reports whether a loop ends when its counter comes to a number that no round changes.
func bounded(l *ir.Loop, counter *ir.Reg) bool {
	c, ok := l.Cond.(*ir.Binary)
	return ok && (c.Op == ir.Lt || c.Op == ir.Le) && isReg(c.X, counter) &&
		!slices.ContainsFunc(ir.Registers(c.Y), func(r *ir.Reg) bool { return r == counter || assigns(l.Body, r) })
}
