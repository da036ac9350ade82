package streams

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/warplint/warplint/dynamic/event"
)

// script has operations of streams a, b, … (capitals are non-blocking, 0 is the default one), one a word: a+x writes x in stream a, a-x
// reads it, a!e records event e, a?e waits for it, |a waits for the stream, |e! for the event, and | for all. A letter of memory is 40 bytes.
func script(t *testing.T, text string) *Detector {
	t.Helper()
	d := New()
	stream := func(c byte) uint64 {
		if c == '0' {
			return 0
		}
		if _, made := d.streams[uint64(c)]; !made {
			d.Stream(uint64(c), c < 'a', "")
		}
		return uint64(c)
	}
	for _, word := range strings.Fields(text) {
		switch {
		case word == "|":
			d.HostWaits(event.AwaitAll, 0)
		case word[0] == '|' && strings.HasSuffix(word, "!"):
			d.HostWaits(event.AwaitEvent, uint64(word[1]))
		case word[0] == '|':
			d.HostWaits(event.AwaitStream, stream(word[1]))
		case word[1] == '?':
			d.StreamWaits(stream(word[0]), uint64(word[2]))
		default:
			id := d.Begin(event.Operation{Stream: stream(word[0]), What: event.CopyWork, From: word}, nil)
			switch d.Doing(id); word[1] {
			case '!':
				d.Record(uint64(word[2]), id)
			case '+':
				d.Touch(event.Write, 100*uint64(word[2]), 40)
			case '-':
				d.Touch(event.Read, 100*uint64(word[2]), 40)
			}
			d.Doing(0)
		}
	}
	return d
}

func found(d *Detector) string {
	var list []string
	for _, r := range d.Races() {
		list = append(list, r.First.Operation.From+" "+r.Second.Operation.From)
	}
	return strings.Join(list, ", ")
}

func TestOrder(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"a+x b+y", ""},
		{"a+x b-x", "a+x b-x"},
		{"a-x b-x", ""},
		{"a-x b+x", "a-x b+x"},
		{"a+x a-x", ""},
		{"a+x a!e b?e b-x", ""},
		{"a!e a+x b?e b-x", "a+x b-x"},
		{"a+x b?e a!e b-x", "a+x b-x"},
		{"a+x a!e b!e c?e c-x", "a+x c-x"}, // an event stands for its last record
		{"a+x a!e b?e b!f c?f c-x", ""},
		{"a+x |a b-x", ""},
		{"a+x |c b-x", "a+x b-x"},
		{"a+x a!e |e! b-x", ""},
		{"a+x a!e a+y |e! b-x b-y", "a+y b-y"},
		{"A+x | B-x", ""},
		{"a+x 0+y b-x", ""},
		{"A+x 0+y b-x", "A+x b-x"},
		{"0+x A-x", "0+x A-x"},
		{"A+x 0-x", "A+x 0-x"},
		{"a+x |0 B-x", ""}, // the default stream waits for those that are no non-blocking ones
		{"A+x A!e 0?e b-x", ""},
		{"a+x b+x c-x", "a+x b+x, a+x c-x, b+x c-x"},
		{"a-x b-x b!e c?e c+x", "a-x c+x"},          // the other reader is not known
		{"a+x a!e b?e b-x c+x", "a+x c+x, b-x c+x"}, // a read covers no write
		{"a+x a!e b?e b+x c+x", "b+x c+x"},          // a write covers what it follows
	} {
		if got := found(script(t, c.text)); got != c.want {
			t.Errorf("%s: got %q, want %q", c.text, got, c.want)
		}
	}
}

// Once the host has waited for all there is, nothing is kept, and streams that are gone have left no lanes behind.
func TestNothingIsKept(t *testing.T) {
	d := New()
	for i := range uint64(1000) {
		d.Stream(i+1, true, "")
		d.Doing(d.Begin(event.Operation{Stream: i + 1, What: event.FillWork}, nil))
		d.Touch(event.Write, 0, 1<<20)
		d.HostWaits(event.AwaitStream, i+1)
		if len(d.shadow.pages) > 0 || len(d.lanes) > 1 {
			t.Fatalf("%d pages and %d lanes are left", len(d.shadow.pages), len(d.lanes))
		}
	}
}

