package dynamic

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/warplint/warplint/dynamic/ptx"
	"github.com/warplint/warplint/dynamic/sim"
	"github.com/warplint/warplint/dynamic/toolchain"
)

// The kernels of testdata/conformance, written in CUDA C++, give on the simulator what they gave on
// an H100: compiled by clang with our headers, and as nvcc compiled them there. On a machine with
// a GPU and nvcc, this makes what the test compares with:
//
//	python3 scripts/conformance/device.py dynamic/testdata/conformance OUT
const (
	conformanceFolder  = "testdata/conformance/"
	conformanceCells   = 256
	conformanceColumns = 16
)

func TestConformance(t *testing.T) {
	tools, err := toolchain.Find(t.Context())
	if err != nil {
		t.Fatalf("%v; scripts/test.sh of this project installs what the tests need", err)
	}
	files, err := filepath.Glob(conformanceFolder + "*.ptx")
	if err != nil {
		t.Fatal(err)
	}
	golden := goldenResults(t)
	checked := map[string]int{}
	for _, file := range files {
		byNvcc, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		source := strings.TrimSuffix(file, ".ptx") + ".cu"
		m, err := tools.Device(t.Context(), &toolchain.Options{}, source, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		cases := readConformance(t, source)
		for compiler, text := range map[string]string{"clang": m.PTX, "nvcc": string(byNvcc)} {
			t.Run(filepath.Base(source)+" by "+compiler, func(t *testing.T) {
				for _, k := range compiledKernels(t, text) {
					checked[k]++
					if err := cases[k].check(k, text, golden[k]); err != nil {
						t.Errorf("%s: %v", k, err)
					}
				}
			})
		}
	}
	for k := range golden {
		if checked[k] != 2 {
			t.Errorf("%s ran %d times, want once from each compiler", k, checked[k])
		}
	}
	if len(golden) < 200 {
		t.Errorf("%d kernels", len(golden))
	}
}

func goldenResults(t *testing.T) map[string][]string {
	text, err := os.ReadFile(conformanceFolder + "golden.txt")
	if err != nil {
		t.Fatal(err)
	}
	golden := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		if name, results, ok := strings.Cut(line, ":"); ok && !strings.HasPrefix(line, "#") {
			golden[name] = strings.Fields(results)
		}
	}
	return golden
}

// conformanceCase says how to run a kernel, and how exact it must be.
type conformanceCase struct {
	launch sim.Launch
	within [2]float64 // units in the last place, of float and of double; zero if results are exact
}

var (
	launchLine = regexp.MustCompile(`(?m)^// launch (\d+) (\S+)(?: (cooperative)| cluster (\d+))?\nKERNEL\((\w+)\)`)
	withinLine = regexp.MustCompile(`(?m)^FUNCTION2?\((\w+),.*// within (\d+) (\d+)$`)
)

// readConformance reads what comments of the kernels say.
func readConformance(t *testing.T, file string) map[string]conformanceCase {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]conformanceCase{}
	for _, m := range launchLine.FindAllStringSubmatch(string(text), -1) {
		l := sim.Launch{Cooperative: m[3] != ""}
		l.Grid[0], _ = strconv.Atoi(m[1])
		for i, n := range strings.Split(strings.Trim(m[2], "()"), ",") {
			l.Block[i], _ = strconv.Atoi(n)
		}
		l.Cluster[0], _ = strconv.Atoi(m[4])
		cases[m[5]] = conformanceCase{launch: l}
	}
	for _, m := range withinLine.FindAllStringSubmatch(string(text), -1) {
		single, _ := strconv.ParseFloat(m[2], 64)
		double, _ := strconv.ParseFloat(m[3], 64)
		cases["function_"+m[1]] = conformanceCase{within: [2]float64{single, double}}
	}
	return cases
}

func compiledKernels(t *testing.T, text string) []string {
	m, err := ptx.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range m.Functions {
		if f.Entry && f.Defined {
			names = append(names, f.Name)
		}
	}
	slices.Sort(names)
	return names
}

