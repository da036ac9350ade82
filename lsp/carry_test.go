package lsp

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/warplint/warplint/analysis/source"
)

// TestCarry edits a text and looks where its lines are afterwards: "=" for a line that is said
// to be unchanged, "~" for one that has changed and still has a place, "-" for one that is gone.
func TestCarry(t *testing.T) {
	const old = "a\nb\nc\n\nd\ne\n"
	for _, test := range []struct{ name, now, want string }{
		{"nothing", "a\nb\nc\n\nd\ne\n", "a=0 b=1 c=2 d=4 e=5"},
		{"a line above", "x\na\nb\nc\n\nd\ne\n", "a=1 b=2 c=3 d=5 e=6"},
		{"a line between", "a\nb\nx\nc\n\nd\ne\n", "a=0 b=1 c=3 d=5 e=6"},
		{"two places at once", "x\na\nb\nc\n\ny\nd\ne\n", "a=1 b=2 c=3 d=6 e=7"},
		{"a changed line", "a\nB\nc\n\nd\ne\n", "a=0 b~1 c=2 d=4 e=5"},
		{"a line taken away", "a\nc\n\nd\ne\n", "a=0 b- c=1 d=3 e=4"},
		{"other indentation", "  a\n\tb\nc  \n\nd\ne\n", "a=0 b=1 c=2 d=4 e=5"},
		{"two lines moved", "d\ne\na\nb\nc\n\n", "a=2 b=3 c=4 d- e-"},
		{"all gone", "", "a- b- c- d- e-"},
		{"a line twice", "a\nb\nb\nc\n\nd\ne\n", "a=0 b=1 c=3 d=5 e=6"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := newCarrier(source.New("/a", old), source.New("/a", test.now))
			var got []string
			for at, letter := range old {
				if letter == '\n' {
					continue
				}
				now, same, ok := c.span(source.Span{File: "/a", Start: at, End: at + 1})
				line := string(rune('0' + c.now.Position(now.Start).Line - 1))
				switch {
				case !ok:
					got = append(got, string(letter)+"-")
				case !same:
					got = append(got, string(letter)+"~"+line)
				default:
					got = append(got, string(letter)+"="+line)
					if c.now.Slice(now) != string(letter) {
						t.Errorf("%c is carried to %q", letter, c.now.Slice(now))
					}
				}
			}
			if text := strings.Join(got, " "); text != test.want {
				t.Errorf("got  %s\nwant %s", text, test.want)
			}
		})
	}
}

// TestCarryKeepsOrder edits at random: carried lines say what they said, and stay in order.
func TestCarryKeepsOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	word := func() string { return string(rune('a'+random.IntN(8))) + "\n" }
	for range 2000 {
		var lines []string
		for range random.IntN(12) {
			lines = append(lines, word())
		}
		old := strings.Join(lines, "")
		for range random.IntN(4) {
			at := random.IntN(len(lines) + 1)
			if random.IntN(2) == 0 || at == len(lines) {
				lines = append(lines[:at], append([]string{word()}, lines[at:]...)...)
			} else {
				lines = append(lines[:at], lines[at+1:]...)
			}
		}
		c := newCarrier(source.New("/a", old), source.New("/a", strings.Join(lines, "")))
		last := -1
		for i, to := range c.to {
			if to < 0 {
				continue
			}
			if to <= last || c.oldLines[i] != c.nowLines[to] {
				t.Fatalf("%q to %q: line %d goes to %d, after %d", old, lines, i, to, last)
			}
			last = to
		}
	}
}

func TestBodyEnd(t *testing.T) {
	for _, test := range []struct {
		text string
		want int
	}{
		{"void f() {\n  if (x) { y; }\n}\nint z;\n", 2},
		{"void f() { }\nvoid g() { }\n", 0},
		{"void f() {\n  // }\n  /* } */ g(\"}\\\"}\", '}');\n}\n", 3},
		{"void f();\nvoid g() { }\n", 0},
		{"void f() {\n  half typed", 1},
		{"void f() {\n  int n = 1'000;\n}\n}\n", 2},
	} {
		if got := bodyEnd(source.New("/a", test.text), 0); got != test.want {
			t.Errorf("%q ends at line %d, want %d", test.text, got, test.want)
		}
	}
}
