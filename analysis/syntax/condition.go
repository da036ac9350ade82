package syntax

// This file evaluates the conditions of #if: 64-bit integers, unsigned where an operand is
// (ISO C++17, [cpp.cond]).

import (
	"path/filepath"
	"strconv"
	"strings"

	"github.com/warplint/warplint/analysis/syntax/headers"
)

// condition evaluates text[start:end]. The second result is false for what is no condition.
func (r *reader) condition(start, end int) (holds, ok bool) {
	p := r.p
	p.inCondition = true
	tokens := p.expandList(r.tokens(start, end))
	p.inCondition = false
	e := evaluator{tokens: tokens}
	v := e.ternary()
	if e.failed || len(e.tokens) > 0 {
		return false, false
	}
	return v.bits != 0, true
}

// operator replaces "defined X", "__has_include(…)" and their like by their value, before any
// of their operands is expanded. It reports whether t was one.
func (e *expander) operator(t *token) bool {
	var v bool
	switch {
	case t.text == "defined":
		v = e.definedOperand()
	case strings.HasPrefix(t.text, "__has_") && e.parenFollows():
		v = e.hasOperand(t)
	default:
		return false
	}
	t.kind, t.text = number, "0"
	if v {
		t.text = "1"
	}
	return true
}

func (e *expander) definedOperand() bool {
	open := e.settle() && e.stack[len(e.stack)-1].tokens[0].is("(")
	if open {
		e.pop()
	}
	if !e.settle() {
		return false
	}
	v := e.p.defined(e.pop().text)
	if open && e.settle() && e.stack[len(e.stack)-1].tokens[0].is(")") {
		e.pop()
	}
	return v
}

// hasOperand reads "(…)". Only files are ever there: no attribute and no builtin is.
func (e *expander) hasOperand(t *token) bool {
	args, _, ok := e.arguments(&macro{})
	if !ok || len(args) == 0 || len(args[0]) == 0 || !strings.HasPrefix(t.text, "__has_include") {
		return false
	}
	var b strings.Builder
	for _, a := range args[0] {
		b.WriteString(a.text)
	}
	name, angled, ok := quotedName(b.String())
	return ok && args[0][0].from != nil && e.p.exists(filepath.FromSlash(name), angled, args[0][0].from)
}

func (p *preprocessor) exists(name string, angled bool, from *text) bool {
	if _, _, known := headers.Find(name, angled); known {
		return true
	}
	if !angled {
		if _, ok := p.files.File(filepath.Join(filepath.Dir(from.file.Path), name)); ok {
			return true
		}
	}
	for _, dir := range p.cfg.foldersOf(name, angled) {
		if _, ok := p.files.File(filepath.Join(dir, name)); ok {
			return true
		}
	}
	return false
}

// value is an integer of a condition.
type value struct {
	bits     int64
	unsigned bool
}

// evaluator computes the value of tokens by recursive descent.
type evaluator struct {
	tokens []token
	depth  int
	failed bool
}

func (e *evaluator) fail() value {
	e.failed, e.tokens = true, nil
	return value{}
}

func (e *evaluator) take(punct string) bool {
	if len(e.tokens) > 0 && e.tokens[0].is(punct) {
		e.tokens = e.tokens[1:]
		return true
	}
	return false
}

func (e *evaluator) ternary() value {
	if e.depth++; e.depth > maxNesting {
		return e.fail()
	}
	defer func() { e.depth-- }()
	c := e.binary(0)
	if !e.take("?") {
		return c
	}
	a := e.ternary()
	if !e.take(":") {
		return e.fail()
	}
	b := e.ternary()
	v := b
	if c.bits != 0 {
		v = a
	}
	v.unsigned = a.unsigned || b.unsigned
	return v
}

var precedence = map[string]int{
	"||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6,
	"<": 7, ">": 7, "<=": 7, ">=": 7, "<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
	"or": 1, "and": 2, "bitor": 3, "xor": 4, "bitand": 5, "not_eq": 6,
}

// binary reads operators that bind tighter than min.
func (e *evaluator) binary(min int) value {
	left := e.unary()
	for len(e.tokens) > 0 {
		op := e.tokens[0].text
		p := precedence[op]
		if p <= min || e.tokens[0].kind != punctuation && e.tokens[0].kind != identifier {
			break
		}
		e.tokens = e.tokens[1:]
		left = e.apply(op, left, e.binary(p))
	}
	return left
}

func truth(b bool) value {
	if b {
		return value{bits: 1}
	}
	return value{}
}

