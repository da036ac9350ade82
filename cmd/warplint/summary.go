// This file defines how the results of many files become one: what is found with several
// files is written once, and the exit status is decided.

package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
	"github.com/warplint/warplint/internal/report"
)

// summary passes findings on as they come, and the verdicts on kernels at the end.
type summary struct {
	writer  report.Writer
	stderr  io.Writer
	name    func(path string) string // what a file is called in messages
	fails   func(race.Severity) bool
	seen    map[string]bool // problems and findings that were written
	byKey   map[string]int  // places in kernels, by kernelKey
	kernels []race.Kernel
	left    []string // files whose turn did not come
	checked int
	failing bool
}

func newSummary(writer report.Writer, stderr io.Writer, name func(string) string, fails func(race.Severity) bool) *summary {
	return &summary{writer: writer, stderr: stderr, name: name, fails: fails, seen: map[string]bool{}, byKey: map[string]int{}}
}

// judged returns a test that there is by now a verdict on a kernel.
func (s *summary) judged() func(kernel string, at source.Span) bool {
	known := maps.Clone(s.byKey)
	return func(kernel string, at source.Span) bool {
		_, judged := known[kernelKey(race.Kernel{Name: kernel, Span: at})]
		return judged
	}
}

func (s *summary) add(o outcome) error {
	o.Problems = slices.DeleteFunc(o.Problems, func(p race.Problem) bool { return s.again(p.File + "\x00" + p.Message) })
	for _, p := range o.Problems {
		fmt.Fprintf(s.stderr, "warplint: %s: %s\n", s.name(p.File), p.Message)
	}
	for _, k := range o.Kernels {
		s.merge(k)
	}
	o.Kernels = nil
	o.Findings = slices.DeleteFunc(o.Findings, func(f report.Finding) bool {
		return s.again(findingKey(f))
	})
	for _, f := range o.Findings {
		s.failing = s.failing || s.fails(f.Severity)
	}
	if o.checked {
		s.checked++
	}
	if o.left {
		s.left = append(s.left, o.path)
	}
	return s.writer.Add(o.Part)
}

// again reports whether a key was met before.
func (s *summary) again(key string) bool {
	met := s.seen[key]
	s.seen[key] = true
	return met
}

func (s *summary) close() error {
	if err := s.add(outcome{Part: report.Part{Problems: s.interrupted()}}); err != nil {
		return err
	}
	if err := s.writer.Add(report.Part{Kernels: s.kernels}); err != nil {
		return err
	}
	return s.writer.Close()
}

// interrupted is one problem for all files whose turn did not come: there may be thousands.
func (s *summary) interrupted() []race.Problem {
	switch n := len(s.left); n {
	case 0:
		return nil
	case 1:
		return []race.Problem{{File: s.left[0], Message: "not checked: interrupted"}}
	default:
		return []race.Problem{{File: s.left[0], Message: fmt.Sprintf("not checked, nor %d more files: interrupted", n-1)}}
	}
}

// merge adds the verdict on a kernel, or makes one of it and an earlier verdict on the same kernel, for other launches.
func (s *summary) merge(k race.Kernel) {
	key := kernelKey(k)
	i, met := s.byKey[key]
	if !met {
		s.byKey[key] = len(s.kernels)
		s.kernels = append(s.kernels, k)
		return
	}
	s.kernels[i] = s.kernels[i].Merge(k)
}

func kernelKey(k race.Kernel) string { return fmt.Sprint(k.Name, placeKey(k.Span)) }

func findingKey(f report.Finding) string {
	return fmt.Sprint(f.Rule, f.Kernel, placeKey(f.First.Span), f.First.Access, placeKey(f.Second.Span), f.Second.Access)
}

// placeKey is the same for a header that is named on the command line by a relative path, and
// met in an include folder of compile_commands.json by an absolute one.
func placeKey(s source.Span) source.Span {
	if abs, err := filepath.Abs(s.File); err == nil {
		s.File = abs
	}
	return s
}

// status is the error that gives the exit status.
func (s *summary) status(ctx context.Context, kernel string) error {
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("interrupted")
	case s.checked == 0:
		return fmt.Errorf("nothing could be checked")
	case kernel != "" && len(s.kernels) == 0:
		return fmt.Errorf("no kernel %q in the files that were read", kernel)
	case s.failing:
		return errFindings
	}
	return nil
}
