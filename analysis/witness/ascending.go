package witness

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

// This file tries offsets of segments that ascend, as those of sparse matrices do. Of data nobody knows that threads meet by it,
// but what meets although the offsets ascend, as `e <= row[v + 1]` does, is no matter of data.

// segment is the length of each segment: more than a warp, so that its lanes go round.
const segment = 36

// ascendingContents are the contents with such offsets, the last ones.
var ascendingContents = len(contents) - 1

// offsets lists the memory of which one element is in the address of an access, and a neighbour of it says how far the address
// goes, by the names of what it holds.
func offsets(s *access.Summary, a *access.Access) map[string]bool {
	out := map[string]bool{}
	all := held(a)
	for _, x := range all {
		for _, y := range all {
			d, beside := s.T.Sub(x.Args[0], y.Args[0]).IsConst()
			if x.Name == y.Name && beside && (d == 4 || d == -4 || d == 8 || d == -8) && a.Off.MadeOf(x) && !a.Off.MadeOf(y) {
				out[x.Name] = true
			}
		}
	}
	return out
}

// held lists the values of memory in the address of an access and the conditions on the way to it.
func held(a *access.Access) (out []*term.Atom) {
	note := func(x *term.Atom) {
		if access.IsContents(x) && len(x.Args) == 1 && !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	a.Off.AllLeaves(note)
	for _, w := range a.When {
		w.Walk(func(w *term.Cond) { w.P.AllLeaves(note) })
	}
	return out
}

// byOffsets reports whether no data but such offsets has a say in where threads go and what they touch at both places of a pair.
func (f *search) byOffsets(pair [2]ir.Stmt) bool {
	for _, a := range f.s.Accesses {
		if a.Stmt != pair[0] && a.Stmt != pair[1] {
			continue
		}
		names := offsets(f.s, a)
		drawn := false
		a.Off.AllLeaves(func(x *term.Atom) { drawn = drawn || x.Kind == term.Result })
		if len(names) == 0 || drawn || slices.ContainsFunc(held(a), func(x *term.Atom) bool { return !names[x.Name] }) {
			return false
		}
	}
	return true
}

// alongOffsets runs the first plan with such offsets if a pair meets by them that has raced only with others, or with none.
func (f *search) alongOffsets(ctx context.Context) {
	if f.contents != ascendingContents || len(f.plans) == 0 || ctx.Err() != nil {
		return
	}
	for pair := range f.open {
		if r, ok := f.found[pair]; (!ok || r.Small) && f.byOffsets(pair) {
			f.contents++
			options := f.schedules()[0]
			options.MaxSteps = longRunSteps
			f.once(ctx, attempt{0, ascendingContents, options})
			return
		}
	}
}

// startsOf tells, once it is asked, the names of what memory holds that is offsets to some access of a kernel.
func startsOf(s *access.Summary) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		all := map[string]bool{}
		for _, a := range s.Accesses {
			maps.Copy(all, offsets(s, a))
		}
		return all
	})
}

// ascends is the size of the elements of a buffer or variable if they are offsets of segments, else 0.
func (v *assignment) ascends(key any) int64 {
	for _, a := range v.s.Accesses {
		if v.key(a.Base) == key && a.Result != nil && access.IsContents(a.Result) && v.starts()[a.Result.Name] {
			return a.Size
		}
	}
	return 0
}

// ascending is memory that holds such offsets.
func ascending(d drawn) *race.Memory {
	return &race.Memory{Width: int(d.ascends), Step: segment, Words: d.given}
}
