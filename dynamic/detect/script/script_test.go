package script_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/warplint/warplint/dynamic/detect/script"
	"github.com/warplint/warplint/dynamic/event"
)

// listener writes events down.
type listener struct {
	event.Nothing
	got []string
}

func (l *listener) Access(a *event.Access) {
	l.got = append(l.got, fmt.Sprintf("%d: %d.%d %#x %v %v %v %#x+%d = %d", a.PC, a.Block, a.Warp, a.Mask, a.Space, a.Kind, a.Scope, a.Addr[0], a.Size, a.Value[0].At(0)))
}

func (l *listener) Fence(f *event.Fence) {
	l.got = append(l.got, fmt.Sprintf("%d: fence %v", f.PC, f.Scope))
}

func (l *listener) Copy(c *event.Copy) {
	l.got = append(l.got, fmt.Sprintf("%d: %v %#x to %v %#x+%d", c.PC, c.From, c.Source[0], c.To, c.Target[0], c.TargetSize[0]))
}

func (l *listener) Exit(s *event.Step) {
	l.got = append(l.got, fmt.Sprintf("%d: %#x end", s.PC, s.Mask))
}

func (l *listener) LaunchBegin(launch *event.Launch) {
	l.got = append(l.got, fmt.Sprint("launch ", launch.ID))
}

func (l *listener) Barrier(b *event.Barrier) {
	l.got = append(l.got, fmt.Sprintf("%d: %v barrier, %d there", b.PC, b.Kind, len(b.Participants)))
}

func TestPlay(t *testing.T) {
	l := &listener{}
	err := script.Play(`grid 2 64
0.0 write b =7     # a value
1.0-31 read b
0.0 cas b+4 0 1 block
0.0 fence block
1 barrier
0.0-31 barrier
0.0 copy c s:d
0.32-63 exit
grid 1 32`, l)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"launch 1",
		"2: 0.0 0x1 global write  0x10040+4 = 7",
		"3: 1.0 0xffffffff global read  0x10040+4 = 7",
		"4: 0.0 0x1 global atomic block 0x10044+4 = 0",
		"5: fence block",
		"6: block barrier, 0 there", "6: block barrier, 0 there", "6: block barrier, 2 there",
		"7: block barrier, 0 there", "7: block barrier, 1 there",
		"8: global 0x10080 to shared 0xc0+4",
		"9: 0xffffffff end",
		"launch 2",
	}
	if !slices.Equal(l.got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(l.got, "\n"), strings.Join(want, "\n"))
	}
}

func TestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"":                           "no grid",
		"0.0 read x":                 "line 1",
		"grid 1 32\n0.0":             "no event",
		"grid 1 32\n0.0 jump x":      `no event "jump"`,
		"grid 1 32\n0.0 read":        "no location",
		"grid 1 32\n0.0 read xy":     `no location "xy"`,
		"grid 1 32\n0.0-40 read x":   "not in one warp",
		"grid 1 32\n0.0 cas x":       "operands are missing",
		"grid 1 32\nzero.0 read x":   "line 2",
		"grid 1 32\nwhere barrier":   "line 2",
		"grid 1 32\n0.0-40 barrier":  "no thread 40",
		"grid 1 32\n0.0 copy x":      "no location",
		"grid 1 32\n0.0 read x:wide": "line 2",
	} {
		if err := script.Play(text, event.Nothing{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
