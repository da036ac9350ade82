// This file translates a kernel with all functions that it can reach into a program.

package sim

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"

	"github.com/warplint/warplint/dynamic/event"
	"github.com/warplint/warplint/dynamic/ptx"
)

// translator builds a program; fn and slots are those of the function being translated.
type translator struct {
	program *program
	module  *Module
	fn      *function
	slots   []slotOf // of the PTX registers
	locals  map[string]*ptx.Variable
	starts  []int32 // the code of each PTX instruction
	fixups  []fixup // branches to patch
	const32 map[uint32]ref
	const64 map[uint64]ref
	in      *ptx.Instr
	// next is the next free register of each file, lasting what it is between instructions.
	next, lasting [double]int
}

// slotOf is the place of a PTX register: the file's class and the index in the frame.
type slotOf struct {
	class class
	index ref
}

// class is a register file.
type class uint8

const (
	word   class = iota // 32 bits and less
	long                // 64 bits
	truth               // predicates
	double              // 128 bits: two long ones in a row
)

func classOf(t ptx.Type) class {
	switch {
	case t == ptx.Pred:
		return truth
	case t == ptx.B128:
		return double
	case t.Size() == 8:
		return long
	}
	return word
}

type fixup struct {
	code   int
	target int32
	table  []int32 // patched instead of the instruction's imm
}

// ErrInternal marks a kernel whose translation failed by a mistake of the simulator itself.
var ErrInternal = errors.New("mistake in the simulator")

// failure is what a decoder panics with; translate turns it into an error.
type failure struct{ err error }

func (t *translator) fail(format string, args ...any) {
	line := 0
	if t.in != nil {
		line = int(t.in.Line)
	}
	panic(failure{&ptx.Error{Line: line, Message: fmt.Sprintf(format, args...)}})
}

func translate(m *Module, kernel *ptx.Function) (p *program, err error) {
	t := &translator{
		module:  m,
		program: &program{module: m, kernel: kernel, functions: map[string]*function{}, shared: map[string]int{}},
		const32: map[uint32]ref{}, const64: map[uint64]ref{},
	}
	defer func() {
		if r := recover(); r != nil {
			f, ok := r.(failure)
			if !ok {
				// A mistake of ours costs this kernel, not the process.
				f.err = fmt.Errorf("%w: %v", ErrInternal, r)
			}
			p, err = nil, f.err
		}
	}()
	p = t.program
	t.layoutParams(kernel)
	list := t.reachable(kernel)
	for _, f := range list {
		t.declare(f)
	}
	t.layoutShared(list)
	for _, f := range list {
		if f.Defined && t.program.functions[f.Name].builtin == nil {
			t.function(f)
		}
	}
	p.entry = p.functions[kernel.Name]
	p.polls = sync.OnceValue(func() map[*ptx.Instr]bool { return p.marked((*ptx.Function).Polling) })
	p.guesses = sync.OnceValue(func() map[*ptx.Instr]bool { return p.marked((*ptx.Function).Guessing) })
	p.unread = sync.OnceValue(func() map[*ptx.Instr]bool { return p.marked((*ptx.Function).Unread) })
	p.accesses = sync.OnceValues(kernel.Accesses)
	p.narrow = sync.OnceValue(p.narrowShared)
	return p, nil
}

// layoutParams places kernel parameters one after the other, each aligned, as launches pass them.
func (t *translator) layoutParams(kernel *ptx.Function) {
	p := t.program
	p.params = map[string]Parameter{}
	for _, v := range kernel.Params {
		at := alignUp(p.paramSize, v.Align)
		p.params[v.Name] = Parameter{Offset: at, Size: v.Size}
		p.paramSize = at + v.Size
	}
}

func alignUp(n, align int) int { return (n + align - 1) &^ (align - 1) }

