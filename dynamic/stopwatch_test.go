package dynamic

import (
	"testing"
	"time"

	"github.com/warplint/warplint/dynamic/event"
)

// busy takes some time for each access, and notes what it heard.
type busy struct {
	event.Nothing
	accesses int
	took     time.Duration
}

func (b *busy) Access(*event.Access) {
	start := time.Now()
	for time.Since(start) < 20*time.Microsecond {
	}
	b.accesses++
	b.took += time.Since(start)
}

// TestStopwatch: every event is passed on, and the estimate is near what they took.
func TestStopwatch(t *testing.T) {
	listener := &busy{}
	s := newStopwatch(listener)
	const events = 61 * 100
	for range events {
		s.Access(&event.Access{})
	}
	if listener.accesses != events {
		t.Errorf("%d of %d events arrived", listener.accesses, events)
	}
	if least := events * 20 * time.Microsecond / 2; s.took < least {
		t.Errorf("estimated %v of %v that it took", s.took, listener.took)
	}
}

// TestDetectorSeconds: a run tells what its detector took, and nothing without one.
func TestDetectorSeconds(t *testing.T) {
	for _, detector := range []string{"causality", NoDetector} {
		detectors, err := SelectDetectors([]string{detector})
		if err != nil {
			t.Fatal(err)
		}
		result, err := Simulate(t.Context(), &Options{Files: []string{"../examples/histogram.cu"}, Detectors: detectors})
		if err != nil {
			t.Fatal(err)
		}
		if got := result.Run; (got.DetectorSeconds > 0) != (detector != NoDetector) || got.DetectorSeconds > got.Seconds {
			t.Errorf("%s: %v of %v seconds", detector, got.DetectorSeconds, got.Seconds)
		}
	}
}
