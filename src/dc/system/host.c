/* host.c - kernels on the host's cores: a launch as a region of OpenMP, from its beginning to its end.
 *
 * CTAs are the iterations of a loop that is shared out among the threads of a team, one to a core, in pieces that
 * follow each other; those of a kernel that waits for another of its CTAs go round the cores instead, and take turns on
 * them. The cores are the CPU model's, with first and second levels of their own; what these do not have is asked of
 * the ways, which are all cache meanwhile. */
#include <stdio.h>
#include <string.h>

#include "dc/system/host.h"

enum { CTAS_MAX = 1024 /* that take turns, on all cores */ };

static bool has_ended(const struct dc_system *s)
{
	return s->stop || sim_was_limited(s->ctx->engine);
}

/* The fault of a launch on the host's cores that ended from outside, with where its warps stand. */
static void stop_host(struct dc_host *h, struct simt_launch *l, struct device_result *result, enum device_stop why)
{
	struct simt_where *where = simt_where_new(l);
	uint64_t left = 0;

	for (uint32_t i = 0; i < h->threads; i++) {
		const struct dc_host_run *r = &h->runs[i];

		for (uint32_t k = 0; k < r->cta_count; k++)
			for (uint32_t w = 0; w < simt_cta_warp_count(r->ctas[k]); w++)
				simt_where_add(where, simt_cta_warp(r->ctas[k], w));
		left += (r->end_cta - MIN(r->end_cta, r->next_cta) + h->stride - 1) / h->stride;
	}
	result->stop = why;
	l->fault.kind = SIMT_FAULT_NONE;
	dc_system_fault(l, device_stop_kind(why), device_stop_text(why));
	simt_where_end(where, l->fault.text, sizeof(l->fault.text));
	if (left)
		snprintf(l->fault.text + strlen(l->fault.text), sizeof(l->fault.text) - strlen(l->fault.text),
			 "; %llu of %llu CTAs have not begun", (unsigned long long)left,
			 (unsigned long long)h->system->cta_count);
}

/* The threads of a team that is larger than one: who makes it wakes the others, and waits for them at its end. */
static uint64_t wake_ps(const struct dc_host *h)
{
	return h->threads > 1 ? h->p.system_call_ps + h->p.wake_ps : 0;
}

/* What iteration i of the team's loop is, by OpenMP's static schedule; of CTAs that take turns, one at a time. */
static void share_out(struct dc_host *h, uint32_t i)
{
	const uint64_t each = h->system->cta_count / h->threads, more = h->system->cta_count % h->threads;
	struct dc_host_run *r = &h->runs[i];

	r->next_cta = h->is_waiting ? i : i * each + MIN(i, more);
	r->end_cta = h->is_waiting ? h->system->cta_count : r->next_cta + each + (i < more);
	r->cta_room = h->is_waiting ? MAX(CTAS_MAX / h->threads, 1) : 1;
	r->ctas = g_renew(struct simt_cta *, r->ctas, r->cta_room);
	r->values = g_renew(struct dc_host_result, r->values, (uint64_t)h->launch->program->sb_count * h->vectors + 1);
	r->begin_ps = dc_system_now_ps(h->system) + (i ? wake_ps(h) : h->threads > 1 ? h->p.system_call_ps : 0);
}

/* Shared memory of each core's CTA. */
static bool take_shared(struct dc_host *h, struct simt_launch *l)
{
	const uint64_t line = h->p.line_bytes, bytes = l->program->shared_static_bytes + l->shared_dynamic_bytes;

	h->shared = 0;
	h->shared_bytes = (bytes + line - 1) / line * line;
	if (!bytes)
		return true;
	h->shared = simt_memory_alloc(l->mem, h->shared_bytes * h->p.core_count, SIMT_ARENA_ALIGN_BYTES,
				      SIMT_ALLOC_LOCAL);
	if (!h->shared)
		dc_system_fault(l, SIMT_FAULT_STACK, "no room in device memory for the shared memory of its CTAs");
	return h->shared;
}

