package ir

// This file defines ParseFunc, which reads the printed form, so that tests of all later
// stages can write IR by hand. For hand-written text it accepts more than Print writes:
//
//   - registers need no declaration: the first assignment declares them with its type
//   - an integer literal without a suffix takes the type that its context asks for
//   - p[i] is the address of element i of a pointer parameter or an object
//   - the type of a load, store or atomic of such an element may be left out
//   - scopes and orders of atomics may be left out: relaxed at device scope
//   - operators bind as they do in C
//   - bytes and align of an object may be left out where elements and dims say them

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
)

// ParsedFile is the file name in the spans of parsed functions. Offsets count in the text
// that was given to ParseFunc.
const ParsedFile = "ir"

// maxNesting bounds the nesting of statements and expressions in a text.
const maxNesting = 500

// ParseFunc reads one function in printed form and checks it. Each statement that has a site
// gets one of its own, whose Span and Stmt are the statement's line without indentation and
// comment. Errors begin with the line's number.
func ParseFunc(text string) (f *Func, err error) {
	p := &parser{
		text: text, lex: lexer{text: text}, f: &Func{}, symbols: map[string]any{}, labels: map[string]*Label{},
		untyped: map[*Const]string{},
	}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case parseError:
			line := 1 + strings.Count(text[:e.offset], "\n")
			f, err = nil, fmt.Errorf("line %d: %s", line, e.message)
		default:
			panic(e)
		}
	}()
	p.advance()
	p.function()
	if err := Check(p.f); err != nil {
		return nil, err
	}
	return p.f, nil
}

// MustParse is ParseFunc for texts that are part of the program, such as those of tests. It
// panics on an error.
func MustParse(text string) *Func {
	f, err := ParseFunc(text)
	if err != nil {
		panic(err)
	}
	return f
}

type parseError struct {
	offset  int
	message string
}

type parser struct {
	text    string
	lex     lexer
	tok     token
	f       *Func
	symbols map[string]any
	labels  map[string]*Label
	untyped map[*Const]string // literals without suffix that may still take their context's type
	depth   int
}

func (p *parser) fail(format string, args ...any) {
	panic(parseError{min(p.tok.offset, len(p.text)), fmt.Sprintf(format, args...)})
}

func (p *parser) advance() {
	t, err := p.lex.next()
	p.tok = t
	if err != nil {
		p.fail("%v", err)
	}
}

func (p *parser) is(text string) bool {
	return (p.tok.kind == identifier || p.tok.kind == punctuation) && p.tok.text == text
}

func (p *parser) accept(text string) bool {
	if p.is(text) {
		p.advance()
		return true
	}
	return false
}

func (p *parser) expect(text string) {
	if !p.accept(text) {
		p.fail("want %q, have %q", text, p.tok.text)
	}
}

// take returns the text of the current token, which must be of one of the kinds.
func (p *parser) take(what string, kinds ...tokenKind) string {
	if !slices.Contains(kinds, p.tok.kind) {
		p.fail("want %s, have %q", what, p.tok.text)
	}
	text := p.tok.text
	p.advance()
	return text
}

func (p *parser) name() string { return p.take("a name", identifier, quoted) }

func (p *parser) endLine() {
	if p.tok.kind != newline && p.tok.kind != endOfText && !p.is("}") {
		p.fail("unexpected %q", p.tok.text)
	}
	p.skipLines()
}

func (p *parser) skipLines() {
	for p.tok.kind == newline {
		p.advance()
	}
}

func (p *parser) integer() int64 {
	negative := p.accept("-")
	text := p.take("a number", number)
	v, err := strconv.ParseInt(text, 0, 64)
	if err != nil {
		p.fail("bad number %q", text)
	}
	if negative {
		return -v
	}
	return v
}

func (p *parser) smallInteger() int {
	v := p.integer()
	if int64(int32(v)) != v {
		p.fail("number %d is out of range", v)
	}
	return int(v)
}

// enum reads a word that names one of the values of a type from 0.
func enum[T ~uint8](p *parser, what string, names ...string) T {
	i := slices.Index(names, p.tok.text)
	if i < 0 || p.tok.kind != identifier {
		p.fail("want %s, have %q", what, p.tok.text)
	}
	p.advance()
	return T(i)
}

