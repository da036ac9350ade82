package hb_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/ir/interp"
	"github.com/warplint/warplint/analysis/ir/interp/hb"
	"github.com/warplint/warplint/analysis/race"
)

// declarations come before each body below. $x and $flag are global, @s is shared.
const declarations = `func k {
 param $x ptr u32
 param $flag ptr u32
 shared @s u32 dims 128
 shared @bar u64
`

func launchOf(blocks, threads int) interp.Launch {
	return interp.Launch{
		Grid: race.Dim3{blocks, 1, 1}, Block: race.Dim3{threads, 1, 1},
		Args:    []interp.Arg{interp.PointerTo(0, 0), interp.PointerTo(1, 0)},
		Buffers: []interp.Buffer{{Name: "x", Size: 4096}, {Name: "flag", Size: 4096}},
	}
}

// mark returns the word in the comment of a site's line.
func mark(f *ir.Func, text string, site int) string {
	rest := text[f.Sites[site].Span.Start:]
	line, _, _ := strings.Cut(rest, "\n")
	_, comment, _ := strings.Cut(line, ";")
	return strings.TrimSpace(comment)
}

// describe gives a race in one line: the marks of its sites in order, the kind, what is
// missing, and what is worth a note.
func describe(f *ir.Func, text string, r *hb.Race) string {
	marks := []string{mark(f, text, r.First.Site), mark(f, text, r.Second.Site)}
	slices.Sort(marks)
	line := fmt.Sprintf("%s %s %s: %s", marks[0], marks[1], r.Kind, r.Missing)
	if r.Note {
		line += " (note)"
	}
	if r.SameValue {
		line += " (same value)"
	}
	if r.First.Async || r.Second.Async {
		line += " (async)"
	}
	return line
}

func detect(t *testing.T, text string, launch interp.Launch) (*ir.Func, *hb.Result) {
	t.Helper()
	f, err := ir.ParseFunc(text)
	if err != nil {
		t.Fatal(err)
	}
	result, err := hb.Detect(context.Background(), interp.Compile(f), launch, hb.Schedules)
	if err != nil {
		t.Fatal(err)
	}
	for _, out := range result.Outcomes {
		if !out.Completed() || len(out.Opaque) > 0 {
			t.Fatalf("limit %q, trap %+v, deadlock %v, opaque %v", out.Limit, out.Trap, out.Deadlock, out.Opaque)
		}
	}
	return f, result
}

// handOver is a producer in block 1 (or warp 1) and a consumer in block 0 (or warp 0).
func handOver(who, data, between, set, poll, after, use string) string {
	return fmt.Sprintf(`
	if %s == 1 {
		%s ; data
		%s
		%s ; set
	} else {
		if %s == 0 {
		L1: loop {
			%s ; poll
		} while %%f == 0 { }
		%s
		%s ; use
		}
	}`, who, data, between, set, who, poll, after, use)
}

const (
	byBlock  = "blockIdx.x"
	byWarp   = "threadIdx.x / 32u32 + threadIdx.x % 32u32 * 2u32"
	store    = "store $x, 42"
	load     = "%v = load $x"
	device   = "fence seq_cst device"
	block    = "fence seq_cst block"
	setAtom  = "atomic exch $flag, 1"
	setBlock = "atomic exch relaxed block u32 $flag, 1"
	pollVol  = "%f = load volatile $flag"
)

