package ptx_test

import (
	"testing"

	"github.com/warplint/warplint/dynamic/ptx"
)

func TestSteering(t *testing.T) {
	m, err := ptx.Parse(`.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p) {
	.reg .b64 %p, %c; .reg .b32 %tries, %counts, %reads, %data, %round, %flip; .reg .pred %q, %r, %s;
	ld.param.u64 %p, [p];
	AGAIN: add.u32 %tries, %tries, 1;
	add.u32 %counts, %counts, 1;
	atom.global.add.u32 %data, [%p+8], %tries;
	ld.volatile.global.u32 %reads, [%p];
	mov.u64 %c, %clock64;
	setp.eq.u64 %r, %c, 1;
	@%r bra AGAIN;
	setp.gt.u32 %s, %round, 5;
	@%s bra AGAIN;
	selp.u32 %flip, 1, 2, %s;
	shl.b32 %round, %round, %flip;
	setp.ne.u32 %q, %reads, %counts;
	@%q bra AGAIN;
	ret;
}
`)
	if err != nil {
		t.Fatal(err)
	}
	f := m.Functions[0]
	steers, itself := f.Steering()
	for r, want := range map[string][2]bool{
		"%p": {true, false}, "%tries": {}, "%counts": {true, true}, "%reads": {true, false}, "%data": {}, "%q": {true, false}, "%r": {true, false}, "%c": {true, false}, "%round": {true, true}, "%flip": {true, true},
	} {
		for i, have := range f.Registers {
			if have.Name == r && (steers[i] != want[0] || itself[i] != want[1]) {
				t.Errorf("%s: steers %v, by itself %v", r, steers[i], itself[i])
			}
		}
	}
}
