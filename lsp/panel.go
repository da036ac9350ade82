package lsp

// This file defines what a panel shows of the runs, as JSON. It is an extension of ours, which no
// client needs: what it says is in the diagnostics, the hovers and the messages as well.

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
	"github.com/warplint/warplint/dynamic"
	"github.com/warplint/warplint/internal/confirm"
	"github.com/warplint/warplint/internal/report"
)

// runsChanged is the notification that tells a client, if it said that it wants it with
// capabilities.experimental.warplintRuns, to ask for the runs again.
const runsChanged = "warplint/runsChanged"

// runView is a run as a panel shows it.
type runView struct {
	ID           int64              `json:"id"`
	Kind         runKind            `json:"kind"`
	Title        string             `json:"title"`
	URI          uri.URI            `json:"uri"`
	State        runState           `json:"state"`
	Message      string             `json:"message"`
	Started      string             `json:"started"` // RFC 3339
	Seconds      float64            `json:"seconds"`
	Detectors    []string           `json:"detectors"`
	Schedules    int                `json:"schedules"`
	Launches     int                `json:"launches"`
	Instructions uint64             `json:"instructions"`
	Kernels      []kernelView       `json:"kernels"`
	Findings     []findingView      `json:"findings"`
	Problems     []string           `json:"problems"`
	Confirmation *race.Confirmation `json:"confirmation"`
	Again        call               `json:"again"`
}

type kernelView struct {
	Name    string       `json:"name"`
	Verdict race.Verdict `json:"verdict"`
}

type findingView struct {
	Index     int       `json:"index"`
	Kernel    string    `json:"kernel"`
	Rule      race.Rule `json:"rule"`
	Kind      race.Kind `json:"kind"`
	Severity  string    `json:"severity"`
	Detector  string    `json:"detector"`
	Count     int       `json:"count"`
	Space     string    `json:"space"`
	Variable  string    `json:"variable"`
	Message   string    `json:"message"`
	Why       string    `json:"why"`
	Mend      string    `json:"mend"`
	Stale     bool      `json:"stale"`
	First     siteView  `json:"first"`
	Second    siteView  `json:"second"`
	Grid      race.Dim3 `json:"grid"`
	Block     race.Dim3 `json:"block"`
	Witnessed bool      `json:"witnessed"` // whether two threads are known that can be traced
}

type siteView struct {
	placeView
	Access string       `json:"access"`
	Thread *race.Thread `json:"thread"`
	Calls  []placeView  `json:"calls"`
}

// placeView is a place in the text as it is now; the range is null if nothing is left of it.
type placeView struct {
	URI   uri.URI         `json:"uri"`
	File  string          `json:"file"`
	Line  int             `json:"line"` // from 1, when it ran
	Text  string          `json:"text"` // of the line, when it ran
	Range *protocol.Range `json:"range"`
}

type timelineView struct {
	First    race.Thread `json:"first"`
	Second   race.Thread `json:"second"`
	Space    string      `json:"space"`
	Variable string      `json:"variable"`
	Address  string      `json:"address"`
	Steps    []stepView  `json:"steps"`
}

type stepView struct {
	placeView
	Second bool   `json:"second"`
	What   string `json:"what"`
	Sync   bool   `json:"sync"`
	Race   bool   `json:"race"`
	Values string `json:"values"`
}

// listRuns returns all runs, the newest first.
func (s *server) listRuns(context.Context, target, protocol.ProgressToken) (any, error) {
	k := s.snapshot().carriers()
	all := []runView{}
	for _, r := range k.snapshot.runs.runs {
		all = append([]runView{k.runView(r)}, all...)
	}
	return all, nil
}

func (k *carriers) runView(r *run) runView {
	v := runView{
		ID: r.id, Kind: r.kind, Title: r.title, URI: k.snapshot.uri(r.path), State: r.state, Message: k.snapshot.relative(r, r.message),
		Started: r.started.Format(time.RFC3339), Seconds: r.seconds, Confirmation: r.confirmation, Again: r.again,
		Detectors: []string{}, Kernels: []kernelView{}, Findings: []findingView{}, Problems: []string{},
	}
	if r.options != nil && r.options.Detectors != nil {
		for _, d := range r.options.Detectors(dynamic.NewSources()) {
			v.Detectors = append(v.Detectors, d.Name())
		}
	}
	if r.result == nil {
		return v
	}
	v.Launches, v.Instructions, v.Schedules = r.result.Run.Launches, r.result.Run.Instructions, r.result.Run.Schedules
	for _, kernel := range r.result.Kernels {
		v.Kernels = append(v.Kernels, kernelView{kernel.Name, kernel.Verdict})
	}
	for _, p := range r.result.Problems {
		if r.state != runCancelled || p.Message != dynamic.WasCancelled { // the state says that
			v.Problems = append(v.Problems, k.snapshot.relative(r, p.Message))
		}
	}
	if r.state == runDone {
		v.Message = r.shown() // the problems stand below
	}
	for i, f := range r.result.Findings {
		v.Findings = append(v.Findings, k.findingView(r, i, f))
	}
	return v
}

