/* model.h - the machine that simulated threads run on, as the runtime in the program sees it: a table of functions.
 *
 * The runtime (rt/) executes the program's threads as coroutines on the units (hardware threads) of a machine, always
 * the one that is earliest in simulated time. At each hook it asks the model what the instructions and the access cost.
 * A model is a shared library that exports strata_thread_model (under a name that says
 * THREAD_INTERFACE); STRATA_THREADS_MODEL names it. It is called on the
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
	uint32_t waits_for; /* of THREAD_WAIT: enum thread_waits_for */
	const void *place;  /* where the thread is: behind its last hook, NULL: not known */
	const struct thread_site *site; /* of an access; of instructions, or NULL: only what they are is known */
};

enum thread_waits_for {
	THREAD_FOR_OTHER, /* conditions, semaphores, messages, time, futexes of the program's own */
	THREAD_FOR_LOCK,  /* mutexes, read-write locks, critical regions, what is done once */
	THREAD_FOR_BARRIER, /* OpenMP: also the end of a region, and tasks */
	THREAD_FOR_JOIN,
	THREAD_FOR_WORK, /* a thread of OpenMP's between regions */
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

/* What a program asks of the machine besides accesses: by <strata/ndp.h>, mbind, munmap and their kin. Ranges are of
 * the model's addresses. */
enum thread_ask_kind {
	/* The range's pages that nobody has touched, or, of no bytes, what the caller touches and has no other word:
	 * value is enum thread_placement, nodes where. */
	THREAD_ASK_PLACE,
	THREAD_ASK_MOVE,      /* the range's touched pages, to the one node of nodes */
	THREAD_ASK_WHERE,     /* the result is the node of the range's first page, -1: not touched */
	THREAD_ASK_UNMAP,     /* the pages are gone; value 1: the runtime's own, of whom nobody has to be told */
	THREAD_ASK_PROTECT,   /* translations of the range change */
	THREAD_ASK_CLAIM,     /* value: enum thread_owner */
	THREAD_ASK_CACHEABLE, /* value 1: remote lines of the range may stay in caches of NDPs */
	THREAD_ASK_FLUSH,     /* the caller's caches write the range back and forget it */
	THREAD_ASK_SEND,      /* a message of `bytes` to NDP `value`; the result is when it is there, in ps */
	/* Of an accelerator, `value`: the range is in its address-translation table; `bytes` of `data` go to it as a
	 * message; its next message, whose size is the result, is in `data` when the thread goes on; its key comes to
	 * `data`; a line (struct strata_line) of `data` goes to it. */
	THREAD_ASK_MAP,
	THREAD_ASK_COMMAND,
	THREAD_ASK_REPLY,
	THREAD_ASK_KEY,
	THREAD_ASK_LINE,
	THREAD_ASK_BEGIN,     /* of modelling; value 1: caches are kept, else they are empty */
	THREAD_ASK_END,       /* no accesses come until it begins again */
	THREAD_ASK_STATISTIC, /* of the name `text`: the result, or -1; text NULL: they count from here */
};
enum thread_placement { THREAD_PLACE_DEFAULT, THREAD_PLACE_NODES /* in turns */, THREAD_PLACE_FIRST_TOUCH };
enum thread_owner { THREAD_OWNER_CPU, THREAD_OWNER_NDP, THREAD_OWNER_SHARED };

struct thread_ask {
	enum thread_ask_kind kind;
	uint64_t address, bytes, value;
	uint64_t nodes; /* a bit each; node n is memory channel n */
	const char *text;
	void *data;
};

struct thread_reply {
	uint64_t done_ps; /* from when the thread goes on; THREAD_WAITS: until the model calls resume */
	int64_t result;   /* 0, or what the kind says; negative errno: refused, ENOSYS: the machine has no such thing */
};

/* Where a thread stands in the program, for a model that chooses its unit. */
struct thread_place {
	uint32_t level;  /* of nested OpenMP regions around it, 1: one; 0: a thread of the program's own */
	uint32_t team;   /* at levels above 1 the number, in its own team, of the thread that made the team; else 0 */
	uint32_t thread; /* its number in the team; at level 0 that of the program */
};
#define THREAD_UNIT_ANY UINT32_MAX

/* What the program does not choose. Filled by the model. */
struct thread_machine {
	uint32_t unit_count;      /* 1 to THREAD_UNITS_MAX: the CPU's, then those of NDP 0, of NDP 1 ... */
	uint32_t cpu_unit_count;  /* 0: all of them */
	uint32_t ndp_count;       /* as many units are left for each as for any other */
	uint32_t accelerator_count; /* one at each of the first channels; they have no units */
	uint32_t processor_count; /* that programs are told of; 0: those of the CPU */
	uint32_t node_count;      /* of memory, 0 and 1: it is not divided; else up to 64 */
	uint32_t line_bytes;      /* of prefetches; 0: 64 */
	uint64_t page_bytes;      /* 0: 4096 */
	bool wants_unmodelled;    /* it will ask thread_runtime.unmodelled: calls are executed step by step for that */
	uint64_t quantum_ps;     /* a unit may be so far ahead of the earliest one; 0: all accesses in order of time */
	uint64_t slice_ps;       /* threads of one unit take turns */
	uint64_t system_call_ps; /* of the calls for waiting, waking, sleeping, reading clocks */
	uint64_t wake_ps;        /* from waking a thread until it runs */
	uint64_t create_ps;      /* of making a thread, on the unit that makes it */
	bool ends_before_calls;  /* what a thread has under way ends before a system call of it: it is fenced */
	uint64_t ahead_ps;       /* how far units beyond the CPU's may be ahead, by accesses that ahead takes */
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
	/* Does what access does, for a load or store that is done at once and changes nothing that another unit finds
	 * before others_ps + ahead_ps: before others_ps nobody else does anything. Returns the bytes; NULL: it is none
	 * of these, and nothing has been done. May be NULL where ahead_ps is 0. */
	void *(*ahead)(void *self, const struct thread_at *at, uint64_t others_ps, uint64_t address, void *bytes,
		       uint32_t size, enum thread_kind kind);
	/* Returns when the thread goes on, or THREAD_WAITS. */
	uint64_t (*fence)(void *self, const struct thread_at *at);
	/* Does what the model has to do until then, and may go on, but no further than to others_ps, before which
	 * nobody else does anything, or to when it resumes a thread. Called only for times given to
	 * thread_runtime.event. May be NULL. */
	void (*advance)(void *self, uint64_t until_ps, uint64_t others_ps);
	void (*event)(void *self, const struct thread_at *at, enum thread_event event, uint64_t value);
	/* May be NULL: all is refused. */
	struct thread_reply (*ask)(void *self, const struct thread_at *at, const struct thread_ask *ask);
	/* The unit of a thread where the program does not say; THREAD_UNIT_ANY: the emptiest of the CPU. NULL: always
	 * that. Asked for a thread of the program's own when it is made, for one of an OpenMP team at each region. */
	uint32_t (*unit_for)(void *self, const struct thread_place *place);
	/* No thread can go on any more, and the program ends by that: the model says on stderr what of it may be the
	 * cause. May be NULL. */
	void (*stuck)(void *self);
	/* The program ends: by itself (0), or by a signal of the host, and may have much to do still. */
	void (*end)(void *self, const struct thread_at *at, int signal);
};

struct thread_source {
	char function[128], file[128]; /* shortened where they are longer; "": not known */
	uint32_t line;		       /* 0: not known */
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
	/* Is it in the program's own code, and not in the runtime's? NULL: no places are known. */
	bool (*is_program)(const void *place);
	/* Instructions that the program has executed in functions without hooks. False: it may be more. NULL: not
	 * known. */
	bool (*unmodelled)(uint64_t *instructions);
	/* What the program's debug information says of places of it. */
	void (*sources)(const void *const *places, uint32_t count, struct thread_source *out);
};

/* Makes the model from the text of STRATA_THREADS_OPTIONS (its own format); NULL after a message on stderr. */
typedef struct thread_model *thread_model_make(const struct thread_runtime *runtime, const char *options);
/* Where the stacks of threads are, main's among them, in the model's addresses. */
#define THREAD_STACKS_BEGIN 0x300000000000u
#define THREAD_STACKS_END 0x400000000000u

#define THREAD_MODEL_NAME_(interface) strata_thread_model_##interface
#define THREAD_MODEL_NAME(interface) THREAD_MODEL_NAME_(interface)
#define THREAD_MODEL_TEXT_(interface) "strata_thread_model_" #interface
#define THREAD_MODEL_TEXT(interface) THREAD_MODEL_TEXT_(interface)
#define strata_thread_model THREAD_MODEL_NAME(THREAD_INTERFACE)
#define THREAD_MODEL_ENTRY THREAD_MODEL_TEXT(THREAD_INTERFACE)

#endif
