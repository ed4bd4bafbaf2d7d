/* stream.h - requests to a memory, one after the other: made by a rule, or read from a trace.
 *
 *   sequential  one request after the other through the span, again and again
 *   strided     every stride_bytes
 *   random      anywhere in the span, evenly
 *   chase       random, and each waits for the answer to the one before: its address was in that answer
 *   trace       what a file says, see memory/trace.h: a request of the bytes around each address, which is taken modulo
 *               the span; of a trace of places, at that place: channel, pseudo channel where two share a command
 *               bus, rank if there is a number for it, bank group where there are some, bank, row, column in bursts
 *
 * Equal parameters make equal streams, on every host.
 */
#ifndef STRATA_MEMORY_STREAM_H
#define STRATA_MEMORY_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "mem/memory.h"
#include "memory/trace.h"
#include "sim/param.h"

#define MEMORY_STREAMS(X)                                                                                              \
	X(MEMORY_SEQUENTIAL, sequential) X(MEMORY_STRIDED, strided) X(MEMORY_RANDOM, random) X(MEMORY_CHASE, chase)
enum memory_stream_kind { MEMORY_STREAMS(SIM_PARAM_ENUMERATOR) MEMORY_TRACE };

struct memory_stream_params {
#include "sim/param_fields.inc"
#include "memory/stream_params.def"
#include "sim/param_end.inc"
};
extern const struct sim_param_desc memory_stream_param_rows[];
extern const uint32_t memory_stream_param_row_count;

/* The memory that a stream goes to, whose parameters are checked. */
struct memory_stream_target {
	const struct memory_params *memory;
	const struct dram_params *dram;
};

struct memory_stream {
	enum memory_stream_kind kind;
	uint32_t request_bytes;
	uint64_t left;	     /* requests that are still to come; UINT64_MAX: to the trace's end */
	uint64_t span_bytes; /* a whole number of requests */
	/* private */
	uint64_t next_addr_bytes, pass_addr_bytes, stride_bytes, random, write_percent;
	struct memory_trace *trace;
	/* What a trace of places needs. */
	struct mem_order order;
	struct mem_shape shape;
	uint32_t pseudo_count, burst_bytes;
};

/* The kind of a name; false: none has it. */
bool memory_stream_kind_find(const char *name, enum memory_stream_kind *kind);

/* p is read now; trace (of MEMORY_TRACE, else NULL) is kept, not owned. False with messages where the parameters do not
 * fit each other or the memory. */
bool memory_stream_init(struct memory_stream *s, enum memory_stream_kind kind, const struct memory_stream_params *p,
			const struct memory_stream_target *target, struct memory_trace *trace,
			struct base_diag_list *diag);

/* The next request. False: there is none; a trace may have had a mistake (memory_trace_failed). */
bool memory_stream_next(struct memory_stream *s, struct memory_access *out);

#endif
