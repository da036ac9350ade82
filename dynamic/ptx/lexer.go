// This file splits PTX text into tokens (PTX ISA, "Syntax").

package ptx

import (
	"fmt"
	"strings"
)

type tokenKind uint8

const (
	endToken    tokenKind = iota
	identToken            // add, %r1, $L__BB0_1, %tid.x
	dotToken              // .global, .L2::128B: text without the dot
	numberToken           // 12, 0x1F, 0f3F800000, 1.5e3, 7U
	stringToken           // text without the quotes
	punctToken            // one byte
)

type token struct {
	kind tokenKind
	text string
	line int32
}

func (t token) is(punct byte) bool { return t.kind == punctToken && t.text[0] == punct }

func (t token) String() string {
	switch t.kind {
	case endToken:
		return "end of text"
	case dotToken:
		return "." + t.text
	case stringToken:
		return fmt.Sprintf("%q", t.text)
	}
	return t.text
}

// Error is a problem with a line of PTX.
type Error struct {
	Line    int // from 1
	Message string
}

func (e *Error) Error() string { return fmt.Sprintf("PTX line %d: %s", e.Line, e.Message) }

type lexer struct {
	text string
	at   int
	line int32
}

func isIdentStart(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$' || c == '%'
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isIdent(c byte) bool { return isIdentStart(c) && c != '%' || isDigit(c) }

func (l *lexer) peekByte(ahead int) byte {
	if l.at+ahead < len(l.text) {
		return l.text[l.at+ahead]
	}
	return 0
}

// skipSpace passes over blanks and comments; an open comment ends with the text.
func (l *lexer) skipSpace() {
	for l.at < len(l.text) {
		switch c := l.text[l.at]; {
		case c == '\n':
			l.line++
			l.at++
		case c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == 0:
			l.at++
		case c == '/' && l.peekByte(1) == '/':
			if end := strings.IndexByte(l.text[l.at:], '\n'); end >= 0 {
				l.at += end
			} else {
				l.at = len(l.text)
			}
		case c == '/' && l.peekByte(1) == '*':
			l.skipTo("*/")
		default:
			return
		}
	}
}

// skipTo passes over everything up to and with a mark, or to the end of the text.
func (l *lexer) skipTo(mark string) {
	end := len(l.text)
	if i := strings.Index(l.text[l.at:], mark); i >= 0 {
		end = l.at + i + len(mark)
	}
	l.line += int32(strings.Count(l.text[l.at:end], "\n"))
	l.at = end
}

func (l *lexer) next() token {
	l.skipSpace()
	if l.at >= len(l.text) {
		return token{endToken, "", l.line}
	}
	start, line := l.at, l.line
	switch c := l.text[l.at]; {
	case isIdentStart(c):
		l.ident()
		return token{identToken, l.text[start:l.at], line}
	case isDigit(c):
		l.number()
		return token{numberToken, l.text[start:l.at], line}
	case c == '.' && isIdent(l.peekByte(1)):
		l.dotWord()
		return token{dotToken, l.text[start+1 : l.at], line}
	case c == '"':
		return l.string()
	}
	l.at++
	return token{punctToken, l.text[start:l.at], line}
}

// ident reads a name; "%tid.x" and the elements of vector registers keep their last part.
func (l *lexer) ident() {
	start := l.at
	l.at++
	for isIdent(l.peekByte(0)) {
		l.at++
	}
	if l.text[start] == '%' && l.peekByte(0) == '.' && !isIdent(l.peekByte(2)) {
		switch l.peekByte(1) {
		case 'x', 'y', 'z', 'w':
			l.at += 2
		}
	}
}

// dotWord reads ".word", where a word may contain "::".
func (l *lexer) dotWord() {
	l.at++
	for {
		switch {
		case isIdent(l.peekByte(0)):
			l.at++
		case l.peekByte(0) == ':' && l.peekByte(1) == ':' && isIdent(l.peekByte(2)):
			l.at += 2
		default:
			return
		}
	}
}

func (l *lexer) number() {
	for {
		c := l.peekByte(0)
		exponentSign := (c == '+' || c == '-') && isExponent(l.text, l.at)
		if !isIdent(c) && c != '.' && !exponentSign {
			return
		}
		l.at++
	}
}

// isExponent reports whether the sign at a place belongs to a decimal exponent: 1.5e-3.
func isExponent(text string, at int) bool {
	if at < 2 || text[at-1] != 'e' && text[at-1] != 'E' {
		return false
	}
	for i := at - 2; i >= 0; i-- {
		if c := text[i]; !isDigit(c) && c != '.' {
			return false
		} else if c == '.' {
			return true
		}
	}
	return false
}

func (l *lexer) string() token {
	start, line := l.at+1, l.line
	for l.at++; l.at < len(l.text) && l.text[l.at] != '"'; l.at++ {
		switch l.text[l.at] {
		case '\\':
			l.at++
		case '\n':
			l.line++
		}
	}
	end := min(l.at, len(l.text))
	l.at = min(l.at+1, len(l.text))
	return token{stringToken, l.text[start:end], line}
}
