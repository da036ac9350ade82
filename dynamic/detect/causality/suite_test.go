package causality_test

// This file defines a suite of small programs after that of BARRACUDA (section 6.1 of its paper): for
// each situation that the paper names programs that are right and programs that lack one thing. They
// are our own.

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/detect/causality"
	"github.com/warplint/warplint/dynamic/event"
	"github.com/warplint/warplint/dynamic/toolchain"
)

// program is a kernel of two arrays of zeros, data and flag. A comment "// x" marks a line.
type program struct {
	name            string
	blocks, threads int
	body            string
	want            []string // "mark/mark kind" for each pair that races; none if the program is right
}

// variant fills a template: the words in capitals, in their order, by these texts.
type variant struct {
	name string
	fill []string
	want []string
}

// from makes programs of a template.
func from(name string, blocks, threads int, body string, words []string, variants ...variant) []program {
	var list []program
	for _, v := range variants {
		text := body
		for i, w := range words {
			text = strings.ReplaceAll(text, w, v.fill[i])
		}
		list = append(list, program{name + "_" + v.name, blocks, threads, text, v.want})
	}
	return list
}

const (
	device, block   = "__threadfence();", "__threadfence_block();"
	exchange        = "atomicExch(flag, 1u);"
	exchangeBlock   = "atomicExch_block(flag, 1u);"
	look, lookBlock = "atomicAdd(flag, 0u)", "atomicAdd_block(flag, 0u)"
	volatileSet     = "V(flag) = 1;"
	volatileLook    = "V(flag)"
)

// A thread hands data over to a thread of another block.
var flags = from("flag", 2, 32, `
  if (T != 0) return;
  if (B == 0) {
    data[0] = 42; // make
    RELEASE
    SET // set
  } else {
    while (LOOK == 0) // poll
      ;
    ACQUIRE
    data[1] = data[0]; // use
  }`, []string{"RELEASE", "SET", "LOOK", "ACQUIRE"},
	variant{"right", []string{device, exchange, look, device}, nil},
	variant{"volatile", []string{device, volatileSet, volatileLook, device}, nil},
	variant{"system", []string{"__threadfence_system();", exchange, look, "__threadfence_system();"}, nil},
	variant{"ordered", []string{"", `ASM("st.release.gpu.u32 [%0], 1;");`, `load("acquire", "gpu")`, ""}, nil},
	variant{"no_release", []string{"", exchange, look, device}, []string{"make/use inter-block"}},
	variant{"no_acquire", []string{device, exchange, look, ""}, []string{"make/use inter-block"}},
	variant{"no_fences", []string{"", exchange, look, ""}, []string{"make/use inter-block"}},
	variant{"volatile_no_fences", []string{"", volatileSet, volatileLook, ""}, []string{"make/use inter-block"}},
	variant{"narrow_release", []string{block, exchange, look, device}, []string{"make/use inter-block"}},
	variant{"narrow_acquire", []string{device, exchange, look, block}, []string{"make/use inter-block"}},
	variant{"narrow_set", []string{device, exchangeBlock, look, device}, []string{"make/use inter-block", "poll/set inter-block"}},
	variant{"narrow_look", []string{device, exchange, lookBlock, device}, []string{"make/use inter-block", "poll/set inter-block"}},
	variant{"relaxed", []string{"", `ASM("st.relaxed.gpu.u32 [%0], 1;");`, `load("relaxed", "gpu")`, ""}, []string{"make/use inter-block"}},
	variant{"narrow_ordered", []string{"", `ASM("st.release.cta.u32 [%0], 1;");`, `load("acquire", "gpu")`, ""},
		[]string{"make/use inter-block", "poll/set inter-block"}},
	variant{"set_first", []string{exchange, "data[0] = 43; // again\n" + device, look, device}, []string{"again/use inter-block"}},
)

