package ir

// This file copies statements.

// Copy returns the statements anew, with labels of their own. Expressions and registers are shared.
func Copy(list []Stmt) []Stmt { return copier{}.list(list) }

// copier knows the new labels of the statements around.
type copier map[*Label]*Label

func (c copier) list(list []Stmt) []Stmt {
	if list == nil {
		return nil
	}
	out := make([]Stmt, len(list))
	for i, s := range list {
		out[i] = c.stmt(s)
	}
	return out
}

func (c copier) label(l *Label) *Label {
	if own, ok := c[l]; ok {
		return own
	}
	return l
}

func (c copier) fresh(l *Label) *Label {
	c[l] = &Label{ID: l.ID}
	return c[l]
}

func (c copier) stmt(s Stmt) Stmt {
	switch s := s.(type) {
	case *If:
		x := *s
		x.Then, x.Else = c.list(s.Then), c.list(s.Else)
		return &x
	case *Loop:
		x := *s
		x.Label = c.fresh(s.Label)
		x.Head, x.Body, x.Post = c.list(s.Head), c.list(s.Body), c.list(s.Post)
		return &x
	case *Block:
		return &Block{Label: c.fresh(s.Label), Body: c.list(s.Body)}
	case *Break:
		return &Break{Target: c.label(s.Target)}
	case *Continue:
		return &Continue{Target: c.label(s.Target)}
	case *Assign:
		x := *s
		return &x
	case *Load:
		x := *s
		return &x
	case *Store:
		x := *s
		return &x
	case *Atomic:
		x := *s
		return &x
	case *Fence:
		x := *s
		return &x
	case *Barrier:
		x := *s
		return &x
	case *WarpOp:
		x := *s
		return &x
	case *Named:
		x := *s
		return &x
	case *Assume:
		x := *s
		return &x
	case *Unknown:
		x := *s
		return &x
	case *Launch:
		x := *s
		return &x
	case *Alloc:
		x := *s
		return &x
	case *HostCopy:
		x := *s
		return &x
	case *Return:
		return &Return{}
	case *Trap:
		return &Trap{}
	}
	return s
}
