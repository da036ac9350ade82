package ptx_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warplint/warplint/dynamic/ptx"
)

const head = ".version 7.5\n.target sm_80\n.address_size 64\n"

func parse(t *testing.T, text string) *ptx.Module {
	t.Helper()
	m, err := ptx.Parse(head + text)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range m.Functions {
		if f.Err != nil {
			t.Fatal(f.Err)
		}
	}
	return m
}

func TestCompilerOutput(t *testing.T) {
	files, _ := filepath.Glob("../sim/testdata/*.ptx")
	if len(files) == 0 {
		t.Fatal("no PTX files found")
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m, err := ptx.Parse(string(text))
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		for _, f := range m.Functions {
			if f.Err != nil {
				t.Errorf("%s: %s: %v", file, f.Name, f.Err)
			}
		}
	}
}

func TestMnemonic(t *testing.T) {
	m := parse(t, `.entry k() { .reg .pred %p<3>; .reg .b32 %r<4>; .reg .b64 %rd<2>;
		@!%p1 ld.relaxed.gpu.global.L1::no_allocate.v2.u32 {%r1, _}, [%rd1+-8];
	}`)
	in := m.Functions[0].Body[0]
	if in.Op != ptx.Ld || !in.GuardNot || in.Guard < 0 || in.Type(0) != ptx.U32 {
		t.Errorf("read as %+v", in)
	}
	if got := strings.Join(in.Modifiers, " "); got != "relaxed gpu global L1::no_allocate v2" {
		t.Errorf("modifiers %q", got)
	}
	if v := in.Operands[0]; v.Kind != ptx.VectorOperand || v.Elems[1].Kind != ptx.SinkOperand {
		t.Errorf("first operand %+v", v)
	}
	if a := in.Operands[1]; a.Kind != ptx.AddressOperand || a.Offset != -8 || m.Functions[0].Registers[a.Reg].Name != "%rd1" {
		t.Errorf("address %+v", a)
	}
}

func TestConstants(t *testing.T) {
	tests := []struct {
		text string
		kind ptx.OperandKind
		bits uint64
	}{
		{"12", ptx.IntegerOperand, 12},
		{"-1", ptx.IntegerOperand, 0xffffffffffffffff},
		{"0xFFU", ptx.IntegerOperand, 255},
		{"017", ptx.IntegerOperand, 15},
		{"0b101", ptx.IntegerOperand, 5},
		{"~0", ptx.IntegerOperand, 0xffffffffffffffff},
		{"WARP_SZ", ptx.IntegerOperand, 32},
		{"0f3F800000", ptx.Float32Operand, 0x3f800000},
		{"-0f3F800000", ptx.Float32Operand, 0xbf800000},
		{"0d3FF0000000000000", ptx.Float64Operand, 0x3ff0000000000000},
		{"1.5e-1", ptx.Float64Operand, 0x3fc3333333333333},
	}
	for _, test := range tests {
		m := parse(t, ".entry k() { .reg .b32 %r<2>; mov.b32 %r1, "+test.text+"; }")
		o := m.Functions[0].Body[0].Operands[1]
		if o.Kind != test.kind || o.Bits != test.bits {
			t.Errorf("%s is kind %d, bits %#x, want %d, %#x", test.text, o.Kind, o.Bits, test.kind, test.bits)
		}
	}
}

// Inline assembly repeats names; each pair of braces has labels and registers of its own.
func TestScopes(t *testing.T) {
	m := parse(t, `.entry k() {
		.reg .b32 %r<2>; .reg .b32 t;
		mov.b32 t, 1;
		{ .reg .b32 t; again: mov.b32 t, 2; bra again; }
		{ .reg .b32 t; again: mov.b32 t, 3; bra again; bra out; }
		out: ret;
	}`)
	body := m.Functions[0].Body
	if a, b := body[1].Operands[0].Reg, body[3].Operands[0].Reg; a == b || a == body[0].Operands[0].Reg {
		t.Errorf("registers %d, %d of different scopes", a, b)
	}
	for i, want := range map[int]int32{2: 1, 4: 3, 5: 6} {
		if o := body[i].Operands[0]; o.Kind != ptx.LabelOperand || o.Target != want {
			t.Errorf("branch %d goes to %+v, want %d", i, o, want)
		}
	}
}

func TestCall(t *testing.T) {
	m := parse(t, `.func (.param .b32 r) f(.param .b32 a) { ret; }
	.entry k() { .reg .b64 %rd<2>; .reg .b32 %r<3>;
		{ .param .b32 param0; .param .b32 retval0;
		st.param.b32 [param0], %r1;
		call.uni (retval0), f, (param0);
		ld.param.b32 %r2, [retval0]; }
		{ .param .b32 param0; .param .b32 retval0;
		p: .callprototype (.param .b32 _) _ (.param .b32 _);
		call (retval0), %rd1, (param0), p; }
	}`)
	k := m.Function("k")
	if len(k.Locals) != 4 || k.Locals[0].Name == k.Locals[2].Name {
		t.Fatalf("locals %+v", k.Locals)
	}
	direct, indirect := k.Body[1], k.Body[3]
	if direct.Operands[1].Kind != ptx.SymbolOperand || direct.Operands[1].Name != "f" {
		t.Errorf("callee %+v", direct.Operands[1])
	}
	if got := indirect.Operands[2].Elems[0].Name; got != k.Locals[2].Name {
		t.Errorf("parameter %q of the second call, want %q", got, k.Locals[2].Name)
	}
	if indirect.Operands[3].Kind != ptx.PrototypeOperand || len(k.Prototypes) != 1 {
		t.Errorf("prototype %+v", indirect.Operands[3])
	}
}

