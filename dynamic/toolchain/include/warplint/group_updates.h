// Collectives of cooperative groups whose result goes to an atomic, which one thread of the group updates.
#pragma once

namespace cooperative_groups {

namespace details {
template <class A> constexpr typename A::order_t relaxed = (typename A::order_t)0;  // std::memory_order_relaxed, without the header

// What a function object does to an atomic; the result is what was there before.
template <class A, class T> WARPLINT_METHOD inline T update(A &to, T value, plus<T>) { return to.fetch_add(value, relaxed<A>); }
template <class A, class T> WARPLINT_METHOD inline T update(A &to, T value, less<T>) { return to.fetch_min(value, relaxed<A>); }
template <class A, class T> WARPLINT_METHOD inline T update(A &to, T value, greater<T>) { return to.fetch_max(value, relaxed<A>); }
template <class A, class T> WARPLINT_METHOD inline T update(A &to, T value, bit_and<T>) { return to.fetch_and(value, relaxed<A>); }
template <class A, class T> WARPLINT_METHOD inline T update(A &to, T value, bit_or<T>) { return to.fetch_or(value, relaxed<A>); }
template <class A, class T> WARPLINT_METHOD inline T update(A &to, T value, bit_xor<T>) { return to.fetch_xor(value, relaxed<A>); }
template <class A, class T, class Op> WARPLINT_METHOD inline T update(A &to, T value, Op op) {
  T old = to.load(relaxed<A>);
  while (!to.compare_exchange_weak(old, op(old, value), relaxed<A>)) {}
  return old;
}
}  // namespace details

template <class Group, class A, class T, class Op> WARPLINT_METHOD inline void reduce_update_async(const Group &group, A &to, T value, Op op) {
  T all = reduce(group, value, op);
  if (group.thread_rank() == 0) details::update(to, all, op);
}
template <class Group, class A, class T, class Op> WARPLINT_METHOD inline void reduce_store_async(const Group &group, A &to, T value, Op op) {
  T all = reduce(group, value, op);
  if (group.thread_rank() == 0) to.store(all, details::relaxed<A>);
}

// The last thread has the group's total.
template <class Group, class A, class T, class Op> WARPLINT_METHOD inline T inclusive_scan_update(const Group &group, A &to, T value, Op op) {
  T part = inclusive_scan(group, value, op), before = T();
  if (group.thread_rank() == group.size() - 1) before = details::update(to, part, op);
  return op(group.shfl(before, group.size() - 1), part);
}
template <class Group, class A, class T> WARPLINT_METHOD inline T inclusive_scan_update(const Group &group, A &to, T value) {
  return inclusive_scan_update(group, to, value, plus<T>());
}
template <class Group, class A, class T, class Op> WARPLINT_METHOD inline T exclusive_scan_update(const Group &group, A &to, T value, Op op) {
  T part = inclusive_scan(group, value, op), before = T();
  if (group.thread_rank() == group.size() - 1) before = details::update(to, part, op);
  before = group.shfl(before, group.size() - 1);
  T left = group.shfl_up(part, 1);
  return group.thread_rank() == 0 ? before : op(before, left);
}
template <class Group, class A, class T> WARPLINT_METHOD inline T exclusive_scan_update(const Group &group, A &to, T value) {
  return exclusive_scan_update(group, to, value, plus<T>());
}

}  // namespace cooperative_groups
