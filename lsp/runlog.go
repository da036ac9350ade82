package lsp

// This file defines what the server remembers of runs on the simulator, and which of their
// findings are still about the text as it is now.

import (
	"slices"
	"time"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
	"github.com/warplint/warplint/analysis/suppress"
	"github.com/warplint/warplint/dynamic"
	"github.com/warplint/warplint/internal/confirm"
)

// maxRuns is how many runs are remembered.
const maxRuns = 20

// runState is where a run is in its life; clients see it.
type runState string

const (
	runGoing     runState = "running"
	runDone      runState = "done"
	runFailed    runState = "failed" // nothing could be run
	runCancelled runState = "cancelled"
)

// runKind is what a run is about; clients see it.
type runKind string

const (
	ofProgram runKind = "program"
	ofKernel  runKind = "kernel"
	ofFinding runKind = "finding"
	ofReport  runKind = "report"
)

// run is one run, or one report that was imported. It is immutable: what changes is replaced.
type run struct {
	id      int64
	kind    runKind
	title   string // "stencil.cu", "blur in stencil.cu"
	path    string // the file that it began with
	again   call   // that makes the same run
	state   runState
	message string // how it went, in one line
	started time.Time
	seconds float64

	options      *dynamic.Options        // to run it again; nil for a report
	static       *race.Finding           // the finding that was to be confirmed
	confirmation *race.Confirmation      // of that finding
	result       *dynamic.Result         // nil until there is one
	texts        map[string]*source.File // what the spans of the findings and kernels point into
}

// runLog is the runs that are remembered, the newest last. It is immutable.
type runLog struct {
	version int64 // counts up
	runs    []*run
}

// with returns the log with a run added, or put in the place of its older self. A run replaces
// an older one of the same thing.
func (l *runLog) with(r *run) *runLog {
	next := &runLog{version: l.version + 1}
	placed := false
	for _, old := range l.runs {
		switch {
		case old.id == r.id:
			next.runs = append(next.runs, r)
			placed = true
		case r.state == runDone && old.kind == r.kind && old.title == r.title && old.id < r.id:
		default:
			next.runs = append(next.runs, old)
		}
	}
	if !placed {
		next.runs = append(next.runs, r)
	}
	if extra := len(next.runs) - maxRuns; extra > 0 {
		next.runs = next.runs[extra:]
	}
	return next
}

// run returns a run by its number.
func (l *runLog) run(id int64) *run {
	for _, r := range l.runs {
		if r.id == id {
			return r
		}
	}
	return nil
}

// seen is a finding of a run at the places where its text is now.
type seen struct {
	dynamic.Finding
	run   *run
	index int  // in the run's result
	stale bool // the kernel is not the one that ran
}

// confirmed is what became of a static finding that was to be confirmed, at its places now.
type confirmed struct {
	race.Finding
	race.Confirmation
	run *run
}

// carriers are the carriers that one look at the runs needs, by run and file.
type carriers struct {
	snapshot *snapshot
	of       map[*source.File]*carrier
}

func (s *snapshot) carriers() *carriers {
	return &carriers{snapshot: s, of: map[*source.File]*carrier{}}
}

func (k *carriers) get(r *run, path string) *carrier {
	old := r.texts[path]
	if old == nil {
		return nil
	}
	if c, ok := k.of[old]; ok {
		return c
	}
	var c *carrier
	if now, ok := k.snapshot.File(path); ok {
		c = newCarrier(old, now)
	}
	k.of[old] = c
	return c
}

// seen returns the findings of all runs that still have a place, and that no comment says to ignore. Those of a kernel are taken
// from the newest run of it; a run for one finding shows that finding only.
func (k *carriers) seen() []seen {
	var all []seen
	comments := suppress.Of(k.snapshot)
	newer := map[string]bool{} // kernels that a newer run launched
	for i := len(k.snapshot.runs.runs) - 1; i >= 0; i-- {
		r := k.snapshot.runs.runs[i]
		if r.result == nil {
			continue
		}
		kernels := k.kernels(r)
		for index, f := range r.result.Findings {
			if newer[r.path+"\n"+f.Kernel] || r.static != nil && !confirm.Same(texts(r.texts), *r.static, f.Finding) {
				continue
			}
			if now, ok := k.finding(r, f.Finding); ok {
				if _, ignored := comments.Match(now, kernels); ignored {
					continue
				}
				stale := !k.fresh(r, f.Finding)
				f.Finding = now
				all = append(all, seen{Finding: f, run: r, index: index, stale: stale})
			}
		}
		if r.static == nil {
			for _, kernel := range r.result.Kernels {
				newer[r.path+"\n"+kernel.Name] = true
			}
		}
	}
	return all
}

