package phase

import (
	"slices"

	"github.com/warplint/warplint/analysis/ir"
)

// This file finds where two threads of a block may stand at the same time. A phase begins at
// the kernel's entry or behind a barrier and goes on until the next barriers. Two accesses
// meet if one phase holds both; the loops around them then say how the iterations of the two
// threads are related.
//
// A barrier in two halves orders what stands before a thread's arrival and what stands behind
// another's wait for it, and nothing between the halves. So a phase that begins somewhere goes
// on until it has passed an arrival and then the wait of one barrier: two accesses are ordered
// exactly if such a pair stands between them. Phases begin behind each half.

// Part is what a statement does for a barrier at which the threads of a group meet. Arrive and
// Wait together are a whole barrier.
type Part struct {
	Arrive, Wait bool
	Barrier      int // tells barriers in halves apart; below 64
}

// Whole is the part of a statement that is a barrier by itself.
var Whole = Part{Arrive: true, Wait: true}

func (p Part) bit() uint64 { return 1 << p.Barrier }

// Relation ties the iteration of a loop in one thread to that in the other.
type Relation struct {
	Loop *ir.Loop
	// Tied is set if both threads are in one dynamic loop: the second's iteration is the
	// first's plus Delta, or More. Otherwise First and Second are the iterations' numbers, or -1 if free.
	Tied, More    bool
	Delta         int
	First, Second int
	// FirstEnd and SecondEnd say, if not 0, how many rounds later the loop's condition ended it.
	FirstEnd, SecondEnd int
}

// Mode is one way in which two accesses meet. Loops without a Relation are independent.
type Mode struct {
	Loops []Relation
	Left  []Left
}

// step is where a path stands in a loop: so many rounds after the phase's beginning (rel) or
// after the loop's entry. Two rounds or more are "many".
type step struct {
	loop *ir.Loop
	rel  bool
	n    uint8
}

const many = 2

type place struct {
	steps   []step
	arrived uint64 // the barriers at which the path has arrived and not waited since
	ends    []end
}

// end says how often a path went round a loop, before it left the loop for good in this phase. All
// threads of the group go round as often, so it tells of the others as well.
type end struct {
	around []step // of the loops around
	last   step
	test   bool // the loop's condition ended it, not a break
}

// mostEnds bounds the ends that a path remembers.
const mostEnds = 4

// Phases answers which accesses meet, for one set of barriers.
type Phases struct {
	g    *Graph
	part func(ir.Stmt) Part
	// alike says of a loop that all threads of the group which enter it together go round as often.
	alike func(*ir.Loop) bool
	// Leave is set where some threads of the group may return while others go on to a barrier. The barrier does
	// not wait for them, and does not order what they have done since the last one before anything.
	Leave  bool
	begin  []*node                        // see begins; made when first asked
	cut    map[*ir.Loop]bool              // loops with barriers in them; made when first asked
	at     map[uint64][]map[*node][]place // for each phase, the ways to stand at a node
	modes  map[[2]*Span][]Mode
	firsts map[*Span]*Span // see first
	// ending keeps the answers of ends.
	ending map[inLoop]bool
}

type inLoop struct {
	n *node
	l *ir.Loop
}

// NewPhases cuts the graph at the barriers that part names. Alike says of a loop that all threads which
// meet at the barriers and enter it together go round as often; nil if that is not known of any.
func NewPhases(g *Graph, part func(ir.Stmt) Part, alike func(*ir.Loop) bool) *Phases {
	return &Phases{g: g, part: part, alike: alike, at: map[uint64][]map[*node][]place{}, modes: map[[2]*Span][]Mode{}, firsts: map[*Span]*Span{}, ending: map[inLoop]bool{}}
}

