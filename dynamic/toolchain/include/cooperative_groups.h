// Cooperative groups, as the CUDA C++ Programming Guide describes them: the groups a thread can
// be in, their barriers, and the collective operations of groups within a warp.
#pragma once
#include "cuda_runtime.h"
#if defined(__CUDA__)

// The simulator's barrier over all threads of a cooperative launch.
extern "C" __attribute__((device, convergent)) void __warplint_grid_sync();

namespace cooperative_groups {

namespace details {
WARPLINT_INTRINSIC unsigned lane() { unsigned r; asm("mov.u32 %0, %%laneid;" : "=r"(r)); return r; }
WARPLINT_INTRINSIC unsigned lanes_below() { unsigned r; asm("mov.u32 %0, %%lanemask_lt;" : "=r"(r)); return r; }
WARPLINT_INTRINSIC unsigned block_rank() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
WARPLINT_INTRINSIC unsigned block_size() { return blockDim.x * blockDim.y * blockDim.z; }
WARPLINT_INTRINSIC unsigned blocks_in_cluster() { unsigned n; asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(n)); return n; }
// The lanes of this warp that have threads: the last warp of a block may not be full.
WARPLINT_INTRINSIC unsigned warp_mask() {
  unsigned rest = block_size() - (block_rank() & ~31u);
  return rest >= 32 ? 0xffffffffu : (1u << rest) - 1;
}
// The position of the n-th set bit.
WARPLINT_INTRINSIC unsigned nth(unsigned mask, unsigned n) { return __fns(mask, 0, (int)n + 1); }
enum kind { of_block, of_grid, of_cluster, of_lanes, of_one };
}  // namespace details

// Any group, when its type is forgotten.
class thread_group {
 protected:
  unsigned kind_, size_, rank_, mask_;
  WARPLINT_METHOD thread_group(details::kind kind, unsigned size, unsigned rank, unsigned mask)
      : kind_(kind), size_(size), rank_(rank), mask_(mask) {}

 public:
  WARPLINT_METHOD void sync() const {
    switch (kind_) {
      case details::of_block: __syncthreads(); break;
      case details::of_grid: __warplint_grid_sync(); break;
      case details::of_lanes: __syncwarp(mask_); break;
      default: break;
    }
  }
  WARPLINT_METHOD unsigned size() const { return size_; }
  WARPLINT_METHOD unsigned num_threads() const { return size_; }
  WARPLINT_METHOD unsigned thread_rank() const { return rank_; }
  WARPLINT_METHOD bool is_valid() const { return true; }
  WARPLINT_METHOD unsigned kind() const { return kind_; }
  WARPLINT_METHOD unsigned mask() const { return mask_; }
};

class thread_block : public thread_group {
  WARPLINT_METHOD thread_block() : thread_group(details::of_block, details::block_size(), details::block_rank(), 0) {}
  friend WARPLINT_METHOD thread_block this_thread_block();

 public:
  WARPLINT_METHOD static void sync() { __syncthreads(); }
  struct arrival_token {};
  // A block alone is a cluster, whose barrier has two halves. In a larger one who waits does it all: what is between the two
  // is ordered more than it need be.
  WARPLINT_METHOD static arrival_token barrier_arrive() {
    if (details::blocks_in_cluster() == 1) asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
    return arrival_token();
  }
  WARPLINT_METHOD static void barrier_wait(arrival_token &&) {
    if (details::blocks_in_cluster() == 1) asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
    else sync();
  }
  WARPLINT_METHOD static unsigned thread_rank() { return details::block_rank(); }
  WARPLINT_METHOD static unsigned size() { return details::block_size(); }
  WARPLINT_METHOD static unsigned num_threads() { return details::block_size(); }
  WARPLINT_METHOD static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  WARPLINT_METHOD static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  WARPLINT_METHOD static dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  WARPLINT_METHOD static dim3 dim_threads() { return group_dim(); }
};
WARPLINT_METHOD inline thread_block this_thread_block() { return thread_block(); }

class grid_group : public thread_group {
  WARPLINT_METHOD grid_group() : thread_group(details::of_grid, (unsigned)num_threads(), (unsigned)thread_rank(), 0) {}
  friend WARPLINT_METHOD grid_group this_grid();

