package witness

import (
	"context"
	"slices"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/ir/interp"
	"github.com/warplint/warplint/analysis/ir/interp/hb"
	"github.com/warplint/warplint/analysis/meet"
)

// This file says when a run can end because it has shown all that is looked for.

// enough says of the races that a run of a plan has shown so far whether more of them are of no use; it is
// nil if the run is to go on in any case, because it may come to an end by which they count for nothing.
func (f *search) enough(p *plan) func(*hb.Race) bool {
	if f.program.MayTrap(p.launch.Args) {
		return nil
	}
	left := map[[2]ir.Stmt]meet.Candidate{}
	for pair, open := range f.open {
		best := open[0]
		for _, c := range open[1:] {
			if best.Discounted() && !c.Discounted() || best.Discounted() == c.Discounted() && distance(c.Kind) > distance(best.Kind) {
				best = c
			}
		}
		old, ok := f.found[pair]
		if !ok || old.discounted() || old.Small && !p.small || distance(old.Kind) < distance(best.Kind) {
			left[pair] = best
		}
	}
	return func(r *hb.Race) bool {
		if misaligned(r) || !f.staysWithin(r.Object) {
			return false
		}
		for _, pair := range [...][2]ir.Stmt{{r.First.Stmt, r.Second.Stmt}, {r.Second.Stmt, r.First.Stmt}} {
			if c, ok := left[pair]; ok && shows(r, c) {
				delete(left, pair)
			}
		}
		return len(left) == 0
	}
}

// staysWithin reports whether no access goes beyond the bounds of an object, if it has any: the races in
// one of which this happens do not count.
func (f *search) staysWithin(o *interp.Object) bool {
	for _, a := range f.s.Accesses {
		if o.Size > 0 && a.Base.Object == o.Decl {
			if lo, hi := a.Off.Range(); lo < 0 || hi > o.Size-a.Size {
				return false
			}
		}
	}
	return o.Size == 0 || o.Decl != nil && o.Decl.Size > 0
}

// measure runs those plans to their ends that were stopped, if one with natural sizes has been cut off
// and has not shown what they did from the same contents: for what they show to be sure it is compared
// with how far they go.
func (f *search) measure(ctx context.Context, cut attempt) {
	for _, a := range slices.Clone(f.stopped) {
		if a.contents != cut.contents || f.plans[a.plan].small || !f.hitsMore(a, cut) {
			continue
		}
		f.stopped = slices.DeleteFunc(f.stopped, func(o attempt) bool { return o == a })
		full := f.detect(ctx, a, nil)
		if full == nil {
			continue
		}
		f.ended[a] = full
		f.account(ctx, a, full)
		for h, reach := range f.hits {
			if h.contents == a.contents && reach[a.plan] != 0 {
				reach[a.plan] = f.reached[[2]int{a.plan, a.contents}]
			}
		}
	}
}

// hitsMore reports whether a pair raced in the plan of one attempt, and not in that of another from the
// same contents.
func (f *search) hitsMore(a, other attempt) bool {
	for h, reach := range f.hits {
		if h.contents == a.contents && reach[a.plan] != 0 && reach[other.plan] == 0 {
			return true
		}
	}
	return false
}

// shows reports whether a race is one that a candidate foretells.
func shows(r *hb.Race, c meet.Candidate) bool {
	return c.Kind == r.Kind && (r.Missing == hb.ProxyFence) == c.Unfenced && (!c.Tolerated || r.Note || lenient(r)) && (c.Tolerated || !r.Note || c.Miss().Lock)
}

// misaligned reports a race at which a device stops, as with an odd pitch.
func misaligned(r *hb.Race) bool { return r.Offset%int64(max(r.Size, 1)) != 0 }
