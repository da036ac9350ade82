package prove

import (
	"context"
	"maps"
	"slices"

	"github.com/warplint/warplint/analysis/prove/bits"
	"github.com/warplint/warplint/analysis/term"
)

// This file shows that a conjunction of conditions has no solution: equations are split into
// the digits of a mixed-radix number (digits.go), unit atoms are substituted, the linear rest
// goes to linear.go, and what is left of disjunctions is tried case by case.

// Solver decides conjunctions over one table of terms. Its zero budget means none.
type Solver struct {
	T *term.Table
	// Axioms gives what is known of an atom besides its bounds, such as threadIdx < blockDim.
	Axioms func(*term.Atom) []*term.Cond
	// Budget is the number of cases that may still be tried; each query takes from it.
	Budget int
	// Rows says which rows are assumed to hold their columns. Extents are the numbers of blocks and
	// threads of which nothing is known.
	Rows    Rows
	Extents map[*term.Atom]bool
	// Rounds is set for questions about how often loops have gone round; see withoutRounds.
	Rounds bool
	// Assumable is set when, without assumptions, there was a row of which one could be made.
	Assumable Assumable

	// Answers remembers what was asked; nil for nothing.
	Answers *Answers

	// Second is asked for what the bits leave undecided; nil for nobody.
	Second Second

	ctx     context.Context
	until   int64 // the work at which the present query is given up
	seconds int   // questions to Second, so far
	points  points
	settled map[systemKey]settled
	// lessThan says of the name of a sum, as of 256 - 2*halo, what it is taken from; see shortened.
	lessThan map[*term.Atom][]*term.Poly
	sums     map[*term.Atom]*term.Poly // by their names
}

// Second is another solver, such as an installed Z3. It ends at once when the context does, which it
// looks at by its channel only; axioms may be nil.
type Second interface {
	Decide(ctx context.Context, conds []*term.Cond, axioms func(*term.Atom) []*term.Cond) bits.Answer
}

// NewSolver returns a solver that gives up after so many cases or when the context is done.
func NewSolver(ctx context.Context, t *term.Table, axioms func(*term.Atom) []*term.Cond, budget int) *Solver {
	return &Solver{T: t, Axioms: axioms, Budget: budget, ctx: ctx, lessThan: map[*term.Atom][]*term.Poly{}, sums: map[*term.Atom]*term.Poly{}}
}

// state is a conjunction in parts.
type state struct {
	eqs, les, nes []*term.Poly
	ors           []*term.Cond
	defined       map[*term.Atom]bool
	false         bool
	divisions     []division
	solved        []division   // whose equations are among the others
	quotients     []*term.Atom // by constants, see nestQuotients
	xors          []xor
	functions     []function
	bounded       map[bound]bool  // see boundQuotients
	sums, squares int             // see nameSum and byOrder
	further       *term.Atom      // how much further on than the row behind the other thread's a thread's row is, see byOrder
	behind        *term.Poly      // that row
	derived       map[string]bool // equations already split, by their text
}

func (s *state) clone() *state {
	c := &state{false: s.false, sums: s.sums, squares: s.squares, further: s.further, behind: s.behind, defined: maps.Clone(s.defined), bounded: maps.Clone(s.bounded), derived: make(map[string]bool, len(s.derived))}
	c.eqs = append(c.eqs, s.eqs...)
	c.les = append(c.les, s.les...)
	c.nes = append(c.nes, s.nes...)
	c.ors = append(c.ors, s.ors...)
	c.divisions = append(c.divisions, s.divisions...)
	c.solved = append(c.solved, s.solved...)
	c.quotients = append(c.quotients, s.quotients...)
	c.xors = append(c.xors, s.xors...)
	c.functions = append(c.functions, s.functions...)
	for k := range s.derived {
		c.derived[k] = true
	}
	return c
}

// workPerCase bounds one query by what its cases may cost each, in units of term.Table.Work: of 60 cases,
// twice what the longest took that was shown, in cuda-samples' race-free kernels.
const workPerCase = 5_000

