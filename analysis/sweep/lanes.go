package sweep

import (
	"slices"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

// This file runs all threads of a block side by side, on forms.
//
// DESIGN. A kernel without races computes the same however its threads take turns, so one turn shows what each thread finds in shared
// memory: each statement is executed by all threads that come to it before the next one is. (A race shows elsewhere, and then the
// kernel is not proved.) That holds of what barriers order; where a flag or a lock may do so, nothing is known of what is read. What depends on
// chance, as the results of atomics do, is an unknown number. Of a condition
// that is unknown both sides are run, and what they set is chosen by it; where threads would meet under one, the run is given up.

// lanes is the state of a block.
type lanes struct {
	*sweep
	summary *access.Summary
	forms
	n      int
	regs   [][]form // by register and thread
	shared map[int32]map[int64]*sharedCell
	own    []map[cell]cellForm // what each thread's own memory holds
	alive  []bool
	path   []condition
	unsure []int // ways by which a thread may have gone elsewhere
	phase  int32
	// warpPhases are the barriers that each warp has passed.
	warpPhases []int32
	targets    map[*ir.Label]*target
	meets      map[ir.Stmt]bool // whether threads meet in it
	defined    map[ir.Stmt][]*ir.Reg
	notes      map[ir.Stmt][]note
	edges      [][2]int32 // phases in which a round of a loop begins and ends that stands for any
	decided    map[question]bool
	draws      []draw
	failed     bool
}

// cellForm is what so many bytes hold.
type cellForm struct {
	form
	t ir.Type
}

// sharedCell is a place in shared memory, and who has touched it last. Only barriers bring what threads do there into the order in which
// the threads run here; what flags and locks order may be the other way round.
type sharedCell struct {
	cellForm
	wrote, read touch
}

// touch is who has touched a place, and how many barriers of the block and of his warp he had passed.
type touch struct {
	lane             int // from 1; 0 for nobody, -1 for several
	phase, warpPhase int32
}

func (l *lanes) touches(i int) touch { return touch{i + 1, l.phase, l.warpPhases[i/race.WarpSize]} }

// before reports whether barriers part what somebody has done from what a thread does now.
func (l *lanes) before(x touch, i int) bool {
	warp := i / race.WarpSize
	return x.lane == 0 || x.phase != l.phase || x.lane == i+1 || x.lane > 0 && (x.lane-1)/race.WarpSize == warp && x.warpPhase != l.warpPhases[warp]
}

// condition is an unknown condition around a statement, of those threads that come there if it holds, or if it does not.
type condition struct {
	of    []bool
	is    []form
	truth bool
	round []form // the numbers of a loop's rounds, nil if it is no loop's
}

// target is what a Break or a Continue leads to.
type target struct {
	broken, continued []bool
	depth             int  // unknown conditions around it
	any               bool // a loop that stands for any number of rounds
	loop              bool
	missed            []bool // threads that may have broken out under an unknown condition
}

// note is an access that a thread may make.
type note struct {
	lane   int
	phase  int32
	at     form
	when   []literal
	chosen []form // conditions by which parts of its address are chosen
	ptr    func(assume map[uint64]bool) form
}

// literal is a condition that holds where an access is made.
type literal struct {
	is    form
	round form // the number of the round that it is for, in a loop of any number of rounds
}

// draw is what a thread gets from a counter.
type draw struct {
	stmt ir.Stmt
	of   form // what it got
	by   form // what it added
}

func (l *lanes) fail() { l.failed = true }

func (l *lanes) mask() []bool { return make([]bool, l.n) }

func some(m []bool) bool { return slices.Contains(m, true) }

func (l *lanes) each(m []bool, f func(i int)) {
	for i, on := range m {
		if on {
			f(i)
		}
	}
}

// list runs statements by the threads of a mask, and returns those that come to the end.
func (l *lanes) list(stmts []ir.Stmt, m []bool) []bool {
	for _, s := range stmts {
		if l.failed || !some(m) {
			return m
		}
		m = l.stmt(s, m)
	}
	return m
}

// works counts work, and gives up if it is too much.
func (l *lanes) works(steps int) bool {
	l.steps += steps
	if l.steps > maxSums || l.steps/1024 != (l.steps-steps)/1024 && l.ctx.Err() != nil {
		l.fail()
	}
	return !l.failed
}

func (l *lanes) stmt(s ir.Stmt, m []bool) []bool {
	if !l.works(l.n) {
		return m
	}
	switch s := s.(type) {
	case *ir.Assign:
		row := l.regs[s.Dst.ID]
		l.each(m, func(i int) { row[i] = l.eval(s.X, i, nil) })
	case *ir.Load:
		l.load(s, m)
	case *ir.Store:
		l.each(m, func(i int) { l.store(s, i) })
	case *ir.Atomic:
		l.each(m, func(i int) { l.atomic(s, i) })
	case *ir.Barrier:
		l.barrier(s, m)
	case *ir.WarpOp:
		l.exchange(s, m)
	case *ir.Fence, *ir.Assume:
	case *ir.If:
		return l.branch(s, m)
	case *ir.Loop:
		return l.loop(s, m)
	case *ir.Block:
		return l.labelled(s, m)
	case *ir.Break:
		return l.leave(s.Target, m, false)
	case *ir.Continue:
		return l.leave(s.Target, m, true)
	case *ir.Return, *ir.Trap:
		if l.maybe(m) {
			l.fail()
		}
		l.each(m, func(i int) { l.alive[i] = false })
		return l.mask()
	default:
		l.fail()
	}
	return m
}

// maybe reports whether some thread comes to a statement only under an unknown condition.
func (l *lanes) maybe(m []bool) bool {
	yes := false
	l.each(m, func(i int) { yes = yes || l.maybeAt(i) })
	return yes
}

func (l *lanes) maybeAt(i int) bool {
	return l.unsure[i] > 0 || slices.ContainsFunc(l.path, func(c condition) bool { return c.of[i] })
}

func (l *lanes) branch(s *ir.If, m []bool) []bool {
	then, other, open := l.mask(), l.mask(), l.mask()
	is := make([]form, l.n)
	l.each(m, func(i int) {
		switch is[i] = l.eval(s.Cond, i, nil); {
		case !is[i].known():
			open[i], then[i], other[i] = true, true, true
		case is[i].c != 0:
			then[i] = true
		default:
			other[i] = true
		}
	})
	if !some(open) {
		return either(l.list(s.Then, then), l.list(s.Else, other))
	}
	if l.shape.meets[s] {
		l.fail()
		return m
	}
	set := l.shape.assigned[s]
	before := l.saved(set)
	l.path = append(l.path, condition{of: open, is: is, truth: true})
	then = l.list(s.Then, then)
	after := l.saved(set)
	for n, r := range set {
		l.each(open, func(i int) { l.regs[r.ID][i] = before[n][i] })
	}
	l.path[len(l.path)-1].truth = false
	other = l.list(s.Else, other)
	l.path = l.path[:len(l.path)-1]
	for n, r := range set {
		row := l.regs[r.ID]
		l.each(open, func(i int) {
			switch {
			case then[i] && other[i]:
				row[i] = l.choose(is[i], after[n][i], row[i], r.Type)
			case then[i]:
				row[i] = after[n][i]
			}
		})
	}
	return either(then, other)
}

func either(a, b []bool) []bool {
	out := slices.Clone(a)
	for i, on := range b {
		out[i] = out[i] || on
	}
	return out
}

func (l *lanes) saved(set []*ir.Reg) [][]form {
	out := make([][]form, len(set))
	for n, r := range set {
		out[n] = slices.Clone(l.regs[r.ID])
	}
	return out
}

func (l *lanes) labelled(s *ir.Block, m []bool) []bool {
	t := &target{broken: l.mask(), missed: l.mask(), depth: len(l.path)}
	if s.Label != nil {
		l.targets[s.Label] = t
	}
	out := either(l.list(s.Body, m), t.broken)
	l.each(t.missed, func(i int) {
		l.unsure[i]--
		for _, r := range l.shape.assigned[s] {
			l.regs[r.ID][i] = l.unknown(r.Type)
		}
	})
	return out
}

// leave is a Break or a Continue. A thread that may do so under an unknown condition goes on as well, as one that may be elsewhere.
func (l *lanes) leave(label *ir.Label, m []bool, goesOn bool) []bool {
	t := l.targets[label]
	if t == nil {
		l.fail()
		return m
	}
	out := l.mask()
	l.each(m, func(i int) {
		open := slices.ContainsFunc(l.path[min(t.depth, len(l.path)):], func(c condition) bool { return c.of[i] })
		switch {
		case open && t.any:
			out[i] = true // all that the loop sets is unknown in any case
		case open && !t.loop:
			if out[i] = true; !t.missed[i] {
				t.missed[i] = true
				l.unsure[i]++
			}
		case open:
			l.fail()
		case goesOn:
			t.continued[i] = true
		default:
			t.broken[i] = true
		}
	})
	return out
}

func (l *lanes) loop(s *ir.Loop, m []bool) []bool {
	t := &target{broken: l.mask(), missed: l.mask(), depth: len(l.path), loop: true}
	if s.Label != nil {
		l.targets[s.Label] = t
	}
	out := l.mask()
	for l.works(l.n) {
		if m = l.list(s.Head, m); !some(m) {
			break
		}
		in, open := l.mask(), false
		l.each(m, func(i int) {
			is := l.eval(s.Cond, i, nil)
			in[i], out[i] = !is.known() || is.c != 0, out[i] || is.known() && is.c == 0
			open = open || !is.known()
		})
		if open && l.shape.meets[s] {
			return either(l.anyRoundOfAll(s, in), out)
		}
		if open {
			out = either(out, l.anyRounds(s, in, t))
			break
		}
		t.continued = l.mask()
		m = either(l.list(s.Body, in), t.continued)
		m = l.list(s.Post, m)
	}
	return either(out, t.broken)
}

// anyRounds runs a loop once for any number of rounds.
func (l *lanes) anyRounds(s *ir.Loop, m []bool, t *target) []bool {
	t.any, t.continued, t.depth = true, l.mask(), len(l.path)
	l.forgetsMemory(s)
	round := make([]form, l.n)
	l.each(m, func(i int) {
		round[i] = l.unknown(ir.U32)
		for _, r := range l.shape.assigned[s] {
			v, ok := l.counted(s, r, i, round[i])
			if !ok {
				v = l.unknown(r.Type)
			}
			l.regs[r.ID][i] = v
		}
	})
	l.path = append(l.path, condition{of: m, is: make([]form, l.n), truth: true, round: round})
	at := len(l.path) - 1
	l.list(s.Head, m)
	l.each(m, func(i int) { l.path[at].is[i] = l.eval(s.Cond, i, nil) })
	l.list(s.Post, either(l.list(s.Body, m), t.continued))
	l.path = l.path[:at]
	for _, r := range l.shape.assigned[s] {
		l.each(m, func(i int) { l.regs[r.ID][i] = l.unknown(r.Type) })
	}
	return m
}

// counted is a register of a thread in a round of a loop that counts it up by a known step, which the loop does not change.
func (l *lanes) counted(s *ir.Loop, r *ir.Reg, i int, round form) (form, bool) {
	by := l.shape.steps[s][r]
	if by == nil {
		return form{}, false
	}
	step := l.eval(by, i, nil)
	return l.regs[r.ID][i].plus(round.times(step.c)), step.known()
}

// forgetsMemory forgets what a loop may write: a round may read what one before it has written.
func (l *lanes) forgetsMemory(s *ir.Loop) {
	ir.WalkStmts([]ir.Stmt{s}, func(st ir.Stmt) bool {
		switch st.(type) {
		case *ir.Store, *ir.Atomic:
			shared, known := false, false
			for _, a := range l.summary.Accesses {
				if a.Stmt == st {
					known, shared = true, shared || a.Base.Space != ir.Global || len(a.Base.Either) > 0 || a.Base.Pointer != nil
				}
			}
			root, own := ir.Root(ir.Address(st))
			if own = own && root.Obj.Space == ir.Local; shared && !own || !known && !own {
				l.clearShared()
			}
			if own || shared || !known {
				clear(l.own)
			}
		}
		return true
	})
}

// clearShared forgets what shared memory holds.
func (l *lanes) clearShared() {
	for i := range l.n {
		for _, cells := range l.shared {
			for _, c := range cells {
				l.mustFollow(c, i)
			}
		}
	}
	clear(l.shared)
}

// anyRoundOfAll runs one round that stands for each one of a loop which all threads leave together, be it before the first one. What lies
// before the first of its barriers and what lies behind the last one may be in one phase.
func (l *lanes) anyRoundOfAll(s *ir.Loop, m []bool) []bool {
	if !l.together(m) {
		l.fail()
	}
	l.mustAgree(s.Cond, m)
	first := l.phase
	round := l.forms.unknown(ir.U32)
	l.forgets(s, m, round)
	m = l.list(s.Head, m)
	l.mustAgree(s.Cond, m)
	t := &target{broken: l.mask(), continued: l.mask(), missed: l.mask(), depth: len(l.path), loop: true}
	if s.Label != nil {
		l.targets[s.Label] = t
	}
	all := slices.Clone(m)
	if m = l.list(s.Post, either(l.list(s.Body, m), t.continued)); !slices.Equal(m, all) || some(t.broken) {
		l.fail()
	}
	l.forgets(s, m, form{})
	l.edges = append(l.edges, [2]int32{first, l.phase})
	return m
}

// mustAgree gives up if an unknown condition may hold for some threads and not for others.
func (l *lanes) mustAgree(cond ir.Expr, m []bool) {
	is := form{}
	l.each(m, func(i int) {
		v := l.eval(cond, i, nil)
		if v.known() || is.f != 0 && !v.is(is) {
			l.fail()
		}
		is = v
	})
}

// forgets leaves of what a loop sets how it is counted up to some round, if that is given, and what all threads have in common.
func (l *lanes) forgets(s *ir.Loop, m []bool, round form) {
	clear(l.shared) // there are barriers in it
	clear(l.own)
	for _, r := range l.shape.assigned[s] {
		one := l.forms.unknown(r.Type)
		l.each(m, func(i int) {
			v, ok := l.counted(s, r, i, round)
			switch {
			case ok && round.f != 0:
			case l.variance.Of(r) <= term.Block:
				v = one
			default:
				v = l.forms.unknown(r.Type)
			}
			l.regs[r.ID][i] = v
		})
	}
}

// together reports whether all threads that are left come to a statement for sure.
func (l *lanes) together(m []bool) bool { return slices.Equal(m, l.alive) && !l.maybe(m) }

func (l *lanes) barrier(s *ir.Barrier, m []bool) {
	if s.Mode != ir.BarrierSync || s.Level == ir.BlockLevel && s.Count != nil || s.Level != ir.WarpLevel && !l.together(m) || l.maybe(m) {
		l.fail()
		return
	}
	if s.Level != ir.WarpLevel {
		l.phase++
	}
	for w := range l.warpPhases {
		whole := true
		for i := w * race.WarpSize; i < min((w+1)*race.WarpSize, l.n); i++ {
			whole = whole && m[i] && l.isWhole(s.Mask, i)
		}
		if whole {
			l.warpPhases[w]++
		}
	}
	if s.Dst == nil {
		return
	}
	sum := l.unknown(s.Dst.Type)
	if s.Reduce == "count" && s.Pred != nil {
		sum = known(0)
		l.each(m, func(i int) { sum = sum.plus(l.truth(s.Pred, i)) })
	}
	l.each(m, func(i int) { l.regs[s.Dst.ID][i] = sum })
}

// truth is a condition as a bit.
func (l *lanes) truth(e ir.Expr, i int) form {
	return l.convert(ir.Bool, e.Type(), l.eval(e, i, nil))
}

// exchange is one between all lanes of each warp; of others nothing is known.
func (l *lanes) exchange(s *ir.WarpOp, m []bool) {
	if l.maybe(m) {
		l.fail()
		return
	}
	if s.Dst == nil {
		return
	}
	args := make([][]form, len(s.Args))
	for n, x := range s.Args {
		args[n] = make([]form, l.n)
		l.each(m, func(i int) { args[n][i] = l.eval(x, i, nil) })
	}
	for first := 0; first < l.n; first += race.WarpSize {
		last := min(first+race.WarpSize, l.n)
		whole := true
		for i := first; i < last; i++ {
			whole = whole && m[i] && l.isWhole(s.Mask, i)
		}
		for i := first; i < last; i++ {
			if m[i] {
				v := form{}
				ok := whole
				if ok {
					v, ok = l.exchanged(s, args, first, last, i)
				}
				if !ok {
					v = l.unknown(s.Dst.Type)
				}
				l.regs[s.Dst.ID][i] = v
			}
		}
	}
}

func (l *lanes) isWhole(mask ir.Expr, i int) bool {
	if mask == nil {
		return false
	}
	v := l.eval(mask, i, nil)
	return v.known() && uint32(v.c) == 1<<32-1
}

// exchanged is what a lane gets if all lanes of its warp take part.
func (l *lanes) exchanged(s *ir.WarpOp, args [][]form, first, last, i int) (form, bool) {
	switch s.Op {
	case "ballot":
		votes := make([]form, last-first)
		for n := range votes {
			votes[n] = l.convert(ir.Bool, s.Args[0].Type(), args[0][first+n])
		}
		return l.votes(votes, 1<<32-1), true
	case "reduce_add":
		sum := known(0)
		for n := first; n < last; n++ {
			sum = sum.plus(args[0][n])
		}
		return sum, s.Dst.Type.IsInt()
	case "shfl", "shfl_up", "shfl_down", "shfl_xor":
	default:
		return form{}, false
	}
	by, width := args[1][i], args[2][i]
	if !by.known() || !width.known() || width.c < 1 || width.c > race.WarpSize || width.c&(width.c-1) != 0 {
		return form{}, false
	}
	lane, w := i-first, int(width.c)
	from := lane &^ (w - 1)
	source, n := lane, int(by.c&31)
	switch s.Op {
	case "shfl":
		source = from + n&(w-1)
	case "shfl_up":
		source -= n
	case "shfl_down":
		source += n
	case "shfl_xor":
		source ^= n
	}
	if source >= from+w || s.Op == "shfl_up" && source < from {
		source = lane
	}
	if first+source >= last {
		return form{}, false
	}
	return args[0][first+source], true
}

// place is the address of an access, which is noted if somebody asks for it.
func (l *lanes) place(s ir.Stmt, ptr ir.Expr, i int) form {
	at := l.eval(ptr, i, nil)
	if _, watched := l.watched[s]; watched {
		n := note{lane: i, phase: l.phase, at: at, chosen: l.choices(ptr, i)}
		for _, c := range l.path {
			if c.of[i] {
				when := literal{is: c.is[i]}
				if !c.truth {
					when.is = l.unary(ir.LogNot, ir.Bool, when.is)
				}
				if c.round != nil {
					when.round = c.round[i]
				}
				n.when = append(n.when, when)
			}
		}
		if len(n.chosen) > 0 {
			regs := map[*ir.Reg]form{}
			ir.WalkExpr(ptr, func(e ir.Expr) {
				if r, ok := e.(*ir.RegRef); ok && l.regs[r.R.ID] != nil {
					regs[r.R] = l.regs[r.R.ID][i]
				}
			})
			n.ptr = func(assume map[uint64]bool) form {
				for r, v := range regs {
					l.regs[r.ID][i] = v
				}
				return l.eval(ptr, i, assume)
			}
		}
		l.notes[s] = append(l.notes[s], n)
	}
	return at
}

// choices lists the conditions by which parts of an expression are chosen.
func (l *lanes) choices(e ir.Expr, i int) (out []form) {
	ir.WalkExpr(e, func(e ir.Expr) {
		switch e.(type) {
		case *ir.RegRef, *ir.Select:
			v := l.eval(e, i, nil)
			if of := l.of[v.f]; of.op == choice && of.bits == nil && v.c == 0 && of.args[0].bit && !slices.ContainsFunc(out, of.args[0].is) {
				out = append(out, of.args[0])
			}
		}
	})
	return out
}

func (l *lanes) load(s *ir.Load, m []bool) {
	row := l.regs[s.Dst.ID]
	l.each(m, func(i int) {
		at := l.place(s, s.Ptr, i)
		row[i] = l.loaded(s, at, i)
	})
}

func (l *lanes) loaded(s *ir.Load, at form, i int) form {
	if s.Volatile || s.Order != ir.Weak || at.base == 0 {
		return l.data(s.T, l.unknown(s.T))
	}
	var held cellForm
	switch l.spaces[at.base] {
	case ir.Local:
		if at.f == 0 {
			held = l.own[i][cell{at.base, at.c}]
		}
	case ir.Shared:
		if c := l.shared[at.base][at.c]; at.f == 0 && c != nil && l.before(c.wrote, i) {
			held = c.cellForm
			if l.before(c.read, i) {
				c.read = l.touches(i)
			} else {
				c.read.lane = -1
			}
		}
	}
	if space := l.spaces[at.base]; space == ir.Local || space == ir.Shared {
		if held.t.Size() == s.T.Size() && held.t.IsFloat() == s.T.IsFloat() {
			return l.convert(s.T, held.t, held.form)
		}
		return l.unknown(s.T)
	}
	if l.written[at.base] || s.T == ir.Ptr {
		return l.data(s.T, l.unknown(s.T))
	}
	return l.data(s.T, l.typed(s.T, l.symbol(uint64(s.T)|1<<43, at)))
}

// data is a number from memory: one that a thread counts with is presumed not to be negative.
func (l *lanes) data(t ir.Type, v form) form {
	if t.IsInt() && v.sign == anySign {
		v.sign = presumed
	}
	return l.signed(v)
}

func (l *lanes) store(s *ir.Store, i int) {
	at := l.place(s, s.Ptr, i)
	l.put(at, cellForm{l.eval(s.X, i, nil), s.T}, i)
}

// put stores a value.
func (l *lanes) put(at form, v cellForm, i int) {
	switch {
	case at.base == 0:
		l.fail()
	case l.spaces[at.base] == ir.Shared:
		cells := l.shared[at.base]
		if at.f != 0 {
			for _, c := range cells {
				l.mustFollow(c, i)
			}
			l.shared[at.base] = nil
			return
		}
		if cells == nil {
			cells = map[int64]*sharedCell{}
			l.shared[at.base] = cells
		}
		now := &sharedCell{wrote: l.touches(i)}
		var old cellForm
		if c := cells[at.c]; c != nil {
			if old = c.cellForm; !l.before(c.wrote, i) {
				v.form = l.unknown(v.t) // two threads write it at once
				now.wrote.lane = -1
			}
		}
		now.cellForm = l.joined(old, v, i)
		for d := int64(-7); d < v.t.Size(); d++ {
			if c := cells[at.c+d]; c != nil && d+c.t.Size() > 0 {
				l.mustFollow(c, i)
				delete(cells, at.c+d)
			}
		}
		cells[at.c] = now
	case l.spaces[at.base] == ir.Local:
		if at.f != 0 {
			l.own[i] = nil
			return
		}
		if l.own[i] == nil {
			l.own[i] = map[cell]cellForm{}
		}
		v = l.joined(l.own[i][cell{at.base, at.c}], v, i)
		for d := int64(-7); d < v.t.Size(); d++ {
			if c, ok := l.own[i][cell{at.base, at.c + d}]; ok && d+c.t.Size() > 0 {
				delete(l.own[i], cell{at.base, at.c + d})
			}
		}
		l.own[i][cell{at.base, at.c}] = v
	}
}

// mustFollow gives up if others may have read, before a thread writes there or behind that, what a place held.
func (l *lanes) mustFollow(c *sharedCell, i int) {
	if !l.before(c.read, i) {
		l.fail()
	}
}

// joined is what a place holds behind a store that may not happen.
func (l *lanes) joined(old, v cellForm, i int) cellForm {
	if l.unsure[i] > 0 {
		v.form = l.unknown(v.t)
		return v
	}
	for n := len(l.path) - 1; n >= 0; n-- {
		c := l.path[n]
		switch {
		case !c.of[i]:
		case c.round != nil || old.t != v.t:
			v.form = l.unknown(v.t)
		case c.truth:
			v.form = l.choose(c.is[i], v.form, old.form, v.t)
		default:
			v.form = l.choose(c.is[i], old.form, v.form, v.t)
		}
	}
	return v
}

func (l *lanes) atomic(s *ir.Atomic, i int) {
	at := l.place(s, s.Ptr, i)
	v := l.unknown(s.T)
	if s.Op == ir.AtomicAdd && s.T.IsInt() {
		l.draws = append(l.draws, draw{s, v, l.eval(s.X, i, nil)})
	}
	if s.Dst != nil {
		l.regs[s.Dst.ID][i] = v
	}
	l.put(at, cellForm{l.unknown(s.T), s.T}, i)
}

// eval is the value of an expression. Where a condition is assumed to hold or not, what is chosen by it is chosen.
func (l *lanes) eval(e ir.Expr, i int, assume map[uint64]bool) form {
	switch e := e.(type) {
	case *ir.Const:
		if e.T.IsFloat() {
			return l.typed(e.T, l.symbol(e.Bits, known(int64(e.T))))
		}
		return known(e.Int())
	case *ir.RegRef:
		if l.regs[e.R.ID] == nil {
			return l.forms.unknown(e.R.Type) // nobody sets it
		}
		return l.chosen(l.regs[e.R.ID][i], assume)
	case *ir.ParamRef:
		return l.argument(e.P)
	case *ir.Builtin:
		return l.builtin(e, i)
	case *ir.ObjAddr:
		return form{base: l.objects[e.Obj]}
	case *ir.PtrAdd:
		return l.eval(e.Base, i, assume).plus(l.eval(e.Offset, i, assume))
	case *ir.Unary:
		return l.unary(e.Op, e.X.Type(), l.eval(e.X, i, assume))
	case *ir.Binary:
		return l.binary(e.Op, e.X.Type(), e.T, l.eval(e.X, i, assume), l.eval(e.Y, i, assume))
	case *ir.Convert:
		return l.convert(e.T, e.X.Type(), l.eval(e.X, i, assume))
	case *ir.Select:
		cond := l.convert(ir.Bool, e.Cond.Type(), l.eval(e.Cond, i, assume))
		return l.chosen(l.choose(cond, l.eval(e.X, i, assume), l.eval(e.Y, i, assume), e.X.Type()), assume)
	case *ir.Call:
		var args []form
		for _, x := range e.Args {
			args = append(args, l.eval(x, i, assume))
		}
		return l.call(e.Name, e.T, args)
	}
	return l.unknown(e.Type())
}

func (l *lanes) chosen(v form, assume map[uint64]bool) form {
	if of := l.of[v.f]; len(assume) > 0 && v.c == 0 && of.op == choice && of.bits == nil {
		key, is := bitOf(of.args[0])
		if holds, ok := assume[key]; ok && holds == is {
			return of.args[1]
		} else if ok {
			return of.args[2]
		}
	}
	return v
}

// argument is what the launch gives for a parameter.
func (l *lanes) argument(p *ir.Param) form {
	v := l.params[p.Index]
	if v.sym == none {
		out := known(v.c)
		out.base = v.base
		return out
	}
	out := l.symbol(uint64(p.Index)|1<<44, form{base: v.base})
	out.base = v.base
	if v.sym != anything && l.info[v.sym].nonNegative {
		out.sign = natural
	}
	return l.signed(out)
}

func (l *lanes) builtin(b *ir.Builtin, i int) form {
	at := place(i, l.dim)
	switch b.Var {
	case ir.ThreadIdx:
		return known(int64(at[b.Axis]))
	case ir.BlockDim:
		return known(int64(l.dim[b.Axis]))
	case ir.BlockIdx:
		if l.grid[b.Axis] == 1 {
			return known(0)
		}
	case ir.GridDim:
		if l.grid[b.Axis] > 0 {
			return known(l.grid[b.Axis])
		}
	case ir.LaneID:
		return known(int64(i % race.WarpSize))
	case ir.WarpID:
		return known(int64(i / race.WarpSize))
	}
	v := l.symbol(uint64(b.Var)<<8 | uint64(b.Axis) | 1<<45)
	v.sign = natural
	return l.signed(v)
}