 public:
  WARPLINT_METHOD static void sync() { __warplint_grid_sync(); }
  struct arrival_token {};  // as in a cluster
  WARPLINT_METHOD static arrival_token barrier_arrive() { return arrival_token(); }
  WARPLINT_METHOD static void barrier_wait(arrival_token &&) { sync(); }
  WARPLINT_METHOD static unsigned long long thread_rank() { return block_rank() * details::block_size() + details::block_rank(); }
  WARPLINT_METHOD static unsigned long long num_threads() { return num_blocks() * details::block_size(); }
  WARPLINT_METHOD static unsigned long long size() { return num_threads(); }
  WARPLINT_METHOD static unsigned long long block_rank() {
    return blockIdx.x + (unsigned long long)gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
  }
  WARPLINT_METHOD static unsigned long long num_blocks() { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
  WARPLINT_METHOD static dim3 group_dim() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
  WARPLINT_METHOD static dim3 dim_blocks() { return group_dim(); }
  WARPLINT_METHOD static dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  WARPLINT_METHOD static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  WARPLINT_METHOD static dim3 dim_threads() { return dim3(gridDim.x * blockDim.x, gridDim.y * blockDim.y, gridDim.z * blockDim.z); }
  WARPLINT_METHOD static unsigned long long num_clusters() { return num_blocks() / details::blocks_in_cluster(); }
};
WARPLINT_METHOD inline grid_group this_grid() { return grid_group(); }

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
class cluster_group : public thread_group {
  WARPLINT_METHOD cluster_group() : thread_group(details::of_cluster, num_threads(), thread_rank(), 0) {}
  friend WARPLINT_METHOD cluster_group this_cluster();

 public:
  struct arrival_token {};
  WARPLINT_METHOD static void sync() {
    asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
  }
  WARPLINT_METHOD static arrival_token barrier_arrive() {
    asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
    return arrival_token();
  }
  WARPLINT_METHOD static void barrier_wait(arrival_token) { asm volatile("barrier.cluster.wait.aligned;" ::: "memory"); }
  WARPLINT_METHOD static void barrier_wait() { barrier_wait(arrival_token()); }
  WARPLINT_METHOD static unsigned block_rank() { unsigned r; asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(r)); return r; }
  WARPLINT_METHOD static unsigned num_blocks() { return details::blocks_in_cluster(); }
  WARPLINT_METHOD static dim3 dim_blocks() {
    dim3 d;
    asm("mov.u32 %0, %%cluster_nctaid.x;\n\tmov.u32 %1, %%cluster_nctaid.y;\n\tmov.u32 %2, %%cluster_nctaid.z;" : "=r"(d.x), "=r"(d.y), "=r"(d.z));
    return d;
  }
  WARPLINT_METHOD static dim3 block_index() {
    dim3 d;
    asm("mov.u32 %0, %%cluster_ctaid.x;\n\tmov.u32 %1, %%cluster_ctaid.y;\n\tmov.u32 %2, %%cluster_ctaid.z;" : "=r"(d.x), "=r"(d.y), "=r"(d.z));
    return d;
  }
  WARPLINT_METHOD static unsigned thread_rank() { return block_rank() * details::block_size() + details::block_rank(); }
  WARPLINT_METHOD static unsigned num_threads() { return num_blocks() * details::block_size(); }
  WARPLINT_METHOD static unsigned size() { return num_threads(); }
  WARPLINT_METHOD static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  WARPLINT_METHOD static dim3 dim_threads() {
    dim3 d = dim_blocks();
    return dim3(d.x * blockDim.x, d.y * blockDim.y, d.z * blockDim.z);
  }
  template <class T> WARPLINT_METHOD static T *map_shared_rank(T *address, int rank) {
    T *r;
    asm("mapa.u64 %0, %1, %2;" : "=l"(r) : "l"(address), "r"(rank));
    return r;
  }
  template <class T> WARPLINT_METHOD static unsigned query_shared_rank(const T *address) {
    unsigned r;
    asm("getctarank.u64 %0, %1;" : "=r"(r) : "l"(address));
    return r;
  }
};
WARPLINT_METHOD inline cluster_group this_cluster() { return cluster_group(); }
#endif

// Threads of one warp that are active together. Ranks number the set bits of the mask.
class coalesced_group : public thread_group {
 protected:
  unsigned meta_rank_ = 0, meta_size_ = 1;
  WARPLINT_METHOD unsigned lane_of(unsigned rank) const { return details::nth(mask_, rank); }