// Unsat reports whether the conditions can't hold together. False means "not shown".
func (s *Solver) Unsat(conds ...*term.Cond) bool {
	conds = s.withoutOneSided(s.relevant(distinct(conds)))
	return s.once(s.Budget, conds, func() bool {
		s.until = s.T.Work + int64(s.Budget)*workPerCase
		if s.refutedWithoutSigns(conds) {
			return true
		}
		if s.refute(s.stateOf(conds)) {
			return true
		}
		byDigits := s.byDigits(conds)
		return byDigits != nil && s.refute(s.stateOf(byDigits)) || s.refuteByPitch(conds)
	})
}

func (s *Solver) stateOf(conds []*term.Cond) *state {
	st := &state{defined: map[*term.Atom]bool{}, bounded: map[bound]bool{}, derived: map[string]bool{}}
	for _, c := range conds {
		s.assume(st, c)
	}
	s.compareSums(st)
	return st
}

// Entails reports whether the conditions imply another one.
func (s *Solver) Entails(given []*term.Cond, c *term.Cond) bool {
	if term.Implies(given, c) {
		return true
	}
	all := append(append([]*term.Cond{}, given...), s.T.Not(c))
	return s.Unsat(all...)
}

// assume adds a condition to a state, with the axioms and definitions of its atoms.
func (s *Solver) assume(st *state, c *term.Cond) {
	switch c.Op {
	case term.True:
	case term.False:
		st.false = true
	case term.LeZero:
		for _, c := range s.unfolded(c.P) { // as well: others may speak of the smaller number itself
			s.assume(st, c)
		}
		if least, _ := c.P.Range(); least == 0 && c.P.IsAtom() != nil { // such as of a remainder that is not positive
			st.eqs = append(st.eqs, c.P)
		} else {
			st.les = append(st.les, s.T.Tighten(c.P))
		}
		s.define(st, c.P)
	case term.EqZero:
		st.eqs = append(st.eqs, c.P)
		s.define(st, c.P)
	case term.NeZero:
		st.nes = append(st.nes, c.P)
		s.define(st, c.P)
	case term.And:
		for _, a := range c.Args {
			s.assume(st, a)
		}
	case term.Or:
		st.ors = append(st.ors, c)
		c.Walk(func(c *term.Cond) { s.defineAll(st, c.P, total) })
	}
}

// define adds what is known of the atoms of a polynomial.
func (s *Solver) define(st *state, p *term.Poly) {
	s.defineAll(st, p, func(*term.Atom) bool { return true })
}

// total reports whether an atom has a value wherever it stands. What is partial says nothing of alternatives but
// its own, and waits until that is chosen.
func total(a *term.Atom) bool { return !a.Partial }

func all(atoms []*term.Atom, are func(*term.Atom) bool) bool {
	return !slices.ContainsFunc(atoms, func(a *term.Atom) bool { return !are(a) })
}

func (s *Solver) defineAll(st *state, p *term.Poly, which func(*term.Atom) bool) {
	for _, x := range p.Terms() {
		for _, a := range x.Mono.Atoms {
			if st.defined[a] || !which(a) {
				continue
			}
			st.defined[a] = true
			s.defineDivision(st, a)
			s.defineXor(st, a)
			s.defineFunction(st, a)
			for _, c := range s.definition(a) {
				s.assume(st, c)
			}
			if s.Axioms != nil {
				for _, c := range s.Axioms(a) {
					s.assume(st, c)
				}
			}
		}
	}
}

// definition says by conditions what a compound atom is.
func (s *Solver) definition(a *term.Atom) []*term.Cond {
	t := s.T
	self := t.Poly(a)
	switch a.Kind {
	case term.Wrap: // p = self + 2^bits·k
		k := t.Poly(t.Apply(term.Func, "wraps"+a.Name, term.NoLo, term.NoHi, nil, a.Args[0]))
		size := a.Hi - a.Lo + 1 // 0 for 64 bits, whose size does not fit
		if size <= 0 {
			if _, hi := a.Args[0].Range(); a.Lo == 0 && hi < term.NoHi {
				return []*term.Cond{term.Disj(t.Lt(a.Args[0], t.Const(0)), t.Eq(a.Args[0], self))}
			}
			return nil
		}
		return []*term.Cond{t.Eq(a.Args[0], t.Add(self, t.Scale(size, k)))}
	case term.Min, term.Max:
		x, y := a.Args[0], a.Args[1]
		if a.Kind == term.Min {
			return []*term.Cond{t.Le(self, x), t.Le(self, y), term.Disj(t.Eq(self, x), t.Eq(self, y))}
		}
		return []*term.Cond{t.Le(x, self), t.Le(y, self), term.Disj(t.Eq(self, x), t.Eq(self, y))}
	case term.Func: // p & (2^k - 1) = p - 2^k·floor(p / 2^k), of whatever sign p is
		if mask, p, ok := lowBits(a); ok {
			above := t.Poly(t.Apply(term.Func, "above the low bits", term.NoLo, term.NoHi, nil, t.Const(mask), p))
			return []*term.Cond{t.Eq(p, t.Add(self, t.Scale(mask+1, above)))}
		}
	case term.Select:
		return []*term.Cond{term.Disj(
			term.Conj(a.If, t.Is(self, a.Args[0])),
			term.Conj(t.Not(a.If), t.Is(self, a.Args[1])))}
	}
	return nil
}

