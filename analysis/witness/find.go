package witness

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/ir/interp"
	"github.com/warplint/warplint/analysis/ir/interp/hb"
	"github.com/warplint/warplint/analysis/meet"
	"github.com/warplint/warplint/analysis/order"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/slice"
	"github.com/warplint/warplint/analysis/term"
)

// This file runs the planned launches and matches what races in them with the candidates.

// Race is a candidate with the two threads that show it.
type Race struct {
	A, B    *access.Access
	Kind    race.Kind
	Miss    order.Miss
	Launch  *ir.Launch // the host's launch, nil if assumed
	Small   bool       // only shown with numbers, or a memory, that a caller may never pass
	Witness race.Witness
	// Tolerated is set where policy counts the two as ordered and the memory model does not.
	Tolerated bool
	// Rechecked is set where a plain read is harmless, as a compare-and-swap checks its value.
	Rechecked bool
	// Presumed is set where an assumption tells the two apart that the verdict names.
	Presumed bool
	// Same is set where the two write the same value.
	Same bool
}

// Result is what became of the candidates.
type Result struct {
	Races   []Race
	Reasons []access.Reason // one for each pair of sites without a witness
	Runs    int
	Steps   int64 // of the interpreter, in all runs
}

// Limits of the search, in steps of the interpreter, so that they do not depend on the machine.
const (
	runSteps      = 120_000
	stepsOfThread = 300 // more for launches of many threads
	longRunSteps  = 1_500_000
	farRunSteps   = 250_000
	ampleSteps    = 4 // times as many
	mixedRunSteps = 75_000
	mixedSteps    = 125_000 // in all mixed plans
	totalSteps    = 500_000
	// deepSteps is the limit for kernels that synchronize by fences, scopes and polling: what
	// they lack shows late, after threads have waited for each other.
	deepSteps = 3_500_000
	// wholeGridThreads, wholeGridSteps and wholeGridBlocks bound the run of all blocks.
	wholeGridThreads = hb.MaxThreads
	wholeGridSteps   = 5_000_000
	wholeGridBlocks  = 1 << 12
	// runMemory bounds the memory that a run touches, in bytes.
	runMemory = 32 << 20
)

type search struct {
	s       *access.Summary
	tried   *Tried
	open    map[[2]ir.Stmt][]meet.Candidate
	found   map[[2]ir.Stmt]Race
	sites   []int // of the candidates
	res     *Result
	program *interp.Program
	steps   int64
	limit   int64
	plans   []plan
	// contents is how many of the contents are worth a try, and data the first of them that are not zeros.
	contents, data int
	// What holds of the kernel in each run: see synchronizes, forOneBlock and dividedByData.
	waits, oneBlock, divided bool
	acted                    []*access.Access // see actedUpon
	within                   bool             // see withinBlocks
	leaving                  bool             // see mayLeave
	anyShape                 bool             // some pair of places mixes up rows and columns, see mixesUp
	guesses                  *guesses
	parted                   bool // not all threads may come to each barrier

	// ran says with how many steps at most a plan has run from some contents under a schedule.
	ran map[attempt]int64
	// ended keeps what came of the runs, and twins which plans and which contents do the same as others
	// before them, see twins.go.
	ended map[attempt]*hb.Result
	twins twins
	// stopped are the attempts that came to no end of their own, see enough.go.
	stopped []attempt
	// reached says how many steps a run of a plan from some contents took at most, and hits
	// likewise of those with natural sizes in which a pair raced.
	reached map[[2]int]int64
	hits    map[hit]map[int]int64
	// came says to which sites threads came in runs of a plan from some contents.
	came map[[2]int][]bool
	// onlyData are the answers of anyOnlyData.
	onlyData map[dataQuestion]bool
	// outside are the runs in which an array was left, and stays the sites that some run did not lead outside, see beyond.go.
	outside []outside
	stays   map[int]bool
}

// dataQuestion asks whether two statements are kept apart by data alone, for threads of a kind.
type dataQuestion struct {
	pair [2]ir.Stmt
	kind race.Kind
}

// attempt is a run; its options are without their limit.
type attempt struct {
	plan, contents int
	options        interp.Options
}

// whole stands for a run that was not cut off.
const whole = math.MaxInt64

// hit is a pair that raced from some contents of memory.
type hit struct {
	pair     [2]ir.Stmt
	contents int
}

