package causality

// This file defines crowds: what many warps have done to one word, by the instruction that did it. Where
// thousands of threads race, an access is judged against one partner of each kind and instruction, as the
// others would only count the same race again.

import (
	"math"
	"slices"

	"github.com/warplint/warplint/analysis/race"
)

// crowd is what there is about a word beside a write and a read: a list of accesses or, once they are many,
// groups of them.
type crowd struct {
	list   []ref // nil as long as there is room for it in the cell
	groups *[]group
	// guards say of each warp's last read and write which locks were held; where they are too many, some are missing.
	guards  []guard
	missing bool
}

// maxList bounds the accesses that are not in groups.
const maxList = 24

// group is the accesses of a word by one instruction.
type group struct {
	// common is what the accesses have in common; its warp, lanes and epoch are of none.
	common entry
	mixed  bool  // they have written different values
	home   int32 // the block that all are from, or nowhere
	kept   int32 // how many were left when all were looked through last
	list   []member
}

// member is an access of a group; those of one warp are together, in the order of the warps.
type member struct{ warp, lanes, epoch uint32 }

const nowhere = -1

// few accesses are not worth to look for those to forget.
const few = 4

// member returns an access as one that stands alone.
func (g *group) member(i int) entry {
	e, x := g.common, &g.list[i]
	e.warp, e.lanes, e.epoch = x.warp, x.lanes, x.epoch
	if g.mixed {
		e.flags |= various
	}
	return e
}

// like reports whether two accesses are by one instruction.
func (e *entry) like(o *entry) bool {
	return o.pc == e.pc && o.mask == e.mask && o.size == e.size && o.kind == e.kind && o.flags == e.flags
}

