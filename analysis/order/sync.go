// Package order says when synchronization between threads orders two accesses of a kernel:
// locks and flags, by the release and acquire patterns of the PTX memory model. Barriers are
// the matter of package phase.
package order

import (
	"context"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/phase"
	"github.com/warplint/warplint/analysis/prove"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

// This file says when two accesses are ordered by synchronization between threads: by a lock
// that both hold (locks.go) or by a flag that one waits for (flags.go). The words are those of
// the PTX memory consistency model: a release pattern is a fence followed by a strong write,
// an acquire pattern a strong read followed by a fence, and an edge holds for two threads only
// if the scopes of all its parts include both.

// Sync answers for one kernel.
type Sync struct {
	s      *access.Summary
	t      *term.Table
	g      *phase.Graph
	solver *prove.Solver
	writes []*access.Access
	reads  map[ir.Stmt]*access.Access

	polled map[int]bool                           // sites of reads that a loop waits for, made when first asked
	same   map[sameKey]bool                       // answers of sameThread and sameBlock
	ends   map[endKey]bool                        // answers of canEnd
	meets  map[meetKey]bool                       // and of mayMeet
	said   map[*access.Access]map[*term.Atom]bool // what the conditions of an access mention

	last     map[*access.Access][]lastOf // answers of lasts and of counts
	passing  map[*access.Access]bool     // reads of flags that passedOn is asked of
	counters map[*access.Access]bool

	begun      []generation                    // made when first asked
	toldAt     []told                          // what first threads have seen, made when first asked
	toldBefore map[ir.Stmt][]told              // answers of toldTo
	toldWay    map[*access.Access][]told       // and of toldOnWay
	cleared    map[*access.Access][]*term.Cond // and of settled
	turns      map[turnKey]bool                // and of isTurn
	inBlock    *phase.Phases                   // by the barriers of blocks, made when first asked

	// Leave is set where some threads of a block may return before a barrier that others come to.
	Leave bool
	// Presuming says that conditions can't hold together under an assumption, which the verdict names then.
	Presuming func(conds []*term.Cond) bool
	// Draws says of the tickets that two threads of a kind have drawn before two accesses that they differ,
	// if it is set.
	Draws func(a, b *access.Access, kind race.Kind, one, two *term.Renaming) []*term.Cond

	// Strict demands a fence behind the flag of readers of volatile data, too, as the memory model
	// does; by policy they need none.
	Strict bool

	// lax leaves out requirements, one by one, to find the one that is not met (miss.go);
	// unmet collects the statements that failed it.
	lax   laxity
	unmet []ir.Stmt
	// explaining is set while that goes on, explainer is the solver then, and cases what it may still
	// try: the explanation of a race that was shown must not hang on what is left of the kernel's work.
	explaining bool
	explainer  *prove.Solver
	cases      int
}

// Budgets in cases of the solver: for one question about a lock or flag, and for all explanations.
const (
	solverBudget  = 40
	explainBudget = 10_000
)

// NewSync prepares the questions for a kernel.
func NewSync(s *access.Summary, g *phase.Graph, solver *prove.Solver) *Sync {
	explainer := prove.NewSolver(context.Background(), s.T, s.Axioms, 0)
	y := &Sync{s: s, t: s.T, g: g, solver: solver, explainer: explainer, cases: explainBudget, reads: map[ir.Stmt]*access.Access{}, same: map[sameKey]bool{}, ends: map[endKey]bool{}, meets: map[meetKey]bool{}, last: map[*access.Access][]lastOf{}, passing: map[*access.Access]bool{}, counters: map[*access.Access]bool{}, said: map[*access.Access]map[*term.Atom]bool{},
		toldBefore: map[ir.Stmt][]told{}, toldWay: map[*access.Access][]told{}, cleared: map[*access.Access][]*term.Cond{}, turns: map[turnKey]bool{}}
	for i, a := range s.Accesses {
		if a.Writes() {
			y.writes = append(y.writes, a)
		}
		if a.Kind == race.Write {
			continue
		}
		if _, twice := y.reads[a.Stmt]; twice {
			a = nil // through a pointer to one of several places: nobody knows which was read
		}
		y.reads[s.Accesses[i].Stmt] = a
	}
	return y
}

// Ordered reports whether two accesses by different threads of the kind are never
// concurrent, because of a lock or a flag.
func (y *Sync) Ordered(a, b *access.Access, kind race.Kind) bool {
	return y.locked(a, b, kind) || y.handedOver(a, b, kind) || y.handedOver(b, a, kind) || y.afterAll(a, b, kind) || y.afterAll(b, a, kind) || kind == race.InterBlock && y.inGenerations(a, b)
}

// wait is a value that a path has seen in memory: the path goes on only if the value that
// the access read satisfies the condition.
type wait struct {
	on   *access.Access
	atom *term.Atom
	when *term.Cond
}

// waits lists what a path's conditions say of values read by strong accesses.
func (y *Sync) waits(conds []*term.Cond) []wait {
	var out []wait
	for _, c := range conds {
		if c.Op == term.And {
			out = append(out, y.waits(c.Args)...)
			continue
		}
		if c.P == nil {
			continue
		}
		for _, m := range c.P.Terms() {
			for _, atom := range m.Mono.Atoms {
				c := c
				if inner := wrapped(atom); inner != nil { // as of a signed counter that is compared with gridDim.x
					c = term.Disj(y.t.Lt(y.t.Poly(inner), y.t.Const(atom.Lo)), y.t.Lt(y.t.Const(atom.Hi), y.t.Poly(inner)), y.t.SubstituteCond(c, atom, y.t.Poly(inner)))
					atom = inner
				}
				if a := y.readOf(atom); a != nil {
					out = append(out, wait{a, atom, c})
				}
			}
		}
	}
	return out
}

// wrapped is the number that an atom is within the range of its type, nil for others.
func wrapped(atom *term.Atom) *term.Atom {
	if atom.Kind != term.Wrap {
		return nil
	}
	return atom.Args[0].IsAtom()
}

// readOf returns the strong access whose result an atom is.
func (y *Sync) readOf(atom *term.Atom) *access.Access {
	stmt, ok := atom.Ref.(ir.Stmt)
	if !ok {
		return nil
	}
	a := y.reads[stmt]
	if a == nil || a.Order == ir.Weak && !a.Volatile && !y.couldBeFlag(a) {
		return nil
	}
	return a
}

// couldBeFlag reports whether a plain read counts as one of a flag. With no fence either, and in shared
// memory, which people mostly guard by barriers, nothing but a loop that waits for it tells a flag
// from other data.
func (y *Sync) couldBeFlag(a *access.Access) bool {
	return y.lax&laxWeak != 0 && (y.lax&laxFence == 0 && a.Base.Space != ir.Shared || y.polledPlainly(a))
}

// scopeOf is the scope of a strong access; volatile is relaxed at system scope, and so is, for
// the sake of explanations, a plain access that should be strong.
func scopeOf(a *access.Access) race.Scope {
	if a.Order == ir.Weak {
		return race.ScopeSystem
	}
	return a.Scope
}

// acquires reports whether everything after a strong read is ordered behind it: the read
// itself acquires, or a fence stands on every path to the access.
func (y *Sync) acquires(read, then *access.Access, scope race.Scope) bool {
	return read.Order.Acquires() && y.covers(read, scope) || y.fenced(read.Stmt, then.Stmt, scope, ir.Order.Acquires)
}

// releases reports whether everything before a strong write is ordered before it.
func (y *Sync) releases(first, write *access.Access, scope race.Scope) bool {
	return write.Order.Releases() && y.covers(write, scope) || y.fenced(first.Stmt, write.Stmt, scope, ir.Order.Releases)
}

// fenced reports whether each path between two statements passes a fence of the scope that acquires, or releases.
func (y *Sync) fenced(from, to ir.Stmt, scope race.Scope, does func(ir.Order) bool) bool {
	fence := func(least race.Scope) func(ir.Stmt) bool {
		return func(s ir.Stmt) bool {
			f, ok := s.(*ir.Fence)
			return ok && f.Scope >= least && does(f.Order)
		}
	}
	if !y.g.Reaches(from, to, fence(scope)) {
		return true
	}
	if y.lax&laxFenceScope != 0 && !y.g.Reaches(from, to, fence(race.ScopeBlock)) {
		y.unmet = append(y.unmet, y.narrowFences(from, to, scope)...)
		return true
	}
	if y.lax&laxFence != 0 {
		y.unmet = append(y.unmet, to)
		return true
	}
	return false
}

// narrowFences lists the fences between two statements that are narrower than the scope.
func (y *Sync) narrowFences(from, to ir.Stmt, scope race.Scope) []ir.Stmt {
	var out []ir.Stmt
	for _, e := range y.s.Events {
		if f, ok := e.Stmt.(*ir.Fence); ok && f.Scope < scope && y.g.Reaches(from, f, nil) && y.g.Reaches(f, to, nil) {
			out = append(out, f)
		}
	}
	return out
}

// covers reports whether the scope of a strong access includes the other thread.
func (y *Sync) covers(a *access.Access, scope race.Scope) bool {
	if scopeOf(a) >= scope {
		return true
	}
	if y.lax&laxScope != 0 {
		y.unmet = append(y.unmet, a.Stmt)
		return true
	}
	return false
}

// strong reports whether an access can synchronize.
func (y *Sync) strong(a *access.Access) bool {
	if a.Order != ir.Weak || a.Volatile {
		return true
	}
	if y.lax&laxWeak != 0 {
		y.unmet = append(y.unmet, a.Stmt)
		return true
	}
	return false
}

// threads renames for two threads of the kind; nothing ties their loops.
func (y *Sync) threads(kind race.Kind) (one, two *term.Renaming) {
	widest := term.Block
	if kind == race.InterBlock {
		widest = term.Grid
	}
	shared := func(a *term.Atom) bool { return a.Variance <= widest && a.Loops == 0 }
	return y.t.Rename(1, shared, nil), y.t.Rename(2, shared, nil)
}

// impossible asks the solver whether conditions can't hold together.
func (y *Sync) impossible(conds ...*term.Cond) bool {
	solver, most := y.solver, solverBudget
	if y.explaining {
		solver, most = y.explainer, min(most, y.cases)
	}
	solver.Budget = most
	yes := solver.Unsat(conds...)
	if y.explaining {
		y.cases -= most - solver.Budget
		return yes
	}
	return yes || y.Presuming != nil && y.Presuming(conds)
}

func renameAll(r *term.Renaming, conds []*term.Cond) []*term.Cond {
	out := make([]*term.Cond, len(conds))
	for i, c := range conds {
		out[i] = r.Cond(c)
	}
	return out
}

// differ says that two threads differ in a coordinate.
func (y *Sync) differ(one, two *term.Renaming, of ...[3]*term.Poly) *term.Cond {
	var any []*term.Cond
	for _, dims := range of {
		for _, p := range dims {
			any = append(any, y.t.Ne(one.Poly(p), two.Poly(p)))
		}
	}
	return term.Disj(any...)
}

// sameKey is a question about two accesses: whether only one thread, or only threads of one
// block, can make both.
type sameKey struct {
	a, b  *access.Access
	block bool
}

// sameThread reports whether only one and the same thread can make both accesses.
func (y *Sync) sameThread(a, b *access.Access) bool {
	return y.sameActor(sameKey{a, b, false}, y.s.BlockIdx, y.s.ThreadIdx)
}

// sameBlock reports whether only threads of one block can make both accesses to one place.
func (y *Sync) sameBlock(a, b *access.Access) bool {
	if a.Base == b.Base && ofBlock(a) {
		return true
	}
	return y.sameActor(sameKey{a, b, true}, y.s.BlockIdx)
}

// ofBlock reports whether an access is to memory of the thread's own block.
func ofBlock(a *access.Access) bool { return a.Base.Space == ir.Shared && a.Base.Remote == nil }

func (y *Sync) sameActor(k sameKey, of ...[3]*term.Poly) bool {
	yes, known := y.same[k]
	if !known && !k.block && !(y.names(k.a, of) && y.names(k.b, of)) {
		y.same[k] = false
		return false
	}
	if !known {
		one, two := y.threads(race.InterBlock)
		conds := append(renameAll(one, k.a.When), renameAll(two, k.b.When)...)
		if apart := y.t.Sub(one.Poly(k.a.Off), two.Poly(k.b.Off)); k.block && aligned(apart, k.a, k.b) {
			conds = append(conds, y.t.Eq(apart, y.t.Const(0)))
		}
		yes = y.impossible(append(conds, y.differ(one, two, of...))...)
		y.same[k] = yes
	}
	return yes
}

// names reports whether the conditions of an access say something of each coordinate: if not, threads
// that differ in one that is not mentioned can make it, and there is nothing to prove.
func (y *Sync) names(a *access.Access, of [][3]*term.Poly) bool {
	said, known := y.said[a]
	if !known {
		said = map[*term.Atom]bool{}
		note := func(x *term.Atom) { said[x] = true }
		for _, c := range a.When {
			c.Walk(func(c *term.Cond) { c.P.AllLeaves(note) })
		}
		y.said[a] = said
	}
	for _, dims := range of {
		for _, p := range dims {
			if x := p.IsAtom(); x != nil && !said[x] {
				return false
			}
		}
	}
	return true
}

// sameLock reports whether two threads of the kind that make two accesses to one place have
// taken one and the same lock of an array, as the solver sees it (HGRD, section 4.3 matches locks so).
func (y *Sync) sameLock(h, k hold, a, b *access.Access, kind race.Kind) bool {
	one, two := y.threads(kind)
	p, q := one.Poly(h.acquire.Off), two.Poly(k.acquire.Off)
	if p.Equal(q) {
		return true
	}
	apart := y.t.Sub(one.Poly(a.Off), two.Poly(b.Off))
	if !aligned(apart, a, b) {
		return false
	}
	if equalWhere(y.t, apart, p, q) {
		return true
	}
	conds := append(renameAll(one, a.When), renameAll(two, b.When)...)
	return y.impossible(append(conds, y.t.Eq(apart, y.t.Const(0)), y.t.Ne(p, q))...)
}

// aligned reports whether two accesses that are so far apart touch the same bytes or none.
func aligned(apart *term.Poly, a, b *access.Access) bool {
	return a.Size == b.Size && a.Size > 0 && apart.Gcd()%a.Size == 0 && apart.Constant()%a.Size == 0
}

// MayTouch reports whether two accesses may touch a common byte, as far as the strides of their
// addresses tell: fields of the elements of an array of structures never do.
func MayTouch(a, b *access.Access) bool {
	if a.Base != b.Base {
		return false
	}
	if !overlaps(a.Off, a.Size, b.Off, b.Size) {
		return false
	}
	if a.Within == nil && b.Within == nil {
		return true
	}
	p, m := a.Outside()
	q, n := b.Outside()
	return overlaps(p, m, q, n)
}

// overlaps reports whether so many bytes from each of two addresses on may share one.
func overlaps(p *term.Poly, m int64, q *term.Poly, n int64) bool {
	stride := term.GCD(p.Gcd(), q.Gcd())
	d := q.Constant() - p.Constant()
	if stride == 0 {
		return -n < d && d < m
	}
	d = (d%stride + stride) % stride
	return d < m || d > stride-n
}

// mayMeet reports whether two accesses, by any threads, may touch a common byte: an array may hold flags and data.
func (y *Sync) mayMeet(a, b *access.Access) bool {
	if !MayTouch(a, b) {
		return false
	}
	if a == b || a.Off.Equal(b.Off) {
		return true
	}
	k := meetKey{a, b}
	yes, known := y.meets[k]
	if !known {
		one, two := y.threads(race.InterBlock)
		apart := y.t.Sub(one.Poly(a.Off), two.Poly(b.Off))
		conds := append(renameAll(one, a.When), renameAll(two, b.When)...)
		yes = !y.impossible(append(conds, y.t.Lt(apart, y.t.Const(b.Size)), y.t.Lt(y.t.Scale(-1, apart), y.t.Const(a.Size)))...)
		y.meets[k] = yes
	}
	return yes
}

// meetKey is a question whether two accesses may touch a common byte.
type meetKey struct{ a, b *access.Access }