// Find looks for a witness of each candidate. The instances of a template share one budget. What was tried for
// other launches of the kernel is added to. If parted is set, not all threads may come to each barrier.
func Find(ctx context.Context, s *access.Summary, candidates []meet.Candidate, parted bool, instances int, tried *Tried) *Result {
	res := &Result{}
	var left []meet.Candidate
	for _, share := range byMode(s, candidates) {
		share.candidates = slices.DeleteFunc(share.candidates, func(c meet.Candidate) bool { return res.shows(pairOf(c), true) })
		f := newSearch(share.s, share.candidates, parted, instances, tried)
		left = append(left, f.find(ctx, share.candidates)...)
		res.add(f.res)
	}
	told := map[[2]ir.Stmt]bool{}
	for _, c := range left {
		if pair := pairOf(c); !told[pair] && !res.shows(pair, false) {
			told[pair] = true
			res.Reasons = append(res.Reasons, access.Reason{Site: c.A.Site,
				Text: fmt.Sprintf("not decided whether threads race on `%s` here", variable(s, c))})
		}
	}
	return res
}

// shows reports whether a pair has a witness that counts for the verdict, and for sure if that is asked for.
func (r *Result) shows(pair [2]ir.Stmt, sure bool) bool {
	return slices.ContainsFunc(r.Races, func(r Race) bool {
		return r.pair() == pair && !r.discounted() && !(sure && r.Small)
	})
}

// add adds what came of other candidates; of each pair the surer race is kept.
func (r *Result) add(o *Result) {
	r.Runs, r.Steps = r.Runs+o.Runs, r.Steps+o.Steps
	for _, race := range o.Races {
		same := slices.IndexFunc(r.Races, func(old Race) bool { return old.pair() == race.pair() })
		switch {
		case same < 0:
			r.Races = append(r.Races, race)
		case r.Races[same].Small && !race.Small:
			r.Races[same] = race
		}
	}
}

func newSearch(s *access.Summary, candidates []meet.Candidate, parted bool, instances int, tried *Tried) *search {
	f := &search{s: s, parted: parted, tried: tried, open: map[[2]ir.Stmt][]meet.Candidate{}, found: map[[2]ir.Stmt]Race{}, res: &Result{},
		onlyData: map[dataQuestion]bool{}, stays: map[int]bool{}, hits: map[hit]map[int]int64{}, reached: map[[2]int]int64{}, came: map[[2]int][]bool{}, ran: map[attempt]int64{}, ended: map[attempt]*hb.Result{}, limit: totalSteps}
	for _, c := range candidates {
		f.open[pairOf(c)] = append(f.open[pairOf(c)], c)
		f.sites = append(f.sites, c.A.Site, c.B.Site)
	}
	if len(f.open) == 0 {
		return f
	}
	f.waits, f.oneBlock, f.divided, f.guesses, f.acted = f.synchronizes(), forOneBlock(s), f.dividedByData(), guessesIn(s.Func), actedUpon(s)
	if f.signals() || spins(s.Func) {
		f.limit = max(totalSteps, deepSteps/int64(instances))
	}
	for pair := range f.open {
		f.anyShape = f.anyShape || f.mixable(pair)
	}
	part := slice.OfMeeting
	if parted {
		part = slice.Of
	}
	f.program = interp.Compile(part(s, f.sites))
	f.prepare()
	return f
}

// find looks for the witnesses, and returns a candidate of each pair that has none which counts for the verdict.
func (f *search) find(ctx context.Context, candidates []meet.Candidate) (left []meet.Candidate) {
	if len(f.open) == 0 {
		return nil
	}
	setting, lines := "", map[string]meet.Candidate(nil)
	if f.tried.searches != nil {
		setting, lines = f.setting(), f.lines(candidates)
		if left, again := f.tried.of(setting, lines); again {
			return left
		}
	}
	f.run(ctx)
	f.alongOffsets(ctx)
	f.lessNatural(ctx)
	if f.aimed(ctx, candidates) { // else there are no answers that leave more open, either
		f.led(ctx, candidates)
	}
	f.inTwos(ctx, candidates)
	f.further(ctx, candidates)
	f.mixedNumbers(ctx)
	f.wholeGrid(ctx)
	f.largestBlock(ctx)
	f.beyond(ctx)
	seen, open := map[[2]ir.Stmt]bool{}, map[[2]ir.Stmt]bool{}
	for _, c := range candidates {
		p := pairOf(c)
		r, ok := f.found[p]
		if ok && !seen[p] {
			r.Small = r.Small || !f.sure(p) || f.hangsOnFewRounds(ctx, r)
			f.res.Races = append(f.res.Races, r)
		}
		seen[p] = true
		if c.Discounted() || ok && !r.discounted() || open[p] {
			continue
		}
		open[p] = true
		left = append(left, c)
	}
	if f.tried.searches != nil && ctx.Err() == nil {
		f.tried.remember(setting, lines, f, left)
	}
	return left
}

