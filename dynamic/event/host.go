// This file defines what the runtime tells of the host: the operations that it has streams do, and what orders them.

package event

// Host hears of what the host program asks the device for. Its calls come from the goroutine that the device's events come from.
// Streams and events are known by numbers: 0 is the default stream, which waits for all others that are no non-blocking ones, as
// they do for it.
type Host interface {
	// Stream tells of a new stream, and whether it is a non-blocking one; from is what the runtime says of the call.
	Stream(stream uint64, nonBlocking bool, from string)
	// Begin tells of an operation that begins, and numbers it, from 1. It follows these operations, and if it is one of a stream, and no
	// node of a graph, all that the stream has had before and what the host has waited for.
	Begin(o Operation, after []int) int
	// Follow makes what the stream does next follow an operation: the end of a graph that it runs.
	Follow(stream uint64, operation int)
	// Record lets an event stand for an operation of that kind.
	Record(event uint64, operation int)
	// StreamWaits makes what the stream does next follow an event, OperationWaits an operation that has begun.
	StreamWaits(stream, event uint64)
	OperationWaits(operation int, event uint64)
	// HostWaits tells that the host has waited for an operation, an event, a stream or all there is. It does not matter which of its
	// threads has: what they tell each other can't be seen.
	HostWaits(what Awaited, number uint64)
	// Doing tells which operation the accesses are of that follow; 0 for none.
	Doing(operation int)
	// Touch is an access of a copy or a fill, or the end of an allocation, which is a write.
	Touch(kind Kind, address, size uint64)
}

// Operation is what the host has a stream do.
type Operation struct {
	Stream uint64
	Node   bool   // of a graph that the stream runs
	What   What   // it is
	From   string // what the runtime says of the call
}

// What an operation is.
type What uint8

const (
	NoWork What = iota // an event, a host function, a node that does nothing
	KernelWork
	CopyWork
	StagedCopyWork // out of pageable memory, by a call that returns once it has read that
	FillWork
	FreeWork
	ConditionWork // a node that reads on what it depends
)

// Awaited is what a host can wait for.
type Awaited uint8

const (
	AwaitAll Awaited = iota
	AwaitStream
	AwaitEvent
	AwaitOperation
)
