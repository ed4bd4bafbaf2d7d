/*
 * sort - merge sort of keys by tasks: runs are sorted by insertion, then merged pair by pair, halves side by side.
 *
 * The result is compared with the C library's qsort of the same keys.
 */
#include "common/teams.h"

#include <stdlib.h>
#include <string.h>

static const struct workload_about about = {
	.name = "sort",
	.summary = "Merge sort of 64-bit keys by OpenMP tasks.",
	.small_size = "16,384 keys",
	.paper_size = "16,777,216 keys",
};

enum { KEYS, WHO, NDPS };
static const struct workload_count counts[] = {
	{"keys", "keys of 8 bytes", 16384, 16777216, 1, 1u << 31, 1, NULL},
	WORKLOAD_WHO,
};

enum { RUN_KEYS = 16, TASK_KEYS = 1024 };

static void run_sort(uint64_t *keys, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		const uint64_t key = keys[i];
		size_t at = i;

		for (; at && keys[at - 1] > key; at--)
			keys[at] = keys[at - 1];
		keys[at] = key;
	}
}

static void merge(uint64_t *to, const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count)
{
	while (a_count && b_count) {
		if (*a <= *b) {
			*to++ = *a++;
			a_count--;
		} else {
			*to++ = *b++;
			b_count--;
		}
	}
	memcpy(to, a, a_count * sizeof(*a));
	memcpy(to + a_count, b, b_count * sizeof(*b));
}

/* How many of the sorted keys are below `key`. */
static size_t below(const uint64_t *keys, size_t n, uint64_t key)
{
	size_t least = 0;

	while (least < n) {
		const size_t middle = (least + n) / 2;

		if (keys[middle] < key)
			least = middle + 1;
		else
			n = middle;
	}
	return least;
}

/* Large ones are halved by value, so that the last merges are not one thread's alone. */
static void merge_tasks(uint64_t *to, const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count)
{
	if (a_count < b_count) {
		merge_tasks(to, b, b_count, a, a_count);
		return;
	}
	if (a_count + b_count <= TASK_KEYS) {
		merge(to, a, a_count, b, b_count);
		return;
	}

	const size_t a_half = a_count / 2, b_half = below(b, b_count, a[a_half]);

#pragma omp task
	merge_tasks(to, a, a_half, b, b_half);
	merge_tasks(to + a_half + b_half, a + a_half, a_count - a_half, b + b_half, b_count - b_half);
#pragma omp taskwait
}

/* Sorts keys; the result is in `other` if is_in_other. */
static void sort_tasks(uint64_t *keys, uint64_t *other, size_t n, bool is_in_other)
{
	const size_t half = n / 2;
	uint64_t *from = is_in_other ? keys : other, *to = is_in_other ? other : keys;

	if (n <= RUN_KEYS) {
		run_sort(keys, n);
		if (is_in_other)
			memcpy(other, keys, n * sizeof(*keys));
		return;
	}
#pragma omp task if (n > TASK_KEYS)
	sort_tasks(keys, other, half, !is_in_other);
	sort_tasks(keys + half, other + half, n - half, !is_in_other);
#pragma omp taskwait
	merge_tasks(to, from, half, from + half, n - half);
}

static int compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

struct job {
	uint64_t *keys, *other;
};

struct sort {
	size_t n;
	struct job jobs[2];
};

static void job_make(const struct sort *s, uint64_t seed, struct job *j)
{
	uint64_t *keys = workload_host_alloc(s->n, sizeof(*keys));

#pragma omp parallel for
	for (size_t i = 0; i < s->n; i++)
		keys[i] = workload_random(seed, 0, i);
	*j = (struct job){keys, workload_host_alloc(s->n, sizeof(*keys))};
}

/* Each team sorts its part; one merges it to those before. */
static void part_do(void *sort, const struct workload_part *part)
{
	const struct sort *s = sort;
	const struct job j = s->jobs[part->job];
	const size_t begin = workload_part_begin(part, s->n), end = workload_part_end(part, s->n);

#pragma omp parallel
#pragma omp single
	sort_tasks(j.keys + begin, j.other + begin, end - begin, false);
	for (uint32_t number = 1; number < part->count; number++) {
		workload_part_wait(part);
		if (number != part->number)
			continue;
#pragma omp parallel
#pragma omp single
		merge_tasks(j.other, j.keys, begin, j.keys + begin, end - begin);
		memcpy(j.keys, j.other, end * sizeof(*j.keys));
	}
}

static bool job_is_right(const struct sort *s, uint64_t seed, const struct job *j)
{
	uint64_t *want = workload_host_alloc(s->n, sizeof(*want));
	bool right;

	for (size_t i = 0; i < s->n; i++)
		want[i] = workload_random(seed, 0, i);
	qsort(want, s->n, sizeof(*want), compare);
	right = workload_same_u64("key", j->keys, want, s->n);
	free(want);
	return right;
}

int main(int argc, char **argv)
{
	const struct workload_options o = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	const uint32_t jobs = workload_jobs(o.counts[WHO]);
	struct sort s = {.n = o.counts[KEYS]};
	double seconds;
	bool right = true;

	strata_modelling_end();
	for (uint32_t i = 0; i < jobs; i++)
		job_make(&s, o.seed + i, &s.jobs[i]);
	strata_modelling_begin(STRATA_CACHES_COLD);
	seconds = workload_divide(o.counts[WHO], o.counts[NDPS], part_do, &s);
	strata_modelling_end();
	for (uint32_t i = 0; i < jobs; i++) {
		right = job_is_right(&s, o.seed + i, &s.jobs[i]) && right;
		free(s.jobs[i].keys);
		free(s.jobs[i].other);
	}
	workload_measure("rate", (double)s.n * jobs / seconds * 1e-6, "Mkeys/s");
	return workload_finish(right, "%zu keys", s.n);
}
