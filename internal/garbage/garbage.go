// Package garbage says how often Go collects garbage. A simulation watched by a detector makes many small
// things that don't live long, on a heap that is small to begin with, but may grow to gigabytes with the memory
// of the program that is simulated.
package garbage

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// Seldom lets the heap of this process grow by four times what is in use before garbage is collected, as long
// as that is no more than so many bytes, and by what is in use beyond that, as is usual.
func Seldom(room uint64) { (&watcher{room: room, percent: 100}).collected() }

// watcher is garbage itself, so that each collection calls for the next setting.
type watcher struct {
	room    uint64
	percent int // now
}

func (w *watcher) collected() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	next := &watcher{room: w.room, percent: w.percent}
	if live[0].Value.Kind() == metrics.KindUint64 {
		next.percent = percent(live[0].Value.Uint64(), w.room)
	}
	if next.percent != w.percent {
		debug.SetGCPercent(next.percent)
	}
	runtime.SetFinalizer(next, (*watcher).collected)
}

// percent is by how many percent of what is in use the heap may grow.
func percent(live, room uint64) int {
	return int(min(max(100*room/max(live, 1), 100), 400))
}
