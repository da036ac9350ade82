package access

import (
	"runtime"
	"testing"

	"github.com/warplint/warplint/analysis/term"
)

// A name is made of an address, which no other memory may get.
func TestNamedMemoryStays(t *testing.T) {
	x := &executor{t: term.NewTable()}
	gone := make(chan bool, 1)
	b := &Base{Name: "buffer", Either: []Alternative{{}}}
	runtime.SetFinalizer(b, func(*Base) { gone <- true })
	x.baseName(b)
	for range 3 {
		runtime.GC()
	}
	select {
	case <-gone:
		t.Error("the memory is gone, and its name stays")
	default:
	}
	runtime.KeepAlive(x)
}
