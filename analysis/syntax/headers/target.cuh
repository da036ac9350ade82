// What code is compiled for: conditions that are 1 or 0, and statements in parentheses of which those of the first that
// holds are left.
#pragma once
#ifdef __CUDA_ARCH__
#define NV_IS_DEVICE 1
#define NV_IS_HOST 0
#else
#define NV_IS_DEVICE 0
#define NV_IS_HOST 1
#define __CUDA_ARCH__ 0
#define WARPLINT_NO_ARCH
#endif
#define NV_ANY_TARGET 1
#define NV_NO_TARGET 0
#if __CUDA_ARCH__ >= 350
#define NV_PROVIDES_SM_35 1
#else
#define NV_PROVIDES_SM_35 0
#endif
#if __CUDA_ARCH__ == 350
#define NV_IS_EXACTLY_SM_35 1
#else
#define NV_IS_EXACTLY_SM_35 0
#endif
#if __CUDA_ARCH__ >= 370
#define NV_PROVIDES_SM_37 1
#else
#define NV_PROVIDES_SM_37 0
#endif
#if __CUDA_ARCH__ == 370
#define NV_IS_EXACTLY_SM_37 1
#else
#define NV_IS_EXACTLY_SM_37 0
#endif
#if __CUDA_ARCH__ >= 500
#define NV_PROVIDES_SM_50 1
#else
#define NV_PROVIDES_SM_50 0
#endif
#if __CUDA_ARCH__ == 500
#define NV_IS_EXACTLY_SM_50 1
#else
#define NV_IS_EXACTLY_SM_50 0
#endif
#if __CUDA_ARCH__ >= 520
#define NV_PROVIDES_SM_52 1
#else
#define NV_PROVIDES_SM_52 0
#endif
#if __CUDA_ARCH__ == 520
#define NV_IS_EXACTLY_SM_52 1
#else
#define NV_IS_EXACTLY_SM_52 0
#endif
#if __CUDA_ARCH__ >= 530
#define NV_PROVIDES_SM_53 1
#else
#define NV_PROVIDES_SM_53 0
#endif
#if __CUDA_ARCH__ == 530
#define NV_IS_EXACTLY_SM_53 1
#else
#define NV_IS_EXACTLY_SM_53 0
#endif
#if __CUDA_ARCH__ >= 600
#define NV_PROVIDES_SM_60 1
#else
#define NV_PROVIDES_SM_60 0
#endif
#if __CUDA_ARCH__ == 600
#define NV_IS_EXACTLY_SM_60 1
#else
#define NV_IS_EXACTLY_SM_60 0
#endif
#if __CUDA_ARCH__ >= 610
#define NV_PROVIDES_SM_61 1
#else
#define NV_PROVIDES_SM_61 0
#endif
#if __CUDA_ARCH__ == 610
#define NV_IS_EXACTLY_SM_61 1
#else
#define NV_IS_EXACTLY_SM_61 0
#endif
#if __CUDA_ARCH__ >= 620
#define NV_PROVIDES_SM_62 1
#else
#define NV_PROVIDES_SM_62 0
#endif
#if __CUDA_ARCH__ == 620
#define NV_IS_EXACTLY_SM_62 1
#else
#define NV_IS_EXACTLY_SM_62 0
#endif
#if __CUDA_ARCH__ >= 700
#define NV_PROVIDES_SM_70 1
#else
#define NV_PROVIDES_SM_70 0
#endif
#if __CUDA_ARCH__ == 700
#define NV_IS_EXACTLY_SM_70 1
#else
#define NV_IS_EXACTLY_SM_70 0
#endif
#if __CUDA_ARCH__ >= 720
#define NV_PROVIDES_SM_72 1
#else
#define NV_PROVIDES_SM_72 0
#endif
#if __CUDA_ARCH__ == 720
#define NV_IS_EXACTLY_SM_72 1
#else
#define NV_IS_EXACTLY_SM_72 0
#endif
#if __CUDA_ARCH__ >= 750
#define NV_PROVIDES_SM_75 1
#else
#define NV_PROVIDES_SM_75 0
#endif
#if __CUDA_ARCH__ == 750
#define NV_IS_EXACTLY_SM_75 1
#else
#define NV_IS_EXACTLY_SM_75 0
#endif
#if __CUDA_ARCH__ >= 800
#define NV_PROVIDES_SM_80 1
#else
#define NV_PROVIDES_SM_80 0
#endif
#if __CUDA_ARCH__ == 800
#define NV_IS_EXACTLY_SM_80 1
#else
#define NV_IS_EXACTLY_SM_80 0
#endif
#if __CUDA_ARCH__ >= 860
#define NV_PROVIDES_SM_86 1
#else
#define NV_PROVIDES_SM_86 0
#endif
#if __CUDA_ARCH__ == 860
#define NV_IS_EXACTLY_SM_86 1
#else
#define NV_IS_EXACTLY_SM_86 0
#endif
#if __CUDA_ARCH__ >= 870
#define NV_PROVIDES_SM_87 1
#else
#define NV_PROVIDES_SM_87 0
#endif
#if __CUDA_ARCH__ == 870
#define NV_IS_EXACTLY_SM_87 1
#else
#define NV_IS_EXACTLY_SM_87 0
#endif
#if __CUDA_ARCH__ >= 890
#define NV_PROVIDES_SM_89 1
#else
#define NV_PROVIDES_SM_89 0
#endif
#if __CUDA_ARCH__ == 890
#define NV_IS_EXACTLY_SM_89 1
#else
#define NV_IS_EXACTLY_SM_89 0
#endif
#if __CUDA_ARCH__ >= 900
#define NV_PROVIDES_SM_90 1
#else
#define NV_PROVIDES_SM_90 0
#endif
#if __CUDA_ARCH__ == 900
#define NV_IS_EXACTLY_SM_90 1
#else
#define NV_IS_EXACTLY_SM_90 0
#endif
#if __CUDA_ARCH__ >= 1000
#define NV_PROVIDES_SM_100 1
#else
#define NV_PROVIDES_SM_100 0
#endif
#if __CUDA_ARCH__ == 1000
#define NV_IS_EXACTLY_SM_100 1
#else
#define NV_IS_EXACTLY_SM_100 0
#endif
#if __CUDA_ARCH__ >= 1200
#define NV_PROVIDES_SM_120 1
#else
#define NV_PROVIDES_SM_120 0
#endif
#if __CUDA_ARCH__ == 1200
#define NV_IS_EXACTLY_SM_120 1
#else
#define NV_IS_EXACTLY_SM_120 0
#endif
#ifdef WARPLINT_NO_ARCH
#undef __CUDA_ARCH__
#undef WARPLINT_NO_ARCH
#endif