func TestBranchTargets(t *testing.T) {
	m := parse(t, `.entry k() { .reg .b32 %r<2>;
		$table: .branchtargets A, B;
		brx.idx %r1, $table;
		A: ret;
		B: ret; }`)
	f := m.Functions[0]
	if o := f.Body[0].Operands[1]; o.Kind != ptx.TableOperand || len(f.Tables[o.Target]) != 2 || f.Tables[o.Target][1] != 2 {
		t.Errorf("table %+v of %v", o, f.Tables)
	}
}

func TestLocations(t *testing.T) {
	m := parse(t, `.entry k() {
		.loc 1 20 3
		.loc 1 10 5, function_name $L__info_string0, inlined_at 1 20 3
		.loc 2 4 1, function_name $L__info_string1, inlined_at 1 10 5
		ret; }
		.file 1 "a.cu"
		.section .debug_str { $L__info_string0: .b8 1, 2
		}
		.file 2 "b.h", 123, 456`)
	var chain []int
	for i := m.Functions[0].Body[0].Location; i != 0; i = m.Locations[i].InlinedAt {
		chain = append(chain, m.Locations[i].Line)
	}
	if len(chain) != 3 || chain[0] != 4 || chain[1] != 10 || chain[2] != 20 {
		t.Errorf("inlined through lines %v", chain)
	}
	if m.Files[1] != "a.cu" || m.Files[2] != "b.h" {
		t.Errorf("files %v", m.Files)
	}
}

func TestVariables(t *testing.T) {
	m := parse(t, `.visible .global .align 4 .u32 a[2][2] = {{1, 2}, {3}};
		.global .u64 p[2] = {generic(a)+4, a};
		.global .b8 bytes[2] = {0xFF(a), 0xFF00(a)};
		.global .f32 f = 0.5;
		.extern .shared .align 16 .b8 dynamic[];
		.const .align 8 .v2 .f32 c;`)
	v := m.Variables
	if v[0].Size != 16 || string(v[0].Init) != "\x01\x00\x00\x00\x02\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00" {
		t.Errorf("a: %+v", v[0])
	}
	if len(v[1].Refs) != 2 || !v[1].Refs[0].Generic || v[1].Refs[0].Addend != 4 || v[1].Refs[1].Offset != 8 {
		t.Errorf("p: %+v", v[1].Refs)
	}
	if len(v[2].Refs) != 2 || v[2].Refs[1].Shift != 1 {
		t.Errorf("bytes: %+v", v[2].Refs)
	}
	if string(v[3].Init) != "\x00\x00\x00\x3f" {
		t.Errorf("f: %x", v[3].Init)
	}
	if !v[4].Unsized || v[4].Align != 16 || v[5].Size != 8 {
		t.Errorf("dynamic %+v, c %+v", v[4], v[5])
	}
}

func TestErrors(t *testing.T) {
	tests := []struct{ text, want string }{
		{".entry k() { .reg .b32 %r<2>; mov.b32 %r1, %r2; }", "line 4: register %r2 is not declared"},
		{".entry k() {", "has no end"},
		{".global .u32 a[4294967296];", "too large"},
		{".entry k() { .reg .b32 %r<99999999>; }", "too many registers"},
		{"\n\nhello", "line 6: expected a directive"},
		{".entry k() { x: ret; x: ret; }", "defined twice"},
		{".version 17.0", "newer"},
		{".address_size 32", "64-bit"},
	}
	for _, test := range tests {
		_, err := ptx.Parse(head + test.text)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: error %v, want %q", test.text, err, test.want)
		}
	}
}

func TestUnknownInstruction(t *testing.T) {
	m, err := ptx.Parse(head + `.entry bad() {
		wgmma.fence.sync.aligned;
		ret; }
		.entry good() { ret; }
		.entry modifier() { ret.sideways; }`)
	if err != nil {
		t.Fatal(err)
	}
	if e := m.Function("bad").Err; e == nil || !strings.Contains(e.Error(), "line 5: unknown instruction wgmma") {
		t.Errorf("error %v", e)
	}
	if e := m.Function("good").Err; e != nil {
		t.Errorf("error %v", e)
	}
	if e := m.Function("modifier").Err; e == nil || !strings.Contains(e.Error(), "ret.sideways") {
		t.Errorf("error %v", e)
	}
}

func FuzzParse(f *testing.F) {
	files, _ := filepath.Glob("../sim/testdata/*.ptx")
	for _, file := range files {
		if text, err := os.ReadFile(file); err == nil {
			f.Add(string(text))
		}
	}
	f.Add(head + ".global .u64 p[2] = {generic(a)+4, 0xFF(a)};")
	f.Add(head + ".entry k() { .reg .b32 %r<2>; $t: .branchtargets A; brx.idx %r1, $t; A: ret; }")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := ptx.Parse(text)
		if (m == nil) == (err == nil) {
			t.Fatalf("module %v with error %v", m, err)
		}
	})
}