/* Local memory for as many warps as the cores have at once: it was laid out for one CTA. */
static bool take_local(struct dc_host *h, struct simt_launch *l)
{
	const uint64_t warps = ((uint64_t)l->block[0] * l->block[1] * l->block[2] + SIMT_LANES - 1) / SIMT_LANES;
	struct base_diag_list diag;
	bool is_there;

	if (!l->program->local_bytes_per_thread || simt_memory_check(l->mem))
		return true;
	simt_launch_end(l);
	base_diag_init(&diag);
	is_there = simt_launch_begin(l, (uint32_t)(warps * h->threads), &diag);
	if (!is_there)
		dc_system_fault(l, SIMT_FAULT_STACK, diag.first ? diag.first->text : "no room for its local memory");
	base_diag_free(&diag);
	return is_there;
}

static bool lay_out(struct dc_host *h, struct simt_launch *l, bool is_waiting)
{
	struct dc_system *s = h->system;

	h->launch = l;
	h->is_over = false;
	h->is_waiting = is_waiting || l->is_cooperative || simt_program_may_wait(l->program);
	h->threads = h->running = (uint32_t)MIN(h->p.core_count, s->cta_count);
	h->stride = h->is_waiting ? h->threads : 1;
	h->end_ps = dc_system_now_ps(s);
	h->warp_instructions = 0;
	return take_local(h, l) && take_shared(h, l);
}

static void run(struct dc_host *h, struct simt_launch *l)
{
	struct dc_system *s = h->system;
	g_autofree uint32_t *uses = dc_host_uses(l->program, h->vectors);

	h->uses = uses;
	h->is_warm = true;
	for (uint32_t i = 0; i < h->threads; i++)
		share_out(h, i);
	for (uint32_t i = 0; i < h->threads; i++)
		dc_host_begins(&h->runs[i]);
	if (s->sampler)
		sim_sampler_run(s->sampler, s->limit_units);
	else
		sim_run(s->ctx->engine);
	h->uses = NULL;
}

static void count(struct dc_system *s, const struct device_result *result, uint64_t begin)
{
	s->stats.kernels++;
	s->stats.kernel_cycles += dc_now(s) - begin;
	s->stats.host_kernels++;
	s->stats.host_cycles += result->cycles;
	dc_channels_settle(s);
}

/* Nothing of it is on its way any more, unless it was ended from outside. */
static void end(struct dc_host *h, struct simt_launch *l, struct device_result *result)
{
	struct dc_system *s = h->system;

	if (has_ended(s)) {
		h->is_broken = true;
		stop_host(h, l, result, s->stop ? (enum device_stop)s->stop : DEVICE_STOP_SIMULATED);
		dc_system_clean(s);
	} else {
		dc_system_advance_ps(s, dc_max(h->end_ps + wake_ps(h), dc_system_now_ps(s)));
		if (sim_now_units(s->ctx->engine) > s->limit_units) {
			result->stop = DEVICE_STOP_SIMULATED;
			dc_system_fault(l, device_stop_kind(result->stop), device_stop_text(result->stop));
		}
	}
	if (h->shared)
		simt_memory_release(l->mem, h->shared);
}

/* What a launch that was ended from outside has left of the cores is as it stood then. */
static bool refuse(struct dc_system *s, struct simt_launch *l, struct device_result *result)
{
	result->stop = s->stop ? (enum device_stop)s->stop : DEVICE_STOP_SIMULATED;
	dc_system_fault(l, device_stop_kind(result->stop), device_stop_text(result->stop));
	return false;
}

bool dc_system_run_on_host(struct dc_system *s, struct simt_launch *l, bool is_waiting, uint32_t lanes,
			   struct device_result *result)
{
	struct dc_host *h = s->host;
	const uint64_t begin = dc_now(s), before = s->stats.host_operations;

	s->cta_count = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
	s->next_cta = 0;
	*result = (struct device_result){.start_ps = dc_system_now_ps(s), .cta_count = s->cta_count};
	result->end_ps = result->start_ps;
	l->stop = &s->stop;
	if (h->is_broken)
		return refuse(s, l, result);
	h->vectors = SIMT_LANES / lanes;
	if (!lay_out(h, l, is_waiting))
		return false;
	run(h, l);
	end(h, l, result);
	s->stop = DEVICE_STOP_NONE;
	result->end_ps = dc_system_now_ps(s);
	result->cycles = dc_now(s) - begin;
	result->warp_instructions = h->warp_instructions;
	result->thread_instructions = s->stats.host_operations - before;
	count(s, result, begin);
	if (l->fault.kind)
		sim_stats_laws_settle(s->ctx->stats);
	return !l->fault.kind;
}
