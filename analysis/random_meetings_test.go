package analysis

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
)

// This file makes random kernels whose threads meet in parts: at barriers with a number and a count, at objects in
// memory, in tiles and under masks, and with asynchronous copies.

func TestRandomMeetings(t *testing.T) { testRandom(t, 150, randomMeeting) }

func randomMeeting(seed uint64) string {
	w := &writer{Rand: rand.New(rand.NewPCG(seed, 3))}
	w.block = []int{32, 64, 64, 128, 96, 48}[w.IntN(6)]
	w.line("#include <cuda/barrier>")
	w.line("#include <cooperative_groups.h>")
	w.line("#include <cuda_pipeline.h>")
	w.line("namespace cg = cooperative_groups;")
	w.line("using barrier = cuda::barrier<cuda::thread_scope_block>;")
	w.line("__global__ void k(int *out, const int *in, int n) {")
	w.indent++
	w.line("__shared__ int s[512];")
	w.line("__shared__ barrier all, half[2];")
	w.line("int t = threadIdx.x, lane = t %% 32, warp = t / 32, x = 0, b = blockIdx.x * %d;", w.block)
	counted := w.from("blockDim.x", strconv.Itoa(w.block), strconv.Itoa(w.block), strconv.Itoa(w.block/2))
	w.line("if (t == 0) { init(&all, %s); init(&half[0], %d); init(&half[1], %d); }", counted, w.block/2, w.block/2)
	w.line("%s", w.from("__syncthreads();", "__syncthreads();", "__syncthreads();", "__syncthreads();", "__syncwarp();"))
	if w.one(6) {
		w.line("if (%s) return;", w.from("t >= 32", "t < 7", "lane >= 16", "t == 5", "n == 3"))
	}
	rounds := w.one(2)
	if rounds {
		w.line("for (int j = 0; j < %s; j++) {", w.from("3", "4", "n", "n / 2"))
		w.indent++
	}
	for range 1 + w.IntN(3) {
		w.meeting(rounds)
	}
	if rounds {
		if !w.one(4) {
			w.line("%s", w.meet())
		}
		w.indent--
		w.line("}")
	}
	w.line("out[b + t] = x;")
	w.indent--
	w.line("}")
	w.line("void run(int *out, const int *in, int n) { k<<<%s, %d>>>(out, in, n); }", w.from("1", "2", "n"), w.block)
	return w.text.String()
}

// meet is a way of all threads to meet, more or less.
func (w *writer) meet() string {
	b := w.block
	tile := w.from("4", "8", "16", "32")
	return w.from(
		"__syncthreads();", "__syncthreads();", "__syncwarp();", "all.arrive_and_wait();", "all.arrive_and_wait();",
		fmt.Sprintf(`asm volatile("bar.sync 1, %d;" ::: "memory");`, (b+31)/32*32),
		fmt.Sprintf(`asm volatile("bar.sync %%0, %s;" :: "r"(warp + 1) : "memory");`, w.from("32", "32", "64")),
		fmt.Sprintf(`asm volatile("bar.sync %%0, 64;" :: "r"(%s) : "memory");`, w.from("t / 64 + 1", "t / 64 + 1", "t % 2 + 1", "warp % 2 + 1")),
		fmt.Sprintf("cg::tiled_partition<%s>(cg::this_thread_block()).sync();", tile),
		fmt.Sprintf("cg::tiled_partition(cg::this_thread_block(), %s).sync();", tile),
		"cg::this_thread_block().sync();",
		fmt.Sprintf("__syncwarp(%s);", w.from("0xffffffff", "0xffffu << (lane & 16)", "__activemask()", "3u << (lane & 30)")),
		fmt.Sprintf("half[%s].arrive_and_wait();", w.from("t >= "+strconv.Itoa(b/2), "t & 1", "j & 1", "0")),
		fmt.Sprintf("if (%s) %s", w.from("t < 64", "t < 32", "warp == 0", "lane < 16"), w.from("__syncwarp(0xffff);", "__syncwarp();", `asm volatile("bar.sync 2, 32;" ::: "memory");`, `asm volatile("bar.sync 2, 64;" ::: "memory");`)),
	)
}

