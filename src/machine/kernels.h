/* kernels.h - the kernel launches of a program: how many it asked for and how they ended, sums per kernel, and the
 * first and the last of them one by one.
 *
 * Memory is bounded: it grows with the number of different kernels and of different refusals, and with
 * run.kernel_count, but not with the number of launches. So do the counts of them (machine/sums.h).
 */
#ifndef STRATA_MACHINE_KERNELS_H
#define STRATA_MACHINE_KERNELS_H

#include <jansson.h>

#include "device/device.h"

enum { MACHINE_REFUSALS_MAX = 32 }; /* different ones whose reason is kept; the others are only counted */

/* One launch that ran, to its end or to its fault. */
struct machine_kernel {
	const char *name; /* copied */
	uint32_t grid[3], block[3];
	bool is_faulted; /* or ended by a limit of time */
	struct device_result result;
	/* What the energy is over: of all launches together it is the time of the run's kernels. */
	uint64_t time_ps;
	const uint64_t *counts; /* of machine_kernels_measure's sums; copied */
};

/* asked = ran + refused; faulted is a part of ran. */
struct machine_launch_counts {
	uint64_t asked, ran, refused, faulted;
	uint64_t warp_instructions, thread_instructions; /* of those that ran */
};

struct machine_kernels;
struct machine_sums; /* machine/sums.h */

/* What run.mode = sampled and run.fast_forward have made of the launches. */
struct machine_estimates {
	uint64_t skipped_launches, estimated_launches, windowed_launches;
	/* of all launches that were not skipped */
	uint64_t warp_instructions, detailed_warp_instructions;
	uint64_t thread_instructions;
	double time_error_ps; /* of the time in kernels, 95 % */
};

/* kept_count: launches that are kept one by one, half of them the first ones, half the last ones. */
struct machine_kernels *machine_kernels_new(uint64_t kept_count);
void machine_kernels_free(struct machine_kernels *k);

/* What is known of each launch beside its time. Before the first one; sums are kept. */
void machine_kernels_measure(struct machine_kernels *k, const struct machine_sums *sums);
/* From now on the results say how each launch was run: with time_ps_error, detail, detailed_warp_instructions. */
void machine_kernels_show_detail(struct machine_kernels *k);

/* The name, kept as long as k. */
const char *machine_kernels_name(struct machine_kernels *k, const char *name);
/* One more launch that ran. */
void machine_kernels_add(struct machine_kernels *k, const struct machine_kernel *launch);
/* One more launch that the program asked for and that did not begin. kernel may be NULL: it is not known. */
void machine_kernels_refuse(struct machine_kernels *k, const char *kernel, const char *reason);

/* k may be NULL: no launches. */
struct machine_launch_counts machine_kernels_counts(const struct machine_kernels *k);

/* k may be NULL. False: nothing is estimated or skipped in this run. */
bool machine_kernels_estimates(const struct machine_kernels *k, struct machine_estimates *out);

/* ---- results; k may be NULL ---- */

/* What ran for its values only, how much of it as host code, and which kernels were interpreted and why. NULL: nothing
 * ran so. */
json_t *machine_kernels_functional_json(const struct machine_kernels *k);

/* Those kept one by one, with their number from 1 in the order of the calls. */
json_t *machine_kernels_json(const struct machine_kernels *k);
/* One object per kernel's name, in the order of their first launches: how many, and sums over all of them. */
json_t *machine_kernels_sums_json(const struct machine_kernels *k);
/* The first different refusals: kernel, reason, launches. */
json_t *machine_kernels_refusals_json(const struct machine_kernels *k);

#endif