// A thread hands data over to a thread of another warp, in shared memory.
var warpFlags = from("warp_flag", 2, 64, `
  __shared__ uint s[2];
  if (T == 0) s[1] = 0;
  __syncthreads();
  if (T == 0) {
    s[0] = 42; // make
    RELEASE
    SET // set
  } else if (T == 32) {
    while (LOOK == 0) // poll
      ;
    ACQUIRE
    data[B] = s[0]; // use
  }`, []string{"RELEASE", "SET", "LOOK", "ACQUIRE"},
	variant{"right", []string{block, "atomicExch(&s[1], 1u);", "atomicAdd(&s[1], 0u)", block}, nil},
	variant{"block_scope", []string{block, "atomicExch_block(&s[1], 1u);", "atomicAdd_block(&s[1], 0u)", block}, nil},
	variant{"volatile", []string{block, "V(s + 1) = 1;", "V(s + 1)", block}, nil},
	variant{"device_fences", []string{device, "V(s + 1) = 1;", "V(s + 1)", device}, nil},
	variant{"no_release", []string{"", "V(s + 1) = 1;", "V(s + 1)", block}, []string{"make/use intra-block"}},
	variant{"no_acquire", []string{block, "V(s + 1) = 1;", "V(s + 1)", ""}, []string{"make/use intra-block"}},
	variant{"no_fences", []string{"", "atomicExch(&s[1], 1u);", "atomicAdd(&s[1], 0u)", ""}, []string{"make/use intra-block"}},
)

// Three links: the second hands over to a thread of its block, which hands over to another block.
var chains = from("chain", 2, 64, `
  if (T % 32 != 0) return;
  if (B == 0 && T == 0) {
    data[0] = 42; // make
    FIRST
    atomicExch(flag, 1u);
  } else if (B == 0) {
    while (atomicAdd(flag, 0u) == 0)
      ;
    SECOND
    atomicExch(flag + 1, 1u);
  } else if (T == 0) {
    while (atomicAdd(flag + 1, 0u) == 0)
      ;
    THIRD
    data[1] = data[0]; // use
  }`, []string{"FIRST", "SECOND", "THIRD"},
	variant{"right", []string{block, device, device}, nil},
	variant{"broken", []string{block, "", device}, []string{"make/use inter-block"}},
	variant{"narrow", []string{block, block, device}, []string{"make/use inter-block"}},
)

// Lanes of a warp hand data over.
var lanes = from("lanes", 1, 32, `
  MEMORY
  m[T] = T; // make
  SYNC
  flag[T] = m[T ^ 1]; // use
  `, []string{"MEMORY", "SYNC"},
	variant{"shared_right", []string{"__shared__ uint m[32];", "__syncwarp();"}, nil},
	variant{"shared_wrong", []string{"__shared__ uint m[32];", ""}, []string{"make/use intra-warp"}},
	variant{"global_right", []string{"uint *m = data;", "__syncwarp();"}, nil},
	variant{"global_wrong", []string{"uint *m = data;", ""}, []string{"make/use intra-warp"}},
	variant{"volatile_wrong", []string{"volatile uint *m = data;", ""}, []string{"make/use intra-warp"}},
	variant{"shuffle", []string{"uint *m = data;", "flag[T + 32] = __shfl_sync(0xffffffff, T, 0);"}, []string{"make/use intra-warp"}},
	variant{"fence_only", []string{"uint *m = data;", device}, []string{"make/use intra-warp"}},
	variant{"barrier", []string{"uint *m = data;", "__syncthreads();"}, nil},
	variant{"halves", []string{"uint *m = data;", "if (T < 16) __syncwarp(0xffff); else __syncwarp(0xffff0000);"}, nil},
	variant{"one_half", []string{"uint *m = data;", "if (T < 16) __syncwarp(0xffff);"}, []string{"make/use intra-warp"}},
)

var branches = []program{
	{"branch_wrong", 1, 32, `
  if (T < 16) data[T] = 1; // make
  else flag[T] = data[T - 16]; // use`, []string{"make/use intra-warp"}},
	{"branch_right", 1, 32, `
  if (T < 16) data[T] = 1;
  __syncwarp();
  if (T >= 16) flag[T] = data[T - 16];`, nil},
	{"branch_writes", 1, 32, `
  if (T < 16) data[0] = T; // low
  else data[0] = T; // high`, []string{"high/high intra-warp", "high/low intra-warp", "low/low intra-warp"}},
	{"one_store", 1, 32, `
  data[T / 2] = T; // store`, []string{"store/store intra-warp"}},
}

