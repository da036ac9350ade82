package report

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
)

var update = flag.Bool("update", false, "write the golden files")

// sample builds spans by searching for text, so that tests don't count bytes.
type sample struct {
	t     *testing.T
	files source.Map
}

func (s sample) add(path, text string) { s.files[path] = source.New(path, text) }

// at returns the span of the n-th occurrence of a text, counted from 1.
func (s sample) at(path, text string, n int) source.Span {
	s.t.Helper()
	from := 0
	for {
		i := strings.Index(s.files[path].Text[from:], text)
		if i < 0 {
			s.t.Fatalf("%s has no occurrence %d of %q", path, n, text)
		}
		if n--; n == 0 {
			return source.Span{File: path, Start: from + i, End: from + i + len(text)}
		}
		from += i + len(text)
	}
}

const stencilText = `#define R 3
__global__ void stencil(const int *in, int *out) {
	__shared__ int tile[70];
	int t = threadIdx.x;
	tile[t + R] = in[t];
	if (t < R) {
		tile[t] = 0;
	}
	out[t] = tile[t] + tile[t + 2 * R];
}
int main() { stencil<<<1, 64>>>(nullptr, nullptr); }
`

// stencil is a usual finding: two places, a witness with its launch, a fix.
func stencil(s sample) Part {
	s.add("stencil.cu", stencilText)
	insert := s.at("stencil.cu", "\tout[t]", 1)
	insert.End = insert.Start
	return Part{
		Kernels: []race.Kernel{
			{Name: "stencil", Span: s.at("stencil.cu", "stencil", 1), Verdict: race.Racy, Milliseconds: 1.23456},
			{Name: "other", Span: s.at("stencil.cu", "main", 1), Verdict: race.Unknown,
				Reasons: []string{"inline assembly in line 4 was not understood"}, Assumes: []string{"in and out do not overlap"}},
		},
		Findings: Static([]race.Finding{{
			Source: "static", Rule: race.MissingSyncthreads, Kind: race.IntraBlock, Severity: race.Warning,
			Kernel: "stencil", Space: "shared", Variable: "tile",
			Message: "two threads of a block write and read `tile`, with no barrier between",
			Why:     "The two threads are in different warps, and no __syncthreads() lies between the accesses.",
			Mend:    "Insert __syncthreads() before the read.",
			First:   race.Site{Span: s.at("stencil.cu", "tile[t + R]", 1), Access: race.Write},
			Second:  race.Site{Span: s.at("stencil.cu", "tile[t + 2 * R]", 1), Access: race.Read},
			Witness: &race.Witness{Grid: race.Dim3{1, 1, 1}, Block: race.Dim3{64, 1, 1},
				First: race.Thread{Thread: race.Dim3{32, 0, 0}}, Second: race.Thread{Thread: race.Dim3{29, 0, 0}},
				Parameters: map[string]int64{"n": 64, "m": 2}, Launch: s.at("stencil.cu", "stencil<<<", 1)},
			Assumes: []string{"in and out do not overlap"},
			Fixes: []race.Fix{{Title: "Insert __syncthreads()", Verified: true,
				Edits: []race.Edit{{Span: insert, Text: "\t__syncthreads();\n"}}}, {Title: "Do without the tile"}},
		}}),
		Suppressed: []Finding{{Reason: "one block only", Finding: race.Finding{
			Source: "static", Rule: race.AtomicScope, Kind: race.InterBlock, Severity: race.Warning, Kernel: "stencil", Space: "global", Variable: "out",
			Message: "an ignored finding",
			First:   race.Site{Span: s.at("stencil.cu", "out[t]", 1), Access: race.Write},
			Second:  race.Site{Span: s.at("stencil.cu", "out[t]", 1), Access: race.Write},
		}}},
		Problems: []race.Problem{{File: "b.cu", Message: "no such file or folder"}},
	}
}

