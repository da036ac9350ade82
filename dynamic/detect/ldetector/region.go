package ldetector

// This file defines regions: what each group of threads has changed, and the two checks.

import (
	"math/bits"

	"github.com/warplint/warplint/dynamic/detect/pair"
)

// change is what a group has done to a word.
type change struct {
	patch
	was [4]byte // what the word held before
	by  pair.Access
}

// region is the first pass over what runs between two barriers.
type region struct {
	changes []change         // those of a group follow each other
	groups  map[int][2]int   // the changes of each group, from and to
	union   map[uint64]union // U, by word
}

// union says which change each changed byte of a word comes from.
type union struct {
	bytes uint8
	from  [4]int32
}

func newRegion() *region {
	return &region{groups: map[int][2]int{}, union: map[uint64]union{}}
}

// add notes what a group has changed, and returns the write-write conflicts with the groups before
// it: pairs of changes, one for each word.
func (r *region) add(group int, changes []change) (conflicts [][2]*change) {
	first := len(r.changes)
	r.changes = append(r.changes, changes...)
	r.groups[group] = [2]int{first, len(r.changes)}
	for i := first; i < len(r.changes); i++ {
		c := &r.changes[i]
		u := r.union[c.at]
		if both := u.bytes & c.bytes; both != 0 {
			conflicts = append(conflicts, [2]*change{&r.changes[u.from[bits.TrailingZeros8(both)]], c})
		}
		for b := range u.from {
			if c.bytes>>b&1 != 0 {
				u.from[b] = int32(i)
			}
		}
		u.bytes |= c.bytes
		r.union[c.at] = u
	}
	return conflicts
}

// of are the changes of a group.
func (r *region) of(group int) []change {
	span := r.groups[group]
	return r.changes[span[0]:span[1]]
}

// foreign returns the change of another group that some bytes of a word come from, nil for none.
func (r *region) foreign(group int, at uint64, touched uint8) *change {
	u := r.union[at]
	for b := u.bytes & touched; b != 0; b &= b - 1 {
		i := int(u.from[bits.TrailingZeros8(b)])
		if span := r.groups[group]; i < span[0] || i >= span[1] {
			return &r.changes[i]
		}
	}
	return nil
}
