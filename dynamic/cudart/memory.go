// This file serves requests about memory.

package cudart

import (
	"os"
	"sort"

	"github.com/warplint/warplint/dynamic/event"
)

const (
	// sharedSize is the address space for memory that both processes see, in bytes. Pages that
	// nobody touches cost nothing.
	sharedSize = 16 << 30
	// stagingSize is the part of it that copies pass through.
	stagingSize = 4 << 20
	pageSize    = 4096
)

// sharedMemory is a memory file mapped by us and by the program, with a first-fit allocator.
type sharedMemory struct {
	file  *os.File
	bytes []byte
	used  []extent // sorted by offset
}

type extent struct{ offset, size uint64 }

// allocate returns the offset of whole pages, filled with zeros. Between two allocations a page
// stays free, so that an overrun does not hit the neighbour.
func (m *sharedMemory) allocate(size uint64) (offset uint64, ok bool) {
	if size > sharedSize {
		return 0, false
	}
	size = (size + pageSize - 1) &^ (pageSize - 1)
	at := 0
	for ; at < len(m.used); at++ {
		end := uint64(sharedSize)
		if at+1 < len(m.used) {
			end = m.used[at+1].offset
		}
		offset = m.used[at].offset + m.used[at].size + pageSize
		if offset+size+pageSize <= end {
			m.used = append(m.used, extent{})
			copy(m.used[at+2:], m.used[at+1:])
			m.used[at+1] = extent{offset, size}
			return offset, true
		}
	}
	return 0, false
}

// release gives the pages of an allocation back to the system and returns its size.
func (m *sharedMemory) release(offset uint64) (ok bool) {
	i := sort.Search(len(m.used), func(i int) bool { return m.used[i].offset >= offset })
	if i == 0 || i == len(m.used) || m.used[i].offset != offset {
		return false
	}
	e := m.used[i]
	m.used = append(m.used[:i], m.used[i+1:]...)
	return m.discard(e)
}

func (s *Session) malloc(size uint64, callers []byte) answer {
	address, err := s.device.Malloc(size, calledFrom(callers))
	if err != nil {
		s.told("cudaMalloc: %v", err)
		return failure(memoryAllocation)
	}
	return values(address)
}

func (s *Session) free(address uint64) answer {
	if a, ok := s.device.Allocation(address); ok {
		s.touch(event.Write, a.Base, a.Size)
	}
	if err := s.device.Free(address); err != nil {
		s.told("cudaFree: %v", err)
		return failure(invalidValue)
	}
	return answer{}
}

func (s *Session) hostAlloc(size uint64, callers []byte) answer {
	offset, ok := s.shared.allocate(size)
	if !ok {
		s.told("no room for %d bytes of host memory that the device sees", size)
		return failure(memoryAllocation)
	}
	if a := s.hostMap(s.base+offset, size, offset, callers); a.status != success {
		s.shared.release(offset)
		return a
	}
	return values(offset)
}

func (s *Session) hostFree(offset uint64) answer { return s.hostUnmap(s.base + offset) }

// hostMap shows a part of the shared memory to kernels at an address of the program, and no
// more at the place where the program has all of it.
func (s *Session) hostMap(address, size, offset uint64, callers []byte) answer {
	if offset > sharedSize || size > sharedSize-offset {
		return failure(invalidValue)
	}
	if usual := s.base + offset; address != usual {
		if err := s.device.Free(usual); err != nil {
			return failure(invalidValue)
		}
		delete(s.hostMaps, usual)
	}
	if err := s.device.Map(address, s.shared.bytes[offset:][:size:size], calledFrom(callers)); err != nil {
		s.told("%v", err)
		return failure(invalidValue)
	}
	s.hostMaps[address] = offset
	return answer{}
}

func (s *Session) hostUnmap(address uint64) answer {
	offset, mapped := s.hostMaps[address]
	if !mapped {
		s.told("cudaFreeHost: %#x is not the beginning of an allocation", address)
		return failure(invalidValue)
	}
	delete(s.hostMaps, address)
	if err := s.device.Free(address); err != nil {
		return failure(invalidValue)
	}
	if !s.shared.release(offset) {
		return failure(invalidValue)
	}
	return answer{}
}

// bytes returns device memory for a copy or a fill, or notes why it can't.
func (s *Session) bytes(what string, address, count uint64) ([]byte, bool) {
	b, err := s.device.Bytes(address, count)
	if err != nil {
		s.told("%s: %v", what, err)
	}
	return b, err == nil
}

func (s *Session) stageToDevice(to, count uint64) answer {
	if count > stagingSize {
		return failure(invalidValue)
	}
	b, ok := s.bytes("cudaMemcpy to the device", to, count)
	if !ok {
		return failure(invalidValue)
	}
	s.touch(event.Write, to, count)
	copy(b, s.shared.bytes[:count])
	return answer{}
}

func (s *Session) deviceToStage(from, count uint64) answer {
	if count > stagingSize {
		return failure(invalidValue)
	}
	b, ok := s.bytes("cudaMemcpy from the device", from, count)
	if !ok {
		return failure(invalidValue)
	}
	s.touch(event.Read, from, count)
	copy(s.shared.bytes[:count], b)
	return answer{}
}

func (s *Session) deviceCopy(to, from, count uint64) answer {
	source, ok1 := s.bytes("cudaMemcpy on the device", from, count)
	target, ok2 := s.bytes("cudaMemcpy on the device", to, count)
	if !ok1 || !ok2 {
		return failure(invalidValue)
	}
	s.touch(event.Read, from, count)
	s.touch(event.Write, to, count)
	copy(target, source)
	return answer{}
}

func (s *Session) memset(address, value, element, count uint64) answer {
	if element == 0 || element > 4 || count > 1<<48 {
		return failure(invalidValue)
	}
	b, ok := s.bytes("cudaMemset", address, element*count)
	if !ok {
		return failure(invalidValue)
	}
	if len(b) == 0 {
		return answer{}
	}
	s.touch(event.Write, address, element*count)
	for i := range element {
		b[i] = byte(value >> (8 * i))
	}
	for done := int(element); done < len(b); done *= 2 {
		copy(b[done:], b[:done])
	}
	return answer{}
}

func (s *Session) findAllocation(address uint64) answer {
	a, ok := s.device.Allocation(address)
	if !ok || a.Freed {
		return values(0, 0, 0)
	}
	kind := uint64(1)
	if _, host := s.hostMaps[a.Base]; host {
		kind = 2
	}
	return values(a.Base, a.Size, kind)
}
