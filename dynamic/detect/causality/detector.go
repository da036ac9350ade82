package causality

// This file defines the detector, which checks each access against those before it.

import (
	"strings"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/event"
)

// blockBits are the bits of a thread's number that count the threads of a block.
const blockBits = 2 * fanBits

// warpNumber is a thread's number without its lane.
func warpNumber(block, warp int) uint32 { return uint32(block)<<fanBits | uint32(warp) }

// Detector is an event.Listener that collects the races of a device's launches.
type Detector struct {
	event.Nothing
	launch   *event.Launch
	kin      *family // nil unless kernels launch kernels
	programs programs
	off      bool // the launch is not watched
	clusters bool // it has some
	height   int  // of the trees of threads
	blocks   map[int]*block
	gone     []*block // that have ended, to be used again
	present  *block   // that did something last, and its number
	number   int
	shadow   pages
	meetings map[meetingKey]*[]arrival
	around   map[int32]*neighbours // the clusters, if there are some
	objects  map[uint64]*object
	agents   uint32            // asynchronous copies so far
	copiers  map[uint32]uint32 // the warps that began them, by the agents' leaf
	acquires bool              // the program has acquire operations
	// fencedInits is set if the program has fences for the initialization of mbarriers alone, which order what nothing here tells of.
	fencedInits bool
	studied     map[event.Program]studied
	serial      uint64        // counts lanes of accesses
	now         *event.Access // the present one
	fine        fineness      // of its shadow
	refined     event.Access  // for the present one
	kept        uint32        // its lanes that are kept in runs already
	keeper      uint32        // their warp
	sight       sight         // of the present access
	wide        bool          // there are strong writes of eight bytes
	row         strongRow     // of the present access
	racing      []*run        // writes with which the present run races
	lessons     []*record     // what the present run observes and its threads do not know
	attend      participants  // of the present barrier, and who waits of the arrivals
	waits       []uint32
	// Lanes of the present access, which is strong: those whose compare-and-swap leaves what it finds, and those that may
	// change what their location holds.
	failing, changing uint32
	found             [fan]*cell // of the present access, by lane, as far as there are any
	twins             uint32     // lanes of it whose address may be that of another one
	walked            walked
	bounds            bounds
	tidier            tidier
	screening         screening
	touched           uint32 // is of no use but to have read it
	locks
	// allocations are the live ones, by base.
	allocations []*event.Allocation
	proxies
	reports
}

// New returns a detector for one device.
func New() *Detector {
	return &Detector{studied: map[event.Program]studied{}, reports: reports{races: map[key]*Race{}, sequels: map[turn]bool{}}}
}

type block struct {
	warps    []warpState
	held     []heldLock
	holds    *lockSet      // the same, once somebody has asked for it
	sets     [fan]*lockSet // some that were held, the next of which is to be overwritten
	next     int
	meetings [][]arrival // at its barriers, by number
	heard    bool        // something was observed
	meets    meets
	screen   screen
}

// LaunchBegin implements event.Listener.
func (d *Detector) LaunchBegin(l *event.Launch) {
	d.launch = l
	if l.Origin != nil && d.kin != nil {
		d.next(l)
		return
	}
	if d.kin != nil { // the family before could not go on
		d.settle()
	}
	d.height, d.clusters = 2, l.Cluster.Count() > 1
	d.kin = nil
	most := l.Grid.Count()
	if l.Launches {
		d.kin, most = newFamily(), maxBlocks
	}
	for n := most - 1; n > 0; n >>= fanBits {
		d.height++
	}
	if d.off = l.Grid.Count() > maxBlocks; d.off {
		d.Unwatched++
	}
	d.blocks, d.objects = map[int]*block{}, map[uint64]*object{}
	d.meetings, d.around = map[meetingKey]*[]arrival{}, map[int32]*neighbours{}
	d.flags, d.flagged, d.ended = map[uint64]bool{}, [len(d.flagged)]uint64{}, map[int]meets{}
	d.shadow = pages{all: map[uint64]*page{}, spare: &spare{}, acts: newActs(), flags: d.flags, walk: d.walk, trails: trails{known: []*node{nil}}}
	d.agents, d.copiers = 0, map[uint32]uint32{}
	d.acquires, d.fencedInits, d.wide = false, false, false
	d.proxies = proxies{}
	d.locks, d.recent = locks{}, [len(d.recent)]recentRace{}
	d.waiting, d.pollers = nil, nil
	d.bounds = boundsOf(l)
	d.screening = screening{}
	if d.kin != nil {
		d.join(l)
	} else {
		d.recall(l.Program)
	}
}

