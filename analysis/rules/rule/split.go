package rule

import (
	"regexp"
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/access"
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
	name := p.unused("value")
	right, write := p.text(n.Child("right")), p.text(n.Child("left"))+" "+p.text(n.Child("operator"))+" "+name+";"
	add := func(around int, lines ...string) {
		at := p.spanOf(p.parent(around), p.parent(around))
		all := strings.Split(strings.Join(lines, "\n"), "\n")
		parted = append(parted, race.Edit{Span: at, Text: p.inPlace(around, all)})
		twice = append(twice, race.Edit{Span: at, Text: p.inPlace(around, append(all, strings.Split(statement, "\n")...))})
	}
	add(1, "auto "+name+" = "+right+";", statement, write)
	t := writer.Type // to which an assignment converts
	if p.text(n.Child("operator")) != "=" {
		if t = reader.Type; squeezed(right) != squeezed(f.Slice(reader.Span)) {
			return parted, twice
		}
	}
	around, condition := p.guard()
	if !pure(condition) || !slices.Contains([]string{"int", "unsigned int", "long", "unsigned long", "long long", "unsigned long long", "float", "double"}, t) {
		return parted, twice
	}
	asked := "if " + p.text(p.parent(around).Child("condition")) + " "
	add(around, t+" "+name+" = 0;", asked+name+" = "+right+";", statement, asked+write)
	return parted, twice
}

// unused is a name that a place's function does not have.
func (p place) unused(name string) string {
	function := p.text(p.nodes[len(p.nodes)-1])
	for regexp.MustCompile(`\b` + name + `\b`).MatchString(function) {
		name += "_"
	}
	return name
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

// inPlace are statements for the place of a node around another place, in braces where they do not stand among others.
func (p place) inPlace(around int, statements []string) string {
	at := p.parent(around).Start
	start, _ := p.f.LineBounds(p.f.Position(at).Line)
	indent, end := p.f.Text[start:at], lineEnd(p.f)
	among, own := kind(p.parent(around+1)) == "compound_statement", strings.TrimSpace(indent) == ""
	switch {
	case among && own:
		return strings.Join(statements, end+indent)
	case among:
		return strings.Join(statements, " ")
	case !own:
		return "{ " + strings.Join(statements, " ") + " }"
	}
	deeper := indent + "    "
	switch {
	case strings.HasPrefix(indent, "\t"):
		deeper = indent + "\t"
	case len(indent)%4 == 2:
		deeper = indent + "  "
	}
	return "{" + end + deeper + strings.Join(statements, end+deeper) + end + indent + "}"
}
