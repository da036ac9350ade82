package causality

// This file cuts an access of a warp into runs, one or more for each row that it goes to, and has the rows take them.

import (
	"math/bits"

	"github.com/warplint/warplint/dynamic/event"
)

// What a run can say: the bytes of a lane, and of an element.
const (
	maxRunBytes     = 32
	maxElementBytes = 16
)

// runs handles an access in runs as far as that is possible, and returns the lanes that are left. If the
// access is a volatile write, its threads are alike.
func (d *Detector) runs(w *warpState, a *event.Access) (left uint32) {
	if a.Size&3 != 0 || a.Size > maxRunBytes || a.Size > maxElementBytes*a.Elements {
		return a.Mask
	}
	t := w.at(firstLane(a.Mask))
	if !w.inStep(a.Mask, t.own) {
		return a.Mask
	}
	d.keeper = w.number
	if a.Kind == event.Read && !a.Volatile && !w.parted && d.joinsIn(w, a) {
		return 0
	}
	level, shows := weak, (*publication)(nil)
	if a.Volatile {
		level = volatile
		if a.Kind == event.Write {
			if shows = t.published(location{}, strength{}); shows == nothing {
				shows = nil
			}
		}
	}
	var e, next run
	e.besides = w.besides(shows, w.block.holding())
	next.besides = e.besides
	like := formOf(a.Kind, level, uint8(a.Size/a.Elements))
	small := 0
	for rest := a.Mask; rest != 0; {
		if next.lanes != 0 {
			e.set(&next)
			next.lanes = 0
		} else {
			t.segment(&e, like, a, rest)
		}
		if rest == a.Mask && level == weak && e.besides == alone && e.lanes != rest {
			t.segment(&next, like, a, rest&^e.lanes)
			switch scattered := e.lanes|next.lanes != rest; {
			case !scattered:
			case max(bits.OnesCount32(e.lanes), bits.OnesCount32(next.lanes)) < fewLanes && d.pageOf(a).own != nil:
				return rest
			case d.apart(a, e.lanes):
				if rest = d.scatter(t, a); rest == 0 {
					return 0
				}
				t.segment(&e, like, a, rest)
				next.lanes = 0
			}
		}
		e.all = e.words
		lanes := e.lanes
		if rest &^= lanes; bits.OnesCount32(lanes) < fewLanes {
			if small++; small > 1 {
				return left | d.lone(w, a, &e, lanes|rest)
			}
		}
		left |= d.run(w, a, &e, false)
	}
	return left
}

// joinsIn is a short way for what loops over tiles mostly do: it adds a read by a whole warp to the first run of a row, which
// is one of the same instruction in the same epoch. It reports false, having done nothing, if there is more to do.
func (d *Detector) joinsIn(w *warpState, a *event.Access) bool {
	if a.Size != 1<<wordBits || len(w.block.held) > 0 || !a.Uniform && !a.Together {
		return false
	}
	at := d.at(a.Space, a.Owner, a.Addr[firstLane(a.Mask)])
	p, in, word := d.shadow.page(at>>pageBits), rowIn(at), at>>wordBits&(rowWords-1)
	if p.full>>in&1 == 0 || p.scattered != nil || at&3 != 0 {
		return false
	}
	r := &p.rows[in]
	o, t := &r.read, &w.whole
	if o.epoch != t.own || o.pc != a.PC || o.lanes != a.Mask || o.besides != alone || o.level() != weak || o.size() != 1<<wordBits {
		return false
	}
	words := uint32(1) << word
	if a.Together {
		words = allLanes
	}
	if (r.celled|r.write.words|r.more.writtenWords())&words != 0 {
		return false
	}
	switch {
	case a.Together:
		if word != 0 || o.words != allLanes || o.wide() != 1 || o.gaps() || o.warp>>fanBits != w.number>>fanBits {
			return false
		}
		if o.warp != w.number {
			o.fellows |= 1 << (w.number & (fan - 1))
		}
	case o.warp != w.number || o.wide() != 0 || o.fellows != 0:
		return false
	default:
		o.all, o.words = o.all|words, o.words|words
		o.form = o.form.at(int(o.first()), min(word, uint64(o.word())), 0)
	}
	return true
}

// run handles one run, as far as that is possible, and returns the lanes that are left. One of a single lane it
// handles only where it takes little room.
func (d *Detector) run(w *warpState, a *event.Access, e *run, lone bool) (left uint32) {
	at := d.at(a.Space, a.Owner, a.Addr[e.first()])
	if e.wide() == 0 && a.Kind == event.Write && e.lanes&(e.lanes-1) != 0 || at&3 != 0 {
		return e.lanes
	}
	p := d.shadow.page(at >> pageBits)
	in := rowIn(at)
	lanes := e.lanes
	if p.full>>in&1 == 0 && p.scattered == nil && p.quiet[in].add(d, e, w) {
		d.kept |= lanes
		return 0
	}
	r := p.row(in)
	d.renew(p, r, at, w)
	if p.scattered != nil {
		p.scattered.renew(p, d.lastMet(at, w), e.epoch)
		d.beside(p, at>>pageBits, in, e.words, a.Kind == event.Write)
	}
	if own := r.celled & e.words; own != 0 {
		if e.wide() != 1 || own == e.words {
			return e.lanes
		}
		left = e.lanesAt(own)
		e.words &^= own
	}
	d.lessons = d.lessons[:0]
	switch {
	case lone && !r.hasRoom(e) || !d.accept(r, e, w, at):
		left |= e.lanesAt(e.words)
	case len(d.lessons) > 0:
		d.learn(w, e, at)
	}
	d.kept |= lanes &^ left
	return left
}

