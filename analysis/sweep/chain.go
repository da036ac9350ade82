package sweep

import (
	"context"
	"math"
	"slices"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/meet"
	"github.com/warplint/warplint/analysis/order"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/slice"
	"github.com/warplint/warplint/analysis/term"
)

// This file decides pairs by scans: threads that write where a sum of the counts of those before them says.
//
// DESIGN. Each access of a thread lies in an interval: one element if a condition holds, as in `if (keep) out[at] = v`, or as many as a loop
// has rounds, as in `for (k = 0; k < count; k++) out[at + k] = v`. If the end of each thread's interval is where the next one's begins,
// whatever the counts are, and no count is negative, then no two of them have an element in common. Nobody asks how the scan was
// made. Blocks keep apart if each one's intervals lie within what it has drawn from a counter.

const (
	maxSums      = 1 << 18 // statements of all threads, a tenth of a second at most
	mostReadings = 64      // ways to read accesses as intervals that are tried
	mostChosen   = 2       // conditions that choose one of several addresses
)

// decideSums returns the candidates that are not shown to be apart by sums.
func decideSums(ctx context.Context, s *access.Summary, dim race.Dim3, candidates []meet.Candidate) []meet.Candidate {
	left := slices.DeleteFunc(slices.Clone(candidates), func(c meet.Candidate) bool {
		return !counted(s, c) || !plain(c.A.Stmt) || !plain(c.B.Stmt) || c.Rechecked
	})
	if len(left) == 0 {
		return candidates
	}
	var sites []int
	for _, c := range left {
		sites = append(sites, c.A.Site, c.B.Site)
	}
	l := newLanes(newSweep(ctx, s, slice.Of(s, sites), dim), s, left)
	all := l.mask()
	for i := range all {
		all[i] = true
	}
	if l.list(l.f.Body, all); l.failed {
		return candidates
	}
	return slices.DeleteFunc(slices.Clone(candidates), func(c meet.Candidate) bool {
		return slices.ContainsFunc(left, func(d meet.Candidate) bool { return c.A == d.A && c.B == d.B && c.Kind == d.Kind }) && l.apart(s, c)
	})
}

// counted reports whether an address is made of what a thread has got from others.
func counted(s *access.Summary, c meet.Candidate) (yes bool) {
	shared := func(st ir.Stmt) bool {
		return slices.ContainsFunc(s.Accesses, func(a *access.Access) bool { return a.Stmt == st && a.Base.Space == ir.Shared })
	}
	for _, a := range []*access.Access{c.A, c.B} {
		a.Off.AllLeaves(func(x *term.Atom) {
			switch st := x.Ref.(type) {
			case *ir.WarpOp, *ir.Barrier:
				yes = true
			case *ir.Load:
				yes = yes || shared(st)
			case *ir.Reg: // of a loop that exchanges or reads
				yes = yes || len(s.Exchanges) > 0 || slices.ContainsFunc(s.Accesses, func(a *access.Access) bool { return len(a.Loops) > 0 && shared(a.Stmt) })
			}
		})
	}
	return yes
}

func newLanes(w *sweep, s *access.Summary, left []meet.Candidate) *lanes {
	w.watched = map[ir.Stmt]int{}
	for _, c := range left {
		w.watched[c.A.Stmt], w.watched[c.B.Stmt] = int(c.A.Size), int(c.B.Size)
	}
	n := w.dim.Count()
	l := &lanes{sweep: w, forms: forms{of: map[uint64]made{}, signs: map[uint64]sign{}}, n: n, summary: s, warpPhases: make([]int32, (n+race.WarpSize-1)/race.WarpSize), shared: map[int32]map[int64]*sharedCell{},
		own: make([]map[cell]cellForm, n), alive: make([]bool, n), unsure: make([]int, n), targets: map[*ir.Label]*target{},
		notes: map[ir.Stmt][]note{}, decided: map[question]bool{}}
	for i := range l.alive {
		l.alive[i] = true
	}
	l.regs = make([][]form, len(w.f.Regs))
	ir.WalkStmts(w.f.Body, func(s ir.Stmt) bool {
		for _, r := range ir.Defs(s) {
			if l.regs[r.ID] != nil {
				continue
			}
			l.regs[r.ID] = make([]form, n)
			for i := range n {
				l.regs[r.ID][i] = l.forms.unknown(r.Type)
			}
		}
		return true
	})
	return l
}