// next begins a grid that a kernel has launched.
func (d *Detector) next(l *event.Launch) {
	if d.off {
		return
	}
	if d.kin.blocks+l.Grid.Count() > maxBlocks {
		d.off = true
		d.Unwatched++
		return
	}
	d.clusters = d.clusters || l.Cluster.Count() > 1
	d.join(l)
}

// studied is what there is to know of a program's instructions.
type studied struct {
	waiting  []bool
	acquires bool
	reads    bool // shared memory, by bulk copies
	inits    bool // fences of the initialization of mbarriers
}

// recall makes a program the one that runs; it is studied once.
func (d *Detector) recall(p event.Program) {
	known, ok := d.studied[p]
	if !ok {
		d.study(p)
		known = studied{d.waiting, d.acquires, d.readsShared, d.fencedInits}
		d.studied[p] = known
	}
	d.waiting, d.acquires, d.pollers = known.waiting, known.acquires, make([]bool, len(known.waiting))
	d.readsShared, d.fencedInits = known.reads, known.inits
}

// study looks at a program's instructions.
func (d *Detector) study(p event.Program) {
	for pc := range uint32(p.Instructions()) {
		text := p.Location(pc).Text
		d.acquires = d.acquires || strings.Contains(text, ".acq") && !strings.Contains(text, "fence.")
		d.readsShared = d.readsShared || readsShared(text)
		d.fencedInits = d.fencedInits || strings.Contains(text, "fence.mbarrier_init")
		d.waiting = append(d.waiting, p.Polls(pc))
		d.pollers = append(d.pollers, false)
	}
}

// LaunchEnd implements event.Listener.
func (d *Detector) LaunchEnd(l *event.Launch) {
	if l.More {
		return
	}
	d.settle()
	d.blocks, d.gone, d.present, d.objects, d.meetings, d.around = nil, nil, nil, nil, nil, nil
	d.shadow, d.kin = pages{}, nil
}

// BlockBegin implements event.Listener.
func (d *Detector) BlockBegin(l *event.Launch, number int) {
	if d.off {
		return
	}
	past := clock{}
	if d.kin != nil {
		number, past = number+d.kin.present().first, d.kin.present().begin
	}
	b := &block{}
	if n := len(d.gone); n > 0 {
		b, d.gone = d.gone[n-1], d.gone[:n-1]
	}
	if n := l.Warps(); len(b.warps) != n {
		*b = block{warps: make([]warpState, n)}
	}
	for i := range b.warps {
		threads := min(l.Threads()-i*fan, fan)
		b.warps[i].begin(b, warpNumber(number, i), ^uint32(0)>>(fan-threads), d.placeOf(int32(number)))
		b.warps[i].whole.past = past
	}
	d.beginPhase(b)
	d.blocks[number] = b
	if d.clusters {
		d.neighbours(number).present++
	}
}

// BlockEnd implements event.Listener.
func (d *Detector) BlockEnd(l *event.Launch, number int) {
	if d.off {
		return
	}
	if d.kin != nil {
		number += d.kin.present().first
	}
	if d.clusters {
		d.close(number, l.Threads())
	}
	b := d.blocks[number]
	if b.meets[0] != 0 && len(d.ended) < maxEnded {
		d.ended[number] = b.meets
	}
	b.held, b.holds, b.sets, b.meets, b.heard = b.held[:0], nil, [fan]*lockSet{}, meets{}, false
	for i := range b.meetings {
		clear(b.meetings[i])
		b.meetings[i] = b.meetings[i][:0]
	}
	d.gone = append(d.gone, b)
	delete(d.blocks, number)
	d.present = nil
	d.shadow.dropShared(number, l.SharedSize<<d.bounds.shared)
	d.forgetWritten(number, l.SharedSize)
}

// Exit implements event.Listener.
func (d *Detector) Exit(s *event.Step) {
	if d.off {
		return
	}
	if d.renumbers() {
		defer d.renumber(s)()
	}
	w := d.warp(s.Block, s.Warp)
	if d.clusters {
		d.leave(w, s)
	}
	w.exit(s.Mask)
}

// placeOf says where the threads of a block are. Without clusters, each block is one.
func (d *Detector) placeOf(block int32) place { return place{block, d.clusterOf(block)} }

