package lower

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/syntax"
)

// This file says which pointers may come out of objects of the host that nobody understands, such as containers and smart
// pointers: those that went in.
//
// DESIGN. An object is known by its words, as in said.go. A pointer that it is handed, by its constructor, a method or an
// assignment, is at one place in it from then on, nobody knows at which. A place is a number: that of an index, or one for each
// way to ask in words, such as `get()`. So two different places give two pointers, unless one went in twice. Who asks gets what
// is at that place, or a pointer that nobody has seen.

// holder is an object with what went in.
type holder struct {
	object string
	owns   bool // it has memory of its own for what it is made from, as vectors do
	list   []content
}

// content is a pointer in an object.
type content struct {
	x  *ir.RegRef
	at ir.Expr // the place, nil for any
	// taken is set if the object has given it: that the same words give it again is for them to say.
	taken bool
}

// cloneHolders copies objects, for what happens to them to be forgotten.
func cloneHolders(list []*holder) []*holder {
	list = slices.Clone(list)
	for i, h := range list {
		c := *h
		c.list = slices.Clone(h.list)
		list[i] = &c
	}
	return list
}

// holderOf is the object of some words, made if it is new.
func (l *lowerer) holderOf(object string) *holder {
	for _, h := range l.holders {
		if h.object == object {
			return h
		}
	}
	h := &holder{object: object}
	l.holders = append(l.holders, h)
	return h
}

// maxContents bounds the pointers that are known of one object.
const maxContents = 8

func (h *holder) add(c content) {
	if len(h.list) < maxContents {
		h.list = append(h.list, c)
	}
}

// goesInto has an object hold the pointers that some expressions name: at a place, if that is known, or at several places.
func (l *lowerer) goesInto(object *syntax.Node, from []*syntax.Node, at ir.Expr, often bool) {
	if !l.host || object == nil || object.End-object.Start > maxSaying {
		return
	}
	for _, c := range l.pointersIn(from, at, often) {
		l.holderOf(l.saying(object)).add(c)
	}
}

// pointersIn lists the pointers that some expressions name.
func (l *lowerer) pointersIn(from []*syntax.Node, at ir.Expr, often bool) (out []content) {
	for _, n := range from {
		l.eachPointer(n, func(n *syntax.Node, x ir.Expr) {
			c := content{x: l.temp(x).(*ir.RegRef), at: at}
			if at == nil && !often && !l.eachRound(n) {
				c.at = l.unknownScalar(n, ir.I64, placeInside)
			}
			out = append(out, c)
		})
	}
	return out
}

const placeInside = "where in an object a pointer is"

// eachPointer calls f for the parts of an expression that are pointers, but for those to variables of the host.
func (l *lowerer) eachPointer(n *syntax.Node, f func(n *syntax.Node, x ir.Expr)) {
	switch n.Kind {
	case "lambda_expression":
		return
	case "call_expression":
		for _, a := range namedChildren(n.Child("arguments")) {
			l.eachPointer(a, f)
		}
		return
	case "identifier", "type_identifier", "parameter_declaration", "field_expression", "subscript_expression", "pointer_expression", "binary_expression", "cast_expression":
		var x ir.Expr
		if hasNoEffect(n) {
			l.inScratch(func() { x = l.pointerTo(n) })
		}
		if x != nil {
			f(n, l.pointerTo(n))
			return
		}
	}
	for k := range n.NamedChildren() {
		l.eachPointer(k, f)
	}
}

// hasNoEffect reports whether an expression calls and changes nothing, so that it may be evaluated once more.
func hasNoEffect(n *syntax.Node) bool {
	plain := true
	walk(n, func(k *syntax.Node) bool {
		switch k.Kind {
		case "call_expression", "assignment_expression", "update_expression", "new_expression", "lambda_expression":
			plain = false
		}
		return plain
	})
	return plain
}

