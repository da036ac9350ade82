package analysis

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/warplint/warplint/analysis/hostcompiler"
	"github.com/warplint/warplint/analysis/meet"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
)

// This file makes random host programs around kernels whose races hang on the numbers that they are launched with. What
// these are, and whether threads meet, a compiler's program says.

const hostHeader = `#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>
`

const hostHelpers = `static int ceilDiv(int a, int b) { return (a + b - 1) / b; }
template <typename T> T twice(T x) { return x * 2; }
static int global = 5;
static void setGlobal(int x) { global = x; }
static void bump(int &x, int by = 3) { if (by > x) x += by; else x -= 1; }
static int next() { static int x = 3; return x += 2; }
enum Size { few = 8, many = 48 };
static const int table[4] = {1, 32, 33, 64};
struct Conf { int a; unsigned char b; Conf(int x, int y) : a(x), b(y) {} void grow(int k) { a *= k; b += k; } void shrink(int k) { if (k) a /= k; b--; } int total() const { return a + b; } };
`

// hostLaunchers launch for others. out is a global variable where a program has them.
var hostLaunchers = []struct{ call, text string }{
	{"go(", "static void go(int n, int s, int by = 2) { if (s == 3) return; @n / 32 % 4 + by % 3@32@n@s@; }\n"},
	{"goWith<", "template <int threads> static void goWith(dim3 grid, Conf c) { int n = c.a; if (c.b > 7) n = c.b; @grid@threads@n@c.total()@; }\n"},
	{"Runner(", "struct Runner { int n; Conf c; Runner(int k) : n(k & 127), c(k, 1) {} void run(int rounds) { while (rounds-- > 0) { step(rounds); n += 3; } } void step(int s) { @2@16@n@s + c.a@; } };\n"},
}

// hostJudge runs each program in a process of its own, which ends at what C++ leaves undefined.
const hostJudge = `#include <cstdio>
#include <cstdlib>
#include <map>
#include <sys/wait.h>
#include <unistd.h>
struct dim3 { unsigned x, y, z; dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {} };
static dim3 blockIdx, blockDim, threadIdx;
static bool race, launched;
static long steps;
static int self;
static std::map<long, int> writers;
struct Place { void operator=(int) {} };
static struct { Place operator[](long at) {
    if (++steps > 1000000) _exit(3);
    auto before = writers.find(at);
    race = race || (before != writers.end() && before->second != self);
    writers[at] = self;
    return {};
} } out;
template <typename F> void launch(dim3 grid, dim3 block, F kernel) {
    unsigned long blocks = 1ul * grid.x * grid.y * grid.z, threads = 1ul * block.x * block.y * block.z;
    if (blocks == 0 || threads == 0 || threads > 1024 || blocks > 1000 || block.z > 64 || grid.y > 65535 || grid.z > 65535) return;
    launched = true; writers.clear(); blockDim = block; self = 0;
    for (unsigned b = 0; b < blocks; b++) for (unsigned t = 0; t < threads; t++) { blockIdx.x = b % grid.x; threadIdx.x = t % block.x; self++; kernel(); }
}
template <typename F> void judge(F program) {
    fflush(stdout);
    if (pid_t child = fork()) { int status; waitpid(child, &status, 0); puts(!WIFEXITED(status) ? "undefined" : WEXITSTATUS(status) == 0 ? "free" : WEXITSTATUS(status) == 1 ? "race" : "other"); return; }
    program();
    _exit(race ? 1 : launched ? 0 : 2);
}
`

// hostProgram is a random program, as it is checked and as it is judged.
type hostProgram struct {
	checked, judged string
	vague           bool // some of its numbers are not followed
}

// launchHole is a launch in a random program: grid, block, and the kernel's two numbers.
var launchHole = regexp.MustCompile(`@([^@]*)@([^@]*)@([^@]*)@([^@]*)@`)

