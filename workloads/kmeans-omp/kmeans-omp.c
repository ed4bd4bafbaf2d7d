/*
 * kmeans-omp - k-means clustering of points with whole coordinates: Lloyd's iteration.
 *
 * Sums of whole numbers are the same in any order, so centres and assignment are those of one thread exactly.
 */
#include "common/program.h"

#include <stdlib.h>
#include <strata/ndp.h>
#include <string.h>

static const struct workload_about about = {
	.name = "kmeans-omp",
	.summary = "k-means clustering of points with whole coordinates; each thread sums, then all is added up.",
	.small_size = "2,048 points, 8 dimensions, 8 clusters, 3 iterations",
	.paper_size = "262,144 points, 34 dimensions, 5 clusters, 3 iterations",
};

enum { POINTS, DIMENSIONS, CLUSTERS, ITERATIONS };
static const struct workload_count counts[] = {
	{"points", "points", 2048, 262144, 1, 1u << 28, 1, NULL},
	{"dimensions", "coordinates of a point", 8, 34, 1, 1024, 1, NULL},
	{"clusters", "centres", 8, 5, 1, 1024, 1, NULL},
	{"iterations", "iterations", 3, 3, 1, 1000, 1, NULL},
};

enum { COORDINATE_BITS = 16 };

struct input {
	size_t points;
	uint32_t dimensions, clusters;
	const int32_t *at; /* [points][dimensions] */
};

struct sums {
	int64_t *of; /* [clusters][dimensions], then how many points, [clusters] */
	size_t count;
};

static struct sums sums_new(const struct input *in)
{
	struct sums s = {.count = (size_t)in->clusters * (in->dimensions + 1)};

	s.of = workload_host_alloc(s.count, sizeof(*s.of));
	return s;
}

static uint32_t nearest(const struct input *in, const int32_t *centres, const int32_t *point)
{
	int64_t least = INT64_MAX;
	uint32_t found = 0;

	for (uint32_t c = 0; c < in->clusters; c++) {
		int64_t distance = 0;

		for (uint32_t d = 0; d < in->dimensions; d++) {
			const int64_t apart = point[d] - centres[c * in->dimensions + d];

			distance += apart * apart;
		}
		if (distance < least) {
			least = distance;
			found = c;
		}
	}
	return found;
}

static void point_assign(const struct input *in, const int32_t *centres, size_t p, uint32_t *cluster, struct sums *sums)
{
	const int32_t *point = &in->at[p * in->dimensions];
	const uint32_t c = nearest(in, centres, point);

	cluster[p] = c;
	for (uint32_t d = 0; d < in->dimensions; d++)
		sums->of[c * in->dimensions + d] += point[d];
	sums->of[in->clusters * in->dimensions + c]++;
}

/* An empty cluster keeps its centre. */
static void centres_move(const struct input *in, const struct sums *sums, int32_t *centres)
{
	for (uint32_t c = 0; c < in->clusters; c++) {
		const int64_t members = sums->of[in->clusters * in->dimensions + c];

		for (uint32_t d = 0; members && d < in->dimensions; d++)
			centres[c * in->dimensions + d] = (int32_t)(sums->of[c * in->dimensions + d] / members);
	}
}

static void iterate(const struct input *in, int32_t *centres, uint32_t *cluster)
{
	struct sums all = sums_new(in);

#pragma omp parallel
	{
		struct sums own = sums_new(in);

#pragma omp for nowait
		for (size_t p = 0; p < in->points; p++)
			point_assign(in, centres, p, cluster, &own);
#pragma omp critical
		for (size_t i = 0; i < all.count; i++)
			all.of[i] += own.of[i];
		free(own.of);
	}
	centres_move(in, &all, centres);
	free(all.of);
}

static void iterate_serial(const struct input *in, int32_t *centres, uint32_t *cluster)
{
	struct sums all = sums_new(in);

	for (size_t p = 0; p < in->points; p++)
		point_assign(in, centres, p, cluster, &all);
	centres_move(in, &all, centres);
	free(all.of);
}

int main(int argc, char **argv)
{
	const struct workload_options o = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	struct input in = {o.counts[POINTS], o.counts[DIMENSIONS], o.counts[CLUSTERS], NULL};
	const size_t coordinates = in.points * in.dimensions, of_centres = (size_t)in.clusters * in.dimensions;
	int32_t *at = workload_host_alloc(coordinates, sizeof(*at));
	int32_t *centres = workload_host_alloc(of_centres, sizeof(*centres));
	int32_t *want_centres = workload_host_alloc(of_centres, sizeof(*want_centres));
	uint32_t *got = workload_host_alloc(in.points, sizeof(*got));
	uint32_t *want = workload_host_alloc(in.points, sizeof(*want));
	double seconds;
	bool right;

	if (in.clusters > in.points)
		workload_fail("--clusters must not exceed --points");
	strata_modelling_end();
	in.at = at;
#pragma omp parallel for
	for (size_t i = 0; i < coordinates; i++)
		at[i] = (int32_t)(workload_random(o.seed, 0, i) >> (64 - COORDINATE_BITS));
	memcpy(centres, at, of_centres * sizeof(*centres));
	memcpy(want_centres, at, of_centres * sizeof(*centres));
	strata_modelling_begin(STRATA_CACHES_COLD);
	seconds = workload_seconds();
	for (unsigned int i = 0; i < o.counts[ITERATIONS]; i++)
		iterate(&in, centres, got);
	seconds = workload_seconds() - seconds;
	strata_modelling_end();
	for (unsigned int i = 0; i < o.counts[ITERATIONS]; i++)
		iterate_serial(&in, want_centres, want);
	right = workload_same_u32("cluster", got, want, in.points) &&
		workload_same_u32("centre", (const uint32_t *)centres, (const uint32_t *)want_centres, of_centres);
	workload_measure("rate", (double)in.points * o.counts[ITERATIONS] / seconds * 1e-6, "Mpoints/s");
	free(at);
	free(centres);
	free(want_centres);
	free(got);
	free(want);
	return workload_finish(right, "%zu points, %u dimensions, %u clusters, %u iterations", in.points, in.dimensions,
			       in.clusters, o.counts[ITERATIONS]);
}
