/*
 * mergesort - items of 16 bytes, a key and a pointer, are sorted by merges: small ones by the CPU, large ones by
 * near-data processors (NDPs), designs in Verilog or cores, at the same time (NDP thesis, chapter 7).
 *
 * Each NDP has a part of the items on its memory channel; sorted parts are merged by the CPU. Which merges are large
 * follows from the NDPs' queues (near.c). Where there are no NDPs, the CPU does all merges.
 */
#include "sort.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static const struct workload_about about = {
	.name = "mergesort",
	.summary = "Merge sort of 16-byte items by the CPU and near-data processors together.",
	.small_size = "65,536 items",
	.paper_size = "4,194,304 items",
};

enum { ITEMS, ON, NDPS, THREADS, SWITCH_LEAST, SWITCH_MOST, QUEUE, HANDOVER, POINTS };
enum { POINTS_MAX = 64 };
enum { ON_NDPS, ON_CPU };
enum { BY_DIRECTORY, BY_FLUSH };
enum { PART_ITEMS_LEAST = 2 * LEAST_ITEMS };
static const char *const places[] = {"ndps", "cpu"};
static const char *const handovers[] = {"directory", "flush"};
static const struct workload_count counts[] = {
	{"items", "items of 16 bytes", 65536, 4194304, PART_ITEMS_LEAST, 1u << 30, 1, NULL},
	{"on", "who merges; ndps: the CPU with them, if there are any", ON_NDPS, ON_NDPS, 0, ON_CPU, 1, places},
	{"ndps", "NDPs that merge; a power of two", 1, 1, 1, PARTS_MAX, 1, NULL},
	{"threads", "threads of the CPU; 0: one for each of its hardware threads", 0, 0, 0, 4096, 1, NULL},
	{"switch-least", "the least size of lists that NDPs may merge; a power of two", LEAST_ITEMS, LEAST_ITEMS,
	 LEAST_ITEMS, 1u << 20, 1, NULL},
	{"switch-most", "the most that this may become; a power of two", 2048, 2048, LEAST_ITEMS, 1u << 20, 1, NULL},
	{"queue", "merges that wait at an NDP", 32, 32, 1, 4096, 1, NULL},
	{"handover", "of lists, between the CPU and NDPs; flush: the CPU writes them back and forgets them before",
	 BY_DIRECTORY, BY_DIRECTORY, 0, BY_FLUSH, 1, handovers},
	{"points", "times at which queue and switch value are told, the last at the NDPs' end", 0, 0, 0, POINTS_MAX, 1,
	 NULL},
};

static bool is_power(uint32_t x)
{
	return !(x & (x - 1));
}

static void options_check(const struct workload_options *o)
{
	const uint32_t ndps = o->counts[NDPS];

	if (!is_power(ndps) || !is_power(o->counts[SWITCH_LEAST]) || !is_power(o->counts[SWITCH_MOST]))
		workload_fail("--ndps, --switch-least and --switch-most want powers of two");
	if (o->counts[SWITCH_LEAST] > o->counts[SWITCH_MOST])
		workload_fail("--switch-least %u is more than --switch-most %u", o->counts[SWITCH_LEAST],
			      o->counts[SWITCH_MOST]);
	if (o->counts[ON] == ON_NDPS && near_count() && ndps > near_count())
		workload_fail("--ndps %u, but the machine has %u", ndps, near_count());
	if (o->counts[ITEMS] / ndps < PART_ITEMS_LEAST)
		workload_fail("--items %u: expected %u for each NDP at least", o->counts[ITEMS], PART_ITEMS_LEAST);
}

/* ---- items ---- */

/* Some keys are there more than once. */
static uint64_t key_of(const struct sorting *s, uint64_t seed, uint64_t i)
{
	return workload_random(seed, 0, i) % s->items;
}

static uint64_t part_begin(const struct sorting *s, uint32_t part)
{
	return s->items * part / s->part_count;
}

static void items_make(const struct sorting *s, uint64_t seed)
{
	for (uint32_t p = 0; p < s->part_count; p++) {
		const uint64_t begin = part_begin(s, p);
		struct item *items = s->parts[p].buffers[0];

		for (uint64_t i = 0; i < s->parts[p].items; i++)
			items[i] = (struct item){key_of(s, seed, begin + i), begin + i};
	}
}

/* Each pointer is in the result once, with its key, after those with lesser keys, and with the same key and lesser
 * pointers: who merges keeps the order of equal keys. */
static bool is_right(const struct sorting *s, uint64_t seed)
{
	for (uint64_t i = 0; i < s->items; i++) {
		const struct item is = s->result[i], before = s->result[i ? i - 1 : 0];

		if (is.pointer >= s->items || is.key != key_of(s, seed, is.pointer)) {
			fprintf(stderr, "mergesort: item %llu is none of the input\n", (unsigned long long)i);
			return false;
		}
		if (i && (before.key > is.key || (before.key == is.key && before.pointer >= is.pointer))) {
			fprintf(stderr, "mergesort: item %llu is not after the one before it\n", (unsigned long long)i);
			return false;
		}
	}
	return true;
}

