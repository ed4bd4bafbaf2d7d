/* roofline.h - kernels against the rates of what they use, for strata why and the report's page. Not for others. */
#ifndef STRATA_REPORT_ROOFLINE_H
#define STRATA_REPORT_ROOFLINE_H

#include <jansson.h>
#include <stdio.h>

/* null where a GPU's run has no account. Else an object; work is instructions of threads, of caches that compute
 * operations of lanes, of processors and NDPs on channels instructions, whose one "kernel" is the program:
 * - "work": which of them;
 * - "lanes": of a GPU: work of an issue slot at most;
 * - "roofs": name, kind ("bytes" or "units") and per_s, what the machine does of it in a second at most: all
 *   stacks, and all SMs, those in the stacks included;
 * - "kernels": the longest first: name, time_ps, work, per_s (work in a second, measured), and "roofs", the lowest
 *   first: name, intensity (work for each byte, or each operation of the unit) and per_s, the work in a second that
 *   this roof would allow; share is measured over the lowest roof. */
json_t *report_roofline(const json_t *run);
void report_roofline_print(FILE *out, const json_t *roofline);

#endif
