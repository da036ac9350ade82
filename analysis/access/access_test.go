package access

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

func summarize(t *testing.T, text string) *Summary {
	t.Helper()
	f, err := ir.ParseFunc(text)
	if err != nil {
		t.Fatal(err)
	}
	return Summarize(context.Background(), term.NewTable(), f, nil, race.Dim3{}, race.Dim3{})
}

func describe(s *Summary) string {
	var b strings.Builder
	for _, a := range s.Accesses {
		fmt.Fprintf(&b, "%s %s[%s]", a.Kind, a.Base.Name, a.Off)
		for _, c := range a.When {
			fmt.Fprintf(&b, " if %s", c)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestAddressesAndPathConditions(t *testing.T) {
	tests := []struct{ name, code, want string }{
		{"a grid-stride loop has a closed form", `func f {
  param $n i32
  param $x ptr f32 size 4
  %i = i32((blockIdx.x * blockDim.x) + threadIdx.x)
  L1: loop {
  } while %i < $n {
    store $x[%i], 1.0
  } post {
    %i = i32(u32(%i) + blockDim.x * gridDim.x)
  }
}`, `write x[4*threadIdx.x + 4*blockDim.x*blockIdx.x + 4*blockDim.x*gridDim.x*iteration] if 1 + threadIdx.x + blockDim.x*blockIdx.x - parameter n + blockDim.x*gridDim.x*iteration <= 0
`},
		{"a halving loop keeps its counter positive", `func f {
  shared @s f32 dims 256
  %t = threadIdx.x
  %k = 128u32
  L1: loop {
  } while %k > 0u32 {
    if %t < %k {
      %a = load @s[%t + %k]
      store @s[%t], %a
    }
    barrier block sync
  } post {
    %k = %k >> 1u32
  }
}`, `read s[4*threadIdx.x + 4*k] if 1 - k <= 0 if 1 + threadIdx.x - k <= 0
write s[4*threadIdx.x] if 1 - k <= 0 if 1 + threadIdx.x - k <= 0
`},
		{"what a spin loop waits for holds behind it", `func f {
  param $d ptr i32 size 4
  global @lock i32
  L1: loop {
    %old = atomic cas @lock, 0, 1
  } while %old != 0 {
  }
  store $d[0], 1
}`, `atomic lock[0]
write d[0] if lock == 0
`},
		{"an early return holds for the rest", `func f {
  param $n u32
  param $d ptr i32 size 4
  if threadIdx.x >= $n {
    return
  }
  store $d[threadIdx.x], 1
}`, `write d[4*threadIdx.x] if 1 + threadIdx.x - parameter n <= 0
`},
	}
	for _, test := range tests {
		if got := describe(summarize(t, test.code)); got != test.want {
			t.Errorf("%s:\ngot:\n%swant:\n%s", test.name, got, test.want)
		}
	}
}