// lowBits reads a number as the low bits of another one.
func lowBits(a *term.Atom) (mask int64, p *term.Poly, ok bool) {
	if a.Name != "and" || len(a.Args) != 2 {
		return 0, nil, false
	}
	const most = 1 << 32
	for i, arg := range a.Args {
		if mask, ok := arg.IsConst(); ok && mask > 0 && mask < most && mask&(mask+1) == 0 {
			return mask, a.Args[1-i], true
		}
	}
	return 0, nil, false
}

// refute reports whether the state has no solution.
func (s *Solver) refute(st *state) bool {
	if s.Budget <= 0 || s.spent() {
		return false
	}
	s.Budget--
	if s.simplify(st) {
		return true
	}
	if s.linear(st) {
		return true
	}
	return s.cases(st)
}

// spent reports whether the present query has taken the work that it may, or nobody waits for its answer.
func (s *Solver) spent() bool { return s.T.Work > s.until || s.ctx.Err() != nil }

// simplify solves the equations as far as it goes; it returns true on a contradiction.
func (s *Solver) simplify(st *state) bool {
	t := s.T
	for changed := true; changed && !s.spent(); {
		changed = false
		if st.false {
			return true
		}
		if s.boundQuotients(st) {
			clear(st.derived) // a bound may show a digit's
		}
		for i := 0; i < len(st.eqs); i++ {
			e := st.eqs[i]
			if c, ok := e.IsConst(); ok {
				if c != 0 {
					return true
				}
				st.eqs = append(st.eqs[:i], st.eqs[i+1:]...)
				i--
				continue
			}
			if g := e.Gcd(); g > 1 {
				if e.Constant()%g != 0 {
					return true
				}
				e = t.DivExact(e, g)
				st.eqs[i] = e
			}
			if parts := s.digits(st, e); parts != nil {
				st.eqs = append(st.eqs[:i], st.eqs[i+1:]...)
				st.eqs = append(st.eqs, parts...)
				changed = true
				break
			}
		}
		if changed {
			continue
		}
		if s.nameSum(st) {
			changed = true
			continue
		}
		if s.renames(st) || s.takeDigits(st) {
			changed = true
			continue
		}
		if a, by, at := s.pickUnit(st); a != nil {
			st.eqs = append(st.eqs[:at], st.eqs[at+1:]...)
			s.substitute(st, a, by)
			changed = true
			continue
		}
		changed = s.uniteQuotients(st) || s.uniteXors(st) || s.uniteFunctions(st) || s.takeDivision(st)
	}
	for _, p := range st.nes {
		if c, ok := p.IsConst(); ok && c == 0 {
			return true
		}
	}
	return s.reduceOrs(st)
}

// renames solves an equation of two atoms that are arguments of functions, such as the rounds of two threads: the functions'
// values may be equal then, and equations between sums with these in them split into digits. It reports whether there
// was one.
func (s *Solver) renames(st *state) bool {
	for i, e := range st.eqs {
		terms := e.Terms()
		if len(terms) != 2 || e.Constant() != 0 || terms[0].Coef != -terms[1].Coef || len(terms[0].Mono.Atoms) != 1 || len(terms[1].Mono.Atoms) != 1 {
			continue
		}
		a, b := terms[0].Mono.Atoms[0], terms[1].Mono.Atoms[0]
		if !before(a, b) {
			a, b = b, a
		}
		if !slices.ContainsFunc(st.functions, func(f function) bool {
			return slices.ContainsFunc(f.args, func(p *term.Poly) bool { return p.Mentions(a) })
		}) || s.T.Poly(b).Mentions(a) {
			continue
		}
		st.eqs = slices.Delete(st.eqs, i, i+1)
		s.substitute(st, a, s.T.Poly(b))
		s.uniteFunctions(st)
		return true
	}
	return false
}

