package causality

// This file defines races, and how the pairs of accesses that were seen become reports.

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
	"github.com/warplint/warplint/dynamic/event"
)

// Side is one access of a race.
type Side struct {
	PC       uint32
	Location event.Location
	Thread   race.Thread
	Access   race.Access // Read for a compare-and-swap that failed
	Volatile bool
	Scope    race.Scope // of an atomic, or an access with an order
	Guess    bool       // a read whose value a compare-and-swap of the same place then checks
}

// Race is a pair of instructions whose accesses nothing orders, with the first witness.
type Race struct {
	First, Second Side // in the order of the run
	Kind          race.Kind
	Launch        *event.Launch // of the second
	Parent        *event.Launch // of the first, if that is another one of the family
	Space         event.Space
	Address       uint64 // of the common bytes: an offset for shared memory
	Variable      string // empty if unknown
	Missing       Missing
	// Told is set where nothing is missing but fences behind reads of what others have set, by threads of
	// the second one's block and as far as its logs say (hints.go).
	Told bool
	// Note is set if moreover the second access is strong or volatile, and in no critical section:
	// that works on today's hardware.
	Note bool
	// Locked is set if the second access is in a critical section.
	Locked bool
	// Suspected is set if the accesses were ordered, but by the sequence only in which locks were
	// taken: another run may race.
	Suspected bool
	// InTurn is set if a thread may come to both instructions, one after the other: a barrier can stand between them.
	InTurn bool
	// SameValue is set if all pairs that were seen were writes of the same value.
	SameValue bool
	Count     int // of words of accesses that raced, or of smaller pieces where memory is accessed in such

	born, serial uint64 // the accesses that showed it first and last
	handedOver   bool   // something tells the second thread of the first one's access, whatever is missing to it

	// held is what the second thread held, until the launch has ended and shows whether one is a lock; strong is set if
	// its access is strong or volatile.
	held   []uint64
	strong bool
}

type key struct {
	program     event.Program
	pcs         [2]uint32
	kinds       [2]race.Access
	kind        race.Kind
	told        bool
	suspected   bool
	conditional uint64 // the word, for a race that is none if the word is a flag
}

type reports struct {
	races   map[key]*Race
	sequels map[turn]bool   // which a thread may come to in turn
	recent  [256]recentRace // of this launch
	raced   uint64          // the last access that did
	// Unwatched counts the launches that were too large: over four million blocks, or, rarely, more than sixteen million accesses
	// that matter at once.
	Unwatched int
	// Strayed counts the launches and allocations where an access came to memory that none of the kernel's pointers for such
	// leads to, after others there may have been passed over.
	Strayed int
	// flags are the words that are polled and have no cell that says so, and pollers the instructions that poll, in this launch;
	// waiting are the instructions that stand in loops which wait for others, so what they read is a flag.
	flags   map[uint64]bool
	flagged [128]uint64 // words that were noted of late, and a bit that is set
	pollers []bool      // by instruction
	waiting []bool
	ended   map[int]meets // of blocks, by number
}

// turn are two instructions of a program.
type turn struct {
	program event.Program
	a, b    uint32
}

// inTurn is event.Program.InTurn, which looks at all that lies between two instructions: what conditional races have in common is asked once.
func (r *reports) inTurn(p event.Program, a, b uint32) bool {
	t := turn{p, a, b}
	in, known := r.sequels[t]
	if !known {
		in = p.InTurn(a, b)
		r.sequels[t] = in
	}
	return in
}

// maxConditional bounds the words for which races that depend on their being flags are kept.
const maxConditional = 1 << 16

