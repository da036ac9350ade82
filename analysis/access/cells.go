package access

import (
	"slices"

	"github.com/warplint/warplint/analysis/ir"
)

// This file reads private arrays that are set once: the two buffers of a pipeline, the steps to a cell's
// neighbours. Lowering has made registers of those whose subscripts are all constant.

// cell is what the only store to a place of a private array has put there.
type cell struct {
	at, size int64
	value    Value
	when     []fact // the way to the store
}

// maxCells bounds the elements of arrays that are kept.
const maxCells = 8

// keepCell notes a store to a private array. One whose place is not known, or that is made again and
// again, makes nothing known of the array.
func (x *executor) keepCell(s *ir.Store, v, value Value, st *state) {
	if v.Base == nil || v.Base.Space != ir.Local || v.Base.Object == nil || len(x.loops) > 0 {
		return
	}
	at, ok := v.P.IsConst()
	again := slices.ContainsFunc(x.cells[v.Base.Object], func(c cell) bool { return c.at < at+s.T.Size() && at < c.at+c.size })
	if ok && !again {
		x.cells[v.Base.Object] = append(x.cells[v.Base.Object], cell{at, s.T.Size(), value, st.facts})
	}
}

// cellAt is the value at a place in a private array that is written nowhere else than by what keepCell has
// noted, on the way to this path.
func (x *executor) cellAt(st *state, s *ir.Load, v Value) (out Value, ok bool) {
	if v.Base.Space != ir.Local || v.Base.Object == nil || s.Volatile || x.host {
		return Value{}, false
	}
	cells, size := x.cells[v.Base.Object], s.T.Size()
	if len(cells) == 0 || len(cells) > maxCells || len(cells) != x.flow.storesTo(v.Base.Object) || v.P.Gcd()%size != 0 || v.P.Constant()%size != 0 {
		return Value{}, false
	}
	for i := len(cells) - 1; i >= 0; i-- {
		c := cells[i]
		before := len(c.when) <= len(st.facts) && slices.Equal(c.when, st.facts[:len(c.when)])
		if c.size != size || !before {
			return Value{}, false
		}
		if i == len(cells)-1 { // a subscript beyond the array has no meaning
			out = c.value
		} else {
			out = x.choose(x.t.Eq(v.P, x.t.Const(c.at)), c.value, out, s.T)
		}
	}
	return out, true
}
