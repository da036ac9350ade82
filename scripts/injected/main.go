// Command injected measures how many of the races are found that programs hold behind a macro,
// such as RACEY in ScoR's applications: it checks each folder with the macro off, and then once
// for each `#ifdef` of the macro, with that one place taken as if the macro were defined. It
// prints a table in Markdown and ends with status 1 if an injected race was missed.
//
//	go run ./scripts/injected [-macro RACEY] [-warplint bin/warplint] [-D NAME=VALUE]... FOLDER...
//
// Macros that a folder's makefile sets by `NAME ?= NUMBER` are defined to that number, if -D does
// not say otherwise.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/warplint/warplint/scripts/internal/inject"
)

func main() {
	macro := flag.String("macro", "RACEY", "the macro that injects races")
	warplint := flag.String("warplint", "bin/warplint", "the program to measure")
	defines := map[string]string{}
	flag.Func("D", "a macro and its value, instead of the makefile's", func(s string) error {
		name, value, _ := strings.Cut(s, "=")
		defines[name] = value
		return nil
	})
	flag.Parse()
	fmt.Print("| folder | injected at | verdict | found |\n| --- | --- | --- | --- |\n")
	sites, found := 0, 0
	for _, folder := range flag.Args() {
		p, err := inject.Load(folder, *macro)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		maps.Copy(p.Defines, defines)
		usual, err := check(p, *warplint, -1)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		fmt.Printf("| %s | nowhere | %s | %s |\n", filepath.Base(folder), usual.verdicts(), usual.describe(nil))
		known := usual.keys()
		for i, s := range p.Sites {
			r, err := check(p, *warplint, i)
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(2)
			}
			fresh := r.describe(func(f finding) bool { return !known[f.key()] && explains(s, f) })
			sites++
			if fresh != "" {
				found++
			}
			fmt.Printf("| %s | %s:%d | %s | %s |\n", filepath.Base(folder), s.File, s.First, r.verdicts(), fresh)
		}
	}
	fmt.Printf("\n%d of %d places found\n", found, sites)
	if found < sites {
		os.Exit(1)
	}
}

// near is how many lines from a site an access stands that it explains, such as the one that a
// fence should have been before.
const near = 5

// explains reports whether a finding is about what was injected at a site: an access stands
// there, or, where a barrier or a fence is missing, one stands on either side.
func explains(s inject.Site, f finding) bool {
	if f.Severity != "warning" && f.Severity != "error" {
		return false
	}
	in := func(p place) bool {
		return filepath.Base(p.File) == s.File && s.First-near <= p.Line && p.Line <= s.Last+near
	}
	if in(f.First) || in(f.Second) {
		return true
	}
	return filepath.Base(f.First.File) == s.File && (f.First.Line <= s.Last) && (s.First <= f.Second.Line || f.Second.Line <= f.First.Line)
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
func check(p *inject.Program, warplint string, on int) (*result, error) {
	dir, err := os.MkdirTemp("", "injected")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := p.Write(dir, on); err != nil {
		return nil, err
	}
	program, err := filepath.Abs(warplint)
	if err != nil {
		return nil, err
	}
	args := []string{"check", "--format", "json"}
	for name, value := range p.Defines {
		args = append(args, "-D", name+"="+value)
	}
	cmd := exec.Command(program, append(args, ".")...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		return nil, fmt.Errorf("%s: %w", p.Folder, err)
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
