package order

import (
	"slices"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

// This file recognises hand-overs: a thread publishes what it did by a fence and a strong
// write to a flag, and another goes on only when it has read a value that only this write
// can have put there. Hand-overs add up over several threads (transitivity as in
// HRF-indirect and in causality order).

// handedOver reports whether a, by one thread, always happens before b, by another.
func (y *Sync) handedOver(a, b *access.Access, kind race.Kind) bool {
	for _, w := range y.waits(b.When) {
		if w.on.Stmt != b.Stmt && y.handsOver(a, w, b, kind, map[*access.Access]bool{}) {
			return true
		}
	}
	if kind != race.InterBlock || y.lax != 0 {
		return false
	}
	over := func(w told) bool { return y.handsOverToBlock(a, w, b) }
	return slices.ContainsFunc(y.toldTo(b.Stmt), over) || slices.ContainsFunc(y.toldOnWay(b), over)
}

// handsOverToBlock reports whether each write that can end the wait of the first thread of b's block comes
// after a, which its block has made.
func (y *Sync) handsOverToBlock(a *access.Access, w told, b *access.Access) bool {
	if w.on.Stmt == b.Stmt || y.initially(w.wait) {
		return false
	}
	acquired := y.acquiring(w.on, b)
	if !y.Strict && (b.Volatile || b.Order != ir.Weak) {
		acquired = link{own: true, sequential: true}
	}
	found := false
	var others []*access.Access
	for _, write := range y.writes {
		if !y.mayMeet(write, w.on) || !y.canEnd(write, w.wait) || y.own(write, w.wait) {
			continue
		}
		if !y.strong(write) || !y.strong(w.on) || !y.covers(write, race.ScopeDevice) || !y.covers(w.on, race.ScopeDevice) {
			return false
		}
		if !y.precedes(a, write) && !y.byRounds(a, write, w, b) || !y.releasing(a, write).meets(acquired) {
			others = append(others, write)
			continue
		}
		if !y.blockOf(a, write, w, b) {
			return false
		}
		found = true
	}
	return found && y.allElsewhere(others, a, w.wait, y.ofFirst(w.on.Off), b, race.InterBlock)
}

// allElsewhere reports whether none of some writes is to the flag that b waits for, given that a and b touch one place.
func (y *Sync) allElsewhere(writes []*access.Access, a *access.Access, w wait, flag *term.Poly, b *access.Access, kind race.Kind) bool {
	return !slices.ContainsFunc(writes, func(write *access.Access) bool {
		s := y.settingFor(a, write, w, flag, b, kind)
		return s == nil || !y.impossible(s.conds...)
	})
}

// setting are three threads: one makes an access, another one touches the same place after a wait, and a third
// one makes the write to the flag that ends the wait.
type setting struct {
	one, two, three *term.Renaming
	conds           []*term.Cond
}

// settingFor is how a, b and the write to b's flag stand to each other, nil if nothing is known of it. In an array of flags,
// the place tells who sets the flag.
func (y *Sync) settingFor(a, write *access.Access, w wait, flag *term.Poly, b *access.Access, kind race.Kind) *setting {
	one, two := y.threads(kind)
	widest := term.Grid
	if ofBlock(write) && kind != race.InterBlock { // nobody else reaches the flag
		widest = term.Block
	}
	three := y.t.Rename(term.Third, func(x *term.Atom) bool { return x.Variance <= widest && x.Loops == 0 }, nil)
	place, at := y.t.Sub(one.Poly(a.Off), two.Poly(b.Off)), y.t.Sub(three.Poly(write.Off), two.Poly(flag))
	if !aligned(place, a, b) || !aligned(at, write, w.on) || a.Base != b.Base {
		return nil
	}
	s := &setting{one: one, two: two, three: three}
	s.conds = append(renameAll(one, a.When), renameAll(two, b.When)...)
	s.conds = append(s.conds, renameAll(three, write.When)...)
	s.conds = append(s.conds, y.t.Eq(place, y.t.Const(0)), y.t.Eq(at, y.t.Const(0)))
	if m, n := b.Off.Gcd(), flag.Gcd(); m > 0 && n > 0 && y.t.Scale(n, b.Off).Equal(y.t.Scale(m, flag)) { // both at one index
		s.conds = append(s.conds, y.t.Eq(y.t.Scale(n, one.Poly(a.Off)), y.t.Scale(m, three.Poly(write.Off))))
	}
	return s
}

// blockOf reports whether the block that sets the flag which b's block waits for is the one that has made
// a, given that a and b touch one place.
func (y *Sync) blockOf(a, write *access.Access, w told, b *access.Access) bool {
	conds, one, _, three := y.ofBlocks(a, write, w, b)
	return y.impossible(append(slices.Clone(conds), y.differ(one, three, y.s.BlockIdx))...) || y.noneApart(conds, a, write, one, three, race.InterBlock)
}

// ofBlocks is what holds of three threads, of which one makes an access, two touches the same place behind a wait of its block,
// and three makes the write to the flag that ends it.
func (y *Sync) ofBlocks(a, write *access.Access, w told, b *access.Access) (conds []*term.Cond, one, two, three *term.Renaming) {
	one, two = y.threads(race.InterBlock)
	three = y.t.Rename(term.Third, func(x *term.Atom) bool { return x.Variance == term.Grid && x.Loops == 0 }, nil)
	conds = append(renameAll(one, a.When), renameAll(two, b.When)...)
	conds = append(conds, renameAll(three, write.When)...)
	zero := y.t.Const(0)
	if place := y.t.Sub(one.Poly(a.Off), two.Poly(b.Off)); a.Base == b.Base && aligned(place, a, b) {
		conds = append(conds, y.t.Eq(place, zero))
	}
	flag := y.t.Sub(three.Poly(write.Off), two.Poly(y.ofFirst(w.on.Off)))
	if aligned(flag, write, w.on) {
		conds = append(conds, y.t.Eq(flag, zero))
	}
	return conds, one, two, three
}

// noneApart reports whether conditions can't hold for two threads of these kinds that make two accesses, as tickets
// differ which they have drawn.
func (y *Sync) noneApart(conds []*term.Cond, a, b *access.Access, one, two *term.Renaming, kinds ...race.Kind) bool {
	for _, kind := range kinds {
		if y.Draws == nil {
			return false
		}
		apart := slices.Concat(conds, y.Draws(a, b, kind, one, two))
		if len(apart) == len(conds) {
			return false
		}
		if kind == race.InterBlock {
			apart = append(apart, y.differ(one, two, y.s.BlockIdx))
		} else {
			apart = append(apart, y.differ(one, two, y.s.ThreadIdx))
			for _, i := range y.s.BlockIdx {
				apart = append(apart, y.t.Eq(one.Poly(i), two.Poly(i)))
			}
		}
		if !y.impossible(apart...) {
			return false
		}
	}
	return true
}

// transitive is the kind of a hand-over on the way of another one, whose accesses need not
// touch one place.
const transitive race.Kind = ""

// handsOver reports whether each write that can end the wait before b comes after a. Writes in
// progress are assumed to do so: the first hand-over in time has none before it, so the argument
// is well-founded.
func (y *Sync) handsOver(a *access.Access, w wait, b *access.Access, kind race.Kind, progress map[*access.Access]bool) bool {
	if y.initially(w) {
		return false
	}
	found := false
	var others []*access.Access
	for _, write := range y.writes {
		if !y.mayMeet(write, w.on) || !y.canEnd(write, w) || y.own(write, w) {
			continue
		}
		if progress[write] {
			continue
		}
		scope := race.ScopeDevice
		if y.sameBlock(write, w.on) {
			scope = race.ScopeBlock
		}
		if !y.strong(write) || !y.strong(w.on) || !y.covers(write, scope) || !y.covers(w.on, scope) {
			return false
		}
		if write.Stmt == a.Stmt { // what has been observed needs no fence, see last.go
			if !y.sameThread(a, a) || y.g.Reaches(a.Stmt, a.Stmt, nil) {
				return false
			}
			found = true
			continue
		}
		// A consumer that reads volatile data behind the flag without a fence is judged
		// leniently by policy; plain data needs the acquire.
		if (y.Strict || !b.Volatile && b.Order == ir.Weak) && !y.acquires(w.on, b, scope) {
			return false
		}
		published := y.publishes(a, write, scope) || kind != transitive && y.publishesByRounds(a, write, w, b, kind, scope)
		switch {
		case published && y.sameThread(a, write), y.passesOn(a, write, scope, progress):
			found = true
		case kind == transitive, published && !y.addressed(a, write, w, b, kind):
			return false
		case published:
			found = true
		default:
			others = append(others, write)
		}
	}
	return found && (len(others) == 0 || y.allElsewhere(others, a, w, w.on.Off, b, kind))
}

// publishes reports whether a comes before a flag's write in the code of one thread, with a fence between.
func (y *Sync) publishes(a, write *access.Access, scope race.Scope) bool {
	return a.Stmt != write.Stmt && y.g.Reaches(a.Stmt, write.Stmt, nil) && !y.g.Reaches(write.Stmt, a.Stmt, nil) && y.releases(a, write, scope)
}

// passesOn reports whether the thread that writes a flag has itself waited for a, with a fence between.
func (y *Sync) passesOn(a, write *access.Access, scope race.Scope, progress map[*access.Access]bool) bool {
	progress[write] = true
	defer delete(progress, write)
	for _, w := range y.waits(write.When) {
		if w.on.Stmt == write.Stmt || !y.releases(w.on, write, scope) {
			continue
		}
		if y.handsOver(a, w, write, transitive, progress) {
			return true
		}
	}
	return false
}

// addressed reports whether the thread that sets the flag which b waits for is the one that has
// made a, given that a and b touch one place.
func (y *Sync) addressed(a, write *access.Access, w wait, b *access.Access, kind race.Kind) bool {
	if len(a.Loops) > 0 && !inOneLoop(a, write) || y.anotherFlag(a, write, w, b) {
		return false
	}
	s := y.settingFor(a, write, w, w.on.Off, b, kind)
	if s == nil {
		return false
	}
	return y.impossible(append(slices.Clone(s.conds), y.differ(s.one, s.three, y.s.BlockIdx, y.s.ThreadIdx))...) ||
		y.noneApart(s.conds, a, write, s.one, s.three, race.InterBlock, race.IntraBlock, race.IntraWarp)
}

// anotherFlag reports whether a thread never sets the flag of the place that it has touched itself: data and flags lie as
// far apart for each thread, and not as far where they are read. This saves most questions of trees that sum up.
func (y *Sync) anotherFlag(a, write *access.Access, w wait, b *access.Access) bool {
	set, ofThread := y.t.Sub(a.Off, write.Off).IsConst()
	read, ofOther := y.t.Sub(b.Off, w.on.Off).IsConst()
	return ofThread && ofOther && set != read
}

// initially reports whether the value before any write may end the wait. Device variables
// start as written or at 0; what a pointer parameter points to is assumed to start at 0.
func (y *Sync) initially(w wait) bool {
	if value, ok := y.prepared(w.on); ok {
		return !y.impossible(y.t.SubstituteCond(w.when, w.atom, y.t.Const(value)))
	}
	value, ok := y.initial(w.on)
	if !ok || !y.impossible(y.t.SubstituteCond(w.when, w.atom, y.t.Const(value))) {
		return true
	}
	y.s.Assumes[startsAtZero] = true
	return false
}

// prepared is what the first thread of each block has put, a barrier before, where an access reads shared
// memory.
func (y *Sync) prepared(a *access.Access) (value int64, ok bool) {
	if !ofBlock(a) || a.Base.Object == nil {
		return 0, false
	}
	for _, w := range y.writes {
		if w.Base != a.Base || !w.Off.Equal(a.Off) || w.Off.Variance() == term.Thread || w.Size != a.Size || w.Kind != race.Write || len(w.Loops) > 0 {
			continue
		}
		found := y.s.Finds(a, w)
		if found == nil {
			continue
		}
		value, isConst := found.IsConst()
		if isConst && y.g.Reaches(w.Stmt, a.Stmt, nil) && !y.g.Reaches(a.Stmt, w.Stmt, nil) && y.firstComes(w, nil) && y.apartByBarriers(w, a) {
			return value, true
		}
	}
	return 0, false
}

// firstComes reports whether the first thread of a block comes to an access whatever else happens where conditions hold.
func (y *Sync) firstComes(a *access.Access, when []*term.Cond) bool {
	given := append(slices.Clone(when), y.s.Given...)
	for _, c := range y.asFirst(a.When) {
		if !slices.Contains(y.s.Given, c) && !y.impossible(append(slices.Clone(given), y.t.Not(c))...) {
			return false
		}
	}
	return true
}

// startsAtZero is the assumption that each launch finds flags and counters as the first one does.
const startsAtZero = "flags and counters start at zero, or as they are initialized"

// initial is the value that memory holds where an access reads it before any write. Nothing is known of
// shared memory, nor of what an earlier launch has left, unless the kernel sets it back itself.
func (y *Sync) initial(a *access.Access) (value int64, ok bool) {
	value, ok = declared(a)
	return value, ok && y.s.Launch.StartsFresh(a.Base, a.Off, y.setsBack(a, value))
}

// setsBack reports whether a kernel has a write that puts back what a place holds at the start.
func (y *Sync) setsBack(a *access.Access, value int64) bool {
	return slices.ContainsFunc(y.writes, func(w *access.Access) bool {
		if !y.mayMeet(w, a) || w.Value == nil {
			return false
		}
		if op, ok := w.Stmt.(*ir.Atomic); ok && op.Op == ir.AtomicInc {
			return value == 0 && w.Value.Equal(y.t.Offset(y.sharing(w), -1)) // wraps around
		}
		v, isConst := w.Value.IsConst()
		op, atomic := w.Stmt.(*ir.Atomic)
		return isConst && v == value && (!atomic || op.Op == ir.AtomicExch)
	})
}

// declared is the value that memory starts with by its declaration, or 0.
func declared(a *access.Access) (value int64, ok bool) {
	if a.Base.Space == ir.Shared {
		return 0, false
	}
	if a.Base.Object == nil || len(a.Base.Object.Init) == 0 {
		return 0, true
	}
	at, ok := a.Off.IsConst()
	init := a.Base.Object.Init
	if !ok || at < 0 || a.Size > 8 {
		return 0, false
	}
	for i := a.Size - 1; i >= 0; i-- {
		value <<= 8
		if at+i < int64(len(init)) {
			value |= int64(init[at+i])
		}
	}
	return a.Type().Cut(value), true
}

// endKey is a question whether a write can end a wait.
type endKey struct {
	write *access.Access
	w     wait
}

// canEnd reports whether a write may store a value that ends the wait.
func (y *Sync) canEnd(write *access.Access, w wait) bool {
	k := endKey{write, w}
	yes, known := y.ends[k]
	if !known {
		yes = y.mayEnd(write, w)
		y.ends[k] = yes
	}
	return yes
}

func (y *Sync) mayEnd(write *access.Access, w wait) bool {
	value := y.s.Finds(w.on, write)
	if at, ok := write.Stmt.(*ir.Atomic); ok {
		if Reads(write) { // the value stays what another write made it
			return false
		}
		if at.Op != ir.AtomicExch && at.Op != ir.AtomicCAS {
			return true
		}
	}
	if value == nil || write.Size != w.on.Size {
		return true
	}
	other := y.t.Rename(2, func(a *term.Atom) bool { return a.Variance == term.Grid && a.Loops == 0 }, nil)
	conds := append(renameAll(other, write.When), y.t.SubstituteCond(w.when, w.atom, other.Poly(value)))
	return !y.impossible(conds...)
}

// own reports whether a write is one that the waiting thread makes only afterwards.
func (y *Sync) own(write *access.Access, w wait) bool {
	return !y.g.Reaches(write.Stmt, w.on.Stmt, nil) && y.sameThread(write, w.on)
}
