package z3

import (
	"fmt"
	"math"
	"math/bits"
	"strings"

	"github.com/warplint/warplint/analysis/term"
)

// This file writes conditions as SMT-LIB 2.6 text over bit-vectors. All numbers of a query have one
// width, enough for the largest that any of its terms can be, so none overflows. Package bits gives
// each number its own width and writes gates; that the two agree is worth something because they share
// no code.

// maxWidth bounds the width of a query: Z3 does not get far with more.
const maxWidth = 192

// writer writes a query in two runs: the first finds the width, the second writes.
type writer struct {
	axioms func(*term.Atom) []*term.Cond
	width  int // of all numbers
	out    *strings.Builder
	// In the first run, widths has the bits besides the sign that an atom may need.
	widths  map[*term.Atom]int
	written map[*term.Atom]bool
	todo    []*term.Cond
	funcs   map[string]bool
}

// Query writes a query that asks whether conditions can hold together with the axioms of their atoms,
// which may be nil. It returns "" for a query with larger numbers than are worth a try.
func Query(conds []*term.Cond, axioms func(*term.Atom) []*term.Cond) string {
	w := &writer{axioms: axioms, out: &strings.Builder{}, widths: map[*term.Atom]int{}, written: map[*term.Atom]bool{}, funcs: map[string]bool{}}
	w.width = 1 + w.measure(conds)
	if w.width > maxWidth {
		return ""
	}
	w.line("(set-logic ALL)")
	w.todo = append(w.todo, conds...)
	for len(w.todo) > 0 {
		c := w.todo[0]
		w.todo = w.todo[1:]
		holds, _ := w.cond(c)
		w.line("(assert %s)", holds)
	}
	return w.out.String()
}

func (w *writer) line(format string, args ...any) { fmt.Fprintf(w.out, format+"\n", args...) }

// measure returns how many bits, besides the sign, the largest term of some conditions may need.
func (w *writer) measure(conds []*term.Cond) int {
	widest := 7 // distances of shifts
	todo := append([]*term.Cond(nil), conds...)
	seen := map[*term.Atom]bool{}
	var ofPoly func(p *term.Poly) int
	ofAtom := func(a *term.Atom) int {
		if n, ok := w.widths[a]; ok {
			return n
		}
		n := max(bits.Len64(magnitude(a.Lo)), bits.Len64(magnitude(a.Hi)))
		if a.Hi == term.NoHi || a.Lo == term.NoLo {
			n = 64
		}
		args := 0
		for _, p := range a.Args {
			args = max(args, ofPoly(p))
		}
		if a.If != nil {
			a.If.Walk(func(c *term.Cond) { ofPoly(c.P) })
		}
		if a.Halved != nil {
			n = max(n, ofPoly(a.Halved))
		}
		switch {
		case a.Kind == term.Func && a.Name == "shl":
			widest = max(widest, args+63)
			n = max(n, args)
		case a.Kind == term.Select, a.Kind == term.Min, a.Kind == term.Max, a.Kind == term.Func, a.Kind == term.Div, a.Kind == term.Rem:
			n = max(n, args)
		}
		w.widths[a] = n
		if !seen[a] && w.axioms != nil {
			seen[a] = true
			todo = append(todo, w.axioms(a)...)
		}
		widest = max(widest, n)
		return n
	}
	ofPoly = func(p *term.Poly) int {
		n := 0
		for _, x := range p.Terms() {
			product := bits.Len64(magnitude(x.Coef)) + 1
			for _, a := range x.Mono.Atoms {
				product += ofAtom(a)
			}
			n = max(n, product)
		}
		n += bits.Len(uint(len(p.Terms())))
		widest = max(widest, n)
		return n
	}
	for len(todo) > 0 {
		c := todo[0]
		todo = todo[1:]
		c.Walk(func(c *term.Cond) { ofPoly(c.P) })
	}
	return widest + 1
}

func magnitude(x int64) uint64 { return uint64(x ^ x>>63) }

// number writes a constant.
func (w *writer) number(c int64) string {
	if c < 0 {
		if c == math.MinInt64 {
			return fmt.Sprintf("(bvneg (_ bv%d %d))", uint64(1)<<63, w.width)
		}
		return fmt.Sprintf("(bvneg (_ bv%d %d))", -c, w.width)
	}
	return fmt.Sprintf("(_ bv%d %d)", c, w.width)
}

