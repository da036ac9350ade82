// Package witness looks for two concrete threads that race: it runs small launches of the
// kernel on the interpreter, under several schedules, and keeps the races that the candidate
// pairs of package meet predict. What is found was replayed by being found.
package witness

import (
	"maps"
	"math"
	"math/bits"
	"math/rand/v2"
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
	used map[int]bool
	seen map[string]bool
}

// meanings say what some unknown numbers of a kernel's launches are for.
type meanings struct {
	polled    map[int]bool
	exponents map[*term.Atom]bool     // by which something is shifted
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
	return &planner{s: s, meanings: meanings{hb.PolledSites(s.Func), exponents(s), rooms(s), parts(s), levels(s), map[[2]any]bool{}, startsOf(s), masks(s), map[any]*asking{}, resultsOf(s)}, used: usedParams(part), seen: map[string]bool{}}
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
	p.cut = p.cut || ok && l.beyondMemory(p)
	return p, ok
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
			p.size, p.few = least, few
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

// numbers says how to choose what nothing fixes.
type numbers struct {
	size   int64
	spread spread
	row    int                  // of mixed numbers
	few    map[*term.Atom]int64 // what only counts the rounds of loops, with a number that makes few
	begin  bool                 // what loops of the host carry on is what they begin with
	round  int64                // in which loops of the host are
	// blocks are those along each axis that the kernel uses, where nothing says how many; 0 for the default. exact are
	// numbers with their values.
	blocks race.Dim3
	exact  map[*term.Atom]int64
	// largest is set for blocks of as many threads as there may be, where nothing says how many.
	largest bool
	// halved is set for blocks of half as many threads as fill the arrays.
	halved bool
}

// assignment gives every unknown of a launch a value: one size for all, but for those that a
// condition on the way to the launch forces to differ.
type assignment struct {
	numbers
	s      *access.Summary
	values map[*term.Atom]int64
	made   map[*term.Atom]made // by functions, of these values
	chosen int                 // how many values were chosen that nothing fixes
	moved  int                 // how often one was changed, to make a condition hold
	meanings

	origins map[int]origin // by buffer
}

func newAssignment(s *access.Summary, m meanings, n numbers) *assignment {
	return &assignment{numbers: n, s: s, meanings: m, values: map[*term.Atom]int64{}, made: map[*term.Atom]made{}, origins: map[int]origin{}}
}

// made is what a function gives, if it does.
type made struct {
	value int64
	ok    bool
}

// origin is the first parameter that points into a buffer, and where.
type origin struct {
	name   string
	offset int64
}

// coprime are the numbers of plans with numbers apart, in units that keep what is aligned aligned. They have
// no factor in common, each is more than a row of small blocks is wide, and none is twice another.
var coprime = []int64{131, 137, 139, 149, 151, 157, 163, 167, 173, 179, 181, 191}

// part is the part of a natural size that is chosen for what differs from round to round of the host's loops:
// some round has a number that is less than the sizes are. Behind it there are larger ones, as offsets are.
const part = 32

// chooseFor gives the next number that nothing fixes, for an atom.
func (v *assignment) chooseFor(a *term.Atom) int64 {
	if v.size >= natural && v.spread != mixed && eachRound(a) {
		const most = 3
		return v.size/part + v.size*min(max(a.Args[0].Constant()/4, 0), most)
	}
	if x, ok := v.exact[a]; ok {
		return x
	}
	if x, ok := v.levels[a]; ok && v.spread != mixed {
		v.chosen++
		return x
	}
	if v.exponents[a] {
		return exponent(v.choose())
	}
	if v.masks[a] {
		return 1<<exponent(v.choose()) - 1
	}
	if w, ok := v.parts[a]; ok && v.spread != mixed {
		return v.ofParts(a, w)
	}
	of := v.size
	if n, ok := v.few[a]; ok {
		v.size = n
	}
	x := v.choose()
	v.size = of
	if most, ok := v.rooms[a]; ok && v.spread != mixed {
		x = min(x, most)
	}
	return x
}

// eachRound reports whether a number is what an array of the host holds for each round of a loop.
func eachRound(a *term.Atom) bool {
	found := false
	if a != nil && access.IsContents(a) {
		for _, p := range a.Args {
			p.AllLeaves(func(a *term.Atom) { found = found || a.Kind == term.Iter })
		}
	}
	return found
}

// choose gives the next number that nothing fixes.
func (v *assignment) choose() int64 {
	const most = 3 // products of two stay within 32 bits
	k := min(v.chosen, most)
	v.chosen++
	switch v.spread {
	case rising:
		return v.size + v.size/2*int64(k)
	case falling:
		return v.size + v.size/2*int64(most-k)
	case apart:
		return v.size / 128 * coprime[(v.chosen-1)%len(coprime)]
	case mixed:
		if k == 0 {
			return odd[v.row%len(odd)]
		}
		return odd[rand.New(rand.NewPCG(uint64(v.row)+oddSeed, uint64(v.chosen))).IntN(len(odd))]
	}
	return v.size
}

func (v *assignment) leaf(a *term.Atom) (int64, bool) {
	if a.Kind == term.Func && !access.IsContents(a) && access.AddressOf(a) == nil { // an array of the host may hold any number
		known, ok := v.made[a]
		if !ok {
			known.value, known.ok = v.function(a)
			v.made[a] = known
		}
		return known.value, known.ok
	}
	if v.begin && a.First != nil {
		return a.First.Value(v.leaf)
	}
	if _, host := a.Ref.(*ir.Reg); host && (a.Loops != 0 || a.Side != 0) {
		// What a variable of a host loop holds depends on the others in it.
		return 0, false
	}
	x, ok := v.values[a]
	if !ok {
		if x, ok = word(a); !ok {
			if x = v.round; a.Kind != term.Iter {
				x = v.chooseFor(a)
			}
		}
		v.values[a] = x
	}
	x = min(max(x, a.Lo), a.Hi)
	for a.Power && x&(x-1) != 0 {
		x &= x - 1
	}
	return x, true
}

// set changes a value, and what is made of it.
func (v *assignment) set(a *term.Atom, x int64) {
	v.values[a] = x
	v.moved++
	clear(v.made)
}

// isChosen reports whether the value of an atom is chosen here, and does not follow from others.
func (v *assignment) isChosen(a *term.Atom) bool {
	return (len(a.Args) == 0 || access.IsContents(a) || access.AddressOf(a) != nil) && !isFixed(a) && !(v.begin && a.First != nil)
}

// given lists what holds of a launch.
func (v *assignment) given() []*term.Cond {
	if v.s.Launch == nil {
		return v.s.Given
	}
	return append(slices.Clip(v.s.Given), v.s.Launch.When...)
}

// repair changes values until the conditions on the way to the launch hold, and what the kernel asserts of
// them if it can; it reports whether the former do.
func (v *assignment) repair() bool {
	given := v.given()
	if !v.makeHold(given) {
		return false
	}
	if len(v.s.Expected) > 0 {
		values := maps.Clone(v.values)
		if !v.makeHold(append(slices.Clip(given), v.s.Expected...)) {
			v.values = values
			clear(v.made)
		}
	}
	return true
}

// makeHold changes values until the conditions hold; it reports whether they do.
func (v *assignment) makeHold(conds []*term.Cond) bool {
	const rounds = 20
	for range rounds {
		good, before := true, v.moved
		for _, c := range conds {
			if holds, ok := c.Holds(v.leaf); ok && !holds {
				good = false
				v.adjust(c)
			}
		}
		if good {
			return true
		}
		if v.moved == before {
			return false // nor would the next round move any
		}
	}
	return false
}

// adjust moves one value of a comparison that does not hold by as much as it lacks.
func (v *assignment) adjust(c *term.Cond) {
	if c.P == nil {
		for _, a := range c.Args {
			if holds, ok := a.Holds(v.leaf); ok && !holds {
				v.adjust(a)
				return
			}
		}
		return
	}
	lack, ok := c.P.Value(v.leaf)
	if !ok {
		return
	}
	if c.Op == term.NeZero {
		lack = 1
	}
	terms := slices.Clone(c.P.Terms())
	slices.SortStableFunc(terms, func(a, b term.Term) int { return rank(a) - rank(b) })
	for _, t := range terms {
		if len(t.Mono.Atoms) != 1 {
			continue
		}
		a := unwrapped(t.Mono.Atoms[0])
		old, ok := v.leaf(a)
		if !ok || !v.isChosen(a) {
			continue
		}
		by := lack / t.Coef
		if lack%t.Coef != 0 {
			by += sign(lack) * sign(t.Coef)
		}
		x := old - by
		if a.Power && by < 0 {
			x = 2*x - 1 // at least x as a power of two, which leaf makes of it
		}
		if x >= a.Lo && x <= a.Hi && by != 0 {
			v.set(a, x)
			return
		}
	}
	if c.Op != term.NeZero {
		v.shrink(c, terms)
		v.goRound(c, terms)
	}
}

// goRound lets loops of the host go round until a number that grows with their rounds is large enough, as in
// `while (side * side < blocks) side++`.
func (v *assignment) goRound(c *term.Cond, terms []term.Term) {
	const most = 64
	for _, t := range terms {
		for _, a := range t.Mono.Atoms {
			if a.Kind != term.Iter || t.Coef > 0 || !v.isChosen(a) {
				continue
			}
			first, _ := v.leaf(a)
			before := v.moved
			for x := first; x <= first+most; x++ {
				v.set(a, x)
				if holds, ok := c.Holds(v.leaf); !ok || holds {
					return
				}
			}
			v.set(a, first)
			v.moved = before
		}
	}
}

// shrink halves the factors of products that are too large, as in `k * dims <= 1024`, until they are not.
func (v *assignment) shrink(c *term.Cond, terms []term.Term) {
	for _, t := range terms {
		if len(t.Mono.Atoms) < 2 || t.Coef < 0 {
			continue
		}
		for {
			if holds, ok := c.Holds(v.leaf); !ok || holds {
				return
			}
			var most *term.Atom
			value := int64(1)
			for _, a := range t.Mono.Atoms {
				if x, ok := v.leaf(a); ok && v.isChosen(a) && x > value && x/2 >= a.Lo {
					most, value = a, x
				}
			}
			if most == nil {
				break
			}
			v.set(most, value/2)
		}
	}
}

// rank puts the numbers of iterations first: they follow from the others.
func rank(t term.Term) int {
	if len(t.Mono.Atoms) == 1 && t.Mono.Atoms[0].Kind == term.Iter {
		return 0
	}
	return 1
}

func sign(x int64) int64 {
	if x < 0 {
		return -1
	}
	return 1
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

// fit makes a block smaller until it is within what is assumed of blocks.
func (v *assignment) fit(block *race.Dim3) {
	threads := func(a *term.Atom) (int64, bool) {
		for i, p := range v.s.Block {
			if p.IsAtom() == a {
				return int64(block[i]), true
			}
		}
		return 0, false
	}
	for _, c := range v.given() {
		for holds, ok := c.Holds(threads); ok && !holds; holds, ok = c.Holds(threads) {
			largest := -1
			for i, p := range v.s.Block {
				if a := p.IsAtom(); a != nil && c.P != nil && c.P.Mentions(a) && (largest < 0 || block[i] > block[largest]) {
					largest = i
				}
			}
			if largest < 0 || block[largest] == 1 {
				break
			}
			block[largest] /= 2
		}
	}
}

// filling is the length of a block that nothing is known of along an axis: what fills an array of the kernel that has one
// element for each thread, up to a power of two or, where the kernel asks for threads beyond it, to the end, else the given
// one, or more if the kernel asks for threads of higher numbers.
func (v *assignment) filling(axis, least, most int) int {
	room := most + 1
	for _, c := range v.given() {
		if c.Op == term.LeZero {
			if bound, ok := upper(v.s, c.P, v.s.Block[axis].IsAtom()); ok && bound < maxBlockThreads {
				room = min(room, max(int(bound), 1))
			}
		}
	}
	if room > most {
		asked := min(askedThreads(v.s, axis), most)
		if grouped := groupedThreads(v.s, axis); grouped >= asked && grouped > 1 {
			return min(grouped, most)
		}
		if counted := countedThreads(v.s); counted > least && asked <= 1<<bits.Len(uint(counted)) {
			return min(counted, most)
		}
		return max(least, asked)
	}
	filled := 1 << (bits.Len(uint(room)) - 1)
	if asked := int(mostAsked(v.s, axis)); asked >= filled && asked < room {
		filled = room
	}
	if v.halved {
		return max(filled/2, 1)
	}
	return max(least, filled)
}

// upper is the bound that p ≤ 0 puts to an atom, beside which there may be lengths, which are 1 or more, as in an array of rows.
func upper(s *access.Summary, p *term.Poly, atom *term.Atom) (bound int64, ok bool) {
	each, rest := int64(0), p.Constant()
	for _, t := range p.Terms() {
		switch {
		case len(t.Mono.Atoms) == 0:
		case len(t.Mono.Atoms) > 1 || t.Coef < 0:
			return 0, false
		case t.Mono.Atoms[0] == atom:
			each = t.Coef
		case isLength(s, t.Mono.Atoms[0]):
			rest += t.Coef
		default:
			return 0, false
		}
	}
	if each == 0 {
		return 0, false
	}
	return -rest / each, true
}

// blockDim is a dimension of the block: the host's, or one that gives two warps.
func (v *assignment) blockDim(axis int) int {
	s := v.s
	if isConst(s.Block[axis]) { // also one that is assumed
		return v.value(s.Block[axis])
	}
	if s.Launch != nil {
		return v.value(s.Launch.Block[axis])
	}
	const mostOfTwo, mostOfOne, largestOfTwo = 16, maxBlockThreads, 32
	most := v.filling(axis, defaultThreads, mostOfOne)
	if v.largest {
		most = maxBlockThreads
	}
	if s.Func.MaxThreads > 0 {
		most = min(most, s.Func.MaxThreads)
	}
	y, z := !isConst(s.Block[1]), !isConst(s.Block[2])
	if warps := warpsAlong(s, axis); y && warps > 1 && !v.largest {
		return v.filling(axis, warps, max(warps, mostOfTwo))
	}
	switch {
	case z:
		return 4
	case y && axis < 2 && v.largest:
		return largestOfTwo
	case y && axis < 2:
		return v.filling(axis, 8, mostOfTwo)
	case axis == 0:
		return most
	}
	return 1
}

// gridDim is a dimension of the grid: the host's, or two blocks in each dimension in use, or as many as the kernel asks for.
func (v *assignment) gridDim(axis int) int {
	s := v.s
	if isConst(s.Grid[axis]) {
		return v.value(s.Grid[axis])
	}
	if s.Launch != nil {
		return v.value(s.Launch.Grid[axis])
	}
	few := max(2, v.blocks[axis], askedBlocks(s, axis))
	cluster := max(s.Cluster[axis], 1)
	if axis == 0 || uses(s.Func, ir.BlockIdx, axis) {
		return few * cluster
	}
	return cluster
}

func isConst(p *term.Poly) bool {
	_, ok := p.IsConst()
	return ok
}

func (v *assignment) value(p *term.Poly) int {
	x, ok := p.Value(v.leaf)
	if !ok || x > math.MaxInt32 {
		return 0
	}
	return int(x)
}

// uses reports whether a kernel reads a built-in variable.
func uses(f *ir.Func, b ir.BuiltinVar, axis int) bool {
	found := false
	ir.WalkStmts(f.Body, func(s ir.Stmt) bool {
		ir.WalkExprs(s, func(e ir.Expr) {
			if v, ok := e.(*ir.Builtin); ok && v.Var == b && v.Axis == axis {
				found = true
			}
		})
		return true
	})
	return found
}

// usedParams are the numbers of the parameters that a kernel reads.
func usedParams(f *ir.Func) map[int]bool {
	used := map[int]bool{}
	ir.WalkStmts(f.Body, func(s ir.Stmt) bool {
		ir.WalkExprs(s, func(e ir.Expr) {
			if r, ok := e.(*ir.ParamRef); ok {
				used[r.P.Index] = true
			}
		})
		return true
	})
	return used
}

// Grids of few threads run whole: the last of all blocks may do what the others leave.
const (
	wholeBlocks  = 8
	wholeThreads = 4096
)

// someBlocks picks the blocks to run: the first, its neighbours in each dimension, the last.
func someBlocks(grid, block race.Dim3) []int {
	if n := grid.Count(); n <= wholeBlocks && n*block.Count() <= wholeThreads {
		return nil
	}
	count := grid.Count()
	picked := map[int]bool{0: true}
	for _, b := range []int{1, grid[0], grid[0] * grid[1], count - 1} {
		if b < count {
			picked[b] = true
		}
	}
	if len(picked) == count {
		return nil
	}
	return slices.Sorted(maps.Keys(picked))
}

// fewBlocks leaves only two of the blocks that run, one at the border of the grid and one that may lie within,
// where no thread has to do with those of other blocks. Where threads may leave, that is at the end of the grid, where
// blocks are not full.
func (p *plan) fewBlocks(leave bool) {
	const few = 2
	n := len(p.launch.Blocks)
	switch {
	case n <= few:
	case leave:
		p.launch.Blocks = p.launch.Blocks[n-few:]
	default:
		p.launch.Blocks = p.launch.Blocks[:few]
	}
}

// ofWholeGrid is a launch with all its blocks, if only some have run so far: where blocks count how many of
// them have come, the last one does what none of some blocks does. If they are too many to be watched, all but
// those some come first.
func (p plan) ofWholeGrid(s *access.Summary) (plan, bool) {
	some, grid := p.launch.Blocks, p.launch.Grid.Count()
	if some == nil || grid > wholeGridBlocks || !counts(s) || !uses(s.Func, ir.GridDim, 0) {
		return p, false
	}
	p.launch.Blocks, p.whole = nil, true
	if p.threads() > wholeGridThreads {
		p.launch.Blocks = some
		for b := range grid {
			if !slices.Contains(some, b) {
				p.launch.Before = append(p.launch.Before, b)
			}
		}
	}
	return p, true
}

// ofFewBlocks is a launch of a grid of few blocks in place of one whose blocks are too many to be watched, and which wait for
// each other, as at a barrier of the grid: none of them ends before the others have begun.
func (p plan) ofFewBlocks() plan {
	const threads, least = 512, 2
	p.launch.Grid = race.Dim3{max(least, threads/p.launch.Block.Count()), 1, 1}
	p.launch.Blocks, p.whole, p.fewer, p.small = nil, true, true, true
	return p
}

// wholeClusters adds the other blocks of the clusters of some blocks.
func wholeClusters(blocks []int, grid, cluster race.Dim3) []int {
	if blocks == nil || cluster.Count() <= 1 {
		return blocks
	}
	all := map[int]bool{}
	for _, b := range blocks {
		first := race.Dim3{b % grid[0], b / grid[0] % grid[1], b / grid[0] / grid[1]}
		for i := range 3 {
			first[i] -= first[i] % cluster[i]
		}
		for n := range cluster.Count() {
			x, y, z := first[0]+n%cluster[0], first[1]+n/cluster[0]%cluster[1], first[2]+n/cluster[0]/cluster[1]
			if x < grid[0] && y < grid[1] && z < grid[2] {
				all[x+grid[0]*(y+grid[1]*z)] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// argument gives a parameter its value; ok is false if the host computes it in a way that is
// not understood.
func (v *assignment) argument(p *plan, buffers map[any]int, param *ir.Param, i int) (arg interp.Arg, ok bool) {
	var bound access.Value
	if l := v.s.Launch; l != nil && i < len(l.Args) {
		bound = l.Args[i]
	}
	if param.Type == ir.Ptr {
		return v.pointer(p, buffers, param, bound), true
	}
	if param.Type == ir.F32 || param.Type == ir.F64 {
		x := v.floatArgument(param, bound)
		if x != anyFloat {
			p.floats[param.Name] = x
		}
		return interp.Arg{Bits: toBits(param.Type, x)}, true
	}
	var x int64
	switch {
	case bound.Truth != nil:
		holds, known := bound.Truth.Holds(v.leaf)
		if !known {
			return arg, false
		}
		x = 0
		if holds {
			x = 1
		}
	case bound.P != nil:
		if x, ok = bound.P.Value(v.leaf); !ok {
			return arg, false
		}
	default:
		a := v.held(param)
		if x, ok = v.values[a]; !ok {
			x = v.chooseFor(a)
		}
	}
	within := cut(x, param.Type)
	p.cut = p.cut || within != x
	x = within
	p.parameters[param.Name] = x
	return interp.Int(x), true
}

// floatArgument is what a floating-point parameter holds: the constant that is passed, what conditions ask for, or any number.
// What the host computes is not better than any: it says which numbers are likely only if all that it is made of is known.
func (v *assignment) floatArgument(param *ir.Param, bound access.Value) float64 {
	if bound.P == nil {
		bound = v.s.Params[param]
	}
	if bound.P != nil {
		if a := bound.P.IsAtom(); a != nil && (isFixed(a) || floatType(a) != ir.Void) {
			if x, ok := v.float(bound.P); ok {
				return x
			}
		}
	}
	return anyFloat
}

// isNull reports whether the numbers say that a parameter points nowhere.
func (v *assignment) isNull(param *ir.Param, bound *access.Base) bool {
	for a, x := range v.values {
		if base := access.AddressOf(a); x == 0 && base != nil && !base.IsNull() && (base == bound || bound == nil && base.Param == param) {
			return true
		}
	}
	return false
}

// held is the atom that a parameter's value is, nil if it is none.
func (v *assignment) held(param *ir.Param) *term.Atom {
	is := v.s.Params[param]
	if is.Truth != nil {
		is.P = is.Truth.P // a truth value is a number that is not zero
	}
	if is.P == nil {
		return nil
	}
	return is.P.IsAtom()
}

// cut keeps a number within a type.
func cut(x int64, t ir.Type) int64 {
	if t == ir.Bool {
		if x != 0 {
			return 1
		}
		return 0
	}
	if n := t.Bits(); n < 64 {
		if t.IsSigned() {
			n--
		}
		return min(x, 1<<n-1)
	}
	return x
}

// pointer gives a pointer parameter its buffer; parameters that the host binds to one
// allocation share it.
func (v *assignment) pointer(p *plan, buffers map[any]int, param *ir.Param, bound access.Value) interp.Arg {
	var key any = param
	var offset int64
	if bound.Base != nil {
		key = bound.Base
		if bound.P != nil {
			offset, _ = bound.P.Value(v.leaf)
		}
	}
	if v.isNull(param, bound.Base) {
		p.parameters[param.Name] = 0
		return interp.Arg{}
	}
	if bound.Base != nil {
		if o := access.Variable(v.s.Func, bound.Base.Object); o != nil {
			p.pointers[param.Name] = race.Pointer{To: o.Name, Offset: offset}
			return interp.PointerToVariable(o, offset)
		}
	}
	b, ok := buffers[key]
	if !ok {
		b = len(p.launch.Buffers)
		buffers[key] = b
		p.drawn = append(p.drawn, v.draw(param.Name, key, func(e ir.Expr) bool { return pointsInto(e, param) }))
		p.drawn[b].start = offset
		p.launch.Buffers = append(p.launch.Buffers, interp.Buffer{Name: param.Name})
		v.origins[b] = origin{param.Name, offset}
	} else {
		o := v.origins[b]
		p.pointers[param.Name] = race.Pointer{To: o.name, Offset: offset - o.offset}
	}
	return interp.PointerTo(b, offset)
}
