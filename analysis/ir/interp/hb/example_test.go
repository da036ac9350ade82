package hb_test

import (
	"context"
	"fmt"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/ir/interp"
	"github.com/warplint/warplint/analysis/ir/interp/hb"
	"github.com/warplint/warplint/analysis/race"
)

func Example() {
	f := ir.MustParse(`func shift {
		param $x ptr f32
		param $n i32
		%i = i32(blockIdx.x * blockDim.x + threadIdx.x)
		if %i < $n - 1 {
			%v = load $x[%i + 1]
			store $x[%i], %v
		}
	}`)
	program := interp.Compile(f) // once; it may be used by many goroutines
	launch := interp.NewLaunch(f, race.Dim3{2, 1, 1}, race.Dim3{64, 1, 1})
	launch.Args[1] = interp.Int(65)

	result, err := hb.Detect(context.Background(), program, launch, hb.Schedules)
	if err != nil {
		panic(err)
	}
	for _, r := range result.Races {
		fmt.Println(r.Kind, "between sites", r.First.Site, "and", r.Second.Site, "missing:", r.Missing)
	}
	// Output:
	// intra-warp between sites 1 and 2 missing: nothing
	// intra-block between sites 1 and 2 missing: nothing
}
