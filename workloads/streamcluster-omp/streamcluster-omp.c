/*
 * Online clustering by threads: the gain of opening a centre, tried for a number of candidates; points for each
 * thread.  What a point saves goes into a table, as in the CUDA program, whose columns are then summed, centres for
 * each thread.
 */
#include "common/steps.h"
#include "streamcluster/streamcluster.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct workload_about about = {"streamcluster-omp",
					    "Online clustering: the gain of opening candidates as centres, by threads.",
					    "8,192 points with 32 dimensions, 4 candidates",
					    "16,384 points with 128 dimensions, 20 candidates"};
static const struct workload_count counts[] = {
	{"points", "points", 8192, 16384, 1024, 1 << 22, 1, NULL},
	{"dimensions", "dimensions", 32, 128, 4, 1024, 1, NULL},
	{"candidates", "candidates", 4, 20, 2, 1000, 1, NULL},
};

enum { CENTRES_FIRST = 10, CLUSTERS = 24 /* as in streamcluster */ };

struct clustering {
	size_t points_count, dimensions_count, candidates_count, centres_count;
	float opening_cost;
	uint64_t seed;
	float *coordinates; /* [dimension * points_count + point] */
	struct streamcluster_point *points;
	unsigned int *centres, *place; /* [place] points; [point] its place in centres, when it is one */
	float *savings;		       /* [point * (centres_count + 1) + place]; the last one is the candidate's */
	unsigned char *moves;
	double *closing; /* [place] what closing that centre saves, less what it costs; the last: the candidate's */
	bool *is_closed;
};

static float squared_distance(const struct clustering *w, size_t a, size_t b)
{
	float distance = 0.0f;

	for (size_t k = 0; k < w->dimensions_count; k++) {
		const float d = w->coordinates[k * w->points_count + a] - w->coordinates[k * w->points_count + b];

		distance += d * d;
	}
	return distance;
}

static void centre_open(struct clustering *w, unsigned int point)
{
	w->place[point] = (unsigned int)w->centres_count;
	w->centres[w->centres_count++] = point;
}

static void points_assign(struct clustering *w)
{
	for (size_t i = 0; i < w->points_count; i++) {
		struct streamcluster_point *point = &w->points[i];

		point->weight = 1.0f + workload_random_float(w->seed, 3, i);
		point->cost = INFINITY;
		for (size_t c = 0; c < w->centres_count; c++) {
			const float cost = squared_distance(w, i, w->centres[c]) * point->weight;

			if (cost < point->cost) {
				point->cost = cost;
				point->centre = w->centres[c];
			}
		}
	}
}

static struct clustering clustering_make(const struct workload_options *o)
{
	struct clustering w = {.points_count = o->counts[0], .dimensions_count = o->counts[1],
			       .candidates_count = o->counts[2], .seed = o->seed};
	const size_t centres_max = CENTRES_FIRST + w.candidates_count;

	w.coordinates = workload_host_alloc(w.points_count * w.dimensions_count, sizeof(float));
	w.points = workload_host_alloc(w.points_count, sizeof(*w.points));
	w.centres = workload_host_alloc(centres_max, sizeof(*w.centres));
	w.place = workload_host_alloc(w.points_count, sizeof(*w.place));
	w.savings = workload_host_alloc(w.points_count * (centres_max + 1), sizeof(float));
	w.moves = workload_host_alloc(w.points_count, 1);
	w.closing = workload_host_alloc(centres_max + 1, sizeof(double));
	w.is_closed = workload_host_alloc(centres_max, sizeof(bool));
	for (size_t k = 0; k < w.dimensions_count; k++) {
		for (size_t i = 0; i < w.points_count; i++) {
			const uint64_t cluster = workload_random(w.seed, 0, i) % CLUSTERS;
			const float place = workload_random_float(w.seed, 1, cluster * w.dimensions_count + k);

			w.coordinates[k * w.points_count + i] =
			    place + 0.25f * workload_random_float(w.seed, 2, k * w.points_count + i);
		}
	}
	w.opening_cost = (float)(0.01 * (double)w.points_count / CLUSTERS * (double)w.dimensions_count);
	for (unsigned int c = 0; c < CENTRES_FIRST; c++)
		centre_open(&w, c * (unsigned int)(w.points_count / CENTRES_FIRST));
	points_assign(&w);
	return w;
}

static void clustering_free(struct clustering *w)
{
	free(w->coordinates);
	free(w->points);
	free(w->centres);
	free(w->place);
	free(w->savings);
	free(w->moves);
	free(w->closing);
	free(w->is_closed);
}

