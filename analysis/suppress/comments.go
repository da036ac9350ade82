// This file finds comments in source text, and what each of them covers.

package suppress

import (
	"strings"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
)

// comment is a suppression.
type comment struct {
	span     source.Span
	nextLine bool
	rules    []race.Rule
	used     []bool // for each rule
	reason   string
	meant    string // what is written in place of warplint-ignore; such a comment covers nothing

	// Offsets between which a place is covered; empty for a comment above a kernel.
	from, to int
	// Offsets between which the name of a kernel stands that is covered as a whole.
	kernelFrom, kernelTo int
}

func (c *comment) covers(offset int) bool { return c.from <= offset && offset < c.to }

func (c *comment) coversKernel(offset int) bool { return c.kernelFrom <= offset && offset < c.kernelTo }

// comments returns the suppressions of a file.
func comments(file *source.File) []*comment {
	if !mentions(file.Text) {
		return nil
	}
	code, spans := file.Code()
	var out []*comment
	for _, span := range spans {
		text := strings.TrimSuffix(strings.TrimLeft(file.Slice(span), "/*!<"), "*/")
		if c, ok := parse(text); ok {
			c.span = span
			c.place(file, code)
			out = append(out, &c)
		} else if written := misspelt(text); written != "" {
			out = append(out, &comment{span: span, meant: written})
		}
	}
	return out
}

// place finds out what a comment covers. Behind code it is about its line, alone on its line
// about the next line of code, or about a kernel whose definition begins there.
func (c *comment) place(file *source.File, code string) {
	line := file.Position(c.span.Start).Line
	start, end := file.LineBounds(line)
	if !blank(code[start:end]) && !c.nextLine {
		c.from, c.to = start, end+1
		c.kernelFrom, c.kernelTo = start, end+1
		return
	}
	next := file.Position(c.span.End).Line + 1
	for next <= file.Lines() && blank(lineOf(file, code, next)) {
		next++
	}
	if next > file.Lines() {
		return
	}
	start, end = file.LineBounds(next)
	if c.nextLine {
		c.from, c.to = start, end+1
		return
	}
	c.kernelFrom, c.kernelTo = start, len(code)
	if at := strings.IndexAny(code[start:], ";{}"); at >= 0 {
		c.kernelTo = start + at
	}
}

func lineOf(file *source.File, code string, line int) string {
	start, end := file.LineBounds(line)
	return code[start:end]
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }
