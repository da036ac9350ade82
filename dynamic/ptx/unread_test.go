package ptx_test

import (
	"testing"

	"github.com/warplint/warplint/dynamic/ptx"
)

func TestUnread(t *testing.T) {
	testMarks(t, ".visible .entry k()\n{\n.reg .b64 %p, %a, %n, %o;\n", 0, "", (*ptx.Function).Unread, []markCase{
		{"a result that nothing reads", "atom.add.u64 %o, [%p], %a;", []int{0}},
		{"a reduction", "red.add.u64 [%p], %a;", []int{0}},
		{"no result", "atom.add.u64 _, [%p], %a;", []int{0}},
		{"a result that is stored", "atom.add.u64 %o, [%p], %a;\nst.u64 [%p], %o;", nil},
		{"a result that is an address", "atom.add.u64 %o, [%p], %a;\nst.u64 [%o+8], %a;", nil},
		{"a result in a vector", "atom.add.u64 %o, [%p], %a;\nst.v2.u64 [%p], {%a, %o};", nil},
		{"one of two", "atom.add.u64 %n, [%p], %a;\natom.add.u64 %o, [%p], %n;", []int{1}},
	})
}
