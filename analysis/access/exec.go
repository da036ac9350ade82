package access

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/prove"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
	"github.com/warplint/warplint/analysis/term"
)

// This file runs statements on symbolic values.

// maxSteps bounds the statements that one run executes, loops' trial runs included.
const maxSteps = 400_000

type executor struct {
	ctx    context.Context
	t      *term.Table
	f      *ir.Func
	flow   *flow
	sum    *Summary
	host   bool
	record bool
	steps  int
	given  int     // facts that hold at the start
	loops  []*Loop // around the current statement

	types   []ir.Type // of registers, by number
	params  map[*ir.Param]Value
	objects map[*ir.Object]*Base
	cells   map[*ir.Object][]cell
	handed  map[*ir.Store]*handed
	allocs  map[*ir.Alloc]*Base // the last one that each statement has made
	memory  map[string]*Base    // by the value of a pointer read from memory
	null    *Base
	solver  *prove.Solver
	asked   asked
	sizes   map[*term.Atom]bool // numbers that are sizes by assumption
	// read holds what the host's memory held when it was first looked at, by contents and address, and lasting what that is
	// made of; rewrites counts the contents.
	read     map[string]Value
	lasting  map[*term.Atom]Value
	rewrites int
	roughly  bool              // see lookRoughly
	changed  map[*Loop][]place // by the host's loops, the places that a round changed when they were last tried

	// totals gives for how often a loop goes round in one round of the loop around it how often it has done so
	// in all rounds before.
	totals     map[*term.Atom]*term.Atom
	doubts     int // loops of which it is not known how often they go round, as the number might be negative
	subscribed []subscript
	anySize    [3]bool         // of a block along these axes, see dealtByLength
	byAll      map[string]bool // conditions that leave no thread out: where loops end that all leave by their heads, and what holds in each round
	guarded    int             // how many conditions around an expression decide whether it is computed

	exits    map[*ir.Label][]*state
	repeats  map[*ir.Label][]*state
	launches []*Launch

	ofNumbers map[*Base]bool // what numbers point to that may be hidden addresses

	taken   map[*ir.If]*term.Cond // the conditions of branches, as they were last
	several map[*ir.Atomic]bool   // atomics that update one of several places
	tabled  map[*term.Atom]bool   // reads of tables of which the source gives the numbers

	// What a host function does besides, for earlier.go.
	inLoop      map[*Launch]bool
	kernels     map[*ir.Func]*effects // of kernels that the host launches
	madeInLoop  map[*ir.Alloc]bool
	putInRounds []hostCell // of objects that the rounds of loops have allocated, what each round has put there
	sets        []hostSet
}

// fact is a condition of a path.
type fact struct {
	c    *term.Cond
	why  reason
	some bool // of passed: others may have returned in the loop instead
}

// reason says why a condition holds.
type reason uint8

const (
	taken    reason = iota // the thread took this side of a branch
	returned               // threads for which it does not hold have returned
	passed                 // the thread has left a loop, as every thread must that comes here
	assumed                // it is assumed of the whole launch
)

// state is one path: register values and the facts that hold.
type state struct {
	regs  registers
	facts []fact
	dead  bool // no thread goes on from here
	left  bool // dead because the thread has returned
	// rounds is how often the loop has gone round that this path leaves, nil if that is not known; atHead is set if
	// its condition did not hold.
	rounds *term.Poly
	atHead bool
	// contents names what memory holds where nothing was put since, and memory what was put where. Only the
	// host's code keeps them: a kernel's memory changes under a thread at any time.
	contents int
	memory   []hostCell // not changed in place
}

func (st *state) fork() *state {
	return &state{regs: st.regs.fork(), facts: st.facts[:len(st.facts):len(st.facts)], contents: st.contents, memory: st.memory}
}

func (st *state) know(c *term.Cond) {
	if c.Op != term.True {
		st.facts = append(st.facts, fact{c: c})
	}
}

// expect notes what a kernel asserts of the numbers of its launch.
func (x *executor) expect(c *term.Cond) {
	known := func(k *term.Cond) bool { return k.Same(c) }
	if !x.host && c.Op != term.True && c.Op != term.False && c.Variance() == term.Grid && !slices.ContainsFunc(x.sum.Expected, known) {
		x.sum.Expected = append(x.sum.Expected, c)
	}
}

// presume adds what holds for the whole launch of a kernel by assumption, and on this path of the host.
func (x *executor) presume(st *state, c *term.Cond) {
	if x.host {
		st.know(c)
		return
	}
	x.sum.Given = append(x.sum.Given, c)
	st.assume(c)
}

func (st *state) assume(c *term.Cond) {
	if c.Op != term.True && !slices.ContainsFunc(st.facts, func(f fact) bool { return f.why == assumed && f.c.Same(c) }) {
		st.facts = append(st.facts, fact{c: c, why: assumed})
	}
}

func (st *state) conds() []*term.Cond {
	out := make([]*term.Cond, len(st.facts))
	for i, f := range st.facts {
		out[i] = f.c
	}
	return out
}

