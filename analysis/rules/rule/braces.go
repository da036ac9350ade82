package rule

import (
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
	"github.com/warplint/warplint/analysis/syntax"
)

// This file gives braces to loops that have none, for a statement that goes round with what is in them.

// braced returns, for each loop without braces around both accesses, innermost first, the edits that put a statement behind its body, and
// those that put it before.
func (c *Case) braced(statement string) (out [][]race.Edit) {
	a, b := c.Site(c.A), c.Site(c.B)
	f, ok := c.Files.File(a.Span.File)
	if !ok || a.Span.File != b.Span.File || !a.Macro.IsZero() || !b.Macro.IsZero() {
		return nil
	}
	for _, n := range syntax.WrittenIn(f).Around(a.Span) {
		body := n.Child("body")
		if kind(n) != "for_statement" && kind(n) != "while_statement" && kind(n) != "for_range_loop" || body == nil ||
			kind(body) == "compound_statement" || n.HasError || a.Span.Start < body.Start || b.Span.Start < body.Start || b.Span.End > body.End {
			continue
		}
		out = append(out, inBraces(f, n, body, statement)...)
	}
	return out
}

// inBraces are the edits that put a statement behind the body of a loop, and those that put it before.
func inBraces(f *source.File, loop, body *syntax.Node, statement string) (out [][]race.Edit) {
	header := loop.Children[slices.Index(loop.Children, body)-1].End
	insert := func(at int, text string) race.Edit {
		return race.Edit{Span: source.Span{File: f.Path, Start: at, End: at}, Text: text}
	}
	between := f.Text[header:body.Start]
	if !strings.Contains(between, "\n") {
		open := insert(header, " {")
		statement = strings.ReplaceAll(statement, "\n", " ")
		return [][]race.Edit{
			{open, insert(body.End, " "+statement+" }")},
			{open, insert(body.Start, statement+" "), insert(body.End, " }")},
		}
	}
	indent := func(at int) string {
		start, _ := f.LineBounds(f.Position(at).Line)
		return blank(f.Text[start:at])
	}
	line := lineEnd(f) + indent(body.Start) + lines(f, statement, indent(body.Start))
	end := lineEnd(f) + indent(loop.Start) + "}"
	open, last := insert(header, " {"), behindComments(f, body.End)
	out = append(out, []race.Edit{open, insert(last, line+end)})
	if !strings.Contains(between, "#") {
		out = append(out, []race.Edit{insert(header, " {"+line), insert(last, end)})
	}
	return out
}
