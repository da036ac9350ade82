package sim_test

import (
	"fmt"
	"testing"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/sim"
)

// evaluate runs instructions in one thread; they leave their result in %d. The sources are %a,
// %b and %c.
func evaluate(t *testing.T, body string, a, b, c uint32) uint32 {
	t.Helper()
	run := load(t, fmt.Sprintf(".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry kernel(.param .u64 p)\n{\n"+
		".reg .b64 %%p; .reg .b32 %%d, %%a, %%b, %%c; ld.param.u64 %%p, [p];\n"+
		"mov.u32 %%a, %d; mov.u32 %%b, %d; mov.u32 %%c, %d;\n%s\nst.global.u32 [%%p], %%d;\nret;\n}\n", a, b, c, body), nil)
	p := run.alloc(0)
	if _, err := run.launch("kernel", sim.Launch{Block: race.Dim3{1}, Args: args(p)}); err != nil {
		t.Fatal(err)
	}
	return run.read(p, 1)[0]
}

func TestVideo(t *testing.T) {
	for _, test := range []struct {
		body string
		want uint32
	}{
		{"vabsdiff4.u32.u32.u32.add %d, %a, %b, %c;", 1000 + 0x7f + 0x30 + 0xfe + 1},
		{"vabsdiff4.u32.u32.u32 %d, %a, %b, %c;", 0x7f30fe01},
		{"vadd4.u32.u32.u32 %d, %a, %b, %c;", 0x81500003},
		{"vadd4.u32.u32.u32.sat %d, %a, %b, %c;", 0x8150ff03},
		{"vsub2.u32.u32.u32 %d, %a, %b, %c;", 0x7ed0fdff},
		{"vmax4.s32.s32.s32 %d, %a, %b, %c;", 0x01400102},
		{"vavrg4.u32.u32.u32 %d, %a, %b, %c;", 0x41288002},
	} {
		if got := evaluate(t, test.body, 0x8010ff01, 0x01400102, 1000); got != test.want {
			t.Errorf("%s gives %#x, want %#x", test.body, got, test.want)
		}
	}
}
