package access

import (
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/phase"
	"github.com/warplint/warplint/analysis/term"
)

// This file finds, before any value is known and regardless of the order of statements, what
// each register may point to, which memory is written, and which registers may differ
// between threads.

// flow is what the prepass knows of a function.
type flow struct {
	roots    []rootSet // by register
	written  map[any]bool
	outside  map[ir.Type]bool      // what is written where pointers from memory lead; Void for bytes
	repoints map[any]bool          // where the function may put pointers
	blurred  map[any]bool          // where it may put them otherwise than as pointers
	leaked   bool                  // it may put pointers to memory of its own where the caller's are
	complete bool                  // what it puts where is known
	hidden   bool                  // it puts addresses into memory, where loads of numbers may find them
	contents map[any]rootSet       // the pointers that the function stores in memory, by the memory's root
	bound    map[*ir.Param][]*Base // what the launch passes for pointers
	variance Variances
	loops    map[*ir.Loop]term.Variance // of the number of iterations
	assigned map[*ir.Loop][]*ir.Reg
	data     map[*ir.Reg]bool         // whether a register may hold what was read from memory
	drawn    map[*ir.Reg][]*ir.Atomic // answers of draws
	sizes    map[*ir.Param]bool       // parameters that coordinates are multiplied by or compared with
	masked   map[*ir.Param]bool       // parameters that are meant to be powers of two
	host     bool
	changed  bool

	graph  *phase.Graph
	phases *phase.Phases     // cut at the block's barriers; made when first asked
	inGrid *phase.Phases     // cut at the barriers of the grid
	stores map[any][]ir.Stmt // writes by root
	whole  map[*ir.Load]bool // loads whose value is one for the whole block, as far as asked
	// settledLoads are those behind all writes, as far as asked.
	settledLoads map[*ir.Load]bool
	body         *ir.Func
}

// Variances says how registers vary between threads, by their numbers.
type Variances []term.Variance

// Of is how a register varies.
func (v Variances) Of(r *ir.Reg) term.Variance { return v[r.ID] }

// rootSet is a set of *ir.Object, *ir.Param, *ir.Alloc, *ir.Named for memory of the heap, *Base for what a launch passes, and unknownRoot, outsideRoot and dynamicRoot. Most have
// one. It is never changed in place.
type rootSet []any

func (set rootSet) has(root any) bool { return slices.Contains(set, root) }

type unknownRootType struct{}

var unknownRoot = unknownRootType{}

// anything is what a pointer may point to of which nothing is known.
var anything = rootSet{unknownRoot}

// outsideRoot is the memory that pointers lead to which the caller has put into memory: it is neither private nor
// shared memory of the kernel's.
type outsideRootType struct{}

var outsideRoot = outsideRootType{}

// isOwn reports whether a root is private or shared memory of the kernel's.
func isOwn(root any) bool {
	o, ok := root.(*ir.Object)
	return ok && (o.Space == ir.Local || o.Space == ir.Shared)
}

type dynamicRootType struct{}

var dynamicRoot = dynamicRootType{}

// pointersOf finds what the registers of a function may point to, and which memory it writes. Parameters for which the launch
// passes the same memory have one root.
func pointersOf(f *ir.Func, host bool, bound map[*ir.Param][]*Base) *flow {
	fl := &flow{outside: map[ir.Type]bool{}, drawn: map[*ir.Reg][]*ir.Atomic{}, roots: make([]rootSet, numbered(f)), written: map[any]bool{}, repoints: map[any]bool{}, blurred: map[any]bool{}, contents: map[any]rootSet{}, bound: bound, variance: make(Variances, numbered(f)),
		loops: map[*ir.Loop]term.Variance{}, assigned: map[*ir.Loop][]*ir.Reg{}, host: host, whole: map[*ir.Load]bool{}, settledLoads: map[*ir.Load]bool{}, body: f}
	all := statements(f.Body)
	for _, fl.complete = range [...]bool{false, true} {
		for fl.changed = true; fl.changed; {
			fl.changed = false
			fl.pointers(all)
		}
	}
	return fl
}

