// Package scord is the detector of "ScoRD: A Scoped Race Detector for GPUs" (ISCA 2020), as the
// paper describes it. It listens to the simulator's events; section numbers are the paper's.
//
// Each word of four bytes of global memory has 8 bytes of metadata about its last accessor, which
// is a warp (figure 7). A fence file counts each warp's fences, and each block counts its barriers.
// An access is first checked by table III, which finds that it can't be part of a race, and then by
// table IV. Locks are inferred from compare-and-swaps, fences and exchanges. Shared memory is not
// checked, and neither are the lanes of a warp against each other.
//
// New(Cached) keeps one entry for 16 words only, in a direct-mapped cache with tags of four bits
// (section IV-B): an access to a word whose entry another one holds begins anew, so that races can
// be missed. Words share an entry if they lie a sixteenth of the memory's size apart. How large the
// memory is the paper does not say; as in the published code it is what a launch finds allocated,
// so that small programs, too, have words in one place. Host memory that is mapped, and what a
// kernel allocates, have an entry for each word.
//
// A lock is known by six bits of its address, so that an exchange of data inside a critical section,
// for one word in 64, counts as giving the lock back; what the section accesses then seems to be
// unprotected. The published code avoids this: it knows locks by their whole address, and wants an
// exchange to write 0.
//
// Where the paper is silent, this follows the published code:
//
//   - A load that passes clears Modified, or else two loads behind a store would race; one by the
//     warp that has written does so only behind a fence of its own. The shared flags are about the
//     reads since; a store clears them.
//   - IsAtom and Scope are about the last access. Strong holds as long as all accesses since the
//     last initialization, barrier or race have been strong.
//   - After a race the word's metadata begins anew with the access that raced.
//   - A compare-and-swap of device scope takes the lock of its block, too, so that it excludes one
//     of block scope in the same block.
//   - A filter of locks has two halves of eight bits; an intersection with an empty half is empty.
//
// A barrier of the whole grid, which the simulator has as one operation, counts as a device-wide
// fence of each warp and a barrier of each block. Variables of a module (__device__) are checked
// like all global memory; the published code leaves them out.
package scord
