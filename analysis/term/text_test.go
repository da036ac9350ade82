package term

import (
	"strings"
	"testing"
)

// A term that is made of the one before, twice, doubles in length each time; its text is cut.
func TestTextIsCut(t *testing.T) {
	tab := NewTable()
	p := tab.Poly(tab.Fresh(Symbol, "n", 0, NoHi, Grid, 0, nil))
	for range 60 {
		p = tab.Poly(tab.Apply(Func, "f", NoLo, NoHi, nil, p, tab.Offset(p, 1)))
	}
	text := p.String()
	if len(text) > 2*maxText || !strings.HasPrefix(text, "f(f(f(") || !strings.Contains(text, "…") {
		t.Errorf("%d bytes: %.80s", len(text), text)
	}
}