func randomHost(seed uint64) hostProgram {
	h := hostWriter{writer: &writer{Rand: rand.New(rand.NewPCG(seed, 5))}}
	params := h.from("int n, int s", "int n, int s", "unsigned n, unsigned s", "int n, short s", "short n, int s", "int n, signed char s")
	kernel := fmt.Sprintf("(%s) { int i = blockIdx.x * blockDim.x + threadIdx.x; %s }\n", params, h.from(
		"if (i < n) out[i * s] = i;", "out[i] = i; if (i == n) out[s] = 1;", "for (int j = i; j < n; j += s > 0 ? s : 64) out[j] = i;",
		"for (int j = 0; j < s && j < 100; j++) if (i < n) out[i * s + j] = i;", "if (i < n) out[i ^ s] = i; else if (s < 0) out[0] = 1;",
		"if (i < n) out[(i & s) + (i >= s ? 100 : 0)] = i;", "if (threadIdx.x < n) out[blockIdx.x * s + threadIdx.x] = i;"))
	h.indent++
	for range 4 + h.IntN(6) {
		h.statement(2)
	}
	for range 1 + h.IntN(2) {
		h.launch()
	}
	body := h.text.String()
	checked, judged := "", fmt.Sprintf("[&](dim3 g, dim3 b, %s) { launch(g, b, [&] { k(n, s); }); }($1, $2, $3, $4)", params)
	checked += hostHeader + hostHelpers + "__global__ void k" + strings.Replace(kernel, "(", "(int *out, ", 1)
	launchers := ""
	for _, l := range hostLaunchers { // each only if it is called: for others any numbers count
		if strings.Contains(body, l.call) {
			launchers += l.text
		}
	}
	if launchers != "" {
		checked += "static int *out;\n" + launchers + "int main() {\n"
	} else {
		checked += "int main() {\n    int *out;\n"
	}
	checked += "    cudaMalloc(&out, 1 << 24);\n" + body + "}\n"
	return hostProgram{
		vague:   h.vague,
		checked: launchHole.ReplaceAllString(checked, "k<<<$1, $2>>>(out, $3, $4)"),
		judged:  launchHole.ReplaceAllString(fmt.Sprintf("namespace case%d {\n%sstatic void k%s%sstatic void run() {\n%s}\n}\n", seed, hostHelpers, kernel, launchers, body), judged),
	}
}

// hostWriter writes a host program.
type hostWriter struct {
	*writer
	names []string // of the numbers in scope
	made  int
	vague bool
}

func (h *hostWriter) name(prefix string) string {
	h.made++
	return prefix + strconv.Itoa(h.made)
}

func (h *hostWriter) number() string { return h.names[h.IntN(len(h.names))] }

func (h *hostWriter) literal() string {
	return h.from("0", "1", "1", "2", "3", "4", "7", "8", "15", "16", "31", "32", "33", "48", "64", "100", "127", "128", "129", "255", "256", "-1", "-3", "65535", "65536")
}

func (h *hostWriter) expr(depth int) string {
	if depth <= 0 || h.one(3) {
		if len(h.names) > 0 && !h.one(3) {
			return h.number()
		}
		return h.literal()
	}
	a, b := h.expr(depth-1), h.expr(depth-1)
	switch h.IntN(14) {
	case 0, 1, 2:
		return fmt.Sprintf("(%s %s %s)", a, h.from("+", "-", "*"), b)
	case 3:
		return fmt.Sprintf("(%s %s %s)", a, h.from("/", "%"), h.from("2", "3", "8", "32"))
	case 4:
		return fmt.Sprintf("(%s %s %s)", a, h.from("&", "|", "^"), b)
	case 5:
		return fmt.Sprintf("(%s %s %s)", a, h.from("<<", ">>"), h.from("1", "2", "3"))
	case 6:
		return fmt.Sprintf("(%s %s %s ? %s : %s)", a, h.from("<", "<=", ">", "==", "!="), b, h.expr(depth-1), h.expr(depth-1))
	case 7:
		return fmt.Sprintf("std::%s<%s>(%s, %s)", h.from("min", "max"), h.from("int", "long", "unsigned"), a, b)
	case 8:
		return fmt.Sprintf("(%s)(%s)", h.from("int", "unsigned", "short", "unsigned char", "long", "signed char", "size_t"), a)
	case 9:
		return fmt.Sprintf("ceilDiv(%s, %s)", a, h.from("2", "16", "32"))
	case 10:
		return fmt.Sprintf("(int)ceil((%s) / %s)", a, h.from("4.0", "32.0", "3.0f"))
	case 11:
		return h.from("-", "~") + "(" + a + ")"
	case 12:
		return fmt.Sprintf("(%s %s %s)", a, h.from("&&", "||"), b)
	}
	return "twice(" + a + ")"
}

func (h *hostWriter) within(depth int) {
	outside := len(h.names)
	h.indent++
	for range 1 + h.IntN(2) {
		h.statement(depth)
	}
	h.indent--
	h.names = h.names[:outside]
}

