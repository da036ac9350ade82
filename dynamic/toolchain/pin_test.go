package toolchain

import (
	"strings"
	"testing"
)

func TestPin(t *testing.T) {
	const barrier = `call void asm sideeffect "", "~{memory}"() nounwind`
	for _, c := range []struct{ name, line, want string }{
		{"load", "  %3 = load i32, ptr %2, align 4", `call void asm sideeffect "", "r,~{memory}"(i32 %3) nounwind`},
		{"pointer load", "  %3 = load ptr, ptr %2, align 8", `call void asm sideeffect "", "l,~{memory}"(ptr %3) nounwind`},
		{"byte load", "  %3 = load i8, ptr %2, align 1", `%pin.1 = zext i8 %3 to i16`},
		{"vector load", "  %3 = load <4 x float>, ptr %2, align 16", barrier},
		{"structure load", "  %3 = load { i32, i32 }, ptr %2, align 4", barrier},
		{"shared load", "  %3 = load float, ptr addrspacecast (ptr addrspace(3) @s to ptr), align 4", `"f,~{memory}"(float %3)`},
		{"constant load", "  %3 = load float, ptr addrspacecast (ptr addrspace(4) @c to ptr), align 4", ""},
		{"volatile load", "  %3 = load volatile i32, ptr %2, align 4", `"r,~{memory}"(i32 %3)`},
		{"atomic load", `  %3 = load atomic i32, ptr %2 syncscope("device") monotonic, align 4`, ""},
		{"local load", "  %3 = load i32, ptr %own, align 4", ""},
		{"element of a local array", "  %3 = load i32, ptr %element, align 4", ""},
		{"store", "  store i32 %1, ptr %2, align 4", barrier},
		{"store of a structure", "  store { i32, i32 } { i32 1, i32 2 }, ptr %2, align 4", barrier},
		{"local store", "  store i32 %1, ptr %own, align 4", ""},
		{"store of a local's address", "  store ptr %own, ptr %2, align 8", barrier},
		{"copy", "  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %own, ptr align 4 %2, i64 8, i1 false)", barrier},
		{"local copy", "  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %own, ptr align 4 %element, i64 8, i1 false)", ""},
		{"malloc", "  %3 = call noalias ptr @malloc(i64 4) #5", `"l,~{memory}"(ptr %3)`},
		{"new", "  %3 = call noalias nonnull ptr @_Znam(i64 4) #5", `"l,~{memory}"(ptr %3)`},
		{"other call", "  call void @f(ptr %2)", ""},
		{"arithmetic", "  %3 = add i32 %1, 1", ""},
	} {
		before := "define void @f(ptr %2) !dbg !3 {\n  %own = alloca [4 x i32], align 4\n" +
			"  %element = getelementptr inbounds [4 x i32], ptr %own, i64 0, i64 %i\n" + c.line + "\n"
		got, ok := strings.CutPrefix(pin(before, false), before)
		if !ok || (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: after %q comes %q, want %q", c.name, c.line, got, c.want)
		}
	}
}

// Promises of __restrict__ would let accesses merge across the statements.
func TestPinForgetsRestrict(t *testing.T) {
	got := pin("define void @f(ptr noalias noundef %p, ptr noundef %q) !dbg !3 {\n", false)
	if got != "define void @f(ptr %p, ptr %q) !dbg !3 {\n" {
		t.Error(got)
	}
}

func TestPinTypedPointers(t *testing.T) {
	got := pin("define void @f(i32** %2) !dbg !3 {\n  %own = alloca i32, align 4\n  %3 = load i32*, i32** %2, align 8\n"+
		"  store i32 1, i32* %own, align 4\n  %4 = load i32, i32* %3, align 4\n", true)
	for _, want := range []string{`"l,~{memory}"(i32* %3)`, `"r,~{memory}"(i32 %4)`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is missing in\n%s", want, got)
		}
	}
	if n := strings.Count(got, "asm"); n != 2 {
		t.Errorf("%d pins, want 2:\n%s", n, got)
	}
}

// A variable that nobody else sees and nobody reads would lose its stores.
func TestKeepVariables(t *testing.T) {
	const list = "@llvm.compiler.used = appending global "
	for _, c := range []struct{ name, ir, want string }{
		{"none", "@c = internal addrspace(4) global i32 1\n@x = addrspace(1) global i32 0\n", ""},
		{"shared", "@s = internal addrspace(3) global [64 x i32] undef, align 4\n",
			list + "[1 x ptr] [ptr addrspacecast (ptr addrspace(3) @s to ptr)]"},
		{"besides others", "@s = internal addrspace(3) global i32 undef\n" + list + "[1 x ptr] [ptr @old], section \"llvm.metadata\"\n",
			list + "[2 x ptr] [ptr addrspacecast (ptr addrspace(3) @s to ptr), ptr @old]"},
		{"global", "@g = internal addrspace(1) externally_initialized global i32 0\n",
			list + "[1 x ptr] [ptr addrspacecast (ptr addrspace(1) @g to ptr)]"},
	} {
		got := keepVariables(c.ir, false)
		if strings.Count(got, list) > 1 || (c.want == "") != !strings.Contains(got, list) || !strings.Contains(got, c.want) {
			t.Errorf("%s: got\n%s", c.name, got)
		}
	}
}

func FuzzPin(f *testing.F) {
	f.Add("define void @f() {\n  %1 = load i32, ptr %0, align 4\n  store i32 %1, ptr %0\n")
	f.Add("  %x = getelementptr <{ ptr, [2 x i8] }>, ptr %own, i64 0\n  call void @llvm.memcpy(ptr %a, ptr %b)\n")
	f.Add("@llvm.compiler.used = appending global [1 x ptr] [ptr @a], section \"llvm.metadata\"\n@s = internal addrspace(3) global \n")
	f.Fuzz(func(t *testing.T, ir string) {
		// Pinning only ever adds lines.
		pinned := pin(ir, false)
		for line := range strings.Lines(ir) {
			if !strings.HasPrefix(line, "@llvm.compiler.used") && !strings.Contains(pinned, line) {
				t.Errorf("the line %q is lost", line)
			}
		}
		pin(ir, true)
	})
}
