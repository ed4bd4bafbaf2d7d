/* points.c - the settings of every point of a sweep. */
#include "sweep/plan.h"

#include <math.h>
#include <string.h>

/* The value at a share of the axis, 0 to 1. */
static char *value_at(const struct sweep_axis *a, double share)
{
	double value;
	char text[G_ASCII_DTOSTR_BUF_SIZE];

	if (a->values->len) {
		const uint32_t i = (uint32_t)(share * a->values->len);

		return g_strdup(a->values->pdata[MIN(i, a->values->len - 1)]);
	}
	value = a->is_log ? a->from * pow(a->to / a->from, share) : a->from + (a->to - a->from) * share;
	if (a->is_whole)
		return g_strdup_printf("%.0f", round(value));
	return g_strdup(g_ascii_formatd(text, sizeof(text), "%.10g", value));
}

static uint32_t grid_count(const struct sweep_axis *a)
{
	return a->values->len ? a->values->len : a->step_count;
}

static char *grid_value(const struct sweep_axis *a, uint32_t i)
{
	return a->values->len ? g_strdup(a->values->pdata[i]) : value_at(a, (double)i / (a->step_count - 1));
}

static void set(char **point, uint32_t i, const struct sweep_axis *a, char *value)
{
	point[i] = g_strconcat(a->key, "=", value, NULL);
	g_free(value);
}

static void grid_make(struct sweep_plan *plan, uint32_t count)
{
	for (uint32_t p = 0; p < count; p++) {
		char **point = g_new0(char *, plan->axes->len + 1);
		uint32_t rest = p;

		/* The last axis changes fastest. */
		for (uint32_t i = plan->axes->len; i-- > 0;) {
			const struct sweep_axis *a = plan->axes->pdata[i];

			set(point, i, a, grid_value(a, rest % grid_count(a)));
			rest /= grid_count(a);
		}
		g_ptr_array_add(plan->points, point);
	}
}

static void shuffle(GRand *random, uint32_t *order, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		order[i] = i;
	for (uint32_t i = count; i > 1; i--) {
		const uint32_t other = (uint32_t)g_rand_int_range(random, 0, (int32_t)i), kept = order[i - 1];

		order[i - 1] = order[other];
		order[other] = kept;
	}
}

/* Of a Latin hypercube each axis is cut into as many parts as there are points, and each part has one point. */
static void drawn_make(struct sweep_plan *plan)
{
	const uint32_t count = plan->asked_count;
	GRand *random = g_rand_new_with_seed(plan->seed);
	g_autofree uint32_t *order = g_new(uint32_t, count);

	for (uint32_t p = 0; p < count; p++)
		g_ptr_array_add(plan->points, g_new0(char *, plan->axes->len + 1));
	for (uint32_t i = 0; i < plan->axes->len; i++) {
		const struct sweep_axis *a = plan->axes->pdata[i];

		shuffle(random, order, count);
		for (uint32_t p = 0; p < count; p++) {
			const double within = g_rand_double(random);

			set(plan->points->pdata[p], i, a,
			    value_at(a, plan->kind == SWEEP_LATIN ? (order[p] + within) / count : within));
		}
	}
	g_rand_free(random);
}

bool sweep_points_make(struct sweep_plan *plan, const char *path, struct base_diag_list *diag)
{
	double count = 1;

	if (plan->kind == SWEEP_LIST)
		return true;
	if (plan->kind != SWEEP_GRID) {
		drawn_make(plan);
		return true;
	}
	for (uint32_t i = 0; i < plan->axes->len; i++)
		count *= grid_count(plan->axes->pdata[i]);
	if (count > SWEEP_POINTS_MAX) {
		base_diag_error(diag, (struct base_place){path, 0, 0},
				"the grid has %.0f points, at most %d are possible; `sweep: latin` and `points:` take "
				"fewer",
				count, SWEEP_POINTS_MAX);
		return false;
	}
	grid_make(plan, (uint32_t)count);
	return true;
}
