package syntax

// This file defines the preprocessor: it writes the expanded text of a unit and, beside it,
// where each stretch comes from. What no macro, comment or directive touches is copied byte
// for byte. A comment becomes one space, a directive an empty line, so that editing a comment
// leaves the expanded text as it was.

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/warplint/warplint/analysis/source"
)

const (
	maxText     = 8 << 20 // bytes of expanded text; its nodes take some 40 times as much
	maxFiles    = 10_000  // inclusions in one unit
	maxDepth    = 200     // files including each other
	maxItself   = 4       // times that a file may be included while it is being read
	maxProblems = 100
)

type preprocessor struct {
	ctx   context.Context
	files source.Provider
	path  string
	cfg   Config

	macros map[string]*macro
	shapes [256]uint64    // the lengths of macros' names by their first byte, as bits
	hidden map[*macro]int // macros whose expansion is being scanned

	out      []byte
	origins  segments
	problems []Problem
	read     []*source.File
	texts    map[string]*text
	once     map[*text]bool  // files that said #pragma once
	pack     packing         // what #pragma pack said
	toolkit  map[string]bool // by folder: holds CUDA's own headers
	reading  map[*text]int   // files being read, how often

	use         *use // whose expansion is written
	expansion   int  // tokens that macros may still make
	nesting     int
	inCondition bool
	inArguments int
	included    int
	counter     int
	full        bool // a limit on size was met
}

func newPreprocessor(ctx context.Context, files source.Provider, path string, cfg Config) *preprocessor {
	return &preprocessor{
		ctx: ctx, files: files, path: path, cfg: cfg,
		macros:    maps.Clone(predefined().macros),
		shapes:    predefined().shapes,
		hidden:    map[*macro]int{},
		texts:     map[string]*text{},
		once:      map[*text]bool{},
		toolkit:   map[string]bool{},
		reading:   map[*text]int{},
		expansion: maxExpansion,
	}
}

func (p *preprocessor) problem(at source.Span, format string, args ...any) {
	p.note(Problem{Span: at, Message: fmt.Sprintf(format, args...)})
}

func (p *preprocessor) note(problem Problem) {
	if len(p.problems) < maxProblems {
		p.problems = append(p.problems, problem)
	}
}

// absent is the problem of a file that is not there to be included.
func (p *preprocessor) absent(at source.Span, name string, angled bool) {
	written := strconv.Quote(name)
	if angled {
		written = "<" + name + ">"
	}
	p.note(Problem{Span: at, Message: written + " is not found", Absent: true})
}

// limit is a problem that leaves text out.
func (p *preprocessor) limit(at source.Span, format string, args ...any) {
	problem := Problem{Span: at, Message: fmt.Sprintf(format, args...), Limit: true}
	if !slices.Contains(p.problems, problem) {
		p.problems = append(p.problems, problem)
	}
}

// spend takes n tokens off what macros may make, and returns false when nothing is left.
func (p *preprocessor) spend(n int) bool {
	if p.expansion < 0 {
		return false
	}
	if p.expansion -= n; p.expansion < 0 {
		p.limit(source.Span{File: p.path}, "macros make more than %d tokens; the rest is not expanded", maxExpansion)
		return false
	}
	return true
}

// set defines a macro.
func (p *preprocessor) set(m *macro) {
	p.macros[m.name] = m
	p.shapes[m.name[0]] |= 1 << min(len(m.name), 63)
}

// lookup returns the macro of a name, or nil. Most names are told to be none without hashing.
func (p *preprocessor) lookup(name string) *macro {
	if p.shapes[name[0]]&(1<<min(len(name), 63)) == 0 {
		return nil
	}
	return p.macros[name]
}

// stopped reports whether no more text is wanted.
func (p *preprocessor) stopped() bool { return p.full || p.ctx.Err() != nil }

// room reports whether n more bytes of expanded text are allowed.
func (p *preprocessor) room(n int) bool {
	if !p.full && len(p.out)+n > maxText {
		p.full = true
		p.limit(source.Span{File: p.path}, "the text with all it includes is larger than %d MB; the rest is left out", maxText>>20)
	}
	return !p.full
}

// copy writes text[start:end] as it is.
func (p *preprocessor) copy(t *text, start, end int) {
	if start >= end || !p.room(end-start) {
		return
	}
	p.origins = p.origins.add(segment{at: int32(len(p.out)), start: int32(start), end: int32(end), text: t})
	p.out = append(p.out, t.text[start:end]...)
}

// emit writes a token that macros made.
func (p *preprocessor) emit(t *token) {
	if len(t.text) == 0 || !p.room(len(t.text)+1) {
		return
	}
	if n := len(p.out); n > 0 {
		before := p.out[n-1]
		if t.space && class[before] != blank && before != '\n' || wouldJoin(before, t.text[0]) {
			p.out = append(p.out, ' ')
		}
	}
	p.origins = p.origins.add(segment{int32(len(p.out)), t.start, t.end, t.from, t.macro, p.use})
	p.out = append(p.out, t.text...)
}

