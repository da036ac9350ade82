package lower

import (
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/syntax"
)

// This file gives the members of a class their offsets, as the Itanium C++ ABI ("Class Data Layout") and GCC's attributes have it.

// layout gives the fields their offsets. most is what #pragma pack says, 0 if it says nothing.
func (r *record) layout(most int64) {
	var end, bits int64 // where the members so far end, in bytes and in bits
	align := max(r.align, 1)
	atStart := map[*record]bool{} // the empty classes of which an object lies at offset 0
	for _, i := range r.order() {
		f := &r.fields[i]
		a := r.alignment(f, most)
		size := f.t.size()
		if f.bitWidth < 0 || int64(f.bitWidth) > size*8 || f.bitWidth > 0 && !f.t.isInt() {
			f.bitWidth, r.reason = 0, "bit-field wider than its type"
		}
		bits = roundUp(bits, max(f.apart*8, 1))
		if f.bitWidth > 0 {
			unit := a * 8
			switch {
			case most > 0:
				a = min(max(f.t.align(), f.aligned), most) // the pragma comes before the attribute
			case f.aligned == 0 && r.isPacked(f):
				unit = 1
			}
			if most == 0 && bits%unit+int64(f.bitWidth) > size*8 || f.aligned > 0 {
				bits = roundUp(bits, unit)
			}
			f.bitAt = bits
			if f.name != "" {
				align = max(align, a)
			}
			bits += int64(f.bitWidth)
			end = max(end, (bits+7)/8)
			if r.union {
				bits = 0
			}
			continue
		}
		off := roundUp((bits+7)/8, a)
		empty := f.isBase() && f.t.rec.isEmpty()
		if empty {
			off = 0
		}
		if !r.union && off == 0 && f.t.kind == kRecord && f.t.rec.startsLike(atStart) { // objects of one class have different addresses
			off = max(end, a)
		}
		f.off = off
		switch {
		case empty:
			size = 0
		case f.isBase() && f.t.rec.tail:
			size = f.t.rec.end
		}
		if off == 0 {
			f.t.starts(atStart)
		}
		align, end = max(align, a), max(end, off+size)
		if !r.union {
			bits = max(bits, (off+size)*8)
		}
	}
	if !r.union && r.apart > 0 {
		end = max(end, roundUp((bits+7)/8, r.apart))
	}
	r.end, r.align = end, align
	r.size = roundUp(max(end, 1), align)
	r.units()
}

// order lists the fields as they lie in memory: what tells an object's class comes first, with the base that it is in.
func (r *record) order() []int {
	out := make([]int, len(r.fields))
	for i := range out {
		out[i] = i
	}
	tells := func(i int) bool { f := &r.fields[i]; return f.isBase() && f.t.rec.virtual }
	if i := slices.IndexFunc(out, tells); i > 0 {
		out = slices.Insert(slices.Delete(out, i, i+1), 0, i)
	}
	return out
}

// isBase reports whether a field is a base class, and no anonymous struct or union.
func (f *field) isBase() bool { return f.base && !f.anonymous && f.t.kind == kRecord }

// isPacked reports whether attributes take a member's alignment away. Those of a class don't take it from members that are no POD.
func (r *record) isPacked(f *field) bool {
	return f.packed || r.packed && !f.isBase() && !(f.t.kind == kRecord && f.t.rec.tail)
}

func (r *record) alignment(f *field, most int64) int64 {
	a := f.t.align()
	if r.isPacked(f) {
		a = 1
	}
	if a = max(a, f.aligned); most > 0 {
		a = min(a, most)
	}
	return a
}

// starts adds the empty classes of which an object lies where an object of the type begins.
func (t *ctype) starts(at map[*record]bool) {
	elem, _ := t.innermost()
	if elem.kind != kRecord {
		return
	}
	if elem.rec.isEmpty() {
		at[elem.rec] = true
	}
	for i := range elem.rec.fields {
		if f := &elem.rec.fields[i]; f.off == 0 && f.bitWidth == 0 {
			f.t.starts(at)
		}
	}
}

// startsLike reports whether an object of the class begins with an empty one of a class that is there already.
func (r *record) startsLike(at map[*record]bool) bool {
	if len(at) == 0 {
		return false
	}
	mine := map[*record]bool{}
	recordType(r).starts(mine)
	for other := range mine {
		if at[other] {
			return true
		}
	}
	return false
}

