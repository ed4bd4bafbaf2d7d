/* rig.h - a stack under test: a feeder gives it requests, each answer is noted. The auditor is on. */
#ifndef STRATA_TESTS_MEM_RIG_H
#define STRATA_TESTS_MEM_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mem/map.h"
#include "mem/stack.h"

enum { LINE_BYTES = 128, REQS_MAX = 20000, ANSWER_PS = 1500 + 71429 /* TSVs and controller */ };

struct rig {
	struct dram_params p;
	struct sim_engine *engine;
	struct sim_stats *stats;
	struct mem_stack *stack;
	struct mem_req_pool *pool;
	struct mem_map map;
	struct sim_comp feeder;
	uint64_t left, done_count, last_done_ps, seed, address, span_bytes, stride_bytes;
	uint32_t write_percent, gap_cycles;
	bool is_kept_full; /* but for two places */
	bool is_unaudited;
	uint32_t other_tag, late_count;
	struct sim_comp later;
	bool is_answered[REQS_MAX];
	uint64_t done_ps[REQS_MAX]; /* of a tag */
	uint32_t order[REQS_MAX];   /* tags as they were answered */
	uint32_t next_tag;
};

/* With default parameters, to be changed; then rig_build. The feeder is to be woken. */
struct rig *rig_new(void);
void rig_build(struct rig *g);
void rig_free(struct rig *g);
struct mem_req *rig_request(struct rig *g, uint64_t addr, enum mem_op op);
uint64_t rig_stat(const struct rig *g, const char *key);

#endif
