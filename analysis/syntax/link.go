package syntax

// This file puts units side by side, as a linker does, so that whoever reads the tree of one
// file finds in the trees of others what the first only declares.

import "strings"

// linkStep is what the places of linked units are rounded up to, so that an edit of the first
// unit seldom moves the others.
const linkStep = 64 << 10

// maxLinked bounds the text of linked units, in bytes; what would exceed it is left out.
const maxLinked = 4 * maxText

// Link returns a unit whose text holds that of the first unit and, further on, those of the
// others. Root is the first unit's, Linked the others' roots in the same order. Each keeps its
// own macros and declarations; which of them mean the same is for the reader to find out.
func Link(first *Unit, others ...*Unit) *Unit {
	if len(others) == 0 {
		return first
	}
	u := *first
	u.Linked, u.others, u.placed = nil, nil, nil
	u.Problems, u.Files = u.Problems[:len(u.Problems):len(u.Problems)], u.Files[:len(u.Files):len(u.Files)]
	u.origins = u.origins[:len(u.origins):len(u.origins)]
	var text strings.Builder
	text.WriteString(first.Text)
	for _, o := range others {
		base := (text.Len()/linkStep + 1) * linkStep
		if base+len(o.Text) > maxLinked {
			continue
		}
		p := o.at(base)
		text.WriteString(strings.Repeat(" ", base-text.Len()))
		text.WriteString(o.Text)
		u.Linked, u.others = append(u.Linked, p.root), append(u.others, linked{o, base})
		u.origins = append(u.origins, p.origins...)
		u.Problems = append(u.Problems, o.Problems...)
		u.Files = append(u.Files, o.Files...)
	}
	u.Text = text.String()
	return &u
}

// linked is a unit and where its text starts.
type linked struct {
	unit *Unit
	base int
}

// placed is a unit whose text starts further on.
type placed struct {
	base    int
	root    *Node
	origins segments
}

// at moves a unit's tree and origins; it remembers the last place that was asked for.
func (u *Unit) at(base int) *placed {
	if p := u.placed; p != nil {
		if last := p.Load(); last != nil && last.base == base {
			return last
		}
	}
	p := &placed{base: base, root: u.Root.moved(base), origins: make(segments, len(u.origins))}
	for i, s := range u.origins {
		s.at += int32(base)
		p.origins[i] = s
	}
	if u.placed != nil {
		u.placed.Store(p)
	}
	return p
}

// moved copies a tree to a place further on.
func (n *Node) moved(by int) *Node {
	m := *n
	m.Start += by
	m.End += by
	m.Children = make([]*Node, len(n.Children))
	for i, c := range n.Children {
		m.Children[i] = c.moved(by)
	}
	return &m
}
