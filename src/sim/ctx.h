/* ctx.h - what all parts of one machine share: time, statistics, requests, and whether the auditors watch.
 *
 * machine/ makes one per machine (machine/machine.h) and hands it to the constructor of every part; a part keeps the
 * pointer. Parts are freed before their context.
 */
#ifndef STRATA_SIM_CTX_H
#define STRATA_SIM_CTX_H

#include "sim/engine.h"
#include "sim/stat.h"

struct mem_req_pool;

struct sim_ctx {
	struct sim_engine *engine;
	struct sim_stats *stats;
	struct mem_req_pool *pool; /* whoever fills the context makes and frees it: sim/ knows no requests */
	bool audit;		   /* the independent auditors watch (run.audit) */
};

/* An engine without clocks and no statistics; the pool is left NULL. */
void sim_ctx_open(struct sim_ctx *c, bool audit);
void sim_ctx_close(struct sim_ctx *c);

/* FNV-1a hash over all statistics and simulated time: equal for equal runs. */
uint64_t sim_ctx_hash(const struct sim_ctx *c);

#endif
