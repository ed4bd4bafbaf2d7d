/* windows.c - a launch of many CTAs of which windows are timed. Between two windows CTAs run for their values only, at
 * the moment in which the next one would be placed: the others stay where they are, caches, queues and rows as they
 * are, and the machine never runs empty in between.
 */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "gpu/priv.h"
#include "gpu/sampling.h"
#include "simt/turn.h"

enum phase {
	PHASE_OFF,     /* all CTAs are timed */
	PHASE_RUN_IN,  /* the first ones */
	PHASE_WARM,    /* after CTAs were skipped */
	PHASE_MEASURE, /* a window */
	PHASE_RUN_OUT, /* the last ones */
};

struct windows {
	struct gpu *g;
	const struct run_params *run;
	struct simt_turner turner;
	struct warming warming;
	enum phase phase;
	uint64_t edge; /* of g->cta_next, where the phase ends */
	struct sim_comp comp; /* ticks at the end of a cycle in which a window ends, or begins */
	bool ends, begins;
	uint64_t wave, warm_ctas, window_ctas, skip_ctas;
	uint32_t count, left; /* windows, and those that are still to come */
	struct sampling_ratio cycles; /* per work, of windows */
	uint64_t begin_cycle, begin_work, begin_cta;
	uint64_t *counts; /* at the window's begin */
	uint64_t *now;
	double *sums; /* of what was counted in windows */
	uint32_t count_total;
	/* executed for their values only */
	uint64_t skipped_ctas, skipped_warps;
	struct simt_cta *running; /* of these, or NULL */
	uint64_t clock_cycles; /* that a CTA which runs now has brought the clock on by */
};

static void tick(void *component, uint64_t cycle);

struct windows *windows_new(struct gpu *g)
{
	struct windows *w = g_new0(struct windows, 1);

	w->g = g;
	w->run = g->run;
	w->warming.g = g;
	w->comp = sim_engine_add(g->engine, g->clocks.sm, "windows", tick, w);
	return w;
}

void windows_free(struct windows *w)
{
	if (!w)
		return;
	g_free(w->counts);
	g_free(w->now);
	g_free(w->sums);
	g_free(w);
}

uint64_t windows_clock_cycles(const struct windows *w)
{
	return w->clock_cycles;
}

/* ---- the plan ---- */

/* CTAs that so many windows take, with those before, between and after them that are timed. */
static uint64_t detailed_ctas(const struct windows *w, uint32_t count)
{
	return 2 * w->wave + w->warm_ctas + count * (w->warm_ctas + w->window_ctas);
}

/* As many as are asked for, or as leave half of the CTAs to be skipped. */
static uint32_t windows_that_fit(const struct windows *w)
{
	enum { AT_LEAST = 3 };
	uint32_t count = (uint32_t)w->run->sample_windows_count;

	while (count >= AT_LEAST && 2 * detailed_ctas(w, count) > w->g->cta_total)
		count--;
	return count >= AT_LEAST ? count : 0;
}

static void room_for_counts(struct windows *w)
{
	w->count_total = sim_stats_count_total(w->g->stats);
	w->counts = g_renew(uint64_t, w->counts, w->count_total);
	w->now = g_renew(uint64_t, w->now, w->count_total);
	w->sums = g_renew(double, w->sums, w->count_total);
	memset(w->sums, 0, w->count_total * sizeof(*w->sums));
}

static void warm(void *self, const struct simt_warp *warp, const struct simt_step *step)
{
	(void)warp;
	warming_step(self, NULL, step);
}

/* Turns add up the launch's clock, warp and thread instructions. */
static void turner_begin(struct windows *w)
{
	w->turner = (struct simt_turner){.code = (enum simt_host_code)w->run->functional,
					 .warp_instructions = &w->clock_cycles,
					 .self = &w->warming};
}

bool windows_begin(struct windows *w)
{
	struct gpu *g = w->g;

	w->phase = PHASE_OFF;
	w->ends = w->begins = false;
	w->running = NULL;
	w->skipped_ctas = w->skipped_warps = 0;
	w->wave = g->cta_next;
	w->warm_ctas = w->wave * w->run->sample_warm_count;
	w->window_ctas = w->wave * w->run->sample_wave_count;
	w->count = w->left = windows_that_fit(w);
	if (!w->count || g->launch->is_cooperative || sampling_learns(g) || simt_program_may_wait(g->launch->program))
		return false;
	w->cycles = (struct sampling_ratio){.n = 0};
	w->skip_ctas = (g->cta_total - detailed_ctas(w, w->count)) / w->count;
	turner_begin(w);
	w->phase = PHASE_RUN_IN;
	w->edge = w->wave + w->warm_ctas;
	room_for_counts(w);
	return true;
}

/* ---- CTAs that are executed for their values only ---- */

static bool warp_turn(struct windows *w, struct simt_warp *warp)
{
	struct gpu *g = w->g;
	const uint64_t before = w->clock_cycles;
	bool is_right;

	if (unlikely(g->stop))
		return false;
	if (warp->is_done || warp->at_barrier)
		return true;
	w->turner.observe = w->warming.is_on ? warm : NULL;
	is_right = simt_turn(&w->turner, g->launch, warp, (uint32_t)w->run->turn_count);
	w->skipped_warps += w->clock_cycles - before;
	if (w->warming.is_on)
		w->warming.instruction_count += (double)(w->clock_cycles - before);
	if (!is_right)
		gpu_fail(g);
	return is_right;
}

static bool cta_turn(struct windows *w, struct simt_cta *cta)
{
	for (uint32_t i = 0; i < simt_cta_warp_count(cta); i++)
		if (!warp_turn(w, simt_cta_warp(cta, i)))
			return false;
	return true;
}