func (d *Detector) clusterOf(block int32) int32 {
	if !d.clusters {
		return block
	}
	l, number, _ := d.home(int(block))
	if l.Cluster.Count() == 1 {
		return block
	}
	return int32(l.ClusterOf(number) + int(block) - number)
}

func (d *Detector) warp(block, warp int) *warpState {
	if d.present == nil || d.number != block {
		d.present, d.number = d.blocks[block], block
	}
	return &d.present.warps[warp]
}

func (d *Detector) at(space event.Space, owner int, address uint64) uint64 {
	if space == event.Shared {
		return sharedAt(owner, address)
	}
	return address
}

// Fence implements event.Listener.
func (d *Detector) Fence(f *event.Fence) {
	if d.off {
		return
	}
	if d.renumbers() {
		defer d.renumber(&f.Step)()
	}
	w := d.warp(f.Block, f.Warp)
	w.waited = false
	w.unchain(f.Mask, d.height)
	for rest := f.Mask; rest != 0; {
		t := w.take(firstLane(rest), f.Mask)
		rest &^= t.lanes
		if f.Order != event.Release {
			reach := inBlock
			if f.Order == event.SequentiallyConsistent {
				reach = reachOf(f.Scope)
			}
			t.acquireAll(f.Scope, reach, d.height)
			w.log.acquired(t.lanes, f.Scope)
			d.fenceLocks(t, f.Scope)
		}
		t.pass(d.height)
		if f.Order == event.SequentiallyConsistent {
			t.fence(f.Scope, d.height)
		}
		if f.Order != event.Acquire {
			t.released(f.Scope)
		}
	}
	w.unite(f.Mask)
}

// overflows reports whether words refer to more accesses than can be told apart. The launch is watched no more then.
func (d *Detector) overflows() bool {
	if d.shadow.acts.spent() && !d.shadow.sweep() {
		d.off = true
		d.Unwatched++
	}
	return d.off
}

// Access implements event.Listener.
func (d *Detector) Access(a *event.Access) {
	if d.off || d.overflows() {
		return
	}
	if d.passes(a) {
		d.warp(a.Block, a.Warp).polling &^= a.Mask
		return
	}
	d.now = a
	if !d.renumbers() {
		d.access(a)
	} else {
		back := d.renumber(&a.Step, &a.Owner)
		d.access(a)
		back()
	}
	d.now, d.kept = nil, 0
}

func (d *Detector) access(a *event.Access) {
	w := d.warp(a.Block, a.Warp)
	if d.fine = d.fineness(a); d.fine > 0 {
		a = d.refine(a, d.fine)
		d.now = a
	}
	if d.readsShared && a.Space == event.Shared && a.Kind != event.Read {
		d.wroteShared(w, a)
	}
	if a.Order != event.Weak || a.Kind == event.Atomic {
		d.failing = failing(a)
		d.changing = changing(a, d.failing)
	}
	if d.clusters && a.Space == event.Shared && a.Owner != a.Block {
		d.visits(w, a)
	}
	if w.waited && d.stillWaits(w, a) {
		return
	}
	w.waited = false
	if a.Space == event.Shared && d.screened(w, a) {
		d.polls(w, a.Mask, a)
		return
	}
	if a.Order != event.Weak || a.Kind == event.Atomic {
		if left := d.volatile(w, a); left != 0 {
			d.strong(w, a, left)
		}
		return
	}
	w.polling &^= a.Mask
	if left := d.runs(w, a); left != 0 {
		d.weak(w, a, left)
	}
}

// entryOf is an access of a warp, but for what differs between its lanes.
func entryOf(w *warpState, a *event.Access, f flags) entry {
	return entry{act: act{warp: w.number, pc: a.PC, kind: a.Kind, size: uint8(a.Size / a.Elements), flags: f}}
}

// weak handles weak accesses of some lanes, one by one, but for those that are alike and read the same.
func (d *Detector) weak(w *warpState, a *event.Access, left uint32) {
	e := entryOf(w, a, flagsOf(weak, race.ScopeNone))
	if !d.inUse {
		if left = d.owned(w, a, e, left); left == 0 {
			return
		}
	}
	if a.Kind == event.Read && a.Size == 1<<wordBits && !d.inUse {
		if left = d.readTrail(w, a, e, left); left == 0 {
			return
		}
	}
	d.touch(a, left)
	for rest := left; rest != 0; {
		lane := firstLane(rest)
		t := w.at(lane)
		e.lanes, e.epoch = 1<<lane, t.own
		at := d.at(a.Space, a.Owner, a.Addr[lane])
		c := d.cellOf(lane, at)
		if a.Kind == event.Read {
			if e.lanes = 1 << lane; !t.each {
				e.lanes = c.alike(w, lane, sameAddress(a, rest&t.lanes))
			}
			d.span(t, e, c, at, uint64(a.Size))
		} else {
			e.lanes = d.sameStore(t, a, rest&t.lanes)
			d.store(t, e, c, at, a, lane)
		}
		rest &^= e.lanes
	}
}

