package hb

// This file looks for bulk copies of shared memory that threads have written before. They read by the async proxy: a proxy fence
// has to stand on the way, before or behind what orders the two (PTX ISA, "Async proxy" and "Causality order").

import (
	"slices"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/ir/interp"
)

// proxyFences are those that were executed, by thread.
type proxyFences map[*thread][]proxyFence

// proxyFence ends an epoch of its thread.
type proxyFence struct {
	epoch uint32
	past  vector
}

// ProxyFence implements interp.Listener.
func (d *Detector) ProxyFence(it *interp.Thread) {
	if d.fences == nil {
		d.fences = proxyFences{}
	}
	t := d.thread(it)
	d.fences[t] = append(d.fences[t], proxyFence{t.own, t.past.real})
	t.own++
}

func isBulkRead(a *interp.Access) bool {
	return a.Async != nil && !a.Wrote && a.Async.Stmt.Op == "bulk.copy" && a.Object.Space == ir.Shared
}

// copiedOver notes that an asynchronous copy has written over what threads wrote; it ends with a proxy fence.
func (c *cell) copiedOver(mask uint8) {
	for i := range c.writes.all {
		if o := &c.writes.all[i]; o.mask&^mask == 0 {
			o.copied = true
		}
	}
}

// unfenced reports whether an access that is before a bulk copy is a thread's write with no proxy fence between.
func (d *Detector) unfenced(o *entry, past vector) bool {
	if !o.writes || o.copied || int(o.id) >= len(d.threads) {
		return false
	}
	for _, f := range d.fences[o.who] {
		if f.epoch >= o.epoch {
			if past.at(int(o.id)) >= f.epoch {
				return false
			}
			break
		}
	}
	for t, list := range d.fences {
		for _, f := range slices.Backward(list) {
			if past.at(t.id) >= f.epoch {
				if f.past.at(int(o.id)) >= o.epoch {
					return false
				}
				break
			}
		}
	}
	return true
}
