package ptx

// This file puts the blocks of a function in the order in which threads come to them. Compilers put some behind everything
// else, from where threads jump back. The simulator lets those lanes of a warp go first that are furthest behind, so
// that they meet the others where their ways join, as on hardware; so what is behind has to stand further up.

import (
	"math"
	"slices"
)

// maxOrdered bounds the blocks of a function that is put in order, and maxVisits how often each is looked at on average: once
// for each loop around it.
const (
	maxOrdered = 1 << 16
	maxVisits  = 32
)

// arrange puts each block behind those that lead to it, but for the jumps that go round a loop, and each loop in one piece.
func (f *Function) arrange() {
	blocks := f.Blocks()
	if len(blocks) < 2 || len(blocks) > maxOrdered {
		return
	}
	o := &ordering{blocks: blocks, number: make([]int, len(blocks)), left: maxVisits * len(blocks)}
	for b := range blocks {
		slices.SortFunc(blocks[b].Next, func(x, y int) int { return y - x })
	}
	o.visit(0)
	if o.left < 0 {
		return
	}
	slices.Reverse(o.list)
	for b := range blocks { // that nothing leads to
		if o.number[b] == 0 {
			o.list = append(o.list, b)
		}
	}
	if !slices.IsSorted(o.list) {
		f.move(blocks, o.list)
	}
}

// ordering is a weak topological order under construction (F. Bourdoncle, Efficient chaotic iteration strategies with
// widenings, 1993, figure 4).
type ordering struct {
	blocks []Block // those that may follow sorted, the last first, so that what is in order stays as it is
	list   []int   // the order, backwards
	number []int   // of a block that has been come to; placed if it has its place
	count  int
	stack  []int
	left   int // visits
}

const placed = math.MaxInt

// visit places a block and those that it leads to, and returns the least number of one that it leads back to.
func (o *ordering) visit(b int) (head int) {
	o.stack = append(o.stack, b)
	o.count++
	o.number[b] = o.count
	head = o.count
	loop := false
	o.each(b, func(next int) {
		least := o.number[next]
		if least == 0 {
			least = o.visit(next)
		}
		if least <= head {
			head, loop = least, true
		}
	})
	if head != o.number[b] {
		return head
	}
	at := len(o.stack) - 1
	for ; o.stack[at] != b; at-- {
		o.number[o.stack[at]] = 0
	}
	o.stack = o.stack[:at]
	o.number[b] = placed
	if loop { // the rest of it, behind its head
		o.each(b, func(next int) {
			if o.number[next] == 0 {
				o.visit(next)
			}
		})
	}
	o.list = append(o.list, b)
	return head
}

func (o *ordering) each(b int, visit func(next int)) {
	for _, next := range o.blocks[b].Next {
		if o.left--; next < len(o.blocks) && o.left > 0 {
			visit(next)
		}
	}
}

// move puts the blocks in an order, with jumps where one block no longer follows the other, and without those that lead
// to the next instruction.
func (f *Function) move(blocks []Block, order []int) {
	old := f.Body
	f.Body = make([]Instr, 0, len(old)+len(order))
	now := make([]int32, len(old)+1) // where each instruction is
	for i, b := range order {
		for j := blocks[b].First; j < blocks[b].End; j++ {
			now[j] = int32(len(f.Body) + j - blocks[b].First)
		}
		f.Body = append(f.Body, old[blocks[b].First:blocks[b].End]...)
		next := len(old)
		if i+1 < len(order) {
			next = blocks[order[i+1]].First
		}
		f.join(blocks[b].End, next)
	}
	now[len(old)] = int32(len(f.Body))
	for i := range f.Body {
		for j := range f.Body[i].Operands {
			if o := &f.Body[i].Operands[j]; o.Kind == LabelOperand {
				o.Target = now[o.Target]
			}
		}
	}
	for _, table := range f.Tables {
		for i := range table {
			table[i] = now[table[i]]
		}
	}
}

// join lets the threads that leave the last block go where they went, to the instruction at end unless they jump, now that another
// one follows.
func (f *Function) join(end, next int) {
	last := &f.Body[len(f.Body)-1]
	to, jumps := last.jump()
	switch {
	case jumps && to == next && last.Guard < 0:
		f.Body = f.Body[:len(f.Body)-1]
	case end == next || last.leaves():
	case jumps && to == next:
		last.GuardNot = !last.GuardNot
		last.Operands = []Operand{jumpTo(end)}
	default:
		f.Body = append(f.Body, Instr{Op: Bra, Guard: -1, Line: last.Line, Location: last.Location, Operands: []Operand{jumpTo(end)}})
	}
}

func jumpTo(instr int) Operand { return Operand{Kind: LabelOperand, Reg: -1, Target: int32(instr)} }
