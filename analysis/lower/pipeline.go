package lower

// This file lowers pipelines that a group shares: a ring of stages, each with a barrier in memory that says it is full
// and one that says it is empty (libcu++, "cuda::pipeline"). Each thread counts the stages that it has filled and those
// that it has emptied.

import "github.com/warplint/warplint/analysis/ir"

// ring is the state of a shared pipeline.
type ring struct {
	state           ir.Expr // the barriers: full and empty of the first stage, of the second, and so on
	stages          int64
	filled, emptied *ir.Reg
}

// pipelineStateType is cuda::pipeline_shared_state<scope, stages>.
func (l *lowerer) pipelineStateType(args []targ) *ctype {
	n := int64(0)
	if len(args) > 1 && args[1].v != nil {
		n, _ = ir.IntConst(args[1].v.x)
	}
	if n <= 0 || n > 64 {
		return nil
	}
	t := l.libRecord("cuda::pipeline_shared_state<"+argsKey(args)+">", libPipelineState, []field{{name: "state", t: arrayOf(tULong, 2*n)}})
	t.rec.args = args
	return t
}

// sharedPipeline is make_pipeline(group, &state[, role or number of producers]): the group counts its roles, one of
// its threads initializes the barriers, and all meet.
func (l *lowerer) sharedPipeline(c *callSite) (value, bool) {
	if len(c.args) != 2 && len(c.args) != 3 {
		return value{}, false
	}
	g := l.load(c.args[0].v, c.args[0].n)
	place := l.deref(c.value(l, 1), c.args[1].n)
	if g.t.kind != kGroup || g.t.name != groupBlock || place.cat != vMem || place.t.kind != kRecord || place.t.rec.lib != libPipelineState {
		return value{}, false
	}
	r := &ring{state: place.x, stages: place.t.rec.fields[0].t.len / 2, filled: l.newReg(ir.U64, ""), emptied: l.newReg(ir.U64, "")}
	zero := constInt(ir.U64, 0)
	l.emit(&ir.Assign{Dst: r.filled, X: zero})
	l.emit(&ir.Assign{Dst: r.emptied, X: zero})
	threads, rank := volume(ir.BlockDim), linear(ir.ThreadIdx, ir.BlockDim)
	producers, consumers := threads, threads
	if len(c.args) == 3 {
		role := c.value(l, 2)
		switch {
		case role.cat != vRval || !role.t.isInt():
			return value{}, false
		case role.t.kind == kEnum:
			n := l.newReg(ir.I32, "")
			fills := binary(ir.Eq, role.x, constInt(ir.I32, roleProducer))
			l.emit(&ir.Barrier{Level: ir.BlockLevel, Reduce: "count", Pred: fills, Dst: n, Site: l.namedSite(c.n, c.nameNode, "")})
			producers = convert(&ir.RegRef{R: n}, ir.U32)
		default:
			producers = l.temp(convert(role.x, ir.U32))
		}
		consumers = binary(ir.Sub, threads, producers)
	}
	first := l.collectStmts(func() {
		for i := range r.stages {
			l.emit(&ir.Named{Op: "mbarrier.init", Args: []ir.Expr{r.barrier(constInt(ir.U64, i), 0), producers}, Site: l.namedSite(c.n, c.nameNode, place.name)})
			l.emit(&ir.Named{Op: "mbarrier.init", Args: []ir.Expr{r.barrier(constInt(ir.U64, i), 1), consumers}, Site: l.namedSite(c.n, c.nameNode, place.name)})
		}
	})
	l.emit(&ir.If{Cond: binary(ir.Eq, rank, constInt(ir.U32, 0)), Then: first, Site: l.site(c.n, "")})
	l.emit(&ir.Barrier{Level: ir.BlockLevel, Site: l.namedSite(c.n, c.nameNode, "")})
	t := l.libRecord("cuda::pipeline", libPipeline, []field{{name: "state", t: tULong}})
	return value{t: t, cat: vStatic, group: &group{ring: r}, name: "pipeline"}, true
}

// barrier is the address of a stage's barrier: 0 for that which says it is full, 1 for the other.
func (r *ring) barrier(stage ir.Expr, which int64) ir.Expr {
	return ptrAdd(r.state, convert(binary(ir.Add, binary(ir.Mul, stage, constInt(ir.U64, 16)), constInt(ir.U64, 8*which)), ir.I64))
}

// at is a stage of the ring by its number, and in which round it is used.
func (r *ring) at(count *ir.Reg) (stage, round ir.Expr) {
	n := constInt(ir.U64, r.stages)
	x := &ir.RegRef{R: count}
	return binary(ir.Rem, x, n), binary(ir.Div, x, n)
}

// full is the barrier with which copies into the stage end that the thread fills.
func (r *ring) full() ir.Expr {
	stage, _ := r.at(r.filled)
	return r.barrier(stage, 0)
}

// ringMethod lowers a method of a shared pipeline.
func (l *lowerer) ringMethod(c *callSite, r *ring) (value, bool) {
	named := func(op string, dst *ir.Reg, args ...ir.Expr) {
		l.emit(&ir.Named{Op: op, Dst: dst, Args: args, Site: l.namedSite(c.n, c.nameNode, "")})
	}
	odd := func(round ir.Expr) ir.Expr { return convert(binary(ir.And, round, constInt(ir.U64, 1)), ir.U32) }
	next := func(count *ir.Reg) {
		l.emit(&ir.Assign{Dst: count, X: binary(ir.Add, &ir.RegRef{R: count}, constInt(ir.U64, 1))})
	}
	switch c.name {
	case "producer_acquire": // what was in the stage before has been read
		stage, round := r.at(r.filled)
		wait := l.collectStmts(func() {
			named("mbarrier.wait", nil, r.barrier(stage, 1), odd(binary(ir.Sub, round, constInt(ir.U64, 1))))
		})
		l.emit(&ir.If{Cond: binary(ir.Ge, &ir.RegRef{R: r.filled}, constInt(ir.U64, r.stages)), Then: wait, Site: l.site(c.n, "")})
	case "producer_commit":
		named("mbarrier.arrive", l.newReg(ir.U64, ""), r.full())
		next(r.filled)
	case "consumer_wait":
		stage, round := r.at(r.emptied)
		named("mbarrier.wait", nil, r.barrier(stage, 0), odd(round))
	case "consumer_release":
		stage, _ := r.at(r.emptied)
		named("mbarrier.arrive", l.newReg(ir.U64, ""), r.barrier(stage, 1))
		next(r.emptied)
	case "quit":
		return rval(tBool, constBool(true)), true
	default:
		return value{}, false
	}
	return value{t: tVoid}, true
}

// The roles of a thread in a shared pipeline.
const (
	roleProducer = iota
	roleConsumer
)

var tRole = &ctype{kind: kEnum, name: "pipeline_role", scalar: ir.I32}
