package interp

// This file defines a run: its blocks and threads, and who goes on.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
)

const (
	maxBlockThreads  = 1024
	maxBlocks        = 1 << 31
	maxClusterBlocks = 16
	residentThreads  = 1 << 15 // more blocks start as others end
	defaultQuantum   = 256
	spinSteps        = 8 // of the quantum left after an atomic that changed nothing: the thread may wait for others
	defaultSteps     = 20e6
	defaultMemory    = 256 << 20
	cancelCheckSteps = 1 << 10
)

type state uint8

const (
	ready state = iota
	waiting
	exited
)

type thread struct {
	*Thread
	state    state
	queued   bool // in the queue of those that can run
	pc       int32
	regs     []uint64
	block    *block
	warp     *warp
	unknowns uint64 // unknown statements met: their values differ
	ahead    int64  // the turn before which it has nothing to do, see ahead.go
	// overflowed is set once signed arithmetic that makes an address has overflowed.
	overflowed bool

	poll   poll
	wait   wait                // what it waits for
	tokens map[*barrier]*Phase // the phase it last arrived at, of split barriers
	copies copies
	bulk   copies // of the groups of bulk copies
	// arrivals holds the number of the phase in which the thread last arrived.
	arrivals map[*mbarrier]uint64
}

// wait describes what a waiting thread waits for.
type wait struct {
	what string
	site int
	dst  *ir.Reg // set by the barrier's reduction or the warp operation
	stmt *ir.WarpOp
	mask uint32
	args [3]uint64
}

type block struct {
	linear   int
	cluster  *cluster
	threads  []*thread
	warps    []*warp
	live     int
	barriers [maxBarrierID]*barrier
	shared   []int // numbers of its objects, by ir.Object.ID; -1 for others
	owned    []int // numbers of objects that end with it
	locals   int   // the number of the first of its threads' objects
	slots    []uint64
}

type warp struct {
	lanes    [race.WarpSize]*thread
	runnable int // lanes that do not wait
	active   int // lanes that wait for activemask
	patience int // steps that other lanes took meanwhile
}

type cluster struct {
	linear  int
	members map[uint64]*block // those that have started, by rank
	live    int
	barrier barrier
}

type run struct {
	p        *Program
	launch   Launch
	options  Options
	listener Listener
	memory   *Memory
	outcome  *Outcome

	cluster  race.Dim3
	pending  []int // linear numbers of the blocks that have not started
	ordinal  map[int]int
	clusters map[int]*cluster
	resident int // threads of started blocks that have not ended
	live     int // threads of all blocks of the run that have not ended
	blocks   map[int]*block
	params   []uint64
	grid     barrier
	mbarrier map[uint64]*mbarrier
	early    map[uint64][]*thread // that wait for a barrier to be initialized, by its address

	queue     queue
	ahead     ahead
	stopped   bool
	unchanged bool // the last atomic left memory as it was
	idle      idle
	random    uint64
	ticks     uint64 // what a clock shows
	tables    int    // objects made for pointers, see tables.go

	opaques    map[string]bool
	told       []bool // of calls, that their function is unknown
	lastOpaque string
	beyond     map[[2]int]bool
	diverge    map[[2]int]bool
	args       []uint64
	data       []byte // that a copy moves
	event      Access
	other      Instruction // of an access that is not one of the program's

	slots []*[]uint64 // of the threads, see takeSlots
	spare [][]uint64  // of blocks that have ended
}

// Run executes a launch. The listener may be nil. An error means that the launch does not fit
// the function, or that the blocks before come to no end; all that happens during the run is in the Outcome.
func (p *Program) Run(ctx context.Context, launch Launch, options Options, listener Listener) (*Outcome, error) {
	if launch.Before == nil {
		return p.run(ctx, launch, options, listener, nil)
	}
	earlier := launch
	earlier.Blocks, earlier.Before = launch.Before, nil
	before, err := p.run(ctx, earlier, options, nil, nil)
	if err != nil {
		return nil, err
	}
	if !before.Completed() {
		return nil, errors.New("the blocks that run before come to no end by themselves")
	}
	outcome, err := p.run(ctx, launch, options, listener, before.Memory)
	if err == nil {
		outcome.Steps += before.Steps
	}
	return outcome, err
}

