package dynamic

import (
	"strings"
	"testing"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/event"
)

// TestWords: what is said of a race names both threads' deeds, once if they are the same.
func TestWords(t *testing.T) {
	for _, test := range []struct {
		f    race.Finding
		want string
	}{
		{race.Finding{Kind: race.InterBlock, Variable: "sum", First: race.Site{Access: race.Read}, Second: race.Site{Access: race.Write}},
			"two blocks: one reads `sum`, the other writes it, and nothing orders them"},
		{race.Finding{Kind: race.InterBlock, Variable: "sum", First: race.Site{Access: race.Atomic}, Second: race.Site{Access: race.Atomic}},
			"two blocks both update `sum`, and nothing orders them"},
		{race.Finding{Kind: race.IntraBlock, Space: "shared", First: race.Site{Access: race.Write}, Second: race.Site{Access: race.Write}},
			"two warps of one block both write shared memory, and nothing orders them"},
		{race.Finding{Kind: race.IntraWarp, Variable: "sum", Rule: race.SameValueWrite, First: race.Site{Access: race.Write}, Second: race.Site{Access: race.Write}},
			"two threads of one warp write the same value to `sum`"},
		{race.Finding{Kind: race.IntraWarp, Variable: "tile", Rule: race.AsyncCopy, First: race.Site{Access: race.Write}, Second: race.Site{Access: race.Read}, Witness: &race.Witness{}},
			"a thread reads `tile` while its own asynchronous copy may still be writing it"},
	} {
		if got := message(&test.f, threadsOf(&test.f)); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
	for _, rule := range []race.Rule{ // those that detectors name
		race.MissingSyncthreads, race.MissingSyncwarp, race.InterBlockRace, race.AtomicScope, race.FenceScope, race.MissingFence,
		race.WeakAccess, race.MixedAtomic, race.LockScope, race.LockFence, race.LockMismatch, race.AsyncCopy, race.SameValueWrite,
	} {
		if mend(&race.Finding{Rule: rule}, &event.Launch{}, between{}) == "" {
			t.Errorf("nothing is said of what mends %s", rule)
		}
	}
	blocks := race.Finding{Rule: race.InterBlockRace, Witness: &race.Witness{Second: race.Thread{Block: race.Dim3{1, 0, 0}}}}
	for _, test := range []struct {
		launch event.Launch
		want   string
	}{
		{event.Launch{Cluster: race.Dim3{1, 1, 1}}, "two kernels"},
		{event.Launch{Cluster: race.Dim3{1, 1, 1}, Cooperative: true}, "this_grid().sync()"},
		{event.Launch{Cluster: race.Dim3{2, 1, 1}}, "this_cluster().sync()"},
	} {
		if got := mend(&blocks, &test.launch, between{}); !strings.Contains(got, test.want) {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
}
