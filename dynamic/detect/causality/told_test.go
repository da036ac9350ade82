package causality_test

// This file tests what is said of races where only the reader's fence is missing, and of locks.

import (
	"fmt"
	"slices"
	"testing"

	"github.com/warplint/warplint/dynamic/detect/causality"
	"github.com/warplint/warplint/dynamic/detect/script"
)

// scripted plays a script and returns "FIRST SECOND RULE SEVERITY" for each race, with lines for
// instructions.
func scripted(t *testing.T, text string) []string {
	t.Helper()
	d := causality.New()
	if err := script.Play(text, d); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range d.Races() {
		got = append(got, fmt.Sprint(r.First.PC, " ", r.Second.PC, " ", r.Rule(), " ", r.Severity()))
	}
	return got
}

func TestTold(t *testing.T) {
	const give = "0.0 fence device\n0.0 exch f 1\n"
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"both fences", "grid 2 64\n0.0 write x\n" + give + "1.0 exch f 0\n1.0 fence device\n1.0 read x", nil},
		{"a volatile read without a fence", "grid 2 64\n0.0 vwrite x\n" + give + "1.0 exch f 0\n1.0 vread x", []string{"2 6 missing-fence information"}},
		{"a plain read without a fence", "grid 2 64\n0.0 write x\n" + give + "1.0 exch f 0\n1.0 read x", []string{"2 6 missing-fence warning"}},
		{"an update", "grid 2 64\n0.0 vwrite x\n" + give + "1.0 exch f 0\n1.0 vread x\n1.0 vwrite x",
			[]string{"2 6 missing-fence information", "2 7 missing-fence information"}},
		{"no fence of the writer", "grid 2 64\n0.0 vwrite x\n0.0 exch f 1\n1.0 exch f 0\n1.0 vread x", []string{"2 5 missing-fence error"}},
		{"told by a third, without fences of those that read", "grid 3 64\n0.0 vwrite x\n" + give + "1.0 exch f 0\n1.0 fence device\n1.0 exch g 1\n2.0 exch g 0\n2.0 vread x",
			[]string{"2 9 missing-fence information"}},
		{"a third, of whom the last has a fence", "grid 3 64\n0.0 vwrite x\n" + give + "1.0 exch f 0\n1.0 fence device\n1.0 exch g 1\n2.0 exch g 0\n2.0 fence device\n2.0 vread x", nil},
		{"told to another thread of the block", "grid 2 64\n0.0 vwrite x\n" + give + "1.0 exch f 0\n1 barrier\n1.40 vread x", []string{"2 7 missing-fence information"}},
		{"told to another thread of the block, later", "grid 2 64\n0.0 vwrite x\n" + give + "1 barrier\n1.0 exch f 0\n1.40 vread x", []string{"2 7 inter-block-race error"}},
		{"no fence, behind a barrier of the writer's block", "grid 2 64\n0.40 write x\n0 barrier\n0.0 exch f 1\n1.0 exch f 0\n1 barrier\n1.40 read x", []string{"2 7 missing-fence error"}},
		{"a barrier behind the flag", "grid 2 64\n0.0 exch f 1\n0 barrier\n0.40 write x\n1.0 exch f 0\n1.0 read x", []string{"4 6 inter-block-race error"}},
		{"the last of three that count", "grid 3 64\n0.40 write x\n0 barrier\n0.0 exch f 1\n1.0 exch f 2\n2.0 exch f 3\n2 barrier\n2.40 read x", []string{"2 8 missing-fence error"}},
		{"eight bytes at once, of many lanes", "grid 1 64\n0.32-63 vwrite x[]:8\n0.0-31 vread x[]:8", []string{"2 3 missing-syncthreads error"}},
		{"a flag before the data", "grid 2 64\n0.0 exch f 1\n0.0 write x\n1.0 exch f 2\n1.0 write x", []string{"3 5 inter-block-race error"}},
		{"a count before the data", "grid 3 64\n0.0 atomic c\n0.0 write x\n1.0 atomic c\n2.0 atomic c\n2.0 write x", []string{"3 6 inter-block-race error"}},
		{"narrow fences of three that count", "grid 3 64\n0.0 write x\n0.0 fence block\n0.0 atomic c\n1.0 fence block\n1.0 atomic c\n2.0 fence block\n2.0 atomic c\n2.0 fence device\n2.0 read x",
			[]string{"2 10 fence-scope error"}},
		{"a narrow fence, and none of the reader", "grid 2 64\n0.0 write x\n0.0 fence block\n0.0 exch f 1\n1.0 exch f 0\n1.0 read x", []string{"2 6 fence-scope error"}},
		{"no fence, told by a third", "grid 3 64\n0.0 write x\n0.0 exch f 1\n1.0 exch f 0\n1.0 fence device\n1.0 exch g 1\n2.0 exch g 0\n2.0 fence device\n2.0 read x", []string{"2 9 missing-fence error"}},
		{"told behind a narrow fence, and by a third behind a wide one", "grid 2 64\n0.0 vwrite x\n0.0 fence block\n0.0 exch f 1\n1.0 exch f 1\n0.32 exch f 1\n0.32 fence device\n0.32 exch f 2\n1.0 exch f 3\n1.0 vread x",
			[]string{"2 10 missing-fence information"}},
		{"lanes of one compare-and-swap that have all seen the first", "grid 1 64\n0.0-3 cas x 0 1\n0.0-3 read x", nil},
		{"lanes of which one has not seen it", "grid 1 64\n0.0-2 cas x 0 1\n0.0-3 read x", []string{"2 3 missing-syncwarp error"}},
		{"not told", "grid 2 64\n0.0 vwrite x\n" + give + "1.0 vread x", []string{"2 5 inter-block-race error"}},
		{"two by one publication, of whom the first does not matter", "grid 2 64\n0.0-1 vwrite x[]\n0.0-1 fence device\n0.0-1 exch f[] 1\n1.0 exch f 0\n1.0 exch f+4 0\n1.0 vread x+4",
			[]string{"2 7 missing-fence information"}},
		{"a lock taken without a fence", "grid 2 64\n0.0 cas l 0 1\n0.0 fence device\n0.0 vwrite x\n0.0 fence device\n0.0 exch l 0\n1.0 cas l 0 1\n1.0 vwrite x",
			[]string{"4 8 lock-fence warning"}},
		{"a lock given back without a fence", "grid 2 64\n0.0 cas l 0 1\n0.0 fence device\n0.0 vwrite x\n0.0 exch l 0\n1.0 cas l 0 1\n1.0 fence device\n1.0 vwrite x",
			[]string{"4 8 lock-fence error"}},
		{"a lock given back without a fence, long ago", "grid 5 64\n0.0 cas l 0 1\n0.0 fence device\n0.0 write x\n0.0 exch l 0\n1.0 cas l 0 1\n1.0 fence device\n1.0 exch l 0\n" +
			"2.0 cas l 0 1\n2.0 fence device\n2.0 exch l 0\n3.0 cas l 0 1\n3.0 fence device\n3.0 exch l 0\n4.0 cas l 0 1\n4.0 fence device\n4.0 write x",
			[]string{"4 17 lock-fence error"}},
		{"a lock of the block", "grid 2 64\n0.0 cas l 0 1 block\n0.0 fence device\n0.0 vwrite x\n0.0 fence device\n0.0 exch l 0 block\n1.0 cas l 0 1 block\n1.0 fence device\n1.0 vwrite x",
			[]string{"4 9 lock-scope error", "6 7 atomic-scope error"}},
	} {
		if got := scripted(t, test.text); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %q, want %q\n%s", test.name, got, test.want, test.text)
		}
	}
}

// Of one pair of instructions that has raced with and without being told, the worse is reported.
func TestToldAndUntold(t *testing.T) {
	got := scripted(t, `grid 3 64
0.0 vwrite x[]
0.1 vwrite x+4
0.0 fence device
0.0 exch f 1
1.0 exch f 0
1.0-1 vread x[]`)
	want := []string{"2 7 missing-fence information", "3 7 inter-block-race error"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	got = scripted(t, "grid 3 64\n0.0-1 vwrite x[]\n0.0 fence device\n0.0 exch f 1\n1.0 exch f 0\n1.0-1 vread x[]")
	if want := []string{"2 6 inter-block-race error"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
