// This file runs a launch: it brings blocks onto the device and gives their warps turns.

package sim

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"time"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/event"
)

// launch is the state of one running launch.
type launch struct {
	device  *Device
	kernel  *Kernel
	program *program
	config  Launch
	threads int // of a block
	params  []byte
	event   *event.Launch
	tid     [3][]([32]uint32) // coordinates of each warp's threads, the same in all blocks
	grid    wideBarrier
	started time.Time
	core    *core
}

// core is what executes warps, one at a time.
type core struct {
	launch       *launch
	listener     event.Listener
	random       random
	cache        []*segment // the memory that each instruction found last
	window       window
	access       event.Access
	old          [32]uint64 // values of atomics, for listeners
	new, compare [32]uint64
	instructions uint64
	laneOps      uint64
	accesses     uint64
	changes      uint64 // of memory, counted for livelock detection
	resident     []*block
	spare        []*block
	next         int // the first block that has not been on the device
	done         int
	window0      int // blocks that should be resident
	watch        watch
}

// random is a small generator (xorshift64*), so that a seed always gives the same schedule.
type random uint64

func (r *random) next() uint64 {
	x := uint64(*r)
	x ^= x >> 12
	x ^= x << 25
	x ^= x >> 27
	*r = random(x)
	return x * 0x2545f4914f6cdd1d >> 16
}

func newRandom(seed uint64) random {
	return random(seed*0x9e3779b97f4a7c15 ^ 0xd1b54a32d192ed03 | 1)
}

// Launch runs a kernel to its end. An error is a *Fault, unless the configuration itself is
// impossible. The statistics are there in either case. A context that is done ends the launch
// within 100 ms.
func (d *Device) Launch(ctx context.Context, k *Kernel, config Launch) (*Stats, error) {
	l, err := d.prepare(k, config)
	if err != nil {
		return &Stats{}, err
	}
	d.running.Lock()
	defer d.running.Unlock()
	d.launches++
	l.event.ID = d.launches
	if c := l.core; c.listener != nil {
		c.listener.LaunchBegin(l.event)
	}
	err = l.run(ctx)
	if c := l.core; c.listener != nil {
		l.event.Err = err
		c.listener.LaunchEnd(l.event)
	}
	return l.stats(), err
}