// find returns the place of a warp's first access, or where it would be.
func (g *group) find(warp uint32) int {
	low, high := 0, len(g.list)
	for low < high {
		if middle := int(uint(low+high) >> 1); g.list[middle].warp < warp {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

// note remembers an access's value and block, before it is added.
func (g *group) note(e *entry) {
	home := int32(e.warp >> fanBits)
	switch {
	case len(g.list) == 0:
		g.home, g.common.value, g.mixed, g.kept = home, e.value, false, 0
		return
	case g.home != home:
		g.home = nowhere
	}
	g.mixed = g.mixed || g.common.value != e.value
}

// add adds an access, to one of the same warp and epoch if they may be joined.
func (g *group) add(e *entry, join bool) {
	g.note(e)
	i := g.find(e.warp)
	for j := i; join && j < len(g.list) && g.list[j].warp == e.warp; j++ {
		if g.list[j].epoch == e.epoch {
			g.list[j].lanes |= e.lanes
			return
		}
	}
	g.list = slices.Insert(g.list, i, member{e.warp, e.lanes, e.epoch})
}

// friends reports whether an access races with none of a group, since all are strong, of the same bytes, and
// their scopes include each other's threads.
func (g *group) friends(e *entry) bool {
	o := &g.common
	return o.mutual() && e.mutual() && o.mask == e.mask && o.size == e.size &&
		(g.home == int32(e.warp>>fanBits) || min(o.flags.scope(), e.flags.scope()) >= race.ScopeDevice)
}

// groupOf returns the group of an access's instruction, a new one if there is none.
func (m *crowd) groupOf(e *entry) *group {
	list := *m.groups
	for i := range list {
		if g := &list[i]; g.common.like(e) {
			return g
		}
	}
	*m.groups = append(list, group{common: *e})
	return &(*m.groups)[len(list)]
}

// add adds an access, without a look at others, to a word that has a list.
func (p *pages) add(c *cell, e *entry, called name, join bool) {
	if c.more != nil && c.more.groups != nil {
		c.more.groupOf(e).add(e, join)
		return
	}
	list := c.list()
	if join {
		for i := range list {
			if o := &list[i]; o.act == called {
				o.lanes |= e.lanes
				return
			}
		}
	}
	switch n := len(list); {
	case c.more != nil && c.more.list != nil:
		c.more.list = append(list, ref{called, e.lanes})
	case n < len(c.few):
		c.few[n] = ref{called, e.lanes}
		c.n++
		return
	default:
		m := p.crowdOf(c)
		if m.list == nil {
			m.list = p.spare.list()
		}
		m.list, c.n = append(append(m.list, list...), ref{called, e.lanes}), 0
	}
	m := c.more
	if len(m.list) <= maxList {
		return
	}
	m.groups = new([]group)
	for _, x := range m.list {
		e := p.acts.entry(x)
		m.groupOf(&e).add(&e, false)
	}
	m.list, c.few = nil, [len(c.few)]ref{}
}

// crowdOf returns the crowd of a word, a new one if it has none.
func (p *pages) crowdOf(c *cell) *crowd {
	if c.more == nil {
		c.more = p.spare.crowd()
	}
	return c.more
}

// checkCrowd is check for a word with more than a write and a read.
func (d *Detector) checkCrowd(t *thread, c *cell, e *entry, at uint64) {
	c.makeList()
	m := c.more
	if m == nil || m.groups == nil {
		called := d.shadow.acts.name(&e.act)
		if d.checkList(t, c, e, called, at) {
			if len(c.list()) == int(c.room) {
				if d.tidyList(t, c, e); len(c.list()) == int(c.room) {
					c.room *= 2
				}
			}
			d.shadow.add(c, e, called, d.joins(t, c))
		}
		return
	}
	for i := range *m.groups {
		g := &(*m.groups)[i]
		if g.common.mask&e.mask == 0 || !g.common.writes() && !e.writes() || g.friends(e) {
			continue
		}
		alike := !d.inUse && g.oneKind(e)
		if alike && len(g.list) < 2*int(g.kept)+fan {
			d.glance(t, g, e, at)
		} else {
			d.review(t, c, g, e, at, alike)
		}
	}
	d.place(t, c, e)
}

// checkList judges the accesses of a list, the last one first, as that has mostly told more of itself. It forgets
// those that the present one stands for, and reports whether that is to be kept: no other one of the same threads
// in the same epoch stands for it.
func (d *Detector) checkList(t *thread, c *cell, e *entry, called name, at uint64) (keep bool) {
	list, joins, acts := c.list(), d.joins(t, c), &d.shadow.acts
	gone := uint32(0)
	keep = true
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].act.unrelated(called) {
			continue
		}
		x := acts.at(list[i].act)
		if x.apart == called {
			continue
		}
		o := entry{x.act, list[i].lanes}
		if o.mask&e.mask == 0 {
			continue
		}
		conflicts := (o.writes() || e.writes()) && !e.friends(&o)
		if !conflicts && o.warp != e.warp {
			x.apart = called
			continue
		}
		before, stands := false, e.standsFor(&o)
		if conflicts {
			before = d.before(&o, e, t)
			d.judge(c, before, &o, e, t, at)
		}
		switch {
		case before && stands:
			gone |= 1 << i
		case o.warp != e.warp:
		case o.kind != e.kind && e.epoch == o.epoch && e.lanes&^o.lanes == 0 && o.stands(e):
			keep = false
			acts.reread(&list[i])
		case !stands:
		case o.lanes&^e.lanes == 0:
			gone |= 1 << i
		case joins:
			list[i].lanes &^= e.lanes
		}
	}
	c.forgetRefs(gone)
	return keep
}

// forgetRefs takes accesses out of a list.
func (c *cell) forgetRefs(gone uint32) {
	if gone == 0 {
		return
	}
	list, n := c.list(), firstLane(gone)
	for i := n; i < len(list); i++ {
		if gone>>i&1 == 0 {
			list[n] = list[i]
			n++
		}
	}
	c.setList(list[:n])
}

// tidyList forgets the accesses of a list that a present one stands for.
func (d *Detector) tidyList(t *thread, c *cell, e *entry) {
	gone := uint32(0)
	for i, x := range c.list() {
		if o := d.shadow.acts.entry(x); e.standsFor(&o) && d.before(&o, e, t) {
			gone |= 1 << i
		}
	}
	c.forgetRefs(gone)
}

// oneKind reports whether all pairs of an access and one of a group are the same race, but for how far the
// threads are from each other: they are no race of scopes nor of copies, which go by the pair.
func (g *group) oneKind(e *entry) bool {
	a, b := g.common.flags.level(), e.flags.level()
	return (g.common.flags|e.flags)&async == 0 && (a == weak || b == weak || a == volatile && b == volatile)
}

// review judges all accesses of a group, and forgets those that the present one stands for. If they are
// alike, a race is reported of one of each kind.
func (d *Detector) review(t *thread, c *cell, g *group, e *entry, at uint64, alike bool) {
	var found [apartCount]bool
	n := 0
	for i := range g.list {
		o := g.member(i)
		before := d.before(&o, e, t)
		switch {
		case before && d.inUse:
			d.suspect(c, &o, e, t, at)
		case before:
		case alike:
			if far := apartOf(o.warp, e.warp); !found[far] {
				found[far] = d.conflict(&o, e, t, at)
			}
		default:
			d.conflict(&o, e, t, at)
		}
		if before && e.standsFor(&o) {
			continue
		}
		g.list[n] = g.list[i]
		n++
	}
	g.list, g.kept = g.list[:n], int32(n)
}

// glance reports one race of each kind with accesses of a group that are alike, if there is one. If none is
// unordered, and the present one stands for them, it forgets them.
func (d *Detector) glance(t *thread, g *group, e *entry, at uint64) {
	block := e.warp >> fanBits
	own, other := g.of(e.warp, e.warp)
	mine, beyond := g.of(block<<fanBits, block<<fanBits|(fan-1))
	_, clean := d.any(t, g, e, at, own, other)
	for _, ranges := range [...][4]int{{mine, own, other, beyond}, {0, mine, beyond, len(g.list)}} {
		found, ordered := d.any(t, g, e, at, ranges[0], ranges[1])
		if !found {
			_, more := d.any(t, g, e, at, ranges[2], ranges[3])
			ordered = ordered && more
		}
		clean = clean && ordered
	}
	if clean && e.stands(&g.common) && (e.flags.level() == weak || g.home == int32(block)) {
		g.list = g.list[:0]
	}
}

// of returns the range of the accesses of some warps, the last one included.
func (g *group) of(first, last uint32) (from, to int) {
	from = g.find(first)
	if to = len(g.list); last < math.MaxUint32 {
		to = g.find(last + 1)
	}
	return from, to
}

// any reports the first race with an access in a range of a group, and whether there is one, or all are
// ordered.
func (d *Detector) any(t *thread, g *group, e *entry, at uint64, from, to int) (found, clean bool) {
	clean = true
	for i := from; i < to && !found; i++ {
		if o := g.member(i); !d.before(&o, e, t) {
			clean, found = false, d.conflict(&o, e, t, at)
		}
	}
	return found, clean
}

// place keeps an access, unless one of the same threads in the same epoch stands for it. It takes the place
// of theirs that it stands for.
func (d *Detector) place(t *thread, c *cell, e *entry) {
	m, joins := c.more, d.joins(t, c)
	list := *m.groups
	for i := range list {
		if g := &list[i]; g.common.mask&e.mask != 0 && g.absorbs(e) {
			return
		}
	}
	for i := range list {
		list[i].yield(e, joins)
	}
	g := m.groupOf(e)
	if n := len(g.list); n >= few && n == cap(g.list) {
		d.tidy(t, g, e)
	}
	g.add(e, joins)
}

// absorbs reports whether an access of a group stands for one of another kind by the same threads in the same
// epoch.
func (g *group) absorbs(e *entry) bool {
	if g.common.kind == e.kind || !g.common.stands(e) || e.peer() {
		return false
	}
	for i := g.find(e.warp); i < len(g.list) && g.list[i].warp == e.warp; i++ {
		if o := &g.list[i]; e.lanes&^o.lanes == 0 && o.epoch == e.epoch {
			return true
		}
	}
	return false
}

// yield forgets accesses of the threads of a later one that stands for them; if need be, only where it does
// for all lanes of one.
func (g *group) yield(e *entry, part bool) {
	if !e.stands(&g.common) {
		return
	}
	first := g.find(e.warp)
	n := first
	i := first
	for ; i < len(g.list) && g.list[i].warp == e.warp; i++ {
		o := g.list[i]
		switch rest := o.lanes &^ e.lanes; {
		case rest == 0:
			continue
		case part:
			o.lanes = rest
		}
		g.list[n] = o
		n++
	}
	if n < i {
		g.list = slices.Delete(g.list, n, i)
	}
}

// tidy forgets the accesses of a full group that a present one stands for.
func (d *Detector) tidy(t *thread, g *group, e *entry) {
	n := 0
	for i := range g.list {
		if o := g.member(i); d.before(&o, e, t) && e.standsFor(&o) {
			continue
		}
		g.list[n] = g.list[i]
		n++
	}
	g.list = g.list[:n]
}
