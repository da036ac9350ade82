package lower

import (
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/syntax"
)

// This file makes launches by kernels known to the kernels that they launch. A launch by another kernel says how
// large blocks and grids are as those of hosts do: it counts as one of a host function that is called with what
// the thread has. What the grid does to memory has no statement in the kernel that launches it.

// gridLaunch is the operation of a kernel that launches.
const gridLaunch = "grid.launch"

// childLaunch is a launch by a kernel.
type childLaunch struct {
	parent *ir.Func
	child  *kernelInstance
	launch ir.Launch // of which the site is still missing
	site   ir.Site
}

// childGrid lowers a launch by a kernel, with the arguments that its text gives.
func (l *lowerer) childGrid(n *syntax.Node, fs *fnset, k *kernelInstance, s *ir.Launch, list []argument) value {
	args := append(append([]ir.Expr{}, s.Grid[:]...), s.Block[:]...)
	if s.SharedBytes != nil {
		args = append(args, s.SharedBytes)
	}
	site := l.site(n, fs.name)
	l.emit(&ir.Named{Op: gridLaunch, Args: args, Site: site})
	if k != nil && l.scratch == 0 {
		child := childLaunch{parent: l.fn, child: k, launch: *s, site: l.fn.Sites[site]}
		l.inScratch(func() {
			for i, t := range l.un.paramsOf(k) {
				var v value
				if i < len(list) {
					v = l.argumentFor(list[i], t)
				}
				l.launchArgs(&child.launch.Args, v, t, n)
			}
		})
		l.children = append(l.children, child)
	}
	return value{t: tVoid}
}

// launchesByKernels are host functions that launch as kernels do. A kernel that hosts launch and that launches grids
// itself is unknown for these; what it passes on to itself keeps an order that such a launch does not show.
func (un *unitState) launchesByKernels() []*ir.Func {
	var out []*ir.Func
	for _, c := range un.children {
		if len(c.launch.Args) == len(c.child.fn.Params) && (un.launched[c.child.fn] == nil || !launchesGrids(c.child.fn)) {
			out = append(out, c.host())
		}
	}
	return out
}

func launchesGrids(f *ir.Func) bool {
	for s := range ir.All[*ir.Named](f.Body) {
		if s.Op == gridLaunch {
			return true
		}
	}
	return false
}

// host makes a function whose parameters are the numbers and pointers of the thread that launches. If two pointers may
// come from one in a way that it does not show, nothing is known of the launch.
func (c *childLaunch) host() *ir.Func {
	fn := &ir.Func{Name: c.parent.Name, Span: c.site.Span, Sites: []ir.Site{c.site}}
	params := map[any]*ir.Param{}
	param := func(key any, name string, t ir.Type) *ir.ParamRef {
		p := params[key]
		if p == nil {
			p = &ir.Param{Index: len(fn.Params), Name: name, Type: t}
			fn.Params = append(fn.Params, p)
			params[key] = p
		}
		return &ir.ParamRef{P: p}
	}
	values, pointsAsParent := lasting(c.parent.Body), map[ir.Expr]bool{}
	steps := 100 // back from registers to what they were made of
	var held func(x ir.Expr) ir.Expr
	held = func(x ir.Expr) ir.Expr {
		switch x := x.(type) {
		case *ir.Const:
			pointsAsParent[x] = true // to nothing
			return x
		case *ir.ParamRef:
			p := param(x.P, x.P.Name, x.P.Type)
			pointsAsParent[p] = true
			return p
		case *ir.RegRef:
			if value, ok := values[x.R]; ok && steps > 0 {
				steps--
				return held(value)
			}
			return param(x.R, x.R.Name, x.R.Type)
		case *ir.Convert:
			return &ir.Convert{T: x.T, X: held(x.X)}
		case *ir.Binary:
			return &ir.Binary{Op: x.Op, T: x.T, X: held(x.X), Y: held(x.Y)}
		}
		return param(x, "", x.Type())
	}
	pointers, derived := 0, false
	passed := func(x ir.Expr) ir.Expr {
		x = held(x)
		if x.Type() == ir.Ptr {
			pointers++
			derived = derived || !pointsAsParent[x]
		}
		return x
	}
	s := &ir.Launch{Kernel: c.child.fn}
	for i := range 3 {
		s.Grid[i], s.Block[i] = passed(c.launch.Grid[i]), passed(c.launch.Block[i])
	}
	if c.launch.SharedBytes != nil {
		s.SharedBytes = passed(c.launch.SharedBytes)
	}
	for i, x := range c.launch.Args {
		p := c.child.fn.Params[i]
		if x.Type() != p.Type {
			x = &ir.Convert{T: p.Type, X: x}
		}
		s.Args = append(s.Args, passed(x))
	}
	s.Anyhow = derived && pointers > 1
	fn.Body = []ir.Stmt{s}
	ir.Detach(fn)
	return fn
}
