package lower

// This file lowers the warp matrix functions. Which lane holds which element of a fragment is
// not specified (CUDA C++ programming guide, Warp Matrix Functions), so a fragment is one
// opaque word: the named operations "matrix.load" and "matrix.mma" give it a new value,
// reading an element is a pure function of it and the index, writing one likewise gives the
// next value. "matrix.load" and "matrix.store" are accesses of the whole warp; their
// arguments are the pointer, the leading dimension in elements, rows, columns and the size of
// an element; of a store then the fragment.

import (
	"strings"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/syntax"
)

const (
	wmma        = "nvcuda::wmma::"
	libFragment = "fragment"
)

func matrixTable() map[string]intrinsic {
	return map[string]intrinsic{
		wmma + "load_matrix_sync":  matrixLoad,
		wmma + "store_matrix_sync": matrixStore,
		wmma + "mma_sync":          matrixMultiply,
		wmma + "bmma_sync":         matrixMultiply,
		wmma + "fill_fragment":     matrixFill,
		wmma + "__float_to_tf32":   pureCall(tFloat),
	}
}

// fragmentType is nvcuda::wmma::fragment<use, m, n, k, T, layout>.
func (l *lowerer) fragmentType(args *syntax.Node, s *scope) *ctype {
	list := l.writtenArgs(args, s)
	t := l.libRecord("wmma::fragment<"+argsKey(list)+">", libFragment, []field{{name: "state", t: tULong}})
	t.rec.args = list
	return t
}

// fragmentShape is the rows, the columns and the element of the matrix that a fragment holds.
func fragmentShape(f *ctype) (rows, cols int64, elem *ctype, ok bool) {
	if f.kind != kRecord || f.rec.lib != libFragment || len(f.rec.args) < 5 {
		return 0, 0, nil, false
	}
	a := f.rec.args
	dim := func(i int) int64 {
		if a[i].v == nil {
			return 0
		}
		n, _ := ir.IntConst(a[i].v.x)
		return n
	}
	m, n, k := dim(1), dim(2), dim(3)
	if elem = a[4].t; elem != nil && !elem.isArithmetic() {
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

// fragmentState is the place of a fragment's word.
func (l *lowerer) fragmentState(v value) (value, bool) {
	if !v.isPlace() || v.t.kind != kRecord || v.t.rec.lib != libFragment {
		return v, false
	}
	return l.member(v, 0), true
}

func matrixLoad(l *lowerer, c *callSite) value {
	if len(c.args) < 3 {
		return l.rejectArity(c)
	}
	state, ok := l.fragmentState(c.args[0].v)
	list, ok2 := l.matrixArgs(c, c.args[0].v.t, 1)
	if !ok || !ok2 {
		return l.opaqueCall(c.n, "matrix load", c.args)
	}
	l.matrixResult(c, "matrix.load", state, list)
	return value{t: tVoid}
}

// matrixResult emits an operation that gives a fragment a new value.
func (l *lowerer) matrixResult(c *callSite, op string, state value, args []ir.Expr) {
	dst := l.newReg(ir.U64, "")
	l.emit(&ir.Named{Op: op, Dst: dst, Args: args, Site: l.namedSite(c.n, c.nameNode, "")})
	l.assign(state, rval(tULong, &ir.RegRef{R: dst}), c.n)
}

func matrixStore(l *lowerer, c *callSite) value {
	if len(c.args) < 3 {
		return l.rejectArity(c)
	}
	state, ok := l.fragmentState(c.args[1].v)
	list, ok2 := l.matrixArgs(c, c.args[1].v.t, 0)
	if !ok || !ok2 {
		return l.opaqueCall(c.n, "matrix store", c.args)
	}
	list = append(list, l.load(state, c.n).x)
	l.emit(&ir.Named{Op: "matrix.store", Args: list, Site: l.namedSite(c.n, c.nameNode, "")})
	return value{t: tVoid}
}

func (l *lowerer) matrixArgs(c *callSite, f *ctype, ptr int) ([]ir.Expr, bool) {
	p := l.decay(c.value(l, ptr), c.n)
	rows, cols, elem, ok := fragmentShape(f)
	if columnMajor(l, c, f) {
		rows, cols = cols, rows
	}
	x := l.address(p, c.n)
	if x == nil || !ok {
		return nil, false
	}
	return []ir.Expr{x, c.arg(l, 2, tUInt), constInt(ir.U32, rows), constInt(ir.U32, cols), constInt(ir.U32, elem.size())}, true
}

// columnMajor reports whether the columns of a tile follow each other in memory, as the fragment's type or an argument
// says.
func columnMajor(l *lowerer, c *callSite, f *ctype) bool {
	if len(c.args) > 3 {
		return strings.HasSuffix(l.text(c.args[3].n), "mem_col_major")
	}
	return f.kind == kRecord && len(f.rec.args) > 5 && strings.HasSuffix(f.rec.args[5].String(), "col_major")
}

// matrixMultiply is mma_sync(d, a, b, c).
func matrixMultiply(l *lowerer, c *callSite) value {
	var list []ir.Expr
	for i := 1; i < len(c.args) && i < 4; i++ {
		if s, ok := l.fragmentState(c.args[i].v); ok {
			list = append(list, l.load(s, c.n).x)
		}
	}
	if len(list) != 3 {
		return l.opaqueCall(c.n, "matrix multiplication", c.args)
	}
	state, ok := l.fragmentState(c.args[0].v)
	if !ok {
		return l.opaqueCall(c.n, "matrix multiplication", c.args)
	}
	l.matrixResult(c, "matrix.mma", state, list)
	return value{t: tVoid}
}

func matrixFill(l *lowerer, c *callSite) value {
	if len(c.args) != 2 {
		return l.rejectArity(c)
	}
	state, ok := l.fragmentState(c.args[0].v)
	args, ok2 := l.pureArgs(c.args[1:])
	if !ok || !ok2 {
		return l.opaqueCall(c.n, "fill_fragment", c.args)
	}
	l.assign(state, rval(tULong, &ir.Call{Name: "matrix.fill", T: ir.U64, Args: args}), c.n)
	return value{t: tVoid}
}

// fragmentMember is f.num_elements or f.x.
func (l *lowerer) fragmentMember(f value, name string) (value, bool) {
	_, _, elem, ok := fragmentShape(f.t)
	state, ok2 := l.fragmentState(f)
	if !ok || !ok2 {
		return value{}, false
	}
	switch name {
	case "num_elements":
		return rval(tInt, &ir.Call{Name: "matrix.elements " + f.t.rec.name, T: ir.I32}), true
	case "x":
		return value{t: elem, cat: vFragment, target: &state}, true
	}
	return value{}, false
}

// loadFragment reads the element that x indexes.
func (l *lowerer) loadFragment(v value, n *syntax.Node) value {
	if v.x == nil {
		return l.unknown(n, "elements of a fragment", false)
	}
	state := l.load(*v.target, n)
	return rval(v.t.unqualified(), &ir.Call{Name: "matrix.element", T: v.t.ir(), Args: []ir.Expr{state.x, v.x}})
}

// storeFragment changes the element that x indexes.
func (l *lowerer) storeFragment(dst, src value, n *syntax.Node) {
	x := l.bits(l.load(src, n))
	if x == nil || dst.x == nil {
		l.unknown(n, "elements of a fragment", true)
		return
	}
	state := l.load(*dst.target, n)
	next := &ir.Call{Name: "matrix.insert", T: ir.U64, Args: []ir.Expr{state.x, dst.x, convert(x, dst.t.ir())}}
	l.assign(*dst.target, rval(tULong, next), n)
}
