package streams

// clock says, for each lane, how many of its operations come before. It is never changed once somebody else may have it.
type clock []uint32

func (c clock) at(lane int) uint32 {
	if lane < len(c) {
		return c[lane]
	}
	return 0
}

// join returns what two clocks know together.
func (c clock) join(o clock) clock {
	if o.within(c) {
		return c
	}
	if c.within(o) {
		return o
	}
	out := make(clock, max(len(c), len(o)))
	for i := range out {
		out[i] = max(c.at(i), o.at(i))
	}
	return out
}

// within reports whether another clock knows all that this one does.
func (c clock) within(o clock) bool {
	for i, n := range c {
		if n > o.at(i) {
			return false
		}
	}
	return true
}

// with returns the clock that knows so many operations of a lane.
func (c clock) with(lane int, number uint32) clock {
	out := make(clock, max(len(c), lane+1))
	copy(out, c)
	out[lane] = max(out[lane], number)
	return out
}
