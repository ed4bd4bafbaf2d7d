/* accelerators.h - a program of threads and the accelerators of its machine (hdl/accelerator.h): bytes and messages. */
#ifndef STRATA_THREADS_CPU_ACCELERATORS_H
#define STRATA_THREADS_CPU_ACCELERATORS_H

#include "hdl/accelerator.h"
#include "threads/cpu/bytes.h"
#include "threads/model.h"

struct accelerators;

struct accelerator_user {
	/* A design does what it may not: text says what. Does not return. */
	void (*fail)(void *self, const char *text);
	/* The thread has the message that it waits for: it goes on then. */
	void (*resume)(void *self, uint32_t thread, uint64_t time_ps);
	void *self;
};

/* bytes: NULL where the newest are everybody's. library: of the design. NULL after a message. */
struct accelerators *accelerators_new(struct hdl_system *hdl, const char *library, struct bytes *bytes,
				      struct accelerator_user user);
/* THREAD_ASK_MAP, _COMMAND, _REPLY, _KEY and _LINE. */
struct thread_reply accelerators_ask(struct accelerators *a, const struct thread_at *at, const struct thread_ask *ask);
/* No thread can go on any more: says which accelerators have taken messages without a reply, and their last states. */
void accelerators_stuck(const struct accelerators *a);
/* Before the range is unmapped. */
void accelerators_unmap(struct accelerators *a, uint64_t address, uint64_t bytes);
/* The program has ended. */
void accelerators_stop(struct accelerators *a, uint64_t now_ps);
void accelerators_answered(struct accelerators *a, uint32_t unit, uint64_t time_ps);

#endif
