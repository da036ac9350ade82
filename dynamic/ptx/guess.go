// This file finds the reads in front of a compare-and-swap: `old = *p; do … while (atomicCAS(p, old, …) != old)`, as
// the CUDA C++ Programming Guide writes it.

package ptx

import "slices"

// Guessing returns the indices of the loads of Body whose value is what a compare-and-swap of the same place compares with
// what is there. One that comes too late costs another round, and gives no wrong result.
func (f *Function) Guessing() []int {
	var list []int
	var values *copies
	for i := range f.Body {
		swap := &f.Body[i]
		if swap.Op != Atom || !swap.Has("cas") || len(swap.Operands) < 3 || swap.Operands[2].Kind != RegisterOperand {
			continue
		}
		if values == nil {
			values = f.copies()
		}
		for j := range f.Body {
			if load := &f.Body[j]; load.Op == Ld && len(load.Operands) > 1 && values.at(&load.Operands[1]) == values.at(&swap.Operands[1]) &&
				values.carry(load.targets())[swap.Operands[2].Reg] {
				list = append(list, j)
			}
		}
	}
	return list
}

// copies has for each register the registers and symbols that it is set to, their bits kept, and how often it is set at all.
type copies struct {
	of    map[int32][]*Operand
	set   map[int32]int
	moved map[int32]*Instr    // the addition of a constant that sets it
	upper map[int32]int32     // of what it is set to the upper half, its lower half zeros
	whole map[int32][][]int32 // the halves that it is put together of
}

func (f *Function) copies() *copies {
	c := &copies{map[int32][]*Operand{}, map[int32]int{}, map[int32]*Instr{}, map[int32]int32{}, map[int32][][]int32{}}
	for i := range f.Body {
		in := &f.Body[i]
		for _, r := range in.targets() {
			c.set[r]++
		}
		if in.Op == Add && len(in.Operands) == 3 && in.Operands[1].Kind == RegisterOperand && in.Operands[2].Kind == IntegerOperand {
			c.moved[in.Operands[0].Reg] = in
		}
		c.halves(in)
		if in.Op != Mov && in.Op != Cvta && in.Op != Cvt || len(in.Operands) != 2 {
			continue
		}
		if from := &in.Operands[1]; from.Kind == RegisterOperand || from.Kind == SymbolOperand {
			for _, r := range in.targets() {
				c.of[r] = append(c.of[r], from)
			}
		}
	}
	return c
}

// halves notes what puts two halves together: mov.b64 %x, {%a, %b}, or shl.b64 %u, %b, 32 and or.b64 %x, %u, %a behind it.
func (c *copies) halves(in *Instr) {
	switch o := in.Operands; {
	case in.Op == Mov && len(o) == 2 && o[0].Kind == RegisterOperand && o[1].Kind == VectorOperand:
		if parts := o[1].registers(nil); len(parts) == len(o[1].Elems) {
			c.whole[o[0].Reg] = append(c.whole[o[0].Reg], parts)
		}
	case in.Op == Shl && len(o) == 3 && o[1].Kind == RegisterOperand && o[2].Kind == IntegerOperand && o[2].Bits == 32:
		c.upper[o[0].Reg] = o[1].Reg
	case in.Op == Or && len(o) == 3 && o[1].Kind == RegisterOperand && o[2].Kind == RegisterOperand:
		for k := range 2 {
			if upper, ok := c.upper[o[1+k].Reg]; ok {
				c.whole[o[0].Reg] = append(c.whole[o[0].Reg], []int32{upper, o[2-k].Reg})
			}
		}
	}
}

// carry are the registers that may hold what some hold, or all parts of it.
func (c *copies) carry(from []int32) map[int32]bool {
	held := map[int32]bool{}
	for _, r := range from {
		held[r] = true
	}
	for grows := true; grows; {
		before := len(held)
		for r, list := range c.of {
			if slices.ContainsFunc(list, func(o *Operand) bool { return o.Kind == RegisterOperand && held[o.Reg] }) {
				held[r] = true
			}
		}
		for r, list := range c.whole {
			lacks := func(part int32) bool { return !held[part] }
			if slices.ContainsFunc(list, func(parts []int32) bool { return len(parts) > 0 && !slices.ContainsFunc(parts, lacks) }) {
				held[r] = true
			}
		}
		grows = len(held) > before
	}
	return held
}

// place is an address as it is written.
type place struct {
	kind     OperandKind
	name     string
	register int32 // -1 for none
	offset   int64
}

func (o *Operand) place() place { return place{o.Kind, o.Name, o.Reg, o.Offset} }

// at follows copies of an address, and constants added to it, as long as there is one that can be meant. Loads take an
// offset, and atomics of the same place the sum.
func (c *copies) at(o *Operand) place {
	p := o.place()
	for range 8 {
		if p.kind != AddressOperand || p.register < 0 || c.set[p.register] != 1 {
			break
		}
		from := c.of[p.register]
		switch sum := c.moved[p.register]; {
		case sum != nil:
			p.register, p.offset = sum.Operands[1].Reg, p.offset+int64(sum.Operands[2].Bits)
		case len(from) != 1:
			return p
		case from[0].Kind == SymbolOperand:
			p.name, p.register, p.offset = from[0].Name, -1, p.offset+from[0].Offset
		default:
			p.register = from[0].Reg
		}
	}
	return p
}
