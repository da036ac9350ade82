package suppress

import (
	"strings"
	"testing"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
)

// Each case is a text in which @ marks the two places of a finding of atomic-scope (or one
// that is both), and # the name of its kernel.
func TestApply(t *testing.T) {
	cases := []struct {
		name, text string
		suppressed bool
		reason     string
		unused     string // what is said of the comment, "" if nothing
	}{
		{"no comment", "void #k() { @a; @b; }", false, "", ""},
		{"on the line", "void #k() {\n @a; // warplint-ignore atomic-scope -- one block only\n @b; }", true, "one block only", ""},
		{"on the second place's line", "void #k() {\n @a;\n @b; /* warplint-ignore atomic-scope */ }", true, "", ""},
		{"next line", "void #k() {\n // warplint-ignore-next-line atomic-scope -- x\n\n // more\n @a;\n @b; }", true, "x", ""},
		{"next line, behind code", "void #k() {\n f(); // warplint-ignore-next-line atomic-scope\n @a;\n @b; }", true, "", ""},
		{"the line after next", "void #k() {\n // warplint-ignore-next-line atomic-scope\n f();\n @a; @b; }", false, "", "no finding of atomic-scope"},
		{"above the kernel", "// warplint-ignore atomic-scope -- tuned\ntemplate <int N>\n__global__ void #k() {\n @a; @b; }", true, "tuned", ""},
		{"behind the kernel's head", "__global__ void #k() { // warplint-ignore atomic-scope\n @a; @b; }", true, "", ""},
		{"above another function", "// warplint-ignore atomic-scope\nvoid f() {}\n__global__ void #k() {\n @a; @b; }", false, "", "no finding of atomic-scope"},
		{"another rule", "void #k() {\n @a; // warplint-ignore fence-scope\n @b; }", false, "", "no finding of fence-scope"},
		{"two rules", "void #k() {\n @a; // warplint-ignore fence-scope, atomic-scope\n @b; }", true, "", "no finding of fence-scope"},
		{"unknown rule", "void #k() {\n @a; // warplint-ignore atomic-scop\n @b; }", false, "", `no rule "atomic-scop"`},
		{"no rule", "void #k() {\n @a; // warplint-ignore -- why not\n @b; }", false, "", "names no rule"},
		{"in a string", "void #k() {\n @a; s = \"// warplint-ignore atomic-scope\";\n @b; }", false, "", ""},
		{"in a raw string", "void #k() {\n @a; s = R\"x(\" // warplint-ignore atomic-scope)x\";\n @b; }", false, "", ""},
		{"behind a digit separator", "void #k() {\n @a; n = 1'000; // warplint-ignore atomic-scope\n @b; }", true, "", ""},
		{"behind a quote character", "void #k() {\n @a; c = '\"'; // warplint-ignore atomic-scope\n @b; }", true, "", ""},
		{"another word", "void #k() {\n @a; // warplint-ignored atomic-scope\n @b; }", false, "", `"warplint-ignored" ignores nothing`},
		{"a colon", "void #k() {\n @a; // warplint:ignore atomic-scope\n @b; }", false, "", `"warplint:ignore" ignores nothing`},
		{"two words", "void #k() {\n @a; /* warplint: ignore(atomic-scope) */\n @b; }", false, "", `"warplint: ignore" ignores nothing`},
		{"capitals", "void #k() {\n @a; // WARPLINT-IGNORE atomic-scope\n @b; }", false, "", `"WARPLINT-IGNORE" ignores nothing`},
		{"another linter's word", "void #k() {\n @a; // warplint-disable-line\n @b; }", false, "", `"warplint-disable-line" ignores nothing`},
		{"letters exchanged", "void #k() {\n @a; // warplint-ingore atomic-scope\n @b; }", false, "", `"warplint-ingore" ignores nothing`},
		{"behind something else", "void #k() {\n @a; // one block, warplint-ignore atomic-scope\n @b; }", false, "", `"warplint-ignore" ignores nothing`},
		{"a sentence", "// warplint ignores what no kernel does\n// warplint: atomic sums\n// warplint finds atomic-scope here\n// see warplint-ignore\nvoid #k() { @a; @b; }", false, "", ""},
		{"CRLF", "void #k() {\r\n @a; // warplint-ignore atomic-scope -- x\r\n @b; }\r\n", true, "x", ""},
		{"at the end of the file", "void #k() { @a; @b; }\n// warplint-ignore-next-line atomic-scope", false, "", "no finding"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			file, kernel, finding := marked(c.text)
			got := Apply(source.Map{file.Path: file}, file.Path, []race.Kernel{kernel}, []race.Finding{finding})
			if suppressed := len(got.Suppressed) == 1; suppressed != c.suppressed || len(got.Kept)+len(got.Suppressed) != 1 {
				t.Fatalf("kept %d, suppressed %d, want suppressed: %v", len(got.Kept), len(got.Suppressed), c.suppressed)
			}
			if c.suppressed && got.Suppressed[0].Reason != c.reason {
				t.Errorf("the reason is %q, want %q", got.Suppressed[0].Reason, c.reason)
			}
			var said []string
			for _, u := range got.Unused {
				said = append(said, u.Message)
				if !strings.Contains(strings.ToLower(file.Slice(u.Span)), "warplint") {
					t.Errorf("the span of the unused comment is %q", file.Slice(u.Span))
				}
			}
			if text := strings.Join(said, "\n"); (c.unused == "") != (text == "") || !strings.Contains(text, c.unused) {
				t.Errorf("of the comment is said %q, want %q", text, c.unused)
			}
		})
	}
}

