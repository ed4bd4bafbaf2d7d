/* spans.h - what lasted from when to when, on which track: a timeline in a bounded number of entries.
 *
 * When there is no more room, entries of a track that began in the same stretch of time, one after the other, become
 * one, which says how many it stands for; stretches become twice as long until half of the room is free. So a long run
 * is seen as coarsely as a short one of as many entries is seen finely. Nothing is allocated after sim_spans_new.
 */
#ifndef STRATA_SIM_SPANS_H
#define STRATA_SIM_SPANS_H

#include <stdint.h>

/* The name of an entry that stands for several with different names. */
#define SIM_SPAN_SEVERAL UINT64_MAX

struct sim_span {
	uint64_t start_ps, end_ps; /* of several: of the first one, and the latest end */
	uint64_t name;		   /* what it is, as its recorder numbers things */
	uint32_t track;
	uint32_t count; /* for how many it stands */
};

struct sim_spans;

/* Room for cap entries, or for four of each track if that is more. */
struct sim_spans *sim_spans_new(uint32_t cap, uint32_t track_count);
/* s may be NULL. */
void sim_spans_free(struct sim_spans *s);
/* track: below track_count. end_ps: not before start_ps. */
void sim_spans_add(struct sim_spans *s, uint32_t track, uint64_t name, uint64_t start_ps, uint64_t end_ps);
/* All entries, in the order in which the first of each was added; valid until the next is added. Returns their number.
 */
uint32_t sim_spans_read(const struct sim_spans *s, const struct sim_span **items);

#endif
