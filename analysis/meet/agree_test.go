package meet

import (
	"testing"

	"github.com/warplint/warplint/analysis/ir"
)

// Numbers of 64 bits without a sign, as ir.Cut leaves them: the greatest is -1.
func TestComputed(t *testing.T) {
	const greatest = -1
	number := func(v int64) *int64 { return &v }
	for _, c := range []struct {
		op   ir.Op
		of   ir.Type
		x, y int64
		want *int64
	}{
		{ir.Max, ir.U64, greatest, 5, number(greatest)},
		{ir.Rem, ir.U64, 5, greatest, number(5)},
		{ir.Div, ir.U64, 5, greatest, number(0)},
		{ir.Div, ir.I32, -7, 2, number(-3)},
		{ir.Sub, ir.U32, 0, 1, nil},
		{ir.Add, ir.I32, 1<<31 - 1, 1, nil},
		{ir.Shr, ir.I32, 8, 32, nil},
	} {
		e := &ir.Binary{Op: c.op, T: c.of, X: &ir.Const{T: c.of}, Y: &ir.Const{T: c.of}}
		if got := computed(e, c.x, c.y); (got == nil) != (c.want == nil) || got != nil && *got != *c.want {
			t.Errorf("%v of %v %d, %d: %v, want %v", c.op, c.of, c.x, c.y, got, c.want)
		}
	}
}
