/* ska_models.h - what a telescope needs and what supercomputers brought, for expressions (models.h), and as points. */
#ifndef STRATA_REPRODUCE_SKA_MODELS_H
#define STRATA_REPRODUCE_SKA_MODELS_H

#include <stdint.h>

#include "reproduce/paper.h"

/* A telescope's rate or store by its name in ska/model.h: ska_rate("FILE", "images"). */
double ska_rate(const char *dir, const char *const *texts, const double *x, char **why);
/* A step's operations per second: ska_step_ops("FILE", "FIR"); missing where the telescope has no such step. */
double ska_step_ops(const char *dir, const char *const *texts, const double *x, char **why);
/* The mean innovation of a list's systems of a kind up to a date: ska_innovation("FILE", "custom", "2013-06"). */
double ska_innovation(const char *dir, const char *const *texts, const double *x, char **why);

/* Figure 2.6: the systems of top500.csv, and the steps of ska1-low's correlator on the thesis' nodes. */
uint32_t ska_points(const struct reproduce_data *d, struct reproduce_point *out);

#endif
