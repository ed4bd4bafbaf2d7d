/* fake_simt.h - a stand-in for simt/ with programs written as tables, so that the timing tests choose every
 * instruction, register and address themselves. It replaces simt/ at link time. Nothing is computed. */
#ifndef STRATA_TESTS_GPU_FAKE_SIMT_H
#define STRATA_TESTS_GPU_FAKE_SIMT_H

#include "simt/simt.h"

enum { FAKE_OPERANDS_MAX = 4, FAKE_INSTS_MAX = 512 };

struct fake_inst {
	uint32_t flags;
	uint8_t unit, kind, space, access_bytes, cache, sem, issue_slots;
	uint8_t read_count, write_count;
	uint16_t sb[FAKE_OPERANDS_MAX]; /* reads, then writes */
	/* Address of a lane: addr(thread, visit) with the grid-wide thread number and how often the warp was here. */
	uint64_t (*addr)(uint64_t thread, uint32_t visit);
	uint32_t lanes;     /* mask; 0 = all */
	uint32_t path;      /* mask of the lanes that have come to it; 0 = all */
	uint32_t branch_to; /* SIMT_BRANCH: target, taken `times` times */
	uint32_t times;
	uint32_t mark;
	uint8_t groups; /* SIMT_COPY_WAIT */
	uint32_t copy_stride_bytes; /* SIMT_COPY, SIMT_FROM_SHARED: of lanes in shared memory; 0 = 4 */
};

/* Addresses from here to twice here are host memory that kernels reach; nothing is, until fake_has_host is set. */
#define FAKE_HOST_MEMORY 0x0000300000000000ull
extern bool fake_has_host;
/* The device's memory: one allocation, which is freed and made again. */
#define FAKE_MEMORY_BYTES (UINT64_C(1) << 30)
void fake_reallocate(void);
/* What simt_program_may_wait says of every program. */
extern bool fake_may_wait;

/* A program of count instructions; the last one must be an exit. Free with fake_program_free. */
struct simt_program *fake_program_new(const char *name, const struct fake_inst *insts, uint32_t count);
void fake_program_free(struct simt_program *p);
/* A launch of ctas CTAs of threads threads. */
struct simt_launch fake_launch(const struct simt_program *p, uint32_t ctas, uint32_t threads);

/* Order in which warps issued, for scheduler tests: index_in_cta of each step, as far as there is room. */
enum { FAKE_TRACE_MAX = 4096 };
extern uint32_t fake_trace_count;
extern uint32_t fake_trace[FAKE_TRACE_MAX];

/* Shorthands. */
#define FAKE_ALU(u, dst, src)                                                                           \
	{                                                                                               \
		.unit = (uint8_t)(u), .issue_slots = 1, .read_count = 1, .write_count = 1, .sb = {(src), (dst) } \
	}
#define FAKE_LOAD(dst, address)                                                                          \
	{                                                                                                \
		.unit = SIMT_UNIT_LDST, .flags = SIMT_LOAD, .space = SIMT_MEM_GLOBAL, .access_bytes = 4, \
		.write_count = 1, .sb = {(dst)}, .addr = (address)                                       \
	}
#define FAKE_STORE(src, address)                                                                          \
	{                                                                                                 \
		.unit = SIMT_UNIT_LDST, .flags = SIMT_STORE, .space = SIMT_MEM_GLOBAL, .access_bytes = 4, \
		.read_count = 1, .sb = {(src)}, .addr = (address)                                         \
	}
#define FAKE_SHARED(dst, address)                                                                        \
	{                                                                                                \
		.unit = SIMT_UNIT_LDST, .flags = SIMT_LOAD, .space = SIMT_MEM_SHARED, .access_bytes = 4, \
		.write_count = 1, .sb = {(dst)}, .addr = (address)                                       \
	}
#define FAKE_LOOP(target, count)                                                                      \
	{                                                                                             \
		.unit = SIMT_UNIT_CTRL, .flags = SIMT_BRANCH, .branch_to = (target), .times = (count) \
	}
#define FAKE_BARRIER                                          \
	{                                                     \
		.unit = SIMT_UNIT_CTRL, .flags = SIMT_BARRIER \
	}
#define FAKE_FENCE                                          \
	{                                                   \
		.unit = SIMT_UNIT_CTRL, .flags = SIMT_FENCE \
	}
#define FAKE_COPY(address)                                                                                          \
	{                                                                                                           \
		.unit = SIMT_UNIT_LDST, .flags = SIMT_COPY | SIMT_LOAD, .space = SIMT_MEM_GLOBAL, .access_bytes = 4, \
		.cache = PTX_CG, .addr = (address)                                                                  \
	}
#define FAKE_COMMIT                                               \
	{                                                         \
		.unit = SIMT_UNIT_CTRL, .flags = SIMT_COPY_COMMIT \
	}
#define FAKE_WAIT(count)                                                              \
	{                                                                             \
		.unit = SIMT_UNIT_CTRL, .flags = SIMT_COPY_WAIT, .groups = (count)    \
	}
#define FAKE_EXIT                                                        \
	{                                                                \
		.unit = SIMT_UNIT_CTRL, .flags = SIMT_EXIT | SIMT_BRANCH \
	}

#endif