// reachable lists the kernel and all that it can call. A call through a pointer may reach every
// function whose address the module takes.
func (t *translator) reachable(kernel *ptx.Function) []*ptx.Function {
	var list []*ptx.Function
	seen := map[string]bool{}
	var visit func(name string)
	indirect := false
	visit = func(name string) {
		f := t.module.source.Function(name)
		if f == nil || seen[name] || f.Entry && f != kernel { // a kernel's address is for launching it
			return
		}
		seen[name] = true
		list = append(list, f)
		for i := range f.Body {
			in := &f.Body[i]
			for j := range in.Operands {
				if o := &in.Operands[j]; o.Kind == ptx.SymbolOperand {
					visit(o.Name)
				} else if o.Kind == ptx.PrototypeOperand && !indirect {
					indirect = true
					t.visitPointers(visit)
				}
			}
		}
	}
	visit(kernel.Name)
	return list
}

// visitPointers visits the functions whose addresses stand in variables, or are taken by code of any kernel.
func (t *translator) visitPointers(visit func(name string)) {
	for _, f := range t.module.source.Functions {
		for i := range f.Body {
			if in := &f.Body[i]; in.Op == ptx.Mov && len(in.Operands) == 2 && in.Operands[1].Kind == ptx.SymbolOperand {
				visit(in.Operands[1].Name)
			}
		}
	}
	for _, v := range t.module.source.Variables {
		for _, r := range v.Refs {
			visit(r.Symbol)
		}
	}
}

// declare makes the function known: its frame and its registers.
func (t *translator) declare(f *ptx.Function) {
	fn := &function{source: f, offsets: map[string]int{}, params: f.Params, returns: f.Returns}
	t.program.functions[f.Name] = fn
	if !f.Defined {
		if fn.builtin = builtins(f.Name); fn.builtin == nil {
			fn.builtin = undefined(f.Name)
		}
		t.program.allocates = t.program.allocates || f.Name == "malloc" || f.Name == "free"
		t.program.launches = t.program.launches || f.Name == "__warplint_launch"
		t.program.syncsGrid = t.program.syncsGrid || f.Name == "__warplint_grid_sync"
		return
	}
	if f.Err != nil {
		panic(failure{f.Err})
	}
	frame := func(v *ptx.Variable) {
		// Whole words, so that calls can copy them as such.
		at := alignUp(fn.local, max(v.Align, 4))
		fn.offsets[v.Name] = at
		fn.local = alignUp(at+v.Size, 4)
	}
	if !f.Entry {
		for _, v := range f.Params {
			frame(v)
		}
		for _, v := range f.Returns {
			frame(v)
		}
	}
	for _, v := range f.Locals {
		if v.Space == ptx.LocalSpace || v.Space == ptx.ParamSpace {
			frame(v)
		}
	}
	if fn.local > maxLocal {
		panic(failure{&ptx.Error{Line: f.Line, Message: fmt.Sprintf("function %s has %d bytes of local memory", f.Name, fn.local)}})
	}
}

// layoutShared places the static shared variables that the program can name; dynamic ones lie
// behind all of them.
func (t *translator) layoutShared(list []*ptx.Function) {
	p := t.program
	named := map[string]bool{}
	for _, f := range list {
		for i := range f.Body {
			for _, o := range f.Body[i].Operands {
				named[o.Name] = true
				for _, e := range o.Elems {
					named[e.Name] = true
				}
			}
		}
	}
	place := func(owner string, v *ptx.Variable) {
		if v.Space != ptx.SharedSpace || v.Unsized || !named[v.Name] {
			if v.Unsized {
				p.dynamicAlign = max(p.dynamicAlign, v.Align)
			}
			if v.Unsized && v.Space == ptx.SharedSpace && named[v.Name] {
				p.dynamicNames = append(p.dynamicNames, v.Name)
			}
			return
		}
		at := alignUp(p.sharedStatic, v.Align)
		p.shared[owner+v.Name] = at
		p.sharedStatic = at + v.Size
		p.sharedVar = append(p.sharedVar, event.Variable{Name: v.Name, Offset: at, Size: v.Size})
		if p.sharedStatic > MaxShared {
			panic(failure{&ptx.Error{Line: v.Line, Message: fmt.Sprintf("%d bytes of shared memory; a block can have %d", p.sharedStatic, MaxShared)}})
		}
	}
	for _, v := range t.module.source.Variables {
		place("", v)
	}
	for _, f := range list {
		for _, v := range f.Locals {
			place(f.Name+"\x00", v)
		}
	}
	p.sharedStatic = alignUp(p.sharedStatic, max(p.dynamicAlign, 1))
}

