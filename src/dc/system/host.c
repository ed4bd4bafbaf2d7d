/* host.c - kernels on the host's cores: operations at the cores' rate, and their lines, by the caches and the
 * memory that the arrays would have.
 *
 * A line that a way has costs nothing beside the operation; another one is asked of the memory, at the earliest
 * when the operations before it are done, and with no more on their way than the cores' fill buffers hold. So the
 * kernel ends when both its operations and its lines have been served: cores run ahead of loads as far as these
 * buffers let them. What is dirty is written back when its way is taken. Shared memory is the cores' own caches',
 * and the link is not waited for. */
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "dc/system/priv.h"

/* *rest: of the kernels before that. */
static uint64_t host_ps(const struct dc_params *p, uint64_t operations, uint64_t cores, uint64_t *rest)
{
	const uint64_t cycles = (operations + cores * p->host_ops_per_cycle - 1) / (cores * p->host_ops_per_cycle);

	return base_cycles_ps(cycles, p->host_clock_khz, rest);
}

/* The first number of operations that takes the cores past the limit of simulated time; 0: there is no limit. */
static uint64_t host_limit(const struct dc_system *s, uint64_t cores)
{
	const uint64_t limit_ps = sim_ps_of_units(s->ctx->engine, s->limit_units), now_ps = dc_system_now_ps(s);
	const unsigned __int128 left_ps = limit_ps > now_ps ? limit_ps - now_ps : 0;
	const uint64_t cycles = (uint64_t)(left_ps * s->p->host_clock_khz / 1000000000);

	return s->limit_units == SIM_NEVER ? 0 : (cycles + 1) * cores * s->p->host_ops_per_cycle + 1;
}

/* The fault of a launch on the host's cores that ended from outside, with where its warps stand. */
static void stop_host(struct simt_launch *l, struct device_result *result, enum device_stop why)
{
	char where[sizeof(l->fault.text)] = "";

	if (l->fault.kind == SIMT_FAULT_STOPPED)
		g_strlcpy(where, l->fault.text, sizeof(where));
	result->stop = why;
	l->fault.kind = SIMT_FAULT_NONE;
	dc_system_fault(l, device_stop_kind(why), device_stop_text(why));
	g_strlcat(l->fault.text, where, sizeof(l->fault.text));
}

/* What a launch's threads have done so far. */
struct on_host {
	struct dc_system *s;
	uint64_t begin, cores, operations;
	uint64_t last_line; /* as the core's own cache would have it */
};

static bool has_ended(const struct dc_system *s)
{
	return s->stop || sim_was_limited(s->ctx->engine);
}

/* The memory works until so few lines are on their way, or all is done. */
static void wait_for_lines(struct dc_system *s, uint64_t most)
{
	s->host_wakes_at = most;
	while (s->host_lines > most && !has_ended(s))
		sim_run(s->ctx->engine);
}

static uint64_t cycle_of(const struct on_host *h)
{
	const struct dc_params *p = h->s->p;

	return h->begin + h->operations * p->clock_khz / (p->host_clock_khz * p->host_ops_per_cycle * h->cores);
}

static void ask(struct on_host *h, uint64_t line, bool is_store)
{
	struct dc_system *s = h->s;
	const uint64_t most = h->cores * s->p->host_line_count;

	if (dc_host_asks(s, line, is_store, dc_max(cycle_of(h), dc_now(s))) && ++s->host_lines >= most)
		wait_for_lines(s, most - 1);
}

static void observe(void *self, const struct simt_warp *w, const struct simt_step *step)
{
	struct on_host *h = self;
	const bool is_store = step->inst->flags & SIMT_STORE;

	(void)w;
	h->operations += (uint32_t)__builtin_popcount(step->exec_mask);
	if (!(step->inst->flags & (SIMT_LOAD | SIMT_STORE)) || step->space == SIMT_MEM_SHARED || has_ended(h->s))
		return;
	for (uint32_t left = step->access_mask; left; left &= left - 1) {
		const uint64_t line = step->addr[__builtin_ctz(left)] / h->s->p->line_bytes * h->s->p->line_bytes;

		if (line == h->last_line && !is_store)
			continue;
		h->last_line = line;
		ask(h, line, is_store);
	}
}

bool dc_system_run_on_host(struct dc_system *s, struct simt_launch *l, bool is_waiting, struct device_result *result)
{
	enum { TURN = 1000 };
	const uint64_t begin = dc_now(s), begin_ps = dc_system_now_ps(s);
	const uint64_t cta_count = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2],
		       cores = MIN(s->p->host_core_count, cta_count);
	struct on_host h = {.s = s, .begin = begin, .cores = cores, .last_line = DC_NEVER};
	const struct simt_limit limit = {
	    .stop = &s->stop, .thread_instructions = host_limit(s, cores), .observe = observe, .self = &h,
	    .turn_instructions = is_waiting ? TURN : 0,
	    .resident_ctas = is_waiting ? (uint32_t)MIN(cta_count, UINT32_MAX) : 0};
	uint64_t end_ps;
	bool is_right;

	*result = (struct device_result){.start_ps = begin_ps, .cta_count = cta_count};
	l->stop = &s->stop;
	is_right = simt_run_functional(l, &result->warp_instructions, &result->thread_instructions, &limit);
	wait_for_lines(s, 0);
	if (has_ended(s)) {
		dc_system_clean(s);
		s->host_lines = 0;
	}
	dc_channels_settle(s);
	end_ps = begin_ps + host_ps(s->p, result->thread_instructions, cores, &s->host_rest);
	dc_system_advance_ps(s, dc_max(end_ps, dc_system_now_ps(s)));
	if (s->stop)
		stop_host(l, result, (enum device_stop)s->stop);
	else if (sim_was_limited(s->ctx->engine) || sim_now_units(s->ctx->engine) > s->limit_units)
		stop_host(l, result, DEVICE_STOP_SIMULATED);
	s->stop = DEVICE_STOP_NONE;
	result->end_ps = dc_system_now_ps(s);
	result->cycles = dc_now(s) - begin;
	s->stats.kernels++;
	s->stats.kernel_cycles += result->cycles;
	s->stats.host_kernels++;
	s->stats.host_operations += result->thread_instructions;
	s->stats.host_cycles += result->cycles;
	return is_right && !l->fault.kind;
}