// lone handles scattered lanes, those of a row together that lie as their numbers do, as where lanes go round a loop out of step.
func (d *Detector) lone(w *warpState, a *event.Access, e *run, lanes uint32) (left uint32) {
	like, wide := e.form&^(withGaps|goesDown), uint64(a.Size)>>wordBits
	var with [fan]uint32    // those that go together, by the first of them
	var last [2 * fan]uint8 // the first, counted from 1, by the last bits of where lane 0 would be
	firsts := uint32(0)
	for rest := lanes; rest != 0; rest &= rest - 1 {
		lane := firstLane(rest)
		at := a.Addr[lane]
		word := at >> wordBits & (rowWords - 1)
		if at&3 != 0 || word+wide > rowWords {
			left |= 1 << lane
			continue
		}
		begin := at - uint64(lane*a.Size)
		slot := &last[(begin>>wordBits^begin>>(wordBits+6))%uint64(len(last))]
		if first := int(*slot) - 1; first >= 0 && a.Addr[first]-uint64(first*a.Size) == begin && (a.Addr[first]^at)>>(wordBits+rowBits) == 0 {
			with[first] |= 1 << lane
			continue
		}
		*slot, with[lane] = uint8(lane)+1, 1<<lane
		firsts |= 1 << lane
	}
	for ; firsts != 0; firsts &= firsts - 1 {
		first := firstLane(firsts)
		word := a.Addr[first] >> wordBits & (rowWords - 1)
		e.lanes, e.form, e.words = with[first], like.at(first, word, wide), 0
		for rest := e.lanes; rest != 0; rest &= rest - 1 {
			e.words |= wordsFrom(word+uint64(firstLane(rest)-first)*wide, wide)
		}
		e.all = e.words
		left |= d.run(w, a, e, true)
	}
	return left
}

// segment takes lanes, from the lowest of a set on, whose words can be a run.
func (t *thread) segment(e *run, like form, a *event.Access, set uint32) {
	first := firstLane(set)
	at, wide := a.Addr[first], uint64(a.Size)>>wordBits
	last := at | (rowWords<<wordBits - 1) // of the row
	word := at >> wordBits & (rowWords - 1)
	e.warp, e.epoch, e.pc, e.form = t.w.number, t.own, a.PC, like.at(first, word, wide)
	switch next := firstLane(set & (set - 1)); {
	case a.Together: // so the set is all lanes from the first on
		n := fan - uint64(first)
		if room := rowWords - word; n*wide > room {
			n = (room + wide - 1) / wide
		}
		e.lanes, e.words = uint32(1<<n-1)<<first, uint32(1<<(n*wide)-1)<<word
	case set&(set-1) == 0:
		e.lanes, e.words = set, wordsFrom(word, wide)
	case a.Uniform:
		e.lanes, e.words = set, wordsFrom(word, wide)
		e.form = like.at(first, word, 0)
	case next == first+1 && a.Addr[next] == at:
		e.lanes = 1 << first
		for ; next < fan && set>>next&1 != 0 && a.Addr[next] == at; next++ {
			e.lanes |= 1 << next
		}
		e.words, e.form = wordsFrom(word, wide), like.at(first, word, 0)
	case wide > 1:
		e.lanes = 1 << first
		end := at + wide<<wordBits
		for next = first + 1; next < fan && set>>next&1 != 0 && a.Addr[next] == end && end <= last; next++ {
			e.lanes |= 1 << next
			end += wide << wordBits
		}
		e.words = wordsFrom(word, (end-at)>>wordBits)
	case a.Kind == event.Read && a.Addr[next] < at:
		e.descend(a, set)
	default:
		e.ascend(a, set)
	}
	e.all = e.words
}

// wordsFrom are some words of a row from one on.
func wordsFrom(word, n uint64) uint32 { return uint32(1<<n-1) << word }

// ascend takes the lanes of a set that go up from the first one, in its row.
func (r *run) ascend(a *event.Access, set uint32) {
	before := firstLane(set)
	at := a.Addr[before]
	last := at | (rowWords<<wordBits - 1)
	lanes, words, apart := set&-set, uint32(1)<<r.word(), uint64(0)
	for rest := set & (set - 1); rest != 0; rest &= rest - 1 {
		lane := firstLane(rest)
		next := a.Addr[lane]
		if next <= at || next > last || next&3 != 0 {
			continue // of another row, or out of order
		}
		apart |= next - at - uint64(lane-before)<<wordBits
		at, before = next, lane
		lanes |= rest & -rest
		words |= 1 << (next >> wordBits & (rowWords - 1))
	}
	if r.lanes, r.words = lanes, words; apart != 0 {
		r.form |= withGaps
	}
}

// descend takes the lanes of a set that go down from the first one, in its row.
func (r *run) descend(a *event.Access, set uint32) {
	at := a.Addr[firstLane(set)]
	begin := at &^ (rowWords<<wordBits - 1)
	lanes, words := set&-set, uint32(1)<<r.word()
	for rest := set & (set - 1); rest != 0; rest &= rest - 1 {
		next := a.Addr[firstLane(rest)]
		if next >= at || next < begin || next&3 != 0 {
			continue
		}
		at = next
		lanes |= rest & -rest
		words |= 1 << (next >> wordBits & (rowWords - 1))
	}
	if r.lanes, r.words = lanes, words; lanes&(lanes-1) != 0 {
		r.form |= withGaps | goesDown
	}
}

// fewLanes hardly make a run: where lanes are scattered, runs would be as many as words.
const fewLanes = 4