// reader goes through one file.
type reader struct {
	scanner
	p      *preprocessor
	text   *text
	depth  int
	groups []group // the #if around pos, innermost last
}

// group is an #if that is open.
type group struct {
	start   int
	hasElse bool
}

// unit preprocesses the file that p is about, after those that the command line puts before it.
func (p *preprocessor) unit() {
	main := p.open(p.path)
	if main == nil {
		p.problem(source.Span{File: p.path}, "the file can't be read")
		return
	}
	p.configure()
	for _, name := range p.cfg.Includes {
		t := p.find(name, false, main, false)
		if t == nil {
			p.note(Problem{Span: source.Span{File: p.path}, Message: strconv.Quote(name) + ", which the command line includes, is not found", Absent: true})
			continue
		}
		p.file(t, 1)
	}
	p.file(main, 0)
}

// file preprocesses one text.
func (p *preprocessor) file(t *text, depth int) {
	if len(t.text) > maxText {
		p.limit(t.span(0, 0), "the file is larger than %d MB, so it is not read", maxText>>20)
		return
	}
	p.reading[t]++
	defer func() { p.reading[t]-- }()
	r := &reader{scanner: newScanner(t.text), p: p, text: t, depth: depth}
	r.run()
	if len(r.groups) > 0 {
		p.limit(t.span(r.groups[0].start, r.groups[0].start+1), "#if without #endif")
	}
}

func (r *reader) run() {
	p := r.p
	copied := 0 // all before is written
	for steps := 0; ; steps++ {
		if steps&0xfff == 0 && p.stopped() {
			return
		}
		bol := r.bol
		switch r.scan() {
		case endOfText:
			p.copy(r.text, copied, r.pos)
			return
		case comment:
			if r.open {
				p.limit(r.text.span(r.start, r.start+2), "the comment does not end")
			}
			// The comment's first byte stands for it.
			p.copy(r.text, copied, r.start)
			p.copy(r.text, r.start, r.start+1)
			if n := len(p.out); n > 0 && !p.full {
				p.out[n-1] = ' '
			}
			copied = r.pos
		case literal:
			if r.open {
				p.limit(r.text.span(r.start, r.pos), "the raw string does not end")
			}
		case punctuation:
			if !bol || r.last() != "#" {
				continue
			}
			p.copy(r.text, copied, r.start)
			r.directive()
			copied = r.pos
		case identifier:
			if p.pack.most > 0 && classKeywords[r.last()] && r.definesClass() {
				p.copy(r.text, copied, r.pos)
				copied = r.pos
				p.emit(&token{kind: identifier, text: p.pack.attribute(), space: true, start: int32(r.pos), end: int32(r.pos), from: r.text})
				continue
			}
			m := p.lookup(r.last())
			if m == nil || m.function && !r.parenFollows() {
				continue
			}
			start := r.start
			p.copy(r.text, copied, start)
			e := expander{p: p, r: r}
			t := r.token(identifier)
			if !e.enter(m, t) {
				copied = start
				continue
			}
			p.use = &use{int32(start), int32(r.pos), m}
			e.run(p.emit)
			p.use = nil
			copied = r.pos
			if n := len(p.out); n > 0 && r.pos < len(r.scanner.text) && wouldJoin(p.out[n-1], r.scanner.text[r.pos]) {
				p.out = append(p.out, ' ')
			}
		}
	}
}

func (r *reader) token(k kind) token {
	return token{kind: k, text: r.last(), param: notParam, start: int32(r.start), end: int32(r.pos), from: r.text}
}

// parenFollows reports whether the next token is an opening parenthesis.
func (r *reader) parenFollows() bool {
	s := r.scanner
	for {
		switch s.scan() {
		case space, newline, comment:
		case punctuation:
			return s.last() == "("
		default:
			return false
		}
	}
}

// mark remembers where the reader is, and reset goes back there.
func (r *reader) mark() *reader {
	m := *r
	m.groups = append([]group(nil), r.groups...)
	return &m
}

func (r *reader) reset(m *reader) { r.scanner, r.groups = m.scanner, m.groups }

// argumentToken returns the next token of a macro's argument. Directives in between are
// followed, except #include, which ends the argument.
func (r *reader) argumentToken() (t token, ok bool) {
	blank := false
	for {
		bol := r.bol
		switch k := r.scan(); k {
		case endOfText:
			return t, false
		case space, newline, comment:
			blank = true
		case punctuation:
			if bol && r.last() == "#" {
				if !r.directive() {
					return t, false
				}
				blank = true
				continue
			}
			fallthrough
		default:
			t = r.token(k)
			t.space = blank
			return t, true
		}
	}
}
