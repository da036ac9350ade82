package witness

import (
	"maps"
	"slices"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

// This file finds launches that are soon over although all their threads have work. Where threads go through
// arrays in strides, as in `for (i = threadIdx.x; i < n; i += blockDim.x)`, or each through a row, a size of thousands is
// many rounds, and a run does not come to what stands behind the loops. A size that gives each thread one round of its
// own is as natural.

// ampleSizes are the sizes tried, the least first.
var ampleSizes = []int64{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048}

// ample are plans with the least numbers that give each thread a round of each loop in strides, beside one with
// natural numbers.
func ample(s *access.Summary, beside *plan) (out []plan) {
	g := guardsOf(s)
	if g == nil {
		return nil
	}
	l, rounds := newPlanner(s, s.Func), rounds(s)
	fits := func(n numbers) (plan, bool) {
		p, ok := l.with(n)
		return p, ok && !p.cut && l.hold(g.all, l.told(p)) && asWide(p.launch.Grid, beside.launch.Grid) && p.launch.Block == beside.launch.Block
	}
	n := numbers{few: map[*term.Atom]int64{}}
	for _, n.size = range ampleSizes {
		if _, ok := fits(n); ok {
			break
		}
	}
	if g.loose {
		n.size = beside.size
	}
	for _, a := range g.compared {
		enough := false
		for _, n.few[a] = range ampleSizes {
			if _, enough = fits(n); enough || n.few[a] >= n.size {
				break
			}
		}
		if !enough {
			delete(n.few, a)
		}
	}
	turns := maps.Clone(n.few)
	maps.DeleteFunc(turns, func(a *term.Atom, _ int64) bool { _, ok := rounds[a]; return !ok })
	spreads := []spread{level, rising, falling}
	if g.loose {
		spreads = append(spreads, apart)
	}
	for _, n.spread = range spreads {
		p, ok := fits(n)
		if !ok {
			return nil
		}
		p.neighbours(s.Cluster)
		p.size, p.small, p.ample, p.level, p.rounds = n.size, false, true, n.spread == level, turns
		if l.isNew(p) {
			out = append(out, p)
		}
	}
	return out
}

// alone is a launch of which a single block runs, which comes further than some. It is for kernels whose blocks have
// nothing to do with each other, where no number says how long they run. Threads may leave the last one, which need not be full.
func (p plan) alone(leave bool) plan {
	last := p.launch.Grid.Count() - 1
	p.launch.Blocks = []int{min(1, last)}
	if leave {
		p.launch.Blocks[0] = last
	}
	p.ample, p.level, p.single = true, true, true
	return p
}

// neighbours has three blocks run: two side by side, and the last of their row.
func (p *plan) neighbours(cluster race.Dim3) {
	if p.launch.Grid.Count() > 3 {
		p.launch.Blocks = wholeClusters(slices.Compact([]int{0, 1, max(p.launch.Grid[0]-1, 1)}), p.launch.Grid, cluster)
	}
}

// asWide reports whether a grid has several blocks along the axes along which another has.
func asWide(grid, other race.Dim3) bool {
	for i := range 3 {
		if (grid[i] > 1) != (other[i] > 1) {
			return false
		}
	}
	return true
}

// guards are the comparisons with numbers that nothing fixes of what differs between threads or rounds, and these
// numbers.
type guards struct {
	all      []*term.Poly // none of them is positive
	compared []*term.Atom
	// loose is set where a number stands in an address that no guard compares with, as the pitch of rows: how small it
	// may be is not known.
	loose bool
}

// guardsOf returns the guards of a kernel, nil if no loop has any.
func guardsOf(s *access.Summary) *guards {
	var g guards
	loops, seen, inAddress := false, map[*term.Cond]bool{}, map[*term.Atom]bool{}
	for _, a := range s.Accesses {
		a.Off.AllLeaves(func(x *term.Atom) {
			if free(x) {
				inAddress[x] = true
			}
		})
		for _, c := range term.Conjuncts(a.When) {
			if seen[c] || c.Op != term.LeZero || c.P.Variance() == term.Grid && c.Loops() == 0 {
				continue
			}
			seen[c] = true
			for _, p := range sides(s.T, c.P) {
				for _, t := range p.Terms() {
					if t.Coef > 0 || len(t.Mono.Atoms) == 0 || slices.ContainsFunc(t.Mono.Atoms, func(a *term.Atom) bool { return !free(a) }) {
						continue
					}
					g.compared = append(g.compared, t.Mono.Atoms...)
					loops = loops || c.Loops() != 0
					// Which factor of a product would have to be large is not known, and what is compared with a remainder
					// leaves out a border, however large it is.
					if len(t.Mono.Atoms) == 1 && !ofRemainder(p) {
						g.all = append(g.all, p)
					}
				}
			}
		}
	}
	for a := range inAddress {
		g.loose = g.loose || !slices.Contains(g.compared, a)
	}
	if !loops {
		return nil
	}
	slices.SortFunc(g.compared, func(a, b *term.Atom) int { return a.ID - b.ID })
	g.compared = slices.Compact(g.compared)
	return &g
}

func ofRemainder(p *term.Poly) bool {
	return slices.ContainsFunc(p.Terms(), func(t term.Term) bool {
		return slices.ContainsFunc(t.Mono.Atoms, func(a *term.Atom) bool { return a.Kind == term.Rem })
	})
}

// maxSides bounds the numbers of which one is the least, or the greatest.
const maxSides = 4

// sides are what must not be positive for p not to be: of x - min(a, b) both x - a and x - b, and of x + max(a, b) both x + a
// and x + b.
func sides(t *term.Table, p *term.Poly) []*term.Poly {
	for _, x := range p.Terms() {
		if len(x.Mono.Atoms) != 1 {
			continue
		}
		if of := x.Mono.Atoms[0].Kind; of != term.Min && of != term.Max || (of == term.Min) != (x.Coef < 0) {
			continue
		}
		rest := t.Sub(p, t.Monomial(x.Coef, x.Mono.Atoms))
		var out []*term.Poly
		for _, arg := range x.Mono.Atoms[0].Args {
			out = append(out, sides(t, t.Add(rest, t.Scale(x.Coef, arg)))...)
		}
		if len(out) > maxSides {
			break
		}
		return out
	}
	return []*term.Poly{p}
}

// free reports whether an atom is a number that a plan chooses.
func free(a *term.Atom) bool {
	return a.Variance == term.Grid && a.Loops == 0 && a.Kind != term.Iter && len(a.Args) == 0
}

// hold reports whether all threads of a launch pass all guards in the first round of each loop, and in the second if
// the loop goes round alike for all.
func (l *planner) hold(all []*term.Poly, p plan) bool {
	for _, side := range all {
		if most, ok := l.most(side, p); !ok || most > 0 {
			return false
		}
	}
	return true
}

// most is the greatest value of a guard's side over the threads of a launch, in the round that counts.
func (l *planner) most(side *term.Poly, p plan) (sum int64, ok bool) {
	leaf := func(a *term.Atom) (int64, bool) { return l.value(a, p) }
	for _, t := range side.Terms() {
		if side.Variance() != term.Grid && slices.ContainsFunc(t.Mono.Atoms, func(a *term.Atom) bool { return a.Kind == term.Iter }) {
			continue
		}
		value := t.Coef
		var differs *term.Atom
		for _, a := range t.Mono.Atoms {
			x, known := l.value(a, p)
			if !known && len(a.Args) > 0 {
				x, known = a.Operation(leaf)
			}
			switch {
			case a.Kind == term.Iter:
			case known:
				value *= x
			case differs != nil || a.Variance == term.Grid || a.Loops != 0 && a.Kind != term.Div && a.Kind != term.Rem:
				return 0, false
			default:
				differs = a
			}
		}
		if differs != nil {
			lo, hi := l.span(differs, p)
			if value < 0 {
				hi = lo
			}
			if hi == term.NoLo || hi == term.NoHi {
				return 0, false
			}
			value *= hi
		}
		sum += value
	}
	return sum, true
}

// value is what a launch gives an atom that is a number of it.
func (l *planner) value(a *term.Atom, p plan) (x int64, ok bool) {
	if x, ok = p.values[a]; ok {
		return x, true
	}
	for i := range 3 {
		switch a {
		case l.s.Grid[i].IsAtom():
			return int64(p.launch.Grid[i]), true
		case l.s.Block[i].IsAtom():
			return int64(p.launch.Block[i]), true
		}
	}
	return 0, false
}

// span is between which values an atom lies in a launch.
func (l *planner) span(a *term.Atom, p plan) (lo, hi int64) {
	for i := range 3 {
		switch a {
		case l.s.BlockIdx[i].IsAtom():
			return 0, int64(p.launch.Grid[i]) - 1
		case l.s.ThreadIdx[i].IsAtom():
			return 0, int64(p.launch.Block[i]) - 1
		}
	}
	if a.Kind == term.Div || a.Kind == term.Rem { // of what is not negative, by a number of the launch
		by, ok := a.Args[1].Value(func(a *term.Atom) (int64, bool) { return l.value(a, p) })
		most, known := l.most(a.Args[0], p)
		switch {
		case !ok || by < 1:
		case a.Kind == term.Rem && known:
			return 0, min(by-1, most)
		case a.Kind == term.Rem:
			return 0, by - 1
		case known:
			return 0, most / by
		}
	}
	return a.Lo, a.Hi
}
