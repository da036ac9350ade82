// This file defines the JSON that other programs rely on. Its fields and their order are
// fixed; fields may be added behind the others. Lists are never null.

package report

import (
	"encoding/json"
	"io"
	"math"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
)

type jsonDocument struct {
	Version  int           `json:"version"`
	Tool     jsonTool      `json:"tool"`
	Kernels  []jsonKernel  `json:"kernels"`
	Run      any           `json:"run,omitempty"`
	Findings []jsonFinding `json:"findings"`
	Errors   []jsonError   `json:"errors"`
	// Suppressed are the findings that a comment says to ignore; they are not among Findings.
	Suppressed []jsonFinding `json:"suppressed"`
}

type jsonTool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

type jsonKernel struct {
	Name         string   `json:"name"`
	File         string   `json:"file"`
	Line         int      `json:"line"`
	Verdict      string   `json:"verdict"`
	Reasons      []string `json:"reasons"`
	Milliseconds float64  `json:"milliseconds"`
	Assumes      []string `json:"assumes"`
	Outside      []string `json:"outside"`   // what was not lowered
	Unshown      int      `json:"unshown"`   // pairs that may race, but that no run showed to
	CutShort     bool     `json:"cut_short"` // a time limit ended the work
}

type jsonFinding struct {
	Source       string             `json:"source"`
	Rule         string             `json:"rule"`
	Kind         string             `json:"kind"`
	Severity     string             `json:"severity"`
	Kernel       string             `json:"kernel"`
	Space        string             `json:"space"`
	Variable     string             `json:"variable"`
	Message      string             `json:"message"`
	First        jsonSite           `json:"first"`
	Second       jsonSite           `json:"second"`
	Witness      *jsonWitness       `json:"witness"`
	Fixes        []jsonFix          `json:"fixes"`
	Why          string             `json:"why"`
	Mend         string             `json:"mend"`
	Assumes      []string           `json:"assumes"`
	Detector     string             `json:"detector,omitempty"`
	Count        int                `json:"count,omitempty"`
	Reason       string             `json:"reason,omitempty"`
	Confirmation *race.Confirmation `json:"confirmation,omitempty"`
	Allocated    *jsonLaunch        `json:"allocated,omitempty"` // the host's call that allocated the memory
	Also         []jsonPair         `json:"also,omitempty"`      // further races that the same fix mends
	Operations   []jsonOperation    `json:"operations,omitempty"`
}

type jsonOperation struct {
	What   string       `json:"what"`
	Stream string       `json:"stream"`
	Call   *jsonLaunch  `json:"call"`             // the host's; null if unknown
	Kernel string       `json:"kernel,omitempty"` // of a launch, with the next three
	Grid   *race.Dim3   `json:"grid,omitempty"`
	Block  *race.Dim3   `json:"block,omitempty"`
	Thread *race.Thread `json:"thread,omitempty"` // that makes the access
}

type jsonPair struct {
	First  jsonSite `json:"first"`
	Second jsonSite `json:"second"`
}

