// What warplint knows of libcu++'s wrappers of PTX (cuda::ptx and cuda::device::experimental): each is the instruction
// that its documentation names.
#pragma once

#include <cuda/std/chrono>

namespace cuda {
namespace ptx {

struct sem_acquire_t {};
struct sem_release_t {};
struct sem_relaxed_t {};
struct sem_acq_rel_t {};
struct sem_sc_t {};
struct scope_cta_t {};
struct scope_cluster_t {};
struct scope_gpu_t {};
struct scope_sys_t {};
struct space_shared_t {};
struct space_cluster_t {};
struct space_global_t {};
constexpr sem_acquire_t sem_acquire{};
constexpr sem_release_t sem_release{};
constexpr sem_relaxed_t sem_relaxed{};
constexpr sem_acq_rel_t sem_acq_rel{};
constexpr sem_sc_t sem_sc{};
constexpr scope_cta_t scope_cta{};
constexpr scope_cluster_t scope_cluster{};
constexpr scope_gpu_t scope_gpu{};
constexpr scope_sys_t scope_sys{};
constexpr space_shared_t space_shared{};
constexpr space_cluster_t space_cluster{};
constexpr space_global_t space_global{};
template <int N> struct n32_t {
    static constexpr int value = N;
};

template <class T> __device__ inline unsigned as_ptr_smem(const T *p) { return (unsigned)__cvta_generic_to_shared(p); }

__device__ inline void mbarrier_init(unsigned long *b, unsigned n) { asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(as_ptr_smem(b)), "r"(n) : "memory"); }
__device__ inline void mbarrier_inval(unsigned long *b) {}
__device__ inline unsigned long mbarrier_arrive(unsigned long *b) {
    unsigned long s;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(s) : "r"(as_ptr_smem(b)) : "memory");
    return s;
}
__device__ inline unsigned long mbarrier_arrive(unsigned long *b, unsigned n) {
    unsigned long s;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1], %2;" : "=l"(s) : "r"(as_ptr_smem(b)), "r"(n) : "memory");
    return s;
}
template <class S, class C> __device__ inline unsigned long mbarrier_arrive(S, C, space_shared_t, unsigned long *b) { return mbarrier_arrive(b); }
template <class S, class C> __device__ inline unsigned long mbarrier_arrive(S, C, space_shared_t, unsigned long *b, unsigned n) { return mbarrier_arrive(b, n); }
template <class S, class C> __device__ inline unsigned long mbarrier_arrive_expect_tx(S, C, space_shared_t, unsigned long *b, unsigned bytes) {
    unsigned long s;
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 %0, [%1], %2;" : "=l"(s) : "r"(as_ptr_smem(b)), "r"(bytes) : "memory");
    return s;
}
template <class S, class C> __device__ inline void mbarrier_expect_tx(S, C, space_shared_t, unsigned long *b, unsigned bytes) { asm volatile("mbarrier.expect_tx.shared.b64 [%0], %1;" ::"r"(as_ptr_smem(b)), "r"(bytes) : "memory"); }

__device__ inline bool mbarrier_test_wait(unsigned long *b, unsigned long token) {
    bool over;
    asm volatile("mbarrier.test_wait.shared.b64 %0, [%1], %2;" : "=r"(over) : "r"(as_ptr_smem(b)), "l"(token) : "memory");
    return over;
}
__device__ inline bool mbarrier_test_wait_parity(unsigned long *b, unsigned parity) {
    bool over;
    asm volatile("mbarrier.test_wait.parity.shared.b64 %0, [%1], %2;" : "=r"(over) : "r"(as_ptr_smem(b)), "r"(parity) : "memory");
    return over;
}
__device__ inline bool mbarrier_try_wait(unsigned long *b, unsigned long token) { return mbarrier_test_wait(b, token); }
__device__ inline bool mbarrier_try_wait_parity(unsigned long *b, unsigned parity) { return mbarrier_test_wait_parity(b, parity); }
template <class S, class C> __device__ inline bool mbarrier_test_wait(S, C, unsigned long *b, unsigned long token) { return mbarrier_test_wait(b, token); }
template <class S, class C> __device__ inline bool mbarrier_try_wait(S, C, unsigned long *b, unsigned long token) { return mbarrier_test_wait(b, token); }
template <class S, class C> __device__ inline bool mbarrier_test_wait_parity(S, C, unsigned long *b, unsigned parity) { return mbarrier_test_wait_parity(b, parity); }
template <class S, class C> __device__ inline bool mbarrier_try_wait_parity(S, C, unsigned long *b, unsigned parity) { return mbarrier_test_wait_parity(b, parity); }

