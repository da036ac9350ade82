// This file reads instructions and their operands.

package ptx

import (
	"fmt"
	"strings"
)

// instruction reads one with its guard: "@!%p1 bra L;".
func (p *parser) instruction() {
	p.expect('@')
	not := p.accept('!')
	t := p.tok
	guard := p.register(p.name())
	if guard < 0 {
		p.fail(t.line, "predicate %s is not declared", t)
	}
	if p.fn.Registers[guard].Type != Pred {
		p.fail(t.line, "guard %s is no predicate", t)
	}
	op := p.tok
	p.name()
	p.mnemonic(op, guard, not)
}

// mnemonic reads the rest of an instruction after its first word.
func (p *parser) mnemonic(t token, guard int32, not bool) {
	in := Instr{Guard: guard, GuardNot: not, Line: t.line, Location: p.location}
	info, known := opcodes[t.text]
	in.Op = info.op
	full := t.text
	for p.tok.kind == dotToken {
		word := p.advance()
		full += "." + word.text
		if modifier, ok := info.modifiers[word.text]; ok {
			in.Modifiers = append(in.Modifiers, modifier)
		} else if ty, ok := typesByName[word.text]; ok {
			in.Types = append(in.Types, ty)
		} else {
			known = false
		}
	}
	if !known {
		p.unknown(t.line, full)
		return
	}
	p.operands(&in)
	p.fn.Body = append(p.fn.Body, in)
}

// unknown notes the first instruction that makes the function unusable and goes on after it.
func (p *parser) unknown(line int32, mnemonic string) {
	if p.fn.Err == nil {
		p.fn.Err = &Error{int(line), fmt.Sprintf("unknown instruction %s", mnemonic)}
	}
	p.skipStatement()
}

func (p *parser) operands(in *Instr) {
	for !p.accept(';') {
		if len(in.Operands) > 0 {
			p.expect(',')
		}
		in.Operands = append(in.Operands, p.operand(len(in.Operands), 0))
		if p.accept('|') {
			i := len(in.Operands) - 1
			pair := Operand{Kind: PairOperand, Elems: []Operand{in.Operands[i], p.operand(-1, 0)}}
			in.Operands[i] = pair
		}
		if len(in.Operands) > 64 {
			p.fail(p.tok.line, "too many operands")
		}
	}
}

// operand reads one operand. The index is its place in the instruction, -1 for an inner one,
// which can't be a label.
func (p *parser) operand(index, depth int) Operand {
	if depth > 4 {
		p.fail(p.tok.line, "operands nested too deeply")
	}
	t := p.tok
	switch {
	case p.accept('['):
		return p.address(depth)
	case p.accept('{'):
		return Operand{Kind: VectorOperand, Reg: -1, Elems: p.elements('}', depth)}
	case p.accept('('):
		return Operand{Kind: ListOperand, Reg: -1, Elems: p.elements(')', depth)}
	case p.accept('!'):
		o := p.operand(-1, depth+1)
		o.Not = true
		return o
	case t.kind == identToken && t.text != "WARP_SZ":
		p.advance()
		return p.named(t, index)
	}
	o := p.signedConstant()
	o.Reg = -1
	return o
}

// elements reads a list up to its closing bracket; an empty one is possible.
func (p *parser) elements(closing byte, depth int) []Operand {
	var list []Operand
	for !p.accept(closing) {
		if len(list) > 0 {
			p.expect(',')
		}
		if len(list) >= 256 {
			p.fail(p.tok.line, "too many elements")
		}
		list = append(list, p.operand(-1, depth+1))
	}
	return list
}

// named reads an operand that begins with a name: a register, a special register, a variable
// with an offset, or a label.
func (p *parser) named(t token, index int) Operand {
	if t.text == "_" {
		return Operand{Kind: SinkOperand, Reg: -1}
	}
	if r := p.register(t.text); r >= 0 {
		return Operand{Kind: RegisterOperand, Reg: r}
	}
	if t.text[0] == '%' {
		if !isSpecial(t.text) {
			p.fail(t.line, "register %s is not declared", t)
		}
		return Operand{Kind: SpecialOperand, Reg: -1, Name: strings.Clone(t.text)}
	}
	if index >= 0 {
		p.useLabel(t, index)
	}
	o := Operand{Kind: SymbolOperand, Reg: -1, Name: p.variable(t.text)}
	o.Offset = p.offset()
	return o
}

// offset reads "+4", "-4" or "+-4" after a base.
func (p *parser) offset() int64 {
	switch {
	case p.accept('+'):
		return int64(p.signedConstant().Bits)
	case p.tok.is('-'):
		return int64(p.signedConstant().Bits)
	}
	return 0
}

// address reads what follows "[": a base with an offset, and for textures, bulk copies and the
// like more operands.
func (p *parser) address(depth int) Operand {
	o := Operand{Kind: AddressOperand, Reg: -1}
	switch t := p.tok; {
	case t.kind == identToken:
		p.advance()
		if r := p.register(t.text); r >= 0 {
			o.Reg = r
		} else if t.text[0] == '%' {
			p.fail(t.line, "register %s is not declared", t)
		} else {
			o.Name = p.variable(t.text)
		}
		o.Offset = p.offset()
	default:
		o.Offset = int64(p.signedConstant().Bits)
	}
	for p.accept(',') {
		o.Elems = append(o.Elems, p.operand(-1, depth+1))
	}
	p.expect(']')
	return o
}
