/*
 * The N-queens problem by backtracking: in how many ways can N queens stand on a board of N x N so that none attacks
 * another.  The host fills the first rows; the device searches from there.  Threads of a warp part at once, and each
 * CTA's first thread works longest.
 */
#include "common/workload.h"
#include "nqueens.h"

#include <stdlib.h>

static const char nqueens_ptx[] =
#include WORKLOAD_PTX
    ;

enum {
	ROWS_CTA = 2,  /* boards of a CTA agree in these rows */
	ROWS_HOST = 6, /* filled by the host */
};

/* Solutions for 11 and 12 queens: OEIS A000170. */
static const unsigned int published[] = {[11] = 2680, [12] = 14200};

struct nqueens {
	unsigned int size;
	unsigned int all; /* a bit for each column */
	struct nqueens_board *boards;
	unsigned int *first; /* ctas_count + 1, indices of boards */
	unsigned int boards_count;
	unsigned int ctas_count;
};

/* No more boards than this have `rows` rows filled. */
static unsigned int boards_limit(unsigned int size, unsigned int rows)
{
	unsigned int limit = 1;

	for (unsigned int row = 0; row < rows; row++)
		limit *= size - row;
	return limit;
}

/* Adds all boards that fill `board` up to ROWS_HOST rows. */
static void boards_add(struct nqueens *work, struct nqueens_board board, unsigned int row)
{
	if (row == ROWS_CTA)
		work->first[work->ctas_count++] = work->boards_count;
	if (row == ROWS_HOST) {
		work->boards[work->boards_count++] = board;
		return;
	}
	for (unsigned int column = 0; column < work->size; column++) {
		unsigned int queen = 1u << column;

		if (nqueens_free(board, work->all) & queen)
			boards_add(work, nqueens_place(board, queen), row + 1);
	}
}

static void search_run(const struct nqueens *work, unsigned int *solutions)
{
	struct workload_gpu gpu = workload_gpu_open(nqueens_ptx);
	CUfunction kernel = workload_gpu_kernel(&gpu, "nqueens_search");
	CUdeviceptr boards = workload_device_copy(work->boards, work->boards_count * sizeof(*work->boards));
	CUdeviceptr first = workload_device_copy(work->first, (work->ctas_count + 1) * sizeof(*work->first));
	CUdeviceptr counts = workload_device_alloc(work->ctas_count * sizeof(*solutions));
	unsigned int all = work->all;
	void *params[] = {&boards, &first, &counts, &all};

	workload_launch(kernel, (struct workload_dim){work->ctas_count, 1, 1},
			(struct workload_dim){NQUEENS_BLOCK_THREADS, 1, 1}, params);
	WORKLOAD_CUDA(cuMemcpyDtoH(solutions, counts, work->ctas_count * sizeof(*solutions)));
	WORKLOAD_CUDA(cuMemFree(boards));
	WORKLOAD_CUDA(cuMemFree(first));
	WORKLOAD_CUDA(cuMemFree(counts));
	workload_gpu_close(&gpu);
}

/* The same by recursion. */
static unsigned int solutions_reference(const struct nqueens *work, struct nqueens_board board)
{
	unsigned int free = nqueens_free(board, work->all);
	unsigned int count = board.columns == work->all;

	while (free) {
		unsigned int queen = free & -free;

		count += solutions_reference(work, nqueens_place(board, queen));
		free ^= queen;
	}
	return count;
}

static bool solutions_check(const struct nqueens *work, const unsigned int *solutions)
{
	unsigned int *want = workload_host_alloc(work->ctas_count, sizeof(*want));
	unsigned int sum = 0;
	bool right;

	for (unsigned int cta = 0; cta < work->ctas_count; cta++) {
		for (unsigned int i = work->first[cta]; i < work->first[cta + 1]; i++)
			want[cta] += solutions_reference(work, work->boards[i]);
		sum += solutions[cta];
	}
	right = workload_same_u32("CTA's count", solutions, want, work->ctas_count) &&
		workload_same_u32("sum", &sum, &published[work->size], 1);
	free(want);
	return right;
}

int main(int argc, char **argv)
{
	static const struct workload_about about = {"nqueens", "The N-queens problem by backtracking.", "11 queens",
						    "12 queens"};
	struct workload_options options = workload_options_parse(&about, argc, argv);
	struct nqueens work = {.size = options.paper ? 12 : 11};
	unsigned int *solutions;
	bool right;

	work.all = (1u << work.size) - 1;
	work.boards = workload_host_alloc(boards_limit(work.size, ROWS_HOST), sizeof(*work.boards));
	work.first = workload_host_alloc(boards_limit(work.size, ROWS_CTA) + 1, sizeof(*work.first));
	boards_add(&work, (struct nqueens_board){0, 0, 0}, 0);
	work.first[work.ctas_count] = work.boards_count;
	solutions = workload_host_alloc(work.ctas_count, sizeof(*solutions));
	search_run(&work, solutions);
	right = solutions_check(&work, solutions);
	free(work.boards);
	free(work.first);
	free(solutions);
	return workload_finish(right, "%u queens, %u boards in %u CTAs", work.size, work.boards_count, work.ctas_count);
}
