/* Shared by the host program and the kernel: a partly filled board, and what it leaves free. */
#ifndef NQUEENS_H
#define NQUEENS_H

enum {
	NQUEENS_BLOCK_THREADS = 96,
	NQUEENS_ROWS_MAX = 10, /* left to fill on the device */
};

/* Rows are filled from the first. A bit per column: taken, and attacked in the next row along the two diagonals. */
struct nqueens_board {
	unsigned int columns, left, right;
};

#if defined(__CUDA__) || defined(__CUDACC__)
#define NQUEENS_BOTH static __device__ __forceinline__
#else
#define NQUEENS_BOTH static inline
#endif

/* The columns where the next queen can stand. */
NQUEENS_BOTH unsigned int nqueens_free(struct nqueens_board board, unsigned int all)
{
	return all & ~(board.columns | board.left | board.right);
}

/* The board with one more queen; `queen` is the bit of its column. */
NQUEENS_BOTH struct nqueens_board nqueens_place(struct nqueens_board board, unsigned int queen)
{
	struct nqueens_board next = {board.columns | queen, (board.left | queen) << 1, (board.right | queen) >> 1};

	return next;
}

#endif
