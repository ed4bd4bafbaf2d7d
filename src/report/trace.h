/* trace.h - private to the writers of trace events. */
#ifndef STRATA_REPORT_TRACE_H
#define STRATA_REPORT_TRACE_H

#include <glib.h>
#include <jansson.h>

/* Processes of the trace, in the order in which viewers show them. */
enum {
	TRACE_PROCESS_STREAMS = 1,
	TRACE_PROCESS_ENGINES,
	TRACE_PROCESS_SAMPLES,
	TRACE_PROCESS_CTAS,
	TRACE_PROCESS_BLOCKS,
	TRACE_PROCESS_PAUSES,
	TRACE_PROCESS_DRAM,
	TRACE_PROCESS_THREADS,
	TRACE_PROCESS_CONTROL_BLOCKS,
	TRACE_PROCESS_MOVES
};

/* what: "process_name", or "thread_name" of a row. */
void trace_add_name(json_t *events, const char *what, int process, json_int_t row, const char *name);
/* args becomes the events'. */
void trace_add_span(json_t *events, const char *name, const char *category, int process, json_int_t row,
		    double start_ps, double end_ps, json_t *args);

/* trace_spans.c. launches: number -> object, of the run's kernels. */
void trace_add_spans(json_t *events, const json_t *run, GHashTable *launches);

#endif