// clusterOf is how many blocks a cluster of a launch has, zero if that is not known.
func (x *executor) clusterOf(st *state, s *ir.Launch) (dims race.Dim3) {
	for i, e := range s.Cluster {
		if e == nil {
			return race.Dim3{}
		}
		n, known := x.number(x.eval(st, e)).IsConst()
		if !known || n < 1 || n > maxCluster {
			return race.Dim3{}
		}
		dims[i] = int(n)
	}
	return dims
}

// maxCluster is the most blocks that a cluster may have.
const maxCluster = 16

// chosen lists the conditions that may leave threads out: no thread stays in a loop.
func (st *state) chosen() (out []*term.Cond) {
	for _, f := range st.facts {
		if f.why != passed || f.some {
			out = append(out, f.c)
		}
	}
	return out
}

// Summarize runs a kernel. With a launch, dimensions and parameters are its values; without,
// they are symbols, but for dimensions that assumed gives (zero means any).
func Summarize(ctx context.Context, t *term.Table, f *ir.Func, l *Launch, grid, block race.Dim3) *Summary {
	x := newExecutor(ctx, t, f, false, l.passed(f))
	l = x.namedQuotients(x.positiveLaunch(x.unified(x.withoutDefaults(l))))
	x.sum.Launch, x.sum.Cluster = l, f.Cluster
	if l != nil && f.Cluster == (race.Dim3{}) {
		x.sum.Cluster = l.cluster
	}
	x.dimensions(l, grid, block)
	if l != nil {
		for i, p := range f.Params {
			if i < len(l.Args) {
				x.params[p] = x.positiveArgument(p, l.Args[i])
			}
		}
		x.sum.Given = append(x.sum.Given, light(x.t, l.When)...)
		if l.Sizes {
			x.assume(positiveSizes)
		}
	}
	x.record = true
	x.run(f.Body)
	x.markUpdates()
	x.fitBlocks()
	x.sum.Variance, x.sum.Params = x.flow.variance, x.params
	for _, text := range f.Assumes {
		x.assume(text)
	}
	for _, text := range f.Unknowns {
		x.sum.Reasons = append(x.sum.Reasons, Reason{text, -1})
	}
	return x.sum
}

// markUpdates finds the loads and stores that one expression makes to one place.
func (x *executor) markUpdates() {
	type place struct {
		span source.Span
		base *Base
	}
	loads := map[place]*Access{}
	for _, a := range x.sum.Accesses {
		p := place{x.f.Sites[a.Site].Stmt, a.Base}
		if l := loads[p]; l != nil && a.Kind == race.Write && l.Off.Equal(a.Off) {
			l.Update, a.Update = true, true
		}
		if a.Kind == race.Read {
			loads[p] = a
		}
	}
}

func newExecutor(ctx context.Context, t *term.Table, f *ir.Func, host bool, passed map[*ir.Param][]*Base) *executor {
	x := &executor{ctx: ctx, t: t, f: f, flow: prepare(f, host, passed), host: host,
		sum:    &Summary{Func: f, T: t, Loops: map[*ir.Loop]*Loop{}, Polled: map[ir.Stmt]bool{}, Taken: map[*ir.If]Sides{}, Onward: map[*ir.If]Sides{}, Words: map[*term.Atom]Word{}, Tables: map[string]bool{}, Exchanges: map[*ir.WarpOp]*Exchange{}, Assumes: map[string]bool{}},
		params: map[*ir.Param]Value{}, objects: map[*ir.Object]*Base{}, cells: map[*ir.Object][]cell{}, handed: map[*ir.Store]*handed{}, allocs: map[*ir.Alloc]*Base{}, memory: map[string]*Base{}, sizes: map[*term.Atom]bool{}, read: map[string]Value{}, lasting: map[*term.Atom]Value{},
		changed: map[*Loop][]place{}, several: map[*ir.Atomic]bool{}, tabled: map[*term.Atom]bool{}, inLoop: map[*Launch]bool{}, kernels: map[*ir.Func]*effects{}, madeInLoop: map[*ir.Alloc]bool{},
		totals: map[*term.Atom]*term.Atom{}, exits: map[*ir.Label][]*state{}, repeats: map[*ir.Label][]*state{}, byAll: map[string]bool{}, ofNumbers: map[*Base]bool{}, taken: map[*ir.If]*term.Cond{}}
	x.types = make([]ir.Type, numbered(f))
	for _, r := range f.Regs {
		x.types[r.ID] = r.Type
	}
	x.solver = prove.NewSolver(ctx, t, x.sum.Axioms, 0)
	x.solver.Answers = prove.NewAnswers() // each trial of a loop asks the same of new symbols
	return x
}

func (x *executor) run(body []ir.Stmt) {
	st := &state{regs: newRegisters(len(x.types))}
	for _, c := range x.sum.Given {
		st.know(c)
	}
	x.given = len(st.facts)
	x.exec(st, body)
	if x.steps >= maxSteps {
		x.unknown("the kernel is too large to be analysed whole", -1)
	}
}

