package sweep

import (
	"maps"
	"slices"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

// This file runs one thread on what is known of its values. Where a condition is unknown, both
// sides are run, and what they set differently is unknown; so each access that the thread may
// make is seen.

// thread is the state of one thread.
type thread struct {
	*sweep
	idx, block race.Dim3
	number     int32 // in its block
	blockID    int32
	regs       []value
	local      map[cell]stored // what the thread's own memory holds, as far as it is known
	phase      int32           // block barriers passed
	warpPhase  int32           // barriers passed that hold the whole warp
	// touched and touchedInWarp are the phases of its last access to the memory of others, -1 before the first.
	touched, touchedInWarp int32
	choice                 int // choices made so far
	maybe                  int // unknown conditions around the statement
	joins                  map[*ir.Label]*join
}

// cell is a place in a thread's own memory.
type cell struct {
	base int32
	off  int64
}

// stored is a value in memory that takes size bytes.
type stored struct {
	value
	size int64
}

// join is the states in which control may arrive behind a label, and at a loop's Post.
type join struct{ broken, continued *snapshot }

// snapshot is a state that waits at a join.
type snapshot struct {
	regs  []value
	phase int32
}

// list runs statements; it reports whether control may come to the end.
func (t *thread) list(stmts []ir.Stmt) bool {
	for _, s := range stmts {
		if t.failed || !t.stmt(s) {
			return false
		}
	}
	return true
}

// goesOn counts a statement, or a round of a loop, which may have none.
func (t *thread) goesOn() bool {
	t.steps++
	if t.steps > maxSteps || t.steps%1024 == 0 && t.ctx.Err() != nil {
		t.fail()
	}
	return !t.failed
}

func (t *thread) stmt(s ir.Stmt) bool {
	if !t.goesOn() {
		return false
	}
	switch s := s.(type) {
	case *ir.Assign:
		t.regs[s.Dst.ID] = t.eval(s.X)
	case *ir.Load:
		t.regs[s.Dst.ID] = t.load(s)
	case *ir.Store:
		t.store(s)
	case *ir.Atomic:
		t.touch(s, s.Ptr)
		t.forget(s.Dst)
	case *ir.Barrier:
		t.barrier(s)
	case *ir.If:
		return t.branch(s)
	case *ir.Loop:
		return t.loop(s)
	case *ir.Block:
		return t.labelled(s)
	case *ir.Break:
		j := t.joins[s.Target]
		j.broken = t.merge(j.broken)
		return false
	case *ir.Continue:
		j := t.joins[s.Target]
		j.continued = t.merge(j.continued)
		return false
	case *ir.Return:
		t.leave()
		return false
	case *ir.Trap:
		return false
	default:
		for _, r := range ir.Defs(s) {
			t.forget(r)
		}
	}
	return true
}

func (t *thread) forget(r *ir.Reg) {
	if r != nil {
		t.regs[r.ID] = unknown
	}
}

// merge puts the present state to those that wait at a join.
func (t *thread) merge(waiting *snapshot) *snapshot {
	if waiting == nil {
		return &snapshot{append([]value(nil), t.regs...), t.phase}
	}
	if waiting.phase != t.phase {
		t.fail() // on some path the thread passes a barrier that it does not pass on another
	}
	blend(waiting.regs, t.regs)
	return waiting
}

// blend makes unknown what differs between two states.
func blend(into, from []value) {
	for i, v := range from {
		if into[i] != v {
			into[i] = unknown
		}
	}
}

// arrive goes on from what waits at a join, and from the present state if it falls through.
func (t *thread) arrive(waiting *snapshot, falls bool) bool {
	if waiting == nil {
		return falls
	}
	if falls {
		waiting = t.merge(waiting)
	}
	t.phase = waiting.phase
	copy(t.regs, waiting.regs)
	return true
}

func (t *thread) labelled(s *ir.Block) bool {
	j := t.open(s.Label)
	falls := t.list(s.Body)
	return t.arrive(j.broken, falls)
}

func (t *thread) open(l *ir.Label) *join {
	j := &join{}
	if l != nil {
		t.joins[l] = j
	}
	return j
}

func (t *thread) branch(s *ir.If) bool {
	cond := t.eval(s.Cond)
	if !cond.known() && (t.shape.barriers[s] || t.shape.jumps[s] && t.sameInBlock(s.Cond)) {
		cond = number(int64(t.choose(cond, 2)))
	}
	if cond.known() {
		if cond.c != 0 {
			return t.list(s.Then)
		}
		return t.list(s.Else)
	}
	before := t.save()
	defer t.discard(before)
	t.maybe++
	then := t.list(s.Then)
	after := t.save()
	defer t.discard(after)
	copy(t.regs, before)
	other := t.list(s.Else)
	t.maybe--
	switch {
	case then && other:
		blend(t.regs, after)
	case then:
		copy(t.regs, after)
	}
	return then || other
}

// save returns a copy of the registers, in memory that was discarded if there is some.
func (t *thread) save() []value {
	var to []value
	if n := len(t.spare); n > 0 {
		to, t.spare = t.spare[n-1], t.spare[:n-1]
	}
	return append(to[:0], t.regs...)
}

func (t *thread) discard(saved []value) { t.spare = append(t.spare, saved) }

// maxWaiting is how many iterations of a loop that only a jump ends are run one by one, once the thread may
// have left it.
const maxWaiting = 64

// loop runs a loop for as long as its condition is known. If it becomes unknown, a loop
// without barriers stands for any number of iterations at once; one with barriers is run for
// no, one and two further iterations, which are all the neighbours that a phase can have. A loop that
// an unknown condition leaves by a jump, such as one around a compare-and-swap, has no end to be run
// to: it is at its end when an iteration changes nothing that is known.
func (t *thread) loop(s *ir.Loop) bool {
	j := t.open(s.Label)
	_, endless := s.Cond.(*ir.Const)
	left := len(t.leavings)
	for waiting := 0; t.goesOn(); {
		var before *state
		if endless && (j.broken != nil || len(t.leavings) > left) {
			if waiting++; waiting > maxWaiting && !t.shape.barriers[s] {
				return t.anyIterations(s, j)
			}
			before = t.state()
		}
		if !t.list(s.Head) {
			break
		}
		cond := t.eval(s.Cond)
		if !cond.known() {
			if t.shape.barriers[s] {
				return t.someIterations(s, j, cond)
			}
			return t.anyIterations(s, j)
		}
		if cond.c == 0 {
			return t.arrive(j.broken, true)
		}
		if !t.iteration(s, j) || before != nil && t.is(before) {
			break
		}
	}
	return t.arrive(j.broken, false)
}

// state is what is known of a thread.
type state struct {
	regs             []value
	local            map[cell]stored
	phase, warpPhase int32
	choice           int
}

func (t *thread) state() *state {
	return &state{slices.Clone(t.regs), maps.Clone(t.local), t.phase, t.warpPhase, t.choice}
}

func (t *thread) is(s *state) bool {
	return t.phase == s.phase && t.warpPhase == s.warpPhase && t.choice == s.choice &&
		slices.Equal(t.regs, s.regs) && maps.Equal(t.local, s.local)
}

// iteration runs Body and Post.
func (t *thread) iteration(s *ir.Loop, j *join) bool {
	j.continued = nil
	falls := t.list(s.Body)
	return t.arrive(j.continued, falls) && t.list(s.Post)
}

// anyIterations runs the body once on unknown values for all that the loop sets.
func (t *thread) anyIterations(s *ir.Loop, j *join) bool {
	t.havoc(s)
	t.maybe++
	if t.list(s.Head) {
		t.iteration(s, j)
	}
	t.maybe--
	t.havoc(s)
	return t.arrive(j.broken, true)
}

func (t *thread) havoc(s *ir.Loop) {
	for _, r := range t.shape.assigned[s] {
		t.regs[r.ID] = unknown
	}
	clear(t.local)
}

// someIterations runs a loop whose condition is one unknown value for the whole block.
func (t *thread) someIterations(s *ir.Loop, j *join, cond value) bool {
	trips := t.choose(cond, 3)
	if trips == 2 {
		t.generalize(s)
	}
	for n := range trips {
		if (n > 0 || trips == 2) && !t.list(s.Head) || !t.iteration(s, j) {
			return t.arrive(j.broken, false)
		}
	}
	if trips > 0 && !t.list(s.Head) {
		return t.arrive(j.broken, false)
	}
	return t.arrive(j.broken, true)
}

// generalize gives what a loop sets the values of an iteration K that may be any: a counter
// has grown by K steps, other values that are one for the whole block are one unknown value,
// and the rest is unknown.
func (t *thread) generalize(s *ir.Loop) {
	k := t.named(symbolKey{what: s, n: int64(t.choice)}, symbolInfo{nonNegative: true})
	for _, r := range t.shape.assigned[s] {
		v := t.regs[r.ID]
		switch step := t.step(s, r); {
		case step.known() && v.sym != anything:
			v = t.moved(v, t.multiple(k, step.c))
		case t.variance.Of(r) <= term.Block:
			v = t.named(symbolKey{what: r, n: int64(t.choice)}, symbolInfo{})
		default:
			v = unknown
		}
		t.regs[r.ID] = v
	}
	clear(t.local)
}

// step is what each iteration adds to a counter, unknown if the register is none.
func (t *thread) step(s *ir.Loop, r *ir.Reg) value {
	if by := t.shape.steps[s][r]; by != nil {
		return t.eval(by)
	}
	return unknown
}

// moved is a number or a pointer plus a number.
func (t *thread) moved(p, d value) value {
	base := p.base
	p.base = 0
	p = t.sum(p, d)
	p.base = base
	return p
}

// sameInBlock reports whether an expression has one value for all threads of the block.
func (t *thread) sameInBlock(e ir.Expr) bool {
	same := true
	ir.WalkExpr(e, func(e ir.Expr) {
		switch e := e.(type) {
		case *ir.RegRef:
			same = same && t.variance.Of(e.R) <= term.Block
		case *ir.Builtin:
			same = same && e.Var != ir.ThreadIdx && e.Var != ir.LaneID && e.Var != ir.WarpID
		}
	})
	return same
}

// choose makes a choice that all threads of the block make alike: the condition must be the
// same value in all of them.
func (t *thread) choose(cond value, ways int) int {
	if cond.sym == anything || t.maybe > 0 {
		t.fail()
		return 0
	}
	n := t.choice
	t.choice++
	if n == len(t.plan) {
		t.plan = append(t.plan, decision{ways: ways})
	}
	d := &t.plan[n]
	if !d.asked {
		d.cond, d.asked = cond, true
	}
	if d.cond != cond || d.ways != ways {
		t.fail() // threads of one block may part here, and a barrier lies ahead
		return 0
	}
	return d.way
}

// barrier ends a phase. All threads must come to the same barriers in the same order.
func (t *thread) barrier(b *ir.Barrier) {
	t.forget(b.Dst)
	switch {
	case b.Mode != ir.BarrierSync:
		return
	case b.Level == ir.WarpLevel:
		m := t.eval(b.Mask)
		whole := b.Mask != nil && m.known() && uint32(m.c) == 1<<32-1
		switch {
		case t.maybe > 0:
			t.apartInWarp = t.apartInWarp || whole || !m.known()
		case whole:
			t.warpPhase++
			t.meetAt(t.warpBarriers, t.number/32, t.warpPhase, b)
		}
		return
	case b.Count != nil:
		return
	}
	if t.maybe > 0 {
		t.fail()
		return
	}
	t.phase++
	t.warpPhase++
	t.meetAt(t.warpBarriers, t.number/32, t.warpPhase, b)
	t.meetAt(t.blockBarriers, 0, t.phase, b)
	if b.Dst != nil {
		t.regs[b.Dst.ID] = t.named(symbolKey{what: b, n: int64(t.phase)}, symbolInfo{})
	}
}

// leave notes that the thread may end here.
func (t *thread) leave() {
	t.leavings = append(t.leavings, leaving{ofBlock: meeting{t.blockID, 0, t.phase + 1}, ofWarp: meeting{t.blockID, t.number / 32, t.warpPhase + 1},
		sinceBlocks: t.touched == t.phase, sinceWarps: t.touchedInWarp == t.warpPhase})
}

// meetAt checks that the n-th barrier of a group of threads is the same for all of them.
func (t *thread) meetAt(met map[meeting]ir.Stmt, group, n int32, b ir.Stmt) {
	m := meeting{t.blockID, group, n}
	if old, ok := met[m]; ok && old != b {
		t.fail()
		return
	}
	met[m] = b
}

func (t *thread) load(s *ir.Load) value {
	p := t.touch(s, s.Ptr)
	if p.sym == anything || s.T.IsFloat() {
		return unknown
	}
	if t.spaces[p.base] == ir.Local {
		if v, ok := t.local[cell{p.base, p.c}]; ok && p.sym == none && v.size == s.T.Size() {
			return v.value
		}
		return unknown
	}
	if t.written[p.base] || s.Volatile || s.Order != ir.Weak || p.base == 0 || s.T == ir.Ptr {
		return unknown
	}
	return t.named(symbolKey{what: s.T, x: p}, symbolInfo{nonNegative: !s.T.IsSigned()})
}

func (t *thread) store(s *ir.Store) {
	p := t.touch(s, s.Ptr)
	if t.spaces[p.base] != ir.Local && p.base != 0 && p.sym != anything {
		return
	}
	if p.sym != none || p.base == 0 {
		clear(t.local) // it may be any of the thread's own
		return
	}
	at, v := cell{p.base, p.c}, stored{t.eval(s.X), s.T.Size()}
	if old, ok := t.local[at]; t.maybe > 0 && (!ok || old != v) {
		v.value = unknown
	}
	for d := int64(-7); d < s.T.Size(); d++ {
		delete(t.local, cell{p.base, p.c + d})
	}
	t.local[at] = v
}

// touch notes an access of a candidate, and returns its address.
func (t *thread) touch(s ir.Stmt, ptr ir.Expr) value {
	p := t.eval(ptr)
	if n, ok := t.watched[s]; ok {
		t.touched, t.touchedInWarp = t.phase, t.warpPhase
		t.note(n, record{phase: t.phase, warpPhase: t.warpPhase, thread: t.number, block: t.blockID, base: p.base, sym: p.sym, off: p.c})
	}
	return p
}

func (t *thread) eval(e ir.Expr) value {
	switch e := e.(type) {
	case *ir.Const:
		if e.T.IsFloat() {
			return unknown
		}
		return number(e.Int())
	case *ir.RegRef:
		return t.regs[e.R.ID]
	case *ir.ParamRef:
		return t.params[e.P.Index]
	case *ir.Builtin:
		return t.builtin(e)
	case *ir.ObjAddr:
		return value{base: t.objects[e.Obj]}
	case *ir.PtrAdd:
		p, d := t.eval(e.Base), t.eval(e.Offset)
		if p.sym == anything || d.sym == anything || d.base != 0 {
			return unknown
		}
		return t.moved(p, d)
	case *ir.Unary:
		return t.unary(e.Op, e.X.Type(), t.eval(e.X))
	case *ir.Binary:
		return t.binary(e.Op, e.X.Type(), t.eval(e.X), t.eval(e.Y))
	case *ir.Convert:
		return t.convert(e.T, e.X.Type(), t.eval(e.X))
	case *ir.Select:
		c, x, y := t.eval(e.Cond), t.eval(e.X), t.eval(e.Y)
		if x == y {
			return x
		}
		if !c.known() {
			return unknown
		}
		if c.c != 0 {
			return x
		}
		return y
	}
	return unknown
}

func (t *thread) builtin(b *ir.Builtin) value {
	switch b.Var {
	case ir.ThreadIdx:
		return number(int64(t.idx[b.Axis]))
	case ir.BlockDim:
		return number(int64(t.dim[b.Axis]))
	case ir.BlockIdx:
		if t.everyBlock || t.grid[b.Axis] == 1 {
			return number(int64(t.block[b.Axis]))
		}
	case ir.GridDim:
		if t.grid[b.Axis] > 0 {
			return number(int64(t.grid[b.Axis]))
		}
	case ir.LaneID:
		return number(int64(t.number % 32))
	case ir.WarpID:
		return number(int64(t.number / 32))
	}
	return t.named(symbolKey{what: b.Var, n: int64(b.Axis)}, symbolInfo{nonNegative: true})
}
