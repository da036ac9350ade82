package meet

import (
	"fmt"
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/phase"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

// This file writes the question "can two threads meet here" as conditions.

// Query returns conditions that hold together exactly if two threads of the kind touch a
// common byte by the two accesses in the given mode.
func Query(s *access.Summary, a, b *access.Access, kind race.Kind, m phase.Mode) []*term.Cond {
	one, two := threads(s, a, b, kind, m)
	return query(s, a, b, kind, m, one, two)
}

// Meeting is Query for a candidate, with the renamings of its two threads.
func Meeting(s *access.Summary, c Candidate) (conds []*term.Cond, one, two *term.Renaming) {
	one, two = threads(s, c.A, c.B, c.Kind, c.Mode)
	return query(s, c.A, c.B, c.Kind, c.Mode, one, two), one, two
}

func query(s *access.Summary, a, b *access.Access, kind race.Kind, m phase.Mode, one, two *term.Renaming) []*term.Cond {
	var conds []*term.Cond
	for _, c := range a.When {
		conds = append(conds, atEdge(s.T, one.Cond(c)))
	}
	for _, c := range b.When {
		conds = append(conds, atEdge(s.T, two.Cond(c)))
	}
	conds = append(conds, beforeEnds(s, m, one, two)...)
	conds = append(conds, ran(s, m, one, two)...)
	return append(conds, touching(s, a, b, kind, one, two)...)
}

// beforeEnds says in which rounds two threads are of loops whose ends are so many rounds later.
func beforeEnds(s *access.Summary, m phase.Mode, one, two *term.Renaming) []*term.Cond {
	var conds []*term.Cond
	for _, r := range m.Loops {
		l := s.Loops[r.Loop]
		if l == nil || l.Rounds == nil {
			continue
		}
		left := s.T.Sub(l.Rounds, s.T.Poly(l.Iter))
		if r.FirstEnd > 0 {
			conds = append(conds, s.T.Eq(one.Poly(left), s.T.Const(int64(r.FirstEnd))))
		}
		if r.SecondEnd > 0 {
			conds = append(conds, s.T.Eq(two.Poly(left), s.T.Const(int64(r.SecondEnd))))
		}
	}
	return conds
}

// ran says how often loops went round that the two threads have left, where that is known from their sizes.
func ran(s *access.Summary, m phase.Mode, one, two *term.Renaming) (conds []*term.Cond) {
	for _, left := range m.Left {
		l := s.Loops[left.Loop]
		if l == nil || !left.Test || len(l.Ran) == 0 || len(l.Behind) > 0 {
			continue
		}
		side := one
		if left.Second {
			side = two
		}
		var any []*term.Cond
		for _, rounds := range l.Ran {
			any = append(any, s.T.Eq(side.Poly(rounds), s.T.Const(int64(left.Round))))
		}
		conds = append(conds, term.Disj(any...))
	}
	return conds
}

// atEdge makes an inequality of what differs from its least value, or from its greatest one: there is one case
// of it, not two.
func atEdge(t *term.Table, c *term.Cond) *term.Cond {
	switch c.Op {
	case term.And:
		args := slices.Clone(c.Args)
		for i, a := range args {
			args[i] = atEdge(t, a)
		}
		return term.Conj(args...)
	case term.NeZero:
	default:
		return c
	}
	switch lo, hi := c.P.Range(); {
	case hi == 0:
		return t.Lt(c.P, t.Const(0))
	case lo == 0:
		return t.Lt(t.Const(0), c.P)
	}
	return c
}

// touching is the part of a query that does not speak of the ways to the accesses: different threads,
// of the kind, touch a common byte.
func touching(s *access.Summary, a, b *access.Access, kind race.Kind, one, two *term.Renaming) []*term.Cond {
	t := s.T
	var conds []*term.Cond
	if p, q := a.Base.Pointer, b.Base.Pointer; p != nil && q != nil {
		conds = append(conds, samePointer(t, one.Poly(p), two.Poly(q)))
	}
	conds = append(conds, overlap(t, one.Poly(a.Off), a.Size, two.Poly(b.Off), b.Size)...)
	if a.Base.Remote != nil || b.Base.Remote != nil {
		conds = append(conds, t.Eq(one.Poly(owner(s, a)), two.Poly(owner(s, b))))
	}
	if kind != race.InterBlock && sharesCopy(a, b) {
		conds = append(conds, otherPiece(s, a, one, two))
	}
	return append(conds, apart(s, one, two, kind)...)
}

// threads returns the renamings of the two threads of a query.
func threads(s *access.Summary, a, b *access.Access, kind race.Kind, m phase.Mode) (one, two *term.Renaming) {
	t := s.T
	widest := term.Block
	switch kind {
	case race.InterBlock, sameCluster:
		widest = term.Grid
	case sameThread:
		widest = term.Thread
	}
	var tied uint64
	first, second := map[*term.Atom]*term.Poly{}, map[*term.Atom]*term.Poly{}
	for _, r := range m.Loops {
		l := s.Loops[r.Loop]
		if l == nil {
			continue
		}
		switch {
		case r.Tied && r.Delta == 0:
			tied |= l.Bit // a First and a Second of the same number come below
		case r.Tied:
			base := t.Poly(t.Named(term.Iter, fmt.Sprintf("iteration %d, tied", l.Iter.ID), 0, term.NoHi, term.Grid))
			first[l.Iter] = t.Offset(base, int64(max(-r.Delta, 0)))
			second[l.Iter] = t.Offset(base, int64(max(r.Delta, 0)))
			if r.More {
				more := t.Named(term.Iter, fmt.Sprintf("iterations more %d", l.Iter.ID), 0, term.NoHi, term.Grid)
				second[l.Iter] = t.Add(second[l.Iter], t.Poly(more))
			}
		}
		if r.First >= 0 {
			first[l.Iter] = t.Const(int64(r.First))
		}
		if r.Second >= 0 {
			second[l.Iter] = t.Const(int64(r.Second))
		}
	}
	for _, left := range m.Left {
		if l := s.Loops[left.Loop]; l != nil {
			of := first
			if left.Second {
				of = second
			}
			for _, behind := range l.Behind {
				of[behind] = t.Const(int64(left.Round))
			}
		}
	}
	shared := func(x *term.Atom) bool { return x.Variance <= widest && x.Loops&^tied == 0 }
	lookup := func(of map[*term.Atom]*term.Poly) func(*term.Atom) *term.Poly {
		return func(x *term.Atom) *term.Poly { return of[x] }
	}
	return t.Rename(1, shared, lookup(first)), t.Rename(2, shared, lookup(second))
}

// threads is Threads, with one pair of renamings for all questions in a mode: what was renamed once is not
// renamed again.
func (c *checker) threads(a, b *access.Access, kind race.Kind, m phase.Mode) (one, two *term.Renaming) {
	var k strings.Builder
	k.WriteString(string(kind))
	writeLoops(&k, m)
	both, ok := c.renamed[k.String()]
	if !ok {
		both[0], both[1] = threads(c.s, a, b, kind, m)
		c.renamed[k.String()] = both
	}
	return both[0], both[1]
}

// overlap says that [p, p+m) and [q, q+n) share a byte.
func overlap(t *term.Table, p *term.Poly, m int64, q *term.Poly, n int64) []*term.Cond {
	d := t.Sub(p, q)
	if m == n && multipleOf(d, m) {
		return []*term.Cond{t.Eq(d, t.Const(0))}
	}
	// d = e with -m < e < n: an equation can be split into digits, an inequality can't.
	e := t.Poly(t.Named(term.Opaque, fmt.Sprintf("byte in (-%d, %d)", m, n), -m+1, n-1, term.Thread))
	return []*term.Cond{t.Eq(d, e)}
}

func multipleOf(p *term.Poly, m int64) bool {
	return m > 0 && p.Gcd()%m == 0 && p.Constant()%m == 0
}

// apart says that the two threads are different, and of the kind.
func apart(s *access.Summary, one, two *term.Renaming, kind race.Kind) []*term.Cond {
	t := s.T
	differ := func(of [3]*term.Poly) *term.Cond {
		var any []*term.Cond
		for _, p := range of {
			any = append(any, t.Ne(one.Poly(p), two.Poly(p)))
		}
		return term.Disj(any...)
	}
	switch kind {
	case sameThread:
		return nil
	case sameCluster:
		_, cluster := s.InCluster()
		return []*term.Cond{differ(s.BlockIdx), t.Not(differ(cluster))}
	}
	if kind == race.InterBlock {
		return []*term.Cond{differ(s.BlockIdx)}
	}
	if kind == sameBlock {
		return []*term.Cond{differ(s.ThreadIdx)}
	}
	_, hi := s.LinearThread().Range()
	tile := func(r *term.Renaming) *term.Poly { return r.Poly(s.ThreadGroup(s.Tile)) }
	switch kind {
	case sameTile:
		return []*term.Cond{differ(s.ThreadIdx), t.Eq(tile(one), tile(two))}
	case otherTile:
		return append(apart(s, one, two, race.IntraWarp), t.Ne(tile(one), tile(two)))
	}
	warp := func(r *term.Renaming) *term.Poly { return r.Poly(s.ThreadGroup(race.WarpSize)) }
	if kind == race.IntraWarp {
		if hi < race.WarpSize {
			return []*term.Cond{differ(s.ThreadIdx)}
		}
		return []*term.Cond{differ(s.ThreadIdx), t.Eq(warp(one), warp(two))}
	}
	if hi < race.WarpSize {
		return []*term.Cond{term.Never()} // a block of one warp
	}
	return []*term.Cond{differ(s.ThreadIdx), t.Ne(warp(one), warp(two))}
}

// sameTile and otherTile ask for two threads of one warp by the tiles of the kernel.
const (
	sameTile  race.Kind = "same tile"
	otherTile race.Kind = "other tile"
)

// sameCluster asks for two threads of one cluster, of different blocks.
const sameCluster race.Kind = "same cluster"

// owner is the rank, in its cluster, of the block whose shared memory an access touches.
func owner(s *access.Summary, a *access.Access) *term.Poly {
	if a.Base.Remote != nil {
		return a.Base.Remote
	}
	return s.RankInCluster()
}

// pairKey names a query by its terms, so that pairs that are alike are decided once. Two addresses that are moved by
// the same constant are the same question.
type pairKey struct {
	how          string // it is asked
	kind         race.Kind
	a, b         int // the addresses, but for their constants
	whenA, whenB int // the ways to the accesses
	distance     int64
	at           int64        // the first one's constant, where it matters
	shared       *access.Copy // that both are parts of
	mode         int
}

// key names the query by its terms.
func (c *checker) key(a, b *access.Access, kind race.Kind, m phase.Mode) pairKey {
	k := c.touchingKey(a, b, kind, m)
	k.whenA, k.whenB = c.wayOf(a, kind), c.wayOf(b, kind)
	return k
}

// by is the key of the same question asked in some way.
func (k pairKey) by(how string) pairKey {
	k.how = how
	return k
}

// touchingKey is key for what does not speak of the ways to the accesses.
func (c *checker) touchingKey(a, b *access.Access, kind race.Kind, m phase.Mode) pairKey {
	k := pairKey{kind: kind, a: c.addressOf(a), b: c.addressOf(b), distance: a.Off.Constant() - b.Off.Constant()}
	if sharesCopy(a, b) {
		k.shared = a.Copy
	}
	if len(m.Loops)+len(m.Left) > 0 {
		var text strings.Builder
		writeLoops(&text, m)
		k.mode = c.number(text.String())
	}
	return k
}

// number counts texts, from 1.
func (c *checker) number(text string) int {
	n, ok := c.numbers[text]
	if !ok {
		n = len(c.numbers) + 1
		c.numbers[text] = n
	}
	return n
}

// addressOf is the number of what an access touches, but for a constant.
func (c *checker) addressOf(a *access.Access) int {
	n, ok := c.addresses[a]
	if !ok {
		var k strings.Builder
		fmt.Fprintf(&k, "%s %d", c.t.Offset(a.Off, -a.Off.Constant()).Key(), a.Size)
		if a.Base.Pointer != nil {
			k.WriteString(a.Base.Pointer.Key())
		}
		if a.Base.Remote != nil {
			k.WriteString("of " + a.Base.Remote.Key())
		}
		n = c.number(k.String())
		c.addresses[a] = n
	}
	return n
}

// wayOf is the number of the way to an access.
func (c *checker) wayOf(a *access.Access, kind race.Kind) int {
	n, ok := c.wayNumbers[a]
	drawn := c.ticketsOf(a)
	if !ok || len(drawn) > 0 {
		var k strings.Builder
		for _, cond := range a.When {
			k.WriteString(" " + cond.Key())
		}
		k.WriteString(";")
		for _, x := range drawn {
			fmt.Fprintf(&k, " %t", c.valid(x, a, kind))
		}
		n = c.number(k.String())
		c.wayNumbers[a] = n
	}
	return n
}

// writeLoops adds to a key in which rounds of their loops two threads are.
func writeLoops(k *strings.Builder, m phase.Mode) {
	for _, r := range m.Loops {
		fmt.Fprintf(k, " %p %v %v %d %d %d %d %d", r.Loop, r.Tied, r.More, r.Delta, r.First, r.Second, r.FirstEnd, r.SecondEnd)
	}
	for _, l := range m.Left {
		fmt.Fprintf(k, " %p %v left in %d %v", l.Loop, l.Second, l.Round, l.Test)
	}
}