// pointerTo is the address in memory of the device that an expression is, nil if it is none.
func (l *lowerer) pointerTo(n *syntax.Node) ir.Expr {
	v := l.expr(n)
	if v.cat == vPoison || v.t.kind != kPtr || v.t.elem.kind == kFunc || v.t.elem.kind == kPtr {
		return nil
	}
	v = l.load(v, n)
	x := l.bits(v)
	if x == nil || x.Type() != ir.Ptr {
		return nil
	}
	if root, ok := ir.Root(x); ok && root.Obj.Space == ir.Local {
		return nil
	}
	if _, null := x.(*ir.Const); null {
		return nil
	}
	return x
}

// eachRound reports whether an expression stands in a loop and names the same in each round.
func (l *lowerer) eachRound(n *syntax.Node) bool {
	var loop *syntax.Node
	walk(l.frame.body, func(k *syntax.Node) bool {
		within := k.Start <= n.Start && n.End <= k.End
		switch k.Kind {
		case "for_statement", "while_statement", "do_statement", "for_range_loop":
			if within {
				loop = k
			}
		}
		return within
	})
	if loop == nil {
		return false
	}
	changed := l.assignedNames(loop)
	declared := map[string]bool{}
	walk(loop, func(k *syntax.Node) bool {
		if d := k.Child("declarator"); d != nil && nameOf(d) != nil {
			declared[l.text(nameOf(d))] = true
		}
		return true
	})
	same := true
	walk(n, func(k *syntax.Node) bool {
		if k.Kind == "identifier" {
			same = same && !changed[l.text(k)] && !declared[l.text(k)]
		}
		return true
	})
	return same
}

// beginning lists the pointers that a variable is initialized with.
func (l *lowerer) beginning(init *syntax.Node) []content {
	kids := []*syntax.Node{init}
	if init.Kind == "argument_list" || init.Kind == "initializer_list" || init.Kind == "parameter_list" {
		kids = namedChildren(init)
	}
	often := false // as in vector(n, p)
	if init.Kind == "argument_list" && len(kids) > 1 {
		l.inScratch(func() { often = l.expr(kids[0]).t.isArithmetic() })
	}
	return l.pointersIn(kids, nil, often)
}

// makeLocal makes a variable by f. If nobody understands it, it holds what it is initialized with: pointers, or what another
// object does.
func (l *lowerer) makeLocal(name, init *syntax.Node, t *ctype, f func() value) {
	var list []content
	var before []ir.Stmt
	start := len(*l.out)
	if l.host && init != nil && (t.kind == kAuto || t.kind == kOpaque) {
		before = l.collectStmts(func() { list = l.beginning(init) }) // what it is handed to may change the variables
	}
	v := f()
	l.scope.add(&symbol{kind: symVar, name: l.text(name), v: &v})
	if !l.host || init == nil || v.cat != vPoison {
		return
	}
	if from := l.objectMoved(init); from != nil {
		l.takesOver(name, from)
		return
	}
	if len(list) > 0 {
		*l.out = slices.Insert(*l.out, start, before...)
	}
	h := l.holderOf(l.saying(name))
	h.owns = strings.Contains(t.String(), "vector")
	for _, c := range list {
		h.add(c)
	}
	if said := l.saying(init); v.said == "" && t.kind == kAuto && len(said) < maxSaying { // an iterator, which moves
		for _, of := range l.within(said) {
			for _, c := range of.list {
				h.add(content{x: c.x})
			}
		}
	}
}

// memberBegins has a member hold what a constructor begins it with.
func (l *lowerer) memberBegins(member string, init *syntax.Node) {
	if !l.host {
		return
	}
	if from := l.objectMoved(init); from != nil {
		l.holderOf(member).takesOver(l.holderOf(l.saying(from)))
		return
	}
	for _, c := range l.beginning(init) {
		l.holderOf(member).add(c)
	}
}

// parted evaluates what a structured binding takes apart. If nobody understands it, it holds what it is made from.
func (l *lowerer) parted(binding, init *syntax.Node) (v value) {
	var list []content
	var before []ir.Stmt
	start := len(*l.out)
	if l.host {
		before = l.collectStmts(func() { list = l.beginning(init) })
	}
	if v = l.expr(init); len(list) > 0 && v.cat == vPoison {
		*l.out = slices.Insert(*l.out, start, before...)
		l.holderOf(l.parts(binding)).list = list
	}
	return v
}

