/* sm_70_rt.hpp - __match_any_sync and __match_all_sync on all types; clang's intrinsics include it by this name. */
#ifndef STRATA_SM_70_RT_HPP
#define STRATA_SM_70_RT_HPP

#define STRATA_MATCH(type, as, bits, take)                                                                             \
	static __device__ __forceinline__ unsigned int __match_any_sync(unsigned int mask, type value)                 \
	{                                                                                                              \
		return __match##bits##_any_sync(mask, (as)take(value));                                                \
	}                                                                                                              \
	static __device__ __forceinline__ unsigned int __match_all_sync(unsigned int mask, type value, int *is_equal)  \
	{                                                                                                              \
		return __match##bits##_all_sync(mask, (as)take(value), is_equal);                                      \
	}
STRATA_MATCH(int, unsigned int, 32, )
STRATA_MATCH(unsigned int, unsigned int, 32, )
STRATA_MATCH(long, unsigned long long, 64, )
STRATA_MATCH(unsigned long, unsigned long long, 64, )
STRATA_MATCH(long long, unsigned long long, 64, )
STRATA_MATCH(unsigned long long, unsigned long long, 64, )
STRATA_MATCH(float, unsigned int, 32, __float_as_uint)
STRATA_MATCH(double, unsigned long long, 64, __double_as_longlong)
#undef STRATA_MATCH

#endif
