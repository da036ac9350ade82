package streams

import (
	"math/bits"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/event"
)

// Detector collects the races between the operations of a program. It is an event.Host from the start of the program, and an
// event.Listener from when there may be a second stream.
type Detector struct {
	event.Nothing
	// Allocation finds the allocation of an address; it may be nil.
	Allocation func(address uint64) (*event.Allocation, bool)
	// Unwatched counts how often too much was touched while the host waited for nothing; races with that may be missing.
	Unwatched int

	order
	shadow   shadow
	now      *operation // whose accesses are told; nil for none
	launches []*event.Launch
	access   *event.Access // the present one; nil for a copy
	off      bool          // until the host has waited for all there is
	races    map[key]*Race
	list     []*Race
}

// New returns a detector for one device.
func New() *Detector { return &Detector{order: newOrder(), races: map[key]*Race{}} }

// maxLayers bounds the memory that the shadow takes, to about two gigabytes.
const maxLayers = 1 << 25

// Stream implements event.Host.
func (d *Detector) Stream(number uint64, nonBlocking bool, from string) {
	d.made++
	d.streams[number] = &stream{Stream: Stream{Number: d.made, NonBlocking: nonBlocking, From: from}, lane: -1}
}

// Begin implements event.Host.
func (d *Detector) Begin(o event.Operation, after []int) int { return d.begin(o, after).id }

// Follow implements event.Host.
func (d *Detector) Follow(stream uint64, operation int) {
	if x := d.operation(operation); x != nil {
		s := d.stream(stream)
		s.clock = s.clock.join(x.clock)
	}
}

// Record implements event.Host.
func (d *Detector) Record(event uint64, operation int) {
	if x := d.operation(operation); x != nil {
		d.events[event] = x.clock
	}
}

// StreamWaits implements event.Host.
func (d *Detector) StreamWaits(stream, event uint64) {
	s := d.stream(stream)
	s.clock = s.clock.join(d.events[event])
}

// OperationWaits implements event.Host.
func (d *Detector) OperationWaits(operation int, event uint64) {
	if x := d.operation(operation); x != nil {
		d.learn(x, d.events[event])
	}
}

// HostWaits implements event.Host.
func (d *Detector) HostWaits(what event.Awaited, number uint64) {
	if d.wait(what, number) {
		d.shadow, d.off = shadow{}, false
		clear(d.launches) // races have what they need of them
	}
}

// Doing implements event.Host.
func (d *Detector) Doing(operation int) { d.now = d.operation(operation) }

// Touch implements event.Host.
func (d *Detector) Touch(kind event.Kind, address, size uint64) {
	if d.now == nil || d.full() {
		return
	}
	l := layer{operation: int32(d.now.id), class: weakWrite, access: kind}
	if kind == event.Read {
		l.class = weakRead
	}
	if d.now.What != event.FreeWork {
		d.touch(address, address+size, l)
		return
	}
	for at, end := address, address+size; at < end; { // nothing is kept of it, so what nobody has touched does not matter
		next := min(end, at&^(pageSize-1)+pageSize)
		if d.shadow.pages[at>>pageBits] != nil {
			d.touch(at, next, l)
		}
		at = next
	}
}

// full reports whether no more is kept.
func (d *Detector) full() bool {
	if !d.off && d.shadow.layers > maxLayers {
		d.shadow, d.off = shadow{}, true
		d.Unwatched++
	}
	return d.off
}

// Free implements event.Listener. What had been there may be given out again.
func (d *Detector) Free(a *event.Allocation) { d.shadow.forget(a.Base, a.Base+a.Size) }

// LaunchBegin implements event.Listener. The grids that kernels launch are part of the operation that they come of.
func (d *Detector) LaunchBegin(l *event.Launch) { d.launches = append(d.launches, l) }

// LaunchEnd implements event.Listener.
func (d *Detector) LaunchEnd(l *event.Launch) {
	if d.now != nil && d.now.told && !l.More {
		d.HostWaits(event.AwaitOperation, uint64(d.now.id))
	}
}

// Fence implements event.Listener.
func (d *Detector) Fence(f *event.Fence) {
	if d.now != nil && f.Order != event.Acquire {
		d.now.released = d.now.released || f.Scope >= race.ScopeDevice
		d.now.told = d.now.told || f.Scope == race.ScopeSystem
	}
}

// Access implements event.Listener.
func (d *Detector) Access(a *event.Access) {
	if a.Space != event.Global || d.now == nil || d.full() {
		return
	}
	l := d.layer(&a.Step)
	l.class, l.access = classOf(a), a.Kind
	if l.class == strongWrite {
		d.now.released = d.now.released || a.Order >= event.Release
		d.now.told = d.now.told || a.Scope == race.ScopeSystem && d.hosts(a.Addr[bits.TrailingZeros32(a.Mask)])
	}
	d.access = a
	mask := a.Mask
	if a.Uniform {
		mask &= -mask
	}
	if l.size = uint16(a.Size); a.Together && a.Size < rowSize {
		d.touch(a.Addr[0], a.Addr[0]+event.WarpSize*uint64(a.Size), l)
	} else {
		d.threads(&l, mask, &a.Addr, func(int) uint64 { return uint64(a.Size) })
	}
	d.access = nil
}

func (d *Detector) allocation(address uint64) (*event.Allocation, bool) {
	if d.Allocation == nil {
		return nil, false
	}
	return d.Allocation(address)
}

// hosts reports whether the host may look at memory. Some variables are managed.
func (d *Detector) hosts(address uint64) bool {
	a, ok := d.allocation(address)
	return ok && (a.Kind == event.HostMemory || a.Kind == event.ModuleMemory)
}

// Copy implements event.Listener.
func (d *Detector) Copy(c *event.Copy) {
	if d.now == nil || d.full() {
		return
	}
	l := d.layer(&c.Step)
	if c.From == event.Global {
		l.class, l.access = weakRead, event.Read
		d.threads(&l, c.Mask, &c.Source, func(lane int) uint64 { return uint64(c.SourceSize[lane]) })
	}
	if c.To == event.Global {
		l.class, l.access = weakWrite, event.Write
		if c.Update > 0 {
			l.class, l.access = strongWrite, event.Atomic
		}
		d.threads(&l, c.Mask, &c.Target, func(lane int) uint64 { return uint64(c.TargetSize[lane]) })
	}
}

func (d *Detector) layer(s *event.Step) layer {
	return layer{operation: int32(d.now.id), launch: int32(len(d.launches)), pc: s.PC, block: int32(s.Block), lane: uint16(s.Warp * event.WarpSize)}
}

// threads takes in what some lanes touch; those whose bytes lie behind each other's go together.
func (d *Detector) threads(l *layer, mask uint32, address *[event.WarpSize]uint64, size func(lane int) uint64) {
	first := l.lane
	for rest := mask; rest != 0; {
		lane := bits.TrailingZeros32(rest)
		bytes := size(lane)
		at, end := address[lane], address[lane]+bytes
		l.lane, l.size = first+uint16(lane), uint16(bytes)
		if bytes >= rowSize { // of one thread, however many rows
			l.size = 0
		}
		for {
			rest &^= 1 << lane
			if lane++; bytes >= rowSize || lane == event.WarpSize || rest>>lane&1 == 0 || address[lane] != end || size(lane) != bytes {
				break
			}
			end += bytes
		}
		if end > at {
			d.touch(at, end, *l)
		}
	}
}
