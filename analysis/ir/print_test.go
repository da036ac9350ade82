package ir_test

import (
	"strings"
	"testing"

	"github.com/warplint/warplint/analysis/ir"
)

// everything holds each statement and expression that there is, as Print writes it.
const everything = `func everything "int, \"x\"" {
  launch_bounds 256
  cluster 2 1 1
  unknowns "inline PTX"
  assumes "sizes are positive"
  param $n i32
  param $x ptr f32 size 4 restrict const
  param $"s.f[0]" u8
  param $q ptr void size 12
  shared @tile f32 bytes 1024 align 4 dims 16 16
  global @counter u32 bytes 4 align 4 init "01000000"
  local @tile#2 void bytes 24 align 8
  constant @table i64 bytes 8 align 8
  reg %i i32
  reg %1 f32
  reg %i#2 u32
  reg %p bool
  reg %v f32
  reg %ptr ptr
  reg %token u64

  %i = i32((blockIdx.x * blockDim.x) + threadIdx.x)
  %1 = load f32 $x + (i64(%i) * 4i64)
  %1 = load f32 within(@tile + 4i64, i64(%i) * 4i64, 1016)
  %1 = load volatile f32 @tile
  %1 = load volatile acquire device f32 @tile + -4i64
  %i#2 = atomic inc relaxed block u32 @counter, 0xffffffffu32
  atomic cas acq_rel system u32 @counter, 0u32, 1u32
  store relaxed cluster f32 @tile, select(%p, -(%1), 1.5f32)
  store weak device f64 @tile, 1e+300f64
  fence seq_cst device
  fence release none
  barrier block sync
  barrier block arrive id 1 count 64
  %i = barrier block sync reduce count of %i < 3
  barrier warp sync mask 0xffffffffu32
  barrier grid wait
  %v = warp shfl_down mask 0xffffffffu32 args %v, 1u32, 32
  %i#2 = warp activemask
  %token = named mbarrier.arrive @tile
  named cp.async.commit
  if %p {
    return
  } else {
    trap
  }
  L1: loop {
    %p = %i != 0
  } while %p && !(%i == -1) {
    continue L1
  } post {
    %i = (%i >> 2u32) % 7
  }
  L2: block {
    L3: block {
      break L2
    }
  }
  assume (~%i & max(%i, 3)) > 0
  unknown "virtual call" memory sets %i, %p
  unknown "asm"
  %v = call f32 fmaf(%v, bits(f32, 0x7fc00000), bits(f32, 0x7f800000)) - -0f32
  %p = (@counter == null) || ($q < %ptr)
  %p = true || (%p && false)
  %i = i32(bits(f16, 0x3c00)) ^ (i32(laneId == warpId) << dynamicSharedSize)
  launch other "float" grid 1, 2, 3 block 32, 1, 1 shared_bytes %i cooperative args $x, 3i64
  launch other grid 1, 2, 3 block 32, 1, 1
  %ptr = alloc "d x" bytes 400u64
  copy %ptr, $x, 400
  set %ptr, 400
  set %ptr, 400 to 255
}
`

func TestRoundTrip(t *testing.T) {
	f, err := ir.ParseFunc(everything)
	if err != nil {
		t.Fatal(err)
	}
	if got := f.String(); got != everything {
		t.Fatalf("got\n%s\nwant\n%s", got, everything)
	}
}

func TestHandWritten(t *testing.T) {
	const text = `
func k {
  param $a ptr i32      ; a comment
  param $n u32
  shared @s u16 dims 8 4
  %i = threadIdx.x + blockIdx.x * 4 & 3u32 << 1
  %v = load $a[%i]
  store @s[0], 7
  atomic add $a[%i + 1], 1
  if %i < $n && %v == 0 { return } else if $n == 3 {
    store volatile $a[-1], %v
  }
  barrier warp sync mask 0xf
}`
	f, err := ir.ParseFunc(text)
	if err != nil {
		t.Fatal(err)
	}
	got := f.String()
	for _, line := range []string{
		"shared @s u16 bytes 64 align 2 dims 8 4", "%i = (threadIdx.x + (blockIdx.x * 4u32)) & (3u32 << 1)",
		"%v = load i32 $a + (i64(%i) * 4i64)", "store u16 @s + (0i64 * 2i64), 7u16",
		"atomic add relaxed device i32 $a + (i64(%i + 1u32) * 4i64), 1", "if (%i < $n) && (%v == 0) {",
		"barrier warp sync mask 15u32", "store volatile i32 $a + (-1i64 * 4i64), %v",
	} {
		if !strings.Contains(got, line+"\n") {
			t.Errorf("no line %q in\n%s", line, got)
		}
	}
}

