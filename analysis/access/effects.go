package access

import (
	"crypto/sha256"
	"fmt"
	"io"
	"slices"

	"github.com/warplint/warplint/analysis/ir"
)

// This file says all that the run of a host function asks of the kernels that it launches. So two runs of functions that print
// alike are alike if the effects of their kernels are.

// effects are what a kernel does to memory that the host knows, by its parameters and variables.
type effects struct {
	reads    bool         // pointers, from memory
	written  map[any]bool // where it may write
	pointers map[any]bool // where it may put pointers
	counted  map[any]bool // where it leaves numbers that are not 0, or what its atomics have made of what was there before: it never stores anything else
	puts     []put
}

// put is a store of a pointer: where to, and what it may point to.
type put struct {
	to    any
	bytes int64
	from  []any
	exact bool // to where that begins
}

func effectsOf(kernel *ir.Func) *effects {
	fl := pointersOf(kernel, false, nil)
	e := &effects{reads: readsPointers(kernel), written: fl.written, pointers: map[any]bool{}, counted: map[any]bool{}}
	stored := map[any]bool{}
	mark := func(where map[any]bool, at ir.Expr) {
		for _, root := range fl.rootsOf(at) {
			where[root] = true
		}
	}
	ir.WalkStmts(kernel.Body, func(s ir.Stmt) bool {
		switch s := s.(type) {
		case *ir.Store:
			if n, known := s.X.(*ir.Const); known && n.Bits != 0 {
				mark(e.counted, s.Ptr)
			} else {
				mark(stored, s.Ptr)
			}
			if s.T == ir.Ptr {
				mark(e.pointers, s.Ptr)
				e.puts = append(e.puts, fl.put(s))
			}
		case *ir.Atomic:
			if s.Op == ir.AtomicExch || s.Op == ir.AtomicInc || s.Op == ir.AtomicDec {
				mark(stored, s.Ptr)
			} else {
				mark(e.counted, s.Ptr)
			}
			if s.T.Size() == ir.Ptr.Size() {
				mark(e.pointers, s.Ptr)
			}
		case *ir.Named:
			if s.Op == "grid.launch" { // what the grid does has no statement here
				e.written[unknownRoot], e.pointers[unknownRoot] = true, true
			}
		case *ir.Unknown:
			if s.Memory {
				e.pointers[unknownRoot] = true
			}
		}
		return true
	})
	for root := range e.counted {
		if stored[root] || e.written[unknownRoot] {
			delete(e.counted, root)
		}
	}
	return e
}

func (fl *flow) put(s *ir.Store) put {
	to, bytes := fromRoot(s.Ptr)
	from, _ := fromRoot(s.X)
	return put{rootAt(to), bytes, fl.rootsOf(s.X), from == s.X && rootAt(from) != nil}
}

// rootAt is the variable that an expression is the address of, or the parameter that it is; nil for others.
func rootAt(e ir.Expr) any {
	switch e := e.(type) {
	case *ir.ParamRef:
		return e.P
	case *ir.ObjAddr:
		return e.Obj
	}
	return nil
}

// variables are those of the device that a function names.
func variables(f *ir.Func) (out []*ir.Object) {
	for _, o := range f.Objects {
		if o.Space == ir.Global || o.Space == ir.Constant {
			out = append(out, o)
		}
	}
	return out
}

// Effects is a hash of all that the run of a host function asks of a kernel.
func Effects(kernel *ir.Func) [sha256.Size]byte {
	h := sha256.New()
	effectsOf(kernel).print(h, kernel)
	return [sha256.Size]byte(h.Sum(nil))
}

func (e *effects) print(w io.Writer, kernel *ir.Func) {
	roots := []any{unknownRoot, outsideRoot}
	fmt.Fprintf(w, "%q %v", kernel.Name, e.reads)
	for _, p := range kernel.Params {
		roots = append(roots, p)
	}
	for _, o := range variables(kernel) {
		fmt.Fprintf(w, " %q %v %d", o.Name, o.Space, o.Size)
		roots = append(roots, o)
	}
	for _, r := range roots {
		fmt.Fprint(w, " ", e.written[r], e.pointers[r], e.counted[r])
	}
	fmt.Fprint(w, len(e.written) > 0, len(e.pointers) > 0)
	for _, p := range e.puts {
		fmt.Fprint(w, " ", slices.Index(roots, p.to), p.bytes, p.exact)
		for _, r := range p.from {
			fmt.Fprint(w, " ", slices.Index(roots, r))
		}
	}
}