// prepare finds that and all else.
func prepare(f *ir.Func, host bool, bound map[*ir.Param][]*Base) *flow {
	fl := pointersOf(f, host, bound)
	if !host {
		fl.findData()
		fl.sizes, fl.masked = sizes(f.Body), masked(f.Body)
		for fl.changed = true; fl.changed; {
			fl.changed = false
			fl.vary(f.Body, term.Grid, map[*ir.Label]*term.Variance{})
		}
	}
	fl.assignments(f.Body)
	return fl
}

// numbered is one more than the greatest number of a register.
func numbered(f *ir.Func) int {
	n := 0
	for _, r := range f.Regs {
		n = max(n, r.ID+1)
	}
	return n
}

// statements lists statements and those nested in them, in the order of the text.
func statements(list []ir.Stmt) []ir.Stmt {
	var all []ir.Stmt
	ir.WalkStmts(list, func(s ir.Stmt) bool {
		all = append(all, s)
		return true
	})
	return all
}

// pointers collects the roots of registers and the written roots.
func (fl *flow) pointers(all []ir.Stmt) {
	for _, s := range all {
		switch s := s.(type) {
		case *ir.Assign:
			fl.addRoots(s.Dst, fl.rootsOf(s.X))
		case *ir.Load:
			if s.T == ir.Ptr {
				fl.addRoots(s.Dst, fl.loadedFrom(s))
			}
		case *ir.Alloc:
			fl.addRoots(s.Dst, rootSet{s})
		case *ir.Store:
			fl.write(s.Ptr, s.T)
			fl.keep(s.Ptr, s.X)
			fl.hidden = fl.hidden || len(fl.rootsOf(s.X)) > 0
			if n := s.T.Size(); n == 1 || n == 8 {
				fl.repoint(s.Ptr, s.T == ir.Ptr)
			}
		case *ir.Atomic:
			fl.write(s.Ptr, s.T)
			fl.hidden = fl.hidden || len(fl.rootsOf(s.X)) > 0
			if s.T.Size() == 8 {
				fl.repoint(s.Ptr, false)
			}
		case *ir.WarpOp:
			if exchanges(s) && s.Dst != nil && len(s.Args) > 0 {
				fl.addRoots(s.Dst, fl.rootsOf(s.Args[0]))
			}
		case *ir.Unknown:
			for _, r := range s.Dst {
				if r.Type == ir.Ptr {
					fl.addRoots(r, rootSet{unknownRoot})
				}
			}
			if s.Memory {
				fl.mark(unknownRoot)
				fl.repoints[unknownRoot] = true
			}
		case *ir.Named:
			if s.Op == "heap.new" {
				fl.addRoots(s.Dst, rootSet{s})
			}
			for _, a := range written(s) {
				fl.write(a, ir.Void)
				fl.repoint(a, false)
			}
		}
	}
}

func (fl *flow) addRoots(r *ir.Reg, set rootSet) {
	if len(set) == 0 {
		return
	}
	if all := united(fl.roots[r.ID], set); len(all) > len(fl.roots[r.ID]) {
		fl.roots[r.ID] = all
		fl.changed = true
	}
}

