package interp_test

import (
	"context"
	"testing"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/ir/interp"
	"github.com/warplint/warplint/analysis/race"
)

// dotProduct is plain code: a grid-stride loop over two arrays.
const dotProduct = `func dot {
  param $a ptr f32
  param $b ptr f32
  param $out ptr f32
  param $n i32
  %sum = 0f32
  %i = i32(threadIdx.x + blockIdx.x * blockDim.x)
  L1: loop {
  } while %i < $n {
    %x = load $a[%i]
    %y = load $b[%i]
    %sum = %sum + %x * %y
  } post {
    %i = %i + i32(blockDim.x * gridDim.x)
  }
  store $out[threadIdx.x + blockIdx.x * blockDim.x], %sum
}`

func BenchmarkPlain(b *testing.B) {
	p := interp.Compile(ir.MustParse(dotProduct))
	launch := interp.Launch{
		Grid: race.Dim3{2, 1, 1}, Block: race.Dim3{256, 1, 1},
		Args:    []interp.Arg{interp.PointerTo(0, 0), interp.PointerTo(0, 0), interp.PointerTo(1, 0), interp.Int(100000)},
		Buffers: []interp.Buffer{{Size: 400000}, {Size: 2048}},
	}
	var steps int64
	for b.Loop() {
		out, err := p.Run(context.Background(), launch, interp.Options{}, nil)
		if err != nil || !out.Completed() {
			b.Fatal(out, err)
		}
		steps += out.Steps
	}
	b.ReportMetric(float64(steps)/b.Elapsed().Seconds()/1e6, "Msteps/s")
}
