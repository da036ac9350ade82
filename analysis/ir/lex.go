package ir

// This file defines the tokens of the printed form.

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

type tokenKind uint8

const (
	endOfText tokenKind = iota
	newline
	identifier // a word, or one in quotes
	quoted
	number
	symbolName // %x, $x, @x; text is the name without sigil, sigil the sigil
	punctuation
)

type token struct {
	kind   tokenKind
	text   string
	sigil  byte
	id     string // the number after # of a symbol
	offset int
}

// lexer cuts a text into tokens. Line ends count outside of parentheses only.
type lexer struct {
	text   string
	pos    int
	parens int
}

func (l *lexer) next() (token, error) {
	for l.pos < len(l.text) {
		c := l.text[l.pos]
		switch {
		case c == ';':
			end := strings.IndexByte(l.text[l.pos:], '\n')
			if end < 0 {
				end = len(l.text) - l.pos
			}
			l.pos += end
		case c == '\n' && l.parens == 0:
			l.pos++
			return token{kind: newline, text: "line end", offset: l.pos - 1}, nil
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			l.pos++
		default:
			return l.visible(c)
		}
	}
	return token{kind: endOfText, text: "end of text", offset: l.pos}, nil
}

func (l *lexer) visible(c byte) (token, error) {
	t := token{offset: l.pos}
	switch {
	case c == '"':
		s, err := l.quotedText()
		t.kind, t.text = quoted, s
		return t, err
	case strings.IndexByte("%$@", c) >= 0 && l.nameFollows():
		return l.symbol(c)
	case c >= '0' && c <= '9':
		t.kind, t.text = number, l.numberText()
		return t, nil
	}
	if w := l.wordText(); w != "" {
		t.kind, t.text = identifier, w
		return t, nil
	}
	t.kind = punctuation
	for _, two := range []string{"<<", ">>", "==", "!=", "<=", ">=", "&&", "||"} {
		if strings.HasPrefix(l.text[l.pos:], two) {
			l.pos += 2
			t.text = two
			return t, nil
		}
	}
	if strings.IndexByte("+-*/%&|^~!<>=(){}[],:", c) < 0 {
		r, _ := utf8.DecodeRuneInString(l.text[l.pos:])
		return t, fmt.Errorf("unexpected character %q", r)
	}
	switch c {
	case '(', '[':
		l.parens++
	case ')', ']':
		l.parens = max(l.parens-1, 0)
	}
	l.pos++
	t.text = string(c)
	return t, nil
}

func (l *lexer) nameFollows() bool {
	if l.pos+1 >= len(l.text) {
		return false
	}
	r, _ := utf8.DecodeRuneInString(l.text[l.pos+1:])
	return r == '"' || r == '_' || unicode.IsLetter(r) || r >= '0' && r <= '9'
}

func (l *lexer) symbol(sigil byte) (token, error) {
	t := token{kind: symbolName, sigil: sigil, offset: l.pos}
	l.pos++
	switch c := l.text[l.pos]; {
	case c == '"':
		s, err := l.quotedText()
		if err != nil {
			return t, err
		}
		t.text = s
	case c >= '0' && c <= '9':
		t.id = l.digits()
	default:
		t.text = l.wordText()
	}
	if t.id == "" && l.pos+1 < len(l.text) && l.text[l.pos] == '#' {
		l.pos++
		t.id = l.digits()
	}
	return t, nil
}

func (l *lexer) quotedText() (string, error) {
	prefix, err := strconv.QuotedPrefix(l.text[l.pos:])
	if err != nil {
		return "", fmt.Errorf("a string that does not end")
	}
	l.pos += len(prefix)
	return strconv.Unquote(prefix)
}

func (l *lexer) digits() string {
	start := l.pos
	for l.pos < len(l.text) && l.text[l.pos] >= '0' && l.text[l.pos] <= '9' {
		l.pos++
	}
	return l.text[start:l.pos]
}

func (l *lexer) wordText() string {
	start := l.pos
	for l.pos < len(l.text) {
		r, n := utf8.DecodeRuneInString(l.text[l.pos:])
		if !isWordRune(r, l.pos == start) {
			break
		}
		l.pos += n
	}
	return l.text[start:l.pos]
}

// numberText takes letters, digits, dots, and the sign of a decimal exponent.
func (l *lexer) numberText() string {
	start := l.pos
	hex := strings.HasPrefix(l.text[start:], "0x")
	for l.pos < len(l.text) {
		c := l.text[l.pos]
		exponent := !hex && l.pos > start && l.text[l.pos-1] == 'e' && (c == '-' || c == '+')
		if !exponent && c != '.' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'F') {
			break
		}
		l.pos++
	}
	return l.text[start:l.pos]
}