func TestSituations(t *testing.T) {
	for _, test := range []struct {
		name            string
		blocks, threads int
		body            string
		want            []string
	}{
		{"different words", 2, 64, "store $x[blockIdx.x * 64 + threadIdx.x], 1 ; w", nil},
		{"all write one word", 2, 64, "store $x, threadIdx.x ; w",
			[]string{"w w inter-block: nothing (same value)", "w w intra-block: nothing", "w w intra-warp: nothing"}},
		{"all write the same value", 1, 2, "store $x, 7 ; w", []string{"w w intra-warp: nothing (same value)"}},
		{"read and write", 1, 2, "%v = load $x[1 - threadIdx.x] ; r\nstore $x[threadIdx.x], 1 ; w",
			[]string{"r w intra-warp: nothing"}},
		{"one thread", 1, 1, "store $x, 1 ; w\n%v = load $x ; r\nstore $x, 2 ; v", nil},
		{"only reads", 2, 64, "%v = load $x ; r", nil},
		{"neighbouring bytes", 1, 4, "store u8 $x + i64(threadIdx.x), 1u8 ; w", nil},
		{"overlapping bytes", 1, 2, "if threadIdx.x == 0 { store u16 $x + 1, 1u16 ; a\n } else { store u8 $x + 2, 1u8 ; b\n }",
			[]string{"a b intra-warp: nothing"}},
		{"access across a granule", 1, 2, "if threadIdx.x == 0 { store u32 $x + 6, 1u32 ; a\n } else { store u8 $x + 9, 1u8 ; b\n }",
			[]string{"a b intra-warp: nothing"}},

		{"block barrier", 1, 64, "store @s[threadIdx.x], 1 ; w\nbarrier block sync\n%v = load @s[63 - threadIdx.x] ; r", nil},
		{"no barrier", 1, 64, "store @s[threadIdx.x], 1 ; w\n%v = load @s[63 - threadIdx.x] ; r", []string{"r w intra-block: nothing"}},
		{"barrier of another block", 2, 32, "store $x[blockIdx.x], 1 ; w\nbarrier block sync\nif threadIdx.x == 0 { %v = load $x[1 - blockIdx.x] ; r\n }",
			[]string{"r w inter-block: nothing", "w w intra-warp: nothing (same value)"}},
		{"second barrier missing", 1, 64, "store @s[threadIdx.x], 1 ; w\nbarrier block sync\n%v = load @s[63 - threadIdx.x] ; r\nstore @s[threadIdx.x], 2 ; v",
			[]string{"r v intra-block: nothing"}},
		{"grid barrier", 2, 32, "store $x[blockIdx.x * 32 + threadIdx.x], 1 ; w\nbarrier grid sync\n%v = load $x[63 - blockIdx.x * 32 - threadIdx.x] ; r", nil},
		{"warp barrier", 1, 64, "store @s[threadIdx.x], 1 ; w\nbarrier warp sync mask 0xffffffff\n%v = load @s[threadIdx.x ^ 1] ; r", nil},
		{"warp barrier does not order warps", 1, 64, "store @s[threadIdx.x], 1 ; w\nbarrier warp sync mask 0xffffffff\n%v = load @s[threadIdx.x ^ 33] ; r",
			[]string{"r w intra-block: nothing"}},
		{"warp barrier of half a warp", 1, 32, "store @s[threadIdx.x], 1 ; w\n%m = select(laneId < 16, 0xffffu32, 0xffff0000u32)\nbarrier warp sync mask %m\n%v = load @s[threadIdx.x ^ 17] ; r",
			[]string{"r w intra-warp: nothing"}},
		{"shuffle orders nothing", 1, 32, "store @s[threadIdx.x], 1 ; w\n%y = warp shfl mask 0xffffffff args 0u32, 0u32, 32\n%v = load @s[threadIdx.x ^ 1] ; r",
			[]string{"r w intra-warp: nothing"}},
		{"arrival orders one way", 1, 64, `
			if threadIdx.x < 32 {
				store @s[threadIdx.x], 1 ; before
				barrier block arrive id 1 count 64
				store @s[threadIdx.x + 32], 1 ; after
			} else {
				barrier block sync id 1 count 64
				%v = load @s[threadIdx.x - 32] ; r
				%v = load @s[threadIdx.x] ; q
			}`, []string{"after q intra-block: nothing"}},
		{"split grid barrier", 2, 1, `
			store $x[blockIdx.x], 1 ; w
			barrier grid arrive
			store $x[blockIdx.x + 2], 1 ; v
			barrier grid wait
			%v = load $x[1 - blockIdx.x] ; r
			%v = load $x[3 - blockIdx.x] ; q`, []string{"q v inter-block: nothing"}},
		{"mbarrier", 1, 64, `
			if threadIdx.x == 0 { named mbarrier.init @bar, 64 }
			barrier block sync
			store @s[threadIdx.x], 1 ; w
			%token = named mbarrier.arrive @bar
			store @s[threadIdx.x + 64], 1 ; v
			named mbarrier.wait @bar, %token
			%v = load @s[63 - threadIdx.x] ; r
			%v = load @s[127 - threadIdx.x] ; q`, []string{"q v intra-block: nothing"}},

		{"hand-over", 2, 1, handOver(byBlock, store, device, setAtom, pollVol, device, load), nil},
		{"hand-over, volatile flag", 2, 1, handOver(byBlock, store, device, "store volatile $flag, 1", pollVol, device, load), nil},
		{"hand-over without the consumer's fence", 2, 1, handOver(byBlock, store, device, setAtom, pollVol, "", load),
			[]string{"data use inter-block: acquire fence"}},
		{"hand-over of volatile data without the consumer's fence", 2, 1,
			handOver(byBlock, "store volatile $x, 42", device, setAtom, pollVol, "", "%v = load volatile $x"),
			[]string{"data use inter-block: acquire fence (note)"}},
		{"volatile data beside the flag", 2, 1,
			handOver(byBlock, "store volatile $flag[1], 42", "", setAtom, pollVol, device, "%v = load volatile $flag[1]"),
			[]string{"data use inter-block: release fence"}},
		{"narrow atomics without the consumer's fence", 2, 1,
			handOver(byBlock, "atomic exch relaxed block u32 $x, 42", device, setAtom, pollVol, "", "atomic exch relaxed block u32 $x, 43"),
			[]string{"data use inter-block: acquire fence"}},
		{"narrow atomics without the producer's fence", 2, 1,
			handOver(byBlock, "atomic exch relaxed block u32 $x, 42", "", setAtom, pollVol, device, "atomic exch relaxed block u32 $x, 43"),
			[]string{"data use inter-block: access scope"}},
		{"hand-over without the producer's fence", 2, 1, handOver(byBlock, store, "", setAtom, pollVol, device, load),
			[]string{"data use inter-block: release fence"}},
		{"hand-over without fences", 2, 1, handOver(byBlock, store, "", setAtom, pollVol, "", load),
			[]string{"data use inter-block: fences"}},
		{"hand-over with the producer's fence too narrow", 2, 1, handOver(byBlock, store, block, setAtom, pollVol, device, load),
			[]string{"data use inter-block: fence scope"}},
		{"hand-over with the consumer's fence too narrow", 2, 1, handOver(byBlock, store, device, setAtom, pollVol, block, load),
			[]string{"data use inter-block: fence scope"}},
		{"narrow fences suffice in a block", 1, 64, handOver(byWarp, store, block, setBlock, pollVol, block, load), nil},
		{"hand-over with a narrow atomic", 2, 1, handOver(byBlock, store, device, setBlock, pollVol, device, load),
			[]string{"data use inter-block: access scope", "poll set inter-block: access scope"}},
		{"hand-over, everything narrow", 2, 1, handOver(byBlock, store, block, setBlock, pollVol, block, load),
			[]string{"data use inter-block: scopes", "poll set inter-block: access scope"}},
		{"hand-over by a plain flag", 2, 1, handOver(byBlock, store, device, "store $flag, 1", "%f = load $flag", device, load),
			[]string{"data use inter-block: strong flag", "poll set inter-block: nothing"}},
		{"release and acquire operations", 2, 1,
			handOver(byBlock, store, "", "store release device u32 $flag, 1", "%f = load acquire device u32 $flag", "", load), nil},
		{"release and acquire of the block", 2, 1,
			handOver(byBlock, store, "", "store release block u32 $flag, 1", "%f = load acquire block u32 $flag", "", load),
			[]string{"data use inter-block: scopes", "poll set inter-block: access scope"}},
		{"release operation, relaxed poll and fence", 2, 1,
			handOver(byBlock, store, "", "store release device u32 $flag, 1", "%f = load relaxed device u32 $flag", "fence acquire device", load), nil},
		{"an acquire fence releases nothing", 2, 1, handOver(byBlock, store, "fence acquire device", setAtom, pollVol, device, load),
			[]string{"data use inter-block: release fence"}},
		{"relaxed operations alone", 2, 1,
			handOver(byBlock, store, "", "store relaxed device u32 $flag, 1", "%f = load relaxed device u32 $flag", "", load),
			[]string{"data use inter-block: fences"}},
		{"data after the flag", 2, 1, handOver(byBlock, "store $x[1], 1", device, "atomic exch $flag, 1\n"+store, pollVol, device, load),
			[]string{"set use inter-block: nothing"}},

		{"atomics", 2, 64, "atomic add $x, 1 ; a", nil},
		{"narrow atomics", 2, 64, "atomic add relaxed block u32 $x, 1 ; a", []string{"a a inter-block: access scope"}},
		{"narrow and wide atomics", 2, 1, "if blockIdx.x == 0 { atomic add relaxed block u32 $x, 1 ; a\n } else { atomic add $x, 1 ; b\n }",
			[]string{"a b inter-block: access scope"}},
		{"atomic and plain read", 2, 1, "if blockIdx.x == 0 { atomic add $x, 1 ; a\n } else { %v = load $x ; r\n }", []string{"a r inter-block: nothing"}},
		{"atomic and plain write", 1, 2, "if threadIdx.x == 0 { atomic add $x, 1 ; a\n } else { store $x, 0 ; w\n }", []string{"a w intra-warp: nothing"}},
		{"atomic and relaxed load", 2, 1, "if blockIdx.x == 0 { atomic add $x, 1 ; a\n } else { %v = load relaxed device u32 $x ; r\n }", nil},
		{"volatile is no order", 2, 1, "if blockIdx.x == 0 { store volatile $x, 1 ; w\n } else { %v = load volatile $x ; r\n }",
			[]string{"r w inter-block: nothing"}},

		{"last block, both fences", 3, 1, lastBlock(device, device), nil},
		{"last block, one fence", 3, 1, lastBlock(device, ""), []string{"data use inter-block: acquire fence"}},
		{"last block, narrow fences", 3, 1, lastBlock(block, device), []string{"data use inter-block: fence scope"}},

		{"lock", 2, 3, lock("", device, device, ""), nil},
		{"lock without the fence behind taking it", 2, 1, lock("", "", device, ""), []string{
			"r w inter-block: acquire fence", "w w inter-block: acquire fence"}},
		{"lock without the fence before giving it back", 2, 1, lock("", device, "", ""), []string{
			"r w inter-block: release fence", "w w inter-block: release fence"}},
		{"lock of the block", 2, 1, lock("relaxed block u32", device, device, "relaxed block u32"), []string{
			"give give inter-block: access scope", "give take inter-block: access scope", "r w inter-block: access scope", "take take inter-block: access scope", "w w inter-block: access scope"}},

		{"a chain of two hand-overs", 3, 1, chain(device, device, device, device), nil},
		{"a chain with a narrow link", 3, 1, chain(device, "fence acquire device", block, device), []string{"data use inter-block: fence scope"}},
		{"scopes compose", 2, 64, `
			if blockIdx.x == 0 && threadIdx.x == 0 {
				store $x, 1 ; data
				fence seq_cst block
				store volatile $flag[1], 1
			}
			if blockIdx.x == 0 && threadIdx.x == 32 {
				L1: loop { %f = load volatile $flag[1]
				} while %f == 0 { }
				fence seq_cst device
				store volatile $flag[2], 1
			}
			if blockIdx.x == 1 && threadIdx.x == 0 {
				L2: loop { %f = load volatile $flag[2]
				} while %f == 0 { }
				fence seq_cst device
				%v = load $x ; use
			}`, nil},
		{"a barrier hands on what one thread acquired", 2, 64, `
			if blockIdx.x == 0 {
				store $x[threadIdx.x], 1 ; data
				barrier block sync
				if threadIdx.x == 0 { fence seq_cst device
					atomic exch $flag, 1 }
			} else {
				if threadIdx.x == 5 {
					L1: loop { %f = load volatile $flag
					} while %f == 0 { }
					fence seq_cst device
				}
				barrier block sync
				%v = load $x[63 - threadIdx.x] ; use
			}`, nil},

		{"asynchronous copy awaited", 1, 2, asyncCopy("named cp.async.wait\nbarrier block sync"), nil},
		{"asynchronous copy not awaited", 1, 2, asyncCopy("barrier block sync"), []string{"copy use intra-warp: nothing (async)"}},
		{"asynchronous copy without barrier", 1, 2, asyncCopy("named cp.async.wait"), []string{"copy use intra-warp: nothing (async)"}},
		{"asynchronous copy with an mbarrier", 1, 2, asyncBarrier("named mbarrier.wait @bar"), nil},
		{"asynchronous copy with an mbarrier not awaited", 1, 2, asyncBarrier(""), []string{"copy use intra-warp: nothing (async)"}},
		{"copy of a block", 1, 64, groupCopy("barrier block sync"), nil},
		{"copy of a block, used without meeting", 1, 64, groupCopy(""), []string{"copy use intra-block: nothing (async)", "copy use intra-warp: nothing (async)"}},
		{"bulk copy behind the writers' fences", 1, 64, bulkCopy("named proxy.fence\nbarrier block sync", ""), nil},
		{"bulk copy behind its thread's fence", 1, 64, bulkCopy("barrier block sync", "named proxy.fence"), nil},
		{"bulk copy behind another thread's fence", 1, 64, bulkCopy("barrier block sync\nif threadIdx.x == 40 { named proxy.fence }\nbarrier block sync", ""), nil},
		{"bulk copy without a fence", 1, 64, bulkCopy("barrier block sync", ""), []string{"copy write intra-block: proxy fence (async)", "copy write intra-warp: proxy fence (async)"}},
		{"bulk copy with one writer's fence", 1, 33, bulkCopy("if threadIdx.x < 32 { named proxy.fence }\nbarrier block sync", ""), []string{"copy write intra-block: proxy fence (async)"}},
		{"bulk copy of what a copy brought", 1, 64,
			"store @s[threadIdx.x], 0 ; write\nif threadIdx.x == 0 { named mbarrier.init @bar, 64 }\nbarrier block sync\nif threadIdx.x == 0 {\nnamed cp.async @s, $x, 256, @bar ; bring\n}\nnamed mbarrier.arrive @bar\nnamed mbarrier.wait @bar\nif threadIdx.x == 0 {\nnamed bulk.copy $x[100], @s, 256 ; copy\nnamed bulk.commit\nnamed bulk.wait 0\n}", nil},
		{"own asynchronous copy not awaited", 1, 1,
			"named cp.async @s, $x, 8 ; copy\nnamed cp.async.commit\nnamed cp.async @s[4], $x, 4 ; late\nnamed cp.async.commit\nnamed cp.async.wait 1\n%v = load @s[1] ; r\n%v = load @s[4] ; q",
			[]string{"late q intra-warp: nothing (async)"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := declarations + test.body + "\n}\n"
			f, result := detect(t, text, launchOf(test.blocks, test.threads))
			var got []string
			for _, r := range result.Races {
				got = append(got, describe(f, text, r))
			}
			slices.Sort(got)
			got = slices.Compact(got)
			if !slices.Equal(got, test.want) {
				t.Errorf("got\n %s\nwant\n %s", strings.Join(got, "\n "), strings.Join(test.want, "\n "))
			}
		})
	}
}

