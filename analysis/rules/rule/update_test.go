package rule

import (
	"strings"
	"testing"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/source"
)

// Statements and expressions, and what does the same atomically.
func TestAtomicUpdate(t *testing.T) {
	cases := []struct {
		text, place, want string
		t                 ir.Type
	}{
		{"x[i] += v;", "x[i]", "atomicAdd(&x[i], v);", ir.I32},
		{"x -= a + b;", "x", "atomicSub(&x, a + b);", ir.U32},
		{"x -= a + b;", "x", "atomicAdd(&x, -(a + b));", ir.F32},
		{"--x;", "x", "atomicAdd(&x, -1);", ir.U64},
		{"x = x + v * 2;", "x", "atomicAdd(&x, v * 2);", ir.F64},
		{"x = f(a, b) | x;", "x", "atomicOr(&x, f(a, b));", ir.I32},
		{"x = x - a + b;", "x", "", ir.I32},
		{"x = x + a < b;", "x", "", ir.I32},
		{"x = a - x;", "x", "", ir.I32},
		{"x = 2 * x + 1;", "x", "", ir.I32},
		{"x = xs + 1;", "x", "", ir.I32},
		{"x = a + max;", "x", "", ir.I32},
		{"x = max(x, f(a, b));", "x", "atomicMax(&x, f(a, b));", ir.I32},
		{"*p = min(v, *p);", "*p", "atomicMin(p, v);", ir.U64},
		{"x = max(x, v);", "x", "", ir.F32},
		{"x = max(x, v) + f(c);", "x", "", ir.I32},
		{"x = max(x, v, w);", "x", "", ir.I32},
		{"x = max(x, max(a, b));", "x", "atomicMax(&x, max(a, b));", ir.I32},
		{"if (v < x) x = v;", "x", "atomicMin(&x, v);", ir.I32},
		{"if (i < n) { if (x[j] <= in[i]) { x[j] = in[i]; } }", "x[j]", "if (i < n) { atomicMax(&x[j], in[i]); }", ir.U32},
		{"if (f(a) > x) x = f(a);", "x", "atomicMax(&x, f(a));", ir.I32},
		{"if (v < x) x = v; else y = 1;", "x", "", ir.I32},
		{"if (v < x) { x = v; y = 1; }", "x", "", ir.I32},
		{"if (v < x) x = w;", "x", "", ir.I32},
		{"if (c && v < x) x = v;", "x", "", ir.I32},
		{"x = x > v ? x : v;", "x", "atomicMax(&x, v);", ir.I32},
		{"x = (v >= x) ? x : v;", "x", "atomicMin(&x, v);", ir.I32},
		{"x = v > x ? w : x;", "x", "", ir.I32},
		{"x[i+1] = (x[i + 1] + v);", "x[i+1]", "atomicAdd(&x[i+1], v);", ir.I32},
		{"y = x += v;", "x", "", ir.I32},
		{"y = ++x;", "x", "", ir.I32},
		{"for (;;) if (c) ++ x;", "x", "for (;;) if (c) atomicAdd(&x, 1);", ir.I32},
		{"x += v, y = 1;", "x", "", ir.I32},
		{"x += ;", "x", "", ir.I32},
		{"x *= v;", "x", "", ir.I32},
		{"out[x++] = v;", "x", "out[atomicAdd(&x, 1)] = v;", ir.I32},
		{"out[(*x)++] = v;", "*x", "out[atomicAdd(x, 1)] = v;", ir.U32},
	}
	for _, c := range cases {
		const head, tail = "void k() { ", " }"
		f := source.New("a.cu", head+c.text+tail)
		at := strings.LastIndex(c.text, c.place)
		for _, begin := range []string{c.place + " = ", c.place + " -", c.place + " +", c.place + "+"} {
			if i := strings.Index(c.text, begin); i >= 0 {
				at = i
				break
			}
		}
		edit, ok := atomicUpdateAt(written(f, source.Span{File: "a.cu", Start: len(head) + at, End: len(head) + at + len(c.place)}), c.t, false)
		got := ""
		if ok {
			got = f.Text[len(head):edit.Span.Start] + edit.Text + strings.TrimSuffix(f.Text[edit.Span.End:], tail)
		}
		if got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}
