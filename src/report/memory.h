/* memory.h - what is done with the result objects of `strata mem`: one for each memory and stream. */
#ifndef STRATA_REPORT_MEMORY_H
#define STRATA_REPORT_MEMORY_H

#include "report/report.h"

/* A summary of one, a table of several, a line each. */
void report_memory_print(FILE *out, const json_t *runs);

/* Draws the points of all objects that have a "curve" as one picture (SVG): latency against bandwidth, the mean as a
 * line, the 99th percentile dashed; a curve ends where the memory no longer keeps up. The whole file or nothing. False:
 * errno tells. */
bool report_curve_write(const char *path, const json_t *runs);

#endif