/* ---- sorting ---- */

/* Levels of which there are fewer merges than that are divided. */
static void levels_do(const struct sorting *s, const struct part *p, unsigned int level)
{
	for (; level <= p->levels; level++) {
		const uint64_t lists = part_lists(p, level);
		const uint32_t pieces = lists >= s->threads ? 1 : (uint32_t)((s->threads + lists - 1) / lists);

#pragma omp for schedule(dynamic)
		for (uint64_t i = 0; i < lists * pieces; i++) {
			const struct merge whole = part_merge(p, level, i / pieces);
			const struct merge m = merge_piece(&whole, (uint32_t)(i % pieces), pieces);

			merge_do(&m);
		}
	}
}

/* The largest lists that one thread sorts alone: some for each. */
static unsigned int alone_level(const struct sorting *s, const struct part *p)
{
	unsigned int level = p->levels;

	while (level > LEAST_LEVEL && part_lists(p, level) < 4 * s->threads)
		level--;
	return level;
}

static void sort_by_cpu(struct sorting *s)
{
	const struct part *p = &s->parts[0];
	const unsigned int level = alone_level(s, p);

#pragma omp parallel num_threads(s->threads)
	{
#pragma omp for schedule(dynamic)
		for (uint64_t i = 0; i < part_lists(p, level); i++)
			part_sort(p, level, i);
		levels_do(s, p, level + 1);
	}
}

/* The CPU's lists, in turns of the parts; the rest is the NDPs'. */
static void sort_with_ndps(struct sorting *s)
{
	uint64_t most = 0;

	for (uint32_t p = 0; p < s->part_count; p++)
		most = near_chunks(s->nears[p]) > most ? near_chunks(s->nears[p]) : most;
#pragma omp parallel for schedule(dynamic) num_threads(s->threads)
	for (uint64_t i = 0; i < most * s->part_count; i++) {
		struct near *n = s->nears[i % s->part_count];

		if (i / s->part_count < near_chunks(n))
			near_sort(n, i / s->part_count);
	}
	s->cpu_end = workload_seconds();
	for (uint32_t p = 0; p < s->part_count; p++)
		near_wait(s->nears[p]);
}

/* Two lists of so many parts each become one. */
static struct merge merge_of_parts(const struct sorting *s, uint32_t round, uint32_t pair)
{
	const uint32_t first = pair << (round + 1), second = first + (1u << round), next = second + (1u << round);
	const uint64_t begin = part_begin(s, first), middle = part_begin(s, second);
	const struct item *from = s->together[(round + 1) % 2];

	return (struct merge){round ? from + begin : part_sorted(&s->parts[first]),
			      round ? from + middle : part_sorted(&s->parts[second]), middle - begin,
			      part_begin(s, next) - middle, s->together[round % 2] + begin};
}

/* "The CPU performs the last merges", section 7.4. */
static void merge_parts(struct sorting *s)
{
	uint32_t round = 0;

	for (; 1u << round < s->part_count; round++) {
		const uint32_t pairs = s->part_count >> (round + 1), pieces = (s->threads + pairs - 1) / pairs;

#pragma omp parallel for schedule(dynamic) num_threads(s->threads)
		for (uint32_t i = 0; i < pairs * pieces; i++) {
			const struct merge whole = merge_of_parts(s, round, i / pieces);
			const struct merge m = merge_piece(&whole, i % pieces, pieces);

			merge_do(&m);
		}
	}
	s->result = round ? s->together[(round + 1) % 2] : part_sorted(&s->parts[0]);
}

/* The NDPs' threads are there before; the regions' threads, too. */
static double sort(struct sorting *s)
{
	double begin;

	for (uint32_t p = 0; s->is_near && p < s->part_count; p++)
		s->nears[p] = near_make(&s->parts[p], p, &s->near);
#pragma omp parallel num_threads(s->threads)
	{
#pragma omp barrier
	}
	strata_reset_statistics();
	begin = workload_seconds();
	if (s->is_near)
		sort_with_ndps(s);
	else
		sort_by_cpu(s);
	s->begin = begin;
	s->near_end = workload_seconds() - begin;
	s->cpu_end -= s->is_near ? begin : s->cpu_end;
	merge_parts(s);
	return workload_seconds() - begin;
}

/* ---- what is measured ---- */

/* Of the memory and its channels, while it sorts; by name in the results. */
static const struct {
	const char *name, *unit;
} statistics[] = {
	{"cpu.up_bytes", "bytes"},
	{"cpu.down_bytes", "bytes"},
	{"channel.near_bytes", "bytes"},
	{"channel.message_bytes", "bytes"},
	{"ndp.read_bytes", "bytes"},
	{"ndp.write_bytes", "bytes"},
	{"ndp.busy_cycles", "cycles"},
};
enum { STATISTIC_COUNT = sizeof(statistics) / sizeof(statistics[0]) };

