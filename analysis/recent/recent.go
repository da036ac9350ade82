// Package recent keeps what was used last.
package recent

// Map forgets what is not used for long: an entry that stays unused while half as many others as it holds come in, or are used
// again, may be gone. It is not safe for concurrent use.
type Map[K comparable, V any] struct {
	most        int
	now, before map[K]V
}

// New returns an empty map for so many entries.
func New[K comparable, V any](most int) *Map[K, V] {
	return &Map[K, V]{most: most, now: map[K]V{}}
}

// Get returns an entry and counts it as used.
func (m *Map[K, V]) Get(key K) (V, bool) {
	v, ok := m.now[key]
	if ok {
		return v, true
	}
	if v, ok = m.before[key]; ok {
		m.Put(key, v)
	}
	return v, ok
}

// Put sets an entry.
func (m *Map[K, V]) Put(key K, v V) {
	if _, known := m.now[key]; !known && len(m.now) >= max(m.most/2, 1) {
		m.before, m.now = m.now, map[K]V{}
	}
	m.now[key] = v
}

// Len is the number of entries.
func (m *Map[K, V]) Len() int {
	n := len(m.now)
	for key := range m.before {
		if _, again := m.now[key]; !again {
			n++
		}
	}
	return n
}
