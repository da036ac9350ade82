package syntax

// This file defines preprocessing tokens and the scanner that finds them in a text.
// The scanner never fails: what is not closed ends with its line or with the text.

import "strings"

type kind uint8

const (
	endOfText kind = iota
	newline
	space // blanks, without line ends
	comment
	identifier
	number
	literal // a string or character literal with its prefix and suffix
	punctuation
)

// scanner walks over a text without line splices.
type scanner struct {
	text  string
	pos   int // where the next element starts
	start int // where the last element started
	bol   bool
	open  bool // the last element is a comment or a raw string that nothing closes
}

func newScanner(text string) scanner { return scanner{text: text, bol: true} }

// last returns the text of the last element.
func (s *scanner) last() string { return s.text[s.start:s.pos] }

// scan moves over the next element. bol says, after it, whether only blanks and comments
// stand before pos on its line.
func (s *scanner) scan() kind {
	s.start, s.open = s.pos, false
	if s.pos >= len(s.text) {
		return endOfText
	}
	c := s.text[s.pos]
	switch class[c] {
	case letter:
		return s.scanWord()
	case digit:
		s.bol = false
		return s.scanNumber()
	case blank:
		for s.pos < len(s.text) && class[s.text[s.pos]] == blank {
			s.pos++
		}
		return space
	}
	s.pos++
	switch {
	case c == '\n':
		s.bol = true
		return newline
	case c == '/' && s.at('/'):
		s.pos = s.lineEnd()
		return comment
	case c == '/' && s.at('*'):
		end := strings.Index(s.text[s.pos+1:], "*/")
		s.open = end < 0
		s.pos += 1 + end + 2
		if s.open {
			s.pos = len(s.text)
		}
		return comment
	}
	s.bol = false
	switch {
	case c == '"' || c == '\'':
		s.scanQuoted(c)
		return literal
	case c == '.' && s.pos < len(s.text) && class[s.text[s.pos]] == digit:
		return s.scanNumber()
	}
	s.pos = s.start + operatorLength(s.text[s.start:])
	return punctuation
}

func (s *scanner) at(c byte) bool { return s.pos < len(s.text) && s.text[s.pos] == c }

func (s *scanner) lineEnd() int {
	if i := strings.IndexByte(s.text[s.pos:], '\n'); i >= 0 {
		return s.pos + i
	}
	return len(s.text)
}

func (s *scanner) scanWord() kind {
	s.bol = false
	s.skipWord()
	if s.pos < len(s.text) && s.pos-s.start <= 3 {
		quote := s.text[s.pos]
		switch word := s.last(); {
		case quote == '"' && (word == "R" || word == "u8R" || word == "uR" || word == "UR" || word == "LR"):
			s.scanRaw()
			return literal
		case (quote == '"' || quote == '\'') && (word == "L" || word == "u" || word == "U" || word == "u8"):
			s.pos++
			s.scanQuoted(quote)
			return literal
		}
	}
	return identifier
}

func (s *scanner) skipWord() {
	for s.pos < len(s.text) && (class[s.text[s.pos]] == letter || class[s.text[s.pos]] == digit) {
		s.pos++
	}
}

// scanNumber moves over a preprocessing number, which is wider than a number.
func (s *scanner) scanNumber() kind {
	for s.pos < len(s.text) {
		c := s.text[s.pos]
		switch {
		case class[c] == letter || class[c] == digit || c == '.':
			s.pos++
			if exponent := c | 0x20; (exponent == 'e' || exponent == 'p') && (s.at('+') || s.at('-')) && !s.hexWithE(c) {
				s.pos++
			}
		case c == '\'' && s.pos+1 < len(s.text) && (class[s.text[s.pos+1]] == letter || class[s.text[s.pos+1]] == digit):
			s.pos += 2
		default:
			return number
		}
	}
	return number
}

// hexWithE reports whether the e just passed is a digit of 0x…, as in 0xe+1. The standard
// makes that one malformed number; compilers' users mean a sum.
func (s *scanner) hexWithE(c byte) bool {
	return c|0x20 == 'e' && s.pos-s.start > 2 && s.text[s.start] == '0' && s.text[s.start+1]|0x20 == 'x'
}

// scanQuoted moves from behind the opening quote to behind the closing one, or to the line's end.
func (s *scanner) scanQuoted(quote byte) {
	for s.pos < len(s.text) {
		switch s.text[s.pos] {
		case '\\':
			if s.pos+1 < len(s.text) && s.text[s.pos+1] != '\n' {
				s.pos++
			}
		case quote:
			s.pos++
			s.skipSuffix()
			return
		case '\n':
			return
		}
		s.pos++
	}
}

// skipSuffix moves over the name of a user-defined literal.
func (s *scanner) skipSuffix() {
	if s.at('_') {
		s.skipWord()
	}
}

func (s *scanner) scanRaw() {
	s.pos++
	paren := strings.IndexAny(s.text[s.pos:min(len(s.text), s.pos+17)], "( )\\\n\"")
	if paren < 0 || s.text[s.pos+paren] != '(' {
		s.scanQuoted('"')
		return
	}
	closing := ")" + s.text[s.pos:s.pos+paren] + `"`
	if end := strings.Index(s.text[s.pos:], closing); end >= 0 {
		s.pos += end + len(closing)
		s.skipSuffix()
		return
	}
	// What follows is not lost to a string that is still being typed.
	s.open = true
	s.pos = s.lineEnd()
}

// operators are the longer ones, longest first within the same first byte. CUDA's chevrons
// count as operators, so that a space is never put into them.
var operators = func() (table [128][]string) {
	for _, op := range []string{
		"<<<", ">>>", "<<=", ">>=", "<=>", "...", "->*", "%:%:",
		"<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "++", "--", "->", "::", "##", ".*",
		"+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<:", ":>", "<%", "%>", "%:",
	} {
		table[op[0]] = append(table[op[0]], op)
	}
	return table
}()

func operatorLength(text string) int {
	if len(text) > 1 && text[0] < 128 && strings.IndexByte("<>=+-&|:#.*%", text[1]) >= 0 {
		for _, op := range operators[text[0]] {
			if strings.HasPrefix(text, op) {
				return len(op)
			}
		}
	}
	return 1
}

const (
	letter = 1 + iota
	digit
	blank
)

// class sorts bytes: letters are all that names are made of, with bytes beyond ASCII.
var class = func() (table [256]uint8) {
	for c := range table {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_', c == '$', c >= 0x80:
			table[c] = letter
		case c >= '0' && c <= '9':
			table[c] = digit
		case c == ' ', c == '\t', c == '\r', c == '\v', c == '\f':
			table[c] = blank
		}
	}
	return table
}()

// wouldJoin reports whether two texts that were apart become another token when written
// without a space between them.
func wouldJoin(before, after byte) bool {
	a, b := class[before], class[after]
	word := func(c uint8) bool { return c == letter || c == digit }
	switch {
	case word(a) && (word(b) || after == '"' || after == '\''):
		return true
	case (before == '"' || before == '\'') && word(b):
		return true
	case a == digit && after == '.', before == '.' && (b == digit || after == '.'):
		return true
	case before == after:
		return strings.IndexByte("+-<>&|:=#/", before) >= 0
	case after == '=':
		return strings.IndexByte("+-*/%&|^<>!", before) >= 0
	case after == '>':
		return before == '-' || before == '='
	case before == '/':
		return after == '*'
	}
	return false
}