template <class D> __device__ inline void cp_async_bulk(D, space_global_t, void *to, const void *from, unsigned bytes, unsigned long *b) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(as_ptr_smem(to)), "l"(from), "r"(bytes), "r"(as_ptr_smem(b)) : "memory");
}
__device__ inline void cp_async_bulk(space_global_t, space_shared_t, void *to, const void *from, unsigned bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(as_ptr_smem(from)), "r"(bytes) : "memory");
}
template <class D, class M> __device__ inline void cp_async_bulk_tensor(D, space_global_t, void *to, const M *map, const int (&c)[1], unsigned long *b) {
    asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3}], [%2];" ::"r"(as_ptr_smem(to)), "l"(map), "r"(as_ptr_smem(b)), "r"(c[0]) : "memory");
}
template <class M> __device__ inline void cp_async_bulk_tensor(space_global_t, space_shared_t, const M *map, const int (&c)[1], const void *from) {
    asm volatile("cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%0, {%2}], [%1];" ::"l"(map), "r"(as_ptr_smem(from)), "r"(c[0]) : "memory");
}
template <class D, class M> __device__ inline void cp_async_bulk_tensor(D, space_global_t, void *to, const M *map, const int (&c)[2], unsigned long *b) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(as_ptr_smem(to)), "l"(map), "r"(as_ptr_smem(b)), "r"(c[0]), "r"(c[1]) : "memory");
}
template <class M> __device__ inline void cp_async_bulk_tensor(space_global_t, space_shared_t, const M *map, const int (&c)[2], const void *from) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%2, %3}], [%1];" ::"l"(map), "r"(as_ptr_smem(from)), "r"(c[0]), "r"(c[1]) : "memory");
}
template <class D, class M> __device__ inline void cp_async_bulk_tensor(D, space_global_t, void *to, const M *map, const int (&c)[3], unsigned long *b) {
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5}], [%2];" ::"r"(as_ptr_smem(to)), "l"(map), "r"(as_ptr_smem(b)), "r"(c[0]), "r"(c[1]), "r"(c[2]) : "memory");
}
template <class M> __device__ inline void cp_async_bulk_tensor(space_global_t, space_shared_t, const M *map, const int (&c)[3], const void *from) {
    asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {%2, %3, %4}], [%1];" ::"l"(map), "r"(as_ptr_smem(from)), "r"(c[0]), "r"(c[1]), "r"(c[2]) : "memory");
}
template <class D, class M> __device__ inline void cp_async_bulk_tensor(D, space_global_t, void *to, const M *map, const int (&c)[4], unsigned long *b) {
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5, %6}], [%2];" ::"r"(as_ptr_smem(to)), "l"(map), "r"(as_ptr_smem(b)), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]) : "memory");
}
template <class M> __device__ inline void cp_async_bulk_tensor(space_global_t, space_shared_t, const M *map, const int (&c)[4], const void *from) {
    asm volatile("cp.async.bulk.tensor.4d.global.shared::cta.tile.bulk_group [%0, {%2, %3, %4, %5}], [%1];" ::"l"(map), "r"(as_ptr_smem(from)), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]) : "memory");
}
template <class D, class M> __device__ inline void cp_async_bulk_tensor(D, space_global_t, void *to, const M *map, const int (&c)[5], unsigned long *b) {
    asm volatile("cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5, %6, %7}], [%2];" ::"r"(as_ptr_smem(to)), "l"(map), "r"(as_ptr_smem(b)), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4]) : "memory");
}
template <class M> __device__ inline void cp_async_bulk_tensor(space_global_t, space_shared_t, const M *map, const int (&c)[5], const void *from) {
    asm volatile("cp.async.bulk.tensor.5d.global.shared::cta.tile.bulk_group [%0, {%2, %3, %4, %5, %6}], [%1];" ::"l"(map), "r"(as_ptr_smem(from)), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4]) : "memory");
}
__device__ inline void cp_async_bulk_commit_group() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
template <int N> __device__ inline void cp_async_bulk_wait_group(n32_t<N>) { asm volatile("cp.async.bulk.wait_group %0;" ::"n"(N) : "memory"); }
template <int N> __device__ inline void cp_async_bulk_wait_group_read(n32_t<N>) { asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(N) : "memory"); }

__device__ inline void fence_proxy_async(space_global_t) { asm volatile("fence.proxy.async.global;" ::: "memory"); }
template <class... A> __device__ inline void fence_proxy_async(A...) { asm volatile("fence.proxy.async;" ::: "memory"); }
template <class... A> __device__ inline void fence_mbarrier_init(A...) {}
template <class C> __device__ inline void fence(sem_sc_t, C);
template <> __device__ inline void fence<scope_gpu_t>(sem_sc_t, scope_gpu_t) { __threadfence(); }
template <> __device__ inline void fence<scope_cta_t>(sem_sc_t, scope_cta_t) { __threadfence_block(); }
template <> __device__ inline void fence<scope_sys_t>(sem_sc_t, scope_sys_t) { __threadfence_system(); }
__device__ inline bool elect_sync(unsigned mask) {
    bool leader;
    asm volatile("{\n .reg .b32 lane;\n elect.sync lane|%0, %1;\n}" : "=r"(leader) : "r"(mask));
    return leader;
}
__device__ inline void barrier_cluster_arrive() { asm volatile("barrier.cluster.arrive;" ::: "memory"); }
__device__ inline void barrier_cluster_wait() { asm volatile("barrier.cluster.wait;" ::: "memory"); }

} // namespace ptx

