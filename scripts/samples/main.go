// Command samples runs whole CUDA programs under `warplint simulate` and prints a table in
// Markdown: which pass their own check, and why the others do not.
//
//	go run ./scripts/samples [-limit 60s] [-full] [-detector none] [-D NAME=VALUE]... [-inputs FOLDER] [-warplint bin/warplint] FOLDER...
//
// A folder below those named holds programs if it has a CMakeLists.txt with add_executable, or
// else a Makefile with FILES; without either, each .cu file is a program. Programs that need
// a library, graphics or several GPUs are listed with that as the reason. The arguments are those
// of a test_args.json above the folder, as cuda-samples has it. ScoR's applications get small inputs,
// and programs that repeat something hundreds of times to time it repeat it less (scaled.go), except with -full.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/warplint/warplint/dynamic"
	"github.com/warplint/warplint/dynamic/toolchain"
	"github.com/warplint/warplint/scripts/internal/inputs"
)

// options are the command line.
type options struct {
	limit              time.Duration
	detector, warplint string
	inputs             string // a folder with NAME.txt for what program NAME reads from standard input
	defines            []string
	full               bool
}

func main() {
	var o options
	flag.DurationVar(&o.limit, "limit", time.Minute, "time for one program, without compilation")
	flag.StringVar(&o.detector, "detector", "none", "the detectors that watch")
	flag.StringVar(&o.warplint, "warplint", "bin/warplint", "the program to measure")
	flag.StringVar(&o.inputs, "inputs", "", "a folder with NAME.txt for each program that reads standard input")
	flag.BoolVar(&o.full, "full", false, "repeat what programs time as often as they want")
	flag.Func("D", "a macro, as NAME=VALUE; may be repeated", func(s string) error {
		o.defines = append(o.defines, "-D", s)
		return nil
	})
	flag.Parse()
	path, err := filepath.Abs(o.warplint)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	o.warplint = path
	fmt.Print("| program | result | seconds | million instructions | million lane-operations |\n| --- | --- | --- | --- | --- |\n")
	count := map[string]int{}
	for _, argument := range flag.Args() {
		folder, err := filepath.Abs(argument)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		for _, p := range find(folder) {
			r := outcome{kind: "excluded", detail: p.needs}
			if p.needs == "" {
				r = p.run(&o)
			}
			count[r.kind]++
			name := p.name
			if !o.full && scaled[name] != nil {
				name += " (scaled)"
			}
			fmt.Println(r.row(name))
		}
	}
	fmt.Printf("\n%d pass their own check, %d run and have none, %d fail, %d need what is not there\n",
		count["passes"], count["runs"], count["fails"], count["excluded"])
}

// program is what one executable is made of.
type program struct {
	name, folder string
	files        []string // within the folder
	flags        []string // of warplint
	args         []string
	modules      map[string]string // files that the build makes of device code: PTX, by the .cu file
	needs        string            // what it cannot run without; empty if nothing
}

// find returns the programs below a folder.
func find(root string) []program {
	var all []program
	walk := func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			all = append(all, inFolder(path)...)
		}
		return err
	}
	if err := filepath.WalkDir(root, walk); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return all
}

var (
	executable   = regexp.MustCompile(`(?m)^[^#\n]*add_executable\s*\(\s*([\w.-]+)\s+([^)]*)\)`)
	packageUse   = regexp.MustCompile(`(?m)^[^#\n]*find_package\(\s*(\w+)`)
	library      = regexp.MustCompile(`(?m)^[^#\n]*CUDA::(\w+)|\$\{(NVVM_LIB|llvm_libs)\}`)
	includeFlag  = regexp.MustCompile(`(?m)^[^#\n]*include_directories\s*\(([^)]*)\)`)
	moduleFile   = regexp.MustCompile(`CUDA_(?:FATBIN|PTX)_FILE "?\$\{CMAKE_CURRENT_BINARY_DIR\}/(?:data/)?([\w.]+)`)
	moduleSource = regexp.MustCompile(`CUDA_KERNEL_SOURCE "?\$\{CMAKE_CURRENT_SOURCE_DIR\}/([\w.]+)`)
	makefileFlag = regexp.MustCompile(`(?m)^(\w+)\s*\?=\s*(\d+)\s*$`)
	makefileList = regexp.MustCompile(`(?m)^FILES\s*:?=\s*(.+)$`)
	header       = regexp.MustCompile(`(?m)^\s*#\s*include\s*[<"](cufft|cublas(Lt|Xt)|mpi\.h|GL/|cudla)`)
	missing      = regexp.MustCompile(`'([^']+)' file not found`)
)

// inFolder returns the programs of one folder.
func inFolder(folder string) []program {
	if text, err := os.ReadFile(filepath.Join(folder, "CMakeLists.txt")); err == nil {
		return cmake(folder, string(text))
	}
	if text, err := os.ReadFile(filepath.Join(folder, "Makefile")); err == nil {
		return makefile(folder, string(text))
	}
	paths, _ := filepath.Glob(filepath.Join(folder, "*.cu"))
	var all []program
	for _, path := range paths {
		name := filepath.Base(path)
		if _, err := os.Stat(filepath.Join(filepath.Dir(folder), "CMakeLists.txt")); err == nil {
			break // the parts of a program whose list of files is above
		}
		all = append(all, program{name: strings.TrimSuffix(name, ".cu"), folder: folder, files: []string{name}})
	}
	return all
}

