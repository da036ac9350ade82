package lsp

// This file defines the runs themselves: how a command becomes a run of the simulator, with the
// texts as the editor has them, and how its end is told.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.lsp.dev/protocol"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
	"github.com/warplint/warplint/analysis/suppress"
	"github.com/warplint/warplint/dynamic"
	"github.com/warplint/warplint/dynamic/racecheck"
	"github.com/warplint/warplint/dynamic/toolchain"
	"github.com/warplint/warplint/internal/confirm"
	"github.com/warplint/warplint/internal/disk"
	"github.com/warplint/warplint/internal/report"
)

// begun is the answer to a command that begins a run.
type begun struct {
	Run int64 `json:"run"`
}

// simulateFile runs the program that a file is, or that the settings make of it.
func (s *server) simulateFile(_ context.Context, t target, token protocol.ProgressToken) (any, error) {
	snap := s.snapshot()
	path, err := runnable(t)
	if err != nil {
		return nil, err
	}
	o, err := snap.runOptions(path)
	if err != nil {
		return nil, err
	}
	o.Args = snap.settings.Simulate.Arguments
	o.Dir = snap.folder(path)
	for _, unit := range s.index.Units(path) {
		for _, more := range unit.With {
			if unit.Path == path && toolchain.IsSource(more) && !slices.Contains(o.Files, more) {
				o.Files = append(o.Files, more)
			}
		}
	}
	for _, more := range snap.settings.Simulate.Files {
		if !filepath.IsAbs(more) {
			more = filepath.Join(o.Dir, more)
		}
		if more = filepath.Clean(more); !slices.Contains(o.Files, more) {
			o.Files = append(o.Files, more)
		}
	}
	r := &run{kind: ofProgram, title: base(path), path: path, again: t.call, options: o}
	return s.simulate(r, token), nil
}

// runnable returns the path of the file that a command names; it must be on disk, since its
// includes are.
func runnable(t target) (string, error) {
	if t.URI == "" {
		return "", invalid("the command needs the URI of a file")
	}
	path := toPath(t.URI)
	if !filepath.IsAbs(path) {
		return "", refused("save %s first: the compiler needs a file", base(path))
	}
	return path, nil
}

// runOptions are what all runs of a file have in common.
func (s *snapshot) runOptions(path string) (*dynamic.Options, error) {
	set := s.settings.Simulate
	detectors, err := dynamic.SelectDetectors(set.Detectors)
	if err != nil {
		return nil, refused("%s.simulate.detectors: %v", section, err)
	}
	return &dynamic.Options{
		Files: []string{path}, Texts: s.unsaved(), Compile: s.compile, Detectors: detectors,
		Seed: set.Seed, Schedules: set.Schedules, Timeout: time.Duration(set.Timeout) * time.Second,
	}, nil
}

// compile returns how a file is compiled.
func (s *snapshot) compile(path string) toolchain.Options {
	return confirm.CompileOptions(s.config(path).Config)
}

// unsaved returns the open texts that differ from what is on disk.
func (s *snapshot) unsaved() map[string]string {
	all := map[string]string{}
	for path, d := range s.documents {
		if f, ok := s.disk.File(path); ok && !sameText(f, d.file) {
			all[path] = d.file.Text
		}
	}
	return all
}

// simulateKernel runs one kernel alone.
func (s *server) simulateKernel(ctx context.Context, t target, token protocol.ProgressToken) (any, error) {
	path, err := runnable(t)
	if err != nil {
		return nil, err
	}
	c, err := s.checkedOf(ctx, t)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(c.result.Kernels, func(k race.Kernel) bool { return k.Name == t.Kernel }) {
		return nil, invalid("%s has no kernel %q", base(path), t.Kernel)
	}
	o, err := c.snapshot.runOptions(path)
	if err != nil {
		return nil, err
	}
	o.Files = []string{c.unit()}
	o.Kernel = s.launchOf(ctx, c, t)
	r := &run{kind: ofKernel, title: t.Kernel + " in " + base(path), path: path, again: t.call, options: o}
	return s.simulate(r, token), nil
}

