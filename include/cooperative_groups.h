/*
 * Cooperative groups (CUDA C++ Programming Guide 13.0, section 11) for clang: the thread block, tiles of a warp, the
 * coalesced threads of a warp, and the grid of a cooperative launch. Clusters, multi-device groups and asynchronous
 * copies are absent.
 */
#ifndef STRATA_COOPERATIVE_GROUPS_H
#define STRATA_COOPERATIVE_GROUPS_H

#ifdef __NVCC__
#include_next <cooperative_groups.h>
#else

#include <cuda_runtime.h>

#ifdef __CUDA__

namespace cooperative_groups {

#define STRATA_DEV static __device__ __forceinline__
#define STRATA_MEMBER __device__ __forceinline__

/* Arrivals at the grid's barrier: the low bits count CTAs, the top bit changes when all are there. One counter serves
 * every grid of a translation unit: cooperative grids do not overlap. */
static __device__ unsigned int strata_grid_barrier;

STRATA_DEV unsigned int strata_rank_in_block(void)
{
	return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}

STRATA_DEV unsigned int strata_block_size(void)
{
	return blockDim.x * blockDim.y * blockDim.z;
}

STRATA_DEV unsigned int strata_lane(void)
{
	unsigned int lane;

	asm("mov.u32 %0, %%laneid;" : "=r"(lane));
	return lane;
}

/* ---- The block -------------------------------------------------------------------------------------------------- */

class thread_block {
public:
	STRATA_MEMBER static void sync(void)
	{
		__syncthreads();
	}
	STRATA_MEMBER static unsigned int thread_rank(void)
	{
		return strata_rank_in_block();
	}
	STRATA_MEMBER static unsigned int num_threads(void)
	{
		return strata_block_size();
	}
	STRATA_MEMBER static unsigned int size(void)
	{
		return strata_block_size();
	}
	STRATA_MEMBER static dim3 group_index(void)
	{
		return dim3(blockIdx.x, blockIdx.y, blockIdx.z);
	}
	STRATA_MEMBER static dim3 thread_index(void)
	{
		return dim3(threadIdx.x, threadIdx.y, threadIdx.z);
	}
	STRATA_MEMBER static dim3 group_dim(void)
	{
		return dim3(blockDim.x, blockDim.y, blockDim.z);
	}
	STRATA_MEMBER static dim3 dim_threads(void)
	{
		return group_dim();
	}
};

STRATA_DEV thread_block this_thread_block(void)
{
	return thread_block();
}

/* ---- The grid --------------------------------------------------------------------------------------------------- */

class grid_group {
public:
	/* Of a cooperative launch only: all CTAs have to be resident. */
	STRATA_MEMBER void sync(void) const
	{
		__syncthreads();
		if (strata_rank_in_block() == 0) {
			unsigned int others = num_blocks() - 1;
			/* The CTA of rank 0 adds what brings the count to the top bit once all others have added 1. */
			unsigned int mine = block_rank() == 0 ? 0x80000000u - others : 1u, before;

			__threadfence();
			before = atomicAdd(&strata_grid_barrier, mine);
			while (((before ^ *(volatile unsigned int *)&strata_grid_barrier) & 0x80000000u) == 0)
				;
			__threadfence();
		}
		__syncthreads();
	}
	STRATA_MEMBER bool is_valid(void) const
	{
		return true;
	}
	STRATA_MEMBER unsigned long long num_blocks(void) const
	{
		return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
	}
	STRATA_MEMBER unsigned long long block_rank(void) const
	{
		return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
	}
	STRATA_MEMBER dim3 block_index(void) const
	{
		return dim3(blockIdx.x, blockIdx.y, blockIdx.z);
	}
	STRATA_MEMBER dim3 dim_blocks(void) const
	{
		return dim3(gridDim.x, gridDim.y, gridDim.z);
	}
	STRATA_MEMBER dim3 group_dim(void) const
	{
		return dim_blocks();
	}
	STRATA_MEMBER unsigned long long num_threads(void) const
	{
		return num_blocks() * strata_block_size();
	}
	STRATA_MEMBER unsigned long long size(void) const
	{
		return num_threads();
	}
	STRATA_MEMBER unsigned long long thread_rank(void) const
	{
		return block_rank() * strata_block_size() + strata_rank_in_block();
	}
};

STRATA_DEV grid_group this_grid(void)
{
	return grid_group();
}

/* ---- Tiles: 1 to 32 threads of a warp, a power of two ------------------------------------------------------------ */

template <unsigned int Size, class Parent = void> class thread_block_tile {
	static_assert(Size >= 1 && Size <= 32 && !(Size & (Size - 1)), "a tile has 1, 2, 4, 8, 16 or 32 threads");

public:
	STRATA_MEMBER thread_block_tile(void)
	{
	}
	/* A tile of a known parent is a tile. */
	template <class Other> STRATA_MEMBER thread_block_tile(const thread_block_tile<Size, Other> &)
	{
	}
	/* The lanes of this tile. */
	STRATA_MEMBER unsigned int mask(void) const
	{
		return Size == 32 ? 0xffffffffu : ((1u << (Size & 31)) - 1) << (strata_lane() & ~(Size - 1));
	}
	STRATA_MEMBER void sync(void) const
	{
		__syncwarp(mask());
	}
	STRATA_MEMBER static unsigned int thread_rank(void)
	{
		return strata_rank_in_block() & (Size - 1);
	}
	STRATA_MEMBER static constexpr unsigned int num_threads(void)
	{
		return Size;
	}
	STRATA_MEMBER static constexpr unsigned int size(void)
	{
		return Size;
	}
	STRATA_MEMBER static unsigned int meta_group_rank(void)
	{
		return strata_rank_in_block() / Size;
	}
	STRATA_MEMBER static unsigned int meta_group_size(void)
	{
		return (strata_block_size() + Size - 1) / Size;
	}
	template <class T> STRATA_MEMBER T shfl(T value, int rank) const
	{
		return __shfl_sync(mask(), value, rank, Size);
	}
	template <class T> STRATA_MEMBER T shfl_down(T value, unsigned int distance) const
	{
		return __shfl_down_sync(mask(), value, distance, Size);
	}
	template <class T> STRATA_MEMBER T shfl_up(T value, unsigned int distance) const
	{
		return __shfl_up_sync(mask(), value, distance, Size);
	}
	template <class T> STRATA_MEMBER T shfl_xor(T value, unsigned int lanes) const
	{
		return __shfl_xor_sync(mask(), value, lanes, Size);
	}
	STRATA_MEMBER int any(int predicate) const
	{
		return __any_sync(mask(), predicate);
	}
	STRATA_MEMBER int all(int predicate) const
	{
		return __all_sync(mask(), predicate);
	}
	/* Bit i is thread i of the tile. */
	STRATA_MEMBER unsigned int ballot(int predicate) const
	{
		return __ballot_sync(mask(), predicate) >> (strata_lane() & ~(Size - 1) & 31);
	}
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
	template <class T> STRATA_MEMBER unsigned int match_any(T value) const
	{
		return __match_any_sync(mask(), value) >> (strata_lane() & ~(Size - 1) & 31);
	}
#endif
};

template <unsigned int Size, class Group> STRATA_DEV thread_block_tile<Size, Group> tiled_partition(const Group &)
{
	return thread_block_tile<Size, Group>();
}

/* ---- The threads of a warp that are here together --------------------------------------------------------------- */

class coalesced_group {
	unsigned int lanes;

