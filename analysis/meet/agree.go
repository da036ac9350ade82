package meet

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
)

// This file finds which lanes of a warp hold the same number, as after
//
//	for (o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
//
// where a round makes the numbers of lane i and lane i^o the same: both add the same two. What lanes that go the same ways hold
// after the same rounds is looked at; who asks must know that.

// agreement is a set of the bits of a lane's number: lanes that differ in these alone hold the same.
type agreement uint32

const (
	allLanes = agreement(race.WarpSize - 1)
	// agreeBudget bounds the statements looked at, each as often as its loop takes.
	agreeBudget = 1 << 14
	// agreeRounds bounds the rounds of a loop that are gone through one by one.
	agreeRounds = 64
)

// below is the bits of a lane's number in its group of so many lanes.
func below(size int64) agreement {
	if size <= 0 || size > race.WarpSize || size&(size-1) != 0 {
		return 0
	}
	return agreement(size - 1)
}

// group is how many lanes of a row, from a multiple on, hold the same.
func (a agreement) group() int64 { return 1 << bits.TrailingZeros32(^uint32(a)) }

// held is what is known of a register's number.
type held struct {
	agree agreement
	id    int // the same for the same number
	fixed *int64
	// of and by say that it is the number that another lane has by an id, whose own number differs in a bit.
	of int
	by agreement
}

type holdings map[*ir.Reg]held

// agreeing goes through a function's statements.
type agreeing struct {
	stored map[*ir.Store]agreement
	heads  map[head]agreement // where rounds begin that do not count
	exits  map[*ir.Label][]exit
	ifs    []agreement // of the conditions of the branches that it is in
	depth  map[*ir.Label]int
	ids    int
	left   int
}

// head is a register where the rounds of a loop begin that carries it on.
type head struct {
	loop *ir.Loop
	of   *ir.Reg
}

// exit is the way out of a Block or a Loop, or on to a Loop's Post; control is what the conditions agree in that decide it.
type exit struct {
	at      holdings
	control agreement
	again   bool
}

// agreements finds what the values of stores, and those that loops carry on, agree in.
func agreements(f *ir.Func) *agreeing {
	g := &agreeing{stored: map[*ir.Store]agreement{}, heads: map[head]agreement{}, exits: map[*ir.Label][]exit{}, depth: map[*ir.Label]int{}, left: agreeBudget}
	if slices.ContainsFunc(f.Body, exchangesLanes) {
		g.list(f.Body, holdings{})
	}
	if g.left < 0 {
		clear(g.stored)
		clear(g.heads)
	}
	return g
}

func exchangesLanes(s ir.Stmt) bool {
	found := false
	ir.WalkStmts([]ir.Stmt{s}, func(s ir.Stmt) bool {
		_, is := s.(*ir.WarpOp)
		found = found || is
		return !found
	})
	return found
}

// list goes through statements from what registers hold. It returns what they hold at its end, nil if nobody comes there.
func (g *agreeing) list(list []ir.Stmt, at holdings) holdings {
	for _, s := range list {
		if g.left--; g.left < 0 || at == nil {
			return nil
		}
		at = g.stmt(s, at)
	}
	return at
}

func (g *agreeing) stmt(s ir.Stmt, at holdings) holdings {
	switch s := s.(type) {
	case *ir.Assign:
		g.set(at, s.Dst, g.expr(at, s.X))
	case *ir.Store:
		v := g.expr(at, s.X).agree
		if old, known := g.stored[s]; known {
			v &= old
		}
		g.stored[s] = v
	case *ir.WarpOp:
		g.set(at, s.Dst, g.warpOp(at, s))
	case *ir.Barrier:
		if s.Dst != nil {
			v := held{}
			if s.Level != ir.WarpLevel {
				v.agree = allLanes
			}
			g.set(at, s.Dst, v)
		}
	case *ir.If:
		cond := g.expr(at, s.Cond).agree
		g.ifs = append(g.ifs, cond)
		then, other := g.list(s.Then, clone(at)), g.list(s.Else, at)
		g.ifs = g.ifs[:len(g.ifs)-1]
		return g.merge(cond, then, other)
	case *ir.Block:
		g.depth[s.Label] = len(g.ifs)
		end := g.list(s.Body, at)
		return g.leave(s.Label, end, allLanes)
	case *ir.Loop:
		return g.loop(s, at)
	case *ir.Break:
		g.exit(s.Target, at, false)
		return nil
	case *ir.Continue:
		g.exit(s.Target, at, true)
		return nil
	case *ir.Return, *ir.Trap:
		return nil
	default:
		for _, r := range ir.Defs(s) {
			g.set(at, r, held{})
		}
	}
	return at
}

func clone(at holdings) holdings {
	out := make(holdings, len(at))
	for r, v := range at {
		out[r] = v
	}
	return out
}

