// Package script plays streams of events that are written as text, for the tests of detectors.
// A line is one event; its number, from 1, is the instruction. Blank lines and what follows a #
// count for nothing. The first line says how large the launch is:
//
//	grid BLOCKS THREADS
//	0.3 write x          thread 3 of block 0 writes the word x
//	0.0-31 read x        a warp reads it in one instruction
//	0.0-31 read x[]      each lane reads a word of its own: x is the first lane's
//	0.0 write x+2:2 =7   two bytes, and the value that is written; else each write has its own
//	1.0 read s:x         shared memory of the thread's block
//	0.0 vread x          volatile; vwrite
//	0.0 atomic x block   of block scope; device scope without a word
//	0.0 atomic x release  a release operation
//	0.0 cas x 0 1 block  compare-and-swap from 0 to 1; exch x 1
//	0.0 copy x s:y       an asynchronous copy of the word x to y
//	0.0 fence block      or device
//	0.0-31 syncwarp      a barrier of these lanes
//	0 barrier            of all threads of block 0; 0.0-63 barrier of some
//	all barrier          of the whole grid
//	0.0-31 exit          the end of these threads
//	0.0-31 split 0-15 16-31
//	0.0-31 join 0-15 16-31
//
// A further line with grid begins another launch. Words are named by letters: a is the first, and 64
// bytes lie between one and the next. Reads and atomics see what was written before them.
package script

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/event"
)

// base is the address of the word a.
const base = 1 << 16

// program gives each line its instruction.
type program struct{ lines []string }

func (p *program) Instructions() int { return len(p.lines) + 1 }

func (p *program) Polls(uint32) bool { return false }

// Guesses implements event.Program.
func (p *program) Guesses(uint32) bool { return false }

// Unread implements event.Program.
func (p *program) Unread(uint32) bool { return false }

// InTurn implements event.Program: a script has no branches.
func (p *program) InTurn(a, b uint32) bool { return a != b }

// Leads implements event.Program.
func (p *program) Leads(from, to uint32) bool { return from < to }

func (p *program) Location(pc uint32) event.Location {
	text := ""
	if 0 < pc && int(pc) <= len(p.lines) {
		text = p.lines[pc-1]
	}
	return event.Location{Function: "script", Place: event.Place{File: "script", Line: int(pc), Column: 1}, Text: text}
}

// player holds the launch and its memory.
type player struct {
	to     event.Listener
	launch *event.Launch
	step   event.Step
	global map[uint64]uint64 // values of elements by address
	shared map[[2]uint64]uint64
	words  []string // of the line
}

// Play sends the events of a text to a listener. An error names the line that it can't read.
func Play(text string, to event.Listener) error {
	lines := strings.Split(text, "\n")
	p := &player{to: to, global: map[uint64]uint64{}, shared: map[[2]uint64]uint64{}}
	for i, line := range lines {
		line, _, _ = strings.Cut(line, "#")
		p.words = strings.Fields(line)
		if len(p.words) == 0 {
			continue
		}
		var err error
		if p.launch == nil || p.words[0] == "grid" {
			err = p.begin(&program{lines})
		} else {
			err = p.play(uint32(i + 1))
		}
		if err != nil {
			return fmt.Errorf("line %d, %q: %w", i+1, line, err)
		}
	}
	if p.launch == nil {
		return fmt.Errorf("no grid")
	}
	p.end()
	return nil
}

func (p *player) end() {
	for b := range p.launch.Grid.Count() {
		p.to.BlockEnd(p.launch, b)
	}
	p.to.LaunchEnd(p.launch)
}

func (p *player) begin(code *program) error {
	blocks, threads := 0, 0
	if _, err := fmt.Sscanf(strings.Join(p.words, " "), "grid %d %d", &blocks, &threads); err != nil {
		return err
	}
	number := 1
	if p.launch == nil {
		p.to.Allocate(&event.Allocation{ID: 1, Base: base, Size: 26 * 64, Name: "memory"})
	} else {
		p.end()
		number += p.launch.ID
	}
	one := race.Dim3{1, 1, 1}
	p.launch = &event.Launch{
		ID: number, Kernel: "script", Program: code, Grid: race.Dim3{blocks, 1, 1}, Block: race.Dim3{threads, 1, 1}, Cluster: one,
		SharedSize: 4096, Cooperative: true,
	}
	p.to.LaunchBegin(p.launch)
	for b := range blocks {
		p.to.BlockBegin(p.launch, b)
	}
	return nil
}

