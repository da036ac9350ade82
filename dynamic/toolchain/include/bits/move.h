// <type_traits> declares swap, which is defined here.
#include <type_traits>
#ifdef __CUDA__
#pragma clang force_cuda_host_device begin
#endif
#include_next <bits/move.h>
#ifdef __CUDA__
#pragma clang force_cuda_host_device end
#endif
