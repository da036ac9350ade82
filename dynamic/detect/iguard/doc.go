// Package iguard is the detector of "iGUARD: In-GPU Advanced Race Detection" (SOSP 2021), as the
// paper describes it. It listens to the simulator's events; section numbers are the paper's.
//
// Each word of four bytes of global memory has 16 bytes of metadata about its last writer and its
// last accessor (6.1). Counters say which barriers and fences threads have executed since then. An
// access is checked against the last writer (loads) or the last accessor (stores and atomics), by
// the conditions P1 to P6, which make it harmless, and R1 to R5, which make it a race (table 2).
// Shared memory is not checked. Locks are inferred from compare-and-swaps, fences and exchanges
// (6.3). Fields are as narrow as published, so that they overflow as published; New(Exact) widens
// them.
//
// Where the paper is silent, or can't be meant as it stands:
//
//   - By 6.2 a load sets BlkShared or DevShared whenever the last accessor is of another warp or
//     block. Then R3 would have a thread race with itself when it updates, under a lock, what another
//     one has written. Here, as in the published code, the flags are about the reads since the last
//     write, which clears them, and BlkShared is not set by a reader that is behind a barrier or a
//     fence of the reader before it.
//   - The flags Atomic and Scope are about the last write.
//   - A full lock table drops the entry at the hash modulo its size, as the published code does.
//   - The scope of a lock enters the filter: one of block scope excludes its own block only. Two
//     filters with any bit in common have a lock in common, as table 2 says, so that one pair of
//     locks in five or so is taken for one lock.
//   - A barrier of the whole grid, which the simulator has as one operation, counts as a
//     device-wide fence and a block barrier of each thread.
//   - Cluster barriers and mbarriers are younger than the paper and order nothing here. An
//     asynchronous copy is a load of its source.
//
// What it can't see, by design: races with an access before the last one; a missing acquire on the
// side of the reader; atomics whose later one has too narrow a scope (P6); races of volatile
// accesses are races like all others.
package iguard
