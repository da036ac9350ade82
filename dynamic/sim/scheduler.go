// This file runs a launch: it gives the blocks on the device their turns.

package sim

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/warplint/warplint/dynamic/event"
)

// launch is the state of one running launch.
type launch struct {
	device  *Device
	kernel  *Kernel
	program *program
	config  Launch
	output  io.Writer // of printf
	threads int       // of a block
	params  []byte
	event   *event.Launch
	tid     [3][]([32]uint32) // coordinates of each warp's threads, the same in all blocks
	grid    wideBarrier
	// workspace is the address of memory for the barriers of a cooperative launch, where the kernel
	// has them count there, as what nvcc makes of cooperative groups does; otherwise 0.
	workspace uint64
	started   time.Time
	cores     []*core
	kin       *kin
	children  []child
	streams   map[stream][]*event.Origin // what the next grid in a stream follows
	parted    map[[2]int32]*Parted       // by their two places
	failed    map[uint64]int             // of a thread, what its last launch that failed made
	madeUp    madeUp

	mu    sync.Mutex
	next  int    // the first cluster that has not been on the device
	fault *Fault // the first one
	stop  atomic.Bool
}

// core is what executes warps, one at a time.
type core struct {
	launch       *launch
	listener     event.Listener
	audience     event.Audience // of a trial of one block, otherwise nil
	random       random
	cache        []*segment // the memory that each instruction found last
	window       window
	zeros        [allocationAlign]byte // of the present access, where nothing lies
	together     bool                  // the lanes of the access are all there, and each address follows the one before
	access       event.Access
	values       int        // in use, of the access
	old          [32]uint64 // values of atomics, for listeners
	new, compare [32]uint64
	instructions uint64
	laneOps      uint64
	accesses     uint64
	clockReads   uint64
	changes      uint64 // of memory but by atomics, counted for livelock detection
	updates      uint64 // of memory by atomics, and looks at clocks, likewise
	current      *warp  // the one that runs
	resident     []*block
	spare        []*block
	done         int // blocks that have ended
	room         int // how many blocks may be resident at present
	turn         int
	last         uint64 // instruction of the aftermath of a fault, otherwise 0
	busy         bool   // some warp did more than poll in this round
	idle         int    // rounds in a row in which none did
	ended        uint64 // instructions when a block ended last, or room was made
	watch        watch
	told         told
	published    published
	fence        atomic.Uint32
}

// published is how far a core is, for the others to read.
type published struct{ done, instructions, laneOps atomic.Uint64 }

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

// Launch runs a kernel to its end, and the grids that it launches. An error is a *Fault, unless the configuration itself is
// impossible. The statistics are there in either case. A context that is done ends the launch
// within 100 ms.
func (d *Device) Launch(ctx context.Context, k *Kernel, config Launch) (*Stats, error) {
	l, err := d.prepare(k, config)
	if err != nil {
		return &Stats{}, err
	}
	d.running.Lock()
	defer d.running.Unlock()
	l.kin = &kin{limit: config.MaxInstructions, report: config.Launched}
	err = d.family(ctx, l)
	return l.stats(), err
}

// grid runs one grid to its end.
func (d *Device) grid(ctx context.Context, l *launch) error {
	d.launches++
	l.event.ID = d.launches
	if t := d.config.Listener; t != nil {
		if l.canTry() {
			l.event.Trials = &trials{ctx: ctx, device: d, launch: l}
		}
		t.LaunchBegin(l.event)
		l.event.Trials = nil
	}
	err := l.run(ctx)
	if t := d.config.Listener; t != nil {
		l.event.Err, l.event.More = err, err == nil && l.kin.waiting > 0
		t.LaunchEnd(l.event)
		l.event.Memory = nil
	}
	return err
}

func (l *launch) stats() *Stats {
	s := &Stats{Progress: l.progress()}
	for _, c := range l.cores {
		s.Accesses += c.accesses
	}
	for _, at := range slices.SortedFunc(maps.Keys(l.parted), func(a, b [2]int32) int { return slices.Compare(a[:], b[:]) }) {
		s.Parted = append(s.Parted, *l.parted[at])
	}
	return s
}

func (l *launch) progress() Progress {
	p := Progress{Blocks: l.clusters() * l.config.Cluster.Count(), Elapsed: time.Since(l.started)}
	for _, c := range l.cores {
		p.BlocksDone += int(c.published.done.Load())
		p.Instructions += c.published.instructions.Load()
		p.LaneOps += c.published.laneOps.Load()
	}
	return p
}

// run executes all blocks on all cores, the first of which is the calling goroutine.
func (l *launch) run(ctx context.Context) error {
	var others sync.WaitGroup
	for _, c := range l.cores[1:] {
		others.Go(func() { l.runCore(ctx, c) })
	}
	l.runCore(ctx, l.cores[0])
	others.Wait()
	if l.fault != nil {
		return l.fault
	}
	return nil
}