func (r Race) pair() [2]ir.Stmt { return [2]ir.Stmt{r.A.Stmt, r.B.Stmt} }

func pairOf(c meet.Candidate) [2]ir.Stmt { return [2]ir.Stmt{c.A.Stmt, c.B.Stmt} }

func variable(s *access.Summary, c meet.Candidate) string {
	if v := s.Func.Sites[c.A.Site].Variable; v != "" {
		return v
	}
	return c.A.Base.Name
}

// synchronizes reports whether threads of the kernel wait for each other but at barriers.
func (f *search) synchronizes() bool {
	return f.signals() || len(hb.PolledSites(f.s.Func)) > 0
}

// spins reports whether a loop waits for another thread. One with a barrier in it goes on with all threads of
// the block, until one of them has told the others that the work is done.
func spins(f *ir.Func) bool {
	polled := hb.PolledSites(f)
	found := false
	ir.WalkStmts(f.Body, func(s ir.Stmt) bool {
		if l, ok := s.(*ir.Loop); ok && len(polled) > 0 {
			reads, meets := false, false
			ir.WalkStmts([]ir.Stmt{l}, func(s ir.Stmt) bool {
				site, ok := ir.SiteOf(s)
				reads = reads || ok && polled[site]
				b, ok := s.(*ir.Barrier)
				meets = meets || ok && b.Level == ir.BlockLevel
				return true
			})
			found = found || reads && !meets
		}
		return true
	})
	return found
}

// looks reports whether threads look at places that others may set: by strong reads.
func (f *search) looks() bool {
	return slices.ContainsFunc(f.s.Accesses, func(a *access.Access) bool { return a.Kind == race.Read && (a.Order != ir.Weak || a.Volatile) })
}

// signals reports whether threads of the kernel use what orders them but for barriers: fences, and atomics
// of a scope.
func (f *search) signals() bool {
	for _, a := range f.s.Accesses {
		if a.Kind == race.Atomic && a.Scope == race.ScopeBlock && a.Base.Space != ir.Shared {
			return true
		}
	}
	for _, e := range f.s.Events {
		if _, ok := e.Stmt.(*ir.Fence); ok {
			return true
		}
	}
	return false
}

// run tries the plans until every candidate has its witness or the budget is spent. Each
// contents of memory is tried with the first plan; where that shows something, all with natural
// sizes follow: a race that each of them shows does not hang on the numbers. Where threads that take
// turns don't come far, each goes as far as it can first of all.
func (f *search) run(ctx context.Context) {
	schedules := f.schedules()
	for _, round := range []round{
		{first: true, zeros: true, schedules: schedules[:1]},
		{first: true, data: true, schedules: schedules[:1]},
		{first: true, zeros: true, cut: true, schedules: []interp.Options{far}},
		{first: true, schedules: schedules[:1]},
		{first: true, cut: true, schedules: []interp.Options{far}},
		{first: true, longer: true, schedules: schedules[:1]},
		{schedules: schedules[:1]},
		{first: true, schedules: schedules[1:]},
		{small: true, schedules: schedules[:1]},
		{schedules: schedules[1:]},
		{small: true, schedules: schedules[1:]},
	} {
		if f.onlyDiscounted() {
			return
		}
		for k := range f.contents {
			for i := range f.plans {
				if f.done() {
					return
				}
				if f.takes(round, i, k) && !f.launch(ctx, i, k, round) {
					return
				}
			}
		}
	}
}

// prepare makes the plans.
func (f *search) prepare() {
	f.plans, f.contents = plansFor(f.s, f.program.Func), 1
	f.within, f.leaving = f.withinBlocks(), f.mayLeave()
	if heedsMemory(f.program.Func) {
		f.contents = ascendingContents
	}
	if f.within && (f.leaving || f.contents == 1) {
		for i := range f.plans {
			f.plans[i].fewBlocks(f.leaving)
		}
	}
	f.data = f.firstData()
	f.twins = newTwins(len(f.plans), len(contents))
	if len(f.plans) > 0 {
		f.plans = append(f.plans, roundedUp(f.s, &f.plans[0], f.leaving)...)
		f.plans = append(f.plans, covering(f.s, &f.plans[0])...)
		if more := ample(f.s, &f.plans[0]); len(more) > 0 {
			f.plans = append(f.plans, more...)
		} else if f.within && (!f.plans[0].several || len(f.plans[0].parameters) == 0) {
			f.plans = append(f.plans, f.plans[0].alone(f.leaving))
		}
	}
}

