package lower

import (
	"fmt"
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/syntax"
)

// This file says which pointers of the host may be the same although nobody understands where they come from.
//
// DESIGN. Pointers that are not known are taken not to overlap, as those of a caller are. But `p.get()` is mostly the same
// pointer when it is asked for again, whatever p is. So a value that was not understood keeps what was said to get it, in words
// that name each variable by what it stands for: a reference by what it refers to, a copy by what it is a copy of. Who says
// the same again gets the same pointer or another one, nobody knows which; among the arguments of one launch it is the same.

// alike has two arguments of one call that are written alike and that nobody understands, such as `p.get(), p.get()`, be
// one pointer, and `p.get() + n` lead into what it points to. Nobody makes something new twice among the arguments of a launch.
func (l *lowerer) alike(pointers map[string]value, a argument, t *ctype, launch bool) argument {
	if !l.host || t.kind != kPtr || a.n == nil || a.v.cat != vPoison && !l.notUnderstood(a.v.x) {
		return a
	}
	var offset *syntax.Node
	base := stripParens(a.n)
	if base.Kind == "binary_expression" && l.text(base.Child("operator")) == "+" {
		base, offset = stripParens(base.Child("left")), base.Child("right")
	}
	if !l.repeats(base, launch) {
		if x := l.maybeKnown(a.v, base); x != nil {
			a.v = rval(t, x)
		}
		return a
	}
	text, said := "written "+l.words(base), l.saying(base)
	v, ok := pointers[text]
	if !ok {
		before := l.given[said]
		if earlier, asked := pointers[said]; asked {
			before = earlier.x
		}
		v = rval(t, l.repeated(a.v, said, before, base))
		pointers[text], pointers[said] = v, v
	}
	v.t = t
	if offset != nil {
		v = l.pointerAdd(v, l.scalar(offset, tLong), a.n)
	}
	return argument{v, a.n}
}

// maybeRepeated has a pointer of the host that nobody understands be the one that the same words have given before, or
// another one, as of `a = p.get(); b = p.get();`.
func (l *lowerer) maybeRepeated(v value, t *ctype, n *syntax.Node) (again value, ok bool) {
	if !l.host || t == nil || t.kind != kPtr || v.cat != vPoison && (v.x == nil || !l.notUnderstood(v.x)) {
		return v, false
	}
	said := v.said
	if v.cat != vPoison {
		said = l.sayingAgain(n)
	}
	if said == "" {
		if x := l.maybeKnown(v, n); x != nil {
			return rval(t.unqualified(), x), true
		}
		return v, false
	}
	x := l.repeated(v, said, l.given[said], n)
	if l.given == nil {
		l.given = map[string]ir.Expr{}
	}
	l.given[said] = x
	return rval(t.unqualified(), x), true
}

// saidAgain notes that what nobody understands is assigned: a variable stands for what the other side stands for, and
// who says the words of another place may get the pointer.
func (l *lowerer) saidAgain(left *syntax.Node, v value, right *syntax.Node) {
	said := l.sayingAgain(left)
	if left = stripParens(left); left.Kind == "identifier" {
		for s := l.scope; s != nil; s = s.parent {
			if list := s.own(l.text(left)); len(list) > 0 {
				if at := list[0].v; at != nil && at.cat == vPoison && v.cat == vPoison && v.said != "" {
					at.said = v.said
				}
				return
			}
		}
		return
	}
	x := v.x
	if again, ok := l.maybeRepeated(v, pointerTo(tVoid), right); ok {
		x = again.x
	}
	if said == "" || x == nil || x.Type() != ir.Ptr {
		return
	}
	if l.given == nil {
		l.given = map[string]ir.Expr{}
	}
	if ref, ok := x.(*ir.RegRef); !ok || l.either[ref.R] == nil {
		x = l.temp(x)
	}
	l.given[said] = x
}

// repeated is a pointer that nobody understands: the one that the same words have given before, if any, one that went into
// what they name, or another one.
func (l *lowerer) repeated(v value, said string, before ir.Expr, n *syntax.Node) ir.Expr {
	list := l.mayGive(said, n)
	if before != nil {
		list = append(list, alternative{l.unknownScalar(n, ir.Bool, "whether pointers are the same"), before})
	}
	x := l.oneOf(v, list, n)
	l.gives(said, x)
	return x
}

