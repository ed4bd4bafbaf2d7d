/* traffic.h - the bytes that a run has moved, by way, and what each way could carry: traffic_bytes, peak_bytes_per_s.
 *
 * Both have every way, whatever the machine: a way that no part of it counts is null, and not 0, which says that
 * nothing went there.
 */
#ifndef STRATA_MACHINE_TRAFFIC_H
#define STRATA_MACHINE_TRAFFIC_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* To and from the memory, from stack to stack, in DRAM (dram: both together, which is all that a memory that is a rate
 * has), between sockets. */
#define MACHINE_WAYS(X) X(TX, tx) X(RX, rx) X(STACK_TO_STACK, stack_to_stack) X(DRAM_READ, dram_read) \
	X(DRAM_WRITE, dram_write) X(DRAM, dram) X(LINK, link)

enum machine_way {
#define MACHINE_WAY(enumerator, name) MACHINE_WAY_##enumerator,
	MACHINE_WAYS(MACHINE_WAY)
#undef MACHINE_WAY
	    MACHINE_WAY_COUNT
};

/* Is there a way of this name? */
bool machine_traffic_has(const char *name);
/* Before the parts: nothing is counted, nothing has a peak. */
void machine_traffic_begin(json_t *fields, json_t *units);
/* traffic_bytes alone. */
void machine_traffic_bytes_begin(json_t *fields);
/* A part counts this way. */
void machine_traffic_count(json_t *fields, enum machine_way way, uint64_t bytes);
/* DRAM whose reads and writes are counted. */
void machine_traffic_count_dram(json_t *fields, uint64_t read_bytes, uint64_t written_bytes);
void machine_traffic_peak(json_t *fields, enum machine_way way, double bytes_per_s);

#endif
