/* mem.h - libstrata-mem: Strata's memories (DDR, LPDDR, GDDR, HBM, HMC) for other simulators.
 *
 *	char *error;
 *	strata_mem *m = strata_mem_new("ddr5-4800", NULL, 0, &error);
 *	strata_mem_on_done(m, done, my_context);
 *	strata_mem_offer(m, addr, 64, STRATA_MEM_READ, my_request);
 *	strata_mem_run_until(m, time_ps);               calls done(my_context, answer) at the answer's time
 *	strata_mem_free(m);
 *
 * A memory is stacks or channels behind an address map, with their controllers. It moves no data: who asks keeps the
 * values. Time is in picoseconds; what a clock of no whole picosecond makes fractional is rounded up.
 *
 * Nothing here aborts on a mistake of the caller: functions return what they say, and strata_mem_error() has a text.
 * Memories share nothing: each may live in a thread of its own; one memory is for one thread at a time.
 */
#ifndef STRATA_MEM_H
#define STRATA_MEM_H

#include <stddef.h>
#include <stdint.h>
#ifndef __cplusplus
#include <stdbool.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

#ifndef STRATA_MEM_API
#define STRATA_MEM_API __attribute__((visibility("default")))
#endif

typedef struct strata_mem strata_mem;

#define STRATA_MEM_NEVER UINT64_MAX

enum strata_mem_op { STRATA_MEM_READ, STRATA_MEM_WRITE };

/* ---- making a memory ---- */

/* By the name of a standard ("hbm3-6400") or the path of a YAML file (it has a '/' or ends in ".yaml"). Standards are
 * looked for in $STRATA_MEMORIES, then where this library is installed. overrides: override_count texts like
 * "dram.t_cl=20", or NULL. NULL on a mistake; *error (if error is not NULL) is then the message, of one or more lines,
 * to be freed with free(), else NULL. */
STRATA_MEM_API strata_mem *strata_mem_new(const char *name_or_path, const char *const *overrides,
					  size_t override_count, char **error);
/* Requests under way are dropped. NULL is allowed. In a callback it takes effect when that run ends. */
STRATA_MEM_API void strata_mem_free(strata_mem *m);

/* The last mistake on this memory; "" for none. */
STRATA_MEM_API const char *strata_mem_error(const strata_mem *m);
/* Version of the library: "0.1.0". */
STRATA_MEM_API const char *strata_mem_version(void);

/* ---- what it is ---- */

STRATA_MEM_API const char *strata_mem_name(const strata_mem *m);    /* "ddr5-4800" */
STRATA_MEM_API const char *strata_mem_summary(const strata_mem *m); /* one line */
STRATA_MEM_API uint64_t strata_mem_capacity_bytes(const strata_mem *m);
STRATA_MEM_API uint32_t strata_mem_line_bytes(const strata_mem *m); /* the largest request, which crosses no line */
/* All data buses together, whatever a link in front of them carries; 1e9 is a GB/s. */
STRATA_MEM_API double strata_mem_peak_bytes_per_s(const strata_mem *m);
/* Period of the command clock: *num_ps / *den picoseconds, exactly. */
STRATA_MEM_API void strata_mem_clock(const strata_mem *m, uint64_t *num_ps, uint64_t *den);

struct strata_mem_place {
	uint32_t stack;		/* or channel */
	uint32_t vault;		/* channel or pseudo channel within the stack: a data bus of its own */
	uint32_t bank;		/* through the ranks: rank * banks per rank + bank */
	uint32_t row;
	uint32_t column_bytes;	/* in the row */
};
/* Where a byte lies; false beyond the capacity. */
STRATA_MEM_API bool strata_mem_map(strata_mem *m, uint64_t addr_bytes, struct strata_mem_place *out);

/* ---- requests ---- */

struct strata_mem_answer {
	void *user;		/* as it was offered */
	uint64_t addr_bytes;
	uint32_t size_bytes;
	enum strata_mem_op op;
	uint64_t offered_ps, done_ps; /* done: the read's data are there, the write is acknowledged */
};

/* done is called for each request, once, from within the function that lets time pass. It may offer requests. */
STRATA_MEM_API void strata_mem_on_done(strata_mem *m, void (*done)(void *ctx, const struct strata_mem_answer *answer),
				       void *ctx);
/* room is called when a queue that has refused a request can take one again. It may offer requests. */
STRATA_MEM_API void strata_mem_on_room(strata_mem *m, void (*room)(void *ctx), void *ctx);

enum strata_mem_offered {
	STRATA_MEM_WRONG = -1, /* no such place, no bytes, more than a line, or across two lines */
	STRATA_MEM_FULL = 0,   /* try again later: after room(), or when strata_mem_has_room() */
	STRATA_MEM_TAKEN = 1
};
/* Offers a request now. user comes back with the answer. */
STRATA_MEM_API enum strata_mem_offered strata_mem_offer(strata_mem *m, uint64_t addr_bytes, uint32_t size_bytes,
							enum strata_mem_op op, void *user);
/* Would a read of this address be taken now? Where writes have no entries of their own (dram.write_queue_entries), a
 * write as well. false also beyond the capacity. A full queue is counted as a refusal, and room() comes, as if the
 * request had been offered. */
STRATA_MEM_API bool strata_mem_has_room(strata_mem *m, uint64_t addr_bytes);
/* Requests taken and not answered. */
STRATA_MEM_API uint64_t strata_mem_pending(const strata_mem *m);

/* ---- time ---- */

STRATA_MEM_API uint64_t strata_mem_now_ps(const strata_mem *m);
/* When something will happen next, if nobody asks for more; STRATA_MEM_NEVER: nothing is under way. */
STRATA_MEM_API uint64_t strata_mem_next_ps(strata_mem *m);
/* Lets everything happen up to and at time_ps, and moves time there; with STRATA_MEM_NEVER, until nothing is under way.
 * A time that has passed changes nothing. Returns how many requests were answered; not to be called from a callback. */
STRATA_MEM_API uint64_t strata_mem_run_until(strata_mem *m, uint64_t time_ps);
/* The same up to the next edge of the command clock. */
STRATA_MEM_API uint64_t strata_mem_tick(strata_mem *m);

/* ---- results ---- */

struct strata_mem_stat {
	const char *name, *unit, *doc; /* "vault.row_hits"; live as long as the memory */
	bool is_histogram;
	uint64_t value;		       /* of a histogram: how many values it holds; below: of histograms only */
	double mean;
	uint64_t p50, p99, p999, max;  /* quantiles within 1/16 below the exact value */
};
STRATA_MEM_API size_t strata_mem_stat_count(const strata_mem *m);
/* The index-th statistic up to now; false beyond the last. */
STRATA_MEM_API bool strata_mem_stat_at(strata_mem *m, size_t index, struct strata_mem_stat *out);
STRATA_MEM_API bool strata_mem_stat_find(strata_mem *m, const char *name, struct strata_mem_stat *out);

/* Energy since the beginning, background power included: of all components, and of each ("dram_activate", ...). */
STRATA_MEM_API double strata_mem_energy_pj(strata_mem *m);
/* The index-th component; false beyond the last. */
STRATA_MEM_API bool strata_mem_energy_at(strata_mem *m, size_t index, const char **component, double *pj);

#ifdef __cplusplus
}
#endif

#endif
