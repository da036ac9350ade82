package meet

import (
	"slices"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/phase"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

// This file tells rows apart whose columns are counted by numbers in memory.
//
// DESIGN. Lists of neighbours, the particles of a cell and the elements of a padded row lie in rows of one length, of
// which each row fills as many places as a number in memory says: `for (k = 0; k < count[i]; k++) list[i*64 + k] = …`.
// Whoever counted them kept within the row. So a verdict may rest on WithinRows, as with a width that the kernel gets
// as a number; what threads would race with greater counts stays a finding, of severity information.

// rowCount is an array of counts, and how many bytes that many columns may take at most.
type rowCount struct {
	array  string
	column int64
	row    *term.Poly
}

// apartByRowCounts shows that threads keep apart if no count in memory is greater than a row is long.
func (c *checker) apartByRowCounts(a, b *access.Access, kind race.Kind, m phase.Mode) bool {
	counts := append(c.rowCounts(a), c.rowCounts(b)...)
	if len(counts) == 0 || c.spent >= kernelBudget {
		return false
	}
	key := c.key(a, b, kind, m)
	key.at = a.Off.Constant()
	return c.presuming(WithinRows, key.by("by counts of rows"), pairBudget, func() []*term.Cond {
		conds := c.question(a, b, kind, m)
		for _, read := range contents(conds) {
			for _, n := range counts {
				if read.Name == n.array {
					conds = append(conds, c.t.Le(c.t.Scale(n.column, c.t.Poly(read)), n.row))
				}
			}
		}
		return conds
	})
}

// rowCounts lists the counts that bound columns of an address which has rows.
func (c *checker) rowCounts(a *access.Access) []rowCount {
	t := c.t
	var out []rowCount
	for _, n := range countsOf(a) {
		column := t.Offset(t.Add(n.bound, t.Scale(n.times, t.Poly(n.count))), -n.bound.Constant())
		each := a.Off.Times(column)
		if each <= 0 {
			continue
		}
		// A row of half the count is too short, says the kernel itself.
		if row := c.rowOf(t.Sub(a.Off, t.Scale(each, column)), each); row != nil && !row.MadeOf(n.count) {
			out = append(out, rowCount{n.count.Name, n.times * each, row})
		}
	}
	return out
}

// counted is a number in memory below which, so many times, a thread keeps what it counts: the bound is not above 0.
type counted struct {
	count *term.Atom
	times int64
	bound *term.Poly
}

// countsOf lists the numbers in memory that bound what an access counts.
func countsOf(a *access.Access) (out []counted) {
	for _, bound := range term.Conjuncts(a.When) {
		if bound.Op != term.LeZero {
			continue
		}
		for _, x := range bound.P.Terms() {
			if x.Coef < 0 && len(x.Mono.Atoms) == 1 && access.IsContents(x.Mono.Atoms[0]) {
				out = append(out, counted{x.Mono.Atoms[0], -x.Coef, bound.P})
			}
		}
	}
	return out
}

// rowOf is the length in bytes of the rows that an address counts beside its columns, nil if it has none. What moves by
// less than a column is part of one; rows of one column would be no rows, but ranges that begin at each element.
func (c *checker) rowOf(rest *term.Poly, column int64) *term.Poly {
	var length int64
	var by []*term.Atom
	for _, x := range rest.Terms() {
		var fixed []*term.Atom
		for _, a := range x.Mono.Atoms {
			if a.Variance == term.Grid && a.Loops == 0 {
				fixed = append(fixed, a)
			}
		}
		coef := max(x.Coef, -x.Coef)
		if len(fixed) == len(x.Mono.Atoms) || len(fixed) == 0 && coef < column {
			continue
		}
		if length == 0 {
			length, by = coef, fixed
			continue
		}
		length = term.GCD(length, coef)
		by = slices.DeleteFunc(by, func(a *term.Atom) bool { return !slices.Contains(fixed, a) })
	}
	if length == 0 || len(by) == 0 && length <= column || len(by) > 0 && length < column {
		return nil
	}
	return c.t.Monomial(length, by)
}
