package lower

// This file lowers cuRAND's device-side generators: their state is read and written, their
// numbers are pure functions of it.

import (
	"github.com/warplint/warplint/analysis/ir"
)

func randomTable() map[string]intrinsic {
	m := map[string]intrinsic{"curand_init": randomInit, "skipahead": randomSkip, "skipahead_sequence": randomSkip}
	results := map[string]*ctype{
		"": tUInt, "_uniform": tFloat, "_normal": tFloat, "_log_normal": tFloat, "_uniform_double": tDouble, "_normal_double": tDouble, "_log_normal_double": tDouble, "_poisson": tUInt,
		"2": vectorTypes["uint2"], "4": vectorTypes["uint4"], "_uniform4": vectorTypes["float4"], "_normal4": vectorTypes["float4"], "_normal2": vectorTypes["float2"], "_uniform2_double": vectorTypes["double2"], "_normal2_double": vectorTypes["double2"],
	}
	for name, t := range results {
		m["curand"+name] = randomDraw(t)
	}
	return m
}

// stateArg is the generator's state that a pointer argument points to.
func (l *lowerer) stateArg(c *callSite, i int) (value, bool) {
	if i >= len(c.args) {
		return value{}, false
	}
	state := l.deref(c.value(l, i), c.args[i].n)
	return state, state.isPlace() && state.t.kind == kRecord && state.t.rec.lib == libPlain
}

// scramble replaces a state by pure functions of it and the arguments.
func (l *lowerer) scramble(c *callSite, state value, name string, args []ir.Expr) {
	t := state.t.rec.fields[0].t
	words := l.member(state, 0)
	for i := range t.len {
		x := &ir.Call{Name: name + "." + itoa(int(i)), T: ir.U32, Args: args}
		l.assign(l.element(words, i), rval(tUInt, x), c.n)
	}
}

func randomInit(l *lowerer, c *callSite) value {
	last := len(c.args) - 1
	state, ok := l.stateArg(c, last)
	if !ok {
		return l.rejectArity(c)
	}
	args, ok := l.pureArgs(l.wholeArrays(c.args[:last]))
	if !ok {
		return l.rejectArity(c)
	}
	l.scramble(c, state, c.name, args)
	return value{t: tVoid}
}

// wholeArrays reads the arrays among arguments, such as direction vectors.
func (l *lowerer) wholeArrays(args []argument) []argument {
	out := append([]argument{}, args...)
	for i, a := range out {
		if a.v.t.kind == kArray && a.v.t.len > 0 && a.v.t.len <= 64 {
			out[i].v = l.loadWhole(a.v, a.n)
		}
	}
	return out
}

func randomSkip(l *lowerer, c *callSite) value {
	return randomInit(l, c)
}

// randomDraw reads the state, gives a number that depends on it, and writes the next state.
func randomDraw(t *ctype) intrinsic {
	return func(l *lowerer, c *callSite) value {
		state, ok := l.stateArg(c, 0)
		if !ok {
			return l.rejectArity(c)
		}
		words := l.member(state, 0)
		var args []ir.Expr
		for i := range words.t.len {
			v := l.load(l.element(words, i), c.n)
			args = append(args, l.temp(v.x))
		}
		l.scramble(c, state, "curand.next", args)
		rest, ok := l.pureArgs(c.args[1:])
		v, ok2 := opaqueValue(c.name, t, append(args[:len(args):len(args)], rest...))
		if !ok || !ok2 {
			return l.rejectArity(c)
		}
		return v
	}
}
