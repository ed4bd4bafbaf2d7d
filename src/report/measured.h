/* measured.h - a user's own measurements, from the files that profilers and our bench/hardware write. */
#ifndef STRATA_REPORT_MEASURED_H
#define STRATA_REPORT_MEASURED_H

#include <jansson.h>
#include <stddef.h>

#include "base/diag.h"

/* Reads the text of a file that is named path. Which of these it is, its header says:
 * - "kernel,time_us" or "program,time_ms": a table of one's own, in ps, ns, us, ms or s; other columns may be there;
 * - cuda_gpu_kern_sum and cuda_gpu_trace of Nsight Systems, as CSV (nsys stats --format csv);
 * - Nsight Compute's --csv, of the details (a line a metric) or of --page raw (a column a metric), by
 *   gpu__time_duration.sum or Duration;
 * - perf stat -x, by duration_time, or else task-clock over the CPUs that were utilised;
 * - what bench/hardware prints: "hw-gpu: l1_latency 31.2 ns" or "figure,value,unit".
 * An object: "format"; "kind" (kernels, programs, figures); "rows", each with name ("" of a program that the file does
 * not name), count (of what was measured), sum_ps and line; "left_out": rows that are no kernels, and figures in
 * cycles. A figure that is a rate, in GB/s say, is the time for one of what it counts. NULL after one error in diag. */
json_t *report_measured_read(const char *path, const char *text, size_t length, struct base_diag_list *diag);
/* Reads a file as report_measured_read reads a text. */
json_t *report_measured_file(const char *path, struct base_diag_list *diag);
/* Picoseconds of a figure: a time, or the time for one of what a rate counts. 0: its unit is neither, or it is 0. */
double report_figure_ps(const char *unit, double value);

#endif
