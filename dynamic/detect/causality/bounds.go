package causality

// This file tells memory apart by what the launch does with it.
//
// DESIGN. Where all addresses at which a kernel accesses memory are made of pointers that are known when it is launched, so
// are the allocations that it writes. Nothing can race with reads of others, as of tables and inputs, so they are passed over. Of
// words that are only updated, by atomics whose scopes include each other's threads, who has done so last is all that somebody may ask
// for. An access may go beyond what its pointer leads to, which shows when it does; then what was before it there is missing,
// and it counts as one that has strayed.

import (
	"cmp"
	"slices"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/event"
)

// bounds are what a launch does with allocations.
type bounds struct {
	known            bool
	written, updated []uint64 // by where they begin
	narrow           map[uint64]fineness
	shared           fineness // of shared memory
	last             []extent // by instruction, the one that it has accessed last
	present          extent   // of the present access, of no size if it is not known
}

// extent is an allocation.
type extent struct {
	base, size       uint64
	written, updated bool // updated means nothing but that
	fine             fineness
}

func boundsOf(l *event.Launch) bounds {
	b := bounds{known: l.Bounded && !l.Launches}
	if l.Cluster.Count() == 1 && !l.Launches {
		b.shared = finenessOf(l.NarrowShared)
	}
	if !b.known {
		return b
	}
	b.last = make([]extent, l.Program.Instructions())
	for _, a := range l.Written {
		b.written = append(b.written, a.Base)
	}
	for _, a := range l.Updated {
		b.updated = append(b.updated, a.Base)
	}
	b.narrow = map[uint64]fineness{}
	for _, a := range l.Narrow {
		b.narrow[a.Base] = finenessOf(a.Bytes)
	}
	return b
}

// passes reports whether an access may be passed over, as it reads memory that the launch does not write. All lanes of an access are
// in one allocation.
func (d *Detector) passes(a *event.Access) bool {
	b := &d.bounds
	if !b.known || a.Space != event.Global {
		return false
	}
	x, at := &b.last[a.PC], a.Addr[firstLane(a.Mask)]
	if at-x.base >= x.size && !d.locateIn(x, at) {
		b.present = extent{}
		return false
	}
	switch {
	case !x.written:
		if a.Kind == event.Read {
			return true
		}
		b.written = append(b.written, x.base)
		d.stray()
	case x.updated && !updates(a):
		b.updated = slices.DeleteFunc(b.updated, func(base uint64) bool { return base == x.base })
		d.stray()
	case x.fine > 0 && (a.Kind == event.Atomic || a.Order != event.Weak):
		delete(b.narrow, x.base)
		x.fine = 0
		d.stray()
	}
	b.present = *x
	return false
}

// updates reports whether an access is one of those that [event.Launch.Updated] is about.
func updates(a *event.Access) bool {
	return a.Kind == event.Atomic && !a.Volatile && a.Order == event.Relaxed && a.Scope >= race.ScopeDevice && a.Size == 1<<wordBits && a.Elements == 1
}

// stray notes that an access has come to memory that it was not known to come to.
func (d *Detector) stray() {
	d.Strayed++
	clear(d.bounds.last)
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
	*x = extent{o.Base, o.Size, slices.Contains(d.bounds.written, o.Base), slices.Contains(d.bounds.updated, o.Base), d.bounds.narrow[o.Base]}
	return true
}

// allocationAt finds the allocation that begins at an address, or where it would be.
func (d *Detector) allocationAt(base uint64) (int, bool) {
	return slices.BinarySearchFunc(d.allocations, base, func(a *event.Allocation, base uint64) int { return cmp.Compare(a.Base, base) })
}