// lastBlock has each block publish a word and count itself; the last one reads all words.
func lastBlock(before, after string) string {
	return fmt.Sprintf(`
	store $x[blockIdx.x], 1 ; data
	%s
	%%n = atomic add $flag, 1 ; count
	if %%n == gridDim.x - 1 {
		%s
		%%v = load $x[0] ; use
		%%v = load $x[1] ; use
		%%v = load $x[2] ; use
	}`, before, after)
}

// lock guards a counter.
func lock(take, afterTake, beforeGive, give string) string {
	return fmt.Sprintf(`
	%%done = 0u32
	L1: loop { } while %%done == 0 {
		%%o = atomic cas %s $flag, 0, 1 ; take
		if %%o == 0 {
			%s
			%%v = load $x ; r
			store $x, %%v + 1 ; w
			%s
			atomic exch %s $flag, 0 ; give
			%%done = 1
		}
	}`, take, afterTake, beforeGive, give)
}

// chain hands a word from block 0 by block 1 to block 2.
func chain(first, second, third, fourth string) string {
	return fmt.Sprintf(`
	if blockIdx.x == 0 {
		store $x, 1 ; data
		%s
		store volatile $flag[0], 1
	}
	if blockIdx.x == 1 {
		L1: loop { %%f = load volatile $flag[0]
		} while %%f == 0 { }
		%s
		%s
		store volatile $flag[1], 1
	}
	if blockIdx.x == 2 {
		L2: loop { %%f = load volatile $flag[1]
		} while %%f == 0 { }
		%s
		%%v = load $x ; use
	}`, first, second, third, fourth)
}