// findData finds the registers that hold, or are computed from, what was read from memory, or that are set
// where that decides what runs, and used elsewhere. Private and shared arrays hold what the kernel puts there.
// What lanes have voted is no data, as little as what atomics have counted.
func (fl *flow) findData() {
	fl.data = map[*ir.Reg]bool{}
	for _, r := range fl.body.Regs {
		fl.data[r] = false
	}
	put := map[any]bool{} // arrays that data is put into
	private := func(ptr ir.Expr) bool {
		for _, at := range fl.rootsOf(ptr) {
			o, ok := at.(*ir.Object)
			if !ok || put[sharedRoot(o)] || o.Space != ir.Local && (o.Space != ir.Shared || fl.written[unknownRoot]) {
				return false
			}
		}
		return len(fl.rootsOf(ptr)) > 0
	}
	of := func(e ir.Expr) bool {
		return slices.ContainsFunc(ir.Registers(e), func(r *ir.Reg) bool { return fl.data[r] })
	}
	ended := map[*ir.Label]bool{} // loops that data may end
	all := occurrences(fl.body.Body)
	inside := map[*ir.If]map[*ir.Reg]int{}
	for again := true; again; {
		again = false
		define := func(s ir.Stmt) {
			for _, r := range ir.Defs(s) {
				if !fl.data[r] {
					fl.data[r], again = true, true
				}
			}
		}
		decideEnd := func(s ir.Stmt) bool { // data decides whether it runs
			if b, ok := s.(*ir.Break); ok && !ended[b.Target] {
				ended[b.Target], again = true, true
			}
			return true
		}
		decide := func(s ir.Stmt) bool {
			define(s)
			return decideEnd(s)
		}
		ir.WalkStmts(fl.body.Body, func(s ir.Stmt) bool {
			data := true
			switch s := s.(type) {
			case *ir.Assign:
				data = of(s.X)
			case *ir.Load:
				data = of(s.Ptr) || !private(s.Ptr)
			case *ir.Atomic:
				data = false
			case *ir.WarpOp:
				data = exchanges(s) && len(s.Args) > 0 && of(s.Args[0])
			case *ir.If:
				if of(s.Cond) {
					if inside[s] == nil {
						inside[s] = occurrences([]ir.Stmt{s})
					}
					ir.WalkStmts([]ir.Stmt{s}, func(in ir.Stmt) bool {
						for _, r := range ir.Defs(in) {
							if inside[s][r] < all[r] {
								return decide(in)
							}
						}
						return decideEnd(in)
					})
				}
			case *ir.Loop:
				if of(s.Cond) || ended[s.Label] {
					ir.WalkStmts([]ir.Stmt{s}, decide)
				}
			case *ir.Store:
				if !of(s.X) {
					return true
				}
				for _, at := range fl.rootsOf(s.Ptr) {
					again = again || !put[sharedRoot(at)]
					put[sharedRoot(at)] = true
				}
			case *ir.Named:
				for _, ptr := range written(s) {
					for _, at := range fl.rootsOf(ptr) {
						again = again || !put[sharedRoot(at)]
						put[sharedRoot(at)] = true
					}
				}
			}
			if data {
				define(s)
			}
			return true
		})
	}
}

// occurrences counts how often statements set or read each register.
func occurrences(list []ir.Stmt) map[*ir.Reg]int {
	n := map[*ir.Reg]int{}
	ir.WalkStmts(list, func(s ir.Stmt) bool {
		for _, r := range ir.Defs(s) {
			n[r]++
		}
		for _, e := range ir.Operands(s) {
			for _, r := range ir.Registers(e) {
				n[r]++
			}
		}
		return true
	})
	return n
}

// exchanges reports whether lanes give each other their values, rather than vote.
func exchanges(s *ir.WarpOp) bool {
	return strings.HasPrefix(s.Op, "shfl") || strings.HasPrefix(s.Op, "reduce_")
}

// draws lists the atomics whose results a register may be made of.
func (fl *flow) draws(r *ir.Reg) []*ir.Atomic {
	out, known := fl.drawn[r]
	if known {
		return out
	}
	made, work := map[*ir.Reg]bool{r: true}, true
	for work {
		work = false
		ir.WalkStmts(fl.body.Body, func(s ir.Stmt) bool {
			if !slices.ContainsFunc(ir.Defs(s), func(d *ir.Reg) bool { return made[d] }) {
				return true
			}
			switch s := s.(type) {
			case *ir.Atomic:
				if !slices.Contains(out, s) {
					out = append(out, s)
				}
			case *ir.Assign, *ir.WarpOp:
				for _, e := range ir.Operands(s) {
					for _, from := range ir.Registers(e) {
						work = work || !made[from]
						made[from] = true
					}
				}
			}
			return true
		})
	}
	fl.drawn[r] = out
	return out
}