// units says of each bit-field what is read and written to change it: the unit of its declared type that holds it, if that reaches into no other
// member. Else a smaller one, which holds all the bit-fields that stand together: they are one memory location ([intro.memory]), and
// others are none of it.
func (r *record) units() {
	for first := 0; first < len(r.fields); first++ {
		if r.fields[first].bitWidth == 0 {
			continue
		}
		next := first + 1
		for next < len(r.fields) && !r.union && r.fields[next].bitWidth > 0 && r.fields[next].apart == 0 {
			next++
		}
		from, to := int64(0), r.size
		if !r.union {
			for i := range first {
				if f := &r.fields[i]; f.bitWidth > 0 {
					from = max(from, (f.bitAt+int64(f.bitWidth)+7)/8)
				} else {
					from = max(from, f.off+f.t.size())
				}
			}
			if next < len(r.fields) {
				if to = r.fields[next].off; r.fields[next].bitWidth > 0 {
					to = r.fields[next].bitAt / 8
				}
			}
		}
		last := &r.fields[next-1]
		begin, end := r.fields[first].bitAt/8, (last.bitAt+int64(last.bitWidth)+7)/8
		var whole *ctype // a unit that holds all of them
		for _, t := range []*ctype{tULong, tUInt, tUShort, tUChar} {
			if at := begin / t.size() * t.size(); whole == nil && at >= from && at+t.size() <= min(to, r.size) && end <= at+t.size() {
				whole = t
			}
		}
		for i := first; i < next; i++ {
			f := &r.fields[i]
			f.unit = f.t
			if f.t.ir() == tBool.ir() {
				f.unit = tUChar
			}
			if f.place(); f.holds() && (whole == nil || f.off >= from && f.off+f.unit.size() <= to) {
				continue
			}
			if whole == nil {
				r.reason = "bit-field in two units"
				continue
			}
			f.unit = whole
			f.place()
		}
		first = next - 1
	}
}

// place says where the unit of a bit-field is.
func (f *field) place() {
	size := f.unit.size()
	f.off = f.bitAt / (size * 8) * size
	f.bitOff = int(f.bitAt - f.off*8)
}

// holds reports whether the unit holds all of a bit-field.
func (f *field) holds() bool { return int64(f.bitOff+f.bitWidth) <= f.unit.size()*8 }

func (r *record) isEmpty() bool {
	for i := range r.fields {
		if f := &r.fields[i]; !f.isBase() || !f.t.rec.isEmpty() {
			return false
		}
	}
	return !r.virtual && r.lib == ""
}

func roundUp(n, a int64) int64 { return (n + a - 1) / a * a }

// hasTail reports whether what derives from a class may begin in its padding: it is no POD of C++03.
func (l *lowerer) hasTail(r *record, body *syntax.Node, private bool) bool {
	if r.virtual || slices.ContainsFunc(r.fields, func(f field) bool {
		elem, _ := f.t.innermost()
		return f.isBase() || f.init != nil || f.t.kind == kRef || elem.kind == kRecord && elem.rec.tail
	}) {
		return true
	}
	for _, n := range body.Children {
		if n.Kind == "access_specifier" {
			private = l.text(n) != "public"
			continue
		}
		if n.Kind == "template_declaration" {
			n = n.Children[len(n.Children)-1]
		}
		switch d := n.Child("declarator"); {
		case d == nil || (&collector{u: l.un.u}).hasWord(n, "static"):
		case functionDeclarator(d) == nil:
			if private && n.Kind == "field_declaration" {
				return true
			}
		case l.isProvided(r, n, functionDeclarator(d)):
			return true
		}
	}
	return false
}

// isProvided reports whether a function is a constructor, a destructor or an assignment, and neither left to the compiler nor deleted.
func (l *lowerer) isProvided(r *record, n, declarator *syntax.Node) bool {
	for _, k := range n.Children {
		if k.Kind == "default_method_clause" || k.Kind == "delete_method_clause" {
			return false
		}
	}
	name, parameters, _ := strings.Cut(l.text(declarator), "(")
	switch name = strings.TrimSpace(name); name {
	case r.sym.name, "~" + r.sym.name:
		return true
	case "operator=", "operator =":
		return strings.Contains(parameters, r.sym.name)
	}
	return false
}