// pickUnit chooses an equation that defines an atom: one whose coefficient is ±1 and that
// varies most, so that what is shared by all threads stays, and rather one that was made of others, so
// that coordinates stay. An equation with a product in it
// may yet split into digits, once a case has shown their bounds: it waits for the cases.
func (s *Solver) pickUnit(st *state) (*term.Atom, *term.Poly, int) {
	t := s.T
	var best *term.Atom
	var by *term.Poly
	at := -1
	for i, e := range st.eqs {
		if len(st.ors) > 0 && !linearIn(e) {
			continue
		}
		for _, x := range e.Terms() {
			if len(x.Mono.Atoms) != 1 || x.Coef != 1 && x.Coef != -1 {
				continue
			}
			a := x.Mono.Atoms[0]
			if best != nil && !before(a, best) {
				continue
			}
			rest := t.Sub(t.Scale(x.Coef, t.Poly(a)), e)
			rest = t.Scale(x.Coef, rest)
			if rest.Mentions(a) {
				continue
			}
			best, by, at = a, rest, i
		}
	}
	return best, by, at
}

// before reports whether an atom is to be eliminated rather than another.
func before(a, b *term.Atom) bool {
	if a.Variance != b.Variance {
		return a.Variance > b.Variance
	}
	if made := len(a.Args) > 0; made != (len(b.Args) > 0) {
		return made
	}
	return a.ID > b.ID
}

func linearIn(e *term.Poly) bool {
	return !slices.ContainsFunc(e.Terms(), func(x term.Term) bool { return len(x.Mono.Atoms) > 1 })
}

// substitute replaces an atom everywhere; its bounds stay as inequalities.
func (s *Solver) substitute(st *state, a *term.Atom, by *term.Poly) {
	t := s.T
	each := func(ps []*term.Poly) {
		for i, p := range ps {
			ps[i] = t.Substitute(p, a, by)
		}
	}
	each(st.eqs)
	each(st.les)
	each(st.nes)
	for i, d := range st.divisions {
		st.divisions[i] = d.substitute(s, a, by)
	}
	for i, d := range st.solved {
		st.solved[i] = d.substitute(s, a, by)
	}
	for i, x := range st.xors {
		st.xors[i] = x.substitute(s, a, by)
	}
	for i, f := range st.functions {
		st.functions[i] = f.substitute(s, a, by)
	}
	for i, c := range st.ors {
		st.ors[i] = t.SubstituteCond(c, a, by)
	}
	if a.Lo != term.NoLo {
		st.les = append(st.les, t.Sub(t.Const(a.Lo), by))
	}
	if a.Hi != term.NoHi {
		st.les = append(st.les, t.Offset(by, -a.Hi))
	}
}

// reduceOrs drops alternatives that are false as they stand; it returns true if a disjunction
// has none left. A disjunction with one alternative left is assumed.
func (s *Solver) reduceOrs(st *state) bool {
	ors := st.ors
	st.ors = nil
	again := false
	for _, c := range ors {
		switch c.Op {
		case term.False:
			return true
		case term.True:
		case term.Or:
			st.ors = append(st.ors, c)
		default:
			s.assume(st, c)
			again = true
		}
	}
	if again || len(ors) > 0 && len(st.ors) == 0 { // equations may have waited for the last one
		return s.simplify(st)
	}
	return st.false
}

// linear reports whether the inequalities and equations contradict each other.
func (s *Solver) linear(st *state) bool {
	if s.holdsSomewhere(st) {
		return false
	}
	contradict := s.infeasible(s.inequalities(st))
	near := s.points.near()
	near.holds = !contradict && near.satisfies(st)
	return contradict
}

// inequalities lists what a state says as p ≤ 0.
func (s *Solver) inequalities(st *state) []*term.Poly {
	equations := st.equations()
	all := make([]*term.Poly, 0, len(st.les)+2*len(equations))
	for _, p := range st.les {
		if c, ok := p.IsConst(); !ok || c > 0 {
			all = append(all, p)
		}
	}
	for _, e := range equations {
		all = append(all, e, s.T.Scale(-1, e))
	}
	return all
}