// oneOf is a pointer that nobody understands: one of some, or another one.
func (l *lowerer) oneOf(v value, list []alternative, n *syntax.Node) *ir.RegRef {
	x := l.unknownScalar(n, ir.Ptr, reasonOf(v)).(*ir.RegRef)
	if l.either == nil {
		l.either = map[*ir.Reg][]*ir.RegRef{}
	}
	all, out := []*ir.RegRef{x}, ir.Expr(x)
	l.either[x.R] = all
	for _, a := range list {
		known, _ := a.x.(*ir.RegRef)
		all, out = append(all, known), selectExpr(a.when, a.x, out)
	}
	if len(list) > 0 {
		x = l.temp(out).(*ir.RegRef)
		l.either[x.R] = all
	}
	return x
}

// onItsOwn has a pointer of a launch that no other one of its arguments may be the same as be one of its own: what other
// launches got does not matter.
func (l *lowerer) onItsOwn(args []ir.Expr) {
	may := make([]map[*ir.Reg]bool, len(args))
	for i, x := range args {
		may[i] = map[*ir.Reg]bool{}
		if x.Type() == ir.Ptr {
			l.mayBe(x, may[i])
			may[i][nil] = may[i][nil] || len(ir.Registers(x)) == 0
		}
	}
	for i, x := range args {
		ref, ok := x.(*ir.RegRef)
		if !ok || len(l.either[ref.R]) < 2 {
			continue
		}
		shared := false
		for j := range args {
			shared = shared || j != i && may[j][nil]
			for r := range may[j] {
				shared = shared || j != i && may[i][r]
			}
		}
		if !shared {
			args[i] = l.either[ref.R][0]
		}
	}
}

// mayBe adds the registers whose pointer an expression may be, or lead on from; nil stands for all that are not of ours.
func (l *lowerer) mayBe(x ir.Expr, into map[*ir.Reg]bool) {
	for _, r := range ir.Registers(x) {
		of := l.either[r]
		into[nil] = into[nil] || len(of) == 0
		for i, o := range of {
			switch {
			case o == nil:
				into[nil] = true
			case i == 0: // by itself
				into[o.R] = true
			default:
				l.mayBe(o, into)
			}
		}
	}
}

// sayingAgain is what an expression says if it names the same thing when it is written twice, else nothing.
func (l *lowerer) sayingAgain(n *syntax.Node) string {
	if n == nil || n.End-n.Start > maxSaying || !l.repeats(stripParens(n), false) {
		return ""
	}
	return l.saying(n)
}

// maxSaying bounds the text of an expression whose words are kept.
const maxSaying = 200

// saying is what an expression says, with each variable by what it stands for.
func (l *lowerer) saying(n *syntax.Node) string {
	n = stripParens(n)
	if n.Kind == "identifier" {
		return l.standsFor(l.text(n))
	}
	if of := l.firstOf(n); of != "" {
		return of
	}
	if of := l.memberSaid(n); of != "" {
		return of
	}
	var words []string
	for _, c := range n.Children {
		words = append(words, l.saying(c))
	}
	if len(words) == 0 {
		return l.text(n)
	}
	return strings.Join(words, " ")
}

// memberSaid names a member of an object whose place is known, as its methods name it; nothing for other expressions.
func (l *lowerer) memberSaid(n *syntax.Node) string {
	if n.Kind != "field_expression" || n.Child("field") == nil {
		return ""
	}
	var object *value
	switch in, arrow := stripParens(n.Child("argument")), l.text(n.Child("operator")) == "->"; {
	case in.Kind == "this" && arrow:
		object = l.thisValue()
	case (in.Kind == "identifier" || in.Kind == "field_expression") && !arrow && l.isNamed(in):
		l.inScratch(func() {
			v := l.expr(in)
			object = &v
		})
	}
	name := l.text(n.Child("field"))
	if object == nil || !object.isPlace() || object.t.kind != kRecord || object.t.rec.findField(name) == nil {
		return ""
	}
	return memberOf(name, l.placeOf(*object))
}

// memberOf is what a member is called of an object at a place.
func memberOf(name, place string) string { return name + " of " + place }

// isNamed reports whether an expression is a variable, or a member of a member of one.
func (l *lowerer) isNamed(n *syntax.Node) bool {
	n = stripParens(n)
	return n.Kind == "identifier" || n.Kind == "field_expression" && l.text(n.Child("operator")) == "." && l.isNamed(n.Child("argument"))
}

// firstElement are the words that ask a container for its memory.
const firstElement = " . data ( )"

