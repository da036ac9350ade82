package event_test

import (
	"testing"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/event"
)

func TestThread(t *testing.T) {
	l := &event.Launch{Grid: race.Dim3{3, 2, 2}, Block: race.Dim3{8, 4, 2}}
	got := l.Thread(3+6+1, 1, 9)
	want := race.Thread{Block: race.Dim3{1, 1, 1}, Thread: race.Dim3{1, 1, 1}}
	if got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	if l.Warps() != 2 {
		t.Errorf("64 threads are %d warps", l.Warps())
	}
}

func TestClusterOf(t *testing.T) {
	l := &event.Launch{Grid: race.Dim3{4, 4, 1}, Cluster: race.Dim3{2, 2, 1}}
	blocks := map[int][]int{}
	for b := range 16 {
		c := l.ClusterOf(b)
		blocks[c] = append(blocks[c], b)
	}
	want := map[int][4]int{0: {0, 1, 4, 5}, 1: {2, 3, 6, 7}, 2: {8, 9, 12, 13}, 3: {10, 11, 14, 15}}
	for c, w := range want {
		if len(blocks[c]) != 4 || [4]int(blocks[c]) != w {
			t.Errorf("cluster %d has blocks %v, want %v", c, blocks[c], w)
		}
	}
}

type counter struct {
	event.Nothing
	fences int
}

func (c *counter) Fence(*event.Fence) { c.fences++ }

func TestTee(t *testing.T) {
	if event.Tee(nil, nil) != nil {
		t.Error("a tee of nothing is not nil")
	}
	a, b := new(counter), new(counter)
	if event.Tee(nil, a) != event.Listener(a) {
		t.Error("a tee of one is not that one")
	}
	l := event.Tee(a, nil, b)
	l.Fence(&event.Fence{})
	l.Access(&event.Access{})
	if a.fences != 1 || b.fences != 1 {
		t.Errorf("%d and %d fences heard, want 1 each", a.fences, b.fences)
	}
}
