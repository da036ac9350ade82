package ptx

// InTurn reports whether a thread may come from one of two instructions of Body to the other without going round a loop that holds both:
// they are not in the two branches of one condition.
func (f *Function) InTurn(a, b int) bool {
	return a == b || f.leads(min(a, b), max(a, b), false)
}

// Leads reports whether a thread may come from an instruction of Body to another one behind it, if need be round a loop.
func (f *Function) Leads(from, to int) bool { return f.leads(from, to, true) }

func (f *Function) leads(from, to int, loops bool) bool {
	seen := make([]bool, len(f.Body))
	for left := []int{from}; len(left) > 0; {
		i := left[len(left)-1]
		left = left[:len(left)-1]
		if i >= len(f.Body) || seen[i] {
			continue
		}
		if i == to && i != from {
			return true
		}
		seen[i] = true
		in := &f.Body[i]
		if in.Op == Bra && len(in.Operands) == 1 && in.Operands[0].Kind == LabelOperand {
			if next := int(in.Operands[0].Target); next > i || loops || to > f.end(next) {
				left = append(left, next)
			}
			if in.Guard < 0 {
				continue
			}
		}
		if in.Op == Brx && loops {
			return true // wherever its table leads
		}
		if (in.Op == Ret || in.Op == Exit) && in.Guard < 0 {
			continue
		}
		left = append(left, i+1)
	}
	return false
}

// end is the last instruction that goes back to one: there ends the loop that begins with it.
func (f *Function) end(of int) (last int) {
	for i := range f.Body {
		if in := &f.Body[i]; in.Op == Bra && len(in.Operands) == 1 && in.Operands[0].Kind == LabelOperand && int(in.Operands[0].Target) == of {
			last = i
		}
	}
	return last
}
