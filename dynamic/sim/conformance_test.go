package sim_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/sim"
)

// The conformance test runs one small kernel for each instruction, type and rounding, and
// compares its results with those of an H100, which testdata/conformance/golden.txt has:
//
//	go test -run TestConformance -conformance-inputs inputs.json
//	python3 testdata/conformance/run.py inputs.json > testdata/conformance/golden.txt   # on the GPU
var conformanceInputs = flag.String("conformance-inputs", "", "write the kernels and their inputs to this file, and stop")

// conformanceThreads is how many threads run each kernel, in blocks of 32.
const conformanceThreads = 2048

// instructionCase is one kernel of the conformance test.
type instructionCase struct {
	Name   string   `json:"name"`
	PTX    string   `json:"ptx"`
	Inputs []string `json:"inputs"` // for each source, the key of its values
	Approx bool     `json:"approx"`
	target string
}

func readConformance(t testing.TB) []instructionCase {
	t.Helper()
	var list []instructionCase
	for _, line := range readLines(t, "ops.txt") {
		fields := strings.Fields(line)
		approx := fields[len(fields)-1] == "~"
		if approx {
			fields = fields[:len(fields)-1]
		}
		body := fields[0] + " %d"
		for i := range fields[2:] {
			body += ", %" + string("abcu"[i])
		}
		list = append(list, newCase(fields[0], fields[1:], body+";", approx))
	}
	var fields []string
	body := ""
	for _, line := range append(readLines(t, "cases.txt"), "end") {
		if strings.HasPrefix(line, "\t") {
			body += line + "\n"
			continue
		}
		if fields != nil {
			list = append(list, newCase(fields[0], fields[1:], body, false))
		}
		fields, body = strings.Fields(line), ""
	}
	return list
}

