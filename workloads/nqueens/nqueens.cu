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
 * CTA c searches boards first[c] to first[c + 1] - 1.  Every thread takes one; what is left is for the CTA's first
 * thread, which therefore works long after the others have come to the barrier.
 */
extern "C" __global__ void nqueens_search(const struct nqueens_board *boards, const unsigned int *first,
					  unsigned int *solutions, unsigned int all)
{
	__shared__ struct level stacks[NQUEENS_BLOCK_THREADS][NQUEENS_ROWS_MAX];
	__shared__ unsigned int counts[NQUEENS_BLOCK_THREADS];
	unsigned int end = first[blockIdx.x + 1];
	unsigned int mine = first[blockIdx.x] + threadIdx.x;
	unsigned int count = 0;

	if (mine < end)
		count = solutions_count(stacks[threadIdx.x], boards[mine], all);
	if (threadIdx.x == 0) {
		for (unsigned int i = mine + NQUEENS_BLOCK_THREADS; i < end; i++)
			count += solutions_count(stacks[0], boards[i], all);
	}
	counts[threadIdx.x] = count;
	__syncthreads();
	if (threadIdx.x == 0) {
		for (unsigned int i = 1; i < NQUEENS_BLOCK_THREADS; i++)
			count += counts[i];
		solutions[blockIdx.x] = count;
	}
}
