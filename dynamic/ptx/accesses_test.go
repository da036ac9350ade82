package ptx_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// What the addresses of writes are made of: "a+8" is eight bytes of parameter a, "v" a variable. Those of reads stand in brackets.
func TestAccesses(t *testing.T) {
	const text = `.visible .global .align 4 .b8 v[64];
.shared .align 4 .b8 s[64];
.visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n, .param .align 8 .b8 c[24])
{
.reg .b64 %%a, %%b, %%c, %%x, %%y; .reg .b32 %%n, %%i; .reg .pred %%p;
.local .align 4 .b8 own[64];
ld.param.u64 %%a, [a]; ld.param.u64 %%b, [b]; ld.param.u32 %%n, [n]; ld.param.u64 %%c, [c+8];
%s
ret;
}
`
	for _, test := range []struct{ name, lines, want string }{
		{"nothing", "ld.global.u32 %i, [%a];", "(a)"},
		{"a pointer", "st.global.u32 [%a], %n;", "a"},
		{"two", "st.global.u32 [%a], %n; red.global.add.u32 [%b+4], %n;", "a b"},
		{"one of two", "setp.eq.u64 %p, %c, %b; selp.b64 %x, %a, %b, %p; atom.add.u32 %i, [%x], %n;", "a,b"},
		{"with an index", "mul.wide.u32 %x, %n, 4; add.u64 %x, %a, %x; st.u32 [%x], %n;", "a,n"},
		{"with an index from memory", "ld.global.u64 %y, [%b]; mad.lo.u64 %x, %y, 4, %a; st.u32 [%x], %n;", "(b) a"},
		{"a member of a struct", "cvta.to.global.u64 %x, %c; st.global.v2.u32 [%x], {%n, %i};", "c+8"},
		{"a variable", "st.global.u32 [v+4], %n; mov.u64 %x, v; st.u32 [%x], %n;", "v v"},
		{"memory of its own", "st.shared.u32 [s], %n; st.local.u32 [own], %n;", ""},
		{"memory of its own by a generic address", "mov.u64 %x, s; cvta.shared.u64 %x, %x; st.u32 [%x], %n;", "s"},
		{"round a loop", "mov.u64 %x, %a; L: st.u32 [%x], %n; mov.u64 %x, %y; mov.u64 %y, %b; setp.eq.u32 %p, %n, 0; @%p bra L;", "a,b"},
		{"a pointer from memory", "ld.global.u64 %x, [%a]; st.u32 [%x], %n;", "(a) ?"},
		{"one to which something is added", "ld.global.u64 %x, [%a]; add.u64 %x, %x, 8; st.u32 [%x], %n;", "(a) ?"},
		{"a list from a parameter on", "mov.u64 %x, %a; L: st.u32 [%x], %n; ld.global.u64 %x, [%x+8]; setp.eq.u32 %p, %n, 0; @%p bra L;", "? (?)"},
		{"two halves", "mov.b64 %x, {%n, %i}; st.u32 [%x], %n;", "?"},
		{"a number", "mov.u64 %x, 4096; st.u32 [%x], %n;", "?"},
		{"a call", "call f;", "unknown"},
		{"a copy in bulk", "cp.async.bulk.global.shared::cta.bulk_group [%a], [s], 16;", "unknown"},
		{"a texture", "tex.1d.v4.s32.s32 {%n, %n, %n, %n}, [%a, {%i}]; st.u32 [%b], %n;", "(?) b"},
		{"a copy from there", "cp.async.ca.shared.global [s], [%a], 4;", "(a)"},
	} {
		declared := ".func f();\n"
		f := parse(t, declared+fmt.Sprintf(text, test.lines)).Function("k")
		accesses, known := f.Accesses()
		var list []string
		for _, a := range accesses {
			var one []string
			for _, r := range a.Roots {
				name := r.Name
				if r.Offset != 0 {
					name += fmt.Sprintf("+%d", r.Offset)
				}
				one = append(one, name)
			}
			slices.Sort(one)
			text := strings.Join(one, ",")
			if text == "" {
				text = "?"
			}
			if !a.Writes() {
				text = "(" + text + ")"
			}
			list = append(list, text)
		}
		got := strings.Join(list, " ")
		if !known {
			got = "unknown"
		}
		if got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}
