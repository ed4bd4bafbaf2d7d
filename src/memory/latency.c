/* latency.c - latencies one by one, or in a histogram when they become too many. */
#include "memory/latency.h"

#include <glib.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/check.h"

enum { STEP_BITS = 10, STEPS = 1 << STEP_BITS, BUCKETS = (65 - STEP_BITS) * STEPS };

struct memory_latency_record {
	uint64_t *kept; /* latency * 2 + is_write; NULL: they are in the histograms */
	uint64_t kept_count, kept_max;
	uint64_t count[MEMORY_LATENCY_ALL], max[MEMORY_LATENCY_ALL];
	unsigned __int128 sum[MEMORY_LATENCY_ALL];
	uint64_t (*histogram)[BUCKETS]; /* of reads and of writes */
};

/* Uninitialised, in the host's large pages if it has such: to touch a page for the first time takes long. */
static void *large_new(size_t size_bytes)
{
	const size_t page_bytes = 1 << 21;
	void *p = NULL;

	CHECK(!posix_memalign(&p, page_bytes, size_bytes));
	madvise(p, size_bytes, MADV_HUGEPAGE); /* without them it is slower */
	return p;
}

struct memory_latency_record *memory_latency_record_new(uint64_t request_count, uint32_t exact_max)
{
	struct memory_latency_record *r = g_new0(struct memory_latency_record, 1);

	CHECK(exact_max <= MEMORY_LATENCY_EXACT_MAX);
	/* Untouched, both cost the host nothing. */
	r->kept_max = request_count && request_count < exact_max ? request_count : exact_max;
	r->kept = large_new((r->kept_max + 1) * sizeof(*r->kept));
	r->histogram = g_malloc0_n(MEMORY_LATENCY_ALL, sizeof(*r->histogram));
	return r;
}

void memory_latency_record_free(struct memory_latency_record *r)
{
	if (!r)
		return;
	free(r->kept);
	g_free(r->histogram);
	g_free(r);
}

static uint32_t bucket_of(uint64_t v)
{
	if (v < STEPS)
		return (uint32_t)v;

	const uint32_t shift = 63 - (uint32_t)__builtin_clzll(v) - STEP_BITS;

	return shift * STEPS + (uint32_t)(v >> shift);
}

static uint64_t edge_of(uint32_t bucket)
{
	const uint32_t shift = bucket / STEPS ? bucket / STEPS - 1 : 0;

	return (uint64_t)(bucket - shift * STEPS) << shift;
}

/* The record is full: what it keeps goes into the histograms. */
static __attribute__((noinline)) void spill(struct memory_latency_record *r)
{
	for (uint64_t i = 0; i < r->kept_count; i++)
		r->histogram[r->kept[i] & 1][bucket_of(r->kept[i] >> 1)]++;
	free(r->kept);
	r->kept = NULL;
}

void memory_latency_add(struct memory_latency_record *r, uint64_t units, bool is_write)
{
	r->count[is_write]++;
	r->sum[is_write] += units;
	if (units > r->max[is_write])
		r->max[is_write] = units;
	if (r->kept && unlikely(r->kept_count == r->kept_max))
		spill(r);
	if (likely(r->kept))
		r->kept[r->kept_count++] = units << 1 | is_write;
	else
		r->histogram[is_write][bucket_of(units)]++;
}

/* Puts those of values[low..high) that are less than a bound before the others, and returns where these begin. No
 * branch depends on a value, for the host could not predict it. */
static uint64_t part(uint64_t *values, uint64_t low, uint64_t high, uint64_t bound)
{
	for (uint64_t at = low; at < high; at++) {
		const uint64_t v = values[at];

		values[at] = values[low];
		values[low] = v;
		low += v < bound;
	}
	return low;
}

/* The value of a rank (0-based) among values[low..high), which is reordered: before it nothing that is larger, behind
 * it nothing that is smaller (Hoare's quickselect). */
static uint64_t select_rank(uint64_t *values, uint64_t low, uint64_t high, uint64_t rank)
{
	while (high - low > 1) {
		const uint64_t a = values[low], b = values[low + (high - low) / 2], c = values[high - 1];
		const uint64_t pivot = a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
		const uint64_t below = part(values, low, high, pivot);

		if (rank < below) {
			high = below;
			continue;
		}
		low = part(values, below, high, pivot + 1);
		if (rank < low)
			return pivot;
	}
	return values[low];
}

