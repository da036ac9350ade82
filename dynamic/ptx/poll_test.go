package ptx_test

import (
	"testing"

	"github.com/warplint/warplint/dynamic/ptx"
)

func TestPolling(t *testing.T) {
	testMarks(t, ".visible .entry k()\n{\n.reg .b64 %p, %a, %a1; .reg .b32 %v, %w, %x; .reg .pred %q, %q2;\nmov.u32 %w, 0;\nL:\n", 1, "E:\n", (*ptx.Function).Polling, []markCase{
		{"a flag", "ld.volatile.global.u32 %v, [%p];\nsetp.eq.u32 %q, %v, 0;\n@%q bra L;", []int{0}},
		{"a lock", "atom.global.cas.b32 %v, [%p], 0, 1;\nsetp.ne.u32 %q, %v, 0;\n@%q bra L;", []int{0}},
		{"with a fence", "ld.volatile.global.u32 %v, [%p];\nmembar.gl;\nand.b32 %w, %v, 1;\nsetp.eq.u32 %q, %w, 0;\n@%q bra L;", []int{0}},
		{"left in the middle", "ld.global.u32 %v, [%p];\nsetp.ne.u32 %q, %v, 0;\n@%q bra E;\nbra L;", []int{0}},
		{"a lock that data names", "ld.global.u64 %a, [%p];\nadd.u64 %a1, %a, 8;\natom.global.cas.b32 %v, [%a1], 0, 1;\nsetp.ne.u32 %q, %v, 0;\n@%q bra L;", []int{2}},
		{"a list", "ld.global.u64 %p, [%p];\nsetp.ne.u64 %q, %p, 0;\n@%q bra L;", nil},
		{"an array", "ld.volatile.global.u32 %v, [%p];\nadd.u64 %p, %p, 4;\nsetp.eq.u32 %q, %v, 0;\n@%q bra L;", nil},
		{"a loop that counts", "ld.volatile.global.u32 %v, [%p];\nadd.u32 %w, %w, 1;\nsetp.lt.u32 %q, %w, 9;\n@%q bra L;", nil},
		{"a loop that writes", "ld.volatile.global.u32 %v, [%p];\nst.global.u32 [%p+4], 1;\nsetp.eq.u32 %q, %v, 0;\n@%q bra L;", []int{0}},
		{"a loop that writes and is left in the middle", "ld.volatile.global.u32 %v, [%p];\nsetp.ne.u32 %q, %v, 0;\n@%q bra E;\nst.global.u32 [%p+4], %w;\nadd.u32 %w, %w, 1;\nsetp.lt.u32 %q2, %w, 9;\n@%q2 bra L;", []int{0}},
		{"a loop that writes, and reads plainly", "ld.global.u32 %v, [%p];\nst.global.u32 [%p+4], 1;\nsetp.eq.u32 %q, %v, 0;\n@%q bra L;", nil},
		{"as far as a number in memory", "ld.volatile.global.u32 %v, [%p];\nst.global.u32 [%p+4], 1;\nadd.u32 %w, %w, 1;\nsetp.lt.u32 %q, %w, %v;\n@%q bra L;", nil},
		{"a branch inside", "ld.volatile.global.u32 %v, [%p];\nsetp.ne.u32 %q, %v, 0;\n@%q bra M;\nst.global.u32 [%p+4], 1;\nM:\nadd.u32 %w, %w, 1;\nsetp.lt.u32 %q2, %w, 9;\n@%q2 bra L;", nil},
		{"a loop with a barrier", "ld.volatile.global.u32 %v, [%p];\nbar.sync 0;\nsetp.eq.u32 %q, %v, 0;\n@%q bra L;", nil},
		{"two flags", "ld.volatile.global.u32 %v, [%p];\nld.volatile.global.u32 %w, [%p+8];\nadd.u32 %x, %v, %w;\nsetp.eq.u32 %q, %x, 0;\n@%q bra L;", []int{0, 1}},
	})
}

// Who finds at once what he waits for stays out of the loop, and looked all the same.
func TestPollingAheadOfALoop(t *testing.T) {
	const before = ".file 1 \"k.cu\"\n.visible .entry k()\n{\n.reg .b64 %p; .reg .b32 %v; .reg .pred %q;\n"
	testMarks(t, before, 0, "E:\n", (*ptx.Function).Polling, []markCase{
		{"turned round", ".loc 1 4 9\nld.volatile.global.u32 %v, [%p];\n.loc 1 4 7\nsetp.ne.u32 %q, %v, 0;\n@%q bra E;\nL:\nnanosleep.u32 64;\n.loc 1 4 9\nld.volatile.global.u32 %v, [%p];\n.loc 1 4 7\nsetp.eq.u32 %q, %v, 0;\n@%q bra L;", []int{0, 4}},
		{"another read", ".loc 1 3 9\nld.volatile.global.u32 %v, [%p];\nsetp.ne.u32 %q, %v, 0;\n@%q bra E;\nL:\n.loc 1 4 9\nld.volatile.global.u32 %v, [%p];\nsetp.eq.u32 %q, %v, 0;\n@%q bra L;", []int{3}},
		{"another place of one macro", ".loc 1 4 9\nld.volatile.global.u32 %v, [%p+4];\nsetp.ne.u32 %q, %v, 0;\n@%q bra E;\nL:\nld.volatile.global.u32 %v, [%p];\nsetp.eq.u32 %q, %v, 0;\n@%q bra L;", []int{3}},
	})
}