// touch finds the cells of lanes, and reads what will be needed of them. One after the other, with all the work
// between, they would wait for memory one by one.
func (d *Detector) touch(a *event.Access, lanes uint32) {
	d.twins = 0
	if lanes&(lanes-1) == 0 || a.Uniform {
		d.found = [fan]*cell{}
		return
	}
	d.twins = twinsOf(a, lanes)
	sum := uint32(0)
	for rest := lanes; rest != 0; rest &= rest - 1 {
		lane := firstLane(rest)
		c := d.shadow.peek(d.at(a.Space, a.Owner, a.Addr[lane]))
		d.found[lane] = c
		if c == nil {
			continue
		}
		if r := c.records; r != nil {
			sum += r.epoch
		}
		for _, x := range c.few {
			if x.act.writes() {
				sum += d.shadow.acts.at(x.act).epoch
			}
		}
	}
	d.touched = sum
}

// cellOf returns the cell of the word at which the address of a lane is.
func (d *Detector) cellOf(lane int, at uint64) *cell {
	if c := d.found[lane]; c != nil {
		return c
	}
	return d.cell(at)
}

// sameAddress returns the lanes of a set that go where the lowest one does.
func sameAddress(a *event.Access, lanes uint32) uint32 {
	return goingTo(a, lanes, a.Addr[firstLane(lanes)])
}

// goingTo returns the lanes of a set that go to an address.
func goingTo(a *event.Access, lanes uint32, at uint64) (same uint32) {
	for rest := lanes; rest != 0; rest &= rest - 1 {
		if a.Addr[firstLane(rest)] == at {
			same |= rest & -rest
		}
	}
	return same
}

// sameStore returns the lanes of a set that write to where the lowest one does, and the same. Locks want them
// one by one.
func (d *Detector) sameStore(t *thread, a *event.Access, lanes uint32) uint32 {
	first := firstLane(lanes)
	same := uint32(1) << first
	if d.inUse || t.each {
		return same
	}
next:
	for rest := sameAddress(a, lanes) &^ same; rest != 0; rest &= rest - 1 {
		for offset := 0; offset < a.Size; offset += 1 << wordBits {
			if d.valueAt(a, firstLane(rest), offset) != d.valueAt(a, first, offset) {
				continue next
			}
		}
		same |= rest & -rest
	}
	return same
}

// span checks and keeps an access of some bytes, the first of which are in a cell.
func (d *Detector) span(t *thread, e entry, c *cell, at, size uint64) {
	d.serial++
	for start, end := at, at+size; at < end; {
		stop := min(end, at&^3+4)
		e.mask = maskOf(at, stop)
		if at != start {
			c = d.cell(at)
		}
		d.check(t, c, &e, at)
		if e.kind == event.Write {
			d.forget(c, at, stop)
		}
		at = stop
	}
}

// store is span for a weak store, whose values are known. Of several lanes, all write the same.
func (d *Detector) store(t *thread, e entry, c *cell, at uint64, a *event.Access, lane int) {
	d.serial++
	start := at
	for end := at + uint64(a.Size); at < end; {
		stop := min(end, at&^3+4)
		e.mask, e.value = maskOf(at, stop), d.valueAt(a, lane, int(at-start))
		if at != start {
			c = d.cell(at)
		}
		d.check(t, c, &e, at)
		d.forget(c, at, stop)
		if others := e.lanes & (e.lanes - 1); others != 0 {
			o, e := e, e
			o.lanes, e.lanes = o.lanes&^others, others
			d.conflict(&o, &e, t, at)
		}
		at = stop
	}
}

// valueAt is up to four bytes of what a lane has written, from an offset on.
func (d *Detector) valueAt(a *event.Access, lane, offset int) uint32 {
	if d.screening.playing {
		return d.valueBefore(d.at(a.Space, a.Owner, a.Addr[lane]) + uint64(offset))
	}
	offset >>= d.fine
	size := a.Size >> d.fine / a.Elements
	i := offset / size
	if i >= len(a.Value) || !a.Value[i].Known() {
		return 0
	}
	return d.fine.part(uint32(a.Value[i].At(lane) >> (8 * (offset % size))))
}