func (x *executor) unknown(text string, site int) {
	for _, r := range x.sum.Reasons {
		if r.Site == site && r.Text == text {
			return
		}
	}
	x.sum.Reasons = append(x.sum.Reasons, Reason{text, site})
}

func (x *executor) assume(text string) { x.sum.Assumes[text] = true }

func (x *executor) exec(st *state, stmts []ir.Stmt) {
	for _, s := range stmts {
		if st.dead {
			return
		}
		if x.steps++; x.steps >= maxSteps || x.ctx.Err() != nil {
			st.dead = true
			return
		}
		x.stmt(st, s)
	}
}

func (x *executor) stmt(st *state, s ir.Stmt) {
	switch s := s.(type) {
	case *ir.Assign:
		x.set(st, s.Dst, x.eval(st, s.X))
	case *ir.Load:
		x.load(st, s)
	case *ir.Store:
		v := x.eval(st, s.X)
		to := x.eval(st, s.Ptr)
		a := &Access{Stmt: s, Site: s.Site, Kind: race.Write, Size: s.T.Size(), Part: s.Part, Strength: s.Strength, Value: x.number(v)}
		x.subscripts(st, a, s.Ptr)
		x.at(st, a, to)
		x.keepCell(s, to, v, st)
		x.hand(st, s, to, v)
		if x.host {
			x.stores(st, s, to, v)
			x.put(st, place{to, s.T, x.valueName(s.Site), nil}, v)
		}
	case *ir.Atomic:
		x.atomic(st, s)
		x.lose(st)
	case *ir.Fence:
		x.event(st, &Event{Stmt: s, Site: s.Site})
	case *ir.Barrier:
		if !x.host { // where it orders nothing: in what hosts call, too, or while a text is typed
			x.waits(st, s)
		}
		if s.Dst != nil {
			x.set(st, s.Dst, x.opaque("barrier result", x.flow.variance.Of(s.Dst), s.Dst.Type, s))
		}
	case *ir.WarpOp:
		x.exchanged(st, s)
		x.meeting(st, s)
		if s.Dst != nil {
			x.set(st, s.Dst, x.opaque(s.Op, term.Thread, s.Dst.Type, s))
		}
	case *ir.Named:
		x.named(st, s)
		x.lose(st)
	case *ir.If:
		x.branch(st, s)
	case *ir.Loop:
		x.loop(st, s)
	case *ir.Block:
		x.block(st, s)
	case *ir.Break:
		x.exits[s.Target] = append(x.exits[s.Target], st.fork())
		st.dead = true
	case *ir.Continue:
		x.repeats[s.Target] = append(x.repeats[s.Target], st.fork())
		st.dead = true
	case *ir.Return, *ir.Trap:
		st.dead, st.left = true, true
	case *ir.Assume:
		c := x.truth(st, s.Cond)
		st.know(c)
		x.expect(c)
	case *ir.Unknown:
		for _, r := range s.Dst {
			v := x.opaque("unknown", term.Thread, r.Type, s)
			if old := st.regs.of(r); x.host && r.Name != "" && len(s.Dst) == 1 && old.Base != nil && !old.Base.IsNull() {
				v = x.oneOfTwo(x.maybe(), old, v, r.Type) // the only variable that it is given may keep its pointer
			}
			x.set(st, r, v)
		}
		x.unknown(s.Reason, s.Site)
		if s.Memory {
			x.lose(st)
		}
	case *ir.HostCopy:
		x.fills(st, s)
		x.copies(st, s)
	case *ir.Launch:
		x.launch(st, s)
	case *ir.Alloc:
		x.madeInLoop[s] = x.madeInLoop[s] || len(x.loops) > 0
		x.allocs[s] = &Base{Name: s.Name, Space: ir.Global, Alloc: s}
		x.set(st, s.Dst, Value{P: x.t.Const(0), Base: x.allocs[s]})
		if s.Bytes != nil { // an allocation that succeeded has a positive size (HGRD, class 5)
			st.know(x.t.Le(x.t.Const(1), signed(x.number(x.eval(st, signedSize(s.Bytes))))))
		}
	}
}

// waits notes where threads wait for each other.
func (x *executor) waits(st *state, s *ir.Barrier) {
	e := &Event{Stmt: s, Site: s.Site}
	if s.Mask != nil {
		e.Mask = x.number(x.eval(st, s.Mask))
		e.Tile = x.tileOf(s.Mask, e.Mask)
		if e.Tile > 0 && x.record && (x.sum.Tile == 0 || e.Tile < x.sum.Tile) {
			x.sum.Tile = e.Tile
		}
	}
	if s.ID != nil {
		e.ID = x.number(x.eval(st, s.ID))
		e.ByData = x.byData(e.ID, term.Block) != Plain
	}
	if s.Count != nil {
		e.Count = x.number(x.eval(st, s.Count))
	}
	x.event(st, e)
}

