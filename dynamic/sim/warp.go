// This file defines warps: 32 threads, each at its own place of the program. Threads at the
// same place with the same calls behind them form a group and execute together.

package sim

import (
	"math/bits"
	"slices"

	"github.com/warplint/warplint/dynamic/event"
)

// waitKind says what a group waits for.
type waitKind uint8

const (
	waitNothing waitKind = iota
	waitBarrier
	waitWarp       // bar.warp.sync
	waitCollective // an instruction that all lanes of a mask execute together
	waitCluster
	waitGrid
	waitFaulted // for ever
)

// group is some lanes of a warp that run together. While it is the running one, its program
// counter and mask live in the warp.
type group struct {
	mask    uint32
	pc      int32 // the instruction to execute next
	frame   *frame
	wait    waitKind
	barrier int    // waitBarrier: its number
	members uint32 // waitWarp, waitCollective: the lanes that have to come
	at      *instr // the instruction that it waits in
	ran     uint64 // the warp's instruction count when it last ran
	polls   bool   // it yielded; the others go first
	looked  int    // the warp's count of polls when it last ran
}

// frame is one activation of a function. Groups that called the same functions from the same
// places share it: each lane has its own column in every register.
type frame struct {
	fn       *function
	parent   *frame
	site     *callSite
	ret      int32 // where the caller goes on
	depth    int
	base32   int
	base64   int
	baseP    int
	local    int // bytes: the frame's first in each thread's local memory
	more     int // bytes of local memory that alloca has put behind the frame
	children []*frame
	inside   uint32 // lanes that have not returned
}

// warp is the state of one warp. Its registers are arrays of 32 lanes.
type warp struct {
	block *block
	core  *core
	index int
	live  uint32 // lanes that have not exited

	// The running group. pc is already that of the next instruction while one executes.
	code  []instr
	pc    int32
	mask  uint32
	meet  int32 // stop when pc gets here: another group waits to be joined, or is behind
	stop  bool  // stop after this instruction
	frame *frame

	x32     [][32]uint32 // the frame's registers
	x64     [][32]uint64
	xp      []uint32
	const32 [][32]uint32
	const64 [][32]uint64

	r32   [][32]uint32 // of all frames
	r64   [][32]uint64
	rp    []uint32
	local [][32]uint32 // local memory, word by word
	carry uint32       // the condition code CC.CF of each lane
	root  frame
	top   int // bytes of local memory in use

	groups   []group
	running  int // index in groups
	executed uint64
	patience uint64 // instructions after which a group that others keep back gets its turn
	polls    int    // how often the running group looked at memory that others may change, since it yielded
	yielded  bool   // the running group had better let others run
	deposit  deposit
	spare    []*frame // to use again
	awaited  awaited  // last
}

func (w *warp) source32(r ref) *[32]uint32 {
	if r&constRef != 0 {
		return &w.const32[r&^constRef]
	}
	return &w.x32[r]
}

func (w *warp) source64(r ref) *[32]uint64 {
	if r&constRef != 0 {
		return &w.const64[r&^constRef]
	}
	return &w.x64[r]
}

func (w *warp) target32(r ref) *[32]uint32 { return &w.x32[r] }
func (w *warp) target64(r ref) *[32]uint64 { return &w.x64[r] }

// reset prepares a warp for a new block; its arrays are used again.
func (w *warp) reset(b *block, index int) {
	p := b.launch.program
	w.block, w.core, w.index = b, b.core, index
	w.code, w.const32, w.const64 = p.code, p.const32, p.const64
	threads := min(b.launch.threads-32*index, 32)
	w.live = fullMask >> (32 - threads)
	w.r32, w.r64, w.rp, w.local = w.r32[:0], w.r64[:0], w.rp[:0], w.local[:0]
	w.root = frame{fn: p.entry}
	w.top = 0
	w.grow(&w.root)
	w.carry, w.executed, w.yielded = 0, 0, false
	w.patience = 256 << (b.core.random.next() % 5)
	w.groups = append(w.groups[:0], group{mask: w.live, pc: p.entry.entry, frame: &w.root})
}

