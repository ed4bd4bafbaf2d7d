/* advise_confidence.c - counted, not computed: the nearest of the predictions that real runs have checked. */
#include "report/advise_confidence.h"

#include <glib.h>
#include <math.h>
#include <stdint.h>

enum { CHECKED_NEAREST = 8 };

struct checked {
	const char *workload;
	bool is_base; /* it was: no near-data processing */
	double margin;
	bool is_right;
};

#define ADVISE_CHECKED(workload, is_base, margin, is_right) {workload, is_base, margin, is_right},
static const struct checked stacks[] = {
#include "report/advise_checked.def"
};
static const struct checked cache[] = {
#include "report/advise_cache_checked.def"
};
static const struct checked channel[] = {
#include "report/advise_channel_checked.def"
};
#undef ADVISE_CHECKED

static const struct table {
	const struct checked *rows;
	uint32_t count;
} tables[REPORT_ADVISE_QUESTION_COUNT] = {
    [REPORT_ADVISE_STACKS] = {stacks, G_N_ELEMENTS(stacks)},
    [REPORT_ADVISE_CACHE] = {cache, G_N_ELEMENTS(cache)},
    [REPORT_ADVISE_CHANNEL] = {channel, G_N_ELEMENTS(channel)},
};

/* The next of the same kind by margin, of another program; the first of equals. NULL: there is none. */
static const struct checked *nearest(const struct table *t, const struct checked *own, const bool *is_taken)
{
	const struct checked *best = NULL;

	for (uint32_t i = 0; i < t->count; i++) {
		const struct checked *c = &t->rows[i];

		if (is_taken[i] || c->is_base != own->is_base || !g_strcmp0(c->workload, own->workload))
			continue;
		if (!best || fabs(c->margin - own->margin) < fabs(best->margin - own->margin))
			best = c;
	}
	return best;
}

double report_advise_confidence(enum report_advise_question question, const char *workload, bool is_base, double margin)
{
	const struct table *t = &tables[question];
	const struct checked own = {.workload = workload, .is_base = is_base, .margin = margin};
	g_autofree bool *is_taken = g_new0(bool, t->count);
	uint32_t count = 0, right = 0;
	const struct checked *c;

	while (count < CHECKED_NEAREST && (c = nearest(t, &own, is_taken)) != NULL) {
		is_taken[c - t->rows] = true;
		count++;
		right += c->is_right;
	}
	return (double)(right + 1) / (double)(count + 2);
}
