// This file finds out where the addresses come from at which a function accesses memory.

package ptx

import "slices"

// Root is what an address may be made of: eight bytes of a parameter of the kernel, or the address of a variable.
type Root struct {
	Name   string
	Offset int64 // in a parameter
	Param  bool
}

// Access is an instruction that accesses memory, but for what is known to be a thread's or a block's own, and what its
// address may be made of: one of the roots is the pointer, and the others are numbers. There are none if it may come from
// elsewhere, as a pointer that lies in memory does.
type Access struct {
	*Instr
	Roots []Root
}

// Writes reports whether it writes.
func (a *Access) Writes() bool { return a.Instr.writes() }

// Updates reports whether it is an atomic of four bytes, of no order, for all threads of the device at least.
func (a *Access) Updates() bool {
	return (a.Op == Atom || a.Op == Red) && a.Type(0).Size() == 4 && !slices.ContainsFunc(a.Modifiers, func(m string) bool {
		switch m {
		case "cta", "cluster", "acquire", "release", "acq_rel", "v2", "v4", "v8":
			return true
		}
		return false
	})
}

// Weak reports whether an instruction accesses memory without order, and of how many bytes at least, a multiple of which its address is.
func (in *Instr) Weak() (bytes int, weak bool) {
	switch in.Op {
	case Ldmatrix, Stmatrix, Wmma, Tex, Tld4, Suld:
		return 4, true
	case Ld, Ldu, St:
	default:
		return 0, false
	}
	elements := 1
	for _, m := range in.Modifiers {
		switch m {
		case "volatile", "relaxed", "acquire", "release", "mmio":
			return 0, false
		case "v2", "v4", "v8":
			elements = int(m[1] - '0')
		}
	}
	return in.Type(0).Size() * elements, true
}

// MayBeShared reports whether an instruction may access shared memory.
func (in *Instr) MayBeShared() bool {
	if !slices.ContainsFunc(in.Operands, func(o Operand) bool { return o.Kind == AddressOperand }) || in.Op == Prefetch {
		return false
	}
	return slices.ContainsFunc(in.Modifiers, isShared) || !slices.ContainsFunc(in.Modifiers, func(m string) bool { return m == "global" || isOwn(m) })
}

// Accesses returns those of a function. It reports false if there may be others, in functions that it calls, or by
// instructions that take no address.
func (f *Function) Accesses() (list []Access, known bool) {
	t := &tracer{f: f, of: make([]roots, len(f.Registers)), index: map[Root]int{}}
	for t.changed = true; t.changed; {
		t.changed = false
		for i := range f.Body {
			if !t.trace(&f.Body[i]) {
				return nil, false
			}
		}
	}
	for i := range f.Body {
		in := &f.Body[i]
		a := Access{Instr: in}
		if in.Op == Tex || in.Op == Tld4 || in.Op == Suld {
			list = append(list, a)
			continue
		}
		o := in.accesses()
		if o == nil {
			continue
		}
		if at, ok := t.address(o); ok && at&fromMemory == 0 {
			for j, r := range t.list {
				if at>>j&1 != 0 {
					a.Roots = append(a.Roots, r)
				}
			}
		}
		list = append(list, a)
	}
	return list, true
}

// roots are a set of a tracer's, by number. A register that may hold a pointer from memory has the last bit.
type roots uint64

const (
	maxRoots         = 63
	fromMemory roots = 1 << maxRoots
)

// tracer follows roots through registers, whatever the way through the function.
type tracer struct {
	f       *Function
	of      []roots // by register
	list    []Root
	index   map[Root]int
	changed bool
}

// root returns a set of one. It reports false if there are too many.
func (t *tracer) root(r Root) (set roots, ok bool) {
	i, known := t.index[r]
	if !known {
		if i = len(t.list); i == maxRoots {
			return 0, false
		}
		t.index[r], t.list = i, append(t.list, r)
	}
	return 1 << i, true
}

// trace lets the registers that an instruction sets have the roots of those that it reads. It reports false if there is
// no telling.
func (t *tracer) trace(in *Instr) bool {
	set, ok := t.result(in)
	if !ok {
		return false
	}
	for _, r := range in.targets() {
		if t.f.Registers[r].Type != Pred && set&^t.of[r] != 0 {
			t.of[r] |= set
			t.changed = true
		}
	}
	return true
}

