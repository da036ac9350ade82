package lsp

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
)

// A finding is between `s[u]` and `s[31 - u]`, which a call `far(s)` leads to; "-" stands for a finding that is dropped.
func TestMove(t *testing.T) {
	const text = "launch<<<1, 32>>>();\n{\n    s[u] = u;\n    y = s[31 - u];\n    z = far(s);\n    w = 1;\n}\n"
	place := func(code string) source.Span {
		at := strings.Index(text, code)
		return source.Span{File: "a.cu", Start: at, End: at + len(code)}
	}
	finding := race.Finding{
		First: race.Site{Span: place("s[u]")}, Second: race.Site{Span: place("s[31 - u]"), Inlined: []source.Span{place("far(s)")}},
		Also:       []race.Pair{{First: race.Site{Span: place("s[u]")}, Second: race.Site{Span: place("w")}}},
		Operations: []race.Operation{{Span: place("launch<<<1, 32>>>()")}},
		Witness:    &race.Witness{Launch: place("launch<<<1, 32>>>()")},
	}
	const all = "s[u] | s[31 - u] | far(s) | w | launch<<<1, 32>>>() | launch<<<1, 32>>>()"
	for _, test := range []struct{ what, old, text, strict, loose string }{
		{"nothing", "", "", all, all},
		{"lines above and a line between", "{\n    s[u] = u;\n", "\n\n{\n    s[u] = u;\n    // and no barrier\n", all, all},
		{"lines everywhere", text, "\n" + strings.ReplaceAll(text, ";\n", ";\n\n"), all, all},
		{"a part of an access", "s[u]", "s[v]", "s[v] | s[31 - u] | far(s) | w | launch<<<1, 32>>>() | launch<<<1, 32>>>()", "s[v] = u | s[31 - u] | far(s) | w | launch<<<1, 32>>>() | launch<<<1, 32>>>()"},
		{"its end, and all up to a line below", "31 - u];\n    z = far(s);\n    w", "31\n    z = far(s);\n    v",
			"s[u] | s[31 | far(s) |  | launch<<<1, 32>>>() | launch<<<1, 32>>>()", "s[u] | y = s[31 | far(s) | v = 1 | launch<<<1, 32>>>() | launch<<<1, 32>>>()"},
		{"all of an access", "    s[u] = u;\n", "    call();\n", "-", "call() | s[31 - u] | far(s) | w | launch<<<1, 32>>>() | launch<<<1, 32>>>()"},
		{"an access, which is gone", "    s[u] = u;\n", "", "-", "-"},
		{"the call", "far(s)", "0", "-", "s[u] | s[31 - u] | z = 0 | w | launch<<<1, 32>>>() | launch<<<1, 32>>>()"},
		{"the call, which is gone", "    z = far(s);\n", "", "-", "s[u] | s[31 - u] |  | w | launch<<<1, 32>>>() | launch<<<1, 32>>>()"},
		{"another pair", "    w = 1;\n", "", "s[u] | s[31 - u] | far(s) |  | launch<<<1, 32>>>() | launch<<<1, 32>>>()", "s[u] | s[31 - u] | far(s) |  | launch<<<1, 32>>>() | launch<<<1, 32>>>()"},
		{"the launch", "launch<<<1, 32>>>();\n", "", "s[u] | s[31 - u] | far(s) | w |  | ", "s[u] | s[31 - u] | far(s) | w |  | "},
	} {
		from := source.Map{"a.cu": source.New("a.cu", text)}
		to := source.Map{"a.cu": source.New("a.cu", strings.Replace(text, test.old, test.text, 1))}
		for _, side := range []struct {
			how  strictness
			want string
		}{{strict, test.strict}, {loose, test.loose}} {
			got := "-"
			if f, ok := newMover(from, to, side.how).finding(finding); ok {
				code := func(spans ...source.Span) string {
					var all []string
					for _, s := range spans {
						all = append(all, to["a.cu"].Slice(s))
					}
					return strings.Join(all, ", ")
				}
				var also []source.Span
				for _, p := range f.Also {
					also = append(also, p.Second.Span)
				}
				got = strings.Join([]string{code(f.First.Span), code(f.Second.Span), code(f.Second.Inlined...), code(also...),
					code(f.Operations[0].Span), code(f.Witness.Launch)}, " | ")
			}
			if diff := cmp.Diff(side.want, got); diff != "" {
				t.Errorf("%s changed, %v (-want +got):\n%s", test.what, side.how, diff)
			}
		}
	}
}
