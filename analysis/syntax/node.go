package syntax

// This file holds what makes nodes and units easy to read.

import "iter"

// ChildByKind returns the first child of the kind, or nil.
func (n *Node) ChildByKind(kind string) *Node {
	if n == nil {
		return nil
	}
	for _, c := range n.Children {
		if c.Kind == kind {
			return c
		}
	}
	return nil
}

// NamedChildren gives the children that are no keywords and no punctuation, in order.
func (n *Node) NamedChildren() iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		if n == nil {
			return
		}
		for _, c := range n.Children {
			if c.Named && !yield(c) {
				return
			}
		}
	}
}

// All gives the node and its descendants, parents before their children.
func (n *Node) All() iter.Seq[*Node] {
	return func(yield func(*Node) bool) { n.visit(yield) }
}

func (n *Node) visit(yield func(*Node) bool) bool {
	if n == nil {
		return true
	}
	if !yield(n) {
		return false
	}
	for _, c := range n.Children {
		if !c.visit(yield) {
			return false
		}
	}
	return true
}

// Items are the top-level declarations and statements, in order.
func (u *Unit) Items() []*Node { return u.Root.Children }

// Slice returns the expanded text of a node, "" for nil.
func (u *Unit) Slice(n *Node) string {
	if n == nil {
		return ""
	}
	return u.Text[n.Start:n.End]
}
