/* slices.c - a launch without waves enough for windows: slices of its time are measured. In between all SMs stop, what
 * they have under way arrives, their CTAs leave, run on for their values only, all at about the speed that they had,
 * and come back.
 *
 * How long a launch is is not known. So what is skipped is a part of the time that has gone by: slices are close at
 * first and further apart the longer it takes, and a launch of any length has few.
 */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "gpu/priv.h"
#include "gpu/sampling.h"
#include "simt/turn.h"

enum {
	LOOK_CYCLES = 64, /* between two looks whether everything has arrived */
	TRIES_MAX = 8,	  /* slices behind a gap, of which the last one counts */
};
/* Two slices one behind the other whose rates lie no further apart are of a steady machine. */
static const double steady_ratio = 0.05;
/* The rate in a gap lies between those of the slices on both sides of it, or half as far outside. */
static const double gap_error = 2;

enum phase {
	PHASE_OFF,
	PHASE_WARM,    /* up to the next slice */
	PHASE_MEASURE, /* a slice */
	PHASE_DRAIN,   /* SMs have stopped, something is under way */
};

/* A CTA while it is on no SM. */
struct absent {
	struct sm *sm;
	struct simt_cta *cta; /* NULL: it has ended, and there is no other */
	uint64_t index, start_cycle;
	bool is_new;
};

/* What was measured in a slice, or happened in a gap between two. */
struct stretch {
	double cycles, work;
	uint64_t *counts; /* at its begin; then by how much they have grown */
};

struct slices {
	struct gpu *g;
	const struct run_params *run;
	struct simt_turner turner;
	struct warming warming;
	struct sim_comp comp;
	enum phase phase;
	uint64_t tick_cycle;	 /* when the phase is looked at again */
	struct stretch last, now; /* slices */
	struct stretch gap;	 /* between them */
	bool has_last, has_gap;
	uint32_t tries; /* slices behind the gap */
	double tried_rate;
	uint64_t *gap_counts; /* at its begin */
	double gap_skipped; /* work of the gap that was not timed */
	uint64_t begin_cycle, begin_work, gap_cycle, gap_work;
	uint64_t *sm_work; /* of each SM, in the last slice */
	uint64_t *now_counts;
	double *added;
	uint32_t count_total;
	struct absent *absents; /* in the order of SMs */
	uint32_t absent_count;
	uint64_t *limits; /* of the instructions of each warp of each of these */
	uint32_t warps_per_cta;
	/* of the launch */
	uint64_t skipped_warps;
	double estimated_cycles, squares, worst;
	double apart; /* how far the slices around the last gap lay apart, half of it, of their mean */
	double clock_cycles; /* by which clocks are ahead of the engine, */
	uint64_t clock_from; /* when so many warp instructions were skipped */
	double clock_rate;   /* by which each skipped instruction brings them on */
	uint32_t gap_count;
};

static void tick(void *component, uint64_t cycle);

struct slices *slices_new(struct gpu *g)
{
	struct slices *s = g_new0(struct slices, 1);

	s->g = g;
	s->run = g->run;
	s->warming.g = g;
	s->comp = sim_engine_add(g->engine, g->clocks.sm, "slices", tick, s);
	s->sm_work = g_new0(uint64_t, g->sm_total);
	s->absents = g_new0(struct absent, (size_t)g->sm_total * SM_CTA_MAX);
	s->limits = g_new0(uint64_t, gpu_warp_capacity(g));
	return s;
}

void slices_free(struct slices *s)
{
	if (!s)
		return;
	g_free(s->sm_work);
	g_free(s->absents);
	g_free(s->limits);
	g_free(s->last.counts);
	g_free(s->now.counts);
	g_free(s->gap.counts);
	g_free(s->gap_counts);
	g_free(s->now_counts);
	g_free(s->added);
	g_free(s);
}

uint64_t slices_clock_cycles(const struct slices *s)
{
	return (uint64_t)(s->clock_cycles + s->clock_rate * (double)(s->skipped_warps - s->clock_from));
}

