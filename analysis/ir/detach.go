package ir

import "strings"

// Detach gives a function names of its own. Those of the source are parts of its text, all of which they would keep in memory
// as long as somebody has the function.
func Detach(f *Func) {
	own := map[string]string{"": ""}
	detach := func(names ...*string) {
		for _, name := range names {
			again, ok := own[*name]
			if !ok {
				again = strings.Clone(*name)
				own[again] = again
			}
			*name = again
		}
	}
	detach(&f.Name, &f.Instance, &f.Trial)
	for _, list := range [][]string{f.Unknowns, f.Assumes} {
		for i := range list {
			detach(&list[i])
		}
	}
	for _, p := range f.Params {
		detach(&p.Name)
	}
	for _, r := range f.Regs {
		detach(&r.Name)
	}
	for _, o := range f.Objects {
		detach(&o.Name)
	}
	for i := range f.Sites {
		detach(&f.Sites[i].Variable)
	}
	WalkStmts(f.Body, func(s Stmt) bool {
		switch s := s.(type) {
		case *Alloc:
			detach(&s.Name)
		case *Barrier:
			detach(&s.Reduce)
		case *Named:
			detach(&s.Op)
		case *Unknown:
			detach(&s.Reason)
		case *WarpOp:
			detach(&s.Op)
		}
		WalkExprs(s, func(e Expr) {
			if call, ok := e.(*Call); ok {
				detach(&call.Name)
			}
		})
		return true
	})
}
