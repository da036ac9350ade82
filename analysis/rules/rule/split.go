package rule

import (
	"regexp"
	"strings"

	"github.com/warplint/warplint/analysis/race"
)

// This file splits an assignment whose two sides race, as `s[t] = s[t + 1]` does.

// split takes the place of an assignment that reads what others write by it: it reads into a variable, executes a
// statement, and writes behind that.
func (c *Case) split(statement string) (race.Edit, bool) {
	span, f, ok := c.statement(c.A.Stmt)
	other, _, also := c.statement(c.B.Stmt)
	if !ok || !also || span != other || c.A.Stmt == c.B.Stmt {
		return race.Edit{}, false
	}
	write := c.A
	if c.B.Writes() {
		write = c.B
	}
	p := written(f, c.Site(write).Span)
	n := p.parent(0)
	if kind(n) != "assignment_expression" || !p.same(n.Child("left")) || !p.discarded(0) || p.parent(1).Start != span.Start {
		return race.Edit{}, false
	}
	name := "value"
	for regexp.MustCompile(`\b` + name + `\b`).MatchString(f.Slice(span)) {
		name += "_"
	}
	lines := []string{"{", "auto " + name + " = " + p.text(n.Child("right")) + ";", statement, p.text(n.Child("left")) + " " + p.text(n.Child("operator")) + " " + name + ";", "}"}
	start, _ := f.LineBounds(f.Position(span.Start).Line)
	indent := f.Text[start:span.Start]
	if strings.TrimSpace(indent) != "" {
		return race.Edit{Span: span, Text: strings.Join(lines, " ")}, true
	}
	deeper := indent + "    "
	switch {
	case strings.HasPrefix(indent, "\t"):
		deeper = indent + "\t"
	case len(indent)%4 == 2:
		deeper = indent + "  "
	}
	end := lineEnd(f)
	return race.Edit{Span: span, Text: lines[0] + end + deeper + strings.Join(lines[1:4], end+deeper) + end + indent + lines[4]}, true
}
