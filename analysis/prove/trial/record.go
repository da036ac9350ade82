package trial

import (
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/warplint/warplint/analysis/term"
)

// This file writes queries as text and reads them again: lists in parentheses, an atom or an assertion
// a line.
//
//	(query "name" unsat
//	(atom 3 opaque 0 512 0 0 "stride" power)
//	(atom 4 func 0 511 "and" (+ (1 7)) (+ (1 3) (-1)))
//	(assert (le (+ (2 7) (-1 4) (-6)))))
//
// An atom has its number, kind, bounds, variance and side, or for one with arguments its name and these;
// (2 7 8) is twice the product of atoms 7 and 8, and (-6) a number.

var kinds = []string{"symbol", "iter", "opaque", "result", "div", "rem", "wrap", "min", "max", "select", "func"}

// Recorded is a query that was written down, with the answer that it had.
type Recorded struct {
	Name, Answer string
	Table        *term.Table
	Conds        []*term.Cond
}

// Record writes a query with the axioms of its atoms, which may be nil.
func Record(w io.Writer, name, answer string, conds []*term.Cond, axioms func(*term.Atom) []*term.Cond) error {
	r := recorder{axioms: axioms, numbers: map[*term.Atom]int{}}
	r.out.WriteString(fmt.Sprintf("(query %q %s", name, answer))
	r.todo = append(r.todo, conds...)
	for len(r.todo) > 0 {
		c := r.todo[0]
		r.todo = r.todo[1:]
		text := r.cond(c)
		r.out.WriteString("\n(assert " + text + ")")
	}
	_, err := io.WriteString(w, withoutAddresses(r.out.String())+")\n")
	return err
}

var address = regexp.MustCompile(`0x[0-9a-f]{8,}`)

// withoutAddresses numbers what our program names by where it lies in memory.
func withoutAddresses(text string) string {
	numbers := map[string]string{}
	return address.ReplaceAllStringFunc(text, func(at string) string {
		if numbers[at] == "" {
			numbers[at] = fmt.Sprint("#", len(numbers))
		}
		return numbers[at]
	})
}

type recorder struct {
	axioms  func(*term.Atom) []*term.Cond
	out     strings.Builder
	numbers map[*term.Atom]int
	todo    []*term.Cond
}

func (r *recorder) cond(c *term.Cond) string {
	switch c.Op {
	case term.True:
		return "true"
	case term.False:
		return "false"
	case term.LeZero:
		return "(le " + r.poly(c.P) + ")"
	case term.EqZero:
		return "(eq " + r.poly(c.P) + ")"
	case term.NeZero:
		return "(ne " + r.poly(c.P) + ")"
	}
	text := "(or"
	if c.Op == term.And {
		text = "(and"
	}
	for _, a := range c.Args {
		text += " " + r.cond(a)
	}
	return text + ")"
}

func (r *recorder) poly(p *term.Poly) string {
	text := "(+"
	for _, x := range p.Terms() {
		text += fmt.Sprintf(" (%d", x.Coef)
		for _, a := range x.Mono.Atoms {
			text += fmt.Sprintf(" %d", r.atom(a))
		}
		text += ")"
	}
	return text + ")"
}

// atom writes an atom, after those that it is made of, and returns its number.
func (r *recorder) atom(a *term.Atom) int {
	if n, ok := r.numbers[a]; ok {
		return n
	}
	text := fmt.Sprintf("%s %d %d", kinds[a.Kind], a.Lo, a.Hi)
	if len(a.Args) == 0 {
		text += fmt.Sprintf(" %d %d %q", a.Variance, a.Side, a.Name)
		if a.Power {
			text += " power"
		}
		if a.Halved != nil {
			text += " " + r.poly(a.Halved)
		}
	} else {
		text += fmt.Sprintf(" %q", a.Name)
		if a.If != nil {
			text += " " + r.cond(a.If)
		}
		for _, p := range a.Args {
			text += " " + r.poly(p)
		}
	}
	n := len(r.numbers)
	r.numbers[a] = n
	fmt.Fprintf(&r.out, "\n(atom %d %s)", n, text)
	if r.axioms != nil {
		r.todo = append(r.todo, r.axioms(a)...)
	}
	return n
}

// Read reads queries that Record has written.
func Read(text string) (all []Recorded, err error) {
	defer func() {
		switch broken := recover().(type) {
		case nil:
		case malformed:
			all, err = nil, fmt.Errorf("a recorded query: %s", broken)
		default:
			panic(broken)
		}
	}()
	p := parser{text: text}
	for p.blank(); p.at < len(p.text); p.blank() {
		all = append(all, p.query())
	}
	return all, nil
}

