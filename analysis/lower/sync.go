package lower

// This file lowers barriers, fences, traps, assertions and what prints.

import (
	"regexp"
	"strings"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
)

func syncTable() map[string]intrinsic {
	m := map[string]intrinsic{
		"__syncthreads":        blockBarrier(""),
		"__syncthreads_count":  blockBarrier("count"),
		"__syncthreads_and":    blockBarrier("and"),
		"__syncthreads_or":     blockBarrier("or"),
		"__barrier_sync":       numberedBarrier,
		"__barrier_sync_count": numberedBarrier,
		"__syncwarp":           syncWarp,
		"__threadfence":        fence(race.ScopeDevice),
		"__threadfence_block":  fence(race.ScopeBlock),
		"__threadfence_system": fence(race.ScopeSystem),
		"__trap":               trap,
		"__brkpt":              nothing,
		"__assertfail":         trap, "__assert_fail": trap,
		"__builtin_trap":           trap,
		"__builtin_unreachable":    assumeFalse,
		"assert":                   assertion,
		"__builtin_assume":         assume,
		"__builtin_expect":         firstArgument,
		"__builtin_assume_aligned": firstArgument,
		"move":                     moved, "forward": firstArgument, "as_const": firstArgument, "declval": declval,
		"cuda::atomic_thread_fence": atomicFence, "atomic_thread_fence": atomicFence, "__nv_atomic_thread_fence": atomicFence,
		"cuda::atomic_signal_fence": nothing, "atomic_signal_fence": nothing,
		"__nanosleep": nothing, "__prof_trigger": nothing,
		"swap": swap, "exchange": exchange,
	}
	// What one kernel waits for another with is no order within a launch.
	for _, name := range []string{"cudaGraphSetConditional", "cudaGridDependencySynchronize", "cudaTriggerProgrammaticLaunchCompletion"} {
		m[name] = nothing
	}
	for _, name := range []string{"printf", "vprintf", "puts", "putchar", "fprintf"} {
		m[name] = prints
	}
	return m
}

// blockBarrier lowers __syncthreads and its reducing forms.
func blockBarrier(reduce string) intrinsic {
	return func(l *lowerer, c *callSite) value {
		b := &ir.Barrier{Level: ir.BlockLevel, Reduce: reduce}
		if reduce == "" {
			b.Site = l.namedSite(c.n, c.nameNode, "")
			l.emit(b)
			return value{t: tVoid}
		}
		b.Pred = c.arg(l, 0, tBool)
		b.Dst = l.newReg(ir.I32, "")
		b.Site = l.namedSite(c.n, c.nameNode, "")
		l.emit(b)
		return rval(tInt, &ir.RegRef{R: b.Dst})
	}
}

// numberedBarrier lowers __barrier_sync(id) and __barrier_sync_count(id, count).
func numberedBarrier(l *lowerer, c *callSite) value {
	if len(c.args) < 1 || len(c.args) > 2 {
		return l.rejectArity(c)
	}
	b := &ir.Barrier{Level: ir.BlockLevel, ID: c.arg(l, 0, tUInt)}
	if len(c.args) == 2 {
		b.Count = c.arg(l, 1, tUInt)
	}
	b.Site = l.namedSite(c.n, c.nameNode, "")
	l.emit(b)
	return value{t: tVoid}
}

const fullMask = 0xffffffff

func syncWarp(l *lowerer, c *callSite) value {
	var mask ir.Expr = constInt(ir.U32, fullMask)
	if len(c.args) > 0 {
		mask = c.arg(l, 0, tUInt)
	}
	l.emit(&ir.Barrier{Level: ir.WarpLevel, Mask: mask, Site: l.namedSite(c.n, c.nameNode, "")})
	return value{t: tVoid}
}

// fence lowers __threadfence and its kin, which are sequentially consistent (PTX fence.sc is
// not what they compile to, but membar, which the PTX manual calls synonymous with fence.sc).
func fence(scope race.Scope) intrinsic {
	return func(l *lowerer, c *callSite) value {
		l.emit(&ir.Fence{Order: ir.SeqCst, Scope: scope, Site: l.namedSite(c.n, c.nameNode, "")})
		return value{t: tVoid}
	}
}

func atomicFence(l *lowerer, c *callSite) value {
	order, ok := l.orderArg(c, 0)
	scope, ok2 := l.scopeArg(c, 1)
	if !ok || !ok2 {
		return l.rejectArity(c)
	}
	if order > ir.Relaxed && scope != race.ScopeNone {
		l.emit(&ir.Fence{Order: order, Scope: scope, Site: l.namedSite(c.n, c.nameNode, "")})
	}
	return value{t: tVoid}
}

