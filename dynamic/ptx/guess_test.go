package ptx_test

import (
	"testing"

	"github.com/warplint/warplint/dynamic/ptx"
)

func TestGuessing(t *testing.T) {
	testMarks(t, ".global .align 8 .u64 head;\n.visible .entry k()\n{\n.reg .b64 %p, %g, %a, %n, %o; .reg .b32 %l, %h, %t; .reg .f64 %f; .reg .pred %q;\n", 0, "", (*ptx.Function).Guessing, []markCase{
		{"a sum", "ld.u64 %o, [%p];\nL:\nmov.u64 %a, %o;\nadd.u64 %n, %a, 1;\natom.cas.b64 %o, [%p], %a, %n;\nsetp.ne.u64 %q, %o, %a;\n@%q bra L;", []int{0}},
		{"a float", "ld.f64 %f, [%p];\nmov.b64 %a, %f;\natom.cas.b64 %o, [%p], %a, %n;", []int{0}},
		{"in global memory", "cvta.to.global.u64 %g, %p;\nld.global.u64 %a, [%g+8];\natom.cas.b64 %o, [%p+8], %a, %n;", []int{1}},
		{"a variable", "mov.u64 %g, head;\ncvta.global.u64 %p, %g;\nld.volatile.global.u64 %a, [head];\natom.cas.b64 %o, [%p], %a, %n;", []int{2}},
		{"a place in something", "ld.u64 %a, [%p+24];\nadd.s64 %g, %p, 24;\natom.cas.b64 %o, [%g], %a, %n;", []int{0}},
		{"taken apart and put together", "ld.u64 %o, [%p];\nL:\ncvt.u32.u64 %l, %o;\nmov.b64 {%t, %h}, %o;\ncvt.u64.u32 %a, %h;\nshl.b64 %g, %a, 32;\ncvt.u64.u32 %a, %l;\nor.b64 %n, %g, %a;\natom.cas.b64 %o, [%p], %n, 1;", []int{0}},
		{"two words", "ld.v2.u32 {%l, %h}, [%p];\nmov.b64 %n, {%l, %h};\natom.cas.b64 %o, [%p], %n, 1;", []int{0}},
		{"half of it", "ld.u64 %o, [%p];\nmov.b64 {%t, %h}, %o;\nmov.b64 %n, {%l, %h};\natom.cas.b64 %o, [%p], %n, 1;", nil},
		{"another place", "ld.u64 %a, [%p];\natom.cas.b64 %o, [%p+8], %a, %n;", nil},
		{"another pointer", "ld.u64 %a, [%p];\nadd.u64 %g, %p, 8;\natom.cas.b64 %o, [%g], %a, %n;", nil},
		{"a pointer that moves", "mov.u64 %g, %p;\nld.u64 %a, [%g];\nadd.u64 %g, %g, 8;\natom.cas.b64 %o, [%p], %a, %n;", nil},
		{"what is put there", "ld.u64 %a, [%p];\natom.cas.b64 %o, [%p], 0, %a;", nil},
		{"another atomic", "ld.u64 %a, [%p];\natom.exch.b64 %o, [%p], %a;", nil},
		{"computed", "ld.u64 %a, [%p];\nadd.u64 %n, %a, 1;\natom.cas.b64 %o, [%p], %n, 0;", nil},
	})
}
