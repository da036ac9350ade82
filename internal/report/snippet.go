// This file defines the excerpt of source text with its marked places, as compilers show it:
//
//	   |
//	18 |     tile[t + 1] = in[i];
//	   |     ^^^^^^^^^^^ write by thread (31,0,0) of block (0,0,0)
//	...
//
// Text is cut into cells first, one for each character, so that marks stand under what they
// mean whatever a tab, a wide character or a byte that is no UTF-8 takes on the screen.

package report

import (
	"fmt"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/warplint/warplint/analysis/source"
)

const (
	tabWidth = 4   // columns between tab stops in an excerpt
	maxWidth = 160 // columns of a source line that an excerpt shows at most
	nearby   = 2   // lines between two marked lines that are shown rather than left out
)

// mark is a place to underline, with what to say of it.
type mark struct {
	span  source.Span
	label string
	paint func(string) string
}

// cell is one character as it is shown.
type cell struct {
	start, end int // byte offsets in the file
	column     int // the screen column that it begins in, from 0
	text       string
}

// cells cuts a line; the width is the number of screen columns that it takes.
func cells(file *source.File, line int) (list []cell, width int) {
	start, end := file.LineBounds(line)
	for at := start; at < end; {
		r, n := utf8.DecodeRuneInString(file.Text[at:end])
		text, w := show(r, width)
		list = append(list, cell{at, at + n, width, text})
		at, width = at+n, width+w
	}
	return list, width
}

// show returns what stands for a character in column, and how many columns that takes. What
// could steer a terminal or reorder the line (controls, bidirectional marks) becomes U+FFFD.
func show(r rune, column int) (string, int) {
	switch {
	case r == '\t':
		n := tabWidth - column%tabWidth
		return strings.Repeat(" ", n), n
	case r == '\f' || r == '\v': // some sources have them between functions
		return " ", 1
	case r == '\uFEFF': // a byte order mark
		return "", 0
	case unicode.In(r, unicode.Mn, unicode.Me):
		return string(r), 0
	case !unicode.IsPrint(r) || r == utf8.RuneError:
		return "\uFFFD", 1
	case unicode.Is(wide, r):
		return string(r), 2
	}
	return string(r), 1
}

// wide holds the characters that terminals show in two columns (Unicode's East Asian Width W and F).
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x1100, Hi: 0x115F, Stride: 1}, {Lo: 0x2E80, Hi: 0x303E, Stride: 1}, {Lo: 0x3041, Hi: 0x4DBF, Stride: 1},
		{Lo: 0x4E00, Hi: 0xA4CF, Stride: 1}, {Lo: 0xA960, Hi: 0xA97C, Stride: 1}, {Lo: 0xAC00, Hi: 0xD7A3, Stride: 1},
		{Lo: 0xF900, Hi: 0xFAFF, Stride: 1}, {Lo: 0xFE30, Hi: 0xFE6F, Stride: 1}, {Lo: 0xFF01, Hi: 0xFF60, Stride: 1},
		{Lo: 0xFFE0, Hi: 0xFFE6, Stride: 1},
	},
	R32: []unicode.Range32{
		{Lo: 0x1F300, Hi: 0x1F64F, Stride: 1}, {Lo: 0x1F680, Hi: 0x1F6FF, Stride: 1}, {Lo: 0x1F900, Hi: 0x1F9FF, Stride: 1},
		{Lo: 0x20000, Hi: 0x3FFFD, Stride: 1},
	},
}

// printable makes any text safe to show on a terminal, in one line.
func printable(s string) string {
	var b strings.Builder
	for _, r := range s {
		text, _ := show(r, 0)
		b.WriteString(text)
	}
	return b.String()
}

// gutter is the column of line numbers to the left of an excerpt.
type gutter struct {
	width int
	paint func(string) string
}

func (g gutter) number(n int, text string) string {
	return strings.TrimRight(fmt.Sprintf("%s %s", g.paint(fmt.Sprintf("%*d |", g.width, n)), text), " ")
}

func (g gutter) blank(text string) string {
	return strings.TrimRight(fmt.Sprintf("%s %s", g.paint(strings.Repeat(" ", g.width)+" |"), text), " ")
}

func (g gutter) arrow(text string) string {
	return fmt.Sprintf("%s %s", g.paint(strings.Repeat(" ", g.width)+"-->"), text)
}

func (g gutter) note(text string) string {
	return fmt.Sprintf("%s %s", g.paint(strings.Repeat(" ", g.width)+" ="), text)
}

// excerpt shows the marked lines of one file, in order of the text.
func excerpt(g gutter, file *source.File, marks []mark) []string {
	byLine := map[int][]mark{}
	var lines []int
	for _, m := range marks {
		line := file.Position(m.span.Start).Line
		if byLine[line] == nil {
			lines = append(lines, line)
		}
		byLine[line] = append(byLine[line], m)
	}
	sort.Ints(lines)
	out := []string{g.blank("")}
	for i, line := range lines {
		if i > 0 {
			out = append(out, between(g, file, lines[i-1], line)...)
		}
		out = append(out, markedLine(g, file, line, byLine[line])...)
	}
	return append(out, g.blank(""))
}

// between shows the lines from one marked line to the next, or that some are left out.
func between(g gutter, file *source.File, from, to int) []string {
	if to-from-1 > nearby {
		return []string{g.paint("...")}
	}
	var out []string
	for line := from + 1; line < to; line++ {
		list, _ := cells(file, line)
		text, _ := window(list, 0)
		out = append(out, g.number(line, text))
	}
	return out
}

// markedLine shows a line and under it one row for each mark.
func markedLine(g gutter, file *source.File, line int, marks []mark) []string {
	list, width := cells(file, line)
	first := width
	for _, m := range marks {
		at, _ := columns(list, width, m.span)
		first = min(first, at)
	}
	text, left := window(list, first)
	out := []string{g.number(line, text)}
	for _, m := range marks {
		from, to := columns(list, width, m.span)
		from, to = clamp(from-left, maxWidth), clamp(to-left, maxWidth)
		row := strings.Repeat(" ", from) + m.paint(strings.Repeat("^", max(to-from, 1))+" "+m.label)
		out = append(out, g.blank(row))
	}
	return out
}

func clamp(column, limit int) int { return min(max(column, 0), limit) }

// columns returns the screen columns that a span takes on a line; what lies on later lines is cut.
func columns(list []cell, width int, s source.Span) (from, to int) {
	from, to = width, width
	for _, c := range list {
		if c.end > s.Start {
			from = c.column
			break
		}
	}
	for _, c := range list {
		if c.start >= s.End {
			to = c.column
			break
		}
	}
	return from, max(from, to)
}

// window cuts a long line to what fits, so that the column first is in it. It returns the
// text and the number of columns cut off on the left, less what a leading "…" takes.
func window(list []cell, first int) (text string, left int) {
	from := 0
	if first > maxWidth*3/4 {
		from = first - maxWidth/4
	}
	var b strings.Builder
	for _, c := range list {
		switch {
		case c.column < from:
			continue
		case b.Len() == 0 && from > 0:
			left = c.column - 1
			b.WriteString("…")
		case c.column-left >= maxWidth:
			return b.String() + "…", left
		}
		b.WriteString(c.text)
	}
	return b.String(), left
}
