/* functional.h - a launch without timing, CTA by CTA (functional.c), or by several threads of the host (spread.c). Not
 * for other folders.
 */
#ifndef STRATA_SIMT_FUNCTIONAL_H
#define STRATA_SIMT_FUNCTIONAL_H

#include "simt/priv.h"
#include "simt/turn.h"

enum { SIMT_RUNNING_CTAS_MAX = 1024 };

/* Runs CTAs from next_cta to end_cta, excluded. */
struct simt_runner {
	struct simt_launch *l;
	struct simt_cta *running[SIMT_RUNNING_CTAS_MAX];
	uint32_t running_count;
	uint64_t next_cta, end_cta;
	struct simt_turner by;
	struct simt_limit limit;
};

/* False: l->fault says why. */
bool simt_runner_run(struct simt_runner *r);

/* Are there enough CTAs for the threads of r->limit.team, and nobody who looks on or counts? */
bool simt_spread_helps(const struct simt_runner *r);
/* Does as simt_runner_run, with the same results, by several threads where the CTAs cannot tell. */
bool simt_spread_run(struct simt_runner *r);

#endif
