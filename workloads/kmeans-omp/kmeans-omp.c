/*
 * kmeans-omp - k-means clustering of points with whole coordinates: Lloyd's iteration.
 *
 * Sums of whole numbers are the same in any order, so centres and assignment are those of one thread exactly.
 */
#include "common/teams.h"

#include <stdlib.h>
#include <string.h>

static const struct workload_about about = {
	.name = "kmeans-omp",
	.summary = "k-means clustering of points with whole coordinates; each thread sums, then all is added up.",
	.small_size = "2,048 points, 8 dimensions, 8 clusters, 3 iterations",
	.paper_size = "262,144 points, 34 dimensions, 5 clusters, 3 iterations",
};

enum { POINTS, DIMENSIONS, CLUSTERS, ITERATIONS, WHO, NDPS };
static const struct workload_count counts[] = {
	{"points", "points", 2048, 262144, 1, 1u << 28, 1, NULL},
	{"dimensions", "coordinates of a point", 8, 34, 1, 1024, 1, NULL},
	{"clusters", "centres", 8, 5, 1, 1024, 1, NULL},
	{"iterations", "iterations", 3, 3, 1, 1000, 1, NULL},
	WORKLOAD_WHO,
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

static void iterate_serial(const struct input *in, int32_t *centres, uint32_t *cluster)
{
	struct sums all = sums_new(in);

	for (size_t p = 0; p < in->points; p++)
		point_assign(in, centres, p, cluster, &all);
	centres_move(in, &all, centres);
	free(all.of);
}

struct job {
	int32_t *at, *centres;
	uint32_t *cluster;
	struct sums all;
};

struct kmeans {
	struct input in; /* of the jobs, without its points */
	unsigned int iterations;
	struct job jobs[2];
};

static void job_make(const struct kmeans *k, uint64_t seed, struct job *j)
{
	const size_t coordinates = k->in.points * k->in.dimensions;
	const size_t of_centres = (size_t)k->in.clusters * k->in.dimensions;
	int32_t *at = workload_host_alloc(coordinates, sizeof(*at));

#pragma omp parallel for
	for (size_t i = 0; i < coordinates; i++)
		at[i] = (int32_t)(workload_random(seed, 0, i) >> (64 - COORDINATE_BITS));
	*j = (struct job){at, workload_host_alloc(of_centres, sizeof(*j->centres)),
			  workload_host_alloc(k->in.points, sizeof(*j->cluster)), sums_new(&k->in)};
	memcpy(j->centres, at, of_centres * sizeof(*at));
}

/* A team's points, and what they add to the sums of all. */
static void part_assign(const struct input *in, const struct job *j, size_t begin, size_t end)
{
#pragma omp parallel
	{
		struct sums own = sums_new(in);

#pragma omp for nowait
		for (size_t p = begin; p < end; p++)
			point_assign(in, j->centres, p, j->cluster, &own);
#pragma omp critical
		for (size_t i = 0; i < own.count; i++)
			j->all.of[i] += own.of[i];
		free(own.of);
	}
}

static void part_do(void *kmeans, const struct workload_part *part)
{
	const struct kmeans *k = kmeans;
	const struct job j = k->jobs[part->job];
	struct input in = k->in;
	const size_t begin = workload_part_begin(part, in.points), end = workload_part_end(part, in.points);

	in.at = j.at;
	for (unsigned int i = 0; i < k->iterations; i++) {
		part_assign(&in, &j, begin, end);
		workload_part_wait(part);
		if (!part->number) {
			centres_move(&in, &j.all, j.centres);
			memset(j.all.of, 0, j.all.count * sizeof(*j.all.of));
		}
		workload_part_wait(part);
	}
}

static bool job_is_right(const struct kmeans *k, const struct job *j)
{
	const size_t of_centres = (size_t)k->in.clusters * k->in.dimensions;
	int32_t *centres = workload_host_alloc(of_centres, sizeof(*centres));
	uint32_t *want = workload_host_alloc(k->in.points, sizeof(*want));
	struct input in = k->in;
	bool right;

	in.at = j->at;
	memcpy(centres, j->at, of_centres * sizeof(*centres));
	for (unsigned int i = 0; i < k->iterations; i++)
		iterate_serial(&in, centres, want);
	right = workload_same_u32("cluster", j->cluster, want, in.points) &&
		workload_same_u32("centre", (const uint32_t *)j->centres, (const uint32_t *)centres, of_centres);
	free(centres);
	free(want);
	return right;
}

static void job_free(struct job *j)
{
	free(j->at);
	free(j->centres);
	free(j->cluster);
	free(j->all.of);
}

int main(int argc, char **argv)
{
	const struct workload_options o = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	struct kmeans k = {.in = {o.counts[POINTS], o.counts[DIMENSIONS], o.counts[CLUSTERS], NULL},
			   .iterations = o.counts[ITERATIONS]};
	const uint32_t jobs = workload_jobs(o.counts[WHO]);
	double seconds;
	bool right = true;

	if (k.in.clusters > k.in.points)
		workload_fail("--clusters must not exceed --points");
	strata_modelling_end();
	for (uint32_t i = 0; i < jobs; i++)
		job_make(&k, o.seed + i, &k.jobs[i]);
	strata_modelling_begin(STRATA_CACHES_COLD);
	seconds = workload_divide(o.counts[WHO], o.counts[NDPS], part_do, &k);
	strata_modelling_end();
	for (uint32_t i = 0; i < jobs; i++) {
		right = job_is_right(&k, &k.jobs[i]) && right;
		job_free(&k.jobs[i]);
	}
	workload_measure("rate", (double)k.in.points * k.iterations * jobs / seconds * 1e-6, "Mpoints/s");
	return workload_finish(right, "%zu points, %u dimensions, %u clusters, %u iterations", k.in.points,
			       k.in.dimensions, k.in.clusters, k.iterations);
}