// Warps of a block hand data over.
var barriers = slices.Concat(from("barrier", 2, 64, `
  MEMORY
  m[T] = T; // make
  SYNC
  flag[B * 64 + T] = m[63 - T]; // use`, []string{"MEMORY", "SYNC"},
	variant{"shared_right", []string{"__shared__ uint m[64];", "__syncthreads();"}, nil},
	variant{"shared_wrong", []string{"__shared__ uint m[64];", ""}, []string{"make/use intra-block"}},
	variant{"global_right", []string{"uint *m = data + 64 * B;", "__syncthreads();"}, nil},
	variant{"global_wrong", []string{"uint *m = data + 64 * B;", ""}, []string{"make/use intra-block"}},
	variant{"warp_only", []string{"__shared__ uint m[64];", "__syncwarp();"}, []string{"make/use intra-block"}},
	variant{"fence_only", []string{"__shared__ uint m[64];", block}, []string{"make/use intra-block"}},
	variant{"named", []string{"__shared__ uint m[64];", `asm volatile("bar.sync 3, 64;" ::: "memory");`}, nil},
	variant{"two_names", []string{"__shared__ uint m[64];", `if (T < 32) asm volatile("bar.sync 1, 32;" ::: "memory"); else asm volatile("bar.sync 2, 32;" ::: "memory");`},
		[]string{"make/use intra-block"}},
), []program{
	{"barrier_other_block", 2, 64, `
  if (B == 0) data[T] = T; // make
  __syncthreads();
  if (B == 1) flag[T] = data[T]; // use`, []string{"make/use inter-block"}},
	{"barrier_again", 1, 64, `
  __shared__ uint s[64];
  for (int i = 0; i < 3; i++) {
    s[T] = i + T; // make
    __syncthreads();
    flag[64 * i + T] = s[63 - T]; // use
  }`, []string{"make/use intra-block"}},
	{"barrier_twice", 1, 64, `
  __shared__ uint s[64];
  for (int i = 0; i < 3; i++) {
    s[T] = i + T;
    __syncthreads();
    flag[64 * i + T] = s[63 - T];
    __syncthreads();
  }`, nil},
	{"reduction", 2, 128, `
  __shared__ uint s[128];
  s[T] = T;
  for (uint n = 64; n > 0; n /= 2) {
    __syncthreads();
    if (T < n) s[T] += s[T + n];
  }
  if (T == 0) data[B] = s[0];`, nil},
	{"reduction_lockstep", 1, 64, `
  __shared__ uint s[64];
  s[T] = T;
  __syncthreads();
  if (T < 32) {
    volatile uint *v = s;
    v[T] += v[T + 32]; // first
    v[T] += v[T + 16]; // second
  }`, []string{"first/second intra-warp", "second/second intra-warp"}},
	{"bytes", 2, 64, `
  ((unsigned char *)data)[B * 64 + T] = T;`, nil},
})

var atomics = []program{
	{"counter", 3, 64, `
  atomicAdd(data, 1u);`, nil},
	{"counter_plain", 3, 1, `
  data[0] += 1; // count`, []string{"count/count inter-block"}},
	{"counter_block_scope", 3, 1, `
  atomicAdd_block(data, 1u); // count`, []string{"count/count inter-block"}},
	{"counter_of_block", 3, 64, `
  atomicAdd_block(data + B, 1u);`, nil},
	{"counter_mixed_scopes", 2, 1, `
  if (B == 0) atomicAdd_block(data, 1u); // narrow
  else atomicAdd(data, 1u); // wide`, []string{"narrow/wide inter-block"}},
	{"counter_read", 2, 32, `
  atomicAdd(data, 1u); // count
  if (B == 1 && T == 0) flag[0] = data[0]; // read`, []string{"count/read inter-block", "count/read intra-warp"}},
	{"counter_read_right", 1, 64, `
  atomicAdd(data, 1u);
  __syncthreads();
  flag[T] = data[0];`, nil},
	{"counter_reset", 1, 64, `
  if (T == 0) data[0] = 0; // reset
  atomicAdd(data, 1u); // count`, []string{"count/reset intra-block", "count/reset intra-warp"}},
	{"histogram", 3, 64, `
  __shared__ uint bins[4];
  if (T < 4) bins[T] = 0;
  __syncthreads();
  atomicAdd(&bins[T % 4], 1u);
  __syncthreads();
  if (T < 4) atomicAdd(&data[T], bins[T]);`, nil},
	{"histogram_no_barrier", 1, 64, `
  __shared__ uint bins[64];
  bins[T] = 0;
  __syncthreads();
  atomicAdd(&bins[63 - T], 1u); // count
  data[T] = bins[T]; // read`, []string{"count/read intra-block"}},
}