// grow makes the arrays hold a frame.
func (w *warp) grow(f *frame) {
	w.r32 = extend(w.r32, f.base32+f.fn.count32)
	w.r64 = extend(w.r64, f.base64+f.fn.count64)
	w.rp = extend(w.rp, f.baseP+f.fn.countP)
	w.growLocal(f.local + f.fn.local)
}

func (w *warp) growLocal(top int) {
	w.local = extend(w.local, (top+3)/4)
	w.top = max(w.top, top)
}

// extend makes a slice at least n long, with zeros.
func extend[T any](s []T, n int) []T {
	if n <= len(s) {
		return s
	}
	old := len(s)
	s = slices.Grow(s, n-old)[:n]
	clear(s[old:])
	return s
}

// enter makes a frame's registers the ones that instructions name.
func (w *warp) enter(f *frame) {
	w.frame = f
	w.x32 = w.r32[f.base32:][:f.fn.count32]
	w.x64 = w.r64[f.base64:][:f.fn.count64]
	w.xp = w.rp[f.baseP:][:f.fn.countP]
}

// run executes up to about budget instructions and reports whether it executed any. It ends
// early when all groups only wait for something that other warps do.
func (w *warp) run(budget int) bool {
	ran := false
	w.core.current = w
	for budget > 0 && w.live != 0 && w.pick() {
		ran = true
		budget -= w.execute(budget)
		w.groups[w.running].polls = w.yielded
		w.park()
		if w.yielded && w.onlyPolls() {
			return ran
		}
	}
	w.core.busy = w.core.busy || ran
	return ran
}

// onlyPolls reports whether all groups that are ready have yielded. If so, they begin anew.
func (w *warp) onlyPolls() bool {
	for i := range w.groups {
		if g := &w.groups[i]; g.wait == waitNothing && !g.polls {
			return false
		}
	}
	for i := range w.groups {
		w.groups[i].polls = false
	}
	return true
}

// maxPolls is how often a group may look at memory that others change before they get a turn.
const maxPolls = 4

// poll notes a strong load, or an atomic that changed nothing: in a loop, these wait for others.
func (w *warp) poll() {
	if w.polls++; w.polls >= maxPolls {
		w.yield()
	}
}

// yield ends the running group's turn after this instruction.
func (w *warp) yield() {
	w.stop, w.yielded, w.polls = true, true, 0
}

// execute runs the running group until it stops, meets another one or has used its budget.
func (w *warp) execute(budget int) int {
	w.stop, w.yielded = false, false
	left, lanes := budget, 0
	for {
		in := &w.code[w.pc]
		w.pc++
		left--
		m := w.mask
		if in.guard >= 0 {
			m &= w.xp[in.guard] ^ in.not
		}
		if m != 0 {
			lanes += bits.OnesCount32(m)
			in.run(w, in, m)
		}
		if w.stop || w.pc >= w.meet || left <= 0 {
			break
		}
	}
	n := budget - left
	w.executed += uint64(n)
	w.core.instructions += uint64(n)
	w.core.laneOps += uint64(lanes)
	return n
}

// park writes the running group's state back.
func (w *warp) park() {
	g := &w.groups[w.running]
	g.pc, g.mask, g.frame, g.ran, g.looked = w.pc, w.mask, w.frame, w.executed, w.polls
	if g.mask == 0 {
		last := len(w.groups) - 1
		w.groups[w.running] = w.groups[last]
		w.groups = w.groups[:last]
	}
}

