// This file finds the registers on which the way of a thread through a function hangs.

package ptx

// Steering returns, of each register of a function, whether a branch or an access hangs on it, and of these, whether it goes on
// from value to value by the thread itself alone: by no memory that others write, no clock and no other thread. What counts the
// rounds of a loop and ends nothing steers nothing. Neither does what goes into shared and global memory.
func (f *Function) Steering() (steers, itself []bool) {
	steers, foreign := make([]bool, len(f.Registers)), make([]bool, len(f.Registers))
	mark := func(set []bool, list []int32) (more bool) {
		for _, r := range list {
			if r >= 0 && !set[r] {
				set[r], more = true, true
			}
		}
		return more
	}
	any := func(set []bool, list []int32) bool {
		for _, r := range list {
			if r >= 0 && set[r] {
				return true
			}
		}
		return false
	}
	for more := true; more; {
		more = false
		for i := range f.Body {
			in := &f.Body[i]
			to, from := in.flow()
			if mark(steers, []int32{in.Guard}) {
				more = true
			}
			if (in.steersItself() || any(steers, to)) && mark(steers, from) {
				more = true
			}
			if (in.fromOthers() || any(foreign, from)) && mark(foreign, to) {
				more = true
			}
		}
	}
	itself = f.cyclic()
	for r := range itself {
		itself[r] = itself[r] && steers[r] && !foreign[r]
	}
	return steers, itself
}

// cyclic returns the registers whose values hang on earlier values of their own, as those of a loop's counter do (Tarjan, "Depth-first
// search and linear graph algorithms").
func (f *Function) cyclic() []bool {
	next := make([][]int32, len(f.Registers))
	found := make([]bool, len(f.Registers))
	for i := range f.Body {
		to, from := f.Body[i].flow()
		for _, r := range append(from, f.Body[i].Guard) {
			for _, d := range to {
				if r == d {
					found[r] = true
				} else if r >= 0 && d >= 0 {
					next[r] = append(next[r], d)
				}
			}
		}
	}
	number, low, count := make([]int, len(next)), make([]int, len(next)), 0
	var stack []int32
	on := make([]bool, len(next))
	var visit func(r int32)
	visit = func(r int32) {
		count++
		number[r], low[r], on[r] = count, count, true
		stack = append(stack, r)
		for _, d := range next[r] {
			if number[d] == 0 {
				visit(d)
				low[r] = min(low[r], low[d])
			} else if on[d] {
				low[r] = min(low[r], number[d])
			}
		}
		if low[r] < number[r] {
			return
		}
		for more, alone := true, stack[len(stack)-1] == r; more; {
			d := stack[len(stack)-1]
			stack, on[d] = stack[:len(stack)-1], false
			found[d] = found[d] || !alone
			more = d != r
		}
	}
	for r := range next {
		if number[r] == 0 {
			visit(int32(r))
		}
	}
	return found
}

// flow returns the registers that an instruction sets and those that it reads.
func (in *Instr) flow() (to, from []int32) {
	first := 0
	if in.setsFirst() {
		to, first = in.Operands[0].registers(nil), 1
	}
	for i := first; i < len(in.Operands); i++ {
		from = in.Operands[i].named(from)
	}
	return to, from
}

// named adds all registers of an operand, that of an address among them.
func (o *Operand) named(list []int32) []int32 {
	if o.Kind == RegisterOperand || o.Kind == AddressOperand {
		list = append(list, o.Reg)
	}
	for i := range o.Elems {
		list = o.Elems[i].named(list)
	}
	return list
}

// setsFirst reports whether an instruction writes to its first operand.
func (in *Instr) setsFirst() bool {
	if len(in.Operands) == 0 || in.Operands[0].Kind == AddressOperand {
		return false
	}
	switch in.Op {
	case St, Red, Bra, Brx, Call, Barrier, Bar, Nanosleep, Membar, Fence, Prefetch, Cp, Wmma:
		return in.Op == Wmma && !in.Has("store") || (in.Op == Bar || in.Op == Barrier) && in.Has("red")
	}
	return true
}

// steersItself reports whether what an instruction reads steers, whoever reads its results: what goes to other functions and into a
// thread's own memory, where nobody follows it.
func (in *Instr) steersItself() bool {
	switch in.Op {
	case Red:
		return false
	case St:
		return !in.Has("global") && !in.Has("shared")
	}
	return !in.setsFirst()
}

// fromOthers reports whether an instruction gives values that do not follow from its thread's registers.
func (in *Instr) fromOthers() bool {
	switch in.Op {
	case Ld, Ldu:
		return !in.Has("param") && !in.Has("const") && !in.Has("local")
	case Atom, Shfl, Vote, Match, Activemask, Elect, Redux, Bar, Barrier, Mbarrier, Tex, Tld4, Suld, Wmma, Mma, Ldmatrix:
		return true
	case Mov:
		for i := range in.Operands {
			if o := &in.Operands[i]; o.Kind == SpecialOperand && (o.Name == "%clock" || o.Name == "%clock64" || o.Name == "%clock_hi" || o.Name == "%globaltimer" || o.Name == "%globaltimer_lo" || o.Name == "%globaltimer_hi") {
				return true
			}
		}
	}
	return false
}
