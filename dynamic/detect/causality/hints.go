package causality

// This file finds out what a race lacks: it looks at how the one thread has been told of the
// other, if it was told directly. It has no part in the order.

import "github.com/warplint/warplint/analysis/race"

// Missing says what would have ordered a racing pair.
type Missing uint8

const (
	// Nothing synchronizes the two accesses directly, so no single piece is missing.
	Nothing      Missing = iota
	FenceScope           // a fence, or an acquire or release, is narrower than the distance
	AccessScope          // an atomic is: the one that hands over, or one of the two that race
	AcquireFence         // the consumer has seen the flag and has no fence behind that
	ReleaseFence         // the producer sets the flag with no fence behind the data
	Fences               // neither side has one
	CopyWait             // an asynchronous copy is not awaited, or not by all
	CommonLock           // they hold different locks, or one of them none
)

func (m Missing) String() string {
	return [...]string{"nothing", "fence scope", "access scope", "acquire fence", "release fence", "fences", "copy wait", "common lock"}[m]
}

// HandOver is how the first thread of a race told the second: it wrote a flag or a counter
// after its access, and the second read that before its own.
type HandOver struct{ Write, Read uint32 } // PCs

// hints are kept for threads that synchronize.
type hints struct {
	heard []observation // the last ones, newest last
	clock int           // counts observations and fences
	// fenced is when the thread last executed an acquiring operation of a scope, or a wider one.
	fenced [race.ScopeSystem + 1]int
}

type observation struct {
	record *record
	pc     uint32
	linked bool
	at     int
}

const maxHeard = 16

func (t *thread) hinted() *hints {
	if t.hints == nil {
		t.hints = &hints{}
	}
	return t.hints
}

func (h *hints) hear(r *record, pc uint32, linked bool) {
	if len(h.heard) == maxHeard {
		h.heard = append(h.heard[:0], h.heard[1:]...)
	}
	h.clock++
	h.heard = append(h.heard, observation{r, pc, linked, h.clock})
}

func (h *hints) fence(scope race.Scope) {
	h.clock++
	for s := race.ScopeNone; s <= scope; s++ {
		h.fenced[s] = h.clock
	}
}

// missing says what kept an access of one thread, in an epoch, from being ordered before the
// present one of another to the same word; need is their distance. What the second has read of
// that word itself tells nothing.
func missing(first, epoch uint32, second *thread, need race.Scope, word uint64) (Missing, *HandOver) {
	if second.hints == nil {
		return Nothing, nil
	}
	h := second.hints
	for i := len(h.heard) - 1; i >= 0; i-- {
		o := &h.heard[i]
		if o.record.writer.id != first || o.record.epoch < epoch || o.record.at&^3 == word {
			continue
		}
		by := &HandOver{Write: o.record.pc, Read: o.pc}
		if !o.linked {
			return AccessScope, by
		}
		released, wide := false, false
		for _, r := range o.record.releases {
			if r.id == first && r.epoch >= epoch {
				released, wide = true, wide || r.scope >= need
			}
		}
		acquired := h.fenced[race.ScopeBlock] >= o.at
		switch {
		case !released && !acquired:
			return Fences, by
		case !released:
			return ReleaseFence, by
		case !acquired:
			return AcquireFence, by
		case !wide || h.fenced[need] < o.at:
			return FenceScope, by
		}
		return Nothing, by
	}
	return Nothing, nil
}