// mayLeave reports whether a candidate hangs on threads that may have returned before a barrier of others.
func (f *search) mayLeave() bool {
	returns := false
	ir.WalkStmts(f.s.Func.Body, func(st ir.Stmt) bool {
		_, isReturn := st.(*ir.Return)
		returns = returns || isReturn
		return !returns
	})
	if !returns {
		return false
	}
	for _, open := range f.open {
		if slices.ContainsFunc(open, func(c meet.Candidate) bool { return c.Miss().What == order.Returned }) {
			return true
		}
	}
	return false
}

// withinBlocks reports whether all candidates are of threads of one block, and nothing that a block does
// hangs on others.
func (f *search) withinBlocks() bool {
	counts := slices.ContainsFunc(f.acted, func(a *access.Access) bool { return a.Base.Space != ir.Shared })
	if f.waits || counts || f.s.Cluster.Count() > 1 {
		return false
	}
	for _, open := range f.open {
		if slices.ContainsFunc(open, func(c meet.Candidate) bool { return c.Kind == race.InterBlock }) {
			return false
		}
	}
	return true
}

// mixedNumbers runs the plans with mixed numbers. They are about addresses, so memory holds zeros.
func (f *search) mixedNumbers(ctx context.Context) {
	left := f.steps + mixedSteps
	for i := range f.plans {
		if p := &f.plans[i]; p.mixed && !f.done() && f.steps < left && ctx.Err() == nil {
			options := f.schedules()[0]
			options.MaxSteps = mixedRunSteps
			f.once(ctx, attempt{i, 0, options})
		}
	}
}

// wholeGrid runs all blocks of a grid of which only some have run so far.
func (f *search) wholeGrid(ctx context.Context) {
	if len(f.plans) == 0 || ctx.Err() != nil {
		return
	}
	p, ok := f.plans[0].ofWholeGrid(f.s)
	if !ok {
		return
	}
	most := int64(wholeGridSteps)
	switch {
	case f.lacksLink():
		most *= 2
	case f.done():
		return
	}
	f.plans = append(f.plans, p)
	options := f.schedules()[0]
	options.MaxSteps = most
	f.once(ctx, attempt{len(f.plans) - 1, 0, options})
	const tries = 2
	for _, options := range f.schedules()[:min(tries, len(f.schedules()))] {
		if p.launch.Before == nil || len(f.found) == len(f.open) {
			break
		}
		f.plans = append(f.plans, f.plans[0].ofFewBlocks())
		options.MaxSteps = most
		f.once(ctx, attempt{len(f.plans) - 1, 0, options})
	}
}

// largestBlock runs a block of as many threads as there may be, where nothing says how many the kernel is meant for.
func (f *search) largestBlock(ctx context.Context) {
	if f.s.Launch != nil || len(f.plans) == 0 || f.done() || ctx.Err() != nil {
		return
	}
	l := newPlanner(f.s, f.s.Func)
	p, ok := l.with(numbers{size: f.plans[0].size, largest: true})
	if !ok || p.cut || p.launch.Block == f.plans[0].launch.Block {
		return
	}
	if p.launch.Grid.Count() > 2 {
		p.launch.Blocks = wholeClusters([]int{0, 1}, p.launch.Grid, f.s.Cluster)
	}
	p.small = true
	f.plans = append(f.plans, p)
	options := f.schedules()[0]
	options.MaxSteps = int64(p.threads()) * stepsOfThread
	f.once(ctx, attempt{len(f.plans) - 1, 0, options})
}

// round is a part of the search: which plans to run, and how.
type round struct {
	first     bool // only the first plan, and what it takes to be sure of what it shows
	longer    bool // only what was cut off, with more steps
	cut       bool // only what was cut off
	small     bool // plans with small numbers
	zeros     bool // only memory that holds zeros, beyond the limit
	data      bool // only the first plan from the first data, beyond the limit
	schedules []interp.Options
}

// anyBits are the contents that are any values.
const anyBits = 5

