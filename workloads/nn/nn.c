/*
 * The nearest of many places: the GPU computes all distances, the host takes the nearest few.  Compared bit for bit
 * with distances of the host.
 */
#include "common/workload.h"

#include <math.h>
#include <stdlib.h>

static const char nn_ptx[] =
#include WORKLOAD_PTX
    ;

enum { THREADS = 256 };

static const float latitude = 30, longitude = 90; /* as in Rodinia */

static void distances_run(const float *places_of_host, float *result, unsigned int count)
{
	struct workload_gpu gpu = workload_gpu_open(nn_ptx);
	CUfunction kernel = workload_gpu_kernel(&gpu, "nn_distances");
	CUdeviceptr places = workload_device_copy(places_of_host, 2 * (size_t)count * sizeof(float));
	CUdeviceptr distances = workload_device_alloc(count * sizeof(float));
	float across = latitude, along = longitude;
	void *params[] = {&places, &distances, &count, &across, &along};

	workload_launch(kernel, (struct workload_dim){workload_ctas(count, THREADS), 1, 1},
			(struct workload_dim){THREADS, 1, 1}, params);
	WORKLOAD_CUDA(cuMemcpyDtoH(result, distances, count * sizeof(float)));
	WORKLOAD_CUDA(cuMemFree(places));
	WORKLOAD_CUDA(cuMemFree(distances));
	workload_gpu_close(&gpu);
}

/* The k-th nearest: as the search goes, k passes of which each takes the least that was not taken. */
static float kth_nearest(const float *distances, unsigned int count, unsigned int k)
{
	float last = -1, least = INFINITY;

	for (unsigned int i = 0; i < k; i++) {
		least = INFINITY;
		for (unsigned int j = 0; j < count; j++)
			least = distances[j] > last && distances[j] < least ? distances[j] : least;
		last = least;
	}
	return least;
}

int main(int argc, char **argv)
{
	static const struct workload_about about = {"nn", "The nearest of many places.", "65,536 places",
						    "1,048,576 places"};
	static const struct workload_count counts[] = {
	    {"places", "records to be searched", 65536, 1048576, 1, 1u << 28, 1, NULL},
	    {"nearest", "how many are wanted", 5, 5, 1, 100, 1, NULL},
	};
	struct workload_options options = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	unsigned int count = options.counts[0];
	float *places = workload_host_alloc(2 * (size_t)count, sizeof(float));
	float *got = workload_host_alloc(count, sizeof(float));
	float *want = workload_host_alloc(count, sizeof(float));
	bool right;

	for (size_t i = 0; i < count; i++) {
		places[2 * i] = 7 + 56 * workload_random_float(options.seed, 0, i);
		places[2 * i + 1] = 350 * workload_random_float(options.seed, 1, i);
	}
	workload_input(places, 2 * (size_t)count * sizeof(float));
	distances_run(places, got, count);
	for (size_t i = 0; i < count; i++) {
		float across = latitude - places[2 * i], along = longitude - places[2 * i + 1];

		want[i] = sqrtf(across * across + along * along);
	}
	right = workload_same_f32("distance", got, want, count, 0) &&
		kth_nearest(got, count, options.counts[1]) == kth_nearest(want, count, options.counts[1]);
	free(places);
	free(got);
	free(want);
	return workload_finish(right, "%u places", count);
}