func (p *parser) typ() Type { return enum[Type](p, "a type", typeNames[:]...) }

func (p *parser) isType() bool {
	return p.tok.kind == identifier && slices.Contains(typeNames[:], p.tok.text)
}

var orderWords = []string{"weak", "relaxed", "acquire", "release", "acq_rel", "seq_cst"}
var scopeWords = []string{"none", "block", "cluster", "device", "system"}

func (p *parser) isOrder() bool {
	return p.tok.kind == identifier && slices.Contains(orderWords, p.tok.text)
}

func (p *parser) order() Order      { return enum[Order](p, "an order", orderWords...) }
func (p *parser) scope() race.Scope { return enum[race.Scope](p, "a scope", scopeWords...) }

func (p *parser) function() {
	p.skipLines()
	p.expect("func")
	p.f.Span = source.Span{File: ParsedFile, Start: p.tok.offset, End: p.tok.offset + len(p.tok.text)}
	p.f.Name = p.name()
	if p.tok.kind == quoted {
		p.f.Instance = p.take("", quoted)
	}
	p.expect("{")
	p.skipLines()
	for p.tok.kind == identifier && p.headerLine() {
		p.endLine()
	}
	p.f.Body = p.stmts()
	p.expect("}")
	p.skipLines()
	if p.tok.kind != endOfText {
		p.fail("unexpected %q after the function", p.tok.text)
	}
}

func (p *parser) headerLine() bool {
	switch word := p.tok.text; word {
	case "launch_bounds":
		p.advance()
		p.f.MaxThreads = p.smallInteger()
	case "cluster":
		p.advance()
		p.f.Cluster = race.Dim3{p.smallInteger(), p.smallInteger(), p.smallInteger()}
	case "unknowns":
		p.advance()
		p.f.Unknowns = append(p.f.Unknowns, p.take("a reason", quoted))
	case "assumes":
		p.advance()
		p.f.Assumes = append(p.f.Assumes, p.take("an assumption", quoted))
	case "param":
		p.advance()
		p.param()
	case "reg":
		p.advance()
		key, name := p.newSymbol('%')
		p.declareReg(key, name, p.typ())
	case "global", "shared", "local", "constant":
		p.advance()
		p.object(Space(slices.Index([]string{"global", "shared", "local", "constant"}, word)))
	default:
		return false
	}
	return true
}

func symbolKey(t token) string { return string(t.sigil) + strconv.Quote(t.text) + t.id }

func (p *parser) newSymbol(sigil byte) (key, name string) {
	if p.tok.kind != symbolName || p.tok.sigil != sigil {
		p.fail("want a name that starts with %c, have %q", sigil, p.tok.text)
	}
	key, name = symbolKey(p.tok), p.tok.text
	if p.symbols[key] != nil {
		p.fail("%c%s is declared twice", sigil, name)
	}
	p.advance()
	return key, name
}

func (p *parser) declareReg(key, name string, t Type) *Reg {
	r := &Reg{ID: len(p.f.Regs), Name: name, Type: t}
	p.f.Regs = append(p.f.Regs, r)
	p.symbols[key] = r
	return r
}

func (p *parser) param() {
	key, name := p.newSymbol('$')
	a := &Param{Index: len(p.f.Params), Name: name, Type: p.typ()}
	if p.isType() {
		a.Elem = p.typ()
		a.ElemSize = a.Elem.Size()
	}
	if p.accept("size") {
		a.ElemSize = p.integer()
	}
	a.Restrict = p.accept("restrict")
	a.Const = p.accept("const")
	p.f.Params = append(p.f.Params, a)
	p.symbols[key] = a
}

