package scord_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/warplint/warplint/dynamic/detect/scord"
	"github.com/warplint/warplint/dynamic/detect/script"
)

// races are those of a script, as script.Races has them.
func races(t *testing.T, text string, options ...scord.Option) []string {
	t.Helper()
	got, err := script.Races(text, scord.New(options...))
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
		{"III a: a first access", "grid 2 64\n0.0 write x", nil},
		{"III b: program order", "grid 1 32\n0.0 write x\n0.0 read x\n0.0 write x", nil},
		{"III b: a warp is one thread", "grid 1 32\n0.1 write x\n0.0 read x", nil},
		{"III c: a barrier", "grid 1 64\n0.0 write x\n0 barrier\n0.32 read x\n0.32 write x", nil},
		{"III c is for one block", "grid 2 64\n0.0 write x\n0 barrier\n1 barrier\n1.32 read x", []string{"(b) 2 5 inter-block"}},
		{"III c: the writer reads again behind the barrier", "grid 1 64\n0.0 write x\n0 barrier\n0.0 read x\n0.32 read x", nil},
		{"III c does not hold where other blocks have read", "grid 2 64\n0.0 vread x\n1.0 vread x\n1 barrier\n1.32 vwrite x", []string{"(a) 3 5 inter-block"}},
		{"III b does not hold where other blocks have read, however long ago", "grid 2 64\n0.0 vread x\n1.0 vread x\n1.0 vread x\n1.0 vwrite x",
			[]string{"(a) 4 5 inter-block"}},
		{"III b does not hold where other warps have read, however long ago", "grid 1 64\n0.0 vread x\n0.32 vread x\n0.32 vread x\n0.32 vwrite x",
			[]string{"(a) 4 5 intra-block"}},
		{"reads do not race", "grid 2 64\n0.0 read x\n1.0 read x\n0.32 read x", nil},
		{"reads behind a write do not race", "grid 2 64\n0.0 vwrite x\n0.0 fence device\n1.0 vread x\n0.32 vread x", nil},
		{"(a): no fence", "grid 1 64\n0.0 vwrite x\n0.32 vread x", []string{"(a) 2 3 intra-block"}},
		{"(a): a fence of the warp", "grid 1 64\n0.0 vwrite x\n0.1 fence block\n0.32 vread x", nil},
		{"(a): a write behind the reads of two", "grid 1 64\n0.0 vread x\n0.32 vread x\n0.32 vwrite x", []string{"(a) 3 4 intra-block"}},
		{"(b): no fence", "grid 2 64\n0.0 vread x\n1.0 vwrite x", []string{"(b) 2 3 inter-block"}},
		{"(b): a fence too narrow", "grid 2 64\n0.0 vwrite x\n0.0 fence block\n1.0 vread x", []string{"(b) 2 4 inter-block"}},
		{"(b): a fence", "grid 2 64\n0.0 vwrite x\n0.0 fence device\n1.0 vread x", nil},
		{"(b): what the warp reads again stays unpublished", "grid 2 64\n0.0 vwrite x\n0.0 vread x\n1.0 vread x", []string{"(b) 3 4 inter-block"}},
		{"(b): what the warp reads behind its fence is published", "grid 2 64\n0.0 vwrite x\n0.0 fence device\n0.0 vread x\n1.0 vread x", nil},
		{"(a): what the warp reads behind its fence is published", "grid 1 64\n0.0 vwrite x\n0.0 fence block\n0.0 vread x\n0.32 vread x", nil},
		{"(b): the grid's barrier", "grid 2 64\n0.0 vwrite x\nall barrier\n1.0 vread x", nil},
		{"(c): plain writes", "grid 2 64\n0.0 write x\n0.0 fence device\n1.0 vread x", []string{"(c) 2 4 inter-block"}},
		{"(c): plain reads", "grid 2 64\n0.0 vwrite x\n0.0 fence device\n1.0 read x", []string{"(c) 2 4 inter-block"}},
		{"(c): a plain write long ago", "grid 2 64\n0.0 write x\n0.0 vwrite x\n0.0 fence device\n1.0 vread x", []string{"(c) 3 5 inter-block"}},
		{"(c): atomics are strong", "grid 2 64\n0.0 atomic x\n0.0 fence device\n1.0 vread x", nil},
		{"(c): not beyond a race", "grid 2 64\n0.0 write x\n1.0 vwrite x\n1.0 fence device\n0.0 vread x", []string{"(b) 2 3 inter-block"}},
		{"(c): a barrier needs no strong accesses", "grid 1 64\n0.0 write x\n0 barrier\n0.32 vread x\n0.32 fence block\n0.0 vwrite x", nil},
		{"(d): an atomic too narrow", "grid 2 64\n0.0 atomic x block\n1.0 atomic x", []string{"(d) 2 3 inter-block"}},
		{"(d) does not look at the later scope", "grid 2 64\n0.0 atomic x\n1.0 atomic x block", nil},
		{"(d): read by another block", "grid 2 64\n0.0 atomic x block\n0.0 fence device\n1.0 vread x", []string{"(d) 2 4 inter-block"}},
		{"(d) is for other blocks", "grid 1 64\n0.0 atomic x block\n0.32 atomic x block", nil},
		{"atomics", "grid 2 64\n0.0 atomic x\n1.0 atomic x\n0.32 atomic x", nil},
		{"an atomic and a store", "grid 2 64\n0.0 atomic x\n1.0 vwrite x", []string{"(b) 2 3 inter-block"}},
		{"(e): a read without the lock", "grid 2 64\n" + script.Critical("0.0", "l", "vwrite x") + "1.0 vread x", []string{"(e) 4 7 inter-block"}},
		{"(f): a write without the lock", "grid 2 64\n" + script.Critical("0.0", "l", "vwrite x") + "1.0 vwrite x", []string{"(f) 4 7 inter-block"}},
		{"(f): other locks", "grid 2 64\n" + script.Critical("0.0", "l", "vwrite x") + script.Critical("1.0", "m", "vwrite x"), []string{"(f) 4 9 inter-block"}},
		{"(f): behind the locks of two readers", "grid 2 64\n" + script.Critical("1.0", "l", "vread x") + script.Critical("0.0", "l", "vread x") + "0.0 vwrite x",
			[]string{"(f) 9 12 inter-block"}},
		{"updates under a lock", "grid 2 64\n" + script.Critical("0.0", "l", "vread x", "vwrite x") + script.Critical("1.0", "l", "vread x", "vwrite x"), nil},
		{"a lock of the device excludes one of the block", "grid 1 64\n" + script.Critical("0.0", "l", "vwrite x") +
			"0.32 cas l 0 1 block\n0.32 fence block\n0.32 vwrite x\n0.32 fence block\n0.32 exch l 0 block", nil},
		{"a lock is held from the fence on", "grid 2 64\n0.0 cas l 0 1\n0.0 vwrite x\n0.0 fence device\n0.0 exch l 0\n" + script.Critical("1.0", "l", "vwrite x"),
			[]string{"(f) 3 8 inter-block"}},
		{"a lock taken again is held from the next fence on", "grid 2 64\n0.0 cas l 0 1\n0.0 fence device\n0.0 cas l 0 1\n0.0 vwrite x\n0.0 fence device\n0.0 exch l 0\n" +
			script.Critical("1.0", "l", "vwrite x"), []string{"(f) 5 10 inter-block"}},
		{"a fence of the block activates no lock of the device", "grid 2 64\n0.0 cas l 0 1\n0.0 fence block\n0.0 vwrite x\n0.0 fence device\n0.0 exch l 0\n" +
			script.Critical("1.0", "l", "vwrite x"), []string{"(f) 4 9 inter-block"}},
		{"a lock of the block", "grid 1 64\n" + script.BlockCritical("0.0", "l", "vwrite x") + script.BlockCritical("0.32", "l", "vwrite x"), nil},
		{"a lock of the block in two blocks", "grid 2 64\n" + script.BlockCritical("0.0", "l", "vwrite x") + script.BlockCritical("1.0", "l", "vwrite x"),
			[]string{"(f) 4 9 inter-block", "(d) 6 7 inter-block"}},
		{"after a race the word begins anew", "grid 2 64\n0.0 vwrite x\n1.0 vread x\n0.32 vread x\n1.32 vread x", []string{"(b) 2 3 inter-block"}},
		{"shared memory is not watched", "grid 1 64\n0.0 write s:x\n0.32 write s:x", nil},
		{"the fence file holds 64", "grid 2 64\n0.0 vwrite x\n" + strings.Repeat("0.0 fence device\n", 64) + "1.0 vread x", []string{"(b) 2 67 inter-block"}},
		{"the fence file holds more than 32", "grid 2 64\n0.0 vwrite x\n" + strings.Repeat("0.0 fence device\n", 32) + "1.0 vread x", nil},
		{"a block counts 256 barriers", "grid 1 64\n0.0 vwrite x\n" + strings.Repeat("0 barrier\n", 256) + "0.32 vread x", []string{"(a) 2 259 intra-block"}},
		{"a block counts more than 128 barriers", "grid 1 64\n0.0 vwrite x\n" + strings.Repeat("0 barrier\n", 128) + "0.32 vread x", nil},
		{"warps 16 apart are two", "grid 1 1024\n0.0 vwrite x\n0.512 vread x", []string{"(a) 2 3 intra-block"}},
		{"blocks 64 apart are two", "grid 65 32\n0.0 vwrite x\n64.0 vread x", []string{"(b) 2 3 inter-block"}},
		{"wide accesses have all their words checked", "grid 2 64\n0.0 vwrite x+4\n1.0 vread x:8", []string{"(b) 2 3 inter-block"}},
		{"an asynchronous copy reads", "grid 2 64\n0.0 write x\n1.0 copy x s:x", []string{"(b) 2 3 inter-block"}},
		{"asynchronous copies of one word", "grid 2 64\n0.0 copy x s:x\n1.0 copy x s:x", nil},
		{"a launch begins anew", "grid 2 64\n0.0 write x\ngrid 2 64\n1.0 write x", nil},
		{"blocks 128 apart are one", "grid 129 32\n0.0 vwrite x\n128.0 vread x", nil},
	} {
		if got := races(t, test.text); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %q, want %q\n%s", test.name, got, test.want, test.text)
		}
		if got := races(t, test.text, scord.Cached); !slices.Equal(got, test.want) {
			t.Errorf("%s, cached: got %q, want %q", test.name, got, test.want)
		}
	}
}

