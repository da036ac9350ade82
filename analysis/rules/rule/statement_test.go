package rule

import (
	"strings"
	"testing"

	"github.com/warplint/warplint/analysis/source"
)

func TestUpdateStatement(t *testing.T) {
	cases := []struct{ text, place, want string }{
		{"{ x[i] += v; }", "x[i]", "x[i] += v;"},
		{"if (c) x = 0;", "x", "x = 0;"},
		{"if (c)\n    *p = f(a, b);\n", "*p", "*p = f(a, b);"},
		{"if (c) y = 1; else x++;", "x", "x++;"},
		{"for (;;) ++ x;", "x", "++ x;"},
		{"do --x; while (c);", "x", "--x;"},
		{"y = x;", "x", ""},
		{"f(x);", "x", ""},
		{"{ x = 0, y = 1; }", "x", ""},
		{"if (x) y = 1;", "x", ""},
		{"c ? y : x = 0;", "x", ""},
		{"{ x = 0 }", "x", ""},
		{"{ x = 0", "x", ""},
		{"y = 1; // so it is\n x = 0;", "x", "x = 0;"},
		{"y = 1; /* it's */ x = 0;", "x", "x = 0;"},
		{"y = '\\''; s = \"//\"; x = 1'000;", "x", ""},
		{"y = '\\''; s = \"//\"; x = 0;", "x", "x = 0;"},
	}
	for _, c := range cases {
		f := source.New("a.cu", c.text)
		at := strings.Index(c.text, c.place)
		span, ok := updateStatement(f, source.Span{File: "a.cu", Start: at, End: at + len(c.place)})
		if got := f.Slice(span); ok != (c.want != "") || ok && got != c.want {
			t.Errorf("%q: %q begins the statement %q, %v, want %q", c.text, c.place, got, ok, c.want)
		}
	}
}