// allOf joins texts by "and", anyOf by "or".
func allOf(of ...string) string { return join("and", "true", "false", of) }
func anyOf(of ...string) string { return join("or", "false", "true", of) }

func join(op, unit, zero string, of []string) string {
	var parts []string
	for _, s := range of {
		switch s {
		case unit:
		case zero:
			return zero
		default:
			parts = append(parts, s)
		}
	}
	switch len(parts) {
	case 0:
		return unit
	case 1:
		return parts[0]
	}
	return "(" + op + " " + strings.Join(parts, " ") + ")"
}

// cond writes when a condition holds, and when it fails: neither where it hangs on a number that has
// no value.
func (w *writer) cond(c *term.Cond) (holds, fails string) {
	switch c.Op {
	case term.True:
		return "true", "false"
	case term.False:
		return "false", "true"
	case term.And, term.Or:
		var hold, fail []string
		for _, a := range c.Args {
			h, f := w.cond(a)
			hold, fail = append(hold, h), append(fail, f)
		}
		if c.Op == term.And {
			return allOf(hold...), anyOf(fail...)
		}
		return anyOf(hold...), allOf(fail...)
	}
	v, ok := w.poly(c.P)
	is := fmt.Sprintf("(= %s %s)", v, w.number(0))
	switch c.Op {
	case term.LeZero:
		is = fmt.Sprintf("(bvsle %s %s)", v, w.number(0))
	case term.NeZero:
		is = "(not " + is + ")"
	}
	return allOf(ok, is), allOf(ok, "(not "+is+")")
}

// poly writes a polynomial, and when it has a value.
func (w *writer) poly(p *term.Poly) (value, ok string) {
	if len(p.Terms()) == 0 {
		return w.number(0), "true"
	}
	var sum, oks []string
	for _, x := range p.Terms() {
		parts := []string{}
		if x.Coef != 1 || len(x.Mono.Atoms) == 0 {
			parts = append(parts, w.number(x.Coef))
		}
		for _, a := range x.Mono.Atoms {
			name, ok := w.atom(a)
			parts, oks = append(parts, name), append(oks, ok)
		}
		product := parts[0]
		for _, q := range parts[1:] {
			product = fmt.Sprintf("(bvmul %s %s)", product, q)
		}
		sum = append(sum, product)
	}
	value = sum[0]
	for _, s := range sum[1:] {
		value = fmt.Sprintf("(bvadd %s %s)", value, s)
	}
	return value, allOf(oks...)
}

// atom defines an atom, if it is not yet, and returns its name and that of whether it has a value.
func (w *writer) atom(a *term.Atom) (name, ok string) {
	name, ok = fmt.Sprintf("a%d", a.ID), fmt.Sprintf("ok%d", a.ID)
	if w.written[a] {
		return name, ok
	}
	w.written[a] = true
	value, defined := w.define(a, name)
	if value != "" {
		w.line("(define-fun %s () (_ BitVec %d) %s)", name, w.width, value)
	}
	w.line("(define-fun %s () Bool %s)", ok, defined)
	if w.axioms != nil {
		w.todo = append(w.todo, w.axioms(a)...)
	}
	return name, ok
}

// define writes what an atom is; a value of "" says that it was declared.
func (w *writer) define(a *term.Atom, name string) (value, ok string) {
	if len(a.Args) == 0 {
		w.free(name, a)
		w.kept(a, name)
		return "", "true"
	}
	args, oks := make([]string, len(a.Args)), make([]string, len(a.Args))
	for i, p := range a.Args {
		args[i], oks[i] = w.poly(p)
	}
	ok = allOf(oks...)
	switch a.Kind {
	case term.Div, term.Rem:
		op := map[term.Kind]string{term.Div: "bvudiv", term.Rem: "bvurem"}[a.Kind]
		in := allOf(w.le(w.number(0), args[0]), w.le(w.number(1), args[1]))
		return fmt.Sprintf("(%s %s %s)", op, args[0], args[1]), allOf(ok, in)
	case term.Wrap:
		return w.wrap(a, args[0]), ok
	case term.Min:
		return fmt.Sprintf("(ite %s %s %s)", w.le(args[0], args[1]), args[0], args[1]), ok
	case term.Max:
		return fmt.Sprintf("(ite %s %s %s)", w.le(args[0], args[1]), args[1], args[0]), ok
	case term.Select:
		holds, fails := w.cond(a.If)
		return fmt.Sprintf("(ite %s %s %s)", holds, args[0], args[1]), anyOf(allOf(holds, oks[0]), allOf(fails, oks[1]))
	}
	return w.function(a, name, args, ok)
}

