// Package sweep decides pairs of accesses by running every thread of a block, one after the
// other, on what is known of its values. It needs a launch of known dimensions. Where the
// algebra of package prove has no form for an index, such as those of sorting networks, scans
// and butterflies, the addresses of all threads are often plain numbers; if no two threads
// touch the same one between two barriers, no run of the kernel does.
//
// It is a proof, not a test: a value that depends on memory is unknown, and under an unknown
// condition both sides are run. This is the two-thread abstraction of GPUVerify (Betts et al.,
// OOPSLA 2012) turned round: all threads, on fewer values.
//
// What this leaves, as the places that a scan of counts gives to threads, is looked at with the threads side by side; see chain.go.
package sweep

import (
	"cmp"
	"context"
	"slices"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/meet"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/slice"
	"github.com/warplint/warplint/analysis/term"
)

// Limits of a sweep, counted so that they do not depend on the machine.
const (
	maxSteps   = 3_000_000 // statements of all threads and runs
	maxRecords = 600_000   // accesses that are noted in one run
	maxRuns    = 40        // ways through the conditions that are unknown for the whole block
	maxThreads = 1 << 14   // of a whole grid
)

// Decide returns the candidates that the sweep does not show to be apart. It stops at once
// when the context ends, and decides nothing then.
func Decide(ctx context.Context, s *access.Summary, candidates []meet.Candidate) []meet.Candidate {
	dim, ok := fixed(s.Block)
	if !ok || len(candidates) == 0 || dim.Count() > 1024 {
		return candidates
	}
	return decideSums(ctx, s, dim, decideNumbers(ctx, s, dim, candidates))
}

// decideNumbers runs one thread after the other.
func decideNumbers(ctx context.Context, s *access.Summary, dim race.Dim3, candidates []meet.Candidate) []meet.Candidate {
	left := slices.DeleteFunc(slices.Clone(candidates), func(c meet.Candidate) bool { return !plain(c.A.Stmt) || !plain(c.B.Stmt) || c.Rechecked })
	if len(left) == 0 {
		return candidates
	}
	isInterBlock := func(c meet.Candidate) bool { return c.Kind == race.InterBlock }
	everyBlock := false
	if slices.ContainsFunc(left, isInterBlock) {
		grid, ok := fixed(s.Grid)
		everyBlock = ok && grid.Count()*dim.Count() <= maxThreads
	}
	if !everyBlock {
		left = slices.DeleteFunc(left, isInterBlock)
	}
	if len(left) == 0 {
		return candidates
	}
	var sites []int
	for _, c := range left {
		sites = append(sites, c.A.Site, c.B.Site)
	}
	w := newSweep(ctx, s, slice.Of(s, sites), dim)
	w.everyBlock = everyBlock
	decided := w.run(left)
	if len(decided) == 0 {
		return candidates
	}
	s.Assumes[access.NoOverflow] = true
	return slices.DeleteFunc(slices.Clone(candidates), func(c meet.Candidate) bool {
		return slices.ContainsFunc(decided, func(d meet.Candidate) bool { return c.A == d.A && c.B == d.B && c.Kind == d.Kind })
	})
}

// plain reports whether a statement has one address, which the sweep follows.
func plain(s ir.Stmt) bool {
	switch s.(type) {
	case *ir.Load, *ir.Store, *ir.Atomic:
		return true
	}
	return false
}

// fixed returns dimensions that are numbers.
func fixed(p [3]*term.Poly) (d race.Dim3, ok bool) {
	for i := range 3 {
		n, known := p[i].IsConst()
		if !known || n < 1 || n > maxThreads {
			return d, false
		}
		d[i] = int(n)
	}
	return d, true
}

type sweep struct {
	*symbols
	ctx        context.Context
	f          *ir.Func
	dim        race.Dim3
	grid       [3]int64 // 0 where unknown
	everyBlock bool
	shape      *shape
	variance   access.Variances
	params     []value
	objects    map[*ir.Object]int32
	spaces     []ir.Space // of the bases, by number; 0 is no base
	written    []bool     // likewise

	steps         int
	failed        bool
	plan          []decision
	left          []meet.Candidate
	watched       map[ir.Stmt]int
	records       [][]record // by watched statement
	noted         int
	wild          []bool // statements whose address is unknown somewhere
	blockBarriers map[meeting]ir.Stmt
	warpBarriers  map[meeting]ir.Stmt
	phases        map[int32]int32 // of each block, at its end
	leavings      []leaving
	// apartInWarp is set where some lanes may come to a barrier of the warp that others miss: these may
	// then be at another one of it, and none orders anything.
	apartInWarp bool

	spare [][]value // memory for registers, to be used again
}

