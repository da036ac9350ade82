// Barriers of each kind, and copies that they order. "launch" gives blocks, threads, and more.
#include "common.h"
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/barrier>
#include <cuda/pipeline>
namespace cg = cooperative_groups;

KERNEL(block_barrier) {
  __shared__ u64 s[64];
  s[threadIdx.x] = IN(0);
  __syncthreads();
  u64 other = s[63 - threadIdx.x];
  __syncthreads();
  s[threadIdx.x] = other * 3;
  __syncthreads();
  OUT(0, s[(threadIdx.x + 7) % 64]);
}
KERNEL(block_tree) {
  __shared__ u64 s[64];
  s[threadIdx.x] = IN(0);
  for (u32 n = 32; n; n /= 2) {
    __syncthreads();
    if (threadIdx.x < n) s[threadIdx.x] += s[threadIdx.x + n];
  }
  __syncthreads();
  OUT(0, s[0]);
}
KERNEL(block_votes) {
  OUT(0, __syncthreads_count(IN(0) & 1)), OUT(1, (bool)__syncthreads_and(IN(1) % 64)), OUT(2, (bool)__syncthreads_or(IN(2) % 64 == 0));
}
KERNEL(block_barrier_after_returns) {
  __shared__ u32 s[64];
  s[threadIdx.x] = threadIdx.x;
  if (threadIdx.x >= 32) return;
  __syncthreads();
  OUT(0, s[31 - threadIdx.x]);
}
KERNEL(block_barrier_in_branches) {
  __shared__ u32 s[64];
  s[threadIdx.x] = (u32)IN(0);
  if (threadIdx.x < 32) {
    asm volatile("barrier.sync 0;" ::: "memory");
    OUT(0, s[63 - threadIdx.x]);
  } else {
    asm volatile("barrier.sync 0;" ::: "memory");
    OUT(0, s[63 - threadIdx.x] * 5);
  }
}
KERNEL(named_barriers) {
  __shared__ u32 s[64];
  s[threadIdx.x] = (u32)IN(0);
  if (threadIdx.x < 32) asm volatile("bar.sync 1, 32;" ::: "memory");
  else asm volatile("bar.sync 2, 32;" ::: "memory");
  u32 r = s[threadIdx.x ^ 31];
  asm volatile("bar.sync 3, 64;" ::: "memory");
  OUT(0, r), OUT(1, s[63 - threadIdx.x]);
}
// One warp produces, the other consumes; each arrives at one barrier and waits at the other.
KERNEL(producer_and_consumer) {
  __shared__ u32 s[32];
  u32 lane = threadIdx.x % 32;
  for (u32 round = 0; round < 4; round++) {
    if (threadIdx.x < 32) {
      s[lane] = (u32)IN(round);
      asm volatile("bar.arrive 1, 64;" ::: "memory");
      asm volatile("bar.sync 2, 64;" ::: "memory");
    } else {
      asm volatile("bar.sync 1, 64;" ::: "memory");
      OUT(round, s[31 - lane]);
      asm volatile("bar.arrive 2, 64;" ::: "memory");
    }
  }
}
KERNEL(barrier_reductions) {
  u32 count;
  s32 all, some, p = IN(0) & 1;
  asm volatile("{ .reg .pred p, q; setp.ne.s32 p, %3, 0; barrier.red.popc.u32 %0, 1, 64, p; barrier.red.and.pred q, 1, 64, p;"
               " selp.s32 %1, 1, 0, q; barrier.red.or.pred q, 1, 64, p; selp.s32 %2, 1, 0, q; }" : "=r"(count), "=r"(all), "=r"(some) : "r"(p) : "memory");
  OUT(0, count), OUT(1, all), OUT(2, some);
}
KERNEL(warp_barrier) {
  __shared__ u64 s[64];
  s[threadIdx.x] = IN(0);
  __syncwarp();
  u64 r = s[threadIdx.x ^ 1];
  __syncwarp();
  if (threadIdx.x & 1) {
    s[threadIdx.x] = r;
    __syncwarp(0xaaaaaaaa);
    r += s[threadIdx.x ^ 2];
  } else {
    __syncwarp(0x55555555);
    r -= s[threadIdx.x ^ 2] * 0;
  }
  OUT(0, r);
}

