package garbage

import (
	"runtime"
	"runtime/debug"
	"testing"
)

func TestPercent(t *testing.T) {
	for _, test := range []struct {
		live, room uint64
		want       int
	}{
		{0, 256 << 20, 400},
		{1 << 20, 256 << 20, 400},
		{64 << 20, 256 << 20, 400},
		{128 << 20, 256 << 20, 200},
		{200 << 20, 256 << 20, 128},
		{256 << 20, 256 << 20, 100},
		{8 << 30, 256 << 20, 100},
	} {
		if got := percent(test.live, test.room); got != test.want {
			t.Errorf("%d bytes in use, room for %d: %d%%, want %d%%", test.live, test.room, got, test.want)
		}
	}
}

// TestSeldom: with the heap of a test the room is for four times as much, and with what fills it, for less.
func TestSeldom(t *testing.T) {
	before := debug.SetGCPercent(100)
	defer debug.SetGCPercent(before)
	const room = 64 << 20
	Seldom(room)
	current := func() int {
		p := debug.SetGCPercent(100)
		debug.SetGCPercent(p)
		return p
	}
	if got := current(); got != 400 {
		t.Errorf("%d%% with a small heap, want 400%%", got)
	}
	kept := make([]byte, 2*room)
	for range 100 { // finalizers run some time after a collection
		runtime.GC()
		runtime.Gosched()
		if current() == 100 {
			break
		}
	}
	if got := current(); got != 100 {
		t.Errorf("%d%% with %d bytes in use, want 100%%", got, len(kept))
	}
	runtime.KeepAlive(kept)
}