// withWords are the contents with the numbers that conditions ask for.
const withWords = 3

// firstData are the first of the contents to try that are not all zeros: those with the numbers of conditions where one
// is not found among small ones, as what marks an empty place; else small numbers where memory has a say in addresses,
// and any where it decides only which way a thread goes.
func (f *search) firstData() int {
	if len(f.plans) > 0 && slices.ContainsFunc(f.plans[0].drawn, func(d drawn) bool {
		return slices.ContainsFunc(d.words().values, func(x int64) bool { return x < -1 || x > 1<<12 })
	}) {
		return withWords
	}
	if slices.ContainsFunc(f.s.Accesses, func(a *access.Access) bool { return a.InBlock != access.Plain || a.ByData != access.Plain }) {
		return 1
	}
	if len(f.plans) > 0 && slices.ContainsFunc(f.plans[0].drawn, func(d drawn) bool { return d.float == ir.Void && d.words().equal }) {
		return withWords
	}
	return anyBits
}

// earlyContents is the last of the contents that are tried with each plan that is worth it.
const earlyContents = 1

func (f *search) takes(r round, plan, contents int) bool {
	if f.plans[plan].mixed || f.plans[plan].small != r.small || (r.longer || r.cut) && f.reached[[2]int{plan, contents}] == whole {
		return false
	}
	p := &f.plans[plan]
	if r.zeros && contents > 0 || r.data && (contents != f.data || plan != 0 && !p.ample) {
		return false
	}
	if plan == 0 && (contents > 0 || r.cut || r.longer && f.within) && f.endsAlone() || plan > 0 && r.cut && f.reached[[2]int{0, contents}] == whole {
		return false // another one has come to its end
	}
	if p.ample { // in place of one that did not come to its end
		early := (p.level || f.anyShape) && (contents <= earlyContents || r.data) && (f.anyShape || f.reached[[2]int{0, contents}] != whole)
		early = early && (!p.single || contents == 0 || f.reached[[2]int{plan, 0}] == whole)
		return (early || f.confirms(contents, plan)) && !r.longer && !r.cut
	}
	return !r.first || plan == 0 || f.plans[plan].early && contents <= earlyContents && !r.longer || f.unconfirmed(contents, plan)
}

// endsAlone reports whether the first plan is cut off, and one of its blocks by itself, which has nothing to do with
// the others, comes to its end: that shows more.
func (f *search) endsAlone() bool {
	if f.reached[[2]int{0, 0}] == whole {
		return false
	}
	for i := range f.plans {
		if f.plans[i].single && f.reached[[2]int{i, 0}] == whole {
			return true
		}
	}
	return false
}

// launch runs one plan from one contents; it reports whether there is budget left.
func (f *search) launch(ctx context.Context, plan, contents int, r round) bool {
	p := &f.plans[plan]
	for _, options := range r.schedules {
		if f.steps > f.limit && !r.zeros && !r.data || ctx.Err() != nil {
			return false
		}
		most := p.steps()
		switch {
		case p.single:
			most = longRunSteps
		case p.ample:
			most = max(most, min(most*ampleSteps, longRunSteps))
		}
		switch {
		case r.longer:
			most = longRunSteps
		case r.zeros && r.cut && !f.waits:
			most = max(most, farRunSteps)
		}
		before := attempt{plan, contents, options}
		if f.ran[before] >= most {
			continue // it would be the same run
		}
		f.ran[before] = most
		options.MaxSteps = most
		spent := f.steps
		f.once(ctx, attempt{plan, contents, options})
		if r.zeros && r.cut || r.data || p.ample {
			f.limit += f.steps - spent
		}
	}
	return true
}

// far lets each thread, and each block, go on until it has to wait. Where the others do not get far in the
// steps that there are, it does: from one round of a loop to what it does in the next.
var far = interp.Options{Order: interp.Foremost, Quantum: longRunSteps}

// schedules are the interleavings to try. Where threads meet at barriers only, one shows as
// much as many. In a launch of many threads those that run in turn come late to what the last
// one does; there all threads go on step by step first.
func (f *search) schedules() []interp.Options {
	all := slices.Clone(hb.Schedules)
	if len(f.plans) > 0 && f.plans[0].threads() > 512 {
		all[0], all[2] = all[2], all[0]
	}
	if !f.waits && len(f.acted) == 0 {
		return all[:1]
	}
	return all
}

