package interp

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
)

// seenBy writes down all that can be seen of a run.
type seenBy struct{ strings.Builder }

func (s *seenBy) Access(t *Thread, a *Access) {
	fmt.Fprintln(s, t.ID, "access", a.Site, a.Offset, a.Old, a.New, a.Wrote)
}
func (s *seenBy) Fence(t *Thread, _ *ir.Fence)         { fmt.Fprintln(s, t.ID, "fence") }
func (s *seenBy) Arrive(t *Thread, _ *Phase, site int) { fmt.Fprintln(s, t.ID, "arrive", site) }
func (s *seenBy) Release(_ *Phase, all []*Thread) {
	for _, t := range all {
		fmt.Fprintln(s, t.ID, "released")
	}
}
func (s *seenBy) ProxyFence(t *Thread)                { fmt.Fprintln(s, t.ID, "proxy fence") }
func (s *seenBy) AsyncIssue(t *Thread, _ *AsyncOp)    { fmt.Fprintln(s, t.ID, "issue") }
func (s *seenBy) AsyncWait(t *Thread, all []*AsyncOp) { fmt.Fprintln(s, t.ID, "wait", len(all)) }
func (s *seenBy) Exit(t *Thread)                      { fmt.Fprintln(s, t.ID, "exit", t.Returned) }

// Threads that run ahead show the same at the same steps, wherever the run is cut off.
func TestAhead(t *testing.T) {
	for name, body := range map[string]string{
		"loops of different lengths": `
  %i = 0u32
  %s = 1u32
  L: loop {
    %i = %i + 1u32
    %s = %s * 3u32 + %i
    if %i % 5u32 == 2u32 { store u32 $out[threadIdx.x], %s }
  } while %i < 5u32 * threadIdx.x + blockIdx.x {
  }
  store u32 $out[threadIdx.x + 8u32], %s`,
		"barriers and atomics": `
  %a = atomic add $out[0], 1
  %b = %a * 7 + 1
  barrier block sync
  %v = load $out[%a + 1]
  store $out[%a + 2], %v + %b
  %d = barrier block sync reduce or of %v > 3
  if %d != 0 { store $out[20], %b }`,
		"who waits for others": `
  if threadIdx.x == 3u32 {
    %x = 5 * blockIdx.x + 1u32
    %y = %x * %x + 3u32
    store volatile $out[1], 1
  }
  L: loop {
    %f = load volatile $out[1]
    %g = %f * 2 + 1
  } while %f == 0 {
  }
  store $out[threadIdx.x + 2u32], %g`,
		"a trap": `
  %x = threadIdx.x * 3u32 + 1u32
  %y = 60u32 / (9u32 - threadIdx.x * threadIdx.x * 1u32 - blockIdx.x * 0u32)
  store $out[threadIdx.x], 1`,
		"who returns": `
  if threadIdx.x > 2u32 { return }
  %x = threadIdx.x * 3u32 + 1u32
  %y = call i32 who(%x)
  %z = %y + 1
  store $out[%x], %z
  %w = warp shfl mask 7u32 args %z, 1u32, 32u32
  store $out[%x + 1u32], %w`,
	} {
		f, err := ir.ParseFunc("func k {\n param $out ptr i32\n" + body + "\n}")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		ahead, by := Compile(f), Compile(f)
		by.looksAround = true
		launch := Launch{Grid: race.Dim3{2, 1, 1}, Block: race.Dim3{4, 1, 1}, Args: []Arg{PointerTo(0, 0)}, Buffers: []Buffer{{Size: 256}}}
		for _, order := range []Order{Ascending, Descending, Foremost} {
			for most := int64(1); most < 400; most++ {
				var seen [2]string
				for i, p := range []*Program{ahead, by} {
					listener := &seenBy{}
					out, err := p.Run(context.Background(), launch, Options{Order: order, Quantum: 1, MaxSteps: most}, listener)
					if err != nil {
						t.Fatal(name, err)
					}
					trap := ""
					if out.Trap != nil {
						trap = fmt.Sprint(out.Trap.Kind, out.Trap.Thread.ID, out.Trap.Site)
					}
					seen[i] = fmt.Sprintln(listener.String(), out.Steps, out.Limit, trap, len(out.Deadlock), out.Opaque, out.Memory.ReadBuffer(0, 0, 256))
				}
				if seen[0] != seen[1] {
					t.Fatalf("%s, order %d, %d steps:\n%s\nwant\n%s", name, order, most, seen[0], seen[1])
				}
			}
		}
	}
}
