/* trace.h - the trace of a program's threads: accesses with the instructions between them, and what threads do with
 * each other; written as it happens and read from the beginning. docs/threads.md has the format byte by byte.
 */
#ifndef STRATA_THREADS_TRACE_H
#define STRATA_THREADS_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "threads/model.h"

enum thread_record_kind { THREAD_RECORD_ACCESS, THREAD_RECORD_FENCE, THREAD_RECORD_EVENT, THREAD_RECORD_END };

/* One record, with all that came before it of its thread. */
struct thread_record {
	enum thread_record_kind kind;
	uint32_t thread, unit;
	uint64_t turn_ps; /* simulated time at which the thread's turn began; of the end: when the program ended */
	uint64_t counts[THREAD_CLASS_COUNT]; /* instructions of the thread since its last record */
	/* of an access */
	enum thread_kind access;
	uint32_t bytes;
	uint64_t address;
	/* of an event */
	enum thread_event event;
	uint64_t value;
};

/* Writing. Errors show in thread_trace_end. */
struct thread_trace_writer;
/* NULL with errno: the file cannot be made. parameters: a text that the trace keeps. */
struct thread_trace_writer *thread_trace_create(const char *path, const char *parameters, uint32_t unit_count);
void thread_trace_count(struct thread_trace_writer *w, const struct thread_at *at, const uint16_t *counts);
void thread_trace_access(struct thread_trace_writer *w, const struct thread_at *at, uint64_t address, uint32_t bytes,
			 enum thread_kind kind);
void thread_trace_fence(struct thread_trace_writer *w, const struct thread_at *at);
void thread_trace_event(struct thread_trace_writer *w, const struct thread_at *at, enum thread_event event,
			uint64_t value);
/* Closes and frees. False with errno: something could not be written. */
bool thread_trace_end(struct thread_trace_writer *w, const struct thread_at *at);

/* Reading. Numbers of threads are below this. */
enum { THREAD_TRACE_THREADS_MAX = 1 << 24 };
struct thread_trace;
enum thread_trace_next { THREAD_TRACE_RECORD, THREAD_TRACE_DONE, THREAD_TRACE_WRONG };
/* NULL with a text in *why, static or of strerror. */
struct thread_trace *thread_trace_open(const char *path, const char **why);
/* THREAD_TRACE_DONE: after the record THREAD_RECORD_END. THREAD_TRACE_WRONG: *why says what is wrong with the file. */
enum thread_trace_next thread_trace_read(struct thread_trace *t, struct thread_record *out, const char **why);
const char *thread_trace_parameters(const struct thread_trace *t);
uint32_t thread_trace_unit_count(const struct thread_trace *t);
void thread_trace_close(struct thread_trace *t);

/* "read", "rmw" ...; "create" ...; "integer" .... */
extern const char *const thread_kind_names[THREAD_KIND_COUNT];
extern const char *const thread_event_names[THREAD_EVENT_COUNT];
extern const char *const thread_class_names[THREAD_CLASS_COUNT];

#endif
