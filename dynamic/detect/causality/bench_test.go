package causality_test

import (
	"testing"

	"github.com/warplint/warplint/dynamic/detect/causality"
	"github.com/warplint/warplint/dynamic/event"
)

// BenchmarkOverhead compares runs without a listener, with one that does nothing, and with the
// detector, on kernels that stream, reuse shared memory, count, read a table, compute, and race.
func BenchmarkOverhead(b *testing.B) {
	for _, kernel := range []string{"stream", "tile", "counter", "last_block", "table", "arithmetic", "transposed", "columns", "parts", "pieces", "permuted", "bins", "hasty"} {
		for name, listener := range map[string]func() event.Listener{
			"bare":      func() event.Listener { return nil },
			"heard":     func() event.Listener { return event.Nothing{} },
			"causality": func() event.Listener { return causality.New() },
		} {
			b.Run(kernel+"/"+name, func(b *testing.B) {
				run := newRunner(b, situations(b), kernel, listener())
				for b.Loop() {
					run.launch(16, 256, 1)
				}
			})
		}
	}
}
