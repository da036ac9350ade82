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
		{"P5 does not hold where other blocks have read", "grid 2 64\n0.0 read x\n1.0 read x\n1 barrier\n" + script.Critical("1.32", "l", "write x"),
			[]string{"R5 3 7 inter-block"}},
		{"P5: readers before a barrier", "grid 1 64\n0.0 read x\n0.32 read x\n0 barrier\n0.0 write x", nil},
		{"P6: atomics", "grid 2 64\n0.0 atomic x\n1.0 atomic x\n0.32 atomic x", nil},
		{"P6: atomics of the block", "grid 1 64\n0.0 atomic x block\n0.32 atomic x block", nil},
		{"P6 does not look at the later scope", "grid 2 64\n0.0 atomic x\n1.0 atomic x block", nil},
		{"P6 is for two atomics: an atomic and a read", "grid 2 64\n0.0 atomic x\n1.0 read x", []string{"R4 2 3 inter-block"}},
		{"P6 is for two atomics: a write and an atomic", "grid 2 64\n0.0 write x\n1.0 atomic x", []string{"R4 2 3 inter-block"}},
		{"P6: a write behind the first atomic", "grid 2 64\n0.0 atomic x\n0.0 write x\n1.0 atomic x", []string{"R4 3 4 inter-block"}},
		{"P6: a read behind the first atomic changes nothing", "grid 2 64\n0.0 atomic x\n0.0 read x\n1.0 atomic x", nil},
		{"R1: an atomic too narrow", "grid 2 64\n0.0 atomic x block\n1.0 atomic x", []string{"R1 2 3 inter-block"}},
		{"R1: read by another block", "grid 2 64\n0.0 atomic x block\n0.0 fence device\n1.0 read x", []string{"R1 2 4 inter-block"}},
		{"R1 is about the last write", "grid 2 64\n0.0 atomic x block\n0.0 fence device\n1.0 read x\n1.32 write x", []string{"R1 2 4 inter-block", "R1 2 5 inter-block"}},
		{"R1 is for block scope", "grid 2 64\n0.0 atomic x\n0.0 fence device\n1.0 read x", nil},
		{"R2: no barrier of the warp", "grid 1 32\n0.1 write x\n0.0 read x", []string{"R2 2 3 intra-warp"}},
		{"R2: any fence will do", "grid 1 32\n0.1 write x\n0.1 fence block\n0.0 read x", nil},
		{"R3: no fence", "grid 1 64\n0.0 write x\n0.32 read x", []string{"R3 2 3 intra-block"}},
		{"R3: a fence", "grid 1 64\n0.0 write x\n0.0 fence block\n0.32 read x", nil},
		{"R3: a fence of the device", "grid 1 64\n0.0 write x\n0.0 fence device\n0.32 read x", nil},
		{"R3 does not look where other blocks have read", "grid 2 64\n0.0 read x\n1.0 read x\n1.32 write x", nil},
		{"R3: a read of another block behind a write and a fence", "grid 2 64\n0.0 write x\n0.0 fence device\n1.0 read x\n1.32 write x",
			[]string{"R3 4 5 intra-block"}},
		{"a write ends what is known of readers", "grid 1 64\n0.0 read x\n0.32 read x\n0 barrier\n0.0 write x\n0.0 write x", nil},
		{"a barrier ends what is known of readers", "grid 1 64\n0.0 read x\n0.32 read x\n0 barrier\n0.0 read x\n0.0 write x", nil},
		{"a reader behind a fence is the only one", "grid 1 64\n0.0 read x\n0.0 fence block\n0.32 read x\n0.32 write x", nil},
		{"R3: another's fence", "grid 1 64\n0.0 write x\n0.1 fence block\n0.32 read x", []string{"R3 2 4 intra-block"}},
		{"R4: a fence too narrow", "grid 2 64\n0.0 write x\n0.0 fence block\n1.0 read x", []string{"R4 2 4 inter-block"}},
		{"R4: a fence", "grid 2 64\n0.0 write x\n0.0 fence device\n1.0 read x", nil},
		{"R4: a write after a read", "grid 2 64\n0.0 read x\n1.0 write x", []string{"R4 2 3 inter-block"}},
		{"a read is checked against the last write, whoever has read since", "grid 2 64\n0.0 write x\n1.0 read x\n1.0 read x",
			[]string{"R4 2 3 inter-block", "R4 2 4 inter-block"}},
		{"R4: the grid's barrier", "grid 2 64\n0.0 write x\nall barrier\n1.0 read x", nil},
		{"R5: no lock in common", locked("l", "m", "write x", "write x"), []string{"R5 4 9 inter-block"}},
		{"R5: a lock in common", locked("l", "l", "write x", "write x"), nil},
		{"R5: a lock of the block", "grid 1 64\n" + script.BlockCritical("0.0", "l", "write x") + script.BlockCritical("0.32", "l", "write x"), nil},
		{"R5: a lock of the block in two blocks", "grid 2 64\n" + script.BlockCritical("0.0", "l", "write x") + script.BlockCritical("1.0", "l", "write x"),
			[]string{"R5 4 9 inter-block", "R1 6 7 inter-block"}},
		{"R5: one without the lock of the block", "grid 1 64\n" + script.BlockCritical("0.0", "l", "write x") + "0.32 write x", []string{"R5 4 7 intra-block"}},
		{"a lock taken again is held from the next fence on", "grid 2 64\n0.0 cas l 0 1\n0.0 fence device\n0.0 cas l 0 1\n0.0 write x\n0.0 fence device\n0.0 exch l 0\n" +
			script.Critical("1.0", "l", "write x"), []string{"R5 5 10 inter-block"}},
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
		{"an asynchronous copy reads", "grid 2 64\n0.0 write x\n1.0 copy x s:x", []string{"R4 2 3 inter-block"}},
		{"asynchronous copies of one word", "grid 2 64\n0.0 copy x s:x\n1.0 copy x s:x", nil},
		{"a launch begins anew", "grid 2 64\n0.0 write x\ngrid 2 64\n1.0 write x", nil},
		{"the lowest lane stands for all whose atomics have one location", "grid 1 32\n0.0-31 atomic x\n0.0 fence block\n0.5 read x", nil},
		{"none stands for others that write", "grid 1 32\n0.0-31 write x\n0.0 fence block\n0.5 read x", []string{"R2 2 4 intra-warp"}},
		{"one lane stands for all that read a location", "grid 1 32\n0.0-31 read x\n0.0 write x", nil},
		{"a barrier of the warp, and a write", "grid 1 32\n0.0 write x\n0.0-31 syncwarp\n0.5 write x", nil},
		{"a barrier without the first warp is not seen", "grid 1 96\n0.32 write x\n0.32-95 barrier\n0.64 read x", []string{"R3 2 4 intra-block"}},
		{"a barrier with the first warp counts for the block", "grid 1 96\n0.64 write x\n0.0-63 barrier\n0.32 read x", nil},
		{"warps 16,384 apart are two", "grid 16385 32\n0.0 write x\n16384.0 write x", []string{"R4 2 3 inter-block"}},
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

