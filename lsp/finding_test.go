package lsp

// This file tests how findings are shown, with findings made by hand: what the analysis finds
// in programs is tested by sessions.

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/warplint/warplint/analysis"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
)

const (
	mainText = `#include "lib.cuh"
#define STORE(p) p = 1
__global__ void k(int *a) {
    a[0] = 1; // ä
    a[1] = a[2];
    atomicAdd_block(a, 1);
    helper(a);
    STORE(a[3]);
}
void host() { k<<<2, 64>>>(0); }
`
	libText = `__device__ void helper(int *p) { inner(p); }
__device__ void inner(int *p) { *p = 7; }
__global__ void inLibrary(int *q) { q[0] = 2; }
`
)

// world is a snapshot with an open document and a header.
func world(t *testing.T) *snapshot {
	t.Helper()
	s := &snapshot{documents: map[string]*document{}, encoding: utf16Units, disk: newDiskCache(nil).newView(), runs: &runLog{}}
	for name, text := range map[string]string{"/main.cu": mainText, "/lib.cuh": libText} {
		item := protocol.TextDocumentItem{URI: toURI(name), LanguageID: "cuda-cpp", Version: 3, Text: text}
		s.documents[name] = newDocument(item, utf16Units)
	}
	return s
}

// span is where a text stands first in main.cu, or else in lib.cuh.
func span(t *testing.T, text string) source.Span {
	t.Helper()
	for _, f := range []struct{ path, text string }{{"/main.cu", mainText}, {"/lib.cuh", libText}} {
		path, all := f.path, f.text
		if at := strings.Index(all, text); at >= 0 {
			return source.Span{File: path, Start: at, End: at + len(text)}
		}
	}
	t.Fatalf("nothing has %q", text)
	return source.Span{}
}

func checkedWith(t *testing.T, findings []race.Finding, kernels ...race.Kernel) *checked {
	t.Helper()
	s := world(t)
	c := &checked{
		snapshot: s, document: s.documents["/main.cu"], fixes: &fixCache{},
		result: &analysis.Result{Path: "/main.cu", Findings: findings, Kernels: kernels},
	}
	c.places = placesOf(c)
	c.marks = marksOf(c)
	return c
}

func serverFor(c client) *server {
	s := newServer(context.Background(), Options{})
	s.client = c
	return s
}

// site is an access at a text; words after it are the calls that lead to it.
func site(t *testing.T, access race.Access, scope race.Scope, text string, calls ...string) race.Site {
	t.Helper()
	s := race.Site{Span: span(t, text), Access: access, Scope: scope}
	for _, call := range calls {
		s.Inlined = append(s.Inlined, span(t, call))
	}
	return s
}