func (g *agreeing) set(at holdings, r *ir.Reg, v held) {
	if r == nil {
		return
	}
	if v.id == 0 {
		g.ids++
		v.id = g.ids
	}
	at[r] = v
}

func (g *agreeing) exit(to *ir.Label, at holdings, again bool) {
	control := allLanes
	for _, c := range g.ifs[min(g.depth[to], len(g.ifs)):] {
		control &= c
	}
	g.exits[to] = append(g.exits[to], exit{at, control, again})
}

// merge is what registers hold where ways meet that lanes of some agreement go together.
func (g *agreeing) merge(control agreement, ways ...holdings) holdings {
	var out holdings
	for _, at := range ways {
		switch {
		case at == nil:
		case out == nil:
			out = clone(at)
		default:
			for r := range at {
				if _, known := out[r]; !known {
					g.set(out, r, held{})
				}
			}
			for r, v := range out {
				if w := at[r]; w.id != v.id {
					g.set(out, r, held{agree: v.agree & w.agree & control})
				}
			}
		}
	}
	return out
}

// leave is what registers hold behind a Block or a Loop whose end holds something, too.
func (g *agreeing) leave(l *ir.Label, end holdings, control agreement) holdings {
	ways := []holdings{end}
	for _, e := range g.exits[l] {
		if !e.again {
			ways = append(ways, e.at)
			control &= e.control
		}
	}
	delete(g.exits, l)
	return g.merge(control, ways...)
}

// loop goes through the rounds of a loop if they are known and few; else through one for all.
func (g *agreeing) loop(s *ir.Loop, at holdings) holdings {
	g.depth[s.Label] = len(g.ifs)
	if end := g.rounds(s, clone(at)); end != nil {
		return end
	}
	delete(g.exits, s.Label)
	var set []*ir.Reg
	ir.WalkStmts([]ir.Stmt{s}, func(s ir.Stmt) bool {
		for _, r := range ir.Defs(s) {
			if !slices.Contains(set, r) {
				set = append(set, r)
			}
		}
		return true
	})
	for g.left >= 0 {
		start := clone(at)
		for _, r := range set {
			g.set(start, r, held{agree: at[r].agree})
		}
		asked := g.list(s.Head, clone(start))
		if asked == nil {
			return g.leave(s.Label, nil, 0)
		}
		control := g.expr(asked, s.Cond).agree
		end := g.post(s, g.list(s.Body, clone(asked)))
		changed := false
		for _, r := range set {
			if now := start[r].agree; end != nil && end[r].agree&now != now {
				changed = true
				at = clone(at)
				g.set(at, r, held{agree: end[r].agree & now})
			}
		}
		if !changed {
			for _, r := range set {
				v := start[r].agree
				if old, known := g.heads[head{s, r}]; known {
					v &= old
				}
				g.heads[head{s, r}] = v
			}
			return g.behind(s, set, asked, control)
		}
		delete(g.exits, s.Label)
	}
	return nil
}

// behind is what registers hold behind a loop, which lanes leave in different rounds if they do not agree in what ends it.
func (g *agreeing) behind(s *ir.Loop, set []*ir.Reg, head holdings, control agreement) holdings {
	if c, ok := s.Cond.(*ir.Const); ok && c.Bits != 0 {
		head = nil
	}
	for _, e := range g.exits[s.Label] {
		control &= e.control
	}
	out := g.leave(s.Label, head, control)
	for _, r := range set {
		if v, known := out[r]; known {
			v.agree &= control
			out[r] = v
		}
	}
	return out
}

// post goes through a loop's Post, from the end of its body and from where that is left early.
func (g *agreeing) post(s *ir.Loop, end holdings) holdings {
	ways, control := []holdings{end}, allLanes
	g.exits[s.Label] = slices.DeleteFunc(g.exits[s.Label], func(e exit) bool {
		if e.again {
			ways = append(ways, e.at)
			control &= e.control
		}
		return e.again
	})
	return g.list(s.Post, g.merge(control, ways...))
}

// rounds goes through each round of a loop; nil if it is not known when the loop ends.
func (g *agreeing) rounds(s *ir.Loop, at holdings) holdings {
	for range agreeRounds {
		at = g.list(s.Head, at)
		if at == nil || len(g.exits[s.Label]) > 0 {
			return nil
		}
		cond := g.expr(at, s.Cond).fixed
		switch {
		case cond == nil:
			return nil
		case *cond == 0:
			return at
		}
		at = g.post(s, g.list(s.Body, at))
		if at == nil || len(g.exits[s.Label]) > 0 {
			return nil
		}
	}
	return nil
}