// Threads of several blocks, or warps, update data under a lock.
var locks = slices.Concat(from("lock", 3, 32, `
  if (T != 0) return;
  while (TAKE != 0)
    ;
  ACQUIRE
  data[0] += 1; // count
  RELEASE
  GIVE`, []string{"TAKE", "ACQUIRE", "RELEASE", "GIVE"},
	variant{"right", []string{"atomicCAS(flag, 0u, 1u)", device, device, "atomicExch(flag, 0u);"}, nil},
	variant{"volatile_give", []string{"atomicCAS(flag, 0u, 1u)", device, device, "V(flag) = 0;"}, nil},
	variant{"by_exchange", []string{"atomicExch(flag, 1u)", device, device, "atomicExch(flag, 0u);"}, nil},
	variant{"no_acquire", []string{"atomicCAS(flag, 0u, 1u)", "", device, "atomicExch(flag, 0u);"}, []string{"count/count inter-block"}},
	variant{"no_release", []string{"atomicCAS(flag, 0u, 1u)", device, "", "atomicExch(flag, 0u);"}, []string{"count/count inter-block"}},
	variant{"no_fences", []string{"atomicCAS(flag, 0u, 1u)", "", "", "atomicExch(flag, 0u);"}, []string{"count/count inter-block"}},
	variant{"narrow_acquire", []string{"atomicCAS(flag, 0u, 1u)", block, device, "atomicExch(flag, 0u);"}, []string{"count/count inter-block"}},
	variant{"narrow_release", []string{"atomicCAS(flag, 0u, 1u)", device, block, "atomicExch(flag, 0u);"}, []string{"count/count inter-block"}},
	variant{"each_its_own", []string{"atomicCAS(flag + B, 0u, 1u)", device, device, "atomicExch(flag + B, 0u);"}, []string{"count/count inter-block"}},
	variant{"not_all", []string{"(B == 0 ? 0 : atomicCAS(flag, 0u, 1u))", device, device, "if (B != 0) atomicExch(flag, 0u);"}, []string{"count/count inter-block"}},
), from("block_lock", 2, 96, `
  __shared__ uint s[2];
  if (T < 2) s[T] = 0;
  __syncthreads();
  if (T % 32 != 0) return;
  while (TAKE != 0)
    ;
  ACQUIRE
  s[1] += 1; // count
  RELEASE
  GIVE`, []string{"TAKE", "ACQUIRE", "RELEASE", "GIVE"},
	variant{"right", []string{"atomicCAS(s, 0u, 1u)", block, block, "atomicExch(s, 0u);"}, nil},
	variant{"block_scope", []string{"atomicCAS_block(s, 0u, 1u)", block, block, "atomicExch_block(s, 0u);"}, nil},
	variant{"no_acquire", []string{"atomicCAS(s, 0u, 1u)", "", block, "atomicExch(s, 0u);"}, []string{"count/count intra-block"}},
	variant{"no_release", []string{"atomicCAS(s, 0u, 1u)", block, "", "atomicExch(s, 0u);"}, []string{"count/count intra-block"}},
), []program{
	{"lock_narrow", 3, 32, `
  if (T != 0) return;
  while (atomicCAS_block(flag, 0u, 1u) != 0) // take
    ;
  __threadfence();
  data[0] += 1; // count
  __threadfence();
  atomicExch_block(flag, 0u); // give`,
		[]string{"count/count inter-block", "give/give inter-block", "give/take inter-block"}},
	{"two_locks", 3, 32, `
  if (T != 0) return;
  while (atomicCAS(flag, 0u, 1u) != 0)
    ;
  __threadfence();
  data[0] += 1;
  while (atomicCAS(flag + 1, 0u, 1u) != 0)
    ;
  __threadfence();
  data[1] += 1;
  __threadfence();
  atomicExch(flag + 1, 0u);
  data[0] += 1;
  __threadfence();
  atomicExch(flag, 0u);`, nil},
	{"lock_left_early", 3, 32, `
  if (T != 0) return;
  while (atomicCAS(flag, 0u, 1u) != 0)
    ;
  __threadfence();
  data[0] += 1; // count
  __threadfence();
  atomicExch(flag, 0u);
  flag[8 + B] = data[0]; // late`, []string{"count/late inter-block"}},
	{"ticket", 3, 32, `
  if (T != 0) return;
  uint mine = atomicAdd(flag, 1u);
  while (atomicAdd(flag + 1, 0u) != mine)
    ;
  __threadfence();
  data[0] += 1;
  __threadfence();
  atomicAdd(flag + 1, 1u);`, nil},
	{"ticket_no_release", 3, 32, `
  if (T != 0) return;
  uint mine = atomicAdd(flag, 1u);
  while (atomicAdd(flag + 1, 0u) != mine)
    ;
  __threadfence();
  data[0] += 1; // count
  atomicAdd(flag + 1, 1u);`, []string{"count/count inter-block"}},
})

