// Barriers in shared memory, as functions.
#pragma once
#include <stdint.h>
#include "cuda_runtime.h"
typedef uint64_t __mbarrier_t, __mbarrier_token_t;
WARPLINT_METHOD inline unsigned __warplint_mbarrier(__mbarrier_t *b) { return (unsigned)__cvta_generic_to_shared(b); }
WARPLINT_METHOD inline void __mbarrier_init(__mbarrier_t *b, uint32_t n) { asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(__warplint_mbarrier(b)), "r"(n) : "memory"); }
WARPLINT_METHOD inline void __mbarrier_inval(__mbarrier_t *b) { asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(__warplint_mbarrier(b)) : "memory"); }
WARPLINT_METHOD inline __mbarrier_token_t __mbarrier_arrive(__mbarrier_t *b) {
  __mbarrier_token_t token;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(__warplint_mbarrier(b)) : "memory");
  return token;
}
WARPLINT_METHOD inline __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t *b) {
  __mbarrier_token_t token;
  asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];" : "=l"(token) : "r"(__warplint_mbarrier(b)) : "memory");
  return token;
}
WARPLINT_METHOD inline bool __mbarrier_test_wait(__mbarrier_t *b, __mbarrier_token_t token) {
  unsigned done;
  asm volatile("{\n.reg .pred p;\nmbarrier.test_wait.shared.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(done) : "r"(__warplint_mbarrier(b)), "l"(token) : "memory");
  return done;
}
WARPLINT_METHOD inline uint32_t __mbarrier_maximum_count() { return (1 << 20) - 1; }
