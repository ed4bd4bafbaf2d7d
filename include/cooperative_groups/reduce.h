/* reduce.h - cooperative_groups::reduce over tiles and coalesced groups, and the operations that it takes. */
#ifndef STRATA_COOPERATIVE_GROUPS_REDUCE_H
#define STRATA_COOPERATIVE_GROUPS_REDUCE_H

#ifdef __NVCC__
#include_next <cooperative_groups/reduce.h>
#else

#include <cooperative_groups.h>

#ifdef __CUDA__

namespace cooperative_groups {

#define STRATA_OPERATION(name, result)                                                                                 \
	template <class T> struct name {                                                                               \
		__device__ __forceinline__ T operator()(T a, T b) const                                                \
		{                                                                                                      \
			return result;                                                                                 \
		}                                                                                                      \
	};
STRATA_OPERATION(plus, a + b)
STRATA_OPERATION(less, b < a ? b : a)
STRATA_OPERATION(greater, a < b ? b : a)
STRATA_OPERATION(bit_and, a &b)
STRATA_OPERATION(bit_or, a | b)
STRATA_OPERATION(bit_xor, a ^ b)
#undef STRATA_OPERATION

template <unsigned int Size, class Parent, class T, class Operation>
static __device__ __forceinline__ T reduce(const thread_block_tile<Size, Parent> &tile, T value, Operation operation)
{
	for (unsigned int distance = Size / 2; distance; distance /= 2)
		value = operation(value, tile.shfl_xor(value, distance));
	return value;
}

template <class T, class Operation>
static __device__ __forceinline__ T reduce(const coalesced_group &group, T value, Operation operation)
{
	T all = group.shfl(value, 0);

	for (unsigned int rank = 1; rank < group.size(); rank++)
		all = operation(all, group.shfl(value, rank));
	return all;
}

}

#endif

#endif
#endif
