/* rig.h - a small machine for the timing tests: parameters by name, one launch, one statistic. */
#ifndef STRATA_TESTS_GPU_RIG_H
#define STRATA_TESTS_GPU_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake_simt.h"
#include "mem/memory.h"
#include "ndp/carry/carry.h"

#define RIG_MEMORY 0x0000200000000000ull

struct rig {
	struct gpu_config config;
	struct run_params run;
	struct host_params host;
	struct sim_ctx ctx;
	struct gpu *gpu;
	/* with rig_has_host_memory */
	struct memory_params host_memory;
	struct dram_params host_dram;
	struct mem_memory *memory;
};

/* The next machines have a memory behind the host link: groups "host_memory" and "host_dram". */
extern bool rig_has_host_memory;

/* Everything that a GPU is set by, with its defaults. */
void rig_config(struct rig *r, struct sim_param_groups *groups);
/* settings: "key", "value", ..., NULL on top of: one SM, auditor on. */
void rig_open(struct rig *r, const struct carry_policy *guest, void *guest_ctx, const char *const *settings);
void rig_close(struct rig *r);
/* Runs the program to its end and returns its SM cycles. */
uint64_t rig_run(struct rig *r, const struct fake_inst *insts, uint32_t count, uint32_t ctas, uint32_t threads);
uint64_t rig_stat(struct rig *r, const char *key);
/* Cycles of one run on a fresh machine. */
uint64_t rig_cycles(const char *const *settings, const struct fake_inst *insts, uint32_t count, uint32_t ctas,
		    uint32_t threads);

#endif
