package rule

import (
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/source"
	"github.com/warplint/warplint/analysis/syntax"
)

// This file reads the text around the place of an access, as it is written.

// place is an expression in a file's text and what stands around it.
type place struct {
	f     *source.File
	nodes []*syntax.Node // the place's own first, without those of brackets around it
	at    source.Span
}

// written finds the expression that fills a span. There is nothing around it if none does, or if its statement has errors.
func written(f *source.File, at source.Span) place { return placeIn(syntax.WrittenIn(f), f, at) }

// placeIn is written for one of several places in a file.
func placeIn(text *syntax.Written, f *source.File, at source.Span) place {
	nodes := text.Around(at)
	if len(nodes) == 0 || nodes[0].Start != at.Start || nodes[0].End != at.End {
		return place{f: f, at: at}
	}
	// Of nodes that fill the same span the outermost is the place.
	for len(nodes) > 1 && nodes[1].Start == at.Start && nodes[1].End == at.End && nodes[1].Kind != "argument_list" {
		nodes = nodes[1:]
	}
	statement := slices.IndexFunc(nodes, func(n *syntax.Node) bool { return strings.HasSuffix(n.Kind, "_statement") })
	if statement < 0 || nodes[statement].HasError {
		return place{f: f, at: at}
	}
	own := nodes[0]
	nodes = slices.DeleteFunc(nodes, func(n *syntax.Node) bool { return n != own && n.Kind == "parenthesized_expression" })
	return place{f: f, at: at, nodes: nodes}
}

// parent is a node around the place, nil if there is none; 0 is the next one.
func (p place) parent(i int) *syntax.Node {
	if i+1 >= len(p.nodes) {
		return nil
	}
	return p.nodes[i+1]
}

// discarded reports whether nobody uses what a node around the place gives.
func (p place) discarded(i int) bool {
	n, around := p.parent(i), p.parent(i+1)
	switch kind(around) {
	case "expression_statement":
		return true
	case "comma_expression":
		return around.Child("left") == n || p.discarded(i+1)
	case "conditional_expression":
		return around.Child("condition") != n && p.discarded(i+1)
	case "for_statement":
		return around.Child("update") == n || around.Child("initializer") == n
	}
	return false
}

// stored is the assignment to the place, and the value that it assigns; the value is empty if there is no plain assignment,
// or if somebody uses what it gives.
func (p place) stored() (whole source.Span, value string) {
	n := p.parent(0)
	if kind(n) != "assignment_expression" || p.text(n.Child("operator")) != "=" || !p.same(n.Child("left")) || !p.discarded(0) {
		return source.Span{}, ""
	}
	return source.Span{File: p.f.Path, Start: n.Start, End: n.End}, p.text(n.Child("right"))
}

// expression tells what is written like it.
type expression interface {
	text(n *syntax.Node) string
	same(n *syntax.Node) bool
}

// named is a variable in the text around a place.
type named struct {
	place
	name string
}

func (v named) same(n *syntax.Node) bool { return v.text(unwrapped(n)) == v.name }

// in reports whether a node names the variable.
func (v named) in(n *syntax.Node) bool {
	for n := range n.All() {
		if n.Kind == "identifier" && v.text(n) == v.name {
			return true
		}
	}
	return false
}

func (p place) text(n *syntax.Node) string {
	if n == nil {
		return ""
	}
	return p.f.Text[n.Start:n.End]
}

// same reports whether an expression is written like the place.
func (p place) same(n *syntax.Node) bool {
	return n != nil && squeezed(p.text(unwrapped(n))) == squeezed(p.f.Slice(p.at))
}

// squeezed is a text without blanks.
func squeezed(text string) string { return strings.Join(strings.Fields(text), "") }

// unwrapped is what stands in brackets.
func unwrapped(n *syntax.Node) *syntax.Node {
	for kind(n) == "parenthesized_expression" || kind(n) == "condition_clause" {
		inner := expressions(n)
		if len(inner) != 1 {
			return n
		}
		n = inner[0]
	}
	return n
}

// expressions are the children that are no keywords and no punctuation.
func expressions(n *syntax.Node) []*syntax.Node { return slices.Collect(n.NamedChildren()) }

func kind(n *syntax.Node) string {
	if n == nil {
		return ""
	}
	return n.Kind
}