// valueBefore is what the word at an address held before the present access.
func (d *Detector) valueBefore(at uint64) uint32 {
	a := d.now
	if d.screening.playing {
		a = d.screening.trigger
	}
	if a != nil && a.Kind == event.Atomic && a.Elements == 1 { // which has taken effect
		for rest := a.Mask; rest != 0; rest &= rest - 1 {
			lane := firstLane(rest)
			if from := d.at(a.Space, a.Owner, a.Addr[lane]); at&^3 >= from&^3 && at < from+uint64(a.Size) && from&3 == 0 && a.Size >= 1<<wordBits {
				return uint32(a.Value[0].At(lane) >> (8 * (at&^3 - from)))
			}
		}
	}
	space, owner := event.Global, 0
	if at >= sharedBase {
		space, owner = event.Shared, int(at&^sharedBase>>sharedBits)
	}
	l, owner, _ := d.home(owner)
	if l.Memory == nil {
		return 0
	}
	memory := d.memoryAt(at &^ 3)
	value, _ := l.Memory.Word(space, owner, memory&^3)
	return d.finenessAt(at).part(value >> (8 * (memory & 3)))
}

// valueOf is what a write left in the word at an address, which is kept but for its value: what the word held before the
// present access, unless it is of lanes of that which are kept already.
func (d *Detector) valueOf(e *entry, at uint64) uint32 {
	if a := d.now; a != nil && e.lanes&d.kept != 0 && e.warp == d.keeper && e.pc == a.PC && a.Kind == event.Write {
		lane := firstLane(e.lanes & d.kept)
		if from := d.at(a.Space, a.Owner, a.Addr[lane]); at&^3 >= from && at&^3 < from+uint64(a.Size) {
			return d.valueAt(a, lane, int(at&^3-from))
		}
	}
	return d.valueBefore(at)
}

// forget drops the records of strong writes that a write overwrites.
func (d *Detector) forget(c *cell, at, stop uint64) {
	c.forget(at, stop)
	if d.wide && at>>wordBits&1 != 0 {
		d.shadow.peek(at&^7).forget(at, stop)
	}
}

func (c *cell) forget(at, stop uint64) {
	if c == nil {
		return
	}
	for link := &c.records; *link != nil; {
		if r := *link; stop <= r.at || r.at+uint64(r.size) <= at {
			link = &r.next
		} else {
			*link, r.next = r.next, nil
		}
	}
}

// volatile handles volatile accesses to words that mostly are data, and returns the lanes that are left,
// which may be about flags.
func (d *Detector) volatile(w *warpState, a *event.Access) (left uint32) {
	if !d.likeData(w.at(firstLane(a.Mask)), a) {
		return a.Mask
	}
	left = d.runs(w, a)
	d.polls(w, a.Mask&^left, a)
	return left
}

// likeData reports whether an access, by threads of which one is known, is a volatile one that may be to data as weak ones are, and not to a flag.
func (d *Detector) likeData(t *thread, a *event.Access) bool {
	return a.Volatile && a.Kind != event.Atomic && a.Size == 1<<wordBits && !d.acquires && !d.waiting[a.PC] &&
		(a.Kind == event.Read || a.Mask&^t.lanes == 0 && len(t.releasedAt) == 0)
}

// strong handles atomics, volatile accesses and those with an order, of some lanes, element by element.
func (d *Detector) strong(w *warpState, a *event.Access, set uint32) {
	s := strength{scope: a.Scope, acquire: a.Order == event.Acquire || a.Order >= event.AcquireRelease, release: a.Order >= event.Release}
	e := entryOf(w, a, flagsOf(strong, a.Scope))
	if a.Volatile {
		s.scope = race.ScopeSystem
		e.flags = flagsOf(volatile, race.ScopeSystem)
	}
	if a.Kind == event.Atomic && !a.Volatile && a.Size == 1<<wordBits && a.Elements == 1 && !d.acquires && !d.wide && !s.release && !s.acquire && !d.inUse {
		if set = d.trail(w, a, e, set); set == 0 {
			return
		}
	}
	if d.inRow(w, a, set, e, s) {
		return
	}
	w.settle(set)
	d.touch(a, set)
	for rest := set; rest != 0; {
		lanes, chained := rest&-rest, false
		if a.Uniform || d.twins&lanes != 0 {
			lanes, chained = d.company(w, a, rest, e, s)
		}
		rest &^= lanes
		for i := range a.Elements {
			at := d.at(a.Space, a.Owner, a.Addr[firstLane(lanes)]) + uint64(i)*uint64(e.size)
			d.element(w, lanes, a, e, s, at, i, chained)
		}
	}
}

