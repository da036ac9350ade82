package main

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
)

var update = flag.Bool("update", false, "write what the README shows of warplint's output anew")

// found is the part of the JSON that these tests look at.
type found struct {
	Kernels []struct {
		Name, File, Verdict string
		Reasons             []string
	}
	Findings []finding
	Errors   []struct{ File, Message string }
}

type finding struct {
	Rule    race.Rule
	Message string
	First   struct{ File string }
	Witness *struct{}
	Fixes   []struct {
		Title    string
		Verified bool
		Edits    []edit
	}
}

type edit struct {
	File      string
	Line      int
	Column    int
	EndLine   int `json:"end_line"`
	EndColumn int `json:"end_column"`
	Text      string
}

func checkJSON(t *testing.T, paths ...string) found {
	t.Helper()
	var stdout, stderr strings.Builder
	run(t.Context(), append([]string{"check", "--format", "json"}, paths...), &stdout, &stderr)
	var out found
	if err := json.Unmarshal([]byte(stdout.String()), &out); err != nil {
		t.Fatalf("check %v: %v\n%s", paths, err, stderr.String())
	}
	return out
}

// exampleRules says what each example shows: first the rule that it is about.
var exampleRules = map[string][]race.Rule{
	"stencil.cu":       {race.MissingSyncthreads, race.MissingSyncwarp}, // the left border stays within a warp
	"warp_sum.cu":      {race.MissingSyncwarp},
	"count.cu":         {race.AtomicScope},
	"publish.cu":       {race.FenceScope},
	"histogram.cu":     {race.InterBlockRace},
	"counter_reset.cu": {race.MixedAtomic},
}

// byHand are the examples that no change of the kernel alone mends: what is reset among updates belongs before the launch.
var byHand = map[string]bool{"counter_reset.cu": true}

// TestExamples: every example shows its rules and nothing else, each finding with a witness and
// a verified fix; mended by its fixes it is clean; and so is its version in fixed/.
func TestExamples(t *testing.T) {
	t.Chdir("../..")
	examples, err := filepath.Glob("examples/*.cu")
	if err != nil {
		t.Fatal(err)
	}
	if len(examples) != len(exampleRules) {
		t.Errorf("there are %d examples, and %d of them are tested", len(examples), len(exampleRules))
	}
	for _, path := range examples {
		name := filepath.Base(path)
		t.Run(name, func(t *testing.T) {
			result := checkJSON(t, path)
			rules := exampleRules[name]
			if !slices.ContainsFunc(result.Findings, func(f finding) bool { return f.Rule == rules[0] }) {
				t.Errorf("no finding of %s: %+v", rules[0], result)
			}
			for _, f := range result.Findings {
				if !slices.Contains(rules, f.Rule) {
					t.Errorf("%s: %s, want %s only", f.Rule, f.Message, rules)
				}
				if f.Witness == nil {
					t.Errorf("%s: %s has no witness", f.Rule, f.Message)
				}
				if mended := len(f.Fixes) > 0 && f.Fixes[0].Verified; mended == byHand[name] {
					t.Errorf("%s: %s has a verified fix: %v", f.Rule, f.Message, mended)
				}
			}
			if mended := filepath.Join(t.TempDir(), name); !byHand[name] {
				mend(t, path, mended)
				clean(t, mended)
			}
			clean(t, filepath.Join("examples", "fixed", name))
		})
	}
}

func clean(t *testing.T, path string) {
	t.Helper()
	result := checkJSON(t, path)
	for _, f := range result.Findings {
		t.Errorf("%s: %s: %s", path, f.Rule, f.Message)
	}
	for _, e := range result.Errors {
		t.Errorf("%s: %s", e.File, e.Message)
	}
	if len(result.Kernels) == 0 {
		t.Errorf("%s: no kernel in it", path)
	}
	for _, k := range result.Kernels {
		if k.Verdict != string(race.RaceFree) {
			t.Errorf("%s: kernel %s is %s: %q", path, k.Name, k.Verdict, k.Reasons)
		}
	}
}

// mend copies a file and applies the first fix of its first finding until none is left.
func mend(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	const rounds = 10
	for range rounds {
		if err := os.WriteFile(to, text, 0o644); err != nil {
			t.Fatal(err)
		}
		result := checkJSON(t, to)
		if len(result.Findings) == 0 || len(result.Findings[0].Fixes) == 0 {
			return
		}
		text = []byte(apply(to, string(text), result.Findings[0].Fixes[0].Edits))
	}
	t.Errorf("%s still has findings after %d fixes", from, rounds)
}

func apply(path, text string, edits []edit) string {
	file := source.New(path, text)
	at := func(line, column int) int { return file.Offset(source.Position{Line: line, Column: column}) }
	sort.Slice(edits, func(i, j int) bool {
		return at(edits[i].Line, edits[i].Column) > at(edits[j].Line, edits[j].Column)
	})
	for _, e := range edits {
		text = text[:at(e.Line, e.Column)] + e.Text + text[at(e.EndLine, e.EndColumn):]
	}
	return text
}

// TestReadmeShowsRealOutput: each block of the README that begins with a warplint command
// holds what that command prints.
func TestReadmeShowsRealOutput(t *testing.T) {
	t.Chdir("../..")
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	const open, end = "```\n$ bin/warplint ", "```\n"
	var out strings.Builder
	rest, blocks := string(text), 0
	for {
		before, after, ok := strings.Cut(rest, open)
		out.WriteString(before)
		if !ok {
			break
		}
		command, after, _ := strings.Cut(after, "\n")
		shown, after, _ := strings.Cut(after, end)
		var stdout, stderr strings.Builder
		run(t.Context(), strings.Fields(command), &stdout, &stderr)
		if shown != stdout.String() {
			if !*update {
				t.Errorf("the README shows\n%s\nbut warplint %s prints\n%s\n(go test ./cmd/warplint -update mends it)", shown, command, stdout.String())
			}
		}
		out.WriteString(open + command + "\n" + stdout.String() + end)
		rest = after
		blocks++
	}
	if blocks == 0 {
		t.Error("the README shows no output")
	}
	if *update {
		if err := os.WriteFile("README.md", []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
