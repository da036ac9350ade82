package lsp

// This file defines how places in an older text are found in a newer one. What a run has shown
// belongs to the text that ran; the text goes on being edited. Lines are matched by what they
// say, without their indentation: those at both ends that are equal, then, between them, those
// that both texts have exactly once, as far as their order agrees, and their equal neighbours
// (patience diff). Nothing has to be recorded while somebody types, and an edit that is undone
// brings back what it took away.

import (
	"sort"
	"strings"

	"github.com/warplint/warplint/analysis/source"
)

// carrier finds lines of an old text in a new one. Lines count from 0.
type carrier struct {
	old, now           *source.File
	oldLines, nowLines []string
	to                 []int // by old line, the new one that says the same, or -1
}

func newCarrier(old, now *source.File) *carrier {
	c := &carrier{old: old, now: now, oldLines: codeLines(old), nowLines: codeLines(now)}
	c.to = make([]int, len(c.oldLines))
	for i := range c.to {
		c.to[i] = -1
	}
	first, last := 0, 0
	shorter := min(len(c.oldLines), len(c.nowLines))
	for first < shorter && c.oldLines[first] == c.nowLines[first] {
		c.to[first] = first
		first++
	}
	for last < shorter-first && c.oldLines[len(c.oldLines)-1-last] == c.nowLines[len(c.nowLines)-1-last] {
		last++
		c.to[len(c.oldLines)-last] = len(c.nowLines) - last
	}
	c.between(first, len(c.oldLines)-last, first, len(c.nowLines)-last)
	return c
}

func codeLines(f *source.File) []string {
	lines := make([]string, f.Lines())
	for i := range lines {
		lines[i] = strings.TrimSpace(f.Line(i + 1))
	}
	return lines
}

// between matches the old lines [a, b) with the new lines [x, y).
func (c *carrier) between(a, b, x, y int) {
	type once struct{ old, now, n, m int }
	count := map[string]*once{}
	for i := a; i < b; i++ {
		if count[c.oldLines[i]] == nil {
			count[c.oldLines[i]] = &once{}
		}
		count[c.oldLines[i]].old, count[c.oldLines[i]].n = i, count[c.oldLines[i]].n+1
	}
	for i := x; i < y; i++ {
		if o := count[c.nowLines[i]]; o != nil {
			o.now, o.m = i, o.m+1
		}
	}
	var pairs [][2]int
	for i := a; i < b; i++ {
		if o := count[c.oldLines[i]]; o.n == 1 && o.m == 1 {
			pairs = append(pairs, [2]int{o.old, o.now})
		}
	}
	for _, p := range rising(pairs) {
		c.to[p[0]] = p[1]
	}
	for i := a; i < b; i++ { // downwards from each match
		if c.to[i] < 0 && i > 0 && c.to[i-1] >= 0 {
			if j := c.to[i-1] + 1; j < y && c.oldLines[i] == c.nowLines[j] && !c.taken(i, j) {
				c.to[i] = j
			}
		}
	}
	for i := b - 1; i >= a; i-- { // and upwards
		if c.to[i] < 0 && i+1 < len(c.to) && c.to[i+1] >= 0 {
			if j := c.to[i+1] - 1; j >= x && c.oldLines[i] == c.nowLines[j] && !c.taken(i, j) {
				c.to[i] = j
			}
		}
	}
}

// taken reports whether a line of the new text has another partner than the old line i; the
// nearest matches on both sides tell, since all of them are in order.
func (c *carrier) taken(i, j int) bool {
	for k := i - 1; k >= 0; k-- {
		if c.to[k] >= 0 {
			if c.to[k] >= j {
				return true
			}
			break
		}
	}
	for k := i + 1; k < len(c.to); k++ {
		if c.to[k] >= 0 {
			return c.to[k] <= j
		}
	}
	return false
}

