#include <strata/kernel.h>

#include "nqueens.h"

/* One level of a thread's search: the board, and the columns that are still to be tried on it. */
struct level {
	struct nqueens_board board;
	unsigned int free;
};

/* How often the board can be filled: depth first, over a stack in shared memory. */
static __device__ __forceinline__ unsigned int solutions_count(struct level *stack, struct nqueens_board board,
							       unsigned int all)
{
	unsigned int count = 0;
	int top = 0;

	stack[0].board = board;
	stack[0].free = nqueens_free(board, all);
	while (top >= 0) {
		unsigned int free = stack[top].free;
		unsigned int queen = free & (0u - free);
		struct nqueens_board next;

		if (!free) {
			top--;
			continue;
		}
		stack[top].free = free ^ queen;
		next = nqueens_place(stack[top].board, queen);
		if (next.columns == all) {
			count++;
		} else if (nqueens_free(next, all)) {
			top++;
			stack[top].board = next;
			stack[top].free = nqueens_free(next, all);
		}
	}
	return count;
}

/*
 * Every thread searches from one board, those behind the last board none; a CTA's counts are added as a tree in shared
 * memory.  With few boards one CTA has all the work, and lasts as long as its longest search.
 */
extern "C" __global__ void nqueens_search(const struct nqueens_board *boards, unsigned int boards_count,
					  unsigned int *solutions, unsigned int all)
{
	__shared__ struct level stacks[NQUEENS_BLOCK_THREADS][NQUEENS_ROWS_MAX];
	__shared__ unsigned int counts[NQUEENS_BLOCK_THREADS];
	unsigned int thread = threadIdx.x;
	unsigned int board = blockIdx.x * NQUEENS_BLOCK_THREADS + thread;

	counts[thread] = board < boards_count ? solutions_count(stacks[thread], boards[board], all) : 0;
#pragma unroll 1
	for (unsigned int stride = 64; stride > 0; stride /= 2) {
		__syncthreads();
		if (thread < stride && thread + stride < NQUEENS_BLOCK_THREADS)
			counts[thread] += counts[thread + stride];
	}
	if (thread == 0)
		solutions[blockIdx.x] = counts[0];
}
