// This file says in words what a detector saw: what happens to which threads, and what to do.

package dynamic

import (
	"fmt"
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/event"
)

// threadsOf says what sort of threads meet.
func threadsOf(f *race.Finding) string {
	return map[race.Kind]string{race.IntraWarp: "two threads of one warp", race.IntraBlock: "two warps of one block",
		race.InterBlock: "two blocks"}[f.Kind]
}

// message says in one line what happens to which threads.
func message(f *race.Finding, who string) string {
	what := memoryOf(f)
	if f.Rule == race.SameValueWrite {
		return fmt.Sprintf("%s write the same value to %s", who, what)
	}
	does := map[race.Access]string{race.Read: "reads", race.Write: "writes", race.Atomic: "updates"}
	if w := f.Witness; f.Rule == race.AsyncCopy && w != nil && w.First == w.Second {
		may := map[race.Access]string{race.Read: "reading", race.Write: "writing", race.Atomic: "updating"}[f.First.Access]
		return fmt.Sprintf("a thread %s %s while its own asynchronous copy may still be %s it", does[f.Second.Access], what, may)
	}
	if f.Second.Access == race.End {
		return fmt.Sprintf("a block %s %s of another one of its cluster, which may have ended", does[f.First.Access], what)
	}
	if f.First.Access == f.Second.Access {
		both := map[race.Access]string{race.Read: "read", race.Write: "write", race.Atomic: "update"}[f.First.Access]
		return fmt.Sprintf("%s both %s %s, and nothing orders them", who, both, what)
	}
	return fmt.Sprintf("%s: one %s %s, the other %s it, and nothing orders them", who, does[f.First.Access], what, does[f.Second.Access])
}

// memoryOf names what a race is about.
func memoryOf(f *race.Finding) string {
	if f.Variable == "" {
		return f.Space + " memory"
	}
	return "`" + f.Variable + "`"
}

// fenceOf is the narrowest fence that covers both threads.
func fenceOf(f *race.Finding) string {
	if f.Kind == race.InterBlock {
		return "__threadfence()"
	}
	return "__threadfence_block()"
}

// mend says in one sentence what takes such a race away; the rule's page says more.
func mend(f *race.Finding, l *event.Launch, b between) string {
	fence := fenceOf(f)
	switch f.Rule {
	case race.MissingSyncthreads:
		return b.barrier("__syncthreads()", ", where all threads of the block pass")
	case race.MissingSyncwarp:
		return b.barrier("__syncwarp()", "")
	case race.MissingClusterSync:
		if f.Second.Access == race.End {
			return "Insert a barrier of the cluster (`cg::this_cluster().sync()`) behind the last access to another block's shared memory, where all threads of the cluster pass."
		}
		return b.barrier("a barrier of the cluster (`cg::this_cluster().sync()`)", ", where all threads of the cluster pass")
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
		const wait = "Wait for the copy first, with a barrier behind the wait if other threads began it"
		switch {
		case b.round:
			return wait + "; and begin the next one behind a barrier, when all have done with what it overwrites."
		case b.before:
			return "Begin the copy behind a barrier that all come to when they have made the access."
		}
		return wait + "."
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

// between says what stands between the two accesses of a race.
type between struct {
	statement bool // nothing: they are of one statement
	one       bool // they are at one place there, such as the reading and the writing of an update
	alike     bool // both read, or both write
	turn      bool // a thread may come to both
	round     bool // a loop leads back
	before    bool // a copy's and another one, which comes first
}

func (s *Sources) between(f *race.Finding, l *event.Launch, first, second uint32) between {
	b := between{turn: true, alike: f.First.Access == f.Second.Access}
	if p := l.Program; p != nil && l.Origin == nil && !l.Launches { // else the two may be of different programs
		other, copied := first, second
		if copies(p, first) {
			other, copied = second, first
		}
		b.before = !copies(p, other) && p.Leads(other, copied)
		b.turn = p.InTurn(first, second)
		b.round = p.Leads(first, second) && p.Leads(second, first) || unrolled(p, first)
		if first == second {
			b.round = b.round || p.Leads(first+1, first)
		}
	}
	if file, ok := s.File(f.First.Span.File); ok && f.Second.Span.File == f.First.Span.File && slices.Equal(f.First.Inlined, f.Second.Inlined) {
		from, to := f.First.Span.Start, f.Second.Span.Start
		b.statement = !strings.ContainsAny(file.Text[min(from, to):max(from, to)], ";{}")
		b.one = from == to
	}
	return b
}

// copies reports whether an instruction begins an asynchronous copy.
func copies(p event.Program, pc uint32) bool { return strings.HasPrefix(p.Location(pc).Text, "cp.") }

// unrolled reports whether an access is there several times, as the compiler has put the rounds of a loop one behind the other.
func unrolled(p event.Program, pc uint32) bool {
	operation := func(l event.Location) string { name, _, _ := strings.Cut(l.Text, " "); return name }
	at := p.Location(pc)
	for other := range uint32(p.Instructions()) {
		if l := p.Location(other); other != pc && l.Place == at.Place && l.Function == at.Function && slices.Equal(l.Inlined, at.Inlined) && operation(l) == operation(at) {
			return true
		}
	}
	return false
}

// barrier is the advice to insert one at a place, unless none can stand there.
func (b between) barrier(name, place string) string {
	const atomic = "Give each thread an element of its own, let one thread do it, or update it with an atomic."
	switch {
	case b.round && b.one && !b.alike:
		return "Update it with an atomic, or give each thread an element of its own. " + name + " in the loop helps only if no two threads meet there in one round."
	case b.round: // one can stand in the loop
	case b.one:
		return "No barrier can stand between the two, which are one statement. " + atomic
	case !b.turn:
		return "No barrier can stand between the two, which are in different branches. " + atomic
	case b.statement:
		return "No barrier can stand between the two, which are in one statement. If it updates one place, use an atomic; else read into a variable first, and insert " +
			name + " between that and the write" + place + "."
	}
	return "Insert " + name + " between the two accesses" + place + "."
}
