package syntax

// This file cuts the expanded text into pieces: top-level declarations, also those inside
// namespaces and extern "C" blocks. Each is parsed on its own, so an error in one never
// reaches another, an edit costs a parse of the pieces it touches, and the result does not
// depend on what was parsed before.
//
// A piece may hold several declarations where the rules below can't tell; that costs time
// and nothing else. Text whose brackets do not match is cut with the help of its layout.

import "strings"

// maxBlocks is how deep namespaces are looked into.
const maxBlocks = 100

type pieceKind uint8

const (
	item  pieceKind = iota
	open            // "namespace N {" or `extern "C" {`
	close           // the bracket that ends it
)

type piece struct {
	kind       pieceKind
	start, end int
}

// split cuts a text into pieces, in order, without the blanks between them.
func split(text string) []piece {
	s := splitter{scanner: newScanner(text)}
	if !s.run() {
		// Some bracket is not closed. Now a declaration also ends where a line no deeper than
		// its own first line begins like a declaration.
		pieces := s.pieces
		s = splitter{scanner: newScanner(text), byLayout: true, pieces: pieces[:0]}
		s.run()
	}
	return s.pieces
}

type splitter struct {
	scanner
	byLayout  bool
	unmatched bool // an item ended inside brackets
	pieces    []piece
	depth     int // blocks that are open
	lineStart int
	lastEnd   int // of the last token

	// The item being read.
	first     int    // where it starts, or -1 between items
	column    int    // of its first token
	brackets  []byte // open in it
	braces    int    // how many of these are braces
	angles    int    // open in the parameters of a template, while atAngle says so
	atAngle   bool
	operator  bool // an operator function at the item's top
	assigned  bool // an = at the item's top
	function  bool // a parameter list at its top
	colon     bool // behind that, a colon: member initializers
	body      bool // the innermost brace at the top belongs to a function's body
	condition bool // the next brace belongs to a requires-expression
	calls     calls
	prefix    uint8
	before    word // the last token
}

// calls says how far an item goes on like calls of macros that nothing expands and no semicolon follows, as in
// `REGISTER(f) REGISTER(g)`. What may begin a declaration behind one is an item of its own.
type calls uint8

const (
	noCalls calls = iota + 1
	toCall        // behind a name
	called        // behind its arguments
)

// next is how an item goes on with a token outside of the arguments.
func (c calls) next(text string, w word) calls {
	switch {
	case (c == 0 || c == called) && w == name:
		return toCall
	case c == toCall && text == "(":
		return called
	}
	return noCalls
}

// typeAhead reports whether the name that was read is that of a type, and no function: what it declares comes behind it.
func (s *splitter) typeAhead() bool {
	ahead, qualified := s.scanner, false
	for {
		switch ahead.scan() {
		case space, newline, comment:
		case identifier:
			if !qualified {
				return words[ahead.last()] != attribute
			}
			qualified = false
		case punctuation:
			switch ahead.last() {
			case "::":
				qualified = true
			case "<", "*", "&", "&&":
				return true
			default:
				return false
			}
		default:
			return false
		}
	}
}

// word is what the splitter needs to know about a token.
type word uint8

const (
	other word = iota
	name
	attribute // a keyword with arguments that are no parameters
	classWord
	templateWord
	operatorWord
	requiresWord
	namespaceWord
	inlineWord
	externWord
	catchWord
	starter // another keyword that begins declarations
	stringWord
	closingBrace
	angleEnd
	logical // an operator in a requires-clause
)

var words = func() map[string]word {
	m := map[string]word{
		"template": templateWord, "operator": operatorWord, "requires": requiresWord,
		"namespace": namespaceWord, "inline": inlineWord, "extern": externWord, "catch": catchWord,
		"class": classWord, "struct": classWord, "union": classWord, "enum": classWord,
	}
	for _, w := range []string{"alignas", "__attribute__", "__attribute", "__declspec", "decltype", "__launch_bounds__", "noexcept", "explicit", "throw", "_Alignas"} {
		m[w] = attribute
	}
	for _, w := range []string{"__global__", "__device__", "__host__", "__constant__", "__managed__", "__forceinline__", "__noinline__",
		"static", "constexpr", "typedef", "using", "void", "int", "float", "double", "bool", "char", "unsigned", "const", "auto", "friend"} {
		m[w] = starter
	}
	return m
}()

// Prefixes of an item that may be the head of a block.
const (
	atStart uint8 = iota
	inNamespace
	afterExtern
	afterLanguage
	noBlock
)

// run reads the whole text and reports whether its brackets match.
func (s *splitter) run() bool {
	s.reset()
	for {
		k := s.scan()
		switch k {
		case endOfText:
			matched := !s.unmatched && s.first < 0 && s.depth == 0
			s.end()
			return matched
		case newline:
			s.lineStart = s.pos
		case space, comment:
		default:
			if s.braces == 0 || s.byLayout {
				s.token(k)
			} else if k == punctuation && strings.IndexByte("()[]{}", s.text[s.start]) >= 0 {
				s.inside(s.last())
			}
			s.lastEnd = s.pos
		}
	}
}

// inside follows brackets inside braces, where nothing else counts.
func (s *splitter) inside(bracket string) {
	if s.punctuation(bracket) {
		s.before = closingBrace // what counts if that was the last brace
	}
}

// reset begins a new item behind pos.
func (s *splitter) reset() {
	*s = splitter{scanner: s.scanner, byLayout: s.byLayout, unmatched: s.unmatched, pieces: s.pieces, depth: s.depth,
		lineStart: s.lineStart, lastEnd: s.lastEnd, brackets: s.brackets[:0], first: -1}
}

