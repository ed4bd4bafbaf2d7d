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
#define THREAD_INTERFACE 9
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
};

struct thread_site {
	uint32_t bytes;                      /* of the access; of one element for masked ones, gathers and scatters */
	uint8_t kind;                        /* enum thread_kind */
	uint8_t has_counts;                  /* some of counts is not 0 */
	uint8_t lanes;                       /* of masked accesses, gathers and scatters; else 0 */
	uint8_t flags;                       /* enum thread_site_flag */
	uint16_t counts[THREAD_CLASS_COUNT]; /* instructions since the hook before, of a block's first also those after
						its last */
	uint16_t use;                        /* of a load: instructions after it before the first that uses it */
};

/* Of functions that the file does not define, one for each name and file. */
struct thread_call {
	const char *name;
	uint64_t callee; /* the runtime's number of it; 0: not called yet */
};

#endif