// company returns lanes, from the lowest of a set on, whose strong accesses come down to one: alike, they
// read the same location, or update it one after the other, so that none learns from another of them what
// it does not know, but for those of a chain.
func (d *Detector) company(w *warpState, a *event.Access, set uint32, e entry, s strength) (lanes uint32, chained bool) {
	first := firstLane(set)
	lanes = uint32(1) << first
	t := w.at(first)
	if a.Kind == event.Write || s.release || t.lanes == lanes {
		return lanes, false
	}
	// Those next to each other first, and whether that ends where some leave what they find and others do not.
	next, ends, others := true, false, uint32(0)
	for rest := set & (set - 1); rest != 0; rest &= rest - 1 {
		lane := firstLane(rest)
		switch {
		case a.Addr[lane] != a.Addr[first]:
			next = false
			continue
		case t.lanes>>lane&1 == 0:
			rest = 0
		case d.fails(lane) != d.fails(first):
			ends, rest = next, 0
		case next:
			lanes |= 1 << lane
		default:
			others |= 1 << lane
		}
	}
	if others != 0 || ends {
		switch at := d.at(a.Space, a.Owner, a.Addr[first]); {
		case !d.inUse && d.friendly(w, a, e, at):
			lanes |= others
		case ends:
			return 1 << first, false
		}
	}
	if lanes&(lanes-1) == 0 || a.Kind != event.Atomic || d.fails(first) {
		return lanes, false
	}
	if a.Op == event.AtomicCompareExchange {
		return 1 << first, false
	}
	switch {
	case t.selfAware(lanes, location{d.at(a.Space, a.Owner, a.Addr[first]), e.size}, d.height):
		return lanes, false
	case d.chained(t, lanes, a, e, s):
		return lanes, true
	}
	return 1 << first, false
}

// friendly reports whether a strong access races with nothing, as all others of its word are strong, too.
func (d *Detector) friendly(w *warpState, a *event.Access, e entry, at uint64) bool {
	c := d.shadow.peek(at)
	if c == nil || a.Elements != 1 || at&3+uint64(a.Size) > 4 {
		return false
	}
	e.mask, e.warp = maskOf(at, at+uint64(a.Size)), w.number
	for _, x := range c.refs() {
		if o := d.shadow.acts.entry(x); x.lanes != 0 && !e.friends(&o) {
			return false
		}
	}
	if c.more != nil && c.more.groups != nil {
		for i := range *c.more.groups {
			if g := &(*c.more.groups)[i]; len(g.list) > 0 && !g.friends(&e) {
				return false
			}
		}
	}
	return true
}

// selfAware reports whether threads that are alike know all that each of them publishes with a location.
func (t *thread) selfAware(lanes uint32, at location, height int) bool {
	r := record{written: written{warp: t.w.number, lanes: lanes, shows: t.published(at, strength{})}, cluster: t.place.cluster}
	return r.shows == nothing || t.above(&r, height)
}

// fails reports whether a lane's compare-and-swap leaves what it finds.
func (d *Detector) fails(lane int) bool { return d.failing>>lane&1 != 0 }

