/* rig.h - a kernel of a workload or of a text on made-up data, for the functional simulator and for words. */
#ifndef STRATA_TESTS_DC_RIG_H
#define STRATA_TESTS_DC_RIG_H

#include "dc/compile/compile.h"
#include "interpret.h"

enum { SLICE_BYTES = 64 << 10, ARGS_MAX = 20, ELEMENTS = 1000, MEMORY_BYTES = SLICE_BYTES * ARGS_MAX };

struct dc_rig {
	struct base_diag_list diag;
	struct simt_memory *mem;
	struct ptx_module *ptx;
	struct simt_module *module;
	struct simt_program *program;
	uint64_t buffer;
	uint8_t params[512];
	struct simt_launch launch;
	uint32_t random;
};

/* f: floats, i: indexes of elements, b: bytes 0 or 1, e: the same at even places, v: the same at odd places and 1 at
 * even ones, c: all the same, o: ascending offsets 4 apart, d: doubles, z: zeros; n: the number given, D: the same as a
 * double. */
struct dc_case {
	const char *workload, *name, *args;
	uint32_t grid[3], block[3], numbers[8], shared_bytes;
};

extern const struct dc_case dc_cases[];
extern const uint32_t dc_case_count;

uint32_t dc_rig_draw(struct dc_rig *r, uint32_t below);
/* Fails the test with the messages if the text is wrong. */
void dc_rig_open(struct dc_rig *r, const char *text, const char *kernel);
/* A case from the folder of workloads. */
void dc_rig_case(struct dc_rig *r, const char *workload_dir, const struct dc_case *c);
void dc_rig_args(struct dc_rig *r, const struct dc_case *c);
void dc_rig_close(struct dc_rig *r);
uint8_t *dc_rig_memory(const struct dc_rig *r); /* MEMORY_BYTES */
/* dc_compile, with each pass checked: a mistake of the compiler fails the test. */
struct dc_kernel *dc_rig_compile(const struct ptx_func *entry, const struct dc_options *o, struct base_diag_list *diag);
/* Runs the launch on the functional simulator: the memory that is wanted, to be freed by g_free; the rig's memory is as
 * before. */
uint8_t *dc_rig_wanted(struct dc_rig *r, const char *name);

#endif