// pick chooses the group to run next and loads it; false if all wait.
//
// Groups that look for what others do wait until these had their turn. Of the rest, the group
// that is deepest in calls, and among these the one that is furthest behind in the program, goes
// first, since the others are likely to be where it will join them. A group that had to be
// patient for too long goes before it, so that each thread makes progress.
func (w *warp) pick() bool {
	if len(w.groups) > 1 {
		w.join()
	}
	best := -1
	for i := range w.groups {
		g := &w.groups[i]
		if g.wait == waitNothing && (best < 0 || before(g, &w.groups[best])) {
			best = i
		}
	}
	if best < 0 {
		return false
	}
	if len(w.groups) > 1 {
		best = w.impatient(best)
	}
	g := &w.groups[best]
	w.running, w.pc, w.mask, w.polls = best, g.pc, g.mask, g.looked
	w.meet = w.meeting(best)
	w.enter(g.frame)
	return true
}

func before(a, b *group) bool {
	if a.polls != b.polls {
		return b.polls
	}
	if a.frame.depth != b.frame.depth {
		return a.frame.depth > b.frame.depth
	}
	return a.pc < b.pc
}

// impatient returns the ready group that has waited longest, if that is too long.
func (w *warp) impatient(best int) int {
	oldest := best
	for i := range w.groups {
		if g := &w.groups[i]; g.wait == waitNothing && g.ran < w.groups[oldest].ran {
			oldest = i
		}
	}
	if w.executed-w.groups[oldest].ran > w.patience {
		return oldest
	}
	return best
}

// meeting is the next place ahead of a group where another one stands; with no other groups it
// is beyond the program.
func (w *warp) meeting(chosen int) int32 {
	meet := int32(1<<31 - 1)
	c := &w.groups[chosen]
	for i := range w.groups {
		if g := &w.groups[i]; i != chosen && g.wait == waitNothing && g.pc > c.pc {
			meet = min(meet, g.pc)
		}
	}
	return meet
}

// join merges ready groups that stand at the same place.
func (w *warp) join() {
	for i := 0; i < len(w.groups); i++ {
		for j := len(w.groups) - 1; j > i; j-- {
			a, b := &w.groups[i], &w.groups[j]
			if a.pc != b.pc || a.frame != b.frame || a.wait != waitNothing || b.wait != waitNothing {
				continue
			}
			w.tellJoin(a, b)
			a.mask |= b.mask
			a.ran = max(a.ran, b.ran)
			a.polls = a.polls && b.polls
			last := len(w.groups) - 1
			w.groups[j] = w.groups[last]
			w.groups = w.groups[:last]
		}
	}
}

// step describes the instruction being executed, for events.
func (w *warp) step(m uint32) (s event.Step) {
	w.stepInto(&s, m)
	return s
}

// stepInto is step, field by field: a copy of the whole would wait until all stores before it, the kernel's own
// among them, have left the processor's store buffer.
func (w *warp) stepInto(s *event.Step, m uint32) {
	b := w.block
	s.Launch, s.Block, s.Warp = b.launch.event, b.index, w.index
	s.Mask, s.Active, s.PC = m, w.mask, uint32(w.pc-1)
}

// leave takes lanes out of the running group; they go on at pc as a group of their own.
func (w *warp) leave(lanes uint32, pc int32) {
	w.mask &^= lanes
	w.groups = append(w.groups, group{mask: lanes, pc: pc, frame: w.frame, ran: w.executed})
	w.stop = true
}

// only restricts the running group to some lanes; the others will execute the instruction
// again, on their own.
func (w *warp) only(m, lanes uint32) {
	if rest := m &^ lanes; rest != 0 {
		w.leave(rest, w.pc-1)
	}
}

// waitFor makes the running group's lanes m wait; the others go on behind the instruction.
func (w *warp) waitFor(m uint32, kind waitKind) *group {
	if rest := w.mask &^ m; rest != 0 {
		w.leave(rest, w.pc)
	}
	g := &w.groups[w.running]
	g.wait, g.at = kind, &w.code[w.pc-1]
	g.pc, g.mask, g.frame = w.pc, w.mask, w.frame
	w.stop = true
	return g
}