// keep notes which pointers a store puts where.
func (fl *flow) keep(ptr, value ir.Expr) {
	if value.Type() != ir.Ptr || fl.host {
		return // the host has arrays of allocations
	}
	for _, at := range fl.rootsOf(ptr) {
		at = sharedRoot(at)
		if all := united(fl.contents[at], fl.rootsOf(value)); len(all) > len(fl.contents[at]) {
			fl.contents[at] = all
			fl.leaked = fl.leaked || at != dynamicRoot && !isOwn(at) && slices.ContainsFunc(all, func(r any) bool { return r == unknownRoot || isOwn(r) })
			fl.changed = true
		}
	}
}

// loadedFrom lists what a pointer that is read from memory may point to: what the function has put
// there, and where somebody else may have written, what the caller has. A link may lead to where it lies itself.
func (fl *flow) loadedFrom(s *ir.Load) rootSet {
	var set rootSet
	roots := fl.rootsOf(s.Ptr)
	if s.Link && !fl.host {
		set = roots
	}
	for _, at := range roots {
		at = sharedRoot(at)
		kept := fl.contents[at]
		set = united(set, kept)
		switch {
		case at == unknownRoot || fl.host:
			set = united(set, anything)
		case at == dynamicRoot || isOwn(at):
			if fl.blurred[at] || fl.complete && len(kept) == 0 {
				set = united(set, anything)
			}
		case fl.leaked:
			set = united(set, anything)
		default:
			set = united(set, rootSet{outsideRoot})
		}
	}
	set = united(set, fl.contents[unknownRoot])
	if len(roots) == 0 {
		set = united(set, anything)
	}
	return set
}

func (fl *flow) write(ptr ir.Expr, t ir.Type) {
	for _, r := range fl.rootsOf(ptr) {
		fl.mark(r)
		if t = asUnsigned(t); r == outsideRoot && !fl.outside[t] {
			fl.outside[t], fl.changed = true, true
		}
	}
}

// asUnsigned is the type by which C++ allows to write numbers of a type as well: Void where it allows any, as by bytes.
func asUnsigned(t ir.Type) ir.Type {
	switch t {
	case ir.I8, ir.U8, ir.Bool:
		return ir.Void
	case ir.I16:
		return ir.U16
	case ir.I32:
		return ir.U32
	case ir.I64:
		return ir.U64
	}
	return t
}

// reached reports whether a write where a pointer from memory leads may be to a number of the type elsewhere: not if
// it is of another one, by the assumption that pointers do not overlap. Lists and trees lead to more of their kind.
func (fl *flow) reached(t ir.Type) bool {
	return fl.outside[ir.Void] || fl.outside[asUnsigned(t)] || asUnsigned(t) == ir.Void
}

// repoint notes a write that is one of a pointer, or that may be, as one of bytes. Where a pointer from memory leads
// there are pointers only if some are put there, by the assumption that pointers do not overlap.
func (fl *flow) repoint(ptr ir.Expr, sure bool) {
	for _, r := range fl.rootsOf(ptr) {
		fl.repoints[r] = fl.repoints[r] || sure || r != unknownRoot && r != outsideRoot
		if at := sharedRoot(r); !sure && !fl.blurred[at] {
			fl.blurred[at] = true
			fl.changed = true
		}
	}
}

func (fl *flow) mark(root any) {
	if !fl.written[root] {
		fl.written[root] = true
		fl.changed = true
	}
}

