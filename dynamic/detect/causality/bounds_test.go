package causality_test

import (
	"strings"
	"testing"

	"github.com/warplint/warplint/dynamic/detect/causality"
)

// Two blocks access two arrays, as their instructions say. An access that goes beyond what its pointer leads to, into the
// other array, is told, and races with what comes behind it.
func TestBounds(t *testing.T) {
	const kernel = `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p, .param .u64 q)
{
.reg .b64 %data, %flag, %p, %q, %i; .reg .b32 %t, %v;
ld.param.u64 %p, [p]; ld.param.u64 %q, [q]; mov.u32 %t, %tid.x;
mul.wide.u32 %i, %t, 4; add.u64 %data, %p, %i; add.u64 %flag, %q, %i;
LINES
ret;
}`
	const beyond, before = "+16896", "-16896" // from one array to the other
	for _, test := range []struct {
		name, lines string
		strayed     int
		variables   string // of races
	}{
		{"read here, written there", "ld.global.u32 %v, [%data]; st.global.u32 [%flag], %v; ld.global.u32 %v, [%data];", 0, "flag"},
		{"written here, too", "ld.global.u32 %v, [%data]; st.global.u32 [%flag" + before + "], %v; ld.global.u32 %v, [%data];", 1, "data"},
		{"read here, updated there", "ld.global.u32 %v, [%data]; red.relaxed.gpu.global.add.u32 [%flag], %v;", 0, ""},
		{"updated there, and in the block", "red.relaxed.gpu.global.add.u32 [%flag], %t; red.relaxed.cta.global.add.u32 [%flag], %t;", 0, "flag"},
		{"updated there, and read", "red.relaxed.gpu.global.add.u32 [%flag], %t; ld.global.u32 %v, [%flag];", 0, "flag"},
		{"updated there, and read from here", "red.relaxed.gpu.global.add.u32 [%flag], %t; ld.global.u32 %v, [%data" + beyond + "];", 1, "flag"},
		{"bytes here, and an update from there", "st.global.u8 [%data], %t; ld.global.u32 %v, [%flag]; red.relaxed.gpu.global.add.u32 [%flag" + before + "], %t;", 1, "data"},
		{"updated there, and halves", "red.relaxed.gpu.global.add.u32 [%flag], %t; red.relaxed.gpu.global.add.noftz.f16x2 [%data" + beyond + "], %t;", 0, ""},
	} {
		d := causality.New()
		newRunner(t, strings.ReplaceAll(kernel, "LINES", test.lines), "k", d).launch(2, 256, 1)
		if d.Strayed != test.strayed {
			t.Errorf("%s: %d strayed, want %d", test.name, d.Strayed, test.strayed)
		}
		var variables string
		for _, r := range d.Races() {
			if r.Variable != variables {
				variables += r.Variable
			}
		}
		if variables != test.variables {
			t.Errorf("%s: races of %q, want %q", test.name, variables, test.variables)
		}
	}
}
