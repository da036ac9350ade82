package barracuda

// This file defines the shadow memory (section 4.3.3).

// epoch is the time of a thread's access, and the instruction for the report.
type epoch struct {
	thread thread
	time   uint32 // 0 for none
	pc     uint32
}

// state is what is known of a location.
type state struct {
	write  epoch
	value  uint32 // that was written
	atomic bool
	read   epoch            // the last read, if those since the write are ordered
	reads  map[thread]epoch // otherwise all of them
}

// cell is the state of a word of four bytes, or of each of its bytes once one is accessed alone.
type cell struct {
	word  state
	bytes *[4]state
}

// states returns those of some bytes of the word.
func (c *cell) states(from, to int) []state {
	if c.bytes == nil {
		if to-from == 4 {
			return []state{}
		}
		c.split()
	}
	return c.bytes[from:to]
}

func (c *cell) split() {
	c.bytes = new([4]state)
	for i := range c.bytes {
		c.bytes[i] = c.word
		c.bytes[i].value = c.word.value >> (8 * i) & 0xff
		if c.word.reads != nil {
			c.bytes[i].reads = map[thread]epoch{}
			for t, e := range c.word.reads {
				c.bytes[i].reads[t] = e
			}
		}
	}
}