// question is one about several statements: a pair, or all of an array.
type question struct {
	blocks      bool
	n           int
	first, last ir.Stmt
}

// interval is where an access of a thread lies; it may be empty, but its end is not before its start, as far as the sign says.
type interval struct {
	lane     int
	from, to form
	sign     sign
	most     int64 // bytes that it has at most
}

// apart reports whether no two threads of a candidate's kind have a byte in common: by themselves, or among all that is written to the
// same array, as by the statements of a loop that was unrolled.
func (l *lanes) apart(s *access.Summary, c meet.Candidate) bool {
	if len(l.notes[c.A.Stmt]) == 0 || len(l.notes[c.B.Stmt]) == 0 {
		return true
	}
	if c.A.Size != c.B.Size {
		return false
	}
	base := l.notes[c.A.Stmt][0].at.base
	all := l.among(func(st ir.Stmt) bool { return l.notes[st][0].at.base == base && l.watched[st] == int(c.A.Size) })
	return l.apartAmong(s, c, l.among(func(st ir.Stmt) bool { return st == c.A.Stmt || st == c.B.Stmt })) || l.apartAmong(s, c, all)
}

// among lists the watched statements that some thread makes and f holds of, in the order of the text.
func (l *lanes) among(f func(ir.Stmt) bool) (out []ir.Stmt) {
	ir.WalkStmts(l.f.Body, func(st ir.Stmt) bool {
		if len(l.notes[st]) > 0 && f(st) {
			out = append(out, st)
		}
		return true
	})
	return out
}

func (l *lanes) apartAmong(s *access.Summary, c meet.Candidate, list []ir.Stmt) bool {
	if !slices.Contains(list, c.A.Stmt) || !slices.Contains(list, c.B.Stmt) {
		return false
	}
	key := question{c.Kind == race.InterBlock, len(list), list[0], list[len(list)-1]}
	if yes, known := l.decided[key]; known {
		return yes
	}
	var notes []note
	for _, st := range list {
		notes = append(notes, l.notes[st]...)
	}
	phases := map[int32][]note{}
	yes := !slices.ContainsFunc(notes, func(n note) bool { return n.at.base == 0 || n.at.base != notes[0].at.base })
	for _, n := range notes {
		at := n.phase
		if c.Kind == race.InterBlock {
			at = 0
		}
		phases[at] = append(phases[at], n)
	}
	for _, r := range l.edges {
		yes = yes && (c.Kind == race.InterBlock || len(phases[r[0]]) == 0 || len(phases[r[1]]) == 0)
	}
	for _, in := range phases {
		yes = yes && l.apartIn(s, c, in)
	}
	l.decided[key] = yes
	return yes
}

// apartIn is apart for the accesses of one phase.
func (l *lanes) apartIn(s *access.Summary, c meet.Candidate, notes []note) bool {
	few := firstTwo(notes)
	for _, stride := range []int64{1, 2, 3, 4, 8} {
		for _, split := range []bool{false, true} {
			for way := range mostReadings {
				list, again := l.read(few, c.A.Size, c.A.Size*stride, way, split)
				if linked(list) {
					if list, _ = l.read(notes, c.A.Size, c.A.Size*stride, way, split); list != nil && l.chained(s, c, list, c.A.Size*stride) {
						return true
					}
				}
				if !again {
					break
				}
			}
		}
	}
	return c.Kind == race.InterBlock && !slices.ContainsFunc(notes, func(n note) bool { return !l.withinDraw(s, n, c.A.Size) })
}

// firstTwo are the accesses of two threads.
func firstTwo(notes []note) (few []note) {
	lanes := []int{}
	for _, n := range notes {
		if len(lanes) < 2 && !slices.Contains(lanes, n.lane) {
			lanes = append(lanes, n.lane)
		}
		if slices.Contains(lanes, n.lane) {
			few = append(few, n)
		}
	}
	return few
}

// linked reports whether some interval begins where another one ends.
func linked(list []interval) bool {
	begins := map[start]bool{}
	for _, in := range list {
		begins[startOf(in.from)] = true
	}
	return slices.ContainsFunc(list, func(in interval) bool { return begins[startOf(in.to)] })
}