// unit is the file to compile for a document: one that includes it, if it is a header.
func (c *checked) unit() string {
	for _, u := range c.program {
		return u.Path
	}
	return c.document.path
}

// launchOf completes the launch that a command gives: by the one of a finding, in which the
// kernel is known to race, else by the first one that the analysis would try.
func (s *server) launchOf(ctx context.Context, c *checked, t target) dynamic.KernelRun {
	launch := race.Witness{Grid: race.Dim3{2, 1, 1}, Block: race.Dim3{64, 1, 1}}
	if all := s.launches.Launches(ctx, c.request(), t.Kernel); len(all) > 0 {
		launch = all[0]
	}
	for _, f := range c.result.Findings {
		if f.Kernel == t.Kernel && f.Witness != nil {
			launch = *f.Witness
			break
		}
	}
	k := confirm.Launch(race.Finding{Kernel: t.Kernel, Witness: &launch}, confirm.Options{}).Kernel
	k.Only = nil
	if t.Grid != (dimensions{}) {
		k.Grid = race.Dim3(t.Grid)
	}
	if t.Block != (dimensions{}) {
		k.Block = race.Dim3(t.Block)
	}
	maps.Copy(k.Args, t.Arguments)
	return k
}

// simulate begins a run whose options say it all.
func (s *server) simulate(r *run, token protocol.ProgressToken) begun {
	return s.begin(r, token, func(ctx context.Context, r *run, progress func(dynamic.Progress)) error {
		o := *r.options
		o.Progress = progress
		var err error
		r.result, err = dynamic.Simulate(ctx, &o)
		return err
	})
}

// confirmFinding runs the witness of a static finding.
func (s *server) confirmFinding(ctx context.Context, t target, token protocol.ProgressToken) (any, error) {
	path, err := runnable(t)
	if err != nil {
		return nil, err
	}
	c, err := s.checkedOf(ctx, t)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(c.result.Findings, func(f race.Finding) bool { return findingID(f) == t.Finding })
	if i < 0 {
		return nil, refused("there is no such finding in %s any more", base(path))
	}
	f := c.result.Findings[i]
	o := confirm.Options{File: c.unit(), Texts: c.snapshot.unsaved(), Compile: c.snapshot.compile}
	r := &run{kind: ofFinding, title: c.where(f.Second), path: path, again: t.call, static: &f}
	if f.Witness != nil {
		r.options = confirm.Launch(f, o)
	}
	return s.begin(r, token, func(ctx context.Context, r *run, progress func(dynamic.Progress)) error {
		o.Progress = progress
		confirmation, result, err := confirm.Run(ctx, c.snapshot, f, o)
		if err != nil {
			return err
		}
		r.confirmation, r.result = &confirmation, result
		for _, site := range []race.Site{f.First, f.Second} {
			r.keepText(c.snapshot, site)
		}
		return nil
	}), nil
}

// importReport reads a report of compute-sanitizer's racecheck.
func (s *server) importReport(_ context.Context, t target, token protocol.ProgressToken) (any, error) {
	path, err := runnable(t)
	if err != nil {
		return nil, err
	}
	files := disk.NewFiles()
	file, err := files.Read(path)
	if err != nil {
		return nil, refused("%s: %v", base(path), err)
	}
	if file = racecheck.Decoded(file); file.IsBinary() {
		return nil, refused("%s: binary data, not a report as text or XML", base(path))
	}
	r := &run{kind: ofReport, title: base(path), path: path, again: t.call}
	return s.begin(r, token, func(_ context.Context, r *run, _ func(dynamic.Progress)) error {
		report := racecheck.Parse(file)
		found := racecheck.Findings([]*racecheck.Report{report}, files, race.Dim3(t.Block))
		r.result = &dynamic.Result{Problems: found.Problems}
		for _, message := range append(report.Gaps, report.Notes...) {
			r.result.Problems = append(r.result.Problems, race.Problem{File: path, Message: message})
		}
		for _, f := range found.Findings {
			r.result.Findings = append(r.result.Findings, dynamic.Finding{Finding: f.Finding, Detector: "racecheck", Count: f.Count})
			r.keepText(found.Files, f.First)
			r.keepText(found.Files, f.Second)
		}
		return nil
	}), nil
}

