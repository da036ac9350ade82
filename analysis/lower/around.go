package lower

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/syntax"
)

// This file tells types apart that one text declares: a lambda or a class of a function template is another one for each of its
// instances, and so are the kernels that get it.

// textual is a lambda or a local class as one of the instances of its text.
type textual struct {
	node   *syntax.Node
	around string
}

// numberIn returns the number of a textual type among those of its kind in the unit.
func numberIn(all map[textual]int, n *syntax.Node, around string) int {
	key := textual{n, around}
	id, ok := all[key]
	if !ok {
		id = len(all) + 1
		all[key] = id
	}
	return id
}

// around writes what the scopes around a text bind: arguments of templates, and types of variables.
func around(s *scope) string {
	var b strings.Builder
	for ; s != nil && s.kind != scopeNamespace; s = s.parent {
		if s.kind == scopeClass {
			if s.rec != nil {
				b.WriteString(s.rec.name)
			}
			b.WriteByte(';')
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(s.syms)) {
			for _, sym := range s.syms[name] {
				switch {
				case sym.kind == symPack:
					fmt.Fprintf(&b, "%s=%s,", name, argsKey(sym.pack))
				case sym.kind == symAlias && sym.t != nil && s.kind == scopeTemplate:
					fmt.Fprintf(&b, "%s=%s,", name, sym.t)
				case sym.kind == symVar && sym.v != nil && s.kind == scopeTemplate:
					fmt.Fprintf(&b, "%s=%s,", name, sym.v.key())
				case sym.kind == symVar && sym.v != nil && sym.v.t != nil:
					fmt.Fprintf(&b, "%s:%s,", name, sym.v.t)
				}
			}
		}
		b.WriteByte(';')
	}
	return b.String()
}

// constants writes what a lambda of the host names that a kernel does not get as a parameter, as its value is known.
func (l *lowerer) constants(lambda *syntax.Node, env *scope) string {
	var b strings.Builder
	seen := map[string]bool{}
	walk(lambda, func(k *syntax.Node) bool {
		name := l.text(k)
		if k.Kind != "identifier" || seen[name] {
			return true
		}
		seen[name] = true
		for s := env; s != nil && s.kind != scopeNamespace; s = s.parent {
			if syms := s.syms[name]; len(syms) > 0 {
				if v := syms[0].v; v != nil && isFixed(*v) {
					fmt.Fprintf(&b, "%s=%s,", name, v.key())
				}
				break
			}
		}
		return true
	})
	return b.String()
}

// isFixed reports whether a captured value is known when a kernel is lowered.
func isFixed(v value) bool { return v.cat == vStatic || v.cat == vFns || allConst(v) }

// isLocal reports whether a scope is one of a function, or of a class in one.
func isLocal(s *scope) bool {
	for ; s != nil && s.kind != scopeNamespace; s = s.parent {
		if s.kind == scopeFunction {
			return true
		}
	}
	return false
}

// key writes a value that is known at compile time; other ones are alike.
func (v value) key() string {
	if c, ok := v.x.(*ir.Const); ok && v.cat == vRval {
		if c.T.IsFloat() {
			return fmt.Sprint(c.Float())
		}
		return fmt.Sprint(c.Int())
	}
	switch {
	case v.fns != nil:
		return v.fns.key()
	case v.cat == vAgg && v.t != nil:
		parts := []string{v.t.String()}
		for _, e := range v.elems {
			parts = append(parts, e.key())
		}
		return "{" + strings.Join(parts, ",") + "}"
	case v.cat == vStatic && v.t != nil:
		return v.t.String()
	}
	return "?"
}

// moveTo has a local class see the function as it is lowered now.
func (r *record) moveTo(sym *symbol) {
	for s := r.scope; s != nil; s = s.parent {
		if s.parent == r.sym.scope {
			s.parent = sym.scope
			break
		}
	}
	r.sym = sym
}

// key writes which function is meant. Explicit template arguments are told apart by where they stand.
func (f *fnset) key() string {
	name := f.name
	if len(f.syms) > 0 && f.syms[0].scope != nil {
		switch s := f.syms[0].scope; {
		case s.kind == scopeClass && s.rec != nil:
			name = joinPath(s.rec.name, name)
		default:
			name = joinPath(s.path, name)
		}
	}
	if f.args != nil {
		name += "<" + itoa(f.args.Start) + ";" + around(f.scope) + ">"
	}
	return name
}