// firstOf is what an expression says that is the address of a container's first element, in whatever way it is asked for; nothing
// for others.
func (l *lowerer) firstOf(n *syntax.Node) string {
	switch n.Kind {
	case "pointer_expression":
		at := stripParens(n.Child("argument"))
		if at == nil || l.text(n.Child("operator")) != "&" {
			return ""
		}
		if at.Kind == "subscript_expression" && strings.Trim(l.words(at.Child("indices")), "[ ]") == "0" {
			return l.saying(at.Child("argument")) + firstElement
		}
		if at.Kind == "pointer_expression" && l.text(at.Child("operator")) == "*" {
			at = stripParens(at.Child("argument")) // &*v.begin()
		}
		if of := l.methodOf(at, "front", "begin"); of != nil {
			return l.saying(of) + firstElement
		}
	case "call_expression":
		fn, args := n.Child("function"), namedChildren(n.Child("arguments"))
		if len(args) == 1 && strings.HasSuffix(l.text(fn), "raw_pointer_cast") {
			return l.saying(args[0])
		}
		if of := l.methodOf(n, "get"); of != nil && l.methodOf(stripParens(of), "data") != nil {
			return l.saying(of) // of a pointer of Thrust
		}
	}
	return ""
}

// methodOf is the object that a method without arguments is called of, nil if it is none of these.
func (l *lowerer) methodOf(n *syntax.Node, names ...string) *syntax.Node {
	if n == nil || n.Kind != "call_expression" || len(namedChildren(n.Child("arguments"))) > 0 {
		return nil
	}
	fn := n.Child("function")
	if fn.Kind != "field_expression" || l.text(fn.Child("operator")) != "." || !slices.Contains(names, l.text(fn.Child("field"))) {
		return nil
	}
	return fn.Child("argument")
}

// standsFor names a variable by what it stands for.
func (l *lowerer) standsFor(name string) string {
	for s := l.scope; s != nil; s = s.parent {
		for _, sym := range s.own(name) {
			switch {
			case sym.v == nil:
				return name
			case sym.v.cat == vPoison && sym.v.said != "":
				return sym.v.said
			}
			if at := l.placeOf(*sym.v); at != "" {
				return at
			}
			return fmt.Sprint(name, "@", l.numberOf(sym))
		}
		if s.this != nil && (s.this.t.kind != kRecord || s.this.t.rec.findField(name) != nil) {
			return memberOf(name, l.placeOf(*s.this))
		}
	}
	return name
}

// calls reports whether an expression is a call of something.
func calls(n *syntax.Node) bool {
	n = stripParens(n)
	return n != nil && n.Kind == "call_expression"
}

// numberOf tells variables and registers apart that have one name.
func (l *lowerer) numberOf(what any) int {
	if l.numbers == nil {
		l.numbers = map[any]int{}
	}
	if _, ok := l.numbers[what]; !ok {
		l.numbers[what] = len(l.numbers)
	}
	return l.numbers[what]
}

// placeOf tells places apart, by text.
func (l *lowerer) placeOf(v value) string {
	switch {
	case v.cat == vPoison:
		return v.said
	case v.cat == vAgg && len(v.elems) > 0:
		return l.placeOf(v.elems[0])
	case v.reg != nil:
		return fmt.Sprint("register ", l.numberOf(v.reg))
	case v.x == nil:
		return ""
	}
	at := ir.ExprString(v.x)
	for _, r := range ir.Registers(v.x) {
		at += fmt.Sprint(" ", l.numberOf(r))
	}
	return at
}

// notUnderstood reports whether a value is what a statement gave that was not understood, or an offset from it.
func (l *lowerer) notUnderstood(x ir.Expr) bool {
	ref, ok := ir.Start(x).(*ir.RegRef)
	return ok && slices.ContainsFunc(*l.out, func(s ir.Stmt) bool {
		u, ok := s.(*ir.Unknown)
		return ok && slices.Contains(u.Dst, ref.R)
	})
}

// repeats reports whether an expression names the same thing when it is written twice. A call may give something new
// each time, unless that is ruled out; a function that is asked for something without arguments, and Thrust's cast, do not.
func (l *lowerer) repeats(n *syntax.Node, calls bool) bool {
	if n.Kind == "call_expression" && !calls {
		fn, args := n.Child("function"), namedChildren(n.Child("arguments"))
		switch {
		case fn.Kind == "field_expression" && len(args) == 0:
			return l.repeats(fn.Child("argument"), false)
		case (fn.Kind == "identifier" || fn.Kind == "qualified_identifier") && len(args) == 0:
			return true
		case len(args) == 1 && strings.HasSuffix(l.text(fn), "raw_pointer_cast"):
			return l.repeats(args[0], false)
		}
		return false
	}
	switch n.Kind {
	case "assignment_expression", "update_expression", "new_expression", "lambda_expression":
		return false
	}
	for c := range n.NamedChildren() {
		if !l.repeats(c, calls) {
			return false
		}
	}
	return true
}
