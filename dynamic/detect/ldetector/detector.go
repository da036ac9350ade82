package ldetector

// This file defines the detector: the passes over a launch.

import (
	"github.com/warplint/warplint/dynamic/detect/pair"
	"github.com/warplint/warplint/dynamic/event"
)

// Detector is an event.Listener that collects the races of a device's launches.
type Detector struct{ pair.Log }

// New returns a detector for one device.
func New() *Detector { return &Detector{} }

// LaunchBegin implements event.Listener: all is done before the launch.
func (d *Detector) LaunchBegin(l *event.Launch) {
	if l.Trials == nil {
		return
	}
	m := newMemory(l.Trials, d.Allocations())
	if d.betweenBlocks(l, m) {
		return
	}
	for _, block := range l.Trials.Blocks() {
		if d.betweenWarps(l, m, block) {
			return
		}
	}
}

// betweenBlocks takes each block for a group, and the launch for a region. It reports whether there
// is a race.
func (d *Detector) betweenBlocks(l *event.Launch, m *memory) bool {
	blocks := l.Trials.Blocks()
	if len(blocks) < 2 {
		return false
	}
	var regions []*region
	for range 2 {
		t := d.newTrial(l, m, false, regions)
		t.open()
		for _, block := range blocks {
			t.begin(block)
			if err := l.Trials.Try(block, t); err != nil {
				t.ended = true
			}
			t.end()
			if t.ended {
				break
			}
		}
		m.restore()
		if t.racy || t.ended {
			return t.racy
		}
		regions = t.regions
	}
	return false
}

// betweenWarps takes each warp of a block for a group. It reports whether there is a race.
func (d *Detector) betweenWarps(l *event.Launch, m *memory, block int) bool {
	first := d.newTrial(l, m, true, nil)
	d.pass(l, block, first)
	done := first.regions
	if len(done) > 0 && first.ended {
		done = done[:len(done)-1] // the rest of the last one is not known
	}
	if len(done) == 0 {
		return first.racy
	}
	second := d.newTrial(l, m, true, done)
	d.pass(l, block, second)
	return first.racy || second.racy
}

func (d *Detector) pass(l *event.Launch, block int, t *trial) {
	if err := l.Trials.Try(block, t); err != nil {
		t.ended = true
	}
	t.end()
	t.close()
	t.memory.restore()
}