// function translates one body.
func (t *translator) function(f *ptx.Function) {
	t.fn = t.program.functions[f.Name]
	t.locals = map[string]*ptx.Variable{}
	for _, v := range f.Locals {
		t.locals[v.Name] = v
	}
	t.next = [double]int{}
	t.allocateRegisters(f)
	t.lasting = t.next
	slots := t.slots
	t.fn.steers = sync.OnceValue(func() steering { return newSteering(f, slots) })
	t.fn.entry = int32(len(t.program.code))
	t.starts, t.fixups = t.starts[:0], t.fixups[:0]
	for i := range f.Body {
		t.starts = append(t.starts, int32(len(t.program.code)))
		t.instruction(&f.Body[i])
	}
	t.starts = append(t.starts, int32(len(t.program.code)))
	t.in = &ptx.Instr{Op: ptx.Ret, Guard: -1, Line: int32(f.Line)}
	t.emit(instr{run: runReturn})
	t.patch()
}

// temporary gives a register that holds a value within one PTX instruction; during allocation,
// one that lasts.
func (t *translator) temporary(c class) slotOf {
	file, n := c, 1
	if c == double {
		file, n = long, 2
	}
	s := slotOf{c, ref(t.next[file])}
	t.next[file] += n
	count := [...]*int{word: &t.fn.count32, long: &t.fn.count64, truth: &t.fn.countP}[file]
	*count = max(*count, t.next[file])
	return s
}

func (t *translator) patch() {
	for _, f := range t.fixups {
		if f.table != nil {
			for i, target := range f.table {
				f.table[i] = t.starts[target]
			}
			continue
		}
		t.program.code[f.code].imm = int64(t.starts[f.target])
	}
}

// emit adds an instruction, guarded as the PTX instruction is.
func (t *translator) emit(in instr) {
	in.guard = -1
	if g := t.in.Guard; g >= 0 {
		in.guard = int32(t.slots[g].index)
		if t.in.GuardNot {
			in.not = fullMask
		}
	}
	t.program.code = append(t.program.code, in)
	t.program.origin = append(t.program.origin, t.in)
	t.program.owner = append(t.program.owner, t.fn)
}

// instruction translates one, by the decoder of its family or by the table of operations.
func (t *translator) instruction(in *ptx.Instr) {
	t.in, t.next = in, t.lasting
	if decode := decoders[in.Op]; decode != nil {
		decode(t, in)
	} else {
		t.arithmetic(in)
	}
}

// mnemonic is the instruction as written.
func mnemonic(in *ptx.Instr) string {
	text := in.Op.String()
	for _, m := range in.Modifiers {
		text += "." + m
	}
	for _, ty := range in.Types {
		text += "." + ty.String()
	}
	return text
}

// unsupported ends the translation at an instruction that can't be executed.
func (t *translator) unsupported() {
	t.fail("%s is not supported", mnemonic(t.in))
}

// allow refuses modifiers that a decoder does not know.
func (t *translator) allow(in *ptx.Instr, modifiers string) {
	for _, m := range in.Modifiers {
		if !contains(modifiers, m) {
			t.unsupported()
		}
	}
}

func contains(list, word string) bool {
	for _, w := range strings.Fields(list) {
		if w == word {
			return true
		}
	}
	return false
}

