// This file defines the global memory of a device: allocations in one generic 64-bit address
// space, with known bounds, so that a stray address is found and can be explained.

package sim

import (
	"fmt"
	"sort"
	"sync"

	"github.com/warplint/warplint/dynamic/event"
)

// The address space. Device memory lies above every address that a host process can have, so
// host memory can be mapped at its own address; everything fits in 48 bits. The windows are
// where generic addresses of the other spaces lie.
const (
	sharedWindow = 0x8100_0000_0000 // + a 32-bit shared address
	localWindow  = 0x8200_0000_0000 // + a 32-bit local address
	paramWindow  = 0x8300_0000_0000 // + an offset in the kernel's parameters
	codeWindow   = 0x8400_0000_0000 // + a function's number: what a function pointer holds
	deviceBase   = 0x9000_0000_0000
	endOfMemory  = 1 << 48

	allocationAlign = 512
	// redZone is the least gap between two allocations.
	redZone = 512
)

// segment is an allocation with its bytes; freed ones stay, without bytes, to name what a
// stale pointer once pointed to. Addresses are not used twice.
type segment struct {
	base, size uint64
	data       []byte
	alloc      *event.Allocation
	reach      uint64 // so many bytes on each side are blank
}

func (s *segment) holds(addr, n uint64) bool {
	return addr-s.base < s.size && s.size-(addr-s.base) >= n
}

// memory is the set of segments, sorted by base.
type memory struct {
	mu       sync.RWMutex
	segments []*segment
	next     uint64
	used     uint64
	limit    uint64
	lastID   int
}

// maxFreed bounds how many freed segments are remembered.
const maxFreed = 1 << 16

func newMemory(limit uint64) *memory {
	return &memory{next: deviceBase, limit: limit}
}

// find returns the segment whose range holds the address, or nil.
func (m *memory) find(addr uint64) *segment {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if i := m.before(addr); i >= 0 && addr-m.segments[i].base < m.segments[i].size {
		return m.segments[i]
	}
	return nil
}

// before returns the index of the last segment that begins at or below the address, or -1.
func (m *memory) before(addr uint64) int {
	return sort.Search(len(m.segments), func(i int) bool { return m.segments[i].base > addr }) - 1
}

// nearest returns the segment closest to an address that lies in none, for messages.
func (m *memory) nearest(addr uint64) *segment {
	m.mu.RLock()
	defer m.mu.RUnlock()
	i := m.before(addr)
	var best *segment
	if i >= 0 {
		best = m.segments[i]
	}
	if i+1 < len(m.segments) {
		if s := m.segments[i+1]; best == nil || s.base-addr < addr-(best.base+best.size) {
			best = s
		}
	}
	return best
}

// allocate makes a zero-filled segment in device memory.
func (m *memory) allocate(size uint64, kind event.AllocationKind, name string) (*segment, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if size > m.limit || m.used > m.limit-size {
		return nil, fmt.Errorf("out of device memory: %d bytes asked for, %d of %d in use", size, m.used, m.limit)
	}
	base := m.next
	m.next = (base + size + redZone + allocationAlign - 1) &^ (allocationAlign - 1)
	m.used += size
	return m.insert(base, make([]byte, size), kind, name), nil
}

// allocateApart makes segments of one size, with so many blank bytes around each.
func (m *memory) allocateApart(n int, size, reach uint64, name string) ([]*segment, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	all, stride := uint64(n)*size, strideOf(size, reach)
	switch {
	case all > m.limit || m.used > m.limit-all:
		return nil, fmt.Errorf("out of device memory: %d bytes asked for, %d of %d in use", all, m.used, m.limit)
	case stride > (endOfMemory-m.next)/uint64(n):
		return nil, fmt.Errorf("out of addresses: %d allocations, %d bytes apart", n, stride)
	}
	data := make([]byte, all)
	out := make([]*segment, n)
	for i := range out {
		s := m.insert(m.next+reach, data[:size:size], event.DeviceMemory, name)
		s.reach, out[i] = reach, s
		data = data[size:]
		m.next += stride
	}
	m.used += all
	return out, nil
}

// strideOf is how far apart segments of so many bytes are, with so many around each.
func strideOf(size, reach uint64) uint64 {
	return (size + 2*reach + redZone + allocationAlign - 1) &^ (allocationAlign - 1)
}

// isBlank reports whether nothing lies at an address, but an allocation reaches there.
func (m *memory) isBlank(addr uint64) bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	i := m.before(addr)
	if i >= 0 && addr-m.segments[i].base < m.segments[i].size+m.segments[i].reach {
		return addr-m.segments[i].base >= m.segments[i].size
	}
	return i+1 < len(m.segments) && m.segments[i+1].base-addr <= m.segments[i+1].reach
}

// mapHost makes host memory visible at its own address.
func (m *memory) mapHost(base uint64, data []byte, name string) (*segment, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	end := base + uint64(len(data))
	if end < base || end > sharedWindow {
		return nil, fmt.Errorf("host memory at %#x lies in the device's address range", base)
	}
	for i := range m.segments {
		if s := m.segments[i]; s.data != nil && s.base < end && base < s.base+s.size {
			return nil, fmt.Errorf("host memory at %#x is mapped already", base)
		}
	}
	m.forgetRange(base, end)
	return m.insert(base, data, event.HostMemory, name), nil
}

func (m *memory) insert(base uint64, data []byte, kind event.AllocationKind, name string) *segment {
	m.lastID++
	s := &segment{base: base, size: uint64(len(data)), data: data, alloc: &event.Allocation{
		ID: m.lastID, Base: base, Size: uint64(len(data)), Kind: kind, Name: name,
	}}
	i := m.before(base) + 1
	m.segments = append(m.segments, nil)
	copy(m.segments[i+1:], m.segments[i:])
	m.segments[i] = s
	return s
}

// release frees the segment that begins at the address.
func (m *memory) release(base uint64) (*segment, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := m.before(base)
	if i < 0 || m.segments[i].base != base {
		return nil, fmt.Errorf("%#x is not the beginning of an allocation", base)
	}
	s := m.segments[i]
	if s.data == nil {
		return nil, fmt.Errorf("%#x was freed before", base)
	}
	if s.alloc.Kind != event.HostMemory {
		m.used -= s.size
	}
	s.data, s.alloc.Freed = nil, true
	m.forgetOldest()
	return s, nil
}

// forgetRange drops freed segments that overlap a range about to be used again.
func (m *memory) forgetRange(base, end uint64) {
	kept := m.segments[:0]
	for _, s := range m.segments {
		if s.data != nil || s.base >= end || s.base+s.size <= base {
			kept = append(kept, s)
		}
	}
	m.segments = kept
}

// forgetOldest keeps the number of remembered freed segments bounded.
func (m *memory) forgetOldest() {
	freed := 0
	for _, s := range m.segments {
		if s.data == nil {
			freed++
		}
	}
	if freed <= maxFreed {
		return
	}
	drop := freed - maxFreed/2
	kept := m.segments[:0]
	for _, s := range m.segments {
		if s.data == nil && drop > 0 {
			drop--
			continue
		}
		kept = append(kept, s)
	}
	m.segments = kept
}
