package order

import (
	"slices"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

// This file recognises turns: each thread, or block, waits until a place holds a number of its own, and
// when it is done writes there whose turn is next:
//
//	while (volatile turn != mine) { } __threadfence(); … __threadfence(); turn = mine + 1;
//
// as ticket locks do, and blocks that add to one tile one after the other. If no two threads wait for one
// number, only one of them goes on, whatever the place holds; and if nobody else writes to the place, it
// goes on holding the number until that one writes. So turns exclude each other as a lock does.

// turn is a wait for a number.
type turn struct {
	wait
	number *term.Poly
	until  ir.Stmt // what is passed again before the next turn
	told   bool    // one thread waits, and tells its block behind a barrier
}

// turnKey is a question whether waits for a number are turns.
type turnKey struct {
	on     *access.Access
	number string
}

// isTurn reports whether a wait for a number is one for a turn.
func (y *Sync) isTurn(w wait, number *term.Poly) bool {
	if w.on.Size > 8 || number.MadeOf(w.atom) {
		return false
	}
	k := turnKey{w.on, number.Key()}
	yes, known := y.turns[k]
	if !known {
		y.turns[k] = false
		yes = y.takesTurns(turn{wait: w, number: number})
		y.turns[k] = yes
	}
	return yes
}

func (y *Sync) takesTurns(mine turn) bool {
	all := []turn{mine}
	var writes []*access.Access
	for _, w := range y.writes {
		if !y.mayMeet(w, mine.on) || Reads(w) {
			continue
		}
		t, ok := y.turnBefore(w)
		if !ok || !y.strong(w) || !y.oneOfBlock(w, w) && (t.told || !y.drawn(t)) {
			return false
		}
		for _, other := range append(writes, w) {
			if y.twiceInATurn(w, other, t) || !y.oneOfBlock(w, other) && (t.told || !y.drawn(t)) {
				return false
			}
		}
		writes, all = append(writes, w), append(all, t)
	}
	for i, t := range all {
		for _, u := range all[i:] {
			if !y.differentTurns(t, u) {
				return false
			}
		}
	}
	return len(writes) > 0
}

// drawn reports whether the number of a turn is a ticket that threads of a block have drawn.
func (y *Sync) drawn(t turn) bool {
	if y.Draws == nil {
		return false
	}
	one, two := y.threads(race.IntraBlock)
	return len(y.Draws(y.waiting(t), y.waiting(t), race.IntraBlock, one, two)) > 0
}

// twiceInATurn reports whether both of two writes may be made in one turn.
func (y *Sync) twiceInATurn(w, other *access.Access, t turn) bool {
	until := func(s ir.Stmt) bool { return s == t.until }
	return y.g.Reaches(w.Stmt, other.Stmt, until) || y.g.Reaches(other.Stmt, w.Stmt, until)
}

// turnBefore is the turn in which somebody writes.
func (y *Sync) turnBefore(w *access.Access) (turn, bool) {
	find := func(seen wait, until ir.Stmt, told bool) (turn, bool) {
		seen = y.forOneNumber(seen)
		if seen.when.Op != term.EqZero || seen.on.Base != w.Base || seen.on.Size != w.Size || !seen.on.Off.Equal(w.Off) || seen.on.Stmt == w.Stmt {
			return turn{}, false
		}
		for _, number := range y.compared(seen) {
			if !number.MadeOf(seen.atom) {
				return turn{seen, number, until, told}, true
			}
		}
		return turn{}, false
	}
	for _, seen := range y.waits(y.settled(w)) {
		if t, ok := find(seen, seen.on.Stmt, false); ok {
			return t, true
		}
	}
	for _, seen := range y.toldTo(w.Stmt) {
		if t, ok := find(seen.wait, seen.at.Stmt, true); ok {
			return t, true
		}
	}
	return turn{}, false
}

// forOneNumber is a wait until a place holds another number than one as a wait for the only other that it may hold: where all
// writes are of 0 and 1, who waits until it is not 0 waits for 1.
func (y *Sync) forOneNumber(w wait) wait {
	if w.when.Op != term.NeZero {
		return w
	}
	for _, value := range y.compared(w) {
		if not, isConst := value.IsConst(); isConst {
			if number, ok := y.onlyOther(w.on, not); ok {
				y.s.Assumes[startsAtZero] = true
				w.when = y.t.Eq(y.t.Poly(w.atom), y.t.Const(number))
			}
			return w
		}
	}
	return w
}

// onlyOther is the only number but one that a place may hold, from the start or by a write.
func (y *Sync) onlyOther(on *access.Access, not int64) (number int64, ok bool) {
	first, known := y.initial(on)
	if !known {
		return 0, false
	}
	holds := []int64{first}
	for _, w := range y.writes {
		if !y.mayMeet(w, on) {
			continue
		}
		if at, atomic := w.Stmt.(*ir.Atomic); atomic && at.Op != ir.AtomicExch || w.Size != on.Size {
			return 0, false
		}
		value := y.s.Finds(on, w)
		if value == nil {
			return 0, false
		}
		x, isConst := value.IsConst()
		if !isConst {
			return 0, false
		}
		holds = append(holds, x)
	}
	slices.Sort(holds)
	holds = slices.DeleteFunc(slices.Compact(holds), func(x int64) bool { return x == not })
	if len(holds) != 1 {
		return 0, false
	}
	return holds[0], true
}

// differentTurns reports whether two threads never wait for one number at one place.
func (y *Sync) differentTurns(t, u turn) bool {
	if t.on.Base != u.on.Base || t.on.Type() != u.on.Type() {
		return false
	}
	for _, kind := range []race.Kind{race.InterBlock, race.IntraBlock, race.IntraWarp} {
		one, two := y.threads(kind)
		apart := y.t.Sub(one.Poly(t.on.Off), two.Poly(u.on.Off))
		if !aligned(apart, t.on, u.on) {
			return false
		}
		conds := append(renameAll(one, t.on.When), renameAll(two, u.on.When)...)
		conds = append(conds, y.t.Eq(apart, y.t.Const(0)), y.t.Eq(one.Poly(t.number), two.Poly(u.number)))
		if kind == race.InterBlock {
			conds = append(conds, y.differ(one, two, y.s.BlockIdx))
		} else {
			conds = append(conds, y.differ(one, two, y.s.ThreadIdx))
		}
		if y.Draws != nil {
			conds = append(conds, y.Draws(y.waiting(t), y.waiting(u), kind, one, two)...)
		}
		if !y.impossible(conds...) {
			return false
		}
	}
	return true
}

// waiting is the read of a turn with the number that it waits for among its conditions.
func (y *Sync) waiting(t turn) *access.Access {
	a := *t.on
	a.When = append(append([]*term.Cond(nil), a.When...), t.when)
	return &a
}
