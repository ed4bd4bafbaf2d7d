/* latency.h - the latencies of a run's requests, and their exact percentiles.
 *
 * Up to MEMORY_LATENCY_EXACT_MAX latencies are kept one by one, and percentiles are exact: the smallest latency that so
 * large a part of the requests did not exceed (nearest rank). A run of more keeps a histogram of 1024 steps per power
 * of two instead: a percentile is then too small by less than 1/1024. Count, mean and largest are always exact. All
 * memory is taken when the record is made.
 */
#ifndef STRATA_MEMORY_LATENCY_H
#define STRATA_MEMORY_LATENCY_H

#include <stdbool.h>
#include <stdint.h>

enum { MEMORY_LATENCY_EXACT_MAX = 1 << 24 };

/* In units of the engine, 0 where there was no request. */
struct memory_latency {
	uint64_t count, max, p50, p90, p95, p99, p999;
	double mean;
};

enum memory_latency_of { MEMORY_LATENCY_READS, MEMORY_LATENCY_WRITES, MEMORY_LATENCY_ALL, MEMORY_LATENCY_COUNT };

struct memory_latency_record;

/* For at most so many requests; 0: nobody knows how many. exact_max: at most so many are kept one by one, at most
 * MEMORY_LATENCY_EXACT_MAX. */
struct memory_latency_record *memory_latency_record_new(uint64_t request_count, uint32_t exact_max);
void memory_latency_record_free(struct memory_latency_record *r);

/* One request has taken so long, in units below 2^63. */
void memory_latency_add(struct memory_latency_record *r, uint64_t units, bool is_write);

/* What was added, of reads, writes and all; once, for it reorders the record. Returns whether percentiles are exact. */
bool memory_latency_read(struct memory_latency_record *r, struct memory_latency out[MEMORY_LATENCY_COUNT]);

#endif
