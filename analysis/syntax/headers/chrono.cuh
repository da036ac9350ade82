// What warplint knows of durations, with which threads say how long they wait at a barrier: numbers.
#pragma once

namespace cuda {
namespace std {
namespace chrono {

template <int Unit> struct duration_of {
    long long ticks;
    __host__ __device__ constexpr explicit duration_of(long long n = 0) : ticks(n) {}
    __host__ __device__ constexpr long long count() const { return ticks; }
};
typedef duration_of<0> nanoseconds;
typedef duration_of<1> microseconds;
typedef duration_of<2> milliseconds;
typedef duration_of<3> seconds;

}  // namespace chrono
}  // namespace std
}  // namespace cuda
