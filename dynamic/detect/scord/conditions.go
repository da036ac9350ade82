package scord

// This file defines the conditions of tables III and IV.

import "github.com/warplint/warplint/analysis/race"

// condition is a line of table IV, or none of them.
type condition uint8

const (
	none        condition = iota
	blockFence            // (a) missing block fence
	deviceFence           // (b) missing device fence
	notStrong             // (c) not strong access
	scopedAtom            // (d) scoped atomic
	lockOnLoad            // (e) missing common lock on load
	lockOnStore           // (f) missing common lock on store
)

func (c condition) String() string {
	return [...]string{"-", "(a)", "(b)", "(c)", "(d)", "(e)", "(f)"}[c]
}

func (c condition) rule() race.Rule {
	return [...]race.Rule{"", race.MissingSyncthreads, race.InterBlockRace, race.WeakAccess, race.AtomicScope, race.LockMismatch, race.LockMismatch}[c]
}

func (c condition) why() string {
	return [...]string{"",
		"No fence followed the access of the other warp of the block.",
		"No device-wide fence followed the access of the other block.",
		"A fence stands between the accesses, but it orders strong accesses only, and one of them is neither volatile nor atomic.",
		"The location was accessed by an atomic of block scope, and another block accesses it.",
		"The read holds no lock that the write before it held.",
		"The write holds no lock that the access before it held.",
	}[c]
}

// current is the access that is checked.
type current struct {
	entry // what its metadata will be
	load  bool
}

// preliminary is a line of table III, or none of them.
type preliminary uint8

const (
	fails          preliminary = iota
	initialization             // (a): nothing is known of the word
	programOrder               // (b): only this warp has accessed it
	barrier                    // (c): a barrier of the block stands between
)

// passes finds the line that holds. A barrier tells more than program order: what the warp itself
// has written before it, the block's others may read behind it.
func passes(md *entry, c *current) preliminary {
	switch {
	case md.fresh():
		return initialization
	case md.block == c.block && md.barrier != c.barrier && !md.devShared:
		return barrier
	case md.warp == c.warp && md.block == c.block && !md.blkShared && !md.devShared:
		return programOrder
	}
	return fails
}

// check is table IV. The fences are those of the entry's warp as they are now.
func check(md *entry, c *current, devFence, blkFence uint32) condition {
	sameBlock := md.block == c.block
	if md.atomic && md.blockScope && !sameBlock {
		return scopedAtom
	}
	if md.atomic && c.atomic || c.load && !md.modified {
		return none
	}
	switch {
	case sameBlock && md.devFence == devFence && md.blkFence == blkFence:
		return blockFence
	case !sameBlock && md.devFence == devFence:
		return deviceFence
	case !md.strong || !c.strong:
		return notStrong
	case md.locks|c.locks == 0 || common(md.locks, c.locks):
		return none
	case c.load:
		return lockOnLoad
	}
	return lockOnStore
}

// update returns the metadata after an access. Anew says that what was before it does not matter
// any more.
func update(md *entry, c *current, passed preliminary, anew bool) entry {
	next := c.entry
	if !anew {
		next.strong = md.strong && c.strong
	}
	switch {
	case !c.load:
		next.modified = true
	case anew:
	case passed == programOrder: // what the warp wrote is published by its fences only
		next.modified = md.modified && md.devFence == c.devFence && md.blkFence == c.blkFence
	case !md.modified:
		next.devShared = md.devShared || md.block != c.block
		next.blkShared = !next.devShared && (md.blkShared || md.warp != c.warp)
	}
	return next
}
