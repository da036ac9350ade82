// Package term holds the symbolic values of the analysis: integers as polynomials over
// atoms, and conditions over them. Integers are mathematical ones: where a C++ value wraps
// around, an atom of kind Wrap says so. Terms are hash-consed in a Table, so equal terms are
// equal pointers, and the two threads of a query are two renamings of the same terms.
package term

import (
	"encoding/binary"
	"math"
)

// Variance says which threads may see different values of an atom.
type Variance uint8

const (
	Grid   Variance = iota // the same for the whole launch
	Block                  // the same for all threads of a block
	Thread                 // may differ from thread to thread
)

// Kind says what an atom stands for.
type Kind uint8

const (
	Symbol Kind = iota // a parameter, a thread variable or a dimension
	Iter               // the number of a loop's iteration, from 0
	Opaque             // a value that nothing is known of but its bounds
	Result             // what a load or an atomic returned; Ref is the statement
	Div                // Args[0] / Args[1], both known to be ≥ 0 and > 0
	Rem                // Args[0] % Args[1], likewise
	Wrap               // Args[0] modulo 2^bits, in the range of a type
	Min
	Max
	Select // If ? Args[0] : Args[1]
	Func   // an uninterpreted function Name of Args
)

// Limits of the range of an atom; Lo and Hi at a limit mean "unbounded".
const (
	NoLo = math.MinInt64
	NoHi = math.MaxInt64
)

// Third is the side of a third thread's copies of terms.
const Third int8 = 4

// Handed is the side of what one thread of a block has handed on to the others: it is one number for all of them.
const Handed int8 = 6

// Atom is an indivisible symbolic integer.
type Atom struct {
	ID       int
	Kind     Kind
	Name     string
	Lo, Hi   int64 // inclusive bounds, NoLo and NoHi where there are none
	Variance Variance
	Loops    uint64 // loops on whose iteration the value depends, a bit each
	Args     []*Poly
	If       *Cond
	Ref      any  // what made the atom: a statement, a parameter, a register
	Side     int8 // 0 in a kernel's own terms; 1 or 2 for a thread's copy, or Third; 3 for "after its loop"
	Power    bool // the value is 0 or a power of two; the bounds say that it is not negative
	// Carried is set for what a variable holds that a loop carries on from round to round.
	Carried bool
	// First is what such a variable holds in the first round of a loop of the host, nil if that is not known.
	First *Poly
	// Partial is set for a quotient or remainder of what may be negative, or by what may not be positive, and for what is made of
	// one: only code that makes sure of the signs computes it, so what is known of it holds nowhere else.
	Partial bool
	// Halved is set for a value that is this one, divided by two some times and rounded down.
	Halved *Poly

	named  bool  // made by Table.Named
	origin *Atom // the atom of which this is a copy
	poly   *Poly // this atom alone, once it was asked for
}

// Origin is the atom that this one is a thread's copy of, or the atom itself.
func (a *Atom) Origin() *Atom {
	if a.origin != nil {
		return a.origin
	}
	return a
}

// Mono is a product of atoms, sorted by their numbers; the empty product is 1.
type Mono struct {
	ID    int
	Atoms []*Atom
}

// Table owns the atoms, monomials and conditions of one kernel's analysis.
type Table struct {
	// Work counts the terms and coefficients that were touched, here and by those who add what
	// they do with terms. It does not depend on the machine.
	Work int64

	atoms  []*Atom
	keyed  map[string]*Atom
	monos  map[string]*Mono // of several atoms
	number int              // of monomials
	consts map[int64]*Poly
	key    []byte       // room to write one
	held   map[any]bool // what names are made of, see Hold
}

// NewTable returns an empty table.
func NewTable() *Table {
	return &Table{keyed: map[string]*Atom{}, monos: map[string]*Mono{}, number: 1, consts: map[int64]*Poly{}, held: map[any]bool{}}
}

// Hold keeps what a pointer points to as long as the table is there. A name that is made of an address needs it: another
// thing could get that address, and the name with it.
func (t *Table) Hold(pointer any) { t.held[pointer] = true }

// one is the empty product, the first monomial of every table.
var one = &Mono{}

