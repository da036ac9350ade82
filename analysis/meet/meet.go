// Package meet decides, pair by pair, whether two threads can touch the same memory with
// nothing between to order them: phases of barriers first, then addresses, then locks and
// flags. What it can't exclude is a candidate, which needs a witness to become a finding.
package meet

import (
	"context"
	"iter"
	"maps"
	"slices"
	"sync"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/order"
	"github.com/warplint/warplint/analysis/phase"
	"github.com/warplint/warplint/analysis/prove"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

// Candidate is a pair of accesses that was not shown to be apart or in order.
type Candidate struct {
	A, B *access.Access
	Kind race.Kind
	Mode phase.Mode
	Miss func() order.Miss // what the code lacks to order the two
	Same func() bool       // whether the two write the same value wherever they meet; nil if not
	// Tolerated is set where policy counts the two as ordered and the memory model does not: the
	// reader of volatile data has no fence behind the flag that it has waited for.
	Tolerated bool
	// Rechecked is set where the one is a plain read whose value decides nothing but what the other, a
	// compare-and-swap, tries to write.
	Rechecked bool
	// Presumed is set where an assumption tells the two apart that the verdict names; a witness shows
	// what happens without it.
	Presumed bool
	// Unfenced is set where a bulk copy reads what a thread has written before, with no proxy fence on the way.
	Unfenced bool
}

// Discounted reports whether a race of the two does not count for the verdict.
func (c Candidate) Discounted() bool { return c.Tolerated || c.Rechecked || c.Presumed }

// Outcome is what is known of all pairs of a kernel.
type Outcome struct {
	Candidates []Candidate
	Reasons    []access.Reason
	Assumes    map[string]bool
	Missable   int             // barriers that some threads of a block may not come to, as they return before or take another way; those of warps count as one
	Divergent  []*access.Event // barriers that some threads of their group may not reach
	Missed     []*access.Event // exchanges that some lanes may miss which their masks name, and waits that may not end
	checker    *checker
}

// Budgets in cases of the solver: for one pair and for a kernel.
const (
	pairBudget   = 60
	lostBudget   = 8 // for a pair of a kernel that is not proved anyway
	anywayBudget = 8 // for a pair, without its conditions
	bitsBudget   = 6 // for a pair that the bits are asked for, if the algebra does not soon decide it
	kernelBudget = 1_500
	// pairWork and lostWork bound all that is tried for one pair, in units of term.Table.Work.
	pairWork = 400_000
	lostWork = 60_000
)

// maxLost is the number of candidates that count from which on a kernel gets less effort: it is known that it is
// not proved, and what is left undecided goes to the search for a witness.
const maxLost = 1

type checker struct {
	ctx    context.Context
	s      *access.Summary
	t      *term.Table
	graph  *phase.Graph
	sync   *order.Sync
	phases map[race.Kind]*phase.Phases
	solver *prove.Solver
	spent  int
	lost   int   // candidates that count
	begun  int64 // the work at which the present pair began
	lostAt int64 // the work at which a kernel was known not to be proved
	cut    bool  // the last question was not asked, as the pair had its share of work
	// failedBits counts the questions that the bits did not answer; see bits.go.
	failedBits int
	failures   map[approach]int             // see try
	bitsLead   bool                         // the bits have answered the last question with bits in it, and the algebra has not
	apart      map[pairKey]bool             // answers by the pair's terms
	renamed    map[string][2]*term.Renaming // of the two threads, see threads
	rows       map[pairKey]prove.Assumable  // what rows make a difference to a question
	asks       map[*access.Access]bool      // see asksForColumn
	numbers    map[string]int               // see number
	addresses  map[*access.Access]int
	wayNumbers map[*access.Access]int
	bare       map[[2]*access.Access]*access.Access // see ofIndices
	// extents are the numbers of blocks and threads of which nothing is known.
	extents    map[*term.Atom]bool
	polled     map[*access.Base][]*access.Access
	events     map[ir.Stmt]*access.Event
	agreements *agreeing // see lanesAgree
	// apartInWarp is set where some threads of a warp may miss a barrier of it: they may then meet the
	// others' at any of its barriers, and none orders anything.
	apartInWarp bool
	// mayLeave is set where some threads of a block may return before a barrier that others come to.
	mayLeave bool
	blind    []ir.Stmt // code that was not understood and may synchronize
	ways     map[*access.Access][]*access.Access
	halves   halves
	tickets  map[*access.Access][]ticket
	ofWarps  map[*access.Access]bool // see inOnePhaseOfWarp
	claims   map[*access.Access][]claim
	bands    []*band
	rings    []*ring
	implied  map[*ring][]*ringOp // waits that follow from those for other rings
	places   map[ir.Stmt]placeOf
	groups   map[ir.Stmt]int // see pending; made when first asked
	tell     func(Question)  // nil if nobody listens
	out      *Outcome
}

// Pairs looks at all pairs of accesses of a kernel. What is known, and may be nil, is added to.
func Pairs(ctx context.Context, s *access.Summary, known *prove.Answers) *Outcome {
	return Explain(ctx, s, known, nil)
}

// Explain is Pairs that tells of each question, in the order in which they are decided.
func Explain(ctx context.Context, s *access.Summary, known *prove.Answers, tell func(Question)) *Outcome {
	c := newChecker(ctx, s, known, tell)
	c.barriers()
	c.proxies()
	c.pairs()
	c.exchanges()
	c.waits()
	c.ends()
	return c.out
}

// Missable is that of an Outcome, without a look at the accesses.
func Missable(ctx context.Context, s *access.Summary, known *prove.Answers) int {
	c := newChecker(ctx, s, known, nil)
	c.barriers()
	return c.out.Missable
}

// Between yields the candidates among the pairs that are wanted, each as soon as it is known. It does not look at
// barriers.
func Between(ctx context.Context, s *access.Summary, known *prove.Answers, wanted func(a, b *access.Access) bool) iter.Seq[Candidate] {
	return func(yield func(Candidate) bool) {
		c := newChecker(ctx, s, known, nil)
		for i, a := range s.Accesses {
			for _, b := range s.Accesses[i:] {
				if !wanted(a, b) {
					continue
				}
				told := len(c.out.Candidates)
				c.pair(a, b)
				for _, found := range c.out.Candidates[told:] {
					if !yield(found) {
						return
					}
				}
			}
		}
	}
}

func (c *checker) pairs() {
	for i, a := range c.s.Accesses {
		for _, b := range c.s.Accesses[i:] {
			c.pair(a, b)
		}
		if c.ctx.Err() != nil {
			break
		}
	}
}

func newChecker(ctx context.Context, s *access.Summary, known *prove.Answers, tell func(Question)) *checker {
	c := &checker{ctx: ctx, s: s, t: s.T, tell: tell, failures: map[approach]int{}, graph: phase.NewGraph(s.Func, s.Sides, s.GoesOn), phases: map[race.Kind]*phase.Phases{},
		apart: map[pairKey]bool{}, renamed: map[string][2]*term.Renaming{}, rows: map[pairKey]prove.Assumable{}, asks: map[*access.Access]bool{},
		numbers: map[string]int{}, addresses: map[*access.Access]int{}, wayNumbers: map[*access.Access]int{}, bare: map[[2]*access.Access]*access.Access{}, extents: map[*term.Atom]bool{}, polled: map[*access.Base][]*access.Access{}, events: map[ir.Stmt]*access.Event{}, ways: map[*access.Access][]*access.Access{}, tickets: map[*access.Access][]ticket{}, ofWarps: map[*access.Access]bool{}, claims: map[*access.Access][]claim{}, out: &Outcome{Assumes: map[string]bool{}}}
	c.out.checker = c
	c.graph.Cuts = cutsBlock
	c.solver = prove.NewSolver(ctx, s.T, s.Axioms, 0)
	c.solver.Answers, c.solver.Extents = known, c.extents
	c.sync = order.NewSync(s, c.graph, c.solver)
	c.sync.Draws = func(a, b *access.Access, kind race.Kind, one, two *term.Renaming) []*term.Cond {
		return append(c.distinct(a, b, kind, one, two), c.claimed(a, b, kind, one, two)...)
	}
	c.sync.Presuming = c.noneInWholeWarps
	for i := range 3 {
		for _, p := range []*term.Poly{s.Grid[i], s.Block[i]} {
			for _, m := range p.Terms() { // such as 2r + 1
				if a := m.Mono.Atoms; len(a) == 1 && len(a[0].Args) == 0 {
					c.extents[a[0]] = true
				}
			}
		}
	}
	for _, e := range s.Events {
		c.events[e.Stmt] = e
	}
	ir.WalkStmts(s.Func.Body, func(st ir.Stmt) bool {
		if u, ok := st.(*ir.Unknown); ok && u.MaySynchronize() {
			c.blind = append(c.blind, u)
		}
		return true
	})
	c.findHalves()
	c.mayLeave = c.leaving()
	c.sync.Leave = c.mayLeave
	for _, kind := range []race.Kind{race.IntraWarp, race.IntraBlock, race.InterBlock, sameCluster, sameTile} {
		c.phases[kind] = phase.NewPhases(c.graph, func(st ir.Stmt) phase.Part { return c.part(kind, st) }, func(l *ir.Loop) bool { return c.alike(kind, l) })
		c.phases[kind].Leave = c.mayLeave
	}
	for _, a := range s.Accesses {
		if s.Polled[a.Stmt] {
			c.polled[a.Base] = append(c.polled[a.Base], a)
		}
	}
	c.warpBarriers()
	c.findBands()
	c.findRings()
	return c
}

// AskSecond asks another solver of the one pair that stands between a kernel and its proof. What the algebra has
// not shown it is not asked again. That takes long: it is for what no run shows, either.
func (o *Outcome) AskSecond(second prove.Second) {
	c := o.checker
	if second == nil || len(o.Candidates) == 0 || c.ctx.Err() != nil {
		return
	}
	one := o.Candidates[0]
	if slices.ContainsFunc(o.Candidates, func(x Candidate) bool { return x.A != one.A || x.B != one.B || x.Discounted() }) {
		return
	}
	c.solver.Second = second
	c.out.Candidates, c.failedBits = nil, 0
	maps.DeleteFunc(c.apart, func(key pairKey, yes bool) bool { return !yes && key.how == byBits })
	c.pair(one.A, one.B)
}

// Holds reports whether a candidate is still one.
func (o *Outcome) Holds(x Candidate) bool {
	return slices.ContainsFunc(o.Candidates, func(y Candidate) bool { return x.A == y.A && x.B == y.B && x.Kind == y.Kind })
}

// alike reports whether two threads of a kind go round a loop as often, if they enter it together.
func (c *checker) alike(kind race.Kind, l *ir.Loop) bool {
	least := term.Block
	if kind == race.InterBlock || kind == sameCluster {
		least = term.Grid
	}
	loop := c.s.Loops[l]
	return loop != nil && loop.Varies <= least
}

// part is what a statement does for two threads of a kind to meet at a barrier.
func (c *checker) part(kind race.Kind, s ir.Stmt) phase.Part {
	if kind == race.InterBlock || kind == sameCluster {
		if half, ok := c.halves.ofGrid[s]; ok {
			return half
		}
	}
	half, ok := c.halves.part[s]
	b, whole := s.(*ir.Barrier)
	switch {
	case whole && !c.holdsBoth(kind, b):
		return phase.Part{}
	case ok && (whole || kind == race.IntraWarp || kind == race.IntraBlock || kind == sameTile):
		return half
	case whole && b.Mode == ir.BarrierSync:
		return phase.Whole
	}
	return phase.Part{}
}

// holdsBoth reports whether two threads of a kind take part in a barrier.
func (c *checker) holdsBoth(kind race.Kind, b *ir.Barrier) bool {
	switch b.Level {
	case ir.GridLevel:
		return true
	case ir.BlockLevel:
		return kind != race.InterBlock && kind != sameCluster && wholeBlock(b)
	case ir.ClusterLevel:
		return kind != race.InterBlock
	}
	if c.apartInWarp {
		return false
	}
	if e := c.events[b]; kind == sameTile && e != nil && e.Tile > 0 {
		return e.Tile >= c.s.Tile
	}
	return (kind == race.IntraWarp || kind == sameTile) && wholeWarp(b)
}

// wholeBlock reports whether all threads of the block take part in a barrier.
func wholeBlock(b *ir.Barrier) bool { return b.Count == nil }

// cutsBlock reports whether a statement is a barrier at which all threads of a block meet.
func cutsBlock(s ir.Stmt) bool {
	b, ok := s.(*ir.Barrier)
	return ok && b.Level == ir.BlockLevel && b.Mode == ir.BarrierSync && wholeBlock(b)
}

func wholeWarp(b *ir.Barrier) bool {
	m, ok := b.Mask.(*ir.Const)
	return ok && uint32(m.Bits) == 0xffffffff
}

func (c *checker) pair(a, b *access.Access) {
	if !a.Writes() && !b.Writes() || !c.mayAlias(a, b) {
		return
	}
	if c.ctx.Err() != nil {
		return
	}
	if (a.Copy != nil || b.Copy != nil) && !c.mayBeSynchronized(a, b) {
		c.ownCopies(a, b)
	}
	var kinds []race.Kind
	if a.Base.Space != ir.Shared {
		kinds = append(kinds, race.InterBlock)
	}
	if a.Base.Remote != nil || b.Base.Remote != nil {
		kinds = append(kinds, sameCluster)
	}
	if !c.apartInBlock(a, b) {
		kinds = append(kinds, race.IntraBlock, race.IntraWarp)
	}
	for _, kind := range kinds {
		if c.morallyStrong(a, b, kind) || kind == race.IntraWarp && a == b && collective(a) {
			continue
		}
		if found := c.candidate(a, b, kind); found != nil && !c.mayBeSynchronized(a, b) {
			c.out.Candidates = append(c.out.Candidates, *found)
			if !found.Discounted() {
				if c.lost++; c.lost == maxLost {
					c.lostAt = c.t.Work
				}
			}
		}
	}
}

// mayBeSynchronized reports whether code between two accesses that was not understood may make the one
// thread wait for the other. The kernel is unknown because of that code.
func (c *checker) mayBeSynchronized(a, b *access.Access) bool {
	between := func(first, second *access.Access) bool {
		return slices.ContainsFunc(c.blind, func(u ir.Stmt) bool { return c.graph.Reaches(first.Stmt, u, nil) }) &&
			slices.ContainsFunc(c.blind, func(u ir.Stmt) bool { return c.graph.Reaches(u, second.Stmt, nil) })
	}
	return len(c.blind) > 0 && (between(a, b) || between(b, a))
}

// candidate returns the first mode in which threads of a kind may race by two accesses, nil if there
// is none.
func (c *checker) candidate(a, b *access.Access, kind race.Kind) *Candidate {
	var tolerated, presumed *Candidate
	for _, m := range c.phases[kind].Meet(c.span(a), c.span(b)) {
		answer := c.decide(a, b, kind, m)
		if answer == Ordered && tolerated == nil {
			tolerated = c.tolerated(a, b, kind, m)
		}
		if answer == Undecided && kind == race.IntraWarp && c.apartByTiles(a, b, m) {
			answer = Ordered
		}
		if answer == Undecided && (c.apartByBands(a, b, kind, m) || c.orderedByRings(a, b, kind, m)) {
			answer = Ordered
		}
		c.note(Question{a, b, kind, m, answer})
		shown := kind
		if kind == sameCluster {
			shown = race.InterBlock
		}
		found := &Candidate{A: a, B: b, Kind: shown, Mode: m, Miss: c.miss(a, b, shown), Same: c.same(a, b, kind), Presumed: answer == Presumed}
		found.Rechecked = answer == Undecided && (c.rechecked(a, b) || c.rechecked(b, a))
		switch answer {
		case Undecided:
			return found
		case Presumed:
			presumed = found
		}
	}
	if presumed != nil {
		return presumed
	}
	return tolerated
}

// apartByTiles tells the threads of a warp that meet in some mode apart by tiles: those of different
// tiles never touch the same place, and those of one tile meet nowhere with no sync of it between.
func (c *checker) apartByTiles(a, b *access.Access, m phase.Mode) bool {
	return c.s.Tile > 0 && c.disjoint(a, b, otherTile, m) && c.orderedInTiles(a, b)
}

// orderedInTiles reports whether two threads of one tile never meet by two accesses.
func (c *checker) orderedInTiles(a, b *access.Access) bool {
	for _, m := range c.phases[sameTile].Meet(c.span(a), c.span(b)) {
		if answer := c.decide(a, b, sameTile, m); answer == Undecided || answer == Presumed {
			return false
		}
	}
	return true
}

// miss says later, if asked, what the code lacks to order two accesses.
func (c *checker) miss(a, b *access.Access, kind race.Kind) func() order.Miss {
	if a.Copy != nil || b.Copy != nil {
		return sync.OnceValue(func() order.Miss { return c.missOfCopy(a, b, kind) })
	}
	return sync.OnceValue(func() order.Miss {
		miss := c.sync.Miss(a, b, kind)
		if miss.What == order.Nothing && kind == race.IntraWarp && c.s.Tile > 0 && c.orderedInTiles(a, b) {
			miss.What = order.Group
		}
		if miss.What == order.Nothing && c.phases[kind].OnlyReturned(c.span(a), c.span(b)) {
			miss.What = order.Returned
		}
		return miss
	})
}

// rechecked reports whether an access is the plain read in front of another, a compare-and-swap, and harmless.
func (c *checker) rechecked(read, swap *access.Access) bool {
	load, ok := read.Stmt.(*ir.Load)
	at, swaps := swap.Stmt.(*ir.Atomic)
	return ok && swaps && at.Op == ir.AtomicCAS && read.Order == ir.Weak && order.Rechecked(c.s.Func, load) && order.Harmless(c.s.Func, load)
}

// tolerated returns a candidate where two accesses that are in order by policy are not by the memory
// model, nil elsewhere.
func (c *checker) tolerated(a, b *access.Access, kind race.Kind, m phase.Mode) *Candidate {
	strong := func(x *access.Access) bool { return x.Volatile || x.Order != ir.Weak }
	if kind == sameCluster || !strong(a) && !strong(b) || a.Copy != nil || b.Copy != nil || c.spent >= kernelBudget {
		return nil
	}
	c.sync.Strict = true
	defer func() { c.sync.Strict = false }()
	if c.ordered(a, b, kind, m) {
		return nil
	}
	miss := c.sync.Miss(a, b, kind)
	if miss.Lock || miss.What != order.Fence && miss.What != order.FenceScope {
		return nil
	}
	return &Candidate{A: a, B: b, Kind: kind, Mode: m, Miss: func() order.Miss { return miss }, Same: c.same(a, b, kind), Tolerated: true}
}

func (c *checker) decide(a, b *access.Access, kind race.Kind, m phase.Mode) Answer {
	c.begun = c.t.Work
	switch {
	case c.out.Assumes[WholeWarps] && c.apartByWholeWarps(a, b, kind, m): // named already, and with more known a proof is sooner found
		return Presumed
	case c.disjoint(a, b, kind, m), c.apartThroughBits(a, b, kind, m), c.apartByBits(a, b, kind, m):
		return Apart
	case a.Copy == nil && b.Copy == nil && c.ordered(a, b, kind, m):
		return Ordered
	case c.apartFromZero(a, b, kind, m), c.apartByCounts(a, b, kind, m), c.apartBySegments(a, b, kind, m), c.apartBySpans(a, b, kind, m), c.apartByRoom(a, b, kind, m), c.apartByRowCounts(a, b, kind, m),
		c.apartByWholeWarps(a, b, kind, m):
		return Presumed
	case c.hasRows(a) || c.hasRows(b):
		if c.apartByRows(a, b, kind, m, prove.FreeRows) {
			return Apart
		}
		if c.apartByRows(a, b, kind, m, prove.GuardedRows) {
			return Presumed
		}
	}
	if c.apartByColumns(a, b, kind, m) {
		return Presumed
	}
	return Undecided
}

func (c *checker) note(q Question) {
	if c.tell != nil {
		c.tell(q)
	}
}

// collective reports whether a warp makes an access together: each element belongs to one lane,
// the same each time.
func collective(a *access.Access) bool {
	n, ok := a.Stmt.(*ir.Named)
	return ok && n.Op == "matrix.store"
}

// sameBlock asks for any two threads of a block, of one warp or of two.
const sameBlock race.Kind = "same block"

// apartInBlock shows at once that no two threads of a block meet; most pairs end here. The
// barriers of warps are left out, so it may say no where the kinds for themselves say yes.
func (c *checker) apartInBlock(a, b *access.Access) bool {
	c.begun = c.t.Work
	for _, m := range c.phases[race.IntraBlock].Meet(c.span(a), c.span(b)) {
		if !c.disjoint(a, b, sameBlock, m) && !c.apartThroughBits(a, b, sameBlock, m) && !c.apartByBits(a, b, sameBlock, m) && !c.apartInRows(a, b, m) && !c.orderedByRings(a, b, sameBlock, m) {
			return false
		}
		c.note(Question{a, b, sameBlock, m, Apart})
	}
	return true
}

// apartInRows shows that no two threads of a block meet if columns stay within their rows. If that is
// what tells them apart, it does so for those of one warp and those of two.
func (c *checker) apartInRows(a, b *access.Access, m phase.Mode) bool {
	return (c.hasRows(a) || c.hasRows(b)) && c.apartByRows(a, b, sameBlock, m, prove.FreeRows)
}

// ordered reports whether a lock or a flag orders two accesses. Where paths have met before
// an access, such as that of the thread that sets a flag and those of the threads that wait
// for it, each pair of ways must be ordered or impossible.
func (c *checker) ordered(a, b *access.Access, kind race.Kind, m phase.Mode) bool {
	between := kind
	switch kind {
	case sameCluster:
		between = race.InterBlock
	case sameTile:
		between = race.IntraWarp
	}
	if c.sync.Ordered(a, b, between) {
		return true
	}
	as, bs := c.waysTo(a), c.waysTo(b)
	return len(as)*len(bs) > 1 && c.try(a, kind, "way by way", func() bool {
		for _, x := range as {
			for _, y := range bs {
				if !c.disjoint(x, y, kind, m) && !c.sync.Ordered(x, y, between) {
					return false
				}
			}
		}
		return true
	})
}

// waysTo are the ways to an access, the same ones each time: package order remembers what it finds
// out about them.
func (c *checker) waysTo(a *access.Access) []*access.Access {
	if c.ways[a] == nil {
		c.ways[a] = ways(a)
	}
	return c.ways[a]
}

// maxWays bounds the ways to an access that are told apart.
const maxWays = 8

// ways splits an access by the disjunctions among its conditions.
func ways(a *access.Access) []*access.Access {
	out := []*access.Access{a}
	for {
		var next []*access.Access
		split := false
		for _, x := range out {
			i := slices.IndexFunc(x.When, func(c *term.Cond) bool { return c.Op == term.Or })
			if i < 0 {
				next = append(next, x)
				continue
			}
			split = true
			for _, alt := range x.When[i].Args {
				y := *x
				y.When = slices.Clone(x.When)
				y.When = slices.Delete(y.When, i, i+1)
				if alt.Op == term.And {
					y.When = append(y.When, alt.Args...)
				} else {
					y.When = append(y.When, alt)
				}
				next = append(next, &y)
			}
		}
		if len(next) > maxWays {
			return []*access.Access{a}
		}
		if out = next; !split {
			return out
		}
	}
}

// mayAlias reports whether two accesses may touch the same memory. Different parameters are
// assumed not to overlap, and so are pointers read from different places.
func (c *checker) mayAlias(a, b *access.Access) bool {
	if !a.Part.Meets(b.Part, a.Size, b.Size) && c.liesWhole(a) && c.liesWhole(b) {
		return false
	}
	if a.Base == b.Base {
		return true
	}
	if a.Base.Remote != nil || b.Base.Remote != nil {
		return a.Base.Object == b.Base.Object && a.Base.Space == b.Base.Space
	}
	known := func(b *access.Base) bool { return b.Object != nil || b.Alloc != nil }
	loaded, fresh := a.Base.Pointer != nil || b.Base.Pointer != nil, a.Base.IsFresh() || b.Base.IsFresh()
	if !fresh && (!known(a.Base) && !known(b.Base) || loaded && a.Base.Space == b.Base.Space) {
		c.out.Assumes["pointers do not overlap"] = true
	}
	if (a.Base.Pointer != nil || b.Base.Pointer != nil) && a.Base.Space == b.Base.Space {
		// Two values of one pointer expression may be the same in two threads.
		p, q := a.Base.Pointer, b.Base.Pointer
		return p != nil && q != nil && c.mayBeSame(p, q)
	}
	return false
}

// liesWhole reports whether a part of a vector lies where it has to with some numbers of the launch: those that say otherwise
// nobody means. Where threads' own coordinates lead elsewhere it is the kernel's mistake, and the race is what to tell of it.
func (c *checker) liesWhole(a *access.Access) bool {
	for _, x := range c.t.Offset(a.Off, -a.Part.At).Terms() {
		if x.Coef%a.Part.Of != 0 && !slices.ContainsFunc(x.Mono.Atoms, c.ofLaunch) {
			return false
		}
	}
	return true
}

// morallyStrong reports whether two accesses are strong and include each other's thread in
// their scopes (PTX ISA, "Morally strong operations"). By policy a volatile access is strong
// only at a place that some loop polls, a flag: elsewhere people mean plain data by it.
func (c *checker) morallyStrong(a, b *access.Access, kind race.Kind) bool {
	need := race.ScopeBlock
	switch kind {
	case race.InterBlock:
		need = race.ScopeDevice
	case sameCluster:
		need = race.ScopeCluster
	}
	flag := (a.Volatile || b.Volatile) && c.ofFlag(a, b)
	strong := func(x *access.Access) bool {
		return x.Order != ir.Weak && x.Scope >= need || x.Volatile && (flag || x.Kind == race.Write && c.sync.ReturnsLock(x))
	}
	return strong(a) && strong(b) && a.Size == b.Size
}

// ofFlag reports whether two accesses meet at a place that threads poll: an array may hold flags and data.
func (c *checker) ofFlag(a, b *access.Access) bool {
	return slices.ContainsFunc(c.polled[a.Base], func(p *access.Access) bool {
		return p == a || p == b || p.Off.Equal(a.Off) || p.Off.Equal(b.Off)
	})
}

// hasRows reports whether an address is made of rows: of a length that the launch fixes, but not by
// its dimensions.
func (c *checker) hasRows(a *access.Access) bool {
	for _, x := range a.Off.Terms() {
		length, row := false, false
		for _, at := range x.Mono.Atoms {
			length = length || c.ofLaunch(at)
			row = row || at.Variance > term.Grid || at.Loops != 0
		}
		if length && row {
			return true
		}
	}
	return false
}

// disjoint shows that no two threads of the kind touch a common byte in the mode.
func (c *checker) disjoint(a, b *access.Access, kind race.Kind, m phase.Mode) bool {
	key := c.key(a, b, kind, m)
	if yes, ok := c.apart[key]; ok {
		return yes
	}
	if c.apartAnyway(a, b, kind, m) || c.apartByIndices(a, b, kind, m) {
		c.apart[key] = true
		return true
	}
	if c.spent >= kernelBudget {
		return false
	}
	c.solver.Assumable = prove.Assumable{}
	yes := c.unsat(a, b, kind, m)
	if !c.cut {
		c.apart[key], c.rows[key] = yes, c.solver.Assumable
	}
	return yes
}

// apartAnyway shows what holds whatever the conditions of the two accesses are: most indices are a number
// for each thread. It costs little where the conditions are many.
func (c *checker) apartAnyway(a, b *access.Access, kind race.Kind, m phase.Mode) bool {
	if len(a.When)+len(b.When) == 0 {
		return false // that is the whole question
	}
	return c.once(c.touchingKey(a, b, kind, m).by("anyway"), func() bool {
		return c.try(a, kind, "anyway", func() bool {
			one, two := c.threads(a, b, kind, m)
			c.solver.Budget = anywayBudget
			return c.solver.Unsat(touching(c.s, a, b, kind, one, two)...)
		})
	})
}

// apartByIndices shows what holds whatever the conditions are that speak of more than the two indices are made of,
// such as the size of the data.
func (c *checker) apartByIndices(a, b *access.Access, kind race.Kind, m phase.Mode) bool {
	x, y := c.ofIndices(a, b), c.ofIndices(b, a)
	if len(x.When)+len(y.When) == 0 || x == a && y == b || c.lost >= maxLost {
		return false // that was the question, or is the whole one
	}
	return c.once(c.key(x, y, kind, m).by("of indices"), func() bool {
		one, two := c.threads(x, y, kind, m)
		conds := query(c.s, x, y, kind, m, one, two)
		if !prove.HasBits(conds) {
			return false // the algebra takes as long as for the whole question
		}
		c.solver.Budget = anywayBudget
		return c.solver.Unsat(conds...)
	})
}

// once asks a question, or gives the answer that it had before.
func (c *checker) once(key pairKey, ask func() bool) bool {
	yes, ok := c.apart[key]
	if !ok {
		yes = ask()
		c.apart[key] = yes
	}
	return yes
}

func (c *checker) unsat(a, b *access.Access, kind race.Kind, m phase.Mode) bool {
	conds := c.question(a, b, kind, m)
	budget, work := pairBudget, int64(pairWork)
	if c.lost >= maxLost {
		budget, work = lostBudget, lostWork
	}
	if c.cut = c.t.Work-c.begun > work; c.cut {
		return false
	}
	if prove.HasBits(slices.DeleteFunc(slices.Clone(conds), ofLaunchAlone)) {
		if c.bitsLead && c.solver.UnsatByBits(conds...) {
			return true
		}
		budget = bitsBudget
	}
	c.solver.Budget = budget
	yes := c.solver.Unsat(conds...)
	c.spent += budget - c.solver.Budget
	if !yes && c.ctx.Err() == nil {
		one, two := c.threads(a, b, kind, m)
		if again := c.regrouped(conds, one, two); again != nil {
			yes = c.try(a, kind, "regrouped"+byRows[c.solver.Rows], func() bool {
				c.solver.Budget = budget
				yes := c.solver.Unsat(again...)
				c.spent += budget - c.solver.Budget
				return yes
			})
		}
	}
	c.bitsLead = c.bitsLead && !yes
	return yes
}

// ofLaunchAlone reports whether a condition is about numbers of the launch, such as how far a loop of the host has doubled a size.
func ofLaunchAlone(c *term.Cond) bool { return c.Variance() <= term.Grid && c.Loops() == 0 }

// question is Query, with what this kernel knows of its threads besides.
func (c *checker) question(a, b *access.Access, kind race.Kind, m phase.Mode) []*term.Cond {
	one, two := c.threads(a, b, kind, m)
	conds := query(c.s, a, b, kind, m, one, two)
	return slices.Concat(conds, c.distinct(a, b, kind, one, two), c.claimed(a, b, kind, one, two), c.led(a, b, kind, m, one, two))
}

// byRows are the ways of asking with rows.
var byRows = map[prove.Rows]string{prove.FreeRows: "by free rows", prove.GuardedRows: "by guarded rows"}

// WithinRows is the assumption of prove/rows.go.
const WithinRows = "columns stay within their rows"

// apartByRows shows that threads keep apart if columns stay within their rows.
func (c *checker) apartByRows(a, b *access.Access, kind race.Kind, m phase.Mode, rows prove.Rows) bool {
	if c.spent >= kernelBudget {
		return false
	}
	key := c.key(a, b, kind, m)
	if assumable, known := c.rows[key]; known && !assumable[rows] {
		return false // the assumption was of no use
	}
	if c.asksForColumn(a) || c.asksForColumn(b) {
		return false
	}
	key = key.by(byRows[rows])
	yes, ok := c.apart[key]
	if !ok {
		c.solver.Rows = rows
		yes = c.unsat(a, b, kind, m)
		c.solver.Rows = prove.NoRows
		if !c.cut {
			c.apart[key] = yes
		}
	}
	if yes {
		c.out.Assumes[WithinRows] = true
	}
	return yes
}