// conflict keeps a pair that is not ordered, if it conflicts. It reports whether that is a race of which
// the second thread was not told, so that others of its kind with the same access count no more.
func (d *Detector) conflict(o, e *entry, t *thread, at uint64) bool {
	common := o.mask & e.mask
	if common == 0 || !o.writes() && !e.writes() {
		return false
	}
	narrow, conditional := false, false
	need := distance(d.placeOf(int32(d.warpOf(o)>>fanBits)), t.place)
	if la, lb := o.flags.level(), e.flags.level(); la != weak && lb != weak && o.mask == e.mask && o.size == e.size {
		narrow = o.flags.scope() < need || e.flags.scope() < need
		if !narrow && la == strong && lb == strong {
			return false
		}
		conditional = !narrow
	}
	d.raced = d.serial
	word := uint64(0)
	if conditional && len(d.races) < maxConditional {
		word = at&^3 | 1
	}
	apart := apartOf(d.warpOf(o), t.w.number)
	same := o.kind == event.Write && e.kind == event.Write && o.mask == e.mask && (o.flags|e.flags)&(async|various) == 0 && o.value == e.value
	recent := &d.recent[((o.pc*7+e.pc)*uint32(apartCount)+uint32(apart))%uint32(len(d.recent))]
	alike := recent.is(o, e, apart)
	found := alike && recent.word == word
	if found && (same || !recent.race.SameValue) {
		switch r := recent.race; {
		case r.serial == d.serial:
			return true
		case r.Count > maxReconsidered: // if this thread was told, it counts no less
			r.seen(o, e, same, d.serial)
			return true
		}
	}
	second := t.first() + uint32(firstLane(e.lanes))
	first := d.firstThread(o, t, second)
	if e.flags&async == 0 && first>>fanBits == e.warp { // a group's lane other than the first thread
		second = e.warp<<fanBits | uint32(firstLane(e.lanes&^(1<<(first&(fan-1)))))
	}
	told := o.flags&async == 0 && !d.lasts(first, o.epoch) && t.told(firstLane(e.lanes), first, o.epoch, d.height)
	if found && !told {
		d.reconsider(recent.race, o, e, t, first, second, at)
		recent.race.seen(o, e, same, d.serial)
		return true
	}
	a, b := accessOf(o), accessOf(e)
	k := key{program: d.program(), pcs: [2]uint32{o.pc, e.pc}, kinds: [2]race.Access{a, b}, kind: apart.kind(), told: told, conditional: word}
	if o.pc > e.pc || o.pc == e.pc && a > b {
		k.pcs, k.kinds = [2]uint32{e.pc, o.pc}, [2]race.Access{b, a}
	}
	r := d.races[k]
	if r == nil {
		r = &Race{
			Parent: d.otherThan(first),
			First:  d.side(o, first, a), Second: d.side(e, second, b), Kind: apart.kind(), Launch: d.launch, SameValue: same,
			born: d.serial, held: d.heldBy(second), strong: e.flags.level() != weak,
		}
		r.Locked = r.held != nil
		var like *Race
		if alike && recent.words > maxReconsidered && !told {
			like = recent.race
		}
		d.explain(r, o, e, t, first, second, told, narrow, need, at, like)
		d.races[k] = r
	} else if !told {
		d.reconsider(r, o, e, t, first, second, at)
	}
	r.seen(o, e, same, d.serial)
	if !told {
		words := 1
		if alike {
			words += recent.words
		}
		*recent = recentRace{[2]uint32{o.pc, e.pc}, [2]event.Kind{o.kind, e.kind}, apart, word, words, r}
	}
	return !told
}

// lasts reports whether an epoch of a thread has not ended, or has with a barrier to which others have still to come, so that nobody
// can know of it.
func (d *Detector) lasts(id, epoch uint32) bool {
	b := d.blocks[int(id>>blockBits)]
	if b == nil {
		return false
	}
	w, lane := &b.warps[id>>fanBits&(fan-1)], int(id&(fan-1))
	if w.lanes>>lane&1 != 0 && w.at(lane).own == epoch {
		return true
	}
	arrived := func(list []arrival) bool {
		for i := range list {
			if a := &list[i]; a.warp == w && a.lanes>>lane&1 != 0 && a.own == epoch {
				return true
			}
		}
		return false
	}
	return arrived(w.meeting) || slices.ContainsFunc(b.meetings, arrived)
}

