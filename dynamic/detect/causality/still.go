package causality

// This file passes over reads of memory that the launch does not write, as of tables and inputs: nothing can race with them.
//
// DESIGN. Where all addresses at which a kernel writes are made of pointers that are known when it is launched, so are the
// allocations that it writes. Reads of others are not kept. A write may go beyond what its pointer leads to, which shows
// when it does; then the reads before it are missing, and the launch counts as one in which a write has strayed.

import (
	"cmp"
	"slices"

	"github.com/warplint/warplint/dynamic/event"
)

// writable is what a launch may write.
type writable struct {
	bounded bool     // it is known
	bases   []uint64 // of the allocations
	last    []extent // by instruction, the allocation that it has accessed last
}

// extent is an allocation.
type extent struct {
	base, size uint64
	written    bool // by the launch
}

func writableBy(l *event.Launch) writable {
	w := writable{bounded: l.Bounded && !l.Launches}
	if w.bounded {
		w.last = make([]extent, l.Program.Instructions())
		for _, a := range l.Written {
			w.bases = append(w.bases, a.Base)
		}
	}
	return w
}

// isStill reports whether an access reads memory that the launch does not write. All its lanes are in one allocation.
func (d *Detector) isStill(a *event.Access) bool {
	if !d.writable.bounded || a.Space != event.Global {
		return false
	}
	x, at := &d.writable.last[a.PC], a.Addr[firstLane(a.Mask)]
	if at-x.base >= x.size && !d.locateIn(x, at) || x.written {
		return false
	}
	if a.Kind == event.Read {
		return true
	}
	d.Strayed++
	d.writable.bases = append(d.writable.bases, x.base)
	clear(d.writable.last)
	return false
}

// locateIn finds the allocation that holds an address.
func (d *Detector) locateIn(x *extent, at uint64) bool {
	i, found := d.allocationAt(at)
	if !found {
		i--
	}
	if i < 0 || at-d.allocations[i].Base >= d.allocations[i].Size {
		return false
	}
	o := d.allocations[i]
	*x = extent{o.Base, o.Size, slices.Contains(d.writable.bases, o.Base)}
	return true
}

// allocationAt finds the allocation that begins at an address, or where it would be.
func (d *Detector) allocationAt(base uint64) (int, bool) {
	return slices.BinarySearchFunc(d.allocations, base, func(a *event.Allocation, base uint64) int { return cmp.Compare(a.Base, base) })
}
