// This file reads variables with their initialisers (PTX ISA, "Variable Declarations").

package ptx

import (
	"encoding/binary"
	"math"
	"strings"
)

var spacesByName = map[string]Space{
	"reg": RegSpace, "global": GlobalSpace, "shared": SharedSpace, "const": ConstSpace,
	"local": LocalSpace, "param": ParamSpace,
}

// variables reads ".global .align 4 .b8 a[3] = {1, 2, 3}, b;" and its kin.
func (p *parser) variables(linkage Linkage) []*Variable {
	shape := p.variableShape()
	shape.Linkage = linkage
	var list []*Variable
	for {
		v := shape
		p.declarator(&v)
		if p.accept('=') {
			p.initialiser(&v)
		}
		list = append(list, &v)
		if !p.accept(',') {
			break
		}
	}
	p.expect(';')
	return list
}

// variableShape reads the space, the attributes and the type that come before a name. A vector
// type makes its Size that of the whole vector.
func (p *parser) variableShape() Variable {
	v := Variable{Line: int(p.tok.line)}
	elements := 1
	for p.tok.kind == dotToken {
		t := p.advance()
		if s, ok := spacesByName[t.text]; ok {
			if v.Space == NoSpace {
				v.Space = s
			}
			continue
		}
		if ty, ok := typesByName[t.text]; ok {
			v.Type = ty
			continue
		}
		switch t.text {
		case "align":
			v.Align = p.alignment()
		case "v2", "v4", "v8":
			elements = int(t.text[1] - '0')
		case "ptr":
		case "attribute", "unified":
			p.skipParentheses()
		default:
			p.fail(t.line, "unknown attribute %s of a variable", t)
		}
	}
	if v.Type == NoType {
		p.fail(p.tok.line, "a variable without a type")
	}
	v.Size = v.Type.Size() * elements
	if v.Align == 0 {
		v.Align = max(v.Size, 1)
	}
	return v
}

func (p *parser) alignment() int {
	line := p.tok.line
	n := p.integer()
	if n <= 0 || n&(n-1) != 0 || n > 1<<16 {
		p.fail(line, "%d is no alignment", n)
	}
	return n
}

func (p *parser) skipParentheses() {
	if !p.accept('(') {
		return
	}
	for p.tok.kind != endToken && !p.accept(')') {
		p.advance()
	}
}

// declarator reads a name and its array dimensions.
func (p *parser) declarator(v *Variable) {
	v.Line = int(p.tok.line)
	v.Name = strings.Clone(p.name())
	for p.accept('[') {
		if p.accept(']') {
			v.Unsized = true
			v.Size = 0
			continue
		}
		line := p.tok.line
		n := p.integer()
		if n != 0 && v.Size > maxSize/n {
			p.fail(line, "variable %s is too large", v.Name)
		}
		v.Size *= n
		p.expect(']')
	}
}

// initialiser reads "= constant" or "= { … }", flattening nested braces.
func (p *parser) initialiser(v *Variable) {
	line := p.tok.line
	element := v.Type.Size()
	if element == 0 || v.Size > maxInit {
		p.fail(line, "variable %s can't be initialised", v.Name)
	}
	var data []byte
	p.initialiserList(v, &data, 0)
	if v.Unsized {
		v.Size, v.Unsized = len(data), false
	}
	if len(data) > v.Size {
		p.fail(line, "variable %s has %d bytes, its initialiser %d", v.Name, v.Size, len(data))
	}
	v.Init = append(data, make([]byte, v.Size-len(data))...)
}

func (p *parser) initialiserList(v *Variable, data *[]byte, depth int) {
	if depth > maxNesting {
		p.fail(p.tok.line, "braces nested too deeply")
	}
	if !p.accept('{') {
		p.initialiserElement(v, data)
		return
	}
	for !p.accept('}') {
		p.initialiserList(v, data, depth+1)
		if !p.tok.is('}') {
			p.expect(',')
		}
	}
}

func (p *parser) initialiserElement(v *Variable, data *[]byte) {
	if len(*data) > maxInit {
		p.fail(p.tok.line, "initialiser of %s is too large", v.Name)
	}
	var bits uint64
	if p.tok.kind == identToken && p.tok.text != "WARP_SZ" {
		p.reference(v, len(*data), 0)
	} else {
		t := p.tok
		c := p.signedConstant()
		if p.accept('(') {
			p.reference(v, len(*data), maskShift(p, t, c))
			p.expect(')')
		} else {
			bits = elementBits(v.Type, c)
		}
	}
	var word [16]byte
	binary.LittleEndian.PutUint64(word[:], bits)
	*data = append(*data, word[:v.Type.Size()]...)
}

// maskShift turns the mask of "0xFF00(symbol)" into the number of the byte that it selects.
func maskShift(p *parser, t token, c Operand) int {
	for shift := range 8 {
		if c.Bits == 0xff<<(8*shift) {
			return shift
		}
	}
	p.fail(t.line, "%s is no mask of one byte", t)
	return 0
}

func (p *parser) reference(v *Variable, offset, shift int) {
	ref := Ref{Offset: offset, Size: v.Type.Size(), Shift: shift}
	ref.Symbol = p.name()
	if ref.Symbol == "generic" && p.accept('(') {
		ref.Symbol, ref.Generic = p.name(), true
		p.expect(')')
	}
	ref.Symbol = strings.Clone(ref.Symbol)
	if p.tok.is('+') || p.tok.is('-') {
		ref.Addend = int64(p.signedConstant().Bits)
	}
	v.Refs = append(v.Refs, ref)
}

// elementBits converts a constant to the bits of a variable's element.
func elementBits(t Type, c Operand) uint64 {
	switch {
	case t == F32 && c.Kind == Float64Operand:
		return uint64(math.Float32bits(float32(c.Float64())))
	case t == F64 && c.Kind == Float32Operand:
		return math.Float64bits(c.Float64())
	}
	return c.Bits
}
