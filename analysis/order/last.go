package order

import (
	"slices"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

// This file recognises the last block: one thread of each block draws a number, and only the block
// that has drawn the last one goes on, mostly told by a variable in shared memory:
//
//	__threadfence();
//	if (threadIdx.x == 0) last = atomicAdd(&count, 1) == gridDim.x - 1;
//	__syncthreads();
//	if (last) { __threadfence(); … }
//
// Each draw reads what the one before has written, so the last one has observed all of them. What a
// block does before its draw, with a fence between, is done for the last block behind a fence. So it is
// for all blocks that wait until the count has come to the number of blocks, as a barrier of the grid
// that is built by hand makes them, or for a flag that the last one sets behind another fence. The draws themselves, as they are observed, need no fence to be before
// what comes behind the last one, such as the reset of the count by a plain write (PTX ISA, "Causality
// order": observation order goes before base causality order). A barrier may stand between a fence and the
// draw where the fences are sequentially consistent, as __threadfence() is (see interp/hb, fences.go, for
// the reason). Each row of blocks may have a count of its own.

// lastOf is a draw and the read which tells a block that all have drawn: the draw itself, which only
// one block is told by, or another read of the count.
type lastOf struct{ draw, told *access.Access }

// lasts lists the draws that all blocks have made before an access.
func (y *Sync) lasts(a *access.Access) []lastOf {
	if list, ok := y.last[a]; ok {
		return list
	}
	list := y.allDrawn(y.waits(append(slices.Clone(a.When), y.handedOn(a.When)...)))
	if y.lax == 0 && !y.explaining && len(y.passing) == 0 {
		y.last[a] = list
	}
	return list
}

// allDrawn lists the draws that all blocks have made where somebody has seen values.
func (y *Sync) allDrawn(seen []wait) []lastOf {
	var list []lastOf
	for _, w := range seen {
		for _, draw := range y.writes {
			least := y.sharing(draw)
			if w.on == draw {
				least = y.t.Offset(least, -1) // drew the number before
			}
			if adds(draw) && MayTouch(draw, w.on) && w.on.Size == draw.Size && w.on.Off.Equal(draw.Off) && y.counts(draw) &&
				y.impossible(w.when, y.t.Le(y.t.Const(0), y.t.Poly(w.atom)), y.t.Lt(y.t.Poly(w.atom), least)) {
				list = append(list, lastOf{draw, w.on})
			}
		}
		for _, l := range y.passedOn(w) {
			list = append(list, lastOf{l.draw, w.on})
		}
	}
	return list
}

// passedOn lists the draws that all blocks have made before a flag is set that somebody has seen: who sets it has been
// told so, and has made a fence since.
func (y *Sync) passedOn(w wait) (list []lastOf) {
	if y.passing[w.on] || !y.strong(w.on) || !y.covers(w.on, race.ScopeDevice) {
		return nil
	}
	y.passing[w.on] = true // a flag that hangs on itself tells nothing
	defer delete(y.passing, w.on)
	found := false
	for _, write := range y.writes {
		if !y.mayMeet(write, w.on) || !y.canEnd(write, w) || y.own(write, w) {
			continue
		}
		if !y.strong(write) || !y.covers(write, race.ScopeDevice) {
			return nil
		}
		told := slices.DeleteFunc(slices.Clone(y.lasts(write)), func(l lastOf) bool {
			return !y.oneOfBlock(l.told, write) || !y.acquires(l.told, write, race.ScopeDevice) || !y.releases(l.told, write, race.ScopeDevice)
		})
		if found {
			told = slices.DeleteFunc(told, func(l lastOf) bool {
				return !slices.ContainsFunc(list, func(o lastOf) bool { return o.draw == l.draw })
			})
		}
		list, found = told, true
	}
	if len(list) == 0 || y.initially(y.sinceBefore(w, list)) {
		return nil
	}
	return list
}

// sinceBefore puts what a flag holds at first for what somebody has read of it before drawing: it is set only when all have
// drawn. So a wait for a generation to change, `while (gen == mine) { }`, is one for the flag to be set.
func (y *Sync) sinceBefore(w wait, drawn []lastOf) wait {
	value, ok := y.initial(w.on)
	if !ok || w.when.P == nil {
		return w
	}
	for _, m := range w.when.P.Terms() {
		for _, atom := range m.Mono.Atoms {
			read := y.readOf(atom)
			if read == nil || atom == w.atom || read.Base != w.on.Base || read.Size != w.on.Size || !read.Off.Equal(w.on.Off) || len(read.Loops) > 0 {
				continue
			}
			if slices.ContainsFunc(drawn, func(l lastOf) bool { return y.oneOfBlock(read, l.draw) && y.precedes(read, l.draw) }) {
				w.when = y.t.SubstituteCond(w.when, atom, y.t.Const(value))
			}
		}
	}
	return w
}

// toldAll is a draw that all blocks have made before an access, and how what told the access's block so is tied to it.
type toldAll struct {
	draw     *access.Access
	acquired link
}

// toldToBlock lists the draws that all blocks have made before an access because the first thread of its
// block has seen so, and a barrier of the block stands between.
func (y *Sync) toldToBlock(b *access.Access) []toldAll {
	var list []toldAll
	for _, w := range y.toldTo(b.Stmt) {
		list = append(list, y.toldBy([]wait{w.wait}, b)...)
	}
	for _, e := range y.s.Events {
		if !isBlockBarrier(e.Stmt) || !y.g.Before(e.Stmt, b.Stmt) {
			continue
		}
		for _, c := range y.asFirst(append(slices.Clone(e.When), e.Ended...)) {
			if c.Op == term.Or {
				list = append(list, y.toldInEachCase(c, e, b)...)
			}
		}
	}
	return list
}

func (y *Sync) toldBy(seen []wait, b *access.Access) (list []toldAll) {
	for _, l := range y.allDrawn(seen) {
		if y.covers(l.told, race.ScopeDevice) {
			list = append(list, toldAll{l.draw, y.acquiring(l.told, b)})
		}
	}
	return list
}

// toldInEachCase does so where the first thread has gone one of several ways to a barrier: it has drawn the last number
// itself, say, or waited for the flag that who has drawn it sets.
func (y *Sync) toldInEachCase(c *term.Cond, e *access.Event, b *access.Access) (list []toldAll) {
	for i, way := range c.Args {
		told := y.toldBy(y.beforeBarrier([]*term.Cond{way}, e), b)
		if i == 0 {
			list = told
		} else {
			list = inBoth(list, told)
		}
		if len(list) == 0 {
			return nil
		}
	}
	if !y.staysFirst(e) {
		return nil
	}
	return list
}

// inBoth lists the draws of two ways, tied as they are on both.
func inBoth(one, other []toldAll) (list []toldAll) {
	for _, t := range other {
		if i := slices.IndexFunc(one, func(o toldAll) bool { return o.draw == t.draw }); i >= 0 {
			list = append(list, toldAll{t.draw, t.acquired.and(one[i].acquired)})
		}
	}
	return list
}

// adds reports whether an access is an atomic that may count.
func adds(a *access.Access) bool {
	op, ok := a.Stmt.(*ir.Atomic)
	return ok && (op.Op == ir.AtomicAdd || op.Op == ir.AtomicInc) && !Reads(a)
}

// Reads reports whether an atomic leaves what it finds, and only looks at it.
func Reads(a *access.Access) bool {
	op, ok := a.Stmt.(*ir.Atomic)
	if !ok || a.Value == nil {
		return false
	}
	v, isConst := a.Value.IsConst()
	switch op.Op {
	case ir.AtomicAdd, ir.AtomicSub, ir.AtomicOr, ir.AtomicXor:
		return isConst && v == 0
	case ir.AtomicMax:
		return isConst && v == 0 && !op.T.IsSigned()
	case ir.AtomicAnd:
		return isConst && (v == -1 || a.Size < 8 && v == 1<<(8*a.Size)-1)
	case ir.AtomicCAS:
		return a.Compare != nil && a.Compare.Equal(a.Value)
	}
	return false
}

// rowOf lists the coordinates of a block that tell which count it draws from.
func (y *Sync) rowOf(draw *access.Access) (row [3]bool) {
	draw.Off.AllLeaves(func(x *term.Atom) {
		for i, p := range y.s.BlockIdx {
			row[i] = row[i] || p.IsAtom() == x
		}
	})
	return row
}

// blocks is the number of blocks.
func (y *Sync) blocks() *term.Poly {
	return y.t.Mul(y.s.Grid[0], y.t.Mul(y.s.Grid[1], y.s.Grid[2]))
}

// sharing is the number of blocks that draw from one count.
func (y *Sync) sharing(draw *access.Access) *term.Poly {
	n, row := y.t.Const(1), y.rowOf(draw)
	for i, dim := range y.s.Grid {
		if !row[i] {
			n = y.t.Mul(n, dim)
		}
	}
	return n
}

// tellsRow reports whether blocks draw from one count exactly if they agree in the coordinates that its
// address is made of.
func (y *Sync) tellsRow(draw *access.Access) bool {
	made := draw.Off.Loops() == 0
	draw.Off.AllLeaves(func(x *term.Atom) {
		made = made && (x.Variance <= term.Grid || slices.ContainsFunc(y.s.BlockIdx[:], func(p *term.Poly) bool { return p.IsAtom() == x }))
	})
	return made && y.sameRow(draw, draw, draw)
}

// sameRow reports whether the blocks of two accesses to one place draw from one count.
func (y *Sync) sameRow(a, b, draw *access.Access) bool {
	one, two := y.threads(race.InterBlock)
	var differ []*term.Cond
	for i, is := range y.rowOf(draw) {
		if is {
			differ = append(differ, y.t.Ne(one.Poly(y.s.BlockIdx[i]), two.Poly(y.s.BlockIdx[i])))
		}
	}
	if len(differ) == 0 {
		return true
	}
	apart := y.t.Sub(one.Poly(a.Off), two.Poly(b.Off))
	if a.Base != b.Base || !aligned(apart, a, b) {
		return false
	}
	conds := append(renameAll(one, a.When), renameAll(two, b.When)...)
	return y.impossible(append(conds, y.t.Eq(apart, y.t.Const(0)), term.Disj(differ...))...)
}

// handedOn lists what the conditions imply of values that one thread of the block has put into shared
// memory: `last != 0` says that what was assigned to last holds.
func (y *Sync) handedOn(conds []*term.Cond) []*term.Cond {
	var out []*term.Cond
	for _, c := range conds {
		if c.Op == term.And {
			out = append(out, y.handedOn(c.Args)...)
		}
		if c.P == nil {
			continue
		}
		for _, x := range c.P.Terms() {
			for _, atom := range x.Mono.Atoms {
				if value := y.putBy(atom); value != nil {
					out = append(out, y.chosen(c, atom, value)...)
				}
			}
		}
	}
	return out
}

// putBy is what the only write of the shared variable that an atom was read from has stored, nil if
// there is no such write.
func (y *Sync) putBy(atom *term.Atom) *term.Poly {
	load, ok := atom.Ref.(*ir.Load)
	if !ok || y.reads[load] == nil {
		return nil
	}
	read := y.reads[load]
	if read.Base.Space != ir.Shared || read.Base.Remote != nil {
		return nil
	}
	var value *term.Poly
	for _, w := range y.writes {
		if !y.mayMeet(w, read) {
			continue
		}
		if value != nil || w.Kind != race.Write || len(w.Loops) > 0 || w.Size != read.Size || !w.Off.Equal(read.Off) {
			return nil
		}
		if value = y.s.Finds(read, w); value == nil {
			return nil
		}
	}
	return value
}

// chosen is what a condition says of the cases of a value that an atom has.
func (y *Sync) chosen(c *term.Cond, atom *term.Atom, value *term.Poly) []*term.Cond {
	choice := value.IsAtom()
	if choice == nil || choice.Kind != term.Select {
		return []*term.Cond{y.t.SubstituteCond(c, atom, value)}
	}
	yes, no := y.t.SubstituteCond(c, atom, choice.Args[0]), y.t.SubstituteCond(c, atom, choice.Args[1])
	switch {
	case y.impossible(no):
		return []*term.Cond{choice.If}
	case y.impossible(yes):
		return []*term.Cond{y.t.Not(choice.If)}
	}
	return nil
}

// counts reports whether an atomic numbers the blocks: one thread of each draws once, from 0 on, one
// more each time, and nothing else changes the count before the last has drawn.
func (y *Sync) counts(draw *access.Access) bool {
	yes, known := y.counters[draw]
	if !known || y.lax != 0 {
		y.counters[draw] = false // while its own resets are asked for
		yes = y.numbersBlocks(draw)
		y.counters[draw] = yes
		if yes && !y.onlyLastResets(draw) {
			yes = false
			y.counters[draw] = false
		}
	}
	return yes
}

func (y *Sync) numbersBlocks(draw *access.Access) bool {
	if len(draw.Loops) > 0 || draw.Base.Space == ir.Shared || !y.tellsRow(draw) || !y.covers(draw, race.ScopeDevice) {
		return false
	}
	if start, ok := y.initial(draw); !ok || start != 0 || draw.Value == nil {
		return false
	}
	y.s.Assumes[startsAtZero] = true
	if op := draw.Stmt.(*ir.Atomic); op.Op == ir.AtomicAdd {
		if by, ok := draw.Value.IsConst(); !ok || by != 1 {
			return false
		}
	} else if !y.impossible(y.t.Le(draw.Value, y.t.Offset(y.sharing(draw), -2))) {
		return false // begins anew before the last
	}
	return y.oneOfBlock(draw, draw)
}

// oneOfBlock reports whether only one thread of a block makes both accesses.
func (y *Sync) oneOfBlock(a, b *access.Access) bool {
	one, two := y.threads(race.IntraBlock)
	conds := append(renameAll(one, a.When), renameAll(two, b.When)...)
	return y.impossible(append(conds, y.differ(one, two, y.s.ThreadIdx))...)
}

func (y *Sync) onlyLastResets(draw *access.Access) bool {
	for _, w := range y.writes {
		if y.mayMeet(w, draw) && w.Stmt != draw.Stmt && !Reads(w) && !(slices.Contains(y.lasts(w), lastOf{draw, draw}) && y.sameRow(w, draw, draw)) {
			return false
		}
	}
	return true
}

// afterAll reports whether an access of one block comes before that of the last block, or only the
// last block makes both.
func (y *Sync) afterAll(a, b *access.Access, kind race.Kind) bool {
	if kind != race.InterBlock {
		return false
	}
	for _, l := range y.lasts(b) {
		switch {
		case !y.sameRow(a, b, l.draw):
		case l.draw == l.told && slices.Contains(y.lasts(a), l):
			return true
		case a.Stmt == l.draw.Stmt && y.precedes(l.told, b) && y.strong(l.told) && y.covers(l.told, race.ScopeDevice):
			return true // what has been observed needs no fence
		case y.beforeDraw(a, l.draw) && y.behindDraw(l.told, b) && y.covers(l.told, race.ScopeDevice) && y.tied(a, l.draw, y.acquiring(l.told, b), b):
			return true
		}
	}
	if y.lax != 0 {
		return false
	}
	for _, l := range y.toldToBlock(b) {
		if (a.Stmt == l.draw.Stmt || y.precedes(a, l.draw) && y.tied(a, l.draw, l.acquired, b)) && y.sameRow(a, b, l.draw) {
			return true
		}
	}
	return false
}

// tied reports whether the fences before a draw go with those behind the read that tells of it.
func (y *Sync) tied(a, draw *access.Access, acquired link, b *access.Access) bool {
	if y.lax != 0 || !y.Strict && (b.Volatile || b.Order != ir.Weak) {
		return true
	}
	return y.releasing(a, draw).meets(acquired)
}

// beforeDraw reports whether an access comes before the draw of its block, with a fence.
func (y *Sync) beforeDraw(a, draw *access.Access) bool {
	if !y.precedes(a, draw) {
		return false
	}
	if y.oneOfBlock(a, draw) {
		return y.releases(a, draw, race.ScopeDevice)
	}
	return draw.Order.Releases() || y.fencedAnywhere(a.Stmt, draw.Stmt)
}

// precedes reports whether an access comes before another one of its block: both made by one thread, or with
// a barrier between.
func (y *Sync) precedes(a, b *access.Access) bool {
	if b.Stmt == a.Stmt || !y.g.Reaches(a.Stmt, b.Stmt, nil) || y.g.Reaches(b.Stmt, a.Stmt, nil) {
		return false
	}
	return y.oneOfBlock(a, b) || !y.g.Reaches(a.Stmt, b.Stmt, isBlockBarrier)
}

// behindDraw reports whether an access comes behind the draw of its block, with a fence.
func (y *Sync) behindDraw(draw, b *access.Access) bool {
	if !y.precedes(draw, b) {
		return false
	}
	if !y.Strict && (b.Volatile || b.Order != ir.Weak) {
		return true
	}
	if y.oneOfBlock(draw, b) {
		return y.acquires(draw, b, race.ScopeDevice)
	}
	return draw.Order.Acquires() || y.fencedAnywhere(draw.Stmt, b.Stmt)
}

// fencedAnywhere reports whether each path between two statements of different threads of a block,
// which has a barrier, passes a sequentially consistent fence on either side of it.
func (y *Sync) fencedAnywhere(from, to ir.Stmt) bool {
	sequential := func(least race.Scope) func(ir.Stmt) bool {
		return func(s ir.Stmt) bool {
			f, ok := s.(*ir.Fence)
			return ok && f.Order == ir.SeqCst && f.Scope >= least
		}
	}
	switch {
	case !y.g.Reaches(from, to, sequential(race.ScopeDevice)):
		return true
	case y.lax&laxFenceScope != 0 && !y.g.Reaches(from, to, sequential(race.ScopeBlock)):
		y.unmet = append(y.unmet, y.narrowFences(from, to, race.ScopeDevice)...)
		return true
	case y.lax&laxFence != 0:
		y.unmet = append(y.unmet, to)
		return true
	}
	return false
}

func isBlockBarrier(s ir.Stmt) bool {
	b, ok := s.(*ir.Barrier)
	return ok && b.Level >= ir.BlockLevel && b.Mode == ir.BarrierSync && b.Count == nil
}