// explain says where a new race is, and what it lacks: the same as another one that is like it, if that is known.
func (d *Detector) explain(r *Race, o, e *entry, t *thread, first, second uint32, told, narrow bool, need race.Scope, at uint64, like *Race) {
	d.locate(r, at&^3+uint64(bits.TrailingZeros8(o.mask&e.mask)))
	if l, _, begin := d.home(int(second >> blockBits)); r.Parent == nil {
		r.InTurn = o.pc != e.pc && d.inTurn(l.Program, o.pc-begin, e.pc-begin)
	}
	r.Missing, r.handedOver = AccessScope, false
	switch {
	case (o.flags|e.flags)&async != 0:
		r.Missing = CopyWait
	case like != nil && !like.Locked && !r.Locked:
		r.Missing, r.handedOver = like.Missing, like.handedOver
	case told || !narrow:
		x := d.untold(first, second, o, e, at)
		x.direct = told // else the fences of others have sufficed
		r.Missing, r.handedOver = x.missing(t, int(second&(fan-1)))
	}
	if r.Locked {
		if lacks := d.lockLacks(o, t, first, second, need, at); lacks != Nothing {
			r.held = nil // another thread has held it, too
			if r.Missing == Nothing && !told {
				r.Missing = lacks
			}
		}
	}
	if told && r.Missing != FenceScope {
		r.Missing, r.Told = AcquireFence, true
	}
	r.Note = r.Told && r.strong && !r.Locked
}

// maxReconsidered bounds how often it is asked what a race lacks, and whether its second thread was told.
const maxReconsidered = 32

// reconsider looks at one more pair of a race that lacks a fence: where another one was told nothing, a fence is not all.
func (d *Detector) reconsider(r *Race, o, e *entry, t *thread, first, second uint32, at uint64) {
	if !r.handedOver || r.Count > maxReconsidered || r.Missing == AccessScope || r.Locked {
		return
	}
	if what, told := d.untold(first, second, o, e, at).missing(t, int(second&(fan-1))); !told && what == Nothing {
		r.Missing, r.handedOver = Nothing, false
	}
}

// untold is an earlier access that the present one of a second thread was not told of.
func (d *Detector) untold(first, second uint32, o, e *entry, at uint64) *untold {
	l, _, begin := d.home(int(second >> blockBits))
	size := max(uint64(e.size), 1<<wordBits)
	return &untold{d: d, first: first, epoch: o.epoch, pc: o.pc, at: at &^ (size - 1), size: size,
		unread: func(pc uint32) bool { return l.Program.Unread(pc - begin) },
		leads: func(from, to uint32) bool {
			return from < begin || to < begin || l.Program.Leads(from-begin, to-begin) // else of another grid of a family
		}}
}

// seen counts a pair of a race. Each lane of a store counts, but only once.
func (r *Race) seen(o, e *entry, same bool, serial uint64) {
	r.SameValue = r.SameValue && same
	if r.serial == serial {
		return
	}
	r.serial = serial
	lanes := e.lanes
	if e.kind != event.Write {
		lanes &= -lanes
	} else if o.warp == e.warp && o.lanes&(o.lanes-1) == 0 {
		lanes &^= o.lanes
	}
	r.Count += bits.OnesCount32(lanes)
}

// recentRace is a race that was found of late, by its instructions.
type recentRace struct {
	pcs  [2]uint32
	what [2]event.Kind
	apart
	word  uint64 // as in its key
	words int    // how many there were, one after the other
	race  *Race
}

// is reports whether a pair is of the race, unless the second thread was told or it is about another word.
func (r *recentRace) is(o, e *entry, far apart) bool {
	return r.race != nil && r.pcs == [2]uint32{o.pc, e.pc} && r.what == [2]event.Kind{o.kind, e.kind} && r.apart == far
}

// warpOf is the warp of an access, or the one that began it.
func (d *Detector) warpOf(e *entry) uint32 {
	if e.flags&async != 0 {
		return d.copiers[e.warp]
	}
	return e.warp
}

// apart is how far two warps are from each other.
type apart uint8

const (
	sameWarp apart = iota
	sameBlock
	otherBlock
	apartCount
)

func apartOf(a, b uint32) apart {
	switch {
	case a == b:
		return sameWarp
	case a>>fanBits == b>>fanBits:
		return sameBlock
	}
	return otherBlock
}

func (a apart) kind() race.Kind {
	return [...]race.Kind{race.IntraWarp, race.IntraBlock, race.InterBlock}[a]
}

