package lower

// This file finds loops that ask a barrier in memory until its phase is over, and do nothing else: they wait.

import "github.com/warplint/warplint/analysis/ir"

// awaitPolls makes a wait of each question that is asked until the answer is yes.
func awaitPolls(list []ir.Stmt) {
	for i, s := range list {
		switch s := s.(type) {
		case *ir.If:
			awaitPolls(s.Then)
			awaitPolls(s.Else)
		case *ir.Block:
			awaitPolls(s.Body)
		case *ir.Loop:
			p := poll{held: map[*ir.Reg]*bool{}}
			if p.find(s.Head) && p.find(s.Body) && p.find(s.Post) && p.test != nil && p.endless(s) {
				p.wait(s.Head)
				p.wait(s.Body)
				p.wait(s.Post)
				if once := p.once(s); once != nil {
					list[i] = &ir.Block{Label: s.Label, Body: once}
				}
				continue
			}
			awaitPolls(s.Head)
			awaitPolls(s.Body)
			awaitPolls(s.Post)
		}
	}
}

// poll is a loop with one question.
type poll struct {
	test   *ir.Named
	answer bool
	held   map[*ir.Reg]*bool // what registers hold behind the answer; nil if that is not known
}

// find looks for the question among statements that touch registers only.
func (p *poll) find(list []ir.Stmt) bool {
	for _, s := range list {
		switch s := s.(type) {
		case *ir.Assign, *ir.Break, *ir.Continue:
		case *ir.Named:
			if s.Op != "mbarrier.test" || p.test != nil {
				return false
			}
			p.test = s
		case *ir.If:
			if !p.find(s.Then) || !p.find(s.Else) {
				return false
			}
		case *ir.Block:
			if !p.find(s.Body) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// wait puts a wait in the place of the question, with yes for an answer.
func (p *poll) wait(list []ir.Stmt) {
	for i, s := range list {
		switch s := s.(type) {
		case *ir.Named:
			list[i] = &ir.Block{Label: &ir.Label{}, Body: []ir.Stmt{
				&ir.Named{Op: "mbarrier.wait", Args: s.Args, Site: s.Site},
				&ir.Assign{Dst: s.Dst, X: constBool(true)},
			}}
		case *ir.If:
			p.wait(s.Then)
			p.wait(s.Else)
		case *ir.Block:
			p.wait(s.Body)
		}
	}
}

// endless reports whether a round of the loop in which the answer is no comes to another one.
func (p *poll) endless(l *ir.Loop) bool {
	if o, at := p.round(l.Head); o != ends && !(o == goesOn && at == l.Label) {
		return false
	}
	if v := p.truth(l.Cond); v == nil || !*v {
		return false
	}
	if o, at := p.round(l.Body); o != ends && !(o == goesOn && at == l.Label) {
		return false
	}
	o, _ := p.round(l.Post)
	return o == ends
}

// once is what the loop does if the answer is yes, as far as it then ends in its first round; nil if it does not.
func (p *poll) once(l *ir.Loop) []ir.Stmt {
	p.answer = true
	out := l.Head
	if o, at := p.round(l.Head); o == breaks && at == l.Label {
		return out
	} else if o != ends {
		return nil
	}
	if v := p.truth(l.Cond); v == nil {
		return nil
	} else if !*v {
		return out
	}
	for _, list := range [][]ir.Stmt{l.Body, l.Post} {
		out = append(out[:len(out):len(out)], list...)
		if o, at := p.round(list); o == breaks && at == l.Label {
			return out
		} else if o != ends {
			return nil
		}
	}
	return nil
}

// round runs statements with the answer; stuck if it is not known where they lead.
func (p *poll) round(list []ir.Stmt) (outcome, *ir.Label) {
	for _, s := range list {
		o, at := ends, (*ir.Label)(nil)
		switch s := s.(type) {
		case *ir.Assign:
			p.held[s.Dst] = p.truth(s.X)
		case *ir.Named:
			answer := p.answer
			p.held[s.Dst] = &answer
		case *ir.Break:
			o, at = breaks, s.Target
		case *ir.Continue:
			o, at = goesOn, s.Target
		case *ir.Block:
			if o, at = p.round(s.Body); o == breaks && at == s.Label {
				o = ends
			}
		case *ir.If:
			switch v := p.truth(s.Cond); {
			case v == nil:
				o = stuck
			case *v:
				o, at = p.round(s.Then)
			default:
				o, at = p.round(s.Else)
			}
		}
		if o != ends {
			return o, at
		}
	}
	return ends, nil
}

// truth is whether a value is other than zero.
func (p *poll) truth(e ir.Expr) *bool {
	is := func(v bool) *bool { return &v }
	switch e := e.(type) {
	case *ir.Const:
		return is(e.Bits != 0)
	case *ir.RegRef:
		return p.held[e.R]
	case *ir.Convert:
		if e.T.IsInt() || e.T == ir.Bool {
			return p.truth(e.X)
		}
	case *ir.Unary:
		if v := p.truth(e.X); v != nil && e.Op == ir.LogNot {
			return is(!*v)
		}
	case *ir.Binary:
		x, y := p.truth(e.X), p.truth(e.Y)
		switch {
		case e.Op == ir.Eq && y != nil && !*y && x != nil:
			return is(!*x)
		case e.Op == ir.Ne && y != nil && !*y:
			return x
		case e.Op == ir.LogAnd && (x != nil && !*x || y != nil && !*y):
			return is(false)
		case e.Op == ir.LogAnd && x != nil && y != nil:
			return is(true)
		}
	case *ir.Select:
		switch v := p.truth(e.Cond); {
		case v == nil:
		case *v:
			return p.truth(e.X)
		default:
			return p.truth(e.Y)
		}
	}
	return nil
}
