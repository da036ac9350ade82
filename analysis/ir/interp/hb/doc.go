// Package hb finds the data races of one run of a kernel: pairs of conflicting accesses that
// the PTX memory consistency model does not order (PTX ISA, chapter 8). It listens to package
// interp.
//
// Happens-before is kept in vector clocks, exact to the byte. What orders:
//
//   - program order, and barriers of any level between those that take part
//   - release and acquire patterns: a release operation, or a fence and then a strong write;
//     a strong read that observes it, directly or through a chain of read-modify-writes, and
//     that is an acquire operation or has a fence after it. Each link of the chain, and the
//     pattern's first and last operation, must include each other's threads in their scopes.
//   - sequentially consistent fences, where what was observed leaves them one order only
//   - all that these compose to; causality is transitive across scopes
//   - observation: a strong write, with no fence, is before what comes after a strong read that observes it,
//     so that the last of those that count may set the counter back by a plain write
//
// What conflicts: two accesses of common bytes by two threads, one of which writes, unless
// both are atomic with scopes that include each other. Volatile gives no order to data, but a
// location that is polled is a flag: volatile accesses to it count as atomic.
//
// For each race the package says what is missing. It keeps, beside the real order, the orders
// that would be if one requirement were waived, such as the consumer's fence; the first of
// them that orders the pair names the missing piece.
//
// Detect runs a launch under several schedules and joins the findings. A run shows the races
// of the paths it takes; no race found is no proof that there is none.
package hb
