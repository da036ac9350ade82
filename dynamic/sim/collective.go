// This file executes what the lanes of a warp do together: warp barriers, votes, shuffles,
// matches and reductions (PTX ISA, "Parallel Synchronization and Communication Instructions"
// and shfl.sync). Lanes that have not converged wait for one another, wherever in the program
// they execute the instruction.

package sim

import (
	"math/bits"

	"github.com/warplint/warplint/dynamic/event"
)

// deposit is where lanes leave their operands until all have come, and find their results.
type deposit struct {
	a, b, c [32]uint32
	p       uint32
	r       [32]uint32
	rp      uint32
}

// collective says how an instruction computes the results of the lanes in members from what
// they left in the deposit.
type collective struct {
	name    string
	compute func(d *deposit, members uint32)
	members ref
	inputs  [3]ref // noRef where unused
	wide    bool   // the first input is a 64-bit register, split into a and b
	p       ref    // predicate input
	not     bool
	target  ref // 32-bit result
	targetP ref // predicate result
	// noMask is set for the forms before sm_70, and elect's kin, whose lanes are those that happen to
	// be converged.
	noMask bool
}

const noRef ref = 1<<31 - 1

func runCollective(w *warp, in *instr, m uint32) {
	c := in.x.(*collective)
	members := m
	if !c.noMask {
		masks := w.source32(c.members)
		first := bits.TrailingZeros32(m) & 31
		members = masks[first] | 1<<first
		if c.members&constRef == 0 {
			same := sameLanes32(masks, m, masks[first])
			w.only(m, same)
			m = same
		}
	}
	w.leaveInputs(c, m)
	members &= w.live
	if members&^m == 0 {
		c.compute(&w.deposit, m)
		w.takeResults(c, w.frame, m)
		return
	}
	g := w.waitFor(m, waitCollective)
	g.members = members
	w.releaseCollectives()
}

func (w *warp) leaveInputs(c *collective, m uint32) {
	d := &w.deposit
	if c.wide {
		from := w.source64(c.inputs[0])
		forLanes(m, func(i int) { d.a[i], d.b[i] = uint32(from[i]), uint32(from[i]>>32) })
	}
	for i, to := range [...]*[32]uint32{&d.a, &d.b, &d.c} {
		if c.inputs[i] == noRef || c.wide {
			continue
		}
		from := w.source32(c.inputs[i])
		if m == fullMask {
			*to = *from
			continue
		}
		for rest := m; rest != 0; rest &= rest - 1 {
			lane := bits.TrailingZeros32(rest) & 31
			to[lane] = from[lane]
		}
	}
	if c.p != noRef {
		p := w.xp[c.p]
		if c.not {
			p = ^p
		}
		d.p = d.p&^m | p&m
	}
}

func (w *warp) takeResults(c *collective, f *frame, m uint32) {
	d := &w.deposit
	if c.target != noRef {
		to := &w.r32[f.base32+int(c.target)]
		if m == fullMask {
			*to = d.r
		} else {
			for rest := m; rest != 0; rest &= rest - 1 {
				lane := bits.TrailingZeros32(rest) & 31
				to[lane] = d.r[lane]
			}
		}
	}
	if c.targetP != noRef {
		to := &w.rp[f.baseP+int(c.targetP)]
		*to = *to&^m | d.rp&m
	}
}

// releaseCollectives executes each collective whose lanes have all come.
func (w *warp) releaseCollectives() {
	for i := range w.groups {
		g := &w.groups[i]
		if g.wait != waitCollective {
			continue
		}
		c := g.at.x.(*collective)
		members := g.members & w.live
		if members&^w.waitingAt(c.name, g.members) != 0 {
			continue
		}
		c.compute(&w.deposit, members)
		for j := range w.groups {
			h := &w.groups[j]
			if h.wait != waitCollective || h.members&w.live != members {
				continue
			}
			if hc := h.at.x.(*collective); hc.name == c.name {
				w.takeResults(hc, h.frame, h.mask)
				h.wait = waitNothing
			}
		}
	}
}

// waitingAt returns the lanes that wait in an instruction with these members.
func (w *warp) waitingAt(name string, members uint32) uint32 {
	var lanes uint32
	for i := range w.groups {
		g := &w.groups[i]
		if g.wait == waitCollective && g.members&w.live == members&w.live && g.at.x.(*collective).name == name {
			lanes |= g.mask
		}
	}
	return lanes
}

// runWarpBarrier is bar.warp.sync with the members in a.
func runWarpBarrier(w *warp, in *instr, m uint32) {
	masks := w.source32(in.a)
	first := bits.TrailingZeros32(m) & 31
	same := sameLanes32(masks, m, masks[first])
	members := masks[first]
	if same&^members != 0 { // lanes that their own mask leaves out wait for nobody, and nobody for them
		if members>>first&1 == 0 {
			members = 1 << first
		}
		same &= members
	}
	w.only(m, same)
	w.tellBarrier(event.Barrier{Step: w.step(same), Kind: event.WarpBarrier})
	if members&w.live&^same == 0 {
		parts := append(w.core.told.groups[:0], event.Group{Block: w.block.index, Warp: w.index, Mask: same, Waits: true})
		w.core.told.groups = parts
		w.tellWarpBarrier(parts, same)
		return
	}
	w.waitFor(same, waitWarp).members = members
	w.releaseWarpBarriers()
}

