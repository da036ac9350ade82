package iguard_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/warplint/warplint/dynamic/detect/iguard"
	"github.com/warplint/warplint/dynamic/detect/script"
)

// races are those of a script, as script.Races has them.
func races(t *testing.T, text string, options ...iguard.Option) []string {
	t.Helper()
	got, err := script.Races(text, iguard.New(options...))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestConditions(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"P1: a first access", "grid 2 64\n0.0 write x", nil},
		{"P2: reads only", "grid 2 64\n0.0 read x\n1.0 read x\n0.32 read x", nil},
		{"P3: program order", "grid 1 32\n0.0 write x\n0.0 read x\n0.0 write x", nil},
		{"P3 does not hold where others have read", "grid 1 64\n0.0 read x\n0.32 read x\n0.32 write x", []string{"R3 3 4 intra-block"}},
		{"P4: a barrier of the warp", "grid 1 32\n0.1 write x\n0.0-31 syncwarp\n0.0 read x", nil},
		{"P4: the other thread is active", "grid 1 32\n0.1 write x\n0.0-1 read x[]\n0.0-31 write x", nil},
		{"P5: a barrier of the block", "grid 1 64\n0.0 write x\n0 barrier\n0.32 read x\n0.32 write x", nil},
		{"P5 is for one block", "grid 2 64\n0.0 write x\n0 barrier\n1 barrier\n1.32 read x", []string{"R4 2 5 inter-block"}},
		{"P5: readers before a barrier", "grid 1 64\n0.0 read x\n0.32 read x\n0 barrier\n0.0 write x", nil},
		{"P6: atomics", "grid 2 64\n0.0 atomic x\n1.0 atomic x\n0.32 atomic x", nil},
		{"P6: atomics of the block", "grid 1 64\n0.0 atomic x block\n0.32 atomic x block", nil},
		{"P6 does not look at the later scope", "grid 2 64\n0.0 atomic x\n1.0 atomic x block", nil},
		{"R1: an atomic too narrow", "grid 2 64\n0.0 atomic x block\n1.0 atomic x", []string{"R1 2 3 inter-block"}},
		{"R1: read by another block", "grid 2 64\n0.0 atomic x block\n0.0 fence device\n1.0 read x", []string{"R1 2 4 inter-block"}},
		{"R2: no barrier of the warp", "grid 1 32\n0.1 write x\n0.0 read x", []string{"R2 2 3 intra-warp"}},
		{"R2: any fence will do", "grid 1 32\n0.1 write x\n0.1 fence block\n0.0 read x", nil},
		{"R3: no fence", "grid 1 64\n0.0 write x\n0.32 read x", []string{"R3 2 3 intra-block"}},
		{"R3: a fence", "grid 1 64\n0.0 write x\n0.0 fence block\n0.32 read x", nil},
		{"R3: another's fence", "grid 1 64\n0.0 write x\n0.1 fence block\n0.32 read x", []string{"R3 2 4 intra-block"}},
		{"R4: a fence too narrow", "grid 2 64\n0.0 write x\n0.0 fence block\n1.0 read x", []string{"R4 2 4 inter-block"}},
		{"R4: a fence", "grid 2 64\n0.0 write x\n0.0 fence device\n1.0 read x", nil},
		{"R4: a write after a read", "grid 2 64\n0.0 read x\n1.0 write x", []string{"R4 2 3 inter-block"}},
		{"R4: the grid's barrier", "grid 2 64\n0.0 write x\nall barrier\n1.0 read x", nil},
		{"R5: no lock in common", locked("l", "m", "write x", "write x"), []string{"R5 4 9 inter-block"}},
		{"R5: a lock in common", locked("l", "l", "write x", "write x"), nil},
		{"R5: a lock of the block in two blocks", "grid 2 64\n" + strings.ReplaceAll(script.Critical("0.0", "l", "write x"), " l 0", " l 0 block") + "1.0 write x",
			[]string{"R5 4 7 inter-block"}},
		{"a lock of the device excludes one of the block", "grid 1 64\n" + script.Critical("0.0", "l", "write x") +
			"0.32 cas l 0 1 block\n0.32 fence block\n0.32 write x\n0.32 fence block\n0.32 exch l 0 block", nil},
		{"R5: update under a lock", "grid 2 64\n" + script.Critical("0.0", "l", "read x", "write x") + script.Critical("1.0", "l", "read x", "write x"), nil},
		{"R5: update under a lock, one block", "grid 1 64\n" + script.Critical("0.0", "l", "read x", "write x") + script.Critical("0.32", "l", "read x", "write x"), nil},
		{"R5: one without a lock", "grid 2 64\n" + script.Critical("0.0", "l", "write x") + "1.0 write x", []string{"R5 4 7 inter-block"}},
		{"R5: a write behind the lock of two readers", "grid 2 64\n" + script.Critical("1.0", "l", "read x") + script.Critical("0.0", "l", "read x") + "0.0 write x",
			[]string{"R5 9 12 inter-block"}},
		{"a lock is held from the fence on", "grid 2 64\n0.0 cas l 0 1\n0.0 write x\n0.0 fence device\n0.0 exch l 0\n" + script.Critical("1.0", "l", "write x"),
			[]string{"R5 3 8 inter-block"}},
		{"a fence of the block activates no lock of the device", "grid 2 64\n0.0 cas l 0 1\n0.0 fence block\n0.0 write x\n0.0 fence device\n0.0 exch l 0\n" +
			script.Critical("1.0", "l", "write x"), []string{"R5 4 9 inter-block"}},
		{"an exchange gives a lock of its own scope back", "grid 1 64\n0.0 cas l 0 1\n0.0 fence device\n0.0 exch l 0 block\n0.0 write x\n0.0 fence device\n" +
			script.Critical("0.32", "l", "write x"), nil},
		{"shared memory is not watched", "grid 1 64\n0.0 write s:x\n0.32 write s:x", nil},
		{"wide accesses have all their words checked", "grid 2 64\n0.0 write x+4\n1.0 read x:8", []string{"R4 2 3 inter-block"}},
		{"one lane stands for all that read a location", "grid 1 32\n0.0-31 read x\n0.0 write x", nil},
		{"a barrier without the first warp is not seen", "grid 1 32\n0.0 write x\n0.0-31 syncwarp\n0.5 write x", nil},
	} {
		if got := races(t, test.text); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %q, want %q\n%s", test.name, got, test.want, test.text)
		}
		if got := races(t, test.text, iguard.Exact); !slices.Equal(got, test.want) {
			t.Errorf("%s, exact: got %q, want %q", test.name, got, test.want)
		}
	}
}

