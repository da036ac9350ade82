package syntax

// This file reads a file's own text, as it is written: that is what a fix changes, not the expanded text.

import (
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/source"
)

// withoutDirectives makes the directives of a text blank, with the lines that a backslash joins to them, and keeps all offsets.
// It gives what stands behind each # to note.
func withoutDirectives(text string, note func(directive string)) string {
	var b strings.Builder
	b.Grow(len(text))
	goesOn := false
	for line := range strings.Lines(text) {
		directive, begins := strings.CutPrefix(strings.TrimLeft(line, " \t"), "#")
		if !begins && !goesOn {
			b.WriteString(line)
			continue
		}
		if !goesOn {
			note(directive)
		}
		body := strings.TrimRight(line, "\r\n")
		goesOn = strings.HasSuffix(body, "\\")
		b.WriteString(strings.Repeat(" ", len(body)))
		b.WriteString(line[len(body):])
	}
	return b.String()
}

// Written is a file's own text. No macro is expanded, and all branches of conditionals stand one behind the other,
// so there may be errors that a unit has not.
type Written struct {
	text   string // without directives
	pieces []piece
	parsed map[int]*chunk // by where they start
}

// WrittenIn reads a file. One that is binary or larger than what can be parsed has nothing in it.
func WrittenIn(file *source.File) *Written {
	w := &Written{parsed: map[int]*chunk{}}
	if file.IsBinary() || len(file.Text) > maxText {
		return w
	}
	w.text = withoutDirectives(file.Text, func(string) {})
	w.pieces = split(w.text)
	return w
}

// Around returns the nodes that hold a span of the file, innermost first, up to the declaration at the top. Their
// offsets are those of the file.
func (w *Written) Around(at source.Span) (nodes []*Node) {
	i := slices.IndexFunc(w.pieces, func(p piece) bool { return p.kind == item && p.start <= at.Start && at.End <= p.end })
	if i < 0 || at.Start >= at.End {
		return nil
	}
	for n := w.item(w.pieces[i]); n != nil; n = n.childAround(at) {
		nodes = append(nodes, n)
	}
	slices.Reverse(nodes)
	return nodes
}

// All gives the declarations at the top, in order.
func (w *Written) All() iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		for _, p := range w.pieces {
			if p.kind == item && !yield(w.item(p)) {
				return
			}
		}
	}
}

func (w *Written) item(p piece) *Node {
	c := w.parsed[p.start]
	if c == nil {
		c = &chunk{piece: p, text: w.text[p.start:p.end]}
		c.parse(context.Background())
		w.parsed[p.start] = c
	}
	return &c.nodes[0]
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
