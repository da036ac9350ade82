package rule

import (
	"strings"

	"github.com/warplint/warplint/analysis/source"
)

// This file finds the statement that an access stands at the beginning of. The statement that
// a site names is one of a block, so that something can be inserted before it: `if (c) x += 1;`
// as a whole. A fix that rewrites the update needs `x += 1;` alone.

// updateStatement returns the span of the simple statement that begins with a place, or with
// ++ or -- and a place. It returns false if the place begins no statement, or one with a
// comma outside of brackets, which is more than one expression.
func updateStatement(f *source.File, place source.Span) (source.Span, bool) {
	start := place.Start
	text, _ := f.Code()
	before := strings.TrimRight(text[:start], " \t")
	if strings.HasSuffix(before, "++") || strings.HasSuffix(before, "--") {
		start = len(before) - 2
	}
	end := statementEnd(text, start)
	if end < 0 || !beginsStatement(text[:start]) {
		return source.Span{}, false
	}
	return source.Span{File: place.File, Start: start, End: end}, true
}

// beginsStatement reports whether a statement can begin behind a text.
func beginsStatement(before string) bool {
	before = strings.TrimRight(before, " \t\r\n")
	if before == "" || strings.ContainsRune("{};)", rune(before[len(before)-1])) {
		return true
	}
	return strings.HasSuffix(before, "else") || strings.HasSuffix(before, "do")
}

// statementEnd returns the offset behind the statement's semicolon, -1 if there is none.
func statementEnd(text string, start int) int {
	depth := 0
	for i := start; i < len(text); i++ {
		switch text[i] {
		case '(', '[':
			depth++
		case ')', ']':
			if depth--; depth < 0 {
				return -1
			}
		case '{', '}', '"', '\'':
			return -1
		case ',':
			if depth == 0 {
				return -1
			}
		case ';':
			if depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}