// counts reports whether threads act upon what atomics have counted so far.
func counts(s *access.Summary) bool { return len(actedUpon(s)) > 0 }

// actedUpon lists the atomics whose results are used, or where others read.
func actedUpon(s *access.Summary) (out []*access.Access) {
	used := map[*ir.Reg]bool{}
	ir.WalkStmts(s.Func.Body, func(st ir.Stmt) bool {
		for _, e := range ir.Operands(st) {
			for _, r := range ir.Registers(e) {
				used[r] = true
			}
		}
		return true
	})
	for _, a := range s.Accesses {
		at, ok := a.Stmt.(*ir.Atomic)
		if ok && (used[at.Dst] || slices.ContainsFunc(s.Accesses, func(b *access.Access) bool { return b.Kind == race.Read && b.Base == a.Base })) {
			out = append(out, a)
		}
	}
	return out
}

// done reports whether each candidate has a witness that nothing could make better.
func (f *search) done() bool {
	return len(f.found) == len(f.open) && f.shownForSure() && !f.mayBegin()
}

// mayBegin reports whether a race hangs on numbers that may never be, and the first rounds of the host's loops, whose
// numbers are known, or other numbers of rounds are still to be tried.
func (f *search) mayBegin() bool {
	for i := range f.plans {
		if (f.plans[i].begin || f.plans[i].few != nil) && f.reached[[2]int{i, 0}] == 0 {
			for _, r := range f.found {
				if r.Small {
					return true
				}
			}
		}
	}
	return false
}

// lacksLink reports whether a synchronization of blocks in several links lacks one, and that is not shown yet with
// as many blocks as there are.
func (f *search) lacksLink() bool {
	for pair, open := range f.open {
		if r, ok := f.found[pair]; ok && !r.Small {
			continue
		}
		for _, c := range open {
			if c.Kind != race.InterBlock || c.Discounted() {
				continue
			}
			switch c.Miss().What {
			case order.Fence, order.FenceScope, order.AtomicScope:
				return true
			}
		}
	}
	return false
}

// shownForSure reports whether nothing could make the witnesses better that there are.
func (f *search) shownForSure() bool {
	for pair, r := range f.found {
		if !r.Small && !r.discounted() && !f.settled(pair) {
			return false
		}
	}
	return true
}

func (r *Race) discounted() bool { return r.Tolerated || r.Rechecked || r.Presumed }

// onlyDiscounted reports whether no pair without a witness counts for the verdict: those are not worth
// more than a first round.
func (f *search) onlyDiscounted() bool {
	if f.res.Runs == 0 {
		return false
	}
	for pair, open := range f.open {
		r, ok := f.found[pair]
		if (!ok || r.Presumed) && slices.ContainsFunc(open, func(c meet.Candidate) bool { return !c.Discounted() }) {
			return false
		}
	}
	return f.shownForSure()
}

// once makes an attempt, unless another that does the same has been made.
func (f *search) once(ctx context.Context, a attempt) {
	result := f.ended[f.twins.of(a)]
	if result != nil && f.plans[a.plan].aimed {
		f.steps += result.Outcomes[0].Steps // as if it had run
	}
	if result == nil && a.contents > 0 { // those that nobody reads make no difference
		if zeros := f.ended[attempt{a.plan, 0, a.options}]; zeros != nil && !zeros.Given {
			result = zeros
		}
	}
	if result == nil && f.twins.barren(a) {
		if a.contents == 0 {
			f.steps += a.options.MaxSteps // as if it had run
		}
		return
	}
	if result == nil {
		if result = f.detect(ctx, a, f.enough(&f.plans[a.plan])); result == nil {
			return
		}
		f.ended[a] = result
		first := f.schedules()[0]
		switch {
		case result.Stopped:
			f.stopped = append(f.stopped, a)
		case a.options.Order == first.Order && a.options.Quantum == first.Quantum:
			f.twins.learn(a.plan, a.contents, result)
		}
	}
	f.account(ctx, a, result)
}

// detect runs a plan from some contents, nil if it can't be run.
func (f *search) detect(ctx context.Context, a attempt, enough func(*hb.Race) bool) *hb.Result {
	p, options := &f.plans[a.plan], a.options
	p.fill(a.contents)
	options.MaxMemory = runMemory
	f.res.Runs++
	result, err := hb.DetectAt(ctx, f.program, p.launch, []interp.Options{options}, hb.Wanted{Sites: f.sites, Enough: enough, Known: f.known(p, a.contents)})
	if err != nil {
		return nil
	}
	f.steps += result.Outcomes[0].Steps
	f.res.Steps += result.Outcomes[0].Steps
	return result
}