func (h *hostWriter) statement(depth int) {
	kind := h.IntN(18)
	if len(h.names) == 0 {
		kind = 0
	}
	switch kind {
	case 0, 1, 2:
		name := h.name("v")
		h.line("%s %s = %s;", h.from("int", "int", "int", "unsigned", "long", "size_t", "short", "unsigned char", "signed char", "long long", "unsigned short"), name, h.expr(2))
		h.names = append(h.names, name)
	case 3, 4:
		h.line("%s %s %s;", h.number(), h.from("=", "+=", "-=", "*=", "|=", "^=", "&="), h.expr(2))
	case 5:
		h.line("%s;", h.from(h.number()+"++", "--"+h.number(), h.number()+" >>= 1", h.number()+" <<= 2"))
	case 6:
		if depth > 0 {
			h.line("if (%s %s %s) {", h.expr(2), h.from("<", ">", "==", "!="), h.expr(1))
			h.within(depth - 1)
			if h.one(2) {
				h.line("} else {")
				h.within(depth - 1)
			}
			h.line("}")
		}
	case 7:
		i, of := h.name("i"), h.number()
		h.line("for (int %s = %s; %s < %s; %s%s) { if (%s == 2) %s; %s %s %s; }", i, h.from("0", "1", "2"), i, h.from("3", "4", "7"), i, h.from("++", " += 2"),
			i, h.from("break", "continue", of+"++"), of, h.from("+=", "-=", "=", "^="), h.from(i, i+" * 3", i+" + "+of, h.expr(1)))
	case 8:
		h.line("switch (%s & 3) { case %s: %s = %s;%s case 3: %s += %s;%s%s }", h.number(), h.from("0", "1", "2"), h.number(), h.expr(1), h.from("", " break;"),
			h.number(), h.expr(1), h.from("", " break;"), h.from("", " default: "+h.number()+" = "+h.expr(1)+";"))
	case 9:
		of := h.number()
		h.line("{ int t = %s; bump(t%s); %s = t; }", of, h.from("", ", "+h.expr(1)), of)
	case 10:
		name := h.name("p")
		h.line("auto *%s = &%s; *%s %s %s;", name, h.number(), name, h.from("=", "+=", "-="), h.expr(1))
	case 11:
		name := h.name("r")
		h.line("auto &%s = %s; %s %s %s;", name, h.number(), name, h.from("=", "+=", "^="), h.expr(1))
		h.names = append(h.names, name)
	case 12:
		name := h.name("f")
		h.line("auto %s = [%s](int q) { return q + %s; }; %s = %s(%s);", name, h.from("&", "="), h.number(), h.number(), name, h.expr(1))
	case 13:
		h.line("%s", h.from("global += "+h.expr(1)+";", "setGlobal("+h.expr(1)+");", h.number()+" = global;"))
	case 14:
		of := h.number()
		h.vague = true
		h.line("for (int j = 0; %s < 100 && j < %s; j++) %s %s;", of, h.from("3", "5"), of, h.from("*= 2", "+= 7", "= "+of+" * 3 - 1"))
	case 15:
		called := h.from("few", "next()")
		h.vague = h.vague || called == "next()"
		h.line("%s %s %s;", h.number(), h.from("=", "+="), h.from(called, called, "many", "table["+h.number()+" & 3]", "(int)sizeof(Conf)"))
	case 16:
		of, j := h.number(), h.name("j")
		h.vague = true
		h.line("int %s = 0; do { %s %s; } while (%s > %s && ++%s < 4);", j, of, h.from("-= 3", "/= 2", ">>= 1"), of, h.from("0", "5"), j)
	default:
		array, conf, of := h.name("a"), h.name("c"), h.name("v")
		switch h.IntN(4) {
		case 0:
			h.vague = true // copies and insertions are loops
			h.line("std::vector<int> %s%s; %s.%s; auto %s = %s%s; %s[%s & 1] %s %s; int %s = %s[%s] + (int)%s.size();", array, h.from("{1, 32, "+h.literal()+"}", "(3, "+h.literal()+")", " = {(int)("+h.expr(1)+"), 64, 16}"),
				array, h.from("push_back(7)", "pop_back()", "resize(2)", "resize(5, 3)", "erase("+array+".begin())", "insert("+array+".begin() + 1, 9)", "assign(4, 8)", "emplace_back(33)"),
				conf, h.from("", "std::move", "std::vector<int>"), "("+array+")", conf, h.number(), h.from("=", "+="), h.expr(1), of, conf, h.from("0", "1"), h.from(array, conf))
		case 1:
			h.line("auto %s = std::make_unique<Conf>(%s, 5); %s->%s(3); auto %s = std::%s; int %s = %s->a + (%s ? 1 : 2);", array, h.number(), array, h.from("grow", "shrink"),
				conf, h.from("move("+array+")", "make_unique<Conf>(*"+array+")"), of, conf, array)
		case 2:
			h.line("int %s[4] = {(int)(%s), (int)(%s), %s}; %s[%s & 3] %s %s; int %s = %s[%s];", array, h.expr(1), h.expr(1), h.literal(), array, h.number(), h.from("=", "+="), h.expr(1), of, array, h.from("0", "1", "2", "3"))
		default:
			h.line("Conf %s(%s, %s); %s.%s(%s); %s %s = %s.%s;", conf, h.expr(1), h.expr(1), conf, h.from("grow", "shrink"), h.literal(), h.from("int", "unsigned char", "long"), of, conf, h.from("total()", "a", "b"))
		}
		h.names = append(h.names, of)
	}
}