func makefile(folder, text string) []program {
	list := makefileList.FindStringSubmatch(text)
	if list == nil {
		return nil
	}
	p := program{name: filepath.Base(folder), folder: folder, files: strings.Fields(list[1]), flags: []string{"-I", folder}}
	for _, m := range makefileFlag.FindAllStringSubmatch(text, -1) {
		p.flags = append(p.flags, "-D", m[1]+"="+m[2])
	}
	return []program{p}
}

func cmake(folder, text string) []program {
	var all []program
	seen := map[string]bool{}
	for _, m := range executable.FindAllStringSubmatch(text, -1) {
		p := program{name: m[1], folder: folder, flags: includes(folder, text)}
		for _, word := range strings.Fields(m[2]) {
			word = strings.TrimPrefix(word, "${CMAKE_CURRENT_SOURCE_DIR}/")
			if toolchain.IsSource(word) {
				p.files = append(p.files, word)
			}
		}
		if len(p.files) == 0 || seen[p.name] {
			continue
		}
		seen[p.name] = true
		if file, source := moduleFile.FindStringSubmatch(text), moduleSource.FindStringSubmatch(text); file != nil && source != nil {
			p.modules = map[string]string{file[1]: source[1]}
		}
		p.needs = needs(text)
		for _, f := range p.files {
			if p.needs == "" {
				p.needs = includesLibrary(folder, f)
			}
		}
		p.arguments()
		all = append(all, p)
	}
	return all
}

func includes(folder, text string) []string {
	var flags []string
	for _, m := range includeFlag.FindAllStringSubmatch(text, -1) {
		for _, dir := range strings.Fields(m[1]) {
			if !strings.Contains(dir, "$") {
				flags = append(flags, "-I", filepath.Join(folder, dir))
			}
		}
	}
	return flags
}

// needs says what a build wants that is no part of CUDA's runtime and driver.
func needs(text string) string {
	for _, m := range packageUse.FindAllStringSubmatch(text, -1) {
		if m[1] != "CUDAToolkit" && m[1] != "OpenMP" {
			return m[1]
		}
	}
	for _, m := range library.FindAllStringSubmatch(text, -1) {
		if m[2] != "" {
			return "libNVVM"
		}
		if !slices.Contains([]string{"cudart", "cuda_driver", "curand", "nvrtc", "cublas"}, m[1]) {
			return m[1]
		}
	}
	return ""
}

func includesLibrary(folder, file string) string {
	text, err := os.ReadFile(filepath.Join(folder, file))
	if err != nil {
		return file
	}
	m := header.FindSubmatch(text)
	if m == nil {
		return ""
	}
	return strings.TrimRight(string(m[1]), "/")
}

// runArguments is an entry of test_args.json.
type runArguments struct {
	Args    []string       `json:"args"`
	Runs    []runArguments `json:"runs"`
	MinGPUs int            `json:"min_gpus"`
	Skip    bool           `json:"skip"`
}

// arguments looks for the test_args.json of the nearest folder above.
func (p *program) arguments() {
	for dir := filepath.Clean(p.folder); ; dir = filepath.Dir(dir) {
		text, err := os.ReadFile(filepath.Join(dir, "test_args.json"))
		if err == nil {
			all := map[string]runArguments{}
			if err := json.Unmarshal(text, &all); err != nil {
				fmt.Fprintln(os.Stderr, err)
			}
			entry := all[p.name]
			if len(entry.Runs) > 0 {
				entry.Args = entry.Runs[0].Args
			}
			p.args = entry.Args
			switch {
			case p.needs != "":
			case entry.MinGPUs > 1:
				p.needs = "several GPUs"
			case entry.Skip:
				p.needs = "what its own tests do not have either"
			}
		}
		if err == nil || dir == filepath.Dir(dir) {
			return
		}
	}
}

// outcome is what a run came to.
type outcome struct {
	kind    string // passes, runs, fails or excluded
	detail  string
	seconds float64
	run     dynamic.Run
}

var (
	says    = regexp.MustCompile(`(?i)\b(test )?(pass(ed)?|succe(ss|eded|ssful|ssfully)|completed|ok(ay)?)\b|\b0 errors`)
	ending  = regexp.MustCompile(`^the (program|run) `)
	failure = regexp.MustCompile(`\bFAIL|[Ff]ailed\b|FAILURE|Error!|MISMATCH`)

	// What a kernel's assert says, which may be what the program is about.
	assertion     = regexp.MustCompile("(?m)^.*(Assertion `|assertion failed|failed as expected).*$")
	statusOfCheck = regexp.MustCompile(`\?\s*EXIT_SUCCESS\s*:\s*EXIT_FAILURE|\?\s*EXIT_FAILURE\s*:\s*EXIT_SUCCESS`)
)

