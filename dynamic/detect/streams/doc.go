// Package streams is a detector of races between operations of different streams: kernels, copies and fills that nothing orders and
// that touch the same bytes, one of them writing. It is told by the runtime what the host program asks for (event.Host), and by the
// simulator what kernels touch (event.Listener).
//
// # Order
//
// Each operation has a vector clock (order.go). What a stream does is in order; events, the default stream, waits of the host and the
// edges of a graph order streams among each other. That the host enqueues one operation before another orders nothing, nor that the
// simulator executes them so.
//
// What can't be seen is taken to order: threads of the host tell each other of what they have waited for; a host function in a stream
// tells the host of all before it; so does a kernel that writes strongly, or behind a fence, for the system; and a kernel that strongly reads
// what another one has written likewise, behind a fence, knows all that this has done. So there are fewer reports than races, but no false ones.
//
// # Memory
//
// One operation is executed after the other, so it is enough to keep, for each byte, the last accesses that cover those before them
// (shadow.go). Once the host has waited for all there is, nothing is kept.
package streams