static uint64_t now_cycle(const struct slices *s)
{
	return sim_cycle_now(s->g->engine, s->g->clocks.sm);
}

static void phase_set(struct slices *s, enum phase phase, uint64_t cycles)
{
	s->phase = phase;
	s->tick_cycle = now_cycle(s) + cycles;
	if (phase != PHASE_OFF)
		sim_wake_cycle(s->g->engine, s->comp, s->tick_cycle);
}

static void room_for_counts(struct slices *s)
{
	const uint32_t total = sim_stats_count_total(s->g->stats);

	if (s->count_total != total) {
		s->count_total = total;
		s->last.counts = g_renew(uint64_t, s->last.counts, total);
		s->now.counts = g_renew(uint64_t, s->now.counts, total);
		s->gap.counts = g_renew(uint64_t, s->gap.counts, total);
		s->gap_counts = g_renew(uint64_t, s->gap_counts, total);
		s->now_counts = g_renew(uint64_t, s->now_counts, total);
		s->added = g_renew(double, s->added, total);
	}
	memset(s->added, 0, total * sizeof(*s->added));
}

/* Where a mechanism keeps books about CTAs and warps none may go on unseen. */
static bool is_possible(const struct gpu *g)
{
	GPU_EXT_EACH(g, e, follows_warps)
		if (e->ops->follows_warps(e->self))
			return false;
	return true;
}

/* Warps go back to the timing, where they stand. */
static void turner_begin(struct slices *s)
{
	s->turner = (struct simt_turner){.code = (enum simt_host_code)s->run->functional,
					 .is_strict = true,
					 .warp_instructions = &s->skipped_warps};
}

void slices_begin(struct slices *s)
{
	s->skipped_warps = s->clock_from = 0;
	turner_begin(s);
	s->estimated_cycles = s->clock_cycles = s->squares = s->worst = s->apart = 0;
	s->gap_count = s->absent_count = 0;
	s->has_last = s->has_gap = false;
	s->phase = PHASE_OFF;
	if (!is_possible(s->g))
		return;
	s->warps_per_cta = (uint32_t)(((uint64_t)s->g->launch->block[0] * s->g->launch->block[1] *
				       s->g->launch->block[2] + SIMT_LANES - 1) / SIMT_LANES);
	room_for_counts(s);
	phase_set(s, PHASE_WARM, s->run->sample_warm_cycles);
}

/* The last CTA has ended: nothing is to be looked at, and the kernel must not last longer for it. */
void slices_last(struct slices *s)
{
	if (s->phase != PHASE_OFF && s->tick_cycle > now_cycle(s))
		sim_cancel(s->g->engine, s->comp, s->tick_cycle);
	s->phase = PHASE_OFF;
}

/* ---- CTAs leave, run for their values only, and come back ---- */

static bool is_at_rest(const struct gpu *g)
{
	if (mem_req_outstanding(g->pool) != g->spare_count)
		return false;
	GPU_EXT_EACH(g, e, is_idle)
		if (!e->ops->is_idle(e->self))
			return false;
	for (uint32_t i = 0; i < g->sm_total; i++)
		if (g->sms[i]->lsu.count || g->sms[i]->lsu_ready_count)
			return false;
	return true;
}

/* As many instructions as its SM gave each of its warps, on the average, in so many of the last slice's times. */
static void limits_set(struct slices *s, uint32_t first, double slices_count)
{
	const struct sm *sm = s->absents[first].sm;
	uint32_t warps = 0, last = first;

	for (; last < s->absent_count && s->absents[last].sm == sm; last++)
		for (uint32_t k = 0; k < s->warps_per_cta; k++)
			warps += !simt_cta_warp(s->absents[last].cta, k)->is_done;

	const double each = warps ? slices_count * (double)s->sm_work[sm->index] / warps : 0;

	for (uint32_t i = first; i < last; i++)
		for (uint32_t k = 0; k < s->warps_per_cta; k++)
			s->limits[i * s->warps_per_cta + k] =
			    simt_cta_warp(s->absents[i].cta, k)->instruction_count + (uint64_t)each;
}