// All blocks wait for each other at a counter, and the last block to count does the rest.
var grids = slices.Concat(from("grid", 3, 64, `
  data[B * 64 + T] = T; // make
  BEFORE
  if (T == 0) {
    RELEASE
    ADD(flag, 1u); // add
    while (atomicAdd(flag, 0u) != 3) // poll
      ;
    ACQUIRE
  }
  BEHIND
  data[256 + B * 64 + T] = data[(B + 1) % 3 * 64 + T]; // use`, []string{"BEFORE", "RELEASE", "ADD", "ACQUIRE", "BEHIND"},
	variant{"right", []string{"__syncthreads();", device, "atomicAdd", device, "__syncthreads();"}, nil},
	variant{"no_barrier_before", []string{"", device, "atomicAdd", device, "__syncthreads();"}, []string{"make/use inter-block"}},
	variant{"no_barrier_behind", []string{"__syncthreads();", device, "atomicAdd", device, ""}, []string{"make/use inter-block"}},
	variant{"no_release", []string{"__syncthreads();", "", "atomicAdd", device, "__syncthreads();"}, []string{"make/use inter-block"}},
	variant{"no_acquire", []string{"__syncthreads();", device, "atomicAdd", "", "__syncthreads();"}, []string{"make/use inter-block"}},
	variant{"narrow_release", []string{"__syncthreads();", block, "atomicAdd", device, "__syncthreads();"}, []string{"make/use inter-block"}},
), from("last", 3, 64, `
  __shared__ uint last;
  data[B * 64 + T] = T; // make
  RELEASE
  BARRIER
  if (T == 0) last = atomicInc(flag, 2u) == 2;
  __syncthreads();
  if (last) {
    ACQUIRE
    data[256 + T] = data[T] + data[64 + T] + data[128 + T]; // use
  }`, []string{"RELEASE", "BARRIER", "ACQUIRE"},
	variant{"right", []string{device, "__syncthreads();", device}, nil},
	variant{"no_barrier", []string{device, "", device}, []string{"make/use inter-block"}},
	variant{"no_release", []string{"", "__syncthreads();", device}, []string{"make/use inter-block"}},
	variant{"narrow_release", []string{block, "__syncthreads();", device}, []string{"make/use inter-block"}},
))

