package syntax

import (
	"strings"
	"testing"

	"github.com/warplint/warplint/analysis/source"
)

// What stands around a place in a file's own text: macros as they are, directives and comments left out, offsets of the file.
func TestAround(t *testing.T) {
	cases := []struct{ text, place, want string }{
		{"void k() { x[i] += 1; }", "x[i]", "subscript_expression assignment_expression expression_statement compound_statement function_definition translation_unit"},
		{"namespace n {\nvoid f();\nvoid k() { f(x); }\n}", "x", "identifier argument_list call_expression expression_statement compound_statement function_definition translation_unit"},
		{"#define N \\\n  2\nvoid k() { // é\n#if N\n  x = 1; /* x */\n#endif\n}", "x = 1", "assignment_expression expression_statement compound_statement function_definition translation_unit"},
		{"\ufeffvoid k() { CHECK(x); }", "CHECK(x)", "call_expression expression_statement compound_statement function_definition translation_unit"},
		{"int a; int b;", "a; int b", ""},
		{"#define x 1", "x", ""},
		{"", "", ""},
	}
	for _, c := range cases {
		f := source.New("a.cu", c.text)
		at := strings.Index(c.text, c.place)
		var kinds []string
		for _, n := range WrittenIn(f).Around(source.Span{File: "a.cu", Start: at, End: at + len(c.place)}) {
			kinds = append(kinds, n.Kind)
		}
		if got := strings.Join(kinds, " "); got != c.want {
			t.Errorf("%q: around %q is %q, want %q", c.text, c.place, got, c.want)
		}
	}
}