func TestSites(t *testing.T) {
	const text = `func k {
  shared @s i32
  L1: block {
    store @s, 1 ; first
    if threadIdx.x == 0 {
      fence seq_cst block
    }
  }
  %x = load @s
}
`
	f := ir.MustParse(text)
	want := []string{"store @s, 1", "if threadIdx.x == 0 {", "fence seq_cst block", "%x = load @s"}
	if len(f.Sites) != len(want) {
		t.Fatalf("%d sites, want %d", len(f.Sites), len(want))
	}
	ir.WalkStmts(f.Body, func(s ir.Stmt) bool {
		if site, ok := ir.SiteOf(s); ok {
			span := f.Sites[site].Span
			if got := text[span.Start:span.End]; got != want[0] {
				t.Errorf("site %d is %q, want %q", site, got, want[0])
			}
			want = want[1:]
		}
		return true
	})
	if f.Sites[0].Variable != "s" {
		t.Errorf("variable %q, want s", f.Sites[0].Variable)
	}
	var b strings.Builder
	if err := ir.Print(&b, f, true); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "; site 0 ir:") {
		t.Errorf("no site in\n%s", &b)
	}
	if again := ir.MustParse(b.String()); again.String() != f.String() {
		t.Error("the print with sites reads back as another function")
	}
}

func TestParseErrors(t *testing.T) {
	for _, test := range []struct{ body, want string }{
		{"%i = 1 +", "line 2: want an expression"},
		{"%i = 1i32 + 1.5f32", "add of i32 and f32"},
		{"%i = %j", "%j is not declared"},
		{"break L1", "want a label"},
		{"L1: loop { } while 1 { }", "condition is i32, want bool"},
		{"L1: block { continue L1 }", "continue to a loop"},
		{"L1: block { }\n  break L1", "break to a label that is not around it"},
		{"store i32 3, 4", "address is i32, want ptr"},
		{"store 3, 4", "type of the access is missing"},
		{"frobnicate", "unknown statement"},
		{"%i = 300u8", "bad number"},
		{"%x = 1\n  store i64 null, %x", "value is i32, want i64"},
		{"barrier warp sync", "no mask"},
		{"%x = warp all mask 1 args true, false", "has 2 arguments, want 1"},
		{"unknown \"x", "string that does not end"},
		{"%x = " + strings.Repeat("(", 100000), "nested deeper"},
		{"`", "unexpected character"},
	} {
		_, err := ir.ParseFunc("func k {\n  " + test.body + "\n}\n")
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%.40q: error %v, want %q", test.body, err, test.want)
		}
	}
}

func TestCheckForeign(t *testing.T) {
	other := &ir.Reg{Name: "x", Type: ir.I32}
	for name, f := range map[string]*ir.Func{
		`register "x" of another`: {Body: []ir.Stmt{&ir.Assign{Dst: other, X: &ir.Const{T: ir.I32}}}},
		"parameter of another":    {Body: []ir.Stmt{&ir.Assume{Cond: &ir.ParamRef{P: &ir.Param{Type: ir.Bool}}}}},
		"object of another":       {Body: []ir.Stmt{&ir.HostCopy{Dst: &ir.ObjAddr{Obj: &ir.Object{}}}}},
		"site 1 of 1":             {Sites: make([]ir.Site, 1), Body: []ir.Stmt{&ir.Fence{Site: 1}}},
		"wider than i8":           {Body: []ir.Stmt{&ir.Alloc{Dst: other, Bytes: &ir.Const{T: ir.I8, Bits: 256}}}, Regs: []*ir.Reg{other}},
		"nil operand":             {Body: []ir.Stmt{&ir.Assume{Cond: &ir.Unary{Op: ir.LogNot}}}},
		"another ID":              {Regs: []*ir.Reg{{ID: 1, Type: ir.I32}}},
	} {
		if err := ir.Check(f); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("error %v, want %q", err, name)
		}
	}
}

// TestLongExpression would take minutes if printing or checking were quadratic.
func TestLongExpression(t *testing.T) {
	text := "func k {\n  reg %i i32\n\n  %i = " + strings.Repeat("(", 400) + "1" + strings.Repeat(" + 1)", 400) + strings.Repeat(" + 1", 50000) + "\n}\n"
	f := ir.MustParse(text)
	if got := strings.Count(f.String(), "+"); got != 50400 {
		t.Errorf("%d operators", got)
	}
}

func BenchmarkPrint(b *testing.B) {
	f := ir.MustParse(everything)
	for b.Loop() {
		_ = f.String()
	}
}

// FuzzParse checks that no text makes the parser crash, and that what it reads prints to a
// fixed point.
func FuzzParse(f *testing.F) {
	f.Add(everything)
	f.Add("func k {\n  L1: loop {\n  } while true {\n    break L1\n  }\n}\n")
	f.Fuzz(func(t *testing.T, text string) {
		first, err := ir.ParseFunc(text)
		if err != nil {
			return
		}
		second, err := ir.ParseFunc(first.String())
		if err != nil {
			t.Fatalf("%v in\n%s", err, first)
		}
		if first.String() != second.String() {
			t.Fatalf("first\n%s\nsecond\n%s", first, second)
		}
	})
}
