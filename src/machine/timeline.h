/* timeline.h - the simulated time of a whole program: host threads, streams, and the device's engines.
 *
 * The driver computes values in the order of the calls; this decides when each piece of work happens. Work begins at
 * the latest of: what its stream has before it, the moment the host gave it, the moment its engine is free. Engines
 * take work in the order in which it is given:
 *
 *   to device   copies from the host          (one engine for both directions when host.copy_engine_count is 1)
 *   to host     copies to the host
 *   device      copies inside the device, memsets
 *   compute     kernels, one after the other
 *
 * Host functions, and copies from host to host, need no engine. Times are picoseconds since the first driver call. The
 * model has no randomness and no time of this host (but for host.code = measured, which the caller adds).
 */
#ifndef STRATA_MACHINE_TIMELINE_H
#define STRATA_MACHINE_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "device/device.h"
#include "device/host.h"
#include "device/run.h"
#include "sim/stat.h"

struct machine_copy_stats {
#include "sim/stat_fields.inc"
#include "machine/copy_stats.def"
#include "sim/stat_end.inc"
};
struct machine_program_stats {
#include "sim/stat_fields.inc"
#include "machine/program_stats.def"
#include "sim/stat_end.inc"
};
extern const struct sim_stat_table machine_copy_stat_table, machine_program_stat_table;

/* ---- streams ---- */

/* The streams of one context. All zero: nothing was ever given to it. */
struct machine_streams {
	uint64_t legacy_end_ps;	  /* end of the last work of the legacy default stream */
	uint64_t blocking_end_ps; /* latest end over all other streams that it synchronises with */
	uint64_t end_ps;	  /* latest end over all streams */
};

/* CUDA's rule (cuStreamCreate): the legacy default stream waits for all blocking streams and they wait for it;
 * non-blocking streams have nothing to do with it. */
enum machine_stream_rule { MACHINE_STREAM_LEGACY, MACHINE_STREAM_BLOCKING, MACHINE_STREAM_NON_BLOCKING };

struct machine_stream {
	struct machine_streams *context;
	enum machine_stream_rule rule;
	uint32_t number; /* its name in the results; the legacy default stream is 0 */
	uint64_t end_ps; /* of its last work; the legacy stream's is in the context */
};

/* When all work that comes before the next work of s has ended. */
uint64_t machine_stream_ready_ps(const struct machine_stream *s);
/* The next work of s comes after end_ps. */
void machine_stream_extend(struct machine_stream *s, uint64_t end_ps);

/* ---- work ---- */

enum machine_work_kind {
	MACHINE_WORK_KERNEL,
	MACHINE_WORK_TO_DEVICE,
	MACHINE_WORK_TO_HOST,
	MACHINE_WORK_ON_DEVICE,
	MACHINE_WORK_FILL,
	MACHINE_WORK_ON_HOST, /* a copy from host to host */
	MACHINE_WORK_HOST_FUNCTION,
	MACHINE_WORK_KIND_COUNT,
};

/* One piece of work, as kept for the results. */
struct machine_work {
	enum machine_work_kind kind;
	uint32_t stream;
	const char *name; /* a kernel's, else NULL; kept, not copied */
	uint64_t start_ps, end_ps, bytes;
};

struct machine_timeline;

/* Keeps host, run and device. Adds the groups "copy" and "program" to stats, which may be NULL and must not be read
 * after machine_timeline_free. */
struct machine_timeline *machine_timeline_new(const struct host_params *host, const struct run_params *run,
					       const struct device_traits *device, struct sim_stats *stats);
void machine_timeline_free(struct machine_timeline *t);

/* Earliest start of work of this kind that the host has given to s at given_ps. */
uint64_t machine_timeline_start_ps(const struct machine_timeline *t, enum machine_work_kind kind,
				   const struct machine_stream *s, uint64_t given_ps);
/* Time that a copy or memset takes once it has started. is_pageable: the host's side is pageable memory, so the host
 * copies it through a staging buffer at host.memcpy_mbytes_per_s while the wires carry it. */
uint64_t machine_timeline_copy_ps(const struct machine_timeline *t, enum machine_work_kind kind, uint64_t bytes,
				  bool is_pageable);
/* Puts work from start_ps (not before machine_timeline_start_ps) to end_ps into s and on its engine, and counts it. */
void machine_timeline_add(struct machine_timeline *t, enum machine_work_kind kind, struct machine_stream *s,
			  const char *name, uint64_t start_ps, uint64_t end_ps, uint64_t bytes, bool is_pageable);

/* ---- host threads ---- */

enum machine_host_time { MACHINE_HOST_CALL, MACHINE_HOST_WAIT, MACHINE_HOST_CODE };

/* A host thread was busy from from_ps for duration_ps. Returns the end. */
uint64_t machine_timeline_host(struct machine_timeline *t, enum machine_host_time what, uint64_t from_ps,
			       uint64_t duration_ps);
/* One more driver call. */
void machine_timeline_count_call(struct machine_timeline *t);

/* The program has copied these bytes from the device to the host. */
void machine_timeline_copied_to_host(struct machine_timeline *t, const void *data, uint64_t bytes);

/* ---- results ---- */

/* The hash over all bytes copied to the host, in the order of the calls. False: there were none. */
bool machine_timeline_copied_hash(const struct machine_timeline *t, uint64_t *hash);

/* Brings the program's statistics up to date: overlap and idle time up to now. */
void machine_timeline_settle(struct machine_timeline *t);
const struct machine_copy_stats *machine_timeline_copies(const struct machine_timeline *t);
const struct machine_program_stats *machine_timeline_program(const struct machine_timeline *t);
/* The first run.timeline_count pieces of work in the order of the calls, and how many there were. */
const struct machine_work *machine_timeline_work(const struct machine_timeline *t, uint32_t *count);
uint64_t machine_timeline_work_count(const struct machine_timeline *t);
/* "kernel", "copy to device", ... */
const char *machine_work_kind_name(enum machine_work_kind kind);

#endif
