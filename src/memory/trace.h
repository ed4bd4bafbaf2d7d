/* trace.h - requests from a file, line by line, in the forms of two simulators; plain or compressed by zstd.
 *
 *   ramulator   "ADDRESS R" or "ADDRESS W" (Ramulator 1.0, README: memory trace)
 *   loadstore   "LD ADDRESS" or "ST ADDRESS" (Ramulator 2, src/frontend: load/store trace)
 *   readwrite   "R PLACE" or "W PLACE" (the same: read/write trace), where a place is numbers with commas between
 *   dramsim3    "ADDRESS READ CYCLE" or "ADDRESS WRITE CYCLE" (DRAMsim3, src/common.cc; cycles never fall)
 *
 * Numbers are decimal, or hexadecimal after 0x. Empty lines, and what follows a '#', are passed over. The
 * file is read as far as it is needed, so that it may be a pipe, and be larger than the host's memory.
 */
#ifndef STRATA_MEMORY_TRACE_H
#define STRATA_MEMORY_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "sim/param.h"

#define MEMORY_TRACE_FORMATS(X)                                                                                        \
	X(MEMORY_TRACE_RAMULATOR, ramulator) X(MEMORY_TRACE_LOADSTORE, loadstore)                                      \
	X(MEMORY_TRACE_READWRITE, readwrite) X(MEMORY_TRACE_DRAMSIM3, dramsim3)
/* MEMORY_TRACE_ANY: what the first line looks like. */
enum memory_trace_format { MEMORY_TRACE_FORMATS(SIM_PARAM_ENUMERATOR) MEMORY_TRACE_ANY };

#define MEMORY_TRACE_NO_CYCLE UINT64_MAX
#define MEMORY_TRACE_CYCLE_MAX 1000000000000ull /* 10^4 s of a clock of 100 MHz: what the engine can count */

enum { MEMORY_TRACE_PARTS_MAX = 8 };

/* One request. */
struct memory_access {
	uint64_t addr_bytes;
	uint64_t cycle; /* when it comes; MEMORY_TRACE_NO_CYCLE: the trace does not say */
	bool is_write;
	uint8_t part_count; /* of a trace of places: there is no address, but the numbers of its place */
	uint32_t parts[MEMORY_TRACE_PARTS_MAX];
};

struct memory_trace;

/* "ramulator" ...; false: no format has the name. */
bool memory_trace_format_find(const char *name, enum memory_trace_format *format);

/* Opens a file and reads its first request. diag is kept: what is wrong with the file, now or later, is appended there,
 * with line and column. NULL after a message: it cannot be read, is damaged, empty, or not of the format. */
struct memory_trace *memory_trace_open(const char *path, enum memory_trace_format format, struct base_diag_list *diag);
/* Opens a trace of an open file, which the trace closes; name is for messages, and kept. */
struct memory_trace *memory_trace_open_fd(int fd, const char *name, enum memory_trace_format format,
					  struct base_diag_list *diag);
void memory_trace_close(struct memory_trace *t);

/* The format has cycles. */
bool memory_trace_has_cycles(const struct memory_trace *t);

/* The next request. False: the trace has ended, or has a mistake, which diag has then. */
bool memory_trace_next(struct memory_trace *t, struct memory_access *out);
bool memory_trace_has_failed(const struct memory_trace *t);
/* The last request cannot be: a message with its place in the file, and the trace has failed. */
void memory_trace_refuse(struct memory_trace *t, const char *text);

#endif
