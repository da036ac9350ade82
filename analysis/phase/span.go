package phase

import (
	"fmt"
	"slices"

	"github.com/warplint/warplint/analysis/ir"
)

// This file says where an operation may be under way. Most take place where they stand. An
// asynchronous copy begins where it stands and goes on, beside its thread, until the thread has
// waited for it (PTX ISA, "Asynchronous operations"): it may take place at any point between.

// Span is the stretch of a thread's way on which an operation may take place.
type Span struct {
	loops  []*ir.Loop // around the operation, outermost first
	points []point    // the first is where it begins
	// everywhere is set where the points would be too many to list.
	everywhere bool
}

// point is a place on the way of the thread while the operation is under way.
type point struct {
	n *node
	// late says for each loop around the operation how many rounds ago it began, up to tooLate,
	// unknown if the loop has been left since.
	late    []int8
	inner   []step // of the loops entered since
	arrived uint64 // the barriers that the operation ends with and at which its thread has arrived
}

const (
	unknown  = -1
	mostLate = 8
	tooLate  = mostLate + 1 // or more
	most     = 1 << 12      // points of a span
)

// Progress is how far a thread has come towards the end of an asynchronous operation.
type Progress struct {
	Commits int    // groups closed since it began, -1 if not even its own is
	Waits   int    // waits for the oldest group that are left
	Arrived uint64 // the barriers that end it and at which the thread has arrived
	Reading bool   // of what it copies; else it writes
}

// stretch is an asynchronous operation, and how it begins.
type stretch struct {
	stmt  ir.Stmt
	begin Progress
}

// At is the span of a statement that takes place where it stands.
func (g *Graph) At(s ir.Stmt) *Span {
	if x, ok := g.spans[s]; ok {
		return x
	}
	x := &Span{}
	if n := g.of[s]; n != nil {
		x.loops = g.loopsAround()[n]
		x.points = []point{{n: n, late: make([]int8, len(x.loops))}}
	}
	g.spans[s] = x
	return x
}

// Endless is the span of an operation of whose end nothing is known. To list its points would be of no use.
func (g *Graph) Endless(s ir.Stmt) *Span {
	key := stretch{s, Progress{Commits: -2}}
	if g.later[key] == nil {
		at := g.At(s)
		g.later[key] = &Span{loops: at.loops, points: at.points, everywhere: true}
	}
	return g.later[key]
}

// Until is the span of an operation that its thread ends later: pass says what becomes of its
// progress at a statement, and whether the operation has ended there.
func (g *Graph) Until(s ir.Stmt, begin Progress, pass func(Progress, ir.Stmt) (next Progress, ended bool)) *Span {
	if x, ok := g.later[stretch{s, begin}]; ok {
		return x
	}
	at := g.At(s)
	x := &Span{loops: at.loops}
	g.later[stretch{s, begin}] = x
	if len(at.points) == 0 {
		return x
	}
	first := at.points[0]
	first.arrived = begin.Arrived
	x.points = []point{first}
	type item struct {
		point
		progress Progress
	}
	var queue []item
	seen := map[string]bool{}
	push := func(from point, progress Progress) {
		from.arrived = progress.Arrived
		for _, n := range from.n.succ {
			from.n = n
			key := fmt.Sprint(n.id, from.late, from.rounds(), progress)
			if !seen[key] {
				seen[key] = true
				queue = append(queue, item{from, progress})
			}
		}
	}
	push(first, begin)
	for len(queue) > 0 && !x.everywhere {
		it := queue[0]
		queue = queue[1:]
		if it.n.kind == eventNode {
			x.points = append(x.points, it.point)
			next, ended := pass(it.progress, it.n.stmt)
			if ended {
				continue
			}
			it.progress = next
		}
		push(x.after(it.point), it.progress)
		x.everywhere = len(seen) > most
	}
	return x
}

// rounds are those of the loops entered since, as numbers.
func (p point) rounds() []uint8 {
	out := make([]uint8, len(p.inner))
	for i, s := range p.inner {
		out[i] = s.n
	}
	return out
}

