package source

import "strings"

// This file tells code from comments and literals.

// Code returns the text with comments and literals blanked out, all offsets kept, and the
// spans of the comments.
func (f *File) Code() (code string, comments []Span) {
	text := f.Text
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
			comments = append(comments, Span{File: f.Path, Start: at, End: end})
			erase(at, end)
		case strings.HasPrefix(rest, "/*"):
			end = at + until(rest, 2, "*/")
			comments = append(comments, Span{File: f.Path, Start: at, End: end})
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
	return string(out), comments
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
