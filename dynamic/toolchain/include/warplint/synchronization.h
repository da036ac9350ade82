// Barriers, fences, votes, shuffles, clocks. The PTX instruction of each one is named by the
// CUDA C++ Programming Guide's chapter and the PTX ISA manual's.
#pragma once

// __syncthreads() itself is a builtin of clang.
WARPLINT_INTRINSIC int __syncthreads_count(int predicate) { return __nvvm_bar0_popc(predicate); }
WARPLINT_INTRINSIC int __syncthreads_and(int predicate) { return __nvvm_bar0_and(predicate); }
WARPLINT_INTRINSIC int __syncthreads_or(int predicate) { return __nvvm_bar0_or(predicate); }
WARPLINT_INTRINSIC void __syncwarp(unsigned mask = 0xffffffffu) { asm volatile("bar.warp.sync %0;" ::"r"(mask) : "memory"); }
WARPLINT_INTRINSIC void __barrier_sync(unsigned id) { asm volatile("barrier.sync %0;" ::"r"(id) : "memory"); }
WARPLINT_INTRINSIC void __barrier_sync_count(unsigned id, unsigned count) { asm volatile("barrier.sync %0, %1;" ::"r"(id), "r"(count) : "memory"); }

WARPLINT_INTRINSIC void __threadfence_block() { asm volatile("membar.cta;" ::: "memory"); }
WARPLINT_INTRINSIC void __threadfence() { asm volatile("membar.gl;" ::: "memory"); }
WARPLINT_INTRINSIC void __threadfence_system() { asm volatile("membar.sys;" ::: "memory"); }

WARPLINT_INTRINSIC unsigned __activemask() { unsigned r; asm volatile("activemask.b32 %0;" : "=r"(r)); return r; }
#define WARPLINT_VOTE(name, instruction)                                                                      \
  WARPLINT_INTRINSIC int name(unsigned mask, int predicate) {                                                 \
    int r;                                                                                                    \
    asm volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; " instruction ".pred q, p, %2; selp.s32 %0, 1, 0, q; }" \
                 : "=r"(r) : "r"(predicate), "r"(mask) : "memory");                                           \
    return r;                                                                                                 \
  }
WARPLINT_VOTE(__all_sync, "vote.sync.all")
WARPLINT_VOTE(__any_sync, "vote.sync.any")
WARPLINT_VOTE(__uni_sync, "vote.sync.uni")
#undef WARPLINT_VOTE
WARPLINT_INTRINSIC unsigned __ballot_sync(unsigned mask, int predicate) {
  unsigned r;
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; vote.sync.ballot.b32 %0, p, %2; }" : "=r"(r) : "r"(predicate), "r"(mask) : "memory");
  return r;
}

WARPLINT_INTRINSIC unsigned warplint_match_any(unsigned mask, unsigned value) {
  unsigned r;
  asm volatile("match.any.sync.b32 %0, %1, %2;" : "=r"(r) : "r"(value), "r"(mask) : "memory");
  return r;
}
WARPLINT_INTRINSIC unsigned warplint_match_any(unsigned mask, unsigned long long value) {
  unsigned r;
  asm volatile("match.any.sync.b64 %0, %1, %2;" : "=r"(r) : "l"(value), "r"(mask) : "memory");
  return r;
}
WARPLINT_INTRINSIC unsigned warplint_match_all(unsigned mask, unsigned value, int *all) {
  unsigned r;
  asm volatile("{ .reg .pred p; match.all.sync.b32 %0|p, %2, %3; selp.s32 %1, 1, 0, p; }" : "=r"(r), "=r"(*all) : "r"(value), "r"(mask) : "memory");
  return r;
}
WARPLINT_INTRINSIC unsigned warplint_match_all(unsigned mask, unsigned long long value, int *all) {
  unsigned r;
  asm volatile("{ .reg .pred p; match.all.sync.b64 %0|p, %2, %3; selp.s32 %1, 1, 0, p; }" : "=r"(r), "=r"(*all) : "l"(value), "r"(mask) : "memory");
  return r;
}
#define WARPLINT_MATCH(type, bits)                                                                                                    \
  WARPLINT_INTRINSIC unsigned __match_any_sync(unsigned mask, type value) { return warplint_match_any(mask, __builtin_bit_cast(bits, value)); } \
  WARPLINT_INTRINSIC unsigned __match_all_sync(unsigned mask, type value, int *all) { return warplint_match_all(mask, __builtin_bit_cast(bits, value), all); }
WARPLINT_MATCH(int, unsigned)
WARPLINT_MATCH(unsigned, unsigned)
WARPLINT_MATCH(float, unsigned)
WARPLINT_MATCH(long, unsigned long long)
WARPLINT_MATCH(unsigned long, unsigned long long)
WARPLINT_MATCH(long long, unsigned long long)
WARPLINT_MATCH(unsigned long long, unsigned long long)
WARPLINT_MATCH(double, unsigned long long)
#undef WARPLINT_MATCH

