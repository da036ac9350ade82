// Package recent keeps what was used last.
package recent

import "container/list"

// Map forgets, once it is full, the entry that was not used for longest. It is not safe for concurrent use.
type Map[K comparable, V any] struct {
	most int
	at   map[K]*list.Element
	used list.List // of entries, the one used last in front
}

type entry[K comparable, V any] struct {
	key   K
	value V
}

// New returns an empty map for so many entries.
func New[K comparable, V any](most int) *Map[K, V] {
	return &Map[K, V]{most: max(most, 1), at: map[K]*list.Element{}}
}

// Get returns an entry and counts it as used.
func (m *Map[K, V]) Get(key K) (value V, ok bool) {
	e := m.at[key]
	if e == nil {
		return value, false
	}
	m.used.MoveToFront(e)
	return e.Value.(*entry[K, V]).value, true
}

// Put sets an entry.
func (m *Map[K, V]) Put(key K, value V) {
	if e := m.at[key]; e != nil {
		m.used.MoveToFront(e)
		e.Value.(*entry[K, V]).value = value
		return
	}
	if len(m.at) == m.most {
		last := m.used.Back()
		delete(m.at, last.Value.(*entry[K, V]).key)
		m.used.Remove(last)
	}
	m.at[key] = m.used.PushFront(&entry[K, V]{key, value})
}

// Len is the number of entries.
func (m *Map[K, V]) Len() int { return len(m.at) }