// A second compare-and-swap by several lanes leaves the locks that they hold.
func TestLocksOfThreadsStay(t *testing.T) {
	text := "grid 1 64\n0.0-1 cas l[] 0 1\n0.0-1 fence device\n0.0-1 cas p[] 0 1\n0.0 write x\n0.0 fence device\n" + script.Critical("0.32", "l", "write x")
	if got := races(t, text); len(got) > 0 {
		t.Errorf("%q", got)
	}
}

// Counters overflow as published, unless they are widened.
func TestOverflow(t *testing.T) {
	fences := func(n int) string {
		return "grid 2 64\n0.0 write x\n" + strings.Repeat("0.0 fence device\n", n) + "1.0 read x"
	}
	blockFences := func(n int) string {
		return "grid 1 64\n0.0 write x\n" + strings.Repeat("0.0 fence block\n", n) + "0.32 read x"
	}
	warpBarriers := func(n int) string {
		return "grid 1 32\n0.0 write x\n" + strings.Repeat("0.0-31 syncwarp\n", n) + "0.1 read x"
	}
	barriers := func(n int) string {
		return "grid 1 64\n0.0 write x\n" + strings.Repeat("0 barrier\n", n) + "0.32 read x"
	}
	for _, test := range []struct {
		text      string
		published int
	}{
		{fences(32), 0}, {fences(63), 0}, {fences(64), 1}, {fences(65), 0}, {blockFences(32), 0}, {blockFences(64), 1},
		{barriers(128), 0}, {barriers(255), 0}, {barriers(256), 1}, {warpBarriers(32), 0}, {warpBarriers(64), 1},
		{"grid 32769 32\n0.0 write x\n32768.0 write x", 0},
	} {
		if got := races(t, test.text); len(got) != test.published {
			t.Errorf("got %q, want %d", got, test.published)
		}
		want := 0
		if strings.Contains(test.text, "32768.0") {
			want = 1
		}
		if got := races(t, test.text, iguard.Exact); len(got) != want {
			t.Errorf("exact: got %q, want %d", got, want)
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
