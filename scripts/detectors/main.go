// Command detectors runs ScoR (csl-iisc/ScoR) on the simulator while all race detectors watch,
// and prints what each of them finds, as Markdown: of the microbenchmarks those that race and
// those that do not, as their names say; of the applications the races that their macro RACEY
// injects, one place at a time, beyond what the detector finds in the default build.
//
//	go run ./scripts/detectors [-detectors NAMES] [-schedules N] [-only NAME] [-instructions N] [-scale N] [-v] SCOR
//
// The last row of an application has the macro on at all places at once, as in the papers.
//
// With -cost it prints instead what each detector costs in ScoR's applications and in other programs:
// its processor time, as a multiple of that without any, and the bytes of its metadata per word of
// global memory that was touched, in the launch that touches most. The folders are ScoR's and those of
// samples, one program each.
//
//	go run ./scripts/detectors -cost [-detectors NAMES] [-only NAME] [-instructions N] [-rounds N] SCOR SAMPLE...
//
// A finding counts from severity warning on. The applications run on inputs of their own, small
// enough for a simulator.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"strings"
	"time"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
	"github.com/warplint/warplint/dynamic"
	"github.com/warplint/warplint/dynamic/toolchain"
	"github.com/warplint/warplint/internal/garbage"
	"github.com/warplint/warplint/scripts/internal/inject"
	"github.com/warplint/warplint/scripts/internal/inputs"
)

func main() {
	within := slices.DeleteFunc(dynamic.DetectorNames(), func(n string) bool { return n == "streams" }) // it sees nothing within a launch
	names := flag.String("detectors", strings.Join(within, ","), "who watches")
	schedules := flag.Int("schedules", 2, "schedules of each program")
	only := flag.String("only", "", "run only programs whose name contains this")
	verbose := flag.Bool("v", false, "print each finding: rule, lines, count")
	scale := flag.Int("scale", 1, "inputs so many times as large as the smallest")
	cost := flag.Bool("cost", false, "measure time and memory")
	rounds := flag.Int("rounds", 3, "how often to measure time; the least counts")
	instructions := flag.Uint64("instructions", maxInstructions, "warp instructions after which a launch ends")
	profile := flag.String("cpuprofile", "", "write a profile of processor time to this file")
	flag.Parse()
	garbage.Seldom(256 << 20) // as warplint simulate does
	if *profile != "" {
		file, err := os.Create(*profile)
		if err == nil {
			err = pprof.StartCPUProfile(file)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		defer pprof.StopCPUProfile()
	}
	if flag.NArg() < 1 || flag.NArg() > 1 && !*cost {
		fmt.Fprintln(os.Stderr, "usage: detectors [flags] SCOR\n       detectors -cost [flags] FOLDER...")
		os.Exit(2)
	}
	list := slices.DeleteFunc(strings.Split(*names, ","), func(n string) bool { return n == dynamic.NoDetector })
	detectors, err := dynamic.SelectDetectors(list)
	switch {
	case err != nil:
	case *cost:
		c := &costs{names: list, only: *only, instructions: *instructions, rounds: *rounds, times: map[string][]float64{}, bytes: map[string][]float64{}}
		err = c.print(flag.Args())
	default:
		err = (&table{names: list, detectors: detectors, schedules: *schedules, only: *only, scale: *scale, verbose: *verbose, instructions: *instructions}).print(flag.Arg(0))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}

// table is the comparison of some detectors.
type table struct {
	names        []string
	detectors    func(*dynamic.Sources) []dynamic.Detector
	schedules    int
	only         string
	scale        int
	verbose      bool
	instructions uint64
}

func (t *table) print(folder string) error {
	if err := t.micro(filepath.Join(folder, "microbenchmarks", "src")); err != nil {
		return err
	}
	return t.applications(filepath.Join(folder, "benchmarks"))
}

func (t *table) head(what ...string) {
	columns := append(what, t.names...)
	fmt.Printf("\n| %s |\n|%s\n", strings.Join(columns, " | "), strings.Repeat(" --- |", len(columns)))
}

// micro runs programs of one file whose names begin with race or norace.
func (t *table) micro(folder string) error {
	paths, err := filepath.Glob(filepath.Join(folder, "*.cu"))
	if err != nil || len(paths) == 0 {
		return fmt.Errorf("no programs in %s", folder)
	}
	t.head("microbenchmark")
	hits, alarms := map[string]int{}, map[string]int{}
	racy, clean := 0, 0
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".cu")
		if !strings.Contains(name, t.only) {
			continue
		}
		r, err := t.run([]string{path}, nil, "")
		if err != nil {
			return err
		}
		races := strings.HasPrefix(name, "race_")
		if races {
			racy++
		} else {
			clean++
		}
		row := []string{name}
		for _, d := range t.names {
			row = append(row, r.cell(d, nil, t.verbose))
			switch found := len(r.found[d]) > 0; {
			case found && races:
				hits[d]++
			case found:
				alarms[d]++
			}
		}
		fmt.Printf("| %s |%s\n", strings.Join(row, " | "), r.problems())
	}
	t.sum(fmt.Sprintf("found, of %d that race", racy), hits)
	t.sum(fmt.Sprintf("alarms, of %d that do not", clean), alarms)
	return nil
}

func (t *table) sum(what string, counts map[string]int) {
	row := []string{what}
	for _, d := range t.names {
		row = append(row, fmt.Sprint(counts[d]))
	}
	fmt.Printf("| **%s** |\n", strings.Join(row, " | "))
}