// TestPlaces looks where a finding is shown and which places are related.
func TestPlaces(t *testing.T) {
	write := func(text string, calls ...string) race.Site {
		return site(t, race.Write, race.ScopeNone, text, calls...)
	}
	atomic := func(scope race.Scope, text string) race.Site { return site(t, race.Atomic, scope, text) }
	macro := write("STORE(a[3])")
	macro.Macro = span(t, "STORE(p) p = 1")
	for _, test := range []struct {
		name          string
		rule          race.Rule
		first, second race.Site
		want          string
		related       []string
	}{
		{
			"the second access", race.MissingSyncthreads, write("a[0]"), site(t, race.Read, 0, "a[2]"),
			"a[2]", []string{"/main.cu a[0]: races with this write"},
		},
		{
			"one statement", race.InterBlockRace, write("a[0]"), write("a[0]"),
			"a[0]", []string{"/main.cu a[0]: another thread does the same write here"},
		},
		{
			"two accesses of one statement", race.InterBlockRace, site(t, race.Read, 0, "a[0]"), write("a[0]"),
			"a[0]", []string{"/main.cu a[0]: races with another thread's read here"},
		},
		{
			"the narrow atomic", race.AtomicScope, atomic(race.ScopeBlock, "atomicAdd_block(a, 1)"), site(t, race.Read, 0, "a[2]"),
			"atomicAdd_block(a, 1)", []string{"/main.cu a[2]: races with this read"},
		},
		{
			"the narrower of two atomics", race.AtomicScope, atomic(race.ScopeDevice, "a[0]"), atomic(race.ScopeBlock, "atomicAdd_block(a, 1)"),
			"atomicAdd_block(a, 1)", []string{"/main.cu a[0]: races with this atomic of device scope"},
		},
		{
			"the plain access beside an atomic", race.MixedAtomic, write("a[0]"), atomic(race.ScopeDevice, "atomicAdd_block(a, 1)"),
			"a[0]", []string{"/main.cu atomicAdd_block(a, 1): races with this atomic of device scope"},
		},
		{
			"a call", race.MissingSyncthreads, write("a[0]"), write("*p = 7", "helper(a)", "inner(p);"),
			"helper(a)", []string{
				"/lib.cuh *p = 7: the write happens here",
				"/main.cu a[0]: races with this write",
				"/lib.cuh inner(p);: the write is reached by this call",
			},
		},
		{
			"the other access, if that one is in the document", race.MissingSyncthreads, write("a[0]"), write("q[0]"),
			"a[0]", []string{"/lib.cuh q[0]: races with this write"},
		},
		{
			"the include, if both are in the header", race.InterBlockRace, write("q[0]"), write("q[0]"),
			`#include "lib.cuh"`, []string{"/lib.cuh q[0]: the write happens here", "/lib.cuh q[0]: another thread does the same write here"},
		},
		{
			"a macro", race.MissingSyncthreads, write("a[0]"), macro,
			"STORE(a[3])", []string{"/main.cu a[0]: races with this write", "/main.cu STORE(p) p = 1: the write comes from this macro"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			launch := span(t, "k<<<2, 64>>>(0)")
			f := race.Finding{
				Rule: test.rule, Severity: race.Warning, First: test.first, Second: test.second,
				Witness: &race.Witness{Grid: race.Dim3{2, 1, 1}, Block: race.Dim3{8, 8, 1}, Launch: launch},
			}
			c := checkedWith(t, []race.Finding{f})
			d := serverFor(client{related: true, codeDescription: true}).diagnostics(c)[0]
			if got := under(c, c.document.uri, d.Range); got != "/main.cu "+test.want {
				t.Errorf("shown at %q, want %q", got, test.want)
			}
			want := append(test.related, "/main.cu k<<<2, 64>>>(0): launched here as <<<2, dim3(8,8,1)>>>")
			var got []string
			for _, r := range d.RelatedInformation {
				got = append(got, fmt.Sprintf("%s: %s", under(c, r.Location.URI, r.Location.Range), r.Message))
			}
			if strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Errorf("related\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}

// under is the file and the text of a location.
func under(c *checked, u uri.URI, r protocol.Range) string {
	path := toPath(u)
	m, _ := c.snapshot.mapper(path)
	start, end := m.offsets(r)
	return path + " " + m.text[start:end]
}

// TestDiagnostic looks at what else a diagnostic says, for clients of more and less ability.
func TestDiagnostic(t *testing.T) {
	f := race.Finding{
		Rule: race.AtomicScope, Severity: race.Error, Message: "two lines\n  in one",
		First: site(t, race.Write, 0, "a[0]"), Second: site(t, race.Read, 0, "a[2]"),
	}
	c := checkedWith(t, []race.Finding{f})
	d := serverFor(client{related: true, codeDescription: true}).diagnostics(c)[0]
	if d.Severity != protocol.DiagnosticSeverityError || d.Code != protocol.String("atomic-scope") || d.Message != protocol.String("two lines in one") {
		t.Errorf("severity %v, code %v, message %v", d.Severity, d.Code, d.Message)
	}
	if want := "https://github.com/warplint/warplint/blob/main/docs/rules/atomic-scope.md"; string(d.CodeDescription.Href) != want {
		t.Errorf("page %s, want %s", d.CodeDescription.Href, want)
	}
	d = serverFor(client{}).diagnostics(c)[0]
	if d.CodeDescription.Href != "" || d.RelatedInformation != nil {
		t.Errorf("a client that can't show it gets %+v and %+v", d.CodeDescription, d.RelatedInformation)
	}
	for severity, want := range map[race.Severity]protocol.DiagnosticSeverity{
		race.Error: 1, race.Warning: 2, race.Information: 3, race.Hint: 4,
	} {
		if got := toSeverity(severity); got != want {
			t.Errorf("severity %v is shown as %v, want %v", severity, got, want)
		}
	}
}

// hoverFinding has something in every part of a hover.
func hoverFinding(t *testing.T) race.Finding {
	return race.Finding{
		Rule: race.MissingSyncthreads, Kind: race.IntraBlock, Severity: race.Warning,
		Kernel: "k", Space: "shared", Variable: "a",
		Message: "Threads of other warps use `a[*]` with no __syncthreads() between",
		Why:     "The warps of a block run at their own pace.",
		Mend:    "Put a `__syncthreads()` between the two.",
		Assumes: []string{"`n` is positive"},
		First:   site(t, race.Write, 0, "a[0]"), Second: site(t, race.Read, 0, "*p = 7", "helper(a)", "inner(p);"),
		Witness: &race.Witness{
			Grid: race.Dim3{2, 1, 1}, Block: race.Dim3{64, 1, 1},
			First: race.Thread{}, Second: race.Thread{Thread: race.Dim3{33, 0, 0}},
			Parameters: map[string]int64{"n": 64, "m": -1},
		},
	}
}

const wantMarkdown = "[**missing-syncthreads**](https://github.com/warplint/warplint/blob/main/docs/rules/missing-syncthreads.md): " +
	"intra-block race on shared `a` in kernel `k`\n\n" +
	"Threads of other warps use `a[*]` with no \\_\\_syncthreads() between\n\n" +
	`|  | block | thread | access | at |
|---|---|---|---|---|
` + "| first | (0,0,0) | (0,0,0) | write | line 4: `a[0]` |\n" +
	"| second | (0,0,0) | (33,0,0) | read | lib.cuh line 2: `*p = 7` |\n\n" +
	"Launch: grid (2,1,1), block (64,1,1), with `m = -1`, `n = 64`; assumed, as no launch was found that says otherwise.\n\n" +
	"**Why nothing orders them.** The warps of a block run at their own pace.\n\n" +
	"**What mends it.** Put a `__syncthreads()` between the two.\n\n" +
	"**This assumes:**\n\n- `n` is positive\n\n"

const wantPlain = "missing-syncthreads: intra-block race on shared `a` in kernel `k`\n" +
	"https://github.com/warplint/warplint/blob/main/docs/rules/missing-syncthreads.md\n\n" +
	"Threads of other warps use `a[*]` with no __syncthreads() between\n\n" +
	"        block    thread    access  at\n" +
	"first   (0,0,0)  (0,0,0)   write   line 4: `a[0]`\n" +
	"second  (0,0,0)  (33,0,0)  read    lib.cuh line 2: `*p = 7`\n\n" +
	"Launch: grid (2,1,1), block (64,1,1), with `m = -1`, `n = 64`; assumed, as no launch was found that says otherwise.\n\n" +
	"Why nothing orders them. The warps of a block run at their own pace.\n\n" +
	"What mends it. Put a `__syncthreads()` between the two.\n\n" +
	"This assumes:\n  - `n` is positive\n"

func TestHover(t *testing.T) {
	kernel := race.Kernel{Name: "k", Span: span(t, "k(int *a)"), Verdict: race.Unknown, Reasons: []string{"a loop was not understood"}}
	kernel.Span.End = kernel.Span.Start + 1
	c := checkedWith(t, []race.Finding{hoverFinding(t)}, kernel)
	for _, test := range []struct {
		over string
		page page
		want string
	}{
		{"a[0]", &markdown{}, wantMarkdown},
		{"helper(a)", &markdown{}, wantMarkdown},
		{"helper(a)", &plain{}, wantPlain},
		{"k(int *a)", &plain{}, "Kernel k: unknown\n\nRaces:\n  - line 7, missing-syncthreads: Threads of other warps use `a[*]` with no __syncthreads() between\n\n" +
			"Not understood or not decided:\n  - a loop was not understood\n"},
		{"a[2]", &markdown{}, ""},
	} {
		at, found := c.hover(test.page, span(t, test.over).Start)
		if got := test.page.String(); got != test.want {
			t.Errorf("over %s:\n%s\nwant:\n%s", test.over, got, test.want)
		}
		if found && at.Start != span(t, test.over).Start {
			t.Errorf("over %s: the hover is about %v", test.over, at)
		}
	}
}

func TestProse(t *testing.T) {
	for text, want := range map[string]string{
		"a_b *c* `a_b *c*`": "a\\_b \\*c\\* `a_b *c*`",
		"one ` backtick_":   "one \\` backtick\\_",
		"<<<1, 2>>> & [x]":  "\\<\\<\\<1, 2>>> &amp; \\[x\\]",
	} {
		if got := prose(text); got != want {
			t.Errorf("prose(%q) = %q, want %q", text, got, want)
		}
	}
	var m markdown
	m.row([]string{"`a | b`", "c | d"})
	if got, want := m.String(), "| `a \\| b` | c \\| d |\n"; got != want {
		t.Errorf("row = %q, want %q", got, want)
	}
}

// TestWorkspaceEdit converts edits for clients that know versions and for those that do not.
func TestWorkspaceEdit(t *testing.T) {
	c := checkedWith(t, nil)
	edits := []race.Edit{{Span: span(t, "a[0]"), Text: "x"}, {Span: span(t, "q[0]"), Text: "y"}}
	versioned := serverFor(client{documentChanges: true}).edit(c, edits)
	if len(versioned.DocumentChanges) != 2 || versioned.Changes != nil {
		t.Fatalf("edit %+v", versioned)
	}
	for _, change := range versioned.DocumentChanges {
		if v := change.(*protocol.TextDocumentEdit).TextDocument.Version; v == nil || *v != 3 {
			t.Errorf("version %v, want 3", v)
		}
	}
	plain := serverFor(client{}).edit(c, edits)
	if len(plain.Changes) != 2 || plain.DocumentChanges != nil {
		t.Errorf("edit %+v", plain)
	}
}

// TestMarks groups findings that are shown at one place.
func TestMarks(t *testing.T) {
	f := func(rule race.Rule, severity race.Severity, first, second string) race.Finding {
		return race.Finding{
			Rule: rule, Severity: severity, Message: "of " + first,
			First: site(t, race.Write, 0, first), Second: site(t, race.Read, 0, second),
		}
	}
	c := checkedWith(t, []race.Finding{
		f(race.MissingSyncthreads, race.Information, "a[0]", "a[2]"),
		f(race.MissingSyncwarp, race.Warning, "a[0]", "a[2]"),
		f(race.MissingSyncthreads, race.Warning, "a[1]", "a[2]"),
		f(race.MissingSyncthreads, race.Hint, "a[1]", "a[3]"),
	})
	var got []string
	for _, d := range serverFor(client{related: true}).diagnostics(c) {
		got = append(got, fmt.Sprint(under(c, c.document.uri, d.Range), " ", d.Code, " ", d.Severity, " ", d.Message, " ", len(d.RelatedInformation)))
	}
	want := []string{
		"/main.cu a[2] missing-syncthreads 2 of a[0] (and 1 more at this place) 2",
		"/main.cu a[2] missing-syncwarp 2 of a[0] 1",
		"/main.cu a[3] missing-syncthreads 4 of a[1] 1",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
