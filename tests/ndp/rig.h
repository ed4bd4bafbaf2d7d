/* rig.h - a small machine with a mechanism that runs one kernel given as PTX, and computes it. */
#ifndef STRATA_TESTS_NDP_RIG_H
#define STRATA_TESTS_NDP_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/gpu.h"
#include "machine/parts.h"

enum { WORDS = 1 << 16 };

struct rig {
	struct simt_memory *mem;
	struct ptx_module *ptx;
	struct simt_module *module;
	struct simt_program *program;
	struct machine_config config;
	struct sim_ctx ctx;
	struct carry_policy ops;
	struct gpu *gpu;
	uint32_t *in, *out; /* WORDS each, on pages of their own; in[i] = i, out[i] = 0 */
	struct simt_fault fault; /* of the last run */
};

/* settings: "key", "value", ..., NULL; may be NULL. Fails the test when one is refused. */
void rig_set_all(struct machine_config *c, const char *const *settings);
/* The machine: four SMs in two clusters with the auditor on, then machine and settings. change, unless NULL, may
 * replace callbacks of the mechanism. */
void rig_open(struct rig *r, const char *ptx, const char *const *machine, const char *const *settings,
	      void (*change)(struct carry_policy *ops));
void rig_close(struct rig *r);
/* Runs k(in, out, n). Returns false after a fault. */
bool rig_run(struct rig *r, uint32_t ctas, uint32_t threads, uint64_t n);
uint64_t rig_stat(const struct rig *r, const char *key);

/* A kernel k(in, out, n), and variables before it: rd1 = in, rd2 = out, rd3 = n, r4 = the thread's number in the grid.
 */
#define KERNEL_WITH(globals, body)                                                                           \
	".version 7.0\n.target sm_70\n.address_size 64\n" globals                                            \
	".visible .entry k(.param .u64 in, .param .u64 out, .param .u64 n)\n{\n"                             \
	".reg .pred %p<8>; .reg .b32 %r<32>; .reg .b64 %rd<32>;\n"                                           \
	"ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; ld.param.u64 %rd3, [n];\n"                       \
	"mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1;\n" \
	body "\nret;\n}\n"

#endif
