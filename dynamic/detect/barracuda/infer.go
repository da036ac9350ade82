package barracuda

// This file infers releases and acquires from the text of a program (section 3.1).

import (
	"slices"
	"strings"

	"github.com/warplint/warplint/dynamic/event"
)

// role is what an instruction does besides its access.
type role struct{ acquire, release reach }

// reach is the scope of a fence.
type reach uint8

const (
	nowhere reach = iota
	inBlock
	inGrid
)

// class is what an instruction is to its neighbours.
type class uint8

const (
	other class = iota
	load
	store
	atomic
	fence
	end // nothing is passed over it: barriers, calls, jumps and ends
)

// classOf reads an instruction, which begins with its opcode; the reach is that of a fence.
func classOf(text string) (class, reach) {
	words := strings.FieldsFunc(text, func(r rune) bool { return r == '.' || r == ' ' || r == ';' })
	if len(words) == 0 {
		return other, nowhere
	}
	has := func(word string) bool { return slices.Contains(words[1:], word) }
	switch words[0] {
	case "ld", "st":
		if has("param") || has("local") || has("const") {
			return other, nowhere
		}
		if words[0] == "ld" {
			return load, nowhere
		}
		return store, nowhere
	case "atom", "red":
		return atomic, nowhere
	case "membar", "fence":
		if has("cta") {
			return fence, inBlock
		}
		return fence, inGrid
	case "bra":
		if has("uni") {
			return end, nowhere
		}
		return other, nowhere
	case "bar", "barrier", "call", "ret", "exit", "trap", "brx":
		return end, nowhere
	}
	return other, nowhere
}

// infer gives each instruction of a program its role.
func infer(p event.Program) []role {
	n := p.Instructions()
	classes, reaches := make([]class, n), make([]reach, n)
	for pc := range n {
		classes[pc], reaches[pc] = classOf(p.Location(uint32(pc)).Text)
	}
	// near finds the fence next to an instruction, in one direction.
	near := func(pc, step int) (at int, found bool) {
		for pc += step; 0 <= pc && pc < n; pc += step {
			if classes[pc] != other {
				return pc, classes[pc] == fence
			}
		}
		return 0, false
	}
	roles, taken := make([]role, n), make([]bool, n)
	// A fence next to an atomic belongs to it: behind the atomic that takes a lock, it does not make
	// a release of the store that follows.
	for pc, c := range classes {
		if c != atomic {
			continue
		}
		r := &roles[pc]
		if f, ok := near(pc, 1); ok {
			r.acquire, taken[f] = reaches[f], true
		}
		if f, ok := near(pc, -1); ok {
			r.release, taken[f] = reaches[f], true
		}
		if text := p.Location(uint32(pc)).Text; !strings.Contains(text, ".cas") && !strings.Contains(text, ".exch") {
			r.acquire = max(r.acquire, r.release)
			r.release = r.acquire
		}
	}
	for pc, c := range classes {
		if f, ok := near(pc, 1); c == load && ok && !taken[f] {
			roles[pc].acquire = reaches[f]
		}
		if f, ok := near(pc, -1); c == store && ok && !taken[f] {
			roles[pc].release = reaches[f]
		}
	}
	return roles
}
