// Package phase says which statements of a kernel two threads can stand at with no barrier
// between: the flow between accesses and barriers, cut at the barriers.
package phase

import (
	"slices"

	"github.com/warplint/warplint/analysis/ir"
)

// This file makes a graph of the points of a kernel where something happens to memory, and
// of the loops' heads between them.

type nodeKind uint8

const (
	entryNode nodeKind = iota
	eventNode          // an access or a synchronizing operation
	enterNode          // a loop is entered: its iteration is 0
	backNode           // a loop goes round
	exitNode           // a loop is left
	joinNode
	returnNode
)

type node struct {
	id   int
	kind nodeKind
	stmt ir.Stmt // of an event
	loop *ir.Loop
	test bool // an exit by the loop's own condition
	succ []*node
	pred []*node
}

// Graph is the flow between the events of a kernel.
type Graph struct {
	entry *node
	nodes []*node
	of    map[ir.Stmt]*node
	loops map[*node][]*ir.Loop // around each node, made when first asked
	spans map[ir.Stmt]*Span    // of statements that take place where they stand
	later map[stretch]*Span    // of those that end later
	// Cuts names barriers at which all threads of a block meet; nil for none.
	Cuts func(ir.Stmt) bool
}

type builder struct {
	g     *Graph
	takes func(*ir.If) (then, els bool)
	on    func(*ir.If) (then, els bool)
	exits map[*ir.Label]*node
	conts map[*ir.Label]*node
	loops []*ir.Loop
	inner map[*ir.Label]int // number of loops around a label's statement
}

// NewGraph builds the graph of a kernel. Takes says which sides of a branch threads may take, and on from which sides of one
// in a loop's body another round may follow; nil if they may take both of each, and from both.
func NewGraph(f *ir.Func, takes, on func(*ir.If) (then, els bool)) *Graph {
	b := &builder{takes: takes, on: on, g: &Graph{of: map[ir.Stmt]*node{}, spans: map[ir.Stmt]*Span{}, later: map[stretch]*Span{}}, exits: map[*ir.Label]*node{}, conts: map[*ir.Label]*node{}, inner: map[*ir.Label]int{}}
	b.g.entry = b.node(entryNode)
	b.list(f.Body, b.g.entry)
	return b.g
}

// branch appends a branch behind a node and returns where its sides meet.
func (b *builder) branch(s *ir.If, at *node) *node {
	then, els := true, true
	if b.takes != nil {
		then, els = b.takes(s)
	}
	switch {
	case !els:
		return b.list(s.Then, at)
	case !then:
		return b.list(s.Else, at)
	}
	return b.merge(b.list(s.Then, b.after(at)), b.list(s.Else, b.after(at)))
}

func (b *builder) node(kind nodeKind) *node {
	n := &node{id: len(b.g.nodes), kind: kind}
	b.g.nodes = append(b.g.nodes, n)
	return n
}

// list appends statements behind a node and returns the last node, nil if no path ends there.
func (b *builder) list(stmts []ir.Stmt, at *node) *node {
	for _, s := range stmts {
		if at == nil {
			return nil
		}
		at = b.stmt(s, at)
	}
	return at
}

func (b *builder) stmt(s ir.Stmt, at *node) *node {
	switch s := s.(type) {
	case *ir.Unknown:
		if s.MaySynchronize() {
			return b.event(s, at)
		}
	case *ir.Load, *ir.Store, *ir.Atomic, *ir.Fence, *ir.Barrier, *ir.Named:
		return b.event(s, at)
	case *ir.If:
		return b.branch(s, at)
	case *ir.Block:
		end := b.node(joinNode)
		b.exits[s.Label], b.inner[s.Label] = end, len(b.loops)
		if last := b.list(s.Body, at); last != nil {
			link(last, end)
		}
		return b.reached(end)
	case *ir.Loop:
		return b.loop(s, at)
	case *ir.Break:
		b.jump(at, b.exits[s.Target], b.inner[s.Target])
		return nil
	case *ir.Continue:
		b.jump(at, b.conts[s.Target], b.inner[s.Target]+1)
		return nil
	case *ir.Return:
		link(at, b.node(returnNode))
		return nil
	case *ir.Trap:
		return nil
	}
	return at
}

func (b *builder) event(s ir.Stmt, at *node) *node {
	n := b.node(eventNode)
	n.stmt = s
	b.g.of[s] = n
	link(at, n)
	return n
}

func (b *builder) after(at *node) *node {
	n := b.node(joinNode)
	link(at, n)
	return n
}

func (b *builder) merge(x, y *node) *node {
	if x == nil {
		return y
	}
	if y == nil {
		return x
	}
	n := b.node(joinNode)
	link(x, n)
	link(y, n)
	return n
}

// reached returns the node if a path leads to it, else nil.
func (b *builder) reached(n *node) *node {
	if len(n.pred) == 0 {
		return nil
	}
	return n
}

func link(from, to *node) {
	from.succ = append(from.succ, to)
	to.pred = append(to.pred, from)
}

// jump goes to a target, leaving the loops deeper than it.
func (b *builder) jump(at, to *node, depth int) {
	for i := len(b.loops) - 1; i >= depth; i-- {
		exit := b.node(exitNode)
		exit.loop = b.loops[i]
		link(at, exit)
		at = exit
	}
	link(at, to)
}

