// This file finds the updates that nobody reads the result of.

package ptx

// Unread returns the indices of the atomics of Body that update memory and no more, as red does: no other instruction
// names their results.
func (f *Function) Unread() []int {
	named := map[int32]int{}
	var name func(o *Operand)
	name = func(o *Operand) {
		if o.Kind == RegisterOperand || o.Kind == AddressOperand {
			named[o.Reg]++
		}
		for i := range o.Elems {
			name(&o.Elems[i])
		}
	}
	for i := range f.Body {
		named[f.Body[i].Guard]++
		for j := range f.Body[i].Operands {
			name(&f.Body[i].Operands[j])
		}
	}
	var list []int
	for i := range f.Body {
		switch in := &f.Body[i]; in.Op {
		case Red:
			list = append(list, i)
		case Atom:
			if o := &in.Operands[0]; o.Kind == SinkOperand || o.Kind == RegisterOperand && named[o.Reg] == 1 {
				list = append(list, i)
			}
		}
	}
	return list
}