static void ctas_leave(struct slices *s, double slices_count)
{
	struct gpu *g = s->g;

	s->absent_count = 0;
	for (uint32_t i = 0; i < g->sm_total; i++) {
		struct sm *sm = g->sms[i];
		const uint32_t first = s->absent_count;

		sm_touch(sm);
		while (sm->cta_count) {
			struct sm_cta *c = &sm->ctas[sm->cta_order[0]];

			s->absents[s->absent_count++] = (struct absent){
			    .sm = sm, .cta = c->cta, .index = c->index, .start_cycle = c->start_cycle};
			sm_cta_leave(sm, c);
		}
		if (s->absent_count > first)
			limits_set(s, first, slices_count);
	}
}

static void ctas_return(struct slices *s)
{
	for (uint32_t i = 0; i < s->absent_count; i++) {
		struct absent *a = &s->absents[i];

		if (!a->cta)
			continue;
		a->sm->ctas_coming++;
		sm_cta_arrive(a->sm, a->cta, a->index, a->start_cycle);
	}
	s->absent_count = 0;
}

/* The next CTA has what its predecessor has left of its time. */
static void cta_next(struct slices *s, uint32_t i)
{
	struct gpu *g = s->g;
	struct absent *a = &s->absents[i];
	uint64_t *limits = &s->limits[i * s->warps_per_cta], left = 0;

	for (uint32_t k = 0; k < s->warps_per_cta; k++) {
		const uint64_t count = simt_cta_warp(a->cta, k)->instruction_count;

		left = limits[k] > count && limits[k] - count > left ? limits[k] - count : left;
	}
	simt_cta_end(a->cta);
	g->ctas_left--;
	a->sm->stats.ctas_done++;
	a->cta = NULL;
	if (g->cta_next == g->cta_total)
		return;
	a->cta = simt_cta_begin(g->launch, g->cta_next, a->sm->index);
	a->index = g->cta_next++;
	a->start_cycle = now_cycle(s);
	a->sm->stats.ctas++;
	for (uint32_t k = 0; k < s->warps_per_cta; k++)
		limits[k] = left;
}

struct warmed {
	struct warming *warming;
	struct sm *sm;
};

static void warm(void *self, const struct simt_warp *w, const struct simt_step *step)
{
	const struct warmed *by = self;

	(void)w;
	warming_step(by->warming, by->sm, step);
}

/* A turn of one warp. False: the launch has failed or was stopped. */
static bool turn(struct slices *s, struct sm *sm, struct simt_warp *w, uint64_t limit, bool *has_stepped)
{
	struct gpu *g = s->g;
	struct warmed warmed = {&s->warming, sm};
	const uint64_t before = s->skipped_warps;
	bool is_right;

	if (w->instruction_count >= limit || w->is_done || w->at_barrier)
		return true;
	if (unlikely(g->stop)) {
		sim_stop(g->engine);
		return false;
	}
	s->turner.observe = s->warming.is_on ? warm : NULL;
	s->turner.self = &warmed;
	is_right = simt_turn(&s->turner, g->launch, w, (uint32_t)MIN(s->run->turn_count, limit - w->instruction_count));
	if (s->warming.is_on)
		s->warming.instruction_count += (double)(s->skipped_warps - before);
	*has_stepped |= s->skipped_warps != before;
	if (!is_right)
		gpu_fail(g);
	return is_right;
}

/* A turn of each warp. */
static bool round_run(struct slices *s, bool *has_stepped)
{
	for (uint32_t i = 0; i < s->absent_count; i++) {
		struct absent *a = &s->absents[i];

		for (uint32_t k = 0; a->cta && k < s->warps_per_cta; k++)
			if (!turn(s, a->sm, simt_cta_warp(a->cta, k), s->limits[i * s->warps_per_cta + k],
				  has_stepped))
				return false;
		if (a->cta && simt_cta_is_done(a->cta))
			cta_next(s, i);
	}
	return true;
}

