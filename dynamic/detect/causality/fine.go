package causality

// This file lets memory that is accessed in pieces of one or two bytes have a shadow in which each piece has a word.
//
// DESIGN. All that makes the shadow small and quick (runs, rows, lists of scattered accesses) is about whole words. So where the
// launch accesses an allocation, or its shared memory, in pieces, and all of it weakly, the addresses in the shadow are those
// in memory times two or four, and so are sizes: nothing else has to know. A finding is about the memory again.

import "github.com/warplint/warplint/dynamic/event"

// fineness is by how many bits the addresses in a shadow are shifted: 1 if the smallest pieces have two bytes, 2 if they have one.
type fineness uint8

func finenessOf(bytes int) fineness {
	switch bytes {
	case 1:
		return 2
	case 2:
		return 1
	}
	return 0
}

// Addresses of global memory whose shadow is finer have fineBase set, and how much finer it is in the bits before that.
const (
	fineBase = 1 << 62
	fineBits = 60
)

// fineness is that of the memory of an access. All lanes of an access are in one allocation.
func (d *Detector) fineness(a *event.Access) fineness {
	if a.Space == event.Shared {
		return d.bounds.shared
	}
	return d.bounds.present.fine
}

// refine returns an access as one of a finer shadow.
func (d *Detector) refine(a *event.Access, by fineness) *event.Access {
	base := uint64(0)
	if a.Space == event.Global {
		base = fineBase | uint64(by)<<fineBits
	}
	b := &d.refined
	*b = *a
	for i, at := range &a.Addr {
		b.Addr[i] = base | at<<by
	}
	b.Size <<= by
	return b
}

// finenessAt is that of the shadow at an address of it.
func (d *Detector) finenessAt(at uint64) fineness {
	switch {
	case at >= sharedBase:
		return d.bounds.shared
	case at >= fineBase:
		return fineness(at >> fineBits & 3)
	}
	return 0
}

// memoryAt is the address of memory, or the offset in that of a block, whose shadow is at an address.
func (d *Detector) memoryAt(at uint64) uint64 {
	switch by := d.finenessAt(at); {
	case at >= sharedBase:
		return at & (1<<sharedBits - 1) >> by
	case by > 0:
		return at & (1<<fineBits - 1) >> by
	}
	return at
}

// part is what a word of a finer shadow holds of a value that begins there.
func (f fineness) part(value uint32) uint32 { return value << (32 - 32>>f) >> (32 - 32>>f) }
