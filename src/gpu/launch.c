/* launch.c - one kernel: CTAs to SMs, the run, its end or its failure, and the checks that nothing got lost. */
#include <glib.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/hash.h"
#include "base/units.h"
#include "gpu/beside.h"
#include "gpu/pages.h"
#include "gpu/priv.h"
#include "gpu/sampling.h"
#include "sim/team.h"

/* Time stands where nothing is timed, and kernels that wait for their clock would wait for ever: there each warp
 * instruction counts as one cycle. */
static uint64_t clock_cycles(void *ctx, uint32_t smid)
{
	struct gpu *g = ctx;

	(void)smid;
	return sim_cycle_now(g->engine, g->clocks.sm) + g->totals.untimed_warp_instructions + g->estimated_cycles +
	       (g->sampling ? sampling_clock_cycles(g->sampling) : 0);
}

static uint64_t untimed_ps(const struct gpu *g)
{
	return sim_ps_of_units(g->engine,
			       g->totals.untimed_warp_instructions * sim_period_units(g->engine, g->clocks.sm));
}

static uint64_t time_ns(void *ctx)
{
	const struct gpu *g = ctx;

	return (gpu_now_ps(g) + untimed_ps(g)) / BASE_PS_PER_NS;
}

/* ---- the end ---- */

/* Everything back to the state between kernels, whatever was on its way. */
static void clean(struct gpu *g)
{
	sim_cancel_all(g->engine);
	mem_req_pool_reset(g->pool);
	beside_reset(g);
	for (uint32_t i = 0; i < g->sm_total; i++)
		sm_reset(g->sms[i]);
	for (uint32_t i = 0; i < g->slice_count; i++)
		l2_slice_reset(g->slices[i]);
	for (uint32_t i = 0; i < g->stack_count; i++)
		logic_layer_reset(g->stacks[i]);
	host_link_reset(g->host_link);
	if (g->pages)
		pages_reset(g->pages);
	net_xbar_reset(g->requests);
	net_xbar_reset(g->replies);
	for (uint32_t i = 0; i < g->cluster_count; i++) {
		g->clusters[i].queued_count = 0;
		g->clusters[i].free_units = 0;
	}
	GPU_EXT_EACH(g, e, reset)
		e->ops->reset(e->self);
	if (g->network)
		net_network_reset(g->network);
	sim_stats_laws_settle(g->stats);
}

/* Conservation: every request answered, every credit home, every cycle attributed. */
static void check_end(struct gpu *g, uint64_t end_cycle)
{
	const char *broken_law = sim_stats_broken_law(g->stats);

	if (broken_law)
		base_bug_at(__FILE__, __LINE__, broken_law);
	CHECK(mem_req_outstanding(g->pool) == g->spare_count);
	GPU_EXT_EACH(g, e, check_end)
		e->ops->check_end(e->self);
	CHECK(!g->network || net_network_is_idle(g->network));
	CHECK(net_xbar_is_idle(g->requests) && net_xbar_is_idle(g->replies));
	for (uint32_t i = 0; i < g->slice_count; i++)
		CHECK(l2_slice_is_idle(g->slices[i]));
	for (uint32_t i = 0; i < g->stack_count; i++)
		CHECK(logic_layer_is_idle(g->stacks[i]));
	CHECK(host_link_is_idle(g->host_link));
	CHECK(!g->pages || pages_are_idle(g->pages));
	for (uint32_t i = 0; i < g->sm_total; i++)
		sm_kernel_end(g->sms[i], end_cycle);
}

/* Nothing is scheduled and CTAs are left: the program's own deadlock if all its warps wait at barriers. */
static bool is_barrier_deadlock(struct gpu *g)
{
	if (mem_req_outstanding(g->pool) != g->spare_count)
		return false;
	for (uint32_t i = 0; i < g->sm_total; i++) {
		struct sm *sm = g->sms[i];

		for (uint32_t k = 0; k < sm->warp_slot_count; k++) {
			if (sm->warps[k].w && sm->warps[k].wait != SM_WAIT_BARRIER)
				return false;
		}
	}
	return true;
}

static void fault(struct simt_launch *l, enum simt_fault_kind kind, const char *text)
{
	if (l->fault.kind != SIMT_FAULT_NONE)
		return;
	l->fault.kind = kind;
	snprintf(l->fault.text, sizeof(l->fault.text), "kernel %s: %s", l->program->name, text);
}