// decision is a choice that all threads of a block make alike.
type decision struct {
	cond      value
	asked     bool
	ways, way int
}

// meeting is the n-th barrier of a group of threads.
type meeting struct{ block, group, n int32 }

// leaving is the end of a thread: the barriers that it did not come to any more, and whether it has made an access
// since the last of its block, and of its warp. Nobody waits for it, so these are not ordered before what
// others do behind the next.
type leaving struct {
	ofBlock, ofWarp         meeting
	sinceBlocks, sinceWarps bool
}

func (w *sweep) fail() { w.failed = true }

// run sweeps all ways through the kernel and returns the candidates that are apart in each.
func (w *sweep) run(left []meet.Candidate) []meet.Candidate {
	for n := 0; len(left) > 0; n++ {
		if n+w.waiting() >= maxRuns {
			return nil
		}
		if !w.once(left) {
			return nil
		}
		left = slices.DeleteFunc(left, w.meets)
		if !w.advance() {
			return left
		}
	}
	return nil
}

// meets reports whether the sweep can't show a candidate to be apart.
func (w *sweep) meets(c meet.Candidate) bool {
	a, b := w.watched[c.A.Stmt], w.watched[c.B.Stmt]
	return w.wild[a] || w.wild[b] || c.Kind == race.InterBlock && len(w.plan) > 0 || !apart(c, w.records[a], w.records[b])
}

// inVain reports whether so many threads leave no candidate that could be shown to be apart: what others do makes
// none of them so. It looks at all that was noted when the threads have doubled in number.
func (w *sweep) inVain(threads int) bool {
	if threads < 2 || threads&(threads-1) != 0 {
		return false
	}
	w.sortRecords()
	return !slices.ContainsFunc(w.left, func(c meet.Candidate) bool { return !w.meets(c) })
}

// allWild reports whether each candidate has a statement whose address is unknown somewhere.
func (w *sweep) allWild() bool {
	return !slices.ContainsFunc(w.left, func(c meet.Candidate) bool { return !w.wild[w.watched[c.A.Stmt]] && !w.wild[w.watched[c.B.Stmt]] })
}

func (w *sweep) sortRecords() {
	for i, all := range w.records {
		slices.SortFunc(all, compare)
		w.records[i] = slices.Compact(all)
	}
}

// waiting is how many ways through the choices are left at least.
func (w *sweep) waiting() int {
	n := 0
	for _, d := range w.plan {
		n += d.ways - 1 - d.way
	}
	return n
}

// advance goes on to the next way through the choices; false after the last.
func (w *sweep) advance() bool {
	for n := len(w.plan) - 1; n >= 0; n-- {
		if w.plan[n].way+1 < w.plan[n].ways {
			w.plan = w.plan[:n+1]
			w.plan[n].way++
			return true
		}
	}
	return false
}

// once runs all threads; it returns false if that decides nothing.
func (w *sweep) once(left []meet.Candidate) bool {
	w.left, w.watched = left, map[ir.Stmt]int{}
	for _, c := range left {
		for _, s := range []ir.Stmt{c.A.Stmt, c.B.Stmt} {
			if _, ok := w.watched[s]; !ok {
				w.watched[s] = len(w.watched)
			}
		}
	}
	w.records, w.wild, w.noted = make([][]record, len(w.watched)), make([]bool, len(w.watched)), 0
	w.apartInWarp, w.leavings = false, w.leavings[:0]
	w.blockBarriers, w.warpBarriers, w.phases = map[meeting]ir.Stmt{}, map[meeting]ir.Stmt{}, map[int32]int32{}
	blocks := 1
	if w.everyBlock {
		blocks = int(w.grid[0] * w.grid[1] * w.grid[2])
	}
	for b := range blocks {
		for n := range w.dim.Count() {
			if w.thread(b, n); w.failed || w.inVain(b*w.dim.Count()+n+1) {
				return false
			}
		}
	}
	for _, l := range w.leavings {
		if w.blockBarriers[l.ofBlock] != nil && l.sinceBlocks {
			return false
		}
		w.apartInWarp = w.apartInWarp || w.warpBarriers[l.ofWarp] != nil && l.sinceWarps
	}
	for _, all := range w.records {
		for j := range all {
			if w.apartInWarp {
				all[j].warpPhase = 0
			}
		}
	}
	w.sortRecords()
	return true
}