func (c conformanceCase) check(kernel, text string, want []string) error {
	if want == nil {
		return fmt.Errorf("the GPU has not run it")
	}
	raw, err := c.run(kernel, text)
	if err != nil {
		return err
	}
	if c.within != [2]float64{} {
		return c.checkValues(raw, want)
	}
	return checkColumns(raw, want)
}

// run gives a kernel a device of its own.
func (c conformanceCase) run(kernel, text string) ([]byte, error) {
	device := sim.NewDevice(sim.Config{})
	parsed, err := ptx.Parse(text)
	if err != nil {
		return nil, err
	}
	module, err := device.Load(parsed)
	if err != nil {
		return nil, err
	}
	const size = 8 * conformanceCells * conformanceColumns
	out, err := device.Malloc(size, "out")
	if err != nil {
		return nil, err
	}
	in, err := device.Malloc(size, "in")
	if err != nil {
		return nil, err
	}
	data, _ := device.Bytes(in, size)
	splitmix(data)
	l := c.launch
	l.Seed = uint64(len(text)) // the results do not depend on the schedule
	l.Grid[0], l.Block[0] = cmp.Or(l.Grid[0], 4), cmp.Or(l.Block[0], 64)
	l.Args = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, out), in)
	l.MaxInstructions = 10_000_000
	k, err := module.Kernel(kernel)
	if err != nil {
		return nil, err
	}
	if _, err := device.Launch(context.Background(), k, l); err != nil {
		return nil, err
	}
	return device.Bytes(out, size)
}

// splitmix fills memory with the splitmix64 sequence from 0.
func splitmix(data []byte) {
	state := uint64(0)
	for i := 0; i < len(data); i += 8 {
		state += 0x9e3779b97f4a7c15
		z := (state ^ state>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		binary.LittleEndian.PutUint64(data[i:], z^z>>31)
	}
}

func checkColumns(raw []byte, want []string) error {
	const size = 8 * conformanceCells
	for i := range conformanceColumns {
		column, got := raw[i*size:(i+1)*size], "-"
		if slices.ContainsFunc(column, func(b byte) bool { return b != 0 }) {
			sum := sha256.Sum256(column)
			got = hex.EncodeToString(sum[:4])
		}
		if i < len(want) && got != want[i] || i >= len(want) && got != "-" {
			return fmt.Errorf("column %d differs; its first results are %x", i, column[:64])
		}
	}
	return nil
}

// checkValues compares the first results of float in column 0 and of double in column 1.
func (c conformanceCase) checkValues(raw []byte, want []string) error {
	for i, text := range want {
		w, err := strconv.ParseUint(text, 16, 64)
		if err != nil {
			return err
		}
		got, expected := 0.0, 0.0
		column, at := i/32, raw[8*(conformanceCells*(i/32)+i%32):]
		if column == 0 {
			got, expected = float64(math.Float32frombits(binary.LittleEndian.Uint32(at))), float64(math.Float32frombits(uint32(w)))
		} else {
			got, expected = math.Float64frombits(binary.LittleEndian.Uint64(at)), math.Float64frombits(w)
		}
		// Both may err, to different sides.
		if off := unitsOff(got, expected, column == 0); off > 2*c.within[column] {
			return fmt.Errorf("column %d, thread %d: %v, the GPU has %v: %.1f units off", column, i%32, got, expected, off)
		}
	}
	return nil
}

// unitsOff is a difference in units in the last place of what is wanted.
func unitsOff(got, want float64, single bool) float64 {
	if got == want || math.IsNaN(got) && math.IsNaN(want) {
		return 0
	}
	if math.IsNaN(got-want) || math.IsInf(got-want, 0) {
		return math.Inf(1)
	}
	_, exponent := math.Frexp(want)
	unit := math.Ldexp(1, max(exponent-53, -1074))
	if single {
		unit = math.Ldexp(1, max(exponent-24, -149))
	}
	d, _ := new(big.Float).Sub(big.NewFloat(got), big.NewFloat(want)).Float64()
	return math.Abs(d) / unit
}
