/*
 * Online clustering: the gain of opening a centre, tried for a number of candidates, as in the streamcluster program
 * of Rodinia.  After each candidate the host adds the savings, opens the candidate when that pays, closes the centres
 * that then cost more than they save, and moves the points.
 *
 * Each candidate's savings and moves are compared bit for bit with the same operations on the host.  Independently of
 * that, at the end every point's cost is compared with its distance to its centre in double precision, and the cost of
 * the whole clustering must not have risen.
 */
#include "common/workload.h"
#include "streamcluster/streamcluster.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char streamcluster_ptx[] =
#include WORKLOAD_PTX
	;

enum {
	BLOCK_THREADS = 512, /* Rodinia's */
	CENTRES_FIRST = 10, /* open before the first candidate */
	CLUSTERS = 24,	    /* the points are drawn around that many places */
};

struct streamcluster {
	unsigned int points_count, dimensions_count, candidates_count;
	unsigned int centres_count;
	float opening_cost;
	uint64_t seed;
	float *coordinates; /* [dimension * points_count + point] */
	struct streamcluster_point *points;
	unsigned int *centres; /* [place] points */
	unsigned int *place;   /* [point] its place in centres, when it is one */
	float *savings;	       /* [point * (centres_count + 1) + place]; the last one is the candidate's */
	float *want_savings;
	unsigned char *moves, *want_moves;
	double *closing; /* [place] what closing that centre saves, less what it costs */
	bool *is_closed; /* [place] */
};

struct device {
	struct workload_gpu gpu;
	CUfunction kernel;
	CUdeviceptr coordinates, points, place, savings, moves;
};

static float squared_distance(const struct streamcluster *work, unsigned int a, unsigned int b)
{
	float distance = 0.0f;

	for (size_t k = 0; k < work->dimensions_count; k++) {
		float d = work->coordinates[k * work->points_count + a] - work->coordinates[k * work->points_count + b];

		distance += d * d;
	}
	return distance;
}

static void centre_open(struct streamcluster *work, unsigned int point)
{
	work->place[point] = work->centres_count;
	work->centres[work->centres_count++] = point;
}

/* Every point belongs to the nearest of the first centres. */
static void points_assign(struct streamcluster *work)
{
	for (unsigned int i = 0; i < work->points_count; i++) {
		struct streamcluster_point *point = &work->points[i];

		point->weight = 1.0f + workload_random_float(work->seed, 3, i);
		point->cost = INFINITY;
		for (unsigned int c = 0; c < work->centres_count; c++) {
			float cost = squared_distance(work, i, work->centres[c]) * point->weight;

			if (cost < point->cost) {
				point->cost = cost;
				point->centre = work->centres[c];
			}
		}
	}
}

static size_t savings_count(const struct streamcluster *work)
{
	return (size_t)work->points_count * (CENTRES_FIRST + work->candidates_count + 1);
}

static void input_make(struct streamcluster *work)
{
	size_t points_count = work->points_count;
	unsigned int centres_max = CENTRES_FIRST + work->candidates_count;

	work->coordinates = workload_host_alloc(points_count * work->dimensions_count, sizeof(float));
	work->points = workload_host_alloc(points_count, sizeof(*work->points));
	work->centres = workload_host_alloc(centres_max, sizeof(*work->centres));
	work->place = workload_host_alloc(points_count, sizeof(*work->place));
	work->savings = workload_host_alloc(savings_count(work), sizeof(float));
	work->want_savings = workload_host_alloc(savings_count(work), sizeof(float));
	work->moves = workload_host_alloc(points_count, 1);
	work->want_moves = workload_host_alloc(points_count, 1);
	work->closing = workload_host_alloc(centres_max, sizeof(double));
	work->is_closed = workload_host_alloc(centres_max, sizeof(bool));
	for (size_t k = 0; k < work->dimensions_count; k++) {
		for (size_t i = 0; i < points_count; i++) {
			uint64_t cluster = workload_random(work->seed, 0, i) % CLUSTERS;
			float place = workload_random_float(work->seed, 1, cluster * work->dimensions_count + k);

			work->coordinates[k * points_count + i] =
				place + 0.25f * workload_random_float(work->seed, 2, k * points_count + i);
		}
	}
	/* The cost of a centre is about that of the points of one cluster at their mean distance from each other. */
	work->opening_cost = (float)(0.01 * (double)points_count / CLUSTERS * work->dimensions_count);
	for (unsigned int c = 0; c < CENTRES_FIRST; c++)
		centre_open(work, c * (work->points_count / CENTRES_FIRST));
	points_assign(work);
}

