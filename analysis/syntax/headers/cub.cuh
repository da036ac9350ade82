// What warplint knows of CUB: its collectives for blocks and warps, as they meet in memory. Each is written for what
// it promises (https://nvidia.github.io/cccl/cub): the storage may be used again behind a barrier, and no sooner.
#pragma once

namespace cub {

struct NullType {};

struct Sum {
    template <class T> __host__ __device__ T operator()(const T &a, const T &b) const { return a + b; }
};
struct Max {
    template <class T> __host__ __device__ T operator()(const T &a, const T &b) const { return a > b ? a : b; }
};
struct Min {
    template <class T> __host__ __device__ T operator()(const T &a, const T &b) const { return a < b ? a : b; }
};
struct Equality {
    template <class T> __host__ __device__ bool operator()(const T &a, const T &b) const { return a == b; }
};
struct Inequality {
    template <class T> __host__ __device__ bool operator()(const T &a, const T &b) const { return a != b; }
};

template <class T> struct Uninitialized {
    T held;
    __host__ __device__ T &Alias() { return held; }
};
template <class K, class V> struct KeyValuePair {
    typedef K Key;
    typedef V Value;
    K key;
    V value;
    __host__ __device__ KeyValuePair() {}
    __host__ __device__ KeyValuePair(const K &k, const V &v) : key(k), value(v) {}
};
struct ArgMax {
    template <class P> __host__ __device__ P operator()(const P &a, const P &b) const {
        return b.value > a.value || (a.value == b.value && b.key < a.key) ? b : a;
    }
};
struct ArgMin {
    template <class P> __host__ __device__ P operator()(const P &a, const P &b) const {
        return b.value < a.value || (a.value == b.value && b.key < a.key) ? b : a;
    }
};

__device__ inline unsigned LaneId() { return ((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x) % 32; }
__device__ inline unsigned WarpId() { return ((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x) / 32; }
__device__ inline int RowMajorTid(int x, int y, int z) {
    return (y == 1 && z == 1 ? 0 : (z == 1 ? 0 : threadIdx.z * x * y) + threadIdx.y * x) + threadIdx.x;
}
__device__ inline unsigned LaneMaskLt() { return (1u << LaneId()) - 1; }
__device__ inline unsigned LaneMaskLe() { return LaneMaskLt() << 1 | 1; }
__device__ inline unsigned LaneMaskGe() { return ~LaneMaskLt(); }
__device__ inline unsigned LaneMaskGt() { return ~LaneMaskLe(); }
// Of the threads that the last argument but one bounds, all W are meant.
template <int W, class T> __device__ T ShuffleUp(T v, int offset, int, unsigned mask) { return __shfl_up_sync(mask, v, offset, W); }
template <int W, class T> __device__ T ShuffleDown(T v, int offset, int, unsigned mask) { return __shfl_down_sync(mask, v, offset, W); }
template <int W, class T> __device__ T ShuffleIndex(T v, int lane, unsigned mask) { return __shfl_sync(mask, v, lane, W); }
template <class It, class N, class T> __device__ N LowerBound(It from, N n, T v) {
    N i = 0;
    for (; i < n && from[i] < v; i++) {}
    return i;
}
template <class It, class N, class T> __device__ N UpperBound(It from, N n, T v) {
    N i = 0;
    for (; i < n && !(v < from[i]); i++) {}
    return i;
}
template <int N, class T, class Op> __device__ T ThreadReduce(T (&items)[N], Op op) {
    T sum = items[0];
    for (int i = 1; i < N; i++)
        sum = op(sum, items[i]);
    return sum;
}
template <int N, class T, class Op> __device__ T ThreadReduce(T (&items)[N], Op op, T init) { return op(init, ThreadReduce(items, op)); }
// Scans of a thread's own items; they return the sum of all.
template <int N, class T, class Op> __device__ T ThreadScanInclusive(T *in, T *out, Op op) {
    T sum = in[0];
    out[0] = sum;
    for (int i = 1; i < N; i++)
        out[i] = sum = op(sum, in[i]);
    return sum;
}
template <int N, class T, class Op> __device__ T ThreadScanInclusive(T *in, T *out, Op op, T prefix, bool apply = true) {
    T sum = apply ? op(prefix, in[0]) : in[0];
    out[0] = sum;
    for (int i = 1; i < N; i++)
        out[i] = sum = op(sum, in[i]);
    return sum;
}
// Without a prefix, the first item of the output stays as it is.
template <int N, class T, class Op> __device__ T ThreadScanExclusive(T *in, T *out, Op op, T prefix, bool apply = true) {
    T sum = in[0];
    if (apply) {
        out[0] = prefix;
        sum = op(prefix, sum);
    }
    for (int i = 1; i < N; i++) {
        T item = in[i];
        out[i] = sum;
        sum = op(sum, item);
    }
    return sum;
}
template <class K, class V, class Less, int N> __device__ void StableOddEvenSort(K (&keys)[N], V (&values)[N], Less less) {
    for (int round = 0; round < N; round++)
        for (int i = round % 2; i + 1 < N; i += 2)
            if (less(keys[i + 1], keys[i])) {
                K key = keys[i];
                keys[i] = keys[i + 1];
                keys[i + 1] = key;
                V value = values[i];
                values[i] = values[i + 1];
                values[i + 1] = value;
            }
}
namespace internal {
using cub::ThreadScanExclusive;
using cub::ThreadScanInclusive;
} // namespace internal
__device__ inline void CTA_SYNC() { __syncthreads(); }
__device__ inline int CTA_SYNC_AND(int p) { return __syncthreads_and(p); }
__device__ inline int CTA_SYNC_OR(int p) { return __syncthreads_or(p); }
__device__ inline void WARP_SYNC(unsigned mask) { __syncwarp(mask); }
__device__ inline int WARP_ANY(int p, unsigned mask) { return __any_sync(mask, p); }
__device__ inline int WARP_ALL(int p, unsigned mask) { return __all_sync(mask, p); }
__device__ inline int WARP_BALLOT(int p, unsigned mask) { return __ballot_sync(mask, p); }

enum BlockReduceAlgorithm { BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS };
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };
enum BlockLoadAlgorithm { BLOCK_LOAD_DIRECT, BLOCK_LOAD_STRIPED, BLOCK_LOAD_VECTORIZE, BLOCK_LOAD_TRANSPOSE, BLOCK_LOAD_WARP_TRANSPOSE, BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED };
enum BlockStoreAlgorithm { BLOCK_STORE_DIRECT, BLOCK_STORE_STRIPED, BLOCK_STORE_VECTORIZE, BLOCK_STORE_TRANSPOSE, BLOCK_STORE_WARP_TRANSPOSE, BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED };
enum BlockHistogramAlgorithm { BLOCK_HISTO_SORT, BLOCK_HISTO_ATOMIC };

// A reduction: thread 0 reads what the others have written.
template <class T, int X, BlockReduceAlgorithm A = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1, int Z = 1, int ARCH = 0> class BlockReduce {
  public:
    struct TempStorage {
        T slot[X * Y * Z];
    };

  private:
    TempStorage &storage;
    int tid;
    static __device__ TempStorage &own() {
        __shared__ TempStorage block_reduce;
        return block_reduce;
    }
    template <class Op> __device__ T all(T v, Op op) {
        storage.slot[tid] = v; // the block has as many threads
        return joined(v, op, X * Y * Z);
    }
    template <class Op> __device__ T some(T v, Op op, int valid) {
        if (tid < valid)
            storage.slot[tid] = v;
        return joined(v, op, valid);
    }
    template <class Op> __device__ T joined(T v, Op op, int valid) {
        __syncthreads();
        if (tid == 0)
            for (int i = 1; i < valid; i++)
                v = op(v, storage.slot[i]);
        return v;
    }

  public:
    __device__ BlockReduce() : storage(own()), tid(RowMajorTid(X, Y, Z)) {}
    __device__ BlockReduce(TempStorage &s) : storage(s), tid(RowMajorTid(X, Y, Z)) {}
    template <class Op> __device__ T Reduce(T v, Op op) { return all(v, op); }
    template <class Op> __device__ T Reduce(T v, Op op, int valid) { return some(v, op, valid < X * Y * Z ? valid : X * Y * Z); }
    template <int N, class Op> __device__ T Reduce(T (&items)[N], Op op) {
        T v = items[0];
        for (int i = 1; i < N; i++)
            v = op(v, items[i]);
        return all(v, op);
    }
    __device__ T Sum(T v) { return Reduce(v, cub::Sum()); }
    __device__ T Sum(T v, int valid) { return Reduce(v, cub::Sum(), valid); }
    template <int N> __device__ T Sum(T (&items)[N]) { return Reduce(items, cub::Sum()); }
};

// A prefix sum: each thread reads what those before it have written.
template <class T, int X, BlockScanAlgorithm A = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1, int ARCH = 0> class BlockScan {
  public:
    struct TempStorage {
        T slot[X * Y * Z];
    };

  private:
    TempStorage &storage;
    int tid;
    static __device__ TempStorage &own() {
        __shared__ TempStorage block_scan;
        return block_scan;
    }
    // What comes before this thread, of which there is something unless it is the first; and the whole.
    template <class Op> __device__ T before(T v, Op op, T &whole) {
        storage.slot[tid] = v;
        __syncthreads();
        T sum = storage.slot[0];
        T prefix = sum;
        for (int i = 1; i < X * Y * Z; i++) {
            if (i == tid)
                prefix = sum;
            sum = op(sum, storage.slot[i]);
        }
        whole = sum;
        return prefix;
    }
    template <class Op, class Prefix> __device__ T prefixed(T whole, Op op, Prefix &callback) {
        __shared__ T block_prefix;
        if (tid < 32) {
            T p = callback(whole);
            if (tid == 0)
                block_prefix = p;
        }
        __syncthreads();
        return block_prefix;
    }
    template <int N, class Op> __device__ static T total(T (&in)[N], Op op) {
        T v = in[0];
        for (int i = 1; i < N; i++)
            v = op(v, in[i]);
        return v;
    }
    template <int N, class Op> __device__ static void spread(T (&in)[N], T (&out)[N], T v, Op op) {
        for (int i = 0; i < N; i++) {
            T x = in[i];
            out[i] = v;
            v = op(v, x);
        }
    }
    template <int N, class Op> __device__ static void include(T (&in)[N], T (&out)[N], T v, Op op, bool first) {
        for (int i = 0; i < N; i++) {
            v = first && i == 0 ? in[0] : op(v, in[i]);
            out[i] = v;
        }
    }

  public:
    __device__ BlockScan() : storage(own()), tid(RowMajorTid(X, Y, Z)) {}
    __device__ BlockScan(TempStorage &s) : storage(s), tid(RowMajorTid(X, Y, Z)) {}

    template <class Op> __device__ void ExclusiveScan(T in, T &out, T init, Op op, T &whole) {
        T p = before(in, op, whole);
        out = tid == 0 ? init : op(init, p);
    }
    template <class Op> __device__ void ExclusiveScan(T in, T &out, T init, Op op) {
        T whole;
        ExclusiveScan(in, out, init, op, whole);
    }
    template <class Op> __device__ void ExclusiveScan(T in, T &out, Op op) {
        T whole;
        out = before(in, op, whole);
    }
    template <int N, class Op> __device__ void ExclusiveScan(T (&in)[N], T (&out)[N], T init, Op op, T &whole) {
        T p = before(total(in, op), op, whole);
        spread(in, out, tid == 0 ? init : op(init, p), op);
    }
    template <int N, class Op> __device__ void ExclusiveScan(T (&in)[N], T (&out)[N], T init, Op op) {
        T whole;
        ExclusiveScan(in, out, init, op, whole);
    }
    __device__ void ExclusiveSum(T in, T &out) { ExclusiveScan(in, out, T(0), cub::Sum()); }
    __device__ void ExclusiveSum(T in, T &out, T &whole) { ExclusiveScan(in, out, T(0), cub::Sum(), whole); }
    template <class Prefix> __device__ void ExclusiveSum(T in, T &out, Prefix &callback) {
        T whole, p = before(in, cub::Sum(), whole), more = prefixed(whole, cub::Sum(), callback);
        out = tid == 0 ? more : more + p;
    }
    template <int N> __device__ void ExclusiveSum(T (&in)[N], T (&out)[N]) { ExclusiveScan(in, out, T(0), cub::Sum()); }
    template <int N> __device__ void ExclusiveSum(T (&in)[N], T (&out)[N], T &whole) { ExclusiveScan(in, out, T(0), cub::Sum(), whole); }
    template <int N, class Prefix> __device__ void ExclusiveSum(T (&in)[N], T (&out)[N], Prefix &callback) {
        T whole, p = before(total(in, cub::Sum()), cub::Sum(), whole), more = prefixed(whole, cub::Sum(), callback);
        spread(in, out, tid == 0 ? more : more + p, cub::Sum());
    }

    template <class Op> __device__ void InclusiveScan(T in, T &out, Op op, T &whole) {
        T p = before(in, op, whole);
        out = tid == 0 ? in : op(p, in);
    }
    template <class Op> __device__ void InclusiveScan(T in, T &out, Op op) {
        T whole;
        InclusiveScan(in, out, op, whole);
    }
    template <int N, class Op> __device__ void InclusiveScan(T (&in)[N], T (&out)[N], Op op, T &whole) {
        T p = before(total(in, op), op, whole);
        include(in, out, p, op, tid == 0);
    }
    template <int N, class Op> __device__ void InclusiveScan(T (&in)[N], T (&out)[N], Op op) {
        T whole;
        InclusiveScan(in, out, op, whole);
    }
    __device__ void InclusiveSum(T in, T &out) { InclusiveScan(in, out, cub::Sum()); }
    __device__ void InclusiveSum(T in, T &out, T &whole) { InclusiveScan(in, out, cub::Sum(), whole); }
    template <class Prefix> __device__ void InclusiveSum(T in, T &out, Prefix &callback) {
        T whole, p = before(in, cub::Sum(), whole), more = prefixed(whole, cub::Sum(), callback);
        out = tid == 0 ? more + in : more + p + in;
    }
    template <int N> __device__ void InclusiveSum(T (&in)[N], T (&out)[N]) { InclusiveScan(in, out, cub::Sum()); }
    template <int N> __device__ void InclusiveSum(T (&in)[N], T (&out)[N], T &whole) { InclusiveScan(in, out, cub::Sum(), whole); }
};

// Loads and stores of a tile without storage.
template <class T, int N, class It> __device__ void LoadDirectBlocked(int tid, It from, T (&items)[N]) {
    for (int i = 0; i < N; i++)
        items[i] = from[tid * N + i];
}
template <class T, int N, class It> __device__ void LoadDirectBlocked(int tid, It from, T (&items)[N], int valid) {
    for (int i = 0; i < N; i++)
        if (tid * N + i < valid)
            items[i] = from[tid * N + i];
}
template <class T, int N, class It, class D> __device__ void LoadDirectBlocked(int tid, It from, T (&items)[N], int valid, D other) {
    for (int i = 0; i < N; i++)
        items[i] = tid * N + i < valid ? T(from[tid * N + i]) : T(other);
}
template <int B, class T, int N, class It> __device__ void LoadDirectStriped(int tid, It from, T (&items)[N]) {
    for (int i = 0; i < N; i++)
        items[i] = from[i * B + tid];
}
template <int B, class T, int N, class It> __device__ void LoadDirectStriped(int tid, It from, T (&items)[N], int valid) {
    for (int i = 0; i < N; i++)
        if (i * B + tid < valid)
            items[i] = from[i * B + tid];
}
template <int B, class T, int N, class It, class D> __device__ void LoadDirectStriped(int tid, It from, T (&items)[N], int valid, D other) {
    for (int i = 0; i < N; i++)
        items[i] = i * B + tid < valid ? T(from[i * B + tid]) : T(other);
}
template <class T, int N, class It> __device__ void StoreDirectBlocked(int tid, It to, T (&items)[N]) {
    for (int i = 0; i < N; i++)
        to[tid * N + i] = items[i];
}
template <class T, int N, class It> __device__ void StoreDirectBlocked(int tid, It to, T (&items)[N], int valid) {
    for (int i = 0; i < N; i++)
        if (tid * N + i < valid)
            to[tid * N + i] = items[i];
}
template <int B, class T, int N, class It> __device__ void StoreDirectStriped(int tid, It to, T (&items)[N]) {
    for (int i = 0; i < N; i++)
        to[i * B + tid] = items[i];
}
template <int B, class T, int N, class It> __device__ void StoreDirectStriped(int tid, It to, T (&items)[N], int valid) {
    for (int i = 0; i < N; i++)
        if (i * B + tid < valid)
            to[i * B + tid] = items[i];
}

// Items change their owners through the storage.
template <class T, int X, int N, bool SLICED = false, int Y = 1, int Z = 1, int ARCH = 0> class BlockExchange {
  public:
    struct TempStorage {
        T slot[X * Y * Z * N];
    };

  private:
    TempStorage &storage;
    int tid;
    static __device__ TempStorage &own() {
        __shared__ TempStorage block_exchange;
        return block_exchange;
    }

  public:
    __device__ BlockExchange() : storage(own()), tid(RowMajorTid(X, Y, Z)) {}
    __device__ BlockExchange(TempStorage &s) : storage(s), tid(RowMajorTid(X, Y, Z)) {}
    template <class U> __device__ void StripedToBlocked(T (&in)[N], U (&out)[N]) {
        for (int i = 0; i < N; i++)
            storage.slot[i * (X * Y * Z) + tid] = in[i];
        __syncthreads();
        for (int i = 0; i < N; i++)
            out[i] = storage.slot[tid * N + i];
    }
    template <class U> __device__ void BlockedToStriped(T (&in)[N], U (&out)[N]) {
        for (int i = 0; i < N; i++)
            storage.slot[tid * N + i] = in[i];
        __syncthreads();
        for (int i = 0; i < N; i++)
            out[i] = storage.slot[i * (X * Y * Z) + tid];
    }
    template <class U, class R> __device__ void ScatterToBlocked(T (&in)[N], U (&out)[N], R (&ranks)[N]) {
        for (int i = 0; i < N; i++)
            storage.slot[ranks[i]] = in[i];
        __syncthreads();
        for (int i = 0; i < N; i++)
            out[i] = storage.slot[tid * N + i];
    }
    template <class U, class R> __device__ void ScatterToStriped(T (&in)[N], U (&out)[N], R (&ranks)[N]) {
        for (int i = 0; i < N; i++)
            storage.slot[ranks[i]] = in[i];
        __syncthreads();
        for (int i = 0; i < N; i++)
            out[i] = storage.slot[i * (X * Y * Z) + tid];
    }
    template <class R> __device__ void ScatterToBlocked(T (&items)[N], R (&ranks)[N]) { ScatterToBlocked(items, items, ranks); }
    template <class R> __device__ void ScatterToStriped(T (&items)[N], R (&ranks)[N]) { ScatterToStriped(items, items, ranks); }
    __device__ void StripedToBlocked(T (&items)[N]) { StripedToBlocked(items, items); }
    __device__ void BlockedToStriped(T (&items)[N]) { BlockedToStriped(items, items); }
};

// Loads and stores of a tile; those that transpose exchange the items through the storage.
template <class T, int X, int N, BlockLoadAlgorithm A = BLOCK_LOAD_DIRECT, int Y = 1, int Z = 1, int ARCH = 0> class BlockLoad {
    typedef BlockExchange<T, X, N, false, Y, Z> Exchange;

  public:
    typedef typename Exchange::TempStorage TempStorage;

  private:
    Exchange exchange;
    int tid;

  public:
    __device__ BlockLoad() : tid(RowMajorTid(X, Y, Z)) {}
    __device__ BlockLoad(TempStorage &s) : exchange(s), tid(RowMajorTid(X, Y, Z)) {}
    template <class It, class... Rest> __device__ void Load(It from, T (&items)[N], Rest... rest) {
        if (A == BLOCK_LOAD_DIRECT || A == BLOCK_LOAD_VECTORIZE)
            LoadDirectBlocked(tid, from, items, rest...);
        else
            LoadDirectStriped<X * Y * Z>(tid, from, items, rest...);
        if (A >= BLOCK_LOAD_TRANSPOSE)
            exchange.StripedToBlocked(items);
    }
};

template <class T, int X, int N, BlockStoreAlgorithm A = BLOCK_STORE_DIRECT, int Y = 1, int Z = 1, int ARCH = 0> class BlockStore {
    typedef BlockExchange<T, X, N, false, Y, Z> Exchange;

  public:
    typedef typename Exchange::TempStorage TempStorage;

  private:
    Exchange exchange;
    int tid;

  public:
    __device__ BlockStore() : tid(RowMajorTid(X, Y, Z)) {}
    __device__ BlockStore(TempStorage &s) : exchange(s), tid(RowMajorTid(X, Y, Z)) {}
    template <class It, class... Rest> __device__ void Store(It to, T (&items)[N], Rest... rest) {
        if (A >= BLOCK_STORE_TRANSPOSE)
            exchange.BlockedToStriped(items);
        if (A == BLOCK_STORE_DIRECT || A == BLOCK_STORE_VECTORIZE)
            StoreDirectBlocked(tid, to, items, rest...);
        else
            StoreDirectStriped<X * Y * Z>(tid, to, items, rest...);
    }
};

// A thread reads the item of another one.
template <class T, int X, int Y = 1, int Z = 1, int ARCH = 0> class BlockShuffle {
  public:
    struct TempStorage {
        T slot[X * Y * Z];
    };

  private:
    TempStorage &storage;
    int tid;
    static __device__ TempStorage &own() {
        __shared__ TempStorage block_shuffle;
        return block_shuffle;
    }

  public:
    __device__ BlockShuffle() : storage(own()), tid(RowMajorTid(X, Y, Z)) {}
    __device__ BlockShuffle(TempStorage &s) : storage(s), tid(RowMajorTid(X, Y, Z)) {}
    __device__ void Offset(T in, T &out, int distance = 1) {
        storage.slot[tid] = in;
        __syncthreads();
        int from = tid + distance;
        if (from >= 0 && from < X * Y * Z)
            out = storage.slot[from];
    }
    __device__ void Rotate(T in, T &out, unsigned distance = 1) {
        storage.slot[tid] = in;
        __syncthreads();
        out = storage.slot[(tid + distance) % (X * Y * Z)];
    }
    template <int N> __device__ void Up(T (&in)[N], T (&out)[N]) {
        storage.slot[tid] = in[N - 1];
        __syncthreads();
        for (int i = N - 1; i > 0; i--)
            out[i] = in[i - 1];
        if (tid > 0)
            out[0] = storage.slot[tid - 1];
    }
    template <int N> __device__ void Down(T (&in)[N], T (&out)[N]) {
        storage.slot[tid] = in[0];
        __syncthreads();
        for (int i = 0; i < N - 1; i++)
            out[i] = in[i + 1];
        if (tid < X * Y * Z - 1)
            out[N - 1] = storage.slot[tid + 1];
    }
};

// Each thread compares its items with their neighbours.
template <class T, int X, int Y = 1, int Z = 1, int ARCH = 0> class BlockDiscontinuity {
    typedef BlockShuffle<T, X, Y, Z> Shuffle;

  public:
    typedef typename Shuffle::TempStorage TempStorage;

  private:
    Shuffle shuffle;
    int tid;

  public:
    __device__ BlockDiscontinuity() : tid(RowMajorTid(X, Y, Z)) {}
    __device__ BlockDiscontinuity(TempStorage &s) : shuffle(s), tid(RowMajorTid(X, Y, Z)) {}
    template <int N, class F, class Op> __device__ void FlagHeads(F (&flags)[N], T (&in)[N], Op op) {
        T before[N];
        shuffle.Up(in, before);
        for (int i = 0; i < N; i++)
            flags[i] = tid == 0 && i == 0 ? F(1) : F(op(before[i], in[i]));
    }
    template <int N, class F, class Op> __device__ void FlagTails(F (&flags)[N], T (&in)[N], Op op) {
        T behind[N];
        shuffle.Down(in, behind);
        for (int i = 0; i < N; i++)
            flags[i] = tid == X * Y * Z - 1 && i == N - 1 ? F(1) : F(op(in[i], behind[i]));
    }
};

template <class T, int X, int Y = 1, int Z = 1, int ARCH = 0> class BlockAdjacentDifference {
    typedef BlockShuffle<T, X, Y, Z> Shuffle;

  public:
    typedef typename Shuffle::TempStorage TempStorage;

  private:
    Shuffle shuffle;
    int tid;

  public:
    __device__ BlockAdjacentDifference() : tid(RowMajorTid(X, Y, Z)) {}
    __device__ BlockAdjacentDifference(TempStorage &s) : shuffle(s), tid(RowMajorTid(X, Y, Z)) {}
    template <int N, class U, class Op> __device__ void SubtractLeft(T (&in)[N], U (&out)[N], Op op) {
        T before[N];
        shuffle.Up(in, before);
        for (int i = 0; i < N; i++)
            out[i] = tid == 0 && i == 0 ? U(in[i]) : U(op(in[i], before[i]));
    }
    template <int N, class U, class Op> __device__ void SubtractRight(T (&in)[N], U (&out)[N], Op op) {
        T behind[N];
        shuffle.Down(in, behind);
        for (int i = 0; i < N; i++)
            out[i] = tid == X * Y * Z - 1 && i == N - 1 ? U(in[i]) : U(op(in[i], behind[i]));
    }
};

// A histogram in the caller's own array, by atomics.
template <class T, int X, int N, int BINS, BlockHistogramAlgorithm A = BLOCK_HISTO_SORT, int Y = 1, int Z = 1, int ARCH = 0> class BlockHistogram {
  public:
    struct TempStorage {
        int slot[X * Y * Z];
    };

  private:
    TempStorage &storage;
    int tid;
    static __device__ TempStorage &own() {
        __shared__ TempStorage block_histogram;
        return block_histogram;
    }

  public:
    __device__ BlockHistogram() : storage(own()), tid(RowMajorTid(X, Y, Z)) {}
    __device__ BlockHistogram(TempStorage &s) : storage(s), tid(RowMajorTid(X, Y, Z)) {}
    template <class C> __device__ void InitHistogram(C (&histogram)[BINS]) {
        for (int bin = tid; bin < BINS; bin += X * Y * Z)
            histogram[bin] = 0;
    }
    template <class C> __device__ void Composite(T (&items)[N], C (&histogram)[BINS]) {
        if (A == BLOCK_HISTO_SORT) {
            storage.slot[tid] = 0;
            __syncthreads();
        }
        for (int i = 0; i < N; i++)
            atomicAdd(histogram + items[i], C(1));
    }
    template <class C> __device__ void Histogram(T (&items)[N], C (&histogram)[BINS]) {
        InitHistogram(histogram);
        __syncthreads();
        Composite(items, histogram);
    }
};

// Collectives of a warp, which end with all lanes having read: they take shuffles where the size allows.
template <class T, int W = 32, int ARCH = 0> class WarpReduce {
  public:
    struct TempStorage {
        T slot[W];
    };

  private:
    TempStorage &storage;
    int lane;

  public:
    __device__ WarpReduce(TempStorage &s) : storage(s), lane(LaneId() % W) {}
    template <class Op> __device__ T Reduce(T v, Op op, int valid) {
        storage.slot[lane] = v;
        __syncwarp();
        if (lane == 0)
            for (int i = 1; i < valid; i++)
                v = op(v, storage.slot[i]);
        __syncwarp();
        return v;
    }
    template <class Op> __device__ T Reduce(T v, Op op) { return Reduce(v, op, W); }
    __device__ T Sum(T v) { return Reduce(v, cub::Sum(), W); }
    __device__ T Sum(T v, int valid) { return Reduce(v, cub::Sum(), valid); }

  private:
    template <class Op> __device__ T upTo(T v, Op op, unsigned stops, int behind) {
        storage.slot[lane] = v;
        stops = stops >> (LaneId() - lane);
        __syncwarp();
        for (int i = lane + 1; i < W; i++) {
            if (stops >> (i - behind) & 1)
                break;
            v = op(v, storage.slot[i]);
        }
        __syncwarp();
        return v;
    }

  public:
    template <class Op, class F> __device__ T HeadSegmentedReduce(T v, F head, Op op) { return upTo(v, op, __ballot_sync(0xffffffff, head), 0); }
    template <class Op, class F> __device__ T TailSegmentedReduce(T v, F tail, Op op) { return upTo(v, op, __ballot_sync(0xffffffff, tail), 1); }
    template <class F> __device__ T HeadSegmentedSum(T v, F head) { return HeadSegmentedReduce(v, head, cub::Sum()); }
    template <class F> __device__ T TailSegmentedSum(T v, F tail) { return TailSegmentedReduce(v, tail, cub::Sum()); }
};

template <class T, int W = 32, int ARCH = 0> class WarpScan {
  public:
    struct TempStorage {
        T slot[W];
    };

  private:
    TempStorage &storage;
    int lane;
    template <class Op> __device__ T before(T v, Op op, T &whole) {
        storage.slot[lane] = v;
        __syncwarp();
        T sum = storage.slot[0];
        T prefix = sum;
        for (int i = 1; i < W; i++) {
            if (i == lane)
                prefix = sum;
            sum = op(sum, storage.slot[i]);
        }
        __syncwarp();
        whole = sum;
        return prefix;
    }

  public:
    __device__ WarpScan(TempStorage &s) : storage(s), lane(LaneId() % W) {}
    template <class Op> __device__ void InclusiveScan(T in, T &out, Op op, T &whole) {
        T p = before(in, op, whole);
        out = lane == 0 ? in : op(p, in);
    }
    template <class Op> __device__ void InclusiveScan(T in, T &out, Op op) {
        T whole;
        InclusiveScan(in, out, op, whole);
    }
    template <class Op> __device__ void ExclusiveScan(T in, T &out, T init, Op op, T &whole) {
        T p = before(in, op, whole);
        out = lane == 0 ? init : op(init, p);
    }
    template <class Op> __device__ void ExclusiveScan(T in, T &out, T init, Op op) {
        T whole;
        ExclusiveScan(in, out, init, op, whole);
    }
    template <class Op> __device__ void ExclusiveScan(T in, T &out, Op op) {
        T whole;
        out = before(in, op, whole);
    }
    template <class Op> __device__ void Scan(T in, T &inclusive, T &exclusive, Op op) {
        ExclusiveScan(in, exclusive, op);
        inclusive = lane == 0 ? in : op(exclusive, in);
    }
    template <class Op> __device__ void Scan(T in, T &inclusive, T &exclusive, T init, Op op) {
        ExclusiveScan(in, exclusive, init, op);
        inclusive = op(exclusive, in);
    }
    __device__ void Sum(T in, T &inclusive, T &exclusive) { Scan(in, inclusive, exclusive, T(0), cub::Sum()); }
    __device__ void InclusiveSum(T in, T &out) { InclusiveScan(in, out, cub::Sum()); }
    __device__ void InclusiveSum(T in, T &out, T &whole) { InclusiveScan(in, out, cub::Sum(), whole); }
    __device__ void ExclusiveSum(T in, T &out) { ExclusiveScan(in, out, T(0), cub::Sum()); }
    __device__ void ExclusiveSum(T in, T &out, T &whole) { ExclusiveScan(in, out, T(0), cub::Sum(), whole); }
    __device__ T Broadcast(T v, unsigned from) {
        T whole;
        if (lane == from)
            storage.slot[0] = v;
        __syncwarp();
        whole = storage.slot[0];
        __syncwarp();
        return whole;
    }
};

// Sorts: each thread gives its items to the others and reads those that are then its own.
template <class K, int X, int N, class V, int Y, int Z> struct SortStorage {
    K key[X * Y * Z * N];
    V value[X * Y * Z * N];
};
template <class K, int X, int N, int Y, int Z> struct SortStorage<K, X, N, NullType, Y, Z> {
    K key[X * Y * Z * N];
};
struct Before {
    template <class K> __device__ bool operator()(const K &a, const K &b) const { return a < b; }
};
struct Behind {
    template <class K> __device__ bool operator()(const K &a, const K &b) const { return b < a; }
};
// An exchange of T threads' items, N of each, by their order; of a block or of a warp.
template <int T, int N, bool BLOCK> struct Sorted {
    static __device__ void wait() {
        if (BLOCK)
            __syncthreads();
        else
            __syncwarp();
    }
    static __device__ int target(int t, int i, bool striped) { return striped ? i * T + t : t * N + i; }
#ifdef WARPLINT_METHOD // compiled for a run: sorted in fact, the last item at the front, where another thread has read before
    template <class K, class Op> static __device__ void places(K *key, int t, K (&k)[N], int (&place)[N], Op op) {
        K *last = key + T * N - 1;
        for (int i = 0; i < N; i++)
            last[-(t * N + i)] = k[i];
        wait();
        for (int i = 0; i < N; i++) {
            place[i] = 0;
            for (int j = 0; j < T * N; j++)
                place[i] += op(last[-j], k[i]) || (j < t * N + i && !op(k[i], last[-j]));
        }
        wait();
    }
    template <class U> static __device__ void exchange(U *slot, int t, U (&items)[N], int (&place)[N], bool striped) {
        for (int i = 0; i < N; i++)
            slot[place[i]] = items[i];
        wait();
        for (int i = 0; i < N; i++)
            items[i] = slot[target(t, i, striped)];
    }
#else // Which items are whose is a matter of their values: neither those of its own place in another collective's storage.
    template <class K, class Op> static __device__ void places(K *key, int t, K (&k)[N], int (&place)[N], Op op) {}
    template <class U> static __device__ void exchange(U *slot, int t, U (&items)[N], int (&place)[N], bool striped) {
        for (int i = 0; i < N; i++)
            slot[(t + 1) % T * N + i] = items[i];
        wait();
        for (int i = 0; i < N; i++)
            items[i] = slot[T * N - 1 - target(t, i, striped)];
    }
#endif
    template <class K, class S, class Op> static __device__ void keys(S &storage, int t, K (&k)[N], Op op, bool striped = false) {
        int place[N];
        places(storage.key, t, k, place, op);
        exchange(storage.key, t, k, place, striped);
    }
    template <class K, class V, class S, class Op> static __device__ void pairs(S &storage, int t, K (&k)[N], V (&v)[N], Op op, bool striped = false) {
        int place[N];
        places(storage.key, t, k, place, op);
        exchange(storage.key, t, k, place, striped);
        exchange(storage.value, t, v, place, striped);
    }
};

template <class K, int X, int N, class V = NullType, int BITS = 4, bool MEMOIZE = true, BlockScanAlgorithm A = BLOCK_SCAN_WARP_SCANS, int SMEM = 0, int Y = 1, int Z = 1, int ARCH = 0> class BlockRadixSort {
    typedef Sorted<X * Y * Z, N, true> By;

  public:
    typedef SortStorage<K, X, N, V, Y, Z> TempStorage;

  private:
    TempStorage &storage;
    int tid;
    static __device__ TempStorage &own() {
        __shared__ TempStorage block_radix_sort;
        return block_radix_sort;
    }

  public:
    __device__ BlockRadixSort() : storage(own()), tid(RowMajorTid(X, Y, Z)) {}
    __device__ BlockRadixSort(TempStorage &s) : storage(s), tid(RowMajorTid(X, Y, Z)) {}
    __device__ void Sort(K (&k)[N], int from = 0, int to = 0) { By::keys(storage, tid, k, Before()); }
    __device__ void SortDescending(K (&k)[N], int from = 0, int to = 0) { By::keys(storage, tid, k, Behind()); }
    __device__ void SortBlockedToStriped(K (&k)[N], int from = 0, int to = 0) { By::keys(storage, tid, k, Before(), true); }
    __device__ void SortDescendingBlockedToStriped(K (&k)[N], int from = 0, int to = 0) { By::keys(storage, tid, k, Behind(), true); }
    __device__ void Sort(K (&k)[N], V (&v)[N], int from = 0, int to = 0) { By::pairs(storage, tid, k, v, Before()); }
    __device__ void SortDescending(K (&k)[N], V (&v)[N], int from = 0, int to = 0) { By::pairs(storage, tid, k, v, Behind()); }
    __device__ void SortBlockedToStriped(K (&k)[N], V (&v)[N], int from = 0, int to = 0) { By::pairs(storage, tid, k, v, Before(), true); }
    __device__ void SortDescendingBlockedToStriped(K (&k)[N], V (&v)[N], int from = 0, int to = 0) { By::pairs(storage, tid, k, v, Behind(), true); }
};

template <class K, int X, int N, class V = NullType, int Y = 1, int Z = 1> class BlockMergeSort {
    typedef Sorted<X * Y * Z, N, true> By;

  public:
    typedef SortStorage<K, X, N, V, Y, Z> TempStorage;

  private:
    TempStorage &storage;
    int tid;
    static __device__ TempStorage &own() {
        __shared__ TempStorage block_merge_sort;
        return block_merge_sort;
    }
    __device__ void fill(K (&k)[N], int valid, K other) {
        for (int i = 0; i < N; i++)
            if (tid * N + i >= valid)
                k[i] = other;
    }

  public:
    __device__ BlockMergeSort() : storage(own()), tid(RowMajorTid(X, Y, Z)) {}
    __device__ BlockMergeSort(TempStorage &s) : storage(s), tid(RowMajorTid(X, Y, Z)) {}
    template <class Op> __device__ void Sort(K (&k)[N], Op op) { By::keys(storage, tid, k, op); }
    template <class Op> __device__ void Sort(K (&k)[N], Op op, int valid, K other) {
        fill(k, valid, other);
        Sort(k, op);
    }
    template <class Op> __device__ void Sort(K (&k)[N], V (&v)[N], Op op) { By::pairs(storage, tid, k, v, op); }
    template <class Op> __device__ void Sort(K (&k)[N], V (&v)[N], Op op, int valid, K other) {
        fill(k, valid, other);
        Sort(k, v, op);
    }
    template <class Op> __device__ void StableSort(K (&k)[N], Op op) { Sort(k, op); }
    template <class Op> __device__ void StableSort(K (&k)[N], V (&v)[N], Op op) { Sort(k, v, op); }
};

// A warp's items change their owners through the storage.
enum WarpExchangeAlgorithm { WARP_EXCHANGE_SMEM, WARP_EXCHANGE_SHUFFLE };
template <class T, int N, int W = 32, int ARCH = 0, WarpExchangeAlgorithm A = WARP_EXCHANGE_SMEM> class WarpExchange {
  public:
    struct TempStorage {
        T slot[W * N];
    };

  private:
    TempStorage &storage;
    int lane;

  public:
    __device__ WarpExchange(TempStorage &s) : storage(s), lane(LaneId() % W) {}
    template <class U> __device__ void StripedToBlocked(const T (&in)[N], U (&out)[N]) {
        for (int i = 0; i < N; i++)
            storage.slot[i * W + lane] = in[i];
        __syncwarp();
        for (int i = 0; i < N; i++)
            out[i] = storage.slot[lane * N + i];
        __syncwarp();
    }
    template <class U> __device__ void BlockedToStriped(const T (&in)[N], U (&out)[N]) {
        for (int i = 0; i < N; i++)
            storage.slot[lane * N + i] = in[i];
        __syncwarp();
        for (int i = 0; i < N; i++)
            out[i] = storage.slot[i * W + lane];
        __syncwarp();
    }
};

template <class K, int N, int W = 32, class V = NullType, int ARCH = 0> class WarpMergeSort {
    typedef Sorted<W, N, false> By;

  public:
    typedef SortStorage<K, W, N, V, 1, 1> TempStorage;

  private:
    TempStorage &storage;
    int lane;

  public:
    __device__ WarpMergeSort(TempStorage &s) : storage(s), lane(LaneId() % W) {}
    template <class Op> __device__ void Sort(K (&k)[N], Op op) {
        By::keys(storage, lane, k, op);
        __syncwarp();
    }
    template <class Op> __device__ void Sort(K (&k)[N], V (&v)[N], Op op) {
        By::pairs(storage, lane, k, v, op);
        __syncwarp();
    }
};

enum WarpLoadAlgorithm { WARP_LOAD_DIRECT, WARP_LOAD_STRIPED, WARP_LOAD_VECTORIZE, WARP_LOAD_TRANSPOSE };
enum WarpStoreAlgorithm { WARP_STORE_DIRECT, WARP_STORE_STRIPED, WARP_STORE_VECTORIZE, WARP_STORE_TRANSPOSE };
template <class T, int N, WarpLoadAlgorithm A = WARP_LOAD_DIRECT, int W = 32, int ARCH = 0> class WarpLoad {
    typedef WarpExchange<T, N, W> Exchange;

  public:
    typedef typename Exchange::TempStorage TempStorage;

  private:
    Exchange exchange;
    int lane;

  public:
    __device__ WarpLoad(TempStorage &s) : exchange(s), lane(LaneId() % W) {}
    template <class It, class... Rest> __device__ void Load(It from, T (&items)[N], Rest... rest) {
        if (A == WARP_LOAD_DIRECT || A == WARP_LOAD_VECTORIZE)
            LoadDirectBlocked(lane, from, items, rest...);
        else
            LoadDirectStriped<W>(lane, from, items, rest...);
        if (A == WARP_LOAD_TRANSPOSE)
            exchange.StripedToBlocked(items, items);
    }
};
template <class T, int N, WarpStoreAlgorithm A = WARP_STORE_DIRECT, int W = 32, int ARCH = 0> class WarpStore {
    typedef WarpExchange<T, N, W> Exchange;

  public:
    typedef typename Exchange::TempStorage TempStorage;

  private:
    Exchange exchange;
    int lane;

  public:
    __device__ WarpStore(TempStorage &s) : exchange(s), lane(LaneId() % W) {}
    template <class It, class... Rest> __device__ void Store(It to, T (&items)[N], Rest... rest) {
        if (A == WARP_STORE_TRANSPOSE)
            exchange.BlockedToStriped(items, items);
        if (A == WARP_STORE_DIRECT || A == WARP_STORE_VECTORIZE)
            StoreDirectBlocked(lane, to, items, rest...);
        else
            StoreDirectStriped<W>(lane, to, items, rest...);
    }
};

// Runs decoded: each thread finds the runs of its items in what all have written of theirs.
template <class T, int X, int R, int D, class O = unsigned, int Y = 1, int Z = 1> class BlockRunLengthDecode {
  public:
    struct TempStorage {
        T values[X * Y * Z * R];
        O ends[X * Y * Z * R];
        typename BlockScan<O, X, BLOCK_SCAN_RAKING, Y, Z>::TempStorage scan;
    };

  private:
    TempStorage &storage;
    int tid;

  public:
    template <class L, class S> __device__ BlockRunLengthDecode(TempStorage &s, T (&values)[R], L (&lengths)[R], S &total) : storage(s), tid(RowMajorTid(X, Y, Z)) {
        O sum[R], all;
        for (int i = 0; i < R; i++)
            sum[i] = lengths[i];
        BlockScan<O, X, BLOCK_SCAN_RAKING, Y, Z>(storage.scan).InclusiveSum(sum, sum, all);
        total = all;
        for (int i = 0; i < R; i++) {
            storage.values[tid * R + i] = values[i];
            storage.ends[tid * R + i] = sum[i];
        }
        __syncthreads();
    }
    template <class P> __device__ void RunLengthDecode(T (&items)[D], P (&offsets)[D], O from = 0) {
        for (int i = 0; i < D; i++) {
            O at = from + tid * D + i;
            int run = 0;
            while (run < X * Y * Z * R - 1 && storage.ends[run] <= at)
                run++;
            items[i] = storage.values[run];
            offsets[i] = at - (run > 0 ? storage.ends[run - 1] : 0);
        }
    }
    __device__ void RunLengthDecode(T (&items)[D], O from = 0) {
        O offsets[D];
        RunLengthDecode(items, offsets, from);
    }
};

} // namespace cub