type jsonSpan struct {
	File      string `json:"file"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndLine   int    `json:"end_line"`
	EndColumn int    `json:"end_column"`
}

type jsonSite struct {
	jsonSpan
	Access  string     `json:"access"`
	Scope   string     `json:"scope"`
	Calls   []jsonSpan `json:"calls,omitempty"`   // through which it is reached, the kernel's first
	Macro   *jsonSpan  `json:"macro,omitempty"`   // where its text is defined
	Library *jsonSpan  `json:"library,omitempty"` // where in a header of warplint's the access stands that is called here
}

type jsonWitness struct {
	Grid       race.Dim3              `json:"grid"`
	Block      race.Dim3              `json:"block"`
	Cluster    *race.Dim3             `json:"cluster,omitempty"` // where the launch says so
	First      race.Thread            `json:"first_thread"`
	Second     race.Thread            `json:"second_thread"`
	Parameters map[string]any         `json:"parameters"`       // numbers; +Inf, -Inf and NaN are strings
	Memory     map[string]race.Memory `json:"memory,omitempty"` // what pointers point to, where it is not zeros
	Launch     *jsonLaunch            `json:"launch"`           // null if the launch is assumed
}

type jsonLaunch struct {
	File string `json:"file"`
	Line int    `json:"line"`
}

type jsonFix struct {
	Title    string     `json:"title"`
	Verified bool       `json:"verified"`
	Edits    []jsonEdit `json:"edits"`
	Safe     bool       `json:"safe"`
}

type jsonEdit struct {
	jsonSpan
	Text string `json:"text"`
}

type jsonError struct {
	File    string `json:"file"`
	Message string `json:"message"`
	Handled bool   `json:"handled,omitempty"`
}

// jsonWriter collects the parts and writes one object.
type jsonWriter struct {
	w       io.Writer
	places  places
	version string
	all     Part
}

func (j *jsonWriter) Add(p Part) error {
	j.all = join(j.all, p)
	return nil
}

func (j *jsonWriter) Close() error {
	doc := jsonDocument{
		Version:    1,
		Tool:       jsonTool{"warplint", j.version},
		Kernels:    each(j.all.Kernels, j.kernel),
		Run:        j.all.Run,
		Findings:   each(j.all.Findings, j.finding),
		Suppressed: each(j.all.Suppressed, j.finding),
		Errors:     each(j.all.Problems, func(p race.Problem) jsonError { return jsonError{j.places.name(p.File), p.Message, p.Handled} }),
	}
	enc := json.NewEncoder(j.w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(doc)
}

func (j *jsonWriter) kernel(k race.Kernel) jsonKernel {
	start, _ := j.places.bounds(k.Span)
	return jsonKernel{
		Name: k.Name, File: j.places.name(k.Span.File), Line: start.Line, Verdict: string(k.Verdict),
		Reasons: notNil(k.Reasons), Milliseconds: math.Round(k.Milliseconds*1000) / 1000,
		Assumes: notNil(k.Assumes), Outside: notNil(k.Outside), Unshown: k.Unshown, CutShort: k.CutShort,
	}
}

func (j *jsonWriter) finding(f Finding) jsonFinding {
	var also []jsonPair
	for _, p := range f.Also {
		also = append(also, jsonPair{j.site(p.First), j.site(p.Second)})
	}
	var operations []jsonOperation
	for _, o := range f.Operations {
		operations = append(operations, j.operation(o))
	}
	return jsonFinding{
		Source: f.Source, Rule: string(f.Rule), Kind: string(f.Kind), Severity: f.Severity.String(),
		Kernel: f.Kernel, Space: f.Space, Variable: f.Variable, Message: f.Message,
		First: j.site(f.First), Second: j.site(f.Second), Witness: j.witness(f.Witness),
		Fixes: each(f.Fixes, j.fix), Why: f.Why, Mend: f.Mend, Assumes: notNil(f.Assumes),
		Detector: f.Detector, Count: f.Count, Reason: f.Reason, Confirmation: f.Confirmation, Allocated: j.line(f.Allocated), Also: also,
		Operations: operations,
	}
}

func (j *jsonWriter) operation(o race.Operation) jsonOperation {
	out := jsonOperation{What: o.What, Stream: o.Stream, Call: j.line(o.Span), Kernel: o.Kernel}
	if o.Kernel != "" {
		out.Grid, out.Block, out.Thread = &o.Grid, &o.Block, &o.Thread
	}
	return out
}

func (j *jsonWriter) span(s source.Span) jsonSpan {
	start, end := j.places.bounds(s)
	return jsonSpan{j.places.name(s.File), start.Line, start.Column, end.Line, end.Column}
}

func (j *jsonWriter) site(s race.Site) jsonSite {
	site := jsonSite{jsonSpan: j.span(s.Span), Access: string(s.Access), Scope: s.Scope.String()}
	for _, call := range s.Inlined {
		site.Calls = append(site.Calls, j.span(call))
	}
	if !s.Macro.IsZero() {
		macro := j.span(s.Macro)
		site.Macro = &macro
	}
	if !s.Library.IsZero() {
		library := j.span(s.Library)
		site.Library = &library
	}
	return site
}

func (j *jsonWriter) witness(w *race.Witness) *jsonWitness {
	if w == nil {
		return nil
	}
	out := &jsonWitness{Grid: w.Grid, Block: w.Block, First: w.First, Second: w.Second, Parameters: map[string]any{}, Memory: w.Memory}
	if w.Cluster.Count() > 1 {
		out.Cluster = &w.Cluster
	}
	for name, value := range w.Values() {
		out.Parameters[name] = json.Number(value)
		if x := w.Floats[name]; math.IsInf(x, 0) || math.IsNaN(x) { // JSON has no such numbers
			out.Parameters[name] = value
		}
	}
	out.Launch = j.line(w.Launch)
	return out
}

// line is a place without its columns; nil if there is none.
func (j *jsonWriter) line(s source.Span) *jsonLaunch {
	if s.IsZero() {
		return nil
	}
	start, _ := j.places.bounds(s)
	return &jsonLaunch{j.places.name(s.File), start.Line}
}

func (j *jsonWriter) fix(f race.Fix) jsonFix {
	edit := func(e race.Edit) jsonEdit { return jsonEdit{j.span(e.Span), e.Text} }
	return jsonFix{Title: f.Title, Verified: f.Verified, Edits: each(f.Edits, edit), Safe: f.Safe}
}

// join appends a part to what came before it.
func join(all, p Part) Part {
	all.Kernels = append(all.Kernels, p.Kernels...)
	all.Findings = append(all.Findings, p.Findings...)
	all.Suppressed = append(all.Suppressed, p.Suppressed...)
	all.Problems = append(all.Problems, p.Problems...)
	if p.Run != nil {
		all.Run = p.Run
	}
	return all
}

// each maps a list; the result is never nil.
func each[A, B any](list []A, convert func(A) B) []B {
	out := make([]B, len(list))
	for i, a := range list {
		out[i] = convert(a)
	}
	return out
}

func notNil(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
