// This file defines the decoded instructions that warps execute, and programs: a kernel with
// all functions that it can reach, as one sequence of instructions.

package sim

import (
	"github.com/warplint/warplint/dynamic/event"
	"github.com/warplint/warplint/dynamic/ptx"
)

//go:generate go run ./internal/genops ops.txt ops_generated.go

const fullMask = ^uint32(0)

// ref names a register of the running function, or a constant if constRef is set.
type ref uint32

const constRef ref = 1 << 31

// runFunc executes an instruction for the lanes of a mask that is never zero.
type runFunc func(w *warp, in *instr, m uint32)

// operation is a row of ops.txt.
type operation struct {
	run   runFunc
	shape string
}

// instr is one decoded instruction.
type instr struct {
	run        runFunc
	d, a, b, c ref
	d2         ref    // a fourth source
	guard      int32  // predicate register, -1 for none
	not        uint32 // all ones to execute where the guard is false
	imm        int64
	mem        *memop
	x          any // what a family of instructions needs besides
}

// function is where a PTX function stands in a program.
type function struct {
	source *ptx.Function
	entry  int32
	// registers of each class in a frame
	count32, count64, countP int
	local                    int             // bytes of local memory in a frame: variables and parameters
	offsets                  map[string]int  // of local and param variables in the frame
	params, returns          []*ptx.Variable // to copy in calls
	steers                   func() steering // found when first asked for
	builtin                  func(w *warp, call *callSite, m uint32)
}

// program is a kernel ready to run. It implements event.Program.
type program struct {
	module    *Module
	kernel    *ptx.Function
	code      []instr
	origin    []*ptx.Instr // of each instruction of code
	owner     []*function
	functions map[string]*function
	polls     func() map[*ptx.Instr]bool  // those that poll, found when first asked for
	guesses   func() map[*ptx.Instr]bool  // those that a compare-and-swap checks, likewise
	unread    func() map[*ptx.Instr]bool  // atomics whose results nothing reads, likewise
	accesses  func() ([]ptx.Access, bool) // what the addresses of its accesses are made of, likewise
	narrow    func() int                  // the bytes of the smallest pieces of shared memory, likewise
	entry     *function
	const32   [][32]uint32
	const64   [][32]uint64
	memops    int // number of memory instructions: each has a slot in a core's cache
	params    map[string]Parameter
	paramSize int
	shared    map[string]int // offsets of shared variables
	sharedVar []event.Variable
	allocates bool // it may call malloc or free
	launches  bool // it may launch kernels
	workspace bool // it asks for the memory of a cooperative launch
	syncsGrid bool // it may have a barrier of the whole grid
	// sharedStatic is the size of the static shared memory, and where the dynamic part begins.
	sharedStatic, dynamicAlign int
	dynamicNames               []string // what the kernel's functions call the dynamic part
}

func (p *program) Instructions() int { return len(p.code) }

// Location implements event.Program.
func (p *program) Location(pc uint32) event.Location {
	if int(pc) >= len(p.origin) {
		return event.Location{}
	}
	in := p.origin[pc]
	l := event.Location{Function: p.owner[pc].source.Name}
	if in == nil {
		return l
	}
	l.PTXLine = int(in.Line)
	l.Text = in.Op.String()
	for _, m := range in.Modifiers {
		l.Text += "." + m
	}
	for _, t := range in.Types {
		l.Text += "." + t.String()
	}
	m := p.module.source
	at := m.Locations[in.Location]
	l.Place = p.place(at)
	for depth := 0; at.InlinedAt != 0 && depth < 256; depth++ {
		at = m.Locations[at.InlinedAt]
		l.Inlined = append([]event.Place{p.place(at)}, l.Inlined...)
	}
	return l
}

// Polls implements event.Program.
func (p *program) Polls(pc uint32) bool { return p.is(pc, p.polls) }

// Guesses implements event.Program.
func (p *program) Guesses(pc uint32) bool { return p.is(pc, p.guesses) }

// Unread implements event.Program.
func (p *program) Unread(pc uint32) bool { return p.is(pc, p.unread) }

// is reports whether an instruction is one of those that a look at its program has found.
func (p *program) is(pc uint32, found func() map[*ptx.Instr]bool) bool {
	return int(pc) < len(p.origin) && found()[p.origin[pc]]
}

// InTurn implements event.Program.
func (p *program) InTurn(a, b uint32) bool { return p.between(a, b, (*ptx.Function).InTurn) }

// Leads implements event.Program.
func (p *program) Leads(from, to uint32) bool { return p.between(from, to, (*ptx.Function).Leads) }

// between asks a function about two of its instructions; it reports true for others.
func (p *program) between(a, b uint32, of func(f *ptx.Function, a, b int) bool) bool {
	if int(max(a, b)) >= len(p.origin) || p.owner[a] != p.owner[b] || p.owner[a].source == nil {
		return true
	}
	from, to := -1, -1
	f := p.owner[a].source
	for i := range f.Body {
		if &f.Body[i] == p.origin[a] {
			from = i
		}
		if &f.Body[i] == p.origin[b] {
			to = i
		}
	}
	return from < 0 || to < 0 || of(f, from, to)
}

// marked finds the instructions of a program that a look at each function gives.
func (p *program) marked(of func(*ptx.Function) []int) map[*ptx.Instr]bool {
	found := map[*ptx.Instr]bool{}
	for _, f := range p.functions {
		if f.source == nil {
			continue
		}
		for _, i := range of(f.source) {
			found[&f.source.Body[i]] = true
		}
	}
	return found
}

func (p *program) place(l ptx.Location) event.Place {
	return event.Place{File: p.module.source.Files[l.File], Line: l.Line, Column: l.Column}
}
