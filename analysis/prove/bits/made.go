package bits

// This file finds a gate that was made before.

// made is a hash table of gates, with open addressing; a gate without an output is an empty place. A map of
// such keys takes twice the time, and a circuit is mostly looking up.
type made struct {
	places []gate
	count  int
}

type gate struct {
	kind kind
	in   [3]lit
	out  lit
}

const fewGates = 1 << 10

// reset empties the table and keeps its memory.
func (m *made) reset() {
	if m.places == nil {
		m.places = make([]gate, fewGates)
	}
	m.places = m.places[:fewGates]
	clear(m.places)
	m.count = 0
}

// find returns the place of a gate, which is empty if there is none.
func (m *made) find(k kind, in [3]lit) *gate {
	h := (uint64(in[0])<<32|uint64(in[1]))*0x9e3779b97f4a7c15 ^ (uint64(in[2])<<2|uint64(k))*0xbf58476d1ce4e5b9
	for i := h >> 32; ; i++ {
		g := &m.places[i&uint64(len(m.places)-1)]
		if g.out == 0 || g.in == in && g.kind == k {
			return g
		}
	}
}

// add fills an empty place.
func (m *made) add(at *gate, g gate) {
	*at = g
	if m.count++; 2*m.count > len(m.places) {
		m.grow()
	}
}

func (m *made) grow() {
	old := m.places
	if n := 2 * len(old); cap(old) < n {
		m.places = make([]gate, n)
	} else {
		old = append([]gate(nil), old...)
		m.places = m.places[:n]
		clear(m.places)
	}
	for i := range old {
		if old[i].out != 0 {
			*m.find(old[i].kind, old[i].in) = old[i]
		}
	}
}
