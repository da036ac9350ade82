package ptx

// Block is a piece of Body that threads enter at its first instruction and leave behind its last: a basic block.
type Block struct {
	First, End int   // instructions, without End
	Next       []int // the blocks that may follow, by number; one more than the last is the end of Body
}

// Blocks returns the basic blocks of Body, one after the other.
func (f *Function) Blocks() []Block {
	leads := make([]bool, len(f.Body)+1)
	for i := range f.Body {
		if in := &f.Body[i]; in.parts() {
			leads[i+1] = true
			f.targets(in, func(to int) { leads[to] = true })
		}
	}
	var blocks []Block
	of := make([]int, len(f.Body)+1)
	for i := range f.Body {
		if i == 0 || leads[i] {
			blocks = append(blocks, Block{First: i})
		}
		of[i] = len(blocks) - 1
		blocks[len(blocks)-1].End = i + 1
	}
	of[len(f.Body)] = len(blocks)
	for b := range blocks {
		last := &f.Body[blocks[b].End-1]
		if !last.parts() || last.Guard >= 0 {
			blocks[b].Next = append(blocks[b].Next, b+1)
		}
		f.targets(last, func(to int) { blocks[b].Next = append(blocks[b].Next, of[to]) })
	}
	return blocks
}

// parts reports whether not all threads go on with the next instruction.
func (in *Instr) parts() bool {
	switch in.Op {
	case Bra, Brx, Ret, Exit, Trap:
		return true
	}
	return false
}

// targets calls visit for each instruction that a branch names.
func (f *Function) targets(in *Instr, visit func(to int)) {
	for i := range in.Operands {
		switch o := &in.Operands[i]; o.Kind {
		case LabelOperand:
			visit(int(o.Target))
		case TableOperand:
			if o.Target >= 0 {
				for _, to := range f.Tables[o.Target] {
					visit(int(to))
				}
			}
		}
	}
}