static void savings_compute(const struct clustering *w, size_t candidate, bool is_team)
{
	const size_t row = w->centres_count + 1;

#pragma omp parallel for if (is_team)
	for (size_t i = 0; i < w->points_count; i++) {
		const struct streamcluster_point *point = &w->points[i];
		const float cost = squared_distance(w, i, candidate) * point->weight;
		const bool is_moving = cost < point->cost;

		memset(&w->savings[i * row], 0, row * sizeof(float));
		w->moves[i] = is_moving;
		w->savings[i * row + (is_moving ? w->centres_count : w->place[point->centre])] =
		    is_moving ? cost - point->cost : point->cost - cost;
	}
}

/* The gain of opening the candidate and closing every centre that then saves less than its points cost elsewhere. */
static double gain_sum(const struct clustering *w, bool is_team)
{
	const size_t row = w->centres_count + 1;
	double gain;

#pragma omp parallel for if (is_team)
	for (size_t c = 0; c < row; c++) {
		double sum = w->opening_cost;

		for (size_t i = 0; i < w->points_count; i++)
			sum += w->savings[i * row + c];
		w->closing[c] = sum;
	}
	gain = -w->closing[w->centres_count];
	for (size_t c = 0; c < w->centres_count; c++) {
		w->is_closed[c] = w->closing[c] > 0;
		gain += w->is_closed[c] ? w->closing[c] : 0;
	}
	return gain;
}

/* Points that are served better, or whose centre closes, go to the candidate. */
static void candidate_open(struct clustering *w, unsigned int candidate, bool is_team)
{
	const size_t before_count = w->centres_count;

#pragma omp parallel for if (is_team)
	for (size_t i = 0; i < w->points_count; i++) {
		struct streamcluster_point *point = &w->points[i];

		if (!w->moves[i] && !w->is_closed[w->place[point->centre]])
			continue;
		point->cost = squared_distance(w, i, candidate) * point->weight;
		point->centre = candidate;
	}
	w->centres_count = 0;
	for (size_t c = 0; c < before_count; c++)
		if (!w->is_closed[c])
			centre_open(w, w->centres[c]);
	centre_open(w, candidate);
}

static bool is_centre(const struct clustering *w, unsigned int point)
{
	for (size_t c = 0; c < w->centres_count; c++)
		if (w->centres[c] == point)
			return true;
	return false;
}

static void candidates_try(struct clustering *w, bool is_team)
{
	for (size_t n = 0; n < w->candidates_count; n++) {
		const unsigned int candidate = (unsigned int)(workload_random(w->seed, 4, n) % w->points_count);

		if (is_centre(w, candidate))
			continue;
		savings_compute(w, candidate, is_team);
		if (gain_sum(w, is_team) > 0)
			candidate_open(w, candidate, is_team);
	}
}

static double cost_of_all(const struct clustering *w)
{
	double sum = (double)w->opening_cost * (double)w->centres_count;

	for (size_t i = 0; i < w->points_count; i++)
		sum += w->points[i].cost;
	return sum;
}

/* As one thread does it: centre by centre, point by point; and no dearer than before. */
static bool clustering_check(const struct clustering *got, const struct clustering *want, double cost_before)
{
	const size_t words = sizeof(struct streamcluster_point) / sizeof(uint32_t) * got->points_count;

	if (got->centres_count != want->centres_count || cost_of_all(got) > cost_before) {
		fprintf(stderr, "streamcluster-omp: %zu centres, expected %zu; a cost of %g, and %g before\n",
			got->centres_count, want->centres_count, cost_of_all(got), cost_before);
		return false;
	}
	return workload_same_u32("centre", got->centres, want->centres, got->centres_count) &&
	       workload_same_u32("word of a point", (const uint32_t *)(const void *)got->points,
				 (const uint32_t *)(const void *)want->points, words);
}

int main(int argc, char **argv)
{
	const struct workload_options o = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	struct clustering got, want;
	double begin, cost_before;
	size_t centres_count;
	bool right;

	strata_modelling_end();
	got = clustering_make(&o);
	want = clustering_make(&o);
	workload_input(got.coordinates, got.points_count * got.dimensions_count * sizeof(float));
	workload_input(got.points, got.points_count * sizeof(*got.points));
	workload_input_number(got.candidates_count);
	cost_before = cost_of_all(&got);
	begin = steps_begin();
	candidates_try(&got, true);
	steps_end(begin);
	candidates_try(&want, false);
	right = clustering_check(&got, &want, cost_before);
	centres_count = got.centres_count;
	clustering_free(&got);
	clustering_free(&want);
	return workload_finish(right, "%u points, %u dimensions, %u candidates, %zu centres", o.counts[0], o.counts[1],
			       o.counts[2], centres_count);
}
