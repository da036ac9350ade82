package causality

// This file looks for bulk copies of shared memory that threads have written. They read by the async proxy: what orders
// the two is not enough, a proxy fence has to stand on the way, before or behind it (PTX ISA, "Async proxy" and "Causality
// order"). The other direction needs none, as copies end with such a fence. Of a word its last write is looked at.

import (
	"cmp"
	"slices"
	"strings"

	"github.com/warplint/warplint/dynamic/event"
)

// proxies are the writes to shared memory, by pages of 1024 words, and the proxy fences, by warp, in a launch with such copies.
type proxies struct {
	readsShared bool // the program has such copies
	written     map[uint64]*[1 << (proxyPageBits - wordBits)]proxyWrite
	fences      map[uint32][]proxyFence
	turn        uint64 // counts the writes and fences
}

const proxyPageBits = 12

// proxyWrite is the last write of a word by a thread, and its turn; 0 for none.
type proxyWrite struct {
	turn            uint64
	warp, epoch, pc uint32
	lane, size      uint8
	kind            event.Kind
}

// proxyFence is what lanes knew that executed a proxy fence, and when.
type proxyFence struct {
	turn         uint64
	lanes, epoch uint32
	each         bool
	knew         *node
}

// readsShared reports whether an instruction is a bulk copy out of shared memory.
func readsShared(text string) bool {
	return strings.Contains(text, "async.bulk") && (strings.Contains(text, ".global.shared") || strings.Contains(text, ".shared::cluster.shared::cta"))
}

// wroteShared notes a write by threads.
func (d *Detector) wroteShared(w *warpState, a *event.Access) {
	d.turn++
	for rest := a.Mask; rest != 0; rest &= rest - 1 {
		lane := firstLane(rest)
		write := proxyWrite{d.turn, w.number, w.at(lane).own, a.PC, uint8(lane), uint8(a.Size / a.Elements), a.Kind}
		d.setWritten(sharedAt(a.Owner, a.Addr[lane]), uint64(a.Size), write)
	}
}

func (d *Detector) setWritten(at, size uint64, write proxyWrite) {
	for stop := at + size; at < stop; at = at&^(1<<wordBits-1) + 1<<wordBits {
		page := d.written[at>>proxyPageBits]
		if page == nil {
			if write.turn == 0 {
				continue
			}
			if d.written == nil {
				d.written = map[uint64]*[1 << (proxyPageBits - wordBits)]proxyWrite{}
			}
			page = new([1 << (proxyPageBits - wordBits)]proxyWrite)
			d.written[at>>proxyPageBits] = page
		}
		page[at%(1<<proxyPageBits)>>wordBits] = write
	}
}

// ProxyFence implements event.Listener.
func (d *Detector) ProxyFence(s *event.Step) {
	if d.off || !d.readsShared {
		return
	}
	if d.renumbers() {
		defer d.renumber(s)()
	}
	if d.fences == nil {
		d.fences = map[uint32][]proxyFence{}
	}
	d.turn++
	w := d.warp(s.Block, s.Warp)
	w.unchain(s.Mask, d.height)
	list := d.fences[w.number]
	for rest := s.Mask; rest != 0; {
		t := w.at(firstLane(rest))
		list = append(list, proxyFence{d.turn, t.lanes & rest, t.own, t.each, t.past.threads})
		rest &^= t.lanes
	}
	d.fences[w.number] = list
}

// checkProxies looks for words of a copy's source that a thread has written before, with no fence on the way.
func (d *Detector) checkProxies(t *thread, e entry, at, size uint64) {
	for stop := at + size; at < stop; at += 1 << wordBits {
		page := d.written[at>>proxyPageBits]
		if page == nil {
			continue
		}
		o := page[at%(1<<proxyPageBits)>>wordBits]
		if o.turn == 0 || !d.reaches(t, e.lanes, o.warp, o.lane, o.epoch) || d.fenced(t, e.lanes, &o) {
			continue // or races in any case
		}
		old := entry{act{warp: o.warp, epoch: o.epoch, pc: o.pc, mask: 1<<(1<<wordBits) - 1, size: o.size, kind: o.kind}, 1 << o.lane}
		e.mask = old.mask
		d.keepPair(&old, &e, t, at, apartOf(o.warp, t.w.number).kind(), Race{Missing: ProxyFence})
		return
	}
}

// fenced reports whether a proxy fence stands between a write and what a lane does now: one of the thread that wrote, of the lane itself,
// or of a third one.
func (d *Detector) fenced(t *thread, lane uint32, o *proxyWrite) bool {
	own := d.fences[o.warp]
	from, _ := slices.BinarySearchFunc(own, o.turn, func(f proxyFence, turn uint64) int { return cmp.Compare(f.turn, turn) })
	for _, f := range own[from:] {
		if f.lanes>>o.lane&1 != 0 {
			if d.reaches(t, lane, o.warp, o.lane, f.epoch) {
				return true
			}
			break
		}
	}
	for warp, list := range d.fences {
		for _, f := range slices.Backward(list) {
			if f.turn < o.turn {
				break
			}
			if d.reachesFence(&f, o) && d.knowsFence(t, lane, &f, warp) {
				return true
			}
		}
	}
	return false
}

// reaches reports whether what a thread has done up to an epoch is before what a lane does now.
func (d *Detector) reaches(t *thread, lane, warp uint32, of uint8, epoch uint32) bool {
	return warp == t.w.number && lane == 1<<of || t.covers(t.past.threads, d.height, warp, 1<<of, epoch, lane)
}

// reachesFence reports whether a write is before a fence of one of some lanes.
func (d *Detector) reachesFence(f *proxyFence, o *proxyWrite) bool {
	return f.knew.covers(d.height, o.warp<<fanBits, 1<<o.lane, o.epoch) ||
		f.each && f.lanes>>o.lane&1 != 0 && f.knew.covers(d.height, o.warp<<fanBits, ownLane, o.epoch)
}

// knowsFence reports whether a fence of one of some lanes is before what a lane does now.
func (d *Detector) knowsFence(t *thread, lane uint32, f *proxyFence, warp uint32) bool {
	for rest := f.lanes; rest != 0; rest &= rest - 1 {
		if d.reaches(t, lane, warp, uint8(firstLane(rest)), f.epoch) {
			return true
		}
	}
	return false
}

// forgetWritten forgets what was written to the shared memory of a block that has ended, and its fences.
func (d *Detector) forgetWritten(owner, size int) {
	if d.written == nil {
		return
	}
	for at := uint64(0); at < uint64(size); at += 1 << proxyPageBits {
		delete(d.written, sharedAt(owner, at)>>proxyPageBits)
	}
	for warp := range uint32(fan) {
		delete(d.fences, warpNumber(owner, 0)+warp)
	}
}