// after is a point as it is behind its node.
func (x *Span) after(p point) point {
	if top := len(p.inner) - 1; p.n.kind == enterNode || top >= 0 && p.inner[top].loop == p.n.loop {
		p.inner = place{steps: p.inner}.through(p.n).steps
		return p
	}
	if p.n.kind != backNode && p.n.kind != exitNode {
		return p
	}
	out := append([]int8(nil), p.late...)
	for i, l := range x.loops {
		switch {
		case l != p.n.loop || out[i] == unknown:
		case p.n.kind == exitNode:
			out[i] = unknown
		default:
			out[i] = min(out[i]+1, tooLate)
		}
	}
	p.late = out
	return p
}

// Later returns the ways in which the thread itself comes to a statement while the operation is
// under way.
func (x *Span) Later(g *Graph, s ir.Stmt) []Mode {
	if x.everywhere {
		return []Mode{{}}
	}
	var modes []Mode
	for _, p := range x.points[min(1, len(x.points)):] {
		if p.n != g.of[s] {
			continue
		}
		var m Mode
		for i, l := range x.loops {
			if p.late[i] != unknown {
				m.Loops = append(m.Loops, Relation{Loop: l, Tied: true, Delta: int(p.late[i]), More: p.late[i] == tooLate, First: -1, Second: -1})
			}
		}
		for _, s := range p.inner {
			if s.n != many && !slices.Contains(x.loops, s.loop) {
				m.Loops = append(m.Loops, Relation{Loop: s.loop, First: -1, Second: int(s.n)})
			}
		}
		modes = addMode(modes, m)
	}
	return modes
}

// together is which arrivals count as made where two operations are under way. What a barrier
// ends is over for all who wait behind its thread's arrival, not only for the thread.
func together(x, y uint64) uint64 {
	if x == 0 || y == 0 {
		return x | y
	}
	return x & y
}

// late is how many rounds of a loop ago the operation began, where its thread is at a point, if that is
// known exactly.
func (x *Span) late(at *point, l *ir.Loop) (rounds int, known bool) {
	for i, of := range x.loops {
		if of == l {
			return int(at.late[i]), at.late[i] != unknown && at.late[i] != tooLate
		}
	}
	return 0, false
}

// round is in which round of a loop that was entered since the operation began its thread is at a point, if
// that is known.
func (p *point) round(l *ir.Loop) (int, bool) {
	for _, s := range p.inner {
		if s.loop == l && s.n != many {
			return int(s.n), true
		}
	}
	return 0, false
}

// fits reports whether a way to stand at a point's node goes round the loops that were entered since the
// operation began as often as the point says.
func (p *point) fits(at place) bool {
	for _, s := range p.inner {
		for _, of := range at.steps {
			switch {
			case of.loop != s.loop:
			case of.rel && of.n > s.n, !of.rel && of.n != s.n:
				return false // a phase that began in the loop cannot have gone round more often
			}
		}
	}
	return true
}

// back turns the relation between two points into one between the beginnings of the two
// operations. It returns false if there is no such iteration.
func (x *Span) back(at *point, y *Span, bt *point, m Mode) (Mode, bool) {
	if len(x.points) == 1 && len(y.points) == 1 {
		return m, true
	}
	var out Mode
	for _, r := range m.Loops {
		one, known := x.late(at, r.Loop)
		two, known2 := y.late(bt, r.Loop)
		if r.Tied && r.First < 0 && r.Second < 0 {
			if n, ok := at.round(r.Loop); ok && !known {
				r.Second = n + r.Delta
			} else if n, ok := bt.round(r.Loop); ok && !known2 {
				r.First = n - r.Delta
			}
			if r.First < -1 || r.Second < -1 {
				return out, false
			}
		}
		if !known {
			r.First = -1
		}
		if !known2 {
			r.Second = -1
		}
		if r.First >= 0 {
			if r.First -= one; r.First < 0 {
				return out, false
			}
		}
		if r.Second >= 0 {
			if r.Second -= two; r.Second < 0 {
				return out, false
			}
		}
		if r.Tied = r.Tied && known && known2; r.Tied {
			r.Delta += one - two
			if r.Delta != 0 && (r.First >= 0 || r.Second >= 0) {
				r.Tied, r.Delta = false, 0
			}
		}
		if r.Tied || r.First >= 0 || r.Second >= 0 {
			out.Loops = append(out.Loops, r)
		}
	}
	return out, true
}
