package lsp

// This file defines what the server remembers of runs on the simulator, and which of their
// findings are still about the text as it is now.

import (
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

// carriers move what runs have shown to a snapshot.
type carriers struct {
	snapshot *snapshot
	of       map[*run]*mover
}

func (s *snapshot) carriers() *carriers {
	return &carriers{snapshot: s, of: map[*run]*mover{}}
}

func (k *carriers) get(r *run) *mover {
	m := k.of[r]
	if m == nil {
		m = newMover(texts(r.texts), k.snapshot, loose)
		k.of[r] = m
	}
	return m
}

// finding moves a finding of a run, unless one of its accesses is nowhere.
func (k *carriers) finding(r *run, f race.Finding) (race.Finding, bool) {
	now, ok := k.get(r).finding(f)
	return now, ok && !now.First.Span.IsZero() && !now.Second.Span.IsZero()
}

// lines finds the lines of a file that a run was about, or returns nil if they are nowhere.
func (k *carriers) lines(r *run, path string) *carrier {
	if ch := k.get(r).change(path); ch != nil {
		return ch.lines()
	}
	return nil
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
		if !kernel.Span.IsZero() && k.get(r).span(&kernel.Span) {
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

// fresh reports whether the kernel of a finding, and the lines of its accesses and of the calls
// that lead to them, are what they were when it ran.
func (k *carriers) fresh(r *run, f race.Finding) bool {
	spans := []source.Span{f.First.Span, f.Second.Span}
	spans = append(append(spans, f.First.Inlined...), f.Second.Inlined...)
	for _, s := range spans {
		if c := k.lines(r, s.File); c != nil {
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
	c := k.lines(r, from.File)
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
		c := k.lines(r, kernel.Span.File)
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