 public:
  WARPLINT_METHOD explicit coalesced_group(unsigned mask, unsigned metaRank = 0, unsigned metaSize = 1)
      : thread_group(details::of_lanes, __popc(mask), __popc(mask & details::lanes_below()), mask), meta_rank_(metaRank), meta_size_(metaSize) {}
  WARPLINT_METHOD void sync() const { __syncwarp(mask_); }
  WARPLINT_METHOD unsigned meta_group_rank() const { return meta_rank_; }
  WARPLINT_METHOD unsigned meta_group_size() const { return meta_size_; }
  template <class T> WARPLINT_METHOD T shfl(T value, unsigned rank) const { return __shfl_sync(mask_, value, lane_of(rank % size_)); }
  template <class T> WARPLINT_METHOD T shfl_down(T value, unsigned delta) const {
    return __shfl_sync(mask_, value, rank_ + delta < size_ ? lane_of(rank_ + delta) : details::lane());
  }
  template <class T> WARPLINT_METHOD T shfl_up(T value, unsigned delta) const {
    return __shfl_sync(mask_, value, rank_ >= delta ? lane_of(rank_ - delta) : details::lane());
  }
  WARPLINT_METHOD int any(int predicate) const { return __ballot_sync(mask_, predicate) != 0; }
  WARPLINT_METHOD int all(int predicate) const { return __ballot_sync(mask_, predicate) == mask_; }
  // The bits of a lane mask, numbered by rank.
  WARPLINT_METHOD unsigned pack(unsigned lanes) const {
    unsigned packed = 0;
    for (unsigned rank = 0; rank < size_; rank++) packed |= (lanes >> lane_of(rank) & 1) << rank;
    return packed;
  }
  WARPLINT_METHOD unsigned ballot(int predicate) const { return pack(__ballot_sync(mask_, predicate)); }
  template <class T> WARPLINT_METHOD unsigned match_any(T value) const { return pack(__match_any_sync(mask_, value)); }
  template <class T> WARPLINT_METHOD unsigned match_all(T value, int &all) const { return pack(__match_all_sync(mask_, value, &all)); }
};
WARPLINT_METHOD inline coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

template <unsigned Size> struct block_tile_memory {};
template <unsigned Size> WARPLINT_METHOD inline thread_block this_thread_block(block_tile_memory<Size> &) { return this_thread_block(); }

// A power of two of threads with consecutive ranks, at most a warp of them.
template <unsigned Size, class Parent = void, bool Wide = (Size > 32)> class thread_block_tile : public thread_group {
  static_assert(Size > 0 && (Size & (Size - 1)) == 0, "the size of a tile is a power of two");
  unsigned meta_rank_, meta_size_;

 public:
  WARPLINT_METHOD thread_block_tile(unsigned metaRank, unsigned metaSize)
      : thread_group(details::of_lanes, Size, details::lane() & (Size - 1),
                     Size == 32 ? 0xffffffffu : ((1u << (Size & 31)) - 1) << (details::lane() & ~(Size - 1))),
        meta_rank_(metaRank), meta_size_(metaSize) {}
  // A tile of one parent is a tile of no matter which.
  template <class Other> WARPLINT_METHOD thread_block_tile(const thread_block_tile<Size, Other> &other)
      : thread_block_tile(other.meta_group_rank(), other.meta_group_size()) {}
  WARPLINT_METHOD void sync() const { __syncwarp(mask_); }
  WARPLINT_METHOD static constexpr unsigned size() { return Size; }
  WARPLINT_METHOD static constexpr unsigned num_threads() { return Size; }
  WARPLINT_METHOD static unsigned thread_rank() { return details::lane() & (Size - 1); }
  WARPLINT_METHOD unsigned meta_group_rank() const { return meta_rank_; }
  WARPLINT_METHOD unsigned meta_group_size() const { return meta_size_; }
  template <class T> WARPLINT_METHOD T shfl(T value, unsigned rank) const { return __shfl_sync(mask_, value, rank, Size); }
  template <class T> WARPLINT_METHOD T shfl_down(T value, unsigned delta) const { return __shfl_down_sync(mask_, value, delta, Size); }
  template <class T> WARPLINT_METHOD T shfl_up(T value, unsigned delta) const { return __shfl_up_sync(mask_, value, delta, Size); }
  template <class T> WARPLINT_METHOD T shfl_xor(T value, unsigned lanes) const { return __shfl_xor_sync(mask_, value, lanes, Size); }
  WARPLINT_METHOD int any(int predicate) const { return __ballot_sync(mask_, predicate) != 0; }
  WARPLINT_METHOD int all(int predicate) const { return __ballot_sync(mask_, predicate) == mask_; }
  WARPLINT_METHOD unsigned pack(unsigned lanes) const { return (lanes & mask_) >> (details::lane() & ~(Size - 1)); }
  WARPLINT_METHOD unsigned ballot(int predicate) const { return pack(__ballot_sync(mask_, predicate)); }
  template <class T> WARPLINT_METHOD unsigned match_any(T value) const { return pack(__match_any_sync(mask_, value)); }
  template <class T> WARPLINT_METHOD unsigned match_all(T value, int &all) const { return pack(__match_all_sync(mask_, value, &all)); }
};

