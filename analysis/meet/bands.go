package meet

import (
	"fmt"
	"maps"
	"slices"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/phase"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

// This file knows barriers at which some threads of a block meet: numbered ones with a count (bar.sync 1, 64),
// and those of lanes that a mask names.
//
// DESIGN. Such a barrier divides the threads that come to it into bands, by its number or their warp. It
// orders what the threads of one band do, as long as exactly as many come as it waits for: then each of them
// is there each time. Of a launch whose block is known, threads are counted one by one; of lanes that have
// voted for the mask themselves, or have found each other by a common value, that holds by what the mask is.
// Two threads of different bands must never touch the same place.

// band is a way to divide threads.
type band struct {
	member []*term.Cond // of each thread of a band
	tags   []*term.Poly // which threads of one band have in common
	stmts  map[ir.Stmt]bool
	phases map[race.Kind]*phase.Phases
}

// mostBandThreads bounds the blocks whose threads are counted.
const mostBandThreads = 1024

func (c *checker) findBands() {
	known := map[string]*band{}
	counted, ok := c.countedBands()
	for _, e := range c.s.Events {
		b, is := e.Stmt.(*ir.Barrier)
		if !is || b.Mode != ir.BarrierSync {
			continue
		}
		var found *band
		key := counted[e]
		switch {
		case b.Level == ir.BlockLevel && b.Count != nil && ok && key != "":
			found = &band{member: membersOf(e), tags: []*term.Poly{e.ID}}
		case b.Level == ir.WarpLevel && e.Tile == 0 && !wholeWarp(b) && !c.apartInWarp:
			found, key = c.laneBand(e, key)
		}
		if found == nil {
			continue
		}
		if known[key] == nil {
			found.stmts = map[ir.Stmt]bool{}
			known[key] = found
			c.bands = append(c.bands, found)
		}
		known[key].stmts[b] = true
	}
	for _, x := range c.bands {
		x.phases = map[race.Kind]*phase.Phases{}
		ends := map[ir.Stmt]bool{} // what no thread of the band goes on from without the others
		for _, y := range c.bands {
			if y == x || c.noneInBoth(x, y) {
				maps.Copy(ends, y.stmts)
			}
		}
		for _, kind := range []race.Kind{race.IntraWarp, race.IntraBlock} {
			x.phases[kind] = phase.NewPhases(c.graph, func(s ir.Stmt) phase.Part {
				if ends[s] {
					return phase.Whole
				}
				return c.part(kind, s)
			}, func(l *ir.Loop) bool { return c.alike(kind, l) })
			x.phases[kind].Leave = c.mayLeave
		}
	}
}

// noneInBoth reports whether no thread is in bands of both kinds.
func (c *checker) noneInBoth(x, y *band) bool {
	c.solver.Budget = pairBudget
	return c.solver.Unsat(append(slices.Clone(x.member), y.member...)...)
}

// membersOf are the conditions by which the threads of a block come to a barrier or not.
func membersOf(e *access.Event) []*term.Cond {
	var out []*term.Cond
	for _, when := range append(slices.Clone(e.When), e.Left...) {
		if when.Variance() > term.Block {
			out = append(out, when)
		}
	}
	return out
}

// laneBand is the band of lanes that meet at a warp's barrier, by its mask.
func (c *checker) laneBand(e *access.Event, counted string) (*band, string) {
	warp := c.s.ThreadGroup(race.WarpSize)
	if e.Mask == nil || slices.ContainsFunc(e.Loops, func(l *access.Loop) bool { return l.Varies > term.Block }) {
		return nil, ""
	}
	if counted != "" {
		return &band{member: membersOf(e), tags: []*term.Poly{warp, e.Mask}}, counted
	}
	mask := e.Mask.IsAtom()
	if mask == nil {
		return nil, ""
	}
	op, ok := mask.Ref.(*ir.WarpOp)
	if !ok || c.s.Exchanges[op] == nil || !isWhole(c.s.Exchanges[op].Mask) {
		return nil, ""
	}
	key := fmt.Sprintf("mask %p", op)
	switch of, members := c.s.Exchanges[op], membersOf(e); {
	case of.Vote != nil && of.Vote.Loops() == 0 && c.votedFor(members, of.Vote):
		return &band{member: []*term.Cond{of.Vote}, tags: []*term.Poly{warp}}, key
	case op.Op == "match_any" && of.Brings != nil && of.Brings.Loops() == 0 && len(members) == 0:
		return &band{tags: []*term.Poly{warp, of.Brings}}, key
	}
	return nil, ""
}

// votedFor reports whether threads come to a barrier exactly if they have voted for it.
func (c *checker) votedFor(members []*term.Cond, vote *term.Cond) bool {
	if len(members) == 0 {
		return false
	}
	c.solver.Budget = pairBudget
	return c.solver.Entails(members, vote) && c.solver.Entails([]*term.Cond{vote}, term.Conj(members...))
}

// countedBands counts the threads that come to barriers of some threads. It gives each barrier that has as
// many as it waits for a name, the same to those that divide the threads alike; ok is false if some barrier
// of the block may be of any number.
func (c *checker) countedBands() (names map[*access.Event]string, ok bool) {
	names, ok = map[*access.Event]string{}, true
	if !slices.ContainsFunc(c.s.Events, ofSome) {
		return names, ok
	}
	threads := c.listThreads()
	byNumber := map[int64]string{} // who comes to the barrier of a number
	bad := map[int64]bool{}
	numbers := map[*access.Event][]int64{}
	for _, e := range c.s.Events {
		b, is := e.Stmt.(*ir.Barrier)
		switch {
		case !is || b.Level != ir.BlockLevel && !ofSome(e):
			continue
		case b.Level == ir.WarpLevel:
			if masks, fixed := c.divide(e, threads, e.Mask); fixed && areLaneMasks(masks) {
				names[e] = "lanes " + nameOf(byWarp(masks))
			}
			continue
		}
		if b.Count == nil && b.Mode == ir.BarrierSync && b.ID == nil {
			bad[0] = true // all threads
			continue
		}
		bands, fixed := c.divide(e, threads, e.ID)
		count, isConst := int64(0), false
		if e.Count != nil {
			count, isConst = e.Count.IsConst()
		}
		if !fixed {
			return names, false
		}
		for _, n := range numbersIn(bands) {
			members := comers(bands, n)
			if name := fmt.Sprint(members); byNumber[n] == "" {
				byNumber[n] = name
			} else if byNumber[n] != name {
				bad[n] = true
			}
			bad[n] = bad[n] || b.Mode != ir.BarrierSync || !isConst || arrivals(bands, n) != count
			numbers[e] = append(numbers[e], n)
		}
		names[e] = "threads " + nameOf(bands)
	}
	for e, list := range numbers {
		if slices.ContainsFunc(list, func(n int64) bool { return bad[n] }) {
			delete(names, e)
		}
	}
	return names, ok
}

// ofSome reports whether an event is a barrier of some threads of a block.
func ofSome(e *access.Event) bool {
	b, ok := e.Stmt.(*ir.Barrier)
	return ok && (b.Level == ir.BlockLevel && b.Count != nil || b.Level == ir.WarpLevel && e.Tile == 0 && !wholeWarp(b))
}

// listThreads lists the threads of a block of known dimensions, nil if it is not known or too large.
func (c *checker) listThreads() []race.Dim3 {
	var dims race.Dim3
	for i, p := range c.s.Block {
		n, ok := p.IsConst()
		if !ok || n < 1 || n > mostBandThreads {
			return nil
		}
		dims[i] = int(n)
	}
	if dims.Count() > mostBandThreads {
		return nil
	}
	var out []race.Dim3
	for z := range dims[2] {
		for y := range dims[1] {
			for x := range dims[0] {
				out = append(out, race.Dim3{x, y, z})
			}
		}
	}
	return out
}

// divide gives for each thread the value of a tag, or absent if it does not come to a barrier, or returned if it is no
// more. It returns false if more than the thread's coordinates have a say in that.
func (c *checker) divide(e *access.Event, threads []race.Dim3, tag *term.Poly) ([]int64, bool) {
	if len(threads) == 0 || tag == nil || slices.ContainsFunc(e.Loops, func(l *access.Loop) bool { return l.Varies > term.Block }) {
		return nil, false
	}
	out := make([]int64, len(threads))
	for i, at := range threads {
		leaf := c.coordinates(at)
		stays, known := c.allHold(e.Left, leaf)
		comes, alsoKnown := c.allHold(e.When, leaf)
		switch {
		case !known || !alsoKnown:
			return nil, false
		case !stays:
			out[i] = returned
			continue
		case !comes:
			out[i] = absent
			continue
		}
		v, ok := tag.Value(leaf)
		if !ok || v < 0 {
			return nil, false
		}
		out[i] = v
	}
	return out, true
}

// coordinates gives what a thread knows of itself.
func (c *checker) coordinates(at race.Dim3) func(x *term.Atom) (int64, bool) {
	var leaf func(x *term.Atom) (int64, bool)
	leaf = func(x *term.Atom) (int64, bool) {
		if x.Kind == term.Func {
			return x.Operation(leaf)
		}
		for k, p := range c.s.ThreadIdx {
			if p.IsAtom() == x {
				return int64(at[k]), true
			}
		}
		return 0, false
	}
	return leaf
}

// electing is what a thread knows of itself if the last of those that may be elected are. Any others would do to count those who
// come, as long as nobody else is told apart from the rest of a warp by being its last lane.
func (c *checker) electing(at race.Dim3) func(x *term.Atom) (int64, bool) {
	own := c.coordinates(at)
	return func(x *term.Atom) (int64, bool) {
		if x.Kind == term.Func && (x.Name == ir.ElectLane || x.Name == ir.ElectRank) {
			return x.Hi, true
		}
		return own(x)
	}
}

// allHold reports whether all those of some conditions hold for a thread that are not the same for its block, and
// whether that is known.
func (c *checker) allHold(list []*term.Cond, leaf func(x *term.Atom) (int64, bool)) (all, known bool) {
	all = true
	for _, when := range list {
		if when.Variance() <= term.Block {
			continue
		}
		holds, ok := when.Holds(leaf)
		if !ok {
			return false, false
		}
		all = all && holds
	}
	return all, true
}

// The tags of threads that do not come, and of those that have returned.
const (
	absent   = -1
	returned = -2
)

func numbersIn(bands []int64) []int64 {
	all := slices.Compact(slices.Sorted(slices.Values(bands)))
	return slices.DeleteFunc(all, func(n int64) bool { return n < 0 })
}

// arrivals is how many threads a barrier with a count takes those of one band for: a warp is as good as whole if all of
// its threads come that have not returned, and else does not count (so on an H100; PTX ISA, "bar", leaves that open).
func arrivals(bands []int64, tag int64) (n int64) {
	for warp := range slices.Chunk(bands, race.WarpSize) {
		comes := slices.Contains(warp, tag)
		if comes && !slices.ContainsFunc(warp, func(x int64) bool { return x != tag && x != returned }) {
			n += race.WarpSize
		}
	}
	return n
}

// comers are the numbers of the threads of one band.
func comers(bands []int64, tag int64) []int {
	var out []int
	for i, n := range bands {
		if n == tag {
			out = append(out, i)
		}
	}
	return out
}

// nameOf is the same for tags that divide threads alike.
func nameOf(bands []int64) string {
	first := map[int64]int{absent: absent, returned: absent}
	out := make([]int, len(bands))
	for i, n := range bands {
		if _, seen := first[n]; !seen {
			first[n] = i
		}
		out[i] = first[n]
	}
	return fmt.Sprint(out)
}

// areLaneMasks reports whether each lane that comes is named by the mask that it brings, and all that are named
// come and bring the same.
func areLaneMasks(masks []int64) bool {
	for i, mask := range masks {
		if mask < 0 {
			continue
		}
		first := i - i%race.WarpSize
		for lane := range min(race.WarpSize, len(masks)-first) {
			if named := mask>>lane&1 != 0; named != (masks[first+lane] == mask) {
				return false
			}
		}
	}
	return true
}

// byWarp gives masks of different warps different tags.
func byWarp(masks []int64) []int64 {
	out := slices.Clone(masks)
	for i, mask := range masks {
		if mask >= 0 {
			out[i] = mask | int64(i/race.WarpSize)<<race.WarpSize
		}
	}
	return out
}

// apartByBands tells two threads that meet in some mode apart by bands: those that are in no band together
// never touch the same place, and those of one band meet nowhere with no barrier of it between.
func (c *checker) apartByBands(a, b *access.Access, kind race.Kind, m phase.Mode) bool {
	if len(c.bands) == 0 || kind != race.IntraWarp && kind != race.IntraBlock {
		return false
	}
	together := func(x *band, one, two *term.Renaming) *term.Cond {
		var conds []*term.Cond
		for _, when := range x.member {
			conds = append(conds, one.Cond(when), two.Cond(when))
		}
		for _, tag := range x.tags {
			conds = append(conds, c.t.Eq(one.Poly(tag), two.Poly(tag)))
		}
		return term.Conj(conds...)
	}
	unsat := func(m phase.Mode, more func(one, two *term.Renaming) []*term.Cond) bool {
		if c.spent >= kernelBudget {
			return false
		}
		one, two := c.threads(a, b, kind, m)
		conds := append(query(c.s, a, b, kind, m, one, two), c.distinct(a, b, kind, one, two)...)
		conds = append(conds, more(one, two)...)
		c.solver.Budget = pairBudget
		yes := c.solver.Unsat(conds...)
		c.spent += pairBudget - c.solver.Budget
		if !yes && c.failedBits < maxByBits {
			if yes = c.solver.UnsatByBits(conds...); !yes {
				c.failedBits++
			}
		}
		return yes
	}
	if !unsat(m, func(one, two *term.Renaming) []*term.Cond {
		var apart []*term.Cond
		for _, x := range c.bands {
			apart = append(apart, c.t.Not(together(x, one, two)))
		}
		return apart
	}) {
		return false
	}
	for _, x := range c.bands {
		for _, m := range x.phases[kind].Meet(c.span(a), c.span(b)) {
			if !unsat(m, func(one, two *term.Renaming) []*term.Cond { return []*term.Cond{together(x, one, two)} }) {
				return false
			}
		}
	}
	return true
}

// meetsInBand reports whether a barrier is one of a band: those who are not to come need not.
func (c *checker) meetsInBand(s ir.Stmt) bool {
	return slices.ContainsFunc(c.bands, func(x *band) bool { return x.stmts[s] })
}
