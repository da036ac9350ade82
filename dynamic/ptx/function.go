// This file reads functions: their heads, and the declarations and labels of their bodies.

package ptx

import "strings"

// body is the function being read with the names that are in scope.
type body struct {
	*Function
	scopes []*scope
}

// scope is what one pair of braces declares. Braces nest where inline assembly or calls stand.
type scope struct {
	names   map[string]int32 // registers
	ranges  []registerRange
	labels  map[string]Operand // LabelOperand, TableOperand or PrototypeOperand
	pending []labelUse
	renamed map[string]string // variables of inner scopes, to names unique in the function
}

// registerRange is ".reg .b32 %r<100>".
type registerRange struct {
	prefix      string
	first, size int32
}

// labelUse is an operand, or an element of a table, that names a label not resolved yet.
type labelUse struct {
	name           string
	line           int32
	instr, operand int // of Body; instr is -1 for tables
	table, entry   int
}

func newScope() *scope {
	return &scope{names: map[string]int32{}, labels: map[string]Operand{}, renamed: map[string]string{}}
}

func (p *parser) function(linkage Linkage) {
	f := &Function{Linkage: linkage, Line: int(p.tok.line), Entry: p.tok.text == "entry"}
	p.advance()
	b := &body{Function: f, scopes: []*scope{newScope()}}
	p.fn = b
	p.attributes()
	if p.tok.is('(') {
		f.Returns = p.parameters()
	}
	f.Name = strings.Clone(p.name())
	if p.tok.is('(') {
		f.Params = p.parameters()
	}
	p.directives(f)
	if p.tok.is('{') {
		f.Defined = true
		p.location = 0
		p.block()
		p.closeScope(b.scopes[0])
		f.arrange()
	} else {
		p.expect(';')
	}
	p.fn = nil
	p.addFunction(f)
}

// addFunction puts a definition in the place of its declarations.
func (p *parser) addFunction(f *Function) {
	for i, old := range p.module.Functions {
		if old.Name != f.Name {
			continue
		}
		if old.Defined && f.Defined {
			p.fail(int32(f.Line), "function %s is defined twice", f.Name)
		}
		if f.Defined {
			p.module.Functions[i] = f
		}
		return
	}
	p.module.Functions = append(p.module.Functions, f)
}

func (p *parser) attributes() {
	for p.acceptDot("attribute") {
		p.skipParentheses()
	}
}

// parameters reads "(.param .b32 a, .param .align 8 .b8 b[16])". Parameters in registers (.reg)
// are declared as such, too.
func (p *parser) parameters() []*Variable {
	var list []*Variable
	p.expect('(')
	for !p.accept(')') {
		if len(list) > 0 {
			p.expect(',')
		}
		if p.accept('.') { // "...", unused by compilers
			p.fail(p.tok.line, "variadic functions are not supported")
		}
		v := p.variableShape()
		p.declarator(&v)
		if v.Space == RegSpace {
			p.declareRegister(v.Name, v.Type, v.Line)
		}
		list = append(list, &v)
	}
	return list
}

// directives reads the performance-tuning directives between a function's head and its body.
func (p *parser) directives(f *Function) {
	for p.tok.kind == dotToken {
		t := p.advance()
		switch t.text {
		case "maxntid":
			f.MaxThreads = p.dimensions()
		case "reqntid":
			f.RequiredThreads = p.dimensions()
		case "reqnctapercluster":
			f.RequiredCluster = p.dimensions()
		case "explicitcluster", "noreturn", "blocksareclusters":
		case "minnctapersm", "maxnctapersm", "maxnreg", "maxclusterrank", "abi_preserve", "abi_preserve_control":
			p.integer()
		case "pragma":
			p.skipStatement()
		default:
			p.fail(t.line, "unknown directive %s of a function", t)
		}
	}
}

func (p *parser) dimensions() [3]int {
	d := [3]int{1, 1, 1}
	for i := range d {
		if i > 0 && !p.accept(',') {
			break
		}
		line := p.tok.line
		if d[i] = p.integer(); d[i] < 1 || d[i] > 1<<20 {
			p.fail(line, "%d is no dimension", d[i])
		}
	}
	return d
}

// block reads "{ … }" with the names that it declares.
func (p *parser) block() {
	if len(p.fn.scopes) > maxNesting {
		p.fail(p.tok.line, "braces nested too deeply")
	}
	p.expect('{')
	p.fn.scopes = append(p.fn.scopes, newScope())
	for !p.accept('}') {
		if p.tok.kind == endToken {
			p.fail(p.tok.line, "function %s has no end", p.fn.Name)
		}
		p.statement()
	}
	last := len(p.fn.scopes) - 1
	closed := p.fn.scopes[last]
	p.fn.scopes = p.fn.scopes[:last]
	p.closeScope(closed)
}