// run executes the chosen blocks, in the memory that others have left if there were any.
func (p *Program) run(ctx context.Context, launch Launch, options Options, listener Listener, left *Memory) (*Outcome, error) {
	r := &run{
		p: p, launch: launch, options: options, listener: listener, outcome: &Outcome{},
		blocks: map[int]*block{}, clusters: map[int]*cluster{}, ordinal: map[int]int{}, mbarrier: map[uint64]*mbarrier{},
		told: make([]bool, len(p.calls)), opaques: map[string]bool{}, beyond: map[[2]int]bool{}, diverge: map[[2]int]bool{},
		random: mix(options.Seed), memory: left,
	}
	if err := r.prepare(); err != nil {
		return nil, err
	}
	defer r.giveBack()
	r.loop(ctx)
	r.finish()
	return r.outcome, nil
}

func (r *run) prepare() error {
	l := &r.launch
	r.cluster = l.Cluster
	if r.cluster == (race.Dim3{}) {
		r.cluster = r.p.Func.Cluster
	}
	for i := range 3 {
		if r.cluster[i] == 0 {
			r.cluster[i] = 1
		}
		if l.Grid[i] < 1 || l.Block[i] < 1 || l.Grid[i] >= maxBlocks || l.Block[i] > maxBlockThreads || r.cluster[i] < 1 {
			return fmt.Errorf("launch of %v blocks of %v threads: dimensions must be positive and within the hardware's", l.Grid, l.Block)
		}
		if l.Grid[i]%r.cluster[i] != 0 {
			return fmt.Errorf("the grid %v is not made of clusters of %v blocks", l.Grid, r.cluster)
		}
	}
	if l.Block.Count() > maxBlockThreads {
		return fmt.Errorf("a block of %d threads: there can be %d", l.Block.Count(), maxBlockThreads)
	}
	if r.cluster[0] > maxClusterBlocks || r.cluster[1] > maxClusterBlocks || r.cluster.Count() > maxClusterBlocks {
		return fmt.Errorf("a cluster of %v blocks: there can be %d", r.cluster, maxClusterBlocks)
	}
	blocks := float64(l.Grid[0]) * float64(l.Grid[1]) * float64(l.Grid[2])
	if blocks >= maxBlocks {
		return fmt.Errorf("a grid of %v blocks", l.Grid)
	}
	if l.SharedBytes < 0 || l.SharedBytes > ir.MaxObjectSize {
		return fmt.Errorf("%d bytes of shared memory", l.SharedBytes)
	}
	if err := r.selectBlocks(); err != nil {
		return err
	}
	if r.memory == nil {
		if err := r.createMemory(); err != nil {
			return err
		}
	}
	return r.bindArgs()
}

// selectBlocks lists the blocks of the run in the order in which they start.
func (r *run) selectBlocks() error {
	count := r.launch.Grid.Count()
	if r.launch.Blocks == nil {
		if count > 1<<22 {
			return fmt.Errorf("%d blocks: choose some of them", count)
		}
		for i := range count {
			r.pending = append(r.pending, i)
		}
	} else {
		r.pending = slices.Clone(r.launch.Blocks)
		slices.Sort(r.pending)
		if len(slices.Compact(slices.Clone(r.pending))) != len(r.pending) {
			return fmt.Errorf("a block is chosen twice")
		}
		if n := len(r.pending); n == 0 || r.pending[0] < 0 || r.pending[n-1] >= count {
			return fmt.Errorf("the chosen blocks are not in a grid of %d", count)
		}
	}
	for i, b := range r.pending {
		r.ordinal[b] = i
		c := r.clusterOf(b)
		if r.clusters[c] == nil {
			r.clusters[c] = &cluster{linear: c, members: map[uint64]*block{}}
		}
		r.clusters[c].live += r.launch.Block.Count()
	}
	// blocks of a cluster start together
	slices.SortStableFunc(r.pending, func(a, b int) int { return cmp.Compare(r.clusterOf(a), r.clusterOf(b)) })
	if r.options.Order == Descending {
		slices.Reverse(r.pending)
	}
	r.live = len(r.pending) * r.launch.Block.Count()
	return nil
}

func delinearize(n int, d race.Dim3) race.Dim3 {
	return race.Dim3{n % d[0], n / d[0] % d[1], n / d[0] / d[1]}
}

func (r *run) clusterDims() race.Dim3 {
	g, c := r.launch.Grid, r.cluster
	return race.Dim3{g[0] / c[0], g[1] / c[1], g[2] / c[2]}
}

