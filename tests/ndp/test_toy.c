/* A policy that src/ does not know (toy/): it is made known by a function, and then a machine has it like any other. */
#include "base/check.h"
#include "machine/machine.h"
#include "rig.h"
#include "toy/toy.h"

static const char *const settings[] = {"gpu.sm_count", "4", "gpu.stack_sm_count", "1", "run.audit", "true", NULL};

/* A candidate of two loads and two stores per thread. */
static const char ptx[] = KERNEL_WITH("", "bar.sync 0;\n"
					  "mul.wide.u32 %rd4, %r4, 4;\n"
					  "add.u64 %rd5, %rd1, %rd4;\n"
					  "add.u64 %rd6, %rd2, %rd4;\n"
					  "ld.global.u32 %r5, [%rd5];\n"
					  "ld.global.u32 %r6, [%rd5+65536];\n"
					  "add.u32 %r5, %r5, %r6;\n"
					  "st.global.u32 [%rd6], %r5;\n"
					  "st.global.u32 [%rd6+65536], %r6;\n"
					  "bar.sync 0;\n");

/* What rig.h does for a machine that the test has built. */
static void program_open(struct rig *r)
{
	struct base_diag_list diag;

	base_diag_init(&diag);
	r->mem = simt_memory_new(1ull << 30);
	r->ptx = ptx_module_parse("test.ptx", ptx, strlen(ptx), &diag);
	r->module = simt_module_load(r->ptx, r->mem, &diag);
	r->program = simt_program_build(r->module, "k", simt_isa_choose(NULL), NULL, &diag);
	assert_non_null(r->program);
	base_diag_free(&diag);
	r->in = (uint32_t *)(uintptr_t)simt_memory_alloc(r->mem, WORDS * 4, 4096, SIMT_ALLOC_DEVICE);
	r->out = (uint32_t *)(uintptr_t)simt_memory_alloc(r->mem, WORDS * 4, 4096, SIMT_ALLOC_DEVICE);
	for (uint32_t i = 0; i < WORDS; i++)
		r->in[i] = i;
}

static void program_close(struct rig *r)
{
	simt_program_free(r->program);
	simt_module_unload(r->module);
	ptx_module_free(r->ptx);
	simt_memory_free(r->mem);
}

/* Runs the kernel on a machine whose policy is the toy, with a setting more, and holds it to 64 / each answers. */
static void run_toy(uint32_t number, const char *const *more, uint32_t each)
{
	struct rig r = {0};
	struct base_diag_list diag;
	struct ndp_config *ndp;

	machine_config_defaults(&r.config, machine_parts);
	rig_set_all(&r.config, settings);
	rig_set_all(&r.config, more);
	ndp = machine_config_at(&r.config, &machine_ndp_part);
	ndp->choice.mechanism = number;
	base_diag_init(&diag);

	struct machine *m = machine_new(&r.config, true, &diag);

	assert_non_null(m);
	base_diag_free(&diag);
	r.gpu = machine_gpu(m);
	r.ctx = m->ctx;
	program_open(&r);
	assert_true(rig_run(&r, 16, 128, 0));
	/* 64 warps enter the block once each. */
	assert_int_equal(rig_stat(&r, "toy.answered_count"), 64 / each);
	assert_int_equal(rig_stat(&r, "gpu.offloads"), 64 / each);
	assert_int_equal(rig_stat(&r, "sm.guest_warps"), 64 / each);
	for (uint32_t i = 0; i < 2048; i++) {
		assert_int_equal(r.out[i], 2 * i + 16384);
		assert_int_equal(r.out[16384 + i], i + 16384);
	}
	machine_free(m);
	program_close(&r);
}

static void a_policy_from_outside(void **state)
{
	static const char *const nothing[] = {NULL}, *const five[] = {"ndp.toy_each_count", "5", NULL};
	const uint32_t number = ndp_mechanism_add(&ndp_toy);

	(void)state;
	assert_string_equal(ndp_mechanism_name(number), "toy");
	run_toy(number, nothing, 3); /* as its table says */
	run_toy(number, five, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(a_policy_from_outside)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