func (p *player) play(pc uint32) error {
	if len(p.words) < 2 {
		return fmt.Errorf("no event")
	}
	p.step = event.Step{Launch: p.launch, PC: pc}
	if p.words[1] == "barrier" {
		return p.barrier()
	}
	who, lanes, ok := strings.Cut(p.words[0], ".")
	if !ok {
		return fmt.Errorf("no thread")
	}
	var err error
	if p.step.Block, err = strconv.Atoi(who); err != nil {
		return err
	}
	low, high, err := span(lanes)
	if err != nil {
		return err
	}
	if low/event.WarpSize != high/event.WarpSize || high >= p.launch.Threads() {
		return fmt.Errorf("threads %d to %d are not in one warp", low, high)
	}
	p.step.Warp = low / event.WarpSize
	p.step.Mask = mask(low%event.WarpSize, high%event.WarpSize)
	p.step.Active = p.step.Mask
	switch p.words[1] {
	case "read", "write", "vread", "vwrite", "atomic", "cas", "exch":
		return p.access()
	case "copy":
		return p.copy()
	case "exit":
		p.to.Exit(&p.step)
	case "fence":
		p.to.Fence(&event.Fence{Step: p.step, Scope: p.scope(), Order: event.SequentiallyConsistent})
	case "syncwarp":
		b := event.Barrier{Step: p.step, Kind: event.WarpBarrier}
		p.to.Barrier(&b)
		b.Phase, b.Participants = event.Completed, []event.Group{{Block: p.step.Block, Warp: p.step.Warp, Mask: p.step.Mask, Waits: true}}
		p.to.Barrier(&b)
	case "split", "join":
		return p.branch()
	default:
		return fmt.Errorf("no event %q", p.words[1])
	}
	return nil
}

// span reads "3" or "0-31".
func span(text string) (low, high int, err error) {
	from, to, ok := strings.Cut(text, "-")
	if low, err = strconv.Atoi(from); err != nil || !ok {
		return low, low, err
	}
	high, err = strconv.Atoi(to)
	return low, high, err
}

func mask(low, high int) uint32 { return uint32(1<<(high+1) - 1<<low) }

// scope is the line's last word, or else the device.
func (p *player) scope() race.Scope {
	if p.words[len(p.words)-1] == "block" {
		return race.ScopeBlock
	}
	return race.ScopeDevice
}

func (p *player) branch() error {
	var parts []uint32
	for _, w := range p.words[2:] {
		low, high, err := span(w)
		if err != nil {
			return err
		}
		parts = append(parts, mask(low, high))
	}
	if p.words[1] == "split" {
		p.to.Split(&event.Split{Step: p.step, Parts: parts})
	} else {
		p.to.Join(&event.Join{Step: p.step, Parts: parts})
	}
	return nil
}

// barrier is that of a block or of some of its threads, or of the grid: each warp arrives, and then
// it is completed.
func (p *player) barrier() error {
	b := event.Barrier{Step: p.step, Kind: event.GridBarrier}
	first, last := 0, p.launch.Grid.Count()-1
	low, high := 0, p.launch.Threads()-1
	if p.words[0] != "all" {
		text, threads, some := strings.Cut(p.words[0], ".")
		number, err := strconv.Atoi(text)
		if err == nil && some {
			low, high, err = span(threads)
		}
		if err != nil {
			return err
		}
		if high >= p.launch.Threads() {
			return fmt.Errorf("no thread %d", high)
		}
		b.Kind, first, last = event.BlockBarrier, number, number
	}
	var all []event.Group
	for b.Block = first; b.Block <= last; b.Block++ {
		for b.Warp = low / event.WarpSize; b.Warp <= high/event.WarpSize; b.Warp++ {
			from := b.Warp * event.WarpSize
			b.Mask = mask(max(0, low-from), min(event.WarpSize-1, high-from))
			b.Active = b.Mask
			p.to.Barrier(&b)
			all = append(all, event.Group{Block: b.Block, Warp: b.Warp, Mask: b.Mask, Waits: true})
		}
	}
	b.Block, b.Warp, b.Phase, b.Participants = last, high/event.WarpSize, event.Completed, all
	p.to.Barrier(&b)
	return nil
}

// copy is an asynchronous copy by each lane, of the bytes that the source names.
func (p *player) copy() error {
	if len(p.words) < 4 {
		return fmt.Errorf("no location")
	}
	from, to := event.Access{Size: 4}, event.Access{Size: 4}
	source, eachSource, err := p.location(&from, p.words[2])
	if err != nil {
		return err
	}
	target, eachTarget, err := p.location(&to, p.words[3])
	if err != nil {
		return err
	}
	c := event.Copy{Step: p.step, From: from.Space, To: to.Space, FromOwner: p.step.Block, ToOwner: p.step.Block}
	for rest := c.Mask; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest)
		c.Source[lane], c.Target[lane] = source+uint64(eachSource*lane), target+uint64(eachTarget*lane)
		c.SourceSize[lane], c.TargetSize[lane] = uint32(from.Size), uint32(from.Size)
	}
	p.to.Copy(&c)
	return nil
}