// Shuffles move 32 bits; wider values take two. The last operand packs the segment mask and
// the clamp (PTX ISA, shfl.sync).
#define WARPLINT_SHUFFLE(name, mode, argument, clamp)                                                                         \
  WARPLINT_INTRINSIC unsigned warplint_##name(unsigned mask, unsigned value, unsigned argument, int width) {                  \
    unsigned r;                                                                                                               \
    asm volatile("shfl.sync." mode ".b32 %0, %1, %2, %3, %4;"                                                                 \
                 : "=r"(r) : "r"(value), "r"(argument), "r"((unsigned)(warpSize - width) << 8 | clamp), "r"(mask) : "memory"); \
    return r;                                                                                                                 \
  }                                                                                                                           \
  template <class T> WARPLINT_METHOD inline T name(unsigned mask, T value, unsigned argument, int width = warpSize) {         \
    struct Words { unsigned word[(sizeof(T) + 3) / 4]; } words = {};                                                          \
    __builtin_memcpy(&words, &value, sizeof(T));                                                                              \
    _Pragma("unroll") for (unsigned i = 0; i < (sizeof(T) + 3) / 4; i++) words.word[i] = warplint_##name(mask, words.word[i], argument, width); \
    __builtin_memcpy(&value, &words, sizeof(T));                                                                              \
    return value;                                                                                                             \
  }
WARPLINT_SHUFFLE(__shfl_sync, "idx", lane, 0x1f)
WARPLINT_SHUFFLE(__shfl_up_sync, "up", delta, 0)
WARPLINT_SHUFFLE(__shfl_down_sync, "down", delta, 0x1f)
WARPLINT_SHUFFLE(__shfl_xor_sync, "bfly", lanes, 0x1f)
#undef WARPLINT_SHUFFLE

// Those without a mask, which compute capability 7.0 took away and nvcc has for older ones: among the threads that come together.
WARPLINT_INTRINSIC int __all(int predicate) { return __all_sync(__activemask(), predicate); }
WARPLINT_INTRINSIC int __any(int predicate) { return __any_sync(__activemask(), predicate); }
WARPLINT_INTRINSIC unsigned __ballot(int predicate) { return __ballot_sync(__activemask(), predicate); }
template <class T> WARPLINT_METHOD inline T __shfl(T value, unsigned lane, int width = warpSize) { return __shfl_sync(__activemask(), value, lane, width); }
template <class T> WARPLINT_METHOD inline T __shfl_up(T value, unsigned delta, int width = warpSize) { return __shfl_up_sync(__activemask(), value, delta, width); }
template <class T> WARPLINT_METHOD inline T __shfl_down(T value, unsigned delta, int width = warpSize) { return __shfl_down_sync(__activemask(), value, delta, width); }
template <class T> WARPLINT_METHOD inline T __shfl_xor(T value, unsigned lanes, int width = warpSize) { return __shfl_xor_sync(__activemask(), value, lanes, width); }

// redux.sync (compute capability 8.0).
#define WARPLINT_REDUCE(name, op, type)                                                                        \
  WARPLINT_INTRINSIC type name(unsigned mask, type value) {                                                    \
    type r;                                                                                                    \
    asm volatile("redux.sync." op " %0, %1, %2;" : "=r"(r) : "r"(value), "r"(mask) : "memory");                \
    return r;                                                                                                  \
  }
WARPLINT_REDUCE(__reduce_add_sync, "add.s32", int)
WARPLINT_REDUCE(__reduce_add_sync, "add.u32", unsigned)
WARPLINT_REDUCE(__reduce_min_sync, "min.s32", int)
WARPLINT_REDUCE(__reduce_min_sync, "min.u32", unsigned)
WARPLINT_REDUCE(__reduce_max_sync, "max.s32", int)
WARPLINT_REDUCE(__reduce_max_sync, "max.u32", unsigned)
WARPLINT_REDUCE(__reduce_and_sync, "and.b32", unsigned)
WARPLINT_REDUCE(__reduce_or_sync, "or.b32", unsigned)
WARPLINT_REDUCE(__reduce_xor_sync, "xor.b32", unsigned)
#undef WARPLINT_REDUCE

WARPLINT_INTRINSIC long long clock64() { long long r; asm volatile("mov.u64 %0, %%clock64;" : "=l"(r)::"memory"); return r; }
WARPLINT_INTRINSIC clock_t clock() { return (clock_t)clock64(); }
WARPLINT_INTRINSIC void __nanosleep(unsigned nanoseconds) { asm volatile("nanosleep.u32 %0;" ::"r"(nanoseconds) : "memory"); }
WARPLINT_INTRINSIC void __trap() { asm volatile("trap;"); }
WARPLINT_INTRINSIC void __brkpt() { asm volatile("brkpt;"); }
WARPLINT_INTRINSIC void __prof_trigger(int) {}

// A grid that may begin before the one ahead of it has ended, and waits for it: the simulator runs one after the other.
WARPLINT_INTRINSIC void cudaGridDependencySynchronize() { asm volatile("griddepcontrol.wait;" ::: "memory"); }
WARPLINT_INTRINSIC void cudaTriggerProgrammaticLaunchCompletion() { asm volatile("griddepcontrol.launch_dependents;" ::: "memory"); }
