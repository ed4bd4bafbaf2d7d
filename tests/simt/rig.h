/* rig.h - runs a kernel given as PTX text on simulated memory and hands back what it wrote. */
#ifndef STRATA_TESTS_SIMT_RIG_H
#define STRATA_TESTS_SIMT_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "simt/check.h"
#include "simt/simt.h"

enum { RIG_OUT_WORDS = 4096, RIG_PRINT_BYTES = 8192 };

struct rig {
	struct simt_memory *mem;
	struct ptx_module *ptx;
	struct simt_module *module;
	struct simt_program *program;
	struct base_diag_list diag;
	uint64_t out;    /* device address of RIG_OUT_WORDS words */
	uint32_t *words; /* the same */
	uint8_t params[512];
	struct simt_launch launch;
	char printed[RIG_PRINT_BYTES];
	uint32_t printed_bytes;
	bool only_counts_printed; /* what is printed is too long to be kept */
	const volatile int *stop;  /* of launches; NULL after rig_open */
	uint64_t warp_instructions, thread_instructions;
	char *errors; /* of a build that failed */
	struct simt_check *check; /* of rig_open_checked */
	const struct simt_register_bounds *bounds; /* of the next build; NULL after rig_open */
	uint32_t stack_bytes; /* that launches ask for; 0 after rig_open */
	const struct simt_limit *limit; /* of launches; NULL after rig_open */
	uint32_t grid_y, block_y; /* of launches; 0, after rig_open, is 1 */
};

/* Loads the module; kernels begin with header(). */
void rig_open(struct rig *r, const char *ptx);
/* The same under a memory checker; the output buffer counts as written. */
void rig_open_checked(struct rig *r, const char *ptx);
void rig_close(struct rig *r);
/* Builds a kernel; false with r->errors if it cannot run. */
bool rig_build(struct rig *r, const char *kernel);
/* Runs the kernel built last, or `kernel` of the module, with grid x block threads; params hold 64-bit values. */
bool rig_run(struct rig *r, const char *kernel, uint32_t grid, uint32_t block, const uint64_t *params, uint32_t count);
/* Loads text, runs kernel "k" with the output buffer as its only parameter. Fails the test on any error. */
void rig_check(struct rig *r, const char *ptx, uint32_t grid, uint32_t block);
/* The same, but a fault is expected: its text is in r->launch.fault. */
void rig_check_fault(struct rig *r, const char *ptx, uint32_t grid, uint32_t block, enum simt_fault_kind kind);

#define RIG_HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"
/* A kernel k(out): %t is %tid.x, %out is the buffer, %i the global thread number, %p the address of this thread's word.
 */
#define RIG_KERNEL(body)                                                                                          \
	RIG_HEAD ".visible .entry k(.param .u64 out)\n{\n"                                                        \
		 ".reg .pred %p<16>; .reg .b32 %r<64>; .reg .b64 %rd<64>; .reg .f32 %f<16>; .reg .f64 %fd<16>;\n" \
		 ".reg .b16 %h<16>; .reg .b32 %t, %i; .reg .b64 %out, %at, %idx;\n"                               \
		 "ld.param.u64 %out, [out]; mov.u32 %t, %tid.x; mov.u32 %i, %ctaid.x;\n"                          \
		 "mov.u32 %r0, %ntid.x; mad.lo.u32 %i, %i, %r0, %t;\n"                                            \
		 "mul.wide.u32 %idx, %i, 4; add.u64 %at, %out, %idx;\n" body "\nret;\n}\n"

#endif
