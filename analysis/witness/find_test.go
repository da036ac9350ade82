package witness

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/meet"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

func find(t *testing.T, text string) *Result {
	t.Helper()
	f, err := ir.ParseFunc(text)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	s := access.Summarize(ctx, term.NewTable(), f, nil, race.Dim3{}, race.Dim3{})
	return Find(ctx, s, meet.Pairs(ctx, s, nil).Candidates, false, 1, NewTried(1))
}

func TestWitnesses(t *testing.T) {
	tests := []struct{ name, code, want string }{
		{"neighbours across blocks", `func f {
  param $n u32
  param $x ptr f32 size 4
  %i = blockIdx.x * blockDim.x + threadIdx.x
  if %i + 1u32 < $n {
    %v = load $x[%i + 1u32]
    store $x[%i], %v
  }
}`, "inter-block [0 0 0] [63 0 0] and [1 0 0] [0 0 0]"},
		{"every thread writes one place", `func f {
  param $x ptr u32 size 4
  store $x[0], threadIdx.x
}`, "intra-block [0 0 0] [0 0 0] and [0 0 0] [32 0 0]"},
		{"every block writes one place", `func f {
  param $x ptr u32 size 4
  if threadIdx.x == 0u32 {
    store $x[0], blockIdx.x
  }
}`, "inter-block [0 0 0] [0 0 0] and [1 0 0] [0 0 0]"},
		{"a stride that makes threads meet", `func f {
  param $k u32
  shared @s u32 dims 64
  store @s[(threadIdx.x * $k) % 64u32], threadIdx.x
}`, "intra-block [0 0 0] [0 0 0] and [0 0 0] [32 0 0]"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			res := find(t, test.code)
			var got []string
			for _, r := range res.Races {
				w := r.Witness
				got = append(got, fmt.Sprintf("%s %v %v and %v %v", r.Kind, w.First.Block, w.First.Thread, w.Second.Block, w.Second.Thread))
			}
			if !slices.Contains(got, test.want) {
				t.Errorf("got %q, want %q; reasons %v", got, test.want, res.Reasons)
			}
		})
	}
}

// What no launch shows stays undecided, and says where.
func TestNoWitnessIsAReason(t *testing.T) {
	res := find(t, `func f {
  param $k u32
  shared @s u32 dims 64
  if $k * $k == 123456789u32 {
    store @s[0], threadIdx.x
  }
}`)
	if len(res.Races) != 0 || len(res.Reasons) != 1 {
		t.Errorf("races %v, reasons %v", res.Races, res.Reasons)
	}
}
