/* run_field.h - numbers of a run's lists, which its result has not as fields. */
#ifndef STRATA_REPRODUCE_RUN_FIELD_H
#define STRATA_REPRODUCE_RUN_FIELD_H

#include "reproduce/data.h"

/* "cta_times.mean" and "cta_times.p95": SM cycles that thread blocks took, the mean or of 95 % of them at most.
 * "kernels.0.ctas": thread blocks of the first launch, and so on; "kernels.least_threads": the smallest launch's
 * threads. False: the path is none of these, or the run has no launches. NAN: there is no such launch or time. */
bool reproduce_run_field(const struct reproduce_data *d, uint32_t config, uint32_t workload, const char *path,
			 double *x);

#endif
