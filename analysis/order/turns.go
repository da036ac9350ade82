package order

import (
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
		if !y.mayMeet(w, mine.on) || reads(w) {
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
		if seen.when.Op != term.EqZero || seen.on.Base != w.Base || seen.on.Size != w.Size || !seen.on.Off.Equal(w.Off) || seen.on.Stmt == w.Stmt {
			return turn{}, false
		}
		for _, number := range []*term.Poly{y.t.Sub(y.t.Poly(seen.atom), seen.when.P), y.t.Add(y.t.Poly(seen.atom), seen.when.P)} {
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
