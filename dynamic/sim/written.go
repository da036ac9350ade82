// This file finds the allocations that a launch writes, before it does.

package sim

import (
	"encoding/binary"
	"slices"

	"github.com/warplint/warplint/dynamic/event"
	"github.com/warplint/warplint/dynamic/ptx"
)

// written returns the allocations that addresses of the kernel's writes are made of. It reports false if an address may be
// made of others.
func (l *launch) written() (list []*event.Allocation, known bool) {
	addresses, known := l.program.written()
	if !known {
		return nil, false
	}
	for _, roots := range addresses {
		found := false
		for _, r := range roots {
			s, own := l.root(r)
			if found = found || own || s != nil; s != nil && !slices.Contains(list, s.alloc) {
				list = append(list, s.alloc)
			}
		}
		if !found {
			return nil, false
		}
	}
	return list, true
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