/* Decides how the run ended. True: to its end. */
static bool judge(struct gpu *g)
{
	struct simt_launch *l = g->launch;

	if (g->has_failed)
		return false;
	if (sim_was_limited(g->engine))
		g->stop = DEVICE_STOP_SIMULATED;
	if (g->stop) {
		gpu_stop_fault(g, g->sampling ? sampling_running(g->sampling) : NULL);
		return false;
	}
	if (g->limit_reached)
		return gpu_finish_untimed(g);
	if (g->ctas_left) {
		CHECK(is_barrier_deadlock(g));
		fault(l, SIMT_FAULT_BARRIER, "deadlock: every warp waits at a CTA barrier that cannot open");
		return false;
	}
	return true;
}

/* ---- launch ---- */

static uint64_t cta_total(const struct simt_launch *l)
{
	return (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
}

/* A kernel's code has its own place in the address space, the same in every run. */
static uint64_t code_base(const char *name)
{
	uint64_t h = base_hash_add(BASE_HASH_BEGIN, name, strlen(name));

	return GPU_CODE_BASE + ((h ^ h >> 32) & 0xffff) * 0x100000;
}

static void count_instructions(const struct gpu *g, uint64_t *warps, uint64_t *threads)
{
	*warps = *threads = 0;
	for (uint32_t i = 0; i < g->sm_total; i++) {
		*warps += g->sms[i]->stats.warp_instructions;
		*threads += g->sms[i]->stats.thread_instructions;
	}
}

static double thread_seconds(void)
{
	struct timespec t = {0};

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

bool gpu_launch_untimed(struct gpu *g, struct device_result *result)
{
	struct simt_launch *l = g->launch;
	const uint64_t before = g->totals.untimed_warp_instructions;
	bool ok;

	gpu_untimed_limit_set(g);

	const struct simt_limit limit = {.stop = &g->stop,
					 .warp_instructions = g->untimed_limit,
					 .turn_instructions = (uint32_t)g->run->turn_count,
					 .resident_ctas = (uint32_t)g->run->resident_cta_count,
					 .code = (enum simt_host_code)g->run->functional,
					 .observe = g->observer.step,
					 .self = g->observer.self,
					 .team = g->untimed_threads ? g->untimed_threads : beside_team(g),
					 .team_items = g->untimed_threads ? SIM_TEAM_MAX : g->cluster_count};

	if (g->observer.begin)
		g->observer.begin(g->observer.self, l, (struct simt_program *)l->program);
	const double begin = thread_seconds();

	ok = simt_run_functional(l, &g->totals.untimed_warp_instructions, &result->thread_instructions, &limit);
	result->untimed_host_seconds = thread_seconds() - begin;
	if (!ok && l->fault.kind == SIMT_FAULT_STOPPED) {
		char where[sizeof(l->fault.text)];

		g_strlcpy(where, l->fault.text, sizeof(where));
		if (!g->stop)
			g->stop = DEVICE_STOP_SIMULATED;
		gpu_stop_say(g, where);
	}
	result->start_ps = result->end_ps = gpu_now_ps(g);
	result->warp_instructions = g->totals.untimed_warp_instructions - before;
	result->untimed_warp_instructions = result->warp_instructions;
	g->totals.kernels_untimed++;
	return ok;
}

static uint32_t ctas_per_stack_sm(const struct gpu *g, const struct simt_launch *l)
{
	const struct gpu_config *c = g->config;
	uint32_t threads = l->block[0] * l->block[1] * l->block[2];
	uint64_t fit = c->gpu.stack_sm_warp_slot_count / ((threads + SIMT_LANES - 1) / SIMT_LANES);

	if (!c->gpu.stack_sm_shared && !c->gpu.stack_sm_shared_stays &&
	    l->program->shared_static_bytes + l->shared_dynamic_bytes)
		return 0;
	return fit < g->ctas_per_sm ? (uint32_t)fit : g->ctas_per_sm;
}

/* CTAs for which an SM has shared memory. */
static uint32_t ctas_by_shared(const struct gpu *g, const struct simt_launch *l)
{
	const uint64_t cta = gpu_cta_shared_bytes(g->config, l->program, l->shared_dynamic_bytes);
	const uint64_t taken = gpu_taken_shared_bytes(g, l->program, l->shared_dynamic_bytes);

	return cta ? (uint32_t)((g->config->sm.shared_bytes - taken) / cta) : UINT32_MAX;
}

/* What shared memory leaves of the store that it has with the L1D, if they have one. */
static uint64_t l1d_bytes(const struct gpu *g, const struct simt_launch *l)
{
	const struct gpu_config *c = g->config;
	const uint64_t cta_bytes = gpu_cta_shared_bytes(c, l->program, l->shared_dynamic_bytes);

	const uint64_t taken = gpu_taken_shared_bytes(g, l->program, l->shared_dynamic_bytes);

	return c->l1d.size_bytes - gpu_pool_shared_bytes(c, g->ctas_per_sm * cta_bytes + taken);
}

static void launch_begin(struct gpu *g)
{
	struct simt_launch *l = g->launch;
	struct base_diag_list diag;

	base_diag_init(&diag);
	g->ctas_per_sm =
	    gpu_ctas_per_sm(g, l->program, l->block[0] * l->block[1] * l->block[2], l->shared_dynamic_bytes, &diag);
	base_diag_free(&diag);
	CHECK(g->ctas_per_sm); /* the driver asks before it launches */
	g->ctas_per_stack_sm = ctas_per_stack_sm(g, l);
	g->ctas_by_shared = ctas_by_shared(g, l);
	g->l1d_bytes = l1d_bytes(g, l);
	g->start_cycle = sim_cycle_now(g->engine, g->clocks.sm);
	if (g->audit)
		g->audit->kernel_begin(g->audit_self);
	g->code_base = code_base(l->program->name);
	g->has_host_memory = simt_memory_has_host(l->mem);
	if (g->pages)
		pages_kernel_begin(g->pages);
	g->cta_next = 0;
	g->cta_starter = NULL;
	g->cta_total = g->ctas_left = cta_total(l);
	GPU_EXT_EACH(g, e, kernel_begin)
		e->ops->kernel_begin(e->self, l, (struct simt_program *)l->program);
	beside_launch_begin(g);
	for (uint32_t i = 0; i < g->sm_total; i++)
		sm_kernel_begin(g->sms[i]);
	gpu_ctas_begin(g);
	if (unlikely(g->sampling != NULL))
		sampling_placed(g->sampling);
	for (uint32_t i = 0; i < g->sm_total; i++) {
		if (g->sms[i]->resident_warps)
			sm_wake(g->sms[i], 0);
	}
}

static void engine_run(struct gpu *g)
{
	if (g->sampler)
		sim_sampler_run(g->sampler, gpu_limit_units(g));
	else
		sim_run(g->engine);
}

bool gpu_launch_timed(struct gpu *g, struct device_result *result)
{
	struct simt_launch *l = g->launch;
	uint64_t warps, threads, end_cycle;
	bool ok;

	count_instructions(g, &warps, &threads);
	gpu_settle_stacks(g, true);
	if (unlikely(g->sampling != NULL))
		sampling_begin(g->sampling);
	launch_begin(g);
	sim_resume(g->engine);
	if (!g->stop)
		engine_run(g);
	ok = judge(g);
	end_cycle = sim_now_units(g->engine) / sim_period_units(g->engine, g->clocks.sm) + 1;
	if (end_cycle < g->start_cycle)
		end_cycle = g->start_cycle;
	if (!ok || g->limit_reached)
		clean(g);
	else
		check_end(g, end_cycle);
	sim_advance_units(g->engine, end_cycle * sim_period_units(g->engine, g->clocks.sm));
	gpu_settle_stacks(g, false);
	count_instructions(g, &result->warp_instructions, &result->thread_instructions);
	result->warp_instructions -= warps;
	result->thread_instructions -= threads;
	result->cycles = end_cycle - g->start_cycle;
	result->start_ps =
	    g->estimated_ps + sim_ps_of_units(g->engine, g->start_cycle * sim_period_units(g->engine, g->clocks.sm));
	result->end_ps = gpu_now_ps(g);
	if (unlikely(g->sampling != NULL))
		sampling_end(g->sampling, result);
	g->totals.kernels++;
	g->totals.cycles += result->cycles;
	g->totals.time_ps += result->end_ps - result->start_ps;
	g->totals.warp_instructions += result->warp_instructions;
	g->totals.thread_instructions += result->thread_instructions;
	GPU_EXT_EACH(g, e, kernel_end)
		e->ops->kernel_end(e->self, l);
	return ok;
}

bool gpu_launch(struct gpu *g, struct simt_launch *l, struct device_result *result)
{
	bool ok;

	*result = (struct device_result){.cta_count = cta_total(l)};
	g->launch = l;
	l->stop = &g->stop;
	g->has_failed = false;
	l->sm_count = g->sm_total;
	l->clock_cycles = clock_cycles;
	l->time_ns = time_ns;
	l->clock_ctx = g;
	if (g->run->mode == RUN_FUNCTIONAL || g->limit_reached)
		ok = gpu_launch_untimed(g, result);
	else if (unlikely(g->sampling != NULL))
		ok = sampling_launch(g->sampling, result);
	else
		ok = gpu_launch_timed(g, result);
	result->compiled_warp_instructions = l->compiled_warp_instructions;
	result->interpreted_why = l->interpreted_why;
	result->stop = (enum device_stop)g->stop;
	g->stop = DEVICE_STOP_NONE;
	g->launch = NULL;
	return ok;
}
