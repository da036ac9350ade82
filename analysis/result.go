package analysis

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
	"github.com/warplint/warplint/analysis/suppress"
	"github.com/warplint/warplint/analysis/syntax"
)

// This file completes a result once its kernels are judged: what was left out or not found, what instances of a template
// have in common, and what comments say to ignore.

// leftOut tells of text that is too much to be looked at.
func (r *Result) leftOut(req Request, u *syntax.Unit) {
	for _, p := range u.Problems {
		if !p.Limit {
			continue
		}
		problem := race.Problem{File: p.Span.File, Message: p.Message}
		if file, ok := req.Files.File(p.Span.File); ok && p.Span.Start > 0 {
			problem.Message = fmt.Sprintf("line %d: %s", file.Position(p.Span.Start).Line, p.Message)
		}
		if !slices.Contains(r.Problems, problem) {
			r.Problems = append(r.Problems, problem)
		}
	}
}

// blame names the files that are not found before what else of the last kernel was not understood, as that may come of it.
func (r *Result) blame(files source.Provider, u *syntax.Unit) {
	k := &r.Kernels[len(r.Kernels)-1]
	if k.Verdict != race.Unknown || len(k.Outside) == 0 {
		return
	}
	var absent []string
	for _, p := range u.Problems {
		if file, ok := files.File(p.Span.File); p.Absent && ok {
			absent = append(absent, place(file, p.Span, k.Span.File)+": "+p.Message)
		}
	}
	k.Reasons = append(absent, k.Reasons...)
}

// suppress takes out what comments say to ignore.
func (r *Result) suppress(req Request) {
	split := suppress.Apply(req.Files, req.Path, r.Kernels, r.Findings)
	r.Findings, r.Suppressed, r.Unused = split.Kept, split.Suppressed, split.Unused
}

// settle merges the instances of a template and sorts.
func (r *Result) settle() {
	type definition struct {
		span source.Span
		name string
	}
	at := map[definition]int{}
	var kernels []race.Kernel
	for _, k := range r.Kernels {
		d := definition{k.Span, k.Name}
		if i, ok := at[d]; ok {
			kernels[i] = kernels[i].Merge(k)
			continue
		}
		at[d] = len(kernels)
		kernels = append(kernels, k)
	}
	r.Kernels = kernels

	most := map[pair]race.Severity{} // one instance may be proved up to an assumption, and another not
	for _, f := range r.Findings {
		most[pairOf(f)] = max(most[pairOf(f)], f.Severity)
	}
	told := map[pair]bool{}
	r.Findings = slices.DeleteFunc(r.Findings, func(f race.Finding) bool {
		p := pairOf(f)
		again := told[p] || f.Severity < most[p]
		told[p] = told[p] || !again
		return again
	})
	slices.SortStableFunc(r.Findings, func(a, b race.Finding) int {
		return cmp.Or(cmp.Compare(a.First.Span.File, b.First.Span.File), cmp.Compare(a.First.Span.Start, b.First.Span.Start),
			cmp.Compare(a.Second.Span.Start, b.Second.Span.Start))
	})
}

// pair is what makes two findings one: the rule and the two places.
type pair struct {
	rule          race.Rule
	first, second source.Span
}

func pairOf(f race.Finding) pair { return pair{f.Rule, f.First.Span, f.Second.Span} }

func sameRace(a, b race.Finding) bool { return pairOf(a) == pairOf(b) }