func (p *program) run(o *options) outcome {
	folder, err := p.workingFolder()
	if err != nil {
		return outcome{kind: "fails", detail: err.Error()}
	}
	defer os.RemoveAll(folder)
	source := p.folder
	if !o.full && scaled[p.name] != nil {
		source = folder
		if err := p.scale(folder); err != nil {
			return outcome{kind: "fails", detail: err.Error()}
		}
	}
	args := []string{"simulate", "--format", "json", "--fail-on", "never", "--timeout", o.limit.String(), "--detector", o.detector}
	args = append(append(args, p.flags...), o.defines...)
	for _, f := range p.files {
		args = append(args, filepath.Join(source, f))
	}
	args = append(args, "--")
	cmd := exec.Command(o.warplint, append(args, p.args...)...)
	var stdout, stderr bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = folder, &stdout, &stderr
	if text, err := os.ReadFile(filepath.Join(o.inputs, p.name+".txt")); err == nil {
		cmd.Stdin = bytes.NewReader(text)
	} else if known, ok := inputs.ScoR[p.name]; ok {
		cmd.Stdin = strings.NewReader(known(1))
	}
	err = cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return outcome{kind: "fails", detail: err.Error()}
	}
	var result struct {
		Run    dynamic.Run
		Errors []struct{ Message string }
	}
	if json.Unmarshal(stdout.Bytes(), &result) != nil {
		r := outcome{kind: "fails", detail: reason(stderr.String())}
		if m := missing.FindStringSubmatch(r.detail); m != nil && !strings.HasPrefix(m[1], "cuda") {
			r = outcome{kind: "excluded", detail: m[1]} // a header that is not CUDA's
		}
		return r
	}
	r := outcome{kind: "runs", seconds: result.Run.Seconds, run: result.Run}
	text := stderr.String()
	fault := ""
	for _, e := range result.Errors {
		// A fault of a kernel may be what a program is about; how it ends says what it thinks of it.
		if ending.MatchString(e.Message) || fault == "" {
			fault = e.Message
		}
	}
	switch {
	case ending.MatchString(fault):
		r.kind, r.detail = "fails", fault
	case failure.MatchString(assertion.ReplaceAllString(text, "")):
		r.kind, r.detail = "fails", lineWith(text, failure)
	case says.MatchString(text) || p.endsByResult():
		r.kind = "passes"
	case fault != "":
		r.kind, r.detail = "fails", fault
	}
	return r
}

// workingFolder makes a folder that has what the program's has, and the modules that it loads.
func (p *program) workingFolder() (string, error) {
	dir, err := os.MkdirTemp("", "samples")
	if err != nil {
		return "", err
	}
	entries, err := os.ReadDir(p.folder)
	for _, e := range entries {
		if err == nil {
			err = os.Symlink(filepath.Join(p.folder, e.Name()), filepath.Join(dir, e.Name()))
		}
	}
	for name, source := range p.modules {
		if err == nil {
			err = p.module(filepath.Join(dir, name), source)
		}
	}
	return dir, err
}

func (p *program) module(to, source string) error {
	tools, err := toolchain.Find(context.Background())
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "module")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	o := toolchain.Options{}
	for i := 1; i < len(p.flags); i += 2 {
		if p.flags[i-1] == "-I" {
			o.Includes = append(o.Includes, p.flags[i])
		}
	}
	m, err := tools.Device(context.Background(), &o, filepath.Join(p.folder, source), work)
	if err != nil {
		return err
	}
	return os.WriteFile(to, []byte(m.PTX), 0o644)
}

// endsByResult reports whether the program's exit status says what its check gave.
func (p *program) endsByResult() bool {
	return slices.ContainsFunc(p.files, func(f string) bool {
		text, err := os.ReadFile(filepath.Join(p.folder, f))
		return err == nil && statusOfCheck.Match(text)
	})
}

// reason is the first error of a compiler's messages, or the first line.
func reason(text string) string {
	if line := lineWith(text, regexp.MustCompile(`error:`)); line != "" {
		return line
	}
	line, _, _ := strings.Cut(text, "\n")
	return line
}

func lineWith(text string, what *regexp.Regexp) string {
	lines := strings.Split(text, "\n")
	if i := slices.IndexFunc(lines, what.MatchString); i >= 0 {
		return strings.TrimSpace(lines[i])
	}
	return ""
}

func (r outcome) row(name string) string {
	what := r.kind
	if r.detail != "" {
		what += ": " + strings.ReplaceAll(strings.ReplaceAll(r.detail, "\n", " "), "|", `\|`)
	}
	if r.kind == "excluded" {
		return fmt.Sprintf("| %s | needs %s | | | |", name, r.detail)
	}
	return fmt.Sprintf("| %s | %s | %.1f | %.1f | %.0f |", name, what, r.seconds, float64(r.run.Instructions)/1e6, float64(r.run.LaneOps)/1e6)
}
