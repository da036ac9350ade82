package hb

// This file defines vector clocks, one for each of the orders that are kept side by side.

import (
	"slices"

	"github.com/warplint/warplint/analysis/race"
)

// Missing says what would have ordered a racing pair.
type Missing uint8

const (
	// Nothing synchronizes the two accesses, so no single piece is missing.
	Nothing Missing = iota
	// FenceScope: a fence, or an acquire or release, is narrower than the distance.
	FenceScope
	// AccessScope: an atomic is narrower than the distance: the one that hands over, or one of
	// the two that race.
	AccessScope
	// AcquireFence: the consumer has seen the flag and has no fence, or a fence in front of it.
	AcquireFence
	// ReleaseFence: the producer sets the flag with no fence behind the data.
	ReleaseFence
	// StrongFlag: the flag is accessed plainly.
	StrongFlag
	// Fences: neither side has one.
	Fences
	// Scopes: fences and atomics are.
	Scopes
	// Several: more than one of the above.
	Several
	// ProxyFence: a bulk copy reads what a thread has written before, with no proxy fence on the way.
	ProxyFence
)

func (m Missing) String() string {
	return [...]string{"nothing", "fence scope", "access scope", "acquire fence", "release fence", "strong flag", "fences",
		"scopes", "several", "proxy fence"}[m]
}

// waiver is what an order does without.
type waiver struct {
	missing     Missing // what a race lacks that this order alone resolves
	noAcquire   bool    // observing is enough for the consumer
	noRelease   bool    // a strong write publishes without a fence
	fenceScope  bool    // fences, acquires and releases are as wide as need be
	accessScope bool    // strong accesses are
	weakFlag    bool    // plain accesses count as strong ones
}

// waivers are the orders that are kept: the real one, and others from mild to severe.
var waivers = [...]waiver{
	{},
	{missing: FenceScope, fenceScope: true},
	{missing: AccessScope, accessScope: true},
	{missing: AcquireFence, noAcquire: true},
	{missing: ReleaseFence, noRelease: true},
	{missing: StrongFlag, weakFlag: true},
	{missing: FenceScope, fenceScope: true, noAcquire: true},
	{missing: Fences, noAcquire: true, noRelease: true},
	{missing: Scopes, fenceScope: true, accessScope: true},
	{missing: Several, weakFlag: true, noAcquire: true, fenceScope: true, accessScope: true},
	{missing: Several, noAcquire: true, noRelease: true, fenceScope: true, accessScope: true},
}

const orders = len(waivers)

// observing is the index of the order that does without acquiring.
const observing = 3

// actual is the index of the order without waivers.
const actual = 0

// orderSet is a set of orders.
type orderSet uint16

const allOrders = orderSet(1)<<orders - 1

func (s orderSet) has(k int) bool { return s>>k&1 != 0 }

// vector is a vector clock: how far each thread's past is known. It is immutable and shared, shelf by shelf and
// piece by piece: threads that have heard of each other share most of these, so that a join looks only at what
// differs, and a vector with one element raised is a copy of little.
type vector []*shelf

// A piece holds the elements of a warp's threads, a shelf pieces.
const (
	pieceBits = 5
	pieceSize = 1 << pieceBits
	shelfBits = 4
	shelfSize = 1 << shelfBits
)

type (
	piece [pieceSize]uint32
	shelf [shelfSize]*piece
)

// newVector is a vector of n zeros.
func newVector(n int) vector {
	const threads = shelfSize * pieceSize
	zero, zeros := &piece{}, &shelf{}
	for i := range zeros {
		zeros[i] = zero
	}
	return slices.Repeat(vector{zeros}, (n+threads-1)/threads)
}

func (a vector) at(i int) uint32 {
	return a[i>>(pieceBits+shelfBits)][i>>pieceBits&(shelfSize-1)][i&(pieceSize-1)]
}

// same reports whether two vectors are the same memory.
func same(a, b vector) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// join returns the elementwise maximum, which is a itself if it knows all that b does.
func join(a, b vector) vector {
	if same(a, b) || len(b) == 0 {
		return a
	}
	if len(a) == 0 {
		return b
	}
	out, mine := a, true
	for i, of := range b {
		both := joinShelves(a[i], of)
		if both == a[i] {
			continue
		}
		if mine {
			out, mine = slices.Clone(a), false
		}
		out[i] = both
	}
	return out
}

