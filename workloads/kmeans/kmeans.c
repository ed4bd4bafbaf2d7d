/*
 * k-means clustering: the device finds each object's nearest centre, the host moves the centres.  Features and centres
 * are read from global memory (TOM section 5.3 replaces texture and constant memory in this way).  As in Rodinia, a
 * kernel first turns the features, so that neighbouring threads read neighbouring words; with --by-object 1 each thread
 * reads its object's row as it came.  The objects are
 * drawn around hidden centres, so that the clustering has something to find.
 *
 * After every assignment the host computes it too, with the same operations in the same order, and compares.
 */
#include "common/workload.h"

#include <stdlib.h>
#include <string.h>

static const char kmeans_ptx[] =
#include WORKLOAD_PTX
	;

enum {
	BLOCK_THREADS = 256, /* Rodinia's */
	CLUSTERS_COUNT = 5, /* Rodinia's default */
};

struct kmeans {
	unsigned int objects_count;
	unsigned int features_count;
	unsigned int iterations_max;
	bool by_object;
	float *features; /* object-major */
	float *centres;  /* cluster-major */
	uint32_t *membership;
	uint32_t *want;
};

struct kmeans_device {
	struct workload_gpu gpu;
	CUfunction assign;
	CUdeviceptr features;
	CUdeviceptr centres;
	CUdeviceptr membership;
};

static void input_make(struct kmeans *work, uint64_t seed)
{
	size_t count = (size_t)work->objects_count * work->features_count;

	work->features = workload_host_alloc(count, sizeof(float));
	work->centres = workload_host_alloc((size_t)CLUSTERS_COUNT * work->features_count, sizeof(float));
	work->membership = workload_host_alloc(work->objects_count, sizeof(uint32_t));
	work->want = workload_host_alloc(work->objects_count, sizeof(uint32_t));
	for (unsigned int object = 0; object < work->objects_count; object++) {
		uint64_t hidden = workload_random(seed, 0, object) % CLUSTERS_COUNT;
		size_t row = (size_t)object * work->features_count;

		for (unsigned int f = 0; f < work->features_count; f++)
			work->features[row + f] = workload_random_float(seed, 1, hidden * work->features_count + f) +
				workload_random_float(seed, 2, row + f);
		work->membership[object] = UINT32_MAX;
	}
	/* As in Rodinia, the first objects are the first centres. */
	memcpy(work->centres, work->features, (size_t)CLUSTERS_COUNT * work->features_count * sizeof(float));
}

/* What kmeans_assign reads: the turned features, in place of those given. */
static CUdeviceptr features_turn(const struct kmeans_device *device, const struct kmeans *work, CUdeviceptr by_object)
{
	CUdeviceptr by_feature =
		workload_device_alloc((size_t)work->objects_count * work->features_count * sizeof(float));
	unsigned int objects_count = work->objects_count;
	unsigned int features_count = work->features_count;
	void *params[] = {&by_object, &by_feature, &objects_count, &features_count};

	workload_launch(workload_gpu_kernel(&device->gpu, "kmeans_invert"),
			(struct workload_dim){workload_ctas(objects_count, BLOCK_THREADS), 1, 1},
			(struct workload_dim){BLOCK_THREADS, 1, 1}, params);
	WORKLOAD_CUDA(cuMemFree(by_object));
	return by_feature;
}

static struct kmeans_device device_open(const struct kmeans *work)
{
	struct kmeans_device device = {.gpu = workload_gpu_open(kmeans_ptx)};
	size_t bytes = (size_t)work->objects_count * work->features_count * sizeof(float);

	device.assign = workload_gpu_kernel(&device.gpu, work->by_object ? "kmeans_assign_rows" : "kmeans_assign");
	device.features = workload_device_copy(work->features, bytes);
	if (!work->by_object)
		device.features = features_turn(&device, work, device.features);
	device.centres = workload_device_alloc((size_t)CLUSTERS_COUNT * work->features_count * sizeof(float));
	device.membership = workload_device_alloc(work->objects_count * sizeof(uint32_t));
	return device;
}

static void device_close(struct kmeans_device *device)
{
	WORKLOAD_CUDA(cuMemFree(device->features));
	WORKLOAD_CUDA(cuMemFree(device->centres));
	WORKLOAD_CUDA(cuMemFree(device->membership));
	workload_gpu_close(&device->gpu);
}