func (w *writer) le(x, y string) string { return fmt.Sprintf("(bvsle %s %s)", x, y) }

// bounds says that a number is within an atom's bounds. Without a bound it is one that a type of 64
// bits has.
func (w *writer) bounds(a *term.Atom, name string) string {
	lo, hi := w.le(w.number(a.Lo), name), w.le(name, w.number(a.Hi))
	if a.Hi == term.NoHi {
		hi = w.le(name, fmt.Sprintf("(_ bv%d %d)", uint64(math.MaxUint64), w.width))
	}
	return allOf(lo, hi)
}

func (w *writer) free(name string, a *term.Atom) {
	w.line("(declare-const %s (_ BitVec %d))", name, w.width)
	w.line("(assert %s)", w.bounds(a, name))
}

// kept writes what is known of a number that a loop doubles or halves.
func (w *writer) kept(a *term.Atom, name string) {
	if a.Power {
		w.line("(assert (= (bvand %s (bvsub %s %s)) %s))", name, name, w.number(1), w.number(0))
	}
	if a.Halved != nil {
		from, ok := w.poly(a.Halved)
		w.line("(declare-const times%d (_ BitVec %d))", a.ID, w.width)
		w.line("(assert (bvult times%d %s))", a.ID, w.number(64))
		w.line("(assert (=> %s (= %s (bvashr %s times%d))))", ok, name, from, a.ID)
	}
}

// wrap cuts a number to the type whose range the atom has.
func (w *writer) wrap(a *term.Atom, x string) string {
	n := 64
	if a.Hi != term.NoHi {
		n = bits.Len64(uint64(a.Hi))
		if a.Lo < 0 {
			n++
		}
	}
	extend := "zero_extend"
	if a.Lo < 0 {
		extend = "sign_extend"
	}
	return fmt.Sprintf("((_ %s %d) ((_ extract %d 0) %s))", extend, w.width-n, n-1, x)
}

func (w *writer) function(a *term.Atom, name string, args []string, ok string) (string, string) {
	if len(args) == 2 {
		switch a.Name {
		case "and", "or", "xor":
			v := fmt.Sprintf("(bv%s %s %s)", a.Name, args[0], args[1])
			return v, allOf(ok, w.bounds(a, v))
		case "shl", "shr":
			op := map[string]string{"shl": "bvshl", "shr": "bvashr"}[a.Name]
			v := fmt.Sprintf("(%s %s %s)", op, args[0], args[1])
			known := allOf(fmt.Sprintf("(bvult %s %s)", args[1], w.number(64)), w.bounds(a, v))
			w.free("other"+name, a)
			return fmt.Sprintf("(ite %s %s other%s)", known, v, name), ok
		}
	}
	f := fmt.Sprintf("|%s/%d|", strings.Map(symbol, a.Name), len(args))
	if !w.funcs[f] {
		w.funcs[f] = true
		w.line("(declare-fun %s (%s) (_ BitVec %d))", f, strings.Repeat(fmt.Sprintf("(_ BitVec %d) ", w.width), len(args)), w.width)
	}
	v := fmt.Sprintf("(%s %s)", f, strings.Join(args, " "))
	w.line("(declare-const %s (_ BitVec %d))", name, w.width)
	w.line("(assert (and (= %s %s) %s))", name, v, w.bounds(a, name))
	return "", ok
}

// symbol leaves out of a name what a quoted symbol of SMT-LIB can't have.
func symbol(r rune) rune {
	if r == '|' || r == '\\' || r < ' ' || r > '~' {
		return '_'
	}
	return r
}
