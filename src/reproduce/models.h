/* models.h - what expressions of papers may ask that no run gives: what our models compute by themselves. */
#ifndef STRATA_REPRODUCE_MODELS_H
#define STRATA_REPRODUCE_MODELS_H

#include "experiment/expression.h"
#include "reproduce/paper.h"

/* To a row without a name. */
extern const struct experiment_model reproduce_models_table[];

/* Points that a model computes, for drawings. To a row without a name. */
struct reproduce_points_model {
	const char *name;
	uint32_t (*points)(const struct reproduce_data *d, struct reproduce_point *out);
};
extern const struct reproduce_points_model reproduce_points_table[];

#endif