static double cost_of_all(const struct streamcluster *work)
{
	double sum = (double)work->opening_cost * work->centres_count;

	for (unsigned int i = 0; i < work->points_count; i++)
		sum += work->points[i].cost;
	return sum;
}

/* ---- One candidate ---------------------------------------------------------------------------------------------- */

static void device_open(const struct streamcluster *work, struct device *d)
{
	size_t points_count = work->points_count;

	d->gpu = workload_gpu_open(streamcluster_ptx);
	d->kernel = workload_gpu_kernel(&d->gpu, "streamcluster_gain");
	d->coordinates =
		workload_device_copy(work->coordinates, points_count * work->dimensions_count * sizeof(float));
	d->points = workload_device_alloc(points_count * sizeof(*work->points));
	d->place = workload_device_alloc(points_count * sizeof(*work->place));
	d->savings = workload_device_alloc(savings_count(work) * sizeof(float));
	d->moves = workload_device_alloc(points_count);
}

static void device_close(struct device *d)
{
	CUdeviceptr *memory[] = {&d->coordinates, &d->points, &d->place, &d->savings, &d->moves};

	for (size_t i = 0; i < sizeof(memory) / sizeof(memory[0]); i++)
		WORKLOAD_CUDA(cuMemFree(*memory[i]));
	workload_gpu_close(&d->gpu);
}

static void gain_compute(struct streamcluster *work, struct device *d, unsigned int candidate)
{
	size_t points_count = work->points_count;
	size_t savings_bytes = points_count * (work->centres_count + 1) * sizeof(float);
	void *params[] = {&d->coordinates, &d->points,	    &d->place,		      &d->savings,	 &d->moves,
			  &candidate,	   &work->points_count, &work->dimensions_count, &work->centres_count};

	WORKLOAD_CUDA(cuMemcpyHtoD(d->points, work->points, points_count * sizeof(*work->points)));
	WORKLOAD_CUDA(cuMemcpyHtoD(d->place, work->place, points_count * sizeof(*work->place)));
	WORKLOAD_CUDA(cuMemsetD8(d->savings, 0, savings_bytes));
	WORKLOAD_CUDA(cuMemsetD8(d->moves, 0, points_count));
	workload_launch(d->kernel, (struct workload_dim){workload_ctas(points_count, BLOCK_THREADS), 1, 1},
			(struct workload_dim){BLOCK_THREADS, 1, 1}, params);
	WORKLOAD_CUDA(cuMemcpyDtoH(work->savings, d->savings, savings_bytes));
	WORKLOAD_CUDA(cuMemcpyDtoH(work->moves, d->moves, points_count));
}

static bool gain_check(struct streamcluster *work, unsigned int candidate)
{
	size_t row_count = work->centres_count + 1;

	memset(work->want_savings, 0, work->points_count * row_count * sizeof(float));
	for (unsigned int i = 0; i < work->points_count; i++) {
		const struct streamcluster_point *point = &work->points[i];
		float cost = squared_distance(work, i, candidate) * point->weight;
		bool is_moving = cost < point->cost;
		size_t place = is_moving ? work->centres_count : work->place[point->centre];

		work->want_moves[i] = is_moving;
		work->want_savings[i * row_count + place] = is_moving ? cost - point->cost : point->cost - cost;
		if (work->moves[i] != work->want_moves[i]) {
			fprintf(stderr, "streamcluster: point %u %s, which is wrong\n", i,
				is_moving ? "stays" : "moves");
			return false;
		}
	}
	return workload_same_f32("savings", work->savings, work->want_savings, work->points_count * row_count, 0);
}

/* The gain of opening the candidate and closing every centre that then saves less than its points cost elsewhere. */
static double gain_sum(struct streamcluster *work)
{
	size_t row_count = work->centres_count + 1;
	double gain = -(double)work->opening_cost;

	for (unsigned int c = 0; c < work->centres_count; c++)
		work->closing[c] = work->opening_cost;
	for (size_t i = 0; i < work->points_count; i++) {
		for (unsigned int c = 0; c < work->centres_count; c++)
			work->closing[c] += work->savings[i * row_count + c];
		gain -= work->savings[i * row_count + work->centres_count];
	}
	for (unsigned int c = 0; c < work->centres_count; c++) {
		work->is_closed[c] = work->closing[c] > 0;
		if (work->is_closed[c])
			gain += work->closing[c];
	}
	return gain;
}

