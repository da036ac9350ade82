// This file says in words what a detector saw: what happens to which threads, and what to do.

package dynamic

import (
	"fmt"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/event"
)

// message says in one line what happens to which threads.
func message(f *race.Finding) string {
	who := map[race.Kind]string{race.IntraWarp: "two threads of one warp", race.IntraBlock: "two warps of one block",
		race.InterBlock: "two blocks"}[f.Kind]
	what := "`" + f.Variable + "`"
	if f.Variable == "" {
		what = f.Space + " memory"
	}
	if f.Rule == race.SameValueWrite {
		return fmt.Sprintf("%s write the same value to %s", who, what)
	}
	does := map[race.Access]string{race.Read: "reads", race.Write: "writes", race.Atomic: "updates"}
	if w := f.Witness; f.Rule == race.AsyncCopy && w != nil && w.First == w.Second {
		may := map[race.Access]string{race.Read: "reading", race.Write: "writing", race.Atomic: "updating"}[f.First.Access]
		return fmt.Sprintf("a thread %s %s while its own asynchronous copy may still be %s it", does[f.Second.Access], what, may)
	}
	if f.First.Access == f.Second.Access {
		both := map[race.Access]string{race.Read: "read", race.Write: "write", race.Atomic: "update"}[f.First.Access]
		return fmt.Sprintf("%s both %s %s, and nothing orders them", who, both, what)
	}
	return fmt.Sprintf("%s: one %s %s, the other %s it, and nothing orders them", who, does[f.First.Access], what, does[f.Second.Access])
}

// mend says in one sentence what takes such a race away; the rule's page says more.
func mend(f *race.Finding, l *event.Launch) string {
	fence := "__threadfence()"
	if f.Kind != race.InterBlock {
		fence = "__threadfence_block()"
	}
	switch f.Rule {
	case race.MissingSyncthreads:
		return "Insert __syncthreads() between the two accesses, where all threads of the block pass."
	case race.MissingSyncwarp:
		return "Insert __syncwarp() between the two accesses."
	case race.InterBlockRace:
		if w := f.Witness; w != nil && oneCluster(l, w.First.Block, w.Second.Block) {
			return "Sync the cluster between the two accesses (`cg::this_cluster().sync()`), where all its threads pass."
		}
		if l.Cooperative {
			return "Sync the grid between the two accesses (`cg::this_grid().sync()`), where all its threads pass, or give each block its own part of the memory."
		}
		return "Give each block its own part of the memory, update it with an atomic, or split the work into two kernels."
	case race.AtomicScope:
		return "Give the atomic device scope: atomicAdd in place of atomicAdd_block, thread_scope_device for atomics of libcu++."
	case race.FenceScope:
		return "Use " + fence + ", which covers both threads."
	case race.MissingFence:
		return "Insert " + fence + " between the data and the flag, on the side that has none."
	case race.WeakAccess:
		return "Make it volatile or access it with atomics, with a fence between it and the data that it stands for."
	case race.MixedAtomic:
		if f.Severity == race.Hint { // a compare-and-swap checks what is read
			return "Nothing has to be done. An atomic read takes the race away: `atomicCAS(p, 0, 0)`, or a relaxed load of `cuda::atomic_ref`."
		}
		return "Make the plain access atomic, too, or put a barrier between the two."
	case race.LockScope:
		return "Use a scope that holds both threads for the lock's atomics and fences."
	case race.LockFence:
		return "Insert " + fence + " behind taking the lock and before releasing it."
	case race.LockMismatch:
		return "Make both accesses under the same lock."
	case race.AsyncCopy:
		return "Wait for the copy first, with a barrier behind the wait if other threads began it."
	case race.SameValueWrite:
		return "Let one thread write, if the program must be free of races by the letter."
	}
	return ""
}

func oneCluster(l *event.Launch, a, b race.Dim3) bool {
	for i, size := range l.Cluster {
		if size == 0 || a[i]/size != b[i]/size {
			return false
		}
	}
	return true
}