func (fl *flow) rootsOf(e ir.Expr) rootSet {
	switch e := e.(type) {
	case *ir.ObjAddr:
		return rootSet{e.Obj}
	case *ir.ParamRef:
		if e.P.Type != ir.Ptr {
			return nil
		}
		if len(fl.bound[e.P]) == 0 {
			return rootSet{e.P}
		}
		var set rootSet
		for _, b := range fl.bound[e.P] {
			set = united(set, rootSet{rootOf(fl.body, b)})
		}
		return set
	case *ir.RegRef:
		return fl.roots[e.R.ID]
	case *ir.PtrAdd:
		return fl.rootsOf(e.Base)
	case *ir.Call:
		switch {
		case e.Name == "__cvta_generic_to_shared" || e.Name == "__cvta_shared_to_generic":
			return fl.rootsOf(e.Args[0])
		case e.T == ir.Ptr:
			return rootSet{unknownRoot} // such as the shared memory of another block
		}
	case *ir.Convert:
		if e.T == ir.Ptr {
			if r := fl.rootsOf(e.X); len(r) > 0 {
				return r
			}
			return rootSet{unknownRoot}
		}
		return fl.rootsOf(e.X)
	case *ir.Binary:
		return united(fl.rootsOf(e.X), fl.rootsOf(e.Y))
	case *ir.Select:
		return united(fl.rootsOf(e.X), fl.rootsOf(e.Y))
	}
	return nil
}

// united is the union of two sets, of which one is most often empty.
func united(a, b rootSet) rootSet {
	if len(a) == 0 {
		return b
	}
	for _, r := range b {
		if !a.has(r) {
			a = append(a[:len(a):len(a)], r)
		}
	}
	return a
}

// rootOf is the root of memory that a launch passes: a device variable is what the kernel calls so, too.
func rootOf(f *ir.Func, b *Base) any {
	if o := Variable(f, b.Object); o != nil {
		return o
	}
	return b
}

// writable reports whether the kernel may write what is read.
func (fl *flow) writable(s *ir.Load) bool {
	roots := fl.rootsOf(s.Ptr)
	if len(roots) == 0 || fl.written[unknownRoot] {
		return true
	}
	for _, r := range roots {
		if r == unknownRoot || r == outsideRoot || fl.written[r] || fl.written[outsideRoot] && !isOwn(r) && fl.reached(s.T) {
			return true
		}
	}
	return false
}

// keepsPointers reports whether what a pointer points to holds the pointers that the caller has put there. A store of
// another type leaves them as they are (C++ gives no meaning to others), but for bytes.
func (fl *flow) keepsPointers(ptr ir.Expr) bool {
	roots := fl.rootsOf(ptr)
	if len(roots) == 0 || fl.repoints[unknownRoot] || fl.repoints[outsideRoot] {
		return false
	}
	for _, r := range roots {
		if o, ok := r.(*ir.Object); ok && (o.Space == ir.Local || o.Space == ir.Shared) || fl.repoints[r] {
			return false
		}
	}
	return true
}

// vary propagates variance: a register varies as what it is assigned from and as the
// conditions under which it is assigned. A thread that returns is out of the comparison, so
// `if (i >= n) return;` makes nothing vary.
func (fl *flow) vary(stmts []ir.Stmt, ctl term.Variance, leave map[*ir.Label]*term.Variance) {
	for _, s := range stmts {
		switch s := s.(type) {
		case *ir.Assign:
			fl.raise(s.Dst, max(ctl, fl.varianceOf(s.X)))
		case *ir.Load:
			v := max(ctl, fl.varianceOf(s.Ptr))
			if fl.writable(s) && !(s.T == ir.Ptr && fl.keepsPointers(s.Ptr)) {
				v = max(v, fl.varianceOfLoad(s))
			}
			fl.raise(s.Dst, v)
		case *ir.Barrier:
			if s.Level == ir.WarpLevel {
				fl.raise(s.Dst, term.Thread)
			} else {
				fl.raise(s.Dst, max(ctl, term.Block))
			}
		case *ir.If:
			v := max(ctl, fl.varianceOf(s.Cond))
			fl.vary(s.Then, v, leave)
			fl.vary(s.Else, v, leave)
		case *ir.Loop:
			way := max(ctl, fl.loops[s])
			leave[s.Label] = &way
			fl.vary(s.Head, way, leave)
			way = max(way, fl.varianceOf(s.Cond))
			fl.vary(s.Body, way, leave)
			fl.vary(s.Post, way, leave)
			if way > fl.loops[s] {
				fl.loops[s] = way
				fl.changed = true
			}
			fl.raiseAll(way, s.Head, s.Body, s.Post)
		case *ir.Block:
			way := ctl
			leave[s.Label] = &way
			fl.vary(s.Body, ctl, leave)
			fl.raiseAll(way, s.Body)
		case *ir.Break:
			fl.leaveBy(leave[s.Target], ctl)
		case *ir.Continue:
			fl.leaveBy(leave[s.Target], ctl)
		default:
			for _, r := range ir.Defs(s) {
				fl.raise(r, term.Thread)
			}
		}
	}
}