// warpOp is what lanes get from each other.
func (g *agreeing) warpOp(at holdings, s *ir.WarpOp) held {
	lanes := groupOf(s.Mask)
	if len(s.Args) == 0 || lanes == 0 {
		return held{}
	}
	x := g.expr(at, s.Args[0])
	shuffle := strings.HasPrefix(s.Op, "shfl")
	if shuffle {
		width, ok := ir.IntConst(s.Args[2])
		if !ok {
			return held{}
		}
		lanes &= below(width)
	}
	switch {
	case !shuffle && !strings.HasPrefix(s.Op, "match"):
		return held{agree: lanes}
	case !shuffle:
		return held{}
	case s.Op == "shfl":
		return held{agree: g.expr(at, s.Args[1]).agree & lanes}
	case s.Op == "shfl_xor":
		lane := g.expr(at, s.Args[1])
		out := held{agree: x.agree & lanes}
		if lane.fixed != nil && bits.OnesCount64(uint64(*lane.fixed)) == 1 && agreement(*lane.fixed)&lanes != 0 {
			out.of, out.by = x.id, agreement(*lane.fixed)
		}
		return out
	default: // at the ends of a group, lanes keep their own
		if x.agree&lanes == lanes {
			return held{agree: lanes}
		}
		return held{}
	}
}

// groupOf is the bits of the lanes that a mask lets exchange: of all, or of each row of a power of two, as for a tile.
func groupOf(mask ir.Expr) agreement {
	if m, ok := ir.IntConst(mask); ok {
		if uint32(m) == 1<<race.WarpSize-1 {
			return allLanes
		}
		return 0
	}
	return below(access.TileOfLane(mask))
}

// expr is what is known of an expression's number.
func (g *agreeing) expr(at holdings, e ir.Expr) held {
	switch e := e.(type) {
	case *ir.RegRef:
		return at[e.R]
	case *ir.Const:
		if v, ok := ir.IntConst(e); ok {
			return held{agree: allLanes, fixed: &v}
		}
		return held{agree: allLanes}
	case *ir.ParamRef, *ir.ObjAddr:
		return held{agree: allLanes}
	case *ir.Builtin:
		if e.Var == ir.ThreadIdx || e.Var == ir.LaneID {
			return held{}
		}
		return held{agree: allLanes}
	case *ir.Convert:
		x := g.expr(at, e.X)
		if x.fixed != nil && !(e.T.IsInt() && fits(*x.fixed, e.T)) {
			x.fixed = nil
		}
		return held{agree: x.agree, fixed: x.fixed}
	case *ir.Binary:
		x, y := g.expr(at, e.X), g.expr(at, e.Y)
		out := both(x, y)
		if commutes(e.Op) {
			out.agree |= exchanged(x, y)
		}
		if x.fixed != nil && y.fixed != nil {
			out.fixed = computed(e, *x.fixed, *y.fixed)
		}
		return out
	case *ir.Unary:
		return held{agree: g.expr(at, e.X).agree}
	case *ir.PtrAdd:
		return both(g.expr(at, e.Base), g.expr(at, e.Offset))
	case *ir.Select:
		return both(g.expr(at, e.Cond), both(g.expr(at, e.X), g.expr(at, e.Y)))
	case *ir.Call:
		out := held{agree: allLanes}
		for _, a := range e.Args {
			out = both(out, g.expr(at, a))
		}
		if len(e.Args) == 2 && (strings.HasPrefix(e.Name, "fmax") || strings.HasPrefix(e.Name, "fmin")) {
			out.agree |= exchanged(g.expr(at, e.Args[0]), g.expr(at, e.Args[1]))
		}
		return out
	}
	return held{}
}

func both(x, y held) held { return held{agree: x.agree & y.agree} }

// exchanged is what two numbers agree in besides, one of which is what another lane has of the other.
func exchanged(x, y held) agreement {
	switch {
	case x.id != 0 && y.of == x.id:
		return x.agree&y.agree | y.by
	case y.id != 0 && x.of == y.id:
		return x.agree&y.agree | x.by
	}
	return 0
}

func commutes(op ir.Op) bool {
	switch op {
	case ir.Add, ir.Mul, ir.And, ir.Or, ir.Xor, ir.Min, ir.Max, ir.LogAnd, ir.LogOr:
		return true
	}
	return false
}

// computed is the result of an operator on small integers, as a loop counts with them; none where it overflows.
func computed(e *ir.Binary, x, y int64) *int64 {
	if (e.Op == ir.Shl || e.Op == ir.Shr) && y >= 32 {
		return nil
	}
	wide := ir.U64
	if e.X.Type().IsSigned() {
		wide = ir.I64
	}
	v, ok := ir.Compute(e.Op, wide, x, y)
	if !ok || !fits(v, e.T) {
		return nil
	}
	return &v
}

// fits reports whether a number is a small one that a type holds.
func fits(v int64, t ir.Type) bool { return int64(int32(v)) == v && t.Cut(v) == v }