// thread runs one thread to its end.
func (w *sweep) thread(block, number int) {
	t := &thread{sweep: w, idx: place(number, w.dim), number: int32(number), blockID: int32(block),
		regs: make([]value, len(w.f.Regs)), local: map[cell]stored{}, joins: map[*ir.Label]*join{}, touched: -1, touchedInWarp: -1}
	if w.everyBlock {
		t.block = place(block, race.Dim3{int(w.grid[0]), int(w.grid[1]), int(w.grid[2])})
	}
	for i := range t.regs {
		t.regs[i] = unknown
	}
	if !t.list(w.f.Body) || w.failed {
		return
	}
	t.leave()
	if end, ok := w.phases[t.blockID]; ok && end != t.phase {
		w.fail() // it came to its end past fewer barriers than another
	}
	w.phases[t.blockID] = t.phase
}

// place is the coordinates of the n-th of dim, x fastest.
func place(n int, dim race.Dim3) race.Dim3 {
	return race.Dim3{n % dim[0], n / dim[0] % dim[1], n / (dim[0] * dim[1])}
}

func (w *sweep) note(stmt int, r record) {
	if w.wild[stmt] {
		return
	}
	if r.sym == anything || r.base == 0 {
		if w.wild[stmt] = true; w.allWild() {
			w.fail()
		}
		return
	}
	w.noted++
	if w.noted > maxRecords {
		w.fail()
		return
	}
	w.records[stmt] = append(w.records[stmt], r)
}

func compare(x, y record) int {
	return cmp.Or(cmp.Compare(x.off, y.off), cmp.Compare(x.sym, y.sym), cmp.Compare(x.base, y.base), cmp.Compare(x.phase, y.phase),
		cmp.Compare(x.block, y.block), cmp.Compare(x.thread, y.thread), cmp.Compare(x.warpPhase, y.warpPhase))
}

func newSweep(ctx context.Context, s *access.Summary, f *ir.Func, dim race.Dim3) *sweep {
	w := &sweep{symbols: newSymbols(), ctx: ctx, f: f, dim: dim, shape: newShape(f), variance: s.Variance,
		objects: map[*ir.Object]int32{}, spaces: make([]ir.Space, 1), written: make([]bool, 1)}
	for i := range 3 {
		w.grid[i], _ = s.Grid[i].IsConst()
	}
	bases := map[*access.Base]int32{}
	base := func(space ir.Space) int32 {
		w.spaces, w.written = append(w.spaces, space), append(w.written, false)
		return int32(len(w.spaces) - 1)
	}
	dynamic := int32(0) // all `extern __shared__` arrays are the same memory
	for _, o := range s.Func.Objects {
		if o.Space == ir.Shared && o.Size == 0 {
			if dynamic == 0 {
				dynamic = base(ir.Shared)
			}
			w.objects[o] = dynamic
			continue
		}
		w.objects[o] = base(o.Space)
	}
	of := func(b *access.Base) (int32, bool) {
		if len(b.Either) > 0 || b.Pointer != nil {
			return 0, false
		}
		if o := access.Variable(s.Func, b.Object); o != nil {
			return w.objects[o], true
		}
		if bases[b] == 0 {
			bases[b] = base(b.Space)
		}
		return bases[b], true
	}
	for _, p := range s.Func.Params {
		w.params = append(w.params, w.param(p, s.Params[p], of))
	}
	anywhere := false
	for _, a := range s.Accesses {
		if !a.Writes() {
			continue
		}
		n, ok := of(a.Base)
		anywhere = anywhere || !ok
		if ok {
			w.written[n] = true
		}
	}
	for i := range w.written {
		w.written[i] = w.written[i] || anywhere
	}
	return w
}

// param is the value that a parameter has at the launch.
func (w *sweep) param(p *ir.Param, v access.Value, of func(*access.Base) (int32, bool)) value {
	var x value
	switch {
	case v.P == nil && v.Truth == nil || p.Type.IsFloat():
		return unknown
	case v.Truth != nil:
		return w.named(symbolKey{what: v.Truth.Key()}, symbolInfo{nonNegative: true})
	}
	if c, ok := v.P.IsConst(); ok {
		x = number(c)
	} else {
		lo, _ := v.P.Range()
		x = w.named(symbolKey{what: v.P.Key()}, symbolInfo{nonNegative: lo >= 0})
	}
	if p.Type != ir.Ptr {
		return x
	}
	if v.Base == nil {
		return unknown
	}
	n, ok := of(v.Base)
	if !ok {
		return unknown
	}
	x.base = n
	return x
}