static void skip(struct slices *s, double slices_count)
{
	const uint64_t before = s->skipped_warps;
	bool is_right = true, has_stepped = true;

	s->clock_rate = s->last.cycles / s->last.work;
	ctas_leave(s, slices_count);
	while (is_right && has_stepped) {
		const double done = (double)(s->skipped_warps - before);

		warming_look(&s->warming, slices_count * s->last.work - done);
		has_stepped = false;
		is_right = round_run(s, &has_stepped);
	}
	s->gap_skipped = (double)(s->skipped_warps - before);
	s->clock_cycles += s->clock_rate * s->gap_skipped;
	s->clock_from = s->skipped_warps;
	ctas_return(s);
}

/* ---- slices and gaps ---- */

static uint64_t work_done(const struct gpu *g)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < g->sm_total; i++)
		sum += g->sms[i]->stats.warp_instructions;
	return sum;
}

static void measure_begin(struct slices *s)
{
	struct gpu *g = s->g;

	sampling_counts(g, s->now.counts);
	for (uint32_t i = 0; s->has_gap && i < s->count_total; i++)
		s->gap.counts[i] = s->now.counts[i] - s->gap_counts[i];
	s->begin_cycle = now_cycle(s);
	s->begin_work = work_done(g);
	s->gap.cycles = (double)(s->begin_cycle - s->gap_cycle);
	s->gap.work = (double)(s->begin_work - s->gap_work) + s->gap_skipped;
	for (uint32_t i = 0; i < g->sm_total; i++)
		s->sm_work[i] = g->sms[i]->stats.warp_instructions;
	phase_set(s, PHASE_MEASURE, s->run->sample_slice_cycles);
}

static void measure_end(struct slices *s)
{
	struct gpu *g = s->g;

	sampling_counts(g, s->now_counts);
	for (uint32_t i = 0; i < s->count_total; i++)
		s->now.counts[i] = s->now_counts[i] - s->now.counts[i];
	s->now.cycles = (double)(now_cycle(s) - s->begin_cycle);
	s->now.work = (double)(work_done(g) - s->begin_work);
	for (uint32_t i = 0; i < g->sm_total; i++)
		s->sm_work[i] = g->sms[i]->stats.warp_instructions - s->sm_work[i];
}

/* What is added to the counts for work that went on as in a slice. */
static void counts_add(struct slices *s, const struct stretch *slice, double work)
{
	for (uint32_t i = 0; i < s->count_total; i++)
		s->added[i] += (double)slice->counts[i] * work / slice->work;
}

/* A gap's work takes the time that it would have taken at the rates of the slices on both sides of it. The time in
 * which the SMs stood and began again is none of the launch's. */
static void gap_end(struct slices *s)
{
	const double before = s->last.cycles / s->last.work, after = s->now.cycles / s->now.work;
	const double apart = s->gap.work * (after - before) / 2;

	s->estimated_cycles += s->gap.work * (before + after) / 2 - s->gap.cycles;
	s->squares += apart * apart;
	s->apart = fabs(after - before) / (after + before);
	s->worst = fmax(s->worst, s->apart);
	s->gap_count++;
	counts_add(s, &s->last, s->gap.work / 2);
	counts_add(s, &s->now, s->gap.work / 2);
	for (uint32_t i = 0; i < s->count_total; i++)
		s->added[i] -= (double)s->gap.counts[i];
	s->has_gap = false;
}

/* Time of the launch so far, with what was estimated. */
static double elapsed(const struct slices *s)
{
	return (double)(now_cycle(s) - s->g->start_cycle) + s->estimated_cycles;
}

/* SM cycles that are skipped next: fewer where rates change. */
static double skip_cycles(const struct slices *s)
{
	const double wanted = s->run->sample_error_percent / 100;

	return elapsed(s) * s->run->sample_skip_percent / 100 * (s->apart > wanted ? wanted / s->apart : 1);
}

/* A gap has to bring more than what is timed anew behind it. */
static double least_cycles(const struct slices *s)
{
	return 4.0 * (double)(s->run->sample_slice_cycles + s->run->sample_warm_cycles);
}

