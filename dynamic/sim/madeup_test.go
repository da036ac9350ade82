package sim_test

import (
	"testing"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/sim"
)

// Of a box of a map that is made up, the mbarrier says how large it is, from the second round on. Boxes that it awaits
// together are told to the next one at most.
func TestMadeUpEvents(t *testing.T) {
	const load1 = "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%at], [%m, {%i, 1000}], [bar], %h;"
	const load2 = "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%at+128], [%m, {%i}], [bar];"
	const waited = "done 00000001 acquire block"
	for _, test := range []struct {
		loads string
		want  []string
	}{
		{load1 + "mbarrier.arrive.expect_tx.shared.b64 %state, [bar], 256;", []string{
			"to shared 0x0, 128 of 128 bytes, bulk true", waited, "to shared 0x0, 128 of 256 bytes, bulk true", waited,
			"256 of 128 bytes, bulk true", "256 of 128 bytes, bulk true, updates 4",
		}},
		{"mbarrier.arrive.expect_tx.shared.b64 %state, [bar], 384;" + load1 + load2, []string{
			"to shared 0x0, 128 of 128 bytes, bulk true", "to shared 0x80, 128 of 128 bytes, bulk true", waited,
			"to shared 0x0, 128 of 128 bytes, bulk true", "to shared 0x80, 128 of 128 bytes, bulk true", waited,
			"128 of 128 bytes, bulk true", "128 of 128 bytes, bulk true, updates 4",
		}},
	} {
		r := &recorder{short: true}
		b := load(t, `.version 8.0
			.target sm_90
			.address_size 64
			.visible .entry kernel(.param .align 64 .b8 map[128]) { .reg .b64 %m, %state; .reg .pred %q; .reg .b32 %at, %i; .reg .b16 %h;
			.shared .align 128 .b8 data[512]; .shared .align 8 .b64 bar;
			mov.u64 %m, map; cvta.param.u64 %m, %m; mov.u32 %at, data; mov.u32 %i, 0; mov.u16 %h, 1;
			mbarrier.init.shared.b64 [bar], 1;
			ROUND: `+test.loads+`
			AGAIN: mbarrier.test_wait.shared.b64 %q, [bar], %state; @!%q bra AGAIN;
			add.u32 %i, %i, 1; setp.lt.u32 %q, %i, 2; @%q bra ROUND;
			cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%m, {0, 0}], [%at];
			cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%m, {0, 0}], [%at];
			ret; }`, r)
		if _, err := b.launch("kernel", sim.Launch{Block: race.Dim3{1}, Args: sim.MadeUpTensorMap(b.alloc(make([]uint32, 64)...))}); err != nil {
			t.Fatal(err)
		}
		expectEvents(t, r.String(), test.want...)
	}
}
