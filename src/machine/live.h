/* live.h - what a run does now: a small file that its process replaces about twice a second, and that `strata top` and
 * the progress of `strata run` read.
 *
 * Nobody waits for it, and a run whose file cannot be written is the same run. The file is one JSON object:
 *
 *   pid, start            the process; start: of PID/stat in /proc, for a number is given again
 *   machine, program      their names
 *   kernel, kernels       that runs now, or null; launches so far
 *   time_ps               simulated so far
 *   instructions, accesses    so far
 *   done, total, of       of the kernel's CTAs, say; total 0: not known
 *   period_s              host time since the file's last version; 0 in the first one. In it:
 *   simulated_ps_per_s, instructions_per_s    of host time
 *   spent                 shares of what the machine's units spent it on, 0 to 1, by name
 */
#ifndef STRATA_MACHINE_LIVE_H
#define STRATA_MACHINE_LIVE_H

#include <stdint.h>
#include <sys/types.h>

#include "sim/progress.h"

enum { MACHINE_LIVE_PERIOD_NS = 500 * 1000 * 1000 };

struct machine_live;

/* Keeps nothing of the texts. path NULL or "": NULL, for which nothing is written. */
struct machine_live *machine_live_new(const char *path, const char *machine, const char *program);
void machine_live_free(struct machine_live *l);
/* Writes the file. kernel NULL: none runs. */
void machine_live_write(struct machine_live *l, const struct sim_progress *p, const char *kernel, uint64_t kernels);

/* What the host's CLOCK_MONOTONIC says. */
uint64_t machine_live_now_ns(void);

/* When the process began, in the clock of /proc; 0: there is none, or it has ended. */
uint64_t machine_process_start(pid_t pid);

#endif