// keepSuspect keeps a pair that only the sequence of locks has ordered.
func (d *Detector) keepSuspect(o, e *entry, t *thread, at uint64, missing Missing) {
	kind := race.InterBlock
	if int32(o.warp>>fanBits) == t.place.block {
		kind = race.IntraBlock
	}
	d.keepPair(o, e, t, at, kind, Race{Missing: missing, Locked: true, Suspected: true})
}

// keepPair keeps a pair of which it is known what it lacks.
func (d *Detector) keepPair(o, e *entry, t *thread, at uint64, kind race.Kind, what Race) {
	a, b := accessOf(o), accessOf(e)
	k := key{program: d.program(), pcs: [2]uint32{o.pc, e.pc}, kinds: [2]race.Access{a, b}, kind: kind, suspected: what.Suspected}
	if o.pc > e.pc || o.pc == e.pc && a > b {
		k.pcs, k.kinds = [2]uint32{e.pc, o.pc}, [2]race.Access{b, a}
	}
	if r := d.races[k]; r != nil {
		r.Count++
		return
	}
	first, common, r := o.warp<<fanBits|uint32(firstLane(o.lanes)), o.mask&e.mask, &what
	r.Parent, r.Kind, r.Launch, r.Count, r.born, r.serial = d.otherThan(first), kind, d.launch, 1, d.serial, d.serial
	r.First, r.Second = d.side(o, first, a), d.side(e, t.first()+uint32(firstLane(e.lanes)), b)
	if r.Missing == Presence {
		r.Second.Access = race.End
	}
	d.locate(r, at&^3+uint64(bits.TrailingZeros8(common)))
	d.races[k] = r
}

// firstThread is the thread of an earlier access that is not ordered before that of a second one.
func (d *Detector) firstThread(o *entry, t *thread, second uint32) uint32 {
	if o.flags&async != 0 {
		return d.copiers[o.warp]<<fanBits | uint32(firstLane(o.lanes))
	}
	for rest := o.lanes; rest != 0; rest &= rest - 1 {
		lane := rest & -rest
		id := o.warp<<fanBits | uint32(firstLane(lane))
		if id != second && !t.covers(t.past.threads, d.height, o.warp, lane, o.epoch, 1<<(second&(fan-1))) {
			return id
		}
	}
	return o.warp<<fanBits | uint32(firstLane(o.lanes))
}

func accessOf(e *entry) race.Access {
	return [...]race.Access{race.Read, race.Write, race.Atomic}[e.kind]
}

func (d *Detector) side(e *entry, id uint32, access race.Access) Side {
	block, warp, lane := int(id>>blockBits), int(id>>fanBits&(fan-1)), int(id&(fan-1))
	l, block, pc := d.home(block)
	return Side{
		PC: e.pc, Location: l.Program.Location(e.pc - pc), Thread: l.Thread(block, warp, lane), Access: access,
		Volatile: e.flags.level() == volatile, Scope: e.flags.scope(),
		Guess: access == race.Read && l.Program.Guesses(e.pc-pc),
	}
}

// otherThan is the launch of a thread, if it is not the present one.
func (d *Detector) otherThan(id uint32) *event.Launch {
	if l, _, _ := d.home(int(id >> blockBits)); l != d.launch {
		return l
	}
	return nil
}

// locate says what memory a race is about.
func (d *Detector) locate(r *Race, at uint64) {
	if at >= sharedBase {
		r.Space, r.Address = event.Shared, d.memoryAt(at)
		l, _, _ := d.home(int(at &^ sharedBase >> sharedBits))
		for _, v := range l.Shared {
			if at := int(r.Address); v.Offset <= at && at < v.Offset+v.Size {
				r.Variable = v.Name
			}
		}
		return
	}
	r.Address = d.memoryAt(at)
	for _, a := range d.allocations {
		if a.Base <= r.Address && r.Address < a.Base+a.Size {
			r.Variable = a.Name
		}
	}
}

// Allocate implements event.Listener.
func (d *Detector) Allocate(a *event.Allocation) {
	kept := *a
	i, _ := d.allocationAt(a.Base)
	d.allocations = slices.Insert(d.allocations, i, &kept)
}

