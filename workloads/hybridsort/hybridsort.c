/*
 * Sorting of floats: into 1,024 buckets with atomics, then each bucket by merging, a launch for every length of runs.
 * Compared with the host's sort.
 */
#include "common/workload.h"
#include "hybridsort.h"

#include <stdlib.h>
#include <string.h>

static const char hybridsort_ptx[] =
#include WORKLOAD_PTX
    ;

enum { THREADS = 256, SORT_THREADS = 128, CTAS_MAX = 1024 };

struct sorter {
	struct workload_gpu gpu;
	CUdeviceptr numbers, other, starts, next;
	unsigned int count;
};

/* Sizes of the buckets to their first places; what was the largest. */
static unsigned int starts_find(const struct sorter *s)
{
	unsigned int starts[HYBRIDSORT_BUCKETS + 1] = {0}, largest = 0, sum = 0;

	WORKLOAD_CUDA(cuMemcpyDtoH(starts, s->starts, sizeof(starts)));
	for (unsigned int i = 0; i <= HYBRIDSORT_BUCKETS; i++) {
		unsigned int size = i < HYBRIDSORT_BUCKETS ? starts[i] : 0;

		largest = size > largest ? size : largest;
		starts[i] = sum;
		sum += size;
	}
	WORKLOAD_CUDA(cuMemcpyHtoD(s->starts, starts, sizeof(starts)));
	WORKLOAD_CUDA(cuMemcpyHtoD(s->next, starts, sizeof(starts)));
	return largest;
}

/* From numbers to other. */
static unsigned int buckets_fill(struct sorter *s)
{
	unsigned int ctas = workload_ctas(s->count, THREADS), largest;
	struct workload_dim grid = {ctas < CTAS_MAX ? ctas : CTAS_MAX, 1, 1}, block = {THREADS, 1, 1};
	void *count_params[] = {&s->numbers, &s->count, &s->starts};
	void *scatter_params[] = {&s->numbers, &s->count, &s->next, &s->other};

	workload_launch(workload_gpu_kernel(&s->gpu, "hybridsort_count"), grid, block, count_params);
	largest = starts_find(s);
	workload_launch(workload_gpu_kernel(&s->gpu, "hybridsort_scatter"), grid, block, scatter_params);
	return largest;
}

static void buckets_sort(struct sorter *s, unsigned int largest)
{
	CUfunction merge = workload_gpu_kernel(&s->gpu, "hybridsort_merge");
	struct workload_dim grid = {HYBRIDSORT_BUCKETS, 1, 1}, block = {SORT_THREADS, 1, 1};
	void *run_params[] = {&s->other, &s->starts};
	unsigned int width;
	void *merge_params[] = {&s->other, &s->numbers, &s->starts, &width};

	workload_launch(workload_gpu_kernel(&s->gpu, "hybridsort_runs"), grid, block, run_params);
	for (width = HYBRIDSORT_FIRST; width < largest; width *= 2) {
		CUdeviceptr swap = s->other;

		workload_launch(merge, grid, block, merge_params);
		s->other = s->numbers;
		s->numbers = swap;
	}
}

static void sort_run(const float *numbers, float *result, unsigned int count)
{
	const size_t bytes = (size_t)count * sizeof(float);
	const unsigned int zeros[HYBRIDSORT_BUCKETS + 1] = {0};
	struct sorter s = {.gpu = workload_gpu_open(hybridsort_ptx), .count = count};

	s.numbers = workload_device_copy(numbers, bytes);
	s.other = workload_device_alloc(bytes);
	s.starts = workload_device_copy(zeros, sizeof(zeros));
	s.next = workload_device_alloc(sizeof(zeros));
	buckets_sort(&s, buckets_fill(&s));
	WORKLOAD_CUDA(cuMemcpyDtoH(result, s.other, bytes));
	WORKLOAD_CUDA(cuMemFree(s.numbers));
	WORKLOAD_CUDA(cuMemFree(s.other));
	WORKLOAD_CUDA(cuMemFree(s.starts));
	WORKLOAD_CUDA(cuMemFree(s.next));
	workload_gpu_close(&s.gpu);
}

static int compare(const void *a, const void *b)
{
	const float x = *(const float *)a, y = *(const float *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	static const struct workload_about about = {"hybridsort", "Sorting of floats by buckets and merging.",
						    "16,384 numbers", "4,194,304 numbers"};
	static const struct workload_count counts[] = {
	    {"numbers", "numbers to be sorted", 16384, 4194304, 2, 1u << 28, 1, NULL},
	};
	struct workload_options options = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	unsigned int count = options.counts[0];
	float *want = workload_host_alloc(count, sizeof(float));
	float *got = workload_host_alloc(count, sizeof(float));
	bool right;

	for (size_t i = 0; i < count; i++)
		want[i] = workload_random_float(options.seed, 0, i);
	workload_input(want, count * sizeof(float));
	sort_run(want, got, count);
	qsort(want, count, sizeof(float), compare);
	right = workload_same_f32("number", got, want, count, 0);
	free(want);
	free(got);
	return workload_finish(right, "%u numbers", count);
}