func (h *hostWriter) launch() {
	small := func() string { return fmt.Sprintf("((%s) & %s) + 1", h.expr(2), h.from("7", "3", "1")) }
	grid := h.from("1", "2", "3", small(), small())
	if h.one(4) {
		grid = h.name("grid")
		h.line("dim3 %s(%s); %s.%s %s %s;", grid, small(), grid, h.from("x", "x", "y"), h.from("+=", "="), h.from("1", "2", small()))
	}
	if h.one(5) {
		h.line("%s;", h.from(fmt.Sprintf("go(%s & 255, %s)", h.number(), h.expr(1)), fmt.Sprintf("go(64, %s, %s)", h.number(), h.literal()),
			fmt.Sprintf("goWith<%s>(%s, Conf(%s, %s))", h.from("16", "32"), grid, h.number(), h.expr(1)), fmt.Sprintf("Runner(%s).run(%s)", h.number(), h.from("1", "2", "3"))))
		return
	}
	text := fmt.Sprintf("@%s@%s@%s@%s@;", grid, h.from("32", "64", "16", "4 * ("+small()+")"), h.from(h.number(), h.expr(2), "64", "32"), h.from(h.number(), h.number(), h.expr(2), "1", "32"))
	switch h.IntN(6) {
	case 0:
		text = fmt.Sprintf("if (%s %s %s) ", h.expr(2), h.from("<", ">", "!="), h.expr(1)) + text
	case 1:
		text = "for (int z = 0; z < 3; z++) " + strings.TrimSuffix(text, "@;") + h.from(" + z", " * z") + "@;"
	}
	h.line("%s", text)
}

// TestRandomHosts wants what the numbers of a launch lead to proved or shown, and not the opposite of it.
func TestRandomHosts(t *testing.T) {
	first, number := seeds(120)
	programs := make([]hostProgram, number)
	for i := range programs {
		programs[i] = randomHost(uint64(first + i))
	}
	decided := map[string]int{}
	for i, truth := range judgeHosts(t, programs, first) {
		file := source.New("text.cu", programs[i].checked)
		result := check(source.Map{file.Path: file}, file.Path)
		kernel := result.Kernels[0]
		warned := slices.ContainsFunc(result.Findings, func(f race.Finding) bool { return f.Severity >= race.Warning })
		switch {
		case truth == "race" && kernel.Verdict == race.RaceFree && len(meet.Presumptions(kernel.Assumes)) == 0 && !slices.Contains(kernel.Assumes, "sizes are positive"):
			t.Errorf("program %d is proved, and its threads race:\n%s", first+i, programs[i].checked)
		case truth == "free" && warned && !programs[i].vague:
			t.Errorf("program %d has a warning, and no threads race:\n%s", first+i, programs[i].checked)
		case kernel.Verdict != race.Unknown:
			decided[truth]++
		}
	}
	t.Log(decided)
	if decided["race"] < number/10 || decided["free"] < number/10 {
		t.Errorf("too few are decided to test anything: %v", decided)
	}
}

// judgeHosts says of each program whether it races.
func judgeHosts(t *testing.T, programs []hostProgram, first int) []string {
	var text strings.Builder
	text.WriteString(hostHeader + hostJudge)
	for _, p := range programs {
		text.WriteString(p.judged)
	}
	text.WriteString("int main() {\n")
	for i := range programs {
		fmt.Fprintf(&text, "    judge(case%d::run);\n", first+i)
	}
	text.WriteString("}\n")
	dir := t.TempDir()
	in, out := filepath.Join(dir, "hosts.cpp"), filepath.Join(dir, "hosts")
	if err := os.WriteFile(in, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if msg, err := exec.Command(hostcompiler.Path(), "-w", "-std=c++17", "-fsanitize=undefined,float-cast-overflow", "-fsanitize-undefined-trap-on-error", "-o", out, in).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, msg)
	}
	said, err := exec.Command(out).Output()
	lines := strings.Fields(string(said))
	if err != nil || len(lines) != len(programs) {
		t.Fatalf("%d programs are judged of %d: %v", len(lines), len(programs), err)
	}
	return lines
}