// clusterOf returns the linear number of a block's cluster.
func (r *run) clusterOf(block int) int {
	b, d := delinearize(block, r.launch.Grid), r.clusterDims()
	return b[0]/r.cluster[0] + d[0]*(b[1]/r.cluster[1]+d[1]*(b[2]/r.cluster[2]))
}

func (r *run) createMemory() error {
	limit := r.options.MaxMemory
	if limit == 0 {
		limit = defaultMemory
	}
	r.memory = &Memory{byDecl: map[int]int{}, left: limit}
	for i, b := range r.launch.Buffers {
		if b.Size < 0 || b.Size > ir.MaxObjectSize {
			return fmt.Errorf("buffer %d has %d bytes", i, b.Size)
		}
		r.memory.add(&object{Object: &Object{Name: b.Name, Space: ir.Global, Buffer: i, Block: -1, Size: b.Size}, data: b.Data, fill: b.Fill})
	}
	for _, o := range r.p.Func.Objects {
		if o.Space == ir.Global || o.Space == ir.Constant {
			variable := &object{Object: declared(o, -1, o.Size), data: o.Init}
			if v, ok := r.launch.Variables[o.ID]; ok {
				variable.data, variable.fill = v.Data, v.Fill
			}
			r.memory.byDecl[o.ID] = r.memory.add(variable)
		}
	}
	return nil
}

func declared(o *ir.Object, block int, size int64) *Object {
	return &Object{Name: o.Name, Space: o.Space, Decl: o, Buffer: -1, Block: block, Size: size}
}

func (r *run) bindArgs() error {
	params := r.p.Func.Params
	if len(r.launch.Args) != len(params) {
		return fmt.Errorf("%d arguments for %d parameters", len(r.launch.Args), len(params))
	}
	for i, a := range r.launch.Args {
		v := normalize(params[i].Type, a.Bits)
		if a.Pointer {
			if params[i].Type.Size() != 8 {
				return fmt.Errorf("parameter %q can't hold a pointer", params[i].Name)
			}
			number, ok := a.Buffer, a.Buffer >= 0 && a.Buffer < len(r.launch.Buffers)
			if a.Variable != nil {
				number, ok = r.memory.byDecl[a.Variable.ID]
			}
			if !ok || a.Offset < -ir.MaxObjectSize || a.Offset > ir.MaxObjectSize {
				return fmt.Errorf("parameter %q points to no buffer", params[i].Name)
			}
			v = address(number, a.Offset)
		}
		r.params = append(r.params, v)
	}
	return nil
}

// loop runs threads in turn until none can run.
func (r *run) loop(ctx context.Context) {
	quantum := r.options.Quantum
	if quantum <= 0 {
		quantum = defaultQuantum
	}
	limit := r.options.MaxSteps
	if limit <= 0 {
		limit = defaultSteps
	}
	if quantum == 1 && r.options.Order != Shuffled && !r.p.looksAround {
		r.ahead.most = mostAhead
	}
	r.startBlocks()
	for check := int64(0); !r.stopped; {
		if r.outcome.Steps >= check {
			if check = r.outcome.Steps + cancelCheckSteps; ctx.Err() != nil {
				r.stop("cancelled")
				return
			}
		}
		r.skip(limit)
		t := r.next()
		if t == nil {
			return
		}
		n := int64(1)
		if !r.hasBeen(t) {
			n = r.turn(t, quantum, limit-r.outcome.Steps)
		}
		r.outcome.Steps += n
		if t.state == ready && !t.queued {
			r.queue.push(t)
			r.impatient(t.warp, int(n))
			if r.standsStill() {
				r.stop(Standstill)
			}
		}
		if r.outcome.Steps >= limit && r.live > 0 && !r.stopped {
			r.stop("steps")
		}
	}
}

// turn lets a thread run, for no more steps than are left, and returns how many it has taken.
func (r *run) turn(t *thread, quantum int, left int64) int64 {
	if r.options.Order == Shuffled {
		quantum = 1 + int(r.draw()%uint64(quantum))
	}
	if t.regs == nil {
		r.equip(t)
	}
	budget := int(min(int64(quantum), left))
	n := r.exec(t, budget+r.ahead.most, r.ahead.most)
	if n > budget {
		r.goAhead(t, n-budget)
		n = budget
	}
	return int64(n)
}

