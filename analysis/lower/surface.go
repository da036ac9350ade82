package lower

// This file lowers reads and writes of surfaces to the named operations "surface.read" and
// "surface.write": the surface, the coordinates as the function takes them (the first in
// bytes), and the size of the element in bytes. A read's register stands for all of the
// element; its scalars are pure functions of it.

import (
	"strings"

	"github.com/warplint/warplint/analysis/ir"
)

// surfaceDims is the number of coordinates by the dimension in a function's name.
func surfaceDims(name string) int {
	n := 0
	switch {
	case strings.Contains(name, "1D"):
		n = 1
	case strings.Contains(name, "3D"):
		n = 3
	case strings.Contains(name, "2D"):
		n = 2
	case strings.Contains(name, "Cubemap"):
		n = 3
	}
	if strings.Contains(name, "Layered") {
		n++
	}
	return n
}

// surfaceArgs reads the surface and the coordinates.
func (l *lowerer) surfaceArgs(c *callSite, args []argument) ([]ir.Expr, bool) {
	n := surfaceDims(c.name)
	if n == 0 || len(args) < n+1 {
		return nil, false
	}
	var out []ir.Expr
	if v := l.load(args[0].v, args[0].n); v.t.isScalar() {
		out = append(out, l.toScalar(v, tULLong, args[0].n))
	} else {
		out = append(out, constInt(ir.U64, 0)) // a surface reference
	}
	for _, a := range args[1 : n+1] {
		out = append(out, l.toScalar(a.v, tInt, a.n))
	}
	return out, true
}

func surfaceRead(l *lowerer, c *callSite) value {
	args := c.args
	var place value
	var t *ctype
	if len(args) > 0 && args[0].v.t.kind == kPtr { // surf2Dread(&data, surface, x, y)
		place = l.deref(c.value(l, 0), args[0].n)
		t, args = place.t, args[1:]
	} else if kids := namedChildren(c.targs); len(kids) > 0 {
		t = l.typeNode(kids[0], l.scope)
	}
	list, ok := l.surfaceArgs(c, args)
	if !ok || t == nil || t.size() == 0 {
		return l.opaqueCall(c.n, "surface read", c.args)
	}
	dst := l.newReg(ir.U64, "")
	l.emit(&ir.Named{Op: "surface.read", Dst: dst, Args: append(list, constInt(ir.U32, t.size())), Site: l.namedSite(c.n, c.nameNode, "")})
	v, ok := opaqueValue("surface.value", t, []ir.Expr{&ir.RegRef{R: dst}})
	if !ok {
		return l.opaqueCall(c.n, "surface read", c.args)
	}
	if place.isPlace() {
		l.assign(place, v, c.args[0].n)
		return value{t: tVoid}
	}
	return v
}

func surfaceWrite(l *lowerer, c *callSite) value {
	if len(c.args) == 0 {
		return l.rejectArity(c)
	}
	v := l.load(c.args[0].v, c.args[0].n)
	list, ok := l.surfaceArgs(c, c.args[1:])
	if !ok || v.t.size() == 0 {
		return l.opaqueCall(c.n, "surface write", c.args)
	}
	l.emit(&ir.Named{Op: "surface.write", Args: append(list, constInt(ir.U32, v.t.size())), Site: l.namedSite(c.n, c.nameNode, "")})
	return value{t: tVoid}
}
