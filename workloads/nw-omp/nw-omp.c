/*
 * Alignment of two sequences by threads: the scores' tiles along a diagonal at once, a diagonal after the other.
 */
#include "common/steps.h"
#include "nw/nw.h"

#include <stdlib.h>

static const struct workload_about about = {"nw-omp", "Alignment of two sequences (Needleman-Wunsch), by threads.",
					    "256 letters each", "2,048 letters each, as in Rodinia"};
static const struct workload_count counts[] = {
	{"length", "letters of each sequence", 256, 2048, NW_TILE, 16384, NW_TILE, NULL},
	{"penalty", "cost of a gap", 10, 10, 0, 1000, 1, NULL},
};

struct alignment {
	size_t length, width;
	int penalty, *similar, *scores; /* [width][width] */
};

static struct alignment alignment_make(const struct workload_options *o)
{
	struct alignment a = {
	    .length = o->counts[0], .width = (size_t)o->counts[0] + 1, .penalty = (int)o->counts[1]};

	a.similar = workload_host_alloc(a.width * a.width, sizeof(int));
	a.scores = workload_host_alloc(a.width * a.width, sizeof(int));
	for (size_t row = 1; row < a.width; row++)
		for (size_t column = 1; column < a.width; column++)
			a.similar[row * a.width + column] =
			    nw_score((unsigned int)(workload_random(o->seed, 0, row) % NW_LETTERS),
				     (unsigned int)(workload_random(o->seed, 1, column) % NW_LETTERS));
	for (size_t i = 1; i < a.width; i++)
		a.scores[i] = a.scores[i * a.width] = -(int)i * a.penalty;
	return a;
}

static void tile(const struct alignment *a, size_t first_row, size_t first_column)
{
	for (size_t row = first_row; row < first_row + NW_TILE; row++) {
		const int *above = a->scores + (row - 1) * a->width, *similar = a->similar + row * a->width;
		int *here = a->scores + row * a->width;

		for (size_t column = first_column; column < first_column + NW_TILE; column++) {
			int best = above[column - 1] + similar[column];

			best = best > above[column] - a->penalty ? best : above[column] - a->penalty;
			here[column] = best > here[column - 1] - a->penalty ? best : here[column - 1] - a->penalty;
		}
	}
}

static void align(const struct alignment *a, bool is_team)
{
	const size_t side = a->length / NW_TILE;

#pragma omp parallel if (is_team)
	for (size_t diagonal = 0; diagonal < 2 * side - 1; diagonal++) {
		const size_t first = diagonal < side ? 0 : diagonal - side + 1;
		const size_t last = diagonal < side ? diagonal : side - 1;

#pragma omp for
		for (size_t row = first; row <= last; row++)
			tile(a, 1 + row * NW_TILE, 1 + (diagonal - row) * NW_TILE);
	}
}

static void alignment_free(struct alignment *a)
{
	free(a->similar);
	free(a->scores);
}

int main(int argc, char **argv)
{
	const struct workload_options o = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	struct alignment got, want;
	double begin;
	bool right;

	strata_modelling_end();
	got = alignment_make(&o);
	want = alignment_make(&o);
	workload_input(got.similar, got.width * got.width * sizeof(int));
	workload_input_number((uint64_t)got.penalty);
	begin = steps_begin();
	align(&got, true);
	steps_end(begin);
	align(&want, false);
	right = workload_same_u32("score", (const uint32_t *)got.scores, (const uint32_t *)want.scores,
				  got.width * got.width);
	alignment_free(&got);
	alignment_free(&want);
	return workload_finish(right, "%zu letters each", (size_t)o.counts[0]);
}