// mine is where a thread writes, and partner where it reads.
func (w *writer) mine() string {
	return w.from("s[t]", "s[t]", "s[t]", "s[t]", "s[warp * 32 + lane]", "s[t * 2]", "s[lane]", "s[t / 2]", "s[j % 2 * 128 + t]", "s[(j & 1) * 256 + t]")
}

func (w *writer) partner() string {
	b := w.block
	return w.from("s[t ^ 1]", "s[t ^ 1]", "s[t ^ 2]", "s[t ^ 7]", "s[t ^ 16]", "s[t ^ 31]", "s[t / 4 * 4]", "s[t / 16 * 16 + 3]", "s[warp * 32]", "s[warp * 32 + 31 - lane]", "s[t / 64 * 64 + 63 - t % 64]",
		fmt.Sprintf("s[%d - 1 - t]", b), fmt.Sprintf("s[(t + 1) %% %d]", b), fmt.Sprintf("s[(t + %d) %% %d]", b/2, b), "s[0]", "s[t]", "s[j % 2 * 128 + (t ^ 1)]", "s[(j & 1) * 256 + (t ^ 16)]")
}

// meeting writes something, lets threads meet, and reads it.
func (w *writer) meeting(rounds bool) {
	mine, partner := w.mine(), w.partner()
	if !w.one(3) {
		mine = "s[t]"
	}
	if !rounds {
		w.line("{ int j = 0;")
		defer func() { w.line("}") }()
	}
	half, count := strconv.Itoa(w.block/2), (w.block+31)/32*32
	switch w.IntN(8) {
	default:
		w.line("%s = in[b + t] + x;", mine)
		w.line("%s", w.meet())
		w.line("x += %s;", partner)
		if !w.one(3) {
			w.line("%s", w.meet())
		}
	case 0: // producers and consumers
		w.line("if (t < %s) {", half)
		if w.one(3) {
			w.line(`    asm volatile("bar.sync 3, %d;" ::: "memory");`, count)
		}
		w.line("    %s = in[b + t];", w.from("s[t]", "s[t]", "s[j % 2 * 64 + t]"))
		w.line(`    asm volatile("bar.%s 4, %d;" ::: "memory");`, w.from("arrive", "arrive", "sync"), count)
		w.line("} else {")
		if w.one(3) {
			w.line(`    asm volatile("bar.arrive 3, %d;" ::: "memory");`, count)
		}
		w.line(`    asm volatile("bar.sync 4, %d;" ::: "memory");`, count)
		w.line("    x += %s;", w.from("s[t - "+half+"]", "s["+strconv.Itoa(w.block-1)+" - t]", "s[j % 2 * 64 + t - "+half+"]"))
		w.line("}")
	case 1: // in two halves
		w.line("%s = in[b + t] + x;", mine)
		w.line("auto token = all.arrive();")
		w.line("%s", w.from("x += in[t];", "x += "+partner+";", "s[t + 256] = x;", "__syncwarp();"))
		w.line("all.wait(std::move(token));")
		w.line("x += %s;", partner)
	case 2: // copies
		w.line("__pipeline_memcpy_async(&%s, &in[b + t], 4);", mine)
		if w.one(2) {
			w.line("__pipeline_commit();")
			w.line("__pipeline_wait_prior(%s);", w.from("0", "0", "1"))
		} else {
			w.line("__pipeline_commit(); __pipeline_memcpy_async(&s[t + 256], &in[t], 4); __pipeline_commit(); __pipeline_wait_prior(%s);", w.from("0", "1", "1", "2"))
		}
		w.line("%s", w.meet())
		w.line("x += %s;", partner)
	case 3: // a warp's part
		w.line("if (%s) {", w.from("lane < 16", "lane >= 16", "warp == 0", "t < 8", "lane % 2 == 0"))
		w.line("    s[t] = x + 1;")
		w.line("    %s", w.from("__syncwarp(0xffff);", "__syncwarp(0xffff0000);", "__syncwarp(__activemask());", "__syncwarp();", "cg::coalesced_threads().sync();", "__syncwarp(0x55555555);", "__syncwarp(0xff);"))
		w.line("    x += %s;", w.from("s[t ^ 1]", "s[t ^ 2]", "s[t ^ 4]", "s[t ^ 8]", "s[t ^ 16]"))
		w.line("}")
	}
}