// account takes in what a run has shown.
func (f *search) account(ctx context.Context, a attempt, result *hb.Result) {
	p, out := &f.plans[a.plan], result.Outcomes[0]
	reached := int64(whole)
	if out.Limit != "" && out.Limit != interp.Standstill { // which no more steps would get on
		reached = out.Steps
	}
	at := [2]int{a.plan, a.contents}
	if p.aimed {
		at[0] = p.of
	}
	f.reached[at] = max(reached, f.reached[at])
	f.came[at] = hb.CameToEither(f.came[at], result.Came)
	if out.Trap != nil {
		return // not a launch that can happen
	}
	outside := f.leaves(a, result)
	for _, r := range result.Races {
		if !outside[r.Object.ID] {
			f.match(p, a, r)
		}
	}
	if reached != whole && !result.Stopped && !p.small {
		f.measure(ctx, a)
	}
}

// foretold returns the candidates that a race may be of, and its sides in their order; none for other races.
func (f *search) foretold(r *hb.Race) (open []meet.Candidate, pair [2]ir.Stmt, first, second *hb.Side) {
	if misaligned(r) {
		return nil, pair, nil, nil
	}
	for _, sides := range [...][2]*hb.Side{{&r.First, &r.Second}, {&r.Second, &r.First}} {
		pair = [2]ir.Stmt{sides[0].Stmt, sides[1].Stmt}
		if open := f.open[pair]; open != nil {
			return open, pair, sides[0], sides[1]
		}
	}
	return nil, pair, nil, nil
}

// isSmall reports whether a race shows a candidate only with numbers or contents of memory that may never be.
func (f *search) isSmall(p *plan, contents int, pair [2]ir.Stmt, r *hb.Race, c meet.Candidate) bool {
	return p.small || p.narrow(f.s.T, c) || p.several && !p.first && (madeByLoop(c.A.Off) || madeByLoop(c.B.Off)) || r.Kind == race.InterBlock && f.oneBlock ||
		hangsOnCounters(contents, &r.First, &r.Second) && c.Miss().What == order.Nothing || f.divided || f.guessed(pair) ||
		f.anyOnlyData(pair, r.Kind) && !(contents == ascendingContents && f.byOffsets(pair))
}

// guessed reports whether it hangs on what was not understood that a thread comes to a place of a pair.
func (f *search) guessed(pair [2]ir.Stmt) bool {
	return f.guesses != nil && (f.guesses.under[pair[0]] || f.guesses.under[pair[1]])
}

// betters reports whether a race shows a candidate better than what has shown the pair so far, if anything has.
func (f *search) betters(pair [2]ir.Stmt, r *hb.Race, c meet.Candidate, small bool) bool {
	old, ok := f.found[pair]
	if !ok || c.Presumed != old.Presumed {
		return !ok || old.Presumed
	}
	return !small && old.Small || distance(old.Kind) < distance(r.Kind) && (!small || old.Small)
}

// known says of races whether the search has no use for what they lack: they are of no candidate, or of one
// that has been shown as well before.
func (f *search) known(p *plan, contents int) func(*hb.Race) bool {
	return func(r *hb.Race) bool {
		open, pair, _, _ := f.foretold(r)
		i := slices.IndexFunc(open, func(c meet.Candidate) bool { return c.Kind == r.Kind })
		if i < 0 {
			return true
		}
		// By what a race lacks it is decided whether it counts.
		lenient := open[i].Tolerated || r.First.Strength.Volatile || r.Second.Strength.Volatile || p.launch.Before != nil
		return !lenient && !f.betters(pair, r, open[i], f.isSmall(p, contents, pair, r, open[i]))
	}
}

