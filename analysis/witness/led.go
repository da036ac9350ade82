package witness

import (
	"context"
	"slices"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/meet"
	"github.com/warplint/warplint/analysis/prove/bits"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

// This file chooses what memory holds so that two threads meet. Where a thread of each block takes an index from memory,
// few of them run, and no contents that are drawn lead two of them to one place in the way that it takes; the question's
// solution says which words do.

// led runs the plans with natural numbers once more, with such words in memory that holds zeros else.
func (f *search) led(ctx context.Context, candidates []meet.Candidate) {
	if f.contents == 1 {
		return
	}
	f.onceMore(ctx, candidates, func(number int, c meet.Candidate) bits.Answer {
		p := &f.plans[number]
		if len(p.drawn) == 0 || onlyData(f.s, c.A, c.B, c.Kind) {
			return bits.Sat
		}
		q := f.question(p, c, func(a *term.Atom) bool { return a.Kind == term.Result })
		if !q.askForSmall() {
			return bits.Sat // memory has no say
		}
		answer := bits.Unsat
		for _, locks := range mostDiffer(q.differentLocks(c)) {
			with := *q
			with.conds = slices.Concat(q.conds, locks)
			if answer = f.leadTo(ctx, number, &with); answer == bits.Unknown {
				break
			}
			if _, found := f.hits[hit{pairOf(c), 0}][number]; found {
				break
			}
		}
		return answer
	})
}

// maxLocks bounds the pairs of locks that are told apart.
const maxLocks = 4

// mostDiffer are the ways in which the locks of two threads may differ: all, all but one of their pairs, or any.
func mostDiffer(locks []*term.Cond) (ways [][]*term.Cond) {
	if n := len(locks); 0 < n && n <= maxLocks {
		ways = append(ways, locks)
		for i := 0; i < n && n > 1; i++ {
			ways = append(ways, slices.Delete(slices.Clone(locks), i, i+1))
		}
	}
	return append(ways, nil)
}

// leadTo runs a plan with what a question's solution has in memory, if there is one.
func (f *search) leadTo(ctx context.Context, number int, q *question) bits.Answer {
	answer := q.solve(ctx)
	if answer == bits.Sat {
		if words := q.words(); words != nil {
			f.aimAt(ctx, number, f.theirBlocks(q.p, q.threads), words)
		}
	}
	return answer
}

// differentLocks says that what two threads take as a lock before they meet is not the same.
func (q *question) differentLocks(c meet.Candidate) (out []*term.Cond) {
	t := q.f.s.T
	for _, one := range q.f.taken(c.A) {
		for _, two := range q.f.taken(c.B) {
			if one.Base == two.Base {
				out = append(out, q.plain.Cond(t.Ne(q.one.Poly(one.Off), q.two.Poly(two.Off))))
			}
		}
	}
	return out
}

// taken lists the atomics that take a lock on whose success it hangs that a thread comes to an access.
func (f *search) taken(a *access.Access) (out []*access.Access) {
	for _, w := range f.s.Accesses {
		read := func(x *term.Atom) bool { return x.Ref == any(w.Stmt) }
		if claims(w) && slices.ContainsFunc(a.When, func(c *term.Cond) bool { return speaks(c, read) }) {
			out = append(out, w)
		}
	}
	return out
}

// contents lists the whole numbers in memory that a question is about.
func (q *question) contents() (out []*term.Atom) {
	for _, c := range q.conds {
		c.Walk(func(c *term.Cond) {
			if c.P == nil {
				return
			}
			c.P.AllLeaves(func(a *term.Atom) {
				if access.IsContents(a) && !slices.Contains(out, a) && q.f.readOf(a) != nil {
					out = append(out, a)
				}
			})
		})
	}
	return out
}

// askForSmall asks for contents that are good indices, if there are any that the question is about.
func (q *question) askForSmall() bool {
	t, all := q.f.s.T, q.contents()
	limit := int64(natural)
	if q.p.below > 0 {
		limit = min(limit, int64(q.p.below))
	}
	for _, a := range all {
		q.conds = append(q.conds, t.Le(t.Const(0), t.Poly(a)), t.Lt(t.Poly(a), t.Const(limit)))
	}
	return len(all) > 0
}

// words are those of each part of the plan's memory that is drawn, nil if none can be given.
func (q *question) words() [][]race.Word {
	leaf := func(a *term.Atom) (int64, bool) { x, ok := q.model[a]; return x, ok }
	var out [][]race.Word
	for _, a := range q.contents() {
		value, ok := leaf(a)
		at, known := a.Args[0].Value(leaf)
		read := q.f.readOf(a)
		if !ok || !known || at < 0 {
			continue
		}
		if i := slices.IndexFunc(q.p.drawn, func(d drawn) bool { return d.key == keyOf(q.f.s, read.Base) && d.start == 0 }); i >= 0 {
			if out == nil {
				out = make([][]race.Word, len(q.p.drawn))
			}
			out[i] = append(out[i], race.Word{Offset: at, Size: read.Size, Value: value})
		}
	}
	return out
}

// readOf is an access that reads the contents which a value stands for, as a whole number.
func (f *search) readOf(contents *term.Atom) *access.Access {
	i := slices.IndexFunc(f.s.Accesses, func(a *access.Access) bool {
		return a.Result != nil && access.IsContents(a.Result) && a.Result.Name == contents.Name && a.Type().IsInt() && a.Type() != ir.Bool
	})
	if i < 0 {
		return nil
	}
	return f.s.Accesses[i]
}

// lead puts words into the memory of a plan.
func (p *plan) lead(words [][]race.Word) {
	p.led, p.drawn = true, slices.Clone(p.drawn)
	for i, w := range words {
		p.drawn[i].given = append(slices.Clone(p.drawn[i].given), w...)
	}
}
