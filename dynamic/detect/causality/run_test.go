package causality_test

import (
	"encoding/binary"
	"os"
	"testing"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/detect/causality"
	"github.com/warplint/warplint/dynamic/event"
	"github.com/warplint/warplint/dynamic/ptx"
	"github.com/warplint/warplint/dynamic/sim"
)

// situations are the kernels of situations.cu, compiled by compile.sh.
func situations(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile("testdata/situations.ptx")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// runner runs one kernel of a PTX text; its arguments are two zeroed arrays of 4096 words.
type runner struct {
	t      testing.TB
	device *sim.Device
	kernel *sim.Kernel
	args   []byte
}

func newRunner(t testing.TB, text, kernel string, listener event.Listener) *runner {
	t.Helper()
	r := &runner{t: t, device: sim.NewDevice(sim.Config{Listener: listener})}
	parsed, err := ptx.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	m, err := r.device.Load(parsed)
	if err != nil {
		t.Fatal(err)
	}
	if r.kernel, err = m.Kernel(kernel); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"data", "flag"} {
		a, err := r.device.Malloc(4*4096, name)
		if err != nil {
			t.Fatal(err)
		}
		r.args = binary.LittleEndian.AppendUint64(r.args, a)
	}
	return r
}

func (r *runner) launch(blocks, threads int, seed uint64) {
	r.t.Helper()
	_, err := r.device.Launch(r.t.Context(), r.kernel, sim.Launch{
		Grid: race.Dim3{blocks, 1, 1}, Block: race.Dim3{threads, 1, 1}, Args: r.args, Seed: seed,
	})
	if err != nil {
		r.t.Fatal(err)
	}
}

// races runs a kernel once, on new memory.
func races(t testing.TB, text, kernel string, blocks, threads int, seed uint64) []*causality.Race {
	t.Helper()
	d := causality.New()
	newRunner(t, text, kernel, d).launch(blocks, threads, seed)
	return d.Races()
}