// end ends the item behind the last token.
func (s *splitter) end() {
	if s.first >= 0 {
		s.pieces = append(s.pieces, piece{item, s.first, s.lastEnd})
		s.unmatched = s.unmatched || len(s.brackets) > 0
	}
	s.reset()
}

func (s *splitter) token(k kind) {
	text := s.last()
	w := other
	switch {
	case k == identifier:
		if w = words[text]; w == other {
			w = name
		}
	case k == literal && text[len(text)-1] == '"':
		w = stringWord
	}
	if s.byLayout && len(s.brackets) > 0 && s.startsLine() && w >= classWord && w <= starter && s.start-s.lineStart <= s.column {
		s.end()
	}
	if s.assigned && len(s.brackets) == 0 && text == "__global__" {
		s.end() // no initializer holds a kernel: its semicolon is not typed yet
	}
	if s.calls == called && len(s.brackets) == 0 && (w >= classWord && w <= starter || w == name && s.typeAhead()) {
		s.end()
	}
	if s.first < 0 {
		if text == "}" && s.depth > 0 {
			s.depth--
			s.pieces = append(s.pieces, piece{close, s.start, s.pos})
			return
		}
		s.first, s.column = s.start, s.start-s.lineStart
	}
	if len(s.brackets) == 0 {
		s.calls = s.calls.next(text, w)
		s.top(text, w)
	}
	if k == punctuation {
		switch text {
		case "}":
			w = closingBrace
		case ">", ">>", ">>>":
			w = angleEnd
		case "&&", "||", "=", "!":
			w = logical
		}
		if !s.punctuation(text) {
			return
		}
	}
	s.before = w
}

// startsLine reports whether only blanks stand before the token on its line.
func (s *splitter) startsLine() bool {
	for i := s.lineStart; i < s.start; i++ {
		if class[s.text[i]] != blank {
			return false
		}
	}
	return true
}

// top notes what a token outside of all brackets says about the item.
func (s *splitter) top(text string, w word) {
	if s.atAngle {
		s.angle(text)
		return
	}
	switch w {
	case operatorWord:
		s.operator = true
	case requiresWord:
		s.condition = s.before == requiresWord || s.before == logical
	}
	switch text {
	case "<":
		if s.before == templateWord {
			s.atAngle, s.angles = true, 1
		}
	case "=":
		s.assigned = s.assigned || s.before != operatorWord
	case "(":
		s.function = s.function || !s.assigned && (s.operator || s.before != other && s.before != attribute && s.before != requiresWord)
	case ":":
		s.colon = s.colon || s.function
	}
	s.blockHead(w)
}

// angle counts the brackets of template parameters.
func (s *splitter) angle(text string) {
	switch text {
	case "<":
		s.angles++
	case ">", ">>", ">>>":
		s.angles -= len(text)
	case "{", ";":
		s.angles = 0 // none of template parameters
	}
	s.atAngle = s.angles > 0
}

// blockHead follows the tokens that may lead to the brace of a namespace or extern block.
func (s *splitter) blockHead(w word) {
	switch {
	case s.prefix == atStart && w == inlineWord:
	case s.prefix == atStart && w == namespaceWord:
		s.prefix = inNamespace
	case s.prefix == atStart && w == externWord:
		s.prefix = afterExtern
	case s.prefix == afterExtern && w == stringWord:
		s.prefix = afterLanguage
	case s.prefix == inNamespace && (w == name || w == inlineWord || w == attribute || w == other && !s.assigned):
	case s.prefix == afterLanguage && w == other:
	default:
		s.prefix = noBlock
	}
}

// punctuation follows brackets and semicolons. It returns false when they ended the item.
func (s *splitter) punctuation(text string) bool {
	switch text {
	case "(", "[":
		s.brackets = append(s.brackets, text[0])
	case "{":
		if len(s.brackets) == 0 {
			if s.depth < maxBlocks && (s.prefix == inNamespace || s.prefix == afterLanguage) {
				s.pieces = append(s.pieces, piece{open, s.first, s.pos})
				s.depth++
				s.reset()
				return false
			}
			initializer := s.colon && (s.before == name || s.before == angleEnd)
			s.body = s.function && !s.assigned && !s.condition && !initializer
			s.condition = false
		}
		s.brackets = append(s.brackets, '{')
		s.braces++
	case ")", "]":
		if n := len(s.brackets); n > 0 && s.brackets[n-1] != '{' {
			s.brackets = s.brackets[:n-1]
		}
	case "}":
		return s.closingBrace()
	case ";":
		if s.braces == 0 {
			s.lastEnd = s.pos
			s.end()
			return false
		}
	}
	return true
}

func (s *splitter) closingBrace() bool {
	if s.braces == 0 {
		// Nothing of this item is open: the bracket closes what is around, or nothing.
		s.unmatched = true
		if s.first < s.start {
			s.end()
		}
		if s.depth > 0 {
			s.depth--
			s.pieces = append(s.pieces, piece{close, s.start, s.pos})
			s.reset()
			return false
		}
		s.first, s.lastEnd = s.start, s.pos
		s.end()
		return false
	}
	for n := len(s.brackets); ; {
		n--
		b := s.brackets[n]
		s.brackets = s.brackets[:n]
		if b == '{' {
			break
		}
	}
	s.braces--
	if s.braces > 0 || len(s.brackets) > 0 || !s.body {
		return true
	}
	// A function ends, unless it is "try { … } catch".
	s.lastEnd = s.pos
	ahead := s.scanner
	for {
		switch ahead.scan() {
		case space, newline, comment:
			continue
		case identifier:
			if words[ahead.last()] == catchWord {
				return true
			}
		case punctuation:
			if ahead.last() == ";" {
				s.scanner, s.lastEnd = ahead, ahead.pos
			}
		}
		s.end()
		return false
	}
}