// phases lists what each phase holds, if some arrivals count as made before it began.
func (p *Phases) phases(arrived uint64) []map[*node][]place {
	if at, ok := p.at[arrived]; ok {
		return at
	}
	var at []map[*node][]place
	for _, n := range p.begins() {
		from := place{arrived: arrived}
		for _, l := range p.g.loopsAround()[n] {
			from.steps = append(from.steps, step{loop: l, rel: true})
		}
		at = append(at, p.spread(n, from))
	}
	p.at[arrived] = at
	return at
}

// begins lists where phases begin: the entry and the barriers.
func (p *Phases) begins() []*node {
	if p.begin == nil {
		p.begin = []*node{p.g.entry}
		for _, n := range p.g.nodes {
			if p.isBarrier(n) {
				p.begin = append(p.begin, n)
			}
		}
	}
	return p.begin
}

func (p *Phases) isBarrier(n *node) bool { return n.kind == eventNode && p.part(n.stmt) != (Part{}) }

// leaves reports whether a thread may return behind an operation, before the next barrier, while others go on
// from the phase that holds the operation to another one.
func (p *Phases) leaves(x, y *Span) bool {
	isReturn := func(n *node) bool { return n.kind == returnNode }
	behind := func(n *node) bool { return slices.ContainsFunc(y.points, func(two point) bool { return two.n == n }) }
	for _, one := range x.points {
		if !p.g.leads([]*node{one.n}, isReturn, p.isBarrier) {
			continue
		}
		for i, phase := range p.phases(one.arrived) {
			if len(phase[one.n]) == 0 {
				continue
			}
			if p.g.leads(p.begins()[i].succ, behind, func(*node) bool { return false }) {
				return true
			}
		}
	}
	return false
}

// loopsAround gives each node the loops around it.
func (g *Graph) loopsAround() map[*node][]*ir.Loop {
	if g.loops != nil {
		return g.loops
	}
	stacks := map[*node][]*ir.Loop{g.entry: nil}
	queue := []*node{g.entry}
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		out := stacks[n]
		switch n.kind {
		case enterNode:
			out = append(out[:len(out):len(out)], n.loop)
		case exitNode:
			out = out[:max(len(out)-1, 0)]
		}
		for _, s := range n.succ {
			if _, ok := stacks[s]; !ok {
				stacks[s] = out
				queue = append(queue, s)
			}
		}
	}
	g.loops = stacks
	return stacks
}

// spread walks from a node without crossing a barrier.
func (p *Phases) spread(from *node, start place) map[*node][]place {
	seen := map[*node][]place{}
	type item struct {
		n  *node
		at place
	}
	var queue []item
	push := func(n *node, at place) {
		for _, old := range seen[n] {
			if covers(old, at) {
				return
			}
		}
		if len(seen[n]) >= mostPlaces {
			at = at.widened()
		}
		seen[n] = append(seen[n], at)
		queue = append(queue, item{n, at})
	}
	for _, s := range from.succ {
		push(s, start)
	}
	for len(queue) > 0 {
		it := queue[0]
		queue = queue[1:]
		next := p.through(it.at, it.n)
		if it.n.kind == eventNode {
			part := p.part(it.n.stmt)
			if part.Wait && (part.Arrive || next.arrived&part.bit() != 0) {
				continue
			}
			if part.Arrive {
				next.arrived |= part.bit()
			}
		}
		for _, s := range it.n.succ {
			push(s, next)
		}
	}
	return seen
}

// mostPlaces bounds the ways to stand at a node that are told apart: with each loop around there are
// three times as many.
const mostPlaces = 32

// widened is a place in any round of the loops around.
func (at place) widened() place {
	out := place{arrived: at.arrived}
	for _, s := range at.steps {
		out.steps = append(out.steps, step{loop: s.loop, rel: s.rel, n: many})
	}
	return out
}