func (e *evaluator) apply(op string, a, b value) value {
	unsigned := a.unsigned || b.unsigned
	x, y := uint64(a.bits), uint64(b.bits)
	less := a.bits < b.bits
	if unsigned {
		less = x < y
	}
	result := func(bits int64) value { return value{bits, unsigned} }
	switch op {
	case "||", "or":
		return truth(a.bits != 0 || b.bits != 0)
	case "&&", "and":
		return truth(a.bits != 0 && b.bits != 0)
	case "==":
		return truth(x == y)
	case "!=", "not_eq":
		return truth(x != y)
	case "<":
		return truth(less)
	case ">=":
		return truth(!less)
	case ">":
		return truth(!less && x != y)
	case "<=":
		return truth(less || x == y)
	case "|", "bitor":
		return result(a.bits | b.bits)
	case "^", "xor":
		return result(a.bits ^ b.bits)
	case "&", "bitand":
		return result(a.bits & b.bits)
	case "+":
		return result(a.bits + b.bits)
	case "-":
		return result(a.bits - b.bits)
	case "*":
		return result(a.bits * b.bits)
	case "<<":
		return value{int64(x << (y & 63)), a.unsigned}
	case ">>":
		if a.unsigned {
			return value{int64(x >> (y & 63)), true}
		}
		return value{a.bits >> (y & 63), false}
	}
	if b.bits == 0 {
		// Division by zero counts only where it is evaluated, as in "defined N && M/N"; a
		// value of 0 does no harm there, and no compiler accepts it elsewhere.
		return value{}
	}
	switch {
	case op == "/" && unsigned:
		return value{int64(x / y), true}
	case op == "/":
		return value{a.bits / b.bits, false}
	case unsigned:
		return value{int64(x % y), true}
	}
	return value{a.bits % b.bits, false}
}

func (e *evaluator) unary() value {
	if len(e.tokens) == 0 {
		return e.fail()
	}
	if e.depth++; e.depth > maxNesting {
		return e.fail()
	}
	defer func() { e.depth-- }()
	t := e.tokens[0]
	e.tokens = e.tokens[1:]
	switch t.kind {
	case number:
		v, ok := integer(t.text)
		if !ok {
			return e.fail()
		}
		return v
	case literal:
		v, ok := character(t.text)
		if !ok {
			return e.fail()
		}
		return v
	case identifier:
		if t.text == "not" {
			return truth(e.unary().bits == 0)
		}
		e.skipCall()
		return truth(t.text == "true")
	}
	switch t.text {
	case "!":
		return truth(e.unary().bits == 0)
	case "-":
		v := e.unary()
		v.bits = -v.bits
		return v
	case "+":
		return e.unary()
	case "~":
		v := e.unary()
		v.bits = ^v.bits
		return v
	case "(":
		v := e.ternary()
		if !e.take(")") {
			return e.fail()
		}
		return v
	}
	return e.fail()
}

// skipCall skips the arguments of a function-like macro that is not defined, such as a
// version test out of a header that is not there; its value is 0.
func (e *evaluator) skipCall() {
	if len(e.tokens) > 0 && e.tokens[0].is("(") {
		inside := bracketed(e.tokens)
		e.tokens = e.tokens[min(len(inside)+2, len(e.tokens)):]
	}
}

// integer reads an integer literal. Like the compilers, it takes one too large for signed
// numbers as unsigned.
func integer(text string) (value, bool) {
	text = strings.ToLower(strings.ReplaceAll(text, "'", ""))
	digits := strings.TrimRight(text, "uljz")
	suffix := text[len(digits):]
	if strings.HasPrefix(text, "0x") {
		digits = strings.TrimRight(text, "ulz")
		suffix = text[len(digits):]
	}
	if len(digits) > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9' {
		digits = "0o" + digits[1:]
	}
	bits, err := strconv.ParseUint(digits, 0, 64)
	if err != nil {
		return value{}, false
	}
	return value{int64(bits), strings.Contains(suffix, "u") || bits > 1<<63-1}, true
}

// character reads a character literal.
func character(text string) (value, bool) {
	open := strings.IndexByte(text, '\'')
	if open < 0 || len(text) < open+3 || text[len(text)-1] != '\'' {
		return value{}, false
	}
	body := text[open+1 : len(text)-1]
	if strings.HasPrefix(body, `\0`) && len(body) <= 4 {
		v, err := strconv.ParseUint("0"+body[1:], 8, 8)
		return value{bits: int64(v)}, err == nil
	}
	c, _, rest, err := strconv.UnquoteChar(body, '\'')
	return value{bits: int64(c)}, err == nil && rest == ""
}