// keepText remembers the texts that a site points into.
func (r *run) keepText(from source.Provider, site race.Site) {
	for _, span := range append([]source.Span{site.Span, site.Macro}, site.Inlined...) {
		if f, ok := from.File(span.File); ok && r.texts[span.File] == nil {
			r.texts[span.File] = f
		}
	}
}

// begin starts a run in the background; one runs at a time. The work fills in what it found.
func (s *server) begin(r *run, token protocol.ProgressToken, work func(context.Context, *run, func(dynamic.Progress)) error) begun {
	r.id, r.state, r.started = s.serial.Add(1), runGoing, time.Now()
	r.texts = map[string]*source.File{}
	ctx, cancel := context.WithCancel(s.ctx)
	s.works.mu.Lock()
	s.works.of[runToken(r.id)] = cancel
	s.works.mu.Unlock()
	s.keep(r)
	s.background(func(context.Context) {
		defer cancel()
		shown := s.beginWork(ctx, "Simulating "+r.title, token, cancel)
		next := *r
		select {
		case s.running <- struct{}{}:
			next.finish(ctx, s.attempt(&next, func() error { return work(ctx, &next, shown.simulation) }))
			<-s.running
		case <-ctx.Done():
			next.finish(ctx, ctx.Err())
		}
		s.works.mu.Lock()
		delete(s.works.of, runToken(r.id))
		s.works.mu.Unlock()
		s.keep(&next)
		shown.end(next.message)
		if next.state != runCancelled && !(s.client.runs && next.state == runDone && next.kind != ofFinding) { // a panel says it
			kind := protocol.MessageTypeInfo
			if next.state == runFailed {
				kind = protocol.MessageTypeError
			}
			s.showMessage(s.ctx, kind, "warplint: "+next.title+": "+s.snapshot().relative(&next, next.message))
		}
	})
	return begun{r.id}
}

// attempt keeps a panic of the simulator from ending the server.
func (s *server) attempt(r *run, work func() error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			s.log.Error("a run panicked", "run", r.title, "cause", fmt.Sprint(cause))
			err = fmt.Errorf("the simulator failed: %v", cause)
		}
	}()
	return work()
}

// runToken names a run among the works that can be cancelled.
func runToken(id int64) protocol.ProgressToken {
	return protocol.String("run " + strconv.FormatInt(id, 10))
}

// simulation shows how far a launch is.
func (w *workProgress) simulation(p dynamic.Progress) {
	percent := -1
	if p.Blocks > 0 {
		percent = 100 * p.BlocksDone / p.Blocks
	}
	w.report(fmt.Sprintf("launch %d, %s: %d of %d blocks", p.Launch, p.Kernel, p.BlocksDone, p.Blocks), percent)
}

// finish says how a run ended, and brings its places into the form that the server uses.
func (r *run) finish(ctx context.Context, err error) {
	r.seconds = time.Since(r.started).Seconds()
	r.cleanPlaces()
	r.ignore()
	var refused *toolchain.CompileError
	switch {
	case ctx.Err() != nil:
		r.state, r.message = runCancelled, "cancelled"
	case errors.As(err, &refused):
		r.state, r.message = runFailed, refused.Error()
	case err != nil:
		r.state, r.message = runFailed, err.Error()
	default:
		r.state, r.message = runDone, r.summary()
	}
	if strings.Contains(r.message, "undefined reference to `main'") {
		r.message = base(r.path) + " has no main function: simulate one of its kernels, or name the program's other files in warplint.simulate.files"
	}
}