// exchanged notes what a lane brings into an exchange of its warp.
func (x *executor) exchanged(st *state, s *ir.WarpOp) {
	if !x.record || s.Dst == nil || len(s.Args) == 0 || s.Mask == nil {
		return
	}
	e := &Exchange{Mask: x.number(x.eval(st, s.Mask)), When: st.conds()}
	switch {
	case s.Op == "match_any":
		e.Brings = x.number(x.eval(st, s.Args[0]))
	case s.Op == "ballot":
		e.Vote = x.truth(st, s.Args[0])
	case s.Op == "shfl" && s.Dst.Type.IsInt() && isWarpSize(s.Args[2]):
		e.Brings, e.From = x.number(x.eval(st, s.Args[0])), x.number(x.eval(st, s.Args[1]))
	default:
		return
	}
	x.sum.Exchanges[s] = e
}

func isWarpSize(e ir.Expr) bool {
	c, ok := e.(*ir.Const)
	return ok && c.Bits == 32
}

// signedSize is the expression of a size before it becomes unsigned as a whole.
func signedSize(size ir.Expr) ir.Expr {
	for {
		c, ok := size.(*ir.Convert)
		if !ok || !c.X.Type().IsInt() || c.T.Bits() < c.X.Type().Bits() {
			return size
		}
		size = c.X
	}
}

// signed is a size before it became unsigned: an allocation of so much memory as a negative
// number means would fail.
func signed(size *term.Poly) *term.Poly {
	a := size.IsAtom()
	if a == nil || a.Kind != term.Wrap || a.Lo != 0 {
		return size
	}
	const far = 1 << 62
	if lo, hi := a.Args[0].Range(); a.Hi < far || lo <= -far || hi >= far {
		return size
	}
	return a.Args[0]
}

func (x *executor) set(st *state, r *ir.Reg, v Value) {
	if r == nil {
		return
	}
	if r.Type == ir.Bool && v.Truth == nil {
		v = Value{Truth: x.t.Ne(x.number(v), x.t.Const(0))}
	}
	st.regs.set(r, v)
}

// reg reads a register; one that was never set holds an indeterminate value.
func (x *executor) reg(st *state, r *ir.Reg) Value {
	v := st.regs.of(r)
	if v.P == nil && v.Truth == nil {
		var ref any = r
		if x.host {
			ref = input{r}
		}
		v = x.opaque(r.Name, term.Thread, r.Type, ref)
		st.regs.set(r, v)
	}
	return v
}

// input is the origin of a number of the host that no statement sets which lowering understands, such as one
// that is read from a stream.
type input struct{ of *ir.Reg }

// opaque makes a value of which only the type is known.
func (x *executor) opaque(name string, v term.Variance, typ ir.Type, ref any) Value {
	if x.host {
		v = term.Grid
	}
	lo, hi := typeRange(typ)
	a := x.t.Fresh(term.Opaque, name, lo, hi, v, x.loopBits(), ref)
	return x.ofType(a, typ)
}

func (x *executor) ofType(a *term.Atom, typ ir.Type) Value {
	p := x.t.Poly(a)
	switch typ {
	case ir.Bool:
		return Value{Truth: x.t.Ne(p, x.t.Const(0))}
	case ir.Ptr:
		return Value{P: x.t.Const(0), Base: x.pointerBase(p)}
	}
	return Value{P: p}
}

func (x *executor) loopBits() uint64 {
	var b uint64
	for _, l := range x.loops {
		b |= l.Bit
	}
	return b
}

// branch runs both sides of an If and joins what goes on.
func (x *executor) branch(st *state, s *ir.If) {
	c := x.truth(st, s.Cond)
	if !x.host && choosesAlike(c) {
		c = x.t.MapCond(c, func(p *term.Poly) *term.Poly { return x.decided(st, p) })
	}
	switch c.Op {
	case term.True:
		x.went(s, Sides{Then: true})
		x.exec(st, s.Then)
		return
	case term.False:
		x.went(s, Sides{Else: true})
		x.exec(st, s.Else)
		return
	}
	x.went(s, Sides{Then: true, Else: true})
	x.taken[s] = c
	n := len(st.facts)
	then, els := st.fork(), st.fork()
	then.know(c)
	x.raise(then, s, c)
	x.exec(then, s.Then)
	els.know(x.t.Not(c))
	x.exec(els, s.Else)
	switch {
	case then.dead && els.dead:
		*st = *then
		st.left = then.left && els.left
	case then.dead:
		*st = *els
		st.markExit(n, then.left)
	case els.dead:
		*st = *then
		st.markExit(n, els.left)
	default:
		*st = *x.join(n, []*state{then, els})
	}
}

// went notes the sides of a branch that threads may take.
func (x *executor) went(s *ir.If, to Sides) {
	if x.record {
		old := x.sum.Taken[s]
		x.sum.Taken[s] = Sides{Then: old.Then || to.Then, Else: old.Else || to.Else}
	}
}

// markExit notes that the fact at n holds for all threads that are left.
func (st *state) markExit(n int, left bool) {
	if left && n < len(st.facts) {
		st.facts[n].why = returned
	}
}

