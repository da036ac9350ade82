// libcu++'s classes that the host's library has, too: clang takes what is constexpr there for device code.
#pragma once
namespace cuda {
namespace std {
using namespace ::std;
}  // namespace std
}  // namespace cuda
