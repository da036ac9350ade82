package phase

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/ir"
)

// This file says where an operation may be under way. Most take place where they stand. An
// asynchronous copy begins where it stands and goes on, beside its thread, until the thread has
// waited for it (PTX ISA, "Asynchronous operations"): it may take place at any point between.

// Span is the stretch of a thread's way on which an operation may take place.
type Span struct {
	loops  []*ir.Loop // around the operation, outermost first
	points []point    // the first is where it begins
	// most is the number of rounds of a loop entered since that means "or more".
	most uint8
	// everywhere is set where the points would be too many to list.
	everywhere bool
	crowded    []*crowd // see crowds; made when first asked
	quiet      map[*ir.Loop]bool
}

// point is a place on the way of the thread while the operation is under way.
type point struct {
	n *node
	// late says for each loop around the operation how many rounds ago it began, up to tooLate,
	// unknown if the loop has been left since.
	late    []int8
	ended   []int8 // for each loop that its condition has ended since, how many rounds later that was, up to tooLate; else 0
	inner   []step // of the loops entered since
	left    []step // of the loops entered and left since
	arrived uint64 // the barriers that the operation ends with and at which its thread has arrived
	behind  *node  // the last barrier of the block that its thread has passed since, see Graph.Cuts
}

const (
	unknown  = -1
	mostLate = 8
	tooLate  = mostLate + 1 // or more
	mostSeen = 1 << 12      // points of a span
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
		x.points = []point{{n: n, late: make([]int8, len(x.loops)), ended: make([]int8, len(x.loops))}}
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
	// A copy of a prologue ends in a round of its own; where that makes too many points, rounds are told apart no further
	// than in a phase.
	x := g.until(s, begin, pass, tooLate)
	if x.everywhere {
		x = g.until(s, begin, pass, many)
	}
	g.later[stretch{s, begin}] = x
	return x
}

