package causality_test

import (
	"strings"
	"testing"

	"github.com/warplint/warplint/dynamic/detect/causality"
)

// Two blocks read one array, and write another one: the reads are passed over. If the writes go beyond what their pointer
// leads to, into the first array, that is said, and what comes behind it races.
func TestStill(t *testing.T) {
	const kernel = `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p, .param .u64 q)
{
.reg .b64 %p, %q, %a, %b, %i; .reg .b32 %t, %v;
ld.param.u64 %p, [p]; ld.param.u64 %q, [q]; mov.u32 %t, %tid.x;
mul.wide.u32 %i, %t, 4; add.u64 %b, %p, %i; add.u64 %a, %q, %i;
ld.global.u32 %v, [%b];
st.global.u32 [%a+DISTANCE], %v;
ld.global.u32 %v, [%b];
ret;
}`
	const apart = "-16896" // where the first array is, seen from the second one
	for _, test := range []struct {
		distance string
		strayed  int
		variable string
	}{{"0", 0, "flag"}, {apart, 1, "data"}} {
		d := causality.New()
		newRunner(t, strings.ReplaceAll(kernel, "DISTANCE", test.distance), "k", d).launch(2, 32, 1)
		if d.Strayed != test.strayed {
			t.Errorf("%s: %d writes strayed, want %d", test.distance, d.Strayed, test.strayed)
		}
		if len(d.Races()) == 0 {
			t.Errorf("%s: no race", test.distance)
		}
		for _, r := range d.Races() {
			if r.Variable != test.variable {
				t.Errorf("%s: a race of %s, want %s", test.distance, r.Variable, test.variable)
			}
		}
	}
}
