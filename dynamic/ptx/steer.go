// This file finds the registers on which the way of a thread through a function hangs.

package ptx

// Steering returns, of each register of a function, whether a branch or an access hangs on it, and of these, whether its values
// come from the thread itself alone: from no memory that others write, no clock and no other thread. What counts the rounds of
// a loop and ends nothing steers nothing. Neither does what goes into shared and global memory.
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
	itself = foreign
	for r := range itself {
		itself[r] = steers[r] && !foreign[r]
	}
	return steers, itself
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
