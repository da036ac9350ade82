// This file finds the allocations that a launch writes, and the memory that it accesses in pieces, before it does.

package sim

import (
	"encoding/binary"
	"slices"

	"github.com/warplint/warplint/dynamic/event"
	"github.com/warplint/warplint/dynamic/ptx"
)

// bound says which allocations the launch writes and updates, if all addresses at which it writes are made of pointers that
// are known.
func (l *launch) bound(e *event.Launch) {
	accesses, known := l.program.accesses()
	if !known {
		return
	}
	var written, updated, others []*event.Allocation
	everything := true // all that it reads is known, too
	pieces := narrow{least: map[*event.Allocation]int{}}
	for i := range accesses {
		a := &accesses[i]
		list, found := l.allocationsOf(a.Roots)
		switch {
		case !found && a.Writes():
			return
		case !found:
			everything = false
		case a.Writes():
			written = append(written, list...)
		}
		pieces.note(a.Instr, list, found)
		if a.Updates() {
			updated = append(updated, list...)
		} else {
			others = append(others, list...)
		}
	}
	e.Written, e.Bounded, e.Narrow = distinct(written), true, pieces.list()
	if everything {
		e.Updated = slices.DeleteFunc(distinct(updated), func(a *event.Allocation) bool { return slices.Contains(others, a) })
	}
}

// narrow are the smallest pieces of allocations that are accessed weakly.
type narrow struct {
	least map[*event.Allocation]int // 0 if there are other accesses
	none  bool                      // there are some of which it is not known what they access
}

func (n *narrow) note(in *ptx.Instr, list []*event.Allocation, known bool) {
	bytes, weak := in.Weak()
	n.none = n.none || !known && !weak
	for _, a := range list {
		if least, found := n.least[a]; !weak || !found {
			n.least[a] = bytes
		} else {
			n.least[a] = min(least, bytes)
		}
	}
}

func (n *narrow) list() (list []event.Narrow) {
	for a, bytes := range n.least {
		if 0 < bytes && bytes < 4 && !n.none {
			list = append(list, event.Narrow{Allocation: a, Bytes: bytes})
		}
	}
	return list
}

// narrowShared returns the bytes of the smallest pieces in which a program may access shared memory, 0 if they are words, or if it has other
// accesses to that than weak ones.
func (p *program) narrowShared() int {
	least := 4
	for _, in := range p.origin {
		if in == nil || !in.MayBeShared() {
			continue
		}
		bytes, weak := in.Weak()
		if !weak {
			return 0
		}
		least = min(least, bytes)
	}
	return least % 4
}

func distinct(list []*event.Allocation) (out []*event.Allocation) {
	for _, a := range list {
		if !slices.Contains(out, a) {
			out = append(out, a)
		}
	}
	return out
}

// allocationsOf returns the allocations that roots point into. It reports false if none is a pointer.
func (l *launch) allocationsOf(roots []ptx.Root) (list []*event.Allocation, found bool) {
	for _, r := range roots {
		s, own := l.root(r)
		if found = found || own || s != nil; s != nil {
			list = append(list, s.alloc)
		}
	}
	return list, found
}

// root returns the memory that a root points into, nil if it is a number; own says that this is no allocation.
func (l *launch) root(r ptx.Root) (s *segment, own bool) {
	if !r.Param {
		s = l.program.module.variables[r.Name]
		return s, s == nil
	}
	p := l.program.params[r.Name]
	if int(r.Offset)+8 > p.Size {
		return nil, false
	}
	if s = l.device.memory.find(binary.LittleEndian.Uint64(l.params[p.Offset+int(r.Offset):])); s == nil || s.data == nil {
		return nil, false
	}
	return s, false
}
