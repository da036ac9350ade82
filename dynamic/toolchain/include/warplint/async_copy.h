// Copies from global to shared memory that go on while the thread does something else.
#pragma once

namespace warplint {

template <unsigned Bytes> WARPLINT_METHOD inline void copy_async_unit(void *to, const void *from) {
  unsigned target = (unsigned)__cvta_generic_to_shared(to);
  size_t source = __cvta_generic_to_global(from);
  if constexpr (Bytes == 16) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(target), "l"(source) : "memory");
  else asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(target), "l"(source), "n"(Bytes) : "memory");
}

// copy_async is thread number rank's part of a copy by size threads. What is not aligned to 4
// bytes, or does not lead from global to shared memory, is copied at once.
WARPLINT_METHOD inline void copy_async(size_t rank, size_t size, void *to, const void *from, size_t bytes) {
  char *target = (char *)to;
  const char *source = (const char *)from;
  size_t aligned = (size_t)target | (size_t)source | bytes;
  if (!__isShared(to) || !__isGlobal(from) || aligned % 4) {
    for (size_t i = rank; i < bytes; i += size) target[i] = source[i];
  } else if (aligned % 16 == 0) {
    for (size_t i = rank * 16; i < bytes; i += size * 16) copy_async_unit<16>(target + i, source + i);
  } else if (aligned % 8 == 0) {
    for (size_t i = rank * 8; i < bytes; i += size * 8) copy_async_unit<8>(target + i, source + i);
  } else {
    for (size_t i = rank * 4; i < bytes; i += size * 4) copy_async_unit<4>(target + i, source + i);
  }
}

// copy_bulk_in completes on a barrier in shared memory, copy_bulk_out in groups of the thread.
WARPLINT_METHOD inline void copy_bulk_in(void *to, const void *from, unsigned bytes, void *barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"((unsigned)__cvta_generic_to_shared(to)),
               "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
WARPLINT_METHOD inline void copy_bulk_out(void *to, const void *from, unsigned bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(to)), "r"((unsigned)__cvta_generic_to_shared(from)), "r"(bytes) : "memory");
}

}  // namespace warplint