// kernels are those of a run that are still somewhere.
func (k *carriers) kernels(r *run) []race.Kernel {
	var all []race.Kernel
	for _, kernel := range r.result.Kernels {
		if now, ok := k.span(r, kernel.Span); ok {
			kernel.Span = now
			all = append(all, kernel)
		}
	}
	return all
}

// confirmed returns the confirmations of findings whose kernel is still the one that ran, the
// newest first.
func (k *carriers) confirmed() []confirmed {
	var all []confirmed
	for i := len(k.snapshot.runs.runs) - 1; i >= 0; i-- {
		r := k.snapshot.runs.runs[i]
		if r.confirmation == nil || !k.fresh(r, *r.static) {
			continue
		}
		if now, ok := k.finding(r, *r.static); ok {
			all = append(all, confirmed{now, *r.confirmation, r})
		}
	}
	return all
}

// finding moves all places of a finding to where they are now; ok is false if nothing is left
// of one of the accesses.
func (k *carriers) finding(r *run, f race.Finding) (race.Finding, bool) {
	var ok1, ok2 bool
	f.First, ok1 = k.site(r, f.First)
	f.Second, ok2 = k.site(r, f.Second)
	f.Also = nil
	f.Operations = slices.Clone(f.Operations)
	for i := range f.Operations {
		f.Operations[i].Span, _ = k.span(r, f.Operations[i].Span)
	}
	if f.Witness != nil {
		w := *f.Witness
		w.Launch, _ = k.span(r, w.Launch)
		f.Witness = &w
	}
	return f, ok1 && ok2
}

func (k *carriers) site(r *run, s race.Site) (race.Site, bool) {
	now, ok := k.span(r, s.Span)
	if !ok {
		return s, false
	}
	s.Span = now
	var calls []source.Span
	for _, call := range s.Inlined {
		if at, ok := k.span(r, call); ok {
			calls = append(calls, at)
		}
	}
	s.Inlined = calls
	s.Macro, _ = k.span(r, s.Macro)
	return s, true
}

func (k *carriers) span(r *run, s source.Span) (source.Span, bool) {
	c := k.get(r, s.File)
	if c == nil {
		return source.Span{}, false
	}
	now, _, ok := c.span(s)
	return now, ok
}

// fresh reports whether the kernel of a finding, and the lines of its accesses and of the calls
// that lead to them, are what they were when it ran.
func (k *carriers) fresh(r *run, f race.Finding) bool {
	spans := []source.Span{f.First.Span, f.Second.Span}
	spans = append(append(spans, f.First.Inlined...), f.Second.Inlined...)
	for _, s := range spans {
		if c := k.get(r, s.File); c != nil {
			if _, same, _ := c.span(s); !same {
				return false
			}
		}
	}
	for _, o := range f.Operations {
		if !k.sameKernel(r, o.Kernel) {
			return false
		}
	}
	return k.sameKernel(r, f.Kernel) && k.sameBetween(r, f.Operations)
}

// sameBetween reports whether nothing has changed from the host's one call to the other, where an order of the two would stand.
func (k *carriers) sameBetween(r *run, operations []race.Operation) bool {
	if len(operations) != 2 {
		return true
	}
	from, to := operations[0].Span, operations[1].Span
	c := k.get(r, from.File)
	if c == nil || from.File != to.File {
		return true
	}
	first, last := c.old.Position(from.Start).Line-1, c.old.Position(to.Start).Line-1
	return c.unchanged(min(first, last), max(first, last))
}

func (k *carriers) sameKernel(r *run, name string) bool {
	if r.result == nil {
		return true
	}
	for _, kernel := range r.result.Kernels {
		c := k.get(r, kernel.Span.File)
		if kernel.Name != name || c == nil || kernel.Span.Start == kernel.Span.End {
			continue
		}
		first := c.old.Position(kernel.Span.Start).Line - 1
		return c.unchanged(first, bodyEnd(c.old, first))
	}
	return true
}

// texts is a source.Provider of the texts that a run was about.
type texts map[string]*source.File

// File implements source.Provider.
func (t texts) File(path string) (*source.File, bool) {
	f := t[path]
	return f, f != nil
}
