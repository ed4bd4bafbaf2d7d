/* test_nsu_blocks.c - which version of a kernel's NSU code a launch gets, and that its blocks are the marked ones. */
#include <glib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "ndp/nsu/blocks.h"
#include "simt/memory.h"

/* to[0] = from[0]; to[1] = from[1]: the second load follows the first store. */
static const char text[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
			   ".visible .entry k(.param .u32 n, .param .u64 to, .param .u64 from)\n{\n"
			   ".reg .b64 %rd<3>; .reg .f32 %f<2>;\n"
			   "ld.param.u64 %rd1, [to];\nld.param.u64 %rd2, [from];\n"
			   "ld.global.f32 %f0, [%rd2];\nst.global.f32 [%rd1], %f0;\n"
			   "ld.global.f32 %f1, [%rd2+4];\nst.global.f32 [%rd1+4], %f1;\nret;\n}\n";

struct rig {
	struct base_diag_list diag;
	struct simt_memory *mem;
	struct ptx_module *ptx;
	struct simt_module *module;
	struct simt_program *program;
	uint64_t params[3];
	uint64_t first, second; /* allocations of 64 bytes */
	struct nsu_params nsu;
};

static int open_rig(void **state)
{
	struct rig *r = g_new0(struct rig, 1);

	base_diag_init(&r->diag);
	r->mem = simt_memory_new(1ull << 30);
	r->ptx = ptx_module_parse("test.ptx", text, strlen(text), &r->diag);
	r->module = simt_module_load(r->ptx, r->mem, &r->diag);
	r->program = simt_program_build(r->module, "k", simt_isa_choose(NULL), NULL, &r->diag);
	assert_non_null(r->program);
	r->first = simt_memory_alloc(r->mem, 64, 512, SIMT_ALLOC_DEVICE);
	r->second = simt_memory_alloc(r->mem, 64, 512, SIMT_ALLOC_DEVICE);
	r->nsu = (struct nsu_params){.register_count = 32,
				     .predicate_count = 8,
				     .predicate_bits = 32,
				     .read_entry_count = 256,
				     .write_entry_count = 256};
	*state = r;
	return 0;
}

static int close_rig(void **state)
{
	struct rig *r = *state;

	simt_program_free(r->program);
	simt_module_unload(r->module);
	ptx_module_free(r->ptx);
	simt_memory_free(r->mem);
	base_diag_free(&r->diag);
	g_free(r);
	return 0;
}

static const struct nsu_blocks *launch(struct rig *r, uint64_t to, uint64_t from)
{
	struct simt_launch l = {.program = r->program, .mem = r->mem, .params = (const uint8_t *)r->params};
	const struct nsu_blocks *b;

	r->params[1] = to;
	r->params[2] = from;
	b = nsu_blocks_of(r->program, &l, &r->nsu);
	/* exactly its blocks are marked */
	for (uint32_t pc = 0; pc < r->program->inst_count; pc++) {
		uint32_t mark = 0;

		for (uint32_t i = 0; i < b->program->code->block_count; i++)
			if (b->items[i].begin_pc == pc)
				mark = i + 1;
		assert_int_equal(r->program->insts[pc].mark, mark);
		assert_int_equal(!!(r->program->insts[pc].flags & SIMT_BLOCK_BEGIN), mark > 0);
	}
	return b;
}

static void pointers_of_a_launch_decide(void **state)
{
	struct rig *r = *state;
	const struct nsu_blocks *apart = launch(r, r->first, r->second);

	assert_int_equal(apart->program->code->block_count, 1);
	assert_string_equal(apart->name, "k");
	assert_ptr_equal(launch(r, r->second + 8, r->first + 60), apart);

	/* both in one allocation, or one in none */
	const struct nsu_blocks *plain = launch(r, r->first, r->first + 32);

	assert_int_equal(plain->program->code->block_count, 2);
	assert_string_not_equal(plain->name, apart->name);
	assert_ptr_equal(launch(r, r->first, 0), plain);
	assert_ptr_equal(launch(r, r->first, r->second + 64), plain);
	assert_true(simt_memory_release(r->mem, r->second));
	assert_ptr_equal(launch(r, r->first, r->second), plain);

	/* memory of the user's that lies side by side may be one array */
	static float own[2 * 4096 / sizeof(float)] __attribute__((aligned(4096)));

	assert_true(simt_memory_register(r->mem, (uint64_t)(uintptr_t)own, 4096));
	assert_true(simt_memory_register(r->mem, (uint64_t)(uintptr_t)own + 4096, 4096));
	assert_ptr_equal(launch(r, (uint64_t)(uintptr_t)own, (uint64_t)(uintptr_t)own + 4096), plain);
	assert_ptr_equal(launch(r, r->first, (uint64_t)(uintptr_t)own), plain);

	/* and back */
	r->second = simt_memory_alloc(r->mem, 64, 512, SIMT_ALLOC_DEVICE);
	assert_ptr_equal(launch(r, r->first, r->second), apart);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(pointers_of_a_launch_decide, open_rig, close_rig),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
