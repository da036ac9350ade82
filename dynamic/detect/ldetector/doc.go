// Package ldetector is the detector of "LD: Low-Overhead GPU Race Detection Without Access
// Monitoring" (TACO 2017), as the paper describes it; section numbers are the paper's.
//
// It looks at values. A region is what runs between two barriers. Each group of threads executes it
// on a private copy of memory: blocks for the races between blocks, where the whole launch is one
// region (4.4), and then warps, between block barriers. In the first pass the copies are compared
// with what memory held before: a byte that two groups have changed is a write-write race (4.1). In
// the second pass each group executes the region again, on a copy that has what all other groups
// have changed; where it leaves anything else than the first pass did, it has read another group's
// change: a read-write race (4.2). The lanes of one store that write one byte race, too (4.7).
//
// The stream of events tells of one execution, in which the threads share their memory. It can't
// give what the second pass would have done. So the detector executes the blocks itself, before the
// launch happens, in trials (event.Trials): each block alone, and in it one warp at a time from
// barrier to barrier, while it lays the private copy of the next warp or block into memory between
// their turns and takes it out again behind them. A block is executed four times at most, twice on
// each level. The events of the trials serve to find what was written without comparing all of
// memory, and to name instructions: the paper's detector names variables and threads.
//
// As the paper says (4.7), it misses what leaves no change behind: a write of the value that was
// there already, and a read whose value doesn't matter to what is written. Atomics and locks are out
// of its reach. Bytes that atomics have touched are shared by all copies and not compared. A
// fence, an access with acquire or release semantics, an mbarrier, a barrier of some threads only
// and a wait for other threads end the check, of the whole launch on the level of blocks and from
// there on in the block on that of warps. Launches that are cooperative or have clusters, and
// kernels that allocate memory, are not checked. Warps run in lockstep to this detector.
//
// Like the paper's, it stops at a region that has a race: the launch is not checked further. Later
// launches are.
package ldetector