// odd is text that is hard to show: CRLF, tabs, wide and combining characters, controls, both
// places on one line, another file, calls and macros, no witness.
func odd(s sample) Part {
	s.add("dir/größe, 1:2.cu", "// 计数 e\u0301\x1b[31m\r\n__device__ int 数;\r\nvoid k() {\r\n\tint\ta = /* 漢字 */ x[0] +\tx[1]; // π\xff\r\n\r\n\r\n\r\n\tx[2] = HELP(a,\r\n\t\t3);\r\n}\r\n")
	s.add("other.cuh", "#define HELP(a, b) \\\n  (a) + (b)\nint last = add(x)")
	name := "dir/größe, 1:2.cu"
	return Part{Findings: Static([]race.Finding{
		{
			Source: "static", Rule: race.AtomicScope, Kind: race.InterBlock, Severity: race.Error,
			Kernel: "k", Space: "global", Variable: "x",
			Message: "100% wrong:\ntwo lines, and a comma",
			First:   race.Site{Span: s.at(name, "x[0]", 1), Access: race.Atomic, Scope: race.ScopeBlock},
			Second:  race.Site{Span: s.at(name, "x[1]", 1), Access: race.Write},
			Fixes: []race.Fix{{Title: "Widen both", Edits: []race.Edit{
				{Span: s.at(name, "x[1]", 1), Text: "y[1]"},
				{Span: s.at(name, "x[0]", 1), Text: "数[0]"},
				{Span: s.at("other.cuh", "add", 1), Text: "sum"},
			}}},
		},
		{
			Source: "static", Rule: race.MixedAtomic, Kind: race.IntraWarp, Severity: race.Information,
			Kernel: "k", Space: "global", Variable: "x", Message: "across files",
			First: race.Site{Span: s.at(name, "x[2] = HELP(a,\r\n\t\t3)", 1), Access: race.Write,
				Inlined: []source.Span{s.at(name, "k()", 1)}, Macro: s.at("other.cuh", "(a) + (b)", 1)},
			Second: race.Site{Span: s.at("other.cuh", "add(x)", 1), Access: race.Read, Library: s.at(name, "x[0]", 1)},
			Witness: &race.Witness{Grid: race.Dim3{2, 3, 4}, Block: race.Dim3{8, 8, 1},
				First: race.Thread{Block: race.Dim3{1, 0, 0}}, Second: race.Thread{Thread: race.Dim3{1, 2, 0}}},
		},
		{
			Source: "dynamic", Rule: race.SameValueWrite, Kind: race.IntraWarp, Severity: race.Hint,
			Kernel: "k", Message: "the same place twice, in a file that is gone",
			First:  race.Site{Span: source.Span{File: "gone.cu", Start: 5, End: 9}, Access: race.Write},
			Second: race.Site{Span: source.Span{File: "gone.cu", Start: 5, End: 9}, Access: race.Write},
		},
	})}
}

// overlap is a race between a kernel and a copy, of different streams.
func overlap(s sample) Part {
	s.add("overlap.cu", "__global__ void fill(int *a) { a[threadIdx.x] = 1; }\nvoid run(int *a, int *host, cudaStream_t s) {\n  fill<<<1, 32, 0, s>>>(a);\n  cudaMemcpy(host, a, 128, cudaMemcpyDefault);\n}\n")
	f := race.Finding{
		Source: "dynamic", Rule: race.StreamOrder, Kind: race.InterGrid, Severity: race.Error, Kernel: "fill", Space: "global", Variable: "a",
		Message: "kernel `fill` and a copy in different streams: one writes `a`, the other reads it, and nothing orders them",
		Why:     "The host has not waited.", Mend: "Let it wait.",
		First:  race.Site{Span: s.at("overlap.cu", "a[threadIdx.x]", 1), Access: race.Write},
		Second: race.Site{Span: s.at("overlap.cu", "cudaMemcpy", 1), Access: race.Read},
		Operations: []race.Operation{
			{What: "kernel `fill`", Stream: "stream `s`", Span: s.at("overlap.cu", "fill<<<", 1), Kernel: "fill", Grid: race.Dim3{1, 1, 1}, Block: race.Dim3{32, 1, 1},
				Thread: race.Thread{Thread: race.Dim3{3, 0, 0}}},
			{What: "a copy", Stream: "the default stream", Span: s.at("overlap.cu", "cudaMemcpy", 1)},
		},
	}
	return Part{Findings: []Finding{{Finding: f, Detector: "streams", Count: 2}}}
}

