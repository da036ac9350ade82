// This file finds the instructions that wait for other threads: loads and atomics in loops that
// go round until what they read changes.

package ptx

import "slices"

// maxPollLoop bounds the instructions of such a loop.
const maxPollLoop = 64

// Polling returns the indices of the instructions of Body that poll: reads in a loop that writes no
// memory but by them and meets no barrier, whose address stays the same in it, and on whose value it
// depends whether the loop goes on or ends.
func (f *Function) Polling() []int {
	var list []int
	for i := range f.Body {
		in := &f.Body[i]
		if in.Op != Bra || len(in.Operands) != 1 || in.Operands[0].Kind != LabelOperand {
			continue
		}
		first := int(in.Operands[0].Target)
		if first > i {
			continue
		}
		if i-first < maxPollLoop {
			list = append(list, polledIn(f.Body, first, i)...)
		}
		if i-first < maxWatchLoop {
			list = append(list, watchedIn(f.Body, first, i)...)
		}
	}
	list = append(list, f.again(list)...)
	slices.Sort(list)
	return slices.Compact(list)
}

// again returns the instructions that are others once more: a compiler puts the first look of a loop in front of it,
// and who finds at once what he waits for never enters it.
func (f *Function) again(of []int) (list []int) {
	for _, i := range of {
		in := &f.Body[i]
		if in.Location == 0 {
			continue
		}
		for j := range f.Body {
			if other := &f.Body[j]; j != i && other.Location == in.Location && other.Op == in.Op && slices.Equal(other.Modifiers, in.Modifiers) &&
				slices.Equal(other.Types, in.Types) && len(other.Operands) == len(in.Operands) && other.Operands[1].place() == in.Operands[1].place() {
				list = append(list, j)
			}
		}
	}
	return list
}

// maxWatchLoop bounds the instructions of a loop that works until a flag is set.
const maxWatchLoop = 1024

// watchedIn returns the volatile reads in the loop from first to last, which may do other work, that alone decide one of
// the ways out of it: `if (*stop) break;`. A loop with a barrier goes on from step to step, and looks at data.
func watchedIn(body []Instr, first, last int) (list []int) {
	loop := body[first : last+1]
	for i := range loop {
		switch loop[i].Op {
		case Bar, Barrier, Call, Trap:
			return nil
		}
	}
	for i := range loop {
		in := &loop[i]
		if in.Op != Bra || in.Guard < 0 || len(in.Operands) != 1 || in.Operands[0].Kind != LabelOperand {
			continue
		}
		if to := int(in.Operands[0].Target); to <= first || to > last {
			for _, read := range deciding(loop, in.Guard, 0) {
				if read >= 0 {
					list = append(list, first+read)
				}
			}
		}
	}
	return list
}

// deciding returns the volatile reads of a loop on which a register hangs, -1 among them for what stays the same; nil if it
// hangs on something else as well.
func deciding(loop []Instr, register int32, depth int) (reads []int) {
	at := -1
	for i := range loop {
		if !slices.Contains(loop[i].targets(), register) {
			continue
		}
		if at >= 0 || loop[i].Guard >= 0 || depth > 8 {
			return nil
		}
		at = i
	}
	if at < 0 {
		return []int{-1}
	}
	in := &loop[at]
	if from, ok := in.readsAt(); ok {
		if in.Op == Ld && in.Has("volatile") && stays(loop, from, map[int32]bool{}) {
			return []int{at}
		}
		return nil
	}
	if in.Op == Atom || in.Op == Ld {
		return nil
	}
	reads = []int{-1}
	for _, r := range in.sources() {
		of := deciding(loop, r, depth+1)
		if of == nil {
			return nil
		}
		reads = append(reads, of...)
	}
	return reads
}

// polledIn returns the instructions that poll in the loop from first to last.
func polledIn(body []Instr, first, last int) (list []int) {
	loop := body[first : last+1]
	for i := range loop {
		switch loop[i].Op {
		case St, Red, Bar, Barrier, Call, Trap:
			return nil
		}
	}
	for i := range loop {
		if at, reads := loop[i].readsAt(); reads && stays(loop, at, map[int32]bool{}) && decides(loop, loop[i].targets()) {
			list = append(list, first+i)
		}
	}
	return list
}

// stays reports whether a register gets the same value in each round of a loop, as far as that hangs on the thread
// itself: what a weak load from such an address gives is taken to stay, too. One that is being asked about, and so
// known not to, hangs on itself.
func stays(loop []Instr, register int32, known map[int32]bool) bool {
	if yes, ok := known[register]; ok || register < 0 {
		return yes || register < 0
	}
	known[register] = false
	set := 0
	for i := range loop {
		in := &loop[i]
		if !slices.Contains(in.targets(), register) {
			continue
		}
		if set++; set > 1 || in.Guard >= 0 || in.Op == Atom || in.Has("volatile") || in.Has("relaxed") || in.Has("acquire") {
			return false
		}
		for _, from := range in.sources() {
			if !stays(loop, from, known) {
				return false
			}
		}
	}
	known[register] = true
	return true
}

// sources are the registers that an instruction reads, but for its guard.
func (in *Instr) sources() (list []int32) {
	for i := 1; i < len(in.Operands); i++ {
		if o := &in.Operands[i]; o.Kind == AddressOperand {
			list = append(list, o.Reg)
		} else {
			list = o.registers(list)
		}
	}
	return list
}

// targets are the registers that an instruction sets.
func (in *Instr) targets() []int32 {
	if len(in.Operands) == 0 || in.Op == Bra {
		return nil
	}
	return in.Operands[0].registers(nil)
}

func (o *Operand) registers(list []int32) []int32 {
	switch o.Kind {
	case RegisterOperand:
		return append(list, o.Reg)
	case VectorOperand, PairOperand:
		for i := range o.Elems {
			list = o.Elems[i].registers(list)
		}
	}
	return list
}

// readsAt returns the register that holds the address of a load or an atomic, -1 for a fixed one.
func (in *Instr) readsAt() (register int32, ok bool) {
	if in.Op != Ld && in.Op != Atom || in.Has("param") || in.Has("local") || in.Has("const") || len(in.Operands) < 2 {
		return 0, false
	}
	o := &in.Operands[1]
	return o.Reg, o.Kind == AddressOperand
}

// decides reports whether a branch of the loop depends on some registers.
func decides(loop []Instr, from []int32) bool {
	depends := map[int32]bool{}
	for _, r := range from {
		depends[r] = true
	}
	for range 2 { // a second time for what goes round
		for i := range loop {
			in := &loop[i]
			if in.Op == Bra && in.Guard >= 0 && depends[in.Guard] {
				return true
			}
			if in.uses(depends) {
				for _, r := range in.targets() {
					depends[r] = true
				}
			}
		}
	}
	return false
}

func (in *Instr) uses(registers map[int32]bool) bool {
	for i := range in.Operands {
		if i == 0 && in.Op != Bra {
			continue
		}
		for _, r := range in.Operands[i].registers(nil) {
			if registers[r] {
				return true
			}
		}
	}
	return false
}
