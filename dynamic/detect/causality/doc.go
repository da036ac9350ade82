// Package causality is the default detector of races: of what a run of a kernel did, it finds
// the pairs of conflicting accesses that the PTX memory consistency model does not order (PTX
// ISA, chapter 8). It listens to the simulator's events.
//
// What orders:
//
//   - program order, and barriers of any level between those that take part
//   - release and acquire patterns: a release operation, or a fence and then a strong write;
//     a strong read that observes it, directly or through a chain of read-modify-writes, and
//     that is an acquire operation or has a fence after it. Each link of the chain, and the
//     pattern's first and last operation, must include each other's threads in their scopes.
//   - two fences of sequential consistency (__threadfence and its kin), if each one's scope includes
//     the other's thread, and the first is before a strong write, by whatever thread, that a strong
//     read before the second observes. So threads may fence their data, meet at a barrier, and leave
//     it to one of them to count them.
//   - mbarriers between those that arrive and those whose wait succeeds
//   - waits for asynchronous copies, between the copy and the one that waits; what a thread has written to shared memory is before a bulk
//     copy of it only with a proxy fence on the way (proxies.go)
//   - the end of a launch, before all later launches; streams are not told apart
//   - all that these compose to
//   - observation: a strong write, with no fence, before what comes after a strong read that observes it, so
//     that the last of those that count may set the counter back (sight.go)
//
// Lanes that run converged order nothing without a barrier of the warp.
//
// What conflicts: the end of a block, which takes its shared memory away, and accesses of other blocks of its cluster to that, unless
// one of its threads knows of them; and two accesses of common bytes by two threads, one of which writes, unless
// both are strong, of the same bytes, with scopes that include each other. Volatile gives no
// order to data, so volatile accesses are judged like weak ones, unless the location is a flag:
// one that some instruction polls, which means that it stands in a loop that waits for the
// location, or that a lane executed it several times in a row there.
//
// An access that a later one stands for is forgotten: whatever races with it races with the
// later one. So each access that races is reported, with one partner at least, but not with
// each of its partners; of a word that many have accessed with one partner for each instruction
// and distance.
//
// Beside that runs a lockset check (lockset.go), for accesses that only the sequence has ordered in
// which threads took locks. What it suspects is reported one severity lower. Where a block holds thousands of locations that nobody
// gives back, as those that claim vertices do, the check ends with that launch.
//
// Reads of memory that the launch does not write are passed over (bounds.go). As long as a row of 32 words has been written by one warp and read
// by one, it takes 32 bytes (quiet.go). What a warp does to neighbouring words in one instruction is kept else as one run of 40 bytes, in a row of 32
// words, for all warps of a block that read the same in epochs of one number; words that race, or that threads synchronize by, have a cell of 64 bytes, and each access that is kept in
// or behind it takes eight: the lanes, and the number of what all lanes of the access have in common (act.go). Scattered accesses of a page
// are one list, of two bytes each, as long as none of a word conflicts with another one (scattered.go). Words that are only updated by atomics which
// hand nothing over, or only read, have a trail of steps of 16 bytes each, and get a cell once something else comes to
// them (trail.go). Scattered words that one thread after the other has to itself take twelve bytes (own.go). Of shared memory all that is forgotten once all threads of the block
// have met, but for cells; up to then, as long as no thread comes to a word where it may race with another one, accesses are only noted (screen.go). Memory that a launch accesses in pieces of one or two bytes, and weakly, has a finer shadow, with a word for each piece (fine.go). Words that lanes of a warp synchronize by, each by its own, share a cell while they are alike (joint.go). Lanes that are alike share the state of one thread, also those that each learn from the lane of their
// number in other warps (each.go), or of those below it, where they update one word (chain.go). What a thread has observed is joined to what
// it knows when a fence makes it count; what a race lacks is looked up when it is found, in what threads of
// the block have observed and in logs of the last 128 observations of each warp.
// The initialization of an mbarrier counts as a write of it, and each use as a read, unless the program has fence.mbarrier_init.
// Limits: a strong read is kept no more once its thread, or one of its block that comes behind it, writes the same bytes
// strongly, and counts as observed with that write; which of two such fences comes first is known from writes that are observed only, not from
// reads that don't see a later write yet (there, too, PTX forces it); fences of a
// block's scope order nothing in their block by way of other blocks; and what such a fence was too
// narrow to learn, a wider one behind it in their order does not learn from it. The two halves of a
// split cluster barrier count as one, at its completion; a chain of read-modify-writes keeps apart
// the releases of the last 16 blocks and scopes, and older ones are acquired by device-wide fences
// only.
package causality