// element handles one strong access of threads that are alike.
func (d *Detector) element(w *warpState, lanes uint32, a *event.Access, e entry, s strength, at uint64, i int, chained bool) {
	lane := firstLane(lanes)
	t := w.at(lane)
	d.serial++
	if d.fails(lane) {
		e.kind = event.Read
	}
	first := d.found[lane]
	if first == nil || i > 0 {
		first = d.cell(at)
	}
	d.poll(w, lanes, a, first, at)
	e.lanes = lanes
	if s.acquire || s.release {
		w.unchain(lanes, d.height)
		t = w.take(lane, lanes)
	}
	var seen, shown *record
	if a.Kind != event.Write {
		seen = first.record(at, int(e.size))
		if seen != nil && (seen.warp != w.number || seen.lanes != lanes || lanes&(lanes-1) != 0) {
			w.note(logged{lanes: lanes, epoch: t.own, pc: a.PC, written: seen.written, linked: linked(seen, w.place, s.scope)})
		}
		if seen != nil && e.kind == event.Read && linked(seen, w.place, s.scope) {
			seen.readBy(part{w.number, lanes, t.own})
		}
		if e.kind == event.Read && !s.acquire && !s.release && d.sameLook(t, first, lanes, a, seen) {
			if lanes == a.Mask && a.Elements == 1 && seen == first.records {
				w.waits(t, a, at).sees(first, seen, lane)
			}
			return
		}
		shown = seen.absolute(0)
		if s.acquire { // what an acquire operation observes is before it already
			d.observe(t, shown, s, location{at, e.size}, lanes)
			w.log.acquired(lanes, s.scope)
		}
	}
	e.epoch = t.own
	c := first
	fresh := seen == nil && e.kind != event.Read && d.fresh(at, uint64(e.size))
	for from, end := at, at+uint64(e.size); from < end; {
		stop := min(end, from&^3+4)
		e.mask = maskOf(from, stop)
		if a.Kind == event.Write {
			e.value = d.valueAt(a, lane, int(from-at)+i*int(e.size))
		}
		if from != at {
			c = d.cell(from)
		}
		d.check(t, c, &e, from)
		from = stop
	}
	if seen != nil && e.kind == event.Read && d.raced != d.serial && a.Elements == 1 && at&3+uint64(e.size) <= 4 {
		w.looked(t, lanes, a, seen)
	}
	if a.Kind != event.Write && !s.acquire {
		t = d.observe(t, shown, s, location{at, e.size}, lanes)
	}
	if s.release { // the read of a read-modify-write, too, is before what it releases
		t.pass(d.height)
	}
	if chained {
		t = w.take(lane, lanes)
		t.chain(&record{
			written: written{at: at, pc: a.PC, warp: e.warp, lanes: lanes, epoch: t.own, shows: t.published(location{at, e.size}, s)}, size: e.size, cluster: t.place.cluster, scope: s.scope,
		})
	}
	if e.kind != event.Read {
		d.write(t, first, a, e, s, at, shown, fresh)
	}
}

// fresh reports whether no strong write of some bytes, or of others of their words, is known.
func (d *Detector) fresh(at, size uint64) bool {
	for from := at &^ 3; from < at+size; from += 1 << wordBits {
		if c := d.shadow.peek(from); c != nil && (c.records != nil || d.shadow.acts.holdsStrongWrite(c)) {
			return false
		}
	}
	return true
}

// observe makes the threads of a strong read observe the record of a location, and acquires it if the read
// does; it returns their state.
func (d *Detector) observe(t *thread, r *record, s strength, at location, lanes uint32) *thread {
	if t.heeds(r, lanes, s.scope, d.height) {
		t = t.w.take(firstLane(lanes), lanes)
		t.w.block.heard = true
		t.read(r, d.height, d.acquires)
	}
	if p := t.seen[at]; p != nil && s.acquire {
		t.acquire(p, s.scope, d.height)
	}
	return t
}

// write keeps a strong write for later reads of the location. For a read-modify-write, what
// the record that it has read publishes goes on in it.
func (d *Detector) write(t *thread, c *cell, a *event.Access, e entry, s strength, at uint64, read *record, fresh bool) {
	lock := false
	for rest := e.lanes; rest != 0; rest &= rest - 1 {
		lock = d.noteLock(t, c, a, s, firstLane(rest), at) || lock
	}
	r := record{
		written: written{at: at, pc: a.PC, warp: e.warp, lanes: e.lanes, epoch: t.own}, size: e.size, cluster: t.place.cluster, scope: s.scope, lock: lock,
	}
	d.wide = d.wide || e.size > 4
	r.chain = (a.Kind == event.Atomic || fresh) && extends(read, t.place, s.scope, fresh)
	r.shows = t.published(location{at, e.size}, s)
	if a.Kind == event.Atomic && read != nil && linked(read, t.place, s.scope) {
		r.lock = r.lock || read.lock
		r.inherit(read, d.height)
	}
	kept := d.keepRecord(c, &r)
	if e.lanes&(e.lanes-1) != 0 {
		t.w.note(logged{lanes: e.lanes, epoch: t.own, pc: a.PC, written: kept.written, linked: true, chain: true})
	}
}

