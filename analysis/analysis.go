// Package analysis is the static side of warplint. Check leads from the text of a file to its
// findings; judge names the stages that a kernel goes through. It reads files only through a source.Provider, knows no
// editor protocol, and never fails: what is not understood makes a kernel unknown.
package analysis

import (
	"context"
	"time"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/lower"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/recent"
	"github.com/warplint/warplint/analysis/source"
	"github.com/warplint/warplint/analysis/suppress"
	"github.com/warplint/warplint/analysis/syntax"
)

// Request names what to check.
type Request struct {
	Files  source.Provider
	Path   string
	Config Config
	// Units are the translation units to look at the file in, such as those of the files that
	// include a header. Without any, the file is one by itself.
	Units []Unit
	// Skip says which kernels are to be left out, by name and place; nil means none.
	Skip func(kernel string, at source.Span) bool
	// Meant is what is not understood of a text that is meant as it is. Where this text is half typed against it, and no
	// verdict is known, none is looked for. nil means that this text is meant, too.
	Meant *Gaps

	remarks remarks // of what comments say of launches
}

// wants reports whether a kernel is to be judged.
func (r Request) wants(f *ir.Func) bool {
	return (r.Config.Kernel == "" || f.Name == r.Config.Kernel) && (r.Skip == nil || !r.Skip(f.Name, f.Span))
}

// Unit is a file that is compiled, and what is to be looked at together with it: files that
// define what it only declares, or that launch its kernels.
type Unit struct {
	Source
	With []Source
}

// Source is a file and how it is compiled.
type Source struct {
	Path   string
	Config syntax.Config
}

// units are those of the request, or the file itself.
func (r Request) units() []Unit {
	if len(r.Units) > 0 {
		return r.Units
	}
	return []Unit{{Source: Source{r.Path, r.Config.Config}}}
}

// Config is what the user says besides the text.
type Config struct {
	syntax.Config
	// Grid and Block are the launch to assume for kernels that no launch gives; zero means what a comment in front of the
	// kernel says, or any.
	Grid, Block race.Dim3
	// Kernel restricts the check to the kernel of this name; "" means all.
	Kernel string
	// Z3 is the name or path of the Z3 to ask for what our own solvers leave undecided; "" looks for
	// one on the PATH, and z3.None asks none.
	Z3 string
}

// Result is what is known about one file.
type Result struct {
	Path     string
	Kernels  []race.Kernel
	Findings []race.Finding // sorted by place
	Problems []race.Problem
	// FrontEnd is how long the text took to be parsed and lowered.
	FrontEnd time.Duration
	// Gaps is what was not understood of the text.
	Gaps Gaps
	// Postponed is set where a kernel has no verdict, as it is half typed.
	Postponed bool

	// Suppressed are the findings that a comment in the source says to ignore, and Unused the
	// comments that ignore nothing; with Config.Kernel set, those of other kernels are among them.
	Suppressed []suppress.Suppressed
	Unused     []suppress.Unused

	// missable counts barriers that some threads may not come to, as by having returned; a fix must not add one.
	missable int
	work     map[verdictKey]int64 // on each kernel
	judged   []judged
}

// judged is a kernel with its verdict, and those who launch it.
type judged struct {
	f     *ir.Func
	hosts []*ir.Func
	v     *verdict
}

// Engine checks files and keeps what it may use again: trees, lowered kernels, verdicts, each
// keyed by a hash of all that went into it. It is safe for concurrent use.
type Engine struct {
	units    *unitCache
	lowered  *lower.Cache
	hosts    *hostCache
	verdicts *verdictCache
}

// NewEngine returns an engine with an empty cache, for files that are checked again and again.
func NewEngine() *Engine { return newEngine(editedText, editedKernels) }

// NewBatch returns an engine for files that are checked once: it keeps less of their text and kernels.
func NewBatch() *Engine { return newEngine(onceText, onceKernels) }

// How many kernels and verdicts an engine keeps.
const (
	editedKernels = 4096
	onceKernels   = 128 // for the fixes of a file
	perHost       = 16  // so many as there are runs of host functions
)

func newEngine(text, kernels int) *Engine {
	return &Engine{units: newUnitCache(text), lowered: lower.NewCache(kernels), hosts: newHostCache(kernels/perHost, kernels), verdicts: &verdictCache{of: recent.New[verdictKey, *verdict](kernels)}}
}

// Work counts what an engine has done because its caches did not have it.
type Work struct {
	Parsed  int // top-level declarations
	Lowered int // kernels
	Judged  int // kernels
}

// Work returns what was done so far.
func (e *Engine) Work() Work {
	e.units.mu.Lock()
	defer e.units.mu.Unlock()
	e.verdicts.mu.Lock()
	defer e.verdicts.mu.Unlock()
	return Work{Parsed: e.units.parsed, Lowered: e.lowered.Lowered(), Judged: e.verdicts.judged}
}

// fileTime is the backstop behind the budget of a file; kernels that it does not suffice for are
// unknown.
const fileTime = 30 * time.Second

// Check analyses one file. When the context is done it returns early, with what it has.
func (e *Engine) Check(ctx context.Context, req Request) *Result {
	res := &Result{Path: req.Path, work: map[verdictKey]int64{}}
	file, ok := req.Files.File(req.Path)
	switch {
	case !ok:
		res.Problems = append(res.Problems, race.Problem{File: req.Path, Message: "the file does not exist or cannot be read"})
		return res
	case file.IsBinary():
		res.Problems = append(res.Problems, race.Problem{File: req.Path, Message: "this is not a text file"})
		return res
	}
	ctx, cancel := context.WithTimeout(ctx, fileTime)
	defer cancel()
	left := int64(fileWork)
	unproved := map[source.Span]int{} // how many instances of a template were much work, for no proof
	start := time.Now()
	all, gaps := e.lower(ctx, req)
	res.FrontEnd, res.Gaps = time.Since(start), gaps
	runs, trials := newHostRuns(e.hosts), trials{}
	req.remarks = remarks{}
	for _, l := range all {
		res.leftOut(req, l.unit)
		for _, f := range l.module.Kernels {
			if !req.wants(f) {
				continue
			}
			hosts := l.launchers[f]
			limit := int64(kernelWork) >> (2 * unproved[f.Span])
			half := req.Meant != nil && gaps.HalfTyped(f.Name, *req.Meant)
			v := e.verdicts.judge(ctx, req, f, hosts, runs, left, limit, half)
			left -= min(v.work, left)
			res.Postponed = res.Postponed || v.postponed
			res.work[v.key] = v.work
			res.judged = append(res.judged, judged{f, hosts, v})
			if len(v.reasons) > 0 && v.work > limit/muchWork {
				unproved[f.Span]++
			}
			if f.Trial != "" {
				trials.add(f, v)
				continue
			}
			res.add(req, f, hosts, v)
			res.blame(req.Files, l.unit)
		}
	}
	trials.settle(req, res)
	res.settle()
	res.suppress(req)
	return res
}

// launchersIn lists for each kernel the host functions that launch it.
func launchersIn(m *ir.Module) map[*ir.Func][]*ir.Func {
	out := map[*ir.Func][]*ir.Func{}
	for _, h := range m.Hosts {
		for l := range ir.All[*ir.Launch](h.Body) {
			if all := out[l.Kernel]; len(all) == 0 || all[len(all)-1] != h {
				out[l.Kernel] = append(all, h)
			}
		}
	}
	return out
}
