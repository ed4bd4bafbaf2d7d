/* config.h - every parameter of the GPU in one struct, and the table of its groups.
 *
 * The defaults of the tables are the machine `tom-baseline` (TOM, ISCA'16, Table 1).
 */
#ifndef STRATA_GPU_CONFIG_H
#define STRATA_GPU_CONFIG_H

#include "gpu/choices.h"
#include "mem/cache.h"
#include "mem/dram.h"
#include "sim/ctx.h"
#include "sim/explain.h"
#include "sim/param.h"

struct gpu_params {
#include "sim/param_fields.inc"
#include "gpu/gpu_params.def"
#include "sim/param_end.inc"
};
struct sm_params {
#include "sim/param_fields.inc"
#include "gpu/sm_params.def"
#include "sim/param_end.inc"
};
struct xbar_params {
#include "sim/param_fields.inc"
#include "gpu/xbar_params.def"
#include "sim/param_end.inc"
};
struct link_params {
#include "sim/param_fields.inc"
#include "gpu/link_params.def"
#include "sim/param_end.inc"
};
struct mmu_params {
#include "sim/param_fields.inc"
#include "gpu/mmu_params.def"
#include "sim/param_end.inc"
};

struct nsu_params {
#include "sim/param_fields.inc"
#include "gpu/nsu_params.def"
#include "sim/param_end.inc"
};

/* Latencies of arithmetic, in cycles, where results meet on buses (sm.result_bus_count). */
enum { GPU_PIPE_LATENCY_MIN = 5, GPU_PIPE_LATENCY_MAX = 200 };

struct gpu_config {
	struct gpu_params gpu;	  /* "gpu": SM count, stacks, clocks, L2 slices, address map */
	struct sm_params sm;	  /* "sm": schedulers, slots, registers, latencies, LSU */
	struct cache_params l1d;  /* "l1d" */
	struct cache_params l1i;  /* "l1i" */
	struct cache_params l1c;  /* "l1c": constant */
	struct cache_params l1t;  /* "l1t": texture */
	struct mmu_params mmu;	  /* "mmu": address translation */
	struct cache_params l2;	  /* "l2": whole L2; divided evenly over the slices */
	struct xbar_params xbar;  /* "xbar" */
	struct link_params link;  /* "link": GPU to stack, per direction */
	struct link_params mesh;  /* "mesh": stack to stack, per direction */
	struct dram_params dram;  /* "dram": stack, vaults, timing */
	struct nsu_params nsu;	  /* "nsu": SIMD units in the stacks */
};

/* Flip-flops of one SM's TLB and MMU: what mmu.storage_bits of the statistics says. */
uint64_t gpu_mmu_bits(const struct mmu_params *p);

/* Adds the config's tables, bound to it; those of the units in the stacks ("nsu") apart. */
void gpu_config_groups(struct gpu_config *c, struct sim_param_groups *out);
void gpu_config_unit_groups(struct gpu_config *c, struct sim_param_groups *out);
/* Adds the tables of what such a GPU counts, without its carriers; c NULL: of what any GPU does. */
void gpu_stat_tables(const struct gpu_config *c, struct sim_stat_tables *out);
extern const struct sim_explain gpu_explain;
/* Where a group's default is not its table's: makes all of it tom-baseline. */
void gpu_config_defaults(struct gpu_config *c);
/* Adds the clock domains of such a GPU, in the order in which their edges tick when they coincide. False: they have no
 * common unit of time. */
bool gpu_clocks_add(const struct gpu_config *c, struct sim_engine *e);

/* Low bits of a bank's number that choose among the L2 slices of its vault: there are more slices than vaults. */
uint32_t gpu_slice_bank_bits(const struct gpu_config *c);

/* What shared memory takes of the store that it has with the L1D so that it has so many bytes, or the most it can take;
 * 0 where it has a store of its own. */
uint64_t gpu_pool_shared_bytes(const struct gpu_config *c, uint64_t bytes);
/* Rules across parameters (powers of two, divisibility, a buildable clock set): messages for what is wrong. */
bool gpu_config_check(const struct gpu_config *c, struct base_diag_list *diag);
/* Warnings of what can be built and is seldom meant. */
void gpu_config_warn(const struct gpu_config *c, struct base_diag_list *diag);

#endif
