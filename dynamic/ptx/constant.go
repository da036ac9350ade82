// This file reads constants (PTX ISA, "Constants").

package ptx

import (
	"math"
	"strconv"
	"strings"
)

// parseInteger reads a decimal, hexadecimal, octal or binary constant, with an optional U.
func parseInteger(text string) (value uint64, ok bool) {
	digits := strings.TrimRight(text, "Uu")
	value, err := strconv.ParseUint(digits, 0, 64)
	return value, err == nil && !strings.Contains(digits, "_")
}

// constant reads a number token into an operand.
func (p *parser) constant(t token) Operand {
	text := t.text
	if len(text) == 10 && (text[:2] == "0f" || text[:2] == "0F") {
		if bits, err := strconv.ParseUint(text[2:], 16, 32); err == nil {
			return Operand{Kind: Float32Operand, Bits: bits}
		}
	}
	if len(text) == 18 && (text[:2] == "0d" || text[:2] == "0D") {
		if bits, err := strconv.ParseUint(text[2:], 16, 64); err == nil {
			return Operand{Kind: Float64Operand, Bits: bits}
		}
	}
	if v, ok := parseInteger(text); ok {
		return Operand{Kind: IntegerOperand, Bits: v}
	}
	if v, err := strconv.ParseFloat(text, 64); err == nil && !strings.ContainsAny(text, "xX_pP") {
		return Operand{Kind: Float64Operand, Bits: math.Float64bits(v)}
	}
	p.fail(t.line, "%s is no constant", t)
	return Operand{}
}

// signedConstant reads a constant with an optional sign or complement before it.
func (p *parser) signedConstant() Operand {
	t := p.tok
	switch {
	case p.accept('-'):
		return negate(p.constant(p.advance()))
	case p.accept('+'):
		return p.constant(p.advance())
	case p.accept('~'):
		c := p.constant(p.advance())
		c.Bits = ^c.Bits
		return c
	case t.kind == identToken && t.text == "WARP_SZ":
		p.advance()
		return Operand{Kind: IntegerOperand, Bits: 32}
	}
	if t.kind != numberToken {
		p.fail(t.line, "expected a constant, found %s", t)
	}
	return p.constant(p.advance())
}

func negate(c Operand) Operand {
	switch c.Kind {
	case Float32Operand:
		c.Bits ^= 1 << 31
	case Float64Operand:
		c.Bits ^= 1 << 63
	default:
		c.Bits = -c.Bits
	}
	return c
}

// Float64 returns a floating-point or integer constant as a number.
func (o *Operand) Float64() float64 {
	switch o.Kind {
	case Float32Operand:
		return float64(math.Float32frombits(uint32(o.Bits)))
	case Float64Operand:
		return math.Float64frombits(o.Bits)
	}
	return float64(int64(o.Bits))
}
