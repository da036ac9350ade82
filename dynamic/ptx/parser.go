// This file reads modules: the directives of module scope (PTX ISA, "Directives").

package ptx

import (
	"fmt"
	"strconv"
)

// Limits on what a text may ask for; a real program stays far below.
const (
	maxRegisters = 1 << 20 // in one function
	maxSize      = 1 << 32 // bytes of one variable
	maxInit      = 1 << 28 // bytes of one initialiser
	maxNesting   = 64
)

type parser struct {
	lexer  lexer
	tok    token
	module *Module
	// locations finds the newest .loc at a place, which inlined_at refers to.
	locations map[Location]int32
	byPlace   map[Location]int32
	location  int32
	fn        *body // the function being read
}

// Parse reads a PTX module. A syntax error ends it; an instruction that is unknown makes the
// function that holds it unusable and stands in its Err.
func Parse(text string) (m *Module, err error) {
	p := &parser{
		lexer:     lexer{text: text, line: 1},
		module:    &Module{Files: map[int]string{}, Locations: []Location{{}}},
		locations: map[Location]int32{},
		byPlace:   map[Location]int32{},
	}
	defer func() {
		if failure := recover(); failure != nil {
			e, ok := failure.(*Error)
			if !ok {
				panic(failure)
			}
			m, err = nil, e
		}
	}()
	p.advance()
	for p.tok.kind != endToken {
		p.moduleStatement()
	}
	return p.module, nil
}

// fail ends the parse; Parse turns it into its error.
func (p *parser) fail(line int32, format string, args ...any) {
	panic(&Error{int(line), fmt.Sprintf(format, args...)})
}

func (p *parser) advance() token {
	t := p.tok
	p.tok = p.lexer.next()
	return t
}

func (p *parser) accept(punct byte) bool {
	if p.tok.is(punct) {
		p.advance()
		return true
	}
	return false
}

func (p *parser) expect(punct byte) {
	if !p.accept(punct) {
		p.fail(p.tok.line, "expected %q, found %s", punct, p.tok)
	}
}

func (p *parser) acceptDot(word string) bool {
	if p.tok.kind == dotToken && p.tok.text == word {
		p.advance()
		return true
	}
	return false
}

func (p *parser) name() string {
	if p.tok.kind != identToken {
		p.fail(p.tok.line, "expected a name, found %s", p.tok)
	}
	return p.advance().text
}

// integer reads a constant that has to be a small one: a size, a count, a number of a file.
func (p *parser) integer() int {
	t := p.advance()
	v, ok := parseInteger(t.text)
	if t.kind != numberToken || !ok || v >= 1<<40 {
		p.fail(t.line, "expected an integer, found %s", t)
	}
	return int(v)
}

func (p *parser) skipStatement() {
	for p.tok.kind != endToken && !p.accept(';') {
		p.advance()
	}
}

func (p *parser) moduleStatement() {
	if p.accept(';') {
		return
	}
	if p.tok.kind != dotToken {
		p.fail(p.tok.line, "expected a directive, found %s", p.tok)
	}
	switch p.tok.text {
	case "version":
		p.advance()
		p.version(p.advance())
	case "target":
		p.target()
	case "address_size":
		p.advance()
		if line := p.tok.line; p.integer() != 64 {
			p.fail(line, "only 64-bit addresses are supported")
		}
	case "file":
		p.file()
	case "loc":
		p.loc()
	case "section":
		p.lexer.skipTo("}")
		p.advance()
	case "pragma", "alias":
		p.skipStatement()
	default:
		p.declaration()
	}
}

func (p *parser) version(t token) {
	v, err := strconv.ParseFloat(t.text, 64)
	if err != nil || v < 1 || v >= 100 {
		p.fail(t.line, "%s is no PTX version", t)
	}
	p.module.Major = int(v)
	p.module.Minor = int(v*10+0.5) % 10
	if p.module.Major > 9 {
		p.fail(t.line, "PTX version %s is newer than what this reads, 6.0 to 9.x", t.text)
	}
}

func (p *parser) target() {
	p.advance()
	p.module.Target = p.name()
	for p.accept(',') {
		p.name()
	}
}

func (p *parser) file() {
	p.advance()
	number := p.integer()
	if p.tok.kind != stringToken {
		p.fail(p.tok.line, "expected a file name, found %s", p.tok)
	}
	p.module.Files[number] = p.advance().text
	for p.accept(',') {
		p.integer()
	}
}

// loc reads ".loc file line column [, function_name label [+ offset], inlined_at file line
// column]". It holds for the instructions that follow.
func (p *parser) loc() {
	p.advance()
	l := Location{File: p.integer(), Line: p.integer(), Column: p.integer()}
	for p.accept(',') {
		switch word := p.advance(); word.text {
		case "function_name":
			p.name()
			if p.accept('+') {
				p.integer()
			}
		case "inlined_at":
			at := Location{File: p.integer(), Line: p.integer(), Column: p.integer()}
			if l.InlinedAt = p.byPlace[at]; l.InlinedAt == 0 {
				l.InlinedAt = p.intern(at)
			}
		default:
			p.fail(word.line, "unknown attribute %s of .loc", word)
		}
	}
	place := l
	place.InlinedAt = 0
	p.location = p.intern(l)
	p.byPlace[place] = p.location
}

func (p *parser) intern(l Location) int32 {
	if i, ok := p.locations[l]; ok {
		return i
	}
	i := int32(len(p.module.Locations))
	p.module.Locations = append(p.module.Locations, l)
	p.locations[l] = i
	return i
}

// declaration reads a variable or a function with its linkage.
func (p *parser) declaration() {
	linkage := p.linkage()
	switch p.tok.text {
	case "entry", "func":
		p.function(linkage)
	case "global", "const", "shared":
		p.module.Variables = append(p.module.Variables, p.variables(linkage)...)
	case "tex", "texref", "samplerref", "surfref":
		p.fail(p.tok.line, "texture references are not supported; texture objects are")
	default:
		p.fail(p.tok.line, "unknown directive %s", p.tok)
	}
}

func (p *parser) linkage() Linkage {
	words := map[string]Linkage{"extern": Extern, "visible": Visible, "weak": Weak, "common": Common}
	linkage := Static
	for p.tok.kind == dotToken {
		l, ok := words[p.tok.text]
		if !ok {
			break
		}
		linkage = l
		p.advance()
	}
	return linkage
}
