// Package slice leaves out of a kernel what has no say at some places: statements that change neither where its threads
// go, nor what they touch at these places, nor when they meet. A loop that adds up products is most of a kernel's work
// and all the same to a race of the store behind it.
package slice

import (
	"slices"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
)

// Of is a kernel without what does not matter at the sites of some candidates. Statements that stay are
// the same, but for those that hold others.
func Of(s *access.Summary, sites []int) *ir.Func { return of(s, sites, false) }

// OfMeeting is Of for a kernel all of whose threads come to each barrier: those that order nothing which matters are left out as well.
func OfMeeting(s *access.Summary, sites []int) *ir.Func { return of(s, sites, true) }

func of(s *access.Summary, sites []int, meeting bool) *ir.Func {
	c := &slicer{wanted: map[int]bool{}, watched: map[memory]bool{}, of: map[ir.Stmt][]memory{}, escaped: ir.Escaped(s.Func.Body), live: map[*ir.Reg]bool{}, read: map[memory]bool{}, kept: map[ir.Stmt]bool{}, targets: map[*ir.Label]ir.Stmt{}}
	for _, i := range sites {
		c.wanted[i] = true
	}
	for _, a := range s.Accesses {
		m := memoryOf(s, a.Base)
		if !slices.Contains(c.of[a.Stmt], m) {
			c.of[a.Stmt] = append(c.of[a.Stmt], m)
		}
		if c.wanted[a.Site] && a.Base.Object != nil && a.Base.Object.Size > 0 {
			c.watched[m] = true
		}
	}
	ir.WalkStmts(s.Func.Body, func(st ir.Stmt) bool {
		switch st := st.(type) {
		case *ir.Loop:
			c.targets[st.Label] = st
		case *ir.Block:
			c.targets[st.Label] = st
		case *ir.Named: // copies, too
			c.read[anywhere] = true
		case *ir.Load, *ir.Store:
			c.findPrivate(st)
		}
		return true
	})
	if meeting {
		c.turns = turnsOf(s.Func.Body)
	}
	for c.changed = true; c.changed; {
		c.changed = false
		c.mark(s.Func.Body)
	}
	out := *s.Func
	out.Body = c.rest(s.Func.Body)
	return &out
}

// memory is what an access may touch: an [ir.Object], or else an [access.Base].
type memory any

// anywhere is memory of which nothing is known.
var anywhere memory = "anywhere"

// memoryOf is the memory of a base. What the host passes is a buffer of its own in each run, wherever the host has the pointer from.
func memoryOf(s *access.Summary, b *access.Base) memory {
	switch {
	case b.Object != nil:
		return b.Object
	case b.Pointer != nil && !(s.Launch != nil && slices.ContainsFunc(s.Launch.Args, func(a access.Value) bool { return a.Base == b })):
		return anywhere
	}
	return b
}

type slicer struct {
	wanted  map[int]bool    // sites
	watched map[memory]bool // what is touched there and has bounds: all accesses to it stay, as one may go beyond them
	of      map[ir.Stmt][]memory
	escaped map[*ir.Object]bool
	live    map[*ir.Reg]bool
	read    map[memory]bool // that a value was read from which matters
	kept    map[ir.Stmt]bool
	targets map[*ir.Label]ir.Stmt
	turns   *turns // nil if all barriers stay
	changed bool
}

// findPrivate notes what private memory an access is to, or that nobody knows what it touches.
func (c *slicer) findPrivate(st ir.Stmt) {
	if len(c.of[st]) > 0 {
		return
	}
	c.of[st] = []memory{anywhere}
	if o, ok := ir.Root(ir.Address(st)); ok && (o.Obj.Space == ir.Constant || ir.Private(st, c.escaped) != nil) {
		c.of[st] = []memory{o.Obj}
	}
}

// mark goes over statements and keeps those that matter by what is known so far.
func (c *slicer) mark(list []ir.Stmt) {
	for i := len(list) - 1; i >= 0; i-- {
		st := list[i]
		for _, nested := range ir.Nested(st) {
			c.mark(nested)
		}
		if c.kept[st] || c.matters(st) {
			c.keep(st)
		}
	}
}

