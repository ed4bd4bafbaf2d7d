/* untimed.c - past the instruction limit: what a kernel has left runs for its values only. Offloaded blocks end first,
 * then the resident CTAs, then those not yet placed. */
#include <glib.h>

#include "gpu/priv.h"

/* The launch is ended from outside. */
static bool is_stopped(struct gpu *g)
{
	if (unlikely(g->untimed_limit && g->totals.untimed_warp_instructions >= g->untimed_limit && !g->stop))
		g->stop = DEVICE_STOP_SIMULATED;
	return unlikely(g->stop);
}

static bool step(struct gpu *g, struct simt_warp *w)
{
	if (is_stopped(g))
		return false;
	if (!simt_step(g->launch, w, &g->step)) {
		g->has_failed = true;
		return false;
	}
	g->totals.untimed_warp_instructions++;
	return true;
}

/* Runs a block to its end and its home warp behind it. */
static bool block_end(struct gpu *g, struct simt_warp *home, struct simt_warp *guest, const struct gpu_block *b)
{
	while (!simt_guest_reached(guest, b->end_pc)) {
		if (!step(g, guest))
			return false;
	}
	simt_guest_end(g->launch, home, guest, b->end_pc, b->live_out_sb, b->live_out_count);
	return true;
}

/* Warps that wait to leave for a block that they began on trial: the registers of its begin are in the trial's guest,
 * not in the warp. One still on its trial goes on as it is. */
static bool trials_end(struct gpu *g, struct sm *sm)
{
	for (uint32_t i = 0; i < sm->warp_slot_count; i++) {
		struct sm_warp *w = &sm->warps[i];

		if (!w->w || !w->trial)
			continue;
		if (w->wait != SM_WAIT_OFFLOAD)
			simt_guest_drop(g->launch, w->trial);
		else if (!block_end(g, w->w, w->trial, w->offload.block))
			return false;
		w->trial = NULL;
	}
	return true;
}

/* The GPU's part of a block up to its last instruction. */
static bool partition_gpu_end(struct gpu *g, struct partition *p)
{
	struct simt_warp *w = p->home->w;

	while (p->state == PARTITION_RUNS) {
		enum nsu_role role = (enum nsu_role)p->program->code->role[w->pc];
		struct partition_entry *e = &p->entries[p->seq];

		if (role == NSU_ROLE_LOAD || role == NSU_ROLE_STORE) {
			if (!simt_capture(g->launch, w, &e->access, &g->step))
				return false;
			p->seq++;
		}
		if (w->pc == p->block->last_pc)
			p->state = PARTITION_WAITS;
		else if (role != NSU_ROLE_GPU && role != NSU_ROLE_BOTH)
			simt_skip(g->launch, w);
		else if (!step(g, w))
			return false;
	}
	return true;
}

/* Blocks under way in two parts: one that has not begun stays at home. */
static bool partitions_end(struct gpu *g)
{
	for (struct partition *p = g->partitions_live; p; p = p->live_next) {
		const struct nsu_inst *inst;

		if (p->state == PARTITION_BEGIN)
			continue;
		if (!partition_gpu_end(g, p)) {
			g->has_failed = true;
			return false;
		}
		while ((inst = nsu_warp_next(p->program, p->exec))->op != NSU_OP_END) {
			struct simt_access *a = &p->entries[inst->sequence].access;

			nsu_warp_step(p->program, g->launch, p->exec, a);
			if (inst->op == NSU_OP_STORE)
				simt_access_write(a);
			g->totals.untimed_warp_instructions++;
		}
		nsu_warp_end(p->program, g->launch, p->exec, p->home->w);
	}
	return true;
}

/* Blocks under way: one that has begun runs to its end; one that has not runs at home, where its warp still stands. */
static bool guests_end(struct gpu *g)
{
	for (struct sm_guest *o = g->guests_live; o; o = o->live_next) {
		if (o->w && !block_end(g, o->home->w, o->w, o->offload.block))
			return false;
	}
	for (uint32_t i = 0; i < g->sm_count; i++) {
		if (!trials_end(g, g->sms[i]))
			return false;
	}
	return true;
}

/* A turn for each warp of a CTA. */
static bool cta_turn(struct gpu *g, struct simt_cta *cta)
{
	for (uint32_t i = 0; i < simt_cta_warp_count(cta); i++) {
		struct simt_warp *w = simt_cta_warp(cta, i);

		for (uint32_t n = 0; n < g->config->run.turn_count && !w->is_done && !w->at_barrier; n++) {
			if (!step(g, w))
				return false;
		}
	}
	return true;
}

/* CTAs on SMs, and on their way between them. */
static void resident_ctas(struct gpu *g, GPtrArray *ctas)
{
	for (uint32_t i = 0; i < g->sm_total; i++) {
		struct sm *sm = g->sms[i];

		for (uint32_t k = 0; k < sm->cta_slot_count; k++) {
			if (sm->ctas[k].cta)
				g_ptr_array_add(ctas, sm->ctas[k].cta);
		}
	}
	for (struct migration *m = g->migrations; m; m = m->next) {
		if (m->has_left)
			g_ptr_array_add(ctas, m->cta);
	}
}

/* In turn, since they may wait for each other. */
static bool residents_run(struct gpu *g, const GPtrArray *ctas)
{
	bool is_left = true;

	while (is_left) {
		is_left = false;
		for (uint32_t i = 0; i < ctas->len; i++) {
			struct simt_cta *cta = ctas->pdata[i];

			if (simt_cta_is_done(cta))
				continue;
			is_left = true;
			if (!cta_turn(g, cta))
				return false;
		}
	}
	return true;
}

static bool residents_end(struct gpu *g)
{
	GPtrArray *ctas = g_ptr_array_new();

	resident_ctas(g, ctas);

	bool ok = residents_run(g, ctas);

	g_ptr_array_free(ctas, TRUE);
	return ok;
}

/* Of those that have not begun, one after the other. */
static bool rest_end(struct gpu *g)
{
	bool ok = true;

	while (ok && g->cta_next < g->cta_total) {
		struct simt_cta *cta = simt_cta_begin(g->launch, g->cta_next++, 0);

		while (ok && !simt_cta_is_done(cta))
			ok = cta_turn(g, cta);
		if (!ok && g->stop)
			gpu_stop_fault(g, cta);
		simt_cta_end(cta);
	}
	return ok;
}

bool gpu_finish_untimed(struct gpu *g)
{
	gpu_untimed_limit_set(g);
	if (guests_end(g) && partitions_end(g) && residents_end(g))
		return rest_end(g);
	if (g->stop)
		gpu_stop_fault(g, NULL);
	return false;
}
