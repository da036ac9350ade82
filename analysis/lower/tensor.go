package lower

// This file lowers copies by a tensor map. Where they read is said by the map, which the host has made; how many bytes
// they bring is said by the barrier that they end with, which is told to expect them (PTX ISA, "cp.async.bulk.tensor").

import (
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/ir"
)

// tensorMap is the name of what stands for the memory behind a tensor map. Nobody in the kernel writes it.
const tensorMap = "tensor map"

// leastBox is the least that a copy by a tensor map moves, in bytes (cuTensorMapEncodeTiled: the inner dimension of a box).
const leastBox = 16

// asmTensorCopy is cp.async.bulk.tensor, whose size is found later.
func (l *lowerer) asmTensorCopy(b *asmBlock, mods, ops []string) bool {
	shared := []string{"shared"}
	if len(ops) == 2 && mods[5] == "global" && slices.Contains(mods, "bulk_group") {
		src := l.asmPointer(b, shared, ops[1])
		if src == nil {
			return false
		}
		to := l.newObject(tensorMap, ir.Constant, arrayOf(tUChar, leastBox))
		l.asmNamed(b, "bulk.copy", nil, &ir.ObjAddr{Obj: to}, src, constInt(ir.U64, leastBox))
		return true
	}
	if len(ops) < 3 || !slices.Contains(mods, "mbarrier::complete_tx::bytes") || slices.Contains(mods, "multicast::cluster") || !strings.HasPrefix(mods[5], "shared::") {
		return false
	}
	dst, bar := l.asmPointer(b, shared, ops[0]), l.asmPointer(b, shared, ops[2])
	if dst == nil || bar == nil {
		return false
	}
	from := l.newObject(tensorMap, ir.Constant, arrayOf(tUChar, 1))
	l.asmNamed(b, "bulk.copy", nil, dst, &ir.ObjAddr{Obj: from}, constInt(ir.U64, 0), bar)
	return true
}

// tensorCopies are the copies by tensor maps of a kernel, by the barrier that they end with.
type tensorCopies struct {
	copies  map[string][]*ir.Named
	expects map[string][]*ir.Named
	other   map[string]bool // barriers that other bulk copies end with
	once    map[*ir.Reg]ir.Expr
}

// plain is an expression without the registers that are set once.
func (t *tensorCopies) plain(e ir.Expr) ir.Expr {
	switch e := e.(type) {
	case *ir.RegRef:
		if x, ok := t.once[e.R]; ok {
			return t.plain(x)
		}
	case *ir.PtrAdd:
		return &ir.PtrAdd{Base: t.plain(e.Base), Offset: t.plain(e.Offset), Last: e.Last}
	case *ir.Convert:
		return &ir.Convert{T: e.T, X: t.plain(e.X)}
	case *ir.Binary:
		return &ir.Binary{Op: e.Op, T: e.T, X: t.plain(e.X), Y: t.plain(e.Y)}
	}
	return e
}

// at names a barrier by how its address is written.
func (t *tensorCopies) at(e ir.Expr) string { return ir.ExprString(t.plain(e)) }

func byTensorMap(n *ir.Named) bool { return isTensorMap(n.Args[1]) }

func isTensorMap(e ir.Expr) bool {
	at, ok := e.(*ir.ObjAddr)
	return ok && at.Obj.Name == tensorMap
}

// sizeTensorCopies gives the copies by tensor maps their sizes. Those into shared memory whose sizes nobody says are not understood;
// what goes back from where one has come is as much, and else the least that there is.
// Counted says of what barriers are told to expect that it belongs to copies which count it themselves.
func sizeTensorCopies(fn *ir.Func, counted map[*ir.Named]bool) {
	var expects, bulk, back []*ir.Named
	ir.WalkStmts(fn.Body, func(s ir.Stmt) bool {
		n, ok := s.(*ir.Named)
		switch {
		case ok && n.Op == "mbarrier.expect":
			expects = append(expects, n)
		case ok && n.Op == "bulk.copy" && len(n.Args) == 4:
			bulk = append(bulk, n)
		case ok && n.Op == "bulk.copy" && isTensorMap(n.Args[0]):
			back = append(back, n)
		}
		return true
	})
	if len(counted) == 0 && !slices.ContainsFunc(bulk, byTensorMap) {
		return
	}
	t := tensorCopies{map[string][]*ir.Named{}, map[string][]*ir.Named{}, map[string]bool{}, onceSet(fn.Body)}
	for _, n := range expects {
		at := t.at(n.Args[0])
		t.expects[at] = append(t.expects[at], n)
	}
	for _, n := range bulk {
		if at := t.at(n.Args[3]); byTensorMap(n) {
			t.copies[at] = append(t.copies[at], n)
		} else {
			t.other[at] = true
		}
	}
	unsized, brought := map[*ir.Named]bool{}, map[string]ir.Expr{}
	for at, copies := range t.copies {
		sized := t.sized(at)
		for _, n := range copies {
			if unsized[n] = !sized; sized {
				brought[t.at(n.Args[0])] = n.Args[2]
			}
		}
	}
	for _, n := range back {
		if size := brought[t.at(n.Args[1])]; size != nil {
			n.Args[0].(*ir.ObjAddr).Obj.Size, _ = ir.IntConst(size)
			n.Args[2] = size
		}
	}
	fn.Body = ir.Rewrite(fn.Body, func(s ir.Stmt) ir.Stmt {
		n, ok := s.(*ir.Named)
		switch {
		case ok && unsized[n]:
			return &ir.Unknown{Reason: "tensor copy of unknown size", Memory: true, Site: n.Site}
		case ok && counted[n]:
			if at := t.at(n.Args[0]); len(t.copies[at]) == 0 && !t.other[at] {
				return nil
			}
		}
		return s
	})
}

// sized gives the copies that end with a barrier their sizes, if these are certain: each fills an array, or a stage of
// one, and together they bring the bytes that the barrier expects.
func (t *tensorCopies) sized(at string) bool {
	copies, expects := t.copies[at], t.expects[at]
	if len(expects) == 0 || len(copies)%len(expects) != 0 || t.other[at] {
		return false
	}
	total, ok := ir.IntConst(expects[0].Args[1])
	if !ok || total <= 0 || slices.ContainsFunc(expects, func(n *ir.Named) bool {
		bytes, fixed := ir.IntConst(n.Args[1])
		return !fixed || bytes != total
	}) {
		return false
	}
	for _, whole := range []bool{true, false} {
		sum := int64(0)
		for _, n := range copies {
			size := stageOf(t.plain(n.Args[0]), whole)
			if size == 0 {
				return false
			}
			n.Args[1].(*ir.ObjAddr).Obj.Size, n.Args[2] = size, constInt(ir.U64, size)
			sum += size
		}
		if sum == total*int64(len(expects)) {
			return true
		}
	}
	return false
}

// stageOf is the size of what an address points to: an array, the whole of it if it may be, or an element of its
// outermost dimension if there are several; 0 if that is not known.
func stageOf(at ir.Expr, whole bool) int64 {
	inside := false
	for {
		switch e := at.(type) {
		case *ir.PtrAdd:
			at, whole, inside = e.Base, false, true
			continue
		case *ir.ObjAddr:
			switch {
			case whole, len(e.Obj.Dims) <= 1 && !inside:
				return e.Obj.Size
			case len(e.Obj.Dims) > 1 && e.Obj.Dims[0] > 0:
				return e.Obj.Size / e.Obj.Dims[0]
			}
		}
		return 0
	}
}
