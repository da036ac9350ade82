// CUB's collectives of blocks and warps against sums on the host.
#include <cstdio>
#include <cub/block/block_scan.cuh>
#include <cub/cub.cuh>

template <int Threads> __global__ void collect(const int *in, int *sums, int *most, int *before, int *warps) {
  using Load = cub::BlockLoad<int, Threads, 4, cub::BLOCK_LOAD_TRANSPOSE>;
  using Store = cub::BlockStore<int, Threads, 4, cub::BLOCK_STORE_TRANSPOSE>;
  using Reduce = cub::BlockReduce<int, Threads>;
  using Scan = cub::BlockScan<int, Threads>;
  using Warp = cub::WarpReduce<int>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Store::TempStorage store;
    typename Reduce::TempStorage reduce;
    typename Scan::TempStorage scan;
    typename Warp::TempStorage warp[Threads / 32];
  } shared;
  int base = blockIdx.x * Threads * 4, items[4];
  Load(shared.load).Load(in + base, items);
  __syncthreads();
  int sum = Reduce(shared.reduce).Sum(items);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
  __syncthreads();
  int highest = Reduce(shared.reduce).Reduce(items, cub::Max());
  if (threadIdx.x == 0) most[blockIdx.x] = highest;
  __syncthreads();
  int warp = Warp(shared.warp[threadIdx.x / 32]).Sum(items[0]);
  if (threadIdx.x % 32 == 0) warps[(blockIdx.x * Threads + threadIdx.x) / 32] = warp;
  __syncthreads();
  Scan(shared.scan).ExclusiveSum(items, items);
  __syncthreads();
  Store(shared.store).Store(before + base, items);
}

__global__ void sort(int *keys, int *values, int *warped) {
  using Sort = cub::BlockRadixSort<int, 64, 4, int>;
  using Warp = cub::WarpMergeSort<int, 4>;
  __shared__ Sort::TempStorage block;
  __shared__ Warp::TempStorage warps[2];
  int k[4], v[4], w[4];
  for (int i = 0; i < 4; i++) k[i] = w[i] = keys[threadIdx.x * 4 + i], v[i] = threadIdx.x * 4 + i;
  Sort(block).SortBlockedToStriped(k, v);
  for (int i = 0; i < 4; i++) keys[i * 64 + threadIdx.x] = k[i], values[i * 64 + threadIdx.x] = v[i];
  Warp(warps[threadIdx.x / 32]).Sort(w, [](int a, int b) { return a > b; });
  for (int i = 0; i < 4; i++) warped[threadIdx.x * 4 + i] = w[i];
}
void checkSorts() {
  const int n = 256;
  int *keys, *values, *warped, before[n];
  cudaMallocManaged(&keys, n * sizeof(int));
  cudaMallocManaged(&values, n * sizeof(int));
  cudaMallocManaged(&warped, n * sizeof(int));
  for (int i = 0; i < n; i++) before[i] = keys[i] = i * 7919 % 61;
  sort<<<1, 64>>>(keys, values, warped);
  cudaDeviceSynchronize();
  for (int i = 0; i < n; i++) {
    if (before[values[i]] != keys[i]) printf("%d came with %d\n", keys[i], values[i]);
    if (i > 0 && (keys[i - 1] > keys[i] || (keys[i - 1] == keys[i] && values[i - 1] > values[i]))) printf("%d stands behind %d\n", keys[i], keys[i - 1]);
    if (i % 128 > 0 && warped[i - 1] < warped[i]) printf("%d stands behind %d\n", warped[i], warped[i - 1]);
  }
}

__global__ void neighbours(const int *in, int *heads, int *tails, int *left) {
  using Flags = cub::BlockDiscontinuity<int, 64>;
  using Difference = cub::BlockAdjacentDifference<int, 64>;
  __shared__ union {
    Flags::TempStorage flags;
    Difference::TempStorage difference;
  } shared;
  int k[2], f[2];
  for (int i = 0; i < 2; i++) k[i] = in[threadIdx.x * 2 + i];
  Flags(shared.flags).FlagHeads(f, k, cub::Inequality());
  for (int i = 0; i < 2; i++) heads[threadIdx.x * 2 + i] = f[i];
  __syncthreads();
  Flags(shared.flags).FlagTails(f, k, cub::Inequality());
  for (int i = 0; i < 2; i++) tails[threadIdx.x * 2 + i] = f[i];
  __syncthreads();
  Difference(shared.difference).SubtractLeft(k, k, [](int a, int b) { return a - b; });
  for (int i = 0; i < 2; i++) left[threadIdx.x * 2 + i] = k[i];
}
void checkNeighbours() {
  const int n = 128;
  int *in, *heads, *tails, *left;
  for (int **p : {&in, &heads, &tails, &left}) cudaMallocManaged(p, n * sizeof(int));
  for (int i = 0; i < n; i++) in[i] = i * i / 50;
  neighbours<<<1, 64>>>(in, heads, tails, left);
  cudaDeviceSynchronize();
  for (int i = 0; i < n; i++) {
    if (heads[i] != (i == 0 || in[i] != in[i - 1])) printf("head %d is %d\n", i, heads[i]);
    if (tails[i] != (i == n - 1 || in[i] != in[i + 1])) printf("tail %d is %d\n", i, tails[i]);
    if (left[i] != (i == 0 ? in[i] : in[i] - in[i - 1])) printf("difference %d is %d\n", i, left[i]);
  }
}

