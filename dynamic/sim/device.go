// Package sim executes PTX: grids, clusters, blocks and warps of 32 threads that each have a
// program counter of their own, with the memory spaces, barriers, atomics and scopes of
// today's GPUs. It tells what happens to an event.Listener and knows no detector.
//
// A Device holds memory and loaded modules; Launch runs one kernel to its end. For one seed
// the execution, and so the stream of events, is always the same.
//
// # How it works
//
// Loading a kernel translates it, with all functions that it can reach, into a program: one
// instr for nearly each PTX instruction, with a Go function that executes it for the lanes of a
// mask (translate.go, decode*.go). Virtual registers share places (registers.go). The arithmetic
// functions are generated from ops.txt. Registers are arrays of 32 lanes, so an instruction is a
// loop without branches.
//
// A warp is a set of groups: lanes that stand at the same place with the same calls behind them
// (warp.go). A branch splits a group, meeting again joins them. The scheduler gives warps turns of
// some hundred instructions, in an order that the seed draws; few blocks are on the device at
// first, and more come when these get stuck or take long (scheduler.go, residency.go).
//
// # What it leaves out
//
// wgmma and tcgen05, mipmapped textures, and tensor copies but those of tiles are refused by name, when
// a kernel that holds them is asked for. What is executed gives the bits that an H100 gives, as far
// as conformance_test.go compares them, but for approximate functions, which are closer to the true
// result than the hardware's. Asynchronous copies move their data at once. Memory is sequentially
// consistent: what relaxed hardware could reorder is for a detector to find in the events.
package sim

import (
	"fmt"
	"io"
	"sync"

	"github.com/warplint/warplint/dynamic/event"
)

// Config says what a device is like. The zero value is a useful one.
type Config struct {
	MemoryLimit uint64         // bytes of device memory; 0 means 16 GiB
	HeapLimit   uint64         // bytes that malloc in kernels may use; 0 means 64 MiB
	Output      io.Writer      // what kernels print; nil discards it
	Listener    event.Listener // nil costs nothing
	// ResidentThreads is how many threads are on the device at the same time, at least one
	// block; 0 means 2048 on each of 132 multiprocessors. It is what cooperative launches and
	// blocks that wait for one another can count on.
	ResidentThreads int
	// Shown, if set, gives the place that messages to people name for one of a launch's instructions.
	Shown func(*event.Launch, event.Location) event.Place
}

// Device is one simulated GPU. Its methods may be called from several goroutines, but only
// one launch runs at a time.
type Device struct {
	config   Config
	memory   *memory
	launches int
	heapUsed uint64     // bytes that kernels allocated
	running  sync.Mutex // held by a launch
	// workspace is where barriers of a grid count, if a kernel asked for it; otherwise 0.
	workspace uint64
}

// NewDevice makes a device with empty memory.
func NewDevice(c Config) *Device {
	if c.MemoryLimit == 0 {
		c.MemoryLimit = 16 << 30
	}
	if c.HeapLimit == 0 {
		c.HeapLimit = 64 << 20
	}
	if c.ResidentThreads == 0 {
		c.ResidentThreads = 132 * 2048
	}
	if c.Output == nil {
		c.Output = io.Discard
	}
	c.Output = &lockedWriter{to: c.Output}
	return &Device{config: c, memory: newMemory(c.MemoryLimit)}
}

// lockedWriter keeps the lines of several cores apart.
type lockedWriter struct {
	mu sync.Mutex
	to io.Writer
}

func (w *lockedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.to.Write(p)
}

// Malloc allocates zero-filled device memory and returns its generic address, a multiple of
// 512. The name is for messages and may be empty. It fails when the memory limit is reached.
func (d *Device) Malloc(size uint64, name string) (uint64, error) {
	s, err := d.memory.allocate(size, event.DeviceMemory, name)
	if err != nil {
		return 0, err
	}
	d.allocated(s)
	return s.base, nil
}

// MallocApart makes allocations of one size, in bytes, for pointers of which nothing is known but that they lead
// somewhere. So many bytes on each side of each are blank: they read as zeros, and what is written there is lost. It returns
// where the first allocation begins, and how far apart they are.
func (d *Device) MallocApart(n int, size, reach uint64, name string) (first, stride uint64, err error) {
	made, err := d.memory.allocateApart(n, size, reach, name)
	if err != nil {
		return 0, 0, err
	}
	for _, s := range made {
		d.allocated(s)
	}
	return made[0].base, strideOf(size, reach), nil
}

// Map makes host memory (managed, pinned, registered) visible to kernels at its own address,
// base. The bytes are used in place, not copied.
func (d *Device) Map(base uint64, bytes []byte, name string) error {
	s, err := d.memory.mapHost(base, bytes, name)
	if err != nil {
		return err
	}
	d.allocated(s)
	return nil
}

func (d *Device) allocated(s *segment) {
	if d.config.Listener != nil {
		d.config.Listener.Allocate(s.alloc)
	}
}

// Free ends an allocation of Malloc or Map. It fails if the address is not the beginning of
// an allocation, or was freed before. A kernel that still uses it stops with UseAfterFree.
func (d *Device) Free(base uint64) error {
	s, err := d.memory.release(base)
	if err == nil && d.config.Listener != nil {
		d.config.Listener.Free(s.alloc)
	}
	return err
}

// Bytes returns n bytes of global memory at an address, in place: to copy from, to copy to and
// to fill. It fails unless they all lie in one live allocation.
func (d *Device) Bytes(addr, n uint64) ([]byte, error) {
	s := d.memory.find(addr)
	switch {
	case s == nil && n == 0:
		return nil, nil
	case s == nil:
		return nil, fmt.Errorf("%#x lies in no allocation", addr)
	case s.data == nil:
		return nil, fmt.Errorf("%#x lies in memory that was freed", addr)
	case !s.holds(addr, n):
		return nil, fmt.Errorf("%d bytes at %#x go beyond the allocation's %d bytes at %#x", n, addr, s.size, s.base)
	}
	return s.data[addr-s.base:][:n:n], nil
}

// Allocation returns the allocation that an address lies in, freed ones included.
func (d *Device) Allocation(addr uint64) (*event.Allocation, bool) {
	if s := d.memory.find(addr); s != nil {
		return s.alloc, true
	}
	return nil, false
}

// MemoryInfo returns the free and the total bytes of device memory.
func (d *Device) MemoryInfo() (free, total uint64) {
	d.memory.mu.RLock()
	defer d.memory.mu.RUnlock()
	return d.memory.limit - d.memory.used, d.memory.limit
}

// SetListener sets who hears of events from now on; nil for nobody.
func (d *Device) SetListener(l event.Listener) { d.config.Listener = l }
