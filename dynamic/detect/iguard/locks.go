package iguard

// This file infers locks: a compare-and-swap and then a fence take one, an exchange gives it back
// (section 6.3).

// maxLocks are the locks that a table holds (figure 7).
const maxLocks = 3

// lockTable holds the locks of a warp or of a thread.
type lockTable [maxLocks]lock

type lock struct {
	hash       uint64
	blockScope bool
	valid      bool
	active     bool // a fence has followed the compare-and-swap
}

// filterBits are the highest bits of a hash, which choose its places in a filter: the lower ones of a
// wide hash would not tell blocks apart.
const filterBits = 18

const multiplier = 0x9e3779b97f4a7c15

// lockHash is the hash of a lock's address. The paper leaves the function open; multiplying (Knuth,
// volume 3, 6.4) keeps apart the locks of an array, whatever their distance.
func (w widths) lockHash(at uint64) uint64 {
	return (at >> wordBits) * multiplier >> (64 - w.hash)
}

// insert notes a compare-and-swap, whatever its operands and its outcome.
func (t *lockTable) insert(hash uint64, blockScope bool) {
	place := int(hash % maxLocks)
	for i := range t {
		if t[i].valid && t[i].hash == hash && t[i].blockScope == blockScope {
			place = i
			break
		}
		if !t[i].valid {
			place = i
		}
	}
	t[place] = lock{hash: hash, blockScope: blockScope, valid: true}
}

// activate notes a fence: the locks of its scope or a narrower one are held from here on.
func (t *lockTable) activate(blockScope bool) {
	for i := range t {
		if t[i].valid && (!blockScope || t[i].blockScope) {
			t[i].active = true
		}
	}
}

// remove notes an exchange.
func (t *lockTable) remove(hash uint64, blockScope bool) {
	for i := range t {
		if t[i].hash == hash && t[i].blockScope == blockScope {
			t[i].valid = false
		}
	}
}

// held returns the filter of the locks that a thread of a block holds: a bit in each half for each
// lock. The lower one names the lock in its block. The upper one names a lock of the device
// wherever it is held, one of block scope in its block again. So locks of the device exclude each
// other, and exclude one of block scope in the same block; that of another block is another lock.
func (t *lockTable) held(w widths, block uint32) uint64 {
	var filter uint64
	n := uint64(w.filter)
	for i := range t {
		l := &t[i]
		if !l.valid || !l.active {
			continue
		}
		here := (l.hash + uint64(block+1)<<32) * multiplier >> (64 - filterBits)
		upper := l.hash >> (w.hash - filterBits)
		if l.blockScope {
			upper = here
		}
		filter |= 1<<(here%n) | 1<<(n+upper/n%n)
	}
	return filter
}

// locks are the tables of a warp: one for all its threads until two of them try to take locks at
// once, from then on one each.
type locks struct {
	warp    lockTable
	threads *[32]lockTable
}

func (l *locks) of(lane int) *lockTable {
	if l.threads != nil {
		return &l.threads[lane]
	}
	return &l.warp
}