// next takes a thread that can run, or nil.
func (r *run) next() *thread {
	if r.options.Order == Shuffled {
		return r.queue.popAt(r.draw())
	}
	return r.queue.pop()
}

func (r *run) draw() uint64 {
	r.random ^= r.random << 13
	r.random ^= r.random >> 7
	r.random ^= r.random << 17
	return r.random
}

// startBlocks starts blocks, whole clusters at a time, as far as there is room.
func (r *run) startBlocks() {
	size := r.launch.Block.Count()
	var started []*thread
	for len(r.pending) > 0 {
		n := 1
		for n < len(r.pending) && r.clusterOf(r.pending[n]) == r.clusterOf(r.pending[0]) {
			n++
		}
		if r.resident > 0 && r.resident+n*size > residentThreads && !r.p.gridSync {
			break
		}
		for _, linear := range r.pending[:n] {
			started = append(started, r.taking(r.startBlock(linear))...)
		}
		r.pending = r.pending[n:]
	}
	r.enqueue(started)
}

// taking ends the threads of a block that the launch leaves out, and returns the others.
func (r *run) taking(threads []*thread) (part []*thread) {
	if r.launch.Threads == nil {
		return threads
	}
	for _, t := range threads {
		if slices.Contains(r.launch.Threads, t.Index) {
			part = append(part, t)
		} else {
			r.exit(t)
		}
	}
	return part
}

// slots are those of runs that have ended: a search for a witness makes many.
var slots sync.Pool

// takeSlots returns memory for threads' slots, with whatever in it.
func (r *run) takeSlots(n int) []uint64 {
	old, ok := slots.Get().(*[]uint64)
	if !ok || cap(*old) < n {
		fresh := make([]uint64, n)
		old = &fresh
	}
	r.slots = append(r.slots, old)
	return (*old)[:n]
}

func (r *run) giveBack() {
	for _, s := range r.slots {
		slots.Put(s)
	}
}

func (r *run) startBlock(linear int) []*thread {
	b := &block{linear: linear, cluster: r.clusters[r.clusterOf(linear)], live: r.launch.Block.Count()}
	r.blocks[linear] = b
	r.resident += b.live
	r.createShared(b)
	coords := delinearize(linear, r.launch.Grid)
	b.cluster.members[uint64(coords[0]%r.cluster[0]+r.cluster[0]*(coords[1]%r.cluster[1]+r.cluster[1]*(coords[2]%r.cluster[2])))] = b
	threads, identities := make([]thread, b.live), make([]Thread, b.live)
	for i := range threads {
		t := &threads[i]
		t.Thread = &identities[i]
		*t.Thread = Thread{
			ID: r.ordinal[linear]*b.live + i, Block: linear, Index: i, Warp: i / race.WarpSize, Lane: i % race.WarpSize, Cluster: b.cluster.linear,
			Coords: race.Thread{Block: coords, Thread: delinearize(i, r.launch.Block)},
		}
		t.block = b
		if t.Lane == 0 {
			b.warps = append(b.warps, &warp{})
		}
		t.warp = b.warps[t.Warp]
		t.warp.lanes[t.Lane] = t
		t.warp.runnable++
		b.threads = append(b.threads, t)
	}
	r.createLocals(b)
	return b.threads
}

// equip gives a thread its slots when it runs for the first time. Of the many blocks that are resident most have
// ended before the last ones begin, so few have slots at a time.
func (r *run) equip(t *thread) {
	b, n := t.block, r.p.slots
	common := len(b.threads) * n // what its threads begin with is behind theirs
	if b.slots == nil {
		if last := len(r.spare) - 1; last >= 0 {
			b.slots, r.spare = r.spare[last], r.spare[:last]
		} else {
			b.slots = r.takeSlots(common + n)
		}
		copy(b.slots[common:], r.p.initial)
		r.setInputs(t, b.slots[common:], r.p.inputs)
	}
	t.regs = b.slots[t.Index*n : (t.Index+1)*n : (t.Index+1)*n]
	copy(t.regs, b.slots[common:])
	r.setInputs(t, t.regs, r.p.own)
}

// mapa turns an address in the shared memory of a block into the same place in that of the block
// of some rank in the cluster (PTX ISA, "mapa"); 0 if there is none.
func (r *run) mapa(c *cluster, addr, rank uint64) uint64 {
	number := addr>>objectShift - 1
	to := c.members[rank]
	if to == nil || number >= uint64(len(r.memory.objects)) {
		return 0
	}
	from := r.blocks[r.memory.objects[number].Block]
	if from == nil {
		return 0
	}
	i := slices.Index(from.shared, int(number))
	if i < 0 {
		return 0
	}
	return address(to.shared[i], int64(addr&offsetMask)-objectBias)
}