func asyncCopy(between string) string {
	return "named cp.async @s[threadIdx.x], $x[threadIdx.x], 4 ; copy\n" + between + "\n%v = load @s[1 - threadIdx.x] ; use"
}

func asyncBarrier(wait string) string {
	return "if threadIdx.x == 0 { named mbarrier.init @bar, 2 }\nbarrier block sync\nnamed cp.async @s[threadIdx.x], $x[threadIdx.x], 4, @bar ; copy\n" +
		"named mbarrier.arrive @bar\n" + wait + "\n%v = load @s[1 - threadIdx.x] ; use"
}

func bulkCopy(between, before string) string {
	return "store @s[threadIdx.x], 1 ; write\n" + between + "\nif threadIdx.x == 0 {\n" + before + "\nnamed bulk.copy $x, @s, 256 ; copy\nnamed bulk.commit\nnamed bulk.wait 0\n}"
}

func groupCopy(meet string) string {
	return "named group.copy @s, $x, 256, 1u32, 0u32 ; copy\nnamed group.wait 0, 1u32\n" + meet + "\n%v = load @s[63 - threadIdx.x] ; use"
}

// TestSides checks what is told of the two sides of a race.
func TestSides(t *testing.T) {
	const text = declarations + `
	if blockIdx.x == 1 && threadIdx.x == 3 { store $x[2], 5 ; w
	}
	if blockIdx.x == 0 { %v = load u16 $x + 10 ; r
	}
	}`
	p := interp.Compile(ir.MustParse(text))
	for _, sites := range [][]int{nil, {3, 1}, {1, 3}} {
		result, err := hb.DetectAt(context.Background(), p, launchOf(2, 4), hb.Schedules, hb.Wanted{Sites: sites})
		if err != nil || len(result.Races) != 1 || result.Races[0].Count < 4 {
			t.Fatal(result, err)
		}
		r := result.Races[0]
		first, second := r.First, r.Second
		if first.Access == race.Read {
			first, second = second, first
		}
		if first.Access != race.Write || first.New != 5 || second.Thread.Block == first.Thread.Block || r.Object.Name != "x" || r.Offset != 10 || r.Size != 2 {
			t.Errorf("race %+v", r)
		}
	}
	for _, sites := range [][]int{{3}, {1}, {0, 2}} {
		if result, err := hb.DetectAt(context.Background(), p, launchOf(2, 4), hb.Schedules, hb.Wanted{Sites: sites}); err != nil || len(result.Races) != 0 || len(result.Outcomes) != len(hb.Schedules) {
			t.Error(sites, result, err)
		}
	}
}

