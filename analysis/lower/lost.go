package lower

import (
	"slices"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/syntax"
)

// This file stands in for launches that are known to be made somewhere, nobody knows how: by a host function that is given up, or by a
// call of which nobody knows which instance of a template it means. Each kernel that the text there reaches by names, and that
// is launched elsewhere, may be launched with anything: its other launches alone are no proof.

// loses notes that the launches that a part of the text reaches are lost.
func (un *unitState) loses(n *syntax.Node) {
	if !slices.Contains(un.lost, n) {
		un.lost = append(un.lost, n)
	}
}

// lostLaunches makes a host function of them, if there are any.
func (un *unitState) lostLaunches() (hosts []*ir.Func) {
	for _, n := range un.lost {
		here, names := un.partOf(n), un.reached(n)
		fn := un.withRestarts(func(l *lowerer) {
			l.host = true
			l.fn.Name, l.fn.Span = "launches that are not understood", un.u.Origin(n.Start, n.End).Span
			l.frame = &frame{ret: tVoid, top: l.out, root: true}
			for _, k := range un.order {
				if names[k.sym.name] && un.partOf(k.sym.node) == here && un.launched[k.fn] != nil {
					l.mayLaunchInstance(n, k)
				}
			}
		})
		hosts = append(hosts, fn)
	}
	return hosts
}

// reached are the names that a part of the text calls, and those that the functions of these names call in turn.
func (un *unitState) reached(n *syntax.Node) map[string]bool {
	names, list := map[string]bool{}, slices.Clone(un.hostFunctions())
	un.addCalls(n, names)
	for changed := true; changed; {
		changed = false
		list = slices.DeleteFunc(list, func(sym *symbol) bool {
			if !names[sym.name] {
				return false
			}
			un.addCalls(sym.node, names)
			changed = true
			return true
		})
	}
	return names
}

// mayLaunchInstance emits a launch of which nothing is known, nor whether it is made.
func (l *lowerer) mayLaunchInstance(n *syntax.Node, k *kernelInstance) {
	l.maybe(n, k.sym.name, func() {
		s := l.anyLaunch(n)
		s.Kernel = k.fn
		for _, p := range k.fn.Params {
			s.Args = append(s.Args, l.unknownScalar(n, p.Type, "kernel argument"))
		}
		l.onItsOwn(s.Args)
		s.Site = l.site(n, "")
		l.emit(s)
	}, func() {})
}