// Atoms returns the number of atoms made so far, a measure of the analysis' size.
func (t *Table) Atoms() int { return len(t.atoms) }

func (t *Table) add(a *Atom) *Atom {
	a.ID = len(t.atoms)
	t.atoms = append(t.atoms, a)
	return a
}

// Fresh makes an atom that equals no other.
func (t *Table) Fresh(kind Kind, name string, lo, hi int64, v Variance, loops uint64, ref any) *Atom {
	return t.add(&Atom{Kind: kind, Name: name, Lo: lo, Hi: hi, Variance: v, Loops: loops, Ref: ref})
}

// Named returns the one atom of a kind, name, bounds and variance, made at first use. Bounds
// tell atoms apart because the launches of one kernel share a table: the blockIdx of a launch
// of two blocks is another value than that of a launch of four.
func (t *Table) Named(kind Kind, name string, lo, hi int64, v Variance) *Atom {
	key := append(append(t.key[:0], byte(kind), byte(v), '@'), name...)
	key = binary.LittleEndian.AppendUint64(append(key, ' '), uint64(lo))
	key = binary.LittleEndian.AppendUint64(key, uint64(hi))
	t.key = key
	if a, ok := t.keyed[string(key)]; ok {
		return a
	}
	a := t.add(&Atom{Kind: kind, Name: name, Lo: lo, Hi: hi, Variance: v, named: true})
	t.keyed[string(key)] = a
	return a
}

// Apply returns the one atom of a function applied to arguments. Its variance and loops are
// those of its arguments.
func (t *Table) Apply(kind Kind, name string, lo, hi int64, cond *Cond, args ...*Poly) *Atom {
	key := append(append(t.key[:0], byte(kind)), name...)
	if cond != nil {
		key = append(append(key, " ?"...), cond.key()...)
	}
	for _, p := range args {
		key = p.appendKey(append(key, ' '))
	}
	t.key = key
	if old, ok := t.keyed[string(key)]; ok {
		return old
	}
	a := t.add(&Atom{Kind: kind, Name: name, Lo: lo, Hi: hi, Args: args, If: cond})
	if cond != nil {
		a.Variance, a.Loops = cond.Variance(), cond.Loops()
		cond.Walk(func(c *Cond) { a.Partial = a.Partial || c.P.Partial() })
	}
	if kind == Div || kind == Rem {
		least, _ := args[0].Range()
		divisor, _ := args[1].Range()
		a.Partial = least < 0 || divisor < 1
	}
	for _, p := range args {
		a.Variance = max(a.Variance, p.Variance())
		a.Loops |= p.Loops()
		a.Partial = a.Partial || p.Partial()
	}
	t.keyed[string(key)] = a
	return a
}

// Poly returns the atom as a polynomial.
func (t *Table) Poly(a *Atom) *Poly {
	if a.poly == nil {
		p := new(struct {
			Poly
			room  [1]Term
			mono  Mono
			atoms [1]*Atom
		})
		p.atoms[0] = a
		p.mono = Mono{ID: t.number, Atoms: p.atoms[:]}
		t.number++
		p.room[0] = Term{&p.mono, 1}
		p.terms = p.room[:]
		a.poly = &p.Poly
	}
	return a.poly
}

func (t *Table) product(atoms []*Atom) *Mono {
	switch len(atoms) {
	case 0:
		return one
	case 1:
		return t.Poly(atoms[0]).terms[0].Mono
	}
	key := t.key[:0]
	for _, a := range atoms {
		key = append(key, byte(a.ID), byte(a.ID>>8), byte(a.ID>>16), byte(a.ID>>24))
	}
	t.key = key
	if m, ok := t.monos[string(key)]; ok {
		return m
	}
	m := &Mono{ID: t.number, Atoms: atoms}
	t.number++
	t.monos[string(key)] = m
	return m
}

// Choices lists the numbers that an atom may be one of by a choice: the constants among its alternatives, and theirs.
func (a *Atom) Choices() (out []int64) {
	if a.Kind != Select && a.Kind != Min {
		return nil
	}
	for _, p := range a.Args {
		if n, known := p.IsConst(); known {
			out = append(out, n)
		} else if one := p.IsAtom(); one != nil {
			out = append(out, one.Choices()...)
		}
	}
	return out
}