func (p *parser) statement() {
	switch {
	case p.tok.is(';'):
		p.advance()
	case p.tok.is('{'):
		p.block()
	case p.tok.is('@'):
		p.instruction()
	case p.tok.kind == dotToken:
		p.bodyDirective()
	case p.tok.kind == identToken:
		t := p.advance()
		if p.accept(':') {
			p.label(t)
		} else {
			p.mnemonic(t, -1, false)
		}
	default:
		p.fail(p.tok.line, "expected an instruction, found %s", p.tok)
	}
}

func (p *parser) bodyDirective() {
	switch p.tok.text {
	case "reg":
		p.registers()
	case "loc":
		p.loc()
	case "file":
		p.file()
	case "pragma":
		p.skipStatement()
	case "section":
		p.lexer.skipTo("}")
		p.advance()
	case "local", "shared", "const", "param", "global":
		p.localVariables()
	default:
		p.fail(p.tok.line, "unknown directive %s", p.tok)
	}
}

// localVariables declares variables of the innermost scope. A name that an outer scope of the
// function or an earlier sibling uses already is made unique.
func (p *parser) localVariables() {
	s := p.innermost()
	for _, v := range p.variables(Static) {
		if p.nameTaken(v.Name) {
			unique := v.Name + "$" + itoa(len(p.fn.Locals))
			s.renamed[v.Name] = unique
			v.Name = unique
		} else {
			s.renamed[v.Name] = v.Name
		}
		p.fn.Locals = append(p.fn.Locals, v)
	}
}

func (p *parser) nameTaken(name string) bool {
	for _, v := range p.fn.Locals {
		if v.Name == name {
			return true
		}
	}
	for _, v := range p.fn.Params {
		if v.Name == name {
			return true
		}
	}
	for _, v := range p.fn.Returns {
		if v.Name == name {
			return true
		}
	}
	return false
}

func (p *parser) innermost() *scope { return p.fn.scopes[len(p.fn.scopes)-1] }

// registers reads ".reg .b32 %r<10>, a;".
func (p *parser) registers() {
	p.advance()
	lanes, t := 1, NoType
	for p.tok.kind == dotToken {
		word := p.advance()
		switch word.text {
		case "v2", "v4":
			lanes = int(word.text[1] - '0')
		default:
			t = typesByName[word.text]
		}
	}
	if t == NoType {
		p.fail(p.tok.line, "a register without a type")
	}
	for {
		p.registerDeclarator(t, lanes)
		if !p.accept(',') {
			break
		}
	}
	p.expect(';')
}

func (p *parser) registerDeclarator(t Type, lanes int) {
	line := p.tok.line
	name := p.name()
	switch {
	case p.accept('<'):
		n := p.integer()
		p.expect('>')
		if n > maxRegisters-len(p.fn.Registers) {
			p.fail(line, "too many registers")
		}
		s := p.innermost()
		s.ranges = append(s.ranges, registerRange{strings.Clone(name), int32(len(p.fn.Registers)), int32(n)})
		for i := range n {
			p.fn.Registers = append(p.fn.Registers, Register{name + itoa(i), t})
		}
	case lanes > 1:
		for _, part := range "xyzw"[:lanes] {
			p.declareRegister(name+"."+string(part), t, int(line))
		}
	default:
		p.declareRegister(name, t, int(line))
	}
}

func (p *parser) declareRegister(name string, t Type, line int) {
	if len(p.fn.Registers) >= maxRegisters {
		p.fail(int32(line), "too many registers")
	}
	name = strings.Clone(name)
	p.innermost().names[name] = int32(len(p.fn.Registers))
	p.fn.Registers = append(p.fn.Registers, Register{name, t})
}

// register finds a register by name, the innermost declaration first; -1 if there is none.
func (p *parser) register(name string) int32 {
	for i := len(p.fn.scopes) - 1; i >= 0; i-- {
		s := p.fn.scopes[i]
		if r, ok := s.names[name]; ok {
			return r
		}
		for _, r := range s.ranges {
			if n, ok := numberAfter(name, r.prefix); ok && n < r.size {
				return r.first + n
			}
		}
	}
	return -1
}

// numberAfter splits "%r12" into its prefix "%r" and 12.
func numberAfter(name, prefix string) (int32, bool) {
	if !strings.HasPrefix(name, prefix) {
		return 0, false
	}
	digits := name[len(prefix):]
	if digits == "" || len(digits) > 8 || digits[0] == '0' && len(digits) > 1 {
		return 0, false
	}
	n := int32(0)
	for i := range len(digits) {
		if !isDigit(digits[i]) {
			return 0, false
		}
		n = n*10 + int32(digits[i]-'0')
	}
	return n, true
}

// variable returns the unique name of a variable in scope.
func (p *parser) variable(name string) string {
	for i := len(p.fn.scopes) - 1; i >= 0; i-- {
		if unique, ok := p.fn.scopes[i].renamed[name]; ok {
			return unique
		}
	}
	return strings.Clone(name)
}
