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

	// Offsets between which a place is covered; empty for a comment above a kernel.
	from, to int
	// Offsets between which the name of a kernel stands that is covered as a whole.
	kernelFrom, kernelTo int
}

func (c *comment) covers(offset int) bool { return c.from <= offset && offset < c.to }

func (c *comment) coversKernel(offset int) bool { return c.kernelFrom <= offset && offset < c.kernelTo }

// comments returns the suppressions of a file.
func comments(file *source.File) []*comment {
	if !strings.Contains(file.Text, "warplint-ignore") {
		return nil
	}
	code, spans := strip(file)
	var out []*comment
	for _, span := range spans {
		text := strings.TrimSuffix(strings.TrimLeft(file.Slice(span), "/*!<"), "*/")
		if c, ok := parse(text); ok {
			c.span = span
			c.place(file, code)
			out = append(out, &c)
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

// strip returns the text with comments and literals blanked out, all offsets kept, and the
// spans of the comments.
func strip(file *source.File) (code string, spans []source.Span) {
	text := file.Text
	out := []byte(text)
	erase := func(from, to int) {
		for i := from; i < to; i++ {
			if out[i] != '\n' {
				out[i] = ' '
			}
		}
	}
	for at := 0; at < len(text); {
		end := at + 1
		switch rest := text[at:]; {
		case strings.HasPrefix(rest, "//"):
			end = at + lineCommentLength(rest)
			spans = append(spans, source.Span{File: file.Path, Start: at, End: end})
			erase(at, end)
		case strings.HasPrefix(rest, "/*"):
			end = at + until(rest, 2, "*/")
			spans = append(spans, source.Span{File: file.Path, Start: at, End: end})
			erase(at, end)
		case strings.HasPrefix(rest, `R"`):
			end = at + rawStringLength(rest)
			erase(at+1, end)
		case rest[0] == '"' || rest[0] == '\'' && !isDigitSeparator(text, at):
			end = at + quotedLength(rest)
			erase(at+1, end)
		}
		at = end
	}
	return string(out), spans
}

// lineCommentLength goes to the end of the line, or on where a backslash joins the next one.
func lineCommentLength(s string) int {
	for from := 0; ; {
		i := strings.IndexByte(s[from:], '\n')
		if i < 0 {
			return len(s)
		}
		end := from + i
		if !strings.HasSuffix(strings.TrimSuffix(s[:end], "\r"), `\`) {
			return end
		}
		from = end + 1
	}
}

// until returns the length up to and with the end mark, or all of it.
func until(s string, from int, end string) int {
	if i := strings.Index(s[from:], end); i >= 0 {
		return from + i + len(end)
	}
	return len(s)
}

// rawStringLength reads R"mark( … )mark".
func rawStringLength(s string) int {
	open := strings.IndexByte(s, '(')
	if open < 0 || open > 18 {
		return 2
	}
	return until(s, open, ")"+s[2:open]+`"`)
}

// quotedLength reads a string or a character; an unfinished one ends with its line.
func quotedLength(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case s[0]:
			return i + 1
		case '\n':
			return i
		}
	}
	return len(s)
}

// isDigitSeparator tells 1'000 from a character.
func isDigitSeparator(text string, at int) bool {
	hex := func(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f' }
	return at > 0 && at+1 < len(text) && hex(text[at-1]) && hex(text[at+1])
}