namespace device {
namespace experimental {

__device__ inline void fence_proxy_async_shared_cta() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
__device__ inline void fence_proxy_async_global() { asm volatile("fence.proxy.async.global;" ::: "memory"); }
template <class B> __device__ inline void cp_async_bulk_global_to_shared(void *to, const void *from, unsigned bytes, B &b) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from), "r"(bytes), "r"((unsigned)__cvta_generic_to_shared(&b)) : "memory");
}
template <class M, class B> __device__ inline void cp_async_bulk_tensor_1d_global_to_shared(void *to, const M *map, int c0, B &b) {
    asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3}], [%2];" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(map), "r"((unsigned)__cvta_generic_to_shared(&b)), "r"(c0) : "memory");
}
template <class M, class B> __device__ inline void cp_async_bulk_tensor_2d_global_to_shared(void *to, const M *map, int c0, int c1, B &b) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(map), "r"((unsigned)__cvta_generic_to_shared(&b)), "r"(c0), "r"(c1) : "memory");
}
template <class M, class B> __device__ inline void cp_async_bulk_tensor_3d_global_to_shared(void *to, const M *map, int c0, int c1, int c2, B &b) {
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5}], [%2];" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(map), "r"((unsigned)__cvta_generic_to_shared(&b)), "r"(c0), "r"(c1), "r"(c2) : "memory");
}
template <class M, class B> __device__ inline void cp_async_bulk_tensor_4d_global_to_shared(void *to, const M *map, int c0, int c1, int c2, int c3, B &b) {
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5, %6}], [%2];" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(map), "r"((unsigned)__cvta_generic_to_shared(&b)), "r"(c0), "r"(c1), "r"(c2), "r"(c3) : "memory");
}
template <class M, class B> __device__ inline void cp_async_bulk_tensor_5d_global_to_shared(void *to, const M *map, int c0, int c1, int c2, int c3, int c4, B &b) {
    asm volatile("cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5, %6, %7}], [%2];" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(map), "r"((unsigned)__cvta_generic_to_shared(&b)), "r"(c0), "r"(c1), "r"(c2), "r"(c3), "r"(c4) : "memory");
}
template <class M> __device__ inline void cp_async_bulk_tensor_1d_shared_to_global(const M *map, int c0, const void *from) {
    asm volatile("cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%0, {%2}], [%1];" ::"l"(map), "r"((unsigned)__cvta_generic_to_shared(from)), "r"(c0) : "memory");
}
template <class M> __device__ inline void cp_async_bulk_tensor_2d_shared_to_global(const M *map, int c0, int c1, const void *from) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%2, %3}], [%1];" ::"l"(map), "r"((unsigned)__cvta_generic_to_shared(from)), "r"(c0), "r"(c1) : "memory");
}
template <class M> __device__ inline void cp_async_bulk_tensor_3d_shared_to_global(const M *map, int c0, int c1, int c2, const void *from) {
    asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {%2, %3, %4}], [%1];" ::"l"(map), "r"((unsigned)__cvta_generic_to_shared(from)), "r"(c0), "r"(c1), "r"(c2) : "memory");
}
template <class M> __device__ inline void cp_async_bulk_tensor_4d_shared_to_global(const M *map, int c0, int c1, int c2, int c3, const void *from) {
    asm volatile("cp.async.bulk.tensor.4d.global.shared::cta.tile.bulk_group [%0, {%2, %3, %4, %5}], [%1];" ::"l"(map), "r"((unsigned)__cvta_generic_to_shared(from)), "r"(c0), "r"(c1), "r"(c2), "r"(c3) : "memory");
}
template <class M> __device__ inline void cp_async_bulk_tensor_5d_shared_to_global(const M *map, int c0, int c1, int c2, int c3, int c4, const void *from) {
    asm volatile("cp.async.bulk.tensor.5d.global.shared::cta.tile.bulk_group [%0, {%2, %3, %4, %5, %6}], [%1];" ::"l"(map), "r"((unsigned)__cvta_generic_to_shared(from)), "r"(c0), "r"(c1), "r"(c2), "r"(c3), "r"(c4) : "memory");
}
__device__ inline void cp_async_bulk_shared_to_global(void *to, const void *from, unsigned bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"((unsigned)__cvta_generic_to_shared(from)), "r"(bytes) : "memory");
}
__device__ inline void cp_async_bulk_commit_group() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
template <int N> __device__ inline void cp_async_bulk_wait_group() { asm volatile("cp.async.bulk.wait_group %0;" ::"n"(N) : "memory"); }
template <int N> __device__ inline void cp_async_bulk_wait_group_read() { asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(N) : "memory"); }

} // namespace experimental
} // namespace device
} // namespace cuda
