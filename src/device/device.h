/* device.h - all that a door for programs may know of what runs their kernels: what it is, and what can be asked of it.
 *
 * A door (cuda/) computes values when the program calls and begins launches with simt_launch_begin; the device runs one
 * launch at a time to its end and decides how long it takes. The timed GPU is one (gpu/device.h); another need share
 * nothing with it. machine/ builds the device that a session describes.
 */
#ifndef STRATA_DEVICE_DEVICE_H
#define STRATA_DEVICE_DEVICE_H

#include "base/diag.h"
#include "sim/progress.h"
#include "simt/simt.h"

/* Why a launch is ended from outside. */
enum device_stop { DEVICE_STOP_NONE, DEVICE_STOP_USER, DEVICE_STOP_WALL, DEVICE_STOP_SIMULATED };
/* What a fault's text says of it, and the fault's kind. Not of DEVICE_STOP_NONE. */
const char *device_stop_text(enum device_stop why);
enum simt_fault_kind device_stop_kind(enum device_stop why);

/* How much of a launch was run in detail, that is, timed. */
enum device_detail {
	DEVICE_DETAIL_FULL,
	DEVICE_DETAIL_WINDOWS, /* parts of it; the time of the rest is estimated from theirs */
	DEVICE_DETAIL_NONE,    /* nothing; its time is estimated from that of launches like it */
	DEVICE_DETAIL_SKIPPED, /* nothing, and it has no time (run.fast_forward) */
};

/* One launch's outcome. */
struct device_result {
	enum device_stop stop; /* what ended it from outside */
	uint64_t start_ps, end_ps;
	uint64_t cycles; /* clock of the multiprocessors */
	uint64_t warp_instructions, thread_instructions;
	uint64_t cta_count;
	/* What a device estimates (run.mode = sampled, run.fast_forward); of others all 0. */
	enum device_detail detail;
	uint64_t estimated_warp_instructions; /* of them, those executed for their values only */
	/* Half of the 95 % interval of the time: what launches of one kernel have in common, and this one's own. */
	double error_common_ps, error_own_ps;
	/* What ran for its values only, and of it as host code; why not all of it, until the kernel's program goes. */
	uint64_t untimed_warp_instructions, compiled_warp_instructions;
	double untimed_host_seconds; /* of the CPU, without a compiler's */
	const char *interpreted_why;
};

/* What programs are told, and what bounds a launch. A multiprocessor is what a CTA stays on. */
struct device_traits {
	uint64_t compute_capability; /* times 10 */
	uint64_t clock_khz, multiprocessor_count;
	uint64_t cta_thread_count; /* of a CTA at most, of a kernel whose threads do not communicate */
	/* of a multiprocessor */
	uint64_t thread_count, warp_count, cta_count, register_count, shared_bytes;
	uint64_t shared_reserved_bytes; /* of each CTA, for itself */
	uint64_t double_interval_ratio; /* single-precision instructions in the time of one of double precision */
	uint64_t cache_bytes;		/* that all share */
	uint64_t memory_count, memory_mbytes_per_s; /* memories, and what the multiprocessors get of each */
	/* what copies inside the device, and memsets, reach */
	uint64_t copy_mbytes_per_s, fill_mbytes_per_s;
	/* The host's memory is the device's: copies between them cross no wires. They take the time of this rate; 0:
	 * none, they only say where data is. */
	bool shares_memory;
	uint64_t shared_copy_mbytes_per_s;
	/* kernels launched by kernels: taking one in, and from there to its begin */
	uint64_t child_issue_ps, child_launch_ps;
};

struct device {
	const struct device_ops *ops;
	void *self;
	struct device_traits traits;
};

struct device_ops {
	/* Registers that each thread can have when a multiprocessor holds so many warps, at most SIMT_REGISTER_MAX; 0:
	 * not one. */
	uint32_t (*registers_per_thread)(const struct device *d, uint64_t warps);
	/* CTAs of such a launch that fit on one multiprocessor; 1 of a CTA that is spread over several; 0 with a
	 * message when none fits. */
	uint32_t (*ctas_fit)(const struct device *d, const struct simt_program *p, uint32_t threads_per_cta,
			     uint64_t shared_dynamic_bytes, struct base_diag_list *diag);
	/* Resident warps at most: what simt_launch_begin needs. */
	uint32_t (*warp_capacity)(const struct device *d);
	/* Whether the device has all that a launch needs; l has been begun. False: l->fault's text says what is
	 * missing, and nothing has happened. NULL: what simt/ has the device has. */
	bool (*accepts)(struct device *d, struct simt_launch *l);
	/* Runs l to its end. False: l->fault says why; the device is ready for the next launch. */
	bool (*launch)(struct device *d, struct simt_launch *l, struct device_result *result);
	/* Async-signal-safe: the running launch, or the next one, ends with SIMT_FAULT_STOPPED (the user) or
	 * SIMT_FAULT_TIMEOUT. */
	void (*interrupt)(struct device *d, enum device_stop why);
	/* Simulated time. */
	uint64_t (*now_ps)(const struct device *d);
	/* The host was busy (copies, API calls) until then, if that is not past. */
	void (*advance_ps)(struct device *d, uint64_t time_ps);
	/* The host has copied bytes into device memory, between launches. NULL: that changes nothing for kernels. */
	void (*host_wrote)(struct device *d, uint64_t address, uint64_t bytes);
	/* A part of the program that is of interest begins, or ends: what cuProfilerStart and cuProfilerStop say, or a
	 * range that run.only names. NULL: that is the same to it. */
	void (*region)(struct device *d, bool is_begin);
	/* How far it is, while another thread may be in launch. */
	void (*progress)(const struct device *d, struct sim_progress *out);
	/* From now on up to so many threads of the host do what it does, with the same results; before the first
	 * launch. Returns how many; 1: *why says why. NULL: it knows no other way. */
	uint32_t (*use_threads)(struct device *d, uint32_t thread_count, const char **why);
};

#endif
