package causality

// This file holds what words refer to against what was kept in them, through many sweeps.

import (
	"math/rand/v2"
	"testing"

	"github.com/warplint/warplint/dynamic/event"
)

func TestSweep(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	d := &Detector{shadow: pages{all: map[uint64]*page{}, spare: &spare{}, acts: newActs()}}
	kept := map[uint64][]entry{}
	for i := range 100_000 {
		if d.shadow.acts.spent() && !d.shadow.sweep() {
			t.Fatal("no room")
		}
		at := uint64(random.IntN(200)) << wordBits
		c := d.cell(at)
		if random.IntN(4) == 0 {
			*c = cell{}
			delete(kept, at)
		}
		e := entry{act{warp: random.Uint32N(20), epoch: uint32(i / 500), pc: random.Uint32N(4), mask: 15, size: 4, kind: event.Kind(random.IntN(2))}, 1 << random.IntN(fan)}
		c.makeList()
		if len(c.list()) < maxList {
			d.shadow.add(c, &e, d.shadow.acts.name(&e.act), false)
			kept[at] = append(kept[at], e)
		}
	}
	if n := len(d.shadow.acts.list); n > 200*maxList*5 {
		t.Errorf("%d acts", n)
	}
	for at, want := range kept {
		list := d.cell(at).list()
		if len(list) != len(want) {
			t.Fatalf("%d accesses at %d, not %d", len(list), at, len(want))
		}
		for i, x := range list {
			if got := d.shadow.acts.entry(x); got != want[i] || x.act.writes() != got.writes() {
				t.Fatalf("%+v at %d, not %+v", got, at, want[i])
			}
		}
	}
}
