package witness

import (
	"maps"
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

// This file makes launches whose last blocks are not full.

// raggedSize is a natural size that no block's size divides.
const raggedSize = 4099

// ragged is a launch whose last block is not full, if the sizes of the launch leave that open.
func (l *planner) ragged() (plan, bool) {
	values := newAssignment(l.s, l.meanings, numbers{size: raggedSize})
	p, ok := values.plan()
	return p, ok && values.chosen > 0 && !p.cut
}

// roundedUp are such launches for a kernel whose host rounds the grid up, and so expects sizes that fill no block to the
// end: what threads beyond the end do shows in these only. Where they pass a barrier by, that is what is wrong, unless they
// have returned and nobody waits for them.
func roundedUp(s *access.Summary, beside *plan, leave bool) (out []plan) {
	l := newPlanner(s, s.Func)
	if p, ok := l.leavingOneOut(); leave && ok && beside.size == natural {
		p.size, p.early, p.rounded = raggedSize, true, true
		return []plan{p}
	}
	p, ok := l.ragged()
	rounded := p.launch.Grid != beside.launch.Grid
	if !ok || beside.size != natural || !rounded && !dealsOut(s) || !leave && passedBy(s) || listsSizes(s) {
		return nil
	}
	for _, order := range [...]spread{level, rising, falling} {
		p, ok := l.with(numbers{size: raggedSize, spread: order})
		if !ok || p.cut {
			return nil
		}
		p.size, p.early, p.rounded = raggedSize, order == level, true
		if rounded {
			p.launch.Blocks = wholeClusters(lastBlocks(p.launch.Grid), p.launch.Grid, s.Cluster)
		}
		if l.isNew(p) {
			out = append(out, p)
		}
		if !rounded { // another number may be a multiple of how many there are
			break
		}
	}
	return out
}

// dealsOut reports whether a kernel divides a size by how many threads or blocks there are: each gets its share, and some one more.
func dealsOut(s *access.Summary) bool {
	found, seen := false, map[*term.Atom]bool{}
	note := func(p *term.Poly) {
		eachAtom(p, seen, func(a *term.Atom) {
			if found || a.Kind != term.Rem && a.Kind != term.Div {
				return
			}
			ofSize := false
			if a.Args[0].AllLeaves(func(x *term.Atom) { ofSize = ofSize || free(x) && !isLength(s, x) }); !ofSize {
				return
			}
			for i := range 3 {
				for _, length := range []*term.Poly{s.Grid[i], s.Block[i]} {
					found = found || length.IsAtom() != nil && a.Args[1].MadeOf(length.IsAtom()) && !a.Args[0].MadeOf(length.IsAtom())
				}
			}
		})
	}
	for _, a := range s.Accesses {
		note(a.Off)
		for _, c := range a.When {
			c.Walk(func(c *term.Cond) { note(c.P) })
		}
	}
	return found
}

// listsSizes reports whether a kernel that compares no thread with the size of the launch has it from a list that the program
// makes, as of what a benchmark is run for. Whoever leaves out the comparison lists sizes that fill the blocks.
func listsSizes(s *access.Summary) bool {
	return launchesWith(s, func(a *term.Atom) bool {
		if !isListed(a) {
			return false
		}
		for c := range onWays(s) {
			if c.P != nil && c.Variance() > term.Grid && c.P.Mentions(a) {
				return false
			}
		}
		return true
	})
}

// isListed reports whether a number is an element of an array of the host, or of a container, and not what a call returns.
func isListed(a *term.Atom) bool {
	if a.Kind != term.Opaque {
		return false
	}
	unknown, ok := a.Ref.(*ir.Unknown)
	return a.Name == "memory" || ok && !strings.HasPrefix(unknown.Reason, "result of")
}

// lastBlocks are those at the end of the rows of a grid, and those that come after them.
func lastBlocks(grid race.Dim3) []int {
	row, plane, count := grid[0], grid[0]*grid[1], grid.Count()
	picked := map[int]bool{}
	for _, b := range []int{row - 1, row, plane - 1, plane, count - row, count - 1} {
		if b >= 0 && b < count {
			picked[b] = true
		}
	}
	return slices.Sorted(maps.Keys(picked))
}

// atEdges are those, and the first of the grid with those beside it.
func atEdges(grid race.Dim3) []int {
	picked := append(lastBlocks(grid), 0, min(1, grid.Count()-1))
	slices.Sort(picked)
	return slices.Compact(picked)
}

// passedBy reports whether some threads may not come to a barrier of their block.
func passedBy(s *access.Summary) bool {
	return slices.ContainsFunc(s.Events, func(e *access.Event) bool {
		b, ok := e.Stmt.(*ir.Barrier)
		return ok && b.Level == ir.BlockLevel && slices.ContainsFunc(e.When, func(c *term.Cond) bool { return c.Variance() == term.Thread })
	})
}