// covers reports whether a place stands for another as well.
func covers(old, at place) bool {
	if len(old.steps) != len(at.steps) || old.arrived&^at.arrived != 0 {
		return false
	}
	for _, e := range old.ends {
		if !slices.ContainsFunc(at.ends, e.equal) {
			return false
		}
	}
	for i, o := range old.steps {
		a := at.steps[i]
		if o.loop != a.loop || o.n != many && (o.rel != a.rel || o.n != a.n) {
			return false
		}
	}
	return true
}

// through is a place behind a node, with the end of the loop that it leaves there.
func (p *Phases) through(at place, n *node) place {
	next := at.through(n)
	if n.kind == exitNode && p.cuts(n.loop) && len(at.ends) < mostEnds && !slices.ContainsFunc(at.steps, step.vague) {
		e := end{around: next.steps, last: at.steps[len(at.steps)-1], test: n.test}
		next.ends = append(at.ends[:len(at.ends):len(at.ends)], e)
	}
	return next
}

// cuts reports whether there is a barrier in a loop that all threads go round as often.
func (p *Phases) cuts(l *ir.Loop) bool {
	if p.alike == nil || !p.alike(l) {
		return false
	}
	if p.cut == nil {
		p.cut = map[*ir.Loop]bool{}
		for n, loops := range p.g.loopsAround() {
			if p.isBarrier(n) {
				for _, l := range loops {
					p.cut[l] = true
				}
			}
		}
	}
	return p.cut[l]
}

func (at place) through(n *node) place { return at.counting(n, many) }

// counting is a place behind a node, with rounds counted up to a number that means "or more".
func (at place) counting(n *node, most uint8) place {
	switch n.kind {
	case enterNode:
		at.steps = append(at.steps[:len(at.steps):len(at.steps)], step{loop: n.loop})
	case exitNode:
		at.steps = at.steps[:max(len(at.steps)-1, 0)]
	case backNode:
		steps := append([]step(nil), at.steps...)
		last := &steps[len(steps)-1]
		last.n = min(last.n+1, most)
		at.steps = steps
	}
	return at
}

// Meet returns the ways in which two operations of two threads of one block can be under way
// without a barrier between; none if they can't.
func (p *Phases) Meet(x, y *Span) []Mode {
	x, y = p.first(x), p.first(y)
	key := [2]*Span{x, y}
	if m, ok := p.modes[key]; ok {
		return m
	}
	var modes []Mode
	if x.everywhere || y.everywhere || p.Leave && (p.leaves(x, y) || p.leaves(y, x)) {
		modes = []Mode{{}}
	} else {
		modes = p.meet(x, y)
	}
	p.modes[key] = modes
	return modes
}

// first is the span of the first of several operations in a row that take place where they stand: where no barrier
// and no way goes in or out between them, what holds of one holds of all.
func (p *Phases) first(x *Span) *Span {
	if len(x.points) != 1 || x.everywhere || p.isBarrier(x.points[0].n) {
		return x
	}
	f, known := p.firsts[x]
	if known {
		return f
	}
	f = x
	if n := x.points[0].n; len(n.pred) == 1 && n.pred[0].kind == eventNode && len(n.pred[0].succ) == 1 && !p.isBarrier(n.pred[0]) && x == p.g.spans[n.stmt] {
		f = p.first(p.g.At(n.pred[0].stmt))
	}
	p.firsts[x] = f
	return f
}

// OnlyReturned reports whether two operations meet only because one of the threads may have returned before the
// barrier that the other comes to.
func (p *Phases) OnlyReturned(x, y *Span) bool {
	return p.Leave && len(p.Meet(x, y)) > 0 && !x.everywhere && !y.everywhere && len(p.meet(x, y)) == 0
}

