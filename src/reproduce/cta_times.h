/* cta_times.h - how long CTAs ran on SMs of the GPU: the result object's "cta_times", a histogram. */
#ifndef STRATA_REPRODUCE_CTA_TIMES_H
#define STRATA_REPRODUCE_CTA_TIMES_H

#include <stdio.h>

#include "reproduce/data.h"

/* SM cycles; NAN when the run is missing or no CTA has ended on an SM of the GPU. The quantile (0 to 1) is the lower
 * edge of the histogram's bucket, whose width is at most 1/16 of it. */
double reproduce_cta_mean_cycles(const struct reproduce_data *d, uint32_t config, uint32_t workload);
double reproduce_cta_quantile_cycles(const struct reproduce_data *d, uint32_t config, uint32_t workload, double q);

/* SVG: one small plot per workload with the share of CTAs over their time, a line per configuration of the figure. */
void reproduce_cta_times_write(FILE *out, const struct reproduce_data *d, const struct reproduce_figure *f);

#endif