// Several warps. Tile number n meets at the block's barrier n+1.
template <unsigned Size, class Parent> class thread_block_tile<Size, Parent, true> : public thread_group {
  unsigned meta_rank_, meta_size_;

 public:
  WARPLINT_METHOD thread_block_tile(unsigned metaRank, unsigned metaSize)
      : thread_group(details::of_one, Size, details::block_rank() % Size, 0), meta_rank_(metaRank), meta_size_(metaSize) {}
  WARPLINT_METHOD void sync() const { __barrier_sync_count(meta_rank_ + 1, Size); }
  WARPLINT_METHOD static constexpr unsigned size() { return Size; }
  WARPLINT_METHOD static constexpr unsigned num_threads() { return Size; }
  WARPLINT_METHOD unsigned thread_rank() const { return rank_; }
  WARPLINT_METHOD unsigned meta_group_rank() const { return meta_rank_; }
  WARPLINT_METHOD unsigned meta_group_size() const { return meta_size_; }
  template <class T> WARPLINT_METHOD T shfl(T value, unsigned rank) const {
    __attribute__((shared)) static char mail[32 * sizeof(T)];
    T *slot = (T *)mail + meta_rank_;
    if (rank_ == rank) *slot = value;
    sync();
    value = *slot;
    sync();
    return value;
  }
  WARPLINT_METHOD int any(int predicate) const {
    int r;
    asm volatile("{ .reg .pred p, q; setp.ne.s32 q, %3, 0; barrier.red.or.pred p, %1, %2, q; selp.s32 %0, 1, 0, p; }" : "=r"(r) : "r"(meta_rank_ + 1), "n"(Size), "r"(predicate) : "memory");
    return r;
  }
  WARPLINT_METHOD int all(int predicate) const { return !any(!predicate); }
};

template <unsigned Size, class Parent> WARPLINT_METHOD inline thread_block_tile<Size, Parent> tiled_partition(const Parent &parent) {
  return thread_block_tile<Size, Parent>(parent.thread_rank() / Size, (parent.size() + Size - 1) / Size);
}
WARPLINT_METHOD inline thread_group tiled_partition(const thread_group &parent, unsigned size) {
  if (parent.kind() == details::of_lanes) {  // by ranks within the parent's lanes
    unsigned first = parent.thread_rank() / size * size, mask = 0;
    for (unsigned rank = first; rank < first + size && rank < parent.size(); rank++) mask |= 1u << details::nth(parent.mask(), rank);
    return coalesced_group(mask);
  }
  unsigned mask = size >= 32 ? 0xffffffffu : ((1u << size) - 1) << (details::lane() / size * size);
  return coalesced_group(mask & details::warp_mask());
}
WARPLINT_METHOD inline coalesced_group tiled_partition(const coalesced_group &parent, unsigned size) {
  thread_group g = tiled_partition((const thread_group &)parent, size);
  return coalesced_group(g.mask(), parent.thread_rank() / size, (parent.size() + size - 1) / size);
}

template <class Group> WARPLINT_METHOD inline coalesced_group binary_partition(const Group &group, bool predicate) {
  unsigned yes = __ballot_sync(group.mask(), predicate) & group.mask();
  return coalesced_group(predicate ? yes : group.mask() & ~yes, predicate ? 0 : 1, 2);
}
template <class Group, class Label> WARPLINT_METHOD inline coalesced_group labeled_partition(const Group &group, Label label) {
  return coalesced_group(__match_any_sync(group.mask(), label) & group.mask());
}

template <class Group> WARPLINT_METHOD inline void sync(const Group &group) { group.sync(); }
template <class Group> WARPLINT_METHOD inline unsigned thread_rank(const Group &group) { return group.thread_rank(); }
template <class Group> WARPLINT_METHOD inline unsigned group_size(const Group &group) { return group.size(); }