func render(t *testing.T, format string, files source.Provider, color bool, parts ...Part) string {
	t.Helper()
	var out bytes.Buffer
	w, err := New(format, &out, Options{Files: files, Version: "0.1.0", Color: color})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range parts {
		if err := w.Add(p); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestGolden(t *testing.T) {
	parts := map[string]func(sample) Part{
		"stencil": stencil,
		"odd":     odd,
		"overlap": overlap,
		"empty":   func(sample) Part { return Part{} },
	}
	for name, build := range parts {
		for _, format := range []string{"text", "color", "json", "sarif", "github"} {
			t.Run(name+"/"+format, func(t *testing.T) {
				s := sample{t, source.Map{}}
				part := build(s)
				var got string
				if format == "color" {
					got = render(t, "text", s.files, true, part)
				} else {
					got = render(t, format, s.files, false, part)
				}
				if format == "sarif" {
					got = withoutRules(t, got)
				}
				golden(t, name+"."+format, got)
			})
		}
	}
}

// TestReasonsAreToldOnce: of two findings with one reason the first tells it.
func TestReasonsAreToldOnce(t *testing.T) {
	s := sample{t, source.Map{}}
	part := stencil(s)
	again := part
	why := "= why: "
	before := strings.Count(render(t, "text", s.files, false, part), why)
	if got := strings.Count(render(t, "text", s.files, false, part, again), why); before == 0 || got != before {
		t.Errorf("%d reasons are told of the findings twice, %d of them once", got, before)
	}
}

// withoutRules drops the rule pages from a SARIF log, so that its golden file changes only
// with the format.
func withoutRules(t *testing.T, text string) string {
	var doc map[string]any
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	driver := doc["runs"].([]any)[0].(map[string]any)["tool"].(map[string]any)["driver"].(map[string]any)
	delete(driver, "rules")
	out, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(out) + "\n"
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (write it anew with -update)\ngot:\n%s\nwant:\n%s", path, got, want)
	}
}

// TestMarksStandUnderTheirText checks the excerpt's columns without a golden file: the carets
// lie under the characters that the span names, counted in screen columns.
func TestMarksStandUnderTheirText(t *testing.T) {
	plain := func(s string) string { return s }
	cases := []struct{ line, mark, under string }{
		{"a = b;", "b", "    ^"},
		{"\ta = b;", "b", "        ^"},
		{"ab\ta = b;", "a =", "    ^^^"},
		{"漢 b", "b", "   ^"},
		{"漢 b", "漢", "^^"},
		{"e\u0301 b", "b", "  ^"},
		{"\xff b", "b", "  ^"},
		{"\u202e b", "b", "  ^"},
		{"\x1b[1m b", "b", "     ^"},
		{"\uFEFFint b", "b", "    ^"},
		{"\f b", "b", "  ^"},
	}
	for _, c := range cases {
		file := source.New("a.cu", c.line+"\r\n")
		start := strings.LastIndex(c.line, c.mark)
		if strings.HasPrefix(c.mark, "a") {
			start = strings.Index(c.line, "\ta") + 1
		}
		span := source.Span{File: "a.cu", Start: start, End: start + len(c.mark)}
		rows := markedLine(gutter{width: 1, paint: plain}, file, 1, []mark{{span, "here", plain}})
		if want := "  | " + c.under + " here"; rows[1] != want {
			t.Errorf("%q: %q is marked\n%s\nwant\n%s", c.line, c.mark, strings.Join(rows, "\n"), want)
		}
		if !strings.ContainsAny(c.line, "\xff\u202e\x1b") && strings.Contains(rows[0], "\uFFFD") {
			t.Errorf("%q has nothing odd, and is shown as %q", c.line, rows[0])
		}
		if strings.ContainsAny(rows[0], "\x1b\r\t\f\u202e\ufeff") {
			t.Errorf("%q is shown with characters that steer a terminal: %q", c.line, rows[0])
		}
	}
}

func TestLongLinesAreCutAroundTheMark(t *testing.T) {
	plain := func(s string) string { return s }
	text := strings.Repeat("x", 5000) + " target " + strings.Repeat("y", 5000)
	file := source.New("a.cu", text)
	at := strings.Index(text, "target")
	rows := markedLine(gutter{width: 1, paint: plain}, file, 1, []mark{{source.Span{File: "a.cu", Start: at, End: at + 6}, "here", plain}})
	if len(rows[0]) > 2*maxWidth || !strings.Contains(rows[0], "target") {
		t.Fatalf("the excerpt does not show the mark, or is too long: %q", rows[0])
	}
	column := func(row, what string) int { return len([]rune(row[:strings.Index(row, what)])) }
	if got, want := column(rows[1], "^"), column(rows[0], "target"); got != want {
		t.Errorf("the mark is in column %d, its text in column %d:\n%s", got, want, strings.Join(rows, "\n"))
	}
}

// TestJSONFieldsAndOrder holds the outside of warplint: these fields, in this order, come
// first in each object. Fields may only be added behind them.
func TestJSONFieldsAndOrder(t *testing.T) {
	s := sample{t, source.Map{}}
	text := render(t, "json", s.files, false, stencil(s))
	want := map[string][]string{
		"":                               {"version", "tool", "kernels", "findings", "errors"},
		"tool":                           {"name", "version"},
		"kernels":                        {"name", "file", "line", "verdict", "reasons", "milliseconds"},
		"findings":                       {"source", "rule", "kind", "severity", "kernel", "space", "variable", "message", "first", "second", "witness", "fixes"},
		"findings.first":                 {"file", "line", "column", "end_line", "end_column", "access", "scope"},
		"findings.second":                {"file", "line", "column", "end_line", "end_column", "access", "scope"},
		"findings.witness":               {"grid", "block", "first_thread", "second_thread", "parameters", "launch"},
		"findings.fixes":                 {"title", "verified", "edits"},
		"findings.fixes.edits":           {"file", "line", "column", "end_line", "end_column", "text"},
		"findings.witness.launch":        {"file", "line"},
		"findings.witness.first_thread":  {"block", "thread"},
		"findings.witness.second_thread": {"block", "thread"},
		"errors":                         {"file", "message"},
	}
	got := map[string][]string{}
	keys(t, json.NewDecoder(strings.NewReader(text)), "", got)
	for path, fields := range want {
		if len(got[path]) < len(fields) || !slices.Equal(got[path][:len(fields)], fields) {
			t.Errorf("object %q has the fields %v, want first %v", path, got[path], fields)
		}
	}
}

// keys collects the keys of the first object at each path, in the order of the text.
func keys(t *testing.T, d *json.Decoder, path string, got map[string][]string) {
	token, err := d.Token()
	if err != nil {
		t.Fatal(err)
	}
	delim, ok := token.(json.Delim)
	if !ok {
		return
	}
	_, seen := got[path]
	for d.More() {
		if delim == '[' {
			keys(t, d, path, got)
			continue
		}
		key, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		if !seen {
			got[path] = append(got[path], key.(string))
		}
		keys(t, d, strings.TrimPrefix(path+"."+key.(string), "."), got)
	}
	if _, err := d.Token(); err != nil {
		t.Fatal(err)
	}
}

// TestJSONIsAsDocumented holds the example of docs/command-line.md to the output: the same
// fields, in the same order, with values of the same type.
func TestJSONIsAsDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/command-line.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(page), "```json\n")
	example, _, _ = strings.Cut(example, "```")
	s := sample{t, source.Map{}}
	output := render(t, "json", s.files, false, stencil(s))
	want, got := map[string][]string{}, map[string][]string{}
	keys(t, json.NewDecoder(strings.NewReader(output)), "", want)
	keys(t, json.NewDecoder(strings.NewReader(example)), "", got)
	named := func(path string, _ []string) bool {
		// Parameters have the program's names; suppressed findings are like the others.
		return path == "findings.witness.parameters" || strings.HasPrefix(path, "suppressed")
	}
	maps.DeleteFunc(want, named)
	maps.DeleteFunc(got, named)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the documented example has the fields\n%v\nbut the output has\n%v", got, want)
	}
	var a, b any
	for text, into := range map[string]*any{example: &a, output: &b} {
		if err := json.Unmarshal([]byte(text), into); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
	}
	sameTypes(t, "", a, b)
}

