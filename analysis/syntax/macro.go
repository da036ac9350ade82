package syntax

// This file defines macros and tokens, and reads #define.

import (
	"strings"
	"sync"

	"github.com/warplint/warplint/analysis/source"
)

// token is one preprocessing token with the place it comes from.
type token struct {
	kind  kind
	space bool // blanks stand before it
	blue  bool // a macro's name inside its own expansion, never to be expanded
	param int16
	text  string
	// The place: the token itself where macro is nil, else the use of macro.
	start, end int32
	from       *text
	macro      *macro
}

func (t *token) is(punct string) bool { return t.kind == punctuation && t.text == punct }

// notParam is token.param of what names no parameter; others count from 0.
const notParam = -1

// macro is one definition.
type macro struct {
	name     string
	place    source.Span // from the name to the end of the body; zero for predefined ones
	function bool
	variadic bool // the last parameter takes all the arguments left
	params   []string
	builtin  func(p *preprocessor, name token) string

	body func() []token
}

// define reads a definition from text[start:end], which follows the word "define". It returns
// nil for what is none.
func define(t *text, start, end int) *macro {
	s := scanner{text: t.text[:end], pos: start}
	k := s.scan()
	for k == space || k == comment {
		k = s.scan()
	}
	if k != identifier {
		return nil
	}
	m := &macro{name: s.last()}
	m.place = t.span(s.start, end)
	if s.at('(') {
		s.scan()
		if !m.readParams(&s) {
			return nil
		}
	}
	body := s.text[:len(strings.TrimRight(s.text, " \t\r\v\f"))]
	from := s.pos
	m.body = sync.OnceValue(func() []token { return m.readBody(body, from) })
	return m
}

func (m *macro) readParams(s *scanner) bool {
	m.function = true
	for {
		switch s.scan() {
		case space, comment:
		case identifier:
			m.params = append(m.params, s.last())
		case punctuation:
			switch s.last() {
			case ")":
				return len(m.params) < 1<<15
			case ",":
			case "...":
				// Alone, or behind the name of a GNU variadic parameter.
				if !m.variadic && (len(m.params) == 0 || strings.TrimSpace(s.text[:s.start])[len(strings.TrimSpace(s.text[:s.start]))-1] == ',') {
					m.params = append(m.params, "__VA_ARGS__")
				}
				m.variadic = true
			default:
				return false
			}
		default:
			return false
		}
	}
}

func (m *macro) readBody(text string, pos int) []token {
	var body []token
	s := scanner{text: text, pos: pos}
	blank := false
	for {
		switch k := s.scan(); k {
		case endOfText:
			return body
		case space, comment, newline:
			blank = true
		default:
			t := token{kind: k, space: blank && len(body) > 0, text: s.last(), param: notParam}
			if k == identifier && m.function {
				for i, name := range m.params {
					if name == t.text {
						t.param = int16(i)
					}
				}
			}
			body, blank = append(body, t), false
		}
	}
}
