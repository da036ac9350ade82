package ptx_test

import (
	"slices"
	"testing"

	"github.com/warplint/warplint/dynamic/ptx"
)

// markCase is some lines of a kernel, and those of them that are to be found, from 0.
type markCase struct {
	name, lines string
	want        []int
}

// testMarks looks at kernels that are one text before the lines of a case, of so many instructions, and another one behind.
func testMarks(t *testing.T, before string, skip int, behind string, find func(*ptx.Function) []int, cases []markCase) {
	t.Helper()
	for _, test := range cases {
		m := parse(t, before+test.lines+"\n"+behind+"ret;\n}\n")
		got := find(m.Functions[0])
		for i := range got {
			got[i] -= skip
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
	}
}
