// This file defines how long the detectors of a run take: a listener that passes each event on and
// looks at the clock around it. An instruction's event is shorter than two looks at the clock cost
// together, so only one of sampling is timed and stands for the others.

package dynamic

import (
	"time"

	"github.com/warplint/warplint/dynamic/event"
)

// sampling is a prime, so that the loops of a kernel don't fall in step with it.
const sampling = 61

// pause is longer than any event of an instruction takes: what takes longer is the garbage collector or
// another process, which the events that are not timed don't meet as often.
const pause = time.Millisecond

// stopwatch is a Listener around another one. It is not safe for concurrent use, as no listener is.
type stopwatch struct {
	to     event.Listener
	look   time.Duration // what looking at the clock takes
	events uint64
	took   time.Duration
}

func newStopwatch(to event.Listener) *stopwatch {
	s := &stopwatch{to: to, look: time.Second}
	for range 8 {
		start := time.Now()
		s.look = min(s.look, time.Since(start))
	}
	return s
}

// timed runs what happens once for a launch or a block; it may take long.
func (s *stopwatch) timed(do func()) {
	start := time.Now()
	do()
	s.took += time.Since(start)
}

// sampled runs what happens for an instruction.
func (s *stopwatch) sampled(do func()) {
	if s.events++; s.events%sampling != 0 {
		do()
		return
	}
	start := time.Now()
	do()
	took := max(0, time.Since(start)-s.look)
	if took < pause {
		took *= sampling
	}
	s.took += took
}

// Access is sampled without a function for each event, as most events are accesses.
func (s *stopwatch) Access(a *event.Access) {
	if (s.events+1)%sampling != 0 {
		s.events++
		s.to.Access(a)
		return
	}
	s.sampled(func() { s.to.Access(a) })
}

func (s *stopwatch) Allocate(a *event.Allocation)      { s.timed(func() { s.to.Allocate(a) }) }
func (s *stopwatch) Free(a *event.Allocation)          { s.timed(func() { s.to.Free(a) }) }
func (s *stopwatch) LaunchBegin(l *event.Launch)       { s.timed(func() { s.to.LaunchBegin(l) }) }
func (s *stopwatch) LaunchEnd(l *event.Launch)         { s.timed(func() { s.to.LaunchEnd(l) }) }
func (s *stopwatch) BlockBegin(l *event.Launch, b int) { s.timed(func() { s.to.BlockBegin(l, b) }) }
func (s *stopwatch) BlockEnd(l *event.Launch, b int)   { s.timed(func() { s.to.BlockEnd(l, b) }) }
func (s *stopwatch) Fence(f *event.Fence)              { s.sampled(func() { s.to.Fence(f) }) }
func (s *stopwatch) ProxyFence(f *event.Step)          { s.sampled(func() { s.to.ProxyFence(f) }) }
func (s *stopwatch) Barrier(b *event.Barrier)          { s.sampled(func() { s.to.Barrier(b) }) }
func (s *stopwatch) Mbarrier(m *event.Mbarrier)        { s.sampled(func() { s.to.Mbarrier(m) }) }
func (s *stopwatch) Copy(c *event.Copy)                { s.sampled(func() { s.to.Copy(c) }) }
func (s *stopwatch) Spawn(e *event.Spawn)              { s.sampled(func() { s.to.Spawn(e) }) }
func (s *stopwatch) CopyGroup(c *event.CopyGroup)      { s.sampled(func() { s.to.CopyGroup(c) }) }
func (s *stopwatch) Split(p *event.Split)              { s.sampled(func() { s.to.Split(p) }) }
func (s *stopwatch) Join(j *event.Join)                { s.sampled(func() { s.to.Join(j) }) }
func (s *stopwatch) Exit(e *event.Step)                { s.sampled(func() { s.to.Exit(e) }) }
