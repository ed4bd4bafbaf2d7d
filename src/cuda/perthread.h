/* perthread.h - CUDA_PER_THREAD(name, suffix, TYPES...): the entry point under its per-thread-stream name.
 *
 * nameSUFFIX takes the same parameters (up to 11, of these types) and calls name with "no stream" meaning the calling
 * thread's own default stream instead of the legacy one.
 */
#ifndef STRATA_CUDA_PERTHREAD_H
#define STRATA_CUDA_PERTHREAD_H

#include "cuda/clock.h"

#define PT_PARAMS_1(t) t a1
#define PT_PARAMS_2(t, ...) t a2, PT_PARAMS_1(__VA_ARGS__)
#define PT_PARAMS_3(t, ...) t a3, PT_PARAMS_2(__VA_ARGS__)
#define PT_PARAMS_4(t, ...) t a4, PT_PARAMS_3(__VA_ARGS__)
#define PT_PARAMS_5(t, ...) t a5, PT_PARAMS_4(__VA_ARGS__)
#define PT_PARAMS_6(t, ...) t a6, PT_PARAMS_5(__VA_ARGS__)
#define PT_PARAMS_7(t, ...) t a7, PT_PARAMS_6(__VA_ARGS__)
#define PT_PARAMS_8(t, ...) t a8, PT_PARAMS_7(__VA_ARGS__)
#define PT_PARAMS_9(t, ...) t a9, PT_PARAMS_8(__VA_ARGS__)
#define PT_PARAMS_10(t, ...) t a10, PT_PARAMS_9(__VA_ARGS__)
#define PT_PARAMS_11(t, ...) t a11, PT_PARAMS_10(__VA_ARGS__)
#define PT_ARGS_1 a1
#define PT_ARGS_2 a2, PT_ARGS_1
#define PT_ARGS_3 a3, PT_ARGS_2
#define PT_ARGS_4 a4, PT_ARGS_3
#define PT_ARGS_5 a5, PT_ARGS_4
#define PT_ARGS_6 a6, PT_ARGS_5
#define PT_ARGS_7 a7, PT_ARGS_6
#define PT_ARGS_8 a8, PT_ARGS_7
#define PT_ARGS_9 a9, PT_ARGS_8
#define PT_ARGS_10 a10, PT_ARGS_9
#define PT_ARGS_11 a11, PT_ARGS_10
#define PT_NTH(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, n, ...) n
#define PT_COUNT(...) PT_NTH(__VA_ARGS__, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define PT_JOIN_(a, b) a##b
#define PT_JOIN(a, b) PT_JOIN_(a, b)

#define CUDA_PER_THREAD(name, suffix, ...)                                                                             \
	CUresult name##suffix(PT_JOIN(PT_PARAMS_, PT_COUNT(__VA_ARGS__))(__VA_ARGS__))                                 \
		__attribute__((visibility("default")));                                                                \
	CUresult name##suffix(PT_JOIN(PT_PARAMS_, PT_COUNT(__VA_ARGS__))(__VA_ARGS__))                                 \
	{                                                                                                              \
		bool before = cuda_per_thread_begin();                                                                 \
		CUresult result = name(PT_JOIN(PT_ARGS_, PT_COUNT(__VA_ARGS__)));                                      \
                                                                                                                       \
		cuda_per_thread_end(before);                                                                           \
		return result;                                                                                         \
	}                                                                                                              \
	_Static_assert(1, "")

#endif
