/* measure.h - a memory under a stream of requests: bandwidth, latencies, statistics.
 *
 * One source feeds the memory. It looks at the edges of the memory's clock and sends requests in order, as many at an
 * edge as the memory takes. A request that is refused waits, and those behind it to the same (pseudo) channel do;
 * others pass, as if each channel had requesters of its own.
 *
 *   closed loop  window_count requests are under way at a time; a latency runs from when the window lets the request in
 *   open loop    requests come at a rate, or when the trace says; a latency runs from then, however long the memory
 *                refuses it. When 256 for each channel are under way, those that come later wait for one to end
 *
 * A latency ends when the answer is there: a read's data, a write's acknowledgment. The time of a run ends with the
 * last answer. Runs share nothing: several may go at a time, each in its own thread.
 */
#ifndef STRATA_MEMORY_MEASURE_H
#define STRATA_MEMORY_MEASURE_H

#include <stdatomic.h>

#include "memory/latency.h"
#include "memory/standard.h"
#include "memory/stream.h"
#include "sim/stat.h"

/* How far a measurement is. */
struct memory_progress {
	_Atomic uint64_t done_count; /* requests */
	_Atomic uint64_t now_units;  /* simulated time */
	_Atomic uint64_t units_per_ps; /* 0: it has not begun */
};

struct memory_measure_config {
	const struct memory_standard *memory; /* both kept; the memory is checked */
	const struct memory_stream_params *stream;
	enum memory_stream_kind kind;
	struct memory_trace *trace;	  /* of MEMORY_TRACE: not owned */
	bool audit;			  /* the auditor of DRAM commands watches */
	const atomic_bool *is_stopped;	  /* set from outside: no more requests; NULL: never */
	struct memory_progress *progress; /* kept up to date for other threads; may be NULL */
};

/* A rank's: some bank open, all closed, power-down, self-refresh. */
enum memory_power_state {
	MEMORY_OPEN, MEMORY_PRECHARGED, MEMORY_POWER_DOWN, MEMORY_SELF_REFRESH, MEMORY_POWER_STATE_COUNT,
};

struct memory_result {
	uint64_t request_count, read_count, write_count, request_bytes, moved_bytes;
	uint64_t time_ps;	  /* from the first request, at 0, to the last answer */
	double rate_gbytes_per_s; /* open loop: asked for; 0: closed loop, or a trace's own times */
	uint32_t window_count;	  /* closed loop; 0: open loop */
	double gbytes_per_s, peak_gbytes_per_s;
	double bus_utilisation; /* of all data buses: the part of the time in which they carry data, 0 to 1 */
	double row_hit_ratio;	/* of all requests, 0 to 1 */
	uint64_t refresh_count, bank_refresh_count, management_count; /* REF, REFB, RFM commands */
	double power_state[MEMORY_POWER_STATE_COUNT]; /* of the ranks' time, 0 to 1 */
	struct energy_report energy; /* over that time */
	double latency_unit_ns; /* of what follows */
	struct memory_latency latency[MEMORY_LATENCY_COUNT];
	bool has_exact_percentiles, is_interrupted;
	bool is_saturated;   /* open loop: the memory took the last request late, by more than a hundredth of the run */
	double host_seconds; /* CPU time of the simulation */
};

struct memory_measure;

/* The peak of all data buses, or of the link in front at this share of reads (0 to 1), if that is less. */
double memory_measure_peak_bytes_per_s(const struct memory_standard *s, double read_share);

/* Does the stream fit the memory? False with messages. */
bool memory_measure_check(const struct memory_measure_config *c, struct base_diag_list *diag);
/* NULL with messages when it does not. */
struct memory_measure *memory_measure_new(const struct memory_measure_config *c, struct base_diag_list *diag);
/* Runs the stream to its end; once. A trace with a mistake ends there: see memory_trace_has_failed. */
void memory_measure_run(struct memory_measure *m, struct memory_result *out);
/* Those of the memory, after the run. */
struct sim_stats *memory_measure_stats(const struct memory_measure *m);
void memory_measure_free(struct memory_measure *m);

#endif
