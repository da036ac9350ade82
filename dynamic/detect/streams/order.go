package streams

// This file defines which operation comes before which (CUDA Runtime API, "Stream synchronization behavior").

import "github.com/warplint/warplint/dynamic/event"

// operation is one of a stream, or a node of a graph that a stream runs.
type operation struct {
	event.Operation
	id     int
	lane   int
	number uint32 // in its lane, from 1
	clock  clock  // what comes before it, and itself
	launch *event.Launch
	// released is set once a thread has done what others need to see before its later strong writes tell them of it; told is set
	// if the host may have been told of all that it did.
	released, told bool
}

// lane is a chain of operations, each of which comes before the next. A stream is one unless it runs graphs; it goes on in one of another's
// that has come to its end before.
type lane struct {
	last uint32 // how many there are
}

type stream struct {
	Stream
	clock clock
	lane  int
}

// Stream is what there is to say of one.
type Stream struct {
	Number      int // counts from 1 in the order in which they are made; 0 for those that are there without
	PerThread   bool
	NonBlocking bool
	From        string // the call that made it
}

// order is which operation comes before which.
type order struct {
	operations []*operation // by number, from 1
	kept       int          // the host knows those before it, and nobody asks for more of them
	lanes      []lane
	streams    map[uint64]*stream
	made       int
	events     map[uint64]clock
	host       clock // what the host has waited for
}

func newOrder() order {
	return order{streams: map[uint64]*stream{}, events: map[uint64]clock{}}
}

// stream finds a stream. One of which nobody has told is the default stream, or that of a thread.
func (o *order) stream(number uint64) *stream {
	s := o.streams[number]
	if s == nil {
		s = &stream{Stream: Stream{PerThread: number != 0}, lane: -1}
		o.streams[number] = s
	}
	return s
}

// past is what comes before the next operation of a stream.
func (o *order) past(number uint64) clock {
	s := o.stream(number)
	c := s.clock.join(o.host)
	switch {
	case number == 0:
		for _, other := range o.streams {
			if !other.NonBlocking {
				c = c.join(other.clock)
			}
		}
	case !s.NonBlocking:
		c = c.join(o.stream(0).clock)
	}
	return c
}

// begin adds an operation.
func (o *order) begin(e event.Operation, after []int) *operation {
	s := o.stream(e.Stream)
	var c clock
	at := s.lane
	if !e.Node {
		c = o.past(e.Stream)
	}
	for _, id := range after {
		if before := o.operation(id); before != nil {
			c = c.join(before.clock)
			if e.Node {
				at = before.lane
			}
		}
	}
	x := &operation{Operation: e, id: len(o.operations) + 1, lane: o.free(c, at)}
	l := &o.lanes[x.lane]
	l.last++
	x.number = l.last
	x.clock = c.with(x.lane, x.number)
	o.operations = append(o.operations, x)
	if !e.Node {
		s.clock, s.lane = x.clock, x.lane
	}
	return x
}

// free finds a lane whose operations all come before what a clock is of, best a certain one.
func (o *order) free(c clock, best int) int {
	if best >= 0 && o.lanes[best].last <= c.at(best) {
		return best
	}
	for i := range o.lanes {
		if o.lanes[i].last <= c.at(i) {
			return i
		}
	}
	o.lanes = append(o.lanes, lane{})
	return len(o.lanes) - 1
}

// operation finds an operation; nil if there is none of that number.
func (o *order) operation(id int) *operation {
	if id < 1 || id > len(o.operations) {
		return nil
	}
	return o.operations[id-1]
}

// knows reports whether an operation comes before another one, or is it.
func (x *operation) knows(before *operation) bool { return x.clock.at(before.lane) >= before.number }

// learn makes an operation that has begun come behind what a clock knows.
func (o *order) learn(x *operation, c clock) {
	if c.within(x.clock) {
		return
	}
	x.clock = x.clock.join(c)
	if s := o.stream(x.Stream); !x.Node {
		s.clock = s.clock.join(x.clock)
	}
}

// wait lets the host know what it has waited for, and reports whether that is all there is.
func (o *order) wait(what event.Awaited, number uint64) (all bool) {
	switch what {
	case event.AwaitAll:
		all := make(clock, len(o.lanes))
		for i, l := range o.lanes {
			all[i] = l.last
		}
		o.host = all
	case event.AwaitStream:
		o.host = o.host.join(o.past(number))
	case event.AwaitEvent:
		o.host = o.host.join(o.events[number])
	case event.AwaitOperation:
		if x := o.operation(int(number)); x != nil {
			o.host = o.host.join(x.clock)
		}
	}
	for i := range o.lanes {
		if o.lanes[i].last > o.host.at(i) {
			return false
		}
	}
	for _, x := range o.operations[o.kept:] {
		*x = operation{id: x.id, lane: x.lane, number: x.number, clock: o.host}
	}
	o.kept = len(o.operations)
	return true
}