// Segments of a warp, both kinds of a scan at once, and what one thread does, or a warp by shuffles.
__global__ void segments(int *out) {
  using Reduce = cub::WarpReduce<int>;
  using Half = cub::WarpReduce<int, 16>;
  using Scan = cub::WarpScan<int>;
  __shared__ Reduce::TempStorage reduce;
  __shared__ Half::TempStorage half[2];
  __shared__ Scan::TempStorage scan;
  int lane = threadIdx.x, inclusive, exclusive, items[3] = {lane, 5, 2}, sorted[4] = {1, 3, 3, 7};
  out[lane] = Reduce(reduce).HeadSegmentedSum(lane, lane % 5 == 0);
  out[32 + lane] = Reduce(reduce).TailSegmentedReduce(lane, lane % 5 == 4, cub::Max());
  out[64 + lane] = Half(half[lane / 16]).TailSegmentedSum(1, lane == 20);
  Scan(scan).Scan(lane, inclusive, exclusive, 100, cub::Sum());
  out[96 + lane] = inclusive == exclusive + lane ? exclusive : -1;
  out[128 + lane] = cub::ThreadReduce(items, cub::Max()) + cub::ThreadReduce(items, cub::Sum(), 1) * 100;
  out[160 + lane] = cub::ShuffleUp<16>(lane, 1, 0, 0xffffffff) + 100 * __popc(cub::LaneMaskLe()) + 10000 * (cub::UpperBound(sorted, 4, 3) - cub::LowerBound(sorted, 4, 3));
}
void checkSegments() {
  int *out;
  cudaMallocManaged(&out, 192 * sizeof(int));
  segments<<<1, 32>>>(out);
  if (cudaDeviceSynchronize() != cudaSuccess) puts("segments");
  for (int i = 0; i < 32; i++) {
    int sum = 0, most = i / 5 * 5 + 4;
    for (int k = i; k < 32 && (k == i || k % 5 != 0); k++) sum += k;
    if (i % 5 == 0 && (out[i] != sum || out[32 + i] != (most < 32 ? most : 31))) printf("%d has %d and %d\n", i, out[i], out[32 + i]);
    if (out[96 + i] != 100 + i * (i - 1) / 2 || out[128 + i] != (i > 5 ? i : 5) + (i + 8) * 100) printf("%d has %d and %d\n", i, out[96 + i], out[128 + i]);
    if (out[160 + i] != (i % 16 ? i - 1 : i) + 100 * (i + 1) + 20000) printf("%d has %d\n", i, out[160 + i]);
  }
  if (out[64] != 16 || out[64 + 16] != 5 || out[64 + 21] != 11) printf("%d %d %d\n", out[64], out[64 + 16], out[64 + 21]);
}

// Runs of lengths 0, 1, 2, 3, 0, ..., one of each thread, decoded by two items a thread; each thread scans what it has.
__global__ void runs(int *out, int *places, int *total) {
  typedef cub::BlockRunLengthDecode<int, 32, 1, 2> Decode;
  __shared__ typename Decode::TempStorage storage;
  int value[1] = {100 + (int)threadIdx.x}, length[1] = {(int)threadIdx.x % 4}, all, items[2];
  unsigned offsets[2];
  Decode decode(storage, value, length, all);
  decode.RunLengthDecode(items, offsets);
  for (int i = 0; i < 2; i++) {
    int at = threadIdx.x * 2 + i;
    if (at < all) out[at] = items[i], places[at] = offsets[i];
  }
  int sums[2], before[2];
  if (cub::ThreadScanInclusive<2>(items, sums, cub::Sum()) != items[0] + items[1] || sums[1] != items[0] + items[1]) *total = -1;
  cub::internal::ThreadScanExclusive<2>(items, before, cub::Sum(), 5);
  if (before[0] != 5 || before[1] != items[0] + 5) *total = -1;
  if (threadIdx.x == 0) *total += all;
}
void checkRuns() {
  int *out;
  cudaMallocManaged(&out, 97 * sizeof(int));
  runs<<<1, 32>>>(out, out + 48, out + 96);
  if (cudaDeviceSynchronize() != cudaSuccess || out[96] != 48) printf("%d items\n", out[96]);
  for (int run = 0, i = 0; run < 32; run++)
    for (int place = 0; place < run % 4; place++, i++)
      if (out[i] != 100 + run || out[48 + i] != place) printf("item %d is %d at %d\n", i, out[i], out[48 + i]);
}

int main() {
  checkRuns();
  checkSorts();
  checkSegments();
  checkNeighbours();
  const int threads = 128, blocks = 3, own = threads * 4, all = blocks * own;
  int *in, *out;
  cudaMallocManaged(&in, all * sizeof(int));
  cudaMallocManaged(&out, (all + 2 * blocks + blocks * threads / 32) * sizeof(int));
  int *sums = out + all, *most = sums + blocks, *warps = most + blocks;
  for (int i = 0; i < all; i++) in[i] = i * 7919 % 1000;
  collect<threads><<<blocks, threads>>>(in, sums, most, out, warps);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  for (int b = 0; b < blocks; b++) {
    int sum = 0, highest = 0;
    for (int i = b * own; i < (b + 1) * own; i++) {
      if (out[i] != sum) printf("%d stand before %d, want %d\n", out[i], i, sum);
      sum += in[i], highest = in[i] > highest ? in[i] : highest;
    }
    if (sums[b] != sum || most[b] != highest) printf("block %d has %d and %d, want %d and %d\n", b, sums[b], most[b], sum, highest);
    for (int w = 0; w < threads / 32; w++) {
      int part = 0;
      for (int i = 0; i < 32; i++) part += in[b * own + (w * 32 + i) * 4];
      if (warps[b * threads / 32 + w] != part) printf("warp %d of block %d has %d, want %d\n", w, b, warps[b * threads / 32 + w], part);
    }
  }
  puts("done");
}
