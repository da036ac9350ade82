package meet

import (
	"fmt"
	"maps"
	"slices"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

// This file follows the parities with which threads wait for the phases of a barrier in memory. A wait for a parity
// ends once the phase of that parity is over (PTX ISA, "mbarrier.test_wait"): the first wait of a thread is for the
// first phase if it names 0, the next for the second if it names 1, and so on. So all ways through the kernel are
// followed with the numbers that parities are made of, as remainders.

// inTurn reports whether on all ways through the kernel the waits of a barrier name 0, 1, 0, 1, ….
func (c *checker) inTurn(m *inMemory) bool {
	p := &parities{waits: map[ir.Stmt]ir.Expr{}, of: map[*ir.Reg]bool{}, modulus: 2}
	var roots []ir.Expr
	for _, e := range m.waits {
		s, ok := e.Stmt.(*ir.Named)
		if !ok || len(s.Args) < 2 || s.Args[1].Type().Size() >= 8 {
			return false
		}
		p.waits[s] = s.Args[1]
		roots = append(roots, s.Args[1])
	}
	if !p.slice(c.s.Func.Body, roots) {
		return false
	}
	p.run(c.s.Func.Body, turns{turn{}.key(): {numbers: map[*ir.Reg]number{}}})
	return !p.failed
}

// number is what is known of a register: its remainder, or itself.
type number struct {
	v, m  int64 // v modulo m
	exact bool
	below bool // it may be less than zero
}

// turn is a way that has come to a point: what registers hold, and how many waits it has passed, modulo 2.
type turn struct {
	numbers map[*ir.Reg]number
	waited  int64
}

func (t turn) key() string { return fmt.Sprint(t.waited, t.numbers) }

type turns map[string]turn

type parities struct {
	waits   map[ir.Stmt]ir.Expr
	of      map[*ir.Reg]bool // the registers that parities are made of
	modulus int64
	failed  bool
	breaks  map[*ir.Label]turns
	goesOn  map[*ir.Label]turns
}

// Limits of what is followed.
const (
	mostModulus = 256
	mostTurns   = 1 << 12
)

// slice finds the registers that some expressions are made of, and a modulus in which their divisors are contained.
func (p *parities) slice(body []ir.Stmt, roots []ir.Expr) bool {
	divisors := map[int64]bool{}
	take := func(e ir.Expr) {
		ir.WalkExpr(e, func(e ir.Expr) {
			switch e := e.(type) {
			case *ir.RegRef:
				p.of[e.R] = true
			case *ir.Binary:
				c, ok := e.Y.(*ir.Const)
				if !ok || c.Bits == 0 || c.Bits > mostModulus {
					return
				}
				switch n := int64(c.Bits); e.Op {
				case ir.Div, ir.Rem:
					divisors[n] = true
				case ir.Shr:
					divisors[1<<min(n, 10)] = true
				case ir.And, ir.Xor, ir.Or:
					for d := int64(2); d <= 2*n; d *= 2 {
						divisors[d] = true
					}
				}
			}
		})
	}
	for _, e := range roots {
		take(e)
	}
	for before := -1; before != len(p.of); {
		before = len(p.of)
		for a := range ir.All[*ir.Assign](body) {
			if p.of[a.Dst] {
				take(a.X)
			}
		}
	}
	for d := range divisors {
		p.modulus *= d / term.GCD(p.modulus, d)
		if p.modulus > mostModulus {
			return false
		}
	}
	p.modulus *= 2
	return true
}

// run follows some ways through statements and returns those that come to their end.
func (p *parities) run(list []ir.Stmt, at turns) turns {
	for _, s := range list {
		if p.failed || len(at) == 0 {
			return nil
		}
		at = p.stmt(s, at)
	}
	return at
}

func (p *parities) stmt(s ir.Stmt, at turns) turns {
	switch s := s.(type) {
	case *ir.If:
		var yes, no = turns{}, turns{}
		for k, t := range at {
			c := p.eval(t, s.Cond)
			if !c.exact || c.v != 0 {
				yes[k] = t
			}
			if !c.exact || c.v == 0 {
				no[k] = t
			}
		}
		return joined(p.run(s.Then, yes), p.run(s.Else, no))
	case *ir.Block:
		old := p.breaks[s.Label]
		p.leave(&p.breaks, s.Label, nil)
		out := p.run(s.Body, at)
		out = joined(out, p.breaks[s.Label])
		p.leave(&p.breaks, s.Label, old)
		return out
	case *ir.Loop:
		return p.loop(s, at)
	case *ir.Break:
		p.leave(&p.breaks, s.Target, joined(at, p.breaks[s.Target]))
		return nil
	case *ir.Continue:
		p.leave(&p.goesOn, s.Target, joined(at, p.goesOn[s.Target]))
		return nil
	case *ir.Return, *ir.Trap:
		return nil
	}
	phase, waits := p.waits[s]
	defs := ir.Defs(s)
	changed := waits
	for _, r := range defs {
		changed = changed || p.of[r]
	}
	if !changed {
		return at
	}
	out := turns{}
	for _, t := range at {
		if waits {
			if n := p.eval(t, phase); n.m%2 != 0 || n.m == 0 || n.v&1 != t.waited {
				p.failed = true
				return nil
			}
			t.waited = 1 - t.waited
		}
		for _, r := range defs {
			if p.of[r] {
				n := number{}
				if a, ok := s.(*ir.Assign); ok {
					n = p.eval(t, a.X)
				}
				t.numbers = with(t.numbers, r, n)
			}
		}
		out[t.key()] = t
	}
	return out
}

func with(numbers map[*ir.Reg]number, r *ir.Reg, n number) map[*ir.Reg]number {
	out := maps.Clone(numbers)
	if delete(out, r); n.m > 0 {
		out[r] = n
	}
	return out
}

func (p *parities) leave(at *map[*ir.Label]turns, label *ir.Label, t turns) {
	if *at == nil {
		*at = map[*ir.Label]turns{}
	}
	(*at)[label] = t
}

func joined(a, b turns) turns {
	out := turns{}
	maps.Copy(out, a)
	maps.Copy(out, b)
	return out
}

func (p *parities) loop(l *ir.Loop, at turns) turns {
	oldBreaks, oldNext := p.breaks[l.Label], p.goesOn[l.Label]
	p.leave(&p.breaks, l.Label, nil)
	seen, out := turns{}, turns{}
	for len(at) > 0 && !p.failed {
		fresh := turns{}
		for k, t := range at {
			if _, ok := seen[k]; !ok {
				fresh[k], seen[k] = t, t
			}
		}
		if p.failed = len(seen) > mostTurns; p.failed || len(fresh) == 0 {
			break
		}
		p.leave(&p.goesOn, l.Label, nil)
		in := turns{}
		for k, t := range p.run(l.Head, fresh) {
			c := p.eval(t, l.Cond)
			if !c.exact || c.v == 0 {
				out[k] = t
			}
			if !c.exact || c.v != 0 {
				in[k] = t
			}
		}
		end := joined(p.run(l.Body, in), p.goesOn[l.Label])
		at = p.run(l.Post, end)
	}
	out = joined(out, p.breaks[l.Label])
	p.leave(&p.breaks, l.Label, oldBreaks)
	p.leave(&p.goesOn, l.Label, oldNext)
	return out
}

// eval is what is known of an expression; m is 0 where it is nothing.
func (p *parities) eval(t turn, e ir.Expr) number {
	known := func(v int64) number { // small and not negative
		if v < 0 || v >= p.modulus {
			return number{v: ((v % p.modulus) + p.modulus) % p.modulus, m: p.modulus, below: v < 0}
		}
		return number{v: v, m: p.modulus, exact: true}
	}
	switch e := e.(type) {
	case *ir.Const:
		if e.T.IsFloat() {
			return number{}
		}
		if e.T.IsSigned() {
			return known(e.Int())
		}
		return known(int64(e.Bits & (1<<62 - 1)))
	case *ir.RegRef:
		return t.numbers[e.R]
	case *ir.Convert:
		x := p.eval(t, e.X)
		if e.T == ir.Bool {
			if x.exact && x.v != 0 {
				x.v = 1
			}
			if !x.exact {
				return number{}
			}
			return x
		}
		if !e.T.IsInt() || !(e.X.Type().IsInt() || e.X.Type() == ir.Bool) || e.T.Size() < 4 && !(x.exact && x.v < 128) {
			return number{}
		}
		return x
	case *ir.Unary:
		if x := p.eval(t, e.X); e.Op == ir.LogNot && x.exact {
			return known(1 - min(x.v, 1))
		}
	case *ir.Select:
		switch c := p.eval(t, e.Cond); {
		case !c.exact:
		case c.v != 0:
			return p.eval(t, e.X)
		default:
			return p.eval(t, e.Y)
		}
	case *ir.Binary:
		if e.T.IsFloat() || e.X.Type().IsFloat() {
			return number{}
		}
		return p.binary(e.Op, p.eval(t, e.X), p.eval(t, e.Y), known)
	}
	return number{}
}

func (p *parities) binary(op ir.Op, x, y number, known func(int64) number) number {
	if x.m == 0 || y.m == 0 {
		return number{}
	}
	m := term.GCD(x.m, y.m)
	exact := x.exact && y.exact
	of := func(v int64) number {
		if exact {
			return known(v)
		}
		return number{v: (v%m + m) % m, m: m, below: x.below || y.below || op == ir.Sub}
	}
	truth := func(yes bool) number {
		if !exact {
			return number{}
		}
		if yes {
			return known(1)
		}
		return known(0)
	}
	switch op {
	case ir.Add:
		return of(x.v + y.v)
	case ir.Sub:
		return of(x.v - y.v)
	case ir.Mul:
		return of(x.v * y.v)
	case ir.Eq:
		return truth(x.v == y.v)
	case ir.Ne:
		return truth(x.v != y.v)
	case ir.Shr:
		if y.exact && y.v < 10 {
			return p.binary(ir.Div, x, known(1<<y.v), known)
		}
	case ir.Div:
		if y.exact && y.v > 0 && x.m%y.v == 0 && !x.below {
			return number{v: x.v / y.v, m: x.m / y.v, exact: x.exact}
		}
	case ir.Rem:
		if y.exact && y.v > 0 && x.m%y.v == 0 && !x.below {
			return known(x.v % y.v)
		}
	case ir.And:
		if y.exact && (y.v+1)&y.v == 0 && x.m%(y.v+1) == 0 {
			return known(x.v & y.v)
		}
	case ir.Xor:
		if exact {
			return known(x.v ^ y.v)
		}
		if low := m & -m; y.exact && y.v < low {
			return number{v: (x.v ^ y.v) % low, m: low, below: x.below}
		}
	}
	return number{}
}

// bringsCopies reports whether a barrier counts one arrival, that of one thread which says how many bytes its copies
// bring: then what the phase waits for is these copies, and who waits for it sees them.
func (c *checker) bringsCopies(m *inMemory) bool {
	if m.other || len(m.inits) != 1 || len(m.inits[0].Loops) > 0 || len(m.inits[0].Args) != 2 || !isOne(m.inits[0].Args[1]) || len(m.arrivals) != 1 || len(m.expects) != 1 || len(m.waits) == 0 {
		return false
	}
	arrival, expect := m.arrivals[0], m.expects[0]
	bytes, ok := expectedBytes(expect)
	if !ok || !c.graph.Next(expect.Stmt, arrival.Stmt) || !c.byOneThread(arrival) || c.arrivesTwice(arrival, m) {
		return false
	}
	for _, a := range c.s.Accesses {
		if a.Copy == nil || a.Copy.Barrier == nil || keyOf(*a.Copy.Barrier) != keyOf(arrival.Args[0]) || a.Kind == race.Read {
			continue
		}
		if !a.Copy.Bulk || !sameLoops(a.Loops, arrival.Loops) || !alike(a.When, arrival.When) {
			return false
		}
		bytes -= a.Size
	}
	for _, e := range m.waits {
		if !c.uniform(e) {
			return false
		}
	}
	return bytes == 0 && c.inTurn(m)
}

// expectedBytes is how many bytes a barrier is told to expect, if that is a constant.
func expectedBytes(e *access.Event) (int64, bool) {
	if e.Args[1].P == nil {
		return 0, false
	}
	return e.Args[1].P.IsConst()
}

// expectsAll reports whether the bytes that a barrier is told to expect are those of the bulk copies that name it, which
// the same thread makes. Others may still be under way when the phase is over.
func (c *checker) expectsAll(m *inMemory, key string) bool {
	bytes := int64(0)
	for _, e := range m.expects {
		n, ok := expectedBytes(e)
		if !ok || !sameLoops(e.Loops, m.expects[0].Loops) || !alike(e.When, m.expects[0].When) {
			return false
		}
		bytes += n
	}
	for _, a := range c.s.Accesses {
		if a.Copy == nil || !a.Copy.Bulk || a.Copy.Barrier == nil || keyOf(*a.Copy.Barrier) != key || a.Kind == race.Read {
			continue
		}
		if len(m.expects) == 0 || !sameLoops(a.Loops, m.expects[0].Loops) || !alike(a.When, slices.Concat(m.expects[0].When, m.expects[0].Ended, m.expects[0].Left)) {
			return false
		}
		bytes -= a.Size
	}
	return bytes == 0
}

func sameLoops(a, b []*access.Loop) bool {
	return slices.EqualFunc(a, b, func(x, y *access.Loop) bool { return x.Stmt == y.Stmt })
}

// alike reports whether two lists have the same conditions.
func alike(a, b []*term.Cond) bool {
	keys := func(list []*term.Cond) map[string]bool {
		m := map[string]bool{}
		for _, c := range list {
			m[c.Key()] = true
		}
		return m
	}
	return maps.Equal(keys(a), keys(b))
}

// byOneThread reports whether no two threads of a block come to an event.
func (c *checker) byOneThread(e *access.Event) bool {
	share := func(a *term.Atom) bool { return a.Variance <= term.Block }
	one, two := c.t.Rename(1, share, nil), c.t.Rename(2, share, nil)
	id := c.s.ThreadGroup(1)
	conds := []*term.Cond{c.t.Ne(one.Poly(id), two.Poly(id))}
	for _, when := range e.When {
		conds = append(conds, one.Cond(when), two.Cond(when))
	}
	c.solver.Budget = pairBudget
	return c.solver.Unsat(conds...)
}
