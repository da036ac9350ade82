package meet

import (
	"math/bits"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

// This file reads which lanes of a mask a number has.
//
// DESIGN. The lanes below one's own are written in many ways: `m & ((1u << lane) - 1)`, `m & ~(~0u << lane)`,
// `m << (32 - lane)`. They are all made of one mask and the number of the lane, and take each bit of the mask
// by itself; so which bits count is worked out for each lane.

// lanes says which lanes of a mask count for a thread, by where its own lane is.
type lanes uint8

const (
	otherLanes lanes = iota
	lanesBelow
	lanesUpTo
	lanesAbove
	lanesFrom
)

// has reports whether a lane counts for the thread of another.
func (l lanes) has(lane, own int) bool {
	return l == lanesBelow && lane < own || l == lanesUpTo && lane <= own || l == lanesAbove && lane > own || l == lanesFrom && lane >= own
}

// counts says of which lanes of which mask a number is how many there are.
func (c *checker) counts(a *term.Atom) (mask *term.Atom, which lanes) {
	if a == nil || a.Kind != term.Func || a.Name != "__popc" {
		return nil, otherLanes
	}
	return c.lanesOf(a.Args[0])
}

// belowIn is the mask of which a number has the lanes below the thread's own, nil for other numbers.
func (c *checker) belowIn(a *term.Atom) *term.Atom {
	if mask, which := c.lanesOf(c.t.Poly(a)); which == lanesBelow {
		return mask
	}
	return nil
}

// lanesOf says which lanes of which mask a number has. The bits may stand elsewhere in it.
func (c *checker) lanesOf(p *term.Poly) (mask *term.Atom, which lanes) {
	own := c.s.Lane().IsAtom()
	if mask = bitwise(p); own == nil || mask == nil {
		return nil, otherLanes
	}
	if found, ok := madeOf(p, own); !ok || found != mask {
		return nil, otherLanes
	}
	candidates := []lanes{lanesBelow, lanesUpTo, lanesAbove, lanesFrom}
	for lane := range race.WarpSize {
		for bit := range race.WarpSize {
			var leaf func(a *term.Atom) (int64, bool)
			leaf = func(a *term.Atom) (int64, bool) {
				switch {
				case a == mask:
					return 1 << bit, true
				case a == own, a == c.s.ThreadIdx[0].IsAtom():
					return int64(lane), true
				case len(a.Args) > 0:
					return operation(a, leaf)
				case a == c.s.ThreadIdx[1].IsAtom(), a == c.s.ThreadIdx[2].IsAtom():
					return 0, true
				}
				return 1, true // of the block's dimensions, by which nothing is multiplied
			}
			v, ok := p.Value(leaf)
			if !ok || bits.OnesCount32(uint32(v)) > 1 {
				return nil, otherLanes
			}
			var left []lanes
			for _, l := range candidates {
				if l.has(bit, lane) == (uint32(v) != 0) {
					left = append(left, l)
				}
			}
			candidates = left
		}
	}
	if len(candidates) != 1 {
		return nil, otherLanes
	}
	return mask, candidates[0]
}

// operation computes an operation on words; what is shifted out of one is gone.
func operation(a *term.Atom, leaf func(*term.Atom) (int64, bool)) (int64, bool) {
	if a.Name != ir.Shl.String() || a.Hi > 1<<32-1 {
		return a.Operation(leaf)
	}
	x, ok1 := a.Args[0].Value(leaf)
	y, ok2 := a.Args[1].Value(leaf)
	v := int64(uint32(x << (y & 63)))
	if v > a.Hi {
		v -= 1 << 32
	}
	return v, ok1 && ok2 && y >= 0 && y < 32
}

// bitwise is the mask of which a number is made so that each bit counts by itself, nil for other numbers.
func bitwise(p *term.Poly) *term.Atom {
	a := p.IsAtom()
	for a != nil && a.Kind == term.Wrap {
		a = a.Args[0].IsAtom()
	}
	if a == nil || len(a.Args) != 2 {
		return nil
	}
	one, two := a.Args[0].IsAtom(), a.Args[1].IsAtom()
	switch {
	case a.Kind == term.Div, a.Kind == term.Func && (a.Name == ir.Shl.String() || a.Name == ir.Shr.String()):
		two = nil
	case a.Kind == term.Func && a.Name == ir.And.String():
	default:
		return nil
	}
	switch {
	case one != nil && namesLanes(one) && !mentionsMask(a.Args[1]):
		return one
	case two != nil && namesLanes(two) && !mentionsMask(a.Args[0]):
		return two
	}
	return nil
}

// namesLanes reports whether a value is a mask of lanes that have voted, or that have brought the same.
func namesLanes(a *term.Atom) bool { return isMask(a) || isMatch(a) }

func mentionsMask(p *term.Poly) bool {
	found := false
	p.AllLeaves(func(a *term.Atom) { found = found || namesLanes(a) })
	return found
}

// madeOf reports whether a number is made of a mask and the number of the thread's lane only.
func madeOf(p *term.Poly, lane *term.Atom) (mask *term.Atom, ok bool) {
	for _, t := range p.Terms() {
		for _, a := range t.Mono.Atoms {
			switch {
			case a == lane:
			case namesLanes(a):
				if mask != nil && mask != a {
					return nil, false
				}
				mask = a
			case len(a.Args) == 0 || a.If != nil:
				return nil, false
			default:
				for _, arg := range a.Args {
					found, ok := madeOf(arg, lane)
					if !ok || found != nil && mask != nil && found != mask {
						return nil, false
					}
					if found != nil {
						mask = found
					}
				}
			}
		}
	}
	return mask, true
}