// proves reports whether p ≤ 0 follows from the state's inequalities and equations.
func (s *Solver) proves(st *state, p *term.Poly) bool {
	if _, hi := p.Range(); hi <= 0 {
		return true
	}
	if st.most(p) <= 0 {
		return true
	}
	if s.refuted(st, p) {
		return false
	}
	// Only what is connected to the opposite is looked at. A division connects what has nothing to do with each other else, such as the
	// coordinates of a parity; mostly the bounds suffice.
	opposite := []*term.Poly{s.T.Offset(s.T.Scale(-1, p), 1)}
	contradict := len(st.divisions) > 0 && s.infeasible(closure(opposite, st.les)) || s.infeasible(closure(opposite, s.inequalities(st)))
	if near := s.points.near(); !contradict && !near.holds {
		near.holds = near.satisfies(st)
	}
	return contradict
}

// most is what a sum is at most by the bounds of its terms, those included that an inequality of the state gives
// to one alone.
func (s *state) most(p *term.Poly) int64 {
	var sum int64
	for _, x := range p.Terms() {
		if len(x.Mono.Atoms) == 0 {
			sum += x.Coef
			continue
		}
		lo, hi := x.Mono.Range()
		for _, le := range s.les {
			c, bound, ok := boundOf(le, x.Mono)
			switch {
			case !ok:
			case c > 0:
				hi = min(hi, -ceilDiv(bound, c))
			default:
				lo = max(lo, ceilDiv(bound, -c))
			}
		}
		end := hi
		if x.Coef < 0 {
			end = lo
		}
		part, ok := mulSmall(x.Coef, end)
		if end == term.NoLo || end == term.NoHi || !ok || tooLarge(part) || tooLarge(sum) {
			return term.NoHi
		}
		sum += part
	}
	return sum
}

// boundOf reads an inequality about one product as coef·m + c ≤ 0.
func boundOf(le *term.Poly, m *term.Mono) (coef, c int64, ok bool) {
	terms := le.Terms()
	if len(terms) == 0 || len(terms) > 2 {
		return 0, 0, false
	}
	for _, x := range terms {
		switch {
		case x.Mono == m:
			coef = x.Coef
		case len(x.Mono.Atoms) == 0:
			c = x.Coef
		default:
			return 0, 0, false
		}
	}
	return coef, c, coef != 0
}

// cases tries the alternatives of a disjunction, or the two sides of p ≠ 0.
func (s *Solver) cases(st *state) bool {
	t := s.T
	if len(st.ors) > 0 {
		at := 0
		for i, c := range st.ors {
			if len(c.Args) < len(st.ors[at].Args) {
				at = i
			}
		}
		or := st.ors[at]
		for _, alt := range s.likelyFirst(or.Args) {
			branch := st.clone()
			branch.ors = append(branch.ors[:at], branch.ors[at+1:]...)
			clear(branch.derived) // what is known in this case may show a digit's bound
			s.assume(branch, alt)
			s.pin(branch, len(st.les))
			if !s.refute(branch) {
				return false
			}
		}
		return true
	}
	if impossible, ok := s.byFactors(st); ok {
		return impossible
	}
	for i, p := range st.nes {
		if !s.boundary(st, p) {
			continue
		}
		for _, side := range [...]*term.Poly{t.Offset(p, 1), t.Sub(t.Const(1), p)} {
			branch := st.clone()
			branch.nes = append(branch.nes[:i], branch.nes[i+1:]...)
			branch.les = append(branch.les, t.Tighten(side))
			if !s.refute(branch) {
				return false
			}
		}
		return true
	}
	return s.byProducts(st) || s.byOrder(st)
}

// pin makes an equation of each inequality of a case whose opposite holds as well: it may split into digits.
func (s *Solver) pin(st *state, old int) {
	for _, p := range st.les[old:] {
		opposite := s.T.Scale(-1, p)
		if slices.ContainsFunc(st.les[:old], opposite.Equal) {
			st.eqs = append(st.eqs, p)
		}
	}
}

// boundary reports whether p ≠ 0 is worth a case split: one of its sides is impossible.
func (s *Solver) boundary(st *state, p *term.Poly) bool {
	return s.proves(st, p) || s.proves(st, s.T.Scale(-1, p))
}