// relative shortens the paths in a message to those within the workspace folder.
func (s *snapshot) relative(r *run, message string) string {
	return strings.ReplaceAll(message, s.folder(r.path)+string(filepath.Separator), "")
}

func (k *carriers) findingView(r *run, i int, f dynamic.Finding) findingView {
	v := findingView{
		Index: i, Kernel: f.Kernel, Rule: f.Rule, Kind: f.Kind, Severity: f.Severity.String(), Detector: f.Detector,
		Count: f.Count, Space: f.Space, Variable: f.Variable, Message: f.Message, Why: k.snapshot.relative(r, f.Why), Mend: f.Mend,
		Stale: !k.fresh(r, f.Finding), First: k.siteView(r, f.First), Second: k.siteView(r, f.Second),
	}
	if w := f.Witness; w != nil {
		v.Grid, v.Block, v.Witnessed = w.Grid, w.Block, true
		v.First.Thread, v.Second.Thread = &w.First, &w.Second
	}
	if len(f.Operations) == 2 { // no one launch can be traced
		for i, site := range []*siteView{&v.First, &v.Second} {
			if o := f.Operations[i]; o.Kernel != "" {
				site.Thread = &o.Thread
			}
			site.Access += ", " + f.Operations[i].What + " in " + f.Operations[i].Stream
		}
	}
	if f.Rule == race.BarrierDivergence { // nothing is accessed, so no two threads meet
		v.Witnessed, v.First.Access, v.Second.Access = false, "waits", "does not come"
	}
	return v
}

func (k *carriers) siteView(r *run, site race.Site) siteView {
	v := siteView{placeView: k.placeView(r, site.Span), Access: describe(site), Calls: []placeView{}}
	for _, call := range site.Inlined {
		v.Calls = append(v.Calls, k.placeView(r, call))
	}
	return v
}

func (k *carriers) placeView(r *run, span source.Span) placeView {
	v := placeView{URI: k.snapshot.uri(span.File), File: base(span.File)}
	old := r.texts[span.File]
	if old == nil {
		return v
	}
	v.Line = old.Position(span.Start).Line
	v.Text = old.Slice(codeOf(old, v.Line))
	if k.get(r).span(&span) {
		at := k.snapshot.toRange(widened(k.snapshot, span))
		v.Range = &at
	}
	return v
}

// showTimeline returns what the two threads of a finding did.
func (s *server) showTimeline(ctx context.Context, t target, token protocol.ProgressToken) (any, error) {
	k := s.snapshot().carriers()
	r := k.snapshot.runs.run(t.Run)
	index, err := strconv.Atoi(t.Finding)
	switch {
	case r == nil || r.result == nil:
		return nil, invalid("there is no run %d with findings", t.Run)
	case err != nil || index < 0 || index >= len(r.result.Findings):
		return nil, invalid("run %d has no finding %q", t.Run, t.Finding)
	case r.options == nil:
		return nil, nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	shown := s.beginWork(ctx, "Tracing two threads of "+r.title, token, cancel)
	defer shown.end("")
	select {
	case s.running <- struct{}{}:
		defer func() { <-s.running }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	o := *r.options
	o.Progress = shown.simulation
	line, err := confirm.Trace(ctx, &o, r.result.Findings[index])
	if err != nil || line == nil {
		return nil, err
	}
	v := timelineView{
		First: line.First, Second: line.Second, Space: line.Space, Variable: line.Variable,
		Address: fmt.Sprintf("%#x", line.Address), Steps: []stepView{},
	}
	for _, step := range line.Steps {
		v.Steps = append(v.Steps, stepView{
			placeView: k.placeView(r, step.Span), Second: step.Second, What: step.What, Sync: step.Sync, Race: step.Race, Values: step.Values,
		})
	}
	return v, nil
}

// exportRun writes a run as SARIF.
func (s *server) exportRun(_ context.Context, t target, _ protocol.ProgressToken) (any, error) {
	r := s.snapshot().runs.run(t.Run)
	if r == nil || r.result == nil {
		return nil, invalid("there is no run %d with findings", t.Run)
	}
	var text bytes.Buffer
	w, err := report.New("sarif", &text, report.Options{Files: texts(r.texts), Version: s.options.Version})
	if err != nil {
		return nil, err
	}
	part := report.Part{Kernels: r.result.Kernels, Problems: r.result.Problems, Run: r.result.Run}
	for _, f := range r.result.Findings {
		part.Findings = append(part.Findings, report.Finding{Finding: f.Finding, Detector: f.Detector, Count: f.Count})
	}
	if err := w.Add(part); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return text.String(), nil
}