// within is how registers vary in a loop between threads that have entered it together, each register
// as it varies before the loop.
func (fl *flow) within(l *ir.Loop, before func(*ir.Reg) term.Variance) Variances {
	in := *fl
	in.variance, in.loops = make(Variances, len(fl.variance)), map[*ir.Loop]term.Variance{}
	for _, r := range fl.body.Regs {
		in.variance[r.ID] = before(r)
	}
	for in.changed = true; in.changed; {
		in.changed = false
		in.vary([]ir.Stmt{l}, term.Grid, map[*ir.Label]*term.Variance{})
	}
	return in.variance
}

// varianceOfLoad is how the value read from writable memory varies, for one address: not within
// a block, if the memory is shared and every write to it is a barrier away, and not at all, if it is
// global and every write is a barrier of the grid away.
func (fl *flow) varianceOfLoad(s *ir.Load) term.Variance {
	if s.Volatile || s.Order != ir.Weak {
		return term.Thread
	}
	whole, known := fl.whole[s]
	if !known {
		whole = fl.apartFromWrites(s)
		fl.whole[s] = whole
	}
	switch {
	case !whole:
		return term.Thread
	case fl.shared(s):
		return term.Block
	}
	return term.Grid
}

// shared reports whether a load may read shared memory.
func (fl *flow) shared(s *ir.Load) bool {
	for _, r := range fl.rootsOf(s.Ptr) {
		if o, ok := r.(*ir.Object); ok && o.Space == ir.Shared {
			return true
		}
	}
	return false
}

// findStores lists the statements that write memory, by its root.
func (fl *flow) findStores() {
	if fl.stores != nil {
		return
	}
	fl.stores = map[any][]ir.Stmt{}
	ir.WalkStmts(fl.body.Body, func(s ir.Stmt) bool {
		var ptrs []ir.Expr
		switch s := s.(type) {
		case *ir.Store:
			ptrs = []ir.Expr{s.Ptr}
		case *ir.Atomic:
			ptrs = []ir.Expr{s.Ptr}
		case *ir.Named:
			ptrs = written(s)
		}
		for _, ptr := range ptrs {
			for _, r := range fl.rootsOf(ptr) {
				fl.stores[sharedRoot(r)] = append(fl.stores[sharedRoot(r)], s)
			}
		}
		return true
	})
}

// holdsNumber reports whether the kernel may have put a number where it reads a pointer, as by another member of a union. Elements
// of an array are told apart by what they are parts of.
func (fl *flow) holdsNumber(s *ir.Load) bool {
	fl.findStores()
	at := constantPart(s.Ptr)
	return slices.ContainsFunc(fl.rootsOf(s.Ptr), func(r any) bool {
		return slices.ContainsFunc(fl.stores[sharedRoot(r)], func(w ir.Stmt) bool {
			store, ok := w.(*ir.Store)
			if !ok || !store.T.IsInt() || store.T.Size() != s.T.Size() {
				return false
			}
			_, fixed := ir.IntConst(store.X)
			return !fixed && constantPart(store.Ptr) == at
		})
	})
}