// cleanPlaces makes the paths of all places absolute and keeps the texts that they point into.
func (r *run) cleanPlaces() {
	if r.result == nil || r.result.Sources == nil {
		return
	}
	clean := func(span *source.Span) {
		if span.File == "" {
			return
		}
		f, ok := r.result.Sources.File(span.File)
		if path, err := filepath.Abs(span.File); err == nil {
			span.File = path
		}
		if ok && r.texts[span.File] == nil {
			r.texts[span.File] = source.New(span.File, f.Text)
		}
	}
	for i := range r.result.Findings {
		for _, site := range []*race.Site{&r.result.Findings[i].First, &r.result.Findings[i].Second} {
			clean(&site.Span)
			clean(&site.Library)
			site.Inlined = slices.Clone(site.Inlined)
			for k := range site.Inlined {
				clean(&site.Inlined[k])
			}
		}
	}
	for i := range r.result.Kernels {
		clean(&r.result.Kernels[i].Span)
	}
}

// ignore leaves out what comments say to ignore.
func (r *run) ignore() {
	if r.result == nil {
		return
	}
	comments := suppress.Of(texts(r.texts))
	r.result.Findings = slices.DeleteFunc(r.result.Findings, func(f dynamic.Finding) bool {
		_, ignored := comments.Match(f.Finding, r.result.Kernels)
		return ignored
	})
}

// summary says in a line what a run has shown, and the first thing that went wrong.
func (r *run) summary() string {
	text := r.shown()
	if r.confirmation == nil && len(r.result.Problems) > 0 {
		text += "; " + r.result.Problems[0].Message
	}
	return text
}

// shown says in a line what a run has shown.
func (r *run) shown() string {
	if c := r.confirmation; c != nil {
		if c.Seen {
			return fmt.Sprintf("confirmed: the race was seen %s on the simulator", times(c.Count))
		}
		return "not reproduced: " + c.Reason
	}
	races := r.races()
	text := report.Plural(races, "race")
	if races == 0 {
		text = "no race"
	}
	switch {
	case r.kind == ofReport:
	case r.result.Run.Launches == 0:
		text += "; no kernel was launched"
	default:
		text += " in " + report.Plural(r.result.Run.Launches, "launch")
	}
	return text
}

// races counts the races as a panel lists them: pairs of lines of one kernel, whatever was seen of each
// and by how many detectors.
func (r *run) races() int {
	pairs := map[string]bool{}
	for _, f := range r.result.Findings {
		if f.Severity >= race.Information {
			lines := []string{r.line(f.First), r.line(f.Second)}
			slices.Sort(lines)
			pairs[f.Kernel+"\n"+strings.Join(lines, "\n")] = true
		}
	}
	return len(pairs)
}

// line names the line of a site in the text that ran.
func (r *run) line(site race.Site) string {
	f := r.texts[site.Span.File]
	if f == nil {
		return fmt.Sprint(site.Span)
	}
	return fmt.Sprintf("%s:%d", site.Span.File, f.Position(site.Span.Start).Line)
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// keep puts a run into the log, and tells who wants to know.
func (s *server) keep(r *run) {
	s.changeRuns(func(l *runLog) *runLog { return l.with(r) })
}

func (s *server) changeRuns(change func(*runLog) *runLog) {
	s.change("runs", func(next *snapshot) { next.runs = change(next.runs) })
	if s.client.runs {
		s.failed("take the runs", s.notify(s.ctx, runsChanged, json.RawMessage("{}")))
	}
	if s.client.refreshLenses {
		s.background(func(ctx context.Context) { s.failed("refresh its lenses", s.peer.CodeLensRefresh(ctx)) })
	}
}

// cancelRun ends a run.
func (s *server) cancelRun(_ context.Context, t target, _ protocol.ProgressToken) (any, error) {
	return nil, s.WorkDoneProgressCancel(s.ctx, &protocol.WorkDoneProgressCancelParams{Token: runToken(t.Run)})
}

// forgetRuns forgets all runs that have ended.
func (s *server) forgetRuns(context.Context, target, protocol.ProgressToken) (any, error) {
	s.changeRuns(func(l *runLog) *runLog {
		kept := &runLog{version: l.version + 1}
		for _, r := range l.runs {
			if r.state == runGoing {
				kept.runs = append(kept.runs, r)
			}
		}
		return kept
	})
	return nil, nil
}
