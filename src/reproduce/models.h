/* models.h - what expressions of papers may ask that no run gives: what our models compute by themselves. */
#ifndef STRATA_REPRODUCE_MODELS_H
#define STRATA_REPRODUCE_MODELS_H

#include "experiment/expression.h"

/* To a row without a name. */
extern const struct experiment_model reproduce_models_table[];

#endif
