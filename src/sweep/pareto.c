/* pareto.c - the points that none other beats. */
#include "sweep/plan.h"

#include <math.h>

static bool is_known(const double *point, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (isnan(point[i]))
			return false;
	return true;
}

static bool beats(const double *a, const double *b, uint32_t count)
{
	bool is_better = false;

	for (uint32_t i = 0; i < count; i++) {
		if (a[i] > b[i])
			return false;
		is_better = is_better || a[i] < b[i];
	}
	return is_better;
}

void sweep_pareto(const double *values, uint32_t point_count, uint32_t objective_count, bool *is_best)
{
	for (uint32_t i = 0; i < point_count; i++) {
		const double *own = &values[(size_t)i * objective_count];

		is_best[i] = is_known(own, objective_count);
		for (uint32_t j = 0; is_best[i] && j < point_count; j++) {
			const double *other = &values[(size_t)j * objective_count];

			is_best[i] = !is_known(other, objective_count) || !beats(other, own, objective_count);
		}
	}
}
