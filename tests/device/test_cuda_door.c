/* The CUDA door on a device that is no GPU: an unchanged program runs on the toy. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <cuda.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "toy.h"

/* In the child: cmocka's own checks would not reach the parent. */
#define MUST(condition)                       \
	do {                                  \
		if (!(condition))             \
			_exit(__LINE__ % 100 + 1); \
	} while (0)
#define OK(call) MUST((call) == CUDA_SUCCESS)

/* add: p[i] = i + its block's sum of lanes over a barrier; 16 instructions. spin: for ever. */
static const char ptx[] =
    ".version 6.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry add(.param .u64 p)\n"
    "{\n .reg .b64 %rd<4>;\n .reg .b32 %r<8>;\n .shared .align 4 .b8 s[1024];\n"
    " ld.param.u64 %rd1, [p];\n mov.u32 %r1, %tid.x;\n mov.u32 %r2, %ctaid.x;\n mov.u32 %r3, %ntid.x;\n"
    " shl.b32 %r4, %r1, 2;\n mov.u32 %r5, s;\n add.u32 %r5, %r5, %r4;\n st.shared.u32 [%r5], %r1;\n"
    " bar.sync 0;\n mad.lo.u32 %r6, %r2, %r3, %r1;\n mul.wide.u32 %rd2, %r6, 4;\n add.u64 %rd3, %rd1, %rd2;\n"
    " ld.shared.u32 %r7, [s+252];\n add.u32 %r7, %r7, %r6;\n st.global.u32 [%rd3], %r7;\n ret;\n}\n"
    ".visible .entry spin()\n{\nagain:\n bra again;\n}\n";
enum { ADD_INSTRUCTIONS = 16, CTAS = 5, THREADS = 64 };

static CUfunction begin(const char *kernel)
{
	CUcontext ctx;
	CUmodule m;
	CUfunction f;

	OK(cuInit(0));
	OK(cuCtxCreate(&ctx, 0, 0));
	OK(cuModuleLoadData(&m, ptx));
	OK(cuModuleGetFunction(&f, m, kernel));
	return f;
}

static void add(void)
{
	CUfunction f = begin("add");
	uint32_t values[CTAS * THREADS];
	CUdeviceptr p;
	void *params[] = {&p};
	int processors, fit;
	char name[64];

	OK(cuDeviceGetName(name, sizeof(name), 0));
	MUST(!strcmp(name, "Strata a toy"));
	OK(cuDeviceGetAttribute(&processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
	MUST(processors == TOY_PROCESSORS);
	OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&fit, f, THREADS, 0));
	MUST(fit == TOY_THREADS / THREADS);
	MUST(cuLaunchKernel(f, 1, 1, 1, 2 * TOY_THREADS, 1, 1, 0, NULL, params, NULL) == CUDA_ERROR_INVALID_VALUE);
	OK(cuMemAlloc(&p, sizeof(values)));
	OK(cuLaunchKernel(f, CTAS, 1, 1, THREADS, 1, 1, 0, NULL, params, NULL));
	OK(cuMemcpyDtoH(values, p, sizeof(values)));
	for (uint32_t i = 0; i < CTAS * THREADS; i++)
		MUST(values[i] == i + THREADS - 1);
}

static void test_program(void **state)
{
	(void)state;
	toy_session("");
	assert_int_equal(toy_child(add, 0), 0);

	json_t *o = toy_results(), *k = json_array_get(json_object_get(o, "kernels"), 0);
	const uint64_t instructions = CTAS * (THREADS / 32) * ADD_INSTRUCTIONS;

	assert_int_equal(toy_int(o, "launches"), 2);
	assert_int_equal(toy_int(o, "launches_refused"), 1);
	assert_int_equal(toy_int(o, "warp_instructions"), instructions);
	assert_int_equal(toy_int(k, "cycles"), instructions);
	assert_int_equal(toy_int(k, "cta_count"), CTAS);
	assert_int_equal(toy_int(o, "cycles"), instructions);
	assert_int_equal(toy_int(o, "time_ps"), instructions * TOY_CYCLE_PS);
	json_decref(o);
	toy_end();
}

static void spin(void)
{
	CUfunction f = begin("spin");

	toy_is_ready_in_launch = true;
	cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL);
	_exit(3);
}

static void test_interrupt(void **state)
{
	(void)state;
	toy_session("");

	int status = toy_child(spin, SIGINT);
	json_t *o = toy_results();

	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 128 + SIGINT);
	assert_string_equal(json_string_value(json_object_get(o, "fault")), "the toy was stopped");
	json_decref(o);
	toy_end();
}

static void spin_out(void)
{
	CUfunction f = begin("spin");

	MUST(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL) == CUDA_ERROR_LAUNCH_TIMEOUT);
}

static void test_wall(void **state)
{
	(void)state;
	toy_session("run.timeout_wall_ns = 200000000\n");
	assert_int_equal(toy_child(spin_out, 0), 0);

	json_t *o = toy_results();

	assert_string_equal(json_string_value(json_object_get(o, "timed_out")), "wall");
	assert_int_equal(toy_int(o, "launches_faulted"), 1);
	json_decref(o);
	toy_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_program), cmocka_unit_test(test_interrupt), cmocka_unit_test(test_wall),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