func (p *parser) object(space Space) {
	key, name := p.newSymbol('@')
	o := &Object{ID: len(p.f.Objects), Name: name, Space: space, Elem: p.typ()}
	o.Size, o.Align = -1, o.Elem.Size()
	if p.accept("bytes") {
		o.Size = p.integer()
	}
	if p.accept("align") {
		o.Align = p.integer()
	}
	if p.accept("dims") {
		for p.tok.kind == number {
			o.Dims = append(o.Dims, p.integer())
		}
	}
	if p.accept("init") {
		data, err := hex.DecodeString(p.take("hexadecimal digits", quoted))
		if err != nil {
			p.fail("bad init: %v", err)
		}
		o.Init = data
	}
	if o.Size < 0 {
		o.Size = o.Elem.Size()
		for _, d := range o.Dims {
			o.Size *= d
		}
	}
	p.f.Objects = append(p.f.Objects, o)
	p.symbols[key] = o
}

func (p *parser) enter() {
	if p.depth++; p.depth > maxNesting {
		p.fail("nested deeper than %d", maxNesting)
	}
}

func (p *parser) leave() { p.depth-- }

func (p *parser) stmts() []Stmt {
	p.enter()
	defer p.leave()
	var list []Stmt
	p.skipLines()
	for !p.is("}") && p.tok.kind != endOfText {
		list = append(list, p.stmt())
		p.endLine()
	}
	return list
}

func (p *parser) body() []Stmt {
	p.expect("{")
	list := p.stmts()
	p.expect("}")
	return list
}

// stmt reads a statement and gives it its site.
func (p *parser) stmt() Stmt {
	start := p.tok.offset
	index := len(p.f.Sites)
	p.f.Sites = append(p.f.Sites, Site{})
	s := p.unplaced()
	place := sitePointer(s)
	if place == nil {
		p.f.Sites = slices.Delete(p.f.Sites, index, index+1)
		WalkStmts([]Stmt{s}, func(s Stmt) bool {
			if q := sitePointer(s); q != nil {
				*q--
			}
			return true
		})
		return s
	}
	*place = index
	end := len(p.text)
	if n := strings.IndexAny(p.text[start:], ";\n"); n >= 0 {
		end = start + len(strings.TrimRight(p.text[start:start+n], " \t\r"))
	}
	span := source.Span{File: ParsedFile, Start: start, End: end}
	p.f.Sites[index] = Site{Span: span, Stmt: span, Variable: accessed(s)}
	return s
}

// accessed returns the name of the object or parameter that a statement's address starts from.
func accessed(s Stmt) string {
	name := ""
	for _, e := range Operands(s) {
		for e != nil && e.Type() == Ptr && name == "" {
			switch x := e.(type) {
			case *PtrAdd:
				e = x.Base
				continue
			case *ObjAddr:
				name = x.Obj.Name
			case *ParamRef:
				name = x.P.Name
			}
			break
		}
	}
	return name
}

func (p *parser) unplaced() Stmt {
	if p.tok.kind == symbolName && p.tok.sigil == '%' {
		return p.assignment()
	}
	word := p.take("a statement", identifier)
	switch word {
	case "if":
		return p.ifStmt()
	case "break":
		return &Break{p.target()}
	case "continue":
		return &Continue{p.target()}
	case "return":
		return &Return{}
	case "trap":
		return &Trap{}
	case "assume":
		return &Assume{p.expression()}
	case "store":
		return p.store()
	case "fence":
		return &Fence{Order: p.order(), Scope: p.scope()}
	case "unknown":
		return p.unknown()
	case "launch":
		return p.launch()
	case "copy":
		s := &HostCopy{Dst: p.expression()}
		p.expect(",")
		s.Src = p.expression()
		p.expect(",")
		s.Bytes = p.expression()
		s.Again = p.accept("again")
		return s
	case "set":
		s := &HostCopy{Dst: p.expression()}
		p.expect(",")
		s.Bytes = p.expression()
		if p.accept("to") {
			s.Value = p.expression()
		}
		s.Again = p.accept("again")
		return s
	}
	if p.accept(":") {
		return p.labelled(word)
	}
	if s := p.operation(word); s != nil {
		return s
	}
	p.fail("unknown statement %q", word)
	return nil
}

