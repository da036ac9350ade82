package prove

import (
	"slices"

	"github.com/warplint/warplint/analysis/term"
)

// This file keeps what functions are of that nobody knows, such as memory that is not written, and the least of two numbers, which are two cases.
//
// DESIGN. All that is known of such a function is that equal arguments give equal values. Two reads of a table are one
// number to begin with if their indices are written alike; where the equations make them alike, as those of the digits
// in `f[q*n + (x + c[q]) % n]`, the values become equal here.

// function is the value of a function of some numbers.
type function struct {
	name  string
	args  []*term.Poly
	value *term.Poly
}

func (s *Solver) defineFunction(st *state, a *term.Atom) {
	switch {
	case a.Kind == term.Func && len(a.Args) > 0 && a.Name != "xor":
		st.functions = append(st.functions, function{a.Name, a.Args, s.T.Poly(a)})
	case a.Kind == term.Min:
		st.functions = append(st.functions, function{"the least of", a.Args, s.T.Poly(a)})
	case a.Kind == term.Max:
		st.functions = append(st.functions, function{"the greatest of", a.Args, s.T.Poly(a)})
	}
}

// substitute replaces an atom in what a function is of, and in its value.
func (f function) substitute(s *Solver, a *term.Atom, by *term.Poly) function {
	f.value = s.T.Substitute(f.value, a, by)
	if i := slices.IndexFunc(f.args, func(p *term.Poly) bool { return p.Mentions(a) }); i >= 0 {
		f.args = slices.Clone(f.args)
		for ; i < len(f.args); i++ {
			f.args[i] = s.T.Substitute(f.args[i], a, by)
		}
	}
	return f
}

// uniteFunctions adds that equal arguments give equal values, and reports whether there was anything new.
func (s *Solver) uniteFunctions(st *state) bool {
	found := false
	for i := 0; i < len(st.functions); i++ {
		f := st.functions[i]
		at := slices.IndexFunc(st.functions[:i], func(g function) bool {
			return g.name == f.name && slices.EqualFunc(g.args, f.args, (*term.Poly).Equal)
		})
		if at < 0 {
			continue
		}
		if same := s.T.Sub(f.value, st.functions[at].value); len(same.Terms()) > 0 {
			st.eqs = append(st.eqs, same)
			found = true
		}
		st.functions = slices.Delete(st.functions, i, i+1)
		i--
	}
	return found
}