// TestLocks checks which locks the sides of a race hold, and how the threads communicated.
func TestLocks(t *testing.T) {
	const text = declarations + `
	%done = 0u32
	L1: loop { } while %done == 0 {
		%o = atomic cas $flag[blockIdx.x], 0, 1 ; take
		if %o == 0 {
			fence seq_cst device
			%v = load $x
			store $x, %v + 1 ; w
			fence seq_cst device
			atomic exch $flag[blockIdx.x], 0 ; give
			%done = 1
		}
	}
	store $x[1], 1 ; late
	}`
	f, result := detect(t, text, launchOf(2, 1))
	held := map[string]int{"w": 1, "late": 0}
	checked := 0
	for _, r := range result.Races {
		for _, s := range []hb.Side{r.First, r.Second} {
			if want, ok := held[mark(f, text, s.Site)]; ok {
				checked++
				if len(s.Locks) != want {
					t.Errorf("%d locks at %q, want %d", len(s.Locks), mark(f, text, s.Site), want)
				} else if want == 1 && (s.Locks[0].Object.Name != "flag" || s.Locks[0].Offset != int64(4*s.Thread.Block)) {
					t.Errorf("lock %+v of block %d", s.Locks[0], s.Thread.Block)
				}
			}
		}
	}
	if checked < 4 {
		t.Errorf("only %d sides have a mark", checked)
	}
}