func locked(first, second, does, then string) string {
	return "grid 2 64\n" + script.Critical("0.0", first, does) + script.Critical("1.0", second, then)
}

// Two lanes that take locks at once switch their warp to one table a thread.
func TestLocksOfThreads(t *testing.T) {
	text := `grid 1 32
0.0-1 cas l[] 0 1
0.0-1 fence device
0.0 write x
0.0 fence device
0.1 write x`
	if got := races(t, text); !slices.Equal(got, []string{"R5 4 6 intra-warp"}) {
		t.Errorf("locks of threads: %q", got)
	}
	one := strings.Replace(text, "0.0-1 cas l[] 0 1", "0.0 cas l 0 1", 1)
	if got := races(t, one); len(got) > 0 {
		t.Errorf("a lock of the warp: %q", got)
	}
}

// Counters overflow as published, unless they are widened.
func TestOverflow(t *testing.T) {
	fences := func(n int) string {
		return "grid 2 64\n0.0 write x\n" + strings.Repeat("0.0 fence device\n", n) + "1.0 read x"
	}
	barriers := func(n int) string {
		return "grid 1 64\n0.0 write x\n" + strings.Repeat("0 barrier\n", n) + "0.32 read x"
	}
	for _, test := range []struct {
		text      string
		published int
	}{{fences(63), 0}, {fences(64), 1}, {fences(65), 0}, {barriers(255), 0}, {barriers(256), 1}} {
		if got := races(t, test.text); len(got) != test.published {
			t.Errorf("got %q, want %d", got, test.published)
		}
		if got := races(t, test.text, iguard.Exact); len(got) != 0 {
			t.Errorf("exact: got %q", got)
		}
	}
}

// A table holds three locks; further ones replace them.
func TestFullTable(t *testing.T) {
	text := func(locks string) string {
		text := "grid 2 64\n"
		for _, l := range locks {
			text += fmt.Sprintf("0.0 cas %c 0 1\n", l)
		}
		return text + "0.0 fence device\n0.0 write x\n0.0 fence device\n" + script.Critical("1.0", "a", "write x")
	}
	if got := races(t, text("abc"), iguard.Exact); len(got) != 0 {
		t.Errorf("three locks: %q", got)
	}
	if got := races(t, text("abcdefghijklmnopqrstuvwyz"), iguard.Exact); len(got) != 1 {
		t.Errorf("many locks: %q, want one race", got)
	}
}

// In a filter of 16 bits, many locks look alike; in one of 64 few do.
func TestFilters(t *testing.T) {
	alike := func(options ...iguard.Option) (n int) {
		for l := 'a'; l <= 'w'; l++ {
			for m := 'a'; m < l; m++ {
				if len(races(t, locked(string(l), string(m), "write x", "write x"), options...)) == 0 {
					n++
				}
			}
		}
		return n
	}
	pairs := 23 * 22 / 2
	if n := alike(); n < pairs/10 || n > pairs/3 {
		t.Errorf("%d of %d pairs of locks look alike", n, pairs)
	}
	if n := alike(iguard.Exact); n > pairs/10 {
		t.Errorf("exact: %d of %d pairs of locks look alike", n, pairs)
	}
}
