// The device-wide algorithms of CUB, as nvcc ships it, against loops on the host.
#include <cub/device/device_for.cuh>
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_partition.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cub/device/device_segmented_sort.cuh>
#include <cub/device/device_select.cuh>
#include <cub/device/device_transform.cuh>

#include <algorithm>
#include <numeric>
#include <vector>

#include "program.h"

static const int N = 4099, SEGMENTS = 5, BINS = 16, KEY_MAX = 256;

/* CUB's calling convention: the first call says how many bytes it needs, the second works. */
#define CUB(call, ...)                                                                                                 \
	do {                                                                                                           \
		size_t cub_bytes = 0;                                                                                  \
		void *cub_temporary = NULL;                                                                            \
                                                                                                                       \
		OK(call(NULL, cub_bytes, __VA_ARGS__));                                                                \
		OK(cudaMalloc(&cub_temporary, cub_bytes + 1));                                                         \
		OK(call(cub_temporary, cub_bytes, __VA_ARGS__));                                                       \
		OK(cudaDeviceSynchronize());                                                                           \
		OK(cudaFree(cub_temporary));                                                                           \
	} while (0)

struct less {
	__host__ __device__ bool operator()(int a, int b) const { return a < b; }
};

struct is_small {
	__host__ __device__ bool operator()(int x) const { return x < KEY_MAX / 3; }
};

struct twice_plus {
	__host__ __device__ int operator()(int a, int b) const { return 2 * a + b; }
};

struct negate_at {
	int *values;
	__device__ void operator()(int i) const { values[i] = -values[i]; }
};

using host = std::vector<int>;

static int *in, *out, *values, *other, *count; /* managed */
static int *offsets;
static host h;

static host result(int items)
{
	return host(out, out + items);
}

static void prepare(void)
{
	unsigned int seed = 4;

	h.resize(N);
	for (int &x : h)
		x = (int)((next_random(&seed) >> 16) % KEY_MAX);
	for (int **p : {&in, &out, &values, &other})
		OK(cudaMallocManaged(p, N * sizeof(int)));
	OK(cudaMallocManaged(&count, 2 * sizeof(int)));
	OK(cudaMallocManaged(&offsets, (SEGMENTS + 1) * sizeof(int)));
	std::copy(h.begin(), h.end(), in);
	/* One empty, one of a single item, one longer than the tile of a block. */
	const int ends[SEGMENTS + 1] = {0, 0, 1, 90, 700, N};

	std::copy(ends, ends + SEGMENTS + 1, offsets);
}

static void reduce_and_scan(void)
{
	host expected(N);

	CUB(cub::DeviceReduce::Sum, in, out, N);
	CHECK(out[0] == std::accumulate(h.begin(), h.end(), 0));
	CUB(cub::DeviceReduce::Max, in, out, N);
	CHECK(out[0] == *std::max_element(h.begin(), h.end()));
	CUB(cub::DeviceScan::InclusiveSum, in, out, N);
	std::partial_sum(h.begin(), h.end(), expected.begin());
	CHECK(result(N) == expected);
	CUB(cub::DeviceScan::ExclusiveSum, in, out, N);
	expected.insert(expected.begin(), 0);
	expected.pop_back();
	CHECK(result(N) == expected);
	CUB(cub::DeviceSegmentedReduce::Sum, in, out, SEGMENTS, offsets, offsets + 1);
	for (int s = 0; s < SEGMENTS; s++)
		CHECK(out[s] == std::accumulate(h.begin() + offsets[s], h.begin() + offsets[s + 1], 0));
}

static void sort(void)
{
	host expected = h, segments = h;

	std::stable_sort(expected.begin(), expected.end());
	for (int s = 0; s < SEGMENTS; s++)
		std::sort(segments.begin() + offsets[s], segments.begin() + offsets[s + 1]);
	CUB(cub::DeviceRadixSort::SortKeys, in, out, N);
	CHECK(result(N) == expected);

	std::iota(values, values + N, 0);
	CUB(cub::DeviceRadixSort::SortPairs, in, out, values, other, N);
	for (int i = 0; i < N; i++)
		CHECK(out[i] == expected[i] && h[other[i]] == expected[i] &&
		      (!i || out[i - 1] != out[i] || other[i - 1] < other[i]));

	std::copy(h.begin(), h.end(), out);
	CUB(cub::DeviceMergeSort::SortKeys, out, N, less());
	CHECK(result(N) == expected);
	CUB(cub::DeviceSegmentedRadixSort::SortKeys, in, out, N, SEGMENTS, offsets, offsets + 1);
	CHECK(result(N) == segments);
	CUB(cub::DeviceSegmentedSort::SortKeys, in, out, N, SEGMENTS, offsets, offsets + 1);
	CHECK(result(N) == segments);
}

static void select(void)
{
	host expected;

	std::copy_if(h.begin(), h.end(), std::back_inserter(expected), is_small());
	CUB(cub::DeviceSelect::If, in, out, count, N, is_small());
	CHECK(*count == (int)expected.size() && result(*count) == expected);

	/* What is not selected comes last, in reverse order. */
	CUB(cub::DevicePartition::If, in, out, count, N, is_small());
	CHECK(*count == (int)expected.size());
	std::remove_copy_if(h.begin(), h.end(), std::back_inserter(expected), is_small());
	std::reverse(expected.begin() + *count, expected.end());
	CHECK(result(N) == expected);

	expected = h;
	expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
	CUB(cub::DeviceSelect::Unique, in, out, count, N);
	CHECK(*count == (int)expected.size() && result(*count) == expected);
}

static void histogram_and_runs(void)
{
	CUB(cub::DeviceHistogram::HistogramEven, in, out, BINS + 1, 0, KEY_MAX, N);
	for (int b = 0; b < BINS; b++)
		CHECK(out[b] == std::count_if(h.begin(), h.end(), [b](int x) { return x / (KEY_MAX / BINS) == b; }));

	for (int i = 0; i < N; i++)
		values[i] = i / 7 % 3 + (i > 3000);
	CUB(cub::DeviceRunLengthEncode::Encode, values, out, other, count, N);

	int at = 0;

	for (int r = 0; r < *count; r++) {
		CHECK(!r || out[r] != out[r - 1]);
		for (int i = 0; i < other[r]; i++)
			CHECK(values[at++] == out[r]);
	}
	CHECK(at == N);
}

static void transform_and_for(void)
{
	host expected(N);

	for (int i = 0; i < N; i++)
		expected[i] = -(2 * h[i] + i);
	std::iota(values, values + N, 0);
	OK(cub::DeviceTransform::Transform(cuda::std::tuple<int *, int *>{in, values}, out, N, twice_plus()));
	OK(cub::DeviceFor::Bulk(N, negate_at{out}));
	OK(cudaDeviceSynchronize());
	CHECK(result(N) == expected);
}

int main()
{
	prepare();
	reduce_and_scan();
	sort();
	select();
	histogram_and_runs();
	transform_and_for();
	return 0;
}
