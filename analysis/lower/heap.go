package lower

// This file lowers new, delete, and the device's malloc and free.

import (
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/syntax"
)

// newExpr lowers `new T(args)`, `new T[n]` and the placement forms. The memory of the heap is the
// result of a named operation; placement new constructs where it is told to.
func (l *lowerer) newExpr(n *syntax.Node) value {
	if n.Child("type") == nil {
		return l.unknown(n, "syntax error", true)
	}
	t := l.newType(n.Child("type"))
	args := n.Child("arguments")
	var count ir.Expr
	if d := n.Child("declarator"); d != nil {
		if d.Child("length") == nil {
			return l.unknownOf(n, pointerTo(t), "new", true)
		}
		for in := innerDeclarator(d); in != nil && in.Child("length") != nil; in = innerDeclarator(in) {
			size, ok := l.constInt(in.Child("length"), l.scope)
			if !ok {
				return l.unknownOf(n, pointerTo(t), "new", true)
			}
			t = arrayOf(t, size)
		}
		count = l.scalar(d.Child("length"), tULong)
	}
	if l.host && count == nil && n.Child("placement") == nil && t.kind == kRecord && l.unlaid(t.rec) == "" && t.rec.lib == "" && t.size() < maxSize {
		return l.hostObject(t, args, n)
	}
	if l.host || t.size() == 0 || t.kind == kRecord && (l.unlaid(t.rec) != "" || t.rec.lib != "") {
		if args != nil {
			l.arguments(args)
		}
		if placement := n.Child("placement"); placement != nil {
			for _, at := range l.arguments(placement) {
				if regs := l.reachable([]value{l.load(l.decay(at.v, at.n), at.n)}); len(regs) > 0 {
					l.unknown(n, "placement new", false, regs...)
				}
			}
		}
		return l.unknownOf(n, pointerTo(t), "new", !t.isScalar() || n.Child("placement") != nil) // no constructor runs
	}
	var p ir.Expr
	if placement := n.Child("placement"); placement != nil {
		at := l.arguments(placement)
		if len(at) == 1 {
			p = l.address(l.load(at[0].v, at[0].n), at[0].n)
		}
		if p == nil {
			return l.unknownOf(n, pointerTo(t), "placement new", true)
		}
	} else {
		var bytes ir.Expr = constInt(ir.U64, t.size())
		if count != nil {
			bytes = binary(ir.Mul, count, bytes)
		}
		p = l.heapNew(n, bytes)
	}
	obj := value{t: t, cat: vMem, x: p, whole: true}
	switch {
	case count != nil:
		elem, _ := t.innermost()
		if args != nil && len(namedChildren(args)) > 0 || elem.kind == kRecord && l.constructs(elem) {
			return l.unknownOf(n, pointerTo(t), "new of an array of objects", true)
		}
	case t.kind == kRecord:
		l.constructAt(obj, args, n)
	case args != nil:
		l.assign(obj, l.construct(t, argumentList(args), bracedList(args), n), n)
	}
	return value{t: pointerTo(t), cat: vRval, x: p}
}

// hostObject is an object that the host makes.
func (l *lowerer) hostObject(t *ctype, args, n *syntax.Node) value {
	at := l.roomFor(t, n)
	l.constructAt(value{t: t, cat: vMem, x: at, whole: true}, args, n)
	return value{t: pointerTo(t), cat: vRval, x: at}
}

// roomFor is memory for an object that the host makes: made once, it is as good as a variable that nobody else names.
func (l *lowerer) roomFor(t *ctype, n *syntax.Node) ir.Expr {
	if l.looping == 0 {
		return &ir.ObjAddr{Obj: l.newObject("object of type "+t.String(), ir.Local, t)}
	}
	dst := l.newReg(ir.Ptr, "")
	l.emit(&ir.Alloc{Dst: dst, Bytes: constInt(ir.U64, t.size()), Site: l.site(n, "")})
	return &ir.RegRef{R: dst}
}

// newType is the type behind new, whose node reaches over the stars of `new T *[n]`.
func (l *lowerer) newType(n *syntax.Node) *ctype {
	base, stars := *n, 0
	for text := l.text(&base); base.End > base.Start+1; text = l.text(&base) {
		if last := text[len(text)-1]; last == '*' {
			stars++
		} else if last != ' ' {
			break
		}
		base.End--
	}
	t := l.typeNode(&base, l.scope)
	for range stars {
		t = pointerTo(t)
	}
	return t
}

// heapNew asks the device's heap for memory.
func (l *lowerer) heapNew(n *syntax.Node, bytes ir.Expr) ir.Expr {
	r := l.newReg(ir.Ptr, "")
	l.emit(&ir.Named{Op: "heap.new", Dst: r, Args: []ir.Expr{bytes}, Site: l.site(n, "")})
	return &ir.RegRef{R: r}
}

func argumentList(args *syntax.Node) *syntax.Node {
	if args.Kind == "initializer_list" {
		return nil
	}
	return args
}

func bracedList(args *syntax.Node) *syntax.Node {
	if args.Kind == "initializer_list" {
		return args
	}
	return nil
}

