package meet

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/order"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

// candidates lists the candidates of a kernel by kind and line, as "inter-block 3 4 What".
func candidates(t *testing.T, text string, grid, block race.Dim3) []string {
	t.Helper()
	f, err := ir.ParseFunc(text)
	if err != nil {
		t.Fatal(err)
	}
	s := access.Summarize(context.Background(), term.NewTable(), f, nil, grid, block)
	out := Pairs(context.Background(), s, nil)
	line := func(a *access.Access) int {
		return 1 + strings.Count(text[:f.Sites[a.Site].Span.Start], "\n")
	}
	var got []string
	for _, c := range out.Candidates {
		got = append(got, strings.TrimSpace(fmt.Sprintf("%s %d %d %s", c.Kind, line(c.A), line(c.B), what(c.Miss()))))
	}
	for _, r := range append(s.Reasons, out.Reasons...) {
		got = append(got, "reason: "+r.Text)
	}
	slices.Sort(got)
	return got
}

func what(m order.Miss) string {
	s := [...]string{"", "fence-scope", "atomic-scope", "fence", "weak", "lock-mismatch"}[m.What]
	if m.Lock && m.What != order.LockMismatch {
		s = "lock " + s
	}
	return s
}

func TestCandidates(t *testing.T) {
	tests := []struct {
		name  string
		code  string
		grid  race.Dim3
		block race.Dim3
		want  []string
	}{
		{name: "each thread its own element", code: `func f {
  param $x ptr f32 size 4
  store $x[blockIdx.x * blockDim.x + threadIdx.x], 1.0
}`},
		{name: "all threads one element", code: `func f {
  param $x ptr f32 size 4
  store $x[0], 1.0
}`, want: []string{"inter-block 3 3", "intra-block 3 3", "intra-warp 3 3"}},
		{name: "tree reduction with barriers", block: race.Dim3{256, 1, 1}, code: `func f {
  shared @s f32 dims 256
  %t = threadIdx.x
  store @s[%t], 1.0
  barrier block sync
  %k = 128u32
  L1: loop {
  } while %k > 0u32 {
    if %t < %k {
      %a = load @s[%t + %k]
      %b = load @s[%t]
      store @s[%t], %a
    }
    barrier block sync
  } post {
    %k = %k >> 1u32
  }
}`},
		{name: "tree reduction without the barrier in the loop", block: race.Dim3{256, 1, 1}, code: `func f {
  shared @s f32 dims 256
  %t = threadIdx.x
  store @s[%t], 1.0
  barrier block sync
  %k = 128u32
  L1: loop {
  } while %k > 0u32 {
    if %t < %k {
      %a = load @s[%t + %k]
      store @s[%t], %a
    }
  } post {
    %k = %k >> 1u32
  }
}`, want: []string{"intra-block 10 11", "intra-warp 10 11"}},
		{name: "two tiles in a loop, the second barrier missing", block: race.Dim3{64, 1, 1}, code: `func f {
  param $x ptr f32 size 4
  shared @s f32 dims 64
  %t = threadIdx.x
  %i = 0u32
  L1: loop {
  } while %i < 10u32 {
    %v = load $x[%i * 64u32 + %t]
    store @s[%t], %v
    barrier block sync
    %a = load @s[63u32 - %t]
  } post {
    %i = %i + 1u32
  }
}`, want: []string{"intra-block 9 11"}},
		{name: "two tiles in a loop", block: race.Dim3{64, 1, 1}, code: `func f {
  param $x ptr f32 size 4
  shared @s f32 dims 64
  %t = threadIdx.x
  %i = 0u32
  L1: loop {
  } while %i < 10u32 {
    %v = load $x[%i * 64u32 + %t]
    store @s[%t], %v
    barrier block sync
    %a = load @s[63u32 - %t]
    barrier block sync
  } post {
    %i = %i + 1u32
  }
}`},
		{name: "the last warp without __syncwarp", block: race.Dim3{64, 1, 1}, code: `func f {
  shared @s f32 dims 64
  %t = threadIdx.x
  if %t < 32u32 {
    %a = load @s[%t + 16u32]
    store @s[%t], %a
  }
}`, want: []string{"intra-warp 5 6"}},
		{name: "the last warp with __syncwarp", block: race.Dim3{64, 1, 1}, code: `func f {
  shared @s f32 dims 64
  %t = threadIdx.x
  if %t < 32u32 {
    %a = load @s[%t + 16u32]
    barrier warp sync mask 0xffffffffu32
    store @s[%t], %a
  }
}`},
		{name: "block-scoped atomics across blocks", code: `func f {
  param $x ptr u32 size 4
  atomic add relaxed block u32 $x[0], 1u32
}`, want: []string{"inter-block 3 3 atomic-scope"}},
		{name: "atomics", code: `func f {
  param $x ptr u32 size 4
  atomic add relaxed device u32 $x[0], 1u32
}`},
		{name: "a lock", code: `func f {
  param $d ptr i32 size 4
  global @lock i32
  if threadIdx.x == 0u32 {
    L1: loop {
      %old = atomic cas @lock, 0, 1
    } while %old != 0 {
    }
    fence seq_cst device
    %v = load $d[0]
    store $d[0], %v + 1
    fence seq_cst device
    atomic exch @lock, 0
  }
}`},
		{name: "a lock released without its fence", code: `func f {
  param $d ptr i32 size 4
  global @lock i32
  if threadIdx.x == 0u32 {
    L1: loop {
      %old = atomic cas @lock, 0, 1
    } while %old != 0 {
    }
    fence seq_cst device
    store $d[0], 1
    atomic exch @lock, 0
  }
}`, want: []string{"inter-block 10 10 lock fence"}},
		{name: "a lock with a block fence", code: `func f {
  param $d ptr i32 size 4
  global @lock i32
  if threadIdx.x == 0u32 {
    L1: loop {
      %old = atomic cas @lock, 0, 1
    } while %old != 0 {
    }
    fence seq_cst block
    store $d[0], 1
    fence seq_cst device
    atomic exch @lock, 0
  }
}`, want: []string{"inter-block 10 10 lock fence-scope"}},
		{name: "a flag", code: `func f {
  param $d ptr i32 size 4
  global @flag i32
  if threadIdx.x != 0u32 {
    return
  }
  if blockIdx.x == 0u32 {
    store $d[0], 1
    fence seq_cst device
    atomic exch @flag, 1
  } else {
    L1: loop {
      %f = load volatile i32 @flag
    } while %f == 0 {
    }
    fence seq_cst device
    %v = load $d[0]
  }
}`},
		{name: "a flag behind a block fence", code: `func f {
  param $d ptr i32 size 4
  global @flag i32
  if threadIdx.x != 0u32 {
    return
  }
  if blockIdx.x == 0u32 {
    store $d[0], 1
    fence seq_cst block
    atomic exch @flag, 1
  } else {
    L1: loop {
      %f = atomic add @flag, 0
    } while %f == 0 {
    }
    fence seq_cst device
    %v = load $d[0]
  }
}`, want: []string{"inter-block 8 17 fence-scope"}},
		{name: "a flag handed on by a third thread", code: `func f {
  param $d ptr i32 size 4
  global @flag i32
  if blockIdx.x == 0u32 && threadIdx.x == 0u32 {
    store $d[0], 1
    fence seq_cst block
    atomic exch @flag, 1
  } else {
    if blockIdx.x == 0u32 && threadIdx.x == 32u32 {
      L1: loop {
        %f = atomic add @flag, 0
      } while %f != 1 {
      }
      fence seq_cst device
      atomic exch @flag, 2
    } else {
      if blockIdx.x == 1u32 && threadIdx.x == 0u32 {
        L2: loop {
          %g = atomic add @flag, 0
        } while %g != 2 {
        }
        fence seq_cst device
        %v = load $d[0]
      }
    }
  }
}`},
		{name: "a barrier under what one thread has decided for all", block: race.Dim3{64, 1, 1}, code: `func f {
  shared @last u32 dims 1
  if threadIdx.x == 0u32 {
    store @last[0], laneId
  }
  barrier block sync
  %l = load @last[0]
  if %l != 0u32 {
    barrier block sync
  }
}`},
		{name: "a barrier under what another thread may still decide", block: race.Dim3{64, 1, 1}, code: `func f {
  shared @last u32 dims 1
  if threadIdx.x == 0u32 {
    store @last[0], laneId
  }
  %l = load @last[0]
  if %l != 0u32 {
    barrier block sync
  }
}`, want: []string{"intra-block 4 6", "intra-warp 4 6", "reason: not all threads of the block may reach this barrier"}},
		{name: "a barrier that only some threads reach", block: race.Dim3{64, 1, 1}, code: `func f {
  if threadIdx.x < 32u32 {
    barrier block sync
  }
}`, want: []string{"reason: not all threads of the block may reach this barrier"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := candidates(t, test.code, test.grid, test.block); !slices.Equal(got, test.want) {
				t.Errorf("got %q\nwant %q", got, test.want)
			}
		})
	}
}
