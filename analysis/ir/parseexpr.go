package ir

// This file reads the expressions of the text form.

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// binaryLevels holds the infix operators, those that bind weakest first.
var binaryLevels = [][]Op{
	{LogOr}, {LogAnd}, {Or}, {Xor}, {And}, {Eq, Ne}, {Lt, Le, Gt, Ge}, {Shl, Shr}, {Add, Sub}, {Mul, Div, Rem},
}

func (p *parser) expression() Expr { return p.binary(0) }

func (p *parser) binary(level int) Expr {
	if level == len(binaryLevels) {
		p.enter()
		defer p.leave()
		return p.postfix()
	}
	x := p.binary(level + 1)
	for {
		i := slices.IndexFunc(binaryLevels[level], func(op Op) bool { return p.is(binaryToken[op]) })
		if i < 0 || p.tok.kind != punctuation {
			return x
		}
		p.advance()
		x = p.apply(binaryLevels[level][i], x, p.binary(level+1))
	}
}

func (p *parser) apply(op Op, x, y Expr) Expr {
	if op == Add && x.Type() == Ptr {
		return &PtrAdd{Base: x, Offset: p.adapt(y, I64)}
	}
	if op != Shl && op != Shr {
		x = p.adapt(x, y.Type())
		y = p.adapt(y, x.Type())
	}
	t := x.Type()
	if op.IsCompare() || op == LogAnd || op == LogOr {
		t = Bool
	}
	return &Binary{Op: op, T: t, X: x, Y: y}
}

func (p *parser) postfix() Expr {
	x := p.primary()
	for p.accept("[") {
		index := p.expression()
		p.expect("]")
		size := elementOf(x).Size()
		if size == 0 {
			p.fail("an index needs a pointer parameter or an object with scalar elements")
		}
		if c, ok := index.(*Const); ok && p.untyped[c] != "" {
			index = p.adapt(index, I64)
		} else if index.Type() != I64 {
			index = &Convert{T: I64, X: index}
		}
		if size > 1 {
			index = &Binary{Op: Mul, T: I64, X: index, Y: &Const{I64, uint64(size)}}
		}
		x = &PtrAdd{Base: x, Offset: index}
	}
	return x
}

func (p *parser) primary() Expr {
	switch p.tok.kind {
	case number:
		return p.literal(false)
	case symbolName:
		return p.reference()
	case identifier:
		return p.named()
	}
	switch {
	case p.accept("("):
		x := p.expression()
		p.expect(")")
		return x
	case p.accept("-"):
		if p.tok.kind == number {
			return p.literal(true)
		}
		return &Unary{Neg, p.binary(len(binaryLevels))}
	case p.accept("~"):
		return &Unary{BitNot, p.binary(len(binaryLevels))}
	case p.accept("!"):
		return &Unary{LogNot, p.binary(len(binaryLevels))}
	}
	p.fail("want an expression, have %q", p.tok.text)
	return nil
}

func (p *parser) reference() Expr {
	switch s := p.symbols[symbolKey(p.tok)].(type) {
	case *Reg:
		p.advance()
		return &RegRef{s}
	case *Param:
		p.advance()
		return &ParamRef{s}
	case *Object:
		p.advance()
		return &ObjAddr{s}
	}
	p.fail("%c%s%s is not declared", p.tok.sigil, p.tok.text, p.tok.id)
	return nil
}

