package hb_test

import (
	"context"
	"testing"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/ir/interp"
	"github.com/warplint/warplint/analysis/ir/interp/hb"
)

// BenchmarkDetect measures one run of two blocks of 256 threads under one schedule.
func BenchmarkDetect(b *testing.B) {
	for name, body := range map[string]string{
		"reduction": `
			store @s[threadIdx.x % 128], threadIdx.x
			%d = 64u32
			L1: loop { } while %d > 0 {
				barrier block sync
				if threadIdx.x < %d {
					%v = load @s[threadIdx.x]
					%w = load @s[threadIdx.x + %d]
					store @s[threadIdx.x], %v + %w
				}
			} post { %d = %d >> 1 }`,
		"histogram": "atomic add @s[threadIdx.x % 4], 1\nbarrier block sync\natomic add $x[threadIdx.x % 4], 1",
		"lock":      lock("", device, device, ""),
		"stream":    "%i = 0u32\nL1: loop { } while %i < 64 {\n%v = load $x[threadIdx.x]\nstore $flag[threadIdx.x + blockIdx.x * 256], %v\n%i = %i + 1 }",
		"publish":   lastBlock(device, device),
	} {
		b.Run(name, func(b *testing.B) {
			p := interp.Compile(ir.MustParse(declarations + body + "\n}\n"))
			var steps int64
			for b.Loop() {
				result, err := hb.Detect(context.Background(), p, launchOf(2, 256), hb.Schedules[:1])
				if err != nil {
					b.Fatal(err)
				}
				steps += result.Outcomes[0].Steps
			}
			b.ReportMetric(float64(steps)/b.Elapsed().Seconds()/1e6, "Msteps/s")
		})
	}
}