func TestHandOver(t *testing.T) {
	for _, body := range []string{
		handOver(byBlock, store, "", setAtom, pollVol, device, load),
		handOver(byBlock, store, device, setAtom, pollVol, "", load),
		handOver(byBlock, store, block, setAtom, pollVol, device, load),
	} {
		text := declarations + body + "\n}\n"
		f, result := detect(t, text, launchOf(2, 1))
		if len(result.Races) != 1 || result.Races[0].By == nil {
			t.Fatalf("races %+v", result.Races)
		}
		if by := result.Races[0].By; mark(f, text, by.Write) != "set" || mark(f, text, by.Read) != "poll" {
			t.Errorf("handed over by %q and %q", mark(f, text, by.Write), mark(f, text, by.Read))
		}
	}
}

func TestPolledSites(t *testing.T) {
	const text = declarations + `
	%p = $flag
	L1: loop {
		%f = load volatile $flag ; yes
	} while %f == 0 { }
	L2: loop { } while true {
		%o = atomic cas $flag, 0, 1 ; yes
		if %o == 0 { break L2 }
	}
	%i = 0u32
	L3: loop {
		%n = load volatile $x ; bound
	} while %i < %n { %i = %i + 1 }
	L6: loop { } while true {
		%k = load $x ; names the lock
		%o = atomic cas $flag[%k & 7], 0, 1 ; yes
		if %o == 0 { break L6 }
	}
	L4: loop {
		%p = load ptr %p ; chase
	} while %p != null { }
	%done = false
	L5: loop { } while !%done {
		%o = atomic cas $flag, 0, 1 ; yes
		if %o == 0 {
			%v = load $x ; data
			%done = true
		}
	}
	L7: loop { } while true {
		%k = load $x ; counts by hand
		%n = %k + 1
		store $x, %n
		if %k > 7 { break L7 }
	}
	L8: loop { } while true {
		%k = load $x ; yes
		if %k > 7 {
			store $x, %k - 7
			break L8
		}
	}
	}`
	f := ir.MustParse(text)
	polled := hb.PolledSites(f)
	for site := range f.Sites {
		if want := mark(f, text, site) == "yes"; polled[site] != want {
			t.Errorf("site %d %q: polled %t", site, mark(f, text, site), polled[site])
		}
	}
}

