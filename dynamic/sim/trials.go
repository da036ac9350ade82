// This file executes single blocks of a launch before it happens, for a listener that wants to
// see what they do to memory of its choice.

package sim

import (
	"context"
	"fmt"
	"io"

	"github.com/warplint/warplint/dynamic/event"
)

// trials implements event.Trials for a launch that is about to run.
type trials struct {
	ctx    context.Context
	device *Device
	launch *launch
}

// canTry reports whether the blocks of the launch can run one without the others, and leave nothing
// behind but what they write.
func (l *launch) canTry() bool {
	return !l.config.Cooperative && l.config.Cluster.Count() == 1 && !l.program.allocates && !l.program.launches
}

// Blocks implements event.Trials.
func (t *trials) Blocks() []int {
	if t.launch.config.Only != nil {
		return t.launch.config.Only
	}
	all := make([]int, t.launch.config.Grid.Count())
	for i := range all {
		all[i] = i
	}
	return all
}

// Memory implements event.Trials.
func (t *trials) Memory(a *event.Allocation) []byte {
	bytes, err := t.device.Bytes(a.Base, a.Size)
	if err != nil {
		return nil
	}
	return bytes
}

// Try implements event.Trials.
func (t *trials) Try(block int, to event.Audience) error {
	config := t.launch.config
	config.Only, config.Progress = []int{block}, nil
	l, err := t.device.prepare(t.launch.kernel, config)
	if err != nil {
		return err
	}
	l.event, l.output = t.launch.event, io.Discard
	l.cores[0].listener, l.cores[0].audience = to, to
	return l.run(t.ctx)
}

// maxTurn is how many instructions a turn of a warp may have in a trial: who waits in a loop for
// what another warp does would go round in it for ever.
const maxTurn = 1 << 24

// try gives each warp a turn that lasts until all its threads wait or have ended, and reports whether
// one did anything.
func (b *block) try(ctx context.Context) bool {
	c, ran := b.core, false
	for _, w := range b.warps {
		if !w.ready() {
			continue
		}
		if !c.audience.Turn(b.index, w.index, b.shared) {
			panic(errStopped)
		}
		for end := c.instructions + maxTurn; w.live != 0 && w.run(1<<12); {
			ran = true
			c.checkProgress()
			c.checkLimits(ctx)
			if c.instructions > end {
				panic(c.stopped(Limit, fmt.Sprintf("%d instructions of one warp", maxTurn), nil))
			}
		}
	}
	return ran
}

// ready reports whether some threads of a warp wait for nobody.
func (w *warp) ready() bool {
	for i := range w.groups {
		if g := &w.groups[i]; g.wait == waitNothing && g.mask&w.live != 0 {
			return true
		}
	}
	return false
}
