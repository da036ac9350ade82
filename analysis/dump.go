package analysis

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/meet"
	"github.com/warplint/warplint/analysis/prove"
	"github.com/warplint/warplint/analysis/prove/z3"
	"github.com/warplint/warplint/analysis/source"
	"github.com/warplint/warplint/analysis/term"
)

// This file prints what the stages make of a kernel, for those who look inside.

// Stages are what Dump can print, in the order in which one leads to the next.
var Stages = []string{"ir", "accesses", "constraints"}

// Dump prints what a stage makes of the kernels that a request is about, and returns how many
// these are. "ir" is the program of a kernel and of the host functions that launch it,
// "accesses" what each launch lets the kernel do to memory, and "constraints" for each pair of
// accesses when two threads meet by it, and whether that is possible.
func (e *Engine) Dump(ctx context.Context, w io.Writer, req Request, stage string) int {
	kernels := 0
	for _, module := range e.modules(ctx, req) {
		for _, f := range module.Kernels {
			if !req.wants(f) {
				continue
			}
			kernels++
			d := dumper{w: w, req: req, f: f}
			d.kernel(ctx, launchersIn(module)[f], stage)
		}
	}
	return kernels
}

type dumper struct {
	w   io.Writer
	req Request
	f   *ir.Func
}

func (d *dumper) line(format string, args ...any) { fmt.Fprintf(d.w, format+"\n", args...) }

func (d *dumper) kernel(ctx context.Context, hosts []*ir.Func, stage string) {
	name := d.f.Name
	if d.f.Instance != "" {
		name += "<" + d.f.Instance + ">"
	}
	d.line("# kernel %s, %s", name, d.place(d.f.Span))
	if stage == "ir" {
		_ = ir.Print(d.w, d.f, true)
		for _, h := range hosts {
			d.line("\n# launched by %s, %s", h.Name, d.place(h.Span))
			_ = ir.Print(d.w, h, true)
		}
		d.line("")
		return
	}
	table := term.NewTable()
	grid, block := d.req.assumed(d.f, hosts)
	for _, l := range newHostRuns(nil).launches(ctx, table, d.f, hosts) {
		d.launch(l, hosts)
		s := access.Summarize(ctx, table, d.f, l, grid, block)
		for i, a := range s.Accesses {
			d.access(i, a)
		}
		if stage == "constraints" {
			d.constraints(ctx, s)
			continue
		}
		for _, e := range s.Events {
			d.event(e)
		}
		for _, r := range s.Reasons {
			d.line("not understood: %s", describe(d.req.Files, d.f, r))
		}
		d.line("")
	}
}

// place names a line.
func (d *dumper) place(s source.Span) string {
	file, ok := d.req.Files.File(s.File)
	if !ok {
		return "nowhere"
	}
	return fmt.Sprintf("%s:%d", s.File, file.Position(s.Start).Line)
}

func (d *dumper) site(i int) string {
	if i < 0 || i >= len(d.f.Sites) {
		return "nowhere"
	}
	return d.place(d.f.Sites[i].Span)
}

func (d *dumper) launch(l *access.Launch, hosts []*ir.Func) {
	if l == nil {
		d.line("\n## any launch")
		return
	}
	d.line("\n## launch <<<(%s), (%s)>>>, %s", dimensions(l.Grid), dimensions(l.Block), d.place(launchSpan(l.Stmt, hosts, hosts)))
	for i, a := range l.Args {
		if i < len(d.f.Params) && (a.P != nil || a.Base != nil) {
			d.line("    %s = %s", d.f.Params[i].Name, valueText(a))
		}
	}
	d.conditions(l.When)
}

func dimensions(of [3]*term.Poly) string {
	var parts []string
	for _, p := range of {
		if p == nil {
			parts = append(parts, "?")
			continue
		}
		parts = append(parts, p.String())
	}
	return strings.Join(parts, ", ")
}

func valueText(v access.Value) string {
	switch {
	case v.Base != nil && v.P != nil:
		return fmt.Sprintf("%s + %s bytes", v.Base.Name, v.P)
	case v.Base != nil:
		return v.Base.Name
	}
	return v.P.String()
}

func (d *dumper) conditions(list []*term.Cond) {
	for _, c := range list {
		d.line("    if %s", c)
	}
}

func (d *dumper) loops(list []*access.Loop) {
	for _, l := range list {
		d.line("    in the loop of %s", l.Iter)
	}
}

func (d *dumper) access(i int, a *access.Access) {
	var how []string
	if a.Scope != 0 {
		how = append(how, a.Scope.String()+" scope")
	}
	if a.Volatile {
		how = append(how, "volatile")
	}
	text := ""
	if len(how) > 0 {
		text = " (" + strings.Join(how, ", ") + ")"
	}
	d.line("%d: %s %s %s[%s], %d bytes%s, %s", i, a.Kind, a.Base.Space, a.Base.Name, a.Off, a.Size, text, d.site(a.Site))
	d.conditions(a.When)
	d.loops(a.Loops)
}

func (d *dumper) event(e *access.Event) {
	d.line("%s, %s", strings.ToLower(strings.TrimPrefix(fmt.Sprintf("%T", e.Stmt), "*ir.")), d.site(e.Site))
	d.conditions(e.When)
	d.loops(e.Loops)
	for _, c := range e.Left {
		d.line("    some threads returned unless %s", c)
	}
}

func (d *dumper) constraints(ctx context.Context, s *access.Summary) {
	second, _ := z3.Named(d.req.Config.Z3)
	out := meet.Explain(ctx, s, prove.NewAnswers(), func(q meet.Question) {
		d.line("\n%d and %d, %s: %s", slices.Index(s.Accesses, q.A), slices.Index(s.Accesses, q.B), q.Kind, q.Answer)
		for _, c := range meet.Query(s, q.A, q.B, q.Kind, q.Mode) {
			d.line("    %s", c)
		}
	})
	out.AskSecond(second)
	d.line("")
}