// joinShelves returns one of the two shelves where it knows all that the other does.
func joinShelves(a, b *shelf) *shelf {
	if a == b {
		return a
	}
	both := *a
	isA, isB := true, true
	for i, p := range b {
		if p != a[i] {
			both[i] = joinPieces(a[i], p)
			isA, isB = isA && both[i] == a[i], isB && both[i] == p
		}
	}
	switch {
	case isA:
		return a
	case isB:
		return b
	}
	out := both
	return &out
}

// joinPieces returns one of the two pieces where it knows all that the other does.
func joinPieces(a, b *piece) *piece {
	if a == b {
		return a
	}
	var less, more int64 // negative if some element of a is
	for i := range a {
		x, y := int64(a[i]), int64(b[i])
		less |= x - y
		more |= y - x
	}
	switch {
	case less >= 0:
		return a
	case more >= 0:
		return b
	}
	out := *a
	for i, v := range b {
		out[i] = max(out[i], v)
	}
	return &out
}

// with returns the vector with elements raised to so much at least.
func (a vector) with(ids []int, to []uint32) vector {
	out := a
	for n, i := range ids {
		if out.at(i) >= to[n] {
			continue
		}
		if same(out, a) {
			out = slices.Clone(a)
		}
		j, k := i>>(pieceBits+shelfBits), i>>pieceBits&(shelfSize-1)
		if out[j] == a[j] {
			own := *a[j]
			out[j] = &own
		}
		if out[j][k] == a[j][k] {
			own := *a[j][k]
			out[j][k] = &own
		}
		out[j][k][i&(pieceSize-1)] = to[n]
	}
	return out
}

// clocks holds a vector for each order. Mostly they are the same vector: the orders differ only where something
// is missing.
type clocks struct {
	real   vector
	others *[orders]vector // never changed in place; nil while all are as the real one
}

// unkept stands for the others where only the real order is kept.
var unkept = new([orders]vector)

// of returns the vector of an order, or that of the real one if it is not kept.
func (c *clocks) of(k int) vector {
	if c.others == nil || c.others == unkept {
		return c.real
	}
	return c.others[k]
}

// each applies f to the vectors of the orders in the set, once for a run of equal arguments. Without another's clocks
// the second argument is empty.
func (c *clocks) each(set orderSet, other *clocks, f func(a, b vector) vector) {
	if other == nil {
		other = &clocks{}
	}
	switch {
	case c.others == unkept || other.others == unkept:
		c.others = unkept
		if set.has(actual) {
			c.real = f(c.real, other.real)
		}
		return
	case set == allOrders && c.others == nil && other.others == nil:
		c.real = f(c.real, other.real)
		return
	}
	var out [orders]vector
	var lastA, lastB, last vector
	known, differ := false, false
	for k := range out {
		out[k] = c.of(k)
		if set.has(k) {
			if b := other.of(k); !known || !same(out[k], lastA) || !same(b, lastB) {
				lastA, lastB, known = out[k], b, true
				last = f(out[k], b)
			}
			out[k] = last
		}
		differ = differ || !same(out[k], out[actual])
	}
	c.real, c.others = out[actual], nil
	if differ {
		kept := out
		c.others = &kept
	}
}

func (c *clocks) join(set orderSet, other *clocks) { c.each(set, other, join) }

func (c *clocks) raise(ids []int, to []uint32) {
	c.each(allOrders, nil, func(a, _ vector) vector { return a.with(ids, to) })
}

// distance is how far apart two threads are, as the narrowest scope that holds both.
func distance(a, b *place) race.Scope {
	switch {
	case a.block == b.block:
		return race.ScopeBlock
	case a.cluster == b.cluster:
		return race.ScopeCluster
	}
	return race.ScopeDevice
}

// place is where a thread is, as far as scopes go.
type place struct{ block, cluster int }

// effective is the scope of an operation that may not name one: the device, CUDA's default.
func effective(s race.Scope) race.Scope {
	if s == race.ScopeNone {
		return race.ScopeDevice
	}
	return s
}
