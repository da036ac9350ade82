// Command injected measures how many of the races are found that programs hold behind a macro,
// such as RACEY in ScoR's applications: it checks each folder with the macro off, and then once
// for each `#ifdef` of the macro, with that one place taken as if the macro were defined. It
// prints a table in Markdown and ends with status 1 if an injected race was missed.
//
//	go run ./scripts/injected [-macro RACEY] [-warplint bin/warplint] FOLDER...
//
// Macros that a folder's makefile sets by `NAME ?= NUMBER` are defined to that number.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

func main() {
	macro := flag.String("macro", "RACEY", "the macro that injects races")
	warplint := flag.String("warplint", "bin/warplint", "the program to measure")
	flag.Parse()
	fmt.Print("| folder | injected at | verdict | found |\n| --- | --- | --- | --- |\n")
	sites, found := 0, 0
	for _, folder := range flag.Args() {
		p, err := load(folder, *macro)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		usual, err := p.check(*warplint, -1)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		fmt.Printf("| %s | nowhere | %s | %s |\n", filepath.Base(folder), usual.verdicts(), usual.describe(nil))
		known := usual.keys()
		for i, s := range p.sites {
			r, err := p.check(*warplint, i)
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(2)
			}
			fresh := r.describe(func(f finding) bool { return !known[f.key()] && s.explains(f) })
			sites++
			if fresh != "" {
				found++
			}
			fmt.Printf("| %s | %s:%d | %s | %s |\n", filepath.Base(folder), s.file, s.first, r.verdicts(), fresh)
		}
	}
	fmt.Printf("\n%d of %d places found\n", found, sites)
	if found < sites {
		os.Exit(1)
	}
}

// site is one `#ifdef` of the macro: the lines from it to its `#endif`, from 1.
type site struct {
	file        string
	first, last int
}

// near is how many lines from a site an access stands that it explains, such as the one that a
// fence should have been before.
const near = 5

// explains reports whether a finding is about what was injected at a site: an access stands
// there, or, where a barrier or a fence is missing, one stands on either side.
func (s site) explains(f finding) bool {
	if f.Severity != "warning" && f.Severity != "error" {
		return false
	}
	in := func(p place) bool {
		return filepath.Base(p.File) == s.file && s.first-near <= p.Line && p.Line <= s.last+near
	}
	if in(f.First) || in(f.Second) {
		return true
	}
	return filepath.Base(f.First.File) == s.file && (f.First.Line <= s.last) && (s.first <= f.Second.Line || f.Second.Line <= f.First.Line)
}

// program is the text of a folder.
type program struct {
	folder  string
	files   map[string][]string // lines by name
	sites   []site
	defines []string
}

var setting = regexp.MustCompile(`(?m)^(\w+)\s*\?=\s*(\d+)\s*$`)

func load(folder, macro string) (*program, error) {
	p := &program{folder: folder, files: map[string][]string{}}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			return nil, err
		}
		switch filepath.Ext(e.Name()) {
		case ".cu", ".cuh", ".h":
			p.files[e.Name()] = strings.Split(string(text), "\n")
			p.find(e.Name(), macro)
		default:
			if e.Name() == "Makefile" {
				for _, m := range setting.FindAllStringSubmatch(string(text), -1) {
					p.defines = append(p.defines, "-D", m[1]+"="+m[2])
				}
			}
		}
	}
	return p, nil
}

// find lists the places of the macro in a file; conditionals do not nest in them.
func (p *program) find(name, macro string) {
	for i, line := range p.files[name] {
		switch {
		case strings.TrimSpace(line) == "#ifdef "+macro:
			p.sites = append(p.sites, site{name, i + 1, i + 1})
		case strings.HasPrefix(strings.TrimSpace(line), "#endif"):
			if n := len(p.sites); n > 0 && p.sites[n-1].file == name && p.sites[n-1].last == p.sites[n-1].first {
				p.sites[n-1].last = i + 1
			}
		}
	}
}

type place struct {
	File string
	Line int
}

type finding struct {
	Rule, Severity, Variable string
	First, Second            place
}

func (f finding) key() string {
	return fmt.Sprintf("%s %s %v %v", f.Rule, f.Severity, f.First, f.Second)
}

// result is the part of the JSON that is of use here.
type result struct {
	Kernels  []struct{ Name, Verdict string }
	Findings []finding
}

// check writes the folder anew, with the macro defined at one place or nowhere, and checks it.
func (p *program) check(warplint string, on int) (*result, error) {
	dir, err := os.MkdirTemp("", "injected")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	for name, lines := range p.files {
		lines = append([]string(nil), lines...)
		for i, s := range p.sites {
			if s.file == name && i == on {
				lines[s.first-1] = "#if 1"
			}
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.Join(lines, "\n")), 0o644); err != nil {
			return nil, err
		}
	}
	program, err := filepath.Abs(warplint)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(program, append([]string{"check", "--format", "json"}, append(p.defines, ".")...)...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		return nil, fmt.Errorf("%s: %w", p.folder, err)
	}
	r := &result{}
	return r, json.Unmarshal(out, r)
}

func (r *result) verdicts() string {
	var out []string
	for _, k := range r.Kernels {
		out = append(out, k.Name+" "+k.Verdict)
	}
	return strings.Join(out, ", ")
}

func (r *result) keys() map[string]bool {
	out := map[string]bool{}
	for _, f := range r.Findings {
		out[f.key()] = true
	}
	return out
}

// describe lists the warnings that pass.
func (r *result) describe(pass func(finding) bool) string {
	var out []string
	for _, f := range r.Findings {
		if pass == nil && f.Severity == "warning" || pass != nil && pass(f) {
			out = append(out, fmt.Sprintf("%s %d/%d", f.Rule, f.First.Line, f.Second.Line))
		}
	}
	return strings.Join(out, ", ")
}
