package sim_test

import (
	"strings"
	"testing"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/sim"
)

// Loops in which only atomics change memory end some time, and those that count their own rounds are left alone for longer.
func TestRestlessLoops(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       sim.FaultKind
		message    string // empty: the kernel ends
	}{
		{"an update, until a flag is set", `
			AGAIN: atom.global.add.u32 %t, [%p+4], 1;
			ld.volatile.global.u32 %n, [%p];
			setp.eq.u32 %q, %n, 0;
			@%q bra AGAIN;`, sim.Livelock, "all come back to where they were"},
		{"an update whose result counts", `
			AGAIN: atom.global.add.u32 %t, [%p+4], 1;
			setp.ne.u32 %q, %t, 0xffffffff;
			@%q bra AGAIN;`, sim.Endless, "none ends or gets on by itself"},
		{"tries that are counted, without an update", `
			AGAIN: add.u32 %t, %t, 1;
			atom.global.cas.b32 %n, [%p], 1, 2;
			setp.ne.u32 %q, %n, 1;
			@%q bra AGAIN;`, sim.Livelock, "threads wait in loops for what no thread will do"},
		{"a clock", `
			AGAIN: mov.u64 %c, %clock64;
			setp.ne.u64 %q, %c, 0;
			@%q bra AGAIN;`, sim.Endless, "none ends or gets on by itself"},
		{"lanes that go apart by what they get", `
			AGAIN: atom.global.add.u32 %t, [%p+4], 1;
			and.b32 %n, %t, 127;
			setp.eq.u32 %q, %n, 0;
			@!%q bra NEXT;
			atom.global.add.u32 %n, [%p], 1;
			setp.gt.u32 %r, %n, 64;
			@%r atom.global.add.u32 %n, [%p], 3;
			NEXT: setp.ne.u32 %q, %t, 0xffffffff;
			@%q bra AGAIN;`, sim.Endless, "none ends or gets on by itself"},
		{"very many rounds", `
			AGAIN: add.u32 %t, %t, 1;
			red.global.add.u32 [%p], 1;
			setp.ne.u32 %q, %t, 0xfffffff0;
			@%q bra AGAIN;`, sim.Endless, "none ends for"},
		{"many rounds", `
			AGAIN: add.u32 %t, %t, 1;
			red.global.add.u32 [%p], 1;
			setp.lt.u32 %q, %t, 1000000;
			@%q bra AGAIN;`, 0, ""},
		{"many rounds of waiting for others", `
			setp.eq.u32 %r, %w, 0;
			AGAIN: add.u32 %t, %t, 1;
			setp.lt.u32 %q, %t, 1000000;
			@%r ld.volatile.global.u32 %n, [%p];
			@%r setp.eq.u32 %q, %n, 0;
			@%q bra AGAIN;
			st.volatile.global.u32 [%p], 1;`, 0, ""},
	} {
		run := load(t, `.version 8.0
			.target sm_90
			.address_size 64
			.visible .entry kernel(.param .u64 p) { .reg .b64 %p, %c; .reg .b32 %t, %n, %w; .reg .pred %q, %r;
			ld.param.u64 %p, [p];
			mov.u32 %t, %tid.x;
			shr.u32 %w, %t, 5;
			mov.u32 %t, 0;`+c.body+`
			ret; }`, nil)
		l := sim.Launch{Block: race.Dim3{64}, Args: args(run.alloc(0, 0)), Patience: 1 << 23}
		_, err := run.launch("kernel", l)
		if c.message == "" {
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		if f := fault(t, err); f.Kind != c.want || !strings.Contains(f.Message, c.message) || len(f.Waiters) != 2 {
			t.Errorf("%s: %v", c.name, f)
		}
		if c.name == "an update, until a flag is set" {
			l.MaxInstructions = 1 << 22
			if _, err := run.launch("kernel", l); fault(t, err).Kind != sim.Limit {
				t.Errorf("%s, with a limit: %v", c.name, err)
			}
		}
	}
}
