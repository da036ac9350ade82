package barracuda

// This file defines the compressed vector clocks of threads (section 4.3.1).

import (
	"maps"

	"github.com/warplint/warplint/dynamic/detect/pair"
)

// thread numbers a thread within its launch: its block, and ten bits for the thread there.
type thread uint64

const (
	laneBits   = 5
	threadBits = 10
)

func threadOf(block, warp, lane int) thread {
	return thread(block)<<threadBits | thread(warp)<<laneBits | thread(lane)
}

func (t thread) block() int     { return int(t >> threadBits) }
func (t thread) warp() int      { return int(t >> laneBits & (1<<(threadBits-laneBits) - 1)) }
func (t thread) lane() int      { return int(t & (1<<laneBits - 1)) }
func (t thread) inWarp() uint64 { return uint64(t >> laneBits) } // the number of its warp

// format says how much of a group's clock is spelled out.
type format uint8

const (
	converged      format = iota // one time for the group, one for the block
	diverged                     // and one for the other lanes of the warp
	nestedDiverged               // and one for each other lane of the warp
	sparse                       // and those of any other threads
)

func (f format) String() string {
	return [...]string{"CONVERGED", "DIVERGED", "NESTEDDIVERGED", "SPARSEVC"}[f]
}

// group is some lanes of a warp that run together, and the clock that each of them has: its own
// time is local, and it knows of the others what they did before that.
type group struct {
	mask  uint32
	local uint32
	block uint32 // time up to which all threads of the block are known
	// others are times of the warp's lanes outside the mask: nil if the block's says it all.
	others *[1 << laneBits]uint32
	far    *known // of threads anywhere; nil for none
}

// format tells which of the four formats holds the clock.
func (g *group) format() format {
	switch {
	case g.far != nil:
		return sparse
	case g.others == nil:
		return converged
	}
	var first uint32
	seen := false
	for lane, time := range g.others {
		if g.mask>>lane&1 != 0 || time <= g.block {
			continue
		}
		if seen && time != first {
			return nestedDiverged
		}
		first, seen = time, true
	}
	return diverged
}

// lane returns the time up to which a lane of the same warp is known to the group's lanes, itself
// not counted.
func (g *group) lane(lane int) uint32 {
	time := g.block
	switch {
	case g.mask>>lane&1 != 0:
		return g.local - 1
	case g.others != nil:
		time = max(time, g.others[lane])
	}
	return time
}

// time is what thread t of the group knows of u.
func (g *group) time(t, u thread) uint32 {
	if t == u {
		return g.local
	}
	var time uint32
	switch {
	case t.inWarp() == u.inWarp():
		time = g.lane(u.lane())
	case t.block() == u.block():
		time = g.block
	}
	if g.far != nil {
		time = max(time, g.far.time(u))
	}
	return time
}

// known is a sparse vector clock: times of threads, of all threads of a warp and of all threads of
// a block. It is immutable.
type known struct {
	threads map[thread]uint32
	warps   map[uint64]uint32
	blocks  map[int]uint32
}

func (k *known) time(t thread) uint32 {
	return max(k.threads[t], k.warps[t.inWarp()], k.blocks[t.block()])
}

// joined returns what either knows.
func joined(a, b *known) *known {
	switch {
	case a == b || b == nil:
		return a
	case a == nil:
		return b
	}
	threads, more := joinedMaps(a.threads, b.threads)
	warps, wider := joinedMaps(a.warps, b.warps)
	blocks, widest := joinedMaps(a.blocks, b.blocks)
	if !more && !wider && !widest {
		return a
	}
	return &known{threads, warps, blocks}
}

// joinedMaps returns what either knows, and whether b adds to a.
func joinedMaps[K comparable](a, b map[K]uint32) (out map[K]uint32, more bool) {
	for k, time := range b {
		if time <= a[k] {
			continue
		}
		if !more {
			out, more = make(map[K]uint32, max(len(a), len(b))), true
			maps.Copy(out, a)
		}
		out[k] = time
	}
	if !more {
		return a, false
	}
	return out, true
}

// all is the clock of a thread of the group as a sparse one.
func (g *group) all(t thread) *known {
	k := &known{threads: map[thread]uint32{t: g.local}, warps: map[uint64]uint32{}, blocks: map[int]uint32{}}
	if g.block > 0 {
		k.blocks[t.block()] = g.block
	}
	low := ^uint32(0)
	for lane := range 1 << laneBits {
		low = min(low, g.lane(lane))
	}
	if low > 0 {
		k.warps[t.inWarp()] = low
	}
	for lane := range 1 << laneBits {
		if u := threadOf(t.block(), t.warp(), lane); u != t && g.lane(lane) > low {
			k.threads[u] = g.lane(lane)
		}
	}
	return joined(k, g.far)
}

// warp is the partition of a warp's lanes into groups.
type warp struct {
	groups []*group
	// waits is set while lanes wait at a barrier of the block, the first of them at first.
	waits bool
	first pair.Access
}

// of returns the group of some lanes that run together, and makes it if they were apart or with
// others: the rules ENDINSN, IF and ELSEENDIF (figure 2).
func (w *warp) of(mask uint32) *group {
	var parts, rest []*group
	for _, g := range w.groups {
		switch {
		case g.mask == mask:
			return g
		case g.mask&mask != 0:
			parts = append(parts, g)
		default:
			rest = append(rest, g)
		}
	}
	next := &group{mask: mask}
	var others [1 << laneBits]uint32
	for _, g := range parts {
		next.local = max(next.local, g.local)
		next.block = max(next.block, g.block)
		next.far = joined(next.far, g.far)
		for lane := range others {
			others[lane] = max(others[lane], g.lane(lane))
		}
	}
	next.local++
	next.others = &others
	next.simplify()
	for _, g := range parts {
		if stay := g.mask &^ mask; stay != 0 {
			rest = append(rest, g.without(stay))
		}
	}
	w.groups = append(rest, next)
	return next
}

// without returns the group of the lanes that stay when others leave.
func (g *group) without(stay uint32) *group {
	next := *g
	var others [1 << laneBits]uint32
	for lane := range others {
		others[lane] = g.lane(lane)
	}
	next.mask, next.others = stay, &others
	return &next
}

// simplify drops the times of other lanes if the block's says as much.
func (g *group) simplify() {
	if g.others == nil {
		return
	}
	for lane, time := range g.others {
		if g.mask>>lane&1 == 0 && time > g.block {
			return
		}
	}
	g.others = nil
}