static void assign_launch(struct kmeans_device *device, struct kmeans *work)
{
	unsigned int clusters_count = CLUSTERS_COUNT;
	void *params[] = {&device->features, &device->centres, &device->membership,
			  &work->objects_count, &clusters_count, &work->features_count};

	WORKLOAD_CUDA(cuMemcpyHtoD(device->centres, work->centres,
				   (size_t)CLUSTERS_COUNT * work->features_count * sizeof(float)));
	workload_launch(device->assign, (struct workload_dim){workload_ctas(work->objects_count, BLOCK_THREADS), 1, 1},
			(struct workload_dim){BLOCK_THREADS, 1, 1}, params);
}

static uint32_t nearest_reference(const struct kmeans *work, const float *object)
{
	uint32_t nearest = 0;
	float least = 3.402823466e38f;

	for (uint32_t cluster = 0; cluster < CLUSTERS_COUNT; cluster++) {
		const float *centre = work->centres + (size_t)cluster * work->features_count;
		float distance = 0.0f;

		for (unsigned int f = 0; f < work->features_count; f++) {
			float d = object[f] - centre[f];

			distance += d * d;
		}
		if (distance < least) {
			least = distance;
			nearest = cluster;
		}
	}
	return nearest;
}

/* Move every centre to the mean of its objects; a cluster without objects stays. */
static void centres_update(struct kmeans *work)
{
	size_t centre_elements = work->features_count;
	float *sums = workload_host_alloc(CLUSTERS_COUNT * centre_elements, sizeof(float));
	unsigned int sizes[CLUSTERS_COUNT] = {0};

	for (unsigned int object = 0; object < work->objects_count; object++) {
		uint32_t cluster = work->membership[object];

		sizes[cluster]++;
		for (unsigned int f = 0; f < work->features_count; f++)
			sums[cluster * centre_elements + f] += work->features[object * centre_elements + f];
	}
	for (unsigned int cluster = 0; cluster < CLUSTERS_COUNT; cluster++)
		for (unsigned int f = 0; f < work->features_count && sizes[cluster]; f++)
			work->centres[cluster * centre_elements + f] =
				sums[cluster * centre_elements + f] / (float)sizes[cluster];
	free(sums);
}

/* One iteration; *moved_count is the number of objects that changed cluster.  False when the device is wrong. */
static bool iteration_run(struct kmeans *work, struct kmeans_device *device, unsigned int *moved_count)
{
	uint32_t *previous = workload_host_alloc(work->objects_count, sizeof(*previous));
	bool right;

	memcpy(previous, work->membership, work->objects_count * sizeof(*previous));
	assign_launch(device, work);
	WORKLOAD_CUDA(cuMemcpyDtoH(work->membership, device->membership, work->objects_count * sizeof(uint32_t)));
	*moved_count = 0;
	for (unsigned int object = 0; object < work->objects_count; object++) {
		work->want[object] = nearest_reference(work, work->features + (size_t)object * work->features_count);
		*moved_count += previous[object] != work->membership[object];
	}
	right = workload_same_u32("membership", work->membership, work->want, work->objects_count);
	if (right)
		centres_update(work);
	free(previous);
	return right;
}

int main(int argc, char **argv)
{
	static const struct workload_about about = {
	    "kmeans", "k-means clustering into 5 clusters.", "16,384 objects with 12 features, at most 2 iterations",
	    "28,000 objects with 138 features (NSU Table 1), at most 2 iterations"};
	static const struct workload_count counts[] = {
		{"objects", "objects", 16384, 28000, CLUSTERS_COUNT, 4000000, 1, NULL},
		{"features", "features per object", 12, 138, 1, 1024, 1, NULL},
		{"iterations", "iterations at most", 2, 2, 1, 1000, 1, NULL},
		{"by-object", "1: threads read their objects' rows; 0: features are turned first", 0, 0, 0, 1, 1, NULL},
	};
	struct workload_options options = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	struct kmeans work = {
		.objects_count = options.counts[0],
		.features_count = options.counts[1],
		.iterations_max = options.counts[2],
		.by_object = options.counts[3],
	};
	unsigned int iterations_count = 0;
	unsigned int moved_count = 1;
	struct kmeans_device device;
	bool right = true;

	input_make(&work, options.seed);
	device = device_open(&work);
	while (right && moved_count && iterations_count < work.iterations_max) {
		right = iteration_run(&work, &device, &moved_count);
		iterations_count++;
	}
	device_close(&device);
	free(work.features);
	free(work.centres);
	free(work.membership);
	free(work.want);
	return workload_finish(right, "%u objects, %u features, %u iterations", work.objects_count, work.features_count,
			       iterations_count);
}