static void statistics_read(uint64_t *values)
{
	for (uint32_t i = 0; i < STATISTIC_COUNT; i++)
		values[i] = strata_statistic(statistics[i].name);
}

static void statistics_say(const uint64_t *values)
{
	for (uint32_t i = 0; i < STATISTIC_COUNT; i++)
		if (values[i] != UINT64_MAX)
			workload_measure(statistics[i].name, (double)values[i], statistics[i].unit);
}

/* Equation 7.1: log2 of the items over that of the most and of the least that the switch value may be. */
static void bounds_say(const struct sorting *s)
{
	const double levels = log2((double)s->items);

	workload_measure("speedup_least", levels / log2(s->near.switch_most), "x");
	workload_measure("speedup_most", levels / log2(s->near.switch_least), "x");
}

static void near_say(const struct sorting *s)
{
	double most_time = 0, mean = 0;
	uint64_t merges = 0;

	for (uint32_t p = 0; p < s->part_count; p++) {
		const struct near_counts c = near_counts(s->nears[p]);

		most_time += c.most_time;
		mean += c.switch_mean / s->part_count;
		merges += c.merges;
	}
	bounds_say(s);
	workload_measure("near_merges", (double)merges, "merges");
	workload_measure("cpu_time", s->cpu_end, "s");
	workload_measure("near_time", s->near_end, "s");
	workload_measure("switch_mean", mean, "items");
	workload_measure("switch_most_share", 100 * most_time / (s->near_end * s->part_count), "%");
}

/* Queue and switch value over time, the mean of all parts. */
static void curve_say(const struct sorting *s, uint32_t points)
{
	char name[32];

	for (uint32_t i = 1; i <= points; i++) {
		double queue = 0, items = 0;

		for (uint32_t p = 0; p < s->part_count; p++) {
			const struct near_state state = near_state_at(s->nears[p], s->begin + s->near_end * i / points);

			queue += (double)state.queue / s->part_count;
			items += (double)state.switch_items / s->part_count;
		}
		snprintf(name, sizeof(name), "queue_%u", i);
		workload_measure(name, queue, "merges");
		snprintf(name, sizeof(name), "switch_%u", i);
		workload_measure(name, items, "items");
	}
}

/* ---- all of it ---- */

static void sorting_make(struct sorting *s, const struct workload_options *o)
{
	s->items = o->counts[ITEMS];
	s->is_near = o->counts[ON] == ON_NDPS && near_count();
	s->part_count = s->is_near ? o->counts[NDPS] : 1;
	s->threads = o->counts[THREADS] ? o->counts[THREADS] : (uint32_t)omp_get_num_procs();
	s->near = (struct near_options){.switch_least = o->counts[SWITCH_LEAST],
					.switch_most = o->counts[SWITCH_MOST],
					.queue = o->counts[QUEUE],
					.is_flushed = o->counts[HANDOVER] == BY_FLUSH,
					.is_kept = o->counts[POINTS] != 0};
	for (uint32_t p = 0; p < s->part_count; p++)
		part_make(&s->parts[p], part_begin(s, p + 1) - part_begin(s, p), s->is_near ? p : STRATA_ANY);
	for (uint32_t i = 0; s->part_count > 1 && i < 2; i++) {
		s->together[i] = strata_alloc_interleaved(s->items * sizeof(struct item));
		if (!s->together[i])
			workload_fail("no memory for %llu items", (unsigned long long)s->items);
	}
	items_make(s, o->seed);
	items_input(s);
}

static void sorting_free(struct sorting *s)
{
	for (uint32_t p = 0; p < s->part_count; p++) {
		if (s->is_near)
			near_free(s->nears[p]);
		part_free(&s->parts[p]);
	}
	for (uint32_t i = 0; s->part_count > 1 && i < 2; i++)
		strata_free(s->together[i], s->items * sizeof(struct item));
	free(s);
}

int main(int argc, char **argv)
{
	const struct workload_options o = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	struct sorting *s = workload_host_alloc(1, sizeof(*s));
	const uint64_t items = o.counts[ITEMS];
	uint64_t values[STATISTIC_COUNT];
	uint32_t ndps;
	double seconds;
	bool right;

	options_check(&o);
	omp_set_dynamic(0);
	strata_modelling_end();
	sorting_make(s, &o);
	strata_modelling_begin(STRATA_CACHES_COLD);
	seconds = sort(s);
	statistics_read(values);
	strata_modelling_end();
	workload_measure("sort_time", seconds, "s");
	workload_measure("rate", (double)items / seconds * 1e-6, "Mitems/s");
	if (s->is_near)
		near_say(s);
	if (s->is_near)
		curve_say(s, o.counts[POINTS]);
	statistics_say(values);
	right = is_right(s, o.seed);
	ndps = s->is_near ? s->part_count : 0;
	sorting_free(s);
	return workload_finish(right, "%llu items, %u NDPs", (unsigned long long)items, ndps);
}
