/* gpu.h - the timed GPU: SMs, crossbar, L2 slices, links, stacks, and SMs in the stacks when the machine has them.
 *
 * One gpu runs one launch at a time to its end; simulated time goes on between launches. Build with gpu_new from a
 * checked configuration; run with gpu_launch; read the statistics of its context.
 */
#ifndef STRATA_GPU_GPU_H
#define STRATA_GPU_GPU_H

#include "base/diag.h"
#include "device/device.h"
#include "device/host.h"
#include "device/run.h"
#include "gpu/config.h"
#include "gpu/ext.h"
#include "gpu/map.h"
#include "mem/command_log.h"
#include "sim/sample.h"
#include "sim/spans.h"
#include "sim/stat.h"

/* Builds the GPU that a checked config describes; its clocks are in the context (gpu_clocks_add). exts, which may be
 * NULL, extend it: they become the GPU's. Keeps config, run and host; the context outlives the GPU. */
struct gpu *gpu_new(const struct sim_ctx *ctx, const struct gpu_config *config, const struct run_params *run,
		    const struct host_params *host, const struct gpu_ext_list *exts);
void gpu_free(struct gpu *g);

struct mem_memory;

/* The host's memory as DRAM: every access that reaches the host takes its time, in parts of line_bytes at most, at its
 * address modulo capacity_bytes. Else it takes host.access_latency_ps only. */
struct gpu_host_memory {
	struct mem_memory *memory; /* kept; nobody else offers it requests */
	uint64_t capacity_bytes;
	uint32_t line_bytes;
};
/* Before the first launch. done() and room() of the memory call the other two. */
void gpu_host_memory_set(struct gpu *g, const struct gpu_host_memory *m);
/* host.access_latency_ps: of an access to the host's memory, besides its time on the wires. */
uint64_t gpu_host_latency_ps(const struct gpu *g);
void gpu_host_memory_done(void *gpu, struct mem_req *part);
void gpu_host_memory_room(void *gpu);

/* Memory of the host that the caches of such a machine take: most of what gpu_new needs. */
uint64_t gpu_host_bytes(const struct gpu_config *config);

/* What has become of the file of run.checkpoint or run.checkpoint_write. */
struct gpu_checkpoint {
	const char *path;
	bool is_read;	      /* or written */
	uint64_t launch_count; /* before the mark, so far */
	const char *why_not;  /* it was not written; NULL: it was */
};
/* False: the run has none. */
bool gpu_checkpoint(const struct gpu *g, struct gpu_checkpoint *out);

/* Resident warps at most, over all SMs: what simt_launch_begin needs. */
uint32_t gpu_warp_capacity(const struct gpu *g);
/* Registers that each thread can have when an SM holds so many warps, at most SIMT_REGISTER_MAX; 0: not one. */
uint32_t gpu_registers_per_thread(const struct gpu_config *c, uint64_t warps);
/* Bytes of each SM's shared memory that extensions take while kernels of the program run: none where a CTA would not
 * fit beside them. */
uint64_t gpu_taken_shared_bytes(const struct gpu *g, const struct simt_program *p, uint64_t dynamic_bytes);
/* Shared memory that a CTA takes of an SM. */
uint64_t gpu_cta_shared_bytes(const struct gpu_config *c, const struct simt_program *p, uint64_t dynamic_bytes);
/* CTAs of this launch that fit on one SM (threads, CTAs, registers, shared memory); 0 with a message when none fits. */
uint32_t gpu_ctas_per_sm(const struct gpu *g, const struct simt_program *p, uint32_t threads_per_cta,
			 uint64_t shared_dynamic_bytes, struct base_diag_list *diag);

/* Runs l (begun with simt_launch_begin) to its end. False: l->fault says why; the machine is clean again. In functional
 * mode (run.mode) only values are computed and time stands. */
bool gpu_launch(struct gpu *g, struct simt_launch *l, struct device_result *result);
/* From now on up to so many threads of the host, with the one that calls, do what SMs do in a cycle; the results are
 * the same. Before the first launch. Returns how many there are; 1: *why says why. */
uint32_t gpu_use_threads(struct gpu *g, uint32_t thread_count, const char **why);
/* Async-signal-safe: the running launch, or the next one, ends with SIMT_FAULT_STOPPED (the user) or
 * SIMT_FAULT_TIMEOUT. The text of the fault says where all warps stand. */