// FuzzDetect checks that no function crashes the detector, and that it always finds the same.
func FuzzDetect(f *testing.F) {
	for _, body := range []string{
		handOver(byBlock, store, device, setAtom, pollVol, device, load), lock("", device, device, ""), lastBlock(device, ""),
		asyncBarrier("named mbarrier.wait @bar"), groupCopy("barrier block sync"), "store u64 $x + 3, 1u64\nbarrier grid arrive\nbarrier grid wait",
	} {
		f.Add(declarations + body + "\n}\n")
	}
	f.Fuzz(func(t *testing.T, text string) {
		function, err := ir.ParseFunc(text)
		if err != nil {
			return
		}
		launch := interp.NewLaunch(function, race.Dim3{2, 1, 1}, race.Dim3{3, 1, 1})
		schedules := slices.Clone(hb.Schedules)
		for i := range schedules {
			schedules[i].MaxSteps, schedules[i].MaxMemory = 2000, 1<<20
		}
		var found [2]string
		for i := range found {
			result, err := hb.Detect(context.Background(), interp.Compile(function), launch, schedules)
			if err != nil {
				return
			}
			for _, r := range result.Races {
				found[i] += fmt.Sprintln(r.First.Site, r.Second.Site, r.Kind, r.Missing, r.Note, r.Count, r.Offset, r.Size)
			}
		}
		if found[0] != found[1] {
			t.Fatalf("%s\nand then\n%s", found[0], found[1])
		}
	})
}