KERNEL(tiles) {
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<8>(block);
  u32 a = (u32)IN(0);
  OUT(0, tile.shfl(a, 3)), OUT(1, tile.shfl_down(a, 2)), OUT(2, tile.shfl_xor(a, 5)), OUT(3, tile.ballot(a & 1)), OUT(4, (bool)tile.any(a & 2)), OUT(5, (bool)tile.all(a & 4));
  OUT(6, (u32)tile.thread_rank()), OUT(7, (u32)tile.meta_group_rank()), OUT(8, (u32)tile.meta_group_size()), OUT(9, tile.match_any(a % 3));
  OUT(10, cg::reduce(tile, a, cg::plus<u32>())), OUT(11, cg::reduce(tile, a, cg::less<u32>())), OUT(12, cg::inclusive_scan(tile, a % 100));
  OUT(13, cg::exclusive_scan(tile, a % 100)), OUT(14, cg::reduce(tile, a, cg::bit_xor<u32>()));
  tile.sync();
}
KERNEL(coalesced) {
  u32 a = (u32)IN(0), r = 0;
  if (a % 3) {
    auto group = cg::coalesced_threads();
    r = group.shfl(a, 0) + (u32)group.thread_rank() * 7 + (u32)group.size();
    group.sync();
  }
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  auto half = cg::binary_partition(warp, a & 1);
  OUT(0, r != 0), OUT(1, (u32)half.size()), OUT(2, (u32)half.thread_rank()), OUT(3, cg::reduce(half, a, cg::plus<u32>()));
  auto parts = cg::labeled_partition(warp, a % 4);
  OUT(4, (u32)parts.size()), OUT(5, cg::reduce(parts, a, cg::greater<u32>()));
}
KERNEL(block_group) {
  __shared__ u32 s[64];
  auto block = cg::this_thread_block();
  s[block.thread_rank()] = (u32)IN(0);
  cg::sync(block);
  OUT(0, s[63 - block.thread_rank()]), OUT(1, (u32)block.size()), OUT(2, block.group_index().x), OUT(3, block.thread_index().x);
}
// launch 4 64 cooperative
KERNEL(grid_barrier) {
  auto grid = cg::this_grid();
  for (u32 round = 0; round < 3; round++) {
    OUT(round, IN(round));
    grid.sync();
    u64 other = out[(CELL + 64) % 256 + 256 * round];
    grid.sync();
    out[CELL + 256 * round] += other;
  }
  OUT(4, (u32)grid.size()), OUT(5, (u32)grid.thread_rank());
}
#if __CUDA_ARCH__ >= 900  // clusters
// launch 4 64 cluster 2
KERNEL(cluster_barrier) {
  __shared__ u64 s[64];
  auto cluster = cg::this_cluster();
  s[threadIdx.x] = IN(0);
  cluster.sync();
  u64 *other = cluster.map_shared_rank(s, cluster.block_rank() ^ 1);
  u64 r = other[63 - threadIdx.x];
  cluster.sync();
  other[threadIdx.x] = r + 1;
  cluster.sync();
  OUT(0, s[threadIdx.x]), OUT(1, (u32)cluster.block_rank()), OUT(2, (u32)cluster.num_blocks()), OUT(3, (u32)cluster.thread_rank());
}
// launch 4 64 cluster 4
KERNEL(cluster_atomics) {
  __shared__ u32 sum;
  auto cluster = cg::this_cluster();
  if (threadIdx.x == 0) sum = 0;
  cluster.sync();
  atomicAdd(cluster.map_shared_rank(&sum, (int)(threadIdx.x % 4)), (u32)IN(0) % 1000);
  cluster.sync();
  OUT(0, sum);
}
#endif
KERNEL(barrier_in_memory) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  __shared__ u32 s[64];
  if (threadIdx.x == 0) init(&bar, 64);
  __syncthreads();
  for (u32 round = 0; round < 3; round++) {
    s[threadIdx.x] = (u32)IN(round);
    bar.arrive_and_wait();
    OUT(round, s[63 - threadIdx.x]);
    auto token = bar.arrive();
    bar.wait(static_cast<decltype(token) &&>(token));
  }
}
// Warp 0 fills, warp 1 reads: each with a barrier in memory.
KERNEL(barriers_of_a_ring) {
  __shared__ cuda::barrier<cuda::thread_scope_block> full, empty;
  __shared__ u32 s[32];
  u32 lane = threadIdx.x % 32;
  if (threadIdx.x == 0) init(&full, 64), init(&empty, 64);
  __syncthreads();
  for (u32 round = 0; round < 4; round++) {
    if (threadIdx.x < 32) {
      if (round) empty.arrive_and_wait();
      s[lane] = (u32)IN(round);
      auto token = full.arrive();
      (void)token;
    } else {
      full.arrive_and_wait();
      OUT(round, s[lane ^ 5]);
      if (round < 3) {
        auto token = empty.arrive();
        (void)token;
      }
    }
  }
}
KERNEL(async_copies) {
  __shared__ alignas(16) u64 s[64];
  auto block = cg::this_thread_block();
  cg::memcpy_async(block, s, in + blockIdx.x * 64, sizeof s);
  cg::wait(block);
  OUT(0, s[63 - threadIdx.x]);
}
KERNEL(async_copies_at_a_barrier) {
  __shared__ alignas(16) u64 s[64];
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  auto block = cg::this_thread_block();
  if (threadIdx.x == 0) init(&bar, 64);
  block.sync();
  cuda::memcpy_async(block, s, in + blockIdx.x * 64, sizeof s, bar);
  bar.arrive_and_wait();
  OUT(0, s[63 - threadIdx.x]);
}
KERNEL(pipeline_of_two_stages) {
  __shared__ alignas(16) u64 s[2][64];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  for (u32 round = 0; round < 5; round++) {
    if (round < 4) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, s[round % 2], in + blockIdx.x * 64 + 256 * round, sizeof s[0], pipe);
      pipe.producer_commit();
    }
    if (round > 0) {
      pipe.consumer_wait();
      OUT(round - 1, s[(round - 1) % 2][63 - threadIdx.x]);
      pipe.consumer_release();
    }
  }
}
KERNEL(async_copies_in_groups) {
  __shared__ alignas(16) u64 s[2][64];
  u32 to = (u32)__cvta_generic_to_shared(&s[0][threadIdx.x]);
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8;\n\tcp.async.commit_group;" ::"r"(to), "l"(&IN(0)) : "memory");
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8;\n\tcp.async.commit_group;" ::"r"(to + 512), "l"(&IN(1)) : "memory");
  asm volatile("cp.async.wait_group 1;" ::: "memory");
  u64 mine = s[0][threadIdx.x];
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  OUT(0, mine), OUT(1, s[1][63 - threadIdx.x]);
}
#if __CUDA_ARCH__ >= 900
// A bulk copy in both directions, which an mbarrier and a bulk group complete.
KERNEL(bulk_copies) {
  __shared__ alignas(128) u64 s[64];
  __shared__ alignas(8) u64 bar;
  u32 at = (u32)__cvta_generic_to_shared(&bar), to = (u32)__cvta_generic_to_shared(s);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;\n\tfence.mbarrier_init.release.cluster;" ::"r"(at) : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 512;" ::"r"(at) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 512, [%2];" ::"r"(to), "l"(in + blockIdx.x * 64), "r"(at) : "memory");
  }
  __syncthreads();
  u32 done = 0;
  while (!done)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(at) : "memory");
  u64 a = s[63 - threadIdx.x];
  __syncthreads();
  s[threadIdx.x] = a + 1;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 512;" ::"l"(out + blockIdx.x * 64), "r"(to) : "memory");
    asm volatile("cp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group 0;" ::: "memory");
  }
}
#endif