// rising returns a longest part of the pairs in which the second numbers rise, as the first do.
func rising(pairs [][2]int) [][2]int {
	ends := []int{} // by length, the pair with the least second number that ends such a part
	before := make([]int, len(pairs))
	for i, p := range pairs {
		at := sort.Search(len(ends), func(k int) bool { return pairs[ends[k]][1] >= p[1] })
		before[i] = -1
		if at > 0 {
			before[i] = ends[at-1]
		}
		if at == len(ends) {
			ends = append(ends, i)
		} else {
			ends[at] = i
		}
	}
	out := make([][2]int, len(ends))
	if len(ends) == 0 {
		return out
	}
	for i, k := len(ends)-1, ends[len(ends)-1]; k >= 0; i, k = i-1, before[k] {
		out[i] = pairs[k]
	}
	return out
}

// span returns where an old span is now; same is false if its lines have changed. If nothing is
// left of them, ok is false.
func (c *carrier) span(s source.Span) (now source.Span, same, ok bool) {
	first, last := c.old.Position(s.Start).Line-1, c.old.Position(s.End).Line-1
	if c.unchanged(first, last) {
		return source.Span{File: c.now.Path, Start: c.offset(s.Start), End: c.offset(s.End)}, true, true
	}
	line, ok := c.near(first)
	if !ok {
		return source.Span{}, false, false
	}
	return codeOf(c.now, line+1), false, true
}

// unchanged reports whether old lines stand in the new text one behind the other.
func (c *carrier) unchanged(first, last int) bool {
	for i := first; i <= last; i++ {
		if i < 0 || i >= len(c.to) || c.to[i] < 0 || c.to[i] != c.to[first]+i-first {
			return false
		}
	}
	return true
}

// offset carries a place on an unchanged line; it keeps its distance from the line's first letter.
func (c *carrier) offset(old int) int {
	line := c.old.Position(old).Line
	start, _ := c.old.LineBounds(line)
	now, end := c.now.LineBounds(c.to[line-1] + 1)
	return min(max(now, now+(old-start)-indent(c.old.Line(line))+indent(c.now.Line(c.to[line-1]+1))), end)
}

// near returns the line that took an old line's place between its unchanged neighbours.
func (c *carrier) near(old int) (int, bool) {
	above, below := old, old
	for above >= 0 && c.to[above] < 0 {
		above--
	}
	for below < len(c.to) && c.to[below] < 0 {
		below++
	}
	first, end := 0, len(c.nowLines)
	if above >= 0 {
		first = c.to[above] + 1
	}
	if below < len(c.to) {
		end = c.to[below]
	}
	if above == old { // itself unchanged, but not what belongs to it
		return c.to[old], true
	}
	return min(first+old-above-1, end-1), first < end
}

func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

// codeOf is the text of a line, without its indentation, its comment and its semicolon.
func codeOf(f *source.File, line int) source.Span {
	start, end := f.LineBounds(line)
	text := f.Text[start:end]
	if at := strings.Index(text, "//"); at > 0 {
		text = text[:at]
	}
	start += indent(text)
	text = strings.TrimSpace(text)
	return source.Span{File: f.Path, Start: start, End: start + len(strings.TrimRight(text, "; {"))}
}

// bodyEnd returns the line, from 0, on which the function ends whose head begins at a line: where
// its braces are closed. Comments and literals are no braces.
func bodyEnd(f *source.File, line int) int {
	at, _ := f.LineBounds(line + 1)
	depth := 0
	for at < len(f.Text) {
		rest := f.Text[at:]
		switch {
		case strings.HasPrefix(rest, "//"):
			at += lengthTo(rest, "\n")
			continue
		case strings.HasPrefix(rest, "/*"):
			at += lengthTo(rest, "*/")
			continue
		case rest[0] == '"' || rest[0] == '\'':
			at += literal(rest)
			continue
		case rest[0] == '{':
			depth++
		case rest[0] == '}':
			if depth--; depth <= 0 {
				return f.Position(at).Line - 1
			}
		case rest[0] == ';' && depth == 0: // a declaration only
			return f.Position(at).Line - 1
		}
		at++
	}
	return f.Lines() - 1
}

func lengthTo(text, end string) int {
	if at := strings.Index(text, end); at >= 0 {
		return at + len(end)
	}
	return len(text)
}

// literal returns the length of the literal at the beginning of a text.
func literal(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case text[0]:
			return i + 1
		case '\n':
			return i // a digit separator, or half a literal
		}
	}
	return len(text)
}