// withinDraw reports whether a condition says that an access is to one of the elements that its block has drawn, as in
// `if (i < count) out[drawn + i] = v`.
func (l *lanes) withinDraw(s *access.Summary, n note, size int64) bool {
	begin := l.arrayOf(n.at.base)
	return slices.ContainsFunc(l.draws, func(d draw) bool {
		in := n.at.minus(begin).minus(d.of.times(size))
		in.base = 0
		return slices.ContainsFunc(n.when, func(w literal) bool {
			return slices.ContainsFunc(l.conjuncts(w.is), func(is form) bool {
				of := l.of[is.f]
				if is.c != 0 || of.op != ir.Lt && of.op != ir.Gt {
					return false
				}
				at, end := of.args[0], of.args[1]
				if of.op == ir.Gt {
					at, end = end, at
				}
				beyond := end.minus(d.by)
				return at.sign == natural && at.times(size).is(in) && beyond.known() && beyond.c <= 0 && l.isCounter(s, d.stmt, race.InterBlock)
			})
		})
	})
}

// read reads accesses as intervals, the first way or another one; again reports whether there are further ways.
func (l *lanes) read(notes []note, size, stride int64, way int, split bool) (list []interval, again bool) {
	for _, n := range notes {
		sides := []map[uint64]bool{nil}
		if split && len(n.chosen) <= mostChosen {
			for _, c := range n.chosen {
				key, _ := bitOf(c)
				var more []map[uint64]bool
				for _, side := range sides {
					for _, holds := range []bool{false, true} {
						more = append(more, map[uint64]bool{key: holds})
						for k, v := range side {
							more[len(more)-1][k] = v
						}
					}
				}
				sides = more
			}
		}
		left := way
		if !l.works(4 * len(sides)) {
			return nil, false
		}
		for _, side := range sides {
			at, when := n.at, n.when
			if side != nil && n.ptr != nil {
				at = n.ptr(side)
				for _, c := range n.chosen {
					key, is := bitOf(c)
					lit := c
					if side[key] != is {
						lit = c.not()
					}
					when = append(when[:len(when):len(when)], literal{is: lit})
				}
			}
			readings := l.readings(n.lane, at, size, when, stride)
			if len(readings) == 0 {
				return nil, false
			}
			if left/len(readings) > 0 || left%len(readings)+1 < len(readings) {
				again = true
			}
			list = append(list, readings[left%len(readings)])
			left /= len(readings)
		}
	}
	return list, again && way+1 < mostReadings
}

// bitOf is the unknown number of a bit, and whether the bit is it or 1 less it.
func bitOf(v form) (key uint64, is bool) {
	if v.c == 0 {
		return v.f, true
	}
	return -v.f, false
}

// readings lists the intervals in which an access may be seen to lie.
func (l *lanes) readings(lane int, at form, size int64, when []literal, stride int64) []interval {
	within := mod(at.c, stride)
	if within+size > stride {
		return nil
	}
	at.c -= within
	out := []interval{{lane, at, at.plus(known(stride)), natural, stride}}
	for _, w := range when {
		for _, is := range l.conjuncts(w.is) {
			switch {
			case w.round.f != 0:
				if many := l.rounds(is, w.round); many.sign != anySign {
					from := at.minus(w.round.times(stride))
					out = append(out, interval{lane, from, from.plus(many.times(stride)), many.sign, math.MaxInt64})
				}
			case is.bit:
				many := is.times(stride)
				from := at.plus(known(stride)).minus(many)
				out = append(out, interval{lane, at, at.plus(many), natural, stride}, interval{lane, from, from.plus(many), natural, stride})
			}
		}
	}
	return out
}

// rounds is how many rounds a loop has that goes on as long as a condition holds, of no sign if the condition does not say. The
// number of the round stands in what the condition compares: else the intervals that come of it do not meet those of others.
func (l *lanes) rounds(is, round form) form {
	of := l.of[is.f]
	if is.c != 0 || len(of.args) != 2 || of.args[0].base != 0 {
		return form{}
	}
	at, end := of.args[0], of.args[1]
	switch of.op {
	case ir.Lt, ir.Ne:
	case ir.Gt:
		at, end = end, at
	case ir.Le:
		end = end.plus(known(1))
	default:
		return form{}
	}
	first := at.minus(round)
	many := end.minus(first)
	if many.sign = l.signOf(many); first.number(0) {
		many.sign = max(many.sign, end.sign)
	}
	return many
}

func mod(x, by int64) int64 { return (x%by + by) % by }

