package barracuda

// This file checks accesses against those before them (section 3.3.1, figure 2).

import (
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/detect/pair"
	"github.com/warplint/warplint/dynamic/event"
)

// current is the access that is checked.
type current struct {
	*event.Step
	group  *group
	thread thread
	kind   event.Kind
	atomic bool
	scope  race.Scope
	at     uint64
}

// before reports whether an access is ordered before the current one.
func (c *current) before(e *epoch) bool { return e.time <= c.group.time(c.thread, e.thread) }

// check applies the rule for the access, and notes it.
func (d *Detector) check(c *current, s *state, value uint32) {
	now := epoch{c.thread, c.group.local, c.PC}
	if c.kind == event.Read {
		if !c.before(&s.write) {
			d.report(c, &s.write, s, false)
		}
		d.read(c, s, now)
		return
	}
	// Atomics do not race with atomics.
	if !(c.atomic && s.atomic) && !c.before(&s.write) && !c.sameValue(s, value) {
		d.report(c, &s.write, s, false)
	}
	if s.reads == nil && !c.before(&s.read) {
		d.report(c, &s.read, s, true)
	}
	if e, raced := c.firstOf(s.reads); raced {
		d.report(c, &e, s, true)
	}
	*s = state{write: now, value: value, atomic: c.atomic}
}

// firstOf returns the read that is not ordered before the current access, of the lowest thread.
func (c *current) firstOf(reads map[thread]epoch) (first epoch, found bool) {
	for t, e := range reads {
		if (!found || t < first.thread) && !c.before(&e) {
			first, found = e, true
		}
	}
	return first, found
}

// sameValue reports whether the last write is of the same instruction and the same value: then it
// does not matter which one is the last (3.3.1).
func (c *current) sameValue(s *state, value uint32) bool {
	e := &s.write
	return !c.atomic && !s.atomic && e.pc == c.PC && e.thread.inWarp() == c.thread.inWarp() && e.time == c.group.local && s.value == value
}

// read notes a read: READEXCL, READINFLATE or READSHARED.
func (d *Detector) read(c *current, s *state, now epoch) {
	switch {
	case s.reads != nil:
		s.reads[c.thread] = now
	case c.before(&s.read):
		s.read = now
	default:
		s.reads = map[thread]epoch{s.read.thread: s.read, c.thread: now}
		s.read = epoch{}
	}
}

func (d *Detector) report(c *current, e *epoch, s *state, wasRead bool) {
	first := pair.Access{PC: e.pc, Block: e.thread.block(), Warp: e.thread.warp(), Lane: e.thread.lane(), Does: race.Write}
	switch {
	case wasRead:
		first.Does = race.Read
	case s.atomic:
		first.Does = race.Atomic
	}
	second := pair.Access{PC: c.PC, Block: c.Block, Warp: c.Warp, Lane: c.thread.lane(), Does: pair.Does(c.kind)}
	if c.atomic {
		second.Scope = c.scope
	}
	r := pair.Race{
		First: first, Second: second, Kind: pair.KindOf(first.Block, first.Warp, second.Block, second.Warp),
		Space: event.Global, Address: c.at, Launch: d.launch,
	}
	if c.at >= sharedBase {
		r.Space, r.Address = event.Shared, c.at&(1<<sharedBits-1)
	}
	switch {
	case r.Kind == race.IntraWarp && first.PC == second.PC && e.time == c.group.local:
		r.Condition, r.Rule = "BARRACUDA's intra-warp race", race.MissingSyncwarp
		r.Why = "Lanes of one instruction write different values to one location."
	case r.Kind == race.IntraWarp:
		r.Condition, r.Rule = "BARRACUDA's branch ordering race", race.MissingSyncwarp
		r.Why = "Two threads of a warp are on different ways behind a branch, and which one goes first is not defined."
	case r.Kind == race.IntraBlock:
		r.Condition, r.Rule = "BARRACUDA's intra-block race", race.MissingSyncthreads
		r.Why = "No barrier, and no release and acquire of a location, orders two warps of the block."
	default:
		r.Condition, r.Rule = "BARRACUDA's inter-block race", race.InterBlockRace
		r.Why = "No release and acquire of a location that both blocks' fences cover orders them."
	}
	d.Add(r)
}