/* Behind a gap queues and caches fill again: it lasts until they have. */
static bool is_steady(struct slices *s)
{
	const double rate = s->now.cycles / s->now.work, apart = fabs(rate - s->tried_rate);
	const bool is_first = s->tries++ == 0;

	s->tried_rate = rate;
	return s->tries >= TRIES_MAX || (!is_first && apart <= steady_ratio * rate);
}

static void slice_end(struct slices *s)
{
	struct stretch swap;

	measure_end(s);
	if (!s->now.work) { /* who waits here waits for ever, or for a very long time */
		phase_set(s, PHASE_OFF, 0);
		return;
	}
	if (s->has_gap && !is_steady(s)) {
		measure_begin(s);
		return;
	}
	if (s->has_gap)
		gap_end(s);
	swap = s->last;
	s->last = s->now;
	s->now = swap;
	s->has_last = true;
	if (skip_cycles(s) < least_cycles(s) || s->g->is_paused) {
		measure_begin(s);
		return;
	}
	sampling_counts(s->g, s->gap_counts);
	s->gap_cycle = now_cycle(s);
	s->gap_work = work_done(s->g);
	s->g->is_paused = true;
	for (uint32_t i = 0; i < s->g->sm_total; i++)
		sm_wake(s->g->sms[i], s->g->sms[i]->now + 1);
	phase_set(s, PHASE_DRAIN, LOOK_CYCLES);
}

static void drain(struct slices *s)
{
	if (!is_at_rest(s->g)) {
		phase_set(s, PHASE_DRAIN, LOOK_CYCLES);
		return;
	}
	s->g->is_paused = false;
	skip(s, skip_cycles(s) / s->last.cycles);
	s->has_gap = true;
	s->tries = 0;
	if (s->g->ctas_left)
		phase_set(s, PHASE_WARM, s->run->sample_warm_cycles);
	else
		s->phase = PHASE_OFF;
}

static void tick(void *component, uint64_t cycle)
{
	struct slices *s = component;

	(void)cycle;
	if (s->g->has_failed || s->g->stop || !s->g->ctas_left)
		return;
	switch (s->phase) {
	case PHASE_WARM:
		measure_begin(s);
		break;
	case PHASE_MEASURE:
		slice_end(s);
		break;
	case PHASE_DRAIN:
		drain(s);
		break;
	case PHASE_OFF:
		break;
	}
}

/* The launch has ended before the slice behind the last gap: what was timed behind it is its end. */
static void gap_left(struct slices *s)
{
	const double rate = s->last.cycles / s->last.work, apart = s->gap_skipped * rate * fmax(s->worst, 0.1);

	s->estimated_cycles += s->gap_skipped * rate;
	s->squares += apart * apart;
	s->gap_count++;
	counts_add(s, &s->last, s->gap_skipped);
}

void slices_end(struct slices *s, struct device_result *result, double *added)
{
	struct gpu *g = s->g;
	const double period_ps = (double)sim_ps_of_units(g->engine, sim_period_units(g->engine, g->clocks.sm));

	s->phase = PHASE_OFF;
	if (!s->skipped_warps)
		return;
	if (s->has_gap)
		gap_left(s);
	for (uint32_t i = 0; i < s->count_total; i++)
		added[i] += s->added[i];
	sim_stats_estimate(g->stats, s->added, 1);
	g->totals.untimed_warp_instructions += s->skipped_warps;
	result->detail = DEVICE_DETAIL_WINDOWS;
	result->cycles += (uint64_t)fmax(0, s->estimated_cycles);
	result->warp_instructions += s->skipped_warps;
	result->thread_instructions += s->turner.thread_instructions;
	result->estimated_warp_instructions = result->untimed_warp_instructions = s->skipped_warps;
	result->error_common_ps =
	    period_ps * (gap_error * sqrt(s->squares) + fabs(s->estimated_cycles) * s->run->sample_bias_percent / 100);
}