// block runs a Block and joins its ends.
func (x *executor) block(st *state, s *ir.Block) {
	n := len(st.facts)
	x.exec(st, s.Body)
	ends := x.exits[s.Label]
	delete(x.exits, s.Label)
	if !st.dead {
		ends = append(ends, st)
	}
	if len(ends) == 0 {
		return
	}
	*st = *x.join(n, ends)
}

// join merges paths that share their first n facts. Their further facts tell them apart.
func (x *executor) join(n int, paths []*state) *state {
	if len(paths) == 1 {
		return paths[0]
	}
	last := paths[len(paths)-1]
	out := &state{facts: last.facts[:n:n], regs: last.regs.fork()}
	ways := make([]*term.Cond, len(paths))     // all that tells the paths apart
	branches := make([]*term.Cond, len(paths)) // only the branches taken
	size := 0
	for i, p := range paths {
		var all, own []*term.Cond
		for _, f := range p.facts[min(n, len(p.facts)):] {
			if f.why == assumed {
				out.assume(f.c)
				continue
			}
			all = append(all, f.c)
			if f.why == taken {
				own = append(own, f.c)
			}
		}
		ways[i], branches[i] = term.Conj(all...), term.Conj(own...)
		size += len(all)
	}
	for i := len(paths) - 2; i >= 0; i-- {
		paths[i].regs.others(&out.regs, func(r int, v, w Value) {
			switch {
			case v.P == nil && v.Truth == nil: // set on one path only: the other has no use of it
				if w.Truth != nil {
					w.Truth = term.Conj(w.Truth, term.Disj(ways[i+1:]...)) // so who finds it true has come this way
					out.regs.put(r, w)
				}
			case w.P == nil && w.Truth == nil:
				if v.Truth != nil {
					v.Truth = term.Conj(v.Truth, ways[i])
				}
				out.regs.put(r, v)
			default:
				if around := x.onCircle(out, ways[i], v, w); around != nil && len(paths) == 2 {
					out.regs.put(r, Value{P: around})
				} else {
					out.regs.put(r, x.choose(ways[i], v, w, x.types[r]))
				}
			}
		})
	}
	x.joinMemory(out, ways, paths)
	const most = 8 // a longer disjunction says little and costs much
	if size > 0 && size <= most && !complementary(x.t, ways) {
		f := fact{c: term.Disj(ways...)}
		if complementary(x.t, branches) || allTrue(branches) {
			f.why = passed
		}
		if f.c.Op != term.True {
			out.facts = append(out.facts, f)
		}
	}
	return out
}

func allTrue(conds []*term.Cond) bool {
	for _, c := range conds {
		if c.Op != term.True {
			return false
		}
	}
	return true
}

func complementary(t *term.Table, ways []*term.Cond) bool {
	return len(ways) == 2 && t.Not(ways[0]).Same(ways[1])
}

// readOnly begins the names of the functions that stand for memory which nobody writes.
const readOnly = "contents of "

// settled begins the names of the functions, of the address and the block, that stand for shared memory
// which nobody writes any more.
const settled = "last contents of "

// SettledAt returns the address of which a value is the last contents, in shared memory, nil for other
// values.
func SettledAt(a *term.Atom) *term.Poly {
	if a.Kind == term.Func && strings.HasPrefix(a.Name, settled) {
		return a.Args[0]
	}
	return nil
}

// IsContents reports whether a value is what memory holds that nobody writes, as a function of the address.
func IsContents(a *term.Atom) bool {
	return a.Kind == term.Func && strings.HasPrefix(a.Name, readOnly)
}

func (x *executor) load(st *state, s *ir.Load) {
	a := &Access{Stmt: s, Site: s.Site, Kind: race.Read, Size: s.T.Size(), Part: s.Part, Strength: s.Strength}
	v := x.eval(st, s.Ptr)
	value, ok := x.pointerIn(s, v)
	handed := false
	if !ok {
		value, handed = x.handedOn(st, s, v)
		ok = handed
	}
	if !ok {
		value, ok = x.contents(st, s, v)
	}
	if !ok && x.host && v.Base != nil && s.Order == ir.Weak && !s.Volatile {
		value, ok = x.recall(st, s, v), true
	}
	if !ok {
		name, varies := x.valueName(s.Site), x.flow.variance.Of(s.Dst)
		if s.T == ir.Ptr {
			if x.record && !x.host && x.flow.holdsNumber(s) {
				x.unknown(fromInteger, s.Site)
			}
			value = x.oneOf(name, x.flow.loadedFrom(s), varies, s)
		} else {
			value = x.opaque(name, varies, s.T, s)
		}
	}
	switch truth := value.Truth; {
	case handed: // the number is that of what was stored
	case value.P != nil:
		a.Result = value.P.IsAtom()
	case truth != nil && truth.Op == term.NeZero:
		a.Result = truth.P.IsAtom()
	}
	x.set(st, s.Dst, value)
	x.subscripts(st, a, s.Ptr)
	x.at(st, a, v)
}

