package access

import (
	"testing"

	"github.com/warplint/warplint/analysis/ir"
)

// A launch that stands for two finds memory fresh only where both do.
func TestFreshForEither(t *testing.T) {
	buffer, counter := &Base{}, &Base{Object: &ir.Object{Name: "counter"}}
	launch := func(e *earlier) *Launch { return &Launch{Args: []Value{{Base: buffer}}, earlier: e} }
	once := func() *earlier {
		return &earlier{left: []bool{false}, counted: []bool{false}, filled: make([][]extent, 1), anew: make([]extent, 1)}
	}
	again := func(left, filled bool, written map[string]bool) *earlier {
		e := &earlier{again: true, left: []bool{left}, counted: []bool{false}, filled: make([][]extent, 1), anew: make([]extent, 1), written: written}
		if filled {
			e.filled[0] = []extent{{}}
		}
		return e
	}
	tests := []struct {
		name            string
		a, b            *earlier
		buffer, counter bool
	}{
		{"first launches", once(), once(), true, true},
		{"one comes again", once(), again(true, false, nil), false, false},
		{"both set their counter anew", again(false, false, map[string]bool{"counter": true}), again(false, false, map[string]bool{"counter": true}), true, true},
		{"one needs not, one does", once(), again(false, false, map[string]bool{"counter": true}), true, true},
		{"one does, one does not", again(false, false, nil), again(false, false, map[string]bool{"counter": true}), true, false},
		{"one is filled with ones", once(), again(false, true, map[string]bool{"counter": true}), false, true},
	}
	for _, test := range tests {
		for _, pair := range [][2]*earlier{{test.a, test.b}, {test.b, test.a}} {
			l := launch(pair[0])
			l.Either(launch(pair[1]))
			if got := l.StartsFresh(buffer, nil, false); got != test.buffer {
				t.Errorf("%s: the buffer starts fresh: %t", test.name, got)
			}
			if got := l.StartsFresh(counter, nil, false); got != test.counter {
				t.Errorf("%s: the counter starts fresh: %t", test.name, got)
			}
		}
	}
}
