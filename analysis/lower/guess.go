package lower

import (
	"maps"
	"slices"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/syntax"
)

// This file guesses the types of templates that nothing instantiates.
//
// DESIGN. Any type would do for a proof that holds of one, but not any makes a template C++: `out[ids[i]]` and `key % n` ask for
// whole numbers. So types are float, as most data is; where kernels are not understood then, one of them after the other,
// or all, are int, and what is understood best stays.

// guess binds type parameters by name; those that it lacks are float.
type guess map[string]*ctype

// maxGuessed is the number of type parameters up to which others than float are tried.
const maxGuessed = 4

// guesses lists what the types of a template may be, the likeliest first.
func (un *unitState) guesses(params *syntax.Node) []guess {
	l := un.newLowerer()
	out, all := []guess{nil}, guess{}
	for _, p := range l.tparams(params) {
		if p.kind == 't' && p.def == nil && !p.pack {
			out = append(out, guess{p.name: tInt})
			all[p.name] = tInt
		}
	}
	switch {
	case len(all) > maxGuessed:
		return out[:1]
	case len(all) > 1:
		out = append(out, all)
	}
	return out
}

// byBestGuess instantiates kernels with the types of which most is understood.
func (un *unitState) byBestGuess(params *syntax.Node, instantiate func(guess)) {
	var best guess
	least := -1
	for _, g := range un.guesses(params) {
		order, children, known := len(un.order), len(un.children), maps.Clone(un.kernels)
		instantiate(g)
		strange := 0
		for _, k := range un.order[order:] {
			strange += notUnderstood(k.fn)
		}
		if strange == 0 {
			return
		}
		if least < 0 || strange < least {
			best, least = g, strange
		}
		un.order, un.children, un.kernels = slices.Clip(un.order[:order]), slices.Clip(un.children[:children]), known
	}
	instantiate(best)
}

// notUnderstood counts what of a kernel was not understood.
func notUnderstood(f *ir.Func) int {
	n := len(f.Unknowns)
	for range ir.All[*ir.Unknown](f.Body) {
		n++
	}
	return n
}
