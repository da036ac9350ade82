package causality

// This file says once what the lanes of an access have in common, so that the words which they went to need
// only say which lanes it was.

import (
	"slices"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/event"
)

// act is what accesses of lanes of one warp have in common, all in the same epoch of theirs.
type act struct {
	warp  uint32 // block times 32, plus the warp in the block; for copies, the agents' leaf
	epoch uint32
	pc    uint32
	value uint32 // of the word, as far as it was written
	mask  uint8  // bytes of the word
	size  uint8  // bytes of a whole element
	kind  event.Kind
	flags flags
}

// entry is an access of some lanes to a word.
type entry struct {
	act
	lanes uint32
}

// ref is an entry as a word keeps it, by the name of its act.
type ref struct {
	act   name
	lanes uint32
}

// name is what an act is called: its number and, so that most need not be looked up, a bit that says whether it
// writes, one that says whether it is strong, for the whole device and of a word, and the last bits of its warp.
// The name 0 stands for none.
type name uint32

const (
	warpBits = 6
	nameBits = warpBits + 2
	maxActs  = 1 << (32 - nameBits)

	wideName   name = 1 << warpBits
	writesName name = 2 << warpBits
)

func (n name) writes() bool { return n&writesName != 0 }

// unrelated reports whether both are reads, or such that they are friends in any case, of different warps.
func (n name) unrelated(o name) bool {
	return ((n|o)&writesName == 0 || n&o&wideName != 0) && (n^o)&(1<<warpBits-1) != 0
}

// numbered is an act that has a number. No access of the act called apart has to do with it in any word.
type numbered struct {
	act
	apart name
}

// acts are those that words refer to, by number. The first stands for none.
type acts struct {
	list  []numbered
	freed []uint32 // numbers that are out of use
	limit int      // how many there may be until those in use are looked for
	// recent are names that were given of late.
	recent [128]name
}

// minActs are not worth looking for those out of use.
const minActs = 256

func newActs() acts { return acts{list: make([]numbered, 1, 16), limit: minActs} }

// at returns the act of a name.
func (s *acts) at(n name) *numbered { return &s.list[n>>nameBits] }

// slot is where a name of an act would be that was given of late.
func (s *acts) slot(a *act) *name {
	return &s.recent[(a.pc*13+a.warp*29+a.value*5+uint32(a.kind))%uint32(len(s.recent))]
}

// recall makes a name that of its act once more.
func (s *acts) recall(n name) { *s.slot(&s.at(n).act) = n }

// name returns what an act is called.
func (s *acts) name(a *act) name {
	slot := s.slot(a)
	if s.at(*slot).act == *a {
		return *slot
	}
	number := uint32(len(s.list))
	if n := len(s.freed); n > 0 {
		number, s.freed = s.freed[n-1], s.freed[:n-1]
		s.list[number] = numbered{act: *a}
	} else {
		s.list = append(s.list, numbered{act: *a})
	}
	*slot = name(number<<nameBits | a.warp&(1<<warpBits-1))
	if a.kind != event.Read {
		*slot |= writesName
	}
	if a.flags&^(7<<2|reread) == flagsOf(strong, 0) && a.flags.scope() >= race.ScopeDevice && a.size == 1<<wordBits && a.mask == 1<<4-1 {
		*slot |= wideName
	}
	return *slot
}

// ref is an entry as it is kept.
func (s *acts) ref(e *entry) ref { return ref{s.name(&e.act), e.lanes} }

// entry is what is kept as a ref.
func (s *acts) entry(r ref) entry { return entry{s.at(r.act).act, r.lanes} }

// reread lets what is kept of a write stand for a later read of its threads. Who has observed a strong write comes after
// that, but not after the read.
func (s *acts) reread(kept *ref) {
	a := s.at(kept.act).act
	if a.flags&reread == 0 && a.flags.level() == strong {
		a.flags |= reread
		kept.act = s.name(&a)
	}
}

// spent reports whether it is time to look for acts that are out of use.
func (s *acts) spent() bool { return len(s.list) >= s.limit && len(s.freed) == 0 }

// sweep finds the numbers that no word refers to any more, once there are four times as many as there were in use, or
// as there are pages to go through. It reports whether there is room for those of another access.
func (p *pages) sweep() bool {
	s := &p.acts
	used := make([]bool, len(s.list))
	for number, page := range p.all {
		if page.scattered != nil {
			for _, x := range page.scattered.acts {
				used[x.act>>nameBits] = true
			}
		}
		if !page.celled {
			continue
		}
		for full := page.full; full != 0; full &= full - 1 {
			i := firstLane(full)
			r := &page.rows[i]
			for rest := r.celled; rest != 0; rest &= rest - 1 {
				word := uint64(firstLane(rest))
				if x := page.trail(uint64(i), word); x != nil {
					for ; x != nil; x = p.trails.before(x) {
						used[x.act>>nameBits] = true
					}
					continue
				}
				if x := page.ownWord(uint64(i), word); x != nil {
					used[x.write>>nameBits], used[x.read>>nameBits] = true, true
					continue
				}
				c := p.cellOf(r, number<<pageBits|uint64(i)<<(rowBits+wordBits)|word<<wordBits)
				for _, x := range c.refs() {
					used[x.act>>nameBits] = true
				}
			}
		}
	}
	clear(s.recent[:])
	s.freed = s.freed[:0]
	n := 1
	for i := len(used) - 1; i > 0; i-- {
		s.list[i].apart = 0
		if used[i] {
			n++
		} else {
			s.freed = append(s.freed, uint32(i))
		}
	}
	s.limit = min(max(4*n, 4*len(p.all), minActs), maxActs-1<<16)
	s.list = slices.Grow(s.list, max(0, s.limit-len(s.list)))
	return !s.spent()
}
