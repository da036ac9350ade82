package lower

// This file writes out short loops that put asynchronous copies under way, as pipelines begin with: which copies a
// wait leaves pending hangs on how many groups were closed, so each round counts by itself.

import (
	"slices"

	"github.com/warplint/warplint/analysis/ir"
)

// mostWrittenOut bounds the rounds of a loop that is written out.
const mostWrittenOut = 8

// writeOut replaces loops that close groups of copies, a few times as constants say, by their rounds.
func writeOut(list []ir.Stmt) {
	for i, s := range list {
		for _, nested := range ir.Nested(s) {
			writeOut(nested)
		}
		loop, ok := s.(*ir.Loop)
		if !ok || i == 0 || !closesGroups(loop.Body) {
			continue
		}
		start, ok := list[i-1].(*ir.Assign)
		if !ok {
			continue
		}
		if rounds := roundsOf(loop, start); rounds != nil {
			list[i] = &ir.Block{Label: loop.Label, Body: rounds}
		}
	}
}

// closesGroups reports whether statements close groups of copies.
func closesGroups(list []ir.Stmt) bool {
	found := false
	ir.WalkStmts(list, func(s ir.Stmt) bool {
		n, ok := s.(*ir.Named)
		found = found || ok && (n.Op == "cp.async.commit" || n.Op == "pipeline.commit" || n.Op == "bulk.commit" || n.Op == "group.copy")
		return !found
	})
	return found
}

// roundsOf are the rounds of a loop that counts from a constant to another one, nil if it is no such loop. What its
// condition demands besides is asked before each round.
func roundsOf(loop *ir.Loop, start *ir.Assign) []ir.Stmt {
	first, ok := ir.IntConst(start.X)
	if !ok || len(loop.Head) > 0 || len(loop.Post) != 1 {
		return nil
	}
	counter := start.Dst
	step, ok := stepOf(loop.Post[0], counter)
	if !ok || step == 0 || !leftAlone(loop, counter) {
		return nil
	}
	bounds, rest := boundsOf(loop.Cond, counter)
	if len(bounds) == 0 {
		return nil
	}
	var out []ir.Stmt
	n := first
	for range mostWrittenOut + 1 {
		if !slices.ContainsFunc(bounds, func(b bound) bool { return !b.holds(n) }) {
			for _, cond := range rest {
				out = append(out, &ir.If{Cond: unary(ir.LogNot, cond), Then: []ir.Stmt{&ir.Break{Target: loop.Label}}, Site: loop.Site})
			}
			out = append(append(out, ir.Copy(loop.Body)...), ir.Copy(loop.Post)...)
			n += step
			continue
		}
		return append(out, &ir.Assign{Dst: counter, X: constInt(counter.Type, n)})
	}
	return nil
}

// stepOf is by how much a statement moves a counter.
func stepOf(s ir.Stmt, counter *ir.Reg) (int64, bool) {
	a, ok := s.(*ir.Assign)
	if !ok || a.Dst != counter {
		return 0, false
	}
	sum, ok := a.X.(*ir.Binary)
	if !ok || sum.Op != ir.Add || !isReg(sum.X, counter) {
		return 0, false
	}
	return ir.IntConst(sum.Y)
}

func isReg(e ir.Expr, r *ir.Reg) bool {
	ref, ok := e.(*ir.RegRef)
	return ok && ref.R == r
}

// leftAlone reports whether a loop's body neither sets its counter nor goes on to the next round by itself.
func leftAlone(loop *ir.Loop, counter *ir.Reg) bool {
	ok := true
	ir.WalkStmts(loop.Body, func(s ir.Stmt) bool {
		next, goesOn := s.(*ir.Continue)
		ok = ok && !(goesOn && next.Target == loop.Label) && !slices.Contains(ir.Defs(s), counter)
		return ok
	})
	return ok
}

// bound is a comparison of a counter with a constant.
type bound struct {
	op    ir.Op
	limit int64
}

func (b bound) holds(n int64) bool {
	switch b.op {
	case ir.Lt:
		return n < b.limit
	case ir.Le:
		return n <= b.limit
	}
	return n != b.limit
}

// boundsOf splits a condition into the bounds of a counter and what else it demands.
func boundsOf(cond ir.Expr, counter *ir.Reg) (bounds []bound, rest []ir.Expr) {
	if b, ok := cond.(*ir.Binary); ok {
		if b.Op == ir.LogAnd {
			bounds, rest = boundsOf(b.X, counter)
			more, others := boundsOf(b.Y, counter)
			return append(bounds, more...), append(rest, others...)
		}
		if limit, fixed := ir.IntConst(b.Y); fixed && isReg(b.X, counter) && (b.Op == ir.Lt || b.Op == ir.Le || b.Op == ir.Ne) {
			return []bound{{b.Op, limit}}, nil
		}
	}
	return nil, []ir.Expr{cond}
}