// malformed is what is wrong with a text.
type malformed string

type parser struct {
	text  string
	at    int
	t     *term.Table
	atoms []*term.Atom
}

func (p *parser) blank() {
	for p.at < len(p.text) && strings.ContainsRune(" \n", rune(p.text[p.at])) {
		p.at++
	}
}

// take takes a text if it comes next, and reports whether it did.
func (p *parser) take(s string) bool {
	p.blank()
	if !strings.HasPrefix(p.text[p.at:], s) {
		return false
	}
	p.at += len(s)
	return true
}

func (p *parser) want(s string) {
	if !p.take(s) {
		panic(malformed(fmt.Sprintf("%q is missing at byte %d", s, p.at)))
	}
}

func (p *parser) word() string {
	p.blank()
	n := strings.IndexAny(p.text[p.at:], " \n()")
	if n <= 0 {
		panic(malformed(fmt.Sprintf("a word is missing at byte %d", p.at)))
	}
	p.at += n
	return p.text[p.at-n : p.at]
}

func (p *parser) number() int64 {
	n, err := strconv.ParseInt(p.word(), 10, 64)
	if err != nil {
		panic(malformed(err.Error()))
	}
	return n
}

func (p *parser) quoted() string {
	p.blank()
	text, err := strconv.QuotedPrefix(p.text[p.at:])
	if err != nil {
		panic(malformed(fmt.Sprintf("a quoted text is missing at byte %d", p.at)))
	}
	p.at += len(text)
	text, _ = strconv.Unquote(text)
	return text
}

func (p *parser) query() Recorded {
	p.want("(query")
	p.t, p.atoms = term.NewTable(), nil
	q := Recorded{Name: p.quoted(), Answer: p.word(), Table: p.t}
	for !p.take(")") {
		if p.take("(atom") {
			p.atom()
			continue
		}
		p.want("(assert")
		q.Conds = append(q.Conds, p.cond())
		p.want(")")
	}
	return q
}

func (p *parser) atom() {
	if n := p.number(); n != int64(len(p.atoms)) {
		panic(malformed(fmt.Sprintf("atom %d stands for %d", n, len(p.atoms))))
	}
	kind, name := term.Kind(0), p.word()
	for kinds[kind] != name {
		if kind++; int(kind) == len(kinds) {
			panic(malformed("no kind " + name))
		}
	}
	lo, hi := p.number(), p.number()
	p.blank()
	var a *term.Atom
	if !strings.HasPrefix(p.text[p.at:], `"`) {
		variance, side := term.Variance(p.number()), int8(p.number())
		a = p.t.Fresh(kind, p.quoted(), lo, hi, variance, 0, nil)
		a.Side, a.Power = side, p.take("power")
		if !p.take(")") {
			a.Halved = p.poly()
			p.want(")")
		}
	} else {
		name := p.quoted()
		var c *term.Cond
		if kind == term.Select {
			c = p.cond()
		}
		var args []*term.Poly
		for !p.take(")") {
			args = append(args, p.poly())
		}
		a = p.t.Apply(kind, name, lo, hi, c, args...)
	}
	p.atoms = append(p.atoms, a)
}

func (p *parser) poly() *term.Poly {
	p.want("(+")
	sum := p.t.Const(0)
	for !p.take(")") {
		p.want("(")
		c := p.number()
		var atoms []*term.Atom
		for !p.take(")") {
			n := p.number()
			if n < 0 || n >= int64(len(p.atoms)) {
				panic(malformed(fmt.Sprintf("no atom %d", n)))
			}
			atoms = append(atoms, p.atoms[n])
		}
		sum = p.t.Add(sum, p.t.Monomial(c, atoms))
	}
	return sum
}

func (p *parser) cond() *term.Cond {
	zero := p.t.Const(0)
	var c *term.Cond
	switch {
	case p.take("true"):
		return term.Always()
	case p.take("false"):
		return term.Never()
	case p.take("(le"):
		c = p.t.Le(p.poly(), zero)
	case p.take("(eq"):
		c = p.t.Eq(p.poly(), zero)
	case p.take("(ne"):
		c = p.t.Ne(p.poly(), zero)
	default:
		join := term.Conj
		if p.take("(or") {
			join = term.Disj
		} else {
			p.want("(and")
		}
		var args []*term.Cond
		for !p.take(")") {
			args = append(args, p.cond())
		}
		return join(args...)
	}
	p.want(")")
	return c
}