// Copies of random ranges by operations of a few streams, with random events and waits, race as the definition says: those that nothing
// orders have bytes in common, and one writes. What the shadow leaves out is covered: an operation that races with some others is told to
// race with one of them.
func TestAgainstDefinition(t *testing.T) {
	type access struct {
		x        *operation
		from, to uint64
		write    bool
	}
	for seed := range uint64(1000) {
		random := rand.New(rand.NewPCG(seed, 0))
		d := New()
		for s := range uint64(3) {
			d.Stream(s+1, s == 2, "")
		}
		var all []access
		racy := map[int]bool{} // operations that race with an earlier one
		for range 12 {
			stream := random.Uint64N(4)
			switch random.IntN(8) {
			case 0:
				d.StreamWaits(stream, random.Uint64N(2))
				continue
			case 1:
				d.Record(random.Uint64N(2), d.Begin(event.Operation{Stream: stream}, nil))
				continue
			case 2:
				d.HostWaits(event.AwaitStream, stream)
				continue
			}
			id := d.Begin(event.Operation{Stream: stream, What: event.CopyWork, From: fmt.Sprint(len(all))}, nil)
			from := random.Uint64N(3*pageSize/16) * 16
			one := access{d.operation(id), from, from + 1 + random.Uint64N(2*pageSize), random.IntN(2) == 0}
			for _, o := range all {
				if (one.write || o.write) && one.from < o.to && o.from < one.to && !one.x.knows(o.x) {
					racy[len(all)] = true
				}
			}
			all = append(all, one)
			kind := event.Read
			if one.write {
				kind = event.Write
			}
			d.Doing(id)
			d.Touch(kind, one.from, one.to-one.from)
			d.Doing(0)
		}
		told := map[int]bool{}
		for _, r := range d.Races() {
			var a, b int
			fmt.Sscan(r.First.Operation.From, &a)
			fmt.Sscan(r.Second.Operation.From, &b)
			told[max(a, b)] = true
			if x, y := all[a], all[b]; !(x.write || y.write) || x.from >= y.to || y.from >= x.to {
				t.Fatalf("seed %d: %d and %d do not conflict", seed, a, b)
			}
		}
		for i := range all {
			if racy[i] != told[i] {
				t.Fatalf("seed %d: operation %d races: %v, told: %v", seed, i, racy[i], told[i])
			}
		}
	}
}

// What is freed is forgotten, also if it shares pages and rows with what is not.
func TestFree(t *testing.T) {
	d := New()
	for _, s := range []uint64{1, 2} {
		d.Stream(s, false, "")
	}
	write := func(stream, from, to uint64) {
		d.Doing(d.Begin(event.Operation{Stream: stream, What: event.CopyWork}, nil))
		d.Touch(event.Write, from, to-from)
		d.Doing(0)
	}
	write(1, 0, 3*pageSize)
	write(1, 3*pageSize, 3*pageSize+100)
	d.Free(&event.Allocation{Base: 0, Size: 3*pageSize + 90})
	if d.shadow.layers != 1 {
		t.Errorf("%d layers are left", d.shadow.layers)
	}
	write(2, 0, 3*pageSize+90)
	if len(d.Races()) > 0 {
		t.Errorf("races with what is gone: %+v", d.Races()[0])
	}
	write(2, 3*pageSize+95, 3*pageSize+96)
	if r := d.Races(); len(r) != 1 || r[0].Address != 3*pageSize+95 {
		t.Errorf("races: %d", len(r))
	}
}

func TestClocks(t *testing.T) {
	a, b := clock{1, 0, 3}, clock{2}
	if got := a.join(b); !slices.Equal(got, clock{2, 0, 3}) {
		t.Errorf("got %v", got)
	}
	if !b.within(clock{2, 1}) || a.within(b) || !(clock{0, 0}).within(nil) {
		t.Error("within is wrong")
	}
	if got := b.with(2, 7); !slices.Equal(got, clock{2, 0, 7}) || len(b) != 1 {
		t.Errorf("got %v of %v", got, b)
	}
}