func (g *Graph) until(s ir.Stmt, begin Progress, pass func(Progress, ir.Stmt) (next Progress, ended bool), most uint8) *Span {
	at := g.At(s)
	x := &Span{loops: at.loops, most: most}
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
	var key []byte
	push := func(from point, progress Progress) {
		from.arrived = progress.Arrived
		for _, n := range from.n.succ {
			from.n = n
			key = from.write(key[:0], progress)
			if !seen[string(key)] {
				seen[string(key)] = true
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
		next := x.after(it.point)
		if it.n.kind == eventNode && g.Cuts != nil && g.Cuts(it.n.stmt) {
			next.behind = it.n
		}
		push(next, it.progress)
		x.everywhere = len(seen) > mostSeen
	}
	return x
}

func (n *node) number() int {
	if n == nil {
		return -1
	}
	return n.id
}

// write adds a text to a key that tells points with their progress apart.
func (p *point) write(key []byte, at Progress) []byte {
	for _, n := range [...]int{p.n.id, p.behind.number(), at.Commits, at.Waits, len(p.inner), len(p.left)} {
		key = binary.AppendVarint(key, int64(n))
	}
	key = binary.AppendUvarint(key, at.Arrived)
	key = append(key, 0)
	if at.Reading {
		key[len(key)-1] = 1
	}
	for _, rounds := range [...][]int8{p.late, p.ended} { // as long in all points of a span
		for _, n := range rounds {
			key = append(key, byte(n))
		}
	}
	for _, steps := range [...][]step{p.inner, p.left} {
		for _, s := range steps {
			key = append(key, s.n)
		}
	}
	return key
}

// after is a point as it is behind its node.
func (x *Span) after(p point) point {
	if top := len(p.inner) - 1; p.n.kind == enterNode || top >= 0 && p.inner[top].loop == p.n.loop {
		p.left = slices.DeleteFunc(slices.Clone(p.left), func(s step) bool { return s.loop == p.n.loop })
		if p.n.kind == exitNode && x.most != many && !x.isQuiet(p.n.loop) { // no phase begins in those
			p.left = append(p.left, p.inner[top])
		}
		p.inner = place{steps: p.inner}.counting(p.n, x.most).steps
		if top := len(p.inner) - 1; p.n.kind == backNode && p.inner[top].n >= many && x.isQuiet(p.n.loop) {
			p.inner[top].n = x.most
		}
		return p
	}
	if p.n.kind != backNode && p.n.kind != exitNode {
		return p
	}
	out, ended := slices.Clone(p.late), slices.Clone(p.ended)
	for i, l := range x.loops {
		switch {
		case l != p.n.loop || out[i] == unknown:
		case p.n.kind == exitNode:
			if p.n.test && !x.isQuiet(l) {
				ended[i] = out[i]
			}
			out[i] = unknown
		default:
			out[i] = min(out[i]+1, tooLate)
		}
	}
	p.late, p.ended = out, ended
	return p
}

// isQuiet reports whether a loop only computes, reads, writes and copies: nothing ends in it or waits, so that its later
// rounds need not be told apart. Those of the nests of a matrix product would be too many.
func (x *Span) isQuiet(l *ir.Loop) bool {
	is, known := x.quiet[l]
	if !known {
		is = true
		ir.WalkStmts(l.Body, func(s ir.Stmt) bool {
			switch s := s.(type) {
			case *ir.Assign, *ir.Load, *ir.Store, *ir.If, *ir.Loop, *ir.Block, *ir.Break, *ir.Continue, *ir.Assume:
			case *ir.Named:
				is = is && (ir.Copies(s) || strings.HasPrefix(s.Op, "matrix."))
			default:
				is = false
			}
			return is
		})
		if x.quiet == nil {
			x.quiet = map[*ir.Loop]bool{}
		}
		x.quiet[l] = is
	}
	return is
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
		x.sinceEnded(&p, &m, ofFirst)
		for _, s := range p.inner {
			if s.n != x.most && !slices.Contains(x.loops, s.loop) {
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
func (x *Span) round(p *point, l *ir.Loop) (int, bool) {
	for _, s := range p.inner {
		if s.loop == l && s.n != x.most {
			return int(s.n), true
		}
	}
	return 0, false
}

// tells is what a point where a thread stands says of the round in which another one is. How often a loop went round that
// it has left says in which round the phase began, if it began in that loop, and how long before the loop's end.
// It returns false if there is no such round.
func (x *Span) tells(p *point, own, other place, m Mode, side func(*Relation) (round, end *int)) (Mode, bool) {
	if len(x.points) == 1 {
		return m, true
	}
	for _, e := range own.ends {
		depth := len(e.around)
		if !e.last.rel || depth >= len(other.steps) || !slices.Equal(e.around, other.steps[:depth]) {
			continue
		}
		o := other.steps[depth]
		if !o.sameEntry(e.last) || o.n == many {
			continue
		}
		r := Relation{Loop: e.last.loop, First: -1, Second: -1}
		round, end := side(&r)
		if e.test {
			*end = int(e.last.n) - int(o.n)
		}
		for _, s := range p.left {
			if s.loop != r.Loop || s.n == x.most {
				continue
			}
			if *round = int(s.n) - int(e.last.n) + int(o.n); *round < 0 {
				return m, false
			}
		}
		m.Loops = append(slices.Clone(m.Loops), r)
	}
	return m, true
}

// sinceEnded adds how long before their ends an operation began in loops that its thread has left since.
func (x *Span) sinceEnded(at *point, m *Mode, side func(*Relation) (round, end *int)) {
	for i, l := range x.loops {
		if at.ended[i] == 0 || at.ended[i] == tooLate {
			continue
		}
		j := slices.IndexFunc(m.Loops, func(r Relation) bool { return r.Loop == l })
		if j < 0 {
			j = len(m.Loops)
			m.Loops = append(m.Loops, Relation{Loop: l, First: -1, Second: -1})
		}
		_, end := side(&m.Loops[j])
		*end = int(at.ended[i])
	}
}

func ofFirst(r *Relation) (round, end *int)  { return &r.First, &r.FirstEnd }
func ofSecond(r *Relation) (round, end *int) { return &r.Second, &r.SecondEnd }

// isIn reports whether a thread may stand at a point of an operation in a phase: the last barrier of the block that it has
// passed is where the phase began, be it before the operation or since.
func (p *Phases) isIn(x *Span, at *point, begin *node, phase map[*node][]place) bool {
	if begin.kind != entryNode && !(p.g.Cuts != nil && p.g.Cuts(begin.stmt)) {
		return true
	}
	if at.behind == nil {
		return len(phase[x.points[0].n]) > 0
	}
	return at.behind == begin || p.part(at.behind.stmt) != Whole
}

// fits reports whether a way to stand at a point's node goes round the loops that were entered since the
// operation began as often as the point says.
func (p *point) fits(at place) bool {
	for _, s := range p.inner {
		for _, of := range at.steps {
			switch {
			case of.loop != s.loop:
			case of.rel && of.n > s.n, !of.rel && of.n != min(s.n, many):
				return false // a phase that began in the loop cannot have gone round more often
			}
		}
	}
	return true
}

// back turns the relation between two points into one between the beginnings of the two
// operations, which lies in the room given. It returns false if there is no such iteration.
func (x *Span) back(at *point, y *Span, bt *point, m Mode, room []Relation) (Mode, bool) {
	if len(x.points) == 1 && len(y.points) == 1 {
		return m, true
	}
	out := Mode{Loops: room}
	for _, r := range m.Loops {
		one, known := x.late(at, r.Loop)
		two, known2 := y.late(bt, r.Loop)
		if r.Tied && r.First < 0 && r.Second < 0 {
			if n, ok := x.round(at, r.Loop); ok && !known {
				r.Second = n + r.Delta
			} else if n, ok := y.round(bt, r.Loop); ok && !known2 {
				r.First = n - r.Delta
			}
			if r.First < -1 || r.Second < -1 {
				return out, false
			}
		}
		if !known {
			r.First, r.FirstEnd = -1, 0
		} else if r.FirstEnd > 0 {
			r.FirstEnd += one
		}
		if !known2 {
			r.Second, r.SecondEnd = -1, 0
		} else if r.SecondEnd > 0 {
			r.SecondEnd += two
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
		if r.Tied || r.First >= 0 || r.Second >= 0 || r.FirstEnd > 0 || r.SecondEnd > 0 {
			out.Loops = append(out.Loops, r)
		}
	}
	x.sinceEnded(at, &out, ofFirst)
	y.sinceEnded(bt, &out, ofSecond)
	return out, true
}
