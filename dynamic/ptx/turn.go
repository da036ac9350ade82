package ptx

import "slices"

// InTurn reports whether a thread may come from one of two instructions of Body to the other without going round a loop that holds both:
// they are not in the two branches of one condition.
func (f *Function) InTurn(a, b int) bool {
	return a == b || f.leads(a, b, false) || f.leads(b, a, false)
}

// Leads reports whether a thread may come from an instruction of Body to another one behind it, if need be round a loop.
func (f *Function) Leads(from, to int) bool { return f.leads(from, to, true) }

func (f *Function) leads(from, to int, loops bool) bool {
	decided := f.decided(from)
	type state struct {
		at    int
		known uint64 // of what was decided, what no instruction has changed
	}
	seen := map[state]bool{}
	for left := []state{{from, 1<<len(decided) - 1}}; len(left) > 0; {
		s := left[len(left)-1]
		left = left[:len(left)-1]
		i := s.at
		if i >= len(f.Body) || seen[s] {
			continue
		}
		if i == to && i != from {
			return true
		}
		seen[s] = true
		in := &f.Body[i]
		taken, passed := true, in.Guard >= 0
		for n, d := range decided {
			if s.known>>n&1 != 0 && d.predicate == in.Guard {
				taken, passed = d.is != in.GuardNot, d.is == in.GuardNot
			}
		}
		if next, ok := in.jump(); ok {
			if taken && (next > i || loops || to > f.end(next)) {
				left = append(left, state{next, s.known})
			}
			if !passed {
				continue
			}
		}
		if in.Op == Brx && loops {
			return true // wherever its table leads
		}
		if (in.Op == Ret || in.Op == Exit) && !passed {
			continue
		}
		set, _ := in.flow()
		for n, d := range decided {
			if slices.Contains(set, d.predicate) {
				s.known &^= 1 << n
			}
		}
		left = append(left, state{i + 1, s.known})
	}
	return false
}

// decision is the value of a predicate register.
type decision struct {
	predicate int32
	is        bool
}

// maxDecided bounds the branches that are looked at.
const maxDecided = 8

// decided returns what predicates are where an instruction begins, as far as only one way leads there.
func (f *Function) decided(at int) (list []decision) {
	jumps := make([]struct{ n, last int }, len(f.Body)+1) // to each instruction
	for i := range f.Body {
		if next, ok := f.Body[i].jump(); ok {
			jumps[next].n++
			jumps[next].last = i
		} else if f.Body[i].Op == Brx {
			return nil
		}
	}
	changed := map[int32]bool{}
	for range f.Body {
		if at == 0 {
			return list
		}
		falls := !f.Body[at-1].leaves()
		switch jumped := jumps[at]; {
		case falls && jumped.n == 0:
			at--
		case !falls && jumped.n == 1:
			at = jumped.last
		default:
			return list
		}
		in := &f.Body[at]
		if _, ok := in.jump(); ok && in.Guard >= 0 && !changed[in.Guard] && len(list) < maxDecided {
			list = append(list, decision{in.Guard, falls == in.GuardNot})
			changed[in.Guard] = true
		}
		set, _ := in.flow()
		for _, r := range set {
			changed[r] = true
		}
	}
	return list
}

// jump returns where a branch leads to.
func (in *Instr) jump() (to int, ok bool) {
	if in.Op != Bra || len(in.Operands) != 1 || in.Operands[0].Kind != LabelOperand {
		return 0, false
	}
	return int(in.Operands[0].Target), true
}

// leaves reports whether the next instruction does not follow.
func (in *Instr) leaves() bool {
	return in.Guard < 0 && in.parts()
}

// end is the last instruction that goes back to one: there ends the loop that begins with it.
func (f *Function) end(of int) (last int) {
	for i := range f.Body {
		if to, ok := f.Body[i].jump(); ok && to == of {
			last = i
		}
	}
	return last
}