// conjuncts are the conditions that all hold if one does, that one first.
func (l *lanes) conjuncts(v form) []form {
	out := []form{v}
	if of := l.of[v.f]; v.c == 0 && of.op == ir.LogAnd {
		out = slices.Concat(out, l.conjuncts(of.args[0]), l.conjuncts(of.args[1]))
	}
	return out
}

// start tells intervals by where they begin.
type start struct {
	c int64
	f uint64
}

func startOf(v form) start { return start{v.c, v.f} }

// chained reports whether intervals follow each other, so that no two have an element in common, and within what their block has
// drawn where that is needed.
func (l *lanes) chained(s *access.Summary, c meet.Candidate, list []interval, stride int64) bool {
	at, ends := map[start]interval{}, map[start]bool{}
	assumes := false
	for _, in := range list {
		if old, ok := at[startOf(in.from)]; ok && (old.lane != in.lane || !old.to.is(in.to)) {
			return false
		}
		at[startOf(in.from)] = in
		ends[startOf(in.to)] = true
		assumes = assumes || in.sign == presumed
	}
	seen, heads := 0, 0
	drawn := map[start]bool{}
	for from, in := range at {
		if ends[from] {
			continue
		}
		last := in.to
		for ok := true; ok; in, ok = at[startOf(last)] {
			if last = in.to; seen == len(at) {
				return false // an empty one leads to itself
			}
			seen++
		}
		if heads++; c.Kind != race.InterBlock && heads == 1 && seen == len(at) {
			break
		}
		if c.Kind == race.InterBlock && seen == len(at) && heads == 1 && l.ownRoom(from, last.base, int64(seen)*stride) && !slices.ContainsFunc(list, func(in interval) bool { return in.most > stride }) {
			break
		}
		d, ok := l.drawnFor(form{c: from.c, f: from.f, base: last.base}, last, stride)
		if !ok || drawn[startOf(d.of)] || !l.isCounter(s, d.stmt, c.Kind) {
			return false
		}
		drawn[startOf(d.of)] = true
	}
	if seen != len(at) {
		return false
	}
	if s.Assumes[access.NoOverflow] = true; assumes {
		s.Assumes[meet.CountsUp] = true
	}
	return true
}

// drawnFor is the draw whose places a part of an array is within.
func (l *lanes) drawnFor(from, to form, stride int64) (draw, bool) {
	begin := l.arrayOf(from.base)
	for _, d := range l.draws {
		first := begin.plus(d.of.times(stride))
		end := first.plus(d.by.times(stride))
		if first.f == from.f && first.c <= from.c && end.f == to.f && to.c <= end.c {
			return d, true
		}
	}
	return draw{}, false
}

// ownRoom reports whether so many bytes from some place on are each block's own: its number says where they begin.
func (l *lanes) ownRoom(from start, base int32, bytes int64) bool {
	begin := l.arrayOf(base)
	block := l.builtin(&ir.Builtin{Var: ir.BlockIdx}, 0)
	if l.grid[1] != 1 || l.grid[2] != 1 || block.known() || begin.c > from.c {
		return false
	}
	for n := bytes; n <= 8*bytes; n += bytes {
		if from.f == begin.plus(block.times(n)).f {
			return true
		}
	}
	return false
}

// arrayOf is where an array begins that the kernel gets.
func (l *lanes) arrayOf(base int32) form {
	for _, p := range l.f.Params {
		if p.Type == ir.Ptr && l.argument(p).base == base {
			return l.argument(p)
		}
	}
	return form{base: base}
}

// isCounter reports whether an atomic draws from one counter, to which nobody does anything else.
func (l *lanes) isCounter(s *access.Summary, st ir.Stmt, kind race.Kind) bool {
	var counter *access.Access
	for _, a := range s.Accesses {
		if a.Stmt == st {
			if counter != nil {
				return false
			}
			counter = a
		}
	}
	if counter == nil || counter.Scope < race.ScopeDevice && kind == race.InterBlock || counter.Base.Space != ir.Global || counter.Off.Variance() > term.Grid || counter.Off.Loops() != 0 {
		return false
	}
	return !slices.ContainsFunc(s.Accesses, func(w *access.Access) bool {
		return w.Writes() && w.Stmt != st && order.MayTouch(w, counter)
	}) && !slices.ContainsFunc(l.draws, func(d draw) bool { return d.stmt == st && d.by.sign == anySign })
}