// assignment reads "%r = expression" or "%r = operation".
func (p *parser) assignment() Stmt {
	name := p.tok
	key := symbolKey(name)
	p.advance()
	p.expect("=")
	dst, _ := p.symbols[key].(*Reg)
	if p.tok.kind == identifier {
		if word := p.tok.text; word == "load" || word == "atomic" || word == "barrier" || word == "warp" || word == "named" || word == "alloc" {
			p.advance()
			s := p.operation(word)
			if dst == nil {
				dst = p.declareReg(key, name.text, resultType(s))
			}
			setDst(s, dst)
			return s
		}
	}
	x := p.expression()
	if dst == nil {
		dst = p.declareReg(key, name.text, x.Type())
	}
	return &Assign{Dst: dst, X: p.adapt(x, dst.Type)}
}

// resultType is the type of the register that an operation declares.
func resultType(s Stmt) Type {
	switch s := s.(type) {
	case *Load:
		return s.T
	case *Atomic:
		return s.T
	case *Alloc:
		return Ptr
	case *WarpOp:
		if (strings.HasPrefix(s.Op, "shfl") || strings.HasPrefix(s.Op, "reduce_")) && len(s.Args) > 0 {
			return s.Args[0].Type()
		}
		if s.Op == "all" || s.Op == "any" {
			return I32
		}
		return U32
	case *Named:
		return U64
	}
	return I32
}

func setDst(s Stmt, r *Reg) {
	switch s := s.(type) {
	case *Load:
		s.Dst = r
	case *Atomic:
		s.Dst = r
	case *Barrier:
		s.Dst = r
	case *WarpOp:
		s.Dst = r
	case *Named:
		s.Dst = r
	case *Alloc:
		s.Dst = r
	}
}

// operation reads what may stand behind "%r =" after its first word.
func (p *parser) operation(word string) Stmt {
	switch word {
	case "load":
		s := &Load{Link: p.accept("link"), Strength: p.strength(Strength{}), Part: p.part()}
		s.Ptr, s.T = p.address()
		return s
	case "atomic":
		return p.atomic()
	case "barrier":
		return p.barrier()
	case "warp":
		s := &WarpOp{Op: p.name()}
		s.Mask = p.clause("mask", U32)
		if p.accept("args") {
			s.Args = p.list()
		}
		return s
	case "named":
		s := &Named{Op: p.name()}
		if p.tok.kind != newline && p.tok.kind != endOfText && !p.is("}") {
			s.Args = p.list()
		}
		return s
	case "alloc":
		s := &Alloc{Name: p.name()}
		p.expect("bytes")
		s.Bytes = p.expression()
		return s
	}
	return nil
}

func (p *parser) strength(s Strength) Strength {
	s.Volatile = p.accept("volatile")
	if p.isOrder() {
		s.Order, s.Scope = p.order(), p.scope()
	}
	return s
}

// part reads which part of a vector an access is, if it is one.
func (p *parser) part() (of Part) {
	if p.accept("at") {
		of.At = p.integer()
		p.expect("of")
		of.Of = p.integer()
	}
	return of
}

// address reads an access's type and address; the address's element gives a type left out.
func (p *parser) address() (Expr, Type) {
	t := Void
	if p.isType() {
		t = p.typ()
	}
	e := p.expression()
	if t == Void {
		t = elementOf(e)
	}
	if t == Void {
		p.fail("the type of the access is missing")
	}
	return e, t
}

func elementOf(e Expr) Type {
	switch e := e.(type) {
	case *PtrAdd:
		return elementOf(e.Base)
	case *ObjAddr:
		return e.Obj.Elem
	case *ParamRef:
		return e.P.Elem
	}
	return Void
}

func (p *parser) store() Stmt {
	s := &Store{Strength: p.strength(Strength{}), Part: p.part()}
	s.Ptr, s.T = p.address()
	p.expect(",")
	s.X = p.adapt(p.expression(), s.T)
	return s
}

func (p *parser) atomic() Stmt {
	s := &Atomic{Op: enum[AtomicOp](p, "an atomic operation", atomicNames[:]...)}
	s.Strength = p.strength(Strength{Order: Relaxed, Scope: race.ScopeDevice})
	s.Ptr, s.T = p.address()
	p.expect(",")
	if s.Op == AtomicCAS {
		s.Compare = p.adapt(p.expression(), s.T)
		p.expect(",")
	}
	s.X = p.adapt(p.expression(), s.T)
	return s
}

