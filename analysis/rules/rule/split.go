package rule

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/syntax"
)

// This file splits an assignment whose two sides race, as `s[t] = s[t + 1]` does.

// split takes the place of an assignment that reads what others write by it: it reads into a variable, executes a
// statement, and writes behind that; under a condition, that statement stands outside of it. Where a loop comes back to the assignment, the
// statement may have to be executed behind it as well.
func (c *Case) split(statement string) (parted, twice []race.Edit) {
	span, ok := c.statement(c.A.Stmt)
	other, also := c.statement(c.B.Stmt)
	f, read := c.Files.File(span.File)
	if !ok || !also || !read || span != other || c.A.Stmt == c.B.Stmt {
		return nil, nil
	}
	reader, writer := c.Site(c.A), c.Site(c.B)
	if c.A.Writes() {
		reader, writer = writer, reader
	}
	p := written(f, writer.Span)
	n, whole := p.parent(0), p.parent(1)
	if kind(n) != "assignment_expression" || !p.same(n.Child("left")) || kind(whole) != "expression_statement" {
		return nil, nil
	}
	for _, a := range []*access.Access{c.A, c.B} {
		if at := c.Site(a).Span; at.File != span.File || at.Start < whole.Start || at.End > whole.End {
			return nil, nil
		}
	}
	right, left := p.text(n.Child("right")), p.text(n.Child("left"))+" "+p.text(n.Child("operator"))+" "
	add := func(around int, lines ...string) {
		all := strings.Split(strings.Join(lines, "\n"), "\n")
		parted = append(parted, p.inPlace(around, all))
		twice = append(twice, p.inPlace(around, append(all, strings.Split(statement, "\n")...)))
	}
	t := "" // of the variable: that to which the assignment converts
	switch {
	case p.text(n.Child("operator")) == "=":
		t = c.typeOf(writer, p)
	case squeezed(right) == squeezed(f.Slice(reader.Span)):
		t = c.typeOf(reader, written(f, reader.Span))
	}
	name, declared := p.variable(1, t)
	begun := name
	if !declared {
		begun = cmp.Or(t, "auto") + " " + name
	}
	add(1, begun+" = "+right+";", statement, left+name+";")
	around, condition := p.guard()
	if t == "" || !pure(condition) {
		return parted, twice
	}
	asked := "if " + p.text(p.parent(around).Child("condition")) + " "
	name, declared = p.variable(around, t)
	lines := []string{asked + name + " = " + right + ";", statement, asked + left + name + ";"}
	if !declared {
		lines = slices.Insert(lines, 0, t+" "+name+" = 0;")
	}
	add(around, lines...)
	return parted, twice
}

var numbers = []string{"int", "unsigned int", "long", "unsigned long", "long long", "unsigned long long", "float", "double"}

// typeOf is the type of a place as a declaration may name it, empty if that is not known to be a number's. Where the instances of a template
// differ, that is the template's parameter.
func (c *Case) typeOf(site ir.Site, p place) string {
	types := c.typesAt(site)
	if slices.ContainsFunc(types, func(t string) bool { return !slices.Contains(numbers, t) }) {
		return ""
	}
	if len(types) == 1 {
		return types[0]
	}
	array := p.nodes[0].Child("argument")
	if p.nodes[0].Kind != "subscript_expression" || kind(array) != "identifier" {
		return ""
	}
	s := scopes{p.f, syntax.WrittenIn(p.f)}
	declared := s.declaration(p.nodes, s.slice(array), p.at.Start).Child("type")
	for _, n := range p.nodes {
		for parameter := range n.Child("parameters").NamedChildren() {
			if n.Kind == "template_declaration" && kind(declared) == "type_identifier" && p.text(parameter.ChildByKind("type_identifier")) == p.text(declared) {
				return p.text(declared)
			}
		}
	}
	return ""
}