	/* The lane of the thread of this rank. */
	STRATA_MEMBER int lane_of(unsigned int rank) const
	{
		unsigned int left = lanes;

		for (; rank; rank--)
			left &= left - 1;
		return __ffs((int)left) - 1;
	}
	/* The bits of the group's lanes, brought together. */
	STRATA_MEMBER unsigned int pack(unsigned int bits) const
	{
		unsigned int packed = 0, rank = 0;

		for (unsigned int left = lanes; left; left &= left - 1, rank++)
			packed |= (bits >> (__ffs((int)left) - 1) & 1u) << rank;
		return packed;
	}

public:
	STRATA_MEMBER explicit coalesced_group(unsigned int mask) : lanes(mask)
	{
	}
	STRATA_MEMBER void sync(void) const
	{
		__syncwarp(lanes);
	}
	STRATA_MEMBER unsigned int num_threads(void) const
	{
		return (unsigned int)__popc((int)lanes);
	}
	STRATA_MEMBER unsigned int size(void) const
	{
		return num_threads();
	}
	STRATA_MEMBER unsigned int thread_rank(void) const
	{
		return (unsigned int)__popc((int)(lanes & ((1u << strata_lane()) - 1)));
	}
	template <class T> STRATA_MEMBER T shfl(T value, unsigned int rank) const
	{
		return __shfl_sync(lanes, value, lane_of(rank), 32);
	}
	/* Threads whose partner is beyond the group keep their value. */
	template <class T> STRATA_MEMBER T shfl_down(T value, unsigned int distance) const
	{
		unsigned int rank = thread_rank();

		return __shfl_sync(lanes, value, lane_of(rank + distance < size() ? rank + distance : rank), 32);
	}
	template <class T> STRATA_MEMBER T shfl_up(T value, unsigned int distance) const
	{
		unsigned int rank = thread_rank();

		return __shfl_sync(lanes, value, lane_of(rank >= distance ? rank - distance : rank), 32);
	}
	STRATA_MEMBER int any(int predicate) const
	{
		return __any_sync(lanes, predicate);
	}
	STRATA_MEMBER int all(int predicate) const
	{
		return __all_sync(lanes, predicate);
	}
	STRATA_MEMBER unsigned int ballot(int predicate) const
	{
		return pack(__ballot_sync(lanes, predicate));
	}
};

STRATA_DEV coalesced_group coalesced_threads(void)
{
	return coalesced_group(__activemask());
}

/* ---- On any group ----------------------------------------------------------------------------------------------- */

template <class Group> STRATA_DEV void sync(const Group &group)
{
	group.sync();
}

template <class Group> STRATA_DEV auto thread_rank(const Group &group) -> decltype(group.thread_rank())
{
	return group.thread_rank();
}

template <class Group> STRATA_DEV auto group_size(const Group &group) -> decltype(group.size())
{
	return group.size();
}

#undef STRATA_MEMBER
#undef STRATA_DEV

}

#endif

#endif
#endif
