/* rig.c - see rig.h. */
#include "rig.h"

static void print(void *ctx, const char *text, uint32_t bytes)
{
	struct rig *r = ctx;

	if (r->only_counts_printed) {
		r->printed_bytes += bytes;
		return;
	}
	assert_true(r->printed_bytes + bytes < RIG_PRINT_BYTES);
	memcpy(r->printed + r->printed_bytes, text, bytes);
	r->printed_bytes += bytes;
	r->printed[r->printed_bytes] = '\0';
}

static void show_errors(struct rig *r)
{
	free(r->errors);
	r->errors = base_diag_join(&r->diag);
	base_diag_free(&r->diag);
	base_diag_init(&r->diag);
}

static void open(struct rig *r, const char *ptx, bool is_checked)
{
	memset(r, 0, sizeof(*r));
	base_diag_init(&r->diag);
	r->mem = simt_memory_new(1ull << 32);
	assert_non_null(r->mem);
	if (is_checked)
		r->check = simt_check_new(r->mem);
	r->ptx = ptx_module_parse("test.ptx", ptx, strlen(ptx), &r->diag);
	if (r->ptx)
		r->module = simt_module_load(r->ptx, r->mem, &r->diag);
	if (!r->module) {
		show_errors(r);
		fail_msg("%s", r->errors);
	}
	r->out = simt_memory_alloc(r->mem, RIG_OUT_WORDS * 4, 1, SIMT_ALLOC_DEVICE);
	assert_true(r->out != 0);
	r->words = (uint32_t *)(uintptr_t)r->out;
	if (r->check)
		simt_check_written(r->check, r->out, RIG_OUT_WORDS * 4);
}

void rig_open(struct rig *r, const char *ptx)
{
	open(r, ptx, false);
}

void rig_open_checked(struct rig *r, const char *ptx)
{
	open(r, ptx, true);
}

void rig_close(struct rig *r)
{
	simt_program_free(r->program);
	simt_module_unload(r->module);
	ptx_module_free(r->ptx);
	simt_memory_free(r->mem);
	simt_check_free(r->check);
	base_diag_free(&r->diag);
	free(r->errors);
}

bool rig_build(struct rig *r, const char *kernel)
{
	simt_program_free(r->program);
	r->program = simt_program_build(r->module, kernel, simt_isa_choose(NULL), r->bounds, &r->diag);
	if (!r->program)
		show_errors(r);
	return r->program != NULL;
}

bool rig_run(struct rig *r, const char *kernel, uint32_t grid, uint32_t block, const uint64_t *params, uint32_t count)
{
	if (kernel && !rig_build(r, kernel))
		fail_msg("%s", r->errors);
	memcpy(r->params, params, count * sizeof(*params));
	r->launch = (struct simt_launch){.program = r->program,
					 .mem = r->mem,
					 .grid = {grid, r->grid_y ? r->grid_y : 1, 1},
					 .block = {block, r->block_y ? r->block_y : 1, 1},
					 .params = r->params,
					 .stack_bytes = r->stack_bytes,
					 .sm_count = 4,
					 .print = print,
					 .print_ctx = r,
					 .stop = r->stop,
					 .shared_dynamic_bytes = 1024};
	if (!simt_launch_begin(&r->launch, 64, &r->diag)) {
		show_errors(r);
		fail_msg("%s", r->errors);
	}
	bool ok = simt_run_functional(&r->launch, &r->warp_instructions, &r->thread_instructions, r->limit);

	simt_launch_end(&r->launch);
	return ok;
}

void rig_check(struct rig *r, const char *ptx, uint32_t grid, uint32_t block)
{
	rig_open(r, ptx);
	if (!rig_run(r, "k", grid, block, &r->out, 1))
		fail_msg("%s", r->launch.fault.text);
}

void rig_check_fault(struct rig *r, const char *ptx, uint32_t grid, uint32_t block, enum simt_fault_kind kind)
{
	rig_open(r, ptx);
	assert_false(rig_run(r, "k", grid, block, &r->out, 1));
	assert_int_equal(r->launch.fault.kind, kind);
}