// variable is the name of one for a value of a type, in the place of a node around a place. It is declared if a split in front of the node has
// declared it and nobody reads it any more.
func (p place) variable(around int, t string) (name string, declared bool) {
	n, list := p.parent(around), p.parent(around+1)
	if kind(list) == "compound_statement" && t != "" {
		for _, s := range list.Children {
			d := s.ChildByKind("init_declarator").Child("declarator")
			if name := p.text(d); s.Start < n.Start && splits.MatchString(name) && p.text(s.Child("type")) == t && len(expressions(s)) == 2 && !names(p.f.Text[n.Start:list.End], name) {
				return name, true
			}
		}
	}
	name = "value"
	for i := 2; p.visible(name); i++ {
		name = fmt.Sprint("value", i)
	}
	return name, false
}

var splits = regexp.MustCompile(`^value\d*$`)

// names reports whether a text has a name.
func names(text, name string) bool { return regexp.MustCompile(`\b` + name + `\b`).MatchString(text) }

// visible reports whether the function of a place has a name, but for what blocks beside it declare for themselves.
func (p place) visible(name string) bool {
	var has func(n *syntax.Node) bool
	has = func(n *syntax.Node) bool {
		if n.Kind == "compound_statement" && (n.Start > p.at.Start || n.End < p.at.End) && slices.ContainsFunc(n.Children, func(s *syntax.Node) bool {
			return p.text(s.ChildByKind("init_declarator").Child("declarator")) == name
		}) {
			return false
		}
		return len(n.Children) == 0 && p.text(n) == name || slices.ContainsFunc(n.Children, has)
	}
	return has(p.nodes[len(p.nodes)-1])
}

// guard is the if statement that holds only the assignment to a place, and its condition.
func (p place) guard() (around int, condition *syntax.Node) {
	around = 2
	if n := p.parent(around); kind(n) == "compound_statement" && len(expressions(n)) == 1 {
		around++
	}
	n := p.parent(around)
	if kind(n) != "if_statement" || n.Child("alternative") != nil || n.Child("consequence") != p.parent(around-1) || comment.MatchString(p.text(n)) {
		return 0, nil
	}
	return around, unwrapped(n.Child("condition"))
}

// pure reports whether an expression asks of variables only, so that it gives the same once more.
func pure(n *syntax.Node) bool {
	if n == nil {
		return false
	}
	for n := range n.All() {
		switch n.Kind {
		case "binary_expression", "unary_expression", "parenthesized_expression", "field_expression", "identifier", "field_identifier", "number_literal", "true", "false":
		default:
			if n.Named {
				return false
			}
		}
	}
	return true
}

// inPlace puts statements in the place of a node around another place, in braces where they do not stand among others.
func (p place) inPlace(around int, statements []string) race.Edit {
	n, outer := p.parent(around), p.parent(around+1)
	at := p.spanOf(n, n)
	start, _ := p.f.LineBounds(p.f.Position(n.Start).Line)
	indent, end := p.f.Text[start:n.Start], lineEnd(p.f)
	among, own := kind(outer) == "compound_statement", strings.TrimSpace(indent) == ""
	switch {
	case among && own:
		return race.Edit{Span: at, Text: strings.Join(statements, end+indent)}
	case among:
		return race.Edit{Span: at, Text: strings.Join(statements, " ")}
	case !own:
		return race.Edit{Span: at, Text: "{ " + strings.Join(statements, " ") + " }"}
	}
	start, _ = p.f.LineBounds(p.f.Position(outer.Start).Line)
	outside := blank(p.f.Text[start:outer.Start])
	if header := outer.Children[slices.Index(outer.Children, n)-1]; !isStatement(header) && !strings.Contains(p.f.Text[header.End:n.Start], "#") {
		at.Start = header.End
		return race.Edit{Span: at, Text: " {" + p.f.Text[at.Start:n.Start] + strings.Join(statements, end+indent) + end + outside + "}"}
	}
	deeper := indent + strings.TrimPrefix(indent, outside)
	return race.Edit{Span: at, Text: "{" + end + deeper + strings.Join(statements, end+deeper) + end + indent + "}"}
}

// isStatement reports whether a node is a statement, rather than what leads to one.
func isStatement(n *syntax.Node) bool {
	return strings.HasSuffix(n.Kind, "_statement") || n.Kind == "declaration"
}
