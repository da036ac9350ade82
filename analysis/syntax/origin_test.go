package syntax

import (
	"context"
	"strings"
	"testing"

	"github.com/warplint/warplint/analysis/source"
)

// TestOrigin finds a piece of the expanded text and checks what stands at its origin.
func TestOrigin(t *testing.T) {
	files := source.Map{
		"a.cu": source.New("a.cu", "\ufeff#define SYNC \\\r\n  __syncthreads()\n"+
			"#define AT(p, i) (p)[(i) + 1]\n#define SWAP(a, b) b, a\n#define TWICE(x) x SYNC x\n"+
			"#include \"b.h\"\n"+
			"void f() { /* comment */ SYNC; AT(data, threadIdx.x) = g(SWAP(one, two)); }\n"+
			"int lo\\\nng = TWICE(h(3));\n"+
			"namespace n {\n#include \"b.h\"\n}\n"+
			"int limit = INT_MAX;\n"),
		"b.h": source.New("b.h", "int inB = AT(q, 0);\n"),
	}
	u := Parse(context.Background(), files, "a.cu", Config{}, nil)
	for _, test := range []struct{ text, origin, macro string }{
		{"void f()", "void f()", ""},
		{"__syncthreads()", "SYNC", "SYNC \\\r\n  __syncthreads()"},
		{"(data)[(threadIdx.x) + 1]", "AT(data, threadIdx.x)", "AT(p, i) (p)[(i) + 1]"},
		{"data", "data", ""},
		{"threadIdx.x", "threadIdx.x", ""},
		{"(threadIdx.x)", "AT(data, threadIdx.x)", "AT(p, i) (p)[(i) + 1]"},
		{"two, one", "SWAP(one, two)", "SWAP(a, b) b, a"},
		{"one", "one", ""},
		{"g(two, one)", "g(SWAP(one, two))", ""},
		{"= g(two, one);", "= g(SWAP(one, two));", ""},
		{"long", "lo\\\nng", ""},
		{"long = h(3) __syncthreads() h(3)", "lo\\\nng = TWICE(h(3))", ""},
		{"__syncthreads() h(3)", "TWICE(h(3))", "TWICE(x) x SYNC x"},
		{"int inB = (q)[(0) + 1];", "int inB = AT(q, 0);", ""},
		{"(q)", "AT(q, 0)", "AT(p, i) (p)[(i) + 1]"},
		{"2147483647", "INT_MAX", ""},
	} {
		at := strings.Index(u.Text, test.text)
		if at < 0 {
			t.Errorf("%q is not in %q", test.text, u.Text)
			continue
		}
		o := u.Origin(at, at+len(test.text))
		if got := slice(files, o.Span); got != test.origin {
			t.Errorf("origin of %q is %q, not %q", test.text, got, test.origin)
		}
		if got := slice(files, o.Macro); got != test.macro {
			t.Errorf("macro of %q is %q, not %q", test.text, got, test.macro)
		}
	}

	n := u.Items()[len(u.Items())-2]
	if n.Kind != "namespace_definition" {
		t.Fatal(n.Kind)
	}
	if o := u.Origin(n.Start, n.End); slice(files, o.Span) != "namespace n {\n#include \"b.h\"\n}" {
		t.Errorf("the namespace's origin is %q", slice(files, o.Span))
	}
	if o := u.Origin(0, len(u.Text)); o.Span.File == "" {
		t.Error("the unit has no origin")
	}
	for at := range len(u.Text) + 1 {
		for _, end := range []int{at, at + 1, len(u.Text)} {
			o := u.Origin(at, end)
			if f, ok := files.File(o.Span.File); ok && (o.Span.Start > o.Span.End || o.Span.End > len(f.Text)) {
				t.Fatalf("origin of %d-%d is %v", at, end, o.Span)
			}
		}
	}
}

func slice(files source.Map, s source.Span) string {
	if f, ok := files.File(s.File); ok {
		return f.Slice(s)
	}
	return ""
}
