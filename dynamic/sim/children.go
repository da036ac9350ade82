// This file lets kernels launch kernels (CUDA C++ Programming Guide, "CUDA Dynamic Parallelism"), by functions that
// toolchain/include/warplint/device_runtime.h declares. A grid's children run once its own blocks have ended, in the
// order of their launches, those of the tail stream last: an order that CUDA allows, since a grid can't wait for its children.
//
//	.func (.b32) __warplint_launch(.b64 kernel, .b64 configuration)
//	.func (.b32) __warplint_last_error(.b32 reset)
//	.func (.b64) __warplint_new_stream()	or event
//	.func __warplint_event(.b64 event, .b64 stream, .b32 wait)	records it, or makes the stream wait for it
//	.func (.b32) __warplint_wait_for_children()

package sim

import (
	"context"
	"encoding/binary"
	"slices"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/event"
)

// child is a grid that a kernel has launched and that has not begun.
type child struct {
	kernel *Kernel
	config Launch
	origin *event.Origin
}

// What a launch of a kernel can return, as the runtime numbers it.
const (
	errorInvalidConfiguration  = 9
	errorInvalidDeviceFunction = 98
)

// configurationSize is the size of the structure that describes a launch.
const configurationSize = 48

// maxChildren bounds those that wait, as a device's buffer of pending launches does.
const maxChildren = 1 << 20

// builtinLaunch makes each lane launch a grid.
func builtinLaunch(w *warp, call *callSite, m uint32) {
	w.need(call, m, "__warplint_launch", 2)
	forLanes(m, func(lane int) {
		status := w.spawn(lane, w.argument(call, 0, lane), w.argument(call, 1, lane))
		if l := w.block.launch; status != 0 {
			if l.failed == nil {
				l.failed = map[uint64]int{}
			}
			l.failed[w.threadKey(lane)] = status
		}
		w.result(call, lane, uint64(status))
	})
}

func (w *warp) threadKey(lane int) uint64 { return uint64(w.block.index)<<10 | uint64(w.index*32+lane) }

// spawn keeps a grid to run later, and returns the error that the launch makes, 0 for none.
func (w *warp) spawn(lane int, address, configuration uint64) int {
	l := w.block.launch
	k, err := l.program.module.kernelAt(address)
	if err != nil {
		w.fault(Invalid, lane, "launch of a kernel: %v", err)
	}
	c, ok := w.peek(configuration, configurationSize, lane)
	if !ok {
		w.fault(Invalid, lane, "launch of %s without a configuration", k.Name)
	}
	dim := func(at int) (d race.Dim3) {
		for i := range d {
			d[i] = int(binary.LittleEndian.Uint32(c[at+4*i:]))
		}
		return d
	}
	config := Launch{
		Grid: dim(0), Block: dim(12), Shared: int(min(binary.LittleEndian.Uint64(c[24:]), 1<<31)), Stream: binary.LittleEndian.Uint64(c[32:]),
		Seed: l.config.Seed, Args: make([]byte, k.Attributes.ParameterSize),
	}
	if config.Grid.Count() == 0 || config.Block.Count() == 0 {
		return errorInvalidConfiguration
	}
	if err := l.device.check(k, &Launch{Grid: config.Grid, Block: config.Block, Cluster: race.Dim3{1, 1, 1}, Shared: config.Shared, Args: config.Args}); err != nil {
		return errorInvalidConfiguration
	}
	list := binary.LittleEndian.Uint64(c[40:])
	for i, p := range k.Parameters {
		pointer, ok := w.peek(list+8*uint64(i), 8, lane)
		if !ok {
			return errorInvalidDeviceFunction
		}
		value, ok := w.peek(binary.LittleEndian.Uint64(pointer), p.Size, lane)
		if !ok {
			return errorInvalidDeviceFunction
		}
		copy(config.Args[p.Offset:], value)
	}
	if l.kin.waiting >= maxChildren {
		w.fault(Limit, lane, "more than %d launches by kernels wait", maxChildren)
	}
	origin := &event.Origin{Parent: l.event, Stream: config.Stream}
	if stream := w.stream(config.Stream); stream != noOrder {
		origin.After = l.streams[stream]
		l.follow(stream, []*event.Origin{origin})
	}
	l.children = append(l.children, child{k, config, origin})
	l.kin.waiting++
	if t := w.core.listener; t != nil {
		t.Spawn(&event.Spawn{Step: w.step(1 << lane), Origin: origin})
	}
	return 0
}