// Function objects and collectives over the groups of a warp.
template <class T> struct plus { WARPLINT_METHOD T operator()(T a, T b) const { return a + b; } };
template <class T> struct less { WARPLINT_METHOD T operator()(T a, T b) const { return b < a ? b : a; } };
template <class T> struct greater { WARPLINT_METHOD T operator()(T a, T b) const { return a < b ? b : a; } };
template <class T> struct bit_and { WARPLINT_METHOD T operator()(T a, T b) const { return a & b; } };
template <class T> struct bit_or { WARPLINT_METHOD T operator()(T a, T b) const { return a | b; } };
template <class T> struct bit_xor { WARPLINT_METHOD T operator()(T a, T b) const { return a ^ b; } };

template <class Group, class T, class Op> WARPLINT_METHOD inline T reduce(const Group &group, T value, Op op) {
  for (unsigned offset = 1; offset < group.size(); offset *= 2) {
    T other = group.shfl_down(value, offset);
    if (group.thread_rank() + offset < group.size()) value = op(value, other);
  }
  return group.shfl(value, 0);
}
// Over several warps the partial results meet in shared memory.
template <unsigned Size, class Parent, class T, class Op> WARPLINT_METHOD inline T reduce(const thread_block_tile<Size, Parent, true> &group, T value, Op op) {
  __attribute__((shared)) static char partial[32 * sizeof(T)];
  T *slots = (T *)partial;
  unsigned warps = Size / 32, first = group.meta_group_rank() * warps;
  value = reduce(thread_block_tile<32>(0, 1), value, op);
  if (details::lane() == 0) slots[details::block_rank() / 32] = value;
  group.sync();
  value = slots[first];
  for (unsigned i = 1; i < warps; i++) value = op(value, slots[first + i]);
  group.sync();
  return value;
}
template <class Group, class T, class Op> WARPLINT_METHOD inline T inclusive_scan(const Group &group, T value, Op op) {
  for (unsigned offset = 1; offset < group.size(); offset *= 2) {
    T other = group.shfl_up(value, offset);
    if (group.thread_rank() >= offset) value = op(other, value);
  }
  return value;
}
template <class Group, class T> WARPLINT_METHOD inline T inclusive_scan(const Group &group, T value) { return inclusive_scan(group, value, plus<T>()); }
template <class Group, class T, class Op> WARPLINT_METHOD inline T exclusive_scan(const Group &group, T value, Op op) {
  T before = group.shfl_up(inclusive_scan(group, value, op), 1);
  return group.thread_rank() == 0 ? T() : before;
}
template <class Group, class T> WARPLINT_METHOD inline T exclusive_scan(const Group &group, T value) { return exclusive_scan(group, value, plus<T>()); }
template <class Group, class F, class... A> WARPLINT_METHOD inline void invoke_one(const Group &group, F function, A... arguments) {
  if (group.thread_rank() == 0) function(arguments...);
}
// For groups that shuffle: those within a warp.
template <class Group, class F, class... A> WARPLINT_METHOD inline auto invoke_one_broadcast(const Group &group, F function, A... arguments) {
  decltype(function(arguments...)) result;
  if (group.thread_rank() == 0) result = function(arguments...);
  return group.shfl(result, 0);
}

}  // namespace cooperative_groups

#include "warplint/group_updates.h"
#include "warplint/async_copy.h"

namespace cooperative_groups {
// The group's threads share the copy; wait() covers it for all of them.
template <class Group, class T> WARPLINT_METHOD inline void memcpy_async(const Group &group, T *to, const T *from, size_t bytes) {
  warplint::copy_async(group.thread_rank(), group.size(), (void *)to, (const void *)from, bytes);
  asm volatile("cp.async.commit_group;" ::: "memory");
}
template <class Group, class T, class Size> WARPLINT_METHOD inline void memcpy_async(const Group &group, T *to, const T *from, const Size &bytes) {
  memcpy_async(group, to, from, (size_t)bytes);
}
template <class Group, class T, class Layout> WARPLINT_METHOD inline void memcpy_async(const Group &group, T *to, const Layout &, const T *from, const Layout &elements) {
  memcpy_async(group, to, from, (size_t)elements * sizeof(T));
}
template <class Group> WARPLINT_METHOD inline void wait(const Group &group) {
  asm volatile("cp.async.wait_all;" ::: "memory");
  group.sync();
}
template <unsigned Pending, class Group> WARPLINT_METHOD inline void wait_prior(const Group &group) {
  asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
  group.sync();
}
}  // namespace cooperative_groups

#endif
