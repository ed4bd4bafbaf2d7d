/* audit.c - hears from the GPU for the carriers' auditors: of what offloaded blocks store and load (coherence.h) and of
 * CTAs that move (cta_audit.h).
 */
#include "ndp/carry/priv.h"

#include <glib.h>
#include <inttypes.h>
#include <stdio.h>

/* ---- CTAs ---- */

static void verdict(uint64_t cta, const char *why)
{
	if (likely(!why))
		return;
	fprintf(stderr, "strata: CTA audit: CTA %" PRIu64 ": %s\n", cta, why);
	UNREACHABLE("a CTA did not move as it must");
}

static void watch(struct carry *c, struct sm *sm, uint64_t cta)
{
	const struct sm_cta *s = sm_cta_find(sm, cta);

	for (uint32_t i = 0; i < sm->scheduler_count; i++)
		for (uint64_t m = s->masks[i]; m; m &= m - 1)
			sm_watch(c->audit_ext, &sm->warps[(uint32_t)__builtin_ctzll(m) * sm->scheduler_count + i],
				 1 << GPU_POINT_STEPPED);
}

static void cta_placed(void *self, struct sm *sm, uint64_t cta)
{
	struct carry *c = self;

	if (!c->cta_audit)
		return;
	verdict(cta, cta_audit_placed(c->cta_audit, cta, sm->index, sm->cta_count));
	watch(c, sm, cta);
}

static void cta_done(void *self, struct sm *sm, uint64_t cta)
{
	struct carry *c = self;

	if (c->cta_audit)
		verdict(cta, cta_audit_done(c->cta_audit, cta, sm->index, sm->cta_count));
}

static void stepped(void *self, struct sm *sm, struct sm_warp *w, const struct simt_step *step)
{
	struct carry *c = self;
	const struct simt_inst *inst = step->inst;
	bool is_computed = inst->write_count && inst->unit != SIMT_UNIT_LDST;
	uint64_t cta = sm->ctas[w->cta_slot].index;

	verdict(cta, cta_audit_stepped(c->cta_audit, cta, sm->index,
				       is_computed ? sm->base + sm->now + sm->latency[inst->unit] : 0));
}

void carry_audit_stopped(struct carry *c, uint64_t cta, const struct simt_cta *state, bool is_free)
{
	const struct simt_launch *l = c->gpu->launch;

	if (c->cta_audit)
		verdict(cta, cta_audit_stopped(c->cta_audit, cta, simt_cta_digest(l, state),
					       is_free ? 0 : carry_context_bytes(c, l, state)));
}

void carry_audit_starts(struct carry *c, uint64_t cta, const struct simt_cta *state, uint64_t bytes)
{
	if (c->cta_audit)
		verdict(cta, cta_audit_starts(c->cta_audit, cta, simt_cta_digest(c->gpu->launch, state), bytes));
}

void carry_audit_packet(struct carry *c, uint64_t cta, const struct mem_req *r)
{
	if (c->cta_audit)
		cta_audit_packet(c->cta_audit, cta, r->payload_bytes);
}

/* Accesses of the CTA's warps whose results are outstanding. */
static uint32_t load_count(const struct sm *sm, const struct sm_cta *cta)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < sm->access_cap; i++) {
		const struct sm_warp *w = &sm->warps[sm->accesses[i].slot];

		n += sm->accesses[i].parts_left && (cta->masks[w->scheduler] >> w->bit & 1);
	}
	return n;
}

void carry_audit_leaves(struct carry *c, struct sm *sm, const struct sm_cta *cta)
{
	if (c->cta_audit)
		verdict(cta->index,
			cta_audit_leaves(c->cta_audit, cta->index, sm->base + sm->now, load_count(sm, cta)));
}

/* Warp slots that hold a warp of the CTA. */
static uint32_t slot_count(const struct gpu *g, struct simt_cta *cta)
{
	uint32_t n = 0;

	for (uint32_t s = 0; s < g->sm_total; s++)
		for (uint32_t i = 0; i < g->sms[s]->warp_slot_count; i++)
			for (uint32_t k = 0; k < simt_cta_warp_count(cta); k++)
				n += g->sms[s]->warps[i].w == simt_cta_warp(cta, k);
	return n;
}

void carry_audit_left(struct carry *c, uint64_t cta, struct simt_cta *state, const struct sm *sm)
{
	if (c->cta_audit)
		verdict(cta, cta_audit_left(c->cta_audit, cta, sm->cta_count, slot_count(c->gpu, state)));
}

void carry_audit_arrives(struct carry *c, uint64_t cta, const struct simt_cta *state, const struct sm *sm)
{
	if (c->cta_audit)
		verdict(cta, cta_audit_arrives(c->cta_audit, cta, sm->index, simt_cta_digest(c->gpu->launch, state)));
}