// matters reports whether a statement has to stay.
func (c *slicer) matters(st ir.Stmt) bool {
	site, ok := ir.SiteOf(st)
	wanted := ok && c.wanted[site] || slices.ContainsFunc(c.of[st], func(m memory) bool { return c.watched[m] })
	switch st := st.(type) {
	case *ir.Assign:
		return c.live[st.Dst]
	case *ir.Load:
		return wanted || c.live[st.Dst] || isStrong(st.Strength)
	case *ir.Store:
		return wanted || c.isRead(st) || isStrong(st.Strength)
	case *ir.If, *ir.Loop, *ir.Block:
		return slices.ContainsFunc(ir.Nested(st), func(list []ir.Stmt) bool {
			return slices.ContainsFunc(list, func(n ir.Stmt) bool { return c.kept[n] })
		})
	case *ir.Break:
		return c.kept[c.targets[st.Target]]
	case *ir.Continue:
		return c.kept[c.targets[st.Target]]
	case *ir.Barrier:
		return c.turns == nil || !isWhole(st) || c.parts(st)
	}
	return true
}

func isStrong(x ir.Strength) bool {
	return x.Volatile || x.Order != ir.Weak || x.Scope != race.ScopeNone
}

// isRead reports whether a value that matters may be read where a statement writes.
func (c *slicer) isRead(st ir.Stmt) bool {
	return len(c.read) > 0 && (c.read[anywhere] || slices.ContainsFunc(c.of[st], func(m memory) bool { return c.read[m] || m == anywhere }))
}

// keep keeps a statement and all that it needs.
func (c *slicer) keep(st ir.Stmt) {
	if !c.kept[st] {
		c.kept[st], c.changed = true, true
	}
	switch st := st.(type) {
	case *ir.Load:
		c.need(st.Ptr)
		if c.live[st.Dst] {
			c.reads(st)
		}
	case *ir.Store:
		c.need(st.Ptr)
		if c.isRead(st) {
			c.need(st.X)
		}
	case *ir.Atomic:
		c.need(st.Ptr)
		if st.Op == ir.AtomicCAS || st.Dst != nil && c.live[st.Dst] { // a swap that finds another value writes nothing
			c.reads(st)
		}
		if c.isRead(st) {
			c.need(ir.Operands(st)...)
		}
	case *ir.WarpOp:
		if st.Mask != nil {
			c.need(st.Mask)
		}
		if st.Dst != nil && c.live[st.Dst] {
			c.need(st.Args...)
		}
	default:
		c.need(ir.Operands(st)...)
	}
}

// parts reports whether a barrier may stand between two statements that stay and to which it makes a difference which is first.
func (c *slicer) parts(b *ir.Barrier) bool {
	before, behind := false, false
	for st := range c.kept {
		if c.isOrdered(st) {
			before = before || c.turns.mayPrecede(st, b)
			behind = behind || c.turns.mayPrecede(b, st)
		}
	}
	return before && behind
}

// isOrdered reports whether it makes a difference whether a statement is before or behind others of other threads: not to one that
// only reads what none that stays writes.
func (c *slicer) isOrdered(st ir.Stmt) bool {
	switch st := st.(type) {
	case *ir.Assign, *ir.If, *ir.Loop, *ir.Block, *ir.Break, *ir.Continue, *ir.Return, *ir.Barrier:
		return false
	case *ir.Load:
		site, ok := ir.SiteOf(st)
		return ok && c.wanted[site] || isStrong(st.Strength) || slices.ContainsFunc(c.of[st], func(m memory) bool { return m == anywhere || c.watched[m] || c.isWritten(m) })
	}
	return true
}

// isWritten reports whether a statement that stays may write to some memory.
func (c *slicer) isWritten(m memory) bool {
	for st := range c.kept {
		if _, reads := st.(*ir.Load); !reads && slices.ContainsFunc(c.of[st], func(o memory) bool { return o == m || o == anywhere }) {
			return true
		}
	}
	return false
}

// reads notes that what a statement reads matters.
func (c *slicer) reads(st ir.Stmt) {
	for _, m := range c.of[st] {
		if !c.read[m] {
			c.read[m], c.changed = true, true
		}
	}
}

func (c *slicer) need(list ...ir.Expr) {
	for _, e := range list {
		for _, r := range ir.Registers(e) {
			if !c.live[r] {
				c.live[r], c.changed = true, true
			}
		}
	}
}

// rest is what stays of a list.
func (c *slicer) rest(list []ir.Stmt) []ir.Stmt {
	var out []ir.Stmt
	for _, st := range list {
		if !c.kept[st] {
			continue
		}
		switch x := st.(type) {
		case *ir.If:
			n := *x
			n.Then, n.Else = c.rest(x.Then), c.rest(x.Else)
			st = &n
		case *ir.Loop:
			n := *x
			n.Head, n.Body, n.Post = c.rest(x.Head), c.rest(x.Body), c.rest(x.Post)
			st = &n
		case *ir.Block:
			st = &ir.Block{Label: x.Label, Body: c.rest(x.Body)}
		}
		out = append(out, st)
	}
	return out
}
