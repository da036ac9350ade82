package witness

// This file gives a value to each unknown number of a launch.

import (
	"math/rand/v2"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

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
		return exponent(v.sizeOf(v.choose()))
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

// sizeOf is the size whose logarithm is asked for: that of what the threads cover, where they cover all there is, else a chosen one.
func (v *assignment) sizeOf(chosen int64) int64 {
	for _, n := range v.exact {
		chosen = min(chosen, n)
	}
	return chosen
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
		if units := v.size / 128; units > 0 { // what makes few rounds is no stride
			return units * coprime[(v.chosen-1)%len(coprime)]
		}
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
		if x, ok = word(a); ok && v.lowest[a] {
			x = 0
		} else if !ok {
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