func trap(l *lowerer, c *callSite) value {
	l.emit(&ir.Trap{})
	return value{t: tVoid}
}

// assertion stops the launch unless its condition holds.
func assertion(l *lowerer, c *callSite) value {
	if len(c.args) != 1 {
		return l.rejectArity(c)
	}
	x := c.arg(l, 0, tBool)
	if isTrue(x) {
		return value{t: tVoid}
	}
	x = l.temp(x)
	l.emit(&ir.If{Cond: unary(ir.LogNot, x), Then: []ir.Stmt{&ir.Trap{}}, Site: l.site(c.n, "")})
	l.emit(&ir.Assume{Cond: x})
	return value{t: tVoid}
}

func assume(l *lowerer, c *callSite) value {
	if len(c.args) != 1 {
		return l.rejectArity(c)
	}
	l.emit(&ir.Assume{Cond: c.arg(l, 0, tBool)})
	return value{t: tVoid}
}

func assumeFalse(l *lowerer, c *callSite) value {
	l.emit(&ir.Assume{Cond: constBool(false)})
	return value{t: tVoid}
}

// nothing is a call without a meaning for races; its arguments have been evaluated.
func nothing(l *lowerer, c *callSite) value { return value{t: tVoid} }

// moved is std::move.
func moved(l *lowerer, c *callSite) value {
	v := firstArgument(l, c)
	v.moved = v.isPlace()
	return v
}

// declval is a value of the type that is its template argument, in an operand that is not evaluated.
func declval(l *lowerer, c *callSite) value {
	args := namedChildren(c.targs)
	if l.unevaluated == 0 || len(args) != 1 {
		return l.opaqueCall(c.n, "declval", c.args)
	}
	t := l.typeNode(args[0], l.scope)
	v := l.place(t.noRef(), "")
	v.moved = t.kind != kRef || t.rvalue
	return v
}

func firstArgument(l *lowerer, c *callSite) value {
	if len(c.args) == 0 {
		return l.rejectArity(c)
	}
	return c.args[0].v
}

// stringFormat is a conversion that prints what a pointer leads to.
var stringFormat = regexp.MustCompile(`%[-+ #0-9.*]*s`)

// prints reads its arguments, and the strings that some of them lead to, of which nobody knows how long they are.
func prints(l *lowerer, c *callSite) value {
	reads := len(c.args) > 0 && !l.host && (c.name == "puts" || stringFormat.MatchString(l.text(c.args[0].n)))
	for _, a := range c.args {
		v := l.decay(l.load(a.v, a.n), a.n)
		x := l.bits(v)
		if !reads || v.t.kind != kPtr || v.t.elem.size() != 1 || x == nil || x.Type() != ir.Ptr {
			continue
		}
		if root, known := ir.Root(x); !known || root.Obj.Space == ir.Global || root.Obj.Space == ir.Shared {
			at := ptrAdd(x, convert(l.special(c, tUInt).x, ir.I64))
			l.emit(&ir.Load{Dst: l.newReg(ir.U8, ""), T: ir.U8, Ptr: at, Site: l.namedSite(a.n, nil, v.name)})
		}
	}
	return l.opaqueResult(c, tInt)
}

// swap exchanges two places.
func swap(l *lowerer, c *callSite) value {
	if len(c.args) != 2 || !c.args[0].v.isPlace() || !c.args[1].v.isPlace() {
		if len(c.args) == 2 {
			l.swapContents(c.args[0].n, c.args[1].n)
		}
		return l.rejectArity(c)
	}
	a, b := c.args[0], c.args[1]
	x, y := l.load(a.v, a.n), l.load(b.v, b.n)
	t := l.newVariable("", nil, x.t)
	l.assign(t, x, a.n)
	l.assign(a.v, l.convertTo(y, a.v.t, b.n), a.n)
	l.assign(b.v, l.load(t, a.n), b.n)
	return value{t: tVoid}
}

// exchange gives an object another value and returns the one that it had ([utility.exchange]).
func exchange(l *lowerer, c *callSite) value {
	if fn := c.n.Child("function"); fn == nil || !strings.HasPrefix(l.text(fn), "std::") && !strings.HasPrefix(l.text(fn), "cuda::std::") {
		return l.opaqueCall(c.n, "undeclared function exchange", c.args) // a header that was not found may have another
	}
	if len(c.args) != 2 || !c.args[0].v.isPlace() {
		return l.rejectArity(c)
	}
	a, b := c.args[0], c.args[1]
	old := l.newVariable("", nil, a.v.t.unqualified())
	l.assign(old, l.load(a.v, a.n), a.n)
	l.assign(a.v, l.convertTo(b.v, a.v.t, b.n), a.n)
	return l.load(old, a.n)
}
