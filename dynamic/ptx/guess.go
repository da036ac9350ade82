// This file finds the reads in front of a compare-and-swap: `old = *p; do … while (atomicCAS(p, old, …) != old)`, as
// the CUDA C++ Programming Guide writes it.

package ptx

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
		compared := values.origins(swap.Operands[2].Reg)
		for j := range f.Body {
			if load := &f.Body[j]; load.Op == Ld && len(load.Operands) > 1 && load.Operands[0].Kind == RegisterOperand &&
				compared[load.Operands[0].Reg] && values.at(&load.Operands[1]) == values.at(&swap.Operands[1]) {
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
	moved map[int32]*Instr // the addition of a constant that sets it
}

func (f *Function) copies() *copies {
	c := &copies{map[int32][]*Operand{}, map[int32]int{}, map[int32]*Instr{}}
	for i := range f.Body {
		in := &f.Body[i]
		for _, r := range in.targets() {
			c.set[r]++
		}
		if in.Op == Add && len(in.Operands) == 3 && in.Operands[1].Kind == RegisterOperand && in.Operands[2].Kind == IntegerOperand {
			c.moved[in.Operands[0].Reg] = in
		}
		if in.Op != Mov && in.Op != Cvta && in.Op != Cvt || len(in.Operands) != 2 || in.Operands[0].Kind != RegisterOperand {
			continue
		}
		if from := &in.Operands[1]; from.Kind == RegisterOperand || from.Kind == SymbolOperand {
			c.of[in.Operands[0].Reg] = append(c.of[in.Operands[0].Reg], from)
		}
	}
	return c
}

// origins are the registers whose value one may hold, itself among them.
func (c *copies) origins(register int32) map[int32]bool {
	found := map[int32]bool{}
	for left := []int32{register}; len(left) > 0; {
		r := left[len(left)-1]
		left = left[:len(left)-1]
		if found[r] {
			continue
		}
		found[r] = true
		for _, from := range c.of[r] {
			if from.Kind == RegisterOperand {
				left = append(left, from.Reg)
			}
		}
	}
	return found
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
