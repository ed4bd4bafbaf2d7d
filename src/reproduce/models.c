/* models.c - models of the mechanisms as functions of numbers. */
#include "reproduce/models.h"

#include "ndp/nsu/target_study.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* Figure 5 of NSU (SC'17): accesses that leave the target, of a block of x[0] accesses to x[1] stacks. */
static double nsu_first(const double *x)
{
	return x[0] >= 1 && x[1] >= 1 ? nsu_target_first((uint32_t)x[0], (uint32_t)x[1]) : NAN;
}

/* What takes long, and is asked for again and again, is kept: of the stacks that were asked for last. */
static double nsu_best(const double *x)
{
	static double known[NSU_TARGET_ACCESS_MAX + 1], stacks;
	const uint32_t count = x[0] >= 1 && x[0] <= NSU_TARGET_ACCESS_MAX ? (uint32_t)x[0] : 0;

	if (!count || x[1] < 1)
		return NAN;
	if (stacks != x[1])
		memset(known, 0, sizeof(known));
	stacks = x[1];
	if (known[count] == 0)
		known[count] = nsu_target_best(count, (uint32_t)x[1]);
	return known[count];
}

const struct experiment_model reproduce_models_table[] = {
    {"nsu_target_first", 2, nsu_first},
    {"nsu_target_best", 2, nsu_best},
    {NULL, 0, NULL},
};
