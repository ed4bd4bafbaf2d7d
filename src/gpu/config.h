/* config.h - every parameter of the modelled machine in one struct, and the table of its groups.
 *
 * The defaults of the tables are the machine `tom-baseline` (TOM, ISCA'16, Table 1).
 */
#ifndef STRATA_GPU_CONFIG_H
#define STRATA_GPU_CONFIG_H

#include "energy/events.h"
#include "gpu/choices.h"
#include "mem/cache.h"
#include "mem/dram.h"
#include "sim/ctx.h"
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

/* How near-data mechanisms are chosen and set: one table for all (tom.*, ...) grows with them. */
struct ndp_params {
#include "sim/param_fields.inc"
#include "gpu/ndp_params.def"
#include "sim/param_end.inc"
};
struct nsu_params {
#include "sim/param_fields.inc"
#include "gpu/nsu_params.def"
#include "sim/param_end.inc"
};
struct host_params {
#include "sim/param_fields.inc"
#include "gpu/host_params.def"
#include "sim/param_end.inc"
};
struct run_params {
#include "sim/param_fields.inc"
#include "gpu/run_params.def"
#include "sim/param_end.inc"
};

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
	struct energy_params energy; /* "energy" */
	struct ndp_params ndp;	  /* "ndp" */
	struct nsu_params nsu;	  /* "nsu": SIMD units in the stacks */
	struct host_params host;  /* "host": PCI-E */
	struct run_params run;	  /* "run": mode, seed, audit */
};

enum { GPU_CONFIG_GROUPS_MAX = 32 };

/* The wires between host and device, as host.link chooses them. */
struct gpu_host_wires {
	uint64_t mbytes_per_s, payload_bytes, overhead_bytes, latency_ps;
};

/* Flip-flops of one SM's TLB and MMU: what mmu.storage_bits of the statistics says. */
uint64_t gpu_mmu_bits(const struct mmu_params *p);

struct gpu_host_wires gpu_host_wires_of(const struct host_params *h);
/* What data of this size is on the wires, in packets. */
uint64_t gpu_host_wire_bytes(const struct gpu_host_wires *w, uint64_t bytes);

/* Fills groups with the config's tables bound to it; returns their number. */
uint32_t gpu_config_groups(struct gpu_config *c, struct sim_param_group *groups);
/* All defaults, i.e. tom-baseline. */
void gpu_config_defaults(struct gpu_config *c);
/* The clock domains of such a machine. */
struct gpu_clocks {
	uint32_t l2, sm, xbar, dram;
	uint32_t nsu; /* only where there are SIMD units */
};
/* Adds them, in the order in which their edges tick when they coincide. False: they have no common unit of time. */
bool gpu_clocks_add(struct gpu_clocks *clocks, const struct gpu_config *c, struct sim_engine *e);

/* Rules across parameters (powers of two, divisibility, a buildable clock set): messages for what is wrong. */
bool gpu_config_check(const struct gpu_config *c, struct base_diag_list *diag);

#endif