// Who has observed all that count may set the count back by a plain write, with no fence.
var resets = slices.Concat(from("reset", 3, 64, `
  if (T == 0 && ADD(flag, 1u) == WHO) // count
    flag[0] = 0; // reset`, []string{"ADD", "WHO"},
	variant{"by_last", []string{"atomicAdd", "2"}, nil},
	variant{"by_first", []string{"atomicAdd", "0"}, []string{"count/reset inter-block"}},
	variant{"blkscope", []string{"atomicAdd_block", "2"}, []string{"count/count inter-block", "count/reset inter-block"}},
), from("reset_of_warp", 1, 32, `
  if (ADD(flag, 1u) == WHO) // count
    flag[0] = 0; // reset`, []string{"ADD", "WHO"},
	variant{"by_last", []string{"atomicAdd", "31"}, nil},
	variant{"by_other", []string{"atomicAdd", "30"}, []string{"count/reset intra-warp"}},
), from("reset_by_poller", 3, 64, `
  if (T != 0) return;
  atomicAdd(flag, 1u); // count
  if (B == 0) {
    WAIT
    flag[0] = 0; // reset
  }`, []string{"WAIT"},
	variant{"right", []string{"while (atomicAdd(flag, 0u) != 3u) ;"}, nil},
	variant{"nowait", []string{""}, []string{"count/reset inter-block"}},
))

var suite = slices.Concat(flags, resets, warpFlags, chains, lanes, branches, barriers, atomics, locks, grids)

const prelude = `typedef unsigned int uint;
#define T threadIdx.x
#define B blockIdx.x
#define V(p) (*(volatile uint *)(p))
#define ASM(text) asm volatile(text ::"l"(flag) : "memory")
#define load(order, scope) ({ uint v; asm volatile("ld." order "." scope ".u32 %0, [%1];" : "=r"(v) : "l"(flag) : "memory"); v; })
`

// compileSuite returns the source of all programs and its PTX.
func compileSuite(t *testing.T) (source, ptx string) {
	t.Helper()
	var b strings.Builder
	b.WriteString(prelude)
	for _, p := range suite {
		fmt.Fprintf(&b, "extern \"C\" __global__ void %s(uint *data, uint *flag) {%s\n}\n", p.name, p.body)
	}
	file := filepath.Join(t.TempDir(), "suite.cu")
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	tools, err := toolchain.Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	m, err := tools.Device(t.Context(), &toolchain.Options{}, file, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return b.String(), m.PTX
}

func TestSuite(t *testing.T) {
	if len(suite) < 66 {
		t.Errorf("%d programs, fewer than the paper has", len(suite))
	}
	source, text := compileSuite(t)
	lines := strings.Split(source, "\n")
	for _, p := range suite {
		t.Run(p.name, func(t *testing.T) {
			found := map[string]bool{}
			for seed := range uint64(6) {
				races := alarms(t, text, &p, seed)
				if len(p.want) > 0 && len(races) == 0 {
					t.Errorf("seed %d: no race", seed)
				}
				for _, r := range races {
					found[pairOf(lines, r)] = true
				}
			}
			got := []string{}
			for pair := range found {
				got = append(got, pair)
			}
			if slices.Sort(got); !slices.Equal(got, p.want) {
				t.Errorf("got %q\nwant %q\n%s", got, p.want, p.body)
			}
		})
	}
}

// alarms are the races that a user is warned of.
func alarms(t *testing.T, text string, p *program, seed uint64) []*causality.Race {
	list := races(t, text, p.name, p.blocks, p.threads, seed)
	return slices.DeleteFunc(list, func(r *causality.Race) bool { return r.Severity() < race.Warning })
}

// pairOf names a race by the marks of its lines.
func pairOf(lines []string, r *causality.Race) string {
	marks := []string{mark(lines, caller(&r.First.Location)), mark(lines, caller(&r.Second.Location))}
	slices.Sort(marks)
	return fmt.Sprintf("%s/%s %s", cmp.Or(marks[0], "?"), cmp.Or(marks[1], "?"), r.Kind)
}

// caller is the place in the kernel itself.
func caller(l *event.Location) event.Place {
	if len(l.Inlined) > 0 {
		return l.Inlined[0]
	}
	return l.Place
}