func (p *Phases) meet(x, y *Span) []Mode {
	var modes []Mode
	ones, twos := x.crowds(), y.crowds()
	for _, one := range ones {
		for _, two := range twos {
			for k, phase := range p.phases(together(one.arrived, two.arrived)) {
				from := one.fitting(phase[one.n], func(at *point) bool { return p.isIn(x, at, p.begins()[k], phase) })
				to := two.fitting(phase[two.n], func(at *point) bool { return p.isIn(y, at, p.begins()[k], phase) })
				for i, at := range phase[one.n] {
					for j, bt := range phase[two.n] {
						if len(from[i]) == 0 || len(to[j]) == 0 || at.excludes(bt) || bt.excludes(at) {
							continue
						}
						m, ok := p.relate(one.n, two.n, at, bt)
						if !ok {
							continue
						}
						m.Left = append(x.left(at, false), y.left(bt, true)...)
						modes = x.allBack(from[i], at, y, to[j], bt, m, modes)
					}
				}
			}
		}
	}
	return modes
}

// crowd are the points of a span at one node: they differ in how long ago the operation began.
type crowd struct {
	n       *node
	arrived uint64
	points  []*point
}

// crowds are the points of a span by where they are, in the order in which the span comes there.
func (x *Span) crowds() (out []*crowd) {
	if x.crowded != nil {
		return x.crowded
	}
	defer func() { x.crowded = out }()
	type where struct {
		n       *node
		arrived uint64
	}
	at := map[where]*crowd{}
	for i := range x.points {
		w := where{x.points[i].n, x.points[i].arrived}
		if at[w] == nil {
			at[w] = &crowd{n: w.n, arrived: w.arrived}
			out = append(out, at[w])
		}
		at[w].points = append(at[w].points, &x.points[i])
	}
	return out
}

// fitting lists for each way to stand at the node of a crowd the points that it fits, of those that are possible.
func (c *crowd) fitting(places []place, possible func(*point) bool) [][]*point {
	out := make([][]*point, len(places))
	if len(places) == 0 {
		return out
	}
	for _, q := range c.points {
		if !possible(q) {
			continue
		}
		for i, at := range places {
			if q.fits(at) {
				out[i] = append(out[i], q)
			}
		}
	}
	return out
}

// allBack adds what a relation between points says of the beginnings of the two operations.
func (x *Span) allBack(from []*point, at place, y *Span, to []*point, bt place, m Mode, modes []Mode) []Mode {
	var room []Relation
	for _, one := range from {
		ofOne, ok := x.tells(one, at, bt, m, ofSecond)
		if !ok {
			continue
		}
		for _, two := range to {
			ofBoth, ok := y.tells(two, bt, at, ofOne, ofFirst)
			if !ok {
				continue
			}
			m, ok := x.back(one, y, two, ofBoth, room[:0])
			if ok && !slices.ContainsFunc(modes, func(old Mode) bool { return implied(m, old) }) {
				m.Loops = slices.Clone(m.Loops)
				modes = addMode(modes, m)
			} else if cap(m.Loops) > cap(room) {
				room = m.Loops
			}
		}
	}
	return modes
}

// excludes reports whether one path has left a loop before a round in which the other is, or has left
// it after another number of rounds.
func (at place) excludes(other place) bool {
	for _, e := range at.ends {
		if depth := len(e.around); depth < len(other.steps) && e.last.before(other.steps[depth], e.test) && slices.Equal(e.around, other.steps[:depth]) {
			return true
		}
		for _, f := range other.ends {
			if e.last.sameEntry(f.last) && e.last.n != f.last.n && e.test == f.test && slices.Equal(e.around, f.around) {
				return true
			}
		}
	}
	return false
}

// before reports whether a loop that has ended in one step has no round that goes on from another.
func (s step) before(other step, test bool) bool {
	return s.sameEntry(other) && (other.n > s.n || test && other.n == s.n)
}

// sameEntry reports whether two steps count the rounds of one loop from the same one.
func (s step) sameEntry(other step) bool { return s.loop == other.loop && s.rel == other.rel }

// vague reports whether the number of rounds is not known.
func (s step) vague() bool { return s.n == many }

func (e end) equal(f end) bool {
	return e.last == f.last && e.test == f.test && slices.Equal(e.around, f.around)
}

