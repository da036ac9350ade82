// Control flow that diverges, and what lanes of a warp do together.
#include "common.h"

KERNEL(if_nested) {
  u32 a = (u32)IN(0), r = 0;
  if (a & 1) {
    if (a & 2) r = a * 3;
    else if (a & 4) r = a + 7;
    else r = a ^ 0x55;
    r += 1;
  } else if (threadIdx.x % 3 == 0) {
    r = ~a;
  }
  OUT(0, r);
}
KERNEL(loop_of_own_length) {
  u32 n = (u32)IN(0) % 50, sum = 0;
  for (u32 i = 0; i < n; i++) sum = sum * 31 + i;
  OUT(0, sum);
}
KERNEL(loop_nested) {
  u32 n = (u32)IN(0) % 9, m = (u32)IN(1) % 7, sum = 0;
  for (u32 i = 0; i < n; i++)
    for (u32 j = i; j < m + i; j++) {
      if ((i ^ j) % 5 == 3) continue;
      if (i * j == 30) break;
      sum += i * 100 + j;
    }
  OUT(0, sum);
}
KERNEL(loop_do_while) {
  u64 v = IN(0) % 1000 + 1;
  u32 steps = 0;
  do {
    v = v & 1 ? 3 * v + 1 : v / 2;
    steps++;
  } while (v != 1);
  OUT(0, steps);
}
KERNEL(loop_two_exits) {
  u64 a = IN(0);
  int at = -1;
  for (int i = 0; i < 64; i++) {
    if (a >> i & 1) {
      at = i;
      break;
    }
    if (i > (int)threadIdx.x) break;
  }
  OUT(0, at);
}
KERNEL(switch_dense) {
  u32 a = (u32)IN(0), r = a;
  switch (a % 11) {
    case 0: r = 17; break;
    case 1: r *= 3; break;
    case 2: r ^= 5;
    case 3: r /= threadIdx.x + 1; break;
    case 4: r %= 7; break;
    case 5: r = 0u - r; break;
    case 7: r <<= 3; break;
    case 8: r += 2;
    default: r ^= threadIdx.x;
  }
  OUT(0, r);
}
KERNEL(switch_sparse) {
  u32 keys[] = {1, 50, 1000, 70000, 12}, r;
  switch (keys[(u32)IN(0) % 5]) {
    case 1: r = 3; break;
    case 50: r = 33; break;
    case 1000: r = 333; break;
    case 70000: r = 3333; break;
    default: r = 0;
  }
  OUT(0, r);
}
KERNEL(early_return) {
  if (IN(0) & 1) return;
  u32 all = __activemask() != 0;
  if (IN(1) & 1) {
    OUT(0, all + 1);
    return;
  }
  OUT(0, all + 2);
}
KERNEL(jumps) {
  u32 a = (u32)IN(0), n = 0;
again:
  n++;
  if (a % 2 == 0 && a) {
    a /= 2;
    goto again;
  }
  if (a > 1000) {
    a = a / 3 + n;
    if (n < 40) goto again;
  }
  OUT(0, a * 100 + n);
}
__device__ __noinline__ u64 fibonacci(u32 n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
KERNEL(recursion) { OUT(0, fibonacci((u32)IN(0) % 12)); }
__device__ __noinline__ u32 twice(u32 a) { return a * 2; }
__device__ __noinline__ u32 plus(u32 a) { return a + 1000; }
__device__ __noinline__ u32 flip(u32 a) { return ~a; }
KERNEL(function_pointers) {
  u32 (*functions[])(u32) = {twice, plus, flip};
  u32 r = (u32)IN(0);
  for (int i = 0; i < 4; i++) r = functions[(r + threadIdx.x) % 3](r);
  OUT(0, r);
}
struct Shape {
  __device__ virtual u32 area(u32 a) const { return a; }
};
struct Square : Shape {
  __device__ u32 area(u32 a) const override { return a * a; }
};
KERNEL(virtual_functions) {
  Shape shape;
  Square square;
  const Shape *s = IN(0) & 1 ? &shape : &square;
  OUT(0, s->area((u32)IN(1)));
}
KERNEL(short_circuit) {
  __shared__ u32 calls[64];
  calls[threadIdx.x] = 0;
  auto count = [&](bool b) {
    calls[threadIdx.x]++;
    return b;
  };
  bool r = count(IN(0) & 1) && (count(IN(0) & 2) || count(IN(0) & 4)) && !count(IN(0) & 8);
  OUT(0, r), OUT(1, calls[threadIdx.x]);
}
KERNEL(predicated) {
  u32 a = (u32)IN(0), b = (u32)IN(1), r;
  asm("{ .reg .pred p, q; setp.lt.u32 p|q, %1, %2; mov.u32 %0, 1; @p add.u32 %0, %0, %1; @!p sub.u32 %0, %2, %0; @q xor.b32 %0, %0, 0xff; }"
      : "=r"(r) : "r"(a), "r"(b));
  OUT(0, r);
}

KERNEL(shuffles) {
  u32 a = (u32)IN(0);
  float f = (float)a;
  double d = (double)a;
  OUT(0, __shfl_sync(~0u, a, (int)(IN(1) % 32))), OUT(1, __shfl_up_sync(~0u, a, 3)), OUT(2, __shfl_down_sync(~0u, a, 5)), OUT(3, __shfl_xor_sync(~0u, a, 9));
  OUT(4, __shfl_sync(~0u, f, 7, 16)), OUT(5, __shfl_up_sync(~0u, d, 1, 8)), OUT(6, __shfl_down_sync(~0u, IN(2), 2, 4)), OUT(7, __shfl_xor_sync(~0u, (s32)a, 3, 4));
}
KERNEL(shuffle_of_halves) {
  u32 a = (u32)IN(0), r;
  if (threadIdx.x % 32 < 16) r = __shfl_xor_sync(0x0000ffff, a, 5);
  else r = __shfl_down_sync(0xffff0000, a, 3);
  OUT(0, r);
}
KERNEL(shuffle_among_lanes_left) {
  u32 lane = threadIdx.x % 32, mask = __ballot_sync(~0u, IN(0) & 1), r = 0;
  if (mask >> lane & 1) {
    r = (u32)IN(1);
    r = __shfl_sync(mask, r, 31 - __clz((s32)mask));
    r += __popc(mask & ((1u << lane) - 1));
  }
  OUT(0, r);
}
KERNEL(votes) {
  bool a = IN(0) % 3, b = IN(1) & 1;
  OUT(0, __ballot_sync(~0u, a)), OUT(1, (bool)__any_sync(~0u, a && b)), OUT(2, (bool)__all_sync(~0u, a || b)), OUT(3, __popc(__ballot_sync(~0u, b)));
  if (a) OUT(4, (bool)__all_sync(__ballot_sync(__activemask(), 1), a));
}
KERNEL(matches) {
  int all;
  OUT(0, __match_any_sync(~0u, (u32)IN(0) % 4)), OUT(1, __match_any_sync(~0u, IN(1) % 3)), OUT(2, __match_all_sync(~0u, (u32)(IN(2) >> 63), &all)), OUT(3, all);
  OUT(4, __match_all_sync(~0u, 5, &all)), OUT(5, all);
}
KERNEL(warp_reductions) {
  u32 a = (u32)IN(0);
  OUT(0, __reduce_add_sync(~0u, a)), OUT(1, __reduce_min_sync(~0u, a)), OUT(2, __reduce_max_sync(~0u, (s32)a)), OUT(3, __reduce_and_sync(~0u, a | 0xf0));
  OUT(4, __reduce_or_sync(~0u, a & 0xf0f)), OUT(5, __reduce_xor_sync(~0u, a));
}
KERNEL(scan_by_shuffles) {
  u32 lane = threadIdx.x % 32, sum = (u32)IN(0) % 1000;
  for (u32 d = 1; d < 32; d *= 2) {
    u32 left = __shfl_up_sync(~0u, sum, d);
    if (lane >= d) sum += left;
  }
  OUT(0, sum);
}
KERNEL(lane_registers) {
  u32 a, b, c, d, e, f, g;
  asm("mov.u32 %0, %%laneid;" : "=r"(a));
  asm("mov.u32 %0, %%lanemask_eq;" : "=r"(b));
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(c));
  asm("mov.u32 %0, %%lanemask_le;" : "=r"(d));
  asm("mov.u32 %0, %%lanemask_gt;" : "=r"(e));
  asm("mov.u32 %0, %%lanemask_ge;" : "=r"(f));
  asm("mov.u32 %0, %%ntid.x;" : "=r"(g));
  OUT(0, a), OUT(1, b), OUT(2, c), OUT(3, d), OUT(4, e), OUT(5, f), OUT(6, g), OUT(7, warpSize);
}
// A lane waits for another one of its warp, which comes later in the program.
KERNEL(lanes_that_wait_for_lanes) {
  __shared__ volatile u32 turn[2];
  u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (lane == 0) turn[warp] = 0;
  __syncwarp();
  while (turn[warp] != lane) {}
  OUT(0, turn[warp] * 3);
  __threadfence_block();
  turn[warp] = lane + 1;
}
// A lock that lanes of one warp contend for.
KERNEL(lock_within_a_warp) {
  __shared__ u32 lock, sum;
  if (threadIdx.x == 0) lock = 0, sum = 0;
  __syncthreads();
  for (bool done = false; !done;) {
    if (atomicCAS(&lock, 0, 1) == 0) {
      __threadfence_block();
      *(volatile u32 *)&sum = *(volatile u32 *)&sum + threadIdx.x;
      __threadfence_block();
      atomicExch(&lock, 0);
      done = true;
    }
  }
  __syncthreads();
  OUT(0, sum);
}
