// Package witness looks for two concrete threads that race: it runs small launches of the
// kernel on the interpreter, under several schedules, and keeps the races that the candidate
// pairs of package meet predict. What is found was replayed by being found.
package witness

import (
	"maps"
	"math"
	"slices"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/ir/interp"
	"github.com/warplint/warplint/analysis/ir/interp/hb"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

// This file chooses launches to run: the ones that the host makes where they are known, with
// small numbers for what is not.

// plan is one launch to try.
type plan struct {
	launch     interp.Launch
	parameters map[string]int64   // the scalar parameters, by name
	floats     map[string]float64 // those that are asked for
	pointers   map[string]race.Pointer
	// small is set if numbers that nothing fixes are smaller than what the threads of a small
	// launch cover: a race that needs them may be one that no caller can have.
	small    bool
	size     int64
	several  bool                 // more than one number was chosen
	cut      bool                 // a number was more than its type holds, or an array larger than memories are
	whole    bool                 // all blocks run, for once
	fewer    bool                 // the grid has fewer blocks than the host's
	few      map[*term.Atom]int64 // numbers with which loops go round a few times, where others are natural
	rounds   map[*term.Atom]int64 // these, and those of an ample launch that only say how often loops go round
	begin    bool                 // loops of the host are in their first round
	first    bool                 // loops of the host may be in their first round
	later    bool                 // loops of the host have gone round often
	midway   bool                 // and go on
	early    bool                 // worth a run before other contents of memory are tried
	ample    bool                 // all threads have something to do, and soon come to an end
	single   bool                 // a single block runs
	level    bool                 // its numbers are all alike
	mixed    bool                 // its numbers are mixed
	rounded  bool                 // its last blocks are not full, and run
	covering bool                 // it has as many threads as guards let pass
	shape    int                  // the number of the shape of its grid
	below    uint64               // no number in memory is as great, as it may be meant for a size of the launch; 0 for no limit
	halved   bool                 // its blocks fill half of the arrays
	aimed    bool                 // it is another one, with blocks that were chosen for a candidate
	of       int                  // the number of that one
	led      bool                 // and its memory leads two threads to one place
	values   map[*term.Atom]int64
	// constants are the constant variables that the race hangs on.
	constants map[string]race.Memory
	drawn     []drawn // what may begin with other contents than zeros: the buffers, then variables
}

// round is the round in which a loop of the host is, the largest if there are several.
func (p *plan) round() int64 {
	most := int64(0)
	for a, x := range p.values {
		if a.Kind == term.Iter {
			most = max(most, x)
		}
	}
	return most
}

// steps bounds a run of a launch in which threads take turns.
func (p *plan) steps() int64 { return max(runSteps, int64(p.threads())*stepsOfThread) }

func (p *plan) threads() int {
	blocks := len(p.launch.Blocks)
	if p.launch.Blocks == nil {
		blocks = p.launch.Grid.Count()
	}
	return blocks * p.launch.Block.Count()
}

// Launches returns the launches that would be tried, as witnesses without threads.
func Launches(s *access.Summary) []race.Witness {
	var all []race.Witness
	for _, p := range plans(s) {
		all = append(all, race.Witness{Grid: p.launch.Grid, Block: p.launch.Block, Parameters: p.parameters, Floats: p.floats, Pointers: p.pointers})
	}
	return all
}

// sizes are the numbers tried for what nothing fixes: more than a small launch has threads,
// so that `i < n` holds for all of them; then fewer, and small strides.
var sizes = []int64{1 << 12, 1 << 15, 256, 64, 17, 4, 1}

// natural is the least size that is more than what a small launch covers.
const natural = 1 << 12

// productNatural is the least size where products of natural ones are more than their types hold, as the number of
// elements of a tensor.
const productNatural = 1 << 8

// odd are the numbers of mixed plans; one of these begins with each.
var odd = []int64{17, 64, 3, 300, 1, 33, 0, 5, -33}

const oddSeed = 100

// Limits of a plan: so many plans, and blocks of so many threads where nothing says more.
const (
	maxPlans        = 12
	mixedPlans      = 16 // besides
	defaultThreads  = 64
	maxBlockThreads = 1024
	sharedBytes     = 227 << 10 // what a block may opt in to have
)

// thirdRound is tried where a loop of the host does not go round more often, as one over tiles does not.
const thirdRound = 2

// plans lists the launches to try, the likeliest to show a race first.
func plans(s *access.Summary) []plan { return plansFor(s, s.Func) }

// plansFor are those that make a difference to a part of the kernel.
func plansFor(s *access.Summary, part *ir.Func) []plan {
	l := newPlanner(s, part)
	least := int64(natural)
	if p, ok := l.with(numbers{size: natural}); !ok || p.cut {
		if p, ok := l.with(numbers{size: productNatural}); ok && !p.cut {
			least = productNatural
		}
	}
	out := l.ofSizes(least)
	if p, ok := l.covered(); ok && l.isNew(p) {
		out = append(out, p)
	}
	if carriesOn(s) {
		p, ok := l.with(numbers{size: least, begin: true})
		p.size, p.begin, p.first, p.early = least, true, true, true
		if same := slices.IndexFunc(out, func(o plan) bool { return !o.small && planKey(o, l.used) == planKey(p, l.used) }); ok && same >= 0 {
			out[same].first = true
		} else if ok && !p.cut {
			out = append(out, p)
		}
	}
	if goesRound(s) {
		late := func(round int64, midway bool) (plan, bool) {
			p, ok := l.with(numbers{size: least, round: round})
			p.size, p.later, p.midway, p.early = least, true, midway, true
			if ok && !p.cut && l.isNew(p) {
				out = append(out, p)
			}
			return p, ok
		}
		if p, ok := late(least/2, false); !ok {
			late(thirdRound, false)
		} else if last := p.round(); thirdRound < last && last < least/2 {
			late(last/2, true) // in its last round, as in its first, a front has one thread
		}
	}
	if len(out) > 0 {
		out = append(l.ofFewRounds(least), out...)
	}
	return append(out, l.mixed()...)
}

// planner makes plans, each of them once.
type planner struct {
	s *access.Summary
	meanings
	used     map[int]bool
	seen     map[string]bool
	products []term.Term           // of numbers of the launch, with which threads are compared
	passed   map[*term.Atom]string // numbers that are parameters, with their names
}

// meanings say what some unknown numbers of a kernel's launches are for.
type meanings struct {
	polled    map[int]bool
	exponents map[*term.Atom]bool     // by which something is shifted
	lowest    map[*term.Atom]bool     // see lowest
	rooms     map[*term.Atom]int64    // see rooms
	parts     map[*term.Atom]dividend // which divide others
	levels    map[*term.Atom]int64    // see levels
	chains    map[[2]any]bool         // of memory, by its name and key, whether its elements lead to others, once it was asked for
	starts    func() map[string]bool  // of memory, by the names of what it holds, whether it holds offsets of segments
	masks     map[*term.Atom]bool     // one less than sizes
	compares  map[any]*asking         // see askingOf
	results   map[*term.Atom]bool     // what accesses return
}

// newPlanner makes one for a part of a kernel: plans that are alike in what the part reads are one.
func newPlanner(s *access.Summary, part *ir.Func) *planner {
	return &planner{s: s, meanings: meanings{hb.PolledSites(s.Func), exponents(s), lowest(s), rooms(s), parts(s), levels(s), map[[2]any]bool{}, startsOf(s), masks(s), map[any]*asking{}, resultsOf(s)}, used: usedParams(part), seen: map[string]bool{}, products: productsOf(s), passed: passedIn(s)}
}

func resultsOf(s *access.Summary) map[*term.Atom]bool {
	out := map[*term.Atom]bool{}
	for _, a := range s.Accesses {
		if a.Result != nil {
			out[a.Result] = true
		}
	}
	return out
}

func (l *planner) with(n numbers) (plan, bool) {
	p, ok := l.assign(n).plan()
	p.cut = p.cut || ok && (l.beyondMemory(p) || l.overflows(p))
	return p, ok
}

// passedIn are the numbers that parameters are.
func passedIn(s *access.Summary) map[*term.Atom]string {
	out := map[*term.Atom]string{}
	for param, v := range s.Params {
		if v.P != nil && v.Base == nil && v.P.IsAtom() != nil {
			out[v.P.IsAtom()] = param.Name
		}
	}
	return out
}

// told is a plan that has among its values those of parameters that no condition of the host speaks of.
func (l *planner) told(p plan) plan {
	values := maps.Clone(p.values)
	for a, name := range l.passed {
		if x, ok := p.parameters[name]; ok {
			values[a] = x
		}
	}
	p.values = values
	return p
}

// productsOf lists the products of numbers of the launch with which a kernel compares what differs between threads, as in `if (i < B * T * C)`.
func productsOf(s *access.Summary) (out []term.Term) {
	seen := map[*term.Cond]bool{}
	for _, a := range s.Accesses {
		for _, c := range a.When {
			if seen[c] || c.Variance() == term.Grid {
				continue
			}
			seen[c] = true
			c.Walk(func(c *term.Cond) {
				if c.P == nil {
					return
				}
				for _, x := range c.P.Terms() {
					if len(x.Mono.Atoms) > 1 && !slices.ContainsFunc(x.Mono.Atoms, func(a *term.Atom) bool { return !free(a) }) {
						out = append(out, x)
					}
				}
			})
		}
	}
	return out
}

// overflows reports whether one of these products is more than 32 bits hold in a launch: then no thread may pass.
func (l *planner) overflows(p plan) bool {
	if len(l.products) == 0 {
		return false
	}
	p = l.told(p)
	return slices.ContainsFunc(l.products, func(x term.Term) bool {
		product := math.Abs(float64(x.Coef))
		for _, a := range x.Mono.Atoms {
			n, known := l.value(a, p)
			if !known {
				return false
			}
			product *= math.Abs(float64(n))
		}
		return product > math.MaxInt32
	})
}

// beyondMemory reports whether the last thread of a launch accesses more of an array in global memory than memories hold, as with
// three natural numbers that are multiplied. What a launch finds in memory, as the row that a thread looks up, may be zero.
func (l *planner) beyondMemory(p plan) bool {
	const room = 1 << 35 // bytes
	return slices.ContainsFunc(l.s.Accesses, func(a *access.Access) bool {
		last, ok := l.most(withoutData(l.s.T, a.Off), p)
		return ok && last > room && a.Base.Space == ir.Global
	})
}

// withoutData is an address with zeros for what memory holds.
func withoutData(t *term.Table, p *term.Poly) *term.Poly {
	for _, x := range p.Terms() {
		for _, a := range x.Mono.Atoms {
			_, read := a.Ref.(*ir.Load)
			_, drawn := a.Ref.(*ir.Atomic)
			if read || drawn || access.IsContents(a) {
				p = t.Substitute(p, a, t.Const(0))
			}
		}
	}
	return p
}

func (l *planner) assign(n numbers) *assignment {
	return newAssignment(l.s, l.meanings, n)
}

func (l *planner) isNew(p plan) bool {
	key := planKey(p, l.used)
	again := l.seen[key]
	l.seen[key] = true
	return !again
}

// ofSizes are the plans with numbers of each size, natural ones first.
func (l *planner) ofSizes(least int64) (out []plan) {
	for _, size := range sizes {
		for _, order := range [...]spread{level, rising, falling, apart} {
			if size < least && order != level || len(out) == maxPlans {
				break
			}
			p, ok := l.with(numbers{size: size, spread: order})
			p.size, p.small = size, p.small && size < least
			if !ok || p.cut && least < natural || order != level && !p.several { // how they compare is no matter
				continue
			}
			if l.isNew(p) {
				out = append(out, p)
			}
		}
	}
	return out
}

// ofFewRounds are plans that soon come to an end.
func (l *planner) ofFewRounds(least int64) (out []plan) {
	few := rounds(l.s)
	if len(few) == 0 {
		return nil
	}
	choices := [...]map[*term.Atom]int64{few, l.wide(few)}
	for _, order := range [...]spread{level, rising, falling} {
		for _, few := range choices {
			p, ok := l.with(numbers{size: least, spread: order, few: few})
			p.size, p.few, p.rounds = least, few, few
			if ok && !p.cut && l.isNew(p) {
				out = append(out, p)
			}
		}
	}
	return out
}

// mixed are plans whose numbers are small and large.
func (l *planner) mixed() (out []plan) {
	for row := range mixedPlans {
		p, ok := l.with(numbers{spread: mixed, row: row})
		if ok && p.small && l.isNew(p) {
			p.mixed = true
			out = append(out, p)
		}
	}
	return out
}

// covered is a launch of known dimensions whose numbers are all the number of its threads, one element each.
func (l *planner) covered() (plan, bool) {
	threads := int64(1)
	for i := range 3 {
		g, ok1 := l.s.Grid[i].IsConst()
		b, ok2 := l.s.Block[i].IsConst()
		if !ok1 || !ok2 || g <= 0 || b <= 0 || threads > math.MaxInt32/(g*b) {
			return plan{}, false
		}
		threads *= g * b
	}
	p, ok := l.with(numbers{size: threads})
	ok = ok && !p.cut && threads > 1
	p.size, p.small, p.early = threads, false, true
	return p, ok
}

// carriesOn reports whether a loop of the host makes what it launches with, round by round.
func carriesOn(s *access.Summary) bool {
	return launchesWith(s, func(a *term.Atom) bool { return a.First != nil })
}

// goesRound reports whether a kernel is launched with the number of a round, or with as many blocks or threads as it says.
func goesRound(s *access.Summary) bool {
	return launchesWith(s, func(a *term.Atom) bool { return a.Kind == term.Iter })
}

// launchesWith reports whether a launch has an argument or a dimension that is made of some number.
func launchesWith(s *access.Summary, is func(*term.Atom) bool) bool {
	if s.Launch == nil {
		return false
	}
	found := false
	numbers := slices.Concat(s.Launch.Grid[:], s.Launch.Block[:])
	for _, a := range s.Launch.Args {
		numbers = append(numbers, a.P)
	}
	for _, p := range numbers {
		if p != nil {
			p.AllLeaves(func(a *term.Atom) { found = found || is(a) })
		}
	}
	return found
}

// spread says how the unknown numbers of one plan compare. A pitch may be more than a width or
// less: what is sure to race does so whichever is greater.
type spread uint8

const (
	level spread = iota // all the same
	rising
	falling
	apart // none goes into a small multiple of another: two strides of one array may be any numbers
	mixed // small ones at random: for relations between them that nothing rules out
)

// planKey is what of a plan makes a difference: its dimensions and the arguments that are used.
func planKey(p plan, used map[int]bool) string {
	key := make([]byte, 0, 64)
	put := func(v int64) {
		for i := range 8 {
			key = append(key, byte(v>>(8*i)))
		}
	}
	for i := range 3 {
		put(int64(p.launch.Grid[i]))
		put(int64(p.launch.Block[i]))
	}
	for i, a := range p.launch.Args {
		if used[i] {
			put(int64(a.Bits))
			put(a.Offset)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(p.launch.Variables)) {
		b := p.launch.Variables[id]
		key = append(key, b.Data...)
		if b.Fill != nil && b.Size > 0 {
			data := make([]byte, b.Size)
			b.Fill(0, data)
			key = append(key, data...)
		}
	}
	return string(key)
}

func (v *assignment) plan() (plan, bool) {
	s := v.s
	p := plan{parameters: map[string]int64{}, floats: map[string]float64{}, pointers: map[string]race.Pointer{}}
	if !v.repair() {
		return p, false
	}
	for i := range 3 {
		p.launch.Block[i] = v.blockDim(i)
		p.launch.Grid[i] = v.gridDim(i)
		if p.launch.Block[i] < 1 || p.launch.Grid[i] < 1 {
			return p, false
		}
	}
	v.fit(&p.launch.Block)
	if p.launch.Block.Count() > maxBlockThreads {
		return p, false
	}
	p.launch.Blocks = wholeClusters(someBlocks(p.launch.Grid, p.launch.Block), p.launch.Grid, s.Cluster)
	p.launch.SharedBytes, p.launch.Cluster = sharedBytes, s.Cluster
	buffers := map[any]int{}
	for i, param := range s.Func.Params {
		arg, ok := v.argument(&p, buffers, param, i)
		if !ok {
			return p, false
		}
		p.launch.Args = append(p.launch.Args, arg)
	}
	p.launch.Variables, p.constants = v.constants()
	p.several, p.values = v.chosen > 1, v.values
	p.small = v.chosen > 0 && v.size < natural
	for _, o := range filled(s) {
		p.drawn = append(p.drawn, v.draw(o.Name, o, func(e ir.Expr) bool { return pointsAt(e, o) }))
		p.drawn[len(p.drawn)-1].variable = o
	}
	return p, true
}
