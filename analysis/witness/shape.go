package witness

// This file chooses the dimensions of a launch, and which of its blocks run.

import (
	"maps"
	"math"
	"math/bits"
	"slices"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

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
