//go:build unix

package sim_test

import (
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/sim"
)

// Each benchmark reports millions of lane-operations (one instruction for one active lane) a
// second of processor time, since other programs may share the machine.
func BenchmarkLaneOps(b *testing.B) {
	for _, test := range []struct {
		kernel string
		n      int32
	}{
		{"integer", 2000}, {"single", 2000}, {"twice", 2000}, {"stream", 1000}, {"one_lane", 4000},
		{"shared_tile", 100}, {"divergent", 1000},
	} {
		b.Run(test.kernel, func(b *testing.B) {
			run := loadFile(b, "speed.ptx", nil)
			out, in := run.alloc(make([]uint32, 1<<16)...), run.alloc(make([]uint32, 1<<12)...)
			arguments := args(out, test.n)
			if test.kernel == "shared_tile" {
				arguments = args(out, in, test.n)
			}
			ops, start := uint64(0), processorTime(b)
			for b.Loop() {
				s, err := run.launch(test.kernel, sim.Launch{Grid: race.Dim3{4}, Block: race.Dim3{256}, Args: arguments})
				if err != nil {
					b.Fatal(err)
				}
				ops += s.LaneOps
			}
			b.ReportMetric(float64(ops)/(processorTime(b)-start).Seconds()/1e6, "Mlaneops/s")
		})
	}
}

// BenchmarkCores shows what a second core brings: blocks of arithmetic, in real time. On a machine
// that has other things to do, the rate per second of processor time says more: if that of two
// cores is the same, two free ones are twice as fast.
func BenchmarkCores(b *testing.B) {
	for _, cores := range []int{1, 2} {
		b.Run(strconv.Itoa(cores), func(b *testing.B) {
			run := loadFile(b, "speed.ptx", nil)
			out := run.alloc(make([]uint32, 1<<16)...)
			ops, start := uint64(0), processorTime(b)
			for b.Loop() {
				s, err := run.launch("integer", sim.Launch{
					Grid: race.Dim3{32}, Block: race.Dim3{256}, Args: args(out, int32(500)), Cores: cores,
				})
				if err != nil {
					b.Fatal(err)
				}
				ops += s.LaneOps
			}
			b.ReportMetric(float64(ops)/b.Elapsed().Seconds()/1e6, "Mlaneops/s")
			b.ReportMetric(float64(ops)/(processorTime(b)-start).Seconds()/1e6, "Mlaneops/processor-s")
		})
	}
}

func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