// contents is what a load finds in memory that nobody writes, a function of the address, or in a private
// array.
func (x *executor) contents(st *state, s *ir.Load, v Value) (Value, bool) {
	switch {
	case v.Base == nil:
		return Value{}, false
	case len(v.Base.Either) > 0:
		return x.overAlternatives(v, s.T, func(v Value) (Value, bool) { return x.contents(st, s, v) })
	case v.Base.Space == ir.Constant && !x.host && isConst(v.P) && s.T != ir.Ptr && s.T != ir.Bool: // like a parameter
		if to, known := x.constantAt(v, s.T); known {
			return x.word(s, v, to), true
		}
		lo, hi := typeRange(s.T)
		return x.word(s, v, Value{P: x.t.Poly(x.t.Named(term.Symbol, fmt.Sprintf("%s %s in %s", x.valueName(s.Site), s.T, x.baseName(v.Base))+v.P.Key(), lo, hi, term.Grid))}), true
	case v.Base.Space == ir.Constant && !x.host && s.T.IsInt() && v.Base.Object != nil && len(v.Base.Object.Init) > 0:
		lo, hi := x.inTable(v.Base.Object.Init, s.T, v.P)
		name := readOnly + x.baseName(v.Base) + " " + s.T.String()
		x.sum.Tables[name] = true
		number := x.t.Apply(term.Func, name, lo, hi, nil, v.P)
		x.tabled[number] = v.Base.Object.Given()
		return Value{P: x.t.Poly(number)}, true
	case x.isTold(v, s.T):
		return Value{}, false // what it holds later on is followed as well
	case v.Base.Space == ir.Constant, !s.Volatile && s.Order == ir.Weak && v.Base.Space != ir.Local && !x.flow.writable(s):
		name := readOnly + x.baseName(v.Base) + " " + s.T.String()
		if v.Base.Space == ir.Constant {
			x.sum.Tables[name] = true
		}
		return x.word(s, v, x.apply(name, s.T, v.P)), true
	case v.Base.Object != nil && v.Base.Remote == nil && v.Base.Space == ir.Shared && (x.flow.settled(s) || x.settledByOwn(st, s)):
		last := x.apply(settled+x.baseName(v.Base)+" "+s.T.String(), s.T, append([]*term.Poly{v.P}, x.sum.BlockIdx[:]...)...)
		if a := last.P.IsAtom(); a != nil && a.Ref == nil {
			a.Ref = s
		}
		return last, true
	}
	return x.cellAt(st, s, v)
}

// word notes where the value of a load lies, if that is one place.
func (x *executor) word(s *ir.Load, at, value Value) Value {
	if value.P != nil && isConst(at.P) {
		if a := value.P.IsAtom(); a != nil {
			x.sum.Words[a] = Word{Base: at.Base, Offset: at.P.Constant(), Type: s.T}
		}
	}
	return value
}

func isConst(p *term.Poly) bool {
	_, ok := p.IsConst()
	return ok
}

func (x *executor) valueName(site int) string {
	if site >= 0 && site < len(x.f.Sites) {
		return x.f.Sites[site].Variable
	}
	return "value"
}

func (x *executor) atomic(st *state, s *ir.Atomic) {
	a := &Access{Stmt: s, Site: s.Site, Kind: race.Atomic, Size: s.T.Size(), Strength: s.Strength}
	if s.X != nil {
		a.Value = x.number(x.eval(st, s.X))
	}
	if s.Compare != nil {
		a.Compare = x.number(x.eval(st, s.Compare))
	}
	value := x.opaque(x.valueName(s.Site), term.Thread, s.T, s)
	if value.P != nil {
		a.Result = value.P.IsAtom()
	}
	x.access(st, a, s.Ptr)
	if a.Off != nil && (a.Off.Variance() != term.Grid || a.Off.Loops() != 0) {
		x.several[s] = true
	}
	x.set(st, s.Dst, value)
}

func (x *executor) access(st *state, a *Access, ptr ir.Expr) {
	x.subscripts(st, a, ptr)
	x.at(st, a, x.eval(st, ptr))
}

// withinArrays is the assumption that a subscript is below its dimension: C++ gives no meaning
// to another one, even where it stays inside of the whole array.
const withinArrays = "subscripts stay within their arrays"

// subscripts gives the bounds of the subscripts by which an address in a declared array is
// made: lowering moves a pointer once for each, the outermost dimension first.
func (x *executor) subscripts(st *state, a *Access, ptr ir.Expr) {
	a.When = x.subscriptsOf(st, a, ptr)
	a.Bounds = len(a.When)
}

