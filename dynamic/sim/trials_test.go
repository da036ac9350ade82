package sim_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/warplint/warplint/dynamic/event"
	"github.com/warplint/warplint/dynamic/sim"
)

// rehearser tries the blocks of a launch before it happens.
type rehearser struct {
	event.Nothing
	order []int // of blocks
	log   []string
}

func (r *rehearser) LaunchBegin(l *event.Launch) {
	if l.Trials == nil {
		r.log = append(r.log, "no trials")
		return
	}
	for _, b := range r.order {
		if err := l.Trials.Try(b, &trial{log: &r.log, turns: 5}); err != nil {
			r.log = append(r.log, err.Error())
		}
	}
	r.log = append(r.log, "launch")
}

func (r *rehearser) BlockBegin(_ *event.Launch, b int) {
	r.log = append(r.log, fmt.Sprint("block ", b))
}

// trial notes turns and barriers, and lets only some turns happen.
type trial struct {
	event.Nothing
	log   *[]string
	turns int
}

func (t *trial) Turn(block, warp int, shared []byte) bool {
	*t.log = append(*t.log, fmt.Sprint("turn ", block, ".", warp, " ", len(shared)))
	t.turns--
	return t.turns >= 0
}

func (t *trial) Barrier(b *event.Barrier) {
	if b.Phase == event.Completed {
		*t.log = append(*t.log, fmt.Sprint("barrier at the turn of ", b.Warp))
	}
}

const trialKernels = `.version 7.5
.target sm_80
.address_size 64
.visible .entry meet()
{
	bar.sync 0;
	ret;
}
.visible .entry spin()
{
	.reg .pred %p; .reg .b32 %r; .shared .b32 s[4];
L:	ld.volatile.shared.u32 %r, [s];
	setp.eq.u32 %p, %r, 0;
	mov.u32 %r, %tid.x;
	@!%p bra E;
	setp.lt.u32 %p, %r, 32;
	@%p bra L;
	st.volatile.shared.u32 [s], 1;
E:	ret;
}
`

func TestTrials(t *testing.T) {
	r := &rehearser{order: []int{1}}
	b := load(t, trialKernels, r)
	b.run("meet", 2, 64)
	want := []string{"turn 1.0 0", "turn 1.1 0", "barrier at the turn of 1", "turn 1.0 0", "launch", "block 0", "block 1"}
	if !slices.Equal(r.log, want) {
		t.Errorf("got %q, want %q", r.log, want)
	}
}

// A trial ends when its audience says so, and when a warp waits in a loop for another one.
func TestTrialsThatDoNotEnd(t *testing.T) {
	r := &rehearser{order: []int{0}}
	b := load(t, trialKernels, r)
	b.run("meet", 1, 1024)
	if want := "turn 0.5 0"; r.log[5] != want || r.log[6] != "launch" {
		t.Errorf("got %q", r.log)
	}
	r.log = nil
	b.run("spin", 1, 64)
	if len(r.log) < 2 || r.log[0] != "turn 0.0 16" || !strings.Contains(r.log[1], "wait in loops") {
		t.Errorf("got %q", r.log)
	}
}

func TestNoTrialsOfBlocksThatCooperate(t *testing.T) {
	r := &rehearser{}
	b := load(t, trialKernels, r)
	if _, err := b.launch("meet", sim.Launch{Cooperative: true}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(r.log, []string{"no trials", "block 0"}) {
		t.Errorf("got %q", r.log)
	}
}