// prepare checks a configuration and builds the state of a launch.
func (d *Device) prepare(k *Kernel, config Launch) (*launch, error) {
	normalize(&config.Grid)
	normalize(&config.Block)
	if config.Cluster == (race.Dim3{}) {
		config.Cluster = k.Attributes.RequiredCluster
	}
	normalize(&config.Cluster)
	if err := d.check(k, &config); err != nil {
		return nil, fmt.Errorf("launch of %s: %w", k.Name, err)
	}
	p := k.program
	shared := p.dynamicShared() + config.Shared
	l := &launch{
		device: d, kernel: k, program: p, config: config, threads: config.Block.Count(),
		params: config.Args, started: time.Now(),
		event: &event.Launch{
			Kernel: k.Name, Program: p, Grid: config.Grid, Block: config.Block, Cluster: config.Cluster,
			SharedSize: shared, Shared: p.sharedVar, Cooperative: config.Cooperative,
			Stream: config.Stream, Seed: config.Seed,
		},
	}
	l.core = &core{
		launch: l, listener: d.config.Listener, random: newRandom(config.Seed),
		cache: make([]*segment, p.memops),
	}
	l.core.window0 = l.initialWindow()
	l.grid = wideBarrier{
		kind: event.GridBarrier, wait: waitGrid, live: l.threads * config.Grid.Count(),
		blocks: func() []*block { return l.core.resident },
	}
	l.threadCoordinates()
	return l, nil
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

// maxResident is how many blocks the device holds.
func (l *launch) maxResident() int {
	n := max(l.device.config.ResidentThreads/l.threads, 1)
	return max(n/l.config.Cluster.Count(), 1) * l.config.Cluster.Count()
}

// initialWindow is how many blocks run at first. Few share the processor's caches better; when
// they get stuck or take long, more join them.
func (l *launch) initialWindow() int {
	if l.config.Cooperative {
		return l.maxResident()
	}
	n := max(512/l.threads, 2)
	n = (n + l.config.Cluster.Count() - 1) / l.config.Cluster.Count() * l.config.Cluster.Count()
	return min(n, l.maxResident())
}

func (l *launch) stats() *Stats {
	c := l.core
	return &Stats{Progress: l.progress(), Accesses: c.accesses}
}

func (l *launch) progress() Progress {
	c := l.core
	return Progress{
		BlocksDone: c.done, Blocks: l.config.Grid.Count(),
		Instructions: c.instructions, LaneOps: c.laneOps, Elapsed: time.Since(l.started),
	}
}

// run executes all blocks. Faults come as panics from inside of instructions.
func (l *launch) run(ctx context.Context) (err error) {
	defer func() {
		if failure := recover(); failure != nil {
			fault, ok := failure.(*Fault)
			if !ok {
				panic(failure)
			}
			err = fault
		}
	}()
	c := l.core
	c.admit()
	for report := l.started; len(c.resident) > 0; {
		if now := time.Now(); now.Sub(report) > 50*time.Millisecond {
			report = now
			if l.config.Progress != nil {
				l.config.Progress(l.progress())
			}
		}
		c.round(ctx)
	}
	return nil
}

// Turns are between minTurn and minTurn+turnSpread warp instructions long.
const (
	minTurn    = 128
	turnSpread = 256
	// patienceRounds is how many rounds without a block ending bring more blocks onto the device.
	patienceRounds = 64
)

// round gives each resident block a turn.
func (c *core) round(ctx context.Context) {
	ran := false
	c.watch.rounds++
	for i := 0; i < len(c.resident); i++ {
		b := c.resident[i]
		if b.run(minTurn + int(c.random.next()%turnSpread)) {
			ran = true
		}
		c.checkLimits(ctx)
		if b.live == 0 {
			c.retire(i)
			i--
		}
	}
	switch {
	case len(c.resident) == 0:
		c.admit()
	case !ran && !c.widen():
		panic(c.deadlock())
	case c.watch.rounds > patienceRounds:
		c.widen()
		c.watch.rounds = 0
	}
	c.checkProgress()
}

// checkLimits ends the launch when the context is done or the instructions are used up.
func (c *core) checkLimits(ctx context.Context) {
	if limit := c.launch.config.MaxInstructions; limit > 0 && c.instructions > limit {
		panic(c.stopped(Limit, fmt.Sprintf("%d instructions executed", c.instructions), nil))
	}
	select {
	case <-ctx.Done():
		panic(c.stopped(Cancelled, context.Cause(ctx).Error(), context.Cause(ctx)))
	default:
	}
}

func (c *core) stopped(kind FaultKind, message string, cause error) *Fault {
	return &Fault{Kind: kind, Message: message, Kernel: c.launch.kernel.Name, cause: cause}
}

// retire takes a finished block off the device. Blocks of a cluster leave together, since the
// others may still use their shared memory.
func (c *core) retire(i int) {
	b := c.resident[i]
	if l := c.listener; l != nil {
		l.BlockEnd(c.launch.event, b.index)
	}
	c.done++
	c.watch.rounds = 0
	c.resident = append(c.resident[:i], c.resident[i+1:]...)
	if len(b.cluster.blocks) == 1 {
		c.spare = append(c.spare, b)
	}
	c.admit()
}

// widen brings more blocks onto the device, if it can.
func (c *core) widen() bool {
	if c.window0 >= c.launch.maxResident() || c.next >= c.launch.config.Grid.Count() {
		return false
	}
	c.window0 = min(2*c.window0, c.launch.maxResident())
	c.admit()
	return true
}

// admit brings clusters of blocks onto the device while there is room.
func (c *core) admit() {
	l := c.launch
	size := l.config.Cluster.Count()
	for c.next < l.config.Grid.Count() && (len(c.resident)+size <= c.window0 || len(c.resident) == 0) {
		group := &cluster{barrier: wideBarrier{
			kind: event.ClusterBarrier, wait: waitCluster, live: size * l.threads,
		}}
		group.barrier.blocks = func() []*block { return group.blocks }
		for rank := range size {
			group.blocks = append(group.blocks, c.newBlock(c.next/size, rank, group))
		}
		c.next += size
		c.resident = append(c.resident, group.blocks...)
	}
}

// newBlock makes a block of a cluster, of the arrays of a finished one if possible.
func (c *core) newBlock(clusterIndex, rank int, group *cluster) *block {
	l := c.launch
	var b *block
	if n := len(c.spare); n > 0 {
		b, c.spare = c.spare[n-1], c.spare[:n-1]
		clear(b.shared)
		b.bars, b.phases = [16]barrier{}, nil
	} else {
		b = &block{launch: l, core: c, shared: make([]byte, l.event.SharedSize)}
		for range (l.threads + 31) / 32 {
			b.warps = append(b.warps, new(warp))
		}
	}
	b.cluster, b.rank, b.live = group, rank, l.threads
	b.ctaid = l.coordinates(clusterIndex, rank)
	g := l.config.Grid
	b.index = int(b.ctaid[0]) + g[0]*(int(b.ctaid[1])+g[1]*int(b.ctaid[2]))
	for i, w := range b.warps {
		w.reset(b, i)
	}
	if c.listener != nil {
		c.listener.BlockBegin(l.event, b.index)
	}
	return b
}

// coordinates of a block, given its cluster and its rank in it.
func (l *launch) coordinates(clusterIndex, rank int) [3]uint32 {
	var at [3]uint32
	for i := range at {
		n := l.config.Grid[i] / l.config.Cluster[i]
		at[i] = uint32(clusterIndex%n*l.config.Cluster[i] + rank%l.config.Cluster[i])
		clusterIndex /= n
		rank /= l.config.Cluster[i]
	}
	return at
}

// fault stops the launch: something is wrong with what a lane does in the present instruction.
func (w *warp) fault(kind FaultKind, lane int, format string, args ...any) {
	panic(w.newFault(kind, lane, fmt.Sprintf(format, args...)))
}

func (w *warp) newFault(kind FaultKind, lane int, message string) *Fault {
	l := w.block.launch
	return &Fault{
		Kind: kind, Message: message, Kernel: l.kernel.Name,
		Thread:   l.event.Thread(w.block.index, w.index, lane),
		Location: l.program.Location(uint32(w.pc - 1)),
	}
}

// stray stops the launch for an address that an access can't have.
func (w *warp) stray(op *memop, a uint64, lane int) {
	m := w.block.launch.device.memory
	f := w.newFault(OutOfBounds, lane, "")
	f.Address = a
	what := fmt.Sprintf("%s of %d bytes at %#x", op.kind, op.bytes, a)
	var win window
	switch {
	case w.find(op, &win, a) && a&(op.bytes-1) != 0:
		f.Kind = Misaligned
		f.Message = fmt.Sprintf("%s, which is no multiple of %d", what, op.bytes)
	case op.space == inShared || a>>32 == sharedWindow>>32:
		f.Message = fmt.Sprintf("%s: the block has %d bytes of shared memory", what, len(w.block.shared))
	case op.space == inLocal || a>>32 == localWindow>>32:
		f.Message = fmt.Sprintf("%s: the thread has %d bytes of local memory", what, w.top)
	default:
		explainStray(m, f, what, a)
	}
	panic(f)
}

func explainStray(m *memory, f *Fault, what string, a uint64) {
	if s := m.find(a); s != nil {
		f.Allocation = s.alloc
		if s.data == nil {
			f.Kind = UseAfterFree
			f.Message = fmt.Sprintf("%s, in %s, which was freed", what, s.describe())
			return
		}
		f.Message = fmt.Sprintf("%s goes beyond the end of %s", what, s.describe())
		return
	}
	s := m.nearest(a)
	switch {
	case s == nil || a < 1<<16:
		f.Message = what + ", in no allocation"
		if a < 1<<16 {
			f.Message += " (null pointer?)"
		}
	case a < s.base:
		f.Allocation = s.alloc
		f.Message = fmt.Sprintf("%s, %d bytes before %s", what, s.base-a, s.describe())
	default:
		f.Allocation = s.alloc
		f.Message = fmt.Sprintf("%s, %d bytes behind the end of %s", what, a-s.base-s.size, s.describe())
	}
}

func (s *segment) describe() string {
	name := "the allocation"
	if s.alloc.Name != "" {
		name = s.alloc.Name
	}
	return fmt.Sprintf("%s of %d bytes at %#x", name, s.size, s.base)
}

// laneOf is the first lane of a mask.
func laneOf(m uint32) int { return bits.TrailingZeros32(m) & 31 }