// createShared makes the block's instances of shared variables. All `extern __shared__`
// arrays are one object.
func (r *run) createShared(b *block) {
	dynamic := -1
	b.shared = make([]int, len(r.p.Func.Objects))
	for i, o := range r.p.Func.Objects {
		b.shared[i] = -1
		if o.Space != ir.Shared {
			continue
		}
		if o.Size == 0 && dynamic >= 0 {
			b.shared[i] = dynamic
			continue
		}
		size := o.Size
		if size == 0 {
			size = r.launch.SharedBytes
		}
		b.shared[i] = r.memory.add(&object{Object: declared(o, b.linear, size), data: o.Init})
		b.owned = append(b.owned, b.shared[i])
		if o.Size == 0 {
			dynamic = b.shared[i]
		}
	}
}

// createLocals makes the objects of the block's threads.
func (r *run) createLocals(b *block) {
	b.locals = len(r.memory.objects)
	for range b.threads {
		for _, in := range r.p.own {
			if in.object != nil {
				b.owned = append(b.owned, r.memory.add(&object{Object: declared(in.object, b.linear, in.object.Size), data: in.object.Init}))
			}
		}
	}
}

// setInputs sets some inputs of a thread.
func (r *run) setInputs(t *thread, slots []uint64, inputs []input) {
	for _, in := range inputs {
		var v uint64
		switch {
		case in.param != nil:
			v = r.params[in.param.Index]
		case in.builtin != nil:
			v = uint64(uint32(r.builtin(t, in.builtin)))
		case in.object.Space == ir.Local:
			v = address(t.block.locals+t.Index*r.p.locals+in.local, 0)
		case in.object.Space == ir.Shared:
			v = address(t.block.shared[in.object.ID], 0)
		default:
			v = address(r.memory.byDecl[in.object.ID], 0)
		}
		slots[in.slot] = v
	}
}

func (r *run) builtin(t *thread, e *ir.Builtin) int {
	block := t.Coords.Block
	switch e.Var {
	case ir.ThreadIdx:
		return t.Coords.Thread[e.Axis]
	case ir.BlockIdx:
		return block[e.Axis]
	case ir.BlockDim:
		return r.launch.Block[e.Axis]
	case ir.GridDim:
		return r.launch.Grid[e.Axis]
	case ir.ClusterIdx:
		return block[e.Axis] / r.cluster[e.Axis]
	case ir.ClusterDim:
		return r.clusterDims()[e.Axis]
	case ir.BlockInClust:
		return block[e.Axis] % r.cluster[e.Axis]
	case ir.ClusterSize:
		return r.cluster[e.Axis]
	case ir.LaneID:
		return t.Lane
	case ir.WarpID:
		return t.Warp
	}
	return int(r.launch.SharedBytes)
}

// enqueue lets threads run, in the order of the options.
func (r *run) enqueue(threads []*thread) {
	r.moved()
	slices.SortFunc(threads, func(a, b *thread) int { return cmp.Compare(a.ID, b.ID) })
	if r.options.Order == Descending {
		slices.Reverse(threads)
	}
	if r.options.Order == Foremost {
		r.queue.pushBefore(threads)
		return
	}
	for _, t := range threads {
		r.queue.push(t)
	}
}

// sleep makes the running thread wait. It may be woken at once; it is in the queue then.
func (r *run) sleep(t *thread, w wait) {
	t.state, t.wait = waiting, w
	t.warp.runnable--
	r.warpStalled(t.warp)
}

// wake lets waiting threads go on.
func (r *run) wake(threads []*thread) {
	for _, t := range threads {
		t.state = ready
		t.warp.runnable++
	}
	r.enqueue(threads)
}