/* False: the launch has failed or was stopped. */
static bool cta_skip(struct windows *w)
{
	struct gpu *g = w->g;

	w->running = simt_cta_begin(g->launch, g->cta_next, (uint32_t)(g->cta_next % g->sm_total));
	g->cta_next++;
	g->ctas_left--;
	w->skipped_ctas++;
	g->is_written_anywhere = true;
	while (!simt_cta_is_done(w->running)) {
		if (cta_turn(w, w->running))
			continue;
		if (g->stop)
			sim_stop(g->engine);
		return false;
	}
	simt_cta_end(w->running);
	w->running = NULL;
	return true;
}

struct simt_cta *windows_running(const struct windows *w)
{
	return w->running;
}

static bool skip(struct windows *w)
{
	const uint64_t last = MIN(w->g->cta_next + w->skip_ctas, w->g->cta_total);
	bool is_right = true;

	while (is_right && w->g->cta_next < last) {
		const double each = w->skipped_ctas ? (double)w->skipped_warps / (double)w->skipped_ctas : 0;

		warming_look(&w->warming, each * (double)(last - w->g->cta_next));
		is_right = cta_skip(w);
	}
	w->clock_cycles = 0;
	return is_right;
}

/* ---- windows ---- */

/* What windows are compared by: instructions, but CTAs where units execute instructions that SMs do not count. */
static uint64_t work_done(const struct windows *w)
{
	const struct gpu *g = w->g;
	uint64_t sum = 0;

	if (g->units)
		return g->cta_next - w->skipped_ctas;
	for (uint32_t i = 0; i < g->sm_total; i++)
		sum += g->sms[i]->stats.warp_instructions;
	return sum;
}

static void measure_begin(struct windows *w)
{
	sampling_counts(w->g, w->counts);
	w->begin_cycle = sim_cycle_now(w->g->engine, w->g->clocks.sm);
	w->begin_work = work_done(w);
}

static void measure_end(struct windows *w)
{
	const uint64_t cycle = sim_cycle_now(w->g->engine, w->g->clocks.sm);

	sampling_counts(w->g, w->now);
	for (uint32_t i = 0; i < w->count_total; i++)
		w->sums[i] += (double)(w->now[i] - w->counts[i]);
	sampling_ratio_add(&w->cycles, (double)(work_done(w) - w->begin_work), (double)(cycle - w->begin_cycle));
}

/* A window begins and ends with a cycle: in the middle of one some SMs have ticked and some have not. */
static void at_cycle_end(struct windows *w, bool *what)
{
	*what = true;
	sim_wake_cycle(w->g->engine, w->comp, sim_cycle_now(w->g->engine, w->g->clocks.sm));
}

static void tick(void *component, uint64_t cycle)
{
	struct windows *w = component;

	(void)cycle;
	if (w->ends)
		measure_end(w);
	if (w->begins)
		measure_begin(w);
	w->ends = w->begins = false;
}

static void phase_set(struct windows *w, enum phase phase, uint64_t ctas)
{
	w->phase = phase;
	w->edge = ctas == UINT64_MAX ? ctas : w->g->cta_next + ctas;
}

/* The phase is over. False: it goes on after all. */
static bool step(struct windows *w)
{
	switch (w->phase) {
	case PHASE_MEASURE:
		at_cycle_end(w, &w->ends);
		w->left--;
		if (!w->left) {
			phase_set(w, PHASE_RUN_OUT, UINT64_MAX);
			return false;
		}
		w->phase = PHASE_RUN_IN;
		return true;
	case PHASE_RUN_IN:
		if (!simt_cta_has_room(w->g->launch)) {
			w->edge++;
			return false;
		}
		if (!skip(w))
			return false;
		phase_set(w, PHASE_WARM, w->warm_ctas);
		return true;
	case PHASE_WARM:
		at_cycle_end(w, &w->begins);
		phase_set(w, PHASE_MEASURE, w->window_ctas);
		return true;
	case PHASE_OFF:
	case PHASE_RUN_OUT:
		break;
	}
	return false;
}

bool windows_next(struct windows *w)
{
	while (w->phase != PHASE_OFF && w->g->cta_next == w->edge && step(w))
		;
	return !w->running;
}

void windows_end(struct windows *w, struct device_result *result, double *added)
{
	const double period_ps = (double)sim_ps_of_units(w->g->engine, sim_period_units(w->g->engine, w->g->clocks.sm));
	const double skipped = (double)(w->g->units ? w->skipped_ctas : w->skipped_warps);
	const double cycles = w->skipped_ctas ? skipped * sampling_ratio_of(&w->cycles) : 0;
	const double scale = w->skipped_ctas ? skipped / w->cycles.x : 0;

	if (!w->skipped_ctas)
		return;
	for (uint32_t i = 0; i < w->count_total; i++)
		added[i] += w->sums[i] * scale;
	sim_stats_estimate(w->g->stats, w->sums, scale);
	w->g->totals.untimed_warp_instructions += w->skipped_warps;
	result->detail = DEVICE_DETAIL_WINDOWS;
	result->cycles += (uint64_t)cycles;
	result->warp_instructions += w->skipped_warps;
	result->thread_instructions += w->turner.thread_instructions;
	result->estimated_warp_instructions = result->untimed_warp_instructions = w->skipped_warps;
	/* The ratio's deviation is that of a window; scale is in work of all of them. */
	result->error_common_ps = period_ps * (sampling_student(w->cycles.n) * sqrt(w->cycles.n) *
						   sampling_ratio_deviation(&w->cycles) * scale +
					       cycles * w->run->sample_bias_percent / 100);
}
