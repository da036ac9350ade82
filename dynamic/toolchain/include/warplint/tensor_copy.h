// Copies of boxes of a tensor, of one to five dimensions, the first of which has its elements next to each other.
#pragma once

namespace warplint {

#define WARPLINT_COORDINATES_1 "{%[a]}"
#define WARPLINT_COORDINATES_2 "{%[a], %[b]}"
#define WARPLINT_COORDINATES_3 "{%[a], %[b], %[c]}"
#define WARPLINT_COORDINATES_4 "{%[a], %[b], %[c], %[d]}"
#define WARPLINT_COORDINATES_5 "{%[a], %[b], %[c], %[d], %[e]}"
#define WARPLINT_VALUES_1 [a] "r"(at[0])
#define WARPLINT_VALUES_2 WARPLINT_VALUES_1, [b] "r"(at[1])
#define WARPLINT_VALUES_3 WARPLINT_VALUES_2, [c] "r"(at[2])
#define WARPLINT_VALUES_4 WARPLINT_VALUES_3, [d] "r"(at[3])
#define WARPLINT_VALUES_5 WARPLINT_VALUES_4, [e] "r"(at[4])
#define WARPLINT_TO_SHARED(p) (unsigned)__cvta_generic_to_shared(p)

#define WARPLINT_BOX_OUT(name, n, instruction, function)                                                                                     \
  WARPLINT_METHOD inline void name(const void *map, const int (&at)[n], const void *from) {                                         \
    asm volatile(instruction ".global.shared::cta" function ".tile.bulk_group [%[map], " WARPLINT_COORDINATES_##n "], [%[from]];"            \
                 ::[map] "l"(map), [from] "r"(WARPLINT_TO_SHARED(from)), WARPLINT_VALUES_##n : "memory");                           \
  }
#define WARPLINT_BOX(n)                                                                                                             \
  WARPLINT_METHOD inline void copy_box_in(void *to, const void *map, const int (&at)[n], void *barrier) {                           \
    asm volatile("cp.async.bulk.tensor." #n "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%[to]], [%[map], "         \
                 WARPLINT_COORDINATES_##n "], [%[bar]];"                                                                            \
                 ::[to] "r"(WARPLINT_TO_SHARED(to)), [map] "l"(map), [bar] "r"(WARPLINT_TO_SHARED(barrier)), WARPLINT_VALUES_##n    \
                 : "memory");                                                                                                       \
  }                                                                                                                                 \
  WARPLINT_METHOD inline void copy_box_in(void *to, const void *map, const int (&at)[n], void *barrier, unsigned short blocks) {    \
    asm volatile("cp.async.bulk.tensor." #n                                                                                         \
                 "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%[to]], [%[map], "                 \
                 WARPLINT_COORDINATES_##n "], [%[bar]], %[blocks];"                                                                 \
                 ::[to] "r"(WARPLINT_TO_SHARED(to)), [map] "l"(map), [bar] "r"(WARPLINT_TO_SHARED(barrier)), [blocks] "h"(blocks),  \
                 WARPLINT_VALUES_##n : "memory");                                                                                   \
  }                                                                                                                                 \
  WARPLINT_BOX_OUT(copy_box_out, n, "cp.async.bulk.tensor." #n "d", "")                                                             \
  WARPLINT_BOX_OUT(add_box, n, "cp.reduce.async.bulk.tensor." #n "d", ".add")                                                       \
  WARPLINT_BOX_OUT(min_box, n, "cp.reduce.async.bulk.tensor." #n "d", ".min")                                                       \
  WARPLINT_BOX_OUT(max_box, n, "cp.reduce.async.bulk.tensor." #n "d", ".max")                                                       \
  WARPLINT_BOX_OUT(inc_box, n, "cp.reduce.async.bulk.tensor." #n "d", ".inc")                                                       \
  WARPLINT_BOX_OUT(dec_box, n, "cp.reduce.async.bulk.tensor." #n "d", ".dec")                                                       \
  WARPLINT_BOX_OUT(and_box, n, "cp.reduce.async.bulk.tensor." #n "d", ".and")                                                       \
  WARPLINT_BOX_OUT(or_box, n, "cp.reduce.async.bulk.tensor." #n "d", ".or")                                                         \
  WARPLINT_BOX_OUT(xor_box, n, "cp.reduce.async.bulk.tensor." #n "d", ".xor")
WARPLINT_BOX(1)
WARPLINT_BOX(2)
WARPLINT_BOX(3)
WARPLINT_BOX(4)
WARPLINT_BOX(5)
#undef WARPLINT_BOX
#undef WARPLINT_BOX_OUT
#undef WARPLINT_TO_SHARED

}  // namespace warplint