// exit ends a thread. Those that wait for it wait no longer.
func (r *run) exit(t *thread) {
	if !r.complete(t, t.copies.all()) || !r.complete(t, t.bulk.all()) || !r.completeAttached(t) {
		return
	}
	r.moved()
	t.state = exited
	t.warp.runnable--
	b := t.block
	b.live--
	b.cluster.live--
	r.live--
	if r.listener != nil {
		r.listener.Exit(t.Thread)
	}
	for bar, phase := range t.tokens {
		if bar.phase == phase {
			bar.gone++
		}
	}
	r.warpExit(t)
	for _, bar := range b.barriers {
		if bar != nil {
			r.tryComplete(bar, b.live)
		}
	}
	r.tryComplete(&b.cluster.barrier, b.cluster.live)
	r.tryComplete(&r.grid, r.live)
	if b.live == 0 {
		r.endBlock(b)
	}
}

// endBlock forgets a block and gives its room to the next.
func (r *run) endBlock(b *block) {
	for _, number := range b.owned {
		r.memory.release(r.memory.objects[number])
	}
	if b.slots != nil {
		r.spare = append(r.spare, b.slots)
	}
	delete(r.blocks, b.linear)
	r.resident -= len(b.threads)
	r.startBlocks()
}

func (r *run) stop(limit string) {
	r.stopped = true
	r.outcome.Limit = limit
}

func (r *run) memoryLimit() bool {
	r.stop("memory")
	return false
}

// trap ends the launch.
func (r *run) trap(t *thread, kind TrapKind, reason string) {
	r.stopped = true
	trap := &Trap{Kind: kind, Thread: t.Thread, Stmt: r.p.at[t.pc-1], Site: -1, Reason: reason}
	if trap.Stmt != nil {
		if site, ok := ir.SiteOf(trap.Stmt); ok {
			trap.Site = site
		}
	}
	r.outcome.Trap = trap
}

func (r *run) opaque(reason string) {
	if reason == r.lastOpaque {
		return
	}
	if r.lastOpaque = reason; !r.opaques[reason] {
		r.opaques[reason] = true
		r.outcome.Opaque = append(r.outcome.Opaque, reason)
	}
}

func (r *run) outOfBounds(t *thread, o *object, offset int64, site int, kind race.Access) {
	key := [2]int{o.ID, site}
	if !r.beyond[key] {
		r.beyond[key] = true
		r.outcome.OutOfBounds = append(r.outcome.OutOfBounds,
			OutOfBounds{Thread: t.Thread, Site: site, Object: o.Object, Offset: offset, Kind: kind})
	}
}

// finish completes the outcome. Threads that wait when none can run are deadlocked.
func (r *run) finish() {
	slices.Sort(r.outcome.Opaque)
	r.outcome.Memory = r.memory
	if !r.stopped {
		r.tooEarly()
	}
	if r.stopped {
		return
	}
	for _, b := range r.blocks {
		for _, t := range b.threads {
			if t.state == waiting {
				r.outcome.Deadlock = append(r.outcome.Deadlock, Waiting{Thread: t.Thread, Site: t.wait.site, For: t.wait.what})
			}
		}
	}
	slices.SortFunc(r.outcome.Deadlock, func(a, b Waiting) int { return cmp.Compare(a.Thread.ID, b.Thread.ID) })
}

// queue holds the threads that can run, in a ring.
type queue struct {
	ring []*thread // as many as a power of two
	head int
	n    int
}

// at is the place of the thread that is so far behind the first.
func (q *queue) at(i int) **thread { return &q.ring[(q.head+i)&(len(q.ring)-1)] }

// grow makes room for another thread.
func (q *queue) grow() {
	if q.n < len(q.ring) {
		return
	}
	ring := make([]*thread, max(64, 2*len(q.ring)))
	for i := range q.n {
		ring[i] = *q.at(i)
	}
	q.ring, q.head = ring, 0
}

func (q *queue) push(t *thread) {
	t.queued = true
	q.grow()
	*q.at(q.n) = t
	q.n++
}

// pushBefore puts threads ahead of all others.
func (q *queue) pushBefore(threads []*thread) {
	for _, t := range slices.Backward(threads) {
		t.queued = true
		q.grow()
		q.head--
		*q.at(0) = t
		q.n++
	}
}

func (q *queue) len() int { return q.n }

func (q *queue) pop() *thread {
	if q.n == 0 {
		return nil
	}
	t := *q.at(0)
	q.head++
	q.n--
	t.queued = false
	return t
}

// popAt takes the thread that a random number names.
func (q *queue) popAt(n uint64) *thread {
	if q.n == 0 {
		return nil
	}
	i := int(n % uint64(q.n))
	q.n--
	t := *q.at(i)
	*q.at(i) = *q.at(q.n)
	t.queued = false
	return t
}