// applications runs each folder as it is, and then with each of its races.
func (t *table) applications(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	t.head("application", "race at")
	hits, places := map[string]int{}, 0
	for _, e := range entries {
		if !e.IsDir() || !strings.Contains(e.Name(), t.only) {
			continue
		}
		n, err := t.application(filepath.Join(folder, e.Name()), hits)
		if err != nil {
			return err
		}
		places += n
	}
	t.sum(fmt.Sprintf("found, of %d places | ", places), hits)
	return nil
}

func (t *table) application(folder string, hits map[string]int) (places int, err error) {
	p, err := inject.Load(folder, macro)
	if err != nil {
		return 0, err
	}
	usual, err := t.build(p, nowhere)
	if err != nil {
		return 0, err
	}
	t.row(folder, "nowhere", usual, nil)
	for i, s := range p.Sites {
		r, err := t.build(p, i)
		if err != nil {
			return 0, err
		}
		t.row(folder, fmt.Sprintf("%s:%d", s.File, s.First), r, usual)
		for _, d := range t.names {
			if r.cell(d, usual.found[d], false) != "" {
				hits[d]++
			}
		}
	}
	all, err := t.build(p, nowhere, macro)
	if err != nil {
		return 0, err
	}
	t.row(folder, "everywhere", all, usual)
	return len(p.Sites), nil
}

// row prints what the detectors find in a build, beyond what they find in the usual one.
func (t *table) row(folder, where string, r, usual *result) {
	row := []string{filepath.Base(folder), where}
	for _, d := range t.names {
		var known map[string]string
		if usual != nil {
			known = usual.found[d]
		}
		row = append(row, r.cell(d, known, t.verbose))
	}
	fmt.Printf("| %s |%s\n", strings.Join(row, " | "), r.problems())
}

const (
	macro   = "RACEY"
	nowhere = -1
)

// build runs an application with the macro on at one place or nowhere, and with more macros.
func (t *table) build(p *inject.Program, on int, macros ...string) (*result, error) {
	dir, err := os.MkdirTemp("", "detectors")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := p.Write(dir, on); err != nil {
		return nil, err
	}
	files, err := sources(dir)
	if err != nil {
		return nil, err
	}
	launch, known := inputs.Racy(filepath.Base(p.Folder), t.scale)
	if !known {
		return nil, fmt.Errorf("%s: no input is known for this application", p.Folder)
	}
	return t.run(files, append(macros, launch.Defines...), launch.Input)
}

// sources are the CUDA files of a folder, but for those that others include.
func sources(dir string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.cu"))
	return slices.DeleteFunc(files, func(f string) bool { return included(files, filepath.Base(f)) }), err
}

func included(files []string, name string) bool {
	for _, f := range files {
		if text, err := os.ReadFile(f); err == nil && bytes.Contains(text, []byte("#include \""+name+"\"")) {
			return true
		}
	}
	return false
}

// Limits of a schedule: some builds hang where a race keeps threads apart.
const (
	maxInstructions = 2_000_000
	maxTime         = 2 * time.Minute
)

func (t *table) run(files, defines []string, input string) (*result, error) {
	got, err := dynamic.Simulate(context.Background(), &dynamic.Options{
		Files: files, Seed: 1, Schedules: t.schedules, Detectors: t.detectors, Instructions: t.instructions, Timeout: maxTime,
		Stdin: &again{text: input}, Stdout: io.Discard, Stderr: io.Discard, Dir: os.TempDir(),
		Compile: func(string) toolchain.Options { return toolchain.Options{Defines: defines} },
	})
	if err != nil {
		return nil, err
	}
	return newResult(got), nil
}

// again reads a text, and the same text again for the next schedule.
type again struct {
	text string
	read int
}

// Read implements io.Reader.
func (a *again) Read(to []byte) (int, error) {
	if a.read == len(a.text) {
		a.read = 0
		return 0, io.EOF
	}
	n := copy(to, a.text[a.read:])
	a.read += n
	return n, nil
}

// result is what the detectors found: the findings by detector and by their lines.
type result struct {
	found   map[string]map[string]string
	trouble []string
}

func newResult(got *dynamic.Result) *result {
	r := &result{found: map[string]map[string]string{}}
	for _, p := range got.Problems {
		r.trouble = append(r.trouble, p.Message)
	}
	line := func(s source.Span) string {
		file, ok := got.Sources.File(s.File)
		if !ok {
			return "?"
		}
		return fmt.Sprint(file.Position(s.Start).Line)
	}
	for _, f := range got.Findings {
		if f.Severity < race.Warning {
			continue
		}
		if r.found[f.Detector] == nil {
			r.found[f.Detector] = map[string]string{}
		}
		lines := line(f.First.Span) + "/" + line(f.Second.Span)
		text := fmt.Sprintf("%s %s %s ×%d", f.Rule, f.Kind, lines, f.Count)
		if before := r.found[f.Detector][lines]; before != "" {
			text = before + ", " + text
		}
		r.found[f.Detector][lines] = text
	}
	return r
}

// cell lists what a detector found, but for what is known.
func (r *result) cell(detector string, known map[string]string, verbose bool) string {
	var list []string
	for lines, text := range r.found[detector] {
		if _, old := known[lines]; old {
			continue
		}
		if !verbose {
			text = lines
		}
		list = append(list, text)
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

func (r *result) problems() string {
	if len(r.trouble) == 0 {
		return ""
	}
	return " " + strings.Join(r.trouble, "; ")
}