func (x *executor) subscriptsOf(st *state, a *Access, ptr ir.Expr) []*term.Cond {
	if !x.record {
		return nil
	}
	var offsets []*term.Poly
	var out []*term.Cond
	t := x.t
	for {
		add, ok := ptr.(*ir.PtrAdd)
		if !ok {
			break
		}
		p := x.number(x.eval(st, add.Offset))
		offsets = append(offsets, p)
		ptr = add.Base
		if add.Last == 0 {
			continue
		}
		s := subscript{p, add.Last, st.chosen(), fittingBlocks, a}
		x.subscribe(s)
		if x.leaves(s) {
			continue
		}
		if a.Within == nil {
			a.Within = &Within{Off: t.Const(0)}
		}
		a.Within.Off, a.Within.Most = t.Add(a.Within.Off, s.p), a.Within.Most+s.most
		out = x.bounded(out, s)
	}
	root, ok := ptr.(*ir.ObjAddr)
	if !ok || len(root.Obj.Dims) == 0 {
		return out
	}
	slices.Reverse(offsets)
	stride := root.Obj.Size
	for i, dim := range root.Obj.Dims {
		if i >= len(offsets) || dim <= 0 || stride%dim != 0 {
			break
		}
		if stride /= dim; stride == 0 {
			break // elements of a type that was not understood
		}
		p := offsets[i]
		if p.Gcd()%stride != 0 || p.Constant()%stride != 0 {
			break // not one subscript
		}
		s := subscript{p, (dim - 1) * stride, st.chosen(), fittingBlocks, a}
		x.subscribe(s)
		if len(root.Obj.Dims) < 2 || x.leaves(s) {
			break // one dimension tells no other apart
		}
		out = x.bounded(out, s)
	}
	return out
}

// inShared notes that an access is within a shared array, of which the launch may be the one to say how long it is.
func (x *executor) inShared(st *state, a *Access) {
	const longest = 1 << 40
	most := a.Base.Object.Size - a.Size
	if a.Base.Object.Size == 0 {
		most = longest
	}
	x.subscribe(subscript{a.Off, most, st.chosen(), fittingBlocks, a})
}

// bounded adds to conditions that a subscript is within its array.
func (x *executor) bounded(out []*term.Cond, s subscript) []*term.Cond {
	for _, c := range []*term.Cond{x.t.Le(x.t.Const(0), s.p), x.t.Le(s.p, x.t.Const(s.most))} {
		if c.Op != term.True {
			out = append(out, c)
			x.assume(withinArrays)
		}
	}
	return out
}

// fromInteger is the reason where nobody knows what a pointer points to, as its address is a number that another thread may have
// made of one. Who only keeps it, as a node at the head of a list does, goes nowhere.
const fromInteger = "an address made from an integer"

// at records an access at an address. Private and read-only memory can't race.
func (x *executor) at(st *state, a *Access, v Value) {
	if !x.record || x.host {
		return
	}
	if v.Base == nil || x.ofNumbers[v.Base] {
		x.unknown(fromInteger, a.Site)
		return
	}
	if v.Base.Space == ir.Constant && v.Base.Object != nil && a.Writes() {
		x.unknown("a change of a large parameter", a.Site) // each thread has its own
	}
	if v.Base.Space == ir.Local || v.Base.Space == ir.Constant {
		return
	}
	if len(v.Base.Either) > 0 {
		for _, alt := range v.Base.Either {
			in := st.fork()
			in.know(alt.When)
			one := *a
			x.at(in, &one, Value{P: x.t.Add(v.P, alt.To.P), Base: alt.To.Base})
		}
		return
	}
	a.Base, a.Off = v.Base, x.chosen(st, v.P)
	if a.Base.Space == ir.Shared && a.Base.Object != nil {
		x.inShared(st, a)
	}
	if a.Within != nil {
		w := *a.Within
		w.Rest = x.t.Sub(a.Off, w.Off)
		a.Within = &w
	}
	a.ByData, a.InBlock = x.byData(a.Off, term.Grid), x.byData(a.Off, term.Block)
	a.Common = x.commonData(a.Off)
	a.When = append(a.When, x.spokenOf(st, a)...)
	a.Loops = append([]*Loop(nil), x.loops...)
	x.sum.Accesses = append(x.sum.Accesses, a)
}

// spokenOf lists the conditions on the way to an access, but for the bounds of counters of which neither it nor another condition
// speaks: how many stages of a ring have been filled makes cases, and says nothing.
func (x *executor) spokenOf(st *state, a *Access) []*term.Cond {
	conds := st.conds()
	grown := func(c *term.Cond) bool {
		return slices.ContainsFunc(x.loops, func(l *Loop) bool { return slices.Contains(l.grown, c) })
	}
	if !slices.ContainsFunc(conds, grown) {
		return conds
	}
	spoken := map[*term.Atom]bool{}
	note := func(a *term.Atom) { spoken[a] = true }
	for _, p := range []*term.Poly{a.Off, a.Value, a.Base.Pointer} {
		if p != nil {
			p.AllLeaves(note)
		}
	}
	for _, c := range slices.Concat(a.When, conds) {
		if !grown(c) {
			c.Walk(func(c *term.Cond) { c.P.AllLeaves(note) })
		}
	}
	return slices.DeleteFunc(conds, func(c *term.Cond) bool {
		unspoken := false
		if grown(c) {
			c.Walk(func(c *term.Cond) {
				c.P.AllLeaves(func(a *term.Atom) {
					unspoken = unspoken || a.Kind == term.Opaque && a.Loops != 0 && !spoken[a]
				})
			})
		}
		return unspoken
	})
}