// sameTypes compares the types of what two JSON values have in common.
func sameTypes(t *testing.T, path string, a, b any) {
	if reflect.TypeOf(a) != reflect.TypeOf(b) {
		t.Errorf("%s is a %T in the documentation and a %T in the output", path, a, b)
		return
	}
	switch a := a.(type) {
	case map[string]any:
		for key, value := range a {
			if other, ok := b.(map[string]any)[key]; ok {
				sameTypes(t, path+"."+key, value, other)
			}
		}
	case []any:
		other := b.([]any)
		for i := range min(len(a), len(other)) {
			sameTypes(t, path, a[i], other[i])
		}
	}
}

func TestJSONListsAreNeverNull(t *testing.T) {
	text := render(t, "json", source.Map{}, false, Part{
		Kernels:  []race.Kernel{{Name: "k"}},
		Findings: []Finding{{Finding: race.Finding{Fixes: []race.Fix{{}}, Witness: &race.Witness{}}}},
	}) + render(t, "json", source.Map{}, false)
	for line := range strings.Lines(text) {
		if strings.Contains(line, "null") && !strings.Contains(line, `"launch"`) {
			t.Errorf("null in the output: %s", line)
		}
	}
}

func TestSARIFIsValid(t *testing.T) {
	for name, build := range map[string]func(sample) Part{"stencil": stencil, "odd": odd, "empty": func(sample) Part { return Part{} }} {
		s := sample{t, source.Map{}}
		log, err := sarif.FromString(render(t, "sarif", s.files, false, build(s)))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := log.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestFingerprintSurvivesEdits: lines that come and go above a finding don't change it, and
// two findings are never one.
func TestFingerprintSurvivesEdits(t *testing.T) {
	print := func(prefix string) string {
		s := sample{t, source.Map{}}
		part := stencil(s)
		s.add("stencil.cu", prefix+stencilText)
		f := part.Findings[0].Finding
		f.First.Span = s.at("stencil.cu", "tile[t + R]", 1)
		f.Second.Span = s.at("stencil.cu", "tile[t + 2 * R]", 1)
		log, err := sarif.FromString(render(t, "sarif", s.files, false, Part{Findings: Static([]race.Finding{f, f})}))
		if err != nil {
			t.Fatal(err)
		}
		a := log.Runs[0].Results[0].PartialFingerprints["warplintPair/v1"]
		if b := log.Runs[0].Results[1].PartialFingerprints["warplintPair/v1"]; a == b {
			t.Errorf("two results share the fingerprint %s", a)
		}
		return a
	}
	if a, b := print(""), print("// a line\n\n"); a != b {
		t.Errorf("the fingerprint changed from %s to %s with lines above it", a, b)
	}
}

func TestUnknownFormatNamesTheFormats(t *testing.T) {
	_, err := New("xml", nil, Options{})
	if err == nil || !strings.Contains(err.Error(), "sarif") {
		t.Errorf("error %v does not name the formats", err)
	}
}
