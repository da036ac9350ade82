// This file defines trials: executions of single blocks before a launch happens.

package event

// Trials lets a listener execute blocks of a launch that is about to happen, each alone and as often
// as it likes, on memory that it prepares. Other listeners hear nothing of it. What trials write
// stays in global memory: the listener has to put back what was there.
type Trials interface {
	// Blocks are the linear numbers of those that will run.
	Blocks() []int
	// Memory is what an allocation holds, in place; nil if it can't be had.
	Memory(*Allocation) []byte
	// Try executes a block from its beginning, with its shared memory full of zeros. The error says
	// what kept it from its end: a fault, or threads that wait for what only others can do.
	Try(block int, to Audience) error
}

// Audience hears of a trial. What its methods change in memory the next instruction sees.
type Audience interface {
	Listener
	// Turn is called before a warp's turn, which lasts until each of its threads has ended or waits
	// for others. Shared is the block's memory, in place. The trial ends if the result is false.
	Turn(block, warp int, shared []byte) bool
}
