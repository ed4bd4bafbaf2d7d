/*
 * The N-queens problem by backtracking: in how many ways can N queens stand on a board of N x N so that none attacks
 * another.  The host fills the first rows; the device searches from there, a thread from each board.  Threads of a warp
 * part at once, and the few boards of a small problem fill a fraction of one CTA.
 */
#include "common/workload.h"
#include "nqueens.h"

#include <stdlib.h>

static const char nqueens_ptx[] =
#include WORKLOAD_PTX
    ;

/* As in GPGPU-Sim's N-queens program for ten queens: 36 boards, and far more threads. */
enum {
	ROWS_HOST = 2, /* filled by the host */
	CTAS_COUNT = 223,
};

/* Solutions: OEIS A000170. */
static const unsigned int published[] = {[8] = 92, [10] = 724};

struct nqueens {
	unsigned int size; /* even */
	unsigned int all;  /* a bit for each column */
	struct nqueens_board *boards;
	unsigned int boards_count;
};

/*
 * Adds all boards that fill `board` up to ROWS_HOST rows.  The first queen stands in the left half: the other half has
 * the same solutions mirrored.
 */
static void boards_add(struct nqueens *work, struct nqueens_board board, unsigned int row)
{
	unsigned int columns_count = row ? work->size : work->size / 2;

	if (row == ROWS_HOST) {
		work->boards[work->boards_count++] = board;
		return;
	}
	for (unsigned int column = 0; column < columns_count; column++) {
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
	CUdeviceptr counts = workload_device_alloc(CTAS_COUNT * sizeof(*solutions));
	unsigned int boards_count = work->boards_count;
	unsigned int all = work->all;
	void *params[] = {&boards, &boards_count, &counts, &all};

	workload_launch(kernel, (struct workload_dim){CTAS_COUNT, 1, 1},
			(struct workload_dim){NQUEENS_BLOCK_THREADS, 1, 1}, params);
	WORKLOAD_CUDA(cuMemcpyDtoH(solutions, counts, CTAS_COUNT * sizeof(*solutions)));
	WORKLOAD_CUDA(cuMemFree(boards));
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
	unsigned int *want = workload_host_alloc(CTAS_COUNT, sizeof(*want));
	unsigned int sum = 0;
	bool right;

	for (unsigned int board = 0; board < work->boards_count; board++)
		want[board / NQUEENS_BLOCK_THREADS] += solutions_reference(work, work->boards[board]);
	for (unsigned int cta = 0; cta < CTAS_COUNT; cta++)
		sum += 2 * solutions[cta];
	right = workload_same_u32("CTA's count", solutions, want, CTAS_COUNT) &&
		workload_same_u32("sum", &sum, &published[work->size], 1);
	free(want);
	return right;
}

int main(int argc, char **argv)
{
	static const struct workload_about about = {"nqueens", "The N-queens problem by backtracking.", "8 queens",
						    "10 queens"};
	struct workload_options options = workload_options_parse(&about, argc, argv);
	struct nqueens work = {.size = options.paper ? 10 : 8};
	unsigned int *solutions = workload_host_alloc(CTAS_COUNT, sizeof(*solutions));
	bool right;

	work.all = (1u << work.size) - 1;
	work.boards = workload_host_alloc((size_t)work.size * work.size, sizeof(*work.boards));
	boards_add(&work, (struct nqueens_board){0, 0, 0}, 0);
	search_run(&work, solutions);
	right = solutions_check(&work, solutions);
	free(work.boards);
	free(solutions);
	return workload_finish(right, "%u queens, %u boards, %d CTAs", work.size, work.boards_count, (int)CTAS_COUNT);
}
