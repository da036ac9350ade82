// This file defines what can end a launch before its kernel is done.

package sim

import (
	"fmt"
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/event"
)

// FaultKind says why a launch stopped.
type FaultKind uint8

const (
	OutOfBounds   FaultKind = iota // an address in no allocation, or partly beyond one
	UseAfterFree                   // an address in freed memory
	Misaligned                     // an address that is no multiple of the access's size
	Trap                           // trap or brkpt
	Assertion                      // assert in the kernel failed
	Deadlock                       // no thread can go on
	Livelock                       // threads go on, but their state and memory repeat for ever
	Endless                        // threads go round for very long, and only atomics change memory
	StackOverflow                  // the calls of a thread go too deep
	Limit                          // the instruction limit, or memory of the simulator
	Cancelled                      // the context was done
	Invalid                        // what PTX leaves undefined and the simulator refuses to guess
	Internal                       // a mistake of the simulator itself
)

func (k FaultKind) String() string {
	return [...]string{"out of bounds", "use after free", "misaligned access", "trap", "assertion failed",
		"deadlock", "livelock", "no end in sight", "stack overflow", "limit reached", "cancelled", "invalid operation",
		"mistake in the simulator"}[k]
}

// shown is where an instruction stands, for messages.
func (l *launch) shown(pc int32) event.Location {
	at := l.program.Location(uint32(pc))
	if shown := l.device.config.Shown; shown != nil {
		at.Place = shown(l.event, at)
	}
	return at
}

// Waiter is a group of threads that a deadlock or a livelock caught, and where.
type Waiter struct {
	First    race.Thread // the first thread of the group
	Count    int         // how many threads of the warp stand there
	What     string      // "waits at barrier 0 for 32 more threads", …
	Location event.Location
}

// Fault is the error of a launch that did not run to its end.
type Fault struct {
	Kind     FaultKind
	Message  string // one line without the place
	Kernel   string
	Launch   *event.Launch // nil for a fault of one access
	Thread   race.Thread
	Location event.Location
	Waiters  []Waiter // for Deadlock, Livelock and Endless, by block and thread
	Ended    int      // for Limit and Cancelled: how many of Blocks had ended
	Blocks   int
	cause    error
}

// Unwrap gives the context's error of a cancelled launch.
func (f *Fault) Unwrap() error { return f.cause }

func (f *Fault) Error() string {
	var b strings.Builder
	if f.Location.File != "" {
		fmt.Fprintf(&b, "%s:%d:%d: ", f.Location.File, f.Location.Line, f.Location.Column)
	}
	fmt.Fprintf(&b, "%s: %s", f.Kind, f.Message)
	if f.Blocks > 0 {
		fmt.Fprintf(&b, ", %d of %d blocks at their end", f.Ended, f.Blocks)
	}
	fmt.Fprintf(&b, " (kernel %s, %s)", f.Kernel, threadName(f.Thread))
	for _, w := range alike(f.Waiters) {
		fmt.Fprintf(&b, "\n\t%s", w)
	}
	return b.String()
}

// alike puts groups together that wait for the same at one place.
func alike(all []Waiter) (out []Waiter) {
	for _, w := range all {
		i := slices.IndexFunc(out, func(o Waiter) bool {
			return o.What == w.What && o.Location.Place == w.Location.Place && o.Location.PTXLine == w.Location.PTXLine
		})
		if i < 0 {
			out = append(out, w)
		} else {
			out[i].Count += w.Count
		}
	}
	return out
}

// String says who waits, for what and where.
func (w Waiter) String() string {
	who := threadName(w.First)
	switch w.Count {
	case 1:
	case 2:
		who += " and 1 other"
	default:
		who += fmt.Sprintf(" and %d others", w.Count-1)
	}
	if w.Location.File == "" {
		return fmt.Sprintf("%s: %s at PTX line %d", who, w.What, w.Location.PTXLine)
	}
	return fmt.Sprintf("%s: %s at %s:%d", who, w.What, w.Location.File, w.Location.Line)
}

func threadName(t race.Thread) string {
	at := func(d race.Dim3) string { return fmt.Sprintf("(%d,%d,%d)", d[0], d[1], d[2]) }
	return "thread " + at(t.Thread) + " of block " + at(t.Block)
}
