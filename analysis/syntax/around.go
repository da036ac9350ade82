package syntax

// This file reads a file's own text, as it is written, around one place: what a fix changes is
// there and not in the expanded text.

import (
	"context"
	"regexp"

	"github.com/warplint/warplint/analysis/source"
)

// directiveLines are a directive with the lines that a backslash joins to it.
var directiveLines = regexp.MustCompile(`(?m)^[ \t]*#(?:[^\\\n]|\\(?:\r?\n|.))*`)

// Around returns the nodes that hold a span of a file, innermost first, up to the declaration at the top. Their
// offsets are those of the file. No macro is expanded, and all branches of conditionals stand one behind the other,
// so there may be errors that a unit has not.
func Around(file *source.File, at source.Span) (nodes []*Node) {
	if file.IsBinary() || len(file.Text) > maxText || at.Start >= at.End || at.End > len(file.Text) {
		return nil
	}
	text := []byte(file.Text)
	for _, lines := range directiveLines.FindAllIndex(text, -1) {
		for i := lines[0]; i < lines[1]; i++ {
			if text[i] != '\n' {
				text[i] = ' '
			}
		}
	}
	written := string(text)
	for _, p := range split(written) {
		if p.kind != item || p.start > at.Start || at.End > p.end {
			continue
		}
		c := chunk{piece: p, text: written[p.start:p.end]}
		c.parse(context.Background())
		for n := &c.nodes[0]; n != nil; n = n.childAround(at) {
			nodes = append([]*Node{n}, nodes...)
		}
	}
	return nodes
}

// childAround is the child that holds a span, nil if none does.
func (n *Node) childAround(at source.Span) *Node {
	for _, c := range n.Children {
		if c.Start <= at.Start && at.End <= c.End {
			return c
		}
	}
	return nil
}