// builtinLastError returns what the thread's last failing launch made, and forgets it if asked to.
func builtinLastError(w *warp, call *callSite, m uint32) {
	w.need(call, m, "__warplint_last_error", 1)
	forLanes(m, func(lane int) {
		key := w.threadKey(lane)
		w.result(call, lane, uint64(w.block.launch.failed[key]))
		if w.argument(call, 0, lane) != 0 {
			delete(w.block.launch.failed, key)
		}
	})
}

// stream tells the streams of a grid apart, and its events: that without a number is a block's. Grids of the tail stream
// follow all others, and those of another one none.
type stream struct {
	block  int
	number uint64
}

var noOrder = stream{block: -1}

func (w *warp) stream(number uint64) stream {
	switch number {
	case 0:
		return stream{block: w.block.index}
	case 3, 4:
		return noOrder
	}
	return stream{number: number}
}

// follow says what grids the next one in a stream follows, or what waits for an event.
func (l *launch) follow(s stream, grids []*event.Origin) {
	if l.streams == nil {
		l.streams = map[stream][]*event.Origin{}
	}
	l.streams[s] = grids
}

func builtinEvent(w *warp, call *callSite, m uint32) {
	w.need(call, m, "__warplint_event", 3)
	l := w.block.launch
	forLanes(m, func(lane int) {
		e, s := stream{number: w.argument(call, 0, lane)}, w.stream(w.argument(call, 1, lane))
		if w.argument(call, 2, lane) == 0 {
			l.follow(e, l.streams[s])
		} else if s != noOrder {
			l.follow(s, slices.Concat(l.streams[s], l.streams[e]))
		}
	})
}

// builtinNewStream gives each lane a number that no other stream or event has. The first ones have meanings.
func builtinNewStream(w *warp, call *callSite, m uint32) {
	forLanes(m, func(lane int) {
		kin := w.block.launch.kin
		kin.streams++
		w.result(call, lane, 0x1000+kin.streams)
	})
}

func builtinWaitForChildren(w *warp, call *callSite, m uint32) {
	w.fault(Invalid, laneOf(m), "cudaDeviceSynchronize in a kernel: CUDA 12 has it no more, and it is not simulated; "+
		"launch what needs the results into cudaStreamTailLaunch")
}

// kernelAt finds the kernel that an address stands for.
func (m *Module) kernelAt(address uint64) (*Kernel, error) {
	name := ""
	if number := (address - codeWindow) / 16; address >= codeWindow && number < uint64(len(m.source.Functions)) {
		name = m.source.Functions[number].Name
	}
	return m.Kernel(name)
}

// kin is what the grids of a family share: one that the host has launched, and all that come of it.
type kin struct {
	waiting      int    // children that have not begun
	streams      uint64 // that kernels have made
	instructions uint64 // of the grids that have ended
	limit        uint64 // of instructions, 0 for none
	report       func(Launched)
}

// Launched is a grid that has ended, launched by the host or by a kernel.
type Launched struct {
	Kernel *Kernel
	Stats  Stats
	Err    error
}

// family runs a grid, its children and theirs.
func (d *Device) family(ctx context.Context, l *launch) error {
	err := d.grid(ctx, l)
	l.kin.instructions += l.progress().Instructions
	if l.kin.report != nil {
		l.kin.report(Launched{l.kernel, *l.stats(), err})
	}
	for _, tail := range []bool{false, true} {
		for i := range l.children {
			if c := &l.children[i]; err == nil && c.origin.Tail() == tail {
				l.kin.waiting--
				err = d.child(ctx, l, c)
			}
		}
	}
	return err
}

// child runs one of a grid's children with its family.
func (d *Device) child(ctx context.Context, l *launch, c *child) error {
	c.config.Progress = l.config.Progress
	if limit := l.kin.limit; limit > 0 {
		c.config.MaxInstructions = max(limit-min(limit, l.kin.instructions), 1)
	}
	next, err := d.prepare(c.kernel, c.config)
	if err != nil {
		return err
	}
	next.event.Origin, next.kin = c.origin, l.kin
	return d.family(ctx, next)
}
