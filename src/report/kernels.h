/* kernels.h - the kernels of a run: time, traffic, hits and energy of each. Not for other folders. */
#ifndef STRATA_REPORT_KERNELS_H
#define STRATA_REPORT_KERNELS_H

#include <jansson.h>
#include <stdio.h>

/* A table of a run of several kernels, the longest first, as wide as the terminal that out is; elsewhere with all
 * columns. Of one kernel everything is the run's, and nothing is printed. */
void report_kernels_print(FILE *out, const json_t *run);

#endif
