// Package barracuda is the detector of "BARRACUDA: Binary-level Analysis of Runtime RAces in CUDA
// programs" (PLDI 2017), as the paper describes it. It listens to the simulator's events; section
// numbers are the paper's.
//
// Loads, stores and atomics become trace operations (3.1). A fence next to one of them in the text
// of the program makes it a release or an acquire of its location, of the fence's scope; the scopes
// of atomics count for nothing. Each thread has a vector clock. The lanes that execute an
// instruction together are ordered before the next one (lockstep); lanes that took different ways
// at a branch are not, until they meet again, and what races among them is a branch ordering race.
// Releases and acquires of a location hand clocks on, within a block or within the grid (3.3.4).
// Shared and global memory are checked byte by byte against the last write and the reads since
// (3.3.1). Writes of one value by lanes of one instruction are no race. A block barrier that the lanes
// of a warp reach on different ways is an error.
//
// Clocks are compressed in the paper's four formats (4.3.1), see clock.go.
//
// Where the paper is silent:
//
//   - "Next to" means that no other access of memory and no barrier stands between in the text:
//     compilers put the test of a loop behind the load that it polls.
//   - A compare-and-swap or an exchange is a release if it stands behind a fence, and an acquire if
//     it stands in front of one; another atomic next to a fence is both, as the counter of the last
//     block needs it. A fence next to an atomic makes nothing else a release or an acquire.
//   - Lanes of a warp may reach one barrier one after the other; it is divergent if they wait at two
//     instructions.
//   - Releases of a location are joined, so that a counter hands on what all who counted knew.
//   - Threads that ended before a barrier of their block count as if they had reached it.
//   - A barrier of some threads of a block orders these; so do barriers of a warp or of the grid,
//     which are younger than the paper. Cluster barriers and mbarriers order nothing here.
//
// What it can't see, by design: races within a warp under independent thread scheduling; atomics of
// too narrow a scope.
package barracuda
