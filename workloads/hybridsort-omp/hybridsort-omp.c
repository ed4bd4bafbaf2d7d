/*
 * Sorting of floats by threads: into 1,024 buckets with atomics, as the CUDA program does, then buckets for each
 * thread, which sorts them by merging.  Compared with the host's sort.
 */
#include "common/steps.h"
#include "hybridsort/hybridsort.h"

#include <stdlib.h>
#include <string.h>

static const struct workload_about about = {"hybridsort-omp", "Sorting of floats by buckets and merging, by threads.",
					    "16,384 numbers", "4,194,304 numbers"};
static const struct workload_count counts[] = {
	{"numbers", "numbers to be sorted", 16384, 4194304, 2, 1u << 28, 1, NULL},
};

struct sorter {
	size_t count;
	float *numbers, *other;
	unsigned int starts[HYBRIDSORT_BUCKETS + 1], next[HYBRIDSORT_BUCKETS];
};

/* From numbers to other. */
static void buckets_fill(struct sorter *s)
{
	unsigned int sum = 0;

#pragma omp parallel for
	for (size_t i = 0; i < s->count; i++) {
#pragma omp atomic
		s->next[hybridsort_bucket(s->numbers[i])]++;
	}
	for (size_t b = 0; b < HYBRIDSORT_BUCKETS; b++) {
		const unsigned int size = s->next[b];

		s->starts[b] = s->next[b] = sum;
		sum += size;
	}
	s->starts[HYBRIDSORT_BUCKETS] = sum;
#pragma omp parallel for
	for (size_t i = 0; i < s->count; i++) {
		unsigned int place;

#pragma omp atomic capture
		place = s->next[hybridsort_bucket(s->numbers[i])]++;
		s->other[place] = s->numbers[i];
	}
}

static void runs_sort(float *numbers, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const float number = numbers[i];
		size_t place = i;

		for (; place % HYBRIDSORT_FIRST && numbers[place - 1] > number; place--)
			numbers[place] = numbers[place - 1];
		numbers[place] = number;
	}
}

static void runs_merge(const float *from, float *to, size_t count, size_t width)
{
	for (size_t first = 0; first < count; first += 2 * width) {
		const size_t middle = first + width < count ? first + width : count;
		const size_t end = first + 2 * width < count ? first + 2 * width : count;
		size_t a = first, b = middle;

		for (size_t i = first; i < end; i++)
			to[i] = a < middle && (b == end || from[a] <= from[b]) ? from[a++] : from[b++];
	}
}

/* Each bucket of other, to numbers. */
static void buckets_sort(const struct sorter *s)
{
#pragma omp parallel for schedule(dynamic, 4)
	for (size_t b = 0; b < HYBRIDSORT_BUCKETS; b++) {
		const size_t count = s->starts[b + 1] - s->starts[b];
		float *from = s->other + s->starts[b], *to = s->numbers + s->starts[b];

		runs_sort(from, count);
		for (size_t width = HYBRIDSORT_FIRST; width < count; width *= 2) {
			float *swap = from;

			runs_merge(from, to, count, width);
			from = to;
			to = swap;
		}
		if (from == s->other + s->starts[b])
			memcpy(to, from, count * sizeof(float));
	}
}

static int compare(const void *a, const void *b)
{
	const float x = *(const float *)a, y = *(const float *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	const struct workload_options o = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	struct sorter s = {.count = o.counts[0]};
	double begin;
	float *want;
	bool right;

	strata_modelling_end();
	s.numbers = workload_host_alloc(s.count, sizeof(float));
	s.other = workload_host_alloc(s.count, sizeof(float));
	want = workload_host_alloc(s.count, sizeof(float));
	for (size_t i = 0; i < s.count; i++)
		s.numbers[i] = want[i] = workload_random_float(o.seed, 0, i);
	workload_input(want, s.count * sizeof(float));
	begin = steps_begin();
	buckets_fill(&s);
	buckets_sort(&s);
	steps_end(begin);
	qsort(want, s.count, sizeof(float), compare);
	right = workload_same_f32("number", s.numbers, want, s.count, 0);
	free(s.numbers);
	free(s.other);
	free(want);
	return workload_finish(right, "%u numbers", o.counts[0]);
}