func (b *builder) loop(s *ir.Loop, at *node) *node {
	enter, head, cont, back, exit, end := b.node(enterNode), b.node(joinNode), b.node(joinNode), b.node(backNode), b.node(exitNode), b.node(joinNode)
	enter.loop, back.loop, exit.loop, exit.test = s, s, s, true
	link(at, enter)
	link(enter, head)
	link(back, head)
	b.exits[s.Label], b.conts[s.Label], b.inner[s.Label] = end, cont, len(b.loops)
	b.loops = append(b.loops, s)
	if test := b.list(s.Head, head); test != nil {
		if !always(s.Cond) {
			link(test, exit)
			link(exit, end)
		}
		if last := b.body(s, b.after(test), end); last != nil {
			link(last, cont)
		}
		if last := b.list(s.Post, cont); last != nil {
			link(last, back)
		}
	}
	b.loops = b.loops[:len(b.loops)-1]
	return b.reached(end)
}

func always(e ir.Expr) bool {
	c, ok := e.(*ir.Const)
	return ok && c.Bits != 0
}

// Reaches reports whether a path leads from one statement to another without passing a
// statement that stop names.
func (g *Graph) Reaches(from, to ir.Stmt, stop func(ir.Stmt) bool) bool {
	return g.ReachesWithin(nil, from, to, stop)
}

// ReachesWithin does so for paths that stay in one round of some loops.
func (g *Graph) ReachesWithin(loops []*ir.Loop, from, to ir.Stmt, stop func(ir.Stmt) bool) bool {
	start, goal := g.of[from], g.of[to]
	if start == nil || goal == nil {
		return false
	}
	return g.leads(start.succ, func(n *node) bool { return n == goal }, func(n *node) bool {
		return n.stmt != nil && stop != nil && stop(n.stmt) || n.kind == backNode && slices.Contains(loops, n.loop)
	})
}

// Ends reports whether a path leads from a statement to the end of the kernel without passing a statement that stop names.
func (g *Graph) Ends(from ir.Stmt, stop func(ir.Stmt) bool) bool {
	start := g.of[from]
	gate := func(n *node) bool { return n.stmt != nil && stop(n.stmt) }
	return start != nil && (len(start.succ) == 0 || g.leads(start.succ, func(n *node) bool { return len(n.succ) == 0 && !gate(n) }, gate))
}

// leads reports whether a path from one of the nodes on comes to a goal and passes no gate before.
func (g *Graph) leads(from []*node, goal, gate func(*node) bool) bool {
	seen := make([]bool, len(g.nodes))
	stack := slices.Clone(from)
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[n.id] {
			continue
		}
		seen[n.id] = true
		if goal(n) {
			return true
		}
		if !gate(n) {
			stack = append(stack, n.succ...)
		}
	}
	return false
}

// Most returns for each statement the greatest value with which a path comes to it, up to a limit:
// paths begin with 0, and pass says what a statement makes of a value. It must not fall where its
// argument rises.
func (g *Graph) Most(limit int, pass func(int, ir.Stmt) int) map[ir.Stmt]int {
	values := make([]int, len(g.nodes))
	for i := range values {
		values[i] = -1
	}
	values[g.entry.id] = 0
	queue := []*node{g.entry}
	out := map[ir.Stmt]int{}
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		v := values[n.id]
		if n.kind == eventNode {
			out[n.stmt] = v
			v = min(pass(v, n.stmt), limit)
		}
		for _, s := range n.succ {
			if v > values[s.id] {
				values[s.id] = v
				queue = append(queue, s)
			}
		}
	}
	return out
}

// Before reports whether each path to a statement passes another one: from the kernel's entry, and from the
// beginning of each round of a loop around the other, which goes around the statement, too.
func (g *Graph) Before(first, then ir.Stmt) bool {
	gate, goal := g.of[first], g.of[then]
	return gate != nil && goal != nil && gate != goal && g.before(gate, goal)
}

func (g *Graph) before(gate, goal *node) bool {
	around, inner := g.loopsAround()[gate], g.loopsAround()[goal]
	if len(around) > len(inner) || !slices.Equal(around, inner[:len(around)]) {
		return false
	}
	starts := []*node{g.entry}
	for _, n := range g.nodes {
		if n.kind == backNode && slices.Contains(around, n.loop) {
			starts = append(starts, n)
		}
	}
	return !g.leads(starts, func(n *node) bool { return n == goal }, func(n *node) bool { return n == gate })
}

// Next reports whether a statement is the only one that may come next after another.
func (g *Graph) Next(s, next ir.Stmt) bool {
	n := g.of[s]
	return n != nil && len(n.succ) == 1 && n.succ[0] == g.of[next]
}

// Passes reports whether each path from the kernel's entry to a statement passes one that gate names.
func (g *Graph) Passes(s ir.Stmt, gate func(ir.Stmt) bool) bool {
	goal := g.of[s]
	if goal == nil {
		return false
	}
	return !g.leads([]*node{g.entry}, func(n *node) bool { return n == goal }, func(n *node) bool { return n.stmt != nil && gate(n.stmt) })
}

// EachRound reports whether each round of the innermost loop around a statement that comes to its end passes
// the statement; true if no loop is around it.
func (g *Graph) EachRound(s ir.Stmt) bool {
	gate := g.of[s]
	if gate == nil {
		return false
	}
	around := g.loopsAround()[gate]
	if len(around) == 0 {
		return true
	}
	loop := around[len(around)-1]
	var starts []*node
	for _, n := range g.nodes {
		if n.loop == loop && (n.kind == enterNode || n.kind == backNode) {
			starts = append(starts, n.succ...)
		}
	}
	return !g.leads(starts, func(n *node) bool { return n.kind == backNode && n.loop == loop }, func(n *node) bool { return n == gate })
}