/* Points that are served better, or whose centre closes, go to the candidate. */
static void candidate_open(struct streamcluster *work, unsigned int candidate)
{
	unsigned int before_count = work->centres_count;

	for (unsigned int i = 0; i < work->points_count; i++) {
		struct streamcluster_point *point = &work->points[i];

		if (!work->moves[i] && !work->is_closed[work->place[point->centre]])
			continue;
		point->cost = squared_distance(work, i, candidate) * point->weight;
		point->centre = candidate;
	}
	work->centres_count = 0;
	for (unsigned int c = 0; c < before_count; c++)
		if (!work->is_closed[c])
			centre_open(work, work->centres[c]);
	centre_open(work, candidate);
}

static bool is_centre(const struct streamcluster *work, unsigned int point)
{
	for (unsigned int c = 0; c < work->centres_count; c++)
		if (work->centres[c] == point)
			return true;
	return false;
}

static bool candidates_try(struct streamcluster *work)
{
	struct device d;
	bool right = true;

	device_open(work, &d);
	for (unsigned int n = 0; right && n < work->candidates_count; n++) {
		unsigned int candidate = (unsigned int)(workload_random(work->seed, 4, n) % work->points_count);

		if (is_centre(work, candidate))
			continue;
		gain_compute(work, &d, candidate);
		right = gain_check(work, candidate);
		if (right && gain_sum(work) > 0)
			candidate_open(work, candidate);
	}
	device_close(&d);
	return right;
}

/* ---- The clustering --------------------------------------------------------------------------------------------- */

static bool clustering_check(const struct streamcluster *work, double cost_before)
{
	float *got = workload_host_alloc(work->points_count, sizeof(float));
	float *want = workload_host_alloc(work->points_count, sizeof(float));
	bool right;

	for (size_t i = 0; i < work->points_count; i++) {
		double exact = 0.0;

		for (size_t k = 0; k < work->dimensions_count; k++) {
			const float *row = work->coordinates + k * work->points_count;

			exact += pow((double)row[i] - row[work->points[i].centre], 2);
		}
		got[i] = work->points[i].cost;
		want[i] = (float)(exact * work->points[i].weight);
	}
	right = workload_close_f32("cost", got, want, work->points_count, 1e-4f);
	if (right && cost_of_all(work) > cost_before) {
		fprintf(stderr, "streamcluster: the clustering costs %g, and %g before\n", cost_of_all(work),
			cost_before);
		right = false;
	}
	free(got);
	free(want);
	return right;
}

static void input_free(struct streamcluster *work)
{
	free(work->coordinates);
	free(work->points);
	free(work->centres);
	free(work->place);
	free(work->savings);
	free(work->want_savings);
	free(work->moves);
	free(work->want_moves);
	free(work->closing);
	free(work->is_closed);
}

int main(int argc, char **argv)
{
	static const struct workload_about about = {
		"streamcluster", "Online clustering: the gain of opening candidates as centres.",
		"8,192 points with 32 dimensions, 4 candidates",
		"16,384 points (NSU Table 1) with 128 dimensions, 20 candidates"};
	static const struct workload_count counts[] = {
		{"points", "points", 8192, 16384, 1024, 1 << 22, 1, NULL},
		{"dimensions", "dimensions", 32, 128, 4, 1024, 1, NULL},
		{"candidates", "candidates", 4, 20, 2, 1000, 1, NULL},
	};
	struct workload_options options = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	struct streamcluster work = {
		.points_count = options.counts[0],
		.dimensions_count = options.counts[1],
		.candidates_count = options.counts[2],
		.seed = options.seed,
	};
	double cost_before;
	bool right;

	input_make(&work);
	workload_input(work.coordinates, (size_t)work.points_count * work.dimensions_count * sizeof(float));
	workload_input(work.points, work.points_count * sizeof(*work.points));
	workload_input_number(work.candidates_count);
	cost_before = cost_of_all(&work);
	right = candidates_try(&work) && clustering_check(&work, cost_before);
	input_free(&work);
	return workload_finish(right, "%u points, %u dimensions, %u candidates, %u centres", work.points_count,
			       work.dimensions_count, work.candidates_count, work.centres_count);
}
