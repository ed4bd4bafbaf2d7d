/* device.h - a Duality Cache behind the table that doors use (device/device.h). */
#ifndef STRATA_DC_DEVICE_H
#define STRATA_DC_DEVICE_H

#include "dc/system/system.h"

struct dc_device;

/* What a kernel's launches did, of all of them: fields of struct dc_stats. What the ways that are cache write back
 * between launches is no kernel's. */
#define DC_KERNEL_COUNTS(X)                                                                              \
	X(ctas) X(words) X(compute_cycles) X(memory_cycles) X(feed_wait_cycles) X(wave_wait_cycles)      \
	X(active_block_cycles) X(entry_cycles) X(chosen_ways) X(accesses) X(spill_accesses) X(lines)     \
	X(cache_hits) X(read_bytes) X(write_bytes) X(link_bytes)                       \
	X(lane_operations) X(tmu_rows)
struct dc_kernel_counts {
	const char *name;
	uint64_t offered, taken; /* launches; the others did not begin there */
	char why[256];		 /* the first of them that was not compiled, or ran on the host's cores */
	uint64_t time_ps;
	uint64_t host_launches, host_lanes; /* on the host's cores; lanes of a vector in the last of these, or 1 */
	/* The times that were reckoned of launches, to choose where they are faster. */
	double reckoned_arrays_us, reckoned_host_us;
#define X(field) uint64_t field;
	DC_KERNEL_COUNTS(X)
#undef X
};
/* In the order of their first launches. */
uint32_t dc_device_kernel_count(const struct dc_device *d);
const struct dc_kernel_counts *dc_device_kernel(const struct dc_device *d, uint32_t index);

/* Keeps system and params. cores: of the host, or NULL; memory_mbytes_per_s: of its memory, all channels. */
struct dc_device *dc_device_new(struct dc_system *system, const struct dc_params *p, const struct cpu_params *cores,
				uint64_t memory_mbytes_per_s);
void dc_device_free(struct dc_device *d);
struct device dc_device_table(struct dc_device *d);

#endif