// partSaid are the words for a part of what a structured binding takes apart.
func (l *lowerer) partSaid(binding *syntax.Node, i int) string {
	if !l.host {
		return ""
	}
	return fmt.Sprintf("%s [ %d ]", l.parts(binding), i)
}

// parts names what a structured binding takes apart.
func (l *lowerer) parts(binding *syntax.Node) string {
	return fmt.Sprint("parts@", l.numberOf(binding))
}

// handsTo has an object hold what a method is given.
func (l *lowerer) handsTo(object *syntax.Node, method string, args []*syntax.Node) {
	if !l.host || object == nil {
		return
	}
	if method == "swap" && len(args) == 1 {
		l.swapContents(object, args[0])
		return
	}
	often := false // as in v.assign(n, p)
	if method == "assign" && len(args) == 2 {
		l.inScratch(func() { often = l.expr(args[0]).t.isArithmetic() })
	}
	l.goesInto(object, args, nil, often)
}

// putsAt is the assignment to a place that nobody understands.
func (l *lowerer) putsAt(left, right *syntax.Node) {
	if from := l.objectMoved(right); from != nil {
		l.takesOver(left, from)
		return
	}
	object := l.objectOf(left)
	at := l.placeAsked(stripParens(left), strings.Replace(l.saying(left), l.saying(object), "", 1))
	if at != nil {
		at = l.temp(at)
	}
	l.goesInto(object, []*syntax.Node{right}, at, false)
}

// objectOf is the object that a place is in: of the places around it, the first that is no part of another one that nobody
// understands.
func (l *lowerer) objectOf(n *syntax.Node) *syntax.Node {
	n = stripParens(n)
	in := n
	switch n.Kind {
	case "subscript_expression", "pointer_expression":
		in = n.Child("argument")
	case "call_expression":
		if fn := n.Child("function"); fn.Kind == "field_expression" {
			in = fn.Child("argument")
		}
	case "field_expression":
		l.inScratch(func() {
			if l.expr(n.Child("argument")).cat == vPoison {
				in = n.Child("argument")
			}
		})
	}
	if in == nil || in == n {
		return n
	}
	return l.objectOf(in)
}

// objectMoved is the object that an expression copies or moves, nil if it does something else.
func (l *lowerer) objectMoved(n *syntax.Node) *syntax.Node {
	n = stripParens(n)
	switch n.Kind {
	case "argument_list", "initializer_list", "parameter_list":
		if kids := namedChildren(n); len(kids) == 1 {
			return l.objectMoved(kids[0])
		}
	case "call_expression":
		if args := namedChildren(n.Child("arguments")); len(args) == 1 && l.text(n.Child("function")) == "std::move" {
			return l.objectMoved(args[0])
		}
	case "identifier", "field_expression":
		if slices.ContainsFunc(l.holders, func(h *holder) bool { return h.object == l.saying(n) }) {
			return n
		}
	}
	return nil
}

// takesOver has an object hold what another one does.
func (l *lowerer) takesOver(to, from *syntax.Node) {
	l.holderOf(l.saying(to)).takesOver(l.holderOf(l.saying(from)))
}

func (h *holder) takesOver(old *holder) {
	h.owns = old.owns
	for _, c := range old.list {
		c.taken = false
		h.add(c)
	}
}

// swapContents has two objects hold what either does.
func (l *lowerer) swapContents(a, b *syntax.Node) {
	one, two := l.objectMoved(a), l.objectMoved(b)
	if one != nil {
		l.takesOver(b, one)
	}
	if two != nil {
		l.takesOver(a, two)
	}
}

// alternative is a pointer that an object may give, and when.
type alternative struct {
	when, x ir.Expr
}