void carry_audit_arrived(struct carry *c, uint64_t cta, struct sm *sm)
{
	if (c->cta_audit)
		watch(c, sm, cta);
}

static void audit_store_issued(void *self, uint64_t cta, uint32_t line_count)
{
	cta_audit_store_issued(((struct carry *)self)->cta_audit, cta, line_count);
}

static void audit_store_sent(void *self, uint64_t cta, const struct mem_req *r)
{
	cta_audit_store_sent(((struct carry *)self)->cta_audit, cta, r);
}

static void audit_store_acknowledged(void *self, const struct mem_req *r)
{
	cta_audit_store_acknowledged(((struct carry *)self)->cta_audit, r);
}

/* ---- offloaded blocks ---- */

static void kernel_begin(void *self, struct simt_launch *l, struct simt_program *p)
{
	struct carry *c = self;

	(void)l, (void)p;
	c->stale_reads = c->block_stats.stale_reads;
}

static void kernel_end(void *self, struct simt_launch *l)
{
	struct carry *c = self;

	(void)l;
	CHECK(!c->promises_coherence || c->block_stats.stale_reads == c->stale_reads);
}

static void audit_kernel_begin(void *self)
{
	struct carry *c = self;

	coherence_audit_kernel(c->audit);
	cta_audit_kernel(c->cta_audit);
}

/* Stores may be left when their warp has ended and its slot is free: those are nobody's. */
static const struct guest *guest_in(struct carry *c, const struct sm_warp *w)
{
	return w->w ? entry_of(c, w)->guest : NULL;
}

static void audit_store(void *self, const struct sm_warp *w, const struct mem_req *r, uint64_t issue_units)
{
	struct carry *c = self;
	const struct guest *o = guest_in(c, w);

	coherence_audit_store(c->audit, o ? o->home->sm->index : w->sm->index, o,
			      w->sm->stack != UINT32_MAX && c->gpu->cta_starter, r, issue_units);
}

static void audit_load(void *self, const struct sm_warp *w, const struct mem_req *r, uint64_t issue_units)
{
	struct carry *c = self;
	const struct guest *o = guest_in(c, w);

	if (!coherence_audit_is_fresh(c->audit, o ? o->home->sm->index : w->sm->index, o,
				      o ? o->decided_units : issue_units, r))
		c->block_stats.stale_reads++;
}

static void audit_memory(void *self, const struct mem_req *r, bool is_store)
{
	coherence_audit_memory(((struct carry *)self)->audit, r, is_store);
}

static void audit_fill(void *self, uint32_t cache, const struct mem_req *r)
{
	coherence_audit_fill(((struct carry *)self)->audit, cache, r);
}

static void audit_hit(void *self, uint32_t cache, const struct mem_req *r)
{
	coherence_audit_hit(((struct carry *)self)->audit, cache, r);
}

static void audit_pass(void *self, const struct mem_req *from, const struct mem_req *to)
{
	coherence_audit_pass(((struct carry *)self)->audit, from, to);
}

/* ---- building ---- */

static const struct gpu_audit_ops audit_ops = {
    .kernel_begin = audit_kernel_begin,
    .store = audit_store,
    .load = audit_load,
    .memory = audit_memory,
    .fill = audit_fill,
    .hit = audit_hit,
    .pass = audit_pass,
    .store_issued = audit_store_issued,
    .store_sent = audit_store_sent,
    .store_acknowledged = audit_store_acknowledged,
};

static void check_end(void *self)
{
	const struct carry *c = self;
	uint64_t cta = 0;
	const char *why = c->cta_audit ? cta_audit_end(c->cta_audit, &cta) : NULL;

	verdict(cta, why);
}

static void build(void *self, struct gpu *g, const struct gpu_ext *e)
{
	struct carry *c = self;

	c->audit_ext = e;
	if (!g->audits || !g->stack_sm_count || g->config->l2.write_policy != MEM_CACHE_WRITE_POLICY_THROUGH)
		return;
	c->audit = coherence_audit_new();
	c->cta_audit = cta_audit_new(g->sm_total);
	g->audit = &audit_ops;
	g->audit_self = c;
}

static void audit_free(void *self)
{
	struct carry *c = self;

	coherence_audit_free(c->audit);
	cta_audit_free(c->cta_audit);
}

const struct gpu_ext_ops carry_audit_ops = {
    .own_points = 1 << GPU_POINT_STEPPED,
    .build = build,
    .free = audit_free,
    .kernel_begin = kernel_begin,
    .check_end = check_end,
    .kernel_end = kernel_end,
    .cta_placed = cta_placed,
    .cta_done = cta_done,
    .stepped = stepped,
};
