// This file checks the configuration of a launch and builds its state.

package sim

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/event"
)

// prepare checks a configuration and builds the state of a launch.
func (d *Device) prepare(k *Kernel, config Launch) (*launch, error) {
	normalize(&config.Grid)
	normalize(&config.Block)
	if config.Cluster == (race.Dim3{}) {
		config.Cluster = k.Attributes.RequiredCluster
	}
	normalize(&config.Cluster)
	err := d.check(k, &config)
	if err != nil {
		return nil, err
	}
	p := k.program
	shared := p.dynamicShared() + config.Shared
	l := &launch{
		device: d, kernel: k, program: p, config: config, output: d.config.Output, threads: config.Block.Count(),
		params: config.Args, started: time.Now(),
		event: &event.Launch{
			Kernel: k.Name, Program: p, Grid: config.Grid, Block: config.Block, Cluster: config.Cluster,
			SharedSize: shared, Shared: p.sharedVariables(config.Shared), Pointers: d.pointers(k, config.Args), Cooperative: config.Cooperative,
			From: config.From, Launches: p.launches,
		},
	}
	l.event.Memory = l
	if d.config.Listener != nil {
		l.bound(l.event)
		l.event.NarrowShared = p.narrow()
	}
	for i := range l.coreCount() {
		r := newRandom(config.Seed + uint64(i)<<32)
		l.cores = append(l.cores, &core{
			launch: l, listener: d.config.Listener, turn: turnOf(&r, config.Seed), random: r,
			cache: make([]*segment, p.memops), room: l.initialRoom(),
		})
	}
	l.grid = wideBarrier{
		kind: event.GridBarrier, wait: waitGrid, live: l.threads * config.Grid.Count(),
		blocks: func() []*block { return l.cores[0].resident },
	}
	l.threadCoordinates()
	if config.Cooperative && p.workspace {
		if l.workspace, err = d.gridWorkspace(); err != nil {
			return nil, fmt.Errorf("launch of %s: %w", k.Name, err)
		}
	}
	return l, nil
}

// pointers finds the parameters that point into allocations.
func (d *Device) pointers(k *Kernel, args []byte) (list []event.Pointer) {
	for i, p := range k.Parameters {
		if p.Size != 8 {
			continue
		}
		at := binary.LittleEndian.Uint64(args[p.Offset:])
		if s := d.memory.find(at); s != nil && s.data != nil && s.alloc.Kind != event.ModuleMemory {
			list = append(list, event.Pointer{Parameter: i, Address: at, Base: s.base, Size: s.size})
		}
	}
	return list
}

// gridWorkspace returns the address of the device's memory for barriers of a grid, filled with zeros.
func (d *Device) gridWorkspace() (uint64, error) {
	const size = 256
	if d.workspace == 0 {
		address, err := d.Malloc(size, "memory of the grid's barrier")
		if err != nil {
			return 0, err
		}
		d.workspace = address
	}
	bytes, err := d.Bytes(d.workspace, size)
	clear(bytes)
	return d.workspace, err
}

func normalize(d *race.Dim3) {
	for i := range d {
		if d[i] == 0 {
			d[i] = 1
		}
	}
}

// check says what is impossible about a configuration (CUDA Programming Guide, "Technical
// Specifications per Compute Capability").
func (d *Device) check(k *Kernel, c *Launch) error {
	limits := []struct {
		what       string
		value, max int
	}{
		{"grid x", c.Grid[0], 1<<31 - 1}, {"grid y", c.Grid[1], 65535}, {"grid z", c.Grid[2], 65535},
		{"block x", c.Block[0], 1024}, {"block y", c.Block[1], 1024}, {"block z", c.Block[2], 64},
	}
	for _, l := range limits {
		if l.value < 1 || l.value > l.max {
			return fmt.Errorf("%s is %d, must be from 1 to %d", l.what, l.value, l.max)
		}
	}
	threads := c.Block.Count()
	if most := k.Attributes.MaxThreads; threads > most {
		return fmt.Errorf("%d threads in a block, the kernel can have %d", threads, most)
	}
	if c.Cluster.Count() < 1 || c.Cluster.Count() > 16 {
		return fmt.Errorf("%d blocks in a cluster, must be from 1 to 16", c.Cluster.Count())
	}
	for i := range 3 {
		if c.Cluster[i] < 1 || c.Grid[i]%c.Cluster[i] != 0 {
			return fmt.Errorf("a grid of %v blocks can't be divided in clusters of %v", c.Grid, c.Cluster)
		}
	}
	if size := k.program.dynamicShared() + c.Shared; c.Shared < 0 || size > MaxShared {
		return fmt.Errorf("%d bytes of shared memory, a block can have %d", size, MaxShared)
	}
	if len(c.Args) < k.Attributes.ParameterSize {
		return fmt.Errorf("%d bytes of arguments, the kernel takes %d", len(c.Args), k.Attributes.ParameterSize)
	}
	for _, block := range c.Only {
		if block < 0 || block >= c.Grid.Count() || c.Cooperative || c.Cluster.Count() > 1 {
			return fmt.Errorf("block %d can't run without the others", block)
		}
	}
	if c.Cooperative && c.Grid.Count()*threads > d.config.ResidentThreads {
		return errors.New("too many blocks for a cooperative launch")
	}
	return nil
}

// MaxShared is the most shared memory that a block can have, in bytes.
const MaxShared = 227 << 10

func (l *launch) threadCoordinates() {
	warps := (l.threads + 31) / 32
	for axis := range l.tid {
		l.tid[axis] = make([][32]uint32, warps)
	}
	for t := range warps * 32 {
		b := l.config.Block
		l.tid[0][t/32][t%32] = uint32(t % b[0])
		l.tid[1][t/32][t%32] = uint32(t / b[0] % b[1])
		l.tid[2][t/32][t%32] = uint32(t / (b[0] * b[1]))
	}
}

// coreCount is how many processors run the launch: one, unless more are asked for and nothing
// needs the order that one gives.
func (l *launch) coreCount() int {
	if l.device.config.Listener != nil || l.config.Cooperative || l.program.allocates || l.program.launches {
		return 1
	}
	return max(min(l.config.Cores, l.config.Grid.Count()/l.config.Cluster.Count()), 1)
}

// localBudget is how many bytes of local memory the resident blocks of a core may have together,
// unless all blocks have to be there or one alone needs more.
const localBudget = 1 << 30

// maxResident is how many blocks each core holds.
func (l *launch) maxResident() int {
	n := max(l.device.config.ResidentThreads/l.threads/max(len(l.cores), 1), 1)
	if local := l.program.entry.local * l.threads; local > 0 && !l.config.Cooperative {
		n = max(min(n, localBudget/local), 1)
	}
	return max(n/l.config.Cluster.Count(), 1) * l.config.Cluster.Count()
}

// initialRoom is how many blocks run at first. Few share the processor's caches better; when
// they get stuck or take long, more join them.
func (l *launch) initialRoom() int {
	if l.config.Cooperative {
		return l.maxResident()
	}
	n := max(512/l.threads, 2)
	n = (n + l.config.Cluster.Count() - 1) / l.config.Cluster.Count() * l.config.Cluster.Count()
	return min(n, l.maxResident())
}
