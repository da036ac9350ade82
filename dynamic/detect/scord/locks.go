package scord

// This file infers locks (section IV-A): a compare-and-swap and then a fence take one, an exchange
// gives it back.

// tableSize is the number of entries of a warp's lock table, a circular buffer.
const tableSize = 4

type lockTable struct {
	locks [tableSize]lock
	next  int
}

type lock struct {
	hash       uint8 // six bits
	blockScope bool
	valid      bool
	active     bool // a fence has followed the compare-and-swap
}

// lockHash is the hash of a lock's address; for a lock of block scope, its block is part of the
// name. The paper leaves the function open; multiplying (Knuth, volume 3, 6.4) keeps the locks of
// an array apart.
func lockHash(at uint64, block int, blockScope bool) uint8 {
	name := at >> wordBits
	if blockScope {
		name ^= uint64(block+1) << 48
	}
	return uint8(name * 0x9e3779b97f4a7c15 >> 58)
}

func (t *lockTable) insert(hash uint8, blockScope bool) {
	for i := range t.locks {
		if l := &t.locks[i]; l.valid && l.hash == hash && l.blockScope == blockScope {
			l.active = false
			return
		}
	}
	t.locks[t.next] = lock{hash: hash, blockScope: blockScope, valid: true}
	t.next = (t.next + 1) % tableSize
}

// activate notes a fence: the locks of its scope or a narrower one are held from here on.
func (t *lockTable) activate(blockScope bool) {
	for i := range t.locks {
		if l := &t.locks[i]; l.valid && (!blockScope || l.blockScope) {
			l.active = true
		}
	}
}

func (t *lockTable) remove(hash uint8, blockScope bool) {
	for i := range t.locks {
		if l := &t.locks[i]; l.hash == hash && l.blockScope == blockScope {
			l.valid = false
		}
	}
}

// filter is a set of locks: a bit in each half for each lock.
type filter uint16

func (t *lockTable) held() filter {
	var f filter
	for _, l := range t.locks {
		if l.valid && l.active {
			f |= 1<<(l.hash&7) | 1<<(8+l.hash>>3&7)
		}
	}
	return f
}

// common reports whether two sets may have a lock in common.
func common(a, b filter) bool { return a&b&0xff != 0 && a&b>>8 != 0 }
