// This file shows a fix as a small diff: whole lines, with one line of context.

package report

import (
	"sort"
	"strings"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
)

const diffContext = 1 // unchanged lines shown before and after a change

// hunk is a run of lines of one file and what they become.
type hunk struct {
	file     *source.File
	line     int // the first old line, from 1
	old, new []string
}

// hunks applies the edits of a fix to the lines that they touch. Edits whose file can't be
// read are left out. Edits of a fix don't overlap.
func hunks(files source.Provider, edits []race.Edit) []hunk {
	edits = append([]race.Edit(nil), edits...)
	sort.SliceStable(edits, func(i, j int) bool {
		a, b := edits[i].Span, edits[j].Span
		if a.File != b.File {
			return a.File < b.File
		}
		return a.Start < b.Start
	})
	var out []hunk
	for len(edits) > 0 {
		file, ok := files.File(edits[0].Span.File)
		n := 1
		if ok {
			n = adjacent(file, edits)
			out = append(out, newHunk(file, edits[:n]))
		}
		edits = edits[n:]
	}
	return out
}

// adjacent counts the edits at the front of the list that belong in one hunk.
func adjacent(file *source.File, edits []race.Edit) int {
	n := 1
	for n < len(edits) && edits[n].Span.File == file.Path &&
		file.Position(edits[n].Span.Start).Line <= file.Position(edits[n-1].Span.End).Line+diffContext {
		n++
	}
	return n
}

// newHunk applies edits that are sorted by their start. Spans that don't fit are cut to what
// does, so that a defective fix is shown rather than ending the program.
func newHunk(file *source.File, edits []race.Edit) hunk {
	first, last := file.Position(edits[0].Span.Start).Line, 1
	for _, e := range edits {
		last = max(last, file.Position(e.Span.Start).Line, file.Position(e.Span.End).Line)
	}
	start, _ := file.LineBounds(first)
	_, end := file.LineBounds(last)
	var b strings.Builder
	at := start
	for _, e := range edits {
		from := min(max(e.Span.Start, at), len(file.Text))
		b.WriteString(file.Text[at:from])
		b.WriteString(e.Text)
		at = min(max(e.Span.End, from), len(file.Text))
	}
	b.WriteString(file.Text[at:max(at, end)])
	h := hunk{file: file, line: first, old: splitLines(file.Text[start:end]), new: splitLines(b.String())}
	h.trim()
	return h
}

// trim drops the lines at both ends that stay as they are.
func (h *hunk) trim() {
	for len(h.old) > 0 && len(h.new) > 0 && h.old[0] == h.new[0] {
		h.old, h.new, h.line = h.old[1:], h.new[1:], h.line+1
	}
	for len(h.old) > 0 && len(h.new) > 0 && h.old[len(h.old)-1] == h.new[len(h.new)-1] {
		h.old, h.new = h.old[:len(h.old)-1], h.new[:len(h.new)-1]
	}
}

func splitLines(s string) []string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimSuffix(lines[i], "\r")
	}
	return lines
}

// show writes the hunk with signs before the lines; numbers are those of the old text up to
// the change and of the new text from there on.
func (h hunk) show(g gutter, s style) []string {
	var out []string
	context := func(from, to, shift int) {
		for line := max(from, 1); line < to && line <= h.file.Lines(); line++ {
			out = append(out, g.number(line+shift, "  "+expand(h.file.Line(line))))
		}
	}
	context(h.line-diffContext, h.line, 0)
	for i, line := range h.old {
		out = append(out, g.number(h.line+i, s.red("- "+expand(line))))
	}
	for i, line := range h.new {
		out = append(out, g.number(h.line+i, s.green("+ "+expand(line))))
	}
	after := h.line + len(h.old)
	context(after, after+diffContext, len(h.new)-len(h.old))
	return out
}

// expand makes a line safe to show, with its tabs as spaces.
func expand(line string) string {
	list, _ := cells(source.New("", line), 1)
	text, _ := window(list, 0)
	return text
}
