/*
 * Alignment of two sequences (Needleman and Wunsch): the matrix of the best scores of all prefixes, tile by tile along
 * its anti-diagonals, a launch each.  Compared with the same matrix on the host.
 */
#include "common/workload.h"
#include "nw.h"

#include <stdlib.h>
#include <string.h>

static const char nw_ptx[] =
#include WORKLOAD_PTX
    ;

struct alignment {
	unsigned int length, width; /* of both sequences; of a row of the matrices: length + 1 */
	int penalty;
	int *similar; /* [row * width + column], of the letters there */
	int *scores;
};

static size_t cells_count(const struct alignment *work)
{
	return (size_t)work->width * work->width;
}

static unsigned int letter_of(uint64_t seed, uint32_t sequence, unsigned int at)
{
	return (unsigned int)(workload_random(seed, sequence, at) % NW_LETTERS);
}

static void alignment_make(struct alignment *work, uint64_t seed)
{
	work->similar = workload_host_alloc(cells_count(work), sizeof(int));
	work->scores = workload_host_alloc(cells_count(work), sizeof(int));
	for (unsigned int row = 1; row < work->width; row++) {
		unsigned int a = letter_of(seed, 0, row);

		for (unsigned int column = 1; column < work->width; column++)
			work->similar[(size_t)row * work->width + column] =
			    nw_score(a, letter_of(seed, 1, column));
	}
	for (unsigned int i = 1; i < work->width; i++)
		work->scores[i] = work->scores[(size_t)i * work->width] = -(int)i * work->penalty;
}

static void tiles_run(struct alignment *work, int *result)
{
	struct workload_gpu gpu = workload_gpu_open(nw_ptx);
	CUfunction kernel = workload_gpu_kernel(&gpu, "nw_tiles");
	size_t bytes = cells_count(work) * sizeof(int);
	CUdeviceptr scores = workload_device_copy(work->scores, bytes);
	CUdeviceptr similar = workload_device_copy(work->similar, bytes);
	unsigned int side = work->length / NW_TILE, row, column;
	void *params[] = {&scores, &similar, &work->width, &work->penalty, &row, &column};

	for (unsigned int diagonal = 0; diagonal < 2 * side - 1; diagonal++) {
		unsigned int ctas_count = diagonal < side ? diagonal + 1 : 2 * side - 1 - diagonal;

		row = diagonal < side ? diagonal : side - 1;
		column = diagonal - row;
		workload_launch(kernel, (struct workload_dim){ctas_count, 1, 1}, (struct workload_dim){NW_TILE, 1, 1},
				params);
	}
	WORKLOAD_CUDA(cuMemcpyDtoH(result, scores, bytes));
	WORKLOAD_CUDA(cuMemFree(scores));
	WORKLOAD_CUDA(cuMemFree(similar));
	workload_gpu_close(&gpu);
}

static void matrix_reference(struct alignment *work)
{
	for (size_t row = 1; row < work->width; row++) {
		int *above = work->scores + (row - 1) * work->width, *here = above + work->width;

		for (size_t column = 1; column < work->width; column++) {
			int best = above[column - 1] + work->similar[row * work->width + column];

			best = best > above[column] - work->penalty ? best : above[column] - work->penalty;
			here[column] =
			    best > here[column - 1] - work->penalty ? best : here[column - 1] - work->penalty;
		}
	}
}

int main(int argc, char **argv)
{
	static const struct workload_about about = {"nw", "Alignment of two sequences (Needleman-Wunsch).",
						    "256 letters each", "2,048 letters each, as in Rodinia"};
	static const struct workload_count counts[] = {
	    {"length", "letters of each sequence", 256, 2048, NW_TILE, 16384, NW_TILE, NULL},
	    {"penalty", "cost of a gap", 10, 10, 0, 1000, 1, NULL},
	};
	struct workload_options options = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	struct alignment work = {
	    .length = options.counts[0], .width = options.counts[0] + 1, .penalty = (int)options.counts[1]};
	int *got;
	bool right;

	alignment_make(&work, options.seed);
	workload_input(work.similar, cells_count(&work) * sizeof(int));
	workload_input_number((uint64_t)work.penalty);
	got = workload_host_alloc(cells_count(&work), sizeof(int));
	tiles_run(&work, got);
	matrix_reference(&work);
	right = workload_same_u32("score", (const uint32_t *)got, (const uint32_t *)work.scores, cells_count(&work));
	free(work.similar);
	free(work.scores);
	free(got);
	return workload_finish(right, "%u letters each", work.length);
}