// Words a sixteenth of the allocated memory apart share an entry of the cache, and the one drives
// the other out. Of a script's 26 letters that are 26 words, 104 bytes.
func TestCache(t *testing.T) {
	text := func(other string) string { return "grid 2 64\n0.0 vwrite a\n0.32 vread " + other + "\n1.0 vread a" }
	for other, want := range map[string]int{"b": 1, "a+100": 1, "a+104": 0, "a+108": 1, "n": 0, "n+4": 1} {
		if got := races(t, text(other), scord.Cached); len(got) != want {
			t.Errorf("%s: got %q, want %d", other, got, want)
		}
		if got := races(t, text(other)); len(got) != 1 {
			t.Errorf("%s without a cache: got %q, want one race", other, got)
		}
	}
}

// A table holds four entries, of which a lock of the device takes two; the oldest give way.
func TestFullTable(t *testing.T) {
	for _, test := range []struct {
		locks, scope string
		want         int
	}{{"abcd", " block", 0}, {"abcde", " block", 1}, {"ab", "", 0}, {"abc", "", 1}} {
		text := "grid 1 64\n"
		for _, l := range test.locks {
			text += fmt.Sprintf("0.0 cas %c 0 1%s\n", l, test.scope)
		}
		text += "0.0 fence device\n0.0 vwrite x\n0.0 fence device\n" + script.BlockCritical("0.32", "a", "vwrite x")
		if got := races(t, text); len(got) != test.want {
			t.Errorf("locks %s%s: %q, want %d", test.locks, test.scope, got, test.want)
		}
	}
}

// A lock is known by six bits of its address, so that one exchange of data in 64 gives it back.
func TestHashes(t *testing.T) {
	dropped, words := 0, 0
	for letter := 'm'; letter <= 'w'; letter++ {
		for at := 0; at < 64; at += 4 {
			data := fmt.Sprintf("exch %c+%d 7", letter, at)
			words++
			text := "grid 2 64\n" + script.Critical("0.0", "l", data, "vwrite x") + script.Critical("1.0", "l", "vwrite x")
			if got := races(t, text); len(got) > 0 {
				dropped++
			}
		}
	}
	if expected := words / 64; dropped == 0 || dropped > 4*expected {
		t.Errorf("%d of %d words have the lock's hash, expected about %d", dropped, words, expected)
	}
}
