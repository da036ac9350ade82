package ldetector_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/detect/ldetector"
	"github.com/warplint/warplint/dynamic/event"
	"github.com/warplint/warplint/dynamic/ptx"
	"github.com/warplint/warplint/dynamic/sim"
	"github.com/warplint/warplint/dynamic/toolchain"
)

const source = "testdata/kernels.cu"

// compiled parses the PTX of the kernels.
func compiled(t *testing.T) *ptx.Module {
	t.Helper()
	tools, err := toolchain.Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	m, err := tools.Device(t.Context(), &toolchain.Options{}, source, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := ptx.Parse(m.PTX)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

const words = 4096

// launch runs a kernel and returns what its data then is.
func launch(t *testing.T, code *ptx.Module, kernel string, blocks, threads int, listener event.Listener) []byte {
	t.Helper()
	device := sim.NewDevice(sim.Config{Listener: listener})
	m, err := device.Load(code)
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel(kernel)
	if err != nil {
		t.Fatal(err)
	}
	var args []byte
	for _, name := range []string{"data", "input"} {
		at, err := device.Malloc(4*words, name)
		if err != nil {
			t.Fatal(err)
		}
		args = binary.LittleEndian.AppendUint64(args, at)
	}
	input, err := device.Bytes(binary.LittleEndian.Uint64(args[8:]), 4*words)
	if err != nil {
		t.Fatal(err)
	}
	for i := range words {
		binary.LittleEndian.PutUint32(input[4*i:], uint32(i))
	}
	_, err = device.Launch(t.Context(), k, sim.Launch{Grid: race.Dim3{blocks, 1, 1}, Block: race.Dim3{threads, 1, 1}, Args: args})
	if err != nil {
		t.Fatal(err)
	}
	data, err := device.Bytes(binary.LittleEndian.Uint64(args), 4*words)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestPasses(t *testing.T) {
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	code := compiled(t)
	for _, test := range []struct {
		kernel          string
		blocks, threads int
		want            []string
	}{
		{"own", 3, 70, nil},
		{"overlap", 2, 96, []string{"own left intra-block write-write check"}},
		{"overlap", 2, 32, nil},
		{"neighbour_bytes", 2, 70, nil},
		{"hand_over", 2, 96, nil},
		{"no_barrier", 2, 96, []string{"make use intra-block read-write check"}},
		{"no_barrier", 2, 32, nil}, // lockstep
		{"late", 2, 96, []string{"make use intra-block read-write check"}},
		{"idle_read", 2, 96, nil},
		{"same_again", 2, 96, nil},
		{"between_blocks", 3, 64, []string{"make use inter-block read-write check"}},
		{"between_blocks", 1, 64, nil},
		{"both_blocks", 3, 64, []string{"set set inter-block write-write check"}},
		{"histogram", 3, 64, nil},
		{"locked", 3, 64, nil},
		{"wait", 1, 64, nil},
		{"in_one_store", 1, 64, []string{"store store intra-warp check within a warp"}},
		{"loop", 2, 128, nil},
		{"late_barrier", 2, 128, []string{"make step intra-block read-write check"}},
		{"idle_update", 2, 96, nil},
		{"conditional", 2, 96, []string{"make use intra-block read-write check"}},
		{"count_and_set", 2, 96, nil},
		{"in_one_store_once", 1, 64, []string{"store store intra-warp check within a warp"}},
		{"early_exit", 2, 96, []string{"make use intra-block read-write check"}},
		{"warp_barrier", 2, 96, []string{"make use intra-block read-write check"}},
		{"some_threads", 2, 96, nil},
		{"acquire", 2, 96, nil},
		{"mbarrier", 2, 96, nil},
		{"async_copy", 2, 96, []string{"copy use intra-block read-write check"}},
		{"async_source", 2, 64, []string{"make copy inter-block read-write check"}},
		{"both_levels", 3, 64, []string{"set set inter-block write-write check"}},
	} {
		d := ldetector.New()
		watched := launch(t, code, test.kernel, test.blocks, test.threads, d)
		mark := func(r *event.Location) string {
			_, comment, _ := strings.Cut(lines[r.Line-1], "// ")
			return comment
		}
		var got []string
		for _, r := range d.Races() {
			first, second := r.Launch.Program.Location(r.First.PC), r.Launch.Program.Location(r.Second.PC)
			got = append(got, fmt.Sprintf("%s %s %s %s", mark(&first), mark(&second), r.Kind, strings.TrimPrefix(r.Condition, "LDetector's ")))
		}
		if slices.Sort(got); !slices.Equal(got, test.want) {
			t.Errorf("%s %dx%d: got %q, want %q", test.kernel, test.blocks, test.threads, got, test.want)
		}
		// Trials leave nothing behind.
		if !bytes.Equal(watched, launch(t, code, test.kernel, test.blocks, test.threads, nil)) {
			t.Errorf("%s: the launch does something else when it is watched", test.kernel)
		}
	}
}

// Lanes that store one value are a hint only.
func TestOneStore(t *testing.T) {
	code := compiled(t)
	for kernel, want := range map[string]race.Rule{"in_one_store": race.MissingSyncwarp, "one_value": race.SameValueWrite} {
		d := ldetector.New()
		launch(t, code, kernel, 1, 64, d)
		if r := d.Races()[0]; r.Rule != want {
			t.Errorf("%s: %s, want %s", kernel, r.Rule, want)
		}
	}
}

// A race names what a person needs to find it.
func TestWitness(t *testing.T) {
	code := compiled(t)
	d := ldetector.New()
	launch(t, code, "no_barrier", 1, 64, d)
	r := d.Races()[0]
	if r.Space != event.Shared || !strings.Contains(r.Variable, "s") || r.First.Warp == r.Second.Warp || r.First.Does != race.Write || r.Second.Does != race.Read {
		t.Errorf("%+v", r)
	}
	d = ldetector.New()
	launch(t, code, "both_blocks", 2, 64, d)
	if r = d.Races()[0]; r.Space != event.Global || r.Variable != "data" || r.First.Block == r.Second.Block {
		t.Errorf("%+v", r)
	}
}
