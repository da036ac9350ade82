package sim_test

import (
	"strings"
	"testing"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/event"
	"github.com/warplint/warplint/dynamic/sim"
)

// Threads that wait for the same at one place are told in one line.
func TestFaultTellsOfAlikeWaitersOnce(t *testing.T) {
	at := func(line int) event.Location { return event.Location{Place: event.Place{File: "a.cu", Line: line}} }
	f := sim.Fault{Kind: sim.Livelock, Message: "threads wait", Waiters: []sim.Waiter{
		{Count: 32, What: "waits", Location: at(3)},
		{Count: 1, What: "waits", Location: at(5), First: race.Thread{Thread: race.Dim3{40}}},
		{Count: 32, What: "waits", Location: at(3), First: race.Thread{Block: race.Dim3{1}}},
	}}
	want := "\n\tthread (0,0,0) of block (0,0,0) and 63 others: waits at a.cu:3\n\tthread (40,0,0) of block (0,0,0): waits at a.cu:5"
	if got := f.Error(); !strings.HasSuffix(got, want) {
		t.Errorf("got %q, want at its end %q", got, want)
	}
}
