package lower

// This file lowers the device-side libraries that samples use: cuRAND's generators, whose
// state is read and written, and the warp matrix functions, whose fragments are opaque.

import (
	"strings"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/syntax"
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
		return l.opaqueCall(c.n, "call of "+c.name+" with unusual arguments", c.args)
	}
	args, ok := l.pureArgs(c.args[:last])
	if !ok {
		return l.opaqueCall(c.n, "call of "+c.name+" with unusual arguments", c.args)
	}
	l.scramble(c, state, c.name, args)
	return value{t: tVoid}
}

func randomSkip(l *lowerer, c *callSite) value {
	return randomInit(l, c)
}

// randomDraw reads the state, gives a number that depends on it, and writes the next state.
func randomDraw(t *ctype) intrinsic {
	return func(l *lowerer, c *callSite) value {
		state, ok := l.stateArg(c, 0)
		if !ok {
			return l.opaqueCall(c.n, "call of "+c.name+" with unusual arguments", c.args)
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
			return l.opaqueCall(c.n, "call of "+c.name+" with unusual arguments", c.args)
		}
		return v
	}
}

const wmma = "nvcuda::wmma::"

func matrixTable() map[string]intrinsic {
	return map[string]intrinsic{
		wmma + "load_matrix_sync":  matrixLoad,
		wmma + "store_matrix_sync": matrixStore,
		wmma + "mma_sync":          matrixNothing,
		wmma + "bmma_sync":         matrixNothing,
		wmma + "fill_fragment":     matrixNothing,
		wmma + "__float_to_tf32":   pureCall(tFloat),
	}
}

// fragmentType is nvcuda::wmma::fragment<use, m, n, k, T, layout>.
func (l *lowerer) fragmentType(args *syntax.Node, s *scope) *ctype {
	list := l.writtenArgs(args, s)
	t := l.libRecord("wmma::fragment<"+argsKey(list)+">", "fragment", nil)
	t.rec.args = list
	return t
}

func matrixNothing(l *lowerer, c *callSite) value { return value{t: tVoid} }

// fragmentShape is the rows, the columns and the element of the matrix that a fragment holds.
func (l *lowerer) fragmentShape(f *ctype) (rows, cols int64, elem *ctype, ok bool) {
	if f.kind != kRecord || f.rec.lib != "fragment" || len(f.rec.args) < 5 {
		return 0, 0, nil, false
	}
	a := f.rec.args
	dim := func(i int) int64 {
		if a[i].v != nil {
			n, _ := intConst(a[i].v.x)
			return n
		}
		return 0
	}
	m, n, k := dim(1), dim(2), dim(3)
	elem = a[4].t
	if elem != nil && elem.kind == kRecord || elem != nil && elem.kind == kOpaque {
		elem = nil
		if strings.Contains(a[4].String(), "tf32") {
			elem = tFloat
		}
	}
	switch use := a[0].String(); {
	case strings.Contains(use, "matrix_a"):
		rows, cols = m, k
	case strings.Contains(use, "matrix_b"):
		rows, cols = k, n
	case strings.Contains(use, "accumulator"):
		rows, cols = m, n
	}
	return rows, cols, elem, rows > 0 && cols > 0 && elem != nil
}

// matrixLoad reads a tile of a matrix. Which lane reads which element is not specified (CUDA
// programming guide, Warp Matrix Functions): the accesses are the whole warp's, as a named
// operation: pointer, leading dimension in elements, rows, columns, element size.
func matrixLoad(l *lowerer, c *callSite) value { return l.matrixAccess(c, "matrix.load", 0, 1) }

func matrixStore(l *lowerer, c *callSite) value { return l.matrixAccess(c, "matrix.store", 1, 0) }

func (l *lowerer) matrixAccess(c *callSite, op string, frag, ptr int) value {
	if len(c.args) < 3 {
		return l.rejectArity(c)
	}
	f := c.args[frag].v
	p := l.decay(c.value(l, ptr), c.n)
	rows, cols, elem, ok := l.fragmentShape(f.t)
	x := l.bits(p, c.n)
	if x == nil || !ok {
		return l.opaqueCall(c.n, strings.ReplaceAll(op, ".", " "), c.args)
	}
	args := []ir.Expr{convert(x, ir.Ptr), c.arg(l, 2, tUInt), constInt(ir.U32, rows), constInt(ir.U32, cols), constInt(ir.U32, elem.size())}
	l.emit(&ir.Named{Op: op, Args: args, Site: l.namedSite(c.n, c.nameNode, p.name)})
	return value{t: tVoid}
}