// Free implements event.Listener. What had been there may be given out again, so the accesses
// to it are forgotten.
func (d *Detector) Free(a *event.Allocation) {
	d.allocations = slices.DeleteFunc(d.allocations, func(o *event.Allocation) bool { return o.ID == a.ID })
	if d.shadow.all == nil {
		return
	}
	for at := a.Base &^ 3; at < a.Base+a.Size; at += 4 {
		p := d.shadow.all[at>>pageBits]
		if p == nil {
			at = at&^(1<<pageBits-1) + 1<<pageBits - 4
			continue
		}
		if p.scattered != nil {
			d.spread(p, at>>pageBits)
		}
		r := d.shadow.row(at)
		if at&(rowWords<<wordBits-1) == 0 && at+rowWords<<wordBits <= a.Base+a.Size {
			d.shadow.empty(r, at)
			*r = row{}
			at += rowWords<<wordBits - 4
			continue
		}
		word := at >> wordBits & (rowWords - 1)
		r.drop(1 << word)
		if c := d.shadow.cellOf(r, at); c != nil {
			*c = cell{polled: c.polled, given: c.given}
		}
	}
}

// settle decides, at the end of a launch, which races on volatile locations are none, and which are in critical sections.
func (d *Detector) settle() {
	for k, r := range d.races {
		if r.held != nil {
			r.Locked = slices.ContainsFunc(r.held, func(at uint64) bool { return d.given[at] })
			r.held, r.Note = nil, r.Told && r.strong && !r.Locked
		}
		if k.conditional == 0 {
			continue
		}
		delete(d.races, k)
		if d.flag(k.conditional&^1) || d.pollers[k.pcs[0]] || d.pollers[k.pcs[1]] || r.guessed() {
			continue
		}
		k.conditional = 0
		have := d.races[k]
		if have == nil {
			d.races[k] = r
			continue
		}
		n := have.Count + r.Count
		if r.born < have.born {
			*have = *r
		}
		have.Count = n
	}
}

// Races returns what was found in the launches that have ended, in the order of the instructions. Of
// two instructions that have also raced with more missing than a reader's fence, it returns that; of
// two that have raced, no suspicion.
func (d *Detector) Races() []*Race {
	var list []*Race
	for k, r := range d.races {
		worse := k
		worse.told, worse.suspected = false, false
		told := worse
		told.told = true
		if k.conditional != 0 || k.told && d.races[worse] != nil || k.suspected && (d.races[worse] != nil || d.races[told] != nil) {
			continue
		}
		list = append(list, r)
	}
	slices.SortFunc(list, func(a, b *Race) int {
		return cmp.Or(cmp.Compare(a.Launch.ID, b.Launch.ID), cmp.Compare(a.First.PC, b.First.PC), cmp.Compare(a.Second.PC, b.Second.PC),
			cmp.Compare(a.First.Access, b.First.Access), cmp.Compare(a.Second.Access, b.Second.Access), cmp.Compare(a.Kind, b.Kind))
	})
	return list
}

// Rule names what is wrong.
func (r *Race) Rule() race.Rule {
	atomics := r.First.Access == race.Atomic || r.Second.Access == race.Atomic
	switch {
	case r.Missing == CopyWait || r.Missing == ProxyFence:
		return race.AsyncCopy
	case r.SameValue:
		return race.SameValueWrite
	case r.Missing == CommonLock:
		return race.LockMismatch
	case r.Missing == Presence:
		return race.MissingClusterSync
	case r.Locked && (r.Missing == AccessScope || r.Missing == FenceScope):
		return race.LockScope
	case r.Locked && (r.Missing == AcquireFence || r.Missing == ReleaseFence || r.Missing == Fences):
		return race.LockFence
	case r.Missing == AccessScope:
		return race.AtomicScope
	case r.Missing == FenceScope:
		return race.FenceScope
	case r.Missing == AcquireFence || r.Missing == ReleaseFence || r.Missing == Fences:
		return race.MissingFence
	case r.Kind == race.InterBlock && r.Space == event.Shared: // two blocks of one cluster
		return race.MissingClusterSync
	case atomics && r.First.Access != r.Second.Access && (r.Kind == race.InterBlock || !r.InTurn || r.guessed()):
		return race.MixedAtomic // what threads of a block do before they count, or behind it, wants a barrier
	case r.Kind == race.IntraWarp:
		return race.MissingSyncwarp
	case r.Kind == race.IntraBlock:
		return race.MissingSyncthreads
	}
	return race.InterBlockRace
}

