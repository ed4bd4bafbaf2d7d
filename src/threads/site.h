/* site.h - what the compiler plugin writes into a program and the runtime reads: the layout of a site.
 *
 * A site is a place in the program with a hook. The plugin (plugin/plugin.cpp) makes one static struct thread_site for
 * each and passes its address; C and C++ share this header.
 */
#ifndef STRATA_THREADS_SITE_H
#define STRATA_THREADS_SITE_H

#include <stdint.h>

/* Counted up whenever this file, classes.def or model.h change what programs, runtime and models say to each other
 * (tests/threads/interface). A program says in section THREAD_INTERFACE_SECTION, once for each of its files, by which
 * it was built; another one's is not run. */
#define THREAD_INTERFACE 11
#define THREAD_INTERFACE_SECTION "strata_interface"

/* What a hook is about. The values are in the traces. */
enum thread_kind {
	THREAD_READ,
	THREAD_WRITE,
	THREAD_ATOMIC_READ,
	THREAD_ATOMIC_WRITE,
	THREAD_RMW,      /* atomic read-modify-write */
	THREAD_CMPXCHG,  /* atomic compare and exchange, also one that fails */
	THREAD_PREFETCH, /* of a line, by instruction */
	THREAD_KIND_COUNT,
	THREAD_FENCE = THREAD_KIND_COUNT,
	THREAD_BLOCK, /* no access: instructions only */
};

enum thread_class {
#define THREAD_CLASS(name, cycles, text) THREAD_CLASS_##name,
#include "threads/classes.def"
#undef THREAD_CLASS
	THREAD_CLASS_COUNT
};

enum thread_site_flag {
	THREAD_SITE_ORDERED = 1, /* in the runtime, whose plain code has no hooks: always in the order of time */
	/* Its function has no thread-local data, and calls __strata_own before it calls or returns: until then the FS
	 * base may be another thread's. */
	THREAD_SITE_PLAIN = 2,
	/* What the access hangs on is all in its flow, and its thread need not wait for it. */
	THREAD_SITE_FLOW = 4,
};

/* Operations one after the other, by class: so many bits each, from this one on, of a thread_flow_step's path. */
#define THREAD_PATHS(X)        \
	X(integer, 4, 0)       \
	X(multiply, 2, 4)      \
	X(divide, 2, 6)        \
	X(float, 3, 8)         \
	X(float_multiply, 3, 11) \
	X(float_divide, 2, 14)
enum thread_path_class {
#define THREAD_PATH(name, bits, at) THREAD_PATH_##name,
	THREAD_PATHS(THREAD_PATH)
#undef THREAD_PATH
	THREAD_PATH_CLASS_COUNT
};

/* What a site says about values: a slot of the thread is when a value is there. */
enum thread_flow_kind {
	THREAD_FLOW_NONE,
	THREAD_FLOW_VALUE,   /* the instructions before make the slot's next value of it, after the path, */
	THREAD_FLOW_INPUT,   /* and of this one, after the path: of the VALUE before */
	THREAD_FLOW_ADDRESS, /* the access' address comes from this slot, after the path */
	THREAD_FLOW_DATA,    /* so does what it stores */
	THREAD_FLOW_BRANCH,  /* and the condition of the branch behind the site */
};
enum { THREAD_FLOW_STEPS = 8, THREAD_FLOW_SLOTS = 256 };

struct thread_flow_step {
	uint8_t kind; /* enum thread_flow_kind */
	uint8_t slot;
	uint16_t path; /* see THREAD_PATHS */
};

struct thread_site {
	uint32_t bytes;                      /* of the access; of one element for masked ones, gathers and scatters */
	uint8_t kind;                        /* enum thread_kind */
	uint8_t has_counts;                  /* some of counts is not 0, or it is the first or last of a block */
	uint8_t lanes;                       /* of masked accesses, gathers and scatters; else 0 */
	uint8_t flags;                       /* enum thread_site_flag */
	uint16_t counts[THREAD_CLASS_COUNT]; /* instructions since the hook before, of a block's first also those after
						its last */
	uint16_t use;                        /* of a load: instructions after it before the first that uses it */
	uint8_t slot;                        /* of a load: where its value is; 0: nothing hangs on that */
	uint8_t step_count;                  /* of flow */
	struct thread_flow_step flow[THREAD_FLOW_STEPS];
	uint32_t block;	 /* of the first site of a block of the program: its number; 0: it is none, or nobody asks */
	uint32_t branch; /* of the last one, if a conditional branch ends its block: the branch's number; else 0 */
	uint32_t taken;	 /* the block that comes if its condition holds; another one comes if not */
};

/* A function that the file does not define; there is one for each name and file. */
struct thread_call {
	const char *name;
	uint64_t callee; /* the runtime's number of it; 0: not called yet */
};

#endif
