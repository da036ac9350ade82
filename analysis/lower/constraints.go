package lower

// This file decides whether a template takes part in a choice of overloads by its constraints:
// requires-clauses, and concepts in the place of typename ([temp.constr]).

import (
	"strings"

	"github.com/warplint/warplint/analysis/syntax"
)

// concept records `concept C = …`, which is evaluated like a variable template of type bool.
func (c *collector) concept(n *syntax.Node, s *scope, tparams *syntax.Node) {
	kids := namedChildren(n)
	if len(kids) < 2 || tparams == nil {
		return
	}
	name := c.text(kids[0])
	s.add(&symbol{kind: symVar, name: name, node: n, decl: kids[0], value: kids[len(kids)-1], tparams: tparams, static: true})
	root := s.root()
	if root.concepts == nil {
		root.concepts = map[string]bool{}
	}
	root.concepts[name] = true
}

// require records the requires-clause of a template.
func (c *collector) require(template *syntax.Node, s *scope) {
	for _, clause := range template.Children {
		if clause.Kind != "requires_clause" {
			continue
		}
		root := s.root()
		if root.requires == nil {
			root.requires = map[*syntax.Node]*syntax.Node{}
		}
		for _, k := range template.Children {
			root.requires[k] = clause
		}
	}
}

// standardConcepts are those of <concepts> that a trait decides.
var standardConcepts = map[string]string{"integral": "is_integral", "floating_point": "is_floating_point", "signed_integral": "is_signed", "unsigned_integral": "is_unsigned", "same_as": "is_same"}

// conceptName is the concept that stands in the place of typename before a template parameter, ""
// if it is a type.
func (l *lowerer) conceptName(n *syntax.Node) string {
	tn := n.Child("type")
	if tn == nil {
		return ""
	}
	_, last := splitQualified(tn)
	if last == nil {
		return ""
	}
	name := l.templateName(last)
	if _, standard := standardConcepts[name]; standard && strings.Contains(l.text(tn), "std::") {
		return name
	}
	for _, p := range l.un.parts {
		if p.global.concepts[name] {
			return name
		}
	}
	return ""
}

// verdict is what is known of a constraint. What is not known counts as if it held.
type verdict struct{ constrained, holds, known bool }

func (v verdict) not() verdict {
	v.holds = !v.holds || !v.known
	return v
}

func (v verdict) and(w verdict) verdict {
	return verdict{v.constrained || w.constrained, v.holds && w.holds, v.known && w.known || v.known && !v.holds || w.known && !w.holds}
}

// satisfied evaluates the constraints of a template whose parameters are bound in a scope.
func (l *lowerer) satisfied(sym *symbol, params []tparam, bound []targ, in *scope) verdict {
	out := verdict{holds: true, known: true}
	for i, p := range params {
		if p.concept == nil {
			continue
		}
		args := []targ{bound[i]}
		if p.pack {
			args = bound[i].pack
		}
		for _, a := range args {
			out = out.and(verdictOf(l.conceptHolds(p, a, in)))
		}
	}
	clauses := []*syntax.Node{sym.scope.root().requires[sym.node]}
	if sym.decl != nil {
		for _, k := range sym.decl.Children {
			if k.Kind == "requires_clause" {
				clauses = append(clauses, k)
			}
		}
	}
	for _, clause := range clauses {
		if kids := namedChildren(clause); len(kids) == 1 {
			out = out.and(l.constraint(kids[0], in))
		} else if clause != nil {
			out = out.and(verdict{constrained: true, holds: true})
		}
	}
	return out
}

func verdictOf(v value, ok bool) verdict { return verdict{true, !ok || !isFalse(v.x), ok} }

// constraint evaluates what stands behind requires.
func (l *lowerer) constraint(n *syntax.Node, in *scope) verdict {
	if n.HasError {
		return verdict{constrained: true, holds: true}
	}
	if kids := namedChildren(n); len(kids) == 2 { // the grammar's fields have the parentheses, too
		switch n.Kind {
		case "constraint_conjunction":
			return l.constraint(kids[0], in).and(l.constraint(kids[1], in))
		case "constraint_disjunction":
			return l.constraint(kids[0], in).not().and(l.constraint(kids[1], in).not()).not()
		}
	}
	return verdictOf(l.constValue(n, in))
}

// conceptHolds evaluates `C<T, A…>` for a parameter that is declared as `C<A…> T`.
func (l *lowerer) conceptHolds(p tparam, a targ, in *scope) (value, bool) {
	args := []targ{a}
	_, last := splitQualified(p.concept)
	if written := last.Child("arguments"); written != nil {
		args = append(args, l.writtenArgs(written, in)...)
	}
	r := l.resolve(p.concept, in)
	if len(r.syms) == 0 {
		return l.boolTrait(standardConcepts[l.templateName(last)], func() []targ { return args })
	}
	c := r.syms[0]
	if c.node == nil || c.node.Kind != "concept_definition" || c.busy {
		return value{}, false
	}
	c.busy = true
	defer func() { c.busy = false }()
	return l.constValue(c.value, l.bindTemplate(c.tparams, args, c.scope))
}
