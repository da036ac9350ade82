// This file reads labels and what they can name besides a place: lists of branch targets, of
// call targets, and prototypes. A label is known in the braces that hold it.

package ptx

import (
	"strconv"
	"strings"
)

func itoa(i int) string { return strconv.Itoa(i) }

func (p *parser) label(t token) {
	s := p.innermost()
	if _, twice := s.labels[t.text]; twice {
		p.fail(t.line, "label %s is defined twice", t.text)
	}
	name := strings.Clone(t.text)
	switch {
	case p.acceptDot("branchtargets"):
		s.labels[name] = p.branchTargets(s)
	case p.acceptDot("calltargets"):
		p.skipStatement()
		s.labels[name] = Operand{Kind: TableOperand, Target: -1}
	case p.acceptDot("callprototype"):
		s.labels[name] = p.prototype()
	default:
		s.labels[name] = Operand{Kind: LabelOperand, Target: int32(len(p.fn.Body))}
	}
}

func (p *parser) branchTargets(s *scope) Operand {
	table := len(p.fn.Tables)
	var targets []int32
	for {
		t := p.tok
		s.pending = append(s.pending, labelUse{name: p.name(), line: t.line, instr: -1, table: table, entry: len(targets)})
		targets = append(targets, -1)
		if !p.accept(',') {
			break
		}
	}
	p.expect(';')
	p.fn.Tables = append(p.fn.Tables, targets)
	return Operand{Kind: TableOperand, Target: int32(table)}
}

// prototype reads ".callprototype (.param .b32 _) _ (.param .b64 _, …);".
func (p *parser) prototype() Operand {
	f := &Function{Line: int(p.tok.line)}
	if p.tok.is('(') {
		f.Returns = p.parameters()
	}
	p.name()
	if p.tok.is('(') {
		f.Params = p.parameters()
	}
	p.directives(f)
	p.expect(';')
	p.fn.Prototypes = append(p.fn.Prototypes, f)
	return Operand{Kind: PrototypeOperand, Target: int32(len(p.fn.Prototypes) - 1)}
}

// useLabel notes that an operand of the instruction about to be added may be a label.
func (p *parser) useLabel(t token, operand int) {
	s := p.innermost()
	s.pending = append(s.pending, labelUse{
		name: t.text, line: t.line, instr: len(p.fn.Body), operand: operand,
	})
}

// closeScope resolves the labels that a scope used; what it does not define may be defined
// further out. What no scope of the function defines is a symbol of the module.
func (p *parser) closeScope(s *scope) {
	for _, use := range s.pending {
		target, ok := s.labels[use.name]
		switch {
		case ok && use.instr < 0:
			p.fn.Tables[use.table][use.entry] = p.place(target, use)
		case ok:
			p.fn.Body[use.instr].Operands[use.operand] = target
		case s != p.fn.scopes[0]:
			outer := p.innermost()
			outer.pending = append(outer.pending, use)
		case use.instr < 0:
			p.fail(use.line, "label %s is not defined", use.name)
		}
	}
}

func (p *parser) place(target Operand, use labelUse) int32 {
	if target.Kind != LabelOperand {
		p.fail(use.line, "%s is not a place to branch to", use.name)
	}
	return target.Target
}