// constructs reports whether a class has a constructor that does something, or members with
// initial values.
func (l *lowerer) constructs(t *ctype) bool {
	if len(t.rec.ctors) > 0 || t.rec.virtual {
		return true
	}
	for _, f := range t.rec.fields {
		if elem, _ := f.t.innermost(); f.init != nil || elem.kind == kRecord && l.constructs(elem) {
			return true
		}
	}
	return false
}

// constructAt makes an object in memory.
func (l *lowerer) constructAt(obj value, args, n *syntax.Node) {
	t := obj.t
	if len(t.rec.ctors) > 0 {
		var list []argument
		if args != nil {
			list = l.constructorArguments(t, args)
		}
		if !l.initialize(obj, t, list, n) {
			l.unknown(n, "constructor of "+t.String(), true, l.reachable(values(list))...)
		}
		return
	}
	if args == nil {
		if t.rec.sym != nil && !t.rec.union {
			l.fieldInits(obj, t.rec, nil, n)
		}
		return
	}
	l.assign(obj, l.construct(t, argumentList(args), bracedList(args), n), n)
}

// deleteExpr lowers delete and delete[]: the destructor, then the heap gets the memory back.
func (l *lowerer) deleteExpr(n *syntax.Node) value {
	kids := namedChildren(n)
	if len(kids) == 0 {
		return l.unknown(n, "syntax error", true)
	}
	p := l.decay(l.rval(kids[len(kids)-1]), n)
	if p.t.kind != kPtr || l.host && p.t.elem.kind != kRecord && !p.t.elem.isScalar() {
		return l.unknown(n, "delete", true)
	}
	x := l.address(p, n)
	if x == nil {
		return l.unknown(n, "delete", true)
	}
	_, object := x.(*ir.ObjAddr) // see hostObject
	if !object {
		x = l.temp(x)
	}
	p.x, p.target = x, nil
	if t := p.t.elem; t.kind == kRecord && (l.needsCleanup(t) || l.virtualDestructor(t.rec)) {
		array := false
		for _, k := range n.Children {
			array = array || k.Kind == "["
		}
		if array || l.unlaid(t.rec) != "" {
			return l.unknown(n, "delete of objects", true)
		}
		body := l.collectStmts(func() { l.destroyThrough(l.deref(p, n), n) })
		if object {
			*l.out = append(*l.out, body...)
		} else {
			l.emit(&ir.If{Cond: binary(ir.Ne, x, zero(ir.Ptr)), Then: body, Site: l.site(n, "")})
		}
	}
	if !l.host {
		l.emit(&ir.Named{Op: "heap.delete", Args: []ir.Expr{x}, Site: l.site(n, p.name)})
	}
	return value{t: tVoid}
}

// virtualDestructor reports whether the class of an object says which destructor runs.
func (l *lowerer) virtualDestructor(rec *record) bool {
	if !rec.virtual || rec.scope == nil {
		return false
	}
	if rec.sym != nil && l.isVirtual(rec, "~"+rec.sym.name) {
		return true
	}
	for _, f := range rec.fields {
		if f.base && f.t.kind == kRecord && l.virtualDestructor(f.t.rec) {
			return true
		}
	}
	return false
}

// destroyThrough destroys the object that a pointer points to.
func (l *lowerer) destroyThrough(obj value, n *syntax.Node) {
	path := obj.t.rec.findField(classWord)
	if !l.virtualDestructor(obj.t.rec) || path == nil {
		l.destroy(obj, n)
		return
	}
	word := l.load(l.memberPath(obj, path), n).x
	var branches []branch
	for _, rec := range append([]*record{obj.t.rec}, l.derivedFrom(obj.t.rec)...) {
		if l.needsCleanup(recordType(rec)) {
			branches = append(branches, branch{binary(ir.Eq, word, classIdentity(rec).x), func() value {
				p := value{t: pointerTo(obj.t), cat: vRval, x: obj.x, name: obj.name}
				l.destroy(l.deref(l.pointerCast(p, pointerTo(recordType(rec)), n), n), n)
				return value{t: tVoid}
			}})
		}
	}
	if len(branches) > maxBranches {
		l.unknown(n, "virtual destructor", true)
		return
	}
	// Objects of other classes have nothing to destroy.
	branches = append(branches, branch{constBool(true), func() value { return value{t: tVoid} }})
	l.dispatch(n, tVoid, branches, true, "virtual destructor")
}

// heapFree is free; on the host it changes nothing that lowering follows.
func heapFree(l *lowerer, c *callSite) value {
	if l.host {
		return harmless(l, c)
	}
	if len(c.args) != 1 {
		return l.rejectArity(c)
	}
	p := c.value(l, 0)
	x := l.address(p, c.n)
	if x == nil {
		return l.opaqueCall(c.n, "free with unusual arguments", c.args)
	}
	l.emit(&ir.Named{Op: "heap.delete", Args: []ir.Expr{x}, Site: l.namedSite(c.n, c.nameNode, p.name)})
	return value{t: tVoid}
}
