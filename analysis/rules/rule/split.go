package rule

import (
	"regexp"
	"strings"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
)

// This file splits an assignment whose two sides race, as `s[t] = s[t + 1]` does.

// split takes the place of an assignment that reads what others write by it: it reads into a variable, executes a
// statement, and writes behind that. Where a loop comes back to it, the statement may have to be executed behind that as well.
func (c *Case) split(statement string) (parted, twice race.Edit, ok bool) {
	span, ok := c.statement(c.A.Stmt)
	other, also := c.statement(c.B.Stmt)
	f, read := c.Files.File(span.File)
	if !ok || !also || !read || span != other || c.A.Stmt == c.B.Stmt {
		return parted, twice, false
	}
	write := c.A
	if c.B.Writes() {
		write = c.B
	}
	p := written(f, c.Site(write).Span)
	n := p.parent(0)
	if kind(n) != "assignment_expression" || !p.same(n.Child("left")) || kind(p.parent(1)) != "expression_statement" {
		return parted, twice, false
	}
	span.Start, span.End = p.parent(1).Start, p.parent(1).End
	for _, a := range []*access.Access{c.A, c.B} {
		if at := c.Site(a).Span; at.File != span.File || at.Start < span.Start || at.End > span.End {
			return parted, twice, false
		}
	}
	name := "value"
	for regexp.MustCompile(`\b` + name + `\b`).MatchString(f.Slice(span)) {
		name += "_"
	}
	lines := []string{"auto " + name + " = " + p.text(n.Child("right")) + ";", statement, p.text(n.Child("left")) + " " + p.text(n.Child("operator")) + " " + name + ";"}
	return race.Edit{Span: span, Text: block(f, span, lines)}, race.Edit{Span: span, Text: block(f, span, append(lines, statement))}, true
}

// block are statements in braces, for the place of another one.
func block(f *source.File, at source.Span, statements []string) string {
	start, _ := f.LineBounds(f.Position(at.Start).Line)
	indent := f.Text[start:at.Start]
	if strings.TrimSpace(indent) != "" {
		return "{ " + strings.Join(statements, " ") + " }"
	}
	deeper := indent + "    "
	switch {
	case strings.HasPrefix(indent, "\t"):
		deeper = indent + "\t"
	case len(indent)%4 == 2:
		deeper = indent + "  "
	}
	end := lineEnd(f)
	return "{" + end + deeper + strings.Join(statements, end+deeper) + end + indent + "}"
}
