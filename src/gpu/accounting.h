/* accounting.h - private to gpu/: how the account (gpu/account.h) hears of what happens. */
#ifndef STRATA_GPU_ACCOUNTING_H
#define STRATA_GPU_ACCOUNTING_H

#include "gpu/account.h"
#include "gpu/priv.h"

/* Becomes g's first extension, and has g's requests stamped: before anything else is built. */
struct accounting *account_new(struct gpu *g);
void account_free(struct accounting *a);
/* From now on SMs tick beside each other, on so many threads. */
void account_use_threads(struct accounting *a, uint32_t count);

/* ---- called where there is an account ---- */

void account_sm_begin(struct accounting *a, struct sm *sm);
/* The SM's schedulers have had their cycle; issued: a bit for each issue slot that issued. */
void account_ticked(struct accounting *a, struct sm *sm, uint32_t issued);
/* Attributes what is left up to here. CHECKs that all adds up to the SM's statistics; of an aborted kernel, in the
 * middle of a cycle, these may lack one. */
void account_sm_end(struct accounting *a, struct sm *sm, bool is_whole);
/* A request leaves an SM. */
void account_sent(struct mem_req *r);
/* A part of an access has its data at cycle ready; called before it is counted. */
void account_part(struct accounting *a, struct sm *sm, uint32_t access, uint32_t ready);

/* A request is answered that is no load's. */
void account_answered(struct accounting *a, const struct sm *sm, enum account_answer kind, struct mem_req *r);

/* ---- a warp's block that is away; home is the warp at its SM. Nothing without an account. ---- */

/* The block that begins at pc is to leave, from now on. */
void account_trip_begin(const struct gpu *g, const struct sm_warp *home, uint32_t pc);
/* A step ends now. */
void account_trip_step(const struct gpu *g, const struct sm_warp *home, enum account_trip step);
/* r has come to the block's stack: the message that begins it; what its latest operands were in. */
void account_trip_out(const struct gpu *g, const struct sm_warp *home, struct mem_req *r);
void account_trip_operand(const struct gpu *g, const struct sm_warp *home, struct mem_req *r);
/* r is home: the block's answer. */
void account_trip_home(const struct gpu *g, const struct sm_warp *home, struct mem_req *r);
/* The warp goes on in its block, for which there was no room until now. */
void account_trip_room(const struct gpu *g, const struct sm_warp *home);
/* The warp goes on behind its block: into the block's ledger with it. */
void account_trip_end(const struct gpu *g, const struct sm_warp *home);

/* The ledger of the block that begins at pc of the running kernel. NULL: off. */
struct account_block *account_block_at(const struct gpu *g, uint32_t pc);
/* It was offered: taken (why NULL), or not, for this reason. */
void account_block_offered(const struct gpu *g, uint32_t pc, const char *why);

/* A CTA has ended, so many cycles after it was placed: where CTAs are in the ledger. */
void account_cta_done(const struct gpu *g, const struct sm *sm, uint64_t cycles);

/* r leaves a stage, at the time that it has for being ready. */
static inline void account_arrived(const struct gpu *g, struct mem_req *r, enum net_stage stage)
{
	if (unlikely(g->account != NULL))
		net_stamp(r, stage, r->ready_units);
}

#endif