func (p *parser) barrier() Stmt {
	s := &Barrier{Level: enum[Level](p, "a level", "warp", "block", "cluster", "grid")}
	s.Mode = enum[BarrierMode](p, "a mode", "sync", "arrive", "wait")
	s.Mask, s.ID, s.Count = p.clause("mask", U32), p.clause("id", I32), p.clause("count", I32)
	if p.accept("reduce") {
		s.Reduce = p.name()
		s.Pred = p.clause("of", Bool)
	}
	return s
}

// clause reads a keyword and an expression, or gives nil where the keyword is not there.
func (p *parser) clause(keyword string, t Type) Expr {
	if !p.accept(keyword) {
		return nil
	}
	return p.adapt(p.expression(), t)
}

func (p *parser) list() []Expr {
	list := []Expr{p.expression()}
	for p.accept(",") {
		list = append(list, p.expression())
	}
	return list
}

func (p *parser) unknown() Stmt {
	s := &Unknown{Reason: p.take("a reason", quoted), Memory: p.accept("memory")}
	if p.accept("sets") {
		s.Dst = append(s.Dst, p.register())
		for p.accept(",") {
			s.Dst = append(s.Dst, p.register())
		}
	}
	return s
}

func (p *parser) register() *Reg {
	r, ok := p.symbols[symbolKey(p.tok)].(*Reg)
	if !ok || p.tok.kind != symbolName {
		p.fail("want a declared register, have %q", p.tok.text)
	}
	p.advance()
	return r
}

// launch reads a launch. Its kernel is a stand-in with the name and parameters of the
// arguments' types.
func (p *parser) launch() Stmt {
	s := &Launch{Kernel: &Func{Name: p.name()}}
	if p.tok.kind == quoted {
		s.Kernel.Instance = p.take("", quoted)
	}
	p.expect("grid")
	copy(s.Grid[:], p.three())
	p.expect("block")
	copy(s.Block[:], p.three())
	if p.accept("cluster") {
		copy(s.Cluster[:], p.three())
	}
	s.SharedBytes = p.clause("shared_bytes", I32)
	s.Cooperative = p.accept("cooperative")
	s.Again = p.accept("again")
	s.Anyhow = p.accept("anyhow")
	if p.accept("args") {
		s.Args = p.list()
	}
	for i, a := range s.Args {
		s.Kernel.Params = append(s.Kernel.Params, &Param{Index: i, Type: a.Type()})
	}
	return s
}

func (p *parser) three() []Expr {
	list := p.list()
	if len(list) != 3 {
		p.fail("want three dimensions, have %d", len(list))
	}
	return list
}

func (p *parser) ifStmt() Stmt {
	s := &If{Cond: p.expression()}
	s.Then = p.body()
	if p.accept("else") {
		if p.accept("if") {
			index := len(p.f.Sites)
			p.f.Sites = append(p.f.Sites, Site{Span: p.f.Span, Stmt: p.f.Span})
			nested := p.ifStmt().(*If)
			nested.Site = index
			s.Else = []Stmt{nested}
		} else {
			s.Else = p.body()
		}
	}
	return s
}

func (p *parser) labelled(name string) Stmt {
	l := &Label{ID: len(p.labels) + 1}
	if p.labels[name] != nil {
		p.fail("label %s is used twice", name)
	}
	p.labels[name] = l
	if p.accept("block") {
		return &Block{Label: l, Body: p.body()}
	}
	p.expect("loop")
	s := &Loop{Label: l, Head: p.body()}
	p.expect("while")
	s.Cond = p.expression()
	s.Body = p.body()
	if p.accept("post") {
		s.Post = p.body()
	}
	return s
}

func (p *parser) target() *Label {
	l := p.labels[p.tok.text]
	if l == nil || p.tok.kind != identifier {
		p.fail("want a label, have %q", p.tok.text)
	}
	p.advance()
	return l
}
