/* model.h - the machine that simulated threads run on, as the runtime in the program sees it: a table of functions.
 *
 * The runtime (rt/) executes the program's threads as coroutines on the units (hardware threads) of a machine, always
 * the one that is earliest in simulated time. At each hook it asks the model what the instructions and the access cost.
 * A model is a shared library that exports strata_thread_model; STRATA_THREADS_MODEL names it. It is called on the
 * stack of the thread that asks, and may allocate: its memory is not the program's.
 */
#ifndef STRATA_THREADS_MODEL_H
#define STRATA_THREADS_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "threads/site.h"

/* Who asks, and when. */
struct thread_at {
	uint32_t unit;   /* hardware thread */
	uint32_t thread; /* of the program, 0 is main's */
	uint64_t now_ps;
};

/* An access: where it goes and when its thread goes on. */
struct thread_answer {
	uint64_t
	    done_ps; /* from when the thread goes on, at least now_ps; THREAD_WAITS: until the model calls resume */
	void *bytes; /* that the program's instruction uses: the program's own, or those of a copy of the model's */
};
/* Masked accesses, and gathers and scatters that a program writes as intrinsics of AVX, use the program's own bytes. */
#define THREAD_WAITS UINT64_MAX

/* What threads do with each other. The values are in the traces. */
enum thread_event {
	THREAD_CREATE, /* value: the new thread */
	THREAD_END,
	THREAD_WAIT,   /* value: address of the word (futex) */
	THREAD_RESUME, /* the wait is over; value: the address */
	THREAD_WAKE,   /* value: the address */
	THREAD_EVENT_COUNT,
};

/* What the program does not choose. Filled by the model. */
struct thread_machine {
	uint32_t unit_count;     /* 1 to THREAD_UNITS_MAX */
	uint64_t quantum_ps;     /* a unit may be so far ahead of the earliest one; 0: all accesses in order of time */
	uint64_t slice_ps;       /* threads of one unit take turns */
	uint64_t system_call_ps; /* of the calls for waiting, waking, sleeping, reading clocks */
	uint64_t wake_ps;        /* from waking a thread until it runs */
	uint64_t create_ps;      /* of making a thread, on the unit that makes it */
};
enum { THREAD_UNITS_MAX = 4096 };

struct thread_model {
	struct thread_machine machine;
	void *self;
	/* Time of the instructions, on the unit. counts: by enum thread_class. */
	uint64_t (*compute)(void *self, const struct thread_at *at, const uint16_t *counts);
	/* kind is below THREAD_KIND_COUNT. address is the model's: equal from run to run; bytes are the program's. */
	struct thread_answer (*access)(void *self, const struct thread_at *at, uint64_t address, void *bytes,
				       uint32_t size, enum thread_kind kind);
	/* Returns when the thread goes on, or THREAD_WAITS. */
	uint64_t (*fence)(void *self, const struct thread_at *at);
	/* Does what the model has to do until then; called only for times given to thread_runtime.event. May be NULL.
	 */
	void (*advance)(void *self, uint64_t until_ps);
	void (*event)(void *self, const struct thread_at *at, enum thread_event event, uint64_t value);
	/* The program ends. */
	void (*end)(void *self, const struct thread_at *at);
};

/* What a model may ask of the runtime. */
struct thread_runtime {
	/* The access of a thread that waits is answered: it goes on at time_ps with these bytes (ignored for a fence).
	 */
	void (*resume)(uint32_t thread, uint64_t time_ps, void *bytes);
	/* advance is called before any thread runs beyond time_ps. */
	void (*event)(uint64_t time_ps);
	/* The program cannot go on, for what the thread does: "thread N TEXT in FUNCTION at LINE", and the process ends
	 * with status 2. The model is not called again. Does not return. */
	void (*fail)(uint32_t thread, const char *text);
};

/* Makes the model from the text of STRATA_THREADS_OPTIONS (its own format); NULL after a message on stderr. */
typedef struct thread_model *thread_model_make(const struct thread_runtime *runtime, const char *options);
#define THREAD_MODEL_ENTRY "strata_thread_model"

#endif
