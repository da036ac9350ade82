package report

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
)

// FuzzFormats shows findings with any spans over any text, as a defect elsewhere might make
// them: no format may crash, and the text may hold nothing that steers a terminal.
func FuzzFormats(f *testing.F) {
	f.Add(stencilText, "message", 10, 20, 30, 40, "edit\n")
	f.Add("\t漢\r\n\r\x00\xff", "a\nb", -5, 99, 3, 1, "")
	f.Add("", "", 0, 0, 0, 0, "\n\n")
	f.Add(strings.Repeat("x", 500)+"\n", "long", 400, 450, 10, 500, "y")
	f.Fuzz(func(t *testing.T, text, message string, a, b, c, d int, insert string) {
		files := source.Map{"a.cu": source.New("a.cu", text)}
		span := func(start, end int) source.Span {
			return source.Span{File: "a.cu", Start: start % (len(text) + 3), End: end % (len(text) + 3)}
		}
		part := Part{Findings: Static([]race.Finding{{
			Rule: race.AtomicScope, Message: message, Why: message,
			First: race.Site{Span: span(a, b), Inlined: []source.Span{span(d, c)}}, Second: race.Site{Span: span(c, d)},
			Fixes: []race.Fix{{Title: message, Edits: []race.Edit{{Span: span(a, b), Text: insert}, {Span: span(c, d), Text: insert}}}},
		}})}
		for _, format := range []string{"text", "github"} {
			out := render(t, format, files, false, part)
			if !utf8.ValidString(out) && format == "text" {
				t.Errorf("%s is not valid UTF-8", format)
			}
			if format == "text" && strings.ContainsFunc(out, func(r rune) bool { return r < ' ' && r != '\n' }) {
				t.Errorf("text holds control characters: %q", out)
			}
		}
	})
}
