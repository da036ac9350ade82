package cudart

import (
	"testing"

	"github.com/warplint/warplint/dynamic/sim"
)

func newTestSession(t *testing.T) *Session {
	t.Helper()
	s, err := NewSession(Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	s.Attach(sim.NewDevice(sim.Config{MemoryLimit: 1 << 20}), func(Message) {})
	return s
}

func TestSharedMemoryAllocator(t *testing.T) {
	m, err := newSharedMemory()
	if err != nil {
		t.Fatal(err)
	}
	defer m.close()
	a, ok1 := m.allocate(1)
	b, ok2 := m.allocate(3 * pageSize)
	c, ok3 := m.allocate(pageSize)
	if !ok1 || !ok2 || !ok3 {
		t.Fatal("no room")
	}
	for _, x := range []uint64{a, b, c} {
		if x%pageSize != 0 || x < stagingSize {
			t.Errorf("offset %#x", x)
		}
	}
	if b < a+2*pageSize || c < b+4*pageSize {
		t.Errorf("no free page between %#x, %#x and %#x", a, b, c)
	}
	m.bytes[b] = 7
	if !m.release(b) || m.release(b) || m.release(a+1) {
		t.Error("release takes what is allocated, once")
	}
	again, ok := m.allocate(2 * pageSize)
	if !ok || again != b {
		t.Errorf("got %#x, want the gap at %#x", again, b)
	}
	if m.bytes[again] != 0 {
		t.Error("new memory holds old bytes")
	}
	if _, ok := m.allocate(sharedSize); ok {
		t.Error("more than there is")
	}
}

func TestMemset(t *testing.T) {
	s := newTestSession(t)
	a := s.malloc(12, nil)
	for _, c := range []struct {
		value, element, count uint64
		want                  string
	}{
		{0x41, 1, 12, "AAAAAAAAAAAA"}, {0x4241, 2, 3, "ABABABAAAAAA"}, {0x44434241, 4, 3, "ABCDABCDABCD"}, {0x5a, 1, 0, "ABCDABCDABCD"},
	} {
		if r := s.memset(a.values[0], c.value, c.element, c.count); r.status != success {
			t.Errorf("%+v: status %d", c, r.status)
		}
		bytes, err := s.device.Bytes(a.values[0], 12)
		if err != nil || string(bytes) != c.want {
			t.Errorf("%+v: %q, %v", c, bytes, err)
		}
	}
	if r := s.memset(a.values[0], 1, 4, 4); r.status != invalidValue {
		t.Errorf("a fill beyond the end has status %d", r.status)
	}
}

func TestMemoryLimit(t *testing.T) {
	s := newTestSession(t)
	if r := s.malloc(1<<21, nil); r.status != memoryAllocation {
		t.Errorf("status %d", r.status)
	}
	if r := s.free(12345); r.status != invalidValue {
		t.Errorf("status %d", r.status)
	}
}