// one returns the only modifier of a list that was written, or the default.
func one(in *ptx.Instr, list, otherwise string) string {
	for _, m := range in.Modifiers {
		if contains(list, m) {
			return m
		}
	}
	return otherwise
}

// operands checks how many there are.
func (t *translator) operands(in *ptx.Instr, least, most int) {
	if n := len(in.Operands); n < least || n > most {
		t.fail("%s with %d operands", mnemonic(in), n)
	}
}

// constant32 and constant64 give constants that all lanes read.
func (t *translator) constant32(v uint32) ref { return constant(&t.program.const32, t.const32, v) }
func (t *translator) constant64(v uint64) ref { return constant(&t.program.const64, t.const64, v) }

func constant[T uint32 | uint64](all *[][32]T, known map[T]ref, v T) ref {
	r, ok := known[v]
	if !ok {
		r = constRef | ref(len(*all))
		var lanes [32]T
		for i := range lanes {
			lanes[i] = v
		}
		*all = append(*all, lanes)
		known[v] = r
	}
	return r
}

// source gives an operand as a value of a type: a register, a constant or an address.
func (t *translator) source(o *ptx.Operand, ty ptx.Type) ref {
	want := classOf(ty)
	switch o.Kind {
	case ptx.RegisterOperand:
		s := t.slots[o.Reg]
		if s.class != want {
			t.fail("register %s in %s", t.fn.source.Registers[o.Reg].Name, mnemonic(t.in))
		}
		return s.index
	case ptx.IntegerOperand, ptx.Float32Operand, ptx.Float64Operand:
		return t.constant(constantBits(o, ty), ty)
	case ptx.SpecialOperand:
		s := t.temporary(want)
		t.special(o.Name, s)
		return s.index
	case ptx.SymbolOperand:
		s := t.temporary(want)
		t.addressOf(o, s)
		return s.index
	}
	t.fail("unexpected operand of %s", mnemonic(t.in))
	return 0
}

func (t *translator) constant(bits uint64, ty ptx.Type) ref {
	switch classOf(ty) {
	case long:
		return t.constant64(bits)
	case truth:
		s := t.temporary(truth)
		t.emit(instr{run: runSetPredicate, d: s.index, imm: int64(bits)})
		return s.index
	}
	return t.constant32(uint32(bits) & typeMask(ty))
}

func typeMask(ty ptx.Type) uint32 {
	if n := ty.Size(); n > 0 && n < 4 {
		return 1<<(8*n) - 1
	}
	return fullMask
}

// constantBits converts a constant to the bits of a type.
func constantBits(o *ptx.Operand, ty ptx.Type) uint64 {
	switch {
	case o.Kind == ptx.IntegerOperand || o.Kind == ptx.Float32Operand && ty.Size() <= 4:
		return o.Bits
	case ty == ptx.F32 || ty == ptx.B32:
		return uint64(math.Float32bits(float32(o.Float64())))
	case o.Kind == ptx.Float32Operand:
		return math.Float64bits(o.Float64())
	}
	return o.Bits
}

// target gives the register that an operand names to write to; a temporary one for "_".
func (t *translator) target(o *ptx.Operand, ty ptx.Type) ref {
	want := classOf(ty)
	if o.Kind == ptx.SinkOperand {
		return t.temporary(want).index
	}
	if o.Kind != ptx.RegisterOperand || t.slots[o.Reg].class != want {
		t.fail("unexpected target of %s", mnemonic(t.in))
	}
	return t.slots[o.Reg].index
}

// registerType is the type that a register operand was declared with.
func (t *translator) registerType(o *ptx.Operand) ptx.Type {
	if o.Kind != ptx.RegisterOperand {
		return ptx.NoType
	}
	return t.fn.source.Registers[o.Reg].Type
}

// predicate gives a predicate operand and whether it is negated.
func (t *translator) predicate(o *ptx.Operand) (ref, uint32) {
	r := t.source(o, ptx.Pred)
	if o.Not {
		return r, fullMask
	}
	return r, 0
}