// followsStored reports whether the function reads pointers where it may have put any.
func (fl *flow) followsStored() bool {
	for s := range ir.All[*ir.Load](fl.body.Body) {
		if s.T == ir.Ptr && fl.writable(s) {
			return true
		}
	}
	return false
}

// constantPart is the sum of the constant offsets of an address.
func constantPart(e ir.Expr) int64 {
	add, ok := e.(*ir.PtrAdd)
	if !ok {
		return 0
	}
	at, _ := ir.IntConst(add.Offset)
	return constantPart(add.Base) + at
}

// storesTo counts the statements that may write a private array; it is -1 if others may.
func (fl *flow) storesTo(o *ir.Object) int {
	fl.findStores()
	if fl.written[unknownRoot] {
		return -1
	}
	return len(fl.stores[o])
}

func (fl *flow) apartFromWrites(s *ir.Load) bool {
	if !fl.shared(s) {
		return fl.apartInGrid(s)
	}
	writes, ok := fl.writesTo(s)
	return ok && !slices.ContainsFunc(writes, func(w ir.Stmt) bool {
		return ir.Copies(w) || len(fl.phases.Meet(fl.graph.At(s), fl.graph.At(w))) > 0
	})
}

// apartInGrid reports whether every write to the global memory that a load reads is a barrier of the grid
// away.
func (fl *flow) apartInGrid(s *ir.Load) bool {
	if fl.host || fl.written[unknownRoot] || fl.written[outsideRoot] || len(fl.rootsOf(s.Ptr)) == 0 || !fl.hasGridBarrier() {
		return false
	}
	fl.findStores()
	fl.findPhases()
	for _, r := range fl.rootsOf(s.Ptr) {
		if o, ok := r.(*ir.Object); r == unknownRoot || r == outsideRoot || ok && o.Space != ir.Global {
			return false
		}
		if slices.ContainsFunc(fl.stores[r], func(w ir.Stmt) bool {
			return ir.Copies(w) || len(fl.inGrid.Meet(fl.graph.At(s), fl.graph.At(w))) > 0
		}) {
			return false
		}
	}
	return true
}

// hasGridBarrier reports whether the kernel syncs its grid.
func (fl *flow) hasGridBarrier() bool {
	found := false
	ir.WalkStmts(fl.body.Body, func(s ir.Stmt) bool {
		found = found || isGridBarrier(s)
		return !found
	})
	return found
}

func isGridBarrier(s ir.Stmt) bool {
	b, ok := s.(*ir.Barrier)
	return ok && b.Level == ir.GridLevel && b.Mode == ir.BarrierSync
}

// settled reports whether a load of shared memory comes, a barrier apart, behind all writes of what it
// reads: then any two such loads of one address see the same, in a block.
func (fl *flow) settled(s *ir.Load) bool {
	if fl.host || s.Volatile || s.Order != ir.Weak || !s.T.IsInt() || s.T == ir.Bool {
		return false
	}
	whole, known := fl.settledLoads[s]
	if !known {
		near, behind := fl.nearWrites(s)
		whole = behind && len(near) == 0
		fl.settledLoads[s] = whole
	}
	return whole
}

// nearWrites lists the writes of what a load of shared memory reads from which no barrier parts it; behind is false if it
// does not come behind all writes.
func (fl *flow) nearWrites(s *ir.Load) (near []ir.Stmt, behind bool) {
	writes, known := fl.writesTo(s)
	for _, w := range writes {
		switch {
		case ir.Copies(w) || !fl.graph.Reaches(w, s, nil) || fl.graph.Reaches(s, w, nil):
			return nil, false
		case len(fl.phases.Meet(fl.graph.At(s), fl.graph.At(w))) > 0:
			near = append(near, w)
		}
	}
	return near, known
}

