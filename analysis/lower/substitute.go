package lower

// This file puts template arguments into the parts of a declaration from which none are deduced
// ([temp.deduct]): where that gives no type, the declaration takes no part in the choice, as with
// enable_if. What is not understood is no failure: then the choice itself is in doubt.

import (
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/syntax"
)

// meaning is the outcome for one declaration.
type meaning uint8

const (
	meaningful meaning = iota
	meaningless
	obscure
)

// also is the outcome of two parts of a declaration.
func (s meaning) also(o meaning) meaning {
	if s == meaningless || o == meaningless {
		return meaningless
	}
	return max(s, o)
}

// substitute finds the type that a part of a declaration means with the arguments bound in a scope.
func (l *lowerer) substitute(n *syntax.Node, in *scope) (*ctype, meaning) {
	if t := l.tryType(n, in); t != nil && t.kind != kOpaque {
		return t, meaningful
	}
	if l.hasNoType(n, in) {
		return nil, meaningless
	}
	return nil, obscure
}

// mayFail reports whether a type is written in one of the ways that may give none: as a member of a class
// that depends on arguments, by an alias template, or by the type of an expression.
func (l *lowerer) mayFail(n *syntax.Node, s *scope) bool {
	found := false
	walk(n, func(k *syntax.Node) bool {
		switch k.Kind {
		case "decltype", "dependent_type":
			found = true
		case "template_type":
			name := l.templateName(k)
			syms := s.lookup(name)
			found = found || strings.HasSuffix(name, "_t") || len(syms) > 0 && syms[0].kind == symAlias
		}
		return !found
	})
	return found
}

// hasNoType reports whether a part of a declaration surely gives no type: a condition of enable_if
// that is false, or a member that a class does not have.
func (l *lowerer) hasNoType(n *syntax.Node, in *scope) bool {
	found := false
	walk(n, func(k *syntax.Node) bool {
		switch k.Kind {
		case "template_type", "template_function":
			if name := l.templateName(k); name == "enable_if" || name == "enable_if_t" {
				if args := namedChildren(k.Child("arguments")); len(args) > 0 {
					a := l.templateArg(args[0], in)
					found = found || a.v != nil && isFalse(a.v.x)
				}
			}
		case "qualified_identifier":
			path, last := splitQualified(k)
			if len(path) == 1 && last != nil && !found {
				if t := l.tryType(path[0], in); t != nil {
					found = lacks(t, l.templateName(last))
				}
			}
		case "field_expression":
			if field := k.Child("field"); field != nil && !found {
				found = lacks(l.typeOfExpr(k.Child("argument"), in), l.templateName(field))
			}
		}
		return !found
	})
	return found
}

// lacks reports whether a type surely has no member of a name.
func lacks(t *ctype, name string) bool {
	t = t.noRef()
	switch t.kind {
	case kScalar, kPtr:
		return true
	case kRecord:
		if t.rec.lib != "" || t.rec.reason != "" || t.rec.scope == nil || !t.rec.done || t.rec.declares(name) || t.rec.findField(name) != nil {
			return false
		}
		return !slices.ContainsFunc(t.rec.fields, func(f field) bool { return f.base && !lacks(f.t, name) })
	}
	return false
}

// bareDeduced reports whether a template argument of a specialization is of a form from which
// arguments are deduced: not a member of a class that depends on them, nor a condition on them.
func (l *lowerer) bareDeduced(d *deduction, n *syntax.Node) bool {
	if n.Kind == "parameter_pack_expansion" || d.param(strings.TrimSpace(l.text(n))) != nil || !l.mentions(d, n) {
		return true
	}
	if n.Kind != "type_descriptor" {
		return false
	}
	t := n.Child("type")
	if t == nil {
		return true
	}
	switch t.Kind {
	case "decltype", "dependent_type", "dependent_name", "placeholder_type_specifier":
		return false
	case "template_type", "qualified_identifier":
		_, last := splitQualified(t)
		if last == nil || last.Kind != "template_type" {
			return false
		}
		name := l.templateName(last)
		if d.param(name) != nil {
			return true
		}
		if r := l.resolve(t, d.scope); len(r.syms) > 0 {
			return r.syms[0].kind == symClass
		}
		return name != "void_t" && !strings.HasSuffix(name, "_t")
	}
	return true
}

// matchesRest compares the arguments of a specialization from which nothing is deduced with those
// of an instance.
func (l *lowerer) matchesRest(d *deduction, in *scope) meaning {
	out := meaningful
	for _, u := range d.rest {
		n, a := u.written, u.given
		switch {
		case a.t != nil:
			t, s := l.substitute(n, in)
			if s == meaningful && t.String() != a.t.String() {
				s = meaningless
			}
			out = out.also(s)
		case a.v != nil:
			if v, ok := l.constValue(n, in); !ok {
				out = out.also(obscure)
			} else if (targ{v: &v}).String() != a.String() {
				out = meaningless
			}
		default:
			out = out.also(obscure)
		}
	}
	return out
}

// doubt notes that the function hangs on a choice that was not understood.
func (l *lowerer) doubt(r *record) {
	if r.doubt != "" {
		l.addDoubts(r.doubt)
	}
}

func (l *lowerer) addDoubts(reasons ...string) {
	for _, r := range reasons {
		if !slices.Contains(l.doubts, r) {
			l.doubts = append(l.doubts, r)
		}
	}
}
