package lower

// This file defines what an expression evaluates to while it is lowered: a scalar, a place in
// a register or in memory, a class value taken apart, or something known only at compile time.

import (
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/syntax"
)

type category uint8

const (
	vVoid     category = iota
	vRval              // a scalar: x
	vReg               // a register: reg
	vMem               // a place in memory: x is the address
	vAgg               // a class or array value: elems, one for each field or element
	vFns               // a function or a set of overloads
	vStatic            // a value that its type tells wholly: a lambda, a group (x: its mask)
	vFragment          // an element of a matrix fragment: target is the fragment's word, x the index
	vPoison            // not understood; an Unknown statement has been emitted
)

// value is the result of an expression.
type value struct {
	t      *ctype // never a reference
	cat    category
	x      ir.Expr
	reg    *ir.Reg
	elems  []value
	fns    *fnset
	target *value       // a pointer to a variable that has no address
	group  *group       // vStatic: a cooperative group
	name   string       // the variable, as people call it
	decl   *syntax.Node // the declarator of the local variable that this is part of
	reason string       // vPoison
	said   string       // vPoison of the host: by what words it was got
	field  *field       // vMem, vReg: a bit-field; vRval: what was read from one
	lvalue bool         // vAgg: elems are places
	moved  bool         // a place that was cast to T&&: what it holds may be taken
	part   bool         // a base of an object whose class is not known here
	member bool         // vMem: a struct's member, or an element of one
	whole  bool         // vMem: a variable, whose class is the one it is declared with
	init   *syntax.Node // vAgg of no type yet: an initializer list
	fixed  *ir.Const    // vMem, vReg: what a variable holds that is const, wherever its address went
	vector ir.Part      // vMem: where in a vector it lies
	link   bool         // vMem: a struct's member, or an element of one, that leads to structs which may lead to it
	stored *ir.Store    // vMem: what has just been stored there, which a read right behind it need not read again
}

// fnset is a function name with all that is known for choosing one.
type fnset struct {
	name  string
	syms  []*symbol
	args  *syntax.Node // explicit template arguments, evaluated in scope
	scope *scope
	this  *value // object of a member function
	canon []string
	rec   *record
	exact bool // named with its class, so that a virtual call is a static one
}

// closure is a lambda expression with the scope that its body sees.
type closure struct {
	node  *syntax.Node
	scope *scope
	id    int // its number among the lambdas of the unit
}

func rval(t *ctype, x ir.Expr) value { return value{t: t, cat: vRval, x: x} }

func intValue(n int64) value { return rval(tInt, constInt(ir.I32, n)) }

func (v value) isPlace() bool {
	return v.cat == vReg || v.cat == vMem || v.cat == vFragment || v.cat == vAgg && v.lvalue
}

// isBound reports whether the value is what a variable is bound to instead of registers of its
// own: a change needs those.
func (v value) isBound() bool {
	return v.decl != nil && (v.cat == vRval || v.cat == vAgg && !v.lvalue)
}

// isTemporary reports whether the value is an object of a class that has no place yet.
func (v value) isTemporary() bool {
	return v.cat == vAgg && !v.lvalue && v.decl == nil && v.t.kind == kRecord
}

func (v value) isNothing() bool { return v.cat == vVoid || v.cat == vPoison }

// place makes registers for a variable of the type.
func (l *lowerer) place(t *ctype, name string) value {
	v := value{t: t, name: name}
	switch {
	case t.isScalar():
		v.cat, v.reg = vReg, l.newReg(t.ir(), name)
	case t.kind == kRecord:
		v.cat, v.lvalue = vAgg, true
		for _, f := range t.rec.fields {
			if f.t.kind == kRef { // bound by a constructor
				v.elems = append(v.elems, value{t: f.t.elem, cat: vPoison, reason: "unbound reference"})
				continue
			}
			e := l.place(f.t, join(name, f.name))
			if f.bitWidth > 0 {
				fc := f
				e.field = &fc
			}
			v.elems = append(v.elems, e)
		}
	case t.kind == kArray:
		v.cat, v.lvalue = vAgg, true
		for i := range max(t.len, 0) {
			v.elems = append(v.elems, l.place(t.elem, name+"["+itoa(int(i))+"]"))
		}
	default:
		v.cat = vStatic
	}
	return v
}

