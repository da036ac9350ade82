// This file lets listeners look at memory.

package sim

import (
	"encoding/binary"

	"github.com/warplint/warplint/dynamic/event"
)

// Word implements event.Memory. Launches that a listener hears have one core.
func (l *launch) Word(space event.Space, owner int, address uint64) (uint32, bool) {
	if space == event.Global {
		if s := l.device.memory.find(address); s != nil {
			return wordOf(s.data, address-s.base)
		}
		return 0, false
	}
	for _, b := range l.cores[0].resident {
		if b.index == owner {
			return wordOf(b.shared, address)
		}
	}
	return 0, false
}

// wordOf is what stands at an offset, as far as that is in memory.
func wordOf(data []byte, at uint64) (uint32, bool) {
	if at >= uint64(len(data)) {
		return 0, false
	}
	var word [4]byte
	copy(word[:], data[at:])
	return binary.LittleEndian.Uint32(word[:]), true
}