// writesTo lists the statements that may write the shared memory which a load reads; known is false if it
// may be other memory, or if anything may write it.
func (fl *flow) writesTo(s *ir.Load) (writes []ir.Stmt, known bool) {
	fl.findStores()
	fl.findPhases()
	for _, r := range fl.rootsOf(s.Ptr) {
		o, ok := r.(*ir.Object)
		if !ok || o.Space != ir.Shared || fl.written[unknownRoot] {
			return nil, false
		}
		writes, known = append(writes, fl.stores[sharedRoot(o)]...), true
	}
	return writes, known
}

// findPhases cuts the kernel at the block's barriers.
func (fl *flow) findPhases() {
	if fl.phases != nil {
		return
	}
	fl.graph = phase.NewGraph(fl.body, nil, nil)
	fl.phases = phase.NewPhases(fl.graph, func(s ir.Stmt) phase.Part {
		if b, ok := s.(*ir.Barrier); ok && b.Level >= ir.BlockLevel && b.Mode == ir.BarrierSync && b.Count == nil {
			return phase.Whole
		}
		return phase.Part{}
	}, nil) // which loops are alike is what is being found
	fl.inGrid = phase.NewPhases(fl.graph, func(s ir.Stmt) phase.Part {
		if isGridBarrier(s) {
			return phase.Whole
		}
		return phase.Part{}
	}, nil)
}

// sharedRoot stands for all arrays whose size the launch says: they are the same memory.
func sharedRoot(r any) any {
	if o, ok := r.(*ir.Object); ok && o.Space == ir.Shared && o.Size == 0 {
		return dynamicRoot
	}
	return r
}

// written lists the addresses at which a named operation may write.
func written(s *ir.Named) []ir.Expr {
	var out []ir.Expr
	for i, a := range s.Args {
		if a != nil && a.Type() == ir.Ptr && !(i == 1 && ir.Copies(s)) {
			out = append(out, a)
		}
	}
	return out
}

func (fl *flow) leaveBy(way *term.Variance, ctl term.Variance) {
	if way != nil {
		*way = max(*way, ctl)
	}
}

// raiseAll raises what is assigned in lists that threads may leave at different times.
func (fl *flow) raiseAll(v term.Variance, lists ...[]ir.Stmt) {
	if v == term.Grid {
		return
	}
	for _, list := range lists {
		ir.WalkStmts(list, func(s ir.Stmt) bool {
			for _, r := range ir.Defs(s) {
				fl.raise(r, v)
			}
			return true
		})
	}
}

func (fl *flow) raise(r *ir.Reg, v term.Variance) {
	if r != nil && v > fl.variance.Of(r) {
		fl.variance[r.ID] = v
		fl.changed = true
	}
}

func (fl *flow) varianceOf(e ir.Expr) term.Variance {
	v := term.Grid
	ir.WalkExpr(e, func(e ir.Expr) {
		switch e := e.(type) {
		case *ir.RegRef:
			v = max(v, fl.variance.Of(e.R))
		case *ir.Builtin:
			v = max(v, builtinVariance(e.Var))
		}
	})
	return v
}

func builtinVariance(b ir.BuiltinVar) term.Variance {
	switch b {
	case ir.ThreadIdx, ir.LaneID, ir.WarpID:
		return term.Thread
	case ir.BlockIdx, ir.ClusterIdx, ir.BlockInClust:
		return term.Block
	}
	return term.Grid
}

// assignments collects for each loop the registers that it changes.
func (fl *flow) assignments(stmts []ir.Stmt) {
	ir.WalkStmts(stmts, func(s ir.Stmt) bool {
		l, ok := s.(*ir.Loop)
		if !ok {
			return true
		}
		seen := map[*ir.Reg]bool{}
		for _, list := range ir.Nested(l) {
			ir.WalkStmts(list, func(s ir.Stmt) bool {
				for _, r := range ir.Defs(s) {
					if !seen[r] {
						seen[r] = true
						fl.assigned[l] = append(fl.assigned[l], r)
					}
				}
				return true
			})
		}
		return true
	})
}
