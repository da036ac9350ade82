package iguard

// This file defines the conditions of table 2, in their order.

import "github.com/warplint/warplint/analysis/race"

// condition is a line of table 2.
type condition uint8

const (
	none condition = iota // neither harmless by a preliminary check nor a race
	p1                    // first access
	p2                    // no write access
	p3                    // program order
	p4                    // ordered within the warp
	p5                    // ordered by a block barrier
	p6                    // atomics of sufficient scope
	r1                    // scoped-atomic race
	r2                    // intra-warp race
	r3                    // intra-block race
	r4                    // inter-block race
	r5                    // missing lock
)

func (c condition) String() string {
	return [...]string{"-", "P1", "P2", "P3", "P4", "P5", "P6", "R1", "R2", "R3", "R4", "R5"}[c]
}

func (c condition) racy() bool { return c >= r1 }

func (c condition) rule() race.Rule {
	return map[condition]race.Rule{
		r1: race.AtomicScope, r2: race.MissingSyncwarp, r3: race.MissingSyncthreads, r4: race.InterBlockRace, r5: race.LockMismatch,
	}[c]
}

func (c condition) why() string {
	return map[condition]string{
		r1: "The location was accessed by an atomic of block scope, and another block accesses it.",
		r2: "Neither a barrier of the warp nor a fence stands between the accesses of two threads of it.",
		r3: "Neither a barrier of the block nor a fence stands between the accesses of two threads of it.",
		r4: "No device-wide fence followed the access of the other block.",
		r5: "The accesses hold no lock in common, though one of them holds a lock.",
	}[c]
}

// current is the access that is checked.
type current struct {
	accessor
	block      uint32
	mask       uint32 // the lanes that execute it together
	load       bool
	atomic     bool
	blockScope bool // of the atomic
	held       uint64
}

// check finds the condition that holds first.
func (d *Detector) check(w *word, c *current) condition {
	md := &w.last
	if c.load {
		md = &w.writer
	}
	shared := w.devShared || w.blkShared
	sameWarp := md.warp == c.warp
	sameBlock := d.blockOf(md.warp) == c.block
	switch {
	case !w.valid:
		return p1
	case !w.modified && c.load:
		return p2
	case !shared && sameWarp && md.lane == c.lane:
		return p3
	case !shared && sameWarp && (md.warpBar != c.warpBar || c.mask>>md.lane&1 != 0):
		return p4
	case !w.devShared && sameBlock && md.blkBar != c.blkBar:
		return p5
	case w.atomic && c.atomic && (sameBlock || !w.blockScope):
		return p6
	}
	devFence, blkFence := d.fences(md)
	unfenced := md.devFence == devFence && md.blkFence == blkFence
	switch {
	case w.atomic && w.blockScope && d.blockOf(w.writer.warp) != c.block:
		return r1
	case sameWarp && unfenced && !shared:
		return r2
	case sameBlock && unfenced && !w.devShared:
		return r3
	case !sameBlock && md.devFence == devFence:
		return r4
	case w.locks|c.held != 0 && w.locks&c.held == 0:
		return r5
	}
	return none
}

// update notes the access (section 6.2).
func (d *Detector) update(w *word, c *current) {
	if c.load {
		d.share(w, c)
	} else {
		w.blkShared, w.devShared = false, false
		w.modified, w.atomic, w.blockScope = true, c.atomic, c.atomic && c.blockScope
		w.writer = c.accessor
	}
	w.valid, w.last, w.locks, w.wrote = true, c.accessor, c.held, !c.load
}

// share sets the flags of a word that is read.
func (d *Detector) share(w *word, c *current) {
	if !w.valid || w.wrote {
		return
	}
	last := &w.last
	switch devFence, blkFence := d.fences(last); {
	case d.blockOf(last.warp) != c.block:
		w.devShared = true
	case last.blkBar != c.blkBar:
		w.blkShared = false
	case last.warp != c.warp && last.devFence == devFence && last.blkFence == blkFence:
		w.blkShared = true
	}
}