// named reads expressions that begin with a word.
func (p *parser) named() Expr {
	if p.isType() {
		t := p.typ()
		return &Convert{T: t, X: p.arguments(1)[0]}
	}
	word := p.name()
	switch word {
	case "true", "false":
		c := &Const{T: Bool}
		if word == "true" {
			c.Bits = 1
		}
		return c
	case "null":
		return &Const{T: Ptr}
	case "bits":
		return p.bits()
	case "min", "max":
		args := p.arguments(2)
		op := Min
		if word == "max" {
			op = Max
		}
		return p.apply(op, args[0], args[1])
	case "within":
		args := p.arguments(3)
		last, ok := args[2].(*Const)
		if !ok {
			p.fail("the last offset is no constant")
		}
		return &PtrAdd{Base: args[0], Offset: p.adapt(args[1], I64), Last: int64(last.Bits)}
	case "select":
		args := p.arguments(3)
		x := p.adapt(args[1], args[2].Type())
		return &Select{args[0], x, p.adapt(args[2], x.Type())}
	case "call":
		e := &Call{T: p.typ(), Name: p.name()}
		e.Args = p.arguments(-1)
		return e
	}
	base, axis, _ := strings.Cut(word, ".")
	if v := slices.Index(builtinNames[:], base); v >= 0 {
		e := &Builtin{Var: BuiltinVar(v), Axis: max(slices.Index([]string{"x", "y", "z"}, axis), 0)}
		if e.Var.HasAxis() != (len(axis) == 1 && axis >= "x" && axis <= "z") {
			p.fail("bad axis in %q", word)
		}
		return e
	}
	p.fail("unknown word %q in an expression", word)
	return nil
}

// arguments reads a list in parentheses of n expressions, of any number if n is negative.
func (p *parser) arguments(n int) []Expr {
	p.expect("(")
	var list []Expr
	if !p.is(")") {
		list = p.list()
	}
	p.expect(")")
	if n >= 0 && len(list) != n {
		p.fail("want %d arguments, have %d", n, len(list))
	}
	return list
}

func (p *parser) bits() Expr {
	p.expect("(")
	c := &Const{T: p.typ()}
	p.expect(",")
	text := p.take("a number", number)
	v, err := strconv.ParseUint(text, 0, 64)
	if err != nil {
		p.fail("bad number %q", text)
	}
	c.Bits = v
	p.expect(")")
	return c
}

// literal reads a number: digits and the type as a suffix.
func (p *parser) literal(negative bool) Expr {
	text := p.tok.text
	digits, t := text, Void
	for i, name := range typeNames {
		if name[0] == 'f' && strings.HasPrefix(text, "0x") {
			continue // f is a digit there
		}
		if d, ok := strings.CutSuffix(text, name); ok {
			digits, t = d, Type(i)
		}
	}
	if negative {
		digits = "-" + digits
	}
	c := &Const{T: t}
	if t == Void {
		c.T = I32
		if strings.Contains(digits, ".") {
			c.T = F64
		}
		p.untyped[c] = digits
	}
	if !setDigits(c, digits) {
		p.fail("bad number %q", text)
	}
	p.advance()
	return c
}

// setDigits gives a constant the value of a text in its type.
func setDigits(c *Const, digits string) bool {
	switch {
	case c.T == F32:
		v, err := strconv.ParseFloat(digits, 32)
		c.Bits = uint64(math.Float32bits(float32(v)))
		return err == nil
	case c.T == F64:
		v, err := strconv.ParseFloat(digits, 64)
		c.Bits = math.Float64bits(v)
		return err == nil
	case !c.T.IsInt() || c.T == Bool:
		return false
	}
	n := c.T.Bits()
	if v, err := strconv.ParseInt(digits, 0, 64); err == nil {
		c.Bits = uint64(v) & (^uint64(0) >> (64 - n))
		return n == 64 || v >= -(1<<(n-1)) && v < 1<<n
	}
	v, err := strconv.ParseUint(digits, 0, 64)
	c.Bits = v
	return err == nil && n == 64
}

// adapt gives a literal without suffix the type that its context asks for.
func (p *parser) adapt(e Expr, t Type) Expr {
	c, ok := e.(*Const)
	digits := p.untyped[c]
	if !ok || digits == "" || c.T == t {
		return e
	}
	typed := &Const{T: t}
	if !setDigits(typed, digits) {
		return e
	}
	return typed
}