// runCore executes blocks until there are no more. Faults come as panics from inside of
// instructions; the first one stops all cores.
func (l *launch) runCore(ctx context.Context, c *core) {
	defer c.publish()
	if failure := c.runBlocks(ctx); failure != nil && failure != errStopped {
		l.mu.Lock()
		if l.fault == nil {
			l.fault = c.failed(failure)
		}
		l.mu.Unlock()
		l.stop.Store(true)
	}
}

// attempt executes blocks until there are no more, or something fails.
func (c *core) attempt(ctx context.Context) (failure any) {
	defer func() { failure = recover() }()
	if len(c.resident) == 0 {
		c.admit()
	}
	l := c.launch
	for report := l.started; len(c.resident) > 0; {
		c.round(ctx)
		if now := time.Now(); c == l.cores[0] && now.Sub(report) > 50*time.Millisecond {
			report = now
			if l.config.Progress != nil {
				l.config.Progress(l.progress())
			}
		}
	}
	return nil
}

// errStopped unwinds a core because another one met a fault.
var errStopped = errors.New("stopped")

func (c *core) publish() {
	c.published.done.Store(uint64(c.done))
	c.published.instructions.Store(c.instructions)
	c.published.laneOps.Store(c.laneOps)
}

// failed turns a panic into the launch's fault. What is not a fault is a mistake of ours, which
// should cost the user this launch and not the whole process.
func (c *core) failed(failure any) *Fault {
	fault, ok := failure.(*Fault)
	if ok {
		return fault
	}
	if w := c.current; w != nil {
		return w.newFault(Internal, laneOf(w.mask), fmt.Sprint(failure))
	}
	return c.stopped(Internal, fmt.Sprint(failure), nil)
}

// More blocks come onto the device when all that are there only poll for idleRounds rounds, or
// after patienceOf instructions in which none of them ended.
const idleRounds = 4

// patienceOf grows with the blocks that are there already: long kernels are normal, and each block
// more costs room in the processor's caches.
func (c *core) patienceOf() uint64 {
	return 1 << 20 * uint64(c.room/c.launch.initialRoom())
}

// turnOf is about how many instructions a warp executes before the next one's turn. Seed 0 has
// long turns, which are fastest; each other seed draws its own length, since races that show
// depend on how finely threads interleave.
func turnOf(r *random, seed uint64) int {
	if seed == 0 {
		return 256
	}
	return 4 << (r.next() % 7)
}

// round gives each resident block a turn.
func (c *core) round(ctx context.Context) {
	ran := false
	c.busy = false
	for i := 0; i < len(c.resident); i++ {
		b := c.resident[i]
		if c.audience != nil {
			ran = b.try(ctx)
		} else if b.run(c.turn/2 + int(c.random.next()%uint64(c.turn))) {
			ran = true
		}
		c.checkLimits(ctx)
		if b.live == 0 {
			c.retire(i)
			i--
		}
	}
	if c.idle++; c.busy {
		c.idle = 0
	}
	switch {
	case len(c.resident) == 0:
		c.admit()
	case !ran && !c.widen():
		panic(c.deadlock())
	case c.idle > idleRounds || c.instructions-c.ended > c.patienceOf():
		c.widen()
		c.idle, c.ended = 0, c.instructions
	}
	if len(c.launch.cores) == 1 {
		c.checkProgress()
	}
}

// checkLimits ends the launch when the context is done or the instructions are used up.
func (c *core) checkLimits(ctx context.Context) {
	c.publish()
	l := c.launch
	if limit := l.config.MaxInstructions; limit > 0 {
		if n := l.progress().Instructions; n > limit {
			panic(c.unfinished(Limit, fmt.Sprintf("%d instructions executed", n), nil))
		}
	}
	if l.stop.Load() || c.last > 0 && c.instructions > c.last {
		panic(errStopped)
	}
	select {
	case <-ctx.Done():
		panic(c.unfinished(Cancelled, context.Cause(ctx).Error(), context.Cause(ctx)))
	default:
	}
}

func (c *core) stopped(kind FaultKind, message string, cause error) *Fault {
	return &Fault{Kind: kind, Message: message, Kernel: c.launch.kernel.Name, Launch: c.launch.event, cause: cause}
}

// unfinished ends a launch that takes too long, and says how far it has come: where a thread is that waits for nobody.
func (c *core) unfinished(kind FaultKind, message string, cause error) *Fault {
	f := c.stopped(kind, message, cause)
	p := c.launch.progress()
	f.Ended, f.Blocks = p.BlocksDone, p.Blocks
	c.eachReady(func(w *warp) {
		if i := slices.IndexFunc(w.groups, func(g group) bool { return g.wait == waitNothing }); f.Location.PTXLine == 0 {
			at := w.waiter(&w.groups[i])
			f.Thread, f.Location = at.First, at.Location
		}
	})
	return f
}