/* The 0-based nearest rank of the q-quantile of some. */
static uint64_t rank_of(double q, uint64_t count)
{
	return MIN((uint64_t)ceil(q * (double)count), count) - 1;
}

/* The percentiles that are told, rising. */
static const struct quantile {
	double q;
	size_t offset; /* in struct memory_latency */
} quantiles[] = {{0.5, offsetof(struct memory_latency, p50)},
		 {0.9, offsetof(struct memory_latency, p90)},
		 {0.95, offsetof(struct memory_latency, p95)},
		 {0.99, offsetof(struct memory_latency, p99)},
		 {0.999, offsetof(struct memory_latency, p999)}};

static void set_quantile(struct memory_latency *out, const struct quantile *q, uint64_t value)
{
	*(uint64_t *)((char *)out + q->offset) = value;
}

static void read_kept(uint64_t *values, uint64_t count, struct memory_latency *out)
{
	uint64_t low = 0;

	for (uint32_t i = 0; count && i < ARRAY_COUNT(quantiles); i++) {
		const uint64_t rank = rank_of(quantiles[i].q, count);

		set_quantile(out, &quantiles[i], select_rank(values, low, count, rank));
		low = rank;
	}
}

/* Reads first, then writes, both without their bit. Returns how many reads there are. */
static uint64_t part_kept(uint64_t *values, uint64_t count)
{
	uint64_t reads = 0;

	for (uint64_t i = 0; i < count; i++) {
		const uint64_t v = values[i];

		values[i] = values[reads];
		values[reads] = v;
		reads += !(v & 1);
	}
	for (uint64_t i = 0; i < count; i++)
		values[i] >>= 1;
	return reads;
}

static uint64_t histogram_rank(const struct memory_latency_record *r, bool has_reads, bool has_writes, uint64_t rank)
{
	uint64_t seen = 0;

	for (uint32_t i = 0; i < BUCKETS; i++) {
		seen += (has_reads ? r->histogram[0][i] : 0) + (has_writes ? r->histogram[1][i] : 0);
		if (seen > rank)
			return edge_of(i);
	}
	UNREACHABLE("a rank behind the last latency");
}

static void read_histogram(const struct memory_latency_record *r, enum memory_latency_of of, struct memory_latency *out)
{
	const bool has_reads = of != MEMORY_LATENCY_WRITES, has_writes = of != MEMORY_LATENCY_READS;

	for (uint32_t i = 0; out->count && i < ARRAY_COUNT(quantiles); i++)
		set_quantile(out, &quantiles[i],
			     histogram_rank(r, has_reads, has_writes, rank_of(quantiles[i].q, out->count)));
}

bool memory_latency_read(struct memory_latency_record *r, struct memory_latency out[MEMORY_LATENCY_COUNT])
{
	const bool is_exact = r->kept != NULL;

	memset(out, 0, sizeof(*out) * MEMORY_LATENCY_COUNT);
	for (uint32_t i = 0; i < MEMORY_LATENCY_ALL; i++) {
		out[i].count = r->count[i];
		out[i].max = r->max[i];
		out[i].mean = r->count[i] ? (double)r->sum[i] / (double)r->count[i] : 0;
	}

	struct memory_latency *all = &out[MEMORY_LATENCY_ALL];

	all->count = r->count[0] + r->count[1];
	all->max = MAX(r->max[0], r->max[1]);
	all->mean = all->count ? (double)(r->sum[0] + r->sum[1]) / (double)all->count : 0;
	if (is_exact) {
		const uint64_t reads = part_kept(r->kept, r->kept_count);

		read_kept(r->kept, reads, &out[MEMORY_LATENCY_READS]);
		read_kept(r->kept + reads, r->kept_count - reads, &out[MEMORY_LATENCY_WRITES]);
		if (reads && reads < r->kept_count)
			read_kept(r->kept, r->kept_count, all);
		else
			*all = out[reads ? MEMORY_LATENCY_READS : MEMORY_LATENCY_WRITES];
		return true;
	}
	for (uint32_t i = 0; i < MEMORY_LATENCY_COUNT; i++)
		read_histogram(r, (enum memory_latency_of)i, &out[i]);
	return false;
}