func (w *warp) tellWarpBarrier(parts []event.Group, m uint32) {
	if w.core.listener != nil {
		w.tellBarrier(event.Barrier{
			Step: w.step(m), Kind: event.WarpBarrier, Phase: event.Completed, Participants: parts,
		})
	}
}

// releaseWarpBarriers lets those go on whose fellow members have all come.
func (w *warp) releaseWarpBarriers() {
	for i := range w.groups {
		members := w.groups[i].members
		if w.groups[i].wait != waitWarp {
			continue
		}
		var arrived uint32
		parts := w.core.told.groups[:0]
		for j := range w.groups {
			if g := &w.groups[j]; g.wait == waitWarp && g.members == members {
				arrived |= g.mask
				parts = append(parts, event.Group{Block: w.block.index, Warp: w.index, Mask: g.mask, Waits: true})
			}
		}
		if w.core.told.groups = parts; members&w.live&^arrived != 0 {
			continue
		}
		w.tellWarpBarrier(parts, arrived)
		for j := range w.groups {
			if g := &w.groups[j]; g.wait == waitWarp && g.members == members {
				g.wait = waitNothing
			}
		}
	}
}

// runActiveMask gives the lanes that execute it together.
func runActiveMask(w *warp, in *instr, m uint32) {
	d := w.target32(in.d)
	for rest := m; rest != 0; rest &= rest - 1 {
		d[bits.TrailingZeros32(rest)&31] = m
	}
}

func forLanes(m uint32, f func(lane int)) {
	for rest := m; rest != 0; rest &= rest - 1 {
		f(bits.TrailingZeros32(rest) & 31)
	}
}

// The computations. Predicates of lanes outside members never count.

func computeBallot(d *deposit, members uint32) {
	forLanes(members, func(i int) { d.r[i] = d.p & members })
}

func computeVoteAll(d *deposit, members uint32) { spread(d, members, members&^d.p == 0) }
func computeVoteAny(d *deposit, members uint32) { spread(d, members, members&d.p != 0) }

func computeVoteUniform(d *deposit, members uint32) {
	spread(d, members, members&^d.p == 0 || members&d.p == 0)
}

func spread(d *deposit, members uint32, value bool) { setMask(&d.rp, members, value) }

// computeShuffle gives each lane the value of another one; b holds the lane operand, c the clamp
// and the segment mask as shfl encodes them. A source outside of the members gives the lane's
// own value, where PTX leaves it undefined.
func computeShuffle(mode string) func(d *deposit, members uint32) {
	return func(d *deposit, members uint32) {
		var found uint32
		for rest := members; rest != 0; rest &= rest - 1 {
			i := bits.TrailingZeros32(rest) & 31
			lane, operand := uint32(i), d.b[i]&31
			clamp, segment := d.c[i]&31, d.c[i]>>8&31
			least, most := lane&segment, lane&segment|clamp&^segment
			var from uint32
			var ok bool
			switch mode {
			case "up":
				from = lane - operand
				ok = int32(from) >= int32(most)
			case "down":
				from = lane + operand
				ok = from <= most
			case "bfly":
				from = lane ^ operand
				ok = from <= most
			case "idx":
				from = least | operand&^segment
				ok = from <= most
			}
			if !ok {
				from = lane
			}
			d.r[i] = d.a[i]
			if members>>(from&31)&1 != 0 {
				d.r[i] = d.a[from&31]
			}
			found |= number(ok) << i
		}
		d.rp = d.rp&^members | found
	}
}

// Values of match come in a, and in b their upper halves for 64 bits.
func computeMatchAny(d *deposit, members uint32) {
	for rest := members; rest != 0; {
		first := bits.TrailingZeros32(rest) & 31
		same := sameLanes32(&d.a, rest, d.a[first]) & sameLanes32(&d.b, rest, d.b[first])
		forLanes(same, func(i int) { d.r[i] = same })
		rest &^= same
	}
}

func computeMatchAll(d *deposit, members uint32) {
	first := bits.TrailingZeros32(members) & 31
	same := true
	forLanes(members, func(i int) {
		same = same && d.a[i] == d.a[first] && d.b[i] == d.b[first]
	})
	result := uint32(0)
	if same {
		result = members
	}
	forLanes(members, func(i int) { d.r[i] = result })
	spread(d, members, same)
}

func computeReduction(f func(x, y uint32) uint32) func(d *deposit, members uint32) {
	return func(d *deposit, members uint32) {
		first := bits.TrailingZeros32(members) & 31
		r := d.a[first]
		forLanes(members&^(1<<first), func(i int) { r = f(r, d.a[i]) })
		forLanes(members, func(i int) { d.r[i] = r })
	}
}

// computeElect picks the lowest member.
func computeElect(d *deposit, members uint32) {
	leader := uint32(bits.TrailingZeros32(members))
	forLanes(members, func(i int) { d.r[i] = leader })
	d.rp = d.rp&^members | 1<<leader
}