void gpu_interrupt(struct gpu *g, enum device_stop why);

/* Values over time, for the results. */
struct gpu_series {
	const char *name, *unit;
	const double *values; /* NAN: not known */
	uint32_t count;
};
enum { GPU_SERIES_MAX = 128 };

/* What lasted how long, with gpu.span_count. */
enum gpu_spans {
	GPU_SPANS_CTAS,   /* track: the SM; name: number of the launch, from 1 */
	GPU_SPANS_BLOCKS, /* offloaded, in a warp slot of a stack SM or a SIMD unit. track: the stack; name: PTX line */
	GPU_SPANS_PAUSES, /* of all SMs, while pages move; track 0, name 0 */
	GPU_SPANS_COUNT
};
/* Their number; 0 where it is off. items are the GPU's. */
uint32_t gpu_spans_of(const struct gpu *g, enum gpu_spans kind, const struct sim_span **items);
/* What gpu.dram_log_ps has had kept; NULL: it is off. */
const struct mem_command_log *gpu_command_log(const struct gpu *g);

/* What gpu.sample_ps had sampled; NULL: it is off. */
const struct sim_sampler *gpu_sampler_of(const struct gpu *g);
/* What the mechanism recorded over time; returns their number, at most cap. */
uint32_t gpu_series_of(const struct gpu *g, struct gpu_series *items, uint32_t cap);
/* SM cycles in kernels, over the gpu's life. */
uint64_t gpu_kernel_cycles(const struct gpu *g);
/* Who looks on while kernels run without timing (run.mode = functional): at each one's begin, and after each step. */
struct gpu_observer {
	void (*begin)(void *self, struct simt_launch *l, struct simt_program *p);
	void (*step)(void *self, const struct simt_warp *w, const struct simt_step *step);
	void *self;
};
/* On SMs of the GPU an instruction of its own stands before each marked one, and takes an issue slot and its decoding.
 * It has no place in the code. */
void gpu_marks_issue(struct gpu *g, bool issue);
void gpu_observe(struct gpu *g, const struct gpu_observer *observer);

/* The stack that an access of this SM to an address goes to, with whatever the mechanism does to the mapping. */
uint32_t gpu_stack_of(struct gpu *g, uint32_t sm, uint64_t addr_bytes);
/* Time that the wire of a stack's TX (to the stack) or RX channel has been busy since gpu_new. */
uint64_t gpu_link_busy_ps(const struct gpu *g, uint32_t stack, bool is_rx);
/* CTAs of the running kernel that this SM could take now; for a stack SM, whether or not it is given new ones. */
uint32_t gpu_cta_room(const struct gpu *g, uint32_t sm);
/* CTAs that this SM has, or has kept a place for. */
uint32_t gpu_ctas_of(const struct gpu *g, uint32_t sm);
/* CTAs that have ended since gpu_new on SMs of the GPU, or of stacks, and the cycles from their placement to their
 * end. */
struct gpu_cta_times {
	uint64_t count, cycles;
};
struct gpu_cta_times gpu_cta_times(const struct gpu *g, bool in_stacks);
/* SM cycles since gpu_new, and thread instructions issued on all SMs. */
uint64_t gpu_now_cycles(const struct gpu *g);
uint64_t gpu_thread_instructions(const struct gpu *g);
/* Instructions of warps that this SM has issued since gpu_new. */
uint64_t gpu_issues(const struct gpu *g, uint32_t sm);
/* Reads of an SM's L1 data cache since gpu_new, and those that missed; of SMs that tick in this cycle and have not had
 * their turn, before the cycle. From gpu_follow_reads on it may be asked while SMs tick. */
void gpu_follow_reads(struct gpu *g);
void gpu_l1d_reads(const struct gpu *g, uint32_t sm, uint64_t *reads, uint64_t *misses);
/* Would a load of the SM find the line in its L1, or in the L2 in front of the stack that has it? */
bool gpu_caches_hold(struct gpu *g, uint32_t sm, uint64_t line_addr_bytes);
/* The share of its MSHRs that is in use now, 0 to 1. */
double gpu_l1d_mshr_share(const struct gpu *g, uint32_t sm);

/* Stack whose logic layer holds this SM, or UINT32_MAX for an SM of the GPU itself. SM numbers of the stacks follow
 * those of the GPU. */
uint32_t gpu_sm_stack(const struct gpu *g, uint32_t sm);
#endif
