/* estimate.c - what windows, slices and whole launches are estimated by: ratios, and counts brought up to date. */
#include "gpu/sampling.h"

#include <math.h>

#include "gpu/priv.h"

void sampling_ratio_add(struct sampling_ratio *r, double x, double y)
{
	r->n++;
	r->x += x;
	r->y += y;
	r->xx += x * x;
	r->xy += x * y;
	r->yy += y * y;
}

double sampling_ratio_of(const struct sampling_ratio *r)
{
	return r->x > 0 ? r->y / r->x : 0;
}

double sampling_ratio_deviation(const struct sampling_ratio *r)
{
	const double ratio = sampling_ratio_of(r), squares = r->yy - 2 * ratio * r->xy + ratio * ratio * r->xx;

	return r->n > 1 && squares > 0 ? sqrt(squares / (r->n - 1)) : 0;
}

double sampling_ratio_error(const struct sampling_ratio *r)
{
	return r->y > 0 ? sampling_student(r->n) * sqrt(r->n) * sampling_ratio_deviation(r) / r->y : INFINITY;
}

double sampling_student(double n)
{
	/* Quantiles 0.975 of Student's distribution with 1, 2, ... degrees of freedom. */
	static const double quantiles[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
					   2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
					   2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
	const double normal = 1.96;

	if (n < 2)
		return quantiles[0];
	return n - 1 <= (double)ARRAY_COUNT(quantiles) ? quantiles[(uint32_t)n - 2] : normal + 2.5 / n;
}

bool sampling_learns(const struct gpu *g)
{
	if (g->pages) /* a part of a run has pages that one before has not */
		return true;
	GPU_EXT_EACH(g, e, learns)
		if (e->ops->learns(e->self))
			return true;
	return false;
}

/* Cycles of schedulers are added up at a launch's end: here they are what is attributed so far. */
void sampling_counts(struct gpu *g, uint64_t *values)
{
	for (uint32_t i = 0; i < g->sm_total; i++) {
		struct sm_stats *st = &g->sms[i]->stats;

		sm_touch(g->sms[i]);
		g->sms[i]->kept_cycles = st->scheduler_cycles;
		st->scheduler_cycles = st->issued_cycles;
		for (uint32_t r = 0; r < SM_WAIT_COUNT; r++)
			st->scheduler_cycles += st->stalls[r];
	}
	gpu_settle_stacks(g, false);
	sim_stats_counts(g->stats, values);
	for (uint32_t i = 0; i < g->sm_total; i++)
		g->sms[i]->stats.scheduler_cycles = g->sms[i]->kept_cycles;
}