func readLines(t testing.TB, file string) []string {
	t.Helper()
	text, err := os.ReadFile("testdata/conformance/" + file)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.SplitSeq(string(text), "\n") {
		if strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	return lines
}

// registerType is the type to declare a register with.
func registerType(ty string) string {
	switch ty {
	case "pred":
		return "pred"
	case "small", "lane", "tiny":
		return "b32"
	case "u8", "s8":
		return "b16"
	case "f32", "f64":
		return ty
	}
	return "b" + fmt.Sprint(8*typeSize(ty))
}

func typeSize(ty string) int {
	switch {
	case ty == "u8" || ty == "s8":
		return 1
	case strings.HasSuffix(ty, "x2"), strings.HasSuffix(ty, "32"), ty == "small", ty == "lane", ty == "tiny", ty == "pred":
		return 4
	case strings.HasSuffix(ty, "16"):
		return 2
	}
	return 8
}

// newCase writes the kernel: it loads the sources, executes the body and stores the result.
func newCase(name string, types []string, body string, approx bool) instructionCase {
	c := instructionCase{Name: name + " " + strings.Join(types, " "), Approx: approx, target: types[0]}
	var b strings.Builder
	b.WriteString(".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry kernel(.param .u64 out, .param .u64 in)\n{\n")
	b.WriteString("\t.reg .b64 %out, %in, %at; .reg .b32 %index, %n, %lane, %t;\n")
	b.WriteString("\tld.param.u64 %out, [out];\n\tld.param.u64 %in, [in];\n")
	b.WriteString("\tmov.u32 %lane, %tid.x;\n\tmov.u32 %n, %ctaid.x;\n\tmad.lo.u32 %index, %n, 32, %lane;\n")
	b.WriteString("\tmul.wide.u32 %at, %index, 8;\n\tadd.u64 %out, %out, %at;\n\tadd.u64 %in, %in, %at;\n")
	for i, ty := range types[1:] {
		c.Inputs = append(c.Inputs, fmt.Sprint(ty, " ", i))
		b.WriteString(loadSource(string("abcu"[i]), ty, 8*conformanceThreads*i))
	}
	d := registerType(types[0])
	fmt.Fprintf(&b, "\t.reg .%s %%d;\n%s\n", d, body)
	switch {
	case d == "pred":
		b.WriteString("\tselp.u32 %t, 1, 0, %d;\n\tst.global.u32 [%out], %t;\n")
	case types[0] == "u8" || types[0] == "s8":
		b.WriteString("\tst.global.b16 [%out], %d;\n")
	default:
		fmt.Fprintf(&b, "\tst.global.%s [%%out], %%d;\n", d)
	}
	b.WriteString("\tret;\n}\n")
	c.PTX = b.String()
	return c
}

func loadSource(name, ty string, offset int) string {
	if ty == "pred" {
		return fmt.Sprintf("\t.reg .pred %%%[1]s; .reg .b32 %%%[1]s0;\n\tld.global.b32 %%%[1]s0, [%%in+%[2]d];\n"+
			"\tand.b32 %%%[1]s0, %%%[1]s0, 1;\n\tsetp.ne.u32 %%%[1]s, %%%[1]s0, 0;\n", name, offset)
	}
	return fmt.Sprintf("\t.reg .%[2]s %%%[1]s;\n\tld.global.%[2]s %%%[1]s, [%%in+%[3]d];\n", name, registerType(ty), offset)
}

// inputsOf makes the values of an operand of a type: one in two is an edge case.
func inputsOf(key string) []byte {
	var ty string
	var operand int
	fmt.Sscan(key, &ty, &operand)
	out := make([]byte, 8*conformanceThreads)
	state := uint64(operand+1)*0x9e3779b97f4a7c15 + uint64(len(ty))
	next := func() uint64 {
		state ^= state << 13
		state ^= state >> 7
		state ^= state << 17
		return state
	}
	for range 8 {
		next()
	}
	edges := edgesOf(ty)
	for i := range conformanceThreads {
		v := next()
		if next()>>33&1 == 0 && len(edges) > 0 {
			v = edges[next()>>33%uint64(len(edges))]
		} else {
			v = spread(ty, v)
		}
		binary.LittleEndian.PutUint64(out[8*i:], v)
	}
	return out
}

// spread shapes random bits: numbers of moderate size are more telling than arbitrary ones.
func spread(ty string, v uint64) uint64 {
	switch ty {
	case "small":
		return v % 70
	case "lane":
		return v % 32
	case "tiny":
		return uint64(int64(v%9) - 4)
	case "f32":
		if v>>63 == 0 {
			return v & 0xffffffff
		}
		return uint64(math.Float32bits(float32(int32(v)) / float32(uint32(1)<<(v>>40&31))))
	case "f64":
		if v>>63 == 0 {
			return v >> 1 << 1
		}
		return math.Float64bits(float64(int64(v<<8)) / float64(uint64(1)<<(v>>50&63)))
	}
	return v
}

func edgesOf(ty string) []uint64 {
	switch ty {
	case "f32":
		return []uint64{0, 0x80000000, 1, 0x80000001, 0x007fffff, 0x00800000, 0x80800000, 0x3f800000, 0xbf800000,
			0x3f000000, 0x40200000, 0xc0200000, 0x3fc00000, 0x4b000001, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000,
			0x7fc00000, 0xffc12345, 0x7f812345, 0x4f000000, 0xcf000000, 0x4f800000, 0x5f000000, 0x33800000, 0x3f7fffff, 0x00000100}
	case "f64":
		return []uint64{0, 1 << 63, 1, 1<<63 | 1, 0x000fffffffffffff, 0x0010000000000000, 0x3ff0000000000000, 0xbff0000000000000,
			0x3fe0000000000000, 0x4004000000000000, 0xc004000000000000, 0x7fefffffffffffff, 0xffefffffffffffff, 0x7ff0000000000000,
			0xfff0000000000000, 0x7ff8000000000000, 0xfff8123456789abc, 0x41e0000000000000, 0x43e0000000000000, 0x43f0000000000000,
			0x380fffffffffffff, 0x36a0000000000000, 0x47efffffe0000000, 0x47efffffefffffff, 0x3fefffffffffffff}
	case "f16", "f16x2":
		return doubled(ty, []uint64{0, 0x8000, 1, 0x8001, 0x3ff, 0x400, 0x3c00, 0xbc00, 0x3800, 0x4100, 0xc100, 0x7bff, 0xfbff,
			0x7c00, 0xfc00, 0x7e00, 0xfe01, 0x7d55, 0x3e00})
	case "bf16", "bf16x2":
		return doubled(ty, []uint64{0, 0x8000, 1, 0x8001, 0x7f, 0x80, 0x3f80, 0xbf80, 0x3f00, 0x4020, 0xc020, 0x7f7f, 0xff7f,
			0x7f80, 0xff80, 0x7fc0, 0xffc1, 0x7f95})
	case "small", "lane", "tiny", "pred":
		return nil
	}
	n := 8 * typeSize(ty)
	top := uint64(1) << (n - 1)
	return []uint64{0, 1, 2, 3, 7, 100, top - 1, top, top + 1, math.MaxUint64, math.MaxUint64 - 1, math.MaxUint64 - 6, top >> 1, 0x5555555555555555}
}

func doubled(ty string, edges []uint64) []uint64 {
	if strings.HasSuffix(ty, "x2") {
		for i := range edges {
			edges[i] |= edges[(i*7+3)%len(edges)] << 16
		}
	}
	return edges
}

func TestConformance(t *testing.T) {
	cases := readConformance(t)
	if *conformanceInputs != "" {
		values := map[string]string{} // little-endian 64-bit words, hexadecimal
		for _, c := range cases {
			for _, key := range c.Inputs {
				values[key] = hex.EncodeToString(inputsOf(key))
			}
		}
		text, err := json.Marshal(map[string]any{"inputs": values, "cases": cases})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(*conformanceInputs, text, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	golden := map[string]string{}
	for _, line := range readLines(t, "golden.txt") {
		name, result, _ := strings.Cut(line, ": ")
		golden[name] = result
	}
	for _, c := range cases {
		want, ok := golden[c.Name]
		if !ok {
			t.Errorf("%s: no result of the GPU", c.Name)
			continue
		}
		if strings.HasPrefix(want, "invalid") {
			continue
		}
		t.Run(c.Name, func(t *testing.T) { c.check(t, want) })
	}
}

func (c *instructionCase) run(t *testing.T) []byte {
	b := load(t, c.PTX, nil)
	out, _ := b.device.Malloc(8*conformanceThreads, "out")
	in, _ := b.device.Malloc(uint64(8*conformanceThreads*max(len(c.Inputs), 1)), "in")
	for i, key := range c.Inputs {
		data := inputsOf(key)
		to, _ := b.device.Bytes(in+uint64(8*conformanceThreads*i), uint64(len(data)))
		copy(to, data)
	}
	l := sim.Launch{Grid: race.Dim3{conformanceThreads / 32}, Block: race.Dim3{32}, Args: args(out, in)}
	if _, err := b.launch("kernel", l); err != nil {
		t.Fatal(err)
	}
	result, _ := b.device.Bytes(out, 8*conformanceThreads)
	return result
}

// check compares with a hash of all results, or with the results themselves where PTX asks for
// an approximation only.
func (c *instructionCase) check(t *testing.T, want string) {
	result := c.run(t)
	if !c.Approx {
		sum := sha256.Sum256(result)
		if got := hex.EncodeToString(sum[:8]); got != want {
			t.Errorf("results have hash %s, want %s; see -conformance-inputs", got, want)
		}
		return
	}
	for i, text := range strings.Fields(want) {
		var w uint32
		fmt.Sscanf(text, "%x", &w)
		g := binary.LittleEndian.Uint32(result[8*i:])
		x := math.Float32frombits(binary.LittleEndian.Uint32(inputsOf(c.Inputs[0])[8*i:]))
		if !c.close32(x, math.Float32frombits(g), math.Float32frombits(w)) {
			t.Errorf("thread %d: %v (%#x), the GPU has %v (%#x)", i, math.Float32frombits(g), g, math.Float32frombits(w), w)
		}
	}
}

// close32 allows what the PTX ISA documents for approximate functions: a few units in the last
// place, 2^-11 for tanh, an absolute error around zero, and anything for the sine and cosine of what is
// beyond 2 pi.
func (c *instructionCase) close32(x, got, want float32) bool {
	if math.Float32bits(got) == math.Float32bits(want) || got != got && want != want {
		return true
	}
	relative := 0x1p-21
	switch name, _, _ := strings.Cut(c.Name, "."); name {
	case "tanh":
		relative = 0x1p-10
	case "sin", "cos":
		if math.Abs(float64(x)) > 2*math.Pi {
			return math.Abs(float64(got)) <= 1
		}
	}
	d := math.Abs(float64(got) - float64(want))
	return d <= math.Abs(float64(want))*relative || d <= 0x1p-20
}