// access reads the rest of a line that accesses memory, and does it.
func (p *player) access() error {
	if len(p.words) < 3 {
		return fmt.Errorf("no location")
	}
	a := event.Access{Step: p.step, Owner: p.step.Block, Size: 4, Elements: 1}
	at, each, err := p.location(&a, p.words[2])
	if err != nil {
		return err
	}
	var operands []uint64
	for _, w := range p.words[3:] {
		if n, err := strconv.ParseUint(strings.TrimPrefix(w, "="), 10, 32); err == nil {
			operands = append(operands, n)
		}
	}
	p.kind(&a)
	var value, operand, compare [event.WarpSize]uint32
	a.Value[0].W32 = &value
	for rest := a.Mask; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest)
		a.Addr[lane] = at + uint64(each*lane)
		old, set := p.cell(&a, lane)
		value[lane] = uint32(old)
		switch {
		case a.Kind == event.Write:
			value[lane] = p.step.PC<<8 | uint32(lane)
			if len(operands) == 1 {
				value[lane] = uint32(operands[0])
			}
			set(uint64(value[lane]))
		case a.Op == event.AtomicAdd:
			operand[lane] = 1
			set(old + 1)
		case a.Op == event.AtomicExchange && len(operands) == 1:
			operand[lane] = uint32(operands[0])
			set(operands[0])
		case a.Op == event.AtomicCompareExchange && len(operands) == 2:
			compare[lane], operand[lane] = uint32(operands[0]), uint32(operands[1])
			if old == operands[0] {
				set(operands[1])
			}
		case a.Kind == event.Atomic:
			return fmt.Errorf("operands are missing")
		}
	}
	if a.Kind == event.Atomic {
		a.Operand.W32 = &operand
	}
	if a.Op == event.AtomicCompareExchange {
		a.Compare.W32 = &compare
	}
	p.to.Access(&a)
	return nil
}

// location reads where: "s:x+2:2", or "x[]".
func (p *player) location(a *event.Access, where string) (at uint64, each int, err error) {
	text, isShared := strings.CutPrefix(where, "s:")
	if isShared {
		a.Space = event.Shared
	}
	text, size, sized := strings.Cut(text, ":")
	if sized {
		if a.Size, err = strconv.Atoi(size); err != nil {
			return 0, 0, err
		}
	}
	text, isArray := strings.CutSuffix(text, "[]")
	if isArray {
		each = a.Size
	}
	name, offset, shifted := strings.Cut(text, "+")
	if len(name) != 1 || name[0] < 'a' || name[0] > 'z' {
		return 0, 0, fmt.Errorf("no location %q", where)
	}
	at = uint64(name[0]-'a') * 64
	if !isShared {
		at += base
	}
	if shifted {
		n, err := strconv.Atoi(offset)
		if err != nil {
			return 0, 0, err
		}
		at += uint64(n)
	}
	return at, each, nil
}

func (p *player) kind(a *event.Access) {
	op := p.words[1]
	a.Volatile = op[0] == 'v'
	switch op {
	case "write", "vwrite":
		a.Kind = event.Write
	case "atomic":
		a.Kind, a.Op = event.Atomic, event.AtomicAdd
	case "cas":
		a.Kind, a.Op = event.Atomic, event.AtomicCompareExchange
	case "exch":
		a.Kind, a.Op = event.Atomic, event.AtomicExchange
	}
	if a.Volatile {
		a.Order, a.Scope = event.Relaxed, race.ScopeSystem
	}
	if a.Kind == event.Atomic {
		a.Order, a.Scope = event.Relaxed, p.scope()
		if slices.Contains(p.words, "release") {
			a.Order = event.Release
		}
	}
}

// cell returns the value at a lane's address, and what sets it.
func (p *player) cell(a *event.Access, lane int) (uint64, func(uint64)) {
	if a.Space == event.Shared {
		key := [2]uint64{uint64(a.Owner), a.Addr[lane]}
		return p.shared[key], func(v uint64) { p.shared[key] = v }
	}
	return p.global[a.Addr[lane]], func(v uint64) { p.global[a.Addr[lane]] = v }
}