// marked takes the marks out of a text.
func marked(text string) (*source.File, race.Kernel, race.Finding) {
	var clean strings.Builder
	var at []int
	var kernel int
	for _, r := range text {
		switch r {
		case '@':
			at = append(at, clean.Len())
		case '#':
			kernel = clean.Len()
		default:
			clean.WriteRune(r)
		}
	}
	span := func(start int) source.Span { return source.Span{File: "a.cu", Start: start, End: start + 1} }
	return source.New("a.cu", clean.String()),
		race.Kernel{Name: "k", Span: span(kernel)},
		race.Finding{Rule: race.AtomicScope, Kernel: "k", First: race.Site{Span: span(at[0])}, Second: race.Site{Span: span(at[len(at)-1])}}
}

// TestHeaders: a comment in a header works for findings there, and is never called unused by
// a file that includes it; a call through which a place is reached counts as its line.
func TestHeaders(t *testing.T) {
	files := source.Map{
		"a.cuh": source.New("a.cuh", "x; // warplint-ignore atomic-scope\ny; // warplint-ignore fence-scope\n"),
		"a.cu":  source.New("a.cu", "f(); // warplint-ignore mixed-atomic\n"),
	}
	header := race.Site{Span: source.Span{File: "a.cuh", Start: 0, End: 1}}
	called := race.Site{Span: source.Span{File: "b.cuh"}, Inlined: []source.Span{{File: "a.cu", Start: 0, End: 3}}}
	got := Apply(files, "a.cu", nil, []race.Finding{
		{Rule: race.AtomicScope, First: header, Second: header},
		{Rule: race.MixedAtomic, First: called, Second: called},
	})
	if len(got.Suppressed) != 2 || len(got.Unused) != 0 {
		t.Errorf("suppressed %d, unused %v, want 2 and none", len(got.Suppressed), got.Unused)
	}
}

func FuzzComments(f *testing.F) {
	f.Add("a // b\n\"c\\\" /* \" 'd' R\"x(y)x\" /* e")
	f.Add("'\\")
	f.Fuzz(func(t *testing.T, text string) {
		comments(source.New("a.cu", text+"\n// warplint-ignore x"))
	})
}
