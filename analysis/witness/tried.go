package witness

import (
	"fmt"
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/meet"
)

// This file spares searches that have been made for another launch of the kernel. Launches that differ in what
// nobody knows, such as which of two pointers it is, are tried with the same numbers.

// Tried is what was tried for the launches of a kernel.
type Tried struct {
	// searches are those that were made, by all that decides what comes of them but for their candidates; nil if there is no
	// other launch. The races that they have shown were told then.
	searches map[string][]tried
	solved   map[string]solution // the answers of decide, by the shapes of the questions
}

// NewTried is for a kernel with so many launches, of which none has been looked at yet.
func NewTried(launches int) *Tried {
	t := &Tried{solved: map[string]solution{}}
	if launches > 1 {
		t.searches = map[string][]tried{}
	}
	return t
}

// tried is one of these searches.
type tried struct {
	candidates map[string]bool
	sure       map[[2]ir.Stmt]bool // the pairs that it has shown as well as it can be done
	left       []meet.Candidate    // one of each pair that stayed undecided
}

// of says what comes of a search if one that does the same has been made: for these candidates, or for more, of which it has
// shown these.
func (t *Tried) of(setting string, candidates map[string]meet.Candidate) (left []meet.Candidate, again bool) {
	for _, old := range t.searches[setting] {
		all, shown := true, true
		for line, c := range candidates {
			all = all && old.candidates[line]
			shown = shown && old.sure[pairOf(c)]
		}
		switch {
		case all && len(candidates) == len(old.candidates):
			return old.left, true
		case all && shown:
			return nil, true
		}
	}
	return nil, false
}

// remember adds a search and what has come of it.
func (t *Tried) remember(setting string, candidates map[string]meet.Candidate, f *search, left []meet.Candidate) {
	done := tried{candidates: map[string]bool{}, sure: map[[2]ir.Stmt]bool{}, left: left}
	for line := range candidates {
		done.candidates[line] = true
	}
	for _, r := range f.res.Races {
		done.sure[r.pair()] = !r.Small && !r.Same && !r.discounted()
	}
	t.searches[setting] = append(t.searches[setting], done)
}

// lines writes down what of candidates decides what comes of a search.
func (f *search) lines(candidates []meet.Candidate) map[string]meet.Candidate {
	out := map[string]meet.Candidate{}
	for _, c := range candidates {
		out[fmt.Sprintf("%p %p %s %t %t %t %t %t", c.A.Stmt, c.B.Stmt, c.Kind, c.Tolerated, c.Rechecked, c.Presumed,
			madeByLoop(c.A.Off) || madeByLoop(c.B.Off), f.anyOnlyData(pairOf(c), c.Kind))] = c
	}
	return out
}

// setting writes down what else does.
func (f *search) setting() string {
	var b strings.Builder
	fmt.Fprintln(&b, f.parted, f.limit, f.contents, f.data, f.waits, f.oneBlock, f.divided, f.anyShape, f.s.Cluster)
	used := usedParams(f.s.Func)
	for i := range f.plans {
		p := &f.plans[i]
		fmt.Fprintf(&b, "%q %v %d %t %t %t %t %t %t %t %t %t %t %t %t %t %t %t %d %d %t\n", planKey(*p, used), p.launch.Blocks, p.size, p.small, p.several, p.cut, p.whole,
			p.few != nil, p.begin, p.later, p.midway, p.early, p.ample, p.single, p.level, p.mixed, p.rounded, p.covering, p.shape, p.below, p.aimed)
		for _, d := range p.drawn {
			w := d.words()
			fmt.Fprintf(&b, "%s %v %v %t %d %v %d %v\n", d.name, d.flags, d.counters, d.chain, d.start, d.given, w.width, slices.Sorted(slices.Values(w.values)))
		}
	}
	return b.String()
}