// mayGive lists the pointers known that what is said may give.
func (l *lowerer) mayGive(said string, n *syntax.Node) (out []alternative) {
	n = stripParens(n)
	maybe := func() ir.Expr { return l.unknownScalar(n, ir.Bool, "whether an object gives a pointer") }
	for _, h := range l.within(said) {
		asked := strings.Replace(said, h.object, "", 1)
		var at ir.Expr
		known := false
		for _, c := range h.list {
			if _, fixed := c.at.(*ir.Const); c.taken || h.owns && strings.HasSuffix(asked, firstElement) && !fixed {
				continue
			}
			if !known {
				at, known = l.placeAsked(n, asked), true
			}
			when := maybe()
			if at != nil && c.at != nil {
				when = binary(ir.LogAnd, when, binary(ir.Eq, at, c.at))
			}
			out = append(out, alternative{when, c.x})
		}
	}
	if n.Kind == "call_expression" && strings.HasPrefix(l.text(n.Child("function")), "std::") { // as std::max, or std::next
		l.eachPointer(n, func(n *syntax.Node, x ir.Expr) {
			x = ptrAdd(x, l.unknownScalar(n, ir.I64, "offset"))
			out = append(out, alternative{maybe(), l.temp(x)})
		})
	}
	return out
}

// within lists the objects that some words name.
func (l *lowerer) within(said string) (out []*holder) {
	for _, h := range l.holders {
		for from := 0; h.object != ""; {
			i := strings.Index(said[from:], h.object)
			if i < 0 {
				break
			}
			i, from = from+i, from+i+len(h.object)
			if (i == 0 || !isWord(said[i-1])) && (from == len(said) || !isWord(said[from])) {
				out = append(out, h)
				break
			}
		}
	}
	return out
}

func isWord(c byte) bool { return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' }

var (
	fixedIndex  = regexp.MustCompile(`^ (?:\[ (\d+) \]|\. at \( (\d+) \))$`)
	fixedKey    = regexp.MustCompile(`^ \[ "[^"]*" \]$`)
	movingPlace = regexp.MustCompile(`\[|\*|\b(at|begin|end|front|back|each)\b`)
	askedOnce   = regexp.MustCompile(`^(.*)( (?:\.|->) \w+ \( \))$`)
)

// placeAsked is the place of an object that is asked for by the words beside its own, nil if it may be any.
func (l *lowerer) placeAsked(n *syntax.Node, asked string) ir.Expr {
	if m := fixedIndex.FindStringSubmatch(asked); m != nil {
		if i, err := strconv.ParseInt(m[1]+m[2], 10, 64); err == nil {
			return constInt(ir.I64, i)
		}
	}
	if n.Kind == "subscript_expression" && strings.HasPrefix(asked, " [") {
		if kids := namedChildren(n.Child("indices")); len(kids) == 1 {
			if v := l.rval(kids[0]); v.cat == vRval && v.t.isArithmetic() && !v.t.isFloat() {
				return convert(v.x, ir.I64)
			}
		}
	}
	if movingPlace.MatchString(asked) && !fixedKey.MatchString(asked) {
		return nil
	}
	return l.placeOfWords(asked)
}

// placeOfWords is the place that is asked for by words: none that an index has.
func (l *lowerer) placeOfWords(asked string) ir.Expr {
	return constInt(ir.I64, -1-int64(l.numberOf("asked"+asked)))
}

// gives notes that an object has given a pointer: who moves the object has it, too.
func (l *lowerer) gives(said string, x *ir.RegRef) {
	m := askedOnce.FindStringSubmatch(said)
	if m == nil {
		return
	}
	h, at := l.holderOf(m[1]), l.placeOfWords(m[2])
	if !slices.ContainsFunc(h.list, func(c content) bool { return c.taken && ir.ExprString(c.at) == ir.ExprString(at) }) {
		h.add(content{x, at, true})
	}
}

// maybeKnown is a pointer that is another one each time that somebody asks, if it may be one of those that went into what it is
// asked of; nil if not.
func (l *lowerer) maybeKnown(v value, n *syntax.Node) ir.Expr {
	if n == nil || n.End-n.Start > maxSaying || v.cat != vPoison {
		return nil
	}
	list := l.mayGive(l.saying(n), n)
	if len(list) == 0 {
		return nil
	}
	return l.oneOf(v, list, n)
}