#define WARPLINT_NV_BODY(...) __VA_ARGS__
#define WARPLINT_NV_JOIN(a, b) a##b
#define WARPLINT_NV_IF(holds, ...) WARPLINT_NV_JOIN(WARPLINT_NV_IF_, holds)(__VA_ARGS__)
#define WARPLINT_NV_IF_1(then, ...) WARPLINT_NV_BODY then
#define WARPLINT_NV_IF_0(then, ...) __VA_OPT__(WARPLINT_NV_BODY __VA_ARGS__)
#define NV_IF_TARGET(condition, ...) { WARPLINT_NV_IF(condition, __VA_ARGS__) }
#define NV_IF_ELSE_TARGET(condition, then, otherwise) { WARPLINT_NV_IF(condition, then, otherwise) }
#define NV_DISPATCH_TARGET(...) { WARPLINT_NV_CASE1(__VA_ARGS__) }
#define WARPLINT_NV_CASE1(condition, then, ...) WARPLINT_NV_JOIN(WARPLINT_NV_CASE1_, condition)(then, __VA_ARGS__)
#define WARPLINT_NV_CASE1_1(then, ...) WARPLINT_NV_BODY then
#define WARPLINT_NV_CASE1_0(then, ...) __VA_OPT__(WARPLINT_NV_CASE2(__VA_ARGS__))
#define WARPLINT_NV_CASE2(condition, then, ...) WARPLINT_NV_JOIN(WARPLINT_NV_CASE2_, condition)(then, __VA_ARGS__)
#define WARPLINT_NV_CASE2_1(then, ...) WARPLINT_NV_BODY then
#define WARPLINT_NV_CASE2_0(then, ...) __VA_OPT__(WARPLINT_NV_CASE3(__VA_ARGS__))
#define WARPLINT_NV_CASE3(condition, then, ...) WARPLINT_NV_JOIN(WARPLINT_NV_CASE3_, condition)(then, __VA_ARGS__)
#define WARPLINT_NV_CASE3_1(then, ...) WARPLINT_NV_BODY then
#define WARPLINT_NV_CASE3_0(then, ...) __VA_OPT__(WARPLINT_NV_CASE4(__VA_ARGS__))
#define WARPLINT_NV_CASE4(condition, then, ...) WARPLINT_NV_JOIN(WARPLINT_NV_CASE4_, condition)(then, __VA_ARGS__)
#define WARPLINT_NV_CASE4_1(then, ...) WARPLINT_NV_BODY then
#define WARPLINT_NV_CASE4_0(then, ...) __VA_OPT__(WARPLINT_NV_CASE5(__VA_ARGS__))
#define WARPLINT_NV_CASE5(condition, then, ...) WARPLINT_NV_JOIN(WARPLINT_NV_CASE5_, condition)(then, __VA_ARGS__)
#define WARPLINT_NV_CASE5_1(then, ...) WARPLINT_NV_BODY then
#define WARPLINT_NV_CASE5_0(then, ...) __VA_OPT__(WARPLINT_NV_CASE6(__VA_ARGS__))
#define WARPLINT_NV_CASE6(condition, then, ...) WARPLINT_NV_JOIN(WARPLINT_NV_CASE6_, condition)(then, __VA_ARGS__)
#define WARPLINT_NV_CASE6_1(then, ...) WARPLINT_NV_BODY then
#define WARPLINT_NV_CASE6_0(then, ...) __VA_OPT__()
