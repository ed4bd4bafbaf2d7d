/*
 * Merge sort by the CPU and near-data processors (NDPs) together, as in the NDP thesis' chapter 7: the CPU does small
 * merges, whose lists lie in its caches, NDPs large ones beside the memory.
 *
 * A part is a tree of lists: list i of level l has the 2^l items from i << l on, fewer at the end, and is merged of
 * two lists of the level below. Its items lie in buffer l % 2, so that nobody writes what others still read.
 */
#ifndef MERGESORT_SORT_H
#define MERGESORT_SORT_H

#include "common/program.h"

#include <pthread.h>
#include <strata/ndp.h>

struct item {
	uint64_t key, pointer;
};

/* ---- Merges ----------------------------------------------------------------------------------------------------- */

struct merge {
	const struct item *a, *b;
	uint64_t as, bs;
	struct item *to;
};

/* Items of a before those of b with the same key. */
void merge_do(const struct merge *m);
/* Piece number `piece` of so many of a merge, which can be done at once. */
struct merge merge_piece(const struct merge *m, uint32_t piece, uint32_t pieces);

/* ---- A part's lists --------------------------------------------------------------------------------------------- */

/* Lists of so many items are the CPU's: the lower bound of the switch value. */
enum { LEAST_LEVEL = 7, LEAST_ITEMS = 1 << LEAST_LEVEL };

struct part {
	uint64_t items;
	unsigned int levels; /* the whole part is the one list of this level */
	struct item *buffers[2];
	uint32_t *missing[64]; /* by level above LEAST_LEVEL and list: what it waits for; of NDPs' merges */
};

/* Buffers on memory channel `channel`, or on all in turns (STRATA_ANY). */
void part_make(struct part *p, uint64_t items, uint32_t channel);
void part_free(struct part *p);
uint64_t part_lists(const struct part *p, unsigned int level);
/* The merge that makes a list; the second of its two may be empty. */
struct merge part_merge(const struct part *p, unsigned int level, uint64_t list);
static inline struct item *part_sorted(const struct part *p)
{
	return p->buffers[p->levels % 2];
}
/* Lists of LEAST_ITEMS, from single items. */
void part_least(const struct part *p, uint64_t list);
/* The list and all below it. */
void part_sort(const struct part *p, unsigned int level, uint64_t list);

/* ---- NDPs ------------------------------------------------------------------------------------------------------- */

struct near_options {
	uint32_t switch_least, switch_most; /* items */
	uint32_t queue;			    /* merges that wait at an NDP, at most */
	bool is_flushed;		    /* the CPU writes back and forgets what NDPs read and write */
	bool is_kept;			    /* what queue and switch value are over time */
};

struct near;

/* NDPs of the machine, cores or accelerators. */
uint32_t near_count(void);
/* NDP n's part; its threads, or the one that receives its accelerator's messages, are made here. */
struct near *near_make(struct part *p, uint32_t ndp, const struct near_options *o);
/* Sorts the lists of these items as far as they are the CPU's; the NDP gets the rest. Called by many threads. */
void near_sort(struct near *n, uint64_t chunk);
/* Chunks that a part has. */
uint64_t near_chunks(const struct near *n);
/* Waits until the part is sorted. */
void near_wait(struct near *n);

struct near_counts {
	uint64_t merges; /* that the NDP did */
	double most_time; /* seconds in which the switch value was the most */
	double end;	  /* when the part was sorted */
	double switch_mean; /* over the submissions */
};
struct near_counts near_counts(const struct near *n);
/* As the queue was looked at last before; while nobody has, it is empty. With is_kept. */
struct near_state {
	uint32_t queue, switch_items;
};
struct near_state near_state_at(const struct near *n, double at);
void near_free(struct near *n);

/* ---- All of it -------------------------------------------------------------------------------------------------- */

enum { PARTS_MAX = 64 };
struct sorting {
	uint64_t items;
	uint32_t part_count, threads;
	bool is_near;
	struct near_options near;
	struct part parts[PARTS_MAX]; /* without NDPs one, of all items */
	struct near *nears[PARTS_MAX];
	/* Of several parts: what pairs of them are merged into, in turns. */
	struct item *together[2];
	struct item *result;
	double begin, near_end, cpu_end, end; /* begin; seconds from it on */
};

/* Says what the input is (workload_input). */
void items_input(const struct sorting *s);

#endif
