/* l2_inside.h - private to l2.c, l2_far.c and pages.c: what a slice of the L2 is made of, and what l2.c asks of the
 * links between two partitions.
 */
#ifndef STRATA_GPU_L2_INSIDE_H
#define STRATA_GPU_L2_INSIDE_H

#include "gpu/priv.h"
#include "net/queue.h"

struct l2_stats {
#include "sim/stat_fields.inc"
#include "gpu/l2_stats.def"
#include "sim/stat_end.inc"
};

struct l2_far_stats {
#include "sim/stat_fields.inc"
#include "gpu/l2_far_stats.def"
#include "sim/stat_end.inc"
};

/* Ports of a slice, one after the other. */
enum {
	PORT_FILL,  /* a line; tag: its MSHR */
	PORT_WRITE, /* a line written back */
	PORT_ATOMIC, /* an atomic's result; tag: the port that asked for the atomic */
	PORT_DROP,  /* a message: the line has been written in memory */
	PORT_MERGED, /* writes that became one; owner: the first of them, chained */
	PORT_COPY_DROP, /* a message: the line, of which a copy may be here, has been written; owner: the write */
	PORT_COPY_DROPPED, /* the same message, on its way back */
};

/* Where requests come from; of one partition, from the crossbar only. */
enum { L2_FROM_XBAR, L2_FROM_LINK, L2_INPUT_COUNT };

struct l2_input {
	struct mem_req *held; /* taken from the network, waits for an MSHR or for room */
	bool waits_fill;      /* held found no MSHR: only a fill changes that */
};

struct l2_far_audit;

struct l2_slice {
	struct gpu *gpu;
	uint16_t port_first;
	struct sim_comp comp;
	uint32_t index;
	struct logic_layer *stack;
	struct net_channel *tx;
	struct mem_cache *cache;
	uint32_t queue_cap;
	uint32_t sector_bytes;           /* 0: whole lines */
	uint64_t hit_units;              /* from tag access to departure */
	uint64_t free_cycle;             /* next tag access */
	bool is_write_back, has_refused; /* has_refused: tell the logic layer when there is room */
	struct l2_input inputs[L2_INPUT_COUNT];
	struct queue *blocked;           /* hits or replies: its head waits for a place in the crossbar */
	struct queue hits;               /* wait for their latency, then for the crossbar */
	struct queue replies;            /* of fills and acknowledgments */
	struct queue misses;             /* wait for the link */
	struct queue passing;            /* past the tags: on their way from the crossbar to the link */
	struct queue forwards;           /* for a stack: wait for their latency, then for its link */
	struct l2_stats stats;

	/* What follows a machine has whose L2 has two partitions. */
	struct l2_slice *mirror;         /* the one at the same place in the other partition; NULL: there is one */
	uint32_t turn;                   /* input that is looked at first */
	struct queue far_requests, far_answers; /* wait for the links */
	struct net_channel *far_request, *far_answer; /* to the mirror */
	uint32_t far_fetches, far_fetch_max; /* parts of lines that are on their way from there */
	struct l2_far_stats far_stats;
	struct l2_far_audit *far_audit;  /* NULL: off; of the lines that are at home here */
};

enum l2_room { L2_ROOM, L2_ROOM_NO_REPLY, L2_ROOM_NO_MISS };

/* Is the line one of this partition? */
static inline bool l2_is_home(const struct l2_slice *s, const struct mem_req *r)
{
	return likely(!s->mirror) || slice_of_place(s->gpu, r->stack, r) == s->index;
}

/* What was held for an MSHR may try again. */
static inline void l2_inputs_go_on(struct l2_slice *s)
{
	for (uint32_t i = 0; i < L2_INPUT_COUNT; i++)
		s->inputs[i].waits_fill = false;
}

/* ---- l2_far.c; all but the last three of slices with a mirror only ---- */

/* Room for what a request that waits may bring. */
enum l2_room l2_far_room(const struct l2_slice *s, const struct mem_req *r);
/* The first request that has come from the mirror, or NULL; takes it. */
struct mem_req *l2_far_peek(struct l2_slice *s);
void l2_far_pop(struct l2_slice *s);
/* Answers and messages that have come from the mirror. */
void l2_far_take(struct l2_slice *s, uint64_t now);
/* Wakes the slice for answers of the mirror that have found no room, where there is some now. */
void l2_far_wake(const struct l2_slice *s, uint64_t cycle);
/* What waits for the links. */
void l2_far_send(struct l2_slice *s, uint64_t now);
/* May r, a read of a line that is at home in the mirror, find its copy or fetch it now? */
bool l2_far_may_fetch(const struct l2_slice *s, const struct mem_req *r);
void l2_far_fetch(struct l2_slice *s, struct mem_req *f);
/* f has come; is_kept: its line stays here as a copy. */
void l2_far_fetched(struct l2_slice *s, const struct mem_req *f, bool is_kept);
/* r, an SM's, goes on to the line's home, and a copy here goes. */
void l2_far_pass(struct l2_slice *s, struct mem_req *r);
/* The lines have been warmed: with a write a copy in the mirror goes, and a read's copy is no older than the line. */
void l2_far_warmed(struct l2_slice *s, uint64_t addr_bytes, const struct mem_req_bytes *bytes, bool is_write);
/* r has found its line. */
void l2_far_hit(struct l2_slice *s, const struct mem_req *r);
/* r, at home here, has been done. False: it is answered to the crossbar now. */
bool l2_far_answer(struct l2_slice *s, struct mem_req *r, uint64_t ready_units);
/* A message to drop a copy, and back. */
void l2_far_drop(void *self, struct mem_req *m);
void l2_far_dropped(void *self, struct mem_req *m);
bool l2_far_is_idle(const struct l2_slice *s);
void l2_far_reset(struct l2_slice *s);
void l2_far_free(struct l2_slice *s);

/* The first request of an input, or NULL. */
static inline struct mem_req *l2_waiting_at(struct l2_slice *s, uint32_t input)
{
	if (s->inputs[input].held)
		return s->inputs[input].held;
	return likely(input == L2_FROM_XBAR) ? net_xbar_peek(s->gpu->requests, s->index) : l2_far_peek(s);
}

#endif