// match takes a race as the witness of a candidate.
func (f *search) match(p *plan, a attempt, r *hb.Race) {
	number, contents := a.plan, a.contents
	if p.aimed {
		number = p.of
	}
	open, pair, first, second := f.foretold(r)
	for _, c := range open {
		if !shows(r, c) || p.launch.Before != nil && r.Missing == hb.AcquireFence && !lacksReadersFence(c) {
			continue
		}
		if h := (hit{pair, contents}); !p.small {
			if f.hits[h] == nil {
				f.hits[h] = map[int]int64{}
			}
			if f.hits[h][number] == 0 {
				f.hits[h][number] = f.reached[[2]int{number, contents}]
			}
			if a.options.Quantum == far.Quantum { // all others have to show it as well
				f.hits[h][number] = 1
			}
		}
		small := f.isSmall(p, contents, pair, r, c)
		if !f.betters(pair, r, c, small) {
			return
		}
		found := Race{A: c.A, B: c.B, Kind: r.Kind, Miss: c.Miss(), Small: small, Tolerated: c.Tolerated, Rechecked: c.Rechecked, Presumed: c.Presumed, Witness: race.Witness{
			Grid: p.launch.Grid, Block: p.launch.Block, Cluster: f.clusterOfLaunch(), First: first.Thread.Coords, Second: second.Thread.Coords,
			Parameters: p.parameters, Floats: p.floats, Pointers: p.pointers, Memory: p.memories(contents)}}
		if found.Miss.What == order.Nothing {
			if what := missing(r); what != order.Fence || f.waits || f.looks() { // else an atomic has come between by chance
				found.Miss.What, found.Miss.Reader = what, r.Missing == hb.AcquireFence
			}
		}
		if l := f.s.Launch; l != nil && !p.fewer {
			found.Launch = l.Stmt
		}
		found.Same = !slices.ContainsFunc(open, func(c meet.Candidate) bool {
			return (!c.Discounted() || found.discounted()) && (c.Same == nil || !c.Same())
		})
		f.found[pair] = found
	}
}

// clusterOfLaunch is what a launch says of clusters, zero if the kernel does.
func (f *search) clusterOfLaunch() race.Dim3 {
	if f.s.Func.Cluster != (race.Dim3{}) {
		return race.Dim3{}
	}
	return f.s.Cluster
}

// lacksReadersFence reports whether nothing but the fence of the thread that waits for a flag is missing. That blocks
// which have ended before were late to be seen is no proof of it.
func lacksReadersFence(c meet.Candidate) bool {
	miss := c.Miss()
	return miss.What == order.Fence && miss.Reader
}

// madeByLoop reports whether an address hangs on a variable that a loop of the host changes, nobody knows
// how: it may never have the value chosen for it while other numbers have theirs.
func madeByLoop(p *term.Poly) bool {
	found := false
	p.AllLeaves(func(a *term.Atom) {
		found = found || a.Carried && a.Variance == term.Grid && a.Loops == 0
	})
	return found
}

// anyOnlyData reports whether nothing but data may keep threads at two statements apart. A run does not tell
// by which of the ways to them its threads have come there.
func (f *search) anyOnlyData(pair [2]ir.Stmt, kind race.Kind) bool {
	q := dataQuestion{pair, kind}
	answer, known := f.onlyData[q]
	if !known {
		answer = slices.ContainsFunc(f.s.Accesses, func(a *access.Access) bool {
			return a.Stmt == pair[0] && slices.ContainsFunc(f.s.Accesses, func(b *access.Access) bool {
				return b.Stmt == pair[1] && onlyData(f.s, a, b, kind)
			})
		})
		f.onlyData[q] = answer
	}
	return answer
}

// hangsOnCounters reports whether a race may come from counters that start at arbitrary values,
// such as a ticket at which a block wrongly seems to be the last. Atomics of too narrow a scope
// race whatever the values are.
func hangsOnCounters(number int, first, second *hb.Side) bool {
	return contents[number].counts && !(first.Access == race.Atomic && second.Access == race.Atomic)
}

// dividedByData reports whether memory says which threads meet at some barrier.
func (f *search) dividedByData() bool {
	return slices.ContainsFunc(f.s.Events, func(e *access.Event) bool { return e.ByData })
}

// distance orders kinds by how far apart the threads are.
func distance(k race.Kind) int {
	return map[race.Kind]int{race.IntraWarp: 0, race.IntraBlock: 1, race.InterBlock: 2}[k]
}

// missing is what a trace lacks in the terms of the static side. What shared memory lacks is rather a
// barrier than a flag.
func missing(r *hb.Race) order.What {
	if r.Object.Space == ir.Shared && r.Missing == hb.StrongFlag {
		return order.Nothing
	}
	switch r.Missing {
	case hb.AcquireFence, hb.ReleaseFence, hb.Fences:
		return order.Fence
	case hb.FenceScope:
		return order.FenceScope
	case hb.AccessScope, hb.Scopes:
		return order.AtomicScope
	case hb.StrongFlag:
		return order.Weak
	}
	return order.Nothing
}
