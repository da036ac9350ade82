package rule

import (
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/ir"
)

// This file knows for which types CUDA has atomic functions ("Atomic Functions" in the Programming Guide).

var (
	words   = []string{"int", "unsigned int", "unsigned long long"}
	ordered = append([]string{"long long"}, words...)

	// overloads are the types of what each function changes.
	overloads = map[string][]string{
		"atomicAdd":  append([]string{"float", "double", "__half", "__nv_bfloat16"}, words...),
		"atomicSub":  {"int", "unsigned int"},
		"atomicExch": append([]string{"float"}, words...),
		"atomicMin":  ordered,
		"atomicMax":  ordered,
		"atomicAnd":  words,
		"atomicOr":   words,
		"atomicXor":  words,
	}

	// since is the least __CUDA_ARCH__ that an overload is there for.
	since = map[string]int{"double": 600, "__half": 700, "__nv_bfloat16": 800}

	// alike are the types with the same values, and then those with the same bits. The functions of two's complement differ only in
	// those that compare, which have an overload with the same values.
	alike = map[string][]string{
		"long":          {"long long", "unsigned long long"},
		"long long":     {"unsigned long long"},
		"unsigned long": {"unsigned long long"},
	}
)

// cell is what accesses at a place in the text access.
type cell struct {
	types    []string // in C++; several where the place is one of a template
	volatile bool
	arch     int
}

// cellAt is what a site accesses; ok is false if that is nothing that an atomic function might.
func (c *Case) cellAt(site int, volatile bool) (at cell, ok bool) {
	at = cell{types: c.typesAt(c.Func.Sites[site]), volatile: volatile, arch: c.Arch}
	return at, !slices.Contains(at.types, "")
}

// typesAt are the types that a place in the text has in all functions.
func (c *Case) typesAt(site ir.Site) (types []string) {
	for _, f := range append(c.Others, c.Func) {
		for _, s := range f.Sites {
			if s.Span == site.Span && !slices.Contains(types, s.Type) {
				types = append(types, s.Type)
			}
		}
	}
	return types
}

// call is the call of an atomic function for a place in the text, empty if CUDA has none for its type. What it gives is of that type if it is used.
func (at cell) call(name, place string, used bool, args ...string) string {
	text := ""
	for i, t := range at.types {
		as := at.overload(name, t)
		if as == "" {
			return ""
		}
		cast := ""
		if as != t || at.volatile {
			cast = as
		}
		call := name + "(" + strings.Join(append([]string{address(place, cast)}, args...), ", ") + ")"
		if used && strings.HasPrefix(as, "unsigned") && !strings.HasPrefix(t, "unsigned") {
			call = "(" + t + ")" + call
		}
		if i > 0 && call != text {
			return "" // one text for all instances
		}
		text = call
	}
	return text
}

// overload is the type for which CUDA has a function that does to a type what is asked for, empty if there is none.
func (at cell) overload(name, t string) string {
	for _, as := range append([]string{t}, alike[t]...) {
		if slices.Contains(overloads[name], as) && (at.arch == 0 || since[as] <= at.arch) {
			return as
		}
	}
	return ""
}

// address is that of a place, as a pointer to a type if one is given.
func address(place, cast string) string {
	at, pointer := strings.CutPrefix(place, "*")
	if !pointer {
		at = "&" + place
	}
	switch {
	case cast == "":
		return at
	case strings.HasPrefix(at, "(volatile "+cast+" *)"):
		at = strings.TrimPrefix(at, "(volatile "+cast+" *)")
	case pointer && strings.ContainsAny(at, "+-? "):
		at = "(" + at + ")"
	}
	return "(" + cast + " *)" + at
}

// atomicCall is the call that changes what is at a place by an operation.
func (at cell) atomicCall(op, place, value string, used, unsigned bool) string {
	switch op {
	case "+":
		return at.call("atomicAdd", place, used, value)
	case "-":
		if sub := at.call("atomicSub", place, used, value); sub != "" {
			return sub
		}
		if len(at.types) > 1 {
			return ""
		}
		return at.call("atomicAdd", place, used, negated(value, at.overload("atomicAdd", at.types[0]), unsigned))
	}
	return at.call(map[string]string{"&": "atomicAnd", "|": "atomicOr", "^": "atomicXor", "min": "atomicMin", "max": "atomicMax"}[op], place, used, value)
}

// negated is the negative of what an expression gives, in a type. That of an unsigned number of a narrower type is none.
func negated(value, t string, unsigned bool) string {
	if literal := strings.TrimRight(value, "uU"); literal != value && isNumber(literal) {
		value = literal
	}
	among := "+-<>=&|^?"
	if unsigned {
		among += "*/%"
	}
	if strings.ContainsAny(value, among) {
		value = "(" + value + ")"
	}
	if unsigned {
		value = "(" + t + ")" + value
	}
	return "-" + value
}

// isNumber reports whether a text is a literal in decimal digits.
func isNumber(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }

// subtractsUnsigned reports whether a value is what is left of one when an unsigned number of another type is taken from it.
func subtractsUnsigned(x ir.Expr) bool {
	if c, ok := x.(*ir.Convert); ok {
		x = c.X
	}
	sub, ok := x.(*ir.Binary)
	if !ok || sub.Op != ir.Sub {
		return false
	}
	c, ok := sub.Y.(*ir.Convert)
	return ok && (c.X.Type() == ir.U32 || c.X.Type() == ir.U64)
}
