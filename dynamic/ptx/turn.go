package ptx

// InTurn reports whether a thread may come from one of two instructions of Body to the other without going round a loop: they are not in
// the two branches of one condition.
func (f *Function) InTurn(a, b int) bool {
	if a > b {
		a, b = b, a
	}
	seen := make([]bool, len(f.Body))
	for left := []int{a}; len(left) > 0; {
		i := left[len(left)-1]
		left = left[:len(left)-1]
		if i >= len(f.Body) || seen[i] {
			continue
		}
		if i == b {
			return true
		}
		seen[i] = true
		in := &f.Body[i]
		if in.Op == Bra && len(in.Operands) == 1 && in.Operands[0].Kind == LabelOperand {
			if to := int(in.Operands[0].Target); to > i {
				left = append(left, to)
			}
			if in.Guard < 0 {
				continue
			}
		}
		if (in.Op == Ret || in.Op == Exit) && in.Guard < 0 {
			continue
		}
		left = append(left, i+1)
	}
	return false
}