// chosen takes out of an address the alternatives that its path excludes, such as the last column in
// min(x, width - 1) behind `if (x >= width) return`.
func (x *executor) chosen(st *state, p *term.Poly) *term.Poly {
	for _, m := range p.Terms() {
		for _, a := range m.Mono.Atoms {
			if by := x.chosenOf(st, a); by != nil {
				return x.chosen(st, x.t.Substitute(p, a, by))
			}
		}
	}
	return p
}

func (x *executor) chosenOf(st *state, a *term.Atom) *term.Poly {
	var first *term.Cond // when the first argument is the value
	switch a.Kind {
	case term.Min:
		first = x.t.Le(a.Args[0], a.Args[1])
	case term.Max:
		first = x.t.Le(a.Args[1], a.Args[0])
	case term.Select:
		first = a.If
	default:
		return nil
	}
	conds := st.conds()
	switch {
	case term.Implies(conds, first):
		return a.Args[0]
	case term.Implies(conds, x.t.Not(first)):
		return a.Args[1]
	}
	return nil
}

// choosesAlike reports whether a condition compares a number that all threads choose alike.
func choosesAlike(c *term.Cond) (yes bool) {
	c.Walk(func(c *term.Cond) {
		yes = yes || slices.ContainsFunc(c.P.Terms(), func(m term.Term) bool {
			return slices.ContainsFunc(m.Mono.Atoms, func(a *term.Atom) bool { return a.Kind == term.Select && a.Variance == term.Grid && a.Loops == 0 })
		})
	})
	return yes
}

// decided is chosen for what stands in quotients and remainders as well, as in the number of a stage of a ring: how many were filled before a
// loop is known in rounds that are there only if there are more.
func (x *executor) decided(st *state, p *term.Poly) *term.Poly {
	for _, m := range p.Terms() {
		for _, a := range m.Mono.Atoms {
			var by *term.Poly
			switch a.Kind {
			case term.Select:
				switch {
				case a.Loops != 0: // another choice in another round
				case x.proves(st, a.If):
					by = a.Args[0]
				case x.proves(st, x.t.Not(a.If)):
					by = a.Args[1]
				}
			case term.Div, term.Rem:
				of := x.decided(st, a.Args[0])
				switch {
				case of.Equal(a.Args[0]) || !x.nonNegative(st, of):
				case a.Kind == term.Div:
					by = x.t.Quotient(of, a.Args[1])
				default:
					by = x.t.Remainder(of, a.Args[1])
				}
			}
			if by != nil {
				return x.decided(st, x.t.Substitute(p, a, by))
			}
		}
	}
	return p
}

func (x *executor) event(st *state, e *Event) {
	if !x.record || x.host {
		return
	}
	x.onTheWay(st, e)
	x.sum.Events = append(x.sum.Events, e)
}

// meeting notes an exchange of lanes that its mask names.
func (x *executor) meeting(st *state, s *ir.WarpOp) {
	if !x.record || x.host || s.Mask == nil {
		return
	}
	e := &Event{Stmt: s, Site: s.Site, Mask: x.number(x.eval(st, s.Mask))}
	if _, ok := e.Mask.IsConst(); ok {
		x.onTheWay(st, e)
		x.sum.Meetings = append(x.sum.Meetings, e)
	}
}

// onTheWay gives an event the conditions and the loops around it.
func (x *executor) onTheWay(st *state, e *Event) {
	for _, f := range st.facts[x.given:] {
		switch f.why {
		case taken:
			e.When = append(e.When, f.c)
		case passed, assumed:
			e.Ended = append(e.Ended, f.c)
		case returned:
			e.Left = append(e.Left, f.c)
		}
	}
	e.Loops = append([]*Loop(nil), x.loops...)
}

func (x *executor) launch(st *state, s *ir.Launch) {
	l := &Launch{Stmt: s}
	for i := range 3 {
		l.Grid[i], l.Block[i] = x.t.Const(1), x.t.Const(1)
		if s.Grid[i] != nil {
			l.Grid[i] = x.number(x.eval(st, s.Grid[i]))
		}
		if s.Block[i] != nil {
			l.Block[i] = x.number(x.eval(st, s.Block[i]))
		}
	}
	l.cluster = x.clusterOf(st, s)
	for _, a := range s.Args {
		l.Args = append(l.Args, x.eval(st, a))
	}
	if x.record && x.effectsOf(s.Kernel).reads {
		l.held = x.tables(st, l.Args)
	}
	l.constants = x.constantsSet(st, s.Kernel)
	x.runs(st, l)
	if !x.record {
		return
	}
	if l.held == nil {
		x.onTheirOwn(l.Args)
	}
	l.When, l.Sizes = st.conds(), x.restsOnSizes(l)
	x.inLoop[l] = len(x.loops) > 0 || s.Again
	x.launches = append(x.launches, l)
}