// keepRecord makes a strong write the last one of its bytes.
func (d *Detector) keepRecord(c *cell, r *record) *record {
	at, kept := r.at, c.records
	if r.size <= 4 && kept != nil && kept.next == nil && kept.at == at && kept.size == r.size {
		if kept.kept() {
			kept = d.shadow.spare.record()
			c.records = kept
		}
		*kept = *r
		if d.wide && at>>wordBits&1 != 0 {
			d.shadow.peek(at&^7).forget(at, at+uint64(r.size))
		}
		return kept
	}
	for from, end := at, at+uint64(r.size); from < end; from = from&^3 + 4 {
		d.forget(d.cell(from), from, min(end, from&^3+4))
	}
	kept = d.shadow.spare.record()
	r.next = c.records
	*kept, c.records = *r, kept
	return kept
}

// judge reports an earlier access that races with the present one, or that only locks keep from it.
func (d *Detector) judge(c *cell, before bool, o, e *entry, t *thread, at uint64) {
	switch {
	case !before:
		d.conflict(o, e, t, at)
	case d.inUse:
		d.suspect(c, o, e, t, at)
	}
}

// check compares an access of some bytes of a word with those before it, and keeps it.
func (d *Detector) check(t *thread, c *cell, e *entry, at uint64) {
	if d.sight.chains = nil; c.records != nil || d.wide && at>>wordBits&1 != 0 {
		d.look(t, c, e, at)
	}
	if c.listed || !d.checkFew(t, c, e, at) {
		d.checkCrowd(t, c, e, at)
	}
	if d.inUse && !(e.flags.level() == strong && c.isLock(at)) { // how locks are accessed does not matter
		d.guard(t, c, e)
	}
}

// checkFew is check for a word with a write and a read at most. It reports false, before it has compared
// anything, if there would be more.
func (d *Detector) checkFew(t *thread, c *cell, e *entry, at uint64) bool {
	acts := &d.shadow.acts
	w, r := acts.entry(c.few[0]), acts.entry(c.few[1])
	written, read := w.empty(), r.empty() || !e.writes() && r.mask&e.mask == 0
	if !written {
		written = d.before(&w, e, t)
	}
	if !read {
		read = d.before(&r, e, t)
	}
	// What is kept of the two.
	write := !w.empty() && !(written && e.standsFor(&w))
	reads := !r.empty() && !(read && e.standsFor(&r))
	friends := write && e.friends(&w)
	if friends && w.warp == e.warp && (r.empty() || !e.writes()) && acts.absorb(c.write(), &w, e, d.joins(t, c)) {
		return true
	}
	known := write && w.warp == e.warp && e.lanes&^w.lanes == 0 && w.epoch == e.epoch && w.standsFor(e) && (e.kind != event.Write || e.value == w.value)
	join := !known && !e.writes() && reads && r.warp == e.warp && acts.absorb(c.read(), &r, e, d.joins(t, c))
	if !known && !join && (e.writes() && write || !e.writes() && reads) {
		return false
	}
	if !w.empty() && !friends {
		d.judge(c, written, &w, e, t, at)
	}
	if !r.empty() && e.writes() {
		d.judge(c, read, &r, e, t, at)
	}
	if !e.writes() && (known || join) {
		if known {
			acts.reread(c.write())
		}
		return true
	}
	if !reads {
		*c.read() = ref{}
	}
	switch {
	case known:
	case e.writes():
		*c.write() = acts.ref(e)
	default:
		if !write {
			*c.write() = ref{}
		}
		*c.read() = acts.ref(e)
	}
	return true
}

// joins reports whether lanes that access a word with one instruction need not be told apart, as locks
// would want.
func (d *Detector) joins(t *thread, c *cell) bool {
	return !d.inUse || !c.guarded() && len(t.w.block.held) == 0
}

// before reports whether an access precedes the present one of a thread.
func (d *Detector) before(o, e *entry, t *thread) bool {
	if d.sight.sighted(o) {
		return true
	}
	if o.flags&async != 0 {
		return t.past.copies.covers(agentHeight, o.warp<<fanBits, o.lanes, o.epoch)
	}
	lanes := o.lanes
	// A thread's own accesses are before its next ones. Lanes that read together share all else.
	if o.warp == t.w.number && e.lanes&(e.lanes-1) == 0 {
		lanes &^= e.lanes
		if lanes == 0 {
			return true
		}
	}
	if o.warp>>fanBits == t.w.number>>fanBits && t.hasMet(o.epoch, d.height) {
		return true
	}
	return t.covers(t.past.threads, d.height, o.warp, lanes, o.epoch, e.lanes)
}
