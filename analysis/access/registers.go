package access

import "github.com/warplint/warplint/analysis/ir"

// This file holds the values of registers. A path forks at each branch and sets few registers before it joins
// the other again, so paths share them, some at a time, until one of them sets one.

const perPiece = 16

type registerPiece [perPiece]Value

// registers are values by the registers' numbers.
type registers struct {
	pieces []*registerPiece
	own    []bool // which pieces nobody else has
}

var unset registerPiece

func newRegisters(n int) registers {
	r := registers{pieces: make([]*registerPiece, (n+perPiece-1)/perPiece)}
	for i := range r.pieces {
		r.pieces[i] = &unset
	}
	r.own = make([]bool, len(r.pieces))
	return r
}

// fork returns a copy.
func (r *registers) fork() registers {
	clear(r.own)
	return registers{pieces: append([]*registerPiece(nil), r.pieces...), own: make([]bool, len(r.pieces))}
}

func (r *registers) of(reg *ir.Reg) Value { return r.pieces[reg.ID/perPiece][reg.ID%perPiece] }

func (r *registers) set(reg *ir.Reg, v Value) { r.put(reg.ID, v) }

func (r *registers) put(id int, v Value) {
	at := id / perPiece
	if !r.own[at] {
		c := *r.pieces[at]
		r.pieces[at], r.own[at] = &c, true
	}
	r.pieces[at][id%perPiece] = v
}

// each calls f for all registers that were ever set.
func (r *registers) each(f func(id int, v Value)) {
	for i, p := range r.pieces {
		if p == &unset {
			continue
		}
		for j, v := range p {
			if v != (Value{}) {
				f(i*perPiece+j, v)
			}
		}
	}
}

// others calls f for the registers whose values differ from those of another path, with both.
func (r *registers) others(than *registers, f func(id int, v, w Value)) {
	for i, p := range r.pieces {
		q := than.pieces[i]
		if p == q {
			continue
		}
		for j, v := range p {
			if w := q[j]; v != w {
				f(i*perPiece+j, v, w)
			}
		}
	}
}

// hold reports whether some register points to memory.
func (r *registers) hold(b *Base) (found bool) {
	r.each(func(_ int, v Value) { found = found || v.Base == b })
	return found
}
