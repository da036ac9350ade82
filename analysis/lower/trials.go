package lower

import (
	"maps"
	"strings"

	"github.com/warplint/warplint/analysis/syntax"
)

// This file chooses arguments for the parameters of a kernel template that nothing instantiates.
//
// DESIGN. Of a switch both values are tried: kernels have them for variants of which each is used. Of a number, as
// `template <int BLOCK>` has it, nobody can try all. A race that shows with several, all alike or falling from the first to
// the last, as the tiles of a block and of a thread do, hardly hangs on them; that no race shows says nothing of others, so
// such a kernel is never race-free.

// choice is one argument for each parameter that has no default. trial says what numbers it has, "" if it has none.
type choice struct {
	values map[string]value
	trial  string
}

// maxSwitches bounds the template parameters of type bool that are tried both ways.
const maxSwitches = 2

// Numbers that are tried: the one of all, and the first of those that fall.
const (
	trialNumber = 32
	trialFirst  = 128
)

// choicesOf lists what is tried for the template parameters that are numbers without a default.
func (un *unitState) choicesOf(sym *symbol) []choice {
	l := un.newLowerer()
	l.demoted, l.placed = map[*syntax.Node]bool{}, map[*syntax.Node]bool{}
	out := []choice{{values: map[string]value{}}}
	var sizes []tparam
	for _, p := range l.tparams(sym.tparams) {
		if p.kind != 'v' || p.def != nil || p.pack || p.node.Child("type") == nil {
			continue
		}
		t := l.typeNode(p.node.Child("type"), sym.scope)
		switch {
		case t == tBool:
			out = bothWays(out, p.name)
		case t.kind == kScalar && t.isInt():
			sizes = append(sizes, p)
		}
	}
	if len(out) > 1<<maxSwitches {
		return []choice{{}}
	}
	if len(sizes) == 0 {
		return out
	}
	var tried []choice
	for _, c := range out {
		alike, falling := choice{values: maps.Clone(c.values)}, choice{values: maps.Clone(c.values)}
		next := int64(trialFirst)
		for _, p := range sizes {
			t := l.typeNode(p.node.Child("type"), sym.scope)
			alike.give(p.name, t, trialNumber)
			falling.give(p.name, t, max(next, 1))
			next /= 2
		}
		tried = append(tried, falling, alike)
	}
	return tried
}

// give chooses a number.
func (c *choice) give(name string, t *ctype, n int64) {
	x := constInt(t.ir(), n)
	c.values[name] = rval(t, x)
	c.trial = strings.TrimPrefix(c.trial+", "+name+" = "+itoa(int(n)), ", ")
}

// bothWays doubles choices by the values of a switch.
func bothWays(all []choice, name string) (out []choice) {
	for _, c := range all {
		for _, on := range []bool{false, true} {
			values := maps.Clone(c.values)
			values[name] = rval(tBool, constBool(on))
			out = append(out, choice{values: values})
		}
	}
	return out
}
