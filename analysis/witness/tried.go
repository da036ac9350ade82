package witness

import (
	"fmt"
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/meet"
)

// This file spares searches that have been made for another launch of the kernel. Launches that differ in what
// nobody knows, such as which of two pointers it is, are tried with the same numbers.

// Tried are the searches that were made for the launches of a kernel, with a candidate of each pair that stayed
// undecided. The races that they have shown were told then.
type Tried map[string][]meet.Candidate

// key writes down all that decides what comes of a search.
func (f *search) key(candidates []meet.Candidate) string {
	var b strings.Builder
	fmt.Fprintln(&b, f.limit, f.contents, f.data, f.waits, f.oneBlock, f.divided, f.anyShape, f.s.Cluster)
	for _, c := range candidates {
		fmt.Fprintf(&b, "%p %p %s %t %t %t %t %t\n", c.A.Stmt, c.B.Stmt, c.Kind, c.Tolerated, c.Rechecked, c.Presumed,
			madeByLoop(c.A.Off) || madeByLoop(c.B.Off), f.anyOnlyData(pairOf(c), c.Kind))
	}
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
