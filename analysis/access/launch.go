package access

import (
	"fmt"
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

// This file binds a kernel's built-in variables, parameters and memory to values.

// Limits of a launch (CUDA Programming Guide, "Compute Capabilities").
const (
	maxThreadsX, maxThreadsZ = 1024, 64
	maxThreads               = 1024
	maxGridX, maxGridYZ      = 1<<31 - 1, 65535
)

var (
	maxBlock = [3]int64{maxThreadsX, maxThreadsX, maxThreadsZ}
	maxGrid  = [3]int64{maxGridX, maxGridYZ, maxGridYZ}
)

var axes = [3]string{"x", "y", "z"}

// dimensions binds blockDim and gridDim, and makes the symbols of threadIdx and blockIdx.
func (x *executor) dimensions(l *Launch, grid, block race.Dim3) {
	for i := range 3 {
		x.sum.Block[i] = x.dimension("blockDim", i, maxBlock[i], block[i], l, func(l *Launch) [3]*term.Poly { return l.Block })
		x.sum.Grid[i] = x.dimension("gridDim", i, maxGrid[i], grid[i], l, func(l *Launch) [3]*term.Poly { return l.Grid })
		x.sum.ThreadIdx[i] = x.index("threadIdx", i, x.sum.Block[i], maxBlock[i], term.Thread)
		x.sum.BlockIdx[i] = x.index("blockIdx", i, x.sum.Grid[i], maxGrid[i], term.Block)
	}
}

func (x *executor) dimension(name string, axis int, most int64, assumed int, l *Launch, of func(*Launch) [3]*term.Poly) *term.Poly {
	t := x.t
	if l != nil {
		dims := of(l)
		p := x.fixed(x.positiveSizes(x.positiveDimension(dims[axis])), l.When)
		if p.IsAtom() != nil && wholeDim3(dims, axis) && !ir.UsesAxis(x.f, name == "gridDim", axis) {
			x.assume(usedDimensions)
			return t.Const(1)
		}
		if weight(p) > maxWeight {
			p = t.Poly(t.Named(term.Symbol, name+"."+axes[axis], 1, most, term.Grid))
		}
		// A launch that runs has dimensions within the limits.
		x.sum.Given = append(x.sum.Given, t.Le(t.Const(1), p), t.Le(p, t.Const(most)))
		if a := p.IsAtom(); a != nil && a.Kind == term.Div { // so the divisor goes into the dividend
			if _, known := a.Args[1].IsConst(); !known {
				x.sum.Given = append(x.sum.Given, t.Le(a.Args[1], a.Args[0]))
			}
		}
		return p
	}
	if assumed > 0 {
		return t.Const(int64(assumed))
	}
	others := name == "gridDim" && (ir.UsesAxis(x.f, true, 1) || ir.UsesAxis(x.f, true, 2))
	if (axis > 0 || others) && !ir.UsesAxis(x.f, name == "gridDim", axis) {
		x.assume(usedDimensions)
		return t.Const(1)
	}
	return t.Poly(t.Named(term.Symbol, name+"."+axes[axis], 1, most, term.Grid))
}

const usedDimensions = "blocks and grids have only the dimensions that the kernel uses"

// wholeDim3 reports whether a launch passes the y or z of a dim3 on that it was given itself, that it
// has read from memory, or of which it knows nothing: that says no more of it than a kernel without a
// launch.
func wholeDim3(dims [3]*term.Poly, axis int) bool {
	if axis == 0 {
		return false
	}
	var a [3]*term.Atom
	for i, p := range dims {
		a[i] = p.IsAtom()
	}
	if a[axis] == nil {
		return false
	}
	if param, ok := a[axis].Ref.(*ir.Param); ok {
		return strings.HasSuffix(param.Name, "."+axes[axis])
	}
	return a[0] != nil && a[1] != nil && a[2] != nil && behind(a[0], a[1], 1) && behind(a[0], a[2], 2)
}

// behind reports whether a value is the one that many components behind another in memory, or if one
// statement of which nothing is known made the two.
func behind(first, a *term.Atom, components int64) bool {
	const component = 4
	if u, ok := a.Ref.(*ir.Unknown); ok {
		return first.Ref == u
	}
	if a.Kind == term.Func && strings.HasPrefix(a.Name, readOnly) && first.Name == a.Name && len(first.Args) == 1 {
		from, isConst := first.Args[0].IsConst()
		to, isConst2 := a.Args[0].IsConst()
		return isConst && isConst2 && to-from == component*components
	}
	load, ok := a.Ref.(*ir.Load)
	other, ok2 := first.Ref.(*ir.Load)
	return ok && ok2 && load.T.Size() == component && apartBy(other.Ptr, load.Ptr) == component*components
}

// apartBy is how many bytes behind one address of the host another is, 0 if that is not known.
func apartBy(p, q ir.Expr) int64 {
	root, at := fromRoot(p)
	other, end := fromRoot(q)
	// Some registers have no name to print.
	if ir.ExprString(root) != ir.ExprString(other) || !slices.Equal(ir.Registers(root), ir.Registers(other)) {
		return 0
	}
	return end - at
}

// fromRoot gives what an address starts from and how many bytes it is behind.
func fromRoot(e ir.Expr) (root ir.Expr, bytes int64) {
	for {
		add, ok := e.(*ir.PtrAdd)
		if !ok {
			return e, bytes
		}
		c, ok := add.Offset.(*ir.Const)
		if !ok {
			return e, bytes
		}
		bytes += int64(c.Bits)
		e = add.Base
	}
}

// fixed is the number that a value has where the launch stands, as in the case of a switch,
// or the value itself.
func (x *executor) fixed(p *term.Poly, when []*term.Cond) *term.Poly {
	for _, c := range when {
		if c.Op != term.EqZero {
			continue
		}
		for _, d := range []*term.Poly{x.t.Sub(p, c.P), x.t.Add(p, c.P)} {
			if _, ok := d.IsConst(); ok {
				return d
			}
		}
	}
	return p
}

// maxWeight bounds the host's expressions that the kernel is seen through. Beyond it, as in a
// size that is rounded to a power of two bit by bit, they cost each proof much and help none.
const maxWeight = 24

// weight counts the atoms of an expression, those of arguments included, up to some beyond maxWeight: what a number is made of may
// be in it many times over.
func weight(p *term.Poly) (n int) {
	weigh(p, &n)
	return n
}

func condWeight(c *term.Cond) (n int) {
	weighCond(c, &n)
	return n
}

func weigh(p *term.Poly, n *int) {
	for _, t := range p.Terms() {
		for _, a := range t.Mono.Atoms {
			if *n > maxWeight {
				return
			}
			*n++
			for _, arg := range a.Args {
				weigh(arg, n)
			}
			if a.If != nil {
				weighCond(a.If, n)
			}
		}
	}
}

func weighCond(c *term.Cond, n *int) {
	c.Walk(func(c *term.Cond) {
		if c.P != nil {
			weigh(c.P, n)
		}
	})
}

// light lists the conditions that proofs are to know: of two bounds of one sum the stronger.
func light(t *term.Table, conds []*term.Cond) []*term.Cond {
	var out []*term.Cond
	bounds := map[string]int{}
	for _, c := range conds {
		if condWeight(c) > maxWeight {
			continue
		}
		if c.Op != term.LeZero {
			out = append(out, c)
			continue
		}
		p := t.Tighten(c.P)
		key := t.Offset(p, -p.Constant()).Key()
		if i, ok := bounds[key]; ok {
			if p.Constant() > out[i].P.Constant() {
				out[i] = t.Le(p, t.Const(0))
			}
			continue
		}
		bounds[key] = len(out)
		out = append(out, t.Le(p, t.Const(0)))
	}
	return out
}

// positiveDimension takes off a dimension what only matters if it were negative: the conversion
// to unsigned, which would exceed every limit then, and the other side of a division. A number
// that may be negative keeps its conversion, which says that it is not.
func (x *executor) positiveDimension(dim *term.Poly) *term.Poly {
	var given []*term.Cond
	p := dim
	for {
		a := p.IsAtom()
		switch {
		case a != nil && a.Kind == term.Wrap && a.Hi >= 1<<32-1:
			p = a.Args[0]
			continue
		case a != nil && a.Kind == term.Select && atMostZero(a.Args[1]):
			given = append(given, a.If)
			p = a.Args[0]
			continue
		case a != nil && a.Kind == term.Select && atMostZero(a.Args[0]):
			given = append(given, x.t.Not(a.If))
			p = a.Args[1]
			continue
		}
		if lo, _ := p.Range(); lo < 0 {
			return dim
		}
		x.sum.Given = append(x.sum.Given, given...)
		return p
	}
}

func atMostZero(p *term.Poly) bool {
	_, hi := p.Range()
	return hi <= 0
}

func (x *executor) index(name string, axis int, dim *term.Poly, most int64, v term.Variance) *term.Poly {
	_, hi := dim.Range()
	hi = min(hi, most)
	if hi <= 1 {
		return x.t.Const(0)
	}
	return x.t.Poly(x.t.Named(term.Symbol, name+"."+axes[axis], 0, hi-1, v))
}

// Axioms gives what holds of the thread's coordinates: each is below its dimension, and so is the first
// thread of a block below the number of threads of the grid.
func (s *Summary) Axioms(a *term.Atom) []*term.Cond {
	if a.Kind != term.Symbol {
		return nil
	}
	t, origin := s.T, a.Origin()
	for i := range 3 {
		if s.ThreadIdx[i] != nil && s.ThreadIdx[i].IsAtom() == origin {
			return []*term.Cond{t.Lt(t.Poly(a), s.Block[i])}
		}
		if s.BlockIdx[i] != nil && s.BlockIdx[i].IsAtom() == origin {
			below := []*term.Cond{t.Lt(t.Poly(a), s.Grid[i])}
			if _, known := s.Block[i].IsConst(); !known && s.Grid[i].IsAtom() != nil {
				next := t.Offset(t.Poly(a), 1)
				below = append(below, t.Le(t.Mul(s.Block[i], next), t.Mul(s.Block[i], s.Grid[i])))
			}
			return below
		}
	}
	return nil
}

// positiveLaunch gives a launch's terms in numbers that are known to be positive: those that are
// dimensions themselves. A launch with a dimension of 0 does not run, and a negative number exceeds
// every limit.
func (x *executor) positiveLaunch(l *Launch) *Launch {
	if l == nil {
		return nil
	}
	positive := map[*term.Atom]*term.Poly{}
	var note func(p *term.Poly)
	note = func(p *term.Poly) {
		a := p.IsAtom()
		if a != nil && a.Kind == term.Wrap && a.Lo == 0 && a.Hi >= 1<<32-1 {
			a = a.Args[0].IsAtom()
		}
		switch {
		case a == nil || a.Lo >= 1 || positive[a] != nil:
		case a.Kind == term.Min: // of two, both are positive
			note(a.Args[0])
			note(a.Args[1])
			r := x.renaming(positive)
			positive[a] = x.extreme(term.Min, r.Poly(a.Args[0]), r.Poly(a.Args[1]))
		case len(a.Args) == 0:
			positive[a] = x.t.Poly(x.t.Fresh(term.Symbol, a.Name, 1, min(a.Hi, maxGridX), term.Grid, 0, a.Ref))
		}
	}
	for i := range 3 {
		note(l.Grid[i])
		note(l.Block[i])
	}
	return x.renamed(l, positive)
}

// unified gives a launch's terms in one number where the host has made sure that two are equal, so that
// quotients of the two are the same as well.
func (x *executor) unified(l *Launch) *Launch {
	if l == nil {
		return nil
	}
	same := map[*term.Atom]*term.Poly{}
	for _, c := range l.When {
		if a, b := equalAtoms(c); a != nil && same[a] == nil && same[b] == nil && a.Lo <= b.Lo && a.Hi >= b.Hi {
			same[a] = x.t.Poly(b)
		}
	}
	for a, p := range same {
		if same[p.IsAtom()] != nil {
			delete(same, a) // one step is enough
		}
	}
	return x.renamed(l, same)
}

// equalAtoms gives two numbers that a condition says are equal, and nothing else; nil for other
// conditions.
func equalAtoms(c *term.Cond) (a, b *term.Atom) {
	if c.Op != term.EqZero || len(c.P.Terms()) != 2 || c.P.Terms()[0].Coef != -c.P.Terms()[1].Coef {
		return nil, nil
	}
	for _, m := range c.P.Terms() {
		if len(m.Mono.Atoms) != 1 || len(m.Mono.Atoms[0].Args) > 0 {
			return nil, nil
		}
		a, b = b, m.Mono.Atoms[0]
	}
	return a, b
}

func (x *executor) renaming(by map[*term.Atom]*term.Poly) *term.Renaming {
	return x.t.Rename(0, func(a *term.Atom) bool { return len(a.Args) == 0 }, func(a *term.Atom) *term.Poly { return by[a] })
}

// renamed is a launch with other terms for some of its numbers.
func (x *executor) renamed(l *Launch, by map[*term.Atom]*term.Poly) *Launch {
	if len(by) == 0 {
		return l
	}
	r := x.renaming(by)
	out := &Launch{Stmt: l.Stmt, cluster: l.cluster, Sizes: l.Sizes, earlier: l.earlier}
	for i := range 3 {
		out.Grid[i], out.Block[i] = r.Poly(l.Grid[i]), r.Poly(l.Block[i])
	}
	for _, v := range l.Args {
		if v.P != nil {
			v.P = r.Poly(v.P)
		}
		if v.Truth != nil {
			v.Truth = r.Cond(v.Truth)
		}
		out.Args = append(out.Args, v)
	}
	for _, h := range l.held { // as arguments, whose memory keeps its name
		h.To.P = r.Poly(h.To.P)
		out.held = append(out.held, h)
	}
	for _, h := range l.constants {
		h.To.P = r.Poly(h.To.P)
		out.constants = append(out.constants, h)
	}
	for _, c := range l.When {
		out.When = append(out.When, r.Cond(c))
	}
	return out
}

// positiveSizes takes conversions to unsigned off the sizes that a dimension is computed from, as in
// width / block.x with a signed width: the sizes are assumed not to be negative.
func (x *executor) positiveSizes(dim *term.Poly) *term.Poly {
	return x.withoutConversions(dim, func(*term.Poly) bool { return true })
}

// positiveArgument takes a conversion to unsigned off an argument that is a signed size, and notes that it is a power of two
// if the kernel takes it for one.
func (x *executor) positiveArgument(param *ir.Param, v Value) Value {
	if v.P != nil && v.Base == nil && (x.flow.sizes[param] || x.flow.masked[param]) {
		v.P = x.withoutConversions(v.P, isSize)
		if x.flow.masked[param] && isSize(v.P) && !isPower(v.P) && x.mayBePower(v.P.IsAtom()) {
			x.assume(powersOfTwo)
			v.P.IsAtom().Power = true
			x.sum.Given = append(x.sum.Given, x.t.Le(x.t.Const(1), v.P))
		}
	}
	return v
}

// mayBePower reports whether a launch leaves it to its caller that a size is a power of two: no loop of the host has made it, and some
// power is a size for which the host makes the launch.
func (x *executor) mayBePower(size *term.Atom) bool {
	for power := int64(1); power <= min(size.Hi, maxGridX) && !size.Carried; power *= 2 {
		if !slices.ContainsFunc(x.sum.Launch.When, func(c *term.Cond) bool { return x.t.SubstituteCond(c, size, x.t.Const(power)).Op == term.False }) {
			return true
		}
	}
	return false
}

// isSize reports whether a number may be a size by itself: one that the launch fixes.
func isSize(p *term.Poly) bool {
	a := p.IsAtom()
	return a != nil && len(a.Args) == 0 && a.Variance == term.Grid && a.Loops == 0
}

func (x *executor) withoutConversions(p *term.Poly, of func(*term.Poly) bool) *term.Poly {
	var r *term.Renaming
	plain := func(a *term.Atom) *term.Poly {
		if a.Kind != term.Wrap || a.Lo != 0 || a.Hi < 1<<32-1 || !of(a.Args[0]) {
			return nil
		}
		size := r.Poly(a.Args[0])
		if lo, hi := size.Range(); lo < 0 && !x.hashes(size, ir.I64) {
			x.assume(positiveSizes)
			if hi > a.Hi {
				x.assume(NoOverflow)
			}
			x.sum.Given = append(x.sum.Given, x.t.Le(x.t.Const(0), size))
			return size
		}
		return nil
	}
	r = x.t.Rename(0, func(a *term.Atom) bool { return len(a.Args) == 0 }, plain)
	return r.Poly(p)
}

func (x *executor) builtin(b *ir.Builtin) *term.Poly {
	t := x.t
	if x.host {
		return t.Poly(t.Named(term.Opaque, "device variable", 0, maxGridX, term.Grid))
	}
	switch b.Var {
	case ir.ThreadIdx:
		return x.sum.ThreadIdx[b.Axis]
	case ir.BlockIdx:
		return x.sum.BlockIdx[b.Axis]
	case ir.BlockDim:
		return x.sum.Block[b.Axis]
	case ir.GridDim:
		return x.sum.Grid[b.Axis]
	case ir.LaneID:
		return x.sum.Lane()
	case ir.WarpID:
		return x.t.Quotient(x.sum.LinearThread(), t.Const(32))
	case ir.DynamicSharedSize:
		return t.Poly(t.Named(term.Symbol, "dynamic shared size", 0, 1<<20, term.Grid))
	}
	if x.sum.Cluster[0] > 0 {
		block, cluster := x.sum.InCluster()
		switch b.Var {
		case ir.BlockInClust:
			return block[b.Axis]
		case ir.ClusterIdx:
			return cluster[b.Axis]
		case ir.ClusterSize:
			return t.Const(int64(x.sum.Cluster[b.Axis]))
		case ir.ClusterDim:
			return x.t.Quotient(x.sum.Grid[b.Axis], t.Const(int64(x.sum.Cluster[b.Axis])))
		}
	}
	name := fmt.Sprintf("cluster variable %d.%d", b.Var, b.Axis)
	return t.Poly(t.Named(term.Symbol, name, 0, maxGridX, builtinVariance(b.Var)))
}

// param is the value that a parameter has at the launch, or a symbol.
func (x *executor) param(p *ir.Param) Value {
	if v, ok := x.params[p]; ok {
		return v
	}
	var v Value
	if p.Type == ir.Ptr {
		v = Value{P: x.t.Const(0), Base: &Base{Name: p.Name, Space: ir.Global, Param: p}}
	} else {
		lo, hi := typeRange(p.Type)
		if x.flow.masked[p] {
			x.assume(powersOfTwo)
			lo = 1
		}
		a := x.t.Named(term.Symbol, "parameter "+p.Name, lo, hi, term.Grid)
		a.Ref, a.Power = p, x.flow.masked[p]
		v = x.ofType(a, p.Type)
	}
	x.params[p] = v
	return v
}

func (x *executor) objectBase(o *ir.Object) *Base {
	if b, ok := x.objects[o]; ok {
		return b
	}
	b := &Base{Name: o.Name, Space: o.Space, Object: o}
	for _, arg := range x.sum.Launch.objects() {
		if Variable(x.f, arg.Object) == o {
			b = arg // the host passed the variable's address as well, or put it somewhere
		}
	}
	if o.Space == ir.Shared && o.Size == 0 {
		// All `extern __shared__` arrays of a kernel are the same memory.
		for other, old := range x.objects {
			if other.Space == ir.Shared && other.Size == 0 {
				b = old
			}
		}
	}
	x.objects[o] = b
	return b
}

// Variable returns what a kernel calls the device variable that a host function names, nil if
// the kernel does not name it: each function has Objects of its own.
func Variable(kernel *ir.Func, of *ir.Object) *ir.Object {
	for _, o := range kernel.Objects {
		if of != nil && isVariable(o, of) {
			return o
		}
	}
	return nil
}

// isVariable reports whether two functions' objects are one variable.
func isVariable(o, of *ir.Object) bool {
	return o.Name == of.Name && o.Space == of.Space && o.Size == of.Size
}

// objects lists the device variables that a launch leads to: by its arguments, and by pointers that the host has put somewhere.
func (l *Launch) objects() []*Base {
	if l == nil {
		return nil
	}
	passed := slices.Clone(l.Args)
	for _, h := range l.held {
		passed = append(passed, h.To)
	}
	var out []*Base
	for _, a := range passed {
		if a.Base == nil {
			continue
		}
		for _, v := range append([]Alternative{{To: a}}, a.Base.Either...) {
			if v.To.Base.Object != nil {
				out = append(out, v.To.Base)
			}
		}
	}
	return out
}

// passed lists the memory that the arguments of a launch point to, parameter by parameter.
func (l *Launch) passed(f *ir.Func) map[*ir.Param][]*Base {
	out := map[*ir.Param][]*Base{}
	for i, p := range f.Params {
		if l == nil || i >= len(l.Args) || l.Args[i].Base == nil {
			continue
		}
		out[p] = l.Args[i].Base.all()
	}
	return out
}

func (x *executor) pointerBase(p *term.Poly) *Base {
	if b, ok := x.memory[p.Key()]; ok {
		return b
	}
	b := &Base{Name: "*" + p.String(), Space: ir.Global, Pointer: p}
	x.memory[p.Key()] = b
	return b
}

// remote is the place of an address in the shared memory of another block of the cluster.
func (x *executor) remote(v Value, rank *term.Poly) Value {
	if v.Base == nil || v.Base.Space != ir.Shared || v.Base.Object == nil || v.Base.Remote != nil || x.sum.Cluster[0] == 0 {
		x.unknown("shared memory of another block, in a cluster of unknown size", -1)
		return x.opaque("pointer", term.Thread, ir.Ptr, nil)
	}
	key := fmt.Sprintf("shared %p of block %s", v.Base, rank.Key())
	if x.memory[key] == nil {
		x.memory[key] = &Base{Name: v.Base.Name, Space: ir.Shared, Object: v.Base.Object, Remote: rank}
	}
	return Value{P: v.P, Base: x.memory[key]}
}

func (x *executor) nullBase() *Base {
	if x.null == nil {
		x.null = &Base{Name: nullName, Space: ir.Constant}
	}
	return x.null
}

// baseName tells bases apart in the names of atoms.
func (x *executor) baseName(b *Base) string {
	x.t.Hold(b)
	return fmt.Sprintf("%s %p", b.Name, b)
}

// Key is a text that two launches of one table share if they have the same dimensions and
// arguments.
func (l *Launch) Key() string {
	var b strings.Builder
	fmt.Fprint(&b, l.cluster)
	for i := range 3 {
		fmt.Fprintf(&b, "%s %s ", l.Grid[i].Key(), l.Block[i].Key())
	}
	for _, a := range l.Args {
		if a.P != nil {
			b.WriteString(a.P.Key())
		}
		if a.Truth != nil {
			b.WriteString(a.Truth.Key())
		}
		fmt.Fprintf(&b, " %p ", a.Base)
	}
	for _, h := range slices.Concat(l.held, l.constants) {
		fmt.Fprintf(&b, "%p %s %p %s ", h.In.Base, h.In.P.Key(), h.To.Base, h.To.P.Key())
	}
	b.WriteString(l.earlier.String())
	return b.String()
}

// Refused reports whether the dimensions are such that no device launches the kernel: an error that runs
// nothing, and so says nothing of the kernel.
func (l *Launch) Refused() bool {
	threads := int64(1)
	for i := range 3 {
		block, known := l.Block[i].IsConst()
		if known && (block < 1 || block > maxBlock[i]) {
			return true
		}
		if known {
			threads *= block
		}
		if grid, known := l.Grid[i].IsConst(); known && (grid < 1 || grid > maxGrid[i]) {
			return true
		}
	}
	return threads > maxThreads
}

// Breaks reports whether a launch breaks what is assumed where none is known: that pointers do not overlap, and that there
// are only the dimensions that the kernel uses.
func (l *Launch) Breaks(f *ir.Func) bool {
	for axis := 1; axis < 3; axis++ {
		grid, known := l.Grid[axis].IsConst()
		block, known2 := l.Block[axis].IsConst()
		if known && grid > 1 && !ir.UsesAxis(f, true, axis) || known2 && block > 1 && !ir.UsesAxis(f, false, axis) {
			return true
		}
	}
	for i, v := range l.Args {
		for _, w := range l.Args[:i] {
			if w.Base != nil && slices.ContainsFunc(w.Base.all(), v.leadsTo) {
				return true
			}
		}
	}
	return len(l.held) > 0
}

// Weaken keeps only the conditions that hold at another launch as well.
func (l *Launch) Weaken(other *Launch) {
	l.When = slices.DeleteFunc(l.When, func(c *term.Cond) bool { return !term.Implies(other.When, c) })
}

// keepRelevant drops the conditions that say nothing, directly or through others, of a launch's
// dimensions and arguments.
func (x *executor) keepRelevant(l *Launch) {
	near := map[*term.Atom]bool{}
	l.numbers(func(p *term.Poly) { p.Leaves(func(a *term.Atom) { near[a] = true }) })
	l.terms(func(p *term.Poly) {
		if a := p.IsAtom(); a != nil && isAllocatedInRound(a) {
			p.AllLeaves(func(a *term.Atom) { near[a] = true })
		}
	})
	l.When = x.connected(l.When, near)
	x.dropLoose(l)
}

// dropLoose drops the bounds by a number that nothing else speaks of and that may itself be as large, or as
// small, as its type: such as that a loop of the host has counted up to n.
func (x *executor) dropLoose(l *Launch) {
	uses := map[*term.Atom]int{}
	l.numbers(func(p *term.Poly) { p.AllLeaves(func(a *term.Atom) { uses[a]++ }) })
	count := func(c *term.Cond, by int) {
		c.Walk(func(c *term.Cond) { c.P.AllLeaves(func(a *term.Atom) { uses[a] += by }) })
	}
	for _, c := range l.When {
		count(c, 1)
	}
	for {
		loose := func(c *term.Cond) bool {
			return c.Op == term.LeZero && slices.ContainsFunc(c.P.Terms(), func(x term.Term) bool { return isLoose(x, uses) })
		}
		var dropped []*term.Cond
		l.When = slices.DeleteFunc(l.When, func(c *term.Cond) bool {
			if !loose(c) {
				return false
			}
			dropped = append(dropped, c)
			return true
		})
		if len(dropped) == 0 {
			return
		}
		for _, c := range dropped {
			count(c, -1)
		}
	}
}

// isLoose reports whether a term makes a sum as small as anything: it is of a number that is used once.
func isLoose(x term.Term, uses map[*term.Atom]int) bool {
	if len(x.Mono.Atoms) != 1 {
		return false
	}
	const most, least = 1<<31 - 1, -1 << 31
	a := x.Mono.Atoms[0]
	return uses[a] == 1 && len(a.Args) == 0 && (x.Coef < 0 && a.Hi >= most || x.Coef > 0 && a.Lo <= least)
}