// A run whose races are known is made once: it goes as far, and shows the same pairs, as one that finds out
// what they lack.
func TestKnownRacesAreNotExplained(t *testing.T) {
	for name, body := range map[string]string{
		"lock":    lock("", device, "", ""),
		"publish": lastBlock("", device),
		"plain":   "store $x[0], threadIdx.x\nbarrier block sync\n%v = load $x[0]\nstore $flag[threadIdx.x], %v",
	} {
		t.Run(name, func(t *testing.T) {
			p := interp.Compile(ir.MustParse(declarations + body + "\n}\n"))
			for _, schedule := range hb.Schedules {
				run := func(known func(*hb.Race) bool) *hb.Result {
					result, err := hb.DetectAt(context.Background(), p, launchOf(2, 64), []interp.Options{schedule}, hb.Wanted{Known: known})
					if err != nil {
						t.Fatal(err)
					}
					return result
				}
				explained, unexplained := run(nil), run(func(*hb.Race) bool { return true })
				if len(explained.Races) == 0 {
					t.Fatal("nothing races")
				}
				partly := run(func(r *hb.Race) bool { return r.Kind == race.InterBlock })
				for _, other := range []*hb.Result{unexplained, partly} {
					if len(other.Races) != len(explained.Races) || other.Trace != explained.Trace || other.Outcomes[0].Steps != explained.Outcomes[0].Steps {
						t.Fatalf("%d races in %d steps, want %d in %d", len(other.Races), other.Outcomes[0].Steps, len(explained.Races), explained.Outcomes[0].Steps)
					}
				}
				for i, r := range explained.Races {
					if o := unexplained.Races[i]; o.First.Site != r.First.Site || o.Second.Site != r.Second.Site || o.Kind != r.Kind || o.Count != r.Count {
						t.Errorf("%v and %v of %d, want %v and %v of %d", o.First.Site, o.Second.Site, o.Count, r.First.Site, r.Second.Site, r.Count)
					}
				}
			}
		})
	}
}
