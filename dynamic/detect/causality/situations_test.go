package causality_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/warplint/warplint/dynamic/detect/causality"
	"github.com/warplint/warplint/dynamic/event"
)

// mark returns the word in the comment of a place's line.
func mark(lines []string, p event.Place) string {
	if p.Line < 1 || p.Line > len(lines) {
		return "?"
	}
	_, comment, _ := strings.Cut(lines[p.Line-1], "// ")
	return comment
}

// describe gives a race in one line: the marks of its places in order, the kind, what is
// missing, and what is worth a note.
func describe(lines []string, r *causality.Race) string {
	marks := []string{mark(lines, r.First.Location.Place), mark(lines, r.Second.Location.Place)}
	slices.Sort(marks)
	line := fmt.Sprintf("%s %s %s: %s", marks[0], marks[1], r.Kind, r.Missing)
	if r.Note {
		line += " (note)"
	}
	if r.SameValue {
		line += " (same value)"
	}
	return line
}

func TestSituations(t *testing.T) {
	source, err := os.ReadFile("testdata/situations.cu")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(source), "\n")
	for _, test := range []struct {
		kernel          string
		blocks, threads int
		want            []string // each in some schedule, no others in any
	}{
		{"hand_over", 2, 32, nil},
		{"no_release", 2, 32, []string{"make use inter-block: release fence"}},
		{"no_acquire", 2, 32, []string{"make use inter-block: acquire fence"}},
		{"no_acquire_volatile", 2, 32, []string{"make use inter-block: acquire fence (note)"}},
		{"no_fences", 2, 32, []string{"make use inter-block: fences"}},
		{"narrow_release", 2, 32, []string{"make use inter-block: fence scope"}},
		{"narrow_acquire", 2, 32, []string{"make use inter-block: fence scope"}},
		{"narrow_flag", 2, 32, []string{"make use inter-block: access scope", "poll set inter-block: access scope"}},
		{"counter", 3, 64, nil},
		{"counter_block", 1, 64, nil},
		{"counter_block", 2, 64, []string{"add add inter-block: access scope"}},
		{"counter_block_own", 3, 64, nil},
		{"counter_reset", 2, 32, []string{"add reset inter-block: nothing"}},
		{"lock", 3, 32, nil},
		{"lock_block", 1, 32, nil},
		{"last_block", 5, 32, nil},
		{"table", 100, 64, nil},
		{"table_written", 100, 64, []string{"make use inter-block: nothing", "make use intra-block: nothing", "make use intra-warp: nothing"}},
		{"transitive", 3, 32, nil},
		{"returned", 2, 64, nil},
		{"shared_right", 2, 64, nil},
		{"shared_wrong", 2, 64, []string{"make use intra-block: nothing"}},
		{"shared_again", 2, 64, []string{"make use intra-block: nothing"}},
		{"warp_right", 2, 64, nil},
		{"warp_wrong", 2, 64, []string{"make use intra-warp: nothing"}},
		{"same_value", 1, 2, []string{"set set intra-warp: nothing (same value)"}},
		{"bytes_right", 2, 64, nil},
		{"barrier_then_flag", 2, 64, nil},
		{"transposed", 3, 256, nil},
		{"transposed_again", 3, 256, []string{"make use intra-block: nothing", "make use intra-warp: nothing"}},
		{"columns", 16, 256, nil},
		{"columns", 17, 256, []string{"make make inter-block: nothing"}},
		{"parts", 1, 256, nil},
	} {
		t.Run(fmt.Sprint(test.kernel, " ", test.blocks, "x", test.threads), func(t *testing.T) {
			var got []string
			for seed := range uint64(5) {
				for _, r := range races(t, situations(t), test.kernel, test.blocks, test.threads, seed) {
					got = append(got, describe(lines, r))
				}
			}
			slices.Sort(got)
			if got = slices.Compact(got); !slices.Equal(got, test.want) {
				t.Errorf("got %q\nwant %q", got, test.want)
			}
		})
	}
}

// Whichever of the two threads comes first.
func TestBesideScattered(t *testing.T) {
	for _, kernel := range []string{"scattered_over", "read_again", "read_again_by_last"} {
		for seed := range uint64(10) {
			if n := len(races(t, situations(t), kernel, 1, 64, seed)); n != 1 {
				t.Errorf("%s, seed %d: %d races", kernel, seed, n)
			}
		}
	}
}

// In broken locks what is missing depends on who comes first; the counter races in any case.
func TestBrokenLocks(t *testing.T) {
	for _, kernel := range []string{"lock_block", "lock_no_acquire", "lock_no_release"} {
		for seed := range uint64(5) {
			if len(races(t, situations(t), kernel, 3, 32, seed)) == 0 {
				t.Errorf("%s, seed %d: no race", kernel, seed)
			}
		}
	}
}

func TestWitness(t *testing.T) {
	list := races(t, situations(t), "warp_wrong", 1, 32, 1)
	if len(list) != 1 {
		t.Fatalf("%d races", len(list))
	}
	r := list[0]
	if r.Space != event.Shared || r.Variable == "" || r.Count == 0 || r.First.Thread == r.Second.Thread || r.Rule() != "missing-syncwarp" {
		t.Errorf("%+v", r)
	}
	if r = races(t, situations(t), "counter_reset", 2, 32, 1)[0]; r.Variable != "data" || r.Rule() != "mixed-atomic" {
		t.Errorf("%+v", r)
	}
}