// relate ties the rounds in which two threads stand, at two places of one phase; false if they can't be there
// at once.
func (p *Phases) relate(a, b *node, x, y place) (m Mode, possible bool) {
	depth := 0 // of the loops of which both are in the same round
	for i, sx := range x.steps {
		r := Relation{Loop: sx.loop, First: -1, Second: -1}
		if sx.n != many && !sx.rel {
			r.First = int(sx.n)
		}
		if i < len(y.steps) && y.steps[i].loop == sx.loop {
			sy := y.steps[i]
			if sx.rel && sy.rel && sx.n != many && sy.n != many {
				r = Relation{Loop: sx.loop, Tied: true, Delta: int(sy.n) - int(sx.n), First: -1, Second: -1}
			} else if sy.n != many && !sy.rel {
				// Entered in one phase: in the same round both see the same values.
				r.Second = int(sy.n)
				r.Tied = r.First == r.Second
			}
			if i == depth && sx.rel == sy.rel && p.ends(a, sx.loop) && p.ends(b, sx.loop) {
				if sx.n != sy.n && sx.n != many && sy.n != many {
					return Mode{}, false
				}
				r.First = max(r.First, r.Second)
				r = Relation{Loop: sx.loop, Tied: true, First: r.First, Second: r.First}
			}
		}
		if i == depth && r.Tied && r.Delta == 0 {
			depth++
		}
		if r.Tied || r.First >= 0 || r.Second >= 0 {
			m.Loops = append(m.Loops, r)
		}
	}
	for i, sy := range y.steps {
		if i < len(x.steps) && x.steps[i].loop == sy.loop {
			continue
		}
		if sy.n != many && !sy.rel {
			m.Loops = append(m.Loops, Relation{Loop: sy.loop, First: -1, Second: int(sy.n)})
		}
	}
	return m, !p.misses(a, x.steps[depth:], b, y.steps[depth:]) && !p.misses(b, y.steps[depth:], a, x.steps[depth:])
}

// ends reports whether a thread that stands at a node comes to a barrier before its round of a loop around is
// over. Two such threads meet at that barrier, so they are in the same round, however long
// ago the phase began.
func (p *Phases) ends(n *node, l *ir.Loop) bool {
	key := inLoop{n, l}
	yes, known := p.ending[key]
	if !known {
		yes = !p.g.leads(n.succ, func(n *node) bool {
			return n.kind == returnNode || n.loop == l && (n.kind == backNode || n.kind == exitNode)
		}, func(n *node) bool { return n.kind == eventNode && p.part(n.stmt) == Whole })
		p.ending[key] = yes
	}
	return yes
}

// misses reports whether the second of two threads has left a loop, round which all go as often, and the
// first is in it and comes to a barrier there, of which the second has not passed its own turn.
func (p *Phases) misses(a *node, first []step, b *node, second []step) bool {
	if len(first) == 0 || len(second) > 0 && second[0].loop == first[0].loop {
		return false
	}
	l := first[0].loop
	return p.cuts(l) && p.ends(a, l) && slices.ContainsFunc(p.g.nodes, func(n *node) bool {
		return n.kind == enterNode && n.loop == l && p.g.before(n, b)
	})
}

// addMode adds a mode unless one that is at least as wide is there.
func addMode(modes []Mode, m Mode) []Mode {
	for _, old := range modes {
		if implied(m, old) {
			return modes
		}
	}
	out := modes[:0]
	for _, old := range modes {
		if !implied(old, m) {
			out = append(out, old)
		}
	}
	return append(out, m)
}

// implied reports whether each relation of wide is one of narrow.
func implied(narrow, wide Mode) bool {
	for _, w := range wide.Loops {
		if !slices.Contains(narrow.Loops, w) {
			return false
		}
	}
	for _, w := range wide.Left {
		if !slices.Contains(narrow.Left, w) {
			return false
		}
	}
	return true
}