func join(name, field string) string {
	if name == "" || field == "" {
		return name + field
	}
	return name + "." + field
}

// eachPart reports whether something holds of a value, or of all the parts that it is made of.
func (v value) eachPart(holds func(value) bool) bool {
	if v.cat != vAgg {
		return holds(v)
	}
	for _, e := range v.elems {
		if !e.eachPart(holds) {
			return false
		}
	}
	return true
}

// withDecl marks a value and its parts as belonging to a declared variable.
func (v value) withDecl(d *syntax.Node) value {
	v.decl = d
	if len(v.elems) > 0 {
		elems := make([]value, len(v.elems))
		for i := range v.elems {
			elems[i] = v.elems[i].withDecl(d)
		}
		v.elems = elems
	}
	return v
}

// regs lists the registers that a place is made of.
func (v value) regs() []*ir.Reg {
	switch v.cat {
	case vReg:
		return []*ir.Reg{v.reg}
	case vAgg:
		var out []*ir.Reg
		for _, e := range v.elems {
			out = append(out, e.regs()...)
		}
		return out
	case vRval, vFragment:
		if v.target != nil {
			return v.target.regs()
		}
	}
	return nil
}

// member is a field of a class value, given by its index.
func (l *lowerer) member(v value, i int) value {
	f := &v.t.rec.fields[i]
	switch v.cat {
	case vAgg:
		e := v.elems[i]
		if e.t != nil && (v.t.isConst || v.t.volatile) {
			e.t = e.t.qualified(v.t.isConst, v.t.volatile)
		}
		return e
	case vMem:
		if f.t.kind == kOpaque {
			return value{t: f.t, cat: vPoison, reason: "member of type " + f.t.String(), name: v.name}
		}
		m := value{t: f.t.qualified(v.t.isConst, v.t.volatile), cat: vMem, x: ptrAdd(v.x, constInt(ir.I64, f.off)), name: v.name, decl: v.decl, member: true, link: isLink(v.t.rec, f.t)}
		if f.bitWidth > 0 {
			m.field = f
		}
		if m.vector = behind(v.vector, f.off); v.t.rec.align > max(m.vector.Of, f.t.align()) {
			m.vector = ir.Part{At: f.off, Of: v.t.rec.align}
		}
		return m
	}
	return value{t: f.t, cat: vPoison, reason: v.reason}
}

// behind is a place so many bytes behind another one in a vector.
func behind(p ir.Part, bytes int64) ir.Part {
	if p.Of > 0 {
		p.At += bytes
	}
	return p
}

// partOf is what of a vector a scalar is.
func (v value) partOf() ir.Part {
	if v.vector.Of <= v.t.size() {
		return ir.Part{}
	}
	return v.vector
}

// throughRef is the place that a reference member refers to.
func (l *lowerer) throughRef(m value, n *syntax.Node) value {
	if m.t.kind != kRef || m.cat != vMem {
		return m
	}
	p := l.loadMemory(value{t: pointerTo(m.t.elem), cat: vMem, x: m.x, name: m.name, link: m.link}, n)
	return l.deref(p, n)
}

// isStaticMember reports whether a member of a class value is known only at compile time.
func isStaticMember(t *ctype, i int) bool {
	if t.kind != kRecord || i >= len(t.rec.fields) {
		return false
	}
	switch t.rec.fields[i].t.kind {
	case kRef, kGroup, kClosure, kOpaque:
		return true
	}
	return false
}

// basePart is the part of an object that one of its base classes is.
func (l *lowerer) basePart(v value, path []int) value {
	b := l.memberPath(v, path)
	b.whole = false
	b.part = b.part || len(path) > 0
	return b
}

// memberPath follows a path of field indices.
func (l *lowerer) memberPath(v value, path []int) value {
	for _, i := range path {
		v = l.member(v, i)
	}
	return v
}