// result returns the roots of what an instruction gives.
func (t *tracer) result(in *Instr) (set roots, ok bool) {
	switch in.Op {
	case Call:
		return 0, slices.ContainsFunc(in.Operands, func(o Operand) bool {
			return o.Kind == SymbolOperand && (o.Name == "vprintf" || o.Name == "__assertfail")
		})
	case Sust, Sured: // no pointer leads to what they write
		return 0, false
	case Cp: // copies to global memory, and those that a tensor map describes
		shared, global := slices.IndexFunc(in.Modifiers, isShared), slices.Index(in.Modifiers, "global")
		return 0, global < 0 || 0 <= shared && shared < global && !in.Has("tensor")
	case Ld:
		if in.Has("param") || in.Has("param::entry") {
			return t.parameter(in)
		}
		return pointerIn(in), true
	case Ldu, Atom, Tex, Tld4, Suld, Ldmatrix, Wmma:
		return pointerIn(in), true
	case Mov:
		if in.Type(0).Size() == 8 && in.Operands[1].Kind == VectorOperand {
			return fromMemory, true
		}
	}
	numbers := in.Op == Mul || in.Op == Shl || in.Op == Div || in.Op == Rem || in.Op == Shr // of which no pointer is made
	for i := range in.Operands {
		o := &in.Operands[i]
		if i == 0 && o.Kind != AddressOperand {
			continue
		}
		from, ok := t.operand(o)
		if !ok {
			return 0, false
		}
		if numbers || in.Op == Mad && i < 3 {
			from &^= fromMemory
		}
		set |= from
	}
	if (in.Op == Add || in.Op == Sub || in.Op == Mad) && set != fromMemory {
		set &^= fromMemory // a number that is added to a pointer
	}
	return set, true
}

// pointerIn says that what an instruction loads may be a pointer, as far as it has the size of one.
func pointerIn(in *Instr) roots {
	if in.Type(0).Size() == 8 {
		return fromMemory
	}
	return 0
}

func (t *tracer) parameter(in *Instr) (set roots, ok bool) {
	at := &in.Operands[1]
	if at.Reg >= 0 || !slices.ContainsFunc(t.f.Params, func(v *Variable) bool { return v.Name == at.Name }) {
		return 0, false
	}
	for i := range int64(max(1, len(in.Operands[0].Elems))) {
		r, ok := t.root(Root{Name: at.Name, Offset: at.Offset + 8*i, Param: true})
		if !ok {
			return 0, false
		}
		set |= r
	}
	return set, true
}

// operand returns the roots of an operand that is read.
func (t *tracer) operand(o *Operand) (set roots, ok bool) {
	if o.Kind == SymbolOperand {
		return t.root(Root{Name: o.Name})
	}
	for _, r := range o.registers(nil) {
		set |= t.of[r]
	}
	return set, true
}

// address returns the roots of what an instruction writes at.
func (t *tracer) address(o *Operand) (set roots, ok bool) {
	switch {
	case o.Reg >= 0:
		return t.of[o.Reg], true
	case o.Name != "":
		return t.root(Root{Name: o.Name})
	}
	return 0, false
}

// writes reports whether an instruction that accesses memory writes it.
func (in *Instr) writes() bool {
	return in.Op == St || in.Op == Red || in.Op == Atom || in.Op == Wmma && in.Has("store")
}

// accesses returns the address at which an instruction accesses memory that is not known to be a thread's or a block's own.
func (in *Instr) accesses() *Operand {
	i := 0
	switch in.Op {
	case St, Red:
	case Ld, Ldu, Atom:
		i = 1
	case Wmma:
		switch {
		case in.Has("load"):
			i = 1
		case !in.Has("store"):
			return nil
		}
	case Cp: // what it writes is shared memory; it reads at its second address
		if i = 1; !in.Has("async") || !in.Has("global") {
			return nil
		}
		if i < len(in.Operands) && in.Operands[i].Kind == AddressOperand {
			return &in.Operands[i]
		}
		return nil
	default:
		return nil
	}
	if i >= len(in.Operands) || in.Operands[i].Kind != AddressOperand || slices.ContainsFunc(in.Modifiers, isOwn) {
		return nil
	}
	return &in.Operands[i]
}

func isShared(modifier string) bool {
	return modifier == "shared" || modifier == "shared::cta" || modifier == "shared::cluster"
}

// isOwn reports whether a modifier names a space where nothing but a thread or a block has its memory, or constant memory.
func isOwn(modifier string) bool {
	switch modifier {
	case "local", "const", "param", "param::func", "param::entry":
		return true
	}
	return isShared(modifier)
}
