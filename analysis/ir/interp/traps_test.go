package interp_test

import (
	"testing"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/ir/interp"
)

func TestMayTrap(t *testing.T) {
	for _, test := range []struct {
		body string
		n    int64
		want bool
	}{
		{"store $x[threadIdx.x], 1", 0, false},
		{"store $x[threadIdx.x % $n], 1", 3, false},
		{"store $x[threadIdx.x % $n], 1", 0, true},
		{"%d = $n\nstore $x[threadIdx.x / %d], 1", 3, false},
		{"%d = $n\n%d = %d - 1\nstore $x[threadIdx.x / %d], 1", 3, true},
		{"%d = load $x[0]\nstore $x[threadIdx.x / %d], 1", 3, true},
		{"store $x[threadIdx.x / blockDim.x], 1", 3, false},
		{"if $n == 0 {\ntrap\n}", 3, true},
		{"assume $n == 3", 3, true},
		{"barrier block sync", 3, false},
		{"barrier warp sync mask 4294967295", 3, false},
		{"barrier warp sync mask 3", 3, true},
		{"barrier block sync id 1 count 64", 3, true},
	} {
		f, err := ir.ParseFunc("func f {\nparam $n u32\nparam $x ptr u32\n" + test.body + "\n}")
		if err != nil {
			t.Fatalf("%s: %v", test.body, err)
		}
		if got := interp.Compile(f).MayTrap([]interp.Arg{interp.Int(test.n), interp.PointerTo(0, 0)}); got != test.want {
			t.Errorf("%q with %d may trap: %t, want %t", test.body, test.n, got, test.want)
		}
	}
}