// guessed reports whether the one is a read whose value a compare-and-swap checks, and the other an atomic: one that comes too
// late costs another round of a loop and nothing else.
func (r *Race) guessed() bool {
	return r.First.Guess && r.Second.Access == race.Atomic || r.Second.Guess && r.First.Access == race.Atomic
}

// Severity says how much a race hurts.
func (r *Race) Severity() race.Severity {
	switch {
	case r.SameValue, r.guessed():
		return race.Hint
	case r.Note:
		return race.Information
	case r.Told || r.Suspected:
		return race.Warning
	}
	return race.Error
}

// Why says in full sentences why nothing orders the two accesses.
func (r *Race) Why() string {
	text := [...]string{
		"No barrier and no hand-over by fences and atomics orders them.",
		"The second thread was told of the first, but a fence or an ordered access on the way is too narrow for their distance.",
		"An atomic's scope does not include the other thread.",
		"The second thread has seen what the first one set, but has no fence behind that.",
		"The first thread told the second, but has no fence between its access and that.",
		"The first thread told the second, but neither has a fence around that.",
		"An asynchronous copy is not finished before a wait for it, and for other threads not before a barrier behind that.",
		"A bulk copy reads past what threads write, also behind a barrier, until a proxy fence (fence.proxy.async) by the thread that wrote, or by the one that copies.",
		"They hold no lock in common.",
		"The shared memory of a block is gone when all its threads have ended, and none of them waits for this access.",
	}[r.Missing]
	if r.Suspected {
		text = "In this run the order in which threads took a lock kept them apart. " + [...]string{
			AccessScope:  "The scope of the lock's atomics does not include both threads.",
			FenceScope:   "The fence behind the taking of the lock is too narrow.",
			AcquireFence: "There is no fence behind the taking of the lock.",
			CommonLock:   "They hold no lock in common.",
		}[r.Missing]
	}
	if r.Parent != nil {
		text += " They are of two grids: what a kernel does behind a launch is not ordered with what it launches, nor are grids of different streams."
	}
	switch {
	case r.guessed():
		text += " The compare-and-swap checks the value again, so a stale one costs another round of the loop and nothing else."
	case r.First.Volatile || r.Second.Volatile:
		text += " Volatile gives no order."
	}
	return text
}

// Finding describes the race for people. The function finds the text that an instruction
// stems from.
func (r *Race) Finding(span func(event.Place) source.Span) race.Finding {
	site := func(s *Side) race.Site {
		out := race.Site{Span: span(s.Location.Place), Access: s.Access, Scope: s.Scope}
		if s.Volatile {
			out.Scope = race.ScopeNone // nobody wrote one
		}
		for _, p := range s.Location.Inlined {
			out.Inlined = append(out.Inlined, span(p))
		}
		return out
	}
	where := r.Variable
	if where == "" {
		where = fmt.Sprintf("address %#x", r.Address)
	}
	return race.Finding{
		Source: "dynamic", Rule: r.Rule(), Kind: r.Kind, Severity: r.Severity(), Kernel: r.Launch.Kernel,
		Space: r.Space.String(), Variable: r.Variable,
		Message: fmt.Sprintf("%s of %s by thread %v of block %v and %s by thread %v of block %v are not ordered (%s, seen %d times)",
			r.First.Access, where, r.First.Thread.Thread, r.First.Thread.Block,
			r.Second.Access, r.Second.Thread.Thread, r.Second.Thread.Block, r.Kind, r.Count),
		Why: r.Why(), First: site(&r.First), Second: site(&r.Second),
		Witness: &race.Witness{Grid: r.Launch.Grid, Block: r.Launch.Block, First: r.First.Thread, Second: r.Second.Thread},
	}
}
