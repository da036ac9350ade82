package rule

import (
	"strings"
	"testing"

	"github.com/warplint/warplint/analysis/source"
)

// Statements and expressions, and what does the same atomically.
func TestAtomicUpdate(t *testing.T) {
	cases := []struct {
		text, place, want string
		t                 string
	}{
		{"x[i] += v;", "x[i]", "atomicAdd(&x[i], v);", "int"},
		{"x -= a + b;", "x", "atomicSub(&x, a + b);", "unsigned int"},
		{"x -= a + b;", "x", "atomicAdd(&x, -(a + b));", "float"},
		{"--x;", "x", "atomicAdd(&x, -1);", "unsigned long long"},
		{"x = x + v * 2;", "x", "atomicAdd(&x, v * 2);", "double"},
		{"x = f(a, b) | x;", "x", "atomicOr(&x, f(a, b));", "int"},
		{"x = x - a + b;", "x", "", "int"},
		{"x = x + a < b;", "x", "", "int"},
		{"x = a - x;", "x", "", "int"},
		{"x = 2 * x + 1;", "x", "", "int"},
		{"x = xs + 1;", "x", "", "int"},
		{"x = a + max;", "x", "", "int"},
		{"x = max(x, f(a, b));", "x", "atomicMax(&x, f(a, b));", "int"},
		{"*p = min(v, *p);", "*p", "atomicMin(p, v);", "unsigned long long"},
		{"x = max(x, v);", "x", "", "float"},
		{"x = max(x, v) + f(c);", "x", "", "int"},
		{"x = max(x, v, w);", "x", "", "int"},
		{"x = max(x, max(a, b));", "x", "atomicMax(&x, max(a, b));", "int"},
		{"if (v < x) x = v;", "x", "atomicMin(&x, v);", "int"},
		{"if (i < n) { if (x[j] <= in[i]) { x[j] = in[i]; } }", "x[j]", "if (i < n) { atomicMax(&x[j], in[i]); }", "unsigned int"},
		{"if (f(a) > x) x = f(a);", "x", "atomicMax(&x, f(a));", "int"},
		{"if (v < x) x = v; else y = 1;", "x", "", "int"},
		{"if (v < x) { x = v; y = 1; }", "x", "", "int"},
		{"if (v < x) x = w;", "x", "", "int"},
		{"if (c && v < x) x = v;", "x", "if (c) atomicMin(&x, v);", "int"},
		{"x = x > v ? x : v;", "x", "atomicMax(&x, v);", "int"},
		{"x = (v >= x) ? x : v;", "x", "atomicMin(&x, v);", "int"},
		{"x = v > x ? w : x;", "x", "", "int"},
		{"x[i+1] = (x[i + 1] + v);", "x[i+1]", "atomicAdd(&x[i+1], v);", "int"},
		{"y = x += v;", "x", "y = atomicAdd(&x, v) + v;", "int"},
		{"y = ++x;", "x", "y = atomicAdd(&x, 1) + 1;", "int"},
		{"for (;;) if (c) ++ x;", "x", "for (;;) if (c) atomicAdd(&x, 1);", "int"},
		{"x += v, y = 1;", "x", "atomicAdd(&x, v), y = 1;", "int"},
		{"x += ;", "x", "", "int"},
		{"x *= v;", "x", "", "int"},
		{"out[x++] = v;", "x", "out[atomicAdd(&x, 1)] = v;", "int"},
		{"if (i < n && v > x) {\n  // so far\n  x = v; }", "x", "if (i < n) {\n  // so far\n  atomicMax(&x, v); }", "int"},
		{"if (v < x || c) x = v;", "x", "", "int"},
		{"int a = x;\n x = a + 1;\n out[a] = i;", "x", "int a = atomicAdd(&x, 1);\n out[a] = i;", "int"},
		{"int a = x; x = a + b;", "x", "atomicAdd(&x, b);", "int"},
		{"int a = x; x = a + a;", "x", "", "int"},
		{"int a = x, b = 1; x = a + 1;", "x", "", "int"},
		{"int a = x; f(); x = a + 1;", "x", "", "int"},
		{"float a = x; a += y[i]; x = a;", "x", "atomicAdd(&x, y[i]);", "float"},
		{"int a = x; a = max(a, b); x = a; y = a;", "x", "int a = max(atomicMax(&x, b), b); y = a;", "int"},
		{"float a = x; float b = a + y[i]; x = b;", "x", "atomicAdd(&x, y[i]);", "float"},
		{"int a = x, c; int b = a + v; x = b;", "x", "", "int"},
		{"int a = x; int b = a + v; x = b; y = a;", "x", "int a = atomicAdd(&x, v); y = a;", "int"},
		{"int a = x; int b = max(a, v); x = b; y = b;", "x", "int b = max(atomicMax(&x, v), v); y = b;", "int"},
		{"int a = x; int b = a + v; x = b; y = a + b;", "x", "", "int"},
		{"int a = x; int b = c + v; x = b;", "x", "", "int"},
		{"int a = x; a = a + v; x = a; y = a;", "x", "int a = atomicAdd(&x, v) + v; y = a;", "int"},
		{"y = x += f(v);", "x", "", "int"},
		{"y = 2 * --x;", "x", "y = 2 * (atomicSub(&x, 1) - 1);", "int"},
		{"out[++*x] = v;", "*x", "out[atomicAdd(x, 1) + 1] = v;", "int"},
		{"for (; y; x++) ;", "x", "for (; y; atomicAdd(&x, 1)) ;", "int"},
		{"c ? y++ : ++x;", "x", "c ? y++ : atomicAdd(&x, 1);", "int"},
		{"x /* a */ += /* b */ v /* c */;", "x", "/* a */ /* b */ atomicAdd(&x, v) /* c */;", "int"},
		{"if (v < x) { // the least\n  x = v; }", "x", "// the least\natomicMin(&x, v);", "int"},
		{"x = max(x /* old */, v);", "x", "/* old */ atomicMax(&x, v);", "int"},
		{"x += v;", "x", "atomicAdd((unsigned long long *)&x, v);", "unsigned long"},
		{"x -= v;", "x", "atomicAdd((unsigned long long *)&x, -v);", "long"},
		{"y = x++;", "x", "y = (long)atomicAdd((unsigned long long *)&x, 1);", "long"},
		{"*(x + i) -= 1u;", "*(x + i)", "atomicAdd((x + i), -1);", "unsigned long long"},
		{"x = max(x, v);", "x", "atomicMax((long long *)&x, v);", "long"},
		{"x |= v;", "x", "atomicOr((unsigned long long *)&x, v);", "long long"},
		{"x += v;", "x", "", "unsigned char"},
		{"x -= v;", "x", "", "bool"},
		{"x += v;", "x", "atomicAdd(&x, v);", "__half"},
		{"out[(*x)++] = v;", "*x", "out[atomicAdd(x, 1)] = v;", "unsigned int"},
	}
	for _, c := range cases {
		const head, tail = "void k() { ", " }"
		f := source.New("a.cu", head+c.text+tail)
		at := strings.LastIndex(c.text, c.place)
		for _, begin := range []string{c.place + " = ", c.place + " -", c.place + " +", c.place + "+", c.place + " /*"} {
			if i := strings.Index(c.text, begin); i >= 0 {
				at = i
				break
			}
		}
		s := written(f, source.Span{File: "a.cu", Start: len(head) + at, End: len(head) + at + len(c.place)})
		got := ""
		if u, ok := s.update(); !ok {
		} else if edit, ok := s.atomically(u, cell{types: []string{c.t}}, false); ok {
			got = f.Text[len(head):edit.Span.Start] + edit.Text + strings.TrimSuffix(f.Text[edit.Span.End:], tail)
		}
		if got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}
