package ir

import (
	"math"
	"testing"
)

func TestCompute(t *testing.T) {
	const minus5 = 1<<32 - 5 // as an unsigned number of 32 bits
	for _, c := range []struct {
		op   Op
		of   Type
		x, y int64
		want int64
	}{
		{Add, I32, math.MaxInt32, 1, math.MinInt32},
		{Add, U32, 1<<32 - 1, 1, 0},
		{Sub, U32, 0, 5, minus5},
		{Mul, U8, 16, 17, 16},
		{Div, I32, -7, 2, -3},
		{Rem, I32, -7, 2, -1},
		{Rem, I32, -7, -1, 0},
		{Div, U32, minus5, 2, 1<<31 - 3},
		{Div, U64, -1, 2, math.MaxInt64},
		{Shl, I32, 1, 31, math.MinInt32},
		{Shr, I32, -8, 1, -4},
		{Shr, U64, -8, 1, math.MaxInt64 - 3},
		{Min, I32, -1, 1, -1},
		{Min, U64, -1, 1, 1},
		{Max, U64, -1, 1, -1},
		{Lt, I64, -1, 1, 1},
		{Lt, U64, -1, 1, 0},
		{Ge, U64, -1, 1, 1},
		{Le, I32, 3, 3, 1},
		{Gt, I32, 3, 3, 0},
		{LogAnd, Bool, 1, 0, 0},
	} {
		if got, ok := Compute(c.op, c.of, c.x, c.y); !ok || got != c.want {
			t.Errorf("%v %v %d, %d: %d, %t, want %d", c.op, c.of, c.x, c.y, got, ok, c.want)
		}
	}
	for _, c := range []struct {
		op   Op
		of   Type
		x, y int64
	}{
		{Div, I32, 1, 0}, {Rem, U32, 1, 0}, {Div, I32, math.MinInt32, -1}, {Rem, I64, math.MinInt64, -1},
		{Shl, I32, 1, 32}, {Shr, U64, 1, -1},
	} {
		if got, ok := Compute(c.op, c.of, c.x, c.y); ok {
			t.Errorf("%v %v %d, %d: %d, want nothing, as C++ leaves it undefined", c.op, c.of, c.x, c.y, got)
		}
	}
}
